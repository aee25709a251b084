//! What is on its way between a learner and its workers.

use crate::subjects::{ANSWERS, TASKS};
use crate::{Error, Server};
use async_nats::jetstream::consumer::Info;
use async_nats::jetstream::{self, Context};
use futures_util::TryStreamExt;
use obook_engine::wire::Name;
use serde::Serialize;
use tokio::runtime::Builder;

/// What is on its way at a server.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Traffic {
    /// Questions of all books, for each engine that any learner has asked for, by its name.
    pub engines: Vec<Questions>,
    /// Answers that are not in the book so far.
    pub answers: u64,
}

/// Questions that workers with one engine answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Questions {
    /// On whose scale their levels are.
    pub engine: String,
    /// Questions that no worker has.
    pub waiting: u64,
    /// Questions that workers have, or had when they went away.
    pub taken: u64,
    /// How many more workers would take at once.
    pub wanted: u64,
}

impl Traffic {
    /// Asks the server; nothing changes there. Where no learner has used it so far there is nothing.
    ///
    /// # Errors
    /// [`Error::Server`] where the server can't be reached, or refuses to tell.
    pub fn at(server: &Server, book: &Name) -> Result<Traffic, Error> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|problem| server.error(problem))?;
        runtime.block_on(async {
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

/// Who reads a stream; nobody where there is no such stream.
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
