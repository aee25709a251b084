//! Games out of the database into files.

use super::stored::games;
use crate::{AtomicFile, Context, Error, FileKind, IfExists, Result, Store};
use obook_games::wthor::{Names, Writer as YearWriter};
use obook_games::{Date, Game, Writer};
use obook_rows::GameId;
use obook_rows::games::Condition;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The formats that games are written in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GamesFormat {
    /// A folder with a `.wtb` file for each year, and the names in `WTHOR.JOU` and `WTHOR.TRN`.
    Wthor,
    /// A game in a line, with all that is known.
    Ggf,
    /// The Smart Game Format.
    Sgf,
    /// A game in a line: the moves and the result.
    Transcripts,
}

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Exported {
    /// Games.
    pub written: u64,
    /// Games that the format can't hold.
    pub left_out: u64,
}

/// Writes the games that are asked for, the latest first; WTHOR's in the order of their numbers. `left_out` is told of each
/// game that the format can't hold, and why.
///
/// # Errors
/// As [`AtomicFile::create`], where a folder for WTHOR has something in it, and where the games can't be read or written.
/// Nothing is written then.
pub fn export(
    store: &Store,
    condition: &Condition,
    to: &Path,
    format: GamesFormat,
    if_exists: IfExists,
    mut left_out: impl FnMut(GameId, &obook_games::Error),
) -> Result<Exported> {
    let context = store.context();
    let progress = context.progress();
    progress.step("writing games", None);
    let games = games(store.connection(), condition).map(|game| {
        progress.advance(1);
        game.map_err(|error| error.at(store.path()))
    });
    let writer = match format {
        GamesFormat::Wthor => return years(games, to, context, &mut left_out),
        GamesFormat::Ggf => Writer::ggf,
        GamesFormat::Sgf => Writer::sgf,
        GamesFormat::Transcripts => Writer::transcripts,
    };
    let mut file = AtomicFile::create(to, FileKind::Games, if_exists, context)?;
    let mut writer = writer(BufWriter::new(file.file()));
    let mut exported = Exported::default();
    for game in games {
        writer.write(&game?.1)?;
        exported.written += 1;
    }
    drop(writer.finish()?);
    file.commit()?;
    Ok(exported)
}

/// A file for each year in a folder, which must be new or empty.
fn years(
    games: impl Iterator<Item = Result<(GameId, Game)>>,
    folder: &Path,
    context: &Context,
    left_out: &mut dyn FnMut(GameId, &obook_games::Error),
) -> Result<Exported> {
    let mut by_year: BTreeMap<Option<u16>, Vec<(GameId, Game)>> = BTreeMap::new();
    for game in games {
        let (id, game) = game?;
        by_year.entry(id.year()).or_default().push((id, game));
    }
    let failed = || Error::io(folder, "write to");
    if !folder.exists() {
        fs::create_dir(folder).map_err(Error::io(folder, "create"))?;
    }
    if fs::read_dir(folder).map_err(failed())?.next().is_some() {
        let problem = "the folder has something in it; WTHOR files go into a folder of their own";
        return Err(Error::unfit(folder, problem));
    }
    let mut exported = Exported::default();
    let mut names = Names::default();
    let mut files = Vec::new();
    for (year, games) in by_year {
        let mut writer = YearWriter::new(std::mem::take(&mut names), year);
        for (id, game) in games.iter().rev() {
            match writer.write(game) {
                Ok(()) => exported.written += 1,
                Err(error) => {
                    exported.left_out += 1;
                    left_out(*id, &error);
                }
            }
        }
        let bytes;
        (bytes, names) = writer.finish(Date::UNKNOWN);
        files.push((format!("WTH_{:04}.wtb", year.unwrap_or(0)), bytes));
    }
    let lists = [
        ("WTHOR.JOU", names.players),
        ("WTHOR.TRN", names.tournaments),
    ];
    for (name, list) in lists {
        if let Some(list) = list {
            files.push((name.to_owned(), list.encode(Date::UNKNOWN)));
        }
    }
    for (name, bytes) in files {
        let path = folder.join(name);
        let mut file = AtomicFile::create(&path, FileKind::Games, IfExists::Refuse, context)?;
        file.file()
            .write_all(&bytes)
            .map_err(Error::io(&path, "write"))?;
        file.commit()?;
    }
    Ok(exported)
}
