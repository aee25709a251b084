//! Rows of a lake as positions, links and leaves.

use crate::values::value;
use datafusion::arrow::array::ArrayRef;
use datafusion::common::{DataFusionError, Result};
use obook_functions::Value;
use obook_model::{Bounds, Engine, Leaf, Outcomes, Position, Proof};
use obook_othello::{CanonicalBoard, Move};

/// The columns of table positions with numbers that negamax computes.
pub(crate) const NUMBERS: [&str; 10] = [
    "value",
    "lower",
    "upper",
    "wins",
    "draws",
    "losses",
    "lines",
    "proven_lower",
    "proven_upper",
    "prover",
];

/// The columns of table positions that [`position`] reads, in its order.
pub(crate) fn position_columns() -> impl Iterator<Item = &'static str> {
    ["board"]
        .into_iter()
        .chain(NUMBERS)
        .chain(["level", "engine"])
}

/// The columns of table leaves that [`leaf`] reads, in its order.
pub(crate) const LEAF: [&str; 4] = ["move", "score", "level", "engine"];

/// The error of a row that no book has.
pub(crate) fn wrong(problem: String) -> DataFusionError {
    DataFusionError::Execution(problem)
}

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
    let engine = Engine::from_code(code);
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
    let of = |place: usize| number::<i64>(&columns[place], row, NUMBERS[place]);
    let [lower, upper] = [1, 2].map(|place| number::<i16>(&columns[place], row, NUMBERS[place]));
    let [wins, draws, losses] =
        [3, 4, 5].map(|place| number::<u32>(&columns[place], row, NUMBERS[place]));
    let proof = match (of(7)?, of(8)?, self::engine(&columns[9], row)?) {
        (Some(lower), Some(upper), Some(prover)) => {
            let [lower, upper] = [lower, upper].map(i8::try_from);
            let proof = lower.ok().zip(upper.ok());
            let proof = proof.and_then(|(lower, upper)| Proof::new(lower, upper, prover));
            Some(proof.ok_or_else(|| wrong("proven bounds out of range".to_owned()))?)
        }
        _ => None,
    };
    let outcomes = wins?.zip(draws?).zip(losses?);
    Ok(Position {
        value: number(&columns[0], row, NUMBERS[0])?,
        bounds: lower?
            .zip(upper?)
            .map(|(lower, upper)| Bounds { lower, upper }),
        outcomes: outcomes.map(|((wins, draws), losses)| Outcomes {
            wins,
            draws,
            losses,
        }),
        lines: number(&columns[6], row, NUMBERS[6])?,
        proof,
        ..Position::new(board, engine)
    })
}

/// A position without links and leaf, from [`position_columns`].
pub(crate) fn position(columns: &[ArrayRef], row: usize) -> Result<Position> {
    let [level, engine] = [0, 1].map(|place| &columns[1 + NUMBERS.len() + place]);
    let engine = self::engine(engine, row)?;
    let engine = engine.ok_or_else(|| wrong("a position without an engine".to_owned()))?;
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
        score: score.ok_or_else(|| wrong("a leaf without a score".to_owned()))?,
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
