//! Looks for the files and programs that some tests need, and writes a table of what is missing and why it matters.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let manifest = env::var_os("CARGO_MANIFEST_DIR").unwrap();
    let root = Path::new(&manifest).join("../..");
    let golden = folder("OBOOK_GOLDEN").unwrap_or_else(|| root.join("../shared/golden"));
    let games = folder("OBOOK_GAMES").unwrap_or_else(|| root.join("../shared/games"));
    let shogi = folder("OBOOK_SHOGI").unwrap_or_else(|| root.join("../shared/shogi"));
    // Permissions don't bind root, so a test run by root becomes another user first.
    let unprivileged = (!is_root()).then(|| root.join("Cargo.toml"));
    let things = [
        (
            "archive",
            Some(games.join("wthor/WTH_2018.wtb")),
            "needs the archive of tournament games: see crates/games/tests/data/README.md",
        ),
        ("cc", program("cc"), "needs a C compiler, cc"),
        ("cxx", program("c++"), "needs a C++ compiler, c++"),
        (
            "egaroucid_book",
            folder("OBOOK_EGAROUCID_BOOK"),
            "needs a program that calls Egaroucid's book functions: see tests/data/README.md",
        ),
        (
            "engine_kit",
            folder("OBOOK_ENGINE_KIT").map(|kit| kit.join("edax/edax")),
            "needs real engines: see tests/data/README.md",
        ),
        ("fish", program("fish"), "needs the shell fish"),
        (
            "large_books",
            Some(golden.join("edax/deviate.dat")),
            "needs large golden books: see tests/data/README.md",
        ),
        (
            "published_book",
            Some(golden.join("../public/libedax_test_book.dat")),
            "needs a published book: see tests/data/README.md",
        ),
        // Other Pythons are often built without support for SQLite extensions.
        (
            "python3",
            Some("/usr/bin/python3".into()),
            "needs /usr/bin/python3",
        ),
        (
            "shogi_books",
            Some(shogi.join("yuuki/book/yaneuraou.db")),
            "needs published books of shogi: see crates/shogi/tests/data/README.md",
        ),
        (
            "sensei_book",
            Some(golden.join("../sensei/book/index.sen")),
            "needs Othello Sensei's book: see tests/data/README.md",
        ),
        (
            "sensei_reader",
            Some(golden.join("../sensei/read.py"))
                .filter(|_| Path::new("/usr/bin/python3").exists()),
            "needs Othello Sensei's book with another reader, and /usr/bin/python3: see tests/data/README.md",
        ),
        (
            "ntest_reader",
            Some(golden.join("../books/ntest.py"))
                .filter(|_| Path::new("/usr/bin/python3").exists()),
            "needs another reader of NTest's books, and /usr/bin/python3: see tests/data/README.md",
        ),
        ("sqlite3", program("sqlite3"), "needs the program sqlite3"),
        (
            "yaneuraou",
            folder("OBOOK_ENGINE_KIT").map(|kit| kit.join("yaneuraou/YaneuraOu")),
            "needs YaneuraOu: see tests/data/README.md",
        ),
        (
            "zebra_book",
            Some(golden.join("../books/droidzebra-book.cmp.z")),
            "needs DroidZebra's book: see tests/data/README.md",
        ),
        (
            "task_list",
            Some(golden.join("../books/empty50_tasklist_edax_knowledge.csv")),
            "needs the task list of “Othello is solved”: see tests/data/README.md",
        ),
        (
            "write_protection",
            unprivileged.or_else(|| program("setpriv")),
            "root may write everywhere, and there is no setpriv",
        ),
    ];
    println!("cargo::rerun-if-changed=build.rs");
    let mut table = Vec::new();
    for (name, file, reason) in things {
        let file = file.filter(|file| file.exists());
        let missing = if file.is_none() { Some(reason) } else { None };
        table.push((name, missing));
        // Cargo would build again each time if a missing file were watched.
        if let Some(file) = file {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap());
    fs::write(out.join("things.rs"), format!("&{table:?}")).unwrap();
}

/// The path in an environment variable.
fn folder(variable: &str) -> Option<PathBuf> {
    println!("cargo::rerun-if-env-changed={variable}");
    env::var_os(variable).map(PathBuf::from)
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// The program of this name in `PATH`.
fn program(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}
