//! Schemas: their versions, migrations, and the check that a database has the one of its game.

use crate::counts::Counted;
use crate::{Content, Error, FileKind, Result};
use obook_base::sqlite::all_rows;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

/// The first schema version of every game. Earlier ones were never released.
pub const FIRST_VERSION: i64 = 10;

/// The tables that make a database the book of a game, and the functions that SQL can use with them. A file holds one game.
///
/// Every schema has the tables `history` and `undo`, with the same columns; the rest is up to the game.
#[derive(Debug)]
pub struct Schema {
    /// The number that tells a database of this game from others: `PRAGMA application_id`.
    pub application_id: u32,
    /// The SQL that creates it, with remarks that describe its tables.
    pub sql: &'static str,
    /// The migrations: entry *n* changes a database of version 10 + *n* to the next.
    pub migrations: &'static [&'static str],
    /// Registers the functions for SQL on a connection.
    pub(crate) functions: fn(&Connection) -> rusqlite::Result<()>,
    /// Adds the rows that every database of the game has, if any are missing.
    pub rows: fn(&Connection) -> rusqlite::Result<()>,
    /// The tables of which table `row_counts` says how many rows they have. Its triggers empty that table when another program writes,
    /// and begin with “-- Triggers for other programs”.
    pub counted: &'static [Counted],
    /// The tables that the SQL creates.
    expected: OnceLock<Tables>,
    /// The statements that create them, which are the same at every opening.
    statements: OnceLock<Statements>,
    /// Its triggers, which every change asks for: name, and statement after the words `CREATE TRIGGER`.
    triggers: OnceLock<Vec<(&'static str, &'static str)>>,
}

/// How the triggers in a schema begin.
const TRIGGERS: &str = "-- Triggers for other programs";
/// How its views begin, which are its last part.
const VIEWS: &str = "-- Views for people";

impl Schema {
    /// A schema of the first version, 10, without rows.
    ///
    /// `application_id` tells the game: its first three bytes are "obo". `sql` creates the tables and, after a line that begins with
    /// “-- Views for people”, the views. `functions` registers what SQL can call.
    #[must_use]
    pub const fn new(
        application_id: u32,
        sql: &'static str,
        functions: fn(&Connection) -> rusqlite::Result<()>,
    ) -> Schema {
        Schema {
            application_id,
            sql,
            migrations: &[],
            functions,
            rows: |_| Ok(()),
            counted: &[],
            expected: OnceLock::new(),
            statements: OnceLock::new(),
            triggers: OnceLock::new(),
        }
    }

    /// The content of this game's database files.
    #[must_use]
    pub const fn database(&self) -> Content {
        Content::of_kind(FileKind::Database(self.application_id))
    }

    /// The current version: `PRAGMA user_version`.
    #[must_use]
    pub const fn version(&self) -> i64 {
        FIRST_VERSION + self.migrations.len() as i64
    }

    /// A database in memory with the tables and without rows.
    ///
    /// # Errors
    /// Returns SQLite's error if there is no memory for it.
    pub fn in_memory(&self) -> rusqlite::Result<Connection> {
        let connection = Connection::open_in_memory()?;
        self.create(&connection)?;
        Ok(connection)
    }

    /// The part of the SQL that begins with a mark, up to where another one begins.
    fn part(&self, from: &str, to: Option<&str>) -> &'static str {
        let place = |mark: &str| self.sql.find(mark).unwrap_or(self.sql.len());
        let from = place(from);
        // A schema without the first mark has no such part.
        &self.sql[from..to.map_or(self.sql.len(), place).max(from)]
    }

    /// The triggers: name, and statement after the words `CREATE TRIGGER`.
    pub(crate) fn triggers(&self) -> &[(&'static str, &'static str)] {
        let trigger = |statement: &'static str| {
            let end = statement.find("END;")? + "END".len();
            Some((statement.split_whitespace().next()?, &statement[..end]))
        };
        self.triggers.get_or_init(|| {
            let statements = self.part(TRIGGERS, Some(VIEWS)).split("CREATE TRIGGER ");
            statements.skip(1).filter_map(trigger).collect()
        })
    }

    /// The tables, as SQLite keeps the statements that make them. The end of a table is where its options begin: within it, remarks
    /// have semicolons.
    fn statements(&self) -> &Statements {
        let statement = |rest: &str| {
            let (name, _) = rest.split_once(' ')?;
            let options = rest.find("\n) STRICT")?;
            let end = options + rest[options..].find(';')?;
            let statement = format!("CREATE TABLE {}", &rest[..end]);
            Some((name.into(), statement.into()))
        };
        let tables = self.sql.split("\nCREATE TABLE ").skip(1);
        self.statements
            .get_or_init(|| tables.filter_map(statement).collect())
    }

    /// The part of the SQL that creates views.
    #[must_use]
    pub fn views(&self) -> &'static str {
        self.part(VIEWS, None)
    }

    /// The names of the objects of one kind that it creates: `TABLE`, `INDEX`, `TRIGGER` or `VIEW`.
    pub fn names(&self, kind: &str) -> impl Iterator<Item = &'static str> {
        let created = self.sql.lines().filter_map(|it| it.strip_prefix("CREATE "));
        created.filter_map(move |it| it.strip_prefix(kind)?.split_whitespace().next())
    }

    /// Creates the schema in an empty database.
    pub(crate) fn create(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.execute_batch(self.sql)?;
        (self.rows)(connection)?;
        connection.pragma_update(None, "application_id", self.application_id)?;
        connection.pragma_update(None, "user_version", self.version())
    }

    /// Brings a database of a released version up to date.
    pub(crate) fn migrate(&self, connection: &Connection) -> rusqlite::Result<()> {
        let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
        // Another process may have been faster.
        let version: i64 =
            transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let done = usize::try_from(version - FIRST_VERSION).unwrap_or(usize::MAX);
        for step in self.migrations.iter().skip(done) {
            transaction.execute_batch(step)?;
        }
        transaction.execute("UPDATE book SET schema_version = ?", [self.version()])?;
        transaction.pragma_update(None, "user_version", self.version())?;
        transaction.commit()
    }

    /// Checks that this is an obook database of the current version.
    pub(crate) fn check(&self, connection: &Connection, path: &Path) -> Result<()> {
        let found = pragma(connection, path, "application_id")? as u32;
        if found != self.application_id {
            return Err(Error::NotABook {
                path: path.to_owned(),
                found,
                expected: self.application_id,
            });
        }
        let path = path.to_owned();
        match pragma(connection, &path, "user_version")? {
            found if found > self.version() => Err(Error::Newer {
                path,
                found,
                supported: self.version(),
            }),
            found if found < FIRST_VERSION => Err(Error::Unreleased { path, found }),
            found if found < self.version() => Err(Error::Outdated { path, found }),
            _ => self.check_tables(connection, &path),
        }
    }

    /// Refuses a database in which a table of the book differs from the schema, or something else has its name: a view in place of a
    /// table would run any SQL whenever a row is looked up. Added columns are fine.
    fn check_tables(&self, connection: &Connection, path: &Path) -> Result<()> {
        let failed = || Error::sqlite(path, "open");
        // Most books were made by these very statements. To list columns, SQLite would have to parse the schema once more.
        let made = statements(connection).map_err(failed())?;
        if self.statements().is_subset(&made) {
            return Ok(());
        }
        let expected = self.expected();
        let found = without_views(connection, tables).map_err(failed())?;
        for (name, expected) in expected {
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
            for (column, expected) in &expected.columns {
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
            let read = || without_views(&self.in_memory()?, tables);
            read().expect("the schema creates tables in memory")
        })
    }
}

/// The tables, indexes, views and triggers, each as its kind and name. The tables inside virtual tables belong to those.
pub(crate) fn objects(connection: &Connection) -> rusqlite::Result<BTreeSet<String>> {
    let sql = "SELECT type || ' ' || name FROM main.sqlite_schema
               WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
                 AND name NOT IN (SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow')";
    without_views(connection, |connection| {
        all_rows(connection, sql, [], |row| row.get(0))
    })
}

/// A number that changes whenever the schema of a database does.
pub(crate) fn cookie(connection: &Connection, database: &str) -> rusqlite::Result<i64> {
    connection.pragma_query_value(Some(database), "schema_version", |row| row.get(0))
}

fn pragma(connection: &Connection, path: &Path, name: &str) -> Result<i64> {
    let value = connection.pragma_query_value(None, name, |row| row.get(0));
    value.map_err(Error::sqlite(path, "open"))
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
    all_rows(connection, sql, [], |row| Ok((row.get(0)?, row.get(1)?)))
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

fn tables(connection: &Connection) -> rusqlite::Result<Tables> {
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
        let column = Column {
            kind: row.get(4)?,
            not_null: row.get(5)?,
            key: row.get(6)?,
            generated: row.get::<_, i64>(7)? != 0,
        };
        table.columns.insert(row.get(3)?, column);
    }
    Ok(tables)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::LazyLock;

    /// Othello's schema without its functions, for tests of this crate.
    pub(crate) static TEST: LazyLock<Schema> = LazyLock::new(|| {
        let sql = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schema.sql");
        let sql = std::fs::read_to_string(sql).unwrap();
        Schema::new(0x6f62_6f6b, sql.leak(), |_| Ok(()))
    });

    #[test]
    fn statements_of_tables_are_kept_as_they_are_found_here() {
        let connection = Connection::open_in_memory().unwrap();
        TEST.create(&connection).unwrap();
        let found = TEST.statements();
        assert_eq!(*found, statements(&connection).unwrap());
        assert_eq!(found.len(), TEST.expected().len());
    }
}
