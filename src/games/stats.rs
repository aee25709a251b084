//! Statistics of the games in a database.

use obook_games::names::{Opening, of_line, openings};
use obook_othello::Line;
use obook_sql::rows::Lookup;
use obook_sql::rows::games::{Condition, Order, Summary, in_portions, list};
use rusqlite::{Connection, Result};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Results of games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Results {
    /// The number of games.
    pub games: u64,
    /// The number of games that Black won.
    pub black: u64,
    /// The number of draws.
    pub draws: u64,
    /// The number of games that White won. Games without a result are not in these three.
    pub white: u64,
    /// The sum of the results in discs, for Black.
    #[serde(skip)]
    sum: i64,
}

impl Results {
    fn add(&mut self, score: Option<i8>) {
        self.games += 1;
        let Some(score) = score else { return };
        self.black += u64::from(score > 0);
        self.draws += u64::from(score == 0);
        self.white += u64::from(score < 0);
        self.sum += i64::from(score);
    }

    /// The mean result in discs, for Black, or `None` if no result is known.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        let ended = self.black + self.draws + self.white;
        (ended > 0).then(|| self.sum as f64 / ended as f64)
    }
}

/// The games of an opening.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct OpeningResults {
    /// The opening.
    #[serde(flatten)]
    pub opening: &'static Opening,
    /// The results of its games.
    #[serde(flatten)]
    pub results: Results,
    /// The mean result in discs, for Black.
    pub mean: Option<f64>,
    /// The value in the book beside the games, for Black.
    pub book: Option<i16>,
}

/// Statistics of games.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct GamesStats {
    /// The results of the games.
    #[serde(flatten)]
    pub results: Results,
    /// The mean result in discs, for Black.
    pub mean: Option<f64>,
    /// The number of games in each known year.
    pub years: BTreeMap<u16, u64>,
    /// The players with their numbers of games, most games first.
    pub players: Vec<(String, u64)>,
    /// The openings, most played first. A game belongs to the last opening it reached.
    pub openings: Vec<OpeningResults>,
    /// The number of games without a named opening.
    pub unnamed: u64,
}

/// The number of games read at once.
const PORTION: u32 = 1 << 14;

/// Sums up the games that meet a condition.
///
/// # Errors
/// Returns an error if SQLite can't read the tables.
pub fn stats(connection: &Connection, condition: &Condition) -> Result<GamesStats> {
    let moves = openings().iter().map(|it| it.line.moves().len());
    // Two letters a move.
    let longest = 2 * moves.max().unwrap_or(0);
    let mut all = Results::default();
    let (mut years, mut players) = (BTreeMap::new(), BTreeMap::new());
    // By the key of the opening's board: an opening is one position.
    let mut named: BTreeMap<_, (&'static Opening, Results)> = BTreeMap::new();
    let mut unnamed = 0;
    let portion = |before| list(connection, condition, Order::Latest, before, PORTION);
    for game in in_portions(portion, |game: &Summary| game.id) {
        let game = game?;
        all.add(game.score);
        if let Some(year) = game.id.year() {
            *years.entry(year).or_default() += 1;
        }
        for player in [&game.black, &game.white].into_iter().flatten() {
            match players.get_mut(player) {
                Some(games) => *games += 1,
                None => drop(players.insert(player.clone(), 1)),
            }
        }
        let moves = game.moves.as_ref();
        let start = moves.and_then(|moves| moves.get(..longest.min(moves.len())));
        let line = start.and_then(|moves| moves.parse::<Line>().ok());
        match line.as_ref().and_then(of_line) {
            Some(opening) => {
                let key = opening.line.board().canonical();
                let (_, results) = named.entry(key).or_insert((opening, Results::default()));
                results.add(game.score);
            }
            None => unnamed += 1,
        }
    }
    let mut players: Vec<(String, u64)> = players.into_iter().collect();
    players.sort_by_key(|(_, games)| Reverse(*games));
    let mut openings = Vec::with_capacity(named.len());
    for (opening, results) in named.into_values() {
        openings.push(OpeningResults {
            opening,
            mean: results.mean(),
            results,
            book: value(connection, opening)?,
        });
    }
    openings.sort_by_key(|opening| Reverse(opening.results.games));
    Ok(GamesStats {
        mean: all.mean(),
        results: all,
        years,
        players,
        openings,
        unnamed,
    })
}

/// The book's value of an opening's position, for Black.
fn value(connection: &Connection, opening: &Opening) -> Result<Option<i16>> {
    let line = &opening.line;
    let found = Lookup::main().numbers(connection, line.board().canonical());
    let value = match found {
        Ok(position) => position.and_then(|position| position.value),
        Err(obook_sql::rows::Error::Sqlite(error)) => return Err(error),
        // Damaged positions are reported by `verify`.
        Err(_) => None,
    };
    Ok(value.map(|value| line.side().for_black(value)))
}
