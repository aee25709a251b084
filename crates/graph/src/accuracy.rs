//! Egaroucid's accuracy grades: how far the searches at the ends of a position's good lines prove its value.
//!
//! The lines of a position follow every link within 1 disc of the best link, passes included. Each line ends at a position
//! without links or at a leaf whose score is at most 1 below the best link. An *end* is *exact* if the search behind it solves the
//! position, *to the end* if it searches selectively to the end of the game, and *midgame* otherwise. Both kinds of ends are
//! judged by the level and by the empty squares of the position, since a [leaf's search](Effort::of_leaf) is of the position, too.
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
//! Positions of grade A get a second letter by the same rules, with links and leaves within 2 discs: AA to AF.

use crate::slabs::{self, Slab, Slabs};
use crate::{Graph, NodeId};
use foldhash::HashSet;
use obook_othello::levels::Effort;
use serde::Serialize;
use std::collections::BTreeMap;

obook_base::named! {
    /// The rules for grades.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Grading {
        /// The published definition.
        #[default]
        Published = "published",
        /// As in the engine's code: it judges a leaf by one empty square fewer than its search had, ignores leaves that are midgame ends,
        /// and gives D instead of E. So no grade is lower, and an exact end may be none.
        Egaroucid = "egaroucid",
    }
}

obook_base::named! {
    /// How well a position's value is proved, from `AA` (best) to `F`, as the database names it. The [module](self) defines the grades.
    ///
    /// Of the definition's `AA` to `AF` only `AA`, `AB` and `AD` are possible: the ends within 2 discs include the ends within 1
    /// disc, which are all exact in grade A.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
    pub enum Grade {
        /// All ends are exact, even within 2 discs.
        AA = "AA",
        /// All ends are exact, but within 2 discs some are only searched to the end.
        AB = "AB",
        /// All ends are exact, but within 2 discs some are midgame searches.
        AD = "AD",
        /// Some ends are exact, the others are searched to the end.
        B = "B",
        /// All ends are searched to the end, none is exact.
        C = "C",
        /// Some ends are midgame searches, at least one is exact.
        D = "D",
        /// Some ends are midgame searches, none is exact, at least one is searched to the end.
        E = "E",
        /// All ends are midgame searches.
        F = "F",
    }
}

impl Grade {
    /// The grade that follows from the kinds of ends within 1 disc and within 2 discs.
    fn new(near: Ends, wide: Ends, rules: Grading) -> Grade {
        let has = |end| near.contains(end);
        match (has(End::Exact), has(End::Selective), has(End::Midgame)) {
            (true, false, false) if wide.contains(End::Midgame) => Grade::AD,
            (true, false, false) if wide.contains(End::Selective) => Grade::AB,
            (true, false, false) => Grade::AA,
            (true, true, false) => Grade::B,
            (false, true, false) => Grade::C,
            (true, _, true) => Grade::D,
            (false, true, true) => match rules {
                Grading::Published => Grade::E,
                Grading::Egaroucid => Grade::D,
            },
            (false, false, _) => Grade::F,
        }
    }
}

/// How far the search at the end of a line proves its score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// The search solves the position.
    Exact,
    /// The search is selective and reaches the end of the game.
    Selective,
    /// The search stops before the end of the game.
    Midgame,
}

impl End {
    /// The kind of end that a search is. An unknown one is a midgame end.
    fn of(search: Option<Effort>) -> End {
        match search {
            Some(search) if search.is_solved() => End::Exact,
            Some(search) if search.to_the_end => End::Selective,
            _ => End::Midgame,
        }
    }
}

/// A set of kinds of ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Ends(u8);

impl Ends {
    fn of(ends: impl IntoIterator<Item = End>) -> Ends {
        Ends(ends.into_iter().fold(0, |set, end| set | 1 << end as u8))
    }

    fn contains(self, end: End) -> bool {
        self.0 & 1 << end as u8 != 0
    }
}

/// The number of ends of each kind. A position counts once, however many lines lead to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct EndCounts {
    /// Ends that are solved.
    pub exact: u64,
    /// Ends that are searched selectively to the end of the game.
    pub to_the_end: u64,
    /// Ends that are searched to a lower depth.
    pub midgame: u64,
}

impl EndCounts {
    fn add(&mut self, end: End) {
        *match end {
            End::Exact => &mut self.exact,
            End::Selective => &mut self.to_the_end,
            End::Midgame => &mut self.midgame,
        } += 1;
    }

    /// The kinds that occur.
    fn kinds(self) -> Ends {
        let counts = [self.exact, self.to_the_end, self.midgame];
        let ends = [End::Exact, End::Selective, End::Midgame].into_iter();
        let some = ends.zip(counts).filter(|(_, count)| *count > 0);
        Ends::of(some.map(|(end, _)| end))
    }
}

/// How many discs worse than the best link a line may be: for the grade, and for the second letter of grade A.
pub const MARGINS: [i16; 2] = [1, 2];

/// The kinds of ends within each of [`MARGINS`].
type Reach = [Ends; MARGINS.len()];

/// The children on which the grade of a position depends: those within the wider margin.
#[must_use]
pub fn near_children(graph: &Graph, id: NodeId) -> Vec<NodeId> {
    let node = Node::new(graph, id, Grading::Published);
    node.children(MARGINS[1]).collect()
}

/// The reaches of a book slab by slab, from the end of the game up.
#[derive(Debug)]
struct Reaches {
    rules: Grading,
    /// The reach of each position in the layer below the next slab.
    below: Vec<Reach>,
}

impl Reaches {
    /// The grades of the positions of the next slab that are not frozen, in the order of their places.
    fn grades(&mut self, slab: &Slab) -> Vec<Grade> {
        let graph = slab.graph();
        let mut reaches = std::mem::take(&mut self.below);
        let frozen = reaches.len();
        assert_eq!(frozen, graph.unfrozen_places().start);
        for id in graph.unfrozen_ids() {
            let node = Node::new(graph, id, self.rules);
            let reach = MARGINS.map(|margin| {
                let mut ends = Ends::of(node.end(margin));
                let wide = margin == MARGINS[1];
                for child in node.children(margin) {
                    ends.0 |= reaches[child.index()][usize::from(wide)].0;
                }
                ends
            });
            reaches.push(reach);
        }
        let grade = |[near, wide]: &Reach| Grade::new(*near, *wide, self.rules);
        let grades = reaches[frozen..].iter().map(grade).collect();
        self.below = reaches[graph.layer(slab.layers().end - 1)].to_vec();
        grades
    }
}

/// Grades a book slab by slab, from the end of the game up, and counts the grades.
///
/// ```
/// use obook_graph::Graph;
/// use obook_graph::accuracy::{Grade, Grader, Grading};
/// use obook_graph::slabs::Slabs;
/// use obook_othello::{Board, Engine, Position};
///
/// let mut position = Position::new(Board::START.canonical(), Engine::Egaroucid);
/// position.level = Some(70); // A value that a person entered counts as exact.
/// let (graph, _) = Graph::from_positions([Ok::<_, obook_graph::TooLarge>(position)])?;
/// let mut grader = Grader::new(Grading::Published);
/// Slabs::from(graph).scan(|slab| assert_eq!(grader.grades(slab), [Grade::AA]))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Grader {
    reaches: Reaches,
    /// The same by the published rules, if the rules are others.
    published: Option<Reaches>,
    table: AccuracyTable,
}

impl Grader {
    /// Starts at the end of the game.
    #[must_use]
    pub fn new(rules: Grading) -> Grader {
        let reaches = |rules| Reaches {
            rules,
            below: Vec::new(),
        };
        let others = rules != Grading::Published;
        Grader {
            reaches: reaches(rules),
            published: others.then(|| reaches(Grading::Published)),
            table: AccuracyTable {
                lower_if_published: others.then_some(0),
                ..AccuracyTable::default()
            },
        }
    }

    /// Grades the positions of the next slab that are not frozen, in the order of their places.
    pub fn grades(&mut self, slab: &Slab) -> Vec<Grade> {
        let grades = self.reaches.grades(slab);
        self.table.add(slab.graph(), &grades);
        if let (Some(published), Some(lower)) =
            (&mut self.published, &mut self.table.lower_if_published)
        {
            let published = published.grades(slab);
            let pairs = published.iter().zip(&grades);
            *lower += pairs.filter(|(published, grade)| published > grade).count() as u64;
        }
        grades
    }

    /// The counts of all slabs so far.
    #[must_use]
    pub fn table(self) -> AccuracyTable {
        self.table
    }
}

/// The best link and the end of a position, from which its grade follows.
struct Node<'a> {
    graph: &'a Graph,
    id: NodeId,
    /// The best score of the links that lead to a position of the book.
    best: Option<i16>,
    /// The position itself if it has no such link; otherwise its leaf, with the score, if the leaf counts.
    end: Option<(Option<i16>, End)>,
}

impl<'a> Node<'a> {
    fn new(graph: &'a Graph, id: NodeId, rules: Grading) -> Node<'a> {
        let scores = children(graph, id).map(|(score, _)| score);
        let (best, end) = match scores.max() {
            Some(best) => {
                let leaf = leaf_end(graph, id, rules);
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

    /// Whether a line follows a move with this score. Moves without a score are followed only if no link has a score.
    fn is_near(&self, score: Option<i16>, margin: i16) -> bool {
        match (self.best, score) {
            (Some(best), Some(score)) => score >= best.saturating_sub(margin),
            (Some(_), None) => false,
            (None, _) => true,
        }
    }

    /// The end that the position is, or that its leaf is.
    fn end(&self, margin: i16) -> Option<End> {
        let (score, end) = self.end?;
        self.is_near(score, margin).then_some(end)
    }

    /// The children to which lines lead.
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
    let search = |level| Effort::new(graph.engine(id), level, empties(graph, id));
    End::of(graph.level(id).map(search))
}

/// The leaf as an end, with its score.
fn leaf_end(graph: &Graph, id: NodeId, rules: Grading) -> Option<(Option<i16>, End)> {
    let leaf = graph.leaf(id).filter(|leaf| leaf.mv.is_some())?;
    let empties = match rules {
        Grading::Published => empties(graph, id),
        Grading::Egaroucid => empties(graph, id).saturating_sub(1),
    };
    let search = Effort::of_leaf(leaf, graph.level(id), graph.engine(id), empties);
    Some((Some(leaf.score.into()), End::of(search)))
}

fn empties(graph: &Graph, id: NodeId) -> u8 {
    graph.board(id).board().empties() as u8
}

/// A position's grade, and the ends behind it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Accuracy {
    /// The grade.
    pub grade: Grade,
    /// The ends within 1 disc.
    pub ends: EndCounts,
    /// The ends within 2 discs, which decide the second letter of grade A.
    pub ends_within_2: EndCounts,
    /// The grade by the published rules, if the rules are others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<Grade>,
}

impl Accuracy {
    /// Follows the lines from one position. The grade is the same as that of a [`Grader`].
    #[must_use]
    #[doc(hidden)]
    pub fn new(graph: &Graph, id: NodeId, rules: Grading) -> Accuracy {
        let [ends, ends_within_2] = MARGINS.map(|margin| count(graph, id, rules, margin));
        let published = || Accuracy::new(graph, id, Grading::Published).grade;
        Accuracy {
            grade: Grade::new(ends.kinds(), ends_within_2.kinds(), rules),
            ends,
            ends_within_2,
            published: (rules != Grading::Published).then(published),
        }
    }
}

fn count(graph: &Graph, id: NodeId, rules: Grading, margin: i16) -> EndCounts {
    let mut ends = EndCounts::default();
    let mut seen = HashSet::from_iter([id]);
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        let node = Node::new(graph, id, rules);
        if let Some(end) = node.end(margin) {
            ends.add(end);
        }
        open.extend(node.children(margin).filter(|child| seen.insert(*child)));
    }
    ends
}

/// The number of positions of each grade.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct AccuracyTable {
    /// All positions.
    pub grades: BTreeMap<Grade, u64>,
    /// Positions by number of empty squares.
    pub by_empties: BTreeMap<u8, BTreeMap<Grade, u64>>,
    /// Positions with a lower grade by the published rules, if the rules are others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_if_published: Option<u64>,
}

impl AccuracyTable {
    /// Grades every position of a book and counts the grades.
    ///
    /// # Errors
    /// Returns [`slabs::Error`] if a temporary file can't be read.
    #[doc(hidden)]
    pub fn new(book: &mut Slabs, rules: Grading) -> Result<AccuracyTable, slabs::Error> {
        let mut grader = Grader::new(rules);
        book.scan(|slab| drop(grader.grades(slab)))?;
        Ok(grader.table())
    }

    /// Counts the grades of positions that are not frozen.
    fn add(&mut self, graph: &Graph, grades: &[Grade]) {
        for (id, grade) in graph.unfrozen_ids().zip(grades) {
            let empties = empties(graph, id);
            let row = self.by_empties.entry(empties).or_default();
            *row.entry(*grade).or_default() += 1;
            *self.grades.entry(*grade).or_default() += 1;
        }
    }
}
