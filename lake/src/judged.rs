//! The rules of negamax as a function of SQL.

use crate::rows::{self, mv, number, numbers};
use crate::values::{columns, value, wrong};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, ListArray, StructArray};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::datatypes::{DataType, Field, Fields};
use datafusion::common::Result;
use datafusion::logical_expr::{ColumnarValue, ScalarUDF, Signature, SimpleScalarUDF, Volatility};
use obook_converters::Header;
use obook_graph::negamax::{Scoring, of_record};
use obook_lake_files::{Cells, ColumnType};
use obook_othello::{CanonicalBoard, Link, Move, NUMBERS, Position, RuleSet};
use obook_sql::functions::Value;
use std::sync::Arc;

/// The places of the arguments.
const BOARD: usize = 3;
const HAS_LEAF: usize = BOARD + 1 + NUMBERS.len() + 2;
const LINKS: usize = HAS_LEAF + 1 + rows::LEAF.len();

/// `judged(rules, midgame_error, endcut_error, …the position…, has_leaf, …the leaf…, links)`: the numbers that
/// follow from the leaf and from the children's numbers, and the links with their scores.
pub(crate) fn judged() -> ScalarUDF {
    let signature = Signature::any(LINKS + 1, Volatility::Immutable);
    let answers = DataType::Struct(fields());
    SimpleScalarUDF::new_with_signature("judged", signature, answers, Arc::new(judge)).into()
}

fn judge(arguments: &[ColumnarValue]) -> Result<ColumnarValue> {
    let columns = columns(arguments)?;
    let mut answers = Answers::new();
    for row in 0..columns[0].len() {
        let rules = scoring(&columns, row)?;
        let (position, children, keys) = family(&columns, row)?;
        let known: Vec<Option<&Position>> = children.iter().map(Option::as_ref).collect();
        answers.push(&of_record(&position, &known, rules), &keys);
    }
    Ok(ColumnarValue::Array(Arc::new(answers.finish()?)))
}

/// The fields of a link.
fn link_fields() -> Fields {
    Fields::from(vec![
        Field::new("move", DataType::Int64, true),
        Field::new("score", DataType::Int64, true),
        Field::new("child", DataType::FixedSizeBinary(16), true),
    ])
}

/// A link, as an item of a list.
fn link_field() -> Arc<Field> {
    let link = DataType::Struct(link_fields());
    Arc::new(Field::new("item", link, true))
}

/// The fields of an answer.
fn fields() -> Fields {
    let numbers = NUMBERS.map(|number| Field::new(number.name, DataType::Int64, true));
    let links = Field::new("links", DataType::List(link_field()), true);
    numbers.into_iter().chain([links]).collect()
}

/// The rules, which are the first three arguments.
fn scoring(columns: &[ArrayRef], row: usize) -> Result<Scoring> {
    let set = match value(&columns[0], row) {
        Value::Text(name) => std::str::from_utf8(name).ok().and_then(RuleSet::from_name),
        _ => None,
    };
    let set = set.ok_or_else(|| wrong("judged: unknown rules"))?;
    let header = Header {
        midgame_error: number(&columns[1], row, "midgame_error")?,
        endcut_error: number(&columns[2], row, "endcut_error")?,
        ..Header::default()
    };
    Ok(Scoring::of(set, &header))
}

/// A position, its children as far as the book has them, and their keys; children are in the order of the links.
type Family = (Position, Vec<Option<Position>>, Vec<CanonicalBoard>);

/// Reads a row of arguments.
fn family(columns: &[ArrayRef], row: usize) -> Result<Family> {
    let mut position = rows::position(&columns[BOARD..], row)?;
    if value(&columns[HAS_LEAF], row) == Value::Integer(1) {
        position.leaf = Some(rows::leaf(&position, &columns[HAS_LEAF + 1..], row)?);
    }
    let (mut children, mut keys) = (Vec::new(), Vec::new());
    if columns[LINKS].is_null(row) {
        return Ok((position, children, keys));
    }
    // Any SQL can call the function with any arguments.
    let unfit = || wrong("judged: the links are not those of table links");
    let lists = columns[LINKS].as_list_opt::<i32>().ok_or_else(unfit)?;
    let links = lists.value(row);
    let links = links.as_struct_opt().ok_or_else(unfit)?.columns();
    if links.len() != 3 + NUMBERS.len() {
        return Err(unfit());
    }
    let is_known = links[2].as_boolean_opt().ok_or_else(unfit)?;
    let mut order: Vec<(Move, usize)> = Vec::new();
    for link in 0..links[0].len() {
        let mv = mv(&links[0], link)?;
        let mv = mv.ok_or_else(|| wrong("a link without a move"))?;
        order.push((mv, link));
    }
    order.sort_by_key(|(mv, _)| mv.code());
    for (mv, link) in order {
        let key = rows::board(&links[1], link)?;
        // Only the numbers of a child count, not its engine.
        let child = is_known
            .value(link)
            .then(|| numbers(key, position.engine, &links[3..], link));
        position.links.push(Link { mv, score: None });
        children.push(child.transpose()?);
        keys.push(key);
    }
    Ok((position, children, keys))
}

/// Answers that grow.
struct Answers {
    numbers: [Cells; NUMBERS.len()],
    /// Of all links: their moves, scores and children.
    links: [Cells; 3],
    /// The number of links of each position.
    lengths: Vec<usize>,
}

impl Answers {
    fn new() -> Answers {
        Answers {
            numbers: std::array::from_fn(|_| Cells::new(ColumnType::Integer)),
            links: [ColumnType::Integer, ColumnType::Integer, ColumnType::Key].map(Cells::new),
            lengths: Vec::new(),
        }
    }

    fn push(&mut self, position: &Position, keys: &[CanonicalBoard]) {
        let integer = |number: Option<i64>| number.map_or(Value::Null, Value::Integer);
        for (column, number) in self.numbers.iter_mut().zip(NUMBERS) {
            column.push(integer((number.of)(position)));
        }
        // The best link comes first, and the table has them by their moves.
        let mut links: Vec<Link> = position.links.to_vec();
        links.sort_by_key(|link| link.mv.code());
        let [moves, scores, children] = &mut self.links;
        for (link, key) in links.iter().zip(keys) {
            moves.push(Value::Integer(link.mv.code().into()));
            scores.push(integer(link.score.map(i64::from)));
            children.push(Value::Blob(&key.to_key()));
        }
        self.lengths.push(links.len());
    }

    fn finish(mut self) -> Result<StructArray> {
        let links = self.links.iter_mut().map(Cells::finish).collect();
        let links = StructArray::new(link_fields(), links, None);
        let offsets = OffsetBuffer::from_lengths(self.lengths);
        let links: ArrayRef =
            Arc::new(ListArray::new(link_field(), offsets, Arc::new(links), None));
        let numbers = self.numbers.iter_mut().map(Cells::finish);
        let columns = numbers.chain([links]).collect();
        Ok(StructArray::try_new(fields(), columns, None)?)
    }
}
