//! Links and leaves against the rules of the game and the contents of the book.

use super::finding::{Findings, Kind, each};
use super::origin::Origin;
use obook_graph::{Graph, LinkTo, NodeId};
use obook_othello::Move;

/// Looks at links and leaves as the book gives them; nothing is linked yet where the book has links of its own.
pub(crate) fn check(graph: &Graph, origin: Origin, keep: usize) -> Findings {
    each(graph, keep, |id, findings| {
        Position::new(graph, id).check(origin, findings);
    })
}

struct Position<'a> {
    graph: &'a Graph,
    id: NodeId,
    /// The moves of its links, by number.
    linked: u128,
}

impl Position<'_> {
    fn new(graph: &Graph, id: NodeId) -> Position<'_> {
        let linked = graph.links(id).fold(0, |set, link| set | bit(link.mv));
        Position { graph, id, linked }
    }

    fn check(&self, origin: Origin, findings: &mut Findings) {
        for link in self.graph.links(self.id) {
            self.check_link(link, findings);
        }
        if origin.keeps_order() {
            self.check_order(findings);
        }
        let board = self.graph.board(self.id);
        let leaf = self.graph.leaf(self.id).and_then(|leaf| leaf.mv);
        for (mv, child) in board.board().children() {
            let is_link = self.linked & bit(mv) != 0;
            if leaf == Some(mv) && is_link {
                findings.add(Kind::LeafInBook, Some(board.into()), || {
                    format!("the leaf {mv} is a link too: expected each move once")
                });
            }
            if is_link || self.graph.find(child.canonical()).is_none() {
                continue;
            }
            if leaf == Some(mv) {
                findings.add(Kind::LeafInBook, Some(board.into()), || {
                    format!("the leaf {mv} leads to a position of the book: expected a link")
                });
            } else if origin.has_links() && (mv != Move::Pass || origin.links_passes()) {
                findings.add(Kind::MissingLink, Some(board.into()), || {
                    format!("{mv} leads to a position of the book: expected a link")
                });
            }
        }
    }

    fn check_link(&self, link: LinkTo, findings: &mut Findings) {
        let board = self.graph.board(self.id);
        let mv = link.mv;
        let Some(child) = link.child else {
            findings.add(Kind::NoChild, Some(board.into()), || {
                format!("the link {mv} leads to a position that is not in the book")
            });
            return;
        };
        let value = self.graph.value(child).map(i16::saturating_neg);
        if let (Some(score), Some(value)) = (link.score, value)
            && i16::from(score) != value
        {
            findings.add(Kind::LinkScore, Some(board.into()), || {
                format!("the link {mv} has the score {score:+}: expected {value:+}, the negated value of its child")
            });
        }
    }

    fn check_order(&self, findings: &mut Findings) {
        if self
            .graph
            .links(self.id)
            .is_sorted_by(|a, b| a.score >= b.score)
        {
            return;
        }
        findings.add(
            Kind::LinkOrder,
            Some(self.graph.board(self.id).into()),
            || {
                let links: Vec<String> = self
                    .graph
                    .links(self.id)
                    .map(|link| match link.score {
                        Some(score) => format!("{}:{score:+}", link.mv),
                        None => format!("{}:?", link.mv),
                    })
                    .collect();
                format!(
                    "the links are in the order {}: expected the best first",
                    links.join(" ")
                )
            },
        );
    }
}

fn bit(mv: Move) -> u128 {
    1 << mv.code()
}
