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

/// A small engine for shogi.
const SHOGI_ENGINE: &str = "../tests/data/shogi/usi.py";

/// A script that speaks NBoard as docs/engines.md says: it answers the first legal move that the driver's boards leave, by asking for
/// nothing. It knows the start and its only reply.
const TINY: &str = r#"while read -r word rest; do
    case "$word" in
        nboard) ;;
        ping) echo "pong $rest" ;;
        hint) echo "search d3 +0 0 25"; echo "search c4 +0 0 25"; echo "search f5 +0 0 25"; echo "search e6 +0 0 25"; echo status ;;
    esac
done
"#;

/// An engine of one's own keeps its name: its searches are told apart, and whatever level it claims replaces nobody's search in a merge,
/// unless its owner gives it a place.
///
/// Law (Other engines): Searches of an unknown engine keep its name, also through merges; formats that can't hold it say so.
#[test]
fn an_engine_of_ones_own_keeps_its_name() {
    let entry = |name: &str, place: &str| {
        format!(
            "[{name}]\ncommand = [\"sh\", \"tiny.sh\"]\nprotocol = \"nboard\"\nfolder = \".\"\n{place}\n"
        )
    };
    let placed = entry("placed", "engine = \"tiny\"\nplace = \"above edax\"");
    let (folder, file) = engines(&(entry("tiny", "") + &placed));
    std::fs::write(folder.path().join("tiny.sh"), TINY).unwrap();
    let path = |name: &str| arg(&folder.path().join(name)).to_owned();
    let run = |arguments: &[&str]| {
        let output = obook(&file, arguments);
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {complaint}");
        String::from_utf8(output.stdout).unwrap() + &complaint
    };
    let recipe = path("recipe.toml");
    let grow = |book: &str, engine: &str, level: &str| {
        let text =
            format!("[[stages]]\nrule = {{ best-first = {{ least = 0.0 }} }}\nlevel = {level}\n");
        std::fs::write(&recipe, text).unwrap();
        run(&[
            "learn", book, "--recipe", &recipe, "--limit", "1", "--engine", engine, "--jobs", "1",
        ]);
    };
    let [own, place, inside] = ["own.obook", "placed.obook", "inside.obook"].map(path);
    grow(&own, "tiny", "25");
    grow(&place, "placed", "25");
    grow(&inside, "inside", "1");
    let leaf = |book: &str| {
        let sql = "SELECT name, leaves.level, move FROM leaves JOIN engines USING (engine)";
        run(&["query", book, sql, "--format", "csv"])
    };
    assert!(leaf(&own).contains("tiny,25"), "{}", leaf(&own));
    let before = leaf(&inside);
    assert!(before.contains("obook,1"), "{before}");
    assert!(run(&["info", &own]).contains("Engine: tiny (edax's levels, place unknown)"));
    let info: Value = serde_json::from_str(&run(&["info", &own, "--json"])).unwrap();
    assert_eq!(info["engines"][0]["name"], "tiny");
    assert!(run(&["why", &own]).contains("tiny (edax's levels, place unknown) at level 25"));
    let levels = run(&["query", &own, "SELECT engine, level FROM levels"]);
    assert!(levels.contains("tiny"), "{levels}");
    // Neither way does its claim replace a search of level 1.
    let merged = run(&["merge", &inside, &own]);
    assert!(
        merged.contains("own.obook: tiny (edax's levels, place unknown)"),
        "{merged}"
    );
    assert!(
        merged.contains(" 0 replaced by a better search"),
        "{merged}"
    );
    assert_eq!(leaf(&inside), before);
    let other = path("other.obook");
    std::fs::copy(&own, &other).unwrap();
    run(&["merge", &other, &inside]);
    assert_eq!(leaf(&other), before);
    // With a place it counts.
    let merged = run(&["merge", &inside, &place]);
    assert!(
        merged.contains("tiny (edax's levels, place above edax)"),
        "{merged}"
    );
    assert!(leaf(&inside).contains("tiny,25"), "{}", leaf(&inside));
    for format in ["edax", "egbk3"] {
        let out = path(&format!("out.{format}"));
        let said = run(&["export", &own, &out, "--format", format]);
        assert!(
            said.contains("name and place the format can't hold"),
            "{said}"
        );
    }
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

/// What is said of an engine that can't be used.
fn complaint(file: &Path, engine: &str) -> String {
    let output = obook(file, &["hint", "--no-book", "--engine", engine]);
    assert_eq!(output.status.code(), Some(1), "{engine}");
    String::from_utf8(output.stderr).unwrap()
}

/// Law (Other engines): Errors in `engines.toml` are reported with their line; other entries can be used.
#[test]
fn an_unknown_engine_is_refused_with_the_known_ones() {
    let (_folder, file) = with_script();
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
        let said = complaint(&file, "a");
        let place = format!("obook: {}: line {line}: ", file.display());
        assert!(said.starts_with(&place) && said.contains(words), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        // The others can be used, and it is listed with its fault.
        let list = || {
            let output = obook(&file, &["engines", "list"]);
            String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr)
        };
        assert!(list().contains(&format!("line {line}: ")), "{}", list());
        let both = format!("{}\n[b]\ncommand = \"no-such-edax\"\n", text.trim_end());
        std::fs::write(&file, both).unwrap();
        let of_other = complaint(&file, "b");
        assert!(of_other.contains("can't start no-such-edax"), "{of_other}");
        assert!(
            list().contains("no-such-edax") && list().contains(words),
            "{}",
            list()
        );
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

#[test]
fn the_engine_test_finds_faults_of_engines_for_shogi() {
    let (_folder, file) = engines("");
    let tests = |arguments: &str| {
        let engine = format!("usi:python3 {SHOGI_ENGINE} {arguments}");
        let words = ["engines", "test", &engine, "--positions", "2", "--json"];
        let output = obook(&file, &words);
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["passed"], output.status.success());
        let tests = report["tests"].as_array().unwrap().iter();
        let failed = tests.clone().filter(|test| test["passed"] == false);
        let failed = failed.map(|test| test["test"].as_str().unwrap().to_owned());
        (tests.count(), failed.collect::<Vec<_>>())
    };
    assert_eq!(tests("pieces"), (6, vec![]));
    assert_eq!(tests(""), (6, vec!["mate".to_owned(), "sign".to_owned()]));
    let (count, failed) = tests("pieces trouble illegal k");
    assert_eq!((count, failed.len()), (6, 5), "{failed:?}");

    let engine = format!("usi:python3 {SHOGI_ENGINE}");
    for (engine, option) in [
        (&*engine, ["--level", "8"]),
        ("inside", ["--go", "depth 1"]),
    ] {
        let output = obook(&file, &[&["engines", "test", engine], &option[..]].concat());
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(option[0]), "{said}");
    }
}
