//! Books of shogi: the files of an engine in, own scores, and out again.

use crate::support::program::{arg, complaint, json, obook, piped, stdout};
use crate::support::report::GAMES;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const Q1: &str = "../examples/q1_quiet_or_check.db";
const START: &str = "8k/6+R2/9/9/4g4/9/9/9/K8 b -";

/// A database of [`Q1`].
fn book() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.obook");
    stdout(["import", Q1, "--book", arg(&path)]);
    (folder, path)
}

#[test]
fn a_book_goes_in_and_out_with_scores_that_are_true() {
    for name in ["q1_quiet_or_check", "q2_quiet_or_check_noexit"] {
        let folder = tempfile::tempdir().unwrap();
        let (path, file) = (
            folder.path().join("book.obook"),
            folder.path().join("user_book1.db"),
        );
        let input = format!("../examples/{name}.db");
        stdout(["import", &input, "--book", arg(&path)]);
        stdout(["export", arg(&path), arg(&file)]);
        // Nothing is lost.
        let lines = |text: String| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        assert_eq!(
            lines(fs::read_to_string(&file).unwrap()),
            lines(fs::read_to_string(&input).unwrap())
        );
        let fixed = json(["fix", arg(&path), "--json"]);
        assert_eq!(
            (&fixed["positions"], &fixed["endless"]),
            (&Value::from(7), &Value::from(7))
        );
        let values = json([
            "query",
            arg(&path),
            "SELECT DISTINCT value FROM positions",
            "--json",
        ]);
        assert_eq!(values, serde_json::json!([{ "value": 0 }]));
        stdout(["export", arg(&path), arg(&file), "--force"]);
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            text.contains(&format!(
                "sfen {START} 1\n9i8i none 0 9999\n3b3a none 0 9999\n"
            )),
            "{text}"
        );
        let ybb = folder.path().join("book.ybb");
        stdout(["convert", arg(&file), arg(&ybb)]);
        let info = json(["info", arg(&ybb), "--json"]);
        assert_eq!(info["positions"], 7);
        stdout(["undo", arg(&path)]);
        assert_eq!(json(["info", arg(&path), "--json"])["fixed"], false);
        stdout(["redo", arg(&path)]);
        let best = json(["line", arg(&path), START, "--json"]);
        assert_eq!(
            (&best["end"], best["moves"].as_array().unwrap().len()),
            (&Value::from("repetition"), 4)
        );
    }
}

#[test]
fn a_draw_is_explained() {
    let (_folder, path) = book();
    let error = complaint(["why", arg(&path), START], &path);
    assert!(error.contains("`obook fix`"), "{error}");
    stdout(["fix", arg(&path)]);
    let said = stdout(["why", arg(&path), START]);
    // A file is fixed on the way.
    assert_eq!(stdout(["why", Q1, START]), said);
    for words in [
        "worth 0 for Black",
        "0: [3b3a]  500: <9i9h>",
        "a draw by repetition",
        "loses, because Black only gives check:\n  3b3a 1a1b 3a3b 1b1a\n",
        "stay within 7 positions",
        "\n  Black: <9i9h>, worth -500\n  White: none\n",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    let why = json(["why", arg(&path), START, "--json"]);
    assert_eq!(why["detours"][0]["loser"], "black");
    assert_eq!(why["standoff"]["positions"], 7);
    let short = stdout(["why", arg(&path), START, "--depth", "2", "--most", "3"]);
    assert!(short.contains("--depth sets the limit"), "{short}");
    let few = stdout(["why", arg(&path), START, "--most", "1"]);
    let limit = "stay within 1 position (no more were read; --most sets the limit)";
    assert!(few.contains(limit), "{few}");
    for option in ["--depth", "--most"] {
        let output = obook(["why", arg(&path), START, option, "0"]);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("expected a whole number from 1"), "{said}");
    }
    assert!(stdout(["why", arg(&path), "7g7f"]).contains("not in the book"));
}

#[test]
fn a_book_is_counted_and_cut() {
    let (_folder, path) = book();
    stdout(["fix", arg(&path)]);
    let counted = json(["stats", arg(&path), "--json"]);
    assert_eq!(
        counted["values"],
        serde_json::json!([{ "from": 0, "to": 0, "positions": 7 }])
    );
    assert!(stdout(["stats", arg(&path)]).contains("terminal nodes"));
    // The start position isn't in the book.
    let error = complaint(["prune", arg(&path)], &path);
    assert!(error.contains("isn't in the book"), "{error}");
    let cut = |options: &[&str]| {
        let arguments = [&["prune", arg(&path), START, "--json"], options].concat();
        json(arguments)
    };
    assert_eq!(cut(&["--unreachable"])["removed"], 0);
    let dry = cut(&["--depth", "1", "--dry-run"]);
    assert_eq!(
        (&dry["kept"], &dry["removed"]),
        (&Value::from(3), &Value::from(4))
    );
    assert_eq!(cut(&["--depth", "1"]), dry);
    assert_eq!(stdout(["verify", arg(&path)]), "nothing is wrong\n");
    let values = json([
        "query",
        arg(&path),
        "SELECT DISTINCT value FROM positions",
        "--json",
    ]);
    assert_eq!(values, serde_json::json!([{ "value": 0 }]));
    stdout(["undo", arg(&path)]);
    assert_eq!(json(["info", arg(&path), "--json"])["positions"], 7);
}

/// Law (Shogi): `shogi` can be omitted, and books of two games don't mix.
/// Also: `games_do_not_mix`
#[test]
fn files_tell_the_game() {
    let (folder, path) = book();
    let with_word = stdout(["shogi", "show", arg(&path), START]);
    assert_eq!(stdout(["show", arg(&path), START]), with_word);
    assert_eq!(
        stdout(["--wait", "5", "show", arg(&path), START]),
        with_word
    );
    assert!(
        with_word.contains("|  |  |  |  |  |  |+R|  |  | b\n") && with_word.is_ascii(),
        "{with_word}"
    );
    assert!(stdout(["show", arg(&path), START, "--pieces", "kanji"]).contains("▲８九玉(99)"));
    let error = complaint(["hint", arg(&path)], &path);
    assert!(
        error.contains("`obook hint` doesn't support shogi")
            && error.contains("obook shogi --help"),
        "{error}"
    );
    // A file without a header, and one of another game.
    let plain = folder.path().join("plain.db");
    fs::write(&plain, format!("sfen {START} 1\n9i8i\n")).unwrap();
    assert_eq!(json(["info", arg(&plain), "--json"])["leaves"], 1);
    assert!(json(["info", GAMES, "--json"])["rules"].is_string());
    // A file to write tells nothing.
    let othello = folder.path().join("othello.obook");
    stdout(["import", GAMES, "--book", arg(&othello)]);
    for command in [
        &["export", arg(&othello), arg(&plain), "--force"][..],
        &["salvage", arg(&othello), arg(&plain)],
        &["plot", arg(&othello), "tree", "-o", arg(&plain)],
        &["prune", GAMES, "--output", arg(&plain)],
        &["prune", GAMES, &format!("--output={}", arg(&plain))],
    ] {
        complaint(command, &plain);
    }
    let snapshot = folder.path().join("book.zst");
    stdout(["snapshot", arg(&path), arg(&snapshot)]);
    let restored = folder.path().join("restored.obook");
    stdout(["restore", arg(&snapshot), arg(&restored)]);
    let error = complaint(["show", arg(&snapshot), START], &snapshot);
    assert!(error.contains("restore it with"), "{error}");
    assert_eq!(stdout(["show", arg(&restored), START]), with_word);
    stdout(["compact", arg(&restored)]);
    assert!(stdout(["history", arg(&restored)]).contains("obook import"));
}

/// All files in a folder and those below it.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = entries.map(|path| match path.is_dir() {
        true => files_in(&path),
        false => vec![path],
    });
    files.collect::<Vec<_>>().concat()
}

#[test]
fn files_of_othello_are_no_books_of_shogi() {
    let root = crate::support::root();
    let folders = [
        "tests/data",
        "crates/games/tests/data",
        "crates/games/names",
        "cli/src/recipes",
        "crates/store",
        "docs",
        "examples",
    ];
    let files = folders.map(|folder| files_in(&root.join(folder))).concat();
    assert!(files.len() > 60, "{}", files.len());
    // The examples of shogi are the only others.
    let is_example = |file: &PathBuf| file.extension().is_some_and(|it| it == "db" || it == "csa");
    for file in files.into_iter().filter(|file| !is_example(file)) {
        assert!(
            !obook_shogi::database::file::is_book(&file),
            "{}",
            file.display()
        );
    }
}

#[test]
fn games_do_not_mix() {
    let (folder, path) = book();
    let othello = folder.path().join("othello.obook");
    stdout(["import", GAMES, "--book", arg(&othello)]);
    let error = complaint(["import", Q1, "--book", arg(&othello)], &othello);
    assert!(error.contains("two games don't mix"), "{error}");
    let error = complaint(["import", GAMES, "--book", arg(&path)], Path::new(GAMES));
    assert!(error.contains("not a book of shogi"), "{error}");
    // Nor is a snapshot of one restored as one of the other.
    let snapshot = snapshot_of(&othello);
    let new = folder.path().join("new.obook");
    let error = complaint(["shogi", "restore", arg(&snapshot), arg(&new)], &snapshot);
    assert!(error.contains("one game"), "{error}");
    // Another game's book isn't replaced by accident either.
    let output = obook(["shogi", "import", Q1, "--book", arg(&othello)]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_folder_of_records_tells_the_game() {
    let folder = TempDir::new().unwrap();
    let records = folder.path().join("records");
    std::fs::create_dir(&records).unwrap();
    std::fs::copy("../examples/games.csa", records.join("games.csa")).unwrap();
    let [one, other] = ["one.obook", "other.obook"].map(|name| folder.path().join(name));
    let import = |words: &[&str], book: &Path| {
        let imported = obook([words, &["--book", arg(book)]].concat());
        assert!(imported.status.success(), "{imported:?}");
        imported.stdout
    };
    let expected = import(&["shogi", "games", "import", arg(&records)], &one);
    assert_eq!(
        import(&["games", "import", arg(&records)], &other),
        expected
    );
}

/// Whatever is written, it replaces nothing of the other game, even with `--force`.
#[test]
fn nothing_of_one_game_replaces_its_like_of_the_other() {
    let (folder, shogi) = book();
    let at = |name: &str| folder.path().join(name);
    let othello = at("othello.obook");
    stdout(["import", GAMES, "--book", arg(&othello)]);
    let snapshots = [&othello, &shogi].map(|book| snapshot_of(book));
    let (records, transcript) = ("../examples/games.csa", "(;GM[Othello]PB[a]PW[b]B[F5];)");
    // One of its games has a fault, which is said.
    let imported = obook(["shogi", "games", "import", records, "--book", arg(&shogi)]);
    assert!(imported.status.success(), "{imported:?}");
    // Each with the contents of the other game, but with a name that the command takes.
    let [book, moves, games, kifu] = ["book.dat", "moves.db", "games.ggf", "kifu.csa"].map(at);
    std::fs::copy(Q1, &book).unwrap();
    std::fs::copy(GAMES, &moves).unwrap();
    std::fs::copy(records, &games).unwrap();
    std::fs::write(&kifu, transcript).unwrap();
    let played = at("played.obook");
    let archive = "../examples/levels.wtb";
    stdout(["games", "import", archive, "--book", arg(&played)]);
    let [of_othello, of_shogi] = &snapshots;
    let to = |words: &[&str], target: &Path| {
        let before = std::fs::read(target).unwrap();
        let output = obook([words, &[arg(target), "--force"]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words:?}: {said}");
        assert!(said.starts_with("obook: "), "{words:?}: {said}");
        assert!(std::fs::read(target).unwrap() == before, "{words:?}");
        said.into_owned()
    };
    // The second for files that are no databases, the third where the words of the command tell it already.
    let other = [
        "of another game, which can't be replaced",
        "can't replace it, even with --force",
        "books of two games don't mix",
    ];
    let refused: [(&[&str], &Path); 6] = [
        (&["restore", arg(of_shogi)], &othello),
        (&["shogi", "restore", arg(of_shogi)], &othello),
        (&["shogi", "import", Q1, "--book"], &othello),
        (&["shogi", "snapshot", arg(&shogi)], of_othello),
        (&["shogi", "export", arg(&shogi)], &moves),
        (&["shogi", "games", "export", arg(&shogi)], &kifu),
    ];
    for (words, target) in refused {
        let said = to(words, target);
        let is_said = other.iter().any(|problem| said.contains(problem));
        assert!(is_said, "{words:?}: {said}");
    }
    // Here the target makes the command one for shogi, which refuses what it is given.
    let refused: [(&[&str], &Path); 5] = [
        (&["restore", arg(of_othello)], &shogi),
        (&["import", GAMES, "--book"], &shogi),
        (&["snapshot", arg(&othello)], of_shogi),
        (&["export", arg(&othello)], &book),
        (&["games", "export", arg(&played)], &games),
    ];
    for (words, target) in refused {
        to(words, target);
    }
}

/// A snapshot beside a database.
fn snapshot_of(path: &Path) -> PathBuf {
    let snapshot = path.with_extension("zst");
    if !snapshot.exists() {
        stdout(["snapshot", arg(path), arg(&snapshot)]);
    }
    snapshot
}

#[test]
fn what_is_wrong_is_named_and_the_rest_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let (file, path) = (
        folder.path().join("user_book1.db"),
        folder.path().join("book.obook"),
    );
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    fs::write(
        &file,
        format!("# remark\nsfen {start} b - 1\n7g7f none 10 5\n7g7e none 3 5\nsfen 9/9 b -\n"),
    )
    .unwrap();
    let output = obook(["import", arg(&file), "--book", arg(&path), "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("line 5: the board has 2 ranks; expected 9"),
        "{said}"
    );
    let done: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&done[0]["moves"], &done[0]["illegal_moves"]),
        (&Value::from(1), &Value::from(1))
    );
    assert_eq!(done[0]["faults"].as_array().unwrap().len(), 1);
    let output = obook(["import", arg(&file), "--book", arg(&path), "--force"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains("\n  1 illegal move: left out\n  1 fault, named on standard error\n"),
        "{said}"
    );
    for (arguments, expected) in [
        (&["show", arg(&path), "7g7e"][..], "isn't legal"),
        (&["show", arg(&path), "f5d6"], "is not a move"),
        (&["show", arg(&path), "9/9"], "the position"),
        (
            &["export", arg(&path), "book.txt"],
            "unknown extension; use .db",
        ),
        (
            &["query", arg(&path), "DELETE FROM positions"],
            "nothing can be written here",
        ),
        (
            &["query", arg(&path), "SELECT sfen(1)"],
            "a number is no position",
        ),
        (&["fix", arg(&file)], "only read"),
        (&["undo", arg(&file)], "only read"),
    ] {
        let output = obook(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}

/// The report of a command that finds differences.
fn differing<const N: usize>(arguments: [&str; N]) -> String {
    let output = obook(arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn comments_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, comment: &str| {
        let path = folder.path().join(name);
        fs::write(&path, format!("sfen {START} 1\n9i8i none 0 9\n{comment}")).unwrap();
        path
    };
    let [a, b] = [("a.db", "# old\n# both\n"), ("b.db", "# both\n// new\n")];
    let [a, b] = [a, b].map(|(name, comment)| file(name, comment));
    let said = differing(["diff", arg(&a), arg(&b)]);
    assert_eq!(
        said,
        format!(
            "0 positions only in A, 0 only in B\n\
             1 position in both: 0 with other moves, 1 with other comments, 0 with other values\n  \
             {START}  other comments\n    only in A: # old\n    only in B: // new\n"
        )
    );
    assert!(differing(["diff", arg(&a), arg(&b), "--rows", "0"]).ends_with("values\n"));
    assert!(stdout(["diff", arg(&a), arg(&a)]).contains("0 with other comments"));
}

#[test]
fn a_difference_names_the_book_with_a_bad_position() {
    let (folder, path) = book();
    let bad = folder.path().join("bad.obook");
    fs::copy(&path, &bad).unwrap();
    let database = rusqlite::Connection::open(&bad).unwrap();
    let sql = "UPDATE positions SET board = zeroblob(32) WHERE board = (SELECT min(board) FROM positions)";
    assert_eq!(database.execute(sql, []).unwrap(), 1);
    drop(database);
    for (first, second) in [(&path, &bad), (&bad, &path)] {
        let output = obook(["diff", arg(first), arg(second)]);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(
            said.contains("bad.obook: ") && said.contains("is no position"),
            "{said}"
        );
    }
}

#[test]
fn a_database_without_a_table_says_what_to_do() {
    let (_folder, path) = book();
    // As one that was made before there were comments.
    let database = rusqlite::Connection::open(&path).unwrap();
    database.execute_batch("DROP TABLE comments").unwrap();
    drop(database);
    let error = complaint(["fix", arg(&path)], &path);
    assert!(
        error.contains("import its files into a new database"),
        "{error}"
    );
    stdout(["import", Q1, "--book", arg(&path), "--force"]);
    stdout(["fix", arg(&path)]);
    // A conversion makes files only.
    let error = complaint(["convert", Q1, arg(&path)], &path);
    assert!(error.contains("`obook import` makes"), "{error}");
}

#[test]
fn books_are_compared_merged_and_checked() {
    let (folder, path) = book();
    let theirs = "../examples/q1_quiet_or_check.out.db";
    let found = differing(["diff", arg(&path), theirs, "--json"]);
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!(
        (&found["common"], &found["only_first"]),
        (&Value::from(7), &Value::from(0))
    );
    assert_eq!(found["other_moves"], 7);
    let other = folder.path().join("other.obook");
    stdout(["import", theirs, "--book", arg(&other)]);
    let merged = json(["merge", arg(&path), arg(&other), "--json"]);
    assert_eq!(
        (&merged[0]["format"], &merged[0]["new_moves"]),
        (&Value::from("obook"), &Value::from(0))
    );
    stdout(["undo", arg(&path)]);
    assert_eq!(stdout(["verify", arg(&path)]), "nothing is wrong\n");
    let unsorted = folder.path().join("unsorted.db");
    fs::write(
        &unsorted,
        format!("sfen {START} 1\n9i8i\nsfen 6+R1k/9/9/9/4g4/9/9/9/K8 w - 2\n1a1b\n"),
    )
    .unwrap();
    let output = obook(["verify", arg(&unsorted)]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("BookOnTheFly"), "{said}");
}

#[test]
fn compressed_books_and_pipes_are_read_and_written() {
    let (folder, path) = book();
    let file = |name: &str| folder.path().join(name);
    let [packed, unpacked, ybb] = ["packed.db.zst", "unpacked.db", "book.ybb.zst"].map(file);
    stdout(["export", arg(&path), arg(&unpacked)]);
    stdout(["convert", arg(&path), arg(&packed)]);
    stdout(["convert", arg(&packed), arg(&ybb)]);
    for other in [&packed, &ybb] {
        assert_eq!(json(["info", arg(other), "--json"])["positions"], 7);
        // A .ybb has no counts.
        let compared = obook(["diff", arg(&path), arg(other), "--json"]).stdout;
        let compared: Value = serde_json::from_slice(&compared).unwrap();
        assert_eq!(
            (&compared["only_first"], &compared["only_second"]),
            (&Value::from(0), &Value::from(0))
        );
    }
    let text = fs::read_to_string(&unpacked).unwrap();
    // A name for the database leaves the compression out.
    stdout(["import", arg(&packed)]);
    assert!(file("packed.obook").exists());
    // Standard output takes the book, and standard error the report.
    let output = obook(["convert", arg(&packed), "-", "--to", "db"]);
    assert_eq!(output.stdout, text.as_bytes());
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("7 positions")
    );
    let output = obook(["export", arg(&path), "-", "--format", "db"]);
    assert_eq!(output.stdout, text.as_bytes());
    let output = piped(["shogi", "convert", "-", "-", "--to", "db"], &text);
    assert_eq!(output.stdout, text.as_bytes());
    // Damage is named.
    let cut = file("cut.db.zst");
    let bytes = fs::read(&packed).unwrap();
    fs::write(&cut, &bytes[..bytes.len() - 9]).unwrap();
    let error = complaint(["shogi", "info", arg(&cut)], &cut);
    assert!(error.contains("damaged or cut off"), "{error}");
}

#[test]
fn comments_come_back_and_positions_are_merged_as_wholes() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let [first, second, path, out] = ["a.db", "b.db", "book.obook", "out.db"].map(file);
    let start = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let commented = format!(
        "#YANEURAOU-DB2016 1.00\n\n# 初手\n{start}\n7g7f none 30 9\n# 角道\n2g2f none 20 9\n"
    );
    fs::write(&first, &commented).unwrap();
    fs::write(
        &second,
        format!("{start}\n5g5f none 10 12\n2g2f none 15 12\n// new\n"),
    )
    .unwrap();
    stdout(["import", arg(&first), "--book", arg(&path)]);
    stdout(["export", arg(&path), arg(&out)]);
    assert_eq!(fs::read_to_string(&out).unwrap(), commented);
    let moves = |book: &Path| -> Vec<String> {
        let text =
            String::from_utf8(obook(["convert", arg(book), "-", "--to", "db"]).stdout).unwrap();
        let lines = text.lines().skip(1).filter(|line| !line.is_empty());
        lines
            .map(|line| line.split(' ').next().unwrap().to_owned())
            .collect()
    };
    stdout(["merge", arg(&path), arg(&second)]);
    assert_eq!(
        moves(&path),
        ["#", "sfen", "7g7f", "#", "2g2f", "//", "5g5f"]
    );
    stdout(["undo", arg(&path)]);
    let merged = json([
        "merge",
        arg(&path),
        arg(&second),
        "--rule",
        "positions",
        "--json",
    ]);
    let counts =
        ["new_moves", "replaced_moves", "removed_moves"].map(|count| merged[0][count].as_u64());
    assert_eq!(counts, [Some(1), Some(1), Some(1)]);
    assert_eq!(moves(&path), ["#", "sfen", "#", "5g5f", "2g2f", "//"]);
    let snapshot = snapshot_of(&path);
    let restored = file("restored.obook");
    stdout(["restore", arg(&snapshot), arg(&restored)]);
    assert_eq!(moves(&restored), moves(&path));
}

#[test]
fn an_evaluation_has_its_parts() {
    let parts = json(["shogi", "evaluate", START, "--json"]);
    // A published value.
    assert_eq!(parts["score"], 1261);
    let sum = ["material", "on_board", "effects"].map(|part| parts[part].as_i64().unwrap());
    assert_eq!(sum.iter().sum::<i64>(), 1261);
    assert_eq!(
        stdout(["shogi", "evaluate", "startpos"]).lines().nth(1),
        Some("score +0 for the side to move")
    );
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("control.svg");
    let drawn = |pieces: &[&str]| {
        let draw = ["shogi", "evaluate", START, "-o", arg(&picture), "--force"];
        stdout([&draw, pieces].concat());
        fs::read_to_string(&picture).unwrap()
    };
    assert!(drawn(&["--pieces", "letters"]).contains("<title>3b: +R </title>"));
    let kanji = drawn(&[]);
    assert!(kanji.contains("<title>5e: 金 </title>") && kanji.contains("<title>8i:  1:0</title>"));
    let taken = obook(["shogi", "evaluate", START, "-o", arg(&picture)]);
    assert_eq!(taken.status.code(), Some(1));
}

const PLAYED: &str = "../examples/games.csa";

#[test]
fn games_are_imported_once_and_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("games.obook");
    // The file tells the game.
    let import = ["games", "import", PLAYED, "--book", arg(&book), "--json"];
    // The faulty record is reported on standard error.
    let json_of =
        |arguments: &[&str]| -> Value { serde_json::from_slice(&obook(arguments).stdout).unwrap() };
    let first = json_of(&import);
    assert_eq!((&first["added"], &first["faulty"]), (&4.into(), &1.into()));
    assert_eq!(json_of(&import)["added"], 0);
    let at = json(["games", "at", arg(&book), "7g7f", "--json"]);
    assert_eq!(at["plays"].as_array().unwrap().len(), 2);
    assert_eq!(at["games"].as_array().unwrap().len(), 2);
    let listed = json(["games", "list", arg(&book), "--player", "fern", "--json"]);
    assert_eq!(listed.as_array().unwrap().len(), 2);
    assert_eq!(
        (&listed[0]["game"], &listed[0]["ending"]),
        (&4.into(), &"repetition".into())
    );
    let shown = json(["games", "show", arg(&book), "4", "--json"]);
    assert!(
        shown["faults"]
            .as_str()
            .unwrap()
            .contains("perpetual check")
    );
    // What is written is read again.
    for format in ["--csa", "--kif"] {
        let file = folder.path().join("again");
        fs::write(&file, stdout(["games", "show", arg(&book), "1", format])).unwrap();
        assert_eq!(json(import_into(&file, &book))["added"], 0);
    }
    for name in ["all.csa", "all.kif"] {
        let file = folder.path().join(name);
        let written = json(["games", "export", arg(&book), arg(&file), "--json"]);
        assert_eq!(written["written"], 4);
        assert_eq!(json_of(&import_into(&file, &book))["added"], 0);
        stdout([
            "games",
            "export",
            arg(&book),
            arg(&file),
            "--player",
            "fern",
            "--force",
        ]);
        assert_eq!(json_of(&import_into(&file, &book))["read"], 2);
    }
    let counted = json(["games", "stats", arg(&book), "--json"]);
    assert_eq!(
        (&counted["games"], &counted["draws"]),
        (&4.into(), &2.into())
    );
    let counted = stdout([
        "games",
        "stats",
        arg(&book),
        "--player",
        "fern",
        "--limit",
        "1",
    ]);
    assert!(
        counted.starts_with("2 games, 2026\nBlack won 0.0%, White 0.0%, 100.0% were drawn\n"),
        "{counted}"
    );
    let strict = folder.path().join("strict.obook");
    let skipped = json_of(&[
        "games",
        "import",
        PLAYED,
        "--book",
        arg(&strict),
        "--strict",
        "--json",
    ]);
    assert_eq!(skipped["added"], 3);
    assert_eq!(
        json(["games", "list", arg(&strict), "--json"])
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let more = folder.path().join("more.csa");
    fs::write(&more, "PI\n+\n+7776FU\n%TORYO\n").unwrap();
    let games = || {
        json(["games", "list", arg(&book), "--json"])
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(json(import_into(&more, &book))["added"], 1);
    assert_eq!(games(), 5);
    stdout(["undo", arg(&book)]);
    assert_eq!(games(), 4);
    let error = complaint(["games", "show", arg(&book), "9"], &book);
    assert!(error.contains("there is no game 9"), "{error}");
}

fn import_into<'a>(file: &'a Path, book: &'a Path) -> [&'a str; 6] {
    ["games", "import", arg(file), "--book", arg(book), "--json"]
}

#[test]
fn faults_of_records_are_told() {
    let output = obook(["shogi", "games", "verify", PLAYED]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("games.csa: line 84: after move 12"), "{told}");
    let folder = tempfile::tempdir().unwrap();
    let right = folder.path().join("right.csa");
    fs::write(&right, "PI\n+\n+7776FU\n%TORYO\n").unwrap();
    let report = json(["shogi", "games", "verify", arg(&right), "--json"]);
    assert_eq!(
        (&report["games"], &report["faulty"]),
        (&1.into(), &0.into())
    );
    let error = complaint(["shogi", "games", "verify", Q1], Path::new(Q1));
    assert!(error.contains("no line is one of CSA"), "{error}");
}

/// Games of the search itself are enough for a fit, which is the same each time, with a picture.
#[test]
fn effects_are_fitted_and_played() {
    let report = json(["shogi", "match", "--games", "2", "--depth", "1", "--json"]);
    let [wins, draws, losses] =
        ["wins", "draws", "losses"].map(|name| report[name].as_u64().unwrap());
    assert_eq!(wins + draws + losses, 2);
    assert_eq!(
        report,
        json(["shogi", "match", "--games", "2", "--depth", "1", "--json"])
    );
    let said = stdout(["shogi", "match", "--games", "2", "--depth", "1"]);
    assert!(said.contains(" moves on average, 1 ply\n"), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let evaluate =
        |board: &obook_shogi::Board| obook_shogi::effects::Evaluation::new(board).score();
    let games = obook_shogi::search::play_pairs(8, 1, [evaluate, evaluate], 1, || {});
    let texts: Vec<String> = games
        .iter()
        .flatten()
        .map(obook_shogi::games::csa::write)
        .collect();
    let file = folder.path().join("games.csa");
    fs::write(&file, texts.join("/\n")).unwrap();
    let picture = folder.path().join("effects.svg");
    let fit = [
        "shogi",
        "fit",
        arg(&file),
        "--output",
        arg(&picture),
        "--force",
        "--json",
    ];
    let fitted = json(fit);
    assert_eq!(fitted["models"].as_array().unwrap().len(), 6);
    assert_eq!(json(fit), fitted);
    assert!(fs::read_to_string(&picture).unwrap().contains("published"));
    assert!(stdout(["shogi", "fit", arg(&file)]).contains("each"));
    let few = folder.path().join("few.csa");
    fs::write(&few, &texts[0]).unwrap();
    let error = complaint(["shogi", "fit", arg(&few)], &few);
    let found = [": 0 games that", ": 1 game that"];
    assert!(found.iter().any(|found| error.contains(found)), "{error}");
    assert!(error.contains("a fit needs 10"), "{error}");
    // Short games have no quiet position after the opening.
    let short = "V2.2\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n";
    fs::write(&few, [short; 12].join("/\n")).unwrap();
    let error = complaint(["shogi", "fit", arg(&few)], &few);
    assert!(error.contains(": 12 games that"), "{error}");
}

/// A line that is cut off leaves the depth of the search at its end, and a position without a score stays, if a move leads there.
#[test]
fn a_cut_keeps_depths_and_unknown_positions() {
    const HEAD: &str = "#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n";
    const CHILD: &str = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2\n";
    let folder = tempfile::tempdir().unwrap();
    let (file, book) = (folder.path().join("some.db"), folder.path().join("b.obook"));
    let import = |moves: &str, answer: &str| {
        fs::write(&file, format!("{HEAD}{moves}\n{CHILD}{answer}\n")).unwrap();
        let _ = fs::remove_file(&book);
        stdout(["import", arg(&file), "--book", arg(&book)]);
    };
    let leaf = |cut: &[&str]| {
        stdout(["prune", arg(&book)].iter().chain(cut));
        let sql = "SELECT (SELECT count(*) FROM positions) AS positions, score, depth FROM leaves";
        json(["query", arg(&book), sql, "--json"])[0].clone()
    };
    import("7g7f none 300 5 1", "3c3d none -10 40 1");
    let expected = serde_json::json!({"positions": 1, "score": 10, "depth": 40});
    assert_eq!(leaf(&["--depth", "0"]), expected);
    import("7g7f 3c3d 20 5 7", "# a note");
    let expected = serde_json::json!({"positions": 2, "score": 20, "depth": 5});
    assert_eq!(leaf(&["--unreachable"]), expected);
}

/// A position that is listed for Black and again, turned, for White keeps both records, and has one value.
#[test]
fn twins_keep_their_records() {
    let folder = tempfile::tempdir().unwrap();
    let [file, book, out] =
        ["twin.db", "twin.obook", "out.db"].map(|name| folder.path().join(name));
    let board = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    let text = format!(
        "#YANEURAOU-DB2016 1.00\nsfen {board} b - 1\n7g7f none 10 4 900\n2g2f none 0 4 700\n\
         sfen {board} w - 2\n3c3d none 30 9 3\n"
    );
    fs::write(&file, &text).unwrap();
    stdout(["import", arg(&file), "--book", arg(&book)]);
    for _ in 0..2 {
        stdout(["export", arg(&book), arg(&out), "--listed", "--force"]);
        assert_eq!(fs::read_to_string(&out).unwrap(), text);
        stdout(["fix", arg(&book)]);
    }
    let white = format!("{board} w -");
    for (side, best, count, listed) in [
        ("", "7g7f", 900, Value::from(10)),
        (&white, "3c3d", 3, Value::Null),
    ] {
        let shown = json(["show", arg(&book), side, "--json"]);
        assert_eq!(shown["value"], 30);
        let mv = &shown["moves"][0];
        assert_eq!(
            (&mv["usi"], &mv["score"], &mv["count"]),
            (&best.into(), &30.into(), &count.into())
        );
        assert_eq!(mv["listed_score"], listed);
    }
}

#[test]
fn a_book_of_counts_is_named_as_one() {
    let folder = tempfile::tempdir().unwrap();
    let [file, book, out] =
        ["counts.db", "counts.obook", "out.db"].map(|name| folder.path().join(name));
    let board = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    let text = format!(
        "#YANEURAOU-DB2016 1.00\nsfen {board} b - 1\n2g2f none 0 0 3188\n7g7f none 0 0 3123\n"
    );
    fs::write(&file, &text).unwrap();
    stdout(["import", arg(&file), "--book", arg(&book)]);
    let said = stdout(["fix", arg(&book)]);
    assert!(said.contains("counts and no scores"), "{said}");
    let said = stdout(["export", arg(&book), arg(&out)]);
    assert!(said.contains("as listed"), "{said}");
    assert_eq!(fs::read_to_string(&out).unwrap(), text);
}

#[test]
fn what_draws_are_worth_stays_with_a_book() {
    let (folder, path) = book();
    let worth = || {
        let worth = &json(["info", arg(&path), "--json"])["worth_of_draws"];
        ["black", "white", "max_moves"].map(|name| worth[name].as_i64())
    };
    let fix = |options: &[&str]| stdout([&["fix", arg(&path)], options].concat());
    fix(&[]);
    assert_eq!(worth(), [Some(0), Some(0), None]);
    let said = fix(&["--draw-black", "-600", "--max-moves", "256"]);
    let words = "a draw is worth -600 to Black and 0 to White, a game is a draw after 256 moves";
    assert!(said.contains(words), "{said}");
    // Options that aren't given change nothing.
    fix(&["--draw-white=-100"]);
    assert_eq!(worth(), [Some(-600), Some(-100), Some(256)]);
    stdout(["merge", arg(&path), "../examples/s2_seed.db"]);
    fix(&["--max-moves", "100000"]);
    assert_eq!(worth(), [Some(-600), Some(-100), None]);
    let said = stdout(["show", arg(&path), START]);
    assert!(
        said.contains("value -500 by what draws are worth; own score 0\n"),
        "{said}"
    );
    let said = stdout(["why", arg(&path), START]);
    let end = "In exports, a draw is worth -600 to Black and -100 to White.\n";
    assert!(said.ends_with(end), "{said}");
    let out = folder.path().join("out.db");
    let said = stdout(["export", arg(&path), arg(&out)]);
    assert!(said.contains("own scores; a draw is worth -600"), "{said}");
    let text = fs::read_to_string(&out).unwrap();
    let first = format!("sfen {START} 1\n9i9h none -500 0\n");
    assert!(text.contains(&first), "{text}");
    // A listed score is nobody's worth of draws.
    let said = stdout(["export", arg(&path), arg(&out), "--listed", "--force"]);
    assert!(said.ends_with("scores as listed\n"), "{said}");
    fix(&["--draw-black", "0", "--draw-white", "0"]);
    assert_eq!(worth(), [Some(0), Some(0), None]);
    let left = json([
        "query",
        arg(&path),
        "SELECT count(*) AS n FROM record_scores",
        "--json",
    ]);
    assert_eq!(left[0]["n"], 0);
}

/// Moves are understood as records write them, too.
#[test]
fn moves_of_records_are_typed() {
    let (_folder, path) = book();
    let shown = |moves: &[&str]| stdout([&["shogi", "show", arg(&path)], moves].concat());
    let expected = shown(&["7g7f", "3c3d", "8h2b+", "3a2b"]);
    for moves in [
        &["▲７六歩△３四歩▲２二角成△同銀"][..],
        &["▲７六歩", "△３四歩", "▲２二角成", "△同　銀"],
        &["７六歩(77)", "３四歩(33)", "２二角成(88)", "同　銀(31)"],
        &["+7776FU", "-3334FU", "+8822UM", "-3122GI"],
        &["7g7f", "-3334FU", "☗２二角成", "3a2b"],
    ] {
        assert_eq!(shown(moves), expected, "{moves:?}");
    }
    let said = |moves: &[&str]| {
        let done = obook([&["shogi", "show", arg(&path)], moves].concat());
        assert_eq!(done.status.code(), Some(1), "{moves:?}");
        String::from_utf8(done.stderr).unwrap()
    };
    let wrong = said(&["▲７六歩", "▲７五飛"]);
    assert!(wrong.contains("move 2, R*7e, isn't legal"), "{wrong}");
    let wrong = said(&["▲７六歩", "△７五と"]);
    assert!(
        wrong.contains("move 2: “７五と”: no such piece can go to 7e"),
        "{wrong}"
    );
    let wrong = said(&["+7775FU"]);
    assert!(wrong.contains("move 1, 7g7e, isn't legal"), "{wrong}");
}

/// Games are chosen by the same options in every command.
#[test]
fn games_are_filtered() {
    let folder = tempfile::tempdir().unwrap();
    let [file, games] = ["games.csa", "games.obook"].map(|name| folder.path().join(name));
    let game = |black: &str, white: &str, event: &str, year: &str, rest: &str| {
        format!(
            "V2.2\nN+{black}\nN-{white}\n$EVENT:{event}\n$START_TIME:{year}/01/02\nPI\n+\n{rest}\n/\n"
        )
    };
    let records = [
        game(
            "Rose",
            "Ito",
            "Spring Cup",
            "2019",
            "'black_rate:Rose:1600.0\n'white_rate:Ito:1500.0\n+7776FU\n%TORYO",
        ),
        game(
            "Ito",
            "Rose",
            "Autumn Cup",
            "2020",
            "+7776FU\n-3334FU\n%TIME_UP",
        ),
        game("Lily", "Ito", "Spring Cup", "2021", "+2726FU\n%CHUDAN"),
    ];
    fs::write(&file, records.concat()).unwrap();
    stdout(import_into(&file, &games));
    let listed = |options: &[&str]| -> Vec<i64> {
        let words = ["shogi", "games", "list", arg(&games), "--json"];
        let listed = obook(words.iter().chain(options));
        let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
        let numbers = listed.as_array().unwrap().iter();
        numbers.map(|game| game["game"].as_i64().unwrap()).collect()
    };
    for (options, expected) in [
        ("--player rose", &[2, 1][..]),
        ("--black rose", &[1]),
        ("--white rose", &[2]),
        ("--tournament spring", &[3, 1]),
        ("--since 2020 --until 2020", &[2]),
        // The side to move resigned or lost on time.
        ("--won-by white", &[2]),
        ("--won-by black", &[1]),
        ("--kind resigned", &[1]),
        ("--kind timeout", &[2]),
        ("--kind unfinished", &[3]),
        ("--kind finished --sort earliest", &[1, 2]),
        ("--opening 7g7f", &[2, 1]),
        ("--rated 1500", &[1]),
        ("--rated 1501", &[]),
        ("--sort longest --limit 1", &[2]),
    ] {
        let options: Vec<&str> = options.split(' ').collect();
        assert_eq!(listed(&options), expected, "{options:?}");
    }
    let spring = ["--tournament", "spring"];
    let of_spring = |words: &[&str]| {
        let words = [words, &spring].concat();
        stdout(["shogi"].iter().chain(&words))
    };
    let said = of_spring(&["games", "stats", arg(&games)]);
    assert!(said.starts_with("2 games, 2019 to 2021\n"), "{said}");
    let said = of_spring(&["games", "at", arg(&games)]);
    assert_eq!(said.matches("Cup").count(), 2, "{said}");
    let list = folder.path().join("list.usi");
    of_spring(&["games", "export", arg(&games), arg(&list)]);
    assert_eq!(fs::read_to_string(&list).unwrap().lines().count(), 2);
    let book = folder.path().join("book.obook");
    let words = [
        "extract",
        arg(&games),
        "--min-games",
        "1",
        "--book",
        arg(&book),
    ];
    let said = of_spring(&words);
    assert!(said.ends_with("1 position, 2 moves\n"), "{said}");
    // With a side, the player has it: Ito's games as White have no move by White.
    for (options, expected) in [
        (&["--side", "white"][..], "1 position, 1 move\n"),
        (
            &["--side", "white", "--player", "rose"],
            "1 position, 1 move\n",
        ),
        (
            &["--side", "white", "--player", "ito"],
            "0 positions, 0 moves\n",
        ),
    ] {
        let words = [
            "shogi",
            "extract",
            arg(&games),
            "--min-games",
            "1",
            "--book",
            arg(&book),
        ];
        let said = stdout([&words[..], &["--force"], options].concat());
        assert!(said.ends_with(expected), "{options:?}: {said}");
    }
    let none = obook(["shogi", "games", "list", arg(&games), "--kind", "mate"]);
    let said = String::from_utf8(none.stderr).unwrap();
    assert!(said.contains("no game that meets the conditions"), "{said}");
    assert_eq!(
        of_spring(&["games", "remove", arg(&games)]),
        "2 games with 4 positions removed\n"
    );
    assert_eq!(listed(&[]), [2]);
    complaint(["shogi", "games", "remove", arg(&games)], &games);
    complaint(
        [
            "shogi",
            "games",
            "remove",
            arg(&games),
            "2",
            "--player",
            "ito",
        ],
        &games,
    );
}

/// Apery's books have no mark: one of a single position, and not the start position, is known by what it holds.
#[test]
fn a_small_book_of_apery_is_recognised() {
    let folder = tempfile::tempdir().unwrap();
    let [text, small] = ["w.db", "w.bin"].map(|name| folder.path().join(name));
    let after_7g7f = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
    fs::write(&text, format!("sfen {after_7g7f}\n3c3d none 10 1 5\n")).unwrap();
    for force in [None, Some("--force")] {
        let words = ["shogi", "convert", arg(&text), arg(&small)];
        stdout(words.into_iter().chain(force));
    }
    assert_eq!(fs::metadata(&small).unwrap().len(), 16);
    // Also if it is compressed.
    let packed = folder.path().join("w.bin.zst");
    stdout(["convert", arg(&text), arg(&packed)]);
    for file in [&small, &packed] {
        let said = stdout(["info", arg(file)]);
        assert!(said.contains("(apery), 1 position"), "{said}");
        let shown = json(["show", arg(file), "7g7f", "--json"]);
        assert_eq!(shown["moves"][0]["usi"], "3c3d");
    }
}

/// Variations become games only on request, and a book is made of them.
#[test]
fn a_book_is_made_of_records() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (file, games, book) = (at("game.kif"), at("games.obook"), at("book.obook"));
    let text = "先手：Rose\n手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 投了\n\n変化：2手\n   2 ８四歩(83)\n";
    fs::write(&file, text).unwrap();
    stdout([
        "shogi",
        "games",
        "import",
        arg(&file),
        "--book",
        arg(&at("main.obook")),
    ]);
    let said = stdout([
        "shogi",
        "games",
        "import",
        arg(&file),
        "--book",
        arg(&games),
        "--variations",
    ]);
    assert_eq!(said, "2 games with 6 positions imported\n");
    let made = |games: &Path, expected: &str| {
        let words = [
            "extract",
            arg(games),
            "--book",
            arg(&book),
            "--min-games",
            "1",
            "--force",
        ];
        let said = stdout(words);
        assert_eq!(said, format!("{}: {expected}\n", book.display()));
    };
    made(&at("main.obook"), "2 positions, 2 moves");
    made(&games, "2 positions, 3 moves");
    let db = at("book.db");
    stdout(["export", arg(&book), arg(&db)]);
    let text = fs::read_to_string(&db).unwrap();
    assert!(text.contains("\n7g7f none none none 2\n"), "{text}");
    let said = stdout(["games", "remove", arg(&games), "1"]);
    assert_eq!(said, "1 game with 3 positions removed\n");
    assert_eq!(
        json(["games", "list", arg(&games), "--json"])
            .as_array()
            .unwrap()
            .len(),
        1
    );
}
