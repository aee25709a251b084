//! Laws of cutting, on random books by the rules of both engines.

use obook::check::verify;
use obook::write::cut::{Cut, Losses, cut, drop_links};
use obook::write::{KEPT, Target};
use obook::{Book, BookHeader, Context, Error, IfExists, NewBook, Store, StoreError};
use obook_converters::Header;
use obook_graph::link::{LinkReport, link};
use obook_graph::mapping::demands;
use obook_graph::negamax::{Scoring as Negamax, count_inconsistent, negamax};
use obook_graph::slabs::Slabs;
use obook_graph::{Graph, NodeId};
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Line, Link, Position, RuleSet};
use obook_testing::consistent_book::{RULES, closed, edax_book, records};
use obook_testing::golden;
use obook_testing::random_book::{Random, bush, graph_of, recipes};
use obook_testing::samples::samples;
use obook_testing::slabs::restore_passes;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A book with its rules: linked and computed.
#[derive(Debug)]
pub(super) struct Computed {
    pub(super) graph: Graph,
    pub(super) rules: RuleSet,
}

pub(super) const ALL_RULES: [RuleSet; 3] =
    [RuleSet::Edax, RuleSet::Egaroucid, RuleSet::EgaroucidEdax];

fn numbers(rules: RuleSet) -> Negamax {
    match rules {
        RuleSet::Edax => RULES,
        RuleSet::Egaroucid | RuleSet::EgaroucidEdax => Negamax::Egaroucid {
            edax_compliant: rules == RuleSet::EgaroucidEdax,
        },
    }
}

pub(super) fn books() -> impl Strategy<Value = Computed> {
    let trunks = prop_oneof![0..4usize, 0..60usize, 48..60usize];
    let boards = prop_oneof![
        recipes().prop_map(|recipe| closed(&recipe)),
        (any::<u64>(), trunks, 1..5usize)
            .prop_map(|(seed, trunk, height)| { bush(&mut Random(seed), trunk, height) }),
    ];
    (boards, any::<u64>(), prop::sample::select(&ALL_RULES)).prop_map(|(boards, seed, rules)| {
        let graph = if rules == RuleSet::Edax {
            edax_book(&boards, seed, false)
        } else {
            egaroucid_book(&boards, rules, &mut Random(seed))
        };
        Computed { graph, rules }
    })
}

/// A possible book by Egaroucid of these boards: no passes, and only one view of each finished game.
fn egaroucid_book(boards: &BTreeSet<CanonicalBoard>, rules: RuleSet, random: &mut Random) -> Graph {
    let mut positions = Vec::new();
    for board in boards.iter().filter(|board| !board.board().must_pass()) {
        let board = match board.board() {
            over if over.is_over() && random.below(2) == 0 => over.passed().canonical(),
            _ => *board,
        };
        let score = |random: &mut Random| (random.below(21) as i8) - 10;
        let mut position = Position::new(board, Engine::Egaroucid);
        position.value = Some(score(random).into());
        position.level = Some(random.below(61) as u8);
        let moves: Vec<_> = board.board().moves().collect();
        if board.board().is_over() {
            position.value = Some(board.board().final_score().into());
        } else if random.below(2) == 0 {
            position.leaf = Some(Leaf {
                mv: Some(moves[random.below(moves.len() as u64) as usize]),
                score: score(random),
                level: Some(random.below(61) as u8),
                engine: Engine::Egaroucid,
            });
        }
        positions.push(position);
    }
    let mut graph = graph_of(positions);
    restore_passes(&mut graph);
    link(&mut graph).unwrap();
    negamax(&mut graph, numbers(rules));
    graph
}

/// A random cut from the start position.
pub(super) fn cuts() -> impl Strategy<Value = (Cut, u64)> {
    let depth = || 0..=60u8;
    let from = Line::new;
    let how = prop_oneof![
        prop::option::of(depth()).prop_map(|depth| Cut::Prune { depth }),
        prop::option::of(depth()).prop_map(move |depth| Cut::Subtree {
            from: from(),
            depth
        }),
        Just(Cut::Reachable),
        (depth(), prop_oneof![0..20u8, Just(128)], any::<u8>()).prop_map(
            move |(depth, per_move, per_line)| Cut::Reduce {
                from: from(),
                depth,
                losses: Losses { per_move, per_line },
            }
        ),
        depth().prop_map(Cut::Depth),
    ];
    (how, any::<u64>())
}

/// The same cut from the end of a random line of the book, half of the time at a depth that the book reaches.
pub(super) fn fitted(mut how: Cut, graph: &Graph, seed: u64) -> Cut {
    let random = &mut Random(seed);
    if let Cut::Reduce { depth, .. } | Cut::Depth(depth) = &mut how
        && random.below(2) == 0
        && !graph.is_empty()
    {
        let place = random.below(graph.len() as u64) as usize;
        *depth = plies(graph, graph.ids().nth(place).unwrap());
    }
    let mut line = Line::new();
    for _ in 0..random.below(60) {
        let in_book = |board: Board| graph.find(board.canonical()).is_some();
        let moves: Vec<_> = line
            .board()
            .moves()
            .filter(|mv| in_book(line.board().play(*mv).unwrap()))
            .collect();
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.below(moves.len() as u64) as usize];
        line.push(mv).unwrap();
    }
    if let Cut::Subtree { from, .. } | Cut::Reduce { from, .. } = &mut how {
        *from = line;
    }
    how
}

fn plies(graph: &Graph, id: NodeId) -> u8 {
    60 - graph.board(id).board().empties() as u8
}

/// Walks every path from `id`. One side plays any link, the other one only the best, or both play any.
fn walk(graph: &Graph, id: NodeId, depth: u8, any: [bool; 2], met: &mut BTreeSet<NodeId>) {
    if plies(graph, id) > depth {
        return;
    }
    met.insert(id);
    for link in graph.links(id) {
        let best = link.score.is_some() && link.score.map(i16::from) >= graph.value(id);
        if any[0] || best {
            walk(graph, link.child.unwrap(), depth, [any[1], any[0]], met);
        }
    }
}

/// Walks every path from `id` whose moves lose no more than the limits.
fn walk_losing(
    graph: &Graph,
    id: NodeId,
    depth: u8,
    per_move: i32,
    left: i32,
    met: &mut BTreeSet<NodeId>,
) {
    met.insert(id);
    for link in graph.links(id) {
        let (Some(score), Some(value)) = (link.score, graph.value(id)) else {
            continue;
        };
        let loss = i32::from(value) - i32::from(score);
        let child = link.child.unwrap();
        if loss <= per_move && loss <= left && plies(graph, child) <= depth {
            walk_losing(graph, child, depth, per_move, left - loss, met);
        }
    }
}

/// The kept positions by definition, path by path.
fn by_definition(how: &Cut, book: &Computed, book_depth: u8) -> BTreeSet<NodeId> {
    let graph = &book.graph;
    let mut met = BTreeSet::new();
    let at = |line: &Line| graph.find(line.board().canonical()).unwrap();
    let start = Line::new();
    match how {
        Cut::Prune { depth } => {
            let depth = depth.unwrap_or(book_depth);
            for any in [[true, false], [false, true]] {
                walk(graph, at(&start), depth, any, &mut met);
            }
        }
        Cut::Subtree { from, depth } => {
            let depth = depth.unwrap_or(book_depth);
            walk(graph, at(from), depth, [true; 2], &mut met);
        }
        Cut::Reachable => walk(graph, at(&start), 60, [true; 2], &mut met),
        Cut::Reduce {
            from,
            depth,
            losses,
        } => {
            let mut reachable = BTreeSet::new();
            walk(graph, at(from), 60, [true; 2], &mut reachable);
            met.extend(graph.ids().filter(|id| !reachable.contains(id)));
            let (per_move, per_line) = (losses.per_move.into(), losses.per_line.into());
            walk_losing(graph, at(from), *depth, per_move, per_line, &mut met);
        }
        Cut::Depth(depth) => met.extend(graph.ids().filter(|id| plies(graph, *id) <= *depth)),
    }
    if book.rules != RuleSet::Edax {
        // Egaroucid treats both views of a finished game as one position.
        let linked = met.iter().flat_map(|id| graph.links(*id));
        let views: Vec<NodeId> = linked
            .filter_map(|link| link.child)
            .filter(|child| graph.board(*child).board().legal_moves().is_empty())
            .filter(|child| {
                let other = graph.board(*child).board().passed().canonical();
                graph.find(other).is_some_and(|other| met.contains(&other))
            })
            .collect();
        met.extend(views);
    }
    met
}

/// The book without the removed positions, computed.
fn without(book: &Computed, kept: &[bool]) -> Computed {
    let mut graph = book.graph.clone();
    drop_links(&mut graph, kept, book.rules);
    let none = graph_of([]);
    graph.revise(|_, id| kept[id.index()], &none).unwrap();
    negamax(&mut graph, numbers(book.rules));
    Computed {
        graph,
        rules: book.rules,
    }
}

/// The same by definition: the first of the best links to removed positions becomes the leaf if it beats the present one.
fn plainly_without(book: &Computed, kept: &[bool]) -> Computed {
    let by_board: BTreeMap<CanonicalBoard, Position> = book
        .graph
        .positions()
        .map(|position| (position.board, position))
        .collect();
    let stays = |board: &CanonicalBoard| {
        let id = book.graph.find(*board);
        id.is_some_and(|id| kept[id.index()])
    };
    let mut positions = Vec::new();
    for mut position in by_board.values().filter(|it| stays(&it.board)).cloned() {
        let board = position.board.board();
        let child = |mv| board.play(mv).unwrap().canonical();
        let (staying, going): (Vec<Link>, Vec<Link>) = position
            .links
            .iter()
            .copied()
            .partition(|link| stays(&child(link.mv)));
        let best = going.iter().filter_map(|link| link.score).max();
        let best = going
            .iter()
            .find(|link| link.score.is_some() && link.score == best);
        let beaten = position.leaf.map(|leaf| leaf.score);
        if let Some(Link { mv, score }) = best
            && *score > beaten
        {
            let child = &by_board[&child(*mv)];
            position.leaf = Some(Leaf {
                mv: Some(*mv),
                score: score.unwrap(),
                level: child.level,
                engine: child.engine,
            });
            // By Edax's rules a position has the level of its leaf, unless the leaf was entered by hand.
            let levels = [child.level, position.level];
            if book.rules == RuleSet::Edax && child.level.is_some() && !levels.contains(&Some(70)) {
                (position.level, position.engine) = (child.level, child.engine);
            }
        }
        position.links = staying.into_iter().collect();
        positions.push(position);
    }
    let mut graph = graph_of(positions);
    negamax(&mut graph, numbers(book.rules));
    Computed {
        graph,
        rules: book.rules,
    }
}

fn has_start(book: &Computed) -> bool {
    book.graph.find(Board::START.canonical()).is_some()
}

/// The part of the book that the cut keeps; `None` if it is refused, as it must be.
fn kept(how: &Cut, book: &Computed, book_depth: u8) -> Option<Vec<bool>> {
    let mut slabs = Slabs::from(book.graph.clone());
    let path = Path::new("book");
    match how.choose(path, &mut slabs, book.rules, Some(book_depth.into())) {
        Ok(()) => {
            let mut kept = None;
            slabs.scan(|slab| kept = Some(slab.marked(KEPT))).unwrap();
            kept
        }
        Err(Error::Store(StoreError::Unfit { problem, .. })) => {
            assert!(!has_start(book));
            assert_eq!(problem, "the start position is not in the book");
            None
        }
        Err(Error::TooDeep { plies, depth, .. }) => {
            assert!(plies > depth);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Opens a book for writing.
fn writing(path: &Path) -> Store {
    Store::open_for_writing(path, &Context::new("test")).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// Law (Changes): A cut follows its definition by paths, and what stays keeps its value; a second changes nothing, and
    /// databases stay consistent.
    /// Also: `what_stays_keeps_its_value` `cutting_twice_changes_nothing` `databases_stay_sound`
    #[test]
    fn marking_is_what_paths_define(book in books(), (how, seed) in cuts(), book_depth in 0..=60u8) {
        let how = fitted(how, &book.graph, seed);
        if let Some(kept) = kept(&how, &book, book_depth) {
            let kept: BTreeSet<NodeId> = book.graph.ids().filter(|id| kept[id.index()]).collect();
            prop_assert_eq!(kept, by_definition(&how, &book, book_depth));
        }
    }

    /// By rules that count leaves, all values stay. By Edax's rules, its demands are still met.
    #[test]
    fn what_stays_keeps_its_value(book in books(), (how, seed) in cuts(), book_depth in 0..=60u8) {
        let how = fitted(how, &book.graph, seed);
        let Some(kept) = kept(&how, &book, book_depth) else { return Ok(()) };
        let mut after = without(&book, &kept);
        prop_assert_eq!(after.graph.len(), kept.iter().filter(|it| **it).count());
        prop_assert_eq!(records(&after.graph), records(&plainly_without(&book, &kept).graph));
        for id in after.graph.ids() {
            let before = book.graph.find(after.graph.board(id)).unwrap();
            prop_assert!(kept[before.index()]);
            let pass = after.graph.board(id).board().must_pass();
            let counted = book.rules == RuleSet::Edax || book.rules == RuleSet::EgaroucidEdax && !pass;
            if counted || after.graph.links(id).len() == 0 {
                prop_assert_eq!(after.graph.value(id), book.graph.value(before));
            }
        }
        prop_assert_eq!(count_inconsistent(&after.graph, numbers(book.rules)), 0);
        prop_assert_eq!(link(&mut after.graph).unwrap(), LinkReport::default());
        if book.rules == RuleSet::Edax {
            prop_assert_eq!(demands::check(&after.graph).count(), 0);
        } else {
            prop_assert!(restore_passes(&mut after.graph).is_empty());
        }
    }

    #[test]
    fn cutting_twice_changes_nothing(book in books(), (how, seed) in cuts(), book_depth in 0..=60u8) {
        let how = fitted(how, &book.graph, seed);
        // If values change because leaves don't count, so do losses.
        prop_assume!(book.rules != RuleSet::Egaroucid);
        let Some(once) = kept(&how, &book, book_depth) else { return Ok(()) };
        let after = without(&book, &once);
        let twice = kept(&how, &after, book_depth).unwrap();
        prop_assert_eq!(&twice, &vec![true; after.graph.len()]);
        prop_assert_eq!(records(&without(&after, &twice).graph), records(&after.graph));
    }
}

/// Every kind of cut removes something and keeps something, by all rules, and some are refused.
#[test]
fn the_cuts_are_worth_testing() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut count = |what: String| *counts.entry(what).or_default() += 1;
    for (book, (how, seed), book_depth) in samples(&(books(), cuts(), 0..=60u8), 600) {
        let how = fitted(how, &book.graph, seed);
        let name = format!("{how:?}");
        let name = name.split([' ', '(']).next().unwrap();
        match kept(&how, &book, book_depth) {
            None => count(format!("{name} refused")),
            Some(kept) if !kept.contains(&true) => count(format!("{name} keeps nothing")),
            Some(kept) if !kept.contains(&false) => count(format!("{name} keeps all")),
            Some(_) => count(format!("{name} {:?}", book.rules)),
        }
    }
    for name in ["Prune", "Subtree", "Reachable", "Reduce", "Depth"] {
        for rules in ALL_RULES {
            let met = counts.get(&format!("{name} {rules:?}"));
            assert!(met.is_some_and(|count| *count > 5), "{counts:#?}");
        }
    }
    for name in ["Prune", "Subtree", "Reachable", "Reduce"] {
        let refused = counts.get(&format!("{name} refused"));
        assert!(refused.is_some_and(|count| *count > 0), "{counts:#?}");
    }
}

/// A real book of the first plies has many ways to the same position.
#[test]
fn marking_agrees_with_paths_in_a_real_book() {
    let (_, positions) = golden::book("small.dat");
    let mut graph = graph_of(positions);
    negamax(&mut graph, RULES);
    let book = Computed {
        graph,
        rules: RuleSet::Edax,
    };
    let from: Line = "f5d6".parse().unwrap();
    let reduce = |(per_move, per_line)| Cut::Reduce {
        from: Line::new(),
        depth: 9,
        losses: Losses { per_move, per_line },
    };
    let mut cuts: Vec<Cut> = [(0, 9), (2, 1), (2, 3), (3, 5), (5, 2)].map(reduce).into();
    cuts.push(Cut::Prune { depth: None });
    cuts.push(Cut::Subtree { from, depth: None });
    for how in cuts {
        let kept = kept(&how, &book, 8).unwrap();
        let kept: BTreeSet<NodeId> = book.graph.ids().filter(|id| kept[id.index()]).collect();
        assert_eq!(kept, by_definition(&how, &book, 8), "{how:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// In a database the result is the same as in memory, and verify finds nothing.
    #[test]
    fn databases_stay_sound(book in books(), (how, seed) in cuts(), book_depth in 0..=60u8) {
        let how = fitted(how, &book.graph, seed);
        let Some(kept) = kept(&how, &book, book_depth) else { return Ok(()) };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        let new = NewBook::create(&path, IfExists::Refuse, &Context::new("import")).unwrap();
        let mut header = Header {
            level: Some(21),
            midgame_error: Some(2),
            endcut_error: Some(1),
            ..Header::default()
        };
        header.set_depth(book_depth.into());
        new.set_header(&BookHeader { rules: book.rules, format: None, header }).unwrap();
        new.fill(|| Ok(book.graph.positions().map(Ok))).unwrap();
        new.commit(&()).unwrap();
        let context = Context::default();
        let sound = || verify(&Book::open(&path, &context).unwrap(), 3, &context).unwrap();
        prop_assert!(sound().is_sound(), "{:?}", sound());

        let dry = cut(Target::DryRun(&Book::open(&path, &Context::new("test")).unwrap()), &how, &Context::new("test")).unwrap();
        let done = cut(Target::InPlace(&mut writing(&path)), &how, &Context::new("test")).unwrap();
        prop_assert_eq!((dry.counts, dry.rewritten.changed), (done.counts, done.rewritten.changed));
        prop_assert!(sound().is_sound(), "{:?}", sound());
        let read = Book::open(&path, &Context::default()).unwrap().records().unwrap().map(Result::unwrap);
        let expected = plainly_without(&book, &kept);
        prop_assert_eq!(records(&graph_of(read)), records(&expected.graph));

        // With no depth to change and nothing to remove, nothing is written.
        let bytes = std::fs::read(&path).unwrap();
        if book.rules != RuleSet::Egaroucid {
            let again = cut(Target::InPlace(&mut writing(&path)), &how, &Context::new("test")).unwrap();
            prop_assert_eq!(again.counts.removed, 0);
            prop_assert_eq!(std::fs::read(&path).unwrap(), bytes);
        }
    }
}
