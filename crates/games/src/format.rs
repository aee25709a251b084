//! The formats: their names, and how to tell them apart.

use crate::{edx, pgn, quest, text, transcript, wthor};
use obook_base::compression::without_zst;
use std::path::Path;

obook_base::named! {
    /// A format of game records.
    ///
    /// ```
    /// use obook_games::Format;
    /// use std::path::Path;
    /// assert_eq!(Format::from_extension(Path::new("WTH_1998.WTB.zst")), Some(Format::Wthor));
    /// assert_eq!(Format::detect(b"(;GM[Othello]PB[Rose]"), Some(Format::Ggf));
    /// assert_eq!(Format::detect(b"# openings\n1. F5 D6"), Some(Format::Transcript));
    /// assert_eq!(Format::detect(b"once upon a time"), None);
    /// ```
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Format {
        /// The archive of the French federation: `.wtb`, with `.jou` and `.trn` beside it.
        Wthor = "wthor",
        /// The format of the Generic Game Server, with any number of games on a line.
        Ggf = "ggf",
        /// The Smart Game Format, with game type 2.
        Sgf = "sgf",
        /// Tags and numbered moves, as Othello programs write them.
        Pgn = "pgn",
        /// One game on a line: moves, then optionally a result and a remark.
        Transcript = "transcript",
        /// Edax's own record of a game.
        Edx = "edx",
        /// Othello Quest's objects of JSON.
        Quest = "quest",
    }
}

impl Format {
    /// The extension that files of this format usually have, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Wthor => "wtb",
            Format::Transcript => "txt",
            Format::Quest => "json",
            Format::Ggf | Format::Sgf | Format::Pgn | Format::Edx => self.name(),
        }
    }

    /// The format that has the extension of `path`, in upper or lower case; a trailing `.zst` is ignored. Use this for files to be
    /// written, and [`Format::detect`] for files that exist.
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Format> {
        if let Some(path) = without_zst(path) {
            return Format::from_extension(&path);
        }
        let extension = path.extension()?;
        let has_it = |format: &Format| extension.eq_ignore_ascii_case(format.extension());
        Format::ALL.into_iter().find(has_it)
    }

    /// The number of bytes that [`Format::detect`] needs.
    pub const HEAD: usize = 4096;

    /// Detects the format of a file from its first [`Format::HEAD`] bytes, or returns `None` if it is not a game record.
    ///
    /// WTHOR files and Edax records have no magic number, but their first bytes are distinctive. A tree of properties is SGF unless
    /// it has `GM[Othello]`. A transcript is text whose first line, after any remarks, begins with a move or a board, or in which some
    /// line has five legal moves from the start.
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
        if quest::is_games(&text) {
            return Some(Format::Quest);
        }
        let is_game = text.lines().find_map(transcript::is_game).unwrap_or(true);
        (is_game || text.lines().any(transcript::is_surely_game)).then_some(Format::Transcript)
    }
}

/// The format of the tree of properties that a text begins with. The server writes the number of games before the trees.
fn tree(text: &str) -> Option<Format> {
    let begin = text.trim_start_matches(|c: char| c.is_whitespace() || c.is_ascii_digit());
    let inside = begin.strip_prefix('(')?.trim_start().strip_prefix(';')?;
    let game = inside.split_once("GM[").map(|(_, rest)| rest.trim_start());
    let is_ggf = game
        .and_then(|game| game.get(.."othello".len()))
        .is_some_and(|game| game.eq_ignore_ascii_case("othello"));
    Some(if is_ggf { Format::Ggf } else { Format::Sgf })
}
