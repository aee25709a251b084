//! Time controls, as the Generic Game Server writes them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A time control: the initial time, the increment for each move, and the extension once the initial time is used up. Each of
/// them may be missing. Written `initial/increment/extension`.
///
/// ```
/// use obook_games::Clock;
/// use std::time::Duration;
/// let clock: Clock = "5:00//02:00".parse()?;
/// assert_eq!(clock.initial.unwrap().time, Duration::from_secs(300));
/// assert_eq!(clock.increment, None);
/// assert_eq!(clock.to_string(), "05:00//02:00");
/// assert!("//".parse::<Clock>().is_err(), "nothing is set");
/// assert_eq!("1:00:00,40/10".parse::<Clock>()?.to_string(), "01:00:00,40/00:10");
/// # Ok::<(), obook_games::ParseClockError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// The time for the first moves, or for the whole game.
    pub initial: Option<Period>,
    /// The time added after every move, or after a number of moves.
    pub increment: Option<Period>,
    /// The time left once the initial time is used up.
    pub extension: Option<Period>,
}

/// One of a clock's three times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The time in whole seconds, up to 9999 hours.
    pub time: Duration,
    /// The number of moves it is for, if given.
    pub moves: Option<u16>,
    /// The flag `N`. After such an initial time play continues in the extension; such an increment gives back no more than the
    /// move used; such an extension is not added to the remaining time.
    pub negated: bool,
}

/// The error for text that is not a time control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a clock such as 05:00//02:00: initial/increment/extension, each [[HH:]MM:]SS")]
pub struct ParseClockError;

/// The longest time accepted, in seconds.
const LONGEST: u64 = 9_999 * 3_600;

impl Clock {
    /// A clock with this time for the whole game, or `None` if it is more than 9999 hours. Fractions of a second are dropped.
    #[must_use]
    pub fn of_time(time: Duration) -> Option<Clock> {
        (time.as_secs() <= LONGEST).then(|| Clock {
            initial: Some(Period {
                time: Duration::from_secs(time.as_secs()),
                moves: None,
                negated: false,
            }),
            ..Clock::default()
        })
    }
}

impl FromStr for Clock {
    type Err = ParseClockError;

    fn from_str(text: &str) -> Result<Clock, ParseClockError> {
        let mut parts = text.split('/').map(|part| match part.trim() {
            "" => Ok(None),
            part => period(part).map(Some).ok_or(ParseClockError),
        });
        let mut next = || parts.next().transpose().map(Option::flatten);
        let clock = Clock {
            initial: next()?,
            increment: next()?,
            extension: next()?,
        };
        match parts.next() {
            None if clock != Clock::default() => Ok(clock),
            _ => Err(ParseClockError),
        }
    }
}

fn period(text: &str) -> Option<Period> {
    let (time, moves) = text.split_once(',').unwrap_or((text, ""));
    let moves = moves.trim();
    let seconds = time.split(':').try_fold(0u64, |seconds, unit| {
        let unit = unit.trim().parse().ok()?;
        seconds.checked_mul(60)?.checked_add(unit)
    })?;
    (time.split(':').count() <= 3 && seconds <= LONGEST).then_some(Period {
        time: Duration::from_secs(seconds),
        moves: match moves.trim_start_matches('N') {
            "" => None,
            count => Some(count.parse().ok()?),
        },
        negated: moves.starts_with('N'),
    })
}

impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [self.initial, self.increment, self.extension];
        let parts = parts.map(|part| part.map_or(String::new(), |part| part.to_string()));
        f.write_str(parts.join("/").trim_end_matches('/'))
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.time.as_secs();
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        if hours > 0 {
            write!(f, "{hours:02}:")?;
        }
        write!(f, "{minutes:02}:{seconds:02}")?;
        let flag = if self.negated { "N" } else { "" };
        match self.moves {
            Some(moves) => write!(f, ",{flag}{moves}"),
            None if self.negated => f.write_str(",N"),
            None => Ok(()),
        }
    }
}
