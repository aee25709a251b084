//! The principal line behind a value, and the moves missing beside it.

use super::answer::{Addition, Alternative, Explained, Step};
use super::reader::{Id, Node, Reader};
use obook_othello::Move;

/// Both sides' best moves from the position asked about, to the one whose payoff decides. Of equal ones, links come before the
/// payoff, then the order of [`Board::place_of`](obook_othello::Board::place_of) decides.
pub(super) fn principal_line<E>(reader: &mut Reader<'_, E>, root: Id) -> Explained<Vec<Id>, E> {
    let mut line = vec![root];
    let mut last = root;
    while reader.node(last).best_child().is_some() {
        last = reader.follow(last, 0)?;
        line.push(last);
    }
    Ok(line)
}

pub(super) fn steps<E>(reader: &Reader<'_, E>, line: &[Id]) -> Vec<Step> {
    let steps = line.iter().filter_map(|id| {
        let node = reader.node(*id);
        let best = *node.best_child()?;
        Some(Step {
            board: node.board,
            mv: node.seen.written(best.mv),
            score: best.score,
            others: alternatives(&node, Some(best.mv)),
        })
    });
    steps.collect()
}

/// The other moves where the line ends.
pub(super) fn beside<E>(reader: &Reader<'_, E>, last: Id) -> Vec<Alternative> {
    let node = reader.node(last);
    let decides = node.bound.is_none();
    let own = node.payoff.filter(|_| decides).and_then(|payoff| payoff.mv);
    alternatives(&node, own)
}

/// The moves out of the book in positions in which the side asked about is to move. Moves that can raise the value on their
/// own come first, closest to the best move first. Unsearched moves may be worth anything.
pub(super) fn additions<E>(reader: &Reader<'_, E>, line: &[Id]) -> Vec<Addition> {
    let mut additions = Vec::new();
    let mut ceiling: Option<i16> = None;
    let value = reader.node(line[0]).value;
    for (ply, id) in line.iter().enumerate() {
        let node = reader.node(*id);
        match ply % 2 {
            0 => additions.extend(addition(reader, *id, ceiling)),
            // The other side plays its second best move rather than lose more with its best.
            _ => {
                let limit = node.second_best().map(|score| -score);
                ceiling = limit.into_iter().chain(ceiling).min();
            }
        }
    }
    additions.sort_by_key(|it: &Addition| (it.ceiling == Some(value), it.worse));
    additions
}

/// The move out of the book to search in a position.
fn addition<E>(reader: &Reader<'_, E>, id: Id, ceiling: Option<i16>) -> Option<Addition> {
    let node = reader.node(id);
    let lead = node.lead_out()?;
    let leaf = node.leaf;
    let mv = leaf.and_then(|leaf| leaf.mv);
    Some(Addition {
        line: node.line.clone(),
        board: node.board,
        mv: mv.map(|mv| node.seen.written(mv)),
        worse: leaf.map(|leaf| node.value - leaf.score),
        ceiling,
        lead,
    })
}

/// The relevant moves of a position, except one.
fn alternatives(node: &Node, but: Option<Move>) -> Vec<Alternative> {
    let links = node.children.iter().map(|it| (it.mv, true, it.score));
    let leaf = node.payoff.and_then(|it| Some((it.mv?, false, it.score)));
    let moves = links.chain(leaf).filter(|(mv, ..)| Some(*mv) != but);
    let mut moves: Vec<Alternative> = moves
        .map(|(mv, is_link, score)| Alternative {
            mv: node.seen.written(mv),
            is_link,
            worse: node.value - score,
        })
        .collect();
    moves.sort_by_key(|it| it.worse);
    moves
}
