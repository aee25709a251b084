//! The streams of a server and their consumers.

use crate::nats::subjects::{ALL_ANSWERS, ALL_TASKS, ANSWERS, TASKS, answers_for, tasks_for};
use async_nats::Error;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};
use obook_engine::wire::{MAX_LINE, Name};
use std::time::Duration;

/// The maximum number of messages in a stream.
const MOST: i64 = 1 << 20;
/// The maximum number of unacknowledged messages.
const MOST_PENDING: i64 = 1 << 17;
/// The maximum number of waiting requests for questions.
const MOST_WAITING: i64 = 1 << 14;
/// How long unclaimed messages are kept.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// A stream that removes each message once it is acknowledged. If it is full, it refuses new messages rather than drop old ones.
fn stream(name: &str, subjects: &str) -> Config {
    Config {
        name: name.to_owned(),
        subjects: vec![subjects.to_owned()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        max_messages: MOST,
        max_message_size: MAX_LINE as i32 + 1024, // headers count too
        max_age: KEPT,
        ..Config::default()
    }
}

/// A learner's connection, and the names by which its questions and replies are found.
#[derive(Clone)]
pub(crate) struct Line {
    pub(crate) js: Context,
    /// The engine's token.
    pub(crate) engine: String,
    pub(crate) book: Name,
    /// A unique name of this connection.
    pub(crate) session: String,
    pub(crate) lease: Duration,
}

impl Line {
    /// Creates the streams and the consumer of the engine's questions if they don't exist. If a worker is silent for the lease, its question
    /// is handed out again.
    ///
    /// All learners share the consumer, and workers rely on its lease when they start. So the first learner sets the lease: a later,
    /// shorter one would take away running searches.
    pub(crate) async fn prepare(&self) -> Result<PullConsumer, Error> {
        let tasks = self
            .js
            .get_or_create_stream(Config {
                // A question that the server has is not stored again, however often a learner restarts.
                max_messages_per_subject: 1,
                discard_new_per_subject: true,
                ..stream(TASKS, ALL_TASKS)
            })
            .await?;
        self.js
            .get_or_create_stream(stream(ANSWERS, ALL_ANSWERS))
            .await?;
        let config = pull::Config {
            durable_name: Some(self.engine.clone()),
            filter_subject: tasks_for(&self.engine),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.lease,
            max_ack_pending: MOST_PENDING,
            max_waiting: MOST_WAITING,
            ..pull::Config::default()
        };
        let consumer = tasks.get_or_create_consumer(&self.engine, config);
        Ok(consumer.await?)
    }

    /// Creates the consumer of the book's replies. It receives all replies that an earlier one did not acknowledge, and each reply
    /// again if it isn't acknowledged within the lease.
    pub(crate) async fn replies(&self) -> Result<PullConsumer, Error> {
        // An earlier learner may have left one.
        let book = self.book.as_str();
        let _ = self.js.delete_consumer_from_stream(book, ANSWERS).await;
        self.create_replies().await
    }

    async fn create_replies(&self) -> Result<PullConsumer, Error> {
        let config = pull::Config {
            durable_name: Some(self.book.as_str().to_owned()),
            description: Some(self.session.clone()),
            filter_subject: answers_for(&self.book),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.lease,
            max_ack_pending: MOST_PENDING,
            ..pull::Config::default()
        };
        Ok(self.js.create_consumer_on_stream(config, ANSWERS).await?)
    }

    /// Finds or recreates the consumer of this session. Returns `None` if another learner has taken its place.
    pub(crate) async fn own_replies(&self) -> Result<Option<PullConsumer>, Error> {
        let book = self.book.as_str();
        let found = self
            .js
            .get_consumer_from_stream::<pull::Config, _, _>(book, ANSWERS);
        match found.await {
            Ok(consumer) => {
                let owner = consumer.cached_info().config.description.as_deref();
                Ok((owner == Some(&*self.session)).then_some(consumer))
            }
            // The server has lost it, or there is no server.
            Err(_) => self.create_replies().await.map(Some),
        }
    }
}
