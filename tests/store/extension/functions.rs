//! The functions of boards, moves and levels, checked against the crates behind them.

use obook_othello::levels::Effort;
use obook_othello::{Board, CanonicalBoard, Engine, Line, Move, Symmetry};
use proptest::prelude::*;
use rusqlite::types::{FromSql, Value};
use rusqlite::{Connection, Params};

fn connection() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    obook_sql::extension::register(&connection).unwrap();
    connection
}

/// The single value that a query returns.
fn ask<T: FromSql>(connection: &Connection, sql: &str, params: impl Params) -> T {
    connection
        .query_row(sql, params, |row| row.get(0))
        .unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The error message of a query.
fn complaint(sql: &str) -> String {
    let connection = connection();
    let answer = connection.query_row(sql, (), |row| row.get::<_, Value>(0));
    match answer {
        Ok(value) => panic!("{sql} gives {value:?}"),
        Err(rusqlite::Error::SqliteFailure(_, Some(message))) => message,
        Err(other) => panic!("{sql}: {other}"),
    }
}

/// A game from the start, given by the indices of the legal moves played.
fn line() -> impl Strategy<Value = Line> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..60).prop_map(|choices| {
        let mut line = Line::new();
        for choice in choices {
            let moves: Vec<Move> = line.board().moves().collect();
            if moves.is_empty() {
                break;
            }
            line.push(moves[choice.index(moves.len())]).unwrap();
        }
        line
    })
}

proptest! {
    #[test]
    fn every_way_to_write_a_board_means_the_same(line in line()) {
        let connection = connection();
        let board = line.board();
        let key = board.canonical().to_key();
        let hex: String = key.iter().map(|byte| format!("{byte:02X}")).collect();
        let ways = [
            Value::Text(line.to_string()),
            Value::Text(board.to_text()),
            Value::Text(hex),
            Value::Blob(key.to_vec()),
        ];
        for way in ways {
            let sql = "SELECT board(?1) = ?2 AND canonical(?1) = ?2 AND discs(?1) + empties(?1) = 64";
            prop_assert!(ask::<bool>(&connection, sql, (&way, key)), "{way:?}");
        }
        let text: String = ask(&connection, "SELECT board_text(?)", [line.to_string()]);
        prop_assert_eq!(text, board.to_text());
        let of_key: String = ask(&connection, "SELECT board_text(?)", [key]);
        prop_assert_eq!(of_key, board.canonical().board().to_text());
        let shown: String = ask(&connection, "SELECT show(?)", [line.to_string()]);
        prop_assert_eq!(shown, board.diagram_for(line.side()).to_string());
    }

    /// Law (Databases): SQL's functions and tables agree with the rules and the book.
    /// Also: `every_way_to_write_a_board_means_the_same` `tests/store/extension/tables.rs`
    /// `tables_agree_with_the_book`
    #[test]
    fn moves_are_those_of_the_rules(line in line()) {
        let connection = connection();
        let board = line.board();
        let typed = line.to_string();
        let legal: Vec<Move> = board.moves().collect();
        let names: Vec<String> = legal.iter().map(Move::to_string).collect();
        prop_assert_eq!(ask::<String>(&connection, "SELECT legal_moves(?)", [&typed]), names.join(" "));
        let mobility: usize = ask::<i64>(&connection, "SELECT mobility(?)", [&typed]).try_into().unwrap();
        prop_assert_eq!(mobility, board.legal_moves().len());
        for mv in legal {
            let child = board.play(mv).unwrap().canonical().to_key();
            let sql = "SELECT child(?1, ?2) = ?3 AND child(?1, square(?2)) = ?3";
            prop_assert!(ask::<bool>(&connection, sql, (&typed, mv.code(), child)));
        }
    }

    /// A canonical move, mapped to the line's orientation, leads to the same child.
    #[test]
    fn a_canonical_move_is_turned_to_the_line(line in line()) {
        let connection = connection();
        let canonical: CanonicalBoard = line.board().canonical();
        for (mv, child) in canonical.board().children() {
            let sql = "SELECT child(?2, move_in(?1, ?2, ?3)) = ?4";
            let params = (canonical.to_key(), line.to_string(), mv.code(), child.canonical().to_key());
            prop_assert!(ask::<bool>(&connection, sql, params));
        }
        // The board needn't be canonical.
        for symmetry in Symmetry::ALL {
            let turned = symmetry.board(line.board());
            for (mv, child) in turned.children() {
                let sql = "SELECT child(?2, move_in(?1, ?2, ?3)) = ?4";
                let params = (turned.to_text(), line.to_string(), mv.code(), child.canonical().to_key());
                prop_assert!(ask::<bool>(&connection, sql, params));
            }
        }
    }
}

#[test]
fn squares_and_moves_are_inverse() {
    let connection = connection();
    for code in 0..=64 {
        let mv = Move::from_code(code).unwrap();
        assert_eq!(
            ask::<String>(&connection, "SELECT square(?)", [code]),
            mv.to_string()
        );
        assert_eq!(
            ask::<u8>(&connection, "SELECT move(square(?))", [code]),
            code
        );
    }
    assert_eq!(ask::<u8>(&connection, "SELECT move('F5')", ()), 37);
    assert_eq!(ask::<u8>(&connection, "SELECT move('pass')", ()), 64);
}

#[test]
fn levels_agree_with_the_engines() {
    let connection = connection();
    let sql = "SELECT search_depth(?1, ?2, ?3) * 1000 + selectivity(?1, ?2, ?3) * 2 + is_solved(?1, ?2, ?3)";
    for engine in Engine::ALL {
        let name = engine.name().to_uppercase();
        for level in 0..=70 {
            for empties in 0..=60 {
                let search = Effort::new(engine, level, empties);
                let expected = i64::from(search.depth) * 1000
                    + i64::from(search.probability) * 2
                    + i64::from(search.is_solved());
                assert_eq!(
                    ask::<i64>(&connection, sql, (level, empties, &name)),
                    expected
                );
                assert_eq!(
                    ask::<i64>(&connection, sql, (level, empties, engine.number())),
                    expected
                );
            }
        }
    }
    // The engine defaults to Edax, whose scale most books use.
    assert!(ask::<bool>(
        &connection,
        "SELECT is_solved(30, 30) AND NOT is_solved(24, 26)",
        ()
    ));
}

#[test]
fn nothing_comes_of_null() {
    let connection = connection();
    for call in [
        "board(NULL)",
        "show(NULL)",
        "child(NULL, 19)",
        "child('', NULL)",
        "move_in('', NULL, 1)",
        "square(NULL)",
        "is_solved(NULL, 3)",
    ] {
        let sql = format!("SELECT {call} IS NULL");
        assert!(ask::<bool>(&connection, &sql, ()), "{call}");
    }
}

#[test]
fn wrong_arguments_are_reported() {
    for (sql, told) in [
        (
            "SELECT board('f5d6a1')",
            "board: move 3, a1, is not legal after f5d6: legal moves are",
        ),
        ("SELECT board('f9')", "“f9” is not a move"),
        (
            "SELECT board(x'00')",
            "a board's key has 16 bytes, this has 1",
        ),
        (
            "SELECT show('00000008180000000000001008000000')",
            "the key is not a board: both sides hold d4",
        ),
        (
            "SELECT discs(7)",
            "expected a board: a key, moves such as 'f5d6c3', the name of an opening, or 64 squares; found the number 7",
        ),
        ("SELECT child('', 'a1')", "child: a1 is not legal on"),
        (
            "SELECT child('', 65)",
            "expected a move: 0 to 63 for a1 to h8, 64 for a pass",
        ),
        ("SELECT square(-1)", "found the number -1"),
        ("SELECT move('i9')", "“i9” is not a move"),
        (
            "SELECT move_in(board('f5d6'), 'f5d6c3', 0)",
            "f5d6c3 does not lead to",
        ),
        (
            "SELECT move_in('f5', '', 'f4')",
            "move_in: the start does not lead to ",
        ),
        (
            "SELECT child('f5', 19.0)",
            "or a name such as 'f5'; found the number 19.0",
        ),
        (
            "SELECT is_solved('x', 3)",
            "expected a level from 0 to 255, found “x”",
        ),
        (
            "SELECT is_solved(3, 3, 'jaguar')",
            "expected an engine: 1 or 'edax', 2 or 'egaroucid', 3 or 'obook', ",
        ),
        (
            "SELECT * FROM moves",
            "moves: board is missing: moves(board, schema)",
        ),
        (
            "SELECT * FROM moves('f5', 3)",
            "expected the name of an attached database",
        ),
        ("SELECT * FROM moves('f5')", "no such table: positions"),
        ("SELECT * FROM edax('nowhere.dat')", "edax: nowhere.dat: "),
        (
            "SELECT * FROM tree('', -1)",
            "tree: expected a depth from 0 to 120, found the number -1",
        ),
        (
            "SELECT * FROM tree('f5', 2.0)",
            "tree: expected a depth from 0 to 120, found the number 2.0",
        ),
    ] {
        let complaint = complaint(sql);
        assert!(complaint.contains(told), "{sql}: {complaint}");
    }
}

/// The column of an argument that isn't given is NULL: another comparison would leave no rows, without a word.
#[test]
fn arguments_take_only_equals() {
    for (from, argument) in [
        ("plays('f5') WHERE since >= 2000", "since"),
        ("games_at('f5') WHERE 2000 > until LIMIT 3", "until"),
        ("games_at('f5') WHERE of_player <> 'level 1'", "of_player"),
        ("plays('f5') WHERE of_player LIKE 'level%'", "of_player"),
        ("plays('f5') WHERE since IS NOT 2000", "since"),
        ("plays('f5') WHERE since BETWEEN 2000 AND 2009", "since"),
        ("tree WHERE root = 'f5' AND depth <= 2", "depth"),
    ] {
        let (table, _) = from.split_once(['(', ' ']).unwrap();
        let told =
            format!("{table}: {argument} is an argument, which takes only =, as in {argument} = …");
        let complaint = complaint(&format!("SELECT * FROM {from}"));
        assert!(complaint.contains(&told), "{from}: {complaint}");
    }
    let connection = connection();
    for from in [
        "openings('tiger') WHERE containing > 'rose' LIMIT 1 OFFSET 0",
        "openings WHERE containing IN ('tiger', 'rose') LIMIT 1",
        "openings WHERE name >= 'T' LIMIT 1",
    ] {
        let found: i64 = ask(&connection, &format!("SELECT 1 FROM {from}"), ());
        assert_eq!(found, 1, "{from}");
    }
}

/// Pure functions may be used in indexes, and in views of untrusted databases; functions that read files may not.
#[test]
fn functions_can_be_indexed_and_files_stay_out_of_views() {
    let connection = connection();
    connection
        .execute_batch(
            "CREATE TABLE boards (board BLOB);
             CREATE INDEX by_mobility ON boards (mobility(board));
             INSERT INTO boards VALUES (board('f5')), (board('f5d6'));
             CREATE VIEW files AS SELECT * FROM edax('games.dat');",
        )
        .unwrap();
    let plan: String = connection
        .query_row(
            "EXPLAIN QUERY PLAN SELECT board FROM boards WHERE mobility(board) = 3",
            (),
            |row| row.get(3),
        )
        .unwrap();
    assert!(plan.contains("USING INDEX by_mobility"), "{plan}");
    let count = "SELECT count(*) FROM boards WHERE mobility(board) = 3";
    assert_eq!(ask::<i64>(&connection, count, ()), 1);
    let refused = connection.prepare("SELECT * FROM files").unwrap_err();
    assert!(
        refused.to_string().contains("unsafe use of virtual table"),
        "{refused}"
    );
}

#[test]
fn the_start_is_the_board_of_no_moves() {
    let connection = connection();
    let start = Board::START.canonical().to_key();
    assert!(ask::<bool>(
        &connection,
        "SELECT board() = ?1 AND board('') = ?1 AND board(' ') = ?1",
        [start]
    ));
}

/// The names in the table, for every opening and each of its images.
#[test]
fn openings_have_names_and_names_lead_to_them() {
    let connection = connection();
    for opening in obook_games::names::openings() {
        let (line, name) = (opening.line.to_string(), opening.name());
        let key = opening.line.board().canonical().to_key();
        for written in opening.names() {
            let sql = "SELECT named(?1) = ?2 AND board(?1) = ?2";
            assert!(ask::<bool>(&connection, sql, (written, key)), "{written}");
        }
        for image in Symmetry::ALL {
            let board = image.board(opening.line.board()).to_text();
            let sql = "SELECT name(?1) = ?2 AND name(?3) = ?2 AND name(?4) = ?2";
            let right: bool = ask(&connection, sql, (&board, name, key, &line));
            assert!(right, "{line}");
        }
        assert_eq!(
            ask::<String>(&connection, "SELECT opening(?)", [&line]),
            name
        );
    }
}

#[test]
fn openings_are_listed_by_any_part_of_their_names() {
    let connection = connection();
    let all = obook_games::names::openings();
    let count = |sql: &str| usize::try_from(ask::<i64>(&connection, sql, [])).unwrap();
    assert_eq!(count("SELECT count(*) FROM openings"), all.len());
    let sql = "SELECT count(*) FROM openings WHERE board = board(line) AND name = name(board)";
    assert_eq!(count(sql), all.len());
    for (part, name) in [
        ("IGE", "Tiger"),
        ("うさ", "Rabbit"),
        ("usag", "Rabbit"),
        ("兎", "Rabbit"),
    ] {
        let sql = "SELECT ?2 IN (SELECT name FROM openings(?1))";
        assert!(ask::<bool>(&connection, sql, (part, name)), "{part}");
    }
    assert_eq!(count("SELECT count(*) FROM openings('xyz')"), 0);
    assert_eq!(count("SELECT count(*) FROM openings(NULL)"), 0);
}

#[test]
fn a_line_keeps_the_last_name_on_its_way() {
    let connection = connection();
    for (sql, expected) in [
        ("opening('f5d6c3d3c4f4')", Some("Tiger")),
        ("name('f5d6c3d3c4f4')", None),
        ("opening('tiger f4')", Some("Tiger")),
        ("opening('f5')", None),
        ("name('')", None),
        ("name(NULL)", None),
        ("opening(NULL)", None),
    ] {
        let found: Option<String> = ask(&connection, &format!("SELECT {sql}"), ());
        assert_eq!(found.as_deref(), expected, "{sql}");
    }
    assert!(ask::<bool>(&connection, "SELECT named(NULL) IS NULL", ()));
}

#[test]
fn names_that_no_opening_has_are_errors() {
    for (sql, expected) in [
        (
            "SELECT named('tigre')",
            "named: no opening is called “tigre”; did you mean “Tiger”?",
        ),
        (
            "SELECT board('tigre')",
            "board: no opening is called “tigre”; did you mean “Tiger”?",
        ),
        ("SELECT named('f5d6')", "named: no opening is called “f5d6”"),
        (
            "SELECT named(3)",
            "named: expected the name of an opening such as 'tiger', found the number 3",
        ),
    ] {
        assert_eq!(complaint(sql), expected, "{sql}");
    }
}

/// Functions are quick and their errors short, however long a text is.
#[test]
fn long_texts_are_refused() {
    let text = "printf('%.*c', 10000000, 'x')";
    for sql in [
        format!("SELECT named({text})"),
        format!("SELECT board({text})"),
        format!("SELECT opening({text})"),
        format!("SELECT child('f5', {text})"),
    ] {
        let said = complaint(&sql);
        assert!(
            said.contains("a text of 10000000 bytes"),
            "{sql}: {}",
            said.len()
        );
        assert!(said.len() < 200, "{said}");
    }
    for sql in [
        format!("SELECT is_solved({text}, 10)"),
        format!("SELECT is_solved(10, 10, {text})"),
    ] {
        let said = complaint(&sql);
        assert!(said.contains("“xxxx") && said.contains("xxx…”"), "{said}");
        assert!(said.len() < 400, "{}", said.len());
    }
}
