//! Runs with failing searches.

use super::at::{learn, sample, search, status};
use super::made_up::{MadeUp, even, made_up};
use obook::{Context, Store};
use obook_engine::{Answer, Request, SearchError, Searcher, Stop};
use obook_learn::complete::SearchOptions;
use obook_learn::sample::SampleOptions;
use obook_learn::search::{Threads, Workers};
use obook_learn::{Error, LearnOptions, Learned, Recipe, Result, Rule, Stage, Stopped, Until};
use obook_othello::Engine;
use obook_testing::answer::answer;
use obook_testing::book_rows::rows;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

fn stage(rule: Rule) -> Stage {
    let until = Until {
        positions: Some(300),
        ..Until::default()
    };
    Stage {
        until,
        ..Stage::new(rule, 4, 20)
    }
}

/// Two stages that both make positions.
fn recipe() -> Recipe {
    let deviate = |relative, absolute| Rule::Deviate { relative, absolute };
    let mut second = stage(deviate(5, 9));
    second.until.positions = Some(400);
    Recipe {
        from: None,
        stages: vec![stage(deviate(3, 4)), second],
    }
}

fn run(
    path: &Path,
    options: &LearnOptions,
    workers: &mut dyn FnMut() -> Box<dyn Workers>,
) -> Result<Learned> {
    learn(
        path,
        &recipe(),
        options,
        &mut |_| Ok(workers()),
        &Context::new("obook learn"),
        &mut |_| {},
    )
}

fn whole(path: &Path) -> Learned {
    run(path, &LearnOptions::default(), &mut || {
        Box::new(MadeUp::new(1, 3))
    })
    .unwrap()
}

/// Answers as [`MadeUp`] does until the given event.
struct Unless<F>(F);

impl<F: FnMut(&Request) -> Option<SearchError> + Send> Searcher for Unless<F> {
    fn name(&self) -> &str {
        "made up"
    }

    fn engine(&self) -> Engine {
        Engine::Obook
    }

    fn search(&mut self, request: &Request) -> std::result::Result<Answer, SearchError> {
        match (self.0)(request) {
            Some(error) => Err(error),
            None => {
                let (mv, score) = even(request, made_up(request));
                Ok(answer(request, Engine::Obook, mv, score))
            }
        }
    }
}

/// The engine dies after any number of answers: the run ends with an error and advances no stage, and the next run makes the
/// book of a run in which nothing failed.
#[test]
fn an_engine_that_dies_ends_the_run_and_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let expected = folder.path().join("whole.obook");
    let all = whole(&expected).totals.searches as usize;
    assert!(all > 400, "{all}");
    for answers in [1, 100, 250, 300, all - 9] {
        let path = folder.path().join(format!("{answers}.obook"));
        let dies = MadeUp {
            dies_after: Some(answers),
            ..MadeUp::new(answers as u64, 3)
        };
        let error = run(&path, &LearnOptions::default(), &mut || {
            Box::new(dies.clone())
        })
        .unwrap_err();
        let Error::Broken { source, learned } = error else {
            panic!("{answers}: no report");
        };
        assert!(
            matches!(*source, Error::NoAnswer { count: 1..=8, .. }),
            "{answers}: {source}"
        );
        assert_eq!(learned.stopped, Some(Stopped::NoAnswer), "{answers}");
        let done = learned.totals.searches as usize;
        assert!((1..=answers).contains(&done), "{answers}: {done}");
        assert!(learned.positions > 0, "{answers}");
        let asked: usize = dies.asked.lock().unwrap().values().sum();
        assert!(
            asked <= answers + 8 * 5 + 3,
            "{answers}: asked {asked} times"
        );
        let stage = status(&path, &Context::default()).unwrap().stage;
        let learned = whole(&path);
        assert_eq!(learned.stages[0].stage, stage.unwrap(), "{answers}");
        assert!(rows(&path) == rows(&expected), "{answers}");
    }
}

/// An engine that never answers, and too few questions for eight failures in a row.
#[test]
fn nothing_is_done_if_nothing_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    let mute = MadeUp {
        failing: Some(1),
        ..MadeUp::new(1, 4)
    };
    let error = run(&path, &LearnOptions::default(), &mut || {
        Box::new(mute.clone())
    })
    .unwrap_err();
    let Error::Broken { source, .. } = error else {
        panic!("{error}");
    };
    assert!(matches!(*source, Error::NoAnswer { .. }), "{source}");
    assert_eq!(status(&path, &Context::default()).unwrap().stage, Some(1));
}

/// An engine that takes a second for each search after a while: the run ends soon after its time, and counts what is missing.
#[test]
fn an_engine_that_gets_slow_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    let stop = Stop::default();
    let start = || {
        let (mut searches, stop) = (0, stop.clone());
        let gets_slow = move |_: &Request| {
            searches += 1;
            let end = Instant::now() + Duration::from_secs(1);
            while searches > 75 && Instant::now() < end {
                if stop.is_set() {
                    return Some(SearchError::Stopped);
                }
                sleep(Duration::from_millis(10));
            }
            None
        };
        Ok(Box::new(Unless(gets_slow)) as Box<dyn Searcher>)
    };
    let jobs = NonZeroUsize::new(2).unwrap();
    let options = LearnOptions {
        time: Some(Duration::from_secs(3)),
        stop: stop.clone(),
        ..LearnOptions::default()
    };
    let begun = Instant::now();
    let learned = run(&path, &options, &mut || {
        Box::new(Threads::start(jobs, start, &stop).unwrap())
    })
    .unwrap();
    // It would wait ten seconds more.
    assert!(begun.elapsed() < Duration::from_secs(10), "{learned:?}");
    assert_eq!(learned.stopped, Some(Stopped::Time));
    let status = status(&path, &Context::default()).unwrap();
    assert_eq!(status.lacking, learned.lacking);
}

/// One searcher of several panics: whatever searches ends with an error that says so, and keeps what was found.
#[test]
fn a_panic_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.obook");
    let asked = Arc::new(AtomicUsize::new(0));
    let start = || {
        let asked = Arc::clone(&asked);
        let panics = move |_: &Request| {
            assert!(
                asked.fetch_add(1, Ordering::Relaxed) != 100,
                "that was too much"
            );
            None
        };
        Ok(Box::new(Unless(panics)) as Box<dyn Searcher>)
    };
    let jobs = NonZeroUsize::new(3).unwrap();
    let threads = || Box::new(Threads::start(jobs, start, &Stop::default()).unwrap());
    let is_told = |error: Error| {
        let said = error.to_string();
        assert!(
            said.contains("made up") && said.contains("panicked: that was too much"),
            "{said}"
        );
    };
    is_told(run(&path, &LearnOptions::default(), &mut || threads()).unwrap_err());
    assert!(
        Store::open(&path, &Context::default())
            .unwrap()
            .counts()
            .unwrap()
            .rows()
            .positions
            > 30
    );
    run(&path, &LearnOptions::default(), &mut || threads()).unwrap();
    asked.store(90, Ordering::Relaxed);
    let options = SampleOptions {
        count: 200,
        level: None,
        seed: 1,
        jobs,
        stop: Stop::default(),
    };
    is_told(sample(&path, &options, &start, &Context::default()).unwrap_err());
    asked.store(90, Ordering::Relaxed);
    let options = SearchOptions {
        below: Some(9),
        jobs: Some(jobs),
        ..SearchOptions::default()
    };
    let searched = search(
        &path,
        &options,
        &start,
        &Context::new("obook search"),
        &mut |_| (),
    );
    is_told(searched.unwrap_err());
}
