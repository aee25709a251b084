//! A golden book as raw records, for tests that damage it.

use obook_converters::edax::{self, RawMove, Record};
use obook_othello::{Board, Move};
use obook_testing::golden::golden;

/// The book.
pub(crate) struct Golden {
    /// The header.
    pub(crate) header: edax::Header,
    /// The records.
    pub(crate) records: Vec<Record>,
}

impl Golden {
    /// Reads the book.
    pub(crate) fn read() -> Golden {
        let mut reader =
            edax::Reader::new(std::fs::File::open(golden("games.dat")).unwrap()).unwrap();
        let records = reader.by_ref().map(Result::unwrap).collect();
        Golden {
            header: *reader.header(),
            records,
        }
    }

    /// Returns the file.
    pub(crate) fn bytes(mut self) -> Vec<u8> {
        self.header.count = self.records.len() as i32;
        let mut writer = edax::Writer::new(Vec::new(), self.header).unwrap();
        for record in &self.records {
            writer.write(record).unwrap();
        }
        writer.finish().unwrap()
    }

    /// The first record that `like` accepts.
    pub(crate) fn find(&mut self, like: impl Fn(&Record) -> bool) -> &mut Record {
        self.records.iter_mut().find(|record| like(record)).unwrap()
    }

    /// Turns the last move of a game into a link to the finished game, and returns that.
    pub(crate) fn finish_game(&mut self) -> &mut Record {
        let ending = |record: &Record| {
            let last = Move::from_code(record.leaf.code)?;
            let end = board(record).play(last)?;
            (record.links.is_empty() && end.is_over()).then(|| end.canonical().board())
        };
        let before = self.find(|record| ending(record).is_some());
        let end = ending(before).unwrap();
        let score = end.final_score();
        assert_eq!(before.leaf.score, -score);
        before.links.push(before.leaf);
        before.leaf = RawMove::NONE;
        let finished = Record {
            player: end.player(),
            opponent: end.opponent(),
            wins: u32::from(score > 0),
            draws: u32::from(score == 0),
            losses: u32::from(score < 0),
            value: score.into(),
            lower: score.into(),
            upper: score.into(),
            links: Default::default(),
            leaf: RawMove {
                score,
                code: edax::NO_MOVE,
            },
            ..before.clone()
        };
        self.records.push(finished);
        self.records.last_mut().unwrap()
    }

    /// The start position.
    pub(crate) fn start(&mut self) -> &mut Record {
        self.find(|record| board(record) == Board::START)
    }
}

/// A record's board.
pub(crate) fn board(record: &Record) -> Board {
    Board::new(record.player, record.opponent).unwrap()
}

/// A record's board as text.
pub(crate) fn text(record: &Record) -> String {
    board(record).to_text()
}

/// Whether a record has a leaf with a move.
pub(crate) fn has_leaf(record: &Record) -> bool {
    record.leaf.code < 64
}
