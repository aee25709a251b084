//! Edax's numbers: value, bounds, outcomes and lines.

use crate::graph::Step;
use crate::levels::Search;
use obook_converters::{Bounds, Outcomes};

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
    let childless = step.edges.iter().all(|edge| step.child(*edge).is_none());
    let searched = match step.leaf {
        Some(leaf) => Some(i16::from(leaf.score)),
        None if childless => step.node.value(),
        None => None,
    };
    if let Some(score) = searched {
        let search = step
            .node
            .level()
            .map(|level| Search::new(step.node.engine(), level, step.empties));
        let bounds = search
            .map(|search| leaf_bounds(score, search, step.empties, midgame_error, endcut_error));
        let solved = search.is_some_and(Search::is_solved);
        sum.add(score, bounds, outcome(score, solved), 1);
    }
    for edge in step.edges.iter_mut() {
        let child = edge.child().map(|place| &step.below[place]);
        edge.set_score(
            child
                .and_then(|child| child.value())
                .map(crate::graph::Edge::score_of),
        );
        let Some(child) = child else { continue };
        let Some(value) = child.value() else { continue };
        let bounds = child.bounds().map(|bounds| Bounds {
            lower: bounds.upper.saturating_neg(),
            upper: bounds.lower.saturating_neg(),
        });
        let outcomes = child.outcomes().unwrap_or_default();
        let swapped = Outcomes {
            wins: outcomes.losses,
            draws: outcomes.draws,
            losses: outcomes.wins,
        };
        sum.add(
            value.saturating_neg(),
            bounds,
            swapped,
            child.lines().unwrap_or(0),
        );
    }
    step.node.set_value(sum.value);
    step.node.set_bounds(sum.bounds.flatten());
    step.node.set_outcomes(Some(sum.outcomes));
    step.node.set_lines(Some(sum.lines));
    super::sort_links(step.edges);
}

fn leaf_bounds(
    score: i16,
    search: Search,
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

fn saturated(score: i32) -> i16 {
    score.clamp(i16::MIN.into(), i16::MAX.into()) as i16
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
        let midgame = Search {
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
            assert_eq!((low, high), (i16::MIN, i16::MAX));
        }
    }
}
