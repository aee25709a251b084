//! Samples: positions with the scores that the evaluator is to learn.

use crate::positions::{Game, HELD_OUT_FROM};
use obook_engine::{Evaluator, Inside, Request};
use obook_othello::Board;
use rayon::prelude::*;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A position, and the score for the side to move that the evaluator is to learn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sample {
    pub(crate) board: Board,
    pub(crate) score: i8,
}

/// The size of a sample in a file, in bytes.
const SIZE: usize = 17;

/// Writes samples to a file.
pub(crate) fn write(path: &Path, samples: &[Sample]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(samples.len() * SIZE);
    for sample in samples {
        bytes.extend(sample.board.player().to_le_bytes());
        bytes.extend(sample.board.opponent().to_le_bytes());
        bytes.push(sample.score as u8);
    }
    let partial = path.with_extension("partial");
    fs::write(&partial, bytes)?;
    fs::rename(partial, path)
}

/// Reads the samples in a file written by [`write()`].
pub(crate) fn read(path: &Path) -> io::Result<Vec<Sample>> {
    let bytes = fs::read(path)?;
    let wrong = || io::Error::other(format!("{} contains no samples", path.display()));
    let (records, []) = bytes.as_chunks::<SIZE>() else {
        return Err(wrong());
    };
    records
        .iter()
        .map(|record| {
            let set = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| record[at + i]));
            Ok(Sample {
                board: Board::new(set(0), set(8)).map_err(|_| wrong())?,
                score: record[16] as i8,
            })
        })
        .collect()
}

/// Samples from games alone.
#[derive(Default)]
pub(crate) struct Labels {
    /// Solved positions.
    pub(crate) exact: Vec<Sample>,
    /// Positions before the solved ones.
    pub(crate) outcomes: Vec<Sample>,
    /// Solved positions for tests.
    pub(crate) held_out: Vec<Sample>,
}

/// Labels the positions of games: those with at most `exact` empty squares with their exact score, and earlier ones with the score
/// of the first solved position, as if both sides had played well until then.
pub(crate) fn outcomes(
    games: &[(u16, Game)],
    evaluator: &Arc<Evaluator>,
    exact: u32,
    seed: u64,
) -> Labels {
    let mut order: Vec<&(u16, Game)> = games.iter().collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut order);
    let solved = searched(order.par_iter(), evaluator, |inside, (year, game)| {
        let (mut solved, mut before) = (Vec::new(), Vec::new());
        let mut outcome = None;
        for &(board, side) in game {
            if board.empties() <= exact
                && !board.is_over()
                && let Some(score) = score(inside, board, 60, 100)
            {
                solved.push(Sample { board, score });
                outcome = outcome.or(Some((board.empties(), side, score)));
            }
        }
        if let Some((empties, winner, score)) = outcome {
            for &(board, side) in game.iter().filter(|(b, _)| b.empties() > empties) {
                let score = if side == winner { score } else { -score };
                before.push(Sample { board, score });
            }
        }
        (*year >= HELD_OUT_FROM, solved, before)
    });
    let mut labels = Labels::default();
    for (held_out, solved, before) in solved {
        if held_out {
            labels.held_out.extend(solved);
        } else {
            labels.exact.extend(solved);
            labels.outcomes.extend(before);
        }
    }
    labels
}

/// How a generation labels positions for the next one to learn from.
pub(crate) struct Labelling {
    /// The number of positions of games.
    pub(crate) games: usize,
    /// The number of positions at the ends of walks.
    pub(crate) walks: usize,
    pub(crate) depth: u8,
    pub(crate) probability: u8,
    /// The maximum number of empty squares of positions that are solved.
    pub(crate) exact: u32,
}

/// Labels boards with the score of a search.
pub(crate) fn search(
    boards: &[Board],
    evaluator: &Arc<Evaluator>,
    labelling: &Labelling,
) -> Vec<Sample> {
    let done = AtomicUsize::new(0);
    let all = boards.par_iter().with_max_len(64);
    let samples = searched(all, evaluator, |inside, &board| {
        let count = done.fetch_add(1, Ordering::Relaxed);
        if count % 50_000 == 49_999 {
            eprintln!("{} of {} positions searched", count + 1, boards.len());
        }
        let (depth, probability) = match board.empties() <= labelling.exact {
            true => (60, 100),
            false => (labelling.depth, labelling.probability),
        };
        let score = score(inside, board, depth, probability)?;
        Some(Sample { board, score })
    });
    samples.into_iter().flatten().collect()
}

/// The score of a search; `None` if the game is over.
pub(crate) fn score(inside: &mut Inside, board: Board, depth: u8, probability: u8) -> Option<i8> {
    let request = Request::new(board, 60).ok()?;
    let answer = inside.search_to(&request, depth, probability);
    Some(answer.ok()?.score)
}

/// The results of searches side by side, in order; each thread has an engine of its own.
pub(crate) fn searched<T, R: Send>(
    all: impl IndexedParallelIterator<Item = T>,
    evaluator: &Arc<Evaluator>,
    search: impl Fn(&mut Inside, T) -> R + Sync + Send,
) -> Vec<R> {
    let engine = || Inside::with(Arc::clone(evaluator));
    all.map_init(engine, search).collect()
}
