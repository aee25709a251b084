//! Books of Zebra, written in each of their forms.

use obook_converters::zebra::{Form, Hash, Record};
use obook_othello::{Board, Line, Move, Side, Square, Symmetry};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A book: its positions by the squares that lead there.
#[derive(Clone, Debug)]
pub struct ZebraBook {
    /// The records, without their hashes. The start comes first, and a position after its parent.
    pub records: BTreeMap<Vec<Square>, Record>,
}

/// What a position stands for in a book.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The position of the side that really moves.
    pub board: Board,
    /// Its colour.
    pub side: Side,
    /// The hash.
    pub hash: Hash,
    /// The symmetry that turns the board to the orientation of the hash.
    pub symmetry: Symmetry,
}

impl Place {
    /// The position after these moves.
    pub fn after(squares: &[Square]) -> Place {
        let mut line = Line::new();
        for square in squares {
            line.push(Move::Place(*square)).unwrap();
        }
        if line.board().must_pass() {
            line.push(Move::Pass).unwrap();
        }
        let (board, side) = (line.board(), line.side());
        let (hash, symmetry) = hash(board, side);
        Place {
            board,
            side,
            hash,
            symmetry,
        }
    }

    /// The flag of the side to move; none when the game is over.
    pub fn side_flag(&self) -> u16 {
        match self.side {
            _ if self.board.is_over() => 0,
            Side::Black => Record::BLACK,
            Side::White => Record::WHITE,
        }
    }

    /// How a record states this move.
    pub fn alternative(&self, square: Square) -> i16 {
        number(self.symmetry.square(square))
    }
}

/// The hash of a position with this side to move, and the symmetry that turns the board to its orientation.
fn hash(board: Board, side: Side) -> (Hash, Symmetry) {
    match side {
        Side::Black => Hash::of(board.player(), board.opponent()),
        Side::White => Hash::of(board.opponent(), board.player()),
    }
}

/// A square as books state it.
pub fn number(square: Square) -> i16 {
    10 * i16::from(square.rank() + 1) + i16::from(square.file() + 1)
}

/// The squares of a line such as `f5d6`.
pub fn squares(line: &str) -> Vec<Square> {
    let line: Line = line.parse().unwrap();
    line.moves().iter().filter_map(|mv| mv.square()).collect()
}

impl ZebraBook {
    /// A book of the positions of these lines, each made by `record`. Of transpositions only the first line counts.
    pub fn new<'a>(
        lines: impl IntoIterator<Item = &'a [Square]>,
        mut record: impl FnMut(&Place) -> Record,
    ) -> ZebraBook {
        let mut all = BTreeSet::new();
        for line in lines {
            all.extend((0..=line.len()).map(|len| line[..len].to_vec()));
        }
        let (mut records, mut seen) = (BTreeMap::new(), BTreeSet::new());
        for line in all {
            let place = Place::after(&line);
            let last = line.split_last();
            let has_parent = last.is_none_or(|(_, parent)| records.contains_key(parent));
            if has_parent && seen.insert(place.hash) {
                let record = Record {
                    hash: place.hash,
                    ..record(&place)
                };
                records.insert(line, record);
            }
        }
        ZebraBook { records }
    }

    /// The file in a form.
    pub fn bytes(&self, form: Form) -> Vec<u8> {
        match form {
            Form::Binary => self.binary(),
            Form::Text => self.text().into_bytes(),
            Form::Compressed => self.compressed(),
        }
    }

    fn binary(&self) -> Vec<u8> {
        let mut bytes = [2718i16, 2818].map(i16::to_le_bytes).concat();
        bytes.extend((self.records.len() as i32).to_le_bytes());
        for record in self.records.values() {
            let Hash(one, two) = record.hash;
            bytes.extend([one, two].map(i32::to_le_bytes).concat());
            let numbers = [
                record.black,
                record.white,
                record.alternative,
                record.alternative_score,
            ];
            bytes.extend(numbers.map(i16::to_le_bytes).concat());
            bytes.extend(record.flags.to_le_bytes());
        }
        bytes
    }

    fn text(&self) -> String {
        let mut text = format!("2718\n2818\n{}\n", self.records.len());
        for record in self.records.values() {
            let Record {
                hash: Hash(one, two),
                black,
                white,
                alternative,
                alternative_score,
                flags,
            } = record;
            writeln!(
                text,
                "{one} {two} {black} {white} {alternative} {alternative_score} {flags}"
            )
            .unwrap();
        }
        text
    }

    /// The order of the lines is preorder.
    fn compressed(&self) -> Vec<u8> {
        let children = |parent: &Vec<Square>| {
            let is_child =
                |line: &&Vec<Square>| line.len() == parent.len() + 1 && line.starts_with(parent);
            let below = self.records.range(parent.clone()..).map(|(line, _)| line);
            let below = below.take_while(|line| line.starts_with(parent));
            below
                .filter(is_child)
                .map(|line| number(line[parent.len()]))
                .collect::<Vec<i16>>()
        };
        let moves: Vec<Vec<i16>> = self.records.keys().map(children).collect();
        let numbers = |numbers: &mut dyn Iterator<Item = i16>| {
            numbers.flat_map(i16::to_le_bytes).collect::<Vec<u8>>()
        };
        let records = || self.records.values();
        [
            (self.records.len() as i32).to_le_bytes().to_vec(),
            (moves.iter().flatten().count() as i32)
                .to_le_bytes()
                .to_vec(),
            numbers(&mut moves.iter().map(|moves| moves.len() as i16)),
            numbers(&mut moves.iter().flatten().copied()),
            numbers(&mut records().flat_map(|record| [record.black, record.white])),
            numbers(&mut records().map(|record| record.alternative)),
            numbers(&mut records().map(|record| record.alternative_score)),
            numbers(&mut records().map(|record| record.flags.cast_signed())),
        ]
        .concat()
    }
}

/// A small book: a few openings, searched 18 plies deep, with a move beyond the book where there is one.
pub fn small() -> ZebraBook {
    let lines = ["f5d6c3d3c4", "f5d6c5", "f5f6e6", "f5f4"].map(squares);
    let lines: Vec<&[Square]> = lines.iter().map(Vec::as_slice).collect();
    let inside: BTreeSet<Hash> = {
        let book = ZebraBook::new(lines.iter().copied(), |_| Record::default());
        book.records.values().map(|record| record.hash).collect()
    };
    ZebraBook::new(lines, |place| {
        let out = place.board.legal_moves().iter().find(|square| {
            let child = place.board.place(*square).unwrap();
            !inside.contains(&hash(child, place.side.other()).0)
        });
        Record {
            black: 64,
            white: 64,
            alternative: out.map_or(Record::EXHAUSTED, |square| place.alternative(square)),
            alternative_score: -128,
            flags: place.side_flag() | 18 << Record::DEPTH,
            ..Record::default()
        }
    })
}
