//! Giving an engine of a book another name, scale or place.
//!
//! The three together are the engine, so its searches become those of another one, and what follows from them is recomputed.

use super::rewrite::{KEPT, Report, Target, Work, rewrite};
use crate::{Book, BookFile, Change, Context, Error, Result, Store};
use itertools::process_results;
use obook_converters::Header;
use obook_graph::slabs::{self, Slab};
use obook_othello::{Engine, EngineError, Leaf, Place, Proof, RuleSet};
use serde::Serialize;

/// The new name, scale and place of an engine. Whatever isn't given stays.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NewEngine {
    /// Its name. One that obook knows is that engine, which has a scale and a place of its own.
    pub name: Option<String>,
    /// The known engine on whose scale its levels are.
    pub scale: Option<Engine>,
    /// Its place among the known engines.
    pub place: Option<Place>,
}

impl NewEngine {
    fn of(&self, old: Engine) -> std::result::Result<Engine, EngineError> {
        let name = self.name.as_deref().unwrap_or(old.name());
        match Engine::known(name) {
            Some(known) if self.scale.is_none() && self.place.is_none() => Ok(known),
            _ => {
                let place = self.place.or(old.place()).unwrap_or_default();
                Engine::own(name, self.scale.unwrap_or(old.scale()), place)
            }
        }
    }
}

/// The searches that an engine had.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct EngineCounts {
    /// The engines of that name, each with what it is now.
    pub engines: Vec<ReplacedEngine>,
    /// Positions whose level or proof was of one of them.
    pub positions: u64,
    /// Leaves whose level was.
    pub leaves: u64,
}

/// An engine and what it is now, with scales and places.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct ReplacedEngine {
    /// The engine before.
    pub before: String,
    /// The engine now.
    pub now: String,
}

/// Gives the engines of this name in a database another name, scale or place, and recomputes the numbers that follow.
///
/// ```
/// use obook::write::{Target, engine::{NewEngine, replace_engine}};
/// use obook::{Book, Context, OtherEngine};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games.dat");
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.obook");
/// let context = Context::new("test");
/// let mut book = Book::import(file, &path, &context)?;
/// let new = NewEngine { name: Some("tiny".into()), place: Some("below edax".parse()?), ..NewEngine::default() };
/// let report = replace_engine(Target::InPlace(&mut book), "edax", &new, &context)?;
/// assert_eq!(report.counts.positions, 2247);
/// assert_eq!(OtherEngine::all_of(&book)?[0].to_string(), "tiny (edax's levels, place below edax)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the book is a file, which can't name engines; if it has no engine of this name, or none can be as `new` says; if it is damaged or
/// can't be read or written. Everything is then as before.
pub fn replace_engine(
    target: Target<'_>,
    name: &str,
    new: &NewEngine,
    context: &Context,
) -> Result<Report<EngineCounts>> {
    let refused = |file: &BookFile| {
        let problem = "a book file can't name engines: import it into a database first";
        Err(Error::unfit(file.path(), problem))
    };
    let store = match &target {
        Target::InPlace(store) => store,
        Target::DryRun(Book::Database(store)) => store,
        Target::DryRun(Book::File(file)) => return refused(file),
        Target::File { book, .. } => return refused(book),
    };
    let others = store.other_engines()?.into_iter();
    let others = others.filter_map(|(engine, called)| (called == name).then_some(engine));
    let engines: Vec<Engine> = Engine::known(name).into_iter().chain(others).collect();
    let becomes = engines.into_iter().map(|old| Ok((old, new.of(old)?)));
    let becomes: std::result::Result<Vec<_>, EngineError> = becomes.collect();
    let becomes = becomes.map_err(|error| Error::unfit(store.path(), error.to_string()))?;
    let found = becomes.iter().map(|(old, _)| has_searches(store, *old));
    if !process_results(found, |mut found| found.any(|it| it))? {
        let problem = format!("no search in the book is by an engine called “{name}”");
        return Err(Error::unfit(store.path(), problem));
    }
    let replaced = |(old, new): &(Engine, Engine)| ReplacedEngine {
        before: old.introduction(),
        now: new.introduction(),
    };
    let counts = EngineCounts {
        engines: becomes.iter().map(replaced).collect(),
        ..EngineCounts::default()
    };
    rewrite(target, Replacement { becomes, counts }, context)
}

/// Whether a search or proof of a database is by this engine.
fn has_searches(store: &Store, engine: Engine) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM positions WHERE ?1 IN (engine, prover))
                   OR EXISTS (SELECT 1 FROM leaves WHERE engine = ?1) OR EXISTS (SELECT 1 FROM todo WHERE engine = ?1)";
    Ok(store.ask(sql, [engine.number()])?)
}

/// Engines that are replaced.
struct Replacement {
    becomes: Vec<(Engine, Engine)>,
    counts: EngineCounts,
}

impl Replacement {
    fn of(&self, engine: Engine) -> Option<Engine> {
        let found = self.becomes.iter().find(|(old, _)| *old == engine);
        found.map(|(_, new)| *new)
    }
}

impl Work for Replacement {
    type Counts = EngineCounts;

    fn change(&mut self, slab: &mut Slab, _: RuleSet) -> slabs::Result<()> {
        let (_, marks) = slab.graph_and_marks();
        marks.iter_mut().for_each(|mark| *mark |= KEPT);
        let graph = slab.graph_mut();
        for id in graph.unfrozen_ids() {
            let (level, proof) = (self.of(graph.engine(id)), graph.proof(id));
            let proof = proof.and_then(|it| Some((it, self.of(it.prover())?)));
            self.counts.positions += u64::from(level.is_some() || proof.is_some());
            if let Some(engine) = level {
                graph.set_level(id, engine, graph.level(id));
            }
            if let Some((proof, engine)) = proof {
                graph.set_proof(id, Proof::new(proof.lower(), proof.upper(), engine));
            }
            let leaf = graph.leaf(id);
            if let Some((leaf, engine)) = leaf.and_then(|it| Some((it, self.of(it.engine)?))) {
                self.counts.leaves += 1;
                graph.set_leaf(id, Leaf { engine, ..leaf });
            }
        }
        Ok(())
    }

    fn end(self, _: &Header, _: u64, _: u64) -> EngineCounts {
        self.counts
    }

    /// Lost leaves, and the names.
    fn change_beside(&self, update: &Change<'_>) -> Result<()> {
        for (old, new) in &self.becomes {
            update.replace_engine(*old, *new)?;
        }
        Ok(())
    }
}
