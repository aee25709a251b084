//! Filters for games: `--player`, `--since` and so on.

use clap::{Args, ValueEnum};
use obook_book::games::{Condition, Winner};

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Games")]
pub(crate) struct WhichGames {
    /// Only games of this player; part of the name is enough
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Only games that this player played as Black
    #[arg(long, value_name = "NAME")]
    black: Option<String>,
    /// Only games that this player played as White
    #[arg(long, value_name = "NAME")]
    white: Option<String>,
    /// Only games of this tournament; part of the name is enough
    #[arg(long, value_name = "NAME")]
    tournament: Option<String>,
    /// Only games from this year on
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(u16).range(1..))]
    since: Option<u16>,
    /// Only games up to this year
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(u16).range(1..))]
    until: Option<u16>,
    /// Only games that this side won
    #[arg(long, value_name = "SIDE")]
    won_by: Option<WonBy>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum WonBy {
    Black,
    White,
    /// Draws
    Nobody,
}

impl WhichGames {
    pub(crate) fn condition(&self) -> Condition {
        Condition {
            since: self.since,
            until: self.until,
            player: self.player.clone(),
            black: self.black.clone(),
            white: self.white.clone(),
            tournament: self.tournament.clone(),
            winner: self.won_by.map(|side| match side {
                WonBy::Black => Winner::Black,
                WonBy::White => Winner::White,
                WonBy::Nobody => Winner::None,
            }),
        }
    }
}
