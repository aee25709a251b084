//! The ratings of all positions.

use crate::ratings::played::{Layer, PlayedPosition, PlayedPositions, count, mean};
use obook_base::ratings::{Rating, Settings};
use obook_othello::CanonicalBoard;
use std::collections::HashMap;

/// Rates all positions, beginning with the fewest empty squares, and passes each to `found`. The time grows with the number of
/// positions and their moves. Memory, besides the positions, holds the ratings of two layers.
///
/// Moves without a following position, which no real game has, are ignored. A position with only such moves has no rating.
pub fn for_each(
    plays: &mut PlayedPositions,
    settings: &Settings,
    mut found: impl FnMut(&PlayedPosition, Rating),
) {
    let mut below = Ratings::default();
    for layer in plays.layers() {
        let mut here = Ratings::default();
        // A pass leads to a position with a move in the same layer.
        for passes in [false, true] {
            let passed = |play: &&PlayedPosition| play.board.board().must_pass() == passes;
            for play in layer.plays.iter().filter(passed) {
                let after = if passes { &here } else { &below };
                if let Some(rating) = rate(play, layer, after, settings) {
                    found(play, rating);
                    here.insert(play.board, rating);
                }
            }
        }
        below = here;
    }
}

/// The ratings of a layer.
type Ratings = HashMap<CanonicalBoard, Rating>;

fn rate(
    play: &PlayedPosition,
    layer: &Layer,
    after: &Ratings,
    settings: &Settings,
) -> Option<Rating> {
    let board = play.board.board();
    let ended = layer.ends.get(&play.board).copied();
    let passes = board.must_pass() && play.count() > ended.map_or(0, count);
    let passed = passes.then(|| board.passed());
    let placed = play.squares.iter().filter_map(|square| board.place(square));
    let boards = placed.chain(passed).map(|child| child.canonical());
    let children: Vec<Rating> = boards.filter_map(|it| after.get(&it).copied()).collect();
    let ended = ended.map(mean);
    Rating::of_moves(settings, board.ply() + 1, play.legal(), &children, ended)
}
