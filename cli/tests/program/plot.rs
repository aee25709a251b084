//! The pictures of `obook plot` agree with SQL and other commands.

use crate::support::program::{arg, complaint, json, stdout};
use obook_othello::{CanonicalBoard, Line, Move};
use obook_testing::golden::golden;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::PathBuf;

fn books() -> [PathBuf; 3] {
    [
        "games.dat",
        "egaroucid/games.mixed.egbk3",
        "edax/small.prune.dat",
    ]
    .map(golden)
}

/// The value of an attribute in each tag of a name, in order.
fn attributes<'s>(svg: &'s str, tag: &str, name: &str) -> Vec<&'s str> {
    let tags = svg
        .split('<')
        .filter(|text| text.starts_with(&format!("{tag} ")));
    let inside = tags.filter_map(|tag| tag.split_once(&format!(" {name}=\"")));
    inside
        .map(|(_, rest)| rest.split('"').next().unwrap())
        .collect()
}

/// The sums of the parts of each bar.
fn bars(svg: &str) -> BTreeMap<i64, u64> {
    svg.split("<g class=\"bar\" ")
        .skip(1)
        .map(|bar| {
            let bar = bar.split("</g>").next().unwrap();
            let at = bar
                .strip_prefix("data-at=\"")
                .unwrap()
                .split('"')
                .next()
                .unwrap();
            let counts = attributes(bar, "rect", "data-count");
            (
                at.parse().unwrap(),
                counts
                    .iter()
                    .map(|count| count.parse::<u64>().unwrap())
                    .sum(),
            )
        })
        .filter(|(_, count)| *count > 0)
        .collect()
}

fn counted(book: &str, sql: &str) -> BTreeMap<i64, u64> {
    let rows = json(["query", book, sql, "--json"]);
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| (row["at"].as_i64().unwrap(), row["n"].as_u64().unwrap()))
        .collect()
}

/// Checks that a picture is accessible.
fn is_accessible(svg: &str) {
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    assert!(
        svg.contains("role=\"img\"")
            && svg.contains("<title id=\"title\">")
            && svg.contains("<desc id=\"description\">")
    );
    assert!(svg.contains("prefers-color-scheme:dark") && svg.contains("<text "));
    // Every open element is closed.
    let opened = svg.matches('<').count() - svg.matches("</").count() - svg.matches("/>").count();
    assert_eq!(opened, svg.matches("</").count());
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn bars_are_as_high_as_sql_counts() {
    for book in books() {
        let book = arg(&book);
        for (kind, sql) in [
            (
                "empties",
                "SELECT empties AS at, count(*) AS n FROM positions GROUP BY 1",
            ),
            (
                "scores",
                "SELECT value AS at, count(*) AS n FROM positions WHERE value NOT NULL GROUP BY 1",
            ),
        ] {
            let svg = stdout(["plot", book, kind]);
            is_accessible(&svg);
            assert!(!bars(&svg).is_empty(), "{kind} of {book}");
            assert_eq!(bars(&svg), counted(book, sql), "{kind} of {book}");
            assert_eq!(
                svg,
                stdout(["plot", book, kind]),
                "the same book, the same bytes"
            );
        }
    }
}

#[test]
fn levels_are_the_parts_of_a_bar() {
    let book = golden("egaroucid/games.mixed.egbk3");
    let plot = json(["plot", arg(&book), "empties", "--json"]);
    let sql = "SELECT level AS at, count(*) AS n FROM positions GROUP BY 1";
    let levels = counted(arg(&book), sql);
    assert!(levels.len() > 1, "a book of one level shows nothing");
    let series = plot["series"].as_array().unwrap();
    let drawn: BTreeMap<String, u64> = series
        .iter()
        .enumerate()
        .map(|(index, series)| {
            let bars = plot["bars"].as_array().unwrap().iter();
            let counts = bars.map(|bar| bar["counts"][index].as_u64().unwrap());
            (series["name"].as_str().unwrap().to_owned(), counts.sum())
        })
        .collect();
    let expected: BTreeMap<String, u64> = levels
        .iter()
        .map(|(level, n)| (format!("level {level}"), *n))
        .collect();
    assert_eq!(drawn, expected);
}

#[test]
fn accuracy_is_that_of_the_command() {
    for book in books() {
        let plot = json(["plot", arg(&book), "accuracy", "--json"]);
        let table = json(["accuracy", arg(&book), "--all", "--json"]);
        assert!(plot["bars"].as_array().unwrap().len() > 5);
        assert!(!plot["series"].as_array().unwrap().is_empty());
        for bar in plot["bars"].as_array().unwrap() {
            let empties = (60 - bar["at"].as_i64().unwrap()).to_string();
            for (series, count) in plot["series"]
                .as_array()
                .unwrap()
                .iter()
                .zip(bar["counts"].as_array().unwrap())
            {
                let expected = &table["by_empties"][&empties][series["name"].as_str().unwrap()];
                assert_eq!(count.as_u64(), Some(expected.as_u64().unwrap_or(0)));
            }
        }
        let svg = stdout(["plot", arg(&book), "accuracy"]);
        is_accessible(&svg);
        assert_eq!(
            bars(&svg),
            bars(&svg)
                .into_keys()
                .map(|at| (at, counted_at(&table, at)))
                .collect()
        );
    }
}

fn counted_at(table: &Value, at: i64) -> u64 {
    let row = table["by_empties"][(60 - at).to_string()]
        .as_object()
        .unwrap();
    row.values().map(|count| count.as_u64().unwrap()).sum()
}

/// All lines of a tree, from its root to its ends.
fn lines(branches: &Value, before: &str, all: &mut Vec<String>) {
    for branch in branches.as_array().unwrap() {
        let line = format!("{before}{}", branch["move"].as_str().unwrap());
        match branch["branches"].as_array().unwrap().is_empty() {
            true => all.push(line),
            false => lines(&branch["branches"], &line, all),
        }
    }
}

/// All lines of a tree, also through branches that join others, whose continuations may be mirrored. A node is given by its branches and
/// its line in the tree; `line` leads to the same position.
fn all_lines(tree: &Value, (branches, node): (&Value, Line), line: &Line, all: &mut Vec<String>) {
    if branches.as_array().unwrap().is_empty() {
        all.push(line.to_string());
    }
    let start = tree["start"].as_str().unwrap();
    for branch in branches.as_array().unwrap() {
        let mv: Move = branch["move"].as_str().unwrap().parse().unwrap();
        let [there, here] = [&node, line].map(|line| line.board().canonicalize().1);
        let mut line = line.clone();
        let played = here.inverse().play(there.play(mv));
        line.push(line.board().conventional(played)).unwrap();
        let Some(joins) = branch["joins"].as_str() else {
            let mut node = node.clone();
            node.push(mv).unwrap();
            all_lines(tree, (&branch["branches"], node), &line, all);
            continue;
        };
        let node: Line = format!("{start}{joins}").parse().unwrap();
        assert_eq!(node.board().canonical(), line.board().canonical());
        let mut branches = &tree["branches"];
        for mv in &node.moves()[start.len() / 2..] {
            let mut found = branches.as_array().unwrap().iter();
            let is_next = |branch: &&Value| branch["move"] == mv.to_string();
            branches = &found.find(is_next).unwrap()["branches"];
        }
        assert_ne!(branches, &Value::Array(Vec::new()));
        all_lines(tree, (branches, node), &line, all);
    }
}

#[test]
fn a_tree_shows_the_best_lines() {
    let book = golden("games.dat");
    let plot = [
        "plot",
        arg(&book),
        "tree",
        "f5",
        "--loss",
        "0",
        "--most",
        "1000",
    ];
    let tree = json(plot.iter().chain(&["--json"]));
    let root: Line = "f5".parse().unwrap();
    let mut drawn = Vec::new();
    all_lines(&tree, (&tree["branches"], root.clone()), &root, &mut drawn);
    let best = stdout([
        "line",
        arg(&book),
        "f5",
        "--all-best",
        "1000",
        "--depth",
        "8",
    ]);
    let mut best: Vec<&str> = best.lines().collect();
    best.sort_unstable();
    drawn.sort_unstable();
    assert!(best.len() > 1);
    assert_eq!(drawn, best);
    let svg = stdout(plot);
    is_accessible(&svg);
    assert!(svg.contains("Best lines from f5"));
    let moves = attributes(&svg, "path", "data-move");
    assert!(moves.len() >= drawn.len());
    assert_eq!(svg.matches("<circle ").count(), moves.len() + 1);
}

/// A second way to a position ends at the first, where its continuations are.
#[test]
fn transpositions_are_drawn_once() {
    let book = golden("games.dat");
    let plot = [
        "plot",
        arg(&book),
        "tree",
        "--loss",
        "2",
        "--depth",
        "6",
        "--most",
        "1000",
    ];
    let tree = json(plot.iter().chain(&["--json"]));
    let root = Line::default();
    let start = (&tree["branches"], root.clone());
    all_lines(&tree, start, &root, &mut Vec::new());
    /// Collects the positions with continuations.
    fn continued(branches: &Value, line: &Line, all: &mut Vec<CanonicalBoard>) {
        for branch in branches.as_array().unwrap() {
            let mut line = line.clone();
            let mv = branch["move"].as_str().unwrap().parse().unwrap();
            line.push(mv).unwrap();
            if branch["branches"][0] != Value::Null {
                all.push(line.board().canonical());
            }
            continued(&branch["branches"], &line, all);
        }
    }
    let mut all = Vec::new();
    continued(&tree["branches"], &root, &mut all);
    let distinct: HashSet<&CanonicalBoard> = all.iter().collect();
    assert_eq!(distinct.len(), all.len());
    let joins = tree.to_string().matches("\"joins\"").count();
    let svg = stdout(plot);
    assert_eq!(svg.matches("<path class=\"join\"").count(), joins);
    assert!(joins > 0);
}

#[test]
fn a_tree_has_no_more_lines_than_asked_for_and_no_worse_moves() {
    let book = golden("games.dat");
    for most in ["1", "5", "30"] {
        let tree = json([
            "plot",
            arg(&book),
            "tree",
            "--loss",
            "2",
            "--most",
            most,
            "--json",
        ]);
        let mut drawn = Vec::new();
        lines(&tree["branches"], "", &mut drawn);
        assert!(drawn.len() <= most.parse().unwrap(), "{drawn:?}");
    }
    // Three moves are good, of which two fit.
    let tree = json(["plot", arg(&book), "tree", "f5", "--most", "2", "--json"]);
    let mut drawn = Vec::new();
    lines(&tree["branches"], "f5", &mut drawn);
    assert_eq!(drawn.len(), 2, "{drawn:?}");
    /// Returns the greatest loss drawn.
    fn check(branches: &Value) -> i64 {
        let branches = branches.as_array().unwrap();
        let scores = || {
            branches
                .iter()
                .filter_map(|branch| branch["score"].as_i64())
        };
        let loss = match (scores().min(), scores().max()) {
            (Some(least), Some(most)) => most - least,
            _ => 0,
        };
        assert!(loss <= 2, "{branches:?}");
        let below = branches.iter().map(|branch| check(&branch["branches"]));
        below.max().unwrap_or(0).max(loss)
    }
    let tree = json(["plot", arg(&book), "tree", "--loss", "2", "--json"]);
    assert!(
        check(&tree["branches"]) > 0,
        "worse moves than the best are drawn"
    );
}

#[test]
fn files_are_kept_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.svg");
    let book = golden("games.dat");
    stdout(["plot", arg(&book), "scores", "--output", arg(&file)]);
    let first = fs::read(&file).unwrap();
    complaint(
        ["plot", arg(&book), "empties", "--output", arg(&file)],
        &file,
    );
    assert_eq!(fs::read(&file).unwrap(), first);
    stdout([
        "plot",
        arg(&book),
        "empties",
        "--output",
        arg(&file),
        "--force",
    ]);
    assert_ne!(fs::read(&file).unwrap(), first);
    complaint(
        ["plot", arg(&book), "tree", "a1"],
        "the moves make no line".as_ref(),
    );
}

#[test]
fn mirror_images_are_drawn_once() {
    let book = golden("games.dat");
    let tree = json(["plot", arg(&book), "tree", "--loss", "64", "--json"]);
    let moves = tree["branches"].as_array().unwrap().iter();
    let moves: Vec<&str> = moves
        .map(|branch| branch["move"].as_str().unwrap())
        .collect();
    assert_eq!(moves, ["f5"]);
}

#[test]
fn a_picture_is_called_one() {
    let folder = tempfile::tempdir().unwrap();
    let book = golden("games.dat");
    let plot = ["plot", arg(&book), "empties", "--output"];
    for (name, json, expected) in [("x.gif", false, "x.svg"), ("x.svg", true, "x.json")] {
        let file = folder.path().join(name);
        let options = if json { &["--json"][..] } else { &[] };
        let said = complaint([&plot[..], &[arg(&file)], options].concat(), &file);
        assert!(said.contains(expected), "{said}");
        assert!(!file.exists());
    }
}

/// Reading books and games may take long.
#[test]
fn a_picture_that_exists_is_told_before_anything_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("old.svg");
    fs::write(&file, "<svg></svg>").unwrap();
    for command in [
        "plot none.dat empties",
        "rate compare none.wtb --since 2000",
        "shogi fit none.csa",
    ] {
        complaint(command.split(' ').chain(["--output", arg(&file)]), &file);
    }
}

/// On a machine without fonts, the error says so.
#[cfg(feature = "png")]
#[test]
fn pictures_are_png_by_their_name() {
    use crate::support::program::obook;
    let folder = tempfile::tempdir().unwrap();
    let book = golden("games.dat");
    let file = folder.path().join("scores.PNG");
    let plot = ["plot", arg(&book), "scores", "--output", arg(&file)];
    let drawn = obook(plot);
    let said = String::from_utf8(drawn.stderr).unwrap();
    if !drawn.status.success() {
        assert!(said.contains("needs a font"), "{said}");
        assert!(!file.exists());
        return;
    }
    let png = fs::read(&file).unwrap();
    assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
    let width = u32::from_be_bytes(png[16..20].try_into().unwrap());
    let svg = stdout(&plot[..3]);
    let of_svg: f64 = attributes(&svg, "svg", "width")[0].parse().unwrap();
    assert_eq!(f64::from(width), 2.0 * of_svg);
    complaint(plot, &file);
    stdout(plot.iter().chain(&["--force"]));
}
