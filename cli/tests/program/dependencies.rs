//! Dependencies that `deny.toml` can't count, and the lists of obook's own crates.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The output of a command of cargo.
fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--offline", "--locked"])
        .output()
        .unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn reading_books_needs_few_crates() {
    let normal = ["--edges", "normal", "--prefix", "none"];
    let tree = cargo(&[&["tree", "--package", "obook-converters"], &normal[..]].concat());
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    let crates: BTreeSet<&str> = names.filter(|name| !name.is_empty()).collect();
    assert!(crates.contains("zstd"), "{crates:?}");
    assert!(crates.len() <= 28, "{}: {crates:?}", crates.len());
}

/// The names in back quotes in the first column of Markdown tables.
fn first_column(page: &str) -> BTreeSet<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next()).collect()
}

/// The lists of crates in the documentation are complete.
#[test]
fn every_crate_has_its_place_in_the_documentation() {
    let root = crate::support::root();
    let folder = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let folder = manifest.parent().unwrap().strip_prefix(root).unwrap();
        let folder = folder.to_str().unwrap();
        // The library stands at the top.
        if folder.is_empty() { "src" } else { folder }.to_owned()
    };
    let metadata = cargo(&["metadata", "--no-deps", "--format-version=1"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let folders: BTreeSet<String> = packages.map(folder).collect();
    assert!(folders.len() > 10, "{folders:?}");
    let page = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let (readme, architecture) = (page("README.md"), page("docs/architecture.md"));
    let places = first_column(&readme);
    let is_crate = |place: &&str| *place == "src/" || root.join(place).join("Cargo.toml").exists();
    let places = places
        .into_iter()
        .filter(|place| !["fuzz/", "lake/"].contains(place));
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
