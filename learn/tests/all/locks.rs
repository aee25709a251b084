//! Learning keeps the locks of a book that the process has open: see `obook_store::RawFile`.

use super::made_up::MadeUp;
use super::run::{learned, recipe_of, stage};
use obook_book::read::why::Lead;
use obook_book::{Context, Store};
use obook_engine::Stop;
use obook_learn::search::{Question, Reply, Workers};
use obook_learn::{LearnOptions, Result, Rule, ask, hand_out, learn, status, take_answers};
use obook_model::Engine;
use obook_othello::Line;
use obook_testing::locks::are_held;
use std::cell::Cell;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// Looks at the locks before each answer.
#[derive(Clone)]
struct Watching {
    made_up: MadeUp,
    book: PathBuf,
    looks: Rc<Cell<u32>>,
}

impl Workers for Watching {
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
        assert!(are_held(&self.book), "look {}", self.looks.get());
        self.looks.set(self.looks.get() + 1);
        self.made_up.next(until)
    }
}

#[test]
fn a_run_keeps_the_locks_of_its_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    let rule = |depth| {
        let rule = Rule::Deviate {
            relative: 10,
            absolute: 30,
        };
        recipe_of([stage(rule, 4, depth)])
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
    let looks = Rc::new(Cell::new(0));
    let workers = Watching {
        made_up: MadeUp::new(2, 1),
        book: path.clone(),
        looks: Rc::clone(&looks),
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
