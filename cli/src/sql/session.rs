//! A book that answers SQL.

use super::names::closest;
use super::params::{self, Params, bare};
use super::problem::{Asked, Problem};
use super::stop::{self, Limit};
use super::streamed::can_be_streamed;
use super::tokens::{self, statements};
use crate::prelude::*;
use obook::guard::{Access, Guard};
use obook::read::book::streamed;
use obook::write::import::into_store;
use obook::{Error, Store, StoreError};
use obook_base::sqlite::value;
use obook_othello::CanonicalBoard;
use obook_sql::answers::{Boards, Format, Screen, Value};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, Statement};
use smallvec::SmallVec;
use std::ffi::OsString;
use std::io::{BufWriter, Seek};
use std::time::Instant;
use tempfile::SpooledTempFile;

/// A book that answers guarded SQL.
#[derive(Debug)]
pub(crate) struct Session {
    /// The book as named. The rows of a book file are in a temporary database, or are read as needed.
    book: PathBuf,
    tables: Tables,
    guard: Guard,
    attached: Vec<Attached>,
}

/// The tables that SQL reads.
#[derive(Debug)]
enum Tables {
    /// A database of Othello.
    Stored(Store),
    /// A database of shogi.
    OfShogi(obook_store::Store),
    /// The tables of a book file, which is read again for each statement.
    Streamed(Connection),
}

impl Tables {
    fn connection(&self) -> &Connection {
        match self {
            Tables::Stored(store) => store.connection(),
            Tables::OfShogi(store) => store.connection(),
            Tables::Streamed(connection) => connection,
        }
    }
}

/// Another book, and its name in SQL.
#[derive(Clone, Debug)]
pub(crate) struct Attach {
    name: String,
    file: PathBuf,
}

/// An attached book with its store, or another program's database, which has none.
type Attached = (Attach, Option<Store>);

/// Reads `NAME=FILE`.
pub(crate) fn attach(text: &str) -> Result<Attach, &'static str> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok(Attach {
            name: name.to_owned(),
            file: file.into(),
        }),
        _ => Err("expected NAME=FILE"),
    }
}

/// How to give an answer.
#[derive(Clone, Debug)]
pub(crate) struct Manner {
    pub(crate) format: Format,
    /// How to show boards; `None`: drawn on a screen with room for all of them, else in hexadecimal digits.
    pub(crate) boards: Option<Boards>,
    /// The terminal that the answer is for; tables keep to its width.
    pub(crate) screen: Option<Screen>,
    pub(crate) params: Params,
    /// Whether the parameters are kept for later statements, so that one needn't use them all.
    pub(crate) may_be_unused: bool,
}

/// The counts and the time of an answer.
#[derive(Debug)]
pub(crate) struct Answered {
    /// The number of rows; `None` if no statement returns rows.
    pub(crate) rows: Option<u64>,
    /// The number of changed rows.
    pub(crate) changed: u64,
    /// Whether the book was changed: rows, or the schema.
    pub(crate) is_change: bool,
    /// How long the statements took, with writing the answer.
    pub(crate) took: Duration,
}

/// SQL, and the file that it comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Script<'a> {
    pub(crate) sql: &'a str,
    pub(crate) file: Option<&'a Path>,
    /// The number of lines before it in the file.
    pub(crate) lines_before: usize,
}

impl<'a> Script<'a> {
    /// SQL that comes from no file.
    pub(crate) fn of(sql: &'a str) -> Script<'a> {
        Script {
            sql,
            file: None,
            lines_before: 0,
        }
    }
}

impl Session {
    /// Opens a book and attaches others to it. `sql` is the script, if there will be only one: if it reads each table of a book file
    /// once and looks nothing up, it is answered straight from the file.
    pub(crate) fn open(
        book: &Path,
        sql: Option<&str>,
        access: Access,
        attach: &[Attach],
        context: &Context,
    ) -> Result<Session, Error> {
        if let Some(sql) = sql
            && access == Access::Read
            && attach.is_empty()
            && let Book::File(file) = Book::open(book, &context::quiet())?
            && can_be_streamed(book, sql)?
        {
            let tables = Tables::Streamed(streamed(&file, context)?);
            return Session::watched(book, tables, access, Vec::new());
        }
        let store = match access {
            Access::Write => Book::open_for_writing(book, &context::quiet())?,
            _ => into_store(Book::open(book, &context::quiet())?, context)?,
        };
        let attached = |it: &Attach| Ok((it.clone(), it.to(&store, context)?));
        let attached = attach.iter().map(attached).collect::<Result<_, Error>>()?;
        Session::watched(book, Tables::Stored(store), access, attached)
    }

    /// A database of any game, which SQL may only read, and nothing beside it.
    pub(crate) fn reading(book: &Path, store: obook_store::Store) -> Result<Session, Error> {
        Session::watched(book, Tables::OfShogi(store), Access::ReadBook, Vec::new())
    }

    fn watched(
        book: &Path,
        mut tables: Tables,
        access: Access,
        attached: Vec<Attached>,
    ) -> Result<Session, Error> {
        let connection = match &mut tables {
            Tables::Stored(store) => store.connection_mut(),
            Tables::OfShogi(store) => store.connection_mut(),
            Tables::Streamed(connection) => connection,
        };
        let mut set_up = || {
            // The user's own triggers run; what they do is in the log of the change.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, true)?;
            let guard = Guard::install(connection, access)?;
            stop::install(connection, book)?;
            Ok(guard)
        };
        let guard = set_up().map_err(Error::sqlite(book, "open"))?;
        Ok(Session {
            book: book.to_owned(),
            tables,
            guard,
            attached,
        })
    }

    pub(crate) fn connection(&self) -> &Connection {
        self.tables.connection()
    }

    /// Whether the book has a position.
    pub(crate) fn has(&self, board: CanonicalBoard) -> Result<bool, Error> {
        let sql = "SELECT EXISTS (SELECT * FROM main.positions WHERE board = ?)";
        let connection = self.connection();
        let found = connection.query_row(sql, [board.to_key()], |row| row.get(0));
        found.map_err(Error::sqlite(&self.book, "read"))
    }

    /// Looks at the database's names for at most a second: SQLite may expand a stranger's view for that, which may never end.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&Connection) -> T) -> T {
        let _running = Limit::gentle(Duration::from_secs(1)).run();
        look(self.connection())
    }

    /// The book as it was named.
    pub(crate) fn book(&self) -> &Path {
        &self.book
    }

    /// Answers all statements of a script in one transaction, within a limit that ends with them. If they only read, none of them
    /// runs unless all are valid; if they write, a statement may need what an earlier one creates, and the answer is written when
    /// the change has been made. Also returns whether that could be written: if not, what was changed stays changed.
    pub(crate) fn answer(
        &mut self,
        script: Script<'_>,
        manner: &Manner,
        limit: Limit,
        out: &mut dyn Write,
    ) -> Result<(Answered, io::Result<()>), Failure> {
        let started = Instant::now();
        if let Some(at) = script.sql.find('\0') {
            let problem = format!("the SQL has a zero byte at {at}, where SQLite would end it");
            return Err(Problem::new(&self.book, problem).into());
        }
        let (book, tables, guard) = (&self.book, &mut self.tables, &self.guard);
        let watched = |connection| Watched {
            book,
            connection,
            guard,
            manner,
        };
        let (rows, changed, is_change, told) = match (guard.access(), tables) {
            (Access::Write, Tables::Stored(store)) => {
                store.set_command(&words(book, script, &manner.params, &self.attached));
                // While it waits for another process, Ctrl-C ends this one.
                let update = store.change()?;
                let running = limit.run();
                let before = update.connection().total_changes();
                // The answer waits until the change is made: in memory, or in a temporary file if it is large.
                let mut kept = BufWriter::new(SpooledTempFile::new(1 << 20));
                let given = watched(update.connection()).run(&asked(script), &mut kept);
                let rows = update.connection().total_changes() - before;
                let given = match given {
                    Ok(given) => given,
                    Err(why) => {
                        drop((update, running));
                        // Rows that came before an error are shown before it.
                        let _ = write_kept(kept, out);
                        return Err(not_kept(why));
                    }
                };
                if rows > 0 {
                    update.forget_fixed()?;
                    update.forget_sources()?;
                }
                let change = update.commit(&serde_json::json!({ "rows": rows }))?;
                drop(running);
                (given, rows, change.is_some(), write_kept(kept, out))
            }
            (_, tables) => {
                let running = limit.run();
                // All statements see the same state, even if others write meanwhile.
                let snapshot = tables.connection().unchecked_transaction();
                let snapshot = snapshot.map_err(Error::sqlite(book, "read"))?;
                let watched = watched(&snapshot);
                let statements = asked(script);
                watched.check(&statements)?;
                let rows = watched.run(&statements, out)?;
                drop(running);
                (rows, 0, false, Ok(()))
            }
        };
        let answered = Answered {
            rows,
            changed,
            is_change,
            took: started.elapsed(),
        };
        Ok((answered, told))
    }
}

/// Writes an answer that was kept in a temporary file.
fn write_kept(kept: BufWriter<SpooledTempFile>, out: &mut dyn Write) -> io::Result<()> {
    let mut kept = kept.into_inner()?;
    kept.rewind()?;
    io::copy(&mut kept, out)?;
    out.flush()
}

/// The reason why an answer isn't kept: what can't be written is the temporary file.
fn not_kept(why: Failure) -> Failure {
    match why {
        Failure::Output(error) => {
            Error::io(&std::env::temp_dir(), "write a temporary file there")(error).into()
        }
        other => other,
    }
}

/// The history entry of a script.
fn words(book: &Path, script: Script<'_>, params: &Params, attached: &[Attached]) -> String {
    let mut words = vec![
        OsString::from("query"),
        book.into(),
        script.sql.trim().into(),
        "--write".into(),
    ];
    for (name, value) in params {
        words.push("--param".into());
        words.push(format!("{name}={}", params::written(value)).into());
    }
    for (Attach { name, file }, _) in attached {
        words.push("--attach".into());
        let mut word = OsString::from(format!("{name}="));
        word.push(file);
        words.push(word);
    }
    command(words)
}

/// The statements of a script, with what error messages need.
fn asked(script: Script<'_>) -> Vec<Asked<'_>> {
    let pieces = statements(script.sql);
    let several = pieces.len() > 1;
    let numbered = (1..).zip(pieces);
    let asked = numbered.map(|(number, piece)| Asked {
        script,
        piece,
        number: several.then_some(number),
    });
    asked.collect()
}

/// A connection in a transaction, with the limits of its statements.
pub(super) struct Watched<'a> {
    pub(super) book: &'a Path,
    pub(super) connection: &'a Connection,
    pub(super) guard: &'a Guard,
    manner: &'a Manner,
}

impl Watched<'_> {
    /// Checks that all statements are valid and use all values.
    fn check(&self, statements: &[Asked<'_>]) -> Result<(), Failure> {
        let mut used = Vec::new();
        for asked in statements {
            let statement = self.prepare(asked)?;
            used.extend(parameters(&statement, asked.piece.text));
        }
        self.all_used(&used)
    }

    /// Runs the statements. Returns the number of rows; `None` if no statement returns rows.
    fn run(&self, statements: &[Asked<'_>], out: &mut dyn Write) -> Result<Option<u64>, Failure> {
        let mut used = Vec::new();
        let mut given = None;
        for asked in statements {
            let mut statement = self.prepare(asked)?;
            used.extend(parameters(&statement, asked.piece.text));
            let rows = self.answer(&mut statement, asked, out)?;
            given = given.map_or(rows, |given| Some(given + rows.unwrap_or(0)));
        }
        self.all_used(&used)?;
        Ok(given)
    }

    fn all_used(&self, used: &[(usize, String)]) -> Result<(), Failure> {
        if self.manner.may_be_unused {
            return Ok(());
        }
        let is_unused = |name: &&String| !used.iter().any(|(_, used)| bare(used) == name.as_str());
        let Some(name) = self.manner.params.keys().find(is_unused) else {
            return Ok(());
        };
        let hint = closest(name, used.iter().map(|(_, name)| name[1..].to_owned()));
        let problem = Problem::new(self.book, format!("no statement has a parameter :{name}"));
        Err(problem.with_hint(hint).into())
    }

    fn prepare(&self, asked: &Asked<'_>) -> Result<Statement<'_>, Failure> {
        let armed = self.guard.arm();
        let prepared = self.connection.prepare(asked.piece.text);
        drop(armed);
        prepared.map_err(|error| self.failed(error, asked))
    }

    fn answer(
        &self,
        statement: &mut Statement<'_>,
        asked: &Asked<'_>,
        out: &mut dyn Write,
    ) -> Result<Option<u64>, Failure> {
        let manner = self.manner;
        self.bind(statement, asked.piece.text)?;
        // SQLite may prepare the statement again when it runs.
        let _armed = self.guard.arm();
        let failed = |error| self.failed(error, asked);
        let names: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.raw_query();
        if names.is_empty() {
            while rows.next().map_err(failed)?.is_some() {}
            return Ok(None);
        }
        let width = names.len();
        // If even the first row fails, nothing is written.
        let mut next = rows.next().map_err(failed)?;
        let (boards, screen) = (manner.boards, manner.screen);
        let mut writer = manner.format.rows(names, boards, screen, out)?;
        let mut given = 0;
        while let Some(row) = next {
            let values = (0..width).map(|column| value(row.get_ref_unwrap(column)));
            writer.row(&values.collect::<SmallVec<[Value<'_>; 16]>>())?;
            given += 1;
            if let Some(reason) = stop::reason(self.book) {
                return Err(reason);
            }
            next = rows.next().map_err(failed)?;
        }
        writer.end()?;
        Ok(Some(given))
    }

    fn bind(&self, statement: &mut Statement<'_>, sql: &str) -> Result<(), Failure> {
        let params = &self.manner.params;
        for (index, name) in parameters(statement, sql) {
            let Some(value) = params.get(bare(&name)) else {
                let plain = &name[1..];
                let hint = closest(plain, params.keys().cloned()).unwrap_or_else(|| {
                    match self.manner.may_be_unused {
                        true => format!("give it with .param {plain}=VALUE"),
                        false => format!("give it with --param {plain}=VALUE"),
                    }
                });
                let problem = Problem::new(self.book, format!("{name} has no value"));
                return Err(problem.with_hint(Some(hint)).into());
            };
            statement
                .raw_bind_parameter(index, value)
                .map_err(Error::sqlite(self.book, "bind a parameter for"))?;
        }
        Ok(())
    }

    fn failed(&self, error: rusqlite::Error, asked: &Asked<'_>) -> Failure {
        let interrupted = error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted);
        match stop::reason(self.book) {
            Some(reason) if interrupted => reason,
            _ => Problem::of(error, asked, self).into(),
        }
    }
}

impl Attach {
    /// Opens and attaches the book; returns the store to keep with it.
    fn to(&self, store: &Store, context: &Context) -> Result<Option<Store>, Error> {
        let other = match Book::open(&self.file, &context::quiet()) {
            Ok(book) => Some(into_store(book, context)?),
            // Any SQLite database will do.
            Err(Error::Store(StoreError::NotABook { .. })) => None,
            Err(error) => return Err(error),
        };
        let path = match &other {
            Some(store) => store.attached_as()?,
            None => foreign(&self.file)?,
        };
        let name = self.name.replace('"', "\"\"");
        store
            .connection()
            .execute(&format!("ATTACH ? AS \"{name}\""), [path])
            .map_err(Error::sqlite(&self.file, "attach"))?;
        Ok(other)
    }
}

/// The name for attaching a database of another program.
fn foreign(file: &Path) -> Result<String, Error> {
    // A relative path may begin with “file:”, which would make it a URI.
    let path = std::path::absolute(file).map_err(Error::io(file, "open"))?;
    let name = path.into_os_string().into_string();
    name.map_err(|_| Error::unfit(file, "the name isn't UTF-8, which ATTACH needs"))
}

/// A statement's parameters, by their numbers, as written; those without a name are `?1`, `?2` …
fn parameters(statement: &Statement<'_>, sql: &str) -> Vec<(usize, String)> {
    // SQLite counts ?1 even where only ?2 is written.
    let has_nameless = tokens::words(sql).any(|word| word.text == "?");
    let named = (1..=statement.parameter_count()).filter_map(|index| {
        let name = statement.parameter_name(index).map(str::to_owned);
        let name = name.or_else(|| has_nameless.then(|| format!("?{index}")));
        Some((index, name?))
    });
    named.collect()
}
