//! Turns the rows of one position back into what they mean.

use crate::rows::fault::{Fault, Faults, RawValue, Result, Wrong};
use obook_converters::{FaultKind, MoveOf};
use obook_othello::{
    Board, Bounds, CanonicalBoard, Engine, Leaf, Link, Move, NoLeaf, Position, Proof, Symmetry,
};
use rusqlite::Row;
use rusqlite::types::ValueRef;

/// The range of scores, which are disc differences.
const SCORE: (i64, i64) = (-64, 64);
const LEVEL: (i64, i64) = (0, u8::MAX as i64);
const COUNT: (i64, i64) = (0, u32::MAX as i64);
const FLAG: (i64, i64) = (0, 1);
const MOVE: (i64, i64) = (0, 64);
/// The range of bounds, which is symmetric so that they can be negated.
const BOUND: (i64, i64) = (-(i16::MAX as i64), i16::MAX as i64);

/// Returns the key of a row, its first column, or a description of what's there instead.
pub(crate) fn key(row: &Row<'_>) -> Result<Result<[u8; 16], String>, rusqlite::Error> {
    Ok(match row.get_ref(0)? {
        ValueRef::Blob(blob) => blob.try_into().map_err(|_| format!("{} bytes", blob.len())),
        other => Err(format!("{:?}", other.data_type()).to_lowercase()),
    })
}

/// The board of a key, by which the rest of its rows is read.
#[derive(Clone, Copy)]
pub(crate) struct KeyedBoard {
    key: [u8; 16],
    board: Board,
    canonical: CanonicalBoard,
    /// Leads from the board to the canonical one.
    symmetry: Symmetry,
}

impl KeyedBoard {
    /// For a board known to be canonical.
    pub(crate) fn of(canonical: CanonicalBoard) -> KeyedBoard {
        KeyedBoard {
            key: canonical.to_key(),
            board: canonical.board(),
            canonical,
            symmetry: Symmetry::IDENTITY,
        }
    }

    /// Parses a key; `None` if it isn't a board.
    pub(crate) fn read<F: Faults>(key: [u8; 16], faults: &mut F) -> Result<Option<KeyedBoard>> {
        let both = u128::from_be_bytes(key);
        let (player, opponent) = ((both >> 64) as u64, both as u64);
        let mut add = |wrong| {
            let key = Some(key);
            faults.add(Fault { key, wrong })
        };
        let Ok(board) = Board::new(player, opponent) else {
            add(Wrong::of_game(key, FaultKind::Overlap))?;
            return Ok(None);
        };
        if F::BY_THE_RULES && (player | opponent) & Board::CENTRE != Board::CENTRE {
            add(Wrong::of_game(key, FaultKind::EmptyCentre))?;
            return Ok(None);
        }
        let (canonical, symmetry) = board.canonicalize();
        if canonical.board() != board {
            add(Wrong::NotCanonical(canonical))?;
        }
        Ok(Some(KeyedBoard {
            key,
            board,
            canonical,
            symmetry,
        }))
    }

    /// Reads rows of this board.
    pub(crate) fn with<'r, F: Faults>(&'r self, faults: &'r mut F) -> Reading<'r, F> {
        Reading { at: self, faults }
    }
}

/// Reads rows of a board.
pub(crate) struct Reading<'r, F> {
    at: &'r KeyedBoard,
    faults: &'r mut F,
}

impl<F: Faults> Reading<'_, F> {
    /// Reads a row of `positions`, without links and leaf.
    pub(crate) fn numbers(&mut self, row: &Row<'_>) -> Result<Position> {
        let cell = |column| Ok::<_, rusqlite::Error>(RawValue::from(row.get_ref(column)?));
        if F::BY_THE_RULES {
            let (found, expected) = (cell(1)?, self.at.board.empties());
            if found != RawValue::Integer(expected.into()) {
                self.fault(Wrong::Empties { found, expected })?;
            }
        }
        let engine = self.engine(cell(6)?, Engine::Edax)?;
        let mut position = Position::new(self.at.canonical, engine);
        position.value = self.number("value", cell(2)?, SCORE)?;
        let bounds = [cell(3)?, cell(4)?];
        let lower = self.number("lower bound", bounds[0], BOUND)?;
        let upper = self.number("upper bound", bounds[1], BOUND)?;
        self.all_or_none("lower and upper", &bounds)?;
        let bounds = lower.zip(upper);
        position.bounds = bounds.map(|(lower, upper)| Bounds { lower, upper });
        position.level = self.number("level", cell(5)?, LEVEL)?;
        let outcomes = [cell(7)?, cell(8)?, cell(9)?];
        let wins = self.number("number of wins", outcomes[0], COUNT)?;
        let draws = self.number("number of draws", outcomes[1], COUNT)?;
        let losses = self.number("number of losses", outcomes[2], COUNT)?;
        self.all_or_none("wins, draws and losses", &outcomes)?;
        let outcomes = wins.zip(draws).zip(losses);
        position.outcomes = outcomes.map(|((wins, draws), losses)| [wins, draws, losses].into());
        position.lines = self.number("lines", cell(10)?, COUNT)?;
        let unsearched: Option<u8> = self.number("column unsearched", cell(11)?, FLAG)?;
        position.no_leaf = unsearched.map(|unsearched| match unsearched {
            0 => NoLeaf::AllMovesInBook,
            _ => NoLeaf::Undefined,
        });
        position.proof = self.proof([cell(12)?, cell(13)?, cell(14)?])?;
        Ok(position)
    }

    /// Reads what is proven of the value: both bounds and the prover.
    fn proof(&mut self, cells: [RawValue; 3]) -> Result<Option<Proof>> {
        if cells == [RawValue::Null; 3] {
            return Ok(None);
        }
        self.all_or_none("proven_lower, proven_upper and prover", &cells)?;
        let [lower, upper, prover] = cells;
        let Some(lower) = self.number::<i8>("proven lower bound", lower, SCORE)? else {
            return Ok(None);
        };
        let range = (lower.into(), SCORE.1);
        let upper = self.number("proven upper bound", upper, range)?;
        Ok(match (upper, prover) {
            (Some(upper), RawValue::Integer(_)) => {
                let prover = self.engine(prover, Engine::Obook)?;
                Proof::new(lower, upper, prover)
            }
            _ => None,
        })
    }

    /// Reads a row of `links`, the `number`th of its position, whose columns begin with this one.
    pub(crate) fn link(&mut self, number: u8, row: &Row<'_>, first: usize) -> Result<Option<Link>> {
        let mv = row.get_ref(first + 1)?.into();
        let mv = self.mv(mv, MoveOf::Link(number))?;
        let score = row.get_ref(first + 2)?.into();
        let score = self.number("score of a link", score, SCORE)?;
        Ok(mv.map(|mv| Link { mv, score }))
    }

    /// Reads a row of `leaves`, whose columns begin with this one. `engine` is the position's.
    pub(crate) fn leaf(
        &mut self,
        engine: Engine,
        row: &Row<'_>,
        first: usize,
    ) -> Result<Option<Leaf>> {
        let cell = |column| Ok::<_, rusqlite::Error>(RawValue::from(row.get_ref(first + column)?));
        let engine = self.engine(cell(4)?, engine)?;
        let level = self.number("leaf's level", cell(3)?, LEVEL)?;
        let mv = match cell(1)? {
            RawValue::Null if F::BY_THE_RULES && !self.at.board.is_over() => {
                self.fault(Wrong::ScoreWithoutMove)?;
                return Ok(None);
            }
            RawValue::Null => None,
            found => match self.mv(found, MoveOf::Leaf)? {
                None => return Ok(None),
                mv => mv,
            },
        };
        let found = cell(2)?;
        if found == RawValue::Null {
            self.out_of_range("leaf's score", found, SCORE)?;
        }
        let score = self.number("leaf's score", found, SCORE)?;
        Ok(score.map(|score| Leaf {
            mv,
            score,
            level,
            engine,
        }))
    }

    fn fault(&mut self, wrong: Wrong) -> Result<()> {
        let key = Some(self.at.key);
        self.faults.add(Fault { key, wrong })
    }

    /// Reads the engine, or returns `assumed` if the value isn't a known one.
    fn engine(&mut self, found: RawValue, assumed: Engine) -> Result<Engine> {
        if let RawValue::Integer(number) = found
            && let Some(engine) = Engine::from_number(number)
        {
            return Ok(engine);
        }
        self.fault(Wrong::Engine(found))?;
        Ok(assumed)
    }

    fn number<T: TryFrom<i64>>(
        &mut self,
        field: &str,
        found: RawValue,
        (min, max): (i64, i64),
    ) -> Result<Option<T>> {
        match found {
            RawValue::Null => return Ok(None),
            RawValue::Integer(number) if (min..=max).contains(&number) => {
                if let Ok(number) = number.try_into() {
                    return Ok(Some(number));
                }
            }
            _ => {}
        }
        self.out_of_range(field, found, (min, max))?;
        Ok(None)
    }

    #[cold]
    fn out_of_range(&mut self, field: &str, found: RawValue, (min, max): (i64, i64)) -> Result<()> {
        let problem = format!("the {field} is {found}: expected {min} to {max}");
        self.fault(Wrong::OutOfRange(problem))
    }

    fn all_or_none(&mut self, fields: &'static str, cells: &[RawValue]) -> Result<()> {
        let unknown = cells.iter().filter(|cell| **cell == RawValue::Null).count();
        if F::BY_THE_RULES && (1..cells.len()).contains(&unknown) {
            self.fault(Wrong::Half(fields))?;
        }
        Ok(())
    }

    /// Reads a move and maps it to the canonical board.
    fn mv(&mut self, found: RawValue, of: MoveOf) -> Result<Option<Move>> {
        let mv = match found {
            RawValue::Integer(code) => u8::try_from(code).ok().and_then(Move::from_code),
            RawValue::Null | RawValue::Other => None,
        };
        let Some(mv) = mv else {
            self.out_of_range(&format!("move of {of}"), found, MOVE)?;
            return Ok(None);
        };
        if F::BY_THE_RULES && self.at.board.play(mv).is_none() {
            let kind = FaultKind::IllegalMove {
                of,
                code: mv.code(),
            };
            self.fault(Wrong::of_game(self.at.key, kind))?;
            return Ok(None);
        }
        Ok(Some(self.at.symmetry.play(mv)))
    }
}
