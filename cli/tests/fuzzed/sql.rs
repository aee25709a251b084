//! SQL written by strangers. The first byte says what the rest is: statements, or one of obook's functions or tables with
//! arguments. Behind the guard of `query` and `shell`, nothing is written, even to a writable book.

use super::books::said;
use arbitrary::{Result, Unstructured};
use obook::guard::{Access, Guard};
use obook::{Book, Context, Store};
use obook_testing::imported::import_file;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::limits::Limit;
use rusqlite::types::Value;
use rusqlite::{Batch, Connection, params_from_iter};
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use tempfile::TempDir;

/// The number of thousands of SQLite's steps after which a statement is stopped, as with `--timeout`.
const PATIENCE: u32 = 200;
/// The maximum length of a value in bytes. SQL by itself may create gigabytes, which isn't a function's fault.
const LONGEST: i32 = 1 << 16;
/// The number of rows of an answer to look at.
const ROWS: usize = 1000;

/// A book to query.
struct Asked {
    _folder: TempDir,
    path: PathBuf,
    /// The contents of its files.
    contents: Vec<u8>,
    store: Store,
    guard: Guard,
    steps: Arc<AtomicU32>,
    /// obook's functions with their numbers of arguments (−1 for any), and its tables.
    functions: Vec<(String, i8)>,
    tables: Vec<(String, i8)>,
}

thread_local! {
    static ASKED: RefCell<Asked> = RefCell::new(Asked::new());
}

pub(crate) fn check(bytes: &[u8]) {
    let Some((choice, rest)) = bytes.split_first() else {
        return;
    };
    ASKED.with_borrow(|asked| {
        asked.steps.store(0, Relaxed);
        let armed = asked.guard.arm();
        if choice % 2 == 0 {
            asked.statements(&String::from_utf8_lossy(rest));
        } else {
            // If the bytes end early, there is nothing to run.
            let _ = asked.call(&mut Unstructured::new(rest));
        }
        drop(armed);
        asked.nothing_was_written();
    });
}

impl Asked {
    fn new() -> Asked {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        small_book(&path);
        let mut store = Book::open_for_writing(&path, &Context::default()).unwrap();
        let connection = store.connection_mut();
        connection
            .set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST)
            .unwrap();
        let steps = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&steps);
        let stop = move || counted.fetch_add(1, Relaxed) > PATIENCE;
        connection.progress_handler(1000, Some(stop)).unwrap();
        let plain = Connection::open_in_memory().unwrap();
        let new = |list: &str| {
            let known = names(&plain, list);
            let mut names = names(connection, list);
            names.retain(|name| !known.contains(name) && !name.0.starts_with("pragma_"));
            names
        };
        let functions = new("name, narg FROM pragma_function_list");
        let tables = new("name, -1 FROM pragma_module_list");
        assert!(
            functions.len() > 5 && tables.len() > 5,
            "{functions:?} {tables:?}"
        );
        let guard = Guard::install(connection, Access::Read).unwrap();
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // This is how rusqlite refuses names that aren't UTF-8.
            let place = panic.location().map_or("", std::panic::Location::file);
            if !(place.contains("rusqlite") && place.ends_with("hooks/mod.rs")) {
                hook(panic);
            }
        }));
        let mut asked = Asked {
            _folder: folder,
            path,
            contents: Vec::new(),
            store,
            guard,
            steps,
            functions,
            tables,
        };
        asked.contents = asked.read();
        asked
    }

    /// Runs statements one by one, as far as they are valid.
    fn statements(&self, sql: &str) {
        let connection = self.store.connection();
        let mut batch = Batch::new(connection, sql);
        loop {
            match batch.next() {
                Ok(Some(mut statement)) => {
                    let nulls = vec![Value::Null; statement.parameter_count()];
                    let _ = answer(&mut statement, nulls);
                }
                Ok(None) => return,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    return;
                }
            }
        }
    }

    /// Calls a function with arguments of any type. The same arguments must give the same answer.
    fn call(&self, bytes: &mut Unstructured<'_>) -> Result<()> {
        let is_table = bytes.arbitrary()?;
        let names = if is_table {
            &self.tables
        } else {
            &self.functions
        };
        let (name, count) = bytes.choose(names)?;
        let count = match count {
            -1 => bytes.int_in_range(0..=3)?,
            count => *count,
        };
        let mut arguments = Vec::new();
        for _ in 0..count {
            arguments.push(value(bytes)?);
        }
        let places = vec!["?"; arguments.len()].join(", ");
        let sql = if is_table {
            format!("SELECT * FROM {name}({places})")
        } else {
            format!("SELECT {name}({places})")
        };
        let connection = self.store.connection();
        let ask = || {
            let mut statement = connection.prepare(&sql)?;
            answer(&mut statement, arguments.clone())
        };
        let answers = [ask(), ask()];
        // A file that can't be opened is named as typed.
        if let (Err(rusqlite::Error::SqliteFailure(_, Some(message))), false) =
            (&answers[0], is_table)
        {
            said(message);
        }
        let [one, other] = answers.map(|answer| format!("{answer:?}"));
        assert!(
            one == other || self.steps.load(Relaxed) > PATIENCE,
            "{sql}: {one} and {other}"
        );
        Ok(())
    }

    fn read(&self) -> Vec<u8> {
        let mut contents = Vec::new();
        for name in ["book.obook", "book.obook-wal", "book.obook-journal"] {
            let file = self.path.with_file_name(name);
            contents.extend(std::fs::read(file).unwrap_or_default());
        }
        contents
    }

    fn nothing_was_written(&self) {
        let connection = self.store.connection();
        assert_eq!(connection.total_changes(), 0);
        assert!(connection.is_autocommit());
        assert!(self.read() == self.contents, "the book has changed");
        let folder = self.path.parent().unwrap();
        for file in std::fs::read_dir(folder).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            assert!(name.starts_with("book.obook"), "{name} was made");
        }
    }
}

/// The rows of an answer.
fn answer(
    statement: &mut rusqlite::Statement<'_>,
    arguments: Vec<Value>,
) -> rusqlite::Result<Vec<Value>> {
    let columns = statement.column_count();
    let mut rows = statement.query(params_from_iter(arguments))?;
    let mut values = Vec::new();
    for _ in 0..ROWS {
        let Some(row) = rows.next()? else { break };
        for column in 0..columns {
            // Text in other encodings isn't text.
            if let Ok(value) = row.get::<_, Value>(column) {
                values.push(value);
            }
        }
        if values.len() > 10 * ROWS {
            break;
        }
    }
    Ok(values)
}

/// A value of any type, often one that functions accept.
fn value(bytes: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match bytes.int_in_range(0..=7u8)? {
        0 => Value::Null,
        1 => Value::Integer(bytes.arbitrary()?),
        2 => Value::Integer(bytes.int_in_range(-2..=130)?),
        3 => Value::Real(bytes.arbitrary()?),
        4 => Value::Text(super::made::line(bytes, 20)?.to_string()),
        5 => {
            let board = super::made::line(bytes, 20)?.board();
            Value::Blob(board.canonical().to_key().to_vec())
        }
        6 => Value::Text(bytes.arbitrary::<&str>()?.to_owned()),
        _ => Value::Blob(bytes.arbitrary::<&[u8]>()?.to_vec()),
    })
}

fn names(connection: &Connection, list: &str) -> Vec<(String, i8)> {
    let sql = format!("SELECT DISTINCT {list} ORDER BY name");
    let mut statement = connection.prepare(&sql).unwrap();
    let names = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    names.unwrap().map(rusqlite::Result::unwrap).collect()
}

/// A database of a small golden book.
pub(crate) fn small_book(path: &Path) {
    const BOOK: &[u8] = include_bytes!("../../../tests/data/edax/games.prune.dat");
    let file = path.with_extension("dat");
    std::fs::write(&file, BOOK).unwrap();
    import_file(&file, path, &Context::new("import")).unwrap();
    std::fs::remove_file(file).unwrap();
}
