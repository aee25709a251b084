//! The report on checked games.

use crate::commands::check::checked::{Checked, CheckedGame, Player, Rated, Tallies};
use crate::failure::Failure;
use obook_book::read::played::{JudgedMove, Source, Worth};
use obook_othello::Side;
use std::io::{self, Write};

/// Describes one game move by move, or several games in a few rows each.
pub(super) fn describe(checked: &Checked, out: &mut dyn Write) -> Result<(), Failure> {
    match &checked.games[..] {
        [game] => Ok(describe_game(game, out)?),
        games => Ok(describe_games(games, &checked.players, out)?),
    }
}

fn describe_game(game: &CheckedGame, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", game.place)?;
    write!(out, "{}", game.title())?;
    if let Some(score) = game.score {
        write!(out, ": {score:+}")?;
    }
    writeln!(out)?;
    if let Some(opening) = game.opening {
        writeln!(out, "{opening}")?;
    }
    writeln!(out, "\n ply  side   move  worth  loss  best  by")?;
    for mv in &game.judgement.moves {
        let best = match mv.best.filter(|best| mv.loss > 0 && *best != mv.mv) {
            Some(best) => best.to_string(),
            None => String::new(),
        };
        let loss = match mv.loss {
            0 => String::new(),
            loss => loss.to_string(),
        };
        let row = format!(
            "{:>4}  {:5}  {:4}  {:>+5}  {loss:>4}  {best:4}  {}",
            mv.ply,
            name(mv.side),
            mv.mv.to_string(),
            mv.after.score,
            by(mv)
        );
        writeln!(out, "{}", row.trim_end())?;
    }
    writeln!(out, "\n{}", left(game))?;
    let Worth { score, source } = game.judgement.end;
    let end = match source {
        Source::Final => "final score",
        _ => "worth at the end",
    };
    writeln!(
        out,
        "worth at the start {:+}, {end} {score:+} (for Black)\n",
        game.judgement.start.score
    )?;
    writeln!(out, "{:24} {HEADING}", "")?;
    for side in &game.sides {
        writeln!(out, "{:24} {}", side.side, columns(&side.tallies))?;
    }
    Ok(())
}

fn describe_games(
    games: &[CheckedGame],
    players: &[Player],
    out: &mut dyn Write,
) -> io::Result<()> {
    for game in games {
        writeln!(out, "{}: {}", game.place, game.title())?;
        if let Some(opening) = game.opening {
            writeln!(out, "  {opening}")?;
        }
        writeln!(out, "  {}", left(game))?;
        for side in &game.sides {
            writeln!(out, "  {:5} {}", side.side, brief(&side.tallies.all))?;
        }
    }
    if !players.is_empty() {
        writeln!(out, "\n{:24} {HEADING}  games", "")?;
        for player in players {
            let (columns, games) = (columns(&player.tallies), player.games);
            writeln!(out, "{:24} {columns}  {games:>5}", player.name)?;
        }
    }
    Ok(())
}

const HEADING: &str = "moves  best  accuracy  mean loss   loss  opening  midgame  endgame";

/// The values below [`HEADING`].
fn columns(tallies: &Tallies) -> String {
    let [all, opening, midgame, endgame] = tallies.each();
    format!(
        "{:>5} {:>5} {:>9} {:>10} {:>6} {:>8} {:>8} {:>8}",
        all.tally.moves,
        all.tally.best,
        percent(&all),
        mean(&all),
        all.tally.loss,
        opening.tally.loss,
        midgame.tally.loss,
        endgame.tally.loss
    )
}

fn brief(rated: &Rated) -> String {
    format!(
        "gave up {} in {} moves, nothing in {} ({})",
        rated.tally.loss,
        rated.tally.moves,
        rated.tally.best,
        percent(rated)
    )
}

fn percent(rated: &Rated) -> String {
    let accuracy = rated.accuracy.map(|share| format!("{share:.1} %"));
    accuracy.unwrap_or_else(|| String::from("-"))
}

fn mean(rated: &Rated) -> String {
    let mean = rated.mean_loss.map(|loss| format!("{loss:.2}"));
    mean.unwrap_or_else(|| String::from("-"))
}

/// Says where the game left the book.
fn left(game: &CheckedGame) -> String {
    let judgement = &game.judgement;
    match judgement.first_outside() {
        None if judgement.in_book == 0 => String::from("not in the book"),
        None => String::from("entirely in the book"),
        Some(mv) => {
            let instead = mv.best.filter(|best| *best != mv.mv);
            let instead = instead.map_or_else(String::new, |best| format!("; best {best}"));
            format!(
                "left the book at move {}, {}'s {}, which gave up {}{instead}",
                mv.ply,
                name(mv.side),
                mv.mv,
                mv.loss
            )
        }
    }
}

/// The source of the worth after a move.
fn by(mv: &JudgedMove) -> &'static str {
    mv.after.source.name()
}

fn name(side: Side) -> &'static str {
    match side {
        Side::Black => "black",
        Side::White => "white",
    }
}
