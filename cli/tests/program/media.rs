//! Books that can be read but not written: on a share, in a mounted image, of another user.

use crate::support::program::{arg, fed, obook, stdout};
use crate::support::report::GAMES;
use obook_needs::needs;
use rusqlite::Connection;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Whether the folder is write-protected, and whether the file is.
const PROTECTIONS: [(bool, bool); 3] = [(true, true), (true, false), (false, true)];

/// Commands that only read BOOK, or make OUT from it.
const READING: [&str; 17] = [
    "info BOOK",
    "stats BOOK",
    "show BOOK f5",
    "line BOOK",
    "history BOOK",
    "accuracy BOOK",
    "frontier BOOK",
    "worst BOOK",
    "verify BOOK",
    "diff BOOK GAMES",
    "diff GAMES BOOK",
    "query BOOK SELECT(count(*))FROM(positions)",
    "query GAMES SELECT(count(*))FROM(other.positions) --attach other=BOOK",
    "plot BOOK scores",
    "depth BOOK 20 --dry-run",
    "export BOOK OUT.dat --json",
    "snapshot BOOK OUT.zst --json",
];

/// A folder with a book that other users can't change.
struct Shelf {
    _root: TempDir,
    folder: PathBuf,
    book: PathBuf,
    /// A folder where everybody may write.
    free: PathBuf,
    program: PathBuf,
}

impl Shelf {
    fn new() -> Shelf {
        let root = tempfile::tempdir().unwrap();
        let [folder, free] = ["a shelf", "free"].map(|name| root.path().join(name));
        // In a URI, a question mark would end the name.
        let (book, program) = (folder.join("100%?.obook"), root.path().join("obook"));
        for folder in [&folder, &free] {
            fs::create_dir(folder).unwrap();
        }
        mode(root.path(), 0o755);
        mode(&free, 0o777);
        let built = env!("CARGO_BIN_EXE_obook");
        if fs::hard_link(built, &program).is_err() {
            fs::copy(built, &program).unwrap();
        }
        stdout(["import", GAMES, "--book", arg(&book)]);
        Shelf {
            _root: root,
            folder,
            book,
            free,
            program,
        }
    }

    fn protect(&self, (folder, file): (bool, bool)) {
        for file_there in fs::read_dir(&self.folder).unwrap() {
            let path = file_there.unwrap().path();
            mode(&path, if file { 0o444 } else { 0o666 });
        }
        mode(&self.folder, if folder { 0o555 } else { 0o777 });
    }

    /// The program, run by a user who owns nothing here, because root may write everywhere.
    fn stranger(&self, words: &str) -> Command {
        let is_root = fs::metadata(&self.folder).unwrap().uid() == 0;
        let mut command = Command::new(if is_root {
            Path::new("setpriv")
        } else {
            &self.program
        });
        if is_root {
            command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
            command.arg(&self.program);
        }
        command
            .args(self.words(words, "stranger"))
            .current_dir(&self.free);
        command
    }

    /// The program, run by the owner.
    fn owner(&self, words: &str) -> Output {
        obook(self.words(words, "owner"))
    }

    fn words(&self, words: &str, who: &str) -> Vec<String> {
        let games = fs::canonicalize(GAMES).unwrap();
        let free = self.free.join("games.dat");
        fs::copy(games, &free).unwrap();
        let out = self.free.join(who);
        let word = |word: &str| {
            let word = word
                .replace("BOOK", arg(&self.book))
                .replace("GAMES", arg(&free));
            word.replace("OUT", arg(&out))
        };
        words.split(' ').map(word).collect()
    }

    fn files(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(&self.folder).unwrap();
        let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
        files.sort();
        files
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        mode(&self.folder, 0o755);
    }
}

fn mode(path: &Path, bits: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(bits)).unwrap();
}

/// The message, without the name of the program.
fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("stranger", "owner");
    (
        output.status.code(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[needs(write_protection)]
/// Law (Crashes, untrusted books, concurrency): A book on read-only media or a full disk can be read, leaving no files;
/// unreadable changes are reported.
/// Also: `changes_beside_a_write_protected_book_are_read_or_named` `cli/tests/program/faults/mod.rs`
/// `a_book_is_read_on_a_full_disk`
#[test]
fn a_write_protected_book_can_be_read() {
    let shelf = Shelf::new();
    for protection in PROTECTIONS {
        for words in READING {
            shelf.protect((false, false));
            let expected = said(&shelf.owner(words));
            assert!(matches!(expected.0, Some(0 | 1)), "{words}: {expected:?}");
            assert_eq!(expected.2, "", "{words}");
            for made in ["owner.dat", "owner.zst"] {
                let _ = fs::remove_file(shelf.free.join(made));
            }
            shelf.protect(protection);
            let found = said(&shelf.stranger(words).output().unwrap());
            assert_eq!(found, expected, "{words}, {protection:?}");
            assert_eq!(
                shelf.files(),
                [&*shelf.book],
                "{words}: nothing is left there"
            );
            for made in ["stranger.dat", "stranger.zst"] {
                let _ = fs::remove_file(shelf.free.join(made));
            }
        }
        let asked = fed(
            &mut shelf.stranger("shell BOOK"),
            "SELECT count(*) AS n FROM positions;\n",
        );
        assert!(said(&asked).1.contains("2247"), "{asked:?}");
        assert_eq!(shelf.files(), [&*shelf.book]);
    }
}

/// The output of a program, which is killed if it hasn't ended after a minute.
fn ended(mut program: Command) -> Output {
    let child = program
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    child.wait_with_output().unwrap()
}

#[needs(write_protection)]
#[test]
fn write_protected_books_are_not_changed() {
    let shelf = Shelf::new();
    let before = fs::read(&shelf.book).unwrap();
    for protection in PROTECTIONS {
        shelf.protect(protection);
        for words in [
            "fix BOOK",
            "undo BOOK",
            "edit BOOK f5 --value 2",
            "merge BOOK GAMES",
            "learn BOOK --recipe quick --level 1",
            "tasks BOOK --recipe quick",
            "search BOOK --level 1",
            #[cfg(feature = "explorer")]
            "serve BOOK --write --port 0",
        ] {
            let (status, _, complaint) = said(&ended(shelf.stranger(words)));
            assert_eq!(status, Some(1), "{words}: {complaint}");
            assert!(
                complaint.contains("write-protected; to change it, copy it"),
                "{words}: {complaint}"
            );
            assert_eq!(complaint.lines().count(), 1, "{complaint}");
        }
        assert!(fs::read(&shelf.book).unwrap() == before);
        assert_eq!(shelf.files(), [&*shelf.book]);
    }
    // The advice works.
    let own = shelf.free.join("own.obook");
    fs::copy(&shelf.book, &own).unwrap();
    mode(&own, 0o666);
    let changed = shelf
        .stranger(&format!("edit {} f5 --value 2", arg(&own)))
        .output();
    assert_eq!(said(&changed.unwrap()).0, Some(0));
}

#[needs(write_protection)]
#[test]
fn changes_beside_a_write_protected_book_are_read_or_named() {
    for protection in PROTECTIONS {
        let shelf = Shelf::new();
        let level = |words: &str| said(&shelf.stranger(words).output().unwrap());
        let ask = "query BOOK SELECT(verbosity)FROM(book) --format csv";
        let owner = Connection::open(&shelf.book).unwrap();
        owner
            .execute_batch("UPDATE book SET verbosity = 77")
            .unwrap();
        // While its owner has it open, everything that a reader needs exists.
        shelf.protect(protection);
        let found = level(ask);
        assert!(found.1.contains("77"), "{protection:?}: {found:?}");
        // The book as a killed process leaves it, on another disk.
        let copy = shelf.free.join("copy");
        let wal = PathBuf::from(format!("{}-wal", arg(&shelf.book)));
        fs::copy(&wal, &copy).unwrap();
        let before = fs::read(&shelf.book).unwrap();
        shelf.protect((false, false));
        drop(owner);
        fs::write(&shelf.book, before).unwrap();
        fs::copy(&copy, &wal).unwrap();
        shelf.protect(protection);
        let (status, _, complaint) = level(ask);
        assert_eq!(status, Some(1), "{protection:?}: {complaint}");
        assert!(
            complaint.contains(&format!("some of its changes are in {}", arg(&wal))),
            "{complaint}"
        );
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        assert_eq!(shelf.files().len(), 2, "nothing is left there");
        // Both pieces of advice work.
        let own = shelf.free.join("own.obook");
        for end in ["", "-wal"] {
            let [from, to] = [&shelf.book, &own].map(|path| format!("{}{end}", arg(path)));
            fs::copy(&from, &to).unwrap();
            mode(to.as_ref(), 0o666);
        }
        let found = level(&ask.replace("BOOK", arg(&own)));
        assert!(found.1.contains("77"), "{found:?}");
        shelf.protect((false, false));
        assert_eq!(said(&shelf.owner("info BOOK")).0, Some(0));
        shelf.protect(protection);
        let found = level(ask);
        assert!(found.1.contains("77"), "{found:?}");
    }
}

#[needs(write_protection)]
#[test]
fn a_reader_learns_of_changes_meanwhile() {
    let shelf = Shelf::new();
    shelf.protect((true, true));
    let mut shell = shelf
        .stranger("shell BOOK")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = shell.stdin.take().unwrap();
    writeln!(stdin, "SELECT count(*) FROM positions;").unwrap();
    stdin.flush().unwrap();
    shell.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
    shelf.protect((false, false));
    assert_eq!(said(&shelf.owner("edit BOOK f5 --value 2")).0, Some(0));
    drop(stdin);
    let (status, _, complaint) = said(&shell.wait_with_output().unwrap());
    assert_eq!(status, Some(1), "{complaint}");
    assert!(complaint.contains("while it was read"), "{complaint}");
}

/// Law (Crashes, untrusted books, concurrency): A book at rest is one file, and the log of one in use is short.
/// Also: `tests/store/wal.rs` `the_next_change_removes_an_old_journal` `a_large_change_leaves_a_short_log`
#[test]
fn a_book_at_rest_has_nothing_beside_it() {
    let shelf = Shelf::new();
    let changing = [
        "fix BOOK",
        "negamax BOOK --rules egaroucid",
        "undo BOOK",
        "undo BOOK",
        "redo BOOK",
        "edit BOOK f5 --value 2",
        "edit BOOK a1 --value 2",
        "merge BOOK GAMES",
        "query BOOK UPDATE(book)SET(level)=1 --write",
        "query BOOK nonsense --write",
        "query BOOK nonsense",
        "history BOOK --keep 0",
        "verify BOOK --fix-what-is-safe",
    ];
    let leftover = |end: &str| PathBuf::from(format!("{}{end}", arg(&shelf.book)));
    for words in READING.iter().chain(&changing) {
        shelf.owner(words);
        assert_eq!(shelf.files(), [&*shelf.book], "{words}");
        for made in ["owner.dat", "owner.zst"] {
            let _ = fs::remove_file(shelf.free.join(made));
        }
        // Leftovers of other programs are removed, too.
        fs::write(leftover("-wal"), "").unwrap();
        fs::write(leftover("-shm"), "").unwrap();
        assert_eq!(said(&shelf.owner("info BOOK")).0, Some(0));
        assert_eq!(shelf.files(), [&*shelf.book], "info");
    }
}
