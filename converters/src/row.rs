//! The row of a format in the [table of formats](crate::Format). Each format's module has its own.

use crate::book_reader::Opened;
use crate::book_writer::{Out, Sink, append_record, begin_records};
use crate::{BookRecord, Error, Header};
use obook_base::Budget;
use obook_othello::{Engine, Position};
use std::io::Read;
use std::path::Path;

/// All that is known of a format.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The usual ending of its files first.
    pub(crate) endings: &'static [&'static str],
    /// The programs that write it, as in the documentation.
    pub(crate) program: &'static str,
    /// How a book begins, in words.
    pub(crate) begins: &'static str,
    pub(crate) engine: Engine,
    pub(crate) holds: Holds,
    pub(crate) source: Source,
    /// `None` if it is only read.
    pub(crate) writer: Option<Written>,
}

impl Row {
    /// Whether a file that begins with `head` has this format: by a mark, or else by whatever makes sense in it.
    pub(crate) fn recognises(&self, by_mark: bool, head: &[u8], total_len: Option<u64>) -> bool {
        match self.source {
            Source::File { mark, .. } if by_mark => mark.is_some_and(|mark| mark(head)),
            Source::File { guess, .. } => guess.is_some_and(|guess| guess(head, total_len)),
            Source::Folder { .. } => false,
        }
    }
}

/// The most bytes of memory that a byte of a book takes that is read whole, as Zebra's and NTest's are: each of its records, of 9
/// bytes or more, becomes a record in memory, its place by its board, and a position.
pub(crate) const WHOLE: u64 = 20;

/// The unpacked bytes of a file.
pub(crate) type Bytes = Box<dyn Read + Send>;

/// How books of a format are recognised and opened. The functions are called once for each book.
pub(crate) enum Source {
    /// Files.
    File {
        /// Whether a file that begins so has this format for certain. No other format has such a beginning.
        mark: Option<fn(&[u8]) -> bool>,
        /// Whether a file of this length that begins so makes sense in this format. Asked if it has no format's mark.
        guess: Option<Guess>,
        /// Opens a file; the text is its name.
        open: fn(Bytes, &str, Budget) -> Result<Opened, Error>,
    },
    /// Folders.
    Folder {
        is_at: fn(&Path) -> bool,
        open: fn(&Path) -> Result<Opened, Error>,
    },
}

/// How books of a format are written.
pub(crate) struct Written {
    pub(crate) form: Form,
    /// Begins a book.
    pub(crate) begin: Begin,
    /// Appends the record of the position with this number in the book.
    pub(crate) append: Append,
}

impl Written {
    /// A sequence of records.
    pub(crate) const fn records<T: BookRecord>(form: Form) -> Written {
        Written {
            form,
            begin: begin_records::<T>,
            append: append_record::<T>,
        }
    }
}

/// Whether a file makes sense in a format, by its beginning and its length.
pub(crate) type Guess = fn(&[u8], Option<u64>) -> bool;

pub(crate) type Begin = for<'a> fn(Out<'a>, &Header) -> Result<Box<dyn Sink + 'a>, Error>;

pub(crate) type Append = fn(&Position, u64, &mut Vec<u8>) -> Result<(), Error>;

/// The form that a book must have to be written: what its engine demands of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Edax's: a link or the leaf for every move, and passes are positions.
    Edax,
    /// Egaroucid's. Leaves become positions in formats without them.
    Egaroucid,
    /// NTest's: positions without leaves and passes.
    Ntest,
}

/// The contents that a format can hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Holds {
    /// Values, and so the scores of links.
    pub values: bool,
    /// Bounds of the value.
    pub bounds: bool,
    /// Proven bounds of the value.
    pub proofs: bool,
    /// Levels.
    pub levels: bool,
    /// Wins, draws and losses.
    pub outcomes: bool,
    /// Numbers of lines.
    pub lines: bool,
    /// Leaves.
    pub leaves: bool,
    /// Why a leaf is missing.
    pub missing_leaves: bool,
    /// Links.
    pub links: StoredLinks,
    /// Whether all boards are canonical.
    pub canonical: bool,
}

impl Holds {
    /// Nothing but canonical boards.
    pub(crate) const BOARDS: Holds = Holds {
        values: false,
        bounds: false,
        proofs: false,
        levels: false,
        outcomes: false,
        lines: false,
        leaves: false,
        missing_leaves: false,
        links: StoredLinks::None,
        canonical: true,
    };
}

/// The links that books in a format store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoredLinks {
    /// None: every move to a position of the book is a link.
    None,
    /// All but passes, in any order.
    WithoutPasses,
    /// All, the best first.
    All,
}
