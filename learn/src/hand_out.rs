//! Searches for machines that no network reaches.

use super::queue::Queue;
use super::{LearnOptions, Recipe, learn};
use crate::search::{NoAnswer, Question, Reply, Workers};
use obook_book::{Context, Book, Error, Progress, Result};
use obook_engine::{SearchError, Stop, wire};
use obook_model::Engine;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// What `learn` would have searched next, so many questions at most: those that can begin now. Until the lease ends nobody else
/// gets them. `engine` tells the name and the scale of each stage's engine.
///
/// The book changes in nothing but what waits; one that was not fixed is fixed. Answers come back by
/// [`take_answers`](super::take_answers).
///
/// # Errors
/// As [`learn`](super::learn).
pub fn hand_out(
    path: &Path,
    recipe: &Recipe,
    most: usize,
    lease: Duration,
    engine: &dyn Fn(usize) -> (String, Engine),
    context: &Context,
) -> Result<Vec<wire::Question>> {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let options = LearnOptions::default();
    let mut hire = |stage: usize| -> Result<Box<dyn Workers>> {
        let (name, engine) = engine(stage);
        Ok(Box::new(Noting {
            name,
            engine,
            most,
            out: Vec::new(),
            asked: Rc::clone(&asked),
            stop: options.stop.clone(),
        }))
    };
    if most > 0 {
        let tell = &mut |_: &_| {};
        learn(path, recipe, &options, &mut hire, context, tell)?;
    }
    let asked = asked.take();
    let mut book = Book::open_for_writing(path, "teach")?;
    book.aside(|connection| {
        for (board, _) in &asked {
            let leased = Queue(connection).lease(*board, lease.as_secs());
            leased.map_err(Error::sqlite(path, "write"))?;
        }
        Ok(())
    })?;
    Ok(asked.into_iter().map(|(_, question)| question).collect())
}

/// They note what they are asked, and end the run.
struct Noting {
    name: String,
    engine: Engine,
    most: usize,
    out: Vec<Question>,
    asked: Rc<RefCell<Vec<(obook_othello::CanonicalBoard, wire::Question)>>>,
    stop: Stop,
}

impl Workers for Noting {
    fn name(&self) -> &str {
        &self.name
    }

    fn engine(&self) -> Engine {
        self.engine
    }

    fn ahead(&self) -> usize {
        self.most
    }

    fn hand_out(&mut self, question: Question) -> Result<()> {
        let Question { board, request } = question.clone();
        let engine = self.engine;
        let asked = wire::Question { request, engine };
        self.asked.borrow_mut().push((board, asked));
        self.out.push(question);
        Ok(())
    }

    fn next(&mut self, _until: Instant) -> Result<Option<Reply>> {
        self.stop.set();
        Ok(self.out.pop().map(|question| Reply {
            question,
            answer: Err(NoAnswer::Failed(SearchError::Stopped)),
            worker: None,
        }))
    }
}
