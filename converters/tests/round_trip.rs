//! Reading and writing a file reproduces it.

use crate::support::books::{bytes, data, golden, rechecked, records, rewritten};
use crate::support::positions::{board, edax_position, egbk3_position};
use obook_converters::egbk2::{LinkCount, RawLink};
use obook_converters::{
    BookReader, BookRecord, BookWriter, Compression, ErrorKind, FaultKind, Format, Header, edax,
    edax_text, egbk, egbk2, egbk3,
};
use obook_needs::needs;
use obook_othello::{Leaf, NoLeaf, Position, Symmetry};
use proptest::prelude::*;
use std::fmt::Debug;
use std::io::{self, Cursor, Read, Write};
use std::path::PathBuf;

/// Law (Book files): An engine's file, and any record of its format, is reproduced byte for byte.
/// Also: `large_files_survive_a_round_trip` `a_published_file_survives_a_round_trip` `any_edax_record_comes_back`
/// `any_egbk3_record_comes_back` `any_egbk2_record_comes_back` `any_egbk_record_comes_back` `any_text_record_comes_back`
#[test]
fn files_survive_a_round_trip() {
    let own: [(&str, RoundTrip); 7] = [
        ("edax/games.dat", comes_back_canonical::<edax::Record>),
        ("edax/games.prune.dat", comes_back_canonical::<edax::Record>),
        (
            "edax/deviate.depth9.prune.dat",
            comes_back_canonical::<edax::Record>,
        ),
        (
            "edax/small.subtree_f5d6c4.dat",
            comes_back_canonical::<edax::Record>,
        ),
        (
            "egaroucid/games.mixed.egbk3",
            comes_back_canonical::<egbk3::Record>,
        ),
        (
            "egaroucid/games.egbk2",
            comes_back_canonical::<egbk2::Record>,
        ),
        ("egaroucid/games.egbk", comes_back_raw::<egbk::Record>),
    ];
    come_back(data, &own);
}

#[needs(large_books)]
#[test]
fn large_files_survive_a_round_trip() {
    let large: [(&str, RoundTrip); 7] = [
        ("edax/small.dat", comes_back_canonical::<edax::Record>),
        ("edax/small.prune.dat", comes_back_canonical::<edax::Record>),
        ("edax/deviate.dat", comes_back_canonical::<edax::Record>),
        ("edax/small.txt", comes_back_canonical::<edax_text::Record>),
        (
            "egaroucid/small.mixed.egbk3",
            comes_back_canonical::<egbk3::Record>,
        ),
        (
            "egaroucid/small.egbk2",
            comes_back_canonical::<egbk2::Record>,
        ),
        ("egaroucid/small.egbk", comes_back_raw::<egbk::Record>),
    ];
    come_back(golden, &large);
}

#[needs(published_book)]
#[test]
fn a_published_file_survives_a_round_trip() {
    let book = "../public/libedax_test_book.dat";
    come_back(golden, &[(book, comes_back_canonical::<edax::Record>)]);
}

/// Checks that the bytes of a file with this name come back.
type RoundTrip = fn(&str, &[u8]);

fn come_back(folder: fn(&str) -> PathBuf, files: &[(&str, RoundTrip)]) {
    for (file, check) in files {
        check(file, &std::fs::read(folder(file)).unwrap());
    }
}

fn comes_back_raw<T: BookRecord>(file: &str, bytes: &[u8]) {
    assert!(rewritten::<T>(bytes) == bytes, "{file}, raw records");
}

/// Also as positions, whose boards are canonical.
fn comes_back_canonical<T: BookRecord>(file: &str, bytes: &[u8]) {
    comes_back_raw::<T>(file, bytes);
    assert!(rechecked::<T>(bytes) == bytes, "{file}, through positions");
}

#[test]
fn the_text_form_of_a_small_book_comes_back() {
    let text: Vec<u8> = records::<edax::Record>(&bytes("edax/games.dat"))
        .iter()
        .flat_map(|record| {
            let line = edax_text::Record::from_position(&record.check().unwrap());
            let mut out = Vec::new();
            line.unwrap().encode((), &mut out).unwrap();
            out
        })
        .collect();
    assert!(text.starts_with(b"-") && text.ends_with(b"\n"));
    assert_eq!(rewritten::<edax_text::Record>(&text), text);
    assert_eq!(rechecked::<edax_text::Record>(&text), text);
    // Sending it by mail may change line ends.
    let dos = String::from_utf8(text.clone())
        .unwrap()
        .replace('\n', "\r\n");
    assert_eq!(rewritten::<edax_text::Record>(dos.as_bytes()), text);
}

/// `encode` followed by `decode` gives the record and its length, whatever follows it.
fn comes_back<T: BookRecord>(record: &T, layout: T::Layout, tail: &[u8]) {
    let mut out = Vec::new();
    record.encode(layout, &mut out).unwrap();
    let len = out.len();
    assert!(len <= T::MAX_LEN);
    out.extend_from_slice(tail);
    let (decoded, decoded_len) = T::decode(&out, layout).unwrap();
    assert_eq!((&decoded, decoded_len), (record, len));
    for cut in 0..len {
        assert!(matches!(
            T::decode(&out[..cut], layout),
            Err(ErrorKind::Truncated { found, expected }) if found == cut as u64 && expected > found
        ));
    }
}

fn edax_record() -> impl Strategy<Value = edax::Record> {
    let mv = || any::<(i8, u8)>().prop_map(|(score, code)| edax::RawMove { score, code });
    let numbers = any::<([u64; 2], [u32; 4], [i16; 3], u8)>();
    (numbers, prop::collection::vec(mv(), 0..=255), mv()).prop_map(
        |((discs, counts, scores, level), links, leaf)| edax::Record {
            player: discs[0],
            opponent: discs[1],
            wins: counts[0],
            draws: counts[1],
            losses: counts[2],
            lines: counts[3],
            value: scores[0],
            lower: scores[1],
            upper: scores[2],
            level,
            links: links.into(),
            leaf,
        },
    )
}

proptest! {
    #[test]
    fn any_edax_record_comes_back(record in edax_record(), tail in any::<[u8; 8]>()) {
        comes_back(&record, (), &tail);
    }

    #[test]
    fn any_egbk3_record_comes_back(raw in any::<[u8; 25]>()) {
        let (record, len) = egbk3::Record::decode(&raw, ()).unwrap();
        let mut out = Vec::new();
        record.encode((), &mut out).unwrap();
        prop_assert_eq!((&out[..], len), (&raw[..], 25));
        comes_back(&record, (), &[1, 2, 3]);
    }

    #[test]
    fn any_egbk2_record_comes_back(
        (player, opponent, value, level) in any::<(u64, u64, i8, i8)>(),
        links in prop::collection::vec(any::<(i8, u8)>(), 0..=255),
    ) {
        let links = links.into_iter().map(|(value, code)| RawLink { value, code }).collect();
        let record = egbk2::Record { player, opponent, value, level, links };
        comes_back(&record, LinkCount::OneByte, &[1, 2, 3]);
        comes_back(&record, LinkCount::FourBytes, &[1, 2, 3]);
    }

    #[test]
    fn any_egbk_record_comes_back(player: u64, opponent: u64, raw: u8) {
        comes_back(&egbk::Record { player, opponent, raw }, (), &[1, 2, 3]);
    }

    #[test]
    fn any_text_record_comes_back(
        (player, other, level, score) in any::<(u64, u64, u8, i8)>(),
        code in 0u8..=65,
    ) {
        let opponent = other & !player;
        let leaf = edax::RawMove { score, code };
        comes_back(&edax_text::Record { player, opponent, level, leaf }, (), b"X");
    }

    #[test]
    fn any_edax_header_comes_back(
        (release, padding, [month, day, hour, minute, second]) in any::<(u8, u8, [u8; 5])>(),
        (year, numbers) in any::<(u16, [i32; 3])>(),
        (n_empties, midgame_error, endcut_error) in (0..=61, 0..=64, 0..=64),
    ) {
        use obook_converters::BookHeader;
        let header = edax::Header {
            release,
            date: obook_converters::Date { year, month, day, hour, minute, second },
            padding,
            level: numbers[0],
            n_empties,
            midgame_error,
            endcut_error,
            verbosity: numbers[1],
            count: numbers[2],
        };
        let mut out = Vec::new();
        header.encode(&mut out);
        prop_assert_eq!(edax::Header::decode(&out).unwrap(), header);
        let same = edax::Header { padding: 0, ..header };
        match edax::Header::from_neutral(&header.neutral()) {
            Ok(back) => prop_assert_eq!(back, same),
            Err(_) => prop_assert!(header.count < 0),
        }
    }

    /// Law (Book files): Any position survives a round trip through a format that can hold it; others keep what they can.
    /// Also: `any_egbk3_position_comes_back` `the_poorer_formats_keep_what_they_can`
    #[test]
    fn any_edax_position_comes_back(position in edax_position()) {
        position_comes_back::<edax::Record>(&position);
    }

    #[test]
    fn any_egbk3_position_comes_back(position in egbk3_position()) {
        position_comes_back::<egbk3::Record>(&position);
    }

    /// Only data that a format can't hold is lost.
    #[test]
    fn the_poorer_formats_keep_what_they_can(mut position in edax_position(), value in -64i16..=64) {
        position.value = Some(value);
        let bare = Position::new(position.board, position.engine);
        let text = Position { level: position.level, leaf: position.leaf, ..bare.clone() };
        prop_assert_eq!(through::<edax_text::Record>(&position), text);
        let egaroucid = Position { value: position.value, engine: obook_othello::Engine::Egaroucid, ..bare };
        prop_assert_eq!(through::<egbk::Record>(&position), egaroucid.clone());
        let old = Position { level: position.level, links: position.links.clone(), ..egaroucid.clone() };
        prop_assert_eq!(through::<egbk2::Record>(&position), old);
        let leaf = position.leaf.filter(|leaf| leaf.mv.is_some());
        let is_over = position.leaf.is_some_and(|leaf| leaf.mv.is_none());
        let new = Position {
            level: position.level,
            lines: position.lines,
            leaf: leaf.map(|leaf| Leaf { engine: obook_othello::Engine::Egaroucid, ..leaf }),
            // If there's no reason for a missing leaf, the format still has to state one.
            no_leaf: leaf.is_none().then_some(if is_over { NoLeaf::AllMovesInBook } else { NoLeaf::Undefined }),
            ..egaroucid
        };
        prop_assert_eq!(through::<egbk3::Record>(&position), new);
    }

    /// A record on any of the eight boards is the same position.
    ///
    /// Law (Book files): Mirror images are one position.
    #[test]
    fn symmetric_records_are_one_position(position in edax_position()) {
        let record = edax::Record::from_position(&position).unwrap();
        for symmetry in Symmetry::ALL {
            let turn = |mv: edax::RawMove| edax::RawMove {
                code: obook_othello::Move::from_code(mv.code).map_or(mv.code, |m| symmetry.play(m).code()),
                ..mv
            };
            let turned = edax::Record {
                player: symmetry.bits(record.player),
                opponent: symmetry.bits(record.opponent),
                links: record.links.iter().map(|link| turn(*link)).collect(),
                leaf: turn(record.leaf),
                ..record.clone()
            };
            let back = turned.check().unwrap();
            prop_assert_eq!(back.board, position.board);
            // The moves of a position that is symmetric to itself may come back mirrored.
            let automorphic = Symmetry::ALL.iter().any(|s| {
                s.board(position.board.board()) == position.board.board()
                    && moves(&back).eq(moves(&position).map(|mv| s.play(mv)))
            });
            prop_assert!(automorphic);
        }
    }

    /// A book of any format, compressed or not, returns the positions written.
    #[test]
    fn whole_books_come_back(
        positions in prop::collection::vec(egbk3_position(), 0..40),
        compression in prop::option::of((1i32..=5, 0u32..=2)),
    ) {
        let header = Header { count: Some(positions.len() as i64), ..Header::default() };
        let compression = compression.map(|(level, threads)| Compression { level, threads });
        let mut bytes = Vec::new();
        let mut writer = BookWriter::new(&mut bytes, Format::Egbk3, &header, compression).unwrap();
        for position in &positions {
            writer.write(position).unwrap();
        }
        prop_assert_eq!(writer.positions(), positions.len() as u64);
        writer.finish().unwrap();
        let book = || BookReader::new(Cursor::new(bytes.clone()), "book", None).unwrap();
        prop_assert_eq!(book().is_compressed(), compression.is_some());
        let one: Vec<Position> = book().map(Result::unwrap).collect();
        prop_assert_eq!(&one, &positions);
        let all: Vec<Position> = book().positions_parallel().map(Result::unwrap).collect();
        prop_assert_eq!(&all, &positions);
    }

    #[test]
    fn a_position_without_a_number_that_edax_needs_is_refused(position in edax_position(), which in 0usize..5) {
        let mut poor = position;
        let expected = match which {
            0 => { poor.value = None; "the value" }
            1 => { poor.bounds = None; "bounds" }
            2 => { poor.level = None; "the level" }
            3 => { poor.outcomes = None; "the number of wins" }
            _ => { poor.lines = None; "the number of lines" }
        };
        let fault = edax::Record::from_position(&poor).unwrap_err();
        prop_assert_eq!(fault.kind, FaultKind::Missing { field: expected });
    }

    #[test]
    fn text_of_a_board_is_that_of_othello(board in board()) {
        let record = edax_text::Record {
            player: board.player(),
            opponent: board.opponent(),
            level: 21,
            leaf: edax::RawMove::NONE,
        };
        let mut out = Vec::new();
        record.encode((), &mut out).unwrap();
        prop_assert_eq!(String::from_utf8(out).unwrap(), format!("{},21,--,-127\n", board.to_text()));
    }
}

fn moves(position: &Position) -> impl Iterator<Item = obook_othello::Move> {
    let links = position.links.iter().map(|link| link.mv);
    links.chain(position.leaf.and_then(|leaf| leaf.mv))
}

fn through<T: BookRecord>(position: &Position) -> Position {
    T::from_position(position).unwrap().check().unwrap()
}

fn position_comes_back<T: BookRecord + Debug>(position: &Position) {
    assert_eq!(&through::<T>(position), position);
}

#[test]
fn a_leaf_of_another_level_does_not_fit_into_edax() {
    let record = &records::<edax::Record>(&bytes("edax/games.dat"))[0];
    let mut position = record.check().unwrap();
    position.leaf = Some(Leaf {
        level: Some(21),
        ..position.leaf.unwrap()
    });
    let fault = edax::Record::from_position(&position).unwrap_err();
    let expected = FaultKind::LeafLevel {
        leaf: 21,
        position: 2,
    };
    assert_eq!(fault.kind, expected);
}

#[test]
fn both_layouts_of_link_counts_are_recognized() {
    let original = bytes("egaroucid/games.egbk2");
    let all: Vec<egbk2::Record> = records(&original);
    // All of it, and books of a few records, which offer little evidence.
    for records in [&all[..], &all[..1], &all[5..7], &all[2000..2003]] {
        for layout in [LinkCount::OneByte, LinkCount::FourBytes] {
            let count = records.len().try_into().unwrap();
            let header = egbk2::Header { count };
            let mut writer = egbk2::Writer::with_layout(Vec::new(), header, layout).unwrap();
            for record in records {
                writer.write(record).unwrap();
            }
            let bytes = writer.finish().unwrap();
            let reader = egbk2::Reader::new(&bytes[..]).unwrap();
            assert_eq!(reader.layout(), layout);
            let back: Vec<_> = reader.map(Result::unwrap).collect();
            assert_eq!(back, records);
            let book = BookReader::new(Cursor::new(bytes), "book", None).unwrap();
            assert_eq!(book.link_count(), Some(layout));
        }
    }
}

/// The rule behind it, for little evidence.
#[test]
fn link_counts_are_decided_when_they_can_be() {
    use obook_converters::RecordLayout;
    let book = bytes("egaroucid/games.egbk2");
    let records = &book[14..];
    let decide = |len: usize, at_end| LinkCount::decide(&records[..len], at_end);
    // With nothing or less than a record, ask for more. At the end, the layout of the releases is more likely.
    for len in [0, 1, 18] {
        assert_eq!(decide(len, false), None);
        assert_eq!(decide(len, true), Some(LinkCount::OneByte));
    }
    assert_eq!(decide(200, false), Some(LinkCount::OneByte));
    assert_eq!(
        decide(200, true),
        Some(LinkCount::OneByte),
        "cut off inside a record"
    );

    // A damaged file has the layout in which it can be read further.
    for layout in [LinkCount::OneByte, LinkCount::FourBytes] {
        let mut damaged = Vec::new();
        for record in self::records::<egbk2::Record>(&book).iter().take(9) {
            record.encode(layout, &mut damaged).unwrap();
        }
        let len = damaged.len();
        damaged[len - 40..].fill(0xff);
        assert_eq!(LinkCount::decide(&damaged, true), Some(layout));
    }
}

/// Returns one byte at a time, and is interrupted before each.
struct Halting<'a> {
    bytes: &'a [u8],
    interrupted: bool,
}

impl Read for Halting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.interrupted = !self.interrupted;
        if self.interrupted {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let len = buffer.len().min(1);
        self.bytes.read(&mut buffer[..len])
    }
}

#[test]
fn slow_inputs_read_the_same() {
    let bytes = bytes("edax/games.prune.dat");
    let halting = Halting {
        bytes: &bytes,
        interrupted: false,
    };
    let slow: Vec<_> = edax::Reader::new(halting)
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(slow, records::<edax::Record>(&bytes));
}

/// Records whether everything was flushed.
#[derive(Default)]
struct Flushed {
    bytes: Vec<u8>,
    flushed: bool,
}

impl Write for Flushed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.flushed = false;
        self.bytes.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.flushed = true;
        Ok(())
    }
}

#[test]
fn finishing_flushes() {
    let raw = egbk3::Writer::new(Flushed::default(), egbk3::Header { count: 0 });
    assert!(raw.unwrap().finish().unwrap().flushed);
    let header = Header {
        count: Some(0),
        ..Header::default()
    };
    for compression in [None, Some(Compression::default())] {
        let mut output = Flushed::default();
        let book = BookWriter::new(&mut output, Format::Egbk3, &header, compression).unwrap();
        book.finish().unwrap();
        assert!(output.flushed && !output.bytes.is_empty());
    }
}

#[test]
fn text_with_white_to_move_is_turned_to_the_side_to_move() {
    let board = "-".repeat(27) + "OX------XO" + &"-".repeat(27);
    let line = |side: char| format!("{board} {side},21,--,-127\n");
    let black = records::<edax_text::Record>(line('X').as_bytes());
    let white = records::<edax_text::Record>(line('O').as_bytes());
    assert_eq!(black[0].discs(), (0x8_1000_0000, 0x10_0800_0000));
    assert_eq!(white[0].discs(), (0x10_0800_0000, 0x8_1000_0000));
}
