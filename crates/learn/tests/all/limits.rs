//! Runs keep their time and limit, and search all missing leaves that they can. The time is simulated.

use super::at::learn;
use super::made_up::{even, made_up};
use super::run::{assert_is_sound, lacks_only_leaves, recipe_of};
use obook::Context;
use obook_engine::wire::Failure;
use obook_engine::{Request, SearchError, Stop};
use obook_learn::search::{Clock, NoAnswer, Reply, Workers};
use obook_learn::{LearnOptions, Learned, Result, Rule, Stage, Stopped};
use obook_othello::{CanonicalBoard, Engine};
use obook_testing::answer::answer;
use obook_testing::random_book::Random;
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;
use std::cmp::Reverse;
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A clock that only workers move.
#[derive(Clone)]
struct Time {
    start: Instant,
    micros: Arc<AtomicU64>,
    /// How often it was read since it was moved.
    reads: Arc<AtomicU64>,
}

impl Time {
    fn new() -> Time {
        Time {
            start: Instant::now(),
            micros: Arc::default(),
            reads: Arc::default(),
        }
    }

    fn clock(&self) -> Clock {
        let time = self.clone();
        Clock::simulated(move || {
            let reads = time.reads.fetch_add(1, Ordering::Relaxed);
            assert!(reads < 100_000, "the run spins");
            time.start + Duration::from_micros(time.now())
        })
    }

    fn now(&self) -> u64 {
        self.micros.load(Ordering::Relaxed)
    }

    fn go_to(&self, then: u64) {
        if self.micros.fetch_max(then, Ordering::Relaxed) < then {
            self.reads.store(0, Ordering::Relaxed);
        }
    }
}

/// The level of a second stage.
const DEEP: u8 = 12;

/// How workers search, in simulated microseconds.
#[derive(Clone, Debug)]
struct Fleet {
    seed: u64,
    /// A search takes half as long to one and a half times as long as this.
    search: u64,
    /// The search of a leaf beside links takes this many times as long.
    mending: u64,
    /// And so does a search at [`DEEP`].
    deep: u64,
    /// From these times on, searches take this many percent of their time.
    changes: Vec<(u64, u64)>,
    /// When each worker comes.
    arrivals: Vec<u64>,
    /// The number of questions that are worth handing out ahead.
    ahead: usize,
    /// Answers come this many at a time, if so many questions are out.
    together: usize,
    /// Whether a stop ends searches.
    obeys: bool,
    /// How long it takes until answers are in the book.
    writing: u64,
}

impl Fleet {
    /// Workers of one speed that are there from the beginning.
    fn steady(seed: u64, search: u64, workers: usize, ahead: usize) -> Fleet {
        Fleet {
            seed,
            search,
            mending: 1,
            deep: 1,
            changes: Vec::new(),
            arrivals: vec![0; workers],
            ahead: ahead * workers,
            together: 1,
            obeys: true,
            writing: 0,
        }
    }

    /// When a search ends that takes so long at 100 percent.
    fn end(&self, start: u64, length: u64) -> u64 {
        let (mut now, mut left, mut percent) = (start, 100 * length, 100);
        for &(then, changed) in &self.changes {
            let until = then.max(now);
            let done = 100 * (until - now) / percent;
            if 100 * done >= left {
                break;
            }
            (now, left, percent) = (until, left - 100 * done, changed);
        }
        now + left * percent / 10_000
    }
}

/// A search under way or done.
struct Searched {
    start: u64,
    end: u64,
    question: Request,
}

/// Workers in simulated time: each takes the first question that waits, once it is there and free.
struct Simulated {
    fleet: Fleet,
    time: Time,
    stop: Stop,
    random: Random,
    waiting: VecDeque<(u64, Request)>,
    /// When each worker is free.
    free: Vec<u64>,
    /// Searches with their ends.
    searched: Vec<Searched>,
    ready: VecDeque<Request>,
    told: Told,
}

/// What the workers did.
#[derive(Clone, Default)]
struct Told {
    answers: Arc<AtomicU64>,
    /// The longest search that began.
    longest: Arc<AtomicU64>,
}

impl Simulated {
    fn new(fleet: &Fleet, time: &Time, stop: &Stop, told: &Told) -> Simulated {
        Simulated {
            random: Random(fleet.seed),
            fleet: fleet.clone(),
            time: time.clone(),
            stop: stop.clone(),
            waiting: VecDeque::new(),
            free: fleet.arrivals.clone(),
            searched: Vec::new(),
            ready: VecDeque::new(),
            told: told.clone(),
        }
    }

    /// Lets workers take what waits.
    fn take(&mut self) {
        while let Some((asked, question)) = self.waiting.pop_front() {
            let free = self.free.iter_mut().min().unwrap();
            let length = self.fleet.search / 2 + self.random.below(self.fleet.search);
            let times = match question.excluded().0 {
                0 => 1,
                _ => self.fleet.mending,
            };
            let times = match question.level() {
                DEEP => times * self.fleet.deep,
                _ => times,
            };
            let start = asked.max(*free);
            let end = self.fleet.end(start, length * times);
            *free = end;
            self.searched.push(Searched {
                start,
                end,
                question,
            });
        }
    }

    /// A search that a stop ends, and that has not ended by itself.
    fn stopped(&mut self) -> Option<Request> {
        let (now, obeys) = (self.time.now(), self.fleet.obeys);
        let is_stopped = |it: &Searched| it.start > now || obeys && it.end > now;
        let at = self.searched.iter().position(is_stopped)?;
        Some(self.searched.swap_remove(at).question)
    }
}

impl Workers for Simulated {
    fn name(&self) -> &str {
        "simulated"
    }

    fn engine(&self) -> Engine {
        Engine::Obook
    }

    fn ahead(&self) -> usize {
        self.fleet.ahead
    }

    fn hand_out(&mut self, question: Request) -> Result<()> {
        self.waiting.push_back((self.time.now(), question));
        Ok(())
    }

    fn next(&mut self, until: Instant) -> Result<Option<Reply>> {
        self.take();
        if self.stop.is_set()
            && let Some(question) = self.stopped()
        {
            return Ok(Some(Reply {
                question,
                answer: Err(NoAnswer::Failed(SearchError::Stopped)),
                worker: None,
            }));
        }
        if self.ready.is_empty() {
            self.searched.sort_by_key(|it| Reverse(it.end));
            let together = self.fleet.together.min(self.searched.len());
            let until = until.duration_since(self.time.start).as_nanos();
            let until = until.div_ceil(1000) as u64;
            let come = self.searched.split_off(self.searched.len() - together);
            let last = come.first().map(|it| it.end);
            let Some(last) = last.filter(|last| *last <= until) else {
                self.searched.extend(come);
                self.time.go_to(until);
                return Ok(None);
            };
            self.time.go_to(last);
            for it in come {
                let lasted = it.end - it.start;
                self.told.longest.fetch_max(lasted, Ordering::Relaxed);
                self.ready.push_back(it.question);
            }
        }
        let Some(question) = self.ready.pop_front() else {
            return Ok(None);
        };
        self.told.answers.fetch_add(1, Ordering::Relaxed);
        let request = &question;
        let (mv, score) = even(request, made_up(request));
        let answer = Ok(answer(request, Engine::Obook, mv, score));
        Ok(Some(Reply {
            question,
            answer,
            worker: None,
        }))
    }
}

fn rules() -> impl Strategy<Value = Rule> {
    prop_oneof![
        Just(Rule::Deviate {
            relative: 20,
            absolute: 64
        }),
        Just(Rule::EgaroucidDeviate {
            per_move: Some(6),
            sum: None,
            leaf: Some(4)
        }),
        Just(Rule::BestFirst { least: 0.0 }),
        Just(Rule::Fill {
            plies: 2.try_into().unwrap()
        }),
    ]
}

/// The only stage.
fn only(rule: &Rule) -> [Stage; 1] {
    [Stage::new(rule.clone(), 4, 40)]
}

fn run(
    path: &Path,
    stages: impl Into<Vec<Stage>>,
    fleet: &Fleet,
    options: LearnOptions,
    time: &Time,
    told: &Told,
) -> Learned {
    let stop = Stop::default();
    let options = LearnOptions {
        clock: time.clock(),
        stop: stop.clone(),
        ..options
    };
    learn(
        path,
        &recipe_of(stages),
        &options,
        &mut |_| Ok(Box::new(Simulated::new(fleet, time, &stop, told))),
        &Context::new("obook learn"),
        &mut |_| time.go_to(time.now() + fleet.writing),
    )
    .unwrap()
}

/// For so long.
fn in_time(micros: u64) -> LearnOptions {
    LearnOptions {
        time: Some(Duration::from_micros(micros)),
        ..LearnOptions::default()
    }
}

/// The first answer of a run waits for workers and tells no speed; nothing must be concluded from it. Here a missing leaf follows it.
#[test]
fn the_first_answer_tells_no_speed() {
    let rule = Rule::EgaroucidDeviate {
        per_move: Some(6),
        sum: None,
        leaf: Some(4),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    let all = 255_000_000;
    let fleet = Fleet {
        mending: 4,
        arrivals: vec![all * 27 / 100],
        ..Fleet::steady(1_668_708_886_018_016_435, 1_000_000, 1, 3)
    };
    for _ in 0..2 {
        let (time, told) = (Time::new(), Told::default());
        let learned = run(&path, only(&rule), &fleet, in_time(all), &time, &told);
        assert_eq!(learned.stopped, Some(Stopped::Time));
        assert_eq!(learned.lacking, 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// A run uses its time to within a tenth and one burst of answers, and leaves nothing missing, whenever workers come, however
    /// long they search, also if missing leaves take them longer, and if answers come in bursts. So does the run after it.
    #[test]
    fn a_run_takes_its_time_and_leaves_nothing_missing(
        rule in rules(),
        seed: u64,
        late in prop::collection::vec(0..60u64, 1..9),
        ahead in 1..4usize,
        searches in 150..400u64,
        mending in 1..5u64,
        together in 1..9usize,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.obook");
        let search = 1_000_000;
        let all = searches * search / late.len() as u64;
        let ahead = ahead * late.len();
        let together = together.min(ahead);
        // The last of them comes when more than half of the time is over.
        let all = all.max(60 * search * mending * together.div_ceil(late.len()) as u64);
        let fleet = Fleet {
            mending,
            arrivals: late.iter().map(|part| part * all / 100).collect(),
            ahead,
            together,
            ..Fleet::steady(seed, search, 1, 1)
        };
        for _ in 0..2 {
            let time = Time::new();
            let learned = run(&path, only(&rule), &fleet, in_time(all), &time, &Told::default());
            let part = |time: u64| time as f64 / all as f64;
            // What it learns from a burst, it learns when the last of its searches ends.
            let burst = search * mending * together.div_ceil(late.len()) as u64;
            if learned.stopped.is_none() {
                break;
            }
            prop_assert_eq!(learned.stopped, Some(Stopped::Time));
            prop_assert!(part(time.now() + burst) >= 0.9, "{}: {:?}", part(time.now()), learned.totals);
            prop_assert!(part(time.now()) <= 1.1, "{}: {:?}", part(time.now()), learned.totals);
            prop_assert_eq!(learned.lacking, 0);
            assert_is_sound(&path);
        }
    }

    /// A limit is a limit, the missing leaves included.
    #[test]
    fn a_limit_is_never_exceeded(
        rule in rules(),
        seed: u64,
        workers in 1..9usize,
        ahead in 1..4usize,
        limits in prop::collection::vec(0..150u64, 1..5),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.obook");
        let fleet = Fleet::steady(seed, 1000, workers, ahead);
        for limit in limits {
            let options = LearnOptions { limit: Some(limit), ..LearnOptions::default() };
            let learned = run(&path, only(&rule), &fleet, options, &Time::new(), &Told::default());
            prop_assert!(learned.totals.searches <= limit, "{:?}", learned.totals);
            if learned.stopped.is_none() {
                break;
            }
            prop_assert_eq!(learned.stopped, Some(Stopped::Limit));
            // One more position may cost several leaves.
            prop_assert!(learned.totals.searches + 8 > limit, "{} {:?}", limit, learned.totals);
            assert_is_sound(&path);
        }
    }
}

/// The number of answers in a transaction.
const BATCH: usize = 8;

/// The same, with several answers in a transaction, which take most of the test's time.
fn in_batches(micros: u64) -> LearnOptions {
    LearnOptions {
        batch: NonZeroUsize::new(BATCH),
        ..in_time(micros)
    }
}

fn fleets() -> impl Strategy<Value = Fleet> {
    let change = (
        0..120u64,
        prop_oneof![Just(50u64), Just(300), Just(2000), Just(100_000)],
    );
    let changes = prop::collection::vec(change, 0..4);
    let how = (
        any::<u64>(),
        1..9usize,
        1..4usize,
        1..5u64,
        1..9usize,
        any::<bool>(),
        prop_oneof![Just(0u64), 0..2_000_000u64],
    );
    (changes, how).prop_map(
        |(mut changes, (seed, workers, ahead, mending, together, obeys, writing))| {
            changes.sort_unstable();
            Fleet {
                mending,
                changes,
                together: together.min(workers * ahead),
                obeys,
                writing,
                ..Fleet::steady(seed, 1_000_000, workers, ahead)
            }
        },
    )
}

/// Whatever becomes of the workers' speed, at any moment: a run ends in time, every answer that came is in the book, and the report
/// counts what is missing. The next run that has time mends that.
///
/// Law (Rules of growth): A run ends in time whatever the engines' speed, keeps every answer, and reports missing leaves.
/// Also: `a_run_takes_its_time_and_leaves_nothing_missing` `the_first_answer_tells_no_speed` `missing_leaves_have_a_speed_of_their_own`
/// `a_stage_has_a_speed_of_its_own` `answers_that_have_come_go_in_together` `cli/tests/program/learn.rs` `a_run_tells_what_is_missing`
/// `cli/tests/program/machines/mod.rs` `a_run_ends_in_time_without_its_worker`
#[test]
fn a_run_ends_in_time_loses_no_answer_and_says_what_is_missing() {
    let (whole, lacking) = (Cell::new(0), Cell::new(0));
    // Always the same cases: of both kinds.
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::with_cases(24), random);
    let cases = (rules(), fleets(), 20..200u64);
    let law = |(rule, mut fleet, searches): (Rule, Fleet, u64)| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.obook");
        let all = searches * fleet.search / fleet.arrivals.len() as u64;
        for (then, _) in &mut fleet.changes {
            *then = *then * all / 100;
        }
        let (time, told) = (Time::new(), Told::default());
        let learned = run(&path, only(&rule), &fleet, in_batches(all), &time, &told);
        let one_search = match fleet.obeys {
            true => 0,
            false => told.longest.load(Ordering::Relaxed),
        };
        // The transaction that has begun when the time is over, and those of the answers that have come.
        let transactions = 2 + fleet.ahead.div_ceil(BATCH) as u64;
        prop_assert!(
            time.now() <= (all * 11).div_ceil(10) + one_search + transactions * fleet.writing,
            "{} of {all}",
            time.now()
        );
        prop_assert_eq!(
            learned.totals.searches,
            told.answers.load(Ordering::Relaxed)
        );
        prop_assert_eq!(learned.lacking, lacks_only_leaves(&path));
        match learned.lacking {
            0 => whole.set(whole.get() + 1),
            _ => lacking.set(lacking.get() + 1),
        }
        let steady = Fleet::steady(fleet.seed, 1000, 1, 1);
        let learned = run(
            &path,
            only(&rule),
            &steady,
            in_batches(300_000),
            &Time::new(),
            &Told::default(),
        );
        prop_assert_eq!(learned.lacking, 0);
        assert_is_sound(&path);
        Ok(())
    };
    runner.run(&cases, law).unwrap();
    assert!(
        whole.get() > 0 && lacking.get() > 0,
        "{whole:?} {lacking:?}"
    );
}

/// A rule that keeps many leaves missing, a number of workers, and how many questions each has ahead.
fn busy(random: &mut Random) -> (Rule, usize, usize) {
    let rule = match random.below(4) {
        0 => Rule::Deviate {
            relative: 20,
            absolute: 64,
        },
        1 => Rule::EgaroucidDeviate {
            per_move: Some(6),
            sum: None,
            leaf: Some(4),
        },
        2 => Rule::Extend,
        _ => Rule::BestFirst { least: 0.0 },
    };
    let [workers, ahead] = [4, 2].map(|most| 1 + random.below(most) as usize);
    (rule, workers, ahead)
}

/// Missing leaves take three times as long as the searches that cost them, and wait until a whole turn of those is done. A run keeps
/// the time that they will take, and little more.
#[test]
fn missing_leaves_have_a_speed_of_their_own() {
    const RUNS: u64 = 12;
    let mut used = 0.0;
    for seed in 0..RUNS {
        let mut random = Random(seed);
        let (rule, workers, ahead) = busy(&mut random);
        let fleet = Fleet {
            mending: 3,
            ..Fleet::steady(seed, 1_000_000, workers, ahead)
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.obook");
        // In a large book turns are long.
        let grown = LearnOptions {
            limit: Some(50 + random.below(200)),
            ..in_batches(u64::MAX >> 1)
        };
        let told = Told::default();
        run(&path, only(&rule), &fleet, grown, &Time::new(), &told);
        let all = (60 + random.below(200)) * fleet.search / workers as u64;
        let time = Time::new();
        let learned = run(&path, only(&rule), &fleet, in_batches(all), &time, &told);
        assert_eq!(learned.stopped, Some(Stopped::Time), "seed {seed}");
        assert_eq!(learned.lacking, 0, "seed {seed}");
        let lasted = time.now();
        assert!(lasted <= (all * 11).div_ceil(10), "seed {seed}: {lasted}");
        used += lasted as f64 / all as f64 / RUNS as f64;
    }
    assert!(used > 0.87, "{used}");
}

/// Searches of a second stage take several times as long as those of the first, and there is time for few of them.
#[test]
fn a_stage_has_a_speed_of_its_own() {
    let mut began = 0;
    for seed in 0..14 {
        let mut random = Random(seed);
        let (rule, workers, ahead) = busy(&mut random);
        let fleet = Fleet {
            mending: 1 + random.below(3),
            deep: 3 + random.below(8),
            ..Fleet::steady(seed, 1_000_000, workers, ahead)
        };
        let mut first = Stage::new(rule.clone(), 4, 40);
        first.until.searches = Some(40 + random.below(60));
        let second = Stage::new(rule, DEEP, 40);
        let folder = tempfile::tempdir().unwrap();
        let (path, time) = (folder.path().join("first.obook"), Time::new());
        let told = Told::default();
        let without_end = in_batches(u64::MAX >> 1);
        run(&path, [first.clone()], &fleet, without_end, &time, &told);
        let more = (3 + random.below(20)) * fleet.deep * fleet.search / workers as u64;
        let all = time.now() + more;
        let (path, time) = (folder.path().join("both.obook"), Time::new());
        let learned = run(
            &path,
            [first, second],
            &fleet,
            in_batches(all),
            &time,
            &told,
        );
        assert_eq!(learned.lacking, 0, "seed {seed}");
        let lasted = time.now();
        assert!(lasted <= (all * 11).div_ceil(10), "seed {seed}: {lasted}");
        began += u64::from(learned.stages.len() == 2);
    }
    assert!(began > 10, "{began}");
}

/// Answers that come while others are written go in together. One by one, they would take longer than their searches, and that time
/// would be missing for others.
#[test]
fn answers_that_have_come_go_in_together() {
    let mut searches = 0;
    for seed in 0..6 {
        let (rule, ..) = busy(&mut Random(seed));
        let fleet = Fleet {
            writing: 500_000,
            ..Fleet::steady(seed, 1_000_000, 8, 3)
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.obook");
        let all = 60_000_000;
        let time = Time::new();
        let told = Told::default();
        let options = LearnOptions {
            batch: NonZeroUsize::new(64),
            ..in_time(all)
        };
        let learned = run(&path, only(&rule), &fleet, options, &time, &told);
        assert_eq!(learned.stopped, Some(Stopped::Time), "seed {seed}");
        assert_eq!(learned.lacking, 0, "seed {seed}");
        let lasted = time.now();
        let end = all * 11 / 10 + 2 * fleet.writing;
        assert!(lasted <= end, "seed {seed}: {lasted}");
        searches += learned.totals.searches;
    }
    assert!(searches > 900, "{searches}");
}

/// Workers on other machines that fall silent: after some answers every search fails, and what they have answered they never answer
/// again.
struct FallSilent {
    workers: Simulated,
    answers: usize,
    answered: Vec<(CanonicalBoard, u64)>,
    failed: VecDeque<Request>,
    unheard: Vec<Request>,
    /// When the test ends.
    end: u64,
}

impl Workers for FallSilent {
    fn name(&self) -> &str {
        self.workers.name()
    }

    fn engine(&self) -> Engine {
        self.workers.engine()
    }

    fn ahead(&self) -> usize {
        self.workers.ahead()
    }

    fn hand_out(&mut self, question: Request) -> Result<()> {
        let asked = (question.board().canonical(), question.excluded().0);
        if self.answered.contains(&asked) {
            self.unheard.push(question);
        } else if self.answered.len() == self.answers {
            self.failed.push_back(question);
        } else {
            self.answered.push(asked);
            self.workers.hand_out(question)?;
        }
        Ok(())
    }

    fn next(&mut self, until: Instant) -> Result<Option<Reply>> {
        assert!(self.workers.time.now() < self.end, "it waits for ever");
        let failed = |question, why| {
            Ok(Some(Reply {
                question,
                answer: Err(why),
                worker: Some(String::from("attic")),
            }))
        };
        if let Some(question) = self.failed.pop_front() {
            return failed(
                question,
                Failure::Engine(String::from("out of order")).into(),
            );
        }
        if self.workers.stop.is_set()
            && let Some(question) = self.unheard.pop()
        {
            return failed(question, NoAnswer::Failed(SearchError::Stopped));
        }
        self.workers.next(until)
    }
}

/// Before a run gives up what has failed, it asks again what was answered. It doesn't wait for that longer than its time.
#[test]
fn a_worker_that_falls_silent_does_not_hold_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    let fleet = Fleet::steady(1, 1_000_000, 1, 2);
    let all = 60_000_000;
    let (time, stop, told) = (Time::new(), Stop::default(), Told::default());
    let options = LearnOptions {
        clock: time.clock(),
        stop: stop.clone(),
        ..in_batches(all)
    };
    let rule = Rule::Deviate {
        relative: 20,
        absolute: 64,
    };
    let mut hire = |_| -> Result<Box<dyn Workers>> {
        Ok(Box::new(FallSilent {
            workers: Simulated::new(&fleet, &time, &stop, &told),
            answers: 12,
            answered: Vec::new(),
            failed: VecDeque::new(),
            unheard: Vec::new(),
            end: 2 * all,
        }))
    };
    let learned = learn(
        &path,
        &recipe_of(only(&rule)),
        &options,
        &mut hire,
        &Context::new("obook learn"),
        &mut |_| {},
    )
    .unwrap();
    assert_eq!(learned.stopped, Some(Stopped::Time));
    assert_eq!(learned.totals.searches, 12);
    assert!(learned.totals.failed > 0);
    assert_eq!(learned.lacking, lacks_only_leaves(&path));
    assert!(
        time.now() > all * 9 / 10,
        "it has not asked: {}",
        time.now()
    );
    assert!(time.now() <= all * 11 / 10, "{}", time.now());
}
