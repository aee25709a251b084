//! `--engine` and `--jobs`.

use clap::Args;
use obook_engine::{EngineChoice, Outside, Protocol};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

/// Which engine searches, and how many searches run side by side.
#[derive(Clone, Debug, Args)]
pub(crate) struct EngineArgs {
    /// Search with this engine: inside, or a command that starts another one, such as 'edax -nboard'
    #[arg(
        long,
        value_name = "NAME|COMMAND",
        default_value = "inside",
        hide_default_value = true
    )]
    engine: String,
    /// Run so many searches side by side, each on a thread or a process of its own [default: one for each core]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

/// Why what was given for `--engine` names none.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoEngine {
    #[error("--engine: nothing is given; expected inside or a command")]
    Empty,
    #[error("--engine {0}: a quotation mark is not closed")]
    Quotation(String),
    #[error(
        "--engine {command}: {program} does not tell how it is spoken to; write nboard:, egaroucid: or edax-book: before the command"
    )]
    Protocol { command: String, program: String },
}

impl EngineArgs {
    /// The engine that was asked for.
    pub(crate) fn choice(&self) -> Result<EngineChoice, NoEngine> {
        if self.engine == EngineChoice::Inside.name() {
            return Ok(EngineChoice::Inside);
        }
        on_the_spot(&self.engine).map(EngineChoice::Outside)
    }

    /// How many searches run side by side.
    pub(crate) fn jobs(&self) -> NonZeroUsize {
        let cores = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.jobs.unwrap_or_else(cores)
    }
}

/// The engine that a command starts; its protocol stands before it, or is guessed.
fn on_the_spot(given: &str) -> Result<Outside, NoEngine> {
    let (named, command) = match given.split_once(':') {
        Some((before, command)) => match Protocol::from_name(before.trim()) {
            Some(protocol) => (Some(protocol), command),
            None => (None, given),
        },
        None => (None, given),
    };
    let mut words = shlex::split(command)
        .ok_or_else(|| NoEngine::Quotation(given.to_owned()))?
        .into_iter();
    let program = words.next().ok_or(NoEngine::Empty)?;
    let arguments: Vec<String> = words.collect();
    let protocol = named
        .or_else(|| guessed(&program, &arguments))
        .ok_or_else(|| NoEngine::Protocol {
            command: given.to_owned(),
            program: program.clone(),
        })?;
    Ok(Outside {
        name: given.to_owned(),
        protocol,
        program: PathBuf::from(program),
        arguments,
        folder: None,
        scale: protocol.scale(),
        patience: Outside::PATIENCE,
    })
}

/// How a program is spoken to, as its name and arguments tell it.
fn guessed(program: &str, arguments: &[String]) -> Option<Protocol> {
    let file = Path::new(program).file_stem()?.to_str()?;
    let name = file.to_lowercase();
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

    fn outside(given: &str) -> Outside {
        on_the_spot(given).unwrap()
    }

    #[test]
    fn a_command_tells_how_it_is_spoken_to() {
        let edax = outside("'/opt/my edax/edax' -nboard -q");
        assert_eq!(edax.protocol, Protocol::NBoard);
        assert_eq!(edax.program, Path::new("/opt/my edax/edax"));
        assert_eq!(edax.arguments, ["-nboard", "-q"]);
        assert_eq!(outside("lEdax-4.6").protocol, Protocol::EdaxBook);
        assert_eq!(
            outside("./Egaroucid_for_Console -l 5").protocol,
            Protocol::Egaroucid
        );
        let named = outside("nboard: ntest x");
        assert_eq!(
            (named.protocol, named.program),
            (Protocol::NBoard, "ntest".into())
        );
    }

    #[test]
    fn what_is_no_engine_says_what_is_missing() {
        let problem = |given: &str| on_the_spot(given).unwrap_err().to_string();
        assert!(problem("").contains("inside"), "{}", problem(""));
        assert!(problem("ntest").contains("nboard:"), "{}", problem("ntest"));
        assert!(
            problem("edax 'x").contains("quotation"),
            "{}",
            problem("edax 'x")
        );
    }
}
