//! Questions and replies as other machines read and write them: a line of JSON each.
//!
//! Whoever reads a line knows nothing of who wrote it: its length is bounded, and all that it says is checked.

mod error;
mod lines;
mod name;
mod question;
mod reply;

pub use error::WireError;
pub use lines::Lines;
pub use name::Name;
pub use question::Question;
pub use reply::{Failure, Reply};

/// No line is longer, in bytes, its end not counted.
pub const MAX_LINE: usize = 4096;

/// Reads a line as a value of this type, if it is short enough.
fn read<'a, T: serde::Deserialize<'a>>(line: &'a [u8]) -> Result<T, WireError> {
    if line.len() > MAX_LINE {
        return Err(WireError::Long(line.len()));
    }
    serde_json::from_slice(line).map_err(WireError::from)
}

/// Writes a line.
fn write(line: &impl serde::Serialize) -> String {
    serde_json::to_string(line).expect("it is text and numbers")
}
