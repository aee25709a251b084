//! A line as people type it: moves in one word or several, perhaps after a board or the name of an opening.

use crate::failure::Failure;
use obook_games::names::read_line;
use obook_othello::{Board, Line};
use std::ffi::OsString;
use std::path::Path;

/// Reads the moves as a line from the start position, or from the board or opening in front of them.
pub(crate) fn line(moves: &[String]) -> Result<Line, Failure> {
    no_signs_only(moves, "moves such as f5d6c3, a board or an opening")?;
    read_line(&moves.join(" ")).map_err(|error| {
        let file = moves.iter().map(Path::new).find(|word| word.is_file());
        let problem = "a file, but moves are expected here; the book comes first, then the moves";
        file.map_or(Failure::Moves(error), |file| Failure::file(file, problem))
    })
}

/// Refuses words that say nothing, such as `-`, which is standard input elsewhere, or `.`.
pub(crate) fn no_signs_only(moves: &[String], expected: &str) -> Result<(), Failure> {
    let says = |word: &String| word.chars().any(char::is_alphanumeric);
    let sign = moves.iter().find(|word| !word.trim().is_empty());
    match sign {
        Some(sign) if !moves.iter().any(says) => {
            let problem =
                format!("no moves; expected {expected}, and standard input isn't read here");
            Err(Failure::file(Path::new(sign), problem))
        }
        _ => Ok(()),
    }
}

/// The arguments of this process. A board may begin with the dash of an empty square, and a move of White in CSA with one; a space in
/// front of it keeps clap from reading it as an option.
pub(crate) fn arguments() -> impl Iterator<Item = OsString> {
    std::env::args_os().map(|argument| match argument.to_str() {
        Some(text) if text.starts_with('-') && (is_csa_move(text) || begins_with_a_board(text)) => {
            OsString::from(format!(" {text}"))
        }
        _ => argument,
    })
}

/// Whether the text is a move such as -3334FU.
fn is_csa_move(text: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    text.len() == 7 && text.as_bytes()[1..5].iter().all(is_digit)
}

/// Whether the text begins with the squares of a board. The side to move may be an argument of its own.
fn begins_with_a_board(text: &str) -> bool {
    let squares = text.chars().filter(|c| !c.is_whitespace());
    let squares: String = squares.take(64).collect();
    format!("{squares} X").parse::<Board>().is_ok()
}
