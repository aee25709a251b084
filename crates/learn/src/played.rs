//! The positions of games.

use foldhash::HashMap;
use obook::games::{Condition, games};
use obook::{Progress, Result, Store};
use obook_othello::{CanonicalBoard, Line};
use std::convert::Infallible;

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
        Played::count(games(database, which).map(|game| {
            progress.advance(1);
            game.map(|(_, game)| game.line().clone())
        }))
    }

    /// The positions of these lines.
    #[must_use]
    pub fn in_lines(lines: impl IntoIterator<Item = Line>) -> Played {
        let Ok(played) = Played::count(lines.into_iter().map(Ok::<_, Infallible>));
        played
    }

    /// Counts the games that reach each position: memory grows with the positions, not with the games.
    fn count<E>(lines: impl Iterator<Item = Result<Line, E>>) -> Result<Played, E> {
        let mut counts: HashMap<CanonicalBoard, u32> = HashMap::default();
        let mut games = 0_u32;
        for line in lines {
            for (board, _) in line?.positions() {
                let count = counts.entry(board.canonical()).or_default();
                *count = count.saturating_add(1);
            }
            games = games.saturating_add(1);
        }
        let mut boards: Vec<(CanonicalBoard, u32)> = counts.into_iter().collect();
        boards.sort_unstable();
        Ok(Played { boards, games })
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
