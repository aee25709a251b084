//! Lines of moves from the start position.

use crate::NodeId;
use crate::slabs::{Result, Slabs};
use obook_othello::{Board, CanonicalBoard, Line, Move};
use rayon::prelude::*;

/// The positions of a linked book that can be reached from the start position, with a line to each.
///
/// Marks in the book say which positions these are. So a book in temporary files takes no more memory than a slab.
///
/// ```
/// use obook_graph::link::link;
/// use obook_graph::slabs::Slabs;
/// use obook_graph::{Graph, LinesFromStart, TooLarge};
/// use obook_othello::{Engine, Line, Position};
///
/// let lines = ["", "f5", "f5d6", "f5d6c3d3"].map(|line| line.parse::<Line>().unwrap());
/// let boards = lines.map(|line| line.board().canonical());
/// let positions = boards.map(|board| Ok::<_, TooLarge>(Position::new(board, Engine::Edax)));
/// let (mut graph, _) = Graph::from_positions(positions)?;
/// link(&mut graph)?;
///
/// let (mut book, mut unreached) = (Slabs::from(graph), Vec::new());
/// let lines = LinesFromStart::new(&mut book, |board| unreached.push(board))?;
/// assert!(lines.has_start());
/// assert_eq!(unreached, [boards[3]]);
/// let lines: Vec<_> = lines.to(&boards)?.into_iter().map(|line| line.map(|line| line.to_string())).collect();
/// assert_eq!(lines, [Some(String::new()), Some("f5".into()), Some("f5d6".into()), None]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LinesFromStart<'a> {
    book: &'a mut Slabs,
    has_start: bool,
}

/// The mark of the start position, and of positions to which a disc leads from a position with a line.
const BY_A_DISC: u8 = 2;
/// The mark of other positions with a line. A pass leads there.
const BY_A_PASS: u8 = 4;
/// Any mark of a position with a line.
const HAS_A_LINE: u8 = BY_A_DISC | BY_A_PASS;

impl<'a> LinesFromStart<'a> {
    /// Follows all links from the start position. Calls `unreached` with each position that they don't reach, parents before
    /// their children. The book's marks must be void.
    ///
    /// # Errors
    /// Returns [`slabs::Error`](crate::slabs::Error).
    pub fn new(
        book: &'a mut Slabs,
        mut unreached: impl FnMut(CanonicalBoard),
    ) -> Result<LinesFromStart<'a>> {
        let mut has_start = false;
        book.sweep_down(|slab| {
            let (graph, marks) = slab.graph_and_marks();
            let start = graph.find(Board::START.canonical());
            if let Some(start) = start.filter(|id| !graph.is_frozen(*id)) {
                has_start = true;
                marks[start.index()] |= BY_A_DISC;
            }
            // A position comes after its children, so this loop meets it after all its parents.
            for id in graph.unfrozen_ids().rev() {
                if marks[id.index()] & HAS_A_LINE == 0 {
                    unreached(graph.board(id));
                    continue;
                }
                for link in graph.links(id) {
                    let Some(child) = link.child else { continue };
                    let mark = &mut marks[child.index()];
                    if *mark & HAS_A_LINE == 0 {
                        *mark |= match link.mv {
                            Move::Pass => BY_A_PASS,
                            Move::Place(_) => BY_A_DISC,
                        };
                    }
                }
            }
            Ok(())
        })?;
        Ok(LinesFromStart { book, has_start })
    }

    /// Whether the book has the start position.
    #[must_use]
    pub fn has_start(&self) -> bool {
        self.has_start
    }

    /// The moves from the start position to each of these, as a player would type them; `None` if no line leads there.
    ///
    /// # Errors
    /// Returns [`slabs::Error`](crate::slabs::Error).
    pub fn to(self, boards: &[CanonicalBoard]) -> Result<Vec<Option<Line>>> {
        if boards.is_empty() || !self.has_start {
            return Ok(vec![None; boards.len()]);
        }
        let mut ways: Vec<Vec<CanonicalBoard>> = boards.iter().map(|board| vec![*board]).collect();
        self.book.scan(|slab| {
            let graph = slab.graph();
            // The last parent whose disc leads to each position of the slab and of the layer below, if it is in the slab.
            let mut by_a_disc = vec![None; graph.len()];
            let with_a_line = |id: &NodeId| slab.mark(*id) & HAS_A_LINE != 0;
            for id in graph.unfrozen_ids().filter(with_a_line) {
                let by_disc = graph.links(id).filter(|link| link.mv != Move::Pass);
                for child in by_disc.filter_map(|link| link.child) {
                    by_a_disc[child.index()] = Some(id);
                }
            }
            // `None` for the start position, without a line, and if the parent is above the slab.
            let parent_of = |board: &CanonicalBoard| {
                let id = graph.find(*board)?;
                if *board == Board::START.canonical() {
                    return None;
                }
                match slab.mark(id) & BY_A_PASS {
                    0 => Some(graph.board(by_a_disc[id.index()]?)),
                    _ => Some(board.board().passed().canonical()),
                }
            };
            ways.par_iter_mut().for_each(|way| {
                while let Some(parent) = way.last().and_then(parent_of) {
                    way.push(parent);
                }
            });
        })?;
        let line = |way: Vec<CanonicalBoard>| match way.last() {
            Some(top) if *top == Board::START.canonical() => Line::through(way.into_iter().rev()),
            _ => None,
        };
        Ok(ways.into_iter().map(line).collect())
    }
}
