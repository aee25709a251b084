//! `obook learn --nats` and `obook work` with a real server. Whatever is killed, the finished book equals the one made by threads.

mod files;
mod rights;
mod shogi;

use crate::support::program::{arg, json, obook, stdout};
use obook_engine::wire::Sent as _;
use obook_engine::{Answer, Inside, Request, Searcher, wire};
use obook_othello::{Move, Square};
use obook_testing::answer::answer;
use obook_testing::book_rows::{Rows, rows};
use obook_testing::golden::golden;
use rusqlite::Connection;
use serde_json::Value;
use std::cell::Cell;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::sleep;
use std::time::Duration;
use tempfile::TempDir;

/// A recipe that ends soon.
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
/// The questions of a killed worker are handed out again after this time.
const LEASE: &str = "1s";

/// The server's program, which Debian installs outside the usual PATH.
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

    /// Kills the process, like `kill -9`.
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

/// A server on a free port, with a folder for its data and for books.
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

    /// Starts a server with this configuration.
    fn with(configuration: &str) -> Server {
        let folder = tempfile::tempdir().unwrap();
        // The system doesn't reuse the port soon.
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

    /// A worker that runs until it is dropped.
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

    /// A worker that makes one search at a time, and writes what it does.
    fn told_worker(&self, name: &str) -> Running {
        let mut command = Command::new(env!("CARGO_BIN_EXE_obook"));
        let url = self.url();
        command.args(["work", &url, "--name", name, "--jobs", "1", "--json"]);
        Running::start(command.stdout(Stdio::piped()).stderr(Stdio::null()))
    }

    /// A learner of this book.
    fn learner(&self, book: &Path, more: &[&str]) -> Command {
        self.learner_with_lease(LEASE, book, more)
    }

    fn learner_with_lease(&self, lease: &str, book: &Path, more: &[&str]) -> Command {
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
        command.args(["--lease", lease]).args(more);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// The book made by threads.
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

    /// Lets the learner finish.
    fn finish(&self, book: &Path, more: &[&str]) -> Value {
        let output = self.learner(book, more).output().unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{complaint}");
        let lines = String::from_utf8(output.stdout).unwrap();
        serde_json::from_str(lines.lines().last().unwrap()).unwrap()
    }
}

/// All rows about positions. Checks that no search is waiting.
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

/// The output of a learner, line by line.
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

/// Law (Several machines): Machines make the same book as threads, whichever of workers, server and learner are
/// killed.
/// Also: `one_worker_alone_is_enough` `killed_workers_lose_nothing` `a_killed_server_loses_nothing`
/// `killed_learners_lose_nothing_and_ask_nothing_twice`
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
    // The run is one change, which is undone as a whole.
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

/// Workers are killed again and again during their searches.
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
    let mut worker = server.told_worker("one");
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
    // Each question was answered once, except for answers in transit when a learner ended.
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

/// A program other than obook that talks to the server.
struct Stranger {
    name: &'static str,
    out: TcpStream,
    lines: BufReader<TcpStream>,
}

/// A message received by a stranger.
struct Message {
    subject: String,
    reply_to: String,
    payload: Vec<u8>,
}

impl Message {
    fn book(&self) -> &str {
        self.subject.split('.').nth(3).unwrap()
    }
}

impl Stranger {
    fn connect(port: u16, name: &'static str) -> std::io::Result<Stranger> {
        let stream = TcpStream::connect(("127.0.0.1", port))?;
        let mut out = stream.try_clone()?;
        write!(
            out,
            "CONNECT {{\"verbose\":false,\"headers\":true,\"no_responders\":true}}\r\nSUB _INBOX_{name}.> 1\r\n"
        )?;
        let lines = BufReader::new(stream);
        Ok(Stranger { name, out, lines })
    }

    /// A stranger that receives a copy of each question.
    fn watching(port: u16, name: &'static str) -> Stranger {
        let mut stranger = Stranger::connect(port, name).unwrap();
        write!(stranger.out, "SUB obook.tasks.> 2\r\n").unwrap();
        stranger.flush().unwrap();
        stranger
    }

    /// Receives a copy of the first question only.
    fn first(&mut self) -> Message {
        let first = self.receive().unwrap();
        write!(self.out, "UNSUB 2\r\n").unwrap();
        self.flush().unwrap();
        first
    }

    fn publish(&mut self, subject: &str, payload: &str) -> std::io::Result<()> {
        let length = payload.len();
        write!(self.out, "PUB {subject} {length}\r\n{payload}\r\n")
    }

    /// Waits until the server has read all messages.
    fn flush(&mut self) -> std::io::Result<()> {
        write!(self.out, "PING\r\n")?;
        let mut line = String::new();
        while line.trim() != "PONG" {
            line.clear();
            assert!(self.lines.read_line(&mut line)? > 0, "the server has ended");
        }
        Ok(())
    }

    fn receive(&mut self) -> std::io::Result<Message> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            if words == ["PING"] {
                write!(self.out, "PONG\r\n")?;
            }
            if !["MSG", "HMSG"].contains(&words[0]) {
                continue;
            }
            let length: usize = words[words.len() - 1].parse().unwrap();
            let mut payload = vec![0; length + 2];
            self.lines.read_exact(&mut payload)?;
            payload.truncate(length);
            let reply_to = match words[..] {
                ["MSG", _, _, reply_to, _] => reply_to,
                _ => "",
            };
            return Ok(Message {
                subject: words[1].to_owned(),
                reply_to: reply_to.to_owned(),
                payload,
            });
        }
    }

    /// Takes a question as soon as there is one.
    fn take(&mut self) -> std::io::Result<Message> {
        // The server ignores requests for questions before a learner has come.
        while !self.questions()?["error"].is_null() {
            sleep(Duration::from_millis(20));
        }
        loop {
            let ask = r#"{"batch":1,"expires":1000000000}"#;
            let (name, length) = (self.name, ask.len());
            write!(
                self.out,
                "PUB $JS.API.CONSUMER.MSG.NEXT.OBOOK_TASKS.obook _INBOX_{name}.q {length}\r\n{ask}\r\n"
            )?;
            let message = self.receive()?;
            if !message.reply_to.is_empty() {
                return Ok(message);
            }
            // There is no question now.
            sleep(Duration::from_millis(20));
        }
    }

    /// Replies to a question that it has taken.
    fn reply_to(
        &mut self,
        message: &Message,
        say: impl Fn(&wire::Question) -> Result<Answer, wire::Failure>,
    ) -> std::io::Result<()> {
        let question = wire::Question::from_line(&message.payload).unwrap();
        let reply = wire::Reply {
            answer: say(&question),
            question,
            worker: self.name.parse().unwrap(),
        };
        let subject = format!("obook.answers.{}.{}", message.book(), self.name);
        self.publish(&subject, &reply.to_line())?;
        self.publish(&message.reply_to, "+ACK")
    }

    /// The server's count of the questions that are waiting or with workers.
    fn questions(&mut self) -> std::io::Result<Value> {
        let name = self.name;
        write!(
            self.out,
            "PUB $JS.API.CONSUMER.INFO.OBOOK_TASKS.obook _INBOX_{name}.i 0\r\n\r\n"
        )?;
        Ok(serde_json::from_slice(&self.receive()?.payload)?)
    }

    /// Takes this many questions and replies to them. It ignores refusals; the owner of the server would revoke its
    /// permissions.
    fn reply(
        mut self,
        count: usize,
        say: impl Fn(&wire::Question) -> Result<Answer, wire::Failure>,
    ) -> std::io::Result<()> {
        for _ in 0..count {
            let message = self.take()?;
            self.reply_to(&message, &say)?;
        }
        self.flush()
    }
}

/// The reply of a failed search.
fn fails(_: &wire::Question) -> Result<Answer, wire::Failure> {
    Err(wire::Failure::Engine(String::from("out of order")))
}

/// A book that gives the recipe many questions at once.
fn grown(server: &Server) -> PathBuf {
    let book = server.path("book.obook");
    let games = golden("games.dat");
    stdout(["import", arg(&games), "--book", arg(&book)]);
    book
}

/// A learner whose messages go to a file.
fn told_in(said: &Path, learner: &mut Command) -> Running {
    Running::start(learner.stderr(std::fs::File::create(said).unwrap()))
}

/// Learners share the workers, which keep to the lease of the first learner: the shorter one of a second takes no search from them.
///
/// Law (Several machines): Learners with different leases share the workers; the first one's lease holds.
#[test]
fn learners_with_different_leases_share_the_workers() {
    let server = Server::new();
    let expected = server.expected();
    let [first, second] = ["first.obook", "second.obook"].map(|name| server.path(name));
    let mut slow = Stranger::watching(server.port, "slow");
    let mut patient = Running::start(&mut server.learner_with_lease("1m", &first, &[]));
    let told = lines(&mut patient);
    slow.first();
    let taken = slow.take().unwrap();
    let _quick = server.worker("quick");
    let said = server.path("said");
    let mut hasty = told_in(&said, &mut server.learner(&second, &[]));
    assert_eq!(lines(&mut hasty).iter().last().unwrap()["event"], "end");
    let said = std::fs::read_to_string(said).unwrap();
    assert_eq!(hasty.0.wait().unwrap().code(), Some(0), "{said}");
    assert_eq!(contents(&second), expected);
    // By the second lease, the slow worker lost its question long ago.
    sleep(Duration::from_secs(2));
    let left = loop {
        let left = slow.questions().unwrap();
        if left["num_pending"] == 0 && left["num_ack_pending"].as_u64() <= Some(1) {
            break left;
        }
        sleep(Duration::from_millis(20));
    };
    assert_eq!(left["num_ack_pending"], 1, "{left}");
    assert_eq!(left["num_redelivered"], 0, "{left}");
    let right = |question: &wire::Question| Ok(Inside::new().search(&question.request).unwrap());
    slow.reply_to(&taken, right).unwrap();
    slow.flush().unwrap();
    let end = told.iter().last().unwrap();
    assert_eq!((&end["event"], &end["failed"]), (&"end".into(), &0.into()));
    assert_eq!(patient.0.wait().unwrap().code(), Some(0));
    assert_eq!(contents(&first), expected);
    // The recipe has two stages, but one warning is enough.
    let warning = "is 60 s at this server, as set by its first learner, not 1 s";
    assert_eq!(said.matches(warning).count(), 1, "{said}");
}

#[test]
fn a_worker_that_is_wrong_is_told_apart() {
    let server = Server::new();
    let expected = server.expected();
    let book = server.path("book.obook");
    let _right = ["one", "two"].map(|name| server.worker(name));
    let said = server.path("said");
    let mut learner = told_in(&said, &mut server.learner(&book, &["--check-one-in", "4"]));
    let told = lines(&mut learner);
    assert_eq!(told.recv().unwrap()["event"], "progress");
    // It gives each board a score of 14 discs, and ends with the server.
    let liar = Stranger::connect(server.port, "liar").unwrap();
    std::thread::spawn(move || {
        liar.reply(64, |question| {
            let first = question.request.moves().next().unwrap();
            Ok(answer(&question.request, question.engine, first, 14))
        })
    });
    let last = told.iter().last().unwrap();
    let said = std::fs::read_to_string(said).unwrap();
    assert_eq!(last["event"], "end", "{said}");
    assert_eq!(learner.0.wait().unwrap().code(), Some(0), "{said}");
    assert!(said.contains("refusing worker liar"), "{said}");
    assert_eq!(contents(&book), expected);
}

/// The report counts the answers of a refused worker that went into the book while it was the only one.
#[test]
fn answers_of_a_refused_worker_that_was_alone_are_reported() {
    let server = Server::new();
    let book = server.path("book.obook");
    let liar = Stranger::connect(server.port, "liar").unwrap();
    std::thread::spawn(move || {
        let given = Cell::new(0);
        liar.reply(usize::MAX, |question| {
            // Soon it is slow, so that others answer most questions.
            given.set(given.get() + 1);
            sleep(Duration::from_millis(if given.get() < 8 { 1 } else { 250 }));
            let first = question.request.moves().next().unwrap();
            Ok(answer(&question.request, question.engine, first, 14))
        })
    });
    let said = server.path("said");
    let mut learner = told_in(&said, &mut server.learner(&book, &["--check-one-in", "1"]));
    let told = lines(&mut learner);
    while told.recv().unwrap()["searches"] == 0 {}
    let _right = ["one", "two"].map(|name| server.worker(name));
    let last = told.iter().last().unwrap();
    let said = std::fs::read_to_string(said).unwrap();
    assert_eq!(last["event"], "end", "{said}");
    let doubtful = &last["doubtful"][0];
    assert_eq!(doubtful["worker"], "liar", "{last} {said}");
    let answers = doubtful["answers"].as_u64().unwrap();
    assert!(answers > 0, "{last}");
    assert!(
        said.contains("; in the book from when it was the only worker: "),
        "{said}"
    );
}

/// The only worker never answers a question about a missing leaf: the run ends in time, and its report and exit status tell what is
/// missing.
#[test]
fn a_run_ends_in_time_without_its_worker() {
    let server = Server::new();
    let book = server.path("book.obook");
    let worker = Stranger::connect(server.port, "mortal").unwrap();
    std::thread::spawn(move || {
        worker.reply(usize::MAX, |question| {
            while question.request.excluded().0 != 0 {
                std::thread::park();
            }
            Ok(Inside::new().search(&question.request).unwrap())
        })
    });
    let output = server.learner(&book, &["--time", "5s"]).output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    let end: Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&end["event"], &end["stopped"]),
        (&"end".into(), &"time".into())
    );
    // It would wait ten seconds more for missing leaves.
    assert!(end["seconds"].as_f64() < Some(14.0), "{end}");
    assert!(end["lacking"].as_u64() > Some(0), "{end}");
    let status = json(["learn", arg(&book), "--status", "--json"]);
    assert_eq!(end["lacking"], status["lacking"]);
    assert_eq!(output.status.code(), Some(1), "{end}");
}

/// Passes on what a client and the server at `port` say, except answers of workers. Returns its port.
fn deaf_to_answers(port: u16) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let (mut client, mut server) = (
                client.unwrap(),
                TcpStream::connect(("127.0.0.1", port)).unwrap(),
            );
            let mut heard = BufReader::new(server.try_clone().unwrap());
            let mut said = client.try_clone().unwrap();
            std::thread::spawn(move || std::io::copy(&mut said, &mut server));
            std::thread::spawn(move || -> std::io::Result<()> {
                loop {
                    let mut line = String::new();
                    if heard.read_line(&mut line)? == 0 {
                        return Ok(());
                    }
                    let mut message = line.clone().into_bytes();
                    let words: Vec<&str> = line.split_whitespace().collect();
                    if ["MSG", "HMSG"].contains(&words[0]) {
                        let length: usize = words[words.len() - 1].parse().unwrap();
                        let start = message.len();
                        message.resize(start + length + 2, 0);
                        heard.read_exact(&mut message[start..])?;
                    }
                    if !line.contains(" $JS.ACK.OBOOK_ANSWERS.") {
                        client.write_all(&message)?;
                    }
                }
            });
        }
    });
    own
}

/// The server has counted answers that never come: removed ones, for example, that the last learner took in. The run doesn't wait
/// for them longer than its time.
#[test]
fn counted_answers_that_never_come_are_not_waited_for() {
    let server = Server::new();
    let book = server.path("book.obook");
    let mut stranger = Stranger::watching(server.port, "stranger");
    let end = server.learner(&book, &["--time", "1s"]).output().unwrap();
    assert_eq!(end.status.code(), Some(0));
    let subject = format!("obook.answers.{}.stranger", stranger.first().book());
    stranger.publish(&subject, "an answer").unwrap();
    stranger.flush().unwrap();
    let url = format!("nats://127.0.0.1:{}", deaf_to_answers(server.port));
    let more = ["--time", "2s", "--nats", &url];
    let mut command = Command::new(env!("CARGO_BIN_EXE_obook"));
    let recipe = server.path("recipe.toml");
    command.args(["learn", arg(&book), "--recipe", arg(&recipe), "--json"]);
    let output = command.args(more).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    let told = String::from_utf8(output.stdout).unwrap();
    let end: Value = serde_json::from_str(told.lines().last().expect(&complaint)).unwrap();
    assert_eq!(end["stopped"], "time", "{end}");
    // It waited 20 seconds for them.
    assert!(end["seconds"].as_f64() < Some(12.0), "{end}");
}

/// A worker says once that its server is gone, and comes back with it.
#[test]
fn a_worker_without_its_server_is_quiet() {
    let mut server = Server::new();
    let book = server.path("book.obook");
    let said = server.path("said");
    let mut worker = Command::new(env!("CARGO_BIN_EXE_obook"));
    worker.args(["work", &server.url(), "--name", "attic", "--jobs", "1"]);
    let _worker = told_in(&said, worker.stdout(Stdio::null()));
    let said = || std::fs::read_to_string(&said).unwrap();
    while !said().contains("waiting for a learner") {
        sleep(Duration::from_millis(20));
    }
    server.process.kill();
    // It tries again many times meanwhile.
    sleep(Duration::from_secs(3));
    server.process = Server::run(server.folder.path(), server.port, "");
    server.finish(&book, &[]);
    let lost = "obook: lost the server; waiting for it to return\n";
    assert_eq!(said().matches(lost).count(), 1, "{}", said());
    assert!(!said().contains("error"), "{}", said());
}

/// It fails many more questions than would end a run without other workers.
///
/// Law (Several machines): Failing workers end a run only if all of them fail, and no position is given up.
/// Also: `a_run_ends_if_all_workers_fail`
#[test]
fn a_worker_that_fails_is_put_aside() {
    let server = Server::new();
    let book = grown(&server);
    std::fs::copy(&book, server.path("threads.obook")).unwrap();
    let expected = server.expected();
    let said = server.path("said");
    let bad = Stranger::connect(server.port, "bad").unwrap();
    let mut learner = told_in(&said, &mut server.learner(&book, &[]));
    bad.reply(40, fails).unwrap();
    let _right = ["one", "two"].map(|name| server.worker(name));
    let told = lines(&mut learner);
    let end = told.iter().last().unwrap();
    let said = std::fs::read_to_string(said).unwrap();
    assert_eq!(learner.0.wait().unwrap().code(), Some(0), "{said}");
    assert_eq!((&end["event"], &end["failed"]), (&"end".into(), &0.into()));
    assert!(
        said.contains(
            "worker bad is put aside: it failed 8 questions in a row; last error: out of order"
        ),
        "{said}"
    );
    assert_eq!(contents(&book), expected);
}

#[test]
fn a_run_ends_if_all_workers_fail() {
    let server = Server::new();
    let book = grown(&server);
    let said = server.path("said");
    let bad = Stranger::connect(server.port, "bad").unwrap();
    let mut learner = told_in(&said, &mut server.learner(&book, &[]));
    bad.reply(20, fails).unwrap();
    let worse = Stranger::connect(server.port, "worse").unwrap();
    worse.reply(20, fails).unwrap();
    assert_eq!(learner.0.wait().unwrap().code(), Some(1));
    let said = std::fs::read_to_string(said).unwrap();
    let last = said.lines().last().unwrap();
    assert!(
        last.contains("worker worse is put aside") && last.ends_with("there is no other worker"),
        "{said}"
    );
    // No position counts as unsearchable.
    let status = json(["learn", arg(&book), "--status", "--json"]);
    assert_eq!(status["put_aside"], serde_json::json!([]), "{status}");
}

/// More replies than the server hands out at once, to questions that were never asked.
///
/// Law (Several machines): Forged replies and invalid messages are dropped and counted, and stall nobody.
/// Also: `a_worker_drops_what_it_cannot_answer`
#[test]
fn forged_replies_are_dropped_and_counted() {
    const FORGED: u64 = (1 << 17) + 5000;
    let server = Server::new();
    let expected = server.expected();
    let book = server.path("book.obook");
    let mut forger = Stranger::watching(server.port, "forger");
    let mut learner = Running::start(&mut server.learner_with_lease("1m", &book, &[]));
    let message = forger.first();
    // The replies wait for the next learner: this one would take as many of them as it has time for.
    learner.kill();
    let subject = format!("obook.answers.{}.forger", message.book());
    let asked = wire::Question::from_line(&message.payload).unwrap();
    for number in 0..FORGED {
        let bits = (0..18u8).filter(|bit| number >> bit & 1 == 1);
        let squares = bits.map(|bit| Move::Place(Square::new(bit).unwrap()));
        let request = Request::new(asked.request.board(), 40).unwrap();
        let question = wire::Question {
            request: squares.fold(request, |request, mv| request.without(mv).unwrap()),
            engine: asked.engine,
        };
        let reply = wire::Reply {
            answer: fails(&question),
            question,
            worker: "forger".parse().unwrap(),
        };
        forger.publish(&subject, &reply.to_line()).unwrap();
    }
    forger.flush().unwrap();
    let _right = server.worker("one");
    let said = server.path("said");
    let mut learner = told_in(&said, &mut server.learner_with_lease("1m", &book, &[]));
    assert_eq!(lines(&mut learner).iter().last().unwrap()["event"], "end");
    let said = std::fs::read_to_string(said).unwrap();
    assert_eq!(learner.0.wait().unwrap().code(), Some(0), "{said}");
    let last = said.lines().last().unwrap();
    assert!(
        last.starts_with("obook: dropped replies without an open question: "),
        "{said}"
    );
    assert!(last.contains(&format!("({FORGED} by forger")), "{said}");
    assert_eq!(contents(&book), expected);
}

/// The worker drops and reports messages that are not questions, and a question for another engine. It answers the others, and
/// stops on request.
#[cfg(unix)]
#[test]
fn a_worker_drops_what_it_cannot_answer() {
    let server = Server::new();
    let book = server.path("book.obook");
    let mut forger = Stranger::watching(server.port, "forger");
    let mut learner = Running::start(&mut server.learner(&book, &[]));
    let message = forger.first();
    learner.kill();
    let line = String::from_utf8(message.payload.clone()).unwrap();
    let book_name = message.book().to_owned();
    let bad = [
        String::from("{"),
        String::new(),
        line.replace("\"obook\"", "\"edax\""),
        line.replace("\"level\":1", "\"level\":61"),
        line.replace("\"question\":1", "\"question\":2"),
        line.replace('O', "X"),
    ];
    assert!(bad.iter().all(|bad| *bad != line));
    for (number, bad) in bad.iter().enumerate() {
        let subject = format!("obook.tasks.obook.{book_name}.1.forged.{number}");
        forger.publish(&subject, bad).unwrap();
    }
    forger.flush().unwrap();
    let mut worker = server.told_worker("one");
    let told = lines(&mut worker);
    let mut dropped = Vec::new();
    while dropped.len() < bad.len() {
        let event = told.recv().unwrap();
        if event["event"] == "dropped" {
            dropped.push(event["reason"].as_str().unwrap().to_owned());
        }
    }
    assert!(
        dropped
            .iter()
            .any(|it| it.contains("it asks for a level of edax")),
        "{dropped:?}"
    );
    // They don't come back, and the others are answered.
    loop {
        let at_server = json([
            "learn",
            arg(&book),
            "--status",
            "--nats",
            &server.url(),
            "--json",
        ]);
        let questions = &at_server["nats"]["engines"][0];
        if (&questions["waiting"], &questions["taken"]) == (&0.into(), &0.into()) {
            break;
        }
        sleep(Duration::from_millis(20));
    }
    interrupt(&worker);
    let end = told.iter().last().unwrap();
    assert_eq!(
        (&end["event"], &end["dropped"], &end["failures"]),
        (&"end".into(), &bad.len().into(), &0.into())
    );
    assert!(end["answers"].as_u64() > Some(0), "{end}");
    assert_eq!(worker.0.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
fn interrupt(process: &Running) {
    let id = process.0.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
}

/// The first of two workers keeps its name, and the second one ends.
#[test]
fn two_workers_of_one_name_are_refused() {
    let server = Server::new();
    let book = server.path("book.obook");
    let mut learner = Running::start(&mut server.learner(&book, &[]));
    let told = lines(&mut learner);
    let mut first = server.told_worker("attic");
    let searched = lines(&mut first);
    while searched.recv().unwrap()["event"] != "answer" {}
    let url = server.url();
    let second = obook(["work", &url, "--name", "attic", "--jobs", "1"]);
    assert_eq!(second.status.code(), Some(1));
    let said = String::from_utf8(second.stderr).unwrap();
    let refusal = "obook: another worker is called attic: give each worker a name of its own\n";
    assert!(said.ends_with(refusal), "{said}");
    assert_eq!(told.iter().last().unwrap()["event"], "end");
    assert_eq!(learner.0.wait().unwrap().code(), Some(0));
    assert_eq!(first.0.try_wait().unwrap(), None);
}

#[test]
fn traffic_is_reported() {
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
    // Without workers, questions stay at the server.
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
    // Now no learner takes the answers.
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
    let waiting = match answers {
        1 => String::from("1 answer"),
        many => format!("{many} answers"),
    };
    let expected = format!("at the server: {waiting} not in the book yet");
    assert_eq!(told[1], expected);
    server.finish(&book, &[]);
    assert_eq!(status()["nats"]["answers"], 0);
}
