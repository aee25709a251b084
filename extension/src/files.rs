//! Book files as tables: `SELECT … FROM edax('book.dat')`, without importing them.

use crate::problem::{Problem, Result};
use crate::table::{self, ColumnValue, Kind, Rows, TableFunction, Values};
use obook_converters::{BookReader, ErrorKind, Format};
use obook_functions::read_text;
use obook_model::{Link, NoLeaf, Position};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// A format that tables read.
trait FileFormat: Clone + Send + Sync + 'static {
    /// The names of the tables of its positions and links.
    const POSITIONS: &'static str;
    const LINKS: &'static str;
    /// `None` to detect it from the contents.
    const FORMAT: Option<Format>;
}

/// Defines the formats and their tables.
macro_rules! formats {
    ($($name:ident, $format:expr, $positions:literal, $links:literal;)*) => {
        $(
            #[derive(Clone)]
            struct $name;

            impl FileFormat for $name {
                const POSITIONS: &'static str = $positions;
                const LINKS: &'static str = $links;
                const FORMAT: Option<Format> = $format;
            }
        )*

        /// Registers a table of positions and one of links for each format.
        pub(crate) fn register(connection: &Connection) -> rusqlite::Result<()> {
            $(
                table::register(connection, Positions($name))?;
                if $name::FORMAT.is_none_or(has_links) {
                    table::register(connection, Links($name))?;
                }
            )*
            Ok(())
        }

        /// Whether this table reads book files that the query names.
        ///
        /// ```
        /// assert!(obook_extension::reads_files("edax") && !obook_extension::reads_files("positions"));
        /// ```
        #[must_use]
        pub fn reads_files(table: &str) -> bool {
            [$($positions, $links),*].iter().any(|name| name.eq_ignore_ascii_case(table))
        }
    };
}

formats! {
    Any, None, "book_file", "book_file_links";
    Edax, Some(Format::Edax), "edax", "edax_links";
    EdaxText, Some(Format::EdaxText), "edax_text", "edax_text_links";
    Egbk3, Some(Format::Egbk3), "egbk3", "egbk3_links";
    Egbk2, Some(Format::Egbk2), "egbk2", "egbk2_links";
    Egbk, Some(Format::Egbk), "egbk", "egbk_links";
    Zebra, Some(Format::Zebra), "zebra", "zebra_links";
    Takizawa, Some(Format::Takizawa), "takizawa", "takizawa_links";
    Sensei, Some(Format::Sensei), "sensei", "sensei_links";
    Ntest, Some(Format::Ntest), "ntest", "ntest_links";
}

/// Whether files of this format contain links.
fn has_links(format: Format) -> bool {
    matches!(format, Format::Edax | Format::EdaxText | Format::Egbk2)
}

/// The positions of a file with their leaves, in the file's order.
#[derive(Clone)]
struct Positions<F>(F);

impl<F: FileFormat> TableFunction for Positions<F> {
    const NAME: &'static str = F::POSITIONS;
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

    fn rows<'c>(
        &'c self,
        _: &'c Connection,
        file: ValueRef<'_>,
        _: &Values,
    ) -> Result<Rows<'c, Position>> {
        positions(file, F::FORMAT)
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
struct Links<F>(F);

impl<F: FileFormat> TableFunction for Links<F> {
    const NAME: &'static str = F::LINKS;
    const COLUMNS: &'static [(&'static str, Kind)] = &[
        ("board", Kind::Key),
        ("move", Kind::Integer),
        ("score", Kind::Integer),
    ];
    const ARGUMENTS: &'static [&'static str] = &["file"];
    const NOT_IN_VIEWS: bool = true;
    const ROWS: i64 = ROWS;
    type Row = ([u8; 16], Link);

    fn rows<'c>(
        &'c self,
        _: &'c Connection,
        file: ValueRef<'_>,
        _: &Values,
    ) -> Result<Rows<'c, Self::Row>> {
        let positions = positions(file, F::FORMAT)?;
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
            "not a book: expected a book of Edax, Egaroucid, Zebra, Takizawa, Sensei or NTest"
                .into()
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
