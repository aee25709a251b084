//! How a value can fall: a minimal set of payoffs that lowers it if all of them come down.
//!
//! A position is worth less if each of its best moves is. If the other side is to move, one better move for that side is enough; of
//! such moves, the one that needs the fewest payoffs is taken. Exact scores don't come down.

use super::answer::{Lowering, Payoff, Unexplained};
use super::reader::{Id, Reader};
use super::shifts::{Change, REACH};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The largest set of payoffs: more are of no use to people.
const MOST: usize = 1000;

/// Payoffs, and whether each rises for the side to move in its position.
type Payoffs = BTreeSet<(Id, bool)>;

/// Finds payoffs that have to come down by as few discs as possible.
pub(super) fn lowering<E>(
    reader: &mut Reader<'_, E>,
    root: Id,
) -> Result<Lowering, Unexplained<E>> {
    for by in 1..=REACH {
        if let Some(ids) = Lowered::new(reader, by).minimal(root)? {
            let mut payoffs: Vec<Payoff> = ids.into_iter().map(|id| reader.payoff(id)).collect();
            payoffs.sort_by(|a, b| a.line.cmp(&b.line));
            return Ok(Lowering::Payoffs { by, payoffs });
        }
        if reader.was_cut_short() {
            return Ok(Lowering::Unknown);
        }
    }
    Ok(Lowering::Exact)
}

/// The effects of payoffs coming down by up to `reach` discs.
struct Lowered<'r, 'l, E> {
    reader: &'r mut Reader<'l, E>,
    reach: i16,
    known: HashMap<(Id, Change), Option<Rc<Payoffs>>>,
}

impl<'r, 'l, E> Lowered<'r, 'l, E> {
    fn new(reader: &'r mut Reader<'l, E>, reach: i16) -> Lowered<'r, 'l, E> {
        Lowered {
            reader,
            reach,
            known: HashMap::new(),
        }
    }

    /// Finds payoffs of which none can stay. Returns `None` if there are none or, if the reader was cut short, none are known.
    fn minimal(mut self, root: Id) -> Result<Option<Vec<Id>>, Unexplained<E>> {
        let Some(all) = self.payoffs(root, Change::Fall(1))? else {
            return Ok(None);
        };
        let mut left = (*all).clone();
        for payoff in all.iter() {
            left.remove(payoff);
            if !self.holds(root, &left)? {
                left.insert(*payoff);
            }
        }
        // If both sides can reach a board, the same payoff would have to rise and fall.
        let ids: BTreeSet<Id> = left.iter().map(|(id, _)| *id).collect();
        Ok((ids.len() == left.len()).then(|| ids.into_iter().collect()))
    }

    fn payoffs(&mut self, id: Id, change: Change) -> Result<Option<Rc<Payoffs>>, Unexplained<E>> {
        if let Some(known) = self.known.get(&(id, change)) {
            return Ok(known.clone());
        }
        let payoffs = match change {
            _ if !change.is_possible(&self.reader.node(id)) => None,
            Change::Rise(by) => self.of_any(id, by)?,
            Change::Fall(by) => self.of_all(id, by)?,
        };
        let payoffs = payoffs.map(Rc::new);
        self.known.insert((id, change), payoffs.clone());
        Ok(payoffs)
    }

    /// The payoffs that make a position rise, for the move that needs the fewest.
    fn of_any(&mut self, id: Id, by: i16) -> Result<Option<Payoffs>, Unexplained<E>> {
        let node = self.reader.node(id);
        let lacks = |score: i16| node.value + by - score;
        let is_near = |score: i16| lacks(score) <= self.reach;
        if let Some(payoff) = node.payoff
            && is_near(payoff.score)
            && !payoff.is_exact(node.empties())
        {
            return Ok(Some(Payoffs::from([(id, true)])));
        }
        let near = node.children.iter().take_while(|it| is_near(it.score));
        let near = near.count();
        let mut fewest: Option<Rc<Payoffs>> = None;
        for (place, child) in node.children[..near].iter().enumerate() {
            let Some(below) = self.reader.child(id, place)? else {
                continue;
            };
            let all = self.payoffs(below, Change::Fall(lacks(child.score)))?;
            let is_fewer =
                |all: &Rc<Payoffs>| fewest.as_ref().is_none_or(|it| all.len() < it.len());
            if let Some(all) = all.filter(is_fewer) {
                fewest = Some(all);
            }
        }
        Ok(fewest.map(|it| (*it).clone()))
    }

    /// The payoffs that make a position fall: all better moves have to come down.
    fn of_all(&mut self, id: Id, by: i16) -> Result<Option<Payoffs>, Unexplained<E>> {
        let node = self.reader.node(id);
        let excess = |score: i16| score - (node.value - by);
        let mut all = Payoffs::new();
        if let Some(payoff) = node.payoff
            && excess(payoff.score) > 0
        {
            // A proof may hold the value far below the payoff.
            if payoff.is_exact(node.empties()) || excess(payoff.score) > self.reach {
                return Ok(None);
            }
            all.insert((id, false));
        }
        for (place, child) in node.children.iter().enumerate() {
            if excess(child.score) <= 0 {
                break;
            }
            let Some(below) = self.reader.child(id, place)? else {
                return Ok(None);
            };
            match self.payoffs(below, Change::Rise(excess(child.score)))? {
                Some(theirs) => all.extend(theirs.iter()),
                None => return Ok(None),
            }
            if all.len() > MOST {
                self.reader.is_cut_short = true;
                return Ok(None);
            }
        }
        Ok(Some(all))
    }

    /// Whether the value of the root falls if these payoffs come down by `reach` discs.
    fn holds(&mut self, root: Id, payoffs: &Payoffs) -> Result<bool, Unexplained<E>> {
        let mut known = HashMap::new();
        self.holds_below(root, Change::Fall(1), payoffs, &mut known)
    }

    fn holds_below(
        &mut self,
        id: Id,
        change: Change,
        payoffs: &Payoffs,
        known: &mut HashMap<(Id, Change), bool>,
    ) -> Result<bool, Unexplained<E>> {
        if let Some(known) = known.get(&(id, change)) {
            return Ok(*known);
        }
        let node = self.reader.node(id);
        if !change.is_possible(&node) {
            return Ok(false);
        }
        let (by, rises) = match change {
            Change::Rise(by) => (by, true),
            Change::Fall(by) => (by, false),
        };
        // By how much a move has to get better or worse.
        let by = |score: i16| match rises {
            true => node.value + by - score,
            false => score - (node.value - by),
        };
        let of_payoff = node.payoff.map(|it| {
            let by = by(it.score);
            (!rises && by <= 0) || (by <= self.reach && payoffs.contains(&(id, rises)))
        });
        let mut holds = of_payoff.unwrap_or(!rises);
        for (place, child) in node.children.iter().enumerate() {
            let by = by(child.score);
            let matters = if rises { by <= self.reach } else { by > 0 };
            if holds == rises || !matters {
                break;
            }
            let Some(below) = self.reader.child(id, place)? else {
                holds = false;
                continue;
            };
            let change = if rises {
                Change::Fall(by)
            } else {
                Change::Rise(by)
            };
            holds = self.holds_below(below, change, payoffs, known)?;
        }
        known.insert((id, change), holds);
        Ok(holds)
    }
}
