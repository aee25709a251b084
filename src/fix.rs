//! `link`, `negamax` and `fix` on a database: scores flow from the leaves to the root, and only what changes is
//! written, in one transaction.

use crate::graph::{Graph, NodeId};
use crate::link::{LinkReport, link};
use crate::mapping::demands::{self, Demand};
use crate::negamax::negamax;
use crate::store::{RowCount, Table};
use crate::{Book, Error, Progress, Result, Rules, Store, Update, load};
use obook_converters::Position;
use obook_othello::CanonicalBoard;
use rayon::prelude::*;
use serde::Serialize;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

/// What is to be computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Steps {
    /// Find the links anew: those that are missing, and those without a child.
    pub link: bool,
    /// Compute all numbers anew.
    pub negamax: bool,
    /// By whose rules; `None` for the book's own.
    pub rules: Option<Rules>,
}

/// What was found and changed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Recomputed {
    /// Positions in the book.
    pub positions: u64,
    /// Whose rules its numbers follow now.
    pub rules: Rules,
    /// What linking changed, if it was asked for.
    pub link: Option<LinkReport>,
    /// Positions whose rows were written anew.
    pub changed: Changed,
    /// Positions that lack a leaf: a legal move leads out of the book, but none was searched. They stand in table
    /// `todo`.
    pub todo: u64,
}

/// Positions with other rows than before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Changed {
    /// With another value, other bounds, counts or lines.
    pub positions: u64,
    /// With other links or link scores.
    pub links: u64,
    /// With another leaf.
    pub leaves: u64,
}

/// Links and computes the database at `path`, as far as `steps` asks for it.
///
/// # Errors
/// [`Error::Unfit`] where it is a book file, and whatever reading and writing may give; the database is then as before.
pub fn recompute(path: &Path, steps: Steps, progress: &Progress) -> Result<Recomputed> {
    if let Book::File(_) = Book::open(path)? {
        let problem = "a book file; make a database of it with `obook import` and fix that";
        return Err(Error::unfit(path, problem));
    }
    let mut store = Store::open_for_writing(path)?;
    let mut header = store.header()?;
    // From here on nobody else can write, so what is read is what the new numbers will replace.
    let update = store.update()?;
    let mut graph = load(&Book::open(path)?, progress)?;
    let before = fingerprints(&graph);
    let mut linked = None;
    if steps.link {
        progress.step("linking", None);
        linked = Some(link(&mut graph).map_err(Error::too_large(path))?);
    }
    if steps.negamax {
        progress.step("computing", None);
        let rules = steps.rules.unwrap_or(header.rules);
        if rules != header.rules {
            header.rules = rules;
            update.set_header(&header)?;
        }
        negamax(&mut graph, header.negamax_rules());
    }
    progress.step("writing", None);
    let changed = write_changes(&update, &graph, &before)?;
    let todo = missing_leaves(&graph);
    update.replace_todo(&todo)?;
    update.commit()?;
    Ok(Recomputed {
        positions: graph.len() as u64,
        rules: header.rules,
        link: linked,
        changed,
        todo: todo.len() as u64,
    })
}

/// The rows of one position in each table, as a number: other rows, another number (but for one case in 2⁶⁴). A tenth of
/// the memory that a copy of the book would take.
type Fingerprint = [u64; 3];

fn fingerprints(graph: &Graph) -> Vec<Fingerprint> {
    let ids: Vec<NodeId> = graph.ids().collect();
    ids.into_par_iter()
        .map(|id| fingerprint(&graph.position(id)))
        .collect()
}

fn fingerprint(position: &Position) -> Fingerprint {
    let mut moves: Vec<_> = position
        .links
        .iter()
        .map(|link| (link.mv, link.score))
        .collect();
    moves.sort_unstable();
    let bounds = position.bounds.map(|bounds| (bounds.lower, bounds.upper));
    let outcomes = position.outcomes;
    let outcomes = outcomes.map(|outcomes| (outcomes.wins, outcomes.draws, outcomes.losses));
    let leaf = position.leaf.map(|leaf| (leaf.mv, leaf.score, leaf.level));
    [
        hash((
            position.value,
            bounds,
            position.level,
            outcomes,
            position.lines,
        )),
        hash(moves),
        hash(leaf),
    ]
}

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Brings each table up to the graph where its fingerprints differ from those `before`.
fn write_changes(update: &Update<'_>, graph: &Graph, before: &[Fingerprint]) -> Result<Changed> {
    let after = fingerprints(graph);
    let mut counts = [0; 3];
    for ((table, place), count) in Table::ALL.into_iter().zip(0..).zip(&mut counts) {
        let is_changed = |id: &NodeId| before[id.index()][place] != after[id.index()][place];
        let changed = || {
            graph
                .ids_by_key()
                .filter(is_changed)
                .map(|id| graph.position(id))
        };
        *count = graph.ids().filter(is_changed).count() as u64;
        let rows = RowCount {
            changed: *count,
            all: graph.len() as u64,
        };
        update.rewrite(table, rows, graph.positions(), changed())?;
    }
    let [positions, links, leaves] = counts;
    Ok(Changed {
        positions,
        links,
        leaves,
    })
}

/// The positions that only a search can complete, by key.
fn missing_leaves(graph: &Graph) -> Vec<CanonicalBoard> {
    let missing = demands::check(graph)
        .filter(|(_, demand)| matches!(demand, Demand::MissingLeaf(_)))
        .map(|(id, _)| graph.board(id));
    let mut missing: Vec<CanonicalBoard> = missing.collect();
    missing.sort_unstable();
    missing
}
