//! `obook shogi games stats`: counts and results of games.

use crate::commands::games::stats::describe_results;
use crate::context;
use crate::failure::Failure;
use crate::options::games::{Filter, say_none_meets};
use crate::output::answer;
use crate::shogi::open;
use crate::shogi::records::Shogi;
use crate::words::in_line;
use obook_shogi::database::games::{GamesStats, stats};
use std::io::Write;
use std::path::PathBuf;

/// Count games by result, ending and player
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi games stats games.obook\n  \
    obook shogi games stats games.obook --player rose --limit 5")]
pub(crate) struct Arguments {
    /// A database with games
    book: PathBuf,
    /// Maximum number of players to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Write JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    which: Filter<Shogi>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let store = open(&arguments.book, &context::quiet())?;
    let mut stats = stats(&store, &arguments.which.condition())?;
    if stats.games == 0 {
        say_none_meets(store.path(), store.connection());
    }
    stats.players.truncate(arguments.limit);
    answer(&stats, arguments.json, describe)
}

fn describe(stats: &GamesStats, out: &mut dyn Write) -> Result<(), Failure> {
    let GamesStats {
        games,
        black,
        draws,
        white,
        ..
    } = *stats;
    describe_results(games, [black, white, draws], &stats.years, out)?;
    if games == 0 {
        return Ok(());
    }
    writeln!(out, "\n   games  ending")?;
    for (ending, games) in &stats.endings {
        writeln!(out, "{games:8}  {}", ending.unwrap_or("not known"))?;
    }
    writeln!(out, "\n   games  player")?;
    for (player, games) in &stats.players {
        writeln!(out, "{games:8}  {}", in_line(player))?;
    }
    Ok(())
}
