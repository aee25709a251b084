//! Tables with arguments: `moves`, `line`, `tree` and `ancestors`, checked against full walks of the book.

use super::rows;
use obook::OTHELLO;
use obook_converters::BookReader;
use obook_graph::link::link;
use obook_graph::negamax::{self, negamax};
use obook_othello::{Board, CanonicalBoard, Line, Move, Position};
use obook_testing::golden::golden;
use obook_testing::random_book::{self, Book, recipes};
use proptest::prelude::*;
use rusqlite::types::Value;
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet};

/// A database with these positions, links and leaves, in memory.
pub(crate) fn database<'p>(positions: impl IntoIterator<Item = &'p Position>) -> Connection {
    let mut connection = Connection::open_in_memory().unwrap();
    obook_sql::extension::register(&connection).unwrap();
    connection.execute_batch(OTHELLO.sql).unwrap();
    let transaction = connection.transaction().unwrap();
    for position in positions {
        let key = position.board.to_key();
        let numbers = params![
            key,
            position.board.board().empties(),
            position.value,
            position.level
        ];
        transaction
            .execute("INSERT INTO positions (board, empties, value, level, engine) VALUES (?, ?, ?, ?, 1)", numbers)
            .unwrap();
        for link in &position.links {
            let row = params![key, link.mv.code(), link.score];
            transaction
                .execute("INSERT OR IGNORE INTO links VALUES (?, ?, ?)", row)
                .unwrap();
        }
        if let Some(leaf) = position.leaf {
            let row = params![key, leaf.mv.map(Move::code), leaf.score, leaf.level];
            transaction
                .execute("INSERT INTO leaves VALUES (?, ?, ?, ?, 1)", row)
                .unwrap();
        }
    }
    transaction.commit().unwrap();
    connection
}

/// The book, linked and with correct numbers.
fn fixed(book: Book) -> Book {
    let mut graph = random_book::graph_of(book.into_values());
    link(&mut graph).unwrap();
    let rules = negamax::Scoring::Edax {
        midgame_error: 0,
        endcut_error: 0,
    };
    negamax(&mut graph, rules);
    graph
        .positions()
        .map(|position| (position.board, position))
        .collect()
}

/// The moves of a position that stay in the book, with the boards they lead to; of symmetric ones the first by its square.
fn links(position: &Position) -> Vec<(CanonicalBoard, Option<i8>)> {
    let board = position.board.board();
    let mut links = position.links.clone();
    links.sort_by_key(|link| link.mv);
    let mut found: Vec<(CanonicalBoard, Option<i8>)> = Vec::new();
    for link in links {
        let child = board.play(link.mv).map(Board::canonical);
        if let Some(child) = child.filter(|child| found.iter().all(|(known, _)| known != child)) {
            found.push((child, link.score));
        }
    }
    found
}

fn leaf(position: &Position) -> Option<(CanonicalBoard, i8)> {
    let leaf = position.leaf?;
    Some((
        position.board.board().play(leaf.mv?)?.canonical(),
        leaf.score,
    ))
}

/// The parents of each position.
type Parents = BTreeMap<CanonicalBoard, BTreeSet<CanonicalBoard>>;

fn parents(book: &Book) -> Parents {
    let mut parents = Parents::new();
    for position in book.values() {
        for (child, _) in links(position) {
            parents.entry(child).or_default().insert(position.board);
        }
    }
    parents
}

/// The least loss with which each position is reached from a root after this many moves, by walking all lines.
fn reached(
    book: &Book,
    root: CanonicalBoard,
    depth: u32,
    most: i64,
) -> BTreeMap<(u32, CanonicalBoard), i64> {
    let mut least = BTreeMap::new();
    let mut lines = vec![(0, root, 0)];
    while let Some((ply, board, loss)) = lines.pop() {
        let known = least.entry((ply, board)).or_insert(i64::MAX);
        if *known <= loss {
            continue;
        }
        *known = loss;
        let position = &book[&board];
        // If a link has no score, the position it leads to has one.
        let moves: Vec<(CanonicalBoard, Option<i64>)> = links(position)
            .into_iter()
            .map(|(child, score)| {
                let value = book.get(&child).and_then(|child| child.value);
                (
                    child,
                    score
                        .map(i64::from)
                        .or(value.map(|value| -i64::from(value))),
                )
            })
            .collect();
        // A leaf whose move is a link doesn't count.
        let leaf = leaf(position).filter(|(to, _)| moves.iter().all(|(child, _)| child != to));
        let leaf = leaf.map(|(_, score)| i64::from(score));
        let best = moves
            .iter()
            .filter_map(|(_, score)| *score)
            .chain(leaf)
            .max();
        for (child, score) in moves {
            let given = best.zip(score).map_or(0, |(best, score)| best - score);
            if ply < depth && loss + given <= most && book.contains_key(&child) {
                lines.push((ply + 1, child, loss + given));
            }
        }
    }
    least
}

fn key(board: CanonicalBoard) -> Value {
    Value::Blob(board.to_key().to_vec())
}

/// `moves` shows for every legal move what the book says about the board it leads to.
fn check_moves(connection: &Connection, book: &Book, board: Board) {
    let position = &book[&board.canonical()];
    let asked = "SELECT move, square, kind, score, child FROM moves(?)";
    let found = rows(connection, asked, [board.to_text()]);
    let squares: BTreeSet<String> = found.iter().map(|row| text(&row[1])).collect();
    assert_eq!(squares, board.moves().map(|mv| mv.to_string()).collect());
    let mut last = (false, std::cmp::Reverse(i64::MAX));
    for row in &found {
        let mv = Move::from_code(number(&row[0]).try_into().unwrap()).unwrap();
        assert_eq!(text(&row[1]), mv.to_string());
        let child = board.play(mv).unwrap().canonical();
        assert_eq!(row[4], key(child));
        let link = links(position).into_iter().find(|(to, _)| *to == child);
        let leaf = leaf(position).filter(|(to, _)| *to == child);
        let expected = match (link, leaf) {
            (Some((_, score)), _) => {
                let value = book.get(&child).and_then(|child| child.value);
                let score = score
                    .map(i64::from)
                    .or(value.map(|value| -i64::from(value)));
                vec![Value::Text("link".into()), score.into()]
            }
            (None, Some((_, score))) => vec![Value::Text("leaf".into()), i64::from(score).into()],
            (None, None) => vec![Value::Null, Value::Null],
        };
        assert_eq!(row[2..4], expected);
        // Best moves come first, unknown ones last.
        let score = match row[3] {
            Value::Integer(score) => score,
            _ => i64::MIN,
        };
        let place = (row[2] == Value::Null, std::cmp::Reverse(score));
        assert!(place >= last, "{found:?}");
        last = place;
    }
}

/// `line` follows the first move of `moves`, as people write it, as long as it's a link.
fn check_line(connection: &Connection, start: Board) {
    let steps = rows(
        connection,
        "SELECT ply, square, kind, score, line, board, move, child FROM line(?)",
        [start.to_text()],
    );
    let (mut board, mut line) = (start, String::new());
    for step in &steps {
        let best = rows(
            connection,
            "SELECT square, kind, score, child FROM moves(?) LIMIT 1",
            [board.to_text()],
        );
        let mv: Move = text(&step[1]).parse().unwrap();
        let best_move: Move = text(&best[0][0]).parse().unwrap();
        assert_eq!(mv, board.conventional(best_move));
        assert_eq!(best[0][1..], [&step[2..4], &step[7..]].concat());
        line += &mv.to_string();
        let ply = board.play(mv).unwrap().ply() as i64;
        assert_eq!((number(&step[0]), text(&step[4])), (ply, line.clone()));
        let (canonical, symmetry) = board.canonicalize();
        assert_eq!(step[5], key(canonical));
        assert_eq!(number(&step[6]), i64::from(symmetry.play(mv).code()));
        board = board.play(mv).unwrap();
    }
    let after = rows(
        connection,
        "SELECT kind FROM moves(?) LIMIT 1",
        [board.to_text()],
    );
    let left = steps.last().is_some_and(|step| text(&step[2]) == "leaf");
    assert!(
        left || after.is_empty() || after[0][0] == Value::Null,
        "the requested depth is reached"
    );
}

fn check_tree(connection: &Connection, book: &Book, root: CanonicalBoard, depth: u32, most: i64) {
    let asked = "SELECT ply, board, loss, line, value, score, empties FROM tree(?, ?, ?)";
    let found = rows(connection, asked, params![root.to_key(), depth, most]);
    let expected = reached(book, root, depth, most);
    assert_eq!(
        found.len(),
        expected.len(),
        "each position once among those that so many moves reach"
    );
    for row in found {
        let moves = text(&row[3]);
        let distance = moves.len() as u32 / 2;
        let Value::Blob(board) = &row[1] else {
            panic!("{row:?}")
        };
        let board = CanonicalBoard::from_key(board[..].try_into().unwrap())
            .unwrap()
            .unwrap();
        assert_eq!(number(&row[2]), expected[&(distance, board)]);
        // The line leads to the board.
        let mut at = root.board();
        for mv in moves.as_bytes().chunks(2) {
            let mv: Move = std::str::from_utf8(mv).unwrap().parse().unwrap();
            at = at.play(mv).unwrap();
        }
        assert_eq!((at.canonical(), number(&row[0])), (board, at.ply() as i64));
        let value = book[&board].value.map(i64::from);
        let seen = value.map(|value| {
            if distance.is_multiple_of(2) {
                value
            } else {
                -value
            }
        });
        assert_eq!(
            row[4..],
            [value.into(), seen.into(), i64::from(at.empties()).into()]
        );
    }
}

fn check_ancestors(connection: &Connection, parents: &Parents, descendant: CanonicalBoard) {
    let found = rows(
        connection,
        "SELECT board, distance FROM ancestors(?) ORDER BY board",
        [descendant.to_key()],
    );
    let mut expected: BTreeMap<CanonicalBoard, i64> = BTreeMap::new();
    let mut reached = vec![descendant];
    for distance in 1.. {
        let next = reached
            .iter()
            .filter_map(|child| parents.get(child))
            .flatten();
        let next: BTreeSet<CanonicalBoard> = next
            .copied()
            .filter(|board| *board != descendant && !expected.contains_key(board))
            .collect();
        if next.is_empty() {
            break;
        }
        expected.extend(next.iter().map(|board| (*board, distance)));
        reached = next.into_iter().collect();
    }
    let expected: Vec<Vec<Value>> = expected
        .into_iter()
        .map(|(board, distance)| vec![key(board), distance.into()])
        .collect();
    assert_eq!(found, expected);
}

fn text(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        other => panic!("a text expected, found {other:?}"),
    }
}

fn number(value: &Value) -> i64 {
    match value {
        Value::Integer(number) => *number,
        other => panic!("a number expected, found {other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn tables_agree_with_the_book(recipe in recipes(), sound in any::<bool>(), depth in 0..9u32, most in 0..20i64) {
        let book = if sound { fixed(recipe.book()) } else { recipe.book() };
        let connection = database(book.values());
        let parents = parents(&book);
        for board in book.keys().copied().step_by(book.len() / 8 + 1) {
            check_moves(&connection, &book, board.board());
            check_line(&connection, board.board());
            check_tree(&connection, &book, board, depth, most);
            check_ancestors(&connection, &parents, board);
        }
    }
}

#[test]
fn tables_agree_with_a_real_book() {
    let path = golden("games.dat");
    let positions = BookReader::open(path, None).unwrap().map(Result::unwrap);
    let book: Book = positions
        .map(|position| (position.board, position))
        .collect();
    let connection = database(book.values());
    let parents = parents(&book);
    for line in ["", "f5", "f5d6", "f5d6c3"] {
        let line: Line = line.parse().unwrap();
        let board = line.board();
        assert!(book.contains_key(&board.canonical()), "{line}");
        check_moves(&connection, &book, board);
        check_line(&connection, board);
        check_tree(&connection, &book, board.canonical(), 60, 2);
        check_ancestors(&connection, &parents, board.canonical());
    }
    let all = rows(
        &connection,
        "SELECT count(DISTINCT board) FROM tree('')",
        (),
    );
    assert_eq!(
        all[0],
        [Value::Integer(book.len() as i64)],
        "every position is reached"
    );
    for board in book.keys().step_by(50) {
        check_moves(&connection, &book, board.board());
        check_ancestors(&connection, &parents, *board);
    }
}

/// A view in place of a book's table may query a table like these, which would query the view, and so on.
#[test]
fn a_table_notices_that_it_is_inside_itself() {
    for table in ["moves", "line", "tree", "ancestors"] {
        let connection = database(&[]);
        connection
            .execute_batch(&format!(
                "ALTER TABLE positions RENAME TO p2;
                 CREATE VIEW positions AS SELECT * FROM p2
                 UNION ALL SELECT *, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM (SELECT count(*) FROM {table}('f5d6'));
                 ALTER TABLE links RENAME TO l2;
                 CREATE VIEW links AS SELECT * FROM l2
                 UNION ALL SELECT *, 0, 0 FROM (SELECT count(*) FROM {table}('f5d6'));"
            ))
            .unwrap();
        let asked = connection.query_row(
            &format!("SELECT count(*) FROM {table}('f5d6')"),
            [],
            |row| row.get::<_, i64>(0),
        );
        let said = asked.unwrap_err().to_string();
        assert!(said.contains("recursive query"), "{said}");
        // Only that query failed.
        connection
            .execute_batch("DROP VIEW positions; DROP VIEW links; ALTER TABLE p2 RENAME TO positions; ALTER TABLE l2 RENAME TO links")
            .unwrap();
        connection
            .query_row(
                &format!("SELECT count(*) FROM {table}('f5d6')"),
                [],
                |row| row.get::<_, i64>(0),
            )
            .unwrap();
    }
}
