//! ShogiGUI's `.sbk`: a graph of states in protocol buffers. Few states have a position; the others follow by moves.

use crate::book::{At, BookMove, Comment, Entry, Fault, FilePlace, Read, ReadError};
use crate::gikou::dropped_kind;
use crate::{Move, Sfen, Square};
use std::collections::hash_map::Entry as Slot;
use std::collections::{HashMap, VecDeque};

/// The value of a field.
enum Value<'a> {
    Number(u64),
    Bytes(Message<'a>),
    Other,
}

/// The fields of a message, or the bytes of a text.
struct Message<'a> {
    /// The file up to the end of the message.
    file: &'a [u8],
    /// The bytes of it that were read, or stand before the message.
    at: usize,
}

impl<'a> Message<'a> {
    /// The bytes that haven't been read.
    fn rest(&self) -> &'a [u8] {
        &self.file[self.at..]
    }

    fn damaged(&self, reason: &str) -> ReadError {
        let at = self.at;
        ReadError(format!("byte {at} of the file is damaged: {reason}"))
    }

    fn varint(&mut self) -> Result<u64, ReadError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.file.get(self.at);
            let byte = byte.ok_or_else(|| self.damaged("a number is cut off"))?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.damaged("a number has more than ten bytes"))
    }

    /// Takes bytes of this length.
    fn take(&mut self, length: u64) -> Result<Message<'a>, ReadError> {
        let length = usize::try_from(length).ok();
        let end = length.and_then(|length| self.at.checked_add(length));
        let file = end.and_then(|end| self.file.get(..end));
        let file = file.ok_or_else(|| self.damaged("a field is longer than the message"))?;
        let at = std::mem::replace(&mut self.at, file.len());
        Ok(Message { file, at })
    }

    /// The number of the next field, and its value.
    fn next(&mut self) -> Result<Option<(u64, Value<'a>)>, ReadError> {
        if self.rest().is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let value = match tag & 7 {
            0 => Value::Number(self.varint()?),
            1 => self.take(8).map(|_| Value::Other)?,
            2 => {
                let length = self.varint()?;
                Value::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Value::Other)?,
            _ => return Err(self.damaged("a field has an unknown type")),
        };
        Ok(Some((tag >> 3, value)))
    }
}

#[derive(Default)]
struct State {
    /// Its place in the file, from 1.
    record: usize,
    position: Option<String>,
    comment: String,
    moves: Vec<(u32, u32, u64)>,
    /// Its position and its moves, once they are known.
    sfen: Option<Sfen>,
    listed: Vec<BookMove>,
}

impl State {
    fn fault(&self, reason: String) -> Fault {
        let place = FilePlace::Record(self.record);
        Fault { place, reason }
    }
}

/// Whether a file that begins with these bytes looks like such a book: its fields up to the first state are those of a book, and the
/// state's are those of a state, with a number and a position or moves.
#[must_use]
pub fn is_book(head: &[u8]) -> bool {
    const AUTHOR: u64 = 1;
    const DESCRIPTION: u64 = 2;
    const STATE: u64 = 3;
    let mut message = Message { file: head, at: 0 };
    loop {
        match message.next() {
            Ok(Some((AUTHOR | DESCRIPTION, Value::Bytes(text))))
                if std::str::from_utf8(text.rest()).is_ok() => {}
            Ok(Some((STATE, Value::Bytes(state)))) => {
                let read = read_state(state, &mut Read::default());
                return read.is_ok_and(|(_, state)| {
                    let position = state.position.as_deref().map(str::parse::<Sfen>);
                    position.map_or(!state.moves.is_empty(), |position| position.is_ok())
                });
            }
            _ => return false,
        }
    }
}

/// Reads a file. A move's weight is its count. States that no move leads to from a state with a position, and moves that can't be
/// played, are faults.
///
/// # Errors
/// Returns [`ReadError`] if the bytes are no such message.
pub fn read(bytes: &[u8]) -> Result<Read, ReadError> {
    let mut read = Read::default();
    // In the order of the file, and their places by their numbers.
    let mut states: Vec<State> = Vec::new();
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut records = 0;
    let mut message = Message { file: bytes, at: 0 };
    while let Some((field, value)) = message.next()? {
        let (3, Value::Bytes(state)) = (field, value) else {
            continue;
        };
        records += 1;
        let (id, mut state) = read_state(state, &mut read)?;
        state.record = records;
        if let Slot::Vacant(slot) = places.entry(id) {
            slot.insert(states.len());
            states.push(state);
        } else {
            let fault = state.fault(format!("state {id} comes twice"));
            read.faults.push(fault);
        }
    }
    if states.is_empty() {
        return Err(ReadError::unfit("an .sbk book", "it has no states"));
    }

    // Positions spread from the states that have one.
    let mut open = VecDeque::new();
    for (at, state) in states.iter_mut().enumerate() {
        match state.position.as_deref().map(str::parse::<Sfen>) {
            Some(Ok(sfen)) => {
                state.sfen = Some(sfen);
                open.push_back(at);
            }
            Some(Err(error)) => read.faults.push(state.fault(error.to_string())),
            None => {}
        }
    }
    while let Some(at) = open.pop_front() {
        let Some(Sfen { board, ply }) = states[at].sfen else {
            continue;
        };
        let mut listed: Vec<BookMove> = Vec::new();
        for (bits, weight, next) in std::mem::take(&mut states[at].moves) {
            let played = move_from(bits).and_then(|mv| Some((mv, board.play(mv)?)));
            let Some((mv, child)) = played else {
                let reason = format!("{bits:#010x} is no legal move of the position");
                read.faults.push(states[at].fault(reason));
                continue;
            };
            if listed.iter().all(|known| known.mv != mv) {
                listed.push(BookMove {
                    count: Some(weight),
                    ..BookMove::new(mv)
                });
            }
            if let Some(&next) = places.get(&next)
                && states[next].sfen.is_none()
            {
                let ply = ply.map(|ply| ply.saturating_add(1));
                states[next].sfen = Some(Sfen { board: child, ply });
                open.push_back(next);
            }
        }
        states[at].listed = listed;
    }
    for state in states {
        let Some(Sfen { board, ply }) = state.sfen else {
            let reason = "no position leads to this state".to_owned();
            read.faults.push(state.fault(reason));
            continue;
        };
        let lines = state.comment.lines().filter(|line| !line.trim().is_empty());
        let comments = lines.map(|line| Comment::new(At::Below, line));
        read.book.entries.push(Entry {
            comments: comments.collect(),
            ..Entry::new(board, ply, state.listed)
        });
    }
    Ok(read)
}

fn read_state(mut message: Message<'_>, read: &mut Read) -> Result<(u64, State), ReadError> {
    let mut state = State::default();
    let mut id = 0;
    while let Some((field, value)) = message.next()? {
        match (field, value) {
            (1, Value::Number(number)) => id = number,
            (7, Value::Bytes(text)) if !text.rest().is_empty() => {
                state.position = Some(String::from_utf8_lossy(text.rest()).into_owned());
            }
            (8, Value::Bytes(text)) => {
                state.comment = String::from_utf8_lossy(text.rest()).into_owned();
            }
            (9, Value::Bytes(mut listed)) => {
                let mut fields = [0; 5];
                while let Some((field, value)) = listed.next()? {
                    if let (1..=4, Value::Number(number)) = (field, value) {
                        fields[field as usize] = number;
                    }
                }
                let [_, mv, _, weight, next] = fields;
                let weight = weight.min(u32::MAX.into()) as u32;
                state.moves.push((mv as u32, weight, next));
            }
            (10, Value::Bytes(_)) => read.dropped.scores += 1,
            _ => {}
        }
    }
    Ok((id, state))
}

/// Four bits each for rank and file that a piece comes from (0 and 0 for a drop) and goes to, bit 19 a promotion, 24 to 28 the piece.
fn move_from(bits: u32) -> Option<Move> {
    let four = |at: u32| (bits >> at & 0xf) as u8;
    let to = Square::new(four(12), four(8))?;
    if bits & 0xff == 0 {
        let kind = dropped_kind(bits >> 24 & 0xf)?;
        return Some(Move::Drop { kind, to });
    }
    let from = Square::new(four(4), four(0)).filter(|&from| from != to)?;
    let promotes = bits >> 19 & 1 == 1;
    Some(Move::Step { from, to, promotes })
}
