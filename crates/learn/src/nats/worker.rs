//! The worker's side: answers questions from the server with an engine of this machine.

use crate::nats::server::{Change, pause, plainly};
use crate::nats::{Error, Server, subjects};
use crate::search::{Asked, Failures, NoAnswer, Reply, Threads, Workers};
use async_nats::Client;
use async_nats::jetstream::consumer::{PullConsumer, pull};
use async_nats::jetstream::context::traits::Publisher;
use async_nats::jetstream::message::{Info, PublishMessage};
use async_nats::jetstream::stream::{ConsumerError, ConsumerErrorKind};
use async_nats::jetstream::{self, AckKind, Context, ErrorCode};
use futures_util::StreamExt;
use obook_engine::wire::{self, Failure, Name, Sent as _};
use obook_engine::{Request, Stop};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::time::{sleep, timeout};

/// Maximum number of times a question is handed out before it counts as lost.
const MOST_DELIVERIES: i64 = 5;
/// Duration of one request for a question.
const REQUEST: Duration = Duration::from_secs(10);
/// Pause after a failure.
const PAUSE: Duration = Duration::from_millis(500);
/// Time limit for returning questions and sending messages at the end.
const FAREWELL: Duration = Duration::from_secs(5);
/// Interval for checking for the end, and for new questions during searches.
const POLL: Duration = Duration::from_millis(5);

/// A report of a worker's progress.
#[derive(Debug)]
pub enum Event<Q: Asked = Request> {
    /// The worker waits, for this reason.
    Waiting(String),
    /// The worker is ready for questions.
    Ready,
    /// The worker dropped a message that is not a question for its engine, for this reason.
    Dropped(String),
    /// The worker has stored a reply, with an answer or an error.
    Reply(wire::Reply<Q::Wire>),
}

/// Counts of a worker's replies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Worked {
    /// Questions with an answer.
    pub answers: u64,
    /// Questions without an answer.
    pub failures: u64,
    /// Dropped messages.
    pub dropped: u64,
}

/// Answers questions under a name, which must be unique, until `stop` is set, which lets current searches finish. `threads` search
/// them, and `tell` is called for each event.
///
/// A server that can't be reached yet is waited for.
///
/// # Errors
/// Returns [`Error::Server`] if the server refuses the connection, [`Error::NameTaken`] if another worker has the same name,
/// [`Error::Refused`] if the learner rejects this worker, and [`Error::NoAnswer`] if the engine keeps failing or panics.
pub fn work<Q: Asked>(
    server: &Server,
    threads: &mut Threads<Q>,
    name: &Name,
    stop: &Stop,
    tell: &mut dyn FnMut(&Event<Q>),
) -> Result<Worked, Error> {
    let runtime = server.runtime()?;
    let (send, notes) = channel();
    let (end, ending) = watch::channel(false);
    let inbox = format!("_INBOX_{name}");
    let of_connection = send.clone();
    let change = move |change: Change| {
        if let Some(problem) = change.complaint {
            let _ = of_connection.send(Note::Event(Event::Waiting(problem)));
        }
    };
    let connected = connect(server, &inbox, change, stop, tell);
    let Some(client) = runtime.block_on(connected)? else {
        return Ok(Worked::default());
    };
    // Creating a context spawns a task.
    let _context = runtime.enter();
    let searches = Arc::new(Semaphore::new((threads.ahead() / 2).max(1)));
    let slots = Arc::downgrade(&searches);
    let slot = Slot {
        name: name.clone(),
        engine: threads.engine(),
        js: jetstream::new(client.clone()),
        searches,
        send,
        ending,
    };
    runtime.spawn(until_end(slot.ending.clone(), slot.clone().listen()));
    runtime.spawn(until_end(slot.ending.clone(), slot.clone().keep_name()));
    runtime.spawn(until_end(slot.ending.clone(), slot.begin(threads.ahead())));
    let outcome = serve(server, threads, &slots, notes, stop, &end, tell);
    let _ = end.send(true);
    let farewell = async {
        while slots.strong_count() > 0 {
            sleep(POLL).await;
        }
        client.flush().await
    };
    let _ = runtime.block_on(async { timeout(FAREWELL, farewell).await });
    outcome
}

/// Connects as soon as the server can be reached; `None` if the worker is stopped before.
async fn connect<Q: Asked>(
    server: &Server,
    inbox: &str,
    change: impl Fn(Change) + Clone + Send + Sync + 'static,
    stop: &Stop,
    tell: &mut dyn FnMut(&Event<Q>),
) -> Result<Option<Client>, Error> {
    let stopped = async {
        while !stop.is_set() {
            sleep(20 * POLL).await;
        }
    };
    let connected = async {
        let mut attempt = 0;
        loop {
            match server.connect(inbox, change.clone()).await {
                Err(away @ Error::Unreachable { .. }) if attempt == 0 => {
                    tell(&Event::Waiting(format!("{away}; waiting for it")));
                }
                Err(Error::Unreachable { .. }) => {}
                connected => return connected.map(Some),
            }
            sleep(PAUSE.max(pause(attempt))).await;
            attempt += 1;
        }
    };
    tokio::select! {
        () = stopped => Ok(None),
        connected = connected => connected,
    }
}

/// Sends an answer to the slot that waits for it.
type AnswerSender<Q> = oneshot::Sender<Result<<Q as Asked>::Answer, NoAnswer>>;

/// A message from the tasks of the connection.
enum Note<Q: Asked> {
    /// A question to search, and where to send the answer.
    Search(Q::Wire, AnswerSender<Q>),
    /// Progress to report.
    Event(Event<Q>),
    /// The worker can't continue.
    End(Error),
}

/// Passes questions to the search threads and answers back to their slots, until all slots have ended. Unsearched questions then
/// return to the server at once.
fn serve<Q: Asked>(
    server: &Server,
    threads: &mut Threads<Q>,
    slots: &Weak<Semaphore>,
    notes: Receiver<Note<Q>>,
    stop: &Stop,
    end: &watch::Sender<bool>,
    tell: &mut dyn FnMut(&Event<Q>),
) -> Result<Worked, Error> {
    let failed = |problem: crate::Error| server.error(problem);
    // The questions being searched, each with the means to answer the slot that waits.
    let mut waiting: Vec<(String, AnswerSender<Q>)> = Vec::new();
    let (mut worked, mut failures) = (Worked::default(), Failures::default());
    loop {
        if stop.is_set() {
            let _ = end.send(true);
        }
        let wait = match waiting.is_empty() {
            true => 20 * POLL,
            false => Duration::ZERO,
        };
        let event = match notes.recv_timeout(wait) {
            Ok(Note::Event(event)) => event,
            Ok(Note::End(why)) => return Err(why),
            Ok(Note::Search(question, answer)) => {
                waiting.push((question.id(), answer));
                let (question, _) = Q::from_wire(question);
                threads.hand_out(question).map_err(failed)?;
                continue;
            }
            Err(_) if slots.strong_count() == 0 => return Ok(worked),
            Err(_) if waiting.is_empty() => continue,
            Err(_) => {
                if let Some(reply) = threads.next(Instant::now() + POLL).map_err(failed)? {
                    pass_on(reply, threads.engine(), &mut waiting)?;
                }
                continue;
            }
        };
        tell(&event);
        match event {
            Event::Waiting(_) | Event::Ready => {}
            Event::Dropped(_) => worked.dropped += 1,
            Event::Reply(reply) => match reply.answer {
                Ok(_) => {
                    worked.answers += 1;
                    failures.forget();
                }
                Err(Failure::Lost(_)) => worked.failures += 1,
                Err(Failure::Engine(reason)) => {
                    worked.failures += 1;
                    let (question, _) = Q::from_wire(reply.question);
                    if failures.add(question.position()) {
                        let count = failures.count();
                        return Err(Error::NoAnswer { count, reason });
                    }
                }
            },
        }
    }
}

/// Passes a reply of the threads to the slot that waits for it, unless that has ended.
fn pass_on<Q: Asked>(
    reply: Reply<Q>,
    engine: Q::Engine,
    waiting: &mut Vec<(String, AnswerSender<Q>)>,
) -> Result<(), Error> {
    if let Err(why @ NoAnswer::Panicked(_)) = &reply.answer {
        // The question goes back to the server.
        let reason = why.to_string();
        return Err(Error::NoAnswer { count: 1, reason });
    }
    let id = reply.question.to_wire(engine).id();
    if let Some(at) = waiting.iter().position(|(asked, _)| *asked == id) {
        let _ = waiting.swap_remove(at).1.send(reply.answer);
    }
    Ok(())
}

/// Fetches one question at a time, has it searched and stores the reply.
#[derive(Clone)]
struct Slot<Q: Asked> {
    name: Name,
    engine: Q::Engine,
    js: Context,
    /// Limits the parallel searches. Questions still waiting at the end go back to the server.
    searches: Arc<Semaphore>,
    send: Sender<Note<Q>>,
    ending: watch::Receiver<bool>,
}

impl<Q: Asked> Slot<Q> {
    fn say(&self, note: Note<Q>) {
        // The receiver is gone only at the end.
        let _ = self.send.send(note);
    }

    fn tell(&self, event: Event<Q>) {
        self.say(Note::Event(event));
    }

    /// Waits for a refusal by the learner.
    async fn listen(self) {
        let subject = subjects::refused(&self.name);
        let Ok(mut refusals) = self.js.client().subscribe(subject).await else {
            return;
        };
        if let Some(refusal) = refusals.next().await {
            let reason = String::from_utf8_lossy(&refusal.payload);
            let reason = reason.chars().filter(|c| !c.is_control()).take(200);
            self.say(Note::End(Error::Refused(reason.collect())));
        }
    }

    /// Ends this worker if another one has its name, and tells later ones that the name is taken.
    ///
    /// Each worker announces itself on a subject that all workers of this name read in the same order. The one that has read its
    /// own announcement owns the name.
    async fn keep_name(self) {
        let subject = subjects::name_of_worker(&self.name);
        let client = self.js.client();
        let Ok(mut heard) = client.subscribe(subject.clone()).await else {
            return;
        };
        let own = client.new_inbox();
        let publish = |words: String| client.publish(subject.clone(), words.into());
        let _ = publish(format!("new {own}")).await;
        let mut is_owner = false;
        while let Some(message) = heard.next().await {
            let words = String::from_utf8_lossy(&message.payload);
            match words.split_once(' ') {
                Some(("new", worker)) if worker == own => is_owner = true,
                Some(("new", other)) if is_owner => drop(publish(format!("taken {other}")).await),
                Some(("taken", worker)) if worker == own => {
                    return self.say(Note::End(Error::NameTaken(self.name.clone())));
                }
                _ => {}
            }
        }
    }

    /// Waits for a learner, then starts this many slots.
    async fn begin(self, slots: usize) {
        let mut has_said = false;
        let token = Q::token(self.engine);
        let consumer = loop {
            let found = self
                .js
                .get_consumer_from_stream::<pull::Config, _, _>(&*token, subjects::TASKS);
            match found.await {
                Ok(consumer) => break consumer,
                Err(problem) if !has_said => {
                    let engine = self.engine;
                    let reason = match is_missing(&problem) {
                        true => String::new(),
                        false => format!(" ({})", plainly(problem)),
                    };
                    self.tell(Event::Waiting(format!(
                        "waiting for a learner that uses {engine}{reason}"
                    )));
                    has_said = true;
                }
                Err(_) => {}
            }
            sleep(PAUSE).await;
        };
        self.tell(Event::Ready);
        let every = consumer.cached_info().config.ack_wait / 3;
        for _ in 0..slots {
            tokio::spawn(self.clone().take_questions(consumer.clone(), every));
        }
    }

    async fn take_questions(mut self, consumer: PullConsumer, every: Duration) {
        while !*self.ending.borrow_and_update() {
            let message = tokio::select! {
                _ = self.ending.wait_for(|end| *end) => return,
                message = fetch(&consumer) => message,
            };
            match message {
                Ok(Some(message)) => {
                    // Renew the lease during a long search.
                    tokio::select! {
                        () = self.answer(&message) => {}
                        () = renew(&message, every) => {}
                    }
                }
                Ok(None) => {}
                Err(_) => sleep(PAUSE).await,
            }
        }
    }

    /// Parses a message into the book, the question and the number of times it was handed out, or the reason why it is not a
    /// question for this engine.
    fn read<'m>(
        &self,
        message: &'m jetstream::Message,
    ) -> Result<(Name, Q::Wire, Info<'m>), String> {
        let info = message.info().map_err(|why| why.to_string())?;
        let book = subjects::named(&message.subject);
        let book = book.ok_or("its subject names no book")?;
        let question = Q::Wire::from_line(&message.payload);
        let question = question.map_err(|why| why.to_string())?;
        let (_, engine) = Q::from_wire(question.clone());
        match engine == self.engine {
            true => Ok((book, question, info)),
            false => Err(format!(
                "it asks for a level of {}, but was sent to workers that use levels of {}",
                engine, self.engine
            )),
        }
    }

    /// Has a question searched and stores the reply.
    async fn answer(&mut self, message: &jetstream::Message) {
        let (book, question, info) = match self.read(message) {
            Ok(read) => read,
            Err(why) => {
                // No other worker can answer it either.
                let _ = message.ack_with(AckKind::Term).await;
                return self.tell(Event::Dropped(why));
            }
        };
        let delivery = format!("{}-{}-{}", info.stream_sequence, info.delivered, self.name);
        let answer = match info.delivered > MOST_DELIVERIES {
            true => Some(Err(Failure::Lost(MOST_DELIVERIES as u32))),
            false => self.search(&question).await,
        };
        let Some(answer) = answer else {
            let _ = message.ack_with(AckKind::Nak(None)).await;
            return;
        };
        let reply = wire::Reply {
            question,
            answer,
            worker: self.name.clone(),
        };
        let subject = subjects::answer(&book, &self.name);
        if self.store(subject, &reply, &delivery).await {
            // If this is lost, the question is handed out again, and the learner takes the first reply.
            let _ = message.double_ack().await;
            self.tell(Event::Reply(reply));
        }
    }

    /// Returns the result of the search, or `None` if the worker ended before it began.
    async fn search(&mut self, question: &Q::Wire) -> Option<Result<Q::Answer, Failure>> {
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

    /// Stores a reply and retries until the worker ends. Returns whether it was stored.
    async fn store(&self, subject: String, reply: &wire::Reply<Q::Wire>, delivery: &str) -> bool {
        let line = reply.to_line();
        loop {
            let publish = PublishMessage::build()
                .payload(line.clone().into())
                .message_id(delivery)
                .outbound_message(subject.clone());
            let stored = async { self.js.publish_message(publish).await?.await };
            let Err(problem) = stored.await else {
                return true;
            };
            if *self.ending.borrow() {
                return false;
            }
            self.tell(Event::Waiting(format!(
                "an answer can't be stored yet: {}",
                plainly(problem)
            )));
            sleep(PAUSE).await;
        }
    }
}

/// Runs a task until it or the worker ends.
async fn until_end(mut ending: watch::Receiver<bool>, task: impl Future<Output = ()>) {
    tokio::select! {
        _ = ending.wait_for(|end| *end) => {}
        () = task => {}
    }
}

/// Whether no learner has been there yet: it creates what this looks for.
fn is_missing(problem: &ConsumerError) -> bool {
    let codes = [ErrorCode::STREAM_NOT_FOUND, ErrorCode::CONSUMER_NOT_FOUND];
    matches!(problem.kind(), ConsumerErrorKind::JetStream(error) if codes.contains(&error.error_code()))
}

/// The next question, if one arrives in time.
async fn fetch(consumer: &PullConsumer) -> Result<Option<jetstream::Message>, async_nats::Error> {
    let mut messages = consumer
        .batch()
        .max_messages(1)
        .expires(REQUEST)
        .messages()
        .await?;
    messages.next().await.transpose()
}

/// Renews the lease of a question at intervals.
async fn renew(message: &jetstream::Message, every: Duration) {
    loop {
        sleep(every).await;
        let _ = message.ack_with(AckKind::Progress).await;
    }
}
