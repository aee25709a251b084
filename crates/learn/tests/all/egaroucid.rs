//! From the same start and with the same answers, obook makes the same book as Egaroucid, or a different one for a reason.
//! Egaroucid's questions and answers were recorded; `real` asks the real Egaroucid, if it is installed.

use super::grown::egaroucid::Case;
use super::grown::{Recorded, differences, read, read_answers};
use super::waves::choose;
use obook_graph::link::link;
use obook_graph::negamax::{Scoring, negamax};
use obook_learn::{Chosen, Played, Want};
use obook_othello::levels::is_solved;
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Move, Position};
use obook_testing::growing::Stage;
use obook_testing::random_book::{Book, graph_of};
use std::collections::BTreeSet;
use std::sync::Arc;

fn ours(case: &Case) -> Book {
    let recorded = Recorded {
        engine: Engine::Egaroucid,
        answers: Arc::new(read_answers(&case.answers())),
    };
    case.ours(&|| Box::new(recorded.clone()))
}

fn both(case: &Case) -> (Book, Book) {
    (ours(case), read(&case.after()))
}

#[test]
fn books_grow_as_egaroucid_grows_them() {
    for (case, _) in Case::all().filter(|(_, is_same)| *is_same) {
        let (before, theirs) = (read(&case.before()), read(&case.after()));
        assert!(before != theirs, "{case:?}");
        let differences = differences(&ours(&case), &theirs, 3);
        assert!(differences.is_empty(), "{case:?}: {differences:#?}");
    }
}

/// The wants of a case's rule for a book.
fn wanted(case: &Case, book: &Book) -> Vec<Chosen> {
    let scoring = Scoring::Egaroucid {
        edax_compliant: false,
    };
    let mut graph = graph_of(book.values().cloned());
    link(&mut graph).unwrap();
    negamax(&mut graph, scoring);
    let stage = Stage {
        root: Board::START.canonical(),
        scoring,
        depth: case.depth,
        level: case.level,
        engine: Engine::Egaroucid,
    };
    let played = Played::in_lines(case.told.games.clone());
    let setting = obook_learn::Setting {
        played: &played,
        ..stage.setting(0)
    };
    choose(&case.recipe().stages[0].rule, &graph, &setting)
}

/// The positions that differ between both books.
fn said_otherwise<'a>(
    ours: &'a Book,
    theirs: &'a Book,
) -> impl Iterator<Item = (&'a Position, &'a Position)> {
    let pairs = ours
        .iter()
        .filter_map(|(board, ours)| Some((ours, theirs.get(board)?)));
    pairs.filter(|(ours, theirs)| ours != theirs)
}

/// The positions of a book that another one lacks.
fn more(book: &Book, than: &Book) -> Vec<CanonicalBoard> {
    let boards = book.keys().filter(|board| !than.contains_key(board));
    boards.copied().collect()
}

/// The positions of a book that lead to a board.
fn parents(book: &Book, child: CanonicalBoard) -> Vec<CanonicalBoard> {
    let leads_there = |board: &&CanonicalBoard| {
        let mut children = board.board().children();
        children.any(|(_, it)| it.canonical() == child)
    };
    book.keys().filter(leads_there).copied().collect()
}

/// In Egaroucid's book a variation ends when it meets a position that an earlier one has just added. Here the order doesn't matter:
/// all questions are about the book before.
#[test]
fn variations_do_not_depend_on_each_other() {
    let in_turn = Case::named("in-turn");
    let before = read(&in_turn.before());
    let (ours, theirs) = both(&in_turn);
    assert!(theirs.keys().all(|board| ours.contains_key(board)));
    let [last] = more(&ours, &theirs)[..] else {
        panic!("one position more");
    };
    let [parent] = parents(&ours, last)[..] else {
        panic!("one way there");
    };
    assert!(!before.contains_key(&parent) && theirs.contains_key(&parent));
    let mut children = parent.board().children();
    let met = children.find(|(_, child)| theirs.contains_key(&child.canonical()));
    let (_, met) = met.expect("what the variation meets");
    assert!(!before.contains_key(&met.canonical()));
}

/// Egaroucid's second walk, in which White plays its best, stops at positions whose leaf the first walk has chosen. It misses a
/// leaf below, and the variation that begins there.
#[test]
fn each_side_has_a_walk_of_its_own() {
    let one_walk = Case::named("one-walk");
    let before = read(&one_walk.before());
    let (ours, theirs) = both(&one_walk);
    assert!(theirs.keys().all(|board| ours.contains_key(board)));
    let missed = more(&ours, &theirs);
    let wanted: Vec<CanonicalBoard> = wanted(&one_walk, &before)
        .iter()
        .map(|it| it.board)
        .filter(|board| missed.contains(board))
        .collect();
    assert_eq!((missed.len(), wanted.len()), (2, 1));
    let chosen = |board: &CanonicalBoard| {
        let leaf = before[board].leaf.and_then(|leaf| leaf.mv);
        let child = leaf.and_then(|mv| board.board().play(mv));
        child.is_some_and(|child| theirs.contains_key(&child.canonical()))
    };
    let [parent] = parents(&before, wanted[0])[..] else {
        panic!("one way there");
    };
    let above = parents(&before, parent);
    assert!(!above.is_empty() && above.iter().all(chosen), "{above:?}");
}

/// If the board is stored turned by a right angle, Egaroucid puts the leaf at the end of a variation on the wrong square, with the
/// score of the right one.
#[test]
fn leaves_are_on_their_squares() {
    let (ours, theirs) = both(&Case::named("turned"));
    let differ: Vec<_> = said_otherwise(&ours, &theirs).collect();
    let [(our, their)] = differ[..] else {
        panic!("{differ:#?}");
    };
    let (leaf, turned) = (our.leaf.unwrap(), their.leaf.unwrap());
    let half_a_turn = |mv: Move| Move::from_code(63 - mv.code());
    assert_eq!(turned.mv, half_a_turn(leaf.mv.unwrap()));
    let there = Leaf {
        mv: turned.mv,
        ..leaf
    };
    assert_eq!(turned, there);
    let lines: BTreeSet<_> = ours.keys().collect();
    assert_eq!(lines, theirs.keys().collect());
}

/// A leaf that became a link is replaced by a search of the same strength; Egaroucid's is two levels lower. (Missing leaves at the
/// end were searched at level 1 by hand.)
#[test]
fn lost_leaves_are_searched_as_well_as_they_were() {
    let (ours, theirs) = both(&Case::named("lower"));
    let levels = |book: &Book| -> BTreeSet<u8> {
        let leaves = book.values().filter_map(|it| it.leaf);
        leaves.filter_map(|leaf| leaf.level).collect()
    };
    assert_eq!(levels(&ours), BTreeSet::from([4]));
    assert_eq!(levels(&theirs), BTreeSet::from([1, 2, 4]));
}

/// Egaroucid searches solved leaves again at a higher level, which can't search more.
#[test]
fn solved_positions_are_not_recalculated() {
    let (ours, theirs) = both(&Case::named("numbers"));
    let differ: Vec<_> = said_otherwise(&ours, &theirs).collect();
    assert_eq!(differ.len(), 3);
    for (our, their) in differ {
        let empties = our.board.board().empties() as u8;
        assert!(is_solved(Engine::Egaroucid, 2, empties), "{our:?}");
        let same_level = Leaf {
            level: Some(2),
            ..their.leaf.unwrap()
        };
        assert_eq!(our.leaf, Some(same_level));
        assert_eq!(their.leaf.unwrap().level, Some(3));
    }
}

/// The smallest total loss of both sides on a line from one position to another, in discs.
fn least_loss(book: &Book, from: CanonicalBoard, to: CanonicalBoard) -> Option<i32> {
    if from == to {
        return Some(0);
    }
    let value = |board: &CanonicalBoard| book[board].value.map(i32::from);
    let children = from.board().children().map(|(_, child)| child.canonical());
    let known = children.filter(|child| book.contains_key(child));
    let losses = known.filter_map(|child| {
        let loss = value(&from)? + value(&child)?;
        Some(loss.max(0) + least_loss(book, child, to)?)
    });
    losses.min()
}

/// Two leaves are within the limit by one line, but not by the first one that Egaroucid follows.
#[test]
fn the_best_line_to_a_position_counts() {
    let first_path = Case::named("first-path");
    let before = read(&first_path.before());
    let (ours, theirs) = both(&first_path);
    let searched = |book: &Book| -> BTreeSet<CanonicalBoard> {
        let found = book
            .values()
            .filter(|it| it.leaf.is_some_and(|leaf| leaf.level == Some(2)));
        found.map(|it| it.board).collect()
    };
    let start = Board::START.canonical();
    let has_leaf = |board: &&CanonicalBoard| before[*board].leaf.is_some_and(|it| it.mv.is_some());
    let within = before
        .keys()
        .filter(has_leaf)
        .filter(|board| least_loss(&before, start, **board).is_some_and(|loss| loss <= 4));
    assert_eq!(searched(&ours), within.copied().collect());
    assert!(searched(&theirs).is_subset(&searched(&ours)));
    assert_eq!((searched(&ours).len(), searched(&theirs).len()), (25, 23));
}

/// The position after the best move may be worse than the search promised. Then another move is the best.
#[test]
fn the_best_move_of_what_is_stored_leads_to_a_position() {
    let store_once = Case::named("store-once");
    let (ours, theirs) = both(&store_once);
    assert!(theirs.keys().all(|board| ours.contains_key(board)));
    assert_eq!((ours.len(), theirs.len()), (9, 6));
    let is_expansion = |it: &Chosen| it.want == Want::Position;
    let left = wanted(&store_once, &theirs);
    assert!(!left.is_empty() && left.iter().all(is_expansion));
    assert_eq!(wanted(&store_once, &ours), []);
}
