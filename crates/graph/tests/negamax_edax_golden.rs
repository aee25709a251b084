//! Edax's books without their derived numbers are recomputed record by record.

use obook_graph::Graph;
use obook_graph::link::{LinkReport, link};
use obook_graph::negamax::{Scoring, negamax};
use obook_needs::needs;
use obook_othello::{Bounds, Outcomes, Position};
use obook_testing::golden::{LARGE_EDAX_BOOK, PUBLISHED_BOOK, book};

/// Replaces every derived number by nonsense and drops the links. Boards, levels and leaves stay.
fn wiped(position: &Position) -> Position {
    let mut wiped = position.clone();
    wiped.value = Some(-7);
    wiped.bounds = Some(Bounds {
        lower: 99,
        upper: -99,
    });
    wiped.outcomes = Some(Outcomes {
        wins: 1,
        draws: 2,
        losses: 3,
    });
    wiped.lines = Some(4);
    wiped.links.clear();
    wiped
}

/// Edax keeps links of equal score in the order in which it added them, so links are compared as sets.
fn with_sorted_links(mut position: Position) -> Position {
    position.links.sort_by_key(|link| link.mv);
    position
}

fn comes_back(name: &str) {
    let (header, mut positions) = book(name);
    positions.sort_by_key(|position| position.board);
    let mut builder = Graph::builder();
    positions
        .iter()
        .map(wiped)
        .for_each(|position| builder.push(position));
    let (mut graph, duplicates) = builder.finish().unwrap();
    assert_eq!(duplicates, 0, "{name}");
    let links = positions
        .iter()
        .map(|position| position.links.len() as u64)
        .sum();
    let report = link(&mut graph).unwrap();
    assert_eq!(
        report,
        LinkReport {
            added: links,
            removed: 0,
            leaves_dropped: 0
        },
        "{name}"
    );
    let rules = Scoring::Edax {
        midgame_error: header.midgame_error.unwrap(),
        endcut_error: header.endcut_error.unwrap(),
    };
    negamax(&mut graph, rules);
    assert_eq!(graph.len(), positions.len());
    for (computed, golden) in graph.positions().zip(positions) {
        assert!(
            computed.links.is_sorted_by(|a, b| a.score >= b.score),
            "{name}: {computed:?}"
        );
        assert_eq!(
            with_sorted_links(computed),
            with_sorted_links(golden),
            "{name}"
        );
    }
}

/// Law (Numbers): Edax's and Egaroucid's own books are recomputed number by number.
/// Also: `games` `crates/graph/tests/negamax_egaroucid_golden.rs` `games_fix` `small_edax_fix`
#[test]
fn small() {
    comes_back("small.dat");
}

#[test]
fn games() {
    comes_back("games.dat");
}

#[needs(large_books)]
#[test]
fn deviate() {
    comes_back(LARGE_EDAX_BOOK);
}

#[test]
fn small_prune() {
    comes_back("edax/small.prune.dat");
}

#[test]
fn games_prune() {
    comes_back("edax/games.prune.dat");
}

#[test]
fn small_subtree() {
    comes_back("edax/small.subtree_f5d6c4.dat");
}

#[test]
fn deviate_depth9_prune() {
    comes_back("edax/deviate.depth9.prune.dat");
}

#[needs(published_book)]
#[test]
fn libedax_test_book() {
    comes_back(PUBLISHED_BOOK);
}
