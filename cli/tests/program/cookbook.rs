//! The questions in docs/sql.md: each gets the answer printed below it, and reads no more than it must.

use super::documentation::DOCUMENTS;
use crate::support::program::{arg, fed, obook, stdout};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The line in front of a question that has to read a whole table.
const SCAN: &str = "<!-- scan -->";

/// The tables that grow with the book.
const LARGE: [&str; 3] = ["positions", "links", "leaves"];

/// A block of the document: ` ```sql ` and so on.
struct Block {
    language: String,
    text: String,
    /// Its place in the document, without the fences.
    place: std::ops::Range<usize>,
    /// Whether [`SCAN`] is in front of it.
    scans: bool,
}

fn blocks(document: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<(String, usize, bool)> = None;
    let (mut at, mut before) = (0, "");
    for line in document.split_inclusive('\n') {
        match (line.trim_end().strip_prefix("```"), open.take()) {
            (Some(language), None) => {
                open = Some((language.to_owned(), at + line.len(), before == SCAN));
            }
            (Some(_), Some((language, start, scans))) => blocks.push(Block {
                language,
                text: document[start..at].to_owned(),
                place: start..at,
                scans,
            }),
            (None, still) => open = still,
        }
        at += line.len();
        before = line.trim_end();
    }
    assert!(open.is_none(), "a block without an end");
    blocks
}

fn document() -> (PathBuf, String) {
    let path = crate::support::root().join("docs/sql.md");
    let text = fs::read_to_string(&path).unwrap();
    (path, text)
}

/// The book that the document uses, under its names.
fn book() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let files = crate::support::root().join("examples");
    for name in ["games.dat", "small.dat.zst"] {
        fs::copy(files.join(name), folder.path().join(name)).unwrap();
    }
    for command in [
        "import games.dat --book games.obook",
        "accuracy games.obook --store",
    ] {
        let done = Command::new(env!("CARGO_BIN_EXE_obook"))
            .args(command.split(' '))
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(done.status.success());
    }
    let database = folder.path().join("games.obook");
    (folder, database)
}

/// The shell's answer.
fn answer(book: &Path, input: &str) -> String {
    let mut shell = Command::new(env!("CARGO_BIN_EXE_obook"));
    shell
        .args(["shell", arg(book)])
        .current_dir(book.parent().unwrap());
    let output = fed(&mut shell, input);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{input}: {complaint}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_question_has_the_answer_below_it() {
    let _alone = DOCUMENTS.lock();
    let (_folder, book) = book();
    let (path, text) = document();
    let blocks = blocks(&text);
    let mut answered = text.clone();
    // From the end, so that places stay valid.
    for pair in blocks.windows(2).rev() {
        if pair[0].language == "sql" {
            assert_eq!(pair[1].language, "text", "no answer to {}", pair[0].text);
            answered.replace_range(pair[1].place.clone(), &answer(&book, &pair[0].text));
        }
    }
    if std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
        fs::write(path, answered).unwrap();
    } else {
        assert_eq!(text, answered, "TRYCMD=overwrite writes the answers");
    }
}

#[test]
fn there_are_twenty_one_questions() {
    let (_, text) = document();
    let headings: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("### "))
        .collect();
    assert_eq!(headings.len(), 21);
    for (number, heading) in (1..).zip(headings) {
        assert!(heading.starts_with(&format!("### {number}. ")), "{heading}");
    }
}

/// SQLite's query plan, one line per step.
fn plan(book: &Path, block: &Block) -> Vec<String> {
    let details = if block.language == "sql" {
        let mut script = String::from(".mode ndjson\n");
        let (commands, sql): (Vec<&str>, Vec<&str>) =
            block.text.lines().partition(|line| line.starts_with('.'));
        for command in commands {
            script += &format!("{command}\n");
        }
        for statement in sql.join("\n").split_inclusive(';') {
            if !statement.trim().is_empty() {
                script += &format!("EXPLAIN QUERY PLAN {statement}\n");
            }
        }
        answer(book, &script)
    } else {
        let (before, rest) = block.text.split_once('"').unwrap();
        let (sql, after) = rest.split_once('"').unwrap();
        let before = before.strip_prefix("$ obook ").unwrap();
        let explain = format!("EXPLAIN QUERY PLAN {sql}");
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let output = Command::new(env!("CARGO_BIN_EXE_obook"))
            .args(words(before))
            .arg(explain)
            .args(words(after.lines().next().unwrap()))
            .args(["--format", "ndjson"])
            .current_dir(book.parent().unwrap())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", block.text);
        String::from_utf8(output.stdout).unwrap()
    };
    details
        .lines()
        .map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            row["detail"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// The large table that a step scans completely.
fn scanned(step: &str, sql: &str) -> Option<&'static str> {
    let name = step.strip_prefix("SCAN ")?.split_whitespace().next()?;
    // other.positions is a table of an attached book.
    let name = name.rsplit('.').next()?;
    LARGE.into_iter().find(|table| {
        // Perhaps under an alias: positions AS p.
        let words: Vec<&str> = sql
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .collect();
        let renamed = words
            .windows(3)
            .any(|of| of[0] == *table && of[1].eq_ignore_ascii_case("as") && of[2] == name);
        let aside = words.windows(2).any(|of| of[0] == *table && of[1] == name);
        name == *table || renamed || aside
    })
}

#[test]
fn no_question_reads_more_than_it_must() {
    let (_folder, book) = book();
    let (_, text) = document();
    let mut asked = 0;
    for block in blocks(&text) {
        let is_question = block.language == "sql" || block.scans;
        if !is_question {
            continue;
        }
        asked += 1;
        let plan = plan(&book, &block);
        assert!(!plan.is_empty(), "{}", block.text);
        let scan = plan.iter().find_map(|step| scanned(step, &block.text));
        match (scan, block.scans) {
            (Some(table), false) => panic!(
                "reads all of {table}; mark it with {SCAN}, or use the key:\n{}{plan:#?}",
                block.text
            ),
            (None, true) => panic!(
                "is marked with {SCAN} and uses a key:\n{}{plan:#?}",
                block.text
            ),
            _ => {}
        }
    }
    assert!(asked >= 20);
    // The test detects a scan.
    assert_eq!(
        scanned("SCAN p", "SELECT * FROM positions AS p"),
        Some("positions")
    );
    assert_eq!(
        scanned(
            "SEARCH p USING PRIMARY KEY (board=?)",
            "SELECT * FROM positions p"
        ),
        None
    );
    assert!(
        stdout([
            "query",
            arg(&book),
            "EXPLAIN QUERY PLAN SELECT * FROM links"
        ])
        .contains("SCAN links")
    );
}

/// Questions about all rows, which are answered while a file is read.
const OF_ALL: [&str; 8] = [
    "SELECT count(*), sum(value), min(lower), max(upper), avg(lines) FROM positions",
    "SELECT * FROM positions",
    "SELECT board, move, score FROM links WHERE score > 0 LIMIT 30 OFFSET 3",
    "SELECT move, group_concat(score) FROM links GROUP BY move",
    "SELECT (SELECT count(*) FROM leaves WHERE move IS NULL), * FROM leaves ORDER BY score DESC, level LIMIT 50",
    "SELECT * FROM levels; SELECT * FROM readable_moves WHERE score > 2",
    "SELECT * FROM readable_positions ORDER BY lines DESC LIMIT 20",
    "SELECT level, engine, unsearched, max(value), board FROM positions GROUP BY 1, 2, 3",
];

/// SQL gives the same answer while a file is read as after importing it.
#[test]
fn a_file_is_answered_as_its_database() {
    let (folder, book) = book();
    let file = |name: &str| folder.path().join(name);
    let games = file("games.dat");
    let (_, text) = document();
    let blocks = blocks(&text);
    let questions = blocks.iter().filter(|block| block.language == "sql");
    let questions: Vec<&str> = questions
        .map(|block| block.text.as_str())
        .filter(|sql| !sql.lines().any(|line| line.starts_with('.')))
        // Only a permanent database tells when and how it was made.
        .filter(|sql| {
            !["FROM history", "written"]
                .iter()
                .any(|it| sql.contains(it))
        })
        .chain(OF_ALL)
        .collect();
    assert!(questions.len() > 20, "{}", questions.len());
    let mut answers = 0;
    for format in ["dat", "egbk3", "egbk"] {
        let source = file("converted").with_extension(format);
        let database = file(&format!("{format}.obook"));
        // The format can't hold these.
        let converted = obook(["convert", arg(&games), arg(&source)]);
        assert!(converted.status.success(), "{converted:?}");
        stdout(["import", arg(&source), "--book", arg(&database)]);
        for sql in &questions {
            let ask = |book: &Path| {
                let asked = obook(["query", arg(book), sql, "--format", "json"]);
                let said = String::from_utf8(asked.stderr).unwrap();
                (
                    asked.status.code(),
                    asked.stdout,
                    said.replace(arg(book), "BOOK"),
                )
            };
            let (ours, theirs) = (ask(&source), ask(&database));
            assert!(ours == theirs, "{format}: {sql}: {} {}", ours.2, theirs.2);
            answers += u32::from(ours.0 == Some(0));
        }
    }
    assert!(answers > 60, "{answers}");
    drop(book);
}
