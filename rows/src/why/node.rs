//! What counts for the value of a position.

use super::answer::{Lead, PayoffKind};
use super::unexplained::Unexplained;
use obook_converters::Header;
use obook_model::levels::{Effort, of_leaf};
use obook_model::{Engine, PERSON_LEVEL, Position, RuleSet};
use obook_othello::{Board, CanonicalBoard, Move};
use std::cmp::Reverse;

/// By what values follow from payoffs, and how far off searches may be.
///
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// Which numbers count.
    pub set: RuleSet,
    /// By Edax's rules: the error of a search that does not reach the end, in discs.
    pub midgame_error: i32,
    /// By Edax's rules: the error of a selective search to the end, in discs.
    pub endcut_error: i32,
}

impl Rules {
    /// Those of a book that says this of itself.
    ///
    /// ```
    /// use obook_converters::Header;
    /// use obook_model::RuleSet;
    /// use obook_rows::why::Rules;
    /// assert_eq!(Rules::of(RuleSet::Edax, &Header::default()).midgame_error, 2);
    /// ```
    #[must_use]
    pub fn of(set: RuleSet, header: &Header) -> Rules {
        let (midgame_error, endcut_error) = header.errors();
        Rules {
            set,
            midgame_error,
            endcut_error,
        }
    }

    /// By how many discs a search may be off; `None` where the rules don't say.
    pub(super) fn error(self, search: Effort) -> Option<i32> {
        match self.set {
            _ if search.is_solved() => Some(0),
            RuleSet::Edax if search.to_the_end => Some(self.endcut_error),
            RuleSet::Edax => Some(self.midgame_error),
            RuleSet::Egaroucid | RuleSet::EgaroucidEdax => None,
        }
    }
}

/// A score that is not computed from others, as the canonical board has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CanonicalPayoff {
    pub(super) kind: PayoffKind,
    /// The move of a leaf.
    pub(super) mv: Option<Move>,
    pub(super) score: i16,
    pub(super) level: Option<u8>,
    pub(super) engine: Engine,
}

impl CanonicalPayoff {
    /// The search behind it, of a board with so many empty squares.
    pub(super) fn search(self, empties: u32) -> Option<Effort> {
        let is_search = matches!(self.kind, PayoffKind::Leaf | PayoffKind::Position);
        let level = self.level.filter(|_| is_search)?;
        Some(Effort::new(self.engine, level, empties as u8))
    }

    /// Whether nothing can change it: the game is over, or it is solved.
    pub(super) fn is_exact(self, empties: u32) -> bool {
        let is_solved = self.search(empties).is_some_and(Effort::is_solved);
        self.kind == PayoffKind::GameOver || is_solved
    }
}

/// A link that counts, in the orientation of the canonical board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Child {
    pub(super) mv: Move,
    pub(super) score: i16,
    pub(super) board: CanonicalBoard,
}

/// A position whose value is the best of its payoff and of its children.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    pub(super) board: CanonicalBoard,
    pub(super) value: i16,
    pub(super) payoff: Option<CanonicalPayoff>,
    /// The best first, and of equal ones in the order of their squares.
    pub(super) children: Vec<Child>,
    /// The leaf with a move, whether it counts or not.
    pub(super) leaf: Option<CanonicalPayoff>,
    /// Whether moves lead out of the book, and none of them was searched.
    pub(super) is_unsearched: bool,
}

impl Node {
    /// What counts of a position, if its value follows from that.
    pub(super) fn new<E>(position: &Position, set: RuleSet) -> Result<Node, Unexplained<E>> {
        let board = position.board.board();
        let known = children(position);
        let is_out = |child: Board| known.iter().all(|known| known.board != child.canonical());
        let leads_out = board.children().any(|(_, child)| is_out(child));
        let value = position.value.ok_or(Unexplained::NoValue(position.board))?;
        let mut node = Node {
            board: position.board,
            value,
            payoff: None,
            children: known,
            leaf: leaf(position),
            is_unsearched: leads_out && position.leaf.is_none(),
        };
        let own = |kind| CanonicalPayoff {
            kind,
            mv: None,
            score: value,
            level: position.level,
            engine: position.engine,
        };
        if position.level.is_some_and(|level| level >= PERSON_LEVEL) {
            node.payoff = Some(own(PayoffKind::Person));
            node.children.clear();
            return Ok(node);
        }
        node.payoff = match set {
            RuleSet::Edax => node.leaf.or_else(|| end(position)),
            // Neither the end of a game nor the leaf of a pass position is a leaf there.
            RuleSet::EgaroucidEdax => node.leaf.filter(|leaf| leaf.mv != Some(Move::Pass)),
            RuleSet::Egaroucid => None,
        };
        let of_children = node.children.first().map(|child| child.score);
        let best = of_children.max(node.payoff.map(|payoff| payoff.score));
        match best {
            None if board.is_over() => node.payoff = Some(own(PayoffKind::GameOver)),
            None => node.payoff = Some(own(PayoffKind::Position)),
            Some(best) if best == value => {}
            Some(best) => {
                return Err(Unexplained::DoesNotFollow {
                    board: position.board,
                    value,
                    best,
                });
            }
        }
        Ok(node)
    }

    pub(super) fn empties(&self) -> u32 {
        self.board.board().empties()
    }

    /// The first of its best moves, if it is a link.
    pub(super) fn best_child(&self) -> Option<&Child> {
        let is_best = |child: &&Child| child.score == self.value;
        self.children.first().filter(is_best)
    }

    /// What the second best of its moves is worth; as much as the best where two are equal.
    pub(super) fn second_best(&self) -> Option<i16> {
        let scores = self.children.iter().map(|child| child.score);
        let mut scores: Vec<i16> = scores.chain(self.payoff.map(|it| it.score)).collect();
        scores.sort_unstable();
        scores.iter().nth_back(1).copied()
    }

    /// What to search to know a move better that leads out of the book: the leaf's, unless it is exact, or the value is what a
    /// person entered.
    pub(super) fn lead_out(&self) -> Option<Lead> {
        let holds = |it: CanonicalPayoff| it.kind == PayoffKind::Person;
        match self.leaf {
            _ if self.payoff.is_some_and(holds) => None,
            Some(leaf) if leaf.is_exact(self.empties()) => None,
            Some(leaf) => {
                let child = self.board.board().play(leaf.mv?)?;
                Some(Lead::Add(child.canonical()))
            }
            None => self.is_unsearched.then_some(Lead::Search(self.board)),
        }
    }
}

/// The legal links with a score, each child once.
fn children(position: &Position) -> Vec<Child> {
    let board = position.board.board();
    let mut children: Vec<Child> = Vec::with_capacity(position.links.len());
    for link in &position.links {
        let child = board.play(link.mv).map(Board::canonical);
        let Some((child, score)) = child.zip(link.score) else {
            continue;
        };
        if children.iter().all(|known| known.board != child) {
            children.push(Child {
                mv: link.mv,
                score: score.into(),
                board: child,
            });
        }
    }
    children.sort_by_key(|child| (Reverse(child.score), child.mv));
    children
}

/// The leaf, if it has a legal move.
fn leaf(position: &Position) -> Option<CanonicalPayoff> {
    let leaf = position.leaf?;
    let mv = leaf.mv?;
    position.board.board().play(mv)?;
    Some(CanonicalPayoff {
        kind: PayoffKind::Leaf,
        mv: Some(mv),
        score: leaf.score.into(),
        level: of_leaf(leaf, position.level, position.engine),
        engine: leaf.engine,
    })
}

/// The final score of a game.
fn end(position: &Position) -> Option<CanonicalPayoff> {
    let leaf = position.leaf.filter(|leaf| leaf.mv.is_none())?;
    Some(CanonicalPayoff {
        kind: PayoffKind::GameOver,
        mv: None,
        score: leaf.score.into(),
        level: of_leaf(leaf, position.level, position.engine),
        engine: leaf.engine,
    })
}
