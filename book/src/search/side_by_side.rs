//! Many searches side by side: one thread makes the questions, one for each searcher answers them, and the caller's takes the
//! answers as they come. All of them are a bounded number ahead of each other.

use super::{NoAnswer, Question, Task};
use crate::Result;
use obook_engine::{Answer, Limits, Request, SearchError, Searcher, Stop};
use std::cell::Cell;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// What became of a task.
pub(crate) enum Reply<T> {
    /// An engine has said something, or failed.
    Answer(Question, Result<Answer, NoAnswer>),
    /// It needed none.
    Done(T),
    /// There are no more tasks: the next could not be read.
    Unread(crate::Error),
}

/// The replies, in the order in which they come.
pub(crate) struct Replies<T> {
    replies: Receiver<Reply<T>>,
    have_ended: Cell<bool>,
}

/// What waiting for a reply came to.
#[allow(
    clippy::large_enum_variant,
    reason = "it is looked at where it is returned, and never kept"
)]
pub(crate) enum Next<T> {
    Reply(Reply<T>),
    TimeIsUp,
    /// There are no more.
    End,
}

impl<T> Replies<T> {
    /// The next one, if it comes in time.
    pub(crate) fn until(&self, deadline: Option<Instant>) -> Next<T> {
        /// Without a deadline: channels wait for no longer than clocks reach.
        const LONG: Duration = Duration::from_secs(3600);
        let wait = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        loop {
            match self.replies.recv_timeout(wait.unwrap_or(LONG)) {
                Ok(reply) => return Next::Reply(reply),
                Err(RecvTimeoutError::Disconnected) => {
                    self.have_ended.set(true);
                    return Next::End;
                }
                Err(RecvTimeoutError::Timeout) if wait.is_some() => return Next::TimeIsUp,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// Does the tasks, of which there are about so many, and lets `take` have the replies. Where it returns before their end, or
/// once `stop` is set, no other search begins, and those that run are told to end.
pub(crate) fn side_by_side<T: Send, R>(
    searchers: &mut [Box<dyn Searcher>],
    stop: &Stop,
    count: usize,
    tasks: impl Iterator<Item = Result<Task<T>>> + Send,
    take: impl FnOnce(&Replies<T>) -> R,
) -> R {
    // Where there are few, each searcher gets its share.
    let share = count.div_ceil(searchers.len().max(1)).max(1);
    let batches: Vec<usize> = searchers
        .iter()
        .map(|searcher| searcher.batch().clamp(1, share))
        .collect();
    let ahead = batches.iter().sum::<usize>();
    let (ask, questions) = sync_channel(ahead);
    let (reply, replies) = sync_channel(2 * ahead);
    // It goes away with the last searcher, so that no question waits for nobody.
    let questions = Arc::new(Mutex::new(questions));
    thread::scope(|scope| {
        for (searcher, batch) in searchers.iter_mut().zip(batches) {
            let (questions, reply) = (Arc::clone(&questions), reply.clone());
            scope.spawn(move || answer(&mut **searcher, batch, &questions, &reply, stop));
        }
        drop(questions);
        scope.spawn(move || hand_out(tasks, &ask, &reply, stop));
        let replies = Replies {
            replies,
            have_ended: Cell::new(false),
        };
        let taken = take(&replies);
        if !replies.have_ended.get() {
            stop.set();
        }
        taken
    })
}

/// Asks one question after another.
fn hand_out<T>(
    tasks: impl Iterator<Item = Result<Task<T>>>,
    ask: &SyncSender<Question>,
    reply: &SyncSender<Reply<T>>,
    stop: &Stop,
) {
    for task in tasks {
        let goes_on = !stop.is_set()
            && match task {
                Ok(Task::Search(question)) => ask.send(question).is_ok(),
                Ok(Task::Done(done)) => reply.send(Reply::Done(done)).is_ok(),
                Err(error) => {
                    // Who does not wait for replies any more needs no reason.
                    let _ = reply.send(Reply::Unread(error));
                    false
                }
            };
        if !goes_on {
            return;
        }
    }
}

/// Answers questions, so many at once, until there are no more.
fn answer<T>(
    searcher: &mut dyn Searcher,
    batch: usize,
    questions: &Mutex<Receiver<Question>>,
    reply: &SyncSender<Reply<T>>,
    stop: &Stop,
) {
    loop {
        let asked: Vec<Question> = {
            let questions = questions.lock().expect("nobody panics with the lock");
            questions.iter().take(batch).collect()
        };
        if asked.is_empty() || stop.is_set() {
            return;
        }
        let limits = Limits {
            stop: stop.clone(),
            ..Limits::default()
        };
        let requests: Vec<Request> = asked
            .iter()
            .map(|question| question.request.clone().within(limits.clone()))
            .collect();
        let answers = searcher.search_all(&requests).into_iter().map(Some);
        for (question, answer) in asked
            .into_iter()
            .zip(answers.chain(std::iter::repeat_with(|| None)))
        {
            let answer = match answer {
                // It was told to end.
                Some(Err(SearchError::Stopped)) if stop.is_set() => continue,
                Some(Ok(answer)) if !answer.complete && stop.is_set() => continue,
                Some(answer) => answer.map_err(NoAnswer::from),
                None => Err(NoAnswer::Missing),
            };
            if reply.send(Reply::Answer(question, answer)).is_err() {
                return;
            }
        }
    }
}
