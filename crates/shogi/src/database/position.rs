//! A position of a book, as rows hold it.

use crate::{At, Board, Book, BookMove, Colour, Comment, Entry, Move, Packed};
use rayon::prelude::*;
use std::ops::AddAssign;

/// A position with everything that the book knows about it. All moves are seen as in the [canonical](Board::canonical) position, in
/// which Black moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The canonical position.
    pub key: Packed,
    /// The files' records of it, with Black to move and with White to move. There is at least one.
    pub records: [Option<Record>; 2],
    /// Its own score, as of the last fix.
    pub value: Option<i32>,
    /// The length of the best line.
    pub depth: Option<u32>,
    /// The best move.
    pub best: Option<Move>,
    /// Moves to positions of the book, by move.
    pub links: Vec<Link>,
    /// Moves that files list, in their order. Those that are links too count no more.
    pub leaves: Vec<BookMove>,
}

/// The results of a fix for a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Own {
    pub(crate) value: Option<i32>,
    pub(crate) depth: Option<u32>,
    pub(crate) best: Option<Move>,
    pub(crate) links: Vec<Link>,
}

impl Own {
    /// As the book has it.
    pub(crate) fn of(position: &Position) -> Own {
        Own {
            value: position.value,
            depth: position.depth,
            best: position.best,
            links: position.links.clone(),
        }
    }
}

/// A file's record of a position, without its moves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The number of the next move.
    pub ply: Option<u32>,
    /// The comments beside it.
    pub comments: Vec<Comment>,
}

/// How to merge two books.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rule {
    /// Move by move: of two scores of a move, the deeper wins, and of equally deep ones the other book's; a score wins over none.
    /// Nothing that only one of them knows is lost.
    #[default]
    Moves,
    /// Position by position, as YaneuraOu's script does: of a position that both have, all moves are those of one book. That is the
    /// one with any moves, whose first move is deeper, or that has more moves; otherwise the first book.
    Positions,
}

/// A move to a position of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The move.
    pub mv: Move,
    /// Its score for the side that makes it.
    pub score: i32,
    /// The length of the best line that begins with it.
    pub depth: u32,
}

/// A move of a position: a link, or a leaf that isn't one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The move with its score and depth, and the count and expected answer of its leaf.
    pub listed: BookMove,
    /// Whether it leads to a position of the book.
    pub is_link: bool,
    /// Of a link: the score that files list for the move.
    pub said: Option<i32>,
}

/// The changes to a position when another one was merged into it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gained {
    /// Moves that are new.
    pub added: u64,
    /// Moves of which something else is known now.
    pub replaced: u64,
    /// Moves that are gone.
    pub removed: u64,
    /// Whether a record is new, has a smaller ply, or has more comments.
    pub record: bool,
    /// Whether a record with one side to move met one with the other side, and with other moves: a position has one list for both.
    pub twins: bool,
}

impl AddAssign for Gained {
    fn add_assign(&mut self, other: Gained) {
        self.added += other.added;
        self.replaced += other.replaced;
        self.removed += other.removed;
        self.record |= other.record;
        self.twins |= other.twins;
    }
}

impl Position {
    /// A position about which nothing is known.
    #[must_use]
    pub const fn new(key: Packed) -> Position {
        Position {
            key,
            records: [None, None],
            value: None,
            depth: None,
            best: None,
            links: Vec::new(),
            leaves: Vec::new(),
        }
    }

    /// The records of a book by position, in the order of their keys; those of one position in their order. Of several, the smallest
    /// ply counts, and their moves are [merged](Position::merge).
    pub fn records(book: &Book) -> impl Iterator<Item = Records<'_>> {
        let mut order: Vec<(Packed, usize)> = book
            .entries
            .par_iter()
            .enumerate()
            .map(|(number, entry)| (entry.board.key(), number))
            .collect();
        order.par_sort_unstable();
        let mut begin = 0;
        std::iter::from_fn(move || {
            let &(key, _) = order.get(begin)?;
            let same = order[begin..].iter().take_while(|&&(next, _)| next == key);
            let entries = same.map(|&(_, number)| &book.entries[number]);
            let entries: Vec<&Entry> = entries.collect();
            begin += entries.len();
            Some(Records { key, entries })
        })
    }

    fn of(key: Packed, entry: &Entry) -> Position {
        let turn = entry.board.turn();
        let mut position = Position::new(key);
        position.records[turn as usize] = Some(Record {
            ply: entry.ply,
            comments: entry.comments.iter().map(|it| told(it, turn)).collect(),
        });
        for listed in &entry.moves {
            position.list(seen_by(*listed, turn));
        }
        position
    }

    /// Merges what another book's files say about the position. The smallest ply and all comments are kept.
    pub fn merge(&mut self, other: &Position, rule: Rule) -> Gained {
        let mut gained = Gained {
            twins: self.is_twin_of(other),
            ..Gained::default()
        };
        for (record, other) in self.records.iter_mut().zip(&other.records) {
            let Some(other) = other else { continue };
            gained.record |= record.is_none();
            gained.record |= record.get_or_insert_default().merge(other);
        }
        if rule == Rule::Positions {
            let rank = |of: &Position| {
                let first = of.leaves.first();
                (
                    first.is_some(),
                    first.and_then(|first| first.depth),
                    of.leaves.len(),
                )
            };
            if rank(other) > rank(self) {
                gained.take(&self.leaves, &other.leaves);
                self.leaves.clone_from(&other.leaves);
            }
            return gained;
        }
        for listed in &other.leaves {
            let before = self.leaves.len();
            let is_new = self.list(*listed);
            gained.added += u64::from(self.leaves.len() > before);
            gained.replaced += u64::from(is_new && self.leaves.len() == before);
        }
        gained
    }

    /// Whether another book lists the position with one side to move only, this one with the other, and they list other moves.
    fn is_twin_of(&self, other: &Position) -> bool {
        let lacks = |of: &Position, in_: &Position| {
            let mut leaves = of.leaves.iter();
            leaves.any(|leaf| !in_.leaves.contains(leaf))
        };
        let meet = match &other.records {
            [Some(_), None] => self.records[1].is_some(),
            [None, Some(_)] => self.records[0].is_some(),
            _ => false,
        };
        meet && (lacks(self, other) || lacks(other, self))
    }

    /// Lists a move, and returns whether that says anything new.
    fn list(&mut self, listed: BookMove) -> bool {
        let Some(known) = self.leaves.iter_mut().find(|known| known.mv == listed.mv) else {
            self.leaves.push(listed);
            return true;
        };
        let rank = |of: &BookMove| (of.score.is_some(), of.depth);
        let (better, worse) = if rank(&listed) >= rank(known) {
            (listed, *known)
        } else {
            (*known, listed)
        };
        let both = BookMove {
            ponder: better.ponder.or(worse.ponder),
            count: better.count.or(worse.count),
            ..better
        };
        let is_new = *known != both;
        *known = both;
        is_new
    }

    /// Lists a link with its score, because it leaves the book now.
    pub(crate) fn settle(&mut self, link: &Link) {
        let listed = BookMove {
            score: Some(link.score),
            depth: Some(link.depth),
            ..BookMove::new(link.mv)
        };
        match self.leaves.iter_mut().find(|leaf| leaf.mv == link.mv) {
            Some(leaf) => {
                let BookMove { count, ponder, .. } = *leaf;
                *leaf = BookMove {
                    count,
                    ponder,
                    ..listed
                };
            }
            None => self.leaves.push(listed),
        }
    }

    /// Leaves that aren't links.
    pub(crate) fn leaves_out(&self) -> impl Iterator<Item = &BookMove> {
        let is_link = |leaf: &BookMove| self.links.iter().any(|link| link.mv == leaf.mv);
        self.leaves.iter().filter(move |leaf| !is_link(leaf))
    }

    /// The moves of the book as they count: links, and leaves that aren't links. The best one comes first, then others by score. Of
    /// equal scores those that end sooner come first, or last if they lose, and of these those that files list first.
    #[must_use]
    pub fn answers(&self) -> Vec<Answer> {
        let leaf = |mv| self.leaves.iter().find(|leaf| leaf.mv == mv);
        let links = self.links.iter().map(|link| {
            let leaf = leaf(link.mv);
            Answer {
                listed: BookMove {
                    score: Some(link.score),
                    depth: Some(link.depth),
                    ponder: leaf.and_then(|leaf| leaf.ponder),
                    count: leaf.and_then(|leaf| leaf.count),
                    mv: link.mv,
                },
                is_link: true,
                said: leaf.and_then(|leaf| leaf.score),
            }
        });
        let leaves = self.leaves_out().map(|leaf| Answer {
            listed: *leaf,
            is_link: false,
            said: None,
        });
        let mut answers: Vec<Answer> = links.chain(leaves).collect();
        let length = |answer: &Answer| match answer.is_link {
            true => answer.listed.depth.map_or(0, i64::from),
            false => 0,
        };
        answers.sort_by_key(|answer| {
            let score = answer.listed.score.unwrap_or(0);
            let late = if score < 0 {
                -length(answer)
            } else {
                length(answer)
            };
            let mv = answer.listed.mv;
            let place = self.leaves.iter().position(|leaf| leaf.mv == mv);
            let place = place.unwrap_or(usize::MAX);
            (Some(mv) != self.best, -score, late, place)
        });
        answers
    }

    /// The position as a record, whose position this is: with its leaves and its smallest ply.
    pub(crate) fn entry(&self, board: &Board) -> Entry {
        let plies = self.records.iter().flatten();
        let ply = plies.filter_map(|record| record.ply).min();
        Entry::new(*board, ply, self.leaves.clone())
    }

    /// The comments of its records, with moves as seen if `turn` is to move.
    pub(crate) fn comments(&self, turn: Colour) -> impl Iterator<Item = Comment> {
        let records = self.records.iter().flatten();
        let comments = records.flat_map(|record| &record.comments);
        comments.map(move |comment| told(comment, turn))
    }

    /// The records that a file has of it, with these moves.
    pub fn entries<'a>(
        &'a self,
        board: &'a Board,
        moves: &'a [BookMove],
    ) -> impl Iterator<Item = Entry> + 'a {
        let records = Colour::ALL.into_iter().zip(&self.records);
        records.filter_map(move |(turn, record)| {
            Some(Entry {
                board: match turn {
                    Colour::Black => *board,
                    Colour::White => board.turned(),
                },
                ply: record.as_ref()?.ply,
                moves: moves.iter().map(|listed| seen_by(*listed, turn)).collect(),
                comments: record
                    .iter()
                    .flat_map(|record| &record.comments)
                    .map(|it| told(it, turn))
                    .collect(),
            })
        })
    }
}

/// The records of a position in a file.
#[derive(Debug)]
pub struct Records<'b> {
    /// The canonical position.
    pub key: Packed,
    entries: Vec<&'b Entry>,
}

impl Records<'_> {
    /// Merges them into what is known, in their order. Returns how many were merged into others of the same side, and what that changed.
    pub fn merge_into(&self, position: &mut Position) -> (u64, Gained) {
        let (mut merged, mut gained) = (0, Gained::default());
        for entry in &self.entries {
            let side = entry.board.turn() as usize;
            merged += u64::from(position.records[side].is_some());
            gained += position.merge(&Position::of(self.key, entry), Rule::Moves);
        }
        (merged, gained)
    }
}

impl Record {
    /// Takes what another file's record says, and returns whether that is anything new.
    fn merge(&mut self, other: &Record) -> bool {
        let ply = [self.ply, other.ply].into_iter().flatten().min();
        let is_new = |comment: &&Comment| !self.comments.contains(comment);
        let new: Vec<Comment> = other.comments.iter().filter(is_new).cloned().collect();
        let changed = ply != self.ply || !new.is_empty();
        self.ply = ply;
        self.comments.extend(new);
        changed
    }
}

impl Gained {
    /// Counts what differs if a position's moves become those of another book.
    fn take(&mut self, own: &[BookMove], others: &[BookMove]) {
        let mv = |listed: &BookMove| listed.mv;
        let lacks = |these: &[BookMove], those: &[BookMove]| {
            let missing = |listed: &&BookMove| !those.iter().any(|it| it.mv == mv(listed));
            these.iter().filter(missing).count() as u64
        };
        self.added = lacks(others, own);
        self.removed = lacks(own, others);
        let same = others.iter().filter(|listed| own.contains(listed)).count() as u64;
        self.replaced = others.len() as u64 - self.added - same;
    }
}

/// A comment with its move as [`seen_by`].
fn told(comment: &Comment, turn: Colour) -> Comment {
    let at = match comment.at {
        At::Move(mv) => At::Move(mv.seen_by(turn)),
        at => at,
    };
    Comment {
        at,
        text: comment.text.clone(),
    }
}

/// A move as the canonical position has it, if this is one of a position in which `turn` moves, or the other way round.
pub(crate) fn seen_by(listed: BookMove, turn: Colour) -> BookMove {
    BookMove {
        mv: listed.mv.seen_by(turn),
        ponder: listed.ponder.map(|ponder| ponder.seen_by(turn)),
        ..listed
    }
}
