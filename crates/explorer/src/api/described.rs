//! The description of the API: its addresses, and values whose types are obook's.

use super::*;

/// The books that are served
#[utoipa::path(get, path = "/api/books", responses((status = 200, body = Books)))]
pub(super) fn books() {}

/// Serves a book, or games with their lists of names, until the server ends or more are sent. The body holds the files one after another
#[utoipa::path(post, path = "/api/open", params(Files), request_body(content = Vec<u8>, content_type = "application/octet-stream"),
    responses((status = 200, body = Opened), (status = 400, body = Failed), (status = 503, body = Failed)))]
pub(super) fn open() {}

/// The version of a book, to notice that another process has changed it
#[utoipa::path(get, path = "/api/{book}/version", params(("book" = String, Path)),
    responses((status = 200, body = Version), (status = 304, description = "unchanged"), (status = 404, body = Failed)))]
pub(super) fn version() {}

/// A text in any notation as a line
#[utoipa::path(get, path = "/api/{book}/parse", params(("book" = String, Path), Text),
    responses((status = 200, body = Parsed), (status = 400, body = Failed)))]
pub(super) fn parse() {}

/// An overview of the book
#[utoipa::path(get, path = "/api/{book}/info", params(("book" = String, Path)),
    responses((status = 200, body = Info), (status = 304, description = "unchanged")))]
pub(super) fn info() {}

/// A picture: `empties.svg`, `scores.svg`, `tree.svg` or `growth.svg`
#[utoipa::path(get, path = "/api/{book}/plot/{kind}", params(("book" = String, Path), ("kind" = String, Path), Picture),
    responses((status = 200, body = String, content_type = "image/svg+xml"), (status = 304, description = "unchanged"),
        (status = 404, body = Failed)))]
pub(super) fn plot() {}

/// The rows of a SQL query, as lines of JSON: `{"columns": […]}`, a list for each row, and at the end `{"rows", "ms",
/// "truncated"}` or an error. Bytes are hexadecimal digits
#[utoipa::path(post, path = "/api/{book}/sql", params(("book" = String, Path)), request_body = Sql,
    responses((status = 200, body = String, content_type = "application/x-ndjson"), (status = 400, body = Failed),
        (status = 503, body = Failed)))]
pub(super) fn sql() {}

/// The best moves by obook's own engine, as lines of JSON: one for each level. To stop the search, close the connection
#[utoipa::path(get, path = "/api/{book}/hint", params(("book" = String, Path), HintOf),
    responses((status = 200, body = Hint, content_type = "application/x-ndjson"), (status = 400, body = Failed),
        (status = 503, body = Failed)))]
pub(super) fn hint() {}

/// What the moves of a line gave up, by the book and beyond it by obook's own engine, as lines of JSON: one for each level. To stop the
/// search, close the connection
#[utoipa::path(get, path = "/api/{book}/review", params(("book" = String, Path), ReviewOf),
    responses((status = 200, body = Review, content_type = "application/x-ndjson"), (status = 400, body = Failed),
        (status = 503, body = Failed)))]
pub(super) fn review() {}

/// A position with its moves, their games, and the best line
#[utoipa::path(get, path = "/api/{book}/position", params(("book" = String, Path), PositionOf),
    responses((status = 200, body = Position), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(super) fn position() {}

/// A move that a rule chooses
#[utoipa::path(get, path = "/api/{book}/choose", params(("book" = String, Path), ChoiceOf),
    responses((status = 200, body = Chosen), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(super) fn choose() {}

/// The games through a position
#[utoipa::path(get, path = "/api/{book}/games", params(("book" = String, Path), GamesOf),
    responses((status = 200, body = Games), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(super) fn games() {}

/// The players of the games whose names contain a text
#[utoipa::path(get, path = "/api/{book}/players", params(("book" = String, Path), Search),
    responses((status = 200, body = Players), (status = 304, description = "unchanged")))]
pub(super) fn players() {}

/// Where a player leaves the book, as `obook repertoire`
#[utoipa::path(get, path = "/api/{book}/departures", params(("book" = String, Path), DeparturesOf),
    responses((status = 200, body = Departures), (status = 404, body = Failed)))]
pub(super) fn departures() {}

/// Why a position has its value, as `obook why --json`
#[utoipa::path(get, path = "/api/{book}/why", params(("book" = String, Path), At),
    responses((status = 200, body = Why), (status = 304, description = "unchanged"), (status = 400, body = Failed),
        (status = 404, body = Failed)))]
pub(super) fn why() {}

/// The positions from which the book leads to a position
#[utoipa::path(get, path = "/api/{book}/parents", params(("book" = String, Path), At),
    responses((status = 200, body = Parents), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(super) fn parents() {}

/// The moves to positions of the book, each with the number of positions from which the book leads there
#[utoipa::path(get, path = "/api/{book}/transpositions", params(("book" = String, Path), At),
    responses((status = 200, body = Transpositions), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(super) fn transpositions() {}

/// A game of the book
#[utoipa::path(get, path = "/api/{book}/game", params(("book" = String, Path), WhichGame),
    responses((status = 200, body = Parsed), (status = 304, description = "unchanged"), (status = 404, body = Failed)))]
pub(super) fn game() {}

/// Openings by name, with their values
#[utoipa::path(get, path = "/api/{book}/openings", params(("book" = String, Path), Search),
    responses((status = 200, body = Openings), (status = 304, description = "unchanged")))]
pub(super) fn openings() {}

/// Positions by empty squares and by value
#[utoipa::path(get, path = "/api/{book}/stats", params(("book" = String, Path)),
    responses((status = 200, body = Stats), (status = 304, description = "unchanged")))]
pub(super) fn stats() {}

/// The changes that were made to the book
#[utoipa::path(get, path = "/api/{book}/history", params(("book" = String, Path)),
    responses((status = 200, body = History), (status = 304, description = "unchanged")))]
pub(super) fn history() {}

/// The leaves nearest to best play
#[utoipa::path(get, path = "/api/{book}/frontier", params(("book" = String, Path), Near),
    responses((status = 200, body = NearBest), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(super) fn frontier() {}

/// The most costly moves near best play
#[utoipa::path(get, path = "/api/{book}/worst", params(("book" = String, Path), Near),
    responses((status = 200, body = NearBest), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(super) fn worst() {}

/// The tables, columns and functions of SQL
#[utoipa::path(get, path = "/api/{book}/sql/schema", params(("book" = String, Path)),
    responses((status = 200, body = Schema), (status = 304, description = "unchanged")))]
pub(super) fn schema() {}

/// Enters or removes a person's value, as `obook edit`
#[utoipa::path(post, path = "/api/{book}/value", params(("book" = String, Path)), request_body = EnterValue,
    responses((status = 200, body = Entered), (status = 400, body = Failed), (status = 403, body = Failed),
        (status = 409, body = Failed)))]
pub(super) fn value() {}

/// Queues searches of the positions of a line that the book lacks, for the next run of `obook learn`
#[utoipa::path(post, path = "/api/{book}/line", params(("book" = String, Path)), request_body = Wanted,
    responses((status = 200, body = Queued), (status = 400, body = Failed), (status = 403, body = Failed),
        (status = 409, body = Failed)))]
pub(super) fn add_line() {}

/// Queues a search of a position's moves out of the book, for the next run of `obook learn`
#[utoipa::path(post, path = "/api/{book}/search", params(("book" = String, Path)), request_body = Wanted,
    responses((status = 200, body = Queued), (status = 400, body = Failed), (status = 403, body = Failed),
        (status = 409, body = Failed)))]
pub(super) fn search() {}

/// Undoes the last change, as `obook undo`
#[utoipa::path(post, path = "/api/{book}/undo", params(("book" = String, Path)), request_body = Undo,
    responses((status = 200, body = Undone), (status = 400, body = Failed), (status = 403, body = Failed),
        (status = 409, body = Failed)))]
pub(super) fn undo() {}

/// The moves that a person marked, and the notes
#[utoipa::path(get, path = "/api/{book}/repertoire", params(("book" = String, Path)),
    responses((status = 200, body = Repertoire), (status = 304, description = "unchanged"), (status = 400, body = Failed)))]
pub(super) fn repertoire() {}

/// Marks moves as one's own, or no longer, and writes or removes notes, as `obook query --write`
#[utoipa::path(post, path = "/api/{book}/repertoire", params(("book" = String, Path)), request_body = Keep,
    responses((status = 200, body = Kept), (status = 400, body = Failed), (status = 403, body = Failed),
        (status = 409, body = Failed)))]
pub(super) fn keep() {}

/// A named opening.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Opening {
    /// The English name, or the Japanese one if there is no English name.
    pub(crate) name: String,
    /// The Japanese name.
    pub(crate) japanese: Option<String>,
    /// Its moves.
    pub(crate) line: String,
}

/// Whether a move stays in the book.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LinkOrLeaf {
    /// To a position of the book.
    Link,
    /// Out of the book; it was searched.
    Leaf,
}

/// A game through a position. Names come from strangers: they are text, never HTML.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Game {
    /// Its number in the database.
    pub(crate) game: i64,
    /// YYYY, YYYY-MM or YYYY-MM-DD.
    pub(crate) date: Option<String>,
    /// The tournament.
    pub(crate) tournament: Option<String>,
    /// Black's player.
    pub(crate) black: Option<String>,
    /// White's player.
    pub(crate) white: Option<String>,
    /// Black's discs minus White's at the end.
    pub(crate) score: Option<i8>,
    /// The move played here, in the orientation of the line.
    pub(crate) square: Option<String>,
    /// All moves in the orientation of the record; `null` if it began with another position.
    pub(crate) moves: Option<String>,
}

/// Counts over the positions with the same number of empty squares.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Stage {
    /// Empty squares.
    pub(crate) empties: u32,
    /// Positions.
    pub(crate) positions: u64,
    /// Links.
    pub(crate) links: u64,
    /// Leaves.
    pub(crate) leaves: u64,
    /// Positions without a link.
    pub(crate) terminal: u64,
}

/// Whether a change can be undone or redone.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Log {
    /// Yes.
    Kept,
    /// No: the log was dropped.
    Dropped,
    /// No: there never was a log.
    None,
}

/// The explanation of a value, as `obook why --json`.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Why {
    /// The line to the position.
    pub(crate) line: String,
    /// Its 64 squares and the side to move.
    pub(crate) board: String,
    /// Its value.
    pub(crate) value: i16,
    /// The moves that carry the value to where it comes from.
    pub(crate) steps: Vec<WhyStep>,
    /// The score that the value comes from.
    pub(crate) decides: Payoff,
    /// The other moves of the position that the score is of.
    pub(crate) beside: Vec<Alternative>,
    /// The values if a single score moved.
    pub(crate) shifts: Vec<Shift>,
    /// All shifts of scores are known for losses up to this.
    pub(crate) complete_to: i16,
    /// Searches for a value that seems too low.
    pub(crate) too_low: Vec<Addition>,
    /// Searches for one that seems too high.
    pub(crate) too_high: Lowering,
    /// The positions that were read.
    pub(crate) read: u64,
}

/// A move of the line that carries a value.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WhyStep {
    /// Discs placed since the start position, including this move.
    pub(crate) ply: usize,
    /// The square, or `pa` for a pass.
    #[serde(rename = "move")]
    pub(crate) mv: String,
    /// The score for the side that makes it.
    pub(crate) score: i16,
    /// The other moves there.
    pub(crate) others: Vec<Alternative>,
}

/// Another move than the best.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Alternative {
    /// The square, or `pa` for a pass.
    #[serde(rename = "move")]
    pub(crate) mv: String,
    /// Whether it stays in the book.
    pub(crate) kind: LinkOrLeaf,
    /// The discs by which it is worse.
    pub(crate) worse: i16,
}

/// A score that follows from no other.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Payoff {
    /// The line to it.
    pub(crate) line: String,
    /// Its kind: `leaf`, `end`, `position` or `person`.
    pub(crate) kind: String,
    /// The score.
    pub(crate) score: i16,
    /// The level of the search.
    pub(crate) level: Option<u8>,
    /// The engine that searched it.
    pub(crate) engine: String,
    /// The depth in plies.
    pub(crate) depth: Option<u8>,
    /// The confidence that pruning made no error, in percent.
    pub(crate) probability: Option<u8>,
    /// The error that the book allows for, in discs; 0: exact.
    pub(crate) error: Option<i32>,
}

/// The value if a single score moved.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shift {
    /// The score.
    pub(crate) payoff: Payoff,
    /// The discs by which it moves.
    pub(crate) shift: i16,
    /// The value then.
    pub(crate) value: i16,
}

/// A move to search if a value seems too low.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Addition {
    /// The line, with the move if it was searched.
    pub(crate) line: String,
    /// Whether it was searched: then the position after it would be added.
    pub(crate) searched: bool,
    /// The discs by which it is worse than the best move.
    pub(crate) worse: Option<i16>,
    /// The highest value that it alone can give.
    pub(crate) at_most: Option<i16>,
}

/// Searches for a value that seems too high.
#[derive(Serialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Lowering {
    /// The scores that hold the value up: `payoffs`, `exact` scores, or `unknown`.
    pub(crate) hangs_on: String,
    /// The discs by which all of `payoffs` would have to come down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) by: Option<i16>,
    /// The scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) payoffs: Option<Vec<Payoff>>,
}
