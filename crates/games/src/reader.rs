//! Reading games in any format.

use crate::pieces::{Found, Pieces};
use crate::records::Records;
use crate::{Error, ErrorKind, Fault, Format, Game, edx, ggf, pgn, quest, sgf, transcript, wthor};
use obook_base::compression::{decompress, peek};
use obook_base::{Source, UntilError};
use std::fmt;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A streaming reader of games in any format, which it detects from the contents; it decompresses Zstandard, gzip and
/// bzip2. The iterator ends after an error. An error in a single game is a [`Fault`] of its [`Entry`] instead.
///
/// ```
/// use obook_games::{Format, Reader};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/levels.wtb");
/// let games = Reader::open(path, None)?;
/// assert_eq!(games.format(), Format::Wthor);
/// for entry in games {
///     let entry = entry?;
///     if entry.faults.is_empty() {
///         println!("{}: {}", entry.place, entry.game.line());
///     }
/// }
/// # Ok::<(), obook_games::Error>(())
/// ```
pub struct Reader {
    games: UntilError<Games>,
    format: Format,
    lacks_names: bool,
}

/// A decompressed input.
pub(crate) type Input = Box<dyn Read + Send>;

type Games = Box<dyn Iterator<Item = Result<Entry, Error>> + Send>;

impl Reader {
    /// Opens a file, whose contents tell the format unless it is given. Takes the names of players and tournaments of a WTHOR file from
    /// `.jou` and `.trn` files in its folder: from those with the name of the file, else from `WTHOR.JOU` or `WTH.JOU`, else from the
    /// only one.
    ///
    /// # Errors
    /// Returns an error if the file can't be read, is in an unknown format, or has a damaged header.
    pub fn open(path: impl AsRef<Path>, format: Option<Format>) -> Result<Reader, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let file = Source::open(path).map_err(|error| Error::new(error).named(Some(&name)))?;
        Reader::start(file, Some(name.into()), Some(path), format)
    }

    /// Reads any input, whose beginning tells the format unless it is given. The players of a WTHOR file then have their numbers as names.
    /// `name` is used in errors and places.
    ///
    /// ```
    /// use obook_games::{Format, Reader};
    /// let mut games = Reader::new(&b"f5d6c3d3c4"[..], Some("standard input".into()), None)?;
    /// assert_eq!(games.next().unwrap()?.game.line().ply(), 5);
    ///
    /// let league = b"Round one\nf5d6c3 +4\n"; // Too short to be recognised.
    /// assert!(Reader::new(&league[..], None, None).is_err());
    /// let mut games = Reader::new(&league[..], None, Some(Format::Transcript))?;
    /// assert_eq!(games.next().unwrap()?.faults[0].number(), Some(1), "the first line has no moves");
    /// assert_eq!(games.next().unwrap()?.game.score.unwrap().get(), 4);
    /// # Ok::<(), obook_games::Error>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Reader::open`].
    pub fn new(
        input: impl Read + Send + 'static,
        name: Option<Arc<str>>,
        format: Option<Format>,
    ) -> Result<Reader, Error> {
        Reader::start(input, name, None, format)
    }

    fn start(
        input: impl Read + Send + 'static,
        name: Option<Arc<str>>,
        path: Option<&Path>,
        format: Option<Format>,
    ) -> Result<Reader, Error> {
        let named = |error: Error| error.named(name.as_deref());
        let (head, input) = decompress(input)
            .and_then(|input| peek(input, Format::HEAD))
            .map_err(|error| named(error.into()))?;
        let Some(format) = format.or_else(|| Format::detect(&head)) else {
            let kind = match wthor::names_of(&head) {
                Some(kind) => ErrorKind::Names { of: kind.plural() },
                None => ErrorKind::UnknownFormat { found: head },
            };
            return Err(named(Error::new(kind)));
        };
        let input: Input = Box::new(input);
        let mut lacks_names = false;
        let games: Games = match format {
            Format::Wthor => {
                let names = path.map(wthor::names_beside).transpose()?;
                let names = names.unwrap_or_default();
                lacks_names = names.players.is_none();
                Box::new(wthor::Reader::new(input, names, name)?)
            }
            Format::Edx => {
                let mut records = Records::new(input, 0, name);
                entries(move || {
                    let record = records.next_record()?;
                    Ok(record.map(|(place, record)| (place, edx::read(&record))))
                })
            }
            Format::Ggf => in_text(input, name, |pieces| pieces.next_tree(ggf::read)),
            Format::Sgf => in_text(input, name, |pieces| pieces.next_tree(sgf::read)),
            Format::Pgn => in_text(input, name, pgn::games()),
            Format::Transcript => in_text(input, name, transcript::games()),
            Format::Quest => in_text(input, name, quest::games()),
        };
        Ok(Reader {
            games: UntilError::new(games),
            format,
            lacks_names,
        })
    }

    /// The format of the input.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Whether players have numbers instead of names: a WTHOR file without a list of players.
    #[must_use]
    pub const fn lacks_names(&self) -> bool {
        self.lacks_names
    }
}

impl Iterator for Reader {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Result<Entry, Error>> {
        self.games.next()
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

/// The place of a game in a file.
///
/// ```
/// let mut games = obook_games::Reader::new(&b"# two openings\nf5d6c3\nf5f6\n"[..], Some("openings.txt".into()), None)?;
/// let place = games.by_ref().last().unwrap()?.place;
/// assert_eq!(place.to_string(), "openings.txt: game 2 (line 3)");
/// assert_eq!((place.number, place.offset), (2, 22));
/// # Ok::<(), obook_games::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the file, if the reader was given one.
    pub file: Option<Arc<str>>,
    /// The number of the game in the file, from 1.
    pub number: u64,
    /// The start of the game, in bytes from the start of the decompressed input.
    pub offset: u64,
    /// The line of the start, from 1, or `None` for a binary format.
    pub line: Option<u64>,
}

/// A game that was read, up to the first illegal move, with its place and its faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The game, up to the first illegal move.
    pub game: Game,
    /// Its place in the file.
    pub place: Place,
    /// The faults of its record, in the order found. Most games have none.
    pub faults: Vec<Fault>,
    /// The numbers of its names, in a WTHOR file.
    pub numbers: Option<wthor::Numbers>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}: ")?;
        }
        match self.line {
            Some(line) => write!(f, "game {} (line {line})", self.number),
            None => write!(f, "game {} (byte {})", self.number, self.offset),
        }
    }
}

/// The games that `next` finds.
fn entries(
    mut next: impl FnMut() -> Result<Option<(Place, (Game, Vec<Fault>))>, Error> + Send + 'static,
) -> Games {
    let entry = |(place, (game, faults))| Entry {
        game,
        place,
        faults,
        numbers: None,
    };
    Box::new(std::iter::from_fn(move || {
        next().map(|found| found.map(entry)).transpose()
    }))
}

/// The games that `next` finds in a text.
fn in_text(
    input: Input,
    file: Option<Arc<str>>,
    mut next: impl FnMut(&mut Pieces) -> Result<Option<Found>, Error> + Send + 'static,
) -> Games {
    let mut pieces = Pieces::new(input, file);
    entries(move || {
        let found = next(&mut pieces)?;
        Ok(found.map(|(piece, read)| (pieces.place(&piece), read)))
    })
}
