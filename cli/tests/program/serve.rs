//! `obook serve`.

use crate::support::program::{arg, obook, stdout};
use crate::support::report::GAMES;
use crate::support::root;
use obook_needs::needs;
use obook_testing::golden::golden;
use rusqlite::Connection;
use serde_json::{Value, from_str, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// A running server; returns it with its host and port, and the token if there is one.
fn serve(book: &str, options: &[&str]) -> (Child, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(["serve", book, "--port", "0"])
        .args(options)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let out = child.stdout.as_mut().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    let address = line.trim_end().strip_prefix("http://").unwrap();
    let (host, query) = address.split_once('/').unwrap();
    let token = query.strip_prefix("?token=").unwrap_or_default();
    (child, host.to_owned(), token.to_owned())
}

/// Ends a server as Ctrl-C does.
fn interrupt(server: &mut Child) {
    let id = server.id().to_string();
    let kill = Command::new("kill").args(["-INT", &id]).status();
    assert!(kill.unwrap().success());
    assert_eq!(server.wait().unwrap().code(), Some(0));
}

fn get(host: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {host}\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split_once("\r\n\r\n").unwrap().1.to_owned()
}

/// A position has the values that `obook show` prints, the page is there, and Ctrl-C ends the server in order.
#[test]
fn books_are_served_until_ctrl_c() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("games.obook");
    stdout(["import", GAMES, "--book", arg(&book)]);
    let shown: Value = from_str(&stdout(["show", arg(&book), "f5d6", "--json"])).unwrap();
    for path in [arg(&book), GAMES] {
        let (mut server, host, _) = serve(path, &[]);
        let answer: Value = from_str(&get(&host, "/api/games/position?at=f5d6")).unwrap();
        for name in [
            "value", "lower", "upper", "level", "engine", "key", "opening",
        ] {
            assert_eq!(answer[name], shown[name], "{name}");
        }
        assert!(get(&host, "/").contains("<!doctype html>"));
        interrupt(&mut server);
    }
}

#[cfg(feature = "starter")]
#[test]
fn the_starter_book_is_served_under_its_name() {
    // An option takes the place of a book.
    for book in ["starter", "--wait=60"] {
        let (mut server, host, _) = serve(book, &[]);
        let [info, books] = ["starter/info", "books"]
            .map(|path| from_str::<Value>(&get(&host, &format!("/api/{path}"))).unwrap());
        for told in [&info, &books["books"][0]] {
            assert_eq!(told["file"], "starter", "{book}: {told}");
        }
        interrupt(&mut server);
    }
}

/// The page's review has the numbers of `obook check`, at each of its levels.
#[test]
fn a_review_is_what_check_says() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("games.obook");
    stdout(["import", GAMES, "--book", arg(&book)]);
    let (mut server, host, _) = serve(arg(&book), &[]);
    // The book knows all of the first line, so that nothing is left to search.
    let game = fs::read_to_string(root().join("examples/game.txt")).unwrap();
    for (line, expected) in [
        ("f5d6c3", &[2][..]),
        ("f5f6e6f4g5", &[2, 5]),
        (game.trim(), &[2, 5]),
    ] {
        let answer = get(&host, &format!("/api/games/review?at={line}&level=5"));
        let mut levels = Vec::new();
        for review in answer.lines() {
            let review: Value = from_str(review).unwrap();
            let level = review["level"].to_string();
            let check = [
                "check",
                line,
                "--book",
                arg(&book),
                "--level",
                &level,
                "--json",
            ];
            let checked: Value = from_str(&stdout(check)).unwrap();
            let game = &checked["games"][0];
            assert_eq!(review["value"], game["start"]["score"]);
            let moves = game["moves"].as_array().unwrap();
            let reviewed = review["moves"].as_array().unwrap();
            assert_eq!(reviewed.len(), moves.len());
            for (reviewed, mv) in reviewed.iter().zip(moves) {
                assert_eq!(reviewed["square"], mv["move"]);
                assert_eq!(
                    (&reviewed["loss"], &reviewed["best"]),
                    (&mv["loss"], &mv["best"]),
                    "{mv}"
                );
                assert_eq!(reviewed["source"], mv["after"]["source"]);
            }
            for side in ["black", "white"] {
                let of_side = |mv: &&Value| mv["side"] == side && mv["choice"] == true;
                let losses = moves
                    .iter()
                    .filter(of_side)
                    .map(|mv| mv["loss"].as_i64().unwrap());
                assert_eq!(review[side]["loss"], losses.sum::<i64>());
            }
            levels.push(review["level"].as_u64().unwrap());
        }
        assert_eq!(levels, expected, "{line}");
    }
    interrupt(&mut server);
}

/// Another program with the book open, and a SQLite of its own: ours doesn't even try to remove the log that others use.
struct Other {
    python: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Other {
    fn start(book: &Path) -> Other {
        let script = "import sqlite3, sys
book = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=1)
for sql in sys.stdin:
    print(book.execute(sql).fetchall(), flush=True)
book.close()";
        let mut python = Command::new("/usr/bin/python3")
            .args(["-c", script, arg(book)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Other {
            input: python.stdin.take().unwrap(),
            output: BufReader::new(python.stdout.take().unwrap()),
            python,
        }
    }

    /// Runs a statement, and returns when it is done.
    fn run(&mut self, sql: &str) {
        writeln!(self.input, "{sql}").unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        assert!(answer.starts_with('['), "{sql}: {answer}");
    }

    /// Closes the book.
    fn end(self) {
        let Other {
            mut python, input, ..
        } = self;
        drop(input);
        assert!(python.wait().unwrap().success());
    }
}

/// The server and a program that knows nothing of it take turns in writing, and nothing is lost that either has acknowledged.
#[needs(python3)]
#[test]
fn acknowledged_changes_stay_whatever_other_programs_do() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.obook");
    let small = golden("small.dat");
    stdout(["import", arg(&small), "--book", arg(&book)]);
    let (mut server, host, token) = serve(arg(&book), &["--write"]);
    let request = |method: &str, path: &str, body: &str| {
        let mut stream = TcpStream::connect(&host).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().to_owned();
        (status, from_str::<Value>(body).unwrap())
    };
    let enter = |value: i32| {
        let body = json!({ "at": "f5d6", "value": value }).to_string();
        request("POST", "/api/book/value", &body).0
    };
    for round in [5, 10] {
        let mut other = Other::start(&book);
        other.run("BEGIN IMMEDIATE");
        other.run(&format!("UPDATE book SET verbosity = {round}"));
        assert_eq!(enter(round), "409", "the other program is writing");
        other.run("COMMIT");
        other.end();
        assert_eq!(enter(round + 1), "200");
        // A program that only reads is not the last to use the book.
        let mut reader = Other::start(&book);
        reader.run("SELECT count(*) FROM positions");
        reader.end();
        assert!(folder.path().join("book.obook-wal").exists());
        let value = (round + 2).to_string();
        let edited = obook(["edit", arg(&book), "f5d6", "--value", &value]);
        assert!(edited.status.success(), "{edited:?}");
        let (status, position) = request("GET", "/api/book/position?at=f5d6", "");
        assert_eq!((&*status, &position["value"]), ("200", &json!(round + 2)));
    }
    interrupt(&mut server);
    let book = Connection::open(&book).unwrap();
    let ask = |sql: &str| {
        book.query_row(sql, [], |row| row.get::<_, String>(0))
            .unwrap()
    };
    let edits =
        "SELECT group_concat(substr(command, -2), '') FROM history WHERE command LIKE '% edit %'";
    assert_eq!(ask(edits), " 6 71112");
    assert_eq!(ask("SELECT CAST(verbosity AS TEXT) FROM book"), "10");
    assert_eq!(ask("PRAGMA integrity_check"), "ok");
}
