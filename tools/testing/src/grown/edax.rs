//! Books that Edax grew, and the stages that grow the same books, or different ones for a reason.

use super::{Case as _, Growth, positions};
use crate::random_book::Book;
use obook_engine::Searcher;
use obook_learn::{Correction, Played, Recipe};

/// A growth by an Edax command and by a stage.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The name of the case, and of the book that Edax grew.
    pub name: &'static str,
    /// The book from which it grew, which may be that of another case.
    pub from: &'static str,
    /// The level of the book.
    pub level: u8,
    /// The depth of the book.
    pub depth: u8,
    /// Edax's book command.
    pub command: &'static str,
    /// The stage that does the same, without its depth.
    pub stage: &'static str,
}

/// The cases in which both grow the same book.
pub const SAME: [Case; 9] = [
    Case {
        name: "extend",
        from: "start2",
        level: 2,
        depth: 6,
        command: "extend",
        stage: "rule = 'extend'",
    },
    Case {
        name: "play",
        from: "start2",
        level: 2,
        depth: 9,
        command: "play",
        stage: "rule = 'play'",
    },
    Case {
        name: "play-on",
        from: "extend",
        level: 2,
        depth: 8,
        command: "play",
        stage: "rule = 'play'",
    },
    Case {
        name: "deviate",
        from: "start1",
        level: 1,
        depth: 3,
        command: "deviate 3 3",
        stage: "rule = { deviate = { relative = 3, absolute = 3 } }",
    },
    Case {
        name: "deviate-best",
        from: "start1",
        level: 1,
        depth: 4,
        command: "deviate 0 2",
        stage: "rule = { deviate = { relative = 0, absolute = 2 } }",
    },
    Case {
        name: "fill-3",
        from: "extend",
        level: 2,
        depth: 6,
        command: "fill 3",
        stage: "rule = { fill = { plies = 3 } }",
    },
    // Edax enhances once: this number of positions.
    Case {
        name: "enhance",
        from: "extend",
        level: 2,
        depth: 7,
        command: "enhance 2 1",
        stage: "rule = { enhance = { midgame-error = 2, endcut-error = 1 } }\nuntil = { searches = 3 }",
    },
    Case {
        name: "enhance-best",
        from: "deviate-best",
        level: 1,
        depth: 5,
        command: "enhance 2 1",
        stage: "rule = { enhance = { midgame-error = 2, endcut-error = 1 } }\nuntil = { searches = 5 }",
    },
    // In `wrong`, two proven scores of a line to the end are wrong.
    Case {
        name: "correct",
        from: "wrong",
        level: 5,
        depth: 60,
        command: "correct",
        stage: "rule = 'correct'",
    },
];

/// The cases in which Edax has a defect that obook doesn't have.
pub const DIFFERENT: [Case; 4] = [STALE, ONE_PASS, ERRORS, SAME_LEVEL];

/// Edax's second pass uses values from before the first.
pub const STALE: Case = Case {
    name: "stale",
    from: "start2",
    level: 2,
    depth: 4,
    command: "deviate 2 4",
    stage: "rule = { deviate = { relative = 2, absolute = 4 } }",
};

/// Edax enhances once, even if there is more to enhance.
pub const ONE_PASS: Case = Case {
    name: "one-pass",
    from: "start2",
    level: 2,
    depth: 3,
    command: "enhance 2 1",
    stage: "rule = { enhance = { midgame-error = 2, endcut-error = 1 } }",
};

/// Edax stores the errors by which it enhances as those of the book.
pub const ERRORS: Case = Case {
    name: "errors",
    from: "start2",
    level: 2,
    depth: 2,
    command: "enhance 3 2",
    stage: "rule = { enhance = { midgame-error = 3, endcut-error = 2 } }\nuntil = { searches = 1 }",
};

/// Edax searches positions of another level than the book's again, but at their own level.
pub const SAME_LEVEL: Case = Case {
    name: "same-level",
    from: "weak",
    level: 4,
    depth: 6,
    command: "deepen",
    stage: "rule = 'deepen'",
};

impl super::Case for Case {
    const FOLDER: &str = "edax";
    const ENDING: &str = "dat";

    fn name(&self) -> &str {
        self.name
    }

    fn from(&self) -> &str {
        self.from
    }
}

impl Case {
    /// The stage as a recipe.
    pub fn recipe(&self) -> Recipe {
        let (stage, depth) = (self.stage, self.depth);
        toml::from_str(&format!("[[stages]]\n{stage}\ndepth = {depth}\n")).unwrap()
    }

    /// The book that obook's rules grow, and the corrections of proven scores.
    pub fn ours(&self, start: &(dyn Fn() -> Box<dyn Searcher> + Sync)) -> (Book, Vec<Correction>) {
        let folder = tempfile::tempdir().unwrap();
        let book = folder.path().join("book.obook");
        let growth = Growth {
            before: &self.before(),
            recipe: self.recipe(),
            played: Played::NOTHING,
        };
        let corrections = growth.grow(&book, start);
        (positions(&book), corrections)
    }
}
