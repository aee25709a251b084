//! A book to read, which may be the starter book, and a line in it.

use crate::prelude::*;
use crate::starter;
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};
use obook_games::names::{TypedError, read_line};
use obook_othello::Line;

/// The name of the starter book. A file of this name is `./starter`.
pub(crate) const STARTER: &str = "starter";

/// Why commands that change books refuse the starter book.
pub(crate) const STAYS: &str = "this book is inside obook and stays as it is; `obook import starter` makes a copy that can be changed";

/// Reads the path of a book that isn't changed, or the name of the starter book.
pub(crate) fn readable() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(named)
}

/// Reads the path of a book that is made if it doesn't exist.
pub(crate) fn changeable() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path == Path::new(STARTER) {
        true => Err(STAYS),
        false => Ok(path),
    })
}

fn named(path: PathBuf) -> Result<PathBuf, Failure> {
    match path == Path::new(STARTER) {
        true => starter::path(),
        false => Ok(path),
    }
}

/// The book that is given, or the starter book.
pub(crate) fn or_starter(book: Option<&Path>) -> Result<PathBuf, Failure> {
    book.map_or_else(starter::instead, |book| Ok(book.to_owned()))
}

/// Whether this is the path of the starter book.
pub(crate) fn is_starter(book: &Path) -> bool {
    starter::unpacked().is_some_and(|starter| starter == book)
}

/// A sentence about a book, with the starter book under its name.
pub(crate) fn with_starter_named(sentence: &str) -> String {
    match starter::unpacked().as_deref().and_then(Path::to_str) {
        Some(path) => sentence.replace(path, STARTER),
        None => sentence.to_owned(),
    }
}

/// Refuses to change the starter book, of which each command has its own copy.
pub(crate) fn refuse_starter(book: &Path) -> Result<(), Failure> {
    match is_starter(book) {
        true => Err(Failure::file(Path::new(STARTER), STAYS)),
        false => Ok(()),
    }
}

/// A book and a line in it. Either may be left out.
#[derive(Clone, Debug, Args)]
pub(crate) struct BookAndLine {
    /// An obook database or a book file [default: the starter book, which is inside obook]
    book: Option<PathBuf>,
    /// Moves from the start position, such as f5d6c3; passes may be left out or written as pa. A board (64 squares and the side to
    /// move, or a key) or the name of an opening may come before the moves or instead of them
    #[arg(default_value = "", hide_default_value = true, add = ArgValueCompleter::new(complete::openings))]
    moves: Vec<String>,
}

impl BookAndLine {
    /// The book and the line. A first word that is neither a file nor looks like one belongs to the line.
    pub(crate) fn read(&self) -> Result<(PathBuf, Line), Failure> {
        match &self.book {
            Some(book) if book == Path::new(STARTER) || book.exists() || is_no_moves(book) => {
                Ok((named(book.clone())?, line(&self.moves)?))
            }
            _ => {
                let line = self.line()?;
                Ok((starter::instead()?, line))
            }
        }
    }

    /// The line that all the words make, without a book.
    pub(crate) fn line(&self) -> Result<Line, Failure> {
        let book = self.book.iter();
        let first = book.map(|word| word.to_string_lossy().into_owned());
        line(&first.chain(self.moves.iter().cloned()).collect::<Vec<_>>())
    }
}

/// Whether the word, which is no file, looks like the name of one rather than like moves, a board or an opening.
fn is_no_moves(word: &Path) -> bool {
    let Some(text) = word.to_str() else {
        return true;
    };
    match read_line(text) {
        Ok(_) => false,
        Err(_) if word.extension().is_some() || word.components().count() > 1 => true,
        Err(TypedError::Line(_)) => false,
        Err(TypedError::Name(unknown)) => unknown.meant.is_empty(),
    }
}
