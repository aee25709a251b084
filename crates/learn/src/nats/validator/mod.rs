//! Validates the answers of workers.
//!
//! A worker's processor, its build of the engine and its owner's intentions are unknown. So a sample of the questions is asked
//! twice, and both answers must agree. All answers of a worker since its last confirmed one are held back until another one is
//! confirmed. If a worker turns out to be wrong, its answers held back are dropped and asked again, and nothing has to be removed
//! from the book.
//!
//! If two workers disagree, a third one decides. A worker that gets all copies of a question is alone: it can't be compared and is
//! trusted. If it turns out to be wrong later, those answers are in the book, and only counted.
//!
//! A question that a worker fails to answer is asked again, and fails only if several workers fail. A worker that keeps failing is
//! put aside until it answers a question.

use crate::search::{Asked, Failures, Trusted};
use obook_engine::wire::{Failure, Name};
use std::collections::hash_map::RandomState;
use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::BuildHasher;

/// If this many copies of a question come back from one worker, it is alone.
const ALONE: u32 = 6;
/// If this many come back while two workers disagree, a third one may be missing.
const DISPUTED: u32 = 32;
/// If this many workers fail a question, it is the question's fault.
const SEVERAL: usize = 2;

/// The unique name of a question.
pub(crate) type Id = String;

/// The open questions, the answers held back and their workers. `P` identifies the message of an answer.
#[derive(Debug)]
pub(crate) struct Validator<Q: Asked, P> {
    /// One in this many questions is asked twice.
    one_in: u64,
    /// Chooses the sample at random, so that no worker can predict it.
    sampling: RandomState,
    out: HashMap<Id, Out<Q, P>>,
    peers: HashMap<Name, Peer>,
    /// The worker that was recently alone.
    alone: Option<Name>,
    /// The number of questions without an answer.
    unanswered: usize,
    steps: VecDeque<Step<Q, P>>,
}

/// A step for the learner to carry out.
#[derive(Debug)]
pub(crate) enum Step<Q: Asked, P> {
    /// Send another copy of the question.
    Ask(Id),
    /// The final result of a question. Its messages are acknowledged once it is in the book.
    Give {
        question: Q,
        answer: Result<Q::Answer, Failure>,
        worker: Name,
        messages: Vec<P>,
    },
    /// Acknowledge the message and ignore it.
    Drop(P),
    /// Tell this worker to stop.
    Dismiss {
        worker: Name,
        why: Dismissal,
        /// Whether this is the first time.
        is_new: bool,
    },
    /// Two workers disagree, and no other has answered so far. The question is asked again.
    Undecided {
        id: Id,
        board: String,
        workers: Vec<Name>,
    },
}

/// Why a worker must stop.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Dismissal {
    /// It was wrong, for this reason. All its replies are ignored from now on.
    Refused(String),
    /// It failed [`Failures::MOST`] questions in a row, the last for this reason. It is put aside until it answers one.
    PutAside(String),
}

/// An open question.
#[derive(Debug)]
struct Out<Q: Asked, P> {
    question: Q,
    /// The answers of different workers.
    given: Vec<Given<Q::Answer, P>>,
    /// The workers that failed to answer it.
    failed: Vec<Name>,
    /// Whether two answers must agree.
    sampled: bool,
    /// The number of copies that came back from workers that had replied before.
    repeats: u32,
}

#[derive(Debug)]
struct Given<A, P> {
    worker: Name,
    answer: A,
    message: P,
}

/// A worker that has replied.
#[derive(Debug, Default)]
struct Peer {
    /// The questions answered since its last confirmed answer, oldest first.
    held: Vec<Id>,
    is_refused: bool,
    has_answered: bool,
    /// The questions that failed since its last answer.
    failed: HashSet<Id>,
    /// The number of answers that were accepted because it was alone.
    trusted: u64,
}

impl Peer {
    /// Whether it has failed too many questions in a row.
    fn is_put_aside(&self) -> bool {
        self.failed.len() >= Failures::MOST
    }
}

impl<Q: Asked, P> Out<Q, P> {
    fn is_awaited(&self) -> bool {
        self.given.is_empty() || self.sampled
    }
}

impl<Q: Asked, P> Validator<Q, P> {
    pub(crate) fn new(one_in: u64) -> Validator<Q, P> {
        Validator {
            one_in: one_in.max(1),
            sampling: RandomState::new(),
            out: HashMap::new(),
            peers: HashMap::new(),
            alone: None,
            unanswered: 0,
            steps: VecDeque::new(),
        }
    }

    /// The next step.
    pub(crate) fn step(&mut self) -> Option<Step<Q, P>> {
        self.steps.pop_front()
    }

    /// Adds an open question.
    pub(crate) fn expect(&mut self, id: Id, question: Q) {
        let new = Out {
            question,
            given: Vec::new(),
            failed: Vec::new(),
            sampled: false,
            repeats: 0,
        };
        let known = self.out.insert(id, new);
        assert!(known.is_none(), "a board has one question at a time");
        self.unanswered += 1;
    }

    /// The question with this name, if it is open.
    pub(crate) fn question(&self, id: &str) -> Option<&Q> {
        self.out.get(id).map(|out| &out.question)
    }

    /// Whether the question needs an answer or another one.
    pub(crate) fn awaits(&self, id: &str) -> bool {
        self.out.get(id).is_some_and(Out::is_awaited)
    }

    /// Each worker with answers that were accepted because it was alone.
    pub(crate) fn trusted(&self) -> impl Iterator<Item = Trusted> {
        let peers = self.peers.iter().filter(|(_, peer)| peer.trusted > 0);
        peers.map(|(worker, peer)| Trusted {
            worker: worker.to_string(),
            answers: peer.trusted,
            refused: peer.is_refused,
        })
    }

    /// Whether no question is open.
    pub(crate) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// The number of answers held back.
    pub(crate) fn held(&self) -> usize {
        self.out.len() - self.unanswered
    }

    /// Removes and returns all open questions.
    pub(crate) fn give_up(&mut self) -> Vec<Q> {
        self.unanswered = 0;
        for peer in self.peers.values_mut() {
            peer.held.clear();
        }
        self.out.drain().map(|(_, out)| out.question).collect()
    }

    /// Handles an answer.
    pub(crate) fn answered(&mut self, id: &str, worker: Name, answer: Q::Answer, message: P) {
        if !self.counts(id, &worker) {
            return self.steps.push_back(Step::Drop(message));
        }
        let peer = self.peers.get_mut(&worker).expect("it is known");
        peer.has_answered = true;
        peer.failed.clear();
        let out = self.out.get_mut(id).expect("it counts");
        let question = &out.question;
        if let Some(before) = out.given.iter().find(|given| given.worker == worker) {
            let is_same = question.agree(&before.answer, &answer);
            self.steps.push_back(Step::Drop(message));
            return match is_same {
                true => self.came_back(id),
                false => self.refuse(&worker, "it gave two different answers to one question"),
            };
        }
        let agreeing = |given: &&Given<Q::Answer, P>| question.agree(&given.answer, &answer);
        let agreeing = out.given.iter().filter(agreeing);
        let agreeing: Vec<Name> = agreeing.map(|it| it.worker.clone()).collect();
        let others = out.given.iter().map(|it| it.worker.clone());
        let wrong: Vec<Name> = others.filter(|it| !agreeing.contains(it)).collect();
        if out.given.is_empty() {
            self.unanswered -= 1;
            out.repeats = 0;
        }
        out.given.push(Given {
            worker: worker.clone(),
            answer,
            message,
        });
        let peer = self.peers.get_mut(&worker).expect("it is known");
        peer.held.push(id.to_owned());
        if !agreeing.is_empty() {
            for worker in agreeing.iter().chain([&worker]) {
                self.release(worker, id);
            }
            self.give(id, &agreeing[0]);
            for worker in wrong {
                self.refuse(&worker, "two other workers agree on a different answer");
            }
        } else if !wrong.is_empty() || self.sampling.hash_one(id).is_multiple_of(self.one_in) {
            self.check(id);
        }
    }

    /// Handles a failed search.
    pub(crate) fn failed(&mut self, id: &str, worker: Name, failure: Failure, message: P) {
        if !self.counts(id, &worker) {
            return self.steps.push_back(Step::Drop(message));
        }
        let out = self.out.get_mut(id).expect("it counts");
        let peer = self.peers.get_mut(&worker).expect("it is known");
        if matches!(failure, Failure::Lost(_)) && peer.has_answered && peer.failed.is_empty() {
            // Other workers failed.
            return match out.given.is_empty() {
                true => self.give_failure(id, failure, worker, message),
                false => {
                    self.steps.push_back(Step::Drop(message));
                    self.came_back(id);
                }
            };
        }
        let was_put_aside = peer.is_put_aside();
        if !was_put_aside {
            peer.failed.insert(id.to_owned());
        }
        if peer.is_put_aside() {
            self.steps.push_back(Step::Drop(message));
            if out.is_awaited() {
                self.steps.push_back(Step::Ask(id.to_owned()));
            }
            return self.steps.push_back(Step::Dismiss {
                worker,
                why: Dismissal::PutAside(failure.to_string()),
                is_new: !was_put_aside,
            });
        }
        if !out.given.is_empty() {
            self.steps.push_back(Step::Drop(message));
            return self.came_back(id);
        }
        match out.failed.contains(&worker) {
            true => out.repeats += 1,
            false => out.failed.push(worker.clone()),
        }
        if out.repeats >= ALONE {
            self.alone = Some(worker.clone());
        }
        if out.failed.len() >= SEVERAL || self.alone.as_ref() == Some(&worker) {
            return self.give_failure(id, failure, worker, message);
        }
        self.steps.push_back(Step::Drop(message));
        self.steps.push_back(Step::Ask(id.to_owned()));
    }

    /// Ends a question without an answer.
    fn give_failure(&mut self, id: &str, failure: Failure, worker: Name, message: P) {
        let out = self.out.remove(id).expect("it is open");
        self.unanswered -= 1;
        self.steps.push_back(Step::Give {
            question: out.question,
            answer: Err(failure),
            worker,
            messages: vec![message],
        });
    }

    /// Handles an impossible answer.
    pub(crate) fn nonsense(&mut self, id: &str, worker: &Name, why: &str, message: P) {
        self.steps.push_back(Step::Drop(message));
        if self.counts(id, worker) {
            self.refuse(worker, why);
            if self.awaits(id) {
                self.steps.push_back(Step::Ask(id.to_owned()));
            }
        }
    }

    /// Refuses a worker and asks again all questions answered since its last confirmed answer.
    pub(crate) fn refuse(&mut self, worker: &Name, reason: &str) {
        let peer = self.peers.entry(worker.clone()).or_default();
        let is_new = !std::mem::replace(&mut peer.is_refused, true);
        let held = std::mem::take(&mut peer.held);
        self.steps.push_back(Step::Dismiss {
            worker: worker.clone(),
            why: Dismissal::Refused(reason.to_owned()),
            is_new,
        });
        for id in held {
            if let Some(out) = self.out.get_mut(&id)
                && let Some(at) = out.given.iter().position(|it| it.worker == *worker)
            {
                let given = out.given.remove(at);
                self.steps.push_back(Step::Drop(given.message));
                if out.given.is_empty() {
                    (out.sampled, out.repeats) = (false, 0);
                    self.unanswered += 1;
                    self.steps.push_back(Step::Ask(id));
                } else if out.sampled {
                    self.steps.push_back(Step::Ask(id));
                }
            }
        }
    }

    /// If only checks can release answers, checks the last answer of each worker with answers held back.
    pub(crate) fn check_the_last(&mut self) {
        if self.unanswered > 0 {
            return;
        }
        let is_waiting = |id: &Id| self.out.get(id).is_some_and(|out| out.sampled);
        let is_held = |id: &&Id| self.out.contains_key(*id);
        let last = self
            .peers
            .values()
            .filter(|peer| !peer.held.iter().any(is_waiting))
            .filter_map(|peer| peer.held.iter().rfind(is_held).cloned());
        let last: Vec<Id> = last.collect();
        for id in last {
            // The check of another one may have released it.
            if self.out.get(&id).is_some_and(|out| !out.sampled) {
                self.check(&id);
            }
        }
    }

    /// Whether a worker's reply to this question counts. If not, asks another worker if the question is still open.
    fn counts(&mut self, id: &str, worker: &Name) -> bool {
        let out = self.out.get(id);
        if !self.peers.entry(worker.clone()).or_default().is_refused {
            self.alone.take_if(|alone| alone != worker);
            return out.is_some();
        }
        if out.is_some_and(Out::is_awaited) {
            self.steps.push_back(Step::Ask(id.to_owned()));
        }
        self.steps.push_back(Step::Dismiss {
            worker: worker.clone(),
            why: Dismissal::Refused(String::from("it was already refused")),
            is_new: false,
        });
        false
    }

    /// Asks for a second or third answer.
    fn check(&mut self, id: &str) {
        let out = self.out.get_mut(id).expect("it is open");
        out.sampled = true;
        match &out.given[..] {
            [only] if self.alone.as_ref() == Some(&only.worker) => {
                let worker = only.worker.clone();
                self.trust(&worker, id);
            }
            _ => self.steps.push_back(Step::Ask(id.to_owned())),
        }
    }

    /// Handles a copy of a question that came back from a worker that had answered it before or can't.
    fn came_back(&mut self, id: &str) {
        let Some(out) = self.out.get_mut(id).filter(|out| out.sampled) else {
            return;
        };
        out.repeats += 1;
        let enough = match &out.given[..] {
            [only] if self.alone.as_ref() == Some(&only.worker) => 1,
            [_] => ALONE,
            _ => DISPUTED,
        };
        if out.repeats < enough {
            return self.steps.push_back(Step::Ask(id.to_owned()));
        }
        out.repeats = 0;
        let workers: Vec<Name> = out.given.iter().map(|it| it.worker.clone()).collect();
        match &workers[..] {
            [alone] => {
                self.alone = Some(alone.clone());
                self.trust(alone, id);
            }
            _ => {
                self.steps.push_back(Step::Undecided {
                    id: id.to_owned(),
                    board: out.question.position(),
                    workers,
                });
                self.steps.push_back(Step::Ask(id.to_owned()));
            }
        }
    }

    /// Accepts an answer of a worker that is alone, as if it were confirmed.
    fn trust(&mut self, worker: &Name, id: &str) {
        let open = self.out.len();
        self.release(worker, id);
        self.give(id, worker);
        let accepted = open - self.out.len();
        let peer = self.peers.get_mut(worker).expect("it has answered");
        peer.trusted += accepted as u64;
    }

    /// Accepts what a worker answered before a confirmed answer, except those being checked.
    fn release(&mut self, worker: &Name, id: &str) {
        let peer = self.peers.get_mut(worker).expect("it has answered");
        let end = peer.held.iter().position(|held| held == id);
        let earlier: Vec<Id> = peer.held.drain(..end.unwrap_or(0)).collect();
        let mut kept = Vec::new();
        for held in earlier {
            match self.out.get(&held) {
                Some(out) if out.sampled => kept.push(held),
                Some(out) if out.given.iter().any(|it| it.worker == *worker) => {
                    self.give(&held, worker);
                }
                _ => {}
            }
        }
        let peer = self.peers.get_mut(worker).expect("it has answered");
        peer.held.splice(..0, kept);
    }

    fn give(&mut self, id: &str, worker: &Name) {
        let Some(out) = self.out.remove(id) else {
            return;
        };
        for given in &out.given {
            let peer = self.peers.get_mut(&given.worker).expect("it has answered");
            peer.held.retain(|held| held != id);
        }
        let believed = out.given.iter().find(|it| it.worker == *worker);
        let answer = believed.expect("it has answered").answer.clone();
        self.steps.push_back(Step::Give {
            question: out.question,
            answer: Ok(answer),
            worker: worker.clone(),
            messages: out.given.into_iter().map(|it| it.message).collect(),
        });
    }
}

#[cfg(test)]
mod tests;
