//! What Edax demands of every position, of a book whose links are in order.

use super::Source;
use super::finding::{Findings, Kind, each};
use crate::graph::Graph;
use crate::graph::mapping::demands::{self, Demand};
use obook_converters::PERSON_LEVEL;

/// Checks all positions of a linked graph.
pub(crate) fn check(graph: &Graph, source: Source, keep: usize) -> Findings {
    each(graph, keep, |id, findings| {
        for demand in demands::of(graph, id) {
            if let Some(kind) = kind(demand, source) {
                let board = graph.board(id);
                findings.add(kind, Some(board.into()), || demand.to_string());
            }
        }
    })
}

/// The kind of finding that an unmet demand is; `None` where the source need not meet it.
fn kind(demand: Demand, source: Source) -> Option<Kind> {
    Some(match demand {
        Demand::EmptyCentre => Kind::EmptyCentre,
        Demand::IllegalLink(_) | Demand::IllegalLeaf(_) => Kind::IllegalMove,
        Demand::LinkWithoutChild(_) => Kind::NoChild,
        Demand::RepeatedMove(_) => Kind::DuplicateMove,
        Demand::PassIntoBook => Kind::LeafInBook,
        Demand::FinalScoreTooEarly => Kind::ScoreWithoutMove,
        Demand::WrongFinalScore { .. } => Kind::FinalScore,
        Demand::MissingLeaf(_) if source.is_edax() => Kind::MissingLeaf,
        Demand::MissingLeaf(_) => Kind::NoLeaf,
        // Egaroucid keeps the score of a finished game as its value, and may not know a level.
        Demand::MissingFinalScore if source.is_edax() => Kind::NoFinalScore,
        // What a person entered: an export writes the highest level that Edax knows, and says so.
        Demand::LevelTooHigh(PERSON_LEVEL) if matches!(source, Source::Database(_)) => return None,
        Demand::MissingLevel | Demand::LevelTooHigh(_) if source.is_edax() => Kind::Level,
        Demand::MissingFinalScore | Demand::MissingLevel | Demand::LevelTooHigh(_) => return None,
    })
}
