//! Files are opened by `obook_base::open_file` or `obook_store::RawFile`, which keep the locks of SQLite. Whoever opens one by
//! other means must know that it is no database which the process may have open.

use super::support::root;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The places that open files by other means, and how many there are in a file.
const OTHERS: &[(&str, usize, &str)] = &[
    ("crates/base/src/open.rs", 1, "keeps databases open"),
    (
        "crates/base/src/scratch.rs",
        1,
        "a lock in a folder of its own",
    ),
    ("crates/base/src/source.rs", 1, "a new file of this process"),
    (
        "src/write/salvage/mod.rs",
        1,
        "a journal beside a database has no locks",
    ),
    ("src/write/salvage/pages.rs", 1, "a copy of this process"),
    ("converters/src/book_writer.rs", 1, "empties the file"),
    ("crates/lake-files/src/manifest.rs", 1, "part of a lake"),
    ("crates/lake-files/src/read.rs", 1, "part of a lake"),
    ("crates/lake-files/src/write.rs", 1, "part of a lake"),
    ("lake/src/new_lake.rs", 2, "parts of a lake"),
    ("crates/learn/src/lock.rs", 1, "a lock beside a book"),
    ("cli/src/interrupt.rs", 1, "a file of the kernel"),
    (
        "crates/store/src/files.rs",
        2,
        "folders, and the parts of a lake",
    ),
    (
        "crates/store/src/snapshot.rs",
        1,
        "a copy of this process, which is closed",
    ),
    ("crates/store/src/wal.rs", 1, "a log has no locks"),
];

/// What opens a file that may exist already.
const OPENING: [&str; 7] = [
    "File::open(",
    "File::create(",
    "File::options(",
    "OpenOptions::new(",
    "fs::read(",
    "fs::read_to_string(",
    "fs::copy(",
];

/// The lines of a file that open files, without remarks and tests.
fn openings(text: &str) -> usize {
    let code = text.lines().take_while(|line| {
        let is_test = line.starts_with("#[cfg(") && line.contains("test");
        !is_test
    });
    let code = code.map(|line| line.split("//").next().unwrap());
    // Not `BookFile::open(` and the like.
    let calls = |line: &str, call: &str| {
        let mut before = line
            .match_indices(call)
            .map(|(at, _)| line[..at].chars().last());
        before.any(|last| last.is_none_or(|last| !last.is_alphanumeric()))
    };
    let opens = |line: &&str| OPENING.iter().any(|call| calls(line, call));
    code.filter(opens).count()
}

/// The sources of crates, which are in `src` folders.
fn sources(folder: &Path, found: &mut BTreeMap<String, usize>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let place = path.strip_prefix(root()).unwrap().to_str().unwrap();
        let place = place.replace('\\', "/");
        let is_source = place.starts_with("src/") || place.contains("/src/");
        // Crates for tests only.
        let is_other = ["target", "tools", "fuzz", "node_modules"].contains(&name);
        if path.is_dir() && !is_other && !name.starts_with('.') {
            sources(&path, found);
        } else if is_source && name.ends_with(".rs") {
            let count = openings(&fs::read_to_string(&path).unwrap());
            if count > 0 {
                found.insert(place, count);
            }
        }
    }
}

#[test]
fn only_these_places_open_files_by_other_means() {
    let mut found = BTreeMap::new();
    sources(root(), &mut found);
    let known = OTHERS
        .iter()
        .map(|(file, count, _)| ((*file).to_owned(), *count));
    let known: BTreeMap<String, usize> = known.collect();
    assert_eq!(found, known);
}

#[test]
fn openings_are_seen() {
    let code = "let a = std::fs::File::open(path)?; // File::open(\n// fs::read(\nfs::read(path); BookFile::open(path)\nBookFile::open(path)\n#[cfg(test)]\nfs::copy(a, b)";
    assert_eq!(openings(code), 2);
}
