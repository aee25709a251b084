//! A walk over a book: which board each record belongs to, and what it says of that.

use super::Record;
use super::file::{Coloured, File};
use super::hash::square;
use crate::account::{Account, known_by, tally};
use crate::book_reader::Opened;
use crate::claim::{Claim, EXACT, MOST, without_searched_move};
use obook_othello::{Engine, Leaf, Move, Position, SquareSet, Symmetry};

/// The size of a solved position's score, before its result is added.
const CERTAIN: u16 = Record::CERTAIN as u16;
/// The size of a score that says that nothing was searched.
const NO_SCORE: u16 = Record::NO_SCORE as u16;
/// A draw that is to be avoided.
const UNWANTED_DRAW: u16 = CERTAIN - 1;
/// Scores from here up say that nothing is known.
const INFINITE: u16 = 32_000;
/// The units of a disc.
const UNITS: f32 = 128.0;

/// A position of the book.
struct Node {
    at: Coloured,
    /// Turns the board to the orientation of the record's move.
    symmetry: Symmetry,
    /// The place of its record.
    record: u32,
    /// The legal moves that lead to positions of the book.
    linked: u64,
    /// Its children end here in the list of all; they begin where those of the node before end.
    children: u32,
    claim: Claim,
    /// Whether the record's side is the one that the moves to it give.
    trusted: bool,
    /// Whether nothing is known of it.
    gone: bool,
}

/// Walks a book from the start.
pub(super) fn walked(mut file: File, name: &str) -> Opened {
    let mut account = Account::of(format!("Zebra book, {}", file.form));
    let damage = file.damage.take().map(|damage| damage.named(name));
    let (mut nodes, children) = walk(&file, &mut account);
    judge(&file, &mut nodes, &children, &mut account);
    count(&file, &nodes, &mut account);
    nodes.retain(|node| !node.gone);
    let places = (0..nodes.len()).map(Ok).chain(damage.map(Err));
    let promised = file.promised.into();
    let make = move |place: usize| {
        let node: &Node = &nodes[place];
        Some((position(node, &file.records[node.record as usize]), false))
    };
    Opened::of_parts(promised, account, places, make, |_| 0)
}

/// Finds the positions that legal moves reach from the start, and their children.
fn walk(file: &File, account: &mut Account) -> (Vec<Node>, Vec<u32>) {
    let mut nodes: Vec<Node> = Vec::new();
    let mut children: Vec<u32> = Vec::new();
    // The node of each record.
    let mut node_of = vec![u32::MAX; file.records.len()];
    let mut reach = |nodes: &mut Vec<Node>, at: Coloured| {
        let (hash, symmetry) = at.hash();
        let record = *file.places.get(&hash)?;
        let node = &mut node_of[record as usize];
        if *node == u32::MAX {
            *node = nodes.len() as u32;
            nodes.push(Node {
                at,
                symmetry,
                record,
                linked: 0,
                children: 0,
                claim: Claim::Nothing,
                trusted: true,
                gone: false,
            });
        }
        Some(*node)
    };
    reach(&mut nodes, Coloured::START);
    let mut wrong = |what: &str, count: u64| tally(&mut account.wrong, what, count);
    let mut place = 0;
    while let Some(node) = nodes.get(place) {
        let at = node.at;
        for square in at.board.legal_moves() {
            let child = at.place(square).expect("it is legal");
            let Some(found) = reach(&mut nodes, child) else {
                continue;
            };
            let reached = nodes[found as usize].at;
            if reached.black != child.black || reached.board.canonical() != child.board.canonical()
            {
                let collided = "moves to another position with the hash of one in the book";
                wrong(collided, 1);
                continue;
            }
            nodes[place].linked |= square.bit();
            children.push(found);
        }
        nodes[place].children = children.len() as u32;
        place += 1;
    }
    let unreached = (file.records.len() - nodes.len()) as u64 + file.beyond;
    wrong("positions that no line from the start reaches", unreached);
    wrong("positions that come twice", file.repeated);
    (nodes, children)
}

/// Decides what each position's score says. If solved positions contradict each other, the child is right.
fn judge(file: &File, nodes: &mut [Node], children: &[u32], account: &mut Account) {
    let mut wrong = |what: &str| tally(&mut account.wrong, what, 1);
    // Each move adds a disc, so a child comes after its parent.
    for place in (0..nodes.len()).rev() {
        let before = place.checked_sub(1);
        let before = before.map_or(0, |before| nodes[before].children);
        let own = &children[before as usize..nodes[place].children as usize];
        let linked = SquareSet(nodes[place].linked).iter();
        let moves = linked.zip(own);
        let gone = moves.filter(|(_, child)| nodes[**child as usize].gone);
        nodes[place].linked &= !gone.fold(0, |gone, (square, _)| gone | square.bit());
        let node = &nodes[place];
        let record = &file.records[node.record as usize];
        let side = match node.at.black {
            true => Record::BLACK,
            false => Record::WHITE,
        };
        let is_over = node.at.board.is_over();
        let trusted = is_over || record.flags & (Record::BLACK | Record::WHITE) == side;
        let claim = match claim(record, node.at.black) {
            _ if is_over => Ok(Claim::Exact(node.at.board.final_score().into())),
            _ if !trusted => Err("positions where the book names the wrong side to move"),
            Some(claim) if contradicts(claim, node, own, nodes) => {
                Err("solved positions that contradict a solved child")
            }
            Some(claim) => Ok(claim),
            None => Err("scores that make no sense"),
        };
        let claim = claim.unwrap_or_else(|what| {
            wrong(what);
            Claim::Nothing
        });
        let claim = match best(node, own, nodes) {
            Some(best) if claim == Claim::Nothing => Claim::Below(best),
            _ => claim,
        };
        let node = &mut nodes[place];
        (node.claim, node.trusted) = (claim, trusted);
        node.gone = claim == Claim::Nothing && node.linked == 0 && leaf(node, record).is_none();
        if node.gone {
            wrong("positions with nothing left");
        }
    }
}

/// Whether what is claimed of a position can't be true if what is claimed of its children is.
fn contradicts(claim: Claim, node: &Node, children: &[u32], nodes: &[Node]) -> bool {
    let Some((lower, upper)) = claim.bounds() else {
        return false;
    };
    let below = children.iter().map(|child| {
        let child = &nodes[*child as usize];
        let (lower, upper) = child.claim.bounds()?;
        Some(match child.at.black == node.at.black {
            true => (lower, upper),
            false => (-upper, -lower),
        })
    });
    let at_least = below.clone().flatten().map(|(lower, _)| lower).max();
    let at_most = below.map(|bounds| bounds.map_or(MOST, |(_, upper)| upper));
    let at_most = at_most.max();
    let is_complete = node.linked == node.at.board.legal_moves().0;
    at_least.is_some_and(|found| found > upper)
        || is_complete && at_most.is_some_and(|found| found < lower)
}

/// The value of the best child.
fn best(node: &Node, children: &[u32], nodes: &[Node]) -> Option<i16> {
    let values = children.iter().filter_map(|child| {
        let child = &nodes[*child as usize];
        let value = child.claim.value()?;
        let is_same_side = child.at.black == node.at.black;
        Some(if is_same_side { value } else { -value })
    });
    values.max()
}

/// The claim of a record's score for the side to move; `None` if it makes no sense.
fn claim(record: &Record, black: bool) -> Option<Claim> {
    let score = if black { record.black } else { record.white };
    let sign = score.signum() * if black { 1 } else { -1 };
    let is_certain = record.is_certain();
    match score.unsigned_abs() {
        0 | UNWANTED_DRAW if is_certain => Some(Claim::Exact(0)),
        0 | UNWANTED_DRAW => Some(Claim::Searched(0)),
        NO_SCORE | INFINITE.. if !is_certain => Some(Claim::Nothing),
        size @ ..CERTAIN => (!is_certain).then(|| Claim::Searched(sign * discs(size))),
        _ if record.flags & Record::SOLVED == 0 => Some(Claim::certain(sign, 0)),
        size => {
            // Books of old versions have results in 1/128 disc.
            let result = size - CERTAIN;
            let is_old = result > MOST.unsigned_abs();
            let result = if is_old { discs(result) } else { result as i16 };
            (result > 0 && result % 2 == 0).then_some(Claim::Exact(sign * result))
        }
    }
}

/// 1/128 discs as discs, rounded; halves away from zero.
fn discs(units: u16) -> i16 {
    ((f32::from(units) / UNITS).round() as i16).min(MOST)
}

/// Counts what is in the book, and what positions can't hold.
fn count(file: &File, nodes: &[Node], account: &mut Account) {
    let mut contents = |what: &str, count: u64| tally(&mut account.contents, what, count);
    let mut lost = |what: &str, is_lost: bool| tally(&mut account.lost, what, is_lost.into());
    contents("positions", file.promised.into());
    for record in &file.records {
        let is_exact = record.flags & Record::SOLVED != 0;
        let certain = record.is_certain().then_some(is_exact);
        contents(&known_by(certain, record.depth()), 1);
        let is_private = record.flags & Record::PRIVATE != 0;
        contents("private positions", is_private.into());
        contents("public positions", (!is_private).into());
        let deviates = record.alternative > 0;
        contents("moves searched beyond the book", deviates.into());
        lost("marks of private positions", is_private);
        let is_beside = deviates && record.is_certain();
        lost("moves searched beside solved positions", is_beside);
        let differs = record.black != record.white;
        lost("other scores when Zebra plays the other side", differs);
        let is_rounded = !record.is_certain() && record.black % UNITS as i16 != 0;
        lost("fractions of a disc", is_rounded);
    }
    for node in nodes {
        let record = &file.records[node.record as usize];
        let has_move = record.alternative > 0 && was_searched(node, record);
        if has_move && leaf(node, record).is_none() {
            let what = "moves beyond the book that are illegal or lead to positions of the book";
            tally(&mut account.wrong, what, 1);
        }
    }
}

/// Whether the record is of a search of moves that lead out of the book.
fn was_searched(node: &Node, record: &Record) -> bool {
    !record.is_certain() && node.trusted && record.alternative_score != Record::NO_SCORE
}

/// The searched move that leads out of the book.
fn leaf(node: &Node, record: &Record) -> Option<Leaf> {
    if !was_searched(node, record) {
        return None;
    }
    let square = node.symmetry.inverse().square(square(record.alternative)?);
    let out = node.at.board.legal_moves().0 & !node.linked;
    (out & square.bit() != 0).then(|| {
        let units = record.alternative_score;
        let score = discs(units.unsigned_abs()) as i8;
        let good = (units > 0) == node.at.black;
        Leaf {
            mv: Some(Move::Place(square)),
            score: if good { score } else { -score },
            level: level(record),
            engine: Engine::Zebra,
        }
    })
}

/// The level of a search; [`EXACT`] is for results.
fn level(record: &Record) -> Option<u8> {
    record.depth().map(|depth| depth.min(EXACT - 1))
}

fn position(node: &Node, record: &Record) -> Position {
    let (canonical, symmetry) = node.at.board.canonicalize();
    let mut position = Position::new(canonical, Engine::Zebra);
    node.claim.enter(&mut position, Engine::Zebra);
    position.level = match node.claim {
        Claim::Exact(_) => Some(EXACT),
        Claim::Searched(_) => level(record),
        Claim::Between { .. } | Claim::Below(_) | Claim::Nothing => None,
    };
    if let Some(leaf) = leaf(node, record) {
        position.level = position.level.or(leaf.level);
        position.set_leaf(Leaf {
            mv: leaf.mv.map(|mv| symmetry.play(mv)),
            ..leaf
        });
    } else {
        let all_in_book = node.linked == node.at.board.legal_moves().0;
        without_searched_move(&mut position, Some(all_in_book));
    }
    position
}
