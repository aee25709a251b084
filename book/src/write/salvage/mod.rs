//! Reading out of a damaged database what can be read, into a new one.
//!
//! No tree is trusted: rows are told by their shape, wherever their page lies, and what a damaged page hid or led to is
//! found all the same. Lost are the rows of pages that are overwritten or missing.

mod games;
mod pages;

use crate::games::fill;
use crate::read::book::Book;
use crate::{AtomicFile, Context, Error, FileKind, IfExists, Result};
use games::Games;
use obook_converters::Header;
use obook_model::{Engine, RuleSet};
use obook_rows::{Fault, Faults, KeyRange, Table, scan};
use obook_store::{BookHeader, NewBook, Store};
use pages::{Page, Pages, Value};
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{CachedStatement, Connection, OpenFlags};
use serde::Serialize;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Where a SQLite file says by which journal it is written and read.
const JOURNAL_MODE: u64 = 18;
/// Where it says how many pages it has.
const PAGE_COUNT: u64 = 28;

/// What was found in a damaged database.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Salvaged {
    /// The new database.
    pub output: PathBuf,
    /// Positions that it holds.
    pub positions: u64,
    /// Links that it holds.
    pub links: u64,
    /// Leaves that it holds, the scores of finished games among them.
    pub leaves: u64,
    /// Games that it holds, numbered anew.
    pub games: u64,
    /// Of all rows but those of games, those from pages that no table leads to any more: they may be older than the rest.
    pub astray: u64,
    /// Rows that were left out because they, or others of their position, make no sense; games of which that is true, too.
    pub doubtful: u64,
    /// Rows of links and leaves that were left out because their position is lost.
    pub orphans: u64,
    /// Pages of the tables that can't be read; with each go up to some hundred rows.
    pub unreadable_pages: u64,
    /// Whether games are lost because SQLite does not find their table, or the rest of it.
    pub games_lost: bool,
    /// Whether what the book said about itself is lost, so that it is taken to follow Edax's rules.
    pub header_lost: bool,
}

/// Makes a new database at `output` of what can be read of the one at `damaged`, which stays as it is. Links and numbers
/// are as they were there; what is lost shows in them only after [`fix`](crate::write::fix). Columns and tables that were
/// added by others, the history and the sources are not taken over.
///
/// # Errors
/// [`Error::BookFile`]; [`Error::Unfit`] where no position can be read, [`Error::Newer`] where a later obook made the
/// database, and as [`NewBook`]; what was at `output` is then as before.
///
/// ```
/// use obook_book::write::salvage::salvage;
/// use obook_book::{IfExists, Progress};
/// # let folder = tempfile::tempdir()?;
/// # let (book, rescued) = (folder.path().join("book.obook"), folder.path().join("rescued.obook"));
/// std::fs::write(&book, b"SQLite format 3\0 and nothing more")?;
/// let error = salvage(&book, &rescued, IfExists::Refuse, "salvage", &Progress::hidden()).unwrap_err();
/// assert!(error.to_string().ends_with("no position can be read in it"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn salvage(
    damaged: &Path,
    output: &Path,
    if_exists: IfExists,
    context: &Context,
) -> Result<Salvaged> {
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
    let objects = objects(copy.temporary_path());
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

/// What the history says.
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

/// The games that can be read; their index is made anew, whatever became of it.
fn games_of(copy: &Path) -> Result<Games> {
    let connection = Connection::open(copy).map_err(Error::sqlite(copy, "open"))?;
    Ok(Games::of(connection))
}

/// All pages in one file beside `output`: with what waits in the journal, unless SQLite can't make sense of that.
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
    // So that SQLite opens it if it can: there is no journal beside it, and what was cut off is not looked for.
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

/// What the book says about itself, and whether that is lost.
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
    /// How many columns it has as a table.
    columns: usize,
}

impl Object {
    /// The table of positions that it is.
    fn table(&self) -> Option<Table> {
        Table::ALL.into_iter().find(|it| it.name() == self.name)
    }

    fn owner(&self) -> Option<Owner> {
        let (table, columns) = (self.table()?, self.columns);
        Some(Owner { table, columns })
    }

    /// Whether rows of positions may be among its pages. The others of a book have rows of other shapes, so that pages of
    /// the wrong table are known; an index that somebody added may have the same.
    fn is_ours(&self) -> bool {
        let others = ["todo", "accuracy"].contains(&self.name.as_str());
        self.table().is_some() || others || self.name.starts_with("sqlite_autoindex_")
    }
}

/// The table whose tree led to a page.
#[derive(Clone, Copy)]
struct Owner {
    table: Table,
    columns: usize,
}

/// The trees of index pages in the file, as far as SQLite can tell, our own first.
fn objects(copy: &Path) -> Vec<Object> {
    let list = || {
        let connection = Connection::open(copy)?;
        let mut select = connection.prepare(
            "SELECT name, rootpage, (SELECT count(*) FROM pragma_table_info(s.name)) FROM sqlite_schema AS s
             WHERE type = 'index' OR name IN (SELECT name FROM pragma_table_list WHERE schema = 'main' AND wr)
             ORDER BY name NOT IN ('positions', 'links', 'leaves')",
        )?;
        let objects = select.query_map([], |row| {
            Ok(Object {
                name: row.get(0)?,
                root: row.get(1)?,
                columns: row.get::<_, u16>(2)?.into(),
            })
        })?;
        objects.collect::<rusqlite::Result<Vec<Object>>>()
    };
    list().unwrap_or_default()
}

/// The tables that are filled.
struct Rows<'c> {
    inserts: [(Table, CachedStatement<'c>); 3],
    /// Rows that were new.
    taken: u64,
}

impl<'c> Rows<'c> {
    fn new(connection: &'c Connection) -> rusqlite::Result<Rows<'c>> {
        let insert = |table: Table| {
            let (name, columns) = (table.name(), table.columns());
            let places = vec!["?"; columns.len()].join(", ");
            let columns = columns.join(", ");
            // What is there came from a better place; what the table does not allow is no row of it.
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

/// Whether a page's rows of five columns are leaves. Those of `played` are alike, but most have a number in the place of the move
/// that is none, or a score in that of the engine.
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

/// The table that has rows of so many columns.
fn table_of(columns: usize, owner: Option<Owner>) -> Option<Table> {
    match owner {
        Some(owner) if owner.columns == columns => Some(owner.table),
        _ => match columns {
            3 => Some(Table::Links),
            5 => Some(Table::Leaves),
            // Rows from before there was a column more keep their length.
            11 | 12 => Some(Table::Positions),
            _ => None,
        },
    }
}

/// How many rows are new: one, or none where it has no key, where a column holds what it can't, or where the key is known.
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

/// Notes nothing: positions say themselves whether they are sound.
struct Noted;

impl Faults for Noted {
    const BY_THE_RULES: bool = false;

    fn add(&mut self, _: Fault) -> Result<(), obook_rows::Error> {
        Ok(())
    }
}

/// Takes out all rows of the positions that a strict reader would stop at, and says how many that were.
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

/// Takes out rows of links and leaves without a position, and says how many that were.
fn drop_orphans(connection: &Connection) -> rusqlite::Result<u64> {
    let mut dropped = 0;
    for table in [Table::Links, Table::Leaves].map(Table::name) {
        let sql = format!("DELETE FROM {table} WHERE board NOT IN (SELECT board FROM positions)");
        dropped += connection.execute(&sql, [])? as u64;
    }
    Ok(dropped)
}
