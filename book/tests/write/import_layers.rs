//! For book files without links that don't fit in memory, links are found two layers at a time, with the same result.

use obook_book::Context;
use obook_book::write::import::Imported;
use obook_converters::{BookWriter, Format, Header};
use obook_model::{Engine, Leaf, Position};
use obook_testing::golden::{book, golden};
use obook_testing::imported::import_file;
use obook_testing::random_book::{Random, recipes};
use proptest::prelude::*;
use rusqlite::Connection;
use std::path::Path;

/// Imports a file with the usual memory and with almost none, and compares.
fn both_ways(file: &Path) -> Imported {
    let folder = tempfile::tempdir().unwrap();
    let [whole, layered] = ["whole", "layered"].map(|name| folder.path().join(name));
    let imported = import_file(file, &whole, &Context::new("test")).unwrap();
    let by_layers = import_file(file, &layered, &Context::new("test").with_memory(1));
    assert_eq!(by_layers.unwrap(), imported);
    assert_eq!(all_rows(&layered), all_rows(&whole));
    imported
}

/// Every row in the order of its table.
fn all_rows(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let mut all = Vec::new();
    for table in [
        "book",
        "positions",
        "links",
        "leaves",
        "todo",
        "(SELECT name, sha256, positions, links, leaves, duplicates FROM sources)",
    ] {
        let mut statement = connection
            .prepare(&format!("SELECT * FROM {table}"))
            .unwrap();
        let width = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let cells = (0..width).map(|at| format!("{:?}", row.get_ref(at).unwrap()));
            all.push(format!("{table} {}", cells.collect::<Vec<_>>().join(" ")));
        }
    }
    all
}

#[test]
fn golden_files_are_linked_two_layers_at_a_time() {
    for name in [
        "edax/small.txt",
        "egaroucid/games.egbk",
        "egaroucid/games.egbk2",
        "egaroucid/games.mixed.egbk3",
    ] {
        let imported = both_ways(&golden(name));
        assert!(imported.rows.links > 2000, "{name}: {imported:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let small = folder.path().join("small.egbk3");
    let (_, positions) = book("edax/small.dat");
    write(&small, &positions);
    assert!(both_ways(&small).rows.links > 9000);
}

/// A position as Egaroucid would have written it.
fn by_egaroucid(position: Position) -> Position {
    let engine = Engine::Egaroucid;
    Position {
        engine,
        leaf: position.leaf.map(|leaf| Leaf { engine, ..leaf }),
        ..position
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn random_files_are_linked_two_layers_at_a_time(one in recipes(), other in recipes()) {
        // The start of both books is the same: duplicates.
        let positions = one.book_without_passes().into_values().chain(other.book_without_passes().into_values());
        let positions: Vec<Position> = positions.map(by_egaroucid).collect();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("book.egbk3");
        write(&file, &positions);
        both_ways(&file);
    }

    /// Of duplicates with the same strength the last one counts, so there are none here.
    #[test]
    fn the_order_of_records_makes_no_difference(recipe in recipes(), seed: u64) {
        let mut positions: Vec<Position> =
            recipe.book_without_passes().into_values().map(by_egaroucid).collect();
        let folder = tempfile::tempdir().unwrap();
        let mut databases = Vec::new();
        for name in ["one", "other"] {
            let file = folder.path().join(format!("{name}.egbk3"));
            write(&file, &positions);
            let database = folder.path().join(name);
            import_file(&file, &database, &Context::new("test")).unwrap();
            let said_of_the_book = |row: &String| !row.starts_with("(SELECT name");
            databases.push(all_rows(&database).into_iter().filter(said_of_the_book).collect::<Vec<_>>());
            Random(seed).shuffle(&mut positions);
        }
        prop_assert_eq!(&databases[0], &databases[1]);
    }
}

fn write(file: &Path, positions: &[Position]) {
    let header = Header {
        count: Some(positions.len() as i64),
        ..Header::default()
    };
    let mut writer = BookWriter::create(file, Format::Egbk3, &header, None).unwrap();
    positions
        .iter()
        .for_each(|position| writer.write(position).unwrap());
    writer.finish().unwrap();
}
