//! Searches by obook's own engine, level after level.

use crate::api::{Hint, HintMove};
use crate::problem::Problem;
use crate::stream::Lines;
use obook_engine::{Answer, Inside, Limits, Request, SearchError, Searcher, Stop};
use obook_othello::{Line, Move};
use std::thread;

/// The default level.
pub(crate) const USUAL: u8 = 16;
/// The highest level.
pub(crate) const HIGHEST: u8 = 30;

/// Stops the search when it is dropped.
pub(crate) struct Searching(Stop);

impl Drop for Searching {
    fn drop(&mut self) {
        self.0.set();
    }
}

/// Lets a thread of its own search until the result is dropped. It ends with a problem, or with `None` if nobody wants to know more.
pub(crate) fn search(
    mut lines: Lines,
    work: impl FnOnce(&mut Lines, &Stop) -> Result<(), Option<Problem>> + Send + 'static,
) -> Searching {
    let stop = Stop::default();
    let searching = Searching(stop.clone());
    thread::spawn(move || {
        let ended = work(&mut lines, &stop);
        lines.end(ended.or_else(|problem| problem.map_or(Ok(()), Err)));
    });
    searching
}

/// Why a search failed; `None` if it was stopped.
pub(crate) fn or_stopped(error: SearchError) -> Option<Problem> {
    match error {
        SearchError::Stopped => None,
        other => Some(Problem::wrong(other)),
    }
}

/// Searches a position up to a level, or until the result is dropped.
pub(crate) fn start(line: &Line, highest: u8, lines: Lines) -> Result<Searching, Problem> {
    let board = line.board();
    if Request::new(board, 1).is_err() {
        return Err(Problem::wrong("the game is over"));
    }
    Ok(search(lines, move |lines, stop| {
        let mut searcher = Inside::new();
        (1..=highest).try_for_each(|level| {
            let limits = Limits {
                stop: stop.clone(),
                ..Limits::default()
            };
            let request = Request::new(board, level).expect("the game is not over");
            let answers = searcher.hint(&request.within(limits), usize::MAX);
            let answers = answers.map_err(or_stopped)?;
            if stop.is_set() {
                return Err(None);
            }
            let hint = Hint {
                level,
                moves: answers.into_iter().map(hinted).collect(),
            };
            let sent = lines.write(&hint).and_then(|()| lines.flush());
            sent.map_err(|_| None)?;
            // Nothing better is to come.
            match hint.moves.iter().all(|mv| mv.proven) {
                true => Err(None),
                false => Ok(()),
            }
        })
    }))
}

fn hinted(answer: Answer) -> HintMove {
    HintMove {
        square: answer.mv.to_string(),
        score: answer.score,
        depth: answer.depth,
        probability: answer.probability,
        proven: answer.proven,
        variation: answer.variation.iter().map(Move::to_string).collect(),
    }
}
