//! Damaged and made-up files: errors with a location, no panics, no silent losses.

use crate::support::books::{bytes, data, records};
use crate::support::repeated::Repeated;
use obook_converters::egbk2::{LinkCount, RawLink};
use obook_converters::{
    BookReader, BookRecord, BookWriter, ErrorKind, FaultKind, Format, Header, Legible, MoveOf,
    Reader, Writer, edax, edax_text, egbk, egbk2, egbk3,
};
use obook_othello::{Bounds, NoLeaf, Position};
use proptest::prelude::*;
use std::io::{Cursor, Read};
use std::sync::mpsc::{Sender, channel};

/// The first records of a book as a complete book, and the end of each record.
fn small<T: BookRecord>(file: &str, header: T::Header, count: usize) -> (Vec<u8>, Vec<usize>) {
    let mut writer = Writer::<_, T>::new(Vec::new(), header).unwrap();
    let mut ends = vec![T::HEADER_LEN];
    for record in &records::<T>(&bytes(file))[..count] {
        let mut out = Vec::new();
        record.encode(T::Layout::default(), &mut out).unwrap();
        ends.push(ends.last().unwrap() + out.len());
        writer.write(record).unwrap();
    }
    (writer.finish().unwrap(), ends)
}

/// A small book of each format, with the ends of its header and records.
fn books() -> Vec<(Format, Vec<u8>, Vec<usize>)> {
    let edax = small::<edax::Record>(
        "edax/games.dat",
        edax::Header {
            count: 20,
            ..edax::Header::default()
        },
        20,
    );
    let egbk3 = small::<egbk3::Record>(
        "egaroucid/games.mixed.egbk3",
        egbk3::Header { count: 20 },
        20,
    );
    let egbk2 = small::<egbk2::Record>("egaroucid/games.egbk2", egbk2::Header { count: 20 }, 20);
    let egbk = small::<egbk::Record>("egaroucid/games.egbk", egbk::Header { count: 20 }, 20);
    let mut text = Vec::new();
    let mut ends = vec![0];
    for record in records::<edax::Record>(&edax.0) {
        let line = edax_text::Record::from_position(&record.check().unwrap());
        line.unwrap().encode((), &mut text).unwrap();
        ends.push(text.len());
    }
    vec![
        (Format::Edax, edax.0, edax.1),
        (Format::EdaxText, text, ends),
        (Format::Egbk3, egbk3.0, egbk3.1),
        (Format::Egbk2, egbk2.0, egbk2.1),
        (Format::Egbk, egbk.0, egbk.1),
    ]
}

/// The number of positions and the error after them, if there is one.
fn read(bytes: &[u8], format: Format) -> (usize, Option<obook_converters::Error>) {
    let input = Cursor::new(bytes.to_vec());
    let mut book = match BookReader::new(input, "book", Some(format)) {
        Ok(book) => book,
        Err(error) => return (0, Some(error)),
    };
    let mut positions = 0;
    while let Some(position) = book.next() {
        match position {
            Ok(_) => positions += 1,
            Err(error) => {
                assert!(book.next().is_none(), "damage is the last thing that comes");
                return (positions, Some(error));
            }
        }
    }
    (positions, None)
}

/// Law (Book files): A file that is cut off is read up to the cut; the error says where.
/// Also: `cli/tests/program/bad_input.rs` `a_file_cut_off_anywhere_is_refused`
#[test]
fn a_file_that_is_cut_off_anywhere_is_an_error() {
    for (format, bytes, ends) in books() {
        assert_eq!(ends.last(), Some(&bytes.len()));
        assert!(matches!(read(&bytes, format), (20, None)));
        for cut in 0..bytes.len() {
            let (positions, error) = read(&bytes[..cut], format);
            let whole = ends.iter().filter(|end| **end <= cut).count();
            // The first end is the header's, the others are those of records.
            assert_eq!(
                positions,
                whole.saturating_sub(1),
                "{format} cut after {cut}"
            );
            let between = ends.contains(&cut);
            match error {
                None => assert!(
                    format == Format::EdaxText && between,
                    "{format} cut after {cut}"
                ),
                Some(error) if between => assert!(
                    matches!(error.kind(), ErrorKind::Count { promised: 20, found } if *found == positions as u64),
                    "{error}"
                ),
                Some(error) => {
                    let inside = whole.checked_sub(1).map(|i| ends[i]);
                    assert_eq!(error.offset(), Some(inside.unwrap_or(0) as u64));
                    assert_eq!(error.record(), inside.map(|_| positions as u64 + 1));
                    assert_eq!(error.name(), Some("book"));
                    assert!(
                        matches!(error.kind(), ErrorKind::Truncated { found, expected }
                            if *found == (cut - inside.unwrap_or(0)) as u64 && expected > found),
                        "{error}"
                    );
                }
            }
        }
    }
}

/// Whether it is too short for a record or an impossible one, one by one and on all cores.
#[test]
fn what_follows_the_promised_positions_is_called_that() {
    let promising = books().into_iter().filter(|it| it.0 != Format::EdaxText);
    for (format, bytes, _) in promising {
        for junk in [&[0][..], b"hello", &[0; 100], &[0xff; 100], &bytes] {
            let appended = [&bytes, junk].concat();
            let (positions, error) = read(&appended, format);
            assert_eq!(positions, 20, "{format}");
            let input = Cursor::new(appended);
            let book = BookReader::new(input, "book", Some(format)).unwrap();
            let parallel: Vec<_> = book.positions_parallel().collect();
            assert_eq!(parallel.len(), 21);
            assert!(parallel[..20].iter().all(Result::is_ok));
            for error in [&error.unwrap(), parallel[20].as_ref().unwrap_err()] {
                assert!(
                    matches!(error.kind(), ErrorKind::Appended { promised: 20 }),
                    "{error}"
                );
                assert_eq!(error.offset(), Some(bytes.len() as u64));
                assert_eq!(error.record(), Some(21));
                assert_eq!(error.name(), Some("book"));
            }
        }
    }
}

/// Law (Book files): A wrong count in a header is reported with both numbers, and surplus bytes as such.
/// Also: `what_follows_the_promised_positions_is_called_that`
#[test]
fn a_wrong_count_is_reported_with_both_numbers() {
    for (format, mut bytes, _) in books() {
        let at = match format {
            Format::Edax => 38,
            Format::Egbk3 | Format::Egbk2 => 10,
            Format::Egbk => 0,
            _ => continue,
        };
        for lie in [i32::MAX, i32::MIN, -1, 0, 19, 21] {
            bytes[at..at + 4].copy_from_slice(&lie.to_le_bytes());
            let (positions, error) = read(&bytes, format);
            let error = error.unwrap();
            assert_eq!(positions, 20, "what is there is read: {error}");
            assert!(
                matches!(error.kind(), ErrorKind::Count { promised, found: 20 } if *promised == i64::from(lie))
            );
            let expected =
                format!("book: the header promises {lie} positions, but the file holds 20");
            assert!(error.to_string().starts_with(&expected), "{error}");
        }
    }
}

/// Bounds and depth follow from them.
#[test]
fn impossible_numbers_in_an_edax_header_are_refused() {
    let (bytes, _) = small::<edax::Record>(
        "edax/games.dat",
        edax::Header {
            count: 20,
            ..edax::Header::default()
        },
        20,
    );
    for (at, found, message) in [
        (
            22,
            1_000_000,
            "the number of empties is 1000000: the edax header holds 0 to 61",
        ),
        (
            22,
            -1,
            "the number of empties is -1: the edax header holds 0 to 61",
        ),
        (
            26,
            -3,
            "the midgame error is -3: the edax header holds 0 to 64",
        ),
        (
            26,
            i32::MIN,
            "the midgame error is -2147483648: the edax header holds 0 to 64",
        ),
        (
            30,
            65,
            "the endcut error is 65: the edax header holds 0 to 64",
        ),
    ] {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(&found.to_le_bytes());
        let (_, error) = read(&bytes, Format::Edax);
        assert_eq!(
            error.unwrap().to_string(),
            format!("book: byte 0: {message}")
        );
    }
}

#[test]
fn headers_of_other_files_are_refused() {
    let cases: [(Format, &[u8], &str); 5] = [
        (
            Format::Edax,
            b"DICUORAGE\x03\0\0\0\0",
            "book: byte 0: not a book in edax format",
        ),
        (
            Format::Edax,
            b"XADEKOOB\x03 and more that follows, enough for a header",
            "book: byte 0: edax version 3: expected version 4",
        ),
        (
            Format::Egbk3,
            b"DICUORAGE\x02\0\0\0\0",
            "book: byte 0: egbk3 version 2: expected version 3",
        ),
        (
            Format::Egbk2,
            b"DICUORAGE\x03\0\0\0\0",
            "book: byte 0: egbk2 version 3: expected version 2",
        ),
        (
            Format::Egbk3,
            b"XADEKOOB\x04 and so on",
            "book: byte 0: not a book in egbk3 format",
        ),
    ];
    for (format, bytes, message) in cases {
        let (_, error) = read(bytes, format);
        let error = error.unwrap().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}

#[test]
fn files_that_are_not_there_are_named() {
    let error = BookReader::open("no/such/book.dat", None).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Io(_)));
    assert!(
        error.to_string().starts_with("no/such/book.dat: "),
        "{error}"
    );
    let error = BookWriter::create(
        "no/such/book.txt",
        Format::EdaxText,
        &Header::default(),
        None,
    )
    .unwrap_err();
    assert!(
        error.to_string().starts_with("no/such/book.txt: "),
        "{error}"
    );
}

#[test]
fn unreadable_lines_are_reported_by_column() {
    let board = "-".repeat(27) + "OX------XO" + &"-".repeat(27);
    let cases = [
        ("x".to_owned(), 2, ""),
        (board.replace("XO--", "XO?-"), 38, "?---------------"),
        (board.clone(), 65, ""),
        (format!("{board} Z,3,--,-127"), 65, " Z,3,--,-127"),
        (format!("{board} X"), 67, ""),
        (format!("{board} X,300,--,-127"), 67, ",300,--,-127"),
        (format!("{board} X,3,i9,-127"), 69, ",i9,-127"),
        (format!("{board} X,3,D3"), 72, ""),
        (format!("{board} X,3,D3,1000"), 72, ",1000"),
        (format!("{board} X,3,D3,1,2"), 74, ",2"),
        (format!("{board} X,3,\u{e9},1"), 69, ",é,1"),
        ("-".repeat(500), 67, "----------------"),
    ];
    for (line, at, rest) in cases {
        let text = format!("{board} X,3,D3,1\n{line}\n");
        let error = edax_text::Reader::new(text.as_bytes())
            .unwrap()
            .nth(1)
            .unwrap()
            .unwrap_err();
        assert_eq!(error.record(), Some(2));
        assert!(
            matches!(error.kind(), ErrorKind::Text { column, found, .. } if *column == at && found == rest),
            "{line}: {error}"
        );
    }
}

#[test]
fn a_link_count_beyond_belief_is_damage() {
    let mut bytes = b"DICUORAGE\x02\x01\0\0\0".to_vec();
    bytes.extend_from_slice(&0x8_1000_0000u64.to_le_bytes());
    bytes.extend_from_slice(&0x10_0800_0000u64.to_le_bytes());
    bytes.extend_from_slice(&[0, 21]);
    bytes.extend_from_slice(&u32::MAX.to_le_bytes());
    let record = egbk2::Record::decode(&bytes[14..], LinkCount::FourBytes);
    assert!(matches!(
        record,
        Err(ErrorKind::LinkCount {
            found: 0xffff_ffff,
            max: 255
        })
    ));
    let mut record = egbk2::Record::decode(&bytes[14..33], LinkCount::OneByte);
    assert!(matches!(
        record,
        Err(ErrorKind::Truncated {
            found: 19,
            expected: 529
        })
    ));
    bytes[32] = 0;
    record = egbk2::Record::decode(&bytes[14..33], LinkCount::OneByte);
    // Writing one that the format can't hold is refused too.
    let (mut record, _) = record.unwrap();
    record.links = std::iter::repeat_n(RawLink { value: 0, code: 19 }, 256).collect();
    let mut writer = egbk2::Writer::new(Vec::new(), egbk2::Header { count: 1 }).unwrap();
    let error = writer.write(&record).unwrap_err();
    assert!(matches!(
        error.kind(),
        ErrorKind::LinkCount {
            found: 256,
            max: 255
        }
    ));
}

/// Law (Book files): A writer writes as many records as its header says.
#[test]
fn writers_write_as_many_records_as_the_header_says() {
    let header = |count| Header {
        count,
        ..Header::default()
    };
    for (promised, written) in [(2, 1), (0, 1), (0, 0), (1, 1)] {
        let mut bytes = Vec::new();
        let mut writer = BookWriter::new(&mut bytes, Format::Egbk3, &header(Some(promised)), None)
            .unwrap()
            .named("out.egbk3");
        for position in BookReader::open(data("egaroucid/games.mixed.egbk3"), None)
            .unwrap()
            .take(written)
        {
            writer.write(&position.unwrap()).unwrap();
        }
        match writer.finish() {
            Ok(()) => assert_eq!((promised, bytes.len()), (written as i64, 14 + 25 * written)),
            Err(error) => {
                assert_ne!(promised, written as i64);
                assert_eq!(
                    error.to_string(),
                    format!(
                        "out.egbk3: the header says {promised} positions, but {written} were written: pass the correct count"
                    )
                );
            }
        }
    }
    let refused = |format, header: &Header| {
        let error = BookWriter::new(Vec::new(), format, header, None).unwrap_err();
        error.to_string()
    };
    assert_eq!(
        refused(Format::Egbk3, &Header::default()),
        "the number of positions is unknown, but the egbk3 header requires it"
    );
    assert_eq!(
        refused(Format::Egbk, &header(Some(1 << 31))),
        "the number of positions is 2147483648: the egbk header holds 0 to 2147483647"
    );
    assert_eq!(
        refused(Format::Egbk2, &header(Some(-1))),
        "the number of positions is -1: the egbk2 header holds 0 to 2147483647"
    );
    assert_eq!(
        refused(Format::Edax, &header(Some(1))),
        "the level is unknown, but the edax header requires it"
    );
}

/// The start position in Edax's format, without links.
fn start() -> edax::Record {
    edax::Record {
        player: 0x8_1000_0000,
        opponent: 0x10_0800_0000,
        wins: 0,
        draws: 0,
        losses: 0,
        lines: 0,
        value: 0,
        lower: 0,
        upper: 0,
        level: 21,
        links: Default::default(),
        leaf: edax::RawMove::NONE,
    }
}

#[test]
fn every_fault_is_found_and_reported() {
    let mv = |score, code| edax::RawMove { score, code };
    let kind = |change: &dyn Fn(&mut edax::Record)| {
        let mut record = start();
        change(&mut record);
        let fault = record.check().unwrap_err();
        assert!(
            fault
                .to_string()
                .starts_with(&format!("board {}: ", fault.board_text()))
        );
        fault.kind
    };
    let illegal = |of, code| FaultKind::IllegalMove { of, code };
    assert_eq!(kind(&|r| r.opponent |= r.player), FaultKind::Overlap);
    assert_eq!(kind(&|r| r.player = 1 << 35), FaultKind::EmptyCentre);
    assert_eq!(
        kind(&|r| r.links = [mv(0, 19), mv(0, 20)][..].into()),
        illegal(MoveOf::Link(2), 20)
    );
    assert_eq!(
        kind(&|r| r.links = [mv(0, 64)][..].into()),
        illegal(MoveOf::Link(1), 64),
        "a pass where moves are legal"
    );
    assert_eq!(
        kind(&|r| r.links = [mv(0, 65)][..].into()),
        illegal(MoveOf::Link(1), 65)
    );
    assert_eq!(kind(&|r| r.leaf = mv(0, 255)), illegal(MoveOf::Leaf, 255));
    assert_eq!(
        kind(&|r| r.leaf = mv(0, 27)),
        illegal(MoveOf::Leaf, 27),
        "taken"
    );
    assert_eq!(
        kind(&|r| r.links = [mv(0, 19), mv(0, 19)][..].into()),
        FaultKind::DuplicateMove { code: 19 }
    );
    assert_eq!(
        kind(&|r| {
            r.links = [mv(0, 19)][..].into();
            r.leaf = mv(0, 19);
        }),
        FaultKind::DuplicateMove { code: 19 }
    );
    assert_eq!(
        kind(&|r| r.leaf = mv(0, 65)),
        FaultKind::ScoreWithoutMove { score: 0 }
    );
    assert_eq!(
        kind(&|r| r.leaf = mv(-127, 19)),
        FaultKind::OutOfRange {
            field: "the leaf's score",
            found: -127,
            min: -64,
            max: 64
        }
    );
    assert_eq!(
        kind(&|r| r.links = [mv(65, 19)][..].into()),
        FaultKind::OutOfRange {
            field: "a link's score",
            found: 65,
            min: -64,
            max: 64
        }
    );
    let mut both = start();
    both.player |= both.opponent;
    assert_eq!(
        both.check().unwrap_err().to_string(),
        "board ---------------------------#X------X#--------------------------- X: \
         both sides hold d4 e5: expected one side at most"
    );
    // Four links to one child are correct.
    let mut record = start();
    record.links = [mv(0, 19), mv(0, 26), mv(0, 37), mv(0, 44)][..].into();
    assert_eq!(record.check().unwrap().links.len(), 4);
}

#[test]
fn finished_games_have_a_leaf_without_a_move() {
    // White has no disc left.
    let mut record = start();
    record.player |= record.opponent;
    record.opponent = 0;
    record.leaf = edax::RawMove {
        score: 64,
        code: 65,
    };
    let leaf = record.check().unwrap().leaf.unwrap();
    assert_eq!((leaf.mv, leaf.score, leaf.level), (None, 64, Some(21)));
    record.leaf = edax::RawMove::NONE;
    assert_eq!(record.check().unwrap().leaf, None);
    record.leaf = edax::RawMove { score: 0, code: 64 };
    let fault = record.check().unwrap_err();
    assert_eq!(
        fault.kind,
        FaultKind::IllegalMove {
            of: MoveOf::Leaf,
            code: 64
        }
    );
    assert!(
        fault.to_string().ends_with("(none, the game is over)"),
        "{fault}"
    );
}

#[test]
fn egbk3_says_undefined_in_many_ways() {
    let start = egbk3::Record {
        player: 0x8_1000_0000,
        opponent: 0x10_0800_0000,
        ..Default::default()
    };
    let position = start.check().unwrap();
    assert_eq!(
        (position.value, position.level, position.leaf),
        (None, None, None)
    );
    let leaf = |leaf_value, leaf_move| {
        egbk3::Record {
            leaf_value,
            leaf_move,
            leaf_level: 70,
            ..start
        }
        .check()
    };
    assert_eq!(leaf(3, 65).unwrap().leaf, None);
    assert_eq!(leaf(3, 125).unwrap().leaf, None);
    assert_eq!(leaf(-126, 19).unwrap().leaf, None);
    let person = leaf(3, 19).unwrap().leaf.unwrap();
    assert_eq!(person.level, Some(obook_othello::PERSON_LEVEL));
    assert_eq!(
        leaf(3, 64).unwrap_err().kind,
        FaultKind::IllegalMove {
            of: MoveOf::Leaf,
            code: 64
        }
    );
    assert!(leaf(65, 19).is_err());
    assert!(egbk3::Record { level: -2, ..start }.check().is_err());
    assert!(
        egbk3::Record {
            value: -127,
            ..start
        }
        .check()
        .is_err()
    );
    let again = |no_leaf| {
        let position = Position {
            no_leaf,
            ..position.clone()
        };
        egbk3::Record::from_position(&position).unwrap()
    };
    let searched = egbk3::Record {
        leaf_move: 65,
        ..start
    };
    assert_eq!(position.no_leaf, Some(NoLeaf::Undefined));
    assert_eq!(again(Some(NoLeaf::Undefined)), start);
    assert_eq!(
        again(None),
        start,
        "where nothing is said, nothing was searched"
    );
    assert_eq!(again(Some(NoLeaf::AllMovesInBook)), searched);
    let read = searched.check().unwrap();
    assert_eq!(read.no_leaf, Some(NoLeaf::AllMovesInBook));
}

/// A number out of range is one fault, and the rest of the position stays.
#[test]
fn a_faulty_number_is_mended_alone() {
    let leaf = edax::RawMove { score: 3, code: 19 };
    let sound = edax::Record {
        value: 3,
        leaf,
        ..start()
    };
    let read = |record: &edax::Record| {
        let header = edax::Header {
            count: 1,
            ..edax::Header::default()
        };
        let mut writer = edax::Writer::new(Vec::new(), header).unwrap();
        writer.write(record).unwrap();
        let input = Cursor::new(writer.finish().unwrap());
        let mut book = BookReader::new(input, "book", None).unwrap();
        match book.read_legible(1).pop().unwrap() {
            Legible::Record {
                position, faults, ..
            } => (position.unwrap(), faults.len()),
            damage => panic!("{damage:?}"),
        }
    };
    let (whole, _) = read(&sound);
    type Change = fn(&mut edax::Record);
    let changes: [(Change, usize, Position); 5] = [
        (|it| it.value = 100, 1, whole.clone()),
        (|it| it.value = -128, 1, whole.clone()),
        (
            |it| it.upper = i16::MIN,
            1,
            with_bounds(&whole, 0, -i16::MAX),
        ),
        (
            |it| (it.lower, it.upper, it.value) = (i16::MIN, i16::MIN, 65),
            3,
            with_bounds(&whole, -i16::MAX, -i16::MAX),
        ),
        (
            |it| it.leaf.score = 100,
            1,
            Position {
                leaf: None,
                ..whole.clone()
            },
        ),
    ];
    for (change, faults, left) in changes {
        let mut record = sound.clone();
        change(&mut record);
        assert_eq!(read(&record), (left, faults), "{record:?}");
    }
}

fn with_bounds(position: &Position, lower: i16, upper: i16) -> Position {
    Position {
        bounds: Some(Bounds { lower, upper }),
        ..position.clone()
    }
}

/// Law (Book files): A faulty position doesn't end the reading; damage to the structure does.
#[test]
fn a_faulty_position_does_not_end_the_book() {
    let (mut bytes, ends) = small::<egbk3::Record>(
        "egaroucid/games.mixed.egbk3",
        egbk3::Header { count: 20 },
        20,
    );
    bytes[ends[6]..ends[6] + 16].fill(0xff);
    let whole = bytes.len();
    bytes.extend_from_slice(b"a tail");
    let mut book = BookReader::new(Cursor::new(bytes.clone()), "book", None).unwrap();
    let results: Vec<_> = book.by_ref().collect();
    assert_eq!((results.len(), book.positions()), (21, 20));
    let faults: Vec<_> = results
        .iter()
        .filter_map(|result| result.as_ref().err())
        .collect();
    assert_eq!(faults.len(), 2);
    assert!(faults[0].is_fault());
    assert!(!faults[1].is_fault(), "the tail is damage");
    assert_eq!(faults[1].offset(), Some(whole as u64));
    assert_eq!(
        (faults[0].record(), faults[0].offset()),
        (Some(7), Some(ends[6] as u64))
    );
    // Parallel reading gives the same, with the errors in the same order.
    let batches: Vec<_> = BookReader::new(Cursor::new(bytes), "book", None)
        .unwrap()
        .positions_parallel()
        .collect();
    let texts = |results: &[Result<_, obook_converters::Error>]| -> Vec<String> {
        results.iter().map(|result| format!("{result:?}")).collect()
    };
    assert_eq!(texts(&batches), texts(&results));
}

/// An input that reports when it is dropped.
struct Told<R>(R, Sender<()>);

impl<R: Read> Read for Told<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<R> Drop for Told<R> {
    fn drop(&mut self) {
        self.1.send(()).unwrap();
    }
}

/// An endless book may be dropped at any time: the thread that reads ahead then ends too.
#[test]
fn batches_can_be_left_before_the_end() {
    let mut record = bytes("egaroucid/games.egbk");
    let head: Vec<u8> = record.drain(..4).collect();
    let (dropped, is_dropped) = channel();
    let input = Told(Repeated::new(&head, record, 1 << 40), dropped);
    let book = BookReader::new(input, "endless", None).unwrap();
    let positions = book.positions_parallel().take(100_000);
    assert_eq!(positions.filter(Result::is_ok).count(), 100_000);
    is_dropped.recv().unwrap();
}

/// Reads structure and positions to the end, in every way.
fn read_all<T: BookRecord>(bytes: &[u8], format: Format) {
    if let Ok(mut reader) = Reader::<_, T>::new(bytes) {
        let mut records = 0u64;
        for record in reader.by_ref().flatten() {
            records += 1;
            if let Err(fault) = record.check() {
                assert!(!fault.to_string().is_empty());
            }
        }
        assert!(
            records * 17 <= bytes.len() as u64,
            "no record out of nothing"
        );
        assert!(reader.offset() <= bytes.len() as u64);
    }
    for format in [Some(format), None] {
        if let Ok(book) = BookReader::new(Cursor::new(bytes.to_vec()), "book", format) {
            let texts: Vec<String> = book
                .filter_map(Result::err)
                .map(|e| e.to_string())
                .collect();
            assert!(texts.iter().all(|text| text.starts_with("book: ")));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Law (Book files): No bytes cause a panic, and all that is read is valid.
    /// Also: `damaged_books_never_panic` `cli/tests/fuzzed/replay.rs` `books` `notation`
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        let behind = |head: &[u8]| [head, &bytes].concat();
        read_all::<edax::Record>(&behind(b"XADEKOOB\x04"), Format::Edax);
        read_all::<egbk3::Record>(&behind(b"DICUORAGE\x03"), Format::Egbk3);
        read_all::<egbk2::Record>(&behind(b"DICUORAGE\x02"), Format::Egbk2);
        read_all::<egbk::Record>(&bytes, Format::Egbk);
        read_all::<edax_text::Record>(&bytes, Format::EdaxText);
        let zst = behind(&[0x28, 0xb5, 0x2f, 0xfd]);
        read_all::<edax_text::Record>(&zst, Format::EdaxText);
    }

    /// A few wrong bytes in a correct book reach the faults of single positions far more often than pure noise.
    #[test]
    fn damaged_books_never_panic(
        which in 0usize..5,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let (format, mut bytes, _) = books().swap_remove(which);
        for (at, byte) in damage {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        match format {
            Format::Edax => read_all::<edax::Record>(&bytes, format),
            Format::EdaxText => read_all::<edax_text::Record>(&bytes, format),
            Format::Egbk3 => read_all::<egbk3::Record>(&bytes, format),
            Format::Egbk2 => read_all::<egbk2::Record>(&bytes, format),
            Format::Egbk => read_all::<egbk::Record>(&bytes, format),
            _ => unreachable!("it is none of these books"),
        }
    }
}

/// A reader that only measures records stops where one that decodes them does, for the same reason.
#[test]
fn records_have_the_decoded_length() {
    let book = std::fs::read(data("edax/games.prune.dat")).unwrap();
    for start in 42..book.len() {
        let record = &book[start..book.len().min(start + 60)];
        for end in 0..=record.len() {
            let found = edax::Record::len(&record[..end], ());
            let decoded = edax::Record::decode(&record[..end], ()).map(|(_, len)| len);
            assert_eq!(format!("{found:?}"), format!("{decoded:?}"));
        }
    }
}
