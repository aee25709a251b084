//! `obook search`: its cost besides the searches, in a book of a million positions.
//!
//! The searcher is a stand-in that sleeps for 0.2 s, the time for a midgame leaf at level 10; four of them run at a time. `OBOOK_BENCH_SIZES=100000 cargo bench --bench search` measures another size.

mod bench_book;

use bench_book::{make, random_book};
use obook::{Context, Store};
use obook_engine::{Answer, Request, SearchError, Searcher};
use obook_learn::complete::{SearchOptions, search};
use obook_othello::Engine;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

const SEARCH: Duration = Duration::from_millis(200);
const JOBS: usize = 4;
/// Positions to search, spread over the whole book.
const LEAVES: u64 = 800;

struct Sleeper;

impl Searcher for Sleeper {
    fn name(&self) -> &str {
        "sleeper"
    }

    fn engine(&self) -> Engine {
        Engine::Obook
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        std::thread::sleep(SEARCH);
        let mv = request.moves().last().expect("there is always one");
        let score = 2 * (mv.code() % 9) as i8 - 8;
        Ok(Answer::new(self.engine(), request, mv, score, 10))
    }
}

fn main() {
    let sizes = std::env::var("OBOOK_BENCH_SIZES");
    let sizes = sizes.unwrap_or_else(|_| String::from("1000000"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    for size in sizes.split(',') {
        let size = size.trim().parse().expect("a number of positions");
        let book = folder.path().join("book.obook");
        make(&book, &random_book(size, 0));
        let options = SearchOptions {
            level: Some(10),
            condition: Some(String::from("substr(board, 16) < x'10'")),
            limit: Some(LEAVES),
            jobs: NonZeroUsize::new(JOBS),
            ..SearchOptions::default()
        };
        let begun = Instant::now();
        let start = || Ok(Box::new(Sleeper) as Box<dyn Searcher>);
        let mut store = Store::open_for_writing(&book, &Context::new("bench")).expect("a database");
        let searched = search(&mut store, &options, &start, &mut |_| ());
        let searched = searched.expect("a database");
        let whole = begun.elapsed().as_secs_f64();
        let found = searched.standing.counts.searched;
        let searching = SEARCH.as_secs_f64() * found as f64 / JOBS as f64;
        println!(
            "{size:>9} positions, {found} leaves in {whole:.1} s: {:.1} % over the searches; writing {:.1} s, {:.1} ms a leaf",
            100.0 * (whole / searching - 1.0),
            searched.writing,
            1000.0 * searched.writing / found as f64,
        );
    }
}
