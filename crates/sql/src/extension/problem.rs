//! Problems of reading rows.

use obook_base::sql::Problem;
use obook_base::sqlite::of_sqlite;

/// The problem of a book that can't be read: for `map_err`.
pub(crate) fn of_rows(error: crate::rows::Error) -> Problem {
    match error {
        crate::rows::Error::Sqlite(error) => of_sqlite(error),
        crate::rows::Error::Fault(fault) => {
            let board = fault.key().map_or(String::from("?"), |key| {
                format!("{:032X}", u128::from_be_bytes(key))
            });
            Problem::new(format!("board {board}: {fault}"))
        }
    }
}
