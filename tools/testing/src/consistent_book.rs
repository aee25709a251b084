//! Random books that Edax could have made: every record meets its demands and follows its rules.

use crate::random_book::{Random, Recipe};
use obook_graph::Graph;
use obook_graph::link::link;
use obook_graph::negamax::{Scoring, negamax};
use obook_othello::{Board, CanonicalBoard, Engine, Leaf, Move, Position};
use std::collections::{BTreeMap, BTreeSet};

/// Edax's rules with its default errors.
pub const RULES: Scoring = Scoring::Edax {
    midgame_error: 2,
    endcut_error: 1,
};

type Boards = BTreeSet<CanonicalBoard>;

/// The passes and finished games to which moves lead and of which the book only has the other side's view.
fn missing_views(boards: &Boards) -> Boards {
    let no_place = |board: &Board| board.legal_moves().is_empty();
    let children = boards.iter().flat_map(|board| board.board().children());
    let views = children.map(|(_, child)| child).filter(no_place);
    let views = views.filter(|view| boards.contains(&view.passed().canonical()));
    let missing = |view: &CanonicalBoard| !boards.contains(view);
    views.map(Board::canonical).filter(missing).collect()
}

fn unreachable_passes(boards: &Boards) -> Boards {
    let children = boards.iter().flat_map(|board| board.board().children());
    let reached: Boards = children.map(|(_, child)| child.canonical()).collect();
    let passes = boards.iter().filter(|board| board.board().must_pass());
    let unreachable = passes.filter(|board| !reached.contains(board));
    unreachable.copied().collect()
}

/// The boards of a recipe, adapted so that `.egbk3` can hold the book.
pub fn closed(recipe: &Recipe) -> Boards {
    let mut boards: Boards = recipe.book().into_keys().collect();
    loop {
        let missing = missing_views(&boards);
        let unreachable = unreachable_passes(&boards);
        if missing.is_empty() && unreachable.is_empty() {
            return boards;
        }
        boards.extend(missing);
        boards.retain(|board| !unreachable.contains(board));
    }
}

/// An Edax book of these boards, with random leaves and levels. With `one_level_behind_passes`, a pass position has the level of
/// the position after the pass.
pub fn edax_book(boards: &Boards, seed: u64, one_level_behind_passes: bool) -> Graph {
    let random = &mut Random(seed);
    let mut positions: BTreeMap<CanonicalBoard, Position> = BTreeMap::new();
    for board in boards {
        let mut position = Position::new(*board, Engine::Edax);
        position.level = Some(random.below(61) as u8);
        position.leaf = leaf(*board, boards, random);
        positions.insert(*board, position);
    }
    if one_level_behind_passes {
        for board in boards.iter().filter(|board| board.board().must_pass()) {
            let passed = positions.get(&board.board().passed().canonical());
            if let Some(level) = passed.map(|passed| passed.level) {
                positions.get_mut(board).unwrap().level = level;
            }
        }
    }
    let mut builder = Graph::builder();
    for mut position in positions.into_values() {
        if let Some(leaf) = &mut position.leaf {
            leaf.level = position.level;
        }
        builder.push(position);
    }
    let (mut graph, _) = builder.finish().unwrap();
    assert_eq!(link(&mut graph).unwrap().leaves_dropped, 0);
    negamax(&mut graph, RULES);
    graph
}

/// A random move out of the book, if there is one, or the final score.
fn leaf(board: CanonicalBoard, boards: &Boards, random: &mut Random) -> Option<Leaf> {
    let children = board.board().children();
    let out = children.filter(|(_, child)| !boards.contains(&child.canonical()));
    let out: Vec<Move> = out.map(|(mv, _)| mv).collect();
    let over = board.board().is_over();
    let mv = match out.len() {
        0 => None,
        count => Some(out[random.below(count as u64) as usize]),
    };
    let score = match over {
        true => board.board().final_score(),
        false => (random.below(129) as i16 - 64) as i8,
    };
    (over || mv.is_some()).then_some(Leaf {
        mv,
        score,
        level: None,
        engine: Engine::Edax,
    })
}

/// The records by key, with [sorted links](with_links_as_a_set).
pub fn records(graph: &Graph) -> Vec<Position> {
    graph.positions().map(with_links_as_a_set).collect()
}

/// Sorts links by move, so that equal sets of links are equal.
pub fn with_links_as_a_set(mut position: Position) -> Position {
    position.links.sort_by_key(|link| link.mv);
    position
}
