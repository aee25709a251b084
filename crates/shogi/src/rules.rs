//! The rules: how pieces move, check, and which moves are legal.

use crate::{Board, Colour, Move, Piece, PieceType, Square};

/// Black's directions, in pairs of opposites, then the jumps of Black's knights and those of White's: file and rank grow by these.
const DIRECTIONS: [(i8, i8); 12] = [
    (0, -1),
    (0, 1),
    (1, 0),
    (-1, 0),
    (1, -1),
    (-1, 1),
    (-1, -1),
    (1, 1),
    (1, -2),
    (-1, -2),
    (1, 2),
    (-1, 2),
];
const STRAIGHT: u8 = 0b0000_1111;
const DIAGONAL: u8 = 0b1111_0000;
const FORWARD: u8 = 0b0000_0001;
const GOLD: u8 = 0b0101_1111;
const SILVER: u8 = 0b1111_0001;

/// In a table of squares: there is none.
const OFF: u8 = u8::MAX;

/// The next square in each direction.
const NEXT: [[u8; Square::COUNT]; DIRECTIONS.len()] = {
    let mut next = [[OFF; Square::COUNT]; DIRECTIONS.len()];
    let mut direction = 0;
    while direction < DIRECTIONS.len() {
        let mut square = 0;
        while square < Square::COUNT {
            next[direction][square] = moved(square, DIRECTIONS[direction]);
            square += 1;
        }
        direction += 1;
    }
    next
};

/// The squares to which a side's knight goes from this one.
fn jumps(colour: Colour, from: Square) -> impl Iterator<Item = Square> {
    let first = 8 + 2 * colour as usize;
    let jumps = [first, first + 1].into_iter();
    jumps.filter_map(move |jump| Square::from_index(NEXT[jump][from.index()]))
}

const fn moved(square: usize, (files, ranks): (i8, i8)) -> u8 {
    let file = (square / 9) as i8 + files;
    let rank = (square % 9) as i8 + ranks;
    if file < 0 || file > 8 || rank < 0 || rank > 8 {
        OFF
    } else {
        (file * 9 + rank) as u8
    }
}

/// The directions in which a piece moves one step, and those in which it slides, as sets of bits.
const fn directions(piece: Piece) -> (u8, u8) {
    let (steps, slides) = match piece.kind {
        PieceType::Pawn => (FORWARD, 0),
        PieceType::Lance => (0, FORWARD),
        PieceType::Knight => (0, 0),
        PieceType::Silver => (SILVER, 0),
        PieceType::Bishop => (0, DIAGONAL),
        PieceType::Rook => (0, STRAIGHT),
        PieceType::Gold
        | PieceType::ProPawn
        | PieceType::ProLance
        | PieceType::ProKnight
        | PieceType::ProSilver => (GOLD, 0),
        PieceType::King => (STRAIGHT | DIAGONAL, 0),
        PieceType::Horse => (STRAIGHT, DIAGONAL),
        PieceType::Dragon => (DIAGONAL, STRAIGHT),
    };
    match piece.colour {
        Colour::Black => (steps, slides),
        Colour::White => (opposite(steps), opposite(slides)),
    }
}

const fn opposite(directions: u8) -> u8 {
    (directions & 0b0101_0101) << 1 | (directions & 0b1010_1010) >> 1
}

fn bits(set: u8) -> impl Iterator<Item = usize> {
    (0..8).filter(move |bit| set >> bit & 1 == 1)
}

/// How many ranks a side's piece is from the last one, for it.
const fn ranks_to_go(colour: Colour, square: Square) -> u8 {
    match colour {
        Colour::Black => square.rank() - 1,
        Colour::White => 9 - square.rank(),
    }
}

/// Whether a piece of this kind could never move again from this square.
const fn is_dead(kind: PieceType, colour: Colour, square: Square) -> bool {
    match kind {
        PieceType::Pawn | PieceType::Lance => ranks_to_go(colour, square) == 0,
        PieceType::Knight => ranks_to_go(colour, square) < 2,
        _ => false,
    }
}

impl Board {
    /// Calls `each` for every square that a piece on `from` attacks, whoever stands there.
    pub(crate) fn for_attacks(&self, from: Square, piece: Piece, mut each: impl FnMut(Square)) {
        if piece.kind == PieceType::Knight {
            jumps(piece.colour, from).for_each(each);
            return;
        }
        let (steps, slides) = directions(piece);
        for direction in bits(steps | slides) {
            let mut at = from;
            while let Some(next) = Square::from_index(NEXT[direction][at.index()]) {
                each(next);
                if slides >> direction & 1 == 0 || self.piece(next).is_some() {
                    break;
                }
                at = next;
            }
        }
    }

    /// Whether a side attacks a square.
    #[must_use]
    pub fn is_attacked(&self, target: Square, by: Colour) -> bool {
        // A knight is where a knight of the other side on the target would go.
        let knight = PieceType::Knight.of(by);
        if jumps(by.other(), target).any(|at| self.piece(at) == Some(knight)) {
            return true;
        }
        (0..8).any(|direction| {
            let mut at = target;
            let mut is_next = true;
            while let Some(next) = Square::from_index(NEXT[direction][at.index()]) {
                if let Some(piece) = self.piece(next) {
                    let (steps, slides) = directions(piece);
                    let reaching = if is_next { steps | slides } else { slides };
                    return piece.colour == by && opposite(reaching) >> direction & 1 == 1;
                }
                is_next = false;
                at = next;
            }
            false
        })
    }

    /// Whether the side to move is in check.
    #[must_use]
    pub fn is_check(&self) -> bool {
        self.is_attacked(self.king(self.turn()), self.turn().other())
    }

    /// All legal moves, with the positions that they lead to.
    #[must_use]
    pub fn children(&self) -> Vec<(Move, Self)> {
        let mut children = Vec::new();
        self.for_legal(|mv, child| {
            children.push((mv, *child));
            true
        });
        children
    }

    /// All legal moves: also those that give up a promotion for no reason, but no second unpromoted pawn on a file, and no pawn
    /// that is dropped for mate.
    ///
    /// ```
    /// use obook_shogi::Board;
    ///
    /// assert_eq!(Board::start().legal_moves().len(), 30);
    /// ```
    #[must_use]
    pub fn legal_moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        self.for_legal(|mv, _| {
            moves.push(mv);
            true
        });
        moves
    }

    /// The position after a move; `None` if the move isn't legal.
    #[must_use]
    pub fn play(&self, mv: Move) -> Option<Self> {
        let us = self.turn();
        let is_possible = match mv {
            Move::Step { from, .. } => {
                let piece = self.piece(from).filter(|piece| piece.colour == us);
                piece.is_some_and(|piece| !self.for_steps(from, piece, &mut |step| step != mv))
            }
            Move::Drop { kind, to } => self.can_drop(kind, to),
        };
        is_possible.then(|| self.after_legal(mv, self.is_check()))?
    }

    /// Whether the side to move has no legal move: it has lost.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.for_legal(|_, _| false)
    }

    /// Calls `each` with legal moves and positions as long as it returns `true`. Returns whether it always did.
    fn for_legal(&self, mut each: impl FnMut(Move, &Self) -> bool) -> bool {
        let in_check = self.is_check();
        self.for_moves(|mv| match self.after_legal(mv, in_check) {
            Some(child) => each(mv, &child),
            None => true,
        })
    }

    /// The position after a move of [`for_moves`](Self::for_moves), if it is legal.
    pub(crate) fn after_legal(&self, mv: Move, in_check: bool) -> Option<Self> {
        let us = self.turn();
        let child = self.after(mv);
        let (may_expose, is_pawn) = match mv {
            Move::Step { .. } => (true, false),
            // A drop uncovers nothing.
            Move::Drop { kind, .. } => (in_check, kind == PieceType::Pawn),
        };
        if may_expose && child.is_attacked(child.king(us), us.other()) {
            return None;
        }
        let mates = is_pawn && child.is_check() && child.is_lost();
        (!mates).then_some(child)
    }

    /// Calls `each` as long as it returns `true`, with all moves that are legal unless they leave the king in check or drop a pawn for
    /// mate. Returns whether it always did.
    pub(crate) fn for_moves(&self, mut each: impl FnMut(Move) -> bool) -> bool {
        let us = self.turn();
        for (from, piece) in self.pieces().filter(|(_, piece)| piece.colour == us) {
            if !self.for_steps(from, piece, &mut each) {
                return false;
            }
        }
        let hand = self.hand(us);
        if hand.is_empty() {
            return true;
        }
        let pawn = PieceType::Pawn.of(us);
        let mut has_pawn = [false; 10];
        for (at, _) in self.pieces().filter(|&(_, piece)| piece == pawn) {
            has_pawn[usize::from(at.file())] = true;
        }
        for (kind, _) in hand.pieces() {
            for to in Square::all().filter(|&to| self.piece(to).is_none()) {
                let second = kind == PieceType::Pawn && has_pawn[usize::from(to.file())];
                if !second && !is_dead(kind, us, to) && !each(Move::Drop { kind, to }) {
                    return false;
                }
            }
        }
        true
    }

    /// The moves of a piece, as [`for_moves`](Self::for_moves). Returns whether `each` always returned `true`.
    fn for_steps(&self, from: Square, piece: Piece, each: &mut impl FnMut(Move) -> bool) -> bool {
        let us = piece.colour;
        let mut targets = [None; 20];
        let mut count = 0;
        self.for_attacks(from, piece, |to| {
            targets[count] = Some(to);
            count += 1;
        });
        for to in targets.into_iter().flatten() {
            if self.piece(to).is_some_and(|there| there.colour == us) {
                continue;
            }
            let in_zone = ranks_to_go(us, from) < 3 || ranks_to_go(us, to) < 3;
            let step = |promotes| Move::Step { from, to, promotes };
            if in_zone && piece.kind.promoted().is_some() && !each(step(true)) {
                return false;
            }
            if !is_dead(piece.kind, us, to) && !each(step(false)) {
                return false;
            }
        }
        true
    }

    /// Whether the side to move may drop a piece, unless that leaves its king in check or is a pawn that mates.
    fn can_drop(&self, kind: PieceType, to: Square) -> bool {
        let us = self.turn();
        let pawn = PieceType::Pawn.of(us);
        let is_second = || {
            let mut pieces = self.pieces();
            kind == PieceType::Pawn
                && pieces.any(|(at, piece)| piece == pawn && at.file() == to.file())
        };
        self.hand(us).count(kind) > 0
            && self.piece(to).is_none()
            && !is_dead(kind, us, to)
            && !is_second()
    }
}

/// The number of lines of `depth` legal moves.
///
/// ```
/// use obook_shogi::{Board, perft};
///
/// assert_eq!(perft(&Board::start(), 2), 900);
/// ```
#[must_use]
pub fn perft(board: &Board, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => board.legal_moves().len() as u64,
        _ => {
            let children = board.children().into_iter();
            children.map(|(_, child)| perft(&child, depth - 1)).sum()
        }
    }
}
