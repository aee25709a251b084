//! A parser for the output of `obook verify --json`.

use crate::support::program::{arg, obook};
use obook_othello::{Board, Line};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A small golden book.
pub(crate) const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/games.dat");

/// A report: findings by kind, the examples' boards, and the exit status.
pub(crate) struct Report {
    pub(crate) status: i32,
    pub(crate) counts: BTreeMap<String, u64>,
    pub(crate) boards: BTreeMap<String, BTreeSet<String>>,
    pub(crate) details: String,
    /// How many examples have a line that leads to their board.
    pub(crate) lines: usize,
}

impl Report {
    pub(crate) fn of(book: &Path) -> Report {
        let output = obook(["verify", arg(book), "--json", "--examples", "10000"]);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(complaint, "", "{}", book.display());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        Report::read(output.status.code().unwrap(), &report["findings"])
    }

    pub(crate) fn read(status: i32, findings: &Value) -> Report {
        let mut report = Report {
            status,
            counts: BTreeMap::new(),
            boards: BTreeMap::new(),
            details: String::new(),
            lines: 0,
        };
        for group in findings.as_array().unwrap() {
            let kind = group["kind"].as_str().unwrap().to_owned();
            let count = group["count"].as_u64().unwrap();
            let examples = group["examples"].as_array().unwrap();
            if kind != "unknown" {
                assert_eq!(examples.len() as u64, count, "{kind}");
            }
            for example in examples {
                report.details += example["detail"].as_str().unwrap();
                report.details += "\n";
                let Some(board) = example["board"].as_str() else {
                    continue;
                };
                if let Some(line) = example["line"].as_str() {
                    leads_to(line, board);
                    report.lines += 1;
                }
                let boards = report.boards.entry(kind.clone()).or_default();
                boards.insert(board.to_owned());
            }
            report.counts.insert(kind, count);
        }
        report
    }

    /// Exactly these kinds, the first one this often.
    pub(crate) fn expect(&self, what: &str, kind: &str, count: u64, also: &[&str]) {
        let found = &self.counts;
        assert_eq!(
            found.get(kind),
            Some(&count),
            "{what}: {found:?}\n{}",
            self.details
        );
        for other in found.keys().filter(|other| *other != kind) {
            assert!(
                also.contains(&other.as_str()),
                "{what}: unexpected {found:?}\n{}",
                self.details
            );
        }
    }
}

/// A line is one that can be typed, and leads to its board in whatever orientation.
fn leads_to(line: &str, board: &str) {
    let line: Line = line.parse().unwrap();
    let board: Board = board.parse().unwrap();
    assert_eq!(line.board().canonical(), board.canonical(), "{line}");
    if let Some(first) = line.moves().first() {
        assert_eq!(first.to_string(), "f5");
    }
}
