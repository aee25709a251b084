//! The report on checked games.

use crate::commands::check::checked::{CheckedGame, Player, Rated, Tallies};
use crate::words::count;
use obook_book::read::played::{JudgedMove, Source, Worth};
use obook_othello::Side;
use std::io::{self, Write};

/// Describes a game move by move.
pub(super) fn describe_game(game: &CheckedGame, out: &mut dyn Write) -> io::Result<()> {
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

/// Describes a game in a few rows.
pub(super) fn describe_briefly(game: &CheckedGame, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}: {}", game.place, game.title())?;
    if let Some(opening) = game.opening {
        writeln!(out, "  {opening}")?;
    }
    writeln!(out, "  {}", left(game))?;
    for side in &game.sides {
        writeln!(out, "  {:5} {}", side.side, brief(&side.tallies.all))?;
    }
    Ok(())
}

pub(super) fn describe_players(players: &[Player], out: &mut dyn Write) -> io::Result<()> {
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
        None if !game.complete => {
            let ply = judgement.moves.last().map_or(0, |mv| mv.ply);
            format!("interrupted after move {ply}")
        }
        None if judgement.in_book == 0 => String::from("not in the book"),
        None => String::from("entirely in the book"),
        Some(mv) => {
            let best = mv.best.filter(|best| *best != mv.mv);
            let better = match best {
                Some(best) if mv.loss < 0 => format!("; the book prefers {best}"),
                Some(best) => format!("; best {best}"),
                None => String::new(),
            };
            let lost = match mv.loss {
                ..0 => format!(
                    "which is worth {} more than the book expects",
                    count(mv.loss.unsigned_abs(), "disc", "discs")
                ),
                0 => String::from("which gave up nothing"),
                loss => format!("which gave up {loss}"),
            };
            format!(
                "left the book at move {}, {}'s {}, {lost}{better}",
                mv.ply,
                name(mv.side),
                mv.mv,
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
