//! The passes agree with the definition: exhaustive evaluation with explicit histories.

use crate::games::{Game, History, Rule, game};
use obook_cycles::{Answer, Cycles, Edge, Graph, Own, Score, Scores, TaggingSearch, exact};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// More than any search in these games needs.
const PLENTY: u64 = 1_000_000;
const MOST_PATHS: usize = 60;

/// Add a failing game, which is printed, to `examples.rs`, not to a file of seeds.
fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Whether a repetition is worth the same to one side however it is made, and the sides are well defined if it isn't a draw.
fn one_worth(game: &Game) -> bool {
    match game.rule {
        Rule::Draw | Rule::Fixed(_) | Rule::Maker(0) | Rule::Marks(0) | Rule::Check(_) => true,
        Rule::ByColour(black, white) => black == white,
        Rule::Maker(_) | Rule::Marks(_) => false,
    }
}

/// Whether the position can return to itself, by plain search.
fn on_cycle(game: &Game, node: u32) -> bool {
    let mut seen = vec![false; game.children.len()];
    let mut open = vec![node];
    while let Some(at) = open.pop() {
        for edge in &game.children[at as usize] {
            if edge.child == node {
                return true;
            }
            if !std::mem::replace(&mut seen[edge.child as usize], true) {
                open.push(edge.child);
            }
        }
    }
    false
}

fn own_scores(game: &Game) -> Vec<Own> {
    let scores = exact(game);
    (0..game.nodes()).map(|node| scores.own(node)).collect()
}

/// The least that a side gets if it always makes one of its best moves, whichever, or takes a payoff that is as good.
fn worst_of_best(game: &Game, scores: &Scores, line: &mut History, ours: bool) -> Score {
    let node = line.last();
    let own = |node| match scores.own(node) {
        Own::Score(score) => Some(score),
        _ => None,
    };
    let mut payoff = game.payoff(node);
    let edges = if ours {
        payoff = payoff.filter(|&payoff| Some(payoff) == own(node));
        scores.best(game, node)
    } else {
        game.children[node as usize].clone()
    };
    let sign = if ours { 1 } else { -1 };
    let mut worst = payoff.map(|payoff| sign * payoff);
    for edge in edges {
        let option = if let Some(worth) = game.repeated(line, edge) {
            sign * worth
        } else if own(edge.child).is_some() {
            line.push(edge);
            let option = worst_of_best(game, scores, line, ours != edge.flips);
            line.pop();
            option
        } else {
            continue;
        };
        worst = Some(worst.map_or(option, |worst: Score| worst.min(option)));
    }
    worst.expect("a position with a score has an option")
}

fn answers(game: &Game, paths: &[Vec<u32>]) -> Vec<Answer> {
    let mut search = TaggingSearch::new(game);
    paths
        .iter()
        .map(|path| search.answer(path, PLENTY).unwrap())
        .collect()
}

fn shuffled(game: &Game, seed: u64) -> Game {
    let mut game = game.clone();
    for (turn, children) in (seed..).zip(&mut game.children) {
        if turn % 2 == 0 {
            children.reverse();
        }
        let by = turn as usize % children.len().max(1);
        children.rotate_left(by);
    }
    game
}

/// 0 checks, and 1 wins if it answers with 2, so that 0 checks for ever. It may also move twice, which ends that.
#[test]
fn a_second_move_in_a_row_is_no_progress() {
    let game = Game {
        children: vec![
            vec![Edge::turn(1)],
            vec![Edge::turn(2), Edge::again(3)],
            vec![Edge::turn(3)],
            vec![Edge::turn(0)],
        ],
        payoffs: vec![None; 4],
        black: Some(vec![false, true, false, true]),
        marked: vec![false, true, true, true],
        ranks: vec![0, 1, 2, 3],
        rule: Rule::Check(6),
        limit: 9,
    };
    let scores = exact(&game);
    assert_eq!([1, 3].map(|node| scores.own(node)), [Own::Score(6); 2]);
    assert_eq!(scores.best(&game, 1), [Edge::turn(2)]);
}

proptest! {
    #![proptest_config(cases(20_000))]

    /// Law (Numbers): With cycles, a stored score equals exhaustive search with an empty history; the tagging search equals it
    /// with the given history, and untagged answers hold for every history.
    /// Also: `tagging_search_is_exhaustive_evaluation_with_the_given_history` `cli/tests/program/fix_loops.rs`
    /// `stored_values_are_own_scores`
    #[test]
    fn exact_pass_is_exhaustive_evaluation_with_an_empty_history(game in game(7)) {
        let scores = exact(&game);
        let mut listed = Vec::new();
        for node in 0..game.nodes() {
            let truth = game.own(node);
            match scores.own(node) {
                Own::NoScore => prop_assert_eq!(truth, None, "position {}", node),
                Own::Score(score) => prop_assert_eq!(truth, Some(score), "position {}", node),
                Own::Unsettled { lower, upper } => {
                    let truth = truth.expect("an unsettled position has a score");
                    prop_assert!(lower < upper && (lower..=upper).contains(&truth),
                        "position {node}: {truth} is not in {lower}..={upper}");
                    prop_assert!(!one_worth(&game), "position {} is unsettled", node);
                    listed.push(node);
                }
            }
        }
        let unsettled: Vec<u32> = scores.unsettled().collect();
        prop_assert_eq!(unsettled, listed);
    }

    /// Law (Numbers): Best moves achieve the position's score and never repeat for ever.
    #[test]
    fn players_who_make_best_moves_get_their_scores(game in game(6)) {
        if one_worth(&game) {
            let scores = exact(&game);
            for node in 0..game.nodes() {
                let Own::Score(score) = scores.own(node) else { continue };
                let worst = worst_of_best(&game, &scores, &mut game.history(&[node]), true);
                prop_assert_eq!(worst, score, "position {}", node);
            }
        }
    }

    #[test]
    fn members_of_cycles_are_those_that_come_back(game in game(7)) {
        let cyclic: Vec<u32> = (0..game.nodes()).filter(|&node| on_cycle(&game, node)).collect();
        let cycles = Cycles::find(&game);
        prop_assert_eq!(cycles.members().map(|(node, _)| node).collect::<Vec<_>>(), &cyclic[..]);
        let from_scores: Vec<u32> = exact(&game).cycles().members().map(|(node, _)| node).collect();
        prop_assert_eq!(from_scores, cyclic);
    }
}

proptest! {
    #![proptest_config(cases(6_000))]

    #[test]
    fn tagging_search_is_exhaustive_evaluation_with_the_given_history(game in game(6)) {
        let scores = exact(&game);
        // The first two carry over what they learnt from path to path.
        let mut search = TaggingSearch::new(&game);
        let mut informed = TaggingSearch::with_scores(&game, &scores);
        for path in game.paths(MOST_PATHS) {
            let answer = search.answer(&path, PLENTY).unwrap();
            prop_assert_eq!(informed.answer(&path, PLENTY).unwrap(), answer, "{:?}, informed", &path);
            let fresh = TaggingSearch::new(&game).answer(&path, PLENTY).unwrap();
            prop_assert_eq!(fresh, answer, "{:?}, fresh", &path);

            let (score, since) = match answer {
                Answer::NoScore => (None, path.len() - 1),
                Answer::Own(score) => (Some(score), path.len() - 1),
                Answer::Path { score, since } => {
                    prop_assert!(since + 1 < path.len(), "{:?} depends on itself", &path);
                    (Some(score), since)
                }
                Answer::Unknown => panic!("{path:?} took more than {PLENTY} positions"),
            };
            // Without a tag, the last cut leaves the position alone: its own score.
            for cut in 0..=since {
                let truth = game.exhaustive(&path[cut..]);
                prop_assert_eq!(truth, score, "{:?} cut at {}", &path, cut);
            }
        }
    }

    /// Law (Numbers): A budget may withhold an answer but never changes one; order, names and threads make no
    /// difference.
    /// Also: `order_of_edges_changes_nothing` `names_of_positions_change_nothing` `crates/cycles/tests/large.rs`
    /// `threads_that_meet_inside_a_layer_change_nothing`
    #[test]
    fn a_budget_changes_no_answer_but_may_withhold_it(game in game(6), budget in 0..30u64) {
        let paths = game.paths(MOST_PATHS);
        let mut search = TaggingSearch::new(&game);
        for (path, truth) in paths.iter().zip(answers(&game, &paths)) {
            let answer = search.answer(path, budget).unwrap();
            prop_assert!(answer == truth || answer == Answer::Unknown, "{path:?}: {answer:?}, not {truth:?}");
        }
    }

    #[test]
    fn order_of_edges_changes_nothing(game in game(7), seed in 0..1000u64) {
        let other = shuffled(&game, seed);
        let paths = game.paths(MOST_PATHS);
        prop_assert_eq!(own_scores(&game), own_scores(&other));
        prop_assert_eq!(answers(&game, &paths), answers(&other, &paths));
    }

    #[test]
    fn names_of_positions_change_nothing(
        (game, names) in game(7).prop_flat_map(|game| {
            let names: Vec<u32> = (0..game.nodes()).collect();
            (Just(game), Just(names).prop_shuffle())
        })
    ) {
        let renamed = game.renamed(&names);
        let own = own_scores(&renamed);
        let back: Vec<Own> = names.iter().map(|&name| own[name as usize]).collect();
        prop_assert_eq!(own_scores(&game), back);

        let paths = game.paths(MOST_PATHS);
        let new_name = |&node: &u32| names[node as usize];
        let renamed_paths: Vec<Vec<u32>> =
            paths.iter().map(|path| path.iter().map(new_name).collect()).collect();
        prop_assert_eq!(answers(&game, &paths), answers(&renamed, &renamed_paths));
    }

    #[test]
    fn ranks_change_nothing(game in game(7), ranks in prop::collection::vec(any::<u32>(), 7)) {
        let other = Game { ranks, ..game.clone() };
        prop_assert_eq!(exact(&game), exact(&other));
    }

    #[test]
    fn untagged_everywhere_without_cycles(game in game(7)) {
        let mut game = game;
        for (node, children) in (0..).zip(&mut game.children) {
            children.retain(|edge| edge.child > node);
        }
        for (path, answer) in game.paths(MOST_PATHS).iter().zip(answers(&game, &game.paths(MOST_PATHS))) {
            prop_assert!(matches!(answer, Answer::Own(_) | Answer::NoScore), "{path:?}: {answer:?}");
        }
    }
}

/// The laws above would also hold if no cycles mattered. They do.
#[test]
fn the_games_are_worth_testing() {
    let mut runner = TestRunner::deterministic();
    let strategy = game(6);
    let [
        mut settled,
        mut unsettled,
        mut none,
        mut own,
        mut tagged,
        mut wrong_to_store,
    ] = [0; 6];
    for _ in 0..2_000 {
        let game = strategy.new_tree(&mut runner).unwrap().current();
        let scores: Scores = exact(&game);
        for (node, _) in scores.cycles().members() {
            match scores.own(node) {
                Own::Score(_) => settled += 1,
                Own::NoScore => panic!("a cycle has a score"),
                Own::Unsettled { .. } => unsettled += 1,
            }
        }
        let paths = game.paths(MOST_PATHS);
        for (path, answer) in paths.iter().zip(answers(&game, &paths)) {
            match answer {
                Answer::NoScore => none += 1,
                Answer::Own(_) => own += 1,
                Answer::Path { score, .. } => {
                    tagged += 1;
                    if game.own(path[path.len() - 1]) != Some(score) {
                        wrong_to_store += 1;
                    }
                }
                Answer::Unknown => panic!("{path:?} took more than {PLENTY} positions"),
            }
        }
    }
    let counts = [settled, unsettled, none, own, tagged, wrong_to_store];
    assert!(counts.iter().all(|&count| count > 500), "{counts:?}");
}
