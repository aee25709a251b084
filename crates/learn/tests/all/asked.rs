//! Requested searches come first, even if the book changes before.

use super::at::{ask, hand_out, status};
use super::made_up::{MadeUp, Meddling};
use super::run::{self, learned, recipe_of};
use obook::read::why::{Explanation, Lead};
use obook::write::edit::{Edit, edit};
use obook::{Book, Context, Lookup, Store};
use obook_engine::Stop;
use obook_engine::wire::Question;
use obook_learn::{Error, LearnOptions, Learned, Rule, Stage};
use obook_othello::{CanonicalBoard, Engine, Line};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn run(path: &Path, rule: Rule, depth: u8, workers: &MadeUp, stop: Stop) -> Learned {
    let options = LearnOptions {
        stop,
        ..LearnOptions::default()
    };
    learned(
        path,
        &recipe_of([Stage::new(rule, 4, depth)]),
        &options,
        workers,
    )
}

fn explained(path: &Path, line: &str) -> Explanation {
    let book = Book::open(path, &Context::default()).unwrap();
    let header = book.header().unwrap();
    let lookup = Lookup::new(book, &Context::default()).unwrap();
    Explanation::of(&lookup, &header, line.parse().unwrap(), 1000).unwrap()
}

fn board(lead: Lead) -> CanonicalBoard {
    match lead {
        Lead::Add(board) | Lead::Search(board) => board,
    }
}

/// Law (Changes): Requested searches come first, even if the book changes meanwhile.
#[test]
fn what_is_asked_for_comes_first_though_the_book_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    let everything = Rule::Deviate {
        relative: 10,
        absolute: 30,
    };
    run(&path, everything, 4, &MadeUp::new(1, 1), Stop::default());
    let leads: Vec<Lead> = ["", "f5d6", "f5f6", "f5f4"]
        .into_iter()
        .flat_map(|line| explained(&path, line).leads())
        .collect();
    assert!(leads.len() > 2, "{leads:?}");
    assert_eq!(ask(&path, &leads, Some(7), &Context::default()).unwrap(), 7);
    assert_eq!(
        ask(&path, &leads, Some(9), &Context::default()).unwrap(),
        9,
        "the last level counts"
    );
    let wanted: BTreeSet<_> = leads.iter().map(|lead| board(*lead)).collect();
    assert_eq!(
        status(&path, &Context::default()).unwrap().asked,
        wanted.len() as u64
    );

    // Another change of the book takes what a rule chose out of the queue.
    let other: Line = "f5".parse().unwrap();
    edit(
        &mut Store::open_for_writing(&path, &Context::new("obook edit")).unwrap(),
        &other,
        Edit::Enter(0),
    )
    .unwrap();
    assert!(status(&path, &Context::default()).unwrap().outdated);

    // Another recipe, stopped after the requested searches.
    let stop = Stop::default();
    let workers = MadeUp {
        end: Some((wanted.len(), stop.clone())),
        ..MadeUp::new(5, 1)
    };
    run(&path, Rule::Extend, 6, &workers, stop);
    let searched: BTreeSet<_> = workers.asked.lock().unwrap().keys().copied().collect();
    assert_eq!(searched, wanted);
    assert_eq!(status(&path, &Context::default()).unwrap().asked, 0);
    let store = Store::open(&path, &Context::default()).unwrap();
    for board in wanted {
        let position = store.position(board).unwrap().expect("it was searched");
        assert_eq!(position.leaf.unwrap().level, Some(9));
    }
}

/// A wave searches some of the positions when a person asks for a deeper search of them.
#[test]
fn searches_asked_for_during_a_wave_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    let rule = Rule::Deviate {
        relative: 10,
        absolute: 30,
    };
    let recipe = |depth| recipe_of([Stage::new(rule.clone(), 4, depth)]);
    let options = LearnOptions::default();
    learned(&path, &recipe(3), &options, &MadeUp::new(1, 1));
    let asked: Arc<Mutex<Vec<CanonicalBoard>>> = Arc::default();
    let (book, boards) = (path.clone(), Arc::clone(&asked));
    let meddle: &'static dyn Fn() = Box::leak(Box::new(move || {
        let mut boards = boards.lock().unwrap();
        if boards.is_empty() {
            *boards = ask_for_all(&book, 9);
        }
    }));
    let made_up = MadeUp::new(2, 1);
    run::run(&path, &recipe(6), &options, &Meddling { made_up, meddle }).unwrap();
    learned(&path, &recipe(6), &options, &MadeUp::new(3, 1));
    let asked = asked.lock().unwrap();
    assert!(asked.len() > 4, "{}", asked.len());
    let store = Store::open(&path, &Context::default()).unwrap();
    for board in &*asked {
        let leaf = store.position(*board).unwrap().unwrap().leaf;
        assert!(
            leaf.is_none_or(|leaf| leaf.mv.is_none() || leaf.level == Some(9)),
            "{leaf:?}"
        );
    }
}

/// Asks for a search of each board that waits.
fn ask_for_all(path: &Path, level: u8) -> Vec<CanonicalBoard> {
    let store = Store::open(path, &Context::default()).unwrap();
    let mut select = store
        .connection()
        .prepare("SELECT board FROM tasks")
        .unwrap();
    let keys = select
        .query_map([], |row| row.get::<_, [u8; 16]>(0))
        .unwrap();
    let boards = keys.map(|key| CanonicalBoard::from_key(key.unwrap()).unwrap().unwrap());
    let boards: Vec<CanonicalBoard> = boards.collect();
    let lead = |board: &CanonicalBoard| match store.position(*board).unwrap() {
        Some(_) => Lead::Search(*board),
        None => Lead::Add(*board),
    };
    let leads: Vec<Lead> = boards.iter().map(lead).collect();
    ask(path, &leads, Some(level), &Context::default()).unwrap();
    boards
}

/// Other machines may have them, too.
#[test]
fn searches_asked_for_are_handed_out_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    run(&path, Rule::Extend, 3, &MadeUp::new(1, 1), Stop::default());
    let leads = explained(&path, "").leads();
    ask(&path, &leads, Some(7), &Context::default()).unwrap();
    let wanted: BTreeSet<_> = leads.iter().map(|lead| board(*lead)).collect();
    let take = || {
        let mut taken = BTreeSet::new();
        let hour = Duration::from_secs(3600);
        let recipe = recipe_of([Stage::new(Rule::Extend, 4, 3)]);
        let context = Context::new("obook tasks");
        let mut give = |questions: &[Question]| {
            taken.extend(questions.iter().map(|it| it.request.board().canonical()));
            Ok(())
        };
        hand_out(
            &path,
            &recipe,
            1000,
            hour,
            &|_| Engine::Obook,
            &context,
            &mut give,
        )
        .unwrap();
        taken
    };
    let first = take();
    assert!(!wanted.is_empty() && wanted.is_subset(&first));
    assert!(take().is_disjoint(&first));
    let workers = MadeUp::new(5, 1);
    run(&path, Rule::Extend, 3, &workers, Stop::default());
    let searched: BTreeSet<_> = workers.asked.lock().unwrap().keys().copied().collect();
    assert!(searched.is_disjoint(&wanted));
}

#[test]
fn only_a_level_that_is_known_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    run(&path, Rule::Play, 2, &MadeUp::new(1, 1), Stop::default());
    assert_eq!(
        ask(&path, &[], None, &Context::default()).unwrap(),
        4,
        "the book's"
    );
    let error = ask(&path, &[], Some(61), &Context::default()).unwrap_err();
    assert!(matches!(error, Error::NoLevel), "{error}");
    let file = obook_testing::golden::golden("games.dat");
    let error = ask(&file, &[], Some(4), &Context::default()).unwrap_err();
    assert!(
        matches!(error, Error::Book(obook::Error::NotADatabase { .. })),
        "{error}"
    );
}
