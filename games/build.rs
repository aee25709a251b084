//! Tells the tests whether the game records and engines that are not in the repository are on this machine. Tests that need
//! missing ones are reported as ignored.

use std::env;
use std::path::PathBuf;

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=OBOOK_GAMES");
    let games =
        env::var_os("OBOOK_GAMES").map_or_else(|| root.join("../../shared/games"), PathBuf::from);
    tell("archive", Some(games.join("wthor/WTH_2018.wtb")));
    println!("cargo::rerun-if-env-changed=OBOOK_ENGINE_KIT");
    let kit = env::var_os("OBOOK_ENGINE_KIT").map(PathBuf::from);
    tell("engine_kit", kit.map(|kit| kit.join("edax/edax")));
}

/// Sets `cfg(name)` if the file exists. A missing file is not watched, because cargo would then rebuild each time.
fn tell(name: &str, file: Option<PathBuf>) {
    println!("cargo::rustc-check-cfg=cfg({name})");
    if let Some(file) = file.filter(|file| file.exists()) {
        println!("cargo::rerun-if-changed={}", file.display());
        println!("cargo::rustc-cfg={name}");
    }
}
