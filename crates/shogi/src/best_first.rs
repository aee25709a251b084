//! The moves that most change the score of a position: those to search next.

use crate::positions::Game;
use crate::{Board, MATE, Move, OwnScores, Packed};
use obook_cycles::{Own, Score, exact};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// A score that is this near to a mate is one, in so many plies: no search finds another.
pub const LONGEST_MATE: Score = 1_000;

/// A move of a line costs this part of the error of searches: searches above have seen in part what one below finds.
const PLY: Score = 25;
/// At most one in this many positions is wanted at once,
const ONE_OF: usize = 16;
/// or this many.
const LEAST: usize = 8;
/// The maximum number of positions that get more moves at once. The history names them until they are searched.
const MOST_POSITIONS: usize = 512;

/// The next searches, the most important first. All are of one kind, because new positions change which moves of other positions lead to
/// the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Other moves of these positions, all of whose moves lead to positions of the book.
    Moves(Vec<Packed>),
    /// The positions after these moves out of the book: each with the position before it, and as the canonical position has it.
    Positions(Vec<(Packed, Move)>),
}

/// The part of a book to search, and how far searches may be off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The position whose score is to become certain.
    pub root: Packed,
    /// The most by which a search errs, in centipawns.
    pub error: Score,
    /// The greatest length of a line from the start of the game, in plies. Positions without a ply count as the start.
    pub depth: Option<u32>,
    /// How many positions to want at most.
    pub most: usize,
}

impl OwnScores {
    /// What most changes the score of the root if searches err, the most important first.
    ///
    /// On each line from the root one side errs and the other plays its best: the root's score changes only if an error turns out not
    /// to be one. The less the errors on a line cost together, and the shorter it is, the more important is the move at its end. Wanted
    /// is what is nearly as important as the first, up to a part of the book.
    ///
    /// A move isn't searched if it can't change the score of its position, even if all searches err by `error`, those of each side in
    /// its favour. So nothing is searched behind a draw by repetition that neither side can avoid without loss, and behind a mate.
    ///
    /// It depends on nothing but the book and the scope. `is_known` tells what is searched already, though without success.
    #[must_use]
    pub fn best_first(&self, scope: &Scope, is_known: impl Fn(Packed) -> bool) -> Wanted {
        let Some(root) = self.positions.number(scope.root) else {
            return Wanted::Positions(Vec::new());
        };
        let mut found = self.candidates(root, scope);
        found
            .sort_unstable_by_key(|it| (it.cost, self.positions.key(it.at), it.mv.map(Move::bits)));
        // Either side may err on a line to the same position.
        let mut seen = HashSet::new();
        let most = (self.positions.len() as usize / ONE_OF).max(LEAST);
        let most = most.min(scope.most);
        // One of both stays empty.
        let (mut positions, mut moves) = (Vec::new(), Vec::new());
        let mut last = None;
        for Candidate { cost, at, mv } in found {
            let is_full = positions.len() >= most.min(MOST_POSITIONS) || moves.len() >= most;
            if is_full || last.is_some_and(|last| cost > last) {
                break;
            }
            let parent = self.positions.key(at);
            let board = parent.board().expect("a position of the book");
            let is_wanted = match mv {
                None => {
                    let has_others = board.legal_moves().len() > self.positions.links(at).len();
                    has_others && !is_known(parent) && seen.insert(parent)
                }
                Some(mv) => {
                    let child = board.play(mv).map(|child: Board| child.key());
                    child.is_some_and(|child| {
                        self.positions.number(child).is_none() && seen.insert(child)
                    })
                }
            };
            if !is_wanted {
                continue;
            }
            // The first one decides the kind.
            match mv {
                Some(mv) if positions.is_empty() => moves.push((parent, mv)),
                None if moves.is_empty() => positions.push(parent),
                _ => continue,
            }
            last.get_or_insert(cost + i64::from(scope.error));
        }
        match positions.is_empty() {
            true => Wanted::Positions(moves),
            false => Wanted::Moves(positions),
        }
    }

    /// Everything that may change the score of the root, with what the errors on the way cost.
    fn candidates(&self, root: u32, scope: &Scope) -> Vec<Candidate> {
        let error = scope.error;
        // Searches err in favour of the first side.
        let bounds = exact(&Game {
            positions: &self.positions,
            sides_differ: true,
            made: shifted,
            by: [error, -error],
            limit: MATE,
            max_moves: None,
        });
        let lowest = |number: u32| match bounds.own(2 * number + 1) {
            Own::Score(score) => score,
            Own::NoScore | Own::Unsettled { .. } => -MATE,
        };
        let ply = i64::from((error / PLY).max(1));
        let mut reached = vec![false; 2 * self.positions.len() as usize];
        // Either side may be the one that errs.
        let mut open: BinaryHeap<_> = [0, 1].map(|errs| Reverse((0, 2 * root + errs))).into();
        let mut found = Vec::new();
        while let Some(Reverse((cost, node))) = open.pop() {
            if std::mem::replace(&mut reached[node as usize], true) {
                continue;
            }
            let (at, errs) = (node / 2, node % 2);
            let Some(value) = self.score(at) else {
                continue;
            };
            let least = lowest(at);
            // The cost of the line through a move with this score, which is worth `best` at most; `None` if the move can't matter.
            let after = |score: Score, best: Score| {
                let loss = (value - score).max(0);
                let counts = best > least && (errs == 1 || loss == 0);
                counts.then(|| cost + i64::from(loss) + ply)
            };
            let within = |depth: u32| self.positions.ply(at) <= depth;
            let is_short = scope.depth.is_none_or(within);
            let mut candidate = |cost, mv| found.push(Candidate { cost, at, mv });
            for (mv, score) in self.positions.leaves(at) {
                let cost = after(score, shifted(score, error)).filter(|_| is_short);
                if let Some(cost) = cost.filter(|_| !is_mate(score)) {
                    candidate(cost, Some(mv));
                }
            }
            let mut worst = MATE;
            for &(_, child) in self.positions.links(at) {
                let Some(score) = self.score(child).map(|score| -score) else {
                    continue;
                };
                worst = worst.min(score);
                if let Some(cost) = after(score, -lowest(child)) {
                    open.push(Reverse((cost, 2 * child + (1 - errs))));
                }
            }
            // Moves that nobody has named are no better than the worst that somebody has.
            if self.positions.leaves(at).next().is_none()
                && !self.positions.links(at).is_empty()
                && let Some(cost) = after(worst, shifted(worst, error))
            {
                candidate(cost, None);
            }
        }
        found
    }
}

/// A move out of the book, or those that nobody has named.
struct Candidate {
    cost: i64,
    at: u32,
    mv: Option<Move>,
}

const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE - LONGEST_MATE
}

/// A score with an error, which a mate doesn't have.
fn shifted(score: Score, error: Score) -> Score {
    if is_mate(score) {
        return score;
    }
    score.saturating_add(error).clamp(-MATE, MATE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Book, BookMove, Entry, Sfen};
    use fastrand::Rng;

    const ERROR: Score = 150;

    /// A book of an endgame in which positions come back, whose moves have random scores.
    fn random_book(random: &mut Rng) -> Book {
        let root: Sfen = "8k/6+R2/9/9/4g4/9/9/9/K8 b -".parse().unwrap();
        let mut boards = vec![root.board];
        while boards.len() < 24 {
            let board = boards[random.usize(..boards.len())];
            let child = random.choice(board.children()).map(|(_, child)| child);
            boards.extend(child.filter(|child| boards.iter().all(|it| it.key() != child.key())));
        }
        let entry = |board: Board| {
            let moves = (0..2).filter_map(|_| random.choice(board.legal_moves()));
            let moves: Vec<Move> = moves.collect();
            let listed = moves.into_iter().map(|mv| BookMove {
                score: Some(10 * random.i32(-30..30)),
                ..BookMove::new(mv)
            });
            Entry::new(board, None, listed.collect())
        };
        Book {
            entries: boards.into_iter().map(entry).collect(),
        }
    }

    /// Law (Shogi): Best first looks at each move that alone can change the root, if searches err no more than stated.
    #[test]
    fn what_changes_the_root_is_looked_at() {
        let first = Rng::new().u64(..1 << 40);
        let (mut changing, mut others) = (0, 0);
        for seed in first..first + 60 {
            let mut random = Rng::with_seed(seed);
            let book = random_book(&mut random);
            let own = OwnScores::new(&book);
            let start = book.entries[0].board;
            let root = start.key();
            let scope = Scope {
                root,
                error: ERROR,
                depth: None,
                most: usize::MAX,
            };
            let found = own.candidates(own.positions.number(root).unwrap(), &scope);
            for entry in 0..book.entries.len() {
                let board = book.entries[entry].board;
                let at = own.positions.number(board.key()).unwrap();
                for (mv, score) in own.positions.leaves(at) {
                    let changes = [-ERROR, ERROR].into_iter().any(|error| {
                        let mut book = book.clone();
                        for listed in &mut book.entries[entry].moves {
                            if listed.mv.seen_by(board.turn()) == mv {
                                listed.score = Some(score + error);
                            }
                        }
                        OwnScores::new(&book).of(&start) != own.of(&start)
                    });
                    let is_found = found.iter().any(|it| (it.at, it.mv) == (at, Some(mv)));
                    assert!(is_found || !changes, "seed {seed}: {mv} in {board}");
                    changing += usize::from(changes);
                    others += usize::from(!is_found);
                }
            }
        }
        assert!(changing > 60 && others > 60, "{changing} {others}");
    }
}
