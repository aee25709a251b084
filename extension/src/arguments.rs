//! The arguments of a call, read as what they should be.

use crate::board::{Given, described};
use crate::problem::{Problem, Result};
use obook_games::names::read_line;
use obook_model::Engine;
use obook_othello::{Line, Move};
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
            ValueRef::Text(text) => {
                let text = std::str::from_utf8(text).map_err(Problem::new)?;
                read_line(text).map_err(Problem::new)
            }
            other => Err(Problem::new(format!(
                "expected moves from the start such as 'f5d6c3', found {}",
                described(other)
            ))),
        }
    }

    /// A number from 0 to 255: `what` says what it stands for.
    pub(crate) fn small(&self, index: usize, what: &str) -> Result<u8> {
        read_number(self.value(index), what, 0..=255)
    }

    /// An engine, by its number or name in the table `engines`; Edax where it is left out.
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

/// A move, by its number or its name.
pub(crate) fn read_move(value: ValueRef<'_>) -> Result<Move> {
    let read = match value {
        ValueRef::Integer(code) => u8::try_from(code).ok().and_then(Move::from_code),
        ValueRef::Text(name) => {
            let name = std::str::from_utf8(name).map_err(Problem::new)?;
            return name.trim().parse().map_err(Problem::new);
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

/// A whole number in a range.
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

/// Makes a function known that depends on nothing but its arguments; of NULL it is NULL, as SQL's own functions are.
///
/// `counts` are the numbers of arguments that it takes.
pub(crate) fn function<T: ToSql + 'static>(
    connection: &Connection,
    name: &'static str,
    counts: &[i32],
    answer: fn(&Arguments<'_, '_>) -> Result<T>,
) -> rusqlite::Result<()> {
    // Innocuous: it may stand in views, triggers and indexes, since it reads nothing and changes nothing.
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

/// The name of an attached database.
pub(crate) fn schema_name(value: Option<ValueRef<'_>>) -> Result<Option<&str>> {
    match value {
        None => Ok(None),
        Some(ValueRef::Text(name)) => std::str::from_utf8(name).map(Some).map_err(Problem::new),
        Some(_) => Err(Problem::new("expected the name of an attached database")),
    }
}
