//! Perpetual check: the exact pass against the definition, with games that end at the second, third or fourth occurrence.

use crate::games::{Game, Rule, game_under};
use obook_cycles::{Answer, Graph, Own, TaggingSearch, exact};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// The cost of perpetual check is higher than any payoff, equal to some, or lower.
fn checks() -> impl Strategy<Value = Rule> {
    prop_oneof![4 => Just(12), 1 => Just(9), 1 => Just(4)].prop_map(Rule::Check)
}

fn own(game: &Game) -> Vec<Own> {
    let scores = exact(game);
    (0..game.nodes()).map(|node| scores.own(node)).collect()
}

/// How many games, and how many positions a definition may enter before the game counts as too long to compare.
fn effort() -> (u32, u64) {
    if std::env::var_os("OBOOK_LONG").is_some() {
        (1_000_000, 500_000)
    } else {
        (13_000, 2_500)
    }
}

/// Law (Numbers): Where perpetual check loses, every position has an own score, whichever occurrence ends the game.
/// Also: `nothing_is_unsettled_and_no_own_score_depends_on_a_path` `crates/cycles/tests/large.rs`
/// `perpetual_checks_of_a_component_of_hundreds_equal_nested_fixpoints`
#[test]
fn it_does_not_matter_which_repetition_ends_the_game() {
    let mut runner = TestRunner::deterministic();
    let strategy = game_under(6, checks());
    let (games, most) = effort();
    let mut compared = [0; 3];
    let mut decided = 0;
    for _ in 0..games {
        let game = strategy.new_tree(&mut runner).unwrap().current();
        let own = own(&game);
        let Rule::Check(cost) = game.rule else {
            unreachable!()
        };
        let cost = cost.min(game.limit);
        // With no payoff above the cost, only a perpetual check costs as much.
        let can_tell = game
            .payoffs
            .iter()
            .flatten()
            .all(|payoff| payoff.abs() < cost);
        let is_lost = |own: &Own| matches!(own, Own::Score(score) if score.abs() == cost);
        decided += u32::from(can_tell && own.iter().any(is_lost));
        for (times, compared) in (2..).zip(&mut compared) {
            let mut budget = most;
            let truth: Result<Vec<_>, _> = (0..game.nodes())
                .map(|node| game.value(&mut game.history(&[node]), times, &mut budget))
                .collect();
            let Ok(truth) = truth else { continue };
            *compared += 1;
            let truth: Vec<Own> = truth
                .into_iter()
                .map(|score| score.map_or(Own::NoScore, Own::Score))
                .collect();
            assert_eq!(own, truth, "{times} times, {game:?}");
        }
    }
    assert!(
        compared.iter().all(|&count| count >= 10_000),
        "{compared:?}"
    );
    assert!(decided > games / 50, "{decided}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_unsettled_and_no_own_score_depends_on_a_path(game in game_under(7, checks())) {
        let scores = exact(&game);
        prop_assert_eq!(scores.unsettled().len(), 0);
        let mut search = TaggingSearch::new(&game);
        let mut informed = TaggingSearch::with_scores(&game, &scores);
        for path in game.paths(40) {
            let answer = search.answer(&path, 100_000).unwrap();
            prop_assert_eq!(informed.answer(&path, 100_000).unwrap(), answer);
            let last = path[path.len() - 1];
            match answer {
                Answer::Own(score) => prop_assert_eq!(scores.own(last), Own::Score(score)),
                Answer::NoScore => prop_assert_eq!(scores.own(last), Own::NoScore),
                Answer::Path { .. } | Answer::Unknown => {}
            }
        }
    }

    #[test]
    fn own_scores_follow_from_one_another(game in game_under(9, checks())) {
        let own = own(&game);
        for node in 0..game.nodes() {
            let options = game.children(node).filter_map(|edge| match own[edge.child as usize] {
                Own::Score(score) => Some(if edge.flips { -score } else { score }),
                _ => None,
            });
            let best = options.chain(game.payoff(node)).max();
            prop_assert_eq!(own[node as usize], best.map_or(Own::NoScore, Own::Score));
        }
    }
}
