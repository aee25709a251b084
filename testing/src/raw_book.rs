//! A golden book as raw records, to be damaged.

use crate::golden::golden;
use obook_converters::edax::{self, RawMove, Record};
use obook_othello::{Board, Move};

/// The book.
pub struct Golden {
    pub header: edax::Header,
    pub records: Vec<Record>,
}

impl Golden {
    pub fn read() -> Golden {
        let mut reader =
            edax::Reader::new(std::fs::File::open(golden("edax/games.dat")).unwrap()).unwrap();
        let records = reader.by_ref().map(Result::unwrap).collect();
        Golden {
            header: *reader.header(),
            records,
        }
    }

    pub fn bytes(mut self) -> Vec<u8> {
        self.header.count = self.records.len() as i32;
        let mut writer = edax::Writer::new(Vec::new(), self.header).unwrap();
        for record in &self.records {
            writer.write(record).unwrap();
        }
        writer.finish().unwrap()
    }

    /// The first record like this.
    pub fn find(&mut self, like: impl Fn(&Record) -> bool) -> &mut Record {
        self.records.iter_mut().find(|record| like(record)).unwrap()
    }

    /// Makes the last move of a game a link to the finished game, and gives that.
    pub fn finish_game(&mut self) -> &mut Record {
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

    pub fn start(&mut self) -> &mut Record {
        self.find(|record| board(record) == Board::START)
    }
}

pub fn board(record: &Record) -> Board {
    Board::new(record.player, record.opponent).unwrap()
}

pub fn text(record: &Record) -> String {
    board(record).to_text()
}

pub fn has_leaf(record: &Record) -> bool {
    record.leaf.code < 64
}
