//! `link`, `negamax` and `fix` on a database: scores flow from the leaves to the root, and only what changes is
//! written, in one transaction. [`repair`](crate::write::repair) does the same work.

mod draft;
mod layered;

use crate::check::Group;
use crate::read::view::as_text;
use crate::{Book, Entry, Error, Progress, Result, Store, Update};
pub(crate) use draft::{Draft, mend};
pub use layered::link_records;
use obook_graph::link::{LinkReport, link_shown};
use obook_graph::loops::Loops;
use obook_graph::mapping::demands::lacks_leaf;
use obook_graph::{Graph, NodeId, Selection, loops, negamax};
use obook_model::{Leaf, RuleSet};
use obook_store::{Lost, Missing};
use rayon::prelude::*;
use serde::Serialize;
use std::path::Path;

/// What a command does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steps {
    /// Find the links anew: those that are missing, and those without a child.
    Link,
    /// Compute all numbers anew, from the links as they stand.
    Negamax {
        /// By whose rules; `None` for the book's own.
        rules: Option<RuleSet>,
        /// What a repetition is worth to the side that makes it, in discs; see [`loops`](obook_graph::loops).
        repetition: i8,
    },
    /// Repair what needs no search, link and compute.
    Fix {
        /// By whose rules; `None` for the book's own.
        rules: Option<RuleSet>,
    },
}

/// Links, computes or mends the database at `path`, as `steps` asks for it; its history gets an entry under `command`.
///
/// A book that needs more than so many bytes of `memory` is linked and computed two layers at a time, through temporary
/// files. `negamax` alone takes the whole book in memory, since passes written by hand may lead anywhere in a layer.
///
/// # Errors
/// [`Error::BookFile`](crate::Error::BookFile), and whatever reading and writing may give; the database is then as before.
pub fn recompute(
    path: &Path,
    steps: Steps,
    memory: Option<u64>,
    command: &str,
    progress: &Progress,
) -> Result<Recomputed> {
    let mut store = Book::open_for_writing(path, "fix")?;
    let update = store.update()?;
    let done = recompute_in(&update, steps, memory, progress)?;
    update.commit(&Entry::new(command).counts(&done.changed))?;
    Ok(done)
}

/// [`recompute`] as the first part of a change, which has written nothing yet: the database is read past it.
pub fn recompute_in(
    update: &Update<'_>,
    steps: Steps,
    memory: Option<u64>,
    progress: &Progress,
) -> Result<Recomputed> {
    let path = update.path();
    // No other process can write meanwhile, so what is read is what the new numbers will replace.
    let reading = Store::open(path)?;
    let old = reading.header()?;
    let mut header = old.clone();
    if let Steps::Negamax { rules, .. } | Steps::Fix { rules } = steps {
        header.rules = rules.unwrap_or(old.rules);
    }
    if header != old {
        update.set_header(&header)?;
    }
    let computing = Some(header.negamax_rules());
    let (repair, link, negamax, repetition) = match steps {
        Steps::Link => (false, true, None, 0),
        Steps::Negamax { repetition, .. } => (false, false, computing, repetition),
        Steps::Fix { .. } => (true, true, computing, 0),
    };
    let plan = Plan {
        repair,
        link,
        negamax,
        repetition,
    };
    let limit = if plan.link {
        memory.unwrap_or(u64::MAX)
    } else {
        u64::MAX
    };
    let done = if needed(&reading)? > limit {
        layered::work(update, header.rules, plan, limit, progress)
    } else {
        work(update, header.rules, plan, progress)
    }?;
    if plan.negamax.is_some() {
        update.set_repetition(plan.repetition)?;
    }
    if plan.repair {
        update.mark_fixed()?;
    }
    Ok(done)
}

/// What [`Steps`](super::Steps) come down to.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub repair: bool,
    pub link: bool,
    pub negamax: Option<negamax::Scoring>,
    pub repetition: i8,
}

/// What was found and changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Recomputed {
    /// Positions in the book.
    pub positions: u64,
    /// Whose rules its numbers follow now.
    #[serde(serialize_with = "as_text")]
    pub rules: RuleSet,
    /// What was wrong with the rows and is mended now.
    pub repaired: Vec<Group>,
    /// Pass positions that were put in, which books by Egaroucid's rules may lack.
    pub restored: u64,
    /// What linking changed, if it was asked for.
    pub link: Option<LinkReport>,
    /// What hand-made passes made of the book.
    pub loops: Loops,
    /// Positions whose rows were written anew.
    pub changed: ChangedPositions,
    /// Positions that lack a leaf: a legal move leads out of the book, but none was searched. They stand in table
    /// `todo`.
    pub todo: u64,
}

/// Positions with other rows than before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ChangedPositions {
    /// With any of the following.
    pub any: u64,
    /// With another value, other bounds, counts or lines.
    pub positions: u64,
    /// With other links or link scores.
    pub links: u64,
    /// With another leaf.
    pub leaves: u64,
}

/// Bytes that it takes to link and compute a whole book in memory, by the size of its tables: measured on books of one link
/// and one leaf a position, of which each takes 100 bytes there and 125 here.
fn needed(store: &Store) -> Result<u64> {
    Ok(store.book_bytes()? / 4 * 5)
}

/// Does the work in a transaction that has written no rows of positions yet: they are read past it.
pub fn work(
    update: &Update<'_>,
    rules: RuleSet,
    plan: Plan,
    progress: &Progress,
) -> Result<Recomputed> {
    let path = update.path();
    let store = Store::open(path)?;
    let mut draft = if plan.repair {
        Draft::of_legible(&store, rules, progress)?
    } else {
        Draft::read(store, progress)?
    };
    let graph = &mut draft.graph;
    let mut linked = None;
    if plan.link {
        linked = Some(link_shown(graph, progress).map_err(Error::too_large(path))?);
    }
    let mut loops = Loops::default();
    if let Some(scoring) = plan.negamax {
        progress.step("computing", None);
        negamax::negamax(graph, scoring);
        loops = loops::resolve(graph, scoring, plan.repetition);
    }
    progress.step("writing", None);
    let kept = Selection::all(&draft.graph);
    let changed = draft.write(update, &kept)?;
    let missing = draft.missing(&kept);
    update.replace_todo(&missing)?;
    let Draft {
        graph,
        repaired,
        restored,
        ..
    } = draft;
    Ok(Recomputed {
        positions: graph.len() as u64,
        rules,
        repaired: repaired.into_groups(),
        restored,
        link: linked,
        loops,
        changed,
        todo: missing.len() as u64,
    })
}

/// Of the positions that `stays` approves, those that lack a leaf, in key order; `before` tells the leaf that a position
/// had.
pub fn missing(
    graph: &Graph,
    stays: impl Fn(NodeId) -> bool + Sync,
    before: impl Fn(NodeId) -> Option<Leaf> + Sync,
) -> Vec<Missing> {
    let missing = |place| {
        let id = graph.id(place);
        (stays(id) && lacks_leaf(graph, id)).then(|| Missing {
            board: graph.board(id),
            lost: before(id).and_then(|leaf| Lost::of(leaf, &graph.position(id))),
        })
    };
    let places = (0..graph.len()).into_par_iter();
    let mut missing: Vec<Missing> = places.filter_map(missing).collect();
    missing.par_sort_unstable_by_key(|missing| missing.board);
    missing
}
