//! Cutting a book to what good play reaches.

use crate::database::fix::{compute_and, not_in_book};
use crate::database::rows::{State, TABLES, Writer, clear, leaf_depth, positions, remove_link};
use crate::{Board, ENDLESS, Move, OwnScores, Packed};
use obook_store::{Error, Result, Store};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::VecDeque;

/// The positions to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// All that one side, either of them, can reach with any moves while the other side plays moves as good as the best.
    Prune {
        /// The most plies from the root.
        depth: Option<u32>,
    },
    /// All that any moves reach.
    Reachable,
}

/// The effect of a cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pruned {
    /// Positions kept.
    pub kept: u64,
    /// Positions removed.
    pub removed: u64,
    /// Links from kept to removed positions, which became leaves with the same scores.
    pub links_dropped: u64,
}

/// Fixes a book, and removes the positions that a cut doesn't keep. Links to them become leaves, so no value changes. If it is a dry
/// run, nothing is written.
///
/// # Errors
/// If the database can't be read or written, and [`Error::Unfit`] if it doesn't have the root; it is then as before.
pub fn prune(store: &mut Store, root: &Board, cut: Cut, dry_run: bool) -> Result<Pruned> {
    let change = store.change()?;
    let path = change.store().path();
    let progress = change.store().context().progress();
    let choose = |own: &OwnScores| {
        progress.step("choosing", None);
        let kept = kept(own, own.positions.number(root.key())?, cut);
        let dropped = |number: u32| {
            let dropped = links(own, number).filter(|&(_, child, _)| !kept[child as usize]);
            let dropped = dropped.map(|(mv, child, _)| (mv, end(own, child)));
            kept[number as usize].then(|| dropped.collect::<Vec<_>>())
        };
        let numbers = (0..own.positions.len()).into_par_iter();
        Some(numbers.map(dropped).collect::<Vec<_>>())
    };
    let (_, chosen) = compute_and(&change, State::committed(change.store())?, choose)?;
    let chosen = chosen.ok_or_else(|| not_in_book(root, path))?;
    let mut pruned = Pruned::default();
    let mut gone = Vec::new();
    let mut changed = Vec::new();
    for (position, dropped) in positions(change.connection(), path).zip(chosen) {
        let mut position = position?;
        let Some(dropped) = dropped else {
            pruned.removed += 1;
            gone.push(position.key);
            continue;
        };
        pruned.kept += 1;
        if dropped.is_empty() {
            continue;
        }
        for link in std::mem::take(&mut position.own.links) {
            let Some((_, end)) = dropped.iter().find(|(mv, _)| *mv == link.mv) else {
                continue;
            };
            let depth = match end {
                Some((key, mv)) => leaf_depth(change.connection(), *key, *mv)
                    .map_err(Error::sqlite(path, "read"))?,
                None => Some(link.depth).filter(|depth| *depth < ENDLESS),
            };
            position.settle(&link, depth);
        }
        pruned.links_dropped += dropped.len() as u64;
        changed.push((position, dropped));
    }
    if dry_run {
        return Ok(pruned);
    }
    progress.step("writing", Some((gone.len() + changed.len()) as u64));
    if pruned.removed * 4 > pruned.kept + pruned.removed {
        change.log_whole(&TABLES)?;
    }
    let mut writer = Writer::new(change.connection()).map_err(change.failed())?;
    for (position, dropped) in &changed {
        for (mv, _) in dropped {
            remove_link(change.connection(), position.key, *mv).map_err(change.failed())?;
        }
        writer.leaves(position).map_err(change.failed())?;
        progress.advance(1);
    }
    writer.finish().map_err(change.failed())?;
    for key in gone {
        (TABLES.iter())
            .try_for_each(|table| clear(change.connection(), table, key))
            .map_err(change.failed())?;
        progress.advance(1);
    }
    // Lines are shorter now.
    compute_and(&change, State::Changed(&change), |_| ())?;
    change.commit(&pruned)?;
    Ok(pruned)
}

/// The leaf that ends the best line from a position; `None` if a mate ends it, or nothing.
fn end(own: &OwnScores, mut at: u32) -> Option<(Packed, Move)> {
    for _ in 0..ENDLESS {
        let best = *own.moves_of(at).first()?;
        if best.depth == Some(ENDLESS) {
            break;
        }
        let mut links = own.positions.links(at).iter();
        match links.find(|(mv, _)| *mv == best.mv) {
            Some((_, child)) => at = *child,
            None => return Some((own.positions.key(at), best.mv)),
        }
    }
    None
}

/// The side to move may play any link, its opponent only the best.
const ANY: usize = 0;
/// The side to move may play only the best links, its opponent any.
const BEST: usize = 1;

/// The positions to keep. Those nearest to the root are reached first.
fn kept(own: &OwnScores, root: u32, cut: Cut) -> Vec<bool> {
    let most = match cut {
        Cut::Prune { depth } => depth.unwrap_or(u32::MAX),
        Cut::Reachable => u32::MAX,
    };
    let has_unknown = (0..own.positions.len()).any(|number| own.score(number).is_none());
    let mut reached = vec![[false; 2]; own.positions.len() as usize];
    let mut open = VecDeque::new();
    for who in [ANY, BEST] {
        reached[root as usize][who] = true;
        open.push_back((root, who, 0));
    }
    while let Some((at, who, plies)) = open.pop_front() {
        if plies == most {
            continue;
        }
        let known = links(own, at).map(|(_, child, is_best)| (child, is_best));
        let unknown = has_unknown.then(|| unknown(own, at));
        let unknown = unknown.into_iter().flatten().map(|child| (child, false));
        for (child, is_best) in known.chain(unknown) {
            let next = match cut {
                Cut::Reachable => ANY,
                Cut::Prune { .. } if who == ANY => BEST,
                Cut::Prune { .. } if is_best => ANY,
                Cut::Prune { .. } => continue,
            };
            if !std::mem::replace(&mut reached[child as usize][next], true) {
                open.push_back((child, next, plies + 1));
            }
        }
    }
    reached.into_iter().map(|[any, best]| any || best).collect()
}

/// The positions without a score to which moves of a position lead. No link says so.
fn unknown(own: &OwnScores, number: u32) -> impl Iterator<Item = u32> {
    let children = own.positions.key(number).unpacked().children().into_iter();
    let children = children.filter_map(|(_, child)| own.positions.number(child.key()));
    children.filter(|&child| own.score(child).is_none())
}

/// The links of a position: moves, where they lead, and whether they are as good as the best one.
fn links(own: &OwnScores, number: u32) -> impl Iterator<Item = (Move, u32, bool)> {
    let links = own.positions.links(number).iter();
    links.filter_map(move |&(mv, child)| {
        let score = -own.score(child)?;
        Some((mv, child, Some(score) >= own.score(number)))
    })
}
