//! The laws of merging.

use obook::write::merge::{MergeCounts, MergeOptions, Merged, Strategy, merge};
use obook::{Book, BookHeader, Context, IfExists, Meter, NewBook, Progress, Store};
use obook_converters::{BookReader, BookWriter, Format, Header};
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Move, Position, Proof, RuleSet};
use obook_testing::book_rows::{Rows, cell, rows};
use obook_testing::golden::golden;
use obook_testing::imported::{fix, imported};
use obook_testing::own_engines::own_engines;
use obook_testing::plain_level::plain_strength;
use obook_testing::random_book::{self, Random, recipes};
use obook_testing::samples::samples;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const RULES: [RuleSet; 3] = [RuleSet::Edax, RuleSet::Egaroucid, RuleSet::EgaroucidEdax];

/// Databases in a folder of their own.
struct Shelf(TempDir);

impl Shelf {
    fn new() -> Shelf {
        Shelf(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// A database of these records, unchanged.
    fn put(&self, name: &str, rules: RuleSet, positions: &[Position]) -> PathBuf {
        let path = self.path(name);
        let book = NewBook::create(&path, IfExists::Refuse, &Context::new("import")).unwrap();
        book.fill(|| Ok(positions.iter().cloned().map(Ok))).unwrap();
        let header = BookHeader {
            rules,
            format: None,
            header: Header::default(),
        };
        book.set_header(&header).unwrap();
        book.commit(&()).unwrap();
        path
    }

    /// The same, fixed.
    fn put_fixed(&self, name: &str, rules: RuleSet, positions: &[Position]) -> PathBuf {
        let path = self.put(name, rules, positions);
        fix(&path);
        path
    }

    fn copy(&self, from: &Path, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::copy(from, &path).unwrap();
        path
    }
}

/// An Egaroucid book of these records, in their order.
fn write_egbk3(path: &Path, records: &[Position]) {
    let header = Header {
        count: Some(records.len() as i64),
        ..Header::default()
    };
    let mut writer = BookWriter::create(path, Format::Egbk3, &header, None).unwrap();
    records
        .iter()
        .for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap();
}

/// These searches as Egaroucid would have written them.
fn by_egaroucid(mut positions: Vec<Position>) -> Vec<Position> {
    positions.retain(|position| !position.board.board().must_pass());
    for position in &mut positions {
        position.engine = Engine::Egaroucid;
        position.links.clear();
        position.leaf = position.leaf.map(|leaf| Leaf {
            engine: Engine::Egaroucid,
            ..leaf
        });
    }
    positions
}

fn merged(book: &Path, from: &[&Path], strategy: Strategy) -> Merged {
    merged_within(book, from, strategy, None)
}

/// Merges within this memory, in bytes; whatever it takes if there is no limit.
fn merged_within(book: &Path, from: &[&Path], strategy: Strategy, memory: Option<u64>) -> Merged {
    let context = Context::new("test").with_memory(memory);
    let from: Vec<PathBuf> = from.iter().map(|path| path.to_path_buf()).collect();
    let options = MergeOptions {
        strategy,
        ..MergeOptions::default()
    };
    merge(
        &mut Store::open_for_writing(book, &context).unwrap(),
        &from,
        options,
    )
    .unwrap()
}

/// Checks that a whole merge through temporary files gives the same book and the same report.
fn same_through_files(
    base: &Path,
    from: &[&Path],
    whole: &Path,
    by_whole: &Merged,
) -> Result<(), TestCaseError> {
    let layered = base.with_file_name("layered");
    std::fs::copy(base, &layered).unwrap();
    let by_layers = merged_within(&layered, from, Strategy::Whole, Some(1));
    same(&rows(&layered), &rows(whole))?;
    prop_assert_eq!(&by_layers, by_whole);
    Ok(())
}

/// Checks that two books are equal.
fn same(one: &Rows, other: &Rows) -> Result<(), TestCaseError> {
    for (table, rows) in one {
        let differs: Vec<&String> = rows.symmetric_difference(&other[table]).take(4).collect();
        prop_assert!(differs.is_empty(), "{}: {:#?}", table, differs);
    }
    Ok(())
}

fn positions(path: &Path) -> BTreeMap<CanonicalBoard, Position> {
    let positions = Store::open(path, &Context::default())
        .unwrap()
        .positions()
        .unwrap();
    let positions = positions.map(Result::unwrap);
    positions
        .map(|position| (position.board, position))
        .collect()
}

/// Books that share many positions, each with its own searches at the given `levels`.
fn books(
    pool: &[CanonicalBoard],
    seed: u64,
    levels: &[fn(&mut Random) -> Option<u8>],
) -> Vec<Vec<Position>> {
    let random = &mut Random(seed);
    let book = |level: &fn(&mut Random) -> Option<u8>| {
        let share = 20 + random.below(80);
        let mut book = Vec::new();
        for board in pool {
            if random.below(100) < share {
                book.push(record(*board, level, random));
            }
        }
        book
    };
    levels.iter().map(book).collect()
}

fn record(
    board: CanonicalBoard,
    level: &fn(&mut Random) -> Option<u8>,
    random: &mut Random,
) -> Position {
    let score = |random: &mut Random| random.below(129) as i16 - 64;
    let engine = |random: &mut Random| match random.below(3) {
        0 => own_engines()[random.below(5) as usize],
        _ => Engine::Edax,
    };
    let mut position = Position::new(board, engine(random));
    position.level = level(random);
    // A position's level is that of its value.
    if position.level.is_some() || random.below(2) > 0 {
        position.value = Some(score(random));
    }
    if board.board().is_over() {
        position.value = Some(board.board().final_score().into());
    }
    // All of these proofs allow a draw everywhere, so none contradicts another, nor what follows from them. The score of a
    // finished game may be any.
    if random.below(4) == 0 && !board.board().is_over() {
        let bound = |random: &mut Random| random.below(33) as i8 * 2;
        let (lower, upper) = (-bound(random), bound(random));
        position.proof = Proof::new(lower, upper, Engine::Takizawa);
    }
    let moves: Vec<Move> = board.board().moves().collect();
    if random.below(4) > 0 && !moves.is_empty() {
        position.leaf = Some(Leaf {
            mv: Some(moves[random.below(moves.len() as u64) as usize]),
            score: score(random) as i8,
            level: level(random),
            engine: engine(random),
        });
    }
    position
}

fn any_level(random: &mut Random) -> Option<u8> {
    match random.below(12) {
        0 => None,
        1 => Some(70),
        _ => Some(random.below(61) as u8),
    }
}

/// The same books as if an engine that searches a position again at the same level found the same again.
fn repeatable(mut books: Vec<Vec<Position>>) -> Vec<Vec<Position>> {
    for position in books.iter_mut().flatten() {
        if let Some(leaf) = &mut position.leaf {
            leaf.level = leaf.level.or(position.level);
            let moves: Vec<Move> = position.board.board().moves().collect();
            let random = &mut found_at(position.board, leaf.level);
            leaf.mv = Some(moves[random.below(moves.len() as u64) as usize]);
            leaf.score = (random.below(129) as i16 - 64) as i8;
        }
        if !position.board.board().is_over() {
            let random = &mut found_at(position.board, position.level);
            let value = random.below(129) as i16 - 64;
            position.value = position.value.map(|_| value);
        }
    }
    books
}

/// Decides what a search at a level finds.
fn found_at(board: CanonicalBoard, level: Option<u8>) -> Random {
    let level = level.map_or(0, |level| u64::from(level) + 1);
    let board = board.board();
    Random(board.player() ^ board.opponent().rotate_left(7) ^ level << 56)
}

/// Positions without a move have no level of their own: a pass position, or the other view of a finished game, that a book was
/// given for completeness keeps the level and engine of the position that it was made of.
fn forget_levels_of_passes(book: &Path, pool: &[CanonicalBoard]) {
    let searched = pool
        .iter()
        .filter(|it| !it.board().legal_moves().is_empty());
    let searched: Vec<String> = searched
        .map(|it| cell(ValueRef::Blob(&it.to_key())))
        .collect();
    let searched = serde_json::to_string(&searched).unwrap();
    let connection = Connection::open(book).unwrap();
    for (table, also) in [("positions", ", unsearched = NULL"), ("leaves", "")] {
        let forget = format!(
            "UPDATE {table} SET level = NULL, engine = 1{also}
             WHERE board NOT IN (SELECT unhex(value) FROM json_each(?))"
        );
        connection.execute(&forget, [&searched]).unwrap();
    }
}

/// Changes the bytes of a book, but nothing that is merged.
fn set_verbosity(book: &Path) {
    let connection = Connection::open(book).unwrap();
    connection
        .execute("UPDATE book SET verbosity = 1", [])
        .unwrap();
}

/// Sets the errors in the header of a book to none or some.
fn set_errors(book: &Path, random: &mut Random) {
    let mut error = || [None, Some(0), Some(1), Some(2), Some(5)][random.below(5) as usize];
    let errors = [error(), error()];
    let set = "UPDATE book SET midgame_error = ?, endcut_error = ?";
    let connection = Connection::open(book).unwrap();
    connection.execute(set, errors).unwrap();
}

/// A new database into which some books are merged, in their order, but some of them first into databases of their own.
fn grouped(shelf: &Shelf, rules: RuleSet, from: &[PathBuf], random: &mut Random) -> PathBuf {
    let number = random.below(u64::MAX);
    let book = shelf.put_fixed(&format!("group {number}"), rules, &[]);
    let mut parts: Vec<PathBuf> = Vec::new();
    let mut rest = from;
    while !rest.is_empty() {
        let most = if from.len() > 1 { from.len() - 1 } else { 1 };
        let length = 1 + random.below(most.min(rest.len()) as u64) as usize;
        let (part, others) = rest.split_at(length);
        parts.push(match part {
            [one] if from.len() == 1 || random.below(2) == 0 => one.clone(),
            some => grouped(shelf, rules, some, random),
        });
        rest = others;
    }
    let parts: Vec<&Path> = parts.iter().map(PathBuf::as_path).collect();
    match random.below(2) {
        0 => drop(merged(&book, &parts, Strategy::Auto)),
        _ => parts
            .iter()
            .for_each(|part| drop(merged(&book, &[*part], Strategy::Auto))),
    }
    book
}

/// A level that is known. An Edax leaf of unknown level takes the level of its position, whenever that gets one.
fn known_level(random: &mut Random) -> Option<u8> {
    any_level(random).or(Some(21))
}

fn books_len(path: &Path) -> usize {
    BookReader::open(path, None).unwrap().count()
}

fn pool(recipe: &random_book::Recipe) -> Vec<CanonicalBoard> {
    recipe.book().into_keys().collect()
}

/// An imported file that needs no fix is as good as a fixed book: merging a few positions computes only those and what lies above.
#[test]
fn the_first_merge_into_an_imported_file_computes_only_what_changes() {
    let (_folder, book) = imported("games.dat");
    let from = [golden("edax/games.prune.dat")];
    let merged = merged(&book, &[&from[0]], Strategy::Auto);
    assert!(!merged.whole, "{merged:?}");
    assert_eq!(fix(&book), 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Updating the ancestors of merged positions gives the same as fixing the whole book.
    ///
    /// Law (Changes): A merge that recomputes only what changes equals a full one; several books at once equal one after
    /// another.
    /// Also: `several_books_are_merged_in_their_order` `duplicates_in_a_file_are_merged_as_those_of_two`
    #[test]
    fn an_increment_is_as_good_as_the_whole(recipe in recipes(), seed: u64, rules in 0..3usize) {
        let rules = RULES[rules];
        let shelf = Shelf::new();
        let books = books(&pool(&recipe), seed, &[known_level, known_level, known_level]);
        let base = shelf.put_fixed("base", rules, &books[0]);
        let from = [shelf.put("one", rules, &books[1]), shelf.put("two", rules, &books[2])];
        let from = [&*from[0], &*from[1]];
        let whole = shelf.copy(&base, "whole");
        let by_whole = merged(&whole, &from, Strategy::Whole);
        same_through_files(&base, &from, &whole, &by_whole)?;
        let increment = shelf.copy(&base, "increment");
        let by_increment = merged(&increment, &from, Strategy::Increment);
        prop_assert!(by_whole.whole && !by_increment.whole);
        same(&rows(&increment), &rows(&whole))?;
        let counts = |merged: &Merged| merged.sources.iter().map(|it| it.counts).collect::<Vec<_>>();
        prop_assert_eq!(counts(&by_increment), counts(&by_whole));
        prop_assert_eq!(by_increment.links, by_whole.links);
        prop_assert_eq!(by_increment.restored, by_whole.restored);
        prop_assert_eq!(by_increment.leaves_lost, by_whole.leaves_lost);
        prop_assert_eq!(by_increment.todo, by_whole.todo);
        prop_assert_eq!(by_whole.todo, rows(&whole)["todo"].len() as u64);
        // Links are complete, no leaf is a link, numbers are right.
        prop_assert_eq!(fix(&increment), 0);
    }

    /// Merging books one by one or all at once gives the same.
    #[test]
    fn several_books_are_merged_in_their_order(recipe in recipes(), seed: u64) {
        let shelf = Shelf::new();
        let books = books(&pool(&recipe), seed, &[known_level, known_level, known_level]);
        let base = shelf.put_fixed("base", RuleSet::Edax, &books[0]);
        let one = shelf.put("one", RuleSet::Edax, &books[1]);
        let two = shelf.put("two", RuleSet::Edax, &books[2]);
        let together = shelf.copy(&base, "together");
        merged(&together, &[&one, &two], Strategy::Increment);
        merged(&base, &[&one], Strategy::Increment);
        merged(&base, &[&two], Strategy::Increment);
        same(&rows(&together), &rows(&base))?;
    }

    /// Two records of a board in one file count like records in two files.
    #[test]
    fn duplicates_in_a_file_are_merged_as_those_of_two(recipe in recipes(), seed: u64, rules in 0..3usize) {
        let shelf = Shelf::new();
        // Of equal searches in one file the later counts.
        let books = repeatable(books(&pool(&recipe), seed, &[any_level, any_level, any_level]));
        let base = shelf.put_fixed("base", RULES[rules], &books[0]);
        let [one, two] = [1, 2].map(|book| by_egaroucid(books[book].clone()));
        let [one_file, two_file, both_file] = ["one.egbk3", "two.egbk3", "both.egbk3"].map(|it| shelf.path(it));
        write_egbk3(&one_file, &one);
        write_egbk3(&two_file, &two);
        write_egbk3(&both_file, &[one, two].concat());
        let apart = shelf.copy(&base, "apart");
        merged(&apart, &[&one_file, &two_file], Strategy::Auto);
        let report = merged(&base, &[&both_file], Strategy::Auto);
        same(&rows(&base), &rows(&apart))?;
        let source = &report.sources[0].source;
        prop_assert_eq!(source.positions + source.duplicates, (books_len(&one_file) + books_len(&two_file)) as u64);
    }

    /// A file without links and pass positions gets both from the book that it is merged into.
    #[test]
    fn an_egaroucid_file_finds_its_place(recipe in recipes(), seed: u64, rules in 0..3usize) {
        let shelf = Shelf::new();
        let books = books(&pool(&recipe), seed, &[any_level, any_level]);
        let base = shelf.put_fixed("base", RULES[rules], &books[0]);
        let file = shelf.path("from.egbk3");
        write_egbk3(&file, &by_egaroucid(books[1].clone()));
        let whole = shelf.copy(&base, "whole");
        let by_whole = merged(&whole, &[&file], Strategy::Whole);
        same_through_files(&base, &[&file], &whole, &by_whole)?;
        let by_increment = merged(&base, &[&file], Strategy::Increment);
        same(&rows(&base), &rows(&whole))?;
        prop_assert_eq!(&by_increment.sources, &by_whole.sources);
        let source = &by_whole.sources[0].source;
        prop_assert_eq!(source.positions, books_len(&file) as u64, "the file's own");
        prop_assert_eq!(source.links, 0, "it has none");
        prop_assert_eq!(fix(&base), 0);
    }

    #[test]
    fn merging_again_changes_nothing(recipe in recipes(), seed: u64, rules in 0..3usize) {
        let rules = RULES[rules];
        let shelf = Shelf::new();
        let books = books(&pool(&recipe), seed, &[any_level, any_level]);
        let base = shelf.put_fixed("base", rules, &books[0]);
        let one = shelf.put("one", rules, &books[1]);
        merged(&base, &[&one], Strategy::Auto);
        let before = rows(&base);
        // Other bytes, the same book.
        let again = shelf.put("again", rules, &books[1]);
        set_verbosity(&again);
        let itself = shelf.copy(&base, "itself");
        let report = merged(&base, &[&again, &itself], Strategy::Increment);
        same(&rows(&base), &before)?;
        prop_assert!(report.sources.iter().all(|taken| !taken.known));
        let MergeCounts { added, raised, equal, .. } = report.total();
        prop_assert_eq!((added, raised, equal), (0, 0, 0));
    }

    /// Nothing gets worse, and nothing is lost.
    ///
    /// Law (Changes): The better search wins, entered values stay, and no position is lost.
    #[test]
    fn the_better_search_wins(recipe in recipes(), seed: u64) {
        let shelf = Shelf::new();
        let books = books(&pool(&recipe), seed, &[any_level, any_level]);
        let base = shelf.put_fixed("base", RuleSet::Edax, &books[0]);
        let before = positions(&base);
        let from = shelf.put("from", RuleSet::Edax, &books[1]);
        merged(&base, &[&from], Strategy::Auto);
        let after = positions(&base);
        let [own, coming] = [0, 1].map(|book| -> BTreeMap<_, _> {
            books[book].iter().map(|it| (it.board, it.clone())).collect()
        });
        let boards: BTreeSet<_> = before.keys().chain(coming.keys()).collect();
        prop_assert_eq!(after.keys().collect::<BTreeSet<_>>(), boards);
        for (board, position) in &after {
            let empties = board.board().empties() as u8;
            let strength = |engine, level| plain_strength(engine, level, empties);
            let said = [before.get(board), coming.get(board)];
            let said: Vec<&Position> = said.into_iter().flatten().collect();
            let proofs = said.iter().filter_map(|it| it.proof);
            for proof in proofs {
                let kept = position.proof.and_then(|found| found.and(proof));
                let bounds = |it: Proof| (it.lower(), it.upper());
                prop_assert_eq!(kept.map(bounds), position.proof.map(bounds), "never looser");
            }
            let best = said.iter().map(|it| strength(it.engine, it.level)).max();
            prop_assert_eq!(Some(strength(position.engine, position.level)), best);
            if said.iter().any(|it| it.level == Some(70) && it.value.is_some()) {
                let persons = said.iter().filter(|it| it.level == Some(70));
                let entered = persons.filter_map(|it| Some((it.engine, it.value?))).max();
                let entered = entered.map(|(_, value)| value);
                prop_assert_eq!(position.value, entered, "what a person entered stays");
            }
            let is_edax = |engine| engine == Engine::Edax;
            let of_leaf = |it: &Position| {
                let leaf = it.leaf.filter(|_| !board.board().is_over())?;
                let shared = it.level.filter(|_| is_edax(leaf.engine) && is_edax(it.engine));
                let level = leaf.level.or(shared);
                Some((strength(leaf.engine, level), Leaf { level, ..leaf }))
            };
            // The book's own leaf may have been lost to a link before. A weaker one doesn't replace it.
            let own = own.get(board).or(before.get(board)).and_then(of_leaf);
            let leaves = own.into_iter().chain(coming.get(board).and_then(of_leaf));
            let best = leaves.max_by_key(|(strength, leaf)| {
                (*strength, leaf.engine, Reverse((leaf.score, leaf.mv.map(Move::code))))
            });
            let linked = |leaf: Leaf| position.links.iter().any(|link| Some(link.mv) == leaf.mv);
            match (best, position.leaf) {
                (Some((_, leaf)), found) if !linked(leaf) => {
                    // Without a level of its own a leaf has that of its position.
                    let shared = position.level.filter(|_| is_edax(position.engine) && is_edax(leaf.engine));
                    let level = leaf.level.and(found.and_then(|found| found.level.or(shared)));
                    prop_assert_eq!(found.map(|found| Leaf { level, ..found }), Some(leaf));
                }
                (Some(_), found) => prop_assert_eq!(found, None),
                (None, found) => prop_assert!(found.is_none() || board.board().is_over()),
            }
        }
    }
}

proptest! {
    // Each case merges and fixes a dozen books.
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Books of different levels make the same book in any order.
    #[test]
    fn the_order_of_levels_makes_no_difference(recipe in recipes(), seed: u64, rules in 0..3usize) {
        let rules = RULES[rules];
        let shelf = Shelf::new();
        let levels: [fn(&mut Random) -> Option<u8>; 3] = [|_| Some(12), |_| Some(21), |_| Some(30)];
        let books = books(&pool(&recipe), seed, &levels);
        let mut results = Vec::new();
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let name = |book: usize| format!("{order:?} {book}");
            let base = shelf.put_fixed(&name(order[0]), rules, &books[order[0]]);
            for book in &order[1..] {
                let from = shelf.put(&name(*book), rules, &books[*book]);
                merged(&base, &[&from], Strategy::Auto);
            }
            if rules != RuleSet::Edax {
                forget_levels_of_passes(&base, &pool(&recipe));
            }
            results.push(rows(&base));
        }
        for result in &results[1..] {
            same(result, &results[0])?;
        }
    }
}

proptest! {
    // Each case merges some dozen books: always the same ones. Three hundred random cases have passed, too.
    #![proptest_config(ProptestConfig { cases: 12, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// Merging is associative, commutative and idempotent: books, databases with searches that are due, values that people entered,
    /// proofs and different errors make the same book in any order and any grouping.
    ///
    /// Law (Changes): Merging is associative, commutative and idempotent, except for the level of positions without a value,
    /// also for due searches, entered values, proofs and errors in headers.
    /// Also: `either_of_two_books_may_come_first` `the_order_of_levels_makes_no_difference` `merging_again_changes_nothing`
    #[test]
    fn order_and_grouping_make_no_difference(recipe in recipes(), seed: u64, rules in 0..3usize) {
        let rules = RULES[rules];
        let random = &mut Random(seed);
        let shelf = Shelf::new();
        let levels: [fn(&mut Random) -> Option<u8>; 4] = [known_level; 4];
        let count = 3 + random.below(2) as usize;
        let books = books(&pool(&recipe), seed, &levels[..count]);
        let mut from: Vec<PathBuf> = Vec::new();
        for (number, book) in books.into_iter().enumerate() {
            let path = shelf.path(&number.to_string());
            match random.below(3) {
                // Which pass positions a book by Edax's rules gets from a file without them depends on what is new to it.
                0 if rules != RuleSet::Edax => write_egbk3(&path, &by_egaroucid(book)),
                kind => {
                    shelf.put(&number.to_string(), rules, &book);
                    set_errors(&path, random);
                    if kind == 1 {
                        fix(&path);
                    }
                }
            }
            from.push(path);
        }
        let mut results = Vec::new();
        for _ in 0..4 {
            random.shuffle(&mut from);
            let book = grouped(&shelf, rules, &from, random);
            let result = rows(&book);
            // Merging it with itself, or with one of them again, changes nothing.
            let itself = shelf.copy(&book, &format!("copy {}", random.below(u64::MAX)));
            set_verbosity(&itself);
            let options = MergeOptions { forced: true, ..MergeOptions::default() };
            let mut store = Store::open_for_writing(&book, &Context::new("test")).unwrap();
            merge(&mut store, &[itself, from[0].clone()], options).unwrap();
            drop(store);
            same(&rows(&book), &result)?;
            forget_levels_of_passes(&book, &pool(&recipe));
            results.push(rows(&book));
        }
        for result in &results[1..] {
            same(result, &results[0])?;
        }
    }

    /// It makes no difference which of two books is merged into the other, even if equal searches say different things.
    #[test]
    fn either_of_two_books_may_come_first(recipe in recipes(), seed: u64, rules in 0..3usize) {
        let rules = RULES[rules];
        let shelf = Shelf::new();
        let levels: [fn(&mut Random) -> Option<u8>; 2] = [|random| [Some(12), Some(20), Some(70)][random.below(3) as usize]; 2];
        let books = books(&pool(&recipe), seed, &levels);
        let [one, other] = ["one", "other"].map(|name| shelf.path(name));
        for (path, positions) in [&one, &other].into_iter().zip(&books) {
            shelf.put(path.file_name().unwrap().to_str().unwrap(), rules, positions);
            set_errors(path, &mut Random(seed ^ positions.len() as u64));
            fix(path);
        }
        let [first, second] = ["first", "second"].map(|name| shelf.path(name));
        std::fs::copy(&one, &first).unwrap();
        std::fs::copy(&other, &second).unwrap();
        merged(&first, &[&other], Strategy::Auto);
        merged(&second, &[&one], Strategy::Auto);
        same(&rows(&first), &rows(&second))?;
    }
}

/// Writes to a database while it is read.
struct Meddles(PathBuf);

impl Meter for Meddles {
    fn step(&self, doing: &'static str, _: Option<u64>) {
        if doing == "writing" {
            let connection = Connection::open(&self.0).unwrap();
            connection
                .execute_batch("UPDATE leaves SET score = 2")
                .unwrap();
        }
    }

    fn advance(&self, _: u64) {}
}

/// A database that others write to while it is imported is refused: its tables would be of several states.
#[test]
fn a_database_that_changes_is_not_imported() {
    let shelf = Shelf::new();
    let (_folder, book) = imported("games.dat");
    let copy = |context: &Context, name| {
        Book::import(&book, shelf.path(name), context).map(|store| store.path().exists())
    };
    let meddled = Context::new("import").with_progress(Progress::shown_by(Meddles(book.clone())));
    let error = copy(&meddled, "torn.obook").unwrap_err().to_string();
    assert!(error.contains("another process wrote to it"), "{error}");
    assert!(!shelf.path("torn.obook").exists());
    assert!(copy(&Context::new("import"), "copy.obook").unwrap());
    let connection = Connection::open(shelf.path("copy.obook")).unwrap();
    let sql = "SELECT format FROM sources";
    let format: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(format, "obook");
}

/// By Egaroucid's rules, the value of a position whose children have none is that of a search, of which the larger counts.
#[test]
fn links_without_scores_make_no_value() {
    let shelf = Shelf::new();
    let start = Board::START;
    let child = start.play("f5".parse().unwrap()).unwrap();
    for rules in &RULES[1..] {
        let [low, high] = [0, 2].map(|value| {
            let mut position = Position::new(start.canonical(), Engine::Egaroucid);
            (position.value, position.level) = (Some(value), Some(1));
            let book = [
                position,
                Position::new(child.canonical(), Engine::Egaroucid),
            ];
            shelf.put_fixed(&format!("{rules:?} {value}"), *rules, &book)
        });
        for (own, other) in [(&low, &high), (&high, &low)] {
            let book = shelf.copy(own, "book");
            merged(&book, &[other], Strategy::Auto);
            assert_eq!(
                positions(&book)[&start.canonical()].value,
                Some(2),
                "{rules:?}"
            );
        }
    }
}

/// Of two proofs that contradict each other the higher counts, whichever comes first, and the report names both with their sources.
#[test]
fn contradictions_are_reported_with_both_sources() {
    let shelf = Shelf::new();
    let book = |lower, upper, prover| {
        let mut position = Position::new(Board::START.canonical(), Engine::Edax);
        position.value = Some(0);
        position.proof = Proof::new(lower, upper, prover);
        position
    };
    let own = book(0, 64, Engine::Takizawa);
    let base = shelf.put_fixed("base", RuleSet::EgaroucidEdax, std::slice::from_ref(&own));
    let others = [(-64, -2, Engine::Zebra), (-64, 8, Engine::Zebra)];
    let others = others.map(|(lower, upper, prover)| {
        let name = format!("other {upper}");
        shelf.put(&name, RuleSet::EgaroucidEdax, &[book(lower, upper, prover)])
    });
    let report = merged(&base, &[&others[0], &others[1]], Strategy::Auto);
    let counts = |place: usize| {
        let MergeCounts {
            raised,
            contradictions,
            ..
        } = report.sources[place].counts;
        (raised, contradictions)
    };
    assert_eq!((counts(0), counts(1)), ((0, 1), (1, 0)));
    let [named] = &report.sources[0].contradictory[..] else {
        panic!("{report:?}");
    };
    let said = (named.book.as_str(), named.other.as_str());
    assert_eq!(said, ("at least +0 (takizawa)", "at most -2 (zebra)"));
    assert_eq!(named.board, own.board.board().to_text());
    let proof = positions(&base)[&own.board].proof;
    assert_eq!(proof, Proof::new(0, 8, Engine::Obook));
}

/// The cases of the laws above occur in the books that they are tested with.
#[test]
fn the_books_are_worth_merging() {
    let mut total = [0; 7];
    for (recipe, seed) in samples(&(recipes(), any::<u64>()), 12) {
        let shelf = Shelf::new();
        let books = books(&pool(&recipe), seed, &[any_level, any_level]);
        let base = shelf.put_fixed("base", RuleSet::Edax, &books[0]);
        let before = positions(&base);
        let from = shelf.put("from", RuleSet::Edax, &books[1]);
        let report = merged(&base, &[&from], Strategy::Increment);
        let MergeCounts {
            added,
            raised,
            equal,
            kept,
            ..
        } = report.total();
        let person = |it: &&Position| it.level == Some(70) && it.value.is_some();
        let persons = before.values().chain(&books[1]).filter(person).count() as u64;
        let links = positions(&base)
            .values()
            .map(|it| it.links.len() as u64)
            .sum::<u64>();
        let counts = [
            added,
            raised,
            equal,
            kept,
            report.leaves_lost,
            persons,
            links,
        ];
        for (total, count) in total.iter_mut().zip(counts) {
            *total += count;
        }
    }
    assert!(total.iter().all(|count| *count > 0), "{total:?}");
}

/// A merge that computes the whole book replaces the rows that one of ancestors replaces, and no others.
#[test]
fn a_whole_merge_writes_what_differs() {
    let shelf = Shelf::new();
    let (_folder, book) = imported("games.dat");
    fix(&book);
    let positions = Store::open(&book, &Context::new("test")).unwrap();
    let mut leaves = positions.positions().unwrap().filter_map(|position| {
        let position = position.unwrap();
        let leaf = position.leaf?;
        let child = position.board.board().play(leaf.mv?)?;
        (!child.must_pass() && !child.is_over()).then(|| Position {
            value: Some((-leaf.score).into()),
            level: leaf.level,
            ..Position::new(child.canonical(), leaf.engine)
        })
    });
    let new = shelf.put("new", RuleSet::Edax, &[leaves.next().unwrap()]);
    let replaced = |strategy| {
        let copy = shelf.copy(&book, &format!("{strategy:?}"));
        merged(&copy, &[&new], strategy);
        let bytes: i64 = Connection::open(&copy)
            .unwrap()
            .query_row("SELECT sum(length(data)) FROM undo", [], |row| row.get(0))
            .unwrap();
        bytes
    };
    let [whole, increment] = [Strategy::Whole, Strategy::Increment].map(replaced);
    assert!(
        whole < 2 * increment,
        "{whole} bytes of old rows instead of {increment}"
    );
}

/// Removes a file when the writing begins.
struct Removes(PathBuf);

impl Meter for Removes {
    fn step(&self, doing: &'static str, _: Option<u64>) {
        if doing == "writing" {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    fn advance(&self, _: u64) {}
}

/// A merge takes a while. Once its books have been read, they may go.
#[test]
fn books_may_go_once_they_have_been_read() {
    let shelf = Shelf::new();
    let (_folder, book) = imported("games.dat");
    let (_other, from) = imported("small.dat");
    let file = shelf.path("small.dat");
    std::fs::copy(golden("small.dat"), &file).unwrap();
    for from in [from, file] {
        let copy = shelf.copy(&book, "copy.obook");
        let expected = merged(&copy, &[&from], Strategy::Auto);
        let copy = shelf.copy(&book, "again.obook");
        let context = Context::new("test").with_progress(Progress::shown_by(Removes(from.clone())));
        let mut store = Store::open_for_writing(&copy, &context).unwrap();
        let found = merge(
            &mut store,
            std::slice::from_ref(&from),
            MergeOptions::default(),
        );
        assert_eq!(found.unwrap(), expected);
        assert!(!from.exists());
    }
}

/// A dry run reads beside a writer, and reports what the merge then does.
#[test]
fn a_dry_run_takes_no_lock() {
    let shelf = Shelf::new();
    let (_folder, book) = imported("games.dat");
    fix(&book);
    for strategy in [Strategy::Whole, Strategy::Increment] {
        let copy = shelf.copy(&book, &format!("{strategy:?}"));
        let options = |dry_run| MergeOptions {
            dry_run,
            strategy,
            ..MergeOptions::default()
        };
        let merge = |dry_run| {
            let from = ["small.dat", "egaroucid/games.mixed.egbk3"].map(golden);
            let open = match dry_run {
                true => Store::open,
                false => Store::open_for_writing,
            };
            let mut store = open(&copy, &Context::new("test")).unwrap();
            merge(&mut store, &from, options(dry_run)).unwrap()
        };
        let writer = Connection::open(&copy).unwrap();
        writer.execute_batch("BEGIN IMMEDIATE").unwrap();
        let files = || {
            let mut log = copy.clone().into_os_string();
            log.push("-wal");
            [
                std::fs::read(&copy).unwrap(),
                std::fs::read(log).unwrap_or_default(),
            ]
        };
        let before = files();
        let dry = merge(true);
        assert!(files() == before, "{strategy:?}");
        writer.execute_batch("ROLLBACK").unwrap();
        assert_eq!(merge(false), dry);
    }
}
