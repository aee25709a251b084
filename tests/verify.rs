//! `obook verify`: silent about every golden book, and naming every damage that is done to one.

mod golden_support;
mod obook;

use obook::{arg, json, obook};
use obook_converters::edax::{self, RawMove, Record};
use obook_othello::{Board, Line, Move};
use rusqlite::Connection;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const GAMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/edax/games.dat");

/// A report: findings by kind, the examples' boards, and the exit status.
struct Report {
    status: i32,
    counts: BTreeMap<String, u64>,
    boards: BTreeMap<String, BTreeSet<String>>,
    details: String,
}

impl Report {
    fn of(book: &Path) -> Report {
        let output = obook(["verify", arg(book), "--json", "--examples", "10000"]);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(complaint, "", "{}", book.display());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        Report::read(output.status.code().unwrap(), &report["findings"])
    }

    fn read(status: i32, findings: &Value) -> Report {
        let mut report = Report {
            status,
            counts: BTreeMap::new(),
            boards: BTreeMap::new(),
            details: String::new(),
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
                leads_to(example["line"].as_str(), board);
                let boards = report.boards.entry(kind.clone()).or_default();
                boards.insert(board.to_owned());
            }
            report.counts.insert(kind, count);
        }
        report
    }

    /// Exactly these kinds, the first so many times.
    fn expect(&self, what: &str, kind: &str, count: u64, also: &[&str]) {
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
fn leads_to(line: Option<&str>, board: &str) {
    let Some(line) = line else { return };
    let line: Line = line.parse().unwrap();
    let board: Board = board.parse().unwrap();
    assert_eq!(line.board().canonical(), board.canonical(), "{line}");
    if let Some(first) = line.moves().first() {
        assert_eq!(first.to_string(), "f5");
    }
}

/// The golden books of Edax, and one that a third party published.
fn edax_books() -> Vec<PathBuf> {
    let names = [
        "games.dat",
        "games.prune.dat",
        "small.dat",
        "small.prune.dat",
        "small.subtree_f5d6c4.dat",
        "deviate.dat",
        "deviate.depth9.prune.dat",
    ];
    let golden = names
        .iter()
        .filter_map(|name| golden_support::golden(&format!("edax/{name}")));
    let public = golden_support::golden("../public/libedax_test_book.dat");
    golden.chain(public).collect()
}

#[test]
fn finds_nothing_in_golden_books_nor_in_databases_of_them() {
    let folder = tempfile::tempdir().unwrap();
    for book in edax_books() {
        let report = json(["verify", arg(&book), "--json"]);
        assert_eq!(
            report["findings"],
            Value::Array(Vec::new()),
            "{}",
            book.display()
        );
        let database = folder.path().join("book.obook");
        json([
            "import",
            arg(&book),
            "--book",
            arg(&database),
            "--force",
            "--json",
        ]);
        let of_database = json(["verify", arg(&database), "--json"]);
        assert_eq!(
            of_database["findings"],
            report["findings"],
            "{}",
            book.display()
        );
        assert_eq!(of_database["positions"], report["positions"]);
    }
}

/// A golden book of raw records, to be damaged.
struct Golden {
    header: edax::Header,
    records: Vec<Record>,
}

impl Golden {
    fn read() -> Golden {
        let mut reader = edax::Reader::new(std::fs::File::open(GAMES).unwrap()).unwrap();
        let records = reader.by_ref().map(Result::unwrap).collect();
        Golden {
            header: *reader.header(),
            records,
        }
    }

    fn bytes(mut self) -> Vec<u8> {
        self.header.count = self.records.len() as i32;
        let mut writer = edax::Writer::new(Vec::new(), self.header).unwrap();
        for record in &self.records {
            writer.write(record).unwrap();
        }
        writer.finish().unwrap()
    }

    /// The first record like this.
    fn find(&mut self, like: impl Fn(&Record) -> bool) -> &mut Record {
        self.records.iter_mut().find(|record| like(record)).unwrap()
    }

    fn start(&mut self) -> &mut Record {
        self.find(|record| board(record) == Board::START)
    }
}

fn board(record: &Record) -> Board {
    Board::new(record.player, record.opponent).unwrap()
}

fn text(record: &Record) -> String {
    board(record).to_text()
}

fn has_leaf(record: &Record) -> bool {
    record.leaf.code < 64
}

/// A legal move of a record that is neither link nor leaf.
fn free_move(record: &Record) -> Option<u8> {
    let taken =
        |code| record.links.iter().any(|link| link.code == code) || record.leaf.code == code;
    let mut legal = board(record).moves().map(Move::code);
    legal.find(|code| !taken(*code))
}

/// What follows where a position loses its leaf or a child: its numbers no longer fit.
const NUMBERS: [&str; 4] = ["value", "bounds", "outcomes", "lines"];

/// A damage to records.
struct Damage {
    name: &'static str,
    /// Does it, and gives the board that has to be reported.
    inject: fn(&mut Golden) -> String,
    kind: &'static str,
    also: &'static [&'static str],
    /// Whether mending brings the book back as it was.
    mended: bool,
}

const DAMAGES: &[Damage] = &[
    Damage {
        name: "a record twice",
        inject: |book| {
            let record = book.records[40].clone();
            book.records.push(record.clone());
            text(&record)
        },
        kind: "duplicate",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a board upside down, moves turned along",
        inject: |book| {
            let record = &mut book.records[50];
            record.player = record.player.swap_bytes();
            record.opponent = record.opponent.swap_bytes();
            for mv in record.links.iter_mut().chain([&mut record.leaf]) {
                mv.code ^= if mv.code < 64 { 56 } else { 0 };
            }
            text(record)
        },
        kind: "not-canonical",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a square that both sides hold",
        inject: |book| {
            let record = book.find(|record| record.lines == 1);
            let mut text = text(record);
            let square = record.opponent.trailing_zeros() as usize;
            record.player |= 1 << square;
            text.replace_range(square..=square, "#");
            text
        },
        kind: "overlap",
        also: &[
            "no-child",
            "missing-leaf",
            "value",
            "bounds",
            "outcomes",
            "lines",
        ],
        mended: false,
    },
    Damage {
        name: "an empty centre square",
        inject: |book| {
            let record = book.find(|record| record.lines == 1);
            record.player &= !(1 << 27);
            record.opponent &= !(1 << 27);
            text(record)
        },
        kind: "empty-centre",
        also: &[
            "no-child",
            "missing-leaf",
            "value",
            "bounds",
            "outcomes",
            "lines",
        ],
        mended: false,
    },
    Damage {
        name: "a link to an occupied square",
        inject: |book| {
            let record = &mut book.records[60];
            record.links.push(RawMove {
                score: -60,
                code: 27,
            });
            text(record)
        },
        kind: "illegal-move",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a pass where a disc can be placed",
        inject: |book| {
            let record = book.start();
            record.links.push(RawMove {
                score: -60,
                code: 64,
            });
            text(record)
        },
        kind: "illegal-move",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a disc where the side must pass",
        inject: |book| {
            let record = book.find(|record| board(record).must_pass());
            record.links.push(RawMove {
                score: -60,
                code: 0,
            });
            text(record)
        },
        kind: "illegal-move",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a leaf on an occupied square",
        inject: |book| {
            let record = book.find(|record| has_leaf(record) && record.links.len() > 1);
            record.leaf.code = 28;
            text(record)
        },
        kind: "illegal-move",
        also: &["missing-leaf", "value", "bounds", "outcomes", "lines"],
        mended: false,
    },
    Damage {
        name: "a link twice",
        inject: |book| {
            let record = &mut book.records[70];
            let link = *record.links.last().unwrap();
            record.links.push(link);
            text(record)
        },
        kind: "duplicate-move",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a leaf that is a link",
        inject: |book| {
            let record = book.find(|record| has_leaf(record) && !record.links.is_empty());
            record.leaf.code = record.links[0].code;
            text(record)
        },
        kind: "duplicate-move",
        also: &["missing-leaf", "value", "bounds", "outcomes", "lines"],
        mended: false,
    },
    Damage {
        name: "a score without a move",
        inject: |book| {
            let record = book.find(|record| has_leaf(record) && !record.links.is_empty());
            record.leaf.code = edax::NO_MOVE;
            text(record)
        },
        kind: "score-without-move",
        also: &["missing-leaf", "value", "bounds", "outcomes", "lines"],
        mended: false,
    },
    Damage {
        name: "no leaf where a move leads out of the book",
        inject: |book| {
            let record = book.find(|record| has_leaf(record) && !record.links.is_empty());
            record.leaf = RawMove::NONE;
            text(record)
        },
        kind: "missing-leaf",
        also: &NUMBERS,
        mended: false,
    },
    Damage {
        name: "a finished game without a score",
        inject: |book| {
            let record = book.find(|record| board(record).is_over());
            record.leaf = RawMove::NONE;
            text(record)
        },
        kind: "no-final-score",
        also: &[],
        mended: false,
    },
    Damage {
        name: "a finished game with a wrong score",
        inject: |book| {
            let record = book.find(|record| board(record).is_over());
            record.leaf.score += 2;
            text(record)
        },
        kind: "final-score",
        also: &NUMBERS,
        mended: false,
    },
    Damage {
        name: "a link score beyond 64",
        inject: |book| {
            let record = &mut book.records[80];
            record.links[0].score = 100;
            text(record)
        },
        kind: "out-of-range",
        also: &["link-score", "link-order"],
        mended: true,
    },
    Damage {
        name: "a link out of the book",
        inject: |book| {
            let record = book.find(|record| has_leaf(record) && free_move(record).is_some());
            let code = free_move(record).unwrap();
            record.links.push(RawMove { score: -64, code });
            text(record)
        },
        kind: "no-child",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a level beyond Edax's table",
        inject: |book| {
            let record = book.start();
            record.level = 61;
            text(record)
        },
        kind: "level",
        also: &NUMBERS,
        mended: false,
    },
    Damage {
        name: "a missing link",
        inject: |book| {
            let record = book.find(|record| record.links.len() > 2);
            record.links.pop();
            text(record)
        },
        kind: "missing-link",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a leaf into the book",
        inject: |book| {
            let record = book.find(|record| record.links.len() > 2 && has_leaf(record));
            record.leaf = record.links.pop().unwrap();
            text(record)
        },
        kind: "leaf-in-book",
        also: &["missing-leaf", "value", "bounds", "outcomes", "lines"],
        mended: false,
    },
    Damage {
        name: "a pass as the leaf although the passed position is in the book",
        inject: |book| {
            let is_linked = |record: &Record| board(record).must_pass() && !record.links.is_empty();
            let record = book.find(is_linked);
            record.leaf = record.links.pop().unwrap();
            text(record)
        },
        kind: "leaf-in-book",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a wrong link score",
        inject: |book| {
            let record = book.find(|record| record.links.len() > 1);
            record.links.last_mut().unwrap().score -= 2;
            text(record)
        },
        kind: "link-score",
        also: &[],
        mended: true,
    },
    Damage {
        name: "links in the wrong order",
        inject: |book| {
            let ordered = |record: &Record| {
                record.links.first().map(|link| link.score)
                    > record.links.last().map(|link| link.score)
            };
            let record = book.find(ordered);
            record.links.reverse();
            text(record)
        },
        kind: "link-order",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a wrong value",
        inject: |book| {
            book.start().value += 1;
            text(book.start())
        },
        kind: "value",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a wrong lower bound",
        inject: |book| {
            book.start().lower -= 1;
            text(book.start())
        },
        kind: "bounds",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a wrong number of draws",
        inject: |book| {
            book.start().draws += 1;
            text(book.start())
        },
        kind: "outcomes",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a wrong number of lines",
        inject: |book| {
            book.start().lines += 1;
            text(book.start())
        },
        kind: "lines",
        also: &[],
        mended: true,
    },
];

#[test]
fn names_every_damage_to_a_record_with_its_board_and_mends_what_needs_no_search() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damaged.dat");
    let output = folder.path().join("mended.dat");
    for damage in DAMAGES {
        let name = damage.name;
        let mut golden = Golden::read();
        let board = (damage.inject)(&mut golden);
        std::fs::write(&file, golden.bytes()).unwrap();
        let report = Report::of(&file);
        report.expect(name, damage.kind, 1, damage.also);
        assert_eq!(report.status, 1, "{name}");
        assert_eq!(
            report.boards[damage.kind],
            BTreeSet::from([board]),
            "{name}"
        );

        let mended = [
            "verify",
            arg(&file),
            "--fix-what-is-safe",
            "--output",
            arg(&output),
            "--force",
            "--json",
        ];
        let mended = obook(mended);
        let said: Value = serde_json::from_slice(&mended.stdout).unwrap();
        let left = Report::read(mended.status.code().unwrap(), &said["left"]);
        let searches = [
            "missing-leaf",
            "no-final-score",
            "final-score",
            "level",
            "unreachable",
        ];
        for kind in left.counts.keys() {
            assert!(searches.contains(&kind.as_str()), "{name}: {kind} is left");
        }
        if damage.mended {
            assert_eq!(left.status, 0, "{name}");
            assert_eq!(
                obook(["diff", GAMES, arg(&output)]).status.code(),
                Some(0),
                "{name}"
            );
        }
        assert_eq!(Report::of(&output).status, left.status, "{name}");
    }
}

#[test]
fn names_damage_to_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damaged.dat");
    let bytes = std::fs::read(GAMES).unwrap();

    let mut promising = bytes.clone();
    promising[38] = promising[38].wrapping_add(1);
    std::fs::write(&file, promising).unwrap();
    let report = Report::of(&file);
    report.expect("another count", "count", 1, &[]);
    assert_eq!(report.status, 1);
    assert!(
        report.details.contains("2248") && report.details.contains("2247"),
        "both numbers: {}",
        report.details
    );

    std::fs::write(&file, &bytes[..bytes.len() - 3]).unwrap();
    let report = Report::of(&file);
    let lost = [
        "no-child",
        "missing-leaf",
        "unreachable",
        "value",
        "bounds",
        "outcomes",
        "lines",
    ];
    report.expect("a file that was cut off", "damaged", 1, &lost);
    assert_eq!(report.status, 1);
    assert!(
        report.details.contains("position 2247 (byte "),
        "{}",
        report.details
    );

    let squeezed = zstd::encode_all(&bytes[..], 3).unwrap();
    std::fs::write(&file, &squeezed).unwrap();
    assert!(
        Report::of(&file).counts.is_empty(),
        "compressed books are looked through"
    );
}

#[test]
fn several_faults_of_one_record_are_all_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damaged.dat");
    let mut golden = Golden::read();
    let record = golden.start();
    record.links.push(RawMove { score: 0, code: 0 });
    record.links.push(RawMove {
        score: 0,
        code: 200,
    });
    let first = record.links[0];
    record.links.push(first);
    std::fs::write(&file, golden.bytes()).unwrap();
    let report = Report::of(&file);
    report.expect(
        "two illegal links and one twice",
        "illegal-move",
        2,
        &["duplicate-move"],
    );
}

#[test]
fn unreachable_positions_are_only_noted() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("book.dat");
    let mut golden = Golden::read();
    let known: BTreeSet<_> = golden
        .records
        .iter()
        .map(|record| board(record).canonical())
        .collect();
    // Behind a leaf, and behind no position of the book.
    let leads_from_book = |board: Board| {
        golden.records.iter().any(|record| {
            self::board(record)
                .children()
                .any(|(_, child)| child.canonical() == board.canonical())
        })
    };
    let far = golden
        .records
        .iter()
        .filter(|record| has_leaf(record))
        .filter_map(|record| board(record).play(Move::from_code(record.leaf.code)?))
        .flat_map(|child| {
            child
                .children()
                .map(|(_, grandchild)| grandchild)
                .collect::<Vec<_>>()
        })
        .map(Board::canonical)
        .find(|far| {
            !known.contains(far)
                && !far.board().legal_moves().is_empty()
                && !leads_from_book(far.board())
        })
        .unwrap();
    let leads_into_book = far
        .board()
        .children()
        .any(|(_, child)| known.contains(&child.canonical()));
    assert!(!leads_into_book);
    let leaf = far.board().moves().next().unwrap();
    golden.records.push(Record {
        player: far.board().player(),
        opponent: far.board().opponent(),
        wins: 1,
        draws: 0,
        losses: 0,
        lines: 1,
        value: 4,
        lower: 4,
        upper: 4,
        // Solved, so that the bounds are the score.
        level: 60,
        links: Default::default(),
        leaf: RawMove {
            score: 4,
            code: leaf.code(),
        },
    });
    std::fs::write(&file, golden.bytes()).unwrap();
    let report = Report::of(&file);
    report.expect("a position apart", "unreachable", 1, &[]);
    assert_eq!(report.status, 0, "notes alone are no reason to fail");
}

/// A damage to a database.
struct Edit {
    sql: &'static str,
    kind: &'static str,
    count: u64,
    also: &'static [&'static str],
    mended: bool,
}

/// `:start` is the key of the start position, `:leaf` that of a position with a leaf and without links.
const EDITS: &[Edit] = &[
    Edit {
        sql: "INSERT INTO links VALUES (zeroblob(16), 5, 0)",
        kind: "orphan",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "INSERT INTO leaves VALUES (zeroblob(16), 5, 0, 1, 1), (randomblob(16), 5, 0, 1, 1)",
        kind: "orphan",
        count: 2,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "INSERT INTO links VALUES (x'0102', 5, 0)",
        kind: "key",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "INSERT INTO positions (board, empties, engine) VALUES (zeroblob(17), 5, 1)",
        kind: "key",
        count: 1,
        also: &["sqlite"],
        mended: false,
    },
    Edit {
        sql: "INSERT INTO positions (board, empties, engine) VALUES (zeroblob(16), 64, 1)",
        kind: "empty-centre",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "UPDATE positions SET empties = 59 WHERE board = :start",
        kind: "empties",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "UPDATE positions SET engine = 3 WHERE board = :start",
        kind: "engine",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "UPDATE leaves SET engine = 0 WHERE board = :leaf",
        kind: "engine",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "UPDATE positions SET value = 1000 WHERE board = :start",
        kind: "out-of-range",
        count: 1,
        also: &["unknown"],
        mended: true,
    },
    Edit {
        sql: "UPDATE positions SET lines = -1 WHERE board = :start",
        kind: "out-of-range",
        count: 1,
        also: &["unknown"],
        mended: true,
    },
    Edit {
        sql: "UPDATE positions SET level = 300 WHERE board = :start",
        kind: "out-of-range",
        count: 1,
        also: &["level", "bounds", "outcomes"],
        mended: false,
    },
    Edit {
        sql: "UPDATE positions SET lower = NULL WHERE board = :start",
        kind: "half",
        count: 1,
        also: &["unknown"],
        mended: true,
    },
    Edit {
        sql: "UPDATE positions SET wins = NULL WHERE board = :start",
        kind: "half",
        count: 1,
        also: &["unknown"],
        mended: true,
    },
    Edit {
        sql: "UPDATE positions SET value = NULL WHERE board = :start",
        kind: "unknown",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "UPDATE positions SET value = value + 1 WHERE board = :start",
        kind: "value",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "UPDATE positions SET upper = upper + 1 WHERE board = :start",
        kind: "bounds",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "UPDATE positions SET wins = wins + 1 WHERE board = :start",
        kind: "outcomes",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "UPDATE positions SET lines = lines + 1 WHERE board = :start",
        kind: "lines",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "UPDATE links SET score = score + 1 WHERE board = :start",
        kind: "link-score",
        count: 4,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "DELETE FROM links WHERE board = :start",
        kind: "missing-link",
        count: 4,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "INSERT INTO links VALUES (:start, 0, 0)",
        kind: "illegal-move",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "INSERT INTO links VALUES (:start, 64, 0)",
        kind: "illegal-move",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "INSERT INTO links VALUES (:start, 65, 0)",
        kind: "out-of-range",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "INSERT INTO links VALUES (:leaf, (SELECT move FROM leaves WHERE board = :leaf), 0)",
        kind: "no-child",
        count: 1,
        also: &["leaf-in-book"],
        mended: true,
    },
    Edit {
        sql: "INSERT INTO leaves VALUES (:start, 37, 0, 2, 1)",
        kind: "leaf-in-book",
        count: 1,
        also: &[],
        mended: true,
    },
    Edit {
        sql: "UPDATE leaves SET move = NULL WHERE board = :leaf",
        kind: "score-without-move",
        count: 1,
        also: &["missing-leaf"],
        mended: false,
    },
    Edit {
        sql: "DELETE FROM leaves WHERE board = :leaf",
        kind: "missing-leaf",
        count: 1,
        also: &[],
        mended: false,
    },
    Edit {
        sql: "UPDATE leaves SET score = 99 WHERE board = :leaf",
        kind: "out-of-range",
        count: 1,
        also: &["missing-leaf"],
        mended: false,
    },
    Edit {
        sql: "DELETE FROM positions WHERE board = :leaf",
        kind: "no-child",
        count: 1,
        also: &[
            "orphan",
            "value",
            "bounds",
            "outcomes",
            "lines",
            "missing-leaf",
            "no-child",
        ],
        mended: false,
    },
    Edit {
        sql: "DELETE FROM book",
        kind: "header",
        count: 1,
        also: &[],
        mended: false,
    },
    Edit {
        sql: "DROP TABLE leaves",
        kind: "sqlite",
        count: 1,
        also: &[
            "missing-leaf",
            "no-final-score",
            "value",
            "bounds",
            "outcomes",
            "lines",
        ],
        mended: false,
    },
];

/// A database of the golden book.
fn database(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("book.obook");
    json(["import", GAMES, "--book", arg(&path), "--force", "--json"]);
    path
}

fn edit(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    connection
        .pragma_update(None, "ignore_check_constraints", true)
        .unwrap();
    let leaf: Vec<u8> = connection
        .query_row("SELECT board FROM leaves WHERE move < 64 AND board NOT IN (SELECT board FROM links) ORDER BY board", [], |row| row.get(0))
        .unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    let keys = [
        (":start", Board::START.canonical().to_key().to_vec()),
        (":leaf", leaf),
    ];
    for (name, key) in keys {
        if let Some(index) = statement.parameter_index(name).unwrap() {
            statement.raw_bind_parameter(index, key).unwrap();
        }
    }
    statement.raw_execute().unwrap();
}

#[test]
fn names_every_damage_to_a_database_and_mends_it_in_place() {
    let folder = tempfile::tempdir().unwrap();
    for Edit {
        sql,
        kind,
        count,
        also,
        mended,
    } in EDITS
    {
        let path = database(&folder);
        edit(&path, sql);
        let report = Report::of(&path);
        report.expect(sql, kind, *count, also);
        assert_eq!(report.status, i32::from(*kind != "unknown"), "{sql}");
        if sql.contains("board = :start") {
            let start = Board::START.to_text();
            assert_eq!(report.boards[*kind], BTreeSet::from([start]), "{sql}");
        }
        let fixed = obook(["verify", arg(&path), "--fix-what-is-safe", "--json"]);
        if *mended {
            assert_eq!(fixed.status.code(), Some(0), "{sql}: {fixed:?}");
            assert_eq!(Report::of(&path).counts, BTreeMap::new(), "{sql}");
            let same = obook(["diff", GAMES, arg(&path)]);
            assert_eq!(
                same.status.code(),
                Some(0),
                "{sql}: {}",
                String::from_utf8_lossy(&same.stdout)
            );
        } else if *kind == "sqlite" || also.contains(&"sqlite") {
            assert_eq!(fixed.status.code(), Some(1));
            assert!(String::from_utf8_lossy(&fixed.stderr).contains(".recover"));
        } else {
            assert_eq!(fixed.status.code(), Some(1), "{sql}: something is left");
        }
    }
}
