//! Which payoffs change a value if they shift by a disc or two on their own.
//!
//! A position rises by `e` discs if one of its moves gets that good, and falls by `e` discs if all better moves get that bad. In
//! terms of sets, the single shifts that make it rise are the union over its moves, and those that make it fall are the
//! intersection. A shift by d discs changes no number by more than d. So moves further behind don't matter, and positions far
//! from best play aren't read.

use super::answer::{Explained, Shift};
use super::reader::{Id, Reader};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// The largest shift of a payoff that is considered, in discs.
pub(super) const REACH: i16 = 2;
/// The most shifts remembered, counted per position.
const MOST: usize = 2_000_000;

/// Finds the effects of single payoffs, and the largest shift for which the list is complete.
pub(super) fn shifts<E>(reader: &mut Reader<'_, E>, root: Id) -> Explained<(Vec<Shift>, i16), E> {
    let value = reader.node(root).value;
    let mut changes = BTreeMap::new();
    let mut complete_to = 0;
    for reach in 1..=REACH {
        // Results with less reach are still valid.
        let mut sensitivity = Sensitivity {
            reader: &mut *reader,
            reach,
            known: HashMap::new(),
            remembered: 0,
        };
        changes.extend(sensitivity.of(root)?);
        if reader.was_cut_short() {
            // The rest may change the value by an unknown amount.
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

/// Payoffs, each with a shift in discs, up or down, that is enough on its own.
type Shifts = BTreeSet<(Id, i16)>;

/// The effects of shifts of up to `reach` discs, as far as known.
struct Sensitivity<'r, 'l, E> {
    reader: &'r mut Reader<'l, E>,
    reach: i16,
    /// By position, and the least change of its value in discs: up or, if it is negative, down.
    known: HashMap<(Id, i16), Rc<Shifts>>,
    remembered: usize,
}

impl<E> Sensitivity<'_, '_, E> {
    /// The change of the value in discs for each payoff and shift.
    fn of(&mut self, root: Id) -> Explained<BTreeMap<(Id, i16), i16>, E> {
        let mut changes = BTreeMap::new();
        // A shift that makes a larger change also makes the smaller one.
        for by in 1..=self.reach {
            for change in [by, -by] {
                let shifts = self.shifts(root, change)?;
                changes.extend(shifts.iter().map(|shift| (*shift, change)));
            }
        }
        Ok(changes)
    }

    fn shifts(&mut self, id: Id, change: i16) -> Explained<Rc<Shifts>, E> {
        if let Some(known) = self.known.get(&(id, change)) {
            return Ok(Rc::clone(known));
        }
        if self.remembered > MOST {
            self.reader.is_cut_short = true;
            return Ok(Rc::default());
        }
        let shifts = match change {
            _ if !self.reader.node(id).may_change(change) => Shifts::new(),
            1.. => self.of_any(id, change)?,
            _ => self.of_all(id, -change)?,
        };
        self.remembered += shifts.len();
        let shifts = Rc::new(shifts);
        self.known.insert((id, change), Rc::clone(&shifts));
        Ok(shifts)
    }

    /// The shifts that make a position rise by this many discs: one of its moves has to get that good.
    fn of_any(&mut self, id: Id, by: i16) -> Explained<Shifts, E> {
        let node = self.reader.node(id);
        let mut shifts = Shifts::new();
        let lacks = |score: i16| node.value + by - score;
        if let Some(payoff) = node.payoff {
            let enough = lacks(payoff.score)..=self.reach;
            shifts.extend(enough.map(|up| (id, up)));
        }
        for (place, child) in node.children.iter().enumerate() {
            if lacks(child.score) > self.reach {
                break;
            }
            let Some(below) = self.reader.child(id, place)? else {
                continue;
            };
            shifts.extend(self.shifts(below, -lacks(child.score))?.iter());
        }
        Ok(shifts)
    }

    /// The shifts that make a position fall by this many discs: all better moves have to get worse.
    fn of_all(&mut self, id: Id, by: i16) -> Explained<Shifts, E> {
        let node = self.reader.node(id);
        let excess = |score: i16| score - (node.value - by);
        let mut common: Option<Shifts> = None;
        if let Some(payoff) = node.payoff
            && excess(payoff.score) > 0
        {
            let enough = excess(payoff.score)..=self.reach;
            common = Some(enough.map(|down| (id, -down)).collect());
        }
        for (place, child) in node.children.iter().enumerate() {
            let is_none = common.as_ref().is_some_and(Shifts::is_empty);
            if excess(child.score) <= 0 || is_none {
                break;
            }
            let Some(below) = self.reader.child(id, place)? else {
                return Ok(Shifts::new());
            };
            let theirs = self.shifts(below, excess(child.score))?;
            common = Some(match common {
                None => (*theirs).clone(),
                Some(mine) => &mine & &*theirs,
            });
        }
        Ok(common.unwrap_or_default())
    }
}
