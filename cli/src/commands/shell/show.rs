//! The tables and functions of a book.

use crate::prelude::*;
use crate::sql::names::{self, closest};
use crate::sql::{Problem, Session};
use obook_base::sqlite::all_rows;
use rusqlite::Connection;

/// Whether this is a function of obook: SQLite's modules bring others.
fn is_own(name: &str) -> bool {
    let scalar = obook_sql::functions::ALL.iter();
    scalar.map(|function| function.name).any(|own| own == name) || name == "evaluate"
}

/// Lists the functions with `word` in their names, or all functions of obook.
pub(crate) fn functions(
    connection: &Connection,
    word: &str,
    out: &mut dyn Write,
) -> io::Result<()> {
    for function in names::functions(connection) {
        let wanted = match word.is_empty() {
            true => is_own(&function.name),
            false => function.name.contains(word),
        };
        if wanted {
            let arguments = match function.arguments {
                Some(number) => count(number.unsigned_abs(), "argument[|s]"),
                None => String::from("any number of arguments"),
            };
            writeln!(out, "{} ({arguments})", function.name)?;
        }
    }
    Ok(())
}

/// Shows the statements that made the tables, with their comments.
pub(crate) fn schema(
    session: &Session,
    table: Option<&str>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let connection = session.connection();
    let failed = || obook::Error::sqlite(session.book(), "read the schema of");
    let sql = "SELECT sql FROM (SELECT rowid AS place, * FROM sqlite_schema
                   UNION ALL SELECT 1000000 + rowid, * FROM sqlite_temp_schema)
               WHERE sql IS NOT NULL AND (?1 IS NULL OR lower(tbl_name) = lower(?1)) ORDER BY place";
    let made: Vec<String> =
        all_rows(connection, sql, [table], |row| row.get(0)).map_err(failed())?;
    if let (Some(table), true) = (table, made.is_empty()) {
        if let Some(arguments) = table_function(connection, table).map_err(failed())? {
            return Ok(writeln!(out, "{arguments}")?);
        }
        let problem = Problem::new(session.book(), format!("no table {table}"));
        let hint = closest(table, names::tables(connection));
        return Err(problem.with_hint(hint).into());
    }
    for sql in made {
        writeln!(out, "{sql};")?;
    }
    Ok(())
}

/// Describes the arguments and columns of a table-valued function; `None` if there is none of this name.
fn table_function(connection: &Connection, name: &str) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT group_concat(name, ', ' ORDER BY cid) FILTER (WHERE hidden),
                   group_concat('    ' || name || ' ' || type, ',' || char(10) ORDER BY cid) FILTER (WHERE NOT hidden)
               FROM pragma_table_xinfo(?)";
    let (arguments, columns): (Option<String>, Option<String>) =
        connection.query_row(sql, [name], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let arguments = arguments.unwrap_or_default();
    Ok(columns.map(|columns| format!("-- FROM {name}({arguments}):\n(\n{columns}\n)")))
}
