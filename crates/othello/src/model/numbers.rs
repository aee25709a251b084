//! The numbers of a position that follow from the positions below it, as columns of a table.

use crate::{Bounds, Engine, Position, Proof};

/// A number of a position that negamax computes.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    /// Its column in table `positions`.
    pub name: &'static str,
    /// Its value; `None` if it's unknown.
    pub of: fn(&Position) -> Option<i64>,
}

/// A row of [`NUMBERS`].
const fn number(name: &'static str, of: fn(&Position) -> Option<i64>) -> Number {
    Number { name, of }
}

/// All these numbers, in the order of their columns. [`set_numbers`] reads them.
pub const NUMBERS: [Number; 10] = [
    number("value", |it| it.value.map(i64::from)),
    number("lower", |it| it.bounds.map(|bounds| bounds.lower.into())),
    number("upper", |it| it.bounds.map(|bounds| bounds.upper.into())),
    number("wins", |it| it.outcomes.map(|lines| lines.wins.into())),
    number("draws", |it| it.outcomes.map(|lines| lines.draws.into())),
    number("losses", |it| it.outcomes.map(|lines| lines.losses.into())),
    number("lines", |it| it.lines.map(i64::from)),
    number("proven_lower", |it| {
        it.proof.map(|proof| proof.lower().into())
    }),
    number("proven_upper", |it| {
        it.proof.map(|proof| proof.upper().into())
    }),
    number("prover", |it| it.proof.map(|proof| proof.prover().number())),
];

/// Sets the numbers of a position, given in the order of [`NUMBERS`]. Of numbers that belong together, such as the two bounds, none
/// is set unless all are known.
///
/// ```
/// use obook_othello::{Bounds, Engine, NUMBERS, Position, set_numbers};
/// # use obook_othello::Board;
/// let mut position = Position::new(Board::START.canonical(), Engine::Edax);
/// let cells = [Some(2), Some(-1), Some(4), None, None, None, Some(12), None, None, None];
/// set_numbers(&mut position, cells)?;
/// assert_eq!(position.bounds, Some(Bounds { lower: -1, upper: 4 }));
/// assert_eq!(NUMBERS.map(|number| (number.of)(&position)), cells);
///
/// let error = set_numbers(&mut position, cells.map(|cell| cell.map(|_| -5))).unwrap_err();
/// assert_eq!(error.to_string(), "column lines: -5 is out of range");
/// # Ok::<(), obook_othello::OutOfRange>(())
/// ```
///
/// # Errors
/// Returns [`OutOfRange`] if no position can have one of the numbers.
pub fn set_numbers(
    position: &mut Position,
    cells: [Option<i64>; NUMBERS.len()],
) -> Result<(), OutOfRange> {
    position.value = fit(&cells, 0)?;
    let bounds = fit(&cells, 1)?.zip(fit(&cells, 2)?);
    position.bounds = bounds.map(|(lower, upper)| Bounds { lower, upper });
    let outcomes = fit(&cells, 3)?.zip(fit(&cells, 4)?).zip(fit(&cells, 5)?);
    position.outcomes = outcomes.map(|((wins, draws), losses)| [wins, draws, losses].into());
    position.lines = fit(&cells, 6)?;
    position.proof = match (fit(&cells, 7)?, fit(&cells, 8)?, cells[9]) {
        (Some(lower), Some(upper), Some(prover)) => {
            let prover = Engine::from_number(prover).ok_or_else(|| out_of_range(&cells, 9))?;
            let proof = Proof::new(lower, upper, prover);
            Some(proof.ok_or_else(|| out_of_range(&cells, 8))?)
        }
        _ => None,
    };
    Ok(())
}

/// The number in this place, if it's known.
fn fit<T: TryFrom<i64>>(
    cells: &[Option<i64>; NUMBERS.len()],
    place: usize,
) -> Result<Option<T>, OutOfRange> {
    let fitted = cells[place].map(T::try_from).transpose();
    fitted.map_err(|_| out_of_range(cells, place))
}

fn out_of_range(cells: &[Option<i64>; NUMBERS.len()], place: usize) -> OutOfRange {
    OutOfRange {
        name: NUMBERS[place].name,
        found: cells[place].unwrap_or_default(),
    }
}

/// A number that no position can have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("column {name}: {found} is out of range")]
pub struct OutOfRange {
    /// Its column.
    pub name: &'static str,
    /// The number.
    pub found: i64,
}
