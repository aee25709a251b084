//! A walk over a book: which board each record belongs to, and what it says of that.

use super::Record;
use super::file::{Coloured, File};
use super::hash::square;
use crate::account::{Account, known_by, tally};
use crate::book_reader::{Opened, Whole};
use crate::claim::{Claim, EXACT, MOST, without_searched_move};
use obook_othello::{Engine, Leaf, Move, Position, SquareSet, Symmetry};

/// A draw that is to be avoided.
const UNWANTED_DRAW: i16 = Record::CERTAIN - 1;
/// Scores from here up say that nothing is known.
const INFINITE: i16 = 32_000;
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
    let (count, promised) = (nodes.len(), file.promised.into());
    let make = move |place: usize| {
        let node: &Node = &nodes[place];
        position(node, &file.records[node.record as usize])
    };
    Opened::counted(promised, account, Whole::new(count, make, damage))
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
    let mut collisions = 0;
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
                collisions += 1;
                continue;
            }
            nodes[place].linked |= square.bit();
            children.push(found);
        }
        nodes[place].children = children.len() as u32;
        place += 1;
    }
    let mut wrong = |what: &str, count: u64| tally(&mut account.wrong, what, count);
    let unreached = (file.records.len() - nodes.len()) as u64 + file.beyond;
    wrong("positions that no line from the start reaches", unreached);
    wrong("positions that come twice", file.repeated);
    let collided = "moves to another position with the hash of one in the book";
    wrong(collided, collisions);
    (nodes, children)
}

/// Decides what each position's score says. If solved positions contradict each other, the child is right.
fn judge(file: &File, nodes: &mut [Node], children: &[u32], account: &mut Account) {
    let (mut sides, mut senseless, mut contradictory, mut empty) = (0, 0, 0, 0);
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
        let mut trusted = true;
        let claim = if node.at.board.is_over() {
            Claim::Exact(node.at.board.final_score().into())
        } else if record.flags & (Record::BLACK | Record::WHITE) != side {
            sides += 1;
            trusted = false;
            Claim::Nothing
        } else {
            match claim(record, node.at.black) {
                Some(claim) if contradicts(claim, node, own, nodes) => {
                    contradictory += 1;
                    Claim::Nothing
                }
                Some(claim) => claim,
                None => {
                    senseless += 1;
                    Claim::Nothing
                }
            }
        };
        let claim = match best(node, own, nodes) {
            Some(best) if claim == Claim::Nothing => Claim::Below(best),
            _ => claim,
        };
        let node = &mut nodes[place];
        (node.claim, node.trusted) = (claim, trusted);
        node.gone = claim == Claim::Nothing && node.linked == 0 && leaf(node, record).is_none();
        empty += u64::from(node.gone);
    }
    let mut wrong = |what: &str, count: u64| tally(&mut account.wrong, what, count);
    let other_side = "positions where the book names the wrong side to move";
    wrong(other_side, sides);
    wrong("scores that make no sense", senseless);
    let contradict = "solved positions that contradict a solved child";
    wrong(contradict, contradictory);
    wrong("positions with nothing left", empty);
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
    let size = i32::from(score).abs();
    let sign = score.signum() * if black { 1 } else { -1 };
    let certain = i32::from(Record::CERTAIN);
    if size == 0 || size == i32::from(UNWANTED_DRAW) {
        return Some(match record.is_certain() {
            true => Claim::Exact(0),
            false => Claim::Searched(0),
        });
    }
    if !record.is_certain() && (size == i32::from(Record::NO_SCORE) || size >= i32::from(INFINITE))
    {
        return Some(Claim::Nothing);
    }
    if !record.is_certain() && size < certain {
        return Some(Claim::Searched(sign * discs(size)));
    }
    let result = size - certain;
    if result < 0 {
        return None;
    }
    if record.flags & Record::SOLVED == 0 {
        return Some(Claim::certain(sign, 0));
    }
    // Books of old versions have results in 1/128 disc.
    let result = match i16::try_from(result) {
        Ok(result) if result <= MOST => result,
        _ => discs(result),
    };
    (result > 0 && result % 2 == 0).then_some(Claim::Exact(sign * result))
}

/// 1/128 discs as discs, rounded; halves away from zero.
fn discs(units: i32) -> i16 {
    ((units as f32 / UNITS).round() as i16).min(MOST)
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
        if record.alternative > 0
            && node.trusted
            && !record.is_certain()
            && leaf(node, record).is_none()
            && record.alternative_score != Record::NO_SCORE
        {
            let what = "moves beyond the book that are illegal or lead to positions of the book";
            tally(&mut account.wrong, what, 1);
        }
    }
}

/// The searched move that leads out of the book.
fn leaf(node: &Node, record: &Record) -> Option<Leaf> {
    if record.is_certain() || !node.trusted || record.alternative_score == Record::NO_SCORE {
        return None;
    }
    let square = node.symmetry.inverse().square(square(record.alternative)?);
    let out = node.at.board.legal_moves().0 & !node.linked;
    (out & square.bit() != 0).then(|| {
        let units = i32::from(record.alternative_score);
        let score = discs(units.abs()) as i8;
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
