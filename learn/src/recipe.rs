//! What is learned: stages, one after the other.

use super::Rule;
use obook_othello::{Board, CanonicalBoard, Line};
use serde::{Deserialize, Serialize};

/// Stages, each of which goes on until its rule wants nothing more.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// The moves that lead to the root of all its lines; none, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "text")]
    pub from: Option<Line>,
    /// The stages, one at least.
    pub stages: Vec<Stage>,
}

impl Recipe {
    /// Where its lines begin.
    #[must_use]
    pub fn root(&self) -> CanonicalBoard {
        let root = self.from.as_ref().map_or(Board::START, Line::board);
        root.canonical()
    }

    /// The positions on the way there, the root included.
    pub(crate) fn way(&self) -> Vec<CanonicalBoard> {
        let line = self.from.clone().unwrap_or_default();
        let way = line.positions();
        way.map(|(board, _)| board.canonical()).collect()
    }
}

/// A rule, how well it searches, and when it has done enough.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// What is searched.
    pub rule: Rule,
    /// The level of the searches, 0 to 60 on the engine's scale; the book's, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// So many plies is a line long at most, 1 to 60; as long as the book's, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<u8>,
    /// The name of the engine; that of the command, if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// What ends the stage before its rule wants nothing more.
    #[serde(default, skip_serializing_if = "Until::is_never")]
    pub until: Until,
}

/// What ends a stage early: whichever comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Until {
    /// So many answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub searches: Option<u64>,
    /// So many positions in the book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub positions: Option<u64>,
}

impl Until {
    fn is_never(&self) -> bool {
        *self == Until::default()
    }
}

/// A line as the text of its moves.
mod text {
    use obook_othello::Line;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(line: &Option<Line>, to: S) -> Result<S::Ok, S::Error> {
        match line {
            Some(line) => to.collect_str(line),
            None => to.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Line>, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map(Some).map_err(D::Error::custom)
    }
}
