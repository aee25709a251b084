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
        let len = self
            .input
            .by_ref()
            .take(most)
            .read_until(b'\n', &mut piece.bytes)
            .map_err(|error| Error::new(error).named(self.file.as_deref()))?;
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

    /// Appends a line to a piece.
    pub(crate) fn append(&mut self, piece: &mut Piece, line: &[u8]) -> Result<(), Error> {
        if piece.bytes.len() + line.len() >= LIMIT {
            return Err(self.too_long(piece, "the next game"));
        }
        piece.bytes.extend_from_slice(line);
        piece.bytes.push(b'\n');
        Ok(())
    }

    /// The next tree of properties, from `(;` to its closing bracket, or `None` at the end of the input. Text between trees is
    /// skipped.
    pub(crate) fn next_tree(&mut self) -> Result<Option<Piece>, Error> {
        let mut tree = Tree::default();
        self.next_enclosed(|byte| tree.next(byte), "its closing bracket )")
    }

    /// The next object of JSON, or `None` at the end of the input. Text between objects is skipped.
    pub(crate) fn next_object(&mut self) -> Result<Option<Piece>, Error> {
        let mut object = Object::default();
        self.next_enclosed(|byte| object.next(byte), "its closing bracket }")
    }

    /// The next piece with a first and a last byte.
    fn next_enclosed(
        &mut self,
        mut next: impl FnMut(u8) -> Step,
        close: &'static str,
    ) -> Result<Option<Piece>, Error> {
        let mut piece = Piece::default();
        loop {
            let bytes = self
                .input
                .fill_buf()
                .map_err(|error| Error::new(error).named(self.file.as_deref()))?;
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
                match next(byte) {
                    Step::Outside => piece.bytes.clear(),
                    Step::First => {
                        piece.bytes.clear();
                        piece.bytes.push(byte);
                        piece.offset = self.offset + used as u64 - 1;
                        piece.line = self.line;
                    }
                    Step::Inside => piece.bytes.push(byte),
                    Step::Last => {
                        piece.bytes.push(byte);
                        whole = true;
                        break;
                    }
                }
                self.line += u64::from(byte == b'\n');
                if piece.bytes.len() > LIMIT {
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

/// The state of a scanner for trees of properties.
#[derive(Default)]
enum Tree {
    /// Outside any tree.
    #[default]
    Outside,
    /// After a bracket that may open a tree: a semicolon has to follow.
    Begun,
    /// Inside `depth` brackets.
    Inside { depth: usize },
    /// In a value inside `depth` brackets; `escaped` after a backslash.
    Value { depth: usize, escaped: bool },
}

/// The state of a scanner for objects of JSON.
#[derive(Default)]
struct Object {
    /// The brackets around it, 0 outside any.
    depth: usize,
    is_text: bool,
    /// After a backslash in a text.
    is_escaped: bool,
}

impl Object {
    fn next(&mut self, byte: u8) -> Step {
        let is_escaped = std::mem::take(&mut self.is_escaped);
        match (byte, self.is_text) {
            (b'{', false) if self.depth == 0 => {
                self.depth = 1;
                return Step::First;
            }
            _ if self.depth == 0 => return Step::Outside,
            (b'"', _) if !is_escaped => self.is_text = !self.is_text,
            (b'\\', true) => self.is_escaped = !is_escaped,
            (b'{', false) => self.depth += 1,
            (b'}', false) => self.depth -= 1,
            _ => {}
        }
        match self.depth {
            0 => Step::Last,
            _ => Step::Inside,
        }
    }
}

/// The role of a byte.
enum Step {
    /// Outside any tree, as is everything before it.
    Outside,
    /// The first byte of what may be a tree.
    First,
    /// A further byte.
    Inside,
    /// The last byte of a tree.
    Last,
}

impl Tree {
    fn next(&mut self, byte: u8) -> Step {
        *self = match (&*self, byte) {
            (Tree::Outside | Tree::Begun, b'(') => {
                *self = Tree::Begun;
                return Step::First;
            }
            (Tree::Begun, b';') => Tree::Inside { depth: 1 },
            (Tree::Begun, byte) if byte.is_ascii_whitespace() => Tree::Begun,
            (Tree::Outside | Tree::Begun, _) => Tree::Outside,
            (Tree::Inside { depth }, b'[') => Tree::Value {
                depth: *depth,
                escaped: false,
            },
            (Tree::Inside { depth }, b'(') => Tree::Inside { depth: depth + 1 },
            (Tree::Inside { depth: 1 }, b')') => {
                *self = Tree::Outside;
                return Step::Last;
            }
            (Tree::Inside { depth }, b')') => Tree::Inside { depth: depth - 1 },
            (Tree::Inside { depth }, _) => Tree::Inside { depth: *depth },
            (
                Tree::Value {
                    depth,
                    escaped: false,
                },
                b']',
            ) => Tree::Inside { depth: *depth },
            (Tree::Value { depth, escaped }, byte) => Tree::Value {
                depth: *depth,
                escaped: !escaped && byte == b'\\',
            },
        };
        match self {
            Tree::Outside => Step::Outside,
            _ => Step::Inside,
        }
    }
}
