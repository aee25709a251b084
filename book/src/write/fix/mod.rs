//! `link`, `negamax` and `fix` for databases. Scores flow from the leaves to the root, and only what changes is
//! written, in one transaction. [`repair`](crate::write::repair) does the same work.

mod draft;
mod layered;
mod rows;

use crate::check::Group;
use crate::read::view::as_text;
use crate::{Change, Error, Result, Store};
pub(crate) use draft::{Draft, Legible, mend, missing_if_fixed};
pub(crate) use layered::{LayeredBook, boards, complete_layers, sorter_budget};
use obook_graph::link::{LinkReport, link_shown};
use obook_graph::loops::Loops;
use obook_graph::mapping::demands::lacks_leaf;
use obook_graph::{Graph, NodeId, Selection, loops, negamax};
use obook_model::{Leaf, Lost, RuleSet};
use obook_store::Missing;
use rayon::prelude::*;
pub(crate) use rows::Compared;
use serde::Serialize;

/// The numbers to recompute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Steps {
    /// Find links again: add missing ones, drop those without a child.
    Link,
    /// Recompute all numbers from the links as they are.
    Negamax {
        /// The rules to compute by; `None` for the book's own.
        rules: Option<RuleSet>,
        /// The value of a repetition for the side that makes it, in discs; see [`loops`].
        repetition: i8,
    },
    /// Repair what needs no search, link and compute.
    Fix {
        /// The rules to compute by; `None` for the book's own.
        rules: Option<RuleSet>,
    },
}

/// Links, computes or repairs a database that is open for writing, as one change in its history.
///
/// A book that needs more memory than the context allows is linked and computed two layers at a time, through temporary files.
/// [`Steps::Negamax`] always holds the whole book in memory, because hand-made passes may lead anywhere in a layer.
///
/// # Errors
/// Any error from reading or writing. The database is then as before.
pub fn recompute(store: &mut Store, steps: Steps) -> Result<Recomputed> {
    let update = store.change()?;
    let done = recompute_in(&update, steps)?;
    update.commit(&done.changed)?;
    Ok(done)
}

/// Does what [`recompute`] does as the first part of a change. The change must not have written anything yet, because
/// the database is read on another connection.
pub fn recompute_in(update: &Change<'_>, steps: Steps) -> Result<Recomputed> {
    // No other process can write meanwhile, so what is read is what the new numbers replace.
    let reading = update.store().reader()?;
    let old = reading.header()?;
    let mut header = old.clone();
    if let Steps::Negamax { rules, .. } | Steps::Fix { rules } = steps {
        header.rules = rules.unwrap_or(old.rules);
    }
    if header != old {
        update.set_header(&header)?;
    }
    let computing = Some(header.negamax_rules());
    let plan = match steps {
        Steps::Link => Plan {
            repair: false,
            link: true,
            negamax: None,
            repetition: 0,
        },
        Steps::Negamax { repetition, .. } => Plan {
            repair: false,
            link: false,
            negamax: computing,
            repetition,
        },
        Steps::Fix { .. } => Plan::fix(computing),
    };
    carry_out(update, header.rules, plan)
}

/// The work that [`Steps`] amount to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub repair: bool,
    pub link: bool,
    pub negamax: Option<negamax::Scoring>,
    pub repetition: i8,
}

impl Plan {
    /// Everything. Without rules, which a damaged header may hide, no numbers are computed.
    pub(crate) fn fix(negamax: Option<negamax::Scoring>) -> Plan {
        Plan {
            repair: true,
            link: true,
            negamax,
            repetition: 0,
        }
    }

    /// Records what holds for the whole book once the work is written: the positions that lack a leaf, what its numbers
    /// say of repetitions, and whether it is fixed. Whatever recomputes a whole book ends here.
    pub(crate) fn record(self, update: &Change<'_>, missing: &[Missing]) -> Result<()> {
        update.replace_todo(missing)?;
        if self.negamax.is_some() {
            update.set_repetition(self.repetition)?;
        }
        match self {
            Plan {
                repair: true,
                link: true,
                negamax: Some(_),
                ..
            } => update.mark_fixed(),
            _ => Ok(()),
        }
    }
}

/// Findings and changes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Recomputed {
    /// The number of positions in the book.
    pub positions: u64,
    /// The rules that its numbers now follow.
    #[serde(serialize_with = "as_text")]
    pub rules: RuleSet,
    /// Faults in the rows that were repaired.
    pub repaired: Vec<Group>,
    /// Pass positions that were added; books with Egaroucid's rules may lack them.
    pub restored: u64,
    /// The changes by linking, if requested.
    pub link: Option<LinkReport>,
    /// The effect of hand-made passes.
    pub loops: Loops,
    /// Positions whose rows were rewritten.
    pub changed: ChangedPositions,
    /// Positions that lack a leaf: a legal move leads out of the book but was never searched. They are listed in
    /// table `todo`.
    pub todo: u64,
}

/// The number of positions whose rows changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ChangedPositions {
    /// In any way.
    pub any: u64,
    /// In value, bounds, counts or lines.
    pub positions: u64,
    /// In links or their scores.
    pub links: u64,
    /// In the leaf.
    pub leaves: u64,
}

/// The memory in bytes that a whole book needs to be linked and computed, from the size of its tables. Measured on
/// books with one link and one leaf for each position: 100 bytes there, 125 here.
fn needed(store: &Store) -> Result<u64> {
    Ok(store.book_bytes()? / 4 * 5)
}

/// Carries out a plan: in memory, or two layers at a time if the book needs more than the context allows.
///
/// The transaction must not have written positions yet: they are read on another connection.
pub(crate) fn carry_out(update: &Change<'_>, rules: RuleSet, plan: Plan) -> Result<Recomputed> {
    // Without links to find, a layer may need any other.
    let memory = update.store().context().memory();
    let limit = memory.filter(|_| plan.link).unwrap_or(u64::MAX);
    if needed(update.store())? > limit {
        layered::work(update, rules, plan, limit)
    } else {
        work(update, rules, plan)
    }
}

/// Carries out a plan with the whole book in memory.
fn work(update: &Change<'_>, rules: RuleSet, plan: Plan) -> Result<Recomputed> {
    let progress = update.store().context().progress();
    let path = update.store().path();
    let store = update.store().reader()?;
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
    plan.record(update, &missing)?;
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

/// The positions accepted by `stays` that lack a leaf, in key order. `before` returns the leaf that a position had.
pub(crate) fn missing(
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
