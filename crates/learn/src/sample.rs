//! How far a book's leaves are off, by searching a random sample of them again.

use crate::Result;
use crate::queue::board;
use crate::search::{Clock, Failures, Gather, NoAnswer, Start, Threads, Workers, leaf, request_of};
use fastrand::Rng;
use obook::Context;
use obook::read::lookup::Lookup;
use obook::read::view::as_text;
use obook_engine::Stop;
use obook_othello::levels::MAX_LEVEL;
use obook_othello::{CanonicalBoard, Engine, Leaf, Move, levels};
use serde::Serialize;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;

/// Which leaves are searched again, and how.
#[derive(Clone, Debug)]
pub struct SampleOptions {
    /// The number of leaves, or all if there are fewer.
    pub count: usize,
    /// The level, 0 to 60 on the engine's scale; by default, each leaf's own.
    pub level: Option<u8>,
    /// The same seed chooses the same leaves of the same book.
    pub seed: u64,
    /// The number of searches side by side.
    pub jobs: NonZeroUsize,
    /// Ends the searches, from any thread.
    pub stop: Stop,
}

/// The result of a sample.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Sampled {
    /// The name of the engine.
    pub engine: String,
    /// The seed that chose the leaves.
    pub seed: u64,
    /// The number of leaves of the book that have a move.
    pub leaves: u64,
    /// All leaves of the sample.
    pub all: Off,
    /// The same by level.
    pub levels: Vec<Level>,
    /// The number of leaves without an answer.
    pub failed: u64,
    /// Why the first of them failed.
    pub reason: Option<String>,
    /// Whether it was stopped before all were searched.
    pub stopped: bool,
}

/// How far leaves of one level are off.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Level {
    /// The engine whose scale the level is on.
    #[serde(serialize_with = "as_text")]
    pub engine: Engine,
    /// The level of the leaves; `None` if the book does not say.
    pub level: Option<u8>,
    /// How far they are off.
    #[serde(flatten)]
    pub off: Off,
}

/// How far leaves are off: the new score minus the book's, in discs for the side to move.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Off {
    /// The number of leaves that were searched.
    pub count: u64,
    /// The mean difference.
    pub mean: f64,
    /// The standard deviation of the differences.
    pub spread: f64,
    /// The leaf that is furthest off.
    pub largest: Option<Difference>,
}

/// The book's leaf and the new one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Difference {
    /// 64 squares and the side to move.
    pub board: String,
    /// The book's move, as it is made there.
    #[serde(rename = "move", serialize_with = "as_text")]
    pub mv: Move,
    /// The book's score.
    pub book: i8,
    /// The best move now that leads out of the book.
    #[serde(serialize_with = "as_text")]
    pub found_move: Move,
    /// Its score.
    pub found: i8,
}

/// The level for leaves without one, by default.
const UNKNOWN_LEVEL: u8 = 10;

/// Searches a random sample of a book's leaves again.
///
/// # Errors
/// Returns [`Error::Engine`](crate::Error::Engine) if no searcher can be started, and [`Error::NoAnswer`](crate::Error::NoAnswer) after too many failures in a row. Fails if the
/// book can't be read.
pub fn sample(
    book: &Lookup,
    options: &SampleOptions,
    start: &Start<'_>,
    context: &Context,
) -> Result<Sampled> {
    let progress = context.progress();
    progress.step("choosing", None);
    let (chosen, leaves) = chosen(book, options)?;
    let mut asked = BTreeMap::new();
    for board in chosen {
        if let Some(position) = book.position(board)?
            && let Some(leaf) = position.leaf
        {
            let own = levels::of_leaf(leaf, position.level, position.engine);
            let level = options.level.or(own.filter(|level| *level <= MAX_LEVEL));
            // There may be nothing to search.
            if let Ok(request) = request_of(&position, level.unwrap_or(UNKNOWN_LEVEL)) {
                asked.insert(board, (Leaf { level: own, ..leaf }, request));
            }
        }
    }
    let mut workers = Threads::start(options.jobs, start, &options.stop)?;
    progress.step("searching again", Some(asked.len() as u64));
    let mut found = BTreeMap::new();
    let mut failures: Vec<NoAnswer> = Vec::new();
    let questions = asked.values().map(|(_, request)| request.clone());
    let (clock, mut in_a_row) = (Clock::default(), Failures::default());
    let mut gather = Gather::new(&mut workers, &mut in_a_row, &options.stop, &clock);
    gather.all(questions, |reply| {
        match reply.answer {
            Ok(answer) => drop(found.insert(reply.question.board().canonical(), leaf(&answer))),
            Err(why) => failures.push(why),
        }
        progress.advance(1);
    })?;
    let pair = |(board, found): (CanonicalBoard, Leaf)| Pair {
        board,
        book: asked[&board].0,
        found,
    };
    let pairs: Vec<Pair> = found.into_iter().map(pair).collect();
    Ok(Sampled {
        engine: workers.name().to_owned(),
        seed: options.seed,
        leaves,
        all: Off::of(&pairs),
        levels: by_level(&pairs),
        failed: failures.len() as u64,
        reason: failures.first().map(ToString::to_string),
        stopped: pairs.len() + failures.len() < asked.len(),
    })
}

/// How far leaves are off, by level.
fn by_level(pairs: &[Pair]) -> Vec<Level> {
    let level_of = |pair: &Pair| (pair.book.engine, pair.book.level);
    let mut pairs = pairs.to_vec();
    pairs.sort_by_key(level_of);
    let level = |pairs: &[Pair]| Level {
        engine: pairs[0].book.engine,
        level: pairs[0].book.level,
        off: Off::of(pairs),
    };
    let levels = pairs.chunk_by(|a, b| level_of(a) == level_of(b));
    levels.map(level).collect()
}

/// A sample of the boards of all leaves with a move, each as likely as any other, and the number of these leaves.
fn chosen(book: &Lookup, options: &SampleOptions) -> Result<(Vec<CanonicalBoard>, u64)> {
    let mut random = Rng::with_seed(options.seed);
    let (mut chosen, mut seen) = (Vec::new(), 0);
    let mut show = |board: CanonicalBoard| {
        seen += 1;
        if chosen.len() < options.count {
            return chosen.push(board);
        }
        let place = usize::try_from(random.u64(0..seen)).unwrap_or(usize::MAX);
        if let Some(chosen) = chosen.get_mut(place) {
            *chosen = board;
        }
    };
    match book {
        Lookup::Memory(graph, _) => {
            let has_move = |id: &_| graph.leaf(*id).is_some_and(|leaf| leaf.mv.is_some());
            let ids = graph.ids_by_key().filter(has_move);
            ids.for_each(|id| show(graph.board(id)));
        }
        Lookup::Database(store) | Lookup::Temporary(store, _) => store.read(|connection| {
            let sql = "SELECT board FROM leaves WHERE move IS NOT NULL ORDER BY board";
            let mut keys = connection.prepare(sql)?;
            let mut keys = keys.query([])?;
            while let Some(row) = keys.next()? {
                if let Some(board) = board(row)? {
                    show(board);
                }
            }
            Ok(())
        })?,
    }
    Ok((chosen, seen))
}

/// A leaf of the book, and the new one.
#[derive(Clone, Copy)]
struct Pair {
    board: CanonicalBoard,
    book: Leaf,
    found: Leaf,
}

impl Pair {
    fn difference(self) -> i16 {
        i16::from(self.found.score) - i16::from(self.book.score)
    }
}

impl Off {
    fn of(pairs: &[Pair]) -> Off {
        let count = pairs.len() as f64;
        let differences = || pairs.iter().map(|pair| f64::from(pair.difference()));
        let mean = differences().sum::<f64>() / count.max(1.0);
        let squares: f64 = differences().map(|it| (it - mean) * (it - mean)).sum();
        // Of equal ones the first.
        let largest = pairs.iter().rev().max_by_key(|it| it.difference().abs());
        Off {
            count: pairs.len() as u64,
            mean,
            spread: (squares / count.max(1.0)).sqrt(),
            largest: largest.and_then(|pair| {
                Some(Difference {
                    board: pair.board.board().to_text(),
                    mv: pair.book.mv?,
                    book: pair.book.score,
                    found_move: pair.found.mv?,
                    found: pair.found.score,
                })
            }),
        }
    }
}
