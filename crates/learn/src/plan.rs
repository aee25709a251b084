//! The plan of a run: its searches, without making them.

use crate::queue::links_of;
use crate::search::{Failures, Gather, Workers, request};
use crate::stages::{Hire, header_for, setting, wanted};
use crate::{Chosen, LearnOptions, Recipe, Result};
use obook::{Book, BookHeader, Context, Error, Progress, Store, load_in_slabs};
use obook_engine::Request;
use obook_graph::slabs::{self, Slabs};
use obook_graph::{Graph, link, negamax};
use obook_othello::{Move, SquareSet};
use serde::Serialize;
use std::path::Path;

/// The number of searches from which the time of all is estimated.
const TRIED: usize = 8;

/// The searches that a stage would make now.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Planned {
    /// The stage; 1 is the first.
    pub stage: usize,
    /// Its rule.
    pub rule: &'static str,
    /// The name of the engine.
    pub engine: String,
    /// The level of the searches.
    pub level: u8,
    /// The maximum length of its lines in plies.
    pub depth: u8,
    /// The number of positions that the rule would search now.
    pub chosen: u64,
    /// About how many seconds that takes, estimated from a few of them; `None` if there are none, or none gave an answer.
    pub seconds: Option<f64>,
}

/// Finds out what each stage of a recipe would search in the book as it is, and makes a few of these searches to estimate how long
/// that takes. `None` stands for a new book. Later choices depend on the answers. Nothing is written.
///
/// # Errors
/// As [`learn`](super::learn).
pub fn plan(
    book: Option<&Store>,
    recipe: &Recipe,
    options: &LearnOptions,
    hire: &mut Hire<'_>,
    context: &Context,
) -> Result<Vec<Planned>> {
    recipe.check_games(&options.played)?;
    let progress = context.progress();
    let path = book.map_or(Path::new("a new book"), |book| book.path());
    let failed = Error::of_slabs(path);
    let (mut book, header) = match book {
        Some(book) => read(book, context)?,
        None => {
            let (empty, _) = Graph::builder().finish().map_err(Error::too_large(path))?;
            (empty.into(), header_for(recipe))
        }
    };
    let mut planned = Vec::new();
    for (at, stage) in recipe.stages.iter().enumerate() {
        let mut workers = hire(at)?;
        let setting = setting(recipe, stage, &header.header, options, workers.engine())?;
        progress.step("choosing", None);
        let [most, room] = stage.until.left(0, book.len());
        let most = if room == 0 { 0 } else { most };
        let chosen = wanted(recipe, &stage.rule, &mut book, &setting, most).map_err(&failed)?;
        let questions = questions(&mut book, &chosen, setting.level).map_err(&failed)?;
        planned.push(Planned {
            stage: at + 1,
            rule: stage.rule.name(),
            engine: workers.name().to_owned(),
            level: setting.level,
            depth: setting.depth,
            chosen: chosen.len() as u64,
            seconds: duration(questions, chosen.len(), &mut *workers, options, progress)?,
        });
    }
    Ok(planned)
}

/// The book as it would be fixed.
fn read(book: &Store, context: &Context) -> Result<(Slabs, BookHeader)> {
    let header = book.header()?;
    let mut slabs = load_in_slabs(&Book::Database(book.reader()?), context)?;
    if !book.is_fixed()? {
        let fixed = slabs.sweep_up(|slab| {
            link::link(slab.graph_mut())?;
            negamax::negamax(slab.graph_mut(), header.negamax_rules());
            Ok(())
        });
        fixed.map_err(Error::of_slabs(book.path()))?;
    }
    Ok((slabs, header))
}

/// A few of these searches.
fn questions(book: &mut Slabs, chosen: &[Chosen], level: u8) -> slabs::Result<Vec<Request>> {
    let every = chosen.len().div_ceil(TRIED).max(1);
    let tried: Vec<Chosen> = chosen.iter().step_by(every).copied().collect();
    let without = links_of(book, &tried)?;
    let question = |(chosen, without): (&Chosen, SquareSet)| {
        let level = chosen.level.unwrap_or(level);
        // There may be nothing to search.
        request(chosen.board, level, without.iter().map(Move::Place)).ok()
    };
    Ok(tried.iter().zip(without).filter_map(question).collect())
}

/// Estimates how long `all` searches like these take.
fn duration(
    questions: Vec<Request>,
    all: usize,
    workers: &mut dyn Workers,
    options: &LearnOptions,
    progress: &Progress,
) -> Result<Option<f64>> {
    let count = questions.len();
    progress.step("trying", Some(count as u64));
    let begun = options.clock.now();
    let mut failures = Failures::default();
    let mut gather = Gather::new(workers, &mut failures, &options.stop, &options.clock);
    let mut answers = 0;
    gather.all(questions.into_iter(), |reply| {
        answers += u64::from(reply.answer.is_ok());
        progress.advance(1);
    })?;
    let each = options.clock.since(begun).as_secs_f64() / count.max(1) as f64;
    Ok((answers > 0).then_some(each * all as f64))
}
