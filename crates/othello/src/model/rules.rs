//! The rules by which the derived numbers of a book are computed.

use std::fmt;

/// The rules for the values, counts and lines of a book.
///
/// ```
/// use obook_othello::RuleSet;
/// assert_eq!(RuleSet::from_name("egaroucid-edax"), Some(RuleSet::EgaroucidEdax));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RuleSet {
    /// Values over leaves and links, bounds, outcomes; lines count leaves by paths.
    Edax,
    /// Values over links; lines count positions by paths.
    Egaroucid,
    /// Values over leaves and links, as Egaroucid's "Edax" fix computes them; lines count positions by paths.
    EgaroucidEdax,
}

impl RuleSet {
    /// All rule sets.
    pub const ALL: [RuleSet; 3] = [RuleSet::Edax, RuleSet::Egaroucid, RuleSet::EgaroucidEdax];

    /// The name used in databases and on command lines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            RuleSet::Edax => "edax",
            RuleSet::Egaroucid => "egaroucid",
            RuleSet::EgaroucidEdax => "egaroucid-edax",
        }
    }

    /// Returns the rule set with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<RuleSet> {
        RuleSet::ALL.into_iter().find(|rules| rules.name() == name)
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
