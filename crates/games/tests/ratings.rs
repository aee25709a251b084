//! Ratings compared with a plain recursion of the paper's definition, and with numbers calculated by hand.

use crate::support::archive_files;
use obook_games::ratings::{
    Divisor, Method, PlayedPosition, PlayedPositions, Rating, Settings, for_each,
};
use obook_games::{Reader, Score};
use obook_needs::needs;
use obook_othello::{Board, CanonicalBoard, Line, Move, Side, Symmetry};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

type Game = (Line, Score);

/// The ratings of all positions of some games.
fn ratings(
    games: &[Game],
    settings: &Settings,
) -> BTreeMap<CanonicalBoard, (PlayedPosition, Rating)> {
    let mut plays = PlayedPositions::default();
    games
        .iter()
        .for_each(|(line, score)| plays.add(line, *score));
    let mut ratings = BTreeMap::new();
    for_each(&mut plays, settings, |play, rating| {
        let twice = ratings.insert(play.board, (*play, rating));
        assert_eq!(twice, None);
    });
    ratings
}

/// A move in a position, in the orientation in which both compare least: moves that a symmetry makes equal are one.
fn turned(board: Board, mv: Move) -> (Board, Move) {
    let turn = |symmetry: Symmetry| (symmetry.board(board), symmetry.play(mv));
    Symmetry::ALL.into_iter().map(turn).min().unwrap()
}

/// The games in each position: the positions after each move, and the results of games that ended there, from 0 to 1 for the
/// side to move.
#[derive(Default)]
struct Plain {
    after: BTreeMap<CanonicalBoard, BTreeMap<(Board, Move), CanonicalBoard>>,
    ends: BTreeMap<CanonicalBoard, Vec<f64>>,
}

impl Plain {
    fn new(games: &[Game]) -> Plain {
        let mut plain = Plain::default();
        for (line, score) in games {
            for length in 0..line.moves().len() {
                let (before, after) = (line.prefix(length), line.prefix(length + 1));
                let after = after.board().canonical();
                let mv = turned(before.board(), line.moves()[length]);
                let before = before.board().canonical();
                plain.after.entry(before).or_default().insert(mv, after);
            }
            let black = (f64::from(score.get().signum()) + 1.0) / 2.0;
            let result = match line.side() {
                Side::Black => black,
                Side::White => 1.0 - black,
            };
            let ends = plain.ends.entry(line.board().canonical()).or_default();
            ends.push(result);
        }
        plain
    }

    /// The paper's probability for one player: 1 − ∏(1 − f) if that player is to move (`maximizes`), otherwise ∏ f.
    fn probability(&self, board: CanonicalBoard, maximizes: bool, alpha: f64) -> f64 {
        let ends = self.ends.get(&board).map(|results| {
            let mean = results.iter().sum::<f64>() / results.len() as f64;
            let won = if maximizes { mean } else { 1.0 - mean };
            won * alpha + (1.0 - won) * (1.0 - alpha)
        });
        let after = self
            .after
            .get(&board)
            .into_iter()
            .flat_map(BTreeMap::values);
        let ways: Vec<f64> = after
            .map(|child| self.probability(*child, !maximizes, alpha))
            .chain(ends)
            .collect();
        match &ways[..] {
            [end] if ends.is_some() => *end,
            _ if maximizes => 1.0 - ways.iter().map(|f| 1.0 - f).product::<f64>(),
            _ => ways.iter().product(),
        }
    }

    /// The paper's expectations for the side to move.
    fn expectation(&self, board: CanonicalBoard, method: Method, settings: &Settings) -> f64 {
        let results = self.ends.get(&board);
        let end = results.map(|results| results.iter().sum::<f64>() / results.len() as f64);
        let after = self
            .after
            .get(&board)
            .into_iter()
            .flat_map(BTreeMap::values);
        let after: Vec<&CanonicalBoard> = after.collect();
        if let (Some(end), true) = (end, after.is_empty()) {
            return end;
        }
        let of_child = |child: &&CanonicalBoard| 1.0 - self.expectation(**child, method, settings);
        let f: Vec<f64> = after.iter().map(of_child).chain(end).collect();
        let moves = board.board().moves();
        let moves: BTreeSet<(Board, Move)> = moves.map(|mv| turned(board.board(), mv)).collect();
        let n = (moves.len() + usize::from(end.is_some())) as f64;
        let played = f.len() as f64;
        let d = (61 - board.board().empties()) as f64;
        let (n0, dp) = (settings.moves_at_start, settings.settled_from);
        let t = if d < dp {
            n0 - (n0 - 1.0) * d.ln() / dp.ln()
        } else {
            1.0
        };
        let a = 0.5 / t;
        let u = a * (t - played);
        let sum: f64 = f.iter().sum();
        let squares: f64 = f.iter().map(|f| f * f).sum();
        match (method, t > played) {
            (Method::Expectation1, true) => sum / n + (n - played) / n * u,
            (Method::Expectation1, false) => match settings.divisor {
                Divisor::Played => sum / played,
                Divisor::Legal => sum / n,
            },
            (Method::Expectation2, true) => {
                let all = sum + (n - played) * u;
                if all == 0.0 {
                    0.0
                } else {
                    squares / all + (n - played) / all * u * u
                }
            }
            _ => {
                if sum == 0.0 {
                    0.0
                } else {
                    squares / sum
                }
            }
        }
    }
}

/// Games with many common positions, which may end anywhere. Each move is one of the first `width` legal ones.
fn games() -> impl Strategy<Value = Vec<Game>> {
    let game = |width: usize| {
        let choices = prop::collection::vec(0..width, 0..9);
        (choices, -1i8..=1).prop_map(|(choices, sign)| {
            let mut line = Line::new();
            for choice in choices {
                let moves: Vec<Move> = line.board().moves().collect();
                line.push(moves[choice % moves.len()]).unwrap();
            }
            (line, Score::new(10 * sign).unwrap())
        })
    };
    (1usize..5).prop_flat_map(move |width| prop::collection::vec(game(width), 1..12))
}

fn settings() -> impl Strategy<Value = Settings> {
    (0.5..=1.0, 1.0..9.0, 1.5..30.0, any::<bool>()).prop_map(
        |(alpha, moves_at_start, settled_from, printed)| Settings {
            alpha,
            moves_at_start,
            settled_from,
            divisor: if printed {
                Divisor::Legal
            } else {
                Divisor::Played
            },
        },
    )
}

proptest! {
    /// Law (Game records): Ratings follow the paper's formulas, in any order of games and any orientation.
    /// Also: `order_and_orientation_do_not_matter`
    #[test]
    fn ratings_are_those_of_plain_recursion(games in games(), settings in settings()) {
        let plain = Plain::new(&games);
        let ratings = ratings(&games, &settings);
        let boards: BTreeSet<_> = plain.after.keys().chain(plain.ends.keys()).collect();
        prop_assert!(ratings.keys().eq(boards));
        for (board, (_, rating)) in &ratings {
            let near = |method: Method, expected: f64| (rating.of(method) - expected).abs() < 1e-12;
            for maximizes in [true, false] {
                let f = plain.probability(*board, maximizes, settings.alpha);
                let own = if maximizes { f } else { 1.0 - f };
                prop_assert!(near(Method::Probability, own));
            }
            for method in [Method::Expectation1, Method::Expectation2] {
                let expected = plain.expectation(*board, method, &settings);
                prop_assert!(near(method, expected), "{method:?}: {} and {expected}", rating.of(method));
            }
        }
    }

    #[test]
    fn ratings_lie_between_a_loss_and_a_win(games in games(), settings in settings()) {
        for (_, rating) in ratings(&games, &settings).values() {
            for method in Method::ALL {
                prop_assert!((-1e-12..=1.0 + 1e-12).contains(&rating.of(method)), "{method}");
            }
        }
    }

    /// Neither the order of the games nor the orientation of the board matters.
    #[test]
    fn order_and_orientation_do_not_matter(games in games(), settings in settings()) {
        let turned: Vec<Game> = games.iter().rev().map(|(line, score)| {
            let turn = |mv: &Move| match mv {
                Move::Place(square) => Move::Place(obook_othello::Square::new(63 - square.index()).unwrap()),
                Move::Pass => Move::Pass,
            };
            (Line::from_moves(line.moves().iter().map(turn)).unwrap(), *score)
        }).collect();
        let (one, other) = (ratings(&games, &settings), ratings(&turned, &settings));
        prop_assert!(one.keys().eq(other.keys()));
        for (board, (play, rating)) in &one {
            prop_assert_eq!(*play, other[board].0);
            for method in Method::ALL {
                let apart = rating.of(method) - other[board].1.of(method);
                prop_assert!(apart.abs() < 1e-12);
            }
        }
    }
}

fn game(moves: &str, score: i8) -> Game {
    (moves.parse().unwrap(), Score::new(score).unwrap())
}

fn of(games: &[Game], settings: &Settings, moves: &str, method: Method) -> f64 {
    let line: Line = moves.parse().unwrap();
    ratings(games, settings)[&line.board().canonical()]
        .1
        .of(method)
}

/// Black wins after f5d6 and loses after f5f6, so after f5 White has three moves: one wins and one loses.
#[test]
fn numbers_made_by_hand() {
    let games = [game("f5d6", 10), game("f5f6", -2)];
    let settings = Settings {
        alpha: 0.75,
        moves_at_start: 4.0,
        settled_from: 4.0,
        divisor: Divisor::Played,
    };
    let at = |moves, method| of(&games, &settings, moves, method);
    use Method::{Expectation1, Expectation2, Probability};
    assert_eq!(at("f5d6", Probability), 0.75);
    assert_eq!(at("f5f6", Probability), 0.25);
    assert_eq!(at("f5", Probability), 1.0 - 0.75 * 0.25);
    assert_eq!(at("", Probability), 0.75 * 0.25);
    // At depth 2 of 4, t is half way from 4 to 1, which is 2.5. Two moves were played, so the third is worth
    // (2.5 − 2) / (2 · 2.5) = 0.1.
    assert_eq!(settings.enough_moves(2), 2.5);
    assert_eq!(at("f5d6", Expectation1), 1.0);
    assert!((at("f5", Expectation1) - (1.0 + 0.1) / 3.0).abs() < 1e-12);
    assert!((at("f5", Expectation2) - (1.0 + 0.01) / 1.1).abs() < 1e-12);
    // The four moves at the start are symmetric, so one of one was played.
    assert!((at("", Expectation1) - (1.0 - at("f5", Expectation1))).abs() < 1e-12);
}

/// One of three moves is enough from the first ply. The printed formula counts the others as lost.
#[test]
fn the_divisor_as_printed_and_as_meant() {
    let games = [game("f5d6", -10)];
    let meant = Settings {
        moves_at_start: 1.0,
        ..Settings::default()
    };
    let printed = Settings {
        divisor: Divisor::Legal,
        ..meant
    };
    let at = |settings, method| of(&games, settings, "f5", method);
    assert_eq!(at(&meant, Method::Expectation1), 1.0);
    assert_eq!(at(&printed, Method::Expectation1), 1.0 / 3.0);
    assert_eq!(at(&meant, Method::Expectation2), 1.0);
    assert_eq!(at(&printed, Method::Expectation2), 1.0);
}

#[test]
fn a_draw_is_half_a_win() {
    let games = [game("f5d6", 0)];
    for method in Method::ALL {
        assert_eq!(
            of(&games, &Settings::default(), "f5d6", method),
            0.5,
            "{method}"
        );
    }
}

/// A game that ends early counts as one more move.
#[test]
fn an_early_end_is_one_more_way() {
    let games = [game("f5", 10), game("f5d6", 10), game("f5", 0)];
    let settings = Settings {
        moves_at_start: 1.0,
        ..Settings::default()
    };
    // For White, who is to move, the games that ended there are worth 1/4, and the move 0.
    assert_eq!(of(&games, &settings, "f5", Method::Expectation1), 0.125);
    let (play, _) = ratings(&games, &settings)[&"f5".parse::<Line>().unwrap().board().canonical()];
    assert_eq!((play.count(), play.legal(), play.mean()), (3, 3, 1.0 / 6.0));
}

/// Passes are moves: the position after a pass is rated first, although it has as many discs.
#[test]
fn a_pass_turns_the_rating_around() {
    let line: Line = "f5f6d3g5h5h4f7h6pae7".parse().unwrap();
    let games = [(line.clone(), Score::new(4).unwrap())];
    let settings = Settings {
        moves_at_start: 1.0,
        ..Settings::default()
    };
    let ratings = ratings(&games, &settings);
    assert_eq!(ratings.len(), line.moves().len() + 1);
    for length in 0..=line.moves().len() {
        let prefix = line.prefix(length);
        let black = prefix.side() == Side::Black;
        let rating = ratings[&prefix.board().canonical()].1;
        assert_eq!(
            rating.of(Method::Expectation1),
            f64::from(u8::from(black)),
            "{prefix}"
        );
    }
}

/// Symmetric games count as repetitions of one game, and symmetric moves as one move.
#[test]
fn symmetric_moves_are_one_move() {
    let games = [
        game("f5d6", 2),
        game("d3c5", 2),
        game("c4e3", -2),
        game("e6f4", 2),
    ];
    let ratings = ratings(&games, &Settings::default());
    assert_eq!(ratings.len(), 3);
    let (start, _) = ratings[&Board::START.canonical()];
    assert_eq!(
        (
            start.squares.len(),
            start.legal(),
            start.count(),
            start.mean()
        ),
        (1, 1, 4, 0.75)
    );
}

/// Two moves that no symmetry makes equal stay two, even if they lead to the same position.
#[test]
fn moves_to_one_position_are_two_moves() {
    let line: Line = "d3c3c4c5b4e3d2".parse().unwrap();
    let board = line.board();
    let after: BTreeSet<CanonicalBoard> = board
        .moves()
        .map(|mv| board.play(mv).unwrap().canonical())
        .collect();
    let moves = board.moves().count();
    assert_eq!(after.len(), moves - 1);
    let (play, _) = ratings(
        &[(line.clone(), Score::new(2).unwrap())],
        &Settings::default(),
    )[&board.canonical()];
    assert_eq!(play.legal(), moves);
}

/// Illegal moves, and moves without a following position. Games never have them, but a damaged table may.
#[test]
fn rows_that_make_no_sense_are_passed_over() {
    let mut plays = PlayedPositions::default();
    let board = Board::START.canonical();
    plays.push(board, Some("a1".parse().unwrap()), 4);
    plays.push(board, Some(Move::Pass), 4);
    let mut rated = 0;
    for_each(&mut plays, &Settings::default(), |_, _| rated += 1);
    assert_eq!(rated, 0);
    plays.push(board, Some("f5".parse().unwrap()), 4);
    plays.push("f5".parse::<Line>().unwrap().board().canonical(), None, -4);
    for_each(&mut plays, &Settings::default(), |_, rating| {
        assert!(rating.of(Method::Expectation2) >= 0.0);
        rated += 1;
    });
    assert_eq!(rated, 2);
}

/// All positions of the archive are rated, and the start position by all games.
#[needs(archive)]
#[test]
fn forty_years_are_rated() {
    let mut plays = PlayedPositions::default();
    for file in archive_files() {
        for entry in Reader::open(&file, None).unwrap() {
            let game = entry.unwrap().game;
            plays.add(game.line(), game.score.unwrap());
        }
    }
    let (mut rated, mut last) = (0, None);
    for_each(&mut plays, &Settings::default(), |play, rating| {
        for method in Method::ALL {
            assert!((-1e-9..=1.0 + 1e-9).contains(&rating.of(method)));
        }
        rated += 1;
        last = Some(*play);
    });
    let start = last.unwrap();
    assert_eq!(start.board, Board::START.canonical());
    assert_eq!((rated, start.count()), (5_412_195, 124_326));
}
