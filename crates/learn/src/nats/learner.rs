//! The learner's side: workers on other machines as [`Workers`].

use crate::nats::mail::{Mail, Message, Received};
use crate::nats::validator::{Dismissal, Id, Step, Validator};
use crate::nats::{Error, Server};
use crate::search::{Asked, Failures, NoAnswer, Reply, Trusted, Workers};
use obook_engine::wire::{self, Name, Sent as _};
use obook_engine::{Request, SearchError, Stop};
use obook_othello::Engine;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::{Duration, Instant};

/// Number of questions sent before the number of workers is known.
const FEWEST: usize = 16;
/// Seconds of questions sent ahead, besides two per worker, so that no worker waits while answers are added to the book.
const AHEAD: f64 = 2.0;
/// Interval for measuring the rate of answers.
const MEASURED: Duration = Duration::from_secs(2);
/// Time limit for collecting the replies that are stored when a learner starts.
const COLLECTING: Duration = Duration::from_secs(5);
/// If no reply comes for this long, the others were removed since the server counted them: it handles the last acknowledgements of
/// an earlier learner late.
const SILENCE: Duration = Duration::from_millis(500);
/// Replies that have come are read no longer than this once the run has ended: a flood would hold it.
const FAREWELL: Duration = Duration::from_millis(200);
/// Maximum number of replies kept until their question is asked. The server hands out more, so other replies still arrive.
const MOST_EARLY: usize = 1 << 14;
/// Number of unrequested replies that causes the first warning.
const MANY: u64 = 1000;
/// Workers that are absent for less than this may just be between two requests for questions.
const SHORTEST_ABSENCE: Duration = Duration::from_secs(3);

/// The options of a [`Learner`].
#[derive(Clone, Debug)]
pub struct LearnerOptions<E = Engine> {
    /// The name of the engine.
    pub engine_name: String,
    /// The kind of engine. Only workers with the same kind receive the questions.
    pub engine: E,
    /// A name for the book that is unique on the server and the same in every run.
    pub book: Name,
    /// How long a worker may be silent before its question is handed out again. Only the first learner with this engine on the
    /// server sets it.
    pub lease: Duration,
    /// Whether to warn if the lease at the server is another one.
    pub warn_of_lease: bool,
    /// One in this many questions is asked twice, to compare workers.
    pub check_one_in: u64,
}

/// Workers on other machines. When it is dropped, open questions stay at the server, and so do answers that are not yet in the
/// book. The next learner for the same book takes them over.
pub struct Learner<Q: Asked = Request> {
    options: LearnerOptions<Q::Engine>,
    server: String,
    mail: Mail,
    validator: Validator<Q, Message>,
    /// Replies to return next.
    ready: VecDeque<Reply<Q>>,
    /// The messages of returned replies, which are acknowledged once the answers are in the book.
    given: Vec<Message>,
    /// Replies to questions of an earlier learner that this one has not asked yet.
    early: HashMap<Id, (Message, wire::Reply<Q::Wire>)>,
    /// Dropped replies without an open question.
    unasked: Unasked,
    /// The number of waves so far.
    waves: u64,
    /// Questions that failed before.
    failed: HashSet<Id>,
    /// When each open question was last sent, and as which copy.
    asked: HashMap<Id, (Instant, String)>,
    /// When open questions were last checked for losses.
    checked: Instant,
    /// The last worker that was put aside, and why, unless another one has answered since.
    put_aside: Option<String>,
    /// Since when a third worker has been missing for these questions.
    disputed: HashMap<Id, Instant>,
    copies: u64,
    pace: Pace,
    stop: Stop,
    warn: Box<dyn Fn(&str)>,
}

/// Counts of unrequested replies by worker.
#[derive(Default)]
struct Unasked {
    count: u64,
    by: BTreeMap<Name, u64>,
}

impl Unasked {
    /// Counts a reply. Returns whether a warning is due.
    fn add(&mut self, worker: &Name) -> bool {
        self.count += 1;
        // A forger may use any number of names.
        if self.by.len() < MANY as usize || self.by.contains_key(worker) {
            *self.by.entry(worker.clone()).or_default() += 1;
        }
        self.count == MANY
    }

    /// The warning.
    fn told(&self) -> String {
        let most = self.by.iter().max_by_key(|(_, count)| **count);
        let by = most.map_or_else(String::new, |(worker, it)| format!(" ({it} by {worker})"));
        format!(
            "dropped replies without an open question: {}{by}",
            self.count
        )
    }
}

/// Measures the rate of answers.
struct Pace {
    since: Instant,
    count: u64,
    /// Answers per second.
    rate: f64,
}

impl<Q: Asked> Learner<Q> {
    /// Connects to the server and creates missing streams. Once `stop` is set, all open questions are returned unanswered.
    /// `warn` is called with warnings for the user.
    ///
    /// # Errors
    /// Returns [`Error::Unreachable`] if the server can't be reached, and [`Error::Server`] if it refuses a request.
    pub fn connect(
        server: &Server,
        options: LearnerOptions<Q::Engine>,
        stop: &Stop,
        warn: impl Fn(&str) + 'static,
    ) -> Result<Learner<Q>, Error> {
        let (mail, waiting) = Mail::open::<Q>(server, &options)?;
        if options.warn_of_lease && mail.lease != options.lease {
            warn(&format!(
                "the lease for {} is {} s at this server, as set by its first learner, not {} s",
                options.engine,
                mail.lease.as_secs_f64(),
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
            unasked: Unasked::default(),
            waves: 0,
            failed: HashSet::new(),
            asked: HashMap::new(),
            checked: Instant::now(),
            put_aside: None,
            disputed: HashMap::new(),
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

    /// Collects at most `waiting` replies, which arrived while no learner was connected. Later ones count, too, but their questions
    /// may have been asked again.
    fn collect(&mut self, mut waiting: u64) {
        let end = Instant::now() + COLLECTING;
        while waiting > 0
            && !self.stop.is_set()
            && let Ok(Some(received)) = self.mail.receive(end.min(Instant::now() + SILENCE))
        {
            self.receive(received);
            waiting -= 1;
        }
    }

    fn wire(&self, question: &Q) -> Q::Wire {
        question.to_wire(self.options.engine)
    }

    /// Sends an open question, as a new copy if it was sent before.
    fn ask(&mut self, id: &str) {
        // The first copy has the same name in all sessions, so that they don't repeat a waiting question.
        let copy = match self.asked.contains_key(id) || self.failed.contains(id) {
            false => String::from("0"),
            true => {
                self.copies += 1;
                format!("{}-{}", self.mail.line.session, self.copies)
            }
        };
        self.send(id, copy);
    }

    /// Sends this copy of an open question.
    fn send(&mut self, id: &str, copy: String) {
        let Some(question) = self.validator.question(id) else {
            return;
        };
        let line = self.wire(question).to_line();
        self.mail.ask(&question.effort(), id, &copy, line);
        self.asked.insert(id.to_owned(), (Instant::now(), copy));
    }

    /// Sends overdue questions again, in case they were lost. The server ignores those that it still has.
    fn send_again(&mut self) {
        let every = self.mail.lease;
        let was_lost = self.mail.has_reconnected();
        let now = Instant::now();
        if !was_lost && now.duration_since(self.checked) < every / 4 {
            return;
        }
        self.checked = now;
        let is_due = |asked: Instant| was_lost || now.duration_since(asked) >= every;
        let asked = self.asked.iter();
        let due = asked.filter(|(id, (asked, _))| is_due(*asked) && self.validator.awaits(id));
        let due = due.map(|(id, (_, copy))| (id.clone(), copy.clone()));
        let due: Vec<(Id, String)> = due.collect();
        for (id, copy) in due {
            self.send(&id, copy);
        }
    }

    /// Handles a message.
    fn receive(&mut self, received: Received<Q>) {
        let (message, reply) = match received {
            Received::Reply(message, reply) => (message, reply),
            Received::Nonsense(message, worker, why) => {
                self.mail.acknowledge(message);
                if let Some(worker) = worker {
                    self.validator.refuse(&worker, &why);
                }
                return;
            }
            Received::Complaint(what) => return (self.warn)(&what),
        };
        let id = reply.question.id();
        let is_out = self.validator.question(&id).is_some();
        match is_out {
            true => self.judge(&id, message, reply),
            false if self.waves <= 1 && self.early.len() < MOST_EARLY => {
                // One reply to a question is enough.
                if let Some((message, reply)) = self.early.insert(id, (message, reply)) {
                    self.drop_unasked(message, &reply.worker);
                }
            }
            false => self.drop_unasked(message, &reply.worker),
        }
    }

    /// Drops a reply without an open question.
    fn drop_unasked(&mut self, message: Message, worker: &Name) {
        self.mail.acknowledge(message);
        if self.unasked.add(worker) {
            (self.warn)(&format!("{} so far", self.unasked.told()));
        }
    }

    /// Handles a reply to an open question.
    fn judge(&mut self, id: &str, message: Message, reply: wire::Reply<Q::Wire>) {
        let question = self.validator.question(id).expect("it is open");
        let worker = reply.worker;
        let answer = match reply.answer {
            Ok(answer) => answer,
            Err(failure) => return self.validator.failed(id, worker, failure, message),
        };
        if let Err(why) = question.check(&answer) {
            let why = why.to_string();
            return self.validator.nonsense(id, &worker, &why, message);
        }
        self.put_aside = None;
        self.validator.answered(id, worker, answer, message);
    }

    /// Carries out the steps of the validator.
    fn take_steps(&mut self) -> crate::Result<()> {
        while let Some(step) = self.validator.step() {
            match step {
                Step::Ask(id) => self.ask(&id),
                Step::Drop(message) => self.mail.acknowledge(message),
                Step::Give {
                    question,
                    answer,
                    worker,
                    messages,
                } => {
                    let id = self.wire(&question).id();
                    self.asked.remove(&id);
                    self.disputed.remove(&id);
                    if answer.is_err() {
                        self.failed.insert(id);
                    }
                    self.given.extend(messages);
                    self.pace.count += 1;
                    self.ready.push_back(Reply {
                        question,
                        answer: answer.map_err(NoAnswer::from),
                        worker: Some(worker.to_string()),
                    });
                }
                Step::Dismiss {
                    worker,
                    why,
                    is_new,
                } => {
                    let (told, reason) = match why {
                        Dismissal::Refused(reason) => {
                            let mut trusted = self.validator.trusted();
                            let trusted = trusted.find(|it| it.worker == worker.as_str());
                            let but = trusted.map_or_else(String::new, |Trusted { answers, .. }| {
                                format!("; in the book from when it was the only worker: {answers} of its answers")
                            });
                            (
                                format!("refusing worker {worker} from now on: {reason}{but}"),
                                reason,
                            )
                        }
                        Dismissal::PutAside(reason) => {
                            let reason = format!(
                                "it failed {} questions in a row; last error: {reason}",
                                Failures::MOST
                            );
                            let told = format!("worker {worker} is put aside: {reason}");
                            self.put_aside = Some(told.clone());
                            (told, reason)
                        }
                    };
                    if is_new {
                        (self.warn)(&told);
                    }
                    self.mail.refuse(&worker, reason);
                }
                Step::Undecided { id, board, workers } => {
                    // A third worker may be busy for as long as a lease.
                    let since = self.disputed.entry(id).or_insert_with(Instant::now);
                    if since.elapsed() < self.absence() {
                        continue;
                    }
                    let workers: Vec<&str> = workers.iter().map(Name::as_str).collect();
                    let workers = workers.join(" and ");
                    return Err(self.failure(format!(
                        "{board}: {workers} disagree, and there is no other worker to compare with. Start a third worker or stop one \
                         of them, then run the same command to continue"
                    )));
                }
            }
        }
        Ok(())
    }

    fn failure(&self, problem: String) -> crate::Error {
        crate::Error::At {
            place: self.server.clone(),
            problem,
        }
    }

    /// After this long, a worker that doesn't answer is absent.
    fn absence(&self) -> Duration {
        self.mail.lease.max(SHORTEST_ABSENCE)
    }

    /// Fails if the last worker was put aside and no other one has appeared.
    fn check_presence(&self) -> crate::Result<()> {
        match &self.put_aside {
            Some(why) if self.mail.presence().seen.elapsed() >= self.absence() => {
                Err(self.failure(format!("{why}; there is no other worker")))
            }
            _ => Ok(()),
        }
    }

    /// Takes the replies that have come, and returns all other open questions without an answer.
    fn give_up(&mut self) -> crate::Result<()> {
        let end = Instant::now() + FAREWELL;
        while !self.validator.is_empty()
            && Instant::now() < end
            && let Ok(Some(received)) = self.mail.receive(Instant::now())
        {
            self.receive(received);
            self.take_steps()?;
        }
        let stopped = |question| Reply {
            question,
            answer: Err(NoAnswer::Failed(SearchError::Stopped)),
            worker: None,
        };
        let out = self.validator.give_up().into_iter().map(stopped);
        self.ready.extend(out);
        self.asked.clear();
        Ok(())
    }
}

impl<Q: Asked> Workers<Q> for Learner<Q> {
    fn name(&self) -> &str {
        &self.options.engine_name
    }

    fn engine(&self) -> Q::Engine {
        self.options.engine
    }

    fn ahead(&self) -> usize {
        let busy = 2 * self.mail.presence().slots + (AHEAD * self.pace.rate) as usize;
        busy.max(FEWEST) + self.validator.held() + self.ready.len()
    }

    fn begin_wave(&mut self) {
        self.waves += 1;
        if self.waves > 1 {
            for (_, (message, reply)) in std::mem::take(&mut self.early) {
                self.drop_unasked(message, &reply.worker);
            }
        }
    }

    fn hand_out(&mut self, question: Q) -> crate::Result<()> {
        let id = self.wire(&question).id();
        self.validator.expect(id.clone(), question);
        if let Some((message, reply)) = self.early.remove(&id) {
            self.judge(&id, message, reply);
        }
        self.take_steps()?;
        if self.validator.awaits(&id) && !self.asked.contains_key(&id) {
            self.ask(&id);
        }
        Ok(())
    }

    fn next(&mut self, until: Instant) -> crate::Result<Option<Reply<Q>>> {
        self.pace.measure();
        loop {
            if self.stop.is_set() {
                self.give_up()?;
            }
            if let Some(reply) = self.ready.pop_front() {
                return Ok(Some(reply));
            }
            self.send_again();
            let mut received = self.mail.receive(Instant::now());
            if let Ok(None) = received {
                self.validator.check_the_last();
                self.take_steps()?;
                if !self.ready.is_empty() {
                    continue;
                }
                self.check_presence()?;
                received = self.mail.receive(until);
            }
            match received.map_err(|problem| self.failure(problem))? {
                Some(received) => self.receive(received),
                None => return Ok(None),
            }
            self.take_steps()?;
            // Check this even under a flood of messages.
            if self.ready.is_empty() && Instant::now() >= until {
                return Ok(None);
            }
        }
    }

    fn trusted(&self) -> Vec<Trusted> {
        self.validator.trusted().collect()
    }

    fn taken_in(&mut self) -> crate::Result<()> {
        for message in self.given.drain(..) {
            self.mail.acknowledge(message);
        }
        Ok(())
    }
}

impl<Q: Asked> Drop for Learner<Q> {
    fn drop(&mut self) {
        if self.unasked.count > 0 {
            (self.warn)(&self.unasked.told());
        }
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
