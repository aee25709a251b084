//! `obook shogi match`.

use crate::prelude::*;
use obook_shogi::effects::Evaluation;
use obook_shogi::search::{Evaluate, Score, play_pairs};

/// Play games between a small search with effects and the same search without
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook shogi match --games 200\n  \
    obook shogi match --games 20 --depth 3 --json\n\n\
    Each opening of random moves is played twice, with colours changed. Both sides search to the same depth, and then captures. The \
    result depends only on these options and the seed.")]
pub(crate) struct Arguments {
    /// Number of games, rounded up to an even one: each opening is played twice
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    games: u32,
    /// Plies to look ahead
    #[arg(long, value_name = "PLIES", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=6))]
    depth: u32,
    /// Seed for openings, and for choosing among equal moves
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    games: u64,
    depth: u32,
    wins: u64,
    draws: u64,
    losses: u64,
    moves: u64,
    /// How much stronger effects make the search, with the ends of the 95 % interval; null if one side won everything.
    elo: [Option<f64>; 3],
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { depth, seed, .. } = *arguments;
    let context = context::shown();
    let pairs = u64::from(arguments.games.div_ceil(2));
    let progress = context.progress();
    progress.step("playing pairs of games", Some(pairs));
    let evaluate: [Evaluate; 2] = [
        |board| Evaluation::new(board).score(),
        |board| Evaluation::without_effects(board).score(),
    ];
    let played = play_pairs(pairs, depth, evaluate, seed, || progress.advance(1));
    drop(context);
    let mut score = Score::default();
    played.iter().for_each(|pair| score.add(pair.each_ref()));
    let moves = played.iter().flatten().map(|it| it.moves().len() as u64);
    let report = Report {
        games: 2 * pairs,
        depth,
        wins: score.wins,
        draws: score.draws,
        losses: score.losses,
        moves: moves.sum(),
        elo: score.elo().map(|elo| elo.is_finite().then_some(elo)),
    };
    answer(&report, arguments.json, |report, out| {
        let (games, moves) = (report.games, report.moves / report.games);
        let (wins, draws, losses) = (report.wins, report.draws, report.losses);
        let plies = count(report.depth, "pl[y|ies]");
        writeln!(out, "{games} games of {moves} moves on average, {plies}")?;
        writeln!(
            out,
            "with effects: {wins} won, {draws} drawn, {losses} lost"
        )?;
        match report.elo {
            [Some(low), Some(elo), Some(high)] => {
                writeln!(out, "Elo {elo:+.0} (95 %: {low:+.0} to {high:+.0})")
            }
            [_, Some(elo), _] => writeln!(out, "Elo {elo:+.0}; too few games for an interval"),
            _ => writeln!(out, "one side won all games"),
        }
    })
}
