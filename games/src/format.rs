//! The formats, their names, and how a file's first bytes tell them apart.

use crate::wthor;
use std::fmt;
use std::path::Path;

/// A format of game records.
///
/// ```
/// use obook_games::Format;
/// use std::path::Path;
/// assert_eq!(Format::from_extension(Path::new("WTH_1998.WTB.zst")), Some(Format::Wthor));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Format {
    /// The French federation's base: `.wtb`, with `.jou` and `.trn` beside it.
    Wthor,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 1] = [Format::Wthor];

    /// How many of the first bytes [`Format::detect`] looks at.
    pub const HEAD: usize = 4096;

    /// Its name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::Wthor => "wthor",
        }
    }

    /// The extension that files of this format usually have, without the dot.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Format::Wthor => "wtb",
        }
    }

    /// The format whose extension `path` has, in any case; a trailing `.zst` is looked through. For files that are yet
    /// to be written: what a file that exists holds is for [`Format::detect`] to say.
    #[must_use]
    pub fn from_extension(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        if extension == "zst" {
            return Format::from_extension(Path::new(path.file_stem()?));
        }
        Format::ALL
            .into_iter()
            .find(|format| format.extension() == extension)
    }

    /// The format of a file that starts with `head`, of which [`Format::HEAD`] bytes are enough; `None` if it is none.
    #[must_use]
    pub fn detect(head: &[u8]) -> Option<Format> {
        wthor::is_games(head).then_some(Format::Wthor)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
