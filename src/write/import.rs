//! Importing book files into a database.

use crate::RowCounts;
use crate::database::{Missing, NewBook, Source};
use crate::write::fix::missing_if_fixed;
use crate::{Book, BookFile, BookHeader, Context, Error, IfExists, LeftOut, Result, Store, spare};
use obook_base::hex;
use obook_converters::sensei::Folder;
use obook_graph::slabs::{ByKey, Slab};
use obook_sql::rows::Table;
use obook_store::{RawFile, beside};
use rayon::prelude::*;
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::io::Read;
use std::path::Path;

/// The result of an import.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Imported {
    /// The imported file.
    pub source: Source,
    /// The rows of the new database.
    pub rows: RowCounts,
    /// The parts of the file that didn't become positions.
    #[serde(flatten)]
    pub left_out: LeftOut,
}

impl Book {
    /// Makes a database of one book at a free path, and opens it for changes.
    ///
    /// # Errors
    /// As [`import`], and if something is at the path.
    pub fn import(
        from: impl AsRef<Path>,
        to: impl AsRef<Path>,
        context: &Context,
    ) -> Result<Store> {
        let to = to.as_ref();
        let new = NewBook::create(to, IfExists::Refuse, context)?;
        import(Book::open(from, context)?, new)?;
        Store::open_for_writing(to, context)
    }
}

/// Makes a database of one book. [`Book::import`] also opens it.
///
/// A file is read into memory if it fits there, and otherwise goes through temporary files. If it has no links, they are found. If it needs no [fix](crate::write::fix), the database is marked as fixed.
///
/// # Errors
/// If the book can't be read or is damaged, or the database can't be written, or both are the same file. No database is
/// left behind.
pub fn import(source: Book, database: NewBook) -> Result<Imported> {
    let path = source.path().to_owned();
    let context = database.context().clone();
    let progress = context.progress();
    spare(&path, database.path())?;
    // A database's tables are read one by one. If its log is write-protected, the version changes with every look.
    let version = || match &source {
        Book::Database(store) => store.version_of_others(),
        Book::File(_) => Ok(0),
    };
    let before = [version()?, version()?];
    std::thread::scope(|scope| {
        let digest = scope.spawn(|| sha256(&path));
        let header = source.header()?;
        let left_out = source.left_out();
        database.set_header(&header)?;
        let (rows, duplicates) = match &source {
            Book::File(file) => fill_from_file(&database, file, &header, &context)?,
            Book::Database(store) => {
                progress.step("writing", Some(WALKS * store.estimated_positions()?));
                let rows = database.fill(|| Ok(progress.counted(store.positions()?)))?;
                database.set_todo(&store.todo()?)?;
                if store.is_fixed()? {
                    database.mark_fixed()?;
                }
                (rows, 0)
            }
        };
        database.put_forecasts(|take| source.each_forecast(take))?;
        if before[0] == before[1] && version()? != before[0] {
            let problem = "another process wrote to it while it was read; try again";
            return Err(Error::unfit(&path, problem));
        }
        let of_file = header.format.filter(|_| matches!(source, Book::File(_)));
        let source = Source {
            name: context.name_of(&path),
            format: of_file.unwrap_or_else(|| String::from("obook")),
            sha256: digest.join().expect("hashing does not panic")?,
            positions: rows.positions,
            links: rows.links,
            leaves: rows.leaves,
            duplicates,
        };
        database.add_source(&source)?;
        database.commit(&rows)?;
        Ok(Imported {
            source,
            rows,
            left_out,
        })
    })
}

/// Opens the book as a database. A file is imported into a temporary one, which is removed when it is closed.
///
/// # Errors
/// If the book can't be read or the temporary database can't be written.
pub fn into_store(book: Book, context: &Context) -> Result<Store> {
    match book {
        Book::Database(store) => Ok(store),
        book => Store::filled(context, |new| import(book, new)),
    }
}

/// How often the positions are walked to write them: once for each table.
const WALKS: u64 = Table::ALL.len() as u64;

/// Writes the positions of a file, with what its format leaves out, and counts the boards that occur more than once. If the book
/// needs no [fix](crate::write::fix), it is marked as fixed, so that what is done next need not compute it.
fn fill_from_file(
    database: &NewBook,
    file: &BookFile,
    header: &BookHeader,
    context: &Context,
) -> Result<(RowCounts, u64)> {
    let progress = context.progress();
    let (book, duplicates) = file.slabs(context)?;
    let mut missing: Option<Vec<Missing>> = Some(Vec::new());
    let positions = book.finish(Slab::position, |slab| {
        file.link(slab, progress)?;
        missing = missing.take().and_then(|mut all| {
            all.extend(missing_if_fixed(slab.graph(), header)?);
            Some(all)
        });
        Ok(())
    });
    let positions = positions.map_err(Error::of_slabs(file.path()))?;
    progress.step("writing", Some(WALKS * positions.len(ByKey::ALL)));
    let rows = database.fill(|| Ok(progress.counted(positions.positions(ByKey::ALL)?)))?;
    if let Some(mut missing) = missing {
        missing.par_sort_unstable_by_key(|missing| missing.board);
        database.set_todo(&missing)?;
        database.mark_fixed()?;
    }
    Ok((rows, duplicates))
}

/// The SHA-256 of a file in hexadecimal, including a database's `-wal` file, or of the files of a book folder.
pub(crate) fn sha256(path: &Path) -> Result<String> {
    let waiting = beside(path, "-wal");
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let files = match path.is_dir() {
        true => Folder::files(path),
        false if waiting.exists() => vec![path.to_owned(), waiting],
        false => vec![path.to_owned()],
    };
    for path in &files {
        let mut file = RawFile::open(path).map_err(Error::io(path, "read"))?;
        loop {
            match file.read(&mut buffer).map_err(Error::io(path, "read"))? {
                0 => break,
                count => hasher.update(&buffer[..count]),
            }
        }
    }
    Ok(hex(&hasher.finalize()))
}
