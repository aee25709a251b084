//! The report on checked games.

use crate::commands::check::checked::{CheckedGame, Player, Tallies};
use crate::prelude::*;
use crate::words::cut;
use obook::read::played::{JudgedMove, Source, Tally, Worth};
use obook_othello::Move;
use obook_sql::answers::Screen;
use unicode_width::UnicodeWidthStr;

/// Describes a game move by move.
pub(super) fn describe_game(game: &CheckedGame, out: &mut dyn Write) -> io::Result<()> {
    let score = (game.score).map_or(String::new(), |score| format!(": {score:+}"));
    writeln!(out, "{}\n{}{score}", game.place, game.title())?;
    if let Some(opening) = game.opening {
        writeln!(out, "{opening}")?;
    }
    // A gain is no mistake: it has a sign, and a column of its own.
    writeln!(out, "\n ply  side   move  worth  loss  gain  best  by")?;
    for mv in &game.judgement.moves {
        let best = better(mv).map_or_else(String::new, |best| best.to_string());
        let (loss, gain) = match mv.loss {
            0 => (String::new(), String::new()),
            loss @ 1.. => (loss.to_string(), String::new()),
            loss => (String::new(), format!("{:+}", -loss)),
        };
        let (ply, side, worth) = (mv.ply, mv.side.name(), mv.after.score);
        let name = mv.mv.to_string();
        let row = format!(
            "{ply:>4}  {side:5}  {name:4}  {worth:>+5}  {loss:>4}  {gain:>4}  {best:4}  {}",
            by(mv)
        );
        writeln!(out, "{}", row.trim_end())?;
    }
    writeln!(out, "\n{}", left(game))?;
    let Worth { score, source, .. } = game.judgement.end;
    let end = match source {
        Source::Final => "final score",
        _ => "worth at the end",
    };
    writeln!(
        out,
        "worth at the start {:+}, {end} {score:+} (for Black)\n",
        game.judgement.start.score
    )?;
    let sides = game.sides.each_ref();
    sums(&sides.map(|it| (it.side, None, &it.tallies)), out)
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
        writeln!(out)?;
        let rows = players.iter();
        let rows = rows.map(|it| (it.name.as_str(), Some(it.games), &it.tallies));
        sums(&rows.collect::<Vec<_>>(), out)?;
    }
    Ok(())
}

/// A row of [`sums`]: a name, the number of games if there are several, and what was given up.
type Sum<'a> = (&'a str, Option<u64>, &'a Tallies);

/// The width of the numbers below [`HEADING`].
const NUMBERS: usize = HEADING.len() + "  games".len();
const HEADING: &str = "moves  best accuracy  loss  mean opening midgame endgame";
/// The minimum width of a name; if there is less room, each name has lines of its own.
const SHORT_NAME: usize = 12;

/// Writes a row for each name, or a few lines if the terminal is narrow.
fn sums(rows: &[Sum<'_>], out: &mut dyn Write) -> io::Result<()> {
    let room = match Screen::of_stdout() {
        Some(screen) => screen.columns.saturating_sub(NUMBERS + 1),
        None => usize::MAX,
    };
    if room < SHORT_NAME {
        return rows.iter().try_for_each(|row| sums_in_lines(row, out));
    }
    let names = rows.iter().map(|(name, ..)| in_line(name).width());
    let width = names.max().unwrap_or(0).clamp(SHORT_NAME, room);
    let has_games = rows.iter().any(|(_, games, _)| games.is_some());
    let games = if has_games { "  games" } else { "" };
    writeln!(out, "{:width$} {HEADING}{games}", "")?;
    for (name, games, tallies) in rows {
        let name = in_line(name);
        let name = cut(&name, width);
        let gap = " ".repeat(width - name.width());
        let [moves, best, accuracy, loss, mean, opening, midgame, endgame] = tallies.cells();
        let games = games.map_or(String::new(), |games| format!(" {games:>6}"));
        writeln!(
            out,
            "{name}{gap} {moves:>5} {best:>5} {accuracy:>8} {loss:>5} {mean:>5} {opening:>7} {midgame:>7} {endgame:>7}{games}",
        )?;
    }
    Ok(())
}

fn sums_in_lines((name, games, tallies): &Sum<'_>, out: &mut dyn Write) -> io::Result<()> {
    let [moves, best, accuracy, loss, mean, opening, midgame, endgame] = tallies.cells();
    let games = games.map_or(String::new(), |it| count(it, ", # game[|s]"));
    writeln!(out, "{}{games}", in_line(name))?;
    writeln!(out, "  moves {moves}, best {best} ({accuracy})")?;
    writeln!(out, "  loss {loss}, mean {mean}")?;
    writeln!(
        out,
        "  opening {opening}, midgame {midgame}, endgame {endgame}"
    )
}

fn brief(tally: &Tally) -> String {
    let (loss, moves, best) = (tally.loss, tally.moves, tally.best);
    let accuracy = percent(tally);
    format!("gave up {loss} in {moves} moves, nothing in {best} ({accuracy})")
}

pub(super) fn percent(tally: &Tally) -> String {
    let accuracy = tally.accuracy().map(|share| format!("{share:.1} %"));
    accuracy.unwrap_or_else(|| String::from("-"))
}

/// Says where the game left the book.
pub(super) fn left(game: &CheckedGame) -> String {
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
            let gained = "which is worth # disc[|s] more than the book expects";
            let lost = match mv.loss {
                ..0 => count(mv.loss.unsigned_abs(), gained),
                0 => String::from("which gave up nothing"),
                loss => format!("which gave up {loss}"),
            };
            format!(
                "left the book at move {}, {}'s {}, {lost}{better}",
                mv.ply,
                mv.side.name(),
                mv.mv
            )
        }
    }
}

/// The best move, if the played one is worse.
pub(super) fn better(mv: &JudgedMove) -> Option<Move> {
    mv.best.filter(|best| mv.loss > 0 && *best != mv.mv)
}

/// The source of the worth after a move.
pub(super) fn by(mv: &JudgedMove) -> &'static str {
    mv.after.source.name()
}
