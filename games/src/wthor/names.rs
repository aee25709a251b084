//! Lists of players and tournaments: `.jou` and `.trn`.

use crate::wthor::{Header, UNKNOWN};
use crate::{Date, Error, ErrorKind, text};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// Which of the two lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `.jou`: 20 bytes a name.
    Players,
    /// `.trn`: 26 bytes a name.
    Tournaments,
}

/// The names that games refer to by number, from 0. `???` stands for whoever is not known.
///
/// ```
/// use obook_games::wthor::{Kind, List};
/// let mut file = vec![20, 26, 2, 16, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0];
/// file.extend(b"???\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
/// file.extend(b"Andr\xe9 R.\0\0\0\0\0\0\0\0\0\0\0\0");
/// let players = List::read(Kind::Players, &file[..])?;
/// assert_eq!(players.get(0), Some("???"));
/// assert_eq!(players.get(1), Some("André R."));
/// assert_eq!(players.made().to_string(), "2026-02-16");
/// # Ok::<(), obook_games::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    kind: Kind,
    made: Date,
    names: Vec<String>,
}

/// Both lists. Where one is missing, a game's player or tournament has a name that is made of its number, `player 123`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Who played.
    pub players: Option<List>,
    /// Where.
    pub tournaments: Option<List>,
}

impl Kind {
    /// Bytes of a name, the zero behind it included.
    pub(crate) const fn width(self) -> usize {
        match self {
            Kind::Players => 20,
            Kind::Tournaments => 26,
        }
    }

    /// Whether a list may take in this name: it is in Latin-1, and a zero fits in behind it.
    pub(crate) fn takes(self, name: &str) -> bool {
        let is_latin1 = |c: char| u8::try_from(c).is_ok() && !c.is_control();
        name.chars().all(is_latin1) && name.chars().count() < self.width()
    }

    /// What they are called together.
    pub(crate) const fn plural(self) -> &'static str {
        match self {
            Kind::Players => "players",
            Kind::Tournaments => "tournaments",
        }
    }
}

impl List {
    /// A list of nobody but `???`.
    #[must_use]
    pub fn new(kind: Kind) -> List {
        List {
            kind,
            made: Date::UNKNOWN,
            names: vec![UNKNOWN.to_owned()],
        }
    }

    /// Appends a name, without looking whether it is there; its number, or `None` where there are 65 535 already or the
    /// name does not fit.
    pub(crate) fn push(&mut self, name: &str) -> Option<u16> {
        let number = u16::try_from(self.names.len()).ok()?;
        if number == u16::MAX || !self.kind.takes(name) {
            return None;
        }
        self.names.push(name.to_owned());
        Some(number)
    }

    /// The bytes of the file, which says that it was made on `made`.
    ///
    /// ```
    /// use obook_games::wthor::{Kind, List};
    /// let list = List::new(Kind::Players);
    /// let file = list.encode("2026-02-16".parse()?);
    /// assert_eq!(List::read(Kind::Players, &file[..])?.names(), ["???"]);
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
            // A sign that stands for what could not be shown is no letter of Latin-1.
            let end = bytes.len() + self.kind.width();
            bytes.extend(name.chars().map(|c| u8::try_from(c).unwrap_or(b'?')));
            bytes.resize(end, 0);
        }
        bytes
    }

    /// Reads a whole `.jou` or `.trn` file.
    ///
    /// # Errors
    /// The input can't be read, or ends before the last of the names that its header promises.
    pub fn read(kind: Kind, mut input: impl Read) -> Result<List, Error> {
        let mut header = Vec::with_capacity(Header::LEN);
        input
            .by_ref()
            .take(Header::LEN as u64)
            .read_to_end(&mut header)?;
        let Some((header, [])) = header.split_first_chunk() else {
            return Err(cut_off(header.len(), Header::LEN));
        };
        let header = Header::decode(header);
        let expected = usize::from(header.names) * kind.width();
        let mut bytes = Vec::new();
        input.take(expected as u64).read_to_end(&mut bytes)?;
        if bytes.len() < expected {
            return Err(cut_off(Header::LEN + bytes.len(), Header::LEN + expected));
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

    /// Players or tournaments.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The day on which the file was made, where it says so.
    #[must_use]
    pub const fn made(&self) -> Date {
        self.made
    }

    /// The name with this number; `None` beyond the last.
    #[must_use]
    pub fn get(&self, number: u16) -> Option<&str> {
        self.names.get(usize::from(number)).map(String::as_str)
    }

    /// All of them, by number.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

fn cut_off(found: usize, expected: usize) -> Error {
    Error::new(ErrorKind::Truncated {
        found: found as u64,
        expected: expected as u64,
    })
}

/// The stems of the lists that the federation publishes, in the order in which they are looked for.
const STEMS: [&str; 2] = ["wthor", "wth"];

/// Reads the lists beside a file: those of its own name, else `WTHOR.JOU` or `WTH.JOU`, else the only one; in any case of
/// letters.
pub(crate) fn names_beside(games: &Path) -> Result<Names, Error> {
    let folder = match games.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    let read = |kind, extension| {
        let Some(path) = find(&files, games, extension) else {
            return Ok(None);
        };
        let list = File::open(path)
            .map_err(Error::new)
            .and_then(|file| List::read(kind, BufReader::new(file)));
        list.map(Some)
            .map_err(|error| error.named(Some(&path.display().to_string())))
    };
    Ok(Names {
        players: read(Kind::Players, "jou")?,
        tournaments: read(Kind::Tournaments, "trn")?,
    })
}

fn find<'f>(files: &'f [PathBuf], games: &Path, extension: &str) -> Option<&'f PathBuf> {
    let is = |part: Option<&OsStr>, name: &str| part.is_some_and(|p| p.eq_ignore_ascii_case(name));
    let lists: Vec<&PathBuf> = files
        .iter()
        .filter(|file| is(file.extension(), extension))
        .collect();
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
