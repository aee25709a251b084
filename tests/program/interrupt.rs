//! A command that is told to end in the middle of its work.

use crate::support::program::arg;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

#[test]
fn nothing_half_written_is_left() {
    let elsewhere = tempfile::tempdir().unwrap();
    let pipe = elsewhere.path().join("book.dat");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    for signal in ["-INT", "-TERM", "-HUP"] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out.obook");
        // It waits for the book.
        let mut child = Command::new(env!("CARGO_BIN_EXE_obook"))
            .args(["import", arg(&pipe), "--book", arg(&out)])
            .spawn()
            .unwrap();
        while files(folder.path()).is_empty() {
            std::thread::sleep(Duration::from_millis(5));
        }
        let id = child.id().to_string();
        let kill = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(kill.success());
        let ended = child.wait().unwrap();
        assert_eq!(ended.code(), Some(130), "{signal}");
        assert_eq!(files(folder.path()), [""; 0], "{signal}");
    }
}
