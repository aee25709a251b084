//! The formulas, the row of numbers that the paper published, and games like those behind it.

use crate::ratings::{Divisor, Method, Rating, Settings};
use proptest::prelude::*;

/// Of each move in the paper's example (Habu's Brain 5, page 9, Black to move): its games, the share that Black won, and its ratings
/// by probability, expectation 1 and expectation 2.
const PUBLISHED: [(usize, f64, [f64; 3]); 3] = [
    // ▲４八銀, ▲５六歩, ▲２六歩.
    (105, 0.438, [0.015, 0.401, 0.388]),
    (57, 0.737, [0.000, 0.419, 0.439]),
    (30, 0.600, [0.998, 0.471, 0.503]),
];

/// Three moves are enough for a verdict.
const DEPTH: usize = 6;

#[test]
fn the_published_moves_rate_their_position() {
    let worth = |method| {
        let worths = PUBLISHED.map(|(_, _, ratings)| ratings[method as usize]);
        Settings::default().worth(method, DEPTH, 30, &worths)
    };
    // 1 − 0.985 · 1 · 0.002, the mean, and 0.596274 / 1.33, by hand.
    for (method, by_hand) in Method::ALL
        .into_iter()
        .zip([0.998_03, 0.430_333, 0.448_326])
    {
        assert!(
            (worth(method) - by_hand).abs() < 1e-6,
            "{method}: {}",
            worth(method)
        );
    }
}

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % bound
    }
}

/// A game: its moves, and Black's result.
type Game = (Vec<usize>, f64);

/// The rating of the position that these games go through from this ply on, in which Black moves if `black`. A position has 30 moves.
fn rate(games: &[Game], ply: usize, black: bool, settings: &Settings) -> Rating {
    let (going, ended): (Vec<&Game>, Vec<&Game>) =
        games.iter().partition(|game| game.0.len() > ply);
    let mut after = Vec::new();
    for mv in 0..30 {
        let through: Vec<Game> = going
            .iter()
            .filter(|game| game.0[ply] == mv)
            .map(|game| (*game).clone())
            .collect();
        if !through.is_empty() {
            after.push(rate(&through, ply + 1, !black, settings));
        }
    }
    let results = ended
        .iter()
        .map(|game| if black { game.1 } else { 1.0 - game.1 });
    let mean = (!ended.is_empty()).then(|| results.sum::<f64>() / ended.len() as f64);
    Rating::of_moves(settings, DEPTH + 1 + ply, 30, &after, mean).expect("there are games")
}

/// As many games as the paper's, won as often: after some moves each goes its own way.
fn games_like_published(games: usize, won: f64, random: &mut Random) -> Vec<Game> {
    let won = (games as f64 * won).round() as usize;
    let game = |index| {
        let moves = (0..12).map(|ply| match ply {
            0..4 => random.below(2),
            _ => random.below(30),
        });
        (moves.collect(), f64::from(u8::from(index < won)))
    };
    (0..games).map(game).collect()
}

/// In the paper, the ratings by probability are 0.015, 0.000 and 0.998, and those by expectation 1 between 0.401 and 0.471. Other games
/// with the same numbers show the same: a product of many factors is often near 0 or 1, a mean of means isn't.
#[test]
fn probability_is_extreme_and_a_mean_is_not() {
    let settings = Settings::default();
    let mut random = Random(1);
    let is_extreme = |rating: &f64| !(0.1..=0.9).contains(rating);
    let mut extreme = [0; 3];
    let mut add = |ratings: [f64; 3]| {
        for (count, rating) in extreme.iter_mut().zip(&ratings) {
            *count += usize::from(is_extreme(rating));
        }
    };
    PUBLISHED.iter().for_each(|(_, _, ratings)| add(*ratings));
    for _ in 0..19 {
        for (games, won, _) in PUBLISHED {
            let games = games_like_published(games, won, &mut random);
            let rating = rate(&games, 0, false, &settings);
            add(Method::ALL.map(|method| 1.0 - rating.of(method)));
        }
    }
    let [probability, expectation1, _] = extreme;
    assert!(probability > 30 && expectation1 == 0, "of 60: {extreme:?}");
}

/// The printed divisor counts unplayed moves as lost, so ratings like the published ones are out of reach.
#[test]
fn the_printed_divisor_gives_no_such_ratings() {
    let printed = Settings {
        divisor: Divisor::Legal,
        ..Settings::default()
    };
    let mut random = Random(1);
    for (games, won, _) in PUBLISHED {
        let games = games_like_published(games, won, &mut random);
        let black = 1.0 - rate(&games, 0, false, &printed).of(Method::Expectation1);
        assert!(!(0.1..=0.9).contains(&black), "{black}");
    }
}

#[test]
fn a_position_without_games_has_no_rating() {
    let settings = Settings::default();
    assert_eq!(Rating::of_moves(&settings, 1, 30, &[], None), None);
    assert_eq!(
        Rating::of_moves(&settings, 1, 30, &[], Some(1.0)),
        Some(Rating::end(&settings, 1.0))
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Better moves weigh more in expectation 2, and neither mean leaves the range of the moves.
    #[test]
    fn means_lie_between_the_moves(worths in prop::collection::vec(0.0..=1.0f64, 1..9)) {
        let settings = Settings::default();
        let worth = |method| settings.worth(method, DEPTH, 30, &worths);
        let (least, most) = worths.iter().fold((1.0f64, 0.0f64), |(least, most), worth| (least.min(*worth), most.max(*worth)));
        let [any, mean, weighted] = Method::ALL.map(worth);
        prop_assert!(least - 1e-9 <= mean && mean <= weighted + 1e-9 && weighted <= most + 1e-9);
        prop_assert!(most <= any + 1e-9 && any <= 1.0);
    }
}
