//! A position as shown to the user: moves in the orientation of the given line, best first, and how games went on from it.

use crate::games::{Condition, Play, plays};
use crate::read::lookup::{left_the_book, positions_on};
use crate::{Book, Result, Store};
use obook_games::names::{self, Opening};
use obook_graph::loops::on_path;
use obook_graph::negamax::MOST_LINES;
use obook_othello::{Board, CanonicalBoard, Engine, Forecast, Line, Move, Position, Proof, Side};
#[doc(inline)]
pub use obook_sql::functions::Target as LinkOrLeaf;
#[doc(hidden)]
pub use obook_sql::rows::json::{as_text, or_null};
use serde::Serialize;
use std::fmt;

/// A move in the orientation of the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct MoveView {
    /// The move.
    #[serde(rename = "move", serialize_with = "as_text")]
    pub mv: Move,
    /// The score for the side to move, in discs, if the book knows it.
    pub score: Option<i8>,
    /// Whether it stays in the book.
    pub kind: LinkOrLeaf,
    /// Whether the score holds only after the line shown: see [`loops`](obook_graph::loops).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub path_dependent: bool,
}

impl MoveView {
    /// The sort order: best first; of equal moves, links before the leaf, then by their [place](Board::place_of).
    fn order(&self, board: Board) -> impl Ord + use<> {
        let place = board.place_of(self.mv);
        (std::cmp::Reverse(self.score), self.kind, place)
    }
}

/// The proven bounds of the value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ProofView {
    /// The side to move can get at least this.
    pub lower: i8,
    /// The other side can hold it to this.
    pub upper: i8,
    /// The engine or author of the proof.
    pub prover: &'static str,
    #[serde(skip)]
    text: String,
}

impl ProofView {
    fn new(proof: Proof) -> ProofView {
        ProofView {
            lower: proof.lower(),
            upper: proof.upper(),
            prover: proof.prover().name(),
            text: proof.to_string(),
        }
    }
}

/// The final score that a program expects.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct ForecastView {
    /// The mean.
    pub expected: f64,
    /// The standard deviation.
    pub spread: f64,
    /// The number of positions visited to find this.
    pub visited: f64,
    /// The possible scores, lowest first.
    pub chances: Vec<ChanceView>,
}

/// A final score and its probability.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct ChanceView {
    /// The score for the side to move.
    pub score: i8,
    /// The probability.
    pub probability: f64,
}

impl ForecastView {
    fn new(forecast: &Forecast) -> ForecastView {
        let chances = forecast.chances();
        let chances = chances.map(|(score, probability)| ChanceView { score, probability });
        ForecastView {
            expected: forecast.expected,
            spread: forecast.spread,
            visited: forecast.visited,
            chances: chances.collect(),
        }
    }

    /// A row for each score, with a bar as long as it is probable. Those that round to nothing are left out.
    fn write(&self, f: &mut impl fmt::Write) -> fmt::Result {
        const BAR: f64 = 24.0;
        // Adding zero makes -0 a plain one.
        let expected = (self.expected * 100.0).round() / 100.0 + 0.0;
        writeln!(
            f,
            "Expected: {expected:+.2} ± {:.2} ({:.1e} positions visited)",
            self.spread, self.visited
        )?;
        for ChanceView { score, probability } in &self.chances {
            let percent = (probability * 100.0).round();
            if percent >= 1.0 {
                let bar = "█".repeat((probability.min(1.0) * BAR).round() as usize);
                let row = format!("{score:+10} {percent:3} % {bar}");
                writeln!(f, "{}", row.trim_end())?;
            }
        }
        Ok(())
    }
}

/// The position at the end of a line.
///
/// Its [`Display`](fmt::Display) has the layout of Edax's `book show`: links in square brackets, the leaf in angle
/// brackets, Black's moves in capitals. If games went through the position, each move has a row with their results. The precision
/// is the maximum number of columns: `{view:.40}` fits a narrow terminal.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct View {
    /// The moves to the position.
    #[serde(serialize_with = "as_text")]
    pub line: Line,
    /// The opening of the line.
    pub opening: Option<&'static Opening>,
    /// 64 squares and the side to move, in the orientation of the line.
    pub board: String,
    /// The database key.
    pub key: String,
    /// The side to move.
    pub side: &'static str,
    /// Discs placed since the start position. (Edax's own display counts one more.)
    pub ply: usize,
    /// The number of empty squares.
    pub empties: u32,
    /// The value for the side to move, in discs.
    pub value: Option<i16>,
    /// Whether the value holds only after this line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub path_dependent: bool,
    /// The stored value, if it differs on this line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_value: Option<i16>,
    /// The lower bound of the value.
    pub lower: Option<i16>,
    /// The upper bound of the value.
    pub upper: Option<i16>,
    /// The proven bounds of the value.
    #[serde(rename = "proven", skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofView>,
    /// The final score that Othello Sensei expects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forecast: Option<ForecastView>,
    /// The level of the search.
    pub level: Option<u8>,
    /// The engine that searched it; `None` if the book lacks the position.
    pub engine: Option<&'static str>,
    /// Lines won by the side to move.
    pub wins: Option<u32>,
    /// Drawn lines.
    pub draws: Option<u32>,
    /// Lost lines.
    pub losses: Option<u32>,
    /// All lines below the position.
    pub lines: Option<u32>,
    /// Score of a finished game.
    pub final_score: Option<i8>,
    /// Links and leaf, best first. Of equal moves, links come first, then in the order of [`Board::place_of`].
    moves: Vec<MoveView>,
    /// The moves of games, most played first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    plays: Vec<Play>,
}

impl View {
    /// Looks up the position at the end of a line and marks scores that depend on the line.
    ///
    /// ```
    /// use obook::{Context, Book, read::view::View};
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/games.dat");
    /// let view = View::of(&Book::open(path, &Context::default())?, "f5d6c5".parse()?)?;
    /// assert_eq!(view.moves()[0].mv.to_string(), "b4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if the book can't be read, or if it ends before the line does (the error says where).
    pub fn of(book: &Book, line: Line) -> Result<View> {
        // The positions on the way are needed for the error.
        let way: Vec<CanonicalBoard> = positions_on(&line).collect();
        let mut found = book.find(&way)?;
        let Some(position) = found.remove(&line.board().canonical()) else {
            let known = way.iter().take_while(|board| found.contains_key(board));
            return Err(left_the_book(book.path(), &line, known.count()));
        };
        match book {
            Book::Database(store) => View::stored(store, line, &position),
            Book::File(_) => Ok(View::new(line, &position)),
        }
    }

    /// Like [`View::of`], and with the moves of the games beside the book. If games went through a position that the book
    /// lacks, it shows these alone.
    ///
    /// # Errors
    /// As [`View::of`].
    pub fn with_games(book: &Book, line: Line) -> Result<View> {
        match book {
            Book::Database(store) => {
                let view = View::beyond(store, line, &Condition::default())?;
                match view.is_in_book() || !view.plays.is_empty() {
                    true => Ok(view),
                    // The error says where the line leaves the book.
                    false => View::of(book, view.line),
                }
            }
            Book::File(_) => View::of(book, line),
        }
    }

    /// Like [`View::with_games`], but of any position, and with the games that meet a condition: if neither the book nor they have it,
    /// the view has only the board and the line.
    ///
    /// # Errors
    /// Returns an error if the database can't be read.
    pub fn beyond(store: &Store, line: Line, games: &Condition) -> Result<View> {
        let board = line.board();
        let plays = store.read(|it| plays(it, None, board.canonical(), games))?;
        let view = match store.position(board.canonical())? {
            Some(position) => View::stored(store, line, &position)?,
            None => View::showing(line, None),
        };
        let plays = plays.into_iter().map(|play| play.on(board)).collect();
        Ok(View { plays, ..view })
    }

    /// The view of a database's position, with the scores that hold only on this line.
    fn stored(store: &Store, line: Line, position: &Position) -> Result<View> {
        let came_by_pass = line.moves().last() == Some(&Move::Pass);
        let mut view = View::new(line, position);
        let forecast = store.forecast(position.board)?;
        view.forecast = forecast.as_ref().map(ForecastView::new);
        let find = |board| store.position(board);
        let on_path = on_path(find, position, came_by_pass, || store.repetition())?;
        if let Some(value) = on_path.value {
            view.own_value = view.value;
            view.value = Some(value.into());
            view.path_dependent = true;
        }
        if let Some(score) = on_path.pass {
            let is_pass = |mv: &&mut MoveView| mv.mv == Move::Pass && mv.kind == LinkOrLeaf::Link;
            for mv in view.moves.iter_mut().filter(is_pass) {
                mv.score = Some(score);
                mv.path_dependent = true;
            }
            let board = view.line.board();
            view.moves.sort_by_key(|mv| mv.order(board));
        }
        Ok(view)
    }

    /// Turns a book's position into the orientation of `line`, which leads to it.
    ///
    /// # Panics
    /// Panics if `position` is not the one at the end of `line`.
    #[must_use]
    pub fn new(line: Line, position: &Position) -> View {
        View::showing(line, Some(position))
    }

    /// The view of a position, or of one about which the book says nothing.
    fn showing(line: Line, position: Option<&Position>) -> View {
        let board = line.board();
        let engine = position.map(|position| position.engine.name());
        let empty = || Position::new(board.canonical(), Engine::Obook);
        let position = position.cloned().unwrap_or_else(empty).on(board);
        let moves = position.known_moves();
        let moves = moves.map(|(mv, score, is_leaf)| MoveView {
            mv,
            score,
            kind: LinkOrLeaf::of(is_leaf),
            path_dependent: false,
        });
        let mut moves: Vec<MoveView> = moves.collect();
        // Some books have all moves that the board's symmetry makes the same, others one of them.
        for at in 0..moves.len() {
            let written = board.conventional(moves[at].mv);
            if moves.iter().all(|mv| mv.mv != written) {
                moves[at].mv = written;
            }
        }
        moves.sort_by_key(|mv| mv.order(board));
        let (bounds, outcomes) = (position.bounds, position.outcomes);
        View {
            opening: names::of_line(&line),
            board: board.to_text_for(line.side()),
            key: hex(board.canonical()),
            side: line.side().name(),
            ply: line.ply(),
            empties: board.empties(),
            value: position.value,
            path_dependent: false,
            own_value: None,
            lower: bounds.map(|bounds| bounds.lower),
            upper: bounds.map(|bounds| bounds.upper),
            proof: position.proof.map(ProofView::new),
            forecast: None,
            level: position.level,
            engine,
            wins: outcomes.map(|outcomes| outcomes.wins),
            draws: outcomes.map(|outcomes| outcomes.draws),
            losses: outcomes.map(|outcomes| outcomes.losses),
            lines: position.lines,
            final_score: (position.leaf.filter(|leaf| leaf.mv.is_none())).map(|leaf| leaf.score),
            moves,
            plays: Vec::new(),
            line,
        }
    }

    /// Whether the book has the position.
    #[must_use]
    pub fn is_in_book(&self) -> bool {
        self.engine.is_some()
    }

    /// Links and leaf, best first.
    #[must_use]
    pub fn moves(&self) -> &[MoveView] {
        &self.moves
    }

    /// The moves of games, most played first.
    #[must_use]
    pub fn plays(&self) -> &[Play] {
        &self.plays
    }
}

/// The database key of a board as users see it: 32 hexadecimal digits.
pub fn hex(board: CanonicalBoard) -> String {
    obook_base::hex(&board.to_key())
}

/// The width of a diagram with remarks beside it.
const DIAGRAM: usize = 49;

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = f.precision().unwrap_or(usize::MAX);
        self.write_diagram(f, columns)?;
        let mut text = String::new();
        self.write_numbers(&mut text)?;
        if self.final_score.is_none() {
            match self.plays[..] {
                [] => {
                    let moves = self.moves.iter().map(|mv| format!(" {}", self.scored(mv)));
                    text += &format!("Moves:{}\n", moves.collect::<String>());
                }
                _ => self.write_moves_and_plays(&mut text)?,
            }
        }
        if self.path_dependent || self.moves.iter().any(|mv| mv.path_dependent) {
            text.push_str("~ holds only after this line: a pass leads back to a position on it.\n");
        }
        self.write_lines(&mut text)?;
        text.lines().try_for_each(|line| wrap(f, line, columns))
    }
}

impl View {
    /// The diagram with Edax's remarks beside it, or below it if there is no room: the side to move, discs and mobility of both
    /// sides, empties and ply.
    fn write_diagram(&self, f: &mut fmt::Formatter<'_>, columns: usize) -> fmt::Result {
        let (board, side) = (self.line.board(), self.line.side());
        let (mine, theirs) = match side {
            Side::Black => ('*', 'O'),
            Side::White => ('O', '*'),
        };
        let mobility = |side: char, discs: u64, moves: usize| {
            let discs = discs.count_ones();
            format!("{side}: discs = {discs:2}    moves = {moves:2}")
        };
        let (discs, moves) = (board.opponent(), board.passed().legal_moves().len());
        let progress = format!(" empties = {:2}      ply = {:2}", self.empties, self.ply);
        let remarks = [
            (2, format!("{mine} to move")),
            (4, mobility(mine, board.player(), board.legal_moves().len())),
            (5, mobility(theirs, discs, moves)),
            (6, progress),
        ];
        let diagram = board.diagram_for(side).to_string();
        let mut rows: Vec<String> = diagram.lines().map(str::to_owned).collect();
        for (row, remark) in remarks {
            match DIAGRAM <= columns {
                true => rows[row] = format!("{} {remark}", rows[row]),
                false => rows.push(remark.trim_start().to_owned()),
            }
        }
        rows.iter().try_for_each(|row| writeln!(f, "{row}"))?;
        writeln!(f)
    }

    fn write_numbers(&self, f: &mut impl fmt::Write) -> fmt::Result {
        if let Some(opening) = self.opening {
            writeln!(f, "Opening: {opening}")?;
        }
        if self.engine.is_none() {
            return writeln!(f, "Not in the book.");
        }
        if let Some(level) = self.level {
            writeln!(f, "Level: {level}")?;
        }
        let tilde = if self.path_dependent { "~" } else { "" };
        match (self.value, self.lower, self.upper) {
            (Some(value), Some(lower), Some(upper)) => {
                writeln!(f, "Best score: {value:+}{tilde} [{lower:+}, {upper:+}]")?;
            }
            (Some(value), ..) => writeln!(f, "Best score: {value:+}{tilde}")?,
            (None, ..) => writeln!(f, "Best score: unknown")?,
        }
        if let Some(proof) = &self.proof {
            writeln!(f, "Proven: {}", proof.text)?;
        }
        if let Some(forecast) = &self.forecast {
            forecast.write(f)?;
        }
        match self.final_score {
            Some(score) => writeln!(f, "The game is over: {score:+}"),
            None => Ok(()),
        }
    }

    /// The move in brackets with its score.
    fn scored(&self, mv: &MoveView) -> String {
        let (name, score) = (self.name(mv.mv), mv.score);
        let score = score.map_or_else(|| String::from("?"), |score| format!("{score:+}"));
        let tilde = if mv.path_dependent { "~" } else { "" };
        match mv.kind {
            LinkOrLeaf::Link => format!("[{name}:{score}{tilde}]"),
            LinkOrLeaf::Leaf => format!("<{name}:{score}{tilde}>"),
        }
    }

    /// The move, in capitals if it is Black's.
    fn name(&self, mv: Move) -> String {
        match self.line.side() {
            Side::Black => mv.to_string().to_uppercase(),
            Side::White => mv.to_string(),
        }
    }

    /// A row for each move of the book, then for each other move of games, then their sum.
    fn write_moves_and_plays(&self, f: &mut impl fmt::Write) -> fmt::Result {
        writeln!(f, "move       games   won drawn  lost  mean")?;
        let board = self.line.board();
        let play = |mv: Move| {
            let play = self.plays.iter().find(|play| play.mv == mv);
            play.map_or(&[][..], std::slice::from_ref)
        };
        // Moves that the board's symmetry makes the same have the same games.
        let distinct = |mv: &&MoveView| board.conventional(mv.mv) == mv.mv;
        for mv in self.moves.iter().filter(distinct) {
            write_plays(f, &self.scored(mv), play(mv.mv))?;
        }
        let is_in_book = |play: &&Play| self.moves.iter().any(|mv| mv.mv == play.mv);
        for play in self.plays.iter().filter(|play| !is_in_book(play)) {
            let title = format!(" {}", self.name(play.mv));
            write_plays(f, &title, std::slice::from_ref(play))?;
        }
        if self.plays.len() > 1 {
            write_plays(f, "all", &self.plays)?;
        }
        Ok(())
    }

    fn write_lines(&self, f: &mut impl fmt::Write) -> fmt::Result {
        let Some(lines) = self.lines else {
            return Ok(());
        };
        let (Some(wins), Some(draws), Some(losses)) = (self.wins, self.draws, self.losses) else {
            let at_least = at_least(lines >= MOST_LINES);
            return writeln!(f, "Lines: {at_least}{lines}");
        };
        let full = u64::from(wins) + u64::from(draws) + u64::from(losses);
        if [wins, draws, losses].contains(&u32::MAX) {
            // A count that is too small makes the shares wrong.
            writeln!(f, "Lines: at least {full} full games")?;
        } else if full > 0 {
            let percent = |count: u32| f64::from(count) * 100.0 / full as f64;
            let [win, draw, loss] = [wins, draws, losses].map(percent);
            writeln!(
                f,
                "Lines: {full} full games with {win:.2}% win, {draw:.2}% draw, {loss:.2}% loss"
            )?;
        }
        // Outcomes saturate separately, so their sum may exceed the lines.
        let incomplete = u64::from(lines).saturating_sub(full);
        if incomplete > 0 {
            let at_least = at_least(lines == u32::MAX);
            writeln!(f, "       {at_least}{incomplete} incomplete lines.")?;
        }
        Ok(())
    }
}

/// Writes a row with the games of these plays together.
fn write_plays(f: &mut impl fmt::Write, title: &str, plays: &[Play]) -> fmt::Result {
    if plays.is_empty() {
        return writeln!(f, "{title}");
    }
    let sum = |of: fn(&Play) -> u64| plays.iter().map(of).sum::<u64>();
    let games = sum(|play| play.games);
    let percent = |count: u64| count as f64 * 100.0 / games as f64;
    fn decided(play: &Play) -> u64 {
        play.wins + play.draws + play.losses
    }
    let discs = |play: &Play| Some(play.mean? * decided(play) as f64);
    let mean = match sum(decided) {
        0 => String::new(),
        decided => {
            let discs: f64 = plays.iter().filter_map(discs).sum();
            // Adding zero makes -0 a plain one.
            let mean = (discs * 10.0 / decided as f64).round() / 10.0 + 0.0;
            format!("{mean:+.1}")
        }
    };
    let row = format!(
        "{title:8} {games:>7} {:4.0}% {:4.0}% {:4.0}% {mean:>5}",
        percent(sum(|play| play.wins)),
        percent(sum(|play| play.draws)),
        percent(sum(|play| play.losses)),
    );
    writeln!(f, "{}", row.trim_end())
}

/// Writes a line, broken between words if it is too long.
fn wrap(f: &mut fmt::Formatter<'_>, line: &str, columns: usize) -> fmt::Result {
    const BREAK: &str = "\n       ";
    if line.chars().count() <= columns {
        return writeln!(f, "{line}");
    }
    let mut width = 0;
    for word in line.split_whitespace() {
        let length = word.chars().count();
        let (gap, start) = match width {
            0 => ("", 0),
            _ if width + 1 + length > columns => (BREAK, BREAK.len() - 1),
            _ => (" ", width + 1),
        };
        write!(f, "{gap}{word}")?;
        width = start + length;
    }
    writeln!(f)
}

/// The prefix of a count that may have reached its maximum.
fn at_least(saturated: bool) -> &'static str {
    if saturated { "at least " } else { "" }
}
