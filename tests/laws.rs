//! Every test that `docs/laws.md` and `docs/trust.md` name exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Pairs of a file and the name of a test, such as `tests/laws.rs` `every_law_has_its_test`.
fn named(list: &str) -> Vec<(String, String)> {
    let mut named = Vec::new();
    for line in list.lines().filter(|line| line.starts_with("| ")) {
        let mut file = None;
        // Every other part is between back quotes.
        for code in line.split('`').skip(1).step_by(2) {
            if code.ends_with(".rs") {
                file = Some(code.to_owned());
            } else if let Some(file) = &file {
                named.push((file.clone(), code.to_owned()));
            }
        }
    }
    named
}

#[test]
fn every_law_has_its_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list = fs::read_to_string(root.join("docs/laws.md")).unwrap();
    let named = named(&list);
    assert!(named.len() > 80, "{}", named.len());
    let mut missing = BTreeSet::new();
    for (file, name) in &named {
        let text = fs::read_to_string(root.join(file)).unwrap_or_default();
        // The function must have the attribute of a test.
        let is_test = text
            .split_once(&format!("fn {name}("))
            .is_some_and(|(before, _)| {
                let above = before.rsplit("\n\n").next().unwrap();
                above.contains("#[test]")
            });
        if !is_test {
            missing.insert(format!("{file} {name}"));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    let is_row = |line: &&str| {
        let heads = ["| law ", "| --- "];
        line.starts_with("| ") && !heads.iter().any(|head| line.starts_with(head))
    };
    let rows = list.lines().filter(is_row);
    for row in rows {
        assert!(row.contains(".rs` `"), "no test is named: {row}");
    }
}

#[test]
fn limits_for_visitors_have_their_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(root.join("docs/trust.md")).unwrap();
    let tests = fs::read_to_string(root.join("python/tests/test_datasette.py")).unwrap();
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
