//! Books and games that a browser sends: they are read into temporary databases, and never written.

use crate::api::{Files, Sent};
use crate::problem::Problem;
use obook::games::in_temporary;
use obook::write::import::into_store;
use obook::{BOOK_FILE, Book, Context, Error, FileKind, Progress, Store};
use obook_base::compression::Input;
use obook_games::{Entry, ErrorKind, Reader};
use std::path::{Path, PathBuf};

/// The most bytes that come together.
pub(crate) const LONGEST: usize = 32 << 20;
/// The most files that come together.
const MOST: usize = 8;
/// The most games: while they are read, their positions are in memory.
const GAMES: usize = 50_000;
/// The memory for reading a book.
const MEMORY: u64 = 256 << 20;

/// A book or games that a browser sent.
pub(crate) struct Read {
    /// The name of its file.
    pub(crate) file: PathBuf,
    pub(crate) store: Store,
    /// The number of games with a faulty record.
    pub(crate) faulty: usize,
}

/// Reads a book, or games with the lists of names beside them.
pub(crate) fn read(asked: &Files, body: &[u8], context: &Context) -> Result<Read, Problem> {
    let sent: Vec<Sent> = serde_json::from_str(&asked.files).map_err(Problem::wrong)?;
    let folder = tempfile::tempdir().map_err(|error| {
        let why = format!("no room for what was sent: {error}");
        Problem::new(axum::http::StatusCode::INTERNAL_SERVER_ERROR, why)
    })?;
    let files = unpack(&sent, body, folder.path())?;
    let context = context.clone().with_memory(MEMORY);
    let context = context.with_progress(Progress::hidden());
    stored(&files, &context).map_err(|error| {
        // The name of the temporary folder would mean nothing to the sender.
        let folder = folder.path().join("");
        Problem::wrong(error.replace(&folder.display().to_string(), ""))
    })
}

/// Writes the files into the folder, under names that lead nowhere else.
fn unpack(sent: &[Sent], body: &[u8], folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut sizes = sent.iter().map(|file| file.bytes);
    let total = sizes.try_fold(0, usize::checked_add);
    if total != Some(body.len()) || !(1..=MOST).contains(&sent.len()) {
        let problem = format!("expected 1 to {MOST} files, and as many bytes as they have");
        return Err(Problem::wrong(problem));
    }
    let (mut files, mut rest): (Vec<PathBuf>, _) = (Vec::new(), body);
    for Sent { name, bytes } in sent {
        let (file, others) = rest.split_at(*bytes);
        rest = others;
        let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let plain = |c: &char| c.is_alphanumeric() || "-_. ".contains(*c);
        let last: String = last.chars().filter(plain).take(100).collect();
        let path = folder.join(last.trim_start_matches('.'));
        // A file whose name ends in .zip is read as an archive, whatever it begins with.
        let ending = path.extension();
        let is_archive = ending.is_some_and(|it| it.eq_ignore_ascii_case("zip"));
        // A compressed file may unpack to any length.
        let is_plain = Input::new(file).is_ok_and(|input| !input.is_compressed());
        if is_archive || file.starts_with(b"PK\x03\x04") || !is_plain {
            let problem = format!("{name} is compressed: unpack it first");
            return Err(Problem::wrong(problem));
        }
        if path == folder.join("") || files.contains(&path) {
            return Err(Problem::wrong("expected files with names of their own"));
        }
        std::fs::write(&path, file).map_err(Problem::wrong)?;
        files.push(path);
    }
    Ok(files)
}

/// The book or the games as a database.
fn stored(files: &[PathBuf], context: &Context) -> Result<Read, String> {
    let said = |error: Error| error.to_string();
    let [first, ..] = files else {
        return Err(String::from("no file was sent"));
    };
    let name = |path: &Path| PathBuf::from(path.file_name().unwrap_or_default());
    let kind = FileKind::of(first).map_err(|error| error.to_string())?;
    let is_database = matches!(kind, FileKind::Database(_) | FileKind::ForeignDatabase);
    let is_book = is_database || BOOK_FILE.is_in(first).map_err(|error| error.to_string())?;
    if is_book && files.len() > 1 {
        return Err(format!(
            "{}: a book among several files: expected one book, or games with their lists of names",
            name(first).display()
        ));
    }
    if is_book {
        let store = match is_database {
            true => {
                drop(Store::open(first, context).map_err(said)?);
                let move_there =
                    |path: &Path| std::fs::rename(first, path).map_err(Error::io(path, "write"));
                Store::temporary("book.obook", move_there, context)
            }
            false => Book::open(first, context).and_then(|book| into_store(book, context)),
        };
        return Ok(Read {
            file: name(first),
            store: store.map_err(said)?,
            faulty: 0,
        });
    }
    let mut readers = Vec::new();
    let mut named = None;
    for file in files {
        match Reader::open(file, None) {
            Ok(reader) => {
                named.get_or_insert_with(|| name(file));
                readers.push(reader);
            }
            Err(error) if matches!(error.kind(), ErrorKind::Names { .. }) && files.len() > 1 => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    let named = named.ok_or("there are lists of names, but no file of games (.wtb)")?;
    let mut games: Vec<Result<Entry, Error>> = Vec::new();
    for entry in readers.into_iter().flatten() {
        if games.len() == GAMES {
            let problem = format!("there are more than {GAMES} games: import them into a database");
            return Err(problem);
        }
        games.push(entry.map_err(Error::Games));
    }
    let mut entries = games.iter().flatten();
    if entries.all(|entry| entry.game.line().moves().is_empty()) {
        return Err(format!("there is no game in {}", named.display()));
    }
    let entries = games.iter().flatten();
    Ok(Read {
        file: named,
        faulty: entries.filter(|entry| !entry.faults.is_empty()).count(),
        store: in_temporary(games.into_iter(), context).map_err(said)?,
    })
}
