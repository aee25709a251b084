//! Compressed books and snapshots. The first byte says what the rest is: a compressed file, a book file to compress, the contents
//! of a snapshot, or a snapshot.

use super::books::{invariants, told};
use obook::{Context, IfExists, restore};
use obook_base::compression::Compression;
use obook_converters::{BookReader, BookWriter, Header};
use obook_othello::Position;
use std::io::{Cursor, Read, Write};
use std::path::Path;

/// The number of bytes to read from a frame, which may decompress to a thousand times its size.
const MOST: usize = 20_000;

pub(crate) fn check(bytes: &[u8]) {
    let Some((choice, file)) = bytes.split_first() else {
        return;
    };
    match choice % 4 {
        0 => raw(file),
        1 => compressed(choice >> 2, file),
        2 => snapshot(&frames(choice >> 2, file)),
        _ => snapshot(file),
    }
}

/// Anything the decompressor returns is read or refused.
fn raw(file: &[u8]) {
    match BookReader::new(Cursor::new(file.to_vec()), "book", None) {
        Ok(book) => book.take(MOST).for_each(|position| match position {
            Ok(position) => invariants(&position),
            Err(error) => told(&error),
        }),
        Err(error) => told(&error),
    }
    let mut taken = Vec::new();
    if let Ok(input) = obook_base::compression::decompress(file) {
        // An error ends the input.
        let _ = input.take(1 << 20).read_to_end(&mut taken);
    }
}

/// A compressed book equals the uncompressed one.
fn compressed(how: u8, file: &[u8]) {
    // Only one level of compression is recognised.
    if let [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] | [0x1f, 0x8b, ..] =
        file
    {
        return;
    }
    let read = |bytes: Vec<u8>| {
        let book = BookReader::new(Cursor::new(bytes), "book", None);
        let book = book.map_err(|error| error.to_string())?;
        let format = book.format();
        let positions = book.map(|position| position.map_err(|error| error.to_string()));
        Ok::<_, String>((format, positions.collect::<Vec<Result<Position, String>>>()))
    };
    let plain = read(file.to_vec());
    assert_eq!(read(frames(how, file)), plain);
    let Ok((format, positions)) = plain else {
        return;
    };
    let positions: Vec<Position> = positions.into_iter().flatten().collect();
    let header = Header {
        count: Some(positions.len() as i64),
        ..Header::default()
    };
    let compression = Some(Compression {
        // Higher levels take hundreds of megabytes and add nothing.
        level: i32::from(how % 10),
        threads: 0,
    });
    let mut written = Vec::new();
    let Ok(mut writer) = BookWriter::new(&mut written, format, &header, compression) else {
        return;
    };
    for position in &positions {
        writer
            .write(position)
            .expect("what a format gave, it takes");
    }
    writer.finish().unwrap();
    let again = BookReader::new(Cursor::new(written), "book", Some(format)).unwrap();
    assert!(again.is_compressed());
    assert!(again.map(Result::unwrap).eq(positions));
}

/// The bytes in one or several frames, with anything that compressors may put in between.
fn frames(how: u8, bytes: &[u8]) -> Vec<u8> {
    let parts = usize::from(how % 3) + 1;
    let mut frames = Vec::new();
    for part in bytes.chunks(bytes.len() / parts + 1) {
        if how & 8 != 0 {
            // A skippable frame.
            frames.extend_from_slice(&[0x50 + how % 16, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2]);
        }
        let mut encoder = zstd::Encoder::new(Vec::new(), i32::from(how % 5)).unwrap();
        encoder.include_checksum(how & 16 != 0).unwrap();
        encoder.write_all(part).unwrap();
        frames.extend(encoder.finish().unwrap());
    }
    frames
}

/// A snapshot is restored completely or not at all.
fn snapshot(file: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("snapshot.zst");
    std::fs::write(&path, file).unwrap();
    let book = folder.path().join("restored.obook");
    let restored = restore(&path, &book, IfExists::Refuse, &Context::default());
    assert_eq!(book.exists(), restored.is_ok());
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1 + usize::from(restored.is_ok()), "{left:?}");
    if restored.is_ok() {
        assert!(obook::Book::open(Path::new(&book), &Context::default()).is_ok());
    }
}
