//! `obook completions`: completion scripts for shells.
//!
//! The scripts for bash, zsh and fish ask the program how the last word could end (`obook complete`), because some values
//! depend on files. If there are none, the shell offers names of files.

use crate::args;
use crate::prelude::*;
use clap_complete::Shell;

/// Write a completion script for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook completions bash > ~/.local/share/bash-completion/completions/obook\n  \
    obook completions zsh > ~/.zfunc/_obook\n  \
    obook completions fish > ~/.config/fish/completions/obook.fish\n\n\
    In bash, zsh and fish, obook also completes recipes, your engines, the names of openings, and the players of a database on the \
    same command line. In zsh, the folder must be in $fpath before compinit runs.")]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match arguments.shell {
        Shell::Bash => print(include_bytes!("obook.bash")),
        Shell::Zsh => print(include_bytes!("obook.zsh")),
        Shell::Fish => print(include_bytes!("obook.fish")),
        other => {
            let mut script = Vec::new();
            clap_complete::generate(other, &mut args::program(), "obook", &mut script);
            print(script)
        }
    }
}
