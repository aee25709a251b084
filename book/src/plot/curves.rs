//! How often each predictor ranks two games in the right order.

use super::svg::{Svg, number};
use crate::games::{Predicted, Predictions};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 480.0;
const LEFT: f64 = 76.0;
const TOP: f64 = 96.0;
const BOTTOM: f64 = HEIGHT - 62.0;
const RIGHT: f64 = WIDTH - 150.0;
/// Tossing a coin is right half of the time. The picture begins a little below.
const LEAST: f64 = 0.4;
/// One for each predictor. Without colours, the names at the ends tell them apart.
const COLOURS: [&str; 5] = ["#2f6fb5", "#b5482f", "#2f9e6b", "#9a5fc0", "#7a7f88"];
const STYLE: &str = ".curve{fill:none;stroke-width:2;stroke-linejoin:round}\
.coin{stroke-dasharray:4 4}.tick{font-size:11px}";

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
        let mut svg = Svg::new(WIDTH, HEIGHT, &title, &description, STYLE);
        svg.label("title", 28.0, 36.0, &title);
        let note =
            "How often a won game had a higher prediction than a lost one. Dashed: tossing a coin.";
        svg.label("note", 28.0, 58.0, note);
        self.draw_grid(&mut svg);
        let mut ends: Vec<f64> = Vec::new();
        for (index, name) in self.predictors.iter().enumerate() {
            let points = self.by_games.iter().enumerate().filter_map(|(at, group)| {
                let order = group.order[index]?;
                Some([self.across(at), up(order)])
            });
            let points: Vec<[f64; 2]> = points.collect();
            let Some(last) = points.last() else { continue };
            let path: Vec<String> = points
                .iter()
                .map(|[x, y]| format!("{} {}", number(*x), number(*y)))
                .collect();
            let path = format!("M{}", path.join("L"));
            let colour = COLOURS[index % COLOURS.len()];
            svg.empty(
                "path",
                &[
                    ("class", "curve"),
                    ("d", &path),
                    ("stroke", colour),
                    ("data-predictor", name),
                ],
            );
            // Move down names that would overlap.
            let mut y = last[1];
            while ends.iter().any(|end| (end - y).abs() < 15.0) {
                y += 1.0;
            }
            ends.push(y);
            let at = [RIGHT + 14.0, y - 4.0, 8.0, 8.0];
            svg.rectangle("key", at, &[("fill", colour)]);
            svg.label("name", RIGHT + 27.0, y + 4.5, name);
        }
        svg.finish()
    }

    fn draw_grid(&self, svg: &mut Svg) {
        for tenths in 4..=10 {
            let share = f64::from(tenths) / 10.0;
            svg.line_between("grid", [LEFT, up(share)], [RIGHT, up(share)]);
            let words = format!("{} %", 10 * tenths);
            svg.label("number end", LEFT - 10.0, up(share) + 4.5, &words);
        }
        svg.line_between("axis coin", [LEFT, up(0.5)], [RIGHT, up(0.5)]);
        for (at, Predicted { from, .. }) in self.by_games.iter().enumerate() {
            let from = from.to_string();
            svg.label("number middle tick", self.across(at), BOTTOM + 18.0, &from);
        }
        let words = "earlier games that reached the position, at least";
        svg.label("note middle", (LEFT + RIGHT) / 2.0, BOTTOM + 42.0, words);
    }

    fn across(&self, at: usize) -> f64 {
        let steps = self.by_games.len().saturating_sub(1).max(1);
        LEFT + 20.0 + (RIGHT - LEFT - 40.0) * at as f64 / steps as f64
    }
}

fn up(share: f64) -> f64 {
    let share = share.max(LEAST);
    BOTTOM - (BOTTOM - TOP) * (share - LEAST) / (1.0 - LEAST)
}
