//! Where searches are done.

use super::{NoAnswer, Question};
use obook_book::Result;
use obook_engine::Answer;
use obook_model::Engine;
use std::time::Instant;

/// Those who search: threads of this process, or machines elsewhere. Who hands questions out keeps count of those that are out.
pub trait Workers {
    /// What the engine is called.
    fn name(&self) -> &str;

    /// On whose scale its levels are.
    fn engine(&self) -> Engine;

    /// How many questions are worth handing out ahead of their answers.
    fn ahead(&self) -> usize;

    /// So many questions come next: each worker gets its share of them.
    fn expect(&mut self, _questions: usize) {}

    /// Hands a question out.
    ///
    /// # Errors
    /// Where the workers can't be reached.
    fn hand_out(&mut self, question: Question) -> Result<()>;

    /// The next reply, in whatever order they come; `None` where none came until then, or none will.
    ///
    /// # Errors
    /// Where the workers can't be reached.
    fn next(&mut self, until: Instant) -> Result<Option<Reply>>;

    /// All replies that were given so far are in the book now, or were refused: they need not come again.
    ///
    /// # Errors
    /// Where the workers can't be reached.
    fn taken_in(&mut self) -> Result<()> {
        Ok(())
    }
}

/// What became of a question.
#[derive(Debug)]
pub struct Reply {
    /// The question.
    pub question: Question,
    /// What the engine said.
    pub answer: Result<Answer, NoAnswer>,
    /// Who searched, if it was another machine.
    pub worker: Option<String>,
}
