//! A position in the search: its discs, the contents of its patterns, and its moves.

use super::cpu::Cpu;
use super::evaluator::Evaluator;
use super::patterns::Contents;
use super::search::Search;
use arrayvec::ArrayVec;
use obook_othello::Board;

/// The four corners.
pub(crate) const CORNERS: u64 = 0x8100_0000_0000_0081;

/// The four quarters of the board.
pub(crate) const QUADRANTS: [u64; 4] = [
    0x0000_0000_0f0f_0f0f,
    0x0000_0000_f0f0_f0f0,
    0x0f0f_0f0f_0000_0000,
    0xf0f0_f0f0_0000_0000,
];

/// The discs of the side to move and of the other side, without the checks of a [`Board`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Discs {
    pub(crate) player: u64,
    pub(crate) opponent: u64,
}

impl Discs {
    pub(crate) fn new(board: Board) -> Discs {
        Discs {
            player: board.player(),
            opponent: board.opponent(),
        }
    }

    #[inline(always)]
    pub(crate) fn empty(self) -> u64 {
        !(self.player | self.opponent)
    }

    /// The position after a disc on `square` that flips `flips`, for the side that then moves.
    #[inline(always)]
    pub(crate) fn after(self, square: usize, flips: u64) -> Discs {
        Discs {
            player: self.opponent ^ flips,
            opponent: self.player ^ flips ^ (1 << (square & 63)),
        }
    }

    #[inline(always)]
    pub(crate) fn passed(self) -> Discs {
        Discs {
            player: self.opponent,
            opponent: self.player,
        }
    }

    /// The score of a finished game: the winner gets the empty squares.
    #[inline(always)]
    pub(crate) fn final_score(self) -> i32 {
        let player = self.player.count_ones() as i32;
        let opponent = self.opponent.count_ones() as i32;
        let difference = player - opponent;
        difference + difference.signum() * (64 - player - opponent)
    }
}

/// The numbers of the squares in a set.
#[inline(always)]
pub(crate) fn squares(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(
        #[inline(always)]
        move || {
            let square = set.trailing_zeros() as usize;
            (set != 0).then(
                #[inline(always)]
                || {
                    set &= set - 1;
                    square
                },
            )
        },
    )
}

/// A position with its patterns, updated from move to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) discs: Discs,
    contents: Contents,
    /// Whether the side to move is the one whose discs have the digit 2.
    second: bool,
    pub(crate) empties: u32,
}

impl Node {
    pub(crate) fn new(discs: Discs) -> Node {
        Node {
            discs,
            contents: Contents::new(discs.player, discs.opponent),
            second: false,
            empties: discs.empty().count_ones(),
        }
    }

    #[inline(always)]
    pub(crate) fn after<C: Cpu>(&self, search: &Search<C>, square: usize, flips: u64) -> Node {
        Node {
            discs: self.discs.after(square, flips),
            contents: self
                .contents
                .after(search.evaluator.layout, square, flips, self.second),
            second: !self.second,
            empties: self.empties - 1,
        }
    }

    #[inline(always)]
    pub(crate) fn passed(&self) -> Node {
        Node {
            discs: self.discs.passed(),
            second: !self.second,
            ..*self
        }
    }

    /// The evaluator's estimate, or the score if the game is over.
    #[inline(always)]
    pub(crate) fn estimate(&self, cpu: impl Cpu, evaluator: &Evaluator) -> i32 {
        let passed = self.discs.passed();
        let own = cpu.moves(self.discs);
        let theirs = cpu.moves(passed);
        let contents = &self.contents;
        match (own, theirs) {
            (0, 0) => self.discs.final_score(),
            (0, _) => -evaluator.score(passed, contents, !self.second, theirs, own),
            _ => evaluator.score(self.discs, contents, self.second, own, theirs),
        }
    }
}

/// The maximum number of moves in a position.
const MOST_MOVES: usize = 64;

/// A move, the discs it flips, and how promising it looks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Candidate {
    pub(crate) square: u8,
    pub(crate) flips: u64,
    promise: i32,
}

/// The moves of a position, in the order in which they were added. The most promising are taken first.
pub(crate) struct Candidates(pub(crate) ArrayVec<Candidate, MOST_MOVES>);

impl Candidates {
    #[inline(always)]
    pub(crate) fn new() -> Candidates {
        Candidates(ArrayVec::new())
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, square: usize, flips: u64, promise: i32) {
        self.0.push(Candidate {
            square: square as u8,
            flips,
            promise,
        });
    }

    /// Takes the most promising remaining move; of equal ones the one added first.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Candidate> {
        let mut best = 0;
        for (at, candidate) in self.0.iter().enumerate() {
            if candidate.promise > self.0[best].promise {
                best = at;
            }
        }
        let candidate = self.0.get_mut(best)?;
        let taken = *candidate;
        candidate.promise = i32::MIN;
        (taken.promise != i32::MIN).then_some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::inside::cpu::Portable;
    use crate::inside::table::Table;
    use obook_othello::{Board, Symmetry};
    use proptest::prelude::*;
    use std::sync::Arc;
    use std::time::Instant;

    /// An evaluator with random weights, so that every weight matters.
    fn evaluator() -> Arc<Evaluator> {
        let mut random = fastrand::Rng::with_seed(1);
        let mut weights = |count: usize| (0..count).map(|_| random.i16(-60..60)).collect();
        let knots = (0..Evaluator::KNOTS)
            .map(|_| weights(Evaluator::weights_of_a_knot()))
            .collect();
        Arc::new(Evaluator::new(knots, weights(61)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// Patterns updated from move to move equal those of the board itself, for both sides and through passes. All eight images
        /// of a board get the same estimate. And the estimate is the sum of the weights that training uses.
        ///
        /// Law (Searches): Updated patterns match the board's; an estimate is the sum of the trained weights.
        #[test]
        fn contents_are_kept_up(seed: u64) {
            let evaluator = evaluator();
            let search = Search::new(Portable, Arc::clone(&evaluator), Table::default(), Limits::default(), Instant::now());
            let mut random = fastrand::Rng::with_seed(seed);
            let mut board = Board::START;
            let mut node = Node::new(Discs::new(board));
            while !board.is_over() {
                if board.must_pass() {
                    board = board.passed();
                    node = node.passed();
                } else {
                    let moves: Vec<_> = board.legal_moves().iter().collect();
                    let square = moves[random.usize(..moves.len())];
                    let flips = board.flips(square).0;
                    board = board.after(square);
                    node = node.after(&search, usize::from(square.index()), flips);
                }
                prop_assert_eq!(node.discs, Discs::new(board));
                prop_assert_eq!(node.empties, board.empties());
                let estimate = node.estimate(Portable, &evaluator);
                prop_assert_eq!(estimate, i32::from(evaluator.estimate(board)));
                for symmetry in Symmetry::ALL {
                    prop_assert_eq!(estimate, i32::from(evaluator.estimate(symmetry.board(board))));
                }
                if !board.legal_moves().is_empty() {
                    prop_assert!((sum(&evaluator, board) - estimate as f32).abs() < 1.0);
                }
            }
        }
    }

    /// The sum of the weights that training learns, in discs.
    fn sum(evaluator: &Evaluator, board: Board) -> f32 {
        let parts = Evaluator::parts(board);
        let (knots, constant) = evaluator.weights();
        let at = |knot: usize| -> f32 {
            let weights = parts.weights.iter();
            weights
                .map(|w| f32::from(knots[parts.knots[knot]][*w as usize]))
                .sum()
        };
        let between = (1.0 - parts.share) * at(0) + parts.share * at(1);
        ((between + f32::from(constant[parts.ply])) / 128.0).clamp(-62.0, 62.0)
    }
}
