//! How well ratings predict games that they were not made of.

use crate::ratings::plays::{Play, Plays, count};
use crate::ratings::rating::{Method, Settings, for_each};
use obook_model::Outcomes;
use obook_othello::CanonicalBoard;
use std::fmt;

/// What predicts a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Predictor {
    /// The mean result of the earlier games that reached the position.
    Mean,
    /// One of the evaluations, of the earlier games.
    Rating(Method),
    /// The score that a book has for the position.
    Score,
}

/// Earlier games against later ones, in groups of positions.
#[derive(Clone, PartialEq, Debug)]
pub struct Comparison {
    /// By how many of the earlier games reached a position: 1, 2 or 3, 4 to 7, …
    pub by_games: Vec<Group>,
    /// By discs placed: 0 to 4, 5 to 9, …
    pub by_ply: Vec<Group>,
}

/// Positions that have something in common, and how well they were predicted.
#[derive(Clone, PartialEq, Debug)]
pub struct Group {
    /// The least of what they have in common: games or plies.
    pub from: u64,
    /// The most of it.
    pub to: u64,
    /// How many of the later games went through one of them, counted once for each position.
    pub predictions: u64,
    /// The mean squared error of predicting the mean result of all of them: what a predictor has to be better than.
    pub spread: f64,
    /// Each predictor with how good it was.
    pub fits: Vec<(Predictor, Fit)>,
}

/// How good a predictor was.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fit {
    /// Of two games, one won and one lost by the side to move, how often the one that was won had the higher prediction; where both
    /// had the same it counts half. 1/2 is what a coin finds. `None` where no game was won, or none lost.
    pub order: Option<f64>,
    /// The mean of (prediction − result)², where a win is 1 and a draw 1/2. `None` for scores, which are no shares.
    pub error: Option<f64>,
}

/// A prediction with the results that it was for.
type Predicted = (f64, Outcomes);

/// Groups of plies are so wide.
const PLIES: u64 = 5;

impl Predictor {
    /// All, in the order in which they are told.
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

impl fmt::Display for Predictor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Comparison {
    /// Rates positions by `earlier` games and compares the ratings with the results of `later` ones.
    ///
    /// With scores only positions that have one count, for all predictors alike: `score` gives it for the side to move.
    pub fn new(
        earlier: &mut Plays,
        later: &mut Plays,
        settings: &Settings,
        score: Option<&dyn Fn(CanonicalBoard) -> Option<i8>>,
    ) -> Comparison {
        later.put_in_order();
        let all = Predictor::ALL.into_iter();
        let predictors = all.filter(|at| score.is_some() || *at != Predictor::Score);
        let predictors: Vec<Predictor> = predictors.collect();
        let mut by_games = Groups::new(&predictors);
        let mut by_ply = Groups::new(&predictors);
        for_each(earlier, settings, |play, rating| {
            let Some(results) = later.find(play.board).map(|play| play.games) else {
                return;
            };
            let known = score.map(|score| score(play.board));
            if known == Some(None) {
                return;
            }
            let values: Vec<f64> = predictors
                .iter()
                .map(|predictor| match predictor {
                    Predictor::Mean => play.mean(),
                    Predictor::Rating(method) => rating.of(*method),
                    Predictor::Score => known.flatten().unwrap_or(0).into(),
                })
                .collect();
            by_games.add(play.count().ilog2().into(), &values, results);
            by_ply.add(ply(play) / PLIES, &values, results);
        });
        Comparison {
            by_games: by_games.finish(|at| (1 << at, (1 << (at + 1)) - 1)),
            by_ply: by_ply.finish(|at| (PLIES * at, PLIES * at + PLIES - 1)),
        }
    }
}

fn ply(play: &Play) -> u64 {
    play.board.board().ply() as u64
}

/// Groups by a number.
struct Groups<'a> {
    predictors: &'a [Predictor],
    /// By the number, then by the predictor.
    predicted: Vec<Vec<Vec<Predicted>>>,
}

impl Groups<'_> {
    fn new(predictors: &[Predictor]) -> Groups<'_> {
        Groups {
            predictors,
            predicted: Vec::new(),
        }
    }

    fn add(&mut self, at: u64, values: &[f64], results: Outcomes) {
        let at = at as usize;
        if self.predicted.len() <= at {
            let empty = vec![Vec::new(); self.predictors.len()];
            self.predicted.resize(at + 1, empty);
        }
        for (predicted, value) in self.predicted[at].iter_mut().zip(values) {
            predicted.push((*value, results));
        }
    }

    /// The groups that have predictions; `range` says which numbers one stands for.
    fn finish(self, range: impl Fn(u64) -> (u64, u64)) -> Vec<Group> {
        let groups = self.predicted.into_iter().zip(0..);
        groups
            .filter(|(predicted, _)| !predicted[0].is_empty())
            .map(|(predicted, at)| {
                let (from, to) = range(at);
                let results = predicted[0].iter().map(|(_, results)| *results);
                let results: Vec<Outcomes> = results.collect();
                let predictions = results.iter().map(|results| count(*results)).sum();
                let fits = self.predictors.iter().zip(predicted);
                Group {
                    from,
                    to,
                    predictions,
                    spread: spread(&results),
                    fits: fits
                        .map(|(predictor, predicted)| (*predictor, fit(*predictor, predicted)))
                        .collect(),
                }
            })
            .collect()
    }
}

/// The error of predicting the mean of all results.
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

fn fit(predictor: Predictor, mut predicted: Vec<Predicted>) -> Fit {
    predicted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let games: f64 = predicted.iter().map(|(_, at)| count(*at) as f64).sum();
    let error = predicted.iter().map(|(value, at)| errors(*value, *at));
    let error = (predictor != Predictor::Score).then(|| error.sum::<f64>() / games);
    // Won games with all lost ones below them, equal predictions together.
    let (mut lost, mut won, mut right) = (0.0, 0.0, 0.0);
    for equal in predicted.chunk_by(|one, other| one.0 == other.0) {
        let wins: f64 = equal.iter().map(|(_, at)| f64::from(at.wins)).sum();
        let losses: f64 = equal.iter().map(|(_, at)| f64::from(at.losses)).sum();
        right += wins * (lost + losses / 2.0);
        lost += losses;
        won += wins;
    }
    let order = (won > 0.0 && lost > 0.0).then(|| right / (won * lost));
    Fit { order, error }
}
