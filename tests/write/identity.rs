//! The law: converting a format to itself changes no byte of a file in canonical order (canonical boards, sorted by key,
//! links best first, equally good ones by move). Any other file comes out in this order, but otherwise unchanged, except that a
//! file of `.egbk2` gets the links that it lacks. Data that a database keeps survives a round trip.

use obook::write::export::{ExportOptions, Input, Output, export};
use obook::{Context, IfExists};
use obook_base::compression::{Compression, decompress};
use obook_converters::{
    BookHeader, BookReader, BookRecord, Format, Header, Reader, StoredLinks, Writer, edax,
    edax_text, egbk, egbk2, egbk3,
};
use obook_graph::mapping::Loss;
use obook_needs::needs;
use obook_othello::{Board, CanonicalBoard, Move, Position};
use obook_testing::golden::{EDAX_BOOKS, LARGE_EDAX_BOOK, golden};
use obook_testing::imported::import_file;
use obook_testing::moves_out::moves_out;
use obook_testing::random_book::{Random, recipes};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Egaroucid's books.
const EGAROUCID_BOOKS: [&str; 3] = [
    "egaroucid/games.egbk",
    "egaroucid/games.egbk2",
    "egaroucid/games.mixed.egbk3",
];
/// Golden files that are too large for `tests/data`.
const LARGE_BOOKS: [&str; 5] = [
    LARGE_EDAX_BOOK,
    "edax/small.txt",
    "egaroucid/small.egbk",
    "egaroucid/small.egbk2",
    "egaroucid/small.mixed.egbk3",
];

/// A book's bytes and format.
fn bytes_of(path: &Path) -> (Vec<u8>, Format) {
    let format = BookReader::open(path, None).unwrap().format();
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).unwrap();
    std::io::Read::read_to_end(&mut decompress(file).unwrap(), &mut bytes).unwrap();
    (bytes, format)
}

/// The same book in canonical order: each record as it was, unless its board has to be turned.
fn in_order(bytes: &[u8], format: Format) -> Vec<u8> {
    match format {
        Format::Edax => sorted::<edax::Record>(bytes),
        Format::EdaxText => sorted::<edax_text::Record>(bytes),
        Format::Egbk3 => sorted::<egbk3::Record>(bytes),
        Format::Egbk2 => sorted::<egbk2::Record>(bytes),
        Format::Egbk => sorted::<egbk::Record>(bytes),
        _ => unreachable!("no such book is converted here"),
    }
}

fn sorted<T: BookRecord>(bytes: &[u8]) -> Vec<u8> {
    let reader = Reader::<_, T>::new(bytes).unwrap();
    let header = reader.header().clone();
    let mut records = BTreeMap::new();
    for record in reader {
        let record = record.unwrap();
        let (player, opponent) = record.discs();
        let board = Board::new(player, opponent).unwrap();
        let record = match CanonicalBoard::new(board) {
            // Engines leave the order of equally good links open.
            Some(_) if T::FORMAT.holds().links == StoredLinks::None => record,
            _ => {
                let mut position = record.check().unwrap();
                position.sort_links();
                T::from_position(&position).unwrap()
            }
        };
        let twice = records.insert(board.canonical(), record);
        assert!(twice.is_none(), "{} twice", board.to_text());
    }
    assert!(
        header
            .promised()
            .is_none_or(|count| count == records.len() as i64)
    );
    let mut writer = Writer::<_, T>::new(Vec::new(), header).unwrap();
    records
        .values()
        .for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap()
}

/// A copy of an `.egbk2` file without the links that the file lacks. The releases that wrote this format left some out.
fn without_other_links(copy: &[u8], file: &[u8]) -> Vec<u8> {
    let read = |bytes| Reader::<_, egbk2::Record>::new(bytes).unwrap();
    let mut writer = Writer::<_, egbk2::Record>::new(Vec::new(), *read(file).header()).unwrap();
    for (copied, record) in read(copy).zip(read(file)) {
        let (mut copied, record) = (copied.unwrap(), record.unwrap());
        copied.links.retain(|link| record.links.contains(link));
        writer.write(&copied).unwrap();
    }
    writer.finish().unwrap()
}

/// Converts the file.
fn converted(from: &Path, to: Format) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("converted");
    let input = Input::open(from, None, &Context::default()).unwrap();
    let output = Output::File(path.clone(), IfExists::Refuse);
    let done = export(input, &output, &ExportOptions::new(to), &Context::default()).unwrap();
    assert!(
        done.losses.is_empty(),
        "{}: {}",
        from.display(),
        done.losses
    );
    std::fs::read(path).unwrap()
}

/// Imports the file and exports the database.
fn through_a_database(from: &Path, to: Format) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("book.obook");
    import_file(from, &database, &Context::new("import")).unwrap();
    converted(&database, to)
}

/// The number of different bytes, or more than there are if the lengths differ.
fn differing(one: &[u8], other: &[u8]) -> usize {
    let bytes = one
        .iter()
        .zip(other)
        .filter(|(one, other)| one != other)
        .count();
    if one.len() == other.len() {
        bytes
    } else {
        bytes + one.len().max(other.len())
    }
}

/// Header and positions, with equally good links sorted by move.
fn contents(path: &Path) -> (Header, Vec<Position>) {
    let book = BookReader::open(path, None).unwrap();
    let header = book.header().clone();
    let in_order = |position: Result<Position, _>| {
        let mut position = position.unwrap();
        position.sort_links();
        position
    };
    (header, book.map(in_order).collect())
}

fn assert_identity(name: &str) {
    let (bytes, format) = bytes_of(&golden(name));
    let expected = in_order(&bytes, format);
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let (as_it_is, ordered) = (write("as-it-is", &bytes), write("ordered", &expected));
    let found = [&as_it_is, &ordered].map(|path| {
        let copy = converted(path, format);
        match format {
            Format::Egbk2 => {
                let copied = write("copy", &copy);
                assert_eq!(differing(&converted(&copied, format), &copy), 0, "{name}");
                differing(&without_other_links(&copy, &expected), &expected)
            }
            _ => differing(&copy, &expected),
        }
    });
    assert_eq!(found, [0; 2], "{name}, converted");
    // A database keeps the data of Edax and of the current Egaroucid.
    if matches!(format, Format::Edax | Format::Egbk3) {
        let back = write("back", &through_a_database(&ordered, format));
        assert_eq!(
            contents(&back),
            contents(&ordered),
            "{name}, through a database"
        );
    }
}

/// Law (From one format to another): Converting a format to itself changes nothing, also through a database; an `.egbk2` file
/// only gets missing links.
/// Also: `edax_text_to_itself_is_the_identity` `random_books_come_back`
#[test]
fn every_format_to_itself_is_the_identity() {
    for name in EDAX_BOOKS.into_iter().chain(EGAROUCID_BOOKS) {
        assert_identity(name);
    }
}

#[needs(large_books)]
#[test]
fn every_format_to_itself_is_the_identity_for_large_books() {
    LARGE_BOOKS.into_iter().for_each(assert_identity);
}

/// The text of a small book. The golden text files are large.
#[test]
fn edax_text_to_itself_is_the_identity() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.txt");
    // The text has no header, so this book's is lost.
    let input = Input::open(&golden("games.dat"), None, &Context::default()).unwrap();
    let output = Output::File(path.clone(), IfExists::Refuse);
    let options = ExportOptions::new(Format::EdaxText);
    let done = export(input, &output, &options, &Context::default()).unwrap();
    assert!(done.losses.iter().all(|(loss, _)| loss == Loss::Header));
    let text = std::fs::read(&path).unwrap();
    assert_eq!(differing(&in_order(&text, Format::EdaxText), &text), 0);
    assert_eq!(differing(&converted(&path, Format::EdaxText), &text), 0);
}

/// In compressed files the contents are the same, but the frame depends on the compressor.
#[test]
fn a_compressed_copy_holds_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.egbk3.zst");
    let (bytes, format) = bytes_of(&golden("egaroucid/games.mixed.egbk3"));
    let options = ExportOptions {
        compression: Some(Compression::default()),
        ..ExportOptions::new(format)
    };
    let input = Input::open(
        &golden("egaroucid/games.mixed.egbk3"),
        None,
        &Context::default(),
    )
    .unwrap();
    let output = Output::File(path.clone(), IfExists::Refuse);
    export(input, &output, &options, &Context::default()).unwrap();
    assert_eq!(differing(&bytes_of(&path).0, &in_order(&bytes, format)), 0);
}

/// Random records of an Egaroucid book as no engine would write them, with leaves and both marks of missing ones anywhere.
fn nonsense_egbk3(
    boards: impl IntoIterator<Item = CanonicalBoard>,
    seed: u64,
) -> Vec<egbk3::Record> {
    let random = &mut Random(seed);
    let score = |random: &mut Random| (random.below(129) as i16 - 64) as i8;
    let boards: BTreeSet<CanonicalBoard> = boards.into_iter().collect();
    let record = |board: &CanonicalBoard| {
        let moves: Vec<u8> = moves_out(board.board(), &boards).map(Move::code).collect();
        let mut record = egbk3::Record {
            player: board.board().player(),
            opponent: board.board().opponent(),
            value: score(random),
            level: random.below(61) as i8,
            lines: random.below(1 << 32) as u32,
            leaf_move: [65, 125][random.below(2) as usize],
            ..egbk3::Record::default()
        };
        if !moves.is_empty() && random.below(3) == 0 {
            record.leaf_move = moves[random.below(moves.len() as u64) as usize];
            record.leaf_value = score(random);
            record.leaf_level = random.below(61) as i8;
        }
        record
    };
    boards.iter().map(record).collect()
}

fn bytes(records: &[egbk3::Record]) -> Vec<u8> {
    let header = egbk3::Header {
        count: records.len() as i32,
    };
    let mut writer = egbk3::Writer::new(Vec::new(), header).unwrap();
    records
        .iter()
        .for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap()
}

fn records(bytes: &[u8]) -> Vec<egbk3::Record> {
    egbk3::Reader::new(bytes)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Copies and databases keep a file's marks of missing leaves. Both also hold finished games from the side whose turn it
    /// would be.
    #[test]
    fn random_books_come_back(recipe in recipes(), seed in any::<u64>()) {
        let book = nonsense_egbk3(recipe.book_without_passes().into_keys(), seed);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.egbk3");
        std::fs::write(&path, bytes(&book)).unwrap();
        let known: BTreeSet<(u64, u64)> = book.iter().map(BookRecord::discs).collect();
        for copy in [converted(&path, Format::Egbk3), through_a_database(&path, Format::Egbk3)] {
            let mut back = records(&copy);
            back.retain(|record| {
                let (player, opponent) = record.discs();
                known.contains(&(player, opponent)) || !Board::new(player, opponent).unwrap().is_over()
            });
            prop_assert_eq!(&back, &book);
        }
    }
}
