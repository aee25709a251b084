//! Best first by its definition, path by path, and with an owner's games.

use super::made_up::made_up;
use super::waves::grow;
use obook_graph::Graph;
use obook_graph::negamax::Scoring;
use obook_learn::{Chosen, Played, Rule, Setting, Want};
use obook_othello::levels::{Effort, Strength, of_leaf};
use obook_othello::{Board, CanonicalBoard, Engine, Line, Position};
use obook_testing::growing::{Growing, Stage};
use obook_testing::samples::samples;
use obook_testing::slabs::in_all_ways;
use proptest::prelude::*;
use std::collections::BTreeMap;

type Book = BTreeMap<CanonicalBoard, Position>;

/// A book that has grown from the start position.
#[derive(Debug)]
struct Grown {
    graph: Graph,
    book: Book,
    stage: Stage,
}

fn grown() -> impl Strategy<Value = Grown> {
    let rules = prop_oneof![
        (1..6u8, 2..8u8).prop_map(|(relative, absolute)| Rule::Deviate { relative, absolute }),
        Just(Rule::Extend),
        Just(Rule::Play),
    ];
    (rules, 1..30u64, 0..24u8, 0..24u8, 3..60u8).prop_map(|(rule, turns, before, level, depth)| {
        let stage = |level| Stage {
            root: Board::START.canonical(),
            scoring: Scoring::Edax {
                midgame_error: 2,
                endcut_error: 1,
            },
            depth,
            level,
            engine: Engine::Edax,
        };
        let mut growing = Growing::new([], stage(before));
        grow(
            &mut growing,
            &rule,
            &Played::NOTHING,
            turns.min(if rule == Rule::Play { 30 } else { 6 }),
            &mut made_up,
        );
        let graph = growing.graph();
        let book = graph.positions().map(|it| (it.board, it)).collect();
        Grown {
            graph,
            book,
            stage: stage(level),
        }
    })
}

fn uncertainty(engine: Engine, level: Option<u8>, empties: u32) -> f64 {
    let without = 1.7 + 0.13 * f64::from(57_i32.saturating_sub(empties.cast_signed()).max(0));
    let Some(level) = level else { return without };
    let search = Effort::new(engine, level, empties as u8);
    match search.to_the_end {
        true => f64::from(100 - search.probability) / 25.0,
        false => without * 0.925_f64.powf(f64::from(search.depth)),
    }
}

fn work(level: u8, empties: u32) -> f64 {
    let search = Effort::new(Engine::Edax, level, empties as u8);
    let depth = f64::from(search.depth);
    let doublings = match (search.to_the_end, search.probability) {
        (true, probability) => depth * (0.75 + 0.4 * f64::from(probability) / 100.0),
        (false, 100) => 4.0 + 1.5 * depth,
        (false, _) => 9.3 + 0.63 * depth,
    };
    2_f64.powf(doublings)
}

/// A move's loss, the uncertainty of its score, its child, and whether it is a link.
struct Way {
    loss: f64,
    off: f64,
    child: Option<CanonicalBoard>,
    link: bool,
}

fn ways(grown: &Grown, position: &Position) -> Vec<Way> {
    let board = position.board.board();
    let value = f64::from(position.value.unwrap());
    let links = position.links.iter().filter_map(|link| {
        let child = grown.book.get(&board.play(link.mv)?.canonical())?;
        Some(Way {
            loss: value + f64::from(child.value?),
            off: uncertainty(Engine::Edax, Some(grown.stage.level), board.empties()),
            child: Some(child.board),
            link: true,
        })
    });
    let leaf = position.leaf.map(|leaf| Way {
        loss: value - f64::from(leaf.score),
        off: off_of_leaf(position),
        child: leaf.mv.and_then(|mv| Some(board.play(mv)?.canonical())),
        link: false,
    });
    links.chain(leaf).collect()
}

fn off_of_leaf(position: &Position) -> f64 {
    match position.leaf.filter(|leaf| leaf.mv.is_some()) {
        Some(leaf) => {
            let level = of_leaf(leaf, position.level, position.engine);
            uncertainty(leaf.engine, level, position.board.board().empties())
        }
        None => 0.0,
    }
}

/// The influence of each leaf below a position on its best line, with either side erring.
fn below(
    grown: &Grown,
    board: CanonicalBoard,
    influence: f64,
    errs: bool,
    leaves: &mut BTreeMap<CanonicalBoard, f64>,
) {
    let position = &grown.book[&board];
    let deepest = 61 - u32::from(grown.stage.depth.min(61));
    if board.board().empties() < deepest || board.board().is_over() {
        return;
    }
    for way in ways(grown, position) {
        let part = match errs {
            true => (-way.loss / (0.8 * way.off.max(0.25))).exp(),
            false if way.loss > 0.0 => continue,
            false => 1.0,
        };
        let influence = influence * 0.95 * part;
        if way.link {
            below(grown, way.child.unwrap(), influence, !errs, leaves);
        } else {
            let greatest = leaves.entry(board).or_default();
            *greatest = influence.max(*greatest);
        }
    }
}

/// The wants of a player of these lines, with priorities.
fn wanted(grown: &Grown, least: f64, lines: &[Line]) -> BTreeMap<CanonicalBoard, (Want, f64)> {
    let mut leaves = BTreeMap::new();
    let mut begin = BTreeMap::<CanonicalBoard, f64>::new();
    for line in lines {
        for (board, _) in line.positions() {
            *begin.entry(board.canonical()).or_default() += 1.0 / lines.len() as f64;
        }
    }
    begin.insert(grown.stage.root, 1.0);
    for (board, share) in begin {
        if grown.book.contains_key(&board) {
            for errs in [true, false] {
                below(grown, board, share, errs, &mut leaves);
            }
        }
    }
    let mut wanted: BTreeMap<CanonicalBoard, (Want, f64)> = BTreeMap::new();
    for (board, influence) in leaves {
        let position = &grown.book[&board];
        let (leaf, empties) = (position.leaf.unwrap(), board.board().empties());
        let off = off_of_leaf(position);
        if influence * off < least {
            continue;
        }
        let level = grown.stage.level;
        let mut ways = Vec::new();
        if let Some(child) = leaf.mv.and_then(|mv| board.board().play(mv))
            && !grown.book.contains_key(&child.canonical())
        {
            let work = work(level, empties) + work(level, empties - 1);
            ways.push((child.canonical(), Want::Position, influence * off / work));
        }
        let found = of_leaf(leaf, position.level, position.engine);
        let strength = |engine, level| Strength::new(engine, level, empties as u8);
        if strength(Engine::Edax, Some(level)).searches_more_than(strength(leaf.engine, found)) {
            let left = uncertainty(Engine::Edax, Some(level), empties);
            let gain = (off * off - left * left).max(0.0).sqrt();
            ways.push((board, Want::Leaf, influence * gain / work(level, empties)));
        }
        if let Some((board, want, priority)) = ways.into_iter().max_by(|a, b| a.2.total_cmp(&b.2)) {
            let greatest = &mut wanted.entry(board).or_insert((want, 0.0)).1;
            *greatest = priority.max(*greatest);
        }
    }
    wanted
}

fn choose(grown: &Grown, least: f64, played: &Played) -> Vec<Chosen> {
    let setting = Setting {
        played,
        ..grown.stage.setting(0)
    };
    let rule = Rule::BestFirst { least };
    in_all_ways(&mut grown.graph.clone(), |book| rule.choose(book, &setting)).unwrap()
}

fn is_about(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * a.abs().max(b.abs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Law (Rules of growth): Best first follows its formula; stored games are in the book.
    /// Also: `games_that_are_stored_are_in_the_book`
    #[test]
    fn best_first_chooses_by_its_formula(
        grown in grown(),
        least in prop_oneof![Just(0.0), 0.0..1.0],
        games in prop::collection::vec(any::<u64>(), 0..4),
    ) {
        let lines: Vec<Line> = games.iter().map(|seed| random_line(*seed, 6)).collect();
        let chosen = choose(&grown, least, &Played::in_lines(lines.clone()));
        let mut wanted = wanted(&grown, least, &lines);
        let highest = wanted.values().map(|it| it.1).fold(0.0, f64::max);
        let most = wanted.len();
        let mut lowest = f64::INFINITY;
        for it in &chosen {
            let (want, priority) = wanted.remove(&it.board).unwrap();
            prop_assert_eq!(it.want, want);
            prop_assert!(is_about(it.priority, priority), "{} {}", it.priority, priority);
            lowest = lowest.min(priority);
        }
        let along = (grown.book.len() / 64).min(most);
        let part = (grown.book.len() as f64).powf(-0.4).min(0.2);
        prop_assert!(chosen.len() >= along);
        prop_assert!(chosen.len() == along || lowest > 0.9999 * part * highest);
        for (_, priority) in wanted.values() {
            prop_assert!(*priority < 1.0001 * part * highest && *priority <= lowest * 1.0001);
        }
    }

    #[test]
    fn games_that_are_stored_are_in_the_book(
        moves in prop::collection::vec((any::<u64>(), 1..20usize), 1..6),
        best: bool,
        depth in 4..30u8,
    ) {
        let lines: Vec<Line> = moves.iter().map(|(seed, length)| random_line(*seed, *length)).collect();
        let played = Played::in_lines(lines.clone());
        let stage = Stage {
            root: Board::START.canonical(),
            scoring: Scoring::Edax { midgame_error: 2, endcut_error: 1 },
            depth,
            level: 1,
            engine: Engine::Edax,
        };
        let rule = if best { Rule::EgaroucidStore } else { Rule::Store };
        let mut growing = Growing::new([], stage);
        grow(&mut growing, &rule, &played, 100, &mut made_up);
        let mut expected: Vec<CanonicalBoard> = lines
            .iter()
            .flat_map(|line| line.positions().map(|(board, _)| board))
            .filter(|board| board.ply() <= usize::from(depth))
            .map(Board::canonical)
            .collect();
        expected.sort_unstable();
        expected.dedup();
        for board in &expected {
            prop_assert!(growing.positions.contains_key(board));
        }
        if best {
            for board in &expected {
                let position = &growing.positions[board];
                let is_best = |leaf: &obook_othello::Leaf| Some(i16::from(leaf.score)) == position.value;
                let deeper = board.board().ply() < usize::from(depth) && !board.board().is_over();
                prop_assert!(!deeper || position.leaf.filter(is_best).is_none());
            }
        } else {
            prop_assert_eq!(growing.positions.len(), expected.len());
        }
    }
}

pub(super) fn random_line(seed: u64, length: usize) -> Line {
    let mut random = obook_testing::random_book::Random(seed);
    let mut line = Line::default();
    while line.moves().len() < length {
        let moves: Vec<_> = line.board().moves().collect();
        let Some(mv) = moves.get(random.below(moves.len().max(1) as u64) as usize) else {
            break;
        };
        line.push(*mv).unwrap();
    }
    line
}

/// The books have leaves that matter and leaves that don't, and played lines.
#[test]
fn the_books_are_worth_choosing_from() {
    let (mut kinds, mut left, mut known) = (BTreeMap::new(), 0, 0);
    for grown in samples(&grown(), 60) {
        for it in choose(&grown, 0.1, &Played::NOTHING) {
            *kinds.entry(format!("{:?}", it.want)).or_insert(0) += 1;
        }
        left += usize::from(wanted(&grown, 0.1, &[]).len() < wanted(&grown, 0.0, &[]).len());
        let board = random_line(1, 2).board().canonical();
        known += usize::from(grown.book.contains_key(&board));
    }
    assert_eq!(kinds.len(), 2, "{kinds:?}");
    assert!(kinds.values().all(|count| *count > 10), "{kinds:?}");
    assert!(left > 10 && known > 5, "{left} {known}");
}
