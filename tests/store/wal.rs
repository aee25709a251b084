//! Damage to a book's log is found before SQLite discards changes. The remains of a crash are not damage.

use super::support::{book, change, open, texts};
use obook::{Context, Error, Store, StoreError};
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};

const PAGE: usize = 4096;
const FRAME: usize = 24 + PAGE;

/// A book in the state in which a killed process leaves it: a database, and a log with some commits.
struct Killed {
    folder: tempfile::TempDir,
    database: Vec<u8>,
    log: Vec<u8>,
    /// The notes after the last commit.
    notes: Vec<String>,
}

const NOTES: &str = "SELECT text FROM notes ORDER BY id";

/// Makes these changes, and then some that are never committed.
fn killed(changes: &[&str], unfinished: &str) -> Killed {
    let (folder, path) = book();
    change(
        &mut open(&path),
        "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)",
    );
    let store = open(&path);
    let writer = Connection::open(&path).unwrap();
    writer.pragma_update(None, "wal_autocheckpoint", 0).unwrap();
    for sql in changes {
        writer.execute_batch(sql).unwrap();
    }
    let notes = texts(&store, NOTES);
    writer.pragma_update(None, "cache_size", 1).unwrap();
    writer
        .execute_batch(&format!("BEGIN; {unfinished}"))
        .unwrap();
    let [database, log] = [path.clone(), beside(&path)].map(|path| fs::read(path).unwrap());
    Killed {
        folder,
        database,
        log,
        notes,
    }
}

fn beside(path: &Path) -> PathBuf {
    path.with_extension("obook-wal")
}

/// Adds this many notes of a page each.
fn add(count: usize) -> String {
    format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
         INSERT INTO notes (text) SELECT hex(randomblob(1900)) FROM n;"
    )
}

impl Killed {
    fn put(&self, log: &[u8]) -> PathBuf {
        let path = self.folder.path().join("killed.obook");
        fs::write(&path, &self.database).unwrap();
        fs::write(beside(&path), log).unwrap();
        path
    }

    /// Opens the book with this log. Returns the notes, or where the log is damaged.
    fn open(&self, log: &[u8]) -> Result<Vec<String>, String> {
        let path = self.put(log);
        match Store::open(&path, &Context::new("test")) {
            Ok(store) => Ok(texts(&store, NOTES)),
            Err(Error::Store(StoreError::Corrupt { found, .. })) => {
                assert_eq!(fs::read(&path).unwrap(), self.database);
                assert_eq!(fs::read(beside(&path)).unwrap(), log);
                Err(found)
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn frames(&self) -> usize {
        (self.log.len() - 32) / FRAME
    }
}

/// Law (Crashes, untrusted books, concurrency): Damage to the `-wal` file, other than remains of a crash, is reported before
/// SQLite discards committed changes; salvage uses what is intact.
/// Also: `only_a_check_looks_behind_frames_of_an_earlier_log` `remains_of_a_crash_are_not_damage`
/// `a_commit_that_was_not_flushed_is_not_damage` `frames_of_an_earlier_log_are_not_damage`
/// `tests/write/salvage.rs` `a_damaged_log_gives_only_rows_that_were_there` `cli/tests/program/damage.rs`
/// `a_damaged_log_is_reported_and_kept`
#[test]
fn any_damage_before_the_last_frame_is_found() {
    let killed = killed(&[&add(2), &add(9), "UPDATE notes SET text = 'x'"], "");
    assert_eq!(killed.notes.len(), 11);
    assert_eq!(killed.open(&killed.log), Ok(killed.notes.clone()));
    let frames = killed.frames();
    assert!(frames > 14, "{frames}");
    for frame in 0..frames {
        let start = 32 + frame * FRAME;
        // The page number, the commit, both salts, the checksum, the contents.
        for (at, bit) in [
            (3, 0),
            (7, 5),
            (8, 1),
            (15, 7),
            (17, 4),
            (23, 2),
            (24, 0),
            (4000, 6),
        ] {
            let mut log = killed.log.clone();
            log[start + at] ^= 1 << bit;
            match killed.open(&log) {
                Err(found) => {
                    let place = format!("byte {start} on");
                    assert!(found.contains(&place), "{frame} {at}: {found}");
                }
                Ok(notes) => {
                    // This looks as if the last commit had not been finished.
                    assert_eq!(frame, frames - 1, "{at}");
                    assert_ne!(notes, killed.notes, "{at}");
                }
            }
        }
    }
    for at in [0, 3, 5, 10, 13, 17, 22, 25, 31] {
        let mut log = killed.log.clone();
        log[at] ^= 4;
        let found = killed.open(&log).unwrap_err();
        assert!(found.contains("byte 0 on"), "{at}: {found}");
    }
}

#[test]
fn remains_of_a_crash_are_not_damage() {
    let changes = [&*add(2), &add(9)];
    let killed = killed(&changes, &add(40));
    let frames = killed.frames();
    assert!(frames > 40, "{frames}");
    assert_eq!(killed.open(&killed.log), Ok(killed.notes.clone()));
    // The file may end anywhere.
    for end in (0..killed.log.len()).step_by(1777) {
        let notes = killed.open(&killed.log[..end]).unwrap_or_default();
        assert!(notes.len() <= killed.notes.len(), "{end}");
    }
    // The unfinished transaction may have left anything.
    for frame in frames - 20..frames {
        let mut log = killed.log.clone();
        log[32 + frame * FRAME..][..FRAME].fill(7);
        assert_eq!(killed.open(&log), Ok(killed.notes.clone()), "{frame}");
        log[32 + frame * FRAME + 30..][..PAGE - 6].reverse();
        assert_eq!(killed.open(&log), Ok(killed.notes.clone()), "{frame}");
    }
}

/// The power fails during a commit: any of its pages may be missing, even if the last one is there.
#[test]
fn a_commit_that_was_not_flushed_is_not_damage() {
    let killed = killed(&[&add(3), &add(9)], "");
    let frames = killed.frames();
    let before = killed.open(&killed.log[..32 + FRAME * (frames - 8)]);
    let before = before.unwrap();
    assert_eq!(before.len(), 3);
    // Disk pages; each has at most one frame's header.
    let disk_pages = |frame: usize| (32 + frame * FRAME).div_ceil(PAGE);
    let mut old = killed.log.clone();
    for (at, byte) in old.iter_mut().enumerate() {
        *byte = byte.wrapping_mul(13) ^ at as u8;
    }
    for page in disk_pages(frames - 8)..disk_pages(frames - 1) {
        for with in [&vec![0; old.len()], &old] {
            let mut log = killed.log.clone();
            log[page * PAGE..][..PAGE].copy_from_slice(&with[page * PAGE..][..PAGE]);
            assert_eq!(killed.open(&log), Ok(before.clone()), "{page}");
        }
    }
    // The write of the contents was lost, but not that of the frame's header.
    for frame in frames - 8..frames - 1 {
        let mut log = killed.log.clone();
        log[32 + frame * FRAME + 24..][..PAGE].fill(0);
        assert_eq!(killed.open(&log), Ok(before.clone()), "{frame}");
    }
}

/// Opening a book reads its log up to the frames of an earlier one. Only a disk that lies can have lost frames there.
#[test]
fn only_a_check_looks_behind_frames_of_an_earlier_log() {
    let killed = killed(&[&add(1), &add(2), &add(3), &add(4)], "");
    let notes = killed.notes.len();
    let mut log = killed.log.clone();
    let header = 32 + 6 * FRAME;
    let [one, other] = [header + 8, header + 12];
    let salt = u32::from_be_bytes(log[one..one + 4].try_into().unwrap());
    log[one..one + 4].copy_from_slice(&(salt.wrapping_sub(3)).to_be_bytes());
    log[other..other + 4].fill(0x5a);
    let path = killed.put(&log);
    let checked = Store::check_log(&path).unwrap_err().to_string();
    assert!(checked.contains(&format!("byte {header} on")), "{checked}");
    let before = killed.open(&log).unwrap();
    assert!((1..notes).contains(&before.len()), "{before:?}");
    // A frame with other numbers is a damaged one.
    log[one] ^= 0x40;
    assert!(
        killed
            .open(&log)
            .unwrap_err()
            .contains(&format!("byte {header} on"))
    );
    Store::check_log(&killed.put(&killed.log)).unwrap();
}

fn log_bytes(path: &Path) -> u64 {
    fs::metadata(beside(path)).unwrap().len()
}

const LARGE: &str = "CREATE TABLE IF NOT EXISTS large (x);
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24)
     INSERT INTO large SELECT zeroblob(1000000) FROM n";

/// Everyone who opens a book reads its log, so it must not stay as long as a large change has made it.
#[test]
fn a_large_change_leaves_a_short_log() {
    let (_folder, path) = book();
    let reader = Store::open(&path, &Context::new("test")).unwrap();
    let mut store = open(&path);
    let short = 17 << 20;
    change(&mut store, LARGE);
    assert!(log_bytes(&path) < short, "{}", log_bytes(&path));
    store.compact().unwrap();
    assert!(log_bytes(&path) < short, "{}", log_bytes(&path));
    store.undo().unwrap();
    assert!(log_bytes(&path) < short, "{}", log_bytes(&path));
    // While somebody reads, it stays; the next change shortens it.
    let reading = reader.connection().unchecked_transaction().unwrap();
    assert_eq!(
        texts(&reader, "SELECT count(*) || '' FROM positions"),
        ["1"]
    );
    change(&mut store, LARGE);
    assert!(log_bytes(&path) > short, "{}", log_bytes(&path));
    drop(reading);
    change(&mut store, "INSERT INTO large VALUES (1)");
    assert!(log_bytes(&path) < short, "{}", log_bytes(&path));
}

/// A process that is killed when it is about to replace a book leaves an empty journal, or one whose header is zeros.
#[test]
fn the_next_change_removes_an_old_journal() {
    for contents in [&[][..], &[0; 512]] {
        let (_folder, path) = book();
        let journal = path.with_extension("obook-journal");
        fs::write(&journal, contents).unwrap();
        let mut store = open(&path);
        change(&mut store, "CREATE TABLE notes (text)");
        assert!(!journal.exists(), "{}", contents.len());
        drop(store);
        let (names, folder) = (
            fs::read_dir(path.parent().unwrap()).unwrap(),
            path.file_name(),
        );
        let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, [folder.unwrap()]);
    }
}

#[test]
fn frames_of_an_earlier_log_are_not_damage() {
    let again = "PRAGMA wal_checkpoint(RESTART)";
    let changes = [
        &*add(30),
        "UPDATE notes SET text = 'x'",
        again,
        &add(1),
        &add(2),
    ];
    let killed = killed(&changes, "");
    assert!(killed.frames() > 30, "the log still has the old frames");
    assert_eq!(killed.open(&killed.log), Ok(killed.notes.clone()));
    let mut log = killed.log.clone();
    log[32 + 100] ^= 1;
    assert!(killed.open(&log).is_err());
}
