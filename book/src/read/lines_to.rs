//! Lines from the start position to positions of a book.

use crate::{Book, Progress, Result, Store, load};
use foldhash::HashMap;
use obook_graph::{LinesFromStart, line_through};
use obook_model::Link;
use obook_othello::{Board, CanonicalBoard, Line};

/// Up to so many positions of a database are looked for one by one: for each, some hundred look-ups for each move taken back.
const FEW: usize = 1000;

/// For each of these positions moves from the start position along links of the book, as a person types them; `None` where no
/// line leads to it. A file, and a database for the sake of many positions, is read into memory.
///
/// ```
/// use obook_book::{Book, Progress, read::lines_to::lines_to};
/// use obook_othello::{Board, Line};
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.dat");
/// let board = "f5d6".parse::<Line>()?.board();
/// let lines = lines_to(&Book::open(path.as_ref(), &Context::default())?, &[board.canonical()], &Progress::hidden())?;
/// assert_eq!(lines[0].as_ref().map(Line::to_string).as_deref(), Some("f5d6"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where the book can't be read, or has more positions than fit in memory.
pub fn lines_to(
    book: &Book,
    boards: &[CanonicalBoard],
    progress: &Progress,
) -> Result<Vec<Option<Line>>> {
    match book {
        Book::Database(store) if boards.len() <= FEW => {
            progress.step("looking for lines", Some(boards.len() as u64));
            let mut climber = Climber {
                store,
                before: HashMap::default(),
            };
            let line = |board: &CanonicalBoard| {
                progress.advance(1);
                climber.line_to(*board)
            };
            boards.iter().map(line).collect()
        }
        _ => {
            let graph = load(book, progress)?;
            let lines = LinesFromStart::new(&graph);
            let line = |board: &CanonicalBoard| lines.to(&graph, graph.find(*board)?);
            Ok(boards.iter().map(line).collect())
        }
    }
}

/// A way up by taking moves back, which remembers where it has been.
struct Climber<'s> {
    store: &'s Store,
    /// Of positions that were visited, the one before on a line from the start position; `None` where there is no line, or
    /// none is known yet.
    before: HashMap<CanonicalBoard, Option<CanonicalBoard>>,
}

impl Climber<'_> {
    fn line_to(&mut self, board: CanonicalBoard) -> Result<Option<Line>> {
        if self.store.position(board)?.is_none() || !self.reach(board)? {
            return Ok(None);
        }
        let start = Board::START.canonical();
        let up = |board: &CanonicalBoard| match *board == start {
            true => None,
            false => self.before[board],
        };
        let mut boards: Vec<_> = std::iter::successors(Some(board), up).collect();
        boards.reverse();
        Ok(Some(line_through(boards)))
    }

    /// Whether a line leads to a position: one way up after another until one comes to the start, or to where it is known.
    fn reach(&mut self, board: CanonicalBoard) -> Result<bool> {
        // From the position up: each with its parents that were not tried yet.
        let mut way: Vec<(CanonicalBoard, Vec<CanonicalBoard>)> = Vec::new();
        let mut next = Some(board);
        loop {
            match next {
                Some(board) if self.is_reached(board) => {
                    let mut before = board;
                    while let Some((child, _)) = way.pop() {
                        self.before.insert(child, Some(before));
                        before = child;
                    }
                    return Ok(true);
                }
                Some(board) if self.before.contains_key(&board) => {}
                Some(board) => {
                    self.before.insert(board, None);
                    way.push((board, self.parents(board)?));
                }
                None => drop(way.pop()),
            }
            let Some((_, untried)) = way.last_mut() else {
                return Ok(false);
            };
            next = untried.pop();
        }
    }

    /// Whether a line to it is known.
    fn is_reached(&self, board: CanonicalBoard) -> bool {
        board == Board::START.canonical() || self.before.get(&board).is_some_and(Option::is_some)
    }

    /// The positions that have a link to this one.
    fn parents(&self, child: CanonicalBoard) -> Result<Vec<CanonicalBoard>> {
        // In some orientation of the child each parent is found; one is enough, since parents turn with the child.
        let boards = child.board().parents();
        let mut boards: Vec<_> = boards.map(|(_, board)| board.canonical()).collect();
        boards.sort_unstable();
        boards.dedup();
        let mut parents = Vec::new();
        for board in boards {
            let leads_here =
                |link: &Link| board.board().play(link.mv).map(Board::canonical) == Some(child);
            let position = self.store.position(board)?;
            if position.is_some_and(|position| position.links.iter().any(leads_here)) {
                parents.push(board);
            }
        }
        Ok(parents)
    }
}
