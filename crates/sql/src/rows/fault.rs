//! Faults in rows, and where they are reported.

use crate::rows::Table;
use obook_converters::FaultKind;
use obook_othello::CanonicalBoard;
use rusqlite::types::ValueRef;
use std::fmt;

/// A fault in a row, which any SQL may have written. Its message says what was found and what was expected. The board isn't
/// mentioned, since it's shown beside the message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{wrong}")]
pub struct Fault {
    /// The key of the row; `None` if it has no valid one.
    pub key: Option<[u8; 16]>,
    /// What's wrong with it.
    pub wrong: Wrong,
}

/// What's wrong with a row.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Wrong {
    /// The key isn't a blob of 16 bytes.
    #[error("a row of {} has {found} as its key: expected 16 bytes", table.name())]
    BadKey {
        /// The row's table.
        table: Table,
        /// The value in its place.
        found: String,
    },
    /// The key of a row of this table, which isn't that of positions, has no position.
    #[error("a row of {} without a row of positions", .0.name())]
    Orphan(Table),
    /// The board or move is impossible: a fault that any kind of book may have.
    #[error("{}", .0.remark())]
    Game(obook_converters::Fault),
    /// The board isn't the canonical one of its position, so look-ups don't find it.
    #[error("expected {}", .0.board().to_text())]
    NotCanonical(CanonicalBoard),
    /// The column `empties` isn't the number of empty squares.
    #[error("the column empties is {found}: expected {expected}")]
    Empties {
        /// The value found.
        found: RawValue,
        /// The number of empty squares.
        expected: u32,
    },
    /// The engine is no number from 1 to 255.
    #[error("the engine is {0}: expected 1 to 255, or the number of someone's own engine")]
    Engine(RawValue),
    /// A value isn't a number or is out of range.
    #[error("{0}")]
    OutOfRange(String),
    /// Some of these columns are NULL and some aren't.
    #[error("some of {0} are NULL and some are not: expected all or none")]
    Half(&'static str),
    /// A leaf has no move, although the game isn't over.
    #[error("the leaf has no move: expected a legal one, since the game is not over")]
    ScoreWithoutMove,
}

/// A value read where a number or NULL is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RawValue {
    /// NULL.
    Null,
    /// A number.
    Integer(i64),
    /// Text, a blob or a fraction.
    Other,
}

/// Receives the faults of rows as they are read.
pub trait Faults {
    /// Whether to check rows against the rules of the game and against each other. If not, the reader returns anything that
    /// makes sense: illegal moves are kept, and a single bound or rows without a position are ignored.
    const BY_THE_RULES: bool;

    /// Receives a fault. Unless this returns an error, reading continues without the faulty part.
    ///
    /// # Errors
    /// Returns an error to stop reading.
    fn add(&mut self, fault: Fault) -> Result<(), Error>;
}

/// Stops reading at the first fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Strict;

impl Faults for Strict {
    const BY_THE_RULES: bool = false;

    fn add(&mut self, fault: Fault) -> Result<(), Error> {
        Err(Error::Fault(fault))
    }
}

/// The result of reading rows.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// Why reading stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// SQLite can't read the tables.
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// A row has a fault.
    #[error("{0}")]
    Fault(Fault),
}

impl From<ValueRef<'_>> for RawValue {
    fn from(value: ValueRef<'_>) -> RawValue {
        match value {
            ValueRef::Null => RawValue::Null,
            ValueRef::Integer(number) => RawValue::Integer(number),
            _ => RawValue::Other,
        }
    }
}

impl fmt::Display for RawValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RawValue::Null => f.write_str("NULL"),
            RawValue::Integer(number) => number.fmt(f),
            RawValue::Other => f.write_str("not a whole number"),
        }
    }
}

impl Wrong {
    /// A board or a move that the rules of the game forbid, in the rows with this key.
    pub(crate) fn of_game(key: [u8; 16], kind: FaultKind) -> Wrong {
        let both = u128::from_be_bytes(key);
        let (player, opponent) = ((both >> 64) as u64, both as u64);
        Wrong::Game(obook_converters::Fault {
            player,
            opponent,
            kind,
        })
    }
}
