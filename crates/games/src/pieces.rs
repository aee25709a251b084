//! Splitting a text into pieces of one game each.

use crate::reader::Input;
use crate::{Error, ErrorKind, Fault, Game, Place, text};
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

/// The maximum size of a game in bytes. The longest real games, with a comment on each move, have a few hundred thousand.
const LIMIT: usize = 1 << 20;

/// An input read piece by piece.
pub(crate) struct Pieces {
    input: BufReader<Input>,
    file: Option<Arc<str>>,
    /// The number of bytes read.
    offset: u64,
    /// The line of the next byte, from 1.
    line: u64,
    /// The number of games found.
    games: u64,
}

/// The text of a game, and its position in the input.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) bytes: Vec<u8>,
    offset: u64,
    line: u64,
}

/// A game that was found, and where.
pub(crate) type Found = (Piece, (Game, Vec<Fault>));

impl Piece {
    /// A piece without its text.
    pub(crate) fn beginning(&self) -> Piece {
        Piece {
            bytes: Vec::new(),
            ..*self
        }
    }

    /// The game in its text.
    pub(crate) fn read_as(self, read: fn(&str) -> (Game, Vec<Fault>)) -> Found {
        let read = read(&text::decode(&self.bytes));
        (self, read)
    }
}

impl Pieces {
    pub(crate) fn new(input: Input, file: Option<Arc<str>>) -> Pieces {
        Pieces {
            input: BufReader::with_capacity(1 << 16, input),
            file,
            offset: 0,
            line: 1,
            games: 0,
        }
    }

    /// The place of a piece. Counts it as the next game.
    pub(crate) fn place(&mut self, piece: &Piece) -> Place {
        self.games += 1;
        Place {
            file: self.file.clone(),
            number: self.games,
            offset: piece.offset,
            line: Some(piece.line),
        }
    }

    /// The next line without its line break, or `None` at the end of the input.
    pub(crate) fn next_line(&mut self) -> Result<Option<Piece>, Error> {
        let mut piece = Piece {
            bytes: Vec::new(),
            offset: self.offset,
            line: self.line,
        };
        let most = LIMIT as u64 + 1;
        let mut input = self.input.by_ref().take(most);
        let read = input.read_until(b'\n', &mut piece.bytes);
        let len = read.map_err(|error| Error::new(error).named(self.file.as_deref()))?;
        if len == 0 {
            return Ok(None);
        }
        if piece.bytes.pop_if(|byte| *byte == b'\n').is_some() {
            self.line += 1;
        } else if len > LIMIT {
            return Err(self.too_long(&piece, "the end of the line"));
        }
        piece.bytes.pop_if(|byte| *byte == b'\r');
        self.offset += len as u64;
        if piece.offset == 0 && piece.bytes.starts_with("\u{feff}".as_bytes()) {
            piece.bytes.drain(.."\u{feff}".len());
        }
        Ok(Some(piece))
    }

    /// Appends the next line to a piece.
    pub(crate) fn append(&mut self, piece: &mut Piece, line: &[u8]) -> Result<(), Error> {
        if piece.bytes.len() + 1 + line.len() >= LIMIT {
            return Err(self.too_long(piece, "the next game"));
        }
        piece.bytes.push(b'\n');
        piece.bytes.extend_from_slice(line);
        Ok(())
    }

    /// The game in the next tree of properties, from `(;` to its closing bracket, or `None` at the end of the input. Text between trees
    /// is skipped.
    pub(crate) fn next_tree(
        &mut self,
        read: fn(&str) -> (Game, Vec<Fault>),
    ) -> Result<Option<Found>, Error> {
        let tree = self.next_enclosed(&TREE)?;
        Ok(tree.map(|tree| tree.read_as(read)))
    }

    /// The next object of JSON, or `None` at the end of the input. Text between objects is skipped.
    pub(crate) fn next_object(&mut self) -> Result<Option<Piece>, Error> {
        self.next_enclosed(&OBJECT)
    }

    /// The next piece in brackets.
    fn next_enclosed(&mut self, signs: &Signs) -> Result<Option<Piece>, Error> {
        let close = signs.expected;
        let mut scanner = Scanner::default();
        let mut piece = Piece::default();
        loop {
            let bytes = self.input.fill_buf();
            let bytes = bytes.map_err(|error| Error::new(error).named(self.file.as_deref()))?;
            if bytes.is_empty() {
                if piece.bytes.is_empty() {
                    return Ok(None);
                }
                let place = self.place(&piece);
                return Err(Error::new(ErrorKind::Unfinished { expected: close }).at(place));
            }
            let mut used = 0;
            let mut whole = false;
            for &byte in bytes {
                used += 1;
                let step = scanner.next(signs, byte);
                match step {
                    Step::Outside => piece.bytes.clear(),
                    Step::First => {
                        piece.bytes.clear();
                        piece.bytes.push(byte);
                        piece.offset = self.offset + used as u64 - 1;
                        piece.line = self.line;
                    }
                    Step::Inside | Step::Last => piece.bytes.push(byte),
                }
                self.line += u64::from(byte == b'\n');
                whole = matches!(step, Step::Last);
                if whole || piece.bytes.len() > LIMIT {
                    break;
                }
            }
            self.input.consume(used);
            self.offset += used as u64;
            if whole {
                return Ok(Some(piece));
            }
            if piece.bytes.len() > LIMIT {
                return Err(self.too_long(&piece, close));
            }
        }
    }

    fn too_long(&mut self, piece: &Piece, expected: &'static str) -> Error {
        let place = self.place(piece);
        let limit = LIMIT;
        Error::new(ErrorKind::TooLong { limit, expected }).at(place)
    }
}

/// The signs by which a scanner finds pieces in brackets.
struct Signs {
    open: u8,
    close: u8,
    /// The byte that must follow the first bracket. White space may stand between them.
    after_open: Option<u8>,
    /// The bytes around a text. In a text, a backslash escapes the next byte.
    text: [u8; 2],
    /// The last byte of a piece, in words.
    expected: &'static str,
}

const TREE: Signs = Signs {
    open: b'(',
    close: b')',
    after_open: Some(b';'),
    text: [b'[', b']'],
    expected: "its closing bracket )",
};

const OBJECT: Signs = Signs {
    open: b'{',
    close: b'}',
    after_open: None,
    text: [b'"', b'"'],
    expected: "its closing bracket }",
};

/// The state of a scanner for pieces in brackets.
#[derive(Default)]
struct Scanner {
    /// The brackets around it, 0 outside any.
    depth: usize,
    /// The byte that must come next, after the first bracket.
    awaited: Option<u8>,
    is_text: bool,
    /// After a backslash in a text.
    is_escaped: bool,
}

/// The role of a byte.
enum Step {
    /// Outside any piece, as is everything before it.
    Outside,
    /// The first byte of what may be a piece.
    First,
    /// A further byte.
    Inside,
    /// The last byte of a piece.
    Last,
}

impl Scanner {
    fn next(&mut self, signs: &Signs, byte: u8) -> Step {
        let [begin, end] = signs.text;
        if self.is_text {
            self.is_text = byte != end || self.is_escaped;
            self.is_escaped = byte == b'\\' && !self.is_escaped;
            return Step::Inside;
        }
        if byte == signs.open && (self.depth == 0 || self.awaited.is_some()) {
            (self.depth, self.awaited) = (1, signs.after_open);
            return Step::First;
        }
        if self.depth == 0 {
            return Step::Outside;
        }
        if let Some(awaited) = self.awaited {
            if byte == awaited {
                self.awaited = None;
            } else if !byte.is_ascii_whitespace() {
                *self = Scanner::default();
                return Step::Outside;
            }
            return Step::Inside;
        }
        match byte {
            _ if byte == begin => self.is_text = true,
            _ if byte == signs.open => self.depth += 1,
            _ if byte == signs.close => self.depth -= 1,
            _ => {}
        }
        match self.depth {
            0 => Step::Last,
            _ => Step::Inside,
        }
    }
}
