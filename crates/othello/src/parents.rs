//! Taking moves back: the positions one move before a board.

use crate::{Board, CanonicalBoard, Move, Square, SquareSet, bits};

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
    pub fn parents(self) -> impl Iterator<Item = (Move, Board)> {
        let squares = SquareSet(self.opponent()).iter();
        let before = self.passed();
        let pass = before.must_pass().then_some((Move::Pass, before));
        squares.flat_map(move |it| self.parents_by(it)).chain(pass)
    }

    /// The positions from which a disc on `square`, which the other side holds, leads to this board.
    fn parents_by(self, square: Square) -> impl Iterator<Item = (Move, Board)> {
        let (player, mover) = (self.player(), self.opponent() ^ square.bit());
        let index = square.index().into();
        // For each direction from the square, the discs that may have been flipped: a run of the mover's discs except the last, which
        // closes the run and so was the mover's already. Had the move been legal here, the discs it flips would be the mover's by now.
        let runs = match bits::flips(mover, player, index) {
            0 => bits::runs(mover, index),
            _ => [0; 8],
        };
        // The part of each run assumed to have been flipped: its nearest discs.
        let mut turned = [0; 8];
        std::iter::from_fn(move || {
            let all = next_choice(&mut turned, runs)?;
            let parent = Board::new_unchecked(mover ^ all, player | all);
            Some((Move::Place(square), parent))
        })
    }
}

/// Moves on to the next choice of flipped discs, direction by direction. Returns all of them.
fn next_choice(turned: &mut [u64; 8], runs: [u64; 8]) -> Option<u64> {
    for (direction, (turned, run)) in turned.iter_mut().zip(runs).enumerate() {
        let left = run & !*turned;
        if left != 0 {
            *turned |= bits::nearest(left, direction);
            break;
        }
        *turned = 0;
    }
    let all = turned.iter().fold(0u64, |all, turned| all | turned);
    (all != 0).then_some(all)
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
