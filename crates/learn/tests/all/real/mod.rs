//! Books grown by the real engines, if they are installed, and by our rules.

mod edax;
mod egaroucid;

use crate::grown::{Answers, Case, Grower, differences, read, read_answers, write_answers};
use obook_testing::random_book::Book;
use std::fs;
use std::path::Path;

/// Checks that the engine makes the recorded book with the same answers, and that our rules make the `same` one or a different
/// one. With OBOOK_RECORD, first writes book and answers to `tests/data`.
fn assert_as_recorded<G: Grower>(
    case: &Case<G>,
    after: &Path,
    ours: &Book,
    answers: &Answers,
    same: bool,
) {
    if std::env::var_os("OBOOK_RECORD").is_some() {
        // The case may be new and have no files.
        let recorded = case.before().with_file_name(case.name);
        fs::copy(after, recorded.with_extension(G::ENDING)).unwrap();
        fs::write(recorded.with_extension("tsv"), write_answers(answers)).unwrap();
    }
    let theirs = read(after);
    let none: Vec<String> = Vec::new();
    let recorded = differences(&theirs, &read(&case.after()), 3);
    assert_eq!(recorded, none, "{case:?}");
    assert!(*answers == read_answers(&case.answers()), "{case:?}");
    let differences = differences(ours, &theirs, 3);
    assert_eq!(differences.is_empty(), same, "{case:?} {differences:#?}");
}
