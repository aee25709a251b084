//! The moves and results of games in each position, by layer.

use crate::Score;
use obook_othello::{CanonicalBoard, Line, Move, Outcomes, Side, SquareSet};
use std::collections::BTreeMap;

/// The moves and results of games in a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlayedPosition {
    /// The position.
    pub board: CanonicalBoard,
    /// The squares played, in the orientation of the board; of squares that a symmetry of the board makes equal, the first.
    pub squares: SquareSet,
    /// The results of the games, for the side to move.
    pub games: Outcomes,
}

/// The positions of games. Memory grows with the number of positions, not of games.
#[derive(Clone, Debug)]
pub struct PlayedPositions {
    /// By the number of empty squares, 0 to 60.
    layers: Vec<Layer>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    /// Sorted by board and without duplicates up to `sorted`, then in the order added.
    pub(super) plays: Vec<PlayedPosition>,
    sorted: usize,
    /// The results of the games that ended in a position.
    pub(super) ends: BTreeMap<CanonicalBoard, Outcomes>,
}

/// A layer is sorted when it has at least this many new positions, and more than it had.
const NEW: usize = 4096;

impl Default for PlayedPositions {
    fn default() -> PlayedPositions {
        let layers = vec![Layer::default(); 65];
        PlayedPositions { layers }
    }
}

impl PlayedPositions {
    /// Adds a game with its result.
    pub fn add(&mut self, line: &Line, score: Score) {
        let result = |side: Side| side.for_black(score.get());
        for ((board, side), mv) in line.positions().zip(line.moves()) {
            let (canonical, symmetry) = board.canonicalize();
            self.push(canonical, Some(symmetry.play(*mv)), result(side));
        }
        self.push(line.board().canonical(), None, result(line.side()));
    }

    /// Adds a game in one position: its move, in the orientation of the board, or `None` if it ended there, and its result for the
    /// side to move.
    pub fn push(&mut self, board: CanonicalBoard, mv: Option<Move>, score: i8) {
        let none = Outcomes::default();
        let games = match score.signum() {
            1 => Outcomes { wins: 1, ..none },
            0 => Outcomes { draws: 1, ..none },
            _ => Outcomes { losses: 1, ..none },
        };
        let layer = &mut self.layers[board.board().empties() as usize];
        let mut squares = SquareSet::default();
        match mv.map(|mv| board.first_of_same(mv)) {
            Some(Move::Place(square)) => squares.0 = square.bit(),
            Some(Move::Pass) => {}
            None => *layer.ends.entry(board).or_default() += games,
        }
        layer.plays.push(PlayedPosition {
            board,
            squares,
            games,
        });
        if layer.plays.len() - layer.sorted > layer.sorted.max(NEW) {
            layer.sort();
        }
    }

    /// The position, if a game went through it. Requires [`PlayedPositions::sort`].
    pub(super) fn find(&self, board: CanonicalBoard) -> Option<&PlayedPosition> {
        let plays = &self.layers[board.board().empties() as usize].plays;
        let at = plays.binary_search_by_key(&board, |play| play.board);
        at.ok().map(|at| &plays[at])
    }

    pub(super) fn sort(&mut self) {
        self.layers.iter_mut().for_each(Layer::sort);
    }

    /// The layers, sorted, beginning with the fewest empty squares.
    pub(super) fn layers(&mut self) -> impl Iterator<Item = &Layer> {
        self.sort();
        self.layers.iter()
    }
}

impl Layer {
    fn sort(&mut self) {
        if self.sorted == self.plays.len() {
            return;
        }
        // Sorts the new part; the stable sort then merges two sorted runs.
        self.plays[self.sorted..].sort_by_key(|play| play.board);
        self.plays.sort_by_key(|play| play.board);
        self.plays.dedup_by(|more, play| {
            let same = more.board == play.board;
            if same {
                play.squares.0 |= more.squares.0;
                play.games += more.games;
            }
            same
        });
        self.sorted = self.plays.len();
    }
}

impl PlayedPosition {
    /// The mean result for the side to move, from 0 to 1.
    #[must_use]
    pub fn mean(&self) -> f64 {
        mean(self.games)
    }

    /// The number of games.
    #[must_use]
    pub fn count(&self) -> u64 {
        count(self.games)
    }

    /// The number of legal moves, passes included. Moves that a symmetry of the board makes equal count once.
    #[must_use]
    pub fn legal(&self) -> usize {
        self.board.board().distinct_moves().count()
    }
}

pub(super) fn count(games: Outcomes) -> u64 {
    u64::from(games.wins) + u64::from(games.draws) + u64::from(games.losses)
}

/// The mean of results: 1 for a win, 1/2 for a draw.
pub(super) fn mean(games: Outcomes) -> f64 {
    (f64::from(games.wins) + f64::from(games.draws) / 2.0) / count(games) as f64
}
