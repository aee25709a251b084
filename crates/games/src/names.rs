//! Names of openings: from positions to names, and from names to positions.
//!
//! The table is `names/openings.tsv`; `names/README.md` lists its sources. A name belongs to a position, whatever the order of the
//! moves and the orientation of the board.
//!
//! ```
//! use obook_games::names::{self, Opening};
//! use obook_othello::Line;
//!
//! let tiger = names::find("tiger")?;
//! assert_eq!((tiger.line.to_string().as_str(), tiger.japanese), ("f5d6c3d3c4", Some("虎")));
//!
//! // A mirror image of it, by another order of moves, and one more move.
//! let line: Line = "e6f4d3c4c3d6".parse()?;
//! assert_eq!(names::of_line(&line).map(Opening::name), Some("Tiger"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use obook_othello::{CanonicalBoard, Line, LineError};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::LazyLock;
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

const TABLE: &str = include_str!("../names/openings.tsv");

/// A position with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    /// Moves that lead to the position, beginning with f5.
    pub line: Line,
    /// Its most common English name.
    pub english: Option<&'static str>,
    /// Its most common Japanese name.
    pub japanese: Option<&'static str>,
    /// Its Japanese names in kana, if they are written otherwise.
    pub readings: Vec<&'static str>,
    /// Its other names, in any language.
    pub others: Vec<&'static str>,
    /// The published lists that have it, by their names in `names/README.md`.
    pub sources: Vec<&'static str>,
}

/// All named openings, in the order of their moves.
///
/// ```
/// let sources = obook_games::names::openings().iter().map(|opening| opening.sources.len());
/// assert!(sources.min() >= Some(1));
/// ```
#[must_use]
pub fn openings() -> &'static [Opening] {
    static OPENINGS: LazyLock<Vec<Opening>> = LazyLock::new(|| {
        let rows = TABLE.lines().skip(1);
        rows.map(|row| Opening::read(row).unwrap_or_else(|| panic!("openings.tsv: {row}")))
            .collect()
    });
    &OPENINGS
}

impl Opening {
    fn read(row: &'static str) -> Option<Opening> {
        let cells: Vec<&str> = row.split('\t').collect();
        let [moves, english, japanese, readings, others, sources] = cells[..] else {
            return None;
        };
        let name = |cell: &'static str| (!cell.is_empty()).then_some(cell);
        let list = |cell: &'static str| cell.split("; ").filter(|name| !name.is_empty()).collect();
        Some(Opening {
            line: moves.parse().ok()?,
            english: name(english),
            japanese: name(japanese),
            readings: list(readings),
            others: list(others),
            sources: sources.split_whitespace().collect(),
        })
        .filter(|opening| opening.names().next().is_some())
    }

    /// Its English name, else its Japanese name, else any other.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.names().next().expect("an opening has a name")
    }

    /// All its names, the most common ones first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        let usual = self.english.into_iter().chain(self.japanese);
        usual.chain(self.others.iter().copied())
    }
}

impl fmt::Display for Opening {
    /// Writes the name, and the Japanese name after an English one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match (self.english, self.japanese) {
            (Some(_), Some(japanese)) => write!(f, " ({japanese})"),
            _ => Ok(()),
        }
    }
}

impl Serialize for Opening {
    /// Writes the name, the Japanese name and the line.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut opening = serializer.serialize_struct("Opening", 3)?;
        opening.serialize_field("name", self.name())?;
        opening.serialize_field("japanese", &self.japanese)?;
        opening.serialize_field("line", &self.line.to_string())?;
        opening.end()
    }
}

/// The openings by position.
static BY_BOARD: LazyLock<HashMap<CanonicalBoard, &Opening>> = LazyLock::new(|| {
    let by_board = |opening: &'static Opening| (opening.line.board().canonical(), opening);
    openings().iter().map(by_board).collect()
});

/// The opening with this position, in any orientation.
///
/// ```
/// use obook_games::names::of_board;
/// use obook_othello::{Board, Line};
///
/// let mirrored: Line = "d3c3".parse()?;
/// assert_eq!(of_board(mirrored.board().canonical()).unwrap().name(), "Diagonal");
/// assert_eq!(of_board(Board::START.canonical()), None);
/// # Ok::<(), obook_othello::LineError>(())
/// ```
#[must_use]
pub fn of_board(board: CanonicalBoard) -> Option<&'static Opening> {
    BY_BOARD.get(&board).copied()
}

/// The opening of a line: the last one it reached, by any order of moves and in any orientation.
#[must_use]
pub fn of_line(line: &Line) -> Option<&'static Opening> {
    let boards = line.positions().map(|(board, _)| board.canonical());
    boards.fold(None, |last, board| of_board(board).or(last))
}

/// Words that may follow a name, as [`folded`] returns them.
const ENDINGS: [&str; 3] = ["opening", "定石", "じょうせき"];
/// The maximum number of suggestions.
const MOST_SUGGESTIONS: usize = 3;

/// The error for a name that no opening has.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("no opening is called “{}”{}", without_controls(.typed), suggested(.meant))]
pub struct UnknownOpening {
    /// The text typed.
    pub typed: String,
    /// Similar names, the most similar first.
    pub meant: Vec<&'static str>,
}

/// The text for a terminal, with control characters escaped.
fn without_controls(typed: &str) -> String {
    let shown = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    typed.chars().map(shown).collect()
}

fn suggested(meant: &[&str]) -> String {
    match meant.is_empty() {
        true => String::new(),
        false => format!("; did you mean “{}”?", meant.join("” or “")),
    }
}

/// The openings with a name that contains this text, in the order of their moves. Ignores what [`find`] ignores.
///
/// ```
/// use obook_games::names::matching;
/// let roses: Vec<_> = matching("シャープ").map(|opening| opening.name()).collect();
/// assert!(roses.contains(&"Sharp Rose"));
/// assert_eq!(matching("").count(), obook_games::names::openings().len());
/// ```
pub fn matching(text: &str) -> impl Iterator<Item = &'static Opening> + use<> {
    let text = folded(text);
    openings().iter().filter(move |opening| {
        let mut names = opening.names().chain(opening.readings.iter().copied());
        names.any(|name| folded(name).contains(&text))
    })
}

/// Finds an opening by any of its names, Japanese ones also in kana. Ignores case, accents, spaces, punctuation, and a final word
/// such as “opening”.
///
/// ```
/// use obook_games::names::find;
/// assert_eq!(find("comp'oth")?, find("Compoth Opening")?);
/// assert_eq!(find("兎")?.name(), "Rabbit");
/// assert_eq!(find("うさぎ")?, find("ウサギ")?);
/// let error = find("tigre").unwrap_err();
/// assert_eq!(error.to_string(), "no opening is called “tigre”; did you mean “Tiger”?");
/// # Ok::<(), obook_games::names::UnknownOpening>(())
/// ```
///
/// # Errors
/// Returns [`UnknownOpening`], with similar names, if no opening has this name.
pub fn find(name: &str) -> Result<&'static Opening, UnknownOpening> {
    exactly(name).ok_or_else(|| UnknownOpening {
        typed: name.trim().to_owned(),
        meant: nearest(&folded(name)),
    })
}

/// The opening with this name, if there is one.
fn exactly(name: &str) -> Option<&'static Opening> {
    let folded = folded(name);
    let endings = ENDINGS.iter().map(|ending| folded.strip_suffix(ending));
    let mut forms = std::iter::once(Some(&folded[..])).chain(endings).flatten();
    forms.find_map(|form| BY_NAME.get(form).map(|(_, opening)| *opening))
}

/// The openings by folded name, with the name as written.
static BY_NAME: LazyLock<HashMap<String, (&str, &Opening)>> = LazyLock::new(|| {
    let names = |opening: &'static Opening| {
        let by_name = move |name: &'static str| (folded(name), (name, opening));
        let names = opening.names().chain(opening.readings.iter().copied());
        names.map(by_name)
    };
    openings().iter().flat_map(names).collect()
});

/// Reduces a name to its letters and digits, in lower case, without accents and with hiragana for katakana. Japanese voicing marks
/// are not accents.
fn folded(name: &str) -> String {
    let is_accent = |c: &char| is_combining_mark(*c) && *c < '\u{3000}';
    let hiragana = |c: char| match c {
        'ァ'..='ヶ' => char::from_u32(u32::from(c) - 0x60).expect("each has its hiragana"),
        c => c,
    };
    let letters = name.nfkd().filter(|c| !is_accent(c)).nfc();
    let lower = letters.map(hiragana).flat_map(char::to_lowercase);
    lower.filter(|c| c.is_alphanumeric()).collect()
}

/// The names most similar to this one.
fn nearest(name: &str) -> Vec<&'static str> {
    // Names of one or two letters are all alike, so nothing is near them.
    let length = name.chars().count();
    let allowed = length / 3;
    let near: BTreeSet<(usize, &str)> = BY_NAME
        .iter()
        // A difference in length is at least as large a distance.
        .filter(|(other, _)| other.chars().count().abs_diff(length) <= allowed)
        .map(|(other, (written, _))| (strsim::osa_distance(name, other), *written))
        .filter(|(distance, _)| *distance <= allowed)
        .collect();
    let best = near.first().map(|(distance, _)| *distance);
    near.into_iter()
        .take_while(|(distance, _)| Some(*distance) == best)
        .map(|(_, written)| written)
        .take(MOST_SUGGESTIONS)
        .collect()
}

/// The maximum length of a name, in characters.
const LONGEST: usize = 64;

/// The error for text that is not a line.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TypedError {
    /// Its moves or its board are wrong.
    #[error(transparent)]
    Line(#[from] LineError),
    /// No opening has this name.
    #[error("{0}{advice}", advice = advice(.0))]
    Name(#[from] UnknownOpening),
}

/// Advice if there are no suggestions.
fn advice(unknown: &UnknownOpening) -> &'static str {
    match unknown.meant[..] {
        [] => "; moves are written like f5d6c3",
        _ => "",
    }
}

/// Reads a [`Line`], or the name of an opening, which more moves may follow.
///
/// ```
/// use obook_games::names::read_line;
/// assert_eq!(read_line("tiger")?, "f5d6c3d3c4".parse()?);
/// assert_eq!(read_line("Leader's Tiger b3e2")?, "f5d6c3d3c4f4e6b3e2".parse()?);
/// assert_eq!(read_line("tigerf4")?, read_line("tiger f4")?);
/// assert_eq!(read_line("とらf4")?, read_line("tiger f4")?);
/// assert_eq!(read_line("f5d6")?.to_string(), "f5d6");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Returns [`TypedError::Name`] if the text looks like a name, without digits, and [`TypedError::Line`] otherwise.
pub fn read_line(text: &str) -> Result<Line, TypedError> {
    let error = match text.parse() {
        Ok(line) => return Ok(line),
        Err(error) => error,
    };
    if let Some((opening, end)) = leading_name(text) {
        return Ok(follow(opening, text, end)?);
    }
    // An illegal pass looks like the start of some names.
    let is_illegal = matches!(error, LineError::Illegal { .. });
    match looks_like_a_name(text).map(find) {
        Some(Err(name)) if !name.meant.is_empty() || !is_illegal => Err(name.into()),
        _ => Err(error.into()),
    }
}

/// The opening whose name begins the text, and the byte at which the name ends. Prefers the longest name.
fn leading_name(text: &str) -> Option<(&'static Opening, usize)> {
    let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let ends: Vec<usize> = places.take(LONGEST + 1).collect();
    let may_end = |end: &usize| {
        let rest = &text[*end..];
        rest.is_empty() || rest.starts_with(char::is_whitespace) || begins_with_a_square(rest)
    };
    let mut ends = ends.into_iter().rev().filter(may_end);
    ends.find_map(|end| Some((exactly(&text[..end])?, end)))
}

/// Whether the text begins like `f4`.
fn begins_with_a_square(text: &str) -> bool {
    let text = text.as_bytes();
    matches!(text, [b'a'..=b'h' | b'A'..=b'H', b'1'..=b'8', ..])
}

/// The moves of the opening, and those after its name.
fn follow(opening: &Opening, text: &str, end: usize) -> Result<Line, LineError> {
    let moves = opening.line.to_string();
    let line = format!("{moves}{}", &text[end..]).parse();
    line.map_err(|error| match error {
        LineError::NoMove { at, found } => LineError::NoMove {
            at: at - moves.chars().count() + text[..end].chars().count(),
            found,
        },
        other => other,
    })
}

/// The words before the first digit, if they can't be moves or a board: they have letters other than those for discs.
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
