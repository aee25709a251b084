//! Taking book files into a database.

use crate::read::lookup::load_counting;
use crate::store::{NewBook, RowCounts, Source};
use crate::{Book, Entry, Error, IfExists, Progress, Result, Store};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// What an import did.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Imported {
    /// The file that was taken in.
    pub source: Source,
    /// The rows that the database now has.
    pub rows: RowCounts,
}

/// Makes a database of one book.
///
/// The positions are sorted by key, on the disk where they don't fit into a gigabyte, and written in one go; the
/// database appears under its name only when it is complete.
///
/// # Errors
/// Where the file can't be read or is damaged, or the database can't be written; there is then no database.
pub fn import(
    file: &Path,
    book: &Path,
    if_exists: IfExists,
    command: &str,
    progress: &Progress,
) -> Result<Imported> {
    let database = NewBook::create(book, if_exists)?;
    let source = Book::open(file)?;
    std::thread::scope(|scope| {
        let digest = scope.spawn(|| sha256(file));
        let (rows, duplicates) = fill(&database, &source, progress)?;
        let header = source.header()?;
        let source = Source {
            name: file.display().to_string(),
            format: header
                .format
                .clone()
                .unwrap_or_else(|| String::from("obook")),
            sha256: digest.join().expect("hashing does not panic")?,
            positions: rows.positions,
            links: rows.links,
            leaves: rows.leaves,
            duplicates,
        };
        database.set_header(&header)?;
        database.add_source(&source)?;
        database.commit(&Entry::new(command).counts(&rows))?;
        Ok(Imported { source, rows })
    })
}

/// The book as a database; a file is taken into a temporary one, which goes away with it.
///
/// # Errors
/// Where the book can't be read or the temporary database can't be written.
pub fn into_store(book: Book, progress: &Progress) -> Result<Store> {
    let file = match book {
        Book::Database(store) => return Ok(store),
        Book::File(file) => file,
    };
    let folder = tempfile::tempdir().map_err(Error::io(
        &std::env::temp_dir(),
        "make a temporary database in",
    ))?;
    let path = folder.path().join("book.obook");
    import(file.path(), &path, IfExists::Refuse, "import", progress)?;
    Ok(Store::open(&path)?.in_folder(folder))
}

/// Writes all positions of a book, and counts the boards that came more than once.
///
/// Those of a file whose links have to be found first are in memory for that; all others are sorted in bounded memory.
fn fill(database: &NewBook, book: &Book, progress: &Progress) -> Result<(RowCounts, u64)> {
    if book.has_links() {
        let sorted = book.sorted(progress)?;
        progress.step("writing", None);
        let rows = database.fill(|| sorted.positions())?;
        Ok((rows, sorted.taken() - rows.positions))
    } else {
        let (graph, duplicates) = load_counting(book, progress)?;
        progress.step("writing", None);
        let rows = database.fill(|| Ok(graph.positions().map(Ok)))?;
        Ok((rows, duplicates))
    }
}

/// SHA-256 of a file's bytes, in hexadecimal; where changes of a database wait in a file beside it, of both.
pub(crate) fn sha256(path: &Path) -> Result<String> {
    let mut waiting = path.as_os_str().to_owned();
    waiting.push("-wal");
    let waiting = Path::new(&waiting);
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    for path in [path, waiting] {
        if path == waiting && !path.exists() {
            break;
        }
        let mut file = File::open(path).map_err(Error::io(path, "read"))?;
        loop {
            match file.read(&mut buffer).map_err(Error::io(path, "read"))? {
                0 => break,
                count => hasher.update(&buffer[..count]),
            }
        }
    }
    Ok(hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}
