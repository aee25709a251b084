//! Golden files: hand-made books, and what YaneuraOu made of them.

use obook_shogi::{Book, db};
use std::fs;
use std::path::{Path, PathBuf};

/// The folders of golden files. The documentation uses some of them as examples.
pub(crate) fn folders() -> [PathBuf; 2] {
    ["tests/data/golden", "../../examples"].map(|it| Path::new(env!("CARGO_MANIFEST_DIR")).join(it))
}

/// A golden file by its name, which may begin with a folder.
pub(crate) fn golden(name: &str) -> PathBuf {
    let mut places = folders().into_iter().map(|folder| folder.join(name));
    places.find(|path| path.exists()).expect(name)
}

/// The golden files in these folders, not below them.
pub(crate) fn all_golden() -> impl Iterator<Item = PathBuf> {
    let files = folders()
        .into_iter()
        .flat_map(|folder| fs::read_dir(folder).unwrap());
    files.map(|file| file.unwrap().path())
}

/// The names of the books among them, without `.db`. For each there is what YaneuraOu made of it, in `NAME.out.db`.
pub(crate) fn names() -> Vec<String> {
    let names = all_golden().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned());
    let books = names.filter(|name| !name.ends_with(".out.db"));
    let mut names: Vec<String> = books
        .filter_map(|name| Some(name.strip_suffix(".db")?.to_owned()))
        .collect();
    // A random test chooses by number.
    names.sort();
    assert!(names.len() > 10, "{names:?}");
    names
}

/// A book from a text file.
pub(crate) fn read(path: &Path) -> Book {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    db::read(&bytes).book
}
