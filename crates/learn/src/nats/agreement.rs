//! Whether two answers to the same question agree.

use obook_engine::{Answer, Request};
use obook_othello::Engine;
use obook_othello::levels::is_solved;

/// How far two inexact scores of an outside engine may differ, in discs. Machines may have different builds, with different
/// evaluations.
const TOLERANCE: i16 = 4;

/// Whether both answers may be right. Exact scores must be equal. Answers of the built-in engine must have the same score and
/// move, since it finds the same on all machines.
pub(crate) fn agree(request: &Request, one: &Answer, other: &Answer) -> bool {
    let difference = (i16::from(one.score) - i16::from(other.score)).abs();
    let empties = request.board().empties() as u8;
    match one.engine {
        Engine::Obook => difference == 0 && one.mv == other.mv,
        engine if is_solved(engine, request.level(), empties) => difference == 0,
        _ => difference <= TOLERANCE,
    }
}
