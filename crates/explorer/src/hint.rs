//! Searches by obook's own engine, level after level.

use crate::api::{Hint, HintMove};
use crate::problem::Problem;
use crate::stream::Lines;
use obook_engine::{Answer, Inside, Limits, Request, SearchError, Searcher, Stop};
use obook_othello::{Board, Line, Move};
use std::thread;
use std::time::Duration;
use tokio::task::JoinHandle;

/// The default level.
pub(crate) const USUAL: u8 = 16;
/// The highest level.
pub(crate) const HIGHEST: u8 = 30;

/// The longest that a search takes, because others wait for its place.
pub(crate) const LIMIT: Duration = Duration::from_secs(300);

/// Stops the search when it is dropped.
pub(crate) struct Searching {
    stop: Stop,
    /// Stops the search when its time is up.
    timer: JoinHandle<()>,
}

impl Drop for Searching {
    fn drop(&mut self) {
        self.stop.set();
        self.timer.abort();
    }
}

/// Lets a thread of its own search until the result is dropped, or the time is up. It ends with a problem, or with `None` if nobody wants
/// to know more.
pub(crate) fn search(
    mut lines: Lines,
    limit: Duration,
    work: impl FnOnce(&mut Lines, &Stop) -> Result<(), Option<Problem>> + Send + 'static,
) -> Searching {
    let stop = Stop::default();
    let late = stop.clone();
    let searching = Searching {
        stop: stop.clone(),
        timer: tokio::spawn(async move {
            tokio::time::sleep(limit).await;
            late.set();
        }),
    };
    thread::spawn(move || {
        // Questions go first, on systems where a thread has a priority of its own. If this fails, they are answered later.
        #[cfg(target_os = "linux")]
        let _ = rustix::process::nice(10);
        let ended = work(&mut lines, &stop);
        lines.end(ended.or_else(|problem| problem.map_or(Ok(()), Err)));
    });
    searching
}

/// The request to search a position, whose game isn't over, until this stops it.
pub(crate) fn request(board: Board, level: u8, stop: &Stop) -> Request {
    let request = Request::new(board, level).expect("the game is not over");
    request.within(Limits::until(stop))
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
    Ok(search(lines, LIMIT, move |lines, stop| {
        let mut searcher = Inside::new();
        for level in 1..=highest {
            let answers = searcher.hint(&request(board, level, stop), usize::MAX);
            let answers = answers.map_err(or_stopped)?;
            if stop.is_set() {
                break;
            }
            let moves = answers.into_iter().map(hinted).collect();
            let hint = Hint { level, moves };
            let sent = lines.write(&hint).and_then(|()| lines.flush());
            sent.map_err(|_| None)?;
            // Nothing better is to come.
            if hint.moves.iter().all(|mv| mv.proven) {
                break;
            }
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::sync::Semaphore;

    /// Law (The server): Searches take turns, and one ends when its time is up.
    /// Also: `crates/explorer/tests/all/guarded.rs` `searches_take_turns`
    #[test]
    fn a_search_ends_when_its_time_is_up() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let places = Arc::new(Semaphore::new(1));
            let place = Arc::clone(&places).try_acquire_owned().unwrap();
            let endless = |lines| {
                search(lines, Duration::from_millis(1), |_, stop| {
                    while !stop.is_set() {
                        thread::yield_now();
                    }
                    Err(None)
                })
            };
            let answer = crate::stream::answer(place, |lines| Ok(endless(lines))).await;
            assert!(answer.is_ok());
            drop(answer);
            assert_eq!(places.available_permits(), 1);
        });
    }
}
