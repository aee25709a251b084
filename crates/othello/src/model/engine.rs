//! Engines: their numbers, names and scales of levels.

use crate::levels::Scale;
use std::fmt;
use std::num::NonZeroU8;
use std::sync::LazyLock;

/// The engine whose scale a level is on. What a level means depends on the engine and on the number of empty squares.
///
/// An engine is a number from 1 to 255: the one in table `engines` of a database. The constants are the engines that obook knows.
/// Any other number is an engine, too: that of a later version, for example. It stays with its levels, which count as depths in plies.
///
/// ```
/// use obook_othello::Engine;
/// assert_eq!((Engine::Ntest.code(), Engine::Ntest.name()), (7, "ntest"));
/// let later = Engine::from_code(200).unwrap();
/// assert_eq!((later.code(), later.name()), (200, "engine 200"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Engine(NonZeroU8);

/// What is known of an engine.
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
    /// Othello Sensei. A level is the number of times by which one position would have to double to give those that it visited,
    /// 1–59; 60 means solved.
    6: Sensei = "sensei", Scale::SENSEI;
    /// NTest. A level is the depth of a search in plies, 1–59; 60 means solved.
    7: Ntest = "ntest", Scale::NTEST;
}

/// The names of the engines that obook doesn't know.
static OTHERS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let others = ROWS.len() + 1..=usize::from(u8::MAX);
    others.map(|number| format!("engine {number}")).collect()
});

impl Engine {
    /// The engines that obook can ask. The others only appear in their books.
    pub const SEARCHING: [Engine; 3] = [Engine::Edax, Engine::Egaroucid, Engine::Obook];

    /// The engine's number in databases: `engines.engine`.
    #[must_use]
    pub const fn code(self) -> u8 {
        self.0.get()
    }

    /// Returns the engine with this number, from 1 to 255.
    ///
    /// ```
    /// use obook_othello::Engine;
    /// assert!(Engine::ALL.iter().all(|engine| Engine::from_code(engine.code().into()) == Some(*engine)));
    /// assert_eq!([0, 256, -1].map(Engine::from_code), [None; 3]);
    /// ```
    #[must_use]
    pub fn from_code(code: i64) -> Option<Engine> {
        NonZeroU8::new(u8::try_from(code).ok()?).map(Engine)
    }

    fn row(self) -> Option<&'static Row> {
        ROWS.get(usize::from(self.code()) - 1)
    }

    /// The engine's name, in lower case.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.row() {
            Some(row) => row.name,
            None => &OTHERS[usize::from(self.code()) - 1 - ROWS.len()],
        }
    }

    /// What its levels mean.
    pub(crate) fn scale(self) -> &'static Scale {
        self.row().map_or(&Scale::PLIES, |row| row.scale)
    }
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
        let codes = Engine::ALL.map(Engine::code);
        assert!(codes.into_iter().eq(1..=ROWS.len() as u8), "{codes:?}");
        let all = (1..=255).filter_map(Engine::from_code);
        let names: BTreeSet<_> = all.map(Engine::name).collect();
        assert_eq!(names.len(), 255);
    }
}
