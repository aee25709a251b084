//! How a book grew.

use super::{Across, Chart, Curve, Panel};
use crate::read::growth::{Growth, Step};

impl Growth {
    /// A picture of what the root was worth, and of how large the book was, over the time of the run; `None` where nothing was
    /// learned.
    #[must_use]
    pub fn chart(&self) -> Option<Chart> {
        let last = self.steps.last()?;
        let panel = |label: &str, name: &str, up: &dyn Fn(&Step) -> Option<f64>, is_stepped| {
            let points = self
                .steps
                .iter()
                .filter_map(|step| Some([step.seconds, up(step)?]));
            let curve = Curve {
                name: name.to_owned(),
                points: points.collect(),
                is_stepped,
            };
            Panel {
                label: label.to_owned(),
                curves: vec![curve],
            }
        };
        let rules: Vec<&str> = self.stages.iter().map(|it| it.rule.as_str()).collect();
        Some(Chart {
            title: format!("What change {} has learned", self.change.id),
            note: format!(
                "by {}, {} positions at its end",
                rules.join(", "),
                last.positions
            ),
            across: Across::Time,
            panels: vec![
                panel(
                    "what the root is worth, in discs for its side to move",
                    "value",
                    &|step| step.root.map(f64::from),
                    true,
                ),
                panel(
                    "positions of the book",
                    "positions",
                    &|step| Some(step.positions as f64),
                    false,
                ),
            ],
        })
    }
}
