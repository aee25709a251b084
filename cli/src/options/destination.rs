//! Where results go: `--force`, `--output`, pictures, and books changed in place.

use crate::advice::on_change;
use crate::options::memory::Memory;
use crate::prelude::*;
use crate::reports;
use clap::Args;
use obook::write::Target as Rewrite;
use obook::write::cut::{Cut, cut};
use obook::write::fix::{Steps, recompute};
use obook::{IfExists, Store};
use std::ffi::OsStr;

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Force {
    /// Replace an existing file or folder of the same kind
    #[arg(long)]
    force: bool,
}

impl Force {
    pub(crate) fn if_exists(self) -> IfExists {
        if_exists(self.force)
    }
}

/// The meaning of `--force` for existing files.
pub(crate) fn if_exists(force: bool) -> IfExists {
    match force {
        true => IfExists::Replace,
        false => IfExists::Refuse,
    }
}

/// The endings of book files and of games.
pub(crate) const FILES: [&str; 6] = ["dat", "egbk", "egbk2", "egbk3", "zst", "wtb"];

/// Whether a name has one of these endings.
pub(crate) fn ends_in(path: &Path, endings: &[&str]) -> bool {
    let is_one = |found: &OsStr| endings.iter().any(|it| found.eq_ignore_ascii_case(it));
    path.extension().is_some_and(is_one)
}

/// Refuses a new database with one of these endings.
pub(crate) fn check_ending(book: &Path, endings: &[&str]) -> Result<(), Failure> {
    if !book.exists() && ends_in(book, endings) {
        let new = book.with_extension("obook");
        let problem = format!(
            "there is no such file, and a new book is a database: name it {}",
            new.display()
        );
        return Err(Failure::file(book, problem));
    }
    Ok(())
}

/// Refuses a name with another ending than these, the first of which says what the contents will be.
pub(crate) fn has_ending(path: &Path, endings: &[&str]) -> Result<(), Failure> {
    if path.extension().is_none() || ends_in(path, endings) {
        return Ok(());
    }
    let (contents, name) = (endings[0].to_uppercase(), path.with_extension(endings[0]));
    let name = name.display();
    let problem = format!("the contents will be {contents}; name it {name}");
    Err(Failure::file(path, problem))
}

/// Refuses to merge books into a missing database, and names the import that would make it.
pub(crate) fn check_exists(book: &Path, import: &[&str], files: &[PathBuf]) -> Result<(), Failure> {
    if book.exists() || files.is_empty() {
        return Ok(());
    }
    let mut words: Vec<&OsStr> = import.iter().map(OsStr::new).collect();
    words.extend(files.iter().map(|file| file.as_os_str()));
    words.extend([OsStr::new("--book"), book.as_os_str()]);
    let problem = format!("there is no such database; `{}` makes it", command(words));
    Err(Failure::file(book, problem))
}

/// A book to change, and where the result goes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Target {
    /// An obook database; or a book file, with --output
    #[arg(value_parser = changeable())]
    book: PathBuf,
    /// Write the changed book file here; its extension determines the format, as for `obook convert`
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    output: Option<PathBuf>,
    /// Replace an existing book file
    #[arg(long, requires = "output")]
    force: bool,
    /// Say what would change, but write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Target {
    /// Changes the book and reports what was done, as JSON or in the words of `describe`.
    pub(crate) fn rewrite<R: Serialize>(
        &self,
        rewrite: impl FnOnce(Rewrite<'_>, &Context) -> obook::Result<R>,
        describe: fn(&R, &mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let context = self.memory.context();
        let path = &self.book;
        let rewrite =
            |target: Rewrite<'_>, context: &Context| rewrite(target, context).map_err(on_change);
        let report = match (Book::open(path, &context)?, &self.output) {
            (book, _) if self.dry_run => rewrite(Rewrite::DryRun(&book), &context)?,
            (Book::Database(store), None) => {
                drop(store);
                let mut store = Store::open_for_writing(path, &context)?;
                rewrite(Rewrite::InPlace(&mut store), &context)?
            }
            (Book::File(book), Some(output)) => {
                let target = Rewrite::File {
                    book: &book,
                    output,
                    if_exists: if_exists(self.force),
                };
                rewrite(target, &context)?
            }
            (Book::Database(_), Some(_)) => return Err(needs_no_output(path)),
            (Book::File(_), None) => return Err(needs_output(path)),
        };
        account(&report, self.json, describe)
    }

    /// Cuts the book and reports what is left.
    pub(crate) fn cut(&self, how: &Cut) -> Result<(), Failure> {
        self.rewrite(|target, context| cut(target, how, context), reports::cut)
    }
}

/// A database to recompute.
#[derive(Clone, Debug, Args)]
pub(crate) struct Recomputing {
    /// An obook database
    #[arg(value_parser = changeable())]
    book: PathBuf,
    #[command(flatten)]
    memory: Memory,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Recomputing {
    /// Recomputes the database, and reports what that changed.
    pub(crate) fn run(&self, steps: Steps) -> Result<(), Failure> {
        let context = self.memory.context();
        let mut store = Book::open_for_writing(&self.book, &context)?;
        let report = recompute(&mut store, steps)?;
        account(&report, self.json, reports::recomputed)
    }
}

/// A database is changed in place.
pub(crate) fn needs_no_output(database: &Path) -> Failure {
    let problem =
        "a database is changed where it is; leave out --output, or copy the database first";
    Failure::file(database, problem)
}

/// A book file is never changed.
pub(crate) fn needs_output(file: &Path) -> Failure {
    let problem = "a book file is not changed where it is; name a file for the changed book with --output, or import it \
                   into a database with `obook import`";
    Failure::file(file, problem)
}
