//! Several records of a board are combined in the same way in memory and in temporary files.

use obook_graph::Graph;
use obook_graph::slabs::{ByKey, Error, Gathered};
use obook_othello::levels::Strength;
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Move, Position};
use obook_testing::random_book::Random;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// A board with 26 empty squares, at which a lower level of one engine may be better than a higher level of the other.
fn board(number: u64) -> CanonicalBoard {
    let player = (1 << 19) - 1;
    Board::new(player, player << (20 + number))
        .unwrap()
        .canonical()
}

fn gathered(positions: &[Position], memory: u64) -> (ByKey, u64) {
    let mut gathered = Gathered::within(memory);
    for position in positions {
        gathered.push(position.clone()).unwrap();
    }
    gathered.sorted().unwrap()
}

fn sorted(positions: &[Position], memory: u64) -> Vec<Position> {
    let (sorted, _) = gathered(positions, memory);
    let positions: Result<Vec<Position>, Error> = sorted.positions(ByKey::ALL).unwrap().collect();
    positions.unwrap()
}

fn engine() -> impl Strategy<Value = Engine> {
    prop::sample::select(&Engine::ALL[..])
}

fn leaf() -> impl Strategy<Value = Leaf> {
    (50..54u8, any::<i8>(), prop::option::of(18..26u8), engine()).prop_map(
        |(mv, score, level, engine)| Leaf {
            mv: Move::from_code(mv),
            score,
            level,
            engine,
        },
    )
}

fn record() -> impl Strategy<Value = Position> {
    let numbers = (prop::option::of(any::<i16>()), prop::option::of(18..26u8));
    (0..3u64, engine(), numbers, prop::option::of(leaf())).prop_map(
        |(number, engine, (value, level), leaf)| {
            let mut position = Position::new(board(number), engine);
            (position.value, position.level, position.leaf) = (value, level, leaf);
            position
        },
    )
}

/// Positions of few boards, so that many are duplicates.
fn positions() -> impl Strategy<Value = Vec<Position>> {
    let position =
        (0u64..40, prop::option::of(0u8..4), any::<i16>()).prop_map(|(discs, level, value)| {
            let board = Board::new(discs, 1 << 20).expect("no overlap").canonical();
            let mut position = Position::new(board, Engine::Edax);
            position.level = level;
            position.value = Some(value);
            position
        });
    prop::collection::vec(position, 0..200)
}

proptest! {
    #[test]
    fn sorts_and_keeps_the_better_search_with_any_memory(
        positions in positions(),
        memory in prop_oneof![Just(0u64), 100u64..20_000, Just(u64::MAX)],
    ) {
        let mut expected: BTreeMap<CanonicalBoard, Position> = BTreeMap::new();
        for position in &positions {
            let kept = expected.entry(position.board).or_insert_with(|| position.clone());
            let strength = |position: &Position| {
                let empties = position.board.board().empties() as u8;
                Strength::new(position.engine, position.level, empties)
            };
            if strength(position) >= strength(kept) {
                *kept = position.clone();
            }
        }
        let (sorted, duplicates) = gathered(&positions, memory);
        prop_assert_eq!(sorted.len(ByKey::ALL) + duplicates, positions.len() as u64);
        for _ in 0..2 {
            let walked: Result<Vec<Position>, Error> =
                sorted.positions(ByKey::ALL).unwrap().collect();
            prop_assert!(walked.unwrap().iter().eq(expected.values()));
        }
    }

    #[test]
    fn sorting_and_the_graph_agree(records in prop::collection::vec(record(), 0..12), spilled: bool) {
        let memory = if spilled { 0 } else { u64::MAX };
        let graph = Graph::from_positions(records.iter().cloned().map(Ok::<_, obook_graph::TooLarge>));
        let positions: Vec<Position> = graph.unwrap().0.positions().collect();
        prop_assert_eq!(sorted(&records, memory), positions);
    }

    /// The order only matters for equally strong records.
    #[test]
    fn the_order_of_records_of_different_levels_makes_no_difference(
        mut records in prop::collection::vec(record(), 0..8),
        seed: u64,
    ) {
        for (level, position) in (11u8..).zip(&mut records) {
            // Searches of one engine at different levels.
            position.engine = Engine::Egaroucid;
            position.level = position.value.map(|_| 2 * level);
            if let Some(leaf) = &mut position.leaf {
                (leaf.level, leaf.engine) = (Some(40 - level), Engine::Egaroucid);
            }
        }
        let expected = sorted(&records, u64::MAX);
        Random(seed).shuffle(&mut records);
        prop_assert_eq!(sorted(&records, u64::MAX), expected);
    }
}

/// With 26 empty squares, Egaroucid's level 20 searches to the end with 99 %, and Edax's level 21 with 98 %.
#[test]
fn the_surer_search_wins_over_the_higher_number() {
    let position = |engine, level, value| {
        let mut position = Position::new(board(0), engine);
        (position.level, position.value) = (Some(level), Some(value));
        position
    };
    let sure = position(Engine::Egaroucid, 20, 2);
    let high = position(Engine::Edax, 21, 4);
    for records in [[sure.clone(), high.clone()], [high, sure.clone()]] {
        assert_eq!(sorted(&records, u64::MAX), std::slice::from_ref(&sure));
    }
}

#[test]
fn value_and_leaf_are_judged_apart() {
    let mut searched = Position::new(board(0), Engine::Egaroucid);
    (searched.value, searched.level) = (Some(2), Some(10));
    searched.leaf = Some(Leaf {
        mv: Move::from_code(50),
        score: 0,
        level: Some(19),
        engine: Engine::Egaroucid,
    });
    let mut unknown = Position::new(board(0), Engine::Egaroucid);
    unknown.level = Some(12);
    for records in [
        [searched.clone(), unknown.clone()],
        [unknown, searched.clone()],
    ] {
        assert_eq!(sorted(&records, u64::MAX), [searched.clone()]);
    }
}
