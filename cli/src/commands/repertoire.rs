//! `obook repertoire`: where a player leaves the book.

use crate::advice::on_no_answer;
use crate::options::games::{Othello, ReadAs, SIDES, WhenPlayed, open, with_games};
use crate::options::values::choice;
use crate::prelude::*;
use crate::reports::table;
use crate::searches::in_order;
use obook::games::{Condition, Departure, Loss, Repertoire, players, repertoire};
use obook::{Error, Lookup, Store};
use obook_engine::{Request, Stop};
use obook_othello::Side;
use rusqlite::types::Value;

/// Show where a player leaves the book, what it costs, and the best move instead
#[derive(Debug, clap::Args)]
#[command(mut_arg("read_as", with_games))]
#[command(after_help = "Examples:\n  \
    obook repertoire book.obook tastet\n  \
    obook repertoire book.dat tastet --games wthor/*.wtb --side black --since 2010\n  \
    obook repertoire book.obook tastet --level 12 --json\n\n\
    A move is listed if it leads out of the book, or is worse than the best one. The column loss has the discs that it gives up, \
    best the best move, mean the mean result of these games for the player. If the book has no score for the move, the column by \
    says “at least”: the loss is that of the best searched move that leads out of the book. --level searches such moves; a negative loss \
    means that the search found the move better than best. The largest loss in all games together comes first. A game counts until \
    it leaves the book.")]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(value_parser = readable())]
    book: PathBuf,
    /// The player; part of the name is enough if only one player has it
    #[arg(add = ArgValueCompleter::new(complete::players))]
    player: String,
    /// A database with games, or files of games [default: the games in the book's database]
    #[arg(long, num_args = 1.., add = Standard)]
    games: Vec<PathBuf>,
    #[command(flatten)]
    read_as: ReadAs<Othello>,
    /// Only games that the player played as this side
    #[arg(long, value_parser = choice(&SIDES))]
    side: Option<Side>,
    #[command(flatten)]
    when: WhenPlayed,
    /// Search moves without a score, at this level
    #[arg(long, value_name = "LEVEL", value_parser = levels(60), hide_possible_values = true)]
    level: Option<u8>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Maximum number of moves to show
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    #[command(flatten)]
    listing: Listing,
}

const COLUMNS: [&str; 7] = ["games", "square", "loss", "by", "best", "mean", "line"];

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let context = context::shown();
    let games = match &arguments.games[..] {
        [] => match Book::open(&arguments.book, &context::quiet())? {
            Book::Database(store) => store,
            Book::File(file) => {
                let problem = "a book file holds no games; --games names those to compare";
                return Err(Failure::file(file.path(), problem));
            }
        },
        games => open(games, &arguments.read_as, &context)?,
    };
    let book = Lookup::new(Book::open(&arguments.book, &context)?, &context)?;
    let from = arguments.games.first().unwrap_or(&arguments.book);
    let player = player(&games, from, &arguments.player)?;
    let condition = Condition {
        tournament: arguments.when.tournament.clone(),
        since: arguments.when.since,
        until: arguments.when.until,
        ..Condition::default()
    };
    let found = repertoire(&book, &games, &player, arguments.side, condition)?;
    let summary = summary(&player, &found);
    let mut rows = match arguments.level {
        Some(level) => searched(found.departures, level, &arguments.engine, &context)?,
        None => found.departures.into_iter().map(by_the_book).collect(),
    };
    drop(context);
    rows.sort_by_cached_key(|(departure, loss, _)| departure.place(*loss));
    rows.truncate(arguments.limit);
    say(summary);
    let rows = rows.into_iter().map(row);
    table(arguments.listing, COLUMNS, rows)
}

/// The player whose name is, or contains, this text.
fn player(games: &Store, path: &Path, text: &str) -> Result<String, Failure> {
    let mut names = players(games.connection(), None, text).map_err(Error::sqlite(path, "read"))?;
    let is_whole = |name: &String| name.to_lowercase() == text.to_lowercase();
    if let Some(whole) = names.iter().position(is_whole) {
        return Ok(names.swap_remove(whole));
    }
    /// The number of names to show.
    const SHOWN: usize = 5;
    let text = in_line(text);
    let problem = match &names[..] {
        [_] => return Ok(names.remove(0)),
        [] => format!("no player's name contains “{text}”"),
        several => {
            let shown: Vec<_> = several.iter().take(SHOWN).map(|it| in_line(it)).collect();
            let more = several.len() - shown.len();
            let more = some(more as u64, " and # more");
            format!(
                "several players' names contain “{text}”: {}{more}; type more of the name",
                shown.join(", ")
            )
        }
    };
    Err(Failure::file(path, problem))
}

fn summary(player: &str, found: &Repertoire) -> String {
    let (player, games) = (in_line(player), count(found.games, "game[|s]"));
    let (left, by_opponent) = (found.left, found.left_by_opponent);
    format!("{player}: {games}; left the book first in {left}, the opponent in {by_opponent}")
}

/// A departure with the discs that it gives up, and how they are known.
type DepartureRow = (Departure, Option<i16>, Option<&'static str>);

fn by_the_book(departure: Departure) -> DepartureRow {
    let by = match departure.loss {
        Loss::Exactly(_) => Some("book"),
        Loss::AtLeast(_) => Some("at least"),
        Loss::Unknown => None,
    };
    let loss = departure.loss.discs();
    (departure, loss, by)
}

/// Searches the moves without a score of their own.
fn searched(
    departures: Vec<Departure>,
    level: u8,
    engine: &EngineArgs,
    context: &Context,
) -> Result<Vec<DepartureRow>, Failure> {
    let (jobs, engine) = (engine.jobs(), engine.choice()?);
    let total = departures.len() as u64;
    context.progress().step("searching", Some(total));
    let tasks = departures.into_iter().map(|departure| {
        let request = match (departure.loss, departure.best) {
            (Loss::Exactly(_), _) | (_, None) => None,
            _ => {
                let after = departure.line.board().play(departure.mv);
                Request::new(after.expect("the move is legal"), level).ok()
            }
        };
        Ok((departure, request))
    });
    let mut rows = Vec::new();
    let never = Stop::default();
    in_order(&engine, jobs, &never, tasks, |departure, found| {
        context.progress().advance(1);
        rows.push(match found {
            Some(Err(why)) => {
                let (line, mv, why) = (&departure.line, departure.mv, on_no_answer(&why));
                let said = || say(format_args!("obook: no search of {line}{mv}: {why}"));
                context.progress().aside(said);
                by_the_book(departure)
            }
            Some(Ok(answer)) => {
                let after = i16::from(answer.score);
                let (_, best) = departure.best.expect("it is compared with the best move");
                (departure, Some(best + after), Some("search"))
            }
            None => by_the_book(departure),
        });
        Ok(())
    })?;
    Ok(rows)
}

fn row((departure, loss, by): DepartureRow) -> [Value; 7] {
    let mean = departure.mean();
    [
        Value::Integer(departure.games.cast_signed()),
        departure.mv.to_string().into(),
        loss.into(),
        by.map(str::to_owned).into(),
        departure.best.map(|(mv, _)| mv.to_string()).into(),
        mean.map(|mean| (mean * 10.0).round() / 10.0).into(),
        departure.line.to_string().into(),
    ]
}
