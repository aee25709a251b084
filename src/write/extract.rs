//! A book of what was played: positions and links without scores, for an engine to search.

use crate::check::{Findings, Origin};
use crate::database::NewBook;
use crate::games::{Condition, plays};
use crate::write::fix::{mend, missing};
use crate::{BookHeader, Error, Progress, Result, Store};
use obook_graph::link::link_counted;
use obook_graph::negamax::negamax;
use obook_graph::{Graph, GraphBuilder};
use obook_othello::{Board, Engine, Link, Position, RuleSet};
use serde::Serialize;
use std::collections::BTreeSet;

/// Which of the played moves are taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExtractOptions {
    /// Moves played in at least this many games.
    pub min_games: u64,
    /// Moves up to this ply.
    pub depth: u8,
    /// The level at which the book is to be searched, on Edax's scale.
    pub level: u8,
    /// The games to look at.
    pub condition: Condition,
}

/// The size of the new book.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Extracted {
    /// Positions of the book.
    pub positions: u64,
    /// Moves between them.
    pub links: u64,
}

/// Makes a book of the positions that games reached from the start by moves that were played often enough. It has no
/// scores: every position waits for a search, and is listed in table `todo`.
///
/// # Errors
/// If the games can't be read or the book can't be written. No book is left behind.
pub fn extract(games: &Store, options: &ExtractOptions, new: NewBook) -> Result<Extracted> {
    let context = new.context().clone();
    let progress = context.progress();
    let mut header = BookHeader::new(RuleSet::Edax);
    header.header.level = Some(options.level.into());
    header.header.set_depth(options.depth.into());
    let graph = skeleton(games, options, progress)?.finish();
    let (mut graph, _) = graph.map_err(Error::too_large(new.path()))?;
    let origin = Origin::Database(header.rules);
    mend(&mut graph, origin, &mut Findings::new(0));
    progress.step("linking", Some(graph.len() as u64));
    link_counted(&mut graph, progress).map_err(Error::too_large(new.path()))?;
    progress.step("computing", None);
    negamax(&mut graph, header.negamax_rules());
    new.set_header(&header)?;
    let rows = new.fill(|| Ok(graph.positions().map(Ok)))?;
    new.set_todo(&missing(&graph, |_| true, |_| None))?;
    new.mark_fixed()?;
    let extracted = Extracted {
        positions: rows.positions,
        links: rows.links,
    };
    new.commit(&extracted)?;
    Ok(extracted)
}

/// The positions with their links, layer by layer from the start.
fn skeleton(games: &Store, options: &ExtractOptions, progress: &Progress) -> Result<GraphBuilder> {
    progress.step("looking up what was played", None);
    let mut found = Graph::builder();
    let mut layer = BTreeSet::from([Board::START.canonical()]);
    while !layer.is_empty() {
        let mut next = BTreeSet::new();
        for board in layer {
            progress.advance(1);
            let mut position = Position::new(board, Engine::Edax);
            position.level = Some(options.level);
            let plays = games.read(|it| plays(it, None, board, &options.condition))?;
            for play in plays {
                let mv = play.mv;
                let Some(child) = board.board().play(mv) else {
                    // Another program has written an illegal move.
                    continue;
                };
                let is_near = child.ply() <= usize::from(options.depth);
                if play.games >= options.min_games && is_near {
                    position.links.push(Link { mv, score: None });
                    next.insert(child.canonical());
                }
            }
            found.push(position);
        }
        layer = next;
    }
    Ok(found)
}
