//! The worker's side: questions come from the server, and an engine of this machine answers them.

use crate::server::Change;
use crate::{Error, Server, subjects};
use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::context::traits::Publisher;
use async_nats::jetstream::message::{Info, PublishMessage};
use async_nats::jetstream::{self, AckKind, Context};
use futures_util::StreamExt;
use obook_engine::wire::{self, Failure, Name};
use obook_engine::{Answer, Stop};
use obook_learn::search::{Failures, NoAnswer, Question, Threads, Workers};
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::time::{sleep, timeout};

/// A question that was handed out more often is lost.
const MOST_DELIVERIES: i64 = 5;
/// How long a request for a question lasts.
const REQUEST: Duration = Duration::from_secs(10);
/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_millis(500);
/// How long questions may take to go back, and messages to go out, at the end.
const FAREWELL: Duration = Duration::from_secs(5);
/// How often to look whether to stop, and for new questions while others are searched.
const GLANCE: Duration = Duration::from_millis(5);

/// Who works, and when it ends.
#[derive(Clone, Debug)]
pub struct WorkerOptions {
    /// Its name: no two machines have the same.
    pub name: Name,
    /// Ends the work after the searches at hand.
    pub stop: Stop,
}

/// What happens to a worker.
#[derive(Debug)]
pub enum Event<'a> {
    /// It waits, for this reason.
    Waiting(&'a str),
    /// It takes questions.
    Ready,
    /// A message was dropped for this reason: it is no question that workers with this engine can answer.
    Dropped(&'a str),
    /// It has answered, or not.
    Reply(&'a wire::Reply),
}

/// What a worker did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worked {
    /// Questions with an answer.
    pub answers: u64,
    /// Questions without an answer.
    pub failures: u64,
    /// Messages that were dropped.
    pub dropped: u64,
}

/// Answers questions until it is told to stop. `threads` search; `tell` is called with what happens.
///
/// # Errors
/// Returns [`Error::Server`] if the server can't be reached at first, [`Error::Refused`] if the learner does not believe this
/// worker, and [`Error::NoAnswer`] if the engine gives no answers or panics.
pub fn work(
    server: &Server,
    threads: &mut Threads,
    options: &WorkerOptions,
    tell: &mut dyn FnMut(Event<'_>),
) -> Result<Worked, Error> {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|problem| server.error(problem))?;
    let (send, notes) = channel();
    let (end, ending) = watch::channel(false);
    let inbox = format!("_INBOX_{}", options.name);
    let of_connection = send.clone();
    let client = runtime.block_on(server.connect(&inbox, move |change| {
        let _ = of_connection.send(Note::Connection(change));
    }))?;
    // Making a context begins a task.
    let _context = runtime.enter();
    let searches = Arc::new(Semaphore::new((threads.ahead() / 2).max(1)));
    let slots = Arc::downgrade(&searches);
    let slot = Slot {
        name: options.name.clone(),
        engine: threads.engine(),
        js: jetstream::new(client.clone()),
        searches,
        send,
        ending,
    };
    runtime.spawn(slot.clone().listen());
    runtime.spawn(slot.begin(threads.ahead()));
    let mut desk = Desk {
        server,
        threads,
        slots: slots.clone(),
        waiting: HashMap::new(),
        searched: 0,
        worked: Worked::default(),
        failures: Failures::default(),
        tell,
    };
    let outcome = desk.serve(&notes, options, &end);
    // Questions that nobody searches any more go back to the server at once.
    drop((desk, notes));
    let _ = end.send(true);
    let farewell = async {
        while slots.strong_count() > 0 {
            sleep(GLANCE).await;
        }
        client.flush().await
    };
    let _ = runtime.block_on(async { timeout(FAREWELL, farewell).await });
    outcome
}

/// What the tasks of the connection say.
enum Note {
    /// Search this.
    Search(wire::Question, oneshot::Sender<Result<Answer, NoAnswer>>),
    /// This is with the server.
    Stored(wire::Reply),
    Connection(Change),
    Waiting(String),
    Dropped(String),
    Ready,
    Refused(String),
}

/// Where questions come in for the threads, and answers go out again.
struct Desk<'a> {
    server: &'a Server,
    threads: &'a mut Threads,
    /// What all slots share, as long as there are some.
    slots: Weak<Semaphore>,
    /// Who waits for the answers to which questions.
    waiting: HashMap<String, Vec<oneshot::Sender<Result<Answer, NoAnswer>>>>,
    searched: usize,
    worked: Worked,
    /// Questions without an answer since the last one that had one.
    failures: Failures,
    tell: &'a mut dyn FnMut(Event<'_>),
}

impl Desk<'_> {
    fn serve(
        &mut self,
        notes: &Receiver<Note>,
        options: &WorkerOptions,
        end: &watch::Sender<bool>,
    ) -> Result<Worked, Error> {
        loop {
            if options.stop.is_set() {
                let _ = end.send(true);
            }
            let wait = match self.searched {
                0 => 20 * GLANCE,
                _ => Duration::ZERO,
            };
            match notes.recv_timeout(wait) {
                Ok(note) => {
                    self.note(note)?;
                    continue;
                }
                Err(RecvTimeoutError::Timeout) if self.slots.strong_count() > 0 => {}
                // It was told to end, and all slots have.
                Err(_) => return Ok(self.worked),
            }
            if self.searched > 0 {
                self.take_answer()?;
            }
        }
    }

    fn note(&mut self, note: Note) -> Result<(), Error> {
        match note {
            Note::Search(question, answer) => {
                let asked = self.waiting.entry(question.id()).or_default();
                asked.push(answer);
                let question = Question {
                    board: question.request.board().canonical(),
                    request: question.request,
                };
                self.searched += 1;
                let handed_out = self.threads.hand_out(question);
                handed_out.map_err(|problem| self.server.error(problem))?;
            }
            Note::Stored(reply) => {
                (self.tell)(Event::Reply(&reply));
                match &reply.answer {
                    Ok(_) => {
                        self.worked.answers += 1;
                        self.failures.forget();
                    }
                    Err(Failure::Lost(_)) => self.worked.failures += 1,
                    Err(Failure::Engine(reason)) => {
                        self.worked.failures += 1;
                        let board = reply.question.request.board().canonical();
                        if self.failures.add(board) {
                            return Err(Error::NoAnswer {
                                count: self.failures.count(),
                                reason: reason.clone(),
                            });
                        }
                    }
                }
            }
            Note::Connection(Change::Lost) => {
                (self.tell)(Event::Waiting(
                    "the server is gone; waiting until it is there again",
                ));
            }
            Note::Connection(Change::Connected) => {}
            Note::Connection(Change::Complaint(problem)) | Note::Waiting(problem) => {
                (self.tell)(Event::Waiting(&problem));
            }
            Note::Dropped(why) => {
                self.worked.dropped += 1;
                (self.tell)(Event::Dropped(&why));
            }
            Note::Ready => (self.tell)(Event::Ready),
            Note::Refused(reason) => return Err(Error::Refused(reason)),
        }
        Ok(())
    }

    /// Takes an answer of the threads, if one is there soon.
    fn take_answer(&mut self) -> Result<(), Error> {
        let reply = self.threads.next(Instant::now() + GLANCE);
        let Some(reply) = reply.map_err(|problem| self.server.error(problem))? else {
            return Ok(());
        };
        self.searched -= 1;
        if let Err(why @ NoAnswer::Panicked(_)) = &reply.answer {
            // The question goes back to the server.
            let reason = why.to_string();
            return Err(Error::NoAnswer { count: 1, reason });
        }
        let question = wire::Question {
            request: reply.question.request,
            engine: self.threads.engine(),
        };
        let id = question.id();
        let waiting = self.waiting.get_mut(&id).and_then(Vec::pop);
        if self.waiting.get(&id).is_some_and(Vec::is_empty) {
            self.waiting.remove(&id);
        }
        if let Some(waiting) = waiting {
            // Its slot may have ended.
            let _ = waiting.send(reply.answer);
        }
        Ok(())
    }
}

/// Takes one question at a time, has it searched, and stores the answer.
#[derive(Clone)]
struct Slot {
    name: Name,
    engine: obook_model::Engine,
    js: Context,
    /// As many searches as run side by side: what waits beside them goes back at the end.
    searches: Arc<Semaphore>,
    send: Sender<Note>,
    ending: watch::Receiver<bool>,
}

impl Slot {
    fn say(&self, note: Note) {
        // Nobody listens only at the end.
        let _ = self.send.send(note);
    }

    /// Hears that the learner refuses this worker.
    async fn listen(self) {
        let mut ending = self.ending.clone();
        let Ok(mut refusals) = self
            .js
            .client()
            .subscribe(subjects::refused(&self.name))
            .await
        else {
            return;
        };
        tokio::select! {
            _ = ending.wait_for(|end| *end) => {}
            refusal = refusals.next() => if let Some(refusal) = refusal {
                let reason = String::from_utf8_lossy(&refusal.payload);
                let reason = reason.chars().filter(|c| !c.is_control()).take(200);
                self.say(Note::Refused(reason.collect()));
            }
        }
    }

    /// Waits for a learner, then begins so many slots.
    async fn begin(mut self, slots: usize) {
        let mut has_said = false;
        let consumer = loop {
            let found = self
                .js
                .get_consumer_from_stream::<pull::Config, _, _>(self.engine.name(), subjects::TASKS)
                .await;
            match found {
                Ok(consumer) => break consumer,
                Err(problem) if !has_said => {
                    let engine = self.engine;
                    self.say(Note::Waiting(format!(
                        "waiting for a learner with an engine of the scale of {engine} ({problem})"
                    )));
                    has_said = true;
                }
                Err(_) => {}
            }
            tokio::select! {
                _ = self.ending.wait_for(|end| *end) => return,
                () = sleep(PAUSE) => {}
            }
        };
        self.say(Note::Ready);
        let every = consumer.cached_info().config.ack_wait / 3;
        for _ in 0..slots {
            tokio::spawn(self.clone().take_questions(consumer.clone(), every));
        }
    }

    async fn take_questions(mut self, consumer: PullConsumer, every: Duration) {
        let mut ending = self.ending.clone();
        while !*self.ending.borrow_and_update() {
            let message = tokio::select! {
                _ = ending.wait_for(|end| *end) => return,
                message = fetch(&consumer) => message,
            };
            match message {
                Ok(Some(message)) => {
                    // A search may last: the server hears of it meanwhile.
                    tokio::select! {
                        () = self.answer(&message) => {}
                        () = keep(&message, every) => {}
                    }
                }
                Ok(None) => {}
                Err(_) => sleep(PAUSE).await,
            }
        }
    }

    /// The book that a question is for, the question, and how often it was handed out; or why the message is no question for
    /// workers with this engine.
    fn read<'m>(
        &self,
        message: &'m jetstream::Message,
    ) -> Result<(Name, wire::Question, Info<'m>), String> {
        let info = message.info().map_err(|why| why.to_string())?;
        let book = subjects::book_of_task(&message.subject);
        let book = book.ok_or("its subject names no book")?;
        let question = wire::Question::from_line(&message.payload);
        let question = question.map_err(|why| why.to_string())?;
        match question.engine == self.engine {
            true => Ok((book, question, info)),
            false => Err(format!(
                "it asks for a level of {}, but was sent to workers that use levels of {}",
                question.engine, self.engine
            )),
        }
    }

    /// Has a question searched, and stores the reply.
    async fn answer(&mut self, message: &jetstream::Message) {
        let (book, question, info) = match self.read(message) {
            Ok(read) => read,
            Err(why) => {
                // Nobody else can answer it either.
                let _ = message.ack_with(AckKind::Term).await;
                return self.say(Note::Dropped(why));
            }
        };
        let delivery = format!("{}-{}-{}", info.stream_sequence, info.delivered, self.name);
        let answer = if info.delivered > MOST_DELIVERIES {
            Err(Failure::Lost(MOST_DELIVERIES as u32))
        } else {
            match self.search(&question).await {
                Some(answer) => answer,
                None => {
                    let _ = message.ack_with(AckKind::Nak(None)).await;
                    return;
                }
            }
        };
        let reply = wire::Reply {
            question,
            answer,
            worker: self.name.clone(),
        };
        if self
            .store(subjects::answer(&book, &self.name), &reply, &delivery)
            .await
        {
            // If this is lost the question is handed out again, and the learner takes what comes first.
            let _ = message.double_ack().await;
            self.say(Note::Stored(reply));
        }
    }

    /// What is found; `None` where it was not begun when the end came.
    async fn search(&mut self, question: &wire::Question) -> Option<Result<Answer, Failure>> {
        let _permit = tokio::select! {
            biased;
            _ = self.ending.wait_for(|end| *end) => return None,
            permit = self.searches.acquire() => permit.ok()?,
        };
        let (send, found) = oneshot::channel();
        self.say(Note::Search(question.clone(), send));
        let found = found.await.ok()?;
        Some(found.map_err(|why| Failure::Engine(why.to_string())))
    }

    /// Stores a reply, however long it takes; at the end it is tried once more. Says whether it is stored.
    async fn store(&self, subject: String, reply: &wire::Reply, delivery: &str) -> bool {
        let line = reply.to_line();
        loop {
            let publish = PublishMessage::build()
                .payload(line.clone().into())
                .message_id(delivery)
                .outbound_message(subject.clone());
            let problem = match self.js.publish_message(publish).await {
                Ok(stored) => match stored.await {
                    Ok(_) => return true,
                    Err(problem) => problem,
                },
                Err(problem) => problem,
            };
            if *self.ending.borrow() {
                return false;
            }
            self.say(Note::Waiting(format!(
                "an answer can't be stored yet: {problem}"
            )));
            sleep(PAUSE).await;
        }
    }
}

/// The next question, if one comes in time.
async fn fetch(consumer: &PullConsumer) -> Result<Option<jetstream::Message>, async_nats::Error> {
    let mut messages = consumer
        .batch()
        .max_messages(1)
        .expires(REQUEST)
        .messages()
        .await?;
    messages.next().await.transpose()
}

/// Tells the server again and again that a question is at work.
async fn keep(message: &jetstream::Message, every: Duration) {
    loop {
        sleep(every).await;
        let _ = message.ack_with(AckKind::Progress).await;
    }
}
