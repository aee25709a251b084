//! Where a book comes from, which decides what can be demanded of it.

use obook_converters::Format;
use obook_graph::mapping::demands::MAX_LEVEL;
use obook_model::{PERSON_LEVEL, RuleSet};

/// Where the positions come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    File(Format),
    Database(RuleSet),
}

impl Origin {
    /// Whether links are a part of the book; elsewhere every move to a position of the book is one.
    pub(crate) fn has_links(self) -> bool {
        !matches!(
            self,
            Origin::File(Format::EdaxText | Format::Egbk3 | Format::Egbk)
        )
    }

    /// Whether a pass is a link too. The releases that wrote `.egbk2` never wrote one: both positions stand in the file.
    pub(crate) fn links_passes(self) -> bool {
        self != Origin::File(Format::Egbk2)
    }

    /// Whether positions have a value.
    pub(crate) fn has_values(self) -> bool {
        self != Origin::File(Format::EdaxText)
    }

    /// Whether the order of links is a part of the book.
    pub(crate) fn keeps_order(self) -> bool {
        self == Origin::File(Format::Edax)
    }

    /// Whether Edax's demands and rules apply.
    pub(crate) fn is_edax(self) -> bool {
        matches!(
            self,
            Origin::File(Format::Edax | Format::EdaxText) | Origin::Database(RuleSet::Edax)
        )
    }

    pub(crate) fn is_database(self) -> bool {
        matches!(self, Origin::Database(_))
    }

    /// Whether a position can have a level: an engine has it, or it says that a person entered the value, where the book
    /// has a way to say so.
    pub(crate) fn can_have(self, level: u8) -> bool {
        let knows_persons = !matches!(self, Origin::File(Format::Edax | Format::EdaxText));
        level <= MAX_LEVEL || level == PERSON_LEVEL && knows_persons
    }
}
