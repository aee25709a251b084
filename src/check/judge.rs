//! The contents of a book against the rules of the game and of its engine.

use super::finding::{FindingKind, Findings, each};
use crate::BookHeader;
use crate::write::fix::result_against_value;
use itertools::Itertools;
use obook_converters::{Format, StoredLinks, ntest};
use obook_graph::mapping::demands::{self, Demand};
use obook_graph::negamax::{self, MOST_LINES, Scoring};
use obook_graph::{Graph, LinkTo, NodeId};
use obook_othello::levels::{self, MAX_LEVEL};
use obook_othello::{Bounds, Move, Outcomes, PERSON_LEVEL, RuleSet};
use std::collections::BTreeSet;

/// The origin of a book, which decides the checks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    File(Format),
    Database(RuleSet),
}

impl Origin {
    /// The format of a file.
    pub(super) fn format(self) -> Option<Format> {
        match self {
            Origin::File(format) => Some(format),
            Origin::Database(_) => None,
        }
    }

    /// The links that the book stores.
    fn links(self) -> StoredLinks {
        let format = self.format();
        format.map_or(StoredLinks::All, |format| format.holds().links)
    }

    /// Whether the book stores links. Otherwise every move to a position of the book is one.
    pub(crate) fn has_links(self) -> bool {
        self.links() != StoredLinks::None
    }

    /// Whether a pass is a link too. `.egbk2` files have both positions, but never a link between them.
    fn links_passes(self) -> bool {
        self.links() != StoredLinks::WithoutPasses
    }

    /// Whether Edax's demands and rules apply.
    pub(crate) fn is_edax(self) -> bool {
        self.rules() == RuleSet::Edax
    }

    /// The rules that its numbers follow, as far as the format or the header tells.
    pub(crate) fn rules(self) -> RuleSet {
        match self {
            Origin::File(format) => format.rules(),
            Origin::Database(rules) => rules,
        }
    }

    pub(crate) fn is_database(self) -> bool {
        self.format().is_none()
    }

    /// The rules that the numbers may follow. Egaroucid's files can't tell which of its two fixes, with leaves or without, was the last.
    fn possible_rules(self, header: &BookHeader) -> Vec<Scoring> {
        match self {
            Origin::File(format) if format.rules() == RuleSet::Egaroucid => [true, false]
                .map(|edax_compliant| Scoring::Egaroucid { edax_compliant })
                .into(),
            _ => vec![header.negamax_rules()],
        }
    }

    /// Whether a position can have this level: an engine's, or the one for values entered by hand, if the book can
    /// store that.
    pub(crate) fn can_have(self, level: u8) -> bool {
        let knows_persons = self.is_database() || !self.is_edax();
        level <= MAX_LEVEL || level == PERSON_LEVEL && knows_persons
    }
}

/// Checks links and leaves against the rules of the game and the contents of the book, before anything is linked.
pub(super) fn check_moves(graph: &Graph, origin: Origin, keep: usize) -> Findings {
    each(graph, keep, |id, findings| {
        for link in graph.links(id) {
            check_link(graph, id, link, findings);
        }
        let board = graph.board(id);
        // A database has no order of links.
        let has_order = !origin.is_database() && origin.links() == StoredLinks::All;
        if has_order && !graph.links(id).is_sorted_by(|a, b| a.score >= b.score) {
            findings.add(FindingKind::LinkOrder, board.to_key(), || {
                let shown = |link: LinkTo| match link.score {
                    Some(score) => format!("{}:{score:+}", link.mv),
                    None => format!("{}:?", link.mv),
                };
                let links = graph.links(id).map(shown).join(" ");
                format!("the links are in the order {links}: expected the best first")
            });
        }
        let leaf = graph.leaf(id).and_then(|leaf| leaf.mv);
        let is_link = |mv: &Move| graph.links(id).any(|link| link.mv == *mv);
        if let Some(mv) = leaf.filter(is_link) {
            findings.add(FindingKind::LeafInBook, board.to_key(), || {
                format!("the leaf {mv} is a link too: expected each move once")
            });
        }
        for mv in graph.missing_links(id) {
            if leaf == Some(mv) {
                findings.add(FindingKind::LeafInBook, board.to_key(), || {
                    format!("the leaf {mv} leads to a position of the book: expected a link")
                });
            } else if origin.has_links() && (mv != Move::Pass || origin.links_passes()) {
                findings.add(FindingKind::MissingLink, board.to_key(), || {
                    format!("{mv} leads to a position of the book: expected a link")
                });
            }
        }
    })
}

fn check_link(graph: &Graph, id: NodeId, link: LinkTo, findings: &mut Findings) {
    let board = graph.board(id);
    let mv = link.mv;
    let Some(child) = link.child else {
        findings.add(FindingKind::NoChild, board.to_key(), || {
            format!("the link {mv} leads to a position that is not in the book")
        });
        return;
    };
    let score = link.score.map(i16::from);
    if let Some(value) = graph.value(child).map(i16::saturating_neg)
        && score != Some(value)
    {
        findings.add(FindingKind::LinkScore, board.to_key(), || {
            let score = score.map_or("no score".to_owned(), |it| format!("the score {it:+}"));
            format!("the link {mv} has {score}: expected {value:+}, the negated value of its child")
        });
    }
}

/// Checks what Edax demands of every position of a linked book.
pub(super) fn check_demands(graph: &Graph, origin: Origin, keep: usize) -> Findings {
    each(graph, keep, |id, findings| {
        let board = graph.board(id);
        for demand in demands::of(graph, id) {
            if let Some(kind) = kind_of_demand(demand, origin) {
                findings.add(kind, board.to_key(), || demand.to_string());
            }
        }
        // By Edax's rules the value of a finished game follows from its leaf.
        if !origin.is_edax()
            && let Some(result) = result_against_value(graph, id)
        {
            findings.add(FindingKind::FinalScore, board.to_key(), || {
                let value = graph.value(id).unwrap_or_default();
                format!(
                    "the value is {value:+}, but the game is over, and its result is {result:+}"
                )
            });
        }
        // In an Edax book the leaf's level is the position's.
        let leaf = graph.leaf(id).and_then(|leaf| leaf.level);
        if let Some(level) = leaf.filter(|level| !origin.can_have(*level))
            && graph.level(id).is_none_or(|level| origin.can_have(level))
        {
            findings.add(FindingKind::Level, board.to_key(), || {
                format!("the leaf's {}", Demand::LevelTooHigh(level))
            });
        }
    })
}

/// The kind of finding for an unmet demand; `None` if the book need not meet it.
fn kind_of_demand(demand: Demand, origin: Origin) -> Option<FindingKind> {
    Some(match demand {
        Demand::EmptyCentre => FindingKind::EmptyCentre,
        Demand::IllegalLink(_) | Demand::IllegalLeaf(_) => FindingKind::IllegalMove,
        Demand::LinkWithoutChild(_) => FindingKind::NoChild,
        Demand::RepeatedMove(_) => FindingKind::DuplicateMove,
        Demand::PassIntoBook => FindingKind::LeafInBook,
        Demand::FinalScoreTooEarly => FindingKind::ScoreWithoutMove,
        Demand::WrongFinalScore { .. } => FindingKind::FinalScore,
        // Between a pass position and the one behind it, such a file has no links.
        Demand::MissingLeaf(Move::Pass) if !origin.links_passes() => return None,
        Demand::MissingLeaf(_) if origin.is_edax() => FindingKind::MissingLeaf,
        Demand::MissingLeaf(_) => FindingKind::NoLeaf,
        // Egaroucid keeps the score of a finished game as its value, and may not know a level.
        Demand::MissingFinalScore if origin.is_edax() => FindingKind::NoFinalScore,
        // Not an engine's level, but valid for values entered by hand: an export writes Edax's highest level and says so.
        Demand::LevelTooHigh(level) if origin.can_have(level) => return None,
        Demand::LevelTooHigh(_) => FindingKind::Level,
        Demand::MissingLevel if origin.is_edax() => FindingKind::Level,
        Demand::MissingFinalScore | Demand::MissingLevel => return None,
    })
}

/// The numbers of a linked book, value, bounds, outcomes and lines, against each of the rules that they may follow.
///
/// Each position is compared with its leaf and its children as the book has them, so a wrong number is reported once,
/// not again for every position above it. If every position agrees with its children, the numbers are those that
/// negamax computes.
pub(crate) struct Numbers {
    origin: Origin,
    keep: usize,
    by_rules: Vec<(Scoring, Findings)>,
}

impl Numbers {
    pub(crate) fn new(origin: Origin, header: &BookHeader, keep: usize) -> Numbers {
        let rules = origin.possible_rules(header).into_iter();
        Numbers {
            origin,
            keep,
            by_rules: rules.map(|rules| (rules, Findings::new(keep))).collect(),
        }
    }

    /// The rules, if only these are possible.
    pub(crate) fn only(&self) -> Option<Scoring> {
        match self.by_rules[..] {
            [(rules, _)] => Some(rules),
            _ => None,
        }
    }

    /// Checks the positions of a slab. Slabs come from the end of the game up.
    pub(crate) fn check(&mut self, graph: &Graph) {
        for (rules, findings) in &mut self.by_rules {
            findings.prepend(each(graph, self.keep, |id, findings| {
                check_numbers_of(graph, id, self.origin, *rules, findings);
            }));
        }
    }

    /// The rules that contradict the fewest values, the first of equals, and all that contradicts them.
    pub(crate) fn closest(self) -> (Scoring, Findings) {
        let by_rules = self.by_rules.into_iter();
        let closest = by_rules.min_by_key(|(_, findings)| findings.count(FindingKind::Value));
        closest.expect("rules to choose from")
    }
}

fn check_numbers_of(
    graph: &Graph,
    id: NodeId,
    origin: Origin,
    rules: Scoring,
    findings: &mut Findings,
) {
    let board = graph.board(id);
    let expected = negamax::judge(graph, id, rules);
    let value = graph.value(id);
    if let Some((found, expected)) = differing(value, expected.value) {
        findings.add(FindingKind::Value, board.to_key(), || {
            format!("the value is {found:+}: expected {expected:+}")
        });
    }
    if let Some(pair) = differing(graph.bounds(id), expected.bounds) {
        findings.add(FindingKind::Bounds, board.to_key(), || {
            let show = |it: Bounds| format!("[{:+}, {:+}]", it.lower, it.upper);
            let (found, expected) = (show(pair.0), show(pair.1));
            format!("the bounds are {found}: expected {expected}")
        });
    }
    if let Some(pair) = differing(graph.outcomes(id), expected.outcomes) {
        findings.add(FindingKind::Outcomes, board.to_key(), || {
            let show = |it: Outcomes| {
                format!("{} wins, {} draws, {} losses", it.wins, it.draws, it.losses)
            };
            let (found, expected) = (show(pair.0), show(pair.1));
            format!("{found}: expected {expected}")
        });
    }
    check_proof(graph, id, origin, findings);
    check_searches(graph, id, findings);
    let lines = graph.lines(id);
    if let Some((found, expected)) = differing(lines, expected.lines)
        && (!matches!(rules, Scoring::Egaroucid { .. }) || found.min(expected) < MOST_LINES)
    {
        findings.add(FindingKind::Lines, board.to_key(), || {
            format!("{found} lines: expected {expected}")
        });
    }
    let derived = lines.is_some()
        && (!origin.is_edax() || graph.bounds(id).is_some() && graph.outcomes(id).is_some());
    // A file may lack them because its format has no room for them.
    let has_values = origin.format().is_none_or(|format| format.holds().values);
    if value.is_none() && has_values || !derived && origin.is_database() {
        findings.add(FindingKind::Unknown, board.to_key(), || {
            String::from(
                "the value or the numbers that follow from it are not known yet: search missing leaves, or run negamax if there are none",
            )
        });
    }
}

/// Checks a position's proof against those of its children, or against the result of a finished game.
fn check_proof(graph: &Graph, id: NodeId, origin: Origin, findings: &mut Findings) {
    let board = graph.board(id);
    if let Some(own) = graph.proof(id)
        && let Some(result) = negamax::result_of(board).filter(|result| own.and(*result).is_none())
    {
        findings.add(FindingKind::Contradiction, board.to_key(), || {
            let score = i16::from(result.lower());
            format!("{own} is proven, but the game is over, and its result is {score:+}")
        });
    }
    let found = negamax::proof_by_children_of(graph, id);
    // As much of it as the book can hold.
    let found = match origin {
        Origin::File(Format::Ntest) => found.and_then(ntest::held),
        _ => found,
    };
    let Some(found) = found else { return };
    let own = graph.proof(id);
    let (kind, but) = match own.map(|own| own.and(found)) {
        Some(None) => (FindingKind::Contradiction, "contradict that"),
        Some(both) if both == own => return,
        _ => (FindingKind::Proof, "prove more"),
    };
    findings.add(kind, graph.board(id).to_key(), || {
        let children = graph.links(id).filter_map(|link| link.child);
        let provers = children.filter_map(|child| graph.proof(child));
        let provers: BTreeSet<String> = provers.map(|it| it.prover().to_string()).collect();
        let provers = provers.into_iter().collect::<Vec<_>>().join(", ");
        let own = own.map_or_else(|| String::from("nothing"), |own| own.to_string());
        format!("{own} is proven, but its moves {but}: {found}, by {provers}")
    });
}

/// Checks the scores of a position's moves against its proof.
fn check_searches(graph: &Graph, id: NodeId, findings: &mut Findings) {
    let Some(proof) = graph.proof(id) else { return };
    let board = graph.board(id);
    let of_link = |link: LinkTo| {
        let child = link.child?;
        let score = graph.value(child)?.saturating_neg();
        Some((score, link.mv, graph.engine(child), graph.level(child)))
    };
    let leaf = graph.leaf(id).and_then(|leaf| {
        let level = levels::of_leaf(leaf, graph.level(id), graph.engine(id));
        Some((i16::from(leaf.score), leaf.mv?, leaf.engine, level))
    });
    let best = graph.links(id).filter_map(of_link).chain(leaf);
    let Some((score, mv, engine, level)) = best.max_by_key(|(score, ..)| *score) else {
        return;
    };
    // Without a leaf, a move out of the book may reach what is proven.
    let is_link = |mv: Move| graph.links(id).any(|link| link.mv == mv);
    let is_complete = leaf.is_some() || board.board().moves().all(is_link);
    let (lower, upper) = (i16::from(proof.lower()), i16::from(proof.upper()));
    if score > upper || score < lower && is_complete {
        findings.add(FindingKind::Disproved, board.to_key(), || {
            let level = level.map_or_else(String::new, |level| format!(" level {level}"));
            format!("{mv} scores {score:+} ({engine}{level}), but {proof} is proven")
        });
    }
}

/// A number and the one that follows from the moves, if both are known and differ.
fn differing<T: PartialEq>(found: Option<T>, expected: Option<T>) -> Option<(T, T)> {
    (found.zip(expected)).filter(|(found, expected)| found != expected)
}
