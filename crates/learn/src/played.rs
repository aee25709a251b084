//! The positions of games.

use obook::games::{Condition, games};
use obook::{Progress, Result, Store};
use obook_othello::{CanonicalBoard, Line};

/// Equal boards of games are put together when there are this many boards, or more if few are equal.
const TOGETHER: usize = 1 << 20;

/// Positions of games, with the number of games that reached them: what the owner of a book plays.
///
/// ```
/// use obook_learn::Played;
/// use obook_othello::Board;
/// let played = Played::in_lines(["f5d6c3".parse()?, "f5f6".parse()?]);
/// let start = played.boards().find(|(board, _)| *board == Board::START.canonical());
/// assert_eq!(start.map(|(_, games)| games), Some(2));
/// assert_eq!(played.boards().len(), 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Played {
    /// By board, each once.
    boards: Vec<(CanonicalBoard, u32)>,
    games: u32,
}

impl Played {
    /// No games.
    pub const NOTHING: Played = Played {
        boards: Vec::new(),
        games: 0,
    };

    /// The positions of these games of a database.
    ///
    /// # Errors
    /// Fails if the games can't be read.
    pub fn in_games(database: &Store, which: &Condition, progress: &Progress) -> Result<Played> {
        progress.step("reading games", None);
        let (mut played, mut most) = (Played::default(), TOGETHER);
        for game in games(database, which) {
            let (_, game) = game?;
            played.add(game.line(), &mut most);
            progress.advance(1);
        }
        played.put_together();
        Ok(played)
    }

    /// The positions of these lines.
    #[must_use]
    pub fn in_lines(lines: impl IntoIterator<Item = Line>) -> Played {
        let (mut played, mut most) = (Played::default(), TOGETHER);
        for line in lines {
            played.add(&line, &mut most);
        }
        played.put_together();
        played
    }

    /// Adds a game. `most` is the number of boards, equal ones included, at which they are put together.
    fn add(&mut self, line: &Line, most: &mut usize) {
        let boards = line.positions().map(|(board, _)| (board.canonical(), 1));
        self.boards.extend(boards);
        self.games = self.games.saturating_add(1);
        if self.boards.len() >= *most {
            self.put_together();
            // Twice as many as differ, so that the work is in proportion to the games.
            *most = (*most).max(2 * self.boards.len());
        }
    }

    fn put_together(&mut self) {
        self.boards.sort_unstable();
        self.boards.dedup_by(|(board, games), (before, sum)| {
            let same = board == before;
            if same {
                *sum = sum.saturating_add(*games);
            }
            same
        });
    }

    /// Whether there are no positions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.boards.is_empty()
    }

    /// The positions, each once, with the number of games that reached them.
    pub fn boards(&self) -> impl ExactSizeIterator<Item = (CanonicalBoard, u32)> {
        self.boards.iter().copied()
    }

    /// The positions, each with its share of the games.
    pub(crate) fn shares(&self) -> impl Iterator<Item = (CanonicalBoard, f64)> {
        let games = f64::from(self.games.max(1));
        self.boards()
            .map(move |(board, count)| (board, f64::from(count) / games))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million games have far fewer positions than moves.
    #[test]
    fn many_games_take_as_much_memory_as_their_positions() {
        let lines: Vec<Line> = ["f5d6c3d3c4f4", "f5f6e6f4g5", "f5d6c4d3c3"]
            .map(|line| line.parse().unwrap())
            .to_vec();
        let (mut played, mut most) = (Played::default(), 64);
        for line in lines.iter().cycle().take(999) {
            played.add(line, &mut most);
            assert!(played.boards.len() < 64, "{}", played.boards.len());
        }
        played.put_together();
        let all = Played::in_lines(lines.iter().cycle().take(999).cloned());
        assert_eq!(played, all);
        assert_eq!(all.games, 999);
    }
}
