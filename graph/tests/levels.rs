//! The meaning of levels, compared with every row of the engines' tables.

use obook_model::Engine;
use obook_model::levels::{Effort, Strength};
use obook_testing::golden::table;

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
