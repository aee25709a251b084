//! Changing the levels of positions and leaves.
//!
//! A level says how strong a search was. If the book's levels are wrong (lost in a conversion, say) or should make an
//! engine search again, this sets them and recomputes what follows.

use crate::read::lookup::rows_where;
use crate::write::fix::result_against_value;
use crate::write::import::into_store;
use crate::write::rewrite::{KEPT, LinkedBook, Report, Target, Work, rewrite};
use crate::{Book, Context, Error, Result, Store};
use obook_converters::Header;
use obook_graph::NodeId;
use obook_graph::slabs::{self, Slab};
use obook_graph::sort::{self, Layers};
use obook_othello::levels::MAX_LEVEL;
use obook_othello::{CanonicalBoard, Engine, Leaf, PERSON_LEVEL, Position, RuleSet};
use serde::Serialize;
use std::ops::RangeInclusive;
use std::path::Path;

/// How a level changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NewLevel {
    /// To this level, even if it was unknown.
    Set(u8),
    /// To the nearest level in this range. An unknown level stays unknown.
    Within(RangeInclusive<u8>),
}

impl NewLevel {
    /// The level that replaces `level`.
    ///
    /// ```
    /// use obook::write::level::NewLevel;
    /// assert_eq!(NewLevel::Within(10..=20).of(Some(27)), Some(20));
    /// assert_eq!(NewLevel::Within(10..=20).of(None), None);
    /// assert_eq!(NewLevel::Set(21).of(None), Some(21));
    /// ```
    #[must_use]
    pub fn of(&self, level: Option<u8>) -> Option<u8> {
        match self {
            NewLevel::Set(level) => Some(*level),
            NewLevel::Within(range) => level.map(|it| it.min(*range.end()).max(*range.start())),
        }
    }
}

/// Whose levels change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Whose {
    /// Levels of positions and leaves.
    Both,
    /// Levels of positions: of the searches behind their values.
    Positions,
    /// Levels of leaves.
    Leaves,
}

/// Which levels to change, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relevel {
    /// The new level, on each engine's own scale.
    pub level: NewLevel,
    /// Positions, leaves, or both.
    pub whose: Whose,
    /// Only positions with this many empty squares.
    pub empties: Option<RangeInclusive<u8>>,
    /// Only positions that meet this SQL condition on the columns of `positions`.
    pub condition: Option<String>,
}

/// The changes by a [`Relevel`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct RelevelCounts {
    /// Positions that meet the conditions.
    pub chosen: u64,
    /// The chosen positions whose level changed.
    pub position_levels: u64,
    /// Leaves whose level changed.
    pub leaf_levels: u64,
}

/// Changes levels in a book, and recomputes the numbers that follow.
///
/// ```
/// use obook::write::level::{NewLevel, Relevel, Whose, relevel};
/// use obook::write::Target;
/// use obook::{Book, Context};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games.dat");
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.obook");
/// let context = Context::new("test");
/// let mut book = Book::import(file, &path, &context)?;
/// let change = Relevel {
///     level: NewLevel::Set(30),
///     whose: Whose::Both,
///     empties: Some(0..=20),
///     condition: Some(String::from("value > 10")),
/// };
/// let report = relevel(Target::InPlace(&mut book), &change, &context)?;
/// assert_eq!((report.counts.chosen, report.counts.position_levels), (78, 78));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the book can't be read or is damaged, can't have such levels, or SQLite rejects the condition; and if the
/// target can't be written. Everything is then as before.
pub fn relevel(
    target: Target<'_>,
    how: &Relevel,
    context: &Context,
) -> Result<Report<RelevelCounts>> {
    let work = Relevelling {
        how,
        listed: None,
        counts: RelevelCounts::default(),
    };
    rewrite(target, work, context)
}

/// A change of levels at work.
struct Relevelling<'a> {
    how: &'a Relevel,
    /// The boards that meet the SQL condition, if there is one.
    listed: Option<Layers>,
    counts: RelevelCounts,
}

impl Work for Relevelling<'_> {
    type Counts = RelevelCounts;

    fn begin(&mut self, path: &Path, linked: &mut LinkedBook, context: &Context) -> Result<()> {
        self.how.check(path, linked.header.rules)?;
        if let Some(condition) = &self.how.condition {
            context.progress().step("choosing", None);
            let store = into_store(Book::open(path, context)?, context)?;
            self.listed = Some(boards_where(&store, condition)?);
        }
        Ok(())
    }

    fn change(&mut self, slab: &mut Slab, _: RuleSet) -> slabs::Result<()> {
        let how = self.how;
        let chosen = chosen(how, slab, self.listed.as_mut())?;
        let graph = slab.graph_mut();
        for id in chosen {
            self.counts.chosen += 1;
            let (old, new) = (graph.level(id), how.level.of(graph.level(id)));
            if how.whose != Whose::Leaves && new != old {
                self.counts.position_levels += 1;
                graph.set_level(id, graph.engine(id), new);
                // If a person entered it, it isn't theirs any more.
                if let Some(result) = result_against_value(graph, id) {
                    graph.set_value(id, Some(result));
                }
            }
            let Some(leaf) = graph.leaf(id) else { continue };
            let level = how.level.of(leaf.level);
            if how.whose != Whose::Positions && level != leaf.level {
                self.counts.leaf_levels += 1;
                graph.set_leaf(id, Leaf { level, ..leaf });
            }
        }
        let (_, marks) = slab.graph_and_marks();
        marks.iter_mut().for_each(|mark| *mark |= KEPT);
        Ok(())
    }

    fn end(self, _: &Header, _: u64, _: u64) -> RelevelCounts {
        self.counts
    }
}

impl Relevel {
    /// Checks that a book with these rules can have such levels.
    fn check(&self, path: &Path, rules: RuleSet) -> Result<()> {
        let refused = |problem: String| Err(Error::unfit(path, problem));
        // The highest level that this can give to a position with a lower one.
        let highest = match &self.level {
            NewLevel::Set(level) => *level,
            NewLevel::Within(range) if range.is_empty() => {
                let (start, end) = (range.start(), range.end());
                return refused(format!("no level is at least {start} and at most {end}"));
            }
            NewLevel::Within(range) => *range.start(),
        };
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
            return Err(Error::OneLevel { path: path.into() });
        }
        Ok(())
    }
}

/// The positions of a slab that meet the conditions. `listed` holds the boards that meet the SQL condition.
fn chosen(how: &Relevel, slab: &Slab, listed: Option<&mut Layers>) -> sort::Result<Vec<NodeId>> {
    let graph = slab.graph();
    let in_range = |empties: u8| {
        let range = how.empties.as_ref();
        range.is_none_or(|range| range.contains(&empties))
    };
    let Some(listed) = listed else {
        let is_chosen = |id: &NodeId| in_range(graph.board(*id).board().empties() as u8);
        return Ok(graph.unfrozen_ids().filter(is_chosen).collect());
    };
    let mut chosen = Vec::new();
    for empties in slab.layers().filter(|empties| in_range(*empties as u8)) {
        listed.each(empties, |it| chosen.extend(graph.find(it.board)))?;
    }
    Ok(chosen)
}

/// The boards of the positions that meet an SQL condition.
fn boards_where(store: &Store, condition: &str) -> Result<Layers> {
    let mut boards = Layers::default();
    let mut pushed = Ok(());
    let sql = |holds: &str| format!("SELECT board FROM positions WHERE {holds}");
    rows_where(store, Some(condition), sql, |row| {
        if let (Ok(Some(board)), Ok(())) = (CanonicalBoard::from_key(row.get(0)?), &pushed) {
            pushed = boards.push(&Position::new(board, Engine::Obook));
        }
        Ok(None::<()>)
    })?;
    pushed?;
    Ok(boards)
}
