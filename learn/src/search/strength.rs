//! Levels of one engine that are as strong as those of another.

use obook_graph::mapping::demands::MAX_LEVEL;
use obook_model::Engine;
use obook_model::levels::Strength;
use obook_othello::CanonicalBoard;
use obook_store::Lost;

/// The lowest level, of this engine and this at least, that is as strong as the search whose leaf was lost.
pub(crate) fn as_strong_as(lost: Lost, engine: Engine, level: u8, board: CanonicalBoard) -> u8 {
    let empties = board.board().empties() as u8;
    let wanted = Strength::new(lost.engine, Some(lost.level), empties);
    let is_enough = |level: &u8| Strength::new(engine, Some(*level), empties) >= wanted;
    (level..MAX_LEVEL).find(is_enough).unwrap_or(MAX_LEVEL)
}
