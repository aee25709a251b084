//! Lines from the start position to positions of the book.

use super::{Graph, NodeId};
use obook_othello::{Board, CanonicalBoard, Line, Move};

/// For every position that a line of the book reaches, the position before it.
pub struct LinesFromStart {
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
    pub fn new(graph: &Graph) -> LinesFromStart {
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
    pub fn has_start(&self) -> bool {
        self.start.is_some()
    }

    /// Whether a line leads to a position.
    pub fn reach(&self, id: NodeId) -> bool {
        self.before[id.index()] != NONE
    }

    /// The moves from the start position, in an orientation in which they can be typed.
    pub fn to(&self, graph: &Graph, id: NodeId) -> Option<Line> {
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
        path.reverse();
        Some(line_through(path.iter().map(|id| graph.board(*id))))
    }
}

/// The moves from the start position through these positions, each a child of the one before, in an orientation in which they
/// can be typed; the first is the start position.
///
/// # Panics
/// Where no move leads from one to the next.
pub fn line_through(boards: impl IntoIterator<Item = CanonicalBoard>) -> Line {
    let mut line = Line::new();
    for child in boards.into_iter().skip(1) {
        let at = line.board();
        let leads = |mv: &Move| at.play(*mv).map(Board::canonical) == Some(child);
        let moves = at.moves().filter(leads);
        // The four first moves lead to the same position: people play f5.
        let mv = moves.max_by_key(|mv| mv.code() == F5);
        line.push(mv.expect("a child of the one before"))
            .expect("legal moves were tried");
    }
    line
}
