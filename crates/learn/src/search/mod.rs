//! Searching: questions for an engine, workers that answer them, and which answers count. Nothing here changes a book.

mod answer;
mod gather;
mod question;
mod threads;

pub(crate) use answer::leaf;
pub use answer::{NoAnswer, leaf_of};
pub use gather::{Clock, Failures, Gather, Next};
pub use question::Asked;
pub(crate) use question::{as_strong_as, request, request_of};
pub use threads::{Searching, Start, Threads};

use crate::Result;
use obook_engine::Request;
use serde::Serialize;
use std::time::Instant;

/// Threads of this process, or other machines, that search.
pub trait Workers<Q: Asked = Request> {
    /// The name of the engine.
    fn name(&self) -> &str;

    /// The engine whose scale the levels are on.
    fn engine(&self) -> Q::Engine;

    /// How many questions are worth handing out ahead of their answers.
    fn ahead(&self) -> usize;

    /// Announces a wave of questions. A run has several if answers raise new questions.
    fn begin_wave(&mut self) {}

    /// Hands a question out.
    ///
    /// # Errors
    /// Fails if the workers can't be reached.
    fn hand_out(&mut self, question: Q) -> Result<()>;

    /// Returns the next reply, in whatever order they come, or `None` if none comes until then. After a stop, every question that is
    /// out gets a reply soon.
    ///
    /// # Errors
    /// Fails if the workers can't be reached.
    fn next(&mut self, until: Instant) -> Result<Option<Reply<Q>>>;

    /// The workers whose answers counted although no other worker was there to compare with.
    fn trusted(&self) -> Vec<Trusted> {
        Vec::new()
    }

    /// Says that all replies given so far are in the book or were refused: they need not come again.
    ///
    /// # Errors
    /// Fails if the workers can't be reached.
    fn taken_in(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A worker on another machine whose answers counted because it was the only one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Trusted {
    /// Its name.
    pub worker: String,
    /// The number of these answers.
    pub answers: u64,
    /// Whether it was found to be wrong later, and refused.
    #[serde(skip)]
    pub refused: bool,
}

impl Trusted {
    /// Adds those of other workers, or of the same ones in another stage.
    pub(crate) fn add(all: &mut Vec<Trusted>, more: Vec<Trusted>) {
        for new in more {
            match all.iter_mut().find(|old| old.worker == new.worker) {
                Some(old) => {
                    old.answers += new.answers;
                    old.refused |= new.refused;
                }
                None => all.push(new),
            }
        }
    }
}

/// The result of a question.
#[derive(Debug)]
pub struct Reply<Q: Asked = Request> {
    /// The question.
    pub question: Q,
    /// The engine's answer.
    pub answer: Result<Q::Answer, NoAnswer>,
    /// The machine that searched, unless it was this one.
    pub worker: Option<String>,
}
