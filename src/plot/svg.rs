//! The SVG elements and colours of the pictures.

use super::markup::Markup;
use serde::Serialize;

/// The style of all pictures, on light and dark pages.
const STYLE: &str = "\
text{font-family:system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif;font-size:13px;fill:#3c4149}\
.page{fill:#ffffff}.title{font-size:19px;font-weight:600;fill:#15181d}.note{fill:#6b717b}\
.grid{stroke:#e4e6ea;stroke-width:1}.axis{stroke:#9aa0a9;stroke-width:1}\
.number{font-variant-numeric:tabular-nums}.end{text-anchor:end}.middle{text-anchor:middle}";
const DARK: &str = "\
text{fill:#c3c8d0}.page{fill:#14171c}.title{fill:#f1f3f6}.note{fill:#8d94a0}\
.grid{stroke:#2a2f37}.axis{stroke:#5d6470}";

/// The style of a page with figures, such as [`Course::figure`](super::Course::figure).
#[must_use]
pub fn figure_style() -> String {
    let [course, diagram] = [super::course::STYLE, super::diagram::STYLE];
    format!("{STYLE}{course}{diagram}@media (prefers-color-scheme:dark){{{DARK}}}")
}

/// The left margin of titles.
pub(super) const MARGIN: f64 = 28.0;

/// Elements of SVG.
impl Markup {
    /// Starts a picture of this size in pixels with its title and a note below that. `description` is for screen readers.
    pub(super) fn picture(
        [width, height]: [f64; 2],
        title: &str,
        note: &str,
        description: &str,
        style: &str,
    ) -> Markup {
        let mut svg = Markup::default();
        let view = format!("0 0 {} {}", number(width), number(height));
        let attributes = [
            ("xmlns", "http://www.w3.org/2000/svg"),
            ("width", &number(width)),
            ("height", &number(height)),
            ("viewBox", &view),
            ("role", "img"),
            ("aria-labelledby", "title description"),
        ];
        svg.open("svg", &attributes);
        svg.words("title", &[("id", "title")], title);
        svg.words("desc", &[("id", "description")], description);
        let style = format!("{STYLE}{style}@media (prefers-color-scheme:dark){{{DARK}}}");
        svg.words("style", &[], &style);
        svg.rectangle("page", [0.0, 0.0, width, height], &[]);
        svg.label("title", MARGIN, 36.0, title);
        svg.label("note", MARGIN, 58.0, note);
        svg
    }

    /// Starts a picture within a page, which has its style. `view` is x, y, width and height of the part to show.
    pub(super) fn figure(class: &str, view: [f64; 4], description: &str) -> Markup {
        let mut svg = Markup::default();
        let attributes = [
            ("class", class),
            ("viewBox", &view.map(number).join(" ")),
            ("role", "img"),
            ("aria-label", description),
        ];
        svg.open("svg", &attributes);
        svg
    }

    /// Writes a label.
    pub(super) fn label(&mut self, class: &str, x: f64, y: f64, words: &str) {
        let (x, y) = (number(x), number(y));
        self.words("text", &[("class", class), ("x", &x), ("y", &y)], words);
    }

    pub(super) fn line_between(&mut self, class: &str, from: [f64; 2], to: [f64; 2]) {
        let [x1, y1, x2, y2] = [from[0], from[1], to[0], to[1]].map(number);
        let ends = [("x1", &*x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)];
        self.empty("line", &[&[("class", class)][..], &ends].concat());
    }

    pub(super) fn circle(&mut self, class: &str, middle: [f64; 2], radius: f64) {
        let [x, y, radius] = [middle[0], middle[1], radius].map(number);
        let attributes = [("class", class), ("cx", &x), ("cy", &y), ("r", &radius)];
        self.empty("circle", &attributes);
    }

    /// Draws a rectangle, given x, y, width and height.
    pub(super) fn rectangle(&mut self, class: &str, place: [f64; 4], more: &[(&str, &str)]) {
        let [x, y, width, height] = place.map(number);
        let place = [
            ("x", &*x),
            ("y", &y),
            ("width", &width),
            ("height", &height),
        ];
        self.empty("rect", &[&[("class", class)][..], &place, more].concat());
    }
}

/// Formats a coordinate with at most one decimal, to keep the file small.
pub(super) fn number(place: f64) -> String {
    let tenths = (place * 10.0).round() as i64;
    let sign = if tenths < 0 { "-" } else { "" };
    match (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10) {
        (whole, 0) => format!("{sign}{whole}"),
        (whole, tenth) => format!("{sign}{whole}.{tenth}"),
    }
}

/// A range of colours. All are visible on light and dark pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Palette {
    /// From low to high.
    Rising,
    /// From the best grade to the worst.
    Grades,
    /// From lost through even to won.
    Balance,
}

/// From lost through even to won.
const BALANCE: [u32; 3] = [0xcf5c45, 0xa3a9b2, 0x2f86c0];

/// Unknown data.
pub(super) const UNKNOWN_COLOUR: &str = "#a3a9b2";

/// The colour of series `index` of `count`.
pub(super) fn series_colour(palette: Palette, index: usize, count: usize) -> String {
    // A colour is its red, green and blue, as in CSS.
    let stops: &[u32] = match palette {
        Palette::Rising => &[0xf2c85b, 0x7fc29b, 0x3a9ea5, 0x3f78b5, 0x6d5abd],
        Palette::Grades => &[0x1f8a5b, 0x7fc27b, 0xeed266, 0xec9a4f, 0xb94a5e],
        Palette::Balance => &BALANCE,
    };
    let place = match count {
        0 | 1 => 0.6,
        _ => index as f64 / (count - 1) as f64,
    };
    blend(stops, place)
}

/// The colour of a score. From 12 discs on, it no longer changes.
pub(super) fn score_colour(score: i16) -> String {
    let score = f64::from(score.clamp(-12, 12));
    // The root makes the first disc count most, so +1 is clearly not grey.
    let strength = (score.abs() / 12.0).sqrt();
    blend(&BALANCE, 0.5 + 0.5 * strength.copysign(score))
}

/// The colour at a position from 0 to 1 between evenly spaced stops.
pub(super) fn blend(stops: &[u32], place: f64) -> String {
    let place = place.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let left = (place as usize).min(stops.len() - 2);
    let share = place - left as f64;
    let channel = |channel: usize| {
        let level = |stop: u32| f64::from(stop.to_be_bytes()[channel]);
        let (from, to) = (level(stops[left]), level(stops[left + 1]));
        (from + share * (to - from)).round() as u8
    };
    // The first byte is no colour.
    format!("#{:02x}{:02x}{:02x}", channel(1), channel(2), channel(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(12.0), "12");
        assert_eq!(number(-0.25), "-0.3");
        assert_eq!(number(1.26), "1.3");
        assert_eq!(number(-0.01), "0");
        assert_eq!(number(f64::NEG_INFINITY), "-922337203685477580.8");
    }

    #[test]
    fn scores_go_from_red_to_blue() {
        assert_eq!(score_colour(-64), "#cf5c45");
        assert_eq!(score_colour(0), "#a3a9b2");
        assert_eq!(score_colour(64), "#2f86c0");
        assert_eq!(series_colour(Palette::Rising, 0, 2), "#f2c85b");
        assert_eq!(series_colour(Palette::Rising, 1, 2), "#6d5abd");
    }
}
