//! `obook history`: the changes that were made to a book.

use super::undo::{no_history, open};
use crate::commands::learn::describe_lines;
use crate::prelude::*;
use crate::words::cut;
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use obook::read::growth::{Growth, growth};
use obook::{LogState, PastChange, Store};
use obook_learn::LineChange;
use obook_sql::answers::{Format, Screen, Value};
use serde_json::Value as Json;

/// List the changes that were made to a book
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    obook history book.obook\n  \
    obook history book.obook --json\n  \
    obook history book.obook --format csv\n  \
    obook history book.obook --show 12       what change 12 did (draw it with `obook plot book.obook growth 12`)\n  \
    obook history book.obook --keep 1        drop the undo logs of older changes\n\n\
    The log that undo needs is always kept for the last change, and for up to 100 changes as long as the logs take no more than 16 MB \
    or a third of the file. The log that redo needs is kept for the last undo, and for others if there is room.")]
pub(crate) struct Arguments {
    /// An obook database
    #[arg(value_parser = readable())]
    book: PathBuf,
    /// Drop the logs of all but the last N changes and the last N undos; older changes can then no longer be undone or redone
    #[arg(long, value_name = "N")]
    keep: Option<u32>,
    /// Show one change in detail: for `obook learn`, the result of each stage, and how the values of the root and of lines changed
    #[arg(long, value_name = "CHANGE", conflicts_with_all = ["keep", "format"], value_parser = clap::value_parser!(i64).range(1..))]
    show: Option<i64>,
    #[command(flatten)]
    form: Form,
}

/// How the changes are written.
#[derive(Debug, clap::Args)]
pub(crate) struct Form {
    /// Write JSON
    #[arg(long)]
    json: bool,
    /// Write a row for each change in this format, with the counts as JSON
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    format: Option<Format>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let (path, form) = (&arguments.book, &arguments.form);
    if let Some(changes) = arguments.keep {
        refuse_starter(path)?;
        let mut store = open(path, &context::quiet())?;
        store.keep_logs(changes)?;
        let history = store.history()?;
        drop(store);
        return stands(tell(&history, form));
    }
    let Book::Database(store) = Book::open(path, &context::quiet())? else {
        return Err(no_history(path));
    };
    if let Some(change) = arguments.show {
        return show(&store, change, form.json);
    }
    let history = store.history()?;
    // The reader may take long, and an open database can't be replaced.
    drop(store);
    tell(&history, form)
}

/// Reports the changes of a database of any game.
pub(crate) fn tell(history: &[PastChange], form: &Form) -> Result<(), Failure> {
    answer(&history, form.json, |history, out| {
        match (form.format, history) {
            (Some(format), changes) => rows(changes, format, out),
            (None, []) => writeln!(out, "No changes."),
            (None, changes) => {
                let columns = Screen::of_stdout().and_then(|it| it.columns.try_into().ok());
                writeln!(out, "{}", table(changes, columns))
            }
        }
    })
}

/// The columns of the changes.
const COLUMNS: [&str; 6] = ["change", "time", "command", "counts", "undo", "log bytes"];

/// Writes the changes for other programs: whole, and with the counts as they stand in the history.
fn rows(history: &[PastChange], format: Format, out: &mut dyn Write) -> io::Result<()> {
    let columns = COLUMNS.map(|column| column.replace(' ', "_"));
    let mut rows = format.rows(columns.into(), None, None, out)?;
    for change in history {
        rows.row(&[
            Value::Integer(change.id),
            Value::Text(change.time.as_bytes()),
            Value::Text(change.command.as_bytes()),
            Value::Text(change.counts.to_string().as_bytes()),
            Value::Text(state(change).as_bytes()),
            Value::Integer(change.log_bytes.cast_signed()),
        ])?;
    }
    rows.end()
}

/// Shows one change.
fn show(store: &Store, change: i64, json: bool) -> Result<(), Failure> {
    let growth = growth(store, change)?.ok_or_else(|| {
        let problem = format!("there is no change {change}: `obook history` lists them");
        Failure::file(store.path(), problem)
    })?;
    answer(&growth, json, describe)
}

fn describe(growth: &Growth, out: &mut dyn Write) -> io::Result<()> {
    let change = &growth.change;
    let (id, command, time) = (change.id, &change.command, &change.time);
    writeln!(out, "change {id}: {command}, {time}")?;
    let (undo, bytes) = (state(change), change.log_bytes);
    writeln!(out, "undo: {undo}, {bytes} log bytes")?;
    if growth.stages.is_empty() {
        return details(&change.counts, out);
    }
    for stage in &growth.stages {
        let time = humantime::format_duration(Duration::from_secs(stage.seconds as u64));
        writeln!(
            out,
            "stage {}: {}, {} searches, {} new positions, {} leaves, in {time}",
            stage.stage, stage.rule, stage.searches, stage.added, stage.leaves
        )?;
    }
    let number = |name: &str| change.counts[name].as_i64();
    match (number("root_before"), number("root")) {
        (Some(before), Some(after)) if before != after => {
            writeln!(out, "value of the root: {before:+} before, {after:+} after")?;
        }
        (_, Some(after)) => writeln!(out, "value of the root after it: {after:+}")?,
        (_, None) => {}
    }
    let lines = serde_json::from_value::<Vec<LineChange>>(change.counts["lines"].clone());
    describe_lines(&lines.unwrap_or_default(), out)
}

/// Writes every count on a line of its own, as it stands in the history.
fn details(counts: &Json, out: &mut dyn Write) -> io::Result<()> {
    let Json::Object(counts) = counts else {
        return writeln!(out, "{counts}");
    };
    for (name, count) in counts {
        match name.as_str() {
            SCHEMA => objects(count).try_for_each(|words| writeln!(out, "{words}"))?,
            _ => writeln!(out, "{}: {count}", name.replace('_', " "))?,
        }
    }
    Ok(())
}

/// The changes as a table, at most `columns` characters wide.
fn table(history: &[PastChange], columns: Option<u16>) -> Table {
    let mut table = Table::new();
    if let Some(columns) = columns {
        table.set_content_arrangement(ContentArrangement::Dynamic);
        table.set_width(columns);
    }
    table.load_style(presets::ASCII_FULL_CONDENSED);
    table.set_header(COLUMNS);
    for change in history {
        let right = |number: u64| Cell::new(number).set_alignment(CellAlignment::Right);
        table.add_row([
            right(change.id.unsigned_abs()),
            Cell::new(&change.time),
            Cell::new(cut(&change.command, COMMAND)),
            Cell::new(counts(&change.counts)),
            Cell::new(state(change)),
            right(change.log_bytes),
        ]);
    }
    table
}

/// Whether a change is undone, and whether it can be undone or redone.
fn state(change: &PastChange) -> &'static str {
    match (&change.undone, change.log) {
        (Some(_), LogState::Kept) => "undone, redo possible",
        (Some(_), _) => "undone",
        (None, LogState::Kept) => "possible",
        (None, LogState::Dropped) => "log dropped",
        (None, LogState::None) => "no",
    }
}

/// The width of the longest command that the table shows in full.
const COMMAND: usize = 48;

/// The counts in words: `12 positions, 1 link`. Zeros, and lists such as the lines whose values changed, are left out.
fn counts(counts: &Json) -> String {
    let Json::Object(counts) = counts else {
        return counts.to_string();
    };
    let value = |what: &str, before: &str, after: &Json| {
        let before = counts.get(before).and_then(Json::as_i64);
        let told = match (before, after.as_i64()) {
            (None, None) => return None,
            (Some(before), None) => format!("{before:+} -> none"),
            (Some(before), Some(after)) if before != after => format!("{before:+} -> {after:+}"),
            (_, Some(after)) => format!("{after:+}"),
        };
        Some(format!("{what} {told}"))
    };
    let all = counts.iter();
    let in_words = all.filter_map(|(name, count)| match name.as_str() {
        "root_before" | "before" => None,
        "root" => value("root", "root_before", count),
        "after" => value("value", "before", count),
        SCHEMA => Some(objects(count).collect::<Vec<_>>().join(", ")),
        "any" => (count.as_i64()? > 0).then(|| format!("{count} changed")),
        "seconds" => Some(format!("{:.1} s", count.as_f64()?)),
        name => match count {
            Json::Number(_) if count.as_i64() == Some(0) => None,
            Json::Number(_) if count.as_i64() == Some(1) => Some(format!("1 {}", one(name))),
            Json::Number(number) => Some(format!("{number} {}", name.replace('_', " "))),
            Json::Bool(true) => Some(name.replace('_', " ")),
            Json::String(text) => Some(format!("{} {text}", name.replace('_', " "))),
            _ => None,
        },
    });
    match in_words.collect::<Vec<_>>().join(", ") {
        nothing if nothing.is_empty() => String::from("nothing changed"),
        in_words => in_words,
    }
}

/// The name of what happened to tables, indexes, views and triggers among the counts.
const SCHEMA: &str = "schema";

/// Lists what was created, and what was dropped.
fn objects(schema: &Json) -> impl Iterator<Item = String> {
    ["created", "dropped"].into_iter().filter_map(|verb| {
        let names = schema[verb].as_array()?.iter().filter_map(Json::as_str);
        Some(format!("{verb} {}", names.collect::<Vec<_>>().join(", ")))
    })
}

/// The name of a count for one thing.
fn one(name: &str) -> String {
    let words = name.split('_').map(|word| match word {
        "leaves" => "leaf",
        "losses" | "passes" | "searches" => word.trim_end_matches("es"),
        _ if word.ends_with("ss") => word,
        _ => word.strip_suffix('s').unwrap_or(word),
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counts_are_put_into_words() {
        let learned = json!({
            "searches": 1, "leaves": 19, "corrected": 0, "root_before": 1, "root": 0, "seconds": 0.49235533,
            "lines": [{"line": "f5", "before": 0, "after": 1}],
        });
        assert_eq!(
            counts(&learned),
            "1 search, 19 leaves, root +1 -> +0, 0.5 s"
        );
        assert_eq!(counts(&json!({"leaves": 1, "todo": 0})), "1 leaf");
        assert_eq!(
            counts(&json!({"leaves_gained": 1, "links_dropped": 2})),
            "1 leaf gained, 2 links dropped"
        );
        assert_eq!(counts(&json!({"added": 0})), "nothing changed");
        for (before, after, told) in [
            (json!(1), json!(0), "value +1 -> +0"),
            (json!(0), json!(0), "value +0"),
            (json!(null), json!(0), "value +0"),
            (json!(0), json!(null), "value +0 -> none"),
        ] {
            let edited = json!({"before": before, "after": after, "added": false, "ancestors": 2});
            assert_eq!(counts(&edited), format!("{told}, 2 ancestors"));
        }
        let schema = json!({"created": ["table v"], "dropped": ["index z", "table x"]});
        assert_eq!(
            counts(&json!({"rows": 0, "schema": schema})),
            "created table v, dropped index z, table x"
        );
    }

    #[test]
    fn no_row_is_wider_than_the_terminal() {
        let change = PastChange {
            id: 1,
            time: String::from("2026-11-23T02:52:47Z"),
            command: "obook merge ".repeat(30),
            counts: json!({"positions": 123_456_789, "links": 123_456_789, "leaves": 123_456_789}),
            undone: None,
            log: LogState::Kept,
            log_bytes: 123_456_789,
        };
        for columns in [60, 80, 120] {
            let drawn = table(std::slice::from_ref(&change), Some(columns)).to_string();
            let widest = drawn.lines().map(|line| line.chars().count()).max();
            assert!(widest <= Some(columns.into()), "{drawn}");
        }
    }
}
