//! Reading a book: its trees, and what each record says.

use super::{ALL_IN_BOOK, BOARD, Check, LEN, NO_MORE, Record, VERSION, key, moving};
use crate::account::{Account, known_by, tally};
use crate::book_reader::Opened;
use crate::check::{Checker, illegal_move};
use crate::claim::{Claim, EXACT, without_searched_move};
use crate::reader::{Fields, Source};
use crate::{Error, ErrorKind, Format, MoveOf};
use obook_othello::{Board, CanonicalBoard, Engine, Position, Square};
use std::collections::HashMap;
use std::io::Read;

/// The positions of a book, each board once.
#[derive(Debug, Default)]
pub struct File {
    promised: u32,
    records: Vec<Record>,
    places: HashMap<CanonicalBoard, u32>,
    /// The number of positions whose board had come before.
    repeated: u64,
    /// The damage that ended the reading before the end of the file.
    damage: Option<Error>,
}

impl File {
    /// Reads a book.
    ///
    /// # Errors
    /// If the input can't be read, isn't a book of version 2, or ends in its header. Damage after that ends the records.
    pub fn read(input: impl Read) -> Result<File, Error> {
        let mut reading = Reading {
            source: Source::new(input),
            check: Check::default(),
            found: 0,
            file: File::default(),
        };
        reading.header().map_err(|kind| reading.placed(kind))?;
        match reading.trees() {
            Ok(()) => {}
            Err(ErrorKind::Io(error)) => return Err(reading.placed(error.into())),
            Err(kind) => reading.file.damage = Some(reading.placed(kind)),
        }
        Ok(reading.file)
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
        let board = record.moving().canonical();
        match *self.places.entry(board).or_insert(place) == place {
            true => self.records.push(record),
            false => self.repeated += 1,
        }
    }
}

struct Reading<R> {
    source: Source<R>,
    check: Check,
    /// The number of positions found, also of those whose board had come before.
    found: u64,
    file: File,
}

impl<R: Read> Reading<R> {
    fn placed(&self, kind: ErrorKind) -> Error {
        let number = (self.found > 0).then_some(self.found);
        Error::new(kind).at(number, self.source.offset())
    }

    /// Reads fixed bytes, which the checksum doesn't include.
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], ErrorKind> {
        let ahead = self.source.ahead(N)?;
        let cut_off = || ErrorKind::cut_off(ahead.len() as u64, N as u64);
        let bytes = *ahead.first_chunk().ok_or_else(cut_off)?;
        self.source.consume(N);
        Ok(bytes)
    }

    /// Reads fixed bytes that the checksum includes.
    fn checked<const N: usize>(&mut self) -> Result<[u8; N], ErrorKind> {
        let bytes = self.bytes()?;
        self.check.add(&bytes);
        Ok(bytes)
    }

    fn header(&mut self) -> Result<(), ErrorKind> {
        let version = i32::from_le_bytes(self.bytes()?);
        if version != VERSION.into() {
            return Err(match u8::try_from(version) {
                Ok(found @ ..VERSION) => ErrorKind::version(Format::Ntest, found, VERSION),
                _ => ErrorKind::magic(Format::Ntest, &version.to_le_bytes(), "02 00 00 00"),
            });
        }
        let promised: [u8; 4] = self.bytes()?;
        let wrong = |_| ErrorKind::word(&promised, "a number of positions of at most 2³¹ − 1");
        self.file.promised = u32::try_from(i32::from_le_bytes(promised)).map_err(wrong)?;
        Ok(())
    }

    fn trees(&mut self) -> Result<(), ErrorKind> {
        let promised = i64::from(self.file.promised);
        while self.found < u64::from(self.file.promised) {
            let bytes = self.checked::<BOARD>()?;
            let mut fields = Fields::new(&bytes, BOARD)?;
            let board = super::board(&mut fields).filter(|board| key(*board) == *board);
            let board = board.ok_or_else(|| ErrorKind::Word {
                found: bytes.to_vec(),
                expected: "the empty squares and the mover's discs of a board in the smallest of its images",
            })?;
            // Moves keep what this requires of a board.
            Checker::new(board.player(), board.opponent()).map_err(ErrorKind::Fault)?;
            self.tree(board)?;
        }
        let found = self.found;
        if found > u64::from(self.file.promised) {
            return Err(ErrorKind::Count { promised, found });
        }
        let sum = self.bytes()?;
        if u32::from_le_bytes(sum) != self.check.sum() {
            return Err(ErrorKind::word(&sum, "the checksum of what comes before"));
        }
        match self.source.ahead(1)?.is_empty() {
            true => Ok(()),
            false => Err(ErrorKind::Appended { promised }),
        }
    }

    /// Reads a tree. Each move fills a square, so it has at most 60 levels.
    fn tree(&mut self, board: Board) -> Result<(), ErrorKind> {
        // The boards whose moves come next, each with the number of its last move.
        let mut open = Vec::new();
        self.position(board, &mut open)?;
        while let Some((board, number)) = open.last_mut() {
            let board = *board;
            let [code] = self.checked()?;
            if code == NO_MORE {
                open.pop();
                continue;
            }
            *number += 1;
            let child = Square::new(code).and_then(|square| board.place(square));
            let child = child.ok_or_else(|| illegal_move(board, MoveOf::Link(*number), code))?;
            self.position(key(child), &mut open)?;
        }
        Ok(())
    }

    /// Reads a position's numbers, and opens the board on which its moves are played.
    fn position(&mut self, board: Board, open: &mut Vec<(Board, u8)>) -> Result<(), ErrorKind> {
        let bytes = self.checked::<LEN>()?;
        let mut fields = Fields::new(&bytes, LEN)?;
        let record = Record::read(board, &mut fields);
        self.found += 1;
        self.file.push(record);
        if !board.is_over() {
            open.push((record.moving(), 0));
        }
        Ok(())
    }
}

/// A record, and what it says.
struct Node {
    record: Record,
    claim: Claim,
    /// Whether all of its moves are in the book.
    complete: bool,
}

/// The positions of a book.
pub(super) fn opened(mut file: File, name: &str) -> Opened {
    let mut account = Account::of("NTest book, format 2");
    let damage = file.damage.take().map(|damage| damage.named(name));
    count(&file, &mut account);
    let nodes = judge(&file, &mut account);
    let places = (0..nodes.len()).map(Ok).chain(damage.map(Err));
    let make = move |place: usize| Some((position(&nodes[place]), false));
    Opened::of_parts(file.promised.into(), account, places, make, |_| 0)
}

/// Decides what each record says. Positions with fewer empty squares come first, and else those with smaller keys. Positions of which nothing is known are left out.
fn judge(file: &File, account: &mut Account) -> Vec<Node> {
    let mut order: Vec<u32> = (0..file.records.len() as u32).collect();
    order.sort_by_cached_key(|place| {
        let board = file.records[*place as usize].moving();
        (board.empties(), board.canonical())
    });
    let mut claims = vec![Claim::Nothing; file.records.len()];
    let mut nodes = Vec::new();
    let mut wrong = |what: &str, count: u64| tally(&mut account.wrong, what, count);
    wrong("positions that come twice", file.repeated);
    for place in order {
        let record = file.records[place as usize];
        let at = record.moving();
        let mut complete = true;
        let mut best = None;
        for square in at.legal_moves() {
            let after = at.after(square);
            let child = file.places.get(&moving(after).canonical());
            let claim = child.map_or(Claim::Nothing, |child| claims[*child as usize]);
            // Positions that are left out are not in the book.
            complete &= claim != Claim::Nothing;
            let value = claim.value();
            let value = value.map(|value| if after.must_pass() { value } else { -value });
            best = best.max(value);
        }
        let claim = record.claim();
        wrong("scores that make no sense", claim.is_none().into());
        let claim = match (claim, best) {
            (None | Some(Claim::Nothing), Some(best)) => Claim::Below(best),
            (claim, _) => claim.unwrap_or(Claim::Nothing),
        };
        claims[place as usize] = claim;
        if claim == Claim::Nothing {
            wrong("positions of which nothing is known", 1);
            continue;
        }
        nodes.push(Node {
            record,
            claim,
            complete,
        });
    }
    nodes
}

/// Counts what is in the book, and what positions can't hold.
fn count(file: &File, account: &mut Account) {
    let mut lost = |what: &str, is_lost: bool| tally(&mut account.lost, what, is_lost.into());
    let contents = &mut account.contents;
    tally(contents, "positions", file.promised.into());
    for record in &file.records {
        let proven = record.is(Record::PROVEN);
        let is_exact = !record.is(Record::WON_DRAWN_OR_LOST);
        let what = known_by(proven.then_some(is_exact), record.depth());
        tally(contents, &what, 1);
        let is_bound = record.is_bound() && record.score != ALL_IN_BOOK;
        lost("bounds of the moves that lead out of the book", is_bound);
        lost("numbers of games", record.games != [0, 0]);
        let selective = record.flags >> Record::SELECTIVITY != 0;
        lost("selectivities of searches", selective);
        let is_rounded = !record.is_bound() && !proven && record.is_rounded();
        lost("fractions of a disc", is_rounded);
    }
}

fn position(node: &Node) -> Position {
    let mut position = Position::new(node.record.moving().canonical(), Engine::Ntest);
    node.claim.enter(&mut position, Engine::Ntest);
    position.level = match node.claim {
        Claim::Exact(_) => Some(EXACT),
        Claim::Searched(_) | Claim::Below(_) => {
            node.record.depth().map(|depth| depth.min(EXACT - 1))
        }
        Claim::Between { .. } | Claim::Nothing => None,
    };
    without_searched_move(&mut position, Some(node.complete));
    position
}
