//! The documentation is run: every console block of the README and of docs/ must print what it says.
//!
//! `TRYCMD=overwrite cargo test --test all documentation` writes what the commands print now into the documents.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Two tests may write into one document.
pub(super) static DOCUMENTS: Mutex<()> = Mutex::new(());

/// The documents, and beside each of them what its commands need.
#[test]
fn every_command_prints_what_the_documentation_says() {
    let _alone = DOCUMENTS.lock();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let documents = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let documents: Vec<PathBuf> = documents.chain([root.join("README.md")]).collect();
    assert!(documents.len() > 3, "{documents:?}");
    for document in documents {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join(document.file_name().unwrap());
        fs::copy(&document, &copy).unwrap();
        // Commands run in the folder beside a document that has its name and ends in `.in`.
        let work = copy.with_extension("in");
        fs::create_dir(&work).unwrap();
        for file in [
            "tests/data/edax/games.dat",
            "tests/data/problems.obf",
            "tests/data/rules.toml",
            "games/tests/data/levels.wtb",
            "games/tests/data/levels.jou",
            "games/tests/data/levels.trn",
        ] {
            let path = root.join(file);
            fs::copy(&path, work.join(path.file_name().unwrap())).unwrap();
        }
        run(&copy);
        if std::env::var_os("TRYCMD").is_some_and(|mode| mode == "overwrite") {
            fs::copy(&copy, &document).unwrap();
        }
    }
}

fn run(document: &PathBuf) {
    trycmd::TestCases::new()
        .register_bin(
            "obook",
            trycmd::schema::Bin::Path(env!("CARGO_BIN_EXE_obook").into()),
        )
        .case(document);
}
