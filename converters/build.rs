//! Checks for books that are too large for the repository. Tests that need a missing one are reported as ignored.

use std::env;
use std::path::PathBuf;

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let golden =
        env::var_os("OBOOK_GOLDEN").map_or_else(|| root.join("../../shared/golden"), PathBuf::from);
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=OBOOK_GOLDEN");
    for (name, file) in [
        ("large_books", "edax/deviate.dat"),
        ("published_book", "../public/libedax_test_book.dat"),
    ] {
        println!("cargo::rustc-check-cfg=cfg({name})");
        let file = golden.join(file);
        // Don't watch a missing file: cargo would rebuild every time.
        if file.exists() {
            println!("cargo::rerun-if-changed={}", file.display());
            println!("cargo::rustc-cfg={name}");
        }
    }
}
