//! `obook games show`: one game.

use super::list::discs;
use crate::options::games::numbered;
use crate::prelude::*;
use crate::words::name;
use obook_games::names::{Opening, of_line};
use obook_games::{Score, write_ggf};

/// Show a game: players, moves and result
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook games show games.obook 19970000123\n  \
    obook games show games.obook 19970000123 --ggf")]
pub(crate) struct Arguments {
    /// A database with games
    book: PathBuf,
    /// Number of the game, as shown by `obook games list`
    game: i64,
    /// Write the game as GGF, with everything known about it
    #[arg(long, conflicts_with = "json")]
    ggf: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Shown {
    game: i64,
    date: Option<String>,
    tournament: Option<String>,
    black: Option<String>,
    white: Option<String>,
    score: Option<i8>,
    opening: Option<&'static str>,
    moves: String,
    ggf: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let store = Book::open(&arguments.book, &context::quiet())?.into_database()?;
    let (_, game) = numbered(&store, arguments.game)?;
    let shown = Shown {
        game: arguments.game,
        date: game.date.year().map(|_| game.date.to_string()),
        opening: of_line(game.line()).map(Opening::name),
        moves: game.line().to_string(),
        ggf: write_ggf(&game) + "\n",
        tournament: game.tournament,
        black: game.black.name,
        white: game.white.name,
        score: game.score.map(Score::get),
    };
    answer(&shown, arguments.json, |shown, out| {
        if arguments.ggf {
            return out.write_all(shown.ggf.as_bytes());
        }
        describe(shown, out)
    })
}

fn describe(shown: &Shown, out: &mut dyn Write) -> io::Result<()> {
    let score = (shown.score).map_or(String::new(), |score| format!(" {}", discs(score)));
    let [black, white] = [&shown.black, &shown.white].map(|it| name(it.as_deref()));
    writeln!(out, "{black} –{score} {white}")?;
    let place = [&shown.tournament, &shown.date];
    let place: Vec<&str> = place.into_iter().flatten().map(String::as_str).collect();
    if !place.is_empty() {
        writeln!(out, "{}", in_line(&place.join(", ")))?;
    }
    if let Some(opening) = shown.opening {
        writeln!(out, "{opening}")?;
    }
    writeln!(out, "{}", shown.moves)
}
