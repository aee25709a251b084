//! Formats are detected from contents, compressed or not, and garbage isn't.

use crate::support::books::{bytes, data};
use obook_converters::{
    BookReader, BookWriter, Compression, ErrorKind, Format, Header, decompress,
};
use proptest::prelude::*;
use std::io::{Cursor, Read};
use std::path::Path;

const FILES: [(&str, Format); 4] = [
    ("edax/games.dat", Format::Edax),
    ("egaroucid/games.mixed.egbk3", Format::Egbk3),
    ("egaroucid/games.egbk2", Format::Egbk2),
    ("egaroucid/games.egbk", Format::Egbk),
];

/// Every file of `FILES` and a text book.
fn books() -> Vec<(Format, Vec<u8>)> {
    let mut books: Vec<_> = FILES.map(|(file, format)| (format, bytes(file))).into();
    let mut bytes = Vec::new();
    let mut text = BookWriter::new(&mut bytes, Format::EdaxText, &Header::default(), None).unwrap();
    for position in BookReader::open(data("edax/games.dat"), None).unwrap() {
        text.write(&position.unwrap()).unwrap();
    }
    text.finish().unwrap();
    books.push((Format::EdaxText, bytes));
    books
}

#[test]
fn every_format_is_detected() {
    for (format, bytes) in books() {
        let len = bytes.len() as u64;
        let head = &bytes[..Format::HEAD];
        assert_eq!(Format::detect(head, Some(len)), Some(format));
        assert_eq!(Format::detect(head, None), Some(format), "standard input");
        let book = BookReader::new(Cursor::new(bytes), "standard input", None).unwrap();
        assert_eq!(book.format(), format);
    }
}

/// Two positions may begin as a book of NTest does. The size tells them apart, and if it is unknown, NTest is likelier.
#[test]
fn an_egbk_file_of_two_positions_is_no_book_of_ntest() {
    let records: [(u64, u64, u8); 2] = [
        (0x0800_0000, 0x38_1000_0000, 61),
        (0x8_1000_0000, 0x10_0800_0000, 64),
    ];
    let mut bytes = 2i32.to_le_bytes().to_vec();
    for (player, opponent, score) in records {
        bytes.extend(player.to_le_bytes());
        bytes.extend(opponent.to_le_bytes());
        bytes.push(score);
    }
    let len = bytes.len() as u64;
    assert_eq!(Format::detect(&bytes, Some(len)), Some(Format::Egbk));
    for other in [Some(len + 1), None] {
        assert_eq!(Format::detect(&bytes, other), Some(Format::Ntest));
    }
}

#[test]
fn an_egbk_file_has_the_size_that_its_count_says() {
    let bytes = bytes("egaroucid/games.egbk");
    let (head, len) = (&bytes[..Format::HEAD], bytes.len() as u64);
    assert_eq!(Format::detect(head, Some(len - 1)), None);
    assert_eq!(Format::detect(head, Some(len + 17)), None);
    // If the size is unknown, only the promised number of boards counts.
    let one = [&1i32.to_le_bytes()[..], &bytes[4..21], &[0xff; 100]].concat();
    assert_eq!(Format::detect(&one, None), Some(Format::Egbk));
    let two = [&2i32.to_le_bytes()[..], &one[4..]].concat();
    assert_eq!(Format::detect(&two, None), None);
    // An empty book is recognised only if the size is known.
    assert_eq!(Format::detect(&[0; 4], Some(4)), Some(Format::Egbk));
    assert_eq!(Format::detect(&[0; 4], None), None);
    assert_eq!(Format::detect(&[0; 100], None), None);
    assert_eq!(Format::detect(&[0; 5], Some(5)), None);
}

#[test]
fn files_that_are_not_books_are_not_recognized() {
    let unknown: [&[u8]; 6] = [
        b"",
        b"X",
        b"XADEKOO",
        b"DICUORAGE",
        b"SQLite format 3\0 and a lot of other things that follow in such a file",
        b"---------------------------OX------XO--------------------------- Y,3,--,-127\n",
    ];
    for head in unknown {
        assert_eq!(Format::detect(head, Some(head.len() as u64)), None);
        assert_eq!(Format::detect(head, None), None);
        let error = BookReader::new(head, "thing", None).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::UnknownFormat { found } if found == head));
        assert!(
            error
                .to_string()
                .starts_with("thing: no book format begins like this")
        );
    }
}

/// Checkouts on Windows and editors change them.
#[test]
fn line_ends_and_a_byte_order_mark_make_no_difference() {
    let board = "------------------XO-O----XXOO-----XOX-----OOX------O----------- X";
    for (format, text) in [
        (
            Format::Takizawa,
            format!("obf,count,score,alpha,beta\n{board};,96,4,-64,0\n{board};,7,-6,0,64\nend\n"),
        ),
        (
            Format::EdaxText,
            format!("{board},3,--,-127\n{board},4,--,-127\nend\n"),
        ),
    ] {
        let read = |text: String| {
            let mut book = BookReader::new(Cursor::new(text), "book", None).unwrap();
            assert_eq!(book.format(), format);
            let positions: Vec<_> = book.by_ref().take(2).map(Result::unwrap).collect();
            (positions, book.next().unwrap().unwrap_err().offset())
        };
        let (plain, _) = read(text.clone());
        for mark in ["", "\u{feff}"] {
            for end in ["\n", "\r\n"] {
                let text = mark.to_owned() + &text.replace('\n', end);
                let place = text.find("end").map(|at| at as u64);
                assert_eq!(read(text), (plain.clone(), place), "{mark:?} {end:?}");
            }
        }
    }
}

#[test]
fn a_book_of_a_big_endian_machine_is_named() {
    let error = BookReader::new(&b"EDAXBOOK\x04"[..], "thing", None).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::BigEndian), "{error}");
}

#[test]
fn a_future_version_is_recognized() {
    let head = b"DICUORAGE\x04\x01\0\0\0";
    assert_eq!(Format::detect(head, None), None);
    let error = BookReader::new(&head[..], "new.egbk4", None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "new.egbk4: egbk3 version 4: expected version 3"
    );
}

proptest! {
    #[test]
    fn garbage_is_no_book(bytes in prop::collection::vec(any::<u8>(), 21..300)) {
        prop_assert_eq!(Format::detect(&bytes, None), None);
        prop_assert_eq!(Format::detect(&bytes, Some(bytes.len() as u64)), None);
    }
}

#[test]
fn names_and_extensions() {
    for format in Format::ALL {
        assert_eq!(format.name().parse(), Ok(format));
        assert_eq!(format.to_string().to_uppercase().parse(), Ok(format));
    }
    for format in Format::WRITTEN {
        let path = format!("some.book.{}", format.extension());
        assert_eq!(Format::from_extension(Path::new(&path)), Some(format));
        let path = path.to_uppercase() + ".zst";
        assert_eq!(Format::from_extension(Path::new(&path)), Some(format));
    }
    for path in ["book", "book.zst", "dat", ".dat", "book.db", ""] {
        assert_eq!(Format::from_extension(Path::new(path)), None, "{path}");
    }
    let message = |text: &str| text.parse::<Format>().unwrap_err().to_string();
    assert_eq!(
        message("edx"),
        "“edx” is not a book format: did you mean edax?"
    );
    assert_eq!(
        message("dat"),
        "“dat” is not a book format: did you mean edax?"
    );
    assert_eq!(
        message("egbk4"),
        "“egbk4” is not a book format: did you mean egbk3?"
    );
    let names = Format::ALL.map(Format::name).join(", ");
    assert_eq!(
        message("parquet"),
        format!("“parquet” is not a book format: expected one of {names}")
    );
}

fn compress(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

fn positions(bytes: Vec<u8>) -> Vec<obook_othello::Position> {
    BookReader::new(Cursor::new(bytes), "book", None)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

/// Law (Book files): Compressed books equal plain ones; cut or damaged, they are errors.
/// Also: `cut_or_damaged_compressed_files_are_errors` `cli/tests/fuzzed/replay.rs` `compressed`
#[test]
fn compressed_books_are_recognised() {
    for (format, bytes) in books() {
        let plain = positions(bytes.clone());
        // One frame; several after a skippable one, as parallel compressors write them; an empty one in between.
        let one = compress(&bytes);
        let (left, right) = bytes.split_at(bytes.len() / 3);
        let skippable = [0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
        let many = [
            &skippable[..],
            &compress(left),
            &compress(b""),
            &compress(right),
        ]
        .concat();
        for compressed in [one, many] {
            let mut out = Vec::new();
            decompress(&compressed[..])
                .unwrap()
                .read_to_end(&mut out)
                .unwrap();
            assert_eq!(out, bytes);
            let book = BookReader::new(Cursor::new(compressed.clone()), "book", None).unwrap();
            assert_eq!((book.format(), book.is_compressed()), (format, true));
            assert_eq!(positions(compressed), plain);
        }
    }
}

#[test]
fn compressed_files_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.egbk.zst");
    let source = || BookReader::open(data("egaroucid/games.egbk"), None).unwrap();
    let compression = Some(Compression {
        level: 19,
        threads: 2,
    });
    let header = source().header().clone();
    let mut writer = BookWriter::create(&path, Format::Egbk, &header, compression).unwrap();
    for position in source() {
        writer.write(&position.unwrap()).unwrap();
    }
    writer.finish().unwrap();
    let book = BookReader::open(&path, None).unwrap();
    assert_eq!((book.format(), book.is_compressed()), (Format::Egbk, true));
    assert!(book.map(Result::unwrap).eq(source().map(Result::unwrap)));
}

#[test]
fn cut_or_damaged_compressed_files_are_errors() {
    let whole = compress(&bytes("edax/games.prune.dat"));
    let ends_in_error = |bytes: Vec<u8>| match BookReader::new(Cursor::new(bytes), "book", None) {
        Ok(mut book) => book.any(|position| position.is_err()),
        Err(_) => true,
    };
    assert!(!ends_in_error(whole.clone()));
    for cut in 0..whole.len() {
        assert!(
            ends_in_error(whole[..cut].to_vec()),
            "cut after {cut} bytes"
        );
    }
    let mut tail = whole;
    tail.extend_from_slice(b"garbage");
    assert!(ends_in_error(tail));
}
