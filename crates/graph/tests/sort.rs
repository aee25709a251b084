//! The sorter and the graph combine several records of a board in the same way.

use obook_graph::Graph;
use obook_graph::sort::Sorter;
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Move, Position};
use obook_testing::random_book::Random;
use proptest::prelude::*;

/// A board with 26 empty squares, at which a lower level of one engine may be better than a higher level of the other.
fn board(number: u64) -> CanonicalBoard {
    let player = (1 << 19) - 1;
    Board::new(player, player << (20 + number))
        .unwrap()
        .canonical()
}

fn sorted(positions: &[Position], budget: usize) -> Vec<Position> {
    let mut sorter = Sorter::with_budget(budget);
    for position in positions {
        sorter.push(position).unwrap();
    }
    let sorted = sorter.finish().unwrap();
    let positions: Result<Vec<Position>, obook_graph::sort::Error> =
        sorted.positions().unwrap().collect();
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

proptest! {
    #[test]
    fn the_sorter_and_the_graph_agree(records in prop::collection::vec(record(), 0..12), spilled: bool) {
        let budget = if spilled { 1 } else { usize::MAX };
        let graph = Graph::from_positions(records.iter().cloned().map(Ok::<_, obook_graph::TooLarge>));
        let positions: Vec<Position> = graph.unwrap().0.positions().collect();
        prop_assert_eq!(sorted(&records, budget), positions);
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
        let expected = sorted(&records, usize::MAX);
        Random(seed).shuffle(&mut records);
        prop_assert_eq!(sorted(&records, usize::MAX), expected);
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
        assert_eq!(sorted(&records, usize::MAX), std::slice::from_ref(&sure));
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
        assert_eq!(sorted(&records, usize::MAX), [searched.clone()]);
    }
}
