//! Importing book files into a database.

use crate::read::book::complete;
use crate::write::fix::link_records;
use crate::{
    Book, BookFile, BookHeader, Context, Error, IfExists, Progress, Result, Sorter, Store, spare,
};
use obook_graph::GraphBuilder;
use obook_graph::slabs::Gathered;
use obook_model::RuleSet;
use obook_rows::Table;
use obook_store::{NewBook, RowCounts, Source};
use serde::Serialize;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The result of an import.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Imported {
    /// The imported file.
    pub source: Source,
    /// The rows of the new database.
    pub rows: RowCounts,
}

/// Default memory for positions whose links must be found, in bytes: enough for eight million, and little enough for
/// a small machine.
const MEMORY: usize = 1 << 29;

/// Makes a database of one book.
///
/// Positions are sorted by key, on disk if they take more than a gigabyte, and written in one pass. If the book is a file
/// without links, they are found in memory, or two layers at a time if the file is large.
///
/// # Errors
/// If the book can't be read or is damaged, or the database can't be written, or both are the same file. No database is
/// left behind.
pub fn import(source: Book, database: NewBook) -> Result<Imported> {
    let path = source.path().to_owned();
    let context = database.context().clone();
    let progress = context.progress();
    let memory = context
        .memory()
        .map_or(MEMORY, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
    spare(&path, database.path())?;
    std::thread::scope(|scope| {
        let digest = scope.spawn(|| sha256(&path));
        let header = source.header()?;
        let (rows, duplicates) = match source {
            Book::File(file) if !file.has_links() => {
                fill_linked(&database, &file, &header, memory, progress)?
            }
            book => fill_sorted(&database, book, progress)?,
        };
        let source = Source {
            name: path.display().to_string(),
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
        database.commit(&rows)?;
        Ok(Imported { source, rows })
    })
}

/// Opens the book as a database. A file is imported into a temporary one, which is removed when it is closed.
///
/// # Errors
/// If the book can't be read or the temporary database can't be written.
pub fn into_store(book: Book, context: &Context) -> Result<Store> {
    if let Book::Database(store) = book {
        return Ok(store);
    }
    let make = |path: &Path| {
        let database = NewBook::create(path, IfExists::Refuse, context)?;
        import(book, database).map(drop)
    };
    Store::temporary(make, &context.clone().with_progress(Progress::hidden()))
}

/// How often the positions are walked to write them: once for each table.
const WALKS: u64 = Table::ALL.len() as u64;

/// Writes all positions of a book with links, and counts the boards that occur more than once.
fn fill_sorted(database: &NewBook, book: Book, progress: &Progress) -> Result<(RowCounts, u64)> {
    let sorted = book.sorted_records(Sorter::BUDGET, progress)?;
    progress.step("writing", Some(WALKS * sorted.estimated_positions()?));
    let rows = database.fill(|| Ok(progress.counted(sorted.positions()?)))?;
    Ok((rows, sorted.duplicates(rows.positions)))
}

/// Does the same for a file whose links must be found first.
fn fill_linked(
    database: &NewBook,
    file: &BookFile,
    header: &BookHeader,
    memory: usize,
    progress: &Progress,
) -> Result<(RowCounts, u64)> {
    let too_large = Error::too_large(file.path());
    let mut gathered = Gathered::default();
    GraphBuilder::gather_parts(file.reader()?, progress, |part| {
        Ok::<(), Error>(gathered.append(part, memory as u64)?)
    })?;
    match gathered {
        Gathered::Memory(builder) => {
            let (mut graph, report) = builder.finish().map_err(&too_large)?;
            complete(&mut graph, header, progress).map_err(&too_large)?;
            progress.step("writing", Some(WALKS * graph.len() as u64));
            let rows = database.fill(|| Ok(progress.counted(graph.positions().map(Ok))))?;
            Ok((rows, report.duplicates))
        }
        Gathered::Disk {
            mut layers,
            condensed,
        } => {
            let passes = header.rules == RuleSet::Egaroucid;
            let (sorted, duplicates) =
                link_records(&mut layers, passes, memory as u64, &too_large, progress)?;
            drop(layers);
            progress.step("writing", Some(WALKS * sorted.taken()));
            let rows = database.fill(|| {
                let positions = sorted.positions()?.map(|position| Ok(position?));
                Ok(progress.counted(positions))
            })?;
            Ok((rows, condensed + duplicates))
        }
    }
}

/// The SHA-256 of a file in hexadecimal, including a database's `-wal` file.
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
