//! The table of accuracy grades.

use super::Update;
use crate::Result;
use obook_graph::accuracy::Grade;
use obook_othello::CanonicalBoard;
use obook_rows::{BulkInsert, Cell};

impl Update<'_> {
    /// Puts these grades, given in key order, in place of what was there.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub fn replace_grades(
        &self,
        grades: impl IntoIterator<Item = (CanonicalBoard, Grade)>,
    ) -> Result<()> {
        self.log_whole("accuracy")?;
        let write = || {
            self.connection().execute_batch("DELETE FROM accuracy")?;
            let columns = ["board", "grade"];
            let mut table = BulkInsert::into_columns(self.connection(), "accuracy", &columns)?;
            for (board, grade) in grades {
                table.push([board.into(), Cell::Text(grade.name())])?;
            }
            table.finish()
        };
        write().map_err(self.failed())
    }
}
