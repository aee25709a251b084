//! Engines by name (`engines.toml`) or by command.

use crate::interrupt;
use crate::options::values::duration;
use crate::prelude::*;
use crate::texts::{self, line_of};
use etcetera::BaseStrategy;
use obook_engine::{
    EngineChoice, Outside, Protocol, SearchError, Searcher, ShogiSearcher, on_silence,
};
use obook_othello::{Engine, Place};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use toml::Spanned;
use toml::de::DeTable;

const fn game(is_shogi: bool) -> &'static str {
    if is_shogi { "shogi" } else { "Othello" }
}

/// A mistake in `engines.toml`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub(crate) struct Fault {
    line: usize,
    problem: String,
}

/// Returns the engine with this name. A recipe may come from anywhere, so a command is refused.
pub(crate) fn named(given: &str) -> Result<EngineChoice, Failure> {
    if given == EngineChoice::Inside.name() {
        return Ok(EngineChoice::Inside);
    }
    let mut file = EnginesFile::read()?;
    match file.take(given)? {
        Some(outside) => for_othello(given, outside),
        None => Err(Failure::Other(format!(
            "the recipe asks for the engine {given}, which is not in engines.toml{}: if you trust the recipe, allow it to run commands with --allow-commands",
            file.known()
        ))),
    }
}

/// Returns the engine for Othello with this name or command.
pub(crate) fn choose(given: &str) -> Result<EngineChoice, Failure> {
    match of_any_game(given)? {
        EngineChoice::Outside(outside) => for_othello(given, outside),
        inside => Ok(inside),
    }
}

/// Returns the engine with this name or command, whichever game it plays.
pub(crate) fn of_any_game(given: &str) -> Result<EngineChoice, Failure> {
    if given == EngineChoice::Inside.name() {
        return Ok(EngineChoice::Inside);
    }
    if let Some(outside) = with_protocol(given)? {
        return Ok(EngineChoice::Outside(outside));
    }
    let mut file = EnginesFile::read()?;
    let found = match file.take(given)? {
        Some(outside) => Some(outside),
        None => guessed(given)?,
    };
    found.map(EngineChoice::Outside).ok_or_else(|| {
        let known = file.known();
        let protocols = or(&Protocol::ALL.map(|protocol| format!("{protocol}:")));
        Failure::Other(format!(
            "{given}: there is no engine of this name{known}, and it doesn't look like a command, which begins with {protocols}"
        ))
    })
}

fn for_othello(given: &str, outside: Outside) -> Result<EngineChoice, Failure> {
    of_game(false, given, outside).map(EngineChoice::Outside)
}

/// Returns the engine for shogi with this name or command.
pub(crate) fn choose_for_shogi(given: &str) -> Result<Outside, Failure> {
    match of_any_game(given)? {
        EngineChoice::Outside(outside) => of_game(true, given, outside),
        EngineChoice::Inside => Err(Failure::Other(String::from(
            "the built-in engine doesn't play shogi; expected a name from engines.toml, or a command such as 'usi:./YaneuraOu'",
        ))),
    }
}

/// Refuses an engine for the other game.
fn of_game(is_shogi: bool, given: &str, outside: Outside) -> Result<Outside, Failure> {
    let protocol = outside.protocol;
    if protocol.is_for_shogi() == is_shogi {
        return Ok(outside);
    }
    Err(Failure::Other(format!(
        "engine {given} speaks {protocol}, a protocol for {}; expected an engine for {}",
        game(!is_shogi),
        game(is_shogi)
    )))
}

/// Starts a searcher. If an engine outside is silent for long at the start or during its first search, the user hears of it.
pub(crate) fn start(choice: &EngineChoice) -> Result<Box<dyn Searcher>, SearchError> {
    starting(|| choice.start())
}

/// Starts a searcher for shogi. If it is silent for long, the user hears of it.
pub(crate) fn start_for_shogi(outside: &Outside) -> Result<ShogiSearcher, SearchError> {
    starting(|| ShogiSearcher::start(outside))
}

/// Waits for an engine to start.
fn starting<T>(start: impl FnOnce() -> T) -> T {
    on_silence(|name, silent, patience| {
        let (silent, patience) = (silent.as_secs(), humantime::format_duration(patience));
        say(format_args!(
            "obook: engine {name} has not answered for {silent} seconds; still waiting, for {patience} at most (patience in engines.toml)"
        ));
    });
    interrupt::ends_process_during(start)
}

/// Joins alternatives.
fn or(names: &[String]) -> String {
    match names {
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
        [] => String::new(),
    }
}

/// Reads a command with its protocol in front, such as `nboard:ntest x`; `None` if no protocol is named.
fn with_protocol(given: &str) -> Result<Option<Outside>, Failure> {
    if let Some((name, command)) = given.split_once(':')
        && let Some(protocol) = Protocol::from_name(name.trim())
    {
        return outside(given, &words(command)?, protocol, Identity::default()).map(Some);
    }
    Ok(None)
}

/// Reads a command that shows its protocol; `None` if it doesn't.
fn guessed(given: &str) -> Result<Option<Outside>, Failure> {
    let words = words(given)?;
    let read = |protocol| outside(given, &words, protocol, Identity::default());
    guess(&words).map(read).transpose()
}

/// Splits a command into words, as a shell does. On Windows, backslashes separate folders and escape nothing.
fn words(command: &str) -> Result<Vec<String>, Failure> {
    let escaped = match cfg!(windows) {
        true => &command.replace('\\', r"\\"),
        false => command,
    };
    shlex::split(escaped)
        .ok_or_else(|| Failure::Other(format!("{command}: a quotation mark is not closed")))
}

/// The options about an engine's identity.
#[derive(Default)]
struct Identity<'a> {
    /// The name of its entry.
    entry: Option<&'a str>,
    /// The name as which its searches are stored.
    engine: Option<&'a str>,
    scale: Option<Engine>,
    place: Option<Place>,
}

impl Identity<'_> {
    /// The engine as which the searches of a program are stored: as the user says, or that of a program that is known by its name, or
    /// one of the user's own, called as its entry or else as its command.
    fn of(self, command: &[String], protocol: Protocol) -> Result<Engine, String> {
        let known = command.first().and_then(|program| known_program(program));
        let called = called(command);
        let known = known.map(Engine::name);
        let name = self.engine.or(known).or(self.entry).unwrap_or(&called);
        let Some(engine) = Engine::known(name) else {
            let scale = self.scale.unwrap_or(protocol.scale());
            let own = Engine::own(name, scale, self.place.unwrap_or_default());
            return own.map_err(|error| error.to_string());
        };
        if self.place.is_some() || self.scale.is_some_and(|scale| scale != engine) {
            return Err(format!(
                "{engine} has a scale and a place of its own: for others, give this engine another name with engine"
            ));
        }
        Ok(engine)
    }
}

/// The engine that obook knows a program as.
fn known_program(program: &str) -> Option<Engine> {
    let stem = Path::new(program).file_stem()?.to_str()?.to_lowercase();
    let mut known = [Engine::Egaroucid, Engine::Edax].into_iter();
    let contained = known.find(|engine| stem.contains(engine.name()));
    contained.or_else(|| Engine::known(&stem))
}

/// The name of an engine without one: the beginning of its command, without folders.
fn called(command: &[String]) -> String {
    let words = command.iter().map(|word| {
        let name = Path::new(word).file_name().and_then(|name| name.to_str());
        name.unwrap_or(word)
    });
    let all = words.collect::<Vec<_>>().join(" ");
    let short: String = all.chars().take(40).collect();
    short.trim().to_owned()
}

/// Returns the engine with this name, command and identity.
fn outside(
    name: &str,
    words: &[String],
    protocol: Protocol,
    identity: Identity<'_>,
) -> Result<Outside, Failure> {
    let [program, arguments @ ..] = words else {
        let problem = "no engine given; expected inside, a name from engines.toml or a command";
        return Err(Failure::Other(problem.to_owned()));
    };
    let mut program = expanded(Path::new(program));
    let mut folder = None;
    // Engines look for their weights in the current folder, so one that is named by a path runs in its own.
    if program.parent().is_some_and(|it| it != Path::new(""))
        && let Ok(absolute) = std::path::absolute(&program)
    {
        folder = absolute.parent().map(Path::to_owned);
        program = absolute;
    }
    let engine = identity.of(words, protocol).map_err(Failure::Other)?;
    Ok(Outside {
        name: name.to_owned(),
        protocol,
        arguments: arguments.to_vec(),
        folder,
        program,
        engine,
        options: BTreeMap::new(),
        patience: Outside::PATIENCE,
    })
}

/// Guesses a program's protocol from its name and arguments.
fn guess(words: &[String]) -> Option<Protocol> {
    let [program, arguments @ ..] = words else {
        return None;
    };
    if arguments.iter().any(|argument| argument == "-nboard") {
        return Some(Protocol::NBoard);
    }
    match known_program(program) {
        Some(Engine::Egaroucid) => Some(Protocol::Egaroucid),
        Some(Engine::Edax) => Some(Protocol::EdaxBook),
        // A program with arguments is a command, not a misspelt name.
        _ => (!arguments.is_empty()).then_some(Protocol::NBoard),
    }
}

/// The user's file of engines.
#[derive(Default)]
pub(crate) struct EnginesFile {
    /// The path of the file, which need not exist; `None` if the system has no place for it.
    pub(crate) path: Option<PathBuf>,
    /// Its engines, and the faults of those that can't be understood.
    pub(crate) engines: BTreeMap<String, Result<Outside, Fault>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with a command")]
struct Entry {
    command: Spanned<Command>,
    protocol: Option<Spanned<String>>,
    folder: Option<PathBuf>,
    engine: Option<Spanned<String>>,
    scale: Option<Spanned<String>>,
    place: Option<Spanned<String>>,
    patience: Option<Spanned<String>>,
    options: Option<Spanned<BTreeMap<String, Setting>>>,
}

/// The value of an engine's option.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text, a number, true or false")]
enum Setting {
    Text(String),
    Number(i64),
    Flag(bool),
}

impl Setting {
    fn to_text(&self) -> String {
        match self {
            Setting::Text(text) => text.clone(),
            Setting::Number(number) => number.to_string(),
            Setting::Flag(flag) => flag.to_string(),
        }
    }
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a command, as a string or a list of words"
)]
enum Command {
    Line(String),
    Words(Vec<String>),
}

/// The byte of the file's text where a problem begins, and the problem.
type Wrong = (usize, String);

impl EnginesFile {
    /// Reads the file; a missing file has no engines.
    pub(crate) fn read() -> Result<EnginesFile, Failure> {
        let Some(path) = place() else {
            return Ok(EnginesFile::default());
        };
        let text = match texts::read(&path, "a list of engines") {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Failure::file(&path, error)),
        };
        let folder = path.parent().unwrap_or(Path::new(""));
        let engines = engines(&text, folder);
        let engines = engines.map_err(|fault| Failure::file(&path, fault))?;
        let path = Some(path);
        Ok(EnginesFile { path, engines })
    }

    /// Takes out the engine of this name, if there is one.
    fn take(&mut self, name: &str) -> Result<Option<Outside>, Failure> {
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        let found = self.engines.remove(name).transpose();
        found.map_err(|fault| Failure::file(path, fault))
    }

    /// The names that `--engine` knows.
    pub(crate) fn names(&self) -> Vec<String> {
        let inside = EngineChoice::Inside.name().to_owned();
        let outside = self.engines.keys().cloned();
        std::iter::once(inside).chain(outside).collect()
    }

    /// Lists the known names, in words that follow "there is no engine of this name".
    fn known(&self) -> String {
        let names = self.names().join(", ");
        match &self.path {
            Some(path) => format!(" in {} (known: {names})", path.display()),
            None => format!(" (known: {names})"),
        }
    }
}

/// The path of the file: `OBOOK_ENGINES`, else in obook's folder of the user's settings.
fn place() -> Option<PathBuf> {
    if let Some(path) = std::env::var_os("OBOOK_ENGINES") {
        return Some(path.into());
    }
    let strategy = etcetera::base_strategy::choose_native_strategy().ok()?;
    Some(strategy.config_dir().join("obook").join("engines.toml"))
}

/// Reads the engines of a file in `folder`. Each entry is read by itself, from its line in brackets to the next one, so that a fault is
/// that of its entry. Only what stands before the first entry is a fault of the file.
fn engines(text: &str, folder: &Path) -> Result<BTreeMap<String, Result<Outside, Fault>>, Fault> {
    let mut engines = BTreeMap::new();
    for (start, part) in parts(text) {
        let fault = |(at, problem): Wrong| Fault {
            line: line_of(text, start + at),
            problem,
        };
        let header = part.lines().next().unwrap_or_default();
        if !header.trim_start().starts_with('[') {
            nothing(part).map_err(fault)?;
            continue;
        }
        let (name, _) = keys_of(header);
        let read = match engines.contains_key(&name) {
            true => Err((0, format!("a duplicate of {name}"))),
            false => entry(part).and_then(|entry| engine(&name, &entry, folder)),
        };
        engines.insert(name, read.map_err(fault));
    }
    Ok(engines)
}

/// Checks that nothing but comments stands before the first entry.
fn nothing(part: &str) -> Result<(), Wrong> {
    let table = DeTable::parse(part).map_err(unreadable)?.into_inner();
    let problem = "expected [NAME], which begins a table with a command";
    match table.keys().next() {
        None => Ok(()),
        Some(name) => Err((name.span().start, String::from(problem))),
    }
}

/// The name in a line in brackets, or what stands between them, and whether it is that of a table within the entry, as in
/// `[NAME.options]`.
fn keys_of(header: &str) -> (String, bool) {
    let table: Option<toml::Table> = toml::from_str(header).ok();
    match table.and_then(|table| table.into_iter().next()) {
        Some((name, table)) => (name, table.as_table().is_some_and(|it| !it.is_empty())),
        None => (header.trim().trim_matches(['[', ']']).to_owned(), false),
    }
}

/// Reads the part of the file that has one entry.
fn entry(part: &str) -> Result<Entry, Wrong> {
    let entries: BTreeMap<String, Entry> = toml::from_str(part).map_err(unreadable)?;
    let first = entries.into_values().next();
    Ok(first.expect("the part begins with a table"))
}

/// The entries, and what stands before the first one, each with the byte where it begins.
fn parts(text: &str) -> Vec<(usize, &str)> {
    let (mut parts, mut start, mut end) = (Vec::new(), 0, 0);
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            let (name, is_within) = keys_of(line);
            let entry = text[start..end].lines().next().unwrap_or_default();
            if !(is_within && keys_of(entry).0 == name) {
                parts.push((start, &text[start..end]));
                start = end;
            }
        }
        end += line.len();
    }
    parts.push((start, &text[start..]));
    parts
}

fn unreadable(error: toml::de::Error) -> Wrong {
    let at = error.span().map_or(0, |span| span.start);
    (at, error.message().to_owned())
}

fn engine(name: &str, entry: &Entry, folder: &Path) -> Result<Outside, Wrong> {
    let wrong = |problem: String| wrong_at(&entry.command, problem);
    if name == EngineChoice::Inside.name() {
        return Err(wrong(format!(
            "{name} is obook's built-in engine: choose another name"
        )));
    }
    let command = match entry.command.get_ref() {
        Command::Words(words) => words,
        Command::Line(line) => &words(line).map_err(|error| wrong(error.to_string()))?,
    };
    let protocol = setting(entry.protocol.as_ref(), |given| {
        let names = || Protocol::ALL.map(Protocol::name).join(", ");
        Protocol::from_name(given)
            .ok_or_else(|| format!("unknown protocol {given}; expected one of {}", names()))
    })?;
    let protocol = protocol.or_else(|| guess(command)).ok_or_else(|| {
        let names = or(&Protocol::ALL.map(|protocol| format!("\"{protocol}\"")));
        let problem = format!("the command doesn't show its protocol: add protocol = {names}");
        wrong(problem)
    })?;
    let of_othello = [&entry.engine, &entry.scale, &entry.place];
    if let Some(given) = of_othello.into_iter().flatten().next()
        && protocol.is_for_shogi()
    {
        let problem =
            "books of shogi have no engines with levels: leave engine, scale and place out";
        return Err(wrong_at(given, String::from(problem)));
    }
    let identity = Identity {
        entry: Some(name),
        engine: entry.engine.as_ref().map(|given| &**given.as_ref()),
        scale: setting(entry.scale.as_ref(), |given| {
            let names = || Engine::ALL.map(Engine::name).join(", ");
            Engine::known(given)
                .ok_or_else(|| format!("unknown scale {given}; expected one of {}", names()))
        })?,
        place: setting(entry.place.as_ref(), |given| {
            let place = given.parse::<Place>();
            place.map_err(|error| format!("place: {error}"))
        })?,
    };
    if command.is_empty() {
        return Err(wrong(String::from("the command is empty")));
    }
    let outside = outside(name, command, protocol, identity);
    let mut outside = outside.map_err(|error| wrong(error.to_string()))?;
    if let Some(given) = &entry.folder {
        outside.folder = Some(folder.join(expanded(given)));
        // A path in it.
        outside.program = expanded(Path::new(&command[0]));
    }
    let options = setting(entry.options.as_ref(), |given| {
        options(given, protocol).map_err(|problem| format!("options: {problem}"))
    })?;
    outside.options = options.unwrap_or_default();
    let patience = setting(entry.patience.as_ref(), |given| {
        let patience = duration(given).map_err(|problem| format!("patience: {problem}"))?;
        match patience.is_zero() {
            true => Err(format!("patience: {given} leaves the engine no time")),
            false => Ok(patience),
        }
    })?;
    outside.patience = patience.unwrap_or(outside.patience);
    Ok(outside)
}

/// Reads a setting of an entry, if it has that.
fn setting<G, T>(
    given: Option<&Spanned<G>>,
    read: impl FnOnce(&G) -> Result<T, String>,
) -> Result<Option<T>, Wrong> {
    let read = |given: &Spanned<G>| read(given.as_ref()).map_err(|it| wrong_at(given, it));
    given.map(read).transpose()
}

/// The options of an engine, which are sent to it in lines.
fn options(
    given: &BTreeMap<String, Setting>,
    protocol: Protocol,
) -> Result<BTreeMap<String, String>, String> {
    if !protocol.is_for_shogi() {
        return Err(format!("{protocol} has none; expected protocol = \"usi\""));
    }
    let option = |(name, setting): (&String, &Setting)| {
        let value = setting.to_text();
        if name.is_empty() || name.contains(char::is_control) || value.contains(char::is_control) {
            let name = name.escape_debug();
            return Err(format!("“{name}”: expected a line of text"));
        }
        Ok((name.clone(), value))
    };
    given.iter().map(option).collect()
}

fn wrong_at<T>(given: &Spanned<T>, problem: String) -> Wrong {
    (given.span().start, problem)
}

/// Replaces `~` in a path with the user's home folder.
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
    fn a_command_tells_how_it_is_spoken_to() {
        let of = |given: &str| guessed(given).unwrap().unwrap();
        let edax = of("'/opt/my edax/edax' -nboard -q");
        assert_eq!(edax.protocol, Protocol::NBoard);
        assert_eq!(edax.folder, std::path::absolute("/opt/my edax").ok());
        assert_eq!(edax.arguments, ["-nboard", "-q"]);
        let below = of("games/edax -nboard");
        let absolute = |path| std::path::absolute(path).ok();
        assert_eq!(below.folder, absolute("games"));
        assert_eq!(Some(below.program), absolute("games/edax"));
        assert_eq!(of("lEdax-4.6").protocol, Protocol::EdaxBook);
        assert_eq!(of("lEdax-4.6").folder, None);
        let egaroucid = of("./Egaroucid_for_Console -t 1");
        assert_eq!(egaroucid.protocol, Protocol::Egaroucid);
        let named = with_protocol("nboard: ntest x").unwrap().unwrap();
        assert_eq!(named.engine, Engine::Ntest);
        assert_eq!(
            (named.protocol, named.program),
            (Protocol::NBoard, "ntest".into())
        );
        let script = of("/usr/bin/python3 ../my.py --fast");
        assert_eq!(script.protocol, Protocol::NBoard);
        assert_eq!(script.engine.name(), "python3 my.py --fast");
        assert_eq!(guessed("ntest").unwrap(), None);
        assert_eq!(with_protocol("C:/edax.exe").unwrap(), None);
        let open = guessed("edax 'x").unwrap_err().to_string();
        assert_eq!(open, "edax 'x: a quotation mark is not closed");
        let none = with_protocol("nboard:").unwrap_err().to_string();
        assert!(none.starts_with("no engine given"), "{none}");
    }

    #[cfg(windows)]
    #[test]
    fn backslashes_separate_folders_on_windows() {
        let edax = guessed(r#""C:\my edax\edax.exe" -nboard"#).unwrap();
        assert_eq!(edax.unwrap().program, Path::new(r"C:\my edax\edax.exe"));
    }

    #[test]
    fn an_engine_has_a_command_and_optional_settings() {
        let text = r#"
            [ntest]
            command = ["ntest", "x"]
            protocol = "nboard"
            folder = "games/ntest"
            patience = "30m"
            [built]
            command = "build/x"
            protocol = "nboard"
            folder = "games/ntest"
            ["Egaroucid 7.8"]
            command = "/opt/egaroucid/egaroucid -nobook"
            [tiny]
            command = "python3 tiny.py"
            engine = "tiny 1.0"
            scale = "egaroucid"
            place = "above edax"
            ["my own"]
            command = "./own x"
            ["at home"]
            command = "~/games/own x"
            ["in a folder"]
            command = ["~/games/own", "x"]
            folder = "games"
            [yaneuraou]
            command = "./YaneuraOu"
            protocol = "usi"
            options = { USI_Hash = 16, EvalDir = "eval", ConsiderationMode = true }
        "#;
        let engines = engines(text, Path::new("/etc")).unwrap();
        let ntest = engines["ntest"].as_ref().unwrap();
        assert_eq!(
            (ntest.protocol, &*ntest.arguments),
            (Protocol::NBoard, &["x".to_owned()][..])
        );
        assert_eq!(ntest.folder.as_deref(), Some(Path::new("/etc/games/ntest")));
        assert_eq!(ntest.patience, Duration::from_secs(1800));
        assert_eq!(ntest.engine, Engine::Ntest);
        let built = engines["built"].as_ref().unwrap();
        assert_eq!(built.program, Path::new("build/x"));
        let egaroucid = engines["Egaroucid 7.8"].as_ref().unwrap();
        assert_eq!(
            (egaroucid.protocol, egaroucid.engine),
            (Protocol::Egaroucid, Engine::Egaroucid)
        );
        let home = etcetera::home_dir().unwrap();
        for name in ["at home", "in a folder"] {
            let found = engines[name].as_ref().unwrap();
            assert_eq!(found.program, home.join("games/own"), "{name}");
        }
        let own = |name: &str| engines[name].as_ref().unwrap().engine.introduction();
        assert_eq!(
            own("tiny"),
            "tiny 1.0 (egaroucid's levels, place above edax)"
        );
        assert_eq!(own("my own"), "my own (edax's levels, place unknown)");
        assert_eq!(egaroucid.folder, std::path::absolute("/opt/egaroucid").ok());
        let options = engines["yaneuraou"].as_ref().unwrap().options.iter();
        let options: Vec<String> = options
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(
            options,
            ["ConsiderationMode=true", "EvalDir=eval", "USI_Hash=16"]
        );
    }

    #[test]
    fn errors_are_named_with_their_place() {
        let wrong = |text: &str| {
            let Fault { line, problem } = match engines(text, Path::new("")) {
                Ok(engines) => engines.into_values().find_map(Result::err).expect(text),
                Err(fault) => fault,
            };
            (line, problem)
        };
        for (text, line, words) in [
            ("[a]\ncommand = \"x", 2, "string"),
            ("[a]\ncommand = \"edax\"\ncolour = 1\n", 3, "colour"),
            ("a = 1\n", 1, "a table with a command"),
            ("\n[a]\nprotocol = \"nboard\"\n", 2, "command"),
            ("[a]\ncommand = 1\n", 2, "a command"),
            ("[a]\ncommand = []\nprotocol = \"nboard\"\n", 2, "empty"),
            (
                "[a]\ncommand = \"ntest\"\n",
                2,
                "add protocol = \"nboard\", \"egaroucid\",",
            ),
            ("[a]\ncommand = \"edax 'x\"\n", 2, "quotation"),
            (
                "[a]\ncommand = \"edax\"\nprotocol = \"gtp\"\n",
                3,
                "unknown protocol gtp; expected one of nboard",
            ),
            (
                "[a]\ncommand = \"x y\"\nscale = \"tiny\"\n",
                3,
                "unknown scale tiny; expected one of edax",
            ),
            (
                "[a]\ncommand = \"x y\"\nplace = \"top\"\n",
                3,
                "place: expected unknown, or above or below one of edax",
            ),
            (
                "[a]\ncommand = \"edax\"\nplace = \"above edax\"\n",
                2,
                "edax has a scale and a place of its own",
            ),
            (
                "[a]\ncommand = \"x y\"\nengine = \" \"\n",
                2,
                "an engine's name has 1 to 40 characters",
            ),
            (
                "[a]\ncommand = \"edax\"\npatience = \"long\"\n",
                3,
                "patience",
            ),
            (
                "[a]\ncommand = \"edax\"\npatience = \"0s\"\n",
                3,
                "patience: 0s leaves the engine no time",
            ),
            ("[inside]\ncommand = \"edax\"\n", 2, "another name"),
            (
                "[a]\ncommand = \"edax\"\noptions = { Threads = 1 }\n",
                3,
                "options: edax-book has none",
            ),
            (
                "[a]\ncommand = \"x\"\nprotocol = \"usi\"\noptions = { Threads = \"1\\nquit\" }\n",
                4,
                "a line of text",
            ),
            (
                "[a]\ncommand = \"x\"\nprotocol = \"usi\"\noptions = { Threads = [] }\n",
                4,
                "a number",
            ),
            (
                "[a]\ncommand = \"x\"\nprotocol = \"usi\"\nplace = \"above edax\"\n",
                4,
                "leave engine, scale and place out",
            ),
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

    #[test]
    fn a_fault_is_that_of_its_entry_only() {
        let good = |name: &str| format!("[{name}]\ncommand = \"edax\"\n");
        for fault in [
            "command = \"x",
            "command = 1",
            "command = \"x y\"\ncolour = 1",
            "command = \"x y\"\ncommand = \"z\"",
            "command",
            "= 1",
            "command = \"x y\"\n?",
            "command = [\"x\"",
        ] {
            let text = format!("{}[b]\n{fault}\n{}", good("a"), good("c"));
            let engines = engines(&text, Path::new("")).expect(fault);
            let is_good = |name: &str| engines[name].is_ok();
            assert_eq!(["a", "b", "c"].map(is_good), [true, false, true], "{text}");
        }
        let text = "[a]\ncommand = \"x\"\nprotocol = \"usi\"\n[a.options]\nThreads = 1\n[b.options]\nThreads = 1\n";
        let found = engines(text, Path::new("")).unwrap();
        assert_eq!(found["a"].as_ref().unwrap().options["Threads"], "1");
        assert_eq!(
            found["b"].as_ref().unwrap_err().line,
            6,
            "it has no command"
        );
        let text = format!("{}[b\ncommand = \"x y\"\n{}", good("a"), good("c"));
        let engines = engines(&text, Path::new("")).unwrap();
        assert_eq!(engines["b"].as_ref().unwrap_err().line, 3);
        assert!(engines["a"].is_ok() && engines["c"].is_ok());
    }
}
