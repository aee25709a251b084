//! `obook shogi games stats`: counts and results of games.

use crate::commands::games::stats::{self, describe_results};
use crate::options::games::say_if_none_meets;
use crate::prelude::*;
use crate::shogi::open;
use crate::shogi::records::Shogi;
use obook_shogi::database::games::{self, GamesStats};

pub(crate) type Arguments = stats::Arguments<Shogi>;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let store = open(&arguments.book, &context::quiet())?;
    let mut stats = games::stats(&store, &arguments.which.condition())?;
    say_if_none_meets(stats.games == 0, &store);
    stats.players.truncate(arguments.limit);
    answer(&stats, arguments.json, describe)
}

fn describe(stats: &GamesStats, out: &mut dyn Write) -> io::Result<()> {
    let (games, results) = (stats.games, [stats.black, stats.white, stats.draws]);
    describe_results(games, results, &stats.years, out)?;
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
