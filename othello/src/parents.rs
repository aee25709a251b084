//! Moves taken back: the positions from which one move leads here.

use crate::square_set::Squares;
use crate::{Board, Move, Square, SquareSet, bits};

/// The positions from which a move leads to a board, each with that move; [`Board::parents`] makes it.
#[derive(Clone, Debug)]
pub struct Parents {
    board: Board,
    /// Squares whose disc may have been the last and was not tried yet.
    squares: Squares,
    /// The square that is being tried.
    square: Option<Square>,
    /// For each direction from that square, the discs that its disc may have turned: a run of the mover's discs but the
    /// last, which closes the run and so was the mover's already.
    runs: [u64; 8],
    /// How much of each run is taken to have been turned: its nearest discs.
    turned: [u64; 8],
    /// Whether it remains to be asked if a pass leads here.
    pass: bool,
}

impl Board {
    /// Every position from which a legal move, the pass included, leads to this board, with that move.
    ///
    /// They are as many as the ways to choose the discs that turned: tens to hundreds in the middle of a game, and most of
    /// them in no book. Where a position has several (symmetric) moves to the same canonical board, each is found
    /// from the board that it leads to.
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

impl Parents {
    /// Turns to the next square whose disc may have been the last.
    fn next_square(&mut self) -> Option<()> {
        loop {
            let square = self.squares.next()?;
            let (player, mover) = (self.board.player(), self.board.opponent() ^ square.bit());
            // Discs that the move would have turned, had it been played here, have been turned.
            if bits::flips(mover, player, square.index().into()) == 0 {
                self.square = Some(square);
                self.runs = bits::runs(mover, square.index().into());
                self.turned = [0; 8];
                return Some(());
            }
        }
    }

    /// Counts on to the next choice of turned discs for this square, direction by direction.
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
