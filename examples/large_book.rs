//! A book of Edax of any size, made in flat memory: what obook does with hundreds of millions of positions is measured with it.
//!
//! ```sh
//! cargo run --release --example large_book -- 200000000 large.dat
//! ```
//!
//! A third argument is the seed of another book. All values follow from the leaves; the counts of lines are left to `obook fix`. Both
//! are functions of the board alone, so any position can be checked by itself.

use obook::{CanonicalBoard, Format, Move, Position};
use obook_converters::{BookWriter, Header};
use obook_othello::{Board, Bounds, Engine, Leaf, Link, Links, Outcomes};
use rayon::prelude::*;
use std::error::Error;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use tempfile::NamedTempFile;

/// The level of all searches.
const LEVEL: u8 = 21;
/// Layers grow until they hold this part of the book,
const WIDEST: u64 = 30;
/// by all moves as long as they hold no more positions than this, then by half of the moves at most.
const ALL_MOVES: u64 = 300;
/// The files into which the positions of a layer are sorted, and the positions that are made at a time.
const FILES: usize = 64;
const AT_A_TIME: usize = 1 << 16;

/// Which positions a book has, and what they are worth.
struct Book {
    seed: u64,
    /// By the number of empty squares: of the positions that a move of the book could lead to, those whose hash is below are in it.
    below: [u64; 61],
}

impl Book {
    /// A hash of a board (splitmix64), by all of whose bits the book decides.
    fn hash(&self, board: CanonicalBoard) -> u64 {
        let key = u128::from_be_bytes(board.to_key());
        let halves = [(key >> 64) as u64, key as u64];
        halves.iter().fold(self.seed, |hash, half| {
            let mut hash = (hash ^ half).wrapping_add(0x9e37_79b9_7f4a_7c15);
            hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            hash ^ (hash >> 31)
        })
    }

    /// The moves to positions of the book, one for each, and a move out of it.
    fn moves(&self, board: CanonicalBoard) -> (Vec<(Move, CanonicalBoard)>, Option<Move>) {
        let (mut links, mut leaf) = (Vec::<(Move, CanonicalBoard)>::new(), None);
        for (mv, child) in board.board().children() {
            let canonical = child.canonical();
            let is_in = !child.legal_moves().is_empty()
                && self.hash(canonical) < self.below[child.empties() as usize];
            if !is_in {
                leaf = leaf.or(Some(mv));
            } else if links.iter().all(|(_, known)| *known != canonical) {
                links.push((mv, canonical));
            }
        }
        (links, leaf)
    }

    /// The score of the leaf. Black is two discs ahead, and either side gains up to six more: a move to a position with a leaf is
    /// never better than the leaf.
    fn leaf_score(&self, board: CanonicalBoard) -> i8 {
        let ahead = [2, -2][board.board().ply() % 2];
        ahead + (self.hash(board).trailing_zeros() as i8).min(6)
    }

    /// The score of the best move.
    fn value(&self, board: CanonicalBoard) -> i8 {
        let (links, leaf) = self.moves(board);
        let own = leaf.map(|_| self.leaf_score(board));
        let matters = |child: &CanonicalBoard| own.is_none() || self.moves(*child).1.is_none();
        let children = links.iter().map(|(_, child)| *child).filter(matters);
        let values = children.map(|child| -self.value(child)).chain(own);
        values.max().expect("a position of the book has moves")
    }

    fn position(&self, board: CanonicalBoard) -> Position {
        let (links, leaf) = self.moves(board);
        let value = self.value(board).into();
        let mut position = Position::new(board, Engine::Edax);
        position.value = Some(value);
        position.bounds = Some(Bounds {
            lower: value,
            upper: value,
        });
        position.level = Some(LEVEL);
        position.outcomes = Some(Outcomes::default());
        position.lines = Some(0);
        let link = |(mv, child)| Link {
            mv,
            score: Some(-self.value(child)),
        };
        position.links = links.into_iter().map(link).collect::<Links>();
        position.sort_links();
        position.leaf = leaf.map(|mv| Leaf {
            mv: Some(mv),
            score: self.leaf_score(board),
            level: Some(LEVEL),
            engine: Engine::Edax,
        });
        position
    }
}

/// Boards in a file, read in the order in which they were written.
struct Boards(BufReader<File>);

impl Boards {
    /// The boards after the first `skipped`.
    fn after(mut file: File, skipped: u64) -> std::io::Result<Boards> {
        file.seek(SeekFrom::Start(16 * skipped))?;
        Ok(Boards(BufReader::with_capacity(1 << 20, file)))
    }

    /// At most this many of them.
    fn take(&mut self, most: usize) -> std::io::Result<Vec<CanonicalBoard>> {
        let mut bytes = Vec::new();
        let mut next = self.0.by_ref().take(16 * most as u64);
        next.read_to_end(&mut bytes)?;
        let keys = bytes.as_chunks::<16>().0.iter();
        let boards = keys.map(|key| CanonicalBoard::from_trusted_key(*key));
        Ok(boards.collect())
    }
}

/// Finds the positions of a book of about this size, and writes them to a file, layer by layer. Returns their number.
fn grow(book: &mut Book, size: u64, file: &NamedTempFile) -> Result<u64, Box<dyn Error>> {
    let mut all = BufWriter::new(file.reopen()?);
    all.write_all(&Board::START.canonical().to_key())?;
    all.flush()?;
    let (mut before, mut count) = (0, 1);
    // How many positions each one leads to, if all moves are in the book.
    let mut branches = 4.0;
    for empties in (0..60).rev() {
        let layer = count - before;
        let most = if layer <= ALL_MOVES { 1.0 } else { 0.5 };
        let wanted = (size / WIDEST).min(size.saturating_sub(count));
        let part = (wanted as f64 / (layer as f64 * branches)).min(most);
        book.below[empties] = (part * u64::MAX as f64) as u64;
        let files = (0..FILES).map(|_| tempfile::tempfile().map(BufWriter::new));
        let mut next: Vec<_> = files.collect::<Result<_, _>>()?;
        let (mut boards, mut left) = (Boards::after(file.reopen()?, before)?, layer as usize);
        while left > 0 {
            let taken = boards.take(left.min(AT_A_TIME))?;
            left -= taken.len();
            let children: Vec<_> = taken.par_iter().map(|board| book.moves(*board).0).collect();
            for (_, child) in children.into_iter().flatten() {
                // The low bits of the hash don't decide what is in the book.
                next[book.hash(child) as usize % FILES].write_all(&child.to_key())?;
            }
        }
        before = count;
        for part in next {
            let mut boards = Boards::after(part.into_inner()?, 0)?.take(usize::MAX / 16)?;
            boards.par_sort_unstable();
            boards.dedup();
            count += boards.len() as u64;
            boards
                .iter()
                .try_for_each(|board| all.write_all(&board.to_key()))?;
        }
        all.flush()?;
        if count == before {
            break;
        }
        branches = (count - before) as f64 / (layer as f64 * part);
    }
    Ok(count)
}

/// Writes a book of about this size. Returns the number of its positions.
pub(crate) fn write(size: u64, path: &Path, seed: u64) -> Result<u64, Box<dyn Error>> {
    let mut book = Book {
        seed,
        below: [0; 61],
    };
    let file = NamedTempFile::new()?;
    let count = grow(&mut book, size, &file)?;
    let (midgame_error, endcut_error) = Header::EDAX_ERRORS;
    let header = Header {
        level: Some(LEVEL.into()),
        n_empties: Some(0),
        midgame_error: Some(midgame_error),
        endcut_error: Some(endcut_error),
        count: Some(count.try_into()?),
        ..Header::default()
    };
    let output = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut writer = BookWriter::new(output, Format::Edax, &header, None)?;
    let mut boards = Boards::after(file.reopen()?, 0)?;
    loop {
        let taken = boards.take(AT_A_TIME)?;
        if taken.is_empty() {
            break;
        }
        let positions = taken.par_iter().map(|board| book.position(*board));
        for position in positions.collect::<Vec<_>>() {
            writer.write(&position)?;
        }
    }
    writer.finish()?;
    Ok(count)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [size, path, seed @ ..] = arguments.as_slice() else {
        return Err("usage: large_book POSITIONS FILE [SEED]".into());
    };
    let seed = seed.first().map_or(Ok(1), |seed| seed.parse())?;
    let count = write(size.parse()?, Path::new(path), seed)?;
    println!("{path}: {count} positions");
    Ok(())
}
