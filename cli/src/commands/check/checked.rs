//! Checked games, and how well the players did.

use super::words::percent;
use crate::options::games::Picked;
use obook::plot::Course;
use obook::read::played::{Judgement, Phase, Tally};
use obook_games::Game;
use obook_games::names::{Opening, of_line};
use obook_othello::Side;
use serde::{Serialize, Serializer};
use serde_json::json;
use std::collections::BTreeMap;

#[derive(Serialize)]
pub(super) struct CheckedGame {
    /// File and number.
    pub(super) place: String,
    pub(super) black: Option<String>,
    pub(super) white: Option<String>,
    /// The score in the record, for Black.
    pub(super) score: Option<i8>,
    pub(super) opening: Option<&'static Opening>,
    /// Whether the searches for all moves were made; not if they were interrupted.
    pub(super) complete: bool,
    #[serde(flatten)]
    pub(super) judgement: Judgement,
    pub(super) sides: [BySide; 2],
    #[serde(skip)]
    pub(super) game: Game,
}

/// How well one side of a game played.
#[derive(Serialize)]
pub(super) struct BySide {
    pub(super) side: &'static str,
    #[serde(flatten)]
    pub(super) tallies: Tallies,
}

#[derive(Default, Serialize)]
pub(super) struct Player {
    pub(super) name: String,
    pub(super) games: u64,
    #[serde(flatten)]
    pub(super) tallies: Tallies,
}

/// Moves and losses in total, and by phase of the game.
#[derive(Clone, Copy, Default, Serialize)]
pub(super) struct Tallies {
    #[serde(flatten, serialize_with = "rated")]
    pub(super) all: Tally,
    #[serde(serialize_with = "rated")]
    pub(super) opening: Tally,
    #[serde(serialize_with = "rated")]
    pub(super) midgame: Tally,
    #[serde(serialize_with = "rated")]
    pub(super) endgame: Tally,
}

/// Writes a tally with its accuracy, in percent, and its mean loss.
fn rated<S: Serializer>(tally: &Tally, serializer: S) -> Result<S::Ok, S::Error> {
    let mut rated = json!(tally);
    rated["accuracy"] = json!(tally.accuracy());
    rated["mean_loss"] = json!(tally.mean_loss());
    rated.serialize(serializer)
}

impl Tallies {
    fn of(judgement: &Judgement, side: Side) -> Tallies {
        let of = |phase| judgement.tally(side, phase);
        Tallies {
            all: of(None),
            opening: of(Some(Phase::Opening)),
            midgame: of(Some(Phase::Midgame)),
            endgame: of(Some(Phase::Endgame)),
        }
    }

    /// The cells of a row about them.
    pub(super) fn cells(&self) -> [String; 8] {
        let all = &self.all;
        let mean = all.mean_loss().map(|loss| format!("{loss:.2}"));
        [
            all.moves.to_string(),
            all.best.to_string(),
            percent(all),
            all.loss.to_string(),
            mean.unwrap_or_else(|| String::from("-")),
            self.opening.loss.to_string(),
            self.midgame.loss.to_string(),
            self.endgame.loss.to_string(),
        ]
    }
}

obook_base::sums! { Tallies { all, opening, midgame, endgame } }

impl CheckedGame {
    pub(super) fn new(Picked { place, game }: Picked, judgement: Judgement) -> CheckedGame {
        let side = |side: Side| BySide {
            side: side.name(),
            tallies: Tallies::of(&judgement, side),
        };
        CheckedGame {
            place,
            black: game.black.name.clone(),
            white: game.white.name.clone(),
            score: game.score.map(|score| score.get()),
            opening: of_line(game.line()),
            complete: judgement.moves.len() == game.line().moves().len(),
            sides: [Side::Black, Side::White].map(side),
            judgement,
            game,
        }
    }

    /// The names of the players, as far as known.
    pub(super) fn title(&self) -> String {
        let name = |name: &Option<String>| name.clone().unwrap_or_else(|| String::from("?"));
        format!("{} – {}", name(&self.black), name(&self.white))
    }

    /// The graph of the worth from move to move.
    pub(super) fn course(&self) -> Course {
        Course {
            title: self.title(),
            judgement: self.judgement.clone(),
        }
    }
}

/// How well each named player did.
#[derive(Default)]
pub(super) struct Players(BTreeMap<String, Player>);

impl Players {
    pub(super) fn add(&mut self, game: &CheckedGame) {
        for (name, BySide { tallies, .. }) in [&game.black, &game.white].iter().zip(&game.sides) {
            if let Some(name) = name {
                let player = self.0.entry(name.clone()).or_insert_with(|| Player {
                    name: name.clone(),
                    ..Player::default()
                });
                player.games += 1;
                player.tallies += *tallies;
            }
        }
    }

    /// The player with the most moves first.
    pub(super) fn sorted(self) -> Vec<Player> {
        let mut players: Vec<Player> = self.0.into_values().collect();
        players.sort_by_key(|player| std::cmp::Reverse(player.tallies.all.moves));
        players
    }
}
