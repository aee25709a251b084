//! Searches by threads of this process, one for each searcher.

use super::{Asked, NoAnswer, Reply, Workers};
use crate::{Error, Result};
use obook_engine::{Answer, Limits, Request, SearchError, Searcher, Stop};
use obook_othello::Engine;
use std::any::Any;
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a searcher that has a question waits for another that it could answer together with it.
const TOGETHER: Duration = Duration::from_millis(1);

/// Starts a searcher: called once for each thread.
pub type Start<'a> = dyn Fn() -> Result<Box<dyn Searcher>, SearchError> + Sync + 'a;

/// A searcher for a kind of questions.
pub trait Searching<Q: Asked>: Send {
    /// The engine's name.
    fn name(&self) -> &str;

    /// The engine whose scale the levels are on.
    fn engine(&self) -> Q::Engine;

    /// The best number of questions to ask at once.
    fn batch(&self) -> usize {
        1
    }

    /// Answers questions, in order, within limits.
    fn answer(&mut self, asked: &[Q], limits: &Limits) -> Vec<Result<Q::Answer, SearchError>>;
}

impl Searching<Request> for Box<dyn Searcher> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn engine(&self) -> Engine {
        (**self).engine()
    }

    fn batch(&self) -> usize {
        (**self).batch()
    }

    fn answer(&mut self, asked: &[Request], limits: &Limits) -> Vec<Result<Answer, SearchError>> {
        let within = |request: &Request| request.clone().within(limits.clone());
        let requests: Vec<Request> = asked.iter().map(within).collect();
        self.search_all(&requests)
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
    ahead: usize,
    share: Arc<AtomicUsize>,
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
        let searchers = (0..jobs.get()).map(|_| start());
        let searchers: Vec<S> = searchers.collect::<Result<_, _>>()?;
        let (ask, questions) = channel();
        let (reply, replies) = channel();
        let questions = Arc::new(Mutex::new(questions));
        let share = Arc::new(AtomicUsize::new(usize::MAX));
        let (name, engine) = (searchers[0].name().to_owned(), searchers[0].engine());
        let ahead = 2 * searchers.iter().map(|it| it.batch().max(1)).sum::<usize>();
        let threads = searchers.into_iter().map(|searcher| {
            let mut thread = Thread {
                searcher,
                questions: Arc::clone(&questions),
                reply: reply.clone(),
                share: Arc::clone(&share),
                stop: stop.clone(),
            };
            thread::Builder::new().spawn(move || thread.run())
        });
        // If one can't start, the others end with this function, for nobody asks them.
        let threads: io::Result<Vec<JoinHandle<()>>> = threads.collect();
        let threads = threads.map_err(|source| Error::Thread {
            jobs: jobs.get(),
            source,
        })?;
        Ok(Threads {
            name,
            engine,
            ask: Some(ask),
            out: 0,
            ahead,
            share,
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
        self.ahead
    }

    fn expect(&mut self, questions: usize) {
        let share = questions.div_ceil(self.threads.len()).max(1);
        self.share.store(share, Ordering::Relaxed);
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
            Err(RecvTimeoutError::Disconnected) => Err(Error::Workers {
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

/// A thread with its searcher.
struct Thread<Q: Asked, S> {
    searcher: S,
    questions: Arc<Mutex<Receiver<Q>>>,
    reply: Sender<Reply<Q>>,
    share: Arc<AtomicUsize>,
    stop: Stop,
}

impl<Q: Asked, S: Searching<Q>> Thread<Q, S> {
    /// Answers questions until there are no more.
    fn run(&mut self) {
        let mut panic = None;
        while panic.is_none() {
            let asked = self.take();
            if asked.is_empty() {
                return;
            }
            let mut answers = Vec::new();
            if !self.stop.is_set() {
                let limits = Limits::until(&self.stop);
                let search = || self.searcher.answer(&asked, &limits);
                match catch_unwind(AssertUnwindSafe(search)) {
                    Ok(found) => answers = found,
                    // The searcher may be in any state now, so this thread ends.
                    Err(why) => panic = Some(message(&*why)),
                }
            }
            let mut answers = answers.into_iter();
            for question in asked {
                let answer = match (answers.next(), &panic) {
                    (Some(answer), _) => answer.map_err(NoAnswer::from),
                    (None, Some(why)) => Err(NoAnswer::Panicked(why.clone())),
                    (None, None) if self.stop.is_set() => {
                        Err(NoAnswer::Failed(SearchError::Stopped))
                    }
                    (None, None) => Err(NoAnswer::Missing),
                };
                let reply = Reply {
                    question,
                    answer,
                    worker: None,
                };
                if self.reply.send(reply).is_err() {
                    return;
                }
            }
        }
    }

    /// As many questions as the searcher answers best at once, if they are there, but no more than its share.
    fn take(&self) -> Vec<Q> {
        let most = self.share.load(Ordering::Relaxed);
        let most = self.searcher.batch().clamp(1, most.max(1));
        let questions = self.questions.lock().expect("nobody panics with the lock");
        let mut asked: Vec<Q> = questions.recv().into_iter().collect();
        while !asked.is_empty() && asked.len() < most {
            match questions.recv_timeout(TOGETHER) {
                Ok(question) => asked.push(question),
                Err(_) => break,
            }
        }
        asked
    }
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_default()
}
