//! Writing SVG, as much of it as the pictures need.

use std::fmt::Write;

/// A document in the making: elements are opened and closed as they are written.
pub(super) struct Svg {
    text: String,
    open: Vec<&'static str>,
}

/// What all pictures have in common: the page, its text, and the same for dark pages.
const STYLE: &str = "\
text{font-family:system-ui,'Segoe UI','Helvetica Neue',Arial,sans-serif;font-size:13px;fill:#3c4149}\
.page{fill:#ffffff}.title{font-size:19px;font-weight:600;fill:#15181d}.note{fill:#6b717b}\
.grid{stroke:#e4e6ea;stroke-width:1}.axis{stroke:#9aa0a9;stroke-width:1}\
.number{font-variant-numeric:tabular-nums}.end{text-anchor:end}.middle{text-anchor:middle}";
const DARK: &str = "\
text{fill:#c3c8d0}.page{fill:#14171c}.title{fill:#f1f3f6}.note{fill:#8d94a0}\
.grid{stroke:#2a2f37}.axis{stroke:#5d6470}";

impl Svg {
    /// A page of this size in pixels; `title` and `description` are for those who can't see it.
    pub(super) fn new(width: f64, height: f64, title: &str, description: &str, style: &str) -> Svg {
        let mut svg = Svg {
            text: String::new(),
            open: Vec::new(),
        };
        let view = format!("0 0 {} {}", number(width), number(height));
        svg.open(
            "svg",
            &[
                ("xmlns", "http://www.w3.org/2000/svg"),
                ("width", &number(width)),
                ("height", &number(height)),
                ("viewBox", &view),
                ("role", "img"),
                ("aria-labelledby", "title description"),
            ],
        );
        svg.words("title", &[("id", "title")], title);
        svg.words("desc", &[("id", "description")], description);
        let style = format!("{STYLE}{style}@media (prefers-color-scheme:dark){{{DARK}}}");
        svg.words("style", &[], &style);
        svg.rectangle("page", [0.0, 0.0, width, height], &[]);
        svg
    }

    pub(super) fn open(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes, ">");
        self.text.push('\n');
        self.open.push(name);
    }

    pub(super) fn close(&mut self) {
        let name = self.open.pop().expect("what is closed was opened");
        self.line(format_args!("</{name}>"));
    }

    /// An element with nothing inside.
    pub(super) fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes, "/>");
        self.text.push('\n');
    }

    /// An element with words inside.
    pub(super) fn words(&mut self, name: &str, attributes: &[(&str, &str)], words: &str) {
        self.tag(name, attributes, ">");
        self.text.push_str(&escaped(words));
        self.line(format_args!("</{name}>"));
    }

    /// Words at a place.
    pub(super) fn label(&mut self, class: &str, x: f64, y: f64, words: &str) {
        let (x, y) = (number(x), number(y));
        self.words("text", &[("class", class), ("x", &x), ("y", &y)], words);
    }

    pub(super) fn line_between(&mut self, class: &str, from: [f64; 2], to: [f64; 2]) {
        self.empty(
            "line",
            &[
                ("class", class),
                ("x1", &number(from[0])),
                ("y1", &number(from[1])),
                ("x2", &number(to[0])),
                ("y2", &number(to[1])),
            ],
        );
    }

    /// A rectangle: x, y, width and height.
    pub(super) fn rectangle(&mut self, class: &str, place: [f64; 4], more: &[(&str, &str)]) {
        let place = place.map(number);
        let names = ["x", "y", "width", "height"];
        let places = names
            .into_iter()
            .zip(&place)
            .map(|(name, at)| (name, at.as_str()));
        let attributes: Vec<(&str, &str)> = std::iter::once(("class", class))
            .chain(places)
            .chain(more.iter().copied())
            .collect();
        self.empty("rect", &attributes);
    }

    pub(super) fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &str)], end: &str) {
        self.text.push('<');
        self.text.push_str(name);
        for (name, value) in attributes {
            let value = escaped(value);
            write!(self.text, " {name}=\"{value}\"").expect("a text takes all");
        }
        self.text.push_str(end);
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        writeln!(self.text, "{text}").expect("a text takes all");
    }
}

/// A place with one decimal at most: a tenth of a pixel is nothing, and the file stays small.
pub(super) fn number(place: f64) -> String {
    let tenths = (place * 10.0).round() as i64;
    if tenths % 10 == 0 {
        (tenths / 10).to_string()
    } else {
        let sign = if tenths < 0 { "-" } else { "" };
        format!("{sign}{}.{}", tenths.abs() / 10, tenths.abs() % 10)
    }
}

fn escaped(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
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
    }

    #[test]
    fn words_are_no_markup() {
        let mut svg = Svg::new(10.0, 10.0, "a < b", "\"c\" & d\u{1b}", "");
        svg.open("g", &[("data-x", "\"")]);
        let text = svg.finish();
        assert!(text.contains("<title id=\"title\">a &lt; b</title>"));
        assert!(text.contains(">&quot;c&quot; &amp; d </desc>"));
        assert!(text.contains("<g data-x=\"&quot;\">\n</g>\n</svg>\n"));
    }
}
