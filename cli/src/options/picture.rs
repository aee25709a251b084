//! Pictures as files: SVG, or PNG drawn from it.

use crate::failure::Failure;
use crate::options::destination::{ends_in, if_exists};
use crate::without::missing;
use crate::{context, png};
use obook::{AtomicFile, Content, IfExists, spare};
use std::path::{Path, PathBuf};

/// The format of a picture, chosen by the extension of its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum PictureFormat {
    Svg,
    Png,
}

impl PictureFormat {
    /// The format for this name; SVG if it has no extension.
    fn of(path: &Path) -> Result<PictureFormat, Failure> {
        if path.extension().is_none() || ends_in(path, &["svg"]) {
            return Ok(PictureFormat::Svg);
        }
        if ends_in(path, &["png"]) && !cfg!(feature = "png") {
            let problem = format!("{}; or write an .svg", missing("png"));
            return Err(Failure::file(path, problem));
        }
        if ends_in(path, &["png"]) {
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

    const fn content(self) -> Content {
        match self {
            PictureFormat::Svg => Content::file("an SVG picture", |head, _| {
                let text = String::from_utf8_lossy(head);
                let text = text.trim_start();
                text.starts_with("<svg") || text.starts_with("<?xml") && text.contains("<svg")
            }),
            PictureFormat::Png => Content::file("a PNG picture", |head, _| {
                head.starts_with(b"\x89PNG\r\n\x1a\n")
            }),
        }
    }

    fn encode(self, svg: String) -> Result<Vec<u8>, String> {
        match self {
            PictureFormat::Svg => Ok(svg.into_bytes()),
            PictureFormat::Png => png::encode(&svg),
        }
    }
}

/// A file for a picture, which appears when it is drawn. Create it before books and games are
/// read, so that a name that can't be used is refused at once.
pub(crate) struct PictureFile {
    file: AtomicFile,
    format: PictureFormat,
}

impl PictureFile {
    /// The file that `--output` names, if it is given, and which must be none of the inputs.
    pub(crate) fn asked<'p>(
        output: Option<&PathBuf>,
        inputs: impl IntoIterator<Item = &'p PathBuf>,
        force: bool,
    ) -> Result<Option<PictureFile>, Failure> {
        let Some(output) = output else {
            return Ok(None);
        };
        for input in inputs {
            spare(input, output)?;
        }
        PictureFile::create(output, if_exists(force)).map(Some)
    }

    pub(crate) fn create(path: &Path, if_exists: IfExists) -> Result<PictureFile, Failure> {
        let format = PictureFormat::of(path)?;
        let file = AtomicFile::create(path, format.content(), if_exists, &context::quiet())?;
        Ok(PictureFile { file, format })
    }

    /// Draws the picture from SVG and gives the file its name.
    pub(crate) fn commit(mut self, svg: String) -> Result<(), Failure> {
        let contents = self.format.encode(svg);
        let contents = contents.map_err(|problem| Failure::file(self.file.target(), problem))?;
        self.file.write_all(&contents)?;
        Ok(self.file.commit()?)
    }
}
