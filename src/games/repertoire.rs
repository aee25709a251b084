//! The moves with which a player leaves a book, or gives something up in it.

use super::stored::games;
use crate::read::lookup::positions_on;
use crate::read::played::best_of;
use crate::{Lookup, Result, Store};
use foldhash::HashMap;
use obook_othello::{CanonicalBoard, Line, Move, Position, Side};
use obook_sql::rows::games::Condition;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;

/// How a player's games go through a book.
#[derive(Clone, PartialEq, Debug, Default)]
#[non_exhaustive]
pub struct Repertoire {
    /// The number of games.
    pub games: u64,
    /// The number of games in which the player was the first to leave the book.
    pub left: u64,
    /// The number of games in which the opponent was.
    pub left_by_opponent: u64,
    /// Moves that lead out of the book or cost something, in no particular order.
    pub departures: Vec<Departure>,
}

/// A move that leads out of the book, or is worse than the best one.
#[derive(Clone, PartialEq, Debug)]
pub struct Departure {
    /// The moves to the position, as in the latest game, but with f5 first.
    pub line: Line,
    /// The move, in the orientation of the line.
    pub mv: Move,
    /// The best move of the book there, with its score; `None` if the book has no scored move.
    pub best: Option<(Move, i16)>,
    /// The discs that the move gives up.
    pub loss: Loss,
    /// The number of games with this move.
    pub games: u64,
    /// The number of those with a result, and the sum of these in discs, for the player.
    results: (u64, i64),
}

/// The discs that a move gives up, as far as the book says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loss {
    /// The book has a score for the move.
    Exactly(i16),
    /// The book has scores for other moves only. The best of those that lead out of the book is so much worse than the best
    /// move.
    AtLeast(i16),
    /// The book does not tell.
    Unknown,
}

impl Loss {
    /// The loss, or the least that it can be.
    #[must_use]
    pub const fn discs(self) -> Option<i16> {
        match self {
            Loss::Exactly(discs) | Loss::AtLeast(discs) => Some(discs),
            Loss::Unknown => None,
        }
    }
}

impl Departure {
    /// A move that was not counted yet, from a position at the end of these boards.
    fn new(
        game: &Line,
        way: &[CanonicalBoard],
        position: &Position,
        to: CanonicalBoard,
    ) -> Departure {
        // Games with a start of their own stay as they are.
        let line = Line::through(way.iter().copied());
        let line = line.unwrap_or_else(|| game.prefix(way.len() - 1));
        let board = line.board();
        let mv = board.move_to(to);
        Departure {
            mv: mv.expect("the game has a move from here to there"),
            best: best_of(position, board),
            loss: loss(position, to),
            games: 0,
            results: (0, 0),
            line,
        }
    }

    /// The mean result for the player in discs; `None` if no result is known.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let (games, sum) = self.results;
        (games > 0).then(|| sum as f64 / games as f64)
    }

    /// The place of a departure in a list that begins with what costs the player most in all games together, if the move loses
    /// this many discs. Those without a known loss come last.
    #[must_use]
    pub fn place(&self, loss: Option<i16>) -> impl Ord + use<> {
        let all = loss.map(|loss| i64::from(loss) * self.games.cast_signed());
        (
            Reverse(all),
            Reverse(self.games),
            self.line.to_string(),
            self.mv,
        )
    }
}

/// Compares a player's games with a book. `player` is the whole name, and `condition` further filters the games; `side` limits them
/// to one colour. A game is followed until it leaves the book.
///
/// ```no_run
/// use obook::games::{Condition, repertoire};
/// use obook::{Book, Context, Lookup, Store};
///
/// let context = Context::default();
/// let book = Lookup::new(Book::open("book.obook", &context)?, &context)?;
/// let games = Store::open("games.obook", &context)?;
/// let found = repertoire(&book, &games, "Tastet Marc", None, Condition::default())?;
/// for departure in found.departures {
///     println!("{} after {}: {} games", departure.mv, departure.line, departure.games);
/// }
/// # Ok::<(), obook::Error>(())
/// ```
///
/// # Errors
/// Returns an error if the book or the games can't be read.
pub fn repertoire(
    book: &Lookup,
    games_of: &Store,
    player: &str,
    side: Option<Side>,
    mut condition: Condition,
) -> Result<Repertoire> {
    condition.player = Some(player.to_owned());
    let mut positions: HashMap<CanonicalBoard, Option<Position>> = HashMap::default();
    let mut position_of = |board: CanonicalBoard| -> Result<Option<Position>> {
        Ok(match positions.entry(board) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(unknown) => unknown.insert(book.position(board)?).clone(),
        })
    };
    let mut departures: HashMap<(CanonicalBoard, CanonicalBoard), Departure> = HashMap::default();
    let mut found = Repertoire::default();
    for stored in games(games_of, &condition) {
        let (_, game) = stored?;
        let sides = [(Side::Black, &game.black), (Side::White, &game.white)];
        let played = |(of, who): &(Side, &obook_games::Player)| {
            who.name.as_deref() == Some(player) && side.is_none_or(|side| side == *of)
        };
        let Some((own, _)) = sides.into_iter().find(played) else {
            continue;
        };
        found.games += 1;
        let line = game.line();
        let boards: Vec<CanonicalBoard> = positions_on(line).collect();
        let mut next = position_of(boards[0])?;
        for (index, (mv, (_, side))) in line.moves().iter().zip(line.positions()).enumerate() {
            let Some(here) = next else { break };
            let (from, to) = (boards[index], boards[index + 1]);
            next = position_of(to)?;
            let counts = next.is_none() || loss(&here, to).discs() > Some(0);
            if side == own && counts && *mv != Move::Pass {
                let new = || Departure::new(line, &boards[..=index], &here, to);
                let departure = departures.entry((from, to)).or_insert_with(new);
                departure.games += 1;
                if let Some(score) = game.score {
                    let (games, sum) = &mut departure.results;
                    *games += 1;
                    *sum += own.for_black(i64::from(score.get()));
                }
            }
            match next {
                Some(_) => {}
                None if side == own => found.left += 1,
                None => found.left_by_opponent += 1,
            }
        }
    }
    found.departures = departures.into_values().collect();
    Ok(found)
}

/// The book's verdict on the move from a position to `to`.
fn loss(position: &Position, to: CanonicalBoard) -> Loss {
    let leads = |mv: Move| position.board.child(mv) == Some(to);
    let moves = position.known_moves();
    let moves = moves.filter_map(|(mv, score, is_leaf)| Some((i16::from(score?), mv, is_leaf)));
    let moves: Vec<_> = moves.collect();
    let Some(best) = moves.iter().map(|(score, ..)| score).max() else {
        return Loss::Unknown;
    };
    let leaf = moves.iter().find(|(_, _, is_leaf)| *is_leaf);
    match (moves.iter().find(|(_, mv, _)| leads(*mv)), leaf) {
        (Some((score, ..)), _) => Loss::Exactly(best - score),
        // The leaf is the best move out of the book.
        (None, Some((leaf, ..))) => Loss::AtLeast(best - leaf),
        (None, None) => Loss::Unknown,
    }
}
