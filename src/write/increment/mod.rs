//! Changing a few positions of a large book: only they and their ancestors are linked and computed.
//!
//! In a fixed book everything else is already right. So the cost is proportional to what changes and what lies above
//! it, and the result is exactly what `obook fix` would make of the whole book:
//!
//! 1. New positions are linked from both sides: their children are looked up, and their parents are found by taking
//!    moves back ([`Board::parents`](obook_othello::Board::parents)).
//! 2. Numbers are computed from few empties to many, passes last in their layer, until they come out unchanged.
//! 3. Rows that differ are written.

mod key_filter;

use crate::database::Missing;
use crate::read::view::hex;
use crate::{BookHeader, Change, Error, Result, Store};
use foldhash::{HashMap, HashSet};
pub use key_filter::KeyFilter;
use obook_graph::mapping::demands::record_lacks_leaf;
use obook_graph::passes::other_view;
use obook_graph::{Differs, negamax};
use obook_othello::{CanonicalBoard, Leaf, Link, Lost, Move, Position, RuleSet};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A position before and after a change.
#[derive(Clone, Debug)]
pub struct Delta {
    /// `None` if the position is new.
    pub old: Option<Position>,
    /// As it will be.
    pub new: Position,
    /// The leaf whose move became a link.
    pub dropped: Option<Leaf>,
    /// The search of a leaf that it lost in another book.
    pub lost: Option<Lost>,
}

impl Delta {
    /// A change of a position's numbers or leaf, or a new position.
    #[must_use]
    pub fn new(old: Option<Position>, new: Position) -> Delta {
        Delta {
            old,
            new,
            dropped: None,
            lost: None,
        }
    }

    /// Whether the parents of a position that was in the book must be recomputed. Those of new positions are entries
    /// from the start.
    fn has_other_numbers(&self) -> bool {
        let numbers = |it: &Position| (it.value, it.bounds, it.proof, it.outcomes, it.lines);
        (self.old.as_ref()).is_some_and(|old| numbers(old) != numbers(&self.new))
    }

    fn differs(&self) -> Differs {
        let between = |old| Differs::between(old, &self.new);
        self.old.as_ref().map_or(Differs::ALL, between)
    }

    /// Whether the position may have lost or gained a leaf.
    fn touches_leaf(&self, differs: Differs) -> bool {
        differs.links || differs.leaf || self.dropped.is_some() || self.lost.is_some()
    }

    /// Whether the position now needs a search for its leaf.
    fn needs_leaf(&self, differs: Differs) -> bool {
        self.touches_leaf(differs) && record_lacks_leaf(&self.new)
    }

    fn totals(&self, differs: Differs) -> Totals {
        let old = self.old.as_ref();
        let needed_leaf = self.touches_leaf(differs) && old.is_some_and(record_lacks_leaf);
        let links_before = old.map_or(0, |old| old.links.len());
        let was_link = |leaf| old.is_some_and(|old| links(old, leaf));
        Totals {
            added: u64::from(old.is_none()),
            changed: u64::from(old.is_some() && differs.any()),
            links: self.new.links.len().saturating_sub(links_before) as u64,
            leaves_lost: u64::from(self.dropped.is_some_and(|leaf| !was_link(leaf))),
            todo: i64::from(self.needs_leaf(differs)) - i64::from(needed_leaf),
        }
    }
}

/// A change in preparation. The database is untouched until [`Increment::write`].
pub struct Increment {
    filter: KeyFilter,
    rules: negamax::Scoring,
    entries: HashMap<CanonicalBoard, Delta>,
    /// Positions read from the book that have not changed so far, and whether they have their links and leaves.
    loaded: HashMap<CanonicalBoard, (Position, bool)>,
}

impl Increment {
    /// Links and computes the consequences of a few `changes`, each for another board, in a book that is fixed. Adds the pass positions
    /// that new positions need, unless the book follows Edax's rules, whose books hold every pass position. `filter` must have been made
    /// for at least these changes, of the book as it is.
    ///
    /// # Errors
    /// If the database can't be read.
    pub fn new(
        update: &Change<'_>,
        header: &BookHeader,
        filter: KeyFilter,
        changes: impl IntoIterator<Item = Delta>,
    ) -> Result<Increment> {
        let restore = header.rules != RuleSet::Edax;
        let book = &mut Readers::Inside(update.store());
        let all = Increment::restoring_passes(restore, book, filter, header, changes, u64::MAX)?;
        Ok(all.expect("no number of changes is too much"))
    }

    /// Like [`Increment::new`], but `restore` decides whether to add pass positions. Returns `None` if more than `most` positions change.
    /// `book` is the book before them.
    pub fn restoring_passes(
        restore: bool,
        book: &mut Readers<'_>,
        filter: KeyFilter,
        header: &BookHeader,
        changes: impl IntoIterator<Item = Delta>,
        most: u64,
    ) -> Result<Option<Increment>> {
        let entries = changes.into_iter().map(|entry| (entry.new.board, entry));
        let entries: HashMap<_, _> = entries.collect();
        entries.keys().for_each(|board| filter.add(*board));
        let mut increment = Increment {
            filter,
            rules: header.negamax_rules(),
            entries,
            loaded: HashMap::default(),
        };
        if restore {
            increment.restore_passes(book)?;
        }
        increment.link(book)?;
        let is_done = increment.climb(book, most)?;
        Ok(is_done.then_some(increment))
    }

    /// Boards new to the book, in key order.
    fn new_boards(&self) -> Vec<CanonicalBoard> {
        let new = self.entries.values().filter(|entry| entry.old.is_none());
        let mut new: Vec<CanonicalBoard> = new.map(|entry| entry.new.board).collect();
        new.par_sort_unstable();
        new
    }

    /// The positions of the book with a move to one of `boards`, in key order. Unchanged ones are loaded.
    fn parents(
        &mut self,
        book: &mut Readers<'_>,
        boards: &[CanonicalBoard],
    ) -> Result<Vec<CanonicalBoard>> {
        let filter = &self.filter;
        let before = |board: &CanonicalBoard| {
            let parents = board.board().parents().map(|(_, it)| it.canonical());
            parents.filter(move |parent| filter.may_hold(*parent))
        };
        let mut parents: Vec<CanonicalBoard> = boards.par_iter().flat_map_iter(before).collect();
        parents.par_sort_unstable();
        parents.dedup();
        self.load(book, parents.iter().copied(), true)?;
        parents.retain(|board| self.entries.contains_key(board) || self.loaded.contains_key(board));
        Ok(parents)
    }

    /// Reads the boards that are in the book and not known yet: as a `whole`, or without links and leaves.
    fn load(
        &mut self,
        book: &mut Readers<'_>,
        boards: impl Iterator<Item = CanonicalBoard>,
        whole: bool,
    ) -> Result<()> {
        let is_known = |board: &CanonicalBoard| {
            let loaded = self.loaded.get(board);
            self.entries.contains_key(board)
                || loaded.is_some_and(|(_, is_whole)| *is_whole || !whole)
        };
        let mut unknown: Vec<CanonicalBoard> = boards.filter(|it| !is_known(it)).collect();
        unknown.par_sort_unstable();
        unknown.dedup();
        let found = match whole {
            true => book.ask(&unknown, Store::position)?,
            false => book.ask(&unknown, Store::numbers)?,
        };
        let found = found.into_iter().map(|it| (it.board, (it, whole)));
        self.loaded.extend(found);
        Ok(())
    }

    /// The position as computed so far; links and leaf may be missing.
    fn position(&self, board: CanonicalBoard) -> Option<&Position> {
        match self.entries.get(&board) {
            Some(entry) => Some(&entry.new),
            None => self.loaded.get(&board).map(|(position, _)| position),
        }
    }

    /// Makes a loaded position changeable.
    fn entry(&mut self, board: CanonicalBoard) -> &mut Delta {
        self.entries.entry(board).or_insert_with(|| {
            let (position, _) = &self.loaded[&board];
            Delta::new(Some(position.clone()), position.clone())
        })
    }

    /// Adds pass positions as [`restore_passes`](obook_graph::passes::restore_passes) would: those between two
    /// positions of the book of which at least one is new.
    pub fn restore_passes(&mut self, book: &mut Readers<'_>) -> Result<()> {
        let new = self.new_boards();
        let below = |board: &CanonicalBoard| {
            let must_pass = board.board().must_pass();
            let moves = children(*board).filter(move |_| !must_pass);
            moves.map(|(_, child)| child)
        };
        let mut views: Vec<CanonicalBoard> = new.par_iter().flat_map_iter(below).collect();
        views.extend(new.iter().map(|board| board.board().passed().canonical()));
        views.retain(|view| view.board().legal_moves().is_empty());
        views.par_sort_unstable();
        views.dedup();
        let others = views.iter().map(|view| view.board().passed().canonical());
        self.load(book, others, true)?;
        self.load(book, views.iter().copied(), false)?;
        for view in views {
            let other = view.board().passed().canonical();
            let (None, Some(other)) = (self.position(view), self.position(other)) else {
                continue;
            };
            let position = other_view(other, view);
            let before = self.parents(book, &[view])?;
            if before.iter().any(|parent| !parent.board().must_pass()) {
                self.filter.add(view);
                self.entries.insert(view, Delta::new(None, position));
            }
        }
        Ok(())
    }

    /// Gives new positions all their links, and adds links to them in the rest of the book. A leaf whose move is now
    /// a link is dropped.
    pub fn link(&mut self, book: &mut Readers<'_>) -> Result<()> {
        let new = self.new_boards();
        self.link_children(book, &new)?;
        let parents = self.parents(book, &new)?;
        let new: HashSet<CanonicalBoard> = new.into_iter().collect();
        for parent in parents {
            let entry = self.entry(parent);
            if entry.old.is_some() {
                for (mv, _) in children(parent).filter(|(_, child)| new.contains(child)) {
                    if entry.new.links.iter().all(|link| link.mv != mv) {
                        entry.new.links.push(Link { mv, score: None });
                    }
                }
            }
        }
        let entries = self.entries.par_iter_mut();
        entries.for_each(|(_, Delta { new, dropped, .. })| {
            if new.leaf.is_some_and(|leaf| links(new, leaf)) {
                *dropped = new.leaf.take();
            }
        });
        Ok(())
    }

    /// Finds the links of new positions.
    fn link_children(&mut self, book: &mut Readers<'_>, new: &[CanonicalBoard]) -> Result<()> {
        let filter = &self.filter;
        let known = |board: &CanonicalBoard| {
            let children = children(*board).map(|(_, child)| child);
            children.filter(move |child| filter.may_hold(*child))
        };
        let known: Vec<CanonicalBoard> = new.par_iter().flat_map_iter(known).collect();
        self.load(book, known.into_iter(), false)?;
        for board in new {
            let links = children(*board).filter(|(_, child)| self.position(*child).is_some());
            let links = links.map(|(mv, _)| Link { mv, score: None }).collect();
            if let Some(entry) = self.entries.get_mut(board) {
                entry.new.links = links;
            }
        }
        Ok(())
    }

    /// Computes every entry, and every ancestor whose numbers change. Returns false if there are more than `most`.
    pub fn climb(&mut self, book: &mut Readers<'_>, most: u64) -> Result<bool> {
        // Few empties come before many, and passes last in their layer.
        let rank = |board: CanonicalBoard| (board.board().empties(), board.board().must_pass());
        let mut waiting: BTreeMap<_, BTreeSet<CanonicalBoard>> = BTreeMap::new();
        for board in self.entries.keys() {
            waiting.entry(rank(*board)).or_default().insert(*board);
        }
        while let Some((_, boards)) = waiting.pop_first() {
            if (self.entries.len() + boards.len()) as u64 > most {
                return Ok(false);
            }
            let boards: Vec<CanonicalBoard> = boards.into_iter().collect();
            let changed = self.compute(book, &boards)?;
            for parent in self.parents(book, &changed)? {
                waiting.entry(rank(parent)).or_default().insert(parent);
            }
        }
        Ok(true)
    }

    /// Computes positions whose children are done, and returns those that were in the book before and changed.
    fn compute(
        &mut self,
        book: &mut Readers<'_>,
        boards: &[CanonicalBoard],
    ) -> Result<Vec<CanonicalBoard>> {
        for board in boards {
            self.entry(*board);
        }
        let below = |board| linked_children(&self.entries[board].new).flatten();
        let below: Vec<CanonicalBoard> = boards.iter().flat_map(below).collect();
        self.load(book, below.into_iter(), false)?;
        let path = book.path();
        let compute = |board: &CanonicalBoard| {
            let position = &self.entries[board].new;
            // In a fixed book every link leads to a position, unless another program deleted it, or its page is damaged.
            let problem = "one of its links leads to a position that is not in the book";
            let lost = || Error::bad_row(path, hex(*board), problem);
            let find = |child| self.position(child).ok_or_else(lost);
            let below = linked_children(position).map(|child| child.map(find).transpose());
            let below: Vec<Option<&Position>> = below.collect::<Result<_>>()?;
            Ok(negamax::of_record(position, &below, self.rules))
        };
        let computed: Vec<Position> = boards.par_iter().map(compute).collect::<Result<_>>()?;
        let mut changed = Vec::new();
        for position in computed {
            let board = position.board;
            let entry = self.entries.get_mut(&board).expect("it was computed");
            entry.new = position;
            if entry.has_other_numbers() {
                changed.push(board);
            }
        }
        Ok(changed)
    }

    /// The rows that [`Increment::write`] would write.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for change in self.entries.values() {
            totals += change.totals(change.differs());
        }
        totals
    }

    /// All computed positions: those that change, and those at which the change stops.
    pub fn into_positions(self) -> impl Iterator<Item = Position> {
        self.entries.into_values().map(|change| change.new)
    }

    /// Writes the changes in key order.
    ///
    /// # Errors
    /// [`StoreError::Sqlite`](crate::StoreError::Sqlite).
    pub fn write(&self, update: &Change<'_>) -> Result<Totals> {
        let mut boards: Vec<CanonicalBoard> = self.entries.keys().copied().collect();
        boards.par_sort_unstable();
        let mut totals = Totals::default();
        for board in boards {
            let change = &self.entries[&board];
            let differs = update.replace(change.old.as_ref(), &change.new)?;
            if change.needs_leaf(differs) {
                let lost = change.dropped.and_then(|leaf| Lost::of(leaf, &change.new));
                let lost = lost.or(change.lost);
                update.put_todo(Missing { board, lost })?;
            } else if change.old.is_some() && change.touches_leaf(differs) {
                update.remove_todo(board)?;
            }
            totals += change.totals(differs);
        }
        Ok(totals)
    }
}

/// For fewer boards than this, starting threads costs more than it saves.
const FEW: usize = 64;

/// Connections that look up the positions that a change concerns.
pub enum Readers<'s> {
    /// The one of the transaction: for a few positions, or after the transaction has changed the book.
    Inside(&'s Store),
    /// One for each thread. They see the database as it was before the current change.
    Before(Vec<Store>),
}

impl Readers<'_> {
    /// Opens connections for all threads. The caller must hold the write lock, so that all of them see the same state.
    ///
    /// # Errors
    /// The same as [`Store::open`].
    pub fn open(book: &Store) -> Result<Readers<'static>> {
        let open = |_| {
            let store = book.reader()?;
            let begin = store.connection().execute_batch("BEGIN");
            begin.map_err(Error::sqlite(book.path(), "read"))?;
            Ok(store)
        };
        let stores = (0..rayon::current_num_threads()).map(open);
        stores.collect::<Result<_>>().map(Readers::Before)
    }

    /// Asks `question` about each board and returns the answers in order. Boards next to each other are cheapest.
    pub fn ask<T: Send>(
        &mut self,
        boards: &[CanonicalBoard],
        question: impl Fn(&Store, CanonicalBoard) -> Result<Option<T>> + Sync,
    ) -> Result<Vec<T>> {
        let ask = |store: &Store, boards: &[CanonicalBoard]| -> Result<Vec<T>> {
            let answers = boards.iter().map(|board| question(store, *board));
            answers.filter_map(Result::transpose).collect()
        };
        let stores = match self {
            Readers::Inside(store) => return ask(store, boards),
            Readers::Before(stores) if boards.len() < FEW => return ask(&stores[0], boards),
            Readers::Before(stores) => stores,
        };
        let share = boards.len().div_ceil(stores.len());
        let shares = stores.par_iter_mut().zip(boards.par_chunks(share));
        let answers = shares.map(|(store, boards)| ask(store, boards));
        let answers: Vec<Vec<T>> = answers.collect::<Result<_>>()?;
        Ok(answers.into_iter().flatten().collect())
    }

    fn path(&self) -> &Path {
        match self {
            Readers::Inside(store) => store.path(),
            Readers::Before(stores) => stores[0].path(),
        }
    }
}

/// The moves of a position and the boards after them.
fn children(board: CanonicalBoard) -> impl Iterator<Item = (Move, CanonicalBoard)> {
    let children = board.board().children();
    children.map(|(mv, child)| (mv, child.canonical()))
}

/// Whether the move of a leaf is one of a position's links.
pub(crate) fn links(position: &Position, leaf: Leaf) -> bool {
    position.links.iter().any(|link| Some(link.mv) == leaf.mv)
}

/// The boards that a position's links lead to, in order; `None` for an illegal move.
fn linked_children(position: &Position) -> impl Iterator<Item = Option<CanonicalBoard>> {
    let links = position.links.iter();
    links.map(move |link| position.board.child(link.mv))
}

/// The effect of a change, in numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Totals {
    /// Positions added.
    pub added: u64,
    /// Positions changed.
    pub changed: u64,
    /// Links added.
    pub links: u64,
    /// Leaves whose move became a link.
    pub leaves_lost: u64,
    /// By how much the number of positions that lack a leaf grows.
    pub todo: i64,
}

obook_base::sums! { Totals { added, changed, links, leaves_lost, todo } }
