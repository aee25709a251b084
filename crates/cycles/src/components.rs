//! Strongly connected components, children first.

use crate::graph::Graph;

/// Which positions lie on cycles. Two positions are in the same component if each can be reached from the other.
///
/// Positions that aren't on a cycle take no memory here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cycles {
    /// Positions and their components, sorted.
    members: Vec<(u32, u32)>,
}

impl Cycles {
    /// Finds the cycles of a graph, in linear time.
    ///
    /// ```
    /// # use obook_cycles::{Cycles, Edge, Graph, Score};
    /// # struct G;
    /// # impl Graph for G {
    /// #     fn nodes(&self) -> u32 { 4 }
    /// #     fn children(&self, node: u32) -> impl Iterator<Item = Edge> {
    /// #         [[1, 1], [2, 3], [1, 3], [3, 3]].map(|c| c.map(Edge::turn))[node as usize]
    /// #             .into_iter().filter(move |_| node < 3)
    /// #     }
    /// #     fn payoff(&self, _: u32) -> Option<Score> { None }
    /// #     fn repetition_range(&self, _: u32) -> std::ops::RangeInclusive<Score> { 0..=0 }
    /// # }
    /// // 0 → 1 ⇄ 2, and from both to 3
    /// let cycles = Cycles::find(&G);
    /// assert_eq!(cycles.members().map(|(node, _)| node).collect::<Vec<_>>(), [1, 2]);
    /// assert_eq!(cycles.component(1), cycles.component(2));
    /// assert_eq!(cycles.component(0), None);
    /// ```
    #[must_use]
    pub fn find(graph: &impl Graph) -> Self {
        let mut cycles = Self::default();
        let children = |node| graph.children(node).map(|edge| edge.child);
        let all = |_| true;
        components(graph.nodes(), children, all, |component| {
            cycles.note(graph, component);
        });
        cycles.sort();
        cycles
    }

    /// The component of a position on a cycle, named after its smallest position; `None` for other positions.
    #[must_use]
    pub fn component(&self, node: u32) -> Option<u32> {
        let members = &self.members;
        let at = members.binary_search_by_key(&node, |&(member, _)| member);
        Some(members[at.ok()?].1)
    }

    /// Every position on a cycle, in order, with its component.
    pub fn members(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.members.iter().copied()
    }

    /// Whether a line that moves from `last` to its child `node` may later return to its own path.
    pub(crate) fn path_reachable(&self, last: u32, node: u32) -> bool {
        self.component(node)
            .is_some_and(|component| self.component(last) == Some(component))
    }

    /// Adds a component if it has a cycle, and returns whether it has. Call [`sort`](Self::sort) after the last one.
    pub(crate) fn note(&mut self, graph: &impl Graph, component: &[u32]) -> bool {
        let first = component[0];
        let cyclic = component.len() > 1 || graph.children(first).any(|edge| edge.child == first);
        if cyclic {
            // The smallest, so that the name doesn't depend on where the traversal began.
            let name = component.iter().copied().min().unwrap_or(first);
            self.members
                .extend(component.iter().map(|&node| (node, name)));
        }
        cyclic
    }

    pub(crate) fn sort(&mut self) {
        self.members.sort_unstable();
    }
}

const UNSEEN: u32 = 0;
const DONE: u32 = u32::MAX;

struct Frame<I> {
    node: u32,
    /// The smallest number of an open position reached from here.
    low: u32,
    /// The index of the first open position found from here.
    first_open: usize,
    children: I,
}

/// Tarjan's algorithm, with an explicit stack since a line may be as long as the graph is large. It visits the `wanted` positions of a
/// graph with this many, and emits each component after all components reachable from it.
pub(crate) fn components<I: Iterator<Item = u32>>(
    nodes: u32,
    children: impl Fn(u32) -> I,
    wanted: impl Fn(u32) -> bool,
    mut emit: impl FnMut(&[u32]),
) {
    let mut number = vec![UNSEEN; nodes as usize];
    let mut last_number = UNSEEN;
    let mut open: Vec<u32> = Vec::new();
    let mut frames = Vec::new();

    for root in 0..nodes {
        let mut next = Some(root).filter(|&root| wanted(root) && number[root as usize] == UNSEEN);
        loop {
            if let Some(node) = next.take() {
                last_number += 1;
                number[node as usize] = last_number;
                let first_open = open.len();
                open.push(node);
                frames.push(Frame {
                    node,
                    low: last_number,
                    first_open,
                    children: children(node),
                });
            }
            let Some(frame) = frames.last_mut() else {
                break;
            };
            if let Some(child) = frame.children.next() {
                match number[child as usize] {
                    UNSEEN if wanted(child) => next = Some(child),
                    UNSEEN | DONE => {}
                    earlier => frame.low = frame.low.min(earlier),
                }
                continue;
            }
            let (node, low, first_open) = (frame.node, frame.low, frame.first_open);
            frames.pop();
            if low == number[node as usize] {
                for &member in &open[first_open..] {
                    number[member as usize] = DONE;
                }
                emit(&open[first_open..]);
                open.truncate(first_open);
            } else if let Some(parent) = frames.last_mut() {
                parent.low = parent.low.min(low);
            }
        }
    }
}
