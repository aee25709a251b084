//! The learner's side: machines elsewhere as [`Workers`].

use crate::mail::{Mail, Message, Outgoing, Received};
use crate::options::LearnerOptions;
use crate::validator::{Id, Step, Validator};
use crate::{Error, Server};
use obook_engine::wire::{self, Failure, Name};
use obook_engine::{SearchError, Stop};
use obook_learn::search::{NoAnswer, Question, Reply, Workers, leaf_of};
use obook_model::Engine;
use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

/// So many questions go out before it is known how many workers there are.
const FEWEST: usize = 16;
/// Besides two for each worker, as many as are answered in so many seconds: nobody waits while answers go into the book.
const AHEAD: f64 = 2.0;
/// Over so long it is measured how many are answered.
const MEASURED: Duration = Duration::from_secs(2);
/// Replies that wait when a learner comes are all there after so long.
const COLLECTING: Duration = Duration::from_secs(20);

/// Workers on other machines. Questions that are out when it is dropped stay with the server, and so do answers that are not in
/// the book: the next one for the same book takes them.
pub struct Learner {
    options: LearnerOptions,
    server: String,
    mail: Mail,
    validator: Validator<Message>,
    /// What comes next.
    ready: VecDeque<Reply>,
    /// The messages of what was given: they are acknowledged once it is in the book.
    given: Vec<Message>,
    /// Replies to questions that were asked by a learner before this one, and not yet by this one.
    early: HashMap<Id, Vec<(Message, wire::Reply)>>,
    /// How often a wave began.
    waves: u64,
    /// Questions that were asked before, and when those that are out were asked last, in which copy.
    failed: HashSet<Id>,
    asked: HashMap<Id, (Instant, String)>,
    /// When it was looked last whether one of them was lost.
    looked: Instant,
    copies: u64,
    pace: Pace,
    stop: Stop,
    warn: Box<dyn Fn(&str)>,
}

/// How many answers come.
struct Pace {
    since: Instant,
    count: u64,
    /// In a second.
    rate: f64,
}

impl Learner {
    /// Connects to the server, and makes the streams there if they are not. Once `stop` is set all questions that are out are
    /// given back. `warn` is called with what the owner of the book should know.
    ///
    /// # Errors
    /// [`Error::Server`] where the server can't be reached, or refuses what the learner needs.
    pub fn connect(
        server: &Server,
        options: LearnerOptions,
        stop: &Stop,
        warn: impl Fn(&str) + 'static,
    ) -> Result<Learner, Error> {
        let (mail, waiting) = Mail::open(server, &options)?;
        if mail.lease() != options.lease {
            warn(&format!(
                "the lease of searches by {} is {} s at this server, as its first learner has set it, and not {} s",
                options.engine,
                mail.lease().as_secs_f64(),
                options.lease.as_secs_f64(),
            ));
        }
        let mut learner = Learner {
            validator: Validator::new(options.check_one_in),
            options,
            server: server.name(),
            mail,
            ready: VecDeque::new(),
            given: Vec::new(),
            early: HashMap::new(),
            waves: 0,
            failed: HashSet::new(),
            asked: HashMap::new(),
            looked: Instant::now(),
            copies: 0,
            pace: Pace {
                since: Instant::now(),
                count: 0,
                rate: 0.0,
            },
            stop: stop.clone(),
            warn: Box::new(warn),
        };
        learner.collect(waiting);
        Ok(learner)
    }

    /// Collects so many replies that came when no learner was there.
    fn collect(&mut self, mut waiting: u64) {
        let end = Instant::now() + COLLECTING;
        while waiting > 0
            && let Ok(Some(received)) = self.mail.receive(end)
        {
            self.receive(received);
            waiting -= 1;
        }
    }

    fn wire(&self, question: &Question) -> wire::Question {
        wire::Question {
            request: question.request.clone(),
            engine: self.options.engine,
        }
    }

    /// Asks a question that is out; again, if it was asked before.
    fn ask(&mut self, id: &str) {
        let Some(question) = self.validator.question(id) else {
            return;
        };
        let line = self.wire(question).to_line();
        let level = question.request.level();
        // The first copy has the same name in all sessions, so that a question which waits is not asked by each of them.
        let copy = match self.asked.contains_key(id) || self.failed.contains(id) {
            false => String::from("0"),
            true => {
                self.copies += 1;
                format!("{}-{}", self.mail.session(), self.copies)
            }
        };
        self.asked
            .insert(id.to_owned(), (Instant::now(), copy.clone()));
        self.mail.post(Outgoing::Question {
            level,
            id: id.to_owned(),
            copy,
            line,
        });
    }

    /// Sends what has waited for long once more: the server ignores it if it is still there, and if not, it was lost.
    fn send_again(&mut self) {
        let every = self.mail.lease();
        let was_lost = self.mail.has_reconnected();
        let now = Instant::now();
        if !was_lost && now.duration_since(self.looked) < every / 4 {
            return;
        }
        self.looked = now;
        let is_due = |asked: &Instant| was_lost || now.duration_since(*asked) >= every;
        let due = self
            .asked
            .iter()
            .filter(|(id, (asked, _))| is_due(asked) && self.validator.awaits(id));
        let due: Vec<(Id, String)> = due
            .map(|(id, (_, copy))| (id.clone(), copy.clone()))
            .collect();
        for (id, copy) in due {
            let Some(question) = self.validator.question(&id) else {
                continue;
            };
            let (line, level) = (self.wire(question).to_line(), question.request.level());
            self.asked.insert(id.clone(), (now, copy.clone()));
            self.mail.post(Outgoing::Question {
                level,
                id,
                copy,
                line,
            });
        }
    }

    /// A message has come.
    fn receive(&mut self, received: Received) {
        let (message, reply) = match received {
            Received::Reply(message, reply) => (message, reply),
            Received::Nonsense(message, worker, why) => {
                self.mail.post(Outgoing::Acknowledge(message));
                if let Some(worker) = worker {
                    self.validator.refuse(&worker, &why);
                }
                return;
            }
            Received::Complaint(what) => return (self.warn)(&what),
        };
        let id = reply.question.id();
        if self.validator.question(&id).is_none() {
            match self.waves {
                0 | 1 => self.early.entry(id).or_default().push((message, reply)),
                _ => self.mail.post(Outgoing::Acknowledge(message)),
            }
            return;
        }
        self.judge(&id, message, reply);
    }

    fn judge(&mut self, id: &str, message: Message, reply: wire::Reply) {
        let Some(question) = self.validator.question(id) else {
            return self.mail.post(Outgoing::Acknowledge(message));
        };
        let worker = reply.worker;
        match reply.answer {
            Err(failure) => self.validator.failed(id, worker, failure, message),
            Ok(answer) => match leaf_of(&question.request, &answer) {
                Ok(_) => self.validator.answered(id, worker, answer, message),
                Err(why) => self
                    .validator
                    .nonsense(id, &worker, &why.to_string(), message),
            },
        }
    }

    /// Does what the validator wants done.
    fn take_steps(&mut self) -> obook_learn::Result<()> {
        while let Some(step) = self.validator.step() {
            match step {
                Step::Ask(id) => self.ask(&id),
                Step::Drop(message) => self.mail.post(Outgoing::Acknowledge(message)),
                Step::Give {
                    question,
                    answer,
                    worker,
                    messages,
                } => {
                    let id = self.wire(&question).id();
                    self.asked.remove(&id);
                    if answer.is_err() {
                        self.failed.insert(id);
                    }
                    self.given.extend(messages);
                    self.pace.count += 1;
                    self.ready.push_back(Reply {
                        question,
                        answer: answer.map_err(reason),
                        worker: Some(worker.to_string()),
                    });
                }
                Step::Refuse {
                    worker,
                    reason,
                    is_new,
                } => {
                    if is_new {
                        (self.warn)(&format!("worker {worker} is refused from now on: {reason}"));
                    }
                    self.mail.post(Outgoing::Refusal { worker, reason });
                }
                Step::Undecided { board, workers } => {
                    let workers: Vec<&str> = workers.iter().map(Name::as_str).collect();
                    let workers = workers.join(" and ");
                    return Err(self.failure(format!(
                        "{board}: {workers} answer differently, and no other worker is there to tell who is right: start a \
                         third one, or end one of them, then go on with the same command"
                    )));
                }
            }
        }
        Ok(())
    }

    fn failure(&self, problem: String) -> obook_learn::Error {
        obook_learn::Error::Workers {
            place: self.server.clone(),
            problem,
        }
    }

    /// All that are out come back without an answer.
    fn give_up(&mut self) {
        let stopped = |question| Reply {
            question,
            answer: Err(NoAnswer::Failed(SearchError::Stopped)),
            worker: None,
        };
        let out = self.validator.give_up().into_iter().map(stopped);
        self.ready.extend(out);
        self.asked.clear();
    }
}

impl Workers for Learner {
    fn name(&self) -> &str {
        &self.options.engine_name
    }

    fn engine(&self) -> Engine {
        self.options.engine
    }

    fn ahead(&self) -> usize {
        let busy = 2 * self.mail.slots() + (AHEAD * self.pace.rate) as usize;
        busy.max(FEWEST) + self.validator.held() + self.ready.len()
    }

    fn expect(&mut self, _questions: usize) {
        self.waves += 1;
        if self.waves > 1 {
            let early = self.early.drain().flat_map(|(_, replies)| replies);
            for (message, _) in early {
                self.mail.post(Outgoing::Acknowledge(message));
            }
        }
    }

    fn hand_out(&mut self, question: Question) -> obook_learn::Result<()> {
        let id = self.wire(&question).id();
        self.validator.expect(id.clone(), question);
        for (message, reply) in self.early.remove(&id).unwrap_or_default() {
            self.judge(&id, message, reply);
        }
        self.take_steps()?;
        if self.validator.awaits(&id) && !self.asked.contains_key(&id) {
            self.ask(&id);
        }
        Ok(())
    }

    fn next(&mut self, until: Instant) -> obook_learn::Result<Option<Reply>> {
        self.pace.measure();
        loop {
            if self.stop.is_set() {
                self.give_up();
            }
            if let Some(reply) = self.ready.pop_front() {
                return Ok(Some(reply));
            }
            let mut received = self.mail.receive(Instant::now());
            if let Ok(None) = received {
                if self.validator.is_stuck() {
                    self.validator.check_the_last();
                    self.take_steps()?;
                    if !self.ready.is_empty() {
                        continue;
                    }
                }
                self.send_again();
                received = self.mail.receive(until);
            }
            match received.map_err(|problem| self.failure(problem))? {
                Some(received) => self.receive(received),
                None => return Ok(None),
            }
            self.take_steps()?;
        }
    }

    fn taken_in(&mut self) -> obook_learn::Result<()> {
        for message in self.given.drain(..) {
            self.mail.post(Outgoing::Acknowledge(message));
        }
        Ok(())
    }
}

impl Pace {
    fn measure(&mut self) {
        let lasted = self.since.elapsed();
        if lasted >= MEASURED {
            self.rate = self.count as f64 / lasted.as_secs_f64();
            (self.since, self.count) = (Instant::now(), 0);
        }
    }
}

fn reason(failure: Failure) -> NoAnswer {
    match failure {
        Failure::Engine(reason) => NoAnswer::Elsewhere(reason),
        Failure::Lost(times) => NoAnswer::Lost(times),
    }
}
