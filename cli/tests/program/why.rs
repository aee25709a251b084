//! `obook why`.

use crate::support::program::{arg, complaint, games_database, json, obook, stdout};
use obook_testing::golden::golden;
use serde_json::Value;
use std::collections::BTreeMap;

/// The scores of a position's moves, from `obook show`.
fn shown(book: &str, line: &str) -> BTreeMap<String, i64> {
    let view = json(["show", book, line, "--json"]);
    let moves = view["moves"].as_array().unwrap().iter();
    let worth = |mv: &Value| (text(&mv["move"]), mv["score"].as_i64().unwrap());
    moves.map(worth).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Each step agrees with `obook show`, in the orientation of the line, for any line.
#[test]
fn steps_are_what_show_says_of_each_position() {
    let (_folder, database) = games_database();
    let file = golden("games.dat");
    for line in ["f5", "f5d6c5", "f5f6", "d3c5d6", "f5d6c4"] {
        let why = json(["why", arg(&database), line, "--json"]);
        assert_eq!(
            why,
            json(["why", arg(&file), line, "--json"]),
            "a file says the same"
        );
        let show = json(["show", arg(&database), line, "--json"]);
        assert_eq!(why["value"], show["value"]);
        let mut line = line.to_owned();
        for step in why["steps"].as_array().unwrap() {
            let mut moves = shown(arg(&database), &line);
            let best = step["score"].as_i64().unwrap();
            assert_eq!(moves.values().max(), Some(&best));
            let mv = text(&step["move"]);
            assert_eq!(moves.remove(&mv), Some(best));
            let others = step["others"].as_array().unwrap().iter();
            let score = |it: &Value| (text(&it["move"]), best - it["worse"].as_i64().unwrap());
            assert_eq!(others.map(score).collect::<BTreeMap<_, _>>(), moves);
            line += &mv;
        }
        let moves = shown(arg(&database), &line);
        let decides = &why["decides"];
        let last = text(&decides["line"])
            .strip_prefix(&line)
            .unwrap()
            .to_owned();
        assert_eq!(moves.get(&last).copied(), decides["score"].as_i64());
        assert_eq!(decides["error"], 2, "these searches do not reach the end");
    }
}

/// The rows of the table agree.
#[test]
fn sql_says_the_same() {
    let (_folder, database) = games_database();
    let why = json(["why", arg(&database), "f5d6", "--json"]);
    let ask = |what: &str, role: &str| {
        let sql = format!("SELECT {what} FROM why('f5d6') WHERE role = '{role}'");
        let rows = json(["query", arg(&database), &sql, "--json"]);
        rows.as_array().unwrap().clone()
    };
    let list = |value: &Value| value.as_array().unwrap().clone();
    let line: Vec<Value> = ask("square", "line")
        .iter()
        .map(|it| it["square"].clone())
        .collect();
    let steps: Vec<Value> = list(&why["steps"])
        .iter()
        .map(|it| it["move"].clone())
        .collect();
    assert_eq!(line, steps);
    let decides = &ask("line, score, level, error, value", "decides")[0];
    for column in ["line", "score", "level", "error"] {
        assert_eq!(decides[column], why["decides"][column], "{column}");
    }
    assert_eq!(decides["value"], why["value"]);
    let of = |it: &Value| {
        (
            text(&it["payoff"]["line"]),
            it["shift"].clone(),
            it["value"].clone(),
        )
    };
    let shifts: Vec<_> = list(&why["shifts"]).iter().map(of).collect();
    assert!(!shifts.is_empty());
    let rows = ask("line, shift, value", "shift");
    let rows: Vec<_> = rows
        .iter()
        .map(|it| (text(&it["line"]), it["shift"].clone(), it["value"].clone()))
        .collect();
    assert_eq!(rows, shifts);
    let lines = |all: &[Value]| all.iter().map(|it| text(&it["line"])).collect::<Vec<_>>();
    assert_eq!(lines(&ask("line", "search")), lines(&list(&why["too_low"])));
    assert_eq!(
        lines(&ask("line", "lower")),
        lines(&list(&why["too_high"]["payoffs"]))
    );
    let others = list(&why["steps"])
        .iter()
        .map(|it| list(&it["others"]).len())
        .sum::<usize>();
    assert_eq!(
        ask("line", "beside").len(),
        others + list(&why["beside"]).len()
    );
    assert_eq!(ask("line", "incomplete"), [] as [Value; 0]);
    // A position that the book lacks has no rows.
    let sql = "SELECT * FROM why('f5f4d3')";
    assert_eq!(
        json(["query", arg(&database), sql, "--json"]),
        Value::Array(Vec::new())
    );
}

#[test]
fn requested_searches_wait_in_the_queue() {
    let (_folder, database) = games_database();
    let said = stdout(["why", arg(&database), "f5d6", "--search", "3"]);
    assert!(said.contains("at level 3: 1; `obook learn"), "{said}");
    let sql = "SELECT kind, level, engine FROM tasks";
    let tasks = json(["query", arg(&database), sql, "--json"]);
    let tasks = tasks.as_array().unwrap();
    assert!(!tasks.is_empty());
    for task in tasks {
        assert_eq!(
            (&task["level"], &task["engine"]),
            (&Value::from(3), &Value::Null)
        );
        assert_eq!(task["kind"], "position");
    }
    let status = json(["learn", arg(&database), "--status", "--json"]);
    assert_eq!(status["asked"], tasks.len());
    // The level may be left out: it is the book's.
    let why = json(["why", arg(&database), "f5d6", "--json", "--search"]);
    let level = &json(["info", arg(&database), "--json"])["level"];
    assert_eq!(&why["asked"]["level"], level);
    assert_eq!(why["asked"]["searches"], tasks.len());
}

#[test]
fn unexplained_values_come_with_advice() {
    let file = golden("games.dat");
    let said = complaint(["why", arg(&file), "f5", "--search", "3"], &file);
    assert!(said.contains("`obook import`"), "{said}");
    let unfixed = golden("egaroucid/games.mixed.egbk3");
    let said = complaint(["why", arg(&unfixed)], &unfixed);
    assert!(said.contains("`obook fix`"), "{said}");
    let said = complaint(["why", arg(&file), "f5f4d3"], &file);
    assert!(said.contains("the book ends before"), "{said}");
    let short = stdout(["why", arg(&file), "--most", "0"]);
    assert!(
        short.contains("This is incomplete") && short.contains("--most"),
        "{short}"
    );
    assert_eq!(
        obook(["why", arg(&file), "--search", "61"]).status.code(),
        Some(2)
    );
}
