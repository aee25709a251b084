//! Runs keep their time and limit, and search all missing leaves that they can. The time is simulated.

use super::made_up::{even, made_up};
use super::run::{assert_is_sound, recipe_of, stage};
use obook_book::Context;
use obook_learn::search::{Clock, Question, Reply, Workers};
use obook_learn::{LearnOptions, Learned, Result, Rule, Stopped, learn};
use obook_model::Engine;
use obook_testing::answer::answer;
use obook_testing::random_book::Random;
use proptest::prelude::*;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A clock that only workers move.
#[derive(Clone)]
struct Time {
    start: Instant,
    micros: Arc<AtomicU64>,
}

impl Time {
    fn new() -> Time {
        Time {
            start: Instant::now(),
            micros: Arc::default(),
        }
    }

    fn clock(&self) -> Clock {
        let time = self.clone();
        Clock::simulated(move || time.start + Duration::from_micros(time.now()))
    }

    fn now(&self) -> u64 {
        self.micros.load(Ordering::Relaxed)
    }

    fn go_to(&self, then: u64) {
        self.micros.fetch_max(then, Ordering::Relaxed);
    }
}

/// How workers search, in simulated microseconds.
#[derive(Clone, Debug)]
struct Fleet {
    seed: u64,
    /// A search takes half as long to one and a half times as long as this.
    search: u64,
    /// When each worker comes.
    arrivals: Vec<u64>,
    /// The number of questions that are worth handing out ahead.
    ahead: usize,
}

/// Workers in simulated time: each takes the first question that waits, once it is there and free.
struct Simulated {
    fleet: Fleet,
    time: Time,
    random: Random,
    waiting: VecDeque<(u64, Question)>,
    /// When each worker is free.
    free: Vec<u64>,
    /// Searches under way, with their ends.
    searched: Vec<(u64, Question)>,
}

impl Simulated {
    fn new(fleet: &Fleet, time: &Time) -> Simulated {
        Simulated {
            random: Random(fleet.seed),
            fleet: fleet.clone(),
            time: time.clone(),
            waiting: VecDeque::new(),
            free: fleet.arrivals.clone(),
            searched: Vec::new(),
        }
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

    fn hand_out(&mut self, question: Question) -> Result<()> {
        self.waiting.push_back((self.time.now(), question));
        Ok(())
    }

    fn next(&mut self, until: Instant) -> Result<Option<Reply>> {
        while let Some((asked, question)) = self.waiting.pop_front() {
            let free = self.free.iter_mut().min().unwrap();
            let length = self.fleet.search / 2 + self.random.below(self.fleet.search);
            *free = asked.max(*free) + length;
            self.searched.push((*free, question));
        }
        let until = until.duration_since(self.time.start).as_micros() as u64;
        let first = (0..self.searched.len()).min_by_key(|at| self.searched[*at].0);
        let Some(first) = first.filter(|at| self.searched[*at].0 <= until) else {
            self.time.go_to(until);
            return Ok(None);
        };
        let (end, question) = self.searched.swap_remove(first);
        self.time.go_to(end);
        let request = &question.request;
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

fn run(path: &Path, rule: &Rule, fleet: &Fleet, options: LearnOptions, time: &Time) -> Learned {
    let options = LearnOptions {
        clock: time.clock(),
        ..options
    };
    learn(
        path,
        &recipe_of([stage(rule.clone(), 4, 40)]),
        &options,
        &mut |_| Ok(Box::new(Simulated::new(fleet, time))),
        &Context::new("obook learn"),
        &mut |_| {},
    )
    .unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// A run uses its time to within a tenth and leaves nothing missing, whenever workers come and however long they search.
    /// So does the run after it.
    #[test]
    fn a_run_takes_its_time_and_leaves_nothing_missing(
        rule in rules(),
        seed: u64,
        late in prop::collection::vec(0..60u64, 1..9),
        ahead in 1..4usize,
        searches in 150..400u64,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.obook");
        let search = 1_000_000;
        let all = searches * search / late.len() as u64;
        // The last of them comes when more than half of the time is over.
        let all = all.max(60 * search);
        let fleet = Fleet {
            seed,
            search,
            arrivals: late.iter().map(|part| part * all / 100).collect(),
            ahead: ahead * late.len(),
        };
        for _ in 0..2 {
            let time = Time::new();
            let options = LearnOptions { time: Some(Duration::from_micros(all)), ..LearnOptions::default() };
            let learned = run(&path, &rule, &fleet, options, &time);
            let part = time.now() as f64 / all as f64;
            if learned.stopped.is_none() {
                break;
            }
            prop_assert_eq!(learned.stopped, Some(Stopped::Time));
            prop_assert!((0.9..=1.1).contains(&part), "{}: {:?}", part, learned.totals);
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
        let fleet = Fleet { seed, search: 1000, arrivals: vec![0; workers], ahead: ahead * workers };
        for limit in limits {
            let options = LearnOptions { limit: Some(limit), ..LearnOptions::default() };
            let learned = run(&path, &rule, &fleet, options, &Time::new());
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
