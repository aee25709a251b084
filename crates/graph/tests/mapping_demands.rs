//! Edax's demands: its own books meet them, and every violation is reported.

use obook_graph::mapping::demands::{self, Demand};
use obook_needs::needs;
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Line, Link, Move, Position};
use obook_testing::golden::{EDAX_BOOKS, LARGE_EDAX_BOOK, PUBLISHED_BOOK, book};
use obook_testing::random_book::graph_of;

fn meet_the_demands(names: &[&str]) {
    for name in names {
        let (_, positions) = book(name);
        let graph = graph_of(positions);
        let wrong: Vec<_> = demands::check(&graph).collect();
        assert_eq!(wrong, [], "{name}");
    }
}

#[test]
fn the_engine_meets_its_own_demands() {
    meet_the_demands(&EDAX_BOOKS);
}

#[needs(large_books)]
#[test]
fn a_large_book_of_the_engine_meets_them() {
    meet_the_demands(&[LARGE_EDAX_BOOK]);
}

#[needs(published_book)]
#[test]
fn a_published_book_meets_them() {
    meet_the_demands(&[PUBLISHED_BOOK]);
}

fn position(moves: &str) -> Position {
    let board = moves.parse::<Line>().unwrap().board().canonical();
    with_board(board)
}

fn with_board(board: CanonicalBoard) -> Position {
    let mut position = Position::new(board, Engine::Edax);
    position.level = Some(21);
    position
}

fn first_move(position: &Position) -> Option<Move> {
    position.board.board().moves().next()
}

fn with_leaf(mut position: Position) -> Position {
    position.leaf = Some(Leaf {
        mv: first_move(&position),
        score: 0,
        level: None,
        engine: Engine::Edax,
    });
    position
}

fn link(mv: Option<Move>) -> Link {
    Link {
        mv: mv.unwrap(),
        score: Some(0),
    }
}

/// The demands that the position with this board doesn't meet.
fn wrong(positions: &[Position], board: CanonicalBoard) -> Vec<Demand> {
    let graph = graph_of(positions.iter().cloned());
    let id = graph.find(board).unwrap();
    demands::check(&graph)
        .filter(|(found, _)| *found == id)
        .map(|(_, demand)| demand)
        .collect()
}

#[test]
fn each_demand_is_named() {
    let start = position("");
    let board = start.board;
    let mv = first_move(&start);
    let check = |change: &dyn Fn(&mut Position)| {
        let mut changed = with_leaf(start.clone());
        change(&mut changed);
        wrong(&[changed], board)
    };
    let a1 = Move::from_code(0).unwrap();
    assert_eq!(check(&|_| {}), []);
    assert_eq!(
        check(&|position| position.leaf = None),
        [Demand::MissingLeaf(mv.unwrap())]
    );
    assert_eq!(
        check(&|position| position.level = None),
        [Demand::MissingLevel]
    );
    assert_eq!(
        check(&|position| position.level = Some(70)),
        [Demand::LevelTooHigh(70)]
    );
    assert_eq!(
        check(&|position| position.links.push(link(Some(a1)))),
        [Demand::IllegalLink(a1)]
    );
    assert_eq!(
        check(&|position| position.links.push(link(board.board().moves().nth(1)))),
        [Demand::LinkWithoutChild(
            board.board().moves().nth(1).unwrap()
        )]
    );
    assert_eq!(
        check(&|position| position.leaf.as_mut().unwrap().mv = Some(a1)),
        [Demand::IllegalLeaf(a1)]
    );
    assert_eq!(
        check(&|position| position.leaf.as_mut().unwrap().mv = None),
        [Demand::FinalScoreTooEarly]
    );
    let child = with_leaf(position("f5"));
    let mut linked = with_leaf(start.clone());
    linked.links.push(link(mv));
    assert_eq!(
        wrong(&[linked.clone(), child.clone()], board),
        [Demand::RepeatedMove(mv.unwrap())]
    );
    linked.leaf = None;
    linked.links.push(link(mv));
    assert_eq!(
        wrong(&[linked, child.clone()], board),
        [
            Demand::RepeatedMove(mv.unwrap()),
            Demand::MissingLeaf(board.board().moves().nth(1).unwrap())
        ]
    );
    let mut all = start.clone();
    all.links
        .extend(board.board().moves().map(|mv| link(Some(mv))));
    assert_eq!(wrong(&[all, child], board), []);
    let empty_centre = with_leaf(with_board(Board::new(1, 2).unwrap().canonical()));
    assert_eq!(
        wrong(std::slice::from_ref(&empty_centre), empty_centre.board),
        [Demand::EmptyCentre]
    );
}

/// A position in which the side to move must pass, with the centre filled.
fn passing() -> Board {
    let board = Board::new(0b1 | 0x18_1800_0000, 0b10).unwrap().passed();
    assert!(board.must_pass());
    board
}

#[test]
fn a_pass_is_a_link_or_the_leaf() {
    let passing = passing();
    let (before, after) = (passing.canonical(), passing.passed().canonical());
    let pass = with_leaf(with_board(before));
    assert_eq!(first_move(&pass), Some(Move::Pass));
    let passed = with_leaf(with_board(after));
    assert_eq!(wrong(std::slice::from_ref(&pass), before), []);
    assert_eq!(
        wrong(&[pass.clone(), passed.clone()], before),
        [Demand::PassIntoBook]
    );
    let bare = with_board(before);
    assert_eq!(
        wrong(std::slice::from_ref(&bare), before),
        [Demand::MissingLeaf(Move::Pass)]
    );
    let mut linked = bare;
    linked.links.push(link(Some(Move::Pass)));
    assert_eq!(wrong(&[linked, passed], before), []);
}

#[test]
fn a_finished_game_has_its_score() {
    let over = Board::new(0x18_1800_0000, 0).unwrap();
    let (board, expected) = (over.canonical(), 64);
    let finished = |score| {
        let mut position = with_board(board);
        position.leaf = Some(Leaf {
            mv: None,
            score,
            level: Some(21),
            engine: Engine::Edax,
        });
        position
    };
    assert_eq!(wrong(&[finished(expected)], board), []);
    assert_eq!(
        wrong(&[finished(-64)], board),
        [Demand::WrongFinalScore {
            found: -64,
            expected
        }]
    );
    assert_eq!(
        wrong(&[with_board(board)], board),
        [Demand::MissingFinalScore]
    );
}
