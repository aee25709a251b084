//! Rows that don't come from SQL, in the same formats.

use crate::failure::Failure;
use crate::options::look::Look;
use crate::output::stdout;
use crate::screen::Screen;
use rusqlite::types::{Value, ValueRef};
use std::io::Write;

/// Writes rows to standard output.
pub(crate) fn table<const COLUMNS: usize>(
    look: Look,
    columns: [&str; COLUMNS],
    rows: impl IntoIterator<Item = [Value; COLUMNS]>,
) -> Result<(), Failure> {
    let out = &mut stdout();
    let columns = columns.map(str::to_owned).to_vec();
    let mut table = look
        .format()
        .rows(columns, look.boards(), Screen::of_stdout(), out)?;
    for row in rows {
        table.row(&row.each_ref().map(ValueRef::from))?;
    }
    table.end()?;
    Ok(out.flush()?)
}
