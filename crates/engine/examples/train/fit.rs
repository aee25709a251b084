//! Least squares by stochastic gradient descent, with a separate step size for each weight (Adagrad).
//!
//! J. Duchi, E. Hazan, Y. Singer, "Adaptive subgradient methods for online learning and stochastic optimization" (2011).

use crate::samples::Sample;
use obook_engine::{Evaluator, Parts};

/// The weights during training, in discs.
pub(crate) struct Weights {
    /// For each knot, its weights, each with the sum of its squared gradients.
    knots: Vec<Vec<[f32; 2]>>,
    constant: Vec<[f32; 2]>,
}

/// Samples with a common weight.
pub(crate) type Set<'a> = (&'a [Sample], f32);

impl Weights {
    pub(crate) fn zero() -> Weights {
        Weights {
            knots: vec![vec![[0.0; 2]; Evaluator::weights_of_a_knot()]; Evaluator::KNOTS],
            constant: vec![[0.0; 2]; 61],
        }
    }

    /// The weights of an evaluator, for further training.
    pub(crate) fn of(evaluator: &Evaluator) -> Weights {
        let discs = |weight: &i16| [f32::from(*weight) / 128.0, 0.0];
        let knot = |weights: &Vec<i16>| weights.iter().map(discs).collect();
        let (knots, constant) = evaluator.weights();
        Weights {
            knots: knots.iter().map(knot).collect(),
            constant: constant.iter().map(discs).collect(),
        }
    }

    /// Fits the samples in several passes, each in random order, with shrinking steps that begin at `rate` discs.
    pub(crate) fn fit(&mut self, sets: &[Set<'_>], passes: usize, rate: f32, seed: u64) {
        let mut order: Vec<(&Sample, f32)> = sets
            .iter()
            .flat_map(|(samples, weight)| samples.iter().map(move |it| (it, *weight)))
            .collect();
        let mut random = fastrand::Rng::with_seed(seed);
        for pass in 0..passes {
            random.shuffle(&mut order);
            // Smaller steps let the last passes converge.
            let rate = rate * (1.0 - pass as f32 / passes as f32);
            let (mut error, mut total) = (0.0, 0.0);
            for (sample, weight) in &order {
                let parts = Evaluator::parts(sample.board);
                let score = f32::from(sample.score);
                let difference = self.learn(&parts, score, *weight, rate);
                error += f64::from(weight * difference * difference);
                total += f64::from(*weight);
            }
            eprintln!(
                "pass {}: off by {:.3} discs over {} positions",
                pass + 1,
                (error / total).sqrt(),
                order.len()
            );
        }
    }

    fn learn(&mut self, parts: &Parts, score: f32, weight: f32, rate: f32) -> f32 {
        let difference = score - self.estimate(parts);
        let step = |cell: &mut [f32; 2], gradient: f32| {
            cell[1] += gradient * gradient;
            cell[0] += rate * gradient / (cell[1] + 1.0).sqrt();
        };
        // Limits the influence of outliers.
        let pull = weight * difference.clamp(-20.0, 20.0);
        for (knot, share) in shares(parts) {
            let knot = &mut self.knots[knot];
            for number in parts.weights {
                step(&mut knot[number as usize], pull * share);
            }
        }
        step(&mut self.constant[parts.ply], pull);
        difference
    }

    fn estimate(&self, parts: &Parts) -> f32 {
        let mut sum = self.constant[parts.ply][0];
        for (knot, share) in shares(parts) {
            let knot = &self.knots[knot];
            let weights = parts.weights.iter().map(|w| knot[*w as usize][0]);
            sum += share * weights.sum::<f32>();
        }
        sum
    }

    /// Lowers the constant of a ply by `discs`.
    pub(crate) fn lower(&mut self, ply: usize, discs: f32) {
        self.constant[ply][0] -= discs;
    }

    pub(crate) fn evaluator(&self) -> Evaluator {
        let round = |cell: &[f32; 2]| (cell[0] * 128.0).round() as i16;
        let all = |cells: &Vec<[f32; 2]>| cells.iter().map(round).collect();
        Evaluator::new(self.knots.iter().map(all).collect(), all(&self.constant))
    }
}

/// The knots that a position's estimate depends on, each with its share.
fn shares(parts: &Parts) -> impl Iterator<Item = (usize, f32)> {
    let knots = parts.knots.into_iter();
    let both = knots.zip([1.0 - parts.share, parts.share]);
    both.filter(|(_, share)| *share > 0.0)
}
