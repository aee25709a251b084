//! `--engine`, `engines.toml` and `obook engines`.

use crate::support::program::arg;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A folder with a file of these engines.
fn engines(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("engines.toml");
    std::fs::write(&file, text).unwrap();
    (folder, file)
}

fn obook(file: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_obook"))
        .args(arguments)
        .env("OBOOK_ENGINES", file)
        .output()
        .unwrap()
}

/// A script that speaks NBoard and always gives the same answer for the start position.
const SAME: &str = r#"while read -r word rest; do
    case "$word" in
        ping) echo "pong $rest" ;;
        hint) echo "search f5D6 +4 0 7"; echo status ;;
    esac
done
"#;

fn with_script() -> (TempDir, PathBuf) {
    let (folder, file) =
        engines("[same]\ncommand = [\"sh\", \"same.sh\"]\nprotocol = \"nboard\"\nfolder = \".\"\n");
    std::fs::write(folder.path().join("same.sh"), SAME).unwrap();
    (folder, file)
}

#[test]
fn an_engine_is_found_by_name_and_by_command() {
    let (folder, file) = with_script();
    let script = folder.path().join("same.sh");
    let command = format!("nboard:sh '{}'", arg(&script));
    for engine in ["same", &command] {
        let hint = [
            "hint",
            "--no-book",
            "--top",
            "1",
            "--engine",
            engine,
            "--json",
        ];
        let output = obook(&file, &hint);
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{complaint}");
        let hint: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            (&hint["engine"], &hint["moves"][0]["score"]),
            (&engine.into(), &4.into())
        );
    }
    let output = obook(&file, &["engines", "list", "--json"]);
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names: Vec<&str> = list["engines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|engine| engine["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["inside", "same"]);
    let text = String::from_utf8(obook(&file, &["engines", "list"]).stdout).unwrap();
    assert!(
        text.contains(arg(&file)) && text.contains("same.sh"),
        "{text}"
    );
}

/// Law (Other engines): Errors in `engines.toml` are reported with their line.
#[test]
fn an_unknown_engine_is_refused_with_the_known_ones() {
    let (_folder, file) = with_script();
    let complaint = |file: &Path, engine: &str| {
        let output = obook(file, &["hint", "--no-book", "--engine", engine]);
        assert_eq!(output.status.code(), Some(1), "{engine}");
        String::from_utf8(output.stderr).unwrap()
    };
    let unknown = complaint(&file, "sam");
    assert!(
        unknown.contains("inside, same") && unknown.contains("nboard:"),
        "{unknown}"
    );
    assert!(unknown.contains(arg(&file)), "{unknown}");
    let missing = complaint(&file, "nboard:no-such-program");
    assert!(missing.contains("can't start no-such-program"), "{missing}");
    for (text, line, words) in [
        ("[a]\ncommand = \"edax\"\nprotocol = \"gtp\"\n", 3, "gtp"),
        ("[a\n", 1, ""),
        ("\n\n[a]\ncolour = \"red\"\n", 4, "colour"),
    ] {
        let (_folder, file) = engines(text);
        let complaint = complaint(&file, "a");
        let place = format!("obook: {}: line {line}: ", file.display());
        assert!(
            complaint.starts_with(&place) && complaint.contains(words),
            "{complaint}"
        );
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        // The file is only read if it is needed.
        let output = obook(&file, &["hint", "--no-book", "--top", "1", "--level", "1"]);
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn the_engine_test_finds_faults() {
    let (_folder, file) = with_script();
    let tests = |engine: &str| {
        let words = [
            "engines",
            "test",
            engine,
            "--positions",
            "2",
            "--level",
            "1",
            "--json",
        ];
        let output = obook(&file, &words);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["passed"], output.status.success());
        let tests = report["tests"].as_array().unwrap().iter();
        tests
            .map(|test| {
                let name = test["test"].as_str().unwrap().to_owned();
                (name, test["passed"].as_bool().unwrap())
            })
            .collect::<Vec<_>>()
    };
    let inside = tests("inside");
    assert!(
        inside.len() > 5 && inside.iter().all(|(_, passed)| *passed),
        "{inside:?}"
    );
    let failed: Vec<String> = tests("same")
        .into_iter()
        .filter(|(_, passed)| !passed)
        .map(|(name, _)| name)
        .collect();
    assert!(failed.contains(&String::from("exact")), "{failed:?}");
    assert_eq!(
        tests("nboard:no-such-program"),
        [(String::from("protocol"), false)]
    );
}
