//! Games as an argument: a database with games, or files; and filters such as `--player`.

use crate::context;
use crate::failure::Failure;
use clap::{Args, ValueEnum};
use obook_book::games::{Condition, GameError, Winner, games as stored, in_temporary};
use obook_book::{Context, Error, FileKind, Store};
use obook_games::{Entry, Fault, Game, Reader};
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, Args)]
pub(crate) struct Games {
    /// A database with games, or files of games
    #[arg(required = true)]
    pub(crate) games: Vec<PathBuf>,
}

/// Opens the database with the games. Games from files go into a temporary one.
pub(crate) fn open(games: &[PathBuf], context: &Context) -> Result<Store, Failure> {
    match database(games)? {
        Some(store) => Ok(store),
        None => Ok(in_temporary(entries(games), context)?),
    }
}

/// Opens the database that is given instead of files, if any.
fn database(games: &[PathBuf]) -> Result<Option<Store>, Error> {
    let is_database = |path: &Path| FileKind::of(path).is_ok_and(|it| it == FileKind::Database);
    match games {
        [path] if is_database(path) => Store::open(path, &context::quiet()).map(Some),
        _ => Ok(None),
    }
}

/// Calls `take` with the games one after another, and with `None` for each game with a faulty record. A game that ended
/// early is not faulty.
pub(crate) fn each_right<R>(
    games: &[PathBuf],
    take: impl FnOnce(&mut dyn Iterator<Item = Result<Option<Game>, Error>>) -> R,
) -> Result<R, Error> {
    if let Some(store) = database(games)? {
        let all = Condition::default();
        let stored = stored(store.connection(), &all);
        let right = |game: Result<(_, Game), GameError>| match game {
            Ok((_, game)) => Ok(Some(game)),
            Err(error) => Err(error.at(store.path())),
        };
        return Ok(take(&mut stored.map(right)));
    }
    let is_right = |fault: &Fault| matches!(fault, Fault::EndsEarly { .. });
    let right = |entry: Entry| entry.faults.iter().all(is_right).then_some(entry.game);
    Ok(take(&mut entries(games).map(|entry| entry.map(right))))
}

/// Returns the games of these files, one file after another.
pub(crate) fn entries(files: &[PathBuf]) -> impl Iterator<Item = Result<Entry, Error>> + Send + '_ {
    files.iter().flat_map(|file| read(file))
}

/// Returns the games of one file.
pub(crate) fn read(file: &Path) -> impl Iterator<Item = Result<Entry, Error>> + Send + use<> {
    let (reader, failed) = match Reader::open(file) {
        Ok(reader) => (Some(reader), None),
        Err(error) => (None, Some(Err(error))),
    };
    let entries = failed.into_iter().chain(reader.into_iter().flatten());
    entries.map(|entry| entry.map_err(Error::from))
}

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
