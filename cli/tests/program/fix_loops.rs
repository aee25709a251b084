//! Link tables edited by hand into cycles: every stored value is the one that an exhaustive search of all lines finds,
//! with the history of each line spelled out.

use crate::support::program::{arg, complaint, json, stdout};
use crate::support::report::GAMES;
use obook::Context;
use obook_othello::{CanonicalBoard, Move};
use obook_testing::random_book::Random;
use rusqlite::{Connection, params};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

type Key = [u8; 16];

/// The contents of the tables.
struct Tables {
    values: HashMap<Key, Option<i32>>,
    rest: HashMap<Key, [Option<i64>; 6]>,
    links: HashMap<Key, Vec<(Key, Option<i32>)>>,
    leaves: HashMap<Key, i32>,
}

impl Tables {
    fn read(path: &Path) -> Tables {
        let connection = Connection::open(path).unwrap();
        let mut tables = Tables {
            values: HashMap::new(),
            rest: HashMap::new(),
            links: HashMap::new(),
            leaves: HashMap::new(),
        };
        let sql = "SELECT board, value, lower, upper, wins, draws, losses, lines FROM positions";
        let mut select = connection.prepare(sql).unwrap();
        let mut rows = select.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let key = row.get(0).unwrap();
            tables.values.insert(key, row.get(1).unwrap());
            let rest = [2, 3, 4, 5, 6, 7].map(|at| row.get(at).unwrap());
            tables.rest.insert(key, rest);
        }
        let mut select = connection
            .prepare("SELECT board, move, score FROM links")
            .unwrap();
        let mut rows = select.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let key: Key = row.get(0).unwrap();
            let board = CanonicalBoard::from_key(key).unwrap().unwrap().board();
            let child = match Move::from_code(row.get(1).unwrap()).unwrap() {
                Move::Pass => board.passed(),
                mv => board.play(mv).unwrap(),
            };
            let child = child.canonical().to_key();
            if tables.values.contains_key(&child) {
                let links = tables.links.entry(key).or_default();
                links.push((child, row.get(2).unwrap()));
            }
        }
        let mut select = connection
            .prepare("SELECT board, score FROM leaves")
            .unwrap();
        let mut rows = select.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            tables
                .leaves
                .insert(row.get(0).unwrap(), row.get(1).unwrap());
        }
        tables
    }

    /// The value of the last position of a path: all lines, nothing remembered.
    fn search(&self, path: &mut Vec<Key>, repetition: i32) -> Option<i32> {
        let here = *path.last().unwrap();
        let mut best = self.leaves.get(&here).copied();
        for (child, _) in self.links.get(&here).into_iter().flatten() {
            let option = if path.contains(child) {
                Some(repetition)
            } else {
                path.push(*child);
                let score = self.search(path, repetition);
                path.pop();
                score.map(|score| -score)
            };
            best = best.max(option);
        }
        best
    }
}

fn import(folder: &Path) -> PathBuf {
    let path = folder.join("book.obook");
    stdout(["import", GAMES, "--book", arg(&path)]);
    path
}

/// Gives positions their other view, with a leaf, and passes one way, the other, or both. Gives the number of passes.
fn edit(path: &Path, random: &mut Random, pairs: usize) {
    let mut connection = Connection::open(path).unwrap();
    let edit = connection.transaction().unwrap();
    let mut keys: Vec<Key> = edit
        .prepare("SELECT board FROM positions WHERE empties BETWEEN 2 AND 60 ORDER BY board")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    random.shuffle(&mut keys);
    for key in keys.into_iter().take(pairs) {
        let board = CanonicalBoard::from_key(key).unwrap().unwrap().board();
        let other = board.passed().canonical();
        edit.execute(
            "INSERT OR IGNORE INTO positions (board, empties, level, engine) VALUES (?, ?, 10, 1)",
            params![other.to_key(), board.empties()],
        )
        .unwrap();
        let score = random.below(21) as i64 - 10;
        if random.below(3) > 0 {
            let mv = other.board().moves().next().map(Move::code);
            edit.execute(
                "INSERT OR IGNORE INTO leaves VALUES (?, ?, ?, 10, 1)",
                params![other.to_key(), mv, score],
            )
            .unwrap();
        }
        if random.below(3) == 0 {
            edit.execute("DELETE FROM leaves WHERE board = ?", [key])
                .unwrap();
        }
        let ways = random.below(4);
        let pass = "INSERT OR IGNORE INTO links VALUES (?, 64, 55)";
        if ways != 1 {
            edit.execute(pass, [key]).unwrap();
        }
        if ways != 2 {
            edit.execute(pass, [other.to_key()]).unwrap();
        }
    }
    edit.commit().unwrap();
}

#[test]
fn stored_values_are_own_scores() {
    for (seed, repetition) in [(1, 0), (2, 0), (3, 0), (4, 5), (5, -3), (6, 64)] {
        let folder = tempfile::tempdir().unwrap();
        let path = import(folder.path());
        let before = Tables::read(&path);
        edit(&path, &mut Random(seed), 120);
        let worth = repetition.to_string();
        let report = json(["negamax", arg(&path), "--repetition", &worth, "--json"]);
        let loops = &report["loops"];
        let on_cycles = loops["positions"].as_array().unwrap();
        assert!(on_cycles.len() > 50, "{loops}");
        assert!(on_cycles.iter().any(|it| !it["after_pass"].is_null()));
        let after = Tables::read(&path);
        let mut harmless = 0;
        for (key, value) in &after.values {
            // A position with neither leaf nor link keeps what it had.
            if !after.leaves.contains_key(key) && !after.links.contains_key(key) {
                continue;
            }
            let found = after.search(&mut vec![*key], repetition);
            assert_eq!(*value, found, "seed {seed}: {key:02x?}");
            for (child, score) in after.links.get(key).into_iter().flatten() {
                assert_eq!(*score, after.values[child].map(|value| -value));
            }
            if before.rest.get(key) == after.rest.get(key) {
                harmless += 1;
            }
        }
        assert!(
            harmless > 500,
            "the rest of the store is as before: {harmless}"
        );
        for position in on_cycles {
            let board: obook_othello::Board = position["board"].as_str().unwrap().parse().unwrap();
            let key = board.canonical().to_key();
            assert_eq!(
                after.rest[&key], [None; 6],
                "lines through a cycle have no number"
            );
            assert_eq!(
                position["value"].as_i64(),
                after.values[&key].map(i64::from)
            );
            let other = board.passed().canonical().to_key();
            if let Some(score) = position["after_pass"].as_i64() {
                let found = after.search(&mut vec![other, key], repetition);
                assert_eq!(Some(score), found.map(i64::from));
            }
        }
        let again = json(["negamax", arg(&path), "--repetition", &worth, "--json"]);
        assert_eq!(again["changed"]["any"], 0);
    }
}

/// Nothing overwrites a value that a person entered, and the other view of the board counts with it.
#[test]
fn entered_values_stay_on_cycles() {
    let folder = tempfile::tempdir().unwrap();
    let path = import(folder.path());
    let connection = Connection::open(&path).unwrap();
    let by_empties = |empties: u32| -> Key {
        let sql = "SELECT board FROM positions WHERE empties = ? ORDER BY board LIMIT 1";
        let key = connection.query_row(sql, [empties], |row| row.get(0));
        key.unwrap()
    };
    // Both views of the first board are the same, those of the second aren't.
    let [start, one] = [60, 50].map(by_empties);
    let other = CanonicalBoard::from_key(one).unwrap().unwrap().board();
    let other = other.passed().canonical();
    let out = other.board().moves().next().unwrap().code();
    let other = other.to_key();
    let [a, b, c] = [&start, &one, &other].map(hex);
    let sql = format!(
        "INSERT INTO positions (board, empties, level, engine) VALUES ({c}, 50, 10, 1);
         INSERT INTO leaves VALUES ({c}, {out}, -20, 10, 1);
         INSERT INTO links VALUES ({a}, 64, 0), ({b}, 64, 0), ({c}, 64, 0);
         UPDATE positions SET value = 12, level = 70 WHERE board IN ({a}, {b})"
    );
    connection.execute_batch(&sql).unwrap();
    let met = json(["negamax", arg(&path), "--json"]);
    assert_eq!(met["loops"]["positions"].as_array().unwrap().len(), 3);
    let values = Tables::read(&path).values;
    let found = [start, one, other].map(|key| values[&key]);
    assert_eq!(found, [Some(12), Some(12), Some(-12)]);
    let again = json(["negamax", arg(&path), "--json"]);
    assert_eq!(again["changed"]["any"], 0);
}

/// `fix` takes the passes out, and all is as if they had never been.
#[test]
fn fix_drops_passes_made_by_hand() {
    let folder = tempfile::tempdir().unwrap();
    let path = import(folder.path());
    let connection = Connection::open(&path).unwrap();
    connection
        .execute(
            "INSERT INTO links SELECT board, 64, 0 FROM positions WHERE empties = 60",
            [],
        )
        .unwrap();
    let met = json(["negamax", arg(&path), "--json"]);
    assert_eq!(met["loops"]["passes"], 1);
    assert_eq!(met["loops"]["positions"].as_array().unwrap().len(), 1);
    let fixed = json(["fix", arg(&path), "--json"]);
    assert_eq!(fixed["repaired"][0]["kind"], "illegal-move");
    assert_eq!(fixed["loops"]["passes"], 0);
    stdout(["diff", GAMES, arg(&path)]);
}

/// A game that comes to a legal pass; the position behind it is given a pass back.
#[test]
fn show_and_line_mark_path_dependent_scores() {
    let folder = tempfile::tempdir().unwrap();
    let path = import(folder.path());
    let games = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../tests/data/edax/games.txt"
    ))
    .unwrap();
    let connection = Connection::open(&path).unwrap();
    let has = |board: CanonicalBoard| -> bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM positions WHERE board = ?)";
        connection
            .query_row(sql, [board.to_key()], |row| row.get(0))
            .unwrap()
    };
    let way = |game: &str| {
        let line: obook_othello::Line = game.parse().ok()?;
        let moves = line.moves();
        let pass = moves.iter().position(|mv| *mv == Move::Pass)?;
        let line = obook_othello::Line::from_moves(moves[..=pass].iter().copied()).ok()?;
        let before = obook_othello::Line::from_moves(moves[..pass].iter().copied()).ok()?;
        (has(line.board().canonical()) && has(before.board().canonical())).then_some((before, line))
    };
    let (before, line) = games.lines().find_map(way).unwrap();
    let [passing, passed] = [&before, &line].map(|line| line.board().canonical().to_key());
    // Behind the pass a leaf loses by 6, so the side to move there would rather pass back.
    let edit = |sql: &str| {
        let sql = sql
            .replace("?1", &hex(&passing))
            .replace("?2", &hex(&passed));
        connection.execute_batch(&sql).unwrap();
    };
    edit("DELETE FROM leaves WHERE board IN (?1, ?2); DELETE FROM links WHERE board = ?2");
    let out = line.board().canonical().board().moves().next().unwrap();
    for sql in [
        format!("INSERT INTO leaves VALUES (?2, {}, -6, 10, 1)", out.code()),
        String::from("INSERT INTO leaves VALUES (?1, 64, 4, 10, 1)"),
        String::from("INSERT INTO links VALUES (?2, 64, 0)"),
    ] {
        edit(&sql);
    }
    json(["negamax", arg(&path), "--json"]);
    let before = format!("{before}");
    let after = format!("{before}pa");
    let shown = json(["show", arg(&path), &after, "--json"]);
    assert_eq!(
        (&shown["value"], &shown["path_dependent"]),
        (&0.into(), &true.into())
    );
    assert_eq!(shown["own_value"], -4, "the other side takes its 4");
    let text = stdout(["show", arg(&path), &after]);
    assert!(
        text.contains("Best score: +0~") && text.contains(":+0~]"),
        "{text}"
    );
    assert!(text.contains("~ holds only after this line"), "{text}");
    let shown = json(["show", arg(&path), &before, "--json"]);
    assert_eq!(shown["value"], 4);
    assert!(shown.get("path_dependent").is_none());
    let pass = shown["moves"]
        .as_array()
        .unwrap()
        .iter()
        .find(|mv| mv["kind"] == "link")
        .unwrap();
    assert_eq!(
        (&pass["score"], &pass["path_dependent"]),
        (&0.into(), &true.into())
    );
    let lines = json(["line", arg(&path), &before, "--json"]);
    assert_eq!(lines[0]["moves"][0]["path_dependent"], true);
    let text = stdout(["line", arg(&path), &before]);
    assert!(text.contains("+0~"), "{text}");
    // The value of a repetition stays, even if the rest of the header changes.
    json(["negamax", arg(&path), "--repetition", "3", "--json"]);
    let header = obook::Store::open(&path, &Context::default())
        .unwrap()
        .header()
        .unwrap();
    let mut store = obook::Store::open_for_writing(&path, &Context::default()).unwrap();
    let update = store.change().unwrap();
    update.set_header(&header).unwrap();
    update.commit(&()).unwrap();
    assert_eq!(store.repetition().unwrap(), 3);
    let shown = json(["show", arg(&path), &after, "--json"]);
    assert_eq!(
        (&shown["value"], &shown["own_value"]),
        (&3.into(), &(-4).into())
    );
    let lines = json(["line", arg(&path), &before, "--json"]);
    assert_eq!(lines[0]["moves"][0]["score"], -3, "{lines}");
    stdout(["undo", arg(&path)]);
    stdout(["undo", arg(&path)]);
    assert_eq!(store.repetition().unwrap(), 0);
    edit("UPDATE book SET repetition = 65");
    let said = complaint(["show", arg(&path), &after], &path);
    assert!(said.contains("column repetition is 65"), "{said}");
    json(["negamax", arg(&path), "--json"]);
    assert_eq!(store.repetition().unwrap(), 0);
    // Nothing is marked where no cycle is.
    let text = stdout(["show", arg(&path)]);
    assert!(!text.contains('~'), "{text}");
}

fn hex(key: &Key) -> String {
    let digits: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("x'{digits}'")
}
