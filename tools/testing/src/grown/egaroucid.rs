//! Books that Egaroucid grew, and the stages that grow the same books, or different ones for a reason.

use super::{Case as _, Growth, read};
use crate::random_book::Book;
use obook::write::export::{ExportOptions, Input, Output, export};
use obook::{Book as Opened, Context, IfExists};
use obook_converters::Format;
use obook_engine::Searcher;
use obook_learn::{Played, Recipe};
use obook_othello::NoLeaf;

/// A growth by functions of Egaroucid and by a stage.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The name of the case, and of the book that Egaroucid grew.
    pub name: &'static str,
    /// The book from which it grew, which may be that of another case.
    pub from: &'static str,
    /// The level of the searches.
    pub level: u8,
    /// The depth of the book.
    pub depth: u8,
    /// The function with its arguments: level, depth, limits, and the number of loops of `deviate`.
    pub function: &'static str,
    /// How often to call the function: if the stage has no other end, at least until nothing changes.
    pub times: u8,
    /// The functions to call after each time.
    pub then: &'static str,
    /// The stage that does the same, without its level and depth.
    pub stage: &'static str,
    /// The games to store.
    pub games: &'static [&'static str],
}

/// Computes values and numbers of lines, which Egaroucid leaves to its user.
const VALUES: &str = "fix 0 nlines";

/// The same, and searches illegal leaves again at level 1.
const ILLEGAL_1: &str = "fix 0 releaf 1 60 127 10000 fix 0 nlines";

/// The same, and searches all leaves again at level 1, because some are on a wrong square: see [`TURNED`].
const LEAVES_1: &str = "fix 0 dropleaves releaf 1 60 127 10000 fix 0 nlines";

/// The same at level 2.
const LEAVES_2: &str = "fix 0 dropleaves releaf 2 60 127 10000 fix 0 nlines";

/// The cases in which both grow the same book.
pub const SAME: [Case; 11] = [
    Case {
        name: "deviate",
        from: "start1",
        level: 1,
        depth: 5,
        function: "deviate 1 5 12 30 12 1",
        times: 40,
        then: LEAVES_1,
        stage: "rule = { egaroucid-deviate = { per-move = 12, sum = 30, leaf = 12 } }",
        games: &[],
    },
    Case {
        name: "deviate-long",
        from: "start2",
        level: 2,
        depth: 7,
        function: "deviate 2 7 2 6 2 1",
        times: 40,
        then: LEAVES_2,
        stage: "rule = { egaroucid-deviate = { per-move = 2, sum = 6, leaf = 2 } }",
        games: &[],
    },
    Case {
        name: "deviate-sum",
        from: "start2",
        level: 2,
        depth: 6,
        function: "deviate 2 6 6 3 6 1",
        times: 40,
        then: LEAVES_2,
        stage: "rule = { egaroucid-deviate = { per-move = 6, sum = 3, leaf = 6 } }",
        games: &[],
    },
    Case {
        name: "deviate-all",
        from: "start2",
        level: 2,
        depth: 4,
        function: "deviate 2 4 127 10000 127 1",
        times: 40,
        then: LEAVES_2,
        stage: "rule = { egaroucid-deviate = {} }",
        games: &[],
    },
    // Two unfinished books, for the cases below.
    Case {
        name: "before-in-turn",
        from: "start1",
        level: 1,
        depth: 6,
        function: "deviate 1 6 4 8 4 1",
        times: 11,
        then: LEAVES_1,
        stage: "rule = { egaroucid-deviate = { per-move = 4, sum = 8, leaf = 4 } }\nuntil = { positions = 67 }",
        games: &[],
    },
    Case {
        name: "before-one-walk",
        from: "start1",
        level: 1,
        depth: 7,
        function: "deviate 1 7 3 3 3 1",
        times: 9,
        then: LEAVES_1,
        stage: "rule = { egaroucid-deviate = { per-move = 3, sum = 3, leaf = 3 } }\nuntil = { positions = 28 }",
        games: &[],
    },
    Case {
        name: "variation-1",
        from: "start1",
        level: 1,
        depth: 60,
        function: "deviate 1 60 127 10000 0 1",
        times: 1,
        then: LEAVES_1,
        stage: "rule = { egaroucid-deviate = { leaf = 0 } }\nuntil = { searches = 1 }",
        games: &[],
    },
    Case {
        name: "variation-2",
        from: "start2",
        level: 2,
        depth: 60,
        function: "deviate 2 60 127 10000 0 1",
        times: 1,
        then: LEAVES_2,
        stage: "rule = { egaroucid-deviate = { leaf = 0 } }\nuntil = { searches = 1 }",
        games: &[],
    },
    Case {
        name: "recalculate",
        from: "deviate",
        level: 2,
        depth: 5,
        function: "releaf 2 5 4 8",
        times: 10,
        then: VALUES,
        stage: "rule = { recalculate = { per-move = 4, sum = 8 } }",
        games: &[],
    },
    Case {
        name: "recalculate-all",
        from: "variation-1",
        level: 2,
        depth: 60,
        function: "releaf 2 60 127 10000",
        times: 1,
        then: VALUES,
        stage: "rule = { recalculate = {} }",
        games: &[],
    },
    Case {
        name: "store",
        from: "start1",
        level: 1,
        depth: 60,
        function: "store 1 60 f5f6",
        times: 1,
        then: LEAVES_1,
        stage: "rule = 'egaroucid-store'",
        games: &["f5f6"],
    },
];

/// The cases in which Egaroucid works differently.
pub const DIFFERENT: [Case; 7] = [
    IN_TURN, ONE_WALK, TURNED, LOWER, NUMBERS, FIRST_PATH, STORE_ONCE,
];

/// Egaroucid expands leaves one after another, so each expansion sees those before it.
pub const IN_TURN: Case = Case {
    name: "in-turn",
    from: "before-in-turn",
    level: 1,
    depth: 6,
    function: "deviate 1 6 4 8 4 1",
    times: 1,
    then: LEAVES_1,
    stage: "rule = { egaroucid-deviate = { per-move = 4, sum = 8, leaf = 4 } }\nuntil = { positions = 68 }",
    games: &[],
};

/// Egaroucid doesn't continue from a leaf for White if it was already chosen for Black.
pub const ONE_WALK: Case = Case {
    name: "one-walk",
    from: "before-one-walk",
    level: 1,
    depth: 7,
    function: "deviate 1 7 3 3 3 1",
    times: 1,
    then: LEAVES_1,
    stage: "rule = { egaroucid-deviate = { per-move = 3, sum = 3, leaf = 3 } }\nuntil = { positions = 29 }",
    games: &[],
};

/// Egaroucid turns the leaf at the end of a variation the wrong way if the board is rotated by a right angle.
pub const TURNED: Case = Case {
    name: "turned",
    from: "start1",
    level: 1,
    depth: 8,
    function: "deviate 1 8 127 10000 0 1",
    times: 1,
    then: ILLEGAL_1,
    stage: "rule = { egaroucid-deviate = { leaf = 0 } }\nuntil = { searches = 1 }",
    games: &[],
};

/// Egaroucid searches lost leaves at a lower level.
pub const LOWER: Case = Case {
    name: "lower",
    from: "start2",
    level: 4,
    depth: 3,
    function: "deviate 4 3 127 10000 127 40",
    times: 1,
    then: ILLEGAL_1,
    stage: "rule = { egaroucid-deviate = {} }",
    games: &[],
};

/// Egaroucid compares levels as numbers.
pub const NUMBERS: Case = Case {
    name: "numbers",
    from: "variation-2",
    level: 3,
    depth: 60,
    function: "releaf 3 60 127 10000",
    times: 1,
    then: VALUES,
    stage: "rule = { recalculate = {} }",
    games: &[],
};

/// Egaroucid continues from a position with the limits left on the line by which it first came there.
pub const FIRST_PATH: Case = Case {
    name: "first-path",
    from: "transposed",
    level: 2,
    depth: 7,
    function: "releaf 2 7 127 4",
    times: 1,
    then: VALUES,
    stage: "rule = { recalculate = { sum = 4 } }",
    games: &[],
};

/// Egaroucid stores the position after the best move, whatever its value.
pub const STORE_ONCE: Case = Case {
    name: "store-once",
    from: "start1",
    level: 1,
    depth: 60,
    function: "store 1 60 f5d6c3",
    times: 10,
    then: LEAVES_1,
    stage: "rule = 'egaroucid-store'",
    games: &["f5d6c3"],
};

impl super::Case for Case {
    const FOLDER: &str = "egaroucid";
    const ENDING: &str = "egbk3";

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
        let (stage, level, depth) = (self.stage, self.level, self.depth);
        let text = format!("[[stages]]\n{stage}\nlevel = {level}\ndepth = {depth}\n");
        toml::from_str(&text).unwrap()
    }

    /// The book that obook's rules grow, as in Egaroucid's file.
    pub fn ours(&self, start: &(dyn Fn() -> Box<dyn Searcher> + Sync)) -> Book {
        let folder = tempfile::tempdir().unwrap();
        let [book, file] = ["book.obook", "book.egbk3"].map(|name| folder.path().join(name));
        let games = self.games.iter().map(|game| game.parse().unwrap());
        let growth = Growth {
            before: &self.before(),
            recipe: self.recipe(),
            played: Played::in_lines(games),
        };
        assert_eq!(growth.grow(&book, start), []);
        let input = Input::Book(Opened::open(&book, &Context::default()).unwrap());
        let output = Output::File(file.clone(), IfExists::Refuse);
        let options = ExportOptions::new(Format::Egbk3);
        export(input, &output, &options, &Context::default()).unwrap();
        let mut positions = read(&file);
        // Egaroucid doesn't count lines of finished games or remark on their missing leaves.
        for position in positions.values_mut() {
            if position.board.board().is_over() {
                (position.lines, position.no_leaf) = (Some(0), Some(NoLeaf::Undefined));
            }
        }
        positions
    }
}
