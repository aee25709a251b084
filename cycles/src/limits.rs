//! What a graph says of its scores, kept within its limit.

use crate::bounds::Bounds;
use crate::graph::{Graph, MAX_SCORE, Score};

/// The limit, itself within what a score can be.
pub(crate) fn limit(graph: &impl Graph) -> Score {
    graph.limit().clamp(0, MAX_SCORE)
}

/// The payoff, within the limit.
pub(crate) fn payoff(graph: &impl Graph, node: u32) -> Option<Score> {
    let limit = limit(graph);
    graph.payoff(node).map(|score| score.clamp(-limit, limit))
}

/// The range of repetitions within the limit, its lower end first even if the graph has them the wrong way round.
pub(crate) fn repetition_range(graph: &impl Graph, node: u32) -> Bounds {
    let limit = limit(graph);
    let (start, end) = graph.repetition_range(node).into_inner();
    let [start, end] = [start, end].map(|score| Bounds::exactly(score.clamp(-limit, limit)));
    start.hull(end)
}

/// The worth of a repetition within its range. The cycle is never empty.
pub(crate) fn repetition(graph: &impl Graph, cycle: &[u32]) -> Score {
    let last = cycle[cycle.len() - 1];
    let range = repetition_range(graph, last);
    range
        .score()
        .unwrap_or_else(|| graph.repetition(cycle).clamp(range.lower, range.upper))
}
