//! Cutting a book to what good play reaches.

use crate::database::fix::{board, compute, not_in_book};
use crate::database::position::Link;
use crate::database::rows::{State, TABLES, Writer, clear, positions, remove_link};
use crate::{Board, Packed};
use obook_store::{Error, Result, Store};
use rusqlite::Connection;
use serde::Serialize;
use std::collections::{HashMap, VecDeque};
use std::path::Path;

/// Which positions to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Those that one side, either of them, can reach with any moves while the other side plays moves as good as the best.
    Prune {
        /// The most plies from the root.
        depth: Option<u32>,
    },
    /// Those that any moves reach.
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
    compute(&change, State::Committed(change.store()))?;
    let path = change.store().path();
    let progress = change.store().context().progress();
    progress.step("choosing", None);
    let graph = Graph::read(change.connection(), path)?;
    let number = graph.numbers.get(&root.key());
    let root = number.ok_or_else(|| not_in_book(root, path))?;
    let kept = graph.kept(*root, cut);
    let mut pruned = Pruned::default();
    let failed = || Error::sqlite(path, "write");
    let mut gone = Vec::new();
    let mut changed = Vec::new();
    for position in positions(change.connection(), path) {
        let mut position = position?;
        let number = graph.numbers[&position.key];
        if !kept[number as usize] {
            pruned.removed += 1;
            gone.push(position.key);
            continue;
        }
        pruned.kept += 1;
        let children = graph.links[number as usize].iter();
        let links = std::mem::take(&mut position.own.links);
        let dropped: Vec<Link> = links
            .into_iter()
            .zip(children)
            .filter(|(_, (child, _))| !kept[*child as usize])
            .map(|(link, _)| link)
            .collect();
        if dropped.is_empty() {
            continue;
        }
        for link in &dropped {
            position.settle(link);
        }
        pruned.links_dropped += dropped.len() as u64;
        changed.push((position, dropped));
    }
    if dry_run {
        return Ok(pruned);
    }
    progress.step("writing", Some((gone.len() + changed.len()) as u64));
    if pruned.removed * 4 > pruned.kept + pruned.removed {
        TABLES
            .iter()
            .try_for_each(|table| change.log_whole(table))?;
    }
    let mut writer = Writer::new(change.connection()).map_err(failed())?;
    for (position, dropped) in &changed {
        for link in dropped {
            remove_link(change.connection(), position.key, link.mv).map_err(failed())?;
        }
        writer.leaves(position).map_err(failed())?;
        progress.advance(1);
    }
    writer.finish().map_err(failed())?;
    for key in gone {
        (TABLES.iter())
            .try_for_each(|table| clear(change.connection(), table, key))
            .map_err(failed())?;
        progress.advance(1);
    }
    // Lines are shorter now.
    compute(&change, State::Changed(&change))?;
    change.commit(&pruned)?;
    Ok(pruned)
}

/// The links of a book.
struct Graph {
    numbers: HashMap<Packed, u32>,
    /// Of each position: where its links lead, and whether they are as good as the best move.
    links: Vec<Vec<(u32, bool)>>,
}

/// The side to move may play any link, its opponent only the best.
const ANY: usize = 0;
/// The side to move may play only the best links, its opponent any.
const BEST: usize = 1;

impl Graph {
    fn read(connection: &Connection, path: &Path) -> Result<Graph> {
        let mut numbers = HashMap::new();
        let mut children: Vec<Vec<(Packed, bool)>> = Vec::new();
        for position in positions(connection, path) {
            let position = position?;
            let parent = board(&position, path)?;
            let child = |link: &Link| {
                let child = parent.play(link.mv).ok_or_else(|| {
                    let mv = link.mv;
                    Error::unfit(path, format!("table links: {mv} isn't legal in {parent}"))
                })?;
                Ok((child.key(), Some(link.score) >= position.own.value))
            };
            numbers.insert(position.key, children.len() as u32);
            let links = position.own.links.iter().map(child);
            children.push(links.collect::<Result<_>>()?);
        }
        let number = |(child, is_best): &(Packed, bool)| {
            let number = numbers.get(child).ok_or_else(|| {
                Error::unfit(path, "table links: a link leads to no position of the book")
            })?;
            Ok((*number, *is_best))
        };
        let numbered = |children: &Vec<_>| children.iter().map(number).collect();
        Ok(Graph {
            links: children.iter().map(numbered).collect::<Result<_>>()?,
            numbers,
        })
    }

    /// Which positions to keep. Those nearest to the root are reached first.
    fn kept(&self, root: u32, cut: Cut) -> Vec<bool> {
        let most = match cut {
            Cut::Prune { depth } => depth.unwrap_or(u32::MAX),
            Cut::Reachable => u32::MAX,
        };
        let mut reached = vec![[false; 2]; self.links.len()];
        let mut open = VecDeque::new();
        for who in [ANY, BEST] {
            reached[root as usize][who] = true;
            open.push_back((root, who, 0));
        }
        while let Some((at, who, plies)) = open.pop_front() {
            if plies == most {
                continue;
            }
            for &(child, is_best) in &self.links[at as usize] {
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
}
