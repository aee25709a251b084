//! A board, in any of the ways in which SQL may give it.

use crate::problem::{Problem, Result};
use obook_games::names::read_line;
use obook_othello::{Board, CanonicalBoard, Side};
use rusqlite::types::ValueRef;

/// A board as it was given, with its orientation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Given {
    pub(crate) board: Board,
    /// Whose turn it is; black where it is not said, since a key knows no colours.
    pub(crate) side: Side,
    /// The moves that lead to it, as far as they were given.
    pub(crate) line: String,
}

impl Given {
    pub(crate) fn read(value: ValueRef<'_>) -> Result<Given> {
        match value {
            ValueRef::Blob(key) => Ok(Given {
                board: from_key(key)?,
                side: Side::Black,
                line: String::new(),
            }),
            ValueRef::Text(text) => {
                let text = std::str::from_utf8(text).map_err(Problem::new)?;
                let line = read_line(text).map_err(Problem::new)?;
                Ok(Given {
                    board: line.board(),
                    side: line.side(),
                    line: if line.is_from_start() {
                        line.to_string()
                    } else {
                        line.moves().iter().map(ToString::to_string).collect()
                    },
                })
            }
            other => Err(Problem::new(format!(
                "expected a board: a key, moves such as 'f5d6c3', the name of an opening, or 64 squares; found {}",
                described(other)
            ))),
        }
    }

    pub(crate) fn canonical(&self) -> CanonicalBoard {
        self.board.canonical()
    }
}

fn from_key(key: &[u8]) -> Result<Board> {
    let key: [u8; 16] = key.try_into().map_err(|_| {
        let found = key.len();
        Problem::new(format!("a board's key has 16 bytes, this has {found}"))
    })?;
    let both = u128::from_be_bytes(key);
    Board::new((both >> 64) as u64, both as u64)
        .map_err(|overlap| Problem::new(format!("{both:032X} is no board: {overlap}")))
}

/// A value, for a message.
pub(crate) fn described(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::from("NULL"),
        ValueRef::Integer(number) => format!("the number {number}"),
        ValueRef::Real(number) => format!("the number {number}"),
        ValueRef::Text(text) => format!("“{}”", String::from_utf8_lossy(text).escape_debug()),
        ValueRef::Blob(blob) => format!("a blob of {} bytes", blob.len()),
    }
}
