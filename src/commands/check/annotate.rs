//! Games with their losses and evaluations written beside the moves.

use crate::context;
use crate::failure::Failure;
use obook_book::read::played::{JudgedMove, Judgement};
use obook_book::{AtomicFile, Error, FileKind, IfExists};
use obook_games::{Decimal, Format, Game, Note, Writer};
use std::path::Path;

/// Creates the file for the games. Called before the searches, so that they aren't made for nothing.
pub(super) fn create(path: &Path, if_exists: IfExists) -> Result<(AtomicFile, Format), Failure> {
    let format = Format::from_extension(path);
    match format.filter(|format| matches!(format, Format::Ggf | Format::Sgf)) {
        Some(format) => Ok((
            AtomicFile::create(path, FileKind::Games, if_exists, &context::quiet())?,
            format,
        )),
        None => {
            let name = path.with_extension("ggf");
            let problem = format!(
                "games with remarks are written as GGF or SGF: name the file {}, or .sgf",
                name.display()
            );
            Err(Failure::file(path, problem))
        }
    }
}

/// Writes the games.
pub(super) fn write<'g>(
    (mut file, format): (AtomicFile, Format),
    games: impl Iterator<Item = &'g Game>,
) -> Result<(), Error> {
    let out = file.file();
    let mut writer = match format {
        Format::Sgf => Writer::sgf(out),
        _ => Writer::ggf(out),
    };
    for game in games {
        writer.write(game).map_err(Error::Games)?;
    }
    writer.finish().map_err(Error::Games)?;
    file.commit()
}

/// Adds the worth after each move as its evaluation, and a remark if the move gave something up or left the book. Earlier
/// remarks and times are kept.
pub(super) fn annotated(game: &Game, judgement: &Judgement) -> Game {
    let mut annotated = game.clone();
    for (index, mv) in judgement.moves.iter().enumerate() {
        let before = game.note(index);
        let left = (index + 1 == judgement.in_book).then(|| String::from("left the book"));
        let said = [before.comment.clone(), left, remark(mv)];
        let said: Vec<String> = said.into_iter().flatten().collect();
        let note = Note {
            time: before.time,
            value: Decimal::new(mv.after.score.into()),
            comment: (!said.is_empty()).then(|| said.join("; ")),
        };
        annotated.annotate(index, note);
    }
    annotated
}

fn remark(mv: &JudgedMove) -> Option<String> {
    if mv.loss <= 0 {
        return None;
    }
    let best = mv.best.filter(|best| *best != mv.mv);
    let best = best.map_or_else(String::new, |best| format!(", best {best}"));
    Some(format!("gave up {}{best}", mv.loss))
}
