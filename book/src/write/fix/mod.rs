//! `link`, `negamax` and `fix` on a database: scores flow from the leaves to the root, and only what changes is
//! written, in one transaction. `verify --fix-what-is-safe` does the same work.

mod draft;
mod layered;
mod memory;
mod missing;

pub(crate) use draft::{Draft, finish_games};
pub(crate) use layered::link_records;
pub(crate) use missing::missing;

use crate::check::Group;
use crate::graph::Kept;
use crate::graph::link::{LinkReport, link};
use crate::graph::loops::{self, Loops};
use crate::graph::negamax;
use crate::read::view::as_text;
use crate::{Book, Entry, Error, Progress, Result, Store, Update};
use obook_converters::RuleSet;
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
        /// What a repetition is worth to the side that makes it, in discs; see [`loops`].
        repetition: i8,
    },
    /// Repair what needs no search, link and compute.
    Fix {
        /// By whose rules; `None` for the book's own.
        rules: Option<RuleSet>,
    },
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
    pub changed: Changed,
    /// Positions that lack a leaf: a legal move leads out of the book, but none was searched. They stand in table
    /// `todo`.
    pub todo: u64,
}

/// Positions with other rows than before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Changed {
    /// With any of the following.
    pub any: u64,
    /// With another value, other bounds, counts or lines.
    pub positions: u64,
    /// With other links or link scores.
    pub links: u64,
    /// With another leaf.
    pub leaves: u64,
}

/// Links, computes or mends the database at `path`, as `steps` asks for it; its history gets an entry under `command`.
///
/// A book that needs more than so many bytes of `memory` is linked and computed two layers at a time, through temporary
/// files. `negamax` alone takes the whole book in memory, since passes written by hand may lead anywhere in a layer.
///
/// # Errors
/// [`Error::Unfit`] where it is a book file, and whatever reading and writing may give; the database is then as before.
pub fn recompute(
    path: &Path,
    steps: Steps,
    memory: Option<u64>,
    command: &str,
    progress: &Progress,
) -> Result<Recomputed> {
    if let Book::File(_) = Book::open(path)? {
        let problem = "a book file; make a database of it with `obook import` and fix that";
        return Err(Error::unfit(path, problem));
    }
    let mut store = Store::open_for_writing(path)?;
    // From here on no other process can write, so what is read is what the new numbers will replace.
    let update = store.update()?;
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
    let todo = Todo {
        repair,
        link,
        negamax,
        repetition,
    };
    let edax = header.rules == RuleSet::Edax;
    let limit = if todo.link {
        memory.unwrap_or(u64::MAX)
    } else {
        u64::MAX
    };
    let done = if memory::needed(&reading)? > limit {
        layered::work(&update, path, edax, todo, limit, progress)?
    } else {
        work(&update, path, edax, todo, progress)?
    };
    if todo.negamax.is_some() {
        update.set_repetition(todo.repetition)?;
    }
    if todo.repair {
        update.mark_fixed()?;
    }
    update.commit(&Entry::new(command).counts(&done.changed))?;
    Ok(Recomputed {
        rules: header.rules,
        ..done
    })
}

/// [`Steps`], one by one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Todo {
    pub(crate) repair: bool,
    pub(crate) link: bool,
    pub(crate) negamax: Option<negamax::Scoring>,
    pub(crate) repetition: i8,
}

/// Does the work in a transaction that has written no rows of positions yet: they are read past it.
pub(crate) fn work(
    update: &Update<'_>,
    path: &Path,
    edax: bool,
    todo: Todo,
    progress: &Progress,
) -> Result<Recomputed> {
    let store = Store::open(path)?;
    let mut draft = if todo.repair {
        Draft::salvage(&store, edax, progress)?
    } else {
        Draft::read(store, progress)?
    };
    let graph = &mut draft.graph;
    let mut linked = None;
    if todo.link {
        progress.step("linking", None);
        linked = Some(link(graph).map_err(Error::too_large(path))?);
    }
    let mut loops = Loops::default();
    if let Some(rules) = todo.negamax {
        progress.step("computing", None);
        negamax::negamax(graph, rules);
        loops = loops::settle(graph, rules, todo.repetition);
    }
    progress.step("writing", None);
    let kept = Kept::all(&draft.graph);
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
        rules: if edax {
            RuleSet::Edax
        } else {
            RuleSet::Egaroucid
        },
        repaired: repaired.into_groups(),
        restored,
        link: linked,
        loops,
        changed,
        todo: missing.len() as u64,
    })
}
