//! `obook man`: manual pages.

use crate::args;
use crate::prelude::*;
use clap::error::ErrorKind;
use clap_mangen::Man;
use obook::{AtomicFile, Content, Error, IfExists};
use std::fs;

/// Write manual pages
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook man > obook.1\n  \
    obook man convert | man -l -\n  \
    obook man games list | man -l -\n  \
    obook man --output ~/.local/share/man/man1 --force")]
pub(crate) struct Arguments {
    /// Write the page of this command
    command: Vec<String>,
    /// Write all pages, such as obook.1 and obook-import.1, to this folder; it is created if it doesn't exist
    #[arg(short, long, value_name = "DIR", conflicts_with = "command")]
    output: Option<PathBuf>,
    #[command(flatten)]
    force: Force,
}

const PAGE: Content = Content::file("a manual page", |head, _| {
    let text = String::from_utf8_lossy(head);
    text.lines().any(|line| line.starts_with(".TH "))
});

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    // The pages of the `help` subcommands would be empty.
    let mut program = args::program().disable_help_subcommand(true);
    program.build();
    if let Some(folder) = &arguments.output {
        return Ok(write_all(&program, folder, arguments.force.if_exists())?);
    }
    let mut words = arguments.command.iter();
    match words.try_fold(&program, |command, word| command.find_subcommand(word)) {
        Some(command) => print(command),
        None => {
            let problem = format!("obook has no command “{}”", arguments.command.join(" "));
            program.error(ErrorKind::InvalidSubcommand, problem).exit()
        }
    }
}

fn print(command: &clap::Command) -> Result<(), Failure> {
    let out = &mut stdout();
    page(command).render(out)?;
    Ok(out.flush()?)
}

/// Writes the pages of the program and its commands, or none of them if one must not be replaced.
fn write_all(program: &clap::Command, folder: &Path, if_exists: IfExists) -> Result<(), Error> {
    // A file in its place is refused below, in plainer words.
    if !folder.exists() {
        fs::create_dir_all(folder).map_err(Error::io(folder, "make"))?;
    }
    let mut files = Vec::new();
    let mut commands = vec![program];
    while let Some(command) = commands.pop() {
        let page = page(command);
        let path = folder.join(page.get_filename());
        let mut file = AtomicFile::create(&path, PAGE, if_exists, &context::quiet())?;
        page.render(file.file())
            .map_err(Error::io(&path, "write"))?;
        files.push(file);
        commands.extend(command.get_subcommands().filter(|it| !it.is_hide_set()));
    }
    Ok(files.into_iter().try_for_each(AtomicFile::commit)?)
}

fn page(command: &clap::Command) -> Man {
    Man::new(command.clone())
        .source(concat!("obook ", env!("CARGO_PKG_VERSION")))
        .manual("obook")
}
