//! `obook man`: manual pages.

use crate::failure::Failure;
use crate::output::stdout;
use clap::error::ErrorKind;
use std::io::Write;

/// Write a manual page, of the program or of one command
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  obook man > obook.1\n  obook man convert | man -l -")]
pub(crate) struct Arguments {
    /// The command
    command: Option<String>,
}

/// Writes the manual page of `program`, or of one of its commands.
pub(crate) fn run(arguments: &Arguments, mut program: clap::Command) -> Result<(), Failure> {
    program.build();
    let page = match &arguments.command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone(),
            None => {
                let problem = format!("“{name}” is no command of obook");
                program.error(ErrorKind::InvalidSubcommand, problem).exit()
            }
        },
    };
    let out = &mut stdout();
    clap_mangen::Man::new(page).render(out)?;
    Ok(out.flush()?)
}
