//! Books that don't fit in memory are fixed two layers at a time, with the same result.

use obook::write::fix::{Recomputed, Steps, recompute};
use obook::{BookHeader, Context, IfExists, NewBook, Store};
use obook_converters::Header;
use obook_othello::{Position, RuleSet};
use obook_testing::book_rows::rows;
use obook_testing::imported::imported;
use obook_testing::random_book::recipes;
use proptest::prelude::*;
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::path::Path;

/// Changes a book with the usual memory and with almost none, and compares. Returns the result.
fn both_ways(book: &Path, steps: Steps) -> Recomputed {
    let other = book.with_extension("other");
    std::fs::copy(book, &other).unwrap();
    let recompute = |book: &Path, memory| {
        recompute(
            &mut Store::open_for_writing(book, &Context::new("test").with_memory(memory)).unwrap(),
            steps,
        )
        .unwrap()
    };
    let (whole, layered) = (recompute(book, u64::MAX), recompute(&other, 1));
    assert_eq!(layered, whole);
    assert_eq!(rows(&other), rows(book));
    // A second run has nothing to do.
    let bytes = std::fs::read(&other).unwrap();
    let again = recompute(&other, 1);
    if matches!(steps, Steps::Fix { .. }) {
        assert_eq!(again.changed.any, 0, "{again:?}");
        assert_eq!(std::fs::read(&other).unwrap(), bytes);
    }
    whole
}

/// Few changes, many changes, and all kinds of damage.
const DAMAGE: [&str; 7] = [
    "",
    "UPDATE positions SET value = 7 WHERE empties = 53",
    "UPDATE positions SET value = -7, lower = 60, upper = -60, wins = 1, draws = 2, losses = 3, lines = 4;
     UPDATE links SET score = -score - 9;",
    "DELETE FROM links",
    "DELETE FROM positions WHERE empties = 54",
    "UPDATE leaves SET score = score + 40 WHERE move IS NULL;
     DELETE FROM leaves WHERE score < -20;
     INSERT INTO links VALUES (zeroblob(16), 3, 4);",
    "UPDATE OR IGNORE positions SET board = CAST(substr(board, 9) || substr(board, 1, 8) AS BLOB)
     WHERE empties BETWEEN 53 AND 54;
     UPDATE positions SET level = 700 WHERE empties = 55;
     UPDATE OR IGNORE links SET move = 64 WHERE move = 19;",
];

#[test]
fn golden_books_are_fixed_two_layers_at_a_time() {
    for name in ["games.dat", "small.dat", "egaroucid/games.mixed.egbk3"] {
        for damage in DAMAGE {
            let (_folder, book) = imported(name);
            Connection::open(&book)
                .unwrap()
                .execute_batch(damage)
                .unwrap();
            let report = both_ways(&book, Steps::Fix { rules: None });
            assert!(report.positions > 2000);
            if !damage.is_empty() {
                assert!(
                    report.changed.any > 0 || !report.repaired.is_empty(),
                    "{damage}: {report:?}"
                );
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn random_books_are_fixed_two_layers_at_a_time(recipe in recipes(), rules in 0..3usize, only_link in any::<bool>()) {
        let rules = [RuleSet::Edax, RuleSet::Egaroucid, RuleSet::EgaroucidEdax][rules];
        let book = if rules == RuleSet::Edax { recipe.book() } else { recipe.book_without_passes() };
        let mut positions: Vec<Position> = book.into_values().collect();
        for position in &mut positions {
            // A table has no move twice.
            let mut met = BTreeSet::new();
            position.links.retain(|link| met.insert(link.mv));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        let new = NewBook::create(&path, IfExists::Refuse, &Context::new("import")).unwrap();
        new.fill(|| Ok(positions.iter().cloned().map(Ok))).unwrap();
        let header = BookHeader { rules, format: None, header: Header::default() };
        new.set_header(&header).unwrap();
        new.commit(&()).unwrap();
        let steps = if only_link { Steps::Link } else { Steps::Fix { rules: None } };
        let done = both_ways(&path, steps);
        // Random numbers and links are wrong. At least the finished games will get a value.
        prop_assert!(positions.len() < 10 || done.changed.any > 0, "{done:?}");
    }
}
