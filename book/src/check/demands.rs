//! What Edax demands of every position, of a book whose links are in order.

use super::finding::{Findings, Kind, each};
use super::origin::Origin;
use obook_graph::Graph;
use obook_graph::mapping::demands::{self, Demand};

/// Checks all positions of a linked graph.
pub(crate) fn check(graph: &Graph, origin: Origin, keep: usize) -> Findings {
    each(graph, keep, |id, findings| {
        let board = graph.board(id);
        for demand in demands::of(graph, id) {
            if let Some(kind) = kind(demand, origin) {
                findings.add(kind, Some(board.into()), || demand.to_string());
            }
        }
        // In an Edax book the leaf's level is the position's.
        let leaf = graph.leaf(id).and_then(|leaf| leaf.level);
        if let Some(level) = leaf.filter(|level| !origin.can_have(*level))
            && graph.level(id).is_none_or(|level| origin.can_have(level))
        {
            findings.add(Kind::Level, Some(board.into()), || {
                format!("the leaf's {}", Demand::LevelTooHigh(level))
            });
        }
    })
}

/// The kind of finding that an unmet demand is; `None` where the book need not meet it.
fn kind(demand: Demand, origin: Origin) -> Option<Kind> {
    Some(match demand {
        Demand::EmptyCentre => Kind::EmptyCentre,
        Demand::IllegalLink(_) | Demand::IllegalLeaf(_) => Kind::IllegalMove,
        Demand::LinkWithoutChild(_) => Kind::NoChild,
        Demand::RepeatedMove(_) => Kind::DuplicateMove,
        Demand::PassIntoBook => Kind::LeafInBook,
        Demand::FinalScoreTooEarly => Kind::ScoreWithoutMove,
        Demand::WrongFinalScore { .. } => Kind::FinalScore,
        Demand::MissingLeaf(_) if origin.is_edax() => Kind::MissingLeaf,
        Demand::MissingLeaf(_) => Kind::NoLeaf,
        // Egaroucid keeps the score of a finished game as its value, and may not know a level.
        Demand::MissingFinalScore if origin.is_edax() => Kind::NoFinalScore,
        // What a person entered is no level of an engine: an export writes the highest that Edax knows, and says so.
        Demand::LevelTooHigh(level) if origin.can_have(level) => return None,
        Demand::LevelTooHigh(_) => Kind::Level,
        Demand::MissingLevel if origin.is_edax() => Kind::Level,
        Demand::MissingFinalScore | Demand::MissingLevel => return None,
    })
}
