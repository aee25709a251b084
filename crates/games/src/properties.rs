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
        let mut name = 0..0;
        let mut at = 0;
        loop {
            match *rest.as_bytes().get(at)? {
                b'[' => {
                    let name = capitals(&rest[std::mem::take(&mut name)]);
                    rest = &rest[at..];
                    at = 0;
                    let value = value(&mut rest)?;
                    let more = std::iter::from_fn(|| self::value(&mut rest)).collect();
                    if !name.is_empty() {
                        return Some(Part::Property { name, value, more });
                    }
                    continue;
                }
                b')' => return None,
                b';' => {
                    rest = &rest[at + 1..];
                    return Some(Part::Node);
                }
                byte if byte.is_ascii_alphabetic() => {
                    let begin = if name.end == at { name.start } else { at };
                    name = begin..at + 1;
                }
                byte if byte.is_ascii_whitespace() => {}
                _ => name = 0..0,
            }
            at += 1;
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
    let inside = rest.trim_start().strip_prefix('[')?;
    let end = inside.find([']', '\\']).unwrap_or(inside.len());
    if !inside[end..].starts_with('\\') {
        *rest = inside.get(end + 1..).unwrap_or_default();
        return Some(Cow::Borrowed(&inside[..end]));
    }
    let mut value = inside[..end].to_owned();
    let mut chars = inside[end..].chars();
    while let Some(c) = chars.next() {
        match c {
            ']' => break,
            '\\' => match chars.next() {
                // An escaped line break is not part of the value.
                Some('\n') | None => {}
                Some(escaped) => value.push(escaped),
            },
            c => value.push(c),
        }
    }
    *rest = chars.as_str();
    Some(Cow::Owned(value))
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
