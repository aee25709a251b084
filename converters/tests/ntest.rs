//! Books of NTest: boards, moves and the checksum are read as its source writes them, and each number means what NTest means by it.

use crate::support::books::golden;
use obook_converters::ntest::{File, Record, Writer, held};
use obook_converters::{Account, BookReader, BookWriter, Error, ErrorKind, Format, Header};
use obook_needs::needs;
use obook_othello::levels::Effort;
use obook_othello::{Board, CanonicalBoard, Engine, NoLeaf, Position, Proof};
use obook_testing::ntest_book::{NtestBook, Numbers, at, root, searched, small, smallest};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io::Cursor;
use std::process::Command;

type Found = BTreeMap<[u8; 16], Position>;

/// The positions by board, the account, and what ended the reading.
fn read(bytes: Vec<u8>) -> (Found, Account, Option<Error>) {
    let mut book = BookReader::new(Cursor::new(bytes), "book", None).unwrap();
    assert_eq!(book.format(), Format::Ntest);
    let (mut found, mut error) = (Found::new(), None);
    for position in book.by_ref() {
        assert!(error.is_none(), "damage comes last");
        match position {
            Ok(position) => assert_eq!(found.insert(position.board.to_key(), position), None),
            Err(damage) => error = Some(damage),
        }
    }
    (found, book.account().clone(), error)
}

fn read_whole(book: &NtestBook) -> (Found, Account) {
    let (found, account, error) = read(book.bytes());
    assert!(error.is_none(), "{error:?}");
    (found, account)
}

fn of(found: &Found, board: Board) -> &Position {
    &found[&board.canonical().to_key()]
}

#[test]
fn a_book_is_read() {
    let (found, account) = read_whole(&small());
    assert_eq!(account.kind.as_deref(), Some("NTest book, format 2"));
    assert_eq!(account.contents["positions"], 7);
    assert_eq!(account.contents["positions searched 12 plies deep"], 4);
    assert_eq!(
        account.lost["bounds of the moves that lead out of the book"],
        2
    );
    assert_eq!(account.lost["selectivities of searches"], 7);
    assert_eq!(account.lost["fractions of a disc"], 3);
    assert_eq!(account.wrong, BTreeMap::new());
    let values = [
        ("", -1),
        ("f5", 1),
        ("f5d6", -1),
        ("f5f6", 3),
        ("f5d6c3", 1),
        ("f5d6c3d3", -1),
        ("f5d6c5", 1),
    ];
    assert_eq!(found.len(), values.len());
    for (line, value) in values {
        let position = of(&found, at(line));
        assert_eq!(
            (position.value, position.engine),
            (Some(value), Engine::Ntest),
            "{line}"
        );
        assert_eq!((position.leaf, position.proof), (None, None), "{line}");
        let level = if ["f5f6", "f5d6c3d3", "f5d6c5"].contains(&line) {
            11
        } else {
            12
        };
        assert_eq!(position.level, Some(level), "{line}");
    }
    let no_leaf = |line| of(&found, at(line)).no_leaf;
    assert_eq!(no_leaf(""), Some(NoLeaf::AllMovesInBook));
    assert_eq!(no_leaf("f5"), Some(NoLeaf::Undefined));
}

/// What the numbers of one position mean.
#[test]
fn scores_are_claims() {
    const EXACT: u16 = Record::PROVEN;
    const WLD: u16 = Record::PROVEN | Record::WON_DRAWN_OR_LOST;
    let proof = |lower, upper| Proof::new(lower, upper, Engine::Ntest);
    let depth = 12 << Record::DEPTH;
    for (flags, score, value, expected, level) in [
        (depth, 0, Some(0), None, Some(12)),
        (depth, 49, Some(0), None, Some(12)),
        (depth, 50, Some(1), None, Some(12)),
        (depth, -50, Some(-1), None, Some(12)),
        (depth, 6400, Some(64), None, Some(12)),
        (depth, 6_451, None, None, None),
        (depth, 16_400, None, None, None),
        (depth, i16::MIN, None, None, None),
        (0, 300, Some(3), None, None),
        (63 << Record::DEPTH, 300, Some(3), None, Some(59)),
        (depth | Record::ROOT, 300, None, None, None),
        (depth | EXACT, 1200, Some(12), proof(12, 12), Some(60)),
        (
            depth | EXACT | Record::ROOT,
            -200,
            Some(-2),
            proof(-2, -2),
            Some(60),
        ),
        (depth | EXACT, 1100, None, None, None),
        (depth | EXACT, 1250, None, None, None),
        (depth | WLD, 37, Some(2), proof(2, 64), None),
        (depth | WLD, -100, Some(-2), proof(-64, -2), None),
        (depth | WLD, 0, Some(0), proof(0, 0), Some(60)),
        (depth | WLD, 640, Some(6), proof(2, 64), None),
        (depth | WLD, -9_900, Some(-2), proof(-64, -2), None),
    ] {
        let numbers = Numbers {
            flags,
            score,
            ..Numbers::default()
        };
        let (found, account) = read_whole(&NtestBook::new([(at("f5d6"), numbers)]));
        let found = found.values().next();
        let found = found.map(|it| (it.value, it.proof, it.level));
        let expected = value.map(|value| (Some(value), expected, level));
        assert_eq!(found, expected, "{flags} {score}");
        let unknown = account.wrong.get("positions of which nothing is known");
        assert_eq!(unknown, value.is_none().then_some(&1), "{flags} {score}");
    }
}

/// A position in which the side to move must pass, reached by always playing on the first square.
fn passing() -> Board {
    let mut board = Board::START;
    while !board.must_pass() {
        board = board.play(board.moves().next().unwrap()).unwrap();
    }
    board
}

#[test]
fn what_is_said_of_a_side_that_passes_is_said_of_the_other() {
    let board = passing();
    let (found, _) = read_whole(&NtestBook::new([(board, searched(10, 320))]));
    assert_eq!(of(&found, board.passed()).value, Some(-3));
    assert_eq!(found.len(), 1);
    // Its children are those of the position after the pass.
    let square = board.passed().legal_moves().iter().next().unwrap();
    let child = board.passed().after(square);
    let book = NtestBook::new([(board, root(10, -16_400)), (child, searched(9, 500))]);
    let (found, _) = read_whole(&book);
    assert_eq!(of(&found, board.passed()).value, Some(-5));
    // Both sides of the pass are one position.
    let book = NtestBook::new([
        (board, searched(10, 320)),
        (board.passed(), searched(10, -320)),
    ]);
    let (found, account) = read_whole(&book);
    assert_eq!(
        (found.len(), account.wrong["positions that come twice"]),
        (1, 1)
    );
}

#[test]
fn a_game_that_is_over_has_its_result() {
    // The shortest games: nine moves wipe out the other side.
    let board = at("e6f4e3f6g5d6e7f5c5");
    assert!(board.is_over());
    let (found, _) = read_whole(&NtestBook::new([(board, Numbers::default())]));
    let position = of(&found, board);
    let score = position.value.unwrap();
    assert_eq!(score, i16::from(board.final_score()));
    assert_eq!(
        position.proof.and_then(Proof::exact),
        Some(board.final_score())
    );
    assert!(position.leaf.is_some_and(|leaf| leaf.mv.is_none()));
}

#[test]
fn damage_is_reported_with_its_place() {
    let bytes = small().bytes();
    let told = |bytes: Vec<u8>| {
        let (found, _, error) = read(bytes);
        (found.len(), error.unwrap().to_string())
    };
    let changed = |at: usize, to: &[u8]| {
        let mut bytes = bytes.clone();
        bytes[at..at + to.len()].copy_from_slice(to);
        bytes
    };
    let end = bytes.len();
    let (found, said) = told(changed(end - 4, &[1, 2, 3, 4]));
    assert!(
        found == 7 && said.contains("expected the checksum of what comes before"),
        "{said}"
    );
    let (_, said) = told(bytes[..end - 4].to_vec());
    assert!(said.contains("the file ends too early"), "{said}");
    let (_, said) = told([&bytes[..], b"x"].concat());
    assert!(said.contains("something else follows"), "{said}");
    // The number of positions.
    let (_, said) = told(changed(4, &[9]));
    assert!(said.contains("book: position 7 (byte "), "{said}");
    let (_, said) = told(changed(4, &[6]));
    assert!(
        said.contains("the header promises 6 positions, but the file holds 7"),
        "{said}"
    );
    // The first move.
    let (_, said) = told(changed(8 + 16 + 8, &[63]));
    assert!(
        said.contains("the move of link 1 is h8 (63): expected a legal move"),
        "{said}"
    );
    let other = BookReader::new(Cursor::new(changed(0, &[1])), "book", Some(Format::Ntest));
    let error = other.unwrap_err();
    assert!(
        matches!(
            error.kind(),
            ErrorKind::Version {
                found: 1,
                expected: 2,
                ..
            }
        ),
        "{error}"
    );
}

/// Writes these records as NTest does.
fn written(records: &[Record]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &header(records.len())).unwrap();
    records.iter().for_each(|record| writer.write(*record));
    writer.finish().unwrap()
}

fn header(count: usize) -> Header {
    Header {
        count: Some(count as i64),
        ..Header::default()
    }
}

/// The book of NTest's own test: f5, and after it f4.
const NTESTS_OWN: [u8; 47] = [
    0x02, 0, 0, 0, 0x02, 0, 0, 0, // two positions
    0xff, 0xff, 0xff, 0xe7, 0xe7, 0xef, 0xff, 0xff, 0, 0, 0, 0x08, 0, 0, 0, 0, // the board
    0, 0, 0, 0, 0xa2, 0x10, 0x70, 0xfe, 0x1d, // a root, and its move
    0, 0, 0, 0, 0xa0, 0x10, 0xe0, 0xff, 0xff, 0xff, // a search
    0xe1, 0x3f, 0x3f, 0xb1,
];

/// Law (Book files): NTest's own book, and any records in NTest's order, are reproduced byte for byte.
/// Also: `what_is_written_is_read`
#[test]
fn ntests_own_book_comes_back() {
    let file = File::read(&NTESTS_OWN[..]).unwrap();
    let [root, child] = file.records() else {
        panic!("{:?}", file.records())
    };
    assert_eq!((root.board, root.score), (smallest(at("f5")), -400));
    assert_eq!((child.depth(), child.score), (Some(10), -32));
    assert_eq!(written(file.records()), NTESTS_OWN);
    let (found, account, error) = read(NTESTS_OWN.to_vec());
    assert!(error.is_none() && account.wrong.is_empty(), "{error:?}");
    let values = [root, child].map(|record| of(&found, record.board).value);
    assert_eq!(values, [Some(0), Some(0)]);
}

/// Writes these positions, and reads the book.
fn through(positions: &[Position]) -> (Vec<u8>, Found) {
    let header = header(positions.len());
    let mut bytes = Vec::new();
    let mut writer = BookWriter::new(&mut bytes, Format::Ntest, &header, None).unwrap();
    let encoder = writer.encoder();
    for (number, position) in positions.iter().enumerate() {
        // One at a time, or encoded elsewhere: both are the same.
        match number % 2 {
            0 => writer.write(position).unwrap(),
            _ => {
                let encoded = encoder.encode(number as u64, [position.clone()]);
                writer.write_encoded(&encoded.unwrap()).unwrap();
            }
        }
    }
    writer.finish().unwrap();
    if positions.is_empty() {
        return (bytes, Found::new());
    }
    let (found, account, error) = read(bytes.clone());
    assert!(error.is_none(), "{error:?}");
    assert_eq!(account.wrong, BTreeMap::new());
    (bytes, found)
}

/// A value that is that of the best move makes a root, with the bound that this implies. Any other is kept as that of a search.
#[test]
fn values_that_follow_from_moves_make_roots() {
    let (found, _) = read_whole(&small());
    let positions: Vec<Position> = found.values().cloned().collect();
    let (bytes, again) = through(&positions);
    assert_eq!(again, found);
    let numbers = |bytes: &[u8], line| {
        let board = smallest(at(line));
        let file = File::read(bytes).unwrap();
        let record = file.records().iter().find(|it| it.board == board);
        record.map(|it| (it.flags & 15, it.score)).unwrap()
    };
    assert_eq!(numbers(&bytes, ""), (Record::ROOT, -16_400));
    assert_eq!(numbers(&bytes, "f5"), (Record::ROOT, 100));
    assert_eq!(numbers(&bytes, "f5f6"), (0, 300));
    let mut other = positions.clone();
    for position in &mut other {
        if position.board == at("f5").canonical() {
            position.value = Some(5);
        }
    }
    let (bytes, again) = through(&other);
    assert_eq!(numbers(&bytes, "f5"), (0, 500));
    assert_eq!(numbers(&bytes, ""), (0, -100));
    assert_eq!(of(&again, at("f5")).value, Some(5));
    let mut unknown = positions;
    unknown[3].value = None;
    let header = header(unknown.len());
    let mut writer = BookWriter::new(Vec::new(), Format::Ntest, &header, None).unwrap();
    let error = unknown
        .iter()
        .find_map(|it| writer.write(it).err())
        .unwrap();
    assert!(error.to_string().contains("position 4: "), "{error}");
}

fn numbers() -> impl Strategy<Value = Numbers> {
    let score = prop_oneof![-6400i16..=6400, -64i16..=64, any::<i16>()];
    (any::<[u16; 2]>(), any::<u16>(), score).prop_map(|(games, flags, score)| Numbers {
        games,
        flags,
        score,
    })
}

/// Books of the positions of random lines, in no order, with what is said of each.
fn books<T: std::fmt::Debug>(
    said: impl Strategy<Value = T>,
) -> impl Strategy<Value = Vec<(Board, T)>> {
    let line = prop::collection::vec((any::<prop::sample::Index>(), said, any::<bool>()), 1..60);
    prop::collection::vec(line, 1..6).prop_map(|lines| {
        let mut positions = Vec::new();
        for line in lines {
            let mut board = Board::START;
            for (choice, said, kept) in line {
                if kept {
                    positions.push((smallest(board), said));
                }
                let moves: Vec<_> = board.moves().collect();
                if moves.is_empty() {
                    break;
                }
                board = board.play(moves[choice.index(moves.len())]).unwrap();
            }
        }
        positions
    })
}

/// What an engine may say of a position.
fn position() -> impl Strategy<Value = Position> {
    let engine = prop::sample::select(&Engine::ALL[..]);
    let level = prop::option::of(prop_oneof![0u8..=60, Just(70)]);
    let proof = prop::option::of((-64i8..=64, -64i8..=64));
    (-64i16..=64, engine, level, proof).prop_map(|(value, engine, level, proof)| {
        let mut position = Position::new(Board::START.canonical(), engine);
        position.value = Some(value);
        position.level = level;
        position.proof =
            proof.and_then(|(one, other)| Proof::new(one.min(other), one.max(other), engine));
        position
    })
}

/// The same seen by the side that moves.
fn moving(position: &Position) -> Position {
    let board = position.board.board();
    match board.must_pass() {
        true => Position {
            board: board.passed().canonical(),
            value: position.value.map(|value| -value),
            proof: position.proof.map(Proof::turned),
            ..position.clone()
        },
        false => position.clone(),
    }
}

proptest! {
    /// Values and what a book can hold of proofs come back, and so does the whole of what was read.
    ///
    /// Law (Book files): A round trip through NTest keeps values, exact scores, and proven wins and losses; what was read is
    /// written unchanged.
    /// Also: `values_that_follow_from_moves_make_roots` `cli/tests/program/ntest.rs`
    /// `an_edax_book_goes_out_and_comes_back`
    #[test]
    fn values_come_back(said in books(position())) {
        let positions: Vec<Position> = said
            .into_iter()
            .map(|(board, said)| Position { board: board.canonical(), ..said })
            .collect();
        let last: BTreeMap<CanonicalBoard, Position> =
            positions.iter().map(moving).map(|it| (it.board, it)).collect();
        let (bytes, found) = through(&positions);
        prop_assert!(found.keys().copied().eq(last.keys().map(|board| board.to_key())));
        for (position, given) in found.values().zip(last.values()) {
            let board = given.board.board();
            let proof = given.proof.and_then(held);
            let (value, proof) = match board.is_over() {
                true => (Some(board.final_score().into()), Proof::new(board.final_score(), board.final_score(), Engine::Ntest)),
                false => (
                    given.value.map(|value| proof.map_or(value, |proof| proof.clamp(value))),
                    proof.and_then(|it| Proof::new(it.lower(), it.upper(), Engine::Ntest)),
                ),
            };
            prop_assert_eq!((position.value, position.proof), (value, proof));
            if proof.is_none() {
                // The depth of the search, but for those that NTest would continue to the end.
                let depth = given.level.map(|level| {
                    let empties = board.empties() as u8;
                    let effort = Effort::new(given.engine, level, empties);
                    match given.engine {
                        Engine::Ntest if level < 60 => level,
                        _ if effort.to_the_end => empties.min(59),
                        _ => effort.depth.min(empties.saturating_sub(9)),
                    }
                });
                prop_assert_eq!(position.level, depth.filter(|depth| *depth > 0));
            }
        }
        let again: Vec<Position> = found.values().cloned().collect();
        let (second, same) = through(&again);
        prop_assert_eq!(&same, &found);
        // Only the selectivities of the first book are gone.
        prop_assert_eq!(second.len(), bytes.len());
        let third: Vec<Position> = same.into_values().collect();
        prop_assert_eq!(through(&third).0, second);
    }

    /// The records come back; a position's value is that of its best child if nothing better is known of it.
    ///
    /// Law (Book files): NTest's books are read as by another reader; a changed byte is found or gives legal positions.
    /// Also: `another_reader_reads_what_is_written` `damaged_books_end_in_an_error`
    #[test]
    fn what_is_written_is_read(positions in books(numbers())) {
        let book = NtestBook::new(positions.clone());
        let last: BTreeMap<_, _> = positions.iter().map(|(board, numbers)| ((board.player(), board.opponent()), *numbers)).collect();
        let file = File::read(&book.bytes()[..]).unwrap();
        let records = file.records();
        prop_assert!(records.len() <= book.len());
        for record in records {
            let expected = last[&(record.board.player(), record.board.opponent())];
            prop_assert_eq!((record.games, record.flags, record.score), (expected.games, expected.flags, expected.score));
        }
        let read_back = records.iter().map(|it| (it.board, Numbers { games: it.games, flags: it.flags, score: it.score }));
        prop_assert_eq!(written(records), NtestBook::new(read_back).bytes());
        if book.is_empty() {
            return Ok(());
        }
        let (found, _, error) = read(book.bytes());
        prop_assert!(error.is_none(), "{:?}", error);
        for record in records {
            let board = if record.board.must_pass() { record.board.passed() } else { record.board };
            let is_root = record.flags & (Record::PROVEN | Record::ROOT) == Record::ROOT;
            let children = board.legal_moves().iter().filter_map(|square| {
                let child = board.after(square);
                let passed = if child.must_pass() { child.passed() } else { child };
                let value = found.get(&passed.canonical().to_key())?.value?;
                Some(if child.must_pass() { value } else { -value })
            });
            let value = found.get(&board.canonical().to_key()).and_then(|it| it.value);
            if is_root && !board.is_over() {
                prop_assert_eq!(value, children.max());
            }
        }
    }

    /// Bytes of any kind are no danger.
    #[test]
    fn damaged_books_end_in_an_error(change in any::<prop::sample::Index>(), to in any::<u8>(), len in any::<prop::sample::Index>()) {
        let mut bytes = small().bytes();
        let at = change.index(bytes.len());
        let before = std::mem::replace(&mut bytes[at], to);
        if let Ok(file) = File::read(&bytes[..]) {
            prop_assert!(file.records().len() <= 7);
        }
        bytes[at] = before;
        let cut = len.index(bytes.len());
        match File::read(&bytes[..cut]) {
            Ok(file) => {
                prop_assert!(file.records().len() <= cut / 8);
                // No whole book is shorter, so a shorter file is no book.
                if cut >= 36 {
                    let (_, _, error) = read(bytes[..cut].to_vec());
                    prop_assert!(error.is_some());
                }
            }
            Err(_) => prop_assert!(cut < 8),
        }
    }
}

/// A reader of somebody else, made from NTest's source, reads what these tests and what obook writes.
#[needs(ntest_reader)]
#[test]
fn another_reader_reads_what_is_written() {
    let folder = std::env::temp_dir().join(format!("obook-ntest-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("small.book");
    let positions: Vec<Position> = read_whole(&small()).0.into_values().collect();
    for book in [small().bytes(), through(&positions).0] {
        std::fs::write(&path, book).unwrap();
        let done = Command::new("/usr/bin/python3")
            .arg(golden("../books/ntest.py"))
            .arg(&path)
            .output()
            .unwrap();
        let said = String::from_utf8(done.stdout).unwrap();
        let complaint = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success(), "{said} {complaint}");
        assert!(said.contains("7 positions; check"), "{said}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
