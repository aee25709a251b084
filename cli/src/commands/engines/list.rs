//! `obook engines list`.

use crate::engines::{EnginesFile, Fault};
use crate::prelude::*;
use obook_base::shell;
use obook_engine::{EngineChoice, Outside};
use obook_othello::Engine;

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

#[derive(Default, Serialize)]
struct EngineRow {
    name: String,
    /// `None` for the engine inside.
    protocol: Option<&'static str>,
    /// The engine as which its searches are stored, and whose scale its levels are on.
    engine: Option<&'static str>,
    scale: Option<&'static str>,
    /// Its place among the engines that obook knows, if it is none of them.
    place: Option<String>,
    command: Option<String>,
    folder: Option<PathBuf>,
    /// Why the entry can't be used.
    fault: Option<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = EnginesFile::read()?;
    let inside = EngineChoice::Inside;
    let first = EngineRow::new(inside.name().to_owned(), Some(inside.engine()));
    let others = file.engines.into_iter().map(row);
    let list = List {
        engines: [first].into_iter().chain(others).collect(),
        file: file.path,
    };
    answer(&list, arguments.json, describe)
}

impl EngineRow {
    /// A row with the engine as which searches are stored, if it is known.
    fn new(name: String, engine: Option<Engine>) -> EngineRow {
        EngineRow {
            name,
            engine: engine.map(Engine::name),
            scale: engine.map(|engine| engine.scale().name()),
            place: engine.and_then(|engine| Some(engine.place()?.to_string())),
            ..EngineRow::default()
        }
    }
}

fn row((name, engine): (String, Result<Outside, Fault>)) -> EngineRow {
    match engine {
        Ok(outside) => {
            let program = outside.program.display().to_string();
            let is_for_othello = !outside.protocol.is_for_shogi();
            EngineRow {
                protocol: Some(outside.protocol.name()),
                command: Some(shell(&program, &outside.arguments)),
                folder: outside.folder,
                ..EngineRow::new(name, is_for_othello.then_some(outside.engine))
            }
        }
        Err(fault) => EngineRow {
            fault: Some(fault.to_string()),
            ..EngineRow::new(name, None)
        },
    }
}

fn describe(list: &List, out: &mut dyn Write) -> io::Result<()> {
    let names = list.engines.iter().map(|row| row.name.chars().count());
    let width = names.max().unwrap_or_default().max(4);
    writeln!(out, "{:width$}  protocol   levels of  command", "name")?;
    for row in &list.engines {
        if let Some(fault) = &row.fault {
            writeln!(out, "{:width$}  can't be used: {fault}", row.name)?;
            continue;
        }
        let protocol = row.protocol.unwrap_or("-");
        let command = row.command.as_deref().unwrap_or("-");
        let (name, scale) = (&row.name, row.scale.unwrap_or("-"));
        writeln!(out, "{name:width$}  {protocol:9}  {scale:9}  {command}")?;
        if let Some(place) = &row.place {
            let engine = row.engine.unwrap_or_default();
            writeln!(out, "{:width$}  stored as {engine}, place {place}", "")?;
        }
    }
    if let Some(file) = &list.file {
        let is_there = match file.exists() {
            true => "",
            false => " (not created yet)",
        };
        writeln!(out, "\nengines are named in {}{is_there}", file.display())?;
    }
    Ok(())
}
