//! `obook games remove`: games out of a database.

use crate::options::games::{Filter, Othello, Recorded, numbered, say_if_none_meets};
use crate::prelude::*;
use obook::games::{Condition, Order, list, remove};

/// Remove games from a database
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook games remove games.obook 19970000123 19970000124\n  \
    obook games remove games.obook --tournament 'test match' --since 2020\n\n\
    `obook games list` shows the numbers, and has the same conditions. `obook undo` brings the games back.")]
pub(crate) struct Arguments<G: Recorded = Othello> {
    /// A database with games
    #[arg(value_parser = changeable())]
    pub(crate) book: PathBuf,
    /// Numbers of games
    #[arg(value_name = "GAME")]
    pub(crate) numbers: Vec<i64>,
    /// Write JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) which: Filter<G>,
}

/// Whether games are named by their numbers, and not by conditions.
///
/// # Errors
/// If they are named in neither way, or in both.
pub(crate) fn is_by_number(
    book: &Path,
    numbers: &[i64],
    by_condition: bool,
) -> Result<bool, Failure> {
    if numbers.is_empty() != by_condition {
        let problem = "name the games to remove: either their numbers, as `obook games list` shows them, or conditions such as \
                       --player NAME";
        return Err(Failure::file(book, problem));
    }
    Ok(!by_condition)
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, numbers, .. } = arguments;
    let condition = arguments.which.condition();
    let by_number = is_by_number(book, numbers, condition != Condition::default())?;
    let mut store = Book::open_for_writing(book, &context::shown())?;
    let games: Vec<_> = if by_number {
        let id = |&number: &i64| Ok(numbered(&store, number)?.0);
        numbers.iter().map(id).collect::<Result<_, Failure>>()?
    } else {
        let found = store.read(|it| list(it, &condition, Order::Latest, None, u32::MAX))?;
        found.into_iter().map(|game| game.id).collect()
    };
    say_if_none_meets(games.is_empty(), &store);
    let removed = remove(&mut store, &games)?;
    account(&removed, arguments.json, |it, out| {
        describe(it.games, it.positions, out)
    })
}

/// Reports how many games and positions were removed.
pub(crate) fn describe(games: u64, positions: u64, out: &mut dyn Write) -> io::Result<()> {
    let games = count(games, "game[|s]");
    let positions = count(positions, "position[|s]");
    writeln!(out, "{games} with {positions} removed")
}
