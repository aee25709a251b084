//! The answers to questions about a book, from the same functions as those of the commands.

use crate::api::{
    At, BestMove, Change, ChoiceOf, Chosen, Counted, Departure, Departures, DeparturesOf, Game,
    Games, GamesOf, History, Info, Learning, Lines, Move, MoveGames, Near, NearBest, NearMove,
    NextSearch, Openings, Parent, Parents, Parsed, ParsedGame, Picture, Players, Position,
    PositionOf, Search, Side, Stage, Stats, Transposition, Transpositions, ValueCount,
    ValuedOpening, WhichGame,
};
use crate::books::Desk;
use crate::problem::Problem;
use obook::games::{self, Condition, GameId, Loss, Order, Passage, Play, list, plays, through};
use obook::plot::{self, Shape, Tree};
use obook::read::growth::{growth, last_growth};
use obook::read::line::{self, best_line, lines_in};
use obook::read::stats::Summary;
use obook::read::view::{LinkOrLeaf, MoveView, View, hex};
use obook::read::why::Explanation;
use obook::{Error, Store, StoreError};
use obook_base::sqlite::all_rows;
use obook_games::{Fault, Format, Reader, names, write_ggf};
use obook_othello::levels::{self, Effort};
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Line, MoveRule};
use rusqlite::{OptionalExtension, Row};
use serde::de::IgnoredAny;
use std::cmp::Reverse;
use std::io;

/// The longest text that is read as a line.
const LONGEST: usize = 1000;

/// Reads a line as typed.
pub(crate) fn line(text: &str) -> Result<Line, Problem> {
    if text.len() > LONGEST {
        let problem = format!("too long: expected at most {LONGEST} bytes");
        return Err(Problem::wrong(problem));
    }
    names::read_line(text).map_err(Problem::wrong)
}

impl From<obook_othello::Side> for Side {
    fn from(side: obook_othello::Side) -> Side {
        match side {
            obook_othello::Side::Black => Side::Black,
            obook_othello::Side::White => Side::White,
        }
    }
}

impl From<Side> for obook_othello::Side {
    fn from(side: Side) -> obook_othello::Side {
        match side {
            Side::Black => obook_othello::Side::Black,
            Side::White => obook_othello::Side::White,
        }
    }
}

/// A position with its moves, their games, and the best line
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/position", params(("book" = String, Path), PositionOf),
    responses((status = 200, body = Position), (status = 304, description = "unchanged"), (status = 400, body = crate::api::Failed))))]
pub(crate) fn position(desk: &Desk, asked: &PositionOf) -> Result<Position, Problem> {
    let line = line(&asked.at)?;
    let games = Condition {
        player: asked.player.clone(),
        black: asked.black.clone(),
        white: asked.white.clone(),
        ..Condition::default()
    };
    let store = desk.store();
    let board = line.board();
    let best = best_line(&desk.lookup, line.clone(), usize::MAX)?.moves;
    let view = View::beyond(store, line, &games)?;
    let passed = match view.is_in_book() {
        true => None,
        false => behind_pass(store, &view.line)?,
    };
    let engine = view.engine.or(passed.map(|leaf| leaf.engine.name()));
    Ok(Position {
        opening: names::of_line(&view.line),
        board: view.board.clone(),
        key: view.key.clone(),
        turn: view.line.side().into(),
        ply: view.ply,
        empties: view.empties,
        in_book: view.is_in_book(),
        value: view.value.or(passed.map(|leaf| -i16::from(leaf.score))),
        path_dependent: view.path_dependent,
        lower: view.lower,
        upper: view.upper,
        level: view.level.or(passed.and_then(|leaf| leaf.level)),
        engine: engine.map(str::to_owned),
        lines: view.is_in_book().then_some(Lines {
            wins: view.wins,
            draws: view.draws,
            losses: view.losses,
            all: view.lines,
        }),
        final_score: board.is_over().then(|| board.final_score()),
        grade: grade(store, board.canonical())?,
        moves: moves(store, &view, &games)?,
        best: best.into_iter().map(best_move).collect(),
        parents: line::parents(store, board.canonical())?.len(),
        line: view.line.to_string(),
    })
}

/// The leaf that a line ends with, if that is a pass: its score is the value of the position after it, for the other side.
fn behind_pass(store: &Store, line: &Line) -> Result<Option<Leaf>, Problem> {
    let Some((obook_othello::Move::Pass, before)) = line.moves().split_last() else {
        return Ok(None);
    };
    let leaf = leaf_of(store, line.prefix(before.len()).board())?;
    Ok(leaf.filter(|leaf| leaf.mv.is_some()))
}

/// The leaf of a position, with its level.
fn leaf_of(store: &Store, board: Board) -> Result<Option<Leaf>, Problem> {
    let position = store.position(board.canonical())?;
    Ok(position.and_then(|it| {
        let leaf = it.leaf?;
        let level = levels::of_leaf(leaf, it.level, it.engine);
        Some(Leaf { level, ..leaf })
    }))
}

fn best_move(mv: obook::read::line::BestMove) -> BestMove {
    BestMove {
        square: mv.mv.to_string(),
        score: mv.score,
        level: mv.level,
        kind: mv.kind,
    }
}

fn grade(store: &Store, board: CanonicalBoard) -> Result<Option<String>, Problem> {
    let sql = "SELECT grade FROM accuracy WHERE board = ?";
    let mut statement = store.connection().prepare_cached(sql)?;
    let found = statement.query_row([board.to_key()], |row| row.get(0));
    Ok(found.optional()?.flatten())
}

/// All legal moves. Of moves that the board's symmetry makes the same, the view has only one; here each gets its data.
fn moves(store: &Store, view: &View, games: &Condition) -> Result<Vec<Move>, Problem> {
    let board = view.line.board();
    let legal: Vec<obook_othello::Move> = board.moves().collect();
    let is_known = |mv| view.moves().iter().any(|known| known.mv == mv);
    let same = |mv: obook_othello::Move| {
        let twins = legal.iter().copied();
        let twins = twins.filter(move |twin| board.conventional(*twin) == mv && !is_known(*twin));
        std::iter::once(mv).chain(twins)
    };
    let mut order: Vec<(obook_othello::Move, Option<&MoveView>)> = Vec::new();
    let mut list = |mv, known| {
        if order.iter().all(|(listed, _)| *listed != mv) {
            order.push((mv, known));
        }
    };
    for known in view.moves() {
        same(known.mv).for_each(|mv| list(mv, Some(known)));
    }
    for play in view.plays() {
        same(play.mv).for_each(|mv| list(mv, None));
    }
    legal.iter().for_each(|mv| list(*mv, None));
    let describe = |(mv, known): (obook_othello::Move, Option<&MoveView>)| {
        let written = board.conventional(mv);
        let play = view.plays().iter().find(|play| play.mv == written);
        described(store, board, mv, known, play, games)
    };
    order.into_iter().map(describe).collect()
}

fn described(
    store: &Store,
    board: Board,
    mv: obook_othello::Move,
    known: Option<&MoveView>,
    play: Option<&Play>,
    games: &Condition,
) -> Result<Move, Problem> {
    let child = board.play(mv).expect("the move is legal").canonical();
    let kind = known.map(|known| known.kind);
    let (numbers, grade) = match kind {
        Some(LinkOrLeaf::Link) => (store.numbers(child)?, grade(store, child)?),
        Some(LinkOrLeaf::Leaf) | None => (None, None),
    };
    // The engine that the score is from, its level, and the board that it searched.
    let search = match kind {
        Some(LinkOrLeaf::Leaf) => leaf_of(store, board)?.map(|it| (it.engine, it.level, board)),
        Some(LinkOrLeaf::Link) | None => {
            let numbers = numbers.as_ref();
            numbers.map(|it| (it.engine, it.level, child.board()))
        }
    };
    let is_solved = |(engine, level, board): (Engine, Option<u8>, Board)| {
        level.is_some_and(|level| Effort::new(engine, level, board.empties() as u8).is_solved())
    };
    let bounds = numbers.as_ref().and_then(|child| child.bounds);
    let games = match play {
        Some(play) => {
            let after = plays(store.connection(), None, child, games)?;
            Some(MoveGames {
                mv: play.games,
                position: after.iter().map(|play| play.games).sum(),
                wins: play.wins,
                draws: play.draws,
                losses: play.losses,
                mean: play.mean,
            })
        }
        None => None,
    };
    Ok(Move {
        square: mv.to_string(),
        kind,
        score: known.and_then(|known| known.score),
        path_dependent: known.is_some_and(|known| known.path_dependent),
        lower: bounds.map(|bounds| -bounds.upper),
        upper: bounds.map(|bounds| -bounds.lower),
        level: search.and_then(|(_, level, _)| level),
        engine: search.map(|(engine, ..)| engine.name().to_owned()),
        proven: search.is_some_and(is_solved),
        child: hex(child),
        name: names::of_board(child).map(|opening| opening.name().to_owned()),
        // For the side that moved there.
        lines: numbers.as_ref().map(|child| Lines {
            wins: child.outcomes.map(|outcomes| outcomes.losses),
            draws: child.outcomes.map(|outcomes| outcomes.draws),
            losses: child.outcomes.map(|outcomes| outcomes.wins),
            all: child.lines,
        }),
        grade,
        games,
    })
}

/// A move that a rule chooses
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/choose", params(("book" = String, Path), ChoiceOf),
    responses((status = 200, body = Chosen), (status = 304, description = "unchanged"), (status = 400, body = crate::api::Failed))))]
pub(crate) fn choose(desk: &Desk, asked: &ChoiceOf) -> Result<Chosen, Problem> {
    let line = line(&asked.at)?;
    let rule: MoveRule = match &asked.rule {
        Some(rule) => rule.parse().map_err(Problem::wrong)?,
        None => MoveRule::default(),
    };
    let board = line.board();
    let position = desk.store().position(board.canonical())?;
    let chosen = position.and_then(|it| rule.choose(&it, board, asked.seed.into()));
    Ok(Chosen {
        line: line.to_string(),
        square: chosen.map(|it| it.mv.to_string()),
        score: chosen.map(|it| it.score),
        kind: chosen.map(|it| LinkOrLeaf::of(it.is_leaf)),
        chance: chosen.map(|it| it.chance),
    })
}

/// The games through a position
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/games", params(("book" = String, Path), GamesOf),
    responses((status = 200, body = Games), (status = 304, description = "unchanged"), (status = 400, body = crate::api::Failed))))]
pub(crate) fn games(desk: &Desk, asked: &GamesOf) -> Result<Games, Problem> {
    let board = line(&asked.at)?.board();
    let limit = asked.limit.unwrap_or(50).clamp(1, 500);
    let condition = Condition {
        since: asked.since,
        until: asked.until,
        player: asked.player.clone().filter(|it| !it.is_empty()),
        tournament: asked.tournament.clone().filter(|it| !it.is_empty()),
        ..Condition::default()
    };
    let before = asked.before.and_then(GameId::from_number);
    let connection = desk.store().connection();
    let games: Vec<Game> = match asked.anywhere {
        true => {
            let found = list(connection, &condition, Order::Latest, before, limit)?;
            found.into_iter().map(|game| listed(game, None)).collect()
        }
        false => {
            let key = board.canonical();
            let found = through(connection, None, key, &condition, before, limit)?;
            let found = found.into_iter().map(|passage| passage.on(board));
            let game = |it: Passage| listed(it.game, it.mv.map(|mv| mv.to_string()));
            found.map(game).collect()
        }
    };
    let last = games.last().filter(|_| games.len() == limit as usize);
    let next = last.map(|game| game.game);
    Ok(Games { next, games })
}

/// The players of the games whose names contain a text
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/players", params(("book" = String, Path), Search),
    responses((status = 200, body = Players), (status = 304, description = "unchanged"))))]
pub(crate) fn players(desk: &Desk, asked: &Search) -> Result<Players, Problem> {
    /// The most names of an answer.
    const MOST: usize = 50;
    let mut players = games::players(desk.store().connection(), None, &asked.search)?;
    players.truncate(MOST);
    Ok(Players { players })
}

/// Where a player leaves the book, as `obook repertoire`
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/departures", params(("book" = String, Path), DeparturesOf),
    responses((status = 200, body = Departures), (status = 404, body = crate::api::Failed))))]
pub(crate) fn departures(
    desk: &Desk,
    store: &Store,
    asked: &DeparturesOf,
) -> Result<Departures, Problem> {
    /// The most moves of an answer.
    const MOST: usize = 100;
    let side = asked.side.map(obook_othello::Side::from);
    let all = Condition::default();
    let mut found = games::repertoire(&desk.lookup, store, &asked.player, side, all)?;
    found
        .departures
        .sort_by_cached_key(|departure| departure.place(departure.loss.discs()));
    Ok(Departures {
        games: found.games,
        left: found.left,
        left_by_opponent: found.left_by_opponent,
        moves: found.departures.iter().take(MOST).map(departure).collect(),
    })
}

fn departure(from: &games::Departure) -> Departure {
    Departure {
        line: from.line.to_string(),
        square: from.mv.to_string(),
        loss: from.loss.discs(),
        at_least: matches!(from.loss, Loss::AtLeast(_)),
        best: from.best.map(|(mv, _)| mv.to_string()),
        games: from.games,
        mean: from.mean(),
    }
}

/// A row of a list of games, with the move that was played at the position.
fn listed(game: obook::games::Summary, square: Option<String>) -> Game {
    Game {
        game: game.id.number(),
        date: game.date,
        tournament: game.tournament,
        black: game.black,
        white: game.white,
        score: game.score,
        square,
        moves: game.moves,
    }
}

/// The number of positions that an explanation reads beside its line.
const EXPLAINED: u64 = 20_000;

/// Why a position has its value, as `obook why --json`
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/why", params(("book" = String, Path), At),
    responses((status = 200, body = crate::api::described::Why), (status = 304, description = "unchanged"), (status = 400, body = crate::api::Failed),
        (status = 404, body = crate::api::Failed))))]
pub(crate) fn why(desk: &Desk, asked: &At) -> Result<Explanation, Problem> {
    let line = line(&asked.at)?;
    let header = desk.store().header()?;
    let explained = Explanation::of(&desk.lookup, &header, line, EXPLAINED);
    explained.map_err(|error| match error {
        Error::Store(StoreError::NoValue { problem, .. } | StoreError::Unfixed { problem, .. }) => {
            Problem::wrong(problem)
        }
        other => not_in_book(other),
    })
}

/// The problem if a position isn't in the book.
fn not_in_book(error: Error) -> Problem {
    match error {
        Error::Store(StoreError::Unfit { problem, .. }) => Problem::missing(problem),
        other => other.into(),
    }
}

/// The positions from which the book leads to a position
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/parents", params(("book" = String, Path), At),
    responses((status = 200, body = Parents), (status = 304, description = "unchanged"), (status = 400, body = crate::api::Failed))))]
pub(crate) fn parents(desk: &Desk, asked: &At) -> Result<Parents, Problem> {
    let store = desk.store();
    let child = line(&asked.at)?.board().canonical();
    let boards = line::parents(store, child)?;
    let lines = lines_in(store, &boards)?;
    let mut found = Vec::new();
    for (board, line) in boards.into_iter().zip(lines) {
        found.push(Parent {
            line: line.and_then(|line| through_to(line, child)),
            key: hex(board),
            value: store.numbers(board)?.and_then(|numbers| numbers.value),
            opening: names::of_board(board),
        });
    }
    found.sort_by_key(|parent| Reverse(parent.value));
    Ok(Parents { parents: found })
}

/// The moves to positions of the book, each with the number of positions from which the book leads there
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/transpositions", params(("book" = String, Path), At),
    responses((status = 200, body = Transpositions), (status = 304, description = "unchanged"), (status = 400, body = crate::api::Failed))))]
pub(crate) fn transpositions(desk: &Desk, asked: &At) -> Result<Transpositions, Problem> {
    let store = desk.store();
    let board = line(&asked.at)?.board();
    let known = store.position(board.canonical())?;
    let links = known.iter().flat_map(|position| &position.links);
    let children = links.filter_map(|link| board.canonical().child(link.mv));
    let children: Vec<CanonicalBoard> = children.collect();
    let mut moves = Vec::new();
    for (mv, child) in board.children() {
        let child = child.canonical();
        if children.contains(&child) {
            moves.push(Transposition {
                square: mv.to_string(),
                parents: line::parents(store, child)?.len(),
            });
        }
    }
    Ok(Transpositions { moves })
}

/// The line with the move that leads to the child.
fn through_to(mut line: Line, child: CanonicalBoard) -> Option<String> {
    let board = line.board();
    line.push(board.move_to(child)?).ok()?;
    Some(line.to_string())
}

/// `…/parse`
pub(crate) fn parsed(text: &str) -> Result<Parsed, Problem> {
    let (line, game) = match line(linked(text).as_deref().unwrap_or(text)) {
        Ok(line) => (line, None),
        Err(problem) => {
            let found = first_game(text);
            let (line, game) = found.ok_or_else(|| about_link(text).unwrap_or(problem))?;
            (line, Some(game))
        }
    };
    Ok(line_read(&line, game))
}

/// The longest record that goes with a game: it comes back in an address.
const RECORD: usize = 16 << 10;

/// The moves of the first game in a text of any format, and who played it.
fn first_game(text: &str) -> Option<(Line, ParsedGame)> {
    let records = io::Cursor::new(text.as_bytes().to_vec());
    let reader = Reader::new(records, None, None).ok()?;
    let has_head = reader.format() != Format::Transcript;
    let mut games = reader.map_while(Result::ok);
    // Bare moves that aren't legal are no game, nor is a result alone.
    let first = games.next().filter(|entry| {
        let begins = || *entry.game.line() != Line::new();
        has_head || begins() && !entry.faults.iter().any(Fault::stops)
    });
    let game = first?.game;
    Some((game.line().clone(), head(&game, 1 + games.count())))
}

/// Players, event, date and result of a game, and its record.
fn head(game: &obook_games::Game, of: usize) -> ParsedGame {
    ParsedGame {
        record: Some(write_ggf(game) + "\n").filter(|record| record.len() <= RECORD),
        black: game.black.name.clone(),
        white: game.white.name.clone(),
        tournament: game.tournament.clone(),
        date: Some(game.date.to_string()).filter(|date| !date.is_empty()),
        score: game.score.map(|score| score.get()),
        of,
    }
}

/// A game of the book
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/game", params(("book" = String, Path), WhichGame),
    responses((status = 200, body = Parsed), (status = 304, description = "unchanged"), (status = 404, body = crate::api::Failed))))]
pub(crate) fn game(desk: &Desk, asked: &WhichGame) -> Result<Parsed, Problem> {
    let id = GameId::from_number(asked.number);
    let found = id.map(|id| games::game(desk.store(), id)).transpose()?;
    let missing = || Problem::missing(format!("there is no game {}", asked.number));
    let game = found.flatten().ok_or_else(missing)?;
    Ok(line_read(game.line(), Some(head(&game, 1))))
}

/// A line as an answer.
fn line_read(line: &Line, game: Option<ParsedGame>) -> Parsed {
    Parsed {
        board: line.board().to_text_for(line.side()),
        opening: names::of_line(line),
        line: line.to_string(),
        game,
    }
}

/// The moves in a link, such as one of this page or of eOthello, after the board of one that doesn't begin at the start position.
fn linked(text: &str) -> Option<String> {
    let (_, place) = text.trim().split_once("://")?.1.split_once('#')?;
    let (path, query) = place.split_once('?').unwrap_or((place, ""));
    let board = query.split('&').find_map(|part| part.strip_prefix("b="));
    let moves = path.rsplit('/').next()?;
    let line = format!("{} {moves}", board.unwrap_or_default());
    Some(line.trim().to_owned())
}

/// The problem with a link without moves, such as one of PlayOK, which has the number of a game.
fn about_link(text: &str) -> Option<Problem> {
    let (scheme, _) = text.trim().split_once("://")?;
    matches!(scheme, "http" | "https").then(|| {
        Problem::wrong("this link has no moves, and nothing is loaded from elsewhere: open it, and paste the text of the game")
    })
}

/// Openings by name, with their values
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/openings", params(("book" = String, Path), Search),
    responses((status = 200, body = Openings), (status = 304, description = "unchanged"))))]
pub(crate) fn openings(desk: &Desk, asked: &Search) -> Result<Openings, Problem> {
    let valued = |opening: &'static names::Opening| {
        let numbers = desk.store().numbers(opening.line.board().canonical())?;
        let value = numbers.and_then(|numbers| numbers.value);
        Ok(ValuedOpening { opening, value })
    };
    let openings = names::matching(&asked.search).map(valued);
    let openings = openings.collect::<Result<_, Problem>>()?;
    Ok(Openings { openings })
}

/// `…/info`
pub(crate) fn info(desk: &Desk, file: String) -> Result<Info, Problem> {
    let store = desk.store();
    let count = |table: &str| -> Result<u64, Problem> {
        let sql = format!("SELECT count(*) FROM {table}");
        let count: i64 = store.connection().query_row(&sql, [], |row| row.get(0))?;
        Ok(count.unsigned_abs())
    };
    let about = store.header()?;
    let counts = store.counts()?;
    let root = store.numbers(Board::START.canonical())?;
    let level = |(level, positions)| Counted { level, positions };
    Ok(Info {
        file,
        rules: about.rules.to_string(),
        written: about.header.date.map(|date| date.to_string()),
        level: about.header.level,
        positions: counts.rows().positions,
        links: counts.rows().links,
        leaves: counts.rows().leaves,
        games: count("games")?,
        waiting: count("todo")?,
        tasks: count("tasks")?,
        root: root.and_then(|numbers| numbers.value),
        levels: counts.levels().map(level).collect(),
        next: next(store)?,
        learning: learning(store)?,
    })
}

/// The run that `obook learn` would continue.
fn learning(store: &Store) -> Result<Option<Learning>, Problem> {
    let status = obook_learn::status(store)?;
    if status.outdated || status.stage.is_none() {
        return Ok(None);
    }
    let sql = "SELECT learning.change, learning.stage + 1, learning.searches, seconds, root,
                   (SELECT 60.0 * (max(searches) - min(searches)) / nullif(max(seconds) - min(seconds), 0)
                    FROM (SELECT seconds, searches FROM learned AS late
                          WHERE late.change = learning.change AND late.stage = learned.stage
                          ORDER BY number DESC LIMIT 10))
               FROM learning LEFT JOIN learned ON learned.change = learning.change
               ORDER BY number DESC LIMIT 1";
    let found = store.connection().query_row(sql, [], |row| {
        Ok(Learning {
            change: row.get(0)?,
            stage: row.get(1)?,
            searches: row.get(2)?,
            seconds: row.get(3)?,
            root: row.get(4)?,
            rate: row.get(5)?,
        })
    });
    Ok(found.optional()?)
}

/// The searches that come first: those of the queue, then leaves that the book lacks.
fn next(store: &Store) -> Result<Vec<NextSearch>, Problem> {
    let sql = "SELECT board, kind, level, leased FROM (
                   SELECT board, kind, level, engine IS NULL AS asked, priority,
                       coalesce(leased > strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), 0) AS leased
                   FROM tasks WHERE without IS NOT NULL
                   UNION ALL SELECT board, 'leaf', level, 0, NULL, 0 FROM todo
                   WHERE NOT EXISTS (SELECT * FROM tasks WHERE tasks.board = todo.board))
               WHERE length(board) = 16 AND (level IS NULL OR level BETWEEN 0 AND 255)
               ORDER BY leased DESC, asked DESC, priority DESC NULLS LAST, board LIMIT 12";
    let read = |row: &Row<'_>| {
        let search = NextSearch {
            line: String::new(),
            kind: row.get(1)?,
            level: row.get(2)?,
            leased: row.get(3)?,
        };
        Ok((row.get(0)?, search))
    };
    let rows: Vec<([u8; 16], NextSearch)> = all_rows(store.connection(), sql, [], read)?;
    let known = rows
        .into_iter()
        .filter_map(|(key, search)| Some((CanonicalBoard::from_key(key).ok()??, search)));
    let (boards, mut searches): (Vec<CanonicalBoard>, Vec<NextSearch>) = known.unzip();
    let lines = lines_in(store, &boards)?;
    for ((search, line), board) in searches.iter_mut().zip(lines).zip(boards) {
        let line = match line {
            Some(line) => Some(line.to_string()),
            None => line_out_of_the_book(store, board)?,
        };
        let as_board = || board.board().to_text_for(obook_othello::Side::Black);
        search.line = line.unwrap_or_else(as_board);
    }
    Ok(searches)
}

/// A line to a position that the book lacks, through one that it has.
fn line_out_of_the_book(store: &Store, board: CanonicalBoard) -> Result<Option<String>, Problem> {
    for (_, parent) in board.board().parents() {
        let parent = parent.canonical();
        if store.numbers(parent)?.is_none() {
            continue;
        }
        let line = lines_in(store, &[parent])?.pop().flatten();
        if let Some(line) = line.and_then(|line| through_to(line, board)) {
            return Ok(Some(line));
        }
    }
    Ok(None)
}

/// Positions by empty squares and by value
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/stats", params(("book" = String, Path)),
    responses((status = 200, body = Stats), (status = 304, description = "unchanged"))))]
pub(crate) fn stats(desk: &Desk, _: &IgnoredAny) -> Result<Stats, Problem> {
    let mut summary = Summary::default();
    for position in desk.store().positions()? {
        summary.add(&position?);
        if summary.positions.is_multiple_of(1000) && desk.is_over() {
            return Err(Problem::late());
        }
    }
    let stage = |(empties, stage): (u32, obook::read::stats::Stage)| Stage {
        empties,
        positions: stage.positions,
        links: stage.links,
        leaves: stage.leaves,
        terminal: stage.terminal,
    };
    let value = |(value, positions)| ValueCount { value, positions };
    Ok(Stats {
        stages: summary.stages.into_iter().map(stage).collect(),
        values: summary.values.into_iter().map(value).collect(),
    })
}

/// The changes that were made to the book
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/history", params(("book" = String, Path)),
    responses((status = 200, body = History), (status = 304, description = "unchanged"))))]
pub(crate) fn history(desk: &Desk, _: &IgnoredAny) -> Result<History, Problem> {
    let change = |change: obook::PastChange| Change {
        id: change.id,
        command: change.command,
        time: change.time,
        undone: change.undone,
        log: change.log,
        counts: change.counts,
    };
    let changes = desk.store().history()?;
    let changes = changes.into_iter().rev().map(change).collect();
    Ok(History { changes })
}

/// The leaves nearest to best play
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/frontier", params(("book" = String, Path), Near),
    responses((status = 200, body = NearBest), (status = 304, description = "unchanged"), (status = 400, body = crate::api::Failed))))]
pub(crate) fn frontier(desk: &Desk, asked: &Near) -> Result<NearBest, Problem> {
    near_best(desk, FRONTIER, asked, |_| true)
}

/// The most costly moves near best play
#[cfg_attr(test, utoipa::path(get, path = "/api/{book}/worst", params(("book" = String, Path), Near),
    responses((status = 200, body = NearBest), (status = 304, description = "unchanged"), (status = 400, body = crate::api::Failed))))]
pub(crate) fn worst(desk: &Desk, asked: &Near) -> Result<NearBest, Problem> {
    near_best(desk, WORST, asked, |_| true)
}

/// The SQL of [`frontier`].
pub(crate) const FRONTIER: &str =
    "SELECT ply, line, square, 'leaf', score, NULL, loss, level FROM frontier(?, ?)";
/// The SQL of [`worst`].
pub(crate) const WORST: &str =
    "SELECT ply, line, square, kind, score, cost, loss, level FROM worst(?, ?)";

/// The first of these moves that `is_shown` accepts.
pub(crate) fn near_best(
    desk: &Desk,
    sql: &str,
    asked: &Near,
    is_shown: impl Fn(&NearMove) -> bool,
) -> Result<NearBest, Problem> {
    let root = line(asked.at.as_deref().unwrap_or_default())?;
    let limit = asked.limit.unwrap_or(20).min(200);
    let given = (root.to_string(), asked.loss.unwrap_or(2));
    let mut select = desk.store().connection().prepare(sql)?;
    let moves = select.query_map(given, |row| {
        Ok(NearMove {
            ply: row.get(0)?,
            line: row.get(1)?,
            square: row.get(2)?,
            kind: row.get(3)?,
            score: row.get(4)?,
            cost: row.get(5)?,
            loss: row.get(6)?,
            level: row.get(7)?,
        })
    })?;
    let shown = moves.filter(|mv| mv.as_ref().map_or(true, &is_shown));
    let moves: rusqlite::Result<_> = shown.take(limit as usize).collect();
    Ok(NearBest { moves: moves? })
}

/// The tree that a picture shows.
pub(crate) const TREE: Shape = Shape {
    depth: 8,
    loss: 1,
    most: 20,
};

/// The picture of the good lines from a position.
pub(crate) fn tree(desk: &Desk, at: &str, shape: &Shape) -> Result<String, Problem> {
    let tree = Tree::new(&desk.lookup, line(at)?, shape);
    Ok(tree.map_err(not_in_book)?.to_svg())
}

/// `…/plot/{kind}.svg`
pub(crate) fn plot(desk: &Desk, kind: &str, asked: &Picture) -> Result<String, Problem> {
    let store = desk.store();
    match kind {
        "empties.svg" => Ok(plot::positions_by_empties(store)?.to_svg()),
        "scores.svg" => Ok(plot::positions_by_score(store)?.to_svg()),
        "tree.svg" => tree(desk, &asked.at, &TREE),
        "growth.svg" => {
            let change = match asked.change {
                Some(change) => Some(change),
                None => last_growth(store)?,
            };
            let growth = change.map(|change| growth(store, change)).transpose()?;
            let chart = growth.flatten().and_then(|growth| growth.chart());
            let chart = chart.ok_or_else(|| Problem::missing("nothing was learned"))?;
            Ok(chart.to_svg())
        }
        _ => Err(Problem::missing(
            "expected empties.svg, scores.svg, tree.svg or growth.svg",
        )),
    }
}
