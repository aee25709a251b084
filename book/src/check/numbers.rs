//! Value, bounds, outcomes and lines against leaf and children.
//!
//! Each position is judged by what stands directly below it, as the book has it: so a wrong number is reported where it
//! is, not once for every position above it. A book in which every position agrees with its children is the one that
//! negamax computes.

use super::finding::{Findings, Kind, each};
use super::origin::Origin;
use obook_graph::negamax::{self, MOST_LINES, Scoring};
use obook_graph::{Graph, NodeId};
use obook_model::{Bounds, Outcomes};

/// Compares the numbers of all positions with those that the rules give; the graph is linked.
pub(crate) fn check(graph: &Graph, origin: Origin, rules: Scoring, keep: usize) -> Findings {
    each(graph, keep, |id, findings| {
        check_one(graph, id, origin, rules, findings)
    })
}

/// The rules among these under which the fewest values are wrong; the first of equals.
pub(crate) fn closest(graph: &Graph, origin: Origin, rules: &[Scoring]) -> Scoring {
    let wrong = |rules: &Scoring| check(graph, origin, *rules, 0).count(Kind::Value);
    rules
        .iter()
        .copied()
        .min_by_key(wrong)
        .expect("rules to choose from")
}

fn check_one(graph: &Graph, id: NodeId, origin: Origin, rules: Scoring, findings: &mut Findings) {
    let board = graph.board(id);
    let expected = negamax::judge(graph, id, rules);
    let value = graph.value(id);
    if let (Some(found), Some(expected)) = (value, expected.value())
        && found != expected
    {
        findings.add(Kind::Value, Some(board.into()), || {
            format!("the value is {found:+}: expected {expected:+}")
        });
    }
    if let (Some(found), Some(expected)) = (graph.bounds(id), expected.bounds())
        && found != expected
    {
        findings.add(Kind::Bounds, Some(board.into()), || {
            format!(
                "the bounds are {}: expected {}",
                show_bounds(found),
                show_bounds(expected)
            )
        });
    }
    if let (Some(found), Some(expected)) = (graph.outcomes(id), expected.outcomes())
        && found != expected
    {
        findings.add(Kind::Outcomes, Some(board.into()), || {
            format!(
                "{}: expected {}",
                show_outcomes(found),
                show_outcomes(expected)
            )
        });
    }
    let lines = graph.lines(id);
    if let (Some(found), Some(expected)) = (lines, expected.lines())
        && !same_lines(found, expected, rules)
    {
        findings.add(Kind::Lines, Some(board.into()), || {
            format!("{found} lines: expected {expected}")
        });
    }
    let derived = lines.is_some()
        && (!origin.is_edax() || graph.bounds(id).is_some() && graph.outcomes(id).is_some());
    // A file that lacks them may have no room for them.
    if value.is_none() && origin.has_values() || !derived && origin.is_database() {
        findings.add(Kind::Unknown, Some(board.into()), || {
            String::from(
                "the value or the numbers that follow from it are not known yet: run negamax",
            )
        });
    }
}

fn same_lines(found: u32, expected: u32, rules: Scoring) -> bool {
    found == expected
        || matches!(rules, Scoring::Egaroucid { .. }) && found.min(expected) >= MOST_LINES
}

fn show_bounds(bounds: Bounds) -> String {
    format!("[{:+}, {:+}]", bounds.lower, bounds.upper)
}

fn show_outcomes(outcomes: Outcomes) -> String {
    let Outcomes {
        wins,
        draws,
        losses,
    } = outcomes;
    format!("{wins} wins, {draws} draws, {losses} losses")
}
