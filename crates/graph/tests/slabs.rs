//! A book in temporary files gives the same results as one in memory, duplicates included.

use obook_converters::{Format, Header};
use obook_graph::link::link;
use obook_graph::mapping::{
    EdaxOptions, EgaroucidOptions, Leaves, MissingLeaf, Outline, to_edax, to_egaroucid,
};
use obook_graph::negamax::Scoring;
use obook_graph::slabs::Slabs;
use obook_othello::{Board, CanonicalBoard, Position, RuleSet};
use obook_testing::consistent_book::{closed, edax_book};
use obook_testing::random_book::{Random, Recipe, recipes};
use obook_testing::slabs::{positions, slabs_of};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Debug;

/// Records of two books with a common trunk in any order, so that many boards occur twice.
fn records(one: &Recipe, other: &Recipe, sound: bool, seed: u64) -> Vec<Position> {
    let book = |recipe: &Recipe| -> Vec<Position> {
        if sound {
            edax_book(&closed(recipe), seed, true).positions().collect()
        } else {
            recipe.book().into_values().collect()
        }
    };
    let mut records = book(one);
    records.extend(book(other));
    Random(seed).shuffle(&mut records);
    records
}

/// Does the same in memory and in temporary files of a few layers or one each.
fn both_ways<T: Debug>(
    records: &[Position],
    memory: u64,
    mut work: impl FnMut(&mut Slabs) -> Result<T, Box<dyn std::error::Error>>,
) {
    let [whole, slabs] = [u64::MAX, memory].map(|memory| {
        let (mut book, duplicates) = slabs_of(records.iter().cloned(), memory);
        let done = work(&mut book);
        let length = book.len();
        let after = done.is_ok().then(|| positions(book));
        assert!(
            after
                .as_ref()
                .is_none_or(|after| after.len() as u64 == length)
        );
        (duplicates, format!("{done:?}"), after)
    });
    assert_eq!(slabs, whole);
}

fn rule_sets() -> impl Strategy<Value = RuleSet> {
    prop::sample::select(vec![
        RuleSet::Edax,
        RuleSet::Egaroucid,
        RuleSet::EgaroucidEdax,
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn slabs_become_edax_books(
        (one, other, sound, seed) in (recipes(), recipes(), any::<bool>(), any::<u64>()),
        rules in rule_sets(),
        missing_leaf in prop::sample::select(vec![MissingLeaf::Stop, MissingLeaf::Fold, MissingLeaf::Demote]),
        midgame_error in 2..4,
        memory in prop_oneof![Just(0u64), 1000u64..100_000],
    ) {
        let new_rules = Scoring::Edax { midgame_error, endcut_error: 1 };
        let options = EdaxOptions { rules: Scoring::of(rules, &Header::default()), missing_leaf, assumed_level: 3, new_rules };
        both_ways(&records(&one, &other, sound, seed), memory, |book| {
            let losses = to_edax(book, &options)?;
            Ok((losses, Outline::of(book)?))
        });
    }

    #[test]
    fn slabs_become_egaroucid_books(
        (one, other, sound, seed) in (recipes(), recipes(), any::<bool>(), any::<u64>()),
        rules in rule_sets(),
        format in prop::sample::select(vec![Format::Egbk3, Format::Egbk2, Format::Egbk]),
        leaves in prop::sample::select(vec![Leaves::Keep, Leaves::AsPositions]),
        memory in prop_oneof![Just(0u64), 1000u64..100_000],
    ) {
        let header = Header { level: Some(21), n_empties: Some(30), ..Header::default() };
        let options = EgaroucidOptions { rules, header, format, leaves };
        both_ways(&records(&one, &other, sound, seed), memory, |book| {
            Ok(to_egaroucid(book, &options)?)
        });
    }

    /// Marks that a position gets in its own slab or from a parent above it stay while positions change.
    #[test]
    fn marks_outlive_changes(
        (one, other, seed) in (recipes(), recipes(), any::<u64>()),
        memory in prop_oneof![Just(0u64), 1000u64..100_000],
    ) {
        let (own, by_parent) = (2, 4);
        both_ways(&records(&one, &other, false, seed), memory, |book| {
            book.sweep_down(|slab| {
                let (graph, marks) = slab.graph_and_marks();
                for place in graph.unfrozen_places() {
                    let id = graph.id(place);
                    if graph.board(id).board().player() % 3 == 0 {
                        marks[place] |= own;
                    }
                    for child in graph.links(id).filter_map(|link| link.child) {
                        marks[child.index()] |= by_parent;
                    }
                }
                Ok(())
            })?;
            book.sweep_up(|slab| {
                link(slab.graph_mut())?;
                Ok(())
            })?;
            let mut marked = Vec::new();
            book.scan(|slab| {
                let graph = slab.graph();
                for id in graph.ids().filter(|id| !graph.is_frozen(*id)) {
                    marked.push((graph.board(id), slab.mark(id)));
                }
            })?;
            for (board, _) in &marked {
                assert!(book.has(*board)?);
            }
            assert!(!book.has(Board::new(1, 0)?.canonical())?);
            Ok(marked)
        });
    }

    /// Replaced positions are as given, and all others as they were.
    #[test]
    fn positions_are_replaced(
        (one, other, seed) in (recipes(), recipes(), any::<u64>()),
        memory in prop_oneof![Just(0u64), 1000u64..100_000],
    ) {
        let by_board = |records: Vec<Position>| -> BTreeMap<CanonicalBoard, Position> {
            let (book, _) = slabs_of(records, u64::MAX);
            positions(book).into_iter().map(|position| (position.board, position)).collect()
        };
        let old = records(&one, &other, false, seed);
        let new = by_board(other.book().into_values().chain(records(&one, &other, true, seed).into_iter().take(9)).collect());
        let mut expected = by_board(old.clone());
        expected.extend(new.clone());
        for memory in [u64::MAX, memory] {
            let (mut book, _) = slabs_of(old.iter().cloned(), memory);
            book.replace(new.values().cloned()).unwrap();
            prop_assert_eq!(book.len(), expected.len() as u64);
            prop_assert_eq!(positions(book), expected.values().cloned().collect::<Vec<_>>());
        }
    }
}
