//! Import, fix and export of a large book, and a fix with contempt, each in a process of its own:
//!
//! ```sh
//! cargo bench -p obook-shogi --features database --bench million [POSITIONS [MEGABYTES]]
//! ```
//!
//! The book is made by chance: each position follows from an earlier one, so lines are long, and meet.

use obook_shogi::database::export::{Scores, export};
use obook_shogi::database::file::Format;
use obook_shogi::database::fix::{fix, fix_with_draws};
use obook_shogi::database::{SHOGI, import};
use obook_shogi::{Board, Book, BookMove, Draws, Entry, db};
use obook_store::{Context, IfExists, Output, Store};
use std::collections::HashSet;
use std::env;
use std::fs;
use std::num::NonZeroU16;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

const STEPS: [&str; 4] = ["import", "fix", "export", "draws"];

fn main() {
    let numbers = env::args().filter_map(|argument| argument.parse().ok());
    let numbers: Vec<usize> = numbers.collect();
    if let Some(step) = env::args().find(|argument| STEPS.contains(&&**argument)) {
        let memory = numbers
            .first()
            .map(|megabytes| *megabytes as u64 * 1_000_000);
        let folder = env::args().next_back().expect("the folder is the last one");
        return run(&step, Path::new(&folder), memory);
    }
    let positions = numbers.first().copied().unwrap_or(1_000_000);
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let file = folder.path().join("book.db");
    let records: String = made(positions).entries.iter().map(db::record).collect();
    let text = format!("{}\n{records}", db::HEADER);
    fs::write(&file, text).expect("room for the book");
    let bytes = fs::metadata(&file).expect("just written").len();
    println!("{positions} positions, {:.0} MB as .db", bytes as f64 / 1e6);
    for step in STEPS {
        let mut command = Command::new(env::current_exe().expect("this program"));
        command.arg(step);
        command.args(numbers.get(1).map(ToString::to_string));
        let ended = command.arg(folder.path()).status();
        assert!(ended.expect("this program").success());
    }
}

fn run(step: &str, folder: &Path, memory: Option<u64>) {
    let [file, path, out] = ["book.db", "book.obook", "out.db"].map(|name| folder.join(name));
    let context = Context::new("bench").with_memory(memory);
    let (started, cpu) = (Instant::now(), cpu_seconds());
    match step {
        "import" => {
            drop(import::create(&[&file], &path, IfExists::Refuse, &context).expect("a book"))
        }
        "fix" => {
            let store = Store::open_for_writing(&SHOGI, &path, &context);
            println!(
                "{:?}",
                fix(&mut store.expect("just made")).expect("a sound book")
            );
        }
        "draws" => {
            let store = Store::open_for_writing(&SHOGI, &path, &context);
            let contempt = Draws {
                black: -30,
                white: -30,
                max_moves: NonZeroU16::new(320),
            };
            let fixed = fix_with_draws(&mut store.expect("just made"), |_| contempt);
            println!("{:?}", fixed.expect("a sound book"));
        }
        _ => {
            let store = Store::open(&SHOGI, &path, &context).expect("just made");
            let out = Output::File(out, IfExists::Refuse);
            export(&store, &out, Format::Db, Scores::Own).expect("room");
        }
    }
    let (took, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.unwrap_or(" not known").trim();
    println!("{step}: {took:.1} s, {cpu:.1} s of all cores, peak memory {peak}");
}

/// The time that this process has computed so far, in user mode and in the kernel; 0 where nothing tells.
fn cpu_seconds() -> f64 {
    let status = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The program's name in brackets may have blanks.
    let fields = status.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: f64 = ticks.filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    ticks / 100.0
}

fn made(positions: usize) -> Book {
    let mut random = fastrand::Rng::with_seed(1);
    let mut book = Book::default();
    let mut seen = HashSet::new();
    let mut boards = vec![(Board::start(), 1)];
    while book.entries.len() < positions {
        // Rather a late one.
        let back = random.usize(1..=boards.len());
        let from = boards.len() - 1 - random.usize(..back);
        let (board, ply) = boards[from];
        let children = board.children();
        if children.is_empty() {
            continue;
        }
        let (_, child) = children[random.usize(..children.len())];
        if seen.insert(child.key()) {
            let answers = child.legal_moves();
            if answers.is_empty() {
                continue;
            }
            let [mv, other] = [(); 2].map(|()| answers[random.usize(..answers.len())]);
            let mut listed = |mv| BookMove {
                score: Some(random.i32(-500..500)),
                depth: Some(random.u32(8..30)),
                count: Some(1),
                ..BookMove::new(mv)
            };
            let moves = if other == mv {
                vec![mv]
            } else {
                vec![mv, other]
            };
            let moves = moves.into_iter().map(&mut listed).collect();
            book.entries.push(Entry::new(child, Some(ply + 1), moves));
            boards.push((child, ply + 1));
        }
    }
    book
}
