//! A position as its reader sees it: moves in the orientation of the line that was typed, best first.

use crate::read::lookup::{left_the_book, positions_on};
use crate::{Book, Result};
use obook_games::names;
use obook_games::names::Opening;
use obook_graph::loops::{OnPath, on_path};
use obook_graph::negamax::MOST_LINES;
use obook_model::Position;
use obook_othello::{CanonicalBoard, Line, Move, Side};
use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use std::fmt;

/// One move of a position, in the reader's orientation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct MoveView {
    /// The move.
    #[serde(rename = "move", serialize_with = "as_text")]
    pub mv: Move,
    /// Its score for the side to move, in discs, where the book knows it.
    pub score: Option<i8>,
    /// Where it leads.
    pub kind: Kind,
    /// Whether the score holds only for those who came by the line shown: see [`loops`](obook_graph::loops).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub path_dependent: bool,
}

impl MoveView {
    /// Best first; of equal ones links before the leaf, then in the order of their squares.
    fn order(&self) -> impl Ord + use<> {
        (std::cmp::Reverse(self.score), self.kind, self.mv)
    }
}

/// Whether a move stays in the book.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// To a position of the book.
    Link,
    /// Out of the book: the best move that does.
    Leaf,
}

/// The position at the end of a line, as the book has it.
///
/// Its [`Display`](fmt::Display) is laid out as Edax's `book show`: links in square brackets, the leaf in pointed
/// ones, Black's moves in capitals.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct View {
    /// The moves that lead here.
    #[serde(serialize_with = "as_text")]
    line: Line,
    /// The opening that the line belongs to.
    opening: Option<Named>,
    /// 64 squares and the side to move, as its reader sees them.
    board: String,
    /// The database key.
    key: String,
    /// Who moves.
    side: &'static str,
    /// Discs placed since the start position. (Edax's own display counts one more.)
    ply: usize,
    empties: u32,
    value: Option<i16>,
    /// Whether the value holds only for those who came by this line.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    path_dependent: bool,
    /// The position's own value, where the line makes another one of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    own_value: Option<i16>,
    lower: Option<i16>,
    upper: Option<i16>,
    level: Option<u8>,
    engine: &'static str,
    wins: Option<u32>,
    draws: Option<u32>,
    losses: Option<u32>,
    lines: Option<u32>,
    /// Score of a finished game.
    final_score: Option<i8>,
    /// Links and leaf, best first; of equal ones links come first, then in the order of their squares.
    moves: Vec<MoveView>,
}

/// Serializes a value as its text: for `#[serde(serialize_with = "…")]`.
///
/// # Errors
/// As the serializer.
pub fn as_text<T: fmt::Display, S: Serializer>(
    value: &T,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

impl View {
    /// The position at the end of a line. A score that depends on the line is marked.
    ///
    /// ```
    /// use obook_book::{Context, Book, read::view::View};
    /// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data/edax/games.dat");
    /// let view = View::of(&Book::open(path.as_ref(), &Context::default())?, "f5d6c5".parse()?)?;
    /// assert_eq!(view.moves()[0].mv.to_string(), "b4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Where the book can't be read, or ends before the line: the error says where.
    pub fn of(book: &Book, line: Line) -> Result<View> {
        // The positions on the way are asked for too, to say where the line left the book.
        let way: Vec<CanonicalBoard> = positions_on(&line).collect();
        let mut found = book.find(&way)?;
        let Some(position) = found.remove(&line.board().canonical()) else {
            let known = way.iter().take_while(|board| found.contains_key(board));
            return Err(left_the_book(book.path(), &line, known.count()));
        };
        let came_by_pass = line.moves().last() == Some(&Move::Pass);
        let mut view = View::new(line, &position);
        if let Book::Database(store) = book {
            view.set_on_path(on_path(
                |board| store.position(board),
                &position,
                came_by_pass,
                || store.repetition(),
            )?);
        }
        Ok(view)
    }

    /// Turns a book's position into the orientation of `line`, which leads to it.
    ///
    /// # Panics
    /// Where `position` is not the one that `line` leads to.
    #[must_use]
    pub fn new(line: Line, position: &Position) -> View {
        let board = line.board();
        let (canonical, symmetry) = board.canonicalize();
        assert_eq!(
            canonical, position.board,
            "the line leads to another position"
        );
        let back = symmetry.inverse();
        let links = position
            .links
            .iter()
            .map(|link| (link.mv, link.score, Kind::Link));
        let leaf = position
            .leaf
            .and_then(|leaf| Some((leaf.mv?, Some(leaf.score), Kind::Leaf)));
        let mut moves: Vec<MoveView> = links
            .chain(leaf)
            .map(|(mv, score, kind)| MoveView {
                mv: back.play(mv),
                score,
                kind,
                path_dependent: false,
            })
            .collect();
        moves.sort_by_key(MoveView::order);
        View {
            opening: Named::of_line(&line),
            board: line.board().to_text_for(line.side()),
            key: hex(canonical),
            side: match line.side() {
                Side::Black => "black",
                Side::White => "white",
            },
            ply: line.ply(),
            empties: board.empties(),
            value: position.value,
            path_dependent: false,
            own_value: None,
            lower: position.bounds.map(|bounds| bounds.lower),
            upper: position.bounds.map(|bounds| bounds.upper),
            level: position.level,
            engine: position.engine.name(),
            wins: position.outcomes.map(|outcomes| outcomes.wins),
            draws: position.outcomes.map(|outcomes| outcomes.draws),
            losses: position.outcomes.map(|outcomes| outcomes.losses),
            lines: position.lines,
            final_score: position
                .leaf
                .filter(|leaf| leaf.mv.is_none())
                .map(|leaf| leaf.score),
            moves,
            line,
        }
    }

    /// Puts in the scores that hold only on this line.
    fn set_on_path(&mut self, on_path: OnPath) {
        if let Some(value) = on_path.value {
            self.own_value = self.value;
            self.value = Some(value.into());
            self.path_dependent = true;
        }
        if let Some(score) = on_path.pass {
            for mv in self
                .moves
                .iter_mut()
                .filter(|mv| mv.mv == Move::Pass && mv.kind == Kind::Link)
            {
                mv.score = Some(score);
                mv.path_dependent = true;
            }
            self.moves.sort_by_key(MoveView::order);
        }
    }

    /// Links and leaf, best first.
    #[must_use]
    pub fn moves(&self) -> &[MoveView] {
        &self.moves
    }
}

fn hex(board: CanonicalBoard) -> String {
    board
        .to_key()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// The drawing of a position with Edax's remarks beside it: who moves, discs and mobility of both sides, empties, ply.
pub fn draw(line: &Line) -> impl fmt::Display {
    struct Drawing<'a>(&'a Line);
    impl fmt::Display for Drawing<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let line = self.0;
            let board = line.board();
            let (mine, theirs) = match line.side() {
                Side::Black => ('*', 'O'),
                Side::White => ('O', '*'),
            };
            let mobility = |side: char, discs: u64, moves: usize| {
                format!(
                    "{side}: discs = {:2}    moves = {moves:2}",
                    discs.count_ones()
                )
            };
            let remarks = [
                (2, format!("{mine} to move")),
                (4, mobility(mine, board.player(), board.legal_moves().len())),
                (
                    5,
                    mobility(theirs, board.opponent(), board.passed().legal_moves().len()),
                ),
                (
                    6,
                    format!(
                        " empties = {:2}      ply = {:2}",
                        board.empties(),
                        line.ply()
                    ),
                ),
            ];
            for (number, row) in board
                .diagram_for(line.side())
                .to_string()
                .lines()
                .enumerate()
            {
                let remark = remarks.iter().find(|(at, _)| *at == number);
                match remark {
                    Some((_, remark)) => writeln!(f, "{row} {remark}")?,
                    None => writeln!(f, "{row}")?,
                }
            }
            Ok(())
        }
    }
    Drawing(line)
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", draw(&self.line))?;
        if let Some(opening) = self.opening {
            writeln!(f, "Opening: {opening}")?;
        }
        if let Some(level) = self.level {
            writeln!(f, "Level: {level}")?;
        }
        let tilde = if self.path_dependent { "~" } else { "" };
        match (self.value, self.lower, self.upper) {
            (Some(value), Some(lower), Some(upper)) => {
                writeln!(f, "Best score: {value:+} [{lower:+}, {upper:+}]")?;
            }
            (Some(value), ..) => writeln!(f, "Best score: {value:+}{tilde}")?,
            (None, ..) => writeln!(f, "Best score: unknown")?,
        }
        if let Some(score) = self.final_score {
            writeln!(f, "The game is over: {score:+}")?;
        } else {
            write!(f, "Moves:")?;
            for mv in &self.moves {
                let name = match self.line.side() {
                    Side::Black => mv.mv.to_string().to_uppercase(),
                    Side::White => mv.mv.to_string(),
                };
                let score = mv
                    .score
                    .map_or_else(|| String::from("?"), |score| format!("{score:+}"));
                let tilde = if mv.path_dependent { "~" } else { "" };
                match mv.kind {
                    Kind::Link => write!(f, " [{name}:{score}{tilde}]")?,
                    Kind::Leaf => write!(f, " <{name}:{score}{tilde}>")?,
                }
            }
            writeln!(f)?;
        }
        if self.path_dependent || self.moves.iter().any(|mv| mv.path_dependent) {
            writeln!(
                f,
                "~ holds only for those who came by this line: a pass leads back to a position on it."
            )?;
        }
        self.write_lines(f)
    }
}

impl View {
    fn write_lines(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(lines) = self.lines else {
            return Ok(());
        };
        let (Some(wins), Some(draws), Some(losses)) = (self.wins, self.draws, self.losses) else {
            let at_least = at_least(lines >= MOST_LINES);
            return writeln!(f, "Lines: {at_least}{lines}");
        };
        let full = u64::from(wins) + u64::from(draws) + u64::from(losses);
        if [wins, draws, losses].contains(&u32::MAX) {
            // Nor can shares be told where one count is known to be too small.
            writeln!(f, "Lines: at least {full} full games")?;
        } else if full > 0 {
            let percent = |count: u32| f64::from(count) * 100.0 / full as f64;
            writeln!(
                f,
                "Lines: {full} full games with {:.2}% win, {:.2}% draw, {:.2}% loss",
                percent(wins),
                percent(draws),
                percent(losses)
            )?;
        }
        // Outcomes saturate one by one, so their sum may exceed the lines.
        let incomplete = u64::from(lines).saturating_sub(full);
        if incomplete > 0 {
            let at_least = at_least(lines == u32::MAX);
            writeln!(f, "       {at_least}{incomplete} incomplete lines.")?;
        }
        Ok(())
    }
}

/// What stands before a count that may have reached the end of its range.
fn at_least(saturated: bool) -> &'static str {
    if saturated { "at least " } else { "" }
}

/// An opening that has a name: as JSON its `name`, its `japanese` name, and the `line` that leads to it, f5 first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Named(&'static Opening);

impl Named {
    /// The opening that a line belongs to: the one that it reached last.
    ///
    /// ```
    /// use obook_book::read::view::Named;
    /// let opening = Named::of_line(&"f5d6c3d3c4f4".parse()?).unwrap();
    /// assert_eq!(opening.to_string(), "Tiger (虎)");
    /// # Ok::<(), obook_othello::LineError>(())
    /// ```
    #[must_use]
    pub fn of_line(line: &Line) -> Option<Named> {
        names::of_line(line).map(Named)
    }

    /// The opening whose position this is.
    #[must_use]
    pub fn of_board(board: CanonicalBoard) -> Option<Named> {
        names::of_board(board).map(Named)
    }

    /// Its English name, or the Japanese one where there is no other.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Named {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut opening = serializer.serialize_struct("Opening", 3)?;
        opening.serialize_field("name", self.0.name())?;
        opening.serialize_field("japanese", &self.0.japanese())?;
        opening.serialize_field("line", &self.0.line().to_string())?;
        opening.end()
    }
}
