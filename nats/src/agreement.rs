//! When two answers to one question agree.

use obook_engine::{Answer, Request};
use obook_model::Engine;
use obook_model::levels::is_solved;

/// Scores of an engine outside may differ by so many discs where the search proves nothing: machines may have other builds of it,
/// with other evaluations.
const TOLERANCE: i16 = 4;

/// Whether both may be right. Scores that a search proves are equal; so are those of the engine inside, and their moves, since
/// it finds the same on all machines.
pub(crate) fn agree(request: &Request, one: &Answer, other: &Answer) -> bool {
    let apart = (i16::from(one.score) - i16::from(other.score)).abs();
    let empties = request.board().empties() as u8;
    match one.engine {
        Engine::Obook => apart == 0 && one.mv == other.mv,
        engine if is_solved(engine, request.level(), empties) => apart == 0,
        Engine::Edax | Engine::Egaroucid => apart <= TOLERANCE,
    }
}
