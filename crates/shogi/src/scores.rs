//! The own scores of a book's positions: by all moves between them, whatever the path.

use crate::book::{Book, BookMove, Entry};
use crate::fingerprint::Fingerprints;
use crate::{Board, Move, Packed};
use obook_cycles::{Edge, Graph, Own, Score, exact};
use rayon::prelude::*;
use std::collections::VecDeque;
use std::ops::RangeInclusive;

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
    /// The positions' keys, in order.
    pub(crate) keys: Vec<Packed>,
    pub(crate) positions: Vec<Position>,
    scores: obook_cycles::Scores,
    depths: Vec<u32>,
}

/// A canonical position.
#[derive(Clone, Debug)]
pub(crate) struct Position {
    /// The smallest that the book has for it; 0 if it has none.
    pub(crate) ply: u32,
    pub(crate) checked: bool,
    /// Moves to other positions, listed ones first, in the order of the book.
    pub(crate) links: Vec<(Move, u32)>,
    /// Listed moves that aren't links, or lead to positions without a score, in the order of the book.
    pub(crate) leaves: Vec<(Move, Score)>,
    mated: bool,
}

impl Position {
    /// The best leaf.
    fn payoff(&self) -> Option<Score> {
        self.payoff_with(|score| score)
    }

    /// The best leaf if each has a score that is made of its own.
    pub(crate) fn payoff_with(&self, made: impl Fn(Score) -> Score) -> Option<Score> {
        let best = self.leaves.iter().map(|&(_, score)| made(score)).max();
        if self.mated { Some(-MATE) } else { best }
    }
}

/// The positions as a game.
pub(crate) struct Positions<'a>(pub(crate) &'a [Position]);

impl Graph for Positions<'_> {
    fn nodes(&self) -> u32 {
        self.0.len() as u32
    }
    fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
        self.0[node as usize]
            .links
            .iter()
            .map(|&(_, child)| Edge::turn(child))
    }
    fn payoff(&self, node: u32) -> Option<Score> {
        self.0[node as usize].payoff()
    }
    fn repetition_range(&self, _: u32) -> RangeInclusive<Score> {
        0..=0
    }
    fn perpetual(&self) -> Option<Score> {
        Some(MATE)
    }
    fn checked(&self, node: u32) -> bool {
        self.0[node as usize].checked
    }
    fn rank(&self, node: u32) -> u32 {
        self.0[node as usize].ply
    }
    fn limit(&self) -> Score {
        MATE
    }
}

impl OwnScores {
    /// Computes the scores of a book. If it has several records of a position, the moves of all of them count, and of several scores
    /// of one move the last.
    #[must_use]
    pub fn new(book: &Book) -> Self {
        let keyed = book
            .entries
            .par_iter()
            .map(|entry| (entry.board.key(), entry));
        let mut keyed: Vec<(Packed, &Entry)> = keyed.collect();
        keyed.par_sort_by_key(|&(key, _)| key);
        let records: Vec<&[(Packed, &Entry)]> = keyed.chunk_by(|one, two| one.0 == two.0).collect();
        let keys: Vec<Packed> = records.iter().map(|records| records[0].0).collect();
        let fingerprints = Fingerprints::new(records.par_iter().map(|records| &records[0].1.board));
        let position = |records: &[(Packed, &Entry)]| {
            let board = records[0].1.board.canonical();
            let plies = records.iter().map(|(_, entry)| entry.ply.unwrap_or(0));
            let number = |child: &Board| Some(keys.binary_search(&child.key()).ok()? as u32);
            let children = fingerprints.children(&board).into_iter();
            let mut position = Position {
                ply: plies.min().unwrap_or(0),
                checked: board.is_check(),
                mated: board.is_lost(),
                links: children
                    .filter_map(|(mv, child)| Some((mv, number(&child)?)))
                    .collect(),
                leaves: Vec::new(),
            };
            for (_, entry) in records {
                for listed in &entry.moves {
                    let mv = listed.mv.seen_by(entry.board.turn());
                    let score = listed.score.unwrap_or(0).clamp(-MATE, MATE);
                    position.leaves.retain(|leaf| leaf.0 != mv);
                    position.leaves.push((mv, score));
                }
            }
            let Position { links, leaves, .. } = &mut position;
            let place = |mv| leaves.iter().position(|leaf| leaf.0 == mv);
            links.sort_by_key(|&(mv, _)| place(mv).unwrap_or(usize::MAX));
            position
        };
        let mut positions: Vec<Position> = records
            .par_iter()
            .map(|records| position(records))
            .collect();
        drop_links_without_a_score(&mut positions);
        positions
            .par_iter_mut()
            .for_each(|Position { links, leaves, .. }| {
                leaves.retain(|leaf| links.iter().all(|link| link.0 != leaf.0));
            });
        let scores = exact(&Positions(&positions));
        let mut own = Self {
            keys,
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

    pub(crate) fn number(&self, key: Packed) -> Option<u32> {
        self.keys.binary_search(&key).ok().map(|at| at as u32)
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
        let Some(number) = self.number(key) else {
            return Vec::new();
        };
        let position = &self.positions[number as usize];
        let own = self.score(number);
        let best = self.scores.best(&Positions(&self.positions), number);
        let links = position.links.iter().filter_map(|&(mv, child)| {
            let score = -self.score(child)?;
            let goes_round = own == Some(score) && best.iter().all(|edge| edge.child != child);
            let depth = (self.depths[child as usize] + 1).min(ENDLESS);
            Some((mv, score, depth, goes_round))
        });
        let leaves = position.leaves.iter();
        let leaves = leaves.map(|&(mv, score)| (mv, score, 0, false));
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
        let graph = Positions(&self.positions);
        let best = |node| self.scores.best(&graph, node);
        let mut parents: Vec<(u32, u32)> = (0..graph.nodes())
            .into_par_iter()
            .flat_map_iter(|node| best(node).into_iter().map(move |edge| (edge.child, node)))
            .collect();
        parents.par_sort_unstable();
        let mut depths = vec![ENDLESS; self.positions.len()];
        // A loser's moves that may still be longer than all that are known.
        let mut open = vec![0; self.positions.len()];
        let mut known = VecDeque::new();
        for node in 0..graph.nodes() {
            let at = node as usize;
            let Some(score) = self.score(node) else {
                continue;
            };
            if score < 0 {
                open[at] = best(node).len();
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
                open[at] = usize::saturating_sub(open[at], 1);
                if open[at] == 0 {
                    depths[at] = depth;
                    known.push_back(node);
                }
            }
        }
        depths
    }
}

/// Removes links to positions about which nothing is known, so that what the book says about the move counts.
fn drop_links_without_a_score(positions: &mut [Position]) {
    let knows_nothing = |position: &Position| position.payoff().is_none();
    if !positions.iter().any(knows_nothing) {
        return;
    }
    let scores = exact(&Positions(positions));
    for position in positions {
        position
            .links
            .retain(|&(_, child)| scores.own(child) != Own::NoScore);
    }
}
