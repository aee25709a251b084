//! Runs of a recipe: the result depends only on the book, the recipe and the engine.

use super::at::{counted, learn, meddle, plan, status};
use super::made_up::{MadeUp, even, made_up};
use super::waves::grow;
use obook::check::{FindingKind, Severity, verify};
use obook::write::edit::{Edit, edit};
use obook::{Book, Context, Store};
use obook_engine::Stop;
use obook_graph::negamax::Scoring;
use obook_learn::search::Workers;
use obook_learn::{
    Error, LearnOptions, Learned, Played, Recipe, Rule, Stage, Standing, Stopped, Until,
};
use obook_othello::{Board, Engine};
use obook_testing::book_rows::{Rows, rows};
use obook_testing::growing::{Growing, Stage as Plain};
use obook_testing::stored_book::digest_of_contents;
use proptest::prelude::*;
use rusqlite::Connection;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const COMMAND: &str = "obook learn";

fn nowhere() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    (folder, path)
}

/// Runs a recipe.
pub(super) fn run(
    path: &Path,
    recipe: &Recipe,
    options: &LearnOptions,
    workers: &(impl Workers + Clone + 'static),
) -> obook_learn::Result<Learned> {
    run_in(path, recipe, options, workers, &Context::new(COMMAND))
}

fn run_in(
    path: &Path,
    recipe: &Recipe,
    options: &LearnOptions,
    workers: &(impl Workers + Clone + 'static),
    context: &Context,
) -> obook_learn::Result<Learned> {
    let mut hire = |_| -> obook_learn::Result<_> { Ok(Box::new(workers.clone()) as _) };
    learn(path, recipe, options, &mut hire, context, &mut |_| {})
}

/// The result of a run that did not fail.
pub(super) fn learned(
    path: &Path,
    recipe: &Recipe,
    options: &LearnOptions,
    workers: &MadeUp,
) -> Learned {
    run(path, recipe, options, workers).unwrap()
}

/// Games, grades and other tables beside a book leave its learning alone, also when they are undone and redone.
#[test]
fn learning_goes_on_after_changes_beside_the_book() {
    let (_folder, path) = nowhere();
    let rule = Rule::Deviate {
        relative: 2,
        absolute: 4,
    };
    let options = LearnOptions {
        limit: Some(20),
        ..LearnOptions::default()
    };
    learned(
        &path,
        &recipe_of([Stage::new(rule, 4, 6)]),
        &options,
        &MadeUp::new(1, 1),
    );
    let status = || status(&path, &Context::default()).unwrap();
    let first = status();
    assert!(!first.outdated, "{first:?}");
    let open = || Store::open_for_writing(&path, &Context::new("obook query")).unwrap();
    for (sql, is_of_book) in [
        ("INSERT INTO players (name) VALUES ('Rose')", false),
        (
            "INSERT INTO accuracy SELECT board, 'AA' FROM positions",
            false,
        ),
        ("CREATE TABLE notes (note TEXT)", false),
        ("UPDATE leaves SET level = level + 1", true),
    ] {
        let mut store = open();
        let change = store.change().unwrap();
        change.connection().execute_batch(sql).unwrap();
        change.commit(&()).unwrap();
        assert_eq!(status().outdated, is_of_book, "{sql}");
        store.undo().unwrap();
        assert_eq!(status(), first, "{sql}, undone");
        store.redo().unwrap();
        assert_eq!(status().outdated, is_of_book, "{sql}, redone");
    }
}

/// The book after a run without limits.
fn whole(path: &Path, recipe: &Recipe) -> Learned {
    learned(path, recipe, &LearnOptions::default(), &MadeUp::new(1, 1))
}

/// A recipe for books from the start position.
pub(super) fn recipe_of(stages: impl Into<Vec<Stage>>) -> Recipe {
    Recipe {
        from: None,
        stages: stages.into(),
    }
}

fn rules() -> impl Strategy<Value = Rule> {
    let limit = || prop_oneof![Just(None), (0..4u16).prop_map(Some)];
    prop_oneof![
        (0..4u8, 0..6u8).prop_map(|(relative, absolute)| Rule::Deviate { relative, absolute }),
        Just(Rule::Extend),
        Just(Rule::Play),
        (limit(), limit(), limit()).prop_map(|(per_move, sum, leaf)| Rule::EgaroucidDeviate {
            per_move,
            sum,
            leaf
        }),
    ]
}

/// One to three stages that each end before they have made many positions.
fn recipes() -> impl Strategy<Value = Recipe> {
    let until =
        (proptest::option::of(1..40u64), 20..60u64).prop_map(|(searches, positions)| Until {
            searches,
            positions: Some(positions),
        });
    let stage = (rules(), 0..20u8, 1..12u8, until).prop_map(|(rule, level, depth, until)| Stage {
        until,
        ..Stage::new(rule, level, depth)
    });
    prop::collection::vec(stage, 1..4).prop_map(recipe_of)
}

/// The contents of a book and the state of its learning.
fn everything(path: &Path) -> (Rows, Vec<String>) {
    let connection = Connection::open(path).unwrap();
    let sql =
        "SELECT quote(board) || kind || quote(without) || level || priority || failures FROM tasks
               UNION ALL SELECT recipe || stage || turn || idle || searches FROM learning";
    let mut statement = connection.prepare(sql).unwrap();
    let states = statement.query_map([], |row| row.get(0)).unwrap();
    (rows(path), states.map(Result::unwrap).collect())
}

/// Checks that nothing is wrong and no leaf is missing.
pub(super) fn assert_is_sound(path: &Path) {
    assert_eq!(lacks_only_leaves(path), 0);
}

/// The number of missing leaves. Checks that nothing else is wrong.
pub(super) fn lacks_only_leaves(path: &Path) -> u64 {
    let book = Book::open(path, &Context::default()).unwrap();
    let report = verify(&book, 3, &Context::default()).unwrap();
    let lacking = status(path, &Context::default()).unwrap().lacking;
    let only = report
        .findings
        .iter()
        .filter(|it| it.kind == FindingKind::MissingLeaf);
    assert_eq!(only.map(|it| it.count).sum::<u64>(), lacking, "{report:?}");
    let wrong = report.count(Severity::Error) + report.count(Severity::Inconsistent);
    assert_eq!(wrong, lacking, "{report:?}");
    lacking
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Law (Rules of growth): Learning grows the book of plain records recomputed after each wave, whatever the order of
    /// answers, batches, interruptions or kills.
    /// Also: `failures_that_pass_change_nothing` `a_run_makes_the_book_that_grows_plainly` `cli/tests/program/learn.rs`
    /// `repeated_kills_make_the_same_book`
    #[test]
    fn neither_the_order_of_answers_nor_their_batches_nor_interruptions_matter(
        recipe in recipes(),
        seed: u64,
        ahead in 1..40usize,
        batch in proptest::option::of(1..30usize),
        stops in prop::collection::vec(1..30usize, 0..6),
    ) {
        let (_folder, one) = nowhere();
        let learned_at_once = whole(&one, &recipe);
        prop_assert_eq!(learned_at_once.stopped, None);
        let (_folder, other) = nowhere();
        // The last run has no limit.
        for answers in stops.into_iter().chain([usize::MAX]) {
            let stop = Stop::default();
            let workers = MadeUp { end: Some((answers, stop.clone())), ..MadeUp::new(seed, ahead) };
            let options = LearnOptions { batch: batch.and_then(NonZeroUsize::new), stop, ..LearnOptions::default() };
            let learned = learned(&other, &recipe, &options, &workers);
            prop_assert!(learned.stopped.is_none_or(|why| why == Stopped::Told && answers < usize::MAX));
            if learned.stopped.is_none() {
                break;
            }
        }
        prop_assert_eq!(everything(&one), everything(&other));
        assert_is_sound(&one);
    }

    /// A run counts each failure, and at its end the searches that have no answer even so.
    #[test]
    fn failures_that_pass_change_nothing(recipe in recipes(), seed: u64) {
        let (_folder, one) = nowhere();
        whole(&one, &recipe);
        let (_folder, other) = nowhere();
        // The first answers succeed, so that the run isn't given up.
        let options = LearnOptions { limit: Some(1), ..LearnOptions::default() };
        learned(&other, &recipe, &options, &MadeUp::new(seed, 1));
        let workers = MadeUp { failing: Some(6), ..MadeUp::new(seed, 4) };
        let done = match run(&other, &recipe, &LearnOptions::default(), &workers) {
            // By chance, all that was left failed as often as it may.
            Err(Error::Broken { source, .. }) if matches!(*source, Error::NoAnswer { .. }) => {
                return Err(TestCaseError::reject("given up"));
            }
            done => done.unwrap(),
        };
        let aside = status(&other, &Context::default()).unwrap().put_aside.len();
        prop_assert_eq!(done.unanswered, aside as u64);
        prop_assert!(done.totals.failed >= 5 * done.unanswered, "{:?}", done);
        prop_assume!(aside == 0);
        prop_assert_eq!(rows(&one), rows(&other));
    }

    /// Edax's rules ask for one board at a time: so do plain records, linked and computed anew after each wave.
    #[test]
    fn a_run_makes_the_book_that_grows_plainly(
        rule in rules().prop_filter("a plain variation looks at the book as it was", |it| !matches!(it, Rule::EgaroucidDeviate { .. })),
        level in 0..20u8,
        depth in 1..5u8,
    ) {
        let (_folder, path) = nowhere();
        let recipe = recipe_of([Stage::new(rule.clone(), level, depth)]);
        let learned = whole(&path, &recipe);
        prop_assert_eq!(learned.stopped, None);
        let plain = Plain {
            root: Board::START.canonical(),
            scoring: Scoring::Edax { midgame_error: 2, endcut_error: 1 },
            depth,
            level,
            engine: Engine::Obook,
        };
        let mut growing = Growing::new([], plain);
        let mut answers = |request: &_| even(request, made_up(request));
        grow(&mut growing, &rule, &Played::NOTHING, u64::MAX, &mut answers);
        let store = Store::open(&path, &Context::default()).unwrap();
        prop_assert_eq!(learned.positions, growing.positions.len() as u64);
        for position in growing.positions.values() {
            let stored = store.position(position.board).unwrap();
            let stored = stored.expect("each position that grew");
            prop_assert_eq!(stored.value, position.value);
            prop_assert_eq!(stored.bounds, position.bounds);
            prop_assert_eq!(stored.leaf, position.leaf);
            prop_assert_eq!(stored.level, position.level);
        }
    }

    /// Law (Rules of growth): A run that a limit ends leaves no new hole, and engines accept the book.
    /// Also: `cli/tests/program/learn.rs` `a_first_evening_makes_a_book_that_other_engines_take`
    #[test]
    fn a_run_with_a_limit_leaves_no_hole(recipe in recipes(), limit in 1..60u64, seed: u64, ahead in 1..9usize) {
        let (_folder, path) = nowhere();
        let options = LearnOptions { limit: Some(limit), ..LearnOptions::default() };
        let learned = learned(&path, &recipe, &options, &MadeUp::new(seed, ahead));
        prop_assert!(learned.totals.searches <= limit, "{learned:?}");
        assert_is_sound(&path);
    }
}

/// Deviations from the start position, a few hundred searches.
fn deviating() -> Recipe {
    let rule = Rule::Deviate {
        relative: 3,
        absolute: 4,
    };
    let until = Until {
        positions: Some(200),
        ..Until::default()
    };
    recipe_of([Stage {
        until,
        ..Stage::new(rule, 4, 20)
    }])
}

/// Law (Rules of growth): A run is one change, undone as one; another change makes its queue out of date.
/// Also: `a_change_of_the_book_makes_the_queue_out_of_date`
#[test]
fn a_run_is_one_change_and_is_undone_as_one() {
    let (_folder, path) = nowhere();
    let small = recipe_of([Stage::new(Rule::Play, 4, 3)]);
    whole(&path, &small);
    let before = (digest_of_contents(&path), rows(&path));
    let options = LearnOptions {
        batch: NonZeroUsize::new(7),
        ..LearnOptions::default()
    };
    let run = learned(&path, &deviating(), &options, &MadeUp::new(3, 5));
    assert!(
        run.totals.searches > 100 && run.totals.added > 50,
        "{run:?}"
    );
    let mut store = Book::open_for_writing(&path, &Context::default()).unwrap();
    let history = store.history().unwrap();
    let last = history.last().unwrap();
    assert_eq!(
        (Some(last.id), last.command.as_str()),
        (run.change, COMMAND)
    );
    assert_eq!(history.len(), 3);
    let sum = "SELECT sum(searches), sum(added) FROM (SELECT max(searches) AS searches, max(added) AS added
               FROM learned WHERE change = ? GROUP BY stage)";
    let noted = store.connection().query_row(sum, [last.id], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?))
    });
    let made = [run.totals.searches, run.totals.added].map(u64::cast_signed);
    assert_eq!(noted.unwrap(), made.into());
    store.undo().unwrap();
    drop(store);
    assert_eq!(rows(&path), before.1);
    // Waiting searches depend on the old book and are chosen again.
    assert!(status(&path, &Context::default()).unwrap().outdated);
    let again = learned(&path, &deviating(), &options, &MadeUp::new(4, 2));
    assert_eq!(
        (again.totals.searches, again.positions),
        (run.totals.searches, run.positions)
    );
}

/// Learns with one answer at a time. `tell` is called with the number of reports.
fn learned_one_by_one(path: &Path, mut tell: impl FnMut(u32)) -> obook_learn::Result<Learned> {
    let options = LearnOptions {
        batch: Some(NonZeroUsize::MIN),
        ..LearnOptions::default()
    };
    let mut hire =
        |_: usize| -> obook_learn::Result<Box<dyn Workers>> { Ok(Box::new(MadeUp::new(1, 1))) };
    let mut told = 0;
    let mut tell = |_: &Standing| {
        told += 1;
        tell(told);
    };
    let context = Context::new(COMMAND);
    learn(path, &deviating(), &options, &mut hire, &context, &mut tell)
}

/// A run that can't write any more, as on a full disk, still reports what is in the book.
#[test]
fn a_run_that_can_not_write_has_a_report() {
    let (_folder, path) = nowhere();
    let run = learned_one_by_one(&path, |told| {
        if told == 30 {
            let connection = Connection::open(&path).unwrap();
            connection.execute_batch("DROP TABLE learned").unwrap();
        }
    });
    let error = run.unwrap_err();
    assert!(error.to_string().contains("no such table"), "{error}");
    let Error::Broken { learned, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(learned.stopped, Some(Stopped::Broken));
    assert!(learned.totals.searches >= 30, "{learned:?}");
    let searches = counted(&path, COMMAND, "searches");
    assert_eq!(searches[0].1, learned.totals.searches.cast_signed());
    let added = counted(&path, COMMAND, "added");
    assert_eq!(added[0].1, learned.positions.cast_signed());
}

/// If other commands change the database in between, a run is several changes. Each counts what it did.
#[test]
fn each_change_of_a_split_run_counts_its_own() {
    let (_folder, path) = nowhere();
    let run = learned_one_by_one(&path, |told| {
        if [20, 50].contains(&told) {
            meddle(&path);
        }
    });
    let run = run.unwrap();
    let searches = counted(&path, COMMAND, "searches");
    let [(first, 20), (_, 30), (last, rest)] = searches[..] else {
        panic!("{searches:?}");
    };
    assert_eq!(rest + 50, run.totals.searches.cast_signed());
    assert_eq!(Some(last), run.change);
    let added = counted(&path, COMMAND, "added").into_iter();
    let added: i64 = added.map(|(_, added)| added).sum();
    assert_eq!(added, run.totals.added.cast_signed());
    // The first change began without a root; each other one began as the one before it ended.
    let root = counted(&path, COMMAND, "root");
    let root_before = counted(&path, COMMAND, "root_before");
    let ends = root.iter().map(|(_, root)| root);
    let begins = root_before.iter().map(|(_, root)| root);
    assert!(begins.eq(ends.take(2)), "{root_before:?}, {root:?}");
    assert!(root_before[0].0 > first);
    let connection = Connection::open(&path).unwrap();
    for (change, searches) in searches {
        let sql = "SELECT max(searches) FROM learned WHERE change = ?";
        let noted: i64 = connection
            .query_row(sql, [change], |row| row.get(0))
            .unwrap();
        assert!(noted <= searches, "{noted} of {searches}");
    }
}

/// Law (Rules of growth): A search that fails five times is left to the next run.
#[test]
fn a_search_that_keeps_failing_is_put_aside() {
    let rule = Rule::EgaroucidDeviate {
        per_move: Some(2),
        sum: Some(2),
        leaf: Some(2),
    };
    let recipe = recipe_of([Stage::new(rule, 4, 6)]);
    let (_folder, path) = nowhere();
    let workers = MadeUp::new(1, 1);
    learned(&path, &recipe, &LearnOptions::default(), &workers);
    let asked = workers.asked.lock().unwrap().clone();
    let least = asked
        .keys()
        .min_by_key(|board| (board.board().empties(), **board));
    let unanswered = *least.unwrap();
    let (_folder, other) = nowhere();
    let workers = MadeUp {
        unanswered: Some(unanswered),
        ..MadeUp::new(2, 3)
    };
    let run = learned(&other, &recipe, &LearnOptions::default(), &workers);
    assert_eq!((run.stopped, run.totals.failed), (None, 5));
    assert_eq!(workers.asked.lock().unwrap()[&unanswered], 5);
    let status = status(&other, &Context::default()).unwrap();
    let [aside] = &status.put_aside[..] else {
        panic!("{status:?}");
    };
    assert_eq!(aside.board, unanswered.board().to_text());
    assert_eq!(aside.reason, "stopped before anything was found");
    assert_eq!(run.failures[0].board, aside.board);
    // The next run tries it again.
    whole(&other, &recipe);
    assert_eq!(rows(&path), rows(&other));
}

#[test]
fn an_engine_that_never_answers_ends_the_run() {
    let (_folder, path) = nowhere();
    let recipe = deviating();
    whole(&path, &recipe);
    let before = digest_of_contents(&path);
    let workers = MadeUp {
        failing: Some(1),
        ..MadeUp::new(1, 4)
    };
    let mut hire =
        |_: usize| -> obook_learn::Result<Box<dyn Workers>> { Ok(Box::new(workers.clone())) };
    let further = recipe_of([Stage::new(Rule::Extend, 4, 20)]);
    let options = LearnOptions::default();
    let run = learn(
        &path,
        &further,
        &options,
        &mut hire,
        &Context::new(COMMAND),
        &mut |_| {},
    );
    let error = run.unwrap_err().to_string();
    assert!(error.contains("made up"), "{error}");
    assert!(digest_of_contents(&path) != before, "what was chosen waits");
    assert_is_sound(&path);
}

/// With no memory, each layer is a slab of its own.
#[test]
fn the_amount_of_memory_changes_neither_the_book_nor_its_plan() {
    let until = |searches| Until {
        searches: Some(searches),
        positions: None,
    };
    let rules = [
        (Rule::Play, 20),
        (Rule::Extend, 15),
        (
            Rule::Deviate {
                relative: 2,
                absolute: 6,
            },
            30,
        ),
        (
            Rule::EgaroucidDeviate {
                per_move: Some(4),
                sum: Some(9),
                leaf: Some(4),
            },
            40,
        ),
        (
            Rule::Enhance {
                midgame_error: 2,
                endcut_error: 1,
            },
            20,
        ),
        (Rule::BestFirst { least: 0.01 }, 40),
        (Rule::Fill { plies: 2 }, 30),
        (Rule::Deepen, 30),
    ];
    let stages = rules
        .into_iter()
        .zip(1..)
        .map(|((rule, most), level)| Stage {
            until: until(most),
            ..Stage::new(rule, level, 14)
        });
    let recipe = Recipe {
        from: Some("f5d6".parse().unwrap()),
        stages: stages.collect(),
    };
    let books = [None, Some(0)].map(|memory| {
        let (_folder, path) = nowhere();
        let context = Context::new(COMMAND).with_memory(memory);
        let options = LearnOptions {
            batch: NonZeroUsize::new(7),
            ..LearnOptions::default()
        };
        let learned = run_in(&path, &recipe, &options, &MadeUp::new(1, 3), &context).unwrap();
        assert!(learned.stages.iter().all(|it| it.totals.searches > 5));
        assert_is_sound(&path);
        let book = everything(&path);
        let connection = Connection::open(&path).unwrap();
        let sql =
            "UPDATE positions SET value = NULL; DELETE FROM links; UPDATE book SET fixed = NULL";
        connection.execute_batch(sql).unwrap();
        let mut hire = |_| -> obook_learn::Result<_> { Ok(Box::new(MadeUp::new(1, 2)) as _) };
        let planned = plan(&path, &recipe, &options, &mut hire, &context).unwrap();
        (book, planned.iter().map(|it| it.chosen).collect::<Vec<_>>())
    });
    assert_eq!(books[0], books[1]);
    assert!(
        books[0].1.iter().any(|chosen| *chosen > 5),
        "{:?}",
        books[0].1
    );
}

#[test]
fn a_plan_describes_each_stage_and_writes_nothing() {
    let recipe = recipe_of([
        Stage::new(Rule::Play, 4, 3),
        Stage::new(Rule::Extend, 10, 7),
    ]);
    let (_folder, path) = nowhere();
    let plan = |path: &Path| {
        let mut hire =
            |_: usize| -> obook_learn::Result<Box<dyn Workers>> { Ok(Box::new(MadeUp::new(1, 2))) };
        plan(
            path,
            &recipe,
            &LearnOptions::default(),
            &mut hire,
            &Context::default(),
        )
        .unwrap()
    };
    let planned = plan(&path);
    assert!(!path.exists());
    let of_stages: Vec<_> = planned
        .iter()
        .map(|it| (it.stage, it.rule, it.level, it.depth, it.chosen))
        .collect();
    assert_eq!(of_stages, [(1, "play", 4, 3, 1), (2, "extend", 10, 7, 1)]);
    assert!(planned.iter().all(|it| it.seconds.is_some()));
    whole(&path, &recipe);
    let before = std::fs::read(&path).unwrap();
    let chosen: Vec<u64> = plan(&path).iter().map(|it| it.chosen).collect();
    assert_eq!(chosen, [0, 0]);
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_change_of_the_book_makes_the_queue_out_of_date() {
    let (_folder, path) = nowhere();
    let options = LearnOptions {
        limit: Some(60),
        ..LearnOptions::default()
    };
    let run = learned(&path, &deviating(), &options, &MadeUp::new(1, 2));
    assert_eq!(run.stopped, Some(Stopped::Limit));
    let before = status(&path, &Context::default()).unwrap();
    assert!(!before.outdated && before.stage == Some(1));
    let line = "f5".parse().unwrap();
    edit(
        &mut Store::open_for_writing(&path, &Context::new("edit")).unwrap(),
        &line,
        Edit::Enter(7),
    )
    .unwrap();
    assert!(status(&path, &Context::default()).unwrap().outdated);
    learned(&path, &deviating(), &options, &MadeUp::new(1, 2));
    assert!(!status(&path, &Context::default()).unwrap().outdated);
    // Another recipe begins again, too.
    let other = recipe_of([Stage::new(Rule::Extend, 4, 20)]);
    learned(&path, &other, &options, &MadeUp::new(1, 2));
    assert_eq!(
        status(&path, &Context::default()).unwrap().recipe,
        Some(other)
    );
}

/// A run keeps the book in memory, but notices changes by others.
///
/// Law (Rules of growth): Rules see the current book, whoever changes it during a run.
#[test]
fn changes_by_others_are_seen() {
    let (_folder, path) = nowhere();
    let rule = Rule::Deviate {
        relative: 4,
        absolute: 6,
    };
    whole(&path, &recipe_of([Stage::new(rule, 0, 5)]));
    let leaves_of = |level: u8| -> i64 {
        let connection = Connection::open(&path).unwrap();
        let sql = "SELECT count(*) FROM leaves WHERE level = ?";
        connection
            .query_row(sql, [level], |row| row.get(0))
            .unwrap()
    };
    let all = leaves_of(0);
    assert!(all > 4);
    let mut weakened = 0;
    let mut weaken_all_once = |standing: &Standing| {
        if standing.left == 0 && weakened == 0 {
            let connection = Connection::open(&path).unwrap();
            let sql = "UPDATE leaves SET level = 1 WHERE level = 8";
            weakened = connection.execute(sql, []).unwrap() as i64;
        }
    };
    let options = LearnOptions {
        batch: NonZeroUsize::new(3),
        ..LearnOptions::default()
    };
    let run = learn(
        &path,
        &recipe_of([Stage::new(Rule::Deepen, 8, 4)]),
        &options,
        &mut |_| Ok(Box::new(MadeUp::new(1, 2))),
        &Context::new(COMMAND),
        &mut weaken_all_once,
    );
    assert_eq!(run.unwrap().totals.searches as i64, all + weakened);
    assert_eq!((weakened, leaves_of(8)), (all, all));
}
