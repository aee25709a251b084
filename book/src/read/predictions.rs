//! How well ratings that are made of games predict later games, and a book's scores beside them.

use crate::{Error, Lookup, Progress, Result};
use obook_games::ratings::{Comparison, Fit, Group, Plays, Predictor, Settings};
use obook_games::{Game, Score};
use serde::Serialize;
use std::cell::RefCell;

/// What earlier games say of later ones.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Predictions {
    /// The year with which the later games begin.
    pub since: u16,
    /// Games before it, of which the ratings are made.
    pub earlier: u64,
    /// Games from it on, which they are compared with.
    pub later: u64,
    /// Games whose year or result is not known, or whose record is wrong.
    pub left_out: u64,
    /// The predictors, each by its name.
    pub predictors: Vec<&'static str>,
    /// By how many of the earlier games reached a position.
    pub by_games: Vec<Predicted>,
    /// By the discs placed.
    pub by_ply: Vec<Predicted>,
}

/// A group of positions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Predicted {
    /// The least number of games or plies.
    pub from: u64,
    /// The most.
    pub to: u64,
    /// The later games that went through one of the positions, counted once for each.
    pub predictions: u64,
    /// The mean squared error of saying the mean result of all of them.
    pub spread: f64,
    /// Of two games, one won and one lost, the share in which the one that was won had the higher prediction: see [`Fit::order`].
    pub order: Vec<Option<f64>>,
    /// The mean squared error of each predictor: see [`Fit::error`].
    pub error: Vec<Option<f64>>,
}

/// Rates positions by the games from before a year, and compares the ratings with the results of those since; in place of a game
/// whose record is wrong comes `None`. With a book only its positions that have a value count, and its values are compared, too.
///
/// # Errors
/// The first error among the games, and where the book can't be read.
pub fn predictions(
    games: impl IntoIterator<Item = Result<Option<Game>>>,
    since: u16,
    settings: &Settings,
    book: Option<&Lookup>,
    progress: &Progress,
) -> Result<Predictions> {
    let (mut earlier, mut later) = (Plays::default(), Plays::default());
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
        let (plays, games) = if year < since {
            (&mut earlier, &mut before)
        } else {
            (&mut later, &mut after)
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
    let score: Option<&dyn Fn(_) -> _> = match book {
        Some(_) => Some(&score),
        None => None,
    };
    let comparison = Comparison::new(&mut earlier, &mut later, settings, score);
    if let Some(error) = failed.take() {
        return Err(error);
    }
    let all = Predictor::ALL.into_iter();
    let predictors = all.filter(|at| book.is_some() || *at != Predictor::Score);
    let groups = |groups: Vec<Group>| groups.into_iter().map(predicted).collect();
    Ok(Predictions {
        since,
        earlier: before,
        later: after,
        left_out,
        predictors: predictors.map(Predictor::name).collect(),
        by_games: groups(comparison.by_games),
        by_ply: groups(comparison.by_ply),
    })
}

fn predicted(group: Group) -> Predicted {
    let fits: Vec<Fit> = group.fits.iter().map(|(_, fit)| *fit).collect();
    Predicted {
        from: group.from,
        to: group.to,
        predictions: group.predictions,
        spread: group.spread,
        order: fits.iter().map(|fit| fit.order).collect(),
        error: fits.iter().map(|fit| fit.error).collect(),
    }
}
