//! Conversions of books so small that the exact result is known.

use obook_converters::{Format, Header};
use obook_graph::Graph;
use obook_graph::link::{LinkReport, link};
use obook_graph::mapping::demands::Demand;
use obook_graph::mapping::{
    self, EdaxError, EdaxOptions, EgaroucidOptions, HeaderOptions, Leaves, Loss, Losses,
    MissingLeaf, Outline,
};
use obook_graph::negamax::Scoring;
use obook_graph::slabs;
use obook_othello::levels::Strength;
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Line, Link, Move, Position, RuleSet};
use obook_testing::golden::golden;
use obook_testing::random_book::graph_of;
use obook_testing::slabs::in_all_ways;

const OPTIONS: EdaxOptions = EdaxOptions {
    rules: Scoring::Egaroucid {
        edax_compliant: false,
    },
    missing_leaf: MissingLeaf::Fold,
    assumed_level: 9,
    new_rules: Scoring::Edax {
        midgame_error: 2,
        endcut_error: 1,
    },
};

/// Converts a graph in memory and in slabs.
fn to_edax(graph: &mut Graph, options: &EdaxOptions) -> Result<Losses, EdaxError> {
    in_all_ways(graph, |book| mapping::to_edax(book, options))
}

/// Converts a graph in memory and in slabs.
fn to_egaroucid(graph: &mut Graph, options: &EgaroucidOptions) -> Result<Losses, slabs::Error> {
    in_all_ways(graph, |book| mapping::to_egaroucid(book, options))
}

/// The position after f5, with three moves to three positions.
fn parent() -> CanonicalBoard {
    "f5".parse::<Line>().unwrap().board().canonical()
}

fn mv(number: usize) -> Move {
    parent().board().moves().nth(number).unwrap()
}

fn child(number: usize) -> CanonicalBoard {
    parent().board().play(mv(number)).unwrap().canonical()
}

fn position(board: CanonicalBoard, value: i16, level: u8) -> Position {
    let mut position = Position::new(board, Engine::Egaroucid);
    position.value = Some(value);
    position.level = Some(level);
    position
}

fn leaf(number: usize, score: i8, level: u8) -> Option<Leaf> {
    Some(Leaf {
        mv: Some(mv(number)),
        score,
        level: Some(level),
        engine: Engine::Egaroucid,
    })
}

/// A leaf with its level on Edax's scale.
fn edax_leaf(number: usize, score: i8, level: u8) -> Option<Leaf> {
    leaf(number, score, level).map(|leaf| Leaf {
        engine: Engine::Edax,
        ..leaf
    })
}

fn losses(counts: &[(Loss, u64)]) -> Losses {
    let mut losses = Losses::default();
    for (loss, count) in counts {
        losses.add(*loss, *count);
    }
    losses
}

/// The parent in Edax's form, and the losses.
fn edax(positions: &[Position], options: EdaxOptions) -> (Position, Losses) {
    let mut graph = graph_of(positions.iter().cloned());
    let losses = to_edax(&mut graph, &options).unwrap();
    let id = graph.find(parent()).unwrap();
    (graph.position(id), losses)
}

#[test]
fn the_best_of_leaf_and_childless_children_is_the_leaf() {
    let mut positions = [
        position(parent(), 5, 21),
        position(child(1), -5, 30),
        position(child(2), -3, 31),
    ];
    positions[0].leaf = leaf(0, 1, 21);
    let (found, lost) = edax(&positions, OPTIONS);
    assert_eq!(found.leaf, edax_leaf(1, 5, 30));
    assert_eq!((found.value, found.level), (Some(5), Some(30)));
    assert!(found.links.is_empty());
    // Two of the parent's moves were dropped, and child 2 is gone.
    let expected = losses(&[
        (Loss::CrowdedMoves, 2),
        (Loss::LeafLevels, 1),
        (Loss::Orphans, 1),
    ]);
    assert_eq!(lost, expected);

    positions[0].leaf = leaf(0, 5, 22);
    let (found, _) = edax(&positions, OPTIONS);
    assert_eq!(
        found.leaf,
        edax_leaf(0, 5, 22),
        "an equal child leaves the leaf alone"
    );
    assert_eq!(found.level, Some(22), "the leaf's level");
}

#[test]
fn children_with_something_below_stay() {
    let below = child(1).board().moves().next().unwrap();
    let mut positions = [position(parent(), 4, 21), position(child(1), -4, 30)];
    positions[0].leaf = leaf(0, 1, 21);
    positions[1].leaf = Some(Leaf {
        mv: Some(below),
        score: -4,
        level: Some(30),
        engine: Engine::Egaroucid,
    });
    let (found, lost) = edax(&positions, OPTIONS);
    assert_eq!(lost, Losses::default());
    assert_eq!(found.leaf, edax_leaf(0, 1, 21));
    let links: Vec<_> = found
        .links
        .iter()
        .map(|link| (link.mv, link.score))
        .collect();
    assert_eq!(links, [(mv(1), Some(4))]);
    assert_eq!(found.value, Some(4));
    assert_eq!(found.lines, Some(2));
}

#[test]
fn a_missing_leaf_stops_folds_or_demotes() {
    let with_leaf = |number: usize, score: i8| {
        let mut position = position(child(number), score.into(), 30);
        position.leaf = Some(Leaf {
            mv: child(number).board().moves().next(),
            score,
            level: Some(20 + number as u8),
            engine: Engine::Egaroucid,
        });
        position
    };
    let with = |missing_leaf| EdaxOptions {
        missing_leaf,
        ..OPTIONS
    };
    let folding = [position(parent(), 5, 21), position(child(1), -5, 30)];
    let stops = |positions: &[Position], way| {
        let refused = to_edax(&mut graph_of(positions.iter().cloned()), &with(way)).unwrap_err();
        let EdaxError::Refused(refused) = refused else {
            panic!("{refused}")
        };
        assert_eq!((refused.count, refused.first[0].0), (1, parent()));
    };
    stops(&folding, MissingLeaf::Stop);
    assert_eq!(
        edax(&folding, with(MissingLeaf::Fold)).0.leaf,
        edax_leaf(1, 5, 30)
    );
    // Two links, and a third move that is neither link nor leaf.
    let linked = [position(parent(), 5, 21), with_leaf(0, -5), with_leaf(1, 2)];
    stops(&linked, MissingLeaf::Stop);
    stops(&linked, MissingLeaf::Fold);
    let (found, lost) = edax(&linked, with(MissingLeaf::Demote));
    assert_eq!(found.leaf, edax_leaf(1, -2, 30), "the worst link");
    assert_eq!(found.links.len(), 1);
    assert_eq!(lost.of(Loss::DemotedLinks), 1);
    // Linking again finds nothing, because the position is gone.
    let mut graph = graph_of(linked.iter().cloned());
    to_edax(&mut graph, &with(MissingLeaf::Demote)).unwrap();
    assert_eq!(graph.find(child(1)), None);
    assert_eq!(link(&mut graph).unwrap(), LinkReport::default());
    // The value came from the search of the leaf.
    let mut deeper = linked.clone();
    deeper[2].leaf.as_mut().unwrap().level = Some(40);
    let (found, _) = edax(&deeper, with(MissingLeaf::Demote));
    assert_eq!(found.leaf, edax_leaf(1, -2, 40));
    assert_eq!(found.level, Some(40));
    // Every move is a link, so nothing is missing.
    let whole = [
        position(parent(), 5, 21),
        with_leaf(0, -5),
        with_leaf(1, 2),
        with_leaf(2, 3),
    ];
    for way in [MissingLeaf::Stop, MissingLeaf::Fold, MissingLeaf::Demote] {
        let (found, lost) = edax(&whole, with(way));
        assert_eq!((found.leaf, found.links.len()), (None, 3));
        assert_eq!(lost.of(Loss::DemotedLinks), 0);
    }
}

/// Whether leaves are missing doesn't depend on which demands are named.
#[test]
fn a_missing_leaf_behind_other_demands_is_reported() {
    let with_leaf = |board: CanonicalBoard| {
        let mut position = position(board, 0, 21);
        position.leaf = Some(Leaf {
            mv: board.board().moves().next(),
            score: 0,
            level: Some(21),
            engine: Engine::Egaroucid,
        });
        position
    };
    // Boards with an empty centre can't be repaired. They come first because they have few empty squares.
    let empty_centre = |shift: u32| Board::new(0xff | 1 << (62 - shift), 0xff00).unwrap();
    let mut positions = vec![position(parent(), 5, 21), with_leaf(child(0))];
    positions.extend((0..3).map(|shift| with_leaf(empty_centre(shift).canonical())));
    for (leaf, lacks_leaves) in [(None, true), (leaf(1, 5, 21), false)] {
        positions[0].leaf = leaf;
        let refused = to_edax(&mut graph_of(positions.iter().cloned()), &OPTIONS).unwrap_err();
        let EdaxError::Refused(refused) = refused else {
            panic!("{refused}")
        };
        let named: Vec<Demand> = refused.first.iter().map(|(_, demand)| *demand).collect();
        assert_eq!(named, [Demand::EmptyCentre; 3]);
        assert_eq!(refused.lacks_leaves, lacks_leaves);
    }
}

#[test]
fn levels_that_edax_lacks() {
    let mut positions = [position(parent(), 1, 70)];
    positions[0].leaf = leaf(0, 1, 70);
    let (found, lost) = edax(&positions, OPTIONS);
    assert_eq!(found.level, Some(60));
    assert_eq!(lost, losses(&[(Loss::LevelsAbove60, 1)]));
    positions[0].level = None;
    positions[0].leaf.as_mut().unwrap().level = None;
    let (found, lost) = edax(&positions, OPTIONS);
    assert_eq!((found.level, found.engine), (Some(9), Engine::Edax));
    assert_eq!(lost, losses(&[(Loss::AssumedLevels, 1)]));
}

/// A position of a real game, the pass position after a move, and the position after the pass.
fn around_a_pass() -> (Board, Board, Board) {
    let games = std::fs::read_to_string(golden("edax/games.txt")).unwrap();
    for game in games.lines() {
        let mut before = Board::START;
        for square in game.as_bytes().chunks(2) {
            let mv: Move = std::str::from_utf8(square).unwrap().parse().unwrap();
            let after = before.play(mv).unwrap();
            let passed = after.passed();
            if after.must_pass() && passed.moves().count() > 1 && before.moves().count() > 1 {
                return (before, after, passed);
            }
            before = if after.must_pass() { passed } else { after };
        }
    }
    panic!("no game has a pass");
}

/// A position after a pass that lacks a leaf becomes the leaf of the pass, before any link is demoted.
#[test]
fn a_position_behind_a_pass_becomes_the_leaf_of_the_pass() {
    let (before, passing, passed) = around_a_pass();
    let searched = |board: Board, value: i16, mv: Option<Move>| {
        let mut position = position(board.canonical(), value, 21);
        position.lines = Some(2);
        position.leaf = mv.map(|mv| Leaf {
            mv: Some(mv),
            score: value as i8,
            level: Some(21),
            engine: Engine::Egaroucid,
        });
        position
    };
    let in_canonical = |board: Board| board.canonical().board();
    let other = in_canonical(before)
        .children()
        .find(|(_, child)| child.canonical() != passing.canonical());
    let below = in_canonical(passed).children().next().unwrap().1;
    let positions = [
        searched(before, 9, other.map(|(mv, _)| mv)),
        searched(passed, 9, None),
        searched(below, -9, in_canonical(below).moves().next()),
    ];
    for missing_leaf in [MissingLeaf::Fold, MissingLeaf::Demote] {
        let mut graph = graph_of(positions.iter().cloned());
        let options = EdaxOptions {
            missing_leaf,
            ..OPTIONS
        };
        let losses = to_edax(&mut graph, &options).unwrap();
        assert_eq!(losses.of(Loss::DemotedLinks), 0);
        assert_eq!(graph.find(passed.canonical()), None);
        let leaf = graph
            .leaf(graph.find(passing.canonical()).unwrap())
            .unwrap();
        assert_eq!((leaf.mv, leaf.score), (Some(Move::Pass), -9));
    }
    let options = EdaxOptions {
        missing_leaf: MissingLeaf::Stop,
        ..OPTIONS
    };
    let mut graph = graph_of(positions);
    to_edax(&mut graph, &options).unwrap_err();
}

/// A pass position with nothing but a value, as in files of the older formats, keeps it as the score of the pass.
#[test]
fn a_lonely_pass_position_has_the_pass_as_its_leaf() {
    let passing = Board::new(0b10, 0b1 | 0x18_1800_0000).unwrap();
    assert!(passing.must_pass());
    let mut graph = graph_of([position(passing.canonical(), 7, 21)]);
    to_edax(&mut graph, &OPTIONS).unwrap();
    let id = graph.find(passing.canonical()).unwrap();
    let pass = Leaf {
        mv: Some(Move::Pass),
        score: 7,
        level: Some(21),
        engine: Engine::Edax,
    };
    assert_eq!((graph.leaf(id), graph.value(id)), (Some(pass), Some(7)));
    // In a book without passes it becomes the position after the pass.
    let mut options = EgaroucidOptions {
        rules: RuleSet::Edax,
        header: Header::default(),
        format: Format::Egbk3,
        leaves: Leaves::Keep,
    };
    let mut turned = graph.clone();
    let lost = to_egaroucid(&mut turned, &options).unwrap();
    assert_eq!(lost, losses(&[(Loss::UnreachablePasses, 1)]));
    let id = turned.find(passing.passed().canonical()).unwrap();
    assert_eq!(
        (turned.len(), turned.value(id), turned.leaf(id)),
        (1, Some(-7), None)
    );
    // If leaves become positions, the result is the same.
    options.leaves = Leaves::AsPositions;
    to_egaroucid(&mut graph, &options).unwrap();
    let id = graph.find(passing.passed().canonical()).unwrap();
    assert_eq!(
        (graph.len(), graph.value(id), graph.level(id)),
        (1, Some(-7), Some(21))
    );
}

/// If two leaves lead to the same board, the better search becomes the position. If the other one disagrees, that is reported.
#[test]
fn leaves_that_contradict_the_position_in_their_place_are_counted() {
    let reached = "f5d6c3d3c4".parse::<Line>().unwrap().board();
    let mut parents: Vec<(Move, CanonicalBoard)> = Vec::new();
    for (_, parent) in reached.parents() {
        let canonical = parent.canonical();
        let mv = canonical
            .board()
            .children()
            .find_map(|(mv, child)| (child.canonical() == reached.canonical()).then_some(mv));
        if parents.iter().all(|(_, other)| *other != canonical) {
            parents.push((mv.unwrap(), canonical));
        }
    }
    let searched = |(mv, board): (Move, CanonicalBoard), score: i8, level| {
        let mut position = position(board, score.into(), 21);
        position.lines = Some(1);
        position.leaf = Some(Leaf {
            mv: Some(mv),
            score,
            level: Some(level),
            engine: Engine::Egaroucid,
        });
        position
    };
    let options = EgaroucidOptions {
        rules: RuleSet::Egaroucid,
        header: Header::default(),
        format: Format::Egbk2,
        leaves: Leaves::AsPositions,
    };
    for (second, contradictions) in [(3, 0), (5, 1)] {
        let positions = [
            searched(parents[0], 3, 30),
            searched(parents[1], second, 20),
        ];
        let mut graph = graph_of(positions);
        let lost = to_egaroucid(&mut graph, &options).unwrap();
        assert_eq!(lost.of(Loss::LeafScores), contradictions);
        let id = graph.find(reached.canonical()).unwrap();
        assert_eq!((graph.value(id), graph.level(id)), (Some(-3), Some(30)));
    }
}

#[test]
fn leaves_become_positions_with_their_level_and_the_other_sides_value() {
    let mut positions = [position(parent(), 4, 21)];
    positions[0].leaf = leaf(0, 4, 33);
    positions[0].lines = Some(1);
    let options = EgaroucidOptions {
        rules: RuleSet::Egaroucid,
        header: Header::default(),
        format: Format::Egbk3,
        leaves: Leaves::AsPositions,
    };
    let mut graph = graph_of(positions.iter().cloned());
    let lost = to_egaroucid(&mut graph, &options).unwrap();
    assert_eq!(lost, losses(&[(Loss::LeavesAsPositions, 1)]));
    let id = graph.find(child(0)).unwrap();
    assert_eq!((graph.value(id), graph.level(id)), (Some(-4), Some(33)));
    let parent = graph.find(parent()).unwrap();
    assert_eq!(graph.leaf(parent), None);
}

#[test]
fn the_header_follows_from_the_book_unless_it_is_given() {
    let mut positions = [position(parent(), 4, 21), position(child(1), -4, 30)];
    positions[1].leaf = Some(Leaf {
        mv: child(1).board().moves().next(),
        score: -4,
        level: Some(30),
        engine: Engine::Egaroucid,
    });
    positions[0].leaf = leaf(0, 1, 30);
    let mut graph = graph_of(positions.iter().cloned());
    to_edax(&mut graph, &OPTIONS).unwrap();
    let outline = Outline::of(&mut graph.clone().into()).unwrap();
    let header = outline.complete(&Header::default());
    let parent_empties = 59;
    assert_eq!(
        (
            header.level,
            header.n_empties,
            header.midgame_error,
            header.endcut_error
        ),
        (Some(30), Some(parent_empties), Some(2), Some(1))
    );
    let given = HeaderOptions {
        level: Some(18),
        depth: Some(40),
        midgame_error: Some(3),
        endcut_error: Some(0),
    };
    let header = outline.complete(&given.over(&header));
    assert_eq!(
        (
            header.level,
            header.depth(),
            header.midgame_error,
            header.endcut_error
        ),
        (Some(18), Some(40), Some(3), Some(0))
    );
}

/// A level that means the same search on both scales loses nothing.
#[test]
fn levels_are_named_only_if_they_mean_another_search() {
    let empties = parent().board().empties() as u8;
    let mut named = Vec::new();
    for level in 0..=60 {
        let [own, other] = [Engine::Obook, Engine::Egaroucid]
            .map(|engine| Strength::new(engine, Some(level), empties));
        let (_, lost) = to_egbk3([of_obook(level)]);
        assert_eq!(
            lost.of(Loss::Engines),
            u64::from(own != other),
            "level {level}"
        );
        named.push(own != other);
    }
    assert!(named.contains(&true) && named.contains(&false), "{named:?}");
}

/// A position and a leaf from the engine inside obook.
fn of_obook(level: u8) -> Position {
    let mut position = position(parent(), 1, level);
    position.engine = Engine::Obook;
    position.leaf = leaf(0, 1, level).map(|leaf| Leaf {
        engine: Engine::Obook,
        ..leaf
    });
    position
}

fn to_egbk3(positions: [Position; 1]) -> (Graph, Losses) {
    let options = EgaroucidOptions {
        rules: RuleSet::Egaroucid,
        header: Header::default(),
        format: Format::Egbk3,
        leaves: Leaves::Keep,
    };
    let mut graph = graph_of(positions);
    let lost = to_egaroucid(&mut graph, &options).unwrap();
    (graph, lost)
}

/// Such a pass made the parent's value 0. By the rules it is -3.
#[test]
fn a_pass_that_the_rules_forbid_is_counted() {
    let mut positions = [position(parent(), 0, 21), position(child(1), 3, 21)];
    let link = |mv| Link { mv, score: None };
    positions[0].links = vec![link(mv(1)), link(Move::Pass)].into();
    let book = || graph_of(positions.iter().cloned());
    for rules in [RuleSet::Edax, RuleSet::Egaroucid, RuleSet::EgaroucidEdax] {
        let header = Header::default();
        let scoring = Scoring::of(rules, &header);
        let edax = EdaxOptions {
            rules: scoring,
            ..OPTIONS
        };
        let lost = to_edax(&mut book(), &edax).unwrap();
        assert_eq!(lost.of(Loss::IllegalPasses), 1, "{rules:?}");
        let lost = in_all_ways(&mut book(), |book| {
            mapping::to_ntest(book, scoring, &header)
        })
        .unwrap();
        assert_eq!(lost.of(Loss::IllegalPasses), 1, "{rules:?}");
        for format in [Format::Egbk3, Format::Egbk2, Format::Egbk] {
            let options = EgaroucidOptions {
                rules,
                header: header.clone(),
                format,
                leaves: Leaves::Keep,
            };
            let lost = to_egaroucid(&mut book(), &options).unwrap();
            assert_eq!(lost.of(Loss::IllegalPasses), 1, "{rules:?} {format:?}");
            let changes = u64::from(rules == RuleSet::Edax);
            assert_eq!(lost.of(Loss::Values), changes, "{rules:?} {format:?}");
        }
    }
}

/// The engine inside obook has no format of its own, so its levels come back as another engine's. Its scale is Edax's.
#[test]
fn levels_of_obooks_engine_go_out_with_their_number() {
    let (found, lost) = edax(&[of_obook(20)], OPTIONS);
    assert_eq!(found.leaf, edax_leaf(0, 1, 20));
    assert_eq!((found.level, found.engine), (Some(20), Engine::Edax));
    assert_eq!(lost, losses(&[]));
    let (graph, lost) = to_egbk3([of_obook(20)]);
    assert_eq!(lost, losses(&[(Loss::Engines, 1)]));
    let leaf = graph.leaf(graph.find(parent()).unwrap()).unwrap();
    assert_eq!(leaf.level, Some(20));
}
