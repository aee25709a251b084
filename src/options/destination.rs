//! Where results go: `--force`, `--output`, pictures, and books changed in place.

use crate::context;
use crate::failure::Failure;
use crate::output::account;
use clap::Args;
use obook_book::write::Destination;
use obook_book::{AtomicFile, Context, Error, FileKind, IfExists, Result};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Force {
    /// Replace an existing file of the same kind
    #[arg(long)]
    force: bool,
}

impl Force {
    pub(crate) fn if_exists(self) -> IfExists {
        if_exists(self.force)
    }
}

/// What `--force` means for existing files.
pub(crate) fn if_exists(force: bool) -> IfExists {
    if force {
        IfExists::Replace
    } else {
        IfExists::Refuse
    }
}

/// Refuses a file name whose extension doesn't match the contents.
pub(crate) fn check_picture_name(output: &Path, json: bool) -> Result<(), Failure> {
    let (what, expected) = match json {
        true => ("JSON", "json"),
        false => ("SVG", "svg"),
    };
    match output.extension() {
        Some(found) if !found.eq_ignore_ascii_case(expected) => {
            let name = output.with_extension(expected);
            let problem = format!("the contents will be {what}; name it {}", name.display());
            Err(Failure::file(output, problem))
        }
        _ => Ok(()),
    }
}

/// Writes a picture, or its data, completely or not at all.
pub(crate) fn write_picture(
    path: &Path,
    kind: FileKind,
    contents: &[u8],
    if_exists: IfExists,
) -> Result<(), Error> {
    let mut file = AtomicFile::create(path, kind, if_exists, &context::quiet())?;
    let written = file.file().write_all(contents);
    written.map_err(Error::io(path, "write"))?;
    file.commit()
}

/// A book to change, and where the result goes.
#[derive(Clone, Debug, Args)]
pub(crate) struct Target {
    /// An obook database; or a book file, with --output
    book: PathBuf,
    /// Write the changed book file here, in the same format
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    output: Option<PathBuf>,
    /// Replace an existing book file
    #[arg(long, requires = "output")]
    force: bool,
    /// Say what would change, but write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Target {
    /// Changes the book and reports what was done, as JSON or in the words of `describe`.
    pub(crate) fn rewrite<R: Serialize>(
        &self,
        rewrite: impl FnOnce(&Path, &Destination, &Context) -> Result<R>,
        describe: fn(&R, &mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let report = rewrite(&self.book, &self.destination(), &context::shown())?;
        account(&report, self.json, describe)
    }

    fn destination(&self) -> Destination {
        match (&self.output, self.dry_run) {
            (_, true) => Destination::DryRun,
            (Some(output), false) => Destination::File(output.clone(), if_exists(self.force)),
            (None, false) => Destination::InPlace,
        }
    }
}
