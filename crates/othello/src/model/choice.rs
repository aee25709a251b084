//! Rules that choose a move of a book, including those of the engines.

use crate::{Board, CanonicalBoard, Move, Position};
use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

/// A rule that chooses a move of a book's position.
///
/// Of moves that the board's own symmetry makes the same, each can be chosen, as in the engines; only [`MoveRule::Best`] takes
/// the one that people write.
///
/// ```
/// use obook_othello::{Board, Engine, Leaf, Line, Link, MoveRule, Position};
///
/// let board = "f5".parse::<Line>()?.board();
/// let (canonical, to_key) = board.canonicalize();
/// let mut position = Position::new(canonical, Engine::Edax);
/// for (mv, score) in [("d6", 1), ("f6", 0), ("f4", -8)] {
///     position.links.push(Link { mv: to_key.play(mv.parse()?), score: Some(score) });
/// }
/// position.value = Some(1);
///
/// let rule: MoveRule = "loss:2".parse()?;
/// let chances = rule.chances(&position, board);
/// assert_eq!(chances.len(), 2);
/// assert_eq!(chances[0].mv.to_string(), "d6");
/// assert_eq!(chances[0].chance, 0.5);
/// assert_eq!(rule.choose(&position, board, 7), rule.choose(&position, board, 7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum MoveRule {
    /// The best move; of equal moves a link, then the first in the order of [`Board::place_of`].
    #[default]
    Best,
    /// Any move at most this many discs worse than the best one, all with the same chance.
    Loss(u8),
    /// Edax's `book-randomness`: any move at most this many discs worse than the value of the position, all with the same
    /// chance. If the position has no value, as [`MoveRule::Loss`].
    Edax(u8),
    /// Egaroucid's book accuracy level, 0 (best) to 10. Only links count. With b discs for the best of them, those from
    /// b − 2·level on can be chosen; the weight of one with s discs is ((e^(s − b) + 1.5) / 3)^(10 − level). If the best link
    /// is more than 8 discs worse than the position, there is no choice.
    Egaroucid(u8),
}

/// A move with the chance that a rule chooses it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chance {
    /// The move, in the orientation of the given board.
    pub mv: Move,
    /// Its score for the side to move, in discs.
    pub score: i8,
    /// Whether it leads out of the book.
    pub is_leaf: bool,
    /// The position that it leads to.
    pub child: CanonicalBoard,
    /// The chance, more than 0 and at most 1.
    pub chance: f64,
}

/// The maximum loss of [`MoveRule::Loss`] and [`MoveRule::Edax`]: from 64 to −64.
const MOST_LOSS: u8 = 128;
/// Egaroucid's highest level.
const MOST_LEVEL: u8 = 10;
/// The most that Egaroucid's best link may lose, in discs.
const MOST_LOSS_OF_LINKS: i16 = 8;

impl MoveRule {
    /// The moves that the rule can choose, best first, with their chances, which add up to 1. There are none if the position
    /// has no move with a score, or none that the rule accepts.
    ///
    /// # Panics
    /// Panics if `position` is not the one of `board`.
    #[must_use]
    pub fn chances(self, position: &Position, board: Board) -> Vec<Chance> {
        let mut moves = candidates(position, board);
        let best = |moves: &[Chance]| moves.iter().map(|mv| i16::from(mv.score)).max();
        match self {
            MoveRule::Best => {
                moves.sort_by_key(|mv| (Reverse(mv.score), mv.is_leaf, board.place_of(mv.mv)));
                moves.truncate(1);
                moves
                    .iter_mut()
                    .for_each(|it| it.mv = board.conventional(it.mv));
            }
            MoveRule::Loss(loss) => {
                let best = best(&moves);
                moves.retain(|mv| best.is_some_and(|best| mv.is_from(best - i16::from(loss))));
            }
            MoveRule::Edax(loss) => {
                let value = position.value.or(best(&moves));
                moves.retain(|mv| value.is_some_and(|value| mv.is_from(value - i16::from(loss))));
            }
            MoveRule::Egaroucid(level) => {
                moves.retain(|mv| !mv.is_leaf);
                let least = position.value.map(|value| value - MOST_LOSS_OF_LINKS);
                let Some(best) = best(&moves).filter(|best| Some(*best) >= least) else {
                    return Vec::new();
                };
                moves.retain(|mv| mv.is_from(best - 2 * i16::from(level)));
                for mv in &mut moves {
                    let loss = f64::from(best - i16::from(mv.score));
                    let rest = MOST_LEVEL.saturating_sub(level);
                    mv.chance = (((-loss).exp() + 1.5) / 3.0).powi(rest.into());
                }
            }
        }
        let all: f64 = moves.iter().map(|mv| mv.chance).sum();
        moves.iter_mut().for_each(|mv| mv.chance /= all);
        moves
    }

    /// Chooses a move. The choice depends on the rule, the position and the seed alone, so one seed gives the same game again;
    /// in another orientation it is the same move, turned.
    ///
    /// # Panics
    /// Panics if `position` is not the one of `board`.
    #[must_use]
    pub fn choose(self, position: &Position, board: Board, seed: u64) -> Option<Chance> {
        let moves = self.chances(position, board);
        let drawn = drawn(seed, position.board);
        let mut below = 0.0;
        let chosen = moves.iter().find(|mv| {
            below += mv.chance;
            drawn < below
        });
        // The sum of the chances may be a rounding error below 1.
        chosen.or(moves.last()).copied()
    }
}

impl Chance {
    fn is_from(&self, least: i16) -> bool {
        i16::from(self.score) >= least
    }
}

/// The moves of a position that have a score, best first, each with weight 1. Their order doesn't depend on the orientation.
fn candidates(position: &Position, board: Board) -> Vec<Chance> {
    let (canonical, to_key) = board.canonicalize();
    assert_eq!(
        canonical, position.board,
        "the position is of another board"
    );
    let link_to = |child| {
        let mut links = position.links.iter();
        links.find(|link| position.board.child(link.mv) == Some(child))
    };
    let leaf_by = |mv| {
        let by = to_key.play(mv);
        position.leaf.filter(|leaf| leaf.mv == Some(by))
    };
    let candidate = |(mv, child): (Move, Board)| {
        let child = child.canonical();
        let (score, is_leaf) = match link_to(child) {
            Some(link) => (link.score?, false),
            None => (leaf_by(mv)?.score, true),
        };
        Some(Chance {
            mv,
            score,
            is_leaf,
            child,
            chance: 1.0,
        })
    };
    let mut moves: Vec<Chance> = board.children().filter_map(candidate).collect();
    moves.sort_by_key(|mv| (Reverse(mv.score), mv.is_leaf, mv.child));
    moves
}

/// A number from 0 to below 1 for each seed and board, spread evenly: the finalizer of SplitMix64 over their bits.
fn drawn(seed: u64, board: CanonicalBoard) -> f64 {
    let mix = |bits: u64| {
        let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    };
    let (player, opponent) = (board.board().player(), board.board().opponent());
    let mixed = mix(mix(mix(seed) ^ player) ^ opponent);
    (mixed >> 11) as f64 / (1_u64 << 53) as f64
}

/// A text that names no rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "expected a rule: best, loss:N or edax:N with 0 to {MOST_LOSS} discs, or egaroucid:N with a level from 0 to \
     {MOST_LEVEL}; found \"{}\"",
    .0.escape_debug()
)]
pub struct ParseRuleError(String);

impl FromStr for MoveRule {
    type Err = ParseRuleError;

    fn from_str(text: &str) -> Result<MoveRule, ParseRuleError> {
        let (name, number) = text.split_once(':').unwrap_or((text, ""));
        let number = number.parse::<u8>().ok();
        let up_to = |most| number.filter(|number| *number <= most);
        let rule = match name {
            "best" if text == name => Some(MoveRule::Best),
            "loss" => up_to(MOST_LOSS).map(MoveRule::Loss),
            "edax" => up_to(MOST_LOSS).map(MoveRule::Edax),
            "egaroucid" => up_to(MOST_LEVEL).map(MoveRule::Egaroucid),
            _ => None,
        };
        rule.ok_or_else(|| ParseRuleError(text.chars().take(64).collect()))
    }
}

impl fmt::Display for MoveRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveRule::Best => f.write_str("best"),
            MoveRule::Loss(loss) => write!(f, "loss:{loss}"),
            MoveRule::Edax(loss) => write!(f, "edax:{loss}"),
            MoveRule::Egaroucid(level) => write!(f, "egaroucid:{level}"),
        }
    }
}
