//! The canonical board: one key for a position and its mirror images.

use crate::{Board, Move, OverlapError, Symmetry};

/// The smallest of the eight symmetric boards, compared as (player, opponent). It is a book's key.
///
/// ```
/// use obook_othello::Board;
/// let one = Board::START.play("f5".parse()?).unwrap();
/// let other = Board::START.play("c4".parse()?).unwrap();
/// assert_ne!(one, other);
/// assert_eq!(one.canonical(), other.canonical());
/// # Ok::<(), obook_othello::ParseMoveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CanonicalBoard(Board);

impl CanonicalBoard {
    /// Returns the board if it is canonical, or `None` if a symmetric one is smaller.
    ///
    /// ```
    /// use obook_othello::{Board, CanonicalBoard};
    /// let board = Board::START.place("d3".parse()?).unwrap();
    /// assert_eq!(CanonicalBoard::new(board), None);
    /// let canonical = board.canonical();
    /// assert_eq!(CanonicalBoard::new(canonical.board()), Some(canonical));
    /// # Ok::<(), obook_othello::ParseSquareError>(())
    /// ```
    #[must_use]
    pub fn new(board: Board) -> Option<CanonicalBoard> {
        let players = Symmetry::all_bits(board.player());
        let (mut is_least, mut is_only_least) = (true, true);
        for image in &players[1..] {
            is_least &= board.player() <= *image;
            is_only_least &= board.player() < *image;
        }
        // The opponent's discs decide only if several images of the player's are the least, which is rare.
        let is_canonical = is_only_least || is_least && board.canonical().0 == board;
        is_canonical.then_some(CanonicalBoard(board))
    }

    /// The board itself, in the orientation in which a book stores moves.
    #[must_use]
    pub const fn board(self) -> Board {
        self.0
    }

    /// Of the moves that are the same as `mv` by the board's own symmetry, the one with the smallest code.
    ///
    /// ```
    /// use obook_othello::{Board, Move};
    /// let start = Board::START.canonical();
    /// let first: Move = "d3".parse()?;
    /// // All four first moves are the same.
    /// for mv in start.board().moves() {
    ///     assert_eq!(start.first_of_same(mv), start.first_of_same(first));
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn first_of_same(self, mv: Move) -> Move {
        let same = self.0.own_symmetries().map(|symmetry| symmetry.play(mv));
        same.min().unwrap_or(mv)
    }

    /// The position after a move of [this board](CanonicalBoard::board); `None` if it is illegal.
    ///
    /// ```
    /// use obook_othello::Board;
    /// let start = Board::START.canonical();
    /// let children = start.board().children();
    /// for (mv, child) in children {
    ///     assert_eq!(start.child(mv), Some(child.canonical()));
    /// }
    /// ```
    #[must_use]
    pub fn child(self, mv: Move) -> Option<CanonicalBoard> {
        self.0.play(mv).map(Board::canonical)
    }

    /// The database key: player, then opponent, each big-endian, so keys sort like boards.
    ///
    /// ```
    /// use obook_othello::{Board, CanonicalBoard};
    /// let canonical = Board::START.canonical();
    /// let key = canonical.to_key();
    /// assert_eq!(key, [0, 0, 0, 8, 0x10, 0, 0, 0, /* opponent */ 0, 0, 0, 0x10, 8, 0, 0, 0]);
    /// assert_eq!(CanonicalBoard::from_key(key), Ok(Some(canonical)));
    /// ```
    #[inline]
    #[must_use]
    pub fn to_key(self) -> [u8; 16] {
        let both = u128::from(self.0.player()) << 64 | u128::from(self.0.opponent());
        both.to_be_bytes()
    }

    /// Parses a database key. Returns `None` if its board isn't canonical.
    ///
    /// # Errors
    /// Returns [`OverlapError`] if both sides hold a square.
    pub fn from_key(key: [u8; 16]) -> Result<Option<CanonicalBoard>, OverlapError> {
        let both = u128::from_be_bytes(key);
        Board::new((both >> 64) as u64, both as u64).map(CanonicalBoard::new)
    }

    /// Parses a key that came from [`CanonicalBoard::to_key`], without checks (except for overlap, with debug assertions on):
    /// database scans call it for every row. For any other key, use [`CanonicalBoard::from_key`].
    #[inline]
    #[must_use]
    pub fn from_trusted_key(key: [u8; 16]) -> CanonicalBoard {
        let both = u128::from_be_bytes(key);
        let (player, opponent) = ((both >> 64) as u64, both as u64);
        debug_assert_eq!(player & opponent, 0);
        CanonicalBoard(Board::new_unchecked(player, opponent))
    }
}

impl Board {
    /// The symmetries that leave the board as it is.
    fn own_symmetries(self) -> impl Iterator<Item = Symmetry> {
        let players = Symmetry::all_bits(self.player());
        let images = Symmetry::ALL.into_iter().zip(players);
        // Few images of the player's discs are the same, so the opponent's are hardly ever needed.
        let same = images.filter(move |(symmetry, player)| {
            *player == self.player() && symmetry.bits(self.opponent()) == self.opponent()
        });
        same.map(|(symmetry, _)| symmetry)
    }

    /// Of the moves that are the same as `mv` by the board's own symmetry, the one that people write: the rightmost, then the
    /// lowest.
    ///
    /// ```
    /// use obook_othello::{Board, Move};
    /// let [d3, f5]: [Move; 2] = ["d3".parse()?, "f5".parse()?];
    /// assert_eq!(Board::START.conventional(d3), f5);
    /// # Ok::<(), obook_othello::ParseMoveError>(())
    /// ```
    #[must_use]
    pub fn conventional(self, mv: Move) -> Move {
        let same = self.own_symmetries().map(|symmetry| symmetry.play(mv));
        let rightmost = same.max_by_key(|mv| match mv {
            Move::Place(square) => (square.file(), square.rank()),
            Move::Pass => (0, 0),
        });
        rightmost.unwrap_or(mv)
    }

    /// A move of the [canonical](Board::canonical) board on this board, as people [write](Board::conventional) it.
    ///
    /// ```
    /// use obook_othello::{Board, Move};
    /// let [d3, f5]: [Move; 2] = ["d3".parse()?, "f5".parse()?];
    /// assert_eq!(Board::START.written(d3), f5);
    /// # Ok::<(), obook_othello::ParseMoveError>(())
    /// ```
    #[must_use]
    pub fn written(self, mv: Move) -> Move {
        self.conventional(self.canonicalize().1.inverse().play(mv))
    }

    /// The legal moves, those that the board's own symmetry makes the same only once, as people write them.
    ///
    /// ```
    /// use obook_othello::Board;
    /// let first: Vec<String> = Board::START.distinct_moves().map(|mv| mv.to_string()).collect();
    /// assert_eq!(first, ["f5"]);
    /// ```
    pub fn distinct_moves(self) -> impl Iterator<Item = Move> {
        self.moves().filter(move |mv| self.conventional(*mv) == *mv)
    }

    /// The move that leads to a position, up to symmetry, as people write it; `None` if there is none.
    ///
    /// ```
    /// use obook_othello::{Board, Line};
    /// let line: Line = "d3".parse()?;
    /// let mv = Board::START.move_to(line.board().canonical());
    /// assert_eq!(mv.unwrap().to_string(), "f5");
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    #[must_use]
    pub fn move_to(self, child: CanonicalBoard) -> Option<Move> {
        let leads = |mv: &Move| self.play(*mv).map(Board::canonical) == Some(child);
        self.distinct_moves().find(leads)
    }

    /// The place of a move in a list of equally good ones: moves as people [write](Board::conventional) them come first, each
    /// group in the order of the squares.
    ///
    /// ```
    /// use obook_othello::Board;
    /// let mut first: Vec<_> = Board::START.moves().collect();
    /// first.sort_by_key(|mv| Board::START.place_of(*mv));
    /// assert_eq!(first.iter().map(|mv| mv.to_string()).collect::<Vec<_>>(), ["f5", "d3", "c4", "e6"]);
    /// ```
    #[must_use]
    pub fn place_of(self, mv: Move) -> impl Ord + use<> {
        (self.conventional(mv) != mv, mv)
    }

    /// The canonical board of this position.
    #[must_use]
    pub const fn canonical(self) -> CanonicalBoard {
        let players = Symmetry::all_bits(self.player());
        let opponents = Symmetry::all_bits(self.opponent());
        // Any of the eight may win, so branches would be mispredicted: numbers of 128 bits are compared and moved without.
        let mut least = u128::MAX;
        let mut index = 0;
        while index < 8 {
            let image = (players[index] as u128) << 64 | opponents[index] as u128;
            least = if image < least { image } else { least };
            index += 1;
        }
        CanonicalBoard(Board::new_unchecked((least >> 64) as u64, least as u64))
    }

    /// Returns the canonical board and a symmetry that leads to it. [`Symmetry::play`] maps moves to the canonical board, and the
    /// [inverse](Symmetry::inverse) maps them back. If there are several such symmetries (a position can be symmetric to
    /// itself), the first of [`Symmetry::ALL`] is returned.
    ///
    /// ```
    /// use obook_othello::{Board, Line, Move};
    /// let board = "f5d6".parse::<Line>()?.board();
    /// let (canonical, symmetry) = board.canonicalize();
    /// // A book stores moves in its own orientation. This maps them to the players'.
    /// for theirs in canonical.board().moves() {
    ///     let ours = symmetry.inverse().play(theirs);
    ///     assert!(board.play(ours).is_some());
    /// }
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    #[must_use]
    pub const fn canonicalize(self) -> (CanonicalBoard, Symmetry) {
        let players = Symmetry::all_bits(self.player());
        let opponents = Symmetry::all_bits(self.opponent());
        let mut player = players[0];
        let mut index = 1;
        while index < 8 {
            if players[index] < player {
                player = players[index];
            }
            index += 1;
        }
        // Any of the eight may win, so branches would be mispredicted. Selecting among all is much faster.
        let (mut opponent, mut best) = (u64::MAX, 0);
        let mut index = 0;
        while index < 8 {
            let candidate = if players[index] == player {
                opponents[index]
            } else {
                u64::MAX
            };
            if candidate < opponent {
                opponent = candidate;
                best = index;
            }
            index += 1;
        }
        (
            CanonicalBoard(Board::new_unchecked(player, opponent)),
            Symmetry::ALL[best],
        )
    }
}
