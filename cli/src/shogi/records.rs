//! Records and filters of games of shogi.

use crate::options::games::{Filter, Recorded};
use crate::options::values::{choice, one_of};
use crate::shogi::line;
use clap::builder::TypedValueParser;
use obook::games::Winner;
use obook_shogi::database::games::{Condition, Kind, Order};
use obook_shogi::games::{End, Format, Outcome};
use obook_shogi::{Board, Colour};

#[derive(Clone, Debug)]
pub(super) enum Shogi {}

/// The kinds of games. A foul is one of either side.
const KINDS: [(&str, Kind, &str); 10] = [
    ("finished", Kind::Finished, "With a result"),
    ("unfinished", Kind::Unfinished, "Without a result"),
    ("resigned", Kind::Ended(End::Resigned), ""),
    ("mate", Kind::Ended(End::Mate), ""),
    ("timeout", Kind::Ended(End::TimeOut), "Lost on time"),
    (
        "foul",
        Kind::Ended(End::Foul(Colour::Black)),
        "Lost by a move against the rules",
    ),
    (
        "declared",
        Kind::Ended(End::Declared),
        "Won by declaration, the king in the other camp",
    ),
    ("repetition", Kind::Ended(End::Repetition), ""),
    ("impasse", Kind::Ended(End::Impasse), ""),
    (
        "elsewhere",
        Kind::Elsewhere,
        "Begun away from the usual start",
    ),
];

impl Recorded for Shogi {
    type Format = Format;
    type Position = Board;
    type Kind = Kind;
    type Order = Order;
    const ORDERS: &'static [(&'static str, Order, &'static str)] = &[
        ("latest", Order::Latest, "The latest first"),
        ("earliest", Order::Earliest, "The earliest first"),
        ("longest", Order::Longest, "Those with the most moves first"),
    ];
    const POSITIONS: &'static str = "moves such as '7g7f 3c3d', or a position in SFEN";

    fn formats() -> impl TypedValueParser<Value = Format> {
        one_of(Format::ALL, Format::name, |format| match format {
            Format::Ki2 => "Read like kif; either name works",
            _ => "",
        })
    }

    fn kinds() -> impl TypedValueParser<Value = Kind> {
        choice(&KINDS)
    }

    fn position(text: &str) -> Result<Board, String> {
        let line = line(&[text.to_owned()]).map_err(|error| error.to_string())?;
        Ok(*line.board())
    }
}

impl Filter<Shogi> {
    pub(super) fn condition(&self) -> Condition {
        let filter = self.clone();
        Condition {
            since: filter.when.since,
            until: filter.when.until,
            player: filter.player,
            black: filter.black,
            white: filter.white,
            event: filter.when.tournament,
            outcome: filter.won_by.map(|winner| match winner {
                Winner::Black => Outcome::Won(Colour::Black),
                Winner::White => Outcome::Won(Colour::White),
                Winner::None => Outcome::Drawn,
            }),
            rated: filter.rated,
            through: filter.opening.into_iter().collect(),
            kind: filter.kind,
        }
    }
}
