//! The meaning of levels, compared with every row of the engines' tables.

use obook_othello::levels::{Effort, Strength, depth_of_visits, of_visits};
use obook_othello::{Engine, Place};
use obook_testing::golden::table;
use obook_testing::own_engines::own_engines;
use obook_testing::plain_level::plain_strength;
use proptest::prelude::*;
use std::cmp::Ordering;

fn rows(name: &str) -> Vec<Vec<u8>> {
    let rows = table(name);
    let numbers = |row: Vec<String>| row.iter().map(|field| field.parse().unwrap()).collect();
    rows.into_iter().map(numbers).collect()
}

#[test]
fn edax_levels_are_those_of_the_engine() {
    let rows = rows("edax/levels.tsv");
    assert_eq!(rows.len(), 61 * 61);
    for row in rows {
        let [level, empties, depth, probability] = row[..] else {
            panic!("{row:?}")
        };
        let search = Effort::new(Engine::Edax, level, empties);
        assert_eq!(Effort::new(Engine::Obook, level, empties), search);
        assert_eq!(
            (search.depth, search.probability),
            (depth, probability),
            "{row:?}"
        );
        assert_eq!(search.to_the_end, depth == empties, "{row:?}");
    }
}

#[test]
fn egaroucid_levels_are_those_of_the_engine() {
    let rows = rows("egaroucid/levels.tsv");
    assert_eq!(rows.len(), 60 * 61);
    for row in rows {
        let [level, empties, depth, probability, to_the_end] = row[..] else {
            panic!("{row:?}")
        };
        let search = Effort::new(Engine::Egaroucid, level, empties);
        let expected = Effort {
            depth,
            probability,
            to_the_end: to_the_end == 1,
        };
        assert_eq!(search, expected, "{row:?}");
    }
}

/// On one scale a higher level is always stronger, whatever its selectivity.
#[test]
fn a_higher_level_is_stronger() {
    for engine in Engine::ALL {
        for empties in 0..=64 {
            for level in 0..u8::MAX {
                let strength = |level| Strength::new(engine, Some(level), empties);
                assert!(
                    strength(level) < strength(level + 1),
                    "{engine:?} {level} {empties}"
                );
            }
            assert!(Strength::new(engine, None, empties) < Strength::new(engine, Some(0), empties));
        }
    }
}

/// More positions visited are never a lower level, and a higher level is never a lower depth. A search of Edax as deep as
/// Sensei's level counts is as strong, but for the number of the level.
#[test]
fn more_visits_are_never_weaker() {
    let levels = (0..=100).map(|doublings| of_visits(f32::from(doublings as u8).exp2()));
    assert!(levels.is_sorted());
    assert!((0..=u8::MAX).map(depth_of_visits).is_sorted());
    for level in 1..60 {
        let depth = depth_of_visits(level);
        let sensei = Effort::new(Engine::Sensei, level, 60);
        assert_eq!((sensei.depth, sensei.to_the_end), (depth, false));
        if depth > 10 {
            assert_eq!(sensei, Effort::new(Engine::Edax, depth, 60));
        }
    }
}

fn level() -> impl Strategy<Value = (Engine, Option<u8>)> {
    let engine = prop::sample::select([&Engine::ALL[..], &own_engines()].concat());
    (engine, prop::option::of(0u8..=71))
}

proptest! {
    /// Law (Changes): An engine without a place beats none with one, whatever its levels; with a place it is compared by
    /// levels.
    #[test]
    fn a_claim_beats_nobody(
        claimed in 0u8..=69,
        known in prop::sample::select(&Engine::ALL[..]),
        level in 0u8..=69,
        scale in prop::sample::select(&Engine::ALL[..]),
        place in prop::sample::select(&["below edax", "above ntest"][..]),
        empties in 0u8..=60,
    ) {
        let own = |place| Engine::own("tiny", scale, place).unwrap();
        let (unknown, placed) = (own(Place::UNKNOWN), own(place.parse().unwrap()));
        let strength = |engine, level| Strength::new(engine, Some(level), empties);
        for other in [known, placed] {
            prop_assert!(strength(unknown, claimed) < strength(other, level));
            prop_assert!(!strength(unknown, claimed).searches_more_than(strength(other, level)));
        }
        prop_assert!(unknown < known);
        prop_assert_eq!(strength(placed, claimed), strength(scale, claimed));
        prop_assert_eq!(Effort::new(unknown, claimed, empties), Effort::new(scale, claimed, empties));
        prop_assert_eq!(strength(unknown, 70).cmp(&strength(known, 69)), Ordering::Greater, "a person's");
        prop_assert!(strength(unknown, claimed) > Strength::new(known, None, empties));
    }

    /// The scale compares any two searches of a position, as the engines' own tables say; and any three without a cycle.
    ///
    /// Law (Numbers): Any two searches compare as the engines' tables say, without cycles; a higher level or more visits are
    /// never weaker.
    /// Also: `a_higher_level_is_stronger` `more_visits_are_never_weaker`
    #[test]
    fn searches_have_one_order(levels in prop::array::uniform3(level()), empties in 0u8..=60) {
        let strengths = levels.map(|(engine, level)| Strength::new(engine, level, empties));
        let plain = levels.map(|(engine, level)| plain_strength(engine, level, empties));
        for (one, first) in strengths.iter().zip(&plain) {
            for (other, second) in strengths.iter().zip(&plain) {
                prop_assert_eq!(one.cmp(other), first.cmp(second));
                prop_assert_eq!(one.cmp(other), other.cmp(one).reverse());
            }
        }
        let [a, b, c] = strengths;
        prop_assert!(!(a <= b && b <= c) || a <= c);
    }
}
