//! The rules by which books grow. Each looks at a whole book that is fixed, and says what it wants to have searched next; asked
//! again after each time that answers have come in, until it wants nothing more.

mod best_first;
mod budget;
mod correct;
mod deepen;
mod deviate;
mod down;
mod egaroucid_deviate;
mod enhance;
mod estimate;
mod extend;
mod fill;
mod place;
mod play;
mod plies;
mod recalculate;
mod store;

pub use place::Place;
pub use plies::{NotPlies, Plies};

use crate::Chosen;
use crate::chosen::each_once;
use obook_graph::NodeId;
use serde::{Deserialize, Serialize};

/// A rule with its limits, as recipes write it: `rule = { deviate = { relative = 2, absolute = 4 } }`, `rule = "extend"`.
///
/// The names and the limits are those of the engines, Edax's where the name says nothing else. A limit that may be left out
/// is infinite then. What each rule chooses is told with it, and in `docs/learning.md`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(
    rename_all = "kebab-case",
    rename_all_fields = "kebab-case",
    deny_unknown_fields
)]
#[non_exhaustive]
pub enum Rule {
    /// What good play leads to while one of the sides may err: the leaves that are nearly as good as the best of their
    /// position, on lines that stay near the value of the root. The sides take turns.
    Deviate {
        /// By so many discs a move of the side that may err is worse than the best at most.
        relative: u8,
        /// By so many discs the value of a position on a line differs from the root's at most.
        absolute: u8,
    },
    /// The leaves that are as good as the best of their position, wherever links lead.
    Extend,
    /// The leaves of positions without links: each line goes on to the depth of the book.
    Play,
    /// What may turn out to be the best move of its position if searches err as much as this, on lines of such moves.
    Enhance {
        /// By so many discs a search errs at most that does not reach the end of the game.
        midgame_error: u8,
        /// By so many discs a selective search to the end errs at most.
        endcut_error: u8,
    },
    /// The boards between two positions, on all lines of so many plies.
    Fill {
        /// How many plies.
        plies: Plies,
    },
    /// The leaves that come from a weaker search than one at the level of the stage.
    Deepen,
    /// The leaves with proven scores, once: what another search finds otherwise is told.
    Correct,
    /// Egaroucid's `deviate`: what good play of one of the sides leads to while the other one errs within limits, a whole
    /// variation each time.
    EgaroucidDeviate {
        /// By so many discs a link on a line is worse than the value of its position at most.
        per_move: Option<u16>,
        /// By so many discs all links on a line, of both sides, are worse together at most.
        sum: Option<u16>,
        /// By so many discs a leaf is worse than the value of its position at most.
        leaf: Option<u16>,
    },
    /// Egaroucid's recalculation of leaves: those that come from a weaker search than one at the level of the stage, on lines
    /// on which both sides err within limits.
    Recalculate {
        /// By so many discs a link on a line is worse than the value of its position at most.
        per_move: Option<u16>,
        /// By so many discs all links on a line, of both sides, are worse together at most.
        sum: Option<u16>,
    },
    /// What most affects the value of the root, and of the positions that the owner of the book plays: influence × uncertainty ÷
    /// work.
    BestFirst {
        /// A leaf that moves the root by less than so many discs is left alone.
        least: f64,
    },
    /// The positions of the games that are handed in.
    Store,
    /// Egaroucid's `store`: the same, and what the best move of each of them leads to.
    EgaroucidStore,
}

impl Rule {
    /// What the rule wants to have searched now, each board once; in no order.
    ///
    /// A rule that begins at the root wants that first, where the book does not hold it.
    ///
    /// ```
    /// use obook_graph::{Graph, negamax::Scoring};
    /// use obook_learn::{Place, Played, Rule, Want};
    /// use obook_model::{Engine, Leaf, Position};
    /// use obook_othello::{Board, Line};
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
    /// let place = Place {
    ///     book: &book,
    ///     root: Board::START.canonical(),
    ///     scoring: Scoring::Edax { midgame_error: 2, endcut_error: 1 },
    ///     depth: 30,
    ///     level: 21,
    ///     engine: Engine::Edax,
    ///     turn: 0,
    ///     played: &Played::default(),
    /// };
    /// let chosen = Rule::Extend.choose(&place);
    /// assert_eq!(chosen[0].board, "f5".parse::<Line>()?.board().canonical());
    /// assert_eq!((chosen[0].want, chosen[0].level), (Want::Position, Some(10)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn choose(&self, place: &Place<'_>) -> Vec<Chosen> {
        let chosen = match *self {
            Rule::Deviate { relative, absolute } => from_root(place, |root| {
                deviate::choose(place, root, relative, absolute)
            }),
            Rule::Extend => from_root(place, |root| extend::choose(place, root)),
            Rule::Play => from_root(place, |root| play::choose(place, root)),
            Rule::Enhance {
                midgame_error,
                endcut_error,
            } => {
                let errors = enhance::Errors {
                    midgame: midgame_error.into(),
                    endcut: endcut_error.into(),
                };
                from_root(place, |root| enhance::choose(place, root, errors))
            }
            Rule::Fill { plies } => fill::choose(place, plies),
            Rule::Deepen => deepen::choose(place),
            Rule::Correct => correct::choose(place),
            Rule::Recalculate { per_move, sum } => from_root(place, |root| {
                recalculate::choose(place, root, per_move, sum)
            }),
            Rule::EgaroucidDeviate {
                per_move,
                sum,
                leaf,
            } => {
                let limits = egaroucid_deviate::Limits {
                    per_move,
                    sum,
                    leaf,
                };
                from_root(place, |root| egaroucid_deviate::choose(place, root, limits))
            }
            Rule::BestFirst { least } => {
                from_root(place, |root| best_first::choose(place, root, least))
            }
            Rule::Store => store::choose(place, false),
            Rule::EgaroucidStore => store::choose(place, true),
        };
        each_once(chosen, place.level)
    }

    /// Its name, as recipes write it.
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

    /// How often in a row it has to want nothing until it is done: once for each turn that it takes.
    #[must_use]
    pub fn turns(&self) -> u64 {
        match self {
            Rule::Deviate { .. } => 2,
            _ => 1,
        }
    }
}

/// What is chosen from the root on, or the root itself.
fn from_root(place: &Place<'_>, choose: impl FnOnce(NodeId) -> Vec<Chosen>) -> Vec<Chosen> {
    match place.book.find(place.root) {
        Some(root) => choose(root),
        None => place.missing(place.root).into_iter().collect(),
    }
}
