//! The rules by which books grow. Each looks at a whole book that is fixed and chooses what to search next. It is asked again
//! whenever its searches are in the book, until it has nothing left to search.
//!
//! A rule sees the book one slab at a time. Most follow lines from the root down, in one sweep.

mod best_first;
mod edax;
mod egaroucid;
mod setting;

pub use setting::Setting;
pub(crate) use setting::look_up;

use crate::{Chosen, each_once};
use obook_graph::slabs::{Error, Slabs};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use setting::{expand_all, has_best_leaf};

/// The most plies that [`Rule::Fill`] looks ahead.
const MOST_PLIES: u8 = 6;

/// A rule with its limits, as recipes write it: `rule = { deviate = { relative = 2, absolute = 4 } }`, `rule = "extend"`.
///
/// The names and the limits are those of the engines: Edax's, unless the name says otherwise. An optional limit is infinite by
/// default. `docs/learning.md` describes the rules.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
#[non_exhaustive]
pub enum Rule {
    /// Good play while one side may err: the leaves that are nearly as good as the best move of their position, on lines that stay
    /// near the value of the root. The sides take turns.
    Deviate {
        /// The most discs that a move of the side that may err loses.
        relative: u8,
        /// The greatest difference between the value of a position on a line and the root's, in discs.
        absolute: u8,
    },
    /// The leaves that are as good as the best move of their position, wherever links lead.
    Extend,
    /// The leaves of positions without links, so that each line reaches the depth of the book.
    Play,
    /// The leaves that may turn out to be the best moves of their positions if searches err by this much, on lines of such moves.
    Enhance {
        /// The greatest error of a search that does not reach the end of the game, in discs.
        midgame_error: u8,
        /// The greatest error of a selective search to the end, in discs.
        endcut_error: u8,
    },
    /// The boards between two positions, on all lines of this many plies.
    Fill {
        /// The number of plies, 1 to 6.
        #[serde(deserialize_with = "plies")]
        plies: u8,
    },
    /// The leaves from weaker searches than those of the stage.
    Deepen,
    /// The leaves with proven scores, once. Scores that come out otherwise are reported.
    Correct,
    /// Egaroucid's `deviate`: good play by one side while the other one errs within limits, a whole variation each time.
    EgaroucidDeviate {
        /// The most discs that a link on a line loses.
        per_move: Option<u16>,
        /// The most discs that all links on a line lose together, both sides' counted.
        sum: Option<u16>,
        /// The most discs that a leaf loses.
        leaf: Option<u16>,
    },
    /// Egaroucid's recalculation of leaves: those from weaker searches than the stage's, on lines on which both sides err within
    /// limits.
    Recalculate {
        /// The most discs that a link on a line loses.
        per_move: Option<u16>,
        /// The most discs that all links on a line lose together, both sides' counted.
        sum: Option<u16>,
    },
    /// The leaves that most affect the value of the root, and of the positions that the owner of the book plays: influence × uncertainty ÷
    /// work.
    BestFirst {
        /// Leaves that move the root by fewer discs than this are left alone.
        #[serde(deserialize_with = "best_first::least")]
        least: f64,
    },
    /// The positions of the given games.
    Store,
    /// Egaroucid's `store`: the same, and what the best move of each leads to.
    EgaroucidStore,
}

impl Rule {
    /// The boards to search now in a book that is fixed, each once and in no particular order. The slabs may be of any size.
    ///
    /// A rule that begins at the root wants the root first, if the book lacks it. [`Rule::Enhance`] leaves its own bounds in the
    /// positions of the book.
    ///
    /// ```
    /// use obook_graph::Graph;
    /// use obook_learn::{Setting, Played, Rule, Want};
    /// use obook_othello::{Board, Engine, Leaf, Line, Position};
    ///
    /// let mut start = Position::new(Board::START.canonical(), Engine::Edax);
    /// start.value = Some(0);
    /// start.level = Some(10);
    /// let mv = start.board.board().moves().next();
    /// start.leaf = Some(Leaf { mv, score: 0, level: None, engine: Engine::Edax });
    /// let mut builder = Graph::builder();
    /// builder.push(start);
    /// let (book, _) = builder.finish()?;
    ///
    /// let setting = Setting {
    ///     root: Board::START.canonical(),
    ///     depth: 30,
    ///     level: 21,
    ///     engine: Engine::Edax,
    ///     turn: 0,
    ///     played: &Played::default(),
    /// };
    /// let chosen = Rule::Extend.choose(&mut book.into(), &setting)?;
    /// assert_eq!(chosen[0].board, "f5".parse::<Line>()?.board().canonical());
    /// assert_eq!((chosen[0].want, chosen[0].level), (Want::Position, Some(10)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if temporary files do, or if a slab is too large.
    pub fn choose(&self, book: &mut Slabs, setting: &Setting<'_>) -> Result<Vec<Chosen>, Error> {
        let chosen = match *self {
            Rule::Deviate { relative, absolute } => {
                edax::deviate(book, setting, relative, absolute)
            }
            // It ends when the best move of each position leads to a position of the book.
            Rule::Extend => expand_all(book, setting, has_best_leaf),
            // It ends when every line reaches the depth of the book or the end of its game.
            Rule::Play => expand_all(book, setting, |book, id| book.links(id).len() == 0),
            Rule::Enhance {
                midgame_error,
                endcut_error,
            } => edax::enhance(book, setting, midgame_error.into(), endcut_error.into()),
            Rule::Fill { plies } => edax::fill(book, setting, plies),
            Rule::Deepen => edax::deepen(book, setting),
            Rule::Correct => edax::correct(book, setting),
            Rule::Recalculate { per_move, sum } => {
                egaroucid::recalculate(book, setting, per_move, sum)
            }
            Rule::EgaroucidDeviate {
                per_move,
                sum,
                leaf,
            } => egaroucid::deviate(book, setting, per_move, sum, leaf),
            Rule::BestFirst { least } => best_first::choose(book, setting, least),
            Rule::Store => edax::store(book, setting, false),
            Rule::EgaroucidStore => edax::store(book, setting, true),
        }?;
        let root = || setting.missing(setting.root).into_iter().collect();
        Ok(each_once(chosen.unwrap_or_else(root), setting.level))
    }

    /// The name of the rule, as recipes write it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Rule::Deviate { .. } => "deviate",
            Rule::Extend => "extend",
            Rule::Play => "play",
            Rule::Enhance { .. } => "enhance",
            Rule::Fill { .. } => "fill",
            Rule::Deepen => "deepen",
            Rule::Correct => "correct",
            Rule::EgaroucidDeviate { .. } => "egaroucid-deviate",
            Rule::Recalculate { .. } => "recalculate",
            Rule::BestFirst { .. } => "best-first",
            Rule::Store => "store",
            Rule::EgaroucidStore => "egaroucid-store",
        }
    }

    /// The number of times in a row that the rule has to want nothing until it is done: once for each turn that it takes.
    #[must_use]
    pub fn turns(&self) -> u64 {
        match self {
            Rule::Deviate { .. } => 2,
            _ => 1,
        }
    }
}

/// Reads a number of plies from one position to another, 1 to 6. Each additional ply takes about ten times as long.
fn plies<'de, D: Deserializer<'de>>(from: D) -> Result<u8, D::Error> {
    match u8::deserialize(from)? {
        plies @ 1..=MOST_PLIES => Ok(plies),
        plies => Err(D::Error::custom(format!(
            "{plies} plies: expected 1 to {MOST_PLIES}"
        ))),
    }
}
