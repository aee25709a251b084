//! Random positions.

use obook_othello::{Board, Bounds, Engine, Leaf, Link, NoLeaf, Outcomes, Position};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// A position of a random game. In every fourth the side to move must pass or the game is over.
pub(crate) fn board() -> impl Strategy<Value = Board> {
    let index = any::<prop::sample::Index>;
    (prop::collection::vec(index(), 64), index(), 0u8..4).prop_map(|(choices, ply, kind)| {
        let mut game = vec![Board::START];
        for choice in choices {
            let board = *game.last().unwrap();
            let moves: Vec<_> = board.moves().collect();
            if !moves.is_empty() {
                game.push(board.play(moves[choice.index(moves.len())]).unwrap());
            }
        }
        if kind == 0 {
            game.retain(|board| board.legal_moves().is_empty());
        }
        // Every game ends within 60 discs and a few passes.
        game.get(ply.index(game.len().max(1)))
            .copied()
            .unwrap_or(Board::START)
    })
}

fn score() -> impl Strategy<Value = i8> {
    -64i8..=64
}

/// A position that an Edax book could contain: all numbers known, one level, links and a leaf with different moves.
pub(crate) fn edax_position() -> impl Strategy<Value = Position> {
    let numbers = (any::<[i16; 3]>(), any::<[u32; 4]>(), 0u8..=60);
    let scores = prop::collection::vec(score(), 64);
    (board(), numbers, scores, any::<u64>(), any::<bool>()).prop_map(
        |(board, ([value, lower, upper], counts, level), scores, chosen, has_leaf)| {
            let board = board.canonical();
            let moves: Vec<_> = board.board().moves().collect();
            let (links, rest): (Vec<_>, Vec<_>) =
                (0..).zip(moves).partition(|(i, _)| chosen >> i & 1 != 0);
            let leaf = if board.board().is_over() {
                Some(None)
            } else {
                rest.first().map(|(_, mv)| Some(*mv))
            };
            Position {
                value: Some(value % 65),
                bounds: Some(Bounds {
                    lower: lower.max(-i16::MAX),
                    upper: upper.max(-i16::MAX),
                }),
                level: Some(level),
                outcomes: Some(Outcomes {
                    wins: counts[0],
                    draws: counts[1],
                    losses: counts[2],
                }),
                lines: Some(counts[3]),
                links: links
                    .into_iter()
                    .map(|(i, mv)| Link {
                        mv,
                        score: Some(scores[i]),
                    })
                    .collect(),
                leaf: leaf.filter(|_| has_leaf).map(|mv| Leaf {
                    mv,
                    score: scores[63],
                    level: Some(level),
                    engine: Engine::Edax,
                }),
                ..Position::new(board, Engine::Edax)
            }
        },
    )
}

/// A position that an `.egbk3` book could contain: no links, separate levels for value and leaf.
pub(crate) fn egbk3_position() -> impl Strategy<Value = Position> {
    let level = || prop::option::of(0u8..=127);
    let value = prop::option::of(score());
    (
        board(),
        value,
        level(),
        any::<u32>(),
        prop::option::of((any::<prop::sample::Index>(), score(), level())),
        prop::sample::select(&NoLeaf::ALL[..]),
    )
        .prop_map(|(board, value, level, lines, leaf, no_leaf)| {
            let board = board.canonical();
            let moves: Vec<_> = board.board().moves().collect();
            let leaf = leaf.filter(|_| !moves.is_empty());
            Position {
                value: value.map(i16::from),
                level,
                lines: Some(lines),
                no_leaf: leaf.is_none().then_some(no_leaf),
                leaf: leaf.map(|(choice, score, level)| Leaf {
                    mv: Some(moves[choice.index(moves.len())]),
                    score,
                    level,
                    engine: Engine::Egaroucid,
                }),
                ..Position::new(board, Engine::Egaroucid)
            }
        })
}

/// The positions include every case that the laws speak of.
#[test]
fn the_positions_are_worth_testing() {
    let mut runner = TestRunner::deterministic();
    let (edax, egbk3) = (edax_position(), egbk3_position());
    let mut counts = [0; 8];
    for _ in 0..500 {
        let edax = edax.new_tree(&mut runner).unwrap().current();
        let egbk3 = egbk3.new_tree(&mut runner).unwrap().current();
        let board = edax.board.board();
        let met = [
            board.must_pass(),
            board.is_over(),
            edax.links.len() > 1,
            edax.leaf.is_some_and(|leaf| leaf.mv.is_some()),
            edax.leaf.is_some_and(|leaf| leaf.mv.is_none()),
            edax.leaf.is_none(),
            egbk3.leaf.is_some(),
            egbk3.value.is_none() && egbk3.level.is_none(),
        ];
        for (count, met) in counts.iter_mut().zip(met) {
            *count += u32::from(met);
        }
    }
    assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
}
