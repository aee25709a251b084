//! Games with their losses and evaluations written beside the moves.

use super::checked::CheckedGame;
use crate::context;
use crate::failure::Failure;
use obook::games::GAME_FILE;
use obook::read::played::{JudgedMove, Judgement};
use obook::{AtomicFile, Error, IfExists};
use obook_games::{Decimal, Format, Game, Note, Writer};
use std::fs::File;
use std::path::Path;

/// The games with remarks that are being written.
pub(super) struct Remarks {
    file: AtomicFile,
    writer: Writer<File>,
}

impl Remarks {
    /// Creates the file for the games. Called before the searches, so that they aren't made for nothing.
    pub(super) fn create(path: &Path, if_exists: IfExists) -> Result<Remarks, Failure> {
        let writer = match Format::from_extension(path) {
            Some(Format::Ggf) => Writer::ggf,
            Some(Format::Sgf) => Writer::sgf,
            _ => {
                let name = path.with_extension("ggf");
                let problem = format!(
                    "games with remarks are written as GGF or SGF: name the file {}, or .sgf",
                    name.display()
                );
                return Err(Failure::file(path, problem));
            }
        };
        let mut file = AtomicFile::create(path, GAME_FILE, if_exists, &context::quiet())?;
        let out = file.file().try_clone().map_err(Error::io(path, "write"))?;
        Ok(Remarks {
            file,
            writer: writer(out),
        })
    }

    pub(super) fn add(&mut self, game: &CheckedGame) -> Result<(), Error> {
        let annotated = annotated(&game.game, &game.judgement);
        self.writer.write(&annotated).map_err(Error::Games)
    }

    /// Gives the file its name.
    pub(super) fn commit(self) -> Result<(), Error> {
        self.writer.finish().map_err(Error::Games)?;
        Ok(self.file.commit()?)
    }
}

/// Adds the worth after each move as its evaluation, and a remark if the move gave something up or left the book. Earlier
/// remarks and times are kept.
fn annotated(game: &Game, judgement: &Judgement) -> Game {
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
