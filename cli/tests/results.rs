//! No program code takes an error for an item, or leaves one out, where an iterator gives results.
//!
//! This reads the source: which functions return iterators over results, and which methods are called on what they return.

use super::support::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Methods that count errors as items or drop them.
const BLIND: [&str; 11] = [
    "count",
    "filter_map",
    "flat_map",
    "flatten",
    "last",
    "map_while",
    "nth",
    "skip",
    "skip_while",
    "step_by",
    "take_while",
];

/// Methods after which there are results still.
const RESULTS: [&str; 11] = [
    "by_ref",
    "chain",
    "enumerate",
    "expect",
    "fuse",
    "inspect",
    "into_iter",
    "map",
    "map_err",
    "peekable",
    "take",
];

/// Functions of other crates.
const OTHERS: [&str; 3] = ["query_and_then", "query_map", "read_dir"];

/// Uses that are right: the file, the function and the method, and why.
const RIGHT: [[&str; 4]; 2] = [
    [
        "crates/base/src/scratch.rs",
        "read_dir",
        "flatten",
        "what can't be listed stays for the next process to remove",
    ],
    [
        "crates/shogi/src/fit.rs",
        "positions",
        "skip",
        "boards of a game in memory",
    ],
];

/// The Rust files of all programs and libraries, without tests and benchmarks.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    const OTHERS: [&str; 5] = ["target", "tests", "benches", "fuzz", "tools"];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !OTHERS.contains(&name) && !name.starts_with('.') {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The code of a file, without comments, texts and unit tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap();
    let mut code = String::new();
    for line in text.lines() {
        let mut in_text = false;
        let mut before = ' ';
        for (at, c) in line.char_indices() {
            match c {
                '/' if !in_text && line[at..].starts_with("//") => break,
                '"' if before != '\\' && before != '\'' => in_text = !in_text,
                _ if in_text => {}
                _ => code.push(c),
            }
            before = if before == '\\' { ' ' } else { c };
        }
        code.push('\n');
    }
    code
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The word at the start of a text.
fn word(text: &str) -> &str {
    &text[..text.find(|c| !is_of_name(c)).unwrap_or(text.len())]
}

/// Whether a type is a result.
fn is_result(text: &str) -> bool {
    let path = text.find(['<', ' ', ';']).map_or(text, |end| &text[..end]);
    path.rsplit("::").next() == Some("Result")
}

/// What follows each occurrence of a text.
fn after<'t>(text: &'t str, what: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(what)
        .map(move |(at, _)| &text[at + what.len()..])
}

/// Types that are iterators over results, and aliases of such types.
fn iterators(code: &str) -> impl Iterator<Item = &str> {
    let implemented = after(code, "Iterator for ").filter_map(|rest| {
        let (head, body) = rest.split_once('{')?;
        let item = body.trim_start().strip_prefix("type Item = ")?;
        let name = head[..head.find('<').unwrap_or(head.len())].trim();
        is_result(item).then(|| name.rsplit("::").next().unwrap_or(name))
    });
    let aliases = after(code, "\ntype ").chain(after(code, " type "));
    let aliases = aliases.filter_map(|rest| {
        let (_, meaning) = rest.split(';').next()?.split_once(" = ")?;
        after(meaning, "Iterator<Item = ")
            .any(is_result)
            .then(|| word(rest))
    });
    implemented.chain(aliases)
}

/// Functions that return iterators over results, as such or as one of these types.
fn functions<'c>(code: &'c str, types: &BTreeSet<&str>) -> Vec<&'c str> {
    let returns = |rest: &&str| {
        let head = &rest[..rest.find(['{', ';']).unwrap_or(rest.len())];
        let Some((_, returned)) = head.split_once("->") else {
            return false;
        };
        let mut words = returned.split(|c| !is_of_name(c));
        after(returned, "Iterator<Item = ").any(is_result) || words.any(|word| types.contains(word))
    };
    let functions = after(code, "fn ").filter(returns).map(word);
    functions.filter(|name| *name != "new").collect()
}

/// What follows the bracket that closes the one at the start.
fn behind_brackets(text: &str) -> &str {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    ""
}

/// The method that is called next, and what follows its name and types.
fn next_method(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start().trim_start_matches('?').trim_start();
    let text = text.strip_prefix('.')?.trim_start();
    let name = word(text);
    let rest = &text[name.len()..];
    let rest = match rest.starts_with("::<") {
        true => &rest[rest.find('(')?..],
        false => rest,
    };
    rest.starts_with('(').then_some((name, rest))
}

/// The blind method on the results of a call whose arguments are at the start.
fn blind_method(call: &str) -> Option<&str> {
    let mut rest = behind_brackets(call);
    while let Some((method, arguments)) = next_method(rest) {
        if BLIND.contains(&method) {
            return Some(method);
        }
        if !RESULTS.contains(&method) {
            return None;
        }
        rest = behind_brackets(arguments);
    }
    None
}

/// The names of functions whose results get such a method, with the method.
fn found<'c>(code: &'c str, functions: &BTreeSet<&str>) -> Vec<[&'c str; 2]> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices('(') {
        let before = &code[..at];
        let start = before.rfind(|c| !is_of_name(c)).map_or(0, |at| at + 1);
        let name = &before[start..];
        if functions.contains(name) && !before[..start].ends_with("fn ") {
            found.extend(blind_method(&code[at..]).map(|method| [name, method]));
        }
    }
    found
}

#[test]
fn errors_are_neither_skipped_nor_counted() {
    let mut files = Vec::new();
    sources(root(), &mut files);
    let read = |path: &PathBuf| {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
        let text = code(&fs::read_to_string(path).unwrap());
        (name.replace('\\', "/"), text)
    };
    let files: Vec<(String, String)> = files.iter().map(read).collect();
    let types: BTreeSet<&str> = files.iter().flat_map(|(_, code)| iterators(code)).collect();
    for known in ["BookReader", "Reader", "UntilError", "Rows"] {
        assert!(types.contains(known), "{known}: {types:?}");
    }
    let functions = files.iter().flat_map(|(_, code)| functions(code, &types));
    let functions: BTreeSet<&str> = functions.chain(OTHERS).collect();
    for known in ["positions", "records", "read", "forecasts", "entries"] {
        assert!(functions.contains(known), "{known}: {functions:?}");
    }
    let mut wrong = Vec::new();
    let mut right = BTreeSet::new();
    for (file, code) in &files {
        for [function, method] in found(code, &functions) {
            let known = [file, function, method];
            match RIGHT.iter().position(|it| it[..3] == known) {
                Some(place) => drop(right.insert(place)),
                None => wrong.push(format!("{file}: {function}(…) … .{method}(…)")),
            }
        }
        // Whatever is iterated over.
        for drops in [
            "filter_map(Result::ok)",
            "flat_map(Result::ok)",
            ".filter(Result::is_ok)",
        ] {
            if code.contains(drops) {
                wrong.push(format!("{file}: {drops}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(right.len(), RIGHT.len(), "a use in the list is gone");
}

/// It finds what it looks for.
#[test]
fn a_new_use_would_be_found() {
    let text = "
        /// Text.
        fn rows(&self) -> Result<impl Iterator<Item = io::Result<Row>> + '_> { }
        impl<R> Iterator for Lines<R> { type Item = Result<String>;
        fn fine() -> impl Iterator<Item = Row> { }
        fn lines(&self) -> Lines<File> { }
        fn wrong() {
            // self.rows()?.last();
            for row in self.rows(a(b))?.map(|row| row).skip(3) {}
            let number = lines().by_ref()
                .count();
            let end = fine().last() + self.rows()?.collect::<Result<Vec<_>, _>>()?.into_iter().last();
            let first = rows().peekable().next().count();
        }";
    let code = code(text);
    let types: BTreeSet<&str> = iterators(&code).collect();
    assert_eq!(types, BTreeSet::from(["Lines"]));
    let functions: BTreeSet<&str> = functions(&code, &types).into_iter().collect();
    assert_eq!(functions, BTreeSet::from(["lines", "rows"]));
    assert_eq!(
        found(&code, &functions),
        [["rows", "skip"], ["lines", "count"]]
    );
}
