//! What can be wrong with rows, and where it is reported.

use crate::Table;
use obook_converters::FaultKind;
use obook_othello::CanonicalBoard;
use rusqlite::types::ValueRef;
use std::fmt;

/// Something that is wrong with a row, which any SQL may have written. As a text it says what was found and what was
/// expected, without the board, which stands beside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// A row whose key is no blob of 16 bytes.
    BadKey {
        /// Where it stands.
        table: Table,
        /// What it has instead.
        found: String,
    },
    /// A row of another table whose key no position has.
    Orphan {
        /// Where it stands.
        table: Table,
        /// Its key.
        key: [u8; 16],
    },
    /// Something else about the rows of a position.
    Row {
        /// The position's key.
        key: [u8; 16],
        /// What is wrong with them.
        wrong: Wrong,
    },
}

/// What is wrong with the rows of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// No game has such a board or such a move: what books of any kind may get wrong.
    Game(FaultKind),
    /// The board is not the canonical one of its position, so that it is not found.
    NotCanonical(CanonicalBoard),
    /// The column `empties` is not the number of empty squares.
    Empties {
        /// What it is.
        found: Found,
        /// What the board says.
        expected: u32,
    },
    /// No engine that is known.
    Engine(Found),
    /// A number outside its range, or no number.
    OutOfRange {
        /// Which number.
        field: &'static str,
        /// What it is.
        found: Found,
        /// The least that is allowed.
        min: i64,
        /// The most that is allowed.
        max: i64,
    },
    /// No number of a move.
    NoMove {
        /// Whose move.
        of: obook_converters::MoveOf,
        /// What it is.
        found: Found,
    },
    /// Of these columns some are NULL and some are not.
    Half(&'static str),
    /// A leaf without a move, although the game is not over.
    ScoreWithoutMove,
}

/// What stands where a number or NULL should.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Found {
    /// Nothing.
    Null,
    /// A number.
    Integer(i64),
    /// Text, a blob or a fraction.
    Other,
}

/// Takes what is wrong with rows as they are read.
pub trait Faults {
    /// Whether rows are held against the rules of the game and against each other too. Where not, the reader gives what
    /// stands there as long as it can be understood: moves that are not legal, half of the bounds as none, rows without a
    /// position as if they were not there.
    const BY_THE_RULES: bool;

    /// Takes a fault. Where this gives no error the reading goes on, and what is wrong is left out.
    ///
    /// # Errors
    /// To end the reading.
    fn add(&mut self, fault: Fault) -> Result<(), Error>;
}

/// The first fault ends the reading.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Strict;

impl Faults for Strict {
    const BY_THE_RULES: bool = false;

    fn add(&mut self, fault: Fault) -> Result<(), Error> {
        Err(Error::Fault(fault))
    }
}

/// Why reading ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// SQLite can't read the tables.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// What was read makes no sense.
    #[error("{0}")]
    Fault(Fault),
}

impl Fault {
    /// The key of the position that it is about.
    #[must_use]
    pub const fn key(&self) -> Option<[u8; 16]> {
        match self {
            Fault::BadKey { .. } => None,
            Fault::Orphan { key, .. } | Fault::Row { key, .. } => Some(*key),
        }
    }
}

impl From<ValueRef<'_>> for Found {
    fn from(value: ValueRef<'_>) -> Found {
        match value {
            ValueRef::Null => Found::Null,
            ValueRef::Integer(number) => Found::Integer(number),
            _ => Found::Other,
        }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Found::Null => f.write_str("NULL"),
            Found::Integer(number) => number.fmt(f),
            Found::Other => f.write_str("no whole number"),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::BadKey { table, found } => {
                let table = table.name();
                write!(
                    f,
                    "a row of {table} has {found} as its key: expected 16 bytes"
                )
            }
            Fault::Orphan { table, .. } => {
                write!(f, "a row of {} without a row of positions", table.name())
            }
            Fault::Row { key, wrong } => wrong.describe(*key, f),
        }
    }
}

impl Wrong {
    fn describe(&self, key: [u8; 16], f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wrong::Game(kind) => {
                let both = u128::from_be_bytes(key);
                let fault = obook_converters::Fault {
                    player: (both >> 64) as u64,
                    opponent: both as u64,
                    kind: kind.clone(),
                };
                f.write_str(&fault.remark())
            }
            Wrong::NotCanonical(canonical) => {
                write!(f, "expected {}", canonical.board().to_text())
            }
            Wrong::Empties { found, expected } => {
                write!(f, "the column empties is {found}: expected {expected}")
            }
            Wrong::Engine(found) => write!(
                f,
                "the engine is {found}: expected 1 (edax) or 2 (egaroucid)"
            ),
            Wrong::OutOfRange {
                field,
                found,
                min,
                max,
            } => write!(f, "the {field} is {found}: expected {min} to {max}"),
            Wrong::NoMove { of, found } => {
                write!(f, "the move of {of} is {found}: expected 0 to 64")
            }
            Wrong::Half(fields) => write!(
                f,
                "some of {fields} are NULL and some are not: expected all or none"
            ),
            Wrong::ScoreWithoutMove => {
                f.write_str("the leaf has no move: expected a legal one, for the game is not over")
            }
        }
    }
}
