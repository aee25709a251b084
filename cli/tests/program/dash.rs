//! `-` is standard input where a file is read, and standard output where one is written; a file of that name is `./-`.

use crate::support::program::{commands, fed};
use crate::support::report::GAMES;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

/// Commands that take no file.
const WITHOUT: [&str; 10] = [
    "hint",
    "engines list",
    "engines test",
    "completions",
    "man",
    "tasks",
    "openings",
    "shogi match",
    "shogi evaluate",
    "rate openings",
];

/// Each takes a file that can be neither: a database, a book that is read more than once, or a picture.
const REFUSED: [&str; 75] = [
    "show -",
    "serve -",
    "site - out",
    "site book.dat -",
    "line -",
    "play -",
    "why -",
    "frontier -",
    "worst -",
    "accuracy -",
    "info -",
    "stats -",
    "openings --book -",
    "plot - empties",
    "plot - scores",
    "plot - accuracy",
    "plot - chances",
    "plot - growth 1",
    "plot - tree",
    "plot book.dat empties --output -",
    "diff - book.dat",
    "diff book.dat -",
    "search -",
    "learn -",
    "tasks -",
    "games list -",
    "games show - 1",
    "games at -",
    "games stats -",
    "games remove - 1",
    "games export - out.ggf",
    "games import games.txt --book -",
    "check games.txt --book -",
    "check games.txt --output -",
    "check games.txt --html -",
    "check games.txt --plot -",
    "repertoire - x",
    "extract games.txt --book -",
    "rate compare games.txt --since 2000 --book -",
    "rate store -",
    "import -",
    "import book.dat --book -",
    "export - out.dat",
    "export book.dat - --format parquet",
    "merge - book.dat",
    "merge book.obook -",
    "edit - f5 --value 1",
    "fix -",
    "link -",
    "negamax -",
    "level - --at-most 5",
    "depth - 5",
    "prune -",
    "prune book.dat --output -",
    "reduce - --depth 5 --per-move 1 --per-line 1",
    "subtree - f5",
    "query - x",
    "query book.dat --file -",
    "shell -",
    "verify -",
    "verify book.dat --fix-what-is-safe --output -",
    "history -",
    "undo -",
    "redo -",
    "snapshot - out.zst",
    "snapshot book.obook -",
    "restore - out.obook",
    "restore out.zst -",
    "salvage - out.obook",
    "salvage book.obook -",
    "compact -",
    "man --output -",
    "shogi fix -",
    "shogi import book.db --book -",
    "shogi merge - book.db",
];

/// The same for shogi.
const SHOGI: [&str; 19] = [
    "shogi search - --engine usi:true",
    "shogi learn - --engine usi:true",
    "shogi why -",
    "shogi evaluate startpos --output -",
    "shogi prune -",
    "shogi history -",
    "shogi undo -",
    "shogi redo -",
    "shogi snapshot - out.zst",
    "shogi restore - out.obook",
    "shogi compact -",
    "shogi games list -",
    "shogi games show - 1",
    "shogi games at -",
    "shogi games stats -",
    "shogi games remove - 1",
    "shogi games import games.csa --book -",
    "shogi fit games.csa --output -",
    "shogi rate store -",
];

/// What each reads on standard input, and whether it writes a file to standard output.
const TAKEN: [(&str, Input); 29] = [
    ("check - --level 1 --exact 1 --jobs 1", Input::Games),
    ("convert - out.egbk3", Input::Book),
    ("convert book.dat - --to edax", Input::Nothing),
    ("export book.dat - --format edax-text", Input::Nothing),
    ("extract - --book out.obook --min-games 1", Input::Games),
    ("games import - --book out.obook", Input::Games),
    (
        "games export games.obook - --format transcript",
        Input::Nothing,
    ),
    ("rate compare - --since 2000", Input::Games),
    ("repertoire book.dat x --games -", Input::Games),
    ("solve -", Input::Problems),
    ("shogi convert - out.ybb", Input::Shogi),
    ("shogi convert book.db - --to ybb", Input::Nothing),
    ("shogi diff - book.db", Input::Shogi),
    ("shogi diff book.db -", Input::Shogi),
    ("shogi export - out.ybb", Input::Shogi),
    (
        "shogi extract - --book out.obook --min-games 1",
        Input::ShogiGames,
    ),
    ("shogi export book.db - --format db", Input::Nothing),
    ("shogi games import - --book out.obook", Input::ShogiGames),
    ("shogi games verify -", Input::ShogiGames),
    (
        "shogi games export games.shogi - --format csa",
        Input::Nothing,
    ),
    ("shogi import - --book out.obook", Input::Shogi),
    ("shogi info -", Input::Shogi),
    ("shogi line -", Input::Shogi),
    ("shogi merge book.shogi -", Input::Shogi),
    ("shogi query - VALUES(1)", Input::Shogi),
    ("shogi show -", Input::Shogi),
    ("shogi stats -", Input::Shogi),
    ("shogi verify -", Input::Shogi),
    ("work -", Input::Tasks),
];

#[derive(Clone, Copy, Debug)]
enum Input {
    Nothing,
    Book,
    Games,
    Problems,
    Shogi,
    ShogiGames,
    Tasks,
}

const CSA: &str = "V2.2\nPI\n+\n+7776FU\n%TORYO\n";
const DB: &str = "#YANEURAOU-DB2016 1.00\nsfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f none 30 1 1\n";
const TASK: &str = r#"{"question":1,"board":"-------------------XO------OO-----OOO--------------------------- X","level":1,"engine":"obook"}"#;
const PROBLEM: &str = "OXO-XXXOOXOOOOOOOXO-OOX-OXOOOOXOXXOOOOXOXXOXXXOOOOOOOO-OOOOOOOO- X;\n";
/// What stands in the file `-`, which no command may find.
const TRAP: &str = "this is the file";

fn run(folder: &Path, line: &str, input: &[u8]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_obook"));
    program.args(line.split(' ')).current_dir(folder);
    // A book isn't text; standard input comes from a file.
    match std::str::from_utf8(input) {
        Ok(text) => fed(&mut program, text),
        Err(_) => {
            let file = folder.join("input");
            fs::write(&file, input).unwrap();
            let done = program.stdin(fs::File::open(&file).unwrap()).output();
            fs::remove_file(&file).unwrap();
            done.unwrap()
        }
    }
}

/// A folder with a file of each kind, and one with the name `-`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::copy(GAMES, path.join("book.dat")).unwrap();
    fs::write(path.join("games.txt"), "f5d6c3\n").unwrap();
    fs::write(path.join("games.csa"), CSA).unwrap();
    fs::write(path.join("book.db"), DB).unwrap();
    for line in [
        "import book.dat --book book.obook",
        "games import games.txt --book games.obook",
        "shogi games import games.csa --book games.shogi",
        "shogi import book.db --book book.shogi",
    ] {
        let done = run(path, line, b"");
        assert!(done.status.success(), "{line}: {done:?}");
    }
    fs::write(path.join("-"), TRAP).unwrap();
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Law (Book files): `-` is standard input or output, never a file.
/// Also: `a_dash_is_read_and_written`
#[test]
fn a_dash_is_never_a_file() {
    let folder = folder();
    let path = folder.path();
    let before = names(path);
    for line in REFUSED.into_iter().chain(SHOGI) {
        let done = run(path, line, b"");
        let said = String::from_utf8_lossy(&done.stderr);
        // 1 would mean that the books differ.
        let expected = if line.starts_with("diff") { 2 } else { 1 };
        assert_eq!(done.status.code(), Some(expected), "{line}: {said}");
        assert!(
            said.contains("a file of this name is ./-"),
            "{line}: {said}"
        );
        assert_eq!(names(path), before, "{line}");
        assert_eq!(fs::read_to_string(path.join("-")).unwrap(), TRAP, "{line}");
    }
    // Under its other name it is a file.
    let done = run(path, "info ./-", b"");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(
        said.starts_with("obook: ./-: no book format begins like this"),
        "{said}"
    );
    // A new command has to say what it does with it.
    let tried =
        (REFUSED.into_iter().chain(SHOGI).chain(WITHOUT)).chain(TAKEN.map(|(line, _)| line));
    let tried: Vec<&str> = tried.collect();
    for command in commands() {
        let is_it = |line: &str| {
            // The book stands before the kind of a picture.
            let words: Vec<&str> = line.split(' ').filter(|word| *word != "-").collect();
            let line = words.join(" ");
            line.strip_prefix(&*command)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        assert!(tried.iter().any(|line| is_it(line)), "{command}");
    }
}

#[test]
fn a_dash_is_read_and_written() {
    let folder = folder();
    let path = folder.path();
    let book = fs::read(GAMES).unwrap();
    for (line, input) in TAKEN {
        let input = match input {
            Input::Nothing => b"",
            Input::Book => &book[..],
            Input::Games => b"f5d6c3\n",
            Input::Problems => PROBLEM.as_bytes(),
            Input::Shogi => DB.as_bytes(),
            Input::ShogiGames => CSA.as_bytes(),
            Input::Tasks => TASK.as_bytes(),
        };
        let before = names(path);
        let done = run(path, line, input);
        let said = String::from_utf8_lossy(&done.stderr);
        // There is no player x in the games.
        let expected = if line.starts_with("repertoire") { 1 } else { 0 };
        assert_eq!(done.status.code(), Some(expected), "{line}: {said}");
        let is_read = expected == 0 || said.contains("no player's name contains");
        assert!(
            is_read && !said.contains("this is the file"),
            "{line}: {said}"
        );
        assert_eq!(fs::read_to_string(path.join("-")).unwrap(), TRAP, "{line}");
        if input.is_empty() {
            assert!(!done.stdout.is_empty(), "{line}");
            assert_eq!(names(path), before, "{line}");
        }
        for made in names(path).into_iter().filter(|it| it.starts_with("out.")) {
            fs::remove_file(path.join(made)).unwrap();
        }
    }
}

/// Words that say nothing are no moves.
#[test]
fn signs_are_no_moves() {
    let folder = folder();
    for line in [
        "show book.dat -",
        "line book.dat -",
        "why book.dat .",
        "shogi show book.db -",
        "shogi line book.db .",
    ] {
        let done = run(folder.path(), line, b"f5d6c3");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{line}: {said}");
        assert!(said.contains("no moves; expected moves"), "{line}: {said}");
    }
}
