//! Answers equal those of the commands.

use crate::support::{PGN, Running, book, escaped};
use obook::games::{Condition, repertoire};
use obook::read::line::lines_to;
use obook::read::view::View;
use obook::read::why::Explanation;
use obook::{Book, Context, Lookup, Store};
use obook_othello::{CanonicalBoard, Line, Move, Side};
use obook_testing::exhaustive::exhaustive;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// `obook show --json`.
fn shown(book: &Path, line: &str) -> Value {
    let book = Book::open(book, &Context::default()).unwrap();
    let line = obook_games::names::read_line(line).unwrap();
    serde_json::to_value(View::with_games(&book, line).unwrap()).unwrap()
}

/// Compares an answer with `obook show --json`.
fn same(answer: &Value, shown: &Value) {
    for name in [
        "line", "opening", "key", "board", "ply", "empties", "value", "lower", "upper", "level",
        "engine",
    ] {
        assert_eq!(answer[name], shown[name], "{name}");
    }
    assert_eq!(answer["turn"], shown["side"]);
    if answer["in_book"] == json!(true) {
        for name in ["wins", "draws", "losses"] {
            assert_eq!(answer["lines"][name], shown[name], "{name}");
        }
        assert_eq!(answer["lines"]["all"], shown["lines"]);
    }
    let moves = answer["moves"].as_array().unwrap();
    let find = |square: &Value| moves.iter().find(|mv| mv["square"] == *square);
    let order = |name: &Value| moves.iter().position(|mv| mv["square"] == *name).unwrap();
    let known = shown["moves"].as_array().unwrap();
    for mv in known {
        let found = find(&mv["move"]).unwrap();
        assert_eq!(
            (&found["score"], &found["kind"]),
            (&mv["score"], &mv["kind"])
        );
    }
    assert!(known.is_sorted_by_key(|mv| order(&mv["move"])));
    for play in shown["plays"].as_array().into_iter().flatten() {
        let games = &find(&play["square"]).unwrap()["games"];
        assert_eq!(games["move"], play["games"]);
        for name in ["wins", "draws", "losses", "mean"] {
            assert_eq!(games[name], play[name]);
        }
    }
}

/// A server with one book, for all tests that change nothing.
fn shared() -> &'static (Running, PathBuf) {
    static SHARED: OnceLock<(Running, PathBuf)> = OnceLock::new();
    SHARED.get_or_init(|| {
        let (folder, path) = book();
        let server = Running::start(&[&path]);
        (server, folder.keep().join(path.file_name().unwrap()))
    })
}

/// The number that a query returns.
fn count(store: &Store, sql: &str) -> usize {
    let count: u32 = store
        .connection()
        .query_row(sql, [], |row| row.get(0))
        .unwrap();
    count as usize
}

/// The board after a pass is the board before it for the other side, so the pass's score is its value.
#[test]
fn the_score_of_a_pass_is_the_value_behind_it() {
    let (server, path) = shared();
    let book = Book::open(path, &Context::default()).unwrap();
    let store = Store::open(path, &Context::default()).unwrap();
    let positions = store.positions().unwrap().map(Result::unwrap);
    let leaves: Vec<_> = positions
        .filter_map(|position| Some((position.board, position.leaf?)))
        .filter(|(_, leaf)| leaf.mv == Some(Move::Pass))
        .collect();
    assert_eq!(leaves.len(), 6);
    let boards: Vec<_> = leaves.iter().map(|(board, _)| *board).collect();
    let lines = lines_to(&book, &boards, &Context::default()).unwrap();
    for (line, (_, leaf)) in lines.into_iter().zip(leaves) {
        let line = line.expect("links lead there");
        let before = server.get(&format!("/api/book/position?at={line}")).json();
        let after = server
            .get(&format!("/api/book/position?at={line}pa"))
            .json();
        assert_eq!(after["value"], json!(-leaf.score), "{line}");
        assert_eq!(after["in_book"], json!(false));
        let pass = &before["moves"][0];
        assert_eq!(pass["square"], json!("pa"));
        for name in ["level", "engine"] {
            assert_eq!(after[name], pass[name], "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law (The server): The server's positions equal those of `obook show`; a pass has the value behind it.
    /// Also: `the_score_of_a_pass_is_the_value_behind_it`
    #[test]
    fn positions_are_as_shown(choices in proptest::collection::vec(0_usize..20, 0..8)) {
        let (server, path) = shared();
        let line = obook_testing::imported::line(path, &choices);
        let answer = server.get(&format!("/api/book/position?at={line}"));
        prop_assert_eq!(answer.status, 200);
        same(&answer.json(), &shown(path, &line.to_string()));
    }

    /// Any legal line has an answer with all its legal moves, whether the book knows it or not.
    #[test]
    fn positions_out_of_the_book_have_their_moves(choices in proptest::collection::vec(any::<usize>(), 0..70)) {
        let (server, _) = shared();
        let mut line = Line::new();
        for choice in choices {
            let moves: Vec<_> = line.board().moves().collect();
            let Some(count) = std::num::NonZeroUsize::new(moves.len()) else { break };
            line.push(moves[choice % count]).unwrap();
        }
        let answer = server.get(&format!("/api/book/position?at={line}")).json();
        let squares = answer["moves"].as_array().unwrap().iter().map(|mv| mv["square"].as_str().unwrap());
        let mut squares: Vec<_> = squares.map(str::to_owned).collect();
        let mut legal: Vec<_> = line.board().moves().map(|mv| mv.to_string()).collect();
        squares.sort();
        legal.sort();
        prop_assert_eq!(squares, legal);
    }

    /// Whatever is asked, the answer is JSON, and the server lives.
    #[test]
    fn no_parameter_is_harmful(
        text in any::<String>(),
        name in prop::sample::select(vec![
            "position?at", "games?at", "games?player", "games?tournament", "games?since", "games?before", "games?limit",
            "why?at", "parents?at", "parse?text", "openings?search", "frontier?at", "frontier?loss", "worst?limit",
            "hint?at", "hint?level", "review?at", "review?level", "position?board",
        ]),
    ) {
        let (server, _) = shared();
        let answer = server.get(&format!("/api/book/{name}={}", escaped(&text)));
        prop_assert!(matches!(answer.status, 200 | 400 | 404), "{:?}", answer);
        if answer.header("content-type") == Some("application/json") {
            answer.json();
        } else {
            answer.lines();
        }
    }
}

#[test]
fn moves_that_symmetry_makes_the_same_have_the_same_data() {
    let (server, _) = shared();
    let answer = server.get("/api/book/position").json();
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 4);
    for mv in moves {
        let without_square = |mv: &Value| {
            let mut mv = mv.clone();
            mv["square"].take();
            mv
        };
        assert_eq!(without_square(mv), without_square(&moves[0]));
    }
    assert_eq!(moves[0]["games"]["move"], moves[0]["games"]["position"]);
}

#[test]
fn games_come_in_portions_and_pass_the_filter() {
    let (server, path) = shared();
    let mut all = Vec::new();
    let mut next = String::new();
    loop {
        let answer = server
            .get(&format!("/api/book/games?at=f5d6&limit=40{next}"))
            .json();
        all.extend(answer["games"].as_array().unwrap().clone());
        match answer["next"].as_i64() {
            Some(before) => next = format!("&before={before}"),
            None => break,
        }
    }
    let store = Store::open(path, &Context::default()).unwrap();
    let count = |sql: &str| count(&store, sql);
    assert_eq!(all.len(), count("SELECT count(*) FROM games_at('f5d6')"));
    let answer = server
        .get("/api/book/games?at=f5d6&player=level%206&limit=500&since=2000&until=2026")
        .json();
    let filtered = "SELECT count(*) FROM games_at('f5d6') WHERE of_player = 'level 6'";
    assert_eq!(answer["games"].as_array().unwrap().len(), count(filtered));
}

#[test]
fn the_book_leads_from_the_parents_to_the_position() {
    let (server, path) = shared();
    let asked: Line = "f5f6e6f4".parse().unwrap();
    let answer = server.get("/api/book/parents?at=f5f6e6f4").json();
    let parents = answer["parents"].as_array().unwrap();
    let position = server.get("/api/book/position?at=f5f6e6f4").json();
    assert_eq!(position["parents"], json!(parents.len()));
    let store = Store::open(path, &Context::default()).unwrap();
    let known = "SELECT count(*) FROM ancestors('f5f6e6f4') WHERE distance = 1";
    assert_eq!(parents.len(), count(&store, known));
    for parent in parents {
        let line: Line = parent["line"].as_str().unwrap().parse().unwrap();
        assert_eq!(line.board().canonical(), asked.board().canonical());
    }
}

#[test]
fn explanations_are_those_of_the_command() {
    let (server, path) = shared();
    for asked in ["", "f5d6", "f5d6c3", "f5d6c6"] {
        let book = Book::open(path, &Context::default()).unwrap();
        let header = book.header().unwrap();
        let lookup = Lookup::new(book, &Context::default()).unwrap();
        let line = asked.parse().unwrap();
        let explained = Explanation::of(&lookup, &header, line, 20_000).unwrap();
        let answer = server.get(&format!("/api/book/why?at={asked}")).json();
        assert_eq!(answer, serde_json::to_value(&explained).unwrap(), "{asked}");
    }
}

#[test]
fn transpositions_count_the_parents_of_each_child() {
    let (server, _) = shared();
    let mut several = 0;
    for line in ["", "f5", "f5d6", "f5d6c6f6", "f5f6e6f4"] {
        let get =
            |name: &str, line: &str| server.get(&format!("/api/book/{name}?at={line}")).json();
        let position = get("position", line);
        let moves = position["moves"].as_array().unwrap();
        let links: Vec<&Value> = moves.iter().filter(|mv| mv["kind"] == "link").collect();
        let answer = get("transpositions", line);
        let listed = answer["moves"].as_array().unwrap();
        assert_eq!(listed.len(), links.len(), "{line}");
        for mv in listed {
            let square = mv["square"].as_str().unwrap();
            assert!(links.iter().any(|link| link["square"] == mv["square"]));
            let child = get("position", &format!("{line}{square}"));
            assert_eq!(mv["parents"], child["parents"], "{line}{square}");
            several += usize::from(mv["parents"].as_u64().unwrap() > 1);
        }
    }
    assert!(several > 0, "the test sees transpositions");
}

#[test]
fn every_notation_is_read() {
    let (server, _) = shared();
    let tiger = "f5d6c3d3c4";
    for text in ["tiger", "虎", "F5D6C3D3C4", "f5 d6 c3 d3 c4"] {
        let answer = server
            .get(&format!("/api/book/parse?text={}", escaped(text)))
            .json();
        assert_eq!(answer["line"], json!(tiger), "{text}");
    }
    let board = server.get("/api/book/parse?text=tiger").json()["board"].clone();
    let again = server.get(&format!(
        "/api/book/parse?text={}",
        escaped(board.as_str().unwrap())
    ));
    assert_eq!(again.json()["board"], board);
}

/// Records of games and links are read like moves, and the record's names come with them.
#[test]
fn games_and_links_are_read_as_lines() {
    let (server, _) = shared();
    let parsed = |text: &str| {
        let answer = server.get(&format!("/api/book/parse?text={}", escaped(text)));
        assert_eq!(answer.status, 200, "{text}: {answer:?}");
        answer.json()
    };
    for link in [
        "https://www.eothello.com/#f5d6c3",
        "http://127.0.0.1:8008/#/book/f5d6c3",
        "http://localhost:8008/#/my%20book/f5d6c3?ply=2",
    ] {
        assert_eq!(parsed(link)["line"], "f5d6c3", "{link}");
        assert_eq!(parsed(link)["game"], Value::Null);
    }
    // A board that was set up comes with the link.
    let board = "X--------------------------OX------XO---------------------------X";
    let found = parsed(&format!("http://127.0.0.1:8008/#/book/f5?b={board}&o=3"));
    assert_eq!(found, parsed(&format!("{board} f5")));
    assert_ne!(found["board"], parsed("f5")["board"]);
    let found = parsed(PGN);
    assert_eq!(found["line"], "f5d6c3d3");
    let head = json!({ "black": "Sekiguchi", "white": "<b>", "tournament": "Kanto", "date": "2004-05", "score": 2, "of": 2, "record": found["game"]["record"].clone() });
    assert_eq!(found["game"], head);
    let ggf = "(;GM[Othello]PB[left]PW[right]RE[+64.000]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]B[F5]W[D6]B[C3];)";
    let found = parsed(ggf);
    assert_eq!(
        (&found["line"], &found["game"]["black"]),
        (&json!("f5d6c3"), &json!("left"))
    );
    // Its moves may stop before the end of the game.
    for result in ["38 - 26", "(38-26)", "38:26", "+12"] {
        let found = parsed(&format!("f5d6 {result}"));
        let expected = (&json!("f5d6"), &json!(12));
        assert_eq!(
            (&found["line"], &found["game"]["score"]),
            expected,
            "{result}"
        );
    }
    for nonsense in [
        "nowhere",
        "f5f5",
        "f5f5 +12",
        "+12",
        "https://example.org/#f5f5",
    ] {
        let path = format!("/api/book/parse?text={}", escaped(nonsense));
        assert_eq!(server.get(&path).status, 400, "{nonsense}");
    }
}

#[test]
fn wrong_parameters_are_named_in_plain_words() {
    let (server, _) = shared();
    for (asked, expected) in [
        ("games?limit=-1", "limit: expected a whole number from 0"),
        ("games?limit=many", "limit: expected a whole number from 0"),
        ("worst?limit=", "limit: expected a whole number from 0"),
        ("worst?loss=300", "loss: the number is too large"),
        ("games?limt=3", "unknown field `limt`"),
    ] {
        let answer = server.get(&format!("/api/book/{asked}"));
        assert_eq!(answer.status, 400, "{asked}");
        let answer = answer.json();
        let said = answer["error"].as_str().unwrap();
        assert!(said.contains(expected), "{asked}: {said}");
    }
}

#[test]
fn sql_comes_row_by_row() {
    let (server, _) = shared();
    let lines = server
        .sql("SELECT empties, board FROM positions ORDER BY empties DESC LIMIT 1")
        .lines();
    assert_eq!(lines[0], json!({ "columns": ["empties", "board"] }));
    assert_eq!(lines[1], json!([60, "00000008100000000000001008000000"]));
    assert_eq!(lines[2]["truncated"], json!(false));
    let body = json!({ "sql": "SELECT :n + value FROM generate(:n)", "parameters": { "n": 3 } });
    assert_eq!(server.post("/api/book/sql", &body.to_string()).status, 400);
    let body = json!({ "sql": "SELECT * FROM links", "limit": 5 }).to_string();
    let lines = server.post("/api/book/sql", &body).lines();
    assert_eq!((lines.len(), &lines[6]["truncated"]), (7, &json!(true)));
    let failed = server.sql("SELECT 'ä😀', FROM links").json();
    assert_eq!(failed["offset"], json!(14), "{failed}");
}

#[test]
fn book_files_are_served_too() {
    let file = obook_testing::golden::golden("egaroucid/games.egbk2");
    let server = Running::start(&[&file]);
    let books = server.get("/api/books").json();
    assert_eq!(books["books"][0]["name"], json!("games"));
    let start = server.get("/api/games/position").json();
    assert_eq!(start["in_book"], json!(true));
}

#[test]
fn pictures_are_drawn() {
    let (server, _) = shared();
    for name in ["empties.svg", "scores.svg", "tree.svg?at=f5"] {
        let picture = server.get(&format!("/api/book/plot/{name}"));
        assert_eq!(picture.header("content-type"), Some("image/svg+xml"));
        assert!(picture.text().starts_with("<svg "), "{name}");
    }
}

/// A proven move has the score of perfect play, whether it stays in the book or leads out of it.
#[test]
fn proven_scores_are_those_of_perfect_play() {
    let (_folder, path) = book();
    let server = Running::start(&[&path]);
    let connection = rusqlite::Connection::open(&path).unwrap();
    let sql = "SELECT hex(board) FROM positions WHERE empties BETWEEN 3 AND 6";
    let mut keys = connection.prepare(sql).unwrap();
    let keys = keys.query_map([], |row| row.get(0)).unwrap();
    let keys: Vec<String> = keys.collect::<Result<_, _>>().unwrap();
    let mut met = [0, 0];
    for key in keys {
        let answer = server.get(&format!("/api/book/position?at={key}")).json();
        let moves = answer["moves"].as_array().unwrap();
        for mv in moves.iter().filter(|mv| mv["proven"] == true) {
            let key = u128::from_str_radix(mv["child"].as_str().unwrap(), 16).unwrap();
            let child = CanonicalBoard::from_key(key.to_be_bytes())
                .unwrap()
                .unwrap();
            assert_eq!(mv["score"], -exhaustive(child.board()), "{key:032X}: {mv}");
            met[usize::from(mv["kind"] == "leaf")] += 1;
        }
    }
    assert!(met.iter().all(|met| *met > 20), "{met:?}");
}

/// Law (The server): A player's games beside a book are as in `obook games` and `obook repertoire`.
#[test]
fn a_players_games_are_counted_alone() {
    let (server, path) = shared();
    let store = Store::open(path, &Context::default()).unwrap();
    let sql = "SELECT name FROM players JOIN games ON player IN (black, white) GROUP BY player ORDER BY count(*) DESC, name LIMIT 1";
    let player: String = store
        .connection()
        .query_row(sql, [], |row| row.get(0))
        .unwrap();
    let name = escaped(&player);
    let named = server.get(&format!("/api/book/players?search={name}"));
    let named = named.json()["players"].clone();
    assert!(named.as_array().unwrap().contains(&json!(player)));
    for (filter, side) in [
        ("player", None),
        ("black", Some(Side::Black)),
        ("white", Some(Side::White)),
    ] {
        let among = if filter == "player" {
            "black, white"
        } else {
            filter
        };
        let games = format!(
            "SELECT count(*) FROM games JOIN players ON player IN ({among}) WHERE name = '{}' AND start IS NULL AND length(moves) > 2",
            player.replace('\'', "''")
        );
        let position = server
            .get(&format!("/api/book/position?at=f5&{filter}={name}"))
            .json();
        let moves = position["moves"].as_array().unwrap();
        let counted = moves.iter().filter_map(|mv| mv["games"]["move"].as_u64());
        assert_eq!(
            counted.sum::<u64>(),
            count(&store, &games) as u64,
            "{filter}"
        );
        let side_asked = side.map_or(String::new(), |_| format!("&side={filter}"));
        let address = format!("/api/book/departures?player={name}&games=book{side_asked}");
        let answer = server.get(&address).json();
        let lookup = Lookup::new(
            Book::open(path, &Context::default()).unwrap(),
            &Context::default(),
        )
        .unwrap();
        let found = repertoire(&lookup, &store, &player, side, Condition::default()).unwrap();
        assert!(found.games > 0 && !found.departures.is_empty());
        assert_eq!(
            (
                &answer["games"],
                &answer["left"],
                &answer["left_by_opponent"]
            ),
            (
                &json!(found.games),
                &json!(found.left),
                &json!(found.left_by_opponent)
            )
        );
        let listed = answer["moves"].as_array().unwrap();
        assert_eq!(listed.len(), found.departures.len().min(100));
        for mv in listed {
            let departure = found
                .departures
                .iter()
                .find(|it| {
                    mv["line"] == json!(it.line.to_string())
                        && mv["square"] == json!(it.mv.to_string())
                })
                .unwrap();
            assert_eq!(
                (&mv["games"], &mv["loss"], &mv["mean"]),
                (
                    &json!(departure.games),
                    &json!(departure.loss.discs()),
                    &json!(departure.mean())
                )
            );
        }
    }
    assert_eq!(
        server
            .get(&format!("/api/book/departures?player={name}&games=none"))
            .status,
        404
    );
}

/// Elsewhere, an open file can't be removed.
#[cfg(unix)]
#[test]
fn a_book_that_is_gone_or_damaged_hides_no_other() {
    let ((_one, sound), (_two, gone), (_three, damaged)) = (book(), book(), book());
    let server = Running::start(&[&sound, &gone, &damaged]);
    std::fs::remove_file(&gone).unwrap();
    let connection = rusqlite::Connection::open(&damaged).unwrap();
    connection.execute_batch("DROP TABLE positions").unwrap();
    let books = server.get("/api/books").json()["books"].clone();
    let positions = books.as_array().unwrap().iter();
    let positions: Vec<&Value> = positions.map(|book| &book["positions"]).collect();
    assert_eq!(positions.len(), 2, "{books}");
    assert!(
        positions[0].as_u64() > Some(1000) && *positions[1] == 0,
        "{books}"
    );
}
