//! Text with elements, for SVG and HTML.

/// A document of nested elements, as in SVG and HTML, whose text is escaped.
///
/// ```
/// use obook::plot::Markup;
/// let mut page = Markup::default();
/// page.open("p", &[("class", "note")]);
/// page.words("b", &[], "1 < 2");
/// page.empty("br", &[]);
/// page.close();
/// assert_eq!(page.finish(), "<p class=\"note\">\n<b>1 &lt; 2</b>\n<br/>\n</p>\n");
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Markup {
    text: String,
    open: Vec<&'static str>,
}

impl Markup {
    /// Begins an element.
    pub fn open(&mut self, name: &'static str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes, ">\n");
        self.open.push(name);
    }

    /// Ends the element that was begun last.
    ///
    /// # Panics
    /// Panics if no element is open.
    pub fn close(&mut self) {
        let name = self.open.pop().expect("an element is open");
        self.text += &format!("</{name}>\n");
    }

    /// Writes an element without contents.
    pub fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes, "/>\n");
    }

    /// Writes an element with text.
    pub fn words(&mut self, name: &str, attributes: &[(&str, &str)], words: &str) {
        self.tag(name, attributes, ">");
        self.text += &format!("{}</{name}>\n", escaped(words));
    }

    /// Writes the elements of another document, which must be complete.
    pub fn append(&mut self, other: Markup) {
        self.text.push_str(&other.finish());
    }

    /// Ends all open elements and returns the text.
    #[must_use]
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.text
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &str)], end: &str) {
        self.text += &format!("<{name}");
        for (name, value) in attributes {
            self.text += &format!(" {name}=\"{}\"", escaped(value));
        }
        self.text += end;
    }
}

/// Escapes text, and replaces characters that XML doesn't allow.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        let mut page = Markup::default();
        page.words("title", &[], "a < b");
        page.words("p", &[], "\"c\" & d\u{1b}\u{ffff}");
        page.open("g", &[("data-x", "\">")]);
        assert_eq!(
            page.finish(),
            "<title>a &lt; b</title>\n<p>&quot;c&quot; &amp; d \u{fffd}</p>\n<g data-x=\"&quot;&gt;\">\n</g>\n"
        );
    }
}
