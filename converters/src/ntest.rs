//! Books of NTest, Chris Welty's program, in format 2. They can be read, not written.
//!
//! | offset | type | field |
//! | --- | --- | --- |
//! | 0 | i32 | version: 2 |
//! | 4 | i32 | number of positions |
//! | 8 | | main trees, until all positions are there |
//! | the end | u32 | checksum of the trees |
//!
//! A main tree begins with its board as the sets of empty squares and of the mover's discs, u64 each, bit 0 = a1. Then comes its
//! tree, and so does one after each move:
//!
//! | type | field |
//! | --- | --- |
//! | u16, u16 | how often the position occurred in games, of two kinds |
//! | u16 | flags |
//! | i16 | score |
//! | (u8, tree)… | moves, 0 to 63, each with the tree of the position that it leads to |
//! | u8 | 255: no more moves |
//!
//! Boards are the smallest of their eight images, by the mover's discs and then by the empty squares. A move is in the orientation of
//! the board that it is played on, and the board after it is turned to its own. If the side to move must pass, the moves
//! are those of the other side; if neither has a move, not even the 255 follows.
//!
//! The checksum is Bob Jenkins's mixing function over words: four bytes each, and what a field of two bytes or one holds.
//!
//! # What the numbers mean
//!
//! * Scores are the mover's, in 1/100 disc.
//! * Flags: 1 proven; 2 the root of a search of moves that lead out of the book; 4 a win, a draw or a loss for certain, and no score; 8
//!   searched to the end; from bit 4 up the depth (6 bits), then the selectivity (0 is none, 4 that of the midgame).
//! * The score of a root that isn't proven is no score: all moves that lead out of the book are worth that much at most.
//!   NTest computes such a position's value from the positions below it.
//!
//! # As positions
//!
//! A position of which nothing is proven has the value of its search, or as a root that of its best child, in discs,
//! rounded. What is proven becomes a [proof](obook_model::Proof). What a position of a side that must pass says is said of the other
//! side's. Links follow from the boards. [`BookReader::account`](crate::BookReader::account) counts what is lost.
//!
//! No book of NTest was at hand to test this: it follows the program's source.

use crate::account::{Account, tally};
use crate::book_reader::Whole;
use crate::check::Checker;
use crate::claim::{Claim, EXACT, MOST};
use crate::reader::{Fields, Source};
use crate::{Error, ErrorKind, Fault, FaultKind, Format, MoveOf};
use obook_model::{Engine, Leaf, NoLeaf, Position};
use obook_othello::{Board, CanonicalBoard, Square, Symmetry};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::Read;

/// The version that is read.
const VERSION: u8 = 2;
/// The length of the header.
const HEADER: usize = 8;
/// The length of a main tree's board.
const BOARD: usize = 16;
/// The length of a position's numbers.
const LEN: usize = 8;
/// The byte after a position's last move.
const NO_MORE: u8 = 255;
/// The units of a disc.
const UNITS: f32 = 100.0;
/// The score of a root with all of its moves in the book.
const ALL_IN_BOOK: i16 = -16_400;

/// A position exactly as a book stores it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record {
    /// The board. Its side to move may have to pass.
    pub board: Board,
    /// How often it occurred in games, of two kinds.
    pub games: [u16; 2],
    /// What is known of it, and from which search.
    pub flags: u16,
    /// The score, or of a root that isn't proven an upper bound of the moves that lead out of the book.
    pub score: i16,
}

impl Record {
    /// In `flags`: proven.
    pub const PROVEN: u16 = 1;
    /// In `flags`: the root of a search of moves that lead out of the book.
    pub const ROOT: u16 = 2;
    /// In `flags`: a win, a draw or a loss for certain, and not by how much.
    pub const WON_DRAWN_OR_LOST: u16 = 4;
    /// In `flags`: searched to the end.
    pub const TO_THE_END: u16 = 8;
    /// In `flags`: the depth of the search begins at this bit.
    pub const DEPTH: u32 = 4;
    /// In `flags`: the selectivity of the search begins at this bit.
    pub const SELECTIVITY: u32 = 10;

    /// The depth of the search; `None` if there was none.
    #[must_use]
    pub fn depth(&self) -> Option<u8> {
        let depth = (self.flags >> Record::DEPTH & 63) as u8;
        (depth > 0).then_some(depth)
    }

    fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Whether the score is only a bound of the moves that lead out of the book.
    fn is_bound(&self) -> bool {
        self.is(Record::ROOT) && !self.is(Record::PROVEN)
    }

    /// The position of the side that really moves.
    fn moving(&self) -> Board {
        moving(self.board)
    }

    /// What it says of the side that really moves; `None` if it makes no sense.
    fn claim(&self) -> Option<Claim> {
        if self.moving().is_over() {
            return Some(Claim::Exact(self.moving().final_score().into()));
        }
        if self.is_bound() {
            return Some(Claim::Nothing);
        }
        let score = match self.board.must_pass() {
            true => self.score.checked_neg()?,
            false => self.score,
        };
        let discs = (f32::from(score) / UNITS).round() as i16;
        if self.is(Record::PROVEN) && self.is(Record::WON_DRAWN_OR_LOST) {
            return Some(Claim::certain(score));
        }
        if !(-MOST..=MOST).contains(&discs) {
            return None;
        }
        match self.is(Record::PROVEN) {
            true => (discs % 2 == 0 && !self.is_rounded()).then_some(Claim::Exact(discs)),
            false => Some(Claim::Searched(discs)),
        }
    }

    fn is_rounded(&self) -> bool {
        self.score % UNITS as i16 != 0
    }
}

fn moving(board: Board) -> Board {
    match board.must_pass() {
        true => board.passed(),
        false => board,
    }
}

/// The image of a board that books have.
fn key(board: Board) -> Board {
    let (mover, empty) = (board.player(), !(board.player() | board.opponent()));
    let images = Symmetry::all_bits(mover)
        .into_iter()
        .zip(Symmetry::all_bits(empty));
    let smallest = Symmetry::ALL.into_iter().zip(images);
    let smallest = smallest.min_by_key(|(_, image)| *image);
    smallest.map_or(board, |(symmetry, _)| symmetry.board(board))
}

/// Whether a file that begins with `head` is a book of NTest: the version, a number of positions, and the first board, which is the
/// smallest of its images.
pub(crate) fn begins(head: &[u8]) -> bool {
    let Ok(mut fields) = Fields::new(head, HEADER + BOARD) else {
        return false;
    };
    fields.i32() == VERSION.into() && fields.i32() > 0 && {
        let (empty, mover) = (fields.u64(), fields.u64());
        let board = Board::new(mover, !(mover | empty));
        empty & (mover | Board::CENTRE) == 0 && board.is_ok_and(|board| key(board) == board)
    }
}

/// The positions of a book, each board once.
#[derive(Debug)]
pub struct File {
    promised: u32,
    records: Vec<Record>,
    places: HashMap<CanonicalBoard, u32>,
    /// The number of positions whose board had come before.
    repeated: u64,
    /// What ended the reading before the end of the file.
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
            file: File {
                promised: 0,
                records: Vec::new(),
                places: HashMap::new(),
                repeated: 0,
                damage: None,
            },
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
        match self.places.entry(record.moving().canonical()) {
            Entry::Occupied(_) => self.repeated += 1,
            Entry::Vacant(entry) => {
                entry.insert(place);
                self.records.push(record);
            }
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
        let bytes = ahead.first_chunk().ok_or(ErrorKind::Truncated {
            found: ahead.len() as u64,
            expected: N as u64,
        })?;
        let bytes = *bytes;
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
                Ok(found @ ..VERSION) => ErrorKind::Version {
                    format: Format::Ntest,
                    found,
                    expected: VERSION,
                },
                _ => ErrorKind::Magic {
                    format: Format::Ntest,
                    found: version.to_le_bytes().to_vec(),
                    expected: "02 00 00 00",
                },
            });
        }
        let promised = self.bytes()?;
        self.file.promised =
            u32::try_from(i32::from_le_bytes(promised)).map_err(|_| ErrorKind::Word {
                found: promised.to_vec(),
                expected: "a number of positions of at most 2³¹ − 1",
            })?;
        Ok(())
    }

    fn trees(&mut self) -> Result<(), ErrorKind> {
        let promised = i64::from(self.file.promised);
        while self.found < u64::from(self.file.promised) {
            let bytes = self.checked::<BOARD>()?;
            let mut fields = Fields::new(&bytes, BOARD)?;
            let (empty, mover) = (fields.u64(), fields.u64());
            let board = match Board::new(mover, !(mover | empty)) {
                Ok(board) if mover & empty == 0 && key(board) == board => board,
                _ => {
                    return Err(ErrorKind::Word {
                        found: bytes.to_vec(),
                        expected: "the empty squares and the mover's discs of a board in the smallest of its images",
                    });
                }
            };
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
            return Err(ErrorKind::Word {
                found: sum.to_vec(),
                expected: "the checksum of what comes before",
            });
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
            let child = child.ok_or(ErrorKind::Fault(Fault {
                player: board.player(),
                opponent: board.opponent(),
                kind: FaultKind::IllegalMove {
                    of: MoveOf::Link(*number),
                    code,
                },
            }))?;
            self.position(key(child), &mut open)?;
        }
        Ok(())
    }

    /// Reads a position's numbers, and opens the board on which its moves are played.
    fn position(&mut self, board: Board, open: &mut Vec<(Board, u8)>) -> Result<(), ErrorKind> {
        let bytes = self.checked::<LEN>()?;
        let mut fields = Fields::new(&bytes, LEN)?;
        let record = Record {
            board,
            games: [fields.u16(), fields.u16()],
            flags: fields.u16(),
            score: fields.i16(),
        };
        self.found += 1;
        self.file.push(record);
        if !board.is_over() {
            open.push((record.moving(), 0));
        }
        Ok(())
    }
}

/// The checksum.
#[derive(Default)]
struct Check {
    state: [u32; 3],
    /// Which of them takes the next word.
    next: usize,
}

impl Check {
    /// Adds what was written at once.
    fn add(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(4);
        for word in words.by_ref() {
            self.word(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        }
        let mut halves = words.remainder().chunks_exact(2);
        for half in halves.by_ref() {
            self.word(u16::from_le_bytes([half[0], half[1]]).into());
        }
        for byte in halves.remainder() {
            self.word((*byte).into());
        }
    }

    fn word(&mut self, word: u32) {
        self.state[self.next] = self.state[self.next].wrapping_add(word);
        self.next = (self.next + 1) % 3;
        if self.next == 0 {
            self.mix();
        }
    }

    /// Bob Jenkins's function.
    fn mix(&mut self) {
        let [mut a, mut b, mut c] = self.state;
        for [to_a, to_b, to_c] in [[13, 8, 13], [12, 16, 5], [3, 10, 15]] {
            a = a.wrapping_sub(b).wrapping_sub(c) ^ c >> to_a;
            b = b.wrapping_sub(c).wrapping_sub(a) ^ a << to_b;
            c = c.wrapping_sub(a).wrapping_sub(b) ^ b >> to_c;
        }
        self.state = [a, b, c];
    }

    fn sum(&self) -> u32 {
        self.state[0]
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
pub(crate) fn positions(mut file: File, name: &str) -> (Whole, Account) {
    let mut account = Account {
        kind: Some("NTest book, format 2".to_owned()),
        ..Account::default()
    };
    let damage = file.damage.take().map(|damage| damage.named(name));
    count(&file, &mut account);
    let nodes = judge(&file, &mut account);
    let count = nodes.len();
    (
        Whole::new(count, move |place| position(&nodes[place]), damage),
        account,
    )
}

/// Decides what each record says. Positions with fewer empty squares come first. Positions of which nothing is known are left out.
fn judge(file: &File, account: &mut Account) -> Vec<Node> {
    let mut order: Vec<u32> = (0..file.records.len() as u32).collect();
    order.sort_by_key(|place| file.records[*place as usize].board.empties());
    let mut claims = vec![Claim::Nothing; file.records.len()];
    let mut nodes = Vec::new();
    let (mut senseless, mut empty) = (0, 0);
    for place in order {
        let record = file.records[place as usize];
        let at = record.moving();
        let mut complete = true;
        let mut best = None;
        for square in at.legal_moves() {
            let after = at.after(square);
            let child = file.places.get(&moving(after).canonical());
            complete &= child.is_some();
            let value = child.and_then(|child| claims[*child as usize].value());
            let value = value.map(|value| if after.must_pass() { value } else { -value });
            best = best.max(value);
        }
        let claim = record.claim();
        senseless += u64::from(claim.is_none());
        let claim = match (claim, best) {
            (None | Some(Claim::Nothing), Some(best)) => Claim::Below(best),
            (claim, _) => claim.unwrap_or(Claim::Nothing),
        };
        claims[place as usize] = claim;
        if claim == Claim::Nothing {
            empty += 1;
            continue;
        }
        nodes.push(Node {
            record,
            claim,
            complete,
        });
    }
    let wrong = &mut account.wrong;
    tally(wrong, "positions that come twice", file.repeated);
    tally(wrong, "scores that make no sense", senseless);
    tally(wrong, "positions of which nothing is known", empty);
    nodes
}

/// Counts what is in the book, and what positions can't hold.
fn count(file: &File, account: &mut Account) {
    let (contents, lost) = (&mut account.contents, &mut account.lost);
    tally(contents, "positions", file.promised.into());
    for record in &file.records {
        let proven = record.is(Record::PROVEN);
        let what = match (proven, record.is(Record::WON_DRAWN_OR_LOST)) {
            (true, true) => "positions won, drawn or lost for certain".to_owned(),
            (true, false) => "positions solved exactly".to_owned(),
            (false, _) => match record.depth() {
                Some(depth) => format!("positions searched {depth} plies deep"),
                None => "positions not searched".to_owned(),
            },
        };
        tally(contents, &what, 1);
        let is_bound = record.is_bound() && record.score != ALL_IN_BOOK;
        tally(
            lost,
            "bounds of the moves that lead out of the book",
            is_bound.into(),
        );
        tally(lost, "numbers of games", (record.games != [0, 0]).into());
        let selective = record.flags >> Record::SELECTIVITY != 0;
        tally(lost, "selectivities of searches", selective.into());
        let is_rounded = !record.is_bound() && !proven && record.is_rounded();
        tally(lost, "fractions of a disc", is_rounded.into());
    }
}

fn position(node: &Node) -> Position {
    let board = node.record.moving();
    let mut position = Position::new(board.canonical(), Engine::Ntest);
    node.claim.enter(&mut position, Engine::Ntest);
    position.level = match node.claim {
        Claim::Exact(_) => Some(EXACT),
        Claim::Searched(_) | Claim::Below(_) => {
            node.record.depth().map(|depth| depth.min(EXACT - 1))
        }
        Claim::Between(..) | Claim::Nothing => None,
    };
    if board.is_over() {
        position.set_leaf(Leaf {
            mv: None,
            score: board.final_score(),
            level: Some(EXACT),
            engine: Engine::Ntest,
        });
    } else {
        position.no_leaf = Some(match node.complete {
            true => NoLeaf::AllMovesInBook,
            false => NoLeaf::Undefined,
        });
    }
    position
}
