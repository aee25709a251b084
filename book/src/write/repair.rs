//! Repairing what needs no search.
//!
//! Reading leaves out what can't be kept (positions that no game reaches, illegal moves, all but the strongest of
//! equal boards) and brings boards into canonical form. Linking drops links without a child and leaves that are
//! links, and adds missing links. Negamax does the rest.

use crate::check::{
    Findings, Group, Inspected, Kind, Origin, Tables, Verification, inspect, inspect_database,
    is_sound,
};
use crate::write::fix::{self, Plan};
use crate::write::rewrite::write_file;
use crate::{AtomicFile, Book, Context, Error, FileKind, IfExists, Result, Store, spare};
use obook_graph::mapping::decide_no_leaf;
use obook_graph::negamax;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// The result of [`fix()`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fixed {
    /// What was wrong before.
    pub before: Verification,
    /// The repaired database or file.
    pub output: PathBuf,
    /// The number of positions in it.
    pub positions: u64,
    /// For a database: positions that were rewritten.
    pub changed: Option<u64>,
    /// What is still wrong, because it needs a search or a person.
    pub left: Vec<Group>,
}

impl Fixed {
    /// Whether nothing is wrong any more. Notes don't count.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        is_sound(&self.left)
    }
}

/// Repairs what needs no search, and reports what was wrong and what still is.
///
/// A database is repaired in one transaction that writes only what changes. A file is left as it is, and the repaired
/// book is written to `output` in the same format.
///
/// # Errors
/// If the book can't be read or the output can't be written. Everything is then as before.
pub fn fix(
    book: &Path,
    output: Option<(&Path, IfExists)>,
    examples: usize,
    context: &Context,
) -> Result<Fixed> {
    match (Book::open(book, context)?, output) {
        (Book::Database(store), None) => {
            drop(store);
            fix_database(book, examples, context)
        }
        (Book::Database(_), Some(_)) => Err(Error::NeedsNoOutput {
            path: book.to_owned(),
        }),
        (file @ Book::File(_), Some((output, if_exists))) => {
            fix_file(&file, output, if_exists, examples, context)
        }
        (Book::File(_), None) => Err(Error::NeedsOutput {
            path: book.to_owned(),
        }),
    }
}

/// Corrects levels and the scores of finished games, then recomputes all numbers.
fn mend(inspected: &mut Inspected) {
    let graph = &mut inspected.graph;
    fix::mend(graph, inspected.origin, &mut Findings::new(0));
    if let Some(rules) = inspected.rules {
        negamax::negamax(graph, rules);
    }
}

fn fix_file(
    book: &Book,
    path: &Path,
    if_exists: IfExists,
    examples: usize,
    context: &Context,
) -> Result<Fixed> {
    let progress = context.progress();
    spare(book.path(), path)?;
    let output = AtomicFile::create(path, FileKind::Book, if_exists, context)?;
    let mut inspected = inspect(book, examples, progress)?;
    let Origin::File(format) = inspected.origin else {
        unreachable!("a file was inspected")
    };
    mend(&mut inspected);
    let Inspected {
        graph, restored, ..
    } = &inspected;
    let ids = graph.ids_by_key();
    let ids: Vec<_> = ids
        .filter(|id| !restored.contains(&graph.board(*id)))
        .collect();
    let positions = ids.iter().map(|id| {
        let mut position = graph.position(*id);
        decide_no_leaf(&mut position, |board| graph.find(board).is_some());
        position
    });
    write_file(
        output,
        path,
        format,
        &book.header()?.header,
        positions,
        progress,
    )?;
    let positions = ids.len() as u64;
    let left = inspect(&Book::open(path, context)?, examples, progress)?;
    Ok(Fixed {
        before: inspected.report(),
        output: path.to_owned(),
        positions,
        changed: None,
        left: left.findings.into_groups(),
    })
}

fn fix_database(path: &Path, examples: usize, context: &Context) -> Result<Fixed> {
    let progress = context.progress();
    let mut store = Store::open_for_writing(path, context)?;
    let header = match store.header() {
        // A header that makes no sense is a finding. One that can't be read at the moment may be sound, so the error
        // is final.
        Err(
            error @ Error::Sqlite {
                source: rusqlite::Error::SqliteFailure(..),
                ..
            },
        ) => return Err(error),
        header => header,
    };
    let known = header.as_ref().ok().cloned();
    let update = store.change()?;
    // From here on no other process can write: what is inspected is what will be repaired.
    let committed = Tables::Committed(update.store().reader()?.read_transactions()?);
    let inspected = inspect_database(committed, path, header, examples, progress)?;
    if inspected.findings.count(Kind::Sqlite) > 0 {
        return Err(Error::Corrupt {
            path: path.to_owned(),
            found: String::from("SQLite's own check of it fails"),
        });
    }
    // Numbers can be judged only by known rules.
    let plan = Plan::fix(inspected.rules);
    let Origin::Database(rules) = inspected.origin else {
        unreachable!("a database was inspected")
    };
    let before = inspected.report();
    let done = fix::carry_out(&update, rules, plan)?;
    let left = inspect_database(
        Tables::Uncommitted(update.connection()),
        path,
        known.ok_or_else(|| no_header(path)),
        examples,
        progress,
    )?;
    // Damage beyond repair has been removed.
    update.forget_sources()?;
    update.commit(&done.changed)?;
    Ok(Fixed {
        output: path.to_owned(),
        positions: left.positions,
        changed: Some(done.changed.any),
        before,
        left: left.findings.into_groups(),
    })
}

fn no_header(path: &Path) -> Error {
    Error::unfit(
        path,
        "the row of table book is still missing or makes no sense",
    )
}
