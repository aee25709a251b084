//! A database with rows written by hand, or with damaged pages. The bytes say how the cells of a small book are changed; then every
//! query is run on it.

use super::sql::small_book;
use arbitrary::{Result, Unstructured};
use obook::check::{FindingKind, Verification, verify};
use obook::read::line::{BestLines, Choice};
use obook::read::view::View;
use obook::write::edit::{Edit, edit};
use obook::write::export::{ExportOptions, Exported, Input, Output, export};
use obook::write::fix::{Steps, recompute};
use obook::write::repair::repair;
use obook::{Book, Context, IfExists, Lookup, Store, restore};
use obook_converters::Format;
use obook_graph::mapping::Loss;
use obook_othello::{Board, Line, Symmetry};
use rusqlite::types::Value;
use rusqlite::{Connection, ToSql};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tempfile::TempDir;

/// A small book with a change to undo.
static BOOK: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.obook");
    small_book(&path);
    let steps = Steps::Fix { rules: None };
    recompute(
        &mut Store::open_for_writing(&path, &Context::new("fix")).unwrap(),
        steps,
    )
    .unwrap();
    edit(
        &mut Store::open_for_writing(&path, &Context::new("edit")).unwrap(),
        &Line::new(),
        Edit::Enter(3),
    )
    .unwrap();
    let connection = Connection::open(&path).unwrap();
    connection
        .pragma_update(None, "journal_mode", "delete")
        .unwrap();
    drop_views(&connection);
    connection.execute_batch("VACUUM").unwrap();
    drop(connection);
    std::fs::read(path).unwrap()
});

/// Removes the views, which nothing here reads: SQLite parses the whole schema whenever it opens a database.
pub(crate) fn drop_views(connection: &Connection) {
    let views = obook::view_names().map(|view| format!("DROP VIEW {view};"));
    let statements = format!("BEGIN; {} COMMIT", views.collect::<String>());
    connection.execute_batch(&statements).unwrap();
}

/// The database to change.
#[cfg(test)]
pub(crate) fn database() -> &'static [u8] {
    &BOOK
}

/// Tables, each with a column that distinguishes its rows well enough.
const TABLES: [(&str, &str); 10] = [
    ("positions", "board"),
    ("links", "board"),
    ("leaves", "board"),
    ("todo", "board"),
    ("accuracy", "board"),
    ("book", "id"),
    ("engines", "engine"),
    ("sources", "id"),
    ("history", "id"),
    ("undo", "part"),
];

/// A table's columns, with their types.
type Columns = Vec<(String, String)>;

/// The book, which is opened once: that takes longer than most questions. Each check begins with the rows of [`BOOK`].
struct Desk {
    folder: TempDir,
    /// Changes cells and rows as no program of ours would.
    pen: Pen,
    columns: Vec<Columns>,
    book: Opened,
}

/// A connection to a database that brings back all rows that it had at first.
pub(crate) struct Pen {
    connection: Connection,
    /// How.
    afresh: Vec<String>,
}

impl Pen {
    pub(crate) fn new(path: &Path) -> Pen {
        let connection = Connection::open(path).unwrap();
        // To open the database is to read its log, so that is kept short.
        let settings =
            "PRAGMA journal_mode = wal; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 32;
             ATTACH ':memory:' AS first";
        connection.execute_batch(settings).unwrap();
        connection.set_prepared_statement_cache_capacity(256);
        let mut afresh = Vec::new();
        for table in names(&connection) {
            let copy = format!("CREATE TABLE first.{table} AS SELECT * FROM main.{table}");
            connection.execute_batch(&copy).unwrap();
            afresh.push(format!("DELETE FROM main.{table}"));
            afresh.push(format!(
                "INSERT INTO main.{table} SELECT * FROM first.{table}"
            ));
        }
        Pen { connection, afresh }
    }

    /// Begins a change with the rows of the beginning.
    pub(crate) fn begin(&self) -> &Connection {
        self.connection.execute_batch("BEGIN").unwrap();
        for sql in &self.afresh {
            let mut statement = self.connection.prepare_cached(sql).unwrap();
            statement.execute([]).unwrap();
        }
        &self.connection
    }

    pub(crate) fn commit(&self) {
        self.connection.execute_batch("COMMIT").unwrap();
    }
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::new(Desk::new());
}

pub(crate) fn check(bytes: &[u8]) {
    DESK.with_borrow_mut(|desk| desk.check(&mut Unstructured::new(bytes)));
}

impl Desk {
    fn new() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        std::fs::write(&path, &*BOOK).unwrap();
        let pen = Pen::new(&path);
        let freely = "PRAGMA ignore_check_constraints = ON";
        pen.connection.execute_batch(freely).unwrap();
        let columns = TABLES
            .map(|(table, _)| columns(&pen.connection, table))
            .into();
        let book = Opened::open(&path).unwrap();
        Desk {
            folder,
            pen,
            columns,
            book,
        }
    }

    fn check(&mut self, bytes: &mut Unstructured<'_>) {
        let longer = bytes.arbitrary().unwrap_or_default();
        let pen = self.pen.begin();
        for _ in 0..12 {
            if bytes.is_empty() || self.rewrite(pen, bytes).is_err() {
                break;
            }
        }
        self.pen.commit();
        let folder = tempfile::tempdir_in(self.folder.path()).unwrap();
        if bytes.is_empty() || bytes.arbitrary().unwrap_or(true) {
            return self.book.ask(folder.path(), longer, false);
        }
        let path = folder.path().join("book.obook");
        let sql = "VACUUM main INTO ?";
        pen.execute(sql, [path.to_str().unwrap()]).unwrap();
        let rotten = rot(&path, bytes).is_ok();
        if let Some(mut book) = Opened::open(&path) {
            book.ask(folder.path(), longer, rotten);
        }
    }

    /// Writes a cell or a row, unless SQLite refuses.
    fn rewrite(&self, pen: &Connection, bytes: &mut Unstructured<'_>) -> Result<()> {
        let chosen = bytes.choose_index(TABLES.len())?;
        let (table, key) = TABLES[chosen];
        let columns = &self.columns[chosen];
        let nth = bytes.arbitrary::<u8>()?;
        let row = format!("{key} = (SELECT {key} FROM {table} LIMIT 1 OFFSET ?1)");
        let run = |sql: &str, values: &[&dyn ToSql]| {
            let mut statement = pen.prepare_cached(sql).unwrap();
            let _ = statement.execute(values);
        };
        match bytes.int_in_range(0..=5u8)? {
            0 | 1 => {
                let (column, kind) = bytes.choose(columns)?;
                let value = cell(bytes, kind)?;
                let sql = format!("UPDATE OR IGNORE {table} SET {column} = ?2 WHERE {row}");
                run(&sql, &[&nth, &value]);
            }
            2 => run(&format!("DELETE FROM {table} WHERE {row}"), &[&nth]),
            3 => {
                let mut values = Vec::new();
                for (_, kind) in columns {
                    values.push(cell(bytes, kind)?);
                }
                let places = vec!["?"; columns.len()].join(", ");
                let values: Vec<&dyn ToSql> = values.iter().map(|it| it as _).collect();
                let sql = format!("INSERT OR IGNORE INTO {table} VALUES ({places})");
                run(&sql, &values);
            }
            4 => {
                // A move of some position.
                let (mv, score) = (bytes.int_in_range(-1..=66)?, bytes.int_in_range(-66..=66)?);
                let leaf = bytes.arbitrary()?;
                let sql = if leaf {
                    "REPLACE INTO leaves SELECT board, ?2, ?3, 21, 1 FROM positions LIMIT 1 OFFSET ?1"
                } else {
                    "REPLACE INTO links SELECT board, ?2, ?3 FROM positions LIMIT 1 OFFSET ?1"
                };
                let (mv, score): (i64, i64) = (mv, score);
                run(sql, &[&nth, &mv, &score]);
            }
            _ => log(pen, nth, bytes)?,
        }
        Ok(())
    }
}

/// The tables of a database.
fn names(connection: &Connection) -> Vec<String> {
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'";
    let mut statement = connection.prepare(sql).unwrap();
    let names = statement.query_map([], |row| row.get(0)).unwrap();
    names.map(rusqlite::Result::unwrap).collect()
}

/// Changes the contents of a part of the undo log, which is compressed.
fn log(connection: &Connection, nth: u8, bytes: &mut Unstructured<'_>) -> Result<()> {
    let sql = "SELECT part, data FROM undo LIMIT 1 OFFSET ?";
    let part = connection.query_row(sql, [nth % 4], |row| Ok((row.get(0)?, row.get(1)?)));
    let Ok((part, data)): rusqlite::Result<(i64, Vec<u8>)> = part else {
        return Ok(());
    };
    let Ok(mut data) = zstd::bulk::decompress(&data, 1 << 20) else {
        return Ok(());
    };
    for _ in 0..bytes.int_in_range(1..=3)? {
        let at = bytes.int_in_range(0..=data.len())?;
        let rest = data.split_off(at);
        match bytes.int_in_range(0..=2u8)? {
            0 => data.extend(rest.iter().skip(1)),
            1 => {
                data.push(bytes.arbitrary()?);
                data.extend(rest.iter().skip(1));
            }
            _ => {
                data.push(bytes.arbitrary()?);
                data.extend(rest);
            }
        }
    }
    let data = zstd::encode_all(&*data, 1).unwrap();
    connection
        .execute("UPDATE undo SET data = ? WHERE part = ?", (data, part))
        .unwrap();
    Ok(())
}

/// The columns of a table, with their types.
fn columns(connection: &Connection, table: &str) -> Columns {
    let sql = "SELECT name, type FROM pragma_table_info(?)";
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)));
    columns.unwrap().map(rusqlite::Result::unwrap).collect()
}

/// A cell of a column's type, sensible or not.
fn cell(bytes: &mut Unstructured<'_>, kind: &str) -> Result<Value> {
    if bytes.ratio(1, 8)? {
        return Ok(Value::Null);
    }
    Ok(match kind {
        "INTEGER" if bytes.ratio(1, 4)? => Value::Integer(bytes.arbitrary()?),
        "INTEGER" => Value::Integer(bytes.int_in_range(-130..=130)?),
        "TEXT" => Value::Text(bytes.arbitrary::<&str>()?.to_owned()),
        _ if bytes.ratio(1, 4)? => Value::Blob(bytes.arbitrary::<&[u8]>()?.to_vec()),
        _ => {
            let board = super::made::line(bytes, 12)?.board();
            let image = bytes
                .choose(&Symmetry::ALL)?
                .board(board.canonical().board());
            let image = [image.player(), image.opponent()].map(u64::to_be_bytes);
            Value::Blob(image.concat())
        }
    })
}

/// Changes bytes of the file.
fn rot(path: &Path, bytes: &mut Unstructured<'_>) -> Result<()> {
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    let end = file.metadata().unwrap().len() - 1;
    for _ in 0..bytes.int_in_range(1..=8)? {
        let at = bytes.int_in_range(0..=end)?;
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(&[bytes.arbitrary()?]).unwrap();
    }
    Ok(())
}

/// A database, open for reading, and for writing once that is needed.
struct Opened {
    path: PathBuf,
    /// `None` while it is looked up.
    book: Option<Book>,
    writer: Option<Store>,
}

impl Opened {
    /// `None`: it is refused.
    fn open(path: &Path) -> Option<Opened> {
        Some(Opened {
            path: path.to_owned(),
            book: Some(Book::open(path, &Context::default()).ok()?),
            writer: None,
        })
    }

    fn writer(&mut self) -> Option<&mut Store> {
        if self.writer.is_none() {
            self.writer = Store::open_for_writing(&self.path, &Context::new("test")).ok();
        }
        self.writer.as_mut()
    }

    /// Verifies the book, looks things up, and runs one of the longer queries.
    fn ask(&mut self, folder: &Path, longer: u8, rotten: bool) {
        let book = self.book.take().expect("it is open");
        let report = verify(&book, 2, &Context::default());
        let _ = View::of(&book, Line::new());
        let _ = book.header();
        let lookup = Lookup::new(book, &Context::default()).unwrap();
        let look = |sql: &str| {
            if let Lookup::Database(store) = &lookup {
                let _ = store.connection().execute_batch(sql);
            }
        };
        // Without it, each look-up would lock and unlock the file.
        look("BEGIN");
        let _ = lookup.position(Board::START.canonical());
        let lines = BestLines::new(&lookup, Line::new(), 70, Choice::First);
        lines.take(3).for_each(drop);
        look("COMMIT");
        let Lookup::Database(store) = lookup else {
            unreachable!("it is a database");
        };
        match (longer % 8, &report) {
            (1, _) => snapshots(&store, folder, rotten),
            (4.., Ok(report)) => {
                let format = Format::WRITTEN[usize::from(longer % 8) % Format::WRITTEN.len()];
                exports(&self.path, folder, format, report, rotten);
            }
            _ => {}
        }
        self.book = Some(Book::Database(store));
        match (longer % 8, report) {
            (0, _) => self.undoes(),
            (2 | 3, Ok(report)) => self.mends(&report, rotten),
            _ => {}
        }
    }

    /// Checks that a fix reports what it leaves, and that a second one has nothing to do.
    fn mends(&mut self, report: &Verification, rotten: bool) {
        let Some(Ok(fixed)) = self.writer().map(|store| repair(store, 2)) else {
            return;
        };
        if rotten {
            return;
        }
        assert_eq!(fixed.before, *report);
        // Numbers can be computed only by known rules.
        let knows_rules = !fixed
            .left
            .iter()
            .any(|group| group.kind == FindingKind::Header);
        let needs_no_search = |kind| match kind {
            FindingKind::MissingLink
            | FindingKind::Overlap
            | FindingKind::NotCanonical
            | FindingKind::Orphan
            | FindingKind::IllegalMove => true,
            FindingKind::LinkScore
            | FindingKind::Value
            | FindingKind::Bounds
            | FindingKind::Lines => knows_rules,
            _ => false,
        };
        let left = fixed.left.iter().find(|group| needs_no_search(group.kind));
        assert!(left.is_none(), "{left:?}");
        let again = repair(self.writer().unwrap(), 2).unwrap();
        assert_eq!(again.changed, Some(0));
        assert_eq!(again.before.findings, fixed.left);
    }

    /// Checks that changes are undone as far as the log makes sense, each completely or not at all.
    fn undoes(&mut self) {
        let Some(store) = self.writer() else {
            return;
        };
        for _ in 0..4 {
            let before = contents(store.connection());
            if store.undo().is_err() {
                let mut after = contents(store.connection());
                // A damaged page may be read or not, depending on what was read before.
                after.retain(|table, _| before[table].is_ok());
                let readable = before.into_iter().filter(|(_, rows)| rows.is_ok());
                assert_eq!(after, readable.collect());
                return;
            }
        }
    }
}

/// Checks that a snapshot can be restored.
fn snapshots(store: &Store, folder: &Path, rotten: bool) {
    let _ = store.history();
    let snapshot = folder.join("snapshot.zst");
    if store.save_snapshot(&snapshot, 3, IfExists::Refuse).is_ok() {
        let restored = folder.join("restored.obook");
        let restored = restore(&snapshot, &restored, IfExists::Refuse, &Context::default());
        assert!(rotten || restored.is_ok(), "{restored:?}");
    }
}

/// Checks that a sound book stays sound when exported for an engine.
fn exports(path: &Path, folder: &Path, format: Format, report: &Verification, rotten: bool) {
    let input = Input::open(path, None, &Context::default()).expect("it was opened before");
    let file = folder.join(format!("exported.{}", format.extension()));
    let output = Output::File(file.clone(), IfExists::Refuse);
    let exported = export(
        input,
        &output,
        &ExportOptions::new(format),
        &Context::default(),
    );
    assert_eq!(file.exists(), exported.is_ok());
    // Simpler formats turn leaves into positions, which may disagree with other leaves and with positions that they lead to.
    let disagree = [Loss::LeafScores, Loss::Transpositions];
    let is_sound = |exported: &Exported| disagree.map(|loss| exported.losses.of(loss)) == [0, 0];
    if rotten || !report.is_sound() || !exported.as_ref().is_ok_and(is_sound) {
        return;
    }
    let written = verify(
        &Book::open(&file, &Context::default()).unwrap(),
        2,
        &Context::default(),
    )
    .unwrap();
    let findings = (&report.findings, &written.findings);
    assert!(written.is_sound(), "{format} of {exported:?}: {findings:?}");
}

/// The rows of each table, or why it can't be read.
pub(crate) type Contents = BTreeMap<&'static str, std::result::Result<Vec<String>, String>>;

/// All rows of all tables.
pub(crate) fn contents(connection: &Connection) -> Contents {
    let rows = |table: &str| {
        let mut statement = connection.prepare_cached(&format!("SELECT * FROM {table}"))?;
        let width = statement.column_count();
        let cells = |row: &rusqlite::Row<'_>| -> rusqlite::Result<String> {
            let cells = (0..width).map(|at| row.get_ref(at));
            Ok(format!(
                "{:?}",
                cells.collect::<rusqlite::Result<Vec<_>>>()?
            ))
        };
        let rows = statement.query_map([], cells)?;
        rows.collect::<rusqlite::Result<Vec<String>>>()
    };
    let tables = TABLES.iter().map(|(table, _)| *table);
    tables
        .map(|table| (table, rows(table).map_err(|error| error.to_string())))
        .collect()
}
