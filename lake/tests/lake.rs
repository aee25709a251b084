//! The program on the shipped book: answers are those of `obook query`, numbers those of `obook fix`, in one process and on a cluster,
//! also if an executor is killed.

use hyper_util::rt::TokioIo;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The program `obook`: OBOOK, or that of `cargo build`.
fn obook() -> PathBuf {
    let built = || root().join("target/debug/obook");
    let program = std::env::var_os("OBOOK").map_or_else(built, PathBuf::from);
    let path = program.display();
    assert!(
        program.exists(),
        "{path} is missing: run `cargo build` in the folder above"
    );
    program
}

fn run(command: &mut Command) -> String {
    let done = command.output().unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}: {errors}");
    String::from_utf8(done.stdout).unwrap()
}

fn lake(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_obook-lake"));
    command.args(arguments);
    // Nobody finds a bucket by what is set outside the tests.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("AWS_")) {
        command.env_remove(name);
    }
    command
}

/// An object store with one bucket, `books`, which is a folder.
struct ObjectStore {
    folder: tempfile::TempDir,
    address: SocketAddr,
}

impl ObjectStore {
    const KEY: &str = "obook";
    const SECRET: &str = "a secret of the tests";

    fn start() -> ObjectStore {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("books")).unwrap();
        let mut service = S3ServiceBuilder::new(FileSystem::new(folder.path()).unwrap());
        service.set_auth(SimpleAuth::from_single(Self::KEY, Self::SECRET));
        let service = service.build();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        thread::spawn(move || {
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                while let Ok((stream, _)) = listener.accept().await {
                    let http = hyper::server::conn::http1::Builder::new();
                    let connection = http.serve_connection(TokioIo::new(stream), service.clone());
                    tokio::spawn(connection);
                }
            });
        });
        ObjectStore { folder, address }
    }

    /// A file or folder of the bucket.
    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("books").join(path)
    }

    /// Makes a program find it.
    fn known_to<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.envs([
            ("AWS_ENDPOINT", &*format!("http://{}", self.address)),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", Self::KEY),
            ("AWS_SECRET_ACCESS_KEY", Self::SECRET),
        ])
    }
}

/// Copies a folder.
fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = (
            entry.as_ref().unwrap().path(),
            to.join(entry.unwrap().file_name()),
        );
        match from.is_dir() {
            true => copy_all(&from, &to),
            false => drop(fs::copy(from, to).unwrap()),
        }
    }
}

/// A folder with the shipped book as `games.obook`, graded, and as `games.lake`.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let book = root().join("examples/games.dat");
        fs::copy(book, folder.path().join("games.dat")).unwrap();
        in_folder(
            folder.path(),
            &["import", "games.dat", "--book", "games.obook"],
        );
        in_folder(folder.path(), &["accuracy", "games.obook", "--store"]);
        export(folder.path(), "games.obook", "games.lake");
        folder
    });
    folder.path()
}

fn in_folder(folder: &Path, arguments: &[&str]) -> String {
    run(Command::new(obook()).current_dir(folder).args(arguments))
}

fn export(folder: &Path, book: &str, lake: &str) {
    in_folder(folder, &["export", book, lake, "--format", "parquet"]);
}

/// A process that ends with the test.
struct Process {
    child: Child,
    /// Its first line on standard error, which it writes when it is ready.
    said: String,
}

impl Process {
    /// Starts the program, and waits until it says what it says when it is ready.
    fn start(arguments: &[&str], store: Option<&ObjectStore>) -> Process {
        let mut command = lake(arguments);
        if let Some(store) = store {
            store.known_to(&mut command);
        }
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        errors.read_line(&mut said).unwrap();
        assert!(said.starts_with("obook-lake: "), "{said}");
        // Nobody may wait for a full pipe.
        thread::spawn(move || errors.lines().for_each(drop));
        Process { child, said }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A scheduler and executors of one core.
struct Cluster {
    executors: Vec<Process>,
    address: String,
    _scheduler: Process,
}

impl Cluster {
    fn start(executors: usize) -> Cluster {
        Cluster::beside(None, executors)
    }

    fn beside(store: Option<&ObjectStore>, executors: usize) -> Cluster {
        let scheduler = ["scheduler", "--port", "0", "--patience", "10"];
        let scheduler = Process::start(&scheduler, store);
        let address = scheduler.said.rsplit(' ').next().unwrap().trim().to_owned();
        let executor = ["executor", "--on", &address, "--cores", "1"];
        let executor = |_| Process::start(&executor, store);
        Cluster {
            executors: (0..executors).map(executor).collect(),
            address,
            _scheduler: scheduler,
        }
    }
}

/// The rows of an answer.
fn rows(json: &str) -> Vec<Value> {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{error}: {json}"))
}

fn ask(sql: &str, on: Option<&str>) -> Vec<Value> {
    let mut command = lake(&["query", "games.lake", sql, "--format", "json"]);
    command.current_dir(folder());
    if let Some(address) = on {
        command.args(["--on", address]);
    }
    rows(&run(&mut command))
}

fn ask_sqlite(sql: &str) -> Vec<Value> {
    rows(&in_folder(
        folder(),
        &["query", "games.obook", sql, "--format", "json"],
    ))
}

/// The statements of each question of docs/sql.md.
fn cookbook() -> BTreeMap<u32, Vec<String>> {
    let page = fs::read_to_string(root().join("docs/sql.md")).unwrap();
    let mut found = BTreeMap::new();
    for section in page.split("\n### ").skip(1) {
        let number = section.split('.').next().unwrap().parse().unwrap();
        let block = section.split("```sql\n").nth(1).unwrap();
        let block = block.split("```").next().unwrap();
        let statements = block
            .split(';')
            .map(str::trim)
            .filter(|sql| !sql.is_empty());
        found.insert(number, statements.map(str::to_owned).collect());
    }
    found
}

/// The questions that need what a lake doesn't have: tables whose argument is a column of another table (12, 17, 21: docs/lake.md has
/// another form of 12 and 17), files of other books (20), the engine inside (21).
const NOT_IN_LAKES: [u32; 4] = [12, 17, 20, 21];

/// Compares answers; without an order, rows come as they like.
fn assert_same(sql: &str, mut expected: Vec<Value>, mut found: Vec<Value>) {
    if !sql.contains("ORDER BY") {
        expected.sort_by_key(ToString::to_string);
        found.sort_by_key(ToString::to_string);
    }
    assert_eq!(found, expected, "{sql}");
}

fn the_cookbook_has_the_same_answers(on: Option<&str>) {
    let (mut asked, mut with_rows) = (0, 0);
    for (number, statements) in cookbook() {
        if NOT_IN_LAKES.contains(&number) {
            continue;
        }
        for sql in statements {
            let expected = ask_sqlite(&sql);
            with_rows += usize::from(!expected.is_empty());
            assert_same(&sql, expected, ask(&sql, on));
            asked += 1;
        }
    }
    assert_eq!((asked, with_rows), (18, 17));
}

#[test]
fn one_process_answers_the_cookbook_as_sqlite_does() {
    the_cookbook_has_the_same_answers(None);
}

#[test]
fn a_cluster_answers_the_cookbook_as_sqlite_does() {
    let cluster = Cluster::start(2);
    the_cookbook_has_the_same_answers(Some(&cluster.address));
}

/// docs/lake.md has a form for lakes of two questions of docs/sql.md.
#[test]
fn the_forms_for_lakes_have_the_same_answers() {
    let cluster = Cluster::start(1);
    let page = fs::read_to_string(root().join("docs/lake.md")).unwrap();
    let block = page.split("```sql\n").nth(1).unwrap();
    let block = block.split("```").next().unwrap();
    let mut compared = Vec::new();
    for sql in block.split(';').filter(|sql| !sql.trim().is_empty()) {
        let number = sql.trim().strip_prefix("-- ").unwrap();
        let number: u32 = number.split('.').next().unwrap().parse().unwrap();
        let expected = ask_sqlite(&cookbook()[&number][0]);
        assert!(!expected.is_empty());
        assert_same(sql, expected.clone(), ask(sql, None));
        assert_same(sql, expected, ask(sql, Some(&cluster.address)));
        compared.push(number);
    }
    assert_eq!(compared, [12, 17]);
}

/// Each function, with arguments that come from a table, so that executors compute it.
const FUNCTIONS: &str = "SELECT hex(board) AS key, hex(board(board)) AS board, hex(canonical(board)) AS canonical, board_text(board) AS text,
    show(board) AS show, discs(board) AS discs, empties(board) AS empties, mobility(board) AS mobility,
    legal_moves(board) AS moves, hex(child(board, move)) AS child, square(move) AS square, move(square(move)) AS move,
    is_solved(20, empties(board)) AS solved, search_depth(20, empties(board), 'egaroucid') AS depth,
    selectivity(20, empties(board)) AS selectivity, name(board) AS name
  FROM links ORDER BY key, move LIMIT 400";

#[test]
fn functions_answer_as_in_sqlite_on_executors_too() {
    let cluster = Cluster::start(1);
    let expected = ask_sqlite(FUNCTIONS);
    assert_eq!(expected.len(), 400);
    assert_same(FUNCTIONS, expected.clone(), ask(FUNCTIONS, None));
    assert_same(FUNCTIONS, expected, ask(FUNCTIONS, Some(&cluster.address)));
    let others = "SELECT opening('f5d6c3d3c4') AS opening, hex(named('tiger')) AS tiger, hex(board()) AS start,
                  move_in('f5d6', 'f5d6', 'c3') AS mv, square(NULL) AS unknown";
    assert_same(
        others,
        ask_sqlite(others),
        ask(others, Some(&cluster.address)),
    );
}

#[test]
fn tables_with_arguments_answer_as_in_sqlite() {
    for (sql, least) in [
        (
            "SELECT square, kind, score FROM moves('f5d6') AS it ORDER BY move",
            5,
        ),
        (
            "SELECT square, score FROM choose('f5d6', 'loss:2', 7) AS it",
            1,
        ),
        (
            "SELECT ply, square, score FROM line('f5d6') AS it ORDER BY ply",
            3,
        ),
        (
            "SELECT it.line, loss, hex(board) AS key FROM tree('f5d6', 3, 4) AS it ORDER BY it.line",
            3,
        ),
        (
            "SELECT it.line, cost, loss FROM frontier('f5d6') AS it ORDER BY it.line",
            1,
        ),
        (
            "SELECT it.line, cost, loss FROM worst('f5d6') AS it ORDER BY it.line",
            1,
        ),
        (
            "SELECT distance, empties, hex(board) AS key FROM ancestors('f5d6c5') AS it ORDER BY distance, key",
            3,
        ),
        ("SELECT ply, it.line FROM line_to(board('f5d6c5')) AS it", 1),
        (
            "SELECT name, it.line, hex(board) AS key FROM openings('tiger') AS it ORDER BY name",
            1,
        ),
    ] {
        let expected = ask_sqlite(sql);
        assert!(expected.len() >= least, "{sql}: {expected:?}");
        assert_same(sql, expected, ask(sql, None));
    }
}

#[test]
fn look_ups_by_key_open_the_files_of_one_layer() {
    let key = ask_sqlite("SELECT hex(board('f5d6c5b4')) AS key")[0]["key"].clone();
    let key = format!("X'{}'", key.as_str().unwrap());
    for (table, condition) in [
        ("positions", "board = board('f5d6c5b4')".to_owned()),
        (
            "links",
            "board = board('f5d6c5b4') OR board = board('f5d6c5')".to_owned(),
        ),
        ("leaves", format!("board = {key}")),
        ("positions", format!("board IN (board('f5d6c5b4'), {key})")),
    ] {
        let sql = format!("EXPLAIN FORMAT INDENT SELECT * FROM {table} WHERE {condition}");
        let plan = ask(&sql, None);
        let plan = plan.iter().map(ToString::to_string).collect::<String>();
        assert!(plan.contains("layer=56/part-00000.parquet"), "{plan}");
        let files = plan.matches(".parquet").count();
        assert_eq!(files, if table == "links" { 2 } else { 1 }, "{plan}");
        let sql = format!("SELECT count(*) AS number FROM {table} WHERE {condition}");
        let count = ask(&sql, None);
        assert_eq!(count, ask_sqlite(&sql));
        assert_ne!(count[0]["number"], 0);
    }
}

/// A query of some seconds.
const LONG: &str = "SELECT one.empties AS layer, count(*) AS pairs, sum(discs(one.board) + mobility(other.board) + mobility(third.board)) AS number
  FROM positions AS one JOIN positions AS other ON one.level = other.level
    JOIN (SELECT * FROM positions WHERE empties > 56) AS third ON third.level = other.level
  GROUP BY one.empties ORDER BY layer";

#[test]
fn a_query_survives_the_loss_of_an_executor() {
    let expected = ask(LONG, None);
    assert_eq!(expected.len(), 60);
    let mut cluster = Cluster::start(2);
    let address = cluster.address.clone();
    let asked = thread::spawn(move || ask(LONG, Some(&address)));
    thread::sleep(Duration::from_secs(2));
    assert!(
        !asked.is_finished(),
        "the query must still run when an executor is killed"
    );
    drop(cluster.executors.pop());
    assert_eq!(asked.join().unwrap(), expected);
    // The rest of the cluster goes on.
    assert_eq!(ask(LONG, Some(&cluster.address)), expected);
}

/// Names stay in memory; large tables go to the disk.
#[test]
fn only_small_tables_join_by_hash() {
    for (sql, by_hash) in [
        (
            "SELECT name, level FROM positions JOIN engines USING (engine)",
            true,
        ),
        (
            "SELECT name, level FROM engines JOIN positions USING (engine)",
            true,
        ),
        (
            "SELECT count(*) FROM links JOIN positions ON positions.board = links.child",
            false,
        ),
    ] {
        let plan = ask(&format!("EXPLAIN FORMAT INDENT {sql}"), None);
        let plan = plan.iter().map(ToString::to_string).collect::<String>();
        assert_eq!(plan.contains("HashJoinExec"), by_hash, "{plan}");
        assert_eq!(plan.contains("SortMergeJoinExec"), !by_hash, "{plan}");
        assert_eq!(plan.contains("SortExec"), !by_hash, "{plan}");
    }
    let sql = "SELECT name, level, count(*) AS number FROM engines JOIN positions USING (engine) GROUP BY name, level ORDER BY level";
    assert_eq!(ask(sql, None), ask_sqlite(sql));
}

/// Executors lose the order of rows on the way through a join by hash, and a plan in one part has such joins.
#[test]
fn no_plan_on_a_cluster_joins_by_hash() {
    let cluster = Cluster::start(1);
    for parts in ["1", "2"] {
        let mut command = lake(&["query", "games.lake", "--format", "json"]);
        command.arg(format!("EXPLAIN {LONG}"));
        command.args(["--parts", parts, "--on", &cluster.address]);
        let plan = run(command.current_dir(folder()));
        assert!(plan.contains("SortMergeJoinExec"), "{plan}");
        assert!(!plan.contains("HashJoinExec"), "{plan}");
    }
}

/// The rows of a lake's tables that negamax writes.
fn tables(lake: &str) -> [Vec<Value>; 2] {
    ["positions", "links"].map(|table| {
        let sql = format!("SELECT * FROM {table}");
        let again = format!("{lake}.obook");
        if !folder().join(&again).exists() {
            in_folder(folder(), &["import", lake, "--book", &again]);
        }
        let order = "ORDER BY 1, 2";
        let sql = format!("{sql} {order}");
        rows(&in_folder(
            folder(),
            &["query", &again, &sql, "--format", "json"],
        ))
    })
}

#[test]
fn negamax_computes_what_fix_computes() {
    let cluster = Cluster::start(2);
    for rules in ["edax", "egaroucid", "egaroucid-edax"] {
        let (book, from, expected) = (
            format!("{rules}.obook"),
            format!("{rules}-from.lake"),
            format!("{rules}-fixed.lake"),
        );
        fs::copy(folder().join("games.obook"), folder().join(&book)).unwrap();
        // Proofs and values that a person entered, too.
        let special = "UPDATE positions SET proven_lower = value - 2, proven_upper = value + 1, prover = 5
              WHERE board IN (SELECT board FROM positions WHERE value < 50 ORDER BY board LIMIT 300);
            UPDATE positions SET level = 70, value = 5 WHERE board IN (SELECT board FROM links ORDER BY board DESC LIMIT 20)";
        in_folder(folder(), &["query", &book, "--write", special]);
        in_folder(folder(), &["fix", &book, "--rules", rules]);
        export(folder(), &book, &expected);
        // Everything that follows is lost, and values without leaves and links below stay.
        let forget = "UPDATE positions SET lower = NULL, upper = NULL, wins = NULL, draws = NULL, losses = NULL, lines = NULL,
            value = CASE WHEN level < 70 AND board IN (SELECT board FROM links) THEN NULL ELSE value END;
            UPDATE links SET score = NULL";
        in_folder(folder(), &["query", &book, "--write", forget]);
        export(folder(), &book, &from);
        let expected = tables(&expected);
        assert_ne!(tables(&from), expected);
        let passes = expected[1].iter().filter(|link| link["move"] == 64);
        assert!(passes.count() > 0);
        let proven = expected[0].iter().filter(|it| it["prover"] == 3);
        assert!(
            proven.count() > 0,
            "proofs that follow from those of children"
        );
        for on in [None, Some(&cluster.address)] {
            let out = format!(
                "{rules}-{}.lake",
                if on.is_some() { "cluster" } else { "one" }
            );
            let mut command = lake(&["negamax", &from, "--out", &out]);
            command.args(on.iter().flat_map(|address| ["--on", address]));
            let said = run(command.current_dir(folder()));
            assert!(said.contains("2247 positions, 2252 links in "), "{said}");
            assert!(tables(&out) == expected, "{out} is not what fix computes");
            run(lake(&["check", &out]).current_dir(folder()));
        }
    }
}

/// Nobody mounts one disk on many machines.
#[test]
fn a_cluster_reads_and_writes_lakes_in_an_object_store() {
    let store = ObjectStore::start();
    copy_all(&folder().join("games.lake"), &store.path("games.lake"));
    let cluster = Cluster::beside(Some(&store), 2);
    let on = |arguments: &[&str]| {
        let mut command = lake(arguments);
        store.known_to(command.current_dir(folder()));
        command
    };
    let sql = "SELECT layer, count(*) AS positions FROM positions GROUP BY layer ORDER BY layer";
    let expected = ask(sql, None);
    let moves = "SELECT * FROM moves('f5d6') ORDER BY square";
    for place in [vec![], vec!["--on", &cluster.address]] {
        let answer = |sql| {
            let mut command = on(&["query", "s3://books/games.lake", sql, "--format", "json"]);
            rows(&run(command.args(&place)))
        };
        assert_eq!(answer(sql), expected);
        assert_eq!(answer(moves), ask(moves, None));
    }

    let out = "s3://books/new/games.lake";
    let negamax = |lake: &str, out: &str| {
        let mut command = on(&["negamax", lake, "--out", out, "--on", &cluster.address]);
        command.args(["--parts", "2"]);
        command
    };
    let said = run(&mut negamax("s3://books/games.lake/", out));
    assert!(
        said.starts_with(&format!("{out}: 2247 positions, 2252 links in ")),
        "{said}"
    );
    copy_all(
        &store.path("new/games.lake"),
        &folder().join("from-store.lake"),
    );
    run(lake(&["check", "from-store.lake"]).current_dir(folder()));
    assert!(tables("from-store.lake") == tables("games.lake"));
    let said = refused(&mut negamax("s3://books/games.lake", out));
    assert!(said.contains("s3://books/new/games.lake exists"), "{said}");

    // An interrupted one leaves nothing behind.
    let written = store.path("half.lake");
    let mut child = negamax("s3://books/games.lake", "s3://books/half.lake")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !written.join("positions").exists() {
        assert!(child.try_wait().unwrap().is_none(), "it has begun");
        thread::sleep(Duration::from_millis(1));
    }
    run(Command::new("kill").args(["-INT", &child.id().to_string()]));
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(said, "obook-lake: interrupted; nothing was written\n");
    assert_eq!(files_in(&written), 0);

    // Damage and mistakes are named.
    fs::remove_file(store.path("games.lake/links/layer=40/part-00000.parquet")).unwrap();
    let said = refused(&mut on(&["query", "s3://books/games.lake", "SELECT 1"]));
    assert!(
        said.contains("links/layer=40/part-00000.parquet: missing"),
        "{said}"
    );
    let said = refused(&mut on(&["query", "s3://books/nothing.lake", "SELECT 1"]));
    assert!(
        said.contains("s3://books/nothing.lake/manifest.json: not found"),
        "{said}"
    );
    let said = refused(&mut on(&["check", "s3://books/games.lake"]));
    assert!(
        said.contains("s3://books/games.lake: only a folder"),
        "{said}"
    );
}

/// The number of files in a folder and the folders in it.
fn files_in(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let files = entries.map(|entry| match entry.unwrap().path() {
        path if path.is_dir() => files_in(&path),
        _ => 1,
    });
    files.sum()
}

#[test]
fn an_interrupted_negamax_leaves_nothing_behind() {
    let cluster = Cluster::start(1);
    let place = tempfile::tempdir().unwrap();
    let out = place.path().join("out.lake");
    let entries = || fs::read_dir(place.path()).unwrap().count();
    let mut child = lake(&["negamax", "games.lake", "--out", out.to_str().unwrap()])
        .args(["--on", &cluster.address])
        .current_dir(folder())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while entries() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it has begun");
        thread::sleep(Duration::from_millis(1));
    }
    run(Command::new("kill").args(["-INT", &child.id().to_string()]));
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(130));
    assert_eq!(
        String::from_utf8_lossy(&done.stderr),
        "obook-lake: interrupted; nothing was written\n"
    );
    assert_eq!(entries(), 0);
}

/// Otherwise it would keep the cluster busy for minutes, and its tasks the only executor for ever.
#[test]
fn an_interrupted_query_leaves_the_cluster_free() {
    let cluster = Cluster::start(1);
    let endless = "SELECT sum(discs(one.board) + discs(other.board) + discs(third.board) + discs(fourth.board))
      FROM positions AS one JOIN positions AS other ON one.empties = other.empties
        JOIN positions AS third ON third.empties = other.empties
        JOIN positions AS fourth ON fourth.empties = third.empties";
    let query = lake(&["query", "games.lake", endless, "--on", &cluster.address])
        .current_dir(folder())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_secs(2));
    run(Command::new("kill").args(["-INT", &query.id().to_string()]));
    let done = query.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(130), "{said}");
    assert_eq!(said, "obook-lake: interrupted; nothing was written\n");
    let counted = ask(
        "SELECT count(*) AS count FROM positions",
        Some(&cluster.address),
    );
    assert_eq!(counted[0]["count"], 2247);
}

/// What a failing command says.
fn refused(command: &mut Command) -> String {
    let done = command.output().unwrap();
    assert_eq!(done.status.code(), Some(1), "{command:?}");
    assert!(done.stdout.is_empty(), "{command:?}");
    String::from_utf8(done.stderr).unwrap()
}

#[test]
fn errors_say_what_is_wrong() {
    let at = |arguments: &[&str]| {
        let mut command = lake(arguments);
        command.current_dir(folder());
        command
    };
    let said = refused(&mut at(&[
        "query",
        "games.lake",
        "SELECT level FROM nowhere",
    ]));
    assert!(said.contains("nowhere"), "{said}");
    let said = refused(&mut at(&["query", "games.lake", "SELECT board('f5d7')"]));
    assert!(
        said.contains("board: ") && said.contains("d7, is not legal after f5"),
        "{said}"
    );
    let said = refused(&mut at(&["query", "nothing.lake", "SELECT 1"]));
    assert!(said.contains("nothing.lake"), "{said}");
    let said = refused(&mut at(&["negamax", "games.lake", "--out", "games.lake"]));
    assert!(said.contains("games.lake exists"), "{said}");
    let closed = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let address = format!("df://{closed}");
    let said = refused(&mut at(&[
        "query",
        "games.lake",
        "SELECT count(*) FROM links",
        "--on",
        &address,
    ]));
    assert!(
        said.contains(&closed.to_string()) && said.contains("obook-lake scheduler"),
        "{said}"
    );
}

#[test]
fn check_finds_damage() {
    let damaged = folder().join("damaged.lake");
    export(folder(), "games.obook", "damaged.lake");
    run(lake(&["check", "damaged.lake"]).current_dir(folder()));
    let file = damaged.join("links/layer=40/part-00000.parquet");
    let mut bytes = fs::read(&file).unwrap();
    bytes[100] ^= 1;
    fs::write(&file, bytes).unwrap();
    let said = refused(lake(&["check", "damaged.lake"]).current_dir(folder()));
    assert!(
        said.contains("links/layer=40/part-00000.parquet") && said.contains("row group 0"),
        "{said}"
    );
}

#[test]
fn a_shell_answers_a_script() {
    let mut child = lake(&["shell", "games.lake", "--format", "csv"])
        .current_dir(folder())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    use std::io::Write;
    let script =
        "SELECT count(*) AS positions\nFROM positions;SELECT square(19) AS square -- no semicolon";
    child
        .stdin
        .take()
        .unwrap()
        .write_all(script.as_bytes())
        .unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success());
    assert_eq!(
        String::from_utf8(done.stdout).unwrap(),
        "positions\n2247\nsquare\nd3\n"
    );
}
