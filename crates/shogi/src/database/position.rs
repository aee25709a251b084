//! A position of a book, as rows hold it.

use crate::{At, Board, BookMove, Colour, Comment, Entry, MATE, Move, Packed};
use std::ops::AddAssign;

/// A position with everything that the book knows about it. All moves are seen as in the [canonical](Board::canonical) position, in
/// which Black moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The canonical position.
    pub key: Packed,
    /// The files' records of it, with Black to move and with White to move. There is at least one.
    pub records: [Option<Record>; 2],
    /// The results of the last fix.
    pub own: Own,
}

/// The results of a fix for a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    /// Its own score.
    pub value: Option<i32>,
    /// The length of the best line.
    pub depth: Option<u32>,
    /// The best move.
    pub best: Option<Move>,
    /// Moves to positions of the book, by move.
    pub links: Vec<Link>,
    /// With Black to move and with White to move: all moves, the best first, by the worth of [draws](crate::Draws). Empty if own scores
    /// give the same.
    pub by_draws: [Vec<Link>; 2],
}

impl Own {
    /// Whether a side has other moves than by own scores.
    pub(crate) fn depends_on_draws(&self) -> bool {
        self.by_draws.iter().any(|moves| !moves.is_empty())
    }
}

/// A position with one side to move, as files have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The number of the next move.
    pub ply: Option<u32>,
    /// The moves that they list, in their order. The scores of those that are links count no more.
    pub moves: Vec<BookMove>,
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
    /// Record by record, as YaneuraOu's script does: of a position that both list with the same side to move, all moves are those of
    /// one book. That is the one with any moves, whose first move is deeper, or that has more moves; otherwise the first book.
    Positions,
}

/// A move to a position of the book, or one whose score depends on the worth of draws.
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
    /// The move with its score as it counts, at most a mate, and its depth, and the count and expected answer of its leaf.
    pub listed: BookMove,
    /// Whether it leads to a position of the book.
    pub is_link: bool,
    /// The score that files list for the move, if another counts: it is a link, was searched deeper for the other side, or has a score
    /// beyond a mate.
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
    /// Whether the moves of a record differ, if only in their order.
    pub moves: bool,
}

impl AddAssign for Gained {
    fn add_assign(&mut self, other: Gained) {
        self.added += other.added;
        self.replaced += other.replaced;
        self.removed += other.removed;
        self.record |= other.record;
        self.moves |= other.moves;
    }
}

impl Position {
    /// A position about which nothing is known.
    #[must_use]
    pub fn new(key: Packed) -> Position {
        Position {
            key,
            records: [None, None],
            own: Own::default(),
        }
    }

    fn of(key: Packed, entry: &Entry) -> Position {
        let turn = entry.board.turn();
        let mut record = Record {
            ply: entry.ply,
            moves: Vec::new(),
            comments: entry.comments.iter().map(|it| told(it, turn)).collect(),
        };
        for listed in &entry.moves {
            record.list(seen_by(*listed, turn));
        }
        let mut position = Position::new(key);
        position.records[turn as usize] = Some(record);
        position
    }

    /// Merges what another book's files say about the position, each side's record by itself. The smallest ply and all comments are
    /// kept.
    pub fn merge(&mut self, other: &Position, rule: Rule) -> Gained {
        let mut gained = Gained::default();
        for (record, other) in self.records.iter_mut().zip(&other.records) {
            let Some(other) = other else { continue };
            gained.record |= record.is_none();
            gained += record.get_or_insert_default().merge(other, rule);
        }
        gained
    }

    /// Merges a file's records of the position, in their order. Returns how many were merged into others of the same side, and what that
    /// changed.
    pub fn merge_records(&mut self, entries: &[&Entry]) -> (u64, Gained) {
        let (mut merged, mut gained) = (0, Gained::default());
        for entry in entries {
            merged += u64::from(self.records[entry.board.turn() as usize].is_some());
            gained += self.merge(&Position::of(self.key, entry), Rule::Moves);
        }
        (merged, gained)
    }

    /// The record with this side to move, or else the other one.
    pub(crate) fn record(&self, turn: Colour) -> Option<&Record> {
        let of = |side: Colour| self.records[side as usize].as_ref();
        of(turn).or(of(turn.other()))
    }

    /// The moves that files list, with either side to move. Of a move that both records list, the deeper score counts, and of equally
    /// deep ones White's.
    #[must_use]
    pub fn leaves(&self) -> Vec<BookMove> {
        let [black, white] = &self.records;
        let mut both = black.clone().unwrap_or_default();
        for listed in white.iter().flat_map(|white| &white.moves) {
            both.list(*listed);
        }
        both.moves
    }

    /// Lists a link with its score, because it leaves the book now, and the depth of the search behind that.
    pub(crate) fn settle(&mut self, link: &Link, depth: Option<u32>) {
        let listed = BookMove {
            score: Some(link.score),
            depth,
            ..BookMove::new(link.mv)
        };
        for Record { moves, .. } in self.records.iter_mut().flatten() {
            match moves.iter_mut().find(|known| known.mv == link.mv) {
                Some(known) => (known.score, known.depth) = (listed.score, listed.depth),
                None => moves.push(listed),
            }
        }
    }

    /// The moves of the book as they count, by the worth of draws: links, and leaves that aren't links. The best move comes first, then
    /// the others by score. Among moves with equal scores, shorter lines come first, or last if they lose; after that, the order of the
    /// files decides.
    ///
    /// Counts and expected answers are those of the record with this side to move; of moves that it doesn't list, those of the other.
    #[must_use]
    pub fn answers(&self, turn: Colour) -> Vec<Answer> {
        let leaves = self.leaves();
        let listing = |mv: Move| {
            let sides = [turn, turn.other()].into_iter();
            let records = sides.filter_map(|side| self.records[side as usize].as_ref());
            let mut listings = records.flat_map(|record| &record.moves);
            listings.find(|listed| listed.mv == mv)
        };
        let answer = |mv, score: Option<i32>, depth, is_link| {
            let score = score.map(|score| score.clamp(-MATE, MATE));
            let listing = listing(mv);
            let said = listing.and_then(|listing| listing.score);
            Answer {
                listed: BookMove {
                    mv,
                    score,
                    depth,
                    ponder: listing.and_then(|listing| listing.ponder),
                    count: listing.and_then(|listing| listing.count),
                },
                is_link,
                said: said.filter(|_| is_link || said != score),
            }
        };
        let is_link = |mv: Move| self.own.links.iter().any(|link| link.mv == mv);
        let out = leaves.iter().filter(|leaf| !is_link(leaf.mv));
        let by_leaf = |leaf: &BookMove| answer(leaf.mv, leaf.score, leaf.depth, false);
        let by_draws = &self.own.by_draws[turn as usize];
        if !by_draws.is_empty() {
            // A fix leaves no others: they came later.
            let later = out.filter(|leaf| by_draws.iter().all(|it| it.mv != leaf.mv));
            let by_draws = by_draws.iter().map(|it| {
                let is_link = is_link(it.mv);
                let depth = match is_link {
                    true => Some(it.depth),
                    false => listing(it.mv).and_then(|listing| listing.depth),
                };
                answer(it.mv, Some(it.score), depth, is_link)
            });
            return by_draws.chain(later.map(by_leaf)).collect();
        }
        let links = self.own.links.iter();
        let links = links.map(|link| answer(link.mv, Some(link.score), Some(link.depth), true));
        let mut answers: Vec<Answer> = links.chain(out.map(by_leaf)).collect();
        answers.sort_by_key(|answer| {
            let score = answer.listed.score.unwrap_or(0);
            let length = answer.listed.depth.filter(|_| answer.is_link);
            let length = length.map_or(0, i64::from);
            let late = if score < 0 { -length } else { length };
            let mv = answer.listed.mv;
            let place = leaves.iter().position(|leaf| leaf.mv == mv);
            let place = place.unwrap_or(usize::MAX);
            (Some(mv) != self.own.best, -score, late, place)
        });
        answers
    }

    /// The comments of its records, with moves as seen if `turn` is to move.
    pub(crate) fn comments(&self, turn: Colour) -> impl Iterator<Item = Comment> {
        let records = self.records.iter().flatten();
        let comments = records.flat_map(|record| &record.comments);
        comments.map(move |comment| told(comment, turn))
    }

    /// The records that a file has of it, with these moves of each.
    pub(crate) fn entries(
        &self,
        board: &Board,
        moves: impl Fn(Colour, &Record) -> Vec<BookMove>,
    ) -> impl Iterator<Item = Entry> {
        let records = Colour::ALL.into_iter().zip(&self.records);
        records.filter_map(move |(turn, record)| {
            let record = record.as_ref()?;
            let moves = moves(turn, record).into_iter();
            Some(Entry {
                board: match turn {
                    Colour::Black => *board,
                    Colour::White => board.turned(),
                },
                ply: record.ply,
                moves: moves.map(|listed| seen_by(listed, turn)).collect(),
                comments: record.comments.iter().map(|it| told(it, turn)).collect(),
            })
        })
    }
}

impl Record {
    /// A record without moves.
    pub(crate) fn empty(ply: Option<u32>) -> Record {
        Record {
            ply,
            ..Record::default()
        }
    }

    /// Takes what another file's record says.
    fn merge(&mut self, other: &Record, rule: Rule) -> Gained {
        let ply = [self.ply, other.ply].into_iter().flatten().min();
        let is_new = |comment: &&Comment| !self.comments.contains(comment);
        let new: Vec<Comment> = other.comments.iter().filter(is_new).cloned().collect();
        let record = ply != self.ply || !new.is_empty();
        self.ply = ply;
        self.comments.extend(new);
        let before = self.moves.clone();
        match rule {
            Rule::Moves => other.moves.iter().for_each(|listed| self.list(*listed)),
            Rule::Positions if other.rank() > self.rank() => self.moves.clone_from(&other.moves),
            Rule::Positions => {}
        }
        Gained {
            record,
            ..Gained::between(&before, &self.moves)
        }
    }

    /// The order of records of [`Rule::Positions`].
    fn rank(&self) -> (bool, u32, usize) {
        let first = self.moves.first();
        // As in the script, an unknown depth is 0.
        let depth = first.and_then(|first| first.depth).unwrap_or(0);
        (first.is_some(), depth, self.moves.len())
    }

    /// Lists a move. If it is listed already, the deeper score counts, or else this one.
    pub(crate) fn list(&mut self, listed: BookMove) {
        let Some(known) = self.moves.iter_mut().find(|known| known.mv == listed.mv) else {
            self.moves.push(listed);
            return;
        };
        let rank = |of: &BookMove| (of.score.is_some(), of.depth);
        let (better, worse) = match rank(&listed) >= rank(known) {
            true => (listed, *known),
            false => (*known, listed),
        };
        *known = BookMove {
            ponder: better.ponder.or(worse.ponder),
            count: better.count.or(worse.count),
            ..better
        };
    }
}

impl Gained {
    /// Counts how the moves of a record differ.
    fn between(before: &[BookMove], after: &[BookMove]) -> Gained {
        let lacking = |these: &[BookMove], those: &[BookMove]| {
            let missing = |listed: &&BookMove| !those.iter().any(|it| it.mv == listed.mv);
            these.iter().filter(missing).count() as u64
        };
        let added = lacking(after, before);
        let same = after.iter().filter(|listed| before.contains(listed));
        Gained {
            added,
            removed: lacking(before, after),
            replaced: (after.len() - same.count()) as u64 - added,
            record: false,
            moves: before != after,
        }
    }
}

/// A comment with its move as [`seen_by`].
fn told(comment: &Comment, turn: Colour) -> Comment {
    let at = match comment.at {
        At::Move(mv) => At::Move(mv.seen_by(turn)),
        at => at,
    };
    let text = comment.text.clone();
    Comment { at, text }
}

/// A move as the canonical position has it, if this is one of a position in which `turn` moves, or the other way round.
pub(crate) fn seen_by(listed: BookMove, turn: Colour) -> BookMove {
    BookMove {
        mv: listed.mv.seen_by(turn),
        ponder: listed.ponder.map(|ponder| ponder.seen_by(turn)),
        ..listed
    }
}
