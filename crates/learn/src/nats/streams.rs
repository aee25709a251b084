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

/// Creates the streams and the consumer of an engine's questions if they don't exist; the engine is named by its token. If a worker is silent for `lease`, its
/// question is handed out again.
///
/// All learners share the consumer, and workers rely on its lease when they start. So the first learner sets the lease: a later,
/// shorter one would take away running searches.
pub(crate) async fn prepare(
    js: &Context,
    engine: &str,
    lease: Duration,
) -> Result<PullConsumer, Error> {
    let tasks = js
        .get_or_create_stream(Config {
            // A question that the server has is not stored again, however often a learner restarts.
            max_messages_per_subject: 1,
            discard_new_per_subject: true,
            ..stream(TASKS, ALL_TASKS)
        })
        .await?;
    js.get_or_create_stream(stream(ANSWERS, ALL_ANSWERS))
        .await?;
    let config = pull::Config {
        durable_name: Some(engine.to_owned()),
        filter_subject: tasks_for(engine),
        ack_policy: AckPolicy::Explicit,
        ack_wait: lease,
        max_ack_pending: MOST_PENDING,
        max_waiting: MOST_WAITING,
        ..pull::Config::default()
    };
    let consumer = tasks.get_or_create_consumer(engine, config);
    Ok(consumer.await?)
}

/// Creates the consumer of a book's replies. It receives all replies that an earlier one did not acknowledge, and each reply
/// again if it isn't acknowledged within the lease.
pub(crate) async fn replies(
    js: &Context,
    book: &Name,
    session: &str,
    lease: Duration,
) -> Result<PullConsumer, Error> {
    // An earlier learner may have left one.
    let _ = js.delete_consumer_from_stream(book.as_str(), ANSWERS).await;
    create_replies(js, book, session, lease).await
}

async fn create_replies(
    js: &Context,
    book: &Name,
    session: &str,
    lease: Duration,
) -> Result<PullConsumer, Error> {
    let config = pull::Config {
        durable_name: Some(book.as_str().to_owned()),
        description: Some(session.to_owned()),
        filter_subject: answers_for(book),
        ack_policy: AckPolicy::Explicit,
        ack_wait: lease,
        max_ack_pending: MOST_PENDING,
        ..pull::Config::default()
    };
    Ok(js.create_consumer_on_stream(config, ANSWERS).await?)
}

/// Finds or recreates the consumer of this session. Returns `None` if another learner has taken its place.
pub(crate) async fn own_replies(
    js: &Context,
    book: &Name,
    session: &str,
    lease: Duration,
) -> Result<Option<PullConsumer>, Error> {
    match js
        .get_consumer_from_stream::<pull::Config, _, _>(book.as_str(), ANSWERS)
        .await
    {
        Ok(consumer) => {
            let owner = consumer.cached_info().config.description.as_deref();
            Ok((owner == Some(session)).then_some(consumer))
        }
        // The server has lost it, or there is no server.
        Err(_) => create_replies(js, book, session, lease).await.map(Some),
    }
}
