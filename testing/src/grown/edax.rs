//! Books that Edax grew, and the stages that grow the same ones, or others for a reason.

use super::{Case as _, Growth, positions};
use crate::random_book::Book;
use obook_engine::Searcher;
use obook_learn::{Correction, Played, Recipe};

/// A growth: by commands of Edax, and by a stage.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub name: &'static str,
    /// The book that it begins with, of another case perhaps.
    pub from: &'static str,
    pub level: u8,
    pub depth: u8,
    /// What Edax is told to do with its book.
    pub command: &'static str,
    /// The stage that does the same, but for its depth.
    pub stage: &'static str,
}

/// Where both grow the same book.
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
    // Edax enhances once, so many positions.
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
    // In `wrong` two proven scores of a line to the end are others than they should be.
    Case {
        name: "correct",
        from: "wrong",
        level: 5,
        depth: 60,
        command: "correct",
        stage: "rule = 'correct'",
    },
];

/// Where Edax has a defect that is not ours.
pub const DIFFERENT: [Case; 4] = [STALE, ONE_PASS, ERRORS, SAME_LEVEL];

/// Edax's second pass judges by values from before the first.
pub const STALE: Case = Case {
    name: "stale",
    from: "start2",
    level: 2,
    depth: 4,
    command: "deviate 2 4",
    stage: "rule = { deviate = { relative = 2, absolute = 4 } }",
};

/// Edax enhances once, whatever there is left to enhance.
pub const ONE_PASS: Case = Case {
    name: "one-pass",
    from: "start2",
    level: 2,
    depth: 3,
    command: "enhance 2 1",
    stage: "rule = { enhance = { midgame-error = 2, endcut-error = 1 } }",
};

/// The errors by which Edax enhances become the book's.
pub const ERRORS: Case = Case {
    name: "errors",
    from: "start2",
    level: 2,
    depth: 2,
    command: "enhance 3 2",
    stage: "rule = { enhance = { midgame-error = 3, endcut-error = 2 } }\nuntil = { searches = 1 }",
};

/// Edax searches again what is of another level than the book, at the level at which it was.
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
    pub fn recipe(&self) -> Recipe {
        let (stage, depth) = (self.stage, self.depth);
        toml::from_str(&format!("[[stages]]\n{stage}\ndepth = {depth}\n")).unwrap()
    }

    /// What our rules make of it, and which proven scores were found otherwise.
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
