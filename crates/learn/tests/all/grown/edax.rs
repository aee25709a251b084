//! Books that Edax grew, and the stages that grow the same books, or different ones for a reason.

use super::{Grower, positions};
use obook_engine::Searcher;
use obook_learn::{Correction, Played, Rule, Stage};
use obook_testing::random_book::Book;

/// A growth by an Edax command and by a stage, at the book's level.
pub(crate) type Case = super::Case<Edax>;

/// Edax.
#[derive(Clone, Debug)]
pub(crate) struct Edax {
    /// Its book command.
    pub(crate) command: &'static str,
}

impl Grower for Edax {
    const FOLDER: &str = "edax";
    const ENDING: &str = "dat";
    /// The cases in which both grow the same book.
    const SAME: &'static str = "
        extend       | start2       | 2 | 6  | extend      |
        play         | start2       | 2 | 9  | play        |
        play-on      | extend       | 2 | 8  | play        |
        deviate      | start1       | 1 | 3  | deviate 3 3 |
        deviate-best | start1       | 1 | 4  | deviate 0 2 |
        fill-3       | extend       | 2 | 6  | fill 3      |
        # Edax enhances once: this number of positions.
        enhance      | extend       | 2 | 7  | enhance 2 1 | searches = 3
        enhance-best | deviate-best | 1 | 5  | enhance 2 1 | searches = 5
        # In `wrong`, two proven scores of a line to the end are wrong.
        correct      | wrong        | 5 | 60 | correct     |
    ";

    /// The cases in which Edax has a defect that obook doesn't have.
    const DIFFERENT: &'static str = "
        # Edax's second pass uses values from before the first.
        stale      | start2 | 2 | 4 | deviate 2 4 |
        # Edax enhances once, even if there is more to enhance.
        one-pass   | start2 | 2 | 3 | enhance 2 1 |
        # Edax stores the errors by which it enhances as those of the book.
        errors     | start2 | 2 | 2 | enhance 3 2 | searches = 1
        # Edax searches positions of another level than the book's again, but at their own level.
        same-level | weak   | 4 | 6 | deepen      |
    ";

    fn read([name, from, level, depth, command, until]: [&'static str; 6]) -> Case {
        let number = |word: &str| word.parse().expect(word);
        let words: Vec<&str> = command.split(' ').collect();
        let rule = match words[..] {
            ["extend"] => Rule::Extend,
            ["play"] => Rule::Play,
            ["correct"] => Rule::Correct,
            ["deepen"] => Rule::Deepen,
            ["fill", plies] => Rule::Fill {
                plies: number(plies),
            },
            ["deviate", relative, absolute] => Rule::Deviate {
                relative: number(relative),
                absolute: number(absolute),
            },
            ["enhance", midgame_error, endcut_error] => Rule::Enhance {
                midgame_error: number(midgame_error),
                endcut_error: number(endcut_error),
            },
            _ => panic!("{command}"),
        };
        let (level, depth) = (number(level), number(depth));
        let stage = Stage {
            level: None,
            until: toml::from_str(until).expect(until),
            ..Stage::new(rule, level, depth)
        };
        Case {
            name,
            from,
            level,
            depth,
            told: Edax { command },
            stage,
        }
    }
}

impl Case {
    /// The book that obook's rules grow, and the corrections of proven scores.
    pub(crate) fn ours(
        &self,
        start: &(dyn Fn() -> Box<dyn Searcher> + Sync),
    ) -> (Book, Vec<Correction>) {
        let folder = tempfile::tempdir().unwrap();
        let book = folder.path().join("book.obook");
        let corrections = self.grow(&book, Played::NOTHING, start);
        (positions(&book), corrections)
    }
}
