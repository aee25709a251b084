//! The plan of a run: its searches, without making them.

use crate::Result;
use crate::queue::links;
use crate::search::{Failures, Gather, Question, Workers};
use crate::stages::{Hire, check_games, header_for, reach, wanted};
use crate::{Chosen, LearnOptions, Place, Recipe};
use obook_book::{Book, BookHeader, Context, Error, Progress, load};
use obook_graph::{Graph, link, negamax};
use obook_othello::Move;
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
/// that takes. What the rules want after that depends on the answers. Nothing is written.
///
/// # Errors
/// As [`learn`](super::learn).
pub fn plan(
    path: &Path,
    recipe: &Recipe,
    options: &LearnOptions,
    hire: &mut Hire<'_>,
    context: &Context,
) -> Result<Vec<Planned>> {
    check_games(recipe, &options.played)?;
    let progress = context.progress();
    let (graph, header) = read(path, recipe, context)?;
    let mut planned = Vec::new();
    for (at, stage) in recipe.stages.iter().enumerate() {
        let mut workers = hire(at)?;
        let (level, depth) = reach(stage, &header.header, path)?;
        let place = Place {
            book: &graph,
            root: recipe.root(),
            scoring: header.negamax_rules(),
            depth,
            level,
            engine: workers.engine(),
            turn: 0,
            played: &options.played,
        };
        progress.step("choosing", None);
        let most = stage.until.searches.unwrap_or(u64::MAX);
        let chosen = wanted(recipe, &stage.rule, &place, most);
        planned.push(Planned {
            stage: at + 1,
            rule: stage.rule.name(),
            engine: workers.name().to_owned(),
            level,
            depth,
            chosen: chosen.len() as u64,
            seconds: duration(&graph, &chosen, level, &mut *workers, options, progress)?,
        });
    }
    Ok(planned)
}

/// The book as it would be fixed.
fn read(path: &Path, recipe: &Recipe, context: &Context) -> Result<(Graph, BookHeader)> {
    if !path.try_exists().map_err(Error::io(path, "look for"))? {
        let empty = Graph::builder().finish().map_err(Error::too_large(path))?;
        return Ok((empty.0, header_for(recipe)));
    }
    let book = Book::open(path, context)?;
    let is_fixed = match &book {
        Book::Database(store) => store.is_fixed()?,
        Book::File(_) => return Err(Error::book_file(path, "teach").into()),
    };
    let header = book.header()?;
    let mut graph = load(&book, context.progress())?;
    if !is_fixed {
        link::link(&mut graph).map_err(Error::too_large(path))?;
        negamax::negamax(&mut graph, header.negamax_rules());
    }
    Ok((graph, header))
}

/// Estimates how long these searches take.
fn duration(
    book: &Graph,
    chosen: &[Chosen],
    level: u8,
    workers: &mut dyn Workers,
    options: &LearnOptions,
    progress: &Progress,
) -> Result<Option<f64>> {
    let every = chosen.len().div_ceil(TRIED).max(1);
    let tried = chosen.iter().step_by(every);
    let questions = tried.map(|chosen| question(book, chosen, level));
    let questions: Vec<Question> = questions
        .filter_map(Result::transpose)
        .collect::<Result<_>>()?;
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
    let lasted = options.clock.now().duration_since(begun).as_secs_f64();
    let each = lasted / count.max(1) as f64;
    Ok((answers > 0).then_some(each * chosen.len() as f64))
}

/// The question; `None` if there is nothing to search.
fn question(book: &Graph, chosen: &Chosen, level: u8) -> Result<Option<Question>> {
    let without = links(chosen.board, |child| Ok(book.find(child).is_some()))?;
    let level = chosen.level.unwrap_or(level);
    Ok(Question::new(chosen.board, level, without.iter().map(Move::Place)).ok())
}
