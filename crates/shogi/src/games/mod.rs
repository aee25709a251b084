//! Records of games: CSA, KIF, KI2, USI and JKF.
//!
//! [`records`] reads the games of a text one after another. Every move is played, so a [`Game`] has legal moves only. What makes its
//! moves or its result doubtful is a [`Fault`] with its line, also what contradicts the rules: a position that stands for the fourth
//! time although the game continues, or a repetition in which one side only gave checks and didn't lose. Fields, words and dates that
//! a program adds are no faults.
//!
//! ```
//! use obook_shogi::games::{Outcome, decode, records};
//!
//! let text = decode(b"V2.2\nN+Rose\nPI\n+\n+7776FU\n-3334FU\n%TORYO\n");
//! let record = records(&text)?.next().ok_or("a game")?;
//! assert_eq!(record.game.moves().len(), 2);
//! // Black, who is to move, resigned.
//! assert_eq!(record.game.outcome, Some(Outcome::Won(obook_shogi::Colour::White)));
//! assert!(record.faults.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod csa;
mod draft;
pub mod jkf;
pub mod ki2;
pub mod kif;
mod reader;
pub mod usi;

pub(crate) use draft::Positions;
#[cfg(feature = "database")]
pub(crate) use ki2::MARKS;
pub use reader::{Reader, Unread};

use crate::book::{Fault, ReadError};
use crate::{Board, Colour, Move, Repetition, Square};
use std::borrow::Cow;
use std::iter::Peekable;

/// A game. Its moves are legal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Game {
    /// Black's name.
    pub black: Option<String>,
    /// White's name.
    pub white: Option<String>,
    /// Black's rating before the game, on any scale, in whole numbers.
    pub black_rating: Option<i32>,
    /// White's.
    pub white_rating: Option<i32>,
    /// The tournament or match.
    pub event: Option<String>,
    /// The place.
    pub site: Option<String>,
    /// The day on which it began: YYYY-MM-DD; YYYY-MM if only the month is known; the record's words if they name no day.
    pub date: Option<String>,
    /// How it ended, as the record says.
    pub end: Option<End>,
    /// The result that follows from the end.
    pub outcome: Option<Outcome>,
    start: Board,
    moves: Vec<Move>,
    board: Board,
}

impl Game {
    /// A game without moves.
    #[must_use]
    pub fn new(start: Board) -> Self {
        Self {
            start,
            board: start,
            ..Self::default()
        }
    }

    /// The position in which it began.
    #[must_use]
    pub const fn start(&self) -> &Board {
        &self.start
    }

    /// Its moves.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position after its moves.
    #[must_use]
    pub const fn board(&self) -> &Board {
        &self.board
    }

    /// Its positions, the first and the last one included.
    pub fn positions(&self) -> impl Iterator<Item = Board> {
        let mut board = self.start;
        let after = self.moves.iter().map(move |&mv| {
            board = board.after(mv);
            board
        });
        std::iter::once(self.start).chain(after)
    }

    /// Its moves, each with the position before it and the target of the previous move.
    fn steps(&self) -> impl Iterator<Item = (Board, Option<Square>, Move)> {
        let mut last = None;
        let steps = self.positions().zip(self.moves());
        steps.map(move |(board, &mv)| (board, last.replace(mv.to()), mv))
    }

    /// The target of the last move.
    #[must_use]
    pub fn last(&self) -> Option<Square> {
        self.moves.last().map(|mv| mv.to())
    }

    /// How it would end if the last position repeats for the last time that it may: `None` if it doesn't repeat.
    #[must_use]
    pub fn repetition(&self) -> Option<Repetition> {
        let boards: Vec<Board> = self.positions().collect();
        let (last, before) = boards.split_last()?;
        let first = before.iter().rposition(|board| board == last)?;
        let cycle = boards[first + 1..].iter();
        let cycle = cycle.map(|board| (board.turn(), board.is_check()));
        Some(Repetition::of(cycle))
    }

    /// Plays a move; `None` if it isn't legal.
    pub fn play(&mut self, mv: Move) -> Option<()> {
        self.board = self.board.play(mv)?;
        self.moves.push(mv);
        Some(())
    }

    /// Ends the game in its last position.
    pub fn end(&mut self, end: End) {
        self.end = Some(end);
        self.outcome = end.outcome(self.board.turn());
    }

    /// The end as records have it, whose result follows from the side to move: `None` if that would be another one, since the side
    /// to move is that of the moves that could be played.
    fn recorded_end(&self) -> Option<End> {
        self.end
            .filter(|end| end.outcome(self.board.turn()) == self.outcome)
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The side to move resigned.
    Resigned,
    /// The side to move is mate.
    Mate,
    /// The side to move had no time left.
    TimeOut,
    /// This side broke the rules, and lost.
    Foul(Colour),
    /// The side to move declared a win, its king having entered the other camp.
    Declared,
    /// A position stood for the fourth time: a draw.
    Repetition,
    /// Both kings entered the other camp: a draw.
    Impasse,
    /// It was broken off.
    BrokenOff,
}

impl End {
    /// All ends, with their names in databases and the words for them in CSA.
    const TABLE: [(Self, &'static str, &'static str); 9] = [
        (Self::Resigned, "resigned", "TORYO"),
        (Self::Mate, "mate", "TSUMI"),
        (Self::TimeOut, "time out", "TIME_UP"),
        (Self::Foul(Colour::Black), "foul", "+ILLEGAL_ACTION"),
        (Self::Foul(Colour::White), "foul", "-ILLEGAL_ACTION"),
        (Self::Declared, "declared", "KACHI"),
        (Self::Repetition, "repetition", "SENNICHITE"),
        (Self::Impasse, "impasse", "JISHOGI"),
        (Self::BrokenOff, "broken off", "CHUDAN"),
    ];

    /// Its name in databases, and the word for it in CSA.
    fn words(self) -> (&'static str, &'static str) {
        let of = |&(end, name, word)| (end == self).then_some((name, word));
        Self::TABLE.iter().find_map(of).expect("the table has all")
    }

    /// Its name in databases.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.words().0
    }

    /// The word for it in CSA, without the `%`.
    fn in_csa(self) -> &'static str {
        self.words().1
    }

    /// The end with this name in a game with this result.
    #[must_use]
    pub fn named(name: &str, outcome: Option<Outcome>) -> Option<Self> {
        let is_named = |(_, known, _): &&(_, &str, _)| *known == name;
        let (end, ..) = *Self::TABLE.iter().find(is_named)?;
        Some(match (end, outcome) {
            (Self::Foul(_), Some(Outcome::Won(winner))) => Self::Foul(winner.other()),
            _ => end,
        })
    }

    /// The result, given the side to move.
    #[must_use]
    pub const fn outcome(self, turn: Colour) -> Option<Outcome> {
        match self {
            Self::Resigned | Self::Mate | Self::TimeOut => Some(Outcome::Won(turn.other())),
            Self::Foul(by) => Some(Outcome::Won(by.other())),
            Self::Declared => Some(Outcome::Won(turn)),
            Self::Repetition | Self::Impasse => Some(Outcome::Drawn),
            Self::BrokenOff => None,
        }
    }
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This side won.
    Won(Colour),
    /// Nobody won.
    Drawn,
}

impl Outcome {
    /// 1 if this side won, 0 for a draw, −1 if it lost.
    #[must_use]
    pub fn for_side(self, side: Colour) -> i8 {
        match self {
            Self::Won(winner) if winner == side => 1,
            Self::Won(_) => -1,
            Self::Drawn => 0,
        }
    }
}

/// A game as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The game, up to the first move that can't be played.
    pub game: Game,
    /// The line on which it begins, from 1.
    pub line: usize,
    /// Reasons to doubt its moves or its result.
    pub faults: Vec<Fault>,
    /// Contents of the record beyond the fields of a [`Game`], such as an unknown word for the end.
    pub notes: Vec<Fault>,
    /// Whether this is a problem, in which a side has no king, and no game. Its moves aren't read.
    pub is_problem: bool,
    /// Other lines than the game's, with its names and without a result: variations of KIF and JKF, each from the first move on.
    pub variations: Vec<Game>,
}

obook_base::table! {
    /// A format of records.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Format {
        /// The Computer Shogi Association's, `.csa`.
        Csa = Facts { extensions: &["csa"], tells: csa::tells, next: csa::next, write: csa::write },
        /// Kakinoki's, `.kif` in Shift_JIS and `.kifu` in UTF-8.
        Kif = Facts { extensions: &["kif", "kifu"], tells: kif::tells, next: kif::next, write: kif::write },
        /// Kakinoki's without squares of origin, `.ki2` in Shift_JIS and `.ki2u` in UTF-8. Records are recognised and read as [`Format::Kif`].
        Ki2 = Facts { extensions: &["ki2", "ki2u"], tells: |_| None, next: kif::next, write: ki2::write },
        /// A game in a line: `startpos moves 7g7f 3c3d`, a position in SFEN and moves, or moves alone.
        Usi = Facts { extensions: &["usi", "sfen"], tells: usi::tells, next: usi::next, write: usi::write },
        /// JSON Kifu Format: an object of JSON, `.jkf`.
        Jkf = Facts { extensions: &["jkf", "json"], tells: jkf::tells, next: jkf::next, write: jkf::write },
    }
    fn facts -> Facts
}

/// How surely a line belongs to a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Certainty {
    /// If it is the first line, comments apart.
    Likely,
    /// It can be nothing else.
    Certain,
}

/// All that tells a format from the others.
struct Facts {
    /// The extensions of its files, of which the first is also its name.
    extensions: &'static [&'static str],
    /// How surely a line is one of it.
    tells: fn(&str) -> Option<Certainty>,
    /// Its reader.
    next: fn(&mut Lines<'_>) -> Option<Record>,
    /// Its writer.
    write: fn(&Game) -> String,
}

impl Format {
    /// The name in commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().extensions[0]
    }

    /// The format to write into a file with this extension.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Self> {
        let has = |format: &Format| format.facts().extensions.contains(&extension);
        Self::ALL.into_iter().find(has)
    }

    /// The format of a text, if it holds records of games: that of the first line which can be of one format only, or else that of
    /// the first line.
    ///
    /// ```
    /// use obook_shogi::games::Format;
    ///
    /// assert_eq!(Format::of("V2.2\nPI\n+\n"), Some(Format::Csa));
    /// assert_eq!(Format::of("作者：Rose\n   1 ７六歩(77)\n"), Some(Format::Kif));
    /// assert_eq!(Format::of("startpos moves 7g7f"), Some(Format::Usi));
    /// assert_eq!(Format::of("1. e4 e5"), None);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let mut first = None;
        for line in text.lines().map(str::trim) {
            // Comments of all formats.
            if line.is_empty() || line.starts_with(['\'', '#', '*', '&']) {
                continue;
            }
            let tells = |format: Format| Some(((format.facts().tells)(line)?, format));
            let told = Self::ALL.into_iter().filter_map(tells);
            let told = told.max_by_key(|&(certainty, _)| certainty);
            if let Some((Certainty::Certain, format)) = told {
                return Some(format);
            }
            first = first.or(Some(told));
        }
        first.flatten().map(|(_, format)| format)
    }

    /// Writes a game. `follows`: it stands behind another one.
    #[must_use]
    pub fn write(self, game: &Game, follows: bool) -> String {
        let text = (self.facts().write)(game);
        match self {
            Self::Csa if follows => format!("/\n{text}"),
            _ => text,
        }
    }

    /// Whether a record of a game in this format tells its result.
    #[cfg(feature = "database")]
    pub(crate) fn tells_result(self, record: &str, game: &Game) -> bool {
        let read = (self.facts().next)(&mut lines(record, 1));
        read.is_some_and(|read| read.game.outcome == game.outcome)
    }
}

/// A file as text: UTF-8, perhaps with a byte order mark, or else Shift_JIS. Bytes that are neither become U+FFFD.
#[must_use]
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    decode_as(bytes, std::str::from_utf8(bytes).is_ok())
}

/// A text as a file with this extension has it: `.kif` and `.ki2` in Shift_JIS, all others in UTF-8.
///
/// # Errors
/// Returns the first character that Shift_JIS lacks.
pub fn encode<'t>(text: &'t str, extension: &str) -> Result<Cow<'t, [u8]>, char> {
    if !["kif", "ki2"].contains(&extension) {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    let comes_back = |text: &str, bytes: &[u8]| decode_as(bytes, false) == text;
    let bytes = encoding_rs::SHIFT_JIS.encode(text).0;
    if comes_back(text, &bytes) {
        return Ok(bytes);
    }
    let is_lacking = |letter: &char| {
        let letter = letter.to_string();
        !comes_back(&letter, &encoding_rs::SHIFT_JIS.encode(&letter).0)
    };
    Err(text.chars().find(is_lacking).unwrap_or_default())
}

fn decode_as(bytes: &[u8], is_utf8: bool) -> Cow<'_, str> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match is_utf8 {
        true => String::from_utf8_lossy(bytes),
        false => encoding_rs::SHIFT_JIS.decode_without_bom_handling(bytes).0,
    }
}

/// Reads the games of a text, one after another.
///
/// # Errors
/// Returns [`ReadError`] if the text is in none of the formats.
pub fn records(text: &str) -> Result<impl Iterator<Item = Record>, ReadError> {
    let next = format(text)?.facts().next;
    let mut lines = lines(text, 1);
    Ok(std::iter::from_fn(move || next(&mut lines)))
}

fn format(text: &str) -> Result<Format, ReadError> {
    let is_json = text.trim_start().starts_with(['{', '[']);
    let reason = match is_json {
        true => {
            "it begins as JKF does, but no line begins with {\"header\":, {\"initial\": or {\"moves\":"
        }
        false => NO_RECORD,
    };
    Format::of(text).ok_or_else(|| ReadError::unfit("a record of games", reason))
}

/// The problem with a text that is no record.
const NO_RECORD: &str = "no line is one of CSA (V2.2, PI or +7776FU), of KIF or KI2 (手合割：…, 1 ７六歩(77) or ▲７六歩), of USI (startpos moves \
                         7g7f) or of JKF ({\"header\": …)";

/// Reads a move of a position in any notation: USI, CSA (`+7776FU`), KIF (`７六歩(77)`) or KI2 (`▲７六歩`). `last` is the target of the
/// move before, for 同.
///
/// # Errors
/// Says what is wrong, if it is no such move.
#[cfg(feature = "database")]
pub(crate) fn read_move(board: &Board, last: Option<Square>, text: &str) -> Result<Move, String> {
    match text {
        _ if text.starts_with(['+', '-']) => csa::read_move(board, text),
        _ if text.is_ascii() => text.parse::<Move>().map_err(|error| error.to_string()),
        _ if text.contains('(') => kif::read(board, last, text),
        _ => ki2::read(board, last, text.trim_start_matches(ki2::MARKS)),
    }
}

/// A field of a record, unless it is empty.
fn known(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The day that a text names, as `2018-05-03`; the month, if it names only that; or else the text itself.
///
/// Programs write `2018/05/03 11:00:54`, `2018-05-03T11:00:54Z`, `2018年5月3日`, `2018/05/03･04日`, `12/30/2018` and `1711/03/00`.
fn date(text: &str) -> Option<String> {
    let text = known(text)?;
    let mut rest = Some(text.as_str());
    // A number, and what follows it behind a separator.
    let mut number = || {
        let text = rest.take()?;
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        rest = text[digits..].strip_prefix(['/', '-', '.', '年', '月']);
        text[..digits].parse::<u16>().ok()
    };
    let parts = [number(), number(), number()];
    let month = |month: u16| (1..=12).contains(&month);
    let named = match parts {
        [Some(year @ 1000..), Some(of_year), Some(day @ 1..=31)] if month(of_year) => {
            Some(format!("{year}-{of_year:02}-{day:02}"))
        }
        [Some(year @ 1000..), Some(of_year), Some(0) | None] if month(of_year) => {
            Some(format!("{year}-{of_year:02}"))
        }
        // A day that can't be a month.
        [Some(of_year), Some(day @ 13..=31), Some(year @ 1000..)] if month(of_year) => {
            Some(format!("{year}-{of_year:02}-{day:02}"))
        }
        _ => None,
    };
    named.or(Some(text))
}

/// A date as records have it: days with slashes.
fn written_date(written: &str) -> String {
    let slashed = written.replace('-', "/");
    match date(&slashed).as_deref() == Some(written) {
        true => slashed,
        false => in_a_line(written),
    }
}

/// A text without line breaks.
fn in_a_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// The lines of a text with their numbers.
type Lines<'t> = Peekable<std::iter::Zip<std::ops::RangeFrom<usize>, std::str::Lines<'t>>>;

/// The lines of a text, of which the first has this number.
fn lines(text: &str, first: usize) -> Lines<'_> {
    (first..).zip(text.lines()).peekable()
}
