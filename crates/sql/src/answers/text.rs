//! Text for a terminal: names and texts from a stranger's book can't control it.

use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Replaces control characters, except line ends, by pictures of them, and marks that change the direction of text, so that
/// the text can't control a terminal or look like another one.
#[must_use]
pub fn printable(text: &str) -> Cow<'_, str> {
    pictures(text, |c| c != '\n' && is_command(c))
}

/// Like [`printable`], for a text that is part of a line: line ends are replaced too.
#[must_use]
pub fn in_line(text: &str) -> Cow<'_, str> {
    pictures(text, is_command)
}

/// Like [`printable`], for a field that may be quoted: tabs stay too.
pub(crate) fn in_field(text: &str) -> Cow<'_, str> {
    pictures(text, |c| !matches!(c, '\n' | '\t') && is_command(c))
}

/// Cuts a line to the given width, and marks that it was cut.
#[must_use]
pub fn cut(line: &str, room: usize) -> Cow<'_, str> {
    const CUT: &str = "…";
    if line.width() <= room {
        return Cow::Borrowed(line);
    }
    let mut left = room.saturating_sub(CUT.width());
    let fits = |c: &char| {
        let rest = left.checked_sub(c.width().unwrap_or(0));
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    let shown: String = line.chars().take_while(fits).collect();
    Cow::Owned(shown + CUT)
}

/// Whether a character is a command: to a terminal, or to whatever arranges text in lines.
fn is_command(c: char) -> bool {
    let is_direction = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || is_direction || matches!(c, '\u{2028}' | '\u{2029}')
}

fn pictures(text: &str, is_replaced: fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(is_replaced) {
        return Cow::Borrowed(text);
    }
    let picture = |c: char| match u32::from(c) {
        _ if !is_replaced(c) => c,
        code @ 0..0x20 => char::from_u32(0x2400 + code).expect("the pictures are characters"),
        0x7f => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    };
    Cow::Owned(text.chars().map(picture).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_commands_the_terminal() {
        assert_eq!(printable("a\nb"), "a\nb");
        assert_eq!(printable("\u{1b}[2J\u{7f}\u{9b}"), "␛[2J␡\u{fffd}");
        for mark in
            "\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}\u{2029}".chars()
        {
            assert_eq!(printable(&format!("a{mark}b")), "a\u{fffd}b");
        }
        assert_eq!(in_line("a\nb\r\tc"), "a␊b␍␉c");
        assert_eq!(in_field("a\nb\r\tc"), "a\nb␍\tc");
    }

    #[test]
    fn a_line_is_cut_to_its_room() {
        assert_eq!(cut("f5d6", 4), "f5d6");
        assert_eq!(cut("f5d6c3", 4), "f5d…");
        assert_eq!(cut("大山康晴", 6), "大山…");
        // Marks above a letter have no width of their own.
        let marks = "\u{301}".repeat(1 << 20);
        assert_eq!(cut(&format!("a{marks}bc"), 2), format!("a{marks}…"));
    }
}
