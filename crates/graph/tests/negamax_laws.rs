//! Linking and negamax, compared with recursive definitions, and laws that follow from the definitions.

use obook_graph::Graph;
use obook_graph::link::{LinkReport, link};
use obook_graph::negamax::{Scoring, negamax};
use obook_graph::passes::{drop_passes, lacking_passes};
use obook_othello::{
    Board, Bounds, CanonicalBoard, Leaf, Link, Move, Outcomes, PERSON_LEVEL, Position,
};
use obook_testing::plain_level::plain_search;
use obook_testing::random_book::{Book, Random, Recipe, graph_of, recipes};
use obook_testing::slabs::restore_passes;
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};

const EDAX: Scoring = Scoring::Edax {
    midgame_error: 3,
    endcut_error: 1,
};

/// The book as a linked graph.
fn linked(recipe: &Recipe) -> Graph {
    let mut graph = graph_of(recipe.book().into_values());
    link(&mut graph).unwrap();
    graph
}

fn records(graph: &Graph) -> Vec<Position> {
    graph.positions().collect()
}

/// The moves that are links.
fn plain_links(book: &Book, board: Board) -> Vec<(Move, CanonicalBoard)> {
    board
        .moves()
        .map(|mv| (mv, board.play(mv).unwrap().canonical()))
        .filter(|(_, child)| book.contains_key(child))
        .collect()
}

fn plain_leaf(book: &Book, board: CanonicalBoard) -> Option<Leaf> {
    let links = plain_links(book, board.board());
    book[&board]
        .leaf
        .filter(|leaf| links.iter().all(|(mv, _)| leaf.mv != Some(*mv)))
}

/// Edax's numbers by definition, computed top down.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Plain {
    value: Option<i64>,
    bounds: Option<(i64, i64)>,
    /// Wins, draws, losses.
    outcomes: [u64; 3],
    lines: u64,
}

fn plain_edax(
    book: &Book,
    board: CanonicalBoard,
    known: &mut HashMap<CanonicalBoard, Plain>,
) -> Plain {
    if let Some(plain) = known.get(&board) {
        return *plain;
    }
    let position = &book[&board];
    let mut parts: Vec<Plain> = Vec::new();
    for (_, child) in plain_links(book, board.board()) {
        let child = plain_edax(book, child, known);
        if child.value.is_some() {
            parts.push(Plain {
                value: child.value.map(|value| -value),
                bounds: child.bounds.map(|(lower, upper)| (-upper, -lower)),
                outcomes: [child.outcomes[2], child.outcomes[1], child.outcomes[0]],
                lines: child.lines,
            });
        }
    }
    let childless = plain_links(book, board.board()).is_empty();
    let score = match plain_leaf(book, board) {
        Some(leaf) => Some(i64::from(leaf.score)),
        None if childless => position.value.map(i64::from),
        None => None,
    };
    if let Some(score) = score {
        let empties = board.board().empties() as u8;
        let search = position
            .level
            .map(|level| plain_search(position.engine, level, empties));
        let bounds = search.map(|(depth, probability, to_the_end)| {
            let bias = i64::from(depth % 2) - i64::from(empties % 2);
            match (to_the_end, probability) {
                (true, 100) => (score, score),
                (true, _) => (score - 1, score + 1),
                (false, _) => (score - 3 - bias, score + 3 - bias),
            }
        });
        let mut outcomes = [0; 3];
        if search.is_some_and(|(_, probability, to_the_end)| to_the_end && probability == 100) {
            outcomes[(1 - score.signum()) as usize] = 1;
        }
        parts.push(Plain {
            value: Some(score),
            bounds,
            outcomes,
            lines: 1,
        });
    }
    let bounds: Option<Vec<(i64, i64)>> = parts.iter().map(|part| part.bounds).collect();
    let bounds = bounds.and_then(|bounds| {
        Some((
            bounds.iter().map(|(lower, _)| *lower).max()?,
            bounds.iter().map(|(_, upper)| *upper).max()?,
        ))
    });
    let mut plain = Plain {
        value: parts.iter().filter_map(|part| part.value).max(),
        bounds,
        outcomes: [0, 1, 2].map(|result| parts.iter().map(|part| part.outcomes[result]).sum()),
        lines: parts.iter().map(|part| part.lines).sum(),
    };
    if is_by_a_person(position) {
        plain.value = position.value.map(i64::from).or(plain.value);
        plain.bounds = plain.value.map(|value| (value, value)).or(plain.bounds);
    }
    known.insert(board, plain);
    plain
}

fn is_by_a_person(position: &Position) -> bool {
    position.level.is_some_and(|level| level >= PERSON_LEVEL)
}

/// Egaroucid's value and lines in a book without pass positions, by its documentation.
fn plain_egaroucid(
    book: &Book,
    board: CanonicalBoard,
    edax_compliant: bool,
    known: &mut HashMap<CanonicalBoard, (Option<i64>, u64)>,
) -> (Option<i64>, u64) {
    if let Some(plain) = known.get(&board) {
        return *plain;
    }
    let position = &book[&board];
    let (mut best, mut lines, mut linked) = (None, 1, BTreeSet::new());
    for mv in board.board().moves().filter(|mv| *mv != Move::Pass) {
        let child = board.board().play(mv).unwrap();
        let over_elsewhere = child.is_over() && !book.contains_key(&child.canonical());
        let (seen, sign) = if child.must_pass() || over_elsewhere {
            (child.passed().canonical(), 1)
        } else {
            (child.canonical(), -1)
        };
        if book.contains_key(&seen) {
            let (value, below) = plain_egaroucid(book, seen, edax_compliant, known);
            best = best.max(value.map(|value| sign * value));
            lines += below;
            linked.insert(mv);
        }
    }
    if let Some(Leaf {
        mv: Some(mv),
        score,
        ..
    }) = position.leaf
        && edax_compliant
        && !linked.contains(&mv)
    {
        best = best.max(Some(score.into()));
    }
    let own = position.value.map(i64::from);
    let value = if is_by_a_person(position) {
        own.or(best)
    } else {
        best.or(own)
    };
    let plain = (value, lines);
    known.insert(board, plain);
    plain
}

proptest! {
    /// Law (Numbers): Linking finds every child, and drops links that lead nowhere.
    /// Also: `link_reports_what_it_does`
    #[test]
    fn link_finds_every_child(recipe in recipes()) {
        let book = recipe.book();
        let graph = linked(&recipe);
        for (board, position) in &book {
            let id = graph.find(*board).unwrap();
            let found: BTreeSet<(Move, CanonicalBoard)> =
                graph.links(id).map(|link| (link.mv, graph.board(link.child.unwrap()))).collect();
            let plain: BTreeSet<_> = plain_links(&book, board.board()).into_iter().collect();
            prop_assert_eq!(&found, &plain);
            prop_assert_eq!(graph.links(id).len(), found.len(), "no move twice");
            prop_assert_eq!(graph.leaf(id), plain_leaf(&book, *board));
            for link in graph.links(id) {
                let given = position.links.iter().find(|given| given.mv == link.mv);
                let value = graph.value(link.child.unwrap());
                let score = given.map_or(value.map(|value| -value as i8), |given| given.score);
                prop_assert_eq!(link.score, score);
            }
        }
    }

    #[test]
    fn link_reports_what_it_does(recipe in recipes()) {
        let book = recipe.book();
        let mut graph = graph_of(book.values().cloned());
        let report = link(&mut graph).unwrap();
        let mut expected = LinkReport::default();
        for (board, position) in &book {
            let right: BTreeSet<Move> =
                plain_links(&book, board.board()).into_iter().map(|(mv, _)| mv).collect();
            let given: BTreeSet<Move> = position.links.iter().map(|link| link.mv).collect();
            let kept = given.intersection(&right).count();
            expected.added += (right.len() - kept) as u64;
            expected.removed += (position.links.len() - kept) as u64;
            expected.leaves_dropped +=
                u64::from(position.leaf.is_some() && plain_leaf(&book, *board).is_none());
        }
        prop_assert_eq!(report, expected);
        let once = records(&graph);
        prop_assert_eq!(link(&mut graph).unwrap(), LinkReport::default());
        prop_assert_eq!(records(&graph), once);
    }

    /// Law (Numbers): Numbers follow from leaves and links as defined, for Edax's rules and both of Egaroucid's.
    /// Also: `egaroucid_rules_are_their_definition`
    #[test]
    fn edax_rules_are_their_definition(recipe in recipes()) {
        let book = recipe.book();
        let mut graph = linked(&recipe);
        negamax(&mut graph, EDAX);
        let mut known = HashMap::new();
        for position in graph.positions() {
            let plain = plain_edax(&book, position.board, &mut known);
            let [wins, draws, losses] = plain.outcomes.map(|count| count as u32);
            prop_assert_eq!(position.value.map(i64::from), plain.value);
            let bounds = plain.bounds.map(|(lower, upper)| Bounds {
                lower: lower as i16,
                upper: upper as i16,
            });
            prop_assert_eq!(position.bounds, bounds);
            prop_assert_eq!(position.outcomes, Some(Outcomes { wins, draws, losses }));
            prop_assert_eq!(position.lines, Some(plain.lines as u32));
            for Link { mv, score } in &position.links {
                let child = position.board.board().play(*mv).unwrap().canonical();
                prop_assert_eq!(score.map(i64::from), known[&child].value.map(|value| -value));
            }
            prop_assert!(position.links.is_sorted_by(|a, b| a.score >= b.score));
        }
    }

    #[test]
    fn egaroucid_rules_are_their_definition(recipe in recipes(), edax_compliant in any::<bool>()) {
        let book = recipe.book_without_passes();
        let mut graph = graph_of(book.values().cloned());
        restore_passes(&mut graph);
        link(&mut graph).unwrap();
        negamax(&mut graph, Scoring::Egaroucid { edax_compliant });
        let (before, restored) = (graph.len(), graph.pass_ids().count());
        drop_passes(&mut graph).unwrap();
        prop_assert_eq!(before - graph.len(), restored);
        let mut known = HashMap::new();
        for board in book.keys() {
            let id = graph.find(*board).unwrap();
            let (value, lines) = plain_egaroucid(&book, *board, edax_compliant, &mut known);
            prop_assert_eq!(graph.value(id).map(i64::from), value);
            prop_assert_eq!(graph.lines(id).map(u64::from), Some(lines));
        }
    }

    #[test]
    fn restored_passes_are_their_definition(recipe in recipes(), new in any::<u64>()) {
        let book = recipe.book_without_passes();
        let is_new = |board: CanonicalBoard| new >> (board.board().player() % 61) & 1 != 0;
        let mut expected = BTreeSet::new();
        for parent in book.keys() {
            for square in parent.board().legal_moves() {
                let child = parent.board().after(square);
                let other = child.passed().canonical();
                let is_missing = child.legal_moves().is_empty()
                    && book.contains_key(&other)
                    && !book.contains_key(&child.canonical());
                if is_missing && (is_new(*parent) || is_new(other)) {
                    expected.insert(child.canonical());
                }
            }
        }
        let graph = graph_of(book.values().cloned());
        let mut restored = Graph::builder();
        lacking_passes(&graph, is_new, &mut restored);
        let restored = restored.finish().unwrap().0;
        let restored: BTreeSet<_> = restored.ids().map(|id| restored.board(id)).collect();
        prop_assert_eq!(restored, expected);
    }

    /// Law (Numbers): Recomputing, reordering records and adding weaker duplicates change nothing.
    /// Also: `order_and_weaker_duplicates_change_nothing`
    #[test]
    fn negamax_again_changes_nothing(recipe in recipes(), rules in any_rules()) {
        let mut graph = linked(&recipe);
        negamax(&mut graph, rules);
        let once = records(&graph);
        negamax(&mut graph, rules);
        prop_assert_eq!(records(&graph), once);
    }

    #[test]
    fn wiped_numbers_come_back(recipe in recipes()) {
        let mut graph = linked(&recipe);
        negamax(&mut graph, EDAX);
        let once = records(&graph);
        let wiped = once.iter().cloned().map(|mut position| {
            // Without a link or leaf the value comes from a search or a person, and can't be derived.
            let derived = !position.links.is_empty() || position.leaf.is_some();
            let derived = derived && !is_by_a_person(&position);
            position.value = position.value.filter(|_| !derived);
            (position.bounds, position.outcomes, position.lines) = (None, None, None);
            position.links.clear();
            position
        });
        let mut graph = graph_of(wiped);
        link(&mut graph).unwrap();
        negamax(&mut graph, EDAX);
        let by_move = |mut position: Position| {
            position.links.sort_by_key(|link| link.mv);
            position
        };
        prop_assert_eq!(
            graph.positions().map(by_move).collect::<Vec<_>>(),
            once.into_iter().map(by_move).collect::<Vec<_>>()
        );
    }

    #[test]
    fn order_and_weaker_duplicates_change_nothing(recipe in recipes(), seed in any::<u64>()) {
        let mut graph = linked(&recipe);
        negamax(&mut graph, EDAX);
        let random = &mut Random(seed);
        let mut positions: Vec<Position> = recipe.book().into_values().collect();
        for place in 0..positions.len() {
            let mut weaker = positions[place].clone();
            // A record without a value is weaker, whatever its level.
            let Some(level) = weaker.level.filter(|_| weaker.value.is_some() && random.below(3) == 0) else { continue };
            weaker.level = level.checked_sub(1 + random.below(5) as u8);
            weaker.value = Some(99);
            weaker.leaf = None;
            positions.push(weaker);
        }
        random.shuffle(&mut positions);
        let mut other = graph_of(positions);
        link(&mut other).unwrap();
        negamax(&mut other, EDAX);
        prop_assert_eq!(records(&other), records(&graph));
    }
}

fn any_rules() -> impl Strategy<Value = Scoring> {
    prop_oneof![
        Just(EDAX),
        any::<bool>().prop_map(|edax_compliant| Scoring::Egaroucid { edax_compliant }),
    ]
}
