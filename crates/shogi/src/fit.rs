//! Fitting the evaluation by effects to the results of games.
//!
//! The logarithm of the odds that Black wins is taken to be a sum: material, material on the board, the side to move, and what effects
//! are worth by their number on a square and its distance from a king. Each [`Model`] frees other parts of it. Its log loss is measured on
//! games that its fit has not seen.

use crate::effects::{Evaluation, TOGETHER, count, distance};
use crate::games::{End, Game, Outcome};
use crate::{Board, Colour, Square};

/// Distances from a king: 0 to 8.
pub const DISTANCES: usize = 9;
/// Numbers of effects that a fit tells apart: 1 to 4, and more.
pub const NUMBERS: usize = 5;

/// Effects by the distance from a king, and by their number.
type Table = [[f64; NUMBERS]; DISTANCES];

/// A position with the result of its game.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    material: f64,
    on_board: f64,
    turn: f64,
    published: f64,
    /// Squares by distance from the own king, and by the number of effects: Black's minus White's.
    own: Table,
    /// The same for the other king, White's minus Black's, since they count against its side.
    other: Table,
    won: f64,
    game: usize,
}

/// Moves at the beginning of a game whose positions say little about its result.
const OPENING: usize = 20;
/// Moves at its end that only confirm it.
const END: usize = 6;

impl Sample {
    fn new(board: &Board, won: bool, game: usize) -> Self {
        let evaluation = Evaluation::new(board);
        let counts = count(board);
        let (mut own, mut other) = ([[0.0; NUMBERS]; DISTANCES], [[0.0; NUMBERS]; DISTANCES]);
        for colour in Colour::ALL {
            let sign = f64::from(colour.sign());
            for square in Square::all() {
                let at = usize::from(distance(square, board.king(colour)));
                let number =
                    |by: Colour| usize::from(counts[by as usize][square.index()]).min(NUMBERS);
                if let Some(number) = number(colour).checked_sub(1) {
                    own[at][number] += sign;
                }
                if let Some(number) = number(colour.other()).checked_sub(1) {
                    other[at][number] -= sign;
                }
            }
        }
        let turn = f64::from(board.turn().sign());
        Self {
            material: f64::from(evaluation.material) / 100.0,
            on_board: f64::from(evaluation.on_board) * 1024.0 / 104.0 / 100.0,
            turn,
            published: turn * f64::from(evaluation.score()) / 100.0,
            own,
            other,
            won: f64::from(u8::from(won)),
            game,
        }
    }
}

/// Positions of games that were decided on the board.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    samples: Vec<Sample>,
    games: usize,
}

impl Samples {
    /// Adds a game: up to `most` of its positions in which nobody is in check, after the opening and before the last moves, chosen by
    /// `random`. Games that nobody won by resignation, mate or declaration are left out.
    pub fn add(&mut self, game: &Game, most: usize, random: &mut fastrand::Rng) {
        let Some(Outcome::Won(winner)) = game.outcome else {
            return;
        };
        if !matches!(game.end, Some(End::Resigned | End::Mate | End::Declared)) {
            return;
        }
        let before_end = game.moves().len().saturating_sub(END);
        let quiet = game.positions().take(before_end).skip(OPENING);
        let mut quiet: Vec<Board> = quiet.filter(|board| !board.is_check()).collect();
        random.shuffle(&mut quiet);
        let won = winner == Colour::Black;
        let chosen = quiet.iter().take(most);
        let number = self.sampled();
        self.samples
            .extend(chosen.map(|board| Sample::new(board, won, number)));
        self.games += 1;
    }

    /// The number of games with a position.
    fn sampled(&self) -> usize {
        self.samples.last().map_or(0, |sample| sample.game + 1)
    }

    /// The number of games.
    #[must_use]
    pub const fn games(&self) -> usize {
        self.games
    }

    /// The number of positions.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.samples.len()
    }
}

obook_base::named! {
    /// The weights that a fit is free to choose.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Model {
        /// The worth of a centipawn of material, in hand or on the board.
        Material = "material alone",
        /// The same for a centipawn of the published evaluation.
        Published = "published constants",
        /// Material, material on the board, and the side to move.
        Pieces = "pieces and turn",
        /// These, and the weights of effects at both kings: a / (d + 1) and b / (d + 1).
        Weights = "weights a/(d+1), b/(d+1)",
        /// The same with a free weight for each distance.
        Distances = "a weight for each distance",
        /// As [`Model::Weights`], with free worths of several effects on one square.
        Curve = "weights and curve",
    }
}

/// The published worth of several effects together, in those of one; five stand for five or more.
#[must_use]
pub fn published_curve() -> [f64; NUMBERS] {
    std::array::from_fn(|at| f64::from(TOGETHER[at + 1]) / f64::from(TOGETHER[1]))
}

/// The result of fitting a [`Model`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "database", derive(serde::Serialize))]
pub struct Fit {
    /// Centipawns of material for odds of e to 1; of the published evaluation, if that was fitted.
    pub scale: f64,
    /// The share by which a piece on the board is worth less than in hand.
    pub on_board: f64,
    /// The worth of the right to move, in centipawns.
    pub turn: f64,
    /// The worth of one effect in centipawns, by the distance from the own king.
    pub own: [f64; DISTANCES],
    /// The same from the other king.
    pub other: [f64; DISTANCES],
    /// The worth of 1 to 4 and more effects on one square, relative to one.
    pub curve: [f64; NUMBERS],
}

/// Rounds in which weights and curve are fitted in turn.
const ROUNDS: usize = 12;

impl Fit {
    fn new(model: Model, samples: &[&Sample]) -> (Vec<f64>, Self) {
        let mut curve = published_curve();
        let mut weights = regress(samples, |sample| features(model, sample, &curve));
        if model == Model::Curve {
            for _ in 0..ROUNDS {
                let (a, b) = (weights[4], weights[5]);
                let of_numbers = regress(samples, |sample| {
                    let mut row = features(Model::Pieces, sample, &curve);
                    row.extend((0..NUMBERS).map(|number| {
                        let sum = |table: &Table| by_distance(table, |row| row[number]);
                        a * sum(&sample.own) + b * sum(&sample.other)
                    }));
                    row
                });
                let worths = &of_numbers[4..];
                curve = std::array::from_fn(|at| worths[at] / worths[0]);
                weights = regress(samples, |sample| features(model, sample, &curve));
            }
        }
        let fit = Self::of_weights(model, &weights, curve);
        (weights, fit)
    }

    fn of_weights(model: Model, weights: &[f64], curve: [f64; NUMBERS]) -> Self {
        // Weights are for the logarithm of the odds, and the first for 100 centipawns.
        let scale = 100.0 / weights[1];
        let at = |index: usize| weights.get(index).map_or(0.0, |weight| weight * scale);
        let falling = |weight: f64| std::array::from_fn(|at| weight / (at as f64 + 1.0));
        let (own, other) = match model {
            Model::Distances => (
                std::array::from_fn(|distance| at(4 + distance)),
                std::array::from_fn(|distance| at(4 + DISTANCES + distance)),
            ),
            // All zeros without weights of effects.
            _ => (falling(at(4)), falling(at(5))),
        };
        let is_large = !matches!(model, Model::Material | Model::Published);
        Self {
            scale,
            on_board: if is_large { -at(2) / 100.0 } else { 0.0 },
            turn: if is_large { at(3) } else { 0.0 },
            own,
            other,
            curve,
        }
    }

    /// The published shape `1 + c · (1 − x^(m − 1))` that is nearest to the curve, as c and x. The published constants are 5.216 and
    /// 0.8525.
    #[must_use]
    pub fn shape(&self) -> [f64; 2] {
        let fitted = |x: f64| {
            let base = (0..NUMBERS).map(|power| 1.0 - x.powi(power as i32));
            let base: Vec<f64> = base.collect();
            let above: Vec<f64> = self.curve.iter().map(|worth| worth - 1.0).collect();
            let c = dot(&base, &above) / dot(&base, &base);
            let errors = base.iter().zip(&self.curve);
            let errors = errors.map(|(base, worth)| (1.0 + c * base - worth).powi(2));
            (errors.sum::<f64>(), c)
        };
        let all = (1..1000).map(|thousandths| f64::from(thousandths) / 1000.0);
        let best = all.min_by(|one, other| fitted(*one).0.total_cmp(&fitted(*other).0));
        let best = best.unwrap_or(0.5);
        [fitted(best).1, best]
    }
}

/// The sum of products.
fn dot<'a>(one: &'a [f64], other: impl IntoIterator<Item = &'a f64>) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// Sums a table of effects, each distance with its part of a falling weight.
fn by_distance(table: &Table, part: impl Fn(&[f64; NUMBERS]) -> f64) -> f64 {
    let rows = (1..).zip(table);
    rows.map(|(next, row)| part(row) / f64::from(next)).sum()
}

/// The numbers that a model's weights are for; the first is always 1.
fn features(model: Model, sample: &Sample, curve: &[f64; NUMBERS]) -> Vec<f64> {
    let mut row = vec![1.0, sample.material];
    let together = |row: &[f64; NUMBERS]| dot(row, curve);
    match model {
        Model::Material => return row,
        Model::Published => return vec![1.0, sample.published],
        _ => row.extend([sample.on_board, sample.turn]),
    }
    match model {
        Model::Weights | Model::Curve => {
            row.extend([&sample.own, &sample.other].map(|table| by_distance(table, together)));
        }
        Model::Distances => row.extend(sample.own.iter().chain(&sample.other).map(together)),
        _ => {}
    }
    row
}

/// The chance that a sum of weighted numbers stands for.
fn chance(row: &[f64], weights: &[f64]) -> f64 {
    1.0 / (1.0 + (-dot(row, weights)).exp())
}

/// Steps of Newton's method; it converges in fewer.
const STEPS: usize = 30;
/// Keeps weights finite where the samples don't determine them.
const RIDGE: f64 = 1e-3;

/// Logistic regression by Newton's method.
fn regress(samples: &[&Sample], features: impl Fn(&Sample) -> Vec<f64>) -> Vec<f64> {
    let rows: Vec<Vec<f64>> = samples.iter().map(|sample| features(sample)).collect();
    let size = rows.first().map_or(0, Vec::len);
    let mut weights = vec![0.0; size];
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| -RIDGE * weight).collect();
        let mut curvature = vec![vec![0.0; size]; size];
        for (row, sample) in rows.iter().zip(samples) {
            let chance = chance(row, &weights);
            let (error, spread) = (sample.won - chance, chance * (1.0 - chance));
            for (at, one) in row.iter().enumerate() {
                gradient[at] += error * one;
                for (sum, other) in curvature[at][..=at].iter_mut().zip(row) {
                    *sum += spread * one * other;
                }
            }
        }
        (0..size).for_each(|at| curvature[at][at] += RIDGE);
        let step = solve(curvature, gradient);
        for (weight, step) in weights.iter_mut().zip(&step) {
            *weight += step;
        }
        if step.iter().all(|step| step.abs() < 1e-9) {
            break;
        }
    }
    weights
}

/// Solves a positive definite system, given by its lower triangle, by Cholesky's decomposition.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for row in 0..size {
        for column in 0..=row {
            let product = |at: usize| matrix[row][at] * matrix[column][at];
            let rest = matrix[row][column] - (0..column).map(product).sum::<f64>();
            matrix[row][column] = if row == column {
                rest.max(f64::MIN_POSITIVE).sqrt()
            } else {
                rest / matrix[column][column]
            };
        }
        let known: f64 = (0..row).map(|at| matrix[row][at] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|at| matrix[at][row] * right[at]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

/// A model's fit to all games, and how well it predicts.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "database", derive(serde::Serialize))]
pub struct Report {
    /// The name of the model.
    pub model: &'static str,
    /// The log loss on the games that it was fitted to.
    pub log_loss: f64,
    /// The log loss on games that the fit has not seen: each game in turn, with a fit to the games of the other parts.
    pub held_out: f64,
    /// The standard error of that mean. Positions of one game count as one.
    pub standard_error: f64,
    /// Its fit to all games.
    #[cfg_attr(feature = "database", serde(flatten))]
    pub fit: Fit,
    /// The [shape](Fit::shape) of the fit's curve.
    pub shape: [f64; 2],
}

/// Parts into which games are divided for [`Report::held_out`].
pub const PARTS: usize = 10;

impl Samples {
    /// Fits a model. `None` if fewer games than [`PARTS`] have a position.
    ///
    /// Games belong to parts in the order in which they were added, so the result is always the same.
    #[must_use]
    pub fn fit(&self, model: Model) -> Option<Report> {
        let games = self.sampled();
        if games < PARTS {
            return None;
        }
        let all: Vec<&Sample> = self.samples.iter().collect();
        let (weights, fit) = Fit::new(model, &all);
        let loss = |sample: &Sample, weights: &[f64], curve: &[f64; NUMBERS]| {
            let chance = chance(&features(model, sample, curve), weights);
            let chance = match sample.won > 0.5 {
                true => chance,
                false => 1.0 - chance,
            };
            -chance.max(f64::MIN_POSITIVE).ln()
        };
        let losses = all.iter().map(|it| loss(it, &weights, &fit.curve));
        let log_loss = losses.sum::<f64>() / all.len() as f64;
        // Of each game, the sum of the losses and the number of positions.
        let mut games = vec![(0.0, 0.0); games];
        for part in 0..PARTS {
            let is_held = |sample: &&&Sample| sample.game % PARTS == part;
            let rest = all.iter().filter(|sample| !is_held(sample)).copied();
            let rest: Vec<&Sample> = rest.collect();
            let (weights, fit) = Fit::new(model, &rest);
            for sample in all.iter().filter(is_held) {
                let game = &mut games[sample.game];
                game.0 += loss(sample, &weights, &fit.curve);
                game.1 += 1.0;
            }
        }
        let positions: f64 = games.iter().map(|game| game.1).sum();
        let held_out = games.iter().map(|game| game.0).sum::<f64>() / positions;
        let squares = games.iter();
        let squares = squares.map(|(sum, positions)| (sum - held_out * positions).powi(2));
        Some(Report {
            model: model.name(),
            log_loss,
            held_out,
            standard_error: squares.sum::<f64>().sqrt() / positions,
            shape: fit.shape(),
            fit,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Positions from random games, with results drawn by the chances that the published formula gives at this scale.
    fn drawn(positions: usize, scale: f64) -> Samples {
        let mut random = fastrand::Rng::with_seed(7);
        let mut samples = Samples::default();
        while samples.positions() < positions {
            let mut board = Board::start();
            for _ in 0..random.usize(20..90) {
                let moves = board.children();
                let Some((_, child)) = random.choice(moves) else {
                    break;
                };
                board = child;
            }
            let mut sample = Sample::new(&board, false, samples.games);
            let chance = 1.0 / (1.0 + (-sample.published * 100.0 / scale).exp());
            sample.won = f64::from(u8::from(random.f64() < chance));
            samples.samples.push(sample);
            samples.games += 1;
        }
        samples
    }

    /// Law (Shogi): A fit finds the constants that simulated results follow, and is deterministic.
    /// Also: `a_fit_is_always_the_same` `the_published_curve_has_the_published_shape` `systems_are_solved`
    #[test]
    fn a_fit_finds_the_constants_that_the_results_follow() {
        let samples = drawn(3_000, 800.0);
        let report = |model| samples.fit(model).expect("there are games");
        let published = report(Model::Published);
        assert!((published.fit.scale - 800.0).abs() < 80.0, "{published:?}");
        let weights = report(Model::Weights);
        let Fit {
            own,
            other,
            on_board,
            ..
        } = weights.fit;
        assert!(
            (own[0] - 85.0).abs() < 30.0 && (other[0] - 98.0).abs() < 30.0,
            "{own:?} {other:?}"
        );
        assert!((on_board - 104.0 / 1024.0).abs() < 0.2, "{on_board}");
        // The truth predicts best; free parameters can only do better on what they were fitted to.
        let material = report(Model::Material);
        assert!(published.held_out < material.held_out);
        let losses = [
            Model::Material,
            Model::Pieces,
            Model::Weights,
            Model::Distances,
        ]
        .map(|model| report(model).log_loss);
        assert!(losses.is_sorted_by(|one, other| one >= other), "{losses:?}");
    }

    #[test]
    fn a_fit_is_always_the_same() {
        assert_eq!(
            drawn(200, 600.0).fit(Model::Curve),
            drawn(200, 600.0).fit(Model::Curve)
        );
        assert_eq!(drawn(PARTS - 1, 600.0).fit(Model::Curve), None);
    }

    #[test]
    fn the_published_curve_has_the_published_shape() {
        let fit = Fit {
            scale: 1.0,
            on_board: 0.0,
            turn: 0.0,
            own: [0.0; DISTANCES],
            other: [0.0; DISTANCES],
            curve: published_curve(),
        };
        let [c, x] = fit.shape();
        assert!(
            (c - 5341.0 / 1024.0).abs() < 0.05 && (x - 0.8525).abs() < 0.002,
            "{c} {x}"
        );
    }

    /// A system with a known solution.
    #[test]
    fn systems_are_solved() {
        let matrix = vec![
            vec![4.0, 0.0, 0.0],
            vec![2.0, 5.0, 0.0],
            vec![1.0, 3.0, 6.0],
        ];
        // 4x + 2y + z = 7, 2x + 5y + 3z = 10, x + 3y + 6z = 10.
        let found = solve(matrix, vec![7.0, 10.0, 10.0]);
        assert!(
            found.iter().all(|value| (value - 1.0).abs() < 1e-12),
            "{found:?}"
        );
    }
}
