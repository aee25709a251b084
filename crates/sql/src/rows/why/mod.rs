//! Why a position has its value: which scores decide, and what it would take to change it.
//!
//! A value comes from *payoffs*: scores that aren't computed from others, at most one per position. Depending on the book's rules
//! that is the leaf, the final score of a game or, if there is nothing else, the score of the position's own search. All other
//! numbers follow from them: a value is the best of the position's payoff and its children's negated values, within what is
//! proven. Where that limits it, the proven bound decides.
//!
//! So every question about a value is one about payoffs, and moves far behind the best one don't matter. Only positions near best
//! play are read, up to a limit.

mod answer;
mod line;
mod lowering;
mod reader;
mod shifts;

pub use answer::{
    Addition, Alternative, Lead, Lowering, Payoff, PayoffKind, Shift, Step, Unexplained, Why,
};
pub use reader::Rules;

use line::{additions, beside, principal_line, steps};
use lowering::lowering;
use obook_othello::{Board, CanonicalBoard, Position};
use reader::Reader;
use shifts::shifts;

/// Explains a position's value for its side to move. `look_up` returns positions of the book. Besides those of the principal line,
/// at most `most` are read.
///
/// ```
/// use obook_converters::Header;
/// use obook_othello::{Board, Engine, Leaf, Position, RuleSet};
/// use obook_sql::rows::why::{Rules, explain};
///
/// // A book of one position.
/// let mut start = Position::new(Board::START.canonical(), Engine::Edax);
/// start.value = Some(1);
/// let mv = start.board.board().moves().next();
/// start.leaf = Some(Leaf { mv, score: 1, level: Some(10), engine: Engine::Edax });
///
/// let rules = Rules::of(RuleSet::Edax, &Header::default());
/// let look_up = |board| Ok::<_, String>((board == start.board).then(|| start.clone()));
/// let why = explain(look_up, Board::START, rules, 100)?;
/// assert_eq!((why.value, why.payoff.error), (1, Some(2)));
/// assert_eq!(why.shifts.len(), 4, "the value follows the leaf");
/// # Ok::<(), obook_sql::rows::why::Unexplained<String>>(())
/// ```
///
/// # Errors
/// Returns [`Unexplained`] if the position isn't in the book, or a number on the way doesn't follow from those below it.
pub fn explain<E>(
    mut look_up: impl FnMut(CanonicalBoard) -> Result<Option<Position>, E>,
    board: Board,
    rules: Rules,
    most: u64,
) -> Result<Why, Unexplained<E>> {
    let mut reader = Reader::new(&mut look_up, rules, most);
    let root = reader.root(board)?;
    let line = principal_line(&mut reader, root)?;
    let last = line[line.len() - 1];
    // Start with whatever reads the fewest positions.
    let lowering = lowering(&mut reader, root)?;
    let (shifts, complete_to) = shifts(&mut reader, root)?;
    Ok(Why {
        value: reader.node(root).value,
        line: steps(&reader, &line),
        payoff: reader.deciding(last),
        beside: beside(&reader, last),
        shifts,
        complete_to,
        additions: additions(&reader, &line),
        lowering,
        read: reader.nodes.len() as u64,
    })
}
