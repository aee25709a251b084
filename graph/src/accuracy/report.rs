//! The grade of one position with how it came about, and the grades of all in a table.

use super::ends::EndCounts;
use super::{Grade, Grading, MARGINS, Node};
use crate::{Graph, NodeId};
use foldhash::HashSet;
use serde::Serialize;
use std::collections::BTreeMap;

/// A position's grade and the ends that it comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Accuracy {
    /// The grade.
    pub grade: Grade,
    /// The ends within 1 disc.
    pub ends: EndCounts,
    /// The ends within 2 discs: what tells the grades AA to AF apart.
    pub ends_within_2: EndCounts,
}

impl Accuracy {
    /// Follows the lines from one position; its grade is that of [`grades`](super::grades).
    #[must_use]
    pub fn new(graph: &Graph, id: NodeId, rules: Grading) -> Accuracy {
        let [ends, ends_within_2] = MARGINS.map(|margin| count(graph, id, rules, margin));
        Accuracy {
            grade: Grade::new(ends.kinds(), ends_within_2.kinds(), rules),
            ends,
            ends_within_2,
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

/// How many positions have each grade, by number of empties.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct AccuracyTable {
    /// All positions.
    pub grades: BTreeMap<Grade, u64>,
    /// Those with so many empties.
    pub by_empties: BTreeMap<u8, BTreeMap<Grade, u64>>,
}

impl AccuracyTable {
    /// Counts what [`grades`](super::grades) gave for the graph.
    #[must_use]
    pub fn new(graph: &Graph, grades: &[Grade]) -> AccuracyTable {
        let mut table = AccuracyTable::default();
        for (empties, ids) in graph.layers() {
            let row = table.by_empties.entry(empties).or_default();
            for id in ids {
                *row.entry(grades[id.index()]).or_default() += 1;
            }
            for (grade, count) in row {
                *table.grades.entry(*grade).or_default() += *count;
            }
        }
        table
    }
}
