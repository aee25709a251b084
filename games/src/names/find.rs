//! From names to positions.

use crate::names::table::{Opening, openings};
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;
use thiserror::Error;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Words that many say after a name, in the form of [`folded`].
const ENDINGS: [&str; 2] = ["opening", "定石"];
/// How many names are suggested at most.
const MOST_SUGGESTIONS: usize = 3;

/// No opening has this name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("no opening is called “{typed}”{}", suggested(.meant))]
pub struct UnknownOpening {
    /// What was typed.
    pub typed: String,
    /// Names that are nearly the same, the nearest first.
    pub meant: Vec<&'static str>,
}

fn suggested(meant: &[&str]) -> String {
    match meant.is_empty() {
        true => String::new(),
        false => format!("; did you mean “{}”?", meant.join("” or “")),
    }
}

/// The opening with this name, English, Japanese or another; case, accents, spaces, punctuation and a word such as “opening”
/// behind it don't matter.
///
/// ```
/// use obook_games::names::find;
/// assert_eq!(find("comp'oth")?, find("Compoth Opening")?);
/// assert_eq!(find("兎")?.name(), "Rabbit");
/// let error = find("tigre").unwrap_err();
/// assert_eq!(error.to_string(), "no opening is called “tigre”; did you mean “Tiger”?");
/// # Ok::<(), obook_games::names::UnknownOpening>(())
/// ```
///
/// # Errors
/// [`UnknownOpening`], with names that it may have been meant for.
pub fn find(name: &str) -> Result<&'static Opening, UnknownOpening> {
    exactly(name).ok_or_else(|| UnknownOpening {
        typed: name.trim().to_owned(),
        meant: nearest(&folded(name)),
    })
}

/// The opening with this name, if there is one.
pub(super) fn exactly(name: &str) -> Option<&'static Opening> {
    let folded = folded(name);
    let endings = ENDINGS.iter().map(|ending| folded.strip_suffix(ending));
    let mut forms = std::iter::once(Some(&folded[..])).chain(endings).flatten();
    forms.find_map(|form| BY_NAME.get(form).map(|(_, opening)| *opening))
}

/// The openings by their names, with the name as it is written.
static BY_NAME: LazyLock<HashMap<String, (&str, &Opening)>> = LazyLock::new(|| {
    let names = |opening: &'static Opening| {
        let by_name = move |name: &'static str| (folded(name), (name, opening));
        opening.names().map(by_name)
    };
    openings().iter().flat_map(names).collect()
});

/// What of a name counts: its letters and digits in small letters without accents. The signs of Japanese voiced sounds are no
/// accents.
fn folded(name: &str) -> String {
    let is_accent = |c: &char| is_combining_mark(*c) && *c < '\u{3000}';
    let letters = name.nfkd().filter(|c| !is_accent(c)).nfc();
    letters
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_alphanumeric())
        .collect()
}

/// The names that are nearly this one.
fn nearest(name: &str) -> Vec<&'static str> {
    // Names of one or two letters are all alike.
    let length = name.chars().count();
    let allowed = length / 3;
    let near: BTreeSet<(usize, &str)> = BY_NAME
        .iter()
        // What is that much longer or shorter is not near, however it is spelt.
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
