//! That the tables of a database are those of a book, and nothing that only bears their names.
//!
//! A view in place of a table would run whatever SQL it is made of, wherever a row is looked up.

use crate::{Error, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Row};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// Lays out the tables of a book in an empty database.
type Create = fn(&Connection) -> rusqlite::Result<()>;

/// Real tables by their names.
type Tables = BTreeMap<String, Table>;

/// A table as `CREATE TABLE` describes it.
#[derive(PartialEq, Eq)]
struct Table {
    strict: bool,
    without_rowid: bool,
    columns: BTreeMap<String, Column>,
}

#[derive(PartialEq, Eq)]
struct Column {
    kind: String,
    not_null: bool,
    /// Its place in the primary key, from 1.
    key: i64,
    /// Generated, and so not stored as it is read.
    generated: bool,
}

/// Refuses a database in which a table of the book is not as `create` makes it, or something else has its name. `lacks` are the
/// tables, and the columns as `table.column`, that its version does not have. Columns that were added are fine.
pub(crate) fn check(
    connection: &Connection,
    path: &Path,
    lacks: &[&str],
    create: Create,
) -> Result<()> {
    let found = tables(connection).map_err(Error::sqlite(path, "open"))?;
    for (name, expected) in expected(create) {
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
            if bears_name(connection, name).map_err(Error::sqlite(path, "open"))? {
                return refused(format!("{name} is no table"));
            }
            // What is lost is for those to tell who look for it.
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

/// The tables that the schema makes.
fn expected(create: Create) -> &'static Tables {
    static EXPECTED: OnceLock<Tables> = OnceLock::new();
    EXPECTED.get_or_init(|| {
        let read = || {
            let connection = Connection::open_in_memory()?;
            create(&connection)?;
            tables(&connection)
        };
        read().expect("the schema makes tables in memory")
    })
}

/// Whether a view, or a table of some module, has this name.
fn bears_name(connection: &Connection, name: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) > 0 FROM main.sqlite_schema WHERE name = ? COLLATE NOCASE";
    connection.query_row(sql, [name], |row| row.get(0))
}

fn tables(connection: &Connection) -> rusqlite::Result<Tables> {
    without_views(connection, read)
}

/// Asks for the tables there are: to list them SQLite looks into the views, too, which may take for ever.
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
