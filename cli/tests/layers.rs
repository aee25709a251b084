//! The libraries know nothing of the program: their texts name none of its commands and options. It words the advice (`cli/src/advice.rs`).

use super::laws::files;
use super::support::program::commands;
use super::support::root;
use std::collections::BTreeSet;
use std::fs;

/// Crates that are no libraries of the program: another program, and what only the repository uses.
const NO_LIBRARIES: [&str; 5] = ["/cli", "/fuzz", "/lake", "/tools/needs", "/tools/testing"];

/// Texts that name a command or an option all the same, and why.
const NAMED: &[(&str, &str, &str)] = &[
    (
        "crates/explorer/src/repertoire.rs",
        "--write",
        "the history names changes by the commands that would make them",
    ),
    ("crates/explorer/src/write.rs", "--value", "the same"),
    ("crates/explorer/src/write.rs", "--remove", "the same"),
    (
        "crates/learn/src/nats/server.rs",
        "the server stores no messages: start it with --jetstream",
        "an option of the NATS server",
    ),
];

/// The string literals of a source, without those of its tests and remarks.
fn literals(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    let is_test = |text: &str| text.starts_with("#[cfg(test)]");
    while let Some(c) = rest.chars().next() {
        if is_test(rest) {
            break;
        }
        let is_raw = rest.starts_with("r\"") || rest.starts_with("r#");
        if rest.starts_with("//") {
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        } else if is_raw && let Some(hashes) = rest[1..].find('"').filter(|count| *count < 3) {
            let end = format!("\"{}", "#".repeat(hashes));
            let text = &rest[hashes + 2..];
            let length = text.find(&end).expect("a literal ends");
            found.push(text[..length].to_owned());
            rest = &text[length + end.len()..];
        } else if c == '"' {
            let mut text = String::new();
            let mut chars = rest[1..].char_indices();
            let end = loop {
                match chars.next().expect("a literal ends") {
                    (at, '"') => break at,
                    (_, '\\') => {
                        let (_, escaped) = chars.next().expect("a literal ends");
                        text.push(if escaped == '\n' { ' ' } else { escaped });
                    }
                    (_, c) => text.push(c),
                }
            };
            found.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
            rest = &rest[end + 2..];
        } else if let Some(quoted) = ["'\"'", "'\\\"'", "'\\''"]
            .into_iter()
            .find(|quoted| rest.starts_with(quoted))
        {
            rest = &rest[quoted.len()..];
        } else {
            rest = &rest[c.len_utf8()..];
        }
    }
    found
}

/// Whether a text has an option such as `--strict`, or a command, in backquotes or after “obook”.
fn names_the_program(text: &str, commands: &BTreeSet<&str>) -> bool {
    let is_first = |command: &&str, word: &str| command.split(' ').next() == Some(word);
    let mut options = text.match_indices("--").filter(|(at, _)| {
        let before = text[..*at].chars().next_back();
        !before.is_some_and(|c| c == '-' || c.is_alphanumeric())
    });
    let mut quoted = text.split('`').skip(1).step_by(2);
    let mut words = text.split("obook ").skip(1).filter_map(|rest| {
        rest.split(|c: char| !c.is_ascii_lowercase() && c != '-')
            .next()
    });
    options.any(|(at, _)| text[at + 2..].starts_with(|c: char| c.is_ascii_lowercase()))
        || quoted.any(|quoted| commands.contains(quoted))
        || words.any(|word| commands.iter().any(|command| is_first(command, word)))
}

/// Law (The code itself): The libraries' texts name no command or option.
/// Also: `commands_and_options_are_seen`
#[test]
fn libraries_name_no_commands_and_options() {
    let commands = commands();
    let commands: BTreeSet<&str> = commands.iter().map(String::as_str).collect();
    let (mut found, mut seen, mut libraries) = (Vec::new(), 0, BTreeSet::new());
    for path in files("rs") {
        let place = path.strip_prefix(root()).unwrap().to_str().unwrap();
        let place = place.replace('\\', "/");
        let below_root = format!("/{place}");
        let library = below_root.split_once("/src/").map(|(library, _)| library);
        let Some(library) = library.filter(|library| !NO_LIBRARIES.contains(library)) else {
            continue;
        };
        libraries.insert(library.to_owned());
        for text in literals(&fs::read_to_string(&path).unwrap()) {
            seen += 1;
            if names_the_program(&text, &commands) {
                found.push((place.clone(), text));
            }
        }
    }
    assert!(libraries.len() > 13, "{libraries:?}");
    assert!(seen > 4000, "{seen} literals were read");
    let known = NAMED
        .iter()
        .map(|(file, text, _)| ((*file).to_owned(), (*text).to_owned()));
    let known: Vec<(String, String)> = known.collect();
    assert_eq!(found, known);
}

#[test]
fn commands_and_options_are_seen() {
    let source = "// \"--a\"\nlet a = \"--strict: it\\\n   fails\"; '\"' r#\"as `obook\"\"fix`\"# \"\\\"b\\\"\"\n#[cfg(test)] \"--c\"";
    let expected = ["--strict: it fails", "as `obook\"\"fix`", "\"b\""];
    assert_eq!(literals(source), expected);
    let commands = BTreeSet::from(["fix", "games import"]);
    for (text, expected) in [
        ("give --level", true),
        ("a -- b, 1--a, ---a", false),
        ("(--all)", true),
        ("use `obook games import FILE`", true),
        ("run obook fix", true),
        ("`fix` renumbered rows", true),
        ("with `games import`", true),
        ("a fix of obook fixes it, `fixed`", false),
    ] {
        assert_eq!(names_the_program(text, &commands), expected, "{text}");
    }
}
