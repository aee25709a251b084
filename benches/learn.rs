//! `obook learn`: the cost of choosing and of adding answers, in books of one million and four million positions.
//!
//! The searcher is a stand-in that answers at once, so only obook's own work is measured. The result is compared with searches of 60 ms
//! each on two cores, as for midgame leaves at level 10: by how much a wave of searches takes longer. `OBOOK_BENCH_SIZES=100000 cargo bench --bench learn` measures another size.

mod bench_book;

use bench_book::random_book;
use obook::Context;
use obook_engine::{Answer, Request, SearchError, Searcher};
use obook_learn::search::Threads;
use obook_learn::{LearnOptions, Recipe, Rule, Stage, learn, open_book, status};
use obook_othello::{CanonicalBoard, Engine, Leaf};
use std::collections::HashSet;
use std::num::NonZeroUsize;
use std::path::Path;

/// Seconds of a search at level 10, and the number of searches at a time.
const SEARCH: f64 = 0.06;
const JOBS: f64 = 2.0;
/// Answers to add, and how many at a time.
const ANSWERS: u64 = 1280;
const BATCH: usize = 64;

struct AtOnce;

impl Searcher for AtOnce {
    fn name(&self) -> &str {
        "at once"
    }

    fn engine(&self) -> Engine {
        Engine::Edax
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        let mv = request.moves().last().expect("there is always one");
        let score = 2 * (mv.code() % 5) as i8 - 4;
        Ok(Answer::new(self.engine(), request, mv, score, 10))
    }
}

fn main() {
    let sizes = std::env::var("OBOOK_BENCH_SIZES");
    let sizes = sizes.unwrap_or_else(|_| String::from("1000000,4000000"));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let book = folder.path().join("book.obook");
    for size in sizes.split(',') {
        let size = size.trim().parse().expect("a number of positions");
        make(&book, size);
        let deviate = Rule::Deviate {
            relative: 2,
            absolute: 4,
        };
        for rule in [Rule::BestFirst { least: 0.0 }, deviate, Rule::Extend] {
            measure(&book, size, rule);
        }
    }
}

fn measure(book: &Path, size: usize, rule: Rule) {
    let name = rule.name();
    let stage = Stage::new(rule, 10, 60);
    let recipe = Recipe {
        from: None,
        stages: vec![stage],
    };
    let options = LearnOptions {
        limit: Some(ANSWERS),
        batch: NonZeroUsize::new(BATCH),
        ..LearnOptions::default()
    };
    let mut hire = Threads::hire(NonZeroUsize::MIN, options.stop.clone(), || Ok(AtOnce));
    let mut store = open_book(book, &recipe, &Context::new("bench")).expect("a database");
    let learned = learn(&mut store, &recipe, &options, &mut hire, &mut |_| {});
    let learned = learned.expect("a database");
    let (stage, waits) = (
        &learned.stages[0],
        status(&store).expect("a database").waiting,
    );
    let searches = learned.totals.searches as f64;
    let each = stage.writing / searches;
    // The first choice, and the leaves that it costs.
    let all = searches + 2.0 * waits as f64;
    let overhead = (stage.choosing + each * all) / (SEARCH / JOBS * all);
    println!(
        "{size:>9} positions, {name}: choosing {:.2} s, {waits} more wait; {BATCH} answers go in within {:.1} ms; {:.1} % over \
         searches of level 10",
        stage.choosing,
        1000.0 * each * BATCH as f64,
        100.0 * overhead,
    );
}

/// A complete book with this many positions: the leaf of each leads out of it.
fn make(book: &Path, size: usize) {
    let mut positions = random_book(size, 0);
    let known: HashSet<CanonicalBoard> = positions.iter().map(|it| it.board).collect();
    for position in &mut positions {
        let board = position.board.board();
        let mut children = board.children();
        let out = children.find(|(_, child)| !known.contains(&child.canonical()));
        position.leaf = match (out, position.leaf) {
            (Some((mv, _)), Some(leaf)) => Some(Leaf {
                mv: Some(mv),
                ..leaf
            }),
            (None, Some(leaf)) if leaf.mv.is_none() => Some(leaf),
            _ => None,
        };
    }
    bench_book::make(book, &positions);
}
