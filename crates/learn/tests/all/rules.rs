//! Each rule agrees with its definition and comes to an end.

use super::best_first::random_line;
use super::by_definition::{self, Book, Errors, Given, Wanted};
use super::made_up::made_up;
use super::waves::{choose, grow};
use obook_graph::Graph;
use obook_graph::negamax::Scoring;
use obook_learn::{Played, Rule, Setting, Want};
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Position};
use obook_testing::consistent_book::closed;
use obook_testing::golden;
use obook_testing::growing::{Growing, Stage};
use obook_testing::random_book::{Random, bush, recipes};
use obook_testing::samples::samples;
use obook_testing::slabs::in_all_ways;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const SCORINGS: [Scoring; 3] = [
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
];

/// A book with a stage.
#[derive(Debug)]
struct Start {
    book: Growing,
    stage: Stage,
}

/// Books in which most positions have leaves, of various levels, a few of them entered by hand.
fn starts() -> impl Strategy<Value = Start> {
    let boards = prop_oneof![
        recipes().prop_map(|recipe| closed(&recipe)),
        (any::<u64>(), 0..60usize, 1..4usize).prop_map(|(seed, trunk, height)| bush(
            &mut Random(seed),
            trunk,
            height
        )),
    ];
    let stages = (
        prop::sample::select(&SCORINGS),
        prop_oneof![Just(60), 0..=61u8],
        0..=60u8,
    );
    (boards, any::<u64>(), stages).prop_map(|(boards, seed, (scoring, depth, level))| {
        let random = &mut Random(seed);
        let boards: Vec<CanonicalBoard> = boards.into_iter().collect();
        // Half of the time, lines begin at the start position.
        let root = match random.below(2) {
            0 => boards[random.below(boards.len().max(1) as u64) as usize],
            _ => Board::START.canonical(),
        };
        let stage = Stage {
            root,
            scoring,
            depth,
            level,
            engine: Engine::Edax,
        };
        let positions = boards.into_iter().map(|board| {
            let mut position = Position::new(board, Engine::Edax);
            position.level = Some(random.below(61) as u8);
            position
        });
        let mut book = Growing::new(positions, stage);
        book.complete(&mut made_up);
        for position in book.positions.values_mut() {
            match random.below(20) {
                0 => position.leaf = None,
                1 => {
                    position.value = Some(random.below(11) as i16 - 5);
                    position.level = Some(70);
                }
                2 => {
                    position.leaf = position.leaf.map(|leaf| Leaf {
                        level: Some(random.below(71) as u8),
                        ..leaf
                    });
                }
                _ => {}
            }
        }
        Start { book, stage }
    })
}

fn limit() -> impl Strategy<Value = Option<u16>> {
    prop_oneof![
        Just(None),
        (0..8u16).prop_map(Some),
        any::<u16>().prop_map(Some)
    ]
}

/// The rules that need no games.
fn rules() -> impl Strategy<Value = Rule> {
    prop_oneof![
        (0..12u8, 0..12u8).prop_map(|(relative, absolute)| Rule::Deviate { relative, absolute }),
        Just(Rule::Extend),
        Just(Rule::Play),
        (limit(), limit(), limit()).prop_map(|(per_move, sum, leaf)| Rule::EgaroucidDeviate {
            per_move,
            sum,
            leaf
        }),
        (0..8u8, 0..8u8).prop_map(|(midgame_error, endcut_error)| Rule::Enhance {
            midgame_error,
            endcut_error
        }),
        prop_oneof![4 => 1..=2u8, 1 => Just(3)].prop_map(|plies| Rule::Fill { plies }),
        Just(Rule::Deepen),
        Just(Rule::Correct),
        (limit(), limit()).prop_map(|(per_move, sum)| Rule::Recalculate { per_move, sum }),
    ]
}

fn rules_about_games() -> impl Strategy<Value = Rule> {
    prop_oneof![
        (0.0..0.5).prop_map(|least| Rule::BestFirst { least }),
        Just(Rule::Store),
        Just(Rule::EgaroucidStore),
    ]
}

fn records(graph: &Graph) -> Book {
    graph.positions().map(|it| (it.board, it)).collect()
}

/// The wants of the rule by definition.
fn wanted(rule: &Rule, stage: &Stage, book: &Book, turn: u64) -> Wanted {
    let given = Given {
        book,
        depth: stage.depth,
        level: stage.level,
    };
    let mut wanted = Wanted::new();
    match rule {
        Rule::Fill { plies } => {
            let boards = book.keys().map(|board| board.board());
            for board in boards.filter(|board| 60 - board.empties() < stage.depth.into()) {
                by_definition::fill(given, board, *plies, &mut Vec::new(), &mut wanted);
            }
            return wanted;
        }
        Rule::Deepen => {
            by_definition::deepen(given, &mut wanted);
            return wanted;
        }
        Rule::Correct => {
            by_definition::correct(given, turn, &mut wanted);
            return wanted;
        }
        _ => {}
    }
    let Some(root) = book.get(&stage.root) else {
        if 60 - stage.root.board().empties() <= stage.depth.into() {
            wanted.insert(stage.root, (Want::Position, stage.level));
        }
        return wanted;
    };
    match *rule {
        Rule::Deviate { relative, absolute } => {
            let Some(value) = root.value.map(i32::from) else {
                return wanted;
            };
            let errors = [[relative.into(), 0], [0, relative.into()]][turn as usize % 2];
            let bounds = (value - i32::from(absolute), value + i32::from(absolute));
            by_definition::deviate(given, root, errors, bounds, &mut wanted);
        }
        Rule::Extend => by_definition::extend(given, root, &mut wanted),
        Rule::Play => by_definition::play(given, root, &mut wanted),
        Rule::EgaroucidDeviate {
            per_move,
            sum,
            leaf,
        } => {
            let errors = Errors {
                per_move,
                sum,
                leaf,
            };
            for best_only in [true, false] {
                by_definition::egaroucid_deviate(given, root, errors, best_only, &mut wanted);
            }
        }
        Rule::Enhance {
            midgame_error,
            endcut_error,
        } => {
            let mut enhance = by_definition::Enhance {
                given,
                errors: [midgame_error.into(), endcut_error.into()],
                known: BTreeMap::new(),
            };
            enhance.choose(root, &mut BTreeSet::new(), &mut wanted);
        }
        Rule::Recalculate { per_move, sum } => {
            by_definition::recalculate(given, root, per_move, sum, &mut wanted);
        }
        _ => unreachable!("{rule:?}"),
    }
    wanted
}

fn chosen(rule: &Rule, stage: &Stage, graph: &Graph, turn: u64) -> Wanted {
    let chosen = choose(rule, graph, &stage.setting(turn));
    let by_board: Wanted = chosen
        .iter()
        .map(|it| (it.board, (it.want, it.level.unwrap_or(stage.level))))
        .collect();
    assert_eq!(by_board.len(), chosen.len(), "a board was chosen twice");
    by_board
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Law (Rules of growth): Each rule chooses what its definition says, and terminates.
    /// Also: `rules_choose_by_their_definitions_in_real_books` `rules_terminate`
    #[test]
    fn rules_choose_by_their_definitions(start in starts(), rule in rules(), turn in 0..4u64) {
        let graph = start.book.graph();
        let book = records(&graph);
        let chosen = chosen(&rule, &start.stage, &graph, turn);
        prop_assert!(chosen == wanted(&rule, &start.stage, &book, turn));
        for (board, (want, _)) in chosen {
            prop_assert_eq!(book.contains_key(&board), want == Want::Leaf);
        }
    }

    #[test]
    fn the_amount_of_memory_changes_no_choice(
        start in starts(),
        rule in prop_oneof![8 => rules(), 2 => rules_about_games()],
        turn in 0..2u64,
        games in prop::collection::vec(any::<u64>(), 0..4),
    ) {
        let games = games.into_iter().map(|seed| random_line(seed, 6));
        let setting = Setting { played: &Played::in_lines(games), ..start.stage.setting(turn) };
        in_all_ways(&mut start.book.graph(), |book| rule.choose(book, &setting)).unwrap();
    }

    /// The depths let few positions in.
    #[test]
    fn rules_terminate(start in starts(), rule in rules(), room in 0..4u8) {
        let Start { book, mut stage } = start;
        let placed = |board: &CanonicalBoard| 60 - board.board().empties() as u8;
        let deepest = book.positions.keys().map(placed).max().unwrap_or(0);
        // Most rules begin at the root, this one at every position.
        let highest = match rule {
            Rule::Fill { .. } => book.positions.keys().map(placed).min().unwrap_or(0),
            _ => placed(&stage.root),
        };
        stage.depth = (highest + room).min(deepest + 1);
        let mut book = Growing::new(book.positions.into_values(), stage);
        let asked = grow(&mut book, &rule, &Played::NOTHING, 400, &mut made_up);
        let graph = book.graph();
        for turn in asked..asked + rule.turns() {
            prop_assert_eq!(choose(&rule, &graph, &stage.setting(turn)), vec![]);
        }
    }
}

/// Law (Rules of growth): Recipes refer to rules by name, and impossible settings are refused.
/// Also: `looking_ahead_too_far_is_refused`
#[test]
fn recipes_write_rules_by_their_names() {
    for rule in samples(&rules(), 100) {
        let written = serde_json::to_value(&rule).unwrap();
        let name = match &written {
            serde_json::Value::Object(map) => map.keys().next().unwrap(),
            name => name.as_str().unwrap(),
        };
        assert_eq!(name, rule.name());
        assert_eq!(serde_json::from_value::<Rule>(written).unwrap(), rule);
    }
}

#[test]
fn looking_ahead_too_far_is_refused() {
    for plies in 0..=u8::MAX {
        let rule = toml::from_str::<BTreeMap<String, Rule>>(&format!("rule.fill.plies = {plies}"));
        assert_eq!(rule.is_ok(), (1..=6).contains(&plies), "{plies}");
        if let Err(error) = rule {
            let says = format!("{plies} plies: expected 1 to 6");
            assert!(error.to_string().contains(&says), "{error}");
        }
    }
}

/// Real books have more transpositions than random ones.
#[test]
fn rules_choose_by_their_definitions_in_real_books() {
    for name in ["games.dat", "edax/deviate.depth9.prune.dat"] {
        let (header, positions) = golden::book(name);
        for scoring in SCORINGS {
            let stage = Stage {
                root: Board::START.canonical(),
                scoring,
                depth: 9,
                level: 2,
                engine: Engine::Edax,
            };
            let graph = Growing::new(positions.clone(), stage).graph();
            let book = records(&graph);
            let (mut any, mut none) = (0, 0);
            for rule in samples(&rules(), 40) {
                for turn in 0..2 {
                    let chosen = chosen(&rule, &stage, &graph, turn);
                    assert_eq!(
                        chosen,
                        wanted(&rule, &stage, &book, turn),
                        "{rule:?} {header:?}"
                    );
                    *if chosen.is_empty() {
                        &mut none
                    } else {
                        &mut any
                    } += 1;
                }
            }
            assert!(any > 10, "{name}: {any} {none}");
        }
    }
}

/// The books suit the rules: each of these chooses some leaves and not others.
#[test]
fn the_books_are_worth_choosing_from() {
    let mut counts: BTreeMap<String, [usize; 3]> = BTreeMap::new();
    for (start, rule) in samples(&(starts(), rules()), 1200) {
        let graph = start.book.graph();
        let name = format!("{rule:?}");
        let name = name.split(' ').next().unwrap().to_owned();
        let counts = counts.entry(name).or_default();
        match choose(&rule, &graph, &start.stage.setting(0)).len() {
            0 => counts[0] += 1,
            1 => counts[1] += 1,
            _ => counts[2] += 1,
        }
    }
    assert_eq!(counts.len(), 9);
    for (name, counts) in &counts {
        assert!(counts.iter().all(|count| *count > 2), "{name}: {counts:?}");
    }
}
