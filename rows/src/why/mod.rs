//! Why a position is worth what it is: which scores decide, and what it would take to change the value.
//!
//! A value comes from *payoffs*: scores that are not computed from others, at most one a position. By the rules of the book it is
//! the leaf, the final score of a game, or, where nothing else counts, what the position's own search said. All other numbers
//! follow from them, since a value is the best of its payoff and of its children's values, seen by the other side.
//!
//! So every question about a value is one about payoffs, and a move that is far behind the best one has no say in it. What is read
//! are the positions near best play, and of those no more than so many.

mod answer;
mod line;
mod lowering;
mod node;
mod reader;
mod shifts;
mod unexplained;

pub use answer::{Addition, Alternative, Lead, Lowering, Payoff, PayoffKind, Shift, Step, Why};
pub use node::Rules;
pub use unexplained::Unexplained;

use line::PrincipalLine;
use lowering::lowering;
use obook_model::Position;
use obook_othello::{Board, CanonicalBoard};
use reader::Reader;
use shifts::shifts;

/// Explains what a position is worth to its side to move: `look_up` gives the positions of the book, of which no more than
/// `most` are read beside those of the line that carries the value.
///
/// ```
/// use obook_converters::Header;
/// use obook_model::{Engine, Leaf, Position, RuleSet};
/// use obook_othello::Board;
/// use obook_rows::why::{Rules, explain};
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
/// assert_eq!(why.shifts.len(), 4, "whatever the leaf does, the value does");
/// # Ok::<(), obook_rows::why::Unexplained<String>>(())
/// ```
///
/// # Errors
/// [`Unexplained`], where the book does not hold the position, or numbers on the way do not follow from those below them.
pub fn explain<E, F>(
    look_up: F,
    board: Board,
    rules: Rules,
    most: u64,
) -> Result<Why, Unexplained<E>>
where
    F: FnMut(CanonicalBoard) -> Result<Option<Position>, E>,
{
    let mut reader = Reader::new(look_up, rules, board, most);
    let root = reader.root()?;
    let line = PrincipalLine::follow(&mut reader, root)?;
    // First what reads the least.
    let lowering = lowering(&mut reader, root)?;
    let (shifts, complete_to) = shifts(&mut reader, root)?;
    Ok(Why {
        value: reader.node(root).value,
        line: line.steps(&reader),
        payoff: reader.payoff(line.last()),
        beside: line.beside(&reader),
        shifts,
        complete_to,
        additions: line.additions(&reader),
        lowering,
        read: reader.len() as u64,
    })
}
