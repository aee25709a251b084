//! Help, completions and manual pages cover every command.

use crate::support::program::{arg, commands, listed, obook, stdout};
use obook_needs::needs;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

#[test]
fn every_command_has_help_with_examples_and_a_manual_page() {
    let commands = commands();
    assert!(commands.len() > 50, "{commands:?}");
    for command in &commands {
        let help = stdout(command.split(' ').chain(["--help"]));
        // The examples of the kinds of pictures are in the help of `obook plot`.
        if !command.starts_with("plot ") {
            assert!(
                help.contains("Examples:\n") && help.contains(&format!("\n  obook {command}")),
                "{command} needs an example:\n{help}"
            );
        }
    }
    let help = stdout(["help", "all"]);
    let lines = help.lines().map(|line| line.chars().count());
    assert!(lines.max() <= Some(100), "{help}");
    let commands = listed(&help);
    for command in &commands {
        let page = stdout(["man", command]);
        assert!(
            page.starts_with(".ie") && page.contains(".SH SYNOPSIS"),
            "{page}"
        );
    }
    let elvish = stdout(["completions", "elvish"]);
    for command in &commands {
        assert!(elvish.contains(command), "{command} is not completed");
    }
    let offered = stdout(["complete", "obook", ""]);
    let offered = offered.lines().map(|line| line.split('\t').next().unwrap());
    let offered: BTreeSet<&str> = offered.filter(|it| *it != "help").collect();
    assert_eq!(offered, commands.iter().copied().collect());
    assert!(stdout(["man"]).contains("Othello"));
    assert!(stdout(["man", "games", "list"]).contains("obook\\-games\\-list"));
}

#[test]
fn senseless_arguments_end_with_status_2() {
    for arguments in [
        &["man", "fly"][..],
        &["man", "games", "fly"],
        &["fly"],
        &["export"],
        &["completions", "fish", "x"],
    ] {
        let output = obook(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
    }
    let output = obook(["imprt", "a", "--book", "b"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(
        text.contains("import"),
        "a similar command is suggested: {text}"
    );
}

/// The files of a folder, with their contents.
fn files(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, std::fs::read_to_string(entry.path()).unwrap())
        })
        .collect()
}

/// The long options that a text names.
fn options(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .filter(|word| word.len() > 2 && word.starts_with("--"))
        .collect()
}

#[test]
fn all_manual_pages_are_written_by_one_command() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share/man1");
    stdout(["man", "--output", arg(&pages)]);
    let written = files(&pages);
    let mut expected = BTreeMap::new();
    for command in commands() {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        for length in 0..=words.len() {
            let words = words[..length].to_vec();
            let name = [&[String::from("obook")][..], &words].concat().join("-");
            expected.insert(format!("{name}.1"), words);
        }
    }
    let names: Vec<&String> = expected.keys().collect();
    assert_eq!(written.keys().collect::<Vec<_>>(), names);
    for (name, mut words) in expected {
        let plain = |text: String, mark: &str| text.replace(mark, "");
        let marks = ["\\fB", "\\fI", "\\fR", "\\"];
        let page = marks.into_iter().fold(written[&name].clone(), plain);
        let title = name.strip_suffix(".1").unwrap();
        let version = env!("CARGO_PKG_VERSION");
        let heading = format!(".TH {title} 1  \"obook {version}\"");
        assert!(page.contains(&heading), "{page}");
        for section in [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION"] {
            assert!(page.contains(section), "{name} has no {section}");
        }
        words.push("--help".to_owned());
        let help = stdout(&words);
        let lacks: Vec<_> = options(&help)
            .difference(&options(&page))
            .copied()
            .collect();
        assert!(lacks.is_empty(), "{name} lacks {lacks:?}");
    }
    // Existing files are only replaced on request; if one page is in the way, none is written.
    let other = folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("obook-undo.1"), ".TH mine").unwrap();
    let refused = obook(["man", "--output", arg(&other)]);
    assert_eq!(refused.status.code(), Some(1));
    let mine = BTreeMap::from([("obook-undo.1".to_owned(), ".TH mine".to_owned())]);
    assert_eq!(files(&other), mine);
    stdout(["man", "--output", arg(&other), "--force"]);
    assert_eq!(files(&other), written);
    assert_eq!(
        obook(["man", "info", "--output", arg(&other)])
            .status
            .code(),
        Some(2)
    );
}

/// The scripts start the program by its name.
fn path_with_the_program() -> OsString {
    let program = Path::new(env!("CARGO_BIN_EXE_obook"));
    let path = std::env::var_os("PATH").unwrap();
    let folders = std::env::split_paths(&path);
    let folders = std::iter::once(program.parent().unwrap().to_owned()).chain(folders);
    std::env::join_paths(folders).unwrap()
}

/// Bash's completions for the last of these words, with the script from `obook completions`.
fn completed(words: &[&str], folder: &Path) -> Vec<String> {
    let script = folder.join("obook.bash");
    std::fs::write(&script, stdout(["completions", "bash"])).unwrap();
    let program = r#"
        source "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _obook "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    let output = Command::new("bash")
        .args(["-c", program, "bash", arg(&script)])
        .args(words)
        .env("OBOOK_ENGINES", folder.join("engines.toml"))
        .env("PATH", path_with_the_program())
        .current_dir(folder)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().map(str::to_owned).collect()
}

#[test]
fn completions_offer_values() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my.dat"), "").unwrap();
    let offered = |words: &[&str]| completed(words, folder.path());
    for (words, expected) in [
        (&["obook", "exp"][..], &["export"][..]),
        (
            &["obook", "export", "a", "b", "--format", "e"],
            &["edax", "edax-text", "egbk3", "egbk2", "egbk"],
        ),
        (&["obook", "convert", "--from", "edax-"], &["edax-text"]),
        (&["obook", "convert", "--to", "egbk3"], &["egbk3"]),
        (
            &["obook", "export", "--level", "2"],
            &[
                "2", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29",
            ],
        ),
        (&["obook", "level", "a", "--set", "7"], &["7", "70"]),
        (
            &["obook", "fix", "a", "--rules", "eg"],
            &["egaroucid", "egaroucid-edax"],
        ),
        (&["obook", "query", "--format", "nd"], &["ndjson"]),
        (&["obook", "accuracy", "--rules", "p"], &["published"]),
        (&["obook", "diff", "--ignore", "le"], &["level", "leaf"]),
        (&["obook", "learn", "--recipe", "b"], &["best-first"]),
        (&["obook", "show", "a", "sharp-r"], &["Sharp-Rose"]),
        (&["obook", "why", "a", "mainline-t"], &["Mainline-Tiger"]),
        (
            &["obook", "search", "a", "--from", "=", "mainline-t"],
            &["Mainline-Tiger"],
        ),
        // Nothing, so bash offers files.
        (&["obook", "info", "m"], &[""]),
        (&["obook", "info", ""], &[""]),
        (&["obook", "import", "a", "--book", "m"], &[""]),
        (&["obook", "merge", "a", "--from", "tig"], &[""]),
        (&["obook", "info", "a", "b", ""], &[""]),
    ] {
        let found: BTreeSet<String> = offered(words).into_iter().collect();
        let expected: BTreeSet<String> = expected.iter().map(|&it| it.to_owned()).collect();
        assert_eq!(found, expected, "{words:?}");
    }
}

/// They need files: a database on the same command line, and `engines.toml`.
#[test]
fn completions_know_players_and_engines() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("my games.obook");
    let games = obook_testing::games::sample();
    stdout(["games", "import", arg(&games), "--book", arg(&database)]);
    let before = std::fs::read(&database).unwrap();
    let engines = "[ntest]\ncommand = \"ntest\"\nprotocol = \"nboard\"\n";
    std::fs::write(folder.path().join("engines.toml"), engines).unwrap();
    let offered = |words: &[&str]| completed(words, folder.path());
    let levels: Vec<String> = (1..=6).map(|level| format!("level {level}")).collect();
    for (words, expected) in [
        (
            &["games", "list", r"my\ games.obook", "--player", "LEVEL"][..],
            &levels[..],
        ),
        (
            &[
                "games",
                "list",
                "'my games.obook'",
                "--black",
                "=",
                r"level\ ",
            ],
            &levels,
        ),
        (
            &["games", "list", "my games.obook", "--white", "=", "="],
            &levels[..0],
        ),
        (
            &["repertoire", "\"my games.obook\"", "\"level 2"],
            &levels[1..2],
        ),
        // If no name begins with the text, the only one that contains it.
        (&["repertoire", r"./my\ games.obook", "l 3"], &levels[2..3]),
        (&["repertoire", r"my\ games.obook", "vel"], &levels[..0]),
        (&["repertoire", "missing.obook", "l"], &levels[..0]),
        (&["search", "a", "--engine", "n"], &["ntest".to_owned()]),
        (
            &["check", "a", "--engine=i"],
            &["--engine=inside".to_owned()],
        ),
    ] {
        let words: Vec<&str> = ["obook"].iter().chain(words).copied().collect();
        let found = offered(&words);
        assert_eq!(
            found.iter().filter(|it| !it.is_empty()).collect::<Vec<_>>(),
            expected.iter().collect::<Vec<_>>(),
            "{words:?}"
        );
    }
    assert_eq!(std::fs::read(&database).unwrap(), before);
    assert_eq!(
        std::fs::read_dir(&folder).unwrap().count(),
        3,
        "no file beside the database"
    );
}

/// Another process that is writing doesn't delay a completion.
#[test]
fn completions_do_not_wait_for_writers() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("games.obook");
    stdout([
        "games",
        "import",
        arg(&obook_testing::games::sample()),
        "--book",
        arg(&database),
    ]);
    let writer = rusqlite::Connection::open(&database).unwrap();
    writer
        .execute_batch(
            "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE notes (note)",
        )
        .unwrap();
    let found = completed(
        &["obook", "repertoire", "games.obook", "level 4"],
        folder.path(),
    );
    assert_eq!(found, ["level 4"]);
}

/// Fish can be asked without a terminal.
#[needs(fish)]
#[test]
fn fish_completes_values_and_files() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("my book.dat"), "").unwrap();
    let script = folder.path().join("obook.fish");
    std::fs::write(&script, stdout(["completions", "fish"])).unwrap();
    for (typed, expected) in [
        ("obook exp", "export\tWrite a book for an engine"),
        ("obook learn a --recipe=qu", "--recipe=quick"),
        ("obook info my", "my book.dat"),
        ("obook import a --book=my", "--book=my book.dat"),
    ] {
        let output = Command::new("fish")
            .args([
                "--no-config",
                "-c",
                "source $argv[1]; complete --do-complete=$argv[2]",
                arg(&script),
                typed,
            ])
            .env("PATH", path_with_the_program())
            .env("HOME", folder.path())
            .current_dir(&folder)
            .output()
            .unwrap();
        let found = String::from_utf8(output.stdout).unwrap();
        assert!(found.starts_with(expected), "{typed}: {found:?}");
        assert_eq!(found.lines().count(), 1, "{typed}: {found:?}");
    }
}

/// Completion values don't change what is accepted, nor the error messages.
#[test]
fn values_are_read_as_before() {
    let says = |words: &[&str]| String::from_utf8(obook(words).stderr).unwrap();
    let complaint = says(&["convert", "a", "b", "--to", "edaxx"]);
    assert!(complaint.contains("did you mean edax?"), "{complaint}");
    let complaint = says(&["level", "a", "--set", "71"]);
    assert!(complaint.contains("71 is not in 0..=70"), "{complaint}");
    assert!(!complaint.contains("35"), "{complaint}");
    let help = stdout(["level", "--help"]);
    assert!(!help.contains("35"), "{help}");
    // Upper case is accepted.
    let complaint = says(&["convert", "nowhere", "b", "--to", "EDAX"]);
    assert!(complaint.contains("nowhere"), "{complaint}");
}
