//! The arguments of a call, converted to what they stand for.

use crate::{Problem, Result};
use obook_games::names::read_line;
use obook_model::Engine;
use obook_othello::{Board, CanonicalBoard, Line, Move, Side};
use std::fmt;

/// A value in SQL.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Value<'v> {
    /// NULL.
    Null,
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Real(f64),
    /// A text, which need not be UTF-8.
    Text(&'v [u8]),
    /// Bytes.
    Blob(&'v [u8]),
}

/// The arguments of a call.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a>(pub &'a [Value<'a>]);

impl<'a> Arguments<'a> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// An argument.
    ///
    /// # Panics
    /// If there are fewer.
    #[must_use]
    pub fn value(&self, index: usize) -> Value<'a> {
        self.0[index]
    }

    /// An argument that may be left out; NULL leaves it out too.
    #[must_use]
    pub fn optional(&self, index: usize) -> Option<Value<'a>> {
        let value = self.0.get(index).copied();
        value.filter(|value| *value != Value::Null)
    }

    /// A board.
    ///
    /// # Errors
    /// If the argument is none.
    ///
    /// # Panics
    /// As [`Arguments::value`].
    pub fn board(&self, index: usize) -> Result<Given> {
        Given::read(self.value(index))
    }

    pub(crate) fn mv(&self, index: usize) -> Result<Move> {
        read_move(self.value(index))
    }

    pub(crate) fn line(&self, index: usize) -> Result<Line> {
        match self.value(index) {
            Value::Text(text) => read_line(read_text(text)?).map_err(Problem::new),
            other => Err(Problem::new(format!(
                "expected moves from the start such as 'f5d6c3', found {other}"
            ))),
        }
    }

    /// A number from 0 to 255. `what` describes it for an error message.
    pub(crate) fn small(&self, index: usize, what: &str) -> Result<u8> {
        read_number(self.value(index), what, 0..=255)
    }

    /// An engine, by its number or name in table `engines`; Edax by default.
    pub(crate) fn engine(&self, index: usize) -> Result<Engine> {
        if index >= self.len() {
            return Ok(Engine::Edax);
        }
        let known = match self.value(index) {
            Value::Integer(number) => Engine::from_code(number),
            Value::Text(name) => Engine::ALL
                .into_iter()
                .find(|engine| name.eq_ignore_ascii_case(engine.name().as_bytes())),
            _ => None,
        };
        known.ok_or_else(|| {
            let known = Engine::ALL.map(|engine| format!("{} or '{engine}'", engine.code()));
            Problem::new(format!(
                "expected an engine: {}; found {}",
                known.join(", "),
                self.value(index)
            ))
        })
    }
}

/// The maximum length of a text that stands for a board, a move or a name, in bytes.
const LONGEST_TEXT: usize = 4096;
/// The number of characters of a text that an error message shows.
const SHOWN: usize = 64;

/// Reads a text, if it isn't too long: SQL functions must not take long.
///
/// # Errors
/// If it is too long or not UTF-8.
pub fn read_text(text: &[u8]) -> Result<&str> {
    if text.len() > LONGEST_TEXT {
        let length = text.len();
        return Err(Problem::new(format!(
            "a text of {length} bytes; the maximum is {LONGEST_TEXT}"
        )));
    }
    std::str::from_utf8(text).map_err(Problem::new)
}

/// Reads a move, by its number or its name.
pub(crate) fn read_move(value: Value<'_>) -> Result<Move> {
    let read = match value {
        Value::Integer(code) => u8::try_from(code).ok().and_then(Move::from_code),
        Value::Text(name) => {
            return read_text(name)?.trim().parse().map_err(Problem::new);
        }
        _ => None,
    };
    read.ok_or_else(|| {
        let found = value;
        Problem::new(format!(
            "expected a move: 0 to 63 for a1 to h8, 64 for a pass, or a name such as 'f5'; found {found}"
        ))
    })
}

/// Reads a whole number in a range; `what` names it in the error.
///
/// # Errors
/// If it is none, or not in the range.
pub fn read_number<T: TryFrom<i64>>(
    value: Value<'_>,
    what: &str,
    range: std::ops::RangeInclusive<i64>,
) -> Result<T> {
    let number = match value {
        Value::Integer(number) if range.contains(&number) => T::try_from(number).ok(),
        _ => None,
    };
    number.ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        let found = value;
        Problem::new(format!(
            "expected {what} from {least} to {most}, found {found}"
        ))
    })
}

/// A board as given, in its orientation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Given {
    /// The board.
    pub board: Board,
    /// The side to move; Black for keys, which have no colours.
    pub side: Side,
    /// The moves that lead to it, if given.
    pub line: String,
}

impl Given {
    /// Reads a board in any of its forms.
    ///
    /// # Errors
    /// If the value is none.
    pub fn read(value: Value<'_>) -> Result<Given> {
        match value {
            Value::Blob(key) => Ok(Given {
                board: from_key(key)?,
                side: Side::Black,
                line: String::new(),
            }),
            Value::Text(text) => {
                let line = read_line(read_text(text)?).map_err(Problem::new)?;
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
                "expected a board: a key, moves such as 'f5d6c3', the name of an opening, or 64 squares; found {other}"
            ))),
        }
    }

    /// The canonical board.
    #[must_use]
    pub fn canonical(&self) -> CanonicalBoard {
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
        .map_err(|overlap| Problem::new(format!("{both:032X} is not a board: {overlap}")))
}

/// Describes the value for an error message.
impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("NULL"),
            Value::Integer(number) => write!(f, "the number {number}"),
            Value::Real(number) => write!(f, "the number {number}"),
            Value::Text(text) => {
                let start = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)]);
                let shown: String = start.chars().take(SHOWN).collect();
                let rest = if shown.len() < text.len() { "…" } else { "" };
                write!(f, "“{}{rest}”", shown.escape_debug())
            }
            Value::Blob(blob) => write!(f, "a blob of {} bytes", blob.len()),
        }
    }
}
