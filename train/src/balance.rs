//! Makes searches of odd and of even depth agree on the mean.
//!
//! All labels are searches of an even number of plies, so nothing holds the estimates of odd plies to those of even ones: a
//! constant that is good for whoever is to move may creep in from generation to generation. A search of even depth has it for
//! the root, one of odd depth against it. Half the mean difference is that constant.

use crate::fit::Weights;
use obook_engine::{Evaluator, Inside, Request};
use obook_othello::Board;
use rayon::prelude::*;
use std::sync::Arc;

/// The even depth; the odd one is a ply less.
const DEPTH: u8 = 8;

/// The mean is over so many plies to both sides.
const AROUND: usize = 3;

/// The weights without what is good for whoever is to move.
pub(crate) fn balanced(boards: &[Board], evaluator: &Arc<Evaluator>) -> Evaluator {
    let differences: Vec<Option<(usize, f32)>> = boards
        .par_iter()
        .with_max_len(64)
        .map_init(
            || Inside::with(Arc::clone(evaluator)),
            |inside, board| {
                // The leaves must not be solved: there is nothing to balance in exact scores.
                if board.empties() <= u32::from(DEPTH) + 2 {
                    return None;
                }
                let request = Request::new(*board, 60).ok()?;
                let [odd, even] = [DEPTH - 1, DEPTH].map(|depth| {
                    inside
                        .search_to(&request, depth, 95)
                        .map(|answer| answer.score)
                });
                Some((
                    board.ply() + usize::from(DEPTH),
                    f32::from(even.ok()?) - f32::from(odd.ok()?),
                ))
            },
        )
        .collect();
    let mut sums = [(0.0f32, 0.0f32); 61];
    for (ply, difference) in differences.into_iter().flatten() {
        let sum = &mut sums[ply.min(60)];
        *sum = (sum.0 + difference, sum.1 + 1.0);
    }
    let mut weights = Weights::of(evaluator);
    for ply in 0..=60 {
        // Before the first leaves the first ones stand in, after the last ones the last.
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
