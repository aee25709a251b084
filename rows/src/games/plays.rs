//! What was played in a position, counted.

use super::{Condition, GameId, table};
use obook_othello::{Board, CanonicalBoard, Move};
use rusqlite::types::Value;
use rusqlite::{Connection, Error, Result, Row, params_from_iter};
use std::collections::BTreeMap;

/// How often a move was played, and how that ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Play {
    /// In the orientation of the canonical board; of moves that symmetry makes the same the first.
    pub mv: Move,
    /// Games in which it was played.
    pub games: u64,
    /// Those that the side that played it won,
    pub wins: u64,
    /// drew
    pub draws: u64,
    /// and lost. Games whose end is not known are in none of the three.
    pub losses: u64,
    /// The mean of the final differences, in discs, for the side that played it; `None` where no end is known.
    pub mean: Option<f64>,
    /// The first year in which it was played, where any is known,
    pub first_year: Option<u16>,
    /// and the last.
    pub last_year: Option<u16>,
}

impl Play {
    /// The move on a board that is not the canonical one. Of the moves that symmetry makes the same the rightmost: f5 of the
    /// first moves.
    #[must_use]
    pub fn on(&self, board: Board) -> Move {
        let (canonical, symmetry) = board.canonicalize();
        let same = board.moves().filter(|mv| {
            let theirs = canonical.first_of_same(symmetry.play(*mv));
            theirs == canonical.first_of_same(self.mv)
        });
        let rightmost = same.max_by_key(|mv| match mv {
            Move::Place(square) => (square.file(), square.rank()),
            Move::Pass => (0, 0),
        });
        rightmost.unwrap_or(symmetry.inverse().play(self.mv))
    }
}

/// What is counted of a move.
#[derive(Clone, Copy, Default)]
struct Tally {
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    sum: i64,
    years: Option<(u16, u16)>,
}

/// A row of `play_counts`, or one game as such a row.
struct Counted {
    mv: u8,
    year: Option<u16>,
    tally: Tally,
}

/// What was played in a position in the games that are asked for, most played first, those of the same number in the order of
/// their squares.
///
/// # Errors
/// Where SQLite can't read the tables.
pub fn plays(
    connection: &Connection,
    schema: Option<&str>,
    board: CanonicalBoard,
    condition: &Condition,
) -> Result<Vec<Play>> {
    let mut tallies = BTreeMap::new();
    let mut add = |counted: Counted| {
        let Some(mv) = Move::from_code(counted.mv) else {
            return;
        };
        let tally: &mut Tally = tallies.entry(mv).or_default();
        tally.add(&counted);
    };
    if !condition.is_of_years_and_winner() {
        few(connection, schema, board, condition, &mut add)?;
    } else if !kept(connection, schema, board, condition, &mut add)? {
        all(connection, schema, board, condition, &mut add)?;
    }
    let mut plays: Vec<Play> = tallies
        .into_iter()
        .filter(|(_, tally)| tally.games > 0)
        .map(|(mv, tally)| tally.play(mv))
        .collect();
    plays.sort_by_key(|play| std::cmp::Reverse(play.games));
    Ok(plays)
}

/// From the counts that are kept, if they are of this board.
fn kept(
    connection: &Connection,
    schema: Option<&str>,
    board: CanonicalBoard,
    condition: &Condition,
    add: &mut impl FnMut(Counted),
) -> Result<bool> {
    let sql = format!(
        "SELECT move, year, black, games, wins, draws, losses, won, lost FROM {} WHERE board = ?",
        table(schema, "play_counts")
    );
    let mut select = connection.prepare_cached(&sql)?;
    let mut rows = select.query([board.to_key()])?;
    let mut are_kept = false;
    while let Some(row) = rows.next()? {
        are_kept = true;
        let year = year(row.get(1)?);
        if !condition.has_year(year) {
            continue;
        }
        let black: bool = row.get(2)?;
        let count = |column: usize| row.get::<_, i64>(column).map(i64::unsigned_abs);
        let (wins, draws, losses) = (count(4)?, count(5)?, count(6)?);
        let tally = match condition.winner {
            None => Tally {
                games: count(3)?,
                wins,
                draws,
                losses,
                sum: row.get::<_, i64>(7)?.saturating_add(row.get(8)?),
                years: None,
            },
            Some(_) if condition.has_score(black, Some(1)) => Tally {
                games: wins,
                wins,
                sum: row.get(7)?,
                ..Tally::default()
            },
            Some(_) if condition.has_score(black, Some(-1)) => Tally {
                games: losses,
                losses,
                sum: row.get(8)?,
                ..Tally::default()
            },
            Some(_) => Tally {
                games: draws,
                draws,
                ..Tally::default()
            },
        };
        let mv = row.get(0)?;
        add(Counted { mv, year, tally });
    }
    Ok(are_kept)
}

/// From all games through the board.
fn all(
    connection: &Connection,
    schema: Option<&str>,
    board: CanonicalBoard,
    condition: &Condition,
    add: &mut impl FnMut(Counted),
) -> Result<()> {
    let sql = format!(
        "SELECT move, game, black, score FROM {} WHERE board = ? AND game BETWEEN ? AND ?",
        table(schema, "played")
    );
    let (first, last) = condition.numbers();
    let mut select = connection.prepare_cached(&sql)?;
    let mut rows = select.query((board.to_key(), first, last))?;
    while let Some(row) = rows.next()? {
        if let Some(one) = one(row, condition)? {
            add(one);
        }
    }
    Ok(())
}

/// From those that players and tournaments leave, each looked up.
fn few(
    connection: &Connection,
    schema: Option<&str>,
    board: CanonicalBoard,
    condition: &Condition,
    add: &mut impl FnMut(Counted),
) -> Result<()> {
    let games = condition.on_games(connection, schema)?;
    let sql = format!(
        "SELECT p.move, p.game, p.black, p.score FROM {} AS g CROSS JOIN {} AS p
         WHERE {} AND g.game BETWEEN ? AND ? AND p.game = g.game AND p.board = ?",
        table(schema, "games"),
        table(schema, "played"),
        games.sql
    );
    let mut select = connection.prepare(&sql)?;
    let key = Value::Blob(board.to_key().to_vec());
    let (first, last) = condition.numbers();
    let others = [Value::Integer(first), Value::Integer(last), key];
    let mut rows = select.query(params_from_iter(games.values.into_iter().chain(others)))?;
    while let Some(row) = rows.next()? {
        if let Some(one) = one(row, condition)? {
            add(one);
        }
    }
    Ok(())
}

/// One game: `None` where it ended here, or somebody else won.
fn one(row: &Row<'_>, condition: &Condition) -> Result<Option<Counted>, Error> {
    let Some(mv) = row.get(0)? else {
        return Ok(None);
    };
    let score: Option<i64> = row.get(3)?;
    if !condition.has_score(row.get(2)?, score) {
        return Ok(None);
    }
    Ok(Some(Counted {
        mv,
        year: GameId::from_number(row.get(1)?).and_then(GameId::year),
        tally: Tally {
            games: 1,
            wins: score.is_some_and(|score| score > 0).into(),
            draws: (score == Some(0)).into(),
            losses: score.is_some_and(|score| score < 0).into(),
            sum: score.unwrap_or(0),
            years: None,
        },
    }))
}

/// A year as `play_counts` has it.
fn year(number: i64) -> Option<u16> {
    u16::try_from(number).ok().filter(|year| *year > 0)
}

impl Tally {
    /// Any program may have written the numbers: what is too large saturates.
    fn add(&mut self, counted: &Counted) {
        let other = counted.tally;
        if other.games == 0 {
            return;
        }
        self.games = self.games.saturating_add(other.games);
        self.wins = self.wins.saturating_add(other.wins);
        self.draws = self.draws.saturating_add(other.draws);
        self.losses = self.losses.saturating_add(other.losses);
        self.sum = self.sum.saturating_add(other.sum);
        if let Some(year) = counted.year {
            let (first, last) = self.years.unwrap_or((year, year));
            self.years = Some((first.min(year), last.max(year)));
        }
    }

    fn play(self, mv: Move) -> Play {
        let ended = self
            .wins
            .saturating_add(self.draws)
            .saturating_add(self.losses);
        Play {
            mv,
            games: self.games,
            wins: self.wins,
            draws: self.draws,
            losses: self.losses,
            mean: (ended > 0).then(|| self.sum as f64 / ended as f64),
            first_year: self.years.map(|(first, _)| first),
            last_year: self.years.map(|(_, last)| last),
        }
    }
}
