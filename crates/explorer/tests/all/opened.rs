//! Books and games that a browser sends.

use crate::support::{PGN, Running, book, escaped};
use serde_json::{Value, json};
use std::path::Path;

/// Sends files, and returns the status and the answer.
fn open(server: &Running, files: &[(&str, &[u8])]) -> (u16, Value) {
    let names = files.iter();
    let names = names.map(|(name, bytes)| json!({ "name": name, "bytes": bytes.len() }));
    let names = Value::from_iter(names).to_string();
    let body: Vec<u8> = files.iter().flat_map(|(_, bytes)| bytes.to_vec()).collect();
    let answer = server.post_bytes(&format!("/api/open?files={}", escaped(&names)), &body);
    (answer.status, answer.json())
}

fn example(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    std::fs::read(folder.join(name)).unwrap()
}

/// A book file is served from a copy, so the page keeps marks and notes in the browser.
#[test]
fn a_book_file_cannot_be_changed() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/games.dat");
    let (_folder, path) = book();
    let books = Running::writing(&[&path, &file]).get("/api/books").json();
    let copied = books["books"].as_array().unwrap().iter();
    let copied: Vec<_> = copied.map(|book| &book["copied"]).collect();
    assert_eq!(copied, [false, true]);
}

/// Law (The server): Books and games that a browser sends are bounded, served until more come, and never written.
/// Also: `games_of_every_format_are_listed_and_opened` `what_is_no_book_is_refused` `the_oldest_goes`
#[test]
fn a_sent_book_is_served_and_cannot_be_changed() {
    let (_folder, path) = book();
    let server = Running::writing(&[&path]);
    let database = std::fs::read(&path).unwrap();
    for (name, bytes, as_name) in [
        ("../../games.dat", example("games.dat"), "games"),
        ("book.obook", database, "book-2"),
    ] {
        let (status, entry) = open(&server, &[(name, &bytes)]);
        assert_eq!(status, 200, "{entry}");
        assert_eq!(
            (&entry["name"], &entry["copied"]),
            (&json!(as_name), &json!(true))
        );
        assert_eq!(entry["bytes"], bytes.len());
        assert!(entry["positions"].as_u64().unwrap() > 1000, "{entry}");
        let asked = format!("/api/{as_name}/position?at=f5d6");
        assert_eq!(
            server.get(&asked).json()["value"],
            server.get("/api/book/position?at=f5d6").json()["value"]
        );
        let change = json!({ "at": "f5d6", "value": 9 }).to_string();
        let refused = server.post(&format!("/api/{as_name}/value"), &change);
        assert_eq!(refused.status, 403);
        let info = server.get(&format!("/api/{as_name}/info")).text();
        assert!(
            !info.contains(std::env::temp_dir().to_str().unwrap()),
            "{info}"
        );
    }
    let books = server.get("/api/books").json();
    let copied = books["books"].as_array().unwrap().iter();
    assert_eq!(
        copied
            .map(|book| book["copied"] == json!(true))
            .collect::<Vec<_>>(),
        [false, true, true]
    );
}

#[test]
fn games_of_every_format_are_listed_and_opened() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    let wthor = ["levels.jou", "levels.wtb", "levels.trn"].map(|name| (name, example(name)));
    let wthor = wthor.each_ref().map(|(name, bytes)| (*name, &bytes[..]));
    let ggf = "(;GM[Othello]PB[left]PW[right]RE[+64.000]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5/1/2]W[D6]B[C3];)\n".repeat(2);
    for (files, first, count) in [
        (&wthor[..], None, 50),
        (&[("a.pgn", PGN.as_bytes())][..], Some("Sekiguchi"), 2),
        (&[("a.ggf", ggf.as_bytes())][..], Some("left"), 2),
        (&[("pasted", &b"f5d6c3\nf5f6e6f4\n"[..])][..], None, 2),
    ] {
        let (status, entry) = open(&server, files);
        assert_eq!((status, &entry["positions"]), (200, &json!(0)), "{entry}");
        let name = entry["name"].as_str().unwrap();
        let listed = server
            .get(&format!("/api/{name}/games?anywhere=true&limit={count}"))
            .json();
        let listed = listed["games"].as_array().unwrap();
        assert_eq!(listed.len(), count, "{files:?}");
        if let Some(first) = first {
            assert!(
                listed.iter().any(|game| game["black"] == json!(first)),
                "{listed:?}"
            );
        }
        for game in listed {
            let number = &game["game"];
            let found = server
                .get(&format!("/api/{name}/game?number={number}"))
                .json();
            assert_eq!(found["game"]["black"], game["black"]);
            let record = found["game"]["record"].as_str().unwrap();
            assert!(record.starts_with("(;GM[Othello]"), "{record}");
            let line = found["line"].as_str().unwrap();
            let asked = format!("/api/book/review?at={}&level=1&record=", escaped(line));
            if files.len() == 1 {
                let reviewed = server.get(&(asked + &escaped(record))).lines();
                let written = reviewed[0]["ggf"].as_str().unwrap();
                assert!(first.is_none_or(|_| written.contains("PB[")), "{written}");
            }
        }
        // Names come from the lists.
        let unnamed = json!("player 1");
        assert!(listed.iter().all(|game| game["black"] != unnamed));
        assert_eq!(
            server.get(&format!("/api/{name}/game?number=99")).status,
            404
        );
    }
    let other = server.get(&format!(
        "/api/book/review?at=f5d6&record={}",
        escaped(&ggf)
    ));
    assert_eq!(other.status, 400, "the record of another game");
}

#[test]
fn what_is_no_book_is_refused() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    let refused = |files: &[(&str, &[u8])], why: &str| {
        let (status, answer) = open(&server, files);
        let said = answer["error"].as_str().unwrap().to_owned();
        assert_eq!((status, said.contains(why)), (400, true), "{said}");
        assert!(
            !said.contains(std::env::temp_dir().to_str().unwrap()),
            "{said}"
        );
    };
    let nine: Vec<(&str, &[u8])> = vec![("a", b"f5"); 9];
    refused(&[], "1 to 8 files");
    refused(&nine, "1 to 8 files");
    refused(
        &[("a.txt", b"f5"), ("b/../a.txt", b"f5")],
        "names of their own",
    );
    refused(&[("..", b"f5")], "names of their own");
    for magic in [
        &b"PK\x03\x04"[..],
        b"\x1f\x8b\x08",
        b"BZh9",
        b"\x28\xb5\x2f\xfd",
        b"\x50\x2a\x4d\x18",
    ] {
        refused(&[("a.wtb", magic)], "unpack it first");
    }
    for name in ["a.ZIP", "a.zi/p/b.z?ip"] {
        refused(&[(name, b"f5d6c3\nPK\x03\x04")], "unpack it first");
    }
    refused(&[("a.txt", b"xPK\x03\x04")], "found 78 50 4b");
    refused(&[("a.png", b"\x89PNG\r\n\x1a\n\0\0\0\0\0\0\0\0")], "a.png");
    refused(&[("a.obook", b"SQLite format 3\0nothing")], "");
    refused(
        &[("levels.jou", &example("levels.jou"))],
        "a list of players",
    );
    let (games, levels) = (example("games.dat"), example("levels.wtb"));
    for second in [("small.dat", &games), ("levels.wtb", &levels)] {
        let files = [("games.dat", &games[..]), (second.0, &second.1[..])];
        refused(&files, "games.dat: a book among several files");
    }
    let short = server.post_bytes(
        "/api/open?files=%5B%7B%22name%22%3A%22a%22%2C%22bytes%22%3A99%7D%5D",
        b"f5",
    );
    assert_eq!(short.status, 400);
    for files in ["", "1", "[1]", "[{\"name\":1}]"] {
        let answer = server.post(&format!("/api/open?files={}", escaped(files)), "");
        assert_eq!(answer.status, 400, "{files}");
    }
    let long = vec![b'x'; (32 << 20) + 1];
    assert_eq!(open(&server, &[("a.txt", &long)]).0, 413);
    assert_eq!(open(&server, &[("a.txt", &long[..3 << 20])]).0, 400);
    let many = "f5d6c3\n".repeat(50_001);
    refused(&[("many.txt", many.as_bytes())], "more than 50000 games");
    assert_eq!(
        server.get("/api/books").json()["books"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn games_with_a_faulty_record_are_counted() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    for (name, text, faulty) in [
        ("a", "f5d6c3\nf5f6\n", 0),
        ("b", "f5d6c3\nxx\nf5f6\n", 1),
        ("c", "f5d6c3\nf5f6a1\nxx\n", 2),
    ] {
        let (status, entry) = open(&server, &[(name, text.as_bytes())]);
        assert_eq!((status, &entry["faulty"]), (200, &json!(faulty)), "{entry}");
    }
}

#[test]
fn the_oldest_goes() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    for name in ["a", "b", "c", "d", "e"] {
        assert_eq!(open(&server, &[(name, b"f5d6c3\n")]).0, 200);
    }
    let books = server.get("/api/books").json();
    let names: Vec<_> = books["books"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].clone())
        .collect();
    assert_eq!(names, ["book", "b", "c", "d", "e"]);
    assert_eq!(server.get("/api/a/position").status, 404);
}
