//! The laws of searching the leaves of a book.

use super::at::{counted, meddle, search};
use obook::check::verify;
use obook::write::edit::{Edit, edit};
use obook::write::fix::{Steps, recompute};
use obook::{Book, BookHeader, Context, IfExists, NewBook, Store};
use obook_converters::Header;
use obook_engine::{Answer, Request, SearchError, Searcher, Stop};
use obook_learn::complete::{SearchOptions, Searched, Stopped};
use obook_learn::{Error, LearnOptions};
use obook_othello::levels::{Effort, Strength};
use obook_othello::{Board, Engine, Line, Move, Position, RuleSet};
use obook_testing::book_rows::{Rows, rows};
use obook_testing::consistent_book::{closed, edax_book};
use obook_testing::random_book::{Random, Recipe, recipes};
use obook_testing::samples::samples;
use proptest::prelude::*;
use rusqlite::Connection;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use tempfile::TempDir;

const RULES: [RuleSet; 3] = [RuleSet::Edax, RuleSet::Egaroucid, RuleSet::EgaroucidEdax];
const LEVEL: u8 = 12;

/// An engine with arbitrary but repeatable answers.
fn oracle(request: &Request) -> Answer {
    let board = request.board();
    let mut random = Random(board.player() ^ board.opponent().rotate_left(7));
    let moves: Vec<Move> = request.moves().collect();
    let search = Effort::new(Engine::Obook, request.level(), board.empties() as u8);
    let mv = moves[random.below(moves.len() as u64) as usize];
    let score = (random.below(65) as i8 - 32) * 2;
    Answer {
        probability: Some(search.probability),
        proven: search.is_solved(),
        ..Answer::new(Engine::Obook, request, mv, score, search.depth)
    }
}

/// An engine that answers with this function.
struct Says<F>(F);

impl<F: FnMut(&Request) -> Result<Answer, SearchError> + Send> Searcher for Says<F> {
    fn name(&self) -> &str {
        "oracle"
    }

    fn engine(&self) -> Engine {
        Engine::Obook
    }

    fn search(&mut self, request: &Request) -> Result<Answer, SearchError> {
        (self.0)(request)
    }
}

type Started = Result<Box<dyn Searcher>, SearchError>;

fn start_oracle() -> Started {
    Ok(Box::new(Says(|request: &Request| Ok(oracle(request)))))
}

/// A fixed book in which many positions lack their leaf.
fn book(rules: RuleSet, recipe: &Recipe, seed: u64) -> (TempDir, PathBuf) {
    let random = &mut Random(seed);
    let graph = edax_book(&closed(recipe), seed, false);
    let positions = graph.positions().map(|mut position| {
        let is_over = position.board.board().is_over();
        if !is_over && random.below(3) > 0 {
            position.leaf = None;
        }
        position
    });
    let positions: Vec<Position> = positions.collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.obook");
    let book = NewBook::create(&path, IfExists::Refuse, &Context::new("import")).unwrap();
    book.fill(|| Ok(positions.iter().cloned().map(Ok))).unwrap();
    let header = BookHeader {
        rules,
        format: None,
        header: Header {
            level: Some(LEVEL.into()),
            ..Header::default()
        },
    };
    book.set_header(&header).unwrap();
    book.commit(&()).unwrap();
    fixed(&path);
    (folder, path)
}

/// Fixes a book and returns the changes.
fn fixed(path: &Path) -> u64 {
    let steps = Steps::Fix { rules: None };
    let report = recompute(
        &mut Store::open_for_writing(path, &Context::new("fix")).unwrap(),
        steps,
    );
    report.unwrap().changed.any
}

fn searched(
    path: &Path,
    options: &SearchOptions,
    start: &(dyn Fn() -> Started + Sync),
) -> obook_learn::Result<Searched> {
    search(path, options, start, &Context::new("search"), &mut |_| ())
}

fn count(path: &Path, sql: &str) -> i64 {
    let connection = Connection::open(path).unwrap();
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

const WAITING: &str = "SELECT count(*) FROM todo";
const CHANGES: &str = "SELECT count(*) FROM history WHERE undone IS NULL";

/// Nothing is waiting, wrong or in need of repair.
fn assert_complete(path: &Path) {
    assert_eq!(count(path, WAITING), 0);
    let report = verify(
        &Book::open(path, &Context::default()).unwrap(),
        3,
        &Context::default(),
    )
    .unwrap();
    assert!(report.is_sound(), "{report:?}");
    assert_eq!(fixed(path), 0);
}

fn options(batch: usize, jobs: usize) -> SearchOptions {
    SearchOptions {
        jobs: NonZeroUsize::new(jobs),
        run: LearnOptions {
            batch: NonZeroUsize::new(batch),
            ..LearnOptions::default()
        },
        ..SearchOptions::default()
    }
}

/// Searches a book and returns its rows.
fn complete(path: &Path, options: &SearchOptions) -> Rows {
    let waiting = count(path, WAITING) as u64;
    let changes = count(path, CHANGES);
    let before = rows(path);
    let searched = searched(path, options, &start_oracle).unwrap();
    let counts = searched.standing.counts;
    assert_eq!((searched.chosen, counts.searched), (waiting, waiting));
    assert_eq!((counts.done(), searched.standing.left), (waiting, 0));
    assert_eq!(
        count(path, CHANGES),
        changes + i64::from(waiting > 0),
        "one change"
    );
    assert_complete(path);
    let after = rows(path);
    if waiting > 0 {
        let mut store = Store::open_for_writing(path, &Context::default()).unwrap();
        store.undo().unwrap();
        assert!(rows(path) == before, "taken back as a whole");
        store.redo().unwrap();
        assert!(rows(path) == after, "made again as a whole");
    }
    after
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Law (Changes): Searches make the same consistent book in any order and batches, even if stopped and repeated.
    /// Also: `a_stopped_run_can_be_continued` `cli/tests/program/search.rs` `a_killed_run_can_be_continued`
    #[test]
    fn order_and_batches_make_no_difference(
        recipe in recipes(),
        seed: u64,
        rules in prop::sample::select(&RULES[..]),
        batch in 1..9usize,
    ) {
        let (_one, path) = book(rules, &recipe, seed);
        let one_by_one = complete(&path, &options(1, 1));
        let (_other, path) = book(rules, &recipe, seed);
        let side_by_side = complete(&path, &options(batch, 3));
        prop_assert!(one_by_one == side_by_side);
        let (_all, path) = book(rules, &recipe, seed);
        let as_it_comes = SearchOptions { run: LearnOptions::default(), ..options(1, 2) };
        prop_assert!(one_by_one == complete(&path, &as_it_comes));
    }

    /// An interrupted run and its continuation make the same book as a single run.
    #[test]
    fn a_stopped_run_can_be_continued(
        recipe in recipes(),
        seed: u64,
        rules in prop::sample::select(&RULES[..]),
        after in 0..40u32,
        batch in 1..6usize,
    ) {
        let (_whole, path) = book(rules, &recipe, seed);
        let whole = complete(&path, &options(5, 1));
        let (_folder, path) = book(rules, &recipe, seed);
        let options = options(batch, 2);
        let answers = AtomicU32::new(0);
        let answers = Arc::new(answers);
        let stop = options.run.stop.clone();
        let start = || -> Started {
            let (answers, stop) = (Arc::clone(&answers), stop.clone());
            Ok(Box::new(Says(move |request: &Request| {
                if answers.fetch_add(1, Ordering::Relaxed) >= after {
                    stop.set();
                    return Err(SearchError::Stopped);
                }
                Ok(oracle(request))
            })))
        };
        let first = searched(&path, &options, &start).unwrap();
        prop_assert_eq!(first.stopped, (first.standing.left > 0).then_some(Stopped::Told));
        prop_assert_eq!(count(&path, WAITING) as u64, first.standing.left);
        let run = LearnOptions { stop: Stop::default(), ..options.run };
        let again = SearchOptions { run, ..options };
        searched(&path, &again, &start_oracle).unwrap();
        assert_complete(&path);
        prop_assert!(rows(&path) == whole);
    }
}

/// The books above lack leaves, before passes too.
#[test]
fn the_books_are_worth_searching() {
    let (mut waiting, mut passes) = (0, 0);
    for (recipe, seed) in samples(&(recipes(), any::<u64>()), 24) {
        let (_folder, path) = book(RuleSet::Edax, &recipe, seed);
        waiting += count(&path, WAITING);
        searched(&path, &options(64, 1), &start_oracle).unwrap();
        passes += count(
            &path,
            "SELECT count(*) FROM leaves WHERE move = 64 AND engine = 3",
        );
    }
    assert!(waiting > 1000 && passes > 3, "{waiting} {passes}");
}

/// One book for the examples below.
fn example() -> (TempDir, PathBuf) {
    let recipe = Recipe {
        seed: 5,
        games: 9,
        kept: 100,
        branch: 20,
    };
    let made = book(RuleSet::Edax, &recipe, 8);
    assert!(count(&made.1, WAITING) > 100);
    made
}

/// If other commands change the database in between, a run is several changes. Each counts what it did.
#[test]
fn each_change_of_a_split_run_counts_its_own() {
    let (_folder, path) = example();
    let mut told = 0;
    let mut tell = |_: &obook_learn::complete::Standing| {
        told += 1;
        if [20, 50].contains(&told) {
            meddle(&path);
        }
    };
    let context = Context::new("search");
    let found = search(&path, &options(1, 1), &start_oracle, &context, &mut tell).unwrap();
    let counts: Vec<i64> = ["searched", "kept", "not_needed", "failed"]
        .iter()
        .flat_map(|name| counted(&path, "search", name))
        .map(|(_, count)| count)
        .collect();
    // Three changes with four counts each.
    let of_change = |at: usize| counts.iter().skip(at).step_by(3).sum::<i64>();
    assert_eq!((counts.len(), of_change(0), of_change(1)), (12, 20, 30));
    let done = found.standing.counts.done().cast_signed();
    assert_eq!(of_change(2), done - 50);
}

#[test]
fn unanswered_searches_keep_waiting() {
    let (_folder, path) = example();
    let waiting = count(&path, WAITING) as u64;
    let picky = || -> Started {
        Ok(Box::new(Says(|request: &Request| {
            match oracle(request).score {
                0..=9 => Err(SearchError::Stopped),
                _ => Ok(oracle(request)),
            }
        })))
    };
    let found = searched(&path, &options(7, 2), &picky).unwrap();
    let counts = found.standing.counts;
    assert!(
        counts.failed > 3 && counts.searched > counts.failed,
        "{counts:?}"
    );
    assert_eq!(counts.failed + counts.searched, waiting);
    assert_eq!(count(&path, WAITING) as u64, counts.failed);
    assert_eq!(found.failures.len() as u64, counts.failed.min(20));
    let board = &found.failures[0].board;
    assert!(board.parse::<Board>().is_ok(), "{board}");
}

#[test]
fn an_engine_that_never_answers_ends_the_run() {
    let (_folder, path) = example();
    let before = rows(&path);
    let mute = || -> Started { Ok(Box::new(Says(|_: &Request| Err(SearchError::Stopped)))) };
    let error = searched(&path, &options(7, 2), &mute).unwrap_err();
    let Error::NoAnswer { engine, count, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!((engine.as_str(), *count), ("oracle", 8));
    assert!(rows(&path) == before);
}

/// Law (Changes): An invalid answer is never accepted, nor one whose move has become a link.
/// Also: `an_answer_that_has_become_a_link_is_searched_again`
#[test]
fn answers_are_checked_on_arrival() {
    let (_folder, path) = example();
    let before = rows(&path);
    let lies: [fn(&Request, &mut Answer); 7] = [
        |_, answer| answer.mv = "a1".parse().unwrap(),
        |request, answer| answer.mv = Move::Place(request.excluded().iter().next().unwrap()),
        |_, answer| answer.score = 66,
        |_, answer| answer.score = -128,
        |_, answer| answer.level -= 1,
        |_, answer| answer.complete = false,
        |_, answer| answer.score = 7,
    ];
    // All of these are false: some moves are links, none leads to a1, and the end is within reach.
    let condition =
        "empties BETWEEN 3 AND 20 AND board IN (SELECT board FROM links WHERE move <> 64)";
    for lie in lies {
        let options = SearchOptions {
            condition: Some(String::from(condition)),
            limit: Some(9),
            ..options(7, 1)
        };
        let liar = || -> Started {
            Ok(Box::new(Says(move |request: &Request| {
                let mut answer = oracle(request);
                if request.moves().any(|mv| mv == "a1".parse().unwrap()) {
                    return Err(SearchError::Stopped);
                }
                lie(request, &mut answer);
                Ok(answer)
            })))
        };
        match searched(&path, &options, &liar) {
            Err(Error::NoAnswer { .. }) => {}
            found => {
                let counts = found.unwrap().standing.counts;
                assert!(counts.failed > 3 && counts.searched == 0, "{counts:?}");
            }
        }
        assert!(rows(&path) == before);
    }
}

/// Another process enters the position behind the move that the engine is about to answer with.
#[test]
fn an_answer_that_has_become_a_link_is_searched_again() {
    let (_folder, path) = example();
    let line: Arc<Mutex<Option<Line>>> = Arc::default();
    // A waiting position and moves to it.
    let start = Store::open(&path, &Context::default()).unwrap();
    let mut known = vec![Line::new()];
    let mut target = None;
    while let Some(line) = known.pop() {
        let board = line.board();
        let position = start.position(board.canonical()).unwrap().unwrap();
        let ways_out = board.moves().count() - position.links.len();
        if position.leaf.is_none() && ways_out > 2 {
            target = Some(line);
            break;
        }
        for mv in board.moves() {
            let mut next = line.clone();
            next.push(mv).unwrap();
            if start.position(next.board().canonical()).unwrap().is_some() {
                known.push(next);
            }
        }
    }
    let target = target.expect("a position waits below the start");
    let board = target.board().canonical();
    *line.lock().unwrap() = Some(target);
    let meddler = || -> Started {
        let (line, path) = (Arc::clone(&line), path.clone());
        Ok(Box::new(Says(move |request: &Request| {
            let answer = oracle(request);
            if request.board() == board.board()
                && let Some(mut line) = line.lock().unwrap().take()
            {
                // The move as it is made in the line's orientation.
                let child = board.board().play(answer.mv).unwrap().canonical();
                let mv = line
                    .board()
                    .children()
                    .find(|(_, to)| to.canonical() == child);
                line.push(mv.unwrap().0).unwrap();
                edit(
                    &mut Store::open_for_writing(&path, &Context::new("edit")).unwrap(),
                    &line,
                    Edit::Enter(3),
                )
                .unwrap();
            }
            Ok(answer)
        })))
    };
    let found = searched(&path, &options(4, 1), &meddler).unwrap();
    assert_eq!(found.standing.left, 0);
    let position = start.position(board).unwrap().unwrap();
    let leaf = position.leaf.expect("it was searched");
    assert!(position.links.iter().all(|link| Some(link.mv) != leaf.mv));
    let changes = "SELECT count(*) FROM history WHERE command = 'edit'";
    assert_eq!(count(&path, changes), 1);
    let last = "SELECT command = 'search' FROM history ORDER BY id DESC LIMIT 1";
    assert_eq!(count(&path, last), 1);
    // The position that was entered has a value and no leaf.
    searched(&path, &options(4, 1), &start_oracle).unwrap();
    assert_complete(&path);
}

/// The boards and levels that an engine was asked for, in order.
fn asked(path: &Path, options: &SearchOptions) -> Vec<(Board, u8)> {
    let asked: Arc<Mutex<Vec<(Board, u8)>>> = Arc::default();
    let recorder = || -> Started {
        let asked = Arc::clone(&asked);
        Ok(Box::new(Says(move |request: &Request| {
            asked
                .lock()
                .unwrap()
                .push((request.board(), request.level()));
            Ok(oracle(request))
        })))
    };
    searched(path, options, &recorder).unwrap();
    std::mem::take(&mut asked.lock().unwrap())
}

/// Law (Changes): A lost leaf's new search is no weaker; one that replaces a leaf is stronger.
/// Also: `weaker_leaves_are_searched_again`
#[test]
fn a_search_is_as_strong_as_the_leaf_that_was_lost() {
    let (_folder, path) = example();
    let connection = Connection::open(&path).unwrap();
    let lost = "UPDATE todo SET level = 24, engine = 2 WHERE board IN
                (SELECT board FROM positions WHERE empties BETWEEN 22 AND 40)";
    assert!(connection.execute(lost, []).unwrap() > 10);
    let asked = asked(&path, &options(50, 1));
    let (mut as_asked, mut stronger) = (0, 0);
    for (board, level) in asked {
        let empties = board.empties() as u8;
        let was = Strength::new(Engine::Egaroucid, Some(24), empties);
        if (22..=40).contains(&empties) {
            let found = |level| Strength::new(Engine::Obook, Some(level), empties);
            assert!(
                found(level) >= was && found(level - 1) < was,
                "{empties}: {level}"
            );
            stronger += 1;
        } else {
            assert_eq!(level, LEVEL);
            as_asked += 1;
        }
    }
    assert!(stronger > 10 && as_asked > 10);
    assert_complete(&path);
}

#[test]
fn weaker_leaves_are_searched_again() {
    let (_folder, path) = example();
    let store = Store::open(&path, &Context::default()).unwrap();
    let is_weaker = |position: &Position| {
        let board = position.board.board();
        let Some(leaf) = position.leaf else {
            return board.moves().count() > position.links.len();
        };
        let strength = |level, engine| Strength::new(engine, level, board.empties() as u8);
        let own = strength(leaf.level.or(position.level), leaf.engine);
        leaf.mv.is_some() && own < strength(Some(20), Engine::Obook)
    };
    let positions: Vec<Position> = store.positions().unwrap().map(Result::unwrap).collect();
    let weaker = positions.iter().filter(|position| is_weaker(position));
    let mut expected: Vec<(Board, u8)> = weaker.map(|it| (it.board.board(), 20)).collect();
    let waiting = count(&path, WAITING) as usize;
    let leaves = positions.iter().filter(|it| it.leaf.is_some()).count();
    assert!(expected.len() > waiting + 5 && expected.len() < waiting + leaves);
    let options = SearchOptions {
        below: Some(20),
        ..options(30, 1)
    };
    let mut found = asked(&path, &options);
    let empties: Vec<u32> = found.iter().map(|(board, _)| board.empties()).collect();
    assert!(
        empties.is_sorted_by(|one, other| one >= other),
        "those with few discs first"
    );
    let by_board = |(board, _): &(Board, u8)| board.canonical();
    found.sort_by_key(by_board);
    expected.sort_by_key(by_board);
    assert_eq!(found, expected);
    assert_complete(&path);
    assert_eq!(asked(&path, &options), []);
}

#[test]
fn some_positions_are_chosen() {
    let (_folder, path) = example();
    let some = SearchOptions {
        condition: Some(String::from("empties > 30 -- a comment")),
        limit: Some(7),
        level: Some(3),
        ..options(30, 1)
    };
    let found = asked(&path, &some);
    assert_eq!(found.len(), 7);
    assert!(
        found
            .iter()
            .all(|(board, level)| board.empties() > 30 && *level == 3)
    );
    let connection = Connection::open(&path).unwrap();
    let waiting: u32 = connection
        .query_row(
            "SELECT max(empties) FROM positions JOIN todo USING (board)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert!(found.iter().all(|(board, _)| board.empties() >= waiting));
    for wrong in ["empties >", "1); DELETE FROM todo --", "nowhere = 1"] {
        let options = SearchOptions {
            condition: Some(String::from(wrong)),
            ..options(1, 1)
        };
        let error = searched(&path, &options, &start_oracle).unwrap_err();
        assert!(
            matches!(error, Error::Book(obook::Error::Condition { .. })),
            "{wrong}: {error}"
        );
    }
}

#[test]
fn a_search_below_a_line_stays_below_it() {
    let (_folder, path) = example();
    let store = Store::open(&path, &Context::default()).unwrap();
    let mut line = Line::new();
    for _ in 0..10 {
        let known = line.board().moves().find_map(|mv| {
            let mut next = line.clone();
            next.push(mv).ok()?;
            store
                .position(next.board().canonical())
                .unwrap()
                .map(|_| next)
        });
        line = known.expect("the book goes on");
    }
    let below: std::collections::BTreeSet<_> = {
        let mut reached = std::collections::BTreeSet::new();
        let mut waiting = vec![line.board().canonical()];
        while let Some(board) = waiting.pop() {
            let Some(position) = store.position(board).unwrap() else {
                continue;
            };
            if reached.insert(board) {
                let children = position
                    .links
                    .iter()
                    .map(|link| board.board().play(link.mv).unwrap());
                waiting.extend(children.map(Board::canonical));
            }
        }
        reached
    };
    let all = count(&path, WAITING);
    let options = SearchOptions {
        from: Some(line),
        ..options(30, 1)
    };
    let found = asked(&path, &options);
    assert!(!found.is_empty() && (found.len() as i64) < all);
    assert!(
        found
            .iter()
            .all(|(board, _)| below.contains(&board.canonical()))
    );
    assert_eq!(asked(&path, &options), []);
    let stray = SearchOptions {
        from: Some("f5f6e6f4g5h4".parse().unwrap()),
        ..options
    };
    assert!(matches!(
        searched(&path, &stray, &start_oracle),
        Err(Error::Book(obook::Error::Store(
            obook::StoreError::Unfit { .. }
        )))
    ));
}

#[test]
fn a_book_that_is_not_fixed_is_fixed_first() {
    let (_folder, path) = example();
    let whole = rows_when_complete();
    let wipe = "DELETE FROM todo; UPDATE positions SET value = 1; DELETE FROM links WHERE move % 2; UPDATE book SET fixed = NULL";
    Connection::open(&path)
        .unwrap()
        .execute_batch(wipe)
        .unwrap();
    let before = rows(&path);
    let found = searched(&path, &options(6, 1), &start_oracle).unwrap();
    assert!(found.fixed.is_some());
    assert_complete(&path);
    assert!(rows(&path) == whole);
    let mut store = Store::open_for_writing(&path, &Context::default()).unwrap();
    store.undo().unwrap();
    assert!(rows(&path) == before, "with the fix");
}

fn rows_when_complete() -> Rows {
    let (_folder, path) = example();
    complete(&path, &options(100, 1))
}

#[test]
fn a_book_without_a_level_needs_one() {
    let (_folder, path) = example();
    let connection = Connection::open(&path).unwrap();
    for wrong in ["NULL", "61", "-1"] {
        connection
            .execute_batch(&format!("UPDATE book SET level = {wrong}"))
            .unwrap();
        let refused = searched(&path, &options(1, 1), &start_oracle);
        assert!(matches!(refused, Err(Error::NoLevel)), "{wrong}");
    }
    let told = SearchOptions {
        level: Some(9),
        ..options(100, 1)
    };
    searched(&path, &told, &start_oracle).unwrap();
    assert_complete(&path);
}
