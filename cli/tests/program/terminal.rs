//! Output on a terminal, which differs from output to a pipe.

use crate::support::program::{arg, games_database, stdout};
use crate::support::terminal::Terminal;
use expectrl::Eof;
use obook_testing::games::eight_games;
use std::path::Path;
use std::process::Command;

/// Marks the beginning of the program's output.
const BEGIN: &str = "@begin@";

/// The screen of `obook query` on a terminal of this size, with these variables.
fn seen(size: (u16, u16), variables: &[(&str, &str)], book: &Path, arguments: &[&str]) -> String {
    screen(
        size,
        variables,
        &[&["query", arg(book)], arguments].concat(),
    )
}

/// The screen of obook on a terminal of this size, with these variables.
fn screen((columns, lines): (u16, u16), variables: &[(&str, &str)], arguments: &[&str]) -> String {
    let mut command = Command::new("sh");
    command
        .arg("-c")
        // The terminal gets its size before the program starts.
        .arg(format!(
            "read go; stty cols {columns} rows {lines}; printf {BEGIN}; exec \"$@\""
        ))
        .arg("sh")
        .arg(env!("CARGO_BIN_EXE_obook"))
        .args(arguments)
        .env("TERM", "xterm")
        .env_remove("PAGER")
        .env_remove("OBOOK_PAGER")
        .envs(variables.iter().copied());
    let mut terminal = Terminal::of(command);
    terminal.send("go\n");
    let seen = terminal.expect(Eof);
    let seen = String::from_utf8(seen.as_bytes().to_vec()).unwrap();
    let (_, seen) = seen.split_once(BEGIN).unwrap();
    seen.replace("\r\n", "\n")
}

/// A pager that marks what it shows.
const MARKING: (&str, &str) = ("PAGER", "sed -e 's/^/paged: /'");

#[test]
fn columns_are_cut_to_the_terminal() {
    let (_folder, book) = games_database();
    let sql = "SELECT printf('%.60c', 'x') AS text, 12345678901 AS number";
    let table = seen((40, 24), &[], &book, &[sql]);
    assert!(table.contains("x… | 12345678901 |\n"), "{table}");
    assert!(
        table.lines().all(|line| line.chars().count() <= 40),
        "{table}"
    );
    let piped = stdout(["query", arg(&book), sql]);
    assert!(piped.contains(&"x".repeat(60)), "{piped}");
}

#[test]
fn too_many_columns_become_lines() {
    let (_folder, book) = games_database();
    let sql = "SELECT * FROM positions LIMIT 2";
    let rows = seen((60, 100), &[], &book, &[sql]);
    assert!(rows.starts_with("-- row 1 ---"), "{rows}");
    assert!(rows.contains("\n-- row 2 ---"), "{rows}");
    let boxed = seen((60, 100), &[], &book, &[sql, "--format", "box"]);
    assert!(boxed.starts_with("── row 1 ───"), "{boxed}");
}

#[test]
fn boards_are_drawn_if_they_fit() {
    let (_folder, book) = games_database();
    let sql = "SELECT board FROM positions ORDER BY empties DESC LIMIT 3";
    let drawn = |size, arguments: &[&str]| {
        let arguments = [&[sql, "--no-pager"], arguments].concat();
        seen(size, &[], &book, &arguments).contains("| 4 - - . O * - - - 4 |")
    };
    assert!(drawn((80, 40), &[]));
    assert!(!drawn((80, 20), &[]));
    assert!(drawn((80, 20), &["--boards"]));
}

#[test]
fn rows_are_followed_by_their_number_and_time() {
    let (_folder, book) = games_database();
    let many = seen(
        (80, 24),
        &[],
        &book,
        &["SELECT value FROM positions LIMIT 7"],
    );
    let last = many.lines().last().unwrap();
    assert!(
        last.starts_with("7 rows in ") && last.ends_with("ms"),
        "{many}"
    );
    let one = seen((80, 24), &[], &book, &["SELECT 1", "--format", "csv"]);
    assert!(one.starts_with("1\n1\n1 row in "), "{one}");
}

#[test]
fn long_output_goes_to_a_pager() {
    let (_folder, book) = games_database();
    let many = "SELECT empties FROM positions LIMIT 30";
    let paged = |variables: &[(&str, &str)], arguments: &[&str]| {
        let shown = seen((80, 24), variables, &book, arguments);
        assert!(shown.contains("| empties |"), "{shown}");
        shown.contains("paged: | empties |")
    };
    assert!(paged(&[MARKING], &[many]));
    let other = ("OBOOK_PAGER", "sed -e s/^/other:/");
    assert!(seen((80, 24), &[MARKING, other], &book, &[many]).contains("other:| empties |"));
    assert!(!paged(&[MARKING], &[many, "--no-pager"]));
    for off in ["", "cat"] {
        assert!(!paged(&[MARKING, ("OBOOK_PAGER", off)], &[many]));
    }
    // The answer fits.
    assert!(!paged(
        &[MARKING],
        &["SELECT empties FROM positions LIMIT 3"]
    ));
    // There is no such pager.
    assert!(!paged(&[("PAGER", "no-such-pager")], &[many]));
    // A reader may leave the pager early.
    let left = seen(
        (80, 24),
        &[("PAGER", "head -n 4")],
        &book,
        &["SELECT board FROM links"],
    );
    assert!(left.contains("| board"), "{left}");
    assert!(!left.contains("obook:"), "{left}");
}

/// A pager that shows nothing for longer than the time limit below, as a slow reader would.
const SLOW: (&str, &str) = ("PAGER", "sleep 8; cat");

/// The time limit is for SQL, which takes a few milliseconds, not for the person who reads.
#[test]
fn the_time_limit_waits_for_the_reader() {
    let (_folder, book) = games_database();
    // More than a pipe holds, so the statement still runs while the first rows are read.
    let sql = "SELECT hex(board), hex(board), hex(board) FROM links";
    for options in [&["--format", "csv"][..], &["--write"]] {
        let arguments = [&[sql, "--timeout", "5"], options].concat();
        let shown = seen((80, 24), &[SLOW], &book, &arguments);
        assert!(!shown.contains("obook:"), "{options:?}: {shown}");
        assert!(shown.contains("2252 rows"), "{options:?}: {shown}");
    }
}

#[test]
fn a_change_is_made_though_the_pager_is_left_early() {
    let (_folder, book) = games_database();
    let sql = "UPDATE positions SET lines = 5 RETURNING hex(board)";
    let shown = seen(
        (80, 24),
        &[("PAGER", "head -n 4")],
        &book,
        &[sql, "--write"],
    );
    assert!(shown.contains("rows changed: 2247"), "{shown}");
    let lines = stdout([
        "query",
        arg(&book),
        "SELECT DISTINCT lines FROM positions",
        "--format",
        "csv",
    ]);
    assert_eq!(lines, "lines\n5\n");
}

#[test]
fn a_long_question_moves_though_nothing_is_counted() {
    let (_folder, book) = games_database();
    let endless =
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
    let shown = seen((80, 24), &[], &book, &[endless, "--timeout", "3"]);
    assert!(shown.matches("answering").count() > 2, "{shown:?}");
    // The final message has a line of its own.
    let (_, last) = shown.rsplit_once("\u{1b}[2K").unwrap();
    assert!(last.trim_start().starts_with("obook:"), "{shown:?}");
}

#[test]
fn positions_fit_a_narrow_terminal() {
    let (_folder, book) = games_database();
    let [wide, narrow] = [80, 40].map(|columns| {
        let shown = screen((columns, 50), &[], &["show", arg(&book), "f5d6"]);
        let width = shown.lines().map(|line| line.chars().count()).max();
        assert!(width <= Some(columns.into()), "{shown}");
        shown
    });
    assert_eq!(wide, stdout(["show", arg(&book), "f5d6"]));
    let words = |text: &str| {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        words.sort_unstable();
        words
    };
    assert_eq!(words(&narrow), words(&wide));
}

#[test]
fn sums_of_checked_games_fit_the_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.wtb");
    std::fs::write(&file, eight_games(1978)).unwrap();
    let words = [
        "check",
        arg(&file),
        "--no-book",
        "--level",
        "1",
        "--exact",
        "0",
        "--jobs",
        "1",
    ];
    let piped = stdout(words);
    let (_, sums) = piped.rsplit_once("\n\n").unwrap();
    let wide = screen((80, 50), &[], &words);
    assert!(wide.trim_end().ends_with(sums.trim_end()), "{wide}");
    assert!(
        sums.lines().all(|line| line.chars().count() <= 80),
        "{sums}"
    );
    // Too narrow for the columns: the same numbers, in lines.
    let narrow = screen((40, 50), &[], &words);
    let (_, lines) = narrow.rsplit_once("\n\n").unwrap();
    assert!(
        lines.lines().all(|line| line.chars().count() <= 40),
        "{lines}"
    );
    let numbers = |text: &str| {
        let words = text.split([' ', ',', '(', ')', '\n']);
        let mut numbers: Vec<String> = words
            .filter(|it| it.parse::<f64>().is_ok())
            .map(str::to_owned)
            .collect();
        numbers.sort_unstable();
        numbers
    };
    assert_eq!(numbers(lines), numbers(sums));
}
