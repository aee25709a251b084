//! The arguments of a call, converted to what they stand for.

use crate::problem::{Problem, Result};
use obook_games::names::read_line;
use obook_model::Engine;
use obook_othello::{Board, CanonicalBoard, Line, Move, Side};
use rusqlite::Connection;
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::{ToSql, ValueRef};

/// The arguments of a scalar function; none of them is NULL.
pub(crate) struct Arguments<'a, 'c>(&'a Context<'c>);

impl Arguments<'_, '_> {
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn value(&self, index: usize) -> ValueRef<'_> {
        self.0.get_raw(index)
    }

    pub(crate) fn board(&self, index: usize) -> Result<Given> {
        Given::read(self.value(index))
    }

    pub(crate) fn mv(&self, index: usize) -> Result<Move> {
        read_move(self.value(index))
    }

    pub(crate) fn line(&self, index: usize) -> Result<Line> {
        match self.value(index) {
            ValueRef::Text(text) => read_line(read_text(text)?).map_err(Problem::new),
            other => Err(Problem::new(format!(
                "expected moves from the start such as 'f5d6c3', found {}",
                described(other)
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
            ValueRef::Integer(number) => Engine::from_code(number),
            ValueRef::Text(name) => Engine::ALL
                .into_iter()
                .find(|engine| name.eq_ignore_ascii_case(engine.name().as_bytes())),
            _ => None,
        };
        known.ok_or_else(|| {
            let known = Engine::ALL.map(|engine| format!("{} or '{engine}'", engine.code()));
            Problem::new(format!(
                "expected an engine: {}; found {}",
                known.join(", "),
                described(self.value(index))
            ))
        })
    }
}

/// The maximum length of a text that stands for a board, a move or a name, in bytes.
const LONGEST_TEXT: usize = 4096;
/// The number of characters of a text that an error message shows.
const SHOWN: usize = 64;

/// Reads a text, if it isn't too long: SQL functions must not take long.
pub(crate) fn read_text(text: &[u8]) -> Result<&str> {
    if text.len() > LONGEST_TEXT {
        let length = text.len();
        return Err(Problem::new(format!(
            "a text of {length} bytes; the maximum is {LONGEST_TEXT}"
        )));
    }
    std::str::from_utf8(text).map_err(Problem::new)
}

/// Reads a move, by its number or its name.
pub(crate) fn read_move(value: ValueRef<'_>) -> Result<Move> {
    let read = match value {
        ValueRef::Integer(code) => u8::try_from(code).ok().and_then(Move::from_code),
        ValueRef::Text(name) => {
            return read_text(name)?.trim().parse().map_err(Problem::new);
        }
        _ => None,
    };
    read.ok_or_else(|| {
        let found = described(value);
        Problem::new(format!(
            "expected a move: 0 to 63 for a1 to h8, 64 for a pass, or a name such as 'f5'; found {found}"
        ))
    })
}

/// Reads a whole number in a range.
pub(crate) fn read_number<T: TryFrom<i64>>(
    value: ValueRef<'_>,
    what: &str,
    range: std::ops::RangeInclusive<i64>,
) -> Result<T> {
    let number = match value {
        ValueRef::Integer(number) if range.contains(&number) => T::try_from(number).ok(),
        _ => None,
    };
    number.ok_or_else(|| {
        let (least, most) = (range.start(), range.end());
        let found = described(value);
        Problem::new(format!(
            "expected {what} from {least} to {most}, found {found}"
        ))
    })
}

/// Registers a function that depends only on its arguments. If one of them is NULL, so is the result, as for SQL's own functions.
///
/// `counts` lists the numbers of arguments that it takes.
pub(crate) fn function<T: ToSql + 'static>(
    connection: &Connection,
    name: &'static str,
    counts: &[i32],
    answer: fn(&Arguments<'_, '_>) -> Result<T>,
) -> rusqlite::Result<()> {
    // Innocuous: it may be used in views, triggers and indexes, since it reads and changes nothing.
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    for count in counts {
        connection.create_scalar_function(name, *count, flags, move |context| {
            let null = (0..context.len()).any(|at| context.get_raw(at) == ValueRef::Null);
            if null {
                return Ok(None);
            }
            let answer = answer(&Arguments(context));
            answer.map(Some).map_err(|problem| {
                rusqlite::Error::UserFunctionError(Box::new(problem.within(name)))
            })
        })?;
    }
    Ok(())
}

/// Reads the name of an attached database.
pub(crate) fn schema_name(value: Option<ValueRef<'_>>) -> Result<Option<&str>> {
    match value {
        None => Ok(None),
        Some(ValueRef::Text(name)) => read_text(name).map(Some),
        Some(_) => Err(Problem::new("expected the name of an attached database")),
    }
}

/// A board as given, in its orientation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Given {
    pub(crate) board: Board,
    /// The side to move; Black for keys, which have no colours.
    pub(crate) side: Side,
    /// The moves that lead to it, if given.
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
        .map_err(|overlap| Problem::new(format!("{both:032X} is not a board: {overlap}")))
}

/// Describes a value for an error message.
pub(crate) fn described(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::from("NULL"),
        ValueRef::Integer(number) => format!("the number {number}"),
        ValueRef::Real(number) => format!("the number {number}"),
        ValueRef::Text(text) => {
            let start = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)]);
            let shown: String = start.chars().take(SHOWN).collect();
            let rest = if shown.len() < text.len() { "…" } else { "" };
            format!("“{}{rest}”", shown.escape_debug())
        }
        ValueRef::Blob(blob) => format!("a blob of {} bytes", blob.len()),
    }
}
