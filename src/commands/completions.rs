//! `obook completions`: completion scripts for shells.

use crate::args;
use crate::failure::Failure;
use crate::output::stdout;
use clap_complete::Shell;
use std::io::Write;

/// Write a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  obook completions bash > ~/.local/share/bash-completion/completions/obook"
)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let mut program = args::program();
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut program, "obook", &mut script);
    let out = &mut stdout();
    out.write_all(&script)?;
    Ok(out.flush()?)
}
