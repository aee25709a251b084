//! Dependencies: readers of books need few crates, and no library needs a command line; licences and versions as `deny.toml`
//! allows; and the lists of obook's own crates.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The allowed licences and versions, which `cargo deny` reads too.
const DENY: &str = include_str!("../../deny.toml");

/// The crates that are built for a package, including itself.
fn crates_of(package: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--edges", "normal"])
        .args(["--prefix", "none", "--package", package])
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    let tree = String::from_utf8(output.stdout).unwrap();
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn reading_books_needs_few_crates() {
    let crates = crates_of("obook-converters");
    assert!(crates.contains("zstd"), "{crates:?}");
    assert!(crates.len() <= 20, "{}: {crates:?}", crates.len());
    assert!(!crates.contains("rusqlite"), "{crates:?}");
}

#[test]
fn opening_databases_needs_no_command_line() {
    let crates = crates_of("obook-book");
    assert!(crates.contains("rusqlite"), "{crates:?}");
    for of_the_program in [
        "anstream",
        "async-nats",
        "clap",
        "comfy-table",
        "csv",
        "ctrlc",
        "indicatif",
        "rustyline",
        "sysinfo",
    ] {
        assert!(!crates.contains(of_the_program), "{of_the_program}");
    }
}

/// The quoted entries of a list in `deny.toml`.
fn listed(list: &str) -> Vec<&'static str> {
    let (_, rest) = DENY.split_once(&format!("\n{list} = [\n")).unwrap();
    let (lines, _) = rest.split_once("\n]").unwrap();
    let quoted = lines.lines().map(|line| line.split('"').nth(1).unwrap());
    quoted.collect()
}

/// All packages that are built on this machine, including those for tests and build scripts.
fn packages() -> Vec<Value> {
    let cargo = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            .output()
            .unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{complaint}");
        String::from_utf8(output.stdout).unwrap()
    };
    let version = cargo(&["--version", "--verbose"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let metadata = cargo(&[
        "metadata",
        "--offline",
        "--locked",
        "--format-version=1",
        "--filter-platform",
        host.unwrap(),
    ]);
    let mut metadata: Value = serde_json::from_str(&metadata).unwrap();
    match metadata["packages"].take() {
        Value::Array(packages) => packages,
        other => panic!("{other}"),
    }
}

/// The names in back quotes in the first column of Markdown tables.
fn first_column(page: &str) -> BTreeSet<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next()).collect()
}

/// The lists of crates in the documentation are complete.
#[test]
fn every_crate_has_its_place_in_the_documentation() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let of_obook = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let folder = manifest.parent().unwrap().strip_prefix(root).ok()?;
        let is_crate = package["source"].is_null() && folder != Path::new("");
        is_crate.then(|| folder.to_str().unwrap().to_owned())
    };
    let folders: BTreeSet<String> = packages().iter().filter_map(of_obook).collect();
    assert!(folders.len() > 10, "{folders:?}");
    let page = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let (readme, architecture) = (page("README.md"), page("docs/architecture.md"));
    let places = first_column(&readme);
    let is_crate = |place: &&str| root.join(place).join("Cargo.toml").exists();
    let places = places.into_iter().filter(|place| *place != "fuzz/");
    let places: BTreeSet<String> = places
        .filter(is_crate)
        .map(|place| place.trim_end_matches('/').to_owned())
        .collect();
    assert_eq!(places, folders, "README.md");
    let crates = architecture.split_once("| crate | holds |").unwrap().1;
    let crates = crates.split_once("\n\n").unwrap().0;
    let crates: BTreeSet<String> = first_column(crates)
        .into_iter()
        .map(str::to_owned)
        .collect();
    assert_eq!(crates, folders, "docs/architecture.md");
}

#[test]
fn licences_are_those_that_deny_toml_allows() {
    let allowed = listed("allow");
    let packages = packages();
    assert!(packages.len() > 100, "{}", packages.len());
    for package in &packages {
        let (name, licence) = (&package["name"], package["license"].as_str());
        let licence = licence.unwrap_or_else(|| panic!("{name} names no licence"));
        // One licence of each group of alternatives is enough; a slash is an old way to write OR.
        let groups = licence.split(" AND ");
        for group in groups.map(|group| group.trim_matches(['(', ')'])) {
            let mut alternatives = group.split(" OR ").flat_map(|it| it.split('/'));
            let is_allowed = alternatives.any(|it| allowed.contains(&it.trim()));
            assert!(is_allowed, "{name}: {licence}");
        }
        let from_elsewhere = package["source"]
            .as_str()
            .filter(|it| !it.starts_with("registry+"));
        assert_eq!(from_elsewhere, None, "{name}");
    }
}

#[test]
fn no_crate_comes_twice_without_a_reason() {
    let lock = include_str!("../../Cargo.lock");
    let field = |text: &'static str, name: &str| {
        let (_, rest) = text.split_once(&format!("{name} = \"")).unwrap();
        rest.split('"').next().unwrap()
    };
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in lock.split("[[package]]\n").skip(1) {
        let of_this_name = versions.entry(field(package, "name")).or_default();
        of_this_name.push(field(package, "version"));
    }
    assert!(versions.len() > 100, "{}", versions.len());
    let skipped = listed("skip");
    let mut needed = BTreeSet::new();
    for (name, versions) in versions.iter().filter(|(_, versions)| versions.len() > 1) {
        let of_reason = |version: &&&str| skipped.contains(&&*format!("{name}@{version}"));
        let without: Vec<&&str> = versions.iter().filter(|it| !of_reason(it)).collect();
        assert_eq!(without.len(), 1, "{name}: {versions:?}");
        needed.extend(versions.iter().map(|version| format!("{name}@{version}")));
    }
    let idle = skipped.iter().find(|it| !needed.contains(**it));
    assert_eq!(
        idle, None,
        "it is there once now: deny.toml need not skip it"
    );
}
