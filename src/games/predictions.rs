//! How well ratings from earlier games predict the results of later ones.

use crate::{Error, Lookup, Progress, Result};
use obook_games::ratings::{Comparison, PlayedPositions, Predicted, Predictor, Settings};
use obook_games::{Game, Score};
use serde::Serialize;
use std::cell::RefCell;

/// The comparison of several predictors.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct Predictions {
    /// The first year of the later games.
    pub since: u16,
    /// The number of games before it, which the ratings are based on.
    pub earlier: u64,
    /// The number of games since then, which the ratings are compared with.
    pub later: u64,
    /// Games without a year or result, or with a wrong record.
    pub left_out: u64,
    /// The names of the predictors.
    pub predictors: Vec<&'static str>,
    /// Results by the number of earlier games that reached the position.
    pub by_games: Vec<Predicted>,
    /// Results by the number of discs placed.
    pub by_ply: Vec<Predicted>,
}

/// Rates positions by the games before a year and compares the ratings with the results of the games since. A game with a
/// wrong record is given as `None`. With a book, only its positions with a value count, and its values are compared too.
///
/// # Errors
/// Returns the first error among the games, or an error if the book can't be read.
pub fn predictions(
    games: impl IntoIterator<Item = Result<Option<Game>>>,
    since: u16,
    settings: &Settings,
    book: Option<&Lookup>,
    progress: &Progress,
) -> Result<Predictions> {
    let (mut earlier, mut later) = (PlayedPositions::default(), PlayedPositions::default());
    let (mut before, mut after, mut left_out) = (0, 0, 0);
    progress.step("reading games", None);
    for game in games {
        progress.advance(1);
        let known = game?.and_then(|game| {
            let score = game.score.or_else(|| Score::at_end(game.line()))?;
            Some((game.date.year()?, score, game))
        });
        let Some((year, score, game)) = known else {
            left_out += 1;
            continue;
        };
        let (plays, games) = match year < since {
            true => (&mut earlier, &mut before),
            false => (&mut later, &mut after),
        };
        plays.add(game.line(), score);
        *games += 1;
    }
    progress.step("comparing", None);
    let failed: RefCell<Option<Error>> = RefCell::new(None);
    let score = |board| match book?.position(board) {
        Ok(position) => i8::try_from(position?.value?).ok(),
        Err(error) => {
            failed.borrow_mut().get_or_insert(error);
            None
        }
    };
    let score = book.map(|_| &score as &dyn Fn(_) -> _);
    let comparison = Comparison::new(&mut earlier, &mut later, settings, score);
    if let Some(error) = failed.take() {
        return Err(error);
    }
    let predictors = comparison.predictors.into_iter();
    Ok(Predictions {
        since,
        earlier: before,
        later: after,
        left_out,
        predictors: predictors.map(Predictor::name).collect(),
        by_games: comparison.by_games,
        by_ply: comparison.by_ply,
    })
}
