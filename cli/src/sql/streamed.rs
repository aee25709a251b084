//! Decides whether SQL can be answered straight from a book file, without importing it: SQL that reads each table once from the first row
//! to the last, and looks nothing up.

use super::tokens::statements;
use obook::Error;
use obook::guard::is_own_view;
use obook::read::book::nothing_streamed;
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The tables that a book file can give.
const TABLES: [&str; 4] = ["positions", "links", "leaves", "engines"];

/// Whether all statements of a script can be answered straight from a file. Errors in the SQL are reported elsewhere.
pub(crate) fn can_be_streamed(book: &Path, sql: &str) -> Result<bool, Error> {
    let mut connection = nothing_streamed(book)?;
    let failed = Error::sqlite(book, "read");
    let reads_others = watch(&mut connection).map_err(failed)?;
    Ok(statements(sql).iter().all(|piece| {
        let plan = plan(&connection, piece.text);
        plan.is_ok_and(|plan| walks_once(&plan)) && !reads_others.load(Ordering::Relaxed)
    }))
}

/// Remembers whether SQL does anything but read these tables.
fn watch(connection: &mut Connection) -> rusqlite::Result<Arc<AtomicBool>> {
    let others = Arc::new(AtomicBool::new(false));
    let found = Arc::clone(&others);
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        let is_known = match context.action {
            AuthAction::Select | AuthAction::Function { .. } => true,
            AuthAction::Read {
                table_name,
                column_name,
            } => {
                // These tables have no rowid in a database.
                (TABLES.contains(&table_name) || is_own_view(table_name)) && column_name != "ROWID"
            }
            _ => false,
        };
        if !is_known {
            found.store(true, Ordering::Relaxed);
        }
        Authorization::Allow
    }))?;
    Ok(others)
}

/// One line of SQLite's query plan: its parent, and what is done.
type PlanStep = (i64, String);

fn plan(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<PlanStep>> {
    let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
    let rows = explain.raw_query();
    let steps = rows.mapped(|row| Ok((row.get("parent")?, row.get("detail")?)));
    steps.collect()
}

/// Whether each scan of a table is the outermost loop of a query that runs once.
fn walks_once(plan: &[PlanStep]) -> bool {
    let mut loops: BTreeMap<i64, u32> = BTreeMap::new();
    plan.iter().all(|(parent, step)| {
        let runs_again = ["CORRELATED", "RECURSIVE", "SETUP", "AUTOMATIC"];
        if runs_again.iter().any(|word| step.contains(word)) {
            return false;
        }
        if step.starts_with("SCAN") || step.starts_with("SEARCH") {
            let before = loops.entry(*parent).or_default();
            *before += 1;
            return *before == 1 || !step.contains("VIRTUAL TABLE");
        }
        // SQLite keeps a subquery's rows in memory if an inner loop needs them.
        true
    })
}

#[cfg(test)]
mod tests {
    use super::can_be_streamed;
    use std::path::Path;

    #[test]
    fn queries_that_read_each_table_once_are_streamed() {
        for (sql, expected) in [
            ("SELECT count(*) FROM positions", true),
            (
                "SELECT level, count(*) FROM main.positions AS p GROUP BY 1 ORDER BY 2 DESC LIMIT 3",
                true,
            ),
            (
                "SELECT (SELECT count(*) FROM links), (SELECT sum(score) FROM leaves WHERE move IS NULL)",
                true,
            ),
            ("SELECT * FROM levels", true),
            (
                "SELECT key, diagram, engine FROM readable_positions WHERE value > 3",
                true,
            ),
            (
                "SELECT square, count(*) FROM readable_moves GROUP BY 1",
                true,
            ),
            (
                "SELECT show(board) FROM positions WHERE value = (SELECT max(value) FROM positions); SELECT 1",
                true,
            ),
            (
                "WITH best AS (SELECT * FROM positions WHERE value > 9) SELECT avg(lines) FROM best",
                true,
            ),
            (
                "SELECT board FROM links UNION SELECT board FROM leaves",
                true,
            ),
            // Looked up or walked again.
            (
                "SELECT count(*) FROM positions JOIN links USING (board)",
                false,
            ),
            (
                "SELECT count(*) FROM positions p WHERE EXISTS (SELECT 1 FROM links WHERE board = p.board)",
                false,
            ),
            ("SELECT * FROM tree('f5', 1)", false),
            (
                "SELECT child(p.board, l.move) FROM links l, positions p",
                false,
            ),
            (
                "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t, positions) SELECT * FROM t",
                false,
            ),
            // Not there.
            ("SELECT rules FROM book", false),
            ("SELECT * FROM waiting", false),
            ("SELECT rowid FROM positions", false),
            ("SELECT name FROM sqlite_schema", false),
            ("SELECT nothing FROM positions", false),
            ("PRAGMA table_info(positions)", false),
            ("SELECT 1; DELETE FROM links", false),
        ] {
            let found = can_be_streamed(Path::new("book.dat"), sql).unwrap();
            assert_eq!(found, expected, "{sql}");
        }
    }
}
