//! `obook completions`: completion scripts for shells.

use crate::complete::{shells, write_script};
use crate::failure::Failure;
use crate::output::stdout;
use clap::builder::PossibleValuesParser;
use std::io::Write;

/// Write a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook completions bash > ~/.local/share/bash-completion/completions/obook\n  \
    obook completions zsh > ~/.zfunc/_obook\n  \
    obook completions fish > ~/.config/fish/completions/obook.fish\n\n\
    The script asks the program: it completes commands, options and files, engines, the names of openings, and the players of a \
    database on the same command line. Write it again when you install another version.")]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(shells()))]
    shell: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let out = &mut stdout();
    write_script(&arguments.shell, out)?;
    Ok(out.flush()?)
}
