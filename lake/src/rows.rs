//! Rows of a lake as positions, links and leaves.

use crate::values::{value, wrong};
use datafusion::arrow::array::ArrayRef;
use datafusion::common::Result;
use obook_othello::{CanonicalBoard, Engine, Leaf, Move, NUMBERS, Position, set_numbers};
use obook_sql::functions::Value;

/// The columns of table positions with numbers that negamax computes.
pub(crate) fn number_columns() -> [&'static str; NUMBERS.len()] {
    NUMBERS.map(|number| number.name)
}

/// The columns of table positions that [`position`] reads, in its order.
pub(crate) fn position_columns() -> impl Iterator<Item = &'static str> {
    let numbers = ["board"].into_iter().chain(number_columns());
    numbers.chain(["level", "engine"])
}

/// The columns of table leaves that [`leaf`] reads, in its order.
pub(crate) const LEAF: [&str; 4] = ["move", "score", "level", "engine"];

/// A number that a type can hold, or NULL.
pub(crate) fn number<T: TryFrom<i64>>(
    column: &ArrayRef,
    row: usize,
    name: &str,
) -> Result<Option<T>> {
    match value(column, row) {
        Value::Null => Ok(None),
        Value::Integer(number) => match T::try_from(number) {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(wrong(format!("column {name}: {number} is out of range"))),
        },
        other => Err(wrong(format!(
            "column {name}: expected a number, found {other}"
        ))),
    }
}

fn engine(column: &ArrayRef, row: usize) -> Result<Option<Engine>> {
    let Some(code) = number::<i64>(column, row, "engine")? else {
        return Ok(None);
    };
    let engine = Engine::from_number(code);
    let engine = engine.ok_or_else(|| wrong(format!("{code} is the number of no engine")))?;
    Ok(Some(engine))
}

pub(crate) fn board(column: &ArrayRef, row: usize) -> Result<CanonicalBoard> {
    let key = match value(column, row) {
        Value::Blob(key) => <[u8; 16]>::try_from(key).ok(),
        _ => None,
    };
    let board = key.and_then(|key| CanonicalBoard::from_key(key).ok().flatten());
    board.ok_or_else(|| wrong(format!("{} is no key of a position", value(column, row))))
}

/// The numbers of a position, from columns in the order of [`NUMBERS`].
pub(crate) fn numbers(
    board: CanonicalBoard,
    engine: Engine,
    columns: &[ArrayRef],
    row: usize,
) -> Result<Position> {
    let mut cells = [None; NUMBERS.len()];
    for (place, cell) in cells.iter_mut().enumerate() {
        *cell = number(&columns[place], row, NUMBERS[place].name)?;
    }
    let mut position = Position::new(board, engine);
    set_numbers(&mut position, cells).map_err(wrong)?;
    Ok(position)
}

/// A position without links and leaf, from [`position_columns`].
pub(crate) fn position(columns: &[ArrayRef], row: usize) -> Result<Position> {
    let [level, engine] = [0, 1].map(|place| &columns[1 + NUMBERS.len() + place]);
    let engine = self::engine(engine, row)?;
    let engine = engine.ok_or_else(|| wrong("a position without an engine"))?;
    Ok(Position {
        level: number(level, row, "level")?,
        ..numbers(board(&columns[0], row)?, engine, &columns[1..], row)?
    })
}

/// A position's leaf, from the columns [`LEAF`]. Its engine is the position's if it has none.
pub(crate) fn leaf(position: &Position, columns: &[ArrayRef], row: usize) -> Result<Leaf> {
    let score = number(&columns[1], row, LEAF[1])?;
    Ok(Leaf {
        mv: mv(&columns[0], row)?,
        score: score.ok_or_else(|| wrong("a leaf without a score"))?,
        level: number(&columns[2], row, LEAF[2])?,
        engine: engine(&columns[3], row)?.unwrap_or(position.engine),
    })
}

/// A move, or NULL.
pub(crate) fn mv(column: &ArrayRef, row: usize) -> Result<Option<Move>> {
    let Some(code) = number::<u8>(column, row, "move")? else {
        return Ok(None);
    };
    let mv = Move::from_code(code);
    mv.map(Some)
        .ok_or_else(|| wrong(format!("{code} is the number of no move")))
}
