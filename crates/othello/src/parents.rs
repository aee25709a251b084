//! Taking moves back: the positions one move before a board.

use crate::{Board, CanonicalBoard, Move, Square, SquareSet, Squares, bits};

/// The positions from which a move leads to a board, each with that move. Created by [`Board::parents`].
#[derive(Clone, Debug)]
pub struct Parents {
    board: Board,
    /// Squares yet to try: the last disc may have been placed on any of them.
    squares: Squares,
    /// The square being tried.
    square: Option<Square>,
    /// For each direction from that square, the discs that may have been flipped: a run of the mover's discs except the last,
    /// which closes the run and so was the mover's already.
    runs: [u64; 8],
    /// The part of each run assumed to have been flipped: its nearest discs.
    turned: [u64; 8],
    /// Whether a pass is yet to be tried.
    pass: bool,
}

impl Board {
    /// Returns every position from which a legal move or pass leads to this board, with that move.
    ///
    /// There is one for each way to choose the flipped discs: tens to hundreds in the middle of a game, most of them in no
    /// book. If several (symmetric) moves lead from a position to the same canonical board, each is found from the board it
    /// leads to.
    ///
    /// ```
    /// use obook_othello::Board;
    /// let board = Board::START.play("f5".parse()?).unwrap();
    /// let parents: Vec<_> = board.parents().collect();
    /// assert!(parents.contains(&("f5".parse()?, Board::START)));
    /// for (mv, parent) in parents {
    ///     assert_eq!(parent.play(mv), Some(board));
    /// }
    /// # Ok::<(), obook_othello::ParseMoveError>(())
    /// ```
    #[must_use]
    pub fn parents(self) -> Parents {
        Parents {
            board: self,
            squares: SquareSet(self.opponent()).iter(),
            square: None,
            runs: [0; 8],
            turned: [0; 8],
            pass: true,
        }
    }
}

impl CanonicalBoard {
    /// The positions from which a move leads to this one, sorted by key. One orientation is enough, since they turn with it.
    #[must_use]
    pub fn parents(self) -> Vec<CanonicalBoard> {
        let parents = self.board().parents();
        let mut parents: Vec<_> = parents.map(|(_, parent)| parent.canonical()).collect();
        parents.sort_unstable();
        parents.dedup();
        parents
    }
}

impl Parents {
    /// Moves on to the next square that may have been played last.
    fn next_square(&mut self) -> Option<()> {
        loop {
            let square = self.squares.next()?;
            let (player, mover) = (self.board.player(), self.board.opponent() ^ square.bit());
            // Had the move been legal here, the discs it flips would be the mover's by now.
            if bits::flips(mover, player, square.index().into()) == 0 {
                self.square = Some(square);
                self.runs = bits::runs(mover, square.index().into());
                self.turned = [0; 8];
                return Some(());
            }
        }
    }

    /// Moves on to the next choice of flipped discs for this square, direction by direction.
    fn next_choice(&mut self) -> bool {
        for (direction, (turned, run)) in self.turned.iter_mut().zip(self.runs).enumerate() {
            let left = run & !*turned;
            if left != 0 {
                *turned |= bits::nearest(left, direction);
                return true;
            }
            *turned = 0;
        }
        false
    }
}

impl Iterator for Parents {
    type Item = (Move, Board);

    fn next(&mut self) -> Option<(Move, Board)> {
        loop {
            if let Some(square) = self.square
                && self.next_choice()
            {
                let turned = self.turned.iter().fold(0, |all, turned| all | turned);
                let parent = Board::new_unchecked(
                    self.board.opponent() ^ square.bit() ^ turned,
                    self.board.player() | turned,
                );
                return Some((square.into(), parent));
            }
            if self.next_square().is_none() {
                self.square = None;
                let before = self.board.passed();
                let passes = std::mem::take(&mut self.pass) && before.must_pass();
                return passes.then_some((Move::Pass, before));
            }
        }
    }
}

impl std::iter::FusedIterator for Parents {}
