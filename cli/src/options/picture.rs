//! Pictures as files: SVG, PNG drawn from it, or their numbers.

use crate::options::destination::{ends_in, has_ending, if_exists};
use crate::png;
use crate::prelude::*;
use crate::without::missing;
use obook::{AtomicFile, Content, IfExists, spare};

const SVG: Content = Content::file("an SVG picture", |head, _| {
    let text = String::from_utf8_lossy(head);
    let text = text.trim_start();
    text.starts_with("<svg") || text.starts_with("<?xml") && text.contains("<svg")
});

const PNG: Content = Content::file("a PNG picture", |head, _| {
    head.starts_with(b"\x89PNG\r\n\x1a\n")
});

/// The numbers of a picture: the first keys are those of a bar chart or a tree.
const NUMBERS: Content = Content::file("the JSON of a picture", |head, _| {
    let text: String = String::from_utf8_lossy(head).split_whitespace().collect();
    let keys = [
        ("{\"title\":", "\"across\":"),
        ("{\"start\":", "\"score\":"),
    ];
    keys.iter()
        .any(|(first, second)| text.starts_with(first) && text.contains(second))
});

/// Whether a picture's file name asks for PNG. Without an extension, the picture is SVG.
fn is_png(path: &Path) -> Result<bool, Failure> {
    let is_png = ends_in(path, &["png"]);
    if is_png && !cfg!(feature = "png") {
        let problem = format!("{}; or write an .svg", missing("png"));
        return Err(Failure::file(path, problem));
    }
    if is_png || path.extension().is_none() || ends_in(path, &["svg"]) {
        return Ok(is_png);
    }
    let [svg, png] = ["svg", "png"].map(|extension| path.with_extension(extension));
    let (svg, png) = (svg.display(), png.display());
    let problem = format!("pictures are SVG or PNG; name it {svg} or {png}");
    Err(Failure::file(path, problem))
}

/// A file for a picture, which appears when it is drawn. Create it before books and games are
/// read, so that a name that can't be used is refused at once.
pub(crate) struct PictureFile {
    file: AtomicFile,
    is_png: bool,
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
        let is_png = is_png(path)?;
        let content = if is_png { PNG } else { SVG };
        let file = AtomicFile::create(path, content, if_exists, &context::quiet())?;
        Ok(PictureFile { file, is_png })
    }

    /// A file for a picture's numbers, instead of the picture.
    pub(crate) fn of_numbers(path: &Path, if_exists: IfExists) -> Result<PictureFile, Failure> {
        has_ending(path, &["json"])?;
        let file = AtomicFile::create(path, NUMBERS, if_exists, &context::quiet())?;
        Ok(PictureFile {
            file,
            is_png: false,
        })
    }

    /// Draws the picture from SVG, or takes its numbers as JSON, and gives the file its name.
    pub(crate) fn commit(mut self, text: String) -> Result<(), Failure> {
        let contents = match self.is_png {
            true => png::encode(&text),
            false => Ok(text.into_bytes()),
        };
        let contents = contents.map_err(|problem| Failure::file(self.file.target(), problem))?;
        self.file.write_all(&contents)?;
        Ok(self.file.commit()?)
    }
}
