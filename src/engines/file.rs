//! `engines.toml`: engines by name.

use super::command::{guess, outside, protocols, words};
use super::no_engine::NoEngine;
use crate::options::duration::duration;
use etcetera::BaseStrategy;
use obook_engine::{EngineChoice, Outside, Protocol};
use obook_model::Engine;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use toml::Spanned;

/// The file of engines that a person has.
pub(crate) struct EnginesFile {
    /// Where it is, or would be; `None` where the system has no place for it.
    pub(crate) path: Option<PathBuf>,
    /// What it names.
    pub(crate) engines: BTreeMap<String, Outside>,
}

/// More than any such file needs, in bytes.
const LARGEST: u64 = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with a command")]
struct Entry {
    command: Spanned<Command>,
    protocol: Option<Spanned<String>>,
    folder: Option<PathBuf>,
    scale: Option<Spanned<String>>,
    patience: Option<Spanned<String>>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a command, as a text or a list of words"
)]
enum Command {
    Line(String),
    Words(Vec<String>),
}

/// What is wrong with the text of the file, and the byte where that begins.
struct Wrong {
    at: usize,
    problem: String,
}

impl EnginesFile {
    /// Reads it; one that is not there names no engines.
    pub(crate) fn read() -> Result<EnginesFile, NoEngine> {
        let Some(path) = place() else {
            return Ok(EnginesFile {
                path: None,
                engines: BTreeMap::new(),
            });
        };
        let text = text(&path).map_err(|problem| NoEngine::Unreadable {
            path: path.clone(),
            problem,
        })?;
        match engines(&text, path.parent().unwrap_or(Path::new(""))) {
            Ok(engines) => Ok(EnginesFile {
                path: Some(path),
                engines,
            }),
            Err(Wrong { at, problem }) => Err(NoEngine::File {
                path,
                line: line_of(&text, at),
                problem,
            }),
        }
    }

    /// Which names there are, in words that may follow "there is no such name".
    pub(super) fn known(&self) -> String {
        let inside = EngineChoice::Inside;
        let names: Vec<&str> = [inside.name()]
            .into_iter()
            .chain(self.engines.keys().map(String::as_str))
            .collect();
        let names = names.join(", ");
        match &self.path {
            Some(path) => format!(" in {}, which knows {names}", path.display()),
            None => format!(", only {names}"),
        }
    }
}

/// Where the file is: what `OBOOK_ENGINES` says, else obook's folder among a person's settings.
fn place() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("OBOOK_ENGINES") {
        return Some(path.into());
    }
    let strategy = etcetera::base_strategy::choose_native_strategy().ok()?;
    Some(strategy.config_dir().join("obook").join("engines.toml"))
}

/// What stands in it.
fn text(path: &Path) -> Result<String, String> {
    let mut text = String::new();
    let file = match std::fs::File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(text),
        file => file.map_err(|error| error.to_string())?,
    };
    file.take(LARGEST + 1)
        .read_to_string(&mut text)
        .map_err(|error| error.to_string())?;
    if text.len() as u64 > LARGEST {
        return Err(format!(
            "larger than {LARGEST} bytes, which no list of engines is"
        ));
    }
    Ok(text)
}

/// The engines of a file that lies in `folder`.
fn engines(text: &str, folder: &Path) -> Result<BTreeMap<String, Outside>, Wrong> {
    let entries: BTreeMap<String, Entry> = toml::from_str(text).map_err(|error| Wrong {
        at: error.span().map_or(0, |span| span.start),
        problem: error.message().to_owned(),
    })?;
    entries
        .into_iter()
        .map(|(name, entry)| Ok((name.clone(), engine(&name, entry, folder)?)))
        .collect()
}

fn engine(name: &str, entry: Entry, folder: &Path) -> Result<Outside, Wrong> {
    let at = entry.command.span().start;
    let wrong = |problem: String| Wrong { at, problem };
    if name == EngineChoice::Inside.name() {
        return Err(wrong(format!(
            "{name} is the engine of obook itself: choose another name"
        )));
    }
    let command = match entry.command.into_inner() {
        Command::Words(words) => words,
        Command::Line(line) => words(&line).map_err(|error| wrong(error.to_string()))?,
    };
    let protocol = match entry.protocol {
        Some(given) => Protocol::from_name(given.as_ref()).ok_or_else(|| {
            let names = Protocol::ALL.map(Protocol::name).join(", ");
            wrong_at(
                &given,
                format!("protocol {} is none of {names}", given.as_ref()),
            )
        })?,
        None => guess(&command).ok_or_else(|| {
            let names = protocols().replace(':', "");
            wrong(format!(
                "the command does not tell how it is spoken to: say protocol = {names}"
            ))
        })?,
    };
    let mut outside = outside(name, &command, protocol)
        .map_err(|_| wrong(String::from("the command is empty")))?;
    if let Some(given) = entry.folder {
        outside.folder = Some(folder.join(expanded(&given)));
    }
    if let Some(given) = entry.scale {
        let scale = Engine::ALL
            .into_iter()
            .find(|engine| engine.name() == given.as_ref());
        outside.scale = scale.ok_or_else(|| {
            let names = Engine::ALL.map(Engine::name).join(", ");
            wrong_at(
                &given,
                format!("scale {} is none of {names}", given.as_ref()),
            )
        })?;
    }
    if let Some(given) = entry.patience {
        outside.patience = duration(given.as_ref())
            .map_err(|problem| wrong_at(&given, format!("patience: {problem}")))?;
    }
    Ok(outside)
}

/// The line, from 1, in which this byte stands.
fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

fn wrong_at(given: &Spanned<String>, problem: String) -> Wrong {
    Wrong {
        at: given.span().start,
        problem,
    }
}

/// A path in which `~` is the home of the person who runs this.
fn expanded(path: &Path) -> PathBuf {
    match (path.strip_prefix("~"), etcetera::home_dir()) {
        (Ok(rest), Ok(home)) => home.join(rest),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn an_engine_has_a_command_and_what_it_does_not_tell() {
        let text = r#"
            [ntest]
            command = ["ntest", "x"]
            protocol = "nboard"
            folder = "games/ntest"
            patience = "30m"
            ["Egaroucid 7.8"]
            command = "/opt/egaroucid/egaroucid -nobook"
            scale = "edax"
        "#;
        let Ok(engines) = engines(text, Path::new("/etc")) else {
            panic!()
        };
        let ntest = &engines["ntest"];
        assert_eq!(
            (ntest.protocol, &*ntest.arguments),
            (Protocol::NBoard, &["x".to_owned()][..])
        );
        assert_eq!(ntest.folder.as_deref(), Some(Path::new("/etc/games/ntest")));
        assert_eq!(ntest.patience, Duration::from_secs(1800));
        let egaroucid = &engines["Egaroucid 7.8"];
        assert_eq!(
            (egaroucid.protocol, egaroucid.scale),
            (Protocol::Egaroucid, Engine::Edax)
        );
        assert_eq!(
            egaroucid.folder.as_deref(),
            Some(Path::new("/opt/egaroucid"))
        );
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let wrong = |text: &str| match engines(text, Path::new("")) {
            Ok(_) => panic!("{text}"),
            Err(Wrong { at, problem }) => (line_of(text, at), problem),
        };
        for (text, line, words) in [
            ("[a]\ncommand = \"x", 2, "string"),
            ("[a]\ncommand = \"edax\"\ncolour = 1\n", 3, "colour"),
            ("a = 1\n", 1, "a table with a command"),
            ("\n[a]\nprotocol = \"nboard\"\n", 2, "command"),
            ("[a]\ncommand = 1\n", 2, "a command"),
            ("[a]\ncommand = []\nprotocol = \"nboard\"\n", 2, "empty"),
            ("[a]\ncommand = \"ntest\"\n", 2, "protocol"),
            ("[a]\ncommand = \"edax 'x\"\n", 2, "quotation"),
            (
                "[a]\ncommand = \"edax\"\nprotocol = \"gtp\"\n",
                3,
                "gtp is none of nboard",
            ),
            (
                "[a]\ncommand = \"edax\"\nscale = \"zebra\"\n",
                3,
                "zebra is none of edax",
            ),
            (
                "[a]\ncommand = \"edax\"\npatience = \"long\"\n",
                3,
                "patience",
            ),
            ("[inside]\ncommand = \"edax\"\n", 2, "another name"),
            (
                "[a]\ncommand = \"edax\"\n[a]\ncommand = \"edax\"\n",
                3,
                "duplicate",
            ),
        ] {
            let (found, problem) = wrong(text);
            assert!(problem.contains(words), "{text}: {problem}");
            assert_eq!(found, line, "{text}: {problem}");
        }
        let deep = format!("a = {}", "[".repeat(100_000));
        assert_eq!(wrong(&deep).0, 1);
    }
}
