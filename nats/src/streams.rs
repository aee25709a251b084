//! The streams of a server and who reads them.

use crate::subjects::{ALL_ANSWERS, ALL_TASKS, ANSWERS, TASKS, answers_for, tasks_for};
use async_nats::Error;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy};
use obook_engine::wire::{MAX_LINE, Name};
use obook_model::Engine;
use std::time::Duration;

/// The maximum number of messages in a stream.
const MOST: i64 = 1 << 20;
/// The maximum number of messages that are with workers, or with a learner.
const MOST_PENDING: i64 = 1 << 17;
/// The maximum number of requests for questions that wait.
const MOST_WAITING: i64 = 1 << 14;
/// How long messages are kept that nobody asks for any more.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// A message of such a stream goes away as soon as it is acknowledged. What would be too much is refused, never what is there
/// dropped.
fn stream(name: &str, subjects: &str) -> Config {
    Config {
        name: name.to_owned(),
        subjects: vec![subjects.to_owned()],
        retention: RetentionPolicy::WorkQueue,
        discard: DiscardPolicy::New,
        max_messages: MOST,
        max_message_size: MAX_LINE as i32 + 1024, // headers count, too
        max_age: KEPT,
        ..Config::default()
    }
}

/// Makes the streams, and the consumer of an engine's questions, unless they are there. A worker that has a question and is silent
/// for as long as `lease` has lost it.
///
/// All learners share the consumer, and workers keep to the lease that they have found there. So it is the first learner's: a
/// shorter one would take searches from workers that are making them.
pub(crate) async fn prepare(
    js: &Context,
    engine: Engine,
    lease: Duration,
) -> Result<PullConsumer, Error> {
    let tasks = js
        .get_or_create_stream(Config {
            // A question that is there, with a worker or not, is not asked again, however often a learner begins anew.
            max_messages_per_subject: 1,
            discard_new_per_subject: true,
            ..stream(TASKS, ALL_TASKS)
        })
        .await?;
    js.get_or_create_stream(stream(ANSWERS, ALL_ANSWERS))
        .await?;
    let config = pull::Config {
        durable_name: Some(engine.name().to_owned()),
        filter_subject: tasks_for(engine),
        ack_policy: AckPolicy::Explicit,
        ack_wait: lease,
        max_ack_pending: MOST_PENDING,
        max_waiting: MOST_WAITING,
        ..pull::Config::default()
    };
    let consumer = tasks.get_or_create_consumer(engine.name(), config);
    Ok(consumer.await?)
}

/// Who reads the replies for a book: a new one, which gets all that were not acknowledged to the one before. What is with the
/// learner for longer than the lease comes once more.
pub(crate) async fn replies(
    js: &Context,
    book: &Name,
    session: &str,
    lease: Duration,
) -> Result<PullConsumer, Error> {
    // It is there if a learner was.
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

/// The same one again: of the learner with this session, unless another learner has taken its place.
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
        // The server has lost it, if there is a server.
        Err(_) => create_replies(js, book, session, lease).await.map(Some),
    }
}
