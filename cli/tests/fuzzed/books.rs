//! Book files. The first byte is the index of the format in `Format::ALL`; the rest is the file.

use obook_converters::{
    BookHeader, BookReader, BookRecord, BookWriter, Error, Format, Header, Reader, edax, edax_text,
    egbk, egbk2, egbk3, ntest, sensei, takizawa, zebra,
};
use obook_othello::Position;
use std::collections::BTreeSet;
use std::io::Cursor;

/// The scores of links and leaves.
const SCORES: std::ops::RangeInclusive<i8> = -64..=64;

pub(crate) fn check(bytes: &[u8]) {
    let Some((choice, file)) = bytes.split_first() else {
        return;
    };
    let format = Format::ALL[usize::from(*choice) % Format::ALL.len()];
    match format {
        Format::Edax => records::<edax::Record>(file),
        Format::EdaxText => records::<edax_text::Record>(file),
        Format::Egbk3 => records::<egbk3::Record>(file),
        Format::Egbk2 => records::<egbk2::Record>(file),
        Format::Egbk => records::<egbk::Record>(file),
        Format::Takizawa => records::<takizawa::Record>(file),
        Format::Sensei => sensei_record(file),
        Format::Zebra => zebra_records(file),
        Format::Ntest => ntest_records(file),
        other => panic!("records of {other} are needed here"),
    }
    positions(file, format);
}

/// Checks a record of Sensei, which takes up the whole file: its numbers are scores and chances, and it has no more of them than the
/// file has bits for.
fn sensei_record(file: &[u8]) {
    let record = match sensei::Record::parse(file) {
        Ok(record) => record,
        Err(error) => return said(&error.to_string()),
    };
    assert!(record.fathers.len() <= file.len() / 3 && record.odds.len() <= 64);
    let position = record.check().expect("its board was checked");
    invariants(&position);
    let chances: f64 = record.forecast().chances().map(|(_, chance)| chance).sum();
    assert!((chances - 1.0).abs() < 1e-9);
}

/// Checks Zebra's records: each hash comes once, and no more of them than the file has bytes for.
fn zebra_records(file: &[u8]) {
    match zebra::File::read(file) {
        Ok(book) => {
            let hashes: BTreeSet<_> = book.records().iter().map(|record| record.hash).collect();
            assert_eq!(hashes.len(), book.records().len());
            assert!(book.records().len() <= file.len() / 12);
        }
        Err(error) => told(&error),
    }
}

/// Checks a book of NTest: each position once, and no more of them than the file has bytes for.
fn ntest_records(file: &[u8]) {
    match ntest::File::read(file) {
        Ok(book) => {
            let boards: BTreeSet<_> = (book.records().iter())
                .map(|record| (record.board.player(), record.board.opponent()))
                .collect();
            assert_eq!(boards.len(), book.records().len());
            assert!(book.records().len() <= file.len() / 8);
            let header = Header {
                count: Some(boards.len() as i64),
                ..Header::default()
            };
            let mut writer = ntest::Writer::new(Vec::new(), &header).unwrap();
            (book.records().iter()).for_each(|record| writer.write(*record));
            let again = ntest::File::read(&writer.finish().unwrap()[..]).unwrap();
            assert!(book.records().iter().all(|it| again.records().contains(it)));
            assert_eq!(again.records().len(), boards.len());
        }
        Err(error) => told(&error),
    }
}

/// Checks records: decoding and encoding gives the same bytes.
fn records<T: BookRecord>(file: &[u8]) {
    let mut reader = match Reader::<_, T>::new(file) {
        Ok(reader) => reader,
        Err(error) => return told(&error),
    };
    let mut header = Vec::new();
    reader.header().encode(&mut header);
    assert_eq!(header, file[..T::HEADER_LEN], "the header comes back");
    let header = reader.header();
    assert_eq!(header.neutral().count, header.promised());
    let layout = reader.layout();
    let mut at = T::HEADER_LEN;
    while let Some(record) = reader.next() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                told(&error);
                assert!(
                    reader.next().is_none(),
                    "damage is the last thing that comes"
                );
                return;
            }
        };
        let end = usize::try_from(reader.offset()).unwrap();
        let own = &file[at..end];
        assert!(own.len() <= T::MAX_LEN && end > at, "{} bytes", own.len());
        let measured = T::len(&file[at..file.len().min(at + T::MAX_LEN)], layout);
        assert_eq!(measured.unwrap(), own.len());
        let mut again = Vec::new();
        record.encode(layout, &mut again).unwrap();
        if matches!(T::FORMAT, Format::EdaxText | Format::Takizawa) {
            // A line can be written in several ways.
            let (read, _) = T::decode(&again, layout).unwrap();
            assert_eq!(read, record);
        } else {
            assert_eq!(again, own);
        }
        match record.check() {
            Ok(position) => position_of(&record, &position),
            Err(fault) => said(&fault.to_string()),
        }
        at = end;
    }
    assert_eq!(at, file.len(), "nothing is passed over");
}

/// Checks a position that was read.
fn position_of<T: BookRecord>(record: &T, position: &Position) {
    invariants(position);
    let board = position.board.board();
    let (player, opponent) = record.discs();
    let discs = |player: u64, opponent: u64| (player.count_ones(), opponent.count_ones());
    assert_eq!(
        discs(player, opponent),
        discs(board.player(), board.opponent()),
        "turned, no more"
    );
    let again = match T::from_position(position) {
        Ok(again) => again,
        // A value that Edax hasn't computed can be read, but not written, and some formats can only be read.
        Err(_) => return assert!(position.value.is_none() || T::FORMAT.form().is_err()),
    };
    let read = again.check().expect("what is written can be read");
    assert_eq!(read, *position, "what is written and read is the same");
}

/// Checks what the rest of the program assumes about every position.
pub(crate) fn invariants(position: &Position) {
    let board = position.board.board();
    assert_eq!(position.board, board.canonical());
    assert!(board.empties() <= 60);
    assert!(
        position
            .value
            .is_none_or(|value| (-64..=64).contains(&value))
    );
    if let Some(bounds) = position.bounds {
        assert!(
            bounds.lower > i16::MIN && bounds.upper > i16::MIN,
            "they can be negated"
        );
    }
    let mut moves = BTreeSet::new();
    for link in &position.links {
        assert!(board.play(link.mv).is_some(), "{} is legal", link.mv);
        assert!(moves.insert(link.mv), "{} stands once", link.mv);
        assert!(link.score.is_none_or(|score| SCORES.contains(&score)));
    }
    if let Some(leaf) = position.leaf {
        assert!(SCORES.contains(&leaf.score));
        match leaf.mv {
            Some(mv) => {
                assert!(board.play(mv).is_some(), "{mv} is legal");
                assert!(moves.insert(mv), "{mv} stands once");
            }
            None => assert!(board.is_over()),
        }
        assert_eq!(position.no_leaf, None);
    }
}

/// Checks positions: every way of reading gives the same, and a round trip changes nothing.
fn positions(file: &[u8], format: Format) {
    let open = |format| BookReader::new(Cursor::new(file.to_vec()), "book", format);
    if let Ok(book) = open(None) {
        book.for_each(|position| match position {
            Ok(position) => invariants(&position),
            Err(error) => told(&error),
        });
    }
    let mut book = match open(Some(format)) {
        Ok(book) => book,
        Err(error) => return told(&error),
    };
    let header = book.header().clone();
    let one_by_one: Vec<Result<Position, Error>> = book.by_ref().collect();
    let batches: Vec<Result<Position, Error>> =
        open(Some(format)).unwrap().positions_parallel().collect();
    assert_eq!(format!("{one_by_one:?}"), format!("{batches:?}"));
    let positions: Vec<Position> = one_by_one.into_iter().flatten().collect();
    for target in Format::WRITTEN {
        let header = Header {
            count: Some(positions.len() as i64),
            ..header.clone()
        };
        let Some(written) = write(&positions, target, &header) else {
            assert!(
                target != format
                    || positions.is_empty()
                    || positions.iter().any(|it| it.value.is_none()),
                "what {format} gave, it takes"
            );
            continue;
        };
        let read = BookReader::new(Cursor::new(written), "written", Some(target)).unwrap();
        let read: Vec<Position> = read
            .map(|position| position.expect("it was written"))
            .collect();
        // NTest's books have no pass positions.
        let boards = positions.iter().map(|it| it.board.board());
        let moving = boards.map(|it| if it.must_pass() { it.passed() } else { it });
        let moving: BTreeSet<_> = moving.map(|it| it.canonical()).collect();
        match target {
            Format::Ntest => assert_eq!(read.len(), moving.len()),
            _ => assert_eq!(read.len(), positions.len()),
        }
        if target == format {
            assert_eq!(read, positions);
        }
    }
}

/// Writes these positions; `None` if they lack something that the format requires.
fn write(positions: &[Position], format: Format, header: &Header) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut writer = match BookWriter::new(&mut bytes, format, header, None) {
        Ok(writer) => writer,
        Err(error) => {
            told(&error);
            return None;
        }
    };
    for position in positions {
        if let Err(error) = writer.write(position) {
            told(&error);
            return None;
        }
    }
    writer.finish().expect("the count is right");
    Some(bytes)
}

/// Checks that an error is a sentence that a terminal can show.
pub(crate) fn told(error: &Error) {
    said(&error.to_string());
}

/// Like [`told`], for any error's text.
pub(crate) fn said(text: &str) {
    assert!(!text.is_empty() && text.len() < 2000, "{text}");
    assert!(
        !text.contains(|c: char| c.is_control() && c != '\n'),
        "{text:?}"
    );
}
