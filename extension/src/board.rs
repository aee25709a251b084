//! A board, in any of the ways in which SQL may give it.

use crate::problem::{Problem, Result};
use obook_othello::{Board, CanonicalBoard, Line, Side};
use rusqlite::types::ValueRef;

/// A board as it was given, with its orientation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Given {
    pub(crate) board: Board,
    /// Whose turn it is; black where it is not said, since a key knows no colours.
    pub(crate) side: Side,
    /// The moves that lead to it, where it was given by moves.
    pub(crate) line: String,
}

impl Given {
    pub(crate) fn read(value: ValueRef<'_>) -> Result<Given> {
        let black = |board| Given {
            board,
            side: Side::Black,
            line: String::new(),
        };
        match value {
            ValueRef::Blob(key) => from_key(key).map(black),
            ValueRef::Text(text) => {
                let text = std::str::from_utf8(text).map_err(Problem::new)?;
                match Notation::of(text) {
                    Notation::Key(key) => from_key(&key).map(black),
                    Notation::Moves => {
                        let line: Line = text.parse().map_err(Problem::new)?;
                        Ok(Given {
                            board: line.board(),
                            side: line.side(),
                            line: line.to_string(),
                        })
                    }
                    Notation::Squares => text.parse().map(black).map_err(Problem::new),
                }
            }
            other => Err(Problem::new(format!(
                "expected a board: a key, moves such as 'f5d6c3', or 64 squares; found {}",
                described(other)
            ))),
        }
    }

    pub(crate) fn canonical(&self) -> CanonicalBoard {
        self.board.canonical()
    }
}

/// What a text may be.
enum Notation {
    Moves,
    Squares,
    Key([u8; 16]),
}

impl Notation {
    fn of(text: &str) -> Notation {
        // No move has these, and hardly a key lacks them: its first bits are the smallest of eight boards.
        let no_move = |c: char| matches!(c, '0' | '9');
        if text.len() == 32
            && text.contains(no_move)
            && let Ok(key) = u128::from_str_radix(text, 16)
        {
            return Notation::Key(key.to_be_bytes());
        }
        // Every line begins with a square; the letters of discs go with no digit but a nought.
        let is_rank = |c: char| ('1'..='8').contains(&c);
        if text.trim().is_empty() || text.contains(is_rank) || text.trim().len() < 16 {
            Notation::Moves
        } else {
            Notation::Squares
        }
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
