//! The lists of names that lie in the folder of a `.wtb` file.

use crate::Error;
use crate::wthor::{Kind, List, Names};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// The stems of the lists that the federation publishes, in the order in which they are looked for.
const STEMS: [&str; 2] = ["wthor", "wth"];

/// Reads the lists beside a file: those of its own name, else `WTHOR.JOU` or `WTH.JOU`, else the only one; in any case of
/// letters.
pub(crate) fn names_beside(games: &Path) -> Result<Names, Error> {
    let folder = match games.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    let read = |kind, extension| {
        let Some(path) = find(&files, games, extension) else {
            return Ok(None);
        };
        let list = File::open(path)
            .map_err(Error::new)
            .and_then(|file| List::read(kind, BufReader::new(file)));
        list.map(Some)
            .map_err(|error| error.named(Some(&path.display().to_string())))
    };
    Ok(Names {
        players: read(Kind::Players, "jou")?,
        tournaments: read(Kind::Tournaments, "trn")?,
    })
}

fn find<'f>(files: &'f [PathBuf], games: &Path, extension: &str) -> Option<&'f PathBuf> {
    let is = |part: Option<&OsStr>, name: &str| part.is_some_and(|p| p.eq_ignore_ascii_case(name));
    let lists: Vec<&PathBuf> = files
        .iter()
        .filter(|file| is(file.extension(), extension))
        .collect();
    let named = |stem: &str| {
        let mut lists = lists.iter().copied();
        lists.find(|list| is(list.file_stem(), stem))
    };
    let own = games.file_stem().and_then(OsStr::to_str);
    own.into_iter()
        .chain(STEMS)
        .find_map(named)
        .or(match lists[..] {
            [only] => Some(only),
            _ => None,
        })
}
