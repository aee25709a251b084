//! Properties of whatever bytes there are. The fuzzer feeds them (`fuzz/`), and so do the tests, with what the fuzzer once
//! found and with some thousand changes of small books: `replay`.
//!
//! A check panics where its bytes break a law. What the bytes mean is told by each check.

mod books;
mod compressed;
mod games;
mod import;
mod made;
mod notation;
mod rows;
mod sql;

/// A check of any bytes.
type Check = fn(&[u8]);

/// The checks by the names of the fuzzer's targets.
const CHECKS: [(&str, Check); 7] = [
    ("books", books::check),
    ("compressed", compressed::check),
    ("games", games::check),
    ("notation", notation::check),
    ("sql", sql::check),
    ("rows", rows::check),
    ("import", import::check),
];

/// The check of this name.
pub(crate) fn check(target: &str, bytes: &[u8]) {
    let found = CHECKS.iter().find(|(name, _)| *name == target);
    let (_, check) = found.unwrap_or_else(|| panic!("there is no check {target}"));
    check(bytes);
}

#[cfg(test)]
mod replay;
#[cfg(test)]
mod seeds;
