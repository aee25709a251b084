//! The ratings of all positions.

use crate::ratings::played::{Layer, PlayedPosition, PlayedPositions, count, mean};
use obook_base::ratings::{Rating, Settings};
use obook_othello::{Board, CanonicalBoard};

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
            let rated: Vec<(CanonicalBoard, Rating)> = layer
                .plays
                .iter()
                .filter(passed)
                .filter_map(|play| {
                    let after = if passes { &here } else { &below };
                    let rating = rate(play, layer, after, settings)?;
                    found(play, rating);
                    Some((play.board, rating))
                })
                .collect();
            here.0.push(rated);
        }
        below = here;
    }
}

/// The ratings of a layer: positions with a move, then positions that must pass, each sorted by board.
#[derive(Default)]
struct Ratings(Vec<Vec<(CanonicalBoard, Rating)>>);

impl Ratings {
    fn of(&self, board: Board) -> Option<Rating> {
        let board = board.canonical();
        let find = |rated: &Vec<(CanonicalBoard, Rating)>| {
            let at = rated.binary_search_by_key(&board, |(board, _)| *board);
            at.ok().map(|at| rated[at].1)
        };
        self.0.iter().find_map(find)
    }
}

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
    let children = placed.chain(passed).filter_map(|child| after.of(child));
    let children: Vec<Rating> = children.collect();
    let ended = ended.map(mean);
    Rating::of_moves(settings, board.ply() + 1, play.legal(), &children, ended)
}
