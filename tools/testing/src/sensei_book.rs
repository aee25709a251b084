//! Books of Othello Sensei: records as bytes, and folders of them.

use obook_converters::sensei::{Odds, Record};
use obook_othello::Line;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The goals from one score to another: sure up to `last_1`, hopeless from `first_0`, and in between with these chances.
pub fn odds(lower: i8, upper: i8, last_1: i8, first_0: i8, chances: &[u8]) -> Vec<Odds> {
    let mut chances = chances.iter();
    let goals = (lower + 1..upper).step_by(2);
    let odds = goals.map(|goal| {
        let (probability, proof, disproof, derivative) = match goal {
            _ if goal <= last_1 => (255, 100, 255, None),
            _ if goal >= first_0 => (0, 255, 110, None),
            _ => (*chances.next().unwrap(), 120, 130, Some(40_000)),
        };
        Odds {
            goal,
            probability,
            proof,
            disproof,
            derivative,
        }
    });
    odds.collect()
}

/// The record as a value file stores it.
pub fn encode(record: &Record) -> Vec<u8> {
    let mut bytes = board(record.player, record.opponent);
    let last = record.fathers.len().saturating_sub(1);
    for (place, father) in record.fathers.iter().enumerate() {
        let more = u32::from(place < last);
        bytes.extend(&(father << 2 | more).to_le_bytes()[..3]);
    }
    if record.fathers.is_empty() {
        bytes.extend([0; 3]);
    }
    bytes.extend(record.visited.to_le_bytes());
    let limits = [record.lower, record.upper, record.last_1, record.first_0];
    bytes.extend(limits.map(i8::cast_unsigned));
    bytes.push(record.is_leaf.into());
    let mut bits = String::new();
    let (mut proofs, mut disproofs) = (Vec::new(), Vec::new());
    for odds in &record.odds {
        match odds.derivative {
            Some(derivative) => {
                bytes.extend([odds.probability, odds.proof, odds.disproof]);
                match derivative {
                    ..=0x7fff => bytes.extend((derivative as u16).to_be_bytes()),
                    _ => bytes.extend(&(derivative | 0x80_0000).to_be_bytes()[1..]),
                }
            }
            None if odds.probability > 0 => proofs.push(odds.proof),
            None => disproofs.insert(0, odds.disproof),
        }
    }
    bits.push_str(&format!("{:011b}", record.leaf_eval + 512));
    for numbers in [proofs, disproofs] {
        bytes.extend(numbers.first());
        for pair in numbers.windows(2) {
            bits.push_str(&"0".repeat((pair[1] - pair[0]).into()));
            bits.push('1');
        }
    }
    let digits: Vec<char> = bits.chars().collect();
    bytes.extend(digits.chunks(8).map(|digits| {
        let byte: String = digits.iter().collect();
        u8::from_str_radix(&format!("{byte:0<8}"), 2).unwrap()
    }));
    let size = size(bytes.len());
    bytes.resize(size, 0);
    bytes
}

/// Five squares to a byte, from a1.
fn board(player: u64, opponent: u64) -> Vec<u8> {
    let digit = |square: u32| match 63 - square {
        bit if player >> bit & 1 != 0 => 1,
        bit if opponent >> bit & 1 != 0 => 2,
        _ => 0,
    };
    let squares: Vec<u8> = (0..64).map(digit).collect();
    let byte = |squares: &[u8]| squares.iter().rev().fold(0, |byte, digit| 3 * byte + digit);
    squares.chunks(5).map(byte).collect()
}

/// The size of the records in the file for a record of this many bytes.
fn size(bytes: usize) -> usize {
    match bytes {
        ..=246 => bytes,
        _ => {
            let mut size = 486;
            while size < bytes {
                size *= 2;
            }
            size
        }
    }
}

/// The byte of the index that stands for a size.
pub fn byte_of(size: usize) -> u8 {
    match size {
        ..=4 => 1,
        5..=246 => size as u8 - 3,
        _ => 243 + (size / 243).ilog2() as u8,
    }
}

/// Writes a folder with these records. They are not in the buckets where Sensei would look for them.
pub fn write(folder: &Path, records: &[Record]) {
    let mut files: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
    let mut buckets = Vec::new();
    for record in records {
        let bytes = encode(record);
        let size = bytes.len();
        let file = files.entry(size).or_insert_with(|| vec![0; size]);
        buckets.push(((file.len() / size) as u32, byte_of(size)));
        file.extend(bytes);
    }
    buckets.resize(8.max(3 * records.len()), (0, 0));
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("index.sen"), index(&buckets)).unwrap();
    for (size, file) in files {
        fs::write(folder.join(format!("value_{size}.val")), file).unwrap();
    }
}

/// An index with these buckets.
pub fn index(buckets: &[(u32, u8)]) -> Vec<u8> {
    let used = buckets.iter().filter(|(_, byte)| *byte != 0).count();
    let counts = [buckets.len(), used].map(|count| (count as u64).to_le_bytes());
    let mut index = counts.concat();
    for (number, byte) in buckets {
        index.extend(number.to_le_bytes());
        index.push(*byte);
    }
    index
}

/// The record of the position after these moves.
pub fn record(line: &str, is_leaf: bool, lower: i8, upper: i8, chances: (i8, &[u8])) -> Record {
    let line: Line = line.parse().unwrap();
    let board = line.board().canonical().board();
    let (first, chances) = chances;
    let (last_1, first_0) = (first - 2, first + 2 * chances.len() as i8);
    Record {
        player: board.player(),
        opponent: board.opponent(),
        fathers: vec![0x1234],
        visited: 5e7,
        lower,
        upper,
        last_1,
        first_0,
        is_leaf,
        leaf_eval: 8 * i16::from(first - 1),
        odds: odds(lower, upper, last_1, first_0, chances),
    }
}

/// A small book: the first moves, with made-up numbers.
pub fn small() -> Vec<Record> {
    vec![
        record("", false, -64, 64, (1, &[])),
        record("f5", false, -64, 64, (-1, &[200, 50])),
        record("f5d6", true, -64, 64, (-1, &[205, 55])),
        record("f5f6", true, -64, 64, (1, &[240, 190, 20])),
        record("f5f4", true, 2, 64, (5, &[128])),
    ]
}
