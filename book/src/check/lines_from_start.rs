//! Lines from the start position to positions of the book.

use crate::graph::{Graph, NodeId};
use obook_othello::{Board, Line};

/// For every position that a line of the book reaches, the position before it.
pub(crate) struct LinesFromStart {
    start: Option<NodeId>,
    /// Place of the parent; [`NONE`] where the position is not reached.
    before: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// The first move as most people write it, by number.
const F5: u8 = 37;

impl LinesFromStart {
    /// Follows all links from the start position. Parents come after their children in a graph, so one sweep from the
    /// start position down meets every position after all that lead to it.
    pub(crate) fn new(graph: &Graph) -> LinesFromStart {
        let start = graph.find(Board::START.canonical());
        let mut before = vec![NONE; graph.len()];
        if let Some(start) = start {
            before[start.index()] = start.index() as u32;
            for place in (0..=start.index()).rev() {
                if before[place] == NONE {
                    continue;
                }
                for child in graph.links(graph.id(place)).filter_map(|link| link.child) {
                    let parent = &mut before[child.index()];
                    if *parent == NONE {
                        *parent = place as u32;
                    }
                }
            }
        }
        LinesFromStart { start, before }
    }

    /// Whether the book has the start position.
    pub(crate) fn has_start(&self) -> bool {
        self.start.is_some()
    }

    /// Whether a line leads to a position.
    pub(crate) fn reach(&self, id: NodeId) -> bool {
        self.before[id.index()] != NONE
    }

    /// The moves from the start position, in an orientation in which they can be typed.
    pub(crate) fn to(&self, graph: &Graph, id: NodeId) -> Option<Line> {
        let start = self.start?;
        if !self.reach(id) {
            return None;
        }
        let mut path = vec![id];
        let mut at = id;
        while at != start {
            at = graph.id(self.before[at.index()] as usize);
            path.push(at);
        }
        let mut line = Line::new();
        for pair in path.windows(2).rev() {
            let (child, parent) = (pair[0], pair[1]);
            let back = line.board().canonicalize().1.inverse();
            let mv = graph
                .links(parent)
                .filter(|link| link.child == Some(child))
                .map(|link| back.play(link.mv))
                // The four first moves lead to the same position: people play f5.
                .max_by_key(|mv| mv.code() == F5)
                .expect("a path follows links");
            line.push(mv).expect("a link with a child is a legal move");
        }
        Some(line)
    }
}
