//! Pictures as files: SVG, or PNG drawn from it.

use crate::context;
use crate::failure::Failure;
use obook_book::{AtomicFile, Error, FileKind, IfExists};
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
            PictureFormat::Png => png(&svg),
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

/// Draws SVG as PNG, in twice its size, so that text is sharp.
#[cfg(feature = "png")]
fn png(svg: &str) -> Result<Vec<u8>, String> {
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::{Options, Tree};
    const SCALE: f32 = 2.0;
    /// Fonts for text, the best first. Without any of them, the first installed one is used.
    const FAMILIES: [&str; 8] = [
        "Segoe UI",
        "Helvetica Neue",
        "Arial",
        "Noto Sans",
        "Noto Sans CJK JP",
        "Liberation Sans",
        "DejaVu Sans",
        "Ubuntu",
    ];
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_system_fonts();
    let families = || fonts.faces().flat_map(|face| &face.families);
    let has = |family: &&&str| families().any(|(name, _)| name == **family);
    let found = FAMILIES
        .iter()
        .find(has)
        .map(|family| String::from(*family));
    let first = || families().next().map(|(name, _)| name.clone());
    let Some(family) = found.or_else(first) else {
        return Err(String::from(
            "no fonts are installed, and a PNG needs one for its text: install a font, such as DejaVu Sans, or write an .svg",
        ));
    };
    fonts.set_sans_serif_family(&family);
    options.font_family = family;
    let failed = |error| format!("can't draw the picture as PNG: {error}");
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(error.to_string()))?;
    let size = tree.size().to_int_size().scale_by(SCALE);
    let pixmap = size.and_then(|size| Pixmap::new(size.width(), size.height()));
    let mut pixmap = pixmap.ok_or("too large for a PNG; write an .svg")?;
    resvg::render(
        &tree,
        Transform::from_scale(SCALE, SCALE),
        &mut pixmap.as_mut(),
    );
    pixmap
        .encode_png()
        .map_err(|error| failed(error.to_string()))
}

/// Explains why there is no PNG.
#[cfg(not(feature = "png"))]
fn png(_svg: &str) -> Result<Vec<u8>, String> {
    Err(String::from(
        "this obook was built without PNG; write an .svg",
    ))
}
