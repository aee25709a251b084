//! Games in databases: import, look-up, and the moves that were played in a position.

pub use crate::database::condition::{Condition, Kind};

use crate::database::file::{is_database, unpacked};
use crate::database::rows::numbered;
use crate::database::schema::{self, SHOGI};
use crate::games::{End, Format, Game, Outcome, Reader, Record, Unread, decode, encode, records};
use crate::{Board, Colour, Fault, Move, Sfen};
use obook_base::compression::decompress;
use obook_base::sqlite::all_rows;
use obook_base::{Source, files_of};
use obook_store::{Content, Context, Error, FileKind, IfExists, Output, Result, Store};
use rusqlite::{Connection, OptionalExtension, Row, params, params_from_iter};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io::{BufWriter, Read as _, Write as _};
use std::iter::once;
use std::path::{Path, PathBuf};

/// How many bytes from the beginning tell whether a file holds games.
const HEAD: u64 = 1 << 15;

/// A file of games as obook writes them: in CSA, KIF, USI or JKF.
const GAME_FILE: Content = Content::file("a file of games", |head, _| {
    // KIF may be in Shift_JIS.
    let text = decode(whole_lines(head));
    let is_kif = |line: &str| line == "手合割：平手" || line.starts_with("先手の持駒：");
    let is_usi = |line: &str| {
        line.starts_with("startpos") || line.starts_with("sfen ") && line.contains(" moves")
    };
    text.starts_with("V2.2\n")
        || text.starts_with("{\"header\":{")
        || text.lines().any(is_kif)
        || text.lines().all(is_usi)
});

/// The beginning of a file without its last line, which may end within a letter.
fn whole_lines(head: &[u8]) -> &[u8] {
    let last = head.iter().rposition(|&byte| byte == b'\n');
    last.map_or(head, |last| &head[..=last])
}

/// Whether a file holds records of games, or one of the first files of a folder or an archive. `false` if it can't be read.
#[must_use]
pub fn is_record(path: &Path) -> bool {
    /// More would take long.
    const FIRST: usize = 16;
    let files = files_of(path).unwrap_or_default();
    files.iter().take(FIRST).any(|file| has_record(file))
}

fn has_record(path: &Path) -> bool {
    let mut head = Vec::new();
    let input = Source::open(path).and_then(decompress);
    let read = input.and_then(|input| input.take(HEAD).read_to_end(&mut head));
    let whole = whole_lines(&head);
    // No text has a zero byte; a book of numbers does, and would be decoded for nothing.
    read.is_ok() && !whole.contains(&0) && records(&decode(whole)).is_ok()
}

/// Calls `each` with the records of files and folders, one after another, and with the error of each file that can't be read or holds
/// no records. Files may be compressed; `-` is standard input. The contents tell the format, unless it is given.
///
/// # Errors
/// Returns the error of the last file if none can be read, and the first error of `each`.
pub fn each_record(
    files: &[PathBuf],
    format: Option<Format>,
    mut each: impl FnMut(&Path, Result<Record>) -> Result<()>,
) -> Result<()> {
    let (mut is_any, mut last) = (false, None);
    let mut each_found = |file: &Path, found: Result<Record>| match found {
        Ok(record) => {
            is_any = true;
            each(file, Ok(record))
        }
        Err(error) => match last.replace((file.to_owned(), error)) {
            Some((file, error)) => each(&file, Err(error)),
            None => Ok(()),
        },
    };
    for named in files {
        let files = match files_of(named) {
            Ok(files) => files,
            Err(error) => {
                each_found(named, Err(Error::io(named, "read")(error)))?;
                continue;
            }
        };
        for file in &files {
            let failed = |error| match error {
                Unread::Io(error) => Error::io(file, "read")(error),
                Unread::Games(error) => Error::unfit(file, error.to_string()),
            };
            match unpacked(file) {
                Ok(input) => Reader::new(input, format)
                    .try_for_each(|record| each_found(file, record.map_err(failed)))?,
                Err(error) => each_found(file, Err(error))?,
            }
        }
    }
    match last {
        Some((_, error)) if !is_any => Err(error),
        Some((file, error)) => each(&file, Err(error)),
        None => Ok(()),
    }
}

/// Calls `each` with the games of files and databases. Records with faults and problems are left out. The contents of a file tell its
/// format, unless it is given.
///
/// # Errors
/// As [`each_record`], and [`Error::Sqlite`] if a database can't be read.
pub fn each_game(
    sources: &[PathBuf],
    format: Option<Format>,
    context: &Context,
    mut each: impl FnMut(Game) -> Result<()>,
) -> Result<()> {
    for source in sources {
        if is_database(source)? {
            let store = Store::open(&SHOGI, source, context)?;
            stored(&store, &Condition::default(), |_, game| each(game))?;
        } else {
            each_record(std::slice::from_ref(source), format, |_, record| {
                let record = record?;
                match record.faults.is_empty() && !record.is_problem {
                    true => each(record.game),
                    false => Ok(()),
                }
            })?;
        }
    }
    Ok(())
}

/// The result of an import of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportedGames {
    /// Games of the files.
    pub read: u64,
    /// Variations that became games.
    pub variations: u64,
    /// Games that the database did not have.
    pub added: u64,
    /// Their positions, including the last ones.
    pub positions: u64,
    /// Games with faulty records.
    pub faulty: u64,
    /// Problems, which are not kept.
    pub problems: u64,
    /// Files that can't be read, or not to their end.
    pub unread: u64,
}

/// How to import games.
#[derive(Clone, Copy, Default)]
pub struct ImportOptions<'f> {
    /// The format of the files; `None`: their contents tell it.
    pub format: Option<Format>,
    /// Whether games with faulty records are left out. Otherwise they are imported up to the first move that can't be played, if there
    /// is one that can.
    pub strict: bool,
    /// Whether variations become games of their own.
    pub variations: bool,
    /// Fills in what records don't say.
    pub fill: Option<&'f dyn Fn(&mut Game)>,
}

/// Imports games into a database, which is created if there is none. A game that the database has already, with the same players, date
/// and moves, is not added again. `told` gets each record with faults, and the error of each file that can't be read: the others are
/// imported.
///
/// # Errors
/// Returns the error of the last file if none can be read, and [`Error::Sqlite`] if the database can't be written.
pub fn import(
    files: &[PathBuf],
    options: ImportOptions<'_>,
    path: &Path,
    told: impl FnMut(&Path, Result<&Record, &Error>),
    context: &Context,
) -> Result<ImportedGames> {
    if matches!(FileKind::of(path), Ok(FileKind::Database(_))) {
        let mut store = Store::open_for_writing(&SHOGI, path, context)?;
        let change = store.change()?;
        let imported = add(files, options, change.connection(), path, told, context)?;
        change.commit(&imported)?;
        return Ok(imported);
    }
    schema::create(path, IfExists::Refuse, context, |connection| {
        add(files, options, connection, path, told, context)
    })
}

fn add(
    files: &[PathBuf],
    options: ImportOptions<'_>,
    connection: &Connection,
    path: &Path,
    mut told: impl FnMut(&Path, Result<&Record, &Error>),
    context: &Context,
) -> Result<ImportedGames> {
    let failed = || Error::sqlite(path, "write");
    let progress = context.progress();
    progress.step("reading games", None);
    let mut imported = ImportedGames::default();
    each_record(files, options.format, |file, record| {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                imported.unread += 1;
                told(file, Err(&error));
                return Ok(());
            }
        };
        progress.advance(1);
        if record.is_problem {
            imported.problems += 1;
            return Ok(());
        }
        let is_faulty = !record.faults.is_empty();
        if is_faulty {
            imported.faulty += 1;
            told(file, Ok(&record));
        }
        if is_faulty && !options.strict && record.game.moves().is_empty() {
            // No move can be read: this is no game.
            return Ok(());
        }
        imported.read += 1;
        if is_faulty && options.strict {
            return Ok(());
        }
        let variations = match options.variations {
            true => record.variations,
            false => Vec::new(),
        };
        imported.variations += variations.len() as u64;
        let variations = variations.into_iter().map(|line| (line, Vec::new()));
        for (mut game, faults) in once((record.game, record.faults)).chain(variations) {
            if let Some(fill) = options.fill {
                fill(&mut game);
            }
            if let Some(positions) = add_game(connection, &game, &faults).map_err(failed())? {
                imported.added += 1;
                imported.positions += positions;
            }
        }
        Ok(())
    })?;
    Ok(imported)
}

/// Adds a game, and returns the number of its positions; `None` if it is there already.
fn add_game(
    connection: &Connection,
    game: &Game,
    faults: &[Fault],
) -> rusqlite::Result<Option<u64>> {
    let moves: Vec<String> = game.moves().iter().map(ToString::to_string).collect();
    let moves = moves.join(" ");
    let start = (*game.start() != Board::start()).then(|| game.start().to_string());
    let last = game.board().key().0;
    // A game that is the same ends in the same position.
    let mut known = connection.prepare_cached(
        "SELECT 1 FROM played JOIN games USING (game)
         WHERE board = ?1 AND move IS NULL
           AND moves = ?2 AND start IS ?3 AND games.black IS ?4 AND white IS ?5 AND date IS ?6",
    )?;
    let same = params![last, moves, start, game.black, game.white, game.date];
    if known.exists(same)? {
        return Ok(None);
    }
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let faults = (!faults.is_empty()).then(|| faults.join("\n"));
    let result = |side| game.outcome.map(|outcome| outcome.for_side(side));
    let mut insert = connection.prepare_cached(
        "INSERT INTO games (date, event, site, black, white, result, ending, start, moves, faults,
                            black_rating, white_rating)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    insert.execute(params![
        game.date,
        game.event,
        game.site,
        game.black,
        game.white,
        result(Colour::Black),
        game.end.map(End::name),
        start,
        moves,
        faults,
        game.black_rating,
        game.white_rating
    ])?;
    let id = connection.last_insert_rowid();
    let mut played = connection.prepare_cached(
        "INSERT INTO played (board, game, ply, move, black, result) VALUES (?, ?, ?, ?, ?, ?)",
    )?;
    let moves = game.moves().iter().copied().map(Some).chain([None]);
    let mut positions = 0;
    for (ply, (board, mv)) in (0i64..).zip(game.positions().zip(moves)) {
        let turn = board.turn();
        let mv = mv.map(|mv| mv.seen_by(turn).bits());
        let is_black = turn == Colour::Black;
        played.execute(params![board.key().0, id, ply, mv, is_black, result(turn)])?;
        positions += 1;
    }
    Ok(Some(positions))
}

/// The games that were removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RemovedGames {
    /// Games.
    pub games: u64,
    /// Their positions, including the last ones.
    pub positions: u64,
}

/// Removes games by their numbers, all or none.
///
/// # Errors
/// Returns [`Error::Unfit`] if there is no game with a number, or a game's moves can't be played, and [`Error::Sqlite`] if the database
/// can't be written.
pub fn remove(store: &mut Store, numbers: &[i64]) -> Result<RemovedGames> {
    let change = store.change()?;
    let (connection, path) = (change.connection(), change.store().path());
    let prepare = |sql| connection.prepare(sql).map_err(change.failed());
    let mut played = prepare("DELETE FROM played WHERE board = ? AND game = ?")?;
    let mut delete = prepare("DELETE FROM games WHERE game = ?")?;
    let mut removed = RemovedGames::default();
    for &number in BTreeSet::from_iter(numbers) {
        let found = game(change.store(), number)?;
        let (game, _) =
            found.ok_or_else(|| Error::unfit(path, format!("there is no game {number}")))?;
        for board in game.positions() {
            let rows = played.execute(params![board.key().0, number]);
            removed.positions += rows.map_err(change.failed())? as u64;
        }
        delete.execute([number]).map_err(change.failed())?;
        removed.games += 1;
    }
    drop((played, delete));
    change.commit(&removed)?;
    Ok(removed)
}

/// A game in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Its number.
    pub game: i64,
    /// The day on which it began, or what the record says.
    pub date: Option<String>,
    /// The tournament.
    pub event: Option<String>,
    /// Black's name.
    pub black: Option<String>,
    /// White's name.
    pub white: Option<String>,
    /// 1 if Black won, 0 for a draw, −1 if White won.
    pub result: Option<i8>,
    /// Why it ended.
    pub ending: Option<String>,
    /// The number of its moves.
    pub moves: u64,
}

const SUMMARY: &str = "SELECT game, date, event, black, white, result, ending,
                              length(moves) - length(replace(moves, ' ', '')) + (moves <> '') FROM games";

impl Summary {
    fn of(row: &Row<'_>) -> rusqlite::Result<Summary> {
        Ok(Summary {
            game: row.get(0)?,
            date: row.get(1)?,
            event: row.get(2)?,
            black: row.get(3)?,
            white: row.get(4)?,
            result: row.get(5)?,
            ending: row.get(6)?,
            moves: row.get::<_, i64>(7)?.unsigned_abs(),
        })
    }
}

obook_base::table! {
    /// The order of a list of games.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Order {
        /// The latest first.
        #[default]
        Latest = "date DESC, game DESC",
        /// The earliest first, and games without a date last.
        Earliest = "date NULLS LAST, game",
        /// The games with the most moves first.
        Longest = "8 DESC, date DESC, game DESC",
    }
    /// The terms of the order in SQL. Column 8 is the number of moves.
    fn terms -> &'static str
}

/// Games in this order, at most `limit`.
///
/// # Errors
/// Returns [`Error::Sqlite`] if the database can't be read.
pub fn list(
    store: &Store,
    condition: &Condition,
    order: Order,
    limit: u32,
) -> Result<Vec<Summary>> {
    let order = order.terms();
    store.read(|connection| {
        let (on_games, mut values) = condition.on_games(connection)?;
        values.push(limit.into());
        let sql = format!("{SUMMARY} AS g WHERE {on_games} ORDER BY {order} LIMIT ?");
        all_rows(connection, &sql, params_from_iter(values), Summary::of)
    })
}

/// A move that was played in a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Played {
    /// In USI; `None`: the game ended.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// How many games have it.
    pub games: u64,
    /// Games that the side to move won.
    pub wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that the side to move lost.
    pub losses: u64,
}

/// The moves that were played in a position in matching games, the most frequent first. A game counts once for each.
///
/// # Errors
/// Returns [`Error::Sqlite`] if the database can't be read.
pub fn plays(store: &Store, board: &Board, condition: &Condition) -> Result<Vec<Played>> {
    let play = |row: &Row<'_>| {
        let bits: Option<i64> = row.get(0)?;
        let mv = bits.and_then(numbered).map(|mv| mv.seen_by(board.turn()));
        let number = |column| row.get(column).map(i64::unsigned_abs);
        Ok(Played {
            mv: mv.map(|mv| mv.to_string()),
            games: number(1)?,
            wins: number(2)?,
            draws: number(3)?,
            losses: number(4)?,
        })
    };
    store.read(|connection| {
        let (on_games, own) = condition.on_games(connection)?;
        let sql = format!(
            "SELECT move, count(*), count(*) FILTER (WHERE result = 1), count(*) FILTER (WHERE result = 0),
                    count(*) FILTER (WHERE result = -1)
             FROM (SELECT DISTINCT p.game, p.move, p.result FROM played AS p JOIN games AS g USING (game)
                   WHERE p.board = ? AND {on_games})
             GROUP BY move ORDER BY count(*) DESC, move"
        );
        let values = once(board.key().into()).chain(own);
        all_rows(connection, &sql, params_from_iter(values), play)
    })
}

const GAME: &str =
    "SELECT game, date, event, site, black, white, result, ending, start, moves, faults,
            black_rating, white_rating FROM games";

/// A game, and what is wrong with its record.
///
/// # Errors
/// Returns [`Error::Sqlite`] if the database can't be read, and [`Error::Unfit`] if its moves can't be played.
pub fn game(store: &Store, number: i64) -> Result<Option<(Game, Option<String>)>> {
    let sql = format!("{GAME} WHERE game = ?");
    let row = |row: &Row<'_>| Ok((restore(row), row.get(10)?));
    let found = store.read(|it| it.query_row(&sql, [number], row).optional())?;
    let Some((game, faults)) = found else {
        return Ok(None);
    };
    let game = game.map_err(|problem| unfit(store, number, problem))?;
    Ok(Some((game, faults)))
}

/// Games written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Exported {
    /// All of them.
    pub written: u64,
    /// Games whose result the format can't hold.
    pub results_left_out: u64,
}

/// Writes the games of a database that meet a condition. They are as they were imported, but without what is wrong with their
/// records, and without results that the format can't hold.
///
/// # Errors
/// As for [`AtomicFile::create`](obook_store::AtomicFile::create); also if the games can't be read or written. No file is written then.
pub fn export(
    store: &Store,
    condition: &Condition,
    output: &Output,
    format: Format,
) -> Result<Exported> {
    output.spare(store.path())?;
    let extension = output.name().extension().unwrap_or_default();
    let extension = extension.to_string_lossy().to_lowercase();
    let failed = || Error::io(output.name(), "write");
    output.write(GAME_FILE, store.context(), |out| {
        let (mut out, mut exported) = (BufWriter::new(out), Exported::default());
        stored(store, condition, |number, game| {
            let text = format.write(&game, exported.written > 0);
            exported.written += 1;
            exported.results_left_out += u64::from(!format.tells_result(&text, &game));
            let bytes = encode(&text, &extension).map_err(|letter| {
                let problem = format!(
                    "game {number} has “{letter}”, which Shift_JIS lacks; .kifu and .ki2u files are in UTF-8"
                );
                Error::unfit(output.name(), problem)
            })?;
            out.write_all(&bytes).map_err(failed())
        })?;
        out.flush().map_err(failed())?;
        Ok(exported)
    })
}

/// Games counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GamesStats {
    /// All of them.
    pub games: u64,
    /// Games that Black won.
    pub black: u64,
    /// Drawn games.
    pub draws: u64,
    /// Games that White won.
    pub white: u64,
    /// By year.
    pub years: BTreeMap<u16, u64>,
    /// By how they ended, the most frequent first; `None`: not known.
    pub endings: Vec<(Option<&'static str>, u64)>,
    /// By player, those with most games first.
    pub players: Vec<(String, u64)>,
}

/// Counts the games of a database that meet a condition.
///
/// # Errors
/// Returns [`Error::Sqlite`] if the database can't be read, and [`Error::Unfit`] if moves of a game can't be played.
pub fn stats(store: &Store, condition: &Condition) -> Result<GamesStats> {
    let mut stats = GamesStats::default();
    let (mut endings, mut players) = (BTreeMap::new(), BTreeMap::new());
    stored(store, condition, |_, game| {
        stats.games += 1;
        match game.outcome {
            Some(Outcome::Won(Colour::Black)) => stats.black += 1,
            Some(Outcome::Won(Colour::White)) => stats.white += 1,
            Some(Outcome::Drawn) => stats.draws += 1,
            None => {}
        }
        let date = game.date.as_ref();
        if let Some(year) = date.and_then(|date| date.get(..4)?.parse().ok()) {
            *stats.years.entry(year).or_default() += 1;
        }
        *endings.entry(game.end.map(End::name)).or_default() += 1;
        for player in [game.black, game.white].into_iter().flatten() {
            *players.entry(player).or_default() += 1;
        }
        Ok(())
    })?;
    stats.endings = endings.into_iter().collect();
    stats.endings.sort_by_key(|&(_, games)| Reverse(games));
    stats.players = players.into_iter().collect();
    stats.players.sort_by_key(|&(_, games)| Reverse(games));
    Ok(stats)
}

/// Calls `each` with the games that meet a condition, and their numbers.
fn stored(
    store: &Store,
    condition: &Condition,
    mut each: impl FnMut(i64, Game) -> Result<()>,
) -> Result<()> {
    let failed = || Error::sqlite(store.path(), "read");
    let connection = store.connection();
    let (on_games, values) = condition.on_games(connection).map_err(failed())?;
    let sql = format!("{GAME} AS g WHERE {on_games} ORDER BY game");
    let mut select = connection.prepare(&sql).map_err(failed())?;
    let mut rows = select.query(params_from_iter(values)).map_err(failed())?;
    while let Some(row) = rows.next().map_err(failed())? {
        let number = row.get(0).map_err(failed())?;
        let game = restore(row).map_err(|problem| unfit(store, number, problem))?;
        each(number, game)?;
    }
    Ok(())
}

fn unfit(store: &Store, number: i64, problem: impl Display) -> Error {
    let problem = format!("game {number} in table games: {problem}");
    Error::unfit(store.path(), problem)
}

/// The game of a row.
fn restore(row: &Row<'_>) -> Result<Game, Box<dyn std::error::Error>> {
    let text = |column| row.get::<_, Option<String>>(column);
    let start = match text(8)? {
        Some(start) => start.parse::<Sfen>()?.board,
        None => Board::start(),
    };
    let mut game = Game::new(start);
    for word in text(9)?.unwrap_or_default().split_ascii_whitespace() {
        let mv = word.parse::<Move>()?;
        let played = game.play(mv);
        played.ok_or_else(|| format!("{mv} isn't legal in {}", game.board()))?;
    }
    (game.date, game.event, game.site) = (text(1)?, text(2)?, text(3)?);
    (game.black, game.white) = (text(4)?, text(5)?);
    (game.black_rating, game.white_rating) = (row.get(11)?, row.get(12)?);
    let result: Option<i8> = row.get(6)?;
    game.outcome = result.map(|result| match result {
        1 => Outcome::Won(Colour::Black),
        -1 => Outcome::Won(Colour::White),
        _ => Outcome::Drawn,
    });
    game.end = text(7)?.and_then(|ending| End::named(&ending, game.outcome));
    Ok(game)
}
