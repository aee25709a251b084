//! Games: the moves played in a position, and the games that went through it.

use crate::rows::json::{as_text, name, or_null};
use crate::rows::table::qualified;
use obook_base::sqlite::{all_rows, named};
use obook_games::{Decimal, Ending, Game, Score};
use obook_othello::{Board, CanonicalBoard, Move, Side};
use rusqlite::types::Value;
use rusqlite::{Connection, Result, Row, params_from_iter};
use serde::Serialize;
use std::fmt;
use std::ops::RangeInclusive;

/// The smallest number of games for which a board has rows in table `play_counts`.
pub const COUNTED_FROM: usize = 64;

/// The number of games that a year can have.
pub const GAMES_A_YEAR: i64 = 10_000_000;

/// The number of a game, which includes its year. Later years have larger numbers.
///
/// ```
/// use obook_sql::rows::GameId;
/// let game = GameId::new(Some(1997), 123).unwrap();
/// assert_eq!(game.to_string(), "19970000123");
/// assert_eq!(game.year(), Some(1997));
/// assert!(game < GameId::new(Some(1998), 0).unwrap());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
pub struct GameId(i64);

impl GameId {
    /// The game with this number within its year, from 0; `None` above 9 999 999.
    #[must_use]
    pub fn new(year: Option<u16>, number: i64) -> Option<GameId> {
        let is_number = (0..GAMES_A_YEAR).contains(&number);
        is_number.then(|| GameId(i64::from(year.unwrap_or(0)) * GAMES_A_YEAR + number))
    }

    /// The game with this number in the table; `None` if no year has it.
    #[must_use]
    pub fn from_number(number: i64) -> Option<GameId> {
        let is_number = (0..(i64::from(u16::MAX) + 1) * GAMES_A_YEAR).contains(&number);
        is_number.then_some(GameId(number))
    }

    /// The number in the table.
    #[must_use]
    pub const fn number(self) -> i64 {
        self.0
    }

    /// The year, if known.
    #[must_use]
    pub fn year(self) -> Option<u16> {
        let year = u16::try_from(self.0 / GAMES_A_YEAR).ok();
        year.filter(|year| *year > 0)
    }

    /// The last possible number of a year.
    #[must_use]
    pub fn last_of(year: Option<u16>) -> GameId {
        GameId(i64::from(year.unwrap_or(0)) * GAMES_A_YEAR + GAMES_A_YEAR - 1)
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

/// The winner of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Winner {
    /// Black, who moves first.
    Black,
    /// White.
    White,
    /// Nobody: a draw.
    None,
}

obook_base::named! {
    /// A kind of game, by its end or its beginning.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub enum Kind {
        /// It has a result, and no reason to have ended early.
        Finished = "finished",
        /// It has neither a result nor such a reason.
        Unfinished = "unfinished",
        /// A player resigned.
        Resigned = "resigned",
        /// A player ran out of time.
        TimeOut = "timeout",
        /// The players agreed on the result.
        Agreed = "agreed",
        /// It began elsewhere than at the usual start.
        Elsewhere = "elsewhere",
    }
}

impl Kind {
    /// Whether a game is of this kind.
    #[must_use]
    pub fn has(self, game: &Game) -> bool {
        match self {
            Kind::Finished => game.score.is_some() && game.ending.is_none(),
            Kind::Unfinished => game.score.is_none() && game.ending.is_none(),
            Kind::Resigned => game.ending == Some(Ending::Resigned),
            Kind::TimeOut => game.ending == Some(Ending::TimeOut),
            Kind::Agreed => game.ending == Some(Ending::Agreed),
            Kind::Elsewhere => !game.line().is_from_start(),
        }
    }
}

/// A filter for games. By default it matches all.
///
/// Players and tournaments match by any part of their names, ignoring case. Several may match.
///
/// ```
/// use obook_sql::rows::Condition;
/// let condition = Condition { since: Some(2000), player: Some("tastet".into()), ..Condition::default() };
/// assert_ne!(condition, Condition::default());
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Condition {
    /// Games of this year or later.
    pub since: Option<u16>,
    /// Games of this year or earlier. Unknown years don't match.
    pub until: Option<u16>,
    /// A player of either colour.
    pub player: Option<String>,
    /// The player of Black.
    pub black: Option<String>,
    /// The player of White.
    pub white: Option<String>,
    /// The tournament.
    pub tournament: Option<String>,
    /// The winner.
    pub winner: Option<Winner>,
    /// A position that the game went through.
    pub through: Option<CanonicalBoard>,
    /// The least rating of either player before the game.
    pub rated: Option<u32>,
    /// How the game began or ended.
    pub kind: Option<Kind>,
}

/// The function for what the columns of table `games` don't tell: whether a game is rated at least so high, and of this kind, given its
/// score, its start and its GGF record. It is not for people.
pub(crate) const SUITS: &str = "_suits";

impl Condition {
    /// Whether a game meets the condition.
    ///
    /// ```
    /// use obook_games::Game;
    /// use obook_sql::rows::Condition;
    /// let mut game = Game::default();
    /// game.black.name = Some("Emmanuel Caspard".into());
    /// let condition = Condition { player: Some("caspard".into()), ..Condition::default() };
    /// assert!(condition.matches(&game));
    /// assert!(!Condition { since: Some(1998), ..condition }.matches(&game));
    /// ```
    #[must_use]
    pub fn matches(&self, game: &Game) -> bool {
        let has = |text: &Option<String>, names: &[&Option<String>]| {
            let text = text.as_ref().map(|text| text.to_lowercase());
            text.is_none_or(|text| {
                let mut names = names.iter().copied().flatten();
                names.any(|name| name.to_lowercase().contains(&text))
            })
        };
        let [black, white] = [&game.black.name, &game.white.name];
        let score = game.score.map(Score::get);
        self.has_year(game.date.year())
            && self.has_score(score)
            && has(&self.player, &[black, white])
            && has(&self.black, &[black])
            && has(&self.white, &[white])
            && has(&self.tournament, &[&game.tournament])
            && self.through.is_none_or(|board| {
                let mut positions = game.line().positions();
                positions.any(|(it, _)| it.canonical() == board)
            })
            && self.suits(game)
    }

    /// Whether the ratings and the kind of a game match: what its columns don't tell.
    pub(crate) fn suits(&self, game: &Game) -> bool {
        let is_rated = |least: u32| {
            let mut players = [&game.black, &game.white].into_iter();
            let has = |rating: Decimal| rating.get() >= f64::from(least);
            players.all(|player| player.rating.is_some_and(has))
        };
        self.rated.is_none_or(is_rated) && self.kind.is_none_or(|kind| kind.has(game))
    }

    /// Whether it leaves few games, found by an index of table `games`: it doesn't only filter by years and winner.
    fn is_by_index(&self) -> bool {
        let names = [&self.player, &self.black, &self.white, &self.tournament];
        names.into_iter().any(Option::is_some)
            || self.rated.is_some()
            || self.kind.is_some()
            || self.through.is_some()
    }

    /// The first and last possible game number of these years, below `before` if given.
    fn numbers(&self, before: Option<GameId>) -> [Value; 2] {
        let years = self.years().unwrap_or(0..=u16::MAX);
        let first = i64::from(*years.start()) * GAMES_A_YEAR;
        let last = GameId::last_of(Some(*years.end())).number();
        let last = before.map_or(last, |before| last.min(before.number() - 1));
        [first, last].map(Value::Integer)
    }

    /// The years that match, if not all do. One that isn't known, 0, doesn't.
    fn years(&self) -> Option<RangeInclusive<u16>> {
        let is_limited = self.since.is_some() || self.until.is_some();
        is_limited.then(|| self.since.unwrap_or(1).max(1)..=self.until.unwrap_or(u16::MAX))
    }

    /// Whether a year matches.
    fn has_year(&self, year: Option<u16>) -> bool {
        let years = self.years();
        years.is_none_or(|years| year.is_some_and(|year| years.contains(&year)))
    }

    /// Whether the winner of a game with this score for Black matches.
    fn has_score(&self, score: Option<i8>) -> bool {
        match self.winner {
            None => true,
            Some(Winner::Black) => score.is_some_and(|score| score > 0),
            Some(Winner::White) => score.is_some_and(|score| score < 0),
            Some(Winner::None) => score == Some(0),
        }
    }

    /// The condition on a row `g` of `games` in SQL, with the values of its parameters. It lacks the years, for which there is
    /// [`Condition::numbers`].
    fn on_games(
        &self,
        connection: &Connection,
        schema: Option<&str>,
    ) -> Result<(String, Vec<Value>)> {
        let mut values = Vec::new();
        let mut sql = String::from(match self.winner {
            None => "true",
            Some(Winner::Black) => "g.score > 0",
            Some(Winner::White) => "g.score < 0",
            Some(Winner::None) => "g.score = 0",
        });
        for (columns, key, text) in [
            (&["black", "white"][..], "player", &self.player),
            (&["black"], "player", &self.black),
            (&["white"], "player", &self.white),
            (&["tournament"], "tournament", &self.tournament),
        ] {
            let Some(text) = text else { continue };
            let among = qualified(schema, &format!("{key}s"));
            let sql_of_names = format!("SELECT {key}, name FROM {among}");
            let list = Value::Text(named(connection, &sql_of_names, text)?);
            let any = |column: &&str| format!("g.{column} IN (SELECT value FROM json_each(?))");
            let any: Vec<String> = columns.iter().map(any).collect();
            sql += &format!(" AND ({})", any.join(" OR "));
            values.extend(columns.iter().map(|_| list.clone()));
        }
        if let Some(board) = self.through {
            let played = qualified(schema, "played");
            sql += &format!(" AND g.game IN (SELECT game FROM {played} WHERE board = ?)");
            values.push(Value::Blob(board.to_key().to_vec()));
        }
        if self.rated.is_some() || self.kind.is_some() {
            sql += &format!(" AND {SUITS}(?, ?, g.score, g.start, g.ggf)");
            values.push(self.rated.into());
            let kind = self.kind.map(|kind| Value::Text(kind.name().to_owned()));
            values.push(kind.unwrap_or(Value::Null));
        }
        Ok((sql, values))
    }
}

/// The players whose names contain this text, ignoring case, in the order of their names.
///
/// # Errors
/// Returns an error if SQLite can't read the tables.
pub fn players(connection: &Connection, schema: Option<&str>, text: &str) -> Result<Vec<String>> {
    let text = text.to_lowercase();
    let players = qualified(schema, "players");
    let sql = format!("SELECT name FROM {players} ORDER BY name");
    let mut names: Vec<String> = all_rows(connection, &sql, [], |row| row.get(0))?;
    names.retain(|name| name.to_lowercase().contains(&text));
    Ok(names)
}

/// A game in one line. As JSON it has no moves.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Summary {
    /// The game's number.
    #[serde(rename = "game")]
    pub id: GameId,
    /// The date: `YYYY`, `YYYY-MM` or `YYYY-MM-DD`.
    pub date: Option<String>,
    /// The tournament.
    pub tournament: Option<String>,
    /// The player of Black.
    pub black: Option<String>,
    /// The player of White.
    pub white: Option<String>,
    /// Black's discs minus White's at the end.
    pub score: Option<i8>,
    /// The moves from the start position, `f5d6c3…`, with passes as `pa`; `None` if the game began elsewhere.
    #[serde(skip)]
    pub moves: Option<String>,
}

/// The columns of a [`Summary`].
const SUMMARY: &str = "g.game, g.date, t.name, b.name, w.name, g.score,
    CASE WHEN g.start IS NULL THEN g.moves END";

/// The joins for the names in it.
fn names(schema: Option<&str>) -> String {
    format!(
        "LEFT JOIN {} AS t ON t.tournament = g.tournament
         LEFT JOIN {players} AS b ON b.player = g.black
         LEFT JOIN {players} AS w ON w.player = g.white",
        qualified(schema, "tournaments"),
        players = qualified(schema, "players"),
    )
}

impl Summary {
    /// Reads a row. Its number must be among [`Condition::numbers`].
    fn read(row: &Row<'_>) -> Result<Summary> {
        Ok(Summary {
            id: GameId(row.get(0)?),
            date: row.get(1)?,
            tournament: row.get(2)?,
            black: row.get(3)?,
            white: row.get(4)?,
            score: row.get(5)?,
            moves: row.get(6)?,
        })
    }
}

/// The order of a list of games.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
    /// The latest first; within a year, the last imported first.
    #[default]
    Latest,
    /// The first imported of the earliest year first.
    Earliest,
    /// Black's highest wins first, and games without a result last.
    Score,
}

/// Lists games in this order. Returns at most `limit` games, and only games below `before` if given, so that long lists can be read in
/// portions, latest first.
///
/// # Errors
/// Returns an error if SQLite can't read the tables.
pub fn list(
    connection: &Connection,
    condition: &Condition,
    order: Order,
    before: Option<GameId>,
    limit: u32,
) -> Result<Vec<Summary>> {
    let order = match order {
        Order::Latest => "g.game DESC",
        Order::Earliest => "g.game",
        Order::Score => "g.score DESC NULLS LAST, g.game DESC",
    };
    let (suits, mut values) = condition.on_games(connection, None)?;
    let sql = format!(
        "SELECT {SUMMARY} FROM games AS g {} WHERE {suits} AND g.game BETWEEN ? AND ? ORDER BY {order} LIMIT ?",
        names(None),
    );
    values.extend(condition.numbers(before));
    values.push(limit.into());
    let mut select = connection.prepare_cached(&sql)?;
    let games = select.query_map(params_from_iter(values), Summary::read)?;
    games.collect()
}

/// Reads a long list of games in portions. `list` returns a portion: the games below this one, if one is given. `id` returns the number
/// of a game.
pub fn in_portions<T>(
    list: impl Fn(Option<GameId>) -> Result<Vec<T>>,
    id: impl Fn(&T) -> GameId,
) -> impl Iterator<Item = Result<T>> {
    let mut before = None;
    let mut portion = Vec::new().into_iter();
    std::iter::from_fn(move || {
        if portion.as_slice().is_empty() {
            match list(before) {
                Ok(games) => portion = games.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
        let game = portion.next()?;
        before = Some(id(&game));
        Some(Ok(game))
    })
}

/// A game passing through a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Passage {
    /// The game.
    #[serde(flatten)]
    pub game: Summary,
    /// The side to move in the position.
    #[serde(rename = "turn", serialize_with = "name")]
    pub side: Side,
    /// The move played there, in the orientation of the canonical board, the first of symmetric ones; `None` if the game ended
    /// there.
    #[serde(rename = "square", serialize_with = "or_null")]
    pub mv: Option<Move>,
}

impl Passage {
    /// The same with the move on a board in any orientation, as people [write](Board::conventional) it.
    #[must_use]
    pub fn on(self, board: Board) -> Passage {
        let mv = self.mv.map(|mv| board.written(mv));
        Passage { mv, ..self }
    }
}

/// Lists games through a position, latest first; within a year, the last imported first. Returns at most `limit` games, and only
/// games below `before` if given, so that long lists can be read in portions.
///
/// # Errors
/// Returns an error if SQLite can't read the tables.
pub fn through(
    connection: &Connection,
    schema: Option<&str>,
    board: CanonicalBoard,
    condition: &Condition,
    before: Option<GameId>,
    limit: u32,
) -> Result<Vec<Passage>> {
    let (suits, mut values) = condition.on_games(connection, schema)?;
    let [played, games] = ["played", "games"].map(|name| qualified(schema, name));
    // Few games are looked up in the index of positions; otherwise the index is walked from its end.
    let (from, walked) = match condition.is_by_index() {
        true => (format!("{games} AS g CROSS JOIN {played} AS p"), "g"),
        false => (format!("{played} AS p CROSS JOIN {games} AS g"), "p"),
    };
    let sql = format!(
        "SELECT {SUMMARY}, p.black, p.move FROM {from} {names}
         WHERE {suits} AND {walked}.game BETWEEN ? AND ? AND p.game = g.game AND p.board = ?
         ORDER BY {walked}.game DESC LIMIT ?",
        names = names(schema),
    );
    values.extend(condition.numbers(before));
    values.push(board.to_key().to_vec().into());
    values.push(limit.into());
    let mut select = connection.prepare_cached(&sql)?;
    let passages = select.query_map(params_from_iter(values), passage)?;
    passages.collect()
}

fn passage(row: &Row<'_>) -> Result<Passage> {
    Ok(Passage {
        game: Summary::read(row)?,
        mv: row.get::<_, Option<u8>>(8)?.and_then(Move::from_code),
        side: match row.get(7)? {
            true => Side::Black,
            false => Side::White,
        },
    })
}

/// How often a move was played, with the results.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Play {
    /// The move, in the orientation of the canonical board, the first of symmetric ones.
    #[serde(rename = "square", serialize_with = "as_text")]
    pub mv: Move,
    /// The number of games in which it was played.
    pub games: u64,
    /// The number of those won by the side that played it.
    pub wins: u64,
    /// The number of draws.
    pub draws: u64,
    /// The number of losses. Games with unknown results count as none of the three.
    pub losses: u64,
    /// The mean final disc difference for the side that played it; `None` if no result is known.
    pub mean: Option<f64>,
    /// The first known year in which it was played.
    pub first_year: Option<u16>,
    /// The last known year in which it was played.
    pub last_year: Option<u16>,
}

impl Play {
    /// The same with the move on a board in any orientation, as people [write](Board::conventional) it.
    #[must_use]
    pub fn on(self, board: Board) -> Play {
        let mv = board.written(self.mv);
        Play { mv, ..self }
    }
}

/// The condition on rows `p` of table `played` that the game went on from a board.
const MOVED: &str = "p.board = ? AND p.move IS NOT NULL";

/// Counts the moves played in a position in matching games, most played first; equally often played ones in the order of their
/// squares.
///
/// # Errors
/// Returns an error if SQLite can't read the tables.
pub fn plays(
    connection: &Connection,
    schema: Option<&str>,
    board: CanonicalBoard,
    condition: &Condition,
) -> Result<Vec<Play>> {
    let [played, games, counts] =
        ["played", "games", "play_counts"].map(|name| qualified(schema, name));
    let key = Value::Blob(board.to_key().to_vec());
    let has = |table: &str| {
        let sql = format!("SELECT 1 FROM {table} WHERE board = ?");
        connection.prepare_cached(&sql)?.exists([&key])
    };
    // A row of table `played` as one of table `play_counts`, without the board.
    let one_play = format!(
        "p.move, p.game / {GAMES_A_YEAR}, p.black, 1, p.score > 0, p.score = 0, p.score < 0, max(p.score, 0), min(p.score, 0)"
    );
    let (counted, mut values) = if condition.is_by_index() {
        let (suits, mut values) = condition.on_games(connection, schema)?;
        let counted = format!(
            "SELECT {one_play} FROM {games} AS g CROSS JOIN {played} AS p
             WHERE {suits} AND p.game = g.game AND g.game BETWEEN ? AND ? AND {MOVED}"
        );
        values.extend(condition.numbers(None));
        (counted, values)
    } else if has(&counts)? {
        let counted = format!(
            "SELECT move, year, black, games, wins, draws, losses, won, lost FROM {counts} WHERE board = ?"
        );
        (counted, Vec::new())
    } else if has(&played)? {
        let counted = format!(
            "SELECT {one_play} FROM {played} AS p WHERE p.game BETWEEN ? AND ? AND {MOVED}"
        );
        (counted, condition.numbers(None).into())
    } else {
        // As for most positions: the statement below takes longer to prepare than both questions.
        return Ok(Vec::new());
    };
    values.push(key);
    let years = condition.years().map_or([i64::MIN, i64::MAX], |years| {
        [*years.start(), *years.end()].map(i64::from)
    });
    values.extend(years.map(Value::Integer));
    // Results are those of the side that played the move.
    let meant = match condition.winner {
        None => "games, wins, draws, losses, won + lost",
        Some(Winner::None) => "draws, 0, draws, 0, 0",
        Some(Winner::Black) => {
            "iif(black, wins, losses), iif(black, wins, 0), 0, iif(black, 0, losses), iif(black, won, lost)"
        }
        Some(Winner::White) => {
            "iif(black, losses, wins), iif(black, 0, wins), 0, iif(black, losses, 0), iif(black, lost, won)"
        }
    };
    // Any program may have written the numbers: a total doesn't overflow.
    let sql = format!(
        "WITH counted (move, year, black, games, wins, draws, losses, won, lost) AS ({counted}),
              meant (move, year, games, wins, draws, losses, discs) AS (
                  SELECT move, year, {meant} FROM counted WHERE year BETWEEN ? AND ?)
         SELECT move, total(games), total(wins), total(draws), total(losses), total(discs),
                min(year) FILTER (WHERE year BETWEEN 1 AND 65535), max(year) FILTER (WHERE year BETWEEN 1 AND 65535)
         FROM meant WHERE games > 0 GROUP BY move ORDER BY 2 DESC, move"
    );
    let mut select = connection.prepare_cached(&sql)?;
    let plays = select.query_map(params_from_iter(values), play)?;
    plays.filter_map(Result::transpose).collect()
}

/// Reads a row; `None` if its move isn't one.
fn play(row: &Row<'_>) -> Result<Option<Play>> {
    let code = u8::try_from(row.get::<_, i64>(0)?);
    let Some(mv) = code.ok().and_then(Move::from_code) else {
        return Ok(None);
    };
    let number = |column| row.get(column).map(|number: f64| number as u64);
    let [games, wins, draws, losses] = [number(1)?, number(2)?, number(3)?, number(4)?];
    let ended = wins.saturating_add(draws).saturating_add(losses);
    let discs: f64 = row.get(5)?;
    Ok(Some(Play {
        mv,
        games,
        wins,
        draws,
        losses,
        mean: (ended > 0).then(|| discs / ended as f64),
        first_year: row.get(6)?,
        last_year: row.get(7)?,
    }))
}
