//! Import, fix and export of a large book: `cargo bench -p obook-shogi --features database --bench million [POSITIONS]`.
//!
//! The book is made by chance: each position follows from an earlier one, so lines are long, and meet.

use obook_shogi::database::export::{Scores, export};
use obook_shogi::database::file::Format;
use obook_shogi::database::fix::fix;
use obook_shogi::database::{SHOGI, import};
use obook_shogi::{Board, Book, BookMove, Entry, db};
use obook_store::{Context, IfExists, Output, Store};
use std::collections::HashSet;
use std::fs;
use std::time::Instant;

fn main() {
    let mut positions = std::env::args().filter_map(|argument| argument.parse().ok());
    let positions = positions.next_back().unwrap_or(1_000_000);
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let [file, path, out] =
        ["book.db", "book.obook", "out.db"].map(|name| folder.path().join(name));
    fs::write(&file, db::write(&made(positions))).expect("room for the book");
    let bytes = fs::metadata(&file).expect("just written").len();
    println!("{positions} positions, {:.0} MB as .db", bytes as f64 / 1e6);

    let context = Context::new("bench");
    timed("import", || {
        import::create(&file, &path, IfExists::Refuse, &context).expect("a book")
    });
    let mut store = Store::open_for_writing(&SHOGI, &path, &context).expect("just made");
    let fixed = timed("fix", || fix(&mut store).expect("a sound book"));
    timed("export", || {
        let out = Output::File(out.clone(), IfExists::Refuse);
        export(&store, &out, Format::Db, Scores::Own).expect("room")
    });
    println!("{fixed:?}");
}

fn timed<T>(what: &str, run: impl FnOnce() -> T) -> T {
    // Linux begins to measure the peak anew.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let (started, cpu) = (Instant::now(), cpu_seconds());
    let done = run();
    let (took, cpu) = (started.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let peak = peak.unwrap_or(" not known").trim();
    println!("{what}: {took:.1} s, {cpu:.1} s of all cores, peak memory {peak}");
    done
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
