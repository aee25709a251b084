//! obook's own engine: alpha-beta search with a trained evaluator.

mod cpu;
mod endgame;
mod evaluator;
mod midgame;
mod node;
mod patterns;
mod probcut;
mod root;
mod search;
mod stability;
mod table;

pub use evaluator::{Evaluator, Parts, WeightsError};

use crate::{Answer, Request, SearchError, Searcher};
use cpu::{Portable, Recursive};
use node::Discs;
use obook_othello::{Engine, Move, Square, levels};
use probcut::Grade;
use root::Outcome;
use search::Search;
use std::sync::Arc;
use std::time::Instant;
use table::{Effort, Table};

/// This crate's own engine, which needs no installation.
///
/// It searches on one thread, as deep and as selectively as Edax at the same level. Its answer depends only on the request.
///
/// ```
/// use obook_engine::{Inside, Request, Searcher};
/// use obook_othello::Line;
/// let line: Line = "f5d6c3d3c4".parse()?;
/// let answer = Inside::new().search(&Request::new(line.board(), 6)?)?;
/// assert_eq!((answer.depth, answer.probability, answer.proven), (6, Some(100), false));
/// assert!(line.board().play(answer.mv).is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Inside {
    evaluator: Arc<Evaluator>,
    table: Table,
    instructions: Instructions,
}

/// The version of the search for this processor.
#[derive(Clone, Copy, Debug)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2(cpu::Avx2),
}

impl Inside {
    /// Its name in reports and commands.
    pub(crate) const NAME: &str = "inside";
    /// The engine as which its searches are stored.
    pub(crate) const ENGINE: Engine = Engine::Obook;

    /// Creates a searcher with the built-in weights.
    #[must_use]
    pub fn new() -> Inside {
        Inside::with(Evaluator::built_in())
    }

    /// Creates a searcher with other weights.
    #[must_use]
    pub fn with(evaluator: Arc<Evaluator>) -> Inside {
        #[cfg(target_arch = "x86_64")]
        let instructions = cpu::Avx2::detect().map_or(Instructions::Portable, Instructions::Avx2);
        #[cfg(not(target_arch = "x86_64"))]
        let instructions = Instructions::Portable;
        Inside {
            evaluator,
            table: Table::default(),
            instructions,
        }
    }

    /// Disables instructions that only some processors have. It gets slower, but gives the same answers.
    #[must_use]
    pub fn portable(mut self) -> Inside {
        self.instructions = Instructions::Portable;
        self
    }

    /// Searches to `depth` plies, pruning with a confidence of `probability` percent.
    ///
    /// # Errors
    /// Returns [`SearchError::Stopped`] if a limit ended the search before anything was found.
    pub fn search_to(
        &mut self,
        request: &Request,
        depth: u8,
        probability: u8,
    ) -> Result<Answer, SearchError> {
        let start = Instant::now();
        let empties = request.board().empties();
        let last = Effort {
            depth: u32::from(depth).clamp(1, empties.max(1)),
            grade: Grade::of_probability(probability),
        };
        let mut table = std::mem::take(&mut self.table);
        table.begin(table_bits(last, empties));
        let evaluator = Arc::clone(&self.evaluator);
        let (outcome, nodes, table) = match self.instructions {
            Instructions::Portable => run(Portable, evaluator, table, request, last, start),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(cpu) => run(cpu, evaluator, table, request, last, start),
        };
        self.table = table;
        let outcome = outcome.ok_or(SearchError::Stopped)?;
        let reached = outcome.step;
        let solved = reached.depth >= empties && reached.grade == Grade::FULL;
        let (mv, score) = (outcome.variation[0], outcome.score as i8);
        Ok(Answer {
            probability: Some(reached.grade.probability()),
            proven: solved,
            complete: outcome.complete,
            variation: outcome.variation,
            nodes: Some(nodes),
            time: start.elapsed(),
            ..Answer::new(self.engine(), request, mv, score, reached.depth as u8)
        })
    }
}

impl Default for Inside {
    fn default() -> Inside {
        Inside::new()
    }
}

impl Searcher for Inside {
    fn name(&self) -> &str {
        Inside::NAME
    }

    fn engine(&self) -> Engine {
        Inside::ENGINE
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        let empties = request.board().empties() as u8;
        let level = levels::Effort::new(self.engine(), request.level(), empties);
        self.search_to(request, level.depth, level.probability)
    }
}

/// Runs the search on this processor, and returns the table.
fn run<C: Recursive>(
    cpu: C,
    evaluator: Arc<Evaluator>,
    table: Table,
    request: &Request,
    last: Effort,
    start: Instant,
) -> (Option<Outcome>, u64, Table) {
    let mut search = Search::new(cpu, evaluator, table, request.limits().clone(), start);
    // Search the canonical board, so that all mirror images get the same answer.
    let (canonical, symmetry) = request.board().canonicalize();
    let board = canonical.board();
    let steps = root::steps(last, board.empties());
    let moves = request.moves().map(|mv| symmetry.play(mv));
    let mut squares: Vec<Square> = moves.filter_map(Move::square).collect();
    squares.sort_unstable();
    let outcome = if squares.is_empty() {
        let passed = board.passed();
        let replies: Vec<Square> = passed.legal_moves().iter().collect();
        root::deepen(&mut search, Discs::new(passed), &replies, &steps).map(|mut outcome| {
            outcome.score = -outcome.score;
            outcome.variation.insert(0, Move::Pass);
            outcome
        })
    } else {
        root::deepen(&mut search, Discs::new(board), &squares, &steps)
    };
    let back = symmetry.inverse();
    let outcome = outcome.map(|outcome| Outcome {
        variation: outcome.variation.iter().map(|mv| back.play(*mv)).collect(),
        ..outcome
    });
    (outcome, search.nodes, search.table)
}

/// The size of the table for a search: `2^bits` entries of 32 bytes each, at most 64 MB.
fn table_bits(last: Effort, empties: u32) -> u32 {
    let to_the_end = last.depth >= empties;
    match (to_the_end, last.depth.min(empties)) {
        (true, 0..=10) => 10,
        (true, 11..=14) => 15,
        (true, 15..=18) => 18,
        (true, 19..=21) => 20,
        (false, 0..=4) => 10,
        (false, 5..=7) => 13,
        (false, 8..=10) => 17,
        (false, 11..=14) => 19,
        _ => 21,
    }
}
