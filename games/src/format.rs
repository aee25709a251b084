//! The formats and their names.

use crate::{edx, pgn, text, transcript, wthor};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// A format of game records.
///
/// ```
/// use obook_games::Format;
/// use std::path::Path;
/// assert_eq!("ggf".parse(), Ok(Format::Ggf));
/// assert_eq!(Format::from_extension(Path::new("WTH_1998.WTB.zst")), Some(Format::Wthor));
/// assert_eq!(Format::detect(b"(;GM[Othello]PB[Rose]"), Some(Format::Ggf));
/// assert_eq!(Format::detect(b"# openings\n1. F5 D6"), Some(Format::Transcript));
/// assert_eq!(Format::detect(b"once upon a time"), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Format {
    /// The French federation's base: `.wtb`, with `.jou` and `.trn` beside it.
    Wthor,
    /// The Generic Game Server's, any number of games in a line.
    Ggf,
    /// The Smart Game Format with game type 2.
    Sgf,
    /// Tags and numbered moves, as Othello programs write them.
    Pgn,
    /// A game in a line: moves, perhaps a result and a remark.
    Transcript,
    /// Edax's own record of a game.
    Edx,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 6] = [
        Format::Wthor,
        Format::Ggf,
        Format::Sgf,
        Format::Pgn,
        Format::Transcript,
        Format::Edx,
    ];

    /// The name that [`FromStr`] reads.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::Wthor => "wthor",
            Format::Ggf => "ggf",
            Format::Sgf => "sgf",
            Format::Pgn => "pgn",
            Format::Transcript => "transcript",
            Format::Edx => "edx",
        }
    }

    /// The extension that files of this format usually have, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Wthor => "wtb",
            Format::Transcript => "txt",
            Format::Ggf | Format::Sgf | Format::Pgn | Format::Edx => self.name(),
        }
    }

    /// The format whose extension `path` has, in any case; a trailing `.zst` is looked through. For files that are yet
    /// to be written: what a file that exists holds is for [`Format::detect`] to say.
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        if extension == "zst" {
            return Format::from_extension(Path::new(path.file_stem()?));
        }
        Format::ALL
            .into_iter()
            .find(|format| format.extension() == extension)
    }

    /// How many of the first bytes [`Format::detect`] looks at.
    pub const HEAD: usize = 4096;

    /// The format of a file that starts with `head`, of which [`Format::HEAD`] bytes are enough; `None` if it is none.
    ///
    /// WTHOR and Edax's records have no magic: what they begin with could be nothing else. Trees of properties are SGF
    /// unless they say `GM[Othello]`. A transcript is a text whose first line with more than a remark begins with a move or
    /// a board.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Format> {
        if wthor::is_games(head) {
            return Some(Format::Wthor);
        }
        if edx::is_games(head) {
            return Some(Format::Edx);
        }
        let head = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(head);
        if head.is_empty() || head.contains(&0) {
            return None;
        }
        let text = text::decode(head);
        if pgn::is_game(&text) {
            return Some(Format::Pgn);
        }
        if let Some(format) = tree(&text) {
            return Some(format);
        }
        let is_game = text.lines().find_map(transcript::is_game);
        is_game.unwrap_or(true).then_some(Format::Transcript)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A text that names no format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "“{0}” is no format of game records: expected one of wthor, ggf, sgf, pgn, transcript, edx"
)]
pub struct ParseFormatError(String);

impl FromStr for Format {
    type Err = ParseFormatError;

    fn from_str(text: &str) -> Result<Format, ParseFormatError> {
        let lower = text.to_ascii_lowercase();
        Format::ALL
            .into_iter()
            .find(|format| format.name() == lower)
            .ok_or(ParseFormatError(lower))
    }
}

/// Which trees of properties a text begins with; the server writes a number of games before them.
fn tree(text: &str) -> Option<Format> {
    let begin = text.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit());
    let inside = begin.strip_prefix('(')?.trim_start().strip_prefix(';')?;
    let game = inside.split_once("GM[").map(|(_, rest)| rest.trim_start());
    let is_ggf = game
        .and_then(|game| game.get(.."othello".len()))
        .is_some_and(|game| game.eq_ignore_ascii_case("othello"));
    Some(if is_ggf { Format::Ggf } else { Format::Sgf })
}
