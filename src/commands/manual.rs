//! `obook completions` and `obook man`: what the shell and `man` know of the arguments.

use crate::args::Cli;
use crate::output::{Failure, stdout};
use clap::CommandFactory;
use clap::error::ErrorKind;
use clap_complete::Shell;
use std::io::Write;

/// Writes a completion script.
pub(crate) fn completions(shell: Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "obook", &mut script);
    let out = &mut stdout();
    out.write_all(&script)?;
    Ok(out.flush()?)
}

/// Writes the manual page of the program, or of one of its commands.
pub(crate) fn page(command: Option<&str>) -> Result<(), Failure> {
    let mut program = Cli::command();
    program.build();
    let page = match command {
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
