//! Adding and removing pass positions.

use obook_graph::Graph;
use obook_graph::link::link;
use obook_graph::passes::drop_passes;
use obook_othello::{Bounds, CanonicalBoard, Outcomes, Position};
use obook_testing::golden;
use obook_testing::random_book::{graph_of, recipes};
use obook_testing::slabs::restore_passes;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn records(graph: &Graph) -> Vec<Position> {
    graph.positions().collect()
}

/// The record of the other side's view.
fn turned(position: &Position) -> Position {
    let mut turned = Position::new(position.board.board().passed().canonical(), position.engine);
    turned.level = position.level;
    turned.value = position.value.map(|value| -value);
    turned.lines = position.lines;
    turned.bounds = position.bounds.map(|Bounds { lower, upper }| Bounds {
        lower: -upper,
        upper: -lower,
    });
    turned.outcomes = position.outcomes.map(
        |Outcomes {
             wins,
             draws,
             losses,
         }| Outcomes {
            wins: losses,
            draws,
            losses: wins,
        },
    );
    turned
}

/// Edax's book of whole games has 11 pass positions, and the position after 5 of the passes.
#[test]
fn edax_games_lose_their_passes() {
    let (_, positions) = golden::book("games.dat");
    let mut graph = graph_of(positions.iter().cloned());
    let (before, passing): (Vec<Position>, Vec<Position>) = positions
        .into_iter()
        .partition(|position| !position.board.board().must_pass());
    assert_eq!(passing.len(), 11);

    drop_passes(&mut graph).unwrap();
    assert_eq!(graph.len(), before.len() + 6);
    for position in &before {
        let id = graph.find(position.board).expect("it stays");
        assert_eq!(graph.position(id), *position);
    }
    let made = passing
        .iter()
        .filter(|position| position.links.is_empty())
        .map(turned);
    for position in made {
        assert_eq!(
            graph.position(graph.find(position.board).unwrap()),
            position
        );
    }

    // The pass positions that became the position after the pass are found again through their parents.
    let restored = restore_passes(&mut graph);
    assert_eq!(restored.len(), 11);
    assert!(restored.iter().all(|board| board.board().must_pass()));
    assert_eq!(graph.len(), before.len() + 6 + 11);
    assert_eq!(link(&mut graph).unwrap().removed, 0);
}

proptest! {
    #[test]
    fn no_pass_is_left_and_nothing_else_lost(recipe in recipes()) {
        let book = recipe.book();
        let mut graph = graph_of(book.values().cloned());
        let mut expected = BTreeSet::new();
        for (board, position) in &book {
            if !board.board().must_pass() {
                expected.insert(*board);
                continue;
            }
            expected.insert(turned(position).board);
        }
        let before = records(&graph);
        drop_passes(&mut graph).unwrap();
        let boards: BTreeSet<CanonicalBoard> = graph.positions().map(|position| position.board).collect();
        prop_assert_eq!(boards, expected);
        for position in before {
            let passing = position.board.board().must_pass();
            let after = if passing { turned(&position) } else { position };
            if !passing || !book.contains_key(&after.board) {
                let id = graph.find(after.board).unwrap();
                prop_assert_eq!(graph.position(id), after);
            }
        }
    }

    #[test]
    fn dropping_restored_passes_gives_the_book_back(recipe in recipes()) {
        let mut graph = graph_of(recipe.book_without_passes().into_values());
        let before = records(&graph);
        let restored = restore_passes(&mut graph);
        let (passes, finished): (Vec<CanonicalBoard>, Vec<CanonicalBoard>) =
            restored.into_iter().partition(|board| board.board().must_pass());
        prop_assert_eq!(graph.pass_ids().count(), passes.len());
        drop_passes(&mut graph).unwrap();
        let boards: BTreeSet<CanonicalBoard> = before.iter().map(|position| position.board).collect();
        let (kept, new): (Vec<Position>, Vec<Position>) =
            graph.positions().partition(|position| boards.contains(&position.board));
        prop_assert_eq!(kept, before);
        prop_assert_eq!(new.len(), finished.len());
        for position in new {
            let other = position.board.board().passed().canonical();
            let id = graph.find(other).unwrap();
            prop_assert!(position.board.board().is_over());
            prop_assert_eq!(position.value, graph.value(id).map(|value| -value));
        }
    }
}
