//! Reading what is left of a damaged database into a new one.
//!
//! No tree is trusted: rows are recognised by their shape, wherever their page is, so rows below a damaged page are
//! found too. The rows of overwritten and missing pages are lost. A row is left out, and counted, unless everything around
//! it agrees: its page adds up; keys ascend within the page, and lie between those above it; the board has as many empty
//! squares as the row says; the moves are legal; and links lead to positions.

mod games;
mod pages;

use crate::database::{BookHeader, NewBook, Store};
use crate::games::take_in;
use crate::write::fix::delete_orphans;
use crate::{
    AtomicFile, BOOK_FILE, Context, Error, FileKind, IfExists, OTHELLO, Result, StoreError,
};
use games::Games;
use obook_base::sqlite::{KeyRange, all_rows};
use obook_converters::{FaultKind, MoveOf};
use obook_othello::{CanonicalBoard, Engine, Move, RuleSet};
use obook_sql::rows::{Fault, Faults, Table, Wrong, scan};
use obook_store::{RawFile, Wal, beside};
use pages::{Cell, Pages, Value};
use rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY;
use rusqlite::{Connection, params};
use serde::Serialize;
use serde_json::json;
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Offset of the journal mode in a SQLite file.
const JOURNAL_MODE: u64 = 18;
/// Offset of the page count.
const PAGE_COUNT: u64 = 28;

/// The result of salvaging a damaged database.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
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
    /// Rows, except of games, from pages that no table leads to. If the file's first page is lost, some may have been deleted.
    pub astray: u64,
    /// Rows left out because no table leads to their pages, and the list of free pages, whose rows were deleted, is damaged.
    pub unplaced: u64,
    /// Rows left out because they, or others of their position, make no sense or are not in order; games likewise.
    pub doubtful: u64,
    /// Links and leaves left out because their position is lost, and links that lead to a lost one.
    pub orphans: u64,
    /// Pages of the tables that can't be read; each may have held a hundred rows.
    pub unreadable_pages: u64,
    /// Committed pages in the `-wal` file from the first damaged one on. If they are not counted as unreadable pages, an
    /// earlier state was recovered.
    pub damaged_log_pages: u64,
    /// Whether the file ends within a page, which was left out.
    pub cut: bool,
    /// Whether games are lost because SQLite can't find their table or part of it.
    pub games_lost: bool,
    /// Whether the book's header is lost, so that it is assumed to follow Edax's rules.
    pub header_lost: bool,
}

/// A database that may be damaged, so that SQLite can't open it.
#[derive(Debug)]
pub struct Damaged {
    path: PathBuf,
    file: RawFile,
}

impl Damaged {
    /// Opens a file. Whether it was a database shows only in what can be read of it.
    ///
    /// # Errors
    /// Returns [`Error::NotADatabase`] for a book file, and [`StoreError::Io`] if it can't be opened.
    pub fn open(path: &Path) -> Result<Damaged> {
        let failed = || Error::io(path, "open");
        if BOOK_FILE.is_in(path).map_err(failed())? {
            return Err(Error::not_a_database(path));
        }
        if let FileKind::Snapshot(_) = FileKind::of(path).map_err(failed())? {
            return Err(StoreError::Snapshot { path: path.into() }.into());
        }
        let file = RawFile::open(path).map_err(failed())?;
        let path = path.to_owned();
        Ok(Damaged { path, file })
    }
}

/// Makes a new database of what can be read of a damaged one. Neither that nor the files beside it are changed. Links and numbers are copied as they were; losses show in them only after [`fix`](crate::write::fix). Columns and
/// tables added by others, the history and the sources are not copied.
///
/// # Errors
/// Returns [`StoreError::Unfit`] if neither a position nor a game can be read, or if another program writes to the database
/// meanwhile; [`StoreError::ForeignSchema`] if a table of the book is gone, rather than damaged; [`StoreError::Newer`] if a later
/// obook made the database; and those of [`NewBook`]. The target is then unchanged.
///
/// ```
/// use obook::write::salvage::{Damaged, salvage};
/// use obook::{Context, IfExists, NewBook};
/// # let folder = tempfile::tempdir()?;
/// # let (book, rescued) = (folder.path().join("book.obook"), folder.path().join("rescued.obook"));
/// std::fs::write(&book, b"SQLite format 3\0 and nothing more")?;
/// let new = NewBook::create(&rescued, IfExists::Refuse, &Context::new("test"))?;
/// let error = salvage(Damaged::open(&book)?, new).unwrap_err();
/// assert!(error.to_string().contains("no position can be read in it"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn salvage(damaged: Damaged, new: NewBook) -> Result<Salvaged> {
    let Damaged { path, file } = damaged;
    let damaged = &*path;
    let (output, context) = (new.path().to_owned(), new.context().clone());
    let output = &*output;
    let read = |error| Error::io(damaged, "read")(error);
    let progress = context.progress();
    crate::spare(damaged, output)?;
    progress.step("copying", None);
    let copy = Copy::of(damaged, file, output, &context)?;
    let copied = copy.file.temporary_path();
    let (header, header_lost) = header(copied, &context)?;
    let mut pages = Pages::open(copied).map_err(read)?;
    pages.blank_damaged().map_err(read)?;
    progress.step("reading", Some(pages.count.into()));
    let write = |error| Error::sqlite(output, "write")(error);
    let tables = new.connection();
    let mut rows = Rows {
        tables,
        taken: 0,
        doubtful: 0,
    };
    let mut seen = HashSet::new();
    let mut unreadable_pages = 0;
    let objects = objects(copied, damaged)?;
    for object in &objects {
        let mut places: Vec<TreePage> = object.root.map(TreePage::root).into_iter().collect();
        while let Some(place) = places.pop() {
            let page = pages.read(place.page).map_err(read)?;
            let cells = page.cells();
            let belongs = page.is_of_index() && object.holds(&cells, &place);
            if !belongs || !seen.insert(place.page) {
                unreadable_pages += u64::from(object.table.is_some());
                continue;
            }
            progress.advance(1);
            let keys = object.keys(&cells, &place);
            places.extend(place.below(&cells, &keys, page.last_child()));
            if let Some(table) = object.table {
                rows.take(table, &cells, &keys).map_err(write)?;
            }
        }
    }
    let led_to = rows.taken;
    let free = pages.free(&seen).map_err(read)?;
    let mut unplaced = 0;
    for number in 1..=pages.count {
        if seen.contains(&number) || free.as_ref().is_some_and(|free| free.contains(&number)) {
            continue;
        }
        progress.advance(1);
        let cells = pages.read(number).map_err(read)?.cells();
        let Some((table, owner)) = owner(&objects, &cells) else {
            continue;
        };
        match free {
            Some(_) => {
                let keys = owner.keys(&cells, &TreePage::root(number));
                rows.take(table, &cells, &keys).map_err(write)?;
            }
            None => unplaced += cells.len() as u64,
        }
    }
    let astray = rows.taken - led_to;
    let out_of_order = rows.doubtful;
    progress.step("checking", None);
    let doubtful = drop_doubtful(tables, damaged)?;
    let orphans = drop_orphans(tables, damaged)?;
    // The index of the games is rebuilt.
    let connection = Connection::open(copied).map_err(Error::sqlite(copied, "open"))?;
    let games = &mut Games::of(connection);
    let mut found = games.by_ref().map(Ok);
    let filled = take_in(tables, output, None, &mut found, progress)?;
    let count = |table: Table| {
        let sql = format!("SELECT count(*) FROM {}", table.name());
        let count = tables.query_row(&sql, [], |row| row.get::<_, i64>(0));
        count.map(i64::cast_unsigned).map_err(write)
    };
    let salvaged = Salvaged {
        output: output.to_owned(),
        positions: count(Table::Positions)?,
        links: count(Table::Links)?,
        leaves: count(Table::Leaves)?,
        games: filled.added,
        astray,
        unplaced,
        doubtful: out_of_order + doubtful + games.doubtful,
        orphans,
        unreadable_pages: unreadable_pages + games.numbers.gaps,
        damaged_log_pages: copy.damaged_log_pages,
        cut: copy.cut,
        games_lost: games.numbers.are_lost,
        header_lost,
    };
    if salvaged.positions + salvaged.games == 0 {
        let problem = "no position can be read in it, and no game either";
        return Err(Error::unfit(damaged, problem));
    }
    new.set_header(&header)?;
    new.commit(&json!({
        "positions": salvaged.positions,
        "links": salvaged.links,
        "leaves": salvaged.leaves,
        "games": salvaged.games,
        "doubtful": salvaged.doubtful,
        "orphans": salvaged.orphans,
        "unreadable_pages": salvaged.unreadable_pages,
    }))?;
    Ok(salvaged)
}

/// A private copy of a database, with the changes that its log or journal has. SQLite opens only this, because it would change
/// or remove the files beside the original.
struct Copy {
    file: AtomicFile,
    damaged_log_pages: u64,
    cut: bool,
}

impl Copy {
    /// Copies all pages to a file beside `output`.
    fn of(damaged: &Path, mut from: RawFile, output: &Path, context: &Context) -> Result<Copy> {
        let file = AtomicFile::create(output, OTHELLO.database(), IfExists::Replace, context)?;
        let mut copy = Copy {
            file,
            damaged_log_pages: 0,
            cut: false,
        };
        let read = |error| Error::io(damaged, "read")(error);
        let write = |error| Error::io(output, "write")(error);
        let before = state(damaged);
        io::copy(&mut from, copy.file.file()).map_err(write)?;
        let log = Wal::of(damaged).map_err(read)?;
        let journal = fs::read(beside(damaged, "-journal")).unwrap_or_default();
        copy.cut_to_pages(log.as_ref()).map_err(write)?;
        if let Some(log) = log {
            copy.apply(log).map_err(write)?;
        }
        if state(damaged) != before {
            let problem = "another program wrote to it while it was copied; try again";
            return Err(Error::unfit(damaged, problem));
        }
        copy.roll_back(&journal).map_err(write)?;
        let path = copy.file.temporary_path().to_owned();
        let count = Pages::open(&path).map_err(write)?.count;
        // Lets SQLite open it if possible: there is no log beside it, and pages that were cut off are not looked for.
        copy.put(JOURNAL_MODE, &[1, 1]).map_err(write)?;
        copy.put(PAGE_COUNT, &count.to_be_bytes()).map_err(write)?;
        Ok(copy)
    }

    fn put(&mut self, place: u64, bytes: &[u8]) -> io::Result<()> {
        let file = self.file.file();
        file.seek(SeekFrom::Start(place))?;
        file.write_all(bytes)
    }

    /// Less than a page at the end is not a page.
    fn cut_to_pages(&mut self, log: Option<&Wal>) -> io::Result<()> {
        let size = match log {
            Some(log) => log.page_size,
            None => Pages::open(self.file.temporary_path())?.size,
        };
        let (size, file) = (size as u64, self.file.file());
        let length = file.metadata()?.len();
        self.cut = !length.is_multiple_of(size);
        if length > size {
            file.set_len(length - length % size)?;
        }
        Ok(())
    }

    /// Writes the pages of a log. Those that are lost become zeros.
    fn apply(&mut self, mut log: Wal) -> io::Result<()> {
        self.damaged_log_pages = log.damage.map_or(0, |damage| damage.pages);
        let Some(count) = log.page_count() else {
            return Ok(());
        };
        let size = log.page_size;
        self.file.file().set_len(u64::from(count) * size as u64)?;
        for page in log.pages().collect::<Vec<_>>() {
            let place = u64::from(page - 1) * size as u64;
            let mut bytes = vec![0; size];
            self.file.file().seek(SeekFrom::Start(place))?;
            self.file.file().read_exact(&mut bytes)?;
            let bytes = log.page(page, &bytes)?;
            self.put(place, &bytes.unwrap_or_else(|| vec![0; size]))?;
        }
        Ok(())
    }

    /// Lets SQLite undo an unfinished change, if it left a journal.
    fn roll_back(&self, journal: &[u8]) -> io::Result<()> {
        if !journal.is_empty() {
            let path = self.file.temporary_path();
            let beside = beside(path, "-journal");
            fs::write(&beside, journal)?;
            // If it can't, the pages stay as they are.
            let _ = Connection::open(path).and_then(|connection| {
                connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))
            });
            let _ = fs::remove_file(beside);
        }
        Ok(())
    }
}

/// The sizes and times of a database and of the files beside it that hold changes.
fn state(path: &Path) -> [Option<(u64, Option<std::time::SystemTime>)>; 3] {
    ["", "-wal", "-journal"].map(|end| {
        let found = fs::metadata(beside(path, end)).ok()?;
        Some((found.len(), found.modified().ok()))
    })
}

/// The book's header, and whether it is lost.
fn header(copy: &Path, context: &Context) -> Result<(BookHeader, bool)> {
    match Store::open(copy, context).and_then(|store| store.header()) {
        Ok(header) => Ok((header, false)),
        Err(error @ Error::Store(StoreError::Newer { .. } | StoreError::Unreleased { .. })) => {
            Err(error)
        }
        Err(_) => Ok((BookHeader::new(RuleSet::Edax), true)),
    }
}

/// The sort key of a tree's rows: a board, and in links a move.
type Key = ([u8; 16], i64);

/// A page as a tree leads to it, and the keys between which its rows lie.
struct TreePage {
    page: u32,
    after: Option<Key>,
    before: Option<Key>,
}

impl TreePage {
    fn root(page: u32) -> TreePage {
        TreePage {
            page,
            after: None,
            before: None,
        }
    }

    fn spans(&self, key: Key) -> bool {
        self.after.is_none_or(|after| after < key) && self.before.is_none_or(|before| key < before)
    }

    /// The pages below this one, whose cells have these keys if they can be trusted.
    fn below(&self, cells: &[Cell], keys: &[Option<Key>], last: Option<u32>) -> Vec<TreePage> {
        let pages = cells.iter().map(|cell| cell.child).chain([last]);
        let pages = pages.enumerate().filter_map(|(at, page)| {
            let (before, behind) = keys.split_at(at.min(keys.len()));
            Some(self.between(page?, before, behind))
        });
        pages.collect()
    }

    /// A page for rows between those with these keys, and within this one's.
    fn between(&self, page: u32, before: &[Option<Key>], behind: &[Option<Key>]) -> TreePage {
        TreePage {
            page,
            after: before.iter().rev().flatten().next().copied().or(self.after),
            before: behind.iter().flatten().next().copied().or(self.before),
        }
    }
}

/// A tree of index pages.
struct Object {
    /// Its first page; `None` if the list of tables can't be read.
    root: Option<u32>,
    /// The columns that its rows have.
    columns: Vec<String>,
    /// Whether obook makes it.
    is_own: bool,
    /// The table of positions that it is, if any.
    table: Option<Table>,
}

impl Object {
    /// Whether its rows may have this many columns. A row keeps its length when its owner adds a column.
    fn fits(&self, width: usize) -> bool {
        let least = self.table.map_or(1, |table| table.columns().len());
        (least..=self.columns.len()).contains(&width)
    }

    /// Whether a page's cells are rows of this tree. Single ones may be damaged.
    fn holds(&self, cells: &[Cell], place: &TreePage) -> bool {
        let fits = |cell: &&Cell| match self.table {
            Some(_) => self.key(cell, place).is_some(),
            // Rows of others may be too long for a page.
            None => cell.row.as_ref().is_none_or(|row| self.fits(row.len())),
        };
        let fitting = cells.iter().filter(fits).count();
        2 * fitting >= cells.len() && self.tells_leaves(cells)
    }

    /// Whether a page of table `leaves` holds leaves, and one of table `played` doesn't.
    fn tells_leaves(&self, cells: &[Cell]) -> bool {
        let is_for_leaves = self.table == Some(Table::Leaves);
        let is_like_leaves = self.is_own && self.columns.len() == Table::Leaves.columns().len();
        cells.is_empty() || !(is_for_leaves || is_like_leaves) || are_leaves(cells) == is_for_leaves
    }

    /// The key of a cell, if it has a row of this table with a key that fits its page.
    fn key(&self, cell: &Cell, place: &TreePage) -> Option<Key> {
        let row = cell.row.as_ref().filter(|row| self.fits(row.len()))?;
        key_of(self.table?, row).filter(|key| place.spans(*key))
    }

    /// The keys of cells that have a row of positions with a key between those of their neighbours.
    fn keys(&self, cells: &[Cell], place: &TreePage) -> Vec<Option<Key>> {
        let keys: Vec<_> = cells.iter().map(|cell| self.key(cell, place)).collect();
        let is_trusted = |(at, key): (usize, &Option<Key>)| {
            let around = place.between(place.page, &keys[..at], &keys[at + 1..]);
            key.filter(|key| around.spans(*key))
        };
        keys.iter().enumerate().map(is_trusted).collect()
    }
}

/// The key of a row.
fn key_of(table: Table, row: &[Value]) -> Option<Key> {
    match (table, row) {
        (Table::Links, [Value::Key(board), Value::Integer(mv), ..]) => Some((*board, *mv)),
        (Table::Positions | Table::Leaves, [Value::Key(board), ..]) => Some((*board, 0)),
        _ => None,
    }
}

/// Whether rows of five columns are leaves. Rows of table `played` look alike, but their second column is no move that the
/// board allows. One in eight may be damaged.
fn are_leaves(cells: &[Cell]) -> bool {
    let is_leaf = |cell: &&Cell| {
        let Some(
            [
                Value::Key(board),
                mv,
                Value::Integer(-64..=64),
                level,
                Value::Integer(engine),
                ..,
            ],
        ) = cell.row.as_deref()
        else {
            return false;
        };
        let Ok(Some(board)) = CanonicalBoard::from_key(*board) else {
            return false;
        };
        let is_move = match mv {
            Value::Null => board.board().is_over(),
            Value::Integer(code) => {
                let mv = u8::try_from(*code).ok().and_then(Move::from_code);
                mv.is_some_and(|mv| board.board().play(mv).is_some())
            }
            _ => false,
        };
        let is_level = matches!(level, Value::Null | Value::Integer(0..=255));
        is_move && is_level && Engine::from_number(*engine).is_some()
    };
    let leaves = cells.iter().filter(is_leaf).count();
    8 * (cells.len() - leaves) <= cells.len()
}

/// The table of positions whose rows are on a page that no tree leads to. `None` if they may belong to something that another program
/// added.
fn owner<'o>(objects: &'o [Object], cells: &[Cell]) -> Option<(Table, &'o Object)> {
    let rows = || cells.iter().filter_map(|cell| cell.row.as_ref());
    let fits = |(table, object): &(Table, &Object)| {
        let fitting = rows().filter(|row| object.fits(row.len()) && key_of(*table, row).is_some());
        let fitting = fitting.count();
        fitting > 0 && 2 * fitting >= cells.len() && (*table != Table::Leaves || are_leaves(cells))
    };
    let tables = objects.iter().filter_map(|it| Some((it.table?, it)));
    let mut owners = tables.filter(fits);
    let (owner, None) = (owners.next()?, owners.next()) else {
        return None;
    };
    let is_rival = |object: &&Object| !object.is_own && rows().any(|row| object.fits(row.len()));
    objects.iter().find(is_rival).is_none().then_some(owner)
}

/// The trees of index pages in the file, our own first: the tables of positions, and what else SQLite finds. A table that was renamed is
/// known by its columns.
///
/// # Errors
/// Returns [`StoreError::ForeignSchema`] if SQLite can read the list of tables, but one of ours is not in it.
fn objects(copy: &Path, damaged: &Path) -> Result<Vec<Object>> {
    let list = || {
        let connection = Connection::open(copy)?;
        let own = OTHELLO.names("TABLE").map(|table| format!("'{table}'"));
        let own = own.collect::<Vec<_>>().join(", ");
        let sql = format!(
            "SELECT name, rootpage,
                    CASE type WHEN 'index' THEN (SELECT group_concat(ifnull(name, '')) FROM pragma_index_xinfo(s.name))
                              ELSE (SELECT group_concat(name) FROM pragma_table_info(s.name)) END,
                    tbl_name IN ({own})
                        AND (type = 'table' OR name GLOB 'games_by_*' OR name GLOB 'sqlite_*')
             FROM sqlite_schema AS s
             WHERE type = 'index' OR name IN (SELECT name FROM pragma_table_list WHERE schema = 'main' AND wr)"
        );
        all_rows::<Object, Vec<_>>(&connection, &sql, [], |row| {
            let name: String = row.get(0)?;
            let columns: Option<String> = row.get(2)?;
            let columns = columns.iter().flat_map(|columns| columns.split(','));
            Ok(Object {
                root: Some(row.get(1)?),
                columns: columns.map(str::to_owned).collect(),
                is_own: row.get(3)?,
                table: Table::ALL.into_iter().find(|it| it.name() == name),
            })
        })
    };
    let mut objects = list().unwrap_or_default();
    if objects.is_empty() {
        let unlisted = Table::ALL.map(|table| Object {
            root: None,
            columns: table.columns().iter().copied().map(str::to_owned).collect(),
            is_own: true,
            table: Some(table),
        });
        return Ok(unlisted.into());
    }
    for table in Table::ALL {
        if objects.iter().any(|it| it.table == Some(table)) {
            continue;
        }
        let looks_like = |it: &&mut Object| it.table.is_none() && it.columns == table.columns();
        let Some(renamed) = objects.iter_mut().find(looks_like) else {
            let problem = format!("there is no table {}", table.name());
            let path = damaged.to_owned();
            return Err(StoreError::ForeignSchema { path, problem }.into());
        };
        renamed.table = Some(table);
        renamed.is_own = true;
    }
    objects.sort_by_key(|object| object.table.is_none());
    Ok(objects)
}

/// The tables being filled.
struct Rows<'c> {
    tables: &'c Connection,
    /// The number of new rows.
    taken: u64,
    /// The number of rows left out.
    doubtful: u64,
}

impl Rows<'_> {
    /// Takes the rows whose keys are trusted and whose values are possible.
    fn take(&mut self, table: Table, cells: &[Cell], keys: &[Option<Key>]) -> rusqlite::Result<()> {
        let (name, columns) = (table.name(), table.columns().join(", "));
        let width = table.columns().len();
        let places = vec!["?"; width].join(", ");
        let sql = format!("INSERT INTO {name} ({columns}) VALUES ({places})");
        let mut insert = self.tables.prepare_cached(&sql)?;
        'cells: for (cell, key) in cells.iter().zip(keys) {
            let Some(row) = cell.row.as_ref().filter(|_| key.is_some()) else {
                self.doubtful += 1;
                continue;
            };
            let row = row.iter().chain(std::iter::repeat(&Value::Null));
            for (place, value) in row.take(width).enumerate() {
                match (place, value) {
                    (0, Value::Key(key)) => insert.raw_bind_parameter(1, key)?,
                    (1.., Value::Null) => insert.raw_bind_parameter(place + 1, None::<i64>)?,
                    (1.., Value::Integer(number)) => {
                        insert.raw_bind_parameter(place + 1, number)?
                    }
                    _ => {
                        self.doubtful += 1;
                        continue 'cells;
                    }
                }
            }
            match insert.raw_execute() {
                Ok(_) => self.taken += 1,
                Err(rusqlite::Error::SqliteFailure(error, _))
                    if error.code == rusqlite::ErrorCode::ConstraintViolation =>
                {
                    // An earlier row with the key came from a better place.
                    let is_known = error.extended_code == SQLITE_CONSTRAINT_PRIMARYKEY;
                    self.doubtful += u64::from(!is_known);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Rows that make no sense, each with its table, and with its move if only one link of the board is meant.
#[derive(Default)]
struct Doubtful(BTreeSet<(&'static str, [u8; 16], Option<i64>)>);

impl Faults for Doubtful {
    const BY_THE_RULES: bool = true;

    fn add(&mut self, fault: Fault) -> Result<(), obook_sql::rows::Error> {
        let Some(key) = fault.key else {
            return Ok(());
        };
        let (tables, mv) = match fault.wrong {
            Wrong::Orphan(_) => return Ok(()),
            Wrong::Game(fault) => match fault.kind {
                FaultKind::IllegalMove {
                    of: MoveOf::Link(_),
                    code,
                } => (&[Table::Links][..], Some(code.into())),
                FaultKind::IllegalMove { .. } => (&[Table::Leaves][..], None),
                _ => (&Table::ALL[..], None),
            },
            Wrong::ScoreWithoutMove => (&[Table::Leaves][..], None),
            _ => (&Table::ALL[..], None),
        };
        self.0.extend(tables.iter().map(|it| (it.name(), key, mv)));
        Ok(())
    }
}

/// Deletes rows that make no sense, and all rows of positions of which that can't be told for a single row. Returns their
/// number.
fn drop_doubtful(tables: &Connection, damaged: &Path) -> Result<u64> {
    let mut doubtful = Doubtful::default();
    scan(tables, KeyRange::ALL, &mut doubtful, |_| ()).map_err(crate::database::unread(damaged))?;
    let deleted = doubtful.0.iter().map(|(table, key, mv)| {
        let all = format!("DELETE FROM {table} WHERE board = ?");
        match mv {
            Some(mv) => {
                let one = format!("{all} AND move = ?");
                tables.prepare_cached(&one)?.execute(params![key, mv])
            }
            None => tables.prepare_cached(&all)?.execute([key]),
        }
    });
    let deleted: rusqlite::Result<usize> = deleted.sum();
    Ok(deleted.map_err(Error::sqlite(damaged, "check"))? as u64)
}

/// Deletes links and leaves without a position, and links that lead to none. The moves of all links must be legal. Returns their number.
fn drop_orphans(tables: &Connection, damaged: &Path) -> Result<u64> {
    let delete = || {
        let orphans = delete_orphans(tables)?;
        // This adds function child.
        obook_sql::extension::register(tables)?;
        let dangling =
            "DELETE FROM links WHERE child(board, move) NOT IN (SELECT board FROM positions)";
        Ok((orphans + tables.execute(dangling, [])?) as u64)
    };
    delete().map_err(Error::sqlite(damaged, "check"))
}
