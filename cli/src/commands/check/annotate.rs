//! Games with their losses and evaluations written beside the moves.

use super::checked::CheckedGame;
use crate::prelude::*;
use obook::games::GAME_FILE;
use obook::read::remarks::with_remarks;
use obook::{AtomicFile, Error, IfExists};
use obook_base::compression::{Compression, Output};
use obook_games::{Format, Game, write_ggf, write_sgf};
use std::fs::File;

/// The games with remarks that are being written.
pub(super) struct Remarks {
    file: AtomicFile,
    out: Output<File>,
    /// Makes the text of a game.
    text: fn(&Game) -> String,
}

impl Remarks {
    /// Creates the file for the games. Called before the searches, so that they aren't made for nothing.
    pub(super) fn create(path: &Path, if_exists: IfExists) -> Result<Remarks, Failure> {
        let text = match Format::from_extension(path) {
            Some(Format::Ggf) => write_ggf,
            Some(Format::Sgf) => write_sgf,
            _ => {
                let name = path.with_extension("ggf");
                let problem = format!(
                    "games with remarks are written as GGF or SGF: name the file {}, or .sgf; --html writes a page",
                    name.display()
                );
                return Err(Failure::file(path, problem));
            }
        };
        let mut file = AtomicFile::create(path, GAME_FILE, if_exists, &context::quiet())?;
        let compression = Compression::by_name(path);
        let out = file.file().try_clone();
        let out = out.and_then(|out| Output::new(out, compression));
        Ok(Remarks {
            file,
            out: out.map_err(Error::io(path, "write"))?,
            text,
        })
    }

    pub(super) fn add(&mut self, game: &CheckedGame) -> Result<(), Error> {
        let remarked = with_remarks(&game.game, &game.judgement);
        let text = (self.text)(&remarked) + "\n";
        let written = self.out.write_all(text.as_bytes());
        written.map_err(|error| Error::Games(error.into()))
    }

    /// Gives the file its name.
    pub(super) fn commit(self) -> Result<(), Error> {
        let path = self.file.target();
        self.out.finish().map_err(Error::io(path, "write"))?;
        Ok(self.file.commit()?)
    }
}
