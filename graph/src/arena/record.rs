//! A position computed on its own, without a graph around it: for changes that touch a few positions of a large book.

use super::{Edge, Node, NodeId, Step};
use obook_model::Position;
use smallvec::SmallVec;

/// What `visit` makes of a position whose links lead to `children`, in the order of its links; `None` for one that the
/// book does not hold.
pub fn visit_record(
    position: &Position,
    children: &[Option<&Position>],
    visit: impl FnOnce(Step<'_>),
) -> Position {
    let mut below: SmallVec<[Node; 8]> = SmallVec::new();
    let edge = |(link, child): (&obook_model::Link, &Option<&Position>)| {
        let child = child.map(|child| {
            below.push(Node::new(child));
            NodeId(below.len() as u32 - 1)
        });
        Edge::new(link.mv, link.score, child)
    };
    let mut edges: SmallVec<[Edge; 8]> = position.links.iter().zip(children).map(edge).collect();
    let mut node = Node::new(position);
    visit(Step {
        empties: position.board.board().empties() as u8,
        node: &mut node,
        leaf: position.leaf,
        edges: &mut edges,
        below: &below,
    });
    let links = edges.iter().map(|edge| obook_model::Link {
        mv: edge.mv(),
        score: edge.score(),
    });
    Position {
        links: links.collect(),
        leaf: position.leaf,
        no_leaf: position.no_leaf,
        ..node.record(position.board)
    }
}

/// What a position says as `board`, the same discs seen by the other side: the numbers turned, without links or leaf.
pub fn turned_record(position: &Position, board: obook_othello::CanonicalBoard) -> Position {
    Node::new(position).turned().record(board)
}
