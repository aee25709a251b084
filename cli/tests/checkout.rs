//! The repository can be checked out on every system, each crate can be published from it, and the gate knows what to test again.

use super::support::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

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

/// Law (The code itself): The repository has no symbolic links; published crates contain their licences.
/// Also: `published_crates_contain_their_licences`
#[test]
fn no_file_is_a_symbolic_link() {
    let mut found = Vec::new();
    files(root(), &mut found);
    assert!(found.contains(&root().join("Cargo.toml")));
    found.retain(|file| file.is_symlink());
    assert!(found.is_empty(), "{found:?}");
}

/// The folders of the published crates.
fn crates() -> Vec<PathBuf> {
    let below = |folder: &Path| fs::read_dir(folder).unwrap();
    let folders = below(root()).chain(below(&root().join("crates")));
    let folders = folders.map(|entry| entry.unwrap().path());
    let folders = folders.chain([root().to_owned()]);
    let is_published = |folder: &PathBuf| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml"));
        manifest.is_ok_and(|manifest| !manifest.contains("publish = false"))
    };
    let crates: Vec<PathBuf> = folders.filter(is_published).collect();
    assert!(crates.len() > 10, "{crates:?}");
    crates
}

#[test]
fn published_crates_contain_their_licences() {
    for folder in crates() {
        for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let licence = fs::read(folder.join(name)).unwrap_or_default();
            assert_eq!(licence, fs::read(root().join(name)).unwrap(), "{folder:?}");
        }
    }
}

/// Law (The code itself): A published crate, with the examples in its documentation, includes only files of its package.
#[test]
fn sources_include_only_files_of_their_package() {
    let mut checked = 0;
    for folder in crates() {
        // The folder of the library holds the whole repository.
        let parts: &[&str] = match folder == root() {
            true => &["src", "schema.sql", "README.md", "examples/games.dat"],
            false => &["."],
        };
        let parts = parts.iter().map(|part| folder.join(part).canonicalize());
        let parts: Vec<PathBuf> = parts.collect::<Result<_, _>>().unwrap();
        // Manifests leave these out.
        let left_out = ["tests", "benches"].map(|name| folder.canonicalize().unwrap().join(name));
        let mut sources = Vec::new();
        files(&folder.join("src"), &mut sources);
        sources.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
        for source in sources {
            let text = fs::read_to_string(&source).unwrap();
            for include in ["include!(\"", "include_str!(\"", "include_bytes!(\""] {
                for rest in text.split(include).skip(1) {
                    let named = rest.split('"').next().unwrap();
                    let path = source.parent().unwrap().join(named);
                    let path = path.canonicalize().unwrap();
                    let is_below = |folder: &PathBuf| path.starts_with(folder);
                    let is_packed = parts.iter().any(is_below) && !left_out.iter().any(is_below);
                    assert!(is_packed, "{source:?} includes {path:?}");
                    checked += 1;
                }
            }
        }
    }
    assert!(checked > 10, "{checked}");
}

/// `.ci/run` builds and tests lake/ again only if this has changed.
#[cfg(target_os = "linux")]
#[test]
fn a_change_of_anything_that_lake_is_built_from_is_noticed() {
    let run = |command: &mut std::process::Command| {
        let output = command.output().unwrap();
        assert!(output.status.success(), "{command:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let clone = folder.path().join("clone");
    let mut git = std::process::Command::new("git");
    git.args(["clone", "--quiet", "--shared"]);
    run(git.arg(root()).arg(&clone));
    let script = clone.join(".ci/lake");
    fs::copy(root().join(".ci/lake"), &script).unwrap();
    // By bash: other tests start programs, and the copy stays open for writing in one that starts just then.
    let fingerprint = || {
        let mut bash = std::process::Command::new("bash");
        run(bash.arg(&script).arg("--fingerprint"))
    };
    let passed = fingerprint();
    for (file, matters) in [
        ("lake/src/main.rs", true),
        ("lake/Cargo.lock", true),
        ("crates/graph/src/lib.rs", true),
        // A dependency of a dependency, and what one includes.
        ("crates/base/src/lib.rs", true),
        ("crates/games/names/openings.tsv", true),
        // All packages inherit from it.
        ("Cargo.toml", true),
        ("schema.sql", true),
        ("crates/graph/src/new.rs", true),
        ("README.md", false),
        ("crates/explorer/src/lib.rs", false),
        ("lake/tested", false),
    ] {
        let path = clone.join(file);
        let before = fs::read(&path);
        let more = [before.as_deref().unwrap_or_default(), b"\n"].concat();
        fs::write(&path, more).unwrap();
        assert_eq!(fingerprint() != passed, matters, "{file}");
        match before {
            Ok(before) => fs::write(&path, before).unwrap(),
            Err(_) => fs::remove_file(&path).unwrap(),
        }
    }
    assert_eq!(fingerprint(), passed, "all are as before");
    fs::remove_file(clone.join("crates/graph/src/lib.rs")).unwrap();
    assert_ne!(fingerprint(), passed);
}

/// The crates of this repository that one is built from with all its features, or without any, without `obook-`.
fn built_from(first: &str, all: bool) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut waiting = vec![first.to_owned()];
    while let Some(name) = waiting.pop() {
        let folders = [root().join("crates").join(&name), root().join(&name)];
        let folder = folders.iter().find(|folder| folder.exists()).unwrap();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let manifest: toml::Table = manifest.parse().unwrap();
        let names = manifest.get("dependencies").and_then(|it| it.as_table());
        let names = names.into_iter().flatten();
        let is_optional = |it: &toml::Value| it.get("optional").and_then(toml::Value::as_bool);
        let names = names.filter(|(_, it)| all || is_optional(it) != Some(true));
        let names = names.filter_map(|(name, _)| name.strip_prefix("obook-"));
        waiting.extend(
            names
                .map(str::to_owned)
                .filter(|it| reached.insert(it.clone())),
        );
    }
    reached
}

/// Shogi and its databases need nothing of Othello.
#[test]
fn shogi_is_built_from_none_of_othellos_crates() {
    let neutral = ["base", "cycles", "store"].map(str::to_owned);
    assert_eq!(
        built_from("shogi", false),
        neutral[..2].iter().cloned().collect()
    );
    assert_eq!(built_from("shogi", true), neutral.into());
    let of_base = built_from("base", true);
    assert!(of_base.is_empty(), "{of_base:?}");
}
