//! Games of a file, read one after another.

use super::{Format, Record, decode_as};
use crate::book::ReadError;
use std::io::{self, Read};

/// The bytes that are read at a time; no game is longer. The longest real ones have some ten thousand.
const WINDOW: usize = 1 << 20;

/// A streaming reader of the games of a file, which keeps little of it in memory. The iterator ends after an error.
///
/// ```
/// use obook_shogi::games::Reader;
///
/// let file = "V2.2\nPI\n+\n+7776FU\n%TORYO\n/\nV2.2\nPI\n+\n%CHUDAN\n";
/// let lines: Result<Vec<_>, _> = Reader::new(file.as_bytes(), None).map(|record| record.map(|it| it.line)).collect();
/// assert_eq!(lines?, [1, 7]);
/// # Ok::<(), obook_shogi::games::Unread>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    /// Bytes from the beginning of a game.
    bytes: Vec<u8>,
    /// Whether no more bytes follow, or an error was returned.
    at_end: bool,
    /// The number of the first of their lines, from 1.
    line: usize,
    /// Whether everything so far is UTF-8.
    is_utf8: bool,
    /// The format, once a line told.
    format: Option<Format>,
    read: std::vec::IntoIter<Record>,
}

/// Why no more games of a file can be read.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    /// Its bytes can't be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// They are no games.
    #[error(transparent)]
    Games(#[from] ReadError),
}

impl<R: Read> Reader<R> {
    /// A reader of an input that is not compressed. The contents tell the format, unless it is given.
    pub fn new(input: R, format: Option<Format>) -> Self {
        Self {
            input,
            bytes: Vec::new(),
            at_end: false,
            line: 1,
            is_utf8: true,
            format,
            read: Vec::new().into_iter(),
        }
    }

    /// Reads the games of the next bytes.
    fn fill(&mut self) -> Result<(), Unread> {
        let most = WINDOW.saturating_sub(self.bytes.len()) as u64;
        let mut input = self.input.by_ref().take(most);
        self.at_end = input.read_to_end(&mut self.bytes)? < most as usize;
        let end = match self.bytes.iter().rposition(|&byte| byte == b'\n') {
            _ if self.at_end => self.bytes.len(),
            Some(last) => last + 1,
            None => return Err(self.too_long()),
        };
        let whole = &self.bytes[..end];
        self.is_utf8 &= std::str::from_utf8(whole).is_ok();
        let text = decode_as(whole, self.is_utf8);
        let format = match self.format {
            Some(format) => format,
            None => *self.format.insert(super::format(&text)?),
        };
        let mut lines = super::lines(&text, self.line);
        // The line on which the next game begins, and that of a game whose rest comes later.
        let (mut found, mut begin, mut cut_off) = (Vec::new(), self.line, None);
        while let Some(record) = (format.facts().next)(&mut lines) {
            let after = lines.peek().map(|&(number, _)| number);
            if after.is_none() && !self.at_end {
                cut_off = Some(begin);
                break;
            }
            found.push(record);
            begin = after.unwrap_or(begin);
        }
        if self.at_end && self.line == 1 && found.is_empty() {
            let format = format.name();
            let problem = format!("there is no game in format {format} in it");
            return Err(Unread::Games(ReadError(problem)));
        }
        let lines = whole.split_inclusive(|&byte| byte == b'\n');
        let before = cut_off.map_or(usize::MAX, |begin| begin - self.line);
        let used: usize = lines.take(before).map(<[u8]>::len).sum();
        if used == 0 && !self.at_end {
            return Err(self.too_long());
        }
        let line_ends = self.bytes[..used].iter().filter(|&&byte| byte == b'\n');
        self.line += line_ends.count();
        self.bytes.drain(..used);
        self.read = found.into_iter();
        Ok(())
    }

    fn too_long(&self) -> Unread {
        Unread::Games(ReadError(format!(
            "the game that begins on line {} has more than {WINDOW} bytes; the file is damaged there",
            self.line
        )))
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Record, Unread>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.read.next() {
                return Some(Ok(record));
            }
            if self.at_end {
                return None;
            }
            if let Err(error) = self.fill() {
                self.at_end = true;
                return Some(Err(error));
            }
        }
    }
}
