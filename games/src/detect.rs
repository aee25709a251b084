//! How a file's first bytes tell its format.

use crate::{Format, edx, pgn, text, transcript, wthor};

impl Format {
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
