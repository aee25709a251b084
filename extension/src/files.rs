//! Book files as tables: `SELECT … FROM edax('book.dat')`, without importing them.

use crate::problem::{Problem, Result};
use crate::table::{self, ColumnValue, Kind, Rows, TableFunction, Values};
use obook_converters::{BookReader, ErrorKind, Format, StoredLinks};
use obook_functions::read_text;
use obook_model::{Link, NoLeaf, Position};
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::iter;

/// Registers a table of positions for each format and, if it stores links, one of links.
pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
    for files in all() {
        table::register(connection, Positions(files))?;
    }
    for links in all().filter_map(Files::links) {
        table::register(connection, Links(links))?;
    }
    Ok(())
}

/// Whether this table reads book files that the query names.
///
/// ```
/// assert!(obook_extension::reads_files("edax") && !obook_extension::reads_files("positions"));
/// ```
#[must_use]
pub fn reads_files(table: &str) -> bool {
    let mut names = all().chain(all().filter_map(Files::links));
    names.any(|files| files.name.eq_ignore_ascii_case(table))
}

/// The files that a table reads.
#[derive(Clone)]
struct Files {
    /// The table's name.
    name: String,
    /// `None` to detect it from the contents.
    format: Option<Format>,
}

/// The tables of positions: one for files of any format, and one for each format.
fn all() -> impl Iterator<Item = Files> {
    let of_any = Files {
        name: String::from(ANY),
        format: None,
    };
    let of_format = |format: Format| Files {
        name: format.name().replace('-', "_"),
        format: Some(format),
    };
    iter::once(of_any).chain(Format::ALL.map(of_format))
}

/// The name of the table of positions of any file.
const ANY: &str = "book_file";

impl Files {
    /// The table of links, unless there are none.
    fn links(self) -> Option<Files> {
        let stores = |format: Format| format.holds().links != StoredLinks::None;
        self.format.is_none_or(stores).then(|| Files {
            name: self.name + "_links",
            ..self
        })
    }
}

/// The positions of a file with their leaves, in the file's order.
#[derive(Clone)]
struct Positions(Files);

impl TableFunction for Positions {
    const NAME: &'static str = ANY;
    const COLUMNS: &'static [(&'static str, Kind)] = &[
        ("board", Kind::Key),
        ("empties", Kind::Integer),
        ("value", Kind::Integer),
        ("lower", Kind::Integer),
        ("upper", Kind::Integer),
        ("level", Kind::Integer),
        ("engine", Kind::Integer),
        ("wins", Kind::Integer),
        ("draws", Kind::Integer),
        ("losses", Kind::Integer),
        ("lines", Kind::Integer),
        ("unsearched", Kind::Integer),
        ("proven_lower", Kind::Integer),
        ("proven_upper", Kind::Integer),
        ("prover", Kind::Integer),
        ("links", Kind::Integer),
        ("leaf_move", Kind::Integer),
        ("leaf_score", Kind::Integer),
        ("leaf_level", Kind::Integer),
    ];
    const ARGUMENTS: &'static [&'static str] = &["file"];
    const NOT_IN_VIEWS: bool = true;
    const ROWS: i64 = ROWS;
    type Row = Position;

    fn name(&self) -> &str {
        &self.0.name
    }

    fn rows<'c>(
        &'c self,
        _: &'c Connection,
        file: ValueRef<'_>,
        _: &Values,
    ) -> Result<Rows<'c, Position>> {
        positions(file, self.0.format)
    }

    fn value(position: &Position, column: usize) -> ColumnValue<'_> {
        let Position {
            board,
            value,
            bounds,
            proof,
            level,
            engine,
            outcomes,
            lines,
            links,
            leaf,
            no_leaf,
        } = position;
        ColumnValue::from(match column {
            0 => return (*board).into(),
            1 => Some(i64::from(board.board().empties())),
            2 => value.map(i64::from),
            3 => bounds.map(|bounds| bounds.lower.into()),
            4 => bounds.map(|bounds| bounds.upper.into()),
            5 => level.map(i64::from),
            6 => Some(engine.code().into()),
            7 => outcomes.map(|outcomes| outcomes.wins.into()),
            8 => outcomes.map(|outcomes| outcomes.draws.into()),
            9 => outcomes.map(|outcomes| outcomes.losses.into()),
            10 => lines.map(i64::from),
            11 => no_leaf.map(|no_leaf| i64::from(no_leaf == NoLeaf::Undefined)),
            12 => proof.map(|proof| proof.lower().into()),
            13 => proof.map(|proof| proof.upper().into()),
            14 => proof.map(|proof| proof.prover().code().into()),
            15 => Some(links.len() as i64),
            16 => leaf.and_then(|leaf| leaf.mv).map(|mv| mv.code().into()),
            17 => leaf.map(|leaf| leaf.score.into()),
            _ => leaf.and_then(|leaf| leaf.level).map(i64::from),
        })
    }
}

/// The links of a file, in the file's order.
#[derive(Clone)]
struct Links(Files);

impl TableFunction for Links {
    const NAME: &'static str = "book_file_links";
    const COLUMNS: &'static [(&'static str, Kind)] = &[
        ("board", Kind::Key),
        ("move", Kind::Integer),
        ("score", Kind::Integer),
    ];
    const ARGUMENTS: &'static [&'static str] = &["file"];
    const NOT_IN_VIEWS: bool = true;
    const ROWS: i64 = ROWS;
    type Row = ([u8; 16], Link);

    fn name(&self) -> &str {
        &self.0.name
    }

    fn rows<'c>(
        &'c self,
        _: &'c Connection,
        file: ValueRef<'_>,
        _: &Values,
    ) -> Result<Rows<'c, Self::Row>> {
        let positions = positions(file, self.0.format)?;
        Ok(Box::new(positions.flat_map(|position| {
            let (links, problem) = match position {
                Ok(position) => {
                    let key = position.board.to_key();
                    let links = position.links.into_iter().map(move |link| Ok((key, link)));
                    (Some(links), None)
                }
                Err(problem) => (None, Some(Err(problem))),
            };
            links.into_iter().flatten().chain(problem)
        })))
    }

    fn value((key, link): &Self::Row, column: usize) -> ColumnValue<'_> {
        match column {
            0 => ColumnValue::Key(*key),
            1 => link.mv.code().into(),
            _ => link.score.into(),
        }
    }
}

/// The assumed number of rows. Files may have any size; a large number leads to plans that read each once.
const ROWS: i64 = 1_000_000;

fn positions(file: ValueRef<'_>, format: Option<Format>) -> Result<Rows<'static, Position>> {
    let ValueRef::Text(path) = file else {
        return Err(Problem::new("expected the name of a file"));
    };
    let path = read_text(path)?;
    let reader = BookReader::open(path, format).map_err(|error| problem(path, error))?;
    let path = path.to_owned();
    let positions = reader.positions_parallel();
    Ok(Box::new(positions.map(move |position| {
        position.map_err(|error| problem(&path, error))
    })))
}

/// Says that a file is no book, or where it is damaged, but not what stands there: whoever asks may only be allowed to read books,
/// and any file may begin like one.
fn problem(path: &str, error: obook_converters::Error) -> Problem {
    let what = match error.kind() {
        ErrorKind::Io(_) => return Problem::from(error),
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
