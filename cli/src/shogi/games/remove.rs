//! `obook shogi games remove`: games out of a database.

use crate::commands::games::remove::{self, describe, is_by_number};
use crate::options::games::say_if_none_meets;
use crate::prelude::*;
use crate::shogi::open_for_writing;
use crate::shogi::records::Shogi;
use obook_shogi::database::games::{self, Condition, Order, list};

pub(crate) type Arguments = remove::Arguments<Shogi>;

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Arguments { book, numbers, .. } = arguments;
    let condition = arguments.which.condition();
    let by_number = is_by_number(book, numbers, condition != Condition::default())?;
    let mut store = open_for_writing(book, &context::shown())?;
    let numbers = match by_number {
        true => numbers.clone(),
        false => {
            let found = list(&store, &condition, Order::Latest, u32::MAX)?;
            found.into_iter().map(|game| game.game).collect()
        }
    };
    say_if_none_meets(numbers.is_empty(), &store);
    let removed = games::remove(&mut store, &numbers)?;
    account(&removed, arguments.json, |it, out| {
        describe(it.games, it.positions, out)
    })
}
