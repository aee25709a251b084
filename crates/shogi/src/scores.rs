//! The own scores of a book's positions: by all moves between them, whatever the path.

use crate::book::{Book, BookMove};
use crate::draws::Draws;
use crate::positions::{Game, Positions};
use crate::{Board, Colour, Move};
use obook_cycles::{Graph, Own, Score, Scores, exact};
use rayon::prelude::*;
use std::collections::VecDeque;

/// The highest score: a mate, and what perpetual check costs.
pub const MATE: Score = 32_000;

/// The depth of a line that never ends.
pub const ENDLESS: u32 = 9_999;

/// The own scores of a book.
///
/// Every legal move from one position of the book to another counts, also if it isn't listed. What the book says about such a move
/// doesn't count, since the score of the position after it is known better. All other listed moves end a line with the score that the
/// book gives them, 0 if it gives none. A position repeats only with the same side to move. Perpetual check costs [`MATE`]; every
/// other repetition is a draw, worth 0 unless [something else](OwnScores::with_draws) is said.
#[derive(Clone, Debug)]
pub struct OwnScores {
    pub(crate) positions: Positions,
    solved: Solved,
    draws: Draws,
    /// The [games](Draws::games) of the two sides, solved.
    by_draws: Vec<(Score, Solved)>,
}

impl OwnScores {
    /// Computes the scores of a book. If it has several records of a position, the moves of all of them count, and of several scores
    /// of one move the last.
    #[must_use]
    pub fn new(book: &Book) -> Self {
        Self::of_positions(Positions::of(book))
    }

    /// Computes the scores of positions between which no moves are known yet.
    pub(crate) fn of_positions(mut positions: Positions) -> Self {
        positions.link();
        let solved = Solved::new(&positions.own_game());
        Self {
            positions,
            solved,
            draws: Draws::default(),
            by_draws: Vec::new(),
        }
    }

    /// The same scores with another worth of draws. [`OwnScores::of`] and [`OwnScores::moves`] then depend on the side to move. If the
    /// book has a position only with the other side to move, draws are worth 0 there.
    #[must_use]
    pub fn with_draws(mut self, draws: Draws) -> Self {
        let solved = |worth| {
            let game = draws.game(&self.positions, worth);
            (worth, Solved::new(&game))
        };
        self.by_draws = draws.games().into_iter().map(solved).collect();
        self.draws = draws;
        self
    }

    /// The own score of a position, for its side to move. `None` if it isn't in the book, or nothing is known about it: it has no
    /// moves, and isn't mate.
    #[must_use]
    pub fn of(&self, board: &Board) -> Option<Score> {
        let number = self.positions.number(board.key())?;
        match self.game(number, board.turn()) {
            None => self.score(number),
            Some((worth, solved)) => {
                let score = solved.score(node(number, board.turn()))?;
                Some(raised(score, board.turn().sign() * worth))
            }
        }
    }

    /// The own score of a position if draws are worth 0.
    pub(crate) fn score(&self, number: u32) -> Option<Score> {
        self.solved.score(number)
    }

    /// The moves of a position with their scores for the side to move, and their depths: the length of the best line, or
    /// [`ENDLESS`]. Highest scores come first, of equal ones the ones that make progress, and of these the shortest, or the longest if
    /// the score is below that of a draw. Of all that are as good in this way, the book's order decides.
    ///
    /// Empty if the position isn't in the book.
    #[must_use]
    pub fn moves(&self, board: &Board) -> Vec<BookMove> {
        let Some(number) = self.positions.number(board.key()) else {
            return Vec::new();
        };
        let turn = board.turn();
        let moves = self.moves_for(number, turn);
        let mut moves = moves.unwrap_or_else(|| self.moves_of(number));
        for listed in &mut moves {
            listed.mv = listed.mv.seen_by(turn);
        }
        moves
    }

    /// The moves of a position if draws are worth 0, as the canonical position has them.
    pub(crate) fn moves_of(&self, number: u32) -> Vec<BookMove> {
        self.solved.moves(&self.positions.own_game(), number)
    }

    /// The moves of a position with this side to move, by the worth of draws, as the canonical position has them. `None` if draws are
    /// worth 0, or no record has the position with this side to move.
    pub(crate) fn moves_for(&self, number: u32, turn: Colour) -> Option<Vec<BookMove>> {
        let (worth, solved) = self.game(number, turn)?;
        let game = self.draws.game(&self.positions, *worth);
        let mut moves = solved.moves(&game, node(number, turn));
        for listed in &mut moves {
            let score = listed.score.map(|score| raised(score, turn.sign() * worth));
            listed.score = score;
        }
        Some(moves)
    }

    /// The game that gives the moves of a position with this side to move, if draws aren't worth 0 and a record has the position so.
    fn game(&self, number: u32, turn: Colour) -> Option<&(Score, Solved)> {
        let last = self.by_draws.len().checked_sub(1)?;
        let game = self.by_draws.get(last.min(turn as usize));
        game.filter(|_| self.positions.has_record(number, turn))
    }
}

/// The node of a position in a game in which the sides differ.
const fn node(number: u32, turn: Colour) -> u32 {
    2 * number + turn as u32
}

/// Adds the worth of a draw back to a score.
fn raised(score: Score, worth: Score) -> Score {
    (score + worth).clamp(-MATE, MATE)
}

/// The scores of a game, and the lengths of its best lines.
#[derive(Clone, Debug)]
struct Solved {
    scores: Scores,
    depths: Vec<u32>,
}

impl Solved {
    fn new(game: &Game<'_>) -> Solved {
        let scores = exact(game);
        let depths = depths(game, &scores);
        Solved { scores, depths }
    }

    fn score(&self, node: u32) -> Option<Score> {
        match self.scores.own(node) {
            Own::Score(score) => Some(score),
            Own::NoScore | Own::Unsettled { .. } => None,
        }
    }

    /// The moves of a position, in the order of [`OwnScores::moves`].
    fn moves(&self, game: &Game<'_>, node: u32) -> Vec<BookMove> {
        let own = self.score(node);
        let best = self.scores.best(game, node);
        let links = game.links(node).filter_map(|(mv, child)| {
            let score = -self.score(child)?;
            let goes_round = own == Some(score) && best.iter().all(|edge| edge.child != child);
            let depth = (self.depths[child as usize] + 1).min(ENDLESS);
            Some((mv, score, depth, goes_round))
        });
        let leaves = game.leaves(node).map(|(mv, score)| (mv, score, 0, false));
        let mut moves: Vec<(Move, Score, u32, bool)> = leaves.chain(links).collect();
        moves.sort_by_key(|&(_, score, depth, goes_round)| {
            // A loser holds out, all others take what they have.
            let late = if score < 0 { ENDLESS - depth } else { depth };
            (-score, goes_round, late)
        });
        let listed = moves.into_iter().map(|(mv, score, depth, _)| BookMove {
            score: Some(score),
            depth: Some(depth),
            ..BookMove::new(mv)
        });
        listed.collect()
    }
}

/// The length of each position's best line: among moves that make progress, a winner takes the shortest way, a loser the longest,
/// and a draw ends as soon as it can. Found backwards from the ends of lines, the shortest first.
fn depths(game: &Game<'_>, scores: &Scores) -> Vec<u32> {
    let best = |node| scores.best(game, node);
    let mut parents: Vec<(u32, u32)> = (0..game.nodes())
        .into_par_iter()
        .flat_map_iter(|node| best(node).into_iter().map(move |edge| (edge.child, node)))
        .collect();
    parents.par_sort_unstable();
    let mut depths = vec![ENDLESS; game.nodes() as usize];
    // A loser's moves that may still be longer than all that are known.
    let mut open = vec![0_u32; game.nodes() as usize];
    let mut known = VecDeque::new();
    for node in 0..game.nodes() {
        let at = node as usize;
        let Own::Score(score) = scores.own(node) else {
            continue;
        };
        if score < 0 {
            open[at] = best(node).len() as u32;
        }
        if score < 0 && open[at] == 0 || score >= 0 && game.payoff(node) == Some(score) {
            depths[at] = 0;
            known.push_back(node);
        }
    }
    while let Some(child) = known.pop_front() {
        let depth = (depths[child as usize] + 1).min(ENDLESS);
        let first = parents.partition_point(|&(other, _)| other < child);
        let of_child = parents[first..].iter();
        let of_child = of_child.take_while(|&&(other, _)| other == child);
        for &(_, node) in of_child {
            let at = node as usize;
            if depths[at] != ENDLESS {
                continue;
            }
            open[at] = open[at].saturating_sub(1);
            if open[at] == 0 {
                depths[at] = depth;
                known.push_back(node);
            }
        }
    }
    depths
}
