//! How large a book is, told without reading it.

use super::Store;
use super::counts::kept_positions;
use crate::Result;

/// Bytes that a position takes in a database with a link and a leaf, as most have.
const BYTES_A_POSITION: u64 = 100;
/// Bytes that a position takes at least: its row with key and numbers, a link, a leaf.
const LEAST_BYTES_A_POSITION: u64 = 64;

impl Store {
    /// About how many positions the book has: as many as it says, or, where that can't be relied on, from the pages that it
    /// fills. SQLite counts rows one by one, which takes seconds in a large book.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub fn estimated_positions(&self) -> Result<u64> {
        let bytes = self.book_bytes()?;
        // A stranger's book may say anything.
        let most = bytes / LEAST_BYTES_A_POSITION;
        let said = kept_positions(&self.connection).filter(|said| *said <= most);
        Ok(said.unwrap_or(bytes / BYTES_A_POSITION))
    }

    /// As many positions as the book can have at most, from the pages that it fills.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub fn most_positions(&self) -> Result<u64> {
        Ok(self.book_bytes()? / LEAST_BYTES_A_POSITION)
    }

    /// Bytes of all pages.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub(crate) fn file_bytes(&self) -> Result<u64> {
        let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
        self.connection
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .map(i64::cast_unsigned)
            .map_err(self.failed("read"))
    }

    /// Bytes of the pages that hold the book: not those that are free, nor what the undo log holds.
    ///
    /// # Errors
    /// [`Error::Sqlite`](crate::Error::Sqlite).
    pub fn book_bytes(&self) -> Result<u64> {
        let sql = "SELECT (page_count - freelist_count) * page_size - (SELECT total(length(data)) FROM undo)
                   FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
        self.connection
            .query_row(sql, [], |row| row.get::<_, f64>(0))
            .map(|bytes| bytes as u64)
            .map_err(self.failed("read"))
    }
}

#[cfg(test)]
mod tests {
    use crate::{BookHeader, Entry, IfExists, NewBook, Store};
    use obook_converters::Header;
    use obook_model::{Engine, Leaf, Link, Position, RuleSet};
    use obook_othello::Board;

    /// A book of all positions to which a few moves lead.
    fn positions() -> Vec<Position> {
        let mut layers = vec![vec![Board::START]];
        for _ in 0..7 {
            let children = layers.iter().flatten().flat_map(|board| board.children());
            let mut children: Vec<Board> = children
                .map(|(_, child)| child.canonical().board())
                .collect();
            children.sort_unstable_by_key(|board| board.canonical());
            children.dedup();
            layers.push(children);
        }
        let mut boards: Vec<_> = layers
            .concat()
            .iter()
            .map(|board| board.canonical())
            .collect();
        boards.sort_unstable();
        boards.dedup();
        let position = |board: obook_othello::CanonicalBoard| {
            let mut moves = board.board().moves();
            let mut position = Position::new(board, Engine::Edax);
            (position.value, position.level, position.lines) = (Some(3), Some(21), Some(77));
            position
                .links
                .extend(moves.next().map(|mv| Link { mv, score: Some(3) }));
            position.leaf = moves.next().map(|mv| Leaf {
                mv: Some(mv),
                score: 1,
                level: Some(21),
                engine: Engine::Edax,
            });
            position
        };
        boards.into_iter().map(position).collect()
    }

    #[test]
    fn free_pages_and_the_undo_log_are_no_positions() {
        let positions = positions();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.obook");
        let new = NewBook::create(&path, IfExists::Refuse).unwrap();
        new.fill(|| Ok(positions.clone().into_iter().map(Ok)))
            .unwrap();
        let (format, header) = (None, Header::default());
        let header = BookHeader {
            rules: RuleSet::Edax,
            format,
            header,
        };
        new.set_header(&header).unwrap();
        new.commit(&Entry::new("test")).unwrap();
        let store = Store::open_for_writing(&path).unwrap();
        let (bytes, estimated) = (
            store.book_bytes().unwrap(),
            store.estimated_positions().unwrap(),
        );
        let count = positions.len() as u64;
        assert!(
            (count / 2..count * 2).contains(&estimated),
            "{count}: {estimated}"
        );
        let write = "CREATE TABLE other (x); INSERT INTO other VALUES (zeroblob(10000000)); DROP TABLE other;
                     INSERT INTO undo (change, data) VALUES (1, zeroblob(10000000))";
        store.connection().execute_batch(write).unwrap();
        let after = store.book_bytes().unwrap();
        // Overflow pages have a few bytes of their own.
        assert!((bytes..bytes + 50_000).contains(&after), "{bytes}: {after}");
    }
}
