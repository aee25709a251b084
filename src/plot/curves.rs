//! How often each predictor ranks two games in the right order.

use super::axes::{Area, CURVES, Ticks, WIDTH, plain};
use super::chart::Curve;
use super::markup::Markup;
use crate::games::Predictions;

const HEIGHT: f64 = 480.0;
/// Tossing a coin is right half of the time. The picture begins a little below.
const LEAST: f64 = 40.0;

impl Predictions {
    /// Draws how often each predictor finds the right order, by the number of earlier games that reached a position.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let title = format!("Which rating predicts the games since {}?", self.since);
        let description = format!(
            "How often a won game had a higher prediction than a lost one, for {} groups of positions. Predictors: {}.",
            self.by_games.len(),
            self.predictors.join(", ")
        );
        let style = format!("{CURVES}.coin{{stroke-dasharray:4 4}}");
        let note = "Dashed: tossing a coin.";
        let mut svg = Markup::picture([WIDTH, HEIGHT], &title, note, &description, &style);
        let area = Area::of(HEIGHT, 150.0);
        let up = Ticks::by(10.0, LEAST, 100.0);
        let name = "how often a won game had a higher prediction than a lost one";
        let percent = up.labels(|value| format!("{} %", plain(value)));
        area.draw_up(&mut svg, name, percent);
        let coin = area.y(up.share(50.0));
        svg.line_between("axis coin", [area.left, coin], [area.right, coin]);
        // Groups are the same distance apart, with some space at both ends.
        let groups = self.by_games.len().max(1) as f64;
        let across = |index: usize| (index as f64 + 0.5) / groups;
        let numbers = self.by_games.iter().enumerate();
        let numbers = numbers.map(|(at, group)| (across(at), plain(group.from as f64)));
        let name = "earlier games that reached the position, at least";
        area.draw_across(&mut svg, name, numbers);
        let curves = self.predictors.iter().enumerate().map(|(index, name)| {
            let points = self.by_games.iter().enumerate().filter_map(|(at, group)| {
                let percent = 100.0 * group.order[index]?;
                Some([across(at), up.share(percent.max(LEAST))])
            });
            Curve::of(name, points, false)
        });
        area.draw_curves(&mut svg, curves);
        svg.finish()
    }
}
