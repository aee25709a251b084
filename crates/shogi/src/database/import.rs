//! Files and databases into databases.

use crate::database::file::{LeftOut, Parts, is_database};
use crate::database::position::{Position, Rule};
use crate::database::rows::{State, Writer, clear, each_made, find};
use crate::database::schema::{self, SHOGI};
use crate::{Book, Packed};
use obook_base::Budget;
use obook_store::{Context, Error, IfExists, Result, Store};
use rusqlite::{Connection, params};
use serde::{Serialize, Serializer};
use std::iter::{once, repeat};
use std::path::{Path, PathBuf};

/// The result of an import.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Imported {
    /// The file.
    pub file: PathBuf,
    /// Its format, `obook` for a database.
    pub format: &'static str,
    /// Its positions.
    pub positions: u64,
    /// Their moves.
    pub moves: u64,
    /// Positions that the book did not have.
    pub new_positions: u64,
    /// Moves that the book did not have.
    pub new_moves: u64,
    /// Moves of which the file knew something better, or newer and as deep.
    pub replaced_moves: u64,
    /// Moves that the book had and lost, because [`Rule::Positions`] took the file's.
    pub removed_moves: u64,
    /// Records that were merged into others of the same position.
    pub merged_records: u64,
    /// The parts that were left out.
    #[serde(flatten)]
    pub left_out: LeftOut,
    /// Whether it changed anything, if only a comment or a ply. The book is then to be fixed.
    #[serde(skip)]
    pub changed: bool,
}

/// The results of several files. The history has the sums of their counts.
struct All(Vec<Imported>);

impl Serialize for All {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let sum = |count: fn(&Imported) -> u64| self.0.iter().map(count).sum::<u64>();
        serializer.collect_map([
            ("positions", sum(|it| it.positions)),
            ("moves", sum(|it| it.moves)),
            ("new_positions", sum(|it| it.new_positions)),
            ("new_moves", sum(|it| it.new_moves)),
            ("replaced_moves", sum(|it| it.replaced_moves)),
            ("removed_moves", sum(|it| it.removed_moves)),
            ("merged_records", sum(|it| it.merged_records)),
        ])
    }
}

/// Makes a database of files and other databases: of the first, with the others merged into it.
///
/// # Errors
/// If a file can't be read, or the database can't be written. No database is left behind.
pub fn create(
    files: &[impl AsRef<Path>],
    path: &Path,
    if_exists: IfExists,
    context: &Context,
) -> Result<Vec<Imported>> {
    let created = schema::create(path, if_exists, context, |connection| {
        let rules = once(None).chain(repeat(Some(Rule::Moves)));
        let add = |(file, rule): (&_, _)| add(file, connection, path, context, rule);
        let added = files.iter().zip(rules).map(add);
        added.collect::<Result<_>>().map(All)
    });
    created.map(|All(created)| created)
}

/// Makes a database of a book.
///
/// # Errors
/// If the database can't be written. No database is left behind.
pub(crate) fn of_book(
    book: &Book,
    path: &Path,
    if_exists: IfExists,
    context: &Context,
) -> Result<Imported> {
    schema::create(path, if_exists, context, |connection| {
        let mut adding = Adding::begin(connection, path, None)?;
        adding.add_records(book, context)?;
        adding.finish()
    })
}

/// Merges files and other databases into a database, in one change.
///
/// # Errors
/// If a file can't be read, or the database can't be written; it is then as before.
pub fn merge(files: &[impl AsRef<Path>], store: &mut Store, rule: Rule) -> Result<Vec<Imported>> {
    let (path, context) = (store.path().to_owned(), store.context().clone());
    let change = store.change()?;
    let add = |file| add(file, change.connection(), &path, &context, Some(rule));
    let merged = All(files.iter().map(add).collect::<Result<_>>()?);
    change.commit(&merged)?;
    Ok(merged.0)
}

/// Adds the positions of a file or another database to a book.
fn add(
    file: impl AsRef<Path>,
    connection: &Connection,
    path: &Path,
    context: &Context,
    rule: Option<Rule>,
) -> Result<Imported> {
    let file = file.as_ref();
    let progress = context.progress();
    progress.step("reading", None);
    let mut adding = Adding::begin(connection, path, rule)?;
    let digest = if is_database(file)? {
        let other = Store::open(&SHOGI, file, context)?;
        let mut state = State::committed(&other)?;
        each_made(&mut state, Ok, |position| adding.add(&position))?;
        adding.imported.format = "obook";
        None
    } else {
        let mut parts = Parts::open(file, Budget::new(context.memory()))?;
        parts.fill()?;
        match rule {
            _ if parts.is_at_end() => {
                let book = parts.records();
                progress.step("writing", Some(book.entries.len() as u64));
                adding.add_records(&book, context)?;
            }
            None => adding.add_parts(&mut parts, context)?,
            Some(_) => {
                let mut spilled = Imported::default();
                let make = |path: &Path| {
                    spilled = schema::create(path, IfExists::Refuse, context, |connection| {
                        let mut adding = Adding::begin(connection, path, None)?;
                        adding.add_parts(&mut parts, context)?;
                        adding.finish()
                    })?;
                    Ok(())
                };
                let store = Store::temporary(&SHOGI, "book.obook", make, context)?;
                adding.imported.merged_records = spilled.merged_records;
                let mut state = State::committed(&store)?;
                each_made(&mut state, Ok, |position| adding.add(&position))?;
            }
        }
        adding.imported.format = parts.file.format.name();
        adding.imported.left_out = parts.file.left_out();
        parts.digest
    };
    adding.imported.file = file.to_owned();
    let imported = adding.finish()?;
    if imported.changed {
        note(connection, &imported, digest).map_err(Error::sqlite(path, "write"))?;
    }
    Ok(imported)
}

/// Positions on their way into a book.
struct Adding<'c> {
    /// How they are merged with the book's own; `None` if it is new, so nothing need be looked up.
    rule: Option<Rule>,
    connection: &'c Connection,
    path: &'c Path,
    writer: Writer<'c>,
    imported: Imported,
}

impl<'c> Adding<'c> {
    fn begin(connection: &'c Connection, path: &'c Path, rule: Option<Rule>) -> Result<Adding<'c>> {
        Ok(Adding {
            rule,
            connection,
            path,
            writer: Writer::new(connection).map_err(Error::sqlite(path, "write"))?,
            imported: Imported::default(),
        })
    }

    /// Writes the last rows.
    fn finish(self) -> Result<Imported> {
        (self.writer.finish()).map_err(Error::sqlite(self.path, "write"))?;
        Ok(self.imported)
    }

    /// Merges the records of a file into the book's own.
    fn add_records(&mut self, book: &Book, context: &Context) -> Result<()> {
        for (key, entries) in book.by_position() {
            let mut position = Position::new(key);
            self.imported.merged_records += position.merge_records(&entries).0;
            self.add(&position)?;
            context.progress().advance(1);
        }
        Ok(())
    }

    /// Merges a file that doesn't fit in memory into a new book, which then has what its records in order say.
    fn add_parts(&mut self, parts: &mut Parts, context: &Context) -> Result<()> {
        loop {
            let book = parts.records();
            for (key, entries) in book.by_position() {
                let known = self.find(key)?;
                let is_new = known.is_none();
                let mut position = known.unwrap_or_else(|| Position::new(key));
                let (merged, gained) = position.merge_records(&entries);
                let imported = &mut self.imported;
                imported.merged_records += merged;
                imported.positions += u64::from(is_new);
                imported.new_positions += u64::from(is_new);
                imported.moves += gained.added;
                imported.new_moves += gained.added;
                let written = self.writer.position(&position);
                let written = written.and_then(|()| self.writer.leaves(&position));
                written.map_err(Error::sqlite(self.path, "write"))?;
                context.progress().advance(1);
            }
            drop(book);
            // Positions that wait to be written aren't found.
            let writer = Writer::new(self.connection).map_err(Error::sqlite(self.path, "write"))?;
            let last = std::mem::replace(&mut self.writer, writer).finish();
            last.map_err(Error::sqlite(self.path, "write"))?;
            self.imported.changed = true;
            if parts.is_at_end() {
                return Ok(());
            }
            parts.fill()?;
        }
    }

    fn find(&self, key: Packed) -> Result<Option<Position>> {
        find(self.connection, key).map_err(Error::sqlite(self.path, "write"))
    }

    /// Merges a position into the book's own.
    fn add(&mut self, position: &Position) -> Result<()> {
        let failed = || Error::sqlite(self.path, "write");
        let known = match self.rule {
            Some(_) => self.find(position.key)?,
            None => None,
        };
        let imported = &mut self.imported;
        imported.positions += 1;
        let records = position.records.iter().flatten();
        imported.moves += records.map(|it| it.moves.len() as u64).sum::<u64>();
        imported.new_positions += u64::from(known.is_none());
        let mut merged = known.unwrap_or_else(|| Position::new(position.key));
        let gained = merged.merge(position, self.rule.unwrap_or_default());
        imported.new_moves += gained.added;
        imported.replaced_moves += gained.replaced;
        imported.removed_moves += gained.removed;
        if gained.record {
            self.writer.position(&merged).map_err(failed())?;
        }
        if gained.removed > 0 {
            clear(self.connection, "leaves", merged.key).map_err(failed())?;
        }
        if gained.moves {
            self.writer.leaves(&merged).map_err(failed())?;
        }
        imported.changed |= gained.record || gained.moves;
        Ok(())
    }
}

/// Notes that the book has changed, and where that came from.
fn note(
    connection: &Connection,
    imported: &Imported,
    digest: Option<String>,
) -> rusqlite::Result<()> {
    let forget = "UPDATE book SET fixed = NULL WHERE fixed IS NOT NULL";
    connection.execute(forget, [])?;
    let source = params![
        imported.file.display().to_string(),
        imported.format,
        digest,
        imported.positions.cast_signed(),
        imported.moves.cast_signed()
    ];
    let insert = "INSERT INTO sources (name, format, sha256, positions, moves, imported)
                  VALUES (?, ?, ?, ?, ?, strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))";
    connection.execute(insert, source).map(drop)
}
