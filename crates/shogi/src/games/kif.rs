//! Kakinoki's format, and KI2, whose moves name no squares of origin.
//!
//! ```text
//! 開始日時：2018/05/03
//! 手合割：平手
//! 先手：Black
//! 後手：White
//! 手数----指手---------消費時間--
//!    1 ７六歩(77)   ( 0:16/00:00:16)
//!    2 投了
//! ```

use super::draft::{Draft, Start};
use super::ki2::{self, MARKS};
use super::{Certainty, End, Game, Lines, Outcome, Record, in_a_line, known, written_date};
use crate::kif::{Kif, RANKS, name};
use crate::{Board, Colour, Hand, Move, Piece, PieceType, Square, shown};
use std::fmt::Write as _;

/// Handicaps: their names here and in JKF, and the squares of the pieces that White plays without.
pub(super) const HANDICAPS: [(&str, &str, &str); 17] = [
    ("平手", "HIRATE", ""),
    ("香落ち", "KY", "1a"),
    ("右香落ち", "KY_R", "9a"),
    ("角落ち", "KA", "2b"),
    ("飛車落ち", "HI", "8b"),
    ("飛落ち", "HI", "8b"),
    ("飛香落ち", "HIKY", "8b 1a"),
    ("二枚落ち", "2", "8b 2b"),
    ("三枚落ち", "3", "8b 2b 1a"),
    ("四枚落ち", "4", "8b 2b 1a 9a"),
    // Right and left are White's.
    ("五枚落ち", "5", "8b 2b 1a 9a 8a"),
    ("左五枚落ち", "5_L", "8b 2b 1a 9a 2a"),
    ("六枚落ち", "6", "8b 2b 1a 9a 2a 8a"),
    ("左七枚落ち", "7_L", "8b 2b 1a 9a 2a 8a 3a"),
    ("右七枚落ち", "7_R", "8b 2b 1a 9a 2a 8a 7a"),
    ("八枚落ち", "8", "8b 2b 1a 9a 2a 8a 3a 7a"),
    ("十枚落ち", "10", "8b 2b 1a 9a 2a 8a 3a 7a 4a 6a"),
];

/// Fields that stand before the moves, besides those of the sides. Programs add others.
const FIELDS: [&str; 6] = ["開始日時", "対局日", "棋戦", "場所", "手合割", "表題"];

/// The names of the sides, without and with a handicap.
const SIDES: [(&str, Colour); 4] = [
    ("先手", Colour::Black),
    ("下手", Colour::Black),
    ("後手", Colour::White),
    ("上手", Colour::White),
];

/// The side with this name.
fn side(name: &str) -> Option<Colour> {
    let named = SIDES.iter().find(|(known, _)| *known == name);
    named.map(|&(_, side)| side)
}

/// Whether a field with this name stands before the moves.
fn is_field(name: &str) -> bool {
    FIELDS.contains(&name) || side(name.strip_suffix("の持駒").unwrap_or(name)).is_some()
}

/// A word for the end of a game, and what it means, given the side to move.
type Ending = (&'static str, fn(Colour) -> End);

const ENDS: [Ending; 17] = [
    ("投了", |_| End::Resigned),
    // Before the words that they contain.
    ("不詰", |_| End::BrokenOff),
    ("詰", |_| End::Mate),
    ("切れ負け", |_| End::TimeOut),
    ("時間切れ", |_| End::TimeOut),
    ("Time-up", |_| End::TimeOut),
    ("反則負け", End::Foul),
    ("反則勝ち", |turn| End::Foul(turn.other())),
    ("入玉勝ち", |_| End::Declared),
    ("宣言勝ち", |_| End::Declared),
    ("勝ち宣言", |_| End::Declared),
    ("千日手", |_| End::Repetition),
    ("持将棋", |_| End::Impasse),
    ("引き分け", |_| End::Impasse),
    ("中断", |_| End::BrokenOff),
    ("封じ手", |_| End::BrokenOff),
    ("最大手数", |_| End::BrokenOff),
];

/// The most moves before variations of a record, all together. Files may be hostile.
const MOST_VARIED: usize = 1 << 17;

/// Words for an end that tell the winner, given the side to move, but nothing that happened on the board.
const DEFAULTS: [(&str, Winner); 2] = [("不戦勝", |turn| turn), ("不戦敗", |turn| turn.other())];

/// The winner, given the side to move.
type Winner = fn(Colour) -> Colour;

/// How surely a line is one of this format.
pub(super) fn tells(line: &str) -> Option<Certainty> {
    let is_known = |name: &str| is_field(name) || name == "終了日時";
    // After a mark, as in KI2, or after its number.
    let marked = line.strip_prefix(MARKS).map(str::trim_start);
    let text = marked.or_else(|| numbered(line).map(|(_, text)| text));
    let is_move = (text.and_then(target)).is_some_and(|(_, rest)| kind(rest).is_some());
    let is_count = line.starts_with("手数----") || line.starts_with("手数＝");
    if is_count || is_move {
        return Some(Certainty::Certain);
    }
    match field(line) {
        Some((name, _)) if is_known(name) && line.contains('：') => Some(Certainty::Certain),
        Some((name, _)) if is_known(name) => Some(Certainty::Likely),
        _ => None,
    }
}

/// A field's name and text. Some programs write half-width colons.
fn field(line: &str) -> Option<(&str, &str)> {
    let narrow = line.split_once(':');
    let narrow = narrow.filter(|(name, _)| is_field(name));
    narrow.or_else(|| line.split_once('：'))
}

/// Reads the next game.
pub(super) fn next(lines: &mut Lines<'_>) -> Option<Record> {
    let mut reading: Option<Reading> = None;
    while let Some(&(number, line)) = lines.peek() {
        let line = line.trim();
        let is_header =
            field(line).is_some_and(|(name, _)| is_field(name)) || line.starts_with("手数----");
        if is_header && reading.as_ref().is_some_and(Reading::has_begun) {
            break;
        }
        lines.next();
        if line.is_empty() || line.starts_with(['#', '*', '&']) {
            continue;
        }
        let reading = reading.get_or_insert_with(|| Reading::new(number));
        reading.draft.line = number;
        reading.line(line);
    }
    reading.map(Reading::finish)
}

/// A record while it is read.
#[derive(Default)]
pub(super) struct Reading {
    pub(super) draft: Draft,
    /// The lines of variations, each with the number of the first move that is its own.
    pub(super) variations: Vec<(usize, Game)>,
    /// The moves before them, all together.
    varied: usize,
    /// Whether the moves of the last one can't be read any more.
    is_cut_off: bool,
    /// The handicap, if the game has a known one.
    handicap: Option<&'static str>,
    /// The ranks of a drawn position, in order.
    ranks: Vec<String>,
    hands: [String; 2],
    turn: Colour,
    /// The number of the last move's line.
    number: usize,
}

impl Reading {
    pub(super) fn new(line: usize) -> Self {
        Self {
            draft: Draft::new(line),
            ..Self::default()
        }
    }

    fn has_begun(&self) -> bool {
        self.draft.has_moves() || self.draft.has_ended || !self.variations.is_empty()
    }

    fn line(&mut self, line: &str) {
        if let Some(from) = line.strip_prefix("変化：") {
            self.begin();
            self.branch(from);
        } else if !self.variations.is_empty() {
            self.vary(line);
        } else if line.starts_with("手数") {
        } else if line.starts_with("まで") {
            self.summary(line);
        } else if let Some((name, text)) = field(line) {
            self.field(name, text);
        } else if line.starts_with('|') {
            if self.ranks.len() < 9 {
                self.ranks.push(line.to_owned());
            }
        } else if line.starts_with(['+', '９']) && !self.draft.has_start {
            // The edge of a drawn position.
        } else if let Some(turn) = line.strip_suffix('番').and_then(side) {
            self.turn = turn;
        } else if line.starts_with(MARKS) {
            self.begin();
            let moves = line.split(MARKS).map(str::trim);
            for text in moves.filter(|text| !text.is_empty()) {
                let last = self.draft.record.game.last();
                self.draft.play(|board| ki2::read(board, last, text));
            }
        } else if let Some((number, text)) = numbered(line) {
            self.begin();
            self.numbered(number, text);
        } else if !self.draft.has_moves() || self.draft.has_ended {
            self.draft.note(line);
        } else {
            self.draft.fault(format!(
                "“{}” is neither a field such as 先手：… nor a move such as 1 ７六歩(77)",
                shown(line)
            ));
        }
    }

    pub(super) fn field(&mut self, name: &str, text: &str) {
        let game = &mut self.draft.record.game;
        match name {
            "先手" | "下手" => game.black = known(text),
            "後手" | "上手" => game.white = known(text),
            "棋戦" => game.event = known(text),
            "場所" => game.site = known(text),
            "開始日時" => game.date = super::date(text),
            "対局日" if game.date.is_none() => game.date = super::date(text),
            "手合割" => {
                let known = HANDICAPS.iter().find(|(known, ..)| *known == text.trim());
                self.handicap = known.map(|&(.., without)| without);
                // The moves tell whether it has another start than the usual one, unless the position is drawn.
                if known.is_none() {
                    self.draft.note(text);
                }
            }
            "先手の持駒" | "下手の持駒" => self.hands[0] = text.to_owned(),
            "後手の持駒" | "上手の持駒" => self.hands[1] = text.to_owned(),
            _ => self.draft.note(&format!("{name}：{text}")),
        }
    }

    /// Sets the start position before the first move.
    pub(super) fn begin(&mut self) {
        if !self.draft.has_start {
            let start = self.start();
            self.draft.begin(start);
        }
    }

    pub(super) fn finish(mut self) -> Record {
        self.begin();
        self.draft.record.variations = self.variations();
        self.draft.finish()
    }

    fn start(&self) -> Start {
        if self.ranks.is_empty() {
            return handicap(self.handicap.unwrap_or_default());
        }
        let mut squares = [None; Square::COUNT];
        for (rank, text) in (1..).zip(&self.ranks) {
            let drawn = text.trim_start_matches('|').split('|').next();
            let row = pieces(drawn.unwrap_or_default()).ok_or_else(|| {
                format!(
                    "rank {rank} is “{}”; expected nine squares such as ・, 歩 or v歩 between bars",
                    shown(text)
                )
            })?;
            for (at, piece) in Square::of_rank(rank).zip(row) {
                squares[at.index()] = piece;
            }
        }
        if self.ranks.len() != 9 {
            return Err(format!("it has {} ranks; expected 9", self.ranks.len()).into());
        }
        let hand = |text: &str| {
            hand(text).ok_or_else(|| {
                format!(
                    "the hand is “{}”; expected kinds with numbers, such as 飛　歩十二, or なし",
                    shown(text)
                )
            })
        };
        let hands = [hand(&self.hands[0])?, hand(&self.hands[1])?];
        Ok(Board::new(squares, hands, self.turn)?)
    }

    /// A line with a move or the end.
    fn numbered(&mut self, number: usize, text: &str) {
        let turn = self.draft.turn;
        if let Some((_, winner)) = DEFAULTS.iter().find(|(word, _)| text.starts_with(word)) {
            return self.draft.end_unnamed(Some(Outcome::Won(winner(turn))));
        }
        let ended = ENDS.iter().find(|(word, _)| text.starts_with(word));
        if let Some((_, end)) = ended {
            let end = match end(turn) {
                // The move that can't be played is the foul.
                End::Foul(_) if self.draft.is_cut_off() => End::Foul(self.draft.turn.other()),
                end => end,
            };
            return self.draft.end(end);
        }
        if self.draft.has_ended {
            let text = shown(text);
            let fault = format!("the move “{text}” follows the end of the game");
            return self.draft.fault(fault);
        }
        if target(text.trim_start_matches(MARKS)).is_none() && is_word(text) {
            self.draft.note(text);
            return self.draft.end_unnamed(None);
        }
        let (last, expected) = (self.draft.record.game.last(), self.number.saturating_add(1));
        // Games from a drawn position begin with any number.
        let is_next = number == expected || self.number == 0;
        self.number = number;
        self.draft.play(|board| match is_next {
            true => read(board, last, text),
            false => Err(format!("its number is {number}; expected {expected}")),
        });
    }

    /// Begins a variation, `5手`, of the last line that has the moves before it.
    fn branch(&mut self, from: &str) {
        let number = numbered(from).map_or(0, |(number, _)| number);
        let lines = self.variations.iter().rev();
        let lines = lines.map(|(first, line)| (*first, line));
        let of = lines
            .chain([(0, &self.draft.record.game)])
            .find(|(first, line)| *first < number && line.moves().len() + 1 >= number);
        let before = of.map(|(_, of)| of.moves()[..number - 1].to_vec());
        let line = before.and_then(|before| self.line_after(&before));
        self.is_cut_off = line.is_none();
        self.variations.push((number, line.unwrap_or_default()));
    }

    /// A line with these moves of another one; `None` if there are too many already.
    pub(super) fn line_after(&mut self, moves: &[Move]) -> Option<Game> {
        if self.varied >= MOST_VARIED {
            return None;
        }
        self.varied += moves.len() + 1;
        let mut line = Game::new(*self.draft.record.game.start());
        // They were played already.
        moves.iter().try_for_each(|&mv| line.play(mv))?;
        Some(line)
    }

    /// A line of a variation: its next move, or what follows the last one.
    fn vary(&mut self, line: &str) {
        let Some((_, game)) = self.variations.last_mut() else {
            return;
        };
        let next = game.moves().len() + 1;
        let last = game.last();
        let board = *game.board();
        let mv = numbered(line).filter(|(number, _)| *number == next);
        let mv = mv.and_then(|(_, text)| read(&board, last, text).ok());
        let is_open = !self.is_cut_off && next <= super::draft::LONGEST;
        let played = mv.filter(|_| is_open).and_then(|mv| game.play(mv));
        self.is_cut_off = played.is_none();
    }

    /// The variations with moves of their own.
    fn variations(&mut self) -> Vec<Game> {
        let names = &self.draft.record.game;
        let is_own = |(first, line): &(usize, Game)| line.moves().len() >= (*first).max(1);
        let lines = self.variations.drain(..).filter(is_own);
        let named = lines.map(|(_, line)| Game {
            black: names.black.clone(),
            white: names.white.clone(),
            event: names.event.clone(),
            site: names.site.clone(),
            date: names.date.clone(),
            ..line
        });
        named.collect()
    }

    /// The last line of many records: まで123手で先手の勝ち.
    fn summary(&mut self, line: &str) {
        if self.draft.has_ended {
            return;
        }
        self.begin();
        let turn = self.draft.turn;
        let named = (SIDES.iter()).find(|(name, _)| line.contains(&format!("{name}の")));
        let end = match named.map(|&(_, side)| side) {
            Some(side) if line.contains("反則負け") => End::Foul(side),
            Some(side) if line.contains("反則勝ち") => End::Foul(side.other()),
            Some(side) if line.contains("不戦勝") => {
                return self.draft.end_unnamed(Some(Outcome::Won(side)));
            }
            side => match ENDS.iter().find(|(word, _)| line.contains(word)) {
                Some((_, end)) => end(turn),
                None if side == Some(turn.other()) && line.contains("勝ち") => End::Resigned,
                None => {
                    self.draft.note(line);
                    return self.draft.end_unnamed(None);
                }
            },
        };
        self.draft.end(end);
    }
}

/// Whether a text is a word, such as an unknown one for the end, and no move that a fault has made unreadable. Its time may follow.
fn is_word(text: &str) -> bool {
    let word = text.split(['(', '（']).next().unwrap_or_default().trim();
    let is_letter = |letter: char| letter.is_alphabetic() || ['-', 'ー'].contains(&letter);
    !word.is_empty() && word.chars().all(is_letter)
}

/// The number at the beginning of a line, and what follows it.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let number = line[..digits].parse().ok()?;
    let text = line[digits..].trim_start();
    (!text.is_empty()).then_some((number, text))
}

fn handicap(without: &str) -> Start {
    let start = Board::start();
    if without.is_empty() {
        return Ok(start);
    }
    let mut squares = start.squares();
    for at in without.split_whitespace() {
        squares[at.parse::<Square>()?.index()] = None;
    }
    Ok(Board::new(squares, [Hand::default(); 2], Colour::White)?)
}

/// The squares of a drawn rank, two characters each.
fn pieces(text: &str) -> Option<[Option<Piece>; 9]> {
    // Of a longer text, one square more is enough to tell.
    let chars: Vec<char> = text.chars().take(2 * 10).collect();
    let square = |drawn: &[char]| {
        let colour = match drawn {
            [' ', '・'] => return Some(None),
            [' ' | '^', _] => Colour::Black,
            ['v' | 'V', _] => Colour::White,
            _ => return None,
        };
        let (kind, _) = kind(drawn[1].encode_utf8(&mut [0; 4]))?;
        Some(Some(Piece { kind, colour }))
    };
    let squares: Option<Vec<Option<Piece>>> = chars.chunks(2).map(square).collect();
    squares?.try_into().ok()
}

/// Reads a hand such as `飛　歩十二`.
fn hand(text: &str) -> Option<Hand> {
    let mut hand = Hand::default();
    if text.trim() == "なし" {
        return Some(hand);
    }
    for word in text.split_whitespace() {
        let (kind, number) = kind(word)?;
        let number = match number.strip_prefix('十') {
            Some("") => 10,
            Some(ones) => 10 + one_to_nine(ones)?,
            None if number.is_empty() => 1,
            None => one_to_nine(number)?,
        };
        if !PieceType::IN_HAND.contains(&kind) {
            return None;
        }
        hand.set(kind, hand.count(kind).checked_add(number)?);
    }
    Some(hand)
}

/// The number of a kanji from 一 to 九.
fn one_to_nine(kanji: &str) -> Option<u8> {
    let at = RANKS.iter().position(|&known| known == kanji)?;
    Some(at as u8 + 1)
}

/// The kind whose name a text begins with, and the rest.
pub(super) fn kind(text: &str) -> Option<(PieceType, &str)> {
    let full = PieceType::ALL.into_iter().map(|kind| (name(kind), kind));
    let short = PieceType::ALL.into_iter().map(|kind| (kind.kanji(), kind));
    let others = [("王", PieceType::King), ("竜", PieceType::Dragon)];
    let mut names = full.chain(short).chain(others);
    names.find_map(|(name, kind)| Some((kind, text.strip_prefix(name)?)))
}

/// The target that a move's text begins with, `None` inside for 同, and the rest.
pub(super) fn target(text: &str) -> Option<(Option<Square>, &str)> {
    if let Some(rest) = text.strip_prefix('同') {
        return Some((None, rest.trim_start()));
    }
    let mut chars = text.chars();
    let file = match chars.next()? {
        wide @ '１'..='９' => u32::from(wide) - u32::from('０'),
        digit => digit.to_digit(10)?,
    };
    let rank = one_to_nine(chars.next()?.encode_utf8(&mut [0; 4]))?;
    let to = Square::new(file as u8, rank)?;
    Some((Some(to), chars.as_str()))
}

/// Reads a move such as `７六歩(77)`. Its time may follow.
pub(super) fn read(board: &Board, last: Option<Square>, text: &str) -> Result<Move, String> {
    let text = text.trim_start_matches(MARKS);
    let parse = || {
        let (to, rest) = target(text)?;
        let (kind, rest) = kind(rest)?;
        if rest.starts_with('打') {
            let kind = Some(kind).filter(|kind| PieceType::IN_HAND.contains(kind))?;
            return Some((to, kind, None));
        }
        let (promotes, rest) = match rest.strip_prefix('成') {
            Some(rest) => (true, rest),
            None => (false, rest.strip_prefix("不成").unwrap_or(rest)),
        };
        let from = rest.trim_start().strip_prefix('(')?.get(..3)?;
        let from: u8 = from.strip_suffix(')')?.parse().ok()?;
        let from = Square::new(from / 10, from % 10)?;
        Some((to, kind, Some((from, promotes))))
    };
    let quoted = || format!("“{}”", shown(text));
    let (to, kind, step) = parse().ok_or_else(|| {
        let text = quoted();
        format!("{text} is no move; expected one such as ７六歩(77) or ５五角打")
    })?;
    let to = to.or(last).ok_or("同 follows no move")?;
    let Some((from, promotes)) = step else {
        return Ok(Move::Drop { kind, to });
    };
    match board.piece(from).is_some_and(|piece| piece.kind == kind) {
        true => Ok(Move::Step { from, to, promotes }),
        false => Err(misplaced(board, &quoted(), kind, from)),
    }
}

/// The problem with a move of a piece that isn't on its square.
pub(super) fn misplaced(board: &Board, mv: &str, kind: PieceType, from: Square) -> String {
    match board.piece(from).map(|piece| piece.kind) {
        Some(found) => format!("{mv} moves a {kind:?}, but the piece on {from} is a {found:?}"),
        None => format!("{mv} moves a {kind:?}, but {from} is empty"),
    }
}

/// The fields of a game that are known, each in a line, and their names.
pub(super) fn fields(game: &Game) -> impl Iterator<Item = (&'static str, String)> {
    let line = |text: &Option<String>| text.as_deref().map(in_a_line);
    let fields = [
        ("開始日時", game.date.as_deref().map(written_date)),
        ("棋戦", line(&game.event)),
        ("場所", line(&game.site)),
        ("先手", line(&game.black)),
        ("後手", line(&game.white)),
    ];
    (fields.into_iter()).filter_map(|(name, field)| Some((name, field?)))
}

/// Writes a game.
///
/// ```
/// use obook_shogi::games::{Game, kif};
///
/// let mut game = Game::default();
/// game.play("7g7f".parse()?);
/// assert!(kif::write(&game).ends_with("\n   1 ７六歩(77)\n"));
/// # Ok::<(), obook_shogi::ParseMoveError>(())
/// ```
#[must_use]
pub fn write(game: &Game) -> String {
    let mut text = head(game);
    text.push_str("手数----指手---------消費時間--\n");
    for (number, (board, last, mv)) in (1..).zip(game.steps()) {
        let board = &board;
        let shown = Kif { board, mv, last }.to_string();
        // Writing to a string never fails.
        let _ = writeln!(text, "{number:4} {}", shown.trim_start_matches(['▲', '△']));
    }
    let turn = game.board().turn();
    let word = match (game.recorded_end(), game.outcome) {
        (Some(End::Mate), _) => Some("詰み"),
        (Some(End::BrokenOff), _) => Some("中断"),
        (Some(end), _) => ENDS
            .iter()
            .find(|(_, known)| known(turn) == end)
            .map(|&(word, _)| word),
        (None, Some(Outcome::Won(winner))) => DEFAULTS
            .iter()
            .find(|(_, of)| of(turn) == winner)
            .map(|&(word, _)| word),
        (None, _) => None,
    };
    if let Some(word) = word {
        let _ = writeln!(text, "{:4} {word}", game.moves().len() + 1);
    }
    text
}

/// The fields and the start position of a game.
pub(super) fn head(game: &Game) -> String {
    let mut text = String::new();
    for (name, field) in fields(game) {
        text.push_str(&format!("{name}：{field}\n"));
    }
    if *game.start() == Board::start() {
        text.push_str("手合割：平手\n");
    } else {
        write_start(&mut text, game.start());
    }
    text
}

fn write_start(text: &mut String, start: &Board) {
    let hand = |colour| {
        let mut kinds = String::new();
        for (kind, count) in start.hand(colour).pieces() {
            let tens = if count >= 10 { "十" } else { "" };
            let ones = match count {
                1 | 10 => "",
                count => RANKS[usize::from(count % 10) - 1],
            };
            kinds.push_str(&format!("{}{tens}{ones}　", kind.kanji()));
        }
        match kinds.is_empty() {
            true => String::from("なし"),
            false => kinds,
        }
    };
    let _ = writeln!(text, "後手の持駒：{}", hand(Colour::White));
    let diagram = start.diagram(crate::Pieces::Kanji).to_string();
    // The hands are fields here.
    for line in diagram.lines().filter(|line| !line.starts_with(['▲', '△'])) {
        text.push_str(line);
        text.push('\n');
    }
    let _ = writeln!(text, "先手の持駒：{}", hand(Colour::Black));
    text.push_str(match start.turn() {
        Colour::Black => "先手番\n",
        Colour::White => "後手番\n",
    });
}
