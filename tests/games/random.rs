//! Random games with few players, years and first moves, so that many games have something in common.

use obook_games::{Date, Entry, Game, Place, Score};
use obook_othello::Line;
use proptest::prelude::*;

/// A game as a reader returns it.
pub(super) fn entry(game: Game) -> Entry {
    Entry {
        game,
        place: Place {
            file: None,
            number: 1,
            offset: 0,
            line: None,
        },
        faults: Vec::new(),
        numbers: None,
    }
}

const PLAYERS: [&str; 4] = ["Émile Noir", "Noir Anna", "Weiss Bo", "ito"];
const TOURNAMENTS: [&str; 2] = ["Tokyo", "Paris"];

/// A line chosen by numbers. Only the first moves have few choices.
fn line(choices: &[u8], length: usize) -> Line {
    let mut line = Line::new();
    for (at, choice) in choices.iter().cycle().take(length).enumerate() {
        let moves: Vec<_> = line.board().moves().collect();
        if moves.is_empty() {
            break;
        }
        let most = if at < 5 { 2 } else { moves.len() };
        let kinds = moves.len().min(most);
        line.push(moves[usize::from(*choice) % kinds]).unwrap();
    }
    line
}

/// A game that was finished or broken off, sometimes without players, year or result.
fn game() -> impl Strategy<Value = Game> {
    let choices = proptest::collection::vec(any::<u8>(), 64);
    let length = prop_oneof![3 => Just(64), 1 => 0usize..64];
    let named = |count| proptest::option::weighted(0.9, 0..count);
    (
        (choices, length),
        (
            named(PLAYERS.len()),
            named(PLAYERS.len()),
            named(TOURNAMENTS.len()),
        ),
        proptest::option::weighted(0.9, 1998u16..2003),
        proptest::option::weighted(0.9, -32i8..=32),
    )
        .prop_map(
            |((choices, length), (black, white, tournament), year, score)| {
                let mut game = Game::new(line(&choices, length));
                game.black.name = black.map(|player| PLAYERS[player].to_owned());
                game.white.name = white.map(|player| PLAYERS[player].to_owned());
                game.tournament = tournament.map(|place| TOURNAMENTS[place].to_owned());
                game.date = year.and_then(Date::of_year).unwrap_or(Date::UNKNOWN);
                game.score = score.and_then(|half| Score::new(2 * half));
                game
            },
        )
}

/// Enough games that the first positions need stored counts and the last positions don't.
pub(super) fn games() -> impl Strategy<Value = Vec<Game>> {
    proptest::collection::vec(game(), 60..140)
}
