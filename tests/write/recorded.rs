//! The header of a recomputed book.

use obook::write::Target;
use obook::write::cut::{Cut, cut};
use obook::write::fix::{Steps, recompute};
use obook::write::merge::{MergeOptions, Strategy, merge};
use obook::write::repair::repair;
use obook::{Context, Store};
use obook_testing::golden::golden;
use obook_testing::imported::import_file;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

fn context() -> Context {
    Context::new("test")
}

/// Opens a book for writing.
fn writing(path: &Path) -> Store {
    Store::open_for_writing(path, &context()).unwrap()
}

fn new_book(folder: &Path) -> PathBuf {
    let path = folder.join("book.obook");
    let file = golden("edax/games.prune.dat");
    import_file(&file, &path, &context()).unwrap();
    path
}

fn open(path: &Path) -> Store {
    Store::open(path, &context()).unwrap()
}

#[test]
fn a_repaired_book_is_fixed() {
    let folder = tempfile::tempdir().unwrap();
    let path = new_book(folder.path());
    let damage = "UPDATE positions SET value = 64 WHERE board IN (SELECT board FROM links);
        UPDATE book SET fixed = NULL";
    Connection::open(&path)
        .unwrap()
        .execute_batch(damage)
        .unwrap();
    assert!(!open(&path).is_fixed().unwrap());
    let fixed = repair(&mut writing(&path), 0).unwrap();
    assert!(fixed.is_sound() && fixed.changed > Some(0), "{fixed:?}");
    assert!(open(&path).is_fixed().unwrap());
    // Nothing is left to fix.
    let again = recompute(&mut writing(&path), Steps::Fix { rules: None }).unwrap();
    assert_eq!(again.changed.any, 0);
    assert_eq!(open(&path).history().unwrap().len(), 2);
}

/// After all numbers are recomputed, none counts a repetition.
#[test]
fn recomputed_numbers_know_no_repetition() {
    let folder = tempfile::tempdir().unwrap();
    let ways: [fn(&Path); 4] = [
        |path| drop(recompute(&mut writing(path), Steps::Fix { rules: None }).unwrap()),
        |path| drop(repair(&mut writing(path), 0).unwrap()),
        |path| {
            let how = Cut::Prune { depth: Some(10) };
            drop(cut(Target::InPlace(&mut writing(path)), &how, &context()).unwrap());
        },
        |path| {
            let options = MergeOptions {
                strategy: Strategy::Whole,
                ..MergeOptions::default()
            };
            let from = golden("edax/small.prune.dat");
            drop(merge(&mut writing(path), &[from], options).unwrap());
        },
    ];
    for (number, way) in ways.iter().enumerate() {
        let folder = folder.path().join(number.to_string());
        std::fs::create_dir(&folder).unwrap();
        let path = new_book(&folder);
        let steps = Steps::Negamax {
            rules: None,
            repetition: 5,
        };
        recompute(&mut writing(&path), steps).unwrap();
        assert_eq!(open(&path).repetition().unwrap(), 5);
        way(&path);
        assert_eq!(open(&path).repetition().unwrap(), 0, "way {number}");
        assert!(open(&path).is_fixed().unwrap(), "way {number}");
    }
}
