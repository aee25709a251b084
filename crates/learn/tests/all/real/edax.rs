//! Edax.

use super::assert_as_recorded;
use crate::grown::Recording;
use crate::grown::edax::Case;
use obook_engine::{EngineChoice, Protocol};
use obook_needs::needs;
use obook_testing::engines::{edax_console, real};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The book as Edax grows it.
fn grown_by_edax(case: &Case, folder: &Path) -> PathBuf {
    let after = folder.join("after.dat");
    let commands = [
        format!("load {}", case.before().display()),
        format!("depth {}", case.depth),
        case.told.command.to_owned(),
        String::from("fix"),
        format!("save {}", after.display()),
    ];
    edax_console(case.level, &commands);
    after
}

#[needs(engine_kit)]
#[test]
fn books_and_answers_are_those_that_were_recorded() {
    for (case, same) in Case::all() {
        let folder = tempfile::tempdir().unwrap();
        let after = grown_by_edax(&case, folder.path());
        let answers = Arc::new(Mutex::new(Default::default()));
        let edax = || EngineChoice::Outside(real(Protocol::EdaxBook)).start();
        let (ours, _) = case.ours(&|| {
            Box::new(Recording {
                engine: edax().unwrap(),
                answers: Arc::clone(&answers),
            })
        });
        assert_as_recorded(&case, &after, &ours, &answers.lock().unwrap(), same);
    }
}
