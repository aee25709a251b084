//! YaneuraOu's text format, `.db`.
//!
//! ```text
//! #YANEURAOU-DB2016 1.00
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
//! 7g7f 3c3d 30 12 1
//! 2g2f none 25 12 1
//! ```
//!
//! A line of a move has the expected answer, the score, the depth and the count. Files often lack some of this, and the reader
//! takes what there is: the header, plies, and fields at the end of a line may be missing, lines may end in CR LF, and comments
//! (`#` or `//`) may be anywhere. The writer puts a comment on a line of its own.

use crate::book::{At, BookMove, Comment, Entry, Fault, FilePlace, Read};
use crate::{Move, Sfen};
use rayon::prelude::*;
use std::borrow::Cow;
use std::fmt::Write;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::ops::RangeInclusive;

/// The first line of a file.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// Reads a file. Positions and moves that can't be read are faults, with their lines; everything else is kept, legal or not. Of
/// several lines of one move, the first counts.
///
/// Comments between two positions belong to the one above them up to an empty line, and to the one below from there. Without an
/// empty line they belong to the one above; but if a file begins with a comment above its first position, to the one below, except
/// for moves that are commented out and what stands above these.
///
/// ```
/// use obook_shogi::db;
///
/// let read = db::read(b"sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -\r\n7g7f 3c3d 30 # comment\r\n7g\r\n");
/// assert_eq!(read.book.entries[0].moves[0].score, Some(30));
/// assert_eq!(read.book.entries[0].comments[0].text, "# comment");
/// assert_eq!(read.faults[0].to_string(), "line 3: “7g” is not a move; expected one in USI, such as 7g7f, 8h2b+ or P*5e");
/// ```
#[must_use]
pub fn read(bytes: &[u8]) -> Read {
    let mut reader = Reader::new(bytes);
    let mut read = Read::default();
    // Bytes in memory can always be read.
    while let Ok(Some(part)) = reader.next_part() {
        read.add(part);
    }
    read
}

/// The beginning of a position's line.
const POSITION: &str = "sfen ";
/// The bytes of a file that are read at a time; no line is longer.
const BLOCK: u64 = 1 << 20;
/// The most moves that a position keeps: none has more than 593 legal ones.
const MOST_MOVES: usize = 1 << 12;
/// The most bytes of comments that a position keeps.
const MOST_COMMENTS: usize = 1 << 20;

/// A streaming reader of a file, of which it keeps little in memory.
///
/// ```
/// use obook_shogi::db;
///
/// let mut reader = db::Reader::new(&b"sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -\n7g7f\n"[..]);
/// let mut positions = 0;
/// while let Some(part) = reader.next_part()? {
///     positions += part.book.entries.len();
/// }
/// assert_eq!(positions, 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    input: BufReader<R>,
    /// The beginning of a line whose end has not been read.
    begun: Vec<u8>,
    at_end: bool,
    parsing: Parsing,
}

impl<R: io::Read> Reader<R> {
    /// A reader of this input, which is not compressed.
    pub fn new(input: R) -> Self {
        Self {
            input: BufReader::new(input),
            begun: Vec::new(),
            at_end: false,
            parsing: Parsing::default(),
        }
    }

    /// The input.
    pub fn into_inner(self) -> R {
        self.input.into_inner()
    }

    /// Reads some more positions, which may be none; `None` after the last ones.
    ///
    /// # Errors
    /// If the input can't be read.
    pub fn next_part(&mut self) -> io::Result<Option<Read>> {
        if self.at_end {
            return Ok(None);
        }
        let mut block = std::mem::take(&mut self.begun);
        let most = BLOCK - block.len() as u64;
        let mut input = self.input.by_ref().take(most);
        self.at_end = input.read_to_end(&mut block)? < most as usize;
        let end = match block.iter().rposition(|&byte| byte == b'\n') {
            _ if self.at_end => block.len(),
            Some(last) => last + 1,
            None => {
                self.parsing.too_long(&block);
                self.input.skip_until(b'\n')?;
                return Ok(Some(self.parsing.take(self.at_end)));
            }
        };
        self.parsing.lines(&block[..end]);
        block.drain(..end);
        self.begun = block;
        Ok(Some(self.parsing.take(self.at_end)))
    }
}

/// A file while its lines are read.
#[derive(Debug, Default)]
struct Parsing {
    read: Read,
    /// The lines so far.
    lines: usize,
    /// Whether the moves that follow have a position, or one that is a fault.
    is_position: Option<bool>,
    comments: Comments,
}

impl Parsing {
    /// Reads whole lines.
    fn lines(&mut self, bytes: &[u8]) {
        let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if self.lines == 0 => rest,
            _ => bytes,
        };
        if bytes.is_empty() {
            return;
        }
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
        let read = |line| {
            let text = String::from_utf8_lossy(line);
            let position = text.trim().strip_prefix(POSITION).map(str::parse::<Sfen>);
            let position = position.map(|it| it.map_err(|error| error.to_string()));
            (text, position)
        };
        let lines: Vec<(Cow<'_, str>, _)> = lines.into_par_iter().map(read).collect();
        (lines.into_iter()).for_each(|(text, position)| self.line(text.trim(), position));
    }

    /// Takes a line, and the position in it, if it begins as one.
    fn line(&mut self, line: &str, position: Option<Result<Sfen, String>>) {
        self.lines += 1;
        let (read, comments) = (&mut self.read, &mut self.comments);
        if line.is_empty() {
            comments.empty_line = Some(comments.waiting.len());
            return;
        }
        if Comment::is_header(line) {
            return;
        }
        if Comment::is_marked(line) {
            comments.is_above.get_or_insert(self.is_position.is_none());
            if comments.fits(line) {
                comments.waiting.push(line.to_owned());
            }
            return;
        }
        let result = if let Some(position) = position {
            let above = match self.is_position {
                None => std::mem::take(&mut comments.waiting),
                Some(_) => comments.above(),
            };
            comments.settle(read, self.is_position);
            comments.kept =
                above.len() * size_of::<Comment>() + above.iter().map(String::len).sum::<usize>();
            let entry = position.map(|Sfen { board, ply }| {
                read.book.entries.push(Entry::new(board, ply, Vec::new()));
            });
            self.is_position = Some(entry.is_ok());
            comments.waiting = above;
            comments.at = At::Above;
            comments.settle(read, self.is_position);
            comments.at = At::Below;
            entry
        } else {
            comments.settle(read, self.is_position);
            match (self.is_position, read.book.entries.last_mut()) {
                (Some(true), Some(entry)) => read_move(line, entry, comments),
                // The position has been reported.
                (Some(_), _) => Ok(()),
                (None, _) => Err(
                    "there is no position before this line; expected one, such as “sfen … b - 1”"
                        .to_owned(),
                ),
            }
        };
        if let Err(reason) = result {
            self.fault(reason);
        }
    }

    fn fault(&mut self, reason: String) {
        let place = FilePlace::Line(self.lines);
        self.read.faults.push(Fault { place, reason });
    }

    /// Leaves a line that begins like this out, and the moves that follow if it is a position.
    fn too_long(&mut self, begin: &[u8]) {
        let problem = format!("the line has more than {BLOCK} bytes");
        if begin.trim_ascii_start().starts_with(POSITION.as_bytes()) {
            return self.line(POSITION, Some(Err(problem)));
        }
        self.lines += 1;
        self.fault(problem);
    }

    /// Takes what was read, except for the last position, if more may follow.
    fn take(&mut self, is_all: bool) -> Read {
        if is_all {
            self.comments.settle(&mut self.read, self.is_position);
            self.read.dropped.comments += std::mem::take(&mut self.comments.dropped);
            return std::mem::take(&mut self.read);
        }
        let entries = &mut self.read.book.entries;
        let last = entries.len().saturating_sub(1);
        let last = entries.split_off(last);
        let read = std::mem::take(&mut self.read);
        self.read.book.entries = last;
        read
    }
}

/// Comments on their way to a position.
#[derive(Debug, Default)]
struct Comments {
    /// The comments since the last line that is not one.
    waiting: Vec<String>,
    /// How many of them stand above an empty line.
    empty_line: Option<usize>,
    /// The place that the last line other than a comment gives them.
    at: At,
    /// Whether comments stand above positions in this file, once there was one.
    is_above: Option<bool>,
    /// The bytes of the comments of the position, and of those that wait.
    kept: usize,
    /// How many comments were too many.
    dropped: u64,
}

impl Comments {
    /// Whether a comment fits beside the others; counts those that don't.
    fn fits(&mut self, text: &str) -> bool {
        // Each has a place and a length, too.
        self.kept += size_of::<Comment>() + text.len();
        let fits = self.kept <= MOST_COMMENTS;
        self.dropped += u64::from(!fits);
        fits
    }

    /// Takes those that belong to the position below them.
    fn above(&mut self) -> Vec<String> {
        let is_move = |line: &String| {
            let text = line.trim_start_matches(['#', '/']);
            let first = text.split_ascii_whitespace().next();
            first.is_some_and(|first| first.parse::<Move>().is_ok())
        };
        let from = match (self.empty_line, self.is_above) {
            (Some(line), _) => line,
            (None, Some(true)) => {
                let last = self.waiting.iter().rposition(is_move);
                last.map_or(0, |last| last + 1)
            }
            (None, _) => return Vec::new(),
        };
        self.waiting.split_off(from)
    }

    /// Gives those that wait to the last position, if it could be read.
    fn settle(&mut self, read: &mut Read, is_position: Option<bool>) {
        let at = self.at;
        self.empty_line = None;
        let waiting = self.waiting.drain(..);
        match read.book.entries.last_mut() {
            Some(entry) if is_position == Some(true) => {
                let comments = waiting.map(|text| Comment { at, text });
                entry.comments.extend(comments);
            }
            _ => read.dropped.comments += waiting.len() as u64,
        }
    }
}

/// Fields are separated by blanks, so an empty one can't be told. What follows the count is a comment.
fn read_move(line: &str, entry: &mut Entry, comments: &mut Comments) -> Result<(), String> {
    let mut rest = line;
    let mut field = || {
        rest = rest.trim_start();
        let end = rest.find(|c: char| c.is_ascii_whitespace());
        let (field, after) = rest.split_at(end.unwrap_or(rest.len()));
        let is_field = !field.is_empty() && !Comment::is_marked(field);
        is_field.then(|| {
            rest = after;
            field
        })
    };
    let first = field().unwrap_or_default();
    if is_none(first) {
        return Ok(());
    }
    let mv = first.parse::<Move>().map_err(|error| error.to_string())?;
    if entry.moves.iter().any(|listed| listed.mv == mv) {
        return Err(format!("{mv} is listed twice; the first line counts"));
    }
    if entry.moves.len() == MOST_MOVES {
        return Err(format!("the position has more than {MOST_MOVES} moves"));
    }
    let ponder = match field() {
        Some(text) if !is_none(text) => Some(text.parse::<Move>()),
        _ => None,
    };
    let mut problem = None;
    let mut number = |what, range: RangeInclusive<i64>| {
        let text = field().filter(|text| !is_none(text))?;
        let kept = leading_number(text).map(|it| it.clamp(*range.start(), *range.end()));
        if text.parse().ok() != kept || kept.is_none() {
            let kept = kept.map_or("nothing".to_owned(), |kept| kept.to_string());
            let (text, (from, to)) = (crate::shown(text), range.into_inner());
            problem.get_or_insert(format!(
                "the {what} is “{text}”; expected a whole number from {from} to {to}; {kept} is kept"
            ));
        }
        kept
    };
    let mut listed = BookMove::new(mv);
    let score = number("score", i32::MIN.into()..=i32::MAX.into());
    listed.score = score.map(|score| score as i32);
    let mut positive = |what| number(what, 0..=u32::MAX.into()).map(|number| number as u32);
    listed.depth = positive("depth");
    listed.count = positive("count");
    comments.at = At::Move(mv);
    if !rest.trim().is_empty() && comments.fits(rest) {
        entry.comments.push(Comment::new(comments.at, rest));
    }
    let (ponder, result) = match ponder.transpose() {
        Ok(ponder) => (ponder, problem.map_or(Ok(()), Err)),
        Err(error) => (None, Err(format!("the expected answer: {error}"))),
    };
    entry.moves.push(BookMove { ponder, ..listed });
    result
}

fn is_none(text: &str) -> bool {
    text.eq_ignore_ascii_case("none") || text.eq_ignore_ascii_case("resign")
}

/// The number at the beginning of a text; numbers that are too large become the largest.
fn leading_number(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let digits = &digits[..digits.bytes().take_while(u8::is_ascii_digit).count()];
    (!digits.is_empty()).then(|| sign * digits.parse().unwrap_or(i64::MAX))
}

/// The lines of a record. Unknown fields at the end of a line are left out; before a known one they are `none`. A file has the
/// [header](HEADER) and the records.
#[must_use]
pub fn record(entry: &Entry) -> String {
    let mut text = String::new();
    let (moves, comments) = (&entry.moves, &entry.comments);
    let (board, ply) = (entry.board, entry.ply);
    let sfen = Sfen { board, ply };
    if comments.iter().any(|comment| comment.at == At::Above) {
        text.push('\n');
    }
    write_comments(&mut text, comments, |at| at == At::Above);
    // Writing to a string never fails.
    let _ = writeln!(text, "sfen {sfen}");
    write_comments(&mut text, comments, |at| match at {
        At::Above => false,
        At::Below => true,
        At::Move(mv) => moves.iter().all(|listed| listed.mv != mv),
    });
    for listed in moves {
        let _ = writeln!(text, "{}", move_line(listed));
        write_comments(&mut text, comments, |at| at == At::Move(listed.mv));
    }
    // Comments from here on don't belong to the next position.
    let last = moves.last().map_or(At::Below, |last| At::Move(last.mv));
    if comments.iter().any(|comment| comment.at == last) {
        text.push('\n');
    }
    text
}

/// A move as a file has it: `7g7f 3c3d 30 12 1`.
#[must_use]
pub fn move_line(listed: &BookMove) -> String {
    let numbers = [
        listed.score.map(i64::from),
        listed.depth.map(i64::from),
        listed.count.map(i64::from),
    ];
    let known = numbers.iter().rposition(Option::is_some);
    let known = known.map_or(0, |last| last + 1);
    let none = || "none".to_owned();
    let ponder = listed.ponder.map_or_else(none, |ponder| ponder.to_string());
    let mut line = format!("{} {ponder}", listed.mv);
    for number in &numbers[..known] {
        // Writing to a string never fails.
        let _ = match number {
            Some(number) => write!(line, " {number}"),
            None => write!(line, " none"),
        };
    }
    line
}

/// Writes comments, each on lines of its own that begin with a mark.
fn write_comments(text: &mut String, comments: &[Comment], are_here: impl Fn(At) -> bool) {
    let here = comments.iter().filter(|comment| are_here(comment.at));
    for line in here.flat_map(|comment| comment.text.lines()) {
        // Writing to a string never fails.
        let _ = writeln!(text, "{}", Comment::new(At::Below, line).text);
    }
}
