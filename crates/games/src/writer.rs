//! Writing games as text.

use crate::{Error, Format, Game, ggf, sgf, transcript};
use std::io::Write;

/// Writes games as GGF, SGF or transcripts. WTHOR, which is three files, has [its own writer](crate::wthor::Writer).
///
/// | | GGF | SGF | transcript |
/// | --- | --- | --- | --- |
/// | moves, start position, result | yes | yes | yes |
/// | players, ratings, tournament, round, site, date | yes | yes | no |
/// | time of day, kind of game | yes | no | no |
/// | clocks | yes | the time, if both have the same | no |
/// | how it ended | yes | instead of the result; without agreements | no |
/// | comment on the game | yes | yes | on one line |
/// | comments on moves, evaluations | yes | yes | no |
/// | time taken for moves | yes | no | no |
///
/// ```
/// use obook_games::{Game, Score, Writer};
/// let mut game = Game::new("f5f6".parse()?);
/// game.black.name = Some("Rose".to_owned());
/// game.score = Score::new(-4);
/// let mut writer = Writer::ggf(Vec::new());
/// writer.write(&game)?;
/// let text = String::from_utf8(writer.finish()?)?;
/// assert!(text.starts_with("(;GM[Othello]PB[Rose]PW[]RE[-4.00]BO[8 "));
/// assert!(text.ends_with("*]B[F5]W[F6];)\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    format: Format,
    /// Makes the text of a game.
    text: fn(&Game) -> String,
}

impl<W: Write> Writer<W> {
    /// Writes GGF: one game on each line, with everything known about it.
    pub fn ggf(output: W) -> Writer<W> {
        Writer::of(output, Format::Ggf, ggf::write)
    }

    /// Writes SGF: one move on each line, with evaluations and comments.
    pub fn sgf(output: W) -> Writer<W> {
        Writer::of(output, Format::Sgf, sgf::write)
    }

    /// Writes transcripts: one game on each line, with its moves, its result and the comment on it.
    pub fn transcripts(output: W) -> Writer<W> {
        Writer::of(output, Format::Transcript, transcript::write)
    }

    fn of(output: W, format: Format, text: fn(&Game) -> String) -> Writer<W> {
        Writer {
            output,
            format,
            text,
        }
    }

    /// The format written.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Writes a game.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Io`](crate::ErrorKind::Io) if the output can't be written.
    pub fn write(&mut self, game: &Game) -> Result<(), Error> {
        let mut text = (self.text)(game);
        text.push('\n');
        Ok(self.output.write_all(text.as_bytes())?)
    }

    /// Flushes the output and returns it.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Io`](crate::ErrorKind::Io) if the output can't be written.
    pub fn finish(mut self) -> Result<W, Error> {
        self.output.flush()?;
        Ok(self.output)
    }
}
