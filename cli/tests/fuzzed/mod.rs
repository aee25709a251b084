//! Laws that hold for any bytes. The fuzzer checks them (`fuzz/`), and so do the tests (`replay`), with inputs that the fuzzer once
//! found and with some thousand changes of small books.
//!
//! A check panics if its bytes break a law. Each check documents the meaning of its bytes.

mod books;
mod compressed;
mod games;
mod import;
mod made;
mod notation;
mod rows;
mod shogi;
mod sql;
#[path = "../../../crates/shogi/tests/whole.rs"]
mod whole;

/// A check of any bytes.
type Check = fn(&[u8]);

/// The checks, by the names of the fuzzer's targets.
const CHECKS: [(&str, Check); 8] = [
    ("books", books::check),
    ("compressed", compressed::check),
    ("games", games::check),
    ("notation", notation::check),
    ("sql", sql::check),
    ("rows", rows::check),
    ("import", import::check),
    ("shogi", shogi::check),
];

/// Runs the check with this name.
pub(crate) fn check(target: &str, bytes: &[u8]) {
    let found = CHECKS.iter().find(|(name, _)| *name == target);
    let (_, check) = found.unwrap_or_else(|| panic!("there is no check {target}"));
    check(bytes);
}

#[cfg(test)]
mod replay;
#[cfg(test)]
mod seeds;
