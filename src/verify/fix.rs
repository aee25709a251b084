//! Mending what needs no search.
//!
//! Reading has taken out what can't be kept (positions that no game reaches, moves that are not legal, all but the
//! strongest of equal boards) and turned boards to their canonical form; linking has dropped links without a child and
//! leaves that are links, and added the missing links. Negamax does the rest.

use super::{Findings, Group, Inspected, Source, inspect, inspect_database, rows};
use crate::graph::{Graph, TooLarge};
use crate::mapping::demands::{self, Demand};
use crate::{AtomicFile, Book, Error, IfExists, Progress, Result, Store, Update, negamax};
use obook_converters::{BookWriter, Compression, Header, Leaf, Position};
use obook_othello::CanonicalBoard;
use rusqlite::Connection;
use serde::Serialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What [`fix`] did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Fixed {
    /// What was wrong before.
    pub before: super::Verification,
    /// The database or file that is mended now.
    pub output: PathBuf,
    /// Positions in it.
    pub positions: u64,
    /// Of a database: positions that were written anew.
    pub changed: Option<u64>,
    /// What is wrong still, because it takes a search or a person.
    pub left: Vec<Group>,
}

impl Fixed {
    /// Whether nothing is wrong any more; notes alone are not.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        super::is_sound(&self.left)
    }
}

/// Repairs what needs no search, and says what was wrong and what still is.
///
/// A database is mended in one transaction that writes only what changes; a file stays as it is, and `output` says
/// where the mended book goes, in the same format.
///
/// # Errors
/// Where the book can't be read, or the output can't be written; everything is then as before.
pub fn fix(
    book: &Path,
    output: Option<(&Path, IfExists)>,
    examples: usize,
    progress: &Progress,
) -> Result<Fixed> {
    match (Book::open(book)?, output) {
        (Book::Database(store), None) => {
            drop(store);
            fix_database(book, examples, progress)
        }
        (Book::Database(_), Some(_)) => Err(Error::unfit(
            book,
            "a database is mended where it is: leave --output out, or copy the database first",
        )),
        (file @ Book::File(_), Some((output, if_exists))) => {
            fix_file(&file, output, if_exists, examples, progress)
        }
        (Book::File(_), None) => Err(Error::unfit(
            book,
            "a book file is not mended where it is: say with --output where the mended book goes",
        )),
    }
}

/// Sets the scores of finished games right, then computes all numbers anew.
fn mend(inspected: &mut Inspected) -> Result<(), TooLarge> {
    let Inspected {
        source,
        graph,
        rules,
        ..
    } = inspected;
    let finished = finished(graph, *source)?;
    if !finished.is_empty() {
        graph.revise(|_, _| true, &finished)?;
    }
    if let Some(rules) = *rules {
        negamax::negamax(graph, rules);
    }
    Ok(())
}

/// The finished games whose score is missing or wrong, with the right one.
fn finished(graph: &Graph, source: Source) -> Result<Graph, TooLarge> {
    let mut builder = Graph::builder();
    for id in graph.ids() {
        let wrong = demands::of(graph, id)
            .into_iter()
            .any(|demand| match demand {
                Demand::WrongFinalScore { .. } => true,
                Demand::MissingFinalScore => source.is_edax(),
                _ => false,
            });
        if wrong {
            let mut position = graph.position(id);
            position.leaf = Some(Leaf {
                mv: None,
                score: position.board.board().final_score(),
                level: position.level,
            });
            builder.push(position);
        }
    }
    builder.finish().map(|(finished, _)| finished)
}

fn fix_file(
    book: &Book,
    path: &Path,
    if_exists: IfExists,
    examples: usize,
    progress: &Progress,
) -> Result<Fixed> {
    let mut output = AtomicFile::create(path, if_exists)?;
    let mut inspected = inspect(book, examples, progress)?;
    let Source::File(format) = inspected.source else {
        unreachable!("a file was inspected")
    };
    mend(&mut inspected).map_err(Error::too_large(book.path()))?;
    progress.step("writing", Some(inspected.positions));
    let header = Header {
        count: i64::try_from(inspected.positions).ok(),
        ..book.header()?.header
    };
    let compression = path.extension().is_some_and(|extension| extension == "zst");
    let handle = output
        .file()
        .try_clone()
        .map_err(Error::io(path, "write"))?;
    let name = path.display().to_string();
    let compression = compression.then(Compression::default);
    let mut writer = BookWriter::new(handle, format, &header, compression)?.named(&name);
    let Inspected {
        graph, restored, ..
    } = &inspected;
    for position in graph.positions() {
        if !restored.contains(&position.board) {
            progress.advance(1);
            writer.write(&position)?;
        }
    }
    let positions = writer.positions();
    writer.finish()?;
    output.commit()?;
    let left = inspect(&Book::open(path)?, examples, progress)?;
    Ok(Fixed {
        before: inspected.report(),
        output: path.to_owned(),
        positions,
        changed: None,
        left: left.findings.into_groups(),
    })
}

fn fix_database(path: &Path, examples: usize, progress: &Progress) -> Result<Fixed> {
    let mut store = Store::open_for_writing(path)?;
    let header = store.header();
    let known = header.as_ref().ok().cloned();
    let update = store.update()?;
    let mut inspected = inspect_database(update.connection(), path, header, examples, progress)?;
    if inspected.findings.count(super::Kind::Sqlite) > 0 {
        return Err(Error::unfit(
            path,
            "SQLite finds the database itself damaged, and what can't be read can't be kept: \
             rescue it with “sqlite3 damaged.obook .recover | sqlite3 rescued.obook” and mend that",
        ));
    }
    mend(&mut inspected).map_err(Error::too_large(path))?;
    progress.step("writing", None);
    let changed = write_changes(&update, path, &inspected)?;
    let left = inspect_database(
        update.connection(),
        path,
        known.ok_or_else(|| no_header(path)),
        examples,
        progress,
    )?;
    update.commit()?;
    Ok(Fixed {
        output: path.to_owned(),
        positions: left.positions,
        changed: Some(changed),
        before: inspected.report(),
        left: left.findings.into_groups(),
    })
}

fn no_header(path: &Path) -> Error {
    Error::unfit(
        path,
        "the row of table book is still missing or makes no sense",
    )
}

/// Brings the tables up to the mended graph, and gives how many positions were written anew.
fn write_changes(update: &Update<'_>, path: &Path, inspected: &Inspected) -> Result<u64> {
    let graph = &inspected.graph;
    let mut gone: Vec<[u8; 16]> = Vec::new();
    let mut stale: HashSet<CanonicalBoard> = inspected.restored.clone();
    let known = &mut Findings::new(0);
    rows::each(update.connection(), path, known, |row, position| {
        let Some(position) = position else {
            gone.push(row.key);
            return;
        };
        let board = position.board;
        let id = graph
            .find(board)
            .expect("what was salvaged is in the graph");
        let is_own = board.to_key() == row.key;
        if !is_own {
            gone.push(row.key);
        }
        if !is_own || !row.sound || !same(position, graph.position(id)) {
            stale.insert(board);
        }
    })?;
    drop_rows(update.connection(), &gone).map_err(Error::sqlite(path, "write"))?;
    for board in &stale {
        let id = graph.find(*board).expect("what is stale is in the graph");
        update.put(&graph.position(id))?;
    }
    drop_orphans(update.connection()).map_err(Error::sqlite(path, "write"))?;
    Ok(stale.len() as u64)
}

/// Whether two records say the same; in a database links have no order.
fn same(mut one: Position, mut other: Position) -> bool {
    one.links.sort_unstable_by_key(|link| link.mv);
    other.links.sort_unstable_by_key(|link| link.mv);
    one == other
}

fn drop_rows(connection: &Connection, keys: &[[u8; 16]]) -> rusqlite::Result<()> {
    for table in ["positions", "links", "leaves"] {
        let mut delete = connection.prepare(&format!("DELETE FROM {table} WHERE board = ?"))?;
        for key in keys {
            delete.execute([key])?;
        }
    }
    Ok(())
}

/// Takes out rows whose key is none, and rows of links and leaves without a position.
fn drop_orphans(connection: &Connection) -> rusqlite::Result<()> {
    for table in ["positions", "links", "leaves"] {
        connection.execute(
            &format!("DELETE FROM {table} WHERE typeof(board) <> 'blob' OR length(board) <> 16"),
            [],
        )?;
    }
    for table in ["links", "leaves"] {
        connection.execute(
            &format!("DELETE FROM {table} WHERE NOT EXISTS (SELECT 1 FROM positions WHERE positions.board = {table}.board)"),
            [],
        )?;
    }
    Ok(())
}
