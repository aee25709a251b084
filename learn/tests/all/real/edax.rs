//! Edax.

use super::assert_as_recorded;
use obook_engine::{EngineChoice, Protocol};
use obook_needs::needs;
use obook_testing::engines::{kit, real};
use obook_testing::grown::edax::{Case, DIFFERENT, SAME};
use obook_testing::grown::{Case as _, Recording};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

/// Runs commands in Edax's console.
fn edax(level: u8, commands: &[String]) {
    let program = kit("edax/edax");
    let mut edax = Command::new(&program)
        .args("-n 1 -mode 3 -q -h 16 -book-usage off -l".split(' '))
        .arg(level.to_string())
        .current_dir(program.parent().unwrap())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = edax.stdin.take().unwrap();
    for command in commands {
        writeln!(input, "book {command}").unwrap();
    }
    writeln!(input, "book info").unwrap();
    let said = BufReader::new(edax.stdout.take().unwrap());
    let mut lines = said.lines().map(Result::unwrap);
    // The end of the output of `book info`.
    assert!(lines.any(|line| line.contains("Hash balance")));
    drop(input);
    for _ in lines {}
    assert!(edax.wait().unwrap().success());
}

/// The book as Edax grows it.
fn grown_by_edax(case: &Case, folder: &Path) -> PathBuf {
    let after = folder.join("after.dat");
    let commands = [
        format!("load {}", case.before().display()),
        format!("depth {}", case.depth),
        case.command.to_owned(),
        String::from("fix"),
        format!("save {}", after.display()),
    ];
    edax(case.level, &commands);
    after
}

#[needs(engine_kit)]
#[test]
fn books_and_answers_are_those_that_were_recorded() {
    for case in SAME.iter().chain(&DIFFERENT) {
        let folder = tempfile::tempdir().unwrap();
        let after = grown_by_edax(case, folder.path());
        let answers = Arc::new(Mutex::new(Default::default()));
        let edax = || EngineChoice::Outside(real(Protocol::EdaxBook)).start();
        let (ours, _) = case.ours(&|| {
            Box::new(Recording {
                engine: edax().unwrap(),
                answers: Arc::clone(&answers),
            })
        });
        let same = SAME.iter().any(|it| it.name == case.name);
        assert_as_recorded(case, &after, &ours, &answers.lock().unwrap(), same);
    }
}
