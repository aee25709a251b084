//! A position in the search, with the contents of its patterns.

use super::cpu::Cpu;
use super::discs::Discs;
use super::patterns::Contents;
use super::search::Search;

/// A position, kept up from move to move.
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

    /// What the evaluator says, or the score where the game is over.
    #[inline(always)]
    pub(crate) fn estimate<C: Cpu>(&self, search: &Search<C>) -> i32 {
        let own = search.cpu.moves(self.discs);
        let theirs = search.cpu.moves(self.discs.passed());
        if own == 0 {
            if theirs == 0 {
                return self.discs.final_score();
            }
            let passed = self.discs.passed();
            return -search
                .evaluator
                .score(passed, &self.contents, !self.second, theirs, own);
        }
        search
            .evaluator
            .score(self.discs, &self.contents, self.second, own, theirs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inside::cpu::Portable;
    use crate::inside::evaluator::Evaluator;
    use crate::inside::search::Ends;
    use crate::inside::table::Table;
    use obook_othello::{Board, Symmetry};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// An evaluator in which every weight counts, and no two alike.
    fn evaluator() -> Arc<Evaluator> {
        let mut random = fastrand::Rng::with_seed(1);
        let mut weights = |count: usize| (0..count).map(|_| random.i16(-60..60)).collect();
        let knots = (0..Evaluator::knots())
            .map(|_| weights(Evaluator::weights_of_a_knot()))
            .collect();
        Arc::new(Evaluator::new(knots, weights(61)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// What is kept up from move to move is what the board itself gives, for both sides and through passes; all eight
        /// images of a board are worth the same; and the estimate is the sum of the weights that training is told of.
        #[test]
        fn contents_are_kept_up(seed: u64) {
            let evaluator = evaluator();
            let search = Search::new(Portable, Arc::clone(&evaluator), Table::default(), Ends::default());
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
                let estimate = node.estimate(&search);
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

    /// In discs, of the parts that training learns.
    fn sum(evaluator: &Evaluator, board: Board) -> f32 {
        let own = board.legal_moves().len();
        let theirs = board.passed().legal_moves().len();
        let parts = Evaluator::parts(board.player(), board.opponent(), own, theirs);
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
