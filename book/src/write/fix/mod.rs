//! `link`, `negamax` and `fix` on a database: scores flow from the leaves to the root, and only what changes is
//! written, in one transaction. [`repair`](crate::write::repair) does the same work.

mod draft;
mod in_memory;
mod layered;
mod memory;
mod missing;
mod plan;

pub(crate) use draft::{Draft, mend};
pub use in_memory::work;
pub use layered::link_records;
pub use missing::missing;
pub use plan::Plan;
pub use plan::{ChangedPositions, Recomputed};

use crate::{Book, Change, Context, Result};
use obook_model::RuleSet;
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
/// A book that needs more memory than the context allows is linked and computed two layers at a time, through temporary
/// files. `negamax` alone takes the whole book in memory, since passes written by hand may lead anywhere in a layer.
///
/// # Errors
/// [`Error::BookFile`](crate::Error::BookFile), and whatever reading and writing may give; the database is then as before.
pub fn recompute(path: &Path, steps: Steps, context: &Context) -> Result<Recomputed> {
    let mut store = Book::open_for_writing(path, "fix", context)?;
    let update = store.change()?;
    let done = recompute_in(&update, steps)?;
    update.commit(&done.changed)?;
    Ok(done)
}

/// [`recompute`] as the first part of a change, which has written nothing yet: the database is read past it.
pub fn recompute_in(update: &Change<'_>, steps: Steps) -> Result<Recomputed> {
    let context = update.store().context();
    // No other process can write meanwhile, so what is read is what the new numbers will replace.
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
        context.memory().unwrap_or(u64::MAX)
    } else {
        u64::MAX
    };
    let done = if memory::needed(&reading)? > limit {
        layered::work(update, header.rules, plan, limit)
    } else {
        work(update, header.rules, plan)
    }?;
    if plan.negamax.is_some() {
        update.set_repetition(plan.repetition)?;
    }
    if plan.repair {
        update.mark_fixed()?;
    }
    Ok(done)
}
