//! The number of a game, which says its year.

use std::fmt;

/// Numbers that each year has for its games.
pub const GAMES_A_YEAR: i64 = 10_000_000;

/// The number of a game: those of later years are larger.
///
/// ```
/// use obook_rows::GameId;
/// let game = GameId::new(Some(1997), 123).unwrap();
/// assert_eq!(game.to_string(), "19970000123");
/// assert_eq!(game.year(), Some(1997));
/// assert!(game < GameId::new(Some(1998), 0).unwrap());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct GameId(i64);

impl GameId {
    /// The game with this number, from 0, in its year; `None` above 9 999 999.
    #[must_use]
    pub fn new(year: Option<u16>, number: i64) -> Option<GameId> {
        let is_number = (0..GAMES_A_YEAR).contains(&number);
        is_number.then(|| GameId(i64::from(year.unwrap_or(0)) * GAMES_A_YEAR + number))
    }

    /// The game of a number as the table has it; `None` where no year has it.
    #[must_use]
    pub fn from_number(number: i64) -> Option<GameId> {
        let is_number = (0..(i64::from(u16::MAX) + 1) * GAMES_A_YEAR).contains(&number);
        is_number.then_some(GameId(number))
    }

    /// The number, as the table has it.
    #[must_use]
    pub const fn number(self) -> i64 {
        self.0
    }

    /// The year, where it is known.
    #[must_use]
    pub fn year(self) -> Option<u16> {
        u16::try_from(self.0 / GAMES_A_YEAR)
            .ok()
            .filter(|year| *year > 0)
    }

    /// The last number that games of a year can have.
    #[must_use]
    pub fn last_of(year: Option<u16>) -> GameId {
        GameId(i64::from(year.unwrap_or(0)) * GAMES_A_YEAR + GAMES_A_YEAR - 1)
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
