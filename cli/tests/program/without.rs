//! A build without a feature has all commands and options. Those that need the feature say so, and how to get it, before they do
//! anything else.

use crate::support::program::{arg, complaint};
use crate::support::report::GAMES;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// The command complains about `what` because the feature is missing. Nothing new is in the folder.
fn is_missing(feature: &str, arguments: &[&str], what: &str, folder: &TempDir) {
    let names = || fs::read_dir(folder.path()).unwrap().count();
    let before = names();
    let said = complaint(arguments, Path::new(what));
    let expected = format!(
        "obook: {what}: this obook was built without '{feature}': cargo install obook-cli --features full"
    );
    assert!(said.starts_with(&expected), "{expected}… expected: {said}");
    assert_eq!(names(), before, "{arguments:?}");
}

#[cfg(not(feature = "explorer"))]
#[test]
fn the_explorer_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    is_missing("explorer", &["serve", GAMES], "serve", &folder);
    is_missing("explorer", &["site", GAMES, arg(&site)], "site", &folder);
}

#[cfg(not(feature = "lake"))]
#[test]
fn parquet_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    let lake = folder.path().join("book.lake");
    let export = ["export", GAMES, arg(&lake), "--format", "parquet"];
    is_missing("lake", &export, "--format parquet", &folder);
    fs::create_dir(&lake).unwrap();
    fs::write(lake.join("manifest.json"), "{}").unwrap();
    is_missing("lake", &["import", arg(&lake)], arg(&lake), &folder);
}

#[cfg(not(feature = "nats"))]
#[test]
fn nats_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.obook");
    let (url, shown) = ("nats://me:secret@localhost", "nats://localhost");
    is_missing("nats", &["work", url], shown, &folder);
    let learn = ["learn", arg(&book), "--nats", url];
    for options in [&["--level", "1", "--limit", "1"][..], &["--status"]] {
        is_missing("nats", &[&learn[..], options].concat(), shown, &folder);
    }
}

#[cfg(not(feature = "png"))]
#[test]
fn png_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tree.png");
    let plot = ["plot", GAMES, "tree", "--output", arg(&file)];
    is_missing("png", &plot, arg(&file), &folder);
}

#[cfg(not(feature = "starter"))]
#[test]
fn the_starter_book_is_missed() {
    let folder = tempfile::tempdir().unwrap();
    is_missing("starter", &["show", "f5d6"], "starter", &folder);
}
