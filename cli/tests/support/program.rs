//! Running the built binary.

use obook_testing::golden::golden;
use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, Params};
use serde_json::Value;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// The binary with these arguments.
pub(crate) fn obook<A: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = A>) -> Output {
    Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(arguments)
        .output()
        .unwrap()
}

/// A program that is given this to read.
pub(crate) fn fed(program: &mut Command, input: &str) -> Output {
    let mut child = program
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    match stdin.write_all(input.as_bytes()) {
        // It may end without reading.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        written => written.unwrap(),
    }
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// The binary with these arguments, which reads this.
pub(crate) fn piped<A: AsRef<std::ffi::OsStr>>(
    arguments: impl IntoIterator<Item = A>,
    input: &str,
) -> Output {
    fed(
        Command::new(env!("CARGO_BIN_EXE_obook")).args(arguments),
        input,
    )
}

/// The output of a command that must succeed.
pub(crate) fn stdout<A: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = A>) -> String {
    let output = obook(arguments);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{complaint}");
    // How much SQL with --write has changed is said beside its answer.
    let is_count = |line: &&str| line.starts_with("rows changed: ");
    let complaints: Vec<&str> = complaint.lines().filter(|line| !is_count(line)).collect();
    assert!(
        complaints.is_empty(),
        "nothing but data is said in a pipe: {complaint}"
    );
    String::from_utf8(output.stdout).unwrap()
}

/// All commands, each in its words: `export`, `games import`.
pub(crate) fn commands() -> Vec<String> {
    fn below(command: &str, all: &mut Vec<String>) {
        let help = match command {
            "" => stdout(["help", "all"]),
            command => stdout(command.split(' ').chain(["--help"])),
        };
        for name in listed(&help) {
            let command = format!("{command} {name}").trim_start().to_owned();
            let before = all.len();
            below(&command, all);
            // A command with subcommands does nothing itself.
            if all.len() == before {
                all.push(command);
            }
        }
    }
    let mut all = Vec::new();
    below("", &mut all);
    all
}

/// The commands that a help text lists, which come before the options.
pub(crate) fn listed(help: &str) -> Vec<&str> {
    let lines = help.lines().take_while(|line| *line != "Options:");
    let rows = lines.filter_map(|line| line.strip_prefix("  "));
    let names = rows.filter(|row| row.starts_with(|c: char| c.is_ascii_lowercase()));
    let names = names.filter_map(|row| row.split_whitespace().next());
    names.filter(|name| *name != "help").collect()
}

/// The output with `--json`.
pub(crate) fn json<A: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = A>) -> Value {
    serde_json::from_str(&stdout(arguments)).unwrap()
}

/// Checks that `obook verify` finds nothing in a book but notes.
pub(crate) fn assert_sound(book: &Path) {
    let found = json(["verify", arg(book), "--json"]);
    let findings = found["findings"].as_array().unwrap();
    let errors = findings
        .iter()
        .filter(|finding| finding["severity"] != "note");
    assert_eq!(errors.count(), 0, "{found:#}");
}

/// The error of a command that must fail with exit status 1, in one sentence that names the file.
pub(crate) fn complaint<A: AsRef<std::ffi::OsStr>>(
    arguments: impl IntoIterator<Item = A>,
    file: &Path,
) -> String {
    let output = obook(arguments);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    assert_eq!(complaint.lines().count(), 1, "one sentence: {complaint}");
    let expected = format!("obook: {}", file.display());
    assert!(
        complaint.starts_with(&expected),
        "{expected}… expected, found {complaint}"
    );
    complaint
}

/// A path as an argument.
pub(crate) fn arg(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The golden games as a database in a folder of its own.
pub(crate) fn games_database() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("book.obook");
    let file = golden("games.dat");
    stdout(["import", arg(&file), "--book", arg(&database)]);
    (folder, database)
}

/// The rows of a query.
pub(crate) fn rows(connection: &Connection, sql: &str, params: impl Params) -> Vec<Vec<SqlValue>> {
    let mut statement = connection.prepare(sql).unwrap();
    let width = statement.column_count();
    let rows = statement.query_map(params, |row| {
        (0..width).map(|column| row.get(column)).collect()
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// A `.zip` archive of the files in a folder.
pub(crate) fn zip(folder: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut archive = rawzip::ZipArchiveWriter::new(&mut bytes);
    for path in obook_base::files_of(folder).unwrap() {
        let name = path.strip_prefix(folder).unwrap().to_str().unwrap();
        let (mut entry, config) = archive.new_file(name).start().unwrap();
        let mut writer = config.wrap(&mut entry);
        writer.write_all(&std::fs::read(&path).unwrap()).unwrap();
        let (_, descriptor) = writer.finish().unwrap();
        entry.finish(descriptor).unwrap();
    }
    archive.finish().unwrap();
    bytes
}
