//! Engines given as commands.

use super::no_engine::NoEngine;
use obook_engine::{Outside, Protocol};
use std::path::{Path, PathBuf};

/// Lists the protocols as they are written in front of commands.
pub(super) fn protocols() -> String {
    let names = Protocol::ALL.map(|protocol| format!("{protocol}:"));
    let [first @ .., last] = &names;
    format!("{} or {last}", first.join(", "))
}

/// Reads a command with its protocol in front, such as `nboard:ntest x`; `None` if no protocol is named.
pub(super) fn with_protocol(given: &str) -> Result<Option<Outside>, NoEngine> {
    let Some((name, command)) = given.split_once(':') else {
        return Ok(None);
    };
    match Protocol::from_name(name.trim()) {
        Some(protocol) => outside(given, &words(command)?, protocol).map(Some),
        None => Ok(None),
    }
}

/// Reads a command that shows its protocol; `None` if it doesn't.
pub(super) fn guessed(given: &str) -> Result<Option<Outside>, NoEngine> {
    let words = words(given)?;
    match guess(&words) {
        Some(protocol) => outside(given, &words, protocol).map(Some),
        None => Ok(None),
    }
}

/// Splits a command into words, as a shell does.
pub(super) fn words(command: &str) -> Result<Vec<String>, NoEngine> {
    shlex::split(command).ok_or_else(|| NoEngine::Quotation(command.to_owned()))
}

/// Returns the engine with this name and command.
pub(super) fn outside(
    name: &str,
    words: &[String],
    protocol: Protocol,
) -> Result<Outside, NoEngine> {
    let [program, arguments @ ..] = words else {
        return Err(NoEngine::Empty);
    };
    let program = PathBuf::from(program);
    Ok(Outside {
        name: name.to_owned(),
        protocol,
        arguments: arguments.to_vec(),
        folder: home(&program),
        program,
        scale: protocol.scale(),
        patience: Outside::PATIENCE,
    })
}

/// The folder to run an engine in: its own, if it is named by a path, because engines look for their weights in the current
/// folder.
fn home(program: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(program).ok()?;
    let folder = program.parent().filter(|folder| *folder != Path::new(""));
    folder.and(path.parent()).map(PathBuf::from)
}

/// Guesses a program's protocol from its name and arguments.
pub(super) fn guess(words: &[String]) -> Option<Protocol> {
    let [program, arguments @ ..] = words else {
        return None;
    };
    let name = Path::new(program).file_stem()?.to_str()?.to_lowercase();
    if arguments.iter().any(|argument| argument == "-nboard") {
        Some(Protocol::NBoard)
    } else if name.contains("egaroucid") {
        Some(Protocol::Egaroucid)
    } else if name.contains("edax") {
        Some(Protocol::EdaxBook)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_tells_how_it_is_spoken_to() {
        let of = |given: &str| guessed(given).unwrap().unwrap();
        let edax = of("'/opt/my edax/edax' -nboard -q");
        assert_eq!(edax.protocol, Protocol::NBoard);
        assert_eq!(edax.folder.as_deref(), Some(Path::new("/opt/my edax")));
        assert_eq!(edax.arguments, ["-nboard", "-q"]);
        assert_eq!(of("lEdax-4.6").protocol, Protocol::EdaxBook);
        assert_eq!(of("lEdax-4.6").folder, None);
        let egaroucid = of("./Egaroucid_for_Console -t 1");
        assert_eq!(egaroucid.protocol, Protocol::Egaroucid);
        let named = with_protocol("nboard: ntest x").unwrap().unwrap();
        assert_eq!(
            (named.protocol, named.program),
            (Protocol::NBoard, "ntest".into())
        );
        assert_eq!(guessed("ntest").unwrap(), None);
        assert_eq!(with_protocol("C:/edax.exe").unwrap(), None);
        assert!(matches!(guessed("edax 'x"), Err(NoEngine::Quotation(_))));
        assert!(matches!(with_protocol("nboard:"), Err(NoEngine::Empty)));
    }
}
