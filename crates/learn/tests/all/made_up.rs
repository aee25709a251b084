//! Workers that answer at once and out of order, and fail on demand.

use obook_engine::{Request, SearchError, Stop};
use obook_learn::Result;
use obook_learn::search::{NoAnswer, Reply, Workers};
use obook_othello::levels::is_solved;
use obook_othello::{CanonicalBoard, Engine, Move};
use obook_testing::answer::answer;
use obook_testing::random_book::Random;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// An engine with a fixed answer for each board and level. Its scores are small, so many are equal.
pub(crate) fn made_up(request: &Request) -> (Move, i8) {
    let worth = |mv: &Move| {
        let child = request.board().play(*mv).unwrap().canonical().board();
        let seed = child.player() ^ child.opponent().rotate_left(21);
        Random(seed ^ u64::from(request.level() / 8)).below(11) as i8 - 5
    };
    let best = request.moves().max_by_key(|mv| (worth(mv), mv.code()));
    let best = best.unwrap();
    (best, worth(&best))
}

/// The same score, but even if the game is over.
pub(crate) fn even(request: &Request, (mv, score): (Move, i8)) -> (Move, i8) {
    let empties = request.board().empties() as u8;
    match is_solved(Engine::Obook, request.level(), empties) {
        true => (mv, score & !1),
        false => (mv, score),
    }
}

/// A searcher that answers as [`made_up`] does. Clones share the list of questions.
#[derive(Clone)]
pub(crate) struct MadeUp {
    /// The random order of answers and failures.
    pub(crate) random: Random,
    /// The number of open questions at a time.
    pub(crate) ahead: usize,
    /// The number of answers after which the run is stopped.
    pub(crate) end: Option<(usize, Stop)>,
    /// One in this many searches fails.
    pub(crate) failing: Option<u64>,
    /// The number of answers before only failures follow. Clones share the count.
    pub(crate) dies_after: Option<usize>,
    pub(crate) answered: Arc<AtomicUsize>,
    /// This board is never answered.
    pub(crate) unanswered: Option<CanonicalBoard>,
    pub(crate) out: Vec<Request>,
    /// The number of requests for each board.
    pub(crate) asked: Arc<Mutex<HashMap<CanonicalBoard, usize>>>,
}

impl MadeUp {
    pub(crate) fn new(seed: u64, ahead: usize) -> MadeUp {
        MadeUp {
            random: Random(seed),
            ahead,
            end: None,
            failing: None,
            dies_after: None,
            answered: Arc::default(),
            unanswered: None,
            out: Vec::new(),
            asked: Arc::default(),
        }
    }
}

impl Workers for MadeUp {
    fn name(&self) -> &str {
        "made up"
    }

    fn engine(&self) -> Engine {
        Engine::Obook
    }

    fn ahead(&self) -> usize {
        self.ahead
    }

    fn hand_out(&mut self, question: Request) -> Result<()> {
        let mut asked = self.asked.lock().unwrap();
        *asked.entry(question.board().canonical()).or_default() += 1;
        drop(asked);
        self.out.push(question);
        Ok(())
    }

    fn next(&mut self, _until: Instant) -> Result<Option<Reply>> {
        if self.out.is_empty() {
            return Ok(None);
        }
        let at = self.random.below(self.out.len() as u64) as usize;
        let question = self.out.swap_remove(at);
        let request = &question;
        let (mv, score) = even(request, made_up(request));
        let answered = self.answered.fetch_add(1, Ordering::Relaxed);
        let fails = self.unanswered == Some(question.board().canonical())
            || self.dies_after.is_some_and(|most| answered >= most)
            || self.failing.is_some_and(|one| self.random.below(one) == 0);
        let answer = match fails {
            true => Err(NoAnswer::Failed(SearchError::Stopped)),
            false => Ok(answer(request, Engine::Obook, mv, score)),
        };
        if let Some((left, stop)) = &mut self.end {
            *left = left.saturating_sub(1);
            if *left == 0 {
                stop.set();
            }
        }
        Ok(Some(Reply {
            question,
            answer,
            worker: None,
        }))
    }
}

/// Does something else before each answer.
#[derive(Clone)]
pub(super) struct Meddling<'a> {
    pub(super) made_up: MadeUp,
    pub(super) meddle: &'a dyn Fn(),
}

impl Workers for Meddling<'_> {
    fn name(&self) -> &str {
        self.made_up.name()
    }

    fn engine(&self) -> Engine {
        self.made_up.engine()
    }

    fn ahead(&self) -> usize {
        self.made_up.ahead()
    }

    fn hand_out(&mut self, question: Request) -> Result<()> {
        self.made_up.hand_out(question)
    }

    fn next(&mut self, until: Instant) -> Result<Option<Reply>> {
        (self.meddle)();
        self.made_up.next(until)
    }
}
