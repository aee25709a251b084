//! Reports that several commands share.

use crate::advice::on_losses;
use crate::prelude::*;
use crate::words::size;
use comfy_table::{Cell, CellAlignment, Table, presets};
use obook::LeftOut;
use obook::write::export::{Exported, Losses, Output};
use obook::write::fix::{ChangedPositions, Recomputed};
use obook::write::import::Imported;
use obook::write::merge::{Errors, Merged, MergedSource, OtherErrors};
use obook::write::{Report, Rewritten, cut};
use obook_base::sqlite::value;
use obook_converters::Tallies;
use obook_graph::link::LinkReport;
use obook_graph::loops::Loops;
use obook_learn::sample::{Level, Off, Sampled};
use obook_sql::answers::Screen;
use rusqlite::types::Value;
use std::fmt::Display;

pub(crate) fn imported(imported: &Imported, out: &mut dyn Write) -> io::Result<()> {
    let source = &imported.source;
    let size = size(source.positions, source.links, source.leaves);
    writeln!(out, "{}: {size}", source.name)?;
    describe_duplicates(source.duplicates, out)?;
    describe_left_out(&imported.left_out, out)
}

fn describe_left_out(left_out: &LeftOut, out: &mut dyn Write) -> io::Result<()> {
    let LeftOut { lost, wrong, .. } = left_out;
    describe_tallies("lost on the way in", lost, out)?;
    describe_tallies("skipped: invalid in the file", wrong, out)
}

/// Writes counts under a heading, unless there are none.
pub(crate) fn describe_tallies(
    heading: &str,
    tallies: &Tallies,
    out: &mut dyn Write,
) -> io::Result<()> {
    if tallies.is_empty() {
        return Ok(());
    }
    writeln!(out, "{heading}:")?;
    for (what, count) in tallies {
        writeln!(out, "  {count:>9} {what}")?;
    }
    Ok(())
}

fn describe_duplicates(duplicates: u64, out: &mut dyn Write) -> io::Result<()> {
    let words = "duplicate board[|s]: kept the better search, of equal ones the last";
    if_any(duplicates, words, out)
}

/// Reports what was written to `output`.
pub(crate) fn exported(exported: &Exported, output: &Output, json: bool) -> Result<(), Failure> {
    report_on(output, exported, json, |exported, out| {
        let format = &exported.format;
        let positions = count(exported.positions, "position[|s]");
        let name = match output {
            Output::File(path, _) => path.display(),
            Output::Stdout => Path::new("-").display(),
        };
        let left_out = " (# pass positions left out: this format has none, and those that moves lead to come back)";
        let left_out = some(exported.passes_left_out, left_out);
        let put_in = " (# pass positions added: those that moves lead to)";
        let put_in = some(exported.passes_put_in, put_in);
        writeln!(out, "{name}: {positions} as {format}{left_out}{put_in}")?;
        describe_duplicates(exported.duplicates, out)?;
        describe_left_out(&exported.left_out, out)?;
        describe_losses(format, &exported.losses, out)?;
        if let Some(advice) = on_losses(&exported.losses) {
            say(format_args!("  {advice}"));
        }
        Ok(())
    })
}

/// Says what a format or file can't hold, after all that was written.
fn describe_losses(holder: impl Display, losses: &Losses, out: &mut dyn Write) -> io::Result<()> {
    out.flush()?;
    if !losses.is_empty() {
        let lost = losses.to_string().replace('\n', "\n  ");
        say(format_args!("{holder} can't hold:\n  {lost}"));
    }
    Ok(())
}

pub(crate) fn merged(merged: &Merged, out: &mut dyn Write) -> io::Result<()> {
    for source in &merged.sources {
        describe_source(source, out)?;
    }
    let links = count(merged.links, "link[|s]");
    if_any(merged.restored, "pass positions added: #", out)?;
    if merged.sources.iter().any(|source| !source.known) {
        writeln!(out, "{links} added; {}", became_links(merged.leaves_lost))?;
    }
    let todo = "position[|s] of the book need[s|] a search for [its|their] leaf: see table todo";
    if_any(merged.todo, todo, out)
}

fn describe_source(source: &MergedSource, out: &mut dyn Write) -> io::Result<()> {
    let name = &source.source.name;
    if source.known {
        return writeln!(out, "{name}: already in the book");
    }
    let counts = &source.counts;
    let added = count(counts.added, "position[|s]");
    let (raised, equal, kept) = (counts.raised, counts.equal, counts.kept);
    writeln!(
        out,
        "{name}: {added} added, {raised} replaced by a better search, {equal} by another of the same level, {kept} kept"
    )?;
    describe_duplicates(source.source.duplicates, out)?;
    let conflicts = "value[|s] entered by hand differ[s|]: the larger [one is|ones are] used";
    if_any(counts.conflicts, conflicts, out)?;
    let contradictions = "proofs contradict those of the book; the higher of each two is used:";
    if_any(counts.contradictions, contradictions, out)?;
    for it in &source.contradictory {
        let (board, book, other) = (&it.board, &it.book, &it.other);
        writeln!(out, "  {board}: {book} in the book, {other} in {name}")?;
    }
    if let Some(OtherErrors { book, other, .. }) = source.errors {
        let text = |errors: Errors| {
            let both = [errors.midgame_error, errors.endcut_error];
            let both = both.map(|it| it.map_or_else(|| String::from("?"), |it| it.to_string()));
            both.join(" and ")
        };
        writeln!(
            out,
            "errors of searches in the midgame and of selective ones to the end: {} in the book, {} in {name}; bounds allow for the larger",
            text(book),
            text(other)
        )?;
    }
    for engine in &source.engines {
        writeln!(out, "engine in {name}: {engine}")?;
    }
    describe_left_out(&source.left_out, out)
}

pub(crate) fn recomputed(report: &Recomputed, out: &mut dyn Write) -> io::Result<()> {
    if let Some(links) = report.link {
        describe_links("links", links, out)?;
    }
    for group in &report.repaired {
        writeln!(out, "repaired: {} {}", group.count, group.kind.text())?;
    }
    if_any(report.restored, "pass positions added: #", out)?;
    describe_loops(&report.loops, out)?;
    let changed = changed(report.changed);
    let positions = count(report.positions, "position[|s]");
    writeln!(out, "{positions}; changed: {changed}")?;
    if_any(report.todo, &format!("{NEED_SEARCH}: see table todo"), out)
}

fn became_links(leaves: u64) -> String {
    count(leaves, "lea[f|ves] became [a link|links]")
}

/// Words about the positions in table todo, for [`if_any`].
const NEED_SEARCH: &str = "position[|s] need[s|] a search for [its|their] leaf";

fn describe_links(heading: &str, links: LinkReport, out: &mut dyn Write) -> io::Result<()> {
    let (added, removed) = (links.added, links.removed);
    let dropped = became_links(links.leaves_dropped);
    writeln!(
        out,
        "{heading}: {added} added, {removed} removed, {dropped}"
    )
}

/// How many positions have changed, in words.
fn changed(changed: ChangedPositions) -> String {
    let (positions, links, leaves) = (changed.positions, changed.links, changed.leaves);
    format!("numbers of {positions}, links of {links}, leaves of {leaves}")
}

/// The number of boards to list; JSON has them all.
const EXAMPLES: usize = 10;

fn describe_loops(loops: &Loops, out: &mut dyn Write) -> io::Result<()> {
    if loops.passes == 0 {
        return Ok(());
    }
    let on_cycles = loops.positions.len();
    writeln!(
        out,
        "illegal passes: {} followed, {on_cycles} positions on cycles (`obook fix` removes such passes)",
        loops.passes
    )?;
    let score = |score: Option<i16>| score.map_or_else(|| String::from("?"), |s| format!("{s:+}"));
    for position in loops.positions.iter().take(EXAMPLES) {
        write!(out, "  {}  {}", position.board, score(position.value))?;
        match position.after_pass {
            Some(after) => writeln!(out, "  (after the pass {after:+}~)")?,
            None => writeln!(out)?,
        }
    }
    let more = on_cycles.saturating_sub(EXAMPLES);
    if_any(more as u64, "  and # more", out)
}

pub(crate) fn rewritten(rewritten: &Rewritten, out: &mut dyn Write) -> io::Result<()> {
    if rewritten.link != LinkReport::default() {
        describe_links("links repaired first", rewritten.link, out)?;
    }
    if_any(rewritten.restored, "pass positions added first: #", out)?;
    if let Some(found) = rewritten.changed {
        writeln!(out, "changed among those kept: {}", changed(found))?;
    }
    if_any(rewritten.todo, NEED_SEARCH, out)?;
    if rewritten.dry_run {
        writeln!(out, "Nothing was written: --dry-run")?;
    }
    describe_losses(rewritten.output.display(), &rewritten.losses, out)?;
    describe_left_out(&rewritten.left_out, out)
}

pub(crate) fn cut(report: &Report<cut::CutCounts>, out: &mut dyn Write) -> io::Result<()> {
    let counts = &report.counts;
    let (removed, links) = (counts.removed, &counts.links);
    let output = report.rewritten.output.display();
    let kept = count(counts.kept, "position[|s]");
    writeln!(out, "{output}: {kept} kept, {removed} removed")?;
    let (dropped, replaced) = (links.links_dropped, links.leaves_replaced);
    if dropped > 0 {
        let gained = links.leaves_gained + replaced;
        let became = count(gained, "became [a leaf|leaves]");
        writeln!(
            out,
            "links to them removed: {dropped}; {became} ({replaced} of them replaced a worse leaf)"
        )?;
    }
    if let Some(depth) = counts.depth {
        writeln!(out, "depth of the book: {depth}")?;
    }
    rewritten(&report.rewritten, out)
}

pub(crate) fn sampled(sampled: &Sampled, out: &mut dyn Write) -> io::Result<()> {
    let (engine, seed) = (&sampled.engine, sampled.seed);
    let (leaves, all) = (sampled.leaves, &sampled.all);
    writeln!(
        out,
        "\n{} of {leaves} leaves searched again by {engine} (seed {seed}):",
        all.count
    )?;
    let mut table = Table::new();
    table.load_style(presets::ASCII_FULL_CONDENSED);
    table.set_header(["leaves of level", "count", "mean", "spread", "largest"]);
    for Level { engine, level, off } in &sampled.levels {
        let level = level.map_or(String::from("?"), |level| level.to_string());
        table.add_row(row(format!("{engine} {level}"), off));
    }
    table.add_row(row(String::from("all"), all));
    writeln!(out, "{table}")?;
    if let Some(it) = &all.largest {
        let (mv, book, found_move, found) = (it.mv, it.book, it.found_move, it.found);
        writeln!(out, "furthest off: {}", it.board)?;
        writeln!(
            out,
            "  the book says {mv} {book:+}, the search {found_move} {found:+}"
        )?;
    }
    if let Some(reason) = &sampled.reason {
        let failed = count(sampled.failed, "search[|es] failed");
        writeln!(out, "{failed}: {reason}")?;
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

/// Writes rows to standard output, through a pager if they don't fit on the screen.
pub(crate) fn table<const COLUMNS: usize>(
    listing: Listing,
    columns: [&str; COLUMNS],
    rows: impl IntoIterator<Item = [Value; COLUMNS]>,
) -> Result<(), Failure> {
    let (look, screen) = (listing.look, Screen::of_stdout());
    let mut out = listing.out(context::quiet());
    let columns = columns.map(str::to_owned).to_vec();
    let mut table = look.format().rows(columns, None, screen, &mut out)?;
    for row in rows {
        table.row(&row.each_ref().map(|cell| value(cell.into())))?;
    }
    table.end()?;
    out.finish()?;
    Ok(())
}
