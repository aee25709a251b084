//! A database as a lake, which is a folder of Parquet files, and back.

use super::{OTHELLO, Store};
use crate::{AtomicFolder, Error, FolderContent, IfExists, NewBook, Result, SCHEMA_VERSION};
use obook_base::sql::Answer;
use obook_base::sqlite::{BulkInsert, all_rows};
use obook_base::{Progress, hex, locked};
use obook_lake_files::{
    Column, ColumnType, FILE, FORMAT, Lake, Manifest, Partition, SCRIPT, Shape, TableEntry,
    TableWriter, Value,
};
pub use obook_lake_files::{Error as LakeError, Limits as LakeLimits};
use obook_othello::{Board, CanonicalBoard, Engine, Move};
use rayon::prelude::*;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Mutex;

/// A lake that was written or read.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct LakeReport {
    /// Rows by table, without empty tables.
    pub rows: BTreeMap<String, u64>,
    /// The number of files.
    pub files: usize,
    /// Their size, in bytes.
    pub bytes: u64,
    /// The tables and views that were left out; see [`Store::outside_lakes`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl LakeReport {
    fn of(manifest: &Manifest, left_out: Vec<String>) -> LakeReport {
        let rows = manifest.tables.iter().filter(|table| table.rows > 0);
        let rows = rows.map(|table| (table.shape.name.clone(), table.rows));
        LakeReport {
            rows: rows.collect(),
            files: manifest.tables.iter().map(|table| table.files.len()).sum(),
            bytes: manifest.bytes(),
            left_out,
        }
    }
}

/// The tables of the current schema that a lake has, with what can be derived. A lake lacks the undo log, and the numbers of rows.
fn shapes() -> Vec<Shape> {
    let read = || {
        let connection = OTHELLO.in_memory()?;
        let mut select = connection.prepare(
            r"SELECT t.name, c.name, c.type, c.pk
              FROM pragma_table_list AS t CROSS JOIN pragma_table_info(t.name) AS c
              WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
                    AND t.name NOT IN ('undo', 'row_counts')
              ORDER BY t.name, c.cid",
        )?;
        let mut rows = select.query([])?;
        let mut shapes: Vec<Shape> = Vec::new();
        while let Some(row) = rows.next()? {
            let name: String = row.get(0)?;
            let column = Column {
                name: row.get(1)?,
                kind: match &*row.get::<_, String>(2)? {
                    "INTEGER" => ColumnType::Integer,
                    "REAL" => ColumnType::Real,
                    "TEXT" => ColumnType::Text,
                    _ => ColumnType::Key,
                },
                derived: false,
            };
            if shapes.last().is_none_or(|shape| shape.name != name) {
                let partition = match (&*name, column.kind) {
                    (_, ColumnType::Key) => Some(Partition::Layer),
                    ("games", _) => Some(Partition::Year),
                    _ => None,
                };
                shapes.push(Shape {
                    name,
                    partition,
                    columns: Vec::new(),
                    key: 0,
                });
            }
            let shape = shapes.last_mut().expect("it was pushed");
            // Primary keys are the first columns of all tables.
            shape.key += usize::from(row.get::<_, i64>(3)? > 0);
            shape.columns.push(column);
        }
        Ok::<_, rusqlite::Error>(shapes)
    };
    let mut shapes = read().expect("the schema creates tables in memory");
    let links = shapes.iter_mut().find(|shape| shape.name == "links");
    links.expect("the schema has it").columns.push(Column {
        name: "child".to_owned(),
        kind: ColumnType::Key,
        derived: true,
    });
    shapes
}

/// The files of a lake.
const LAKE: FolderContent = FolderContent {
    name: "a lake",
    has: |path| {
        let is_table = path.extension().is_some_and(|it| it == "parquet");
        is_table || [FILE, SCRIPT].iter().any(|name| path == Path::new(name))
    },
};

/// The columns that a database has.
fn stored(shape: &Shape) -> Vec<&str> {
    let stored = shape.columns.iter().filter(|column| !column.derived);
    stored.map(|column| &*column.name).collect()
}

impl Store {
    /// The tables and views that a lake can't hold, since they are not part of the schema: each as its kind and name.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be read.
    pub fn outside_lakes(&self) -> Result<Vec<String>> {
        let objects = |connection: &Connection| {
            let sql = r"SELECT type || ' ' || name FROM main.sqlite_schema
                        WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name";
            all_rows::<String, Vec<_>>(connection, sql, [], |row| row.get(0))
        };
        let known = OTHELLO.in_memory().and_then(|schema| objects(&schema));
        let known = known.expect("the schema creates tables in memory");
        let mut found = self.read(objects)?;
        found.retain(|object| !known.contains(object));
        Ok(found)
    }

    /// Writes all tables of the schema to a folder of their own, as one state of the database has them. The undo log stays behind, and
    /// so does what the report names.
    ///
    /// # Errors
    /// As [`AtomicFolder`]; [`StoreError::Sqlite`](crate::StoreError::Sqlite) if the database can't be read, [`StoreError::BadRow`](crate::StoreError::BadRow) if a row's key is none. No folder
    /// is left behind.
    pub fn write_lake(
        &self,
        target: &Path,
        if_exists: IfExists,
        limits: LakeLimits,
    ) -> Result<LakeReport> {
        let folder = AtomicFolder::create(target, LAKE, if_exists, self.context())?;
        let path = &folder.path();
        let progress = self.context().progress();
        progress.step("writing", Some(self.estimated_positions()?));
        let mut transactions = self.read_transactions()?;
        let structure = transactions.check_structure();
        let mut shapes = shapes();
        // The largest tables come first, so that threads end together.
        let order = ["positions", "played", "links", "leaves"];
        let place = |shape: &Shape| order.iter().position(|name| *name == shape.name);
        shapes.sort_by_key(|shape| place(shape).unwrap_or(order.len()));
        let waiting = &Mutex::new(shapes.into_iter());
        let stores: Vec<_> = transactions.stores().collect();
        let tables = stores.into_par_iter().map(|store| {
            let next = || locked(waiting).next();
            let write = |shape| write_table(store, shape, path, limits, progress);
            let written = std::iter::from_fn(next).map(write);
            written.collect::<Result<Vec<_>>>()
        });
        let tables = tables.collect::<Result<Vec<_>>>();
        // If the pages are damaged, that explains bad rows.
        structure.end()?;
        let mut tables: Vec<TableEntry> = tables?.into_iter().flatten().collect();
        tables.sort_by(|one, other| one.shape.name.cmp(&other.shape.name));
        let manifest = Manifest {
            format: FORMAT,
            obook: env!("CARGO_PKG_VERSION").to_owned(),
            schema: SCHEMA_VERSION,
            tables,
        };
        manifest.write(path)?;
        let script = path.join(SCRIPT);
        std::fs::write(&script, manifest.duckdb(OTHELLO.views()))
            .map_err(Error::io(&script, "write"))?;
        let left_out = self.outside_lakes()?;
        folder.commit()?;
        Ok(LakeReport::of(&manifest, left_out))
    }
}

/// Writes a table.
fn write_table(
    store: &obook_store::Store,
    shape: Shape,
    folder: &Path,
    limits: LakeLimits,
    progress: &Progress,
) -> Result<TableEntry> {
    let (table, columns) = (shape.name.clone(), stored(&shape));
    let (key, columns) = (columns[..shape.key].join(", "), columns.join(", "));
    let sql = format!("SELECT {columns} FROM {table} ORDER BY {key}");
    let has_child = shape.columns.iter().any(|column| column.derived);
    let counts = table == "positions";
    let kinds: Vec<ColumnType> = shape.columns.iter().map(|column| column.kind).collect();
    let stored = kinds.len() - usize::from(has_child);
    let mut writer = TableWriter::new(folder, shape, limits)?;
    let failed = || store.failed("read");
    let bad_row = |row: &Row<'_>, problem| Error::bad_row(store.path(), describe(row), problem);
    let mut select = store.connection().prepare(&sql).map_err(failed())?;
    let mut rows = select.query([]).map_err(failed())?;
    while let Some(row) = rows.next().map_err(failed())? {
        let mut values = [Value::Null; WIDEST];
        for (place, kind) in kinds[..stored].iter().enumerate() {
            let value = value(row.get_ref(place).map_err(failed())?, *kind);
            values[place] =
                value.map_err(|problem| bad_row(row, format!("table {table}, {problem}")))?;
        }
        let child = has_child.then(|| child(&values)).flatten();
        if let Some(child) = &child {
            values[stored] = Value::Blob(child);
        }
        let pushed = writer.push(&values[..kinds.len()]);
        pushed.map_err(|error| match error {
            LakeError::Row { problem } => bad_row(row, format!("table {table}: {problem}")),
            error => error.into(),
        })?;
        if counts {
            progress.advance(1);
        }
    }
    Ok(writer.finish()?)
}

/// The most columns that a table has.
const WIDEST: usize = 20;

/// A value of a row, or what is there instead.
fn value(found: ValueRef<'_>, kind: ColumnType) -> Result<Value<'_>, String> {
    match (kind, found) {
        (_, ValueRef::Null) => Ok(Value::Null),
        (ColumnType::Integer, ValueRef::Integer(value)) => Ok(Value::Integer(value)),
        (ColumnType::Real, ValueRef::Real(value)) => Ok(Value::Real(value)),
        (ColumnType::Text, ValueRef::Text(text)) => match str::from_utf8(text) {
            Ok(_) => Ok(Value::Text(text)),
            Err(_) => Err("a text is not UTF-8".to_owned()),
        },
        (ColumnType::Key, ValueRef::Blob(bytes)) => match bytes.len() {
            16 => Ok(Value::Blob(bytes)),
            length => Err(format!("a key has {length} bytes: expected 16")),
        },
        (kind, found) => Err(format!(
            "a value is {:?}: expected {kind:?}",
            found.data_type()
        )),
    }
}

/// The key of a row, for messages.
fn describe(row: &Row<'_>) -> String {
    match row.get_ref(0) {
        Ok(ValueRef::Blob(bytes)) => hex(bytes),
        Ok(ValueRef::Integer(number)) => number.to_string(),
        _ => "?".to_owned(),
    }
}

/// The position that a link leads to: `None` if the move isn't one.
fn child(link: &[Value<'_>]) -> Option<[u8; 16]> {
    let [Value::Blob(board), Value::Integer(mv), ..] = link else {
        return None;
    };
    let key: [u8; 16] = (*board).try_into().ok()?;
    let board: Board = CanonicalBoard::from_key(key).ok()??.board();
    let child = board.play(Move::from_code(u8::try_from(*mv).ok()?)?)?;
    Some(child.canonical().to_key())
}

/// Makes a database of a lake, with the same rows in all tables. Earlier changes can no longer be undone.
///
/// # Errors
/// [`Error::Lake`] if the folder is damaged or has files of another lake, [`StoreError::Unfit`](crate::StoreError::Unfit) if it has other tables than this version's
/// databases, and as [`NewBook`]. No database is left behind.
pub fn restore_lake(
    folder: &Path,
    path: &Path,
    if_exists: IfExists,
    context: &crate::Context,
) -> Result<LakeReport> {
    let lake = Lake::open(folder, context.memory())?;
    let manifest = lake.manifest();
    if manifest.schema != SCHEMA_VERSION {
        return Err(Error::OtherLake {
            path: folder.to_owned(),
            found: manifest.schema,
            expected: SCHEMA_VERSION,
        });
    }
    let shapes = shapes();
    let same = manifest.tables.iter().map(|table| &table.shape).eq(&shapes);
    if !same {
        return Err(Error::unfit(folder, "its tables are not those of a book"));
    }
    let database = NewBook::create(path, if_exists, context)?;
    let progress = context.progress();
    let rows = manifest.tables.iter().map(|table| table.rows).sum();
    progress.step("reading", Some(rows));
    let connection = database.connection();
    let failed = || Error::sqlite(path, "write");
    for table in &manifest.tables {
        // The schema has rows for the engines.
        let empty = format!("DELETE FROM {}", table.shape.name);
        connection.execute(&empty, []).map_err(failed())?;
        fill(connection, &lake, table, path, progress)?;
    }
    let dropped = "UPDATE history SET log = 'dropped' WHERE log = 'kept'";
    connection.execute(dropped, []).map_err(failed())?;
    let report = LakeReport::of(manifest, Vec::new());
    database.commit(&report.rows)?;
    Ok(report)
}

const SCORES: RangeInclusive<i64> = -64..=64;

/// Tells whether a number can be in a column, and says for messages which numbers can.
type Possible = (Box<dyn Fn(i64) -> bool>, String);

/// The possible numbers in a column, as in a file of a book; `None`: anything.
fn possible(table: &str, column: &str) -> Option<Possible> {
    let range = match (table, column) {
        (table, "engine" | "prover") if table != "engines" => {
            let words = "1 to 255, or the number of someone's own engine".to_owned();
            return Some((Box::new(|it| Engine::from_number(it).is_some()), words));
        }
        ("positions", "empties") => 0..=60,
        ("positions", "value" | "proven_lower" | "proven_upper") => SCORES,
        ("positions", "lower" | "upper") => -i64::from(i16::MAX)..=i16::MAX.into(),
        ("positions" | "leaves" | "todo" | "tasks", "level") => 0..=u8::MAX.into(),
        ("positions", "wins" | "draws" | "losses" | "lines") => 0..=u32::MAX.into(),
        ("links" | "leaves" | "todo", "move") => 0..=64,
        ("links" | "leaves" | "todo", "score") => SCORES,
        _ => return None,
    };
    let words = format!("{} to {}", range.start(), range.end());
    Some((Box::new(move |it: i64| range.contains(&it)), words))
}

/// Writes the rows of a table.
fn fill(
    connection: &Connection,
    lake: &Lake,
    table: &TableEntry,
    path: &Path,
    progress: &Progress,
) -> Result<()> {
    let failed = || Error::sqlite(path, "write");
    let (name, columns) = (&table.shape.name, stored(&table.shape));
    let possible = columns.iter().map(|column| possible(name, column));
    let possible: Vec<Option<Possible>> = possible.collect();
    let mut insert = BulkInsert::new(connection, name, &columns).map_err(failed())?;
    let mut rows = lake.rows(table)?;
    for _ in 0..table.rows {
        if !rows.advance()? {
            let problem = format!("table {name} ends before its last row");
            return Err(Error::unfit(lake.folder(), problem));
        }
        for (place, possible) in possible.iter().enumerate() {
            if let (Value::Integer(found), Some((can_be, words))) = (rows.value(place), possible)
                && !can_be(found)
            {
                let column = columns[place];
                let problem =
                    format!("{column} is {found} in a row of table {name}: expected {words}");
                return Err(Error::unfit(lake.folder(), problem));
            }
        }
        let cells = (0..columns.len()).map(|place| cell(rows.value(place)));
        insert.push(cells).map_err(failed())?;
        progress.advance(1);
    }
    insert.finish().map_err(failed())
}

/// A value for SQLite.
fn cell(value: Value<'_>) -> Answer<'static> {
    match value {
        Value::Null => Answer::Null,
        Value::Integer(value) => value.into(),
        Value::Real(value) => value.into(),
        Value::Text(value) => String::from_utf8_lossy(value).into_owned().into(),
        Value::Blob(key) => Answer::Key(key.try_into().expect("a lake's keys have 16 bytes")),
    }
}
