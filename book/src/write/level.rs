//! Giving positions and leaves other levels than the book says.
//!
//! A level says how much a search is worth; where the book has it wrong (levels lost on the way through a format, or
//! chosen to make an engine search anew), this sets it right, and computes what follows from it.

use crate::read::condition::rows_where;
use crate::write::import::into_store;
use crate::write::rewrite::{Destination, LinkedBook, Rewritten, rewrite};
use crate::{Book, Context, Error, Result, Store};
use obook_graph::mapping::demands::MAX_LEVEL;
use obook_graph::negamax::negamax;
use obook_graph::{Graph, NodeId, Selection};
use obook_model::RuleSet;
use obook_model::{Leaf, PERSON_LEVEL};
use obook_othello::CanonicalBoard;
use serde::Serialize;
use std::ops::RangeInclusive;
use std::path::Path;

/// What becomes of a level.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NewLevel {
    /// It is this, whether the book knew one or not.
    Set(u8),
    /// It is the nearest in this range. What is not known stays so.
    Within(RangeInclusive<u8>),
}

impl NewLevel {
    /// The level that takes the place of another.
    ///
    /// ```
    /// use obook_book::write::level::NewLevel;
    /// assert_eq!(NewLevel::Within(10..=20).of(Some(27)), Some(20));
    /// assert_eq!(NewLevel::Within(10..=20).of(None), None);
    /// assert_eq!(NewLevel::Set(21).of(None), Some(21));
    /// ```
    #[must_use]
    pub fn of(&self, level: Option<u8>) -> Option<u8> {
        match self {
            NewLevel::Set(level) => Some(*level),
            NewLevel::Within(range) => {
                level.map(|level| level.min(*range.end()).max(*range.start()))
            }
        }
    }

    /// The highest level that this can give to a position that had a lower one.
    fn highest(&self) -> u8 {
        match self {
            NewLevel::Set(level) => *level,
            NewLevel::Within(range) => *range.start(),
        }
    }
}

/// Whose levels are meant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whose {
    /// Those of positions and of leaves.
    Both,
    /// Those of positions: of the searches behind their values.
    Positions,
    /// Those of leaves.
    Leaves,
}

/// Which levels become what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relevel {
    /// What they become, each on the scale of its own engine.
    pub level: NewLevel,
    /// Of what.
    pub whose: Whose,
    /// Only where so many squares are empty.
    pub empties: Option<RangeInclusive<u8>>,
    /// Only where this SQL condition on the columns of table `positions` holds.
    pub condition: Option<String>,
}

/// What a [`Relevel`] changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Counts {
    /// Positions that meet the conditions.
    pub chosen: u64,
    /// Of these, those with another level than before.
    pub position_levels: u64,
    /// Leaves with another level than before.
    pub leaf_levels: u64,
}

/// What [`relevel`] did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report {
    /// What it changed.
    #[serde(flatten)]
    pub counts: Counts,
    /// What else happened.
    #[serde(flatten)]
    pub rewritten: Rewritten,
}

/// Gives positions and leaves of the book at `path` other levels, and computes the numbers that follow.
///
/// ```
/// use obook_book::write::level::{NewLevel, Relevel, Whose, relevel};
/// use obook_book::write::{Destination, import::import};
/// use obook_book::{IfExists, Progress};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.dat");
/// # let folder = tempfile::tempdir()?;
/// # let book = folder.path().join("games.obook");
/// import(file.as_ref(), &book, IfExists::Refuse, "test", &Progress::hidden())?;
/// let change = Relevel {
///     level: NewLevel::Set(30),
///     whose: Whose::Both,
///     empties: Some(0..=20),
///     condition: Some(String::from("value > 10")),
/// };
/// let report = relevel(&book, &change, &Destination::InPlace, "test", &Progress::hidden())?;
/// assert_eq!((report.counts.chosen, report.counts.position_levels), (78, 78));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where the book can't be read or is damaged, where it can't have such levels, where SQLite does not understand the
/// condition, and where the destination can't be written or does not fit; everything is then as before.
pub fn relevel(path: &Path, how: &Relevel, to: &Destination, context: &Context) -> Result<Report> {
    let (counts, rewritten) = rewrite(path, to, context, |book| {
        let LinkedBook {
            graph,
            header,
            rules,
        } = book;
        how.check(path, header.rules)?;
        let chosen = how.choose(graph, path, context)?;
        let counts = how.apply(graph, &chosen);
        negamax(graph, rules);
        Ok((counts, Selection::all(graph)))
    })?;
    Ok(Report { counts, rewritten })
}

impl Relevel {
    /// Whether the book at `path`, by these rules, can have such levels.
    fn check(&self, path: &Path, rules: RuleSet) -> Result<()> {
        let refused = |problem: String| Err(Error::unfit(path, problem));
        if let NewLevel::Within(range) = &self.level
            && range.is_empty()
        {
            let (start, end) = (range.start(), range.end());
            return refused(format!("no level is at least {start} and at most {end}"));
        }
        let highest = self.level.highest();
        if highest > MAX_LEVEL && highest != PERSON_LEVEL {
            return refused(format!(
                "no engine has level {highest}: levels are 0 to {MAX_LEVEL}, and {PERSON_LEVEL} for what a person entered"
            ));
        }
        if rules != RuleSet::Edax {
            return Ok(());
        }
        if highest > MAX_LEVEL {
            return refused(format!(
                "the book follows Edax's rules, and Edax knows levels up to {MAX_LEVEL}"
            ));
        }
        if self.whose != Whose::Both {
            return Err(Error::OneLevel {
                path: path.to_owned(),
            });
        }
        Ok(())
    }

    /// The positions that meet the conditions.
    fn choose(&self, graph: &Graph, path: &Path, context: &Context) -> Result<Selection> {
        let in_range = |id: NodeId| {
            let empties = graph.board(id).board().empties() as u8;
            self.empties
                .as_ref()
                .is_none_or(|range| range.contains(&empties))
        };
        let Some(condition) = &self.condition else {
            return Ok(Selection::matching(graph, in_range));
        };
        context.progress().step("choosing", None);
        let store = into_store(Book::open(path, context)?, context)?;
        let mut chosen = Selection::none(graph);
        for board in boards_where(&store, condition)? {
            if let Some(id) = graph.find(board).filter(|id| in_range(*id)) {
                chosen.insert(id);
            }
        }
        Ok(chosen)
    }

    fn apply(&self, graph: &mut Graph, chosen: &Selection) -> Counts {
        let mut counts = Counts::default();
        for id in graph.ids().filter(|id| chosen.contains(*id)) {
            counts.chosen += 1;
            let (old, new) = (graph.level(id), self.level.of(graph.level(id)));
            if self.whose != Whose::Leaves && new != old {
                counts.position_levels += 1;
                graph.set_level(id, graph.engine(id), new);
            }
            let Some(leaf) = graph.leaf(id) else { continue };
            let level = self.level.of(leaf.level);
            if self.whose != Whose::Positions && level != leaf.level {
                counts.leaf_levels += 1;
                graph.set_leaf(id, Leaf { level, ..leaf });
            }
        }
        counts
    }
}

/// The boards of the positions for which an SQL condition holds.
fn boards_where(store: &Store, condition: &str) -> Result<Vec<CanonicalBoard>> {
    let sql = |holds: &str| format!("SELECT board FROM positions WHERE {holds}");
    rows_where(store, Some(condition), sql, |row| {
        Ok(CanonicalBoard::from_key(row.get(0)?).ok().flatten())
    })
}
