//! Workers that are right, wrong or slow, or that die, in any order.

use super::{Dismissal, Id, Step, Validator};
use crate::search::Failures;
use obook_engine::wire::{self, Failure, Name, Sent as _};
use obook_engine::{Answer, Request};
use obook_othello::{Board, Engine};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

const LEVEL: u8 = 2;

/// This many questions about boards near the start.
fn questions(count: usize) -> Vec<(Id, Request)> {
    let mut boards = vec![Board::START.canonical()];
    let mut at = 0;
    while boards.len() < count {
        for (_, child) in boards[at].board().children() {
            let child = child.canonical();
            if !boards.contains(&child) {
                boards.push(child);
            }
        }
        at += 1;
    }
    let question = |board: obook_othello::CanonicalBoard| {
        let request = Request::new(board.board(), LEVEL).unwrap();
        let engine = Engine::Obook;
        let id = wire::Question {
            request: request.clone(),
            engine,
        }
        .id();
        (id, request)
    };
    boards.into_iter().take(count).map(question).collect()
}

fn answer(request: &Request, score: i8) -> Answer {
    let mv = request.moves().next().unwrap();
    Answer {
        probability: Some(100),
        ..Answer::new(Engine::Obook, request, mv, score, LEVEL)
    }
}

fn name(number: usize) -> Name {
    format!("worker{number}").parse().unwrap()
}

/// How a worker handles a question.
#[derive(Clone, Copy, Debug)]
enum Deed {
    Answers,
    /// It answers, but the server hands out the question again because it missed the acknowledgement.
    AnswersTwice,
    /// The server hands out the question again.
    Dies,
}

/// A simulated server with its workers and the results.
struct World {
    validator: Validator<Request, u64>,
    questions: BTreeMap<Id, Request>,
    /// Questions that wait for a worker.
    queue: VecDeque<Id>,
    /// The first workers are right, the next ones wrong, and the last ones fail.
    right: usize,
    wrong: usize,
    workers: usize,
    /// Questions that nobody can answer.
    bad: BTreeSet<Id>,
    messages: u64,
    acknowledged: BTreeSet<u64>,
    given: BTreeMap<Id, Result<Answer, Failure>>,
    refused: BTreeSet<Name>,
    put_aside: BTreeSet<Name>,
    undecided: bool,
    /// The questions that each worker has answered.
    answered: BTreeSet<(Id, usize)>,
}

impl World {
    fn new(count: usize, right: usize, wrong: usize, one_in: u64) -> World {
        let mut world = World {
            validator: Validator::new(one_in),
            questions: questions(count).into_iter().collect(),
            queue: VecDeque::new(),
            right,
            wrong,
            workers: right + wrong,
            bad: BTreeSet::new(),
            messages: 0,
            acknowledged: BTreeSet::new(),
            given: BTreeMap::new(),
            refused: BTreeSet::new(),
            put_aside: BTreeSet::new(),
            undecided: false,
            answered: BTreeSet::new(),
        };
        for (id, question) in &world.questions {
            world.validator.expect(id.clone(), question.clone());
            world.queue.push_back(id.clone());
        }
        world
    }

    fn take_steps(&mut self) {
        while let Some(step) = self.validator.step() {
            match step {
                Step::Ask(id) => self.queue.push_back(id),
                Step::Drop(message) => assert!(self.acknowledged.insert(message)),
                Step::Dismiss {
                    worker,
                    why: Dismissal::Refused(_),
                    is_new,
                } => assert_eq!(self.refused.insert(worker), is_new),
                Step::Dismiss { worker, is_new, .. } => {
                    assert_eq!(self.put_aside.insert(worker), is_new);
                }
                Step::Undecided { .. } => self.undecided = true,
                Step::Give {
                    question,
                    answer,
                    messages,
                    ..
                } => {
                    for message in messages {
                        assert!(self.acknowledged.insert(message));
                    }
                    let request = question;
                    let engine = Engine::Obook;
                    let id = wire::Question { request, engine }.id();
                    assert!(self.given.insert(id, answer).is_none(), "given once");
                }
            }
        }
    }

    /// A worker answers. The right score is twice the number of the question. All wrong scores differ.
    fn answer(&mut self, id: &Id, worker: usize) {
        if worker >= self.right + self.wrong || self.bad.contains(id) {
            return self.fail(id, worker);
        }
        let number = self.questions.keys().position(|it| it == id).unwrap() as i8;
        let off = worker.saturating_sub(self.right - 1) as i8;
        let answer = answer(&self.questions[id], 2 * (number % 8) + 2 * off);
        self.messages += 1;
        self.answered.insert((id.clone(), worker));
        self.validator
            .answered(id, name(worker), answer, self.messages);
        self.take_steps();
    }

    fn fail(&mut self, id: &Id, worker: usize) {
        self.messages += 1;
        self.answered.insert((id.clone(), worker));
        let failure = Failure::Engine(String::from("no"));
        self.validator
            .failed(id, name(worker), failure, self.messages);
        self.take_steps();
    }

    /// The given worker, or the next one that has not answered this question.
    fn who(&self, id: &Id, meant: usize) -> usize {
        let others = (0..self.workers).map(|it| (meant + it) % self.workers);
        let mut new = others.filter(|it| !self.answered.contains(&(id.clone(), *it)));
        new.next().unwrap_or(meant % self.workers)
    }

    fn run(&mut self, deeds: &[(usize, Deed)]) {
        let later = (0..).map(|worker| (worker, Deed::Answers));
        for (meant, deed) in deeds.iter().copied().chain(later).take(20_000) {
            if self.queue.is_empty() {
                self.validator.check_the_last();
                self.take_steps();
            }
            let Some(id) = self.queue.pop_front() else {
                return;
            };
            let worker = self.who(&id, meant);
            match deed {
                Deed::Dies => self.queue.push_front(id),
                Deed::Answers => self.answer(&id, worker),
                Deed::AnswersTwice => {
                    self.queue.push_front(id.clone());
                    self.answer(&id, worker);
                }
            }
        }
        panic!("it never ends");
    }
}

fn deeds() -> impl Strategy<Value = Vec<(usize, Deed)>> {
    let deed = prop::sample::select(vec![Deed::Answers, Deed::AnswersTwice, Deed::Dies]);
    prop::collection::vec((0usize..8, deed), 0..200)
}

proptest! {
    /// Each question gets one answer, each message is acknowledged once, and no correct worker is refused. As long as two workers
    /// are correct, no wrong answer is given.
    ///
    /// Law (Several machines): Each question gets one answer; correct workers are never refused, and while two are correct, no
    /// wrong answer gets into a book.
    #[test]
    fn no_answer_is_lost_or_given_twice_or_wrong(
        right in 2usize..5, wrong in 0usize..4, count in 1usize..60, one_in in 1u64..20, deeds in deeds()
    ) {
        let mut world = World::new(count, right, wrong, one_in);
        world.run(&deeds);
        prop_assert!(!world.undecided);
        prop_assert_eq!(world.given.len(), count);
        prop_assert_eq!(world.acknowledged.len() as u64, world.messages);
        prop_assert!(world.refused.iter().all(|refused| (right..right + wrong).any(|it| name(it) == *refused)));
        for (at, id) in world.questions.keys().enumerate() {
            let score = world.given[id].as_ref().unwrap().score;
            prop_assert_eq!(score, 2 * (at as i8 % 8));
        }
    }

    /// A single worker is trusted once it has received all copies of a question. Then no more copies are sent.
    #[test]
    fn a_single_worker_is_trusted(count in 1usize..60, one_in in 1u64..20) {
        let mut world = World::new(count, 1, 0, one_in);
        world.run(&[]);
        prop_assert_eq!(world.given.len(), count);
        prop_assert!(world.messages <= 7 * count as u64, "{}", world.messages);
        let before = world.messages;
        for (id, question) in questions(count + 20).split_off(count) {
            world.questions.insert(id.clone(), question.clone());
            world.validator.expect(id.clone(), question);
            world.queue.push_back(id);
        }
        world.run(&[]);
        prop_assert_eq!(world.messages, before + 20);
    }
}

/// Law (Several machines): A wrong worker's answers since its last confirmation are asked again.
/// Also: `unconfirmed_answers_of_a_wrong_worker_are_asked_again` `cli/tests/program/machines/mod.rs`
/// `a_worker_that_is_wrong_is_told_apart`
#[test]
fn answers_are_held_back_until_one_is_confirmed() {
    let mut world = World::new(10, 2, 0, u64::MAX);
    let ids: Vec<Id> = world.queue.drain(..).collect();
    for id in &ids {
        world.answer(id, 0);
    }
    assert_eq!((world.given.len(), world.validator.held()), (0, 10));
    assert!(world.validator.unanswered == 0 && !world.validator.is_empty());
    // The other worker is asked to confirm the last answer.
    world.validator.check_the_last();
    world.take_steps();
    assert_eq!(world.queue, [ids[9].clone()]);
    world.answer(&ids[9], 1);
    assert_eq!((world.given.len(), world.validator.held()), (10, 0));
}

/// Two workers that agree confirm each other.
#[test]
fn earlier_answers_of_both_are_accepted() {
    let mut world = World::new(7, 2, 0, u64::MAX);
    let ids: Vec<Id> = world.queue.drain(..).collect();
    for (at, id) in ids[..6].iter().enumerate() {
        world.answer(id, at % 2);
    }
    world.answer(&ids[6], 0);
    assert_eq!((world.given.len(), world.validator.held()), (0, 7));
    world.answer(&ids[6], 1);
    assert_eq!((world.given.len(), world.validator.held()), (7, 0));
}

#[test]
fn unconfirmed_answers_of_a_wrong_worker_are_asked_again() {
    let mut world = World::new(6, 2, 1, u64::MAX);
    let ids: Vec<Id> = world.queue.drain(..).collect();
    for id in &ids[..4] {
        world.answer(id, 2);
    }
    // The others disagree with it and agree with each other.
    world.answer(&ids[0], 0);
    assert!(world.refused.is_empty() && world.given.is_empty());
    world.answer(&ids[0], 1);
    assert_eq!(world.refused, BTreeSet::from([name(2)]));
    assert_eq!(world.given.len(), 1);
    let again: BTreeSet<Id> = world.queue.iter().cloned().collect();
    assert!(ids[1..4].iter().all(|id| again.contains(id)), "{again:?}");
    // Its later answers don't count.
    world.answer(&ids[5], 2);
    assert!(world.validator.awaits(&ids[5]));
    assert_eq!(world.given.len(), 1);
}

#[test]
fn a_worker_that_contradicts_itself_is_refused() {
    let mut world = World::new(2, 2, 0, 1);
    let ids: Vec<Id> = world.queue.drain(..).collect();
    world.answer(&ids[0], 0);
    let other = answer(&world.questions[&ids[0]], 64);
    world.validator.answered(&ids[0], name(0), other, 100);
    world.take_steps();
    assert_eq!(world.refused, BTreeSet::from([name(0)]));
    assert!(world.given.is_empty());
}

#[test]
fn two_workers_that_disagree_need_a_third() {
    let mut world = World::new(1, 2, 1, 1);
    let id = world.queue[0].clone();
    for worker in [0, 2].repeat(20) {
        assert_eq!(world.queue.pop_front(), Some(id.clone()));
        world.answer(&id, worker);
    }
    assert!(world.undecided && world.given.is_empty() && world.refused.is_empty());
    // It was busy with a long search.
    world.answer(&id, 1);
    assert_eq!(world.refused, BTreeSet::from([name(2)]));
    assert_eq!(world.given.len(), 1);
}

#[test]
fn a_check_ends_if_there_is_no_other_worker() {
    let mut world = World::new(1, 2, 0, 1);
    let id = world.queue.pop_front().unwrap();
    // The other worker has gone.
    for _ in 0..7 {
        world.answer(&id, 0);
    }
    assert_eq!(world.given.len(), 1);
    assert_eq!(world.acknowledged.len() as u64, world.messages);
}

/// A worker alone is trusted; how many of its answers counted so is known when it is refused.
#[test]
fn answers_of_a_worker_alone_are_counted_if_it_is_refused_later() {
    let mut world = World::new(8, 2, 1, 1);
    let liar = name(2);
    let ids: Vec<Id> = world.queue.drain(..).collect();
    // Each copy of the first question comes back from it, then no more copies are sent.
    for _ in 0..7 {
        world.answer(&ids[0], 2);
    }
    world.answer(&ids[1], 2);
    world.answer(&ids[2], 2);
    assert_eq!(world.given.len(), 3);
    let trusted = |world: &World| {
        let trusted = world.validator.trusted();
        let trusted = trusted.map(|it| (it.worker, it.answers, it.refused));
        trusted.collect::<Vec<_>>()
    };
    assert_eq!(trusted(&world), [(liar.to_string(), 3, false)]);
    // The others come, and it is wrong: this answer does not count.
    for worker in [0, 2, 1] {
        world.answer(&ids[3], worker);
    }
    assert_eq!(world.refused, BTreeSet::from([liar.clone()]));
    assert_eq!(world.given.len(), 4);
    assert_eq!(trusted(&world), [(liar.to_string(), 3, true)]);
}

#[test]
fn a_worker_with_an_impossible_answer_is_refused() {
    let mut world = World::new(1, 2, 0, u64::MAX);
    let id = world.queue.pop_front().unwrap();
    world.validator.nonsense(&id, &name(0), "no legal move", 1);
    world.take_steps();
    assert_eq!(world.refused, BTreeSet::from([name(0)]));
    assert_eq!(world.queue, [id]);
    assert_eq!(world.acknowledged, BTreeSet::from([1]));
}

/// A working worker may report that a question was lost.
#[test]
fn a_lost_question_may_be_reported_by_a_working_worker() {
    let mut world = World::new(3, 2, 0, u64::MAX);
    let ids: Vec<Id> = world.queue.drain(..).collect();
    let lost = Failure::Lost(5);
    world.validator.failed(&ids[0], name(0), lost.clone(), 100);
    world.take_steps();
    assert!(world.given.is_empty());
    assert_eq!(world.queue.pop_front(), Some(ids[0].clone()));
    world.answer(&ids[1], 0);
    world.validator.failed(&ids[0], name(0), lost.clone(), 101);
    world.take_steps();
    assert_eq!(world.given[&ids[0]], Err(lost));
    assert_eq!(world.acknowledged, BTreeSet::from([100, 101]));
}

#[test]
fn a_question_fails_once_two_workers_have_failed() {
    let mut world = World::new(3, 2, 0, u64::MAX);
    let ids: Vec<Id> = world.queue.drain(..).collect();
    for _ in 0..3 {
        world.fail(&ids[0], 0);
        assert!(world.given.is_empty());
        assert_eq!(world.queue.pop_front(), Some(ids[0].clone()));
    }
    world.fail(&ids[0], 1);
    assert!(world.given[&ids[0]].is_err());
    // One worker's failure doesn't affect another's answer.
    world.fail(&ids[1], 0);
    world.answer(&ids[1], 1);
    assert!(!world.given.contains_key(&ids[1]) && !world.validator.awaits(&ids[1]));
}

#[test]
fn a_question_fails_if_it_comes_back_from_the_only_worker() {
    let mut world = World::new(3, 1, 0, u64::MAX);
    world.bad = world.questions.keys().take(2).cloned().collect();
    world.run(&[]);
    let failed = world.given.values().filter(|answer| answer.is_err());
    assert_eq!((failed.count(), world.given.len()), (2, 3));
    assert!(world.put_aside.is_empty());
}

#[test]
fn a_worker_that_fails_is_put_aside_until_it_answers() {
    let mut world = World::new(20, 2, 0, u64::MAX);
    let ids: Vec<Id> = world.queue.drain(..).collect();
    let most = Failures::MOST;
    for id in &ids[..most - 1] {
        world.fail(id, 0);
        world.fail(id, 0);
    }
    world.answer(&ids[10], 0);
    for id in &ids[..most - 1] {
        world.fail(id, 0);
    }
    assert!(world.put_aside.is_empty() && world.given.is_empty());
    world.fail(&ids[most], 0);
    assert_eq!(world.put_aside, BTreeSet::from([name(0)]));
    // All its failed questions are asked again, and its failures no longer count.
    world.queue.clear();
    for id in &ids[..=most] {
        world.fail(id, 0);
        assert_eq!(world.queue.pop_front(), Some(id.clone()));
    }
    world.fail(&ids[9], 0);
    world.fail(&ids[9], 1);
    assert!(world.given.is_empty());
    // Once its engine works again, the worker counts again.
    world.answer(&ids[11], 0);
    world.fail(&ids[9], 0);
    assert!(world.given[&ids[9]].is_err());
}

proptest! {
    /// With some workers that always fail, each question that can be answered still is. Only failing workers are put aside.
    ///
    /// Law (Several machines): A question fails only if nobody can answer it or several failing workers met it first;
    /// only workers that always fail are suspended.
    #[test]
    fn bad_workers_and_bad_questions_are_told_apart(
        right in 2usize..5, failing in 1usize..4, count in 1usize..60, bad in 0usize..Failures::MOST,
        one_in in 1u64..20, deeds in deeds()
    ) {
        let mut world = World::new(count, right, 0, one_in);
        world.workers += failing;
        // The bad questions are neither all of them nor adjacent.
        world.bad = world.questions.keys().step_by(2).take(bad).cloned().collect();
        world.run(&deeds);
        prop_assert_eq!(world.given.len(), count);
        prop_assert_eq!(world.acknowledged.len() as u64, world.messages);
        prop_assert!(world.refused.is_empty());
        prop_assert!(world.put_aside.iter().all(|it| (right..right + failing).any(|bad| name(bad) == *it)));
        for (id, answer) in &world.given {
            // Several failing workers may fail a few questions before they are known.
            let may_fail = world.bad.contains(id) || failing > 1;
            prop_assert!(answer.is_ok() && !world.bad.contains(id) || answer.is_err() && may_fail);
        }
        let failed = world.given.iter().filter(|(id, answer)| answer.is_err() && !world.bad.contains(*id));
        prop_assert!(failed.count() <= failing * Failures::MOST / 2);
    }
}
