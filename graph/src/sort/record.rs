//! A position in few bytes: what waits in memory and in temporary files.
//!
//! Ten million positions as structs are a gigabyte; packed they are a third of that. The encoding is private to one
//! process: nothing reads it that did not write it.
//!
//! Only a graph has another one, in columns: what its builder gathers goes into them as it is, where packed records would
//! be taken apart once more.

use obook_model::{Bounds, Engine, Leaf, Link, NoLeaf, Outcomes, Position};
use obook_othello::{CanonicalBoard, Move};

const HAS_VALUE: u8 = 1;
const HAS_BOUNDS: u8 = 2;
const HAS_LEVEL: u8 = 4;
const HAS_OUTCOMES: u8 = 8;
const HAS_LINES: u8 = 16;
const HAS_LEAF: u8 = 32;
const HAS_LEAF_LEVEL: u8 = 64;

/// Set on a link's move when a score follows. Moves need only 0–64.
const HAS_SCORE: u8 = 128;
/// Stands for the missing move of a finished game's leaf.
const NO_MOVE: u8 = 65;
/// Stand for the move of a leaf that is missing, where something is said of it.
const ALL_MOVES_IN_BOOK: u8 = 66;
const UNDEFINED: u8 = 67;
/// A byte that needs only the numbers below this says an engine too: its place among all of them, times this.
const PER_ENGINE: u8 = 85;

/// Appends `position`, its board's key first.
pub(super) fn pack(position: &Position, out: &mut Vec<u8>) {
    out.extend_from_slice(&position.board.to_key());
    let flag = |present: bool, flag: u8| if present { flag } else { 0 };
    out.push(
        flag(position.value.is_some(), HAS_VALUE)
            | flag(position.bounds.is_some(), HAS_BOUNDS)
            | flag(position.level.is_some(), HAS_LEVEL)
            | flag(position.outcomes.is_some(), HAS_OUTCOMES)
            | flag(position.lines.is_some(), HAS_LINES)
            | flag(
                position.leaf.is_some() || position.no_leaf.is_some(),
                HAS_LEAF,
            )
            | flag(
                position.leaf.is_some_and(|leaf| leaf.level.is_some()),
                HAS_LEAF_LEVEL,
            ),
    );
    if let Some(value) = position.value {
        out.extend_from_slice(&value.to_le_bytes());
    }
    if let Some(Bounds { lower, upper }) = position.bounds {
        out.extend_from_slice(&lower.to_le_bytes());
        out.extend_from_slice(&upper.to_le_bytes());
    }
    out.extend(position.level);
    if let Some(Outcomes {
        wins,
        draws,
        losses,
    }) = position.outcomes
    {
        for count in [wins, draws, losses] {
            out.extend_from_slice(&count.to_le_bytes());
        }
    }
    if let Some(lines) = position.lines {
        out.extend_from_slice(&lines.to_le_bytes());
    }
    if let Some(leaf) = position.leaf {
        out.extend_from_slice(&[
            with_engine(leaf.mv.map_or(NO_MOVE, Move::code), leaf.engine),
            leaf.score.cast_unsigned(),
        ]);
        out.extend(leaf.level);
    } else if let Some(no_leaf) = position.no_leaf {
        let code = match no_leaf {
            NoLeaf::AllMovesInBook => ALL_MOVES_IN_BOOK,
            NoLeaf::Undefined => UNDEFINED,
        };
        out.extend_from_slice(&[code, 0]);
    }
    out.push(with_engine(position.links.len() as u8, position.engine));
    for link in &position.links {
        out.push(link.mv.code() | flag(link.score.is_some(), HAS_SCORE));
        out.extend(link.score.map(i8::cast_unsigned));
    }
}

/// How many bytes the position at the head of `bytes` takes.
pub(super) fn packed_len(bytes: &[u8]) -> usize {
    let flags = bytes[16];
    let size = |flag: u8, size: usize| if flags & flag != 0 { size } else { 0 };
    let links = 17
        + size(HAS_VALUE, 2)
        + size(HAS_BOUNDS, 4)
        + size(HAS_LEVEL, 1)
        + size(HAS_OUTCOMES, 12)
        + size(HAS_LINES, 4)
        + size(HAS_LEAF, 2)
        + size(HAS_LEAF_LEVEL, 1);
    let mut end = links + 1;
    for _ in 0..bytes[links] % PER_ENGINE {
        end += if bytes[end] & HAS_SCORE != 0 { 2 } else { 1 };
    }
    end
}

/// The board of the position at the head of `bytes`.
pub(super) fn packed_board(bytes: &[u8]) -> CanonicalBoard {
    Cursor { bytes, at: 0 }.board()
}

/// The position at the head of `bytes`, and how many bytes it took.
pub(super) fn unpack(bytes: &[u8]) -> (Position, usize) {
    let mut cursor = Cursor { bytes, at: 0 };
    let board = cursor.board();
    let [flags] = cursor.take();
    let has = |flag: u8| flags & flag != 0;
    let mut position = Position::new(board, Engine::Edax);
    if has(HAS_VALUE) {
        position.value = Some(i16::from_le_bytes(cursor.take()));
    }
    if has(HAS_BOUNDS) {
        let lower = i16::from_le_bytes(cursor.take());
        position.bounds = Some(Bounds {
            lower,
            upper: i16::from_le_bytes(cursor.take()),
        });
    }
    if has(HAS_LEVEL) {
        let [level] = cursor.take();
        position.level = Some(level);
    }
    if has(HAS_OUTCOMES) {
        let [wins, draws, losses] =
            [cursor.take(), cursor.take(), cursor.take()].map(u32::from_le_bytes);
        position.outcomes = Some(Outcomes {
            wins,
            draws,
            losses,
        });
    }
    if has(HAS_LINES) {
        position.lines = Some(u32::from_le_bytes(cursor.take()));
    }
    if has(HAS_LEAF) {
        let [code, score] = cursor.take();
        let level = has(HAS_LEAF_LEVEL).then(|| cursor.take::<1>()[0]);
        let (code, engine) = and_engine(code);
        match code {
            ALL_MOVES_IN_BOOK => position.no_leaf = Some(NoLeaf::AllMovesInBook),
            UNDEFINED => position.no_leaf = Some(NoLeaf::Undefined),
            _ => {
                position.leaf = Some(Leaf {
                    mv: Move::from_code(code),
                    score: score.cast_signed(),
                    level,
                    engine,
                });
            }
        }
    }
    let [links] = cursor.take();
    let (links, engine) = and_engine(links);
    position.engine = engine;
    for _ in 0..links {
        let [code] = cursor.take();
        let score = (code & HAS_SCORE != 0).then(|| cursor.take::<1>()[0].cast_signed());
        let mv = Move::from_code(code & !HAS_SCORE).expect("packed by pack()");
        position.links.push(Link { mv, score });
    }
    (position, cursor.at)
}

/// The positions that were packed one after another into `bytes`.
pub(super) struct Packed<B> {
    bytes: B,
    at: usize,
}

impl<B> Packed<B> {
    pub(super) fn new(bytes: B) -> Packed<B> {
        Packed { bytes, at: 0 }
    }
}

impl<B: AsRef<[u8]>> Iterator for Packed<B> {
    type Item = Position;

    fn next(&mut self) -> Option<Position> {
        let rest = &self.bytes.as_ref()[self.at..];
        if rest.is_empty() {
            return None;
        }
        let (position, length) = unpack(rest);
        self.at += length;
        Some(position)
    }
}

fn with_engine(number: u8, engine: Engine) -> u8 {
    number + (engine.code() - 1) * PER_ENGINE
}

/// What [`with_engine`] put together.
fn and_engine(byte: u8) -> (u8, Engine) {
    let engine = Engine::ALL[usize::from(byte / PER_ENGINE)];
    (byte % PER_ENGINE, engine)
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn board(&mut self) -> CanonicalBoard {
        CanonicalBoard::from_trusted_key(self.take())
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let taken = self.bytes[self.at..self.at + N]
            .try_into()
            .expect("N bytes");
        self.at += N;
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use obook_othello::Board;
    use proptest::prelude::*;

    fn position() -> impl Strategy<Value = Position> {
        use proptest::option::of;
        let moves = || (0u8..=64).prop_map(|code| Move::from_code(code).expect("a move"));
        let links = proptest::collection::vec((moves(), of(any::<i8>())), 0..40);
        let engine = || prop::sample::select(&Engine::ALL[..]);
        let leaf = of((of(moves()), any::<i8>(), of(any::<u8>()), engine()));
        let no_leaf = of(prop::sample::select(&NoLeaf::ALL[..]));
        (
            (any::<u64>(), any::<u64>(), engine()),
            (of(any::<i16>()), of(any::<(i16, i16)>()), of(any::<u8>())),
            (of(any::<(u32, u32, u32)>()), of(any::<u32>())),
            links,
            (leaf, no_leaf),
        )
            .prop_map(
                |(
                    (player, opponent, engine),
                    (value, bounds, level),
                    (outcomes, lines),
                    links,
                    (leaf, no_leaf),
                )| {
                    let board = Board::new(player, opponent & !player)
                        .expect("no overlap")
                        .canonical();
                    Position {
                        value,
                        bounds: bounds.map(|(lower, upper)| Bounds { lower, upper }),
                        level,
                        outcomes: outcomes.map(|(wins, draws, losses)| Outcomes {
                            wins,
                            draws,
                            losses,
                        }),
                        lines,
                        links: links
                            .into_iter()
                            .map(|(mv, score)| Link { mv, score })
                            .collect(),
                        leaf: leaf.map(|(mv, score, level, engine)| Leaf {
                            mv,
                            score,
                            level,
                            engine,
                        }),
                        no_leaf: no_leaf.filter(|_| leaf.is_none()),
                        ..Position::new(board, engine)
                    }
                },
            )
    }

    proptest! {
        #[test]
        fn unpacks_what_was_packed(first in position(), second in position()) {
            let mut bytes = Vec::new();
            pack(&first, &mut bytes);
            let end = bytes.len();
            pack(&second, &mut bytes);
            prop_assert_eq!(packed_len(&bytes), end);
            prop_assert_eq!(unpack(&bytes), (first, end));
            prop_assert_eq!(unpack(&bytes[end..]), (second, bytes.len() - end));
        }
    }
}
