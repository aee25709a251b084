//! A file of one of the engines' formats, and what it leaves out.

use crate::{BookHeader, Progress, Result};
use obook_converters::egbk2::LinkCount;
use obook_converters::{BookReader, Format};
use obook_graph::link::link_shown;
use obook_graph::passes::restore_passes;
use obook_graph::{Graph, TooLarge};
use obook_model::RuleSet;
use std::path::{Path, PathBuf};

/// A book file that was recognised; it is read from the start each time something is asked.
#[derive(Debug)]
pub struct BookFile {
    path: PathBuf,
    format: Format,
    header: BookHeader,
    link_count: Option<LinkCount>,
}

impl BookFile {
    /// Recognises a book file by its contents.
    pub(super) fn open(path: &Path) -> Result<BookFile> {
        let reader = BookReader::open(path, None)?;
        Ok(BookFile {
            path: path.to_owned(),
            format: reader.format(),
            header: BookHeader::of(&reader),
            link_count: reader.link_count(),
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The format that its contents show.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// What it says about itself.
    #[must_use]
    pub fn header(&self) -> &BookHeader {
        &self.header
    }

    /// Of an `.egbk2` file: how many bytes its link counts were found to have.
    #[must_use]
    pub fn link_count(&self) -> Option<LinkCount> {
        self.link_count
    }

    /// Whether its links are written down in it, pass positions and all.
    pub(crate) fn has_links(&self) -> bool {
        self.format == Format::Edax
    }

    /// Reads it from the start.
    ///
    /// # Errors
    /// Where it can't be read.
    pub fn reader(&self) -> Result<BookReader> {
        Ok(BookReader::open(&self.path, Some(self.format))?)
    }
}

/// Gives the records of a book file what its format leaves out: links, and by Egaroucid's rules pass positions.
pub(crate) fn complete(
    graph: &mut Graph,
    header: &BookHeader,
    progress: &Progress,
) -> std::result::Result<(), TooLarge> {
    if header.rules == RuleSet::Egaroucid {
        restore_passes(graph)?;
    }
    link_shown(graph, progress).map(drop)
}
