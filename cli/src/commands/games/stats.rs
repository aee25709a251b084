//! `obook games stats`: counts and results of games.

use crate::options::games::{Filter, Othello, Recorded, say_if_none_meets};
use crate::prelude::*;
use obook::games::{GamesStats, stats};
use std::collections::BTreeMap;

/// Count games by result, opening and player
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook games stats games.obook\n  \
    obook games stats games.obook --player tastet --limit 5\n  \
    obook games stats games.obook --since 2010 --json\n\n\
    A game belongs to the last named opening that it reached, in any order of moves. Results are Black's; the column \
    book is the opening's value in the book of the same database, also for Black.")]
pub(crate) struct Arguments<G: Recorded = Othello> {
    /// A database with games
    pub(crate) book: PathBuf,
    /// Maximum number of openings and players to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) which: Filter<G>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let store = Book::open(&arguments.book, &context::quiet())?.into_database()?;
    let condition = arguments.which.condition();
    let mut stats = store.read(|it| stats(it, &condition))?;
    say_if_none_meets(stats.results.games == 0, &store);
    stats.openings.truncate(arguments.limit);
    stats.players.truncate(arguments.limit);
    answer(&stats, arguments.json, describe)
}

/// Reports how many games there are, from which years, and how many of them Black won, White won, and nobody.
pub(crate) fn describe_results(
    games: u64,
    results: [u64; 3],
    years: &BTreeMap<u16, u64>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let undated = games - years.values().sum::<u64>();
    let undated = some(undated, "; # without a year");
    let years = match (years.first_key_value(), years.last_key_value()) {
        (Some((first, _)), Some((last, _))) if first < last => format!(", {first} to {last}"),
        (Some((year, _)), _) => format!(", {year}"),
        _ => String::new(),
    };
    writeln!(out, "{}{years}{undated}", count(games, "game[|s]"))?;
    if games == 0 {
        return Ok(());
    }
    let [black, white, drawn] = results.map(|part| share(part, games));
    writeln!(out, "Black won {black}, White {white}, {drawn} were drawn")
}

fn describe(stats: &GamesStats, out: &mut dyn Write) -> io::Result<()> {
    let (all, games) = (&stats.results, stats.results.games);
    describe_results(games, [all.black, all.white, all.draws], &stats.years, out)?;
    if games == 0 {
        return Ok(());
    }
    writeln!(
        out,
        "\n   games   black   drawn   white    mean    book  opening"
    )?;
    for it in &stats.openings {
        let (name, line, results) = (it.opening.name(), &it.opening.line, &it.results);
        writeln!(
            out,
            "{:8} {:>7} {:>7} {:>7} {:>7} {:>7}  {name} ({line})",
            results.games,
            share(results.black, results.games),
            share(results.draws, results.games),
            share(results.white, results.games),
            (it.mean).map_or(String::new(), |mean| format!("{mean:+.1}")),
            (it.book).map_or(String::new(), |value| format!("{value:+}")),
        )?;
    }
    if stats.unnamed > 0 {
        writeln!(out, "{:8} reached no named opening", stats.unnamed)?;
    }
    writeln!(out, "\n   games  player")?;
    for (player, games) in &stats.players {
        writeln!(out, "{games:8}  {}", in_line(player))?;
    }
    Ok(())
}

/// A share in percent.
fn share(part: u64, whole: u64) -> String {
    format!("{:.1}%", 100.0 * part as f64 / whole as f64)
}
