//! Zebra's hash of a board, by which its binary and text books name positions.

use obook_othello::{Square, Symmetry};
use std::collections::VecDeque;
use std::sync::LazyLock;

/// The hash of a board: what a [`Record`](super::Record) stores in place of it. Positions that differ only by a symmetry have the
/// same hash. The side to move isn't part of it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Hash(pub i32, pub i32);

impl Hash {
    /// Returns the hash of a board, and the symmetry that turns it to the orientation of the book, in which the book states
    /// moves.
    ///
    /// ```
    /// use obook_converters::zebra::Hash;
    /// use obook_othello::Board;
    /// let (hash, _) = Hash::of(Board::START.player(), Board::START.opponent());
    /// assert_eq!(hash, Hash(1_367_877_565, 1_384_641_267));
    /// ```
    #[must_use]
    pub fn of(black: u64, white: u64) -> (Hash, Symmetry) {
        let (blacks, whites) = (Symmetry::all_bits(black), Symmetry::all_bits(white));
        let images = ORDER.map(|place| (raw(blacks[place], whites[place]), place));
        let least = images.into_iter().min_by_key(|(hash, _)| *hash);
        let (Hash(one, two), best) = least.expect("there are eight images");
        let hash = Hash(one.wrapping_abs(), two.wrapping_abs());
        (hash, Symmetry::ALL[best])
    }
}

/// Zebra's order of the symmetries, as places in [`Symmetry::ALL`]. Of equal images the first counts.
const ORDER: [usize; 8] = [0, 2, 3, 1, 4, 5, 7, 6];

/// The hash of one image.
fn raw(black: u64, white: u64) -> Hash {
    let (mut one, mut two) = (0, 0);
    let rows = black.to_le_bytes().into_iter().zip(white.to_le_bytes());
    for (numbers, (black, white)) in NUMBERS.iter().zip(rows) {
        let Hash(a, b) = numbers[pattern(black, white)];
        one ^= a;
        two ^= b;
    }
    Hash(one, two)
}

/// The number of patterns of a row.
const PATTERNS: usize = 3usize.pow(8);

/// A row as a number in base three: 1 is a black disc, 2 a white one, the a-file comes first.
fn pattern(black: u8, white: u8) -> usize {
    usize::from(POWERS[usize::from(black)]) + 2 * usize::from(POWERS[usize::from(white)])
}

/// The sum of 3^k over the bits k of a byte.
const POWERS: [u16; 256] = {
    let mut powers = [0; 256];
    let mut byte = 1;
    while byte < 256 {
        // Without its highest bit, a byte comes before itself.
        let high = (byte as u32).ilog2();
        powers[byte] = powers[byte ^ 1 << high] + 3u16.pow(high);
        byte += 1;
    }
    powers
};

/// The random numbers for each row and pattern.
static NUMBERS: LazyLock<[Box<[Hash]>; 8]> = LazyLock::new(|| {
    let mut random = random();
    let mut signed = || {
        let is_positive = random() & 1 == 1;
        let number = random();
        if is_positive { number } else { -number }
    };
    let mut numbers: [Box<[Hash]>; 8] =
        std::array::from_fn(|_| vec![Hash::default(); PATTERNS].into());
    for hash in numbers.iter_mut().flatten() {
        hash.0 = signed();
    }
    for hash in numbers.iter_mut().flatten() {
        hash.1 = signed();
    }
    numbers
});

/// The generator `random()` of BSD with the seed 0: of the sums of the numbers 31 and 3 places before, it gives all but the lowest bit.
fn random() -> impl FnMut() -> i32 {
    let next = |seed: &u32| Some(seed.wrapping_mul(1_103_515_245).wrapping_add(12_345));
    let seeds = std::iter::successors(Some(0), next);
    let mut last: VecDeque<u32> = seeds.take(31).collect();
    last.rotate_left(3);
    let mut random = move || {
        let sum = last[0].wrapping_add(last[28]);
        last.pop_front();
        last.push_back(sum);
        (sum >> 1).cast_signed()
    };
    for _ in 0..310 {
        random();
    }
    random
}

/// The square that a book's number means: 10 × row + column, both from 1.
pub(super) fn square(number: i16) -> Option<Square> {
    let (row, column) = (number / 10, number % 10);
    let inside = (1..=8).contains(&row) && (1..=8).contains(&column);
    inside.then(|| Square::new((8 * (row - 1) + column - 1) as u8))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use obook_othello::{Line, Side};

    #[test]
    fn the_generator_is_that_of_bsd() {
        let mut random = random();
        let first = [(); 4].map(|()| random());
        assert_eq!(
            first,
            [1_990_395_451, 1_950_343_301, 404_384_196, 1_972_190_027]
        );
        let first: Vec<i32> = NUMBERS[0][..3].iter().map(|hash| hash.0).collect();
        assert_eq!(first, [1_950_343_301, -1_972_190_027, -153_545_033]);
        let last = PATTERNS - 1;
        assert_eq!(NUMBERS[7][last], Hash(1_895_642_012, -1_228_966_614));
        assert_eq!(NUMBERS[0][0].1, -780_540_514);
    }

    /// Hashes that Zebra computed.
    #[test]
    fn known_positions_have_their_hash() {
        let expected = [
            ("", 1_367_877_565, 1_384_641_267, 1),
            ("f5", 1_432_552_204, 801_822_288, 5),
            ("f5d6", 1_851_744_936, 1_258_123_872, 0),
            ("f5d6c3", 1_995_256_211, 1_287_239_790, 4),
            ("f5d6c3d3c4", 1_497_408_290, 1_946_403_171, 3),
            // Black moves again after a pass.
            (
                "d3c3c4e3d2c1f4g5f3g3e2e1c2c5d1",
                1_358_506_462,
                2_131_792_887,
                0,
            ),
        ];
        for (line, one, two, orientation) in expected {
            let line: Line = line.parse().unwrap();
            let (board, side) = (line.board(), line.side());
            let (black, white) = match side {
                Side::Black => (board.player(), board.opponent()),
                Side::White => (board.opponent(), board.player()),
            };
            let (hash, symmetry) = Hash::of(black, white);
            assert_eq!(hash, Hash(one, two), "{line}");
            assert_eq!(symmetry, Symmetry::ALL[ORDER[orientation]], "{line}");
        }
    }

    #[test]
    fn symmetric_boards_have_one_hash() {
        let board = "f5d6c3d3c4".parse::<Line>().unwrap().board();
        let expected = Hash::of(board.player(), board.opponent());
        let oriented = expected.1.board(board);
        for symmetry in Symmetry::ALL {
            let turned = symmetry.board(board);
            let (hash, symmetry) = Hash::of(turned.player(), turned.opponent());
            assert_eq!((hash, symmetry.board(turned)), (expected.0, oriented));
        }
    }

    #[test]
    fn squares_have_two_digits() {
        let squares: Vec<String> = [11, 18, 81, 88, 56]
            .into_iter()
            .map(|number| square(number).unwrap().to_string())
            .collect();
        assert_eq!(squares, ["a1", "h1", "a8", "h8", "f5"]);
        for number in [i16::MIN, -11, 0, 1, 10, 19, 20, 80, 89, 91, i16::MAX] {
            assert_eq!(square(number), None, "{number}");
        }
    }
}
