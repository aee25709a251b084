//! Corrections of single positions without a search: impossible levels and the scores of finished games.

use super::rows::missing;
use crate::BookHeader;
use crate::check::{FindingKind, Findings, Origin};
use crate::database::Missing;
use obook_graph::link::is_linked;
use obook_graph::negamax::{count_inconsistent, result_of};
use obook_graph::{Graph, NodeId};
use obook_othello::levels::MAX_LEVEL;
use obook_othello::{Leaf, final_leaf, is_entered};
use rayon::prelude::*;

/// The positions that lack a leaf if the book is fixed already: [`Plan::fix`](super::Plan::fix) would change
/// nothing. The pass positions that its rules need must be there. Frozen positions don't count.
pub(crate) fn missing_if_fixed(graph: &Graph, header: &BookHeader) -> Option<Vec<Missing>> {
    let is_fixed = is_mended(graph, Origin::Database(header.rules))
        && is_linked(graph)
        && count_inconsistent(graph, header.negamax_rules()) == 0;
    is_fixed.then(|| missing(graph, |_| true, |id| graph.leaf(id)))
}

/// Corrects levels and the scores of finished games.
pub(crate) fn mend(graph: &mut Graph, origin: Origin, repaired: &mut Findings) {
    cap_levels(graph, origin, repaired);
    finish_games(graph, origin.is_edax(), repaired);
}

/// Whether the levels and the scores of finished games need no [mending](mend).
fn is_mended(graph: &Graph, origin: Origin) -> bool {
    graph.unfrozen().all(|id| {
        impossible_levels(graph, id, origin) == [None; 2]
            && wrong_final_score(graph, id, origin.is_edax()).is_none()
    })
}

/// The levels of a position and of its leaf, if they are impossible.
fn impossible_levels(graph: &Graph, id: NodeId, origin: Origin) -> [Option<u8>; 2] {
    let of_leaf = graph.leaf(id).and_then(|leaf| leaf.level);
    [graph.level(id), of_leaf].map(|level| level.filter(|level| !origin.can_have(*level)))
}

/// The fault of a finished game whose score is wrong or, with Edax's rules, missing. By Egaroucid's rules its value is a score, too.
fn wrong_final_score(graph: &Graph, id: NodeId, edax: bool) -> Option<FindingKind> {
    let board = graph.board(id).board();
    if !board.is_over() {
        return None;
    }
    let has_wrong_value = !edax && result_against_value(graph, id).is_some();
    match graph.leaf(id) {
        Some(leaf) if leaf.score != board.final_score() => Some(FindingKind::FinalScore),
        None if edax => Some(FindingKind::NoFinalScore),
        _ => has_wrong_value.then_some(FindingKind::FinalScore),
    }
}

/// The result of a finished game, if its value is another and nobody entered that.
pub(crate) fn result_against_value(graph: &Graph, id: NodeId) -> Option<i16> {
    let result = i16::from(result_of(graph.board(id))?.exact()?);
    let value = graph.value(id).filter(|_| !is_entered(graph.level(id)))?;
    (value != result).then_some(result)
}

/// Lowers impossible levels to the highest possible one, as Edax does when it reads a book.
fn cap_levels(graph: &mut Graph, origin: Origin, repaired: &mut Findings) {
    let beyond = |id: &NodeId| impossible_levels(graph, *id, origin) != [None; 2];
    let beyond: Vec<NodeId> = graph.unfrozen().filter(beyond).collect();
    for id in beyond {
        let board = graph.board(id);
        let [own, of_leaf] = impossible_levels(graph, id, origin);
        for (whose, level) in [("the level", own), ("the leaf's level", of_leaf)] {
            let Some(level) = level else { continue };
            repaired.add(FindingKind::Level, board.to_key(), || {
                format!("{whose} was {level} and is {MAX_LEVEL} now")
            });
        }
        let level = Some(MAX_LEVEL);
        if own.is_some() {
            graph.set_level(id, graph.engine(id), level);
        }
        if let Some(leaf) = graph.leaf(id).filter(|_| of_leaf.is_some()) {
            graph.set_leaf(id, Leaf { level, ..leaf });
        }
    }
}

/// Gives finished games the score on their board if theirs is wrong or, with Edax's rules, missing.
fn finish_games(graph: &mut Graph, edax: bool, repaired: &mut Findings) {
    let wrong = |id: NodeId| Some((id, wrong_final_score(graph, id, edax)?));
    let wrong: Vec<(NodeId, FindingKind)> = graph.unfrozen().filter_map(wrong).collect();
    for (id, kind) in wrong {
        let board = graph.board(id);
        let score = board.board().final_score();
        repaired.add(kind, board.to_key(), || {
            format!("the final score is {score:+} now")
        });
        if edax || graph.leaf(id).is_some() {
            let leaf = final_leaf(board.board(), graph.level(id), graph.engine(id));
            graph.set_leaf(id, leaf);
        }
        if let Some(result) = result_against_value(graph, id) {
            graph.set_value(id, Some(result));
        }
    }
}
