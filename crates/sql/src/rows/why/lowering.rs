//! How a value can fall: a minimal set of payoffs that lowers it if all of them come down.
//!
//! A position is worth less if each of its best moves is. If the other side is to move, one better move for that side is enough; of
//! such moves, the one that needs the fewest payoffs is taken. Exact scores don't come down.

use super::answer::{Explained, Lowering, Payoff};
use super::reader::{Id, Reader};
use super::shifts::REACH;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The largest set of payoffs: more are of no use to people.
const MOST: usize = 1000;

/// Payoffs, and whether each rises for the side to move in its position.
type Payoffs = BTreeSet<(Id, bool)>;

/// Finds payoffs that have to come down by as few discs as possible.
pub(super) fn lowering<E>(reader: &mut Reader<'_, E>, root: Id) -> Explained<Lowering, E> {
    for by in 1..=REACH {
        if let Some(ids) = minimal(reader, by, root)? {
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

/// Finds payoffs of which none can stay. Returns `None` if there are none or, if the reader was cut short, none are known.
fn minimal<E>(
    reader: &mut Reader<'_, E>,
    reach: i16,
    root: Id,
) -> Explained<Option<BTreeSet<Id>>, E> {
    let mut fall = |among: Option<&Payoffs>| {
        let known = HashMap::new();
        let mut lowered = Lowered {
            reader: &mut *reader,
            reach,
            among,
            known,
        };
        lowered.payoffs(root, -1)
    };
    let Some(all) = fall(None)? else {
        return Ok(None);
    };
    let mut left = (*all).clone();
    for payoff in all.iter() {
        left.remove(payoff);
        if fall(Some(&left))?.is_none() {
            left.insert(*payoff);
        }
    }
    // If both sides can reach a board, the same payoff would have to rise and fall.
    let ids: BTreeSet<Id> = left.iter().map(|(id, _)| *id).collect();
    Ok(Some(ids).filter(|ids| ids.len() == left.len()))
}

/// The effects of payoffs coming down by up to `reach` discs.
struct Lowered<'r, 'l, E> {
    reader: &'r mut Reader<'l, E>,
    reach: i16,
    /// The only payoffs that may come down. Then it matters whether they are enough, not which of them are needed.
    among: Option<&'r Payoffs>,
    /// By position, and the least change of its value in discs: up or, if it is negative, down.
    known: HashMap<(Id, i16), Option<Rc<Payoffs>>>,
}

impl<E> Lowered<'_, '_, E> {
    /// The payoff of a position, if it can come down; `rises`: for the side to move there it rises.
    fn own(&self, id: Id, rises: bool) -> Option<Payoffs> {
        let node = self.reader.node(id);
        match self.among {
            Some(among) => among.contains(&(id, rises)).then(Payoffs::new),
            None if node.payoff.is_some_and(|it| it.is_exact(node.empties())) => None,
            None => Some(Payoffs::from([(id, rises)])),
        }
    }

    fn payoffs(&mut self, id: Id, change: i16) -> Explained<Option<Rc<Payoffs>>, E> {
        if let Some(known) = self.known.get(&(id, change)) {
            return Ok(known.clone());
        }
        let payoffs = match change {
            _ if !self.reader.node(id).may_change(change) => None,
            1.. => self.of_any(id, change)?,
            _ => self.of_all(id, -change)?,
        };
        let payoffs = payoffs.map(Rc::new);
        self.known.insert((id, change), payoffs.clone());
        Ok(payoffs)
    }

    /// The payoffs that make a position rise, for the move that needs the fewest.
    fn of_any(&mut self, id: Id, by: i16) -> Explained<Option<Payoffs>, E> {
        let node = self.reader.node(id);
        let lacks = |score: i16| node.value + by - score;
        let is_near = |score: i16| lacks(score) <= self.reach;
        if let Some(payoff) = node.payoff
            && is_near(payoff.score)
            && let Some(own) = self.own(id, true)
        {
            return Ok(Some(own));
        }
        let near = node.children.iter().take_while(|it| is_near(it.score));
        let near = near.count();
        let mut fewest: Option<Rc<Payoffs>> = None;
        for (place, child) in node.children[..near].iter().enumerate() {
            if self.among.is_some() && fewest.is_some() {
                break;
            }
            let Some(below) = self.reader.child(id, place)? else {
                continue;
            };
            let all = self.payoffs(below, -lacks(child.score))?;
            let is_fewer =
                |all: &Rc<Payoffs>| fewest.as_ref().is_none_or(|it| all.len() < it.len());
            if let Some(all) = all.filter(is_fewer) {
                fewest = Some(all);
            }
        }
        Ok(fewest.map(|it| (*it).clone()))
    }

    /// The payoffs that make a position fall: all better moves have to come down.
    fn of_all(&mut self, id: Id, by: i16) -> Explained<Option<Payoffs>, E> {
        let node = self.reader.node(id);
        let excess = |score: i16| score - (node.value - by);
        let mut all = Payoffs::new();
        if let Some(payoff) = node.payoff
            && excess(payoff.score) > 0
        {
            // A proof may hold the value far below the payoff.
            match self.own(id, false) {
                Some(own) if excess(payoff.score) <= self.reach => all = own,
                _ => return Ok(None),
            }
        }
        for (place, child) in node.children.iter().enumerate() {
            if excess(child.score) <= 0 {
                break;
            }
            let Some(below) = self.reader.child(id, place)? else {
                return Ok(None);
            };
            match self.payoffs(below, excess(child.score))? {
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
}
