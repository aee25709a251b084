//! What a book says about itself: the one row of table `book`.

use super::{SCHEMA_VERSION, Store};
use crate::{Error, Result};
use obook_converters::{BookReader, Date, Header};
use obook_graph::negamax;
use obook_model::RuleSet;
use rusqlite::Connection;

/// What a book says about itself, wherever it comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BookHeader {
    /// Whose rules its numbers follow.
    pub rules: RuleSet,
    /// The name of the format that it first came in.
    pub format: Option<String>,
    /// What that file's header said. The count is the file's promise; a database keeps none.
    pub header: Header,
}

impl BookHeader {
    /// The rules of its numbers, with its errors; where the book has none, those that Edax starts with.
    #[must_use]
    pub fn negamax_rules(&self) -> negamax::Scoring {
        match self.rules {
            RuleSet::Edax => {
                let (midgame_error, endcut_error) = self.header.errors();
                negamax::Scoring::Edax {
                    midgame_error,
                    endcut_error,
                }
            }
            RuleSet::Egaroucid => negamax::Scoring::Egaroucid {
                edax_compliant: false,
            },
            RuleSet::EgaroucidEdax => negamax::Scoring::Egaroucid {
                edax_compliant: true,
            },
        }
    }

    /// What a book file says about itself.
    #[must_use]
    pub fn of(reader: &BookReader) -> BookHeader {
        let format = reader.format();
        BookHeader {
            rules: format.rules(),
            format: Some(format.name().to_owned()),
            header: reader.header().clone(),
        }
    }

    /// Writes just these columns. What else the row says stays, but for `fixed`, where it need not be true any more.
    pub fn write(&self, connection: &Connection) -> rusqlite::Result<()> {
        let header = &self.header;
        connection
            .execute(
                // By other rules, or with other errors, other numbers follow from the leaves.
                "INSERT INTO book (id, schema_version, rules, level, depth, midgame_error, endcut_error, verbosity,
                                   format, version, release, written)
                 VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                 ON CONFLICT (id) DO UPDATE SET
                    fixed = iif((rules, midgame_error, endcut_error) IS
                                (excluded.rules, excluded.midgame_error, excluded.endcut_error), fixed, NULL),
                    schema_version = excluded.schema_version, rules = excluded.rules, level = excluded.level,
                    depth = excluded.depth, midgame_error = excluded.midgame_error,
                    endcut_error = excluded.endcut_error, verbosity = excluded.verbosity, format = excluded.format,
                    version = excluded.version, release = excluded.release, written = excluded.written",
                rusqlite::params![
                    SCHEMA_VERSION,
                    self.rules.name(),
                    header.level,
                    header.depth(),
                    header.midgame_error,
                    header.endcut_error,
                    header.verbosity,
                    self.format,
                    header.version,
                    header.release,
                    header.date.map(|date| date.to_string()),
                ],
            )
            .map(drop)
    }
}

impl Store {
    /// What the book says about itself.
    ///
    /// # Errors
    /// [`Error::Sqlite`], also where the row is missing, and [`Error::Unfit`] where it makes no sense.
    pub fn header(&self) -> Result<BookHeader> {
        let (mut book, written) = self
            .connection
            .query_row(
                "SELECT rules, level, depth, midgame_error, endcut_error, verbosity, format, version, release, written
                 FROM book",
                [],
                |row| {
                    let depth: Option<i32> = row.get(2)?;
                    let header = Header {
                        version: row.get(7)?,
                        release: row.get(8)?,
                        date: None,
                        level: row.get(1)?,
                        n_empties: depth.and_then(|depth| 61i32.checked_sub(depth)),
                        midgame_error: row.get(3)?,
                        endcut_error: row.get(4)?,
                        verbosity: row.get(5)?,
                        count: None,
                    };
                    // The schema allows no other names.
                    let rules = RuleSet::from_name(row.get_ref(0)?.as_str()?).unwrap_or(RuleSet::Edax);
                    let format = row.get(6)?;
                    let written: Option<String> = row.get(9)?;
                    Ok((BookHeader { rules, format, header }, written))
                },
            )
            .map_err(self.failed("read"))?;
        if let Some(text) = written {
            book.header.date = Some(parse_date(&text).ok_or_else(|| {
                let expected = "expected a date such as 2026-02-28 12:34:56";
                Error::unfit(
                    &self.path,
                    format!("table book, column written: {expected}, found “{text}”"),
                )
            })?);
        }
        Ok(book)
    }
}

/// The time now, as the clocks of this place show it; `None` where SQLite can't tell.
pub fn local_time() -> Option<Date> {
    let now = "SELECT datetime('now', 'localtime')";
    let connection = Connection::open_in_memory().ok()?;
    let text: Option<String> = connection.query_row(now, [], |row| row.get(0)).ok()?;
    parse_date(&text?)
}

/// The inverse of [`Date`]'s `Display`.
fn parse_date(text: &str) -> Option<Date> {
    let (day, time) = text.split_once(' ')?;
    let mut day = day.split('-');
    let mut time = time.split(':');
    Some(Date {
        year: day.next()?.parse().ok()?,
        month: day.next()?.parse().ok()?,
        day: day.next()?.parse().ok()?,
        hour: time.next()?.parse().ok()?,
        minute: time.next()?.parse().ok()?,
        second: time.next()?.parse().ok()?,
    })
}
