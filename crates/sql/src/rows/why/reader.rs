//! Positions near best play with what counts for their values. They are read when needed, up to a limit.

use super::answer::{Explained, Lead, Payoff, PayoffKind, Unexplained};
use obook_converters::Header;
use obook_othello::levels::{Effort, of_leaf};
use obook_othello::{Board, CanonicalBoard, Engine, Move, Position, Proof, RuleSet, is_entered};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;

/// The rules by which values follow from payoffs, and the errors of searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rules {
    /// The rule set.
    pub set: RuleSet,
    /// In Edax's rules: the error of a search that doesn't reach the end, in discs.
    pub midgame_error: i32,
    /// In Edax's rules: the error of a selective search to the end, in discs.
    pub endcut_error: i32,
}

impl Rules {
    /// The rules of a book with this header.
    ///
    /// ```
    /// use obook_converters::Header;
    /// use obook_othello::RuleSet;
    /// use obook_sql::rows::why::Rules;
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

    /// By how many discs a search may be off; `None` if the rules don't say.
    pub(super) fn error(self, search: Effort) -> Option<i32> {
        match self.set {
            _ if search.is_solved() => Some(0),
            RuleSet::Edax if search.to_the_end => Some(self.endcut_error),
            RuleSet::Edax => Some(self.midgame_error),
            RuleSet::Egaroucid | RuleSet::EgaroucidEdax => None,
        }
    }
}

/// A score that isn't computed from others, in the orientation of the canonical board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CanonicalPayoff {
    pub(super) kind: PayoffKind,
    /// The move, for a leaf.
    pub(super) mv: Option<Move>,
    pub(super) score: i16,
    pub(super) level: Option<u8>,
    pub(super) engine: Engine,
}

impl CanonicalPayoff {
    /// The effort of the search behind it, for a board with this many empty squares.
    pub(super) fn search(self, empties: u32) -> Option<Effort> {
        let is_search = matches!(self.kind, PayoffKind::Leaf | PayoffKind::Position);
        let level = self.level.filter(|_| is_search)?;
        Some(Effort::new(self.engine, level, empties as u8))
    }

    /// Whether nothing can change it, because the game is over or it is solved.
    pub(super) fn is_exact(self, empties: u32) -> bool {
        let is_solved = self.search(empties).is_some_and(Effort::is_solved);
        self.kind == PayoffKind::GameOver || is_solved
    }
}

/// A relevant link, in the orientation of the canonical board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Child {
    pub(super) mv: Move,
    pub(super) score: i16,
    pub(super) board: CanonicalBoard,
}

/// A position whose value is the best of its payoff and its children, within what is proven.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Node {
    pub(super) board: CanonicalBoard,
    /// The moves by which it was first reached from the position asked about.
    pub(super) line: Vec<Move>,
    /// The board after them, in the orientation of the line.
    pub(super) seen: Board,
    pub(super) value: i16,
    pub(super) payoff: Option<CanonicalPayoff>,
    /// Best first, equal ones by their [place](Board::place_of) in the orientation of the line.
    pub(super) children: Vec<Child>,
    /// The leaf with a move, whether or not it counts.
    pub(super) leaf: Option<CanonicalPayoff>,
    /// Whether moves lead out of the book but none has been searched.
    pub(super) is_unsearched: bool,
    /// The proven bound that decides, because payoff and children are beyond it.
    pub(super) bound: Option<CanonicalPayoff>,
    /// The proven bounds, which limit the value.
    proof: Option<Proof>,
}

impl Node {
    /// Extracts what counts for a position's value, and checks that it follows from that.
    fn new<E>(
        position: &Position,
        line: Vec<Move>,
        seen: Board,
        set: RuleSet,
    ) -> Explained<Node, E> {
        let board = position.board.board();
        let known = children(position, seen);
        let is_out = |child: Board| known.iter().all(|known| known.board != child.canonical());
        let leads_out = board.children().any(|(_, child)| is_out(child));
        let value = position.value.ok_or(Unexplained::NoValue(position.board))?;
        let leaf = leaf(position);
        let mut node = Node {
            board: position.board,
            line,
            seen,
            value,
            payoff: None,
            bound: None,
            children: known,
            leaf: leaf.filter(|leaf| leaf.mv.is_some()),
            is_unsearched: leads_out && position.leaf.is_none(),
            proof: position.proof,
        };
        let own = |kind| CanonicalPayoff {
            kind,
            mv: None,
            score: value,
            level: position.level,
            engine: position.engine,
        };
        if is_entered(position.level) {
            node.payoff = Some(own(PayoffKind::Person));
            node.children.clear();
            node.proof = None;
            return Ok(node);
        }
        node.payoff = match set {
            RuleSet::Edax => leaf,
            // There, neither the end of a game nor the leaf of a pass position counts.
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
                let decides = |proof: &Proof| proof.clamp(best) == value;
                let proof = position.proof.filter(decides);
                let proof = proof.ok_or_else(|| {
                    let problem =
                        format!("its value is {value:+}, but its best move scores {best:+}");
                    Unexplained::Contradiction(position.board, problem)
                })?;
                node.bound = Some(CanonicalPayoff {
                    level: None,
                    engine: proof.prover(),
                    ..own(PayoffKind::Proof)
                });
            }
        }
        Ok(node)
    }

    pub(super) fn empties(&self) -> u32 {
        self.board.board().empties()
    }

    /// Whether what is proven allows this change of the value.
    pub(super) fn may_change(&self, by: i16) -> bool {
        let value = self.value + by;
        self.proof.is_none_or(|proof| proof.clamp(value) == value)
    }

    /// The first best move, if it's a link.
    pub(super) fn best_child(&self) -> Option<&Child> {
        let is_best = |child: &&Child| child.score == self.value;
        self.children.first().filter(is_best)
    }

    /// The score of the second best move, which may equal the best.
    pub(super) fn second_best(&self) -> Option<i16> {
        let scores = self.children.iter().map(|child| child.score);
        let others = self.payoff.into_iter().chain(self.bound);
        let mut scores: Vec<i16> = scores.chain(others.map(|it| it.score)).collect();
        scores.sort_unstable();
        scores.iter().nth_back(1).copied()
    }

    /// The searches that could improve on the moves out of the book: the leaf's move, unless it's exact or the value was entered by a
    /// person.
    pub(super) fn lead_out(&self) -> Option<Lead> {
        let holds = |it: CanonicalPayoff| it.kind == PayoffKind::Person;
        match self.leaf {
            _ if self.payoff.is_some_and(holds) => None,
            Some(leaf) if leaf.is_exact(self.empties()) => None,
            Some(leaf) => Some(Lead::Add(self.board.child(leaf.mv?)?)),
            None => self.is_unsearched.then_some(Lead::Search(self.board)),
        }
    }
}

/// The legal links with a score, one per child.
fn children(position: &Position, seen: Board) -> Vec<Child> {
    let mut children: Vec<Child> = Vec::with_capacity(position.links.len());
    for link in &position.links {
        let child = position.board.child(link.mv);
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
    children.sort_by_cached_key(|child| {
        let place = seen.place_of(seen.written(child.mv));
        (Reverse(child.score), place)
    });
    children
}

/// The leaf, if it has a legal move or is the final score of a game.
fn leaf(position: &Position) -> Option<CanonicalPayoff> {
    let leaf = position.leaf?;
    let kind = match leaf.mv {
        Some(mv) => {
            position.board.board().play(mv)?;
            PayoffKind::Leaf
        }
        None => PayoffKind::GameOver,
    };
    Some(CanonicalPayoff {
        kind,
        mv: leaf.mv,
        score: leaf.score.into(),
        level: of_leaf(leaf, position.level, position.engine),
        engine: leaf.engine,
    })
}

/// The number of a position read.
pub(super) type Id = usize;

/// Looks up a position of the book.
type LookUp<'l, E> = &'l mut dyn FnMut(CanonicalBoard) -> Result<Option<Position>, E>;

/// The positions read so far, each once.
pub(super) struct Reader<'l, E> {
    look_up: LookUp<'l, E>,
    rules: Rules,
    /// The number of positions that may be read besides the one asked about.
    most: u64,
    ids: HashMap<CanonicalBoard, Id>,
    pub(super) nodes: Vec<Rc<Node>>,
    /// Whether a position wasn't read because of the limit.
    pub(super) is_cut_short: bool,
}

impl<'l, E> Reader<'l, E> {
    pub(super) fn new(look_up: LookUp<'l, E>, rules: Rules, most: u64) -> Self {
        Reader {
            look_up,
            rules,
            most,
            ids: HashMap::new(),
            nodes: Vec::new(),
            is_cut_short: false,
        }
    }

    /// Reads the position asked about.
    pub(super) fn root(&mut self, seen: Board) -> Explained<Id, E> {
        let board = seen.canonical();
        let position = (self.look_up)(board).map_err(Unexplained::Read)?;
        let position = position.ok_or(Unexplained::Absent(board))?;
        self.add(&position, Vec::new(), seen)
    }

    /// Reads a child of `from`, regardless of the limit.
    pub(super) fn follow(&mut self, from: Id, child: usize) -> Explained<Id, E> {
        let child = self.nodes[from].children[child];
        if let Some(id) = self.ids.get(&child.board) {
            return Ok(*id);
        }
        let position = (self.look_up)(child.board).map_err(Unexplained::Read)?;
        let linked = -child.score;
        let bad_link = |found: &str| {
            let problem = format!("a link says that it is worth {linked:+}, but it is {found}");
            Unexplained::Contradiction(child.board, problem)
        };
        let position = position.ok_or_else(|| bad_link("not in the book"))?;
        if let Some(value) = position.value.filter(|value| *value != linked) {
            return Err(bad_link(&format!("worth {value:+}")));
        }
        let from = &self.nodes[from];
        let mv = from.seen.written(child.mv);
        let line = [&from.line[..], &[mv]].concat();
        let seen = from.seen.play(mv).expect("a link that counts is legal");
        self.add(&position, line, seen)
    }

    /// Reads a child of `from`; `None` if that would exceed the limit.
    pub(super) fn child(&mut self, from: Id, child: usize) -> Explained<Option<Id>, E> {
        let board = self.nodes[from].children[child].board;
        if self.nodes.len() as u64 > self.most && !self.ids.contains_key(&board) {
            self.is_cut_short = true;
            return Ok(None);
        }
        self.follow(from, child).map(Some)
    }

    fn add(&mut self, position: &Position, line: Vec<Move>, seen: Board) -> Explained<Id, E> {
        let node = Node::new(position, line, seen, self.rules.set)?;
        let id = self.nodes.len();
        self.ids.insert(node.board, id);
        self.nodes.push(Rc::new(node));
        Ok(id)
    }

    pub(super) fn node(&self, id: Id) -> Rc<Node> {
        Rc::clone(&self.nodes[id])
    }

    /// Whether a position was left out since the last call.
    pub(super) fn was_cut_short(&mut self) -> bool {
        std::mem::take(&mut self.is_cut_short)
    }

    /// The payoff that decides the value of a position where a line of best moves ends.
    pub(super) fn deciding(&self, id: Id) -> Payoff {
        let node = self.node(id);
        let decides = node.bound.or(node.payoff);
        self.described(id, decides.expect("no move decides"))
    }

    /// The payoff of a position, which must have one.
    pub(super) fn payoff(&self, id: Id) -> Payoff {
        let payoff = self.node(id).payoff;
        self.described(id, payoff.expect("its payoff counts"))
    }

    fn described(&self, id: Id, payoff: CanonicalPayoff) -> Payoff {
        let node = self.node(id);
        let search = payoff.search(node.empties());
        let lead = match payoff.kind {
            PayoffKind::Leaf => node.lead_out(),
            PayoffKind::Position if node.is_unsearched => Some(Lead::Search(node.board)),
            _ => None,
        };
        Payoff {
            line: node.line.clone(),
            board: node.board,
            kind: payoff.kind,
            mv: payoff.mv.map(|mv| node.seen.written(mv)),
            score: payoff.score,
            level: payoff.level,
            engine: payoff.engine,
            search,
            error: match payoff.kind {
                PayoffKind::GameOver => Some(0),
                _ => search.and_then(|search| self.rules.error(search)),
            },
            lead,
        }
    }
}
