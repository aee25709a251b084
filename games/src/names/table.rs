//! The table of openings.

use obook_othello::Line;
use std::fmt;
use std::sync::LazyLock;

const TABLE: &str = include_str!("../../names/openings.tsv");

/// A position with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Opening {
    line: Line,
    english: Option<&'static str>,
    japanese: Option<&'static str>,
    others: Vec<&'static str>,
    sources: Vec<&'static str>,
}

/// All openings that have a name, in the order of their moves.
///
/// ```
/// let sources = obook_games::names::openings().iter().map(|opening| opening.sources().len());
/// assert!(sources.min() >= Some(1));
/// ```
#[must_use]
pub fn openings() -> &'static [Opening] {
    static OPENINGS: LazyLock<Vec<Opening>> = LazyLock::new(|| {
        let rows = TABLE.lines().skip(1);
        rows.map(|row| Opening::read(row).unwrap_or_else(|| panic!("openings.tsv: {row}")))
            .collect()
    });
    &OPENINGS
}

impl Opening {
    fn read(row: &'static str) -> Option<Opening> {
        let cells: Vec<&str> = row.split('\t').collect();
        let [moves, english, japanese, others, sources] = cells[..] else {
            return None;
        };
        let name = |cell: &'static str| (!cell.is_empty()).then_some(cell);
        Some(Opening {
            line: moves.parse().ok()?,
            english: name(english),
            japanese: name(japanese),
            others: others.split("; ").filter(|name| !name.is_empty()).collect(),
            sources: sources.split_whitespace().collect(),
        })
        .filter(|opening| opening.names().next().is_some())
    }

    /// Moves that lead to the position, f5 first.
    #[must_use]
    pub fn line(&self) -> &Line {
        &self.line
    }

    /// Its English name, or the Japanese one where there is no other.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.names().next().expect("an opening has a name")
    }

    /// Its most usual English name.
    #[must_use]
    pub fn english(&self) -> Option<&'static str> {
        self.english
    }

    /// Its most usual Japanese name.
    #[must_use]
    pub fn japanese(&self) -> Option<&'static str> {
        self.japanese
    }

    /// What else it is called, in any language.
    #[must_use]
    pub fn others(&self) -> &[&'static str] {
        &self.others
    }

    /// All its names, the most usual ones first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        let usual = self.english.into_iter().chain(self.japanese);
        usual.chain(self.others.iter().copied())
    }

    /// The published lists that have it, as `names/README.md` calls them.
    #[must_use]
    pub fn sources(&self) -> &[&'static str] {
        &self.sources
    }
}

impl fmt::Display for Opening {
    /// Its English and its Japanese name, as far as it has both.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match (self.english, self.japanese) {
            (Some(_), Some(japanese)) => write!(f, " ({japanese})"),
            _ => Ok(()),
        }
    }
}
