//! Accuracy grades, compared with the engine's and with a literal implementation of the definition.

use obook_graph::accuracy::{Accuracy, AccuracyTable, Grade, Grading};
use obook_graph::link::link;
use obook_graph::{Graph, TooLarge};
use obook_needs::needs;
use obook_othello::{CanonicalBoard, Engine, Leaf, Link, Position};
use obook_testing::golden::{EgaroucidRow, egaroucid_table, table};
use obook_testing::plain_level::plain_search;
use obook_testing::random_book::{self, Book, recipes};
use obook_testing::samples::samples;
use obook_testing::slabs::{grades, in_all_ways, restore_passes};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// An Egaroucid table as a graph, with passes and links.
fn graph_of(rows: &[EgaroucidRow]) -> Graph {
    let mut builder = Graph::builder();
    for row in rows {
        let mut position = Position::new(row.board, Engine::Egaroucid);
        position.value = Some(row.value);
        position.level = Some(row.level);
        position.leaf = row.leaf;
        builder.push(position);
    }
    let (mut graph, _) = builder.finish().unwrap();
    restore_passes(&mut graph);
    link(&mut graph).unwrap();
    graph
}

/// Compares grades with the last column of `egaroucid/NAME.tsv`.
fn assert_grades(name: &str) {
    let name = format!("egaroucid/{name}.tsv");
    let (rows, columns) = (egaroucid_table(&name), table(&name));
    let graph = graph_of(&rows);
    let computed = grades(&graph, Grading::Egaroucid);
    for (row, columns) in rows.iter().zip(&columns) {
        let id = graph.find(row.board).unwrap();
        let grade = computed[id.index()];
        assert_eq!(grade.name(), columns[8], "{name}: {columns:?}");
    }
}

#[test]
fn games() {
    assert_grades("games.mixed");
}

#[test]
fn games_fix() {
    assert_grades("games.mixed.fix");
}

#[needs(large_books)]
#[test]
fn games_edax_fix() {
    assert_grades("games.mixed.fixedax");
}

#[test]
fn games_lines() {
    assert_grades("games.mixed.fixedax.nlines");
}

#[test]
fn games_reduce() {
    assert_grades("games.mixed.reduce_20_2_3");
}

#[needs(large_books)]
#[test]
fn small() {
    assert_grades("small.mixed");
}

#[needs(large_books)]
#[test]
fn small_fix() {
    assert_grades("small.mixed.fix");
}

#[needs(large_books)]
#[test]
fn small_edax_fix() {
    assert_grades("small.mixed.fixedax");
}

#[needs(large_books)]
#[test]
fn small_lines() {
    assert_grades("small.mixed.fixedax.nlines");
}

#[needs(large_books)]
#[test]
fn small_reduce() {
    assert_grades("small.mixed.reduce_20_2_3");
}

/// The published definition counts leaves that are midgame ends. The engine's code doesn't.
#[test]
fn the_definition_differs_from_the_engine() {
    let rows = egaroucid_table("egaroucid/games.mixed.reduce_20_2_3.tsv");
    let graph = graph_of(&rows);
    let [published, engine] =
        [Grading::Published, Grading::Egaroucid].map(|rules| grades(&graph, rules));
    assert!(
        published
            .iter()
            .zip(&engine)
            .all(|(published, engine)| published >= engine)
    );
    assert_ne!(published, engine);
}

/// The three kinds of ends in the definition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Kind {
    Exact,
    ToTheEnd,
    Midgame,
}
use Kind::{Exact, Midgame, ToTheEnd};

fn judged(engine: Engine, level: Option<u8>, empties: u32) -> Kind {
    let Some(level) = level else { return Midgame };
    let (_, probability, to_the_end) = plain_search(engine, level, empties as u8);
    match (to_the_end, probability) {
        (true, 100) => Exact,
        (true, _) => ToTheEnd,
        (false, _) => Midgame,
    }
}

/// The ends of a position, each with its board.
fn plain_ends(
    book: &Book,
    board: CanonicalBoard,
    margin: i16,
    rules: Grading,
) -> BTreeSet<(CanonicalBoard, Kind)> {
    let position = &book[&board];
    let empties = board.board().empties();
    let children: Vec<(Option<i16>, CanonicalBoard)> = position
        .links
        .iter()
        .filter_map(|link| {
            let child = board.board().play(link.mv)?.canonical();
            let value = book.get(&child)?.value.map(|value| -value);
            Some((link.score.map(i16::from).or(value), child))
        })
        .collect();
    if children.is_empty() {
        return BTreeSet::from([(board, judged(position.engine, position.level, empties))]);
    }
    let best = children.iter().filter_map(|(score, _)| *score).max();
    let mut ends = BTreeSet::new();
    for (score, child) in &children {
        if best.is_none_or(|best| score.is_some_and(|score| best - score <= margin)) {
            ends.extend(plain_ends(book, *child, margin, rules));
        }
    }
    if let Some(Leaf {
        mv: Some(_),
        score,
        level,
        engine,
    }) = position.leaf
        && best.is_none_or(|best| best - i16::from(score) <= margin)
    {
        let has_one_level = [engine, position.engine] == [Engine::Edax; 2];
        let level = level.or(position.level.filter(|_| has_one_level));
        let kind = match rules {
            Grading::Published => judged(engine, level, empties),
            Grading::Egaroucid => judged(engine, level, empties.saturating_sub(1)),
        };
        if rules == Grading::Published || kind != Midgame {
            ends.insert((board, kind));
        }
    }
    ends
}

fn kinds(ends: &BTreeSet<(CanonicalBoard, Kind)>) -> Vec<Kind> {
    let kinds: BTreeSet<Kind> = ends.iter().map(|(_, kind)| *kind).collect();
    kinds.into_iter().collect()
}

fn letter(kinds: &[Kind]) -> &'static str {
    match kinds {
        [Exact] => "A",
        [Exact, ToTheEnd] => "B",
        [ToTheEnd] => "C",
        [Exact, .., Midgame] => "D",
        [ToTheEnd, Midgame] => "E",
        [Midgame] => "F",
        _ => panic!("{kinds:?}"),
    }
}

/// The grade of a position with these ends within 1 and 2 discs.
fn plain_grade(
    [ends, ends_within_2]: &[BTreeSet<(CanonicalBoard, Kind)>; 2],
    rules: Grading,
) -> String {
    match (letter(&kinds(ends)), rules) {
        ("A", _) => format!("A{}", letter(&kinds(ends_within_2))),
        ("E", Grading::Egaroucid) => String::from("D"),
        (letter, _) => letter.to_owned(),
    }
}

fn tally(ends: &BTreeSet<(CanonicalBoard, Kind)>, kind: Kind) -> u64 {
    ends.iter().filter(|(_, other)| *other == kind).count() as u64
}

/// Makes scores so close that the margins matter, and levels reach the end more often.
fn close(mut book: Book, seed: u64) -> Book {
    let mut random = random_book::Random(seed);
    for position in book.values_mut() {
        for score in position
            .links
            .iter_mut()
            .filter_map(|link| link.score.as_mut())
        {
            *score = random.below(4) as i8;
        }
        if let Some(leaf) = &mut position.leaf {
            leaf.score = random.below(4) as i8;
        }
        position.value = position.value.map(|_| random.below(4) as i16);
        if random.below(2) == 0 {
            position.level = Some(58);
        }
        // Every legal move, some of them twice and some without a score.
        let mut moves: Vec<_> = position.board.board().moves().collect();
        random.shuffle(&mut moves);
        let link = |mv| Link {
            mv,
            score: [None, Some(0), Some(1), Some(2), Some(3)][random.below(5) as usize],
        };
        position.links.extend(moves.into_iter().map(link));
    }
    book
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Law (Numbers): A grade of accuracy follows its definition.
    #[test]
    fn grades_are_those_of_the_definition(recipe in recipes(), seed: u64) {
        let book = close(recipe.book(), seed);
        let (graph, _) = Graph::from_positions(book.values().cloned().map(Ok::<_, TooLarge>)).unwrap();
        let both = [Grading::Published, Grading::Egaroucid];
        let computed = both.map(|rules| grades(&graph, rules));
        prop_assert_eq!(computed.each_ref().map(Vec::len), [book.len(); 2]);
        for id in graph.ids() {
            let board = graph.board(id);
            let ends = both.map(|rules| [1, 2].map(|margin| plain_ends(&book, board, margin, rules)));
            let published = plain_grade(&ends[0], Grading::Published);
            for ((rules, computed), ends) in both.into_iter().zip(&computed).zip(&ends) {
                let grade = computed[id.index()];
                prop_assert_eq!(grade.name(), plain_grade(ends, rules));
                let accuracy = Accuracy::new(&graph, id, rules);
                prop_assert_eq!(accuracy.grade, grade);
                let expected = (rules == Grading::Egaroucid).then_some(&*published);
                prop_assert_eq!(accuracy.published.map(Grade::name), expected);
                for (counts, plain) in [accuracy.ends, accuracy.ends_within_2].into_iter().zip(ends) {
                    prop_assert_eq!(counts.exact, tally(plain, Exact));
                    prop_assert_eq!(counts.to_the_end, tally(plain, ToTheEnd));
                    prop_assert_eq!(counts.midgame, tally(plain, Midgame));
                }
            }
        }
    }

    #[test]
    fn tables_count_every_position_once(recipe in recipes()) {
        let book = recipe.book();
        let (graph, _) = Graph::from_positions(book.values().cloned().map(Ok::<_, TooLarge>)).unwrap();
        let published = grades(&graph, Grading::Published);
        let table_of = |rules| {
            in_all_ways(&mut graph.clone(), |book| AccuracyTable::new(book, rules)).unwrap()
        };
        let table = table_of(Grading::Published);
        prop_assert_eq!(table.lower_if_published, None);
        let grades = grades(&graph, Grading::Egaroucid);
        let table = table_of(Grading::Egaroucid);
        let lower = published.iter().zip(&grades).filter(|(published, grade)| published > grade).count();
        prop_assert_eq!(table.lower_if_published, Some(lower as u64));
        prop_assert_eq!(table.grades.values().sum::<u64>(), book.len() as u64);
        for grade in Grade::ALL {
            let expected = grades.iter().filter(|other| **other == grade).count() as u64;
            prop_assert_eq!(table.grades.get(&grade).copied().unwrap_or(0), expected);
        }
        for (empties, row) in &table.by_empties {
            let expected = book.keys().filter(|board| board.board().empties() == u32::from(*empties)).count();
            prop_assert_eq!(row.values().sum::<u64>(), expected as u64);
        }
    }
}

/// The random books have every grade.
#[test]
fn the_books_are_worth_grading() {
    let mut met = BTreeSet::new();
    for (recipe, seed) in samples(&(recipes(), any::<u64>()), 48) {
        let book = close(recipe.book(), seed);
        let positions = book.values().cloned().map(Ok::<_, TooLarge>);
        let (graph, _) = Graph::from_positions(positions).unwrap();
        for rules in [Grading::Published, Grading::Egaroucid] {
            let grades = grades(&graph, rules).into_iter();
            met.extend(grades.map(|grade| (rules == Grading::Published, grade)));
        }
    }
    let published = met.iter().filter(|(published, _)| *published);
    assert_eq!(published.count(), Grade::ALL.len(), "{met:?}");
    let engine = met.iter().filter(|(published, _)| !published).count();
    assert_eq!(engine, Grade::ALL.len() - 1, "E is D: {met:?}");
}
