//! `obook learn` as it is typed.

use crate::support::program::{arg, json, obook, stdout};
use obook_testing::book_rows::rows;
use obook_testing::random_book::Random;
use obook_testing::stored_book::digest_of_contents;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// Two stages that make some hundred positions.
const RECIPE: &str = "
[[stages]]
rule = { egaroucid-deviate = { per-move = 3, sum = 4, leaf = 3 } }
level = 1
depth = 12
until = { positions = 250 }

[[stages]]
rule = { deviate = { relative = 1, absolute = 3 } }
level = 2
depth = 14
until = { searches = 150 }
";

fn recipe() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let recipe = folder.path().join("recipe.toml");
    std::fs::write(&recipe, RECIPE).unwrap();
    let book = folder.path().join("new.obook");
    (folder, book, recipe)
}

fn changes(book: &Path) -> usize {
    json(["history", arg(book), "--json"])
        .as_array()
        .unwrap()
        .len()
}

/// A hundred kills at any moment, and the book is the one that was never interrupted.
/// Running the same command again would change nothing.
#[test]
fn a_limit_that_is_too_low_says_so() {
    let folder = TempDir::new().unwrap();
    let book = folder.path().join("new.obook");
    let run = || {
        let limited = ["--level", "1", "--limit", "1", "--jobs", "1"];
        stdout(["learn", arg(&book)].into_iter().chain(limited))
    };
    let first = run();
    assert!(first.contains("1 search,"), "{first}");
    let again = run();
    let expected = "the limit doesn't allow for what comes next: raise it\n";
    assert!(again.ends_with(expected), "{again}");
}

#[test]
fn repeated_kills_make_the_same_book() {
    let (_folder, whole, recipe) = recipe();
    let said = stdout(["learn", arg(&whole), "--recipe", arg(&recipe)]);
    assert!(said.ends_with("all stages are done\n"), "{said}");
    let book = whole.with_file_name("killed.obook");
    let learn = [
        "learn",
        arg(&book),
        "--recipe",
        arg(&recipe),
        "--jobs",
        "2",
        "--batch",
        "1",
    ];
    let mut random = Random(100);
    let mut kills = 0;
    let mut searches = vec![0];
    while kills < 100 {
        let mut child = Command::new(env!("CARGO_BIN_EXE_obook"))
            .args(learn)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Every third at any moment of its start, the others some moment after an answer went in.
        let before = answers(&book);
        while kills % 3 > 0 && answers(&book) == before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros(random.below(10_000)));
        child.kill().unwrap();
        assert!(!child.wait().unwrap().success(), "it was still learning");
        kills += 1;
        searches.push(answers(&book));
    }
    assert!(
        searches.is_sorted(),
        "what was found is not lost: {searches:?}"
    );
    assert!(searches[100] > 66, "it was killed on its way");
    stdout(learn);
    assert_eq!(rows(&book), rows(&whole));
    stdout(["verify", arg(&book)]);
}

/// How many answers the history has counted; 0 where there is no book yet.
fn answers(book: &Path) -> i64 {
    let Ok(connection) = Connection::open_with_flags(book, OpenFlags::SQLITE_OPEN_READ_WRITE)
    else {
        return 0;
    };
    connection.busy_timeout(Duration::from_secs(10)).unwrap();
    let sql = "SELECT ifnull(sum(counts ->> 'searches'), 0) FROM history";
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// A first session with obook.
#[test]
fn a_first_evening_makes_a_book_that_other_engines_take() {
    let (_folder, book, _) = recipe();
    let said = stdout(["learn", arg(&book), "--limit", "500", "--json"]);
    let events: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (end, before) = events.split_last().unwrap();
    assert!(before.iter().all(|it| it["event"] == "progress"));
    assert_eq!(
        (&end["event"], &end["stopped"]),
        (&"end".into(), &"limit".into())
    );
    let positions = end["positions"].as_u64().unwrap();
    assert!(
        positions > 150 && (480..=500).contains(&end["searches"].as_u64().unwrap()),
        "{end}"
    );
    let said = stdout(["verify", arg(&book)]);
    let [_, verdict, unfinished] = said.lines().collect::<Vec<_>>()[..] else {
        panic!("{said}");
    };
    assert_eq!(verdict, "Nothing is wrong.");
    assert!(unfinished.starts_with("Learning isn't finished"), "{said}");
    for format in ["edax", "egbk3"] {
        let file = book.with_extension(format);
        obook(["export", arg(&book), arg(&file), "--format", format]);
        assert_eq!(
            stdout(["verify", arg(&file)]).lines().last(),
            Some("Nothing is wrong.")
        );
        let again = json(["info", arg(&file), "--json"]);
        assert_eq!(again["positions"].as_u64(), Some(positions), "{format}");
    }
}

#[test]
fn a_run_is_in_the_history_and_can_be_undone() {
    let (_folder, book, recipe) = recipe();
    let said = stdout([
        "learn",
        arg(&book),
        "--recipe",
        arg(&recipe),
        "--limit",
        "80",
    ]);
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines[0].contains(": a new book of Othello. Learning ends when all stages are done, after 80 answers, or with"),
        "{said}"
    );
    assert!(
        lines[1].starts_with("stage 1: egaroucid-deviate, inside at level 1: "),
        "{said}"
    );
    assert_eq!(
        lines.last(),
        Some(&"limit reached: run the same command to continue")
    );
    let before = (changes(&book), digest_of_contents(&book));
    let dry = stdout(["learn", arg(&book), "--recipe", arg(&recipe), "--dry-run"]);
    assert!(
        dry.starts_with("stage 1: egaroucid-deviate, inside, level 1, depth 12: "),
        "{dry}"
    );
    assert!(dry.contains(" positions now, about "), "{dry}");
    let status = json(["learn", arg(&book), "--status", "--json"]);
    assert_eq!(
        (&status["stage"], &status["outdated"]),
        (&1.into(), &false.into())
    );
    assert_eq!((changes(&book), digest_of_contents(&book)), before);
    stdout(["learn", arg(&book), "--recipe", arg(&recipe)]);
    assert_eq!(changes(&book), before.0 + 1);
    let status = stdout(["learn", arg(&book), "--status"]);
    assert!(
        status.starts_with("All stages are done.\n0 searches waiting\n"),
        "{status}"
    );
    let positions = || {
        json(["info", arg(&book), "--json"])["positions"]
            .as_u64()
            .unwrap()
    };
    let grown = positions();
    stdout(["undo", arg(&book)]);
    assert!(positions() < grown);
    stdout(["verify", arg(&book)]);
    let status = stdout(["learn", arg(&book), "--status"]);
    assert!(status.contains("the book has changed since"), "{status}");
}

/// The error message.
fn told(arguments: &[&str]) -> String {
    let output = obook(arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Law (Rules of growth): Later reports of a run equal the one at its end.
#[test]
fn a_later_report_equals_the_one_at_the_end() {
    let (folder, book, recipe) = recipe();
    let said = stdout(["learn", arg(&book), "--recipe", arg(&recipe), "--json"]);
    let end: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    let change = end["change"].to_string();
    let shown = json(["history", arg(&book), "--show", &change, "--json"]);
    assert_eq!(shown["id"], end["change"]);
    let stages = |of: &Value| -> Vec<Value> {
        let stages = of["stages"].as_array().unwrap().iter();
        let told = ["stage", "rule", "searches", "added", "leaves"];
        stages
            .map(|stage| told.map(|name| stage[name].clone()).to_vec().into())
            .collect()
    };
    assert_eq!(stages(&shown), stages(&end));
    assert_eq!(stages(&shown).len(), 2);
    let steps = shown["steps"].as_array().unwrap();
    let last = steps.last().unwrap();
    assert_eq!(
        (&last["positions"], &last["root"]),
        (&end["positions"], &end["root"])
    );
    assert!(steps.is_sorted_by_key(|step| step["seconds"].as_f64().unwrap()));
    let words = stdout(["history", arg(&book), "--show", &change]);
    let expected = format!("change {change}: obook learn ");
    assert!(
        words.starts_with(&expected) && words.contains("stage 2: deviate, "),
        "{words}"
    );
    let import = stdout(["history", arg(&book), "--show", "1"]);
    assert!(import.starts_with("change 1: obook learn "), "{import}");
    let svg = folder.path().join("growth.svg");
    stdout(["plot", arg(&book), "growth", "--output", arg(&svg)]);
    let drawn = std::fs::read_to_string(&svg).unwrap();
    assert_eq!(drawn, stdout(["plot", arg(&book), "growth", &change]));
    assert!(
        drawn.contains("<path") && drawn.contains("Growth of the book by change "),
        "{drawn}"
    );
    let none = told(&["plot", arg(&book), "growth", "1"]);
    assert!(none.contains("change 1 learned nothing"), "{none}");
    let none = told(&["history", arg(&book), "--show", "99"]);
    assert!(none.contains("there is no change 99"), "{none}");
}

/// Signs don't alternate from ply to ply of a line that gets better for one side: each is for the side that made the last move.
#[test]
fn changed_lines_are_valued_for_the_side_that_moves_last() {
    let (folder, book, recipe) = recipe();
    let learn = ["learn", arg(&book), "--recipe", arg(&recipe), "--json"];
    stdout(learn.iter().chain(&["--limit", "80"]));
    let before = folder.path().join("before.obook");
    std::fs::copy(&book, &before).unwrap();
    let said = stdout(learn);
    let end: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    let lines = end["lines"].as_array().unwrap();
    let mut lengths = [0, 0];
    for changed in lines {
        let line = changed["line"].as_str().unwrap();
        lengths[line.len() / 2 % 2] += 1;
        for (book, value) in [(&before, &changed["before"]), (&book, &changed["after"])] {
            // This is for the side to move.
            let shown = json(["show", arg(book), line, "--json"])["value"].as_i64();
            assert_eq!(shown.map(|value| -value), value.as_i64(), "{changed}");
        }
    }
    assert!(lengths[0] > 0 && lengths[1] > 0, "{lines:?}");
    let told = stdout(["history", arg(&book), "--show", &end["change"].to_string()]);
    let heading = "lines whose value has changed, for the side that makes the last move:\n  ";
    let (_, rest) = told.split_once(heading).expect("a heading");
    let first = rest.split_whitespace().next();
    assert_eq!(first, lines[0]["line"].as_str(), "{told}");
}

/// A database is not named like a book file, whichever command makes it.
#[test]
fn a_new_database_has_no_ending_of_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.txt");
    std::fs::write(
        &games, "f5d6c3
",
    )
    .unwrap();
    for (ending, command) in [
        ("dat", ["import", crate::support::report::GAMES, "--book"]),
        ("egbk3", ["extract", arg(&games), "--book"]),
        ("wtb", ["extract", arg(&games), "--book"]),
    ] {
        let new = folder.path().join("new").with_extension(ending);
        let said = told(&[&command[..], &[arg(&new)]].concat());
        assert!(
            said.contains("a new book is a database: name it "),
            "{said}"
        );
        assert!(said.contains("new.obook"), "{said}");
        assert!(!new.exists(), "{ending}");
    }
    let new = folder.path().join("new.dat");
    for command in [
        &["games", "import", arg(&games), "--book", arg(&new)][..],
        &["tasks", arg(&new)],
        &["learn", arg(&new)],
    ] {
        let said = told(command);
        assert!(said.contains("new.obook"), "{said}");
        assert!(!new.exists(), "{command:?}");
    }
}

/// A mistyped name makes no new book.
#[test]
fn a_new_book_is_named_unlike_its_neighbours() {
    let (folder, book, recipe) = recipe();
    let at = |name: &str| folder.path().join(name);
    for name in ["joseki.obook", "book1.obook", "user_book1.db"] {
        std::fs::write(at(name), "").unwrap();
    }
    for (name, meant) in [
        ("josek.obook", "joseki.obook"),
        ("Joeski.obook", "joseki.obook"),
        ("joseki.obok", "joseki.obook"),
        ("joseki", "joseki.obook"),
        ("bok1.obook", "book1.obook"),
    ] {
        let said = told(&["learn", arg(&at(name)), "--recipe", arg(&recipe)]);
        assert!(
            said.contains("there is no such file; did you mean ") && said.contains(meant),
            "{said}"
        );
        assert!(!at(name).exists(), "{name}");
    }
    let shogi = [
        "--recipe", "complete", "--engine", "usi:true", "--go", "nodes 1",
    ];
    let said = told(&[&["learn", arg(&at("other.ybb"))], &shogi[..]].concat());
    assert!(
        said.contains("name it ") && said.contains("other.obook"),
        "{said}"
    );
    // Numbers tell books apart, and so do endings.
    for name in ["book2.obook", "user_book1.obook", "j.obook"].map(at) {
        let plan = ["learn", arg(&name), "--recipe", arg(&recipe), "--dry-run"];
        assert!(stdout(plan).starts_with("stage 1"), "{name:?}");
    }
    assert!(!book.exists());
}

#[test]
fn impossible_runs_are_refused() {
    let (folder, book, recipe) = recipe();
    let unknown = told(&["learn", arg(&book), "--recipe", "quik"]);
    assert!(
        unknown.contains("quik: there is no recipe or file of this name (perhaps quick?)"),
        "{unknown}"
    );
    std::fs::write(&recipe, "[[stages]]\nrule = \"enlarge\"\n").unwrap();
    let wrong = told(&["learn", arg(&book), "--recipe", arg(&recipe)]);
    assert!(
        wrong.contains("recipe.toml: line 2: ") && wrong.contains("enlarge"),
        "{wrong}"
    );
    std::fs::write(&recipe, "[[stages]]\nrule = \"extend\"\n").unwrap();
    let level = told(&["learn", arg(&book), "--recipe", arg(&recipe)]);
    assert!(level.contains("level"), "{level}");
    for more in [[].as_slice(), &["--dry-run"]] {
        let store = ["learn", arg(&book), "--recipe", "store", "--level", "1"];
        let games = told(&[&store, more].concat());
        assert!(
            games.contains("the rule store chooses positions of games, and there are none; ")
                && games.contains("--games"),
            "{games}"
        );
    }
    let file = folder.path().join("games.txt");
    std::fs::write(&file, "f5d6c3d3c4\n").unwrap();
    let nobody = ["--games", arg(&file), "--player", "nobody"];
    for recipe in ["store", "best-first"] {
        let learn = ["learn", arg(&book), "--recipe", recipe, "--level", "1"];
        let games = told(&[&learn[..], &nobody].concat());
        assert!(
            games.contains("games.txt: no game that meets the conditions"),
            "{games}"
        );
    }
    let missing = ["--engine", "nboard:/no/such/engine"];
    let engine = told(&[&["learn", arg(&book)][..], &missing].concat());
    assert!(engine.contains("can't start"), "{engine}");
    assert!(!book.exists());
    let file = folder.path().join("book.dat");
    stdout(["convert", crate::support::report::GAMES, arg(&file)]);
    let before = std::fs::read(&file).unwrap();
    let foreign = told(&["learn", arg(&file)]);
    assert!(
        foreign.contains("book.dat") && foreign.contains("import"),
        "{foreign}"
    );
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

/// A run that may not search all missing leaves says how many there are, and so does its exit status.
#[test]
fn a_run_tells_what_is_missing() {
    let (_folder, book, recipe) = recipe();
    let learn = ["learn", arg(&book), "--recipe", arg(&recipe)];
    stdout([&learn[..], &["--limit", "60"]].concat());
    let history = stdout(["history", arg(&book)]);
    assert!(
        history.contains("new book") && !history.contains("nothing changed"),
        "{history}"
    );
    let wipe = "DELETE FROM leaves WHERE move IS NOT NULL";
    stdout(["query", arg(&book), wipe, "--write"]);
    stdout(["fix", arg(&book)]);
    let limited = obook([&learn[..], &["--limit", "3"]].concat());
    let said = String::from_utf8(limited.stdout).unwrap();
    let lacking = json(["learn", arg(&book), "--status", "--json"])["lacking"].clone();
    assert!(lacking.as_u64() > Some(3), "{lacking}");
    let search = format!("`obook search {}`", arg(&book));
    let told = format!(
        "{lacking} positions lack a leaf, and engines need them all: {search} searches them"
    );
    assert_eq!(said.lines().last(), Some(&*told), "{said}");
    assert_eq!(limited.status.code(), Some(1));
    // So does who needs the leaves.
    let export = obook(["export", arg(&book), arg(&book.with_extension("dat"))]);
    let refused = String::from_utf8(export.stderr).unwrap();
    let (unfinished, error) = refused.split_once('\n').unwrap();
    assert!(
        unfinished.starts_with("obook: Learning isn't finished: stage 1 of 2, "),
        "{refused}"
    );
    assert!(error.contains(&search), "{refused}");
    stdout(["search", arg(&book)]);
    let export = obook(["export", arg(&book), arg(&book.with_extension("dat"))]);
    assert!(export.status.success(), "{export:?}");
}

/// A password in an address is not told, whatever the address is taken for.
#[test]
fn a_password_is_not_told() {
    let address = "nats://learner:SECRET@host:1";
    for words in [
        &["work", "learner:SECRET@host:1"][..],
        &["work", "nats://learner:SECRET@host:x"],
        &["work", "tasks", address],
        &["learn", "--nat", address],
    ] {
        let output = obook(words);
        assert!(!output.status.success());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!said.is_empty() && !said.contains("SECRET"), "{said}");
    }
}

/// The check of a book names the command that continues an interrupted run, and only then.
#[test]
fn an_unfinished_run_can_be_continued() {
    let (_folder, book, recipe) = recipe();
    let learn = ["learn", arg(&book), "--recipe", arg(&recipe)];
    stdout([&learn[..], &["--limit", "20"]].concat());
    let said = stdout(["verify", arg(&book)]);
    let (sound, unfinished) = said
        .split_once("Learning isn't finished: stage 1 of 2, ")
        .unwrap();
    assert!(sound.ends_with("Nothing is wrong.\n"), "{said}");
    let command = format!("run `obook {} --limit 20`\n", learn.join(" "));
    assert!(unfinished.ends_with(&command), "{said}");
    let told = json(["verify", arg(&book), "--json"]);
    assert_eq!(told["unfinished"]["stage"], 1, "{told}");
    stdout(learn);
    let said = stdout(["verify", arg(&book)]);
    assert!(said.ends_with("Nothing is wrong.\n"), "{said}");
}

/// A recipe may come from anywhere.
#[cfg(unix)]
/// Law (Crashes, untrusted books, concurrency): A recipe runs no command unless allowed.
#[test]
fn a_recipe_runs_a_command_only_if_that_is_allowed() {
    let (folder, book, recipe) = recipe();
    let marker = folder.path().join("marker");
    let text = format!(
        "[[stages]]\nrule = \"extend\"\nlevel = 1\nengine = 'nboard:touch \"{}\"'\n",
        arg(&marker)
    );
    std::fs::write(&recipe, text).unwrap();
    let words = ["learn", arg(&book), "--recipe", arg(&recipe)];
    for more in [[].as_slice(), &["--dry-run"], &["--engine", "inside"]] {
        let said = told(&[&words, more].concat());
        assert!(
            said.contains("not in engines.toml") && said.contains("--allow-commands"),
            "{said}"
        );
        assert!(!marker.exists() && !book.exists());
    }
    told(&[&words[..], &["--allow-commands"]].concat());
    assert!(marker.exists());
}

/// The text that is printed is a recipe.
#[test]
fn a_printed_recipe_can_be_used() {
    let (_folder, book, recipe) = recipe();
    for name in ["accurate", "fast", "quick", "small"] {
        std::fs::write(&recipe, stdout(["learn", "--print", name])).unwrap();
        let plan = |recipe: &str| {
            json([
                "learn",
                arg(&book),
                "--recipe",
                recipe,
                "--dry-run",
                "--json",
            ])
        };
        let stages = |plan: Value| -> Vec<Value> {
            let stages = plan.as_array().unwrap().iter();
            stages
                .map(|it| serde_json::json!([it["rule"], it["level"], it["depth"]]))
                .collect()
        };
        if name == "quick" {
            assert_eq!(stages(plan(arg(&recipe))), stages(plan(name)));
        }
    }
    assert!(!book.exists());
}
