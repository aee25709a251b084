//! A record of a value file.

use super::scale;
use crate::Fault;
use crate::check::Checker;
use crate::claim::without_searched_move;
use obook_othello::levels::{MAX_LEVEL, of_visits};
use obook_othello::{Engine, Forecast, Goal, Position, Proof};

/// The largest score.
const MOST: i8 = 64;
/// The bytes of a board.
const BOARD: usize = 13;
/// The eighths of a disc that are added to a score before it is stored.
const OFFSET: u16 = 64 * EIGHTHS;
const EIGHTHS: u16 = 8;
/// The bits of a score.
const SCORE_BITS: u32 = 11;
/// A chance that is believed to be 1.
const SURE: u8 = u8::MAX;
/// A number of positions that are never enough.
const NEVER: u8 = u8::MAX;

/// A position exactly as a value file stores it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Record {
    /// The discs of the side to move.
    pub player: u64,
    /// The discs of the other side.
    pub opponent: u64,
    /// The moves that lead here, each as 22 bits.
    pub fathers: Vec<u32>,
    /// The number of positions visited for this one so far.
    pub visited: f32,
    /// The score is proven to be at least this.
    pub lower: i8,
    /// The score is proven to be at most this.
    pub upper: i8,
    /// The highest goal that is believed to be reached, or `lower` − 1.
    pub last_1: i8,
    /// The lowest goal that is believed to be missed, or `upper` + 1.
    pub first_0: i8,
    /// Whether its moves have not been looked at.
    pub is_leaf: bool,
    /// The score, in eighths of a disc.
    pub leaf_eval: i16,
    /// All goals between `lower` and `upper`, lowest first.
    pub odds: Vec<Odds>,
}

/// The statement of a record about a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Odds {
    /// The score to exceed.
    pub goal: i8,
    /// The probability, on its scale.
    pub probability: u8,
    /// The proof number, on its scale.
    pub proof: u8,
    /// The disproof number, on its scale.
    pub disproof: u8,
    /// By how much the probability is expected to change, in −1/100 of a logarithm; `None` for what is believed.
    pub derivative: Option<u32>,
}

/// Why bytes are no record.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// The record ends too early.
    #[error("the record ends too early")]
    Short,
    /// A byte isn't what is expected there.
    #[error("expected {expected}")]
    Byte {
        /// The expected content.
        expected: &'static str,
    },
    /// The board is impossible.
    #[error(transparent)]
    Board(Fault),
}

impl Record {
    /// Reads a record that takes up all of `bytes`.
    ///
    /// # Errors
    /// Returns [`Unreadable`] if the bytes are no record of this length.
    pub fn parse(bytes: &[u8]) -> Result<Record, Unreadable> {
        let mut rest = Bytes(bytes);
        let (player, opponent) = board(rest.take::<BOARD>()?)?;
        let fathers = fathers(&mut rest)?;
        let visited = f32::from_le_bytes(rest.take()?);
        let is_number = visited.is_finite() && visited >= 0.0;
        expect(is_number, "a number of positions")?;
        let [lower, upper, last_1, first_0, leaf] = rest.take()?.map(u8::cast_signed);
        let in_order = -MOST <= lower && lower <= upper && upper <= MOST;
        let are_scores = in_order && lower % 2 == 0 && upper % 2 == 0;
        expect(are_scores, "two even scores, the lower one first")?;
        let in_order = lower - 1 <= last_1 && last_1 < first_0 && first_0 <= upper + 1;
        let are_goals = in_order && last_1 % 2 != 0 && first_0 % 2 != 0;
        expect(are_goals, "two odd goals between the scores")?;
        expect(leaf == 0 || leaf == 1, "0 or 1 for a leaf")?;
        let mut record = Record {
            player,
            opponent,
            fathers,
            visited,
            lower,
            upper,
            last_1,
            first_0,
            is_leaf: leaf == 1,
            ..Record::default()
        };
        let between = goals(last_1 + 2, first_0 - 2);
        let between = between.map(|goal| open(goal, &mut rest));
        let between = between.collect::<Result<Vec<_>, _>>()?;
        let mut first = |goal: Option<i8>| goal.map(|_| rest.byte()).transpose();
        let proof = first(record.believed().next())?;
        let disproof = first(record.disbelieved().next())?;
        let mut bits = Bits {
            bytes: rest.0,
            at: 0,
        };
        let score = bits.number(SCORE_BITS)?;
        expect(score <= 2 * OFFSET, "a score of −64 to 64 discs")?;
        record.leaf_eval = score.cast_signed() - OFFSET.cast_signed();
        let odds = |goal, probability, proof, disproof| Odds {
            goal,
            probability,
            proof,
            disproof,
            derivative: None,
        };
        let believed = rising(record.believed(), proof, &mut bits)?.into_iter();
        let believed = believed.map(|(goal, proof)| odds(goal, SURE, proof, NEVER));
        let disbelieved = rising(record.disbelieved(), disproof, &mut bits)?.into_iter();
        let disbelieved = disbelieved.map(|(goal, disproof)| odds(goal, 0, NEVER, disproof));
        let used = bytes.len() - bits.left();
        let is_sized = used == bytes.len() || used > smaller(bytes.len());
        expect(is_sized, "a record of this size")?;
        expect(bits.are_done(), "zeros up to the end of the record")?;
        record.odds = believed.chain(between).chain(disbelieved.rev()).collect();
        Ok(record)
    }

    /// The goals that are believed to be reached, lowest first.
    fn believed(&self) -> impl Iterator<Item = i8> + use<> {
        goals(self.lower + 1, self.last_1)
    }

    /// The goals that are believed to be missed, highest first.
    fn disbelieved(&self) -> impl Iterator<Item = i8> + use<> {
        goals(self.first_0, self.upper - 1).rev()
    }

    /// The final scores that are thought possible.
    #[must_use]
    pub fn forecast(&self) -> Forecast {
        let (lower, two) = (f64::from(self.lower), 2.0);
        // The mean of the score, and of its square.
        let (mut expected, mut square) = (lower, lower * lower);
        for odds in &self.odds {
            let probability = scale::probability(odds.probability);
            expected += two * probability;
            // (goal + 1)² − (goal − 1)²
            square += two * two * f64::from(odds.goal) * probability;
        }
        let open = self.odds.iter().filter(|odds| odds.derivative.is_some());
        let goal = |odds: &Odds| Goal {
            goal: odds.goal,
            probability: scale::probability(odds.probability),
            proof: scale::positions(odds.proof),
            disproof: scale::positions(odds.disproof),
        };
        Forecast {
            expected,
            spread: (square - expected * expected).max(0.0).sqrt(),
            score: f64::from(self.leaf_eval) / f64::from(EIGHTHS),
            visited: self.visited.into(),
            goals: open.map(goal).collect(),
        }
    }

    /// Turns the record into a position on its canonical board.
    ///
    /// # Errors
    /// Returns a [`Fault`] if no game has the board.
    pub fn check(&self) -> Result<Position, Fault> {
        let checker = Checker::new(self.player, self.opponent)?;
        let mut position = Position::new(checker.canonical, Engine::Sensei);
        position.proof = Proof::new(self.lower, self.upper, Engine::Sensei);
        position.value = Some(self.forecast().expected.round_ties_even() as i16);
        position.level = Some(match self.is_solved() {
            true => MAX_LEVEL,
            false => of_visits(self.visited),
        });
        without_searched_move(&mut position, self.is_leaf.then_some(false));
        Ok(position)
    }

    /// Whether the score is proven.
    pub(super) fn is_solved(&self) -> bool {
        self.lower == self.upper
    }

    /// Whether anything is proven of the score.
    pub(super) fn is_bounded(&self) -> bool {
        self.lower > -MOST || self.upper < MOST
    }
}

/// The largest size below this one, of those that have room to spare.
fn smaller(size: usize) -> usize {
    const LAST_EXACT: usize = 246;
    match size {
        ..=LAST_EXACT => size,
        _ => (size / 2).max(LAST_EXACT),
    }
}

fn expect(right: bool, expected: &'static str) -> Result<(), Unreadable> {
    match right {
        true => Ok(()),
        false => Err(Unreadable::Byte { expected }),
    }
}

/// The odd numbers from one to another.
fn goals(from: i8, to: i8) -> impl DoubleEndedIterator<Item = i8> {
    let count = (i16::from(to) - i16::from(from)) / 2 + 1;
    (0..count).map(move |place| (i16::from(from) + 2 * place) as i8)
}

/// Five squares to a byte, from a1, in base 3.
fn board(bytes: [u8; BOARD]) -> Result<(u64, u64), Unreadable> {
    let (mut player, mut opponent) = (0, 0);
    let mut squares = (0..u64::BITS).rev();
    for mut byte in bytes {
        for square in squares.by_ref().take(5) {
            match byte % 3 {
                1 => player |= 1 << square,
                2 => opponent |= 1 << square,
                _ => {}
            }
            byte /= 3;
        }
        expect(byte == 0, "squares in base 3")?;
    }
    Checker::new(player, opponent).map_err(Unreadable::Board)?;
    Ok((player, opponent))
}

/// The list of fathers. A pass that comes last in it can't be told from its end.
fn fathers(rest: &mut Bytes<'_>) -> Result<Vec<u32>, Unreadable> {
    const MORE: u32 = 1;
    const UNUSED: u32 = 2;
    let mut fathers = Vec::new();
    loop {
        let [low, middle, high] = rest.take()?;
        let father = u32::from_le_bytes([low, middle, high, 0]);
        expect(father & UNUSED == 0, "fathers")?;
        if father == 0 {
            return Ok(fathers);
        }
        fathers.push(father >> 2);
        if father & MORE == 0 {
            return Ok(fathers);
        }
    }
}

/// A goal that is neither believed nor disbelieved.
fn open(goal: i8, rest: &mut Bytes<'_>) -> Result<Odds, Unreadable> {
    const LONG: u8 = 0x80;
    let [probability, proof, disproof, first, second] = rest.take()?;
    let mut derivative = u32::from(first & !LONG) << 8 | u32::from(second);
    if first & LONG != 0 {
        derivative = derivative << 8 | u32::from(rest.byte()?);
    }
    let is_chance = 0 < probability && probability < SURE;
    expect(is_chance, "a chance between 0 and 1")?;
    Ok(Odds {
        goal,
        probability,
        proof,
        disproof,
        derivative: Some(derivative),
    })
}

/// Goals with a number that grows from one to the next: by as much as there are zeros before the next one.
fn rising(
    goals: impl Iterator<Item = i8>,
    first: Option<u8>,
    bits: &mut Bits<'_>,
) -> Result<Vec<(i8, u8)>, Unreadable> {
    let mut number = first.unwrap_or(0);
    let mut rising = Vec::new();
    for (place, goal) in goals.enumerate() {
        if place > 0 {
            while !bits.bit()? {
                expect(number < u8::MAX, "a proof number of one byte")?;
                number += 1;
            }
        }
        rising.push((goal, number));
    }
    Ok(rising)
}

/// The rest of a record.
struct Bytes<'b>(&'b [u8]);

impl Bytes<'_> {
    fn take<const LEN: usize>(&mut self) -> Result<[u8; LEN], Unreadable> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Unreadable::Short)?;
        self.0 = rest;
        Ok(*taken)
    }

    fn byte(&mut self) -> Result<u8, Unreadable> {
        self.take().map(|[byte]| byte)
    }
}

/// The bits of the rest of a record, from the highest of each byte.
struct Bits<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Bits<'_> {
    fn bit(&mut self) -> Result<bool, Unreadable> {
        let byte = self.bytes.get(self.at / 8).ok_or(Unreadable::Short)?;
        let bit = byte << (self.at % 8) & 0x80 != 0;
        self.at += 1;
        Ok(bit)
    }

    fn number(&mut self, bits: u32) -> Result<u16, Unreadable> {
        (0..bits).try_fold(0, |number, _| Ok(number << 1 | u16::from(self.bit()?)))
    }

    /// The number of bytes that were not begun.
    fn left(&self) -> usize {
        self.bytes.len() - self.at.div_ceil(8)
    }

    /// Whether only zeros follow.
    fn are_done(mut self) -> bool {
        std::iter::from_fn(|| self.bit().ok()).all(|bit| !bit)
    }
}
