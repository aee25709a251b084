//! Measuring how well ratings predict later games.

use crate::ratings::layers::for_each;
use crate::ratings::played::{PlayedPositions, count};
use crate::ratings::{Method, Settings};
use obook_othello::{CanonicalBoard, Outcomes};
use serde::Serialize;
use std::collections::BTreeMap;

/// A predictor of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Predictor {
    /// The mean result of earlier games in the position.
    Mean,
    /// A rating by earlier games.
    Rating(Method),
    /// The score of the position in a book.
    Score,
}

/// Predictions from earlier games compared with the results of later ones, in groups of positions.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// The predictors.
    pub predictors: Vec<Predictor>,
    /// Grouped by the number of earlier games in a position: 1, 2 to 3, 4 to 7, …
    pub by_games: Vec<Predicted>,
    /// Grouped by ply: 0 to 4, 5 to 9, …
    pub by_ply: Vec<Predicted>,
}

/// A group of positions, and how well the predictors did.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Predicted {
    /// The lowest number of games or ply of the group.
    pub from: u64,
    /// The highest number of games or ply of the group.
    pub to: u64,
    /// The number of later games in its positions, counted once for each position.
    pub predictions: u64,
    /// The mean squared error of always predicting the mean result of the group: what a predictor has to beat.
    pub spread: f64,
    /// For each predictor, the share of pairs of a won and a lost game in which the won game has the higher prediction; equal
    /// predictions count half. Chance is 1/2. `None` if no game was won or none was lost.
    pub order: Vec<Option<f64>>,
    /// For each predictor, the mean of (prediction − result)², with 1 for a win and 1/2 for a draw. `None` for scores, which are not
    /// probabilities.
    pub error: Vec<Option<f64>>,
}

/// A prediction, and the results it was for.
type Prediction = (f64, Outcomes);

/// The width of a group of plies.
const PLIES: u64 = 5;

impl Predictor {
    /// All predictors, in the order of reports.
    pub const ALL: [Predictor; 5] = [
        Predictor::Mean,
        Predictor::Rating(Method::Probability),
        Predictor::Rating(Method::Expectation1),
        Predictor::Rating(Method::Expectation2),
        Predictor::Score,
    ];

    /// `mean`, `probability`, `expectation1`, `expectation2` or `score`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Predictor::Mean => "mean",
            Predictor::Rating(method) => method.name(),
            Predictor::Score => "score",
        }
    }
}

impl Comparison {
    /// Rates positions by `earlier` games, and compares the ratings with the results of `later` ones.
    ///
    /// `score` returns the score of a position for the side to move. If it is given, only positions with a score count, for all
    /// predictors.
    pub fn new(
        earlier: &mut PlayedPositions,
        later: &mut PlayedPositions,
        settings: &Settings,
        score: Option<&dyn Fn(CanonicalBoard) -> Option<i8>>,
    ) -> Comparison {
        later.sort();
        let all = Predictor::ALL.into_iter();
        let predictors = all.filter(|at| score.is_some() || *at != Predictor::Score);
        let predictors: Vec<Predictor> = predictors.collect();
        let (mut by_games, mut by_ply) = (Groups::default(), Groups::default());
        for_each(earlier, settings, |play, rating| {
            let Some(results) = later.find(play.board).map(|play| play.games) else {
                return;
            };
            let known = score.map(|score| score(play.board));
            if known == Some(None) {
                return;
            }
            let value = |predictor: &Predictor| match predictor {
                Predictor::Mean => play.mean(),
                Predictor::Rating(method) => rating.of(*method),
                Predictor::Score => known.flatten().unwrap_or(0).into(),
            };
            let values: Vec<f64> = predictors.iter().map(value).collect();
            by_games.add(play.count().ilog2().into(), &values, results);
            by_ply.add(play.board.board().ply() as u64 / PLIES, &values, results);
        });
        Comparison {
            by_games: by_games.finish(&predictors, |at| (1 << at, (1 << (at + 1)) - 1)),
            by_ply: by_ply.finish(&predictors, |at| (PLIES * at, PLIES * at + PLIES - 1)),
            predictors,
        }
    }
}

/// Predictions, grouped by a number, then by predictor.
#[derive(Default)]
struct Groups(BTreeMap<u64, Vec<Vec<Prediction>>>);

impl Groups {
    fn add(&mut self, at: u64, values: &[f64], results: Outcomes) {
        let empty = || vec![Vec::new(); values.len()];
        let group = self.0.entry(at).or_insert_with(empty);
        for (predicted, value) in group.iter_mut().zip(values) {
            predicted.push((*value, results));
        }
    }

    /// The groups with predictions. `range` returns the range of values for the number of a group.
    fn finish(self, predictors: &[Predictor], range: impl Fn(u64) -> (u64, u64)) -> Vec<Predicted> {
        let group = |(at, predicted): (u64, Vec<Vec<Prediction>>)| {
            let (from, to) = range(at);
            let results = predicted[0].iter().map(|(_, results)| *results);
            let results: Vec<Outcomes> = results.collect();
            let predictions = results.iter().map(|results| count(*results)).sum();
            let fits = predictors.iter().zip(predicted);
            let fits = fits.map(|(predictor, predicted)| fit(*predictor, predicted));
            let (order, error) = fits.unzip();
            Predicted {
                from,
                to,
                predictions,
                spread: spread(&results),
                order,
                error,
            }
        };
        self.0.into_iter().map(group).collect()
    }
}

/// The mean squared error of always predicting the mean of the results.
fn spread(results: &[Outcomes]) -> f64 {
    let games: f64 = results.iter().map(|results| count(*results) as f64).sum();
    let share = |results: &Outcomes| f64::from(results.wins) + f64::from(results.draws) / 2.0;
    let mean = results.iter().map(share).sum::<f64>() / games;
    let errors = results.iter().map(|results| errors(mean, *results));
    errors.sum::<f64>() / games
}

/// The sum of the squared errors of one prediction.
fn errors(value: f64, results: Outcomes) -> f64 {
    f64::from(results.wins) * (value - 1.0).powi(2)
        + f64::from(results.draws) * (value - 0.5).powi(2)
        + f64::from(results.losses) * value.powi(2)
}

/// The order and the error of a predictor.
fn fit(predictor: Predictor, mut predicted: Vec<Prediction>) -> (Option<f64>, Option<f64>) {
    predicted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let games: f64 = predicted.iter().map(|(_, at)| count(*at) as f64).sum();
    let error = predicted.iter().map(|(value, at)| errors(*value, *at));
    let error = (predictor != Predictor::Score).then(|| error.sum::<f64>() / games);
    // Counts the pairs in order of prediction, with equal predictions together.
    let (mut lost, mut won, mut right) = (0.0, 0.0, 0.0);
    for equal in predicted.chunk_by(|one, other| one.0 == other.0) {
        let wins: f64 = equal.iter().map(|(_, at)| f64::from(at.wins)).sum();
        let losses: f64 = equal.iter().map(|(_, at)| f64::from(at.losses)).sum();
        right += wins * (lost + losses / 2.0);
        lost += losses;
        won += wins;
    }
    let order = (won > 0.0 && lost > 0.0).then(|| right / (won * lost));
    (order, error)
}
