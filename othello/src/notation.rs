//! How people and programs write lines: what a text begins with, and its moves one by one.

/// What a line's text begins with.
pub(crate) enum Written {
    /// Moves from the start position, or nothing.
    Moves,
    /// A database key; moves may follow from byte `end` on.
    Key { key: u128, end: usize },
    /// 64 squares and a side; moves may follow from byte `end` on.
    Squares { end: usize },
}

/// Letters or digits of one move, and at which character of the text they begin, from 1.
pub(crate) struct Word {
    pub(crate) at: usize,
    pub(crate) text: String,
}

/// Squares of a board and the side to move.
const BOARD_LEN: usize = 65;
/// Hexadecimal digits of a key.
const KEY_LEN: usize = 32;
/// So many characters without the digit of a rank can only be squares of a board.
const NO_MOVES_LEN: usize = 16;

pub(crate) fn split(text: &str) -> Written {
    if let Some(written) = key(text) {
        return written;
    }
    let mut letters = text.char_indices().filter(|(_, c)| !c.is_whitespace());
    let is_rank = |(_, c): (usize, char)| ('1'..='8').contains(&c);
    let begin = || letters.clone().take(NO_MOVES_LEN);
    if begin().count() < NO_MOVES_LEN || begin().any(is_rank) {
        return Written::Moves;
    }
    let last = letters.nth(BOARD_LEN - 1);
    let end = last.map_or(text.len(), |(at, c)| at + c.len_utf8());
    Written::Squares { end }
}

/// A key as `x'…'` or without quotes, its first half apart from its second or not.
fn key(text: &str) -> Option<Written> {
    let begin = text.trim_start();
    let quoted = begin
        .strip_prefix(['x', 'X'])
        .and_then(|rest| rest.strip_prefix('\''));
    let digits = quoted.unwrap_or(begin);
    let first = digits.get(..KEY_LEN / 2)?;
    let second = digits.get(KEY_LEN / 2..)?.trim_start();
    let rest = second.get(KEY_LEN / 2..)?;
    let second = &second[..KEY_LEN / 2];
    let rest = match quoted {
        Some(_) => rest.strip_prefix('\'')?,
        None => rest,
    };
    let is_hex = |half: &str| half.bytes().all(|digit| digit.is_ascii_hexdigit());
    let ends = !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    // Hexadecimal digits that are moves are moves: the first bits of a key are those of the smallest of eight boards.
    let are_moves = [first, second].concat().as_bytes().chunks(2).all(|mv| {
        matches!(mv[0].to_ascii_lowercase(), b'a'..=b'h') && (b'1'..=b'8').contains(&mv[1])
    });
    if !is_hex(first) || !is_hex(second) || !ends || are_moves {
        return None;
    }
    let half = |half: &str| u64::from_str_radix(half, 16).ok().map(u128::from);
    let key = half(first)? << 64 | half(second)?;
    let end = text.len() - rest.len();
    Some(Written::Key { key, end })
}

/// The moves of a text from byte `from` on, without what stands between them: white space, punctuation, numbers of moves.
pub(crate) fn moves(text: &str, from: usize) -> impl Iterator<Item = Word> + '_ {
    let mut rest = &text[from..];
    let mut at = text[..from].chars().count();
    std::iter::from_fn(move || {
        let begin = skip(rest);
        at += rest[..rest.len() - begin.len()].chars().count() + 1;
        let word_at = at;
        let mut letters = begin.chars();
        let mut word = String::from(letters.next()?);
        // White space may stand inside a move, as people type it.
        let second = letters.as_str().trim_start();
        let mut letters = second.chars();
        word.extend(letters.next());
        rest = letters.as_str();
        if word.eq_ignore_ascii_case("pa") {
            rest = skip_rest_of_pass(rest);
        }
        at += begin[..begin.len() - rest.len()].chars().count() - 1;
        Some(Word {
            at: word_at,
            text: word,
        })
    })
}

/// Passes over what stands between moves.
fn skip(mut text: &str) -> &str {
    loop {
        let rest = text.trim_start_matches(|c: char| c.is_whitespace() || ",;.".contains(c));
        // Two dashes are a pass.
        let rest = match rest.strip_prefix('-') {
            Some(after) if !after.starts_with('-') => after,
            _ => rest,
        };
        // The number of a move ends with a point or a bracket.
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let rest = match after.strip_prefix(['.', ')', ':']) {
            Some(after_number) if after.len() < rest.len() => after_number,
            _ => rest,
        };
        if rest.len() == text.len() {
            return text;
        }
        text = rest;
    }
}

/// Passes over the `ss` of a `pass`: no move begins with that letter.
fn skip_rest_of_pass(text: &str) -> &str {
    fn after_s(text: &str) -> Option<&str> {
        text.trim_start().strip_prefix(['s', 'S'])
    }
    after_s(text).and_then(after_s).unwrap_or(text)
}
