//! Looking through damaged books.

use obook::check::{FindingKind, verify};
use obook::write::Target;
use obook::write::fix::{Steps, recompute};
use obook::write::level::{NewLevel, Relevel, Whose, relevel};
use obook::{Book, BookHeader, Context, IfExists, NewBook, Store};
use obook_converters::{BookWriter, Format, Header};
use obook_othello::{Engine, Line, PERSON_LEVEL, Position, Proof, RuleSet};
use obook_testing::golden::golden;
use obook_testing::imported::imported;
use std::path::Path;

/// With any bytes in a book, verify ends with a report or an error of one sentence.
#[test]
fn takes_any_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let (_folder, database) = imported("edax/games.prune.dat");
    let [small, egbk3] = ["edax/games.prune.dat", "egaroucid/games.mixed.egbk3"].map(golden);
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    let (mut read, mut refused) = (0, 0);
    for (number, path) in [small, database, egbk3]
        .iter()
        .cycle()
        .take(150)
        .enumerate()
    {
        let mut bytes = std::fs::read(path).unwrap();
        for _ in 0..1 + random() % 40 {
            let place = random() % bytes.len();
            bytes[place] = random() as u8;
        }
        let damaged = folder.path().join(format!("damaged{number}"));
        std::fs::write(&damaged, &bytes).unwrap();
        let result = Book::open(&damaged, &Context::default())
            .and_then(|book| verify(&book, 3, &Context::default()));
        match result {
            Ok(report) => {
                assert!(report.positions < 10_000);
                read += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    assert!(read > 20 && refused > 0, "{read} read, {refused} refused");
}

/// A book of Egaroucid with the shortest game, whose end has this value and level. Black wins it by 64 discs.
fn shortest_game(path: &Path, rules: RuleSet, value: i16, level: u8) -> Store {
    let context = Context::new("test");
    let line: Line = "e6f4e3f6g5d6e7f5c5".parse().unwrap();
    let mut after = Line::new();
    let mut boards = vec![after.board().canonical()];
    for mv in line.moves() {
        after.push(*mv).unwrap();
        boards.push(after.board().canonical());
    }
    let positions = boards.into_iter().map(|board| {
        let mut position = Position::new(board, Engine::Egaroucid);
        let is_over = board.board().is_over();
        (position.value, position.level) = match is_over {
            true => (Some(value), Some(level)),
            false => (Some(0), Some(21)),
        };
        Ok(position)
    });
    let new = NewBook::create(path, IfExists::Replace, &context).unwrap();
    new.fill(|| Ok(positions.clone())).unwrap();
    new.set_header(&BookHeader::new(rules)).unwrap();
    new.commit(&()).unwrap();
    Store::open_for_writing(path, &context).unwrap()
}

#[test]
fn a_finished_game_of_egaroucid_has_its_result_unless_a_person_entered_another() {
    let context = &Context::new("test");
    let folder = tempfile::tempdir().unwrap();
    let path = &folder.path().join("book.obook");
    let wrong = || {
        let report = verify(&Book::open(path, context).unwrap(), 0, context).unwrap();
        let mut found = report.findings.iter();
        found.any(|group| group.kind == FindingKind::FinalScore)
    };
    let start = |store: &Store| {
        let sql = "SELECT value FROM positions WHERE empties = 60";
        let row = (store.connection()).query_row(sql, [], |row| row.get::<_, i64>(0));
        row.unwrap()
    };
    for rules in [RuleSet::Egaroucid, RuleSet::EgaroucidEdax] {
        for (value, level, is_wrong, at_start) in [
            (10, 21, true, 64),
            (-64, 21, false, 64),
            (10, PERSON_LEVEL, false, -10),
        ] {
            let mut store = shortest_game(path, rules, value, level);
            let name = format!("{rules}, {value} of level {level}");
            assert_eq!(wrong(), is_wrong, "{name}");
            recompute(&mut store, Steps::Fix { rules: None }).unwrap();
            assert!(!wrong(), "{name}");
            assert_eq!(start(&store), at_start, "{name}");
            // A search finds the result.
            let how = Relevel {
                level: NewLevel::Set(21),
                whose: Whose::Positions,
                empties: None,
                condition: None,
            };
            relevel(Target::InPlace(&mut store), &how, context).unwrap();
            assert!(!wrong(), "{name}");
            assert_eq!(start(&store), 64, "{name}");
        }
    }
}

/// A book of NTest holds results and who wins. It isn't blamed for lacking anything else that its moves prove.
#[test]
fn proofs_that_a_format_cant_hold_are_not_missed() {
    let context = &Context::new("test");
    let folder = tempfile::tempdir().unwrap();
    for (score, is_missed) in [(4, false), (-4, true)] {
        let boards = ["f5", "f5d6"].map(|line| line.parse::<Line>().unwrap().board().canonical());
        let [mut start, mut after] = boards.map(|board| Position::new(board, Engine::Ntest));
        start.value = Some(-i16::from(score));
        after.value = Some(score.into());
        after.proof = Proof::new(score, score, Engine::Ntest);
        let path = folder.path().join(format!("{score}.book"));
        let header = Header {
            count: Some(2),
            ..Header::default()
        };
        let mut writer = BookWriter::create(&path, Format::Ntest, &header, None).unwrap();
        for position in [start, after] {
            writer.write(&position).unwrap();
        }
        writer.finish().unwrap();
        let report = verify(&Book::open(&path, context).unwrap(), 1, context).unwrap();
        let is_proof = |kind| matches!(kind, FindingKind::Proof | FindingKind::Contradiction);
        let found = report.findings.iter().any(|group| is_proof(group.kind));
        assert_eq!(found, is_missed, "{:?}", report.findings);
    }
}
