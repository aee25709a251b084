//! The example programs run, and each checks its own answer.

use std::error::Error;

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

/// What measures engines and rules.
const LONG: [&str; 2] = ["best_first", "book_match"];

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
