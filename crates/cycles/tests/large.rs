//! Graphs too large for the definition: deep lines and large components.

use obook_cycles::{Answer, Edge, Graph, Own, PathError, Score, TaggingSearch, exact};
use std::ops::RangeInclusive;

/// Positions 0 to n − 1, edges by arithmetic, repetitions a draw.
struct Made<C, P> {
    nodes: u32,
    /// The number of consecutive positions that share a rank.
    layer: u32,
    children: C,
    payoff: P,
}

impl<C, P, I> Graph for Made<C, P>
where
    C: Fn(u32) -> I + Sync,
    P: Fn(u32) -> Option<Score> + Sync,
    I: Iterator<Item = Edge>,
{
    fn nodes(&self) -> u32 {
        self.nodes
    }
    fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
        (self.children)(node)
    }
    fn payoff(&self, node: u32) -> Option<Score> {
        (self.payoff)(node)
    }
    fn repetition_range(&self, _: u32) -> RangeInclusive<Score> {
        0..=0
    }
    fn rank(&self, node: u32) -> u32 {
        node / self.layer
    }
}

/// A number that looks random, from 0 to `below` − 1.
fn noise(seed: u32, below: u32) -> u32 {
    let mut x = u64::from(seed)
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    ((x >> 33) % u64::from(below)) as u32
}

/// One component: a ring with three more edges from each position. One position in `rare` has a payoff.
fn tangle(nodes: u32, rare: u32) -> impl Graph {
    Made {
        nodes,
        layer: 1,
        children: move |node: u32| {
            let chords = (0..3).map(move |turn| noise(3 * node + turn, nodes));
            std::iter::once((node + 1) % nodes)
                .chain(chords)
                .map(Edge::turn)
        },
        payoff: move |node| {
            (noise(node ^ 0x5555, rare) == 0).then(|| noise(node, 129) as Score - 64)
        },
    }
}

/// A tangle in which sides alternate along the ring, many positions are in check, and perpetual check costs 60.
struct Checks<G>(G);

impl<G: Graph> Graph for Checks<G> {
    fn nodes(&self) -> u32 {
        self.0.nodes()
    }
    fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
        let other_side = move |edge: Edge| Edge::turn(edge.child ^ 1 ^ (node ^ edge.child) & 1);
        self.0.children(node).map(other_side)
    }
    fn payoff(&self, node: u32) -> Option<Score> {
        self.0.payoff(node)
    }
    fn repetition_range(&self, _: u32) -> RangeInclusive<Score> {
        0..=0
    }
    fn perpetual(&self) -> Option<Score> {
        Some(60)
    }
    fn checked(&self, node: u32) -> bool {
        noise(node ^ 0x7777, 100) < if node.is_multiple_of(2) { 95 } else { 20 }
    }
}

/// The positions from which the side that moves in positions of one parity gets `threshold` or more: the definition of the
/// parity game as nested fixpoints.
fn forced(game: &impl Graph, parity: u32, threshold: Score) -> Vec<bool> {
    let step = |x: &[bool], y: &[bool], z: &[bool]| {
        let holds = |node: u32| {
            let attacks = node % 2 == parity;
            let exit = game.payoff(node);
            let exit = exit.map(|score| (if attacks { score } else { -score }) >= threshold);
            let mut options = game.children(node).map(|edge| {
                let set = if game.checked(edge.child) || threshold > 60 {
                    x
                } else if attacks {
                    y
                } else {
                    z
                };
                set[edge.child as usize]
            });
            if attacks {
                exit == Some(true) || options.any(|good| good)
            } else {
                exit != Some(false) && options.all(|good| good)
            }
        };
        (0..game.nodes()).map(holds).collect::<Vec<_>>()
    };
    let all = |value| vec![value; game.nodes() as usize];
    let mut z = all(false);
    loop {
        let mut y = all(true);
        loop {
            let mut x = all(false);
            loop {
                let next = step(&x, &y, &z);
                if next == x {
                    break;
                }
                x = next;
            }
            if x == y {
                break;
            }
            y = x;
        }
        if y == z {
            return z;
        }
        z = y;
    }
}

#[test]
fn perpetual_checks_of_a_component_of_hundreds_equal_nested_fixpoints() {
    let mut perpetual = 0;
    for rare in [3, 20, 1000] {
        let game = Checks(tangle(200, rare));
        let scores = exact(&game);
        let score = |node| match scores.own(node) {
            Own::Score(score) => score,
            other => panic!("{other:?}"),
        };
        for threshold in [1, 30, 59, 60, 61] {
            for parity in [0, 1] {
                let forced = forced(&game, parity, threshold);
                for node in 0..200 {
                    let reaches = if node % 2 == parity {
                        score(node)
                    } else {
                        -score(node)
                    };
                    assert_eq!(
                        reaches >= threshold,
                        forced[node as usize],
                        "{node} {threshold}"
                    );
                }
            }
        }
        perpetual += (0..200).filter(|&node| score(node).abs() == 60).count();
    }
    assert!(
        perpetual > 20,
        "{perpetual} positions are lost by perpetual check"
    );
}

#[test]
fn a_large_component_with_checks_is_settled() {
    let game = Checks(tangle(100_000, 20));
    let scores = exact(&game);
    assert_eq!(scores.unsettled().len(), 0);
    assert!(scores.cycles().members().len() > 90_000);
    let own = |node| match scores.own(node) {
        Own::Score(score) => score,
        other => panic!("{other:?}"),
    };
    for node in 0..game.nodes() {
        let options = game.children(node).map(|edge| -own(edge.child));
        let best = options.chain(game.payoff(node)).max();
        assert_eq!(Some(own(node)), best, "position {node}");
        // Some best option leads on.
        let best = scores.best(&game, node);
        assert!(
            !best.is_empty() || game.payoff(node) == Some(own(node)),
            "position {node}"
        );
    }
}

#[test]
fn a_long_line_needs_no_stack() {
    let last = 199_999;
    for layer in [last + 1, 1] {
        let line = Made {
            nodes: last + 1,
            layer,
            children: |node| (node < last).then(|| Edge::turn(node + 1)).into_iter(),
            payoff: |node| (node == last).then_some(7),
        };
        let scores = exact(&line);
        assert_eq!(scores.own(0), Own::Score(-7));
        assert_eq!(scores.cycles().members().len(), 0);
        assert_eq!(
            TaggingSearch::new(&line).answer(&[0], 400_000),
            Ok(Answer::Own(-7))
        );
    }
}

#[test]
fn a_long_cycle_needs_no_stack() {
    let nodes = 200_000;
    let ring = Made {
        nodes,
        layer: 1,
        children: |node| std::iter::once(Edge::turn((node + 1) % nodes)),
        payoff: |node| (node == 10).then_some(3),
    };
    let scores = exact(&ring);
    assert_eq!(scores.own(10), Own::Score(3));
    assert_eq!(scores.own(9), Own::Score(-3));
    assert_eq!(scores.own(11), Own::Score(-3));
    assert_eq!(scores.cycles().members().len(), nodes as usize);
    let mut search = TaggingSearch::new(&ring);
    assert_eq!(search.answer(&[11], u64::from(nodes)), Ok(Answer::Own(-3)));
    assert_eq!(
        search.answer(&[12], u64::from(nodes) - 1),
        Ok(Answer::Unknown)
    );
}

#[test]
fn scores_of_a_large_component_follow_from_one_another() {
    for rare in [2, 20, 200] {
        let game = tangle(100_000, rare);
        let scores = exact(&game);
        assert_eq!(scores.cycles().members().len(), 100_000);
        let own = |node| match scores.own(node) {
            Own::Score(score) => score,
            other => panic!("{other:?}"),
        };
        let mut decisive = 0;
        for node in 0..game.nodes() {
            let options = game.children(node).map(|edge| -own(edge.child));
            assert_eq!(
                Some(own(node)),
                options.chain(game.payoff(node)).max(),
                "position {node}"
            );
            decisive += u32::from(own(node) != 0);
        }
        assert!(decisive > 100, "{decisive} positions are not drawn");
    }
}

/// Layers large enough for several threads, edges inside a layer, and a few that lead back and make cycles. With one position
/// per layer, threads can't change the order of anything.
#[test]
fn threads_that_meet_inside_a_layer_change_nothing() {
    let nodes = 60_000;
    let game = |layer| Made {
        nodes,
        layer,
        children: move |node: u32| {
            let forward = (0..3).map(move |turn| node + 1 + noise(3 * node + turn, 400));
            let back = (noise(node ^ 0x3333, 5000) == 0).then(|| node.saturating_sub(4000));
            forward
                .filter(move |&child| child < nodes)
                .chain(back)
                .map(Edge::turn)
        },
        payoff: |node| (noise(node ^ 0x5555, 9) == 0).then(|| noise(node, 129) as Score - 64),
    };
    let truth = exact(&game(1));
    let cyclic = truth.cycles().members().len();
    assert!(
        (1_000..nodes as usize / 2).contains(&cyclic),
        "{cyclic} positions on cycles"
    );
    for layer in [nodes, 20_000, 3_000] {
        for _ in 0..10 {
            assert!(exact(&game(layer)) == truth, "layers of {layer} positions");
        }
    }
}

/// The scores that each side can force, by the definition of attractors, threshold by threshold.
#[test]
fn a_component_of_hundreds_equals_attractors_of_every_threshold() {
    for rare in [2, 5, 30] {
        let game = tangle(300, rare);
        let scores = exact(&game);
        for threshold in 1..=64 {
            // Whether the mover can force the threshold, and whether the opponent can.
            let [mut wins, mut loses] = [vec![false; 300], vec![false; 300]];
            loop {
                let before = (wins.clone(), loses.clone());
                for node in 0..300 {
                    let payoff = game.payoff(node);
                    let children: Vec<usize> = game
                        .children(node)
                        .map(|edge| edge.child as usize)
                        .collect();
                    wins[node as usize] |= payoff.is_some_and(|score| score >= threshold)
                        || children.iter().any(|&child| loses[child]);
                    loses[node as usize] |= payoff.is_none_or(|score| score <= -threshold)
                        && children.iter().all(|&child| wins[child]);
                }
                if before == (wins.clone(), loses.clone()) {
                    break;
                }
            }
            for node in 0..300 {
                let Own::Score(score) = scores.own(node) else {
                    panic!("position {node}")
                };
                assert_eq!(
                    score >= threshold,
                    wins[node as usize],
                    "{node}, {threshold}"
                );
                assert_eq!(
                    score <= -threshold,
                    loses[node as usize],
                    "{node}, {threshold}"
                );
            }
        }
    }
}

#[test]
fn a_search_in_a_large_component_ends_in_unknown_not_never() {
    let game = tangle(100_000, 1000);
    let mut search = TaggingSearch::new(&game);
    assert_eq!(search.answer(&[0], 50_000), Ok(Answer::Unknown));
    assert_eq!(search.answer(&[0], 0), Ok(Answer::Unknown));
}

#[test]
fn extreme_scores_do_not_overflow() {
    struct Extreme(Score, RangeInclusive<Score>);
    impl Graph for Extreme {
        fn nodes(&self) -> u32 {
            2
        }
        fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
            [Edge::turn(1 - node), Edge::again(1 - node)].into_iter()
        }
        fn payoff(&self, node: u32) -> Option<Score> {
            (node == 0).then_some(self.0)
        }
        fn repetition_range(&self, _: u32) -> RangeInclusive<Score> {
            self.1.clone()
        }
        fn repetition(&self, _: &[u32]) -> Score {
            Score::MIN
        }
    }
    let extremes = [Score::MIN, -1, 0, 1, Score::MAX];
    for payoff in extremes {
        for start in extremes {
            for end in extremes {
                // In some of these the ends are the wrong way round.
                let game = Extreme(payoff, start..=end);
                let scores = exact(&game);
                for node in 0..2 {
                    let Ok(Answer::Own(truth)) = TaggingSearch::new(&game).answer(&[node], 10)
                    else {
                        panic!("{payoff} {start}..={end}: no answer")
                    };
                    let (lower, upper) = match scores.own(node) {
                        Own::Score(score) => (score, score),
                        Own::Unsettled { lower, upper } => (lower, upper),
                        Own::NoScore => panic!("{payoff} {start}..={end}: no score"),
                    };
                    assert!((lower..=upper).contains(&truth), "{payoff} {start}..={end}");
                }
            }
        }
    }
}

#[test]
fn invalid_paths_are_refused_with_their_ply() {
    let ring = Made {
        nodes: 3,
        layer: 1,
        children: |node| std::iter::once(Edge::turn((node + 1) % 3)),
        payoff: |_| None,
    };
    let mut search = TaggingSearch::new(&ring);
    assert_eq!(search.answer(&[], 9), Err(PathError::Empty));
    assert_eq!(
        search.answer(&[0, 3], 9),
        Err(PathError::NoSuchNode {
            ply: 1,
            node: 3,
            nodes: 3
        })
    );
    assert_eq!(
        search.answer(&[0, 2], 9),
        Err(PathError::NotAChild { ply: 1, node: 2 })
    );
    let back = search.answer(&[1, 2, 0, 1], 9);
    assert_eq!(
        back,
        Err(PathError::Repetition {
            ply: 3,
            node: 1,
            first: 0
        })
    );
}

#[test]
fn an_empty_graph_has_empty_scores() {
    let nothing = Made {
        nodes: 0,
        layer: 1,
        children: |_| std::iter::empty(),
        payoff: |_| None,
    };
    let scores = exact(&nothing);
    assert_eq!(
        (scores.unsettled().len(), scores.cycles().members().len()),
        (0, 0)
    );
    let refused = TaggingSearch::with_scores(&nothing, &scores).answer(&[0], 9);
    assert_eq!(
        refused,
        Err(PathError::NoSuchNode {
            ply: 0,
            node: 0,
            nodes: 0
        })
    );
}
