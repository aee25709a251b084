//! Cutting a text into the pieces of which each is one game.

use crate::{Error, ErrorKind, Place};
use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

/// Bytes that one game may take: the longest that people write, with a remark on each move, take some hundred thousand.
const LIMIT: usize = 1 << 20;

/// An input that is read piece by piece.
#[derive(Debug)]
pub(crate) struct Pieces<R> {
    input: BufReader<R>,
    file: Option<Arc<str>>,
    /// How many bytes were read.
    offset: u64,
    /// The line in which the next byte stands, from 1.
    line: u64,
    /// How many games were found.
    games: u64,
}

/// The text of a game, and where it begins.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) bytes: Vec<u8>,
    offset: u64,
    line: u64,
}

impl<R: Read> Pieces<R> {
    pub(crate) fn new(input: R, file: Option<Arc<str>>) -> Pieces<R> {
        Pieces {
            input: BufReader::with_capacity(1 << 16, input),
            file,
            offset: 0,
            line: 1,
            games: 0,
        }
    }

    /// The place of a piece, which is the next game.
    pub(crate) fn place(&mut self, piece: &Piece) -> Place {
        self.games += 1;
        Place {
            file: self.file.clone(),
            number: self.games,
            offset: piece.offset,
            line: Some(piece.line),
        }
    }

    /// The next line, without its end; `None` at the end of the input.
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

    /// Appends a line to a piece that begins before it.
    pub(crate) fn append(&mut self, piece: &mut Piece, line: &[u8]) -> Result<(), Error> {
        if piece.bytes.len() + line.len() >= LIMIT {
            return Err(self.too_long(piece, "the next game"));
        }
        piece.bytes.extend_from_slice(line);
        piece.bytes.push(b'\n');
        Ok(())
    }

    /// The next tree of properties, from `(;` to the bracket that closes it; `None` at the end of the input. What stands
    /// between trees is passed over.
    pub(crate) fn next_tree(&mut self) -> Result<Option<Piece>, Error> {
        const CLOSE: &str = "the bracket ) that closes the game";
        let mut piece = Piece::default();
        let mut tree = Tree::default();
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
                return Err(Error::new(ErrorKind::Unfinished { expected: CLOSE }).at(place));
            }
            let mut used = 0;
            let mut whole = false;
            for &byte in bytes {
                used += 1;
                match tree.next(byte) {
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
                return Err(self.too_long(&piece, CLOSE));
            }
        }
    }

    fn too_long(&mut self, piece: &Piece, expected: &'static str) -> Error {
        let place = self.place(piece);
        let limit = LIMIT;
        Error::new(ErrorKind::TooLong { limit, expected }).at(place)
    }
}

/// Where in a tree of properties a text is.
#[derive(Default)]
enum Tree {
    /// In none.
    #[default]
    Outside,
    /// Behind a bracket that may open one: a semicolon has to follow.
    Begun,
    /// Inside so many brackets.
    Inside { depth: usize },
    /// In a value inside so many brackets, perhaps behind a backslash.
    Value { depth: usize, escaped: bool },
}

/// What a byte is.
enum Step {
    /// No part of a tree, and what was before it is none either.
    Outside,
    /// The first one of what may become a tree, whatever was before it.
    First,
    /// Another one.
    Inside,
    /// The last one of a tree.
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
