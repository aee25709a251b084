//! JSON Kifu Format: an object of JSON, whose moves may have branches.
//!
//! ```text
//! {"header":{"先手":"Black","後手":"White"},"initial":{"preset":"HIRATE"},"moves":[{},
//!  {"move":{"color":0,"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"},
//!   "forks":[[{"move":{"color":0,"from":{"x":2,"y":7},"to":{"x":2,"y":6},"piece":"FU"}}]]},
//!  {"special":"TORYO"}]}
//! ```

use super::draft::Start;
use super::kif::{self, HANDICAPS, Reading};
use super::{Certainty, Game, Lines, Record, csa, ki2};
use crate::kif::{RANKS, name};
use crate::{Board, Colour, Hand, Move, Piece, PieceType, Square, shown};
use serde_json::{Map, Value, json};

/// The letters of the words by which KI2 tells pieces apart, and these words.
const WORDS: (&str, &str) = ("LCRUMDH", "左直右上寄引打");

/// How surely a line is one of this format. Objects of other programs have moves somewhere, too.
pub(super) fn tells(line: &str) -> Option<Certainty> {
    let inside = line.trim_start_matches(['[', '{', ' ', '\t']);
    let begins = |field: &str| inside.starts_with(field);
    let is_field = begins("\"header\"") || begins("\"initial\"");
    (is_field || line.starts_with('{') && begins("\"moves\"")).then_some(Certainty::Certain)
}

/// Reads the next game.
pub(super) fn next(lines: &mut Lines<'_>) -> Option<Record> {
    let (number, text) = object(lines)?;
    let mut reading = Reading::new(number);
    let mut values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    match values.next().unwrap_or(Ok(Value::Null)) {
        Err(error) => reading.draft.fault(format!("it is no JSON: {error}")),
        Ok(value) => {
            read(&mut reading, &value);
            let rest = text.get(values.byte_offset()..).unwrap_or_default();
            if !rest.trim_matches([' ', '\t', ',', ']']).is_empty() {
                let rest = shown(rest);
                reading.draft.fault(format!(
                    "“{rest}” follows the record; expected each record on lines of its own"
                ));
            }
        }
    }
    Some(reading.finish())
}

/// The next object as one line, and the number of its first line.
fn object(lines: &mut Lines<'_>) -> Option<(usize, String)> {
    let (number, first) = lines.find(|(_, line)| line.contains('{'))?;
    let mut text = first[first.find('{')?..].to_owned();
    let (mut depth, mut is_text, mut is_escaped, mut read) = (0, false, false, 0);
    loop {
        for byte in text[read..].bytes() {
            match (byte, is_text) {
                (b'"', _) if !is_escaped => is_text = !is_text,
                (b'{', false) => depth += 1,
                (b'}', false) => depth -= 1,
                _ => {}
            }
            is_escaped = is_text && byte == b'\\' && !is_escaped;
        }
        read = text.len();
        if depth <= 0 {
            return Some((number, text));
        }
        let Some((_, line)) = lines.next() else {
            return Some((number, text));
        };
        text.push(' ');
        text.push_str(line);
    }
}

fn read(reading: &mut Reading, record: &Value) {
    for (name, text) in record["header"].as_object().into_iter().flatten() {
        reading.field(name, text.as_str().unwrap_or_default());
    }
    let initial = &record["initial"];
    match initial["preset"].as_str() {
        Some("OTHER") => reading.draft.begin(start(&initial["data"])),
        Some(preset) => {
            let known = HANDICAPS.iter().find(|(_, known, _)| *known == preset);
            reading.field("手合割", known.map_or(preset, |(name, ..)| name));
        }
        None => {}
    }
    reading.begin();
    for item in record["moves"].as_array().into_iter().flatten() {
        if !reading.draft.skips() && forks(item).next().is_some() {
            let moves = reading.draft.record.game.moves().to_vec();
            forks(item).for_each(|fork| vary(reading, &moves, fork));
        }
        if let Some(mv) = item.get("move").filter(|mv| mv.is_object()) {
            if reading.draft.has_ended {
                reading.draft.fault("a move follows the end of the game");
                return;
            }
            let last = reading.draft.record.game.last();
            reading.draft.play(|board| read_move(board, last, mv));
        }
        if let Some(word) = item["special"].as_str() {
            csa::end(&mut reading.draft, word);
        }
    }
}

/// The moves that may be played instead of a move.
fn forks(item: &Value) -> impl Iterator<Item = &Vec<Value>> {
    let forks = item["forks"].as_array().into_iter().flatten();
    forks.filter_map(Value::as_array)
}

/// Adds the line of a fork after these moves, and those of its own forks.
fn vary(reading: &mut Reading, before: &[Move], fork: &[Value]) {
    let Some(mut line) = reading.line_after(before) else {
        return;
    };
    let mut inner = Vec::new();
    for item in fork {
        inner.extend(forks(item).map(|fork| (line.moves().to_vec(), fork)));
        let last = line.last();
        let mv = item.get("move").filter(|mv| mv.is_object());
        let mv = mv.and_then(|mv| read_move(line.board(), last, mv).ok());
        if mv.and_then(|mv| line.play(mv)).is_none() {
            break;
        }
    }
    reading.variations.push((before.len() + 1, line));
    for (before, fork) in inner {
        vary(reading, &before, fork);
    }
}

fn read_move(board: &Board, last: Option<Square>, mv: &Value) -> Result<Move, String> {
    let place = |name| {
        let number = |axis| u8::try_from(mv[name][axis].as_u64()?).ok();
        Square::new(number("x")?, number("y")?)
    };
    let kind = mv["piece"].as_str().and_then(csa::kind);
    let to = place("to").or(last.filter(|_| mv["same"] == true));
    let (Some(kind), Some(to)) = (kind, to) else {
        let mv = mv.to_string();
        return Err(format!(
            "“{}” is no move; expected piece, to and, unless it is dropped, from",
            shown(&mv)
        ));
    };
    if let Some(by) = mv["color"].as_u64().map(|by| Colour::white_if(by == 1))
        && by != board.turn()
    {
        return Err(format!(
            "it is a move of {by:?}, but it's the other side's turn"
        ));
    }
    let promotes = mv["promote"] == true;
    if let Some(from) = place("from") {
        let found = board.piece(from).map(|piece| piece.kind);
        return match found == Some(kind) {
            true => Ok(Move::Step { from, to, promotes }),
            false => Err(format!(
                "it moves a {kind:?} from {from}, where there is none"
            )),
        };
    }
    let relative = mv["relative"].as_str().unwrap_or_default();
    if relative.is_empty() && board.hand(board.turn()).count(kind) > 0 {
        return Ok(Move::Drop { kind, to });
    }
    // A record made of KI2.
    let words = relative.chars().filter_map(|letter| {
        let (letters, words) = WORDS;
        words.chars().nth(letters.find(letter)?)
    });
    let words: String = words.chain(promotes.then_some('成')).collect();
    let rank = RANKS[usize::from(to.rank()) - 1];
    let text = format!("{}{rank}{}{words}", to.file(), name(kind));
    ki2::read(board, last, &text)
}

/// Reads a position that no preset names.
fn start(data: &Value) -> Start {
    let fails = |what: &Value| {
        format!(
            "“{}” is no square or hand; expected a colour and a kind such as FU, or kinds with numbers",
            shown(&what.to_string())
        )
    };
    let mut squares = [None; Square::COUNT];
    for (file, column) in (1..=u8::MAX).zip(data["board"].as_array().into_iter().flatten()) {
        for (rank, square) in (1..=u8::MAX).zip(column.as_array().into_iter().flatten()) {
            let Some(kind) = square["kind"].as_str() else {
                continue;
            };
            let at = Square::new(file, rank).ok_or_else(|| fails(square))?;
            squares[at.index()] = Some(Piece {
                kind: csa::kind(kind).ok_or_else(|| fails(square))?,
                colour: Colour::white_if(square["color"] == 1),
            });
        }
    }
    let hand = |of: &Value| {
        let mut hand = Hand::default();
        for (kind, count) in of.as_object().into_iter().flatten() {
            let kind = csa::kind(kind).filter(|kind| PieceType::IN_HAND.contains(kind));
            let count = count.as_u64().and_then(|count| u8::try_from(count).ok());
            let (Some(kind), Some(count)) = (kind, count) else {
                return Err(fails(of));
            };
            hand.set(kind, count);
        }
        Ok(hand)
    };
    let hands = [hand(&data["hands"][0])?, hand(&data["hands"][1])?];
    let turn = Colour::white_if(data["color"] == 1);
    Ok(Board::new(squares, hands, turn)?)
}

/// Writes a game.
///
/// ```
/// use obook_shogi::games::{Game, jkf};
///
/// let mut game = Game::default();
/// game.play("7g7f".parse()?);
/// let mv = r#"{"move":{"color":0,"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU"}}"#;
/// assert_eq!(jkf::write(&game), format!("{{\"header\":{{}},\"initial\":{{\"preset\":\"HIRATE\"}},\"moves\":[{{}},{mv}]}}\n"));
/// # Ok::<(), obook_shogi::ParseMoveError>(())
/// ```
#[must_use]
pub fn write(game: &Game) -> String {
    let fields = kif::fields(game).map(|(name, field)| (name.to_owned(), field.into()));
    let header: Map<String, Value> = fields.collect();
    let mut moves = vec![json!({})];
    for (board, last, mv) in game.steps() {
        moves.push(json!({ "move": written_move(&board, last, mv) }));
    }
    if let Some(end) = game.recorded_end() {
        moves.push(json!({ "special": end.in_csa() }));
    }
    let record = json!({ "header": header, "initial": initial(game.start()), "moves": moves });
    format!("{record}\n")
}

fn written_move(board: &Board, last: Option<Square>, mv: Move) -> Value {
    let place = |at: Square| json!({ "x": at.file(), "y": at.rank() });
    let mut written = json!({ "color": board.turn() as u8 });
    let to = mv.to();
    match mv {
        Move::Step { from, promotes, .. } => {
            written["from"] = place(from);
            written["to"] = place(to);
            written["piece"] = board.piece(from).map(|piece| csa::name(piece.kind)).into();
            if promotes {
                written["promote"] = true.into();
            }
            if let Some(taken) = board.piece(to) {
                written["capture"] = csa::name(taken.kind).into();
            }
        }
        Move::Drop { kind, .. } => {
            written["to"] = place(to);
            written["piece"] = csa::name(kind).into();
            written["relative"] = "H".into();
        }
    }
    if last == Some(to) {
        written["same"] = true.into();
    }
    written
}

fn initial(start: &Board) -> Value {
    if *start == Board::start() {
        return json!({ "preset": "HIRATE" });
    }
    let square = |file, rank| match Square::new(file, rank).and_then(|at| start.piece(at)) {
        Some(Piece { kind, colour }) => json!({ "color": colour as u8, "kind": csa::name(kind) }),
        None => json!({}),
    };
    let column = |file| (1..=9).map(|rank| square(file, rank)).collect::<Value>();
    let hand = |colour| {
        let held = start.hand(colour).pieces();
        held.map(|(kind, count)| (csa::name(kind).to_owned(), count.into()))
            .collect::<Map<String, Value>>()
    };
    json!({
        "preset": "OTHER",
        "data": {
            "color": start.turn() as u8,
            "board": (1..=9).map(column).collect::<Value>(),
            "hands": Colour::ALL.map(hand),
        },
    })
}
