//! Rules that obook doesn't have, because none of them is better for certain than best first.

use obook_graph::{Graph, NodeId};
use obook_learn::{Chosen, Rule, Setting, Want};
use obook_othello::levels::Effort;
use obook_othello::{CanonicalBoard, Leaf};

/// A way to choose what is searched next.
pub(crate) enum Way {
    /// A rule of obook.
    Rule(Rule),
    /// Two rules in turn: half by one, half by the other.
    InTurn(Rule, Rule),
    /// What the rule chooses, but each leaf is searched this many levels deeper before it becomes a position.
    Again(Rule, u8),
    /// The derivative of the root's value: each leaf gets random errors of the size that such searches have, and a leaf counts as
    /// often as it decides the root.
    Derivative,
    /// Drop-out by Lincke: the leaf on the line that costs least. A line costs the discs that both sides lose on it, and this many
    /// for each ply.
    DropOut(f64),
}

impl Way {
    /// The boards to search next, those with the highest priority first; none if nothing is left. `spread` is the standard deviation
    /// of the error of a search, by the number of empty squares.
    pub(crate) fn choose(
        &self,
        book: &Graph,
        setting: &Setting<'_>,
        spread: &dyn Fn(u8) -> f64,
    ) -> Vec<Chosen> {
        let by = |rule: &Rule, turn| {
            let setting = Setting { turn, ..*setting };
            let chosen = rule.choose(&mut book.clone().into(), &setting);
            chosen.expect("the book is in memory")
        };
        let mut chosen = match self {
            Way::Rule(rule) => by(rule, setting.turn),
            Way::InTurn(first, second) => {
                let rule = [first, second][(setting.turn % 2) as usize];
                by(rule, setting.turn / 2)
            }
            Way::Again(rule, deeper) => again(book, setting, by(rule, setting.turn), *deeper),
            Way::Derivative => derivative(book, setting, spread),
            Way::DropOut(ply) => drop_out(book, setting, *ply),
        };
        chosen.sort_by(|a, b| b.priority.total_cmp(&a.priority));
        chosen
    }

    /// How often in a row it must choose nothing before it is done.
    pub(crate) fn turns(&self) -> u64 {
        match self {
            Way::Rule(rule) | Way::Again(rule, _) => rule.turns(),
            Way::InTurn(first, second) => 2 * first.turns().max(second.turns()),
            Way::Derivative | Way::DropOut(_) => 1,
        }
    }
}

/// What a leaf leads to, unless its game is over.
fn child(book: &Graph, id: NodeId, leaf: Leaf) -> Option<CanonicalBoard> {
    Some(book.board(id).board().play(leaf.mv?)?.canonical())
}

fn again(book: &Graph, setting: &Setting<'_>, chosen: Vec<Chosen>, deeper: u8) -> Vec<Chosen> {
    let deeper = setting.level + deeper;
    let leads_to = |board| {
        book.ids().filter(move |id| {
            let leaf = book.leaf(*id);
            leaf.is_some_and(|leaf| {
                leaf.level < Some(deeper) && child(book, *id, leaf) == Some(board)
            })
        })
    };
    let searched = |it: Chosen| {
        let before: Vec<Chosen> = leads_to(it.board)
            .map(|id| Chosen {
                board: book.board(id),
                want: Want::Leaf,
                level: Some(deeper),
                ..it
            })
            .collect();
        if before.is_empty() { vec![it] } else { before }
    };
    chosen.into_iter().flat_map(searched).collect()
}

/// The number of times that all leaves get errors: one for each bit of a `u64`.
const SAMPLES: usize = 64;

fn derivative(book: &Graph, setting: &Setting<'_>, spread: &dyn Fn(u8) -> f64) -> Vec<Chosen> {
    let off = |id: NodeId| {
        let empties = book.board(id).board().empties() as u8;
        match Effort::new(setting.engine, setting.level, empties).to_the_end {
            true => 0.0,
            false => spread(empties),
        }
    };
    let mut random = fastrand::Rng::with_seed(setting.turn);
    let mut normal = || (0..12).map(|_| random.f64()).sum::<f64>() - 6.0;
    // The value of each position in each sample, and the link that it comes from; `None`: the leaf.
    let mut samples = vec![([f64::NEG_INFINITY; SAMPLES], [None; SAMPLES]); book.len()];
    for id in book.ids() {
        let (mut values, mut from) = samples[id.index()];
        if let Some(leaf) = book.leaf(id) {
            let off = if leaf.mv.is_some() { off(id) } else { 0.0 };
            values = values.map(|_| f64::from(leaf.score) + off * normal());
        }
        for child in book.links(id).filter_map(|link| link.child) {
            for (at, reply) in samples[child.index()].0.iter().enumerate() {
                if -reply > values[at] {
                    (values[at], from[at]) = (-reply, Some(child));
                }
            }
        }
        samples[id.index()] = (values, from);
    }
    // The samples in which a position decides the root, as bits.
    let mut decides = vec![0u64; book.len()];
    decides[place(book, setting.root)] = u64::MAX;
    let mut chosen = Vec::new();
    for id in book.ids().rev() {
        let here = decides[id.index()];
        let mut by_leaf = 0;
        for (at, from) in samples[id.index()].1.iter().enumerate() {
            let is_here = here >> at & 1;
            match from {
                Some(child) => decides[child.index()] |= is_here << at,
                None => by_leaf += is_here,
            }
        }
        chosen.extend(expansion(book, id, by_leaf as f64 * off(id)));
    }
    sifted(chosen, book)
}

fn drop_out(book: &Graph, setting: &Setting<'_>, ply: f64) -> Vec<Chosen> {
    let mut costs = vec![f64::INFINITY; book.len()];
    costs[place(book, setting.root)] = 0.0;
    let mut chosen = Vec::new();
    for id in book.ids().rev() {
        let here = costs[id.index()] + ply;
        let Some(value) = book.value(id).filter(|_| here.is_finite()) else {
            continue;
        };
        for child in book.links(id).filter_map(|link| link.child) {
            let loss = value + book.value(child).expect("the book is fixed");
            costs[child.index()] = costs[child.index()].min(here + f64::from(loss));
        }
        if let Some(leaf) = book.leaf(id) {
            let cost = here + f64::from(value - i16::from(leaf.score));
            chosen.extend(expansion(book, id, (-cost).exp()));
        }
    }
    sifted(chosen, book)
}

fn place(book: &Graph, board: CanonicalBoard) -> usize {
    book.find(board)
        .expect("the root is searched first")
        .index()
}

/// The expansion of a position's leaf, if it matters at all.
fn expansion(book: &Graph, id: NodeId, priority: f64) -> Option<Chosen> {
    let board = child(book, id, book.leaf(id)?)?;
    (priority > 0.0).then_some(Chosen {
        board,
        want: Want::Position,
        level: None,
        priority,
    })
}

/// As many as best first chooses at once: everything with a fifth of the highest priority, or less in a larger book, and one in 64
/// positions.
fn sifted(mut chosen: Vec<Chosen>, book: &Graph) -> Vec<Chosen> {
    chosen.sort_by(|a, b| b.priority.total_cmp(&a.priority));
    let mut seen = std::collections::HashSet::new();
    chosen.retain(|it| seen.insert(it.board));
    let highest = chosen.first().map_or(0.0, |it| it.priority);
    let part = (book.len() as f64).powf(-0.4).min(0.2);
    let along = chosen.partition_point(|it| it.priority >= part * highest);
    chosen.truncate(along.max(book.len() / 64));
    chosen
}
