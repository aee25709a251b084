//! A conversion is an import and an export.

use crate::book_file::{by_egaroucid, write};
use obook::check::{FindingKind, verify};
use obook::write::export::{ExportOptions, Input, Output, export};
use obook::{Book, Context, IfExists};
use obook_converters::{BookWriter, Form, Format, Header};
use obook_graph::mapping::{Loss, Losses, MissingLeaf};
use obook_othello::Position;
use obook_testing::consistent_book::{closed, edax_book, records};
use obook_testing::golden::{book, golden};
use obook_testing::imported::import_file;
use obook_testing::random_book::recipes;
use proptest::prelude::*;
use std::fs;
use std::path::Path;

/// The result of an export, or its error: the number of positions, the losses, and the file.
type Written = Result<(u64, Losses, Vec<u8>), String>;

/// The date in Edax's header.
const DATE: std::ops::Range<usize> = 10..17;

fn written(book: &Path, format: Format) -> Written {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("written");
    let context = Context::new("test");
    let input = Input::open(book, None, &context).unwrap();
    let output = Output::File(file.clone(), IfExists::Refuse);
    let options = ExportOptions {
        missing_leaf: MissingLeaf::Demote,
        ..ExportOptions::new(format)
    };
    match export(input, &output, &options, &context) {
        Ok(report) => {
            let mut bytes = fs::read(file).unwrap();
            if format == Format::Edax {
                // The present time, if the source has none.
                bytes[DATE].fill(0);
            }
            Ok((report.positions, report.losses, bytes))
        }
        Err(error) => {
            let names = [book, &file].map(|path| path.display().to_string());
            Err(names
                .iter()
                .fold(error.to_string(), |text, name| text.replace(name, "")))
        }
    }
}

/// The finished games of a book.
fn finished(book: &Path) -> u64 {
    let context = Context::new("test");
    let book = Book::open(book, &context).unwrap();
    let over = |position: &Position| position.board.board().is_over();
    let positions = book.records().unwrap().map(Result::unwrap);
    positions.filter(over).count() as u64
}

/// Converts a file to every format, once without and once with a database between. Returns the files.
fn both_ways(file: &Path) -> Vec<(Format, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("book.obook");
    import_file(file, &database, &Context::new("test")).unwrap();
    let views = finished(&database) - finished(file);
    let mut files = Vec::new();
    for format in Format::WRITTEN {
        let (converted, exported) = (written(file, format), written(&database, format));
        if views > 0 && format.form().unwrap() == Form::Edax {
            assert_eq!(converted.is_ok(), exported.is_ok(), "{format:?}");
            if let (Ok(converted), Ok(exported)) = (converted, exported) {
                let more = exported.0 - converted.0;
                assert!(more <= views, "{format:?}: {more} of {views}");
            }
            continue;
        }
        let figures = |written: &Written| {
            written
                .clone()
                .map(|(positions, losses, file)| (positions, losses, file.len()))
        };
        assert_eq!(figures(&converted), figures(&exported), "{format:?}");
        assert!(converted == exported, "{format:?}");
        // A book of NTest without positions is not recognised.
        let some = converted.ok().filter(|(positions, ..)| *positions > 0);
        files.extend(some.map(|(_, _, bytes)| (format, bytes)));
    }
    files
}

#[test]
fn golden_files_are_converted_as_they_are_imported_and_exported() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let examples = ["ntest.book", "zebra.cmp", "sensei"].map(|name| examples.join(name));
    let books = [
        "games.dat",
        "edax/games.prune.dat",
        "egaroucid/games.egbk",
        "egaroucid/games.egbk2",
        "egaroucid/games.mixed.egbk3",
    ];
    for file in books.map(golden).into_iter().chain(examples) {
        assert_eq!(
            both_ways(&file).len(),
            Format::WRITTEN.len(),
            "{}",
            file.display()
        );
    }
}

/// A position that takes the place of a pass may lead to others: lines through it are counted.
#[test]
fn lines_are_those_of_the_format() {
    let context = Context::new("test");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.egbk3");
    for name in ["egaroucid/games.egbk", "egaroucid/games.egbk2"] {
        fs::write(&path, written(&golden(name), Format::Egbk3).unwrap().2).unwrap();
        let report = verify(&Book::open(&path, &context).unwrap(), 3, &context).unwrap();
        let mut groups = report.findings.iter();
        let wrong = groups.find(|group| group.kind == FindingKind::Lines);
        assert!(wrong.is_none(), "{name}: {wrong:?}");
    }
}

/// An Edax book whose header and numbers allow for different errors. A reader that ignores either finds other numbers.
#[test]
fn a_header_and_numbers_that_a_format_cannot_hold_are_counted() {
    let (header, positions) = book("games.dat");
    let header = Header {
        midgame_error: Some(5),
        ..header
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.dat");
    let mut writer = BookWriter::create(&path, Format::Edax, &header, None).unwrap();
    positions.iter().for_each(|it| writer.write(it).unwrap());
    writer.finish().unwrap();
    for format in Format::WRITTEN {
        let (_, losses, _) = written(&path, format).unwrap();
        let counts = |loss| losses.of(loss) > 0;
        let expected = match format {
            Format::Edax => [false, false],
            // It never had bounds.
            Format::Ntest => [true, false],
            _ => [true, true],
        };
        assert_eq!(
            [Loss::Header, Loss::Inconsistent].map(counts),
            expected,
            "{format:?}: {losses}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4, ..ProptestConfig::default() })]

    /// Law (From one format to another): A conversion equals an import and an export, byte for byte, in both games; but a
    /// database, and perhaps an Edax book, has finished games from both sides.
    /// Also: `golden_files_are_converted_as_they_are_imported_and_exported` `crates/shogi/tests/database/laws.rs`
    /// `a_conversion_is_an_import_and_an_export`
    #[test]
    fn a_conversion_is_an_import_and_an_export(recipe in recipes(), seed in any::<u64>()) {
        let folder = tempfile::tempdir().unwrap();
        let [edax, egaroucid] = ["book.dat", "book.egbk3"].map(|name| folder.path().join(name));
        write(&edax, Format::Edax, &records(&edax_book(&closed(&recipe), seed, seed % 2 == 0)));
        let nonsense: Vec<_> = recipe.book_without_passes().into_values().map(by_egaroucid).collect();
        write(&egaroucid, Format::Egbk3, &nonsense);
        let mut kinds = 0;
        for file in [&edax, &egaroucid] {
            for (format, bytes) in both_ways(file) {
                let again = folder.path().join(format!("again.{format:?}"));
                fs::write(&again, bytes).unwrap();
                kinds += 1;
                both_ways(&again);
            }
        }
        prop_assert!(kinds >= Format::WRITTEN.len(), "{kinds} files");
    }
}
