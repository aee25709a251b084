//! `obook merge`: the same increment into books of 400 000 and 4 000 000 positions, relative to computing the whole book.
//!
//! `OBOOK_BENCH_SIZES=400000,1000000 cargo bench --bench merge` measures other sizes. The increment has 40 000 positions of
//! other games, some of them already in the book.

mod bench_book;

use bench_book::{make, random_book, write_text};
use obook::write::merge::{MergeOptions, Merged, Strategy, merge};
use obook::{Context, Store};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const INCREMENT: usize = 40_000;
const RUNS: usize = 3;

fn main() {
    let sizes = std::env::var("OBOOK_BENCH_SIZES");
    let sizes = sizes.unwrap_or_else(|_| String::from("400000,4000000"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let increment = folder.path().join("increment.dat");
    write_text(&increment, &random_book(INCREMENT, 1));
    for size in sizes.split(',') {
        let size = size.trim().parse().expect("a number of positions");
        let book = folder.path().join("book.obook");
        make(&book, &random_book(size, 0));
        let [mut small, mut whole] = [Vec::new(), Vec::new()];
        let mut merged = None;
        for _ in 0..RUNS {
            let (time, report) = timed(&book, &increment, Strategy::Increment);
            small.push(time);
            merged = Some(report);
            whole.push(timed(&book, &increment, Strategy::Whole).0);
        }
        let [small, whole] = [small, whole].map(median);
        let counts = merged.expect("a run").total();
        println!(
            "{size:>9} positions, {} added: {small:.3} s; the whole book {whole:.3} s, ratio {:.2}",
            counts.added,
            small / whole
        );
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64()
}

/// Merges into a copy of the book.
fn timed(book: &Path, increment: &Path, strategy: Strategy) -> (Duration, Merged) {
    let copy: PathBuf = book.with_extension("copy");
    std::fs::copy(book, &copy).expect("room for a copy");
    let options = MergeOptions {
        strategy,
        ..MergeOptions::default()
    };
    let start = Instant::now();
    let merged = merge(
        &mut Store::open_for_writing(&copy, &Context::new("test")).unwrap(),
        &[increment.to_owned()],
        options,
    );
    (start.elapsed(), merged.expect("books"))
}
