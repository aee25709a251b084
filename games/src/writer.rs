//! Writing games as text.

use crate::{Error, Format, Game, ggf, sgf, transcript};
use std::io::Write;

/// Writes games as GGF, SGF or transcripts. WTHOR, which is three files, has a [writer of its own](crate::wthor::Writer).
///
/// | | GGF | SGF | transcript |
/// | --- | --- | --- | --- |
/// | moves, start position, result | yes | yes | yes |
/// | players, ratings, tournament, round, site, date | yes | yes | no |
/// | hour, kind of game | yes | no | no |
/// | clocks | yes | Black's time, for both | no |
/// | how it ended | yes | instead of the result; not that both agreed | no |
/// | remark on the game | yes | yes | in one line |
/// | remarks and evaluations of moves | yes | yes | no |
/// | time of moves | yes | no | no |
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
    /// What makes the text of a game.
    text: fn(&Game) -> String,
}

impl<W: Write> Writer<W> {
    /// One game in a line, with all that is known.
    pub fn ggf(output: W) -> Writer<W> {
        Writer {
            output,
            format: Format::Ggf,
            text: ggf::write,
        }
    }

    /// One move in a line, with evaluations and remarks.
    pub fn sgf(output: W) -> Writer<W> {
        Writer {
            output,
            format: Format::Sgf,
            text: sgf::write,
        }
    }

    /// One game in a line: its moves, its result, what is remarked on it as a whole.
    pub fn transcripts(output: W) -> Writer<W> {
        Writer {
            output,
            format: Format::Transcript,
            text: transcript::write,
        }
    }

    /// The format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Writes a game.
    ///
    /// # Errors
    /// The output can't be written.
    pub fn write(&mut self, game: &Game) -> Result<(), Error> {
        let mut text = (self.text)(game);
        text.push('\n');
        Ok(self.output.write_all(text.as_bytes())?)
    }

    /// Flushes and gives the output back.
    ///
    /// # Errors
    /// The output can't be written.
    pub fn finish(mut self) -> Result<W, Error> {
        self.output.flush()?;
        Ok(self.output)
    }
}
