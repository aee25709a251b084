//! Searches by threads of this process, one for each searcher.

use super::{Asked, NoAnswer, Reply, Workers};
use crate::{Error, Result};
use obook_engine::{Answer, Limits, Request, SearchError, Searcher, Stop};
use obook_othello::Engine;
use std::any::Any;
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// Starts a searcher: called once for each thread.
pub type Start<'a> = dyn Fn() -> Result<Box<dyn Searcher>, SearchError> + Sync + 'a;

/// A searcher for a kind of questions.
pub trait Searching<Q: Asked>: Send {
    /// The engine's name.
    fn name(&self) -> &str;

    /// The engine whose scale the levels are on.
    fn engine(&self) -> Q::Engine;

    /// Answers a question within limits.
    ///
    /// # Errors
    /// Fails if a limit ends the search before anything is found, or the engine fails.
    fn answer(&mut self, asked: &Q, limits: &Limits) -> Result<Q::Answer, SearchError>;
}

impl Searching<Request> for Box<dyn Searcher> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn engine(&self) -> Engine {
        (**self).engine()
    }

    fn answer(&mut self, asked: &Request, limits: &Limits) -> Result<Answer, SearchError> {
        self.search(&asked.clone().within(limits.clone()))
    }
}

/// Searchers, each on a thread of its own. Every question gets a reply, even after a stop and even if a searcher panics.
#[derive(Debug)]
pub struct Threads<Q: Asked = Request> {
    name: String,
    engine: Q::Engine,
    /// `None` at the end: no more questions come.
    ask: Option<Sender<Q>>,
    replies: Receiver<Reply<Q>>,
    /// The number of questions that are out.
    out: usize,
    stop: Stop,
    threads: Vec<JoinHandle<()>>,
}

impl Threads {
    /// Hires this many searchers for every stage of a recipe. `stop` ends their searches.
    pub fn hire<S: Searcher + 'static>(
        jobs: NonZeroUsize,
        stop: Stop,
        start: impl Fn() -> Result<S, SearchError> + Sync,
    ) -> impl FnMut(usize) -> crate::Result<Box<dyn Workers>> {
        move |_| {
            let start = || Ok(Box::new(start()?) as Box<dyn Searcher>);
            Ok(Box::new(Threads::start(jobs, start, &stop)?))
        }
    }
}

impl<Q: Asked> Threads<Q> {
    /// Starts this many searchers. `stop` ends their searches.
    ///
    /// # Errors
    /// Returns [`Error::Engine`] if one can't be started, and [`Error::Thread`] if there is no thread for one.
    pub fn start<S: Searching<Q> + 'static>(
        jobs: NonZeroUsize,
        start: impl Fn() -> Result<S, SearchError>,
        stop: &Stop,
    ) -> Result<Threads<Q>> {
        let jobs = jobs.get();
        let searchers = (0..jobs).map(|_| start());
        let searchers: Vec<S> = searchers.collect::<Result<_, _>>()?;
        let (ask, questions) = channel();
        let (reply, replies) = channel();
        let questions = Arc::new(Mutex::new(questions));
        let (name, engine) = (searchers[0].name().to_owned(), searchers[0].engine());
        let threads = searchers.into_iter().map(|mut searcher| {
            let (questions, replies) = (Arc::clone(&questions), reply.clone());
            let stop = stop.clone();
            thread::Builder::new().spawn(move || run(&mut searcher, &questions, &replies, &stop))
        });
        // If one can't start, the others end with this function, for nobody asks them.
        let threads: io::Result<Vec<JoinHandle<()>>> = threads.collect();
        let threads = threads.map_err(|source| Error::Thread { jobs, source })?;
        Ok(Threads {
            name,
            engine,
            ask: Some(ask),
            out: 0,
            stop: stop.clone(),
            threads,
            replies,
        })
    }
}

impl<Q: Asked> Workers<Q> for Threads<Q> {
    fn name(&self) -> &str {
        &self.name
    }

    fn engine(&self) -> Q::Engine {
        self.engine
    }

    fn ahead(&self) -> usize {
        2 * self.threads.len()
    }

    fn hand_out(&mut self, question: Q) -> Result<()> {
        let ask = self.ask.as_ref().expect("it is there until the end");
        // If all searchers have panicked, nobody listens, and `next` says so.
        let _ = ask.send(question);
        self.out += 1;
        Ok(())
    }

    fn next(&mut self, until: Instant) -> Result<Option<Reply<Q>>> {
        let wait = until.saturating_duration_since(Instant::now());
        match self.replies.recv_timeout(wait) {
            Ok(reply) => {
                self.out = self.out.saturating_sub(1);
                Ok(Some(reply))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Error::At {
                place: self.name.clone(),
                problem: String::from("all searchers have panicked"),
            }),
        }
    }
}

impl<Q: Asked> Drop for Threads<Q> {
    /// Ends searches whose answers nobody waits for any more.
    fn drop(&mut self) {
        if self.out > 0 {
            self.stop.set();
        }
        self.ask = None;
        for thread in self.threads.drain(..) {
            // A panic has already been reported.
            let _ = thread.join();
        }
    }
}

/// Answers questions until there are no more.
fn run<Q: Asked, S: Searching<Q>>(
    searcher: &mut S,
    questions: &Mutex<Receiver<Q>>,
    replies: &Sender<Reply<Q>>,
    stop: &Stop,
) {
    loop {
        let next = (questions.lock().expect("nobody panics with the lock")).recv();
        let Ok(question) = next else { return };
        let limits = Limits::until(stop);
        let search = || match stop.is_set() {
            true => Err(SearchError::Stopped),
            false => searcher.answer(&question, &limits),
        };
        let found = catch_unwind(AssertUnwindSafe(search));
        // The searcher may be in any state after a panic, so this thread ends.
        let is_last = found.is_err();
        let answer = match found {
            Ok(answer) => answer.map_err(NoAnswer::from),
            Err(why) => Err(NoAnswer::Panicked(message(&*why))),
        };
        let reply = Reply {
            question,
            answer,
            worker: None,
        };
        if replies.send(reply).is_err() || is_last {
            return;
        }
    }
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_default()
}
