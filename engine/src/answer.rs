//! What an engine answers.

use obook_model::Engine;
use obook_othello::Move;
use std::time::Duration;

/// The best move that was not left out, what it is worth, and how that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The move; a pass where the rules demand one.
    pub mv: Move,
    /// Disc difference for the side to move, −64 to 64: the winner gets the empty squares.
    pub score: i8,
    /// Plies that were searched, this move among them.
    pub depth: u8,
    /// Confidence that the pruning made no error, in percent: 100 is a full search. `None`: the engine does not say.
    pub probability: Option<u8>,
    /// Whether the score is exact: the search reached the end of the game and pruned nothing that could matter.
    pub proven: bool,
    /// Whether the search was finished. A search that a limit ended answers with the last depth that was finished.
    pub complete: bool,
    /// The best line from here, this move first; empty where the engine tells none.
    pub variation: Vec<Move>,
    /// Positions that were visited. `None`: the engine does not say.
    pub nodes: Option<u64>,
    /// Wall-clock time of the search.
    pub time: Duration,
    /// On whose scale the level is.
    pub engine: Engine,
    /// The level that was asked for.
    pub level: u8,
}
