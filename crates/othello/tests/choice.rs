//! The rules of choice, against what the engines' rules say, in random books.

use obook_othello::{
    Board, CanonicalBoard, Chance, Engine, Line, Link, MoveRule, Position, Symmetry,
};
use obook_testing::random_book::{Recipe, recipes};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The best of each position's moves with a score, by where it leads, and whether it is a link: what every rule starts from.
fn scored(position: &Position) -> BTreeMap<CanonicalBoard, (i16, bool)> {
    let board = position.board.board();
    let child = |mv| board.play(mv).map(Board::canonical);
    let mut found = BTreeMap::new();
    for link in &position.links {
        if let Some(child) = child(link.mv) {
            found.entry(child).or_insert((link.score, true));
        }
    }
    if let Some((leaf, child)) = position.leaf.and_then(|it| Some((it, child(it.mv?)?))) {
        found.entry(child).or_insert((Some(leaf.score), false));
    }
    let known = |(child, (score, is_link)): (_, (Option<i8>, bool))| {
        Some((child, (i16::from(score?), is_link)))
    };
    found.into_iter().filter_map(known).collect()
}

fn any_rule() -> impl Strategy<Value = MoveRule> {
    prop_oneof![
        Just(MoveRule::Best),
        (0..=128_u8).prop_map(MoveRule::Loss),
        (0..=128_u8).prop_map(MoveRule::Edax),
        (0..=10_u8).prop_map(MoveRule::Egaroucid),
    ]
}

/// The boards that a rule can lead to.
fn reached(chances: &[Chance]) -> Vec<CanonicalBoard> {
    let mut boards: Vec<_> = chances.iter().map(|mv| mv.child).collect();
    boards.sort();
    boards.dedup();
    boards
}

fn boards_where(position: &Position, is_in: impl Fn(i16, bool) -> bool) -> Vec<CanonicalBoard> {
    let all = scored(position).into_iter();
    all.filter(|(_, (score, is_link))| is_in(*score, *is_link))
        .map(|(child, _)| child)
        .collect()
}

fn positions(recipe: &Recipe) -> impl Iterator<Item = Position> {
    recipe.book().into_values()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Chances are of legal moves, each at most once, and add up to 1.
    ///
    /// Law (Choosing moves): A rule's chances belong to different legal moves and add up to 1.
    #[test]
    fn chances_add_up(recipe in recipes(), rule in any_rule()) {
        for position in positions(&recipe) {
            let board = position.board.board();
            let chances = rule.chances(&position, board);
            let sum: f64 = chances.iter().map(|mv| mv.chance).sum();
            prop_assert!(chances.is_empty() || (sum - 1.0).abs() < 1e-9, "{sum}");
            for (at, mv) in chances.iter().enumerate() {
                prop_assert!(mv.chance > 0.0);
                prop_assert_eq!(board.play(mv.mv).map(Board::canonical), Some(mv.child));
                prop_assert!(chances[..at].iter().all(|other| other.mv != mv.mv));
            }
        }
    }

    /// Each rule accepts the moves that its definition says, and no others.
    ///
    /// Law (Choosing moves): Each rule accepts exactly the moves of its definition.
    /// Also: `the_best_move_is_best`
    #[test]
    fn rules_accept_what_they_say(recipe in recipes(), loss in 0..=128_u8, level in 0..=10_u8) {
        for position in positions(&recipe) {
            let board = position.board.board();
            let scored = scored(&position);
            let best = scored.values().map(|(score, _)| *score).max().unwrap_or(0);
            let chances = MoveRule::Loss(loss).chances(&position, board);
            let least = best - i16::from(loss);
            prop_assert_eq!(reached(&chances), boards_where(&position, |score, _| score >= least));
            prop_assert!(chances.iter().all(|mv| mv.chance == chances[0].chance));

            let chances = MoveRule::Edax(loss).chances(&position, board);
            let least = position.value.unwrap_or(best) - i16::from(loss);
            prop_assert_eq!(reached(&chances), boards_where(&position, |score, _| score >= least));
            prop_assert!(chances.iter().all(|mv| mv.chance == chances[0].chance));

            let links = scored.values().filter(|(_, is_link)| *is_link);
            let best = links.map(|(score, _)| *score).max();
            let chances = MoveRule::Egaroucid(level).chances(&position, board);
            let is_refused = best.is_none_or(|best| position.value.is_some_and(|value| best < value - 8));
            let least = best.unwrap_or(0) - 2 * i16::from(level);
            let accepted = boards_where(&position, |score, is_link| is_link && score >= least && !is_refused);
            prop_assert_eq!(reached(&chances), accepted);
        }
    }

    /// The best move is one of the best, and the only one; no rule excludes it but Egaroucid's, which knows only links.
    #[test]
    fn the_best_move_is_best(recipe in recipes()) {
        for position in positions(&recipe) {
            let board = position.board.board();
            let best = MoveRule::Best.chances(&position, board);
            let top = scored(&position).into_values().map(|(score, _)| score).max();
            prop_assert_eq!(best.iter().map(|mv| i16::from(mv.score)).max(), top);
            prop_assert!(best.len() <= 1);
            for mv in best {
                prop_assert_eq!(mv.chance, 1.0);
                let near = MoveRule::Loss(0).chances(&position, board);
                prop_assert!(near.iter().any(|other| other.child == mv.child && other.is_leaf == mv.is_leaf));
            }
        }
    }

    /// The higher Egaroucid's level, the more a worse link is worth; at the highest all accepted ones are worth the same.
    #[test]
    fn egaroucids_levels_are_ordered(recipe in recipes()) {
        for position in positions(&recipe) {
            let board = position.board.board();
            let mut share_of_best = 1.0;
            for level in 0..=10 {
                let chances = MoveRule::Egaroucid(level).chances(&position, board);
                let Some(first) = chances.first().copied() else { continue };
                prop_assert!(chances.is_sorted_by(|a, b| a.chance >= b.chance));
                let best = chances.iter().filter(|mv| mv.score == first.score);
                let share: f64 = best.map(|mv| mv.chance).sum();
                prop_assert!(share <= share_of_best + 1e-9, "level {level}");
                share_of_best = share;
                if level == 0 {
                    prop_assert!(chances.iter().all(|mv| mv.score == first.score));
                }
                if level == 10 {
                    prop_assert!(chances.iter().all(|mv| mv.chance == first.chance));
                }
            }
        }
    }

    /// A choice is one of the moves with a chance; the same seed chooses the same, in all orientations.
    ///
    /// Law (Choosing moves): A seed chooses the same move in any orientation; many seeds choose moves as often as their
    /// chances.
    /// Also: `choices_are_as_frequent_as_their_chances`
    #[test]
    fn choices_follow_the_seed(recipe in recipes(), rule in any_rule(), seed: u64) {
        for position in positions(&recipe) {
            let board = position.board.board();
            let chosen = rule.choose(&position, board, seed);
            prop_assert_eq!(chosen, rule.choose(&position, board, seed));
            let chances = rule.chances(&position, board);
            match chosen {
                Some(mv) => prop_assert!(chances.contains(&mv)),
                None => prop_assert!(chances.is_empty()),
            }
            if rule != MoveRule::Best {
                for symmetry in Symmetry::ALL {
                    let turned = rule.choose(&position, symmetry.board(board), seed);
                    prop_assert_eq!(turned.map(|mv| mv.child), chosen.map(|mv| mv.child));
                }
            }
        }
    }

    /// Rules are read as they are written.
    #[test]
    fn rules_are_read_as_written(rule in any_rule(), text in "[a-z:0-9 -]{0,12}") {
        prop_assert_eq!(rule.to_string().parse(), Ok(rule));
        if let Ok(read) = text.parse::<MoveRule>() {
            prop_assert_eq!(read.to_string().parse(), Ok(read));
        }
    }
}

/// The position after f5d6 with links of these scores.
fn position_with(scores: &[i8], value: i16) -> Position {
    let board = "f5d6".parse::<Line>().unwrap().board();
    let canonical = board.canonical();
    let mut position = Position::new(canonical, Engine::Egaroucid);
    let moves: Vec<_> = canonical.board().moves().collect();
    assert!(moves.len() >= scores.len());
    let link = |(mv, score): (&_, &i8)| Link {
        mv: *mv,
        score: Some(*score),
    };
    position.links = moves.iter().zip(scores).map(link).collect();
    position.value = Some(value);
    position
}

/// Egaroucid's chances for links 0, 1 and 4 discs worse than the best, computed by hand from its rule.
///
/// Law (Choosing moves): Egaroucid's levels have the chances of its formula; higher levels are stricter.
/// Also: `egaroucids_levels_are_ordered`
#[test]
fn egaroucids_chances_are_those_of_its_formula() {
    let position = position_with(&[3, 2, -1], 3);
    let expected: [(u8, &[f64]); 5] = [
        (0, &[1.0]),
        // In the ratio of (2.5 / 3)^9 and ((1/e + 1.5) / 3)^9.
        (1, &[0.932351, 0.067649]),
        // In the ratio of (2.5 / 3)^8, ((1/e + 1.5) / 3)^8 and ((e^-4 + 1.5) / 3)^8.
        (2, &[0.896362, 0.087047, 0.016591]),
        (9, &[0.424723, 0.317332, 0.257945]),
        (10, &[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0]),
    ];
    for (level, expected) in expected {
        let chances = MoveRule::Egaroucid(level).chances(&position, position.board.board());
        let found: Vec<f64> = chances.iter().map(|mv| mv.chance).collect();
        assert_eq!(found.len(), expected.len(), "level {level}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-5,
                "level {level}: {found} {expected}"
            );
        }
    }
    let worse = position_with(&[3, 2, -1], 12);
    assert!(
        MoveRule::Egaroucid(10)
            .chances(&worse, worse.board.board())
            .is_empty()
    );
}

/// Over many seeds, moves are chosen as often as their chances say.
#[test]
fn choices_are_as_frequent_as_their_chances() {
    const SEEDS: u64 = 20_000;
    let position = position_with(&[3, 2, -1, -1], 3);
    let board = position.board.board();
    for rule in [MoveRule::Loss(1), MoveRule::Edax(4), MoveRule::Egaroucid(3)] {
        for mv in rule.chances(&position, board) {
            let chosen =
                |seed: &u64| rule.choose(&position, board, *seed).map(|it| it.mv) == Some(mv.mv);
            let share = (0..SEEDS).filter(chosen).count() as f64 / SEEDS as f64;
            // Five standard deviations; the seeds are always the same.
            let allowed = 5.0 * (mv.chance * (1.0 - mv.chance) / SEEDS as f64).sqrt();
            assert!(
                (share - mv.chance).abs() <= allowed,
                "{rule} {}: {share} {}",
                mv.mv,
                mv.chance
            );
        }
    }
}

#[test]
fn texts_that_are_no_rules_are_explained() {
    for text in [
        "",
        "Best",
        "best:1",
        "loss",
        "loss:129",
        "edax:-1",
        "egaroucid:11",
        "egaroucid:x",
        "weak:1",
    ] {
        let said = text.parse::<MoveRule>().unwrap_err().to_string();
        assert!(
            said.starts_with("expected a rule: best, loss:N")
                && said.ends_with(&format!("\"{text}\"")),
            "{said}"
        );
    }
}
