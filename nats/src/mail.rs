//! The learner's connection: what goes out, and what comes in, on threads of its own.

use crate::options::LearnerOptions;
use crate::server::Change;
use crate::{Error, Server, streams, subjects};
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::message::Acker;
use async_nats::jetstream::{self, Context};
use futures_util::StreamExt;
use obook_engine::wire::{self, Name};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// How long what was posted may take to go out at the end.
const FAREWELL: Duration = Duration::from_secs(5);
/// How long to wait after a failure.
const PAUSE: Duration = Duration::from_millis(500);
/// How often it is looked how many workers there are.
const LOOK: Duration = Duration::from_secs(1);

/// Which message a reply came in: its number in the stream, and when it came there.
pub(crate) type Message = (u64, i128);

/// What goes out.
#[derive(Debug)]
pub(crate) enum Outgoing {
    Question {
        level: u8,
        id: String,
        copy: String,
        line: String,
    },
    /// The message need not come again.
    Acknowledge(Message),
    Refusal {
        worker: Name,
        reason: String,
    },
}

/// What comes in.
#[derive(Debug)]
pub(crate) enum Received {
    Reply(Message, wire::Reply),
    /// It can't be read, for this reason. Who wrote it, if that can be told.
    Nonsense(Message, Option<Name>, String),
    /// No message, but something that the owner of the book should know of the connection.
    Complaint(String),
}

/// What comes in, unread.
enum Incoming {
    Message(Box<jetstream::Message>),
    Complaint(String),
    /// Nothing more comes, for this reason.
    End(String),
}

/// A connection with questions going out and replies coming in.
pub(crate) struct Mail {
    options: LearnerOptions,
    session: String,
    runtime: Runtime,
    out: Option<UnboundedSender<Post>>,
    posting: Option<JoinHandle<()>>,
    incoming: Receiver<Incoming>,
    /// What acknowledges the messages that were received.
    messages: HashMap<Message, Acker>,
    presence: Arc<Mutex<Presence>>,
    has_reconnected: Arc<AtomicBool>,
    lease: Duration,
}

/// Which workers are there, as far as is known.
struct Presence {
    /// The number of searches that they can make side by side.
    slots: usize,
    /// When some were there last, or may have been.
    seen: Instant,
}

/// Something on its way out.
enum Post {
    Publish { subject: String, line: String },
    Acknowledge(Box<Acker>),
}

/// What the tasks of a connection share.
#[derive(Clone)]
struct Line {
    js: Context,
    options: LearnerOptions,
    session: String,
}

impl Mail {
    /// Also says how many replies wait already.
    pub(crate) fn open(server: &Server, options: &LearnerOptions) -> Result<(Mail, u64), Error> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|problem| server.error(problem))?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let session = format!("{:x}", now.map_or(0, |now| now.as_nanos()));
        let has_reconnected = Arc::new(AtomicBool::new(false));
        let (changed, changes) = unbounded_channel();
        let (line, consumer, waiting, tasks) = runtime.block_on(async {
            let tell = move |change| {
                let _ = changed.send(change);
            };
            let client = server.connect("_INBOX_learner", tell).await?;
            let js = jetstream::new(client);
            let tasks = streams::prepare(&js, options.engine, options.lease).await;
            let tasks = tasks.map_err(|problem| server.error(problem))?;
            let replies = streams::replies(&js, &options.book, &session, options.lease).await;
            let mut replies = replies.map_err(|problem| server.error(problem))?;
            let waiting = replies
                .info()
                .await
                .map_err(|problem| server.error(problem))?
                .num_pending;
            let line = Line {
                js,
                options: options.clone(),
                session: session.clone(),
            };
            Ok::<_, Error>((line, replies, waiting, tasks))
        })?;
        let lease = tasks.cached_info().config.ack_wait;
        let (out, posts) = unbounded_channel();
        let (send, incoming) = channel();
        let presence = Arc::new(Mutex::new(Presence {
            slots: 0,
            seen: Instant::now(),
        }));
        let posting = runtime.spawn(post(line.clone(), posts));
        runtime.spawn(receive(line.clone(), consumer, send.clone()));
        runtime.spawn(look(tasks, Arc::clone(&presence)));
        runtime.spawn(hear(line.clone(), Arc::clone(&presence)));
        runtime.spawn(restore(line, changes, send, Arc::clone(&has_reconnected)));
        let mail = Mail {
            options: options.clone(),
            session,
            runtime,
            out: Some(out),
            posting: Some(posting),
            incoming,
            messages: HashMap::new(),
            presence,
            has_reconnected,
            lease,
        };
        Ok((mail, waiting))
    }

    /// What tells this connection from others.
    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    /// A worker that has a question and is silent for this long has lost it.
    pub(crate) fn lease(&self) -> Duration {
        self.lease
    }

    /// The number of searches that workers can make side by side, as far as is known.
    pub(crate) fn slots(&self) -> usize {
        self.presence().slots
    }

    /// How long no worker has been there.
    pub(crate) fn absence(&self) -> Duration {
        self.presence().seen.elapsed()
    }

    fn presence(&self) -> MutexGuard<'_, Presence> {
        self.presence.lock().expect("nobody panics with the lock")
    }

    /// Whether the connection was lost since this was asked last, and is there again.
    pub(crate) fn has_reconnected(&self) -> bool {
        self.has_reconnected.swap(false, Ordering::Relaxed)
    }

    /// Sends something. It does not wait until it has gone.
    pub(crate) fn post(&mut self, outgoing: Outgoing) {
        let LearnerOptions { engine, book, .. } = &self.options;
        let post = match outgoing {
            Outgoing::Question {
                level,
                id,
                copy,
                line,
            } => Post::Publish {
                subject: subjects::task(*engine, book, level, &id, &copy),
                line,
            },
            Outgoing::Refusal { worker, reason } => Post::Publish {
                subject: subjects::refused(&worker),
                line: reason,
            },
            Outgoing::Acknowledge(message) => match self.messages.remove(&message) {
                Some(acker) => Post::Acknowledge(Box::new(acker)),
                None => return,
            },
        };
        let out = self.out.as_ref().expect("it is there until the end");
        // Where nobody listens the runtime is gone, and with it the connection.
        let _ = out.send(post);
    }

    /// The next message, if one comes until then.
    pub(crate) fn receive(&mut self, until: Instant) -> Result<Option<Received>, String> {
        loop {
            let wait = until.saturating_duration_since(Instant::now());
            let message = match self.incoming.recv_timeout(wait) {
                Ok(Incoming::Message(message)) => message,
                Ok(Incoming::Complaint(what)) => return Ok(Some(Received::Complaint(what))),
                Ok(Incoming::End(why)) => return Err(why),
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(String::from("the connection has ended"));
                }
            };
            let Ok(info) = message.info() else {
                continue;
            };
            let number = (info.stream_sequence, info.published.unix_timestamp_nanos());
            let (message, acker) = message.split();
            match self.messages.entry(number) {
                // It was with the learner for so long that it has come again.
                Entry::Occupied(mut known) => drop(known.insert(acker)),
                Entry::Vacant(new) => {
                    new.insert(acker);
                    return Ok(Some(read(number, &message)));
                }
            }
        }
    }
}

impl Drop for Mail {
    /// Lets go out what was posted.
    fn drop(&mut self) {
        self.out = None;
        if let Some(posting) = self.posting.take() {
            let _ = self
                .runtime
                .block_on(async { timeout(FAREWELL, posting).await });
        }
    }
}

/// What a message says, and who says it: whose subject it has.
fn read(number: Message, message: &async_nats::Message) -> Received {
    let worker = subjects::worker_of_answer(&message.subject);
    match wire::Reply::from_line(&message.payload) {
        Ok(reply) if Some(&reply.worker) == worker.as_ref() => Received::Reply(number, reply),
        Ok(reply) => {
            let why = format!("it answers in the name of {}", reply.worker);
            Received::Nonsense(number, worker, why)
        }
        Err(why) => Received::Nonsense(number, worker, why.to_string()),
    }
}

/// Sends what is posted, until nothing more comes.
async fn post(line: Line, mut posts: UnboundedReceiver<Post>) {
    let client = line.js.client();
    while let Some(post) = posts.recv().await {
        // What is lost is sent again, or comes again.
        let _ = match post {
            Post::Publish { subject, line } => {
                client.publish(subject, line.into()).await.map_err(|_| ())
            }
            Post::Acknowledge(acker) => acker.ack().await.map_err(|_| ()),
        };
    }
    let _ = client.flush().await;
}

/// Receives replies, as long as the learner is there and no other one takes its place.
async fn receive(line: Line, mut consumer: PullConsumer, send: Sender<Incoming>) {
    let Line {
        js,
        options,
        session,
    } = line;
    loop {
        if let Ok(mut messages) = consumer.messages().await {
            while let Some(Ok(message)) = messages.next().await {
                if send.send(Incoming::Message(Box::new(message))).is_err() {
                    return;
                }
            }
        }
        sleep(PAUSE).await;
        match streams::own_replies(&js, &options.book, &session, options.lease).await {
            Ok(Some(own)) => consumer = own,
            Ok(None) => {
                let why =
                    "another learner takes the answers for this book now; let only one learn it";
                let _ = send.send(Incoming::End(why.to_owned()));
                return;
            }
            // The server is not there; it may come back.
            Err(_) => {}
        }
    }
}

/// Looks now and then which workers are there.
async fn look(mut tasks: PullConsumer, presence: Arc<Mutex<Presence>>) {
    loop {
        let info = tasks.info().await;
        {
            let mut presence = presence.lock().expect("nobody panics with the lock");
            // If the server can't say so, they may be there.
            let is_there = info.as_ref().map_or(true, |info| info.num_waiting > 0);
            if is_there {
                presence.seen = Instant::now();
            }
            if let Ok(info) = info {
                // Questions are pending even if the worker that had them is gone.
                presence.slots = info.num_waiting + info.num_ack_pending;
            }
        }
        sleep(LOOK).await;
    }
}

/// Hears from workers that have questions.
async fn hear(line: Line, presence: Arc<Mutex<Presence>>) {
    let subject = subjects::SIGNS_OF_LIFE;
    let Ok(mut signs) = line.js.client().subscribe(subject).await else {
        return;
    };
    while signs.next().await.is_some() {
        presence.lock().expect("nobody panics with the lock").seen = Instant::now();
    }
}

/// Whenever the connection is there again, sees to it that the streams are.
async fn restore(
    line: Line,
    mut changes: UnboundedReceiver<Change>,
    send: Sender<Incoming>,
    has_reconnected: Arc<AtomicBool>,
) {
    let Line { js, options, .. } = line;
    let mut was_lost = false;
    while let Some(change) = changes.recv().await {
        // Where nobody listens it is over.
        let complain = |what: &str| send.send(Incoming::Complaint(what.to_owned())).is_ok();
        match change {
            Change::Lost => {
                was_lost = true;
                complain("the server is gone; waiting until it is there again");
            }
            Change::Connected if was_lost => {
                while streams::prepare(&js, options.engine, options.lease)
                    .await
                    .is_err()
                {
                    sleep(PAUSE).await;
                }
                was_lost = false;
                has_reconnected.store(true, Ordering::Relaxed);
            }
            Change::Complaint(problem) => {
                complain(&problem);
            }
            Change::Connected => {}
        }
    }
}
