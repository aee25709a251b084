//! A graph has the positions and links that were put in.

use obook_graph::Graph;
use obook_othello::{Board, CanonicalBoard, Engine, Position};
use obook_testing::plain_level::plain_strength;
use obook_testing::random_book::{Book, Random, recipes};
use proptest::prelude::*;
use std::cmp::Reverse;

fn graph_of(positions: impl IntoIterator<Item = Position>) -> (Graph, u64) {
    let mut builder = Graph::builder();
    positions
        .into_iter()
        .for_each(|position| builder.push(position));
    builder.finish().unwrap()
}

/// Sorts links as [`Graph::positions`] does.
fn best_link_first(mut position: Position) -> Position {
    position.links.sort_by_key(|link| Reverse(link.score));
    position
}

fn strength(position: &Position) -> impl Ord + use<> {
    let empties = position.board.board().empties() as u8;
    plain_strength(position.engine, position.level, empties)
}

proptest! {
    #[test]
    fn records_come_back_sorted_and_unchanged(recipe in recipes(), seed in any::<u64>()) {
        let book = recipe.book();
        let mut positions: Vec<Position> = book.values().cloned().collect();
        Random(seed).shuffle(&mut positions);
        let (graph, duplicates) = graph_of(positions);
        let expected: Vec<Position> = book.values().cloned().map(best_link_first).collect();
        prop_assert_eq!(graph.positions().count(), book.len());
        prop_assert_eq!(graph.positions().collect::<Vec<_>>(), expected);
        prop_assert_eq!(duplicates, 0);
    }

    #[test]
    fn links_as_given_know_their_children(recipe in recipes()) {
        let book = recipe.book();
        let (graph, _) = graph_of(book.values().cloned());
        for position in book.values() {
            let id = graph.find(position.board).unwrap();
            for (link, given) in graph.links(id).zip(&position.links) {
                let child = position.board.board().play(given.mv).map(Board::canonical);
                let child = child.filter(|child| book.contains_key(child));
                prop_assert_eq!(link.mv, given.mv);
                prop_assert_eq!(link.score, given.score);
                prop_assert_eq!(link.child.map(|child| graph.board(child)), child);
            }
        }
    }

    #[test]
    fn children_come_first_layer_by_layer(recipe in recipes()) {
        let (graph, _) = graph_of(recipe.book().into_values());
        for id in graph.ids() {
            prop_assert_eq!(graph.find(graph.board(id)), Some(id));
            prop_assert!(graph.links(id).all(|link| link.child.is_none_or(|child| child < id)));
        }
        prop_assert!(graph.ids().is_sorted_by_key(|id| graph.board(id).board().empties()));
        let passes: Vec<_> = graph.ids().filter(|id| graph.board(*id).board().must_pass()).collect();
        prop_assert!(graph.pass_ids().eq(passes));
    }

    #[test]
    fn nothing_is_found_that_is_not_there(recipe in recipes(), other in recipes()) {
        let book = recipe.book();
        let (graph, _) = graph_of(book.values().cloned());
        for board in other.book().keys() {
            prop_assert_eq!(graph.find(*board).is_some(), book.contains_key(board));
        }
    }

    /// Of several records of a board the strongest stays, or the last of equally strong ones.
    #[test]
    fn the_strongest_duplicate_stays(recipe in recipes(), levels in prop::collection::vec((any::<Option<u8>>(), prop::sample::select(&Engine::ALL[..])), 2..9)) {
        let book = recipe.book();
        let board = *book.keys().next().unwrap_or(&Board::START.canonical());
        let records: Vec<Position> = (0..)
            .zip(&levels)
            .map(|(number, (level, engine))| {
                let mut position = Position::new(board, *engine);
                (position.level, position.value) = (*level, Some(number));
                position
            })
            .collect();
        let best = records.iter().max_by_key(|record| strength(record)).unwrap().clone();
        let (graph, duplicates) = graph_of(records);
        prop_assert_eq!(duplicates, levels.len() as u64 - 1);
        prop_assert_eq!(graph.positions().collect::<Vec<_>>(), vec![best]);
    }

    #[test]
    fn revising_equals_building_anew(recipe in recipes(), other in recipes(), seed in any::<u64>()) {
        let (mut graph, _) = graph_of(recipe.book().into_values());
        let new = other.book();
        let keep = |board: CanonicalBoard| Random(seed ^ board.board().player()).below(3) > 0;
        let mut expected: Book = recipe.book();
        expected.retain(|board, _| keep(*board));
        for (board, position) in &new {
            let old = expected.get(board).map(strength);
            if old.is_none_or(|old| strength(position) >= old) {
                expected.insert(*board, position.clone());
            }
        }
        let (new, _) = graph_of(new.into_values());
        graph.revise(|graph, id| keep(graph.board(id)), &new).unwrap();
        let (expected, _) = graph_of(expected.into_values());
        prop_assert_eq!(graph.positions().collect::<Vec<_>>(), expected.positions().collect::<Vec<_>>());
        for (id, other) in graph.ids().zip(expected.ids()) {
            prop_assert_eq!(graph.find(graph.board(id)), Some(id));
            prop_assert!(graph.links(id).eq(expected.links(other)));
        }
    }
}

#[test]
fn an_empty_book_is_a_graph() {
    let (mut graph, duplicates) = graph_of([]);
    assert_eq!(duplicates, 0);
    assert!(graph.is_empty() && graph.positions().next().is_none());
    assert_eq!(graph.find(Board::START.canonical()), None);
    obook_graph::link::link(&mut graph).unwrap();
    assert!(graph.is_empty());
}

#[test]
fn a_reader_that_fails_stops_the_build() {
    #[derive(Debug, PartialEq)]
    struct Broken;
    impl From<obook_graph::TooLarge> for Broken {
        fn from(_: obook_graph::TooLarge) -> Broken {
            unreachable!("one position is not too large")
        }
    }
    let position = Position::new(Board::START.canonical(), Engine::Edax);
    let read = Graph::from_positions([Ok(position), Err(Broken)]);
    assert_eq!(read.err(), Some(Broken));
}
