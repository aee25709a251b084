//! `obook serve`.

use crate::support::program::{arg, stdout};
use crate::support::report::GAMES;
use serde_json::{Value, from_str};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A running server; returns it with its host and port.
fn serve(book: &str) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(["serve", book, "--port", "0"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let out = child.stdout.as_mut().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    let host = line
        .strip_prefix("http://")
        .unwrap()
        .trim_end_matches("/\n");
    let host = host.to_owned();
    (child, host)
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
        let (mut server, host) = serve(path);
        let answer: Value = from_str(&get(&host, "/api/games/position?at=f5d6")).unwrap();
        for name in [
            "value", "lower", "upper", "level", "engine", "key", "opening",
        ] {
            assert_eq!(answer[name], shown[name], "{name}");
        }
        assert!(get(&host, "/").contains("<!doctype html>"));
        let id = server.id().to_string();
        let kill = Command::new("kill").args(["-INT", &id]).status();
        assert!(kill.unwrap().success());
        assert_eq!(server.wait().unwrap().code(), Some(0));
    }
}
