//! Places of people's own engines among the known ones.

use super::Engine;
use std::fmt;
use std::str::FromStr;

/// The place that the owner of an engine gives it among the engines that obook knows.
///
/// Until the owner chooses, it's unknown: then no level that the engine claims makes its search count more than one of a known engine.
/// With a place its searches are compared by their levels, as all others are, and the place decides between equal ones.
///
/// ```
/// use obook_othello::{Engine, Place};
/// let above: Place = "above edax".parse()?;
/// assert_eq!(Some(above), Place::above(Engine::Edax));
/// assert_eq!(Some(above), Place::below(Engine::Egaroucid), "the next one");
/// assert_eq!(Place::UNKNOWN.to_string(), "unknown");
/// # Ok::<(), obook_othello::PlaceError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Place(
    /// 0 for the unknown one, 1 below all known engines, then above each of them.
    pub(super) u8,
);

impl Place {
    /// Below every known engine, whatever its levels.
    pub const UNKNOWN: Place = Place(0);

    /// Next above a known engine; `None` if obook doesn't know it.
    #[must_use]
    pub fn above(engine: Engine) -> Option<Place> {
        engine.is_known().then(|| Place(engine.to_byte() + 1))
    }

    /// Next below a known engine; `None` if obook doesn't know it.
    #[must_use]
    pub fn below(engine: Engine) -> Option<Place> {
        engine.is_known().then(|| Place(engine.to_byte()))
    }

    pub(super) fn from_slot(slot: u8) -> Option<Place> {
        (usize::from(slot) <= Engine::ALL.len() + 1).then_some(Place(slot))
    }

    /// Its rank among places and known engines. That of a known engine is twice its number.
    pub(super) const fn seat(self) -> u8 {
        (2 * self.0).saturating_sub(1)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("unknown"),
            1 => write!(f, "below {}", Engine::ALL[0]),
            slot => write!(f, "above {}", Engine::ALL[usize::from(slot) - 2]),
        }
    }
}

/// The text is no place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "expected unknown, or above or below one of {all}, such as “above edax”; found “{0}”",
    all = Engine::ALL.map(Engine::name).join(", ")
)]
pub struct PlaceError(String);

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Place, PlaceError> {
        if text == "unknown" {
            return Ok(Place::UNKNOWN);
        }
        let place = text.split_once(' ').and_then(|(side, name)| {
            let engine = Engine::known(name)?;
            match side {
                "above" => Place::above(engine),
                "below" => Place::below(engine),
                _ => None,
            }
        });
        place.ok_or_else(|| PlaceError(text.to_owned()))
    }
}
