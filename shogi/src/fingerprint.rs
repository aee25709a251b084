//! Hashes that tell quickly which moves may lead to a position of a book.

use crate::apery::piece_number;
use crate::{Board, Colour, Move, Piece, Square};
use std::collections::HashSet;

/// The hashes of a book's canonical positions.
pub(crate) struct Fingerprints(HashSet<u64>);

/// A hash of the pieces on the board, as a side sees them. Hands don't matter here, since the few moves that only hands rule out are
/// looked at more closely.
fn fingerprint(board: &Board, viewer: Colour) -> u64 {
    board.pieces().fold(0, |hash, (square, piece)| {
        hash ^ seen(square, piece, viewer)
    })
}

fn seen(square: Square, piece: Piece, viewer: Colour) -> u64 {
    match viewer {
        Colour::Black => piece_number(piece, square),
        Colour::White => piece_number(piece.turned(), square.turned()),
    }
}

impl Fingerprints {
    pub(crate) fn new<'a>(boards: impl Iterator<Item = &'a Board>) -> Self {
        Self(
            boards
                .map(|board| fingerprint(board, board.turn()))
                .collect(),
        )
    }

    /// The legal moves of a position that may lead to one of these, with the positions that they lead to.
    pub(crate) fn children(&self, board: &Board) -> Vec<(Move, Board)> {
        let viewer = board.turn().other();
        let before = fingerprint(board, viewer);
        let in_check = board.is_check();
        let mut children = Vec::new();
        board.for_moves(|mv| {
            let at =
                |square, piece: Option<Piece>| piece.map_or(0, |piece| seen(square, piece, viewer));
            let mine = |kind| {
                Some(Piece {
                    kind,
                    colour: board.turn(),
                })
            };
            let change = match mv {
                Move::Drop { kind, to } => at(to, mine(kind)),
                Move::Step { from, to, promotes } => {
                    let piece = board.piece(from);
                    let moved = piece.map(|piece| {
                        piece
                            .kind
                            .promoted()
                            .filter(|_| promotes)
                            .unwrap_or(piece.kind)
                    });
                    at(from, piece) ^ at(to, board.piece(to)) ^ at(to, moved.and_then(mine))
                }
            };
            if self.0.contains(&(before ^ change)) {
                children.extend(board.after_legal(mv, in_check).map(|child| (mv, child)));
            }
            true
        });
        children
    }
}
