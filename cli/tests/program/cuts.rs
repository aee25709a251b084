//! `obook prune`, `subtree`, `reduce` and `depth` on golden books: what the engines' own commands make of them.

use crate::support::program::{arg, complaint, json, obook, stdout};
use crate::support::report::{GAMES, Report};
use obook_converters::{BookReader, Header};
use obook_needs::needs;
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Move, Position};
use obook_testing::consistent_book::with_links_as_a_set;
use obook_testing::golden::{EgaroucidRow, book, egaroucid_table, golden};
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

    /// The contents of an Edax file of it.
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
    let (before, (header, expected)) = (golden(name), book(expected));
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
    let (before, (header, expected)) = (golden(name), book(expected));
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
        becomes("small.dat", &["prune"], "edax/small.prune.dat");
        becomes("games.dat", &["prune"], "edax/games.prune.dat");
    }
}

#[needs(large_books)]
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
        becomes("small.dat", &["subtree", "f5d6c4"], subtree);
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
/// Its start position has a leaf of 0 of its own making (see `graph/negamax_egaroucid_golden.rs`), so the row of the start
/// position is left out, and where no move is as good as that leaf, the line's first move has lost something: then
/// `per_line` is less by so much. `ties` counts the positions where several links that go are equally good and the
/// engine's walk took another one for the leaf than the first by move.
fn reduces(name: &str, per_line: &str, ties: usize) {
    let table = format!("egaroucid/{name}.mixed.reduce_20_2_3.tsv");
    let before = golden(&format!("egaroucid/{name}.mixed.egbk3"));
    let mut expected = egaroucid_table(&table);
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

/// Egaroucid counts its depth from the position where reducing begins: of the 8 371 positions of the larger book its own
/// command, from `f5d6c3`, 4 moves deep, with 2 a move and 3 a line, keeps 7 861, as this does with `--below 4`.
#[test]
fn the_depth_of_a_reduce_counts_from_either_end() {
    let database = Database::of(&golden("egaroucid/games.mixed.egbk3"));
    database.run(&["negamax", "--rules", "egaroucid-edax"]);
    let reduced = |depth: &[&str]| {
        let limits = ["--per-move", "20", "--per-line", "60", "--dry-run"];
        database.run(&[&["reduce", "f5d6c3"], depth, &limits[..]].concat())
    };
    let from_start = reduced(&["--depth", "9"]);
    assert_eq!(reduced(&["--below", "6"]), from_start);
    assert_ne!(reduced(&["--below", "9"]), from_start);
}

#[test]
fn egaroucid_reduce() {
    reduces("games", "3", 0);
}

#[needs(large_books)]
#[test]
fn egaroucid_reduce_of_a_larger_book() {
    reduces("small", "2", 50);
}

#[test]
fn a_book_file_of_egaroucid_is_cut_without_its_passes() {
    let before = golden("egaroucid/games.mixed.egbk3");
    let folder = tempfile::tempdir().unwrap();
    let cut = folder.path().join("cut.egbk3.zst");
    stdout(["depth", arg(&before), "55", "--output", arg(&cut)]);
    assert_eq!(Report::of(&cut).status, 0);
    let mut expected: BTreeSet<CanonicalBoard> = book("egaroucid/games.mixed.egbk3")
        .1
        .iter()
        .map(|position| position.board)
        .collect();
    assert!(expected.iter().all(|board| !board.board().must_pass()));
    expected.retain(|board| board.board().empties() >= 5);
    let found = BookReader::open(&cut, None).unwrap().map(Result::unwrap);
    let found: BTreeSet<CanonicalBoard> = found.map(|position| position.board).collect();
    assert_eq!(found, expected);
}

#[test]
fn depth_leaves_nothing_deeper_and_no_value_changed() {
    let database = Database::games();
    let before = database.exported();
    let report = database.run(&["depth", "20"]);
    assert_eq!(report["depth"], 20);
    assert_eq!(database.number("SELECT depth FROM book"), 20);
    let after = database.exported();
    let shallow = before
        .iter()
        .filter(|position| position.board.board().empties() >= 40);
    let value = |position: &Position| (position.board, position.value);
    assert_eq!(
        after.iter().map(value).collect::<Vec<_>>(),
        shallow.map(value).collect::<Vec<_>>()
    );
    assert_eq!(report["kept"], after.len());
    assert_eq!(report["removed"], before.len() - after.len());
    // A depth that the book doesn't reach only changes the header.
    let report = database.run(&["depth", "30"]);
    assert_eq!(report["removed"], 0);
    assert_eq!(database.number("SELECT depth FROM book"), 30);
    assert_eq!(database.exported(), after);
}

/// By Edax's rules a position has the level of its leaf, so a child's comes with the link; by Egaroucid's the position
/// keeps its own.
#[test]
fn a_link_that_becomes_the_leaf_brings_the_level_and_engine_of_its_child() {
    let start = "(SELECT board FROM positions WHERE empties = 60)";
    let child = "(SELECT board FROM positions WHERE empties = 59)";
    for (rules, level) in [("edax", 17), ("egaroucid-edax", 4)] {
        let database = Database::games();
        let sql = format!(
            "UPDATE positions SET level = 4, engine = 2 WHERE board = {start};
             UPDATE positions SET level = 17, engine = 1 WHERE board = {child};"
        );
        database.connection().execute_batch(&sql).unwrap();
        database.run(&["negamax", "--rules", rules]);
        database.run(&["depth", "0"]);
        let leaf = "SELECT count(*) FROM leaves WHERE level = 17 AND engine = 1 AND move = 19";
        assert_eq!(database.number(leaf), 1);
        assert_eq!(database.number("SELECT count(*) FROM positions"), 1);
        assert_eq!(database.number("SELECT level FROM positions"), level);
    }
}

/// A game that begins elsewhere is not reached from the start position, but stays when it is not asked for.
#[test]
fn unreachable_positions_go_and_no_others() {
    let database = Database::games();
    let before = database.exported();
    let same = database.run(&["prune", "--unreachable"]);
    assert_eq!(
        (&same["removed"], &same["changed"]["any"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(database.exported(), before);
    let cut_off =
        "DELETE FROM links WHERE board IN (SELECT board FROM positions WHERE empties = 58);
                   DELETE FROM positions WHERE empties = 57;
                   DELETE FROM links WHERE board NOT IN (SELECT board FROM positions);
                   DELETE FROM leaves WHERE board NOT IN (SELECT board FROM positions);";
    database.connection().execute_batch(cut_off).unwrap();
    let shallow = database.number("SELECT count(*) FROM positions WHERE empties >= 58");
    let report = json(database.arguments(&["prune", "--unreachable", "--json"]));
    assert_eq!(report["kept"], shallow);
    // The positions that were cut off by hand want a leaf now.
    assert_eq!(report["todo"], database.number("SELECT count(*) FROM todo"));
    assert_eq!(database.number("SELECT count(*) FROM positions"), shallow);
    assert_eq!(
        database.number("SELECT max(60 - empties) FROM positions"),
        2
    );
}

#[test]
fn reduce_keeps_positions_that_are_not_below() {
    let database = Database::games();
    let before = database.exported();
    let limits = ["--depth", "3", "--per-move", "0", "--per-line", "0"];
    let report = database.run(&[&["reduce", "f5d6c3"], &limits[..]].concat());
    let after = database.exported();
    assert_eq!(report["kept"], after.len());
    let mut below = Database::games();
    below.path = database.folder.path().join("below.obook");
    stdout(["import", GAMES, "--book", arg(&below.path)]);
    let below = below.run(&["subtree", "f5d6c3"])["kept"].as_u64().unwrap();
    assert_eq!(report["removed"], below - 1);
    assert_eq!(after.len() as u64, before.len() as u64 - (below - 1));
}

const EVERY_COMMAND: [&[&str]; 6] = [
    &["prune"],
    &["prune", "--unreachable"],
    &["subtree", "f5d6"],
    &[
        "reduce",
        "--depth",
        "20",
        "--per-move",
        "2",
        "--per-line",
        "4",
    ],
    &["depth", "20"],
    &["level", "--at-most", "2"],
];

/// Law (Changes): A dry run reports what the change would, and changes no row.
/// Also: `cli/tests/program/merge.rs` `a_dry_run_writes_nothing`
#[test]
fn a_dry_run_says_the_same_and_writes_nothing() {
    for command in EVERY_COMMAND {
        let database = Database::games();
        let before = database.bytes();
        let dry = [command, &["--dry-run"]].concat();
        let text = stdout(database.arguments(&dry));
        assert!(text.ends_with("Nothing was written: --dry-run\n"), "{text}");
        let mut said = database.run(&dry);
        assert_eq!(database.bytes(), before);
        assert_eq!(said["dry_run"], true);
        said["dry_run"] = json!(false);
        assert_eq!(database.run(command), said);
    }
}

#[test]
fn the_history_names_the_command_and_its_counts() {
    let mut compared = 0;
    for command in EVERY_COMMAND {
        let database = Database::games();
        let report = database.run(command);
        let connection = database.connection();
        let last = "SELECT id, command, counts FROM history ORDER BY id DESC LIMIT 1";
        let (id, done, counts): (i64, String, String) = connection
            .query_row(last, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap();
        if id == 1 {
            assert_eq!(report["changed"]["any"], 0, "{command:?}");
            continue;
        }
        let expected = [&["obook"], &database.arguments(command)[..]].concat();
        assert_eq!(done, expected.join(" "));
        let counts: Value = serde_json::from_str(&counts).unwrap();
        assert!(!counts.as_object().unwrap().is_empty());
        compared += 1;
        for (name, count) in counts.as_object().unwrap() {
            assert_eq!(count, &report[name], "{name}");
        }
    }
    let unchanged = "nothing is unreachable, and all levels are 2";
    assert_eq!(compared, EVERY_COMMAND.len() - 2, "{unchanged}");
}

#[test]
fn impossible_cuts_are_refused_and_change_nothing() {
    let database = Database::games();
    let before = database.bytes();
    let refuses = |command: &[&str], reason: &str| {
        let said = complaint(database.arguments(command), &database.path);
        assert!(said.contains(reason), "{said}");
        assert_eq!(database.bytes(), before);
    };
    refuses(&["subtree", "f5f6e6f4"], "the book ends before f5f6e6");
    refuses(
        &["subtree", "f5d6", "--depth", "1"],
        "nothing stays beyond 1",
    );
    refuses(
        &["prune", "--output", "other.dat"],
        "a database is changed where it is",
    );
    refuses(&["level", "--set", "70"], "Edax knows levels up to 60");
    refuses(&["level", "--set", "61"], "no engine has level 61");
    refuses(
        &["level", "--at-least", "9", "--at-most", "8"],
        "no level is",
    );
    refuses(
        &["level", "--set", "9", "--leaves"],
        "has the level of its leaf",
    );
    refuses(
        &["level", "--set", "9", "--where", "nonsense > 1"],
        "no such column: nonsense",
    );
    refuses(
        &["level", "--set", "9", "--where", "1); DROP TABLE positions"],
        "--where:",
    );
    refuses(
        &["level", "--engine", "tiny", "--place", "unknown"],
        "no search in the book is by an engine called “tiny”",
    );
    refuses(
        &["level", "--engine", "edax", "--place", "unknown"],
        "edax is the name of an engine that obook knows",
    );
    let write = "board IN (INSERT INTO sources VALUES (1) RETURNING 1)";
    refuses(&["level", "--set", "9", "--where", write], "--where:");

    let said = complaint(["depth", GAMES, "20"], Path::new(GAMES));
    assert!(said.contains("with --output"), "{said}");
    for wrong in [
        &["level"][..],
        &["level", "--set", "1", "--at-most", "2"],
        &["depth", "61"],
    ] {
        assert_eq!(obook(database.arguments(wrong)).status.code(), Some(2));
    }
}

#[test]
fn a_damaged_book_is_not_cut() {
    let database = Database::games();
    let damage = "UPDATE positions SET engine = 0 WHERE empties = 60";
    database.connection().execute_batch(damage).unwrap();
    let before = database.bytes();
    for command in EVERY_COMMAND {
        let said = complaint(database.arguments(command), &database.path);
        assert!(said.contains("`obook fix` repairs"), "{said}");
        assert_eq!(database.bytes(), before);
    }
}

/// Links that are missing would make positions unreachable that are not, wrong values would choose the wrong ones.
#[test]
fn a_book_that_needs_a_fix_gets_one_before_it_is_cut() {
    let spoil = "UPDATE positions SET value = 0; DELETE FROM links WHERE move % 2 = 0";
    for command in EVERY_COMMAND {
        let [fine, spoilt] = [Database::games(), Database::games()];
        spoilt.connection().execute_batch(spoil).unwrap();
        let mut reports = [&fine, &spoilt].map(|database| database.run(command));
        for report in &mut reports {
            for part in ["output", "changed", "link"] {
                report.as_object_mut().unwrap().remove(part);
            }
        }
        let [one, other] = reports;
        assert_eq!(one, other);
        assert_eq!(fine.exported(), spoilt.exported());
    }
}

#[test]
fn a_failure_midway_changes_nothing() {
    for command in EVERY_COMMAND {
        let database = Database::games();
        // An index that has no room for a second change.
        let refuse = "CREATE INDEX refuse ON history (abs(-9223372036854775807 - (id > 1)));
                      UPDATE positions SET value = NULL WHERE empties = 60";
        database.connection().execute_batch(refuse).unwrap();
        let before = database.bytes();
        let said = complaint(database.arguments(command), &database.path);
        assert!(said.contains("integer overflow"), "{said}");
        assert_eq!(database.bytes(), before);
    }
}

#[test]
fn levels_are_set_if_the_conditions_hold() {
    let database = Database::games();
    let at = |condition: &str| {
        database.number(&format!("SELECT count(*) FROM positions WHERE {condition}"))
    };
    let level = at("level = 11");
    let chosen = at("empties BETWEEN 10 AND 20 AND value > 0");
    assert!(chosen > 0 && level == 0);
    let report = database.run(&[
        "level",
        "--set",
        "11",
        "--empties",
        "10..20",
        "--where",
        "value > 0 -- a comment",
    ]);
    assert_eq!(report["chosen"], chosen);
    assert_eq!(report["position_levels"], chosen);
    assert_eq!(at("level = 11"), chosen);
    let leaves = database.number("SELECT count(*) FROM leaves WHERE level = 11");
    assert_eq!(report["leaf_levels"], leaves);
    // Nothing but levels and the bounds and counts that follow from them.
    let values = |database: &Database| -> Vec<_> {
        let value = |position: Position| (position.board, position.value, position.links);
        database.exported().into_iter().map(value).collect()
    };
    assert_eq!(values(&database), values(&Database::games()));

    let most: u32 = database.number("SELECT max(level) FROM positions");
    database.run(&["level", "--at-most", "10", "--at-least", "9"]);
    assert!(most > 10 && at("level NOT BETWEEN 9 AND 10") == 0);
    assert_eq!(at("level = 10"), chosen);
}

#[test]
fn levels_of_positions_and_leaves_are_set_apart_by_the_rules_of_egaroucid() {
    let before = golden("egaroucid/games.mixed.egbk3");
    let database = Database::of(&before);
    let count = |sql: &str| database.number(&format!("SELECT count(*) FROM {sql}"));
    database.run(&["level", "--set", "70", "--positions"]);
    assert_eq!(
        (
            count("positions WHERE level <> 70"),
            count("leaves WHERE level = 70")
        ),
        (0, 0)
    );
    database.run(&["level", "--set", "9", "--leaves"]);
    assert_eq!(count("positions WHERE level <> 70"), 0);
    assert_eq!(count("leaves WHERE level = 9"), count("leaves"));

    let file = database.folder.path().join("levels.egbk3");
    let condition = ["--where", "value < 0", "--at-most", "12"];
    let arguments = [
        &["level", arg(&before), "--output", arg(&file)],
        &condition[..],
    ]
    .concat();
    stdout(arguments);
    let mut lowered = 0;
    for (before, after) in records(&before).into_iter().zip(records(&file)) {
        let level = before.level.map(|level| match before.value {
            Some(..0) => level.min(12),
            _ => level,
        });
        assert_eq!(after.level, level);
        lowered += usize::from(level != before.level);
    }
    assert!(lowered > 0);
}

#[test]
fn what_the_format_of_a_changed_file_cannot_hold_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("changed");
    for (name, command, lost) in [
        (
            "egaroucid/games.egbk2",
            "depth FILE 6",
            "leaves that became positions",
        ),
        (
            "egaroucid/games.egbk",
            "level FILE --set 30",
            "positions with a level",
        ),
    ] {
        let file = golden(name);
        let command: Vec<&str> = command
            .split(' ')
            .map(|word| if word == "FILE" { arg(&file) } else { word })
            .collect();
        let written = obook(command.iter().chain(&["--output", arg(&output), "--force"]));
        let dry = obook(command.iter().chain(&["--dry-run"]));
        for (done, holder) in [(written, &output), (dry, &file)] {
            assert!(done.status.success());
            let said = String::from_utf8(done.stderr).unwrap();
            let begins = format!("{} can't hold:\n  ", holder.display());
            assert!(said.starts_with(&begins) && said.contains(lost), "{said}");
        }
    }
}

/// Its level marks the value as a person's, which the level of a search must not take the place of.
#[test]
fn values_entered_by_hand_stay() {
    let database = Database::games();
    let enter = "UPDATE positions SET level = 70, value = 9 WHERE empties = 60";
    database.connection().execute_batch(enter).unwrap();
    let report = json(database.arguments(&["depth", "0", "--json"]));
    assert_eq!(
        (&report["kept"], &report["leaves_gained"]),
        (&json!(1), &json!(1))
    );
    let entered = "SELECT count(*) FROM positions WHERE level = 70 AND value = 9";
    assert_eq!(database.number(entered), 1);
    assert_eq!(
        database.number("SELECT count(*) FROM leaves WHERE level < 70"),
        1
    );
}

#[test]
fn an_engine_gets_another_name_scale_and_place() {
    let database = Database::games();
    let engines = || json(["info", arg(&database.path), "--json"])["engines"].clone();
    let before = database.exported();
    let named = ["level", "--engine", "edax", "--name", "tiny 1.0", "--place"];
    let named = database.run(&[&named[..], &["below edax"]].concat());
    let tiny = "tiny 1.0 (edax's levels, place below edax)";
    assert_eq!(
        named["engines"][0],
        json!({ "before": "edax", "now": tiny })
    );
    assert_eq!(
        (&named["positions"], &named["leaves"]),
        (&json!(2247), &json!(2214))
    );
    let own = json!([{ "name": "tiny 1.0", "scale": "edax", "place": "below edax" }]);
    assert_eq!(engines(), own);
    let scaled = stdout(database.arguments(&["level", "--engine", "tiny 1.0", "--scale", "ntest"]));
    let told = format!("{tiny} is now tiny 1.0 (ntest's levels, place below edax)");
    assert!(scaled.contains(&told), "{scaled}");
    stdout(database.arguments(&["undo"]));
    assert_eq!(engines(), own);
    database.run(&["level", "--engine", "tiny 1.0", "--name", "edax"]);
    assert_eq!(engines(), Value::Null);
    assert_eq!(database.exported(), before);
    for wrong in [
        &["--engine", "edax"][..],
        &["--name", "x", "--set", "9"],
        &["--engine", "edax", "--name", "x", "--set", "9"],
    ] {
        let wrong = obook(database.arguments(&[&["level"], wrong].concat()));
        assert_eq!(wrong.status.code(), Some(2));
    }
}
