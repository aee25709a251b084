//! Games with their losses and evaluations written beside the moves.

use super::checked::CheckedGame;
use crate::prelude::*;
use obook::games::GAME_FILE;
use obook::read::remarks::with_remarks;
use obook::{AtomicFile, Error, IfExists};
use obook_base::compression::{Compression, Output};
use obook_games::{Format, Writer};
use std::fs::File;

/// The games with remarks that are being written.
pub(super) struct Remarks {
    path: PathBuf,
    file: AtomicFile,
    writer: Writer<Output<File>>,
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
        let out = out.map_err(Error::io(path, "write"))?;
        Ok(Remarks {
            path: path.to_owned(),
            file,
            writer: writer(out),
        })
    }

    pub(super) fn add(&mut self, game: &CheckedGame) -> Result<(), Error> {
        let remarked = with_remarks(&game.game, &game.judgement);
        self.writer.write(&remarked).map_err(Error::Games)
    }

    /// Gives the file its name.
    pub(super) fn commit(self) -> Result<(), Error> {
        let out = self.writer.finish().map_err(Error::Games)?;
        out.finish().map_err(Error::io(&self.path, "write"))?;
        Ok(self.file.commit()?)
    }
}
