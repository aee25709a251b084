//! Trees of properties, the syntax of GGF and SGF: `(;NAME[value]NAME[value][value];…)`.

use obook_othello::Side;
use std::borrow::Cow;

/// A part of a tree. Archives hold millions of moves, so text is borrowed unless it contains escapes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part<'t> {
    /// A semicolon, which begins a node.
    Node,
    /// A property of the node.
    Property {
        /// The capitals of its name: old files have small letters between them.
        name: Cow<'t, str>,
        /// Its first value.
        value: Cow<'t, str>,
        /// The other values.
        more: Vec<Cow<'t, str>>,
    },
}

/// The parts of the first branch of a tree. Anything else is skipped.
pub(crate) fn first_branch(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let sign = rest.find(['[', ')', ';'])?;
            let (before, after) = rest.split_at(sign);
            if after.starts_with(')') {
                return None;
            }
            if let Some(next) = after.strip_prefix(';') {
                rest = next;
                return Some(Part::Node);
            }
            rest = after;
            let value = value(&mut rest)?;
            let more = std::iter::from_fn(|| self::value(&mut rest)).collect();
            let before = before.trim_end_matches(|c: char| c.is_ascii_whitespace());
            let letters = before.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let name = capitals(&before[letters.len()..]);
            if !name.is_empty() {
                return Some(Part::Property { name, value, more });
            }
        }
    })
}

fn capitals(name: &str) -> Cow<'_, str> {
    if name.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    name.chars().filter(char::is_ascii_uppercase).collect()
}

/// Takes a value from the start of `rest`, or returns `None` if there is none.
fn value<'t>(rest: &mut &'t str) -> Option<Cow<'t, str>> {
    let mut inside = rest.trim_start().strip_prefix('[')?;
    let mut value = Cow::Borrowed("");
    loop {
        let end = inside.find([']', '\\']).unwrap_or(inside.len());
        value += &inside[..end];
        let mut after = inside[end..].chars();
        if after.next() != Some('\\') {
            *rest = after.as_str();
            return Some(value);
        }
        // An escaped line break is not part of the value.
        if let Some(escaped) = after.next().filter(|c| *c != '\n') {
            value.to_mut().push(escaped);
        }
        inside = after.as_str();
    }
}

/// The letter of a side, which is also the name of its moves.
pub(crate) const fn letter(side: Side) -> &'static str {
    match side {
        Side::Black => "B",
        Side::White => "W",
    }
}

/// Appends a property and escapes its value.
pub(crate) fn write(out: &mut String, name: &str, value: &str) {
    out.push_str(name);
    out.push('[');
    for c in value.chars() {
        if c == ']' || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push(']');
}

/// Appends a property, if it has a value.
pub(crate) fn optional(out: &mut String, name: &str, value: Option<impl AsRef<str>>) {
    if let Some(value) = value {
        write(out, name, value.as_ref());
    }
}
