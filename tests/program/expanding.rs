//! Small files with any number of records: repeated records take no memory.

use crate::support::program::arg;
use crate::support::report::GAMES;
use obook_converters::{BookHeader, BookRecord, edax, egbk2, egbk3};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The number of copies of each record.
const COPIES: usize = 2_000_000;

/// The limit of a command's address space, in KiB: its threads, the program itself, and a million records, after which copies
/// are removed.
const LIMIT: usize = 240 << 10;

/// A file of copies, compressed.
fn bomb<T: BookRecord>(folder: &Path, name: &str, header: &T::Header, record: &T) -> PathBuf {
    let path = folder.join(name);
    let mut output = zstd::Encoder::new(File::create(&path).unwrap(), 1).unwrap();
    let mut bytes = Vec::new();
    header.encode(&mut bytes);
    output.write_all(&bytes).unwrap();
    bytes.clear();
    for _ in 0..1000 {
        record.encode(T::Layout::default(), &mut bytes).unwrap();
    }
    for _ in 0..COPIES / 1000 {
        output.write_all(&bytes).unwrap();
    }
    output.finish().unwrap();
    assert!(path.metadata().unwrap().len() < 100_000);
    path
}

fn bombs(folder: &Path) -> [PathBuf; 3] {
    let mut golden = edax::Reader::new(File::open(GAMES).unwrap()).unwrap();
    let header = edax::Header {
        count: COPIES as i32,
        ..*golden.header()
    };
    let record = golden.next().unwrap().unwrap();
    let position = record.check().unwrap();
    let count = COPIES as i32;
    [
        bomb(folder, "copies.dat.zst", &header, &record),
        bomb(
            folder,
            "copies.egbk3.zst",
            &egbk3::Header { count },
            &egbk3::Record::from_position(&position).unwrap(),
        ),
        bomb(
            folder,
            "copies.egbk2.zst",
            &egbk2::Header { count },
            &egbk2::Record::from_position(&position).unwrap(),
        ),
    ]
}

/// The binary with these arguments under the limit.
fn limited(arguments: &[&str]) -> Output {
    Command::new("sh")
        .args(["-c", &format!("ulimit -v {LIMIT}; exec \"$0\" \"$@\"")])
        .arg(env!("CARGO_BIN_EXE_obook"))
        .args(arguments)
        // Each thread's stack takes address space.
        .env("RAYON_NUM_THREADS", "2")
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .unwrap()
}

#[test]
fn copies_of_a_record_take_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for file in bombs(folder) {
        let name = file.file_name().unwrap().to_str().unwrap();
        let (book, out) = (folder.join("book.obook"), folder.join("out.dat"));
        let (file, book, out) = (arg(&file), arg(&book), arg(&out));
        let mut commands = vec![vec!["import", file, "--book", book, "--force"]];
        // These read every format in one way.
        if name.starts_with("copies.egbk3") {
            commands.extend([
                vec!["verify", file],
                vec!["convert", file, out, "--missing-leaf", "demote", "--force"],
                vec!["diff", file, GAMES],
                vec!["info", file],
                vec!["stats", file],
                vec!["depth", file, "40", "--output", out, "--force"],
            ]);
        }
        for arguments in commands {
            let done = limited(&arguments);
            let said = String::from_utf8_lossy(&done.stderr);
            // The command's report about the book doesn't matter here.
            let has_ended = matches!(done.status.code(), Some(0 | 1));
            assert!(has_ended, "{name}: {arguments:?}: {:?} {said}", done.status);
            assert!(!said.contains("memory"), "{name}: {arguments:?}: {said}");
        }
    }
}
