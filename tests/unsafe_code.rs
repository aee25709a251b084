//! `docs/unsafe.md` lists all unsafe code. Clippy checks that each block has a `SAFETY` comment
//! (`undocumented_unsafe_blocks`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Lines of code by file.
type Places = BTreeMap<String, Vec<String>>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The Rust files of the repository.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The lines with the keyword, except lints that allow or forbid it.
fn places_in_the_code() -> Places {
    let mut files = Vec::new();
    sources(root(), &mut files);
    let is_unsafe = |line: &&str| {
        let code = line.split("//").next().unwrap();
        // A word of content security policies.
        let code = code.replace("unsafe-inline", "");
        let mut words = code.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '"'));
        words.any(|word| word == "unsafe")
    };
    let mut places = Places::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let lines: Vec<String> = text
            .lines()
            .filter(is_unsafe)
            .map(|line| line.trim().trim_end_matches('{').trim().to_owned())
            .collect();
        let name = file.strip_prefix(root()).unwrap();
        if !lines.is_empty() && !name.ends_with(file!()) {
            places.insert(name.to_str().unwrap().replace('\\', "/"), lines);
        }
    }
    places
}

/// The files in the headings, with the code in the first column of each table.
fn places_in_the_list() -> Places {
    let list = fs::read_to_string(root().join("docs/unsafe.md")).unwrap();
    let mut places = Places::new();
    let mut file = None;
    for line in list.lines() {
        if let Some(name) = line.strip_prefix("### `") {
            file = Some(name.trim_end_matches('`').to_owned());
        } else if let Some(code) = line.strip_prefix("| `") {
            let (code, proof) = code.split_once("` | ").unwrap();
            assert!(proof.len() > 10, "{line}");
            let file = file.clone().expect("a table needs a heading");
            places
                .entry(file)
                .or_default()
                .push(code.replace("\\|", "|"));
        }
    }
    places
}

#[test]
fn the_list_is_complete() {
    let code = places_in_the_code();
    assert!(code.contains_key("extension/src/table.rs"), "{code:#?}");
    assert_eq!(places_in_the_list(), code);
}
