//! Messages in transit between a learner and its workers.

use crate::nats::subjects::{ANSWERS, TASKS};
use crate::nats::{Error, Server};
use async_nats::jetstream::consumer::Info;
use async_nats::jetstream::{self, Context};
use futures_util::TryStreamExt;
use obook_engine::wire::Name;
use serde::Serialize;

/// The messages at a server.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Traffic {
    /// The questions of all books, for each engine in use.
    pub engines: Vec<Questions>,
    /// Answers that are not yet in the book.
    pub answers: u64,
}

/// The questions for one engine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Questions {
    /// The name of the engine.
    pub engine: String,
    /// Questions that wait for a worker.
    pub waiting: u64,
    /// Questions handed to a worker, which may have gone away since.
    pub taken: u64,
    /// Questions that idle workers are waiting for.
    pub wanted: u64,
}

impl Traffic {
    /// Asks the server, without changing anything. Everything is zero if no learner has used it yet.
    ///
    /// # Errors
    /// Returns [`Error::Server`] if the server can't be reached or refuses the request.
    pub fn at(server: &Server, book: &Name) -> Result<Traffic, Error> {
        server.runtime()?.block_on(async {
            let client = server.connect("_INBOX_learner", |_| {}).await?;
            let asked = ask(&jetstream::new(client), book).await;
            asked.map_err(|problem| server.error(problem))
        })
    }
}

async fn ask(js: &Context, book: &Name) -> Result<Traffic, async_nats::Error> {
    let mut engines = Vec::new();
    for consumer in consumers(js, TASKS).await? {
        engines.push(Questions {
            engine: consumer.name,
            waiting: consumer.num_pending,
            taken: consumer.num_ack_pending as u64,
            wanted: consumer.num_waiting as u64,
        });
    }
    engines.sort_unstable_by(|a, b| a.engine.cmp(&b.engine));
    let replies = consumers(js, ANSWERS).await?.into_iter();
    let own = replies.filter(|consumer| consumer.name == book.as_str());
    let answers = own.map(|consumer| consumer.num_pending + consumer.num_ack_pending as u64);
    Ok(Traffic {
        engines,
        answers: answers.sum(),
    })
}

/// The consumers of a stream, none if there is no such stream.
async fn consumers(js: &Context, stream: &str) -> Result<Vec<Info>, async_nats::Error> {
    let mut names = js.stream_names();
    while let Some(name) = names.try_next().await? {
        if name == stream {
            let stream = js.get_stream(stream).await?;
            return Ok(stream.consumers().try_collect().await?);
        }
    }
    Ok(Vec::new())
}
