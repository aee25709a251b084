//! Lines of moves from the start position.

use crate::{Graph, NodeId};
use obook_othello::{Board, Line};

/// The positions that lines of the book reach from the start position, and a line to each of them.
pub struct LinesFromStart {
    start: Option<NodeId>,
    /// The parent's place, or [`NONE`] if no line leads here.
    parents: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl LinesFromStart {
    /// Follows all links from the start position.
    pub fn new(graph: &Graph) -> LinesFromStart {
        let start = graph.find(Board::START.canonical());
        let mut parents = vec![NONE; graph.len()];
        if let Some(start) = start {
            // A position comes after its children, so this loop meets it after all its parents.
            parents[start.index()] = start.index() as u32;
            for place in (0..=start.index()).rev() {
                if parents[place] == NONE {
                    continue;
                }
                for child in graph.links(graph.id(place)).filter_map(|link| link.child) {
                    let parent = &mut parents[child.index()];
                    if *parent == NONE {
                        *parent = place as u32;
                    }
                }
            }
        }
        LinesFromStart { start, parents }
    }

    /// Whether the book has the start position.
    pub fn has_start(&self) -> bool {
        self.start.is_some()
    }

    /// Whether a line leads to this position.
    pub fn reach(&self, id: NodeId) -> bool {
        self.parents[id.index()] != NONE
    }

    /// The moves from the start position to this one, as a player would type them; `None` if no line leads here.
    pub fn to(&self, graph: &Graph, id: NodeId) -> Option<Line> {
        let start = self.start?;
        if !self.reach(id) {
            return None;
        }
        let mut path = vec![id];
        let mut at = id;
        while at != start {
            at = graph.id(self.parents[at.index()] as usize);
            path.push(at);
        }
        path.reverse();
        Line::through(path.iter().map(|id| graph.board(*id)))
    }
}
