//! Which payoffs change a value if they alone move by a disc or two.
//!
//! A position is worth `e` discs more where one of its moves is, and `e` discs less where all moves are that are better than that.
//! Both are said of sets: the shifts of single payoffs that do it are those of any of the moves, and those that all moves have in
//! common. A shift by d discs changes no number by more than d; so moves that are further behind have no say, and what is far from
//! best play is not read.

use super::answer::Shift;
use super::reader::{Id, Reader};
use super::unexplained::Unexplained;
use obook_model::Position;
use obook_othello::CanonicalBoard;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// So many discs a payoff moves when it is asked what that changes.
pub(super) const REACH: i16 = 2;
/// So many payoffs are remembered at most, those of each position counted.
const MOST: usize = 1_000_000;

/// What single payoffs change, and up to how many discs those are all.
pub(super) fn shifts<E, F>(
    reader: &mut Reader<F>,
    root: Id,
) -> Result<(Vec<Shift>, i16), Unexplained<E>>
where
    F: FnMut(CanonicalBoard) -> Result<Option<Position>, E>,
{
    let value = reader.node(root).value;
    let mut changes = BTreeMap::new();
    let mut complete_to = 0;
    for reach in 1..=REACH {
        // What was found with less reach is still true.
        changes.extend(Sensitivity::new(reader, reach).of(root)?);
        if reader.was_cut_short() {
            // The rest may change the value by more than is known.
            changes.retain(|(_, shift): &(Id, i16), by: &mut i16| by.abs() == shift.abs());
            break;
        }
        complete_to = reach;
    }
    let shift = |((id, shift), by)| Shift {
        payoff: reader.payoff(id),
        shift,
        value: value + by,
    };
    let mut shifts: Vec<Shift> = changes.into_iter().map(shift).collect();
    shifts.sort_by(|a, b| (&a.payoff.line, a.shift).cmp(&(&b.payoff.line, b.shift)));
    Ok((shifts, complete_to))
}

/// A change of a position's value, by so many discs or more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Change {
    Rise(i16),
    Fall(i16),
}

/// Shifts of single payoffs: of each the least upwards and the least downwards, in discs; 0 for none.
type Shifts = BTreeMap<Id, Least>;

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
struct Least {
    up: i16,
    down: i16,
}

impl Least {
    /// The shifts of at most so many discs that do it.
    fn up_to(self, reach: i16) -> impl Iterator<Item = i16> {
        let from = |least: i16| (1..=reach).filter(move |by| least != 0 && *by >= least);
        from(self.up).chain(from(self.down).map(|by| -by))
    }

    /// What does one or the other.
    fn or(self, other: Least) -> Least {
        let least = |a: i16, b: i16| if a == 0 || b == 0 { a.max(b) } else { a.min(b) };
        Least {
            up: least(self.up, other.up),
            down: least(self.down, other.down),
        }
    }

    /// What does both.
    fn and(self, other: Least) -> Least {
        let most = |a: i16, b: i16| if a == 0 || b == 0 { 0 } else { a.max(b) };
        Least {
            up: most(self.up, other.up),
            down: most(self.down, other.down),
        }
    }
}

/// What shifts of up to `reach` discs do, as far as it is known.
struct Sensitivity<'r, F> {
    reader: &'r mut Reader<F>,
    reach: i16,
    known: HashMap<(Id, Change), Rc<Shifts>>,
    remembered: usize,
}

impl<'r, E, F> Sensitivity<'r, F>
where
    F: FnMut(CanonicalBoard) -> Result<Option<Position>, E>,
{
    fn new(reader: &'r mut Reader<F>, reach: i16) -> Sensitivity<'r, F> {
        Sensitivity {
            reader,
            reach,
            known: HashMap::new(),
            remembered: 0,
        }
    }

    /// By how many discs the value changes, for each payoff and how far it moves.
    fn of(&mut self, root: Id) -> Result<BTreeMap<(Id, i16), i16>, Unexplained<E>> {
        let mut changes = BTreeMap::new();
        // Who makes a larger change makes the smaller one, too.
        for by in 1..=self.reach {
            for (change, by) in [(Change::Rise(by), by), (Change::Fall(by), -by)] {
                for (id, least) in self.shifts(root, change)?.iter() {
                    changes.extend(least.up_to(self.reach).map(|shift| ((*id, shift), by)));
                }
            }
        }
        Ok(changes)
    }

    fn shifts(&mut self, id: Id, change: Change) -> Result<Rc<Shifts>, Unexplained<E>> {
        if let Some(known) = self.known.get(&(id, change)) {
            return Ok(Rc::clone(known));
        }
        if self.remembered > MOST {
            self.reader.is_cut_short = true;
            return Ok(Rc::default());
        }
        let shifts = match change {
            Change::Rise(by) => self.of_any(id, by)?,
            Change::Fall(by) => self.of_all(id, by)?,
        };
        self.remembered += shifts.len();
        let shifts = Rc::new(shifts);
        self.known.insert((id, change), Rc::clone(&shifts));
        Ok(shifts)
    }

    /// Those that make a position rise by so many discs: one of its moves has to be that much better.
    fn of_any(&mut self, id: Id, by: i16) -> Result<Shifts, Unexplained<E>> {
        let node = self.reader.node(id);
        let mut shifts = Shifts::new();
        let lacks = |score: i16| node.value + by - score;
        if let Some(payoff) = node.payoff
            && lacks(payoff.score) <= self.reach
        {
            let up = lacks(payoff.score);
            shifts.insert(id, Least { up, down: 0 });
        }
        for (place, child) in node.children.iter().enumerate() {
            if lacks(child.score) > self.reach {
                break;
            }
            let Some(below) = self.reader.child(id, place)? else {
                continue;
            };
            for (payoff, least) in self.shifts(below, Change::Fall(lacks(child.score)))?.iter() {
                let known = shifts.entry(*payoff).or_default();
                *known = known.or(*least);
            }
        }
        Ok(shifts)
    }

    /// Those that make a position fall by so many discs: all moves that are better than that have to be worse.
    fn of_all(&mut self, id: Id, by: i16) -> Result<Shifts, Unexplained<E>> {
        let node = self.reader.node(id);
        let excess = |score: i16| score - (node.value - by);
        let mut common: Option<Shifts> = None;
        if let Some(payoff) = node.payoff
            && excess(payoff.score) > 0
        {
            let down = excess(payoff.score);
            common = Some(Shifts::from([(id, Least { up: 0, down })]));
        }
        for (place, child) in node.children.iter().enumerate() {
            let is_none = common.as_ref().is_some_and(Shifts::is_empty);
            if excess(child.score) <= 0 || is_none {
                break;
            }
            let Some(below) = self.reader.child(id, place)? else {
                return Ok(Shifts::new());
            };
            let theirs = self.shifts(below, Change::Rise(excess(child.score)))?;
            let all = match common {
                None => (*theirs).clone(),
                Some(mine) => mine
                    .into_iter()
                    .filter_map(|(payoff, least)| {
                        let both = least.and(*theirs.get(&payoff)?);
                        (both != Least::default()).then_some((payoff, both))
                    })
                    .collect(),
            };
            common = Some(all);
        }
        Ok(common.unwrap_or_default())
    }
}
