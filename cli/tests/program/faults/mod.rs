//! Faults in every call that reads or writes files: the call fails, the process is killed, or the power goes. The book must be as
//! before or as after the command, unless the command says what it could not read, and the next command leaves no stray files.
//!
//! A library that is loaded before the C library counts the calls and injects the faults (`preload.c`); this works on Linux.
//! `cargo test --test all faults` tries some faults of a third of the commands, another third each day, chosen by a fixed seed; if a
//! command works in temporary files, some of them are reads of these. With `OBOOK_LONG=1` in the environment it tries all faults of all
//! commands, with `OBOOK_LONG=import` those of commands that import; `-- --nocapture` prints how many they are, command by command.
//! Not covered: locks, `stat`, lists of folders, and memory-mapped pages (the index of SQLite's journal, which is rebuilt
//! after a crash). A power cut loses contents, not the names of files.

mod in_files;
mod injection;
#[cfg(target_os = "linux")]
mod output;

use crate::support::program::{arg, commands, obook, stdout};
use injection::{Fault, How, Injector};
use obook_needs::needs;
use obook_testing::golden::golden;
use obook_testing::random_book::Random;
use obook_testing::stored_book::{digest, digest_of_contents};
use rayon::prelude::*;
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::UNIX_EPOCH;
use tempfile::TempDir;

/// Damages values and links, for a command to repair.
const WIPE: &str =
    "UPDATE positions SET value = -7, lines = 4; DELETE FROM links WHERE move % 3 = 0";

/// Makes several transactions. If it is interrupted, the same command completes the book with another change.
const SEARCH: &str = "search BOOK --level 2 --jobs 1 --batch 3";

/// Removes leaves, for a search to find.
const LOSE_LEAVES: &str =
    "DELETE FROM leaves WHERE board IN (SELECT board FROM positions ORDER BY empties DESC LIMIT 8);
     UPDATE book SET fixed = NULL";

/// Like [`SEARCH`].
const LEARN: &str = "learn BOOK --recipe RECIPE --jobs 1 --batch 3";

/// The same for shogi.
const SHOGI_SEARCH: &str =
    "shogi search SHOGI --engine ENGINE --go LONG --moves 1 --jobs 1 --batch 3";
const SHOGI_LEARN: &str =
    "shogi learn SHOGI --recipe complete --engine ENGINE --go LONG --moves 1 --jobs 1 --batch 3";

/// Chooses searches in a transaction of its own, before it hands them out.
const TASKS: &str = "tasks BOOK --recipe RECIPE --take 5";

/// The same in temporary files.
const LEARN_IN_FILES: &str = "learn BOOK --recipe RECIPE --jobs 1 --batch 3 --memory 1KB";
const TASKS_IN_FILES: &str = "tasks BOOK --recipe RECIPE --take 5 --memory 1KB";

/// A few of these games are used.
const ARCHIVE: &str = "../examples/levels.wtb";

/// Moves for a book of shogi, and for the book file that is added to it.
const SHOGI_MOVES: [&str; 2] = ["q1_quiet_or_check.db", "s2_seed.db"];

/// A position of the first of them.
const ENDGAME: &str = "8k/6+R2/9/4g4/9/9/9/9/1K7 b - 1";

/// A recipe for a few more searches.
const RECIPE: &str = "
[[stages]]
rule = { egaroucid-deviate = { per-move = 1, sum = 1, leaf = 1 } }
level = 1
depth = 5
";

/// Commands that write, as typed, and SQL to run on BOOK first. BOOK is a database, OTHER the book file that it was made from,
/// SECOND another book file, SNAPSHOT a snapshot of a database, PLAYED a database with the games in GAMES, SHOGI a database of
/// shogi with the games in RECORDS, MOVES a book file of shogi, ENGINE an engine for shogi that searches LONG, and NEW a free name.
const COMMANDS: [(&str, &str); 82] = [
    ("import OTHER --book NEW.obook", ""),
    ("import OTHER --book BOOK --force", ""),
    ("import SECOND --book BOOK", WIPE),
    ("restore SNAPSHOT NEW.obook", ""),
    ("restore SNAPSHOT BOOK --force", WIPE),
    ("snapshot BOOK NEW.zst", ""),
    ("snapshot BOOK SNAPSHOT --force", WIPE),
    ("export BOOK NEW.dat", ""),
    ("export BOOK NEW.egbk3.zst", ""),
    ("export BOOK NEW.dat --memory 1KB", ""),
    ("convert OTHER NEW.egbk3", ""),
    ("convert OTHER NEW.egbk3 --memory 1KB", ""),
    ("depth OTHER 20 --output NEW.dat", ""),
    ("verify OTHER --fix-what-is-safe --output NEW.dat", ""),
    ("site BOOK NEW --plies 3", ""),
    ("plot BOOK scores --output NEW.svg", ""),
    ("plot OTHER scores --output NEW.svg", ""),
    ("fix BOOK", WIPE),
    ("fix BOOK --rules egaroucid-edax", WIPE),
    ("fix BOOK --memory 1KB", WIPE),
    ("link BOOK", "DELETE FROM links"),
    ("negamax BOOK --rules egaroucid-edax", WIPE),
    ("verify BOOK --fix-what-is-safe", WIPE),
    ("accuracy BOOK --store", "UPDATE book SET level = 1"),
    ("merge BOOK SECOND", WIPE),
    ("merge BOOK SECOND", "UPDATE book SET fixed = 1"),
    ("prune BOOK", WIPE),
    ("subtree BOOK f5d6c5", WIPE),
    ("reduce BOOK --depth 20 --per-move 0 --per-line 0", WIPE),
    ("depth BOOK 20", WIPE),
    ("level BOOK --at-most 1", WIPE),
    ("level BOOK --engine edax --name tiny", WIPE),
    ("edit BOOK f5d6 --value 9", "UPDATE book SET fixed = 1"),
    (SEARCH, LOSE_LEAVES),
    (LEARN, ""),
    (TASKS, ""),
    ("why BOOK f5d6 --search 3", ""),
    (SALVAGE, ""),
    ("games import GAMES --book NEW.obook", ""),
    ("games import GAMES --book BOOK", ""),
    ("games export PLAYED NEW.ggf", ""),
    ("games remove PLAYED --won-by black", ""),
    ("rate store PLAYED --min-games 1", ""),
    ("extract GAMES --book NEW.obook --min-games 2", ""),
    (
        "check GAMES --game 1 --level 1 --exact 4 --jobs 1 --output NEW.ggf",
        "",
    ),
    ("export BOOK NEW.egbk3.zst --memory 1KB", ""),
    ("import OTHER --book NEW.obook --memory 1KB", ""),
    ("import SECOND --book BOOK --memory 1KB", WIPE),
    (
        "merge BOOK SECOND --memory 1KB",
        "UPDATE book SET fixed = 1",
    ),
    ("link BOOK --memory 1KB", "DELETE FROM links"),
    ("verify BOOK --fix-what-is-safe --memory 1KB", WIPE),
    ("prune BOOK --memory 1KB", WIPE),
    ("subtree BOOK f5d6c5 --memory 1KB", WIPE),
    (
        "reduce BOOK --depth 20 --per-move 0 --per-line 0 --memory 1KB",
        WIPE,
    ),
    ("depth BOOK 20 --memory 1KB", WIPE),
    ("depth OTHER 20 --output NEW.dat --memory 1KB", ""),
    ("level BOOK --at-most 1 --memory 1KB", WIPE),
    ("negamax BOOK --rules egaroucid-edax --memory 1KB", WIPE),
    ("accuracy BOOK --store --memory 1KB", ""),
    (LEARN_IN_FILES, ""),
    (TASKS_IN_FILES, ""),
    ("undo BOOK", ""),
    ("redo BOOK", ""),
    (
        "compact BOOK",
        "CREATE TABLE other (x); INSERT INTO other VALUES (zeroblob(1000000)); DROP TABLE other",
    ),
    ("history BOOK --keep 0", ""),
    ("query BOOK UPDATE`positions`SET`lines`=5 --write", ""),
    ("shogi import MOVES --book NEW.obook", ""),
    ("shogi import MOVES --book SHOGI", ""),
    ("shogi import MOVES --book SHOGI --memory 2KB", ""),
    ("shogi merge SHOGI MOVES", ""),
    ("shogi merge SHOGI MOVES --memory 2KB", ""),
    ("shogi export SHOGI NEW.db", ""),
    ("shogi convert MOVES NEW.ybb", ""),
    (SHOGI_SEARCH, ""),
    (SHOGI_LEARN, ""),
    ("shogi fix SHOGI", ""),
    ("shogi prune SHOGI ENDGAME", ""),
    ("shogi games import RECORDS --book NEW.obook", ""),
    ("shogi games export SHOGI NEW.csa", ""),
    ("shogi games remove SHOGI 1", ""),
    ("shogi extract RECORDS --book NEW.obook --min-games 1", ""),
    ("shogi rate store SHOGI --min-games 1", ""),
];

/// The commands to try: a different third of them each day, unless `OBOOK_LONG` chooses.
fn chosen() -> Vec<&'static (&'static str, &'static str)> {
    match std::env::var("OBOOK_LONG").as_deref() {
        Ok("1") => COMMANDS.iter().collect(),
        Ok(word) => {
            let named = COMMANDS.iter().filter(|(typed, _)| typed.contains(word));
            named.collect()
        }
        Err(_) => {
            let today = UNIX_EPOCH.elapsed().unwrap().as_secs() / (24 * 60 * 60);
            let first = (today % 3) as usize;
            println!("every third command from number {first}");
            COMMANDS.iter().skip(first).step_by(3).collect()
        }
    }
}

/// Goes on if a file can't be read, and says what is missing.
const SALVAGE: &str = "salvage BOOK NEW.obook";

/// The locks of a run of `learn` or `tasks`, and the command that removes them: one that is killed or can't remove it leaves it.
const RUN_LOCKS: [(&str, &str); 2] = [
    ("/book.obook-run", TASKS),
    ("/shogi.obook-run", SHOGI_LEARN),
];

/// Commands that make several transactions: only the contents of the finished book are compared, not its history.
const IN_PARTS: [&str; 7] = [
    SEARCH,
    LEARN,
    TASKS,
    LEARN_IN_FILES,
    TASKS_IN_FILES,
    SHOGI_SEARCH,
    SHOGI_LEARN,
];

/// Commands that only print, in temporary files.
const PRINTED: [&str; 9] = [
    "verify BOOK --memory 1KB",
    "verify OTHER --memory 1KB",
    "diff BOOK SECOND --memory 1KB",
    "diff OTHER SECOND --memory 1KB",
    "stats BOOK --memory 1KB",
    "stats OTHER --memory 1KB",
    "accuracy OTHER --all --memory 1KB",
    "prune BOOK --dry-run --memory 1KB",
    "merge BOOK SECOND --dry-run --memory 1KB",
];

/// Commands that write nothing, or only files that others above write in the same way.
const OTHERS: &[&str] = &[
    "serve",
    "show",
    "line",
    "play",
    "frontier",
    "worst",
    "openings",
    "info",
    "stats",
    "diff",
    "hint",
    "solve",
    "engines list",
    "engines test",
    "games list",
    "games show",
    "games stats",
    "games at",
    "repertoire",
    "shell",
    "completions",
    // Answers go to standard output.
    "work",
    // Pictures, like `plot scores`.
    "plot empties",
    "plot accuracy",
    "plot chances",
    "plot growth",
    "plot tree",
    "rate compare",
    // Text, which can be written again.
    "man",
    "shogi show",
    "shogi line",
    "shogi why",
    "shogi info",
    "shogi stats",
    "shogi evaluate",
    "shogi fit",
    "shogi match",
    "shogi diff",
    "shogi verify",
    "shogi query",
    "shogi games verify",
    "shogi games list",
    "shogi games show",
    "shogi games at",
    "shogi games stats",
    // The same code as without `shogi`.
    "shogi history",
    "shogi undo",
    "shogi redo",
    "shogi snapshot",
    "shogi restore",
    "shogi compact",
];

/// Every command is in one of the two lists.
#[test]
fn every_command_that_writes_is_tried() {
    let commands = commands();
    for command in &commands {
        let words: Vec<&str> = command.split(' ').collect();
        let is_tried = |(typed, _): &(&str, &str)| match words[..] {
            ["plot", kind] => typed.starts_with("plot ") && typed.contains(kind),
            _ => typed.split(' ').zip(&words).all(|(a, b)| a == *b),
        };
        let is_tried = COMMANDS.iter().any(is_tried);
        assert_ne!(is_tried, OTHERS.contains(&command.as_str()), "{command}");
    }
    let unknown = OTHERS
        .iter()
        .find(|other| !commands.iter().any(|it| it == *other));
    assert_eq!(unknown, None);
}

/// Commands without slabs: they hold a book file in memory and refuse one that doesn't fit, or keep it in a temporary database, of which
/// SQLite reads nothing back if the book is small.
const HELD: [&str; 5] = [
    "shogi convert",
    "shogi verify",
    "shogi diff",
    "shogi import",
    "shogi merge",
];

/// Every command that may work in temporary files is tried in these.
#[test]
fn every_command_with_temporary_files_is_tried_there() {
    let tried = COMMANDS.iter().map(|(typed, _)| *typed).chain(PRINTED);
    let tried: Vec<&str> = tried.filter(|typed| typed.ends_with(IN_FILES)).collect();
    let mut found = 0;
    let all = commands();
    for command in all
        .iter()
        .filter(|command| !HELD.contains(&command.as_str()))
    {
        let mut words: Vec<&str> = command.split(' ').collect();
        words.push("--help");
        if stdout(words).contains("--memory") {
            let is_tried = tried.iter().any(|typed| typed.starts_with(command));
            assert!(is_tried, "{command}");
            found += 1;
        }
    }
    assert!(found > 10, "{found}");
}

/// The number of faults to try for each command if not all are tried.
const SAMPLE: usize = 4;

/// Of commands in temporary files, how many reads of these are tried beside.
const READ_BACK: usize = 6;

/// A command with so little memory works in temporary files.
const IN_FILES: &str = " --memory 1KB";

/// The files that each command starts with.
struct Template {
    folder: TempDir,
}

impl Template {
    fn new() -> Template {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (book, other) = (path("book.obook"), path("other.dat"));
        fs::copy(golden("edax/games.prune.dat"), &other).unwrap();
        let second = golden("edax/small.subtree_f5d6c4.dat");
        fs::copy(second, path("second.dat")).unwrap();
        stdout(["import", arg(&other), "--book", arg(&book)]);
        stdout(["negamax", arg(&book), "--rules", "egaroucid"]);
        stdout(["negamax", arg(&book), "--rules", "egaroucid-edax"]);
        stdout(["undo", arg(&book)]);
        stdout(["snapshot", arg(&book), arg(&path("snapshot.zst"))]);
        let (games, played) = (path("games.txt"), path("played.obook"));
        stdout(["games", "import", ARCHIVE, "--book", arg(&played)]);
        stdout(["games", "export", arg(&played), arg(&games)]);
        fs::remove_file(&played).unwrap();
        let all = fs::read_to_string(&games).unwrap();
        let some = all.split_inclusive('\n').take(4).collect::<String>();
        fs::write(&games, some).unwrap();
        stdout(["games", "import", arg(&games), "--book", arg(&played)]);
        fs::write(path("recipe.toml"), RECIPE).unwrap();
        let data = crate::support::root().join("examples");
        let [own, added] = SHOGI_MOVES.map(|name| data.join(name));
        let (shogi, records) = (path("shogi.obook"), path("records.csa"));
        fs::copy(added, path("moves.db")).unwrap();
        let all = fs::read_to_string(data.join("games.csa")).unwrap();
        let first = all.split_inclusive("\n/\n").take(1).collect::<String>();
        fs::write(&records, first).unwrap();
        stdout(["shogi", "import", arg(&own), "--book", arg(&shogi)]);
        let to_shogi = ["--book", arg(&shogi)];
        stdout(
            [
                ["shogi", "games", "import", arg(&records)].as_slice(),
                &to_shogi,
            ]
            .concat(),
        );
        Template { folder }
    }

    /// Copies them to a new folder.
    fn work(&self, command: &str, sql: &str) -> Work {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for entry in fs::read_dir(&self.folder).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), root.join(entry.file_name())).unwrap();
        }
        fs::create_dir(root.join("tmp")).unwrap();
        if !sql.is_empty() {
            let connection = Connection::open(root.join("book.obook")).unwrap();
            connection.execute_batch(sql).unwrap();
        }
        Work {
            _folder: folder,
            root,
            in_parts: IN_PARTS.contains(&command),
        }
    }
}

/// A folder for one command.
struct Work {
    _folder: TempDir,
    root: PathBuf,
    /// Whether the command makes several transactions: see [`IN_PARTS`].
    in_parts: bool,
}

/// Files by name, with their contents; for databases a digest, and whether they have free space.
type State = BTreeMap<String, Vec<u8>>;

impl Work {
    fn words(&self, command: &str) -> Vec<String> {
        let path = |name: &str| arg(&self.root.join(name)).to_owned();
        let engine = crate::support::root().join("tests/data/shogi/usi.py");
        let engine = format!("usi:python3 {}", engine.display());
        let names = [
            ("BOOK", path("book.obook")),
            ("OTHER", path("other.dat")),
            ("SECOND", path("second.dat")),
            ("SNAPSHOT", path("snapshot.zst")),
            ("PLAYED", path("played.obook")),
            ("GAMES", path("games.txt")),
            ("SHOGI", path("shogi.obook")),
            ("RECORDS", path("records.csa")),
            ("MOVES", path("moves.db")),
            ("ENDGAME", ENDGAME.to_owned()),
            ("ENGINE", engine),
            ("LONG", String::from("depth 2")),
            ("RECIPE", path("recipe.toml")),
            ("NEW", path("new")),
        ];
        let word = |word: &str| {
            let named = names.iter().find_map(|(name, path)| {
                let end = word.strip_prefix(name)?;
                Some(format!("{path}{end}"))
            });
            named.unwrap_or_else(|| word.to_owned())
        };
        command.split(' ').map(word).collect()
    }

    /// The names of all files, including temporary ones.
    fn names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for folder in ["", "tmp"] {
            for entry in fs::read_dir(self.root.join(folder)).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                names.insert(format!("{folder}/{name}"));
            }
        }
        names
    }

    fn state(&self) -> State {
        self.state_with(!self.in_parts)
    }

    /// The state, with the history of databases or without it.
    fn state_with(&self, history: bool) -> State {
        let mut state = State::new();
        for entry in fs::read_dir(&self.root).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let held = match path.extension().and_then(|end| end.to_str()) {
                Some("obook") if !history => digest_of_contents(&path),
                Some("obook") => {
                    let mut held = digest(&path);
                    held.push(u8::from(has_room(&path)));
                    held
                }
                Some("zst") if !name.contains("egbk") => {
                    let unpacked = self._folder.path().join("unpacked.database");
                    let packed = fs::File::open(&path).unwrap();
                    let mut to = fs::File::create(&unpacked).unwrap();
                    zstd::stream::copy_decode(packed, &mut to).unwrap();
                    let held = digest(&unpacked);
                    fs::remove_file(unpacked).unwrap();
                    held
                }
                Some(
                    "zst" | "dat" | "egbk3" | "db" | "ybb" | "svg" | "ggf" | "csa" | "txt" | "toml",
                ) => fs::read(&path).unwrap(),
                None if path.is_dir() && name != "tmp" => contents(&path),
                _ => continue,
            };
            state.insert(name, held);
        }
        state
    }
}

/// All names and contents of a folder.
fn contents(folder: &Path) -> Vec<u8> {
    let entries = fs::read_dir(folder).unwrap();
    let files: BTreeSet<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    let held = files.iter().flat_map(|file| {
        let name = file.file_name().unwrap().as_encoded_bytes().to_vec();
        [name, fs::read(file).unwrap()]
    });
    held.flatten().collect()
}

/// Whether a database has free pages, which is all that `compact` changes.
fn has_room(path: &Path) -> bool {
    let connection = Connection::open(path).unwrap();
    let free = connection.query_row("PRAGMA freelist_count", [], |row| row.get::<_, i64>(0));
    free.unwrap() > 0
}

/// Whether a command succeeded. `verify` has an exit status of its own for faults that it can't repair.
fn worked(command: &str, output: &Output) -> bool {
    let status = output.status.code();
    let may_find = command.contains("--fix-what-is-safe") && !output.stdout.is_empty();
    status == Some(0) || may_find && status == Some(1) && output.stderr.is_empty()
}

/// Whether a command did what it could and says what is missing: `salvage` in lines below its first, an import of games by its status
/// and the number of files that can't be read to their end, a book of games by its status and the name of such a file.
fn says_what_is_missing(command: &str, output: &Output) -> bool {
    let said = String::from_utf8_lossy(&output.stdout);
    match command {
        SALVAGE => output.status.success() && said.lines().any(|line| line.starts_with("  ")),
        _ if imports_games(command) => {
            output.status.code() == Some(1) && said.contains("can't be read")
        }
        _ if command.starts_with("extract") => {
            let said = String::from_utf8_lossy(&output.stderr);
            output.status.code() == Some(1) && said.contains("games.txt: ")
        }
        _ => false,
    }
}

/// Such a command takes the games before the place where a file can't be read. The next import adds the others.
fn imports_games(command: &str) -> bool {
    command.contains("games import")
}

/// An undisturbed run of a command.
struct Case {
    command: &'static str,
    sql: &'static str,
    before: State,
    after: State,
    /// The same without the history of databases.
    contents: State,
    /// The calls, by name.
    calls: Vec<String>,
}

impl Case {
    fn new(
        template: &Template,
        injector: &Injector,
        &(command, sql): &(&'static str, &'static str),
    ) -> Case {
        let work = template.work(command, sql);
        let before = work.state();
        let (output, calls) = injector.count(&work.root, &work.words(command));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(worked(command, &output), "{command}: {said}");
        let after = work.state();
        assert!(before != after, "{command} changes nothing");
        assert!(!says_what_is_missing(command, &output), "{command}: {said}");
        assert_eq!(
            work.names().len(),
            after.len() + 1,
            "{command}: {:?}",
            work.names()
        );
        Case {
            command,
            sql,
            before,
            after,
            contents: work.state_with(false),
            calls,
        }
    }

    /// All faults to inject.
    fn faults(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        for (at, name) in (1..).zip(&self.calls) {
            let mut add = |how| faults.push(Fault { at, how });
            add(How::Eio);
            let is_read = matches!(&**name, "read" | "read back");
            if is_read {
                add(How::Blind);
                continue;
            }
            if !matches!(&**name, "open" | "map" | "remove" | "truncate") {
                add(How::Full);
            }
            if name == "write" {
                add(How::Short);
            }
            if !matches!(&**name, "open" | "map") {
                add(How::Kill);
                add(How::Power { seed: 0 });
                add(How::Power { seed: at });
            }
        }
        faults
    }

    /// A few of them. Of a command in temporary files, some are reads of these.
    fn some_faults(&self, random: &mut Random) -> Vec<Fault> {
        let mut faults = self.faults();
        random.shuffle(&mut faults);
        let is_back = |fault: &&Fault| self.calls[fault.at as usize - 1] == "read back";
        let mut back: Vec<Fault> = faults.iter().filter(is_back).copied().collect();
        if self.command.ends_with(IN_FILES) {
            assert!(!back.is_empty(), "{}", self.command);
            back.truncate(READ_BACK);
        } else {
            back.clear();
        }
        faults.truncate(SAMPLE);
        faults.extend(back);
        faults
    }

    /// Tests that a command's changes are on the disk when it ends.
    fn lasts(&self, template: &Template, injector: &Injector) {
        let work = template.work(self.command, self.sql);
        let at_the_end = Fault {
            at: 0,
            how: How::Power { seed: 0 },
        };
        let output = injector.run(&work.root, &work.words(self.command), at_the_end);
        assert!(worked(self.command, &output), "{}", self.command);
        assert!(
            work.state() == self.after,
            "{}: the power goes when it has ended, and not all is there",
            self.command
        );
    }

    /// Tries one fault. Returns whether the command succeeded in spite of it.
    fn survives(&self, template: &Template, injector: &Injector, fault: Fault) -> bool {
        let Case { command, .. } = self;
        let call = &self.calls[fault.at as usize - 1];
        let what = format!("{command}: {fault:?} ({call})");
        let work = template.work(self.command, self.sql);
        let output = injector.run(&work.root, &work.words(command), fault);
        let said = String::from_utf8_lossy(&output.stderr);
        let state = work.state();
        let (is_before, is_after) = (state == self.before, state == self.after);
        let worked = worked(command, &output);
        let is_partial = says_what_is_missing(command, &output);
        assert!(
            is_before || is_after || work.in_parts || is_partial,
            "{what}: neither as before nor as after; {said}"
        );
        match fault.how {
            How::Short => assert!(worked, "{what}: {said}"),
            // Threads may run in another order, and make fewer calls.
            How::Kill | How::Power { .. } => {
                assert!(worked || output.status.code().is_none(), "{what}: {said}");
            }
            How::Eio | How::Blind | How::Full => {
                assert!(
                    worked || output.status.code() == Some(1),
                    "{what}: {:?}; {said}",
                    output.status
                );
                assert!(worked || said.starts_with("obook: "), "{what}: {said}");
            }
        }
        assert!(
            !worked || is_after || is_partial,
            "{what}: it says that it worked"
        );
        // The next command works as if nothing had happened, and leaves no stray files.
        let next = match is_after {
            true => "plot BOOK scores --output next.svg --force"
                .replace("next.svg", arg(&work.root.join("next.svg"))),
            false if is_partial && !imports_games(command) => format!("{command} --force"),
            false => (*command).to_owned(),
        };
        let output = injector.plain(&work.root, &work.words(&next));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(self::worked(&next, &output), "{what}, then: {said}");
        let _ = fs::remove_file(work.root.join("next.svg"));
        match is_partial && imports_games(command) {
            // Two imports made it.
            true => assert_eq!(
                work.state_with(false),
                self.contents,
                "{what}, then the same"
            ),
            false => assert_eq!(work.state(), self.after, "{what}, then the same"),
        }
        for (lock, next) in RUN_LOCKS {
            if is_after && work.names().contains(lock) {
                let output = injector.plain(&work.root, &work.words(next));
                assert!(output.status.success(), "{what}, then {next}");
            }
        }
        let expected: BTreeSet<String> = self
            .after
            .keys()
            .map(|name| format!("/{name}"))
            .chain([String::from("/tmp")])
            .collect();
        assert_eq!(work.names(), expected, "{what}: leftovers");
        worked
    }
}

#[needs(cc)]
/// Law (Crashes, untrusted books, concurrency): Whatever call fails or comes last before a kill or a power cut, a change is
/// complete or absent, and no files are left behind.
/// Also: `a_failure_is_not_taken_for_write_protection` `cli/tests/program/fix.rs` `a_failure_midway_changes_nothing`
/// `cli/tests/program/cuts.rs` `a_failure_midway_changes_nothing` `cli/tests/fuzzed/replay.rs` `import`
/// `cli/tests/program/safety.rs` `a_killed_change_was_made_or_was_not` `a_killed_import_leaves_the_old_book_or_the_new_one`
#[test]
fn a_change_was_made_or_was_not_whatever_fails() {
    let is_long = std::env::var_os("OBOOK_LONG").is_some();
    let template = Template::new();
    let injector = Injector::compile();
    let mut random = Random(7);
    let mut counts: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    let (mut failures, mut calls) = (Vec::new(), 0);
    for command in chosen() {
        let case = Case::new(&template, &injector, command);
        calls += case.calls.len();
        case.lasts(&template, &injector);
        for wanted in ["write", "sync", "read"] {
            let there = case.calls.iter().any(|name| name == wanted);
            assert!(there, "{}: no {wanted} is seen", case.command);
        }
        let faults = match is_long {
            false => case.some_faults(&mut random),
            true => case.faults(),
        };
        println!("{}: {} faults", case.command, faults.len());
        let outcomes: Vec<_> = faults
            .par_iter()
            .map(|fault| {
                let tried = || case.survives(&template, &injector, *fault);
                (
                    fault,
                    std::panic::catch_unwind(std::panic::AssertUnwindSafe(tried)),
                )
            })
            .collect();
        for (fault, outcome) in outcomes {
            let [worked, stopped] = counts.entry(fault.how.name()).or_default();
            match outcome {
                Ok(true) => *worked += 1,
                Ok(false) => *stopped += 1,
                Err(panic) => {
                    let text = panic.downcast_ref::<String>().cloned();
                    failures.push(text.unwrap_or_else(|| format!("{fault:?}")));
                }
            }
        }
    }
    println!("{calls} calls");
    for (how, [worked, stopped]) in &counts {
        println!(
            "{how}: {} faults, {stopped} stopped the command",
            worked + stopped
        );
    }
    assert!(
        failures.is_empty(),
        "{} failures:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert_eq!(counts.len(), 6, "{counts:?}");
}

/// A read that fails stops a command that only prints, or it prints the same.
#[needs(cc)]
#[test]
fn nothing_false_is_printed_if_a_read_fails() {
    let template = Template::new();
    let injector = Injector::compile();
    let is_long = std::env::var_os("OBOOK_LONG").is_some();
    let mut random = Random(8);
    let mut stopped = 0;
    for command in PRINTED {
        let work = template.work(command, "");
        let (said, calls) = injector.count(&work.root, &work.words(command));
        let reads = (1..).zip(&calls);
        let mut faults: Vec<Fault> = reads
            .filter(|(_, name)| *name == "read back")
            .flat_map(|(at, _)| [How::Eio, How::Blind].map(|how| Fault { at, how }))
            .collect();
        if !is_long {
            random.shuffle(&mut faults);
            faults.truncate(READ_BACK);
        }
        let before = work.state();
        for fault in faults {
            let output = injector.run(&work.root, &work.words(command), fault);
            let error = String::from_utf8_lossy(&output.stderr);
            if error.starts_with("obook: ") {
                // The status 1 of `diff` says that the books differ.
                let failed = if command.starts_with("diff") { 2 } else { 1 };
                assert_eq!(output.status.code(), Some(failed), "{command}: {fault:?}");
                stopped += 1;
            } else {
                assert_eq!(output, said, "{command}: {fault:?}");
            }
        }
        assert!(work.state() == before, "{command}");
        assert!(!work.names().iter().any(|name| name.starts_with("tmp/")));
    }
    assert!(stopped > PRINTED.len(), "{stopped}");
}

/// Commands that have a book open, beside [`COMMANDS`].
const WITH_A_BOOK: [&str; 13] = [
    "merge BOOK PLAYED",
    "merge PLAYED BOOK",
    "import PLAYED --book BOOK",
    "diff BOOK PLAYED",
    "verify BOOK",
    "info BOOK",
    "stats BOOK",
    "accuracy BOOK",
    "why BOOK f5d6",
    "frontier BOOK",
    "extract PLAYED --book NEW.obook --min-games 1",
    "shogi info SHOGI",
    "shogi verify SHOGI",
];

/// The locks of a process on a file end when it closes any descriptor of it. [`Injector::count`] looks at that, also for [`COMMANDS`].
#[needs(cc)]
#[test]
fn no_command_gives_up_its_locks() {
    let template = Template::new();
    let injector = Injector::compile();
    for command in WITH_A_BOOK {
        let work = template.work(command, "");
        let (_, calls) = injector.count(&work.root, &work.words(command));
        assert!(calls.iter().any(|call| call == "map"), "{command}: no book");
    }
}

/// The disk fills up while temporary files are written.
#[needs(cc)]
#[test]
fn a_full_disk_names_the_folder_of_temporary_files() {
    let template = Template::new();
    let injector = Injector::compile();
    for command in [
        "convert OTHER NEW.egbk3 --memory 1KB",
        "export BOOK NEW.dat --memory 1KB",
    ] {
        let work = template.work(command, "");
        let (_, calls) = injector.count(&work.root, &work.words(command));
        let writes: Vec<u32> = (1..)
            .zip(&calls)
            .filter(|(_, name)| *name == "write")
            .map(|(at, _)| at)
            .collect();
        // The output comes last, and is short.
        let at = writes[writes.len() / 2];
        let work = template.work(command, "");
        let how = How::Full;
        let output = injector.run(&work.root, &work.words(command), Fault { at, how });
        let said = String::from_utf8(output.stderr).unwrap();
        let expected = format!(
            "obook: {}: can't write a temporary file there: No space left on device (os error 28); make room there, or name a folder \
             on another disk in the environment variable TMPDIR\n",
            arg(&work.root.join("tmp"))
        );
        assert_eq!(said, expected, "{command}");
    }
}

/// A full disk has no room for the index of a book's log, and a book that nobody has open is read without it.
#[needs(cc)]
#[test]
fn a_book_is_read_on_a_full_disk() {
    let template = Template::new();
    let injector = Injector::compile();
    // An empty file needs no room.
    let full = |work: &Work, words: &[String]| {
        let (_, calls) = injector.count(&work.root, words);
        let write = calls.iter().position(|call| call == "write");
        let at = write.expect("the index is written to") as u32 + 1;
        let how = How::Full;
        injector.run(&work.root, words, Fault { at, how })
    };
    for command in ["show BOOK f5d6", "info BOOK", "verify BOOK"] {
        let work = template.work(command, "");
        let words = work.words(command);
        let expected = injector.plain(&work.root, &words);
        let output = full(&work, &words);
        assert_eq!(output, expected, "{command}");
        assert!(output.status.success(), "{command}");
    }
    let command = "edit BOOK f5d6 --value 9";
    let work = template.work(command, "");
    let output = full(&work, &work.words(command));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the disk has no room"), "{said}");
}

/// SQLite opens a file for reading if opening it for writing fails, for whatever reason.
#[needs(cc)]
#[test]
fn a_failure_is_not_taken_for_write_protection() {
    let template = Template::new();
    let injector = Injector::compile();
    for command in [
        "edit BOOK f5d6 --value 9",
        "query BOOK UPDATE`positions`SET`lines`=5 --write",
    ] {
        let work = template.work(command, "");
        let (_, calls) = injector.count(&work.root, &work.words(command));
        let opens = (1..).zip(&calls).filter(|(_, name)| *name == "open");
        let mut failures = 0;
        for (at, _) in opens {
            let work = template.work(command, "");
            let how = How::Eio;
            let output = injector.run(&work.root, &work.words(command), Fault { at, how });
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!said.contains("this write-protected"), "{at}: {said}");
            assert!(!said.contains("is write-protected"), "{at}: {said}");
            failures += u32::from(!output.status.success());
        }
        assert!(failures > 0, "{command}: it opens the book");
    }
}

/// The injected library sees renames and removals.
#[needs(cc)]
#[test]
fn renames_and_removals_are_seen() {
    let template = Template::new();
    let injector = Injector::compile();
    for (command, wanted) in [
        ("import OTHER --book NEW.obook", "rename"),
        ("plot BOOK scores --output SNAPSHOT.svg", "rename"),
        ("import OTHER --book BOOK --force", "rename"),
        ("import OTHER --book BOOK --force", "remove"),
        ("import OTHER --book BOOK --force", "mkdir"),
        ("edit BOOK f5d6 --value 9", "truncate"),
        ("edit BOOK f5d6 --value 9", "map"),
    ] {
        let work = template.work(command, "");
        let (output, calls) = injector.count(&work.root, &work.words(command));
        assert!(worked(command, &output), "{command}");
        assert!(
            calls.iter().any(|call| call == wanted),
            "{command}: no {wanted} in {calls:?}"
        );
    }
    let output = obook(["info", arg(Path::new("none"))]);
    assert_eq!(output.status.code(), Some(1));
}
