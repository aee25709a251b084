//! The error of shallow searches compared with deep ones: the model for multi-ProbCut.

use crate::samples::{score, searched};
use obook_engine::Evaluator;
use obook_othello::Board;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The number of terms of the polynomial for the deviation: 1, e, d, s, e², d², s², ed, es, ds.
const TERMS: usize = 10;

/// The number of empty squares, the depth of the deep search, and the depth of the shallow one.
type Depths = (u32, u32, u32);

/// Standard deviations, each with its number of differences.
pub(crate) type Deviations = BTreeMap<Depths, (f64, usize)>;

/// Searches each board to all depths up to `deepest`, and boards with up to `end` empty squares also to the end of the game.
pub(crate) fn measure(
    boards: &[Board],
    evaluator: &Arc<Evaluator>,
    deepest: u8,
    end: u32,
) -> Deviations {
    let differences = searched(boards.par_iter(), evaluator, |inside, board| {
        let empties = board.empties();
        let mut scores = vec![(0, f64::from(evaluator.estimate(*board)))];
        let to_the_end = empties <= end && empties > u32::from(deepest);
        let depths = 1..=deepest.min(empties as u8);
        for depth in depths.chain(to_the_end.then_some(empties as u8)) {
            let score = score(inside, *board, depth, 100).expect("a move is left");
            scores.push((u32::from(depth), f64::from(score)));
        }
        let mut differences = Vec::new();
        for (at, (deep, score)) in scores.iter().enumerate() {
            for (shallow, other) in &scores[..at] {
                if *deep >= 3 && (deep - shallow) % 2 == 0 && score.abs() < 40.0 {
                    differences.push(((empties / 4 * 4 + 2, *deep, *shallow), score - other));
                }
            }
        }
        differences
    });
    let mut by_depths: BTreeMap<Depths, Vec<f64>> = BTreeMap::new();
    for (key, difference) in differences.into_iter().flatten() {
        by_depths.entry(key).or_default().push(difference);
    }
    by_depths.retain(|_, differences| differences.len() >= 30);
    let deviation = |differences: Vec<f64>| {
        let n = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / n;
        let squares = differences.iter().map(|it| it * it).sum::<f64>() / n;
        ((squares - mean * mean).max(0.0).sqrt(), differences.len())
    };
    by_depths
        .into_iter()
        .map(|(key, differences)| (key, deviation(differences)))
        .collect()
}

fn terms((empties, deep, shallow): Depths) -> [f64; TERMS] {
    let (e, d, s) = (f64::from(empties), f64::from(deep), f64::from(shallow));
    [1.0, e, d, s, e * e, d * d, s * s, e * d, e * s, d * s]
}

/// Fits the polynomial by least squares, with each deviation weighted by its number of differences.
pub(crate) fn fit(deviations: &Deviations) -> [f64; TERMS] {
    let mut rows = [[0.0; TERMS + 1]; TERMS];
    for (key, (deviation, count)) in deviations {
        let terms = terms(*key);
        for i in 0..TERMS {
            for j in 0..TERMS {
                rows[i][j] += terms[i] * terms[j] * *count as f64;
            }
            rows[i][TERMS] += terms[i] * deviation * *count as f64;
        }
    }
    for i in 0..TERMS {
        rows[i][i] += 1e-6;
        let pivot = rows[i];
        for (j, row) in rows.iter_mut().enumerate() {
            if i != j {
                let factor = row[i] / pivot[i];
                for (cell, above) in row.iter_mut().zip(pivot) {
                    *cell -= factor * above;
                }
            }
        }
    }
    std::array::from_fn(|i| rows[i][TERMS] / rows[i][i])
}

/// The deviation predicted by the polynomial.
pub(crate) fn predicted(polynomial: &[f64; TERMS], key: Depths) -> f64 {
    terms(key).iter().zip(polynomial).map(|(t, c)| t * c).sum()
}
