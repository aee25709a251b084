//! `obook games at`: the moves that were played in a position, and the games.

use super::list::discs;
use crate::options::games::{Filter, Othello, Recorded};
use crate::prelude::*;
use crate::words::{after_comma, name};
use obook::games::{Passage, Play, plays, through};

/// Show the moves played in a position, and the latest games through it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook games at games.obook f5d6c3\n  \
    obook games at games.obook f5f6 --since 2010 --won-by white\n  \
    obook games at games.obook --player tastet --limit 3 --json")]
pub(crate) struct Arguments<G: Recorded = Othello> {
    /// A database with games
    pub(crate) book: PathBuf,
    /// Moves from the start position, such as f5d6c3, or a board
    #[arg(default_value = "", hide_default_value = true, add = ArgValueCompleter::new(G::named))]
    pub(crate) moves: Vec<String>,
    /// Maximum number of games to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: u32,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) which: Filter<G>,
}

/// The moves and games of a position.
#[derive(Serialize)]
struct At {
    line: String,
    plays: Vec<Play>,
    games: Vec<Passage>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let line = line(&arguments.moves)?;
    let store = Book::open(&arguments.book, &context::quiet())?.into_database()?;
    let condition = arguments.which.condition();
    let board = line.board();
    let canonical = board.canonical();
    let plays = store.read(|it| plays(it, None, canonical, &condition))?;
    let limit = arguments.limit;
    let games = store.read(|it| through(it, None, canonical, &condition, None, limit))?;
    let at = At {
        line: line.to_string(),
        plays: plays.into_iter().map(|play| play.on(board)).collect(),
        games: games.into_iter().map(|game| game.on(board)).collect(),
    };
    answer(&at, arguments.json, describe)
}

/// A move, how many games have it, and the shares that were won, drawn and lost.
pub(crate) fn play_row(mv: &str, games: u64, results: [u64; 3]) -> String {
    let [won, drawn, lost] = results.map(|part| 100.0 * part as f64 / games as f64);
    format!("{mv:5} {games:9} {won:5.1}% {drawn:5.1}% {lost:5.1}%")
}

fn describe(at: &At, out: &mut dyn Write) -> io::Result<()> {
    if at.plays.is_empty() && at.games.is_empty() {
        return writeln!(out, "No game went through this position.");
    }
    writeln!(out, "move      games    won  drawn   lost    mean  years")?;
    for play in &at.plays {
        let mean = (play.mean).map_or(String::new(), |mean| format!("{mean:+.1}"));
        let years = match (play.first_year, play.last_year) {
            (Some(first), Some(last)) if first < last => format!("{first}–{last}"),
            (Some(year), _) => year.to_string(),
            _ => String::new(),
        };
        let results = [play.wins, play.draws, play.losses];
        let row = play_row(&play.mv.to_string(), play.games, results);
        writeln!(out, "{row}  {mean:>6}  {years}")?;
    }
    if !at.games.is_empty() {
        writeln!(out, "\nThe latest games:")?;
    }
    for Passage { game, mv, .. } in &at.games {
        let (id, score) = (game.id, game.score.map_or(String::new(), discs));
        let mv = mv.map_or_else(|| String::from("end"), |mv| mv.to_string());
        let [black, white] = [&game.black, &game.white].map(|it| name(it.as_deref()));
        let tournament = after_comma(game.tournament.as_deref());
        writeln!(
            out,
            "{id:>11}  {mv:5} {score:>5}  {black} – {white}{tournament}"
        )?;
    }
    Ok(())
}
