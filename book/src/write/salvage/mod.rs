//! Reading what is left of a damaged database into a new one.
//!
//! No tree is trusted: rows are recognised by their shape, wherever their page is, so rows below a damaged page are
//! found too. The rows of overwritten and missing pages are lost.

mod games;
mod pages;

use crate::games::fill;
use crate::read::book::Book;
use crate::{AtomicFile, Context, Error, FileKind, IfExists, Result};
use games::Games;
use obook_converters::Header;
use obook_converters::open_file;
use obook_model::{Engine, RuleSet};
use obook_rows::{Fault, Faults, KeyRange, Table, scan};
use obook_store::{BookHeader, NewBook, Store};
use pages::{Page, Pages, Value};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{CachedStatement, Connection, OpenFlags};
use serde::Serialize;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Offset of the journal mode in a SQLite file.
const JOURNAL_MODE: u64 = 18;
/// Offset of the page count.
const PAGE_COUNT: u64 = 28;

/// What was found in a damaged database.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Salvaged {
    /// The new database.
    pub output: PathBuf,
    /// Its positions.
    pub positions: u64,
    /// Its links.
    pub links: u64,
    /// Its leaves, scores of finished games included.
    pub leaves: u64,
    /// Its games, renumbered.
    pub games: u64,
    /// Rows, except of games, from pages that no table leads to; they may be older than the rest.
    pub astray: u64,
    /// Rows left out because they, or others of their position, make no sense; games likewise.
    pub doubtful: u64,
    /// Links and leaves left out because their position is lost.
    pub orphans: u64,
    /// Pages of the tables that can't be read; each may have held a hundred rows.
    pub unreadable_pages: u64,
    /// Whether games are lost because SQLite can't find their table or part of it.
    pub games_lost: bool,
    /// Whether the book's header is lost, so that it is assumed to follow Edax's rules.
    pub header_lost: bool,
}

/// Makes a new database at `output` of what can be read of the one at `damaged`, which is not changed. Links and
/// numbers are copied as they were; losses show in them only after [`fix`](crate::write::fix). Columns and tables
/// added by others, the history and the sources are not copied.
///
/// # Errors
/// [`Error::BookFile`]; [`Error::Unfit`] if no position can be read; [`Error::ForeignSchema`] if a table of the book
/// is gone, rather than damaged; [`Error::Newer`] if a later obook made the
/// database; and those of [`NewBook`]. What was at `output` is then unchanged.
///
/// ```
/// use obook_book::write::salvage::salvage;
/// use obook_book::{Context, IfExists};
/// # let folder = tempfile::tempdir()?;
/// # let (book, rescued) = (folder.path().join("book.obook"), folder.path().join("rescued.obook"));
/// std::fs::write(&book, b"SQLite format 3\0 and nothing more")?;
/// let error = salvage(&book, &rescued, IfExists::Refuse, &Context::new("test")).unwrap_err();
/// assert!(error.to_string().ends_with("no position can be read in it"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn salvage(
    damaged: &Path,
    output: &Path,
    if_exists: IfExists,
    context: &Context,
) -> Result<Salvaged> {
    open_file(damaged).map_err(Error::io(damaged, "open"))?;
    if let Ok(Book::File(_)) = Book::open(damaged, context) {
        return Err(Error::book_file(damaged, "salvage"));
    }
    let progress = context.progress();
    crate::spare(damaged, output)?;
    let new = NewBook::create(output, if_exists, context)?;
    progress.step("copying", None);
    let copy = copy(damaged, output, context)?;
    let (header, header_lost) = header(copy.temporary_path(), context)?;
    let read = |error| Error::io(damaged, "read")(error);
    let mut pages = Pages::open(copy.temporary_path()).map_err(read)?;
    progress.step("reading", Some(pages.count().into()));
    let write = |error| Error::sqlite(output, "write")(error);
    let transaction = new.connection().unchecked_transaction().map_err(write)?;
    let mut rows = Rows::new(&transaction).map_err(write)?;
    let mut seen = pages.free().map_err(read)?;
    let mut unreadable_pages = 0;
    let objects = objects(copy.temporary_path(), damaged)?;
    for object in &objects {
        let owner = object.owner();
        let mut stack = vec![object.root];
        while let Some(number) = stack.pop() {
            let page = pages.read(number).map_err(read)?;
            if !page.is_of_index() || number == 0 || number > pages.count() {
                unreadable_pages += u64::from(owner.is_some());
            } else if seen.insert(number) {
                progress.advance(1);
                stack.extend(page.children());
                if object.is_ours() {
                    rows.take(&page, owner).map_err(write)?;
                }
            }
        }
    }
    let led_to = rows.taken;
    for number in 1..=pages.count() {
        if seen.insert(number) {
            progress.advance(1);
            let page = pages.read(number).map_err(read)?;
            rows.take(&page, None).map_err(write)?;
        }
    }
    let astray = rows.taken - led_to;
    drop(rows);
    progress.step("checking", None);
    let doubtful = drop_doubtful(&transaction, damaged)?;
    let orphans = drop_orphans(&transaction).map_err(write)?;
    let games = &mut games_of(copy.temporary_path())?;
    let filled = fill(&transaction, output, games.by_ref().map(Ok), progress)?;
    let count = |table: Table| {
        let sql = format!("SELECT count(*) FROM {}", table.name());
        let count = transaction.query_row(&sql, [], |row| row.get::<_, i64>(0));
        count.map(i64::cast_unsigned).map_err(write)
    };
    let salvaged = Salvaged {
        output: output.to_owned(),
        positions: count(Table::Positions)?,
        links: count(Table::Links)?,
        leaves: count(Table::Leaves)?,
        games: filled.added,
        astray,
        doubtful: doubtful + games.doubtful,
        orphans,
        unreadable_pages: unreadable_pages + games.gaps(),
        games_lost: games.are_lost(),
        header_lost,
    };
    if salvaged.positions + salvaged.games == 0 {
        return Err(Error::unfit(damaged, "no position can be read in it"));
    }
    transaction.commit().map_err(write)?;
    new.set_header(&header)?;
    new.commit(&Counts::of(&salvaged))?;
    Ok(salvaged)
}

/// What goes into the history.
#[derive(Serialize)]
struct Counts {
    positions: u64,
    links: u64,
    leaves: u64,
    games: u64,
    doubtful: u64,
    orphans: u64,
    unreadable_pages: u64,
}

impl Counts {
    fn of(salvaged: &Salvaged) -> Counts {
        Counts {
            positions: salvaged.positions,
            links: salvaged.links,
            leaves: salvaged.leaves,
            games: salvaged.games,
            doubtful: salvaged.doubtful,
            orphans: salvaged.orphans,
            unreadable_pages: salvaged.unreadable_pages,
        }
    }
}

/// The legible games. Their index is rebuilt.
fn games_of(copy: &Path) -> Result<Games> {
    let connection = Connection::open(copy).map_err(Error::sqlite(copy, "open"))?;
    Ok(Games::of(connection))
}

/// Copies all pages to a file beside `output`, including those in the journal if SQLite can read it.
fn copy(damaged: &Path, output: &Path, context: &Context) -> Result<AtomicFile> {
    let mut copy = AtomicFile::create(output, FileKind::Database, IfExists::Replace, context)?;
    if copy_pages(damaged, copy.temporary_path()).is_err() {
        std::fs::copy(damaged, copy.temporary_path()).map_err(Error::io(damaged, "read"))?;
    }
    let write = |error| Error::io(output, "write")(error);
    let pages = Pages::open(copy.temporary_path()).map_err(write)?.count();
    let mut put = |place, bytes: &[u8]| {
        let file = copy.file();
        file.seek(SeekFrom::Start(place))?;
        file.write_all(bytes)
    };
    // Lets SQLite open it if possible: there is no journal beside it, and pages that were cut off are not looked for.
    put(JOURNAL_MODE, &[1, 1]).map_err(write)?;
    put(PAGE_COUNT, &pages.to_be_bytes()).map_err(write)?;
    Ok(copy)
}

fn copy_pages(from: &Path, to: &Path) -> rusqlite::Result<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let from = Connection::open_with_flags(from, flags)?;
    let mut to = Connection::open(to)?;
    to.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF")?;
    let backup = Backup::new(&from, &mut to)?;
    match backup.step(-1)? {
        StepResult::Done => Ok(()),
        _ => Err(rusqlite::Error::QueryReturnedNoRows),
    }
}

/// The book's header, and whether it is lost.
fn header(copy: &Path, context: &Context) -> Result<(BookHeader, bool)> {
    match Store::open(copy, context).and_then(|store| store.header()) {
        Ok(header) => Ok((header, false)),
        Err(error @ Error::Newer { .. }) => Err(error),
        Err(_) => {
            let (rules, format, header) = (RuleSet::Edax, None, Header::default());
            let assumed = BookHeader {
                rules,
                format,
                header,
            };
            Ok((assumed, true))
        }
    }
}

/// A tree of pages.
struct Object {
    name: String,
    root: u32,
    /// The columns if it is a table.
    columns: Vec<String>,
    /// The table of positions that it is, if any.
    table: Option<Table>,
}

impl Object {
    /// Whether it has the columns of this table; tables of early versions lack the last one.
    fn looks_like(&self, table: Table) -> bool {
        let all = table.columns();
        let some = &all[..all.len().min(EARLY_COLUMNS)];
        self.columns == all || table == Table::Positions && self.columns == some
    }

    fn owner(&self) -> Option<Owner> {
        Some(Owner {
            table: self.table?,
            columns: self.columns.len(),
        })
    }

    /// Whether its pages may hold rows of positions. Other tables of a book have rows of other shapes, so their pages
    /// are recognised; an index that someone added may not be.
    fn is_ours(&self) -> bool {
        let others = ["todo", "accuracy"].contains(&self.name.as_str());
        self.table.is_some() || others || self.name.starts_with("sqlite_autoindex_")
    }
}

/// The table whose tree led to a page.
#[derive(Clone, Copy)]
struct Owner {
    table: Table,
    columns: usize,
}

/// The number of columns that table `positions` had in early versions.
const EARLY_COLUMNS: usize = 11;

/// The trees of index pages in the file, as far as SQLite can tell, our own first. A table that was renamed is known by
/// its columns.
///
/// # Errors
/// [`Error::ForeignSchema`] if SQLite can read the list of tables, but one of ours is not in it.
fn objects(copy: &Path, damaged: &Path) -> Result<Vec<Object>> {
    let list = || {
        let connection = Connection::open(copy)?;
        let mut select = connection.prepare(
            "SELECT name, rootpage, (SELECT group_concat(name) FROM pragma_table_info(s.name)) FROM sqlite_schema AS s
             WHERE type = 'index' OR name IN (SELECT name FROM pragma_table_list WHERE schema = 'main' AND wr)",
        )?;
        let objects = select.query_map([], |row| {
            let name: String = row.get(0)?;
            let columns: Option<String> = row.get(2)?;
            let columns = columns.iter().flat_map(|columns| columns.split(','));
            Ok(Object {
                root: row.get(1)?,
                columns: columns.map(str::to_owned).collect(),
                table: Table::ALL.into_iter().find(|it| it.name() == name),
                name,
            })
        })?;
        objects.collect::<rusqlite::Result<Vec<Object>>>()
    };
    let mut objects = list().unwrap_or_default();
    let missing = |objects: &[Object]| {
        let is_missing = |table: &Table| objects.iter().all(|it| it.table != Some(*table));
        Table::ALL
            .into_iter()
            .filter(is_missing)
            .collect::<Vec<_>>()
    };
    for table in missing(&objects) {
        let looks_like = |it: &&mut Object| it.table.is_none() && it.looks_like(table);
        if let Some(renamed) = objects.iter_mut().find(looks_like) {
            renamed.table = Some(table);
        }
    }
    if let (false, [table, ..]) = (objects.is_empty(), &missing(&objects)[..]) {
        return Err(Error::ForeignSchema {
            path: damaged.to_owned(),
            problem: format!("there is no table {}", table.name()),
        });
    }
    objects.sort_by_key(|object| object.table.is_none());
    Ok(objects)
}

/// The tables being filled.
struct Rows<'c> {
    inserts: [(Table, CachedStatement<'c>); 3],
    /// The number of new rows.
    taken: u64,
}

impl<'c> Rows<'c> {
    fn new(connection: &'c Connection) -> rusqlite::Result<Rows<'c>> {
        let insert = |table: Table| {
            let (name, columns) = (table.name(), table.columns());
            let places = vec!["?"; columns.len()].join(", ");
            let columns = columns.join(", ");
            // An earlier row came from a better place; what the table forbids is not a row of it.
            let sql = format!("INSERT OR IGNORE INTO {name} ({columns}) VALUES ({places})");
            Ok::<_, rusqlite::Error>((table, connection.prepare_cached(&sql)?))
        };
        Ok(Rows {
            inserts: [
                insert(Table::Positions)?,
                insert(Table::Links)?,
                insert(Table::Leaves)?,
            ],
            taken: 0,
        })
    }

    /// Takes all rows of a page that are rows of positions.
    fn take(&mut self, page: &Page, owner: Option<Owner>) -> rusqlite::Result<()> {
        let has_leaves = holds_leaves(page);
        for row in page.rows() {
            let Some(table) = table_of(row.len(), owner) else {
                continue;
            };
            if table == Table::Leaves && !has_leaves {
                continue;
            }
            let inserts = self.inserts.iter_mut();
            for (_, insert) in inserts.filter(|(it, _)| *it == table) {
                self.taken += insert_row(insert, table, &row)?;
            }
        }
        Ok(())
    }
}

/// Whether rows of five columns are leaves. Rows of `played` look alike, but most have an impossible move, or a score
/// in place of the engine.
fn holds_leaves(page: &Page) -> bool {
    let is_leaf = |row: &Vec<Value>| {
        let is_move = matches!(row[1], Value::Null | Value::Integer(0..=64));
        let is_engine = |code: i64| Engine::from_code(code).is_some();
        is_move && matches!(row[4], Value::Integer(code) if is_engine(code))
    };
    let rows = page.rows().filter(|row| row.len() == 5);
    let (leaves, others): (Vec<_>, Vec<_>) = rows.partition(is_leaf);
    leaves.len() > others.len()
}

/// The table whose rows have this many columns.
fn table_of(columns: usize, owner: Option<Owner>) -> Option<Table> {
    match owner {
        Some(owner) if owner.columns == columns => Some(owner.table),
        _ => match columns {
            3 => Some(Table::Links),
            5 => Some(Table::Leaves),
            // Rows from before the last column was added keep their length.
            11 | 12 => Some(Table::Positions),
            _ => None,
        },
    }
}

/// Inserts a row and returns 1, or 0 if it has no key, an impossible value, or a known key.
fn insert_row(
    insert: &mut CachedStatement<'_>,
    table: Table,
    row: &[Value],
) -> rusqlite::Result<u64> {
    let missing = std::iter::repeat(&Value::Null);
    let columns = row.iter().chain(missing).take(table.columns().len());
    for (place, value) in columns.enumerate() {
        match (place, value) {
            (0, Value::Key(key)) => insert.raw_bind_parameter(1, key)?,
            (1.., Value::Null) => insert.raw_bind_parameter(place + 1, None::<i64>)?,
            (1.., Value::Integer(number)) => insert.raw_bind_parameter(place + 1, number)?,
            _ => return Ok(0),
        }
    }
    insert.raw_execute().map(|count| count as u64)
}

/// Ignores faults: positions say whether they are sound.
struct Noted;

impl Faults for Noted {
    const BY_THE_RULES: bool = false;

    fn add(&mut self, _: Fault) -> Result<(), obook_rows::Error> {
        Ok(())
    }
}

/// Deletes all rows of positions that a strict reader would reject, and returns their number.
fn drop_doubtful(connection: &Connection, damaged: &Path) -> Result<u64> {
    let mut doubtful = Vec::new();
    scan(connection, KeyRange::ALL, &mut Noted, |row| {
        if !row.sound || row.position.is_none() {
            doubtful.push(row.key);
        }
    })
    .map_err(obook_store::unread(damaged))?;
    let mut dropped = 0;
    for table in Table::ALL.map(Table::name) {
        let sql = format!("DELETE FROM {table} WHERE board = ?");
        let delete = || {
            let mut delete = connection.prepare(&sql)?;
            let counts = doubtful.iter().map(|key| delete.execute([key]));
            counts.sum::<rusqlite::Result<usize>>()
        };
        dropped += delete().map_err(Error::sqlite(damaged, "check"))? as u64;
    }
    Ok(dropped)
}

/// Deletes links and leaves without a position, and returns their number.
fn drop_orphans(connection: &Connection) -> rusqlite::Result<u64> {
    let mut dropped = 0;
    for table in [Table::Links, Table::Leaves].map(Table::name) {
        let sql = format!("DELETE FROM {table} WHERE board NOT IN (SELECT board FROM positions)");
        dropped += connection.execute(&sql, [])? as u64;
    }
    Ok(dropped)
}
