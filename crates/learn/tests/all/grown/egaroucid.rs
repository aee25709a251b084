//! Books that Egaroucid grew, and the stages that grow the same books, or different ones for a reason.

use super::{Grower, read};
use obook::write::export::{ExportOptions, Input, Output, export};
use obook::{Book as Opened, Context, IfExists};
use obook_converters::Format;
use obook_engine::Searcher;
use obook_learn::{Played, Rule, Stage};
use obook_othello::{Line, NoLeaf};
use obook_testing::random_book::Book;

/// A growth by functions of Egaroucid and by a stage.
pub(crate) type Case = super::Case<Egaroucid>;

/// Egaroucid.
#[derive(Clone, Debug)]
pub(crate) struct Egaroucid {
    /// The functions to call.
    pub(crate) functions: String,
    /// The games to store.
    pub(crate) games: Vec<Line>,
}

/// What to do after each call of a function.
const AFTERWARDS: [(&str, &str); 4] = [
    // Computes values and numbers of lines, which Egaroucid leaves to its user.
    ("values", "fix 0 nlines"),
    // The same, and searches illegal leaves again at level 1.
    ("illegal", "fix 0 releaf 1 60 127 10000 fix 0 nlines"),
    // The same, and searches all leaves again at level 1, because some are on a wrong square: see the case `turned`.
    (
        "leaves 1",
        "fix 0 dropleaves releaf 1 60 127 10000 fix 0 nlines",
    ),
    // The same at level 2.
    (
        "leaves 2",
        "fix 0 dropleaves releaf 2 60 127 10000 fix 0 nlines",
    ),
];

impl Grower for Egaroucid {
    const FOLDER: &str = "egaroucid";
    const ENDING: &str = "egbk3";
    /// The cases in which both grow the same book. A function has its level, depth, limits, and `deviate` a number of loops; it is called
    /// this often: if the rule has no other end, at least until nothing changes.
    const SAME: &'static str = "
        deviate         | start1      | deviate 1 5 12 30 12 1      | 40 | leaves 1 |
        deviate-long    | start2      | deviate 2 7 2 6 2 1         | 40 | leaves 2 |
        deviate-sum     | start2      | deviate 2 6 6 3 6 1         | 40 | leaves 2 |
        deviate-all     | start2      | deviate 2 4 127 10000 127 1 | 40 | leaves 2 |
        # Two unfinished books, for the cases below.
        before-in-turn  | start1      | deviate 1 6 4 8 4 1         | 11 | leaves 1 | positions = 67
        before-one-walk | start1      | deviate 1 7 3 3 3 1         | 9  | leaves 1 | positions = 28
        variation-1     | start1      | deviate 1 60 127 10000 0 1  | 1  | leaves 1 | searches = 1
        variation-2     | start2      | deviate 2 60 127 10000 0 1  | 1  | leaves 2 | searches = 1
        recalculate     | deviate     | releaf 2 5 4 8              | 10 | values   |
        recalculate-all | variation-1 | releaf 2 60 127 10000       | 1  | values   |
        store           | start1      | store 1 60 f5f6             | 1  | leaves 1 |
    ";

    /// The cases in which Egaroucid works differently.
    const DIFFERENT: &'static str = "
        # Egaroucid expands leaves one after another, so each expansion sees those before it.
        in-turn    | before-in-turn  | deviate 1 6 4 8 4 1          | 1  | leaves 1 | positions = 68
        # Egaroucid doesn't continue from a leaf for White if it was already chosen for Black.
        one-walk   | before-one-walk | deviate 1 7 3 3 3 1          | 1  | leaves 1 | positions = 29
        # Egaroucid turns the leaf at the end of a variation the wrong way if the board is rotated by a right angle.
        turned     | start1          | deviate 1 8 127 10000 0 1    | 1  | illegal  | searches = 1
        # Egaroucid searches lost leaves at a lower level.
        lower      | start2          | deviate 4 3 127 10000 127 40 | 1  | illegal  |
        # Egaroucid compares levels as numbers.
        numbers    | variation-2     | releaf 3 60 127 10000        | 1  | values   |
        # Egaroucid continues from a position with the limits left on the line by which it first came there.
        first-path | transposed      | releaf 2 7 127 4             | 1  | values   |
        # Egaroucid stores the position after the best move, whatever its value.
        store-once | start1          | store 1 60 f5d6c3            | 10 | leaves 1 |
    ";

    fn read([name, from, function, times, then, until]: [&'static str; 6]) -> Case {
        let limit = |word: &str| {
            let limit: u16 = word.parse().expect(word);
            // These are none.
            Some(limit).filter(|limit| ![127, 10_000].contains(limit))
        };
        let words: Vec<&str> = function.split(' ').collect();
        let [level, depth] = [words[1], words[2]].map(|word| word.parse().expect(word));
        let mut games = Vec::new();
        let rule = match words[..] {
            ["deviate", _, _, per_move, sum, leaf, _] => Rule::EgaroucidDeviate {
                per_move: limit(per_move),
                sum: limit(sum),
                leaf: limit(leaf),
            },
            ["releaf", _, _, per_move, sum] => Rule::Recalculate {
                per_move: limit(per_move),
                sum: limit(sum),
            },
            ["store", _, _, game] => {
                games.push(game.parse().expect(game));
                Rule::EgaroucidStore
            }
            _ => panic!("{function}"),
        };
        let then = AFTERWARDS.iter().find(|(name, _)| *name == then);
        let (_, then) = then.expect(function);
        let functions = format!("{function} {then} ").repeat(times.parse().expect(times));
        Case {
            name,
            from,
            level,
            depth,
            told: Egaroucid { functions, games },
            stage: Stage {
                until: toml::from_str(until).expect(until),
                ..Stage::new(rule, level, depth)
            },
        }
    }
}

impl Case {
    /// The book that obook's rules grow, as in Egaroucid's file.
    pub(crate) fn ours(&self, start: &(dyn Fn() -> Box<dyn Searcher> + Sync)) -> Book {
        let folder = tempfile::tempdir().unwrap();
        let [book, file] = ["book.obook", "book.egbk3"].map(|name| folder.path().join(name));
        let played = Played::in_lines(self.told.games.clone());
        assert_eq!(self.grow(&book, played, start), []);
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
