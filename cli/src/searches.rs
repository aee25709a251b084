//! Concurrent searches, with answers in the order of the questions.

use crate::engines;
use crate::failure::Failure;
use obook_engine::{Answer, EngineChoice, Request, Stop};
use obook_learn::search::{Clock, Failures, Gather, Next, NoAnswer, Threads};
use std::collections::VecDeque;
use std::num::NonZeroUsize;

/// A step, and the search that it needs, if any.
pub(crate) type Task<T> = (T, Option<Request>);

type SearchResult = Option<Result<Answer, NoAnswer>>;

/// A task whose turn has not come yet.
struct InLine<T> {
    step: T,
    /// The search whose result is awaited.
    waits: Option<Request>,
    found: SearchResult,
}

/// The greatest number of tasks in line, while the first of them is still being searched.
const MOST_IN_LINE: usize = 1024;

/// Searches for the tasks, a bounded number ahead, and passes them to `take` in their order. A failed search is passed on, too.
///
/// # Errors
///
/// Returns the first error of `tasks` or of `take`, an error after [too many](Failures::MOST) failed searches in a row, and
/// [`Failure::Interrupted`] after a stop. Searches that are still running then end at once.
pub(crate) fn in_order<T>(
    engine: &EngineChoice,
    jobs: NonZeroUsize,
    stop: &Stop,
    mut tasks: impl Iterator<Item = Result<Task<T>, Failure>>,
    mut take: impl FnMut(T, SearchResult) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut workers = Threads::start(jobs, || engines::start(engine), stop)?;
    let (mut failures, clock) = (Failures::default(), Clock::default());
    let mut gather = Gather::new(&mut workers, &mut failures, stop, &clock);
    let mut end = None;
    let mut line: VecDeque<InLine<T>> = VecDeque::new();
    loop {
        while end.is_none() && gather.has_room() && line.len() < MOST_IN_LINE {
            match tasks.next() {
                Some(Ok((step, waits))) => {
                    if let Some(request) = &waits {
                        gather.ask(request.clone())?;
                    }
                    line.push_back(InLine {
                        step,
                        waits,
                        found: None,
                    });
                }
                // An error has its turn, too.
                Some(Err(error)) => end = Some(Err(error)),
                None => end = Some(Ok(())),
            }
        }
        let is_done = |it: &mut InLine<T>| it.waits.is_none();
        while let Some(InLine { step, found, .. }) = line.pop_front_if(is_done) {
            take(step, found)?;
        }
        if stop.is_set() {
            return Err(Failure::Interrupted);
        }
        match gather.next(None)? {
            Next::Reply(reply) => {
                let asked = Some(reply.question);
                let first = line.iter_mut().find(|it| it.waits == asked);
                let first = first.expect("each reply has its task");
                (first.waits, first.found) = (None, Some(reply.answer));
            }
            Next::Due => {}
            Next::End if line.is_empty() => return end.unwrap_or(Ok(())),
            // A stop in between has dropped the replies.
            Next::End => return Err(Failure::Interrupted),
        }
    }
}
