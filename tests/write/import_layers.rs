//! Files that don't fit in memory are imported two layers at a time, with the same result. Either way, the new database knows
//! whether it needs a fix.

use crate::book_file::{by_egaroucid, write};
use obook::write::export::{ExportOptions, Input, Output, export};
use obook::write::fix::{Steps, recompute};
use obook::write::import::Imported;
use obook::{Book, Context, IfExists, Store};
use obook_converters::Format;
use obook_othello::Position;
use obook_testing::book_rows::rows;
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

/// Imports a file, and looks whether the database is marked as fixed exactly if a fix would change nothing.
fn is_fixed(file: &Path) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.obook");
    let context = Context::new("test");
    import_file(file, &book, &context).unwrap();
    let marked = Store::open(&book, &context).unwrap().is_fixed().unwrap();
    let before = rows(&book);
    let mut store = Store::open_for_writing(&book, &context).unwrap();
    let fixed = recompute(&mut store, Steps::Fix { rules: None }).unwrap();
    let after = rows(&book);
    let unchanged = ["positions", "links", "leaves"]
        .iter()
        .all(|table| before[table] == after[table]);
    assert_eq!(unchanged, fixed.changed.any == 0);
    assert_eq!(marked, unchanged, "{fixed:?}");
    if marked {
        assert_eq!(before, after, "even the list of what to do");
    }
    marked
}

#[test]
fn golden_files_that_need_no_fix_are_known() {
    for (name, expected) in [
        ("games.dat", true),
        ("edax/games.prune.dat", true),
        ("egaroucid/games.mixed.egbk3", false),
        ("egaroucid/games.egbk", false),
    ] {
        assert_eq!(is_fixed(&golden(name)), expected, "{name}");
    }
}

#[test]
fn golden_files_are_completed_two_layers_at_a_time() {
    for name in [
        "games.dat",
        "small.dat",
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
    let (_, positions) = book("small.dat");
    write(&small, Format::Egbk3, &positions);
    assert!(both_ways(&small).rows.links > 9000);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// One wrong number in two thousand positions is enough.
    #[test]
    fn a_single_fault_is_noticed(seed: u64, fault in 0..6) {
        let (_, mut positions) = book("games.dat");
        let random = &mut Random(seed);
        let place = random.below(positions.len() as u64) as usize;
        let position = &mut positions[place];
        let is_inner = !position.links.is_empty();
        match fault {
            0 => {}
            1 => position.value = position.value.map(|value| value ^ 1),
            2 => position.lines = position.lines.map(|lines| lines + 1),
            3 => drop(position.links.pop()),
            4 => if let Some(link) = position.links.first_mut() {
                link.score = link.score.map(|score| score ^ 1);
            },
            _ => if let Some(bounds) = &mut position.bounds {
                bounds.upper ^= 1;
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("book.dat");
        write(&file, Format::Edax, &positions);
        prop_assert_eq!(is_fixed(&file), fault == 0 || !is_inner && matches!(fault, 3 | 4));
        both_ways(&file);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Of a random book hardly anything is right, until it is fixed.
    ///
    /// Law (Databases): An import is marked as fixed exactly if a fix would change nothing.
    /// Also: `a_single_fault_is_noticed` `golden_files_that_need_no_fix_are_known`
    #[test]
    fn fixed_books_are_known(recipe in recipes()) {
        let folder = tempfile::tempdir().unwrap();
        let [file, fixed, database] =
            ["book.egbk3", "fixed.egbk3", "book.obook"].map(|name| folder.path().join(name));
        let positions: Vec<Position> =
            recipe.book_without_passes().into_values().map(by_egaroucid).collect();
        write(&file, Format::Egbk3, &positions);
        is_fixed(&file);
        let context = Context::new("test");
        import_file(&file, &database, &context).unwrap();
        let mut store = Store::open_for_writing(&database, &context).unwrap();
        recompute(&mut store, Steps::Fix { rules: None }).unwrap();
        let input = Input::Book(Book::Database(store));
        let output = Output::File(fixed.clone(), IfExists::Refuse);
        export(input, &output, &ExportOptions::new(Format::Egbk3), &context).unwrap();
        is_fixed(&fixed);
        both_ways(&fixed);
    }

    /// Law (Databases): The amount of memory affects only time: no report, row or byte, in either game.
    /// Also: `tests/read/diff.rs` `files_are_compared_two_layers_at_a_time` `tests/write/fix_layers.rs`
    /// `random_books_are_fixed_two_layers_at_a_time` `tests/write/merge.rs` `an_increment_is_as_good_as_the_whole`
    /// `an_egaroucid_file_finds_its_place` `crates/graph/tests/slabs.rs` `slabs_become_edax_books`
    /// `slabs_become_egaroucid_books` `tests/write/export_slabs.rs` `golden_files_are_written_in_slabs`
    /// `databases_are_written_in_slabs` `tests/check_slabs.rs` `random_books_are_checked_in_slabs`
    /// `golden_files_and_their_databases_are_checked_in_slabs` `tests/write/cut_slabs.rs` `positions_are_marked_in_slabs`
    /// `databases_are_changed_in_slabs` `wild_databases_are_changed_in_slabs` `files_are_changed_in_slabs`
    /// `golden_books_are_cut_in_slabs` `crates/learn/tests/all/rules.rs` `the_amount_of_memory_changes_no_choice`
    /// `crates/learn/tests/all/run.rs` `the_amount_of_memory_changes_neither_the_book_nor_its_plan`
    /// `cli/tests/program/faults/in_files.rs` `every_command_does_the_same_in_files` `cli/tests/program/faults/mod.rs`
    /// `every_command_with_temporary_files_is_tried_there` `crates/shogi/tests/database/laws.rs` `memory_makes_no_difference`
    /// `cli/tests/program/expanding.rs` `a_large_book_of_shogi_needs_little_memory` `cli/tests/program/merge.rs`
    /// `the_report_does_not_depend_on_the_memory`
    #[test]
    fn random_files_are_linked_two_layers_at_a_time(one in recipes(), other in recipes()) {
        // The start of both books is the same: duplicates.
        let positions = one.book_without_passes().into_values().chain(other.book_without_passes().into_values());
        let positions: Vec<Position> = positions.map(by_egaroucid).collect();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("book.egbk3");
        write(&file, Format::Egbk3, &positions);
        both_ways(&file);
    }

    /// Law (Databases): The order of a file's records makes no difference, except that of equally good duplicates the last
    /// counts.
    /// Also: `cli/tests/program/round_trip.rs` `of_duplicate_boards_the_higher_level_stays_and_the_rest_is_counted`
    #[test]
    fn the_order_of_records_makes_no_difference(recipe in recipes(), seed: u64) {
        let mut positions: Vec<Position> =
            recipe.book_without_passes().into_values().map(by_egaroucid).collect();
        let folder = tempfile::tempdir().unwrap();
        let mut databases = Vec::new();
        for name in ["one", "other"] {
            let file = folder.path().join(format!("{name}.egbk3"));
            write(&file, Format::Egbk3, &positions);
            let database = folder.path().join(name);
            import_file(&file, &database, &Context::new("test")).unwrap();
            let said_of_the_book = |row: &String| !row.starts_with("(SELECT name");
            databases.push(all_rows(&database).into_iter().filter(said_of_the_book).collect::<Vec<_>>());
            Random(seed).shuffle(&mut positions);
        }
        prop_assert_eq!(&databases[0], &databases[1]);
    }
}
