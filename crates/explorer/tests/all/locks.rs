//! The server never gives up the locks of the books that it has open: see `obook_store::RawFile`.

use crate::support::{Running, book};
use obook_testing::locks::are_held;
use serde_json::{Value, from_str, json};
use std::collections::BTreeSet;

/// Each question of the API, with a body if it is a change.
fn questions() -> Vec<(&'static str, &'static str, Option<Value>)> {
    let at = json!({ "at": "f5d6", "level": 2 });
    let with = |value: Value| Some(value);
    vec![
        ("/api/books", "", None),
        ("/api/open", "?files=[]", with(json!({}))),
        ("/api/{book}/version", "", None),
        ("/api/{book}/position", "?at=f5d6", None),
        ("/api/{book}/choose", "?at=f5", None),
        ("/api/{book}/games", "?at=f5", None),
        ("/api/{book}/game", "?number=-1", None),
        ("/api/{book}/players", "?search=a", None),
        ("/api/{book}/departures", "?player=A&games=book", None),
        ("/api/{book}/why", "?at=f5d6", None),
        ("/api/{book}/parents", "?at=f5d6", None),
        ("/api/{book}/transpositions", "?at=f5", None),
        ("/api/{book}/parse", "?text=tiger", None),
        ("/api/{book}/openings", "?search=tiger", None),
        ("/api/{book}/info", "", None),
        ("/api/{book}/stats", "", None),
        ("/api/{book}/history", "", None),
        ("/api/{book}/repertoire", "", None),
        (
            "/api/{book}/repertoire",
            "",
            with(json!({ "mark": ["f5"] })),
        ),
        ("/api/{book}/frontier", "?at=f5", None),
        ("/api/{book}/worst", "?at=f5", None),
        ("/api/{book}/plot/scores.svg", "", None),
        ("/api/{book}/sql/schema", "", None),
        ("/api/{book}/hint", "?at=f5d6&level=1", None),
        ("/api/{book}/review", "?at=f5d6&level=1", None),
        (
            "/api/{book}/sql",
            "",
            with(json!({ "sql": "SELECT count(*) FROM positions" })),
        ),
        (
            "/api/{book}/sql",
            "",
            with(json!({ "sql": "SELECT * FROM edax('book.obook')" })),
        ),
        (
            "/api/{book}/value",
            "",
            with(json!({ "at": "f5d6", "value": 9 })),
        ),
        (
            "/api/{book}/value",
            "",
            with(json!({ "at": "f5d6", "value": 65 })),
        ),
        (
            "/api/{book}/line",
            "",
            with(json!({ "at": "f5f6e6f4g5", "level": 2 })),
        ),
        ("/api/{book}/search", "", with(at)),
        ("/api/{book}/undo", "", with(json!({ "change": 0 }))),
        // The change by which `…/search` asked can't be undone: the last one in the history is the entered value.
        ("/api/{book}/undo", "", with(json!({ "change": "last" }))),
    ]
}

#[test]
fn every_answer_leaves_the_server_its_locks() {
    let (_folder, path) = book();
    let server = Running::writing(&[&path]);
    assert!(are_held(&path), "a server that was asked nothing");
    let description: Value = from_str(include_str!("../../openapi.json")).unwrap();
    let described: BTreeSet<&String> = description["paths"].as_object().unwrap().keys().collect();
    let mut asked = BTreeSet::new();
    let mut refused = Vec::new();
    for (path_of_question, query, body) in questions() {
        let described = path_of_question.replace("plot/scores.svg", "plot/{kind}");
        asked.insert(described);
        let address = path_of_question.replace("{book}", "book") + query;
        let answer = match body {
            None => server.get(&address),
            Some(mut body) => {
                if body["change"] == json!("last") {
                    let history = server.get("/api/book/history").json();
                    body["change"] = history["changes"][0]["id"].clone();
                }
                server.post(&address, &body.to_string())
            }
        };
        assert!(are_held(&path), "{address}: {answer:?}");
        if answer.status != 200 {
            refused.push(address);
        }
    }
    assert_eq!(asked.iter().collect::<BTreeSet<_>>(), described);
    // No file, no game of this number, a table of a book file, a value out of range, and an undo of a change that isn't the last.
    let expected = [
        "/api/open?files=[]",
        "/api/book/game?number=-1",
        "/api/book/sql",
        "/api/book/value",
        "/api/book/undo",
    ];
    assert_eq!(refused, expected);
}
