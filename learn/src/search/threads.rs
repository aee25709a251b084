//! Searches by threads of this process, one for each searcher.

use super::workers::{Reply, Workers};
use super::{NoAnswer, Question, Start};
use obook_book::Result;
use obook_engine::{Limits, Request, SearchError, Searcher, Stop};
use obook_model::Engine;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long a searcher that has a question waits for the next that it could answer together with it.
const TOGETHER: Duration = Duration::from_millis(1);

/// Searchers, each on a thread of its own. All questions get a reply, also once they are told to stop: that they were.
#[derive(Debug)]
pub struct Threads {
    name: String,
    engine: Engine,
    /// `None`: no more questions come.
    ask: Option<Sender<Question>>,
    replies: Receiver<Reply>,
    /// How many questions are out.
    out: usize,
    ahead: usize,
    share: Arc<AtomicUsize>,
    stop: Stop,
    threads: Vec<JoinHandle<()>>,
}

impl Threads {
    /// Starts so many searchers. `stop` ends what they do.
    ///
    /// # Errors
    /// [`Error::Engine`](obook_book::Error::Engine) where one can't be started.
    pub fn start(jobs: NonZeroUsize, start: &Start<'_>, stop: &Stop) -> Result<Threads> {
        let searchers = (0..jobs.get()).map(|_| start());
        let searchers: Vec<Box<dyn Searcher>> = searchers.collect::<Result<_, _>>()?;
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
            thread::spawn(move || thread.run())
        });
        let threads = threads.collect();
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

impl Workers for Threads {
    fn name(&self) -> &str {
        &self.name
    }

    fn engine(&self) -> Engine {
        self.engine
    }

    fn ahead(&self) -> usize {
        self.ahead
    }

    fn expect(&mut self, questions: usize) {
        let share = questions.div_ceil(self.threads.len()).max(1);
        self.share.store(share, Ordering::Relaxed);
    }

    fn hand_out(&mut self, question: Question) -> Result<()> {
        let ask = self.ask.as_ref().expect("it is there until the end");
        // Where all threads have panicked nobody listens, and `next` says that no reply comes.
        let _ = ask.send(question);
        self.out += 1;
        Ok(())
    }

    fn next(&mut self, until: Instant) -> Result<Option<Reply>> {
        let wait = until.saturating_duration_since(Instant::now());
        match self.replies.recv_timeout(wait) {
            Ok(reply) => {
                self.out = self.out.saturating_sub(1);
                Ok(Some(reply))
            }
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => panic!("the threads that search have panicked"),
        }
    }
}

impl Drop for Threads {
    /// Ends searches whose answers nobody waits for any more.
    fn drop(&mut self) {
        if self.out > 0 {
            self.stop.set();
        }
        self.ask = None;
        for thread in self.threads.drain(..) {
            // A panic was told where it happened.
            let _ = thread.join();
        }
    }
}

/// One of them.
struct Thread {
    searcher: Box<dyn Searcher>,
    questions: Arc<Mutex<Receiver<Question>>>,
    reply: Sender<Reply>,
    share: Arc<AtomicUsize>,
    stop: Stop,
}

impl Thread {
    /// Answers questions until there are no more.
    fn run(&mut self) {
        loop {
            let asked = self.take();
            if asked.is_empty() {
                return;
            }
            let answers = match self.stop.is_set() {
                true => Vec::new(),
                false => self.search(&asked),
            };
            let mut answers = answers.into_iter();
            for question in asked {
                let answer = match answers.next() {
                    Some(answer) => answer.map_err(NoAnswer::from),
                    None if self.stop.is_set() => Err(NoAnswer::Failed(SearchError::Stopped)),
                    None => Err(NoAnswer::Missing),
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

    /// As many questions as it answers best at once, if they are there, but no more than its share.
    fn take(&self) -> Vec<Question> {
        let most = self.share.load(Ordering::Relaxed);
        let most = self.searcher.batch().clamp(1, most.max(1));
        let questions = self.questions.lock().expect("nobody panics with the lock");
        let mut asked: Vec<Question> = questions.recv().into_iter().collect();
        while !asked.is_empty() && asked.len() < most {
            match questions.recv_timeout(TOGETHER) {
                Ok(question) => asked.push(question),
                Err(_) => break,
            }
        }
        asked
    }

    fn search(&mut self, asked: &[Question]) -> Vec<Result<obook_engine::Answer, SearchError>> {
        let limits = Limits {
            stop: self.stop.clone(),
            ..Limits::default()
        };
        let request = |question: &Question| question.request.clone().within(limits.clone());
        let requests: Vec<Request> = asked.iter().map(request).collect();
        self.searcher.search_all(&requests)
    }
}
