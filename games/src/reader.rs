//! Reading games of any format.

use crate::pieces::{Piece, Pieces};
use crate::{Error, ErrorKind, Fault, Format, Game, edx, ggf, pgn, sgf, text, transcript, wthor};
use std::fmt;
use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;
use std::sync::Arc;

/// A streaming reader of games in any format, found by the contents; Zstandard is looked through. An iterator: after an
/// error it ends, while what is wrong with one game only stands beside that game.
///
/// ```
/// use obook_games::{Format, Reader};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/levels.wtb");
/// let games = Reader::open(path)?;
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
    games: Games,
    format: Format,
    /// Nothing more comes.
    done: bool,
}

/// Any input, without its compression.
type Input = Box<dyn Read + Send>;

enum Games {
    Wthor(wthor::Reader<Input>),
    Edx(edx::Reader<Input>),
    Text(TextReader<Input>),
}

impl Reader {
    /// Opens a file. The names of a WTHOR file's players and tournaments are read from the `.jou` and `.trn` files in its
    /// folder: those of its own name, else `WTHOR.JOU` or `WTH.JOU`, else the only one.
    ///
    /// # Errors
    /// The file can't be read, is in none of the formats, or its header is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Reader, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| Error::new(error).named(Some(&name)))?;
        Reader::start(file, Some(name.into()), Some(path), None)
    }

    /// Reads from anything. Names of WTHOR's players are made of their numbers then. The input's name is for errors and
    /// places.
    ///
    /// ```
    /// use obook_games::Reader;
    /// let mut games = Reader::new(&b"f5d6c3d3c4"[..], Some("standard input".into()))?;
    /// assert_eq!(games.next().unwrap()?.game.line().ply(), 5);
    /// # Ok::<(), obook_games::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn new(input: impl Read + Send + 'static, name: Option<Arc<str>>) -> Result<Reader, Error> {
        Reader::start(input, name, None, None)
    }

    /// Reads what is known to be of this format, whatever it begins with.
    ///
    /// ```
    /// use obook_games::{Format, Reader};
    /// let league = b"Round one\nf5d6c3 +4\n";
    /// assert!(Reader::new(&league[..], None).is_err());
    /// let mut games = Reader::of_format(&league[..], None, Format::Transcript)?;
    /// assert_eq!(games.next().unwrap()?.faults[0].number(), Some(1), "there is no move in the first line");
    /// assert_eq!(games.next().unwrap()?.game.score.unwrap().get(), 4);
    /// # Ok::<(), obook_games::Error>(())
    /// ```
    ///
    /// # Errors
    /// The input can't be read, or the header of its format is damaged.
    pub fn of_format(
        input: impl Read + Send + 'static,
        name: Option<Arc<str>>,
        format: Format,
    ) -> Result<Reader, Error> {
        Reader::start(input, name, None, Some(format))
    }

    /// The same for a file, with the names that lie beside a WTHOR file.
    ///
    /// # Errors
    /// As [`Reader::of_format`].
    pub fn open_as(path: impl AsRef<Path>, format: Format) -> Result<Reader, Error> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| Error::new(error).named(Some(&name)))?;
        Reader::start(file, Some(name.into()), Some(path), Some(format))
    }

    fn start(
        input: impl Read + Send + 'static,
        name: Option<Arc<str>>,
        path: Option<&Path>,
        format: Option<Format>,
    ) -> Result<Reader, Error> {
        let named = |error: Error| error.named(name.as_deref());
        let mut input = obook_converters::decompress(input).map_err(|error| named(error.into()))?;
        let mut head = Vec::with_capacity(Format::HEAD);
        input
            .by_ref()
            .take(Format::HEAD as u64)
            .read_to_end(&mut head)
            .map_err(|error| named(error.into()))?;
        let Some(format) = format.or_else(|| Format::detect(&head)) else {
            let kind = match wthor::names_of(&head) {
                Some(kind) => ErrorKind::Names { of: kind.plural() },
                None => ErrorKind::UnknownFormat { found: head },
            };
            return Err(named(Error::new(kind)));
        };
        let input: Input = Box::new(Cursor::new(head).chain(input));
        let games = match format {
            Format::Wthor => {
                let names = path.map(wthor::names_beside).transpose()?;
                Games::Wthor(wthor::Reader::new(input, names.unwrap_or_default(), name)?)
            }
            Format::Edx => Games::Edx(edx::Reader::new(input, name)),
            Format::Ggf => Games::Text(TextReader::new(input, name, Language::Ggf)),
            Format::Sgf => Games::Text(TextReader::new(input, name, Language::Sgf)),
            Format::Pgn => {
                let language = Language::Pgn(pgn::Games::default());
                Games::Text(TextReader::new(input, name, language))
            }
            Format::Transcript => Games::Text(TextReader::new(input, name, Language::Transcript)),
        };
        Ok(Reader {
            games,
            format,
            done: false,
        })
    }

    /// The format.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }
}

impl Iterator for Reader {
    type Item = Result<Entry, Error>;

    fn next(&mut self) -> Option<Result<Entry, Error>> {
        if self.done {
            return None;
        }
        let entry = match &mut self.games {
            Games::Wthor(games) => games.next(),
            Games::Edx(games) => games.next_entry().transpose(),
            Games::Text(games) => games.next_entry().transpose(),
        };
        self.done = !matches!(entry, Some(Ok(_)));
        entry
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

/// How a text is cut into games, and what reads them.
#[derive(Debug)]
enum Language {
    Ggf,
    Sgf,
    Pgn(pgn::Games),
    Transcript,
}

/// A streaming reader of a text.
#[derive(Debug)]
struct TextReader<R> {
    pieces: Pieces<R>,
    language: Language,
}

impl<R: Read> TextReader<R> {
    fn new(input: R, file: Option<Arc<str>>, language: Language) -> TextReader<R> {
        TextReader {
            pieces: Pieces::new(input, file),
            language,
        }
    }

    fn next_entry(&mut self) -> Result<Option<Entry>, Error> {
        while let Some(piece) = self.next_piece()? {
            if let Some((game, faults)) = self.read(&piece) {
                let place = self.pieces.place(&piece);
                return Ok(Some(Entry {
                    game,
                    place,
                    faults,
                }));
            }
        }
        Ok(None)
    }

    fn next_piece(&mut self) -> Result<Option<Piece>, Error> {
        match &mut self.language {
            Language::Ggf | Language::Sgf => self.pieces.next_tree(),
            Language::Pgn(games) => games.next_piece(&mut self.pieces),
            Language::Transcript => self.pieces.next_line(),
        }
    }

    /// The game of a piece; `None` where it is a remark.
    fn read(&self, piece: &Piece) -> Option<(Game, Vec<Fault>)> {
        let text = text::decode(&piece.bytes);
        match self.language {
            Language::Ggf => Some(ggf::read(&text)),
            Language::Sgf => Some(sgf::read(&text)),
            Language::Pgn(_) => Some(pgn::read(&text)),
            Language::Transcript => transcript::read(&text),
        }
    }
}

/// Where a record was read.
///
/// ```
/// let mut games = obook_games::Reader::new(&b"# two openings\nf5d6c3\nf5f6\n"[..], Some("openings.txt".into()))?;
/// let place = games.by_ref().last().unwrap()?.place;
/// assert_eq!(place.to_string(), "openings.txt: game 2 (line 3)");
/// assert_eq!((place.number, place.offset), (2, 22));
/// # Ok::<(), obook_games::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file's name; `None` where the reader was given none.
    pub file: Option<Arc<str>>,
    /// Which game of the file, from 1.
    pub number: u64,
    /// Where it begins, in bytes from the start of the uncompressed input.
    pub offset: u64,
    /// The line in which it begins, from 1; `None` in a format that has no lines.
    pub line: Option<u64>,
}

/// A game that was read: as far as it is legal, with what is wrong with its record beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The game. After an illegal move it has the moves before that.
    pub game: Game,
    /// Where it stands.
    pub place: Place,
    /// What is wrong with it, in the order in which it was found; empty for most.
    pub faults: Vec<Fault>,
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
