//! Games as an argument: a database with games, files, or moves; and filters such as `--player`.

use crate::failure::legible;
use crate::options::values::{choice, one_of};
use crate::prelude::*;
use clap::builder::TypedValueParser;
use clap::{Arg, Args};
use clap_complete::engine::CompletionCandidate;
use obook::games::{
    Condition, GameId, Kind, Order, Winner, game as stored_game, games as stored, in_temporary,
};
use obook::{Error, FileKind, Store};
use obook_base::{files_of, is_stdin};
use obook_games::names::{TypedError, read_line};
use obook_games::{Date, Entry, ErrorKind, Fault, Format, Game, Reader};
use obook_othello::{CanonicalBoard, Line, Side};
use std::ffi::OsStr;
use std::fmt::Display;

/// The formats, positions and kinds that options for records take, which differ from one game to the other.
pub(crate) trait Recorded: Clone + 'static {
    /// A format of records.
    type Format: Copy + Send + Sync + 'static;
    /// A position that games go through.
    type Position: Clone + std::fmt::Debug + Send + Sync + 'static;
    /// A kind of game.
    type Kind: Copy + std::fmt::Debug + Send + Sync + 'static;
    /// An order of games.
    type Order: Copy + std::fmt::Debug + Send + Sync + 'static;
    /// The orders of a list, by name, each with what it means.
    const ORDERS: &'static [(&'static str, Self::Order, &'static str)];
    /// The ways to type a position.
    const POSITIONS: &'static str;

    fn formats() -> impl TypedValueParser<Value = Self::Format>;
    fn kinds() -> impl TypedValueParser<Value = Self::Kind>;
    fn position(text: &str) -> Result<Self::Position, String>;
    /// The names of positions that begin like this, if positions have names.
    fn named(_typed: &OsStr) -> Vec<CompletionCandidate> {
        Vec::new()
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Othello {}

impl Recorded for Othello {
    type Format = Format;
    type Position = CanonicalBoard;
    type Kind = Kind;
    type Order = Order;
    const ORDERS: &'static [(&'static str, Order, &'static str)] = &[
        ("latest", Order::Latest, "The latest first"),
        ("earliest", Order::Earliest, "The earliest first"),
        ("score", Order::Score, "Black's highest wins first"),
    ];
    const POSITIONS: &'static str = "moves such as f5d6c3, a board, or the name of an opening";

    fn formats() -> impl TypedValueParser<Value = Format> {
        one_of(Format::ALL, Format::name, |format| match format {
            Format::Edx => "Edax's record of a game",
            Format::Quest => "Othello Quest's JSON",
            _ => "",
        })
    }

    fn kinds() -> impl TypedValueParser<Value = Kind> {
        one_of(Kind::ALL, Kind::name, |kind| match kind {
            Kind::Finished => "Played to a result",
            Kind::Unfinished => "Without a result",
            Kind::Resigned => "",
            Kind::TimeOut => "Lost on time",
            Kind::Agreed => "Ended by agreement",
            Kind::Elsewhere => "Begun away from the usual start",
        })
    }

    fn position(text: &str) -> Result<CanonicalBoard, String> {
        let line = read_line(text).map_err(|error| error.to_string())?;
        Ok(line.board().canonical())
    }

    fn named(typed: &OsStr) -> Vec<CompletionCandidate> {
        complete::openings(typed)
    }
}

/// How files of games are read.
#[derive(Clone, Debug, Args)]
pub(crate) struct ReadAs<G: Recorded> {
    /// Read files of games in this format, whatever they look like
    #[arg(id = "read_as", long = "format", value_name = "FORMAT", value_parser = G::formats())]
    pub(crate) format: Option<G::Format>,
}

/// The name of [`ReadAs`] where games are given with --games: a format alone would be that of something else.
pub(crate) fn with_games(read_as: Arg) -> Arg {
    read_as.long("games-format").requires("games")
}

#[derive(Clone, Debug, Args)]
pub(crate) struct Games {
    /// A database with games, or files and folders of games
    #[arg(required = true, add = Standard)]
    pub(crate) games: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) read_as: ReadAs<Othello>,
}

/// Opens the database with the games. Games from files go into a temporary one.
pub(crate) fn open(
    games: &[PathBuf],
    read_as: &ReadAs<Othello>,
    context: &Context,
) -> Result<Store, Failure> {
    match database(games)? {
        Some(store) => Ok(store),
        None => Ok(in_temporary(
            legible_entries(games, read_as.format),
            context,
        )?),
    }
}

/// Opens the database that is given instead of files, if any.
fn database(games: &[PathBuf]) -> Result<Option<Store>, Error> {
    match games {
        [path] if is_database(path) => Store::open(path, &context::quiet()).map(Some),
        _ => Ok(None),
    }
}

/// If no game of a database meets the conditions, says so, or that it has none at all.
pub(crate) fn say_if_none_meets(is_none: bool, store: &obook_store::Store) {
    if is_none {
        let problem = none_meets(store.path(), has_games(store));
        say(format_args!("obook: {problem}"));
    }
}

/// The error that a file or database has no game that meets the conditions, or none at all.
pub(crate) fn none_meets(book: &Path, has_games: bool) -> Failure {
    let path = book.to_owned();
    match has_games {
        true => Failure::file(book, "no game that meets the conditions"),
        false => Error::NoGames { path }.into(),
    }
}

pub(crate) fn is_database(path: &Path) -> bool {
    !is_stdin(path) && matches!(FileKind::of(path), Ok(FileKind::Database(_)))
}

/// A game and the place where it was found.
pub(crate) struct Picked {
    pub(crate) place: String,
    pub(crate) game: Game,
}

/// Returns the games of files and databases, of standard input (`-`), or the game whose moves are the words. Only those that meet the
/// condition and, if given, have this number: counted from 1 in each file, or the number in a database. Reports faulty records.
pub(crate) fn pick(
    sources: &[PathBuf],
    read_as: &ReadAs<Othello>,
    number: Option<u64>,
    condition: &Condition,
) -> Result<Vec<Picked>, Failure> {
    let mut picked = Vec::new();
    let faulty = Teller::default();
    if let Some(line) = typed(sources)? {
        let place = String::from("the moves given");
        if let Some(number @ (0 | 2..)) = number {
            let problem = format!("there is no game {number}: the moves given are one game");
            return Err(Failure::file(&sources[0], problem));
        }
        let game = Game::new(line);
        picked.push(Picked { place, game });
    } else {
        let found = sources.iter().map(|source| match is_database(source) {
            true => pick_stored(source, number, condition, &mut picked),
            false => pick_read(source, read_as.format, number, &faulty, &mut picked),
        });
        legible(found).collect::<Result<(), Failure>>()?;
    }
    faulty.finish();
    let is_any_read = !picked.is_empty();
    picked.retain(|picked| condition.matches(&picked.game));
    match sources {
        [first, ..] if picked.is_empty() => {
            let has_games = match is_database(first) {
                true => has_games(&*Store::open(first, &context::quiet())?),
                false => is_any_read,
            };
            Err(none_meets(first, has_games))
        }
        _ => Ok(picked),
    }
}

/// Returns the line that the words make, unless one of them is a file or standard input.
fn typed(words: &[PathBuf]) -> Result<Option<Line>, Failure> {
    let is_file = |word: &&PathBuf| is_stdin(word) || word.exists();
    if words.iter().any(|word| is_file(&word)) {
        let is_line = |word: &&PathBuf| word.to_str().is_some_and(|word| read_line(word).is_ok());
        let mut others = words.iter().filter(|word| !is_file(word));
        return match others.find(is_line) {
            Some(moves) => Err(Failure::file(
                moves,
                "moves beside a file of games; give either of them, and name the book with --book",
            )),
            None => Ok(None),
        };
    }
    let words: Option<Vec<&str>> = words.iter().map(|word| word.to_str()).collect();
    // A name with an ending was meant as a file.
    let is_name = |word: &&&str| Path::new(word).extension().is_some() && read_line(word).is_err();
    let named = words.iter().flatten().find(is_name).map(PathBuf::from);
    match words.map(|words| read_line(&words.join(" "))) {
        Some(Ok(line)) => Ok((!line.moves().is_empty()).then_some(line)),
        Some(Err(TypedError::Line(_))) if let Some(file) = named => {
            Err(Failure::file(&file, "there is no such file"))
        }
        Some(Err(error @ TypedError::Line(_))) => Err(error.into()),
        // The file is missing.
        Some(Err(TypedError::Name(_))) | None => Ok(None),
    }
}

/// Whether a database has games, or may have: a damaged one.
pub(crate) fn has_games(store: &obook_store::Store) -> bool {
    let sql = "SELECT 1 FROM games LIMIT 1";
    let found = store.connection().query_row(sql, [], |_| Ok(()));
    found != Err(rusqlite::Error::QueryReturnedNoRows)
}

fn pick_stored(
    database: &Path,
    number: Option<u64>,
    condition: &Condition,
    picked: &mut Vec<Picked>,
) -> Result<(), Failure> {
    let store = Store::open(database, &context::quiet())?;
    let mut add = |(id, game): (GameId, Game)| {
        let place = format!("{}: game {id}", database.display());
        picked.push(Picked { place, game });
    };
    if let Some(number) = number {
        add(numbered(&store, number)?);
        return Ok(());
    }
    for game in stored(&store, condition) {
        add(game?);
    }
    Ok(())
}

/// The game of a database with this number.
pub(crate) fn numbered(
    store: &Store,
    number: impl Copy + Display + TryInto<i64>,
) -> Result<(GameId, Game), Failure> {
    let id = number.try_into().ok().and_then(GameId::from_number);
    let game = id.map(|id| stored_game(store, id)).transpose()?;
    id.zip(game.flatten()).ok_or_else(|| {
        let problem = format!("there is no game {number}; `obook games list` shows the numbers");
        Failure::file(store.path(), problem)
    })
}

fn pick_read(
    file: &Path,
    format: Option<Format>,
    number: Option<u64>,
    faulty: &Teller,
    picked: &mut Vec<Picked>,
) -> Result<(), Failure> {
    for entry in legible_entries(&[file.to_owned()], format) {
        let entry = entry?;
        if number.is_some_and(|number| entry.place.number < number) {
            continue;
        }
        if !entry.faults.is_empty() {
            faulty.tell(faults(&entry));
        }
        picked.push(Picked {
            place: entry.place.to_string(),
            game: entry.game,
        });
        if number.is_some() {
            return Ok(());
        }
    }
    match number {
        Some(number) => Err(Failure::file(file, format!("there is no game {number}"))),
        None => Ok(()),
    }
}

/// The faults of a record, with its place.
pub(crate) fn faults(entry: &Entry) -> String {
    let faults: Vec<String> = entry.faults.iter().map(Fault::to_string).collect();
    format!("{}: {}", entry.place, faults.join("; "))
}

/// Calls `take` with the games one after another, and with `None` for each game with a faulty record. A game that ended
/// early is not faulty.
pub(crate) fn each_right<R>(
    Games { games, read_as }: &Games,
    take: impl FnOnce(&mut dyn Iterator<Item = Result<Option<Game>, Error>>) -> R,
) -> Result<R, Error> {
    if let Some(store) = database(games)? {
        let all = Condition::default();
        let stored = stored(&store, &all);
        return Ok(take(&mut stored.map(|game| Ok(Some(game?.1)))));
    }
    let is_right = |fault: &Fault| matches!(fault, Fault::EndsEarly { .. });
    let right = |entry: Entry| entry.faults.iter().all(is_right).then_some(entry.game);
    let mut games = legible_entries(games, read_as.format).map(|entry| entry.map(right));
    Ok(take(&mut games))
}

/// Like [`entries`], but unreadable files are only reported, unless no file can be read.
fn legible_entries(
    files: &[PathBuf],
    format: Option<Format>,
) -> impl Iterator<Item = Result<Entry, Error>> + Send + '_ {
    legible(entries(files, format))
}

/// Returns the games of these files and folders, one file after another; `-` is standard input. After the error of a file come the games
/// of the next one. The contents tell the format, unless it is given.
pub(crate) fn entries(
    files: &[PathBuf],
    format: Option<Format>,
) -> impl Iterator<Item = Result<Entry, Error>> + Send + '_ {
    let named = files.iter().flat_map(|named| match files_of(named) {
        Ok(files) => files.into_iter().map(|file| Ok((file, named))).collect(),
        Err(error) => vec![Err(Error::io(named, "read")(error))],
    });
    named.flat_map(move |file| {
        let reader = file.and_then(|(file, named)| match read(&file, format) {
            // The lists of a folder's archive are read with it.
            Err(error) if file != *named && matches!(error.kind(), ErrorKind::Names { .. }) => {
                Ok(None)
            }
            reader => Ok(Some(reader?)),
        });
        let (reader, failed) = match reader {
            Ok(reader) => (reader, None),
            Err(error) => (None, Some(Err(error))),
        };
        let entries = reader.into_iter().flatten();
        let entries = entries.map(|entry| entry.map_err(Error::from));
        failed.into_iter().chain(entries)
    })
}

/// A reader of one file; `-` is standard input.
fn read(file: &Path, format: Option<Format>) -> Result<Reader, obook_games::Error> {
    match is_stdin(file) {
        true => Reader::new(io::stdin(), Some("standard input".into()), format),
        false => Reader::open(file, format),
    }
}

/// Facts about games that records leave out.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Facts missing from the records")]
pub(crate) struct Unsaid {
    /// The name of the player of Black
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) black: Option<String>,
    /// The name of the player of White
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) white: Option<String>,
    /// Your name, as the player of --side
    #[arg(long, value_name = "NAME", value_parser = name)]
    me: Option<String>,
    /// The side that you played, with --me
    #[arg(long, value_name = "SIDE", value_parser = choice(&SIDES), default_value = "black", requires = "me")]
    side: Side,
    /// The date, as YYYY, YYYY-MM or YYYY-MM-DD
    #[arg(long, value_name = "DATE", value_parser = date)]
    pub(crate) date: Option<String>,
    /// The tournament, match or place
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) event: Option<String>,
}

/// The sides of Othello.
pub(crate) const SIDES: [(&str, Side, &str); 2] =
    [("black", Side::Black, ""), ("white", Side::White, "")];

/// A name without spaces around it.
fn name(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("expected a name".to_owned()),
        name => Ok(name.to_owned()),
    }
}

fn date(text: &str) -> Result<String, String> {
    let date = text.parse::<Date>().ok().map(|date| date.to_string());
    date.filter(|date| date == text)
        .ok_or_else(|| "expected YYYY, YYYY-MM or YYYY-MM-DD".to_owned())
}

impl Unsaid {
    /// Refuses two names for one player.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let (side, named) = match self.side {
            Side::Black => ("black", &self.black),
            Side::White => ("white", &self.white),
        };
        if self.me.is_some() && named.is_some() {
            let problem = format!(
                "names the player of {side}, and so does --{side}: leave one of them out, or give --side"
            );
            return Err(Failure::file(Path::new("--me"), problem));
        }
        Ok(())
    }

    /// Fills in the fields that are empty: the names of Black and White, the date and the event.
    pub(crate) fn fill(&self, fields: [&mut Option<String>; 4]) {
        let me = |side| self.me.as_ref().filter(|_| self.side == side);
        let black = self.black.as_ref().or(me(Side::Black));
        let white = self.white.as_ref().or(me(Side::White));
        let said = [black, white, self.date.as_ref(), self.event.as_ref()];
        for (field, said) in fields.into_iter().zip(said) {
            if field.is_none() {
                *field = said.cloned();
            }
        }
    }

    /// The same for a game of Othello.
    pub(crate) fn fill_in(&self, game: &mut Game) {
        let mut date = game.date.year().map(|_| game.date.to_string());
        let (black, white) = (&mut game.black.name, &mut game.white.name);
        self.fill([black, white, &mut date, &mut game.tournament]);
        game.date = date.map_or(game.date, |date| date.parse().unwrap_or(game.date));
    }
}

/// The tournament and the years of games.
#[derive(Clone, Debug, Args)]
pub(crate) struct WhenPlayed {
    /// Only games of this tournament; part of the name is enough
    #[arg(long, value_name = "NAME")]
    pub(crate) tournament: Option<String>,
    /// Only games from this year on
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) since: Option<u16>,
    /// Only games up to this year
    #[arg(long, value_name = "YEAR", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) until: Option<u16>,
}

/// Filters that games of all kinds have.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Games")]
pub(crate) struct Filter<G: Recorded> {
    /// Only games of this player; part of the name is enough
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(complete::players))]
    pub(crate) player: Option<String>,
    /// Only games that this player played as Black
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(complete::players))]
    pub(crate) black: Option<String>,
    /// Only games that this player played as White
    #[arg(long, value_name = "NAME", add = ArgValueCompleter::new(complete::players))]
    pub(crate) white: Option<String>,
    #[command(flatten)]
    pub(crate) when: WhenPlayed,
    /// Only games that this side won
    #[arg(long, value_name = "SIDE", value_parser = choice(&WINNERS))]
    pub(crate) won_by: Option<Winner>,
    #[arg(long, value_name = "OPENING", value_parser = G::position, add = ArgValueCompleter::new(G::named),
          help = format!("Only games through this position: {}", G::POSITIONS))]
    pub(crate) opening: Option<G::Position>,
    /// Only games in which both players had at least this rating
    #[arg(long, value_name = "RATING")]
    pub(crate) rated: Option<u32>,
    /// Only games of this kind
    #[arg(long, value_name = "KIND", value_parser = G::kinds())]
    pub(crate) kind: Option<G::Kind>,
}

const WINNERS: [(&str, Winner, &str); 3] = [
    ("black", Winner::Black, ""),
    ("white", Winner::White, ""),
    ("nobody", Winner::None, "Draws"),
];

impl Filter<Othello> {
    pub(crate) fn condition(&self) -> Condition {
        let filter = self.clone();
        Condition {
            since: filter.when.since,
            until: filter.when.until,
            player: filter.player,
            black: filter.black,
            white: filter.white,
            tournament: filter.when.tournament,
            winner: filter.won_by,
            through: filter.opening,
            rated: filter.rated,
            kind: filter.kind,
        }
    }
}
