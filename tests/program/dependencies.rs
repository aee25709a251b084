//! What a program takes in with a library: readers of books are small, and no library knows a command line.

use std::collections::BTreeSet;
use std::process::Command;

/// The crates that are built with a package, itself included.
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
fn what_reads_books_needs_few_crates() {
    let crates = crates_of("obook-converters");
    assert!(crates.contains("zstd"), "{crates:?}");
    assert!(crates.len() <= 20, "{}: {crates:?}", crates.len());
    assert!(!crates.contains("rusqlite"), "{crates:?}");
}

#[test]
fn what_opens_databases_needs_no_command_line() {
    let crates = crates_of("obook-book");
    assert!(crates.contains("rusqlite"), "{crates:?}");
    for of_the_program in [
        "anstream",
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
