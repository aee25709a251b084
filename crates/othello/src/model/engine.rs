//! Engines: their numbers, names, scales of levels, and places.

use super::place::Place;
use crate::levels::Scale;
use std::cmp::Ordering;
use std::fmt;
use std::num::NonZeroU8;
use std::sync::OnceLock;

/// The engine that searched. What its levels mean depends on its scale and on the number of empty squares.
///
/// The constants are the engines that obook knows. An engine of one's own has a name, the [scale](Engine::scale) that its levels claim,
/// and a [`Place`] among the others; the three together are the engine. Any other number up to 255 is one of a later version; it stays
/// with its levels, which count as depths in plies.
///
/// Engines are ordered as merging orders them when their searches are equal: those with an unknown place are the least.
///
/// ```
/// use obook_othello::{Engine, Place};
/// assert_eq!((Engine::Ntest.number(), Engine::Ntest.name()), (7, "ntest"));
/// let tiny = Engine::own("tiny 1.0", Engine::Edax, Place::UNKNOWN)?;
/// assert_eq!((tiny.name(), tiny.scale()), ("tiny 1.0", Engine::Edax));
/// let placed = Engine::own("tiny 1.0", Engine::Edax, "above edax".parse()?)?;
/// assert!(tiny < Engine::Edax && Engine::Edax < placed && placed < Engine::Egaroucid);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Engine(NonZeroU8);

/// The facts about an engine.
struct Row {
    name: &'static str,
    scale: &'static Scale,
}

/// Makes the engines from their rows. The numbers count from 1 and never change, because databases have them.
macro_rules! table {
    ($($(#[$about:meta])* $number:literal: $engine:ident = $name:literal, $scale:path;)*) => {
        #[allow(non_upper_case_globals, reason = "they read like the variants of an enum")]
        impl Engine {
            $($(#[$about])* pub const $engine: Engine = Engine(NonZeroU8::new($number).unwrap());)*
        }

        const ROWS: [Row; [$($number),*].len()] = [$(Row { name: $name, scale: &$scale }),*];

        impl Engine {
            /// All engines that obook knows, by their numbers.
            pub const ALL: [Engine; ROWS.len()] = [$(Engine::$engine),*];
        }
    };
}

table! {
    /// Levels 0–60.
    1: Edax = "edax", Scale::EDAX;
    /// Levels 1–60; 70 means a person entered the value.
    2: Egaroucid = "egaroucid", Scale::EGAROUCID;
    /// obook's own engine. Its levels mean the same as Edax's.
    3: Obook = "obook", Scale::EDAX;
    /// Zebra, with WZebra, DroidZebra and Reversatile. A level is the depth of a midgame search in plies, 1–59; 60 means solved.
    4: Zebra = "zebra", Scale::ZEBRA;
    /// The proofs of “Othello is solved” by Hiroki Takizawa, found by a search like Edax's. They have no levels; if a person adds
    /// one, it means the same as Edax's.
    5: Takizawa = "takizawa", Scale::EDAX;
    /// Othello Sensei. A level is how often one position must double to give as many as it visited,
    /// 1–59; 60 means solved.
    6: Sensei = "sensei", Scale::SENSEI;
    /// NTest. A level is the depth of a search in plies, 1–59; 60 means solved.
    7: Ntest = "ntest", Scale::NTEST;
}

/// An engine of someone's own, or of a later version of obook.
struct Other {
    number: i64,
    /// Its name, once it is heard.
    name: OnceLock<Box<str>>,
    /// Its name until then.
    unnamed: Box<str>,
    scale: Option<Engine>,
    place: Place,
}

/// The engines other than the known ones that this process has met. In memory an engine is one byte.
static OTHERS: [OnceLock<Other>; u8::MAX as usize - ROWS.len()] =
    [const { OnceLock::new() }; u8::MAX as usize - ROWS.len()];

/// Numbers of people's own engines: this bit, then the scale, the place and the name, hashed, in so many bits.
const OWN: i64 = 1 << (NAME_BITS + 2 * FIELD_BITS);
const NAME_BITS: u32 = 38;
const FIELD_BITS: u32 = 4;
const FIELD: i64 = (1 << FIELD_BITS) - 1;

/// The most characters of an engine's name.
const LONGEST: usize = 40;

impl Engine {
    /// An engine of one's own: with any name of 1 to 40 characters that no known engine has, on the scale of a known engine. With
    /// another scale or place it is another engine.
    ///
    /// # Errors
    /// Returns [`EngineError`] if the name or the scale is not allowed, or there are too many engines.
    pub fn own(name: &str, scale: Engine, place: Place) -> Result<Engine, EngineError> {
        let length = name.chars().count();
        if name.trim() != name
            || !(1..=LONGEST).contains(&length)
            || name.contains(char::is_control)
        {
            return Err(EngineError::Name(name.to_owned()));
        }
        if Engine::known(name).is_some() {
            return Err(EngineError::Taken(name.to_owned()));
        }
        if !scale.is_known() {
            return Err(EngineError::Scale(scale.name()));
        }
        let fields = i64::from(scale.0.get()) << FIELD_BITS | i64::from(place.0);
        let hash = hash(name) >> (u64::BITS - NAME_BITS);
        let number = OWN | fields << NAME_BITS | hash.cast_signed();
        let engine = Engine::from_number(number).ok_or(EngineError::TooMany)?;
        engine.call(name);
        Ok(engine)
    }

    /// The engine that obook knows by this name, in letters of any case.
    #[must_use]
    pub fn known(name: &str) -> Option<Engine> {
        let has_name = |engine: &Engine| engine.name().eq_ignore_ascii_case(name);
        Engine::ALL.into_iter().find(has_name)
    }

    /// The engine's number in databases: `engines.engine`.
    #[must_use]
    pub fn number(self) -> i64 {
        self.other()
            .map_or(self.0.get().into(), |other| other.number)
    }

    /// Returns the engine with this number; `None` if no engine has it. A process can tell 255 engines apart: of further ones it knows
    /// nothing, either.
    ///
    /// ```
    /// use obook_othello::{Engine, Place};
    /// let own = Engine::own("mine", Engine::Egaroucid, Place::UNKNOWN)?;
    /// for engine in [Engine::Edax, Engine::Ntest, own] {
    ///     assert_eq!(Engine::from_number(engine.number()), Some(engine));
    /// }
    /// assert_eq!(Engine::from_number(200).map(Engine::name), Some("engine 200"));
    /// assert_eq!([0, 256, -1].map(Engine::from_number), [None; 3]);
    /// # Ok::<(), obook_othello::EngineError>(())
    /// ```
    #[must_use]
    pub fn from_number(number: i64) -> Option<Engine> {
        const KNOWN: i64 = ROWS.len() as i64;
        const END: i64 = OWN << 1;
        let (scale, place) = match number {
            1..=KNOWN => return Engine::from_byte(number as u8),
            ..=255 if number > 0 => (None, Place::UNKNOWN),
            OWN..END => {
                let scale = number >> (NAME_BITS + FIELD_BITS) & FIELD;
                let scale = Engine::from_byte(scale as u8).filter(|it| it.is_known())?;
                let place = Place::from_slot((number >> NAME_BITS & FIELD) as u8)?;
                (Some(scale), place)
            }
            _ => return None,
        };
        // Seats are taken in order, so an engine that has none yet takes the first free one.
        let seat = OTHERS.iter().position(|seat| {
            let other = seat.get_or_init(|| Other {
                number,
                name: OnceLock::new(),
                unnamed: format!("engine {number}").into(),
                scale,
                place,
            });
            other.number == number
        })?;
        Engine::from_byte((ROWS.len() + seat + 1) as u8)
    }

    /// The engine in one byte, from 1 to 255. The byte of an engine that obook doesn't know is its own in this process only: databases
    /// have its [number](Engine::number).
    #[must_use]
    pub const fn to_byte(self) -> u8 {
        self.0.get()
    }

    /// Returns the engine with this byte; `None` if this process has none.
    #[must_use]
    pub fn from_byte(byte: u8) -> Option<Engine> {
        let engine = Engine(NonZeroU8::new(byte)?);
        (engine.is_known() || engine.other().is_some()).then_some(engine)
    }

    /// Whether obook knows it.
    #[must_use]
    pub const fn is_known(self) -> bool {
        self.0.get() as usize <= ROWS.len()
    }

    fn other(self) -> Option<&'static Other> {
        let seat = usize::from(self.0.get()).checked_sub(ROWS.len() + 1)?;
        OTHERS[seat].get()
    }

    /// Tells this process the name of an engine that it doesn't know. The first name stays.
    pub fn call(self, name: &str) {
        if let Some(other) = self.other() {
            other.name.get_or_init(|| name.into());
        }
    }

    /// The engine's name. That of a known engine is in lower case. One that no table and nobody has told is called by its number.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.other() {
            Some(other) => other.name.get().unwrap_or(&other.unnamed),
            None => ROWS[usize::from(self.0.get()) - 1].name,
        }
    }

    /// Whether [`name`](Engine::name) is one, and no number.
    #[must_use]
    pub fn is_named(self) -> bool {
        self.other().is_none_or(|other| other.name.get().is_some())
    }

    /// The known engine whose scale its levels are on: itself if it is one. Levels of an engine of a later version, which is its own
    /// scale, too, count as depths in plies.
    #[must_use]
    pub fn scale(self) -> Engine {
        self.other().and_then(|other| other.scale).unwrap_or(self)
    }

    /// The meaning of its levels.
    pub(crate) fn levels(self) -> &'static Scale {
        ROWS.get(usize::from(self.scale().0.get()) - 1)
            .map_or(&Scale::PLIES, |row| row.scale)
    }

    /// The engine in letters and digits: a known one's name, any other one's number.
    #[must_use]
    pub fn token(self) -> String {
        match self.is_known() {
            true => self.name().to_owned(),
            false => self.number().to_string(),
        }
    }

    /// Its place among the engines; `None` if it is a known engine, by whose places others have theirs.
    #[must_use]
    pub fn place(self) -> Option<Place> {
        self.other().map(|other| other.place)
    }

    /// Whether its searches count among those of others: it is a known engine, or its owner has given it a place.
    #[must_use]
    pub fn has_place(self) -> bool {
        self.place() != Some(Place::UNKNOWN)
    }

    /// The engine with its scale and place if it is not a known one, in words.
    ///
    /// ```
    /// use obook_othello::{Engine, Place};
    /// let tiny = Engine::own("tiny", Engine::Edax, Place::UNKNOWN)?;
    /// assert_eq!(tiny.introduction(), "tiny (edax's levels, place unknown)");
    /// # Ok::<(), obook_othello::EngineError>(())
    /// ```
    #[must_use]
    pub fn introduction(self) -> String {
        match self.other() {
            Some(Other {
                scale: Some(scale),
                place,
                ..
            }) => format!("{self} ({scale}'s levels, place {place})"),
            _ => self.to_string(),
        }
    }
}

/// Spreads names over all numbers: FNV-1a, mixed once more. Numbers in databases depend on it, so it never changes.
fn hash(name: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, step);
    (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd)
}

impl Ord for Engine {
    fn cmp(&self, other: &Engine) -> Ordering {
        let rank = |engine: &Engine| {
            let seat = engine.place().map(Place::seat);
            let known = || 2 * engine.0.get();
            (seat.unwrap_or_else(known), engine.number())
        };
        rank(self).cmp(&rank(other))
    }
}

impl PartialOrd for Engine {
    fn partial_cmp(&self, other: &Engine) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Why an engine of one's own is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// It can't have this name.
    #[error(
        "an engine's name has 1 to {LONGEST} characters, without control characters or spaces at its ends; found “{0}”"
    )]
    Name(String),
    /// A known engine has this name.
    #[error("{0} is the name of an engine that obook knows: choose another one")]
    Taken(String),
    /// Its levels can't be on the scale of this engine, which obook doesn't know.
    #[error(
        "unknown scale {0}; expected one of {all}",
        all = Engine::ALL.map(Engine::name).join(", ")
    )]
    Scale(&'static str),
    /// This process has met too many engines to tell apart.
    #[error("{} engines at most, all together", u8::MAX)]
    TooMany,
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_numbers_count_from_1_and_the_names_differ() {
        let numbers = Engine::ALL.map(Engine::number);
        assert!(numbers.into_iter().eq(1..=ROWS.len() as i64), "{numbers:?}");
        let names: BTreeSet<_> = Engine::ALL.map(Engine::name).into();
        assert_eq!(names.len(), ROWS.len());
    }

    /// Databases have these numbers.
    #[test]
    fn the_number_of_an_own_engine_never_changes() {
        let number = |name, scale, place: &str| {
            let engine = Engine::own(name, scale, place.parse().unwrap()).unwrap();
            assert_eq!(Engine::from_number(engine.number()), Some(engine));
            assert_eq!((engine.name(), engine.scale()), (name, scale));
            assert_eq!(engine.place().unwrap().to_string(), place);
            engine.number()
        };
        assert_eq!(
            number("tiny 1.0", Engine::Edax, "unknown"),
            74_970_970_098_553
        );
        assert_eq!(
            number("tiny 1.0", Engine::Egaroucid, "unknown"),
            79_369_016_609_657
        );
        assert_eq!(
            number("日本", Engine::Edax, "above ntest"),
            77_158_928_950_036
        );
    }

    #[test]
    fn names_that_cannot_be_are_refused() {
        let own = |name: &str| Engine::own(name, Engine::Edax, Place::UNKNOWN);
        for name in ["", " tiny", "tiny\n", &"x".repeat(41)] {
            assert_eq!(own(name), Err(EngineError::Name(name.to_owned())));
        }
        assert_eq!(own("Edax"), Err(EngineError::Taken(String::from("Edax"))));
        let later = Engine::from_number(200).unwrap();
        let scale = Engine::own("tiny", later, Place::UNKNOWN);
        assert_eq!(scale, Err(EngineError::Scale(later.name())));
        assert!(own(&"日".repeat(40)).is_ok());
    }

    #[test]
    fn numbers_of_no_engine_are_refused() {
        let tiny = Engine::own("tiny", Engine::Edax, Place::UNKNOWN).unwrap();
        let wrong = |field: i64, at: u32| {
            let cleared = tiny.number() & !(FIELD << at);
            Engine::from_number(cleared | field << at)
        };
        let scale = NAME_BITS + FIELD_BITS;
        assert_eq!([0, 8, 15].map(|field| wrong(field, scale)), [None; 3]);
        assert_eq!([9, 15].map(|field| wrong(field, NAME_BITS)), [None; 2]);
        for number in [i64::MIN, -1, 0, 256, OWN - 1, OWN << 1, i64::MAX] {
            assert_eq!(Engine::from_number(number), None, "{number}");
        }
    }

    #[test]
    fn places_order_engines() {
        let own =
            |name, place: &str| Engine::own(name, Engine::Edax, place.parse().unwrap()).unwrap();
        let later = Engine::from_number(200).unwrap();
        let order = [
            later,
            own("b", "unknown"),
            own("b", "below edax"),
            Engine::Edax,
            own("a", "above edax"),
            Engine::Egaroucid,
            Engine::Ntest,
            own("a", "above ntest"),
        ];
        assert!(order.is_sorted_by(|one, other| one < other), "{order:?}");
        assert_eq!(own("a", "below egaroucid"), own("a", "above edax"));
    }
}
