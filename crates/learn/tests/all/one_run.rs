//! One run of a book at a time.

use super::at::{hand_out, status};
use super::made_up::{MadeUp, Meddling};
use super::run::{self, recipe_of};
use obook::Context;
use obook_engine::wire::Sent as _;
use obook_learn::search::Workers;
use obook_learn::{Error, LearnOptions, Learned, Recipe, Result, Rule, Stage};
use obook_othello::{Engine, Line};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::Path;
use std::thread;
use std::time::Duration;

fn recipe(depth: u8) -> Recipe {
    let rule = Rule::Deviate {
        relative: 10,
        absolute: 30,
    };
    recipe_of([Stage::new(rule, 4, depth)])
}

fn run(path: &Path, workers: impl Workers + Clone + 'static) -> Result<Learned> {
    run::run(path, &recipe(3), &LearnOptions::default(), &workers)
}

#[test]
fn the_second_run_of_a_book_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    let again = path.clone();
    let meddle: &'static dyn Fn() = Box::leak(Box::new(move || {
        let error = run(&again, MadeUp::new(1, 1)).unwrap_err();
        assert!(
            matches!(
                error,
                Error::Book(obook::Error::Store(obook::StoreError::Unfit { .. }))
            ),
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

/// Searches are leased before they are given, so that a failure in between can't leave them with two machines; what could not be
/// given is free again.
#[test]
fn a_search_is_leased_before_it_is_given() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    run(&path, MadeUp::new(1, 1)).unwrap();
    let leased = || status(&path, &Context::default()).unwrap().leased;
    for is_given in [false, true] {
        let mut given = 0;
        let outcome = hand_out(
            &path,
            &recipe(6),
            3,
            Duration::from_secs(3600),
            &|_| Engine::Obook,
            &Context::new("obook tasks"),
            &mut |questions| {
                given = questions.len() as u64;
                assert_eq!(leased(), given);
                match is_given {
                    true => Ok(()),
                    false => Err(ErrorKind::StorageFull.into()),
                }
            },
        );
        assert!(given > 0);
        assert_eq!(leased(), if is_given { given } else { 0 });
        assert_eq!(outcome.is_ok(), is_given, "{outcome:?}");
    }
}

/// Searches that another machine has stay in the queue until their leases end, whatever engine comes next.
#[test]
fn what_is_leased_is_not_dropped_for_another_engine() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    run(&path, MadeUp::new(1, 1)).unwrap();
    let context = Context::new("obook tasks");
    let take = |engine, lease| {
        let lease = Duration::from_secs(lease);
        let engine = |_: usize| engine;
        hand_out(&path, &recipe(6), 3, lease, &engine, &context, &mut |_| {
            Ok(())
        })
    };
    let leased = || status(&path, &context).unwrap().leased;
    take(Engine::Edax, 3600).unwrap();
    assert_eq!(leased(), 3);
    let error = take(Engine::Obook, 0).unwrap_err().to_string();
    assert!(
        error.contains("other machines have searches for engine edax"),
        "{error}"
    );
    let options = LearnOptions::default();
    let error = run::run(&path, &recipe(6), &options, &MadeUp::new(1, 1)).unwrap_err();
    assert!(error.to_string().contains("use edax"), "{error}");
    assert_eq!(leased(), 3);
    take(Engine::Edax, 0).unwrap();
    assert_eq!(leased(), 3, "a lease of no time ends at once");
}

/// Simultaneous requests get different searches.
#[test]
fn a_search_is_handed_out_once() {
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

/// A machine gets every search that is kept for it: the end of a game, which waits like other positions, needs none.
#[test]
fn every_leased_search_is_given() {
    let mut line = Line::default();
    while line.board().empties() > 3 {
        let mv = line.board().moves().next().unwrap();
        line.push(mv).unwrap();
    }
    let rule = Rule::Deviate {
        relative: 64,
        absolute: 128,
    };
    let recipe = Recipe {
        from: Some(line),
        stages: vec![Stage::new(rule, 1, 60)],
    };
    let folder = tempfile::tempdir().unwrap();
    let (mut given, mut limit) = (1, 1);
    while given > 0 {
        let path = folder.path().join(format!("{limit}.obook"));
        let options = LearnOptions {
            limit: Some(limit),
            ..LearnOptions::default()
        };
        run::run(&path, &recipe, &options, &MadeUp::new(1, 1)).unwrap();
        let context = Context::new("obook tasks");
        let (lease, engine) = (Duration::from_secs(3600), |_: usize| Engine::Obook);
        hand_out(&path, &recipe, 1000, lease, &engine, &context, &mut |all| {
            given = all.len() as u64;
            Ok(())
        })
        .unwrap();
        let status = status(&path, &context).unwrap();
        assert_eq!(status.leased, given, "{limit}: {status:?}");
        assert_eq!(status.waiting, given, "{limit}: {status:?}");
        limit += 1;
    }
    assert!(limit > 4, "{limit}");
}
