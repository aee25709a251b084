//! Learning keeps the locks of a book that the process has open: see `obook_store::RawFile`.

use super::at::{ask, hand_out, learn, status, take_answers};
use super::made_up::{MadeUp, Meddling};
use super::run::{learned, recipe_of};
use obook::read::why::Lead;
use obook::{Context, Store};
use obook_engine::Stop;
use obook_learn::{LearnOptions, Result, Rule, Stage};
use obook_othello::{Engine, Line};
use obook_testing::locks::are_held;
use std::cell::Cell;
use std::time::Duration;

#[test]
fn a_run_keeps_the_locks_of_its_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    let rule = |depth| {
        let rule = Rule::Deviate {
            relative: 10,
            absolute: 30,
        };
        recipe_of([Stage::new(rule, 4, depth)])
    };
    let options = LearnOptions {
        stop: Stop::default(),
        ..LearnOptions::default()
    };
    learned(&path, &rule(2), &options, &MadeUp::new(1, 1));
    let context = Context::new("obook learn");
    let kept = Store::open(&path, &context).unwrap();
    let look = |what: &str| {
        kept.version_of_others().unwrap();
        assert!(are_held(&path), "{what}");
    };
    look("nothing");
    let looks: &'static Cell<u32> = Box::leak(Box::default());
    let book = path.clone();
    let meddle: &'static dyn Fn() = Box::leak(Box::new(move || {
        assert!(are_held(&book), "look {}", looks.get());
        looks.set(looks.get() + 1);
    }));
    let workers = Meddling {
        made_up: MadeUp::new(2, 1),
        meddle,
    };
    let mut hire = |_| -> Result<_> { Ok(Box::new(workers.clone()) as _) };
    learn(&path, &rule(3), &options, &mut hire, &context, &mut |_| {}).unwrap();
    look("a run");
    assert!(looks.get() > 10, "{}", looks.get());
    let line: Line = "f5d6c3d3c4f4f6".parse().unwrap();
    ask(
        &path,
        &[Lead::Add(line.board().canonical())],
        Some(3),
        &context,
    )
    .unwrap();
    look("asking");
    status(&path, &context).unwrap();
    look("the status");
    let hour = Duration::from_secs(3600);
    hand_out(
        &path,
        &rule(4),
        3,
        hour,
        &|_| Engine::Obook,
        &context,
        &mut |_| Ok(()),
    )
    .unwrap();
    look("handing out");
    assert!(take_answers(&path, &path, false, &context).is_err());
    look("a book in place of answers");
}
