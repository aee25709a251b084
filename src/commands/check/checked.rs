//! Checked games, and how well the players did.

use crate::commands::check::annotate::annotated;
use obook_book::read::played::{Judgement, Phase, Tally};
use obook_book::read::view::Named;
use obook_games::{Entry, Game};
use obook_othello::Side;
use serde::Serialize;
use std::collections::BTreeMap;

/// All games and players.
#[derive(Serialize)]
pub(super) struct Checked {
    pub(super) games: Vec<CheckedGame>,
    /// The player with the most moves first.
    pub(super) players: Vec<Player>,
}

#[derive(Serialize)]
pub(super) struct CheckedGame {
    /// File and number.
    pub(super) place: String,
    pub(super) black: Option<String>,
    pub(super) white: Option<String>,
    /// The score in the record, for Black.
    pub(super) score: Option<i8>,
    pub(super) opening: Option<Named>,
    #[serde(flatten)]
    pub(super) judgement: Judgement,
    pub(super) sides: [BySide; 2],
    /// The game with remarks on its moves.
    #[serde(skip)]
    pub(super) annotated: Game,
}

/// How well one side of a game played.
#[derive(Serialize)]
pub(super) struct BySide {
    pub(super) side: &'static str,
    #[serde(flatten)]
    pub(super) tallies: Tallies,
}

#[derive(Serialize)]
pub(super) struct Player {
    pub(super) name: String,
    pub(super) games: u64,
    #[serde(flatten)]
    pub(super) tallies: Tallies,
}

/// Moves and losses in total, and by phase of the game.
#[derive(Clone, Copy, Default, Serialize)]
pub(super) struct Tallies {
    #[serde(flatten)]
    pub(super) all: Rated,
    pub(super) opening: Rated,
    pub(super) midgame: Rated,
    pub(super) endgame: Rated,
}

/// A tally with its accuracy and mean loss.
#[derive(Clone, Copy, Default, Serialize)]
pub(super) struct Rated {
    #[serde(flatten)]
    pub(super) tally: Tally,
    /// Percent.
    pub(super) accuracy: Option<f64>,
    pub(super) mean_loss: Option<f64>,
}

impl From<Tally> for Rated {
    fn from(tally: Tally) -> Rated {
        Rated {
            tally,
            accuracy: tally.accuracy(),
            mean_loss: tally.mean_loss(),
        }
    }
}

impl Tallies {
    fn of(judgement: &Judgement, side: Side) -> Tallies {
        let of = |phase| judgement.tally(side, phase).into();
        Tallies {
            all: of(None),
            opening: of(Some(Phase::Opening)),
            midgame: of(Some(Phase::Midgame)),
            endgame: of(Some(Phase::Endgame)),
        }
    }

    pub(super) fn each(&self) -> [Rated; 4] {
        [self.all, self.opening, self.midgame, self.endgame]
    }

    fn add(&mut self, other: &Tallies) {
        let [all, opening, midgame, endgame] = self.each().map(|rated| rated.tally);
        let sum = |mut tally: Tally, more: Rated| {
            tally += more.tally;
            Rated::from(tally)
        };
        *self = Tallies {
            all: sum(all, other.all),
            opening: sum(opening, other.opening),
            midgame: sum(midgame, other.midgame),
            endgame: sum(endgame, other.endgame),
        };
    }
}

impl CheckedGame {
    pub(super) fn new(entry: &Entry, judgement: Judgement) -> CheckedGame {
        let game = &entry.game;
        let side = |side, name| BySide {
            side: name,
            tallies: Tallies::of(&judgement, side),
        };
        CheckedGame {
            place: entry.place.to_string(),
            black: game.black.name.clone(),
            white: game.white.name.clone(),
            score: game.score.map(|score| score.get()),
            opening: Named::of_line(game.line()),
            sides: [side(Side::Black, "black"), side(Side::White, "white")],
            annotated: annotated(game, &judgement),
            judgement,
        }
    }

    /// The names of the players, as far as known.
    pub(super) fn title(&self) -> String {
        let name = |name: &Option<String>| name.clone().unwrap_or_else(|| String::from("?"));
        format!("{} – {}", name(&self.black), name(&self.white))
    }
}

/// How well each named player did.
pub(super) fn players(games: &[CheckedGame]) -> Vec<Player> {
    let mut players: BTreeMap<&str, (u64, Tallies)> = BTreeMap::new();
    for game in games {
        for (name, BySide { tallies, .. }) in [&game.black, &game.white].iter().zip(&game.sides) {
            if let Some(name) = name {
                let (games, sum) = players.entry(name).or_default();
                *games += 1;
                sum.add(tallies);
            }
        }
    }
    let players = players.into_iter().map(|(name, (games, tallies))| Player {
        name: name.to_owned(),
        games,
        tallies,
    });
    let mut players: Vec<Player> = players.collect();
    players.sort_by_key(|player| std::cmp::Reverse(player.tallies.all.tally.moves));
    players
}
