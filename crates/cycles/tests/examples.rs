//! Small games worth looking at.

use obook_cycles::{Answer, Edge, Graph, Own, Score, TaggingSearch, exact};
use std::ops::RangeInclusive;

/// Every edge changes the side.
struct Game {
    children: &'static [&'static [u32]],
    payoffs: &'static [Option<Score>],
    /// The worth of a repetition to the side that makes it.
    to_maker: Score,
}

impl Graph for Game {
    fn nodes(&self) -> u32 {
        self.children.len() as u32
    }
    fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
        self.children[node as usize]
            .iter()
            .map(|&child| Edge::turn(child))
    }
    fn payoff(&self, node: u32) -> Option<Score> {
        self.payoffs[node as usize]
    }
    fn repetition_range(&self, _: u32) -> RangeInclusive<Score> {
        self.to_maker..=self.to_maker
    }
    fn limit(&self) -> Score {
        64
    }
}

fn own(game: &Game) -> Vec<Own> {
    let scores = exact(game);
    (0..game.nodes()).map(|node| scores.own(node)).collect()
}

const PLENTY: u64 = 1_000;

/// X→A→B→C→D→A: A has a leaf of 4, D one of −6.
const WORKED: Game = Game {
    children: &[&[1], &[2], &[3], &[4], &[1]],
    payoffs: &[None, Some(4), None, None, Some(-6)],
    to_maker: 0,
};

#[test]
fn results_of_one_path_do_no_harm_on_another() {
    // Ask in every order, so that each question may leave something behind for the others.
    let questions: [(&[u32], Answer); 5] = [
        (&[0, 1, 2, 3, 4], Answer::Path { score: 0, since: 1 }),
        (&[1, 2, 3, 4], Answer::Path { score: 0, since: 0 }),
        // A's 4 decides here, but the repetition of B might have hidden something better for A.
        (
            &[2, 3, 4],
            Answer::Path {
                score: -4,
                since: 0,
            },
        ),
        (&[4], Answer::Own(-4)),
        (&[0], Answer::Own(-4)),
    ];
    for first in 0..questions.len() {
        for second in 0..questions.len() {
            let mut search = TaggingSearch::new(&WORKED);
            for at in [first, second, first] {
                let (path, answer) = questions[at];
                assert_eq!(
                    search.answer(path, PLENTY),
                    Ok(answer),
                    "{path:?}, {first}, {second}"
                );
            }
        }
    }
}

#[test]
fn a_repetition_that_cannot_matter_leaves_no_tag() {
    // In 1 a repetition of 0 is possible, but nothing beats 64.
    let best = Game {
        children: &[&[1], &[0]],
        payoffs: &[None, Some(64)],
        to_maker: 0,
    };
    assert_eq!(
        TaggingSearch::new(&best).answer(&[0, 1], PLENTY),
        Ok(Answer::Own(64))
    );

    // In 2 the opponent gets 5 or a repetition, so 1 gets −5 or less there; it has −3 elsewhere.
    let bound = Game {
        children: &[&[1], &[2], &[0]],
        payoffs: &[None, Some(-3), Some(5)],
        to_maker: 0,
    };
    let mut search = TaggingSearch::new(&bound);
    assert_eq!(
        search.answer(&[0, 1, 2], PLENTY),
        Ok(Answer::Path { score: 5, since: 0 })
    );
    assert_eq!(search.answer(&[0, 1], PLENTY), Ok(Answer::Own(-3)));
}

#[test]
fn a_position_that_never_ends_has_no_score_and_is_no_option() {
    // 0 can go to 1 (worth −2 to it) or to the dead end 2 → 3.
    let game = Game {
        children: &[&[1, 2], &[], &[3], &[]],
        payoffs: &[None, Some(2), None, None],
        to_maker: 0,
    };
    let scores = [Own::Score(-2), Own::Score(2), Own::NoScore, Own::NoScore];
    assert_eq!(own(&game), scores);
    assert_eq!(
        TaggingSearch::new(&game).answer(&[0, 2], PLENTY),
        Ok(Answer::NoScore)
    );
}

#[test]
fn a_self_loop_is_a_repetition() {
    let better = Game {
        children: &[&[0]],
        payoffs: &[Some(-8)],
        to_maker: 0,
    };
    assert_eq!(own(&better), [Own::Score(0)]);
    let worse = Game {
        children: &[&[0]],
        payoffs: &[Some(8)],
        to_maker: 0,
    };
    assert_eq!(own(&worse), [Own::Score(8)]);
    let alone = Game {
        children: &[&[0]],
        payoffs: &[None],
        to_maker: 0,
    };
    assert_eq!(own(&alone), [Own::Score(0)]);
}

#[test]
fn repetitions_that_lose_for_their_maker_are_listed_and_settled_by_search() {
    // 0 ⇄ 1, 2 → 0: the side that makes the repetition loses 10. So the side that starts the cycle wins.
    let game = Game {
        children: &[&[1], &[0], &[0], &[0]],
        payoffs: &[None, None, None, Some(30)],
        to_maker: -10,
    };
    let scores = exact(&game);
    assert!(scores.unsettled().eq([0_u32, 1, 2]));
    for node in scores.unsettled() {
        assert_eq!(
            scores.own(node),
            Own::Unsettled {
                lower: -10,
                upper: 10
            }
        );
    }
    // The leaf is better than the cycle, whatever that is worth.
    assert_eq!(scores.own(3), Own::Score(30));

    let mut search = TaggingSearch::with_scores(&game, &scores);
    let settled = [10, 10, -10, 30];
    for (node, score) in (0..).zip(settled) {
        assert_eq!(
            search.answer(&[node], PLENTY),
            Ok(Answer::Own(score)),
            "position {node}"
        );
    }
    // Two positions of one cycle, both won: neither own score follows from the other.
    assert_eq!(
        search.answer(&[0, 1], PLENTY),
        Ok(Answer::Path {
            score: -10,
            since: 0
        })
    );
}
