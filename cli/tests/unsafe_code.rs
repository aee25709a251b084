//! Only the crates named here may contain unsafe code. In these, clippy demands a `SAFETY` comment for each block
//! (`undocumented_unsafe_blocks`).

use super::laws::files;
use super::support::root;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The engine inside uses instructions that not every processor has; the others call SQLite, which is written in C. Both
/// kinds are allowed in single files, where the lint is lifted. `crates/c` is nothing but functions that C calls.
const WITH_UNSAFE_CODE: [&str; 5] = [
    "crates/base",
    "crates/c",
    "crates/engine",
    "crates/sql",
    "crates/store",
];

#[test]
fn all_other_crates_forbid_unsafe_code() {
    let mut allowing = BTreeSet::new();
    let mut checked = 0;
    for path in files("rs") {
        let name = path.strip_prefix(root()).unwrap();
        // The main file of a library or a program.
        let is_root = ["lib.rs", "main.rs"]
            .iter()
            .any(|it| name.ends_with(Path::new("src").join(it)));
        if !is_root || name.starts_with("fuzz") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        checked += 1;
        let allows = |it: &&str| text.contains(&format!("\n#![{it}(unsafe_code)]\n"));
        if ["allow", "deny"].iter().any(allows) {
            let folder = name.parent().and_then(Path::parent).unwrap();
            allowing.insert(folder.to_str().unwrap().to_owned());
        } else {
            let forbids = text.contains("#![forbid(unsafe_code)]\n");
            assert!(forbids, "{} forbids no unsafe code", name.display());
        }
    }
    assert!(checked > 15, "{checked}");
    assert_eq!(allowing, WITH_UNSAFE_CODE.map(str::to_owned).into());
}
