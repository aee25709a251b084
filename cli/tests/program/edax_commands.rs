//! `info`, `stats` and `show` print what Edax's commands of the same names print, for files and for databases.

use crate::support::program::{self, arg, json, stdout};
use obook_needs::needs;
use obook_testing::golden::{PUBLISHED_BOOK, golden};
use serde_json::{Value, json as value};
use std::path::{Path, PathBuf};

/// A golden book as a file and as a database.
fn forms(name: &str, folder: &Path) -> [PathBuf; 2] {
    let file = golden(&format!("{name}.dat"));
    let database = folder.join("book.obook");
    stdout(["import", arg(&file), "--book", arg(&database)]);
    [file, database]
}

/// Edax's output.
fn printed(name: &str) -> String {
    std::fs::read_to_string(golden(&format!("edax/{name}.txt"))).unwrap()
}

/// The numbers of a line, signs included.
fn numbers(line: &str) -> Vec<i64> {
    line.split(|c: char| !c.is_ascii_digit() && c != '+' && c != '-')
        .filter_map(|word| word.parse().ok())
        .collect()
}

/// The rows of numbers below a heading, up to an empty line.
fn rows(text: &str, heading: &str) -> Vec<Vec<i64>> {
    let lines = text
        .lines()
        .skip_while(|line| !line.starts_with(heading))
        .skip(1);
    lines
        .take_while(|line| !line.is_empty())
        .map(numbers)
        .collect()
}

#[test]
fn info_and_stats_give_the_numbers_that_edax_prints() {
    for name in ["games", "small"] {
        let folder = tempfile::tempdir().unwrap();
        let forms = forms(name, folder.path());
        let edax = printed(&format!("{name}.info_stats"));
        let line = |start: &str| edax.lines().find(|line| line.starts_with(start)).unwrap();
        let counts = numbers(line("Positions:"));
        let level = numbers(line("Level"));
        for book in forms {
            let info = json(["info", arg(&book), "--json"]);
            assert_eq!(
                value!(counts),
                value!([info["positions"], info["links"], info["leaves"]])
            );
            assert_eq!(info["levels"], value!({ level[0].to_string(): level[1] }));
            assert_eq!(info["depth"], value!(numbers(line("Depth:"))[0]));
            let text = stdout(["info", arg(&book)]);
            for start in ["Edax Book", "Positions:", "Level", "Depth:"] {
                assert!(
                    text.lines().any(|found| found == line(start).trim_end()),
                    "{text}"
                );
            }

            let stats = json(["stats", arg(&book), "--json"]);
            let stages: Vec<Vec<i64>> = map(&stats["stages"], |stage, counts| {
                let count = |name: &str| counts[name].as_i64().unwrap();
                vec![
                    stage,
                    count("positions"),
                    count("links"),
                    count("leaves"),
                    count("terminal"),
                ]
            });
            assert_eq!(stages, rows(&edax, "stage "));
            let values = map(&stats["values"], |value, count| {
                vec![value, count.as_i64().unwrap()]
            });
            assert_eq!(values, rows(&edax, "Score "));
            let text = stdout(["stats", arg(&book)]);
            assert_eq!(rows(&text, "stage "), rows(&edax, "stage "));
            assert_eq!(rows(&text, "score "), rows(&edax, "Score "));
        }
    }
}

/// The entries of a JSON object whose names are numbers, by number.
fn map(object: &Value, row: impl Fn(i64, &Value) -> Vec<i64>) -> Vec<Vec<i64>> {
    let entries = object.as_object().unwrap().iter();
    let mut rows: Vec<_> = entries
        .map(|(key, value)| row(key.parse().unwrap(), value))
        .collect();
    rows.sort();
    rows
}

/// Edax's display after each move, without prompts.
fn shown(edax: &str) -> Vec<String> {
    let blocks = edax
        .split("\n>\n")
        .map(|block| block.trim_start_matches(">\n").trim_end());
    blocks
        .filter(|block| block.contains("to move"))
        .map(|block| normal(&from_no_ply(block)))
        .collect()
}

/// Edax counts plies from 1, obook counts placed discs.
fn from_no_ply(display: &str) -> String {
    let plies = |line: &str| {
        let (before, ply) = line.rsplit_once("ply = ")?;
        let ply: u32 = ply.trim().parse().unwrap();
        Some(format!("{before}ply = {:2}", ply - 1))
    };
    let line = |line: &str| plies(line).unwrap_or_else(|| line.to_owned());
    display.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A display with sorted moves, because Edax doesn't define an order of equal scores, and without the name of the opening, which
/// Edax doesn't show.
fn normal(display: &str) -> String {
    let normal_line = |line: &str| match line.strip_prefix("Moves: ") {
        Some(moves) => {
            let mut moves: Vec<&str> = moves.split(' ').collect();
            let score = |mv: &str| {
                mv.split(':')
                    .nth(1)
                    .unwrap()
                    .trim_end_matches([']', '>'])
                    .parse::<i64>()
            };
            assert!(
                moves.is_sorted_by_key(|mv| -score(mv).unwrap()),
                "best first: {line}"
            );
            moves.sort_unstable();
            format!("Moves: {}", moves.join(" "))
        }
        None => line.trim_end().to_owned(),
    };
    display
        .trim()
        .lines()
        .filter(|line| !line.starts_with("Opening: "))
        .map(normal_line)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The moves from each display to the next. Edax didn't print the moves that it played, so all moves of the book are tried.
fn follow(book: &Path, expected: &[String]) {
    let mut line = String::new();
    for (ply, expected) in expected.iter().enumerate() {
        if ply > 0 {
            let view = json(["show", arg(book), &line, "--json"]);
            let moves = view["moves"].as_array().unwrap();
            let next = moves.iter().find_map(|mv| {
                let longer = format!("{line}{}", mv["move"].as_str().unwrap());
                let output = program::obook(["show", arg(book), &longer]);
                let drawn = String::from_utf8(output.stdout).unwrap();
                let same =
                    |text: &str| text.lines().take(10).map(str::to_owned).collect::<Vec<_>>();
                (same(normal(&drawn).as_str()) == same(expected)).then_some(longer)
            });
            line = next
                .unwrap_or_else(|| panic!("no move of the book leads from {line} to\n{expected}"));
        }
        assert_eq!(
            &normal(&stdout(["show", arg(book), &line])),
            expected,
            "after {line}"
        );
    }
}

#[test]
fn show_draws_like_edax() {
    for name in ["games", "small"] {
        let folder = tempfile::tempdir().unwrap();
        let forms = forms(name, folder.path());
        let expected = shown(&printed(&format!("{name}.show")));
        assert!(expected.len() >= 4, "{expected:?}");
        for book in forms {
            follow(&book, &expected);
        }
    }
}

#[needs(published_book)]
#[test]
fn show_equals_a_published_transcript() {
    let book = golden(PUBLISHED_BOOK);
    let transcript = book.with_file_name("libedax_test_book_show.txt");
    let transcript = std::fs::read_to_string(transcript).unwrap();
    let mut line = String::new();
    let (mut shown, mut unknown) = (0, 0);
    for step in transcript.split("\n>").skip(1) {
        let (command, rest) = step.split_once('\n').unwrap();
        match command.trim() {
            "book show" => match rest.find("\nLevel:") {
                Some(_) => {
                    // A picture of the game follows the picture of the book.
                    let end = rest.find("incomplete lines.").unwrap() + "incomplete lines.".len();
                    let found = normal(&stdout(["show", arg(&book), &line]));
                    assert_eq!(found, normal(&from_no_ply(&rest[..end])), "after {line}");
                    shown += 1;
                }
                None => {
                    program::complaint(["show", arg(&book), &line], &book);
                    unknown += 1;
                }
            },
            "undo" => line.truncate(line.len() - 2),
            played => line.push_str(played),
        }
    }
    assert!(
        shown >= 6 && unknown >= 2,
        "{shown} positions shown, {unknown} not in the book"
    );
}

#[test]
fn show_turns_moves_to_the_line_that_was_typed() {
    let book = golden("games.dat");
    // f5, d3, c4 and e6 are mirror images of one another, and so are the replies.
    let replies = |line: &str| {
        let view = json(["show", arg(&book), line, "--json"]);
        let scores = view["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|mv| mv["score"].clone());
        (
            view["value"].clone(),
            view["key"].clone(),
            scores.collect::<Vec<_>>(),
        )
    };
    let first = replies("f5");
    for line in ["F5", "d3", "c4", "E6"] {
        assert_eq!(replies(line), first);
    }
    let text = stdout(["show", arg(&book), "c4"]);
    assert!(text.contains("4 - - * * * - - - 4"), "{text}");
}
