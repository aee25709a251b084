//! Explanations say what changing the book's scores and computing it anew would show.

use obook::read::why::{Explanation, Lead, Lowering, Payoff, PayoffKind, Why};
use obook::{BookHeader, Lookup};
use obook_converters::Header;
use obook_graph::Graph;
use obook_graph::link::link;
use obook_graph::negamax::negamax;
use obook_othello::levels::is_solved;
use obook_othello::{
    Board, CanonicalBoard, Engine, Leaf, Line, Link, Move, Position, Proof, RuleSet, Side,
};
use obook_testing::random_book::{Random, graph_of};
use obook_testing::samples::samples;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

type Book = BTreeMap<CanonicalBoard, Position>;

const RULES: [RuleSet; 3] = [RuleSet::Edax, RuleSet::Egaroucid, RuleSet::EgaroucidEdax];

/// More positions than any of these books has.
const ALL: u64 = 10_000;

/// A book whose numbers follow from its payoffs, and a position of it.
#[derive(Clone, Debug)]
struct Asked {
    book: Book,
    rules: RuleSet,
    root: CanonicalBoard,
}

fn header(rules: RuleSet) -> BookHeader {
    BookHeader {
        rules,
        format: None,
        header: Header::default(),
    }
}

fn computed(book: &Book, rules: RuleSet) -> Graph {
    let mut graph = graph_of(book.values().cloned());
    link(&mut graph).unwrap();
    negamax(&mut graph, header(rules).negamax_rules());
    graph
}

/// A random game's positions and some positions a few plies below the last one, with many transpositions and, near the end of
/// the game, passes. Returns the last position and all of them.
fn boards(
    random: &mut Random,
    trunk: usize,
    height: usize,
) -> (CanonicalBoard, BTreeSet<CanonicalBoard>) {
    let mut board = Board::START;
    let mut boards = BTreeSet::from([board.canonical()]);
    for _ in 0..trunk {
        let moves: Vec<Move> = board.moves().collect();
        if moves.is_empty() {
            break;
        }
        board = board
            .play(moves[random.below(moves.len() as u64) as usize])
            .unwrap();
        boards.insert(board.canonical());
    }
    let branching = board.canonical();
    let mut layer = BTreeSet::from([branching]);
    for _ in 0..height {
        let children = layer.iter().flat_map(|board| board.board().children());
        let mut next: Vec<_> = children.map(|(_, child)| child.canonical()).collect();
        random.shuffle(&mut next);
        next.truncate(14);
        boards.extend(&next);
        layer = next.into_iter().collect();
    }
    (branching, boards)
}

/// Books in which many moves are equally good.
fn asked() -> impl Strategy<Value = Asked> {
    asked_with(0)
}

/// Books in which something may be proven of a position, and searches may contradict it.
fn proven() -> impl Strategy<Value = Asked> {
    asked_with(25)
}

/// Books in which something is proven of some of the positions, in percent.
fn asked_with(proven: u64) -> impl Strategy<Value = Asked> {
    let trunk = prop_oneof![0..50usize, 48..60usize];
    let shape = (any::<u64>(), trunk, 2..7usize);
    (shape, prop::sample::select(&RULES)).prop_map(move |((seed, trunk, height), rules)| {
        let random = &mut Random(seed);
        let (branching, boards) = boards(random, trunk, height);
        let mut book: Book = boards
            .iter()
            .map(|board| (*board, position(*board, &boards, random)))
            .collect();
        for position in book.values_mut() {
            if random.below(100) < proven && !position.board.board().is_over() {
                position.proof = proof(random);
            }
        }
        let graph = computed(&book, rules);
        book = graph.positions().map(|it| (it.board, it)).collect();
        // A proof matters most right at its position.
        let proofs: Vec<_> = book.values().filter(|it| it.proof.is_some()).collect();
        let root = match random.below(4) {
            1.. if !proofs.is_empty() => proofs[random.below(proofs.len() as u64) as usize].board,
            // A proof matters most right above it.
            0 => Board::START.canonical(),
            1 | 2 => branching,
            _ => *boards
                .iter()
                .nth(random.below(boards.len() as u64) as usize)
                .unwrap(),
        };
        Asked { book, rules, root }
    })
}

/// Bounds near the scores of searches.
fn proof(random: &mut Random) -> Option<Proof> {
    let bound = random.below(5) as i8 - 2;
    let (lower, upper) = match random.below(5) {
        0 => (bound, bound),
        1 => (bound, bound + 2),
        2 | 3 => (bound, 64),
        _ => (-64, bound),
    };
    Proof::new(lower, upper, Engine::Takizawa)
}

fn position(
    board: CanonicalBoard,
    boards: &BTreeSet<CanonicalBoard>,
    random: &mut Random,
) -> Position {
    let score = |random: &mut Random| random.below(4) as i8 - 2;
    let mut position = Position::new(board, Engine::Edax);
    position.value = Some(score(random).into());
    position.level = Some(random.below(30) as u8);
    let is_out = |child: Board| !boards.contains(&child.canonical());
    let children = board.board().children();
    let out: Vec<Move> = children
        .filter(|(_, child)| is_out(*child))
        .map(|it| it.0)
        .collect();
    let is_over = board.board().is_over();
    if is_over || (!out.is_empty() && random.below(8) > 0) {
        position.leaf = Some(Leaf {
            mv: (!is_over).then(|| out[random.below(out.len() as u64) as usize]),
            score: score(random),
            level: position.level,
            engine: Engine::Edax,
        });
    }
    if random.below(15) == 0 {
        position.level = Some(70);
    }
    position
}

fn explained(asked: &Asked, most: u64) -> Why {
    let graph = computed(&asked.book, asked.rules);
    let lookup = Lookup::Memory(graph, "random".into());
    let line = Line::at(asked.root.board(), Side::Black);
    let explained = Explanation::of(&lookup, &header(asked.rules), line, most).unwrap();
    explained.why().clone()
}

impl Asked {
    /// The value of the root with these other scores.
    fn with(&self, changes: impl IntoIterator<Item = (CanonicalBoard, i16)>) -> i16 {
        let mut book = self.book.clone();
        for (board, by) in changes {
            let position = book.get_mut(&board).unwrap();
            let counts = payoff(position, self.rules).expect("only payoffs change");
            if counts == Counts::Leaf {
                position.leaf.as_mut().unwrap().score += by as i8;
            } else {
                position.value = position.value.map(|value| value + by);
            }
        }
        let graph = computed(&book, self.rules);
        graph.value(graph.find(self.root).unwrap()).unwrap()
    }

    /// The boards below the root with payoffs, and whether each is reached with the asking side to move, the other side, or both.
    fn payoffs(&self) -> BTreeMap<CanonicalBoard, BTreeSet<bool>> {
        let mut met = BTreeSet::new();
        let mut open = vec![(self.root, true)];
        while let Some((board, mine)) = open.pop() {
            if met.insert((board, mine)) {
                let children = board.board().children().map(|(_, child)| child.canonical());
                open.extend(
                    children
                        .filter(|it| self.book.contains_key(it))
                        .map(|it| (it, !mine)),
                );
            }
        }
        let mut payoffs: BTreeMap<CanonicalBoard, BTreeSet<bool>> = BTreeMap::new();
        for (board, mine) in met {
            if payoff(&self.book[&board], self.rules).is_some() {
                payoffs.entry(board).or_default().insert(mine);
            }
        }
        payoffs
    }

    /// Whether a search could change a payoff.
    fn may_err(&self, board: CanonicalBoard) -> bool {
        let position = &self.book[&board];
        let level = match payoff(position, self.rules) {
            Some(Counts::Leaf) => position.leaf.unwrap().level,
            _ => position.level,
        };
        let empties = board.board().empties() as u8;
        let is_exact = is_solved(Engine::Edax, level.unwrap(), empties);
        level == Some(70) || (!board.board().is_over() && !is_exact)
    }

    /// Lowers these payoffs for the asking side by the given numbers of discs.
    fn down(&self, payoffs: &BTreeMap<CanonicalBoard, BTreeSet<bool>>, by: i16) -> i16 {
        self.with(payoffs.iter().map(|(board, mine)| {
            let mine = *mine.first().unwrap();
            (*board, if mine { -by } else { by })
        }))
    }
}

fn child(board: CanonicalBoard, mv: Move) -> CanonicalBoard {
    board.board().play(mv).unwrap().canonical()
}

/// The children by links with their scores, each once, even if several symmetric moves lead to it.
fn links(position: &Position) -> BTreeMap<CanonicalBoard, i16> {
    let links = position.links.iter();
    let score = |link: &Link| i16::from(link.score.unwrap());
    links
        .map(|it| (child(position.board, it.mv), score(it)))
        .collect()
}

/// The payoff of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Counts {
    Leaf,
    Value,
}

/// Uses the rules for single positions, because `Graph::judge` would keep a value without a source.
fn payoff(position: &Position, rules: RuleSet) -> Option<Counts> {
    let is_person = position.level == Some(70);
    let leaf_counts = match (rules, position.leaf) {
        (RuleSet::Edax, Some(_)) => true,
        (RuleSet::EgaroucidEdax, Some(leaf)) => matches!(leaf.mv, Some(Move::Place(_))),
        _ => false,
    };
    match (is_person, leaf_counts, position.links.is_empty()) {
        (true, ..) | (false, false, true) => Some(Counts::Value),
        (false, true, _) => Some(Counts::Leaf),
        (false, false, false) => None,
    }
}

fn shifts(why: &Why) -> BTreeMap<(CanonicalBoard, i16), i16> {
    let all = why.shifts.iter();
    all.map(|it| ((it.payoff.board, it.shift), it.value))
        .collect()
}

fn boards_of(payoffs: &[Payoff]) -> BTreeMap<CanonicalBoard, BTreeSet<bool>> {
    let side = |it: &Payoff| (it.board, BTreeSet::from([it.line.len().is_multiple_of(2)]));
    payoffs.iter().map(side).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Changes each payoff by each shift, recomputes the book and compares the value.
    ///
    /// Law (Changes): `why` names exactly the scores that change the value; a partial answer says less, but nothing wrong.
    /// Also: `a_partial_explanation_is_still_true`
    #[test]
    fn shifts_are_what_computing_anew_shows(asked in prop_oneof![asked(), proven()]) {
        let why = explained(&asked, ALL);
        prop_assert_eq!(why.complete_to, 2);
        let mut expected = BTreeMap::new();
        for board in asked.payoffs().into_keys() {
            for shift in [-2, -1, 1, 2] {
                let value = asked.with([(board, shift)]);
                if value != why.value {
                    expected.insert((board, shift), value);
                }
            }
        }
        prop_assert_eq!(shifts(&why), expected);
    }

    /// The payoffs that have to come down lower the value together, and each is necessary. If there are none, the value can't fall.
    ///
    /// Law (Changes): The value falls if all scores that `why` lists fall, but not without all; if none is listed, it can't
    /// fall.
    #[test]
    fn the_listed_scores_are_sufficient_and_necessary(asked in prop_oneof![asked(), proven()]) {
        let why = explained(&asked, ALL);
        let all = asked.payoffs();
        prop_assume!(all.values().all(|sides| sides.len() == 1));
        let may_err: BTreeMap<_, _> = all.into_iter().filter(|it| asked.may_err(it.0)).collect();
        let in_vain = match &why.lowering {
            Lowering::Payoffs { by, payoffs } => {
                let cut = boards_of(payoffs);
                prop_assert!(cut.iter().all(|it| may_err.get(it.0) == Some(it.1)));
                prop_assert!(asked.down(&cut, *by) < why.value);
                for board in cut.keys() {
                    let mut rest = cut.clone();
                    rest.remove(board);
                    prop_assert!(asked.down(&rest, *by) >= why.value);
                }
                by - 1
            }
            Lowering::Exact => 2,
            Lowering::Unknown => return Err(TestCaseError::fail("all may be read")),
        };
        prop_assert!(asked.down(&may_err, in_vain) >= why.value);
    }

    /// With a lower limit, an explanation says less, but nothing else.
    #[test]
    fn a_partial_explanation_is_still_true(asked in prop_oneof![asked(), proven()], most in 0..40u64) {
        let (all, some) = (explained(&asked, ALL), explained(&asked, most));
        prop_assert_eq!((&some.line, &some.payoff, &some.beside), (&all.line, &all.payoff, &all.beside));
        prop_assert!(some.read <= most + 1 + some.line.len() as u64);
        let (all, found) = (shifts(&all), shifts(&some));
        for (at, value) in &found {
            prop_assert_eq!(all.get(at), Some(value));
        }
        let missing = all.keys().filter(|it| !found.contains_key(it));
        prop_assert!(missing.into_iter().all(|(_, shift)| shift.abs() > some.complete_to));
        if let Lowering::Payoffs { by, payoffs } = &some.lowering {
            prop_assert!(asked.down(&boards_of(payoffs), *by) < some.value);
        }
    }

    /// The line consists of best moves, and lists the alternatives that matter.
    ///
    /// Law (Changes): The line of `why` follows best moves to the deciding score; its suggestions leave the book.
    /// Also: `additions_are_the_moves_out_of_the_book` `cli/tests/program/why.rs`
    /// `steps_are_what_show_says_of_each_position` `sql_says_the_same`
    #[test]
    fn the_line_goes_by_best_moves_to_the_payoff(asked in asked()) {
        let why = explained(&asked, ALL);
        let mut board = asked.root.board();
        let mut value = why.value;
        let mut steps = why.line.iter();
        loop {
            let position = &asked.book[&board.canonical()];
            let is_person = position.level == Some(70);
            prop_assert_eq!(position.value, Some(value));
            let links = links(position).into_iter().filter(|_| !is_person);
            let links: BTreeSet<_> = links.map(|(child, score)| (child, true, value - score)).collect();
            let leaf = position.leaf.filter(|_| payoff(position, asked.rules) == Some(Counts::Leaf));
            let leaf = leaf.and_then(|it| Some((child(position.board, it.mv?), false, value - i16::from(it.score))));
            let step = steps.next();
            let played = step.map_or(why.payoff.mv, |step| Some(step.mv));
            let after = |mv| board.play(mv).unwrap().canonical();
            let mut expected = links.clone();
            expected.extend(leaf);
            expected.retain(|it| Some(it.0) != played.map(after));
            let others = step.map_or(&why.beside, |step| &step.others);
            prop_assert!(others.is_sorted_by_key(|it| it.worse));
            let found: BTreeSet<_> = others.iter().map(|it| (after(it.mv), it.is_link, it.worse)).collect();
            prop_assert_eq!(found.len(), others.len());
            prop_assert_eq!(found, expected);
            let Some(step) = step else { break };
            prop_assert_eq!(step.board, board.canonical());
            prop_assert_eq!(step.score, value);
            prop_assert!(links.contains(&(after(step.mv), true, 0)));
            board = board.play(step.mv).unwrap();
            value = -value;
        }
        prop_assert_eq!((why.payoff.board, why.payoff.score), (board.canonical(), value));
        prop_assert_eq!(why.payoff.line.len(), why.line.len());
        let error = match (asked.may_err(why.payoff.board), asked.rules) {
            _ if why.payoff.kind == PayoffKind::Person => None,
            (false, _) => Some(0),
            (true, RuleSet::Edax) => Some(if why.payoff.search.unwrap().to_the_end { 1 } else { 2 }),
            (true, _) => None,
        };
        prop_assert_eq!(why.payoff.error, error);
    }

    /// All inexact moves out of the book from positions of the line in which the root's side is to move, and the value of the line
    /// if such a move were the best.
    #[test]
    fn additions_are_the_moves_out_of_the_book(asked in asked()) {
        let why = explained(&asked, ALL);
        let mut expected = BTreeMap::new();
        let mut path: Vec<CanonicalBoard> = why.line.iter().map(|step| step.board).collect();
        path.push(why.payoff.board);
        let mut ceiling: Option<i16> = None;
        for (ply, board) in path.iter().enumerate() {
            let position = &asked.book[board];
            let is_person = position.level == Some(70);
            let scores = links(position).into_iter().filter(|_| !is_person).map(|it| it.1);
            let of_leaf = position.leaf.filter(|_| payoff(position, asked.rules) == Some(Counts::Leaf));
            let mut scores: Vec<i16> = scores.chain(of_leaf.map(|leaf| leaf.score.into())).collect();
            if ply % 2 == 1 {
                scores.sort_unstable();
                if scores.len() > 1 {
                    let second = -scores[scores.len() - 2];
                    ceiling = Some(ceiling.map_or(second, |known| known.min(second)));
                }
                continue;
            }
            let leaf = position.leaf.filter(|leaf| leaf.mv.is_some());
            let empties = board.board().empties() as u8;
            let lead = match leaf {
                _ if position.level == Some(70) => None,
                Some(leaf) if leaf.level != Some(70) && is_solved(Engine::Edax, leaf.level.unwrap(), empties) => None,
                Some(leaf) => Some(Lead::Add(board.board().play(leaf.mv.unwrap()).unwrap().canonical())),
                None if position.leaf.is_some() => None,
                None => {
                    let mut children = board.board().children().map(|(_, child)| child.canonical());
                    children.any(|child| !asked.book.contains_key(&child)).then_some(Lead::Search(*board))
                }
            };
            if let Some(lead) = lead {
                let worse = leaf.map(|leaf| position.value.unwrap() - i16::from(leaf.score));
                expected.insert(*board, (lead, worse, ceiling));
            }
        }
        let found: BTreeMap<_, _> = why.additions.iter()
            .map(|it| (it.board, (it.lead, it.worse, it.ceiling)))
            .collect();
        prop_assert_eq!(found.len(), why.additions.len());
        prop_assert_eq!(found, expected);
        let order: Vec<_> = why.additions.iter().map(|it| (it.ceiling == Some(why.value), it.worse)).collect();
        prop_assert!(order.is_sorted());
        // By Edax's rules a better leaf is a better position at once.
        for addition in why.additions.iter().filter(|it| it.mv.is_some() && asked.rules == RuleSet::Edax) {
            if payoff(&asked.book[&addition.board], asked.rules) == Some(Counts::Leaf) {
                let raised = asked.with([(addition.board, 20)]);
                prop_assert!(raised >= addition.ceiling.unwrap_or(10).min(10));
            }
        }
    }
}

/// A proof holds the value three discs below the leaf: lowering the leaf by two changes nothing.
#[test]
fn a_leaf_far_above_a_proof_does_not_lower_the_value() {
    let root = Board::START.canonical();
    let position = |score: i8| {
        let mut position = Position::new(root, Engine::Edax);
        position.level = Some(20);
        position.proof = Proof::new(-64, -2, Engine::Takizawa);
        position.leaf = Some(Leaf {
            mv: root.board().moves().next(),
            score,
            level: Some(20),
            engine: Engine::Edax,
        });
        position
    };
    let lowering = |score: i8| {
        let graph = computed(&Book::from([(root, position(score))]), RuleSet::Edax);
        let positions = graph.positions().map(|it| (it.board, it));
        let asked = Asked {
            book: positions.collect(),
            rules: RuleSet::Edax,
            root,
        };
        let why = explained(&asked, ALL);
        assert_eq!(why.value, -2);
        why.lowering
    };
    assert!(matches!(lowering(-1), Lowering::Payoffs { by: 2, .. }));
    assert_eq!(lowering(1), Lowering::Exact);
}

/// All cases of the laws above occur.
#[test]
fn the_books_are_worth_asking() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut count = |what, there: bool| *counts.entry(what).or_default() += usize::from(there);
    for asked in samples(&asked(), 512) {
        let why = explained(&asked, ALL);
        let changes = shifts(&why);
        let is = |shift: i16, by: i16| {
            move |it: (&(CanonicalBoard, i16), &i16)| (it.0.1, *it.1 - by) == (shift, 0)
        };
        count("a line of three moves", why.line.len() > 2);
        count(
            "a pass on the line",
            why.line.iter().any(|it| it.mv == Move::Pass),
        );
        count(
            "equal moves",
            why.line
                .iter()
                .any(|it| it.others.first().is_some_and(|it| it.worse == 0)),
        );
        count(
            "two leaves that each change the value",
            changes.keys().map(|it| it.0).collect::<BTreeSet<_>>().len() > 1,
        );
        count(
            "a value that no single score brings down",
            changes.values().all(|it| *it >= why.value),
        );
        count(
            "a fall as deep as the next best allows",
            changes.iter().any(is(-2, why.value - 1)),
        );
        count(
            "a rise as high as the other side allows",
            changes.iter().any(is(2, why.value + 1)),
        );
        count("a shift of two", changes.iter().any(is(2, why.value + 2)));
        count("a person decides", why.payoff.kind == PayoffKind::Person);
        count(
            "the end of a game decides",
            why.payoff.kind == PayoffKind::GameOver,
        );
        count(
            "a position without leaf decides",
            why.payoff.kind == PayoffKind::Position,
        );
        count(
            "an exact leaf decides",
            why.payoff.kind == PayoffKind::Leaf && why.payoff.error == Some(0),
        );
        count(
            "an unsearched move",
            why.additions.iter().any(|it| it.mv.is_none()),
        );
        count(
            "a move that raises nothing alone",
            why.additions.iter().any(|it| it.ceiling == Some(why.value)),
        );
        match &why.lowering {
            Lowering::Payoffs { by, payoffs } => {
                count("several that have to come down", payoffs.len() > 1);
                count("one that has to come down", payoffs.len() == 1);
                count("some that have to come down by two discs", *by == 2);
            }
            Lowering::Exact => count("a value that exact scores hold", true),
            Lowering::Unknown => unreachable!("all may be read"),
        }
        let one_side = asked.payoffs().values().all(|it| it.len() == 1);
        count("each payoff is one side's", one_side);
    }
    assert_eq!(counts.len(), 19);
    assert!(counts.values().all(|count| *count > 4), "{counts:#?}");
    assert!(counts["each payoff is one side's"] > 500);
}

/// The cases of proofs occur.
#[test]
fn the_proven_books_are_worth_asking() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for asked in samples(&proven(), 512) {
        let why = explained(&asked, ALL);
        // A proof decides, and another search would still change the value.
        let decides = why.payoff.kind == PayoffKind::Proof;
        let beyond = why.shifts.iter().filter(|it| {
            let position = &asked.book[&it.payoff.board];
            let is_overridden = |proof: Proof| proof.clamp(it.payoff.score) != it.payoff.score;
            it.payoff.kind == PayoffKind::Leaf && position.proof.is_some_and(is_overridden)
        });
        let mut count = |what, there: bool| *counts.entry(what).or_default() += usize::from(there);
        count("a proof decides", decides);
        count(
            "a shift of a leaf that a proof overrides",
            beyond.count() > 0,
        );
        count(
            "nothing can change what is proven",
            decides && why.shifts.is_empty(),
        );
    }
    assert!(counts.values().all(|count| *count > 4), "{counts:#?}");
}
