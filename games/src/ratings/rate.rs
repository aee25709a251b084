//! The formulas for all positions, each after those that follow it.

use crate::ratings::formula::{Method, Settings};
use crate::ratings::plays::{Layer, Play, Plays, count, mean};
use obook_othello::{Board, CanonicalBoard};

/// A position's ratings, for the side to move.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating([f64; 3]);

impl Rating {
    /// By one of the methods, 0 to 1.
    #[must_use]
    pub const fn of(&self, method: Method) -> f64 {
        self.0[method as usize]
    }
}

/// Rates all positions, those with the fewest empty squares first. The work grows with the positions and their moves; beside
/// the positions it keeps the ratings of two layers.
///
/// Moves that lead nowhere, which no game makes, don't count; a position with no others has no rating.
pub fn for_each(plays: &mut Plays, settings: &Settings, mut found: impl FnMut(&Play, Rating)) {
    let mut below = Ratings::default();
    for layer in plays.layers() {
        let mut here = Ratings::default();
        // A pass leads to a position of the same layer, in which there is a move.
        for passes in [false, true] {
            let passed = |play: &&Play| play.board.board().must_pass() == passes;
            let rated: Vec<(CanonicalBoard, Rating)> = layer
                .plays()
                .iter()
                .filter(passed)
                .filter_map(|play| {
                    let after = if passes { &here } else { &below };
                    let rating = rate(play, layer, after, settings)?;
                    found(play, rating);
                    Some((play.board, rating))
                })
                .collect();
            here.add(rated);
        }
        below = here;
    }
}

/// The ratings of a layer: those of positions with a move, and those of pass positions, each in the order of the boards.
#[derive(Default)]
struct Ratings(Vec<Vec<(CanonicalBoard, Rating)>>);

impl Ratings {
    fn add(&mut self, rated: Vec<(CanonicalBoard, Rating)>) {
        self.0.push(rated);
    }

    fn of(&self, board: Board) -> Option<Rating> {
        let board = board.canonical();
        let find = |rated: &Vec<(CanonicalBoard, Rating)>| {
            let at = rated.binary_search_by_key(&board, |(board, _)| *board);
            at.ok().map(|at| rated[at].1)
        };
        self.0.iter().find_map(find)
    }
}

fn rate(play: &Play, layer: &Layer, after: &Ratings, settings: &Settings) -> Option<Rating> {
    let board = play.board.board();
    let ended = layer.ended(play.board);
    let passes = board.must_pass() && play.count() > ended.map_or(0, count);
    let passed = passes.then(|| board.passed());
    let placed = play.squares.iter().filter_map(|square| board.place(square));
    let children = placed.chain(passed).filter_map(|child| after.of(child));
    let children: Vec<Rating> = children.collect();
    if children.is_empty() && ended.is_none() {
        return None;
    }
    let legal = play.legal() + usize::from(ended.is_some());
    let depth = board.ply() + 1;
    Some(Rating(Method::ALL.map(|method| {
        let end = ended.map(|games| settings.leaf(method, mean(games)));
        match end {
            Some(end) if children.is_empty() => end,
            _ => {
                let worths = children.iter().map(|child| 1.0 - child.of(method));
                let worths: Vec<f64> = worths.chain(end).collect();
                settings.worth(method, depth, legal, &worths)
            }
        }
    })))
}
