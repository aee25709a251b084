//! Telling WTHOR files from others, although they have no magic: a day, a size and a first move are telling.

use crate::wthor::moves::square;
use crate::wthor::{Header, Kind};
use obook_othello::Board;

/// Whether a `.wtb` file begins like this.
pub(crate) fn is_games(head: &[u8]) -> bool {
    let Some((header, records)) = split(head) else {
        return false;
    };
    match records.get(8) {
        Some(first) => header.games > 0 && header.names == 0 && (*first == 0 || opens(*first)),
        None => header.games == 0 && header.names == 0 && header.year > 0 && records.is_empty(),
    }
}

/// Which names a file that begins like this holds; `None` where it is no list of names.
pub(crate) fn names_of(head: &[u8]) -> Option<Kind> {
    let (header, records) = split(head)?;
    let is_list = |kind: &Kind| {
        let mut names = records
            .chunks_exact(kind.width())
            .take(header.names.into())
            .peekable();
        header.games == 0
            && names.peek().is_some()
            && names.all(|name| name[0] >= b' ' && name.ends_with(&[0]))
    };
    [Kind::Players, Kind::Tournaments].into_iter().find(is_list)
}

/// A header that could be one, and what follows.
fn split(head: &[u8]) -> Option<(Header, &[u8])> {
    let (header, records) = head.split_first_chunk()?;
    let header = Header::decode(header);
    let [_, year, month, day] = header.made;
    let is_day = header.made == [0; 4]
        || (year <= 99 && (1..=12).contains(&month) && (1..=31).contains(&day));
    let is_likely = is_day
        && [0, 8, 10].contains(&header.board_size)
        && header.kind <= 1
        && header.depth <= Header::DEEPEST;
    is_likely.then_some((header, records))
}

/// Whether this is the code of a first move.
fn opens(code: u8) -> bool {
    square(code).is_some_and(|square| Board::START.legal_moves().contains(square))
}
