//! Repairing what needs no search.
//!
//! Reading leaves out what can't be kept (positions that no game reaches, illegal moves, all but the strongest of
//! equal boards) and brings boards into canonical form. Linking drops links without a child and leaves that are
//! links, and adds missing links. Negamax does the rest.

use crate::check::{
    FindingKind, Findings, Group, Inspected, Tables, Verification, inspect, inspect_database,
    is_sound,
};
use crate::write::export::{records, write_file};
use crate::write::fix::{self, Plan};
use crate::{
    AtomicFile, BOOK_FILE, Book, BookFile, Context, Error, IfExists, Result, Store, StoreError,
    spare,
};
use obook_graph::negamax;
use obook_graph::slabs::{self, ADDED, ByKey};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The result of [`repair`] and [`repair_file`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Fixed {
    /// Findings before the repair.
    pub before: Verification,
    /// The repaired database or file.
    pub output: PathBuf,
    /// The number of positions in it.
    pub positions: u64,
    /// For a database: positions that were rewritten.
    pub changed: Option<u64>,
    /// Remaining findings, which need a search or a person.
    pub left: Vec<Group>,
}

impl Fixed {
    /// Whether nothing is wrong any more. Notes don't count.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        is_sound(&self.left)
    }
}

/// Corrects levels and the scores of finished games, recomputes all numbers, and leaves out again what the book's format does.
fn mend(inspected: &mut Inspected) -> slabs::Result<()> {
    inspected.book.sweep_up(|slab| {
        let graph = slab.graph_mut();
        fix::mend(graph, inspected.origin, &mut Findings::new(0));
        if let Some(rules) = inspected.rules {
            negamax::negamax(graph, rules);
        }
        Ok(())
    })?;
    inspected.book.retain(|mark| mark & ADDED == 0)
}

/// Repairs a book file as [`repair`] does. The file is left as it is, and the repaired book is written to `path` in the
/// same format.
///
/// # Errors
/// If the book can't be read or `path` can't be written. Everything is then as before.
pub fn repair_file(
    file: BookFile,
    path: &Path,
    if_exists: IfExists,
    examples: usize,
    context: &Context,
) -> Result<Fixed> {
    spare(file.path(), path)?;
    let output = AtomicFile::create(path, BOOK_FILE, if_exists, context)?;
    let header = file.header().header.clone();
    let format = file.format();
    let source = file.path().to_owned();
    let mut inspected = inspect(&Book::File(file), examples, context)?;
    mend(&mut inspected).map_err(Error::of_slabs(&source))?;
    let book = records(inspected.book, format).map_err(Error::of_slabs(&source))?;
    let positions = book.len(ByKey::ALL);
    write_file(&book, output, path, &header, format, context.progress())?;
    let left = inspect(&Book::open(path, context)?, examples, context)?;
    Ok(Fixed {
        before: inspected.report,
        output: path.to_owned(),
        positions,
        changed: None,
        left: left.report.findings,
    })
}

/// Repairs what needs no search in a database that is open for writing, and reports what was wrong and what still is. This
/// is one change in its history, which writes only what differs.
///
/// # Errors
/// If the book can't be read or written. It is then as before.
pub fn repair(store: &mut Store, examples: usize) -> Result<Fixed> {
    let path = &store.path().to_owned();
    let header = match store.header() {
        // A header that makes no sense is a finding. One that can't be read at the moment may be sound, so the error
        // is final.
        Err(
            error @ Error::Store(StoreError::Sqlite {
                source: rusqlite::Error::SqliteFailure(..),
                ..
            }),
        ) => return Err(error),
        header => header,
    };
    let update = store.change()?;
    let context = update.store().context();
    // From here on no other process can write: what is inspected is what will be repaired.
    let committed = Tables::Committed(update.store().read_transactions()?);
    let inspected = inspect_database(committed, path, header, examples, context)?;
    let mut found = inspected.report.findings.iter();
    if found.any(|group| group.kind == FindingKind::Sqlite) {
        return Err(Error::Store(StoreError::Corrupt {
            path: path.to_owned(),
            found: String::from("SQLite's own check of it fails"),
        }));
    }
    // Numbers can be judged only by known rules.
    let (rules, plan) = (inspected.origin.rules(), Plan::fix(inspected.rules));
    drop(inspected.book);
    let done = fix::carry_out(&update, rules, plan)?;
    let changed = Tables::Uncommitted(update.connection());
    let left = inspect_database(changed, path, update.store().header(), examples, context)?;
    // Damage beyond repair has been removed.
    update.forget_sources()?;
    update.commit(&done.changed)?;
    Ok(Fixed {
        output: path.to_owned(),
        positions: left.report.positions,
        changed: Some(done.changed.any),
        before: inspected.report,
        left: left.report.findings,
    })
}
