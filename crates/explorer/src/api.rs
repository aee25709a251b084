//! The types of the server's answers, and the texts of its OpenAPI description.
//!
//! Scores and values are discs for the side to move, or for the side that makes the move.

use obook::LogState;
use obook::read::view::LinkOrLeaf;
use obook_games::names::Opening;
use serde::{Deserialize, Serialize};

#[cfg(test)]
#[expect(dead_code, reason = "only the descriptions are used")]
pub(crate) mod described;

/// A book that is served.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct BookEntry {
    /// Its name in addresses.
    pub name: String,
    /// The file.
    pub file: String,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// Whether it is a copy, of a book file or of what a browser sent, so that it can't be changed.
    pub copied: bool,
    /// The number of positions, estimated.
    pub positions: u64,
    /// Whether there are games.
    pub games: bool,
    /// Changes whenever the book has changed.
    pub version: String,
}

/// A book or games that were sent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Opened {
    /// As it is served.
    #[serde(flatten)]
    pub book: BookEntry,
    /// The number of games with a faulty record.
    pub faulty: usize,
}

/// The books that are served.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Books {
    /// The version of obook.
    pub obook: String,
    /// The books, in the order of the command line.
    pub books: Vec<BookEntry>,
    /// Whether the books can be changed through this server.
    pub writable: bool,
}

/// The state of a book.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Version {
    /// Changes whenever the book has changed: compare it, but don't interpret it.
    pub version: String,
}

/// A position with everything that the book and its games know.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Position {
    /// The moves to it, such as `f5d6c3`; if it was set up, the board comes first.
    pub line: String,
    /// The opening that the line reached last.
    #[cfg_attr(test, schema(value_type = Option<described::Opening>))]
    pub opening: Option<&'static Opening>,
    /// The database key: 32 hexadecimal digits, the same for all eight orientations.
    pub key: String,
    /// 64 squares, a1 to h1 first, and the side to move: `X` is Black.
    pub board: String,
    /// The side to move.
    pub turn: Side,
    /// Discs placed since the start position.
    pub ply: usize,
    /// Empty squares.
    pub empties: u32,
    /// Whether the book has the position.
    pub in_book: bool,
    /// The value. Behind a pass that leads out of the book it is the score of the pass.
    pub value: Option<i16>,
    /// Whether the value holds only after this line, because a pass leads back to a position on it.
    pub path_dependent: bool,
    /// The lower bound of the value.
    pub lower: Option<i16>,
    /// The upper bound of the value.
    pub upper: Option<i16>,
    /// The level of the search.
    pub level: Option<u8>,
    /// The engine that searched it.
    pub engine: Option<String>,
    /// The lines below it.
    pub lines: Option<Lines>,
    /// The score if the game is over.
    pub final_score: Option<i8>,
    /// Egaroucid's accuracy grade, such as `AB`, if grades are stored.
    pub grade: Option<String>,
    /// All legal moves: those of the book first, best first, then the others, most played first.
    pub moves: Vec<Move>,
    /// The best line from here on.
    pub best: Vec<BestMove>,
    /// The number of positions of the book with a link to this one.
    pub parents: usize,
}

/// A side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Black, who moves first.
    Black,
    /// White.
    White,
}

/// Numbers of lines below a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Lines {
    /// Won by the side to move.
    pub wins: Option<u32>,
    /// Drawn.
    pub draws: Option<u32>,
    /// Lost.
    pub losses: Option<u32>,
    /// All lines, to the end of the game or not.
    pub all: Option<u32>,
}

/// A legal move.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Move {
    /// The square, such as `d3`, or `pa` for a pass.
    pub square: String,
    /// Whether it stays in the book; `null` if the book doesn't know it.
    #[cfg_attr(test, schema(value_type = Option<described::LinkOrLeaf>))]
    pub kind: Option<LinkOrLeaf>,
    /// The score for the side that makes it.
    pub score: Option<i8>,
    /// Whether the score holds only after this line.
    pub path_dependent: bool,
    /// The lower bound of the score.
    pub lower: Option<i16>,
    /// The upper bound of the score.
    pub upper: Option<i16>,
    /// The level of the search behind the score.
    pub level: Option<u8>,
    /// The engine of that search.
    pub engine: Option<String>,
    /// Whether that search reached the end of the game without pruning.
    pub proven: bool,
    /// The key of the position after it.
    pub child: String,
    /// The name of the opening that it leads to, whatever the order of the moves.
    pub name: Option<String>,
    /// The lines below the position after it, for the side that makes it.
    pub lines: Option<Lines>,
    /// The grade of that position, if grades are stored.
    pub grade: Option<String>,
    /// The games with it; `null` if there are none.
    pub games: Option<MoveGames>,
}

/// A move that a rule chose.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Chosen {
    /// The line to the position that was asked about.
    pub line: String,
    /// The move; `null` if the book has none that the rule accepts.
    pub square: Option<String>,
    /// Its score for the side that makes it.
    pub score: Option<i8>,
    /// Whether it stays in the book.
    #[cfg_attr(test, schema(value_type = Option<described::LinkOrLeaf>))]
    pub kind: Option<LinkOrLeaf>,
    /// The chance that the rule chooses it.
    pub chance: Option<f64>,
}

/// Other ways to the positions after the moves of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Transpositions {
    /// The moves to positions of the book.
    pub moves: Vec<Transposition>,
}

/// A move to a position of the book.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Transposition {
    /// The square, or `pa` for a pass.
    pub square: String,
    /// The number of positions of the book with a link to the position after it, this one included.
    pub parents: usize,
}

/// The games with a move.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct MoveGames {
    /// The games in which it was played here.
    #[serde(rename = "move")]
    pub mv: u64,
    /// The games that continued from the position after it, by whatever order of moves.
    pub position: u64,
    /// How many games of `move` its side won,
    pub wins: u64,
    /// drew,
    pub draws: u64,
    /// and lost. The results of the others are unknown.
    pub losses: u64,
    /// The mean final difference in discs for its side.
    pub mean: Option<f64>,
}

/// A move of the best line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct BestMove {
    /// The square, or `pa` for a pass.
    pub square: String,
    /// The score for the side that makes it.
    pub score: Option<i8>,
    /// The level of the score.
    pub level: Option<u8>,
    /// Whether it stays in the book. Only the last move may be a leaf.
    #[cfg_attr(test, schema(value_type = described::LinkOrLeaf))]
    pub kind: LinkOrLeaf,
}

/// The games through a position, latest first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Games {
    /// The games.
    pub games: Vec<Game>,
    /// Pass it as `before` to get the next ones; `null` after the last game.
    pub next: Option<i64>,
}

/// A game through a position. Names come from strangers: they are text, never HTML.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Game {
    /// Its number in the database.
    pub game: i64,
    /// YYYY, YYYY-MM or YYYY-MM-DD.
    pub date: Option<String>,
    /// The tournament.
    pub tournament: Option<String>,
    /// Black's player.
    pub black: Option<String>,
    /// White's player.
    pub white: Option<String>,
    /// Black's discs minus White's at the end.
    pub score: Option<i8>,
    /// The move played here, in the orientation of the line.
    pub square: Option<String>,
    /// All moves in the orientation of the record; `null` if it began with another position.
    pub moves: Option<String>,
}

/// Players.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Players {
    /// Their names: at most 50.
    pub players: Vec<String>,
}

/// How a player's games leave the book.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Departures {
    /// The player's games.
    pub games: u64,
    /// Games in which the player left the book first,
    pub left: u64,
    /// and the opponent.
    pub left_by_opponent: u64,
    /// The player's moves that lead out of the book or lose something, the most costly ones first: at most 100.
    pub moves: Vec<Departure>,
}

/// A move that leads out of the book, or is worse than the best one.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Departure {
    /// The line to the position.
    pub line: String,
    /// The square.
    pub square: String,
    /// The discs that it gives up.
    pub loss: Option<i16>,
    /// Whether it may give up more.
    pub at_least: bool,
    /// The best move.
    pub best: Option<String>,
    /// The games with it.
    pub games: u64,
    /// The mean result of these games for the player, in discs.
    pub mean: Option<f64>,
}

/// The positions from which the book leads to a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Parents {
    /// The positions, those of the best value for the side to move first.
    pub parents: Vec<Parent>,
}

/// A position from which the book leads to another one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Parent {
    /// A line of the book from the start to the position asked about, through this parent; `null` if the book has none.
    pub line: Option<String>,
    /// The key of the parent.
    pub key: String,
    /// The value of the parent for its side to move.
    pub value: Option<i16>,
    /// The opening with the parent's position.
    #[cfg_attr(test, schema(value_type = Option<described::Opening>))]
    pub opening: Option<&'static Opening>,
}

/// A text read as a line.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Parsed {
    /// The line: moves, perhaps after a board.
    pub line: String,
    /// Its board: 64 squares and the side to move.
    pub board: String,
    /// The opening that it reached last.
    #[cfg_attr(test, schema(value_type = Option<described::Opening>))]
    pub opening: Option<&'static Opening>,
    /// The game, if the text is the record of one. Names come from strangers: they are text, never HTML.
    pub game: Option<ParsedGame>,
}

/// The head of a game's record.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ParsedGame {
    /// Black's player.
    pub black: Option<String>,
    /// White's player.
    pub white: Option<String>,
    /// The tournament.
    pub tournament: Option<String>,
    /// YYYY, YYYY-MM or YYYY-MM-DD.
    pub date: Option<String>,
    /// Black's discs minus White's at the end.
    pub score: Option<i8>,
    /// The number of games in the text, of which this is the first.
    pub of: usize,
    /// The record in GGF, unless it is long.
    pub record: Option<String>,
}

/// Openings that match a search.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Openings {
    /// The openings with their values in the book.
    pub openings: Vec<ValuedOpening>,
}

/// An opening with its value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ValuedOpening {
    /// The opening.
    #[serde(flatten)]
    #[cfg_attr(test, schema(value_type = described::Opening))]
    pub opening: &'static Opening,
    /// The value for the side to move, if the book has the position.
    pub value: Option<i16>,
}

/// An overview of a book.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Info {
    /// The file.
    pub file: String,
    /// The rules by which values follow from each other.
    pub rules: String,
    /// When the book was written, if its engine recorded it.
    pub written: Option<String>,
    /// The level of the book.
    pub level: Option<i32>,
    /// Positions.
    pub positions: u64,
    /// Moves to positions of the book.
    pub links: u64,
    /// Best moves out of the book.
    pub leaves: u64,
    /// Games.
    pub games: u64,
    /// Leaves that wait for a search.
    pub waiting: u64,
    /// Searches that `obook learn` has planned.
    pub tasks: u64,
    /// The value of the start position.
    pub root: Option<i16>,
    /// Positions by level.
    pub levels: Vec<Counted>,
    /// The searches that come next, or are running on other machines: at most 12.
    pub next: Vec<NextSearch>,
    /// The run of `obook learn` that is in progress or was interrupted.
    pub learning: Option<Learning>,
}

/// A number of positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Counted {
    /// The level.
    pub level: i64,
    /// The positions with it.
    pub positions: u64,
}

/// An unfinished run of `obook learn`.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Learning {
    /// The number of the change, for `history` and `plot/growth.svg`.
    pub change: i64,
    /// The stage of the recipe, 1 for the first.
    pub stage: i64,
    /// Answers since the stage began.
    pub searches: i64,
    /// Seconds since the run began, as of the last step.
    pub seconds: Option<f64>,
    /// The value of the root at that time.
    pub root: Option<i16>,
    /// Answers a minute, of late.
    pub rate: Option<f64>,
}

/// A search that waits.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct NextSearch {
    /// A line to the position through the book; a board if there is none.
    pub line: String,
    /// Its aim: a `leaf` of a position of the book, a `position`, or a `variation` of them.
    pub kind: String,
    /// The level, if one was set.
    pub level: Option<u8>,
    /// Whether another machine is searching it.
    pub leased: bool,
}

/// Numbers of positions by empty squares and by value.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Stats {
    /// By empty squares, as `obook stats --json`.
    pub stages: Vec<Stage>,
    /// By value.
    pub values: Vec<ValueCount>,
}

/// Counts over the positions with the same number of empty squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Stage {
    /// Empty squares.
    pub empties: u32,
    /// Positions.
    pub positions: u64,
    /// Links.
    pub links: u64,
    /// Leaves.
    pub leaves: u64,
    /// Positions without a link.
    pub terminal: u64,
}

/// The number of positions with a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ValueCount {
    /// The value.
    pub value: i16,
    /// The positions with it.
    pub positions: u64,
}

/// The changes that were made to a book, the last one first.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct History {
    /// The changes.
    pub changes: Vec<Change>,
}

/// A change of a book.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Change {
    /// 1, 2, … in the order of the changes.
    pub id: i64,
    /// The command, as typed.
    pub command: String,
    /// When: `YYYY-MM-DDThh:mm:ssZ`.
    pub time: String,
    /// When it was undone, if it was.
    pub undone: Option<String>,
    /// Whether it can be undone, or redone.
    #[cfg_attr(test, schema(value_type = described::Log))]
    pub log: LogState,
    /// The main numbers of its report, which depend on the command.
    #[cfg_attr(test, schema(value_type = Object))]
    pub counts: serde_json::Value,
}

/// Moves near best play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct NearBest {
    /// The moves, the most important one first.
    pub moves: Vec<NearMove>,
}

/// A move near best play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct NearMove {
    /// Discs placed, including this move.
    pub ply: i64,
    /// The line that ends with the move.
    pub line: String,
    /// The square.
    pub square: String,
    /// Whether it stays in the book.
    pub kind: Option<String>,
    /// Its score.
    pub score: Option<i64>,
    /// The discs that it gives up; `null` for leaves of the frontier.
    pub cost: Option<i64>,
    /// The discs that both sides give up on the line.
    pub loss: i64,
    /// The level of its search.
    pub level: Option<i64>,
}

/// SQL to run.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Sql {
    /// One statement. It can only read.
    pub sql: String,
    /// Values for the parameters `:name`.
    #[serde(default)]
    #[cfg_attr(test, schema(value_type = Object))]
    pub parameters: serde_json::Map<String, serde_json::Value>,
    /// The maximum number of rows, at most 100 000 (default: 1000).
    pub limit: Option<u32>,
}

/// A value entered by a person.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct EnterValue {
    /// The position, as for `position`.
    pub at: String,
    /// Its value for the side to move, -64 to 64; `null` removes what a person entered.
    pub value: Option<i8>,
}

/// The effect of entering a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Entered {
    /// The value before.
    pub before: Option<i16>,
    /// The value now.
    pub after: Option<i16>,
    /// The positions above it that have changed.
    pub ancestors: u64,
}

/// Searches for the next run of `obook learn`.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Wanted {
    /// The position, or the line to it.
    pub at: String,
    /// The level (default: the book's).
    pub level: Option<u8>,
}

/// The searches that now wait for the next run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Queued {
    /// The number of searches.
    pub searches: usize,
    /// Their level.
    pub level: u8,
}

/// A person's moves, and notes.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Repertoire {
    /// The moves, by their lines.
    pub marks: Vec<Mark>,
    /// The notes, by their lines.
    pub notes: Vec<Note>,
}

/// A move that a person marked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Mark {
    /// The line that ends with it.
    pub line: String,
    /// The side that makes it.
    pub side: Side,
    /// The key of the position before it.
    pub key: String,
    /// The key of the position after it.
    pub child: String,
}

/// A note at a position. It comes from a person: it is text, never HTML.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Note {
    /// A line to the position.
    pub line: String,
    /// The key of the position.
    pub key: String,
    /// The text.
    pub note: String,
}

/// A change of the repertoire.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Keep {
    /// Lines whose last move is the person's own from now on.
    #[serde(default)]
    pub mark: Vec<String>,
    /// Lines whose last move no longer is, whatever the order of moves.
    #[serde(default)]
    pub unmark: Vec<String>,
    /// Notes to write.
    #[serde(default)]
    pub notes: Vec<NoteAt>,
}

/// A note to write.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NoteAt {
    /// The position, as for `position`.
    pub at: String,
    /// The text, at most 1000 characters as a browser counts them; empty: the note is removed.
    pub note: String,
}

/// The size of the repertoire after a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Kept {
    /// Marked moves.
    pub marks: usize,
    /// Notes.
    pub notes: usize,
}

/// The change to undo: the last one of the history that wasn't undone.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Undo {
    /// Its number.
    pub change: i64,
}

/// A change that was undone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Undone {
    /// Its number.
    pub id: i64,
    /// The command that made it.
    pub command: String,
}

/// The tables, columns and functions of SQL, for completion.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Schema {
    /// Tables and views.
    pub tables: Vec<Table>,
    /// Functions.
    pub functions: Vec<String>,
}

/// A table or view.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Table {
    /// Its name.
    pub name: String,
    /// `table`, `view` or `virtual`: a table that takes arguments.
    pub kind: String,
    /// Its columns, without the arguments.
    pub columns: Vec<String>,
    /// Its arguments.
    pub arguments: Vec<String>,
}

/// A line of the answer to a hint: the result of one level.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Hint {
    /// The level.
    pub level: u8,
    /// The moves, best first.
    pub moves: Vec<HintMove>,
}

/// A searched move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct HintMove {
    /// The square, or `pa` for a pass.
    pub square: String,
    /// The score for the side that makes it.
    pub score: i8,
    /// The depth in plies.
    pub depth: u8,
    /// The confidence that pruning made no error, in percent.
    pub probability: Option<u8>,
    /// Whether the score is exact.
    pub proven: bool,
    /// The best line that begins with it.
    pub variation: String,
}

/// A line of the answer to a review: the moves, judged by the book and by searches at one level.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Review {
    /// The level of the searches.
    pub level: u8,
    /// The value of the first position, for Black.
    pub value: i16,
    /// Black's losses.
    pub black: Losses,
    /// White's losses.
    pub white: Losses,
    /// The moves.
    pub moves: Vec<ReviewedMove>,
    /// The game with the worth after each move and remarks on losses, as `obook check --output` writes it.
    pub ggf: String,
    /// The same as SGF.
    pub sgf: String,
}

/// The discs that one side gave up when it had a choice.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Losses {
    /// Moves with a choice.
    pub moves: u64,
    /// Moves that gave nothing up.
    pub best: u64,
    /// The discs given up.
    pub loss: i64,
    /// The same for each move; `null` if there was no choice.
    pub mean: Option<f64>,
}

/// A move of a line, judged.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct ReviewedMove {
    /// The square, or `pa` for a pass.
    pub square: String,
    /// The value after the move, for Black.
    pub value: i16,
    /// Where this value comes from: `book`, `leaf`, `search`, `solved` or `final`.
    pub source: String,
    /// The discs that the move gave up.
    pub loss: i16,
    /// The best move; `null` if there was no choice or the book doesn't know it.
    pub best: Option<String>,
}

/// An error.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(utoipa::ToSchema))]
pub struct Failed {
    /// Always `false`.
    pub ok: bool,
    /// The problem, in one sentence.
    pub error: String,
    /// The place in the SQL, in UTF-16 code units, as JavaScript counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// The HTTP status.
    pub status: u16,
}

/// A position.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct At {
    /// Moves such as `f5d6c3`, the name of an opening, a key, or 64 squares and the side to move; the start position if it is
    /// left out.
    pub at: String,
}

/// A position, and whose games are counted.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct PositionOf {
    /// Moves such as `f5d6c3`, the name of an opening, a key, or 64 squares and the side to move; the start position if it is
    /// left out.
    pub at: String,
    /// Part of the name of a player of either colour,
    pub player: Option<String>,
    /// of Black's player,
    pub black: Option<String>,
    /// and of White's. Only the games that match are counted.
    pub white: Option<String>,
}

/// A player whose games are compared with a book.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub struct DeparturesOf {
    /// The whole name.
    pub player: String,
    /// The name of the book with the games (default: this one).
    pub games: Option<String>,
    /// Only games of this colour: `black` or `white`.
    pub side: Option<Side>,
}

/// A position and the rule to choose its move.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct ChoiceOf {
    /// The position, as for `position`.
    pub at: String,
    /// The rule: `best`, `loss:N`, `edax:N` or `egaroucid:N`, as for `obook play` (default: best).
    pub rule: Option<String>,
    /// The seed: the same one chooses the same move (default: 0).
    pub seed: u32,
}

/// Files that are sent together, one after another.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub struct Files {
    /// Their names and lengths: `[{"name": "WTH_2004.wtb", "bytes": 1234}, …]`.
    pub files: String,
}

/// A file that is sent.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: usize,
}

/// The number of a game.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub struct WhichGame {
    /// The number, as in the list of games.
    pub number: i64,
}

/// A filter for games.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct GamesOf {
    /// The position, as for `position`.
    pub at: String,
    /// Part of the name of a player.
    pub player: Option<String>,
    /// Part of the name of a tournament.
    pub tournament: Option<String>,
    /// The first year.
    pub since: Option<u16>,
    /// The last year.
    pub until: Option<u16>,
    /// Only games below this number: the `next` of the answer before.
    pub before: Option<i64>,
    /// The maximum number of games, at most 500 (default: 50).
    pub limit: Option<u32>,
    /// Whether to list all games, not only those through the position.
    pub anywhere: bool,
}

/// A text to read.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// Any notation that obook knows.
    pub text: String,
}

/// A search for openings.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct Search {
    /// Part of a name, in English or Japanese.
    pub search: String,
}

/// Limits of a search for moves near best play.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(deny_unknown_fields)]
pub struct Near {
    /// The position to start from (default: the start).
    pub at: Option<String>,
    /// The maximum loss of a line in discs (default: 2).
    pub loss: Option<u8>,
    /// The maximum number of moves, at most 200 (default: 20).
    pub limit: Option<u32>,
}

/// The question for a search.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct HintOf {
    /// The position, as for `position`.
    pub at: String,
    /// The last level, 1 to 30 (default: 16).
    pub level: Option<u8>,
}

/// The question for a review.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct ReviewOf {
    /// The line, as for `position`.
    pub at: String,
    /// The last level, 1 to 30 (default: 10).
    pub level: Option<u8>,
    /// The record of the game in GGF, which has the same moves. The game with remarks keeps its names, times and remarks.
    pub record: Option<String>,
}

/// The subject of a picture.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct Picture {
    /// The position to start from, for `tree`.
    pub at: String,
    /// The number of the change, for `growth` (default: the last one that learned something).
    pub change: Option<i64>,
}

#[cfg(test)]
mod tests {
    use super::{Failed, Hint, Review};
    use crate::{answers::*, repertoire::*, server::*, sql::*, write::*};
    use utoipa::OpenApi;

    /// The description of the API.
    #[derive(OpenApi)]
    #[openapi(
        info(title = "obook explorer", description = "Othello opening books"),
        paths(
            books,
            open,
            version,
            position,
            choose,
            games,
            game,
            why,
            parents,
            transpositions,
            parse,
            openings,
            info,
            stats,
            history,
            frontier,
            worst,
            plot,
            sql,
            schema,
            hint,
            review,
            repertoire,
            keep,
            players,
            departures,
            value,
            add_line,
            search,
            undo
        ),
        components(schemas(Failed, Hint, Review))
    )]
    struct Description;

    /// With `OBOOK_RECORD` set, the test writes the file anew.
    #[test]
    fn the_committed_description_is_that_of_the_code() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/openapi.json");
        let description = Description::openapi().to_pretty_json().unwrap() + "\n";
        if std::env::var_os("OBOOK_RECORD").is_some() {
            std::fs::write(path, &description).unwrap();
        }
        assert!(
            std::fs::read_to_string(path).unwrap() == description,
            "run this test with OBOOK_RECORD=1 and commit openapi.json"
        );
    }
}
