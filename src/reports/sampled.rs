//! How far leaves that were searched again are off.

use comfy_table::{Cell, CellAlignment, Table, presets};
use obook_learn::sample::{Difference, Level, Off, Sampled};
use std::io::{self, Write};

pub(crate) fn describe(sampled: &Sampled, out: &mut dyn Write) -> io::Result<()> {
    let Sampled {
        engine,
        seed,
        leaves,
        all,
        levels,
        failed,
        reason,
        ..
    } = sampled;
    writeln!(
        out,
        "\n{} of {leaves} leaves searched again by {engine} (seed {seed}):",
        all.count
    )?;
    let mut table = Table::new();
    table.load_style(presets::ASCII_FULL_CONDENSED).set_header([
        "leaves of level",
        "count",
        "mean",
        "spread",
        "largest",
    ]);
    for Level { engine, level, off } in levels {
        let level = level.map_or(String::from("?"), |level| level.to_string());
        table.add_row(row(format!("{engine} {level}"), off));
    }
    table.add_row(row(String::from("all"), all));
    writeln!(out, "{table}")?;
    if let Some(difference) = &all.largest {
        let Difference {
            board,
            mv,
            book,
            found_move,
            found,
        } = difference;
        writeln!(out, "furthest off: {board}")?;
        writeln!(
            out,
            "  the book says {mv} {book:+}, found was {found_move} {found:+}"
        )?;
    }
    if let Some(reason) = reason {
        writeln!(out, "{failed} leaves gave no answer: {reason}")?;
    }
    Ok(())
}

fn row(what: String, off: &Off) -> [Cell; 5] {
    let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
    let largest = off.largest.as_ref();
    let largest = largest.map(|it| i16::from(it.found) - i16::from(it.book));
    [
        Cell::new(what),
        right(off.count.to_string()),
        right(format!("{:+.2}", off.mean)),
        right(format!("{:.2}", off.spread)),
        right(largest.map_or(String::new(), |it| format!("{it:+}"))),
    ]
}
