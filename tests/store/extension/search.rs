//! `evaluate` and `hint`: obook's own engine searches, as long as SQLite lets it.

use super::rows;
use obook_engine::{Answer, Inside, Request, Searcher};
use obook_othello::Line;
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

fn connection() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    obook_sql::extension::register(&connection).unwrap();
    connection
}

/// A game that is over.
const OVER: &str = "e6f4e3f6g5d6e7f5c5";

#[test]
fn searches_agree_with_the_engine() {
    let connection = connection();
    for (moves, level) in [("f5", 1), ("f5d6c3", 4), ("f5f4e3f6d3", 6)] {
        let board = moves.parse::<Line>().unwrap().board();
        let mut request = Request::new(board, level).unwrap();
        let mut engine = Inside::new();
        let mut expected: Vec<Answer> = Vec::new();
        loop {
            let answer = engine.search(&request).unwrap();
            let rest = request.without(answer.mv);
            expected.push(answer);
            match rest {
                Ok(rest) => request = rest,
                Err(_) => break,
            }
        }
        let expected: Vec<Vec<Value>> = (1i64..)
            .zip(&expected)
            .map(|(rank, answer)| {
                let line: String = answer.variation.iter().map(ToString::to_string).collect();
                vec![
                    rank.into(),
                    answer.mv.to_string().into(),
                    i64::from(answer.mv.code()).into(),
                    i64::from(answer.score).into(),
                    i64::from(answer.depth).into(),
                    answer.probability.map(i64::from).into(),
                    i64::from(answer.proven).into(),
                    answer.nodes.map(|nodes| nodes as i64).into(),
                    line.into(),
                ]
            })
            .collect();
        assert_eq!(expected.len(), board.moves().count());
        let hint = "SELECT * FROM hint(?1, ?2)";
        assert_eq!(rows(&connection, hint, (moves, level)), expected);
        let best = rows(&connection, "SELECT evaluate(?1, ?2)", (moves, level));
        assert_eq!(best, [[expected[0][3].clone()]]);
        // The same for the key, although moves are turned.
        let key = rows(
            &connection,
            "SELECT evaluate(board(?1), ?2)",
            (moves, level),
        );
        assert_eq!(key, best);
    }
}

#[test]
fn forced_and_senseless_searches() {
    let connection = connection();
    let one = |sql: &str| rows(&connection, sql, ())[0][0].clone();
    let final_score = i64::from(OVER.parse::<Line>().unwrap().board().final_score());
    assert_eq!(
        one(&format!("SELECT evaluate('{OVER}', 60)")),
        Value::Integer(final_score)
    );
    assert_eq!(
        one(&format!("SELECT count(*) FROM hint('{OVER}')")),
        Value::Integer(0)
    );
    assert_eq!(one("SELECT evaluate(NULL, 1)"), Value::Null);
    assert_eq!(one("SELECT evaluate('f5', NULL)"), Value::Null);
    assert_eq!(one("SELECT count(*) FROM hint(NULL)"), Value::Integer(0));
    for (sql, said) in [
        (
            "SELECT evaluate('f5', 61)",
            "evaluate: expected a level from 0 to 60, found the number 61",
        ),
        (
            "SELECT * FROM hint('f5', -1)",
            "hint: expected a level from 0 to 60, found the number -1",
        ),
        (
            "SELECT * FROM hint",
            "hint: board is missing: hint(board, level)",
        ),
    ] {
        let answered = connection
            .prepare(sql)
            .and_then(|mut it| it.query_row([], |_| Ok(())));
        let error = answered.unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}

/// Searches that would take years.
const ENDLESS: [&str; 2] = [
    "SELECT evaluate('', 60)",
    "SELECT count(*) FROM hint('f5d6c3', 60)",
];

#[test]
fn whatever_limits_a_statement_ends_a_search() {
    for sql in ENDLESS {
        let mut connection = connection();
        let looks = Arc::new(AtomicU32::new(0));
        let seen = Arc::clone(&looks);
        let limit = move || seen.fetch_add(1, Ordering::Relaxed) >= 9;
        connection.progress_handler(1000, Some(limit)).unwrap();
        let ended = connection.query_row(sql, [], |_| Ok(())).unwrap_err();
        assert_eq!(
            ended.sqlite_error_code(),
            Some(ErrorCode::OperationInterrupted),
            "{ended}"
        );
        assert!(looks.load(Ordering::Relaxed) >= 9);
    }
}

#[test]
fn an_interrupt_ends_a_search() {
    for sql in ENDLESS {
        let connection = connection();
        let handle = connection.get_interrupt_handle();
        let (done, ended) = std::sync::mpsc::channel::<()>();
        // An interrupt before the search begins has no effect.
        let interrupting = std::thread::spawn(move || {
            while ended.recv_timeout(Duration::from_millis(20)).is_err() {
                handle.interrupt();
            }
        });
        let stopped = connection.query_row(sql, [], |_| Ok(())).unwrap_err();
        assert_eq!(
            stopped.sqlite_error_code(),
            Some(ErrorCode::OperationInterrupted),
            "{stopped}"
        );
        done.send(()).unwrap();
        interrupting.join().unwrap();
        // The next search is answered.
        let next = connection.query_row("SELECT evaluate('f5', 1)", [], |row| row.get::<_, i64>(0));
        assert!((-64..=64).contains(&next.unwrap()));
    }
}

/// A view may come from a stranger.
#[test]
fn no_view_searches() {
    let connection = connection();
    let untrusted = rusqlite::config::DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA;
    connection.set_db_config(untrusted, false).unwrap();
    for sql in ENDLESS {
        connection
            .execute_batch(&format!("CREATE VIEW slow AS {sql}"))
            .unwrap();
        let refused = connection
            .query_row("SELECT * FROM slow", [], |_| Ok(()))
            .unwrap_err();
        assert!(refused.to_string().contains("unsafe use of"), "{refused}");
        connection.execute_batch("DROP VIEW slow").unwrap();
    }
}
