//! A book that doesn't fit in memory is written with the same result.

use obook::write::export::{ExportOptions, Exported, Input, Output, export};
use obook::{Context, IfExists};
use obook_base::compression::Compression;
use obook_converters::{BookReader, Format, Header};
use obook_graph::mapping::MissingLeaf;
use obook_othello::Position;
use obook_testing::golden::golden;
use obook_testing::imported::import_file;
use std::path::Path;

/// Writes a book to a file. Returns the report, and the header and positions of the file.
fn written(
    book: &Path,
    options: &ExportOptions,
    context: &Context,
) -> (Exported, Header, Vec<Position>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("written");
    let input = Input::open(book, None, context).unwrap();
    let output = Output::File(file.clone(), IfExists::Refuse);
    let exported = export(input, &output, options, context).unwrap();
    let reader = BookReader::open(&file, Some(options.format)).unwrap();
    let header = Header {
        // The present time, if the source has none.
        date: None,
        ..reader.header().clone()
    };
    let positions = reader.collect::<Result<_, _>>().unwrap();
    (exported, header, positions)
}

/// Writes a book in all formats with the usual memory and with almost none, and compares.
fn both_ways(book: &Path) {
    for format in Format::WRITTEN {
        let options = ExportOptions {
            missing_leaf: MissingLeaf::Demote,
            compression: (format == Format::Egbk3).then(Compression::default),
            ..ExportOptions::new(format)
        };
        let whole = written(book, &options, &Context::new("test"));
        let slabs = written(book, &options, &Context::new("test").with_memory(1));
        assert!(whole.0.positions > 50, "{:?}", whole.0);
        assert!(slabs == whole, "{}: {format:?}", book.display());
    }
}

#[test]
fn golden_files_are_written_in_slabs() {
    for name in [
        "games.dat",
        "edax/games.prune.dat",
        "egaroucid/games.egbk",
        "egaroucid/games.egbk2",
        "egaroucid/games.mixed.egbk3",
    ] {
        both_ways(&golden(name));
    }
}

#[test]
fn databases_are_written_in_slabs() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["games.dat", "egaroucid/games.mixed.egbk3"] {
        let book = folder.path().join("book.obook");
        import_file(&golden(name), &book, &Context::new("test")).unwrap();
        both_ways(&book);
    }
}
