//! Books of Zebra: all forms give the same positions, and each number means what Zebra means by it.

use crate::support::books::golden;
use flate2::Compression;
use flate2::write::GzEncoder;
use obook_converters::zebra::{Form, Record};
use obook_converters::{Account, BookReader, ErrorKind, Format};
use obook_needs::needs;
use obook_othello::{Board, Engine, Leaf, Move, NoLeaf, Position, Proof, Side, Square};
use obook_testing::zebra_book::{Place, ZebraBook, small, squares};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io::{Cursor, Write};

const FORMS: [Form; 3] = [Form::Binary, Form::Text, Form::Compressed];

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The positions by board, and the account.
fn read(bytes: Vec<u8>) -> (BTreeMap<[u8; 16], Position>, Account) {
    let mut book = BookReader::new(Cursor::new(bytes), "book", None).unwrap();
    assert_eq!((book.format(), book.header().level), (Format::Zebra, None));
    let positions: Vec<Position> = book.by_ref().map(Result::unwrap).collect();
    let count = positions.len();
    let by_board: BTreeMap<_, _> =
        (positions.into_iter().map(|it| (it.board.to_key(), it))).collect();
    assert_eq!(by_board.len(), count, "each board comes once");
    (by_board, book.account().clone())
}

/// The positions of a book whose forms all give the same.
fn positions(book: &ZebraBook) -> (BTreeMap<[u8; 16], Position>, Account) {
    let (expected, mut account) = read(book.bytes(Form::Binary));
    for form in FORMS {
        let bytes = book.bytes(form);
        for bytes in [gzipped(&bytes), bytes] {
            let (found, told) = read(bytes);
            assert_eq!(found, expected, "{form}");
            assert_eq!(
                (&told.contents, &told.lost, &told.wrong),
                (&account.contents, &account.lost, &account.wrong)
            );
            assert_eq!(told.kind, Some(format!("Zebra book, {form}")));
        }
    }
    account.kind = None;
    (expected, account)
}

fn at(line: &str) -> Board {
    Place::after(&squares(line)).board
}

#[test]
fn all_forms_give_the_same() {
    let (found, account) = positions(&small());
    assert_eq!(account.contents["positions"], 10);
    assert_eq!(found.len(), 10);
    assert_eq!(account.wrong, BTreeMap::new());
    let start = &found[&Board::START.canonical().to_key()];
    // Half a disc is rounded away from zero.
    assert_eq!(
        (start.value, start.level, start.engine),
        (Some(1), Some(18), Engine::Zebra)
    );
    assert_eq!(start.no_leaf, Some(NoLeaf::AllMovesInBook));
    let white = &found[&at("f5").canonical().to_key()];
    assert_eq!(white.value, Some(-1), "scores are Black's");
}

/// A book of one line, whose last position has this record. Returns that position; if it was left out, without anything.
fn last(line: &str, record: impl Fn(&Place) -> Record) -> (Position, Account) {
    let line = squares(line);
    let count = line.len() as u32 + 4;
    let book = ZebraBook::new([&line[..]], |place| {
        let mut record = match 64 - place.board.empties() {
            discs if discs == count => record(place),
            _ => Record::default(),
        };
        record.flags |= place.side_flag();
        record
    });
    let (positions, account) = positions(&book);
    let board = Place::after(&line).board.canonical();
    let unknown = Position::new(board, Engine::Zebra);
    let found = positions.get(&board.to_key());
    (found.cloned().unwrap_or(unknown), account)
}

/// What each kind of score means to the side to move, here White.
#[test]
fn scores_are_claims() {
    const SOLVED: u16 = Record::SOLVED | Record::WON_DRAWN_OR_LOST;
    const WLD: u16 = Record::WON_DRAWN_OR_LOST;
    let proof = |lower, upper| Proof::new(lower, upper, Engine::Zebra);
    let depth = 12 << Record::DEPTH;
    for (score, flags, value, expected, level) in [
        (0, depth, Some(0), None, Some(12)),
        (63, depth, Some(0), None, Some(12)),
        (64, depth, Some(-1), None, Some(12)),
        (-64, depth, Some(1), None, Some(12)),
        (-192, depth, Some(2), None, Some(12)),
        (29_001, depth, Some(-64), None, Some(12)),
        (-29_064, depth, Some(64), None, Some(12)),
        (29_999, depth, Some(0), None, Some(12)),
        (-29_999, 0, Some(0), None, None),
        (9_999, depth, None, None, None),
        (-32_000, 0, None, None, None),
        (640, 63 << Record::DEPTH, Some(-5), None, Some(59)),
        (0, SOLVED, Some(0), proof(0, 0), Some(60)),
        (30_010, SOLVED, Some(-10), proof(-10, -10), Some(60)),
        (-30_064, Record::SOLVED, Some(64), proof(64, 64), Some(60)),
        // An old book: ten discs as 1280.
        (31_280, SOLVED, Some(-10), proof(-10, -10), Some(60)),
        (30_002, WLD, Some(-2), proof(-64, -2), None),
        (-30_013, WLD, Some(2), proof(2, 64), None),
        (29_999, WLD, Some(0), proof(0, 0), Some(60)),
        (30_002, depth, Some(-2), proof(-64, -2), None),
        // No results.
        (30_003, SOLVED, None, None, None),
        (30_000, SOLVED, None, None, None),
        (500, WLD, None, None, None),
        (-500, SOLVED, None, None, None),
    ] {
        let (position, account) = last("f5", |_| Record {
            black: score,
            white: score,
            flags,
            ..Record::default()
        });
        let found = (position.value, position.proof, position.level);
        assert_eq!(
            found,
            (value, expected, level),
            "{score} with flags {flags}"
        );
        let senseless = value.is_none() && flags & SOLVED != 0;
        assert_eq!(
            account.wrong.get("scores that make no sense"),
            senseless.then_some(&1)
        );
    }
}

/// The numbers of this compressed book read as NTest's version, a number of positions and a board.
#[test]
fn two_positions_are_no_book_of_ntest() {
    let book = ZebraBook::new([&squares("d3")[..]], |place| Record {
        flags: place.side_flag(),
        ..Record::default()
    });
    let compressed = book.bytes(Form::Compressed);
    assert_eq!((compressed.len(), compressed[0]), (34, 2));
    assert_eq!(positions(&book).0.len(), 2);
}

/// The score of the side to move counts; the other is lost.
#[test]
fn each_side_has_its_score() {
    let record = |_: &Place| Record {
        black: 128,
        white: 256,
        ..Record::default()
    };
    let (white, account) = last("f5", record);
    assert_eq!(white.value, Some(-2));
    assert_eq!(
        account.lost["other scores when Zebra plays the other side"],
        1
    );
    let (black, _) = last("f5d6", record);
    assert_eq!(black.value, Some(1));
}

/// The move that leads out of the book is turned from the book's orientation to that of the canonical board.
#[test]
fn moves_beyond_the_book_are_leaves() {
    for line in [
        "f5",
        "f5d6",
        "f5d6c3",
        "f5d6c3d3c4",
        "d3c3c4e3d2c1f4g5f3g3e2e1c2c5d1",
    ] {
        let place = Place::after(&squares(line));
        for square in place.board.legal_moves() {
            let (position, account) = last(line, |place| Record {
                alternative: place.alternative(square),
                alternative_score: 320,
                flags: 16 << Record::DEPTH,
                ..Record::default()
            });
            let (board, symmetry) = place.board.canonicalize();
            assert_eq!(position.board, board);
            let leaf = position.leaf.expect("it leads out of the book");
            assert_eq!(
                leaf,
                Leaf {
                    mv: leaf.mv,
                    score: if place.side == Side::Black { 3 } else { -3 },
                    level: Some(16),
                    engine: Engine::Zebra
                }
            );
            // Of symmetric moves any is right.
            let child = |board: Board, mv: Move| board.play(mv).unwrap().canonical();
            let expected = child(board.board(), symmetry.play(Move::Place(square)));
            assert_eq!(child(board.board(), leaf.mv.unwrap()), expected);
            assert_eq!(account.wrong, BTreeMap::new());
        }
    }
}

#[test]
fn what_is_no_leaf_is_counted() {
    let with = |alternative: i16, score: i16, flags: u16| {
        last("f5d6", move |_| Record {
            alternative,
            alternative_score: score,
            flags,
            ..Record::default()
        })
    };
    for alternative in [11, 99, i16::MAX] {
        let (position, account) = with(alternative, 5, 0);
        assert_eq!(
            (position.leaf, position.no_leaf),
            (None, Some(NoLeaf::Undefined))
        );
        let wrong = "moves beyond the book that are illegal or lead to positions of the book";
        assert_eq!(account.wrong[wrong], 1, "{alternative}");
    }
    for alternative in [Record::NO_MOVE, Record::EXHAUSTED, 0, -9] {
        let (position, account) = with(alternative, 5, 0);
        assert_eq!(
            (position.no_leaf, account.wrong),
            (Some(NoLeaf::Undefined), BTreeMap::new())
        );
    }
    let (position, account) = with(56, 5, Record::SOLVED);
    assert_eq!(position.leaf, None);
    assert_eq!(account.lost["moves searched beside solved positions"], 1);
    let (position, _) = with(56, Record::NO_SCORE, 0);
    assert_eq!(position.leaf, None);
}

/// A position with the wrong side has the value of its best child; the moves on from there are those of the right side.
#[test]
fn the_rules_say_who_moves() {
    let line = squares("f5d6c3");
    let score = |place: &Place| match place.board.empties() {
        58 | 59 => 2560,
        _ => 1280,
    };
    let book = ZebraBook::new([&line[..]], |place| Record {
        black: score(place),
        white: score(place),
        flags: match place.board.empties() {
            59 => Record::BLACK,
            58 => 0,
            _ => place.side_flag(),
        },
        ..Record::default()
    });
    let (positions, account) = positions(&book);
    let values =
        ["", "f5", "f5d6", "f5d6c3"].map(|line| positions[&at(line).canonical().to_key()].value);
    assert_eq!(values, [Some(10), Some(-10), Some(10), Some(-10)]);
    assert_eq!(
        account.wrong["positions where the book names the wrong side to move"],
        2
    );
}

/// Of a solved position and a solved child that contradicts it the child is right.
#[test]
fn the_child_is_right() {
    let line = squares("f5d6c3");
    for (scores, expected) in [
        ([4, 4, 4, 4], [Some(4), Some(-4), Some(4), Some(-4)]),
        // Black has a better move.
        ([2, 4, 4, 4], [None, Some(-4), Some(4), Some(-4)]),
        // All moves of the start are in the book, so it can't be better than they are.
        ([6, 4, 4, 4], [None, Some(-4), Some(4), Some(-4)]),
        // What a child contradicts no longer contradicts its own parent.
        ([4, 4, -4, 4], [Some(4), Some(-4), None, Some(-4)]),
    ] {
        let book = ZebraBook::new([&line[..]], |place| {
            let score: i16 = scores[60 - place.board.empties() as usize];
            let score = score + Record::CERTAIN * score.signum();
            Record {
                black: score,
                white: score,
                flags: place.side_flag() | Record::SOLVED,
                ..Record::default()
            }
        });
        let (positions, account) = positions(&book);
        let lines = ["", "f5", "f5d6", "f5d6c3"];
        let positions = lines.map(|line| &positions[&at(line).canonical().to_key()]);
        // Without a proof, the value is that of the best child.
        let values = positions.map(|position| position.value);
        assert_eq!(values, [Some(4), Some(-4), Some(4), Some(-4)]);
        let values = positions.map(|position| position.proof.and(position.value));
        assert_eq!(values, expected);
        let wrong = values.contains(&None).then_some(&1);
        let told = account
            .wrong
            .get("solved positions that contradict a solved child");
        assert_eq!(told, wrong);
    }
}

#[test]
fn finished_games_have_their_result() {
    // The shortest games: nine moves wipe out the other side.
    let shortest = squares("e6f4e3f6g5d6e7f5c5");
    let place = Place::after(&shortest);
    assert!(place.board.is_over());
    let (position, account) = last("e6f4e3f6g5d6e7f5c5", |_| Record::default());
    let score = place.board.final_score();
    assert_eq!(position.value, Some(score.into()));
    assert_eq!(
        position.leaf.map(|leaf| (leaf.mv, leaf.score)),
        Some((None, score))
    );
    assert_eq!(account.wrong, BTreeMap::new());
}

#[test]
fn what_the_walk_does_not_meet_is_counted() {
    let mut book = small();
    let lost = book.records.get_mut(&squares("f5d6")).unwrap();
    lost.hash.0 ^= 1;
    let (found, account) = read(book.bytes(Form::Binary));
    let below = ["f5d6", "f5d6c3", "f5d6c3d3", "f5d6c3d3c4", "f5d6c5"].len();
    assert_eq!(found.len(), 10 - below);
    assert_eq!(
        account.wrong["positions that no line from the start reaches"],
        below as u64
    );
    let twice = small().bytes(Form::Binary);
    let mut bytes = twice.clone();
    bytes.extend(&twice[8..26]);
    bytes[4] += 1;
    let (_, account) = read(bytes);
    assert_eq!(account.wrong["positions that come twice"], 1);
}

#[test]
fn an_empty_book_has_no_positions() {
    let empty = ZebraBook {
        records: BTreeMap::new(),
    };
    let (found, _) = read(empty.bytes(Form::Binary));
    assert!(found.is_empty());
    let (found, _) = read(empty.bytes(Form::Text));
    assert!(found.is_empty());
}

#[test]
fn damage_comes_last() {
    let errors = |bytes: &[u8]| -> (usize, Vec<String>) {
        let book = BookReader::new(Cursor::new(bytes.to_vec()), "book", None).unwrap();
        let (good, bad): (Vec<_>, Vec<_>) = book.partition(Result::is_ok);
        (
            good.len(),
            bad.into_iter()
                .map(|error| error.unwrap_err().to_string())
                .collect(),
        )
    };
    let binary = small().bytes(Form::Binary);
    let (count, said) = errors(&binary[..binary.len() - 18]);
    assert_eq!(count, 9);
    assert_eq!(
        said,
        [
            "book: the header promises 10 positions, but the file holds 9: it is damaged or incomplete"
        ]
    );
    let (count, said) = errors(&binary[..binary.len() - 1]);
    assert_eq!(count, 9);
    assert!(
        said[0].starts_with(
            "book: position 10 (byte 170): the file ends too early: found 17 bytes, expected 18"
        ),
        "{said:?}"
    );
    let (count, said) = errors(&[&binary[..], b"!"].concat());
    assert_eq!(count, 10);
    assert!(said[0].contains("something else follows them"), "{said:?}");
    let text = String::from_utf8(small().bytes(Form::Text)).unwrap();
    let (_, said) = errors(text.replacen(" 64 ", " 40000 ", 1).as_bytes());
    assert_eq!(
        said,
        [
            "book: position 1 (byte 35): found “40000”, expected a number in the range of its field; the file is damaged here"
        ]
    );
}

#[test]
fn a_damaged_tree_is_refused() {
    let book = small().bytes(Form::Compressed);
    let refused = |bytes: Vec<u8>| {
        let error = BookReader::new(Cursor::new(bytes), "book", Some(Format::Zebra)).unwrap_err();
        error.to_string()
    };
    for len in [0, 7, 8, 9, 30, book.len() - 1] {
        let said = refused(book[..len].to_vec());
        assert!(said.contains("the file ends too early"), "{len}: {said}");
    }
    let mut illegal = book.clone();
    illegal[8 + 20] = 11;
    let said = refused(illegal);
    assert!(said.starts_with("book: position 1 (byte 30): "), "{said}");
    assert!(said.contains("a1"), "{said}");
    let mut crowded = book.clone();
    crowded[8] = 34;
    assert!(refused(crowded).contains("34 links: expected 33 at most"));
    let mut few = book.clone();
    few[4] -= 1;
    let said = refused(few);
    assert!(
        said.contains("found “8”, expected as many moves as the positions have children"),
        "{said}"
    );
    let mut negative = book;
    negative[7] = 255;
    negative[3] = 255;
    assert!(refused(negative).contains("the number of positions is"));
}

/// Zebra writes a position that nothing leads to behind the tree, with whatever its memory holds.
#[test]
fn positions_behind_the_tree_are_counted() {
    let book = small().bytes(Form::Compressed);
    let (nodes, moves) = (10, 9);
    let (counts, scores) = (8 + 2 * nodes, 8 + 2 * (nodes + moves));
    let mut longer = vec![nodes as u8 + 1];
    longer.extend(&book[1..counts]);
    longer.extend([0xff; 2]);
    longer.extend(&book[counts..scores + 4 * nodes]);
    longer.extend([0xff; 4]);
    for column in book[scores + 4 * nodes..].chunks(2 * nodes) {
        longer.extend(column);
        longer.extend([0xff; 2]);
    }
    let (found, account) = read(longer);
    assert_eq!(found, read(book).0);
    let wrong = "positions that no line from the start reaches";
    assert_eq!(account.wrong, BTreeMap::from([(wrong.to_owned(), 1)]));
}

#[test]
fn books_of_zebra_are_recognised_by_their_contents() {
    for form in FORMS {
        let bytes = small().bytes(form);
        let head = &bytes[..bytes.len().min(Format::HEAD)];
        assert_eq!(
            Format::detect(head, Some(bytes.len() as u64)),
            Some(Format::Zebra),
            "{form}"
        );
        assert_eq!(Format::detect(head, None), Some(Format::Zebra), "{form}");
        if form == Form::Compressed {
            assert_eq!(Format::detect(head, Some(bytes.len() as u64 + 1)), None);
        }
    }
    assert!(matches!(
        obook_converters::BookWriter::new(
            Vec::new(),
            Format::Zebra,
            &obook_converters::Header::default(),
            None
        )
        .unwrap_err()
        .kind(),
        ErrorKind::ReadOnly {
            format: Format::Zebra
        }
    ));
}

/// Random legal lines.
fn lines() -> impl Strategy<Value = Vec<Vec<Square>>> {
    let line = prop::collection::vec(any::<prop::sample::Index>(), 0..12).prop_map(|choices| {
        let mut squares = Vec::new();
        for choice in choices {
            let legal: Vec<Square> = Place::after(&squares).board.legal_moves().iter().collect();
            if !legal.is_empty() {
                squares.push(legal[choice.index(legal.len())]);
            }
        }
        squares
    });
    prop::collection::vec(line, 1..6)
}

proptest! {
    /// Whatever the numbers are, all forms give the same valid positions.
    ///
    /// Law (Book files): All forms of a Zebra book, compressed or not, give the same legal positions; any bytes are read or
    /// refused.
    /// Also: `all_forms_give_the_same` `any_bytes_are_read_or_refused`
    #[test]
    fn any_numbers_give_positions(lines in lines(), numbers in prop::collection::vec(any::<([i16; 4], u16, bool)>(), 64)) {
        let mut numbers = numbers.into_iter().cycle();
        let book = ZebraBook::new(lines.iter().map(Vec::as_slice), |place| {
            let ([black, white, alternative, alternative_score], flags, right) = numbers.next().unwrap();
            let flags = if right { flags & !3 | place.side_flag() } else { flags };
            let legal: Vec<Square> = place.board.legal_moves().iter().collect();
            let alternative = match legal.get(alternative.unsigned_abs() as usize % 8) {
                Some(square) if alternative > 0 => place.alternative(*square),
                _ => alternative,
            };
            Record { black, white, alternative, alternative_score, flags, ..Record::default() }
        });
        let (found, account) = positions(&book);
        let left_out = account.wrong.get("positions with nothing left").copied().unwrap_or(0);
        prop_assert_eq!(found.len() as u64 + left_out, book.records.len() as u64);
        for position in found.into_values() {
            prop_assert!(position.value.is_none_or(|value| (-64..=64).contains(&value)));
            if let Some(proof) = position.proof {
                let value = position.value.unwrap();
                prop_assert_eq!(proof.clamp(value), value);
            }
            if let Some(mv) = position.leaf.and_then(|leaf| leaf.mv) {
                let board = position.board.board();
                prop_assert!(board.play(mv).is_some());
            }
            prop_assert_eq!(position.leaf.is_none(), position.no_leaf.is_some());
        }
    }

    /// Any bytes behind any beginning are read or refused.
    #[test]
    fn any_bytes_are_read_or_refused(form in prop::sample::select(FORMS.to_vec()), at in any::<prop::sample::Index>(), bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let mut file = small().bytes(form);
        let at = at.index(file.len());
        file.splice(at..file.len().min(at + bytes.len()), bytes);
        if let Ok(book) = BookReader::new(Cursor::new(file.clone()), "book", Some(Format::Zebra)) {
            let count = book.count();
            prop_assert!(count <= file.len());
        }
    }
}

/// DroidZebra's book: what BOOKS of the game's archive, its own reader and this one count is the same.
#[needs(zebra_book)]
#[test]
fn the_book_of_droidzebra_has_known_numbers() {
    let path = golden("../books/droidzebra-book.cmp.z");
    let book = BookReader::open(path, None).unwrap();
    let Account {
        kind,
        contents,
        lost,
        wrong,
        ..
    } = book.account().clone();
    assert_eq!(kind.as_deref(), Some("Zebra book, compressed (.cmp)"));
    let tallies = |tallies: &[(&str, u64)]| -> BTreeMap<String, u64> {
        tallies
            .iter()
            .map(|(what, count)| ((*what).to_owned(), *count))
            .collect()
    };
    assert_eq!(
        contents,
        tallies(&[
            ("positions", 497_705),
            ("positions solved exactly", 166_743),
            ("positions won, drawn or lost for certain", 146_526),
            ("positions searched 4 plies deep", 29),
            ("positions searched 16 plies deep", 32),
            ("positions searched 18 plies deep", 184_308),
            ("positions searched 20 plies deep", 67),
            ("private positions", 381_552),
            ("public positions", 116_153),
            ("moves searched beyond the book", 269_063),
        ])
    );
    assert_eq!(lost["marks of private positions"], 381_552);
    assert_eq!(lost["moves searched beside solved positions"], 84_672);
    assert_eq!(
        wrong,
        tallies(&[
            ("positions where the book names the wrong side to move", 22),
            ("positions with nothing left", 22),
            ("solved positions that contradict a solved child", 188),
        ])
    );
    let (mut exact, mut sign, mut searched, mut unknown, mut leaves) = (0, 0, 0, 0, 0);
    for position in book {
        let position = position.unwrap();
        match (position.value, position.proof) {
            (None, _) => unknown += 1,
            (_, Some(proof)) if proof.exact().is_some() => exact += 1,
            (_, Some(_)) => sign += 1,
            (_, None) => searched += 1,
        }
        leaves += u32::from(position.leaf.is_some());
    }
    assert_eq!(
        (exact, sign, searched, unknown, leaves),
        (166_577, 146_482, 184_436 + 188, 0, 184_393)
    );
}
