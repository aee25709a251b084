//! Draws SVG as PNG.

use crate::words::say;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{FontResolver, Options, Tree};
use std::sync::Mutex;

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

/// Twice the size of the SVG, so that text is sharp.
const SCALE: f32 = 2.0;

/// The largest picture, in pixels of four bytes.
const MOST_PIXELS: u64 = 1 << 28;

/// Draws a picture with the fonts of the system.
pub(crate) fn encode(svg: &str) -> Result<Vec<u8>, String> {
    let mut fonts = Database::new();
    fonts.load_system_fonts();
    let (png, missing) = draw(svg, fonts)?;
    if let Some(letter) = missing {
        say(format_args!(
            "obook: no installed font has all letters of the picture, such as {letter}"
        ));
    }
    Ok(png)
}

/// Draws a picture with these fonts. Also returns a letter that they lack.
fn draw(svg: &str, mut fonts: Database) -> Result<(Vec<u8>, Option<char>), String> {
    let families = || fonts.faces().flat_map(|face| &face.families);
    let has = |family: &&&str| families().any(|(name, _)| name == **family);
    let found = FAMILIES.iter().find(has).map(ToString::to_string);
    let first = || families().next().map(|(name, _)| name.clone());
    let family = found.or_else(first).ok_or(
        "a PNG needs a font for its text, and none is installed: install one, such as DejaVu Sans, or write an .svg",
    )?;
    fonts.set_sans_serif_family(&family);
    let missing = Mutex::new(None);
    let fallback = FontResolver::default_fallback_selector();
    let mut options = Options {
        font_family: family,
        font_resolver: FontResolver {
            select_fallback: Box::new(|letter, used, fonts| {
                let found = fallback(letter, used, fonts);
                if found.is_none() {
                    *missing.lock().expect("no other thread") = Some(letter);
                }
                found
            }),
            ..FontResolver::default()
        },
        ..Options::default()
    };
    *options.fontdb_mut() = fonts;
    let failed = |error: String| format!("can't draw the picture as PNG: {error}");
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(error.to_string()))?;
    drop(options);
    let size = tree.size().to_int_size().scale_by(SCALE);
    let size =
        size.filter(|size| u64::from(size.width()) * u64::from(size.height()) <= MOST_PIXELS);
    let pixmap = size.and_then(|size| Pixmap::new(size.width(), size.height()));
    let mut pixmap = pixmap.ok_or("too large for a PNG; write an .svg")?;
    let scale = Transform::from_scale(SCALE, SCALE);
    resvg::render(&tree, scale, &mut pixmap.as_mut());
    let png = pixmap.encode_png();
    let missing = missing.into_inner().expect("no other thread");
    Ok((png.map_err(|error| failed(error.to_string()))?, missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_fonts_the_problem_is_named() {
        let said = draw("<svg xmlns='http://www.w3.org/2000/svg'/>", Database::new());
        assert!(said.unwrap_err().contains("needs a font"));
    }
}
