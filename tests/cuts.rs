//! `obook prune`, `subtree`, `reduce` and `depth` on golden books: what the engines' own commands make of them.

mod consistent_book;
mod golden_support;
mod obook;
mod random_book;
mod report;

use consistent_book::with_links_as_a_set;
use golden_support::{EgaroucidRow, book, egaroucid_table, golden};
use obook::{arg, complaint, json, obook, stdout};
use obook_converters::{BookReader, Engine, Header, Leaf, Position};
use obook_othello::{Board, CanonicalBoard, Move};
use report::{GAMES, Report};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A database made of a golden book.
struct Database {
    folder: TempDir,
    path: PathBuf,
}

impl Database {
    fn of(file: &Path) -> Database {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        stdout(["import", arg(file), "--book", arg(&path)]);
        Database { folder, path }
    }

    fn games() -> Database {
        Database::of(Path::new(GAMES))
    }

    fn arguments<'a>(&'a self, command: &[&'a str]) -> Vec<&'a str> {
        let mut arguments = vec![command[0], arg(&self.path)];
        arguments.extend(&command[1..]);
        arguments
    }

    /// Runs a command on it, after which verify has nothing to complain of.
    fn run(&self, command: &[&str]) -> Value {
        let report = json([&self.arguments(command)[..], &["--json"]].concat());
        self.assert_sound();
        report
    }

    fn assert_sound(&self) {
        let verified = Report::of(&self.path);
        assert_eq!(verified.status, 0, "{}", verified.details);
    }

    fn connection(&self) -> Connection {
        Connection::open(&self.path).unwrap()
    }

    fn number(&self, sql: &str) -> u32 {
        let connection = self.connection();
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        std::fs::read(&self.path).unwrap()
    }

    /// What an Edax file of it would hold.
    fn exported(&self) -> Vec<Position> {
        let file = self.folder.path().join("exported.dat");
        stdout(["export", arg(&self.path), arg(&file), "--force"]);
        records(&file)
    }
}

/// Records by key, links as sets: Edax's order among links of equal score is that of its own history.
fn records(file: &Path) -> Vec<Position> {
    by_key(BookReader::open(file, None).unwrap().map(Result::unwrap))
}

fn by_key(positions: impl IntoIterator<Item = Position>) -> Vec<Position> {
    let mut positions: Vec<Position> = positions.into_iter().map(with_links_as_a_set).collect();
    positions.sort_by_key(|position| position.board);
    positions
}

/// A file keeps the order of links, and of equally good ones the first becomes the leaf, so every record is Edax's.
fn file_becomes(name: &str, command: &[&str], expected: &str) {
    let (Some(before), Some((header, expected))) = (golden(name), book(expected)) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.dat");
    let output = ["--output", arg(&cut), "--json"];
    let report = json([&[command[0], arg(&before)], &command[1..], &output].concat());
    // The date is when Edax wrote the file.
    let found = BookReader::open(&cut, None).unwrap();
    let found = Header {
        date: header.date,
        ..found.header().clone()
    };
    assert_eq!(found, header, "{name}");
    let (found, expected) = (records(&cut), by_key(expected));
    assert_eq!(report["kept"], expected.len());
    assert_eq!(report["output"], arg(&cut));
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found, expected, "{name}");
    }
    assert_eq!(Report::of(&cut).status, 0);
}

/// A database keeps no order among equally good links, so there another of them may become the leaf.
fn database_becomes(name: &str, command: &[&str], expected: &str) {
    let (Some(before), Some((header, expected))) = (golden(name), book(expected)) else {
        return;
    };
    let database = Database::of(&before);
    let all: BTreeMap<CanonicalBoard, Position> = records(&before)
        .into_iter()
        .map(|position| (position.board, position))
        .collect();
    let report = database.run(command);
    assert_eq!(json!(header.depth()), report["depth"]);
    let expected = by_key(expected);
    let found = database.exported();
    assert_eq!(found.len(), expected.len());
    for (found, mut expected) in found.into_iter().zip(expected) {
        if let (Some(one), Some(other)) = (found.leaf, &mut expected.leaf) {
            let links = &all[&found.board].links;
            let link = |leaf: &Leaf| links.iter().find(|link| Some(link.mv) == leaf.mv);
            if let (Some(link), Some(_)) = (link(&one), link(other)) {
                assert_eq!(link.score, Some(one.score));
                other.mv = one.mv;
            }
        }
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn edax_prune() {
    for becomes in [file_becomes, database_becomes] {
        becomes("edax/small.dat", &["prune"], "edax/small.prune.dat");
        becomes("edax/games.dat", &["prune"], "edax/games.prune.dat");
    }
}

#[test]
fn edax_prune_at_a_depth() {
    for becomes in [file_becomes, database_becomes] {
        let pruned = "edax/deviate.depth9.prune.dat";
        becomes("edax/deviate.dat", &["prune", "--depth", "9"], pruned);
    }
}

#[test]
fn edax_subtree() {
    for becomes in [file_becomes, database_becomes] {
        let subtree = "edax/small.subtree_f5d6c4.dat";
        becomes("edax/small.dat", &["subtree", "f5d6c4"], subtree);
    }
}

/// The positions of a database as Egaroucid holds them: without passes.
fn egaroucid_rows(database: &Database) -> Vec<EgaroucidRow> {
    let sql = "SELECT board, positions.value, positions.level, lines, move, score, leaves.level
               FROM positions LEFT JOIN leaves USING (board) ORDER BY board";
    let connection = database.connection();
    let mut select = connection.prepare(sql).unwrap();
    let rows = select.query_map([], |row| {
        let (mv, score, level) = (row.get(4)?, row.get::<_, Option<i8>>(5)?, row.get(6)?);
        Ok(EgaroucidRow {
            board: CanonicalBoard::from_key(row.get(0)?).unwrap().unwrap(),
            value: row.get(1)?,
            level: row.get(2)?,
            lines: row.get(3)?,
            leaf: score.map(|score| Leaf {
                mv: Option::and_then(mv, Move::from_code),
                score,
                level,
                engine: Engine::Egaroucid,
            }),
        })
    });
    let mut rows: Vec<EgaroucidRow> = rows.unwrap().map(Result::unwrap).collect();
    rows.retain(|row| !row.board.board().must_pass());
    rows
}

/// Compares with the engine's reduce from the start position to depth 20, with 2 a move and 3 a line.
///
/// Its start position has a leaf of 0 of its own making (see `negamax_egaroucid_golden.rs`), so the row of the start
/// position is left out, and where no move is as good as that leaf, the line's first move has lost something: then
/// `per_line` is less by so much. `ties` counts the positions where several links that go are equally good and the
/// engine's walk took another one for the leaf than the first by move.
fn reduces(name: &str, per_line: &str, ties: usize) {
    let table = format!("egaroucid/{name}.mixed.reduce_20_2_3.tsv");
    let before = golden(&format!("egaroucid/{name}.mixed.egbk3"));
    let (Some(before), Some(mut expected)) = (before, egaroucid_table(&table)) else {
        return;
    };
    expected.sort_by_key(|row| row.board);
    let database = Database::of(&before);
    database.run(&["negamax", "--rules", "egaroucid-edax"]);
    let fixed = egaroucid_rows(&database);
    let limits = ["--depth", "20", "--per-move", "2", "--per-line", per_line];
    database.run(&[&["reduce"], &limits[..]].concat());
    let found = egaroucid_rows(&database);
    assert_eq!(found.len(), expected.len());
    let boards: BTreeSet<CanonicalBoard> = found.iter().map(|row| row.board).collect();
    let mut tied = 0;
    for (found, mut expected) in found.into_iter().zip(expected) {
        assert_eq!(found.board, expected.board);
        if found.board == Board::START.canonical() {
            continue;
        }
        // The engine does not recount lines; those of the command follow from what is left, as verify has found.
        expected.lines = found.lines;
        if found.leaf.map(|leaf| leaf.mv) != expected.leaf.map(|leaf| leaf.mv) {
            let leaves = [found.leaf.unwrap(), expected.leaf.unwrap()];
            assert_eq!(leaves[0].score, leaves[1].score);
            for leaf in leaves {
                let child = found.board.board().play(leaf.mv.unwrap()).unwrap();
                let at = fixed.binary_search_by_key(&child.canonical(), |row| row.board);
                let child = fixed[at.unwrap()];
                assert!(!boards.contains(&child.board));
                assert_eq!(
                    (i16::from(leaf.score), leaf.level),
                    (-child.value, Some(child.level))
                );
            }
            tied += 1;
            expected.leaf = found.leaf;
        }
        assert_eq!(found, expected, "{name}");
    }
    assert_eq!(tied, ties);
}

#[test]
fn egaroucid_reduce() {
    reduces("games", "3", 0);
    reduces("small", "2", 50);
}
