//! Books and moves generated from bytes, so that any bytes give a book.

use arbitrary::{Result, Unstructured};
use obook_converters::Header;
use obook_othello::{
    Board, Bounds, CanonicalBoard, Engine, Leaf, Line, Link, Move, NoLeaf, Outcomes, PERSON_LEVEL,
    Position,
};
use std::collections::BTreeSet;

/// A legal move of a board, or none if the game is over.
fn legal(bytes: &mut Unstructured<'_>, board: Board) -> Result<Option<Move>> {
    let moves: Vec<Move> = board.moves().collect();
    match moves.as_slice() {
        [] => Ok(None),
        moves => bytes.choose(moves).copied().map(Some),
    }
}

/// A line from the start of at most this many moves.
pub(crate) fn line(bytes: &mut Unstructured<'_>, most: usize) -> Result<Line> {
    let mut line = Line::new();
    for _ in 0..bytes.int_in_range(0..=most)? {
        let Some(mv) = legal(bytes, line.board())? else {
            break;
        };
        line.push(mv).expect("it is legal");
    }
    Ok(line)
}

/// Positions of a few games, each board once, with arbitrary numbers, including some that no engine would write.
pub(crate) fn positions(bytes: &mut Unstructured<'_>) -> Result<Vec<Position>> {
    let mut boards: BTreeSet<CanonicalBoard> = BTreeSet::new();
    let trunk = line(bytes, 60)?;
    for _ in 0..bytes.int_in_range(1..=4)? {
        // Games that branch off a common line share children.
        let cut = bytes.int_in_range(0..=trunk.ply())?;
        let mut board = Board::START;
        boards.insert(board.canonical());
        for mv in &trunk.moves()[..cut] {
            board = board.play(*mv).expect("a line's moves are legal");
            boards.insert(board.canonical());
        }
        for _ in 0..bytes.int_in_range(0..=6)? {
            let Some(mv) = legal(bytes, board)? else {
                break;
            };
            board = board.play(mv).expect("it is legal");
            boards.insert(board.canonical());
        }
    }
    // Books have gaps, and passes and ends of games from either side's point of view.
    let gaps = bytes.arbitrary::<u16>()?;
    let views: u8 = bytes.arbitrary()?;
    let boards = (0..)
        .zip(boards)
        .filter(|(place, _)| gaps >> (place % 16) & 3 != 3);
    boards
        .map(|(place, board)| {
            let seen = board.board();
            let other = views >> (place % 8) & 1 != 0 && seen.legal_moves().is_empty();
            let board = if other {
                seen.passed().canonical()
            } else {
                board
            };
            position(bytes, board)
        })
        .collect::<Result<Vec<Position>>>()
}

fn position(bytes: &mut Unstructured<'_>, board: CanonicalBoard) -> Result<Position> {
    let mut position = Position::new(board, engine(bytes)?);
    // A bit for each number that is known.
    let known: u8 = bytes.arbitrary()?;
    let knows = |what: u8| known >> what & 1 != 0;
    position.level = if knows(0) { Some(level(bytes)?) } else { None };
    if knows(1) {
        position.value = Some(score(bytes)?.into());
    }
    if knows(2) {
        let (one, other) = (score(bytes)?, score(bytes)?);
        position.bounds = Some(Bounds {
            lower: one.into(),
            upper: other.into(),
        });
        position.outcomes = Some(Outcomes {
            wins: bytes.arbitrary()?,
            draws: bytes.arbitrary::<u8>()?.into(),
            losses: u32::MAX,
        });
    }
    if knows(3) {
        position.lines = Some(bytes.arbitrary()?);
    }
    let mut rest: Vec<Move> = board.board().moves().collect();
    if knows(4) {
        for _ in 0..bytes.int_in_range(0..=rest.len())? {
            let mv = rest.remove(bytes.choose_index(rest.len())?);
            let score = if bytes.arbitrary()? {
                Some(score(bytes)?)
            } else {
                None
            };
            position.links.push(Link { mv, score });
        }
    }
    if knows(5) {
        let mv = match rest.as_slice() {
            [] => None,
            rest => Some(*bytes.choose(rest)?),
        };
        if mv.is_some() || board.board().is_over() {
            position.leaf = Some(Leaf {
                mv,
                score: score(bytes)?,
                level: if knows(6) {
                    position.level
                } else {
                    Some(level(bytes)?)
                },
                engine: position.engine,
            });
        }
    }
    if position.leaf.is_none() && knows(7) {
        position.no_leaf = Some(*bytes.choose(&NoLeaf::ALL)?);
    }
    Ok(position)
}

fn engine(bytes: &mut Unstructured<'_>) -> Result<Engine> {
    bytes.choose(&Engine::ALL).copied()
}

fn score(bytes: &mut Unstructured<'_>) -> Result<i8> {
    bytes.int_in_range(-64..=64)
}

pub(crate) fn level(bytes: &mut Unstructured<'_>) -> Result<u8> {
    Ok(match bytes.int_in_range(0..=11u8)? {
        0 => PERSON_LEVEL,
        _ => bytes.int_in_range(0..=60)?,
    })
}

/// A header that every format accepts.
pub(crate) fn header(count: usize) -> Header {
    Header {
        level: Some(21),
        n_empties: Some(30),
        midgame_error: Some(2),
        endcut_error: Some(1),
        verbosity: Some(1),
        count: Some(count as i64),
        ..Header::default()
    }
}
