//! Names of pictures.

use obook_book::Error;
use std::path::Path;

/// That the name of the file to write does not promise something else than what will be in it.
pub(crate) fn suits(output: &Path, json: bool) -> Result<(), Error> {
    let (what, expected) = match json {
        true => ("JSON", "json"),
        false => ("SVG", "svg"),
    };
    match output.extension() {
        Some(found) if !found.eq_ignore_ascii_case(expected) => {
            let name = output.with_extension(expected);
            let problem = format!("what is written is {what}; name it {}", name.display());
            Err(Error::unfit(output, problem))
        }
        _ => Ok(()),
    }
}
