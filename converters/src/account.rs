//! A description of a book of a program other than Edax and Egaroucid.

use std::collections::BTreeMap;

/// Counts by what was counted, in words.
pub type Tallies = BTreeMap<String, u64>;

/// A book in the words of the program that wrote it, and what didn't become positions.
///
/// Books of Edax and Egaroucid become positions completely, so their account is empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Account {
    /// The program and the form of its book.
    pub kind: Option<String>,
    /// The contents of the book.
    pub contents: Tallies,
    /// Contents that positions can't hold.
    pub lost: Tallies,
    /// Faulty parts of the book, which were left out.
    pub wrong: Tallies,
}

impl Account {
    /// The account of a book of this kind, with nothing counted yet.
    pub(crate) fn of(kind: impl Into<String>) -> Account {
        Account {
            kind: Some(kind.into()),
            ..Account::default()
        }
    }

    /// Whether there is nothing to say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Account::default()
    }
}

/// How a position is known, in words: for certain, exactly or not, or else by a search of this depth.
pub(crate) fn known_by(certain: Option<bool>, depth: Option<u8>) -> String {
    match (certain, depth) {
        (Some(true), _) => "positions solved exactly".to_owned(),
        (Some(false), _) => "positions won, drawn or lost for certain".to_owned(),
        (None, Some(depth)) => format!("positions searched {depth} plies deep"),
        (None, None) => "positions not searched".to_owned(),
    }
}

/// Adds to a count, unless there is nothing to add.
pub(crate) fn tally(tallies: &mut Tallies, what: &str, count: u64) {
    match tallies.get_mut(what) {
        _ if count == 0 => {}
        // Most calls are about something that was counted before.
        Some(tally) => *tally += count,
        None => drop(tallies.insert(what.to_owned(), count)),
    }
}
