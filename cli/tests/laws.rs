//! The laws of `docs/laws.md` are doc comments of tests:
//!
//! ```text
//! /// Law (Numbers): A grade of accuracy follows its definition.
//! /// Also: `another_test_of_this_file` `crates/graph/tests/levels.rs` `a_test_of_that_file`
//! ```
//!
//! `TRYCMD=overwrite cargo test --test all laws` writes the page anew.

use super::support::root;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

const ABOUT_THE_PAGE: &str = "\
# Laws

What obook guarantees, one sentence each, with its test. `cargo test` runs them all, except tests whose books, programs or engines
are not installed, which it reports as ignored. Most laws are tested with random books (`proptest`), whose cases are counted. The
[fuzzer](../fuzz/README.md) checks arbitrary bytes, and `cargo test` replays its inputs.

A test makes this page: to add a law, write `/// Law (AREA): SENTENCE` above its test, `/// Also:` with other tests that check it, and
run `TRYCMD=overwrite cargo test --test all laws`.
";

/// The headings of the page, in their order.
const AREAS: [&str; 16] = [
    "Boards and moves",
    "Shogi",
    "Book files",
    "Game records",
    "From one format to another",
    "Choosing moves",
    "Searches",
    "Databases",
    "Numbers",
    "Changes",
    "Rules of growth",
    "Other engines",
    "Crashes, untrusted books, concurrency",
    "Several machines",
    "The server",
    "The code itself",
];

/// A law, with the test above which it stands.
#[derive(Debug)]
struct Law {
    area: String,
    sentence: String,
    file: String,
    test: String,
}

/// The files of the repository whose names end so, in the order of their paths.
pub(super) fn files(extension: &str) -> Vec<PathBuf> {
    fn add(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let skipped = name.starts_with('.') || ["target", "node_modules"].contains(&name);
            if path.is_dir() && !skipped {
                add(&path, extension, found);
            } else if path.extension().is_some_and(|it| it == extension) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    add(root(), extension, &mut found);
    found.sort();
    found
}

/// Whether the text of a file has this test: a function with the attribute.
fn has_test(text: &str, name: &str) -> bool {
    text.split_once(&format!("fn {name}("))
        .is_some_and(|(before, _)| before.rsplit("\n\n").next().unwrap().contains("#[test]"))
}

/// The laws of a file. What is wrong with one is added to `faults`.
fn laws_of(file: &str, text: &str, faults: &mut Vec<String>) -> Vec<Law> {
    let mut laws: Vec<Law> = Vec::new();
    let mut lines = text.lines().map(str::trim).peekable();
    // Laws whose test is still to come.
    let mut open = 0;
    while let Some(line) = lines.next() {
        if let Some(law) = line.strip_prefix("/// Law") {
            let mut whole = law.to_owned();
            while let Some(more) = lines.next_if(|line| {
                line.starts_with("/// ")
                    && !line.starts_with("/// Law")
                    && !line.starts_with("/// Also:")
            }) {
                whole += &more[3..];
            }
            let parts = whole.strip_prefix(" (").and_then(|it| it.split_once("): "));
            let Some((area, sentence)) = parts.filter(|(area, _)| AREAS.contains(area)) else {
                faults.push(format!("{file}: no law in one of the areas: {whole}"));
                continue;
            };
            if laws.iter().any(|law| law.sentence == sentence) {
                faults.push(format!("{file}: the same law twice: {sentence}"));
            }
            open += 1;
            laws.push(Law {
                area: area.to_owned(),
                sentence: sentence.to_owned(),
                file: file.to_owned(),
                test: String::new(),
            });
        } else if let Some(also) = line.strip_prefix("/// Also:") {
            let mut also = also.to_owned();
            while let Some(more) = lines.next_if(|line| line.starts_with("/// `")) {
                also += &more[3..];
            }
            check_named(file, text, &also, faults);
        } else if open > 0 && line.starts_with("fn ") {
            let name = line[3..].split('(').next().unwrap();
            if !has_test(text, name) {
                faults.push(format!("{file}: {name} has a law and is no test"));
            }
            let count = laws.len();
            for law in &mut laws[count - open..] {
                law.test = name.to_owned();
            }
            open = 0;
        }
    }
    if open > 0 {
        faults.push(format!("{file}: a law without a test"));
    }
    laws
}

/// Checks names of tests: those after the path of a file are in that file.
fn check_named(file: &str, text: &str, names: &str, faults: &mut Vec<String>) {
    let (mut file, mut text) = (file.to_owned(), text.to_owned());
    let mut tests = 0;
    // Every other part is between back quotes.
    for code in names.split('`').skip(1).step_by(2) {
        if code.ends_with(".rs") {
            text = fs::read_to_string(root().join(code)).unwrap_or_default();
            code.clone_into(&mut file);
        } else {
            tests += 1;
            if !has_test(&text, code) {
                faults.push(format!("{file} has no test {code}"));
            }
        }
    }
    if tests == 0 {
        faults.push(format!("{file}: no test after `Also:`"));
    }
}

#[test]
fn the_page_has_the_laws_of_the_tests() {
    let mut faults = Vec::new();
    let mut laws = Vec::new();
    for path in files("rs") {
        let name = path.strip_prefix(root()).unwrap().to_str().unwrap();
        let name = name.replace('\\', "/");
        // The examples above and below are no laws.
        if name != "cli/tests/laws.rs" {
            let text = fs::read_to_string(&path).unwrap();
            laws.extend(laws_of(&name, &text, &mut faults));
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(laws.len() > 200, "{}", laws.len());
    let sentences: BTreeSet<&str> = laws.iter().map(|law| law.sentence.as_str()).collect();
    assert_eq!(sentences.len(), laws.len(), "a law stands above two tests");

    let mut page = String::from(ABOUT_THE_PAGE);
    for area in AREAS {
        write!(page, "\n## {area}\n\n").unwrap();
        for law in laws.iter().filter(|law| law.area == area) {
            writeln!(page, "- {} `{}::{}`", law.sentence, law.file, law.test).unwrap();
        }
    }
    let path = root().join("docs/laws.md");
    if std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
        fs::write(&path, &page).unwrap();
    }
    let found = fs::read_to_string(path).unwrap();
    let differs = page.lines().zip(found.lines()).find(|(a, b)| a != b);
    assert!(
        found == page,
        "run `TRYCMD=overwrite cargo test --test all laws`: {differs:?}"
    );
}

#[test]
fn laws_without_tests_are_faults() {
    let with_law = |law: &str, below: &str| {
        let text = format!("{law}\n#[test]\nfn there() {{}}\n\n{below}\n");
        let mut faults = Vec::new();
        let laws = laws_of("x.rs", &text, &mut faults);
        (laws.len(), faults)
    };
    let law = "/// Law (Numbers): One is\n/// one.";
    assert_eq!(with_law(law, ""), (1, vec![]));
    for (law, below) in [
        ("/// Law (Nowhere): One is one.", ""),
        ("/// Law: One is one.", ""),
        (&format!("{law}\n/// Also: `gone`"), ""),
        (&format!("{law}\n/// Also: `src/gone.rs` `there`"), ""),
        (&format!("{law}\n/// Also: nothing"), ""),
        ("", law),
        ("", &format!("{law}\nfn helper() {{}}")),
    ] {
        assert_eq!(with_law(law, below).1.len(), 1, "{law} {below}");
    }
}

#[test]
fn limits_for_visitors_have_their_tests() {
    let page = fs::read_to_string(root().join("docs/trust.md")).unwrap();
    let tests = fs::read_to_string(root().join("python/tests/test_datasette.py")).unwrap();
    let named: Vec<&str> = page
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|code| code.starts_with("test_"))
        .collect();
    assert!(named.len() >= 6, "{named:?}");
    for name in named {
        assert!(tests.contains(&format!("def {name}(")), "{name}");
    }
}
