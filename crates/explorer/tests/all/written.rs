//! Changes through the server: those of the commands, for those who have the token.

use crate::support::{Response, Running, book, escaped};
use obook::write::edit::{Edit, edit};
use obook::{Context, Store};
use obook_base::shell;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

fn post(server: &Running, path: &str, body: &Value) -> Response {
    server.post(path, &body.to_string())
}

fn store(path: &Path) -> Store {
    Store::open(path, &Context::default()).unwrap()
}

fn count(path: &Path, sql: &str) -> i64 {
    let store = store(path);
    let count = store.connection().query_row(sql, [], |row| row.get(0));
    count.unwrap()
}

#[test]
fn a_value_is_entered_removed_and_undone_as_by_the_command() {
    let (_folder, path) = book();
    let (_other, twin) = book();
    let server = Running::writing(&[&path]);
    assert_eq!(server.get("/api/books").json()["writable"], json!(true));
    let before = server.get("/api/book/position?at=f5d6").json()["value"].clone();
    let entered = post(
        &server,
        "/api/book/value",
        &json!({ "at": "f5d6", "value": 9 }),
    );
    assert_eq!(entered.status, 200, "{entered:?}");
    assert_eq!(entered.json()["before"], before);
    assert_eq!(
        server.get("/api/book/position?at=f5d6").json()["value"],
        json!(9)
    );
    // The same rows as by the library's function, which the command calls.
    let mut by_command = Store::open_for_writing(&twin, &Context::new("obook edit")).unwrap();
    edit(&mut by_command, &"f5d6".parse().unwrap(), Edit::Enter(9)).unwrap();
    let digest = obook_testing::stored_book::digest_of_contents;
    assert_eq!(digest(&path), digest(&twin));
    let history = store(&path).history().unwrap();
    let last = history.last().unwrap();
    let command = format!("obook edit {} f5d6 --value 9", path.display());
    assert_eq!(last.command, command);
    // Only the change that was shown is undone.
    let stale = post(&server, "/api/book/undo", &json!({ "change": last.id - 1 }));
    assert_eq!(stale.status, 409);
    let undone = post(&server, "/api/book/undo", &json!({ "change": last.id }));
    assert_eq!(undone.json()["command"], json!(command));
    assert_eq!(
        server.get("/api/book/position?at=f5d6").json()["value"],
        before
    );
    let again = json!({ "at": "f5d6", "value": -3 });
    assert_eq!(post(&server, "/api/book/value", &again).status, 200);
    let removed = json!({ "at": "f5d6", "value": null });
    assert_eq!(
        post(&server, "/api/book/value", &removed).json()["after"],
        before
    );
}

/// The history names commands that a shell takes as they are.
#[test]
fn commands_in_the_history_are_quoted() {
    let (folder, path) = book();
    let other = folder.path().join("my book's.obook");
    std::fs::rename(&path, &other).unwrap();
    let server = Running::writing(&[&other]);
    let books = server.get("/api/books").json();
    let api = format!(
        "/api/{}",
        escaped(books["books"][0]["name"].as_str().unwrap())
    );
    let command = |words: &[&str]| {
        let named = [&[words[0], other.to_str().unwrap()][..], &words[1..]];
        shell("obook", named.concat())
    };
    let mark = "CREATE TABLE marks (board BLOB NOT NULL, child BLOB NOT NULL, line TEXT NOT NULL, PRIMARY KEY (board, child)) STRICT, WITHOUT ROWID; \
                REPLACE INTO marks VALUES (board(''), board('f5'), 'f5')";
    for (place, body, expected) in [
        (
            "value",
            json!({ "at": "f5d6", "value": 7 }),
            command(&["edit", "f5d6", "--value", "7"]),
        ),
        (
            "value",
            json!({ "at": "f5d6", "value": null }),
            command(&["edit", "f5d6", "--remove"]),
        ),
        (
            "value",
            json!({ "at": "", "value": -7 }),
            command(&["edit", "--value", "-7"]),
        ),
        (
            "repertoire",
            json!({ "mark": ["f5"] }),
            command(&["query", "--write", mark]),
        ),
    ] {
        let answer = post(&server, &format!("{api}/{place}"), &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        let history = store(&other).history().unwrap();
        assert_eq!(history.last().unwrap().command, expected);
    }
}

/// Another process is making a change when the undo of the last one is asked for.
#[test]
fn a_change_in_between_is_not_undone() {
    let (_folder, path) = book();
    let server = Running::writing(&[&path]);
    let value = json!({ "at": "f5d6", "value": 9 });
    assert_eq!(post(&server, "/api/book/value", &value).status, 200);
    let mut other = Store::open_for_writing(&path, &Context::new("another")).unwrap();
    let shown = other.history().unwrap().last().unwrap().id;
    let change = other.change().unwrap();
    let sql = "UPDATE book SET verbosity = 77";
    change.connection().execute_batch(sql).unwrap();
    let body = json!({ "change": shown });
    let answer = std::thread::scope(|scope| {
        let undo = scope.spawn(|| post(&server, "/api/book/undo", &body));
        // Meanwhile the server has looked at the book, and waits.
        std::thread::sleep(std::time::Duration::from_millis(700));
        change.commit(&()).unwrap();
        undo.join().unwrap()
    });
    assert_eq!(answer.status, 409, "{answer:?}");
    assert_eq!(count(&path, "SELECT verbosity FROM book"), 77);
}

#[test]
fn searches_wait_for_the_next_run() {
    let (_folder, path) = book();
    let server = Running::writing(&[&path]);
    let tasks = |path: &Path| count(path, "SELECT count(*) FROM tasks");
    assert_eq!(tasks(&path), 0);
    let line = json!({ "at": "f5f6e6f4g5", "level": 3 });
    let queued = post(&server, "/api/book/line", &line).json();
    let added = queued["searches"].as_i64().unwrap();
    assert!(added > 0 && queued["level"] == json!(3), "{queued}");
    assert_eq!(tasks(&path), added);
    let search = json!({ "at": "f5d6", "level": 4 });
    assert_eq!(post(&server, "/api/book/search", &search).status, 200);
    assert_eq!(tasks(&path), added + 1);
    let known = post(&server, "/api/book/line", &json!({ "at": "f5d6" }));
    assert_eq!(known.status, 400);
    assert!(known.text().contains("has all positions"), "{known:?}");
}

/// A run that was undone can't be continued, and isn't drawn as the last one.
#[test]
fn a_run_that_is_undone_is_shown_no_longer() {
    let (_folder, path) = book();
    let mut learner = Store::open_for_writing(&path, &Context::new("obook learn")).unwrap();
    let change = learner.change().unwrap();
    let number = change.number();
    let run = format!(
        "UPDATE leaves SET level = level + 1;
         INSERT INTO learning VALUES (1, '{{\"stages\":[{{\"rule\":\"play\"}}]}}', 0, 1, 2, 3, {number});
         INSERT INTO learned VALUES ({number}, 1, 0, 'play', 1.5, 2, 3, 4, 5, 0), ({number}, 2, 0, 'play', 3, 4, 6, 8, 9, 2);"
    );
    change.connection().execute_batch(&run).unwrap();
    change.commit(&()).unwrap();
    drop(learner);
    let server = Running::writing(&[&path]);
    let shown = || {
        let info = server.get("/api/book/info").json();
        let picture = server.get("/api/book/plot/growth.svg");
        (info["learning"]["change"].clone(), picture.status)
    };
    assert_eq!(shown(), (json!(number), 200));
    let undone = post(&server, "/api/book/undo", &json!({ "change": number }));
    assert_eq!(undone.status, 200, "{undone:?}");
    assert_eq!(shown(), (Value::Null, 404));
}

/// A page that makes a change knows the version that it made, so it can tell other changes from its own.
#[test]
fn a_change_makes_one_version() {
    let (_folder, path) = book();
    let server = Running::writing(&[&path]);
    let version = || server.get("/api/book/version").json();
    let first = version();
    let entered = json!({ "at": "f5d6", "value": 9 });
    assert_eq!(post(&server, "/api/book/value", &entered).status, 200);
    let second = version();
    assert_ne!(second, first);
    // The server looks four times a second whether the book has changed.
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(version(), second);
}

#[test]
fn only_the_page_itself_changes_a_book() {
    let (_folder, path) = book();
    let body = json!({ "at": "f5d6", "value": 9 }).to_string();
    let reading = Running::start(&[&path]);
    assert_eq!(reading.post("/api/book/value", &body).status, 403);
    let server = Running::writing(&[&path]);
    let token = server.token.clone().unwrap();
    let (_, port) = server.host.rsplit_once(':').unwrap();
    let (bearer, cookie) = (format!("Bearer {token}"), format!("obook-{port}={token}"));
    let own = format!("http://{}", server.host);
    let status = |headers: &[(&str, &str)]| {
        let answer = server.request("POST", "/api/book/value", headers, &body);
        answer.status
    };
    let host = ("Host", server.host.as_str());
    assert_eq!(status(&[host]), 401);
    assert_eq!(status(&[host, ("Authorization", "Bearer 0")]), 401);
    for origin in ["http://books.example", "http://127.0.0.1:1", "null"] {
        assert_eq!(
            status(&[host, ("Cookie", &cookie), ("Origin", origin)]),
            403
        );
    }
    assert_eq!(
        status(&[host, ("Cookie", &cookie), ("Sec-Fetch-Site", "same-site")]),
        403
    );
    // Another name that leads here: the browser would take it for the page's own.
    let other = [
        ("Host", "books.example"),
        ("Authorization", bearer.as_str()),
    ];
    assert_eq!(status(&other), 403);
    let sql = "SELECT count(*) FROM history WHERE command LIKE '%edit%'";
    assert_eq!(count(&path, sql), 0);
    assert_eq!(status(&[host, ("Cookie", &cookie), ("Origin", &own)]), 200);
    assert_eq!(count(&path, sql), 1);
    // SQL reads, whoever asks.
    let update = json!({ "sql": "UPDATE positions SET value = 0" });
    assert_eq!(post(&server, "/api/book/sql", &update).status, 400);
}

#[test]
fn what_is_impossible_is_explained() {
    let (_folder, path) = book();
    let file = obook_testing::golden::golden("games.dat");
    let server = Running::writing(&[&path, &file]);
    let refused = |path: &str, body: Value, status: u16, said: &str| {
        let answer = post(&server, path, &body);
        assert_eq!(answer.status, status, "{body}: {answer:?}");
        assert!(answer.text().contains(said), "{body}: {answer:?}");
    };
    let value = "/api/book/value";
    refused(
        value,
        json!({ "at": "f5d6", "value": 65 }),
        400,
        "-64 to 64",
    );
    refused(
        value,
        json!({ "at": "f5d6", "value": null }),
        400,
        "no value was entered",
    );
    refused(value, json!({ "at": "f5f5", "value": 1 }), 400, "f5");
    refused(value, json!({ "at": "f5d6", "worth": 1 }), 400, "worth");
    refused(value, json!([]), 400, "");
    for place in ["search", "line"] {
        refused(
            &format!("/api/book/{place}"),
            json!({ "at": "f5f6e6f4g5", "level": 200 }),
            400,
            "from 0 to 60, found 200",
        );
    }
    refused(
        "/api/games/value",
        json!({ "at": "f5", "value": 1 }),
        400,
        "book file",
    );
    // Another process is writing.
    let mut held = Store::open_for_writing(&path, &Context::new("another")).unwrap();
    let change = held.change().unwrap();
    let body = json!({ "at": "f5d6", "value": 1 });
    refused(value, body.clone(), 409, "another process is still writing");
    drop(change);
    assert_eq!(post(&server, value, &body).status, 200);
}

/// Law (The server): Marks and notes are rows in the book, which undo removes.
#[test]
fn marks_and_notes_are_kept_in_the_book_until_they_are_undone() {
    let (_folder, path) = book();
    let server = Running::writing(&[&path]);
    let repertoire = "/api/book/repertoire";
    let kept = || server.get(repertoire).json();
    let empty = json!({ "marks": [], "notes": [] });
    assert_eq!(kept(), empty);
    let note = "Don't “hurry”: $HOME `x` \\";
    let asked = json!({ "mark": ["f5", "f5f6e6"], "notes": [{ "at": "f5d6", "note": note }] });
    let answer = post(&server, repertoire, &asked);
    assert_eq!(answer.json(), json!({ "marks": 2, "notes": 1 }));
    let key = |line: &str| {
        let position = server.get(&format!("/api/book/position?at={line}"));
        position.json()["key"].clone()
    };
    let mark = |line: &str, side: &str| {
        let before = &line[..line.len() - 2];
        json!({ "line": line, "side": side, "key": key(before), "child": key(line) })
    };
    let marks = json!([mark("f5", "black"), mark("f5f6e6", "black")]);
    let notes = json!([{ "line": "f5d6", "key": key("f5d6"), "note": note }]);
    assert_eq!(kept(), json!({ "marks": marks, "notes": notes }));
    let sql = "SELECT count(*) FROM marks JOIN notes ON marks.child = board('f5') AND notes.board = child('f5', 'd6')";
    assert_eq!(count(&path, sql), 1);
    // The same move after a mirrored line, and the same position.
    let change =
        json!({ "mark": ["f5d6c3"], "unmark": ["d3"], "notes": [{ "at": "d3c5", "note": " " }] });
    assert_eq!(post(&server, repertoire, &change).status, 200);
    let left = json!([mark("f5d6c3", "black"), mark("f5f6e6", "black")]);
    assert_eq!(kept(), json!({ "marks": left, "notes": [] }));
    for expected in [json!({ "marks": marks, "notes": notes }), empty] {
        let history = store(&path).history().unwrap();
        let last = history
            .iter()
            .rfind(|change| change.undone.is_none())
            .unwrap();
        assert!(last.command.starts_with("obook query "), "{}", last.command);
        let undone = post(&server, "/api/book/undo", &json!({ "change": last.id }));
        assert_eq!(undone.status, 200, "{undone:?}");
        assert_eq!(kept(), expected);
    }
}

#[test]
fn a_repertoire_that_makes_no_sense_is_refused() {
    let (_folder, path) = book();
    let server = Running::writing(&[&path]);
    let refused = |body: Value, said: &str| {
        let answer = post(&server, "/api/book/repertoire", &body);
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
        assert!(answer.text().contains(said), "{body}: {answer:?}");
    };
    let from_start = "moves from the start position";
    refused(json!({ "mark": [""] }), from_start);
    refused(
        json!({ "mark": [format!("{}OX------OX{} X c4", "-".repeat(27), "-".repeat(27))] }),
        from_start,
    );
    refused(json!({ "mark": ["f5f5"] }), "f5");
    refused(json!({ "unmark": ["f5"] }), "nothing to change");
    let long = "x".repeat(1001);
    refused(
        json!({ "notes": [{ "at": "f5", "note": long }] }),
        "1000 characters",
    );
    refused(json!({ "marks": ["f5"] }), "marks");
    // Tables of the same names that a person made.
    let mut own = Store::open_for_writing(&path, &Context::new("another")).unwrap();
    let change = own.change().unwrap();
    let sql = "CREATE TABLE marks (school TEXT); CREATE TABLE notes (line, note); INSERT INTO notes VALUES ('zz', 'a'), ('f5', 'b')";
    change.connection().execute_batch(sql).unwrap();
    change.commit(&()).unwrap();
    refused(json!({ "mark": ["f5"] }), "aren't those of a repertoire");
    let answer = server.get("/api/book/repertoire");
    assert_eq!(answer.status, 400, "{answer:?}");
}
