//! Concurrent readers and writers of one book.

use crate::support::program::{arg, json, stdout};
use crate::support::report::GAMES;
use obook::check::verify;
use obook::write::edit::{Edit, edit};
use obook::{Book, Context, Store};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// The number of changes by each writer; with `OBOOK_LONG`, per round.
const CHANGES: i8 = 24;

#[test]
fn eight_readers_see_one_state_each_beside_two_writers() {
    let rounds = if std::env::var_os("OBOOK_LONG").is_some() {
        40
    } else {
        1
    };
    let folder = tempfile::tempdir().unwrap();
    let path = &folder.path().join("book.obook");
    stdout(["import", GAMES, "--book", arg(path)]);
    stdout(["negamax", arg(path), "--rules", "egaroucid"]);
    let before = json(["history", arg(path), "--json"])
        .as_array()
        .unwrap()
        .len();
    let writing = AtomicBool::new(true);
    let (looks, positions) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        let writers = ["f5d6c3", "f5f6e6"].map(|line| {
            scope.spawn(move || {
                let line = line.parse().unwrap();
                for number in 0..CHANGES * rounds {
                    let value = Edit::Enter(number % 60 + 1);
                    edit(
                        &mut Store::open_for_writing(path, &Context::new("edit")).unwrap(),
                        &line,
                        value,
                    )
                    .unwrap();
                }
            })
        });
        for _ in 0..8 {
            scope.spawn(|| {
                while writing.load(Ordering::Relaxed) {
                    let book = Book::open(path, &Context::default()).unwrap();
                    let report = verify(&book, 3, &Context::default()).unwrap();
                    assert!(report.is_sound(), "{report:?}");
                    looks.fetch_add(1, Ordering::Relaxed);
                    positions.fetch_max(report.positions as u32, Ordering::Relaxed);
                }
            });
        }
        let ended = writers.map(std::thread::ScopedJoinHandle::join);
        writing.store(false, Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok));
    });
    let looks = looks.into_inner();
    println!(
        "{} changes, {looks} looks",
        2 * i32::from(CHANGES) * i32::from(rounds)
    );
    assert!(looks >= 8 && positions.into_inner() > 0);
    stdout(["verify", arg(path)]);
    let history = json(["history", arg(path), "--json"]);
    let made = history.as_array().unwrap().len() - before;
    assert_eq!(made, 2 * CHANGES as usize * rounds as usize);
}
