//! Results of games, in discs.

use obook_othello::Line;
use std::fmt;

/// The result of a game: Black's discs minus White's, from −64 to 64. Empty squares count for the winner.
///
/// ```
/// use obook_games::Score;
/// assert_eq!(Score::of_discs(40, 20).unwrap().get(), 24, "four empty squares go to black");
/// assert_eq!(Score::new(-10).unwrap().to_string(), "-10");
/// assert_eq!(Score::new(65), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i8);

impl Score {
    /// Returns `None` outside −64 to 64.
    #[must_use]
    pub const fn new(score: i8) -> Option<Score> {
        match score {
            -64..=64 => Some(Score(score)),
            _ => None,
        }
    }

    /// The result with these numbers of discs, or `None` if they are more than 64 together.
    #[must_use]
    pub const fn of_discs(black: u8, white: u8) -> Option<Score> {
        if black > 64 || white > 64 || black + white > 64 {
            return None;
        }
        let (black, white) = (black as i8, white as i8);
        let (difference, empties) = (black - white, 64 - black - white);
        Some(Score(difference + difference.signum() * empties))
    }

    /// The disc difference at the end of a line, with empty squares counted for nobody.
    pub(crate) fn of_plain_difference(line: &Line) -> Score {
        let board = line.board();
        let difference = board.player().count_ones() as i8 - board.opponent().count_ones() as i8;
        Score(line.side().for_black(difference))
    }

    /// The result at the end of a line, or `None` if the game is not over.
    ///
    /// ```
    /// use obook_games::Score;
    /// assert_eq!(Score::at_end(&"e6f4e3f6g5d6e7f5c5".parse()?), Score::new(64));
    /// assert_eq!(Score::at_end(&"f5".parse()?), None);
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    #[must_use]
    pub fn at_end(line: &Line) -> Option<Score> {
        let score = || Score(line.side().for_black(line.board().final_score()));
        line.board().is_over().then(score)
    }

    /// The result from Black's side, from −64 to 64.
    #[must_use]
    pub const fn get(self) -> i8 {
        self.0
    }
}

impl fmt::Display for Score {
    /// Writes the result with its sign: `+10`, `-4`, `+0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:+}", self.0)
    }
}
