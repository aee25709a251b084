//! A position's numbers, leaf and links, packed into few bytes.

use super::{LinkTo, NodeId};
use obook_othello::{
    Bounds, CanonicalBoard, Engine, Leaf, Link, Move, NoLeaf, Outcomes, Position, Proof,
};

/// A position's value, bounds, proof, outcomes, lines and level in 28 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    // An unknown number is zero and its flag is off.
    outcomes: Outcomes,
    lines: u32,
    value: i16,
    bounds: Bounds,
    proof: Option<Proof>,
    level: u8,
    engine: Engine,
    flags: u8,
}

const VALUE: u8 = 1;
const BOUNDS: u8 = 2;
const LEVEL: u8 = 4;
const OUTCOMES: u8 = 8;
const LINES: u8 = 16;

impl Node {
    pub(crate) fn new(position: &Position) -> Node {
        let mut node = Node {
            outcomes: Outcomes::default(),
            lines: 0,
            value: 0,
            bounds: Bounds { lower: 0, upper: 0 },
            proof: position.proof,
            level: 0,
            engine: position.engine,
            flags: 0,
        };
        node.set_level(position.engine, position.level);
        node.set_value(position.value);
        node.set_bounds(position.bounds);
        node.set_outcomes(position.outcomes);
        node.set_lines(position.lines);
        node
    }

    /// A record of these numbers and links, without a leaf.
    pub(crate) fn record(&self, board: CanonicalBoard, edges: &[Edge]) -> Position {
        let link = |edge: &Edge| Link {
            mv: edge.mv(),
            score: edge.score(),
        };
        Position {
            links: edges.iter().map(link).collect(),
            value: self.value(),
            bounds: self.bounds(),
            proof: self.proof(),
            level: self.level(),
            outcomes: self.outcomes(),
            lines: self.lines(),
            ..Position::new(board, self.engine())
        }
    }

    fn flag(&mut self, flag: u8, on: bool) {
        self.flags = (self.flags & !flag) | if on { flag } else { 0 };
    }

    fn known<T>(&self, flag: u8, field: T) -> Option<T> {
        (self.flags & flag != 0).then_some(field)
    }

    /// The same numbers seen by the other side.
    pub(crate) fn turned(mut self) -> Node {
        self.value = self.value.saturating_neg();
        self.bounds = self.bounds.turned();
        self.proof = self.proof.map(Proof::turned);
        std::mem::swap(&mut self.outcomes.wins, &mut self.outcomes.losses);
        self
    }

    /// The engine whose scale the level is on.
    pub(crate) fn engine(&self) -> Engine {
        self.engine
    }

    /// The level of the search behind the value or leaf.
    pub(crate) fn level(&self) -> Option<u8> {
        self.known(LEVEL, self.level)
    }

    pub(super) fn set_level(&mut self, engine: Engine, level: Option<u8>) {
        self.engine = engine;
        self.flag(LEVEL, level.is_some());
        self.level = level.unwrap_or(0);
    }

    /// The score of the best move, in discs.
    pub(crate) fn value(&self) -> Option<i16> {
        self.known(VALUE, self.value)
    }

    pub(crate) fn set_value(&mut self, value: Option<i16>) {
        self.flag(VALUE, value.is_some());
        self.value = value.unwrap_or(0);
    }

    /// The bounds of the value, given the errors of the searches below.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        self.known(BOUNDS, self.bounds)
    }

    pub(crate) fn set_bounds(&mut self, bounds: Option<Bounds>) {
        self.flag(BOUNDS, bounds.is_some());
        self.bounds = bounds.unwrap_or(Bounds { lower: 0, upper: 0 });
    }

    /// The proven bounds of the value.
    pub(crate) fn proof(&self) -> Option<Proof> {
        self.proof
    }

    pub(crate) fn set_proof(&mut self, proof: Option<Proof>) {
        self.proof = proof;
    }

    /// The number of solved lines below, by outcome.
    pub(crate) fn outcomes(&self) -> Option<Outcomes> {
        self.known(OUTCOMES, self.outcomes)
    }

    pub(crate) fn set_outcomes(&mut self, outcomes: Option<Outcomes>) {
        self.flag(OUTCOMES, outcomes.is_some());
        self.outcomes = outcomes.unwrap_or_default();
    }

    /// The number of lines below, as the book's rules count them.
    pub(crate) fn lines(&self) -> Option<u32> {
        self.known(LINES, self.lines)
    }

    pub(crate) fn set_lines(&mut self, lines: Option<u32>) {
        self.flag(LINES, lines.is_some());
        self.lines = lines.unwrap_or(0);
    }
}

/// An optional leaf, or the remark about a missing one, in four bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PackedLeaf {
    /// The move's code, one of the codes below, and the bit [`LEAF_LEVEL`] if `level` is known.
    mv: u8,
    score: i8,
    level: u8,
    engine: Engine,
}

/// A leaf without a move: the final score of a game.
const NO_MOVE: u8 = 65;
/// No leaf and no remark.
const NO_LEAF: u8 = 127;
/// No leaf, with a remark.
const ALL_MOVES_IN_BOOK: u8 = 126;
const UNDEFINED: u8 = 125;
const LEAF_LEVEL: u8 = 128;

impl PackedLeaf {
    pub(crate) fn of(position: &Position) -> PackedLeaf {
        let missing = PackedLeaf::missing(position.no_leaf);
        position.leaf.map_or(missing, PackedLeaf::new)
    }

    pub(crate) fn missing(no_leaf: Option<NoLeaf>) -> PackedLeaf {
        PackedLeaf {
            mv: match no_leaf {
                None => NO_LEAF,
                Some(NoLeaf::AllMovesInBook) => ALL_MOVES_IN_BOOK,
                Some(NoLeaf::Undefined) => UNDEFINED,
            },
            score: 0,
            level: 0,
            engine: Engine::Edax,
        }
    }

    pub(crate) fn new(leaf: Leaf) -> PackedLeaf {
        PackedLeaf {
            mv: leaf.mv.map_or(NO_MOVE, Move::code) | leaf.level.map_or(0, |_| LEAF_LEVEL),
            score: leaf.score,
            level: leaf.level.unwrap_or(0),
            engine: leaf.engine,
        }
    }

    pub(crate) fn get(self) -> Option<Leaf> {
        let mv = self.mv & !LEAF_LEVEL;
        (mv <= NO_MOVE).then(|| Leaf {
            mv: Move::from_code(mv),
            score: self.score,
            level: (self.mv & LEAF_LEVEL != 0).then_some(self.level),
            engine: self.engine,
        })
    }

    pub(crate) fn to_bytes(self) -> [u8; 4] {
        let Self { mv, level, .. } = self;
        [mv, self.score.cast_unsigned(), level, self.engine.to_byte()]
    }

    pub(crate) fn from_bytes([mv, score, level, engine]: [u8; 4]) -> Option<PackedLeaf> {
        Some(PackedLeaf {
            mv,
            score: score.cast_signed(),
            level,
            engine: Engine::from_byte(engine)?,
        })
    }

    pub(crate) fn no_leaf(self) -> Option<NoLeaf> {
        match self.mv {
            ALL_MOVES_IN_BOOK => Some(NoLeaf::AllMovesInBook),
            UNDEFINED => Some(NoLeaf::Undefined),
            _ => None,
        }
    }
}

/// A link in eight bytes: the child's place, the move, and the score if it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    child: u32,
    /// The move's code, and the bit [`SCORE`] if `score` is known.
    mv: u8,
    score: i8,
}

const SCORE: u8 = 128;
const NO_CHILD: u32 = u32::MAX;

impl Edge {
    pub(crate) fn new(mv: Move, score: Option<i8>, child: Option<NodeId>) -> Edge {
        Edge {
            child: child.map_or(NO_CHILD, |child| child.0),
            mv: mv.code() | score.map_or(0, |_| SCORE),
            score: score.unwrap_or(0),
        }
    }

    pub(crate) fn mv(self) -> Move {
        Move::from_code(self.mv & !SCORE).expect("an edge is made of a move")
    }

    pub(crate) fn score(self) -> Option<i8> {
        (self.mv & SCORE != 0).then_some(self.score)
    }

    pub(crate) fn set_score(&mut self, score: Option<i8>) {
        self.mv = (self.mv & !SCORE) | score.map_or(0, |_| SCORE);
        self.score = score.unwrap_or(0);
    }

    /// The score of a link to a child of this value. Saturates at ±127, which no real score reaches.
    pub(crate) fn score_of(child: i16) -> i8 {
        child.saturating_neg().clamp(-127, 127) as i8
    }

    /// Whether the book has the child.
    pub(crate) fn has_child(self) -> bool {
        self.child != NO_CHILD
    }

    /// The child, if the book has it.
    pub(crate) fn child(self) -> Option<NodeId> {
        self.has_child().then_some(NodeId(self.child))
    }

    /// The child's numbers, given those of the positions below.
    pub(crate) fn child_in(self, below: &[Node]) -> Option<&Node> {
        Some(&below[self.child()?.index()])
    }

    pub(crate) fn link_to(self) -> LinkTo {
        LinkTo {
            mv: self.mv(),
            score: self.score(),
            child: self.child(),
        }
    }

    pub(crate) fn set_child(&mut self, child: Option<NodeId>) {
        self.child = child.map_or(NO_CHILD, |child| child.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_stay_small() {
        assert_eq!(size_of::<Node>(), 28);
        assert_eq!(size_of::<PackedLeaf>(), 4);
        assert_eq!(size_of::<Edge>(), 8);
    }

    #[test]
    fn leaves_keep_every_field() {
        let moves = (0..=64).map(Move::from_code).chain([None]);
        for mv in moves {
            for level in [None, Some(0), Some(255)] {
                for engine in (1..=9).filter_map(Engine::from_number) {
                    let leaf = Leaf {
                        mv,
                        score: -128,
                        level,
                        engine,
                    };
                    let packed = PackedLeaf::new(leaf);
                    assert_eq!((packed.get(), packed.no_leaf()), (Some(leaf), None));
                }
            }
        }
        for no_leaf in NoLeaf::ALL.map(Some).into_iter().chain([None]) {
            let packed = PackedLeaf::missing(no_leaf);
            assert_eq!((packed.get(), packed.no_leaf()), (None, no_leaf));
        }
    }
}
