//! From the same start and with the same answers, obook makes the same book as Edax. Edax's questions and answers were recorded;
//! `real` asks the real Edax, if it is installed.

use super::grown::edax::Case;
use super::grown::{Recorded, differences, read, read_answers};
use super::waves::choose;
use obook_graph::negamax::Scoring;
use obook_learn::{Chosen, Correction};
use obook_othello::{Board, Engine};
use obook_testing::golden;
use obook_testing::growing::Stage;
use obook_testing::random_book::{Book, graph_of};
use std::sync::Arc;

fn ours(case: &Case) -> Book {
    grown(case).0
}

fn grown(case: &Case) -> (Book, Vec<Correction>) {
    let recorded = Recorded {
        engine: Engine::Edax,
        answers: Arc::new(read_answers(&case.answers())),
    };
    case.ours(&|| Box::new(recorded.clone()))
}

/// Law (Rules of growth): From the same start and answers, a rule grows the engine's book, number by number.
/// Also: `crates/learn/tests/all/egaroucid.rs` `books_grow_as_egaroucid_grows_them` `crates/learn/tests/all/real/edax.rs`
/// `books_and_answers_are_those_that_were_recorded` `crates/learn/tests/all/real/egaroucid.rs`
/// `books_and_answers_are_those_that_were_recorded`
#[test]
fn books_grow_as_edax_grows_them() {
    for (case, _) in Case::all().filter(|(_, is_same)| *is_same) {
        let (before, theirs) = (read(&case.before()), read(&case.after()));
        assert!(before != theirs, "{case:?}");
        let differences = differences(&ours(&case), &theirs, 3);
        assert!(differences.is_empty(), "{case:?}: {differences:#?}");
    }
}

/// Two leaves were made wrong by hand, by 4 and by −6 discs.
///
/// Law (Rules of growth): A proven score that is wrong is corrected and reported.
#[test]
fn corrected_scores_are_reported() {
    let (book, corrections) = grown(&Case::named("correct"));
    let mut by: Vec<i8> = corrections.iter().map(|it| it.before - it.after).collect();
    by.sort_unstable();
    assert_eq!(by, [-6, 4]);
    for correction in corrections {
        let board: Board = correction.board.parse().unwrap();
        let leaf = book[&board.canonical()].leaf.unwrap();
        assert_eq!(leaf.score, correction.after);
    }
}

/// The wants of a case's rule for a book, in its first two turns.
fn wanted(case: &Case, book: &Book) -> Vec<Chosen> {
    let book = graph_of(book.values().cloned());
    let stage = Stage {
        root: Board::START.canonical(),
        scoring: Scoring::Edax {
            midgame_error: 2,
            endcut_error: 1,
        },
        depth: case.depth,
        level: case.level,
        engine: Engine::Edax,
    };
    let rule = &case.recipe().stages[0].rule;
    let of_turn = |turn| choose(rule, &book, &stage.setting(turn));
    (0..2).flat_map(of_turn).collect()
}

/// After the pass in which one side may err, Edax does the pass for the other side with the old values. So it expands leaves
/// that no line within the limits reaches any more.
///
/// Law (Rules of growth): Each defect of Edax or Egaroucid that obook avoids has a case in which the books differ.
/// Also: `enhance_goes_on_until_nothing_is_left` `enhance_leaves_the_errors_of_the_book_alone` `deepen_makes_leaves_deeper`
/// `crates/learn/tests/all/egaroucid.rs` `variations_do_not_depend_on_each_other` `each_side_has_a_walk_of_its_own`
/// `leaves_are_on_their_squares` `lost_leaves_are_searched_as_well_as_they_were` `solved_positions_are_not_recalculated`
/// `the_best_line_to_a_position_counts` `the_best_move_of_what_is_stored_leads_to_a_position`
#[test]
fn each_turn_of_deviate_sees_the_values_as_they_are() {
    let stale = Case::named("stale");
    let (ours, theirs) = (ours(&stale), read(&stale.after()));
    assert!(ours.keys().all(|board| theirs.contains_key(board)));
    assert_eq!((ours.len(), theirs.len()), (13, 14));
    assert_eq!(wanted(&stale, &ours), []);
}

/// Edax counts the new positions before it adds them, so it always ends after one pass.
#[test]
fn enhance_goes_on_until_nothing_is_left() {
    let one_pass = Case::named("one-pass");
    let (ours, theirs) = (ours(&one_pass), read(&one_pass.after()));
    assert!(theirs.keys().all(|board| ours.contains_key(board)));
    assert_eq!(
        (theirs.len(), wanted(&one_pass, &theirs).len() > 1),
        (2, true)
    );
    assert_eq!((ours.len() > 2, wanted(&one_pass, &ours)), (true, vec![]));
}

/// Edax's `enhance` stores its errors in the book, which changes all bounds.
#[test]
fn enhance_leaves_the_errors_of_the_book_alone() {
    let errors = Case::named("errors");
    let (header, _) = golden::book("learn/edax/errors.dat");
    assert_eq!(
        (header.midgame_error, header.endcut_error),
        (Some(3), Some(2))
    );
    let (ours, mut theirs) = (ours(&errors), read(&errors.after()));
    assert!(ours != theirs);
    for (board, position) in &mut theirs {
        let bounds = position.bounds.as_mut().unwrap();
        (bounds.lower, bounds.upper) = (bounds.lower + 1, bounds.upper - 1);
        assert_eq!(Some(&*position), ours.get(board));
    }
}

/// Edax searches leaves whose level differs from the book's again at their own level, so nothing gets deeper.
#[test]
fn deepen_makes_leaves_deeper() {
    let same_level = Case::named("same-level");
    let (before, theirs) = (read(&same_level.before()), read(&same_level.after()));
    let levels = |book: &Book| -> Vec<Option<u8>> {
        let leaves = book.values().filter_map(|it| it.leaf);
        leaves.map(|leaf| leaf.level).collect()
    };
    assert_eq!(levels(&theirs), levels(&before));
    assert!(levels(&theirs).iter().all(|level| *level == Some(2)));
    let ours = ours(&same_level);
    assert_eq!(levels(&ours), vec![Some(4); levels(&before).len()]);
    assert_eq!(wanted(&same_level, &ours), []);
}
