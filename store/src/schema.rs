//! Schemas: their versions, migrations, and the check that a database has the one of its game.

use crate::{APPLICATION_ID, Error, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

/// The schema version that this crate writes for Othello: `PRAGMA user_version`.
pub const SCHEMA_VERSION: i64 = 8;

/// The tables that make a database the book of a game, and the functions that SQL can use with them. A file holds one game.
///
/// Every schema has the tables `history` and `undo`, as in the schema of Othello; the rest is up to the game.
#[derive(Debug)]
pub struct Schema {
    application_id: u32,
    sql: &'static str,
    older: &'static [Older],
    functions: fn(&Connection) -> rusqlite::Result<()>,
    keeps_counts: bool,
    /// The tables that the SQL creates.
    expected: OnceLock<Tables>,
}

/// The schema of Othello's books, version [`SCHEMA_VERSION`].
pub static OTHELLO: Schema = Schema {
    application_id: APPLICATION_ID,
    sql: include_str!("../schema.sql"),
    older: &OLDER,
    functions: obook_extension::register,
    keeps_counts: true,
    expected: OnceLock::new(),
};

/// How the triggers in a schema begin.
const TRIGGERS: &str = "-- Triggers for other programs";
/// How its views begin, which are its last part.
const VIEWS: &str = "-- Views for people";

impl Schema {
    /// A schema of version 1.
    ///
    /// `application_id` tells the game: its first three bytes are those of [`APPLICATION_ID`]. `sql` creates the tables and, after a
    /// line that begins with “-- Views for people”, the views. `functions` registers what SQL can call.
    #[must_use]
    pub const fn new(
        application_id: u32,
        sql: &'static str,
        functions: fn(&Connection) -> rusqlite::Result<()>,
    ) -> Schema {
        Schema {
            application_id,
            sql,
            older: &[],
            functions,
            keeps_counts: false,
            expected: OnceLock::new(),
        }
    }

    /// The number that tells a database of this game from others: `PRAGMA application_id`.
    #[must_use]
    pub const fn application_id(&self) -> u32 {
        self.application_id
    }

    /// The current version.
    const fn version(&self) -> i64 {
        self.older.len() as i64 + 1
    }

    /// Whether table `row_counts` says how many rows there are.
    pub(crate) const fn keeps_counts(&self) -> bool {
        self.keeps_counts
    }

    /// A database in memory with the tables and without rows.
    pub(crate) fn in_memory(&self) -> rusqlite::Result<Connection> {
        let connection = Connection::open_in_memory()?;
        self.create(&connection)?;
        Ok(connection)
    }

    /// Registers the functions for SQL on a connection.
    pub(crate) fn register(&self, connection: &Connection) -> rusqlite::Result<()> {
        (self.functions)(connection)
    }

    /// The part of the SQL that begins with a mark, up to where another one begins.
    fn part(&self, from: &str, to: Option<&str>) -> &'static str {
        let place = |mark: &str| self.sql.find(mark).unwrap_or(self.sql.len());
        &self.sql[place(from)..to.map_or(self.sql.len(), place)]
    }

    /// The triggers: name, and statement after the words `CREATE TRIGGER`.
    pub(crate) fn triggers(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let part = self.part(TRIGGERS, Some(VIEWS));
        part.split("CREATE TRIGGER ")
            .skip(1)
            .filter_map(|statement| {
                let end = statement.find("END;")? + "END".len();
                Some((statement.split_whitespace().next()?, &statement[..end]))
            })
    }

    /// The tables, as SQLite keeps the statements that make them. The end of a table is where its options begin: within it, remarks
    /// have semicolons.
    fn table_statements(&self) -> impl Iterator<Item = (Vec<u8>, Vec<u8>)> {
        let tables = self.sql.split("\nCREATE TABLE ").skip(1);
        tables.filter_map(|rest| {
            let (name, _) = rest.split_once(' ')?;
            let options = rest.find("\n) STRICT")?;
            let end = options + rest[options..].find(';')?;
            let statement = format!("CREATE TABLE {}", &rest[..end]);
            Some((name.into(), statement.into()))
        })
    }

    /// The part of the SQL that creates views.
    pub(crate) fn views(&self) -> &'static str {
        self.part(VIEWS, None)
    }

    /// The names of the views.
    fn view_names(&self) -> impl Iterator<Item = &'static str> {
        let statements = self.views().split("CREATE VIEW ").skip(1);
        statements.filter_map(|statement| statement.split_whitespace().next())
    }
}

/// The names of the views in Othello's schema.
pub fn view_names() -> impl Iterator<Item = &'static str> {
    OTHELLO.view_names()
}

/// An earlier version.
#[derive(Debug)]
struct Older {
    /// Migrates a file of this version to the next.
    step: &'static str,
    /// Temporary views that show what the next version changed. With those of the versions in between, a file of this version
    /// looks like one of the current version.
    read: &'static str,
    /// Their names.
    views: &'static [&'static str],
    /// Tables, and columns as `table.column`, that the next version added.
    lacks: &'static [&'static str],
}

/// Entry *n* is version *n* + 1. The first change migrates an older database; readers see it through views.
const OLDER: [Older; SCHEMA_VERSION as usize - 1] = [
    Older {
        step: include_str!("migrations/2.sql"),
        read: include_str!("migrations/1.read.sql"),
        views: &["book", "todo", "history", "undo"],
        lacks: &[
            "book.repetition",
            "book.fixed",
            "todo.level",
            "todo.engine",
            "history",
            "undo",
        ],
    },
    Older {
        step: include_str!("migrations/3.sql"),
        read: include_str!("migrations/2.read.sql"),
        views: &["positions", "sources"],
        lacks: &["positions.unsearched", "sources.current", "row_counts"],
    },
    Older {
        step: include_str!("migrations/4.sql"),
        read: include_str!("migrations/3.read.sql"),
        views: GAMES,
        lacks: GAMES,
    },
    Older {
        step: include_str!("migrations/5.sql"),
        read: include_str!("migrations/4.read.sql"),
        views: LEARNING,
        lacks: LEARNING,
    },
    // Only rows of table `engines` differ, of engines that an older file can't have.
    Older {
        step: include_str!("migrations/6.sql"),
        read: "",
        views: &[],
        lacks: &[],
    },
    Older {
        step: include_str!("migrations/7.sql"),
        read: include_str!("migrations/6.read.sql"),
        views: &["positions"],
        lacks: &[
            "positions.proven_lower",
            "positions.proven_upper",
            "positions.prover",
        ],
    },
    Older {
        step: include_str!("migrations/8.sql"),
        read: include_str!("migrations/7.read.sql"),
        views: FORECASTS,
        lacks: FORECASTS,
    },
];

/// The tables that hold games.
const GAMES: &[&str] = &[
    "players",
    "tournaments",
    "games",
    "played",
    "play_counts",
    "ratings",
];

/// The tables that hold what Othello Sensei expects.
const FORECASTS: &[&str] = &["expectations", "goals"];

/// The tables that learning keeps.
const LEARNING: &[&str] = &["tasks", "learning", "learned"];

impl Schema {
    /// Creates the schema in an empty database.
    pub(crate) fn create(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.execute_batch(self.sql)?;
        connection.pragma_update(None, "application_id", self.application_id)?;
        connection.pragma_update(None, "user_version", self.version())
    }

    /// Migrates an older database to the current version, inside the caller's transaction.
    pub(crate) fn migrate(&self, connection: &Connection, path: &Path) -> Result<()> {
        let failed = || Error::sqlite(path, "bring the schema up to date");
        let version = pragma(connection, path, "user_version")?;
        // Another process may have migrated the file since this connection was opened.
        let shown = self.older.iter().flat_map(|older| older.views).copied();
        for view in shown.chain(self.view_names()) {
            let sql = format!("DROP VIEW IF EXISTS temp.{view}");
            connection.execute_batch(&sql).map_err(failed())?;
        }
        if version == self.version() {
            return Ok(());
        }
        for Older { step, .. } in self.older.iter().skip(version as usize - 1) {
            connection.execute_batch(step).map_err(failed())?;
        }
        for (name, statement) in self.triggers() {
            // Version 3 had some of them.
            let has =
                "SELECT count(*) > 0 FROM main.sqlite_schema WHERE type = 'trigger' AND name = ?";
            let has: bool = connection
                .query_row(has, [name], |row| row.get(0))
                .map_err(failed())?;
            if !has {
                let create = format!("CREATE TRIGGER {statement}");
                connection.execute_batch(&create).map_err(failed())?;
            }
        }
        // Version 2 had views of these names that other programs could not run.
        if version == 2 {
            for view in self.own_views(connection).map_err(failed())? {
                let sql = format!("DROP VIEW main.{view}");
                connection.execute_batch(&sql).map_err(failed())?;
            }
        }
        // A user's own table of that name stays.
        let views = self
            .views()
            .replace("CREATE VIEW", "CREATE VIEW IF NOT EXISTS");
        connection.execute_batch(&views).map_err(failed())?;
        connection
            .pragma_update(None, "user_version", self.version())
            .map_err(failed())
    }

    /// The [views](Schema::view_names) that are views in this file.
    fn own_views(&self, connection: &Connection) -> rusqlite::Result<Vec<&'static str>> {
        let mut named = connection
            .prepare("SELECT 1 FROM main.sqlite_schema WHERE type = 'view' AND name = ?")?;
        let mut own = Vec::new();
        for view in self.view_names() {
            if named.exists([view])? {
                own.push(view);
            }
        }
        Ok(own)
    }
}

/// The tables, indexes, views and triggers, each as its kind and name. The tables inside virtual tables belong to those.
pub(crate) fn objects(connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    let sql = "SELECT type || ' ' || name FROM main.sqlite_schema
               WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                 AND name NOT IN (SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow')";
    without_views(connection, |connection| {
        connection
            .prepare(sql)?
            .query_map([], |row| row.get(0))?
            .collect()
    })
}

/// A number that changes whenever the schema does.
pub(crate) fn cookie(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(Some("main"), "schema_version", |row| row.get(0))
}

impl Schema {
    /// Checks that this is an obook database of a known version. An older one looks like a current one afterwards.
    pub(crate) fn check(&self, connection: &Connection, path: &Path) -> Result<()> {
        let found = pragma(connection, path, "application_id")? as u32;
        if found != self.application_id {
            return Err(Error::NotABook {
                path: path.to_owned(),
                found,
                expected: self.application_id,
            });
        }
        let version = pragma(connection, path, "user_version")?;
        if version > self.version() {
            return Err(Error::Newer {
                path: path.to_owned(),
                found: version,
                supported: self.version(),
            });
        }
        if version < self.version() {
            let older = usize::try_from(version - 1).ok();
            let older = older.and_then(|place| self.older.get(place..));
            let older = older.ok_or_else(|| {
                Error::unfit(
                    path,
                    format!("schema version {version}, which doesn't exist"),
                )
            })?;
            let lacks: Vec<&str> = older
                .iter()
                .flat_map(|older| older.lacks)
                .copied()
                .collect();
            self.check_tables(connection, path, &lacks)?;
            let views = self.views().replace("CREATE VIEW", "CREATE TEMP VIEW");
            return older
                .iter()
                .map(|older| older.read)
                .chain([&*views])
                .try_for_each(|views| connection.execute_batch(views))
                .map_err(Error::sqlite(path, "open"));
        }
        self.check_tables(connection, path, &[])
    }

    /// Refuses a database in which a table of the book differs from the schema, or something else has its name: a view in place of a
    /// table would run any SQL whenever a row is looked up. `lacks` are the tables, and the columns as `table.column`, that
    /// its version doesn't have. Added columns are fine.
    fn check_tables(&self, connection: &Connection, path: &Path, lacks: &[&str]) -> Result<()> {
        let failed = || Error::sqlite(path, "open");
        // Most books were made by these very statements. To list columns, SQLite would have to parse the schema once more.
        let made = statements(connection).map_err(failed())?;
        if self.table_statements().all(|table| made.contains(&table)) {
            return Ok(());
        }
        let expected = self.expected();
        let found = tables(connection).map_err(failed())?;
        for (name, expected) in expected {
            if lacks.contains(&name.as_str()) {
                continue;
            }
            let refused = |problem: String| {
                Err(Error::ForeignSchema {
                    path: path.to_owned(),
                    problem,
                })
            };
            let Some(table) = found.get(name) else {
                if bears_name(connection, name).map_err(failed())? {
                    return refused(format!("{name} isn't a table"));
                }
                // Reading reports a missing table.
                continue;
            };
            if (table.strict, table.without_rowid) != (expected.strict, expected.without_rowid) {
                return refused(format!("table {name} is not declared as in a book"));
            }
            let is_there = |column: &String| !lacks.contains(&format!("{name}.{column}").as_str());
            for (column, expected) in expected.columns.iter().filter(|(name, _)| is_there(name)) {
                if table.columns.get(column) != Some(expected) {
                    return refused(format!(
                        "column {column} of table {name} is not declared as in a book"
                    ));
                }
            }
            if let Some((column, _)) = table.columns.iter().find(|(_, column)| column.generated) {
                return refused(format!("column {column} of table {name} is generated"));
            }
        }
        Ok(())
    }

    /// The tables of the schema.
    fn expected(&self) -> &Tables {
        self.expected.get_or_init(|| {
            let read = || tables(&self.in_memory()?);
            read().expect("the schema creates tables in memory")
        })
    }
}

fn pragma(connection: &Connection, path: &Path, name: &str) -> Result<i64> {
    connection
        .pragma_query_value(None, name, |row| row.get(0))
        .map_err(Error::sqlite(path, "open"))
}

/// Tables by name.
type Tables = BTreeMap<String, Table>;

/// A table as `CREATE TABLE` describes it.
#[derive(PartialEq, Eq, Debug)]
struct Table {
    strict: bool,
    without_rowid: bool,
    columns: BTreeMap<String, Column>,
}

#[derive(PartialEq, Eq, Debug)]
struct Column {
    kind: String,
    not_null: bool,
    /// Its place in the primary key, from 1; 0 if it isn't part of it.
    key: i64,
    /// Whether it is computed instead of stored.
    generated: bool,
}

/// Whether a view or a virtual table has this name.
fn bears_name(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) > 0 FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE";
    connection.query_row(sql, [name], |row| row.get(0))
}

/// The names of tables, and the statements that made them. SQLite reads its schema from these, and refuses one in which a name
/// stands twice or differs from the statement's.
type Statements = BTreeSet<(Vec<u8>, Vec<u8>)>;

fn statements(connection: &Connection) -> rusqlite::Result<Statements> {
    let sql = "SELECT CAST(name AS BLOB), CAST(sql AS BLOB) FROM main.sqlite_schema
               WHERE type = 'table' AND sql IS NOT NULL";
    let mut select = connection.prepare(sql)?;
    let statements = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    statements.collect()
}

fn tables(connection: &Connection) -> rusqlite::Result<Tables> {
    without_views(connection, read)
}

/// Lists tables without looking into views: SQLite would do that too, and it may take for ever.
pub(crate) fn without_views<T>(
    connection: &Connection,
    ask: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    let answer = ask(connection);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, true)?;
    answer
}

fn read(connection: &Connection) -> rusqlite::Result<Tables> {
    let mut select = connection.prepare(
        r#"SELECT t.name, t.strict, t.wr, c.name, c.type, c."notnull", c.pk, c.hidden
           FROM pragma_table_list AS t CROSS JOIN pragma_table_xinfo(t.name, 'main') AS c
           WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'"#,
    )?;
    let mut rows = select.query([])?;
    let mut tables = Tables::new();
    while let Some(row) = rows.next()? {
        let (strict, without_rowid) = (row.get(1)?, row.get(2)?);
        let table = tables.entry(row.get(0)?).or_insert_with(|| Table {
            strict,
            without_rowid,
            columns: BTreeMap::new(),
        });
        table.columns.insert(row.get(3)?, column(row)?);
    }
    Ok(tables)
}

fn column(row: &Row<'_>) -> rusqlite::Result<Column> {
    Ok(Column {
        kind: row.get(4)?,
        not_null: row.get(5)?,
        key: row.get(6)?,
        generated: row.get::<_, i64>(7)? != 0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_of_tables_are_kept_as_they_are_found_here() {
        let connection = Connection::open_in_memory().unwrap();
        OTHELLO.create(&connection).unwrap();
        let found: Statements = OTHELLO.table_statements().collect();
        assert_eq!(found, statements(&connection).unwrap());
        assert_eq!(found.len(), OTHELLO.expected().len());
    }
}
