//! The meaning of a call's arguments.

use obook_base::sql::{Problem, Result, Value, read_text};
use obook_games::names;
use obook_othello::{Board, CanonicalBoard, Engine, Line, Move, Side};

/// Reads moves from the start, or the name of an opening.
pub(crate) fn read_line(value: Value<'_>) -> Result<Line> {
    let Value::Text(text) = value else {
        let what = "moves from the start such as 'f5d6c3'";
        return Err(Problem::expected(what, value));
    };
    names::read_line(read_text(text)?).map_err(Problem::new)
}

/// Reads part of a name.
pub(crate) fn read_part(value: Value<'_>) -> Result<String> {
    match value {
        Value::Text(text) => Ok(String::from_utf8_lossy(text).into_owned()),
        other => Err(Problem::expected("part of a name", other)),
    }
}

/// Reads an engine, by its number or name in table `engines`; Edax by default.
pub(crate) fn read_engine(value: Option<Value<'_>>) -> Result<Engine> {
    let Some(value) = value else {
        return Ok(Engine::Edax);
    };
    let known = match value {
        Value::Integer(number) => Engine::from_number(number),
        Value::Text(name) => Engine::ALL
            .into_iter()
            .find(|engine| name.eq_ignore_ascii_case(engine.name().as_bytes())),
        _ => None,
    };
    known.ok_or_else(|| {
        let known = Engine::ALL.map(|engine| format!("{} or '{engine}'", engine.number()));
        Problem::new(format!(
            "expected an engine: {}; found {value}",
            known.join(", ")
        ))
    })
}

/// Reads a move, by its number or its name.
pub(crate) fn read_move(value: Value<'_>) -> Result<Move> {
    let read = match value {
        Value::Integer(code) => u8::try_from(code).ok().and_then(Move::from_code),
        Value::Text(name) => return read_text(name)?.trim().parse().map_err(Problem::new),
        _ => None,
    };
    read.ok_or_else(|| {
        Problem::new(format!(
            "expected a move: 0 to 63 for a1 to h8, 64 for a pass, or a name such as 'f5'; found {value}"
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
            Value::Text(_) => {
                let line = read_line(value)?;
                Ok(Given {
                    board: line.board(),
                    side: line.side(),
                    line: match line.is_from_start() {
                        true => line.to_string(),
                        false => line.moves().iter().map(ToString::to_string).collect(),
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
