//! Books that Edax grew, and the same growth by obook's rules: what the two have in common, and where they differ.

use crate::support::golden::golden;
use crate::support::random_book::Book;
use obook_book::learn::{Correction, LearnOptions, Recipe, learn};
use obook_book::search::Threads;
use obook_book::write::import::import;
use obook_book::{IfExists, Progress, Store};
use obook_converters::levels::of_leaf;
use obook_converters::{BookReader, Engine, Leaf, Position};
use obook_engine::{Answer, Request, SearchError, Searcher, Stop};
use obook_othello::{CanonicalBoard, Move};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A growth: by commands of Edax, and by a stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The book that it begins with, of another case perhaps.
    pub(crate) from: &'static str,
    pub(crate) level: u8,
    pub(crate) depth: u8,
    /// What Edax is told to do with its book.
    pub(crate) command: &'static str,
    /// The stage that does the same, but for its depth.
    pub(crate) stage: &'static str,
}

/// Where both grow the same book.
pub(crate) const SAME: [Case; 9] = [
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
pub(crate) const DIFFERENT: [Case; 4] = [STALE, ONE_PASS, ERRORS, SAME_LEVEL];

/// Edax's second pass judges by values from before the first.
pub(crate) const STALE: Case = Case {
    name: "stale",
    from: "start2",
    level: 2,
    depth: 4,
    command: "deviate 2 4",
    stage: "rule = { deviate = { relative = 2, absolute = 4 } }",
};

/// Edax enhances once, whatever there is left to enhance.
pub(crate) const ONE_PASS: Case = Case {
    name: "one-pass",
    from: "start2",
    level: 2,
    depth: 3,
    command: "enhance 2 1",
    stage: "rule = { enhance = { midgame-error = 2, endcut-error = 1 } }",
};

/// The errors by which Edax enhances become the book's.
pub(crate) const ERRORS: Case = Case {
    name: "errors",
    from: "start2",
    level: 2,
    depth: 2,
    command: "enhance 3 2",
    stage: "rule = { enhance = { midgame-error = 3, endcut-error = 2 } }\nuntil = { searches = 1 }",
};

/// Edax searches again what is of another level than the book, at the level at which it was.
pub(crate) const SAME_LEVEL: Case = Case {
    name: "same-level",
    from: "weak",
    level: 4,
    depth: 6,
    command: "deepen",
    stage: "rule = 'deepen'",
};

impl Case {
    pub(crate) fn before(&self) -> PathBuf {
        book(self.from)
    }

    /// What Edax made of it.
    pub(crate) fn after(&self) -> PathBuf {
        book(self.name)
    }

    /// What Edax was asked, and answered.
    pub(crate) fn answers(&self) -> PathBuf {
        golden(&format!("learn/edax/{}.tsv", self.name))
    }

    pub(crate) fn recipe(&self) -> Recipe {
        let (stage, depth) = (self.stage, self.depth);
        toml::from_str(&format!("[[stages]]\n{stage}\ndepth = {depth}\n")).unwrap()
    }
}

fn book(name: &str) -> PathBuf {
    golden(&format!("learn/edax/{name}.dat"))
}

/// The best moves and their scores, by what was asked: the board, the squares that are left out, the level.
pub(crate) type Answers = BTreeMap<String, (Move, i8)>;

/// A question as files have it.
fn question(request: &Request) -> String {
    let excluded: String = request.excluded().iter().map(|it| it.to_string()).collect();
    let excluded = if excluded.is_empty() { "-" } else { &excluded };
    format!(
        "{}\t{excluded}\t{}",
        request.board().to_text(),
        request.level()
    )
}

/// The answers of a file.
pub(crate) fn read_answers(path: &Path) -> Answers {
    let text = std::fs::read_to_string(path).unwrap();
    let answer = |line: &str| {
        let mut columns = line.rsplitn(3, '\t');
        let score = columns.next().unwrap().parse().unwrap();
        let mv = columns.next().unwrap().parse().unwrap();
        (columns.next().unwrap().to_owned(), (mv, score))
    };
    let answers: Answers = text.lines().map(answer).collect();
    assert!(!answers.is_empty(), "{}", path.display());
    answers
}

/// A file of them.
pub(crate) fn write_answers(answers: &Answers) -> String {
    let line =
        |(question, (mv, score)): (&String, &(Move, i8))| format!("{question}\t{mv}\t{score}\n");
    answers.iter().map(line).collect()
}

/// Answers as they were recorded.
pub(crate) struct Recorded(pub(crate) Arc<Answers>);

impl Searcher for Recorded {
    fn name(&self) -> &str {
        "recorded"
    }

    fn engine(&self) -> Engine {
        Engine::Edax
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        // Nobody asked the engine this: there is no answer.
        let (mv, score) = *self.0.get(&question(request)).ok_or(SearchError::Stopped)?;
        Ok(Answer {
            mv,
            score,
            depth: request.level(),
            probability: None,
            proven: false,
            complete: true,
            variation: vec![mv],
            nodes: None,
            time: Duration::ZERO,
            engine: Engine::Edax,
            level: request.level(),
        })
    }
}

/// An engine whose answers are recorded.
pub(crate) struct Recording {
    pub(crate) engine: Box<dyn Searcher>,
    pub(crate) answers: Arc<Mutex<Answers>>,
}

impl Searcher for Recording {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn engine(&self) -> Engine {
        self.engine.engine()
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        let answer = self.engine.search(request)?;
        let mut answers = self.answers.lock().unwrap();
        answers.insert(question(request), (answer.mv, answer.score));
        Ok(answer)
    }
}

/// What becomes of a book by a recipe, and which proven scores were found otherwise; every question has to have an answer.
pub(crate) fn grow(
    before: &Path,
    recipe: &Recipe,
    start: &(dyn Fn() -> Box<dyn Searcher> + Sync),
) -> (Book, Vec<Correction>) {
    let folder = tempfile::tempdir().unwrap();
    let book = folder.path().join("book.obook");
    let progress = Progress::hidden();
    import(before, &book, IfExists::Refuse, "import", &progress).unwrap();
    let stop = Stop::default();
    let mut hire = |_| -> obook_book::Result<_> {
        let threads = Threads::start(NonZeroUsize::MIN, &|| Ok(start()), &stop)?;
        Ok(Box::new(threads) as _)
    };
    let options = LearnOptions {
        stop: stop.clone(),
        ..LearnOptions::default()
    };
    let learned = learn(
        &book,
        recipe,
        &options,
        &mut hire,
        "learn",
        &progress,
        &mut |_| {},
    )
    .unwrap();
    assert!(learned.failures.is_empty(), "{:?}", learned.failures);
    assert_eq!(learned.stopped, None);
    let book = Store::open(&book).unwrap();
    let positions = book.positions().unwrap().map(Result::unwrap);
    let positions = positions.map(|it| (it.board, comparable(it)));
    (positions.collect(), learned.corrections)
}

/// The positions of a book of Edax's.
pub(crate) fn read(path: &Path) -> Book {
    let positions = BookReader::open(path, None).unwrap().map(Result::unwrap);
    positions.map(|it| (it.board, comparable(it))).collect()
}

/// Links in one order, and levels of leaves spelled out.
fn comparable(mut position: Position) -> Position {
    position.links.sort_unstable_by_key(|link| link.mv.code());
    let (level, engine) = (position.level, position.engine);
    position.leaf = position.leaf.map(|leaf| Leaf {
        level: of_leaf(leaf, level, engine),
        ..leaf
    });
    position
}

/// What is said of the boards that the two books do not say the same of, at most so many lines.
pub(crate) fn differences(ours: &Book, theirs: &Book, most: usize) -> Vec<String> {
    let boards: BTreeSet<&CanonicalBoard> = ours.keys().chain(theirs.keys()).collect();
    let differ = |board: &&_| ours.get(*board) != theirs.get(*board);
    let told = boards.into_iter().filter(differ).map(|board| {
        let (ours, theirs) = (ours.get(board), theirs.get(board));
        format!(
            "{}\n  ours   {ours:?}\n  theirs {theirs:?}",
            board.board().to_text()
        )
    });
    told.take(most).collect()
}
