//! Tables with arguments and book files as tables: in obook's connections, and loaded as an extension into other programs.

mod golden_support;
mod obook;
mod random_book;

use ::obook::link::link;
use ::obook::negamax::{self, negamax};
use golden_support::{EDAX_BOOKS, golden};
use obook::{arg, complaint, fed, json, obook as command, stdout};
use obook_converters::{BookReader, Format, Position};
use obook_othello::{Board, CanonicalBoard, Line, Move};
use proptest::prelude::*;
use random_book::{Book, recipes};
use rusqlite::types::Value;
use rusqlite::{Connection, Params, params};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The rows of a query.
fn rows(connection: &Connection, sql: &str, params: impl Params) -> Vec<Vec<Value>> {
    let mut statement = connection.prepare(sql).unwrap();
    let width = statement.column_count();
    let rows = statement.query_map(params, |row| {
        (0..width).map(|column| row.get(column)).collect()
    });
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// A database with these positions, links and leaves, in memory.
fn database<'p>(positions: impl IntoIterator<Item = &'p Position>) -> Connection {
    let mut connection = Connection::open_in_memory().unwrap();
    obook_extension::register(&connection).unwrap();
    connection
        .execute_batch(include_str!("../schema.sql"))
        .unwrap();
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

/// The book with its links and numbers right.
fn fixed(book: Book) -> Book {
    let mut graph = random_book::graph_of(book.into_values());
    link(&mut graph).unwrap();
    let rules = negamax::Rules::Edax {
        midgame_error: 0,
        endcut_error: 0,
    };
    negamax(&mut graph, rules);
    graph
        .into_positions()
        .map(|position| (position.board, position))
        .collect()
}

/// Moves of a position that stay in the book, with the boards that they lead to; of several that symmetry makes the same
/// the first by its square.
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

/// Where links lead to, from where.
fn parents(book: &Book) -> BTreeMap<CanonicalBoard, BTreeSet<CanonicalBoard>> {
    let mut parents: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for position in book.values() {
        for (child, _) in links(position) {
            parents.entry(child).or_default().insert(position.board);
        }
    }
    parents
}

/// The least loss with which each position is reached from a root after so many moves, by walking all lines.
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
        // What a link does not say, the position says to which it leads.
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
        // A leaf whose move is a link says nothing.
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

/// `moves` says of every legal move what the book says of the board that it leads to.
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
        // The best come first, those that nobody knows last.
        let score = match row[3] {
            Value::Integer(score) => score,
            _ => i64::MIN,
        };
        let place = (row[2] == Value::Null, std::cmp::Reverse(score));
        assert!(place >= last, "{found:?}");
        last = place;
    }
}

/// `line` follows the first move of `moves` as long as that is a link.
fn check_line(connection: &Connection, start: Board) {
    let steps = rows(
        connection,
        "SELECT ply, square, kind, score, line, board, move, child FROM line(?)",
        [start.to_text()],
    );
    let (mut board, mut line) = (start, String::new());
    for (ply, step) in (1..).zip(&steps) {
        let best = rows(
            connection,
            "SELECT square, kind, score, child FROM moves(?) LIMIT 1",
            [board.to_text()],
        );
        assert_eq!(best[0], [&step[1..4], &step[7..]].concat());
        let mv: Move = text(&step[1]).parse().unwrap();
        line += &mv.to_string();
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
        "the line goes on"
    );
}

fn check_tree(connection: &Connection, book: &Book, root: CanonicalBoard, depth: u32, most: i64) {
    let asked = "SELECT ply, board, loss, line, value, score, empties FROM tree(?, ?, ?)";
    let found = rows(connection, asked, params![root.to_key(), depth, most]);
    let expected = reached(book, root, depth, most);
    assert_eq!(found.len(), expected.len(), "each position once in its ply");
    for row in found {
        let ply: u32 = number(&row[0]).try_into().unwrap();
        let Value::Blob(board) = &row[1] else {
            panic!("{row:?}")
        };
        let board = CanonicalBoard::from_key(board[..].try_into().unwrap())
            .unwrap()
            .unwrap();
        assert_eq!(number(&row[2]), expected[&(ply, board)]);
        // The line leads there.
        let moves = text(&row[3]);
        let mut at = root.board();
        for mv in moves.as_bytes().chunks(2) {
            let mv: Move = std::str::from_utf8(mv).unwrap().parse().unwrap();
            at = at.play(mv).unwrap();
        }
        assert_eq!((at.canonical(), moves.len() as u32), (board, 2 * ply));
        let value = book[&board].value.map(i64::from);
        let seen = value.map(|value| if ply.is_multiple_of(2) { value } else { -value });
        assert_eq!(
            row[4..],
            [value.into(), seen.into(), i64::from(at.empties()).into()]
        );
    }
}

fn check_ancestors(connection: &Connection, book: &Book, descendant: CanonicalBoard) {
    let found = rows(
        connection,
        "SELECT board, distance FROM ancestors(?) ORDER BY board",
        [descendant.to_key()],
    );
    let parents = parents(book);
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
    fn tables_say_what_the_book_says(recipe in recipes(), sound in any::<bool>(), depth in 0..9u32, most in 0..20i64) {
        let book = if sound { fixed(recipe.book()) } else { recipe.book() };
        let connection = database(book.values());
        for board in book.keys().copied().step_by(7) {
            check_moves(&connection, &book, board.board());
            check_line(&connection, board.board());
            check_tree(&connection, &book, board, depth, most);
            check_ancestors(&connection, &book, board);
        }
    }
}

#[test]
fn tables_say_what_a_real_book_says() {
    let path = golden("edax/games.dat").unwrap();
    let positions = BookReader::open(path, None).unwrap().map(Result::unwrap);
    let book: Book = positions
        .map(|position| (position.board, position))
        .collect();
    let connection = database(book.values());
    for line in ["", "f5", "f5d6", "f5d6c3"] {
        let line: Line = line.parse().unwrap();
        let board = line.board();
        if !book.contains_key(&board.canonical()) {
            continue;
        }
        check_moves(&connection, &book, board);
        check_line(&connection, board);
        check_tree(&connection, &book, board.canonical(), 60, 2);
        check_ancestors(&connection, &book, board.canonical());
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
        check_ancestors(&connection, &book, *board);
    }
}

/// Another database's book is asked by its name.
#[test]
fn an_attached_book_is_asked_by_its_name() {
    let path = golden("edax/games.dat").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.obook");
    Connection::open(&empty)
        .unwrap()
        .execute_batch("CREATE TABLE x (y)")
        .unwrap();
    let count = |from: &str| {
        let sql = format!("SELECT count(*) AS n FROM {from}");
        json([
            "query",
            arg(&path),
            "--attach",
            &format!("other={}", arg(&path)),
            &sql,
            "--json",
        ])[0]["n"]
            .clone()
    };
    for [ours, theirs] in [
        [
            "moves('f5') WHERE kind = 'link'",
            "moves('f5', 'other') WHERE kind = 'link'",
        ],
        ["line('')", "line('', 'other')"],
        ["tree('', 8, 1)", "tree('', 8, 1, 'other')"],
        ["ancestors('f5d6')", "ancestors('f5d6', 'other')"],
    ] {
        assert_eq!(count(ours), count(theirs));
        assert_ne!(count(theirs), 0, "{theirs}");
    }
    let sql = "SELECT * FROM line('', 'nobody')";
    assert!(complaint(["query", arg(&path), sql], &path).contains("no such table: nobody.links"));
}

/// The columns of a file's positions, and of its links.
const COLUMNS: &str =
    "board, empties, value, lower, upper, level, engine, wins, draws, losses, lines";

/// What a file says is what `import` takes from it.
#[test]
fn book_files_are_tables() {
    let folder = tempfile::tempdir().unwrap();
    for (number, name) in EDAX_BOOKS.into_iter().enumerate() {
        let Some(file) = golden(name) else { continue };
        let book = folder.path().join(format!("{number}.obook"));
        stdout(["import", arg(&file), "--book", arg(&book)]);
        let connection = Connection::open(&book).unwrap();
        obook_extension::register(&connection).unwrap();
        for table in ["edax", "book_file"] {
            for (theirs, ours) in [
                (
                    format!("SELECT {COLUMNS} FROM {table}(?)"),
                    format!("SELECT {COLUMNS} FROM positions"),
                ),
                (
                    format!(
                        "SELECT board, leaf_move, leaf_score, leaf_level FROM {table}(?) WHERE leaf_score IS NOT NULL"
                    ),
                    "SELECT board, move, score, level FROM leaves".to_owned(),
                ),
                (
                    format!("SELECT board, move, score FROM {table}_links(?)"),
                    "SELECT board, move, score FROM links".to_owned(),
                ),
            ] {
                let theirs = rows(
                    &connection,
                    &format!("{theirs} ORDER BY 1, 2"),
                    [arg(&file)],
                );
                assert_eq!(
                    theirs,
                    rows(&connection, &format!("{ours} ORDER BY 1, 2"), ()),
                    "{name}"
                );
            }
            let sums = format!(
                "SELECT sum(links), (SELECT count(*) FROM {table}_links(?1)) FROM {table}(?1)"
            );
            let sums = rows(&connection, &sums, [arg(&file)]);
            assert_eq!(sums[0][0], sums[0][1]);
        }
    }
}

/// Every format has its table, which takes no other format for its own.
#[test]
fn every_format_has_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let source = golden("edax/games.dat").unwrap();
    let connection = Connection::open_in_memory().unwrap();
    obook_extension::register(&connection).unwrap();
    let formats = [
        ("edax", Format::Edax),
        ("edax_text", Format::EdaxText),
        ("egbk3", Format::Egbk3),
        ("egbk2", Format::Egbk2),
        ("egbk", Format::Egbk),
    ];
    let file = |format: Format| -> PathBuf { folder.path().join(format!("book.{format}")) };
    for (_, format) in formats {
        // What a format can't hold is told, and no matter here.
        let (file, to) = (file(format), format.name());
        let convert = ["convert", arg(&source), arg(&file), "--to", to];
        assert!(command(convert).status.success());
    }
    for (table, format) in formats {
        let path = file(format);
        let positions: Vec<Position> = BookReader::open(&path, Some(format))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let sql = format!("SELECT count(*), sum(value), max(empties), sum(links) FROM {table}(?)");
        let values: Vec<i64> = positions
            .iter()
            .filter_map(|position| position.value)
            .map(i64::from)
            .collect();
        let links = positions
            .iter()
            .map(|position| position.links.len() as i64)
            .sum::<i64>();
        let sum = (!values.is_empty()).then(|| values.iter().sum::<i64>());
        let expected = [
            (positions.len() as i64).into(),
            Value::from(sum),
            60.into(),
            links.into(),
        ];
        assert_eq!(
            rows(&connection, &sql, [arg(&path)])[0],
            expected,
            "{table}"
        );
        let compressed = path.with_extension("zst");
        std::fs::write(
            &compressed,
            zstd::encode_all(&std::fs::read(&path).unwrap()[..], 1).unwrap(),
        )
        .unwrap();
        assert_eq!(
            rows(&connection, &sql, [arg(&compressed)])[0],
            expected,
            "{table}, compressed"
        );
        let other = file(if format == Format::Edax {
            Format::Egbk3
        } else {
            Format::Edax
        });
        let wrong = connection.query_row(&sql, [arg(&other)], |_| Ok(()));
        let wrong = wrong.unwrap_err().to_string();
        assert!(
            wrong.starts_with(&format!("{table}: {}", other.display())),
            "{wrong}"
        );
    }
    // Damage is told where it is, after the rows before it.
    let damaged = folder.path().join("damaged.dat");
    let mut bytes = std::fs::read(&source).unwrap();
    bytes.truncate(bytes.len() - 5);
    std::fs::write(&damaged, bytes).unwrap();
    let wrong = connection.query_row("SELECT count(*) FROM edax(?)", [arg(&damaged)], |_| Ok(()));
    let wrong = wrong.unwrap_err().to_string();
    assert!(
        wrong.contains("damaged.dat") && wrong.contains("byte"),
        "{wrong}"
    );
}

/// The library that other programs load.
fn extension() -> PathBuf {
    // A folder of its own: cargo's lock on the usual one, and features that would rebuild what stands there.
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("extension");
    let built = Command::new(env!("CARGO"))
        .args([
            "rustc",
            "--package",
            "obook-extension",
            "--features",
            "loadable",
            "--crate-type",
            "cdylib",
        ])
        .args(["--locked", "--release", "--quiet", "--target-dir"])
        .arg(&target)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .unwrap();
    assert!(built.success());
    target.join("release/libobook_extension")
}

/// The version of a program, or a note that nothing is checked without it.
fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        eprintln!("note: there is no {program}, so nothing is checked with it");
    }
    found
}

/// Questions that need functions, a table of the book's lines and one of a file, and the answers.
fn questions(file: &Path) -> Vec<(String, String)> {
    let answer =
        |sql: &str| stdout(["query", arg(file), sql, "--format", "csv"]).replace("\r\n", "\n");
    let questions = [
        "SELECT hex(board('f5d6')) AS a, square(37) AS b, mobility('f5') AS c, is_solved(30, 30) AS d".to_owned(),
        "SELECT square, kind, score, hex(child) AS child FROM moves('f5d6')".to_owned(),
        "SELECT ply, line, score FROM line('')".to_owned(),
        "SELECT ply, count(*) AS n, sum(loss) AS loss FROM tree('', 10, 2) GROUP BY ply".to_owned(),
        "SELECT count(*) AS n FROM positions JOIN ancestors(positions.board) WHERE positions.empties = 52".to_owned(),
        format!(
            "SELECT count(*) AS n FROM edax('{}') AS theirs WHERE board NOT IN (SELECT board FROM positions)",
            arg(file)
        ),
        "SELECT key, diagram, engine FROM readable_positions WHERE empties > 58 ORDER BY key".to_owned(),
    ];
    questions
        .map(|sql| {
            let answer = answer(&sql);
            (sql, answer)
        })
        .into()
}

#[test]
fn other_programs_load_the_extension() {
    let folder = tempfile::tempdir().unwrap();
    let file = golden("edax/games.dat").unwrap();
    let book = folder.path().join("games.obook");
    stdout(["import", arg(&file), "--book", arg(&book)]);
    let library = extension();
    let questions = questions(&file);
    // With this very SQLite, which is there on every machine.
    let connection = Connection::open(&book).unwrap();
    load(&connection, &library);
    for (sql, expected) in &questions {
        assert_eq!(&csv(&connection, sql), expected, "{sql}");
    }
    if has("sqlite3") {
        let mut script = format!(
            ".load {}\n.headers on\n.mode csv\n.separator , \"\\n\"\n",
            arg(&library)
        );
        for (sql, _) in &questions {
            script += &format!("{sql};\n");
        }
        let answered = run("sqlite3", &["-bail", "-batch", arg(&book)], &script);
        let expected: String = questions
            .iter()
            .map(|(_, answer)| answer.as_str())
            .collect();
        assert_eq!(answered, expected);
    }
    // Whoever lets strangers ask leaves the tables of files out.
    if has("sqlite3") {
        let script = format!(
            ".load {} sqlite3_obook_without_files_init\nSELECT count(*) FROM pragma_module_list WHERE name IN ('edax', 'tree');\n",
            arg(&library)
        );
        assert_eq!(
            run("sqlite3", &["-bail", "-batch", arg(&book)], &script),
            "1\n"
        );
    }
    if let Some(python) = ["/usr/bin/python3", "python3"]
        .into_iter()
        .find(|python| loads_extensions(python))
    {
        let script = include_str!("data/extension.py");
        for (sql, expected) in &questions {
            let answered = run(python, &["-c", script, arg(&library), arg(&book), sql], "");
            assert_eq!(&answered, expected, "{sql}");
        }
        let answered = run(python, &["-c", &documented(&library, &book)], "");
        let expected = csv(
            &connection,
            "SELECT square, score FROM moves('f5d6') WHERE kind = 'link'",
        );
        let (_, expected) = expected.split_once('\n').unwrap();
        assert_eq!(answered.replace(' ', ","), expected);
    }
}

/// The program of the documentation, with the names of this library and book.
fn documented(library: &Path, book: &Path) -> String {
    let text = include_str!("../docs/functions.md");
    let (_, program) = text.split_once("```python\n").unwrap();
    let (program, _) = program.split_once("```").unwrap();
    let program = program.replace("target/release/libobook_extension", arg(library));
    program.replace("games.obook", arg(book))
}

#[allow(unsafe_code)]
fn load(connection: &Connection, library: &Path) {
    let _guard = unsafe {
        // SAFETY: no SQL but the test's own runs on this connection.
        rusqlite::LoadExtensionGuard::new(connection).unwrap()
    };
    // SAFETY: the library was built a moment ago for being loaded here.
    unsafe { connection.load_extension(library, None::<&str>).unwrap() };
}

/// The answer to a question as CSV.
fn csv(connection: &Connection, sql: &str) -> String {
    let statement = connection.prepare(sql).unwrap();
    let names: Vec<&str> = statement.column_names().collect();
    let mut lines = vec![names.join(",")];
    lines.extend(rows(connection, sql, ()).iter().map(|row| {
        let cells = row.iter().map(|value| match value {
            Value::Null => String::new(),
            Value::Integer(number) => number.to_string(),
            Value::Text(text) if text.contains('\n') => format!("\"{text}\""),
            Value::Text(text) => text.clone(),
            other => panic!("{other:?}"),
        });
        cells.collect::<Vec<_>>().join(",")
    }));
    lines.join("\n") + "\n"
}

/// Whether this Python's `sqlite3` was built to load extensions.
fn loads_extensions(python: &str) -> bool {
    let asked =
        "import sqlite3, sys; sys.exit(not hasattr(sqlite3.Connection, 'enable_load_extension'))";
    has(python)
        && Command::new(python)
            .args(["-c", asked])
            .status()
            .is_ok_and(|status| status.success())
}

/// What a program prints, where it has to work.
fn run(program: &str, arguments: &[&str], input: &str) -> String {
    let output = fed(Command::new(program).args(arguments), input);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && complaint.is_empty(),
        "{program}: {complaint}"
    );
    String::from_utf8(output.stdout).unwrap()
}
