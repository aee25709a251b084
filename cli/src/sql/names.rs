//! The names that SQL may use, for completion and for suggestions.

use super::tokens::words;
use obook_base::sqlite::all_rows;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Params};
use std::collections::BTreeSet;

/// A function of SQL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// The number of arguments; `None` for any number.
    pub(crate) arguments: Option<i32>,
}

/// Tables, views and table-valued functions, without SQLite's own.
pub(crate) fn tables(connection: &Connection) -> Vec<String> {
    let sql = "SELECT name FROM (SELECT name FROM pragma_table_list UNION SELECT name FROM pragma_module_list)
               WHERE name NOT GLOB 'sqlite_*' AND name NOT GLOB 'pragma_*' AND name NOT GLOB 'fts[0-9]*'
                   AND name NOT GLOB 'rtree*' AND name <> 'dbstat' ORDER BY name";
    without_views(connection, || texts(connection, sql, ()))
}

/// Asks without views: SQLite expands them to list tables and columns, and a stranger's view may never end.
fn without_views<T>(connection: &Connection, ask: impl FnOnce() -> T) -> T {
    // If that is refused, views are expanded.
    let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false);
    let answer = ask();
    let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, true);
    answer
}

/// The columns of a table or view.
pub(crate) fn columns(connection: &Connection, table: &str) -> Vec<String> {
    let sql = "SELECT name FROM pragma_table_info(?) ORDER BY cid";
    texts(connection, sql, [table])
}

/// The columns of the tables that `sql` names, or of all tables if it names none.
pub(crate) fn columns_of(connection: &Connection, sql: &str) -> Vec<String> {
    let tables = tables(connection);
    let named = |table: &&String| words(sql).any(|token| token.is_name(table));
    let of = |table: &String| columns(connection, table);
    let chosen: Vec<&String> = tables.iter().filter(named).collect();
    match chosen.is_empty() {
        true => without_views(connection, || tables.iter().flat_map(of).collect()),
        false => chosen.into_iter().flat_map(of).collect(),
    }
}

/// All functions, by name.
pub(crate) fn functions(connection: &Connection) -> Vec<Function> {
    let sql = "SELECT DISTINCT name, narg FROM pragma_function_list
               WHERE name GLOB '[a-z]*' ORDER BY name, narg";
    let rows = all_rows(connection, sql, (), |row| {
        let arguments: i32 = row.get(1)?;
        Ok(Function {
            name: row.get(0)?,
            arguments: (arguments >= 0).then_some(arguments),
        })
    });
    rows.unwrap_or_default()
}

/// The keywords of SQL.
pub(crate) fn keywords() -> impl Iterator<Item = &'static str> {
    KEYWORDS.split_ascii_whitespace()
}

const KEYWORDS: &str = "
    ALL AND AS ASC BETWEEN BY CASE CAST COLLATE CREATE CROSS CURRENT DELETE DESC DISTINCT DROP ELSE END ESCAPE EXCEPT
    EXISTS EXPLAIN FILTER FIRST FOLLOWING FROM FULL GLOB GROUP HAVING IN INDEX INNER INSERT INTERSECT INTO IS ISNULL
    JOIN LAST LEFT LIKE LIMIT MATERIALIZED NATURAL NOT NOTNULL NULL NULLS OFFSET ON OR ORDER OUTER OVER PARTITION PLAN
    PRAGMA PRECEDING QUERY RANGE RECURSIVE REGEXP REPLACE RETURNING RIGHT ROW ROWS SELECT SET TABLE TEMP THEN TRIGGER
    UNBOUNDED UNION UNIQUE UPDATE USING VALUES VIEW WHEN WHERE WINDOW WITH WITHOUT";

/// Suggests the most similar names: “did you mean …?”
pub(crate) fn closest(name: &str, candidates: impl IntoIterator<Item = String>) -> Option<String> {
    let name = name.to_lowercase();
    // Names of one or two letters are all similar.
    let allowed = name.chars().count() / 3;
    let near: BTreeSet<(usize, String)> = candidates
        .into_iter()
        .map(|other| (strsim::osa_distance(&name, &other.to_lowercase()), other))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    let best = near.first()?.0;
    let best = near.iter().take_while(|(distance, _)| *distance == best);
    let best: Vec<&str> = best.take(3).map(|(_, other)| other.as_str()).collect();
    Some(format!("did you mean {}?", best.join(" or ")))
}

/// Reads texts. Errors are ignored: completion and suggestions do without.
fn texts(connection: &Connection, sql: &str, params: impl Params) -> Vec<String> {
    all_rows(connection, sql, params, |row| row.get(0)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_guessed() {
        let candidates = || ["positions", "links", "leaves", "lines"].map(str::to_owned);
        let guess = |name| closest(name, candidates());
        assert_eq!(guess("postions").unwrap(), "did you mean positions?");
        assert_eq!(guess("POSITOINS").unwrap(), "did you mean positions?");
        assert_eq!(guess("link").unwrap(), "did you mean links?");
        assert_eq!(guess("linens"), Some("did you mean lines?".into()));
        assert_eq!(guess("linss").unwrap(), "did you mean lines or links?");
        assert_eq!(guess("openings"), None);
        assert_eq!(closest("n", ["m".to_owned()]), None);
    }
}
