//! The example programs run, and each checks its own answer.

use obook::{CanonicalBoard, Context, Position};
use obook_converters::BookReader;
use obook_needs::needs;
use obook_testing::imported::import_file;
use std::collections::HashMap;
use std::error::Error;
use std::process::Command;

#[path = "../examples/best_line.rs"]
mod best_line;
#[path = "../examples/convert_in_memory.rs"]
mod convert_in_memory;
#[path = "../examples/cycles.rs"]
mod cycles;
#[path = "../examples/edit_and_undo.rs"]
mod edit_and_undo;
#[path = "../examples/game_records.rs"]
mod game_records;
#[expect(dead_code, reason = "its main takes arguments")]
#[path = "../examples/large_book.rs"]
mod large_book;
#[path = "../examples/merge_and_compare.rs"]
mod merge_and_compare;
#[path = "../examples/probe_from_threads.rs"]
mod probe_from_threads;
#[path = "../examples/sql_functions.rs"]
mod sql_functions;
#[path = "../examples/stream.rs"]
mod stream;

type Program = fn() -> Result<(), Box<dyn Error>>;

/// All of them but those that run for minutes or hours.
const EXAMPLES: [(&str, Program); 9] = [
    ("best_line", best_line::main),
    ("convert_in_memory", convert_in_memory::main),
    ("cycles", cycles::main),
    ("edit_and_undo", edit_and_undo::main),
    ("game_records", game_records::main),
    ("merge_and_compare", merge_and_compare::main),
    ("probe_from_threads", probe_from_threads::main),
    ("sql_functions", sql_functions::main),
    ("stream", stream::main),
];

/// Those that measure engines, or make books for that.
const LONG: [&str; 2] = ["book_match", "large_book"];

#[test]
fn the_examples_run() {
    let folder = std::fs::read_dir("examples").unwrap();
    let mut files: Vec<String> = folder
        .filter_map(|file| file.unwrap().file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_suffix(".rs")?.to_owned()))
        .filter(|name| !LONG.contains(&name.as_str()))
        .collect();
    files.sort();
    assert_eq!(files, EXAMPLES.map(|(name, _)| name));
    for (name, run) in EXAMPLES {
        run().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// Every value follows from the moves, and every move to a position of the book is a link.
#[test]
fn a_large_book_is_consistent() {
    let folder = tempfile::tempdir().unwrap();
    let book = |name: &str, seed| {
        let path = folder.path().join(name);
        let count = large_book::write(30_000, &path, seed).unwrap();
        assert!((25_000..35_000).contains(&count), "seed {seed}: {count}");
        path
    };
    let [first, again, other] =
        [("1", 1), ("again", 1), ("2", 2)].map(|(name, seed)| book(name, seed));
    let bytes = |path| std::fs::read(path).unwrap();
    assert!(bytes(&first) == bytes(&again) && bytes(&first) != bytes(&other));
    for path in [first, other] {
        let reader = BookReader::open(&path, None).unwrap();
        let positions = reader.map(|position| position.map(|it| (it.board, it)));
        let positions: HashMap<CanonicalBoard, Position> =
            positions.collect::<Result<_, _>>().unwrap();
        let mut wholes = 0;
        for (board, position) in &positions {
            let mut scores = Vec::from_iter(position.leaf.map(|leaf| leaf.score.into()));
            wholes += usize::from(scores.is_empty());
            for (mv, child) in board.board().children() {
                let link = position.links.iter().find(|link| {
                    board.board().play(link.mv).unwrap().canonical() == child.canonical()
                });
                let known = positions
                    .get(&child.canonical())
                    .map(|it| -it.value.unwrap());
                assert_eq!(
                    link.map(|link| link.score.unwrap().into()),
                    known,
                    "{mv} at {board:?}"
                );
                scores.extend(known);
            }
            assert_eq!(position.value, scores.into_iter().max(), "{board:?}");
        }
        assert!(wholes > 10, "positions without a leaf: {wholes}");
    }
}

/// The program that checks books of hundreds of millions of positions finds what is wrong.
#[needs(python3)]
#[test]
fn a_second_program_checks_a_large_book() {
    let folder = tempfile::tempdir().unwrap();
    let [file, book] = ["large.dat", "large.obook"].map(|name| folder.path().join(name));
    large_book::write(30_000, &file, 2).unwrap();
    import_file(&file, &book, &Context::new("test")).unwrap();
    let check = || {
        let mut python = Command::new("/usr/bin/python3");
        python.arg("examples/check_large_book.py").arg(&book);
        let done = python.args(["300", "2"]).output().unwrap();
        String::from_utf8(if done.status.success() {
            done.stdout
        } else {
            done.stderr
        })
        .unwrap()
    };
    let right = check();
    assert!(right.starts_with("300 positions with "), "{right}");
    for damage in [
        "UPDATE positions SET value = value + 1, upper = upper + 1",
        "UPDATE leaves SET score = score - 1",
        "DELETE FROM links",
    ] {
        let database = rusqlite::Connection::open(&book).unwrap();
        database.execute(damage, []).unwrap();
        drop(database);
        let wrong = check();
        assert!(
            wrong.contains("large.obook: position "),
            "{damage}: {wrong}"
        );
        import_file(&file, &book, &Context::new("test")).unwrap();
    }
}
