//! `obook games` and `obook extract`.

use crate::support::program::{arg, complaint, json, obook, stdout, zip};
use crate::support::report::GAMES;
use obook_testing::games::{eight_games, sample};
use rusqlite::Connection;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with eight games as a WTHOR file, and a database of them.
fn taken_in() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.wtb");
    fs::write(&file, eight_games(1978)).unwrap();
    let path = folder.path().join("games.obook");
    stdout(["games", "import", arg(&file), "--book", arg(&path)]);
    (folder, file, path)
}

#[test]
fn a_year_goes_in_and_comes_out() {
    let (folder, file, path) = taken_in();
    let again = json([
        "games",
        "import",
        arg(&file),
        "--book",
        arg(&path),
        "--json",
    ]);
    assert_eq!((&again["read"], &again["added"]), (&8.into(), &0.into()));
    let list = json(["games", "list", arg(&path), "--json"]);
    assert_eq!(list.as_array().unwrap().len(), 8);
    assert_eq!(list[7]["game"], 19_780_000_001_i64);
    let wthor_again = folder.path().join("wthor");
    stdout([
        "games",
        "export",
        arg(&path),
        arg(&wthor_again),
        "--format",
        "wthor",
    ]);
    let other = folder.path().join("other.obook");
    let year = wthor_again.join("WTH_1978.wtb");
    stdout(["games", "import", arg(&year), "--book", arg(&other)]);
    assert_eq!(json(["games", "list", arg(&other), "--json"]), list);
    // The other formats, too.
    for name in ["games.ggf", "games.sgf", "games.txt"] {
        let file = folder.path().join(name);
        stdout(["games", "export", arg(&path), arg(&file)]);
        let other = folder.path().join("again.obook");
        stdout(["games", "import", arg(&file), "--book", arg(&other)]);
        let moves = |book| {
            let sql = "SELECT moves, score FROM games ORDER BY moves";
            stdout(["query", arg(book), sql])
        };
        assert_eq!(moves(&other), moves(&path), "{name}");
        fs::remove_file(&other).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn without_room_for_games_the_file_is_named() {
    let (folder, _, path) = taken_in();
    // SQLite's own files beside the book are there already.
    let reader = Connection::open(&path).unwrap();
    let count = "SELECT count(*) FROM games";
    let games: i64 = reader.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(games, 8);
    let files = || fs::read_dir(folder.path()).unwrap().count();
    let before = files();
    for format in ["wthor", "ggf", "sgf", "transcript"] {
        let to = folder.path().join("out");
        // Files can't grow, as on a full disk.
        let script =
            "ulimit -f 0; trap '' XFSZ; exec \"$0\" games export \"$1\" \"$2\" --format \"$3\"";
        let output = std::process::Command::new("sh")
            .args(["-c", script, env!("CARGO_BIN_EXE_obook")])
            .args([arg(&path), arg(&to), format])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{format}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with(&format!("obook: {}", arg(&to))), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert_eq!(files(), before, "{format}");
    }
}

#[test]
fn games_with_faults_are_reported_and_left_out_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("some.txt");
    // The last line has no game.
    fs::write(&file, "f5d6c3 +4\ne6f4e3f6g5d6e7f5c5\nf5f5\n\nh8a1\n").unwrap();
    let [all, strict] = ["all.obook", "strict.obook"].map(|name| folder.path().join(name));
    let import = |book: &Path, more: &[&str]| {
        let words = [
            &["games", "import", arg(&file), "--book", arg(book), "--json"],
            more,
        ]
        .concat();
        obook(words)
    };
    let kept = import(&all, &[]);
    let told = String::from_utf8(kept.stderr).unwrap();
    assert!(
        told.contains("some.txt: game 1 (line 1): the game stops after 3 moves"),
        "{told}"
    );
    assert!(
        told.contains("some.txt: game 3 (line 3): move 2, f5, is not legal"),
        "{told}"
    );
    let report: serde_json::Value = serde_json::from_slice(&kept.stdout).unwrap();
    assert!(
        told.contains("some.txt: game 4 (line 5): move 1, h8, is not legal"),
        "{told}"
    );
    assert_eq!(
        (&report["added"], &report["faulty"]),
        (&3.into(), &3.into())
    );
    let left_out = import(&strict, &["--strict"]);
    let report: serde_json::Value = serde_json::from_slice(&left_out.stdout).unwrap();
    assert_eq!(
        (&report["added"], &report["faulty"]),
        (&1.into(), &3.into())
    );
}

#[test]
fn a_bad_file_stops_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("all/deep")).unwrap();
    fs::write(at("all/bad.txt"), "hello there\n").unwrap();
    fs::write(at("all/deep/empty.ggf"), "").unwrap();
    fs::write(at("all/good.txt"), "e6f4e3f6g5d6e7f5c5\n").unwrap();
    for extension in ["wtb", "jou", "trn"] {
        let list = sample().with_extension(extension);
        fs::copy(list, at("all/deep/levels").with_extension(extension)).unwrap();
    }
    let files = [
        "all/bad.txt",
        "all/deep/empty.ggf",
        "all/good.txt",
        "all/deep/levels.wtb",
    ]
    .map(at);
    let files = files.each_ref().map(|file| arg(file));
    let all = at("all");
    let archive = at("all.zip");
    fs::write(&archive, zip(&all)).unwrap();
    let ways = [&files[..], &[arg(&all)], &[arg(&archive)]];
    for (number, inputs) in ways.into_iter().enumerate() {
        let book = at(&format!("{number}.obook"));
        let words = [&["games", "import", "--book", arg(&book), "--json"], inputs].concat();
        let done = obook(words);
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(1), "{said}");
        let report: Value = serde_json::from_slice(&done.stdout).unwrap();
        assert_eq!(
            (&report["added"], &report["unread"], &report["players"]),
            (&301.into(), &2.into(), &6.into()),
            "{said}"
        );
        assert!(
            said.contains("bad.txt: ") && said.contains("empty.ggf: "),
            "{said}"
        );
        assert_eq!(said.lines().count(), 2, "{said}");
    }
    // So it is wherever files of games are read.
    let [bad, _, good, _] = files;
    let made = at("made.obook");
    for (number, command) in [
        vec![
            "check", bad, good, "--level", "1", "--exact", "1", "--jobs", "1",
        ],
        vec![
            "check", good, bad, "--level", "1", "--exact", "1", "--jobs", "1",
        ],
        vec!["rate", "compare", bad, good, "--since", "2000"],
        vec![
            "extract",
            bad,
            good,
            "--book",
            arg(&made),
            "--min-games",
            "1",
        ],
        vec![
            "extract",
            bad,
            bad,
            "--book",
            arg(&made),
            "--min-games",
            "1",
        ],
    ]
    .into_iter()
    .enumerate()
    {
        let done = obook(&command);
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(1), "{command:?}: {said}");
        let named = format!("obook: {bad}: no game record begins like this");
        assert!(said.starts_with(&named), "{command:?}: {said}");
        // The last one has nothing to read.
        assert_eq!(done.stdout.is_empty(), number == 4, "{command:?}: {said}");
        assert_eq!(made.exists(), number == 3, "{command:?}");
        let _ = fs::remove_file(&made);
    }
    // Of files that can't be read at all, nothing stays.
    let none = at("none.obook");
    complaint(
        ["games", "import", files[0], "--book", arg(&none)],
        Path::new(files[0]),
    );
    assert!(!none.exists());
    // A format that is given is not looked for.
    let told = obook([
        "games",
        "import",
        files[0],
        "--book",
        arg(&none),
        "--format",
        "transcript",
    ]);
    let said = String::from_utf8(told.stderr).unwrap();
    assert!(
        said.contains("bad.txt: game 1 (line 1): move 1 is “hello”"),
        "{said}"
    );
}

/// A missing database, missing games or a missing game is reported, with advice.
#[test]
fn mistakes_are_reported() {
    let (folder, file, path) = taken_in();
    complaint(
        ["games", "import", arg(&file), "--book", GAMES],
        Path::new(GAMES),
    );
    let book = Path::new(GAMES);
    let new = folder.path().join("new.obook");
    complaint(["games", "import", GAMES, "--book", arg(&new)], book);
    assert!(!new.exists());
    let text = folder.path().join("text.txt");
    fs::write(&text, "text").unwrap();
    for (other, told) in [
        (text.as_path(), "no book format begins like this"),
        (folder.path(), "a directory; expected"),
        (book, "a book file, where a database is required"),
    ] {
        for words in [
            &["list"][..],
            &["stats"],
            &["at"],
            &["show", "7"],
            &["export", "x.ggf"],
        ] {
            let command = ["games", words[0], arg(other)].into_iter();
            let said = complaint(command.chain(words[1..].iter().copied()), other);
            assert!(said.contains(told), "{words:?}: {said}");
        }
    }
    let missing = complaint(["games", "show", arg(&path), "7"], &path);
    assert!(missing.contains("obook games list"), "{missing}");
    let target = folder.path().join("games.doc");
    let unknown = complaint(["games", "export", arg(&path), arg(&target)], &target);
    assert!(unknown.contains(".ggf, .sgf or .txt"), "{unknown}");
    complaint(
        [
            "games",
            "export",
            arg(&path),
            arg(folder.path()),
            "--format",
            "wthor",
        ],
        folder.path(),
    );
}

/// Numbers instead of names are announced, and so are the names that come later.
#[test]
fn numbers_instead_of_names_are_announced() {
    let folder = tempfile::tempdir().unwrap();
    let [alone, book] = ["alone.wtb", "games.obook"].map(|name| folder.path().join(name));
    std::fs::copy(sample(), &alone).unwrap();
    let import = |file: &Path| stdout(["games", "import", arg(file), "--book", arg(&book)]);
    let announced = |said: &str| said.contains("because no list of players (.jou) is beside it");
    let numbers = import(&alone);
    assert!(announced(&numbers), "{numbers}");
    let names = import(&sample());
    let filled = "0 games with 0 positions imported; 0 new players, 0 new tournaments\n\
                  300 games were already there\n300 games of 6 players got names instead of numbers\n";
    assert_eq!(names, filled);
    let again = import(&alone);
    assert!(!announced(&again), "every game has its names: {again}");
}

/// The name of an opening can be used in place of moves.
#[test]
fn names_are_typed_in_place_of_moves() {
    let (_folder, _, path) = taken_in();
    let by_name = json(["games", "at", arg(&path), "perpendicular", "--json"]);
    let by_moves = json(["games", "at", arg(&path), "f5d6", "--json"]);
    assert_eq!(by_name, by_moves);
    assert!(!by_moves["plays"].as_array().unwrap().is_empty());
}

/// Of moves that symmetry makes the same, games and their counts name the same one.
#[test]
fn the_moves_of_games_are_those_of_their_counts() {
    let (_folder, _, path) = taken_in();
    for line in ["", "d3", "f5d6"] {
        let at = json(["games", "at", arg(&path), line, "--json"]);
        let games = at["games"].as_array().unwrap();
        for play in at["plays"].as_array().unwrap() {
            let same = games.iter().filter(|game| game["square"] == play["square"]);
            assert_eq!(play["games"], same.count(), "{play}");
        }
        let sql = format!(
            "SELECT g.game, square FROM games_at('{line}') g JOIN plays('{line}') USING (square) ORDER BY g.game DESC"
        );
        let named = |rows: &Value| -> Vec<(Value, Value)> {
            let rows = rows.as_array().unwrap().iter();
            let named = rows.map(|row| (row["game"].clone(), row["square"].clone()));
            named.filter(|(_, square)| !square.is_null()).collect()
        };
        let asked = json(["query", arg(&path), &sql, "--json"]);
        assert_eq!(named(&asked), named(&at["games"]), "{line}");
    }
}

/// `verify` accepts a database with games only, and an extracted book before and after a search.
#[test]
fn book_and_games_are_one_view() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.obook");
    stdout(["import", GAMES, "--book", arg(&book)]);
    let plain = stdout(["show", arg(&book), "f5d6"]);
    stdout(["games", "import", arg(&sample()), "--book", arg(&book)]);
    let shown = stdout(["show", arg(&book), "f5d6"]);
    let (before, moves) = plain.split_once("Moves: ").unwrap();
    let (moves, after) = moves.split_once('\n').unwrap();
    let rows = shown.strip_prefix(before).unwrap();
    let rows: Vec<&str> = rows.strip_suffix(after).unwrap().lines().collect();
    let plays = json(["games", "at", arg(&book), "f5d6", "--json"])["plays"].take();
    assert_eq!(json(["show", arg(&book), "f5d6", "--json"])["plays"], plays);
    // The moves of the book in its order, then those of games alone, then all.
    let plays = plays.as_array().unwrap();
    let count = |play: &Value, key| play[key].as_f64().unwrap();
    let row = |title: &str, plays: &[Value]| {
        let sum = |key| plays.iter().map(|play| count(play, key)).sum::<f64>();
        let percent = |key| 100.0 * sum(key) / sum("games");
        let decided =
            |play: &Value| count(play, "wins") + count(play, "draws") + count(play, "losses");
        let discs = |play: &Value| play["mean"].as_f64().unwrap_or(0.0) * decided(play);
        let mean = plays.iter().map(discs).sum::<f64>() / plays.iter().map(decided).sum::<f64>();
        format!(
            "{title:8} {:>7} {:4.0}% {:4.0}% {:4.0}% {mean:+5.1}",
            sum("games"),
            percent("wins"),
            percent("draws"),
            percent("losses")
        )
    };
    let of = |title: &str| {
        let square = title[1..3].to_lowercase();
        let play = plays.iter().find(|play| play["square"] == square);
        play.map_or_else(
            || title.to_owned(),
            |play| row(title, std::slice::from_ref(play)),
        )
    };
    let mut expected: Vec<String> = moves.split(' ').map(of).collect();
    let of_games = plays
        .iter()
        .map(|play| format!(" {}", play["square"].as_str().unwrap()));
    let of_games = of_games.map(|title| title.to_uppercase());
    let is_new = |title: &String| !moves.contains(&title[1..]);
    expected.extend(of_games.filter(is_new).map(|title| of(&title)));
    expected.push(row("all", plays));
    assert_eq!(rows[1..], expected, "{shown}");
    // Symmetric moves have one row.
    let start = stdout(["show", arg(&book)]);
    assert_eq!(start.matches("300 ").count(), 1, "{start}");
    // Games alone are shown too; without them, the book ends there.
    let line = json(["games", "list", arg(&book), "--json"])[0]["game"].to_string();
    let game = json(["games", "show", arg(&book), &line, "--json"]);
    let far = &game["moves"].as_str().unwrap()[..80];
    let alone = stdout(["show", arg(&book), far]);
    assert!(alone.contains("\nNot in the book.\nmove "), "{alone}");
    assert_eq!(
        json(["show", arg(&book), far, "--json"])["value"],
        Value::Null
    );
    complaint(["show", GAMES, far], Path::new(GAMES));
}

#[test]
fn books_of_games_are_sound() {
    let (folder, file, path) = taken_in();
    stdout(["verify", arg(&path)]);
    stdout(["info", arg(&path)]);
    let book = folder.path().join("played.obook");
    for games in [&path, &file] {
        stdout([
            "extract",
            arg(games),
            "--book",
            arg(&book),
            "--min-games",
            "2",
            "--depth",
            "6",
            "--force",
        ]);
        stdout(["search", arg(&book), "--level", "1"]);
        stdout(["verify", arg(&book)]);
    }
}

/// What records don't say is filled in, and nothing else; then a player is found. Games are removed, and come back.
#[test]
fn bare_moves_get_players_and_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (file, other, book) = (at("my.txt"), at("other.ggf"), at("games.obook"));
    fs::write(&file, "f5d6c3d3c4\nf5f6e6f4\n").unwrap();
    let known = "(;GM[Othello]EV[x]DT[2001.02.03]PB[lily]PW[]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[f5];)";
    fs::write(&other, known).unwrap();
    let words = [
        "games",
        "import",
        arg(&file),
        arg(&other),
        "--book",
        arg(&book),
    ];
    let said = [
        "--black", "rose", "--white", "ito", "--date", "2026-05", "--event", "Club",
    ];
    stdout(words.iter().chain(&said));
    let sql = "SELECT date, tournament, black, white FROM readable_games ORDER BY game";
    let rows = json(["query", arg(&book), sql, "--json"]);
    let row = |date: &str, event: &str, black: &str| serde_json::json!({"date": date, "tournament": event, "black": black, "white": "ito"});
    let bare = row("2026-05", "Club", "rose");
    let expected = [row("2001-02-03", "x", "lily"), bare.clone(), bare];
    assert_eq!(rows.as_array().unwrap()[..], expected);
    let wrong = obook([&words[..], &["--date", "May"]].concat());
    assert_eq!(wrong.status.code(), Some(2));
    let list = || json(["games", "list", arg(&book), "--json"]);
    let before = list();
    let numbers = before.as_array().unwrap();
    let first = numbers[0]["game"].to_string();
    complaint(["games", "remove", arg(&book)], &book);
    complaint(["games", "remove", arg(&book), &first, "17"], &book);
    complaint(
        ["games", "remove", arg(&book), &first, "--player", "rose"],
        &book,
    );
    assert_eq!(list(), before);
    let said = stdout(["games", "remove", arg(&book), &first]);
    assert!(said.starts_with("1 game with "), "{said}");
    let said = stdout(["games", "remove", arg(&book), "--player", "LILY"]);
    assert_eq!(said, "1 game with 2 positions removed\n");
    assert_eq!(list().as_array().unwrap().len(), 1);
    stdout(["undo", arg(&book)]);
    stdout(["undo", arg(&book)]);
    assert_eq!(list(), before);
    // The same conditions hold for games of files.
    let mine = at("mine.obook");
    let me = ["--me", "rose", "--side", "white"];
    stdout(
        [
            "games",
            "import",
            arg(&file),
            arg(&other),
            "--book",
            arg(&mine),
        ]
        .iter()
        .chain(&me),
    );
    let whites = |kind: &str| {
        let words = [
            "games",
            "list",
            arg(&mine),
            "--white",
            "rose",
            "--json",
            "--kind",
            kind,
        ];
        let listed: Value = serde_json::from_slice(&obook(words).stdout).unwrap();
        listed.as_array().unwrap().len()
    };
    assert_eq!([whites("unfinished"), whites("resigned")], [3, 0]);
    let checked = |kind: &str| {
        let words = [
            "check",
            arg(&file),
            arg(&other),
            "--kind",
            kind,
            "--level",
            "1",
            "--exact",
            "1",
            "--json",
        ];
        obook(words).status.code()
    };
    assert_eq!(
        [checked("unfinished"), checked("resigned")],
        [Some(0), Some(1)]
    );
}

#[test]
fn names_that_are_empty_or_given_twice_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (file, book) = (folder.path().join("g.txt"), folder.path().join("g.obook"));
    fs::write(&file, "f5d6c3\n").unwrap();
    let import = ["games", "import", arg(&file), "--book", arg(&book)];
    for (more, status, words) in [
        (&["--black", " "][..], 2, "expected a name"),
        (
            &["--me", "Ann", "--black", "Bob"],
            1,
            "--me: names the player of black, and so does --black",
        ),
        (
            &["--me", "Ann", "--side", "white", "--white", "Bob"],
            1,
            "and so does --white",
        ),
    ] {
        let refused = obook([&import[..], more].concat());
        let said = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(status), "{said}");
        assert!(said.contains(words), "{said}");
        assert!(!book.exists(), "{more:?}");
    }
    let both = ["--me", "Ann", "--white", " Rose "];
    stdout([&import[..], &both].concat());
    let list = json(["games", "list", arg(&book), "--json"]);
    assert_eq!(
        (&list[0]["black"], &list[0]["white"]),
        (&"Ann".into(), &"Rose".into())
    );
    let none = obook(["games", "list", arg(&book), "--limit", "0"]);
    assert_eq!(none.status.code(), Some(2), "{none:?}");
}

/// A given format finds no games in a file without any, and typed moves are one game.
#[test]
fn no_games_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (none, book) = (at("hello.txt"), at("games.obook"));
    fs::write(&none, "hello\n").unwrap();
    let import = ["games", "import", arg(&none), "--format", "ggf", "--book"];
    let said = complaint(import.iter().copied().chain([arg(&book)]), &none);
    assert!(
        said.contains("contains no games") && !book.exists(),
        "{said}"
    );
    let said = complaint(["check", arg(&none), "--format", "ggf", "--no-book"], &none);
    assert!(said.contains("contains no games"), "{said}");
    let typed = ["check", "f5d6", "--game", "2", "--no-book"];
    let said = complaint(typed, Path::new("f5d6"));
    assert!(said.contains("there is no game 2"), "{said}");
    let shogi = [
        "shogi",
        "games",
        "verify",
        "../examples/games.csa",
        "--format",
        "jkf",
    ];
    let said = String::from_utf8(obook(shogi).stderr).unwrap();
    assert!(said.contains("no game in format jkf"), "{said}");
}

/// Games are compressed if the name of their file says so.
#[test]
fn exported_games_are_compressed() {
    let (folder, _, book) = taken_in();
    let at = |name: &str| folder.path().join(name);
    let (export, remarks) = (at("games.ggf.zst"), at("remarks.ggf.zst"));
    stdout(["games", "export", arg(&book), arg(&export)]);
    let check = [
        "check",
        arg(&export),
        "--no-book",
        "--level",
        "1",
        "--game",
        "1",
        "--output",
    ];
    stdout(check.iter().copied().chain([arg(&remarks)]));
    for (file, games) in [(export, 8), (remarks, 1)] {
        let bytes = fs::read(&file).unwrap();
        let text = String::from_utf8(zstd::decode_all(&bytes[..]).unwrap()).unwrap();
        assert_eq!(text.matches("GM[Othello]").count(), games);
    }
}

/// Games without a year are counted beside the years.
#[test]
fn games_without_a_year_are_counted() {
    let (folder, _, book) = taken_in();
    let file = folder.path().join("bare.txt");
    fs::write(&file, "f5d6\nf5f6\n").unwrap();
    stdout(["games", "import", arg(&file), "--book", arg(&book)]);
    let said = stdout(["games", "stats", arg(&book)]);
    assert!(
        said.starts_with("10 games, 1978; 2 without a year\n"),
        "{said}"
    );
}
