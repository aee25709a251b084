//! `obook learn --nats` and `obook work`, with a real server: whatever is killed, the finished book is the one that threads make.

mod files;
mod rights;

use crate::support::program::{arg, json, stdout};
use obook_engine::wire;
use obook_testing::answer::answer;
use obook_testing::book_rows::{Rows, rows};
use rusqlite::Connection;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::sleep;
use std::time::Duration;
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
    found.expect(
        "nats-server is not installed, and these tests need it: `apt-get install nats-server`",
    )
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
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        std::fs::write(folder.path().join("recipe.toml"), RECIPE).unwrap();
        let process = Server::run(folder.path(), port, configuration);
        let configuration = configuration.to_owned();
        Server {
            folder,
            port,
            process,
            configuration,
        }
    }

    fn run(folder: &Path, port: u16, configuration: &str) -> Running {
        let file = folder.join("server.conf");
        std::fs::write(&file, configuration).unwrap();
        let process = Running::start(
            Command::new(program())
                .args([
                    "--jetstream",
                    "--addr",
                    "127.0.0.1",
                    "--port",
                    &port.to_string(),
                ])
                .args([
                    "--store_dir",
                    arg(&folder.join("streams")),
                    "--config",
                    arg(&file),
                ])
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
        command.args([
            "work",
            &self.url(),
            "--name",
            name,
            "--jobs",
            "2",
            "--engine",
            engine,
        ]);
        Running::start(command.stdout(Stdio::null()).stderr(Stdio::null()))
    }

    /// A learner of this book.
    fn learner(&self, book: &Path, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_obook"));
        let recipe = self.path("recipe.toml");
        command.args([
            "learn",
            arg(book),
            "--recipe",
            arg(&recipe),
            "--json",
            "--nats",
            &self.url(),
        ]);
        command.args(["--lease", LEASE]).args(more);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The book that threads make.
    fn expected(&self) -> Rows {
        let book = self.path("threads.obook");
        stdout([
            "learn",
            arg(&book),
            "--recipe",
            arg(&self.path("recipe.toml")),
        ]);
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

/// All that a book says of positions. Nothing waits.
fn contents(book: &Path) -> Rows {
    let connection = Connection::open(book).unwrap();
    let count = |table| {
        let sql = format!("SELECT count(*) FROM {table}");
        connection
            .query_row(&sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    assert_eq!((count("tasks"), count("todo")), (0, 0));
    assert!(count("positions") > 100, "{} positions", count("positions"));
    rows(book)
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
    worker.args([
        "work",
        &server.url(),
        "--name",
        "one",
        "--jobs",
        "1",
        "--json",
    ]);
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
    let answers: Vec<Value> = searched
        .try_iter()
        .filter(|it| it["event"] == "answer")
        .collect();
    let totals = Connection::open(&book).unwrap();
    let count: i64 = totals
        .query_row(
            "SELECT sum(json_extract(counts, '$.searches')) FROM history",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert!(
        answers.len() as i64 >= count,
        "{} of {count}",
        answers.len()
    );
    assert!(
        answers.len() as i64 <= count + 6 * 32,
        "{} of {count}",
        answers.len()
    );
}

/// So many of them tell a liar apart.
const LIES: usize = 64;

/// Speaks with the server as a worker does, and says of each board that it is worth 14 discs.
fn lie(port: u16) -> std::io::Result<()> {
    let stream = TcpStream::connect(("127.0.0.1", port))?;
    let mut out = stream.try_clone()?;
    let mut lines = BufReader::new(stream);
    let next = "$JS.API.CONSUMER.MSG.NEXT.OBOOK_TASKS.obook";
    let ask = r#"{"batch":1,"expires":1000000000}"#;
    write!(
        out,
        "CONNECT {{\"verbose\":false,\"headers\":true,\"no_responders\":true}}\r\nSUB _INBOX_liar.> 1\r\n"
    )?;
    // It pays no heed to being refused; those who run the server take its rights away.
    for _ in 0..LIES {
        write!(out, "PUB {next} _INBOX_liar.q {}\r\n{ask}\r\n", ask.len())?;
        let (subject, acknowledge, payload) = loop {
            let mut line = String::new();
            if lines.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            if words == ["PING"] {
                write!(out, "PONG\r\n")?;
            }
            if !["MSG", "HMSG"].contains(&words[0]) {
                continue;
            }
            let length: usize = words[words.len() - 1].parse().unwrap();
            let mut payload = vec![0; length + 2];
            lines.read_exact(&mut payload)?;
            match words[..] {
                ["MSG", subject, _, reply, _] => {
                    break (subject.to_owned(), reply.to_owned(), payload);
                }
                // There is no question now, or no learner yet.
                _ => {
                    sleep(Duration::from_millis(20));
                    write!(out, "PUB {next} _INBOX_liar.q {}\r\n{ask}\r\n", ask.len())?;
                }
            }
        };
        let question = wire::Question::from_line(payload.trim_ascii_end()).unwrap();
        let first = question.request.moves().next().unwrap();
        let answer = answer(&question.request, question.engine, first, 14);
        let worker = "liar".parse().unwrap();
        let reply = wire::Reply {
            question,
            answer: Ok(answer),
            worker,
        }
        .to_line();
        let book = subject.split('.').nth(3).unwrap();
        write!(
            out,
            "PUB obook.answers.{book}.liar {}\r\n{reply}\r\n",
            reply.len()
        )?;
        write!(out, "PUB {acknowledge} 4\r\n+ACK\r\n")?;
    }
    Ok(())
}

#[test]
fn a_worker_that_is_wrong_is_told_apart() {
    let server = Server::new();
    let expected = server.expected();
    let book = server.path("book.obook");
    let _right = ["one", "two"].map(|name| server.worker(name));
    let mut learner = server.learner(&book, &["--check-one-in", "4"]);
    let said = server.path("said");
    let mut learner = Running::start(learner.stderr(std::fs::File::create(&said).unwrap()));
    let told = lines(&mut learner);
    assert_eq!(told.recv().unwrap()["event"], "progress");
    let port = server.port;
    // It ends with the server.
    std::thread::spawn(move || lie(port));
    assert_eq!(told.iter().last().unwrap()["event"], "end");
    let said = std::fs::read_to_string(said).unwrap();
    assert_eq!(learner.0.wait().unwrap().code(), Some(0), "{said}");
    assert!(said.contains("worker liar is refused"), "{said}");
    assert_eq!(contents(&book), expected);
}

#[test]
fn what_is_on_its_way_is_told() {
    let server = Server::new();
    let book = server.path("book.obook");
    let status = || {
        json([
            "learn",
            arg(&book),
            "--status",
            "--nats",
            &server.url(),
            "--json",
        ])
    };
    stdout(["learn", arg(&book), "--limit", "1", "--level", "1"]);
    assert_eq!(
        (&status()["nats"], &status()["waiting"]),
        (
            &serde_json::json!({ "engines": [], "answers": 0 }),
            &0.into()
        )
    );
    let mut learner = Running::start(&mut server.learner(&book, &[]));
    // Nobody searches, so what is asked stays there.
    let asked = loop {
        let asked = status()["nats"]["engines"][0].clone();
        if asked["waiting"].as_u64() > Some(0) {
            break asked;
        }
        sleep(Duration::from_millis(20));
    };
    assert_eq!(
        (&asked["engine"], &asked["taken"]),
        (&"obook".into(), &0.into())
    );
    learner.kill();
    // Now there is nobody who takes the answers.
    let _workers = ["one", "two"].map(|name| server.worker(name));
    let answers = loop {
        let now = status()["nats"].clone();
        if now["engines"][0]["waiting"] == 0 && now["engines"][0]["taken"] == 0 {
            break now["answers"].as_u64().unwrap();
        }
        sleep(Duration::from_millis(20));
    };
    assert!(answers > 0);
    let told = stdout(["learn", arg(&book), "--status", "--nats", &server.url()]);
    let told: Vec<&str> = told
        .lines()
        .filter(|line| line.contains("server"))
        .collect();
    assert!(
        told[0].starts_with(
            "at the server, for obook: 0 questions waiting, 0 with workers, room for "
        )
    );
    assert_eq!(
        told[1],
        format!("at the server: {answers} answers not in the book yet")
    );
    server.finish(&book, &[]);
    assert_eq!(status()["nats"]["answers"], 0);
}
