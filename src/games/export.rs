//! Exporting games to files.

use super::stored::games;
use crate::{AtomicFolder, Content, Context, Error, FolderContent, IfExists, Result, Store};
use obook_base::compression::{Compression, Output as Packing};
use obook_games::wthor::{Names, Writer as YearWriter};
use obook_games::{Date, Game, is_own_transcript, write_ggf, write_sgf, write_transcript};
use obook_sql::rows::GameId;
use obook_sql::rows::games::Condition;
use obook_store::Output;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A format for exported games.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GamesFormat {
    /// A folder with a `.wtb` file for each year, and names in `WTHOR.JOU` and `WTHOR.TRN`.
    Wthor,
    /// GGF: one game on each line, with everything known about it.
    Ggf,
    /// The Smart Game Format.
    Sgf,
    /// Transcripts: one game on each line, with its moves and result.
    Transcripts,
}

/// A file of games in GGF or SGF, or of transcripts in obook's own writing: other texts can't be recognised as games with certainty.
pub const GAME_FILE: Content = Content::file("a file of games", |head, _| {
    use obook_games::Format::{self, Ggf, Sgf, Transcript};
    match Format::detect(head) {
        Some(Ggf | Sgf) => true,
        Some(Transcript) => is_own_transcript(head),
        _ => false,
    }
});

/// The files of a WTHOR folder.
const YEARS: FolderContent = FolderContent {
    name: "a folder of WTHOR files",
    has: |path| {
        let name = path.to_str().unwrap_or_default();
        let year = name.strip_prefix("WTH_");
        let year = year.and_then(|name| name.strip_suffix(".wtb"));
        let is_year = year
            .is_some_and(|year| year.len() == 4 && year.bytes().all(|byte| byte.is_ascii_digit()));
        is_year || LISTS.contains(&name)
    },
};

/// The lists of players and of tournaments.
const LISTS: [&str; 2] = ["WTHOR.JOU", "WTHOR.TRN"];

/// The result of an export.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Exported {
    /// The number of games written.
    pub written: u64,
    /// The number of games that the format can't hold.
    pub left_out: u64,
}

/// Writes the games that meet a condition, the latest first, or for WTHOR in order of their numbers. Calls `left_out` with each
/// game that the format can't hold, and why.
///
/// # Errors
/// As for [`Output::write`] and [`AtomicFolder::create`]. Also returns an error if the games can't be read
/// or written. No file is written then.
pub fn export(
    store: &Store,
    condition: &Condition,
    output: &Output,
    format: GamesFormat,
    mut left_out: impl FnMut(GameId, &obook_games::Error),
) -> Result<Exported> {
    let context = store.context();
    let progress = context.progress();
    progress.step("writing games", None);
    let mut games = games(store, condition).inspect(|_| progress.advance(1));
    match output {
        Output::File(to, if_exists) if format == GamesFormat::Wthor => {
            years(games, to, *if_exists, context, &mut left_out)
        }
        _ => output.write(GAME_FILE, context, |out| {
            write(&mut games, out, format, output.name())
        }),
    }
}

/// Writes games as text; errors name the output.
fn write(
    games: &mut dyn Iterator<Item = Result<(GameId, Game)>>,
    output: impl Write,
    format: GamesFormat,
    name: &Path,
) -> Result<Exported> {
    let text = match format {
        GamesFormat::Ggf => write_ggf,
        GamesFormat::Sgf => write_sgf,
        GamesFormat::Transcripts => write_transcript,
        GamesFormat::Wthor => {
            let problem =
                "games in WTHOR's format are a folder; name one, or choose another format";
            return Err(Error::unfit(name, problem));
        }
    };
    let failed = || Error::io(name, "write");
    let compression = Compression::by_name(name);
    let output = Packing::new(BufWriter::new(output), compression);
    let mut output = output.map_err(failed())?;
    let mut exported = Exported::default();
    for game in games {
        writeln!(output, "{}", text(&game?.1)).map_err(failed())?;
        exported.written += 1;
    }
    output.finish().map_err(failed())?;
    Ok(exported)
}

/// Writes a file for each year into a folder of its own.
fn years(
    games: impl Iterator<Item = Result<(GameId, Game)>>,
    folder: &Path,
    if_exists: IfExists,
    context: &Context,
    left_out: &mut dyn FnMut(GameId, &obook_games::Error),
) -> Result<Exported> {
    let output = AtomicFolder::create(folder, YEARS, if_exists, context)?;
    let mut by_year: BTreeMap<Option<u16>, Vec<(GameId, Game)>> = BTreeMap::new();
    for game in games {
        let (id, game) = game?;
        by_year.entry(id.year()).or_default().push((id, game));
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
    for (name, list) in LISTS.into_iter().zip([names.players, names.tournaments]) {
        files.extend(list.map(|list| (name.to_owned(), list.encode(Date::UNKNOWN))));
    }
    for (name, bytes) in files {
        let written = fs::write(output.path().join(&name), bytes);
        written.map_err(Error::io(&folder.join(name), "write"))?;
    }
    output.commit()?;
    Ok(exported)
}
