//! `obook engines list`.

use crate::engines::EnginesFile;
use crate::failure::Failure;
use crate::output::answer;
use crate::typed::shell;
use obook_engine::{EngineChoice, Outside};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// List the built-in engine and those in engines.toml
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook engines list\n  \
    obook engines list --json")]
pub(crate) struct Arguments {
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct List {
    file: Option<PathBuf>,
    engines: Vec<EngineRow>,
}

#[derive(Serialize)]
struct EngineRow {
    name: String,
    /// `None` for the engine inside.
    protocol: Option<&'static str>,
    scale: &'static str,
    command: Option<String>,
    folder: Option<PathBuf>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = EnginesFile::read()?;
    let inside = EngineChoice::Inside;
    let first = EngineRow {
        name: inside.name().to_owned(),
        protocol: None,
        scale: inside.engine().name(),
        command: None,
        folder: None,
    };
    let list = List {
        engines: [first]
            .into_iter()
            .chain(file.engines.into_values().map(row))
            .collect(),
        file: file.path,
    };
    answer(&list, arguments.json, describe)
}

fn row(engine: Outside) -> EngineRow {
    EngineRow {
        protocol: Some(engine.protocol.name()),
        scale: engine.scale.name(),
        command: Some(shell(
            &engine.program.display().to_string(),
            &engine.arguments,
        )),
        folder: engine.folder,
        name: engine.name,
    }
}

fn describe(list: &List, out: &mut dyn Write) -> Result<(), Failure> {
    let longest = list
        .engines
        .iter()
        .map(|row| row.name.chars().count())
        .max();
    let width = longest.unwrap_or_default().max(4);
    writeln!(out, "{:width$}  protocol   levels of  command", "name")?;
    for row in &list.engines {
        let protocol = row.protocol.unwrap_or("-");
        let command = row.command.as_deref().unwrap_or("-");
        writeln!(
            out,
            "{:width$}  {protocol:9}  {:9}  {command}",
            row.name, row.scale
        )?;
    }
    if let Some(file) = &list.file {
        let is_there = if file.exists() {
            ""
        } else {
            " (not there yet)"
        };
        writeln!(out, "\nengines are named in {}{is_there}", file.display())?;
    }
    Ok(())
}
