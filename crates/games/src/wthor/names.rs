//! Lists of players and tournaments: `.jou` and `.trn`, and where to find them.

use crate::wthor::{Header, UNKNOWN};
use crate::{Date, Error, text};
use obook_base::{Source, files_beside};
use std::ffi::OsStr;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

obook_base::table! {
    /// The kind of a list of names.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum ListKind {
        /// Players, in `.jou` files with 20 bytes for each name.
        Players = "player",
        /// Tournaments, in `.trn` files with 26 bytes for each name.
        Tournaments = "tournament",
    }
    /// The singular of the kind.
    pub fn singular -> &'static str
}

/// The names that games refer to by number, from 0. `???` means unknown.
///
/// ```
/// use obook_games::wthor::{ListKind, List};
/// let mut file = vec![20, 26, 2, 16, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0];
/// file.extend(b"???\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
/// file.extend(b"Andr\xe9 R.\0\0\0\0\0\0\0\0\0\0\0\0");
/// let players = List::read(ListKind::Players, &file[..])?;
/// assert_eq!(players.get(0), Some("???"));
/// assert_eq!(players.get(1), Some("André R."));
/// assert_eq!(players.made().to_string(), "2026-02-16");
/// # Ok::<(), obook_games::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    kind: ListKind,
    made: Date,
    names: Vec<String>,
}

/// The numbers of the names of a game in the lists. The federation's lists only grow: a number has one name in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// The number of the tournament.
    pub tournament: u16,
    /// The number of the player with the black discs.
    pub black: u16,
    /// The number of the player with the white discs.
    pub white: u16,
}

/// Both lists. If one is missing, its names are made of their numbers: `player 123`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The players.
    pub players: Option<List>,
    /// The tournaments.
    pub tournaments: Option<List>,
}

impl ListKind {
    /// The size of a name in bytes, including the zero at its end.
    pub(crate) const fn width(self) -> usize {
        match self {
            ListKind::Players => 20,
            ListKind::Tournaments => 26,
        }
    }

    /// Whether a name fits into the list: it is in Latin-1 and leaves room for a zero.
    pub(crate) fn takes(self, name: &str) -> bool {
        let is_latin1 = |c: char| u8::try_from(c).is_ok() && !c.is_control();
        name.chars().all(is_latin1) && name.chars().count() < self.width()
    }

    /// The name made of a number, for want of a list.
    ///
    /// ```
    /// use obook_games::wthor::ListKind;
    /// assert_eq!(ListKind::Players.made_up(1517), "player 1517");
    /// assert!(ListKind::Players.is_made_up("player 1517") && !ListKind::Players.is_made_up("player one"));
    /// ```
    #[must_use]
    pub fn made_up(self, number: u16) -> String {
        format!("{} {number}", self.singular())
    }

    /// Whether a name is made of a number.
    #[must_use]
    pub fn is_made_up(self, name: &str) -> bool {
        let number = name.strip_prefix(self.singular());
        let number = number.and_then(|rest| rest.strip_prefix(' ')?.parse().ok());
        number.is_some_and(|number| self.made_up(number) == name)
    }

    /// The plural of the kind.
    #[must_use]
    pub const fn plural(self) -> &'static str {
        match self {
            ListKind::Players => "players",
            ListKind::Tournaments => "tournaments",
        }
    }
}

impl List {
    /// A list with only `???`.
    #[must_use]
    pub fn new(kind: ListKind) -> List {
        List {
            kind,
            made: Date::UNKNOWN,
            names: vec![UNKNOWN.to_owned()],
        }
    }

    /// Appends a name without checking for duplicates, and returns its number. Returns `None` if there are 65 535 names already or
    /// the name does not fit.
    pub(crate) fn push(&mut self, name: &str) -> Option<u16> {
        let number = u16::try_from(self.names.len()).ok()?;
        if number == u16::MAX || !self.kind.takes(name) {
            return None;
        }
        self.names.push(name.to_owned());
        Some(number)
    }

    /// The contents of the file, dated `made`.
    ///
    /// ```
    /// use obook_games::wthor::{ListKind, List};
    /// let list = List::new(ListKind::Players);
    /// let file = list.encode("2026-02-16".parse()?);
    /// assert_eq!(List::read(ListKind::Players, &file[..])?.names(), ["???"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn encode(&self, made: Date) -> Vec<u8> {
        let header = Header {
            made: Header::made_on(made),
            names: self.names.len() as u16,
            ..Header::default()
        };
        let mut bytes = header.encode().to_vec();
        for name in &self.names {
            // The replacement character is not in Latin-1.
            let end = bytes.len() + self.kind.width();
            bytes.extend(name.chars().map(|c| u8::try_from(c).unwrap_or(b'?')));
            bytes.resize(end, 0);
        }
        bytes
    }

    /// Reads a whole `.jou` or `.trn` file.
    ///
    /// # Errors
    /// Returns an error if the input can't be read or has fewer names than its header promises.
    pub fn read(kind: ListKind, mut input: impl Read) -> Result<List, Error> {
        let header = Header::read(&mut input)?;
        let expected = usize::from(header.names) * kind.width();
        let mut bytes = Vec::new();
        input.take(expected as u64).read_to_end(&mut bytes)?;
        if bytes.len() < expected {
            let found = Header::LEN + bytes.len();
            return Err(Error::cut_off(found, Header::LEN + expected));
        }
        let names = bytes.chunks_exact(kind.width()).map(|name| {
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            text::from_latin1(name)
        });
        Ok(List {
            kind,
            made: header.date(),
            names: names.collect(),
        })
    }

    /// The kind of the names.
    #[must_use]
    pub const fn kind(&self) -> ListKind {
        self.kind
    }

    /// The date on which the file was made, if known.
    #[must_use]
    pub const fn made(&self) -> Date {
        self.made
    }

    /// The name with this number.
    #[must_use]
    pub fn get(&self, number: u16) -> Option<&str> {
        self.names.get(usize::from(number)).map(String::as_str)
    }

    /// All names, by number.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// The stems of the lists published by the federation, in the order of preference.
const STEMS: [&str; 2] = ["wthor", "wth"];

/// Reads the lists beside a file: those with its name, else `WTHOR.JOU` or `WTH.JOU`, else the only one. Ignores case.
pub(crate) fn names_beside(games: &Path) -> Result<Names, Error> {
    let files = files_beside(games)?;
    let read = |kind, extension| {
        let Some(path) = find(&files, games, extension) else {
            return Ok(None);
        };
        let file = Source::open(path).map_err(Error::new);
        let list = file.and_then(|file| List::read(kind, BufReader::new(file)));
        list.map(Some)
            .map_err(|error| error.named(Some(&path.display().to_string())))
    };
    Ok(Names {
        players: read(ListKind::Players, "jou")?,
        tournaments: read(ListKind::Tournaments, "trn")?,
    })
}

fn find<'f>(files: &'f [PathBuf], games: &Path, extension: &str) -> Option<&'f PathBuf> {
    let is = |part: Option<&OsStr>, name: &str| part.is_some_and(|p| p.eq_ignore_ascii_case(name));
    let lists = files.iter().filter(|file| is(file.extension(), extension));
    let lists: Vec<&PathBuf> = lists.collect();
    let named = |stem: &str| {
        let mut lists = lists.iter().copied();
        lists.find(|list| is(list.file_stem(), stem))
    };
    let own = games.file_stem().and_then(OsStr::to_str);
    own.into_iter()
        .chain(STEMS)
        .find_map(named)
        .or(match lists[..] {
            [only] => Some(only),
            _ => None,
        })
}
