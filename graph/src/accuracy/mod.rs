//! Egaroucid's accuracy grades: how far the searches at the ends of a position's good lines prove its value.
//!
//! From a position every link within 1 disc of the best link is followed, passes included, to the ends of the book. An
//! *end* is a position without links, judged by its own level at its own number of empties, or a leaf whose score is
//! not more than 1 below the best link, judged by its level at one empty fewer. It is *exact* where that level solves
//! it, *to the end* where it searches to the end of the game selectively, else *midgame*.
//!
//! | grade | ends |
//! | --- | --- |
//! | A | all exact |
//! | B | exact and to the end |
//! | C | all to the end |
//! | D | some midgame, at least one exact |
//! | E | some midgame, none exact, at least one to the end |
//! | F | all midgame |
//!
//! Positions of grade A are graded again over links and leaves within 2 discs: AA to AF.

mod ends;
mod grade;
mod report;

pub use ends::{End, EndCounts};
pub use grade::Grade;
pub use report::{Accuracy, AccuracyTable};

use crate::{Graph, NodeId};
use ends::Ends;
use obook_model::levels;

/// Whose rules the grades follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Grading {
    /// The published definition.
    #[default]
    Published,
    /// The engine's own code: leaves that are midgame ends are left out, and it answers D for E.
    Egaroucid,
}

impl Grading {
    /// Both of them.
    pub const ALL: [Grading; 2] = [Grading::Published, Grading::Egaroucid];

    /// The name on command lines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Grading::Published => "published",
            Grading::Egaroucid => "egaroucid",
        }
    }
}

/// How many discs a followed move may be worse than the best link: for the grade, and for grading A again.
pub const MARGINS: [i16; 2] = [1, 2];

/// The ends within each of [`MARGINS`].
type Reach = [Ends; MARGINS.len()];

/// The grade of every position, by [`NodeId::index`].
///
/// One walk up the book, children before their parents.
///
/// ```
/// use obook_graph::accuracy::{Grade, Grading, grades};
/// use obook_graph::Graph;
/// use obook_model::{Engine, Position};
/// use obook_othello::Board;
///
/// let mut position = Position::new(Board::START.canonical(), Engine::Egaroucid);
/// position.level = Some(70); // entered by a person, which counts as exact
/// let (graph, _) = Graph::from_positions([Ok::<_, obook_graph::TooLarge>(position)])?;
/// assert_eq!(grades(&graph, Grading::Published), [Grade::AA]);
/// # Ok::<(), obook_graph::TooLarge>(())
/// ```
#[must_use]
pub fn grades(graph: &Graph, rules: Grading) -> Vec<Grade> {
    let mut reaches: Vec<Reach> = Vec::with_capacity(graph.len());
    for id in graph.ids() {
        let node = Node::new(graph, id, rules);
        let reach = MARGINS.map(|margin| {
            let mut ends: Ends = node.end(margin).into_iter().collect();
            let wide = margin == MARGINS[1];
            for child in node.children(margin) {
                ends |= reaches[child.index()][usize::from(wide)];
            }
            ends
        });
        reaches.push(reach);
    }
    let grade = |[near, wide]: Reach| Grade::new(near, wide, rules);
    reaches.into_iter().map(grade).collect()
}

/// What a position's grade looks at.
struct Node<'a> {
    graph: &'a Graph,
    id: NodeId,
    /// The best score of a link that leads to a position of the book.
    best: Option<i16>,
    /// The position itself, where it has no such link; else its leaf with its score, where it may count.
    end: Option<(Option<i16>, End)>,
}

impl<'a> Node<'a> {
    fn new(graph: &'a Graph, id: NodeId, rules: Grading) -> Node<'a> {
        let scores = children(graph, id).map(|(score, _)| score);
        let (best, end) = match scores.max() {
            Some(best) => {
                let leaf = leaf_end(graph, id);
                let counts = |end| rules == Grading::Published || end != End::Midgame;
                (best, leaf.filter(|(_, end)| counts(*end)))
            }
            None => (None, Some((None, own_end(graph, id)))),
        };
        Node {
            graph,
            id,
            best,
            end,
        }
    }

    /// Whether a move of this score is followed. A score that is not known can't be compared: it is followed where no
    /// link has one.
    fn is_near(&self, score: Option<i16>, margin: i16) -> bool {
        match (self.best, score) {
            (Some(best), Some(score)) => score >= best.saturating_sub(margin),
            (Some(_), None) => false,
            (None, _) => true,
        }
    }

    /// The end that the position is or has.
    fn end(&self, margin: i16) -> Option<End> {
        let (score, end) = self.end?;
        self.is_near(score, margin).then_some(end)
    }

    /// Where the links lead that are followed.
    fn children(&self, margin: i16) -> impl Iterator<Item = NodeId> {
        children(self.graph, self.id)
            .filter(move |(score, _)| self.is_near(*score, margin))
            .map(|(_, child)| child)
    }
}

/// The children in the book with their scores for the side to move.
fn children(graph: &Graph, id: NodeId) -> impl Iterator<Item = (Option<i16>, NodeId)> {
    graph.links(id).filter_map(|link| {
        let child = link.child?;
        let value = || graph.value(child).map(i16::saturating_neg);
        Some((link.score.map(i16::from).or_else(value), child))
    })
}

/// The position as an end, by its own level.
fn own_end(graph: &Graph, id: NodeId) -> End {
    End::new(graph.engine(id), graph.level(id), empties(graph, id))
}

/// The leaf as an end, with its score.
fn leaf_end(graph: &Graph, id: NodeId) -> Option<(Option<i16>, End)> {
    let leaf = graph.leaf(id).filter(|leaf| leaf.mv.is_some())?;
    let level = levels::of_leaf(leaf, graph.level(id), graph.engine(id));
    let after = empties(graph, id).saturating_sub(1);
    Some((Some(leaf.score.into()), End::new(leaf.engine, level, after)))
}

fn empties(graph: &Graph, id: NodeId) -> u8 {
    graph.board(id).board().empties() as u8
}
