//! The difference of two books is that of two maps from boards to positions.

use crate::book_file::{self, by_egaroucid};
use obook::read::diff::{BookSide, Diff, Difference, DifferenceKind, Field, diff};
use obook::{Book, Context};
use obook_converters::{BookWriter, Format, Header};
use obook_othello::{Bounds, CanonicalBoard, Engine, Outcomes, Position};
use obook_testing::golden::golden;
use obook_testing::random_book;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Values by board.
type Values = BTreeMap<CanonicalBoard, i16>;

/// Writes an Edax book of positions without moves, so that nothing but their values can differ.
fn write(path: &Path, values: &Values) {
    let header = Header {
        level: Some(1),
        n_empties: Some(1),
        midgame_error: Some(1),
        endcut_error: Some(1),
        count: Some(values.len() as i64),
        ..Header::default()
    };
    let file = std::fs::File::create(path).unwrap();
    let mut writer = BookWriter::new(file, Format::Edax, &header, None).unwrap();
    for (board, value) in values {
        let position = Position {
            value: Some(*value),
            bounds: Some(Bounds { lower: 0, upper: 0 }),
            level: Some(1),
            outcomes: Some(Outcomes::default()),
            lines: Some(0),
            ..Position::new(*board, Engine::Edax)
        };
        writer.write(&position).unwrap();
    }
    writer.finish().unwrap();
}

fn differences(a: &Path, b: &Path) -> (Diff, Vec<Difference>) {
    differences_within(a, b, &Context::default())
}

fn differences_within(a: &Path, b: &Path, context: &Context) -> (Diff, Vec<Difference>) {
    let mut rows = Vec::new();
    let open = |path| Book::open(path, context).unwrap();
    let found = diff(open(a), open(b), &[], context, |row| {
        rows.push(row);
        Ok(())
    });
    (found.unwrap(), rows)
}

/// Compares two files, and reads both, with the usual memory and with almost none.
fn both_ways(a: &Path, b: &Path) -> (Diff, Vec<Difference>) {
    let little = Context::default().with_memory(1);
    let found = differences(a, b);
    assert_eq!(differences_within(a, b, &little), found);
    for file in [a, b] {
        assert_eq!(
            positions(file, &little),
            positions(file, &Context::default())
        );
    }
    found
}

fn positions(file: &Path, context: &Context) -> Vec<Position> {
    let mut positions = Vec::new();
    let book = Book::open(file, context).unwrap();
    book.each_position(context, |position| {
        positions.push(position);
        Ok(())
    })
    .unwrap();
    positions
}

#[test]
fn golden_files_are_compared_two_layers_at_a_time() {
    let names = [
        "games.dat",
        "egaroucid/games.mixed.egbk3",
        "egaroucid/games.egbk",
    ];
    for a in names {
        for b in names {
            let (found, rows) = both_ways(&golden(a), &golden(b));
            assert_eq!(found.is_empty(), a == b, "{a} {b}");
            assert_eq!(rows.is_empty(), a == b, "{a} {b}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// These files store no links.
    #[test]
    fn files_are_compared_two_layers_at_a_time(one in random_book::recipes(), other in random_book::recipes()) {
        let folder = tempfile::tempdir().unwrap();
        let [a, b] = ["a.egbk3", "b.egbk3"].map(|name| folder.path().join(name));
        for (file, recipe) in [(&a, one), (&b, other)] {
            let positions: Vec<Position> = recipe.book_without_passes().into_values().map(by_egaroucid).collect();
            book_file::write(file, Format::Egbk3, &positions);
        }
        both_ways(&a, &b);
    }
}

proptest! {
    /// Against the plain definition: two maps from boards to values.
    ///
    /// Law (Databases): `diff` equals the difference of two maps from boards to positions.
    #[test]
    fn differs_as_two_maps_do(
        picks in prop::collection::vec((any::<prop::sample::Index>(), 0..4u8, -64..=64i16, -64..=64i16), 1..60),
        recipe in random_book::recipes(),
    ) {
        let boards: Vec<_> = recipe.book().into_keys().collect();
        prop_assume!(!boards.is_empty());
        let (mut a, mut b) = (Values::new(), Values::new());
        for (pick, which, one, other) in picks {
            let board = *pick.get(&boards);
            if which != 1 {
                a.insert(board, one);
            }
            if which != 2 {
                b.insert(board, if which == 3 { one } else { other });
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("a.dat"), folder.path().join("b.dat"));
        write(&first, &a);
        write(&second, &b);
        let (found, rows) = differences(&first, &second);
        let only = |one: &Values, other: &Values| one.keys().filter(|board| !other.contains_key(*board)).count() as u64;
        let differing = a.iter().filter(|(board, value)| b.get(board).is_some_and(|other| other != *value)).count() as u64;
        prop_assert_eq!(found.only_a, only(&a, &b));
        prop_assert_eq!(found.only_b, only(&b, &a));
        prop_assert_eq!(found.differing, differing);
        prop_assert_eq!(found.fields.get(&Field::Value).copied().unwrap_or(0), differing);
        prop_assert!(rows.is_sorted_by_key(|row| row.board));
        prop_assert_eq!(rows.len() as u64, found.only_a + found.only_b + differing);

        let (back, mirrored) = differences(&second, &first);
        prop_assert_eq!((back.only_a, back.only_b, back.differing, back.equal), (found.only_b, found.only_a, found.differing, found.equal));
        for (row, mirror) in rows.iter().zip(&mirrored) {
            let swapped = match &row.kind {
                DifferenceKind::Only(BookSide::A) => DifferenceKind::Only(BookSide::B),
                DifferenceKind::Only(BookSide::B) => DifferenceKind::Only(BookSide::A),
                DifferenceKind::Changes(changes) => DifferenceKind::Changes(
                    changes.iter().cloned().map(|mut change| {
                        std::mem::swap(&mut change.a, &mut change.b);
                        change
                    }).collect(),
                ),
            };
            prop_assert_eq!(&mirror.kind, &swapped);
        }
        prop_assert!(differences(&first, &first).0.is_empty());
    }
}
