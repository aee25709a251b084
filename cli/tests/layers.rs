//! The libraries know nothing of the program: their texts name none of its commands and options. It words the advice (`cli/src/advice.rs`).

use super::laws::files;
use super::support::program::commands;
use super::support::root;
use std::fs;

/// The folders of the libraries.
const LIBRARIES: [&str; 3] = ["converters/src/", "crates/", "src/"];

/// Texts that name a command or an option all the same, and why.
const NAMED: &[(&str, &str, &str)] = &[
    (
        "crates/explorer/src/write.rs",
        "--value {value}",
        "the history names changes by the commands that would make them",
    ),
    ("crates/explorer/src/write.rs", "--remove", "the same"),
    (
        "crates/explorer/src/write.rs",
        "obook edit {} {line} {option}",
        "the same",
    ),
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

/// Whether a text has an option, such as `--strict`, or a command of the program, as `` `compact` `` or “obook compact”.
fn names_the_program(text: &str, commands: &[String]) -> bool {
    let begins = |at: usize| {
        text[..at]
            .chars()
            .last()
            .is_none_or(|c| " `(“\"".contains(c))
    };
    let mut options = text.match_indices("--");
    let is_option = options.any(|(at, _)| {
        let next = text[at + 2..].chars().next();
        begins(at) && next.is_some_and(|c| c.is_ascii_lowercase())
    });
    let is_command = |before: &str, ends: &[char]| {
        let mut found = text.match_indices(before);
        found.any(|(at, _)| {
            let words = &text[at + before.len()..];
            let is_named = |command: &String| {
                let rest = words.strip_prefix(command.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(ends))
            };
            commands.iter().any(is_named)
        })
    };
    is_option || is_command("obook ", &[' ', '`', '.', ',', ';', ':']) || is_command("`", &['`'])
}

/// Law (The code itself): The libraries' texts name no command and no option: advice is the program's.
/// Also: `commands_and_options_are_seen`
#[test]
fn libraries_name_no_commands_and_options() {
    let commands = commands();
    let (mut found, mut seen) = (Vec::new(), 0);
    for path in files("rs") {
        let place = path.strip_prefix(root()).unwrap().to_str().unwrap();
        let place = place.replace('\\', "/");
        let of_library = LIBRARIES.iter().any(|it| place.starts_with(it));
        if !(of_library && place.contains("src/")) {
            continue;
        }
        for text in literals(&fs::read_to_string(&path).unwrap()) {
            seen += 1;
            if names_the_program(&text, &commands) {
                found.push((place.clone(), text));
            }
        }
    }
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
    let commands = ["fix", "games import"].map(str::to_owned);
    for (text, expected) in [
        ("give --level", true),
        ("a -- b, 1--a, ---", false),
        ("(--all)", true),
        ("use `obook games import FILE`", true),
        ("run obook fix", true),
        ("`fix` renumbered rows", true),
        ("a fix of obook fixes it, `fixed`", false),
    ] {
        assert_eq!(names_the_program(text, &commands), expected, "{text}");
    }
}
