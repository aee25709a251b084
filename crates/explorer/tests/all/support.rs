//! A server on a free port, and a small client.

use obook::{Context, Store};
use obook_engine::Stop;
use obook_explorer::{Options, Server};
use serde_json::Value;
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::net::{IpAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use tempfile::TempDir;

/// Two games of strangers.
pub(crate) const PGN: &str = "[Event \"Kanto\"]\n[Date \"2004.05.??\"]\n[Black \"Sekiguchi\"]\n[White \"<b>\"]\n[Result \"33-31\"]\n\n1. f5 d6 2. c3 d3 33-31\n\n\
    [Event \"Kanto\"]\n[Black \"A\"]\n[White \"B\"]\n[Result \"*\"]\n\n1. f5 f6 *\n";

/// A server that runs until this is dropped.
pub(crate) struct Running {
    /// Such as `127.0.0.1:41234`.
    pub(crate) host: String,
    pub(crate) token: Option<String>,
    bearer: Option<String>,
    stop: Stop,
    thread: Option<JoinHandle<obook::Result<()>>>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// Lines of JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let text = self.text();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

impl Running {
    pub(crate) fn start(books: &[&Path]) -> Running {
        Running::at("127.0.0.1".parse().unwrap(), books)
    }

    pub(crate) fn at(address: IpAddr, books: &[&Path]) -> Running {
        let options = Options {
            address,
            ..Options::default()
        };
        Running::with(options, books)
    }

    /// A server through which the books can be changed.
    pub(crate) fn writing(books: &[&Path]) -> Running {
        let options = Options {
            write: true,
            ..Options::default()
        };
        Running::with(options, books)
    }

    fn with(options: Options, books: &[&Path]) -> Running {
        let books: Vec<PathBuf> = books.iter().map(|book| book.to_path_buf()).collect();
        let options = Options {
            port: Some(0),
            ..options
        };
        let server = Server::open(&books, &options, &Context::default()).unwrap();
        let url = server.url().unwrap();
        let rest = url.strip_prefix("http://").unwrap();
        let (host, query) = rest.split_once('/').unwrap();
        let token = query.strip_prefix("?token=").map(str::to_owned);
        let stop = Stop::default();
        let stopped = stop.clone();
        let thread = std::thread::spawn(move || server.run(&stopped));
        Running {
            host: host.replace("0.0.0.0", "127.0.0.1"),
            bearer: token.as_ref().map(|token| format!("Bearer {token}")),
            token,
            stop,
            thread: Some(thread),
        }
    }

    /// The headers of a program that knows the token, if there is one.
    fn own_headers(&self) -> Vec<(&str, &str)> {
        let host = ("Host", self.host.as_str());
        let bearer = self.bearer.as_deref();
        let bearer = bearer.map(|bearer| ("Authorization", bearer));
        std::iter::once(host).chain(bearer).collect()
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.request("GET", path, &self.own_headers(), "")
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Response {
        self.request("POST", path, &self.own_headers(), body)
    }

    pub(crate) fn post_bytes(&self, path: &str, body: &[u8]) -> Response {
        let mut stream = self.send_bytes("POST", path, &self.own_headers(), body);
        answered(&mut stream)
    }

    pub(crate) fn sql(&self, sql: &str) -> Response {
        let body = serde_json::json!({ "sql": sql }).to_string();
        self.post("/api/book/sql", &body)
    }

    /// Opens a connection and sends a request on it.
    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> TcpStream {
        self.send_bytes(method, path, headers, body.as_bytes())
    }

    fn send_bytes(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> TcpStream {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            write!(text, "{name}: {value}\r\n").unwrap();
        }
        write!(text, "Content-Length: {}\r\n\r\n", body.len()).unwrap();
        let mut stream = TcpStream::connect(&self.host).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        // A server that refuses need not read it all.
        let _ = stream.write_all(body);
        stream
    }

    pub(crate) fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response {
        let mut stream = self.send(method, path, headers, body);
        answered(&mut stream)
    }

    /// Stops the server and waits until it has ended.
    pub(crate) fn stop(&mut self) {
        self.stop.set();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Reads until the server closes the connection, or breaks it off after its answer.
fn answered(stream: &mut TcpStream) -> Response {
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    assert!(read.is_ok() || !answer.is_empty(), "{read:?}");
    parse(&answer)
}

fn parse(answer: &[u8]) -> Response {
    let end = answer.windows(4).position(|it| it == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no answer: {:?}", String::from_utf8_lossy(answer)));
    let head = std::str::from_utf8(&answer[..end]).unwrap();
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap();
    let header = |line: &str| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.to_lowercase(), value.to_owned())
    };
    let mut response = Response {
        status: status.parse().unwrap(),
        headers: lines.map(header).collect(),
        body: answer[end + 4..].to_vec(),
    };
    if response.header("transfer-encoding") == Some("chunked") {
        response.body = unchunked(&response.body);
    }
    response
}

fn unchunked(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = rest.windows(2).position(|it| it == b"\r\n") {
        let size = std::str::from_utf8(&rest[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        body.extend_from_slice(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 2 + size + 2..];
    }
    body
}

/// A parameter of an address, escaped.
pub(crate) fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

/// A database of a golden book with sample games beside it, named `book`.
pub(crate) fn book() -> (TempDir, PathBuf) {
    let (folder, path) = obook_testing::imported::imported("games.dat");
    let mut store = Store::open_for_writing(&path, &Context::new("test")).unwrap();
    let games = obook_games::Reader::open(obook_testing::games::sample(), None).unwrap();
    let games = games.map(|entry| Ok(entry.unwrap()));
    obook::games::import(&mut store, games).unwrap();
    (folder, path)
}
