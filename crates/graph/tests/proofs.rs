//! Proven bounds: how they enter the numbers, and that they never get looser.

use obook_converters::BookReader;
use obook_graph::Graph;
use obook_graph::link::link;
use obook_graph::negamax::{Scoring, negamax, proof_by_children_of};
use obook_graph::sort::{Combined, Ties};
use obook_needs::needs;
use obook_othello::{
    Board, Bounds, CanonicalBoard, Engine, Link, Move, PERSON_LEVEL, Position, Proof,
};
use obook_testing::golden::golden;
use obook_testing::random_book::{Book, Random, Recipe, graph_of, recipes};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};

fn any_rules() -> impl Strategy<Value = Scoring> {
    prop_oneof![
        Just(Scoring::Edax {
            midgame_error: 3,
            endcut_error: 1,
        }),
        any::<bool>().prop_map(|edax_compliant| Scoring::Egaroucid { edax_compliant }),
    ]
}

fn random_proof(random: &mut Random) -> Option<Proof> {
    let mut score = || (random.below(33) as i8 - 16) * 4;
    let (one, other) = (score(), score());
    let (lower, upper) = match random.below(3) {
        0 => (one, 64),
        1 => (-64, one),
        _ => (one.min(other), one.max(other)),
    };
    let prover = Engine::ALL[random.below(Engine::ALL.len() as u64) as usize];
    Proof::new(lower, upper, prover)
}

/// A book in which `share` % of the positions have random proofs, which may contradict each other.
fn proven_book(recipe: &Recipe, seed: u64, share: u64) -> Book {
    let random = &mut Random(seed);
    let mut book = recipe.book();
    for position in book.values_mut() {
        if random.below(100) < share {
            position.proof = random_proof(random);
        }
    }
    book
}

fn computed(book: &Book, rules: Scoring) -> Graph {
    let mut graph = graph_of(book.values().cloned());
    link(&mut graph).unwrap();
    negamax(&mut graph, rules);
    graph
}

/// What is proven of a position, by definition: its own bounds, tightened by those of its moves unless they contradict it.
fn plain_proof(book: &Book, board: CanonicalBoard, known: &mut Known) -> (i8, i8) {
    if let Some(found) = known.get(&board) {
        return *found;
    }
    let own = book[&board].proof;
    let result = board.board().is_over().then(|| board.board().final_score());
    let (lower, upper) = match (own, result) {
        (Some(_), Some(result)) => (result, result),
        (own, _) => own.map_or((-64, 64), |own| (own.lower(), own.upper())),
    };
    let mut moves: Vec<(i8, i8)> = Vec::new();
    for (_, child) in board.board().children() {
        let child = child.canonical();
        moves.push(match book.contains_key(&child) {
            true => {
                let (lower, upper) = plain_proof(book, child, known);
                (-upper, -lower)
            }
            false => (-64, 64),
        });
    }
    let best = |bound: fn(&(i8, i8)) -> i8| moves.iter().map(bound).max();
    let at_least = best(|it| it.0).unwrap_or(-64).max(lower);
    let at_most = best(|it| it.1).unwrap_or(64).min(upper);
    let found = if at_least <= at_most {
        (at_least, at_most)
    } else {
        (lower, upper)
    };
    known.insert(board, found);
    found
}

type Known = HashMap<CanonicalBoard, (i8, i8)>;

fn is_by_a_person(position: &Position) -> bool {
    position.level.is_some_and(|level| level >= PERSON_LEVEL)
}

/// Whether the second is at least as tight.
fn is_kept(before: Option<Proof>, after: Option<Proof>) -> bool {
    let bounds = |proof: Option<Proof>| proof.map_or((-64, 64), |it| (it.lower(), it.upper()));
    let (before, after) = (bounds(before), bounds(after));
    before.0 <= after.0 && after.1 <= before.1
}

proptest! {
    /// Law (Numbers): Proofs follow from the children's as defined, under all rules; numbers stay within them.
    /// Also: `numbers_stay_within_proofs` `computing_again_changes_nothing` `an_illegal_pass_proves_nothing`
    #[test]
    fn proofs_are_their_definition(
        recipe in recipes(), seed in any::<u64>(), share in 1u64..100, rules in any_rules(),
    ) {
        let book = proven_book(&recipe, seed, share);
        let graph = computed(&book, rules);
        let mut known = Known::new();
        for position in graph.positions() {
            let (lower, upper) = plain_proof(&book, position.board, &mut known);
            let found = position.proof.map_or((-64, 64), |it| (it.lower(), it.upper()));
            prop_assert_eq!(found, (lower, upper));
            // Only the end of a game takes a proof back.
            let own = book[&position.board].proof;
            prop_assert!(is_kept(own, position.proof) || position.board.board().is_over());
        }
    }

    /// Each position has the numbers that follow from its moves, but within its proof.
    #[test]
    fn numbers_stay_within_proofs(
        recipe in recipes(), seed in any::<u64>(), share in 1u64..100, rules in any_rules(),
    ) {
        let book = proven_book(&recipe, seed, share);
        let graph = computed(&book, rules);
        for id in graph.ids() {
            let position = graph.position(id);
            let Some(proof) = position.proof.filter(|_| !is_by_a_person(&position)) else {
                continue;
            };
            // The same position and children, nothing proven.
            let children = graph.links(id).filter_map(|link| Some(graph.position(link.child?)));
            let mut alone: Vec<Position> = children.collect();
            for child in &mut alone {
                child.links.clear();
                (child.leaf, child.proof) = (None, None);
            }
            let own = &book[&position.board];
            let exact = proof.exact().map(i16::from);
            let within = |value: Option<i16>| value.map(|it| proof.clamp(it)).or(exact);
            alone.push(Position { proof: None, value: within(own.value), ..own.clone() });
            let (mut graph, _) = Graph::from_positions::<obook_graph::TooLarge>(
                alone.into_iter().map(Ok),
            ).unwrap();
            link(&mut graph).unwrap();
            let free = graph.find(position.board).unwrap();
            let free = obook_graph::negamax::judge(&graph, free, rules);
            prop_assert_eq!(position.value, within(free.value));
            match rules {
                Scoring::Egaroucid { .. } => prop_assert_eq!(position.bounds, None),
                Scoring::Edax { .. } => {
                    let Bounds { lower, upper } = position.bounds.unwrap();
                    prop_assert_eq!(proof.clamp(lower), lower);
                    prop_assert_eq!(proof.clamp(upper), upper);
                    prop_assert!(lower <= upper || free.bounds.is_some_and(|it| it.lower > it.upper));
                }
            }
            prop_assert_eq!((position.outcomes, position.lines), (free.outcomes, free.lines));
        }
    }

    #[test]
    fn computing_again_changes_nothing(
        recipe in recipes(), seed in any::<u64>(), rules in any_rules(),
    ) {
        let mut graph = computed(&proven_book(&recipe, seed, 30), rules);
        let once: Vec<Position> = graph.positions().collect();
        negamax(&mut graph, rules);
        prop_assert_eq!(graph.positions().collect::<Vec<_>>(), once);
    }

    /// What was proven once stays, whichever of the positions that proved it go.
    ///
    /// Law (Numbers): Computing, cutting, merging or adding records never loosens a proven bound.
    /// Also: `combining_keeps_all_proofs` `tests/write/merge.rs` `the_better_search_wins` `crates/othello/src/model/proof.rs`
    /// `proofs_together_are_the_intersection`
    #[test]
    fn proofs_stay_without_what_proved_them(
        recipe in recipes(), seed in any::<u64>(), rules in any_rules(),
    ) {
        let graph = computed(&proven_book(&recipe, seed, 30), rules);
        let random = &mut Random(seed ^ 1);
        let mut rest = Book::new();
        for position in graph.positions().filter(|_| random.below(2) == 0) {
            rest.insert(position.board, position);
        }
        let before = rest.clone();
        for position in computed(&rest, rules).positions() {
            prop_assert!(is_kept(before[&position.board].proof, position.proof));
        }
    }

    /// Of several records of a board, all proofs hold, whatever the levels and the order.
    #[test]
    fn combining_keeps_all_proofs(
        records in prop::collection::vec((any::<u64>(), prop::option::of(0u8..70)), 1..6),
    ) {
        let truth = 4;
        let records: Vec<Position> = records.into_iter().map(|(seed, level)| Position {
            level,
            value: level.map(i16::from),
            proof: random_proof(&mut Random(seed)).filter(|it| it.clamp(truth) == truth),
            ..Position::new(Board::START.canonical(), Engine::Edax)
        }).collect();
        let together = |records: Vec<Position>| {
            let mut records = records.into_iter();
            let mut all = Combined::new(records.next().unwrap(), Ties::Later);
            for record in records {
                all.add(record, None);
            }
            all.finish().proof
        };
        let found = together(records.clone());
        prop_assert!(records.iter().all(|record| is_kept(record.proof, found)));
        prop_assert_eq!(together(records.into_iter().rev().collect()), found);
    }
}

/// The rules give the side to move no pass if it has a move, so what is proven of the other side's view says nothing.
#[test]
fn an_illegal_pass_proves_nothing() {
    let parent: obook_othello::Line = "f5d6".parse().unwrap();
    let board = parent.board();
    let mut position = Position::new(board.canonical(), Engine::Edax);
    position.links.push(Link {
        mv: Move::Pass,
        score: None,
    });
    let mut passed = Position::new(board.passed().canonical(), Engine::Edax);
    passed.value = Some(10);
    passed.proof = Proof::new(10, 10, Engine::Takizawa);
    let rules = Scoring::Egaroucid {
        edax_compliant: true,
    };
    let children = [Some(&passed)];
    let found = obook_graph::negamax::of_record(&position, &children, rules);
    assert_eq!(found.proof, None);
    assert_eq!(found.value, Some(-10), "the value follows it");
}

/// A minimax over legal moves, from the list alone: whether a position is worth at least 0 (`win`) or at most 0.
struct Solver {
    list: BTreeMap<CanonicalBoard, Position>,
    known: HashMap<(CanonicalBoard, bool), bool>,
}

impl Solver {
    fn holds(&mut self, board: Board, win: bool) -> bool {
        let key = (board.canonical(), win);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let found = if board.empties() == 50 && !board.must_pass() {
            let proof = self.list.get(&key.0).and_then(|position| position.proof);
            proof.is_some_and(|proof| {
                if win {
                    proof.lower() >= 0
                } else {
                    proof.upper() <= 0
                }
            })
        } else {
            let children: Vec<Board> = board.children().map(|(_, child)| child).collect();
            match win {
                true => children.into_iter().any(|child| self.holds(child, false)),
                false => children.into_iter().all(|child| self.holds(child, true)),
            }
        };
        self.known.insert(key, found);
        found
    }
}

/// With the positions between the start and the list in a book, the list proves that Othello is a draw, by both rule sets.
#[needs(task_list)]
/// Law (Numbers): The list of “Othello is solved” proves that the start position is a draw.
#[test]
fn the_list_proves_that_othello_is_a_draw() {
    let path = golden("../books/empty50_tasklist_edax_knowledge.csv");
    let list = BookReader::open(path, None).unwrap();
    let list: BTreeMap<_, _> = list.map(Result::unwrap).map(|it| (it.board, it)).collect();
    assert_eq!(list.len(), 2587);
    let mut solver = Solver {
        known: HashMap::new(),
        list,
    };
    assert!(solver.holds(Board::START, true) && solver.holds(Board::START, false));
    let mut book: Book = solver.list.clone();
    for (board, _) in solver.known.keys() {
        let position = || Position::new(*board, Engine::Obook);
        book.entry(*board).or_insert_with(position);
    }
    for rules in [
        Scoring::Edax {
            midgame_error: 2,
            endcut_error: 1,
        },
        Scoring::Egaroucid {
            edax_compliant: false,
        },
        Scoring::Egaroucid {
            edax_compliant: true,
        },
    ] {
        let graph = computed(&book, rules);
        let start = graph.find(Board::START.canonical()).unwrap();
        assert_eq!(graph.value(start), Some(0));
        assert_eq!(graph.proof(start), Proof::new(0, 0, Engine::Obook));
        assert_eq!(proof_by_children_of(&graph, start), graph.proof(start));
        // A proof is as tight as the minimax says, everywhere.
        for ((board, win), holds) in &solver.known {
            let proof = graph.proof(graph.find(*board).unwrap());
            let proven = proof.is_some_and(|it| {
                if *win {
                    it.lower() >= 0
                } else {
                    it.upper() <= 0
                }
            });
            assert!(proven || !holds, "{}", board.board().to_text());
        }
    }
}
