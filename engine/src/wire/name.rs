//! Names of machines and of what they work for.

use super::WireError;
use std::fmt;
use std::str::FromStr;

/// No name is longer, in characters.
const MAX_NAME: usize = 64;

/// What a worker or a book is called between machines: letters, digits, `-` and `_`, 64 at most.
///
/// ```
/// use obook_engine::wire::Name;
/// assert_eq!("attic-2".parse::<Name>()?.as_str(), "attic-2");
/// assert!("two words".parse::<Name>().is_err());
/// # Ok::<(), obook_engine::wire::WireError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A name made of any text: what no name may hold becomes a hyphen.
    ///
    /// ```
    /// use obook_engine::wire::Name;
    /// assert_eq!(Name::like("attic.example").as_str(), "attic-example");
    /// assert_eq!(Name::like("").as_str(), "unnamed");
    /// ```
    #[must_use]
    pub fn like(text: &str) -> Name {
        let part = |c| if may_stand_in_name(c) { c } else { '-' };
        let name: String = text.chars().take(MAX_NAME).map(part).collect();
        match name.is_empty() {
            true => Name(String::from("unnamed")),
            false => Name(name),
        }
    }
}

const fn may_stand_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

impl FromStr for Name {
    type Err = WireError;

    fn from_str(text: &str) -> Result<Name, WireError> {
        let length = text.chars().count();
        match (1..=MAX_NAME).contains(&length) && text.chars().all(may_stand_in_name) {
            true => Ok(Name(text.to_owned())),
            false => Err(WireError::Field {
                field: "name",
                found: text.chars().take(MAX_NAME).collect(),
                expected: "a name of 1 to 64 letters, digits, hyphens and underscores",
            }),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
