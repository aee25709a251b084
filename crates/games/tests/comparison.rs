//! Comparisons of ratings, checked by hand and by counting pairs.

use obook_games::Score;
use obook_games::ratings::{Comparison, Method, PlayedPositions, Predicted, Predictor, Settings};
use obook_othello::{CanonicalBoard, Line, Move, Side};
use proptest::prelude::*;

type Game = (Line, Score);

fn plays(games: &[Game]) -> PlayedPositions {
    let mut plays = PlayedPositions::default();
    games
        .iter()
        .for_each(|(line, score)| plays.add(line, *score));
    plays
}

fn compare(earlier: &[Game], later: &[Game]) -> Comparison {
    Comparison::new(
        &mut plays(earlier),
        &mut plays(later),
        &Settings::default(),
        None,
    )
}

fn game(moves: &str, score: i8) -> Game {
    (moves.parse().unwrap(), Score::new(score).unwrap())
}

/// The quality of a predictor.
#[derive(PartialEq, Debug)]
struct Fit {
    order: Option<f64>,
    error: Option<f64>,
}

fn fit(group: &Predicted, predictor: Predictor) -> Fit {
    // Scores are the last of all, and may be missing.
    let mut all = Predictor::ALL.into_iter();
    let at = all.position(|of| of == predictor).unwrap();
    let (order, error) = (group.order[at], group.error[at]);
    Fit { order, error }
}

/// Earlier games are won by Black with d6 and lost with f6. So are all later ones but one.
#[test]
fn numbers_made_by_hand() {
    let earlier = [game("f5d6", 10), game("f5f6", -10)];
    let later = [
        game("f5d6", 2),
        game("f5d6", 4),
        game("f5f6", -2),
        game("f5f6", 6),
        game("f5f4", 6),
    ];
    let comparison = compare(&earlier, &later);
    // The start and f5 were reached by two games, the others by one.
    let [one, two] = &comparison.by_games[..] else {
        panic!("{comparison:?}");
    };
    assert_eq!((one.from, one.to, one.predictions), (1, 1, 4));
    assert_eq!((two.from, two.to, two.predictions), (2, 3, 10));
    // One of four games was lost, after f6, where Black had lost before; one of the three others was won there.
    let order = (2.0 + 0.5) / 3.0;
    for predictor in [Predictor::Mean, Predictor::Rating(Method::Expectation1)] {
        assert_eq!(
            fit(one, predictor),
            Fit {
                order: Some(order),
                error: Some(0.25)
            }
        );
    }
    assert!((one.spread - 0.75 * 0.25).abs() < 1e-12);
    // With an α of 0.9, the order is the same and the errors differ.
    let probability = fit(one, Predictor::Rating(Method::Probability));
    assert_eq!(probability.order, Some(order));
    assert!((probability.error.unwrap() - (3.0 * 0.01 + 0.81) / 4.0).abs() < 1e-12);
    assert_eq!(comparison.by_ply.len(), 1);
    assert_eq!(comparison.by_ply[0].predictions, 14);
}

#[test]
fn games_that_go_their_own_way_are_not_predicted() {
    assert_eq!(compare(&[game("f5d6", 10)], &[]).by_games, []);
    let comparison = compare(&[game("f5d6", 10)], &[game("f5f6", 0)]);
    assert_eq!(comparison.by_games[0].predictions, 2);
    // Nobody won or lost, so there is no order.
    assert_eq!(fit(&comparison.by_games[0], Predictor::Mean).order, None);
}

/// With scores, only positions with a score count. Scores have an order but no error.
#[test]
fn scores_are_compared_if_there_are_any() {
    let board = |moves: &str| moves.parse::<Line>().unwrap().board().canonical();
    let (won, lost) = (board("f5d6"), board("f5f6"));
    let score = |asked: CanonicalBoard| match asked {
        _ if asked == won => Some(-3),
        _ if asked == lost => Some(5),
        _ => None,
    };
    let games = [game("f5d6", 10), game("f5f6", -10)];
    let settings = Settings::default();
    let (mut earlier, mut later) = (plays(&games), plays(&games));
    let comparison = Comparison::new(&mut earlier, &mut later, &settings, Some(&score));
    let [group] = &comparison.by_games[..] else {
        panic!("{comparison:?}");
    };
    assert_eq!(group.predictions, 2);
    let wrong = Fit {
        order: Some(0.0),
        error: None,
    };
    assert_eq!(fit(group, Predictor::Score), wrong);
    assert_eq!(fit(group, Predictor::Mean).order, Some(1.0));
}

fn games() -> impl Strategy<Value = Vec<Game>> {
    let game = (prop::collection::vec(0usize..3, 0..5), -1i8..=1);
    let game = game.prop_map(|(choices, sign)| {
        let mut line = Line::new();
        for choice in choices {
            let moves: Vec<Move> = line.board().moves().collect();
            line.push(moves[choice % moves.len()]).unwrap();
        }
        (line, Score::new(10 * sign).unwrap())
    });
    prop::collection::vec(game, 1..10)
}

proptest! {
    /// Fits equal those from counting every pair of a won and a lost game and summing every error.
    ///
    /// Law (Game records): The measured quality of ratings equals a plain count of pairs of games and errors.
    /// Also: `cli/tests/program/rate.rs` `earlier_games_predict_their_own_copies`
    #[test]
    fn fits_are_those_of_counting_pairs(earlier in games(), later in games()) {
        let result = |(line, score): &Game, length: usize| {
            let black = score.get().signum();
            let side = line.prefix(length).side();
            if side == Side::Black { black } else { -black }
        };
        // For each later game in each position of an earlier one: the mean of the earlier results, and its own result.
        let mut predicted: Vec<(usize, f64, i8)> = Vec::new();
        for game in &later {
            for length in 0..=game.0.moves().len() {
                let board = game.0.prefix(length).board().canonical();
                let reached = |before: &Game| {
                    (0..=before.0.moves().len())
                        .find(|at| before.0.prefix(*at).board().canonical() == board)
                        .map(|at| f64::from(result(before, at) + 1) / 2.0)
                };
                let results: Vec<f64> = earlier.iter().filter_map(reached).collect();
                if !results.is_empty() {
                    let mean = results.iter().sum::<f64>() / results.len() as f64;
                    predicted.push((results.len(), mean, result(game, length)));
                }
            }
        }
        let comparison = compare(&earlier, &later);
        let all: u64 = comparison.by_games.iter().map(|group| group.predictions).sum();
        prop_assert_eq!(all, predicted.len() as u64);
        prop_assert_eq!(comparison.by_ply.iter().map(|group| group.predictions).sum::<u64>(), all);
        for group in &comparison.by_games {
            let here = || predicted.iter().filter(|at| (group.from..=group.to).contains(&(at.0 as u64)));
            prop_assert_eq!(here().count() as u64, group.predictions);
            let error = here().map(|at| (at.1 - f64::from(at.2 + 1) / 2.0).powi(2)).sum::<f64>();
            let (mut right, mut pairs) = (0.0, 0.0);
            for won in here().filter(|at| at.2 > 0) {
                for lost in here().filter(|at| at.2 < 0) {
                    pairs += 1.0;
                    right += if won.1 > lost.1 { 1.0 } else if won.1 == lost.1 { 0.5 } else { 0.0 };
                }
            }
            let mean = fit(group, Predictor::Mean);
            prop_assert!((mean.error.unwrap() - error / group.predictions as f64).abs() < 1e-12);
            prop_assert_eq!(mean.order.is_some(), pairs > 0.0);
            if let Some(order) = mean.order {
                prop_assert!((order - right / pairs).abs() < 1e-12);
            }
        }
    }
}
