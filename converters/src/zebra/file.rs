//! The three forms of a book, read as records.

use super::hash::square;
use super::{Hash, Record};
use crate::check::illegal_move;
use crate::egaroucid::as_count;
use crate::reader::{Fields, Source};
use crate::{Error, ErrorKind, Format, MoveOf};
use obook_othello::{Board, Square, Symmetry};
use std::collections::HashMap;
use std::io::Read;

/// The first numbers of the binary and the text form.
const MAGIC: [i16; 2] = [2718, 2818];
/// The length of the header of the binary and the compressed form.
const HEADER: usize = 8;
/// The length of a binary record.
const LEN: usize = 18;
/// No position has more legal moves.
const MOST_MOVES: i16 = 33;
/// The length of the longest number in the text form.
const LONGEST_NUMBER: usize = 11;

obook_base::named! {
    /// The form of a book.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Form {
        /// `book.bin`.
        Binary = "binary (book.bin)",
        /// The same numbers as text.
        Text = "text",
        /// `.cmp`.
        Compressed = "compressed (.cmp)",
    }
}

impl Form {
    /// The form of a book that begins with `head`.
    pub(super) fn of(head: &[u8]) -> Form {
        if head.starts_with(&MAGIC.map(i16::to_le_bytes).concat()) {
            Form::Binary
        } else if is_text(head) {
            Form::Text
        } else {
            Form::Compressed
        }
    }
}

fn is_text(head: &[u8]) -> bool {
    let words = head.split(u8::is_ascii_whitespace);
    let mut words = words.filter(|word| !word.is_empty());
    let is_next = |number: i16| words.next() == Some(number.to_string().as_bytes());
    MAGIC.into_iter().all(is_next)
}

/// Whether a file that begins with `head` could be a book in the compressed form, which has no magic: its size follows from its first
/// two numbers. If the size is unknown, the numbers of children decide, as far as they are in `head`.
pub(super) fn is_compressed(head: &[u8], total_len: Option<u64>) -> bool {
    let Ok(mut fields) = Fields::new(head, HEADER + 2) else {
        return false;
    };
    let (positions, moves, first) = (fields.i32(), fields.i32(), fields.i16());
    // The start has up to four moves, which are symmetric.
    let least = i16::from(positions > 1);
    if positions < 1 || !(0..positions).contains(&moves) || !(least..=4).contains(&first) {
        return false;
    }
    let (positions, moves) = (positions as u64, moves as u64);
    if total_len.is_some_and(|len| len != HEADER as u64 + 12 * positions + 2 * moves) {
        return false;
    }
    // The numbers of children end with the tree.
    let mut waiting = 1;
    for count in head[HEADER..].chunks_exact(2).take(positions as usize) {
        let count = i16::from_le_bytes([count[0], count[1]]);
        if !(0..=MOST_MOVES).contains(&count) {
            return false;
        }
        waiting += i32::from(count) - 1;
        if waiting == 0 {
            break;
        }
    }
    true
}

/// The records of a book, each hash once.
#[derive(Debug)]
pub struct File {
    pub(super) form: Form,
    /// The number of positions that the header states.
    pub(super) promised: u32,
    pub(super) records: Vec<Record>,
    pub(super) places: HashMap<Hash, u32>,
    /// The number of records whose hash had come before.
    pub(super) repeated: u64,
    /// The number of positions in a compressed book that the tree doesn't reach.
    pub(super) beyond: u64,
    /// The damage that ended the reading before the end of the file.
    pub(super) damage: Option<Error>,
}

impl File {
    /// Reads a book, whose form its first bytes tell.
    ///
    /// # Errors
    /// If the input can't be read, or is damaged before the first record is complete. Damage after that ends the records.
    pub fn read(input: impl Read) -> Result<File, Error> {
        let mut source = Source::new(input);
        let form = Form::of(source.ahead(Format::HEAD)?);
        let mut reading = Reading {
            source,
            file: File {
                form,
                promised: 0,
                records: Vec::new(),
                places: HashMap::new(),
                repeated: 0,
                beyond: 0,
                damage: None,
            },
            number: None,
        };
        match form {
            Form::Binary => reading.binary(),
            Form::Text => reading.text(),
            Form::Compressed => reading.compressed(),
        }
        .map_err(|kind| reading.placed(kind))?;
        Ok(reading.file)
    }

    /// The form.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// The number of positions that the header states.
    #[must_use]
    pub fn promised(&self) -> u32 {
        self.promised
    }

    /// The records, in the order of the file.
    #[must_use]
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    fn push(&mut self, record: Record) {
        // A file holds fewer than 2³¹ records.
        let place = self.records.len() as u32;
        match *self.places.entry(record.hash).or_insert(place) == place {
            true => self.records.push(record),
            false => self.repeated += 1,
        }
    }
}

struct Reading<R> {
    source: Source<R>,
    file: File,
    /// The number of the position that is being read, from 1.
    number: Option<u64>,
}

/// The bytes of a number, or of several, and what they are of a record.
type Column = (usize, fn(&mut Record, &mut Fields<'_>));

impl<R: Read> Reading<R> {
    fn placed(&self, kind: ErrorKind) -> Error {
        Error::new(kind).at(self.number, self.source.offset())
    }

    /// Reads fixed fields.
    fn fields<T>(
        &mut self,
        len: usize,
        read: impl FnOnce(&mut Fields<'_>) -> T,
    ) -> Result<T, ErrorKind> {
        let read = read(&mut Fields::new(self.source.ahead(len)?, len)?);
        self.source.consume(len);
        Ok(read)
    }

    fn promise(&mut self, found: i64) -> Result<(), ErrorKind> {
        self.file.promised = as_count(Format::Zebra, found)?.cast_unsigned();
        Ok(())
    }

    fn binary(&mut self) -> Result<(), ErrorKind> {
        let count = self.fields(HEADER, |fields| {
            fields.skip(4);
            fields.i32()
        })?;
        self.promise(count.into())?;
        self.each_record(|reading| {
            reading.fields(LEN, |fields| Record {
                hash: Hash(fields.i32(), fields.i32()),
                black: fields.i16(),
                white: fields.i16(),
                alternative: fields.i16(),
                alternative_score: fields.i16(),
                flags: fields.u16(),
            })
        })
    }

    fn text(&mut self) -> Result<(), ErrorKind> {
        let _: [i16; 2] = [self.word()?, self.word()?];
        let count = self.word()?;
        self.promise(count)?;
        self.each_record(|reading| {
            Ok(Record {
                hash: Hash(reading.word()?, reading.word()?),
                black: reading.word()?,
                white: reading.word()?,
                alternative: reading.word()?,
                alternative_score: reading.word()?,
                flags: reading.word()?,
            })
        })
    }

    /// Reads as many records as promised. Damage ends them, and is kept for whoever reads the positions.
    fn each_record(
        &mut self,
        read: impl Fn(&mut Self) -> Result<Record, ErrorKind>,
    ) -> Result<(), ErrorKind> {
        for found in 0..u64::from(self.file.promised) {
            self.number = Some(found + 1);
            if self.at_end()? {
                let promised = self.file.promised.into();
                self.file.damage = Some(Error::new(ErrorKind::Count { promised, found }));
                return Ok(());
            }
            match read(self) {
                Ok(record) => self.file.push(record),
                Err(ErrorKind::Io(error)) => return Err(error.into()),
                Err(kind) => {
                    self.file.damage = Some(self.placed(kind));
                    return Ok(());
                }
            }
        }
        self.end()
    }

    /// Whether nothing follows, apart from white space in the text form.
    fn at_end(&mut self) -> Result<bool, ErrorKind> {
        if self.file.form == Form::Text {
            self.skip_white()?;
        }
        Ok(self.source.ahead(1)?.is_empty())
    }

    fn end(&mut self) -> Result<(), ErrorKind> {
        if !self.at_end()? {
            self.number = None;
            let promised = self.file.promised.into();
            self.file.damage = Some(self.placed(ErrorKind::Appended { promised }));
        }
        Ok(())
    }

    fn skip_white(&mut self) -> Result<(), ErrorKind> {
        loop {
            let ahead = self.source.ahead(1)?;
            let white = ahead.len() - ahead.trim_ascii_start().len();
            if white == 0 {
                return Ok(());
            }
            self.source.consume(white);
        }
    }

    /// Reads a number of the text form.
    fn word<T: std::str::FromStr>(&mut self) -> Result<T, ErrorKind> {
        self.skip_white()?;
        let ahead = self.source.ahead(LONGEST_NUMBER + 1)?;
        let ahead = &ahead[..ahead.len().min(LONGEST_NUMBER + 1)];
        let word = ahead.split(u8::is_ascii_whitespace).next();
        let word = word.unwrap_or_default();
        let word_len = word.len();
        let number = str::from_utf8(word).ok().and_then(|word| word.parse().ok());
        let number = number.filter(|_| word_len <= LONGEST_NUMBER);
        let wrong = || ErrorKind::word(word, "a number in the range of its field");
        let number = number.ok_or_else(wrong)?;
        self.source.consume(word_len);
        Ok(number)
    }

    fn compressed(&mut self) -> Result<(), ErrorKind> {
        let (count, moves) = self.fields(HEADER, |fields| (fields.i32(), fields.i32()))?;
        self.promise(count.into())?;
        let promised = u64::from(self.file.promised);
        // The numbers of children end with the tree. The bytes after it are of positions that nothing leads to, and may be anything.
        let (mut children, mut waiting) = (Vec::new(), 1u64);
        while waiting > 0 && (children.len() as u64) < promised {
            self.number = Some(children.len() as u64 + 1);
            let found = self.fields(2, |fields| fields.i16())?;
            if !(0..=MOST_MOVES).contains(&found) {
                return Err(ErrorKind::LinkCount {
                    found: i64::from(found).try_into().unwrap_or(u64::MAX),
                    max: MOST_MOVES as u64,
                });
            }
            children.push(found as u8);
            waiting = waiting - 1 + found as u64;
        }
        self.number = None;
        self.skip(2 * (promised - children.len() as u64))?;
        let mut records = self.tree(&children, moves.try_into().unwrap_or(0))?;
        drop(children);
        // Each column has a number for every position; those beyond the tree are passed over.
        let columns: [Column; 4] = [
            (4, |it, fields| {
                (it.black, it.white) = (fields.i16(), fields.i16())
            }),
            (2, |it, fields| it.alternative = fields.i16()),
            (2, |it, fields| it.alternative_score = fields.i16()),
            (2, |it, fields| it.flags = fields.u16()),
        ];
        for (len, set) in columns {
            for record in &mut records {
                self.fields(len, |fields| set(record, fields))?;
            }
            self.skip((promised - records.len() as u64) * len as u64)?;
        }
        self.file.beyond = promised - records.len() as u64;
        for record in records {
            self.file.push(record);
        }
        self.end()
    }

    /// Plays the moves of the tree. Returns a record with its hash for each position that it reaches, in order.
    fn tree(&mut self, children: &[u8], moves: u64) -> Result<Vec<Record>, ErrorKind> {
        let mut records = Vec::new();
        let mut waiting = vec![Coloured::START];
        let mut left = moves;
        for count in children {
            let Some(node) = waiting.pop() else { break };
            self.number = Some(records.len() as u64 + 1);
            let (hash, _) = node.hash();
            records.push(Record {
                hash,
                ..Record::default()
            });
            let first = waiting.len();
            for number in 1..=*count {
                left = left.checked_sub(1).ok_or_else(|| ErrorKind::Word {
                    found: moves.to_string().into_bytes(),
                    expected: "as many moves as the positions have children",
                })?;
                let found = self.fields(2, |fields| fields.i16())?;
                let child = square(found).and_then(|square| node.place(square));
                waiting.push(child.ok_or_else(|| {
                    let code = square(found).map_or(u8::MAX, Square::index);
                    illegal_move(node.board, MoveOf::Link(number), code)
                })?);
            }
            waiting[first..].reverse();
        }
        self.number = None;
        self.skip(2 * left)?;
        Ok(records)
    }

    fn skip(&mut self, mut len: u64) -> Result<(), ErrorKind> {
        while len > 0 {
            let ahead = self.source.ahead(1)?.len() as u64;
            if ahead == 0 {
                return Err(ErrorKind::cut_off(0, len));
            }
            let part = ahead.min(len);
            self.source.consume(part as usize);
            len -= part;
        }
        Ok(())
    }
}

/// A position as Zebra has it: of the side that really moves, with its colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Coloured {
    pub(super) board: Board,
    /// Whether Black is to move.
    pub(super) black: bool,
}

impl Coloured {
    pub(super) const START: Coloured = Coloured {
        board: Board::START,
        black: true,
    };

    pub(super) fn hash(self) -> (Hash, Symmetry) {
        let (player, opponent) = (self.board.player(), self.board.opponent());
        match self.black {
            true => Hash::of(player, opponent),
            false => Hash::of(opponent, player),
        }
    }

    /// The position after a disc on `square`; `None` if that is illegal. If the other side has no move, the same side goes on.
    pub(super) fn place(self, square: Square) -> Option<Coloured> {
        let after = self.board.place(square)?;
        let (board, black) = match after.must_pass() {
            true => (after.passed(), self.black),
            false => (after, !self.black),
        };
        Some(Coloured { board, black })
    }
}
