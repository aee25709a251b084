//! No reader returns an impossible score, whatever a record contains, and no writer writes one.

use crate::support::positions::{board, edax_position};
use obook_converters::{BookRecord, FaultKind, edax, edax_text, egbk, egbk2, egbk3};
use obook_othello::{Board, Bounds, Engine, Leaf, Move, Position};
use proptest::prelude::*;

fn is_score(score: impl Into<i16>) -> bool {
    (-64..=64).contains(&score.into())
}

/// Whether all numbers are in range, for the other side too.
fn is_in_range(position: &Position) -> bool {
    let Position {
        value,
        bounds,
        links,
        leaf,
        ..
    } = position;
    value.is_none_or(is_score)
        && bounds
            .is_none_or(|it| it.lower.checked_neg().is_some() && it.upper.checked_neg().is_some())
        && links.iter().all(|link| link.score.is_none_or(is_score))
        && leaf.is_none_or(|leaf| is_score(leaf.score))
}

/// A record's numbers are in range or refused, and can be written and read again.
fn check<T: BookRecord>(record: &T) -> Result<(), TestCaseError> {
    match record.check() {
        Ok(position) => {
            prop_assert!(is_in_range(&position), "{position:?}");
            if let Ok(written) = T::from_position(&position) {
                prop_assert_eq!(written.check(), Ok(position));
            }
        }
        Err(fault) => {
            let moves = matches!(
                fault.kind,
                FaultKind::OutOfRange { .. }
                    | FaultKind::IllegalMove { .. }
                    | FaultKind::DuplicateMove { .. }
                    | FaultKind::ScoreWithoutMove { .. }
            );
            prop_assert!(moves, "{}", fault);
        }
    }
    Ok(())
}

/// The numbers of a board's legal moves, and any others.
fn code(board: Board, choice: u8) -> u8 {
    let moves: Vec<Move> = board.moves().collect();
    moves
        .get(usize::from(choice))
        .map_or(choice, |mv| mv.code())
}

proptest! {
    /// Law (Book files): No value, bound or score out of range is read or written.
    /// Also: `no_writer_writes_what_readers_refuse`
    #[test]
    fn no_reader_returns_values_out_of_range(
        board in board(),
        shorts in any::<[i16; 3]>(),
        narrow in any::<[i8; 3]>(),
        [level, link, leaf, raw] in any::<[u8; 4]>(),
        bytes in any::<[i8; 4]>(),
        near in any::<bool>(),
    ) {
        let (player, opponent) = (board.player(), board.opponent());
        let [value, lower, upper] = if near { narrow.map(i16::from) } else { shorts };
        let (link, leaf) = (code(board, link % 4), code(board, leaf));
        let raw_leaf = edax::RawMove { score: bytes[1], code: leaf };
        check(&edax::Record {
            player, opponent, wins: 1, draws: 2, losses: 3, lines: 4, value, lower, upper, level,
            links: [edax::RawMove { score: bytes[0], code: link }].into_iter().collect(),
            leaf: raw_leaf,
        })?;
        check(&edax_text::Record { player, opponent, level, leaf: raw_leaf })?;
        check(&egbk3::Record {
            player, opponent, value: bytes[0], level: bytes[1], lines: 7, leaf_value: bytes[2],
            leaf_move: leaf, leaf_level: bytes[3],
        })?;
        check(&egbk2::Record {
            player, opponent, value: bytes[0], level: bytes[1],
            links: [egbk2::RawLink { value: bytes[2], code: link }].into_iter().collect(),
        })?;
        check(&egbk::Record { player, opponent, raw })?;
    }

    /// A position made in any other way is refused if its numbers are impossible.
    #[test]
    fn no_writer_writes_what_readers_refuse(
        mut position in edax_position(),
        [value, lower] in any::<[i16; 2]>(),
        [link, leaf] in any::<[i8; 2]>(),
    ) {
        position.value = Some(value);
        position.bounds = Some(Bounds { lower, upper: 5 });
        position.links.iter_mut().for_each(|it| it.score = Some(link));
        position.leaf.iter_mut().for_each(|it| it.score = leaf);
        refuses::<edax::Record>(&position)?;
        refuses::<edax_text::Record>(&position)?;
        refuses::<egbk::Record>(&position)?;
        position.engine = Engine::Egaroucid;
        refuses::<egbk2::Record>(&position)?;
        refuses::<egbk3::Record>(&position)?;
    }
}

fn refuses<T: BookRecord>(position: &Position) -> Result<(), TestCaseError> {
    if let Ok(record) = T::from_position(position) {
        let read = record.check();
        prop_assert!(read.is_ok(), "{:?}: {read:?}", T::FORMAT);
        prop_assert_eq!(read.unwrap().value.unwrap_or(0).abs().max(64), 64);
    }
    Ok(())
}

#[test]
fn edax_placeholders_are_empty() {
    let start = Board::START.canonical().board();
    let record = edax::Record {
        player: start.player(),
        opponent: start.opponent(),
        wins: 0,
        draws: 0,
        losses: 0,
        lines: 0,
        value: edax::NO_VALUE,
        lower: -127,
        upper: 127,
        level: 12,
        links: [].into_iter().collect(),
        leaf: edax::RawMove::NONE,
    };
    let position = record.check().unwrap();
    assert_eq!((position.value, position.bounds), (None, None));
    // Bounds that mean “anything” are valid.
    let known = edax::Record { value: 3, ..record };
    let (lower, upper) = (-127, 127);
    assert_eq!(known.check().unwrap().bounds, Some(Bounds { lower, upper }));
}

#[test]
fn a_number_is_named_with_its_range() {
    let start = Board::START.canonical();
    let mut position = Position::new(start, Engine::Egaroucid);
    let mv = start.board().moves().next();
    position.leaf = Some(Leaf {
        mv,
        score: 65,
        level: Some(3),
        engine: Engine::Egaroucid,
    });
    let fault = egbk3::Record::from_position(&position).unwrap_err();
    assert!(
        fault.remark() == "the leaf's value is 65: expected -64 to 64",
        "{fault}"
    );
    position.leaf = None;
    position.value = Some(-126);
    let fault = egbk3::Record::from_position(&position).unwrap_err();
    assert!(
        fault.remark() == "the value is -126: expected -64 to 64",
        "{fault}"
    );
}
