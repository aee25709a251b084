//! Lines as people type them: moves, a board, or the name of an opening.

use crate::names::find::{UnknownOpening, exactly, find};
use crate::names::table::Opening;
use obook_othello::{Line, LineError};
use thiserror::Error;

/// No name is longer, in characters.
const LONGEST: usize = 64;

/// What was typed is no line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TypedError {
    /// Its moves, or its board.
    #[error(transparent)]
    Line(#[from] LineError),
    /// A name that no opening has.
    #[error("{0}{advice}", advice = advice(.0))]
    Name(#[from] UnknownOpening),
}

/// What to do where nothing is suggested.
fn advice(unknown: &UnknownOpening) -> &'static str {
    match unknown.meant[..] {
        [] => "; moves are written like f5d6c3",
        _ => "",
    }
}

/// Reads what [`Line`] reads, and the name of an opening in place of its moves; more moves may follow.
///
/// ```
/// use obook_games::names::read_line;
/// assert_eq!(read_line("tiger")?, "f5d6c3d3c4".parse()?);
/// assert_eq!(read_line("Leader's Tiger b3e2")?, "f5d6c3d3c4f4e6b3e2".parse()?);
/// assert_eq!(read_line("f5d6")?.to_string(), "f5d6");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`TypedError::Name`] for what looks like a name, that is, has no digits; else [`TypedError::Line`].
pub fn read_line(text: &str) -> Result<Line, TypedError> {
    let error = match text.parse() {
        Ok(line) => return Ok(line),
        Err(error) => error,
    };
    if let Some((opening, end)) = leading_name(text) {
        return Ok(follow(opening, text, end)?);
    }
    let Some(typed) = looks_like_a_name(text) else {
        return Err(error.into());
    };
    let Err(unknown) = find(typed) else {
        return Err(error.into());
    };
    // A pass that is not legal begins as some names do.
    match error {
        LineError::Illegal { .. } if unknown.meant.is_empty() => Err(error.into()),
        _ => Err(unknown.into()),
    }
}

/// The opening that the text begins with, and the byte at which its name ends. A name may have several words; the longest
/// that fits is meant.
fn leading_name(text: &str) -> Option<(&'static Opening, usize)> {
    let begin: usize = text.chars().take(LONGEST).map(char::len_utf8).sum();
    let spaces = text[..begin]
        .char_indices()
        .filter(|(_, c)| c.is_whitespace());
    let ends = spaces.map(|(at, _)| at).chain([begin]);
    ends.filter(|end| text[*end..].is_empty() || text[*end..].starts_with(char::is_whitespace))
        .rev()
        .find_map(|end| Some((exactly(&text[..end])?, end)))
}

/// The opening's moves and those that stand behind its name.
fn follow(opening: &Opening, text: &str, end: usize) -> Result<Line, LineError> {
    let moves = opening.line().to_string();
    let line = format!("{moves}{}", &text[end..]).parse();
    line.map_err(|error| match error {
        LineError::NoMove { at, found } => LineError::NoMove {
            at: at - moves.chars().count() + text[..end].chars().count(),
            found,
        },
        other => other,
    })
}

/// The words that the text begins with, where they can't be meant for moves or a board: before the first digit, and with
/// other letters than those of discs.
fn looks_like_a_name(text: &str) -> Option<&str> {
    let digit = text.find(|c: char| c.is_ascii_digit());
    let words = &text[..digit.unwrap_or(text.len())];
    let end = match digit {
        Some(_) => words.rfind(char::is_whitespace)?,
        None => words.len(),
    };
    let name = words[..end].trim();
    let is_letter = |c: char| c.is_alphabetic() && !"xobw".contains(c.to_ascii_lowercase());
    let is_short = name.chars().nth(LONGEST).is_none();
    (is_short && name.contains(is_letter)).then_some(name)
}
