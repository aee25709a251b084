//! Pictures as files: SVG, or PNG drawn from it.

use crate::failure::Failure;
use crate::{context, png};
use obook::{AtomicFile, Error, FileKind, IfExists};
use std::io::Write;
use std::path::Path;

/// The format of a picture, chosen by the extension of its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PictureFormat {
    Svg,
    Png,
}

impl PictureFormat {
    /// The format for this name; SVG if it has no extension.
    pub(crate) fn of(path: &Path) -> Result<PictureFormat, Failure> {
        let is = |name: &str| {
            path.extension()
                .is_some_and(|found| found.eq_ignore_ascii_case(name))
        };
        if path.extension().is_none() || is("svg") {
            return Ok(PictureFormat::Svg);
        }
        if is("png") {
            png::check().map_err(|problem| Failure::file(path, problem))?;
            return Ok(PictureFormat::Png);
        }
        let [svg, png] = ["svg", "png"].map(|extension| path.with_extension(extension));
        let problem = format!(
            "pictures are SVG or PNG; name it {} or {}",
            svg.display(),
            png.display()
        );
        Err(Failure::file(path, problem))
    }

    fn kind(self) -> FileKind {
        match self {
            PictureFormat::Svg => FileKind::Picture,
            PictureFormat::Png => FileKind::Png,
        }
    }

    fn encode(self, svg: String) -> Result<Vec<u8>, String> {
        match self {
            PictureFormat::Svg => Ok(svg.into_bytes()),
            PictureFormat::Png => png::encode(&svg),
        }
    }
}

/// A file for a picture, which appears when it is drawn.
pub(crate) struct PictureFile {
    file: AtomicFile,
    format: PictureFormat,
}

impl PictureFile {
    pub(crate) fn create(path: &Path, if_exists: IfExists) -> Result<PictureFile, Failure> {
        let format = PictureFormat::of(path)?;
        let file = AtomicFile::create(path, format.kind(), if_exists, &context::quiet())?;
        Ok(PictureFile { file, format })
    }

    /// Draws the picture from SVG and gives the file at `path` its name.
    pub(crate) fn commit(mut self, path: &Path, svg: String) -> Result<(), Failure> {
        let contents = self.format.encode(svg);
        let contents = contents.map_err(|problem| Failure::file(path, problem))?;
        let written = self.file.file().write_all(&contents);
        written.map_err(Error::io(path, "write"))?;
        Ok(self.file.commit()?)
    }
}
