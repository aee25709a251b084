//! `obook search` and `obook learn` for shogi, with a small engine that speaks USI.

use crate::support::program::{arg, json, obook, rows, stdout};
use obook_needs::needs;
use obook_shogi::{Board, BookMove, Entry, Move, Packed, db};
use obook_testing::stored_book::digest_of_contents;
use rusqlite::Connection;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const ENGINE: &str = "usi:python3 ../tests/data/shogi/usi.py";

/// A book with a position without moves, one all of whose moves lead to positions of the book, and a move without a score.
const LACKING: &str = "#YANEURAOU-DB2016 1.00
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
7g7f none 30 12
2g2f none 25 12
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2
3c3d
8c8d none -20 14
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/7P1/PPPPPPP1P/1B5R1/LNSGKGSNL w - 2
";

struct Grown {
    _folder: TempDir,
    book: PathBuf,
}

impl Grown {
    fn new() -> Grown {
        let folder = tempfile::tempdir().unwrap();
        let book = folder.path().join("book.obook");
        Grown {
            _folder: folder,
            book,
        }
    }

    fn of(text: &str) -> Grown {
        let grown = Grown::new();
        let file = grown.book.with_file_name("file.db");
        fs::write(&file, text).unwrap();
        stdout(["import", arg(&file), "--book", arg(&grown.book)]);
        grown
    }

    fn command(&self, command: &str, engine: &str, options: &[&str]) -> Command {
        let mut program = Command::new(env!("CARGO_BIN_EXE_obook"));
        let own = [
            command,
            arg(&self.book),
            "--engine",
            engine,
            "--go",
            "depth 4",
        ];
        program.args(own).args(options);
        program
    }

    /// Runs it; the last line of JSON, the exit status, and what it complains about.
    fn run(&self, command: &str, engine: &str, options: &[&str]) -> (Value, i32, String) {
        let output = self
            .command(command, engine, options)
            .arg("--json")
            .output();
        let output = output.unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let last = said
            .lines()
            .last()
            .map(|line| serde_json::from_str(line).unwrap());
        let complaint = String::from_utf8(output.stderr).unwrap();
        (
            last.unwrap_or_default(),
            output.status.code().unwrap(),
            complaint,
        )
    }

    /// Tests that it has the scores that `fix` gives, and that nothing is wrong.
    fn assert_fixed(&self) {
        let book = arg(&self.book);
        assert_eq!(json(["info", book, "--json"])["fixed"], true);
        assert_eq!(json(["fix", book, "--json"])["changed"], 0);
        stdout(["verify", book]);
    }

    fn digest(&self) -> Vec<u8> {
        digest_of_contents(&self.book)
    }

    fn count(&self, sql: &str) -> i64 {
        let connection = Connection::open(&self.book).unwrap();
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

/// Law (Shogi): `search` finds exactly what a book lacks and leaves the book fixed.
#[test]
fn what_a_book_lacks_is_searched_and_undone() {
    let grown = Grown::of(LACKING);
    stdout(["fix", arg(&grown.book)]);
    let before = grown.digest();
    let log = grown.book.with_file_name("log");
    let engine = format!("{ENGINE} log {}", log.display());
    let (end, status, said) = grown.run("search", &engine, &["--moves", "2", "--batch", "1"]);
    assert_eq!((status, said.as_str()), (0, ""));
    let counts = ["searches", "moves", "failed", "left"].map(|name| end[name].as_u64().unwrap());
    // The other moves of the start position, both moves of 2g2f, and the score of 3c3d.
    assert_eq!(counts, [2, 3, 0, 0]);
    let mut asked: Vec<String> = fs::read_to_string(&log)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    asked.sort();
    assert_eq!(
        asked,
        [
            "1 lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 1",
            "2 lnsgkgsnl/1r5b1/p1ppppppp/1p7/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        ]
    );
    grown.assert_fixed();
    let connection = Connection::open(&grown.book).unwrap();
    let without = "SELECT count(*) FROM leaves WHERE score IS NULL OR depth IS NULL";
    assert_eq!(grown.count(without), 0);
    // Now all moves of the start position lead to positions of the book.
    assert_eq!(rows(&connection, "SELECT * FROM links", []).len(), 2);
    let (end, ..) = grown.run("search", ENGINE, &["--moves", "2"]);
    assert_eq!((&end["searches"], &end["moves"]), (&1.into(), &2.into()));
    grown.assert_fixed();
    let (end, ..) = grown.run("search", ENGINE, &["--moves", "2"]);
    assert_eq!(
        (&end["searches"], &end["change"]),
        (&0.into(), &Value::Null)
    );
    stdout(["undo", arg(&grown.book)]);
    stdout(["undo", arg(&grown.book)]);
    assert!(grown.digest() == before);
    let chosen = |options: &[&str]| grown.run("search", ENGINE, options).0["searches"].clone();
    assert_eq!(chosen(&["--where", "value IS NULL"]), 1);
    assert_eq!(chosen(&["--from", "7g7f", "--limit", "5"]), 1);
    for (options, words) in [
        (
            ["--go", "depth 1", "--where", "nowhere > 3"],
            "no such column: nowhere",
        ),
        (
            ["--go", "depth 1", "--from", "9g9f"],
            "the position to start from, ",
        ),
        (
            ["--go", "depth 0", "--jobs", "1"],
            "doesn't say how long to search",
        ),
        (
            ["--go", "nodes", "--jobs", "1"],
            "expected depth, nodes or movetime with a number",
        ),
    ] {
        let own = ["search", arg(&grown.book), "--engine", ENGINE];
        let output = obook([&own[..], &options].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(words), "{said}");
    }
}

/// Learns until there are this many positions, in two stages.
const RECIPE: &str = "
[[stages]]
rule = { best-first = { error = 300 } }
moves = 2
until = { positions = 12 }

[[stages]]
rule = { best-first = { error = 200 } }
depth = 4
until = { searches = 17 }

[[stages]]
rule = \"complete\"
";

/// Law (Shogi): The same answers make the same book, with any interruptions and number of engines.
/// Also: `an_interrupt_keeps_the_answers_and_undo_takes_them_back` `more_moves_of_several_positions_are_one_wave`
#[test]
fn learning_depends_on_no_interruption() {
    let learn = |jobs: &str, limit: Option<&str>| {
        let grown = Grown::new();
        let recipe = grown.book.with_file_name("recipe.toml");
        fs::write(&recipe, RECIPE).unwrap();
        let mut options = vec!["--recipe", arg(&recipe), "--jobs", jobs, "--batch", "3"];
        options.extend(limit.into_iter().flat_map(|limit| ["--limit", limit]));
        let mut runs = 0;
        loop {
            let (end, status, said) = grown.run("learn", ENGINE, &options);
            assert_eq!((status, said.as_str()), (0, ""));
            grown.assert_fixed();
            runs += 1;
            if end["stopped"].is_null() {
                break (grown, end, runs);
            }
            assert_eq!(end["stopped"], "limit");
        }
    };
    let (whole, end, runs) = learn("1", None);
    assert_eq!((runs, &end["left"]), (1, &0.into()));
    let filled = "SELECT count(*) FROM positions WHERE EXISTS (SELECT 1 FROM leaves WHERE leaves.board = positions.board)";
    assert!(whole.count(filled) > 20, "{end}");
    assert!(end["searches"].as_u64().unwrap() >= 12 + 17, "{end}");
    let moves = "SELECT max(moves) FROM (SELECT count(*) AS moves FROM leaves GROUP BY board)";
    assert!(whole.count(moves) >= 4);
    for (jobs, limit) in [("3", None), ("1", Some("1")), ("2", Some("5"))] {
        let (parts, _, runs) = learn(jobs, limit);
        assert!(runs > 5 || limit.is_none());
        assert!(parts.digest() == whole.digest(), "{jobs} {limit:?}");
    }
    let (_, _, said) = whole.run("learn", ENGINE, &["--limit", "3"]);
    assert_eq!(said, "");
    let root = json(["show", arg(&whole.book), "--json"]);
    assert_eq!(root["in_book"], true);
}

/// A book whose positions lead to each other only, but for those after three moves.
fn closed() -> String {
    let mut entries: BTreeMap<Packed, Entry> = BTreeMap::new();
    for [first, second, third] in [
        ["7g7f", "3c3d", "2g2f"],
        ["7g7f", "8c8d", "2g2f"],
        ["2g2f", "3c3d", "7g7f"],
        ["2g2f", "8c8d", "7g7f"],
    ] {
        let mut board = Board::start();
        for (ply, mv) in (1..).zip([first, second, third, "4a3b"]) {
            let mv: Move = mv.parse().unwrap();
            let new = || Entry::new(board, Some(ply), Vec::new());
            let entry = entries.entry(board.key()).or_insert_with(new);
            if entry.moves.iter().all(|known| known.mv != mv) {
                let score = Some(0);
                let listed = BookMove::new(mv);
                entry.moves.push(BookMove { score, ..listed });
            }
            board = board.play(mv).unwrap();
        }
    }
    let records: String = entries.values().map(db::record).collect();
    format!("{}\n{records}", db::HEADER)
}

/// More moves of several positions are searched at once, and what is left of them is searched after an interruption.
#[test]
fn more_moves_of_several_positions_are_one_wave() {
    let recipe =
        "[[stages]]\nrule = { best-first = { error = 1500 } }\nuntil = { searches = 12 }\n";
    let learn = |jobs: &str, limit: &str| {
        let grown = Grown::of(&closed());
        let file = grown.book.with_file_name("recipe.toml");
        fs::write(&file, recipe).unwrap();
        let options = ["--recipe", arg(&file), "--jobs", jobs, "--limit", limit];
        let mut left = Vec::new();
        loop {
            let (end, status, said) = grown.run("learn", ENGINE, &options);
            assert_eq!((status, said.as_str()), (0, ""));
            grown.assert_fixed();
            left.push(end["left"].as_u64().unwrap());
            if end["stopped"].is_null() {
                break (grown, left);
            }
        }
    };
    let (whole, _) = learn("1", "99");
    let searched = "SELECT count(DISTINCT board) FROM leaves WHERE depth IS NOT NULL";
    assert!(whole.count(searched) >= 7);
    for (jobs, limit) in [("3", "99"), ("1", "1"), ("2", "5")] {
        let (parts, left) = learn(jobs, limit);
        assert!(limit != "1" || left[..6] == [6, 5, 4, 3, 2, 1], "{left:?}");
        assert!(parts.digest() == whole.digest(), "{jobs} {limit}");
    }
}

/// Law (Shogi): `played` searches exactly the positions that games reached by moves played often enough.
#[test]
fn what_people_play_is_searched() {
    let grown = Grown::new();
    let folder = grown.book.parent().unwrap();
    let moves = [
        "+7776FU\n-3334FU\n+2726FU",
        "+7776FU\n-3334FU\n+6766FU",
        "+2726FU\n-8384FU",
    ];
    let games: Vec<PathBuf> = (0..)
        .zip(moves)
        .map(|(number, moves)| {
            let game = folder.join(format!("{number}.csa"));
            fs::write(&game, format!("V2.2\nPI\n+\n{moves}\n%TORYO\n")).unwrap();
            game
        })
        .collect();
    let recipe = folder.join("recipe.toml");
    let stages = "[[stages]]\nrule = { played = { min-games = 2 } }\n\n[[stages]]\nrule = { played = { min-games = 1 } }\ndepth = 1\n";
    fs::write(&recipe, stages).unwrap();
    let plain = ["--recipe", arg(&recipe)];
    let (_, status, said) = grown.run("learn", ENGINE, &plain);
    assert!(
        status == 1 && said.contains("the rule played chooses positions of games"),
        "{said}"
    );
    assert!(!grown.book.exists());
    let mut options = [&plain[..], &["--games"]].concat();
    options.extend(games.iter().map(|game| arg(game)));
    let lines = |lines: &[&str]| {
        for line in lines {
            let line = line.split(' ').filter(|word| !word.is_empty());
            let shown: Vec<&str> = ["show", arg(&grown.book)]
                .into_iter()
                .chain(line)
                .chain(["--json"])
                .collect();
            assert_eq!(json(shown)["in_book"], true, "{lines:?}");
        }
        assert_eq!(
            grown.count("SELECT count(*) FROM positions"),
            lines.len() as i64
        );
        assert_eq!(
            grown.count("SELECT count(DISTINCT board) FROM leaves"),
            lines.len() as i64
        );
    };
    let (end, status, said) =
        grown.run("learn", ENGINE, &[&options[..], &["--limit", "3"]].concat());
    assert_eq!(
        (status, said.as_str(), &end["stopped"]),
        (0, "", &"limit".into())
    );
    lines(&["", "7g7f", "7g7f 3c3d"]);
    let status = json(["learn", arg(&grown.book), "--status", "--json"]);
    let told = ["stage", "searches", "waiting", "outdated"].map(|key| status[key].clone());
    assert_eq!(
        Value::from(told.to_vec()),
        serde_json::json!([1, 3, 0, false])
    );
    let (end, ..) = grown.run("learn", ENGINE, &options);
    assert_eq!(
        (&end["searches"], &end["stopped"]),
        (&1.into(), &Value::Null)
    );
    lines(&["", "7g7f", "7g7f 3c3d", "2g2f"]);
    grown.assert_fixed();
    let told = stdout(["learn", arg(&grown.book), "--status"]);
    assert_eq!(
        told,
        "All stages are done.\n0 positions wait to be searched\n"
    );
    stdout(["undo", arg(&grown.book)]);
    let told = stdout(["learn", arg(&grown.book), "--status"]);
    assert!(
        told.starts_with("stage 1 of 2: played, 3 searches so far\n"),
        "{told}"
    );
    let printed = stdout(["shogi", "learn", "--print", "complete"]);
    assert_eq!(
        printed,
        fs::read_to_string("src/recipes/shogi/complete.toml").unwrap()
    );
}

#[test]
fn an_interrupt_keeps_the_answers_and_undo_takes_them_back() {
    let slow = format!("{ENGINE} slow 0.05");
    let grown = Grown::of(LACKING);
    let before = grown.digest();
    // So wide that it doesn't end.
    let recipe = grown.book.with_file_name("recipe.toml");
    let wide = "[[stages]]\nrule = { best-first = { error = 2000 } }\n";
    fs::write(&recipe, wide).unwrap();
    let options = [
        "--jobs",
        "1",
        "--batch",
        "1",
        "--limit",
        "400",
        "--recipe",
        arg(&recipe),
    ];
    let child = grown
        .command("learn", &slow, &options)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let positions = "SELECT count(*) FROM leaves";
    while grown.count(positions) < 20 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let id = child.id().to_string();
    let kill = Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(kill.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.ends_with("interrupted: run the same command to continue\n"),
        "{said}"
    );
    assert!(grown.count(positions) >= 20);
    grown.assert_fixed();
    assert_eq!(
        json(["history", arg(&grown.book), "--json"])
            .as_array()
            .unwrap()
            .len(),
        2
    );
    stdout(["undo", arg(&grown.book)]);
    assert!(grown.digest() == before);
}

/// Law (Shogi): Nothing is searched that can't change a draw by repetition.
#[test]
fn what_cannot_change_a_draw_is_not_searched() {
    let q1 = fs::read_to_string("../examples/q1_quiet_or_check.db").unwrap();
    let start = "8k/6+R2/9/9/4g4/9/9/9/K8 b -";
    let searched = |error: &str| {
        let grown = Grown::of(&q1);
        let recipe = grown.book.with_file_name("recipe.toml");
        let text = format!("[[stages]]\nrule = {{ best-first = {{ error = {error} }} }}\n");
        fs::write(&recipe, text).unwrap();
        let options = ["--recipe", arg(&recipe), "--from", start, "--limit", "1"];
        let (end, status, said) = grown.run("learn", ENGINE, &options);
        assert_eq!((status, said.as_str()), (0, ""));
        grown.assert_fixed();
        end["searches"].as_u64().unwrap()
    };
    // The only way out of the draw loses 500.
    assert_eq!((searched("499"), searched("501")), (0, 1));
}

/// Law (Shogi): Hostile answers are refused by name; all others count.
#[test]
fn hostile_engines_are_named() {
    let part = "9/9/PPPPPPPPP";
    for (kind, words) in [
        ("illegal", "it answers 5a5i, which is not legal"),
        ("exit", "it ended, exit status: 1; it said last: "),
        ("silent", "no answer within 6s"),
    ] {
        // Python takes its time to start.
        let patience = if kind == "silent" { "6s" } else { "10m" };
        let grown = Grown::of(LACKING);
        let engines = grown.book.with_file_name("engines.toml");
        let entry = format!(
            "[small]\nprotocol = \"usi\"\npatience = \"{patience}\"\nfolder = \"{}\"\n
             command = [\"python3\", \"../tests/data/shogi/usi.py\", \"trouble\", \"{kind}\", \"{part}\"]\n",
            std::env::current_dir().unwrap().display()
        );
        fs::write(&engines, entry).unwrap();
        let output = grown
            .command("search", "small", &["--json"])
            .env("OBOOK_ENGINES", &engines)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let end: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        let failure = &end["failures"][0];
        let reason = failure["reason"].as_str().unwrap();
        assert!(
            reason.starts_with("engine small: ") && reason.contains(words),
            "{reason}"
        );
        assert!(failure["board"].as_str().unwrap().contains(part), "{end}");
        let counts = ["searches", "failed"].map(|name| end[name].as_u64().unwrap());
        assert_eq!(counts, [1, 1]);
        grown.assert_fixed();
    }
}

/// A failed search waits for the next run, and the report says so.
#[test]
fn a_run_with_failures_can_be_continued() {
    let grown = Grown::of(LACKING);
    let learned = |engine: &str| {
        let mut learn = grown.command("learn", engine, &["--recipe", "complete"]);
        let output = learn.output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        (output.status.code(), said.lines().last().map(str::to_owned))
    };
    let again = "all else is done: run the same command to try the failed searches again";
    let trouble = format!("{ENGINE} trouble illegal 9/9/PPPPPPPPP");
    assert_eq!(learned(&trouble), (Some(1), Some(again.to_owned())));
    let done = "all stages are done";
    assert_eq!(learned(ENGINE), (Some(0), Some(done.to_owned())));
}

/// Law (Shogi): A new book's game is its engine's; an engine of the other game is refused and leaves no book.
#[test]
fn the_engine_tells_the_game_of_a_new_book() {
    let grown = Grown::new();
    let text = grown
        .command("learn", ENGINE, &["--limit", "2"])
        .output()
        .unwrap();
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(
        text.contains("book.obook: a new book of shogi\n2 searches by usi:python3"),
        "{text}"
    );
    assert!(
        text.ends_with("limit reached: run the same command to continue\n"),
        "{text}"
    );
    let file = grown.book.with_file_name("file.db");
    let nowhere = grown.book.with_file_name("other.obook");
    for (book, arguments, words) in [
        (
            &file,
            &["--engine", ENGINE, "--go", "depth 1"][..],
            "a new book is a database: name it ",
        ),
        (
            &nowhere,
            &["--engine", "usi:/nowhere/engine", "--go", "depth 1"],
            "can't start /nowhere/engine",
        ),
        (
            &nowhere,
            &["--engine", ENGINE],
            "nothing says how long to search",
        ),
        (
            &grown.book,
            &["--engine", "nboard:x", "--go", "depth 1"],
            "engine nboard:x speaks nboard, a protocol for Othello",
        ),
        (
            &grown.book,
            &["--engine", "inside", "--go", "depth 1"],
            "the built-in engine doesn't play shogi",
        ),
    ] {
        // Options for all commands may stand before the command.
        let output = obook([&["--wait", "5", "learn", arg(book)][..], arguments].concat());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(words), "{said}");
        assert_eq!(output.status.code(), Some(1), "{said}");
    }
    assert!(!nowhere.exists() && !file.exists());
    let hint = obook(["hint", "--no-book", "--engine", ENGINE]);
    let said = String::from_utf8(hint.stderr).unwrap();
    assert!(said.contains("speaks usi, a protocol for shogi"), "{said}");
}

#[needs(yaneuraou)]
#[test]
fn a_real_engine_grows_a_book() {
    let kit = PathBuf::from(std::env::var_os("OBOOK_ENGINE_KIT").unwrap());
    let engine = format!(
        "usi:{}",
        Path::new(&kit).join("yaneuraou/YaneuraOu").display()
    );
    let grown = Grown::new();
    let options = ["--limit", "20", "--jobs", "2"];
    let (end, status, said) = grown.run("learn", &engine, &options);
    assert_eq!((status, said.as_str()), (0, ""));
    assert_eq!((&end["searches"], &end["failed"]), (&20.into(), &0.into()));
    grown.assert_fixed();
}
