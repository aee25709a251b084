//! `frontier`, `worst` and `line_to`, checked against other tables on a real book.

use super::rows;
use super::tables::database;
use obook_othello::{CanonicalBoard, Line};
use obook_testing::golden::book;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::BTreeSet;

/// The golden games as a database, with obook's functions.
fn games() -> Connection {
    database(&book("games.dat").1)
}

fn set(rows: Vec<Vec<Value>>) -> BTreeSet<String> {
    rows.iter().map(|row| format!("{row:?}")).collect()
}

#[test]
fn they_are_the_moves_of_the_tree() {
    let connection = games();
    for (root, loss) in [("f5", 0), ("f5", 2), ("f5d6", 1), ("f5f4", 3)] {
        let definition = "WITH known AS (
                SELECT tree.line AS before, tree.loss AS given, square, kind, moves.score,
                       max(moves.score) OVER (PARTITION BY tree.line) - moves.score AS cost
                FROM tree(?1, 120, ?2) JOIN moves(tree.line) WHERE kind IS NOT NULL)
            SELECT before || square, kind, score, cost, given + cost FROM known ";
        let chosen = "SELECT line, kind, score, cost, loss FROM ";
        for (table, condition) in [
            (
                "frontier(?1, ?2)",
                "WHERE kind = 'leaf' AND given + cost <= ?2",
            ),
            ("worst(?1, ?2)", "WHERE cost > 0"),
        ] {
            let expected = rows(
                &connection,
                &format!("{definition}{condition}"),
                (root, loss),
            );
            let found = rows(&connection, &format!("{chosen}{table}"), (root, loss));
            assert!(!expected.is_empty(), "{table} {root} {loss}");
            assert_eq!(found.len(), expected.len(), "{table} {root} {loss}");
            assert_eq!(set(found), set(expected), "{table} {root} {loss}");
        }
    }
    let numbers = |sql: &str| -> Vec<i64> {
        let rows = rows(&connection, sql, ());
        let number = |row: &Vec<Value>| match row[0] {
            Value::Integer(number) => number,
            ref other => panic!("{other:?}"),
        };
        rows.iter().map(number).collect()
    };
    let losses = numbers("SELECT loss FROM frontier");
    assert!(losses.len() > 10 && losses.is_sorted());
    let costs = numbers("SELECT -cost FROM worst");
    assert!(costs.len() > 10 && costs.is_sorted());
}

/// `line_to` finds a line to each of some positions: it climbs all their ancestors, so that all would take minutes.
#[test]
fn a_line_leads_to_every_position() {
    let connection = games();
    let every = "WITH numbered AS (SELECT board, row_number() OVER (ORDER BY board) AS number FROM positions)
        SELECT numbered.board, ply, line FROM numbered JOIN line_to(numbered.board) WHERE number % 32 = 1";
    let found = rows(&connection, every, ());
    assert_eq!(found.len(), 2247 / 32 + 1);
    for row in found {
        let (Value::Blob(board), Value::Integer(ply), Value::Text(line)) =
            (&row[0], &row[1], &row[2])
        else {
            panic!("{row:?}");
        };
        let line: Line = line.parse().unwrap();
        let key: [u8; 16] = board[..].try_into().unwrap();
        assert_eq!(
            CanonicalBoard::from_key(key),
            Ok(Some(line.board().canonical()))
        );
        assert_eq!(line.ply() as i64, *ply);
        if let Some(first) = line.moves().first() {
            assert_eq!(first.to_string(), "f5");
        }
    }
    // A position that no link leads to has no line, nor has one that isn't in the book.
    let lines = "SELECT line FROM line_to('f5d6')";
    assert_eq!(rows(&connection, lines, ()).len(), 1);
    connection
        .execute("DELETE FROM links WHERE board = board('f5')", ())
        .unwrap();
    assert!(rows(&connection, lines, ()).is_empty());
    assert!(rows(&connection, "SELECT line FROM line_to('f5d6c3g5')", ()).is_empty());
}
