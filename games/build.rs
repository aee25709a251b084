//! Tells the tests whether the game records and the engines are there that a repository can't carry: a test that needs them is
//! reported as ignored where they are missing. Nothing else is built by this.

use std::env;
use std::path::PathBuf;

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    let games =
        env::var_os("OBOOK_GAMES").map_or_else(|| root.join("../../shared/games"), PathBuf::from);
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=OBOOK_GAMES");
    tell("archive", games.join("wthor/WTH_2018.wtb"));
    let kit = env::var_os("OBOOK_ENGINE_KIT")
        .map_or_else(|| root.join("../../shared/engines/build"), PathBuf::from);
    println!("cargo::rerun-if-env-changed=OBOOK_ENGINE_KIT");
    tell("engine_kit", kit.join("done"));
}

/// Sets `cfg(name)` where the file is there. A missing file is not watched: cargo would then build anew each time.
fn tell(name: &str, file: PathBuf) {
    println!("cargo::rustc-check-cfg=cfg({name})");
    if file.exists() {
        println!("cargo::rerun-if-changed={}", file.display());
        println!("cargo::rustc-cfg={name}");
    }
}
