//! Edax's numbers: value, bounds, outcomes and lines.

use crate::{Edge, Node, Step};
use obook_model::levels::Effort;
use obook_model::{Bounds, Outcomes};

/// What the leaf and the children seen so far amount to.
struct Sum {
    value: Option<i16>,
    /// Outer `None`: nothing seen yet; inner: something whose bounds are not known.
    bounds: Option<Option<Bounds>>,
    outcomes: Outcomes,
    lines: u32,
}

impl Sum {
    fn add(&mut self, value: i16, bounds: Option<Bounds>, outcomes: Outcomes, lines: u32) {
        self.value = self.value.max(Some(value));
        self.bounds = Some(match (self.bounds, bounds) {
            (None, bounds) => bounds,
            (Some(Some(old)), Some(new)) => Some(Bounds {
                lower: old.lower.max(new.lower),
                upper: old.upper.max(new.upper),
            }),
            (Some(_), _) => None,
        });
        self.outcomes.wins = self.outcomes.wins.saturating_add(outcomes.wins);
        self.outcomes.draws = self.outcomes.draws.saturating_add(outcomes.draws);
        self.outcomes.losses = self.outcomes.losses.saturating_add(outcomes.losses);
        self.lines = self.lines.saturating_add(lines);
    }
}

/// Computes one position.
///
/// A position with neither leaf nor child keeps its value, which is then judged as a leaf's score is: it is the result
/// of a search like any other.
pub(super) fn visit(step: Step<'_>, midgame_error: i32, endcut_error: i32) {
    let mut sum = Sum {
        value: None,
        bounds: None,
        outcomes: Outcomes::default(),
        lines: 0,
    };
    let Step {
        node,
        leaf,
        edges,
        below,
        empties,
    } = step;
    let searched = match leaf {
        Some(leaf) => Some(i16::from(leaf.score)),
        None if edges.iter().any(|edge| edge.has_child()) => None,
        None => node.value(),
    };
    if let Some(score) = searched {
        let search = node
            .level()
            .map(|level| Effort::new(node.engine(), level, empties));
        let bounds =
            search.map(|search| leaf_bounds(score, search, empties, midgame_error, endcut_error));
        let solved = search.is_some_and(Effort::is_solved);
        sum.add(score, bounds, outcome(score, solved), 1);
    }
    for edge in edges.iter_mut() {
        let child = edge.child_in(below);
        edge.set_score(child.and_then(Node::value).map(Edge::score_of));
        let Some(seen) = child.map(|child| child.turned()) else {
            continue;
        };
        let Some(score) = seen.value() else { continue };
        let outcomes = seen.outcomes().unwrap_or_default();
        sum.add(score, seen.bounds(), outcomes, seen.lines().unwrap_or(0));
    }
    node.set_value(sum.value);
    node.set_bounds(sum.bounds.flatten());
    node.set_outcomes(Some(sum.outcomes));
    node.set_lines(Some(sum.lines));
}

/// The bounds of a score that this search found, with these errors allowed for, in discs.
pub fn leaf_bounds(
    score: i16,
    search: Effort,
    empties: u8,
    midgame_error: i32,
    endcut_error: i32,
) -> Bounds {
    let (error, bias) = if search.is_solved() {
        (0, 0)
    } else if search.to_the_end {
        (endcut_error, 0)
    } else {
        (
            midgame_error,
            i32::from(search.depth % 2) - i32::from(empties % 2),
        )
    };
    let middle = i32::from(score) - bias;
    Bounds {
        lower: saturated(middle.saturating_sub(error)),
        upper: saturated(middle.saturating_add(error)),
    }
}

/// What books hold, and the other side's books as well.
fn saturated(score: i32) -> i16 {
    score.clamp((-i16::MAX).into(), i16::MAX.into()) as i16
}

fn outcome(score: i16, solved: bool) -> Outcomes {
    Outcomes {
        wins: u32::from(solved && score > 0),
        draws: u32::from(solved && score == 0),
        losses: u32::from(solved && score < 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_saturate() {
        let mut sum = Sum {
            value: None,
            bounds: None,
            outcomes: Outcomes::default(),
            lines: 0,
        };
        let outcomes = Outcomes {
            wins: u32::MAX - 1,
            draws: u32::MAX,
            losses: 1,
        };
        for _ in 0..3 {
            sum.add(0, None, outcomes, u32::MAX - 1);
        }
        let most = Outcomes {
            wins: u32::MAX,
            draws: u32::MAX,
            losses: 3,
        };
        assert_eq!((sum.outcomes, sum.lines), (most, u32::MAX));
    }

    /// Headers hold any 32-bit number as an error, and hostile ones do.
    #[test]
    fn bounds_saturate() {
        let midgame = Effort {
            depth: 21,
            probability: 73,
            to_the_end: false,
        };
        for error in [i32::MAX, i32::MIN] {
            let bounds = leaf_bounds(-64, midgame, 40, error, 0);
            let (low, high) = (
                bounds.lower.min(bounds.upper),
                bounds.lower.max(bounds.upper),
            );
            assert_eq!((low, high), (-i16::MAX, i16::MAX));
        }
    }
}
