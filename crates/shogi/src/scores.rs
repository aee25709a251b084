//! The own scores of a book's positions: by all moves between them, whatever the path.

use crate::book::{Book, BookMove, Entry};
use crate::positions::Positions;
use crate::{Board, Move, Packed};
use obook_cycles::{Graph, Own, Score, exact};
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
/// other repetition is a draw, worth 0.
#[derive(Clone, Debug)]
pub struct OwnScores {
    pub(crate) positions: Positions,
    scores: obook_cycles::Scores,
    depths: Vec<u32>,
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
        let scores = exact(&positions);
        let mut own = Self {
            positions,
            scores,
            depths: Vec::new(),
        };
        own.depths = own.depths();
        own
    }

    /// The own score of a position, for its side to move. `None` if it isn't in the book, or nothing is known about it: it has no
    /// moves, and isn't mate.
    #[must_use]
    pub fn of(&self, board: &Board) -> Option<Score> {
        self.of_key(board.key())
    }

    /// As [`OwnScores::of`], for the position with this [key](Board::key).
    #[must_use]
    pub fn of_key(&self, key: Packed) -> Option<Score> {
        self.score(self.number(key)?)
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> u32 {
        self.positions.nodes()
    }

    pub(crate) fn key(&self, number: u32) -> Packed {
        self.positions.key(number)
    }

    pub(crate) fn number(&self, key: Packed) -> Option<u32> {
        self.positions.number(key)
    }

    pub(crate) fn score(&self, number: u32) -> Option<Score> {
        match self.scores.own(number) {
            Own::Score(score) => Some(score),
            Own::NoScore | Own::Unsettled { .. } => None,
        }
    }

    /// The moves of a position with their scores for the side to move, and their depths: the length of the best line, or
    /// [`ENDLESS`]. Highest scores come first, of equal ones the ones that make progress, and of these the shortest, or the longest if
    /// the score is below 0. Of all that are as good in this way, the book's order decides.
    ///
    /// Empty if the position isn't in the book.
    #[must_use]
    pub fn moves(&self, board: &Board) -> Vec<BookMove> {
        let mut moves = self.moves_of_key(board.key());
        for listed in &mut moves {
            listed.mv = listed.mv.seen_by(board.turn());
        }
        moves
    }

    /// As [`OwnScores::moves`], for the position with this [key](Board::key): as the canonical position has them.
    #[must_use]
    pub fn moves_of_key(&self, key: Packed) -> Vec<BookMove> {
        let number = self.number(key);
        number.map_or_else(Vec::new, |number| self.moves_of(number))
    }

    pub(crate) fn moves_of(&self, number: u32) -> Vec<BookMove> {
        let own = self.score(number);
        let best = self.scores.best(&self.positions, number);
        let links = self.positions.links(number).iter();
        let links = links.filter_map(|&(mv, child)| {
            let score = -self.score(child)?;
            let goes_round = own == Some(score) && best.iter().all(|edge| edge.child != child);
            let depth = (self.depths[child as usize] + 1).min(ENDLESS);
            Some((mv, score, depth, goes_round))
        });
        let leaves = self.positions.leaves(number);
        let leaves = leaves.map(|(mv, score)| (mv, score, 0, false));
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

    /// The book with these scores: each record with the legal moves to positions of the book, and all other listed moves.
    #[must_use]
    pub fn book(&self, book: &Book) -> Book {
        let entries = book.entries.iter().map(|entry| Entry {
            moves: self.moves(&entry.board),
            ..entry.clone()
        });
        Book {
            entries: entries.collect(),
        }
    }

    /// The length of each position's best line: among moves that make progress, a winner takes the shortest way, a loser the longest,
    /// and a draw ends as soon as it can. Found backwards from the ends of lines, the shortest first.
    fn depths(&self) -> Vec<u32> {
        let graph = &self.positions;
        let best = |node| self.scores.best(graph, node);
        let mut parents: Vec<(u32, u32)> = (0..graph.nodes())
            .into_par_iter()
            .flat_map_iter(|node| best(node).into_iter().map(move |edge| (edge.child, node)))
            .collect();
        parents.par_sort_unstable();
        let mut depths = vec![ENDLESS; self.len() as usize];
        // A loser's moves that may still be longer than all that are known.
        let mut open = vec![0_u32; self.len() as usize];
        let mut known = VecDeque::new();
        for node in 0..graph.nodes() {
            let at = node as usize;
            let Some(score) = self.score(node) else {
                continue;
            };
            if score < 0 {
                open[at] = best(node).len() as u32;
            }
            if score < 0 && open[at] == 0 || score >= 0 && graph.payoff(node) == Some(score) {
                depths[at] = 0;
                known.push_back(node);
            }
        }
        while let Some(child) = known.pop_front() {
            let depth = (depths[child as usize] + 1).min(ENDLESS);
            let first = parents.partition_point(|&(other, _)| other < child);
            let of_child = parents[first..]
                .iter()
                .take_while(|&&(other, _)| other == child);
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
}
