//! Editing a book: its ancestors follow.

use obook::write::edit::{Edit, edit};
use obook::{Context, Store};
use obook_testing::book_rows::rows;
use obook_testing::imported::{fix, imported, line};
use proptest::prelude::*;
use std::path::Path;

fn writing(book: &Path) -> Store {
    Store::open_for_writing(book, &Context::new("test")).unwrap()
}

/// After any edits, the book equals a fixed one, and after removing them the original. Returns the number of positions
/// with entered values.
fn follow(edits: Vec<(Vec<usize>, i8)>) -> usize {
    let (_folder, book) = imported("games.dat");
    fix(&book);
    let before = rows(&book);
    let mut entered = Vec::new();
    for (choices, value) in edits {
        let line = line(&book, &choices);
        if line.board().is_over() || entered.contains(&line.board().canonical()) {
            continue;
        }
        entered.push(line.board().canonical());
        let done = edit(&mut writing(&book), &line, Edit::Enter(value)).unwrap();
        assert_eq!(done.after, Some(value.into()));
        assert_eq!(fix(&book), 0);
    }
    for _ in &entered {
        writing(&book).undo().unwrap();
    }
    assert_eq!(rows(&book), before);
    entered.len()
}

/// One position above another, and an unrelated one.
#[test]
fn ancestors_follow_three_edits() {
    let edits = [(vec![0; 9], 40), (vec![0; 4], -64), (vec![1; 12], 3)];
    assert_eq!(follow(edits.into()), 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Law (Changes): All ancestors follow an edit, and removing it restores the book.
    /// Also: `cli/tests/program/edit.rs` `a_value_is_entered_and_taken_back`
    #[test]
    fn ancestors_follow(edits in prop::collection::vec((prop::collection::vec(0..4usize, 0..30), -64..=64i8), 1..4)) {
        follow(edits);
    }
}
