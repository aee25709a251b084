//! `link`, `negamax` and `fix` for databases. Scores flow from the leaves to the root, and only what changes is
//! written, in one transaction. [`repair`](crate::write::repair) does the same work.

mod mend;
mod rows;

use crate::check::{Damage, Group, Origin, gather_legible};
use crate::database::Missing;
use crate::read::book::gather_database;
use crate::read::view::as_text;
use crate::{Change, Error, Result, Store};
pub(crate) use mend::{mend, missing_if_fixed, result_against_value};
pub use obook_graph::link::LinkReport;
use obook_graph::link::link_counted;
pub use obook_graph::loops::{Loops, OnCycle};
use obook_graph::passes::restore_passes_by;
use obook_graph::slabs::Slabs;
use obook_graph::{loops, negamax};
use obook_othello::RuleSet;
pub(crate) use rows::{DifferingRows, delete_orphans, mark_stale, missing};
use serde::Serialize;

/// The numbers to recompute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
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
/// A book that needs more memory than the context allows goes through temporary files.
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
    let old = update.store().header()?;
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
            ..Plan::fix(None)
        },
        Steps::Negamax { repetition, .. } => Plan {
            repair: false,
            link: false,
            repetition,
            ..Plan::fix(computing)
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
    /// say of repetitions, and whether it is fixed.
    fn record(self, update: &Change<'_>, missing: &[Missing]) -> Result<()> {
        update.replace_todo(missing)?;
        if self.negamax.is_some() {
            update.set_repetition(self.repetition)?;
            if self.repair && self.link {
                update.mark_fixed()?;
            }
        }
        Ok(())
    }
}

/// Findings and changes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
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
#[non_exhaustive]
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

/// Carries out a plan.
///
/// The transaction must not have written positions yet: they are read on another connection.
pub(crate) fn carry_out(update: &Change<'_>, rules: RuleSet, plan: Plan) -> Result<Recomputed> {
    let store = update.store();
    let context = store.context();
    let progress = context.progress();
    let failed = Error::of_slabs(update.store().path());
    let (gathered, mut damage) = match plan.repair {
        true => gather_legible(store, context)?,
        false => (gather_database(store, context)?, Damage::none()),
    };
    let (mut book, _) = Slabs::new(gathered).map_err(&failed)?;
    let restored = match plan.repair {
        true => restore_passes_by(&mut book, rules).map_err(&failed)?,
        false => 0,
    };
    book.remember();
    progress.step("computing", Some(book.len()));
    let Damage { stale, faults, .. } = &mut damage;
    let mut linked = LinkReport::default();
    let mut loops = Loops::default();
    let rows = DifferingRows::of(book, |slab| {
        mark_stale(slab, stale.iter().copied());
        let graph = slab.graph_mut();
        if plan.repair {
            mend(graph, Origin::Database(rules), faults);
        }
        if plan.link {
            linked += link_counted(graph, progress)?;
        }
        if let Some(scoring) = plan.negamax {
            negamax::negamax(graph, scoring);
            loops += loops::resolve(graph, scoring, plan.repetition);
        }
        Ok(vec![true; graph.len()])
    });
    let rows = rows.map_err(&failed)?;
    progress.step("writing", None);
    rows.write(update, &damage, plan)?;
    Ok(Recomputed {
        positions: rows.positions(),
        rules,
        repaired: damage.faults.into_groups(),
        restored,
        link: plan.link.then_some(linked),
        loops,
        changed: rows.changed(),
        todo: rows.missing.len() as u64,
    })
}
