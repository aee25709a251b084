//! `obook import`: a database made from the first book, with the others merged into it.

use crate::options::book::is_starter;
use crate::options::destination::{FILES, check_ending, ends_in};
use crate::prelude::*;
use crate::{lake, reports};
use obook::write::import::{Imported, import};
use obook::write::merge::{MergeOptions, Merged, merge};
use obook::{Error, FileKind, IfExists, NewBook, spare};
use obook_store::is_lake;

/// Import books into a database; the first one creates it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook import book.dat                           creates book.obook\n  \
    obook import starter                            creates starter.obook, a copy of the book inside obook\n  \
    obook import book.dat --book book.obook\n  \
    obook import level21.dat level30.egbk3 --book book.obook\n  \
    obook import book.dat.zst --book book.obook --force\n  \
    obook import book.lake --book book.obook        what `obook export --format parquet` wrote")]
pub(crate) struct Arguments {
    /// Book files in any format, recognised by their contents; `starter` is the book inside obook
    #[arg(required = true, value_name = "FILE", value_parser = readable())]
    pub(crate) files: Vec<PathBuf>,
    /// The database. If it exists, the files are merged into it; with --force they replace it [default: a new one beside the first
    /// file, named after it]
    #[arg(long, value_name = "BOOK", value_parser = changeable())]
    pub(crate) book: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) memory: Memory,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// The result of an import, which created a database, merged into one, or both.
#[derive(Debug, Serialize)]
struct Import {
    #[serde(flatten)]
    imported: Option<Imported>,
    #[serde(skip_serializing_if = "Option::is_none")]
    merged: Option<Merged>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let lake = arguments.files.iter().find(|file| is_lake(file));
    if let Some(folder) = lake
        && arguments.files.len() > 1
    {
        let problem =
            "a folder of Parquet files becomes a database of its own; import it alone, then merge";
        return Err(Failure::file(folder, problem));
    }
    let book = &match &arguments.book {
        Some(book) => book.clone(),
        None => beside(&arguments.files[0], arguments.force)?,
    };
    check_ending(book, &FILES)?;
    if let Some(folder) = lake {
        return lake::restore(folder, book, arguments);
    }
    let context = &arguments.memory.context();
    let done = match grows(book, arguments.force) {
        true => Import {
            imported: None,
            merged: Some(add(&arguments.files, book, context)?),
        },
        false => create(arguments, book, context)?,
    };
    account(&done, arguments.json, |done, out| {
        if let Some(imported) = &done.imported {
            reports::imported(imported, out)?;
        }
        if let Some(merged) = &done.merged {
            reports::merged(merged, out)?;
        }
        if arguments.book.is_none() {
            writeln!(out, "database: {}", book.display())?;
        }
        Ok(())
    })
}

/// Makes a database of the first file, and merges the others into it before it gets its name.
fn create(arguments: &Arguments, book: &Path, context: &Context) -> Result<Import, Error> {
    let (files, if_exists) = (&arguments.files, arguments.force.if_exists());
    files.iter().try_for_each(|file| spare(file, book))?;
    let make = |book: &Path, if_exists| {
        let new = NewBook::create(book, if_exists, context)?;
        import(Book::open(&files[0], context)?, new)
    };
    let (imported, merged) = match &files[1..] {
        [] => (make(book, if_exists)?, None),
        others => NewBook::in_steps(book, if_exists, context, |draft| {
            let imported = make(draft, IfExists::Replace)?;
            Ok::<_, Error>((imported, Some(add(others, draft, context)?)))
        })?,
    };
    Ok(Import {
        imported: Some(imported),
        merged,
    })
}

/// Merges books into a database.
fn add(files: &[PathBuf], book: &Path, context: &Context) -> Result<Merged, Error> {
    let mut store = Book::open_for_writing(book, context)?;
    merge(&mut store, files, MergeOptions::default())
}

/// Whether files are added to a database that is there. Opening it shows whether it takes them.
pub(crate) fn grows(book: &Path, force: Force) -> bool {
    force.if_exists() == IfExists::Refuse && matches!(FileKind::of(book), Ok(FileKind::Database(_)))
}

/// The default name for the database of a file. An existing file of that name may be anything, so it is not merged into, and only
/// replaced where that is asked for.
pub(crate) fn beside(file: &Path, force: Force) -> Result<PathBuf, Failure> {
    if file.file_name().is_none() || file == Path::new("-") {
        let problem = "it gives the database no name; name one with --book";
        return Err(Failure::file(file, problem));
    }
    let book = match is_starter(file) {
        true => PathBuf::from("starter.obook"),
        // Without the ending of a compressed file, too.
        false if ends_in(file, &["zst", "gz", "bz2", "z"]) => {
            file.with_extension("").with_extension("obook")
        }
        false => file.with_extension("obook"),
    };
    if book == file {
        let problem =
            "already a database; name another with --book, which is created or merged into";
        return Err(Failure::file(file, problem));
    }
    if book.exists() && force.if_exists() == IfExists::Refuse {
        let problem = "already exists; name the database to create or to merge into with --book, or replace it with --force";
        return Err(Failure::file(&book, problem));
    }
    Ok(book)
}
