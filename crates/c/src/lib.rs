//! Books for programs in C and C++: `include/obook.h`, which also documents what a caller must keep to.
//!
//! No panic crosses the border, and whatever is wrong becomes an error. The names and the layouts are compared with the header by
//! `tests/ask.c`.
#![allow(unsafe_code)]

use obook::othello::{Side, Symmetry};
use obook::read::line::best_line;
use obook::read::view::LinkOrLeaf;
use obook::{Board, Context, Line, Move, Position, Probe};
use std::error::Error;
use std::ffi::{CStr, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::{NonNull, null_mut};

/// The length of an error's text in bytes, with the zero at its end.
const ERROR_SIZE: usize = 1024;

/// The score of a move for which the book has none.
const NO_SCORE: i8 = 127;

/// A book in the header's words. C has only its address.
#[derive(Debug)]
pub(crate) struct OpenBook(Probe);

/// Why a call failed, in memory of the caller.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ErrorText([u8; ERROR_SIZE]);

/// A move of a book.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BookMove {
    square: u8,
    score: i8,
    kind: u8,
}

type Answer<T> = Result<T, Box<dyn Error>>;

/// Opens a book.
///
/// # Safety
/// `path` must be null or a text that ends with a zero; `error` null or a place for an error.
// SAFETY: no other library has a function of this name.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn obook_open(
    path: *const c_char,
    error: *mut ErrorText,
) -> *mut OpenBook {
    let open = || {
        // SAFETY: as the caller promises.
        let path = unsafe { text(path)? };
        let probe = Probe::open(path, &Context::default())?;
        Ok(Box::into_raw(Box::new(OpenBook(probe))))
    };
    // SAFETY: as the caller promises.
    unsafe { guarded(error, open) }.unwrap_or(null_mut())
}

/// Closes a book.
///
/// # Safety
/// `book` must be null, or a book of [`obook_open`] that isn't closed and that no thread uses.
// SAFETY: no other library has a function of this name.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn obook_close(book: *mut OpenBook) {
    let close = || {
        if !book.is_null() {
            // SAFETY: `obook_open` made it with `Box::into_raw`, and nobody uses it any more, as the caller promises.
            drop(unsafe { Box::from_raw(book) });
        }
        Ok(())
    };
    // SAFETY: null is no place for an error.
    unsafe { guarded(null_mut(), close) };
}

/// Finds the value of a board.
///
/// # Safety
/// `book` must be null or open, `value` null or a place for a value, `error` null or a place for an error.
// SAFETY: no other library has a function of this name.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn obook_value(
    book: *const OpenBook,
    player: u64,
    opponent: u64,
    value: *mut i8,
    error: *mut ErrorText,
) -> c_int {
    let find = || {
        let place = NonNull::new(value).ok_or("the place for the value is NULL")?;
        // SAFETY: as the caller promises.
        let book = unsafe { opened(book)? };
        let position = book.position(Board::new(player, opponent)?)?;
        let Some(value) = position.and_then(|position| position.value) else {
            return Ok(0);
        };
        // SAFETY: it isn't null, so it is a place for a value.
        unsafe { place.write(i8::try_from(value)?) };
        Ok(1)
    };
    // SAFETY: as the caller promises.
    unsafe { guarded(error, find) }.unwrap_or(-1)
}

/// Finds the moves of a board.
///
/// # Safety
/// `book` must be null or open, `moves` null or a place for `capacity` moves, `error` null or a place for an error.
// SAFETY: no other library has a function of this name.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn obook_moves(
    book: *const OpenBook,
    player: u64,
    opponent: u64,
    moves: *mut BookMove,
    capacity: usize,
    error: *mut ErrorText,
) -> c_int {
    let find = |book: &Probe| {
        let position = book.position(Board::new(player, opponent)?)?;
        Ok(position.map_or_else(Vec::new, |position| known_moves(&position)))
    };
    // SAFETY: as the caller promises.
    unsafe { list(book, moves, capacity, error, find) }
}

/// Finds the best line from a board.
///
/// # Safety
/// As [`obook_moves`].
// SAFETY: no other library has a function of this name.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn obook_line(
    book: *const OpenBook,
    player: u64,
    opponent: u64,
    moves: *mut BookMove,
    capacity: usize,
    error: *mut ErrorText,
) -> c_int {
    let find = |book: &Probe| {
        let start = Line::at(Board::new(player, opponent)?, Side::Black);
        let best = best_line(book, start, capacity)?.moves.into_iter();
        let best = best.map(|it| BookMove::new(it.mv, it.score, it.kind));
        Ok(best.collect())
    };
    // SAFETY: as the caller promises.
    unsafe { list(book, moves, capacity, error, find) }
}

/// The version of the library.
// SAFETY: no other library has a function of this name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn obook_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

impl BookMove {
    fn new(mv: Move, score: Option<i8>, kind: LinkOrLeaf) -> BookMove {
        BookMove {
            square: mv.code(),
            score: score.unwrap_or(NO_SCORE),
            kind: match kind {
                LinkOrLeaf::Link => 0,
                LinkOrLeaf::Leaf => 1,
            },
        }
    }
}

/// The legal moves of a position, best first, with those that its symmetry makes the same.
fn known_moves(position: &Position<Board>) -> Vec<BookMove> {
    let board = position.board;
    let keeping = |symmetry: &Symmetry| symmetry.board(board) == board;
    let symmetries: Vec<Symmetry> = Symmetry::ALL.into_iter().filter(keeping).collect();
    let mut known: Vec<BookMove> = Vec::new();
    for (mv, score) in position.moves() {
        let is_link = position.links.iter().any(|link| link.mv == mv);
        let kind = LinkOrLeaf::of(!is_link);
        for mv in symmetries.iter().map(|symmetry| symmetry.play(mv)) {
            let is_new = known.iter().all(|other| other.square != mv.code());
            if is_new && board.play(mv).is_some() {
                known.push(BookMove::new(mv, score, kind));
            }
        }
    }
    known
}

/// Writes as many of the moves that `find` finds in a book as there is room for, and returns how many there are.
///
/// # Safety
/// As [`obook_moves`].
unsafe fn list(
    book: *const OpenBook,
    moves: *mut BookMove,
    capacity: usize,
    error: *mut ErrorText,
    find: impl FnOnce(&Probe) -> Answer<Vec<BookMove>>,
) -> c_int {
    let work = || {
        // SAFETY: as the caller promises.
        let found = find(unsafe { opened(book)? })?;
        if moves.is_null() && capacity > 0 {
            return Err("the place for the moves is NULL".into());
        }
        for (index, mv) in found.iter().take(capacity).enumerate() {
            // SAFETY: it isn't null, and `index` is below `capacity`.
            unsafe { moves.add(index).write(*mv) };
        }
        Ok(c_int::try_from(found.len())?)
    };
    // SAFETY: as the caller promises.
    unsafe { guarded(error, work) }.unwrap_or(-1)
}

/// Calls `work`, and turns its error or its panic into the text of an error.
///
/// # Safety
/// `error` must be null or a place for an error.
unsafe fn guarded<T>(error: *mut ErrorText, work: impl FnOnce() -> Answer<T>) -> Option<T> {
    // A book that panicked may be used again: a `Probe` takes the connection of such a question out of use.
    let told = || work().map_err(|problem| problem.to_string());
    let problem = match catch_unwind(AssertUnwindSafe(told)) {
        Ok(Ok(answer)) => return Some(answer),
        Ok(Err(problem)) => problem,
        Err(_) => String::from("a bug in obook: see standard error"),
    };
    if let Some(place) = NonNull::new(error) {
        // SAFETY: it isn't null, so it is a place for an error.
        unsafe { place.write(ErrorText::new(&problem)) };
    }
    None
}

impl ErrorText {
    fn new(problem: &str) -> ErrorText {
        let mut text = [0; ERROR_SIZE];
        let shown = &problem[..problem.floor_char_boundary(ERROR_SIZE - 1)];
        text[..shown.len()].copy_from_slice(shown.as_bytes());
        ErrorText(text)
    }
}

/// The text at an address.
///
/// # Safety
/// `path` must be null or a text that ends with a zero, for as long as the result is used.
unsafe fn text<'a>(path: *const c_char) -> Answer<&'a str> {
    if path.is_null() {
        return Err("the path is NULL".into());
    }
    // SAFETY: as the caller promises.
    let path = unsafe { CStr::from_ptr(path) };
    path.to_str()
        .map_err(|_| format!("{}: the path is not UTF-8", path.to_string_lossy()).into())
}

/// The book at an address.
///
/// # Safety
/// `book` must be null or open, for as long as the result is used.
unsafe fn opened<'a>(book: *const OpenBook) -> Answer<&'a Probe> {
    // SAFETY: as the caller promises; a `Probe` is `Sync`, so that other threads may use it meanwhile.
    let book = unsafe { book.as_ref() };
    Ok(&book.ok_or("the book is NULL")?.0)
}

// As the header says.
const _: () = assert!(size_of::<BookMove>() == 3 && size_of::<ErrorText>() == 1024);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let mut error = ErrorText([b'x'; ERROR_SIZE]);
        // SAFETY: the place is valid.
        let answer: Option<()> = unsafe { guarded(&raw mut error, || panic!("as a test")) };
        assert_eq!(answer, None);
        assert_eq!(error.0[..6], *b"a bug ");
        // SAFETY: null is allowed.
        let answer: Option<()> = unsafe { guarded(null_mut(), || panic!("as a test")) };
        assert_eq!(answer, None);
    }
}
