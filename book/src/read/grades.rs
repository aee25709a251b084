//! Grades of single positions, which read only the part of a book that they need, and a comparison of ratings with the
//! results of later games.

use crate::read::lookup::{left_the_book, positions_on};
use crate::read::view::as_text;
use crate::{Book, Error, Lookup, Progress, Result, Store, load};
use foldhash::HashMap;
use obook_games::ratings::{Comparison, Fit, Group, PlayedPositions, Predictor, Settings};
use obook_games::{Game, Score};
use obook_graph::Graph;
use obook_graph::accuracy::{Accuracy, Grading, MARGINS};
use obook_model::Position;
use obook_othello::{CanonicalBoard, Line};
use serde::Serialize;
use std::cell::RefCell;
use std::collections::hash_map::Entry;

/// Most positions that are looked up one by one. Beyond this, reading the whole book is as fast.
const LOOKUPS: usize = 100_000;

/// A position of a line and its grade.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Graded {
    /// The moves that lead to it.
    #[serde(serialize_with = "as_text")]
    pub line: Line,
    /// `None` if the book lacks it.
    #[serde(flatten)]
    pub accuracy: Option<Accuracy>,
}

/// Grades the position at the end of a line, which the book must have. With `every`, also grades all positions before it.
///
/// # Errors
/// Returns an error if the book can't be read, or if it ends before the line does (the error says where).
pub fn grades_on(
    book: &Book,
    line: &Line,
    every: bool,
    grading: Grading,
    progress: &Progress,
) -> Result<Vec<Graded>> {
    let way: Vec<CanonicalBoard> = positions_on(line).collect();
    let first = if every { 0 } else { line.moves().len() };
    let graph = graph_around(book, &way[first..], progress)?;
    if graph.find(line.board().canonical()).is_none() {
        let found = book.find(&way)?;
        let known = way.iter().take_while(|board| found.contains_key(board));
        return Err(left_the_book(book.path(), line, known.count()));
    }
    let grade = |moves: usize| Graded {
        line: line.prefix(moves),
        accuracy: graph
            .find(way[moves])
            .map(|id| Accuracy::new(&graph, id, grading)),
    };
    Ok((first..way.len()).map(grade).collect())
}

/// A graph in which these positions have the grades that they have in the whole book.
///
/// Only the positions that good lines reach are read from a database, unless they are a large part of it.
///
/// # Errors
/// As [`load`].
pub fn graph_around(book: &Book, boards: &[CanonicalBoard], progress: &Progress) -> Result<Graph> {
    if let Book::Database(store) = book
        && let Some(reached) = reached_from(store, boards, LOOKUPS)?
    {
        let mut builder = Graph::builder();
        reached
            .into_values()
            .flatten()
            .for_each(|position| builder.push(position));
        let (graph, _) = builder.finish().map_err(Error::too_large(book.path()))?;
        return Ok(graph);
    }
    load(book, progress)
}

/// The positions that links within the wider margin lead to, or `None` if there are more than `most`. Boards that the book
/// lacks are included, so that each board is looked up only once.
fn reached_from(
    store: &Store,
    boards: &[CanonicalBoard],
    most: usize,
) -> Result<Option<HashMap<CanonicalBoard, Option<Position>>>> {
    let mut reached: HashMap<CanonicalBoard, Option<Position>> = HashMap::default();
    for board in boards {
        reached.insert(*board, store.position(*board)?);
    }
    let mut open: Vec<Position> = reached.values().flatten().cloned().collect();
    while let Some(position) = open.pop() {
        let mut best = None;
        // Links are sorted best first, so the first one with a child in the book is the best.
        for link in &position.links {
            let score = link.score.map(i16::from);
            let is_far = |best: i16| score.is_some_and(|score| score < best - MARGINS[1]);
            if best.is_some_and(is_far) {
                continue;
            }
            let Some(child) = position.board.board().play(link.mv) else {
                continue;
            };
            let there = match reached.entry(child.canonical()) {
                Entry::Occupied(known) => known.get().is_some(),
                Entry::Vacant(unknown) => {
                    let found = store.position(*unknown.key())?;
                    open.extend(found.clone());
                    unknown.insert(found).is_some()
                }
            };
            if there {
                best = best.max(score);
            }
        }
        if reached.len() > most {
            return Ok(None);
        }
    }
    Ok(Some(reached))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;
    use obook_othello::Board;
    use obook_testing::imported::import_file;

    #[test]
    fn gives_up_if_the_lines_reach_too_many_positions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        let file =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/edax/games.dat");
        let context = Context::default();
        import_file(&file, &path, &context).unwrap();
        let store = Store::open(&path, &context).unwrap();
        let start = [Board::START.canonical()];
        let reached = reached_from(&store, &start, LOOKUPS)
            .unwrap()
            .unwrap()
            .len();
        assert!(reached > 100);
        assert!(reached_from(&store, &start, reached).unwrap().is_some());
        assert!(reached_from(&store, &start, reached - 1).unwrap().is_none());
    }
}

/// How well ratings from earlier games predict later ones.
#[derive(Clone, PartialEq, Debug, Serialize)]
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

/// A group of positions.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Predicted {
    /// The least number of games or plies.
    pub from: u64,
    /// The most.
    pub to: u64,
    /// The number of later games through these positions, counted once per position.
    pub predictions: u64,
    /// The mean squared error of always predicting the mean result.
    pub spread: f64,
    /// For each predictor, the share of pairs of a won and a lost game in which the won game had the higher prediction: see
    /// [`Fit::order`].
    pub order: Vec<Option<f64>>,
    /// The mean squared error of each predictor: see [`Fit::error`].
    pub error: Vec<Option<f64>>,
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
