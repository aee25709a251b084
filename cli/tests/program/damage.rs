//! Damaged pages are never used silently, and `salvage` recovers the rest.

use crate::support::program::{arg, json, obook, stdout};
use crate::support::report::GAMES;
use obook_testing::games::eight_games;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Another book to merge.
const OTHER: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../tests/data/edax/small.subtree_f5d6c4.dat"
);

const PAGE: usize = 4096;

/// Damage to a page.
const DAMAGES: [fn(&mut Vec<u8>, usize); 4] = [
    |file, page| swap(file, page),
    |file, page| zero(file, page),
    |file, page| noise(file, page),
    cut,
];

/// It is swapped with another one.
fn swap(file: &mut [u8], page: usize) {
    let pages = file.len() / PAGE;
    let other = 1 + (page + 3) % (pages - 1);
    for place in 0..PAGE {
        file.swap(page * PAGE + place, other * PAGE + place);
    }
}

/// It was never written.
fn zero(file: &mut [u8], page: usize) {
    file[page * PAGE..][..PAGE].fill(0);
}

/// It contains something else.
fn noise(file: &mut [u8], page: usize) {
    let mut state = page as u64;
    for byte in &mut file[page * PAGE..][..PAGE] {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        *byte = (state >> 56) as u8;
    }
}

/// The file ends before it.
fn cut(file: &mut Vec<u8>, page: usize) {
    file.truncate(page * PAGE);
}

/// Commands that write or export: BOOK is the database, OTHER another book, OUT the result.
const COMMANDS: [&str; 20] = [
    "fix BOOK",
    "fix BOOK --memory 1KB",
    "link BOOK",
    "negamax BOOK --rules egaroucid",
    "verify BOOK --fix-what-is-safe",
    "accuracy BOOK --store",
    "merge BOOK OTHER",
    "merge BOOK OTHER --dry-run",
    "import OTHER --book BOOK",
    "import BOOK --book OUT",
    "prune BOOK",
    "subtree BOOK f5d6c5",
    "depth BOOK 20",
    "level BOOK --at-most 1",
    "edit BOOK f5d6c5 --value 9",
    "undo BOOK",
    "query --write BOOK DELETE",
    "export BOOK OUT.dat",
    "export BOOK OUT.egbk3",
    "convert BOOK OUT.txt",
];

fn words(command: &str, book: &Path, out: &Path) -> Vec<String> {
    let word = |word: &str| match word {
        "BOOK" => arg(book).to_owned(),
        "OTHER" => OTHER.to_owned(),
        "DELETE" => String::from("DELETE FROM positions WHERE empties < 30"),
        word => word.replace("OUT", arg(out)),
    };
    command.split_whitespace().map(word).collect()
}

/// A fixed book with some history, in one file.
fn sound(folder: &Path) -> PathBuf {
    let path = folder.join("sound.obook");
    stdout(["import", GAMES, "--book", arg(&path)]);
    stdout(["negamax", arg(&path), "--rules", "egaroucid"]);
    stdout(["fix", arg(&path), "--rules", "edax"]);
    path
}

type Rows = BTreeSet<(&'static str, String)>;

/// All rows of positions, links and leaves.
fn rows(path: &Path) -> Rows {
    let connection = Connection::open(path).unwrap();
    let mut rows = Rows::new();
    for table in ["positions", "links", "leaves"] {
        let mut select = connection
            .prepare(&format!("SELECT * FROM {table}"))
            .unwrap();
        let columns = select.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            let cells = (0..columns).map(|column| row.get::<_, Value>(column));
            Ok(format!("{:?}", cells.collect::<Result<Vec<_>, _>>()?))
        };
        let found = select.query_map([], row).unwrap();
        rows.extend(found.map(|row| (table, row.unwrap())));
    }
    rows
}

/// Runs a command on a copy of `bytes`. Returns the rows of the book and the file that it wrote, or its error message.
fn run(folder: &Path, bytes: &[u8], command: &str) -> Result<(Rows, Vec<Vec<u8>>), String> {
    let folder = tempfile::tempdir_in(folder).unwrap();
    let (book, out) = (folder.path().join("book.obook"), folder.path().join("out"));
    fs::write(&book, bytes).unwrap();
    let done = obook(words(command, &book, &out));
    match done.status.code() {
        Some(0) => {
            let is_out = |path: &PathBuf| arg(path).contains("/out");
            let files = fs::read_dir(folder.path()).unwrap();
            let files = files.map(|file| file.unwrap().path()).filter(is_out);
            let written = files.map(|file| match command.starts_with("import") {
                true => rows(&file)
                    .into_iter()
                    .flat_map(|(_, row)| row.into_bytes())
                    .collect(),
                false => fs::read(file).unwrap(),
            });
            let written = written.collect();
            Ok((rows(&book), written))
        }
        _ => Err(String::from_utf8(done.stderr).unwrap()),
    }
}

/// Damaged copies of the book, each with its damage.
fn damaged(sound: &[u8], each: usize) -> Vec<(String, usize, Vec<u8>)> {
    let pages = sound.len() / PAGE;
    assert!(pages > 60, "{pages}");
    let mut copies = Vec::new();
    for page in (1..pages).step_by(each) {
        for (number, damage) in DAMAGES.into_iter().enumerate() {
            let mut bytes = sound.to_vec();
            damage(&mut bytes, page);
            let name = ["swap", "zero", "noise", "cut"][number];
            copies.push((format!("{name} {page} of {pages}"), page, bytes));
        }
    }
    copies
}

/// Law (Crashes, untrusted books, concurrency): Damaged pages stop commands that write or export, or make no
/// difference.
#[test]
fn damage_stops_writing_and_exporting_or_makes_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sound = fs::read(sound(folder)).unwrap();
    let right: Vec<_> = COMMANDS
        .map(|command| run(folder, &sound, command).expect(command))
        .into();
    let mut refused = 0;
    for (number, (name, _, bytes)) in damaged(&sound, 9).into_iter().enumerate() {
        // Each command meets each kind of damage at several places.
        let some = COMMANDS.iter().zip(&right).enumerate();
        for (_, (command, right)) in some.filter(|(place, _)| (place + number / 4) % 5 == 0) {
            match run(folder, &bytes, command) {
                Ok(found) => assert!(found == *right, "{name}: {command} goes another way"),
                Err(complaint) => {
                    let way_out = ["obook salvage ", "obook restore"];
                    let named = way_out.iter().any(|way| complaint.contains(way));
                    assert!(named, "{name}: {command}: {complaint}");
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 50, "{refused}");
}

#[test]
fn swapped_pages_are_reported_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = fs::read(sound(folder.path())).unwrap();
    let book = folder.path().join("book.obook");
    let page = largest_leaf(&bytes);
    swap(&mut bytes, page);
    fs::write(&book, &bytes).unwrap();
    let output = obook(["fix", arg(&book)]);
    let complaint = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    let name = book.display();
    for expected in [
        format!("obook: {name}: the database is damaged: "),
        format!("`obook verify {name}`"),
        String::from("`obook restore`"),
        format!(
            "`obook salvage {name} {}`",
            book.with_extension("salvaged.obook").display()
        ),
    ] {
        assert!(complaint.contains(&expected), "{complaint}");
    }
    assert_eq!(fs::read(&book).unwrap(), bytes, "nothing was written");
    // The advice works.
    let rescued = book.with_extension("salvaged.obook");
    stdout(["salvage", arg(&book), arg(&rescued)]);
    stdout(["fix", arg(&rescued)]);
}

/// A page of rows, from somewhere in the middle.
fn largest_leaf(bytes: &[u8]) -> usize {
    let pages = bytes.len() / PAGE;
    let is_leaf = |page: &usize| bytes[page * PAGE] == 0x0a;
    (pages / 3..pages - 5).find(is_leaf).unwrap()
}

/// Law (Crashes, untrusted books, concurrency): Salvage recovers all rows on undamaged pages.
/// Also: `games_are_salvaged_beside_the_book`
#[test]
fn salvage_recovers_undamaged_rows_and_no_others() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sound = sound(folder);
    let (all, sound) = (rows(&sound), fs::read(sound).unwrap());
    let mut least = usize::MAX;
    for (name, page, bytes) in damaged(&sound, 7) {
        let folder = tempfile::tempdir_in(folder).unwrap();
        let (book, new) = (
            folder.path().join("book.obook"),
            folder.path().join("new.obook"),
        );
        fs::write(&book, &bytes).unwrap();
        let done = obook(["salvage", arg(&book), arg(&new)]);
        let complaint = String::from_utf8_lossy(&done.stderr);
        if name.starts_with("cut") && page < sound.len() / PAGE / 2 {
            // Perhaps no position is left.
            if done.status.code() != Some(0) {
                assert!(
                    complaint.contains("no position can be read in it"),
                    "{name}: {complaint}"
                );
                continue;
            }
        }
        assert_eq!(done.status.code(), Some(0), "{name}: {complaint}");
        assert_eq!(fs::read(&book).unwrap(), bytes, "{name}: stays as it is");
        let kept = rows(&new);
        assert!(
            kept.is_subset(&all),
            "{name}: {:?}",
            kept.difference(&all).next()
        );
        if !name.starts_with("cut") {
            least = least.min(kept.len());
        }
        if name.starts_with("swap") {
            assert_eq!(kept.len(), all.len(), "{name}: all is there");
        }
        stdout(["fix", arg(&new)]);
        // Only faults that need a search are left.
        let report = obook(["verify", arg(&new), "--json"]);
        let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
        for group in report["findings"].as_array().unwrap() {
            let kind = group["kind"].as_str().unwrap();
            let searched = ["missing-leaf", "no-leaf", "unreachable"].contains(&kind);
            assert!(searched, "{name}: {group}");
        }
        let files = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files, 2, "{name}: nothing is left beside them");
    }
    // A page holds some hundred rows at most.
    assert!(least + 400 > all.len(), "{least} of {}", all.len());
}

/// Games of forty years, the same eight of each; half of the years are not known.
fn with_games(folder: &Path) -> PathBuf {
    let path = sound(folder);
    let files = (0..40u16).map(|number| {
        let year = if number % 2 == 0 { 1978 + number } else { 0 };
        let file = folder.join(format!("{number}.wtb"));
        fs::write(&file, eight_games(year)).unwrap();
        arg(&file).to_owned()
    });
    let files: Vec<String> = files.collect();
    let mut import = vec!["games", "import", "--book", arg(&path)];
    import.extend(files.iter().map(String::as_str));
    stdout(import);
    path
}

/// The games of a database, without their numbers and names.
fn games(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let sql = "SELECT ifnull(date, '') || score || moves FROM games ORDER BY 1";
    let mut select = connection.prepare(sql).unwrap();
    let games = select.query_map([], |row| row.get(0)).unwrap();
    games.map(Result::unwrap).collect()
}

/// The table or index of each page.
fn owners(path: &Path) -> BTreeMap<u32, String> {
    let connection = Connection::open(path).unwrap();
    let sql = "SELECT pageno - 1, name FROM dbstat";
    let mut select = connection.prepare(sql).unwrap();
    let owners = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    owners.unwrap().map(Result::unwrap).collect()
}

/// If a page is lost, only its own rows are lost, and no row of a game becomes one of a position. With `OBOOK_LONG`, every page is
/// lost in turn; else the first ones, where the roots of the tables are, and every third.
#[test]
fn games_are_salvaged_beside_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let sound = with_games(folder.path());
    let (all, all_games, owners) = (rows(&sound), games(&sound), owners(&sound));
    assert_eq!(all_games.len(), 168);
    let sound = fs::read(sound).unwrap();
    let path = |name: &str| folder.path().join(name);
    let (book, new) = (path("book.obook"), path("new.obook"));
    let is_long = std::env::var_os("OBOOK_LONG").is_some();
    let is_tried = |page: &usize| is_long || *page < 30 || page.is_multiple_of(3);
    for page in (1..sound.len() / PAGE).filter(is_tried) {
        let mut bytes = sound.clone();
        zero(&mut bytes, page);
        fs::write(&book, &bytes).unwrap();
        let salvaged = json(["salvage", arg(&book), arg(&new), "--force", "--json"]);
        let owner = owners.get(&(page as u32)).map_or("", String::as_str);
        let kept = rows(&new);
        let strange = kept.difference(&all).next();
        assert_eq!(strange, None, "{page} {owner}");
        let most = match owner {
            "positions" | "links" | "leaves" => 400,
            _ => 0,
        };
        assert!(kept.len() + most >= all.len(), "{page} {owner}");
        let mut lost = all_games.clone();
        for game in &games(&new) {
            let at = lost.binary_search(game);
            lost.remove(at.unwrap_or_else(|_| panic!("{page} {owner}: {game}")));
        }
        let most = match owner {
            "games" | "sqlite_schema" if salvaged["games_lost"] == true => all_games.len(),
            "games" if salvaged["unreadable_pages"].as_u64() > Some(0) => 40,
            _ => 0,
        };
        assert!(lost.len() <= most, "{page} {owner}: {}", lost.len());
    }
}

#[test]
fn salvage_is_the_first_entry_of_the_history_and_replaces_nothing_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let book = sound(folder.path());
    let new = folder.path().join("new.obook");
    let said = stdout(["salvage", arg(&book), arg(&new)]);
    assert!(said.contains("2247 positions"), "{said}");
    let history = stdout(["history", arg(&new), "--json"]);
    assert!(history.contains("obook salvage"), "{history}");
    assert_eq!(history.matches("\"command\"").count(), 1, "{history}");
    let again = obook(["salvage", arg(&book), arg(&new)]);
    assert_eq!(again.status.code(), Some(1));
    stdout(["salvage", arg(&book), arg(&new), "--force"]);
    let itself = obook(["salvage", arg(&book), arg(&book), "--force"]);
    assert_eq!(itself.status.code(), Some(1));
    assert_eq!(rows(&book), rows(&new));
    let report = stdout(["verify", arg(&new)]);
    assert!(report.contains("Nothing is wrong"), "{report}");
}

/// Committed changes in a damaged log are not thrown away: SQLite would ignore them, and the first program to close the
/// database would delete them.
#[test]
fn a_damaged_log_is_reported_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let sound = sound(folder.path());
    let log = |path: &Path| path.with_extension("obook-wal");
    let writer = Connection::open(&sound).unwrap();
    writer
        .execute_batch("UPDATE positions SET lines = lines + 1; UPDATE links SET score = NULL")
        .unwrap();
    let database = fs::read(&sound).unwrap();
    let mut bytes = fs::read(log(&sound)).unwrap();
    let (book, out) = (
        folder.path().join("killed.obook"),
        folder.path().join("out"),
    );
    let put = |bytes: &[u8]| {
        fs::write(&book, &database).unwrap();
        fs::write(log(&book), bytes).unwrap();
    };
    // As a killed process leaves it.
    put(&bytes);
    stdout(["info", arg(&book)]);
    assert_eq!(rows(&book), rows(&sound));
    bytes[32 + 4120 * 5 + 1000] ^= 1;
    put(&bytes);
    let reading = ["verify BOOK", "info BOOK", "snapshot BOOK OUT"];
    // This one doesn't read the book.
    let others = COMMANDS
        .iter()
        .filter(|command| !command.starts_with("import OTHER"));
    for command in others.chain(&reading) {
        let done = obook(words(command, &book, &out));
        let complaint = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{command}: {complaint}");
        for expected in [
            "killed.obook-wal can't be read from byte 20632 on",
            "`obook salvage ",
        ] {
            assert!(complaint.contains(expected), "{command}: {complaint}");
        }
        assert_eq!(fs::read(log(&book)).unwrap(), bytes, "{command}");
        assert_eq!(fs::read(&book).unwrap(), database, "{command}");
    }
    let salvaged = json(["salvage", arg(&book), arg(&out), "--json"]);
    assert!(
        salvaged["damaged_log_pages"].as_u64() > Some(10),
        "{salvaged}"
    );
    assert_eq!(fs::read(log(&book)).unwrap(), bytes);
    assert_eq!(fs::read(&book).unwrap(), database);
    assert!(rows(&out).is_subset(&rows(&sound)));
}
