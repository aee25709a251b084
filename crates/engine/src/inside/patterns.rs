//! Patterns: sets of squares whose contents the evaluator looks up.
//!
//! Each pattern has four or eight images under the symmetries of the board; each image is a feature. The contents of a feature
//! are a number with a ternary digit for each of its squares: 0 for empty, 1 and 2 for the sides. The search updates all features
//! of a position from move to move by adding and subtracting powers of three.

use obook_othello::{Square, Symmetry};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The squares of each pattern in one of its images. The first square is the highest digit.
const PATTERNS: [&[&str]; 12] = [
    &["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"],
    &["a1", "b1", "c1", "d1", "a2", "b2", "c2", "a3", "b3", "a4"],
    &["a1", "b1", "c1", "d1", "e1", "a2", "b2", "c2", "d2", "e2"],
    &["b2", "a1", "b1", "c1", "d1", "e1", "f1", "g1", "h1", "g2"],
    &["a1", "c1", "d1", "c2", "d2", "e2", "f2", "e1", "f1", "h1"],
    &["a2", "b2", "c2", "d2", "e2", "f2", "g2", "h2"],
    &["a3", "b3", "c3", "d3", "e3", "f3", "g3", "h3"],
    &["a4", "b4", "c4", "d4", "e4", "f4", "g4", "h4"],
    &["a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8"],
    &["a2", "b3", "c4", "d5", "e6", "f7", "g8"],
    &["a3", "b4", "c5", "d6", "e7", "f8"],
    &["a4", "b5", "c6", "d7", "e8"],
];

/// The number of features of a position.
pub(crate) const FEATURES: usize = 50;

/// The space for features, a whole number of vector registers.
const ROOM: usize = 64;

/// The contents of all features of a position. The discs of one side have the digit 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub(crate) struct Contents([u16; ROOM]);

/// Tables derived from [`PATTERNS`].
pub(crate) struct Layout {
    /// The place value of each square in each feature.
    worth: Box<[[u16; ROOM]; 64]>,
    /// The start of each feature's pattern in the concatenated contents of all patterns.
    pub(crate) begin: [u32; FEATURES],
    /// For each contents of each pattern, the number of its weight. Mirror images share one.
    pub(crate) packed: Vec<u32>,
    /// For each contents of each pattern, the one with the sides exchanged.
    pub(crate) exchanged: Vec<u32>,
    /// The number of weights.
    pub(crate) weights: usize,
}

/// The layout.
pub(crate) static LAYOUT: LazyLock<Layout> = LazyLock::new(Layout::new);

impl Layout {
    fn new() -> Layout {
        let mut layout = Layout {
            worth: Box::new([[0; ROOM]; 64]),
            begin: [0; FEATURES],
            packed: Vec::new(),
            exchanged: Vec::new(),
            weights: 0,
        };
        let mut feature = 0;
        for pattern in PATTERNS {
            let squares = pattern.iter().map(|name| name.parse().expect("a square"));
            let squares: Vec<Square> = squares.collect();
            let begin = layout.packed.len() as u32;
            let mut places = BTreeSet::new();
            for symmetry in Symmetry::ALL {
                let place: Vec<Square> = squares.iter().map(|s| symmetry.square(*s)).collect();
                if places.insert(place.iter().map(|s| s.index()).collect::<BTreeSet<u8>>()) {
                    layout.begin[feature] = begin;
                    let mut worth = 1;
                    for square in place.iter().rev() {
                        layout.worth[usize::from(square.index())][feature] = worth;
                        worth *= 3;
                    }
                    feature += 1;
                }
            }
            layout.add_contents(&squares);
        }
        assert_eq!(feature, FEATURES);
        layout
    }

    /// Numbers the weights of a pattern.
    fn add_contents(&mut self, squares: &[Square]) {
        let begin = self.packed.len() as u32;
        // The symmetries that map the pattern to itself, as permutations of its squares.
        let mirror = |symmetry: Symmetry| {
            let place = |square: Square| squares.iter().position(|it| *it == square);
            squares.iter().map(|s| place(symmetry.square(*s))).collect()
        };
        let mirrors: Vec<Vec<usize>> = Symmetry::ALL.into_iter().filter_map(mirror).collect();
        let mut digits = vec![0u32; squares.len()];
        for content in 0..3u32.pow(squares.len() as u32) {
            let mut rest = content;
            for digit in digits.iter_mut().rev() {
                *digit = rest % 3;
                rest /= 3;
            }
            let image = |it: &Vec<usize>| it.iter().fold(0, |sum, at| 3 * sum + digits[*at]);
            let first = mirrors.iter().map(image).min().unwrap_or(content);
            let number = if first == content {
                self.weights += 1;
                self.weights as u32 - 1
            } else {
                self.packed[(begin + first) as usize]
            };
            self.packed.push(number);
            let exchanged = digits
                .iter()
                .fold(0, |sum, digit| 3 * sum + (3 - digit) % 3);
            self.exchanged.push(begin + exchanged);
        }
    }
}

impl Contents {
    /// The contents of a position. The side to move has the digit 1.
    pub(crate) fn new(player: u64, opponent: u64) -> Contents {
        let mut contents = Contents([0; ROOM]);
        for square in 0..64 {
            let digit = (player >> square & 1) as u16 + 2 * (opponent >> square & 1) as u16;
            for (content, worth) in contents.0.iter_mut().zip(&LAYOUT.worth[square]) {
                *content += digit * worth;
            }
        }
        contents
    }

    /// The contents after a disc on `square` that flips `flips`, placed by the side with digit 1, or with digit 2 if `second`.
    #[inline(always)]
    pub(crate) fn after(
        &self,
        layout: &Layout,
        square: usize,
        flips: u64,
        second: bool,
    ) -> Contents {
        let mut contents = *self;
        let placed = &layout.worth[square & 63];
        contents.add(placed);
        if second {
            contents.add(placed);
        }
        let mut rest = flips;
        while rest != 0 {
            let turned = &layout.worth[rest.trailing_zeros() as usize & 63];
            if second {
                contents.add(turned);
            } else {
                contents.subtract(turned);
            }
            rest &= rest - 1;
        }
        contents
    }

    #[inline(always)]
    fn add(&mut self, worth: &[u16; ROOM]) {
        for (content, worth) in self.0.iter_mut().zip(worth) {
            *content = content.wrapping_add(*worth);
        }
    }

    #[inline(always)]
    fn subtract(&mut self, worth: &[u16; ROOM]) {
        for (content, worth) in self.0.iter_mut().zip(worth) {
            *content = content.wrapping_sub(*worth);
        }
    }

    /// The index of each feature's contents in the concatenated contents of all patterns.
    #[inline(always)]
    pub(crate) fn indices(&self, layout: &Layout) -> [usize; FEATURES] {
        let mut indices = [0; FEATURES];
        for ((index, begin), content) in indices.iter_mut().zip(&layout.begin).zip(&self.0) {
            *index = *begin as usize + usize::from(*content);
        }
        indices
    }
}
