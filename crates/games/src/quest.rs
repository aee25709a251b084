//! Othello Quest's games: objects of JSON, as its server sends them.
//!
//! ```text
//! {"id":"0x1","tcb":300000,"created":"2026-05-01T10:00:00.000Z","players":[{"name":"Rose","oldR":1820.4},{"name":"Fern"}],
//!  "position":{"moves":[{"m":"f5","t":1200},{"m":"d6","t":900},{"s":"LOSE:RESIGN","t":4000}]}}
//! ```
//!
//! A pass is `-`. A game ends with `SCORE`, or with the loser (the side to move or its opponent) and the reason. Other objects may enclose
//! those of games.

use crate::pieces::{Found, Piece, Pieces};
use crate::replay::Replay;
use crate::{Clock, Ending, Error, Fault, Game, Note, Player, Score, text};
use obook_othello::{Move, Side};
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;

/// Splits a text into games: finds the next game, and where its object begins.
pub(crate) fn games() -> impl FnMut(&mut Pieces) -> Result<Option<Found>, Error> {
    // More games of the last object.
    let mut more: VecDeque<Found> = VecDeque::new();
    move |pieces| {
        while more.is_empty() {
            let Some(piece) = pieces.next_object()? else {
                return Ok(None);
            };
            match serde_json::from_slice::<Value>(&piece.bytes) {
                Ok(value) => add(&mut more, &piece, &value),
                Err(error) => {
                    let fault = Fault::field("the object", &error.to_string(), "JSON");
                    more.push_back((piece, (Game::default(), vec![fault])));
                }
            }
        }
        Ok(more.pop_front())
    }
}

/// Adds the games of an object, and of those in it.
fn add(found: &mut VecDeque<Found>, piece: &Piece, value: &Value) {
    match value {
        Value::Object(_) if value["position"]["moves"].is_array() => {
            found.push_back((piece.beginning(), read(value)));
        }
        Value::Object(fields) => fields.values().for_each(|value| add(found, piece, value)),
        Value::Array(values) => values.iter().for_each(|value| add(found, piece, value)),
        _ => {}
    }
}

/// Whether a text begins with such objects.
pub(crate) fn is_games(text: &str) -> bool {
    let has = |name| text.contains(name);
    let has_moves = has("\"m\":\"") || has("\"m\": \"");
    text.trim_start().starts_with(['{', '[']) && (has("\"players\"") || has_moves)
}

fn read(object: &Value) -> (Game, Vec<Fault>) {
    let mut replay = Replay::default();
    let mut game = Game::default();
    game.black = player(&object["players"][0]);
    game.white = player(&object["players"][1]);
    game.site = Some("Othello Quest".to_owned());
    let created = object["created"].as_str().unwrap_or_default();
    let (day, time) = created.split_once('T').unwrap_or((created, ""));
    let date = replay.parsed("created", day, "a day such as 2026-05-01");
    game.date = date.unwrap_or_default();
    game.time =
        text::line(time.split(['.', 'Z']).next().unwrap_or_default()).map(|time| time + ".UTC");
    let clock = object["tcb"].as_u64().map(Duration::from_millis);
    let clock = clock.and_then(Clock::of_time);
    (game.black.clock, game.white.clock) = (clock, clock);
    for item in object["position"]["moves"].as_array().into_iter().flatten() {
        if let Some(text) = item["m"].as_str() {
            let time = item["t"].as_u64().map(Duration::from_millis);
            let mv = match text {
                "-" => Ok(Move::Pass),
                text => text.parse(),
            };
            match mv {
                Ok(mv) => replay.play_with(None, mv, Note { time, ..Note::NONE }),
                Err(_) => replay.no_move(text, "a square such as f5, or -"),
            }
        }
        if let Some((who, why)) = item["s"].as_str().and_then(|end| end.split_once(':')) {
            end(&mut game, replay.line().side(), who, why);
        }
    }
    if game.score.is_none() {
        game.score = Score::at_end(replay.line());
    }
    replay.finish(game)
}

fn player(object: &Value) -> Player {
    let name = object["name"].as_str().or(object["id"].as_str());
    let rating = object["oldR"].as_number();
    Player {
        name: name.and_then(text::line),
        rating: rating.and_then(|rating| rating.to_string().parse().ok()),
        clock: None,
    }
}

/// Ends a game in which this side is to move: it or its opponent lost, with all discs.
fn end(game: &mut Game, side: Side, who: &str, why: &str) {
    let winner = match who {
        "LOSE" => side.other(),
        "WIN" => side,
        _ => return,
    };
    game.ending = Some(match why {
        "RESIGN" => Ending::Resigned,
        // Or a lost connection.
        _ => Ending::TimeOut,
    });
    game.score = Score::new(winner.for_black(64));
}
