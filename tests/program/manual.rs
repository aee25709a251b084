//! Help, completions and manual pages cover every command.

use crate::support::program::{arg, commands, listed, obook, stdout};
use std::collections::{BTreeMap, BTreeSet};
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
    let help = stdout(["--help"]);
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
    let script = stdout(["completions", "bash"]);
    for command in &commands {
        assert!(script.contains(command), "{command} is not completed");
    }
    assert!(stdout(["man"]).contains("Othello"));
}

#[test]
fn senseless_arguments_end_with_status_2() {
    for arguments in [
        &["man", "fly"][..],
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
        // Nothing, so bash offers files.
        (&["obook", "info", "m"], &[""]),
        (&["obook", "import", "a", "--book", "m"], &["my.dat"]),
    ] {
        let found: BTreeSet<String> = offered(words).into_iter().collect();
        let expected: BTreeSet<String> = expected.iter().map(|&it| it.to_owned()).collect();
        assert_eq!(found, expected, "{words:?}");
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
