//! Progress: steps that may take long have a total and reach it.

use obook::{Context, Meter, Progress};
use obook_testing::golden::golden;
use obook_testing::imported::import_file;
use std::sync::{Arc, Mutex};

/// The steps, each with its total and its reported progress.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<Step>>>);

type Step = (&'static str, Option<u64>, u64);

impl Meter for Log {
    fn step(&self, doing: &'static str, total: Option<u64>) {
        self.0.lock().unwrap().push((doing, total, 0));
    }

    fn advance(&self, items: u64) {
        self.0.lock().unwrap().last_mut().unwrap().2 += items;
    }
}

#[test]
fn linking_has_an_end_that_it_comes_to() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("book.obook");
    let log = Log::default();
    let context = Context::new("test").with_progress(Progress::shown_by(log.clone()));
    let file = golden("egaroucid/games.mixed.egbk3");
    let imported = import_file(&file, &database, &context).unwrap();
    let steps = log.0.lock().unwrap();
    let linking: Vec<_> = steps
        .iter()
        .filter(|(doing, ..)| *doing == "linking")
        .collect();
    let [(_, total, told)] = linking[..] else {
        panic!("{steps:?}")
    };
    assert_eq!(*total, Some(imported.rows.positions));
    // The meter counts in batches and leaves out the last few.
    let positions = imported.rows.positions;
    assert!((positions * 7 / 8..=positions).contains(told), "{steps:?}");
}
