//! Tells the tests which of the files and programs that a repository can't carry are there: a test that needs one that is
//! missing is reported as ignored. Nothing else is built by this.

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
    // Root is held back by no permission, unless it becomes somebody else.
    let own = (!is_root()).then(|| root.join("build.rs"));
    tell("write_protection", own.or_else(|| program("setpriv")));
    // The system's own: others are built without loading extensions, as often as not.
    tell("python3", Some("/usr/bin/python3".into()));
}

/// Sets `cfg(name)` where the file is there. A missing file is not watched: cargo would then build anew each time.
fn tell(name: &str, file: Option<PathBuf>) {
    println!("cargo::rustc-check-cfg=cfg({name})");
    if let Some(file) = file.filter(|file| file.exists()) {
        println!("cargo::rerun-if-changed={}", file.display());
        println!("cargo::rustc-cfg={name}");
    }
}

/// Whether this process may write everywhere.
fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|id| id.stdout.trim_ascii() == b"0")
}

/// Where a program is that is started by its name.
fn program(name: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}
