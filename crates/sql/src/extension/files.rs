//! Book files as tables: `SELECT … FROM edax('book.dat')`, without importing them.

use crate::extension::positions::{LinkTable, PositionTable, Positions};
use obook_base::sql::{Arguments, Problem, Result, Rows, Value, read_text};
use obook_base::sqlite;
use obook_converters::{BookReader, ErrorKind, Format, StoredLinks};
use obook_othello::Position;
use rusqlite::Connection;
use std::iter;

/// Registers a table of positions for each format and, if it stores links, one of links.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    for (name, format) in tables() {
        if format.is_none_or(has_links) {
            let table = LinkTable(Files(format));
            sqlite::register(connection, &links(&name), table, |_| ())?;
        }
        sqlite::register(connection, &name, PositionTable(Files(format)), |_| ())?;
    }
    Ok(())
}

/// Whether this table reads book files that the query names.
///
/// ```
/// assert!(obook_sql::extension::reads_files("edax") && !obook_sql::extension::reads_files("positions"));
/// ```
#[must_use]
pub fn reads_files(table: &str) -> bool {
    let is = |name: &str| name.eq_ignore_ascii_case(table);
    tables().any(|(name, _)| is(&name) || is(&links(&name)))
}

/// The tables of positions and the formats that they read: any, and each.
fn tables() -> impl Iterator<Item = (String, Option<Format>)> {
    let each = Format::ALL.into_iter();
    let each = each.map(|format| (format.name().replace('-', "_"), Some(format)));
    iter::once((String::from("book_file"), None)).chain(each)
}

/// The name of the table of links beside one of positions.
fn links(name: &str) -> String {
    format!("{name}_links")
}

/// Whether files of this format contain links.
fn has_links(format: Format) -> bool {
    format.holds().links != StoredLinks::None
}

/// Files of a format, or of any that their contents show.
#[derive(Clone)]
struct Files(Option<Format>);

impl Positions for Files {
    const ARGUMENTS: &'static [&'static str] = &["file"];
    const NOT_IN_VIEWS: bool = true;
    const WITH_LEAVES: bool = true;

    fn positions(&self, arguments: Arguments<'_>) -> Result<Rows<'_, Position>> {
        let Value::Text(path) = arguments.value(0) else {
            return Err(Problem::new("expected the name of a file"));
        };
        let path = read_text(path)?;
        let reader = BookReader::open(path, self.0).map_err(|error| problem(path, error))?;
        let path = path.to_owned();
        let positions = reader.positions_parallel();
        Ok(Box::new(positions.map(move |position| {
            position.map_err(|error| problem(&path, error))
        })))
    }
}

/// Says that a file is no book, or where it is damaged, but not what stands there: whoever asks may only be allowed to read books,
/// and any file may begin like one.
fn problem(path: &str, error: obook_converters::Error) -> Problem {
    let what = match error.kind() {
        ErrorKind::Io(_) => return Problem::new(error),
        ErrorKind::UnknownFormat { .. } => {
            let names = Format::ALL.map(Format::name);
            format!("not a book: expected one of {}", names.join(", "))
        }
        ErrorKind::Magic { expected, .. } => format!("not a book: expected {expected}"),
        _ => String::from("not a book, or damaged"),
    };
    let place = match (error.record(), error.offset()) {
        (Some(record), Some(offset)) => format!("position {record} (byte {offset}): "),
        (Some(record), None) => format!("position {record}: "),
        _ => String::new(),
    };
    Problem::new(format!("{path}: {place}{what}"))
}
