//! Tells the tests which files and programs from outside the repository are on this machine. Tests that need missing ones are
//! reported as ignored.

use std::env;
use std::path::PathBuf;
use std::process::Command;

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let golden =
        env::var_os("OBOOK_GOLDEN").map_or_else(|| root.join("../shared/golden"), PathBuf::from);
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=OBOOK_GOLDEN");
    tell("large_books", Some(golden.join("edax/deviate.dat")));
    tell(
        "published_book",
        Some(golden.join("../public/libedax_test_book.dat")),
    );
    println!("cargo::rerun-if-env-changed=OBOOK_ENGINE_KIT");
    let kit = env::var_os("OBOOK_ENGINE_KIT").map(PathBuf::from);
    tell("engine_kit", kit.map(|kit| kit.join("edax/edax")));
    println!("cargo::rerun-if-env-changed=OBOOK_EGAROUCID_BOOK");
    tell(
        "egaroucid_book",
        env::var_os("OBOOK_EGAROUCID_BOOK").map(PathBuf::from),
    );
    tell("sqlite3", program("sqlite3"));
    tell("cc", program("cc"));
    // Permissions don't restrict root, unless it switches to another user.
    let own = (!is_root()).then(|| root.join("build.rs"));
    tell("write_protection", own.or_else(|| program("setpriv")));
    // The system's own Python: others are often built without extension loading.
    tell("python3", Some("/usr/bin/python3".into()));
}

/// Sets `cfg(name)` if the file exists. A missing file is not watched, because cargo would then rebuild each time.
fn tell(name: &str, file: Option<PathBuf>) {
    println!("cargo::rustc-check-cfg=cfg({name})");
    if let Some(file) = file.filter(|file| file.exists()) {
        println!("cargo::rerun-if-changed={}", file.display());
        println!("cargo::rustc-cfg={name}");
    }
}

/// Whether this process runs as root.
fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Finds a program in `PATH`.
fn program(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}
