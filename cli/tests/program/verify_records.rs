//! `obook verify` names every damage to a record of an Edax book, and mends what needs no search.

use crate::support::program::{arg, obook};
use crate::support::raw_book::{Golden, board, has_leaf, text};
use crate::support::report::{GAMES, Report};
use obook_converters::edax::{self, RawMove, Record};
use obook_othello::Move;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// A legal move of a record that is neither link nor leaf.
fn free_move(record: &Record) -> Option<u8> {
    let taken =
        |code| record.links.iter().any(|link| link.code == code) || record.leaf.code == code;
    let mut legal = board(record).moves().map(Move::code);
    legal.find(|code| !taken(*code))
}

/// The findings if a position loses its leaf or a child: its numbers no longer fit.
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
            let record = book.finish_game();
            record.leaf = RawMove::NONE;
            text(record)
        },
        kind: "no-final-score",
        also: &[],
        mended: true,
    },
    Damage {
        name: "a finished game with a wrong score",
        inject: |book| {
            let record = book.finish_game();
            record.leaf.score -= 2;
            text(record)
        },
        kind: "final-score",
        also: &NUMBERS,
        mended: true,
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
        name: "a value beyond 64",
        inject: |book| {
            let record = &mut book.records[80];
            record.value = 100;
            text(record)
        },
        kind: "out-of-range",
        also: &[],
        mended: true,
    },
    Damage {
        name: "an upper bound beyond all",
        inject: |book| {
            let record = &mut book.records[80];
            record.upper = i16::MIN;
            text(record)
        },
        kind: "out-of-range",
        also: &["bounds"],
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
    let finished = folder.path().join("finished.dat");
    let mut golden = Golden::read();
    golden.finish_game();
    std::fs::write(&finished, golden.bytes()).unwrap();
    let mut lines = 0;
    for damage in DAMAGES {
        let name = damage.name;
        let mut golden = Golden::read();
        let board = (damage.inject)(&mut golden);
        std::fs::write(&file, golden.bytes()).unwrap();
        let report = Report::of(&file);
        report.expect(name, damage.kind, 1, damage.also);
        assert_eq!(report.status, 1, "{name}");
        lines += report.lines;
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
        let searches = ["missing-leaf", "unreachable"];
        for kind in left.counts.keys() {
            assert!(searches.contains(&kind.as_str()), "{name}: {kind} is left");
        }
        if damage.mended {
            assert_eq!(left.status, 0, "{name}");
            let whole = if damage.kind.ends_with("final-score") {
                &finished
            } else {
                Path::new(GAMES)
            };
            assert_eq!(
                obook(["diff", arg(whole), arg(&output)]).status.code(),
                Some(0),
                "{name}"
            );
        }
        assert_eq!(Report::of(&output).status, left.status, "{name}");
    }
    assert!(lines > DAMAGES.len(), "{lines} boards with a line to them");
}
