//! The law: a consistent Edax book survives a round trip through `.egbk3`, record by record.

use obook_converters::{BookReader, BookWriter, Format, Header};
use obook_graph::Graph;
use obook_graph::link::{LinkReport, link};
use obook_graph::mapping::{
    self, EdaxError, EdaxOptions, EgaroucidOptions, Leaves, Loss, Losses, MissingLeaf, demands,
};
use obook_graph::negamax::{Scoring, negamax};
use obook_graph::passes::drop_passes;
use obook_graph::slabs;
use obook_othello::{Board, Bounds, CanonicalBoard, Move, Position, RuleSet};
use obook_testing::consistent_book::{closed, edax_book, records};
use obook_testing::random_book::{Random, Recipe, graph_of, recipes};
use obook_testing::samples::samples;
use obook_testing::slabs::{in_memory, restore_passes};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Converts a graph in memory.
fn to_edax(graph: &mut Graph, options: &EdaxOptions) -> Result<Losses, EdaxError> {
    in_memory(graph, |book| mapping::to_edax(book, options))
}

/// Converts a graph in memory.
fn to_egaroucid(graph: &mut Graph, options: &EgaroucidOptions) -> Result<Losses, slabs::Error> {
    in_memory(graph, |book| mapping::to_egaroucid(book, options))
}

/// Writes the book in `format` and reads it back.
fn through_a_file(graph: &Graph, format: Format) -> Graph {
    let header = Header {
        count: Some(graph.len() as i64),
        ..Header::default()
    };
    let mut bytes = Vec::new();
    let mut writer = BookWriter::new(&mut bytes, format, &header, None).unwrap();
    for mut position in graph.positions() {
        if format == Format::Egbk2 {
            position.links.retain(|link| link.mv != Move::Pass);
        }
        writer.write(&position).unwrap();
    }
    writer.finish().unwrap();
    let reader = BookReader::new(std::io::Cursor::new(bytes), "the book", Some(format)).unwrap();
    graph_of(reader.map(Result::unwrap))
}

fn egaroucid(format: Format, leaves: Leaves) -> EgaroucidOptions {
    EgaroucidOptions {
        rules: RuleSet::Edax,
        header: Header::default(),
        format,
        leaves,
    }
}

fn edax(rules: RuleSet) -> EdaxOptions {
    EdaxOptions {
        rules: Scoring::of(rules, &Header::default()),
        missing_leaf: MissingLeaf::Fold,
        assumed_level: 0,
        new_rules: Scoring::of(RuleSet::Edax, &Header::default()),
    }
}

/// Converts the book to `.egbk3` and back. Also returns the losses of the way there.
fn there_and_back(book: &Graph) -> (Losses, Graph) {
    let mut graph = book.clone();
    let losses = to_egaroucid(&mut graph, &egaroucid(Format::Egbk3, Leaves::Keep)).unwrap();
    let mut back = through_a_file(&graph, Format::Egbk3);
    to_edax(&mut back, &edax(RuleSet::Egaroucid)).unwrap();
    (losses, back)
}

fn comes_back(recipe: &Recipe, seed: u64) {
    let book = edax_book(&closed(recipe), seed, true);
    assert_eq!(demands::check(&book).next(), None);
    let (losses, back) = there_and_back(&book);
    // They only matter if somebody recomputes the book.
    assert!(
        losses.iter().all(|(loss, _)| loss == Loss::ScoresOfPasses),
        "{losses}"
    );
    assert_eq!(records(&back), records(&book));
}

/// The positions from which one move leads to `board` and flips discs along a single line.
fn predecessors(board: Board) -> Vec<Board> {
    let theirs = |x: i32, y: i32| {
        let inside = (0..8).contains(&x) && (0..8).contains(&y);
        inside && board.opponent() >> (x + 8 * y) & 1 != 0
    };
    let mut found = Vec::new();
    for square in 0..64 {
        let (x, y) = (square % 8, square / 8);
        for direction in (0..9).filter(|direction| *direction != 4) {
            let (dx, dy) = (direction % 3 - 1, direction / 3 - 1);
            let run = (0..8).take_while(|step| theirs(x + step * dx, y + step * dy));
            let mut turned = 0u64;
            for step in 1..run.count() as i32 - 1 {
                turned |= 1 << (x + step * dx + 8 * (y + step * dy));
                let placed = 1u64 << square;
                if placed & Board::CENTRE != 0 {
                    continue;
                }
                let before = Board::new(
                    board.opponent() & !turned & !placed,
                    board.player() | turned,
                );
                let mv = Move::from_code(square as u8).unwrap();
                found.extend(before.ok().filter(|before| before.play(mv) == Some(board)));
            }
        }
    }
    found
}

/// Adds every predecessor of the positions after passes out of the book.
fn with_other_ways_behind_passes(boards: &BTreeSet<CanonicalBoard>) -> BTreeSet<CanonicalBoard> {
    let passes = boards.iter().filter(|board| board.board().must_pass());
    let passed = passes.map(|board| board.board().passed());
    let out = passed.filter(|passed| !boards.contains(&passed.canonical()));
    let ways = out.flat_map(predecessors).map(Board::canonical);
    boards.iter().copied().chain(ways).collect()
}

/// The score of a pass becomes a position in `.egbk3`, and other moves may lead to that position too. Returns whether the book
/// has such moves, and whether nothing was lost.
fn score_of_a_pass(recipe: &Recipe, seed: u64) -> (bool, bool) {
    let closed = closed(recipe);
    let boards = with_other_ways_behind_passes(&closed);
    let book = edax_book(&boards, seed, true);
    let (losses, back) = there_and_back(&book);
    if losses.is_empty() {
        assert_eq!(records(&back), records(&book));
    }
    (boards.len() > closed.len(), losses.is_empty())
}

/// Egaroucid recomputes a book, which then comes back to Edax. Returns whether a score of a pass became a position with links.
fn comes_back_recomputed(recipe: &Recipe, seed: u64) -> bool {
    let book = edax_book(&with_other_ways_behind_passes(&closed(recipe)), seed, true);
    let mut graph = book.clone();
    let losses = to_egaroucid(&mut graph, &egaroucid(Format::Egbk3, Leaves::Keep)).unwrap();
    restore_passes(&mut graph);
    link(&mut graph).unwrap();
    let before: Vec<_> = graph.ids().map(|id| graph.value(id)).collect();
    negamax(
        &mut graph,
        Scoring::Egaroucid {
            edax_compliant: true,
        },
    );
    let after: Vec<_> = graph.ids().map(|id| graph.value(id)).collect();
    drop_passes(&mut graph).unwrap();
    let mut back = through_a_file(&graph, Format::Egbk3);
    to_edax(&mut back, &edax(RuleSet::Egaroucid)).unwrap();
    assert_eq!(demands::check(&back).next(), None);
    if losses.is_empty() {
        assert_eq!(after, before, "a change that nothing named");
        assert_eq!(records(&back), records(&book));
    }
    losses.of(Loss::ScoresOfPasses) > 0
}

/// Counts links and views by definition, in a book with nonsense links.
fn what_will_come_back(recipe: &Recipe) {
    let mut book = recipe.book();
    for position in book.values_mut() {
        position.value.get_or_insert(0);
        position.bounds.get_or_insert(Bounds { lower: 0, upper: 0 });
        position.level.get_or_insert(0);
        position.lines.get_or_insert(1);
        position.outcomes.get_or_insert_default();
        for link in &mut position.links {
            link.score.get_or_insert(0);
        }
    }
    let (mut links, mut views) = (0, BTreeSet::new());
    let mut unreached: BTreeSet<_> = book
        .keys()
        .copied()
        .filter(|board| board.board().must_pass())
        .collect();
    for (board, position) in &book {
        let mut linked = BTreeSet::new();
        for link in &position.links {
            let child = board.board().play(link.mv).map(Board::canonical);
            let leads_there = child.filter(|child| book.contains_key(child));
            links += u64::from(leads_there.is_none() || !linked.insert(link.mv));
            unreached.retain(|pass| leads_there != Some(*pass));
        }
        for (mv, child) in board.board().children() {
            let view = child.canonical();
            if book.contains_key(&view) {
                links += u64::from(!linked.contains(&mv));
            } else if child.legal_moves().is_empty()
                && book.contains_key(&child.passed().canonical())
            {
                views.insert(view);
            }
        }
    }
    let mut graph = graph_of(book.into_values());
    let losses = to_egaroucid(&mut graph, &egaroucid(Format::Egbk3, Leaves::Keep)).unwrap();
    assert_eq!(losses.of(Loss::Links), links);
    assert_eq!(losses.of(Loss::AddedViews), views.len() as u64);
    assert_eq!(losses.of(Loss::UnreachablePasses), unreached.len() as u64);
}

/// The result of a book's round trip through `.egbk3`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Way {
    NothingLost,
    LossNamed,
    NoWayBack,
}

/// Unless a loss is reported, nothing is lost, whatever the book.
fn no_loss_unnamed(recipe: &Recipe, seed: u64, one_level: bool) -> Way {
    let boards = recipe.book().into_keys().collect();
    let book = edax_book(&boards, seed, one_level);
    let mut graph = book.clone();
    let losses = to_egaroucid(&mut graph, &egaroucid(Format::Egbk3, Leaves::Keep)).unwrap();
    let mut back = through_a_file(&graph, Format::Egbk3);
    match to_edax(&mut back, &edax(RuleSet::Egaroucid)) {
        Ok(_) if losses.is_empty() => {
            assert_eq!(records(&back), records(&book));
            Way::NothingLost
        }
        Ok(_) => {
            assert_eq!(demands::check(&back).next(), None);
            Way::LossNamed
        }
        Err(error) => {
            assert!(!losses.is_empty(), "{error}");
            Way::NoWayBack
        }
    }
}

/// A nonsense book, or a consistent book with a few nonsense records.
fn more_or_less_nonsense(recipe: &Recipe, seed: u64) -> Graph {
    let mut book = recipe.book();
    let random = &mut Random(seed);
    if random.below(3) > 0 {
        let nonsense = book;
        let sound = edax_book(&closed(recipe), seed, false);
        book = sound.positions().map(|it| (it.board, it)).collect();
        for _ in 0..random.below(3) {
            let place = random.below(nonsense.len().max(1) as u64) as usize;
            let record = nonsense.iter().nth(place);
            book.extend(record.map(|(board, record)| (*board, record.clone())));
        }
    }
    graph_of(book.into_values())
}

/// Converts nonsense to a valid Edax book, or is refused. Returns whether the book is valid.
fn becomes_edax(mut graph: Graph, rules: RuleSet, missing_leaf: MissingLeaf) -> bool {
    let before = records(&graph);
    let options = EdaxOptions {
        missing_leaf,
        ..edax(rules)
    };
    let Ok(losses) = to_edax(&mut graph, &options) else {
        return false;
    };
    assert_eq!(demands::check(&graph).next(), None);
    if rules != RuleSet::Edax {
        let linked = link(&mut graph.clone()).unwrap();
        assert_eq!(linked, LinkReport::default(), "what became a leaf is gone");
    }
    // A book that meets the demands stays as it is, so the other engine's levels are counted again.
    let mut expected = Losses::default();
    let engines = losses.of(Loss::Engines);
    if engines > 0 && records(&graph) == before {
        expected.add(Loss::Engines, engines);
    }
    let mut again = graph.clone();
    let losses = to_edax(&mut again, &edax(RuleSet::Edax)).unwrap();
    assert_eq!(losses, expected);
    assert_eq!(records(&again), records(&graph));
    true
}

/// The random books often meet each condition of the laws below.
#[test]
fn the_books_are_worth_testing() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut count = |what: String| *counts.entry(what).or_default() += 1;
    for (recipe, seed) in samples(&(recipes(), any::<u64>()), 128) {
        count(format!(
            "other ways, nothing lost: {:?}",
            score_of_a_pass(&recipe, seed)
        ));
        count(format!(
            "moves behind passes: {:?}",
            comes_back_recomputed(&recipe, seed)
        ));
        count(format!(
            "{:?}",
            no_loss_unnamed(&recipe, seed, seed % 2 == 0)
        ));
        for rules in [RuleSet::Edax, RuleSet::Egaroucid] {
            for missing_leaf in [MissingLeaf::Demote, MissingLeaf::Stop] {
                let book = more_or_less_nonsense(&recipe, seed);
                let valid = becomes_edax(book, rules, missing_leaf);
                count(format!("{rules:?} {missing_leaf:?} {valid}"));
            }
        }
    }
    // With and without other moves, with and without links of former passes, three results of the round trip, and all
    // combinations of rules, missing leaf and validity.
    assert_eq!(counts.len(), 2 + 2 + 3 + 8, "{counts:#?}");
    assert!(counts.values().all(|count| *count > 3), "{counts:#?}");
}

/// Books for which these laws once failed.
#[test]
fn books_that_once_failed() {
    for (seed, games, kept, branch) in [
        (15795504787497996077, 1, 75, 49),
        (8258338117865352790, 1, 70, 47),
        (14301260727164275548, 3, 80, 39),
        (18016420221474047916, 1, 70, 36),
        (16052972515360447643, 1, 100, 21),
    ] {
        let recipe = Recipe {
            seed,
            games,
            kept,
            branch,
        };
        comes_back(&recipe, 0);
        score_of_a_pass(&recipe, 0);
        no_loss_unnamed(&recipe, 0, false);
        what_will_come_back(&recipe);
    }
}

proptest! {
    /// Law (From one format to another): A consistent Edax book survives a round trip through `.egbk3` and text, record by
    /// record.
    /// Also: `a_book_comes_back_from_text` `cli/tests/program/convert.rs` `edax_books_come_back_from_egbk3`
    #[test]
    fn a_book_comes_back(recipe in recipes(), seed in any::<u64>()) {
        comes_back(&recipe, seed);
    }

    #[test]
    fn the_score_of_a_pass_is_no_move_of_others(recipe in recipes(), seed in any::<u64>()) {
        score_of_a_pass(&recipe, seed);
    }

    /// Law (From one format to another): A book that Egaroucid recomputed can be converted back to Edax; the report names what
    /// changes.
    #[test]
    fn a_book_that_egaroucid_computed_comes_back(recipe in recipes(), seed in any::<u64>()) {
        comes_back_recomputed(&recipe, seed);
    }

    /// A record that doesn't follow from those below it would come back different.
    #[test]
    fn damage_is_named(recipe in recipes(), seed in any::<u64>(), place in any::<prop::sample::Index>(), unlink: bool) {
        let book = edax_book(&closed(&recipe), seed, true);
        let mut positions = records(&book);
        prop_assume!(!positions.is_empty());
        let damaged = place.get_mut(&mut positions);
        let loss = if unlink && damaged.links.pop().is_some() {
            Loss::Links
        } else {
            damaged.value = damaged.value.map(|value| value + 1);
            Loss::Inconsistent
        };
        let mut graph = graph_of(positions);
        let losses = to_egaroucid(&mut graph, &egaroucid(Format::Egbk3, Leaves::Keep)).unwrap();
        prop_assert_ne!(losses.of(loss), 0);
    }

    #[test]
    fn what_a_round_trip_restores_is_counted(recipe in recipes()) {
        what_will_come_back(&recipe);
    }

    /// Law (From one format to another): Every loss is reported.
    /// Also: `what_a_round_trip_restores_is_counted` `damage_is_named`
    #[test]
    fn no_loss_goes_unnamed(recipe in recipes(), seed in any::<u64>(), one_level: bool) {
        no_loss_unnamed(&recipe, seed, one_level);
    }

    #[test]
    fn an_edax_book_stays_as_it_is(recipe in recipes(), seed in any::<u64>()) {
        let boards = recipe.book().into_keys().collect();
        let book = edax_book(&boards, seed, false);
        let mut same = book.clone();
        prop_assert_eq!(to_edax(&mut same, &edax(RuleSet::Edax)).unwrap(), Losses::default());
        prop_assert_eq!(records(&same), records(&book));
    }

    #[test]
    fn other_errors_change_only_numbers(recipe in recipes(), seed in any::<u64>()) {
        let mut expected = edax_book(&recipe.book().into_keys().collect(), seed, false);
        let mut found = expected.clone();
        let new_rules = Scoring::Edax { midgame_error: 5, endcut_error: 4 };
        let options = EdaxOptions { new_rules, ..edax(RuleSet::Edax) };
        prop_assert_eq!(to_edax(&mut found, &options).unwrap(), Losses::default());
        negamax(&mut expected, new_rules);
        prop_assert_eq!(records(&found), records(&expected));
    }

    /// The text format has boards, levels and leaves, from which links and numbers follow.
    #[test]
    fn a_book_comes_back_from_text(recipe in recipes(), seed in any::<u64>()) {
        let boards = recipe.book().into_keys().collect();
        let book = edax_book(&boards, seed, false);
        let mut back = through_a_file(&book, Format::EdaxText);
        prop_assert_eq!(to_edax(&mut back, &edax(RuleSet::Edax)).unwrap(), Losses::default());
        prop_assert_eq!(records(&back), records(&book));
    }

    /// Law (From one format to another): An Edax book is exported with all links and as Edax demands, or refused with the
    /// positions named.
    /// Also: `cli/tests/program/convert.rs` `every_format_becomes_an_edax_book`
    /// `what_edax_would_refuse_is_named_and_not_written`
    #[test]
    fn whatever_becomes_edax_is_valid(recipe in recipes(), seed in any::<u64>(), egaroucid_rules: bool, demote: bool) {
        let rules = if egaroucid_rules { RuleSet::Egaroucid } else { RuleSet::Edax };
        let book = more_or_less_nonsense(&recipe, seed);
        becomes_edax(book, rules, if demote { MissingLeaf::Demote } else { MissingLeaf::Stop });
    }
}

proptest! {
    // Each case writes and reads four books.
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The older formats keep values and pass positions, and `.egbk2` also levels and links.
    #[test]
    fn older_formats_keep_values(recipe in recipes(), seed in any::<u64>()) {
        let boards = recipe.book().into_keys().collect();
        let book = edax_book(&boards, seed, false);
        let expected = records(&book);
        for format in [Format::Egbk, Format::Egbk2] {
            for leaves in [Leaves::Keep, Leaves::AsPositions] {
                let mut graph = book.clone();
                let losses = to_egaroucid(&mut graph, &egaroucid(format, leaves)).unwrap();
                let with_move = |position: &Position| position.leaf.is_some_and(|leaf| leaf.mv.is_some());
                let count = expected.iter().filter(|position| with_move(position)).count() as u64;
                match leaves {
                    Leaves::Keep => prop_assert_eq!(losses.of(Loss::Leaves), count),
                    Leaves::AsPositions => prop_assert_eq!(losses.of(Loss::LeavesAsPositions), count),
                }
                let file = through_a_file(&graph, format);
                for position in &expected {
                    let id = file.find(position.board).unwrap();
                    prop_assert_eq!(file.value(id), position.value);
                    let level = position.level.filter(|_| format == Format::Egbk2);
                    prop_assert_eq!(file.level(id), level);
                    for link in position.links.iter().filter(|link| link.mv != Move::Pass) {
                        let mut links = file.links(id);
                        let found = links.find(|found| found.mv == link.mv);
                        match format {
                            Format::Egbk2 => prop_assert_eq!(found.unwrap().score, link.score),
                            _ => prop_assert_eq!(found, None),
                        }
                    }
                    if let (Leaves::AsPositions, Some(leaf)) = (leaves, position.leaf)
                        && let Some(mv) = leaf.mv
                    {
                        let child = position.board.board().play(mv).unwrap().canonical();
                        prop_assert!(file.find(child).is_some());
                    }
                }
            }
        }
    }
}
