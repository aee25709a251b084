//! The task list of “Othello is solved”.

use crate::support::books::golden;
use obook_converters::takizawa::{Reader, Record};
use obook_converters::{BookReader, BookRecord, ErrorKind, FaultKind, Format};
use obook_needs::needs;
use obook_othello::{Board, Engine, Position, Proof};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::io::Cursor;

const HEADER: &str = "obf,count,score,alpha,beta\n";
const BOARD: &str = "------------------XO-O----XXOO-----XOX-----OOX------O----------- X;";

fn read(rows: &[&str]) -> Result<Vec<Position>, obook_converters::Error> {
    let lines: Vec<String> = rows.iter().map(|row| format!("{BOARD}{row}\n")).collect();
    let file = HEADER.to_owned() + &lines.concat();
    let book = BookReader::new(Cursor::new(file), "list.csv", None)?;
    assert_eq!(book.format(), Format::Takizawa);
    book.collect()
}

#[test]
fn a_line_proves_what_its_window_says() {
    for (row, value, lower, upper) in [
        (",96,4,-64,0", 4, 0, 64),
        (",96,0,-64,0", 0, 0, 64),
        (",7,-6,0,64", -6, -64, 0),
        (",7,0,0,64", 0, -64, 0),
        (",120,0,-64,64", 0, 0, 0),
        (",1,2,-2,4", 2, 2, 2),
    ] {
        let [position] = &read(&[row]).unwrap()[..] else {
            panic!("one position");
        };
        assert_eq!(
            (position.value, position.level),
            (Some(value), None),
            "{row}"
        );
        let proof = Proof::new(lower, upper, Engine::Takizawa);
        assert_eq!(position.proof, proof, "{row}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (row, field) in [
        (",1,66,-64,64", "the score"),
        (",1,0,-66,64", "alpha"),
        (",1,0,0,127", "beta"),
        (",1,0,0,0", "alpha"),
        (",1,0,4,-4", "alpha"),
        (",1,0,0,-64", "beta"),
    ] {
        let error = read(&[row]).unwrap_err();
        assert!(error.is_fault(), "{error}");
        let ErrorKind::Fault(fault) = error.kind() else {
            panic!("{error}");
        };
        let FaultKind::OutOfRange {
            field: found,
            min,
            max,
            ..
        } = fault.kind
        else {
            panic!("{error}");
        };
        assert_eq!(found, field);
        assert!(min <= max, "{error}");
    }
    for row in [",1,0,0", ",1,0,0,64,", ",x,0,0,64", ",-1,0,0,64", ""] {
        let error = read(&[row]).unwrap_err();
        assert!(
            matches!(error.kind(), ErrorKind::Text { .. }),
            "{row}: {error}"
        );
    }
    let other_side = format!("{HEADER}{}", BOARD.replace('X', "O"));
    let error = BookReader::new(Cursor::new(other_side + ",1,0,0,64\n"), "list.csv", None)
        .unwrap()
        .find_map(Result::err)
        .unwrap();
    assert!(error.to_string().contains("a space, X and a semicolon"));
}

fn record() -> impl Strategy<Value = Record> {
    let scores = (any::<i8>(), any::<i8>(), any::<i8>());
    (any::<u64>(), any::<u64>(), any::<u32>(), scores).prop_map(
        |(player, opponent, count, (score, alpha, beta))| Record {
            player,
            opponent: opponent & !player,
            count,
            score,
            alpha,
            beta,
        },
    )
}

proptest! {
    /// Law (Book files): A line of the list of “Othello is solved” is reproduced byte for byte, and proves what its
    /// window says.
    /// Also: `a_line_proves_what_its_window_says` `the_real_list_proves_what_its_author_says`
    #[test]
    fn lines_come_back(record in record()) {
        let mut line = Vec::new();
        record.encode((), &mut line).unwrap();
        prop_assert_eq!(Record::decode(&line, ()).unwrap(), (record, line.len()));
        if let Ok(position) = record.check() {
            let value = position.value.unwrap();
            prop_assert!(position.proof.is_none_or(|proof| proof.clamp(value) == value));
        }
    }

    #[test]
    fn any_line_is_read_or_refused(line in "[-XO ]{60,66}[;,0-9X-]{0,20}", cut in 0usize..90) {
        let mut file = HEADER.as_bytes().to_vec();
        file.extend(line.bytes().take(cut));
        if let Ok(reader) = Reader::new(&file[..]) {
            reader.for_each(|record| drop(record.map(|record| record.check())));
        }
    }
}

/// The real list: all positions have 50 empty squares, and each proves something.
#[needs(task_list)]
#[test]
fn the_real_list_proves_what_its_author_says() {
    let path = golden("../books/empty50_tasklist_edax_knowledge.csv");
    let bytes = std::fs::read(&path).unwrap();
    let mut again = HEADER.as_bytes().to_vec();
    for record in Reader::new(&bytes[..]).unwrap() {
        record.unwrap().encode((), &mut again).unwrap();
    }
    assert!(again == bytes, "the list comes back byte for byte");

    let mut kinds: BTreeMap<String, u32> = BTreeMap::new();
    let mut boards: Vec<Board> = Vec::new();
    for position in BookReader::open(&path, None).unwrap() {
        let position = position.unwrap();
        boards.push(position.board.board());
        *kinds
            .entry(position.proof.unwrap().to_string())
            .or_default() += 1;
    }
    assert!(boards.iter().all(|board| board.empties() == 50));
    boards.sort_by_key(|board| (board.player(), board.opponent()));
    boards.dedup();
    assert_eq!(boards.len(), 2587);
    let expected = [
        ("+0 (takizawa)", 1),
        ("at least +0 (takizawa)", 1639),
        ("at most +0 (takizawa)", 947),
    ];
    let expected = expected.map(|(kind, count)| (kind.to_owned(), count));
    assert_eq!(kinds, expected.into_iter().collect());
}
