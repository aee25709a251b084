//! Every command does the same in memory and in temporary files.

use super::{COMMANDS, IN_FILES, IN_PARTS, PRINTED, Template, Work, worked};
use crate::support::program::obook;

/// What a command says and leaves behind, with `FOLDER` in place of its folder and without the number of temporary files.
fn done(template: &Template, command: &str, sql: &str) -> (String, String, super::State) {
    let work = template.work(command, sql);
    let output = obook(work.words(command));
    let said = |bytes: &[u8]| {
        let said = String::from_utf8_lossy(bytes);
        said.replace(work.root.to_str().unwrap(), "FOLDER")
    };
    let (out, error) = (said(&output.stdout), said(&output.stderr));
    let printed = PRINTED.iter().any(|printed| printed.starts_with(command));
    assert!(
        printed || worked(command, &output),
        "{command}: {out}{error}"
    );
    (out, error, contents(&work))
}

/// The files of a folder. Databases without their history, which has the time and the words of the command.
fn contents(work: &Work) -> super::State {
    let mut state = work.state();
    for (name, held) in &mut state {
        if name.ends_with(".obook") {
            *held = super::digest_of_contents(&work.root.join(name));
        }
    }
    state
}

#[test]
fn every_command_does_the_same_in_files() {
    let template = Template::new();
    let printed = PRINTED.iter().map(|typed| (*typed, ""));
    let mut tried = 0;
    for (typed, sql) in COMMANDS.into_iter().chain(printed) {
        let Some(command) = typed.strip_suffix(IN_FILES) else {
            continue;
        };
        // The clock decides how far searches come between two writes.
        if IN_PARTS.contains(&typed) {
            continue;
        }
        let (in_memory, in_files) = (done(&template, command, sql), done(&template, typed, sql));
        assert_eq!(in_memory.0, in_files.0, "{command}");
        assert_eq!(in_memory.1, in_files.1, "{command}");
        assert!(in_memory.2 == in_files.2, "{command} writes something else");
        tried += 1;
    }
    assert!(tried > 15, "{tried}");
}
