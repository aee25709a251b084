//! Trees of properties, as GGF and SGF have them: `(;NAME[value]NAME[value][value];…)`.

/// A part of a tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A semicolon, which begins a node.
    Node,
    /// A property of the node, with its values; letters that are no capitals are left out of the name.
    Property { name: String, values: Vec<String> },
    /// The end of the first branch: what follows are others.
    End,
}

/// The parts of the first branch of a tree; anything that is none is passed over.
pub(crate) fn first_branch(text: &str) -> impl Iterator<Item = Part> + '_ {
    let mut rest = text;
    let mut name = String::new();
    std::iter::from_fn(move || {
        loop {
            let mut chars = rest.chars();
            let first = chars.next()?;
            match first {
                '[' => {
                    let values = values(&mut rest);
                    if !name.is_empty() {
                        let name = std::mem::take(&mut name);
                        return Some(Part::Property { name, values });
                    }
                    continue;
                }
                ')' => {
                    rest = "";
                    return Some(Part::End);
                }
                ';' => {
                    name.clear();
                    rest = chars.as_str();
                    return Some(Part::Node);
                }
                'A'..='Z' => name.push(first),
                'a'..='z' => {}
                c if c.is_whitespace() => {}
                _ => name.clear(),
            }
            rest = chars.as_str();
        }
    })
}

/// The values that begin here, one after another.
fn values(rest: &mut &str) -> Vec<String> {
    let mut values = Vec::new();
    while let Some(inside) = rest.trim_start().strip_prefix('[') {
        let mut value = String::new();
        let mut chars = inside.chars();
        while let Some(c) = chars.next() {
            match c {
                ']' => break,
                '\\' => match chars.next() {
                    // A line that is broken for the file's sake only.
                    Some('\n') | None => {}
                    Some(escaped) => value.push(escaped),
                },
                c => value.push(c),
            }
        }
        *rest = chars.as_str();
        values.push(value);
    }
    values
}

/// Appends a property, its value escaped.
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
