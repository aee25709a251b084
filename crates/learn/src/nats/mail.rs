//! The learner's connection, which sends and receives in the background.

use crate::nats::server::{Change, plainly};
use crate::nats::streams::Line;
use crate::nats::{Error, LearnerOptions, Server, subjects};
use crate::search::Asked;
use async_nats::jetstream;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::message::Acker;
use futures_util::StreamExt;
use obook_base::locked;
use obook_engine::wire::{self, Name};
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// Time limit for sending the last messages at the end.
const FAREWELL: Duration = Duration::from_secs(5);
/// Pause after a failure.
const PAUSE: Duration = Duration::from_millis(500);
/// Interval for counting the workers.
const LOOK: Duration = Duration::from_secs(1);

/// A message with a reply, identified by its number and time in the stream.
pub(crate) type Message = (u64, i128);

/// A received message.
#[derive(Debug)]
pub(crate) enum Received<Q: Asked> {
    Reply(Message, wire::Reply<Q::Wire>),
    /// An invalid message, with the worker if known and the reason.
    Nonsense(Message, Option<Name>, String),
    /// A problem of the connection that the user should know about.
    Complaint(String),
}

/// A received message before it is parsed.
enum Incoming {
    Message(Box<jetstream::Message>),
    Complaint(String),
    /// The end of all messages, with the reason.
    End(String),
}

/// A connection that sends questions and receives replies.
pub(crate) struct Mail {
    pub(crate) line: Line,
    runtime: Runtime,
    /// The queue of messages, and the task that sends them; `None` at the end.
    out: Option<(UnboundedSender<Post>, JoinHandle<()>)>,
    incoming: Receiver<Incoming>,
    /// The means to acknowledge each received message.
    messages: HashMap<Message, Acker>,
    presence: Arc<Mutex<Presence>>,
    /// How long a worker may be silent before its question is handed out again.
    pub(crate) lease: Duration,
}

/// The known presence of workers and of the server.
pub(crate) struct Presence {
    /// The number of searches that they can run in parallel.
    pub(crate) slots: usize,
    /// When workers were last present, or may have been.
    pub(crate) seen: Instant,
    /// Whether the connection was lost and restored since somebody last looked.
    has_reconnected: bool,
}

/// A message in the background queue.
enum Post {
    Publish { subject: String, line: String },
    Acknowledge(Box<Acker>),
}

impl Mail {
    /// Opens the connection and returns the number of replies that are already waiting.
    pub(crate) fn open<Q: Asked>(
        server: &Server,
        options: &LearnerOptions<Q::Engine>,
    ) -> Result<(Mail, u64), Error> {
        let runtime = server.runtime()?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let (changed, changes) = unbounded_channel();
        let tell = move |change| {
            let _ = changed.send(change);
        };
        // Creating a context spawns a task.
        let js = runtime.block_on(async {
            let client = server.connect("_INBOX_learner", tell).await?;
            Ok::<_, Error>(jetstream::new(client))
        })?;
        let line = Line {
            js,
            engine: Q::token(options.engine),
            book: options.book.clone(),
            session: format!("{:x}", now.map_or(0, |now| now.as_nanos())),
            lease: options.lease,
        };
        let prepared = runtime.block_on(async {
            let tasks = line.prepare().await?;
            let mut replies = line.replies().await?;
            let waiting = replies.info().await?.num_pending;
            Ok::<_, async_nats::Error>((replies, waiting, tasks))
        });
        let (replies, waiting, tasks) =
            prepared.map_err(|problem| server.error(plainly(problem)))?;
        let lease = tasks.cached_info().config.ack_wait;
        let (out, posts) = unbounded_channel();
        let (send, incoming) = channel();
        let presence = Arc::new(Mutex::new(Presence {
            slots: 0,
            seen: Instant::now(),
            has_reconnected: false,
        }));
        let posting = runtime.spawn(post(line.clone(), posts));
        runtime.spawn(receive(line.clone(), replies, send.clone()));
        runtime.spawn(look(tasks, Arc::clone(&presence)));
        runtime.spawn(hear(line.clone(), Arc::clone(&presence)));
        runtime.spawn(restore(line.clone(), changes, send, Arc::clone(&presence)));
        let mail = Mail {
            line,
            runtime,
            out: Some((out, posting)),
            incoming,
            messages: HashMap::new(),
            presence,
            lease,
        };
        Ok((mail, waiting))
    }

    /// The known presence of workers, which changes in the background.
    pub(crate) fn presence(&self) -> MutexGuard<'_, Presence> {
        locked(&self.presence)
    }

    /// Whether the connection was lost and restored since the last call.
    pub(crate) fn has_reconnected(&self) -> bool {
        std::mem::take(&mut self.presence().has_reconnected)
    }

    /// Sends a question.
    pub(crate) fn ask(&self, effort: &str, id: &str, copy: &str, line: String) {
        let Line { engine, book, .. } = &self.line;
        let subject = subjects::task(engine, book, effort, id, copy);
        self.post(Post::Publish { subject, line });
    }

    /// Tells a worker in this line that it is refused.
    pub(crate) fn refuse(&self, worker: &Name, line: String) {
        let subject = subjects::refused(worker);
        self.post(Post::Publish { subject, line });
    }

    /// Confirms that a message was handled.
    pub(crate) fn acknowledge(&mut self, message: Message) {
        if let Some(acker) = self.messages.remove(&message) {
            self.post(Post::Acknowledge(Box::new(acker)));
        }
    }

    /// Queues a message and returns at once.
    fn post(&self, post: Post) {
        let (out, _) = self.out.as_ref().expect("it is open until the end");
        // If this fails, the runtime is gone and so is the connection.
        let _ = out.send(post);
    }

    /// The next message, if one arrives in time.
    pub(crate) fn receive<Q: Asked>(
        &mut self,
        until: Instant,
    ) -> Result<Option<Received<Q>>, String> {
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
            // Otherwise the lease ran out, so the server sent it again.
            if self.messages.insert(number, acker).is_none() {
                return Ok(Some(read(number, &message)));
            }
        }
    }
}

impl Drop for Mail {
    /// Sends the queued messages.
    fn drop(&mut self) {
        if let Some((out, posting)) = self.out.take() {
            drop(out);
            let sent = async { timeout(FAREWELL, posting).await };
            let _ = self.runtime.block_on(sent);
        }
    }
}

/// Parses a message and checks that its subject belongs to the worker that it names.
fn read<Q: Asked>(number: Message, message: &async_nats::Message) -> Received<Q> {
    let worker = subjects::named(&message.subject);
    match wire::Reply::from_line(&message.payload) {
        Ok(reply) if Some(&reply.worker) == worker.as_ref() => Received::Reply(number, reply),
        Ok(reply) => {
            let why = format!("it answers in the name of {}", reply.worker);
            Received::Nonsense(number, worker, why)
        }
        Err(why) => Received::Nonsense(number, worker, why.to_string()),
    }
}

/// Sends queued messages until the queue is closed.
async fn post(line: Line, mut posts: UnboundedReceiver<Post>) {
    let client = line.js.client();
    while let Some(post) = posts.recv().await {
        // Lost questions are sent again, and unacknowledged replies arrive again.
        let _ = match post {
            Post::Publish { subject, line } => {
                client.publish(subject, line.into()).await.map_err(|_| ())
            }
            Post::Acknowledge(acker) => acker.ack().await.map_err(|_| ()),
        };
    }
    let _ = client.flush().await;
}

/// Receives replies until the learner ends or another one takes its place.
async fn receive(line: Line, mut consumer: PullConsumer, send: Sender<Incoming>) {
    loop {
        if let Ok(mut messages) = consumer.messages().await {
            while let Some(Ok(message)) = messages.next().await {
                if send.send(Incoming::Message(Box::new(message))).is_err() {
                    return;
                }
            }
        }
        sleep(PAUSE).await;
        match line.own_replies().await {
            Ok(Some(own)) => consumer = own,
            Ok(None) => {
                let why = "another learner has taken over this book; run only one at a time";
                let _ = send.send(Incoming::End(why.to_owned()));
                return;
            }
            // The server is away and may come back.
            Err(_) => {}
        }
    }
}

/// Checks the presence of workers at intervals.
async fn look(mut tasks: PullConsumer, presence: Arc<Mutex<Presence>>) {
    loop {
        let info = tasks.info().await;
        {
            let mut presence = locked(&presence);
            // If the server can't tell, assume that they are.
            let is_there = info.as_ref().map_or(true, |info| info.num_waiting > 0);
            if is_there {
                presence.seen = Instant::now();
            }
            if let Ok(info) = info {
                // Questions stay pending after their worker has gone.
                presence.slots = info.num_waiting + info.num_ack_pending;
            }
        }
        sleep(LOOK).await;
    }
}

/// Notices workers that renew their leases.
async fn hear(line: Line, presence: Arc<Mutex<Presence>>) {
    let subject = subjects::SIGNS_OF_LIFE;
    let Ok(mut signs) = line.js.client().subscribe(subject).await else {
        return;
    };
    while signs.next().await.is_some() {
        locked(&presence).seen = Instant::now();
    }
}

/// Restores the streams after each reconnection.
async fn restore(
    line: Line,
    mut changes: UnboundedReceiver<Change>,
    send: Sender<Incoming>,
    presence: Arc<Mutex<Presence>>,
) {
    let mut was_lost = false;
    while let Some(Change { is_lost, complaint }) = changes.recv().await {
        if was_lost && !is_lost {
            while line.prepare().await.is_err() {
                sleep(PAUSE).await;
            }
            locked(&presence).has_reconnected = true;
        }
        was_lost = is_lost;
        if let Some(what) = complaint {
            // A failure means that the learner has ended.
            let _ = send.send(Incoming::Complaint(what));
        }
    }
}
