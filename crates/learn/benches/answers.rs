//! The rate at which answers enter a book, with workers whose engine answers at once.
//!
//! Start `nats-server --jetstream --store_dir FOLDER`, then run `cargo bench -p obook-learn --features nats --bench answers -- BOOK` with a copy
//! of a book, which is changed. Optional further arguments are the numbers of workers and answers and the server's address:
//! `BOOK 16 20000 nats://127.0.0.1`.

use obook::Context;
use obook_engine::wire::Name;
use obook_engine::{Answer, Request, SearchError, Searcher, Stop};
use obook_learn::nats::{Learner, LearnerOptions, Server, work};
use obook_learn::search::{Threads, Workers};
use obook_learn::{LearnOptions, Recipe, Rule, Stage, Until, learn, open_book};
use obook_othello::Engine;
use std::error::Error;
use std::num::NonZeroUsize;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// An engine that answers with the first move and a score computed from the board.
struct AtOnce;

impl Searcher for AtOnce {
    fn name(&self) -> &str {
        "at once"
    }

    fn engine(&self) -> Engine {
        Engine::Obook
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        let board = request.board();
        let mixed =
            (board.player() ^ board.opponent().rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mv = request.moves().next().expect("a request has a move");
        let score = ((mixed >> 61) as i8 - 4) * 2;
        Ok(Answer {
            probability: Some(100),
            ..Answer::new(self.engine(), request, mv, score, 1)
        })
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Cargo adds an option.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|it| !it.starts_with("--"))
        .collect();
    let argument =
        |at: usize, default: &str| arguments.get(at).cloned().unwrap_or(default.to_owned());
    let Some(book) = arguments.first() else {
        println!("no book was named: see the first lines of crates/learn/benches/answers.rs");
        return Ok(());
    };
    let workers: usize = argument(1, "16").parse()?;
    let answers: u64 = argument(2, "20000").parse()?;
    let server = Server {
        url: argument(3, "nats://127.0.0.1"),
        ..Server::default()
    };
    let stop = Stop::default();
    let working: Vec<_> = (0..workers)
        .map(|number| worker(number, &server, &stop))
        .collect();
    let recipe = Recipe {
        from: None,
        stages: vec![Stage {
            rule: Rule::Deviate {
                relative: 64,
                absolute: 64,
            },
            level: Some(1),
            depth: Some(60),
            engine: None,
            until: Until {
                searches: Some(answers),
                positions: None,
            },
        }],
    };
    let options = LearnOptions {
        limit: Some(answers),
        ..LearnOptions::default()
    };
    let mut hire = |_| -> obook_learn::Result<Box<dyn Workers>> {
        let book: Name = "bench".parse().expect("it is a name");
        let options = LearnerOptions {
            engine_name: String::from("at once"),
            engine: Engine::Obook,
            book,
            lease: Duration::from_secs(30),
            warn_of_lease: true,
            check_one_in: 50,
        };
        Ok(Box::new(Learner::connect(
            &server,
            options,
            &Stop::default(),
            |said| eprintln!("{said}"),
        )?))
    };
    let tell = &mut |_: &_| {};
    let mut store = open_book(Path::new(book), &recipe, &Context::new("bench"))?;
    let learned = learn(&mut store, &recipe, &options, &mut hire, tell)?;
    stop.set();
    for worker in working {
        worker.join().expect("no worker panics");
    }
    for stage in &learned.stages {
        let seconds = stage.seconds - stage.choosing;
        println!(
            "{} answers of {workers} workers in {seconds:.1} s: {:.0} a second; {:.1} s of it went into writing",
            stage.totals.searches,
            stage.totals.searches as f64 / seconds,
            stage.writing
        );
    }
    Ok(())
}

fn worker(number: usize, server: &Server, stop: &Stop) -> thread::JoinHandle<()> {
    let (server, stop) = (server.clone(), stop.clone());
    thread::spawn(move || {
        let start = || Ok(Box::new(AtOnce) as Box<dyn Searcher>);
        let threads = Threads::start(NonZeroUsize::MIN, start, &Stop::default());
        let mut threads = threads.expect("it needs nothing to start");
        let name = format!("worker{number}").parse().expect("it is a name");
        let worked = work(&server, &mut threads, &name, &stop, &mut |_| {});
        if let Err(why) = worked {
            eprintln!("worker {number}: {why}");
        }
    })
}
