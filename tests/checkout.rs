//! The repository can be checked out on every system, and each crate can be published from it.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files below a folder, except those that git ignores or keeps for itself. Links are listed, not followed.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name();
        if name == "target" || name == "node_modules" || name == ".git" {
            continue;
        }
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), found);
        } else {
            found.push(entry.path());
        }
    }
}

#[test]
fn no_file_is_a_symbolic_link() {
    let mut found = Vec::new();
    files(root(), &mut found);
    assert!(found.contains(&root().join("Cargo.toml")));
    found.retain(|file| file.is_symlink());
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn published_crates_contain_their_licences() {
    let folders = fs::read_dir(root()).unwrap();
    let folders = folders.map(|entry| entry.unwrap().path());
    let is_published = |folder: &PathBuf| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml"));
        manifest.is_ok_and(|manifest| !manifest.contains("publish = false"))
    };
    let crates: Vec<PathBuf> = folders.filter(is_published).collect();
    assert!(crates.len() > 10, "{crates:?}");
    for folder in crates {
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let licence = fs::read(folder.join(name)).unwrap_or_default();
            assert_eq!(licence, fs::read(root().join(name)).unwrap(), "{folder:?}");
        }
    }
}
