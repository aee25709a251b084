//! Makes searches of odd and even depth agree on average.
//!
//! All labels are searches of even depth, so nothing ties the estimates of odd plies to those of even ones. A constant in favour of
//! the side to move may creep in over the generations. A search of even depth adds it for the side to move at the root; a search of
//! odd depth subtracts it. Half the mean difference is that constant.

use crate::fit::Weights;
use crate::samples::{score, searched};
use obook_engine::Evaluator;
use obook_othello::Board;
use rayon::prelude::*;
use std::sync::Arc;

/// The even depth; the odd depth is one less.
const DEPTH: u8 = 8;

/// The mean is taken over this many plies on either side.
const AROUND: usize = 3;

/// The weights without the constant in favour of the side to move.
pub(crate) fn balanced(boards: &[Board], evaluator: &Arc<Evaluator>) -> Evaluator {
    let boards = boards.par_iter().with_max_len(64);
    let differences = searched(boards, evaluator, |inside, board| {
        // Exact scores need no balance, so the leaves must not be solved.
        if board.empties() <= u32::from(DEPTH) + 2 {
            return None;
        }
        let odd = score(inside, *board, DEPTH - 1, 95)?;
        let even = score(inside, *board, DEPTH, 95)?;
        let difference = f32::from(even) - f32::from(odd);
        Some((board.ply() + usize::from(DEPTH), difference))
    });
    let mut sums = [(0.0f32, 0.0f32); 61];
    for (ply, difference) in differences.into_iter().flatten() {
        let sum = &mut sums[ply.min(60)];
        *sum = (sum.0 + difference, sum.1 + 1.0);
    }
    let mut weights = Weights::of(evaluator);
    for ply in 0..=60 {
        // Plies before the first leaves or after the last use the nearest ones.
        let middle = ply.clamp(usize::from(DEPTH), 60 - AROUND);
        let near = &sums[middle - AROUND..=middle + AROUND];
        let (sum, count) = near.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        if count > 0.0 {
            let constant = sum / count / 2.0;
            eprintln!("ply {ply}: {constant:+.2}");
            weights.lower(ply, constant);
        }
    }
    weights.evaluator()
}
