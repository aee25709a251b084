//! One run of a book at a time.

use super::made_up::MadeUp;
use obook_book::Context;
use obook_learn::search::{Question, Reply, Workers};
use obook_learn::{
    Error, LearnOptions, Learned, Recipe, Result, Rule, Stage, Until, hand_out, learn,
};
use obook_model::Engine;
use std::collections::BTreeSet;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

fn recipe(depth: u8) -> Recipe {
    let stage = Stage {
        rule: Rule::Deviate {
            relative: 10,
            absolute: 30,
        },
        level: Some(4),
        depth: Some(depth),
        engine: None,
        until: Until::default(),
    };
    Recipe {
        from: None,
        stages: vec![stage],
    }
}

fn run(path: &Path, workers: impl Workers + Clone + 'static) -> Result<Learned> {
    learn(
        path,
        &recipe(3),
        &LearnOptions::default(),
        &mut |_| Ok(Box::new(workers.clone())),
        &Context::new("obook learn"),
        &mut |_| {},
    )
}

/// While its first question is out, another run begins.
#[derive(Clone)]
struct Meddling<'a> {
    made_up: MadeUp,
    meddle: &'a dyn Fn(),
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

    fn hand_out(&mut self, question: Question) -> Result<()> {
        self.made_up.hand_out(question)
    }

    fn next(&mut self, until: Instant) -> Result<Option<Reply>> {
        (self.meddle)();
        self.made_up.next(until)
    }
}

#[test]
fn the_second_run_of_a_book_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    let again = path.clone();
    let meddle: &'static dyn Fn() = Box::leak(Box::new(move || {
        let error = run(&again, MadeUp::new(1, 1)).unwrap_err();
        assert!(
            matches!(error, Error::Book(obook_book::Error::Unfit { .. })),
            "{error}"
        );
        assert!(
            error.to_string().contains("another run is in progress"),
            "{error}"
        );
    }));
    let workers = Meddling {
        made_up: MadeUp::new(2, 1),
        meddle,
    };
    let learned = run(&path, workers).unwrap();
    assert!(learned.totals.searches > 10);
    run(&path, MadeUp::new(1, 1)).unwrap();
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    let names = left.into_iter().map(|it| it.unwrap().file_name());
    assert!(
        names
            .into_iter()
            .all(|name| !name.to_string_lossy().contains("run"))
    );
}

/// Whoever asks for searches at the same time as others gets others.
#[test]
fn what_is_handed_out_is_handed_out_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    run(&path, MadeUp::new(1, 1)).unwrap();
    let copy = folder.path().join("copy.obook");
    std::fs::copy(&path, &copy).unwrap();
    let take = |path: &Path, most| {
        let mut taken = Vec::new();
        hand_out(
            path,
            &recipe(6),
            most,
            Duration::from_secs(3600),
            &|_| Engine::Obook,
            &Context::new("obook tasks"),
            &mut |questions| {
                taken.extend_from_slice(questions);
                Ok(())
            },
        )
        .unwrap();
        taken
    };
    let wanted = take(&copy, 1000).len();
    assert!(wanted > 4, "{wanted}");
    let all: Vec<String> = thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| take(&path, 2))).collect();
        let taken = threads.into_iter().flat_map(|it| it.join().unwrap());
        taken.map(|question| question.id()).collect()
    });
    assert_eq!(all.len(), wanted.min(8), "of {wanted}");
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}
