//! `obook learn --nats` and `obook work`, with a real server: whatever is killed, the finished book is the one that threads make.

use crate::support::program::{arg, obook, stdout};
use rusqlite::Connection;
use rusqlite::types::Value as Cell;
use serde_json::Value;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::sleep;
use std::time::Duration;
use std::io::{BufRead, BufReader};
use tempfile::TempDir;

/// A recipe that is soon at its end.
const RECIPE: &str = "
[[stages]]
rule = { egaroucid-deviate = { per-move = 2, sum = 2, leaf = 2 } }
level = 1
depth = 7
[[stages]]
rule = { egaroucid-deviate = { per-move = 1, sum = 2, leaf = 1 } }
level = 2
depth = 8
";
/// A worker that is killed is given up after so long.
const LEASE: &str = "500ms";

/// The server's program: Debian has it where only root looks.
fn program() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let mut programs = folders.map(|folder| folder.join("nats-server"));
    let found = programs.find(|program| program.is_file());
    found.expect("nats-server is not installed, and these tests need it: `apt-get install nats-server`")
}

/// A process that ends with the test.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Running {
        Running(command.spawn().unwrap())
    }

    /// As `kill -9` does.
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server on a free port, and a folder for it and for books.
struct Server {
    folder: TempDir,
    port: u16,
    process: Running,
    configuration: String,
}

impl Server {
    fn new() -> Server {
        Server::with("")
    }

    /// A server with this in its configuration.
    fn with(configuration: &str) -> Server {
        let folder = tempfile::tempdir().unwrap();
        // Nobody else gets the same port soon again.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        std::fs::write(folder.path().join("recipe.toml"), RECIPE).unwrap();
        let process = Server::run(folder.path(), port, configuration);
        let configuration = configuration.to_owned();
        Server { folder, port, process, configuration }
    }

    fn run(folder: &Path, port: u16, configuration: &str) -> Running {
        let file = folder.join("server.conf");
        std::fs::write(&file, configuration).unwrap();
        let process = Running::start(
            Command::new(program())
                .args(["--jetstream", "--addr", "127.0.0.1", "--port", &port.to_string()])
                .args(["--store_dir", arg(&folder.join("streams")), "--config", arg(&file)])
                .stderr(Stdio::null()),
        );
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            sleep(Duration::from_millis(20));
        }
        process
    }

    /// Kills the server and starts it again.
    fn restart(&mut self) {
        self.process.kill();
        self.process = Server::run(self.folder.path(), self.port, &self.configuration);
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A worker, which goes on until it is dropped.
    fn worker(&self, name: &str) -> Running {
        self.worker_with(name, "inside")
    }

    fn worker_with(&self, name: &str, engine: &str) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_obook"));
        command.args(["work", &self.url(), "--name", name, "--jobs", "2", "--engine", engine]);
        Running::start(command.stdout(Stdio::null()).stderr(Stdio::null()))
    }

    /// A learner of this book.
    fn learner(&self, book: &Path, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_obook"));
        let recipe = self.path("recipe.toml");
        command.args(["learn", arg(book), "--recipe", arg(&recipe), "--json", "--nats", &self.url()]);
        command.args(["--lease", LEASE]).args(more);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The book that threads make.
    fn expected(&self) -> Vec<Vec<Cell>> {
        let book = self.path("threads.obook");
        stdout(["learn", arg(&book), "--recipe", arg(&self.path("recipe.toml"))]);
        contents(&book)
    }

    /// Lets the learner go on to its end.
    fn finish(&self, book: &Path, more: &[&str]) -> Value {
        let output = self.learner(book, more).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{complaint}");
        let lines = String::from_utf8(output.stdout).unwrap();
        serde_json::from_str(lines.lines().last().unwrap()).unwrap()
    }
}

/// All that a book says of positions, and what waits.
fn contents(book: &Path) -> Vec<Vec<Cell>> {
    let connection = Connection::open(book).unwrap();
    let mut all = Vec::new();
    for table in ["positions", "links", "leaves", "todo", "tasks"] {
        let mut statement = connection.prepare(&format!("SELECT '{table}', * FROM {table}")).unwrap();
        let width = statement.column_count();
        let cells = |row: &rusqlite::Row<'_>| (0..width).map(|column| row.get(column)).collect();
        let rows = statement.query_map([], cells).unwrap();
        all.extend(rows.map(Result::unwrap));
    }
    assert!(all.len() > 300, "{} rows", all.len());
    all
}

/// The lines that a learner writes, as they come.
fn lines(learner: &mut Running) -> Receiver<Value> {
    let (send, lines) = channel();
    let out = BufReader::new(learner.0.stdout.take().unwrap());
    std::thread::spawn(move || {
        for line in out.lines().map_while(Result::ok) {
            if send.send(serde_json::from_str(&line).unwrap()).is_err() {
                return;
            }
        }
    });
    lines
}

#[test]
fn machines_make_the_book_that_threads_make() {
    let server = Server::new();
    let expected = server.expected();
    let book = server.path("book.obook");
    let _workers = ["one", "two", "three"].map(|name| server.worker(name));
    let learned = server.finish(&book, &[]);
    assert_eq!(contents(&book), expected);
    assert_eq!(learned["stopped"], Value::Null);
    assert_eq!(learned["failed"], 0);
    // One change, which is taken back as a whole.
    stdout(["undo", arg(&book)]);
    assert!(stdout(["verify", arg(&book)]).contains("Nothing is wrong"));
}

#[test]
fn one_worker_alone_is_enough() {
    let server = Server::new();
    let expected = server.expected();
    let book = server.path("book.obook");
    let _worker = server.worker("alone");
    server.finish(&book, &[]);
    assert_eq!(contents(&book), expected);
}

/// Workers are killed all the time, each of them with searches at hand.
#[test]
fn killed_workers_lose_nothing() {
    let server = Server::new();
    let expected = server.expected();
    let book = server.path("book.obook");
    let mut learner = Running::start(&mut server.learner(&book, &["--batch", "8"]));
    let told = lines(&mut learner);
    let mut killed = 0;
    let _steady = server.worker("steady");
    let mut worker = server.worker("unsteady");
    for event in &told {
        if event["event"] == "end" {
            assert_eq!(event["stopped"], Value::Null, "{event}");
            break;
        }
        if killed < 12 {
            worker.kill();
            worker = server.worker("unsteady");
            killed += 1;
        }
    }
    assert_eq!(killed, 12);
    assert_eq!(learner.0.wait().unwrap().code(), Some(0));
    assert_eq!(contents(&book), expected);
}

#[test]
fn a_killed_server_loses_nothing() {
    let mut server = Server::new();
    let expected = server.expected();
    let book = server.path("book.obook");
    let _workers = ["one", "two"].map(|name| server.worker(name));
    let mut learner = Running::start(&mut server.learner(&book, &["--batch", "16"]));
    let told = lines(&mut learner);
    let mut killed = 0;
    for event in &told {
        if event["event"] == "progress" && killed < 3 {
            server.restart();
            killed += 1;
        }
    }
    assert_eq!(killed, 3);
    assert_eq!(learner.0.wait().unwrap().code(), Some(0));
    assert_eq!(contents(&book), expected);
}

#[test]
fn killed_learners_lose_nothing_and_ask_nothing_twice() {
    let server = Server::new();
    let expected = server.expected();
    let book = server.path("book.obook");
    let mut worker = Command::new(env!("CARGO_BIN_EXE_obook"));
    worker.args(["work", &server.url(), "--name", "one", "--jobs", "1", "--json"]);
    let mut worker = Running::start(worker.stdout(Stdio::piped()).stderr(Stdio::null()));
    let searched = lines(&mut worker);
    for _ in 0..6 {
        let mut learner = Running::start(&mut server.learner(&book, &["--batch", "8"]));
        let told = lines(&mut learner);
        let first = told.recv().unwrap();
        assert_eq!(first["event"], "progress", "{first}");
        learner.kill();
    }
    server.finish(&book, &[]);
    assert_eq!(contents(&book), expected);
    // Each question that was asked was answered once, but for what was on its way when a learner ended.
    let answers: Vec<Value> = searched.try_iter().filter(|it| it["event"] == "answer").collect();
    let totals = Connection::open(&book).unwrap();
    let count: i64 = totals
        .query_row("SELECT sum(json_extract(counts, '$.searches')) FROM history", [], |row| row.get(0))
        .unwrap();
    assert!(answers.len() as i64 >= count, "{} of {count}", answers.len());
    assert!(answers.len() as i64 <= count + 6 * 32, "{} of {count}", answers.len());
}

/// An engine that finds a legal move, and says that it is worth 12 discs.
#[cfg(unix)]
#[test]
fn a_worker_that_is_wrong_is_told_apart() {
    let server = Server::new();
    let expected = server.expected();
    let book = server.path("book.obook");
    let _right = ["one", "two"].map(|name| server.worker(name));
    let liar = server.path("liar.py");
    std::fs::write(&liar, LIAR).unwrap();
    let mut wrong = Command::new("/usr/bin/python3");
    wrong.args([arg(&liar), &server.port.to_string()]);
    let _wrong = Running::start(wrong.stdout(Stdio::null()));
    let output = server.learner(&book, &[]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("worker liar is refused"), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(contents(&book), expected);
}
