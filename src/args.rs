//! The arguments, and the command that each of them runs.

use crate::commands::{
    accuracy, cut, diff, edit, fix, history, info, level, line, manual, merge, plot, query,
    restore, shell, show, snapshot, stats, transfer, undo, verify,
};
use crate::output::Failure;
use crate::values::{fields, rule_sets};
use clap::{Args, Parser, Subcommand};
use obook_book::read::diff::Field;
use obook_book::write::fix::Steps;
use obook_book::{IfExists, wait_at_most};
use obook_converters::Format;
use obook_converters::RuleSet;
use std::path::PathBuf;
use std::time::Duration;

/// Othello opening books as a SQLite database
#[derive(Debug, Parser)]
#[command(version, about, propagate_version = true, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
    /// How long to wait for another process that is writing to the same database
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value_t = 60,
        help_heading = "Global options"
    )]
    wait: u64,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Take books into a database; the first one makes it
    #[command(after_help = "Examples:\n  \
        obook import book.dat --book book.obook\n  \
        obook import level21.dat level30.egbk3 --book book.obook\n  \
        obook import book.dat.zst --book book.obook --force")]
    Import {
        /// Book files of any format, told by their contents
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// The database; if it exists, the files are merged into it, or replace it with --force
        #[arg(long, value_name = "BOOK")]
        book: PathBuf,
        #[command(flatten)]
        output: Output,
        #[command(flatten)]
        shape: Shape,
    },
    /// Write a book for an engine
    #[command(after_help = "Examples:\n  \
        obook export book.obook book.dat\n  \
        obook export book.obook book.egbk3")]
    Export {
        /// An obook database or a book file
        book: PathBuf,
        /// The file to write; its extension tells the format
        file: PathBuf,
        /// The format, where the extension does not tell it
        #[arg(long, value_name = "FORMAT")]
        format: Option<Format>,
        #[command(flatten)]
        mapping: transfer::Mapping,
        #[command(flatten)]
        output: Output,
        #[command(flatten)]
        shape: Shape,
    },
    /// Carry a book from one format to another, without a database
    #[command(after_help = "Examples:\n  \
        obook convert book.dat book.egbk3\n  \
        obook convert book.egbk3 book.dat.zst --level 21 --zstd-level 19\n  \
        zcat book.dat.gz | obook convert - - --to egbk3 > book.egbk3\n\n\
        What the format of OUT can't hold is counted on standard error; --strict makes it an error.")]
    Convert {
        /// A book file or database; - is standard input
        #[arg(value_name = "IN")]
        input: PathBuf,
        /// The file to write; - is standard output
        #[arg(value_name = "OUT")]
        output_file: PathBuf,
        /// The format of IN, where its contents do not tell it
        #[arg(long, value_name = "FORMAT")]
        from: Option<Format>,
        /// The format of OUT, where its extension does not tell it
        #[arg(long, value_name = "FORMAT")]
        to: Option<Format>,
        #[command(flatten)]
        mapping: transfer::Mapping,
        #[command(flatten)]
        output: Output,
        #[command(flatten)]
        shape: Shape,
    },
    /// Say what a book is: date, positions, levels, depth
    #[command(after_help = "Examples:\n  obook info book.obook\n  obook info book.dat --json")]
    Info {
        /// An obook database or a book file
        book: PathBuf,
        #[command(flatten)]
        shape: Shape,
    },
    /// Count positions by empties and by score
    #[command(after_help = "Examples:\n  obook stats book.obook\n  obook stats book.egbk3 --json")]
    Stats {
        /// An obook database or a book file
        book: PathBuf,
        #[command(flatten)]
        shape: Shape,
    },
    /// Draw a position with its moves and scores
    #[command(after_help = "Examples:\n  \
        obook show book.obook            the start position\n  \
        obook show book.dat f5d6c3       after these moves, upper or lower case\n  \
        obook show book.dat f5d6 --json\n\n\
        [f5:+2] leads to a position of the book, <f6:+0> out of it; the scores are for the side to move.")]
    Show {
        /// An obook database or a book file
        book: PathBuf,
        /// Moves from the start position, such as f5d6c3; passes may be left out or written pa
        #[arg(default_value = "")]
        moves: Vec<String>,
        #[command(flatten)]
        shape: Shape,
    },
    /// Play the best moves through the book to its end
    #[command(after_help = "Examples:\n  \
        obook line book.obook f5d6                      one best line\n  \
        obook line book.obook f5d6 --all-best 10        up to ten of them, a line each\n  \
        obook line book.dat --random --seed 7 --json\n\n\
        [f5] leads to a position of the book, <f6> out of it. equal counts the other moves that are as good.")]
    Line(line::Arguments),
    /// Grade how far the searches behind a position prove its value: Egaroucid's AA to F
    #[command(after_help = "Examples:\n  \
        obook accuracy book.obook f5d6c3\n  \
        obook accuracy book.egbk3 f5d6c3 --line --rules egaroucid\n  \
        obook accuracy book.dat --all\n  \
        obook accuracy book.obook --store\n  \
        obook query book.obook 'SELECT grade, count(*) FROM accuracy GROUP BY grade'\n\n\
        A: the ends of all lines within 1 disc of the best are exact; B: exact and searched to the end \
        selectively; C: all searched to the end; D, E: some are midgame searches, others exact (D) or searched \
        to the end (E); F: all are midgame searches. A is graded again within 2 discs: AA, AB, AD.")]
    Accuracy(accuracy::Arguments),
    /// Find the links anew: add missing ones, drop those without a child
    #[command(after_help = "Examples:\n  obook link book.obook")]
    Link {
        /// An obook database
        book: PathBuf,
        #[command(flatten)]
        memory: fix::Memory,
        #[command(flatten)]
        shape: Shape,
    },
    /// Compute values, bounds, counts and lines anew, from the leaves up
    #[command(
        after_help = "Examples:\n  obook negamax book.obook\n  obook negamax book.obook --rules egaroucid"
    )]
    Negamax {
        /// An obook database
        book: PathBuf,
        /// Whose rules; the book's own if not given, else they become the book's
        #[arg(long, value_parser = rule_sets())]
        rules: Option<RuleSet>,
        /// What it is worth to come back to a position, in discs for the side that does: only passes written by hand
        /// lead back
        #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true,
              allow_negative_numbers = true, value_parser = clap::value_parser!(i8).range(-64..=64))]
        repetition: i8,
        #[command(flatten)]
        shape: Shape,
    },
    /// Repair what needs no search, link and compute: all that a book needs after a change
    #[command(
        after_help = "Examples:\n  obook fix book.obook\n  obook fix book.obook --rules edax\n\n\
        Positions that lack a searched leaf are listed in table todo. A book that is too large for the memory is fixed \
        two layers at a time, through temporary files (in TMPDIR)."
    )]
    Fix {
        /// An obook database
        book: PathBuf,
        /// Whose rules; the book's own if not given, else they become the book's
        #[arg(long, value_parser = rule_sets())]
        rules: Option<RuleSet>,
        #[command(flatten)]
        memory: fix::Memory,
        #[command(flatten)]
        shape: Shape,
    },
    /// Take further books into a database: the better search wins
    #[command(after_help = "Examples:\n  \
        obook merge book.obook night.dat\n  \
        obook merge book.obook laptop.obook club.egbk3.zst\n  \
        obook merge book.obook night.dat --dry-run\n\n\
        The better search wins, position by position and leaf by leaf; of equal ones the newer. What a person entered \
        (level 70) stays. A book that is not fixed yet is fixed as a whole, any other where it changes.")]
    Merge(merge::Arguments),
    /// Enter a value for a position, or take one back
    #[command(after_help = "Examples:\n  \
        obook edit book.obook f5d6c3 --value 2\n  \
        obook edit book.obook f5d6c3 --remove\n\n\
        What a person enters has level 70: nothing overwrites it, and all ancestors follow. `obook undo` takes the last \
        change back exactly.")]
    Edit(edit::Arguments),
    /// Ask SQL
    #[command(after_help = query::EXAMPLES)]
    Query(query::Arguments),
    /// Ask SQL at a prompt, with editing, completion and history
    #[command(after_help = shell::EXAMPLES)]
    Shell(shell::Arguments),
    /// Draw a picture of a book, as SVG
    #[command(after_help = plot::EXAMPLES)]
    Plot(plot::Arguments),
    /// Find everything that would make an engine or a query stumble
    #[command(after_help = "Examples:\n  \
        obook verify book.obook\n  \
        obook verify book.dat --examples 10 --draw\n  \
        obook verify book.egbk3 --json\n  \
        obook verify book.obook --fix-what-is-safe\n  \
        obook verify book.dat --fix-what-is-safe --output mended.dat\n\n\
        Each finding is an error (a reader, an engine or a query stumbles), an inconsistency (a fix would change it) \
        or a note. The exit status is 1 where there are errors or inconsistencies; notes alone leave it at 0.")]
    Verify {
        /// An obook database or a book file
        book: PathBuf,
        /// How many findings of each kind to show
        #[arg(long, value_name = "N", default_value_t = 3)]
        examples: usize,
        /// Draw the boards too
        #[arg(long, conflicts_with = "json")]
        draw: bool,
        /// Repair what needs no search, then check again: a database in place, a file into --output
        #[arg(long)]
        fix_what_is_safe: bool,
        /// Where the mended file goes, in the same format
        #[arg(long, value_name = "FILE", requires = "fix_what_is_safe")]
        output: Option<PathBuf>,
        #[command(flatten)]
        replace: Output,
        #[command(flatten)]
        shape: Shape,
    },
    /// Say where two books differ
    #[command(after_help = "Examples:\n  \
        obook diff old.obook new.obook\n  \
        obook diff book.dat book.obook --rows all\n  \
        obook diff book.dat book.egbk3 --ignore lines,level --json\n\n\
        What a file's format has no room for is not compared. The exit status is 0 where the books say the same, \
        1 where they differ, 2 where one of them can't be read.")]
    Diff {
        /// An obook database or a book file
        a: PathBuf,
        /// Another one
        b: PathBuf,
        /// How many of the positions that differ to show, or all
        #[arg(long, value_name = "N", default_value = "10")]
        rows: diff::Rows,
        /// What not to compare
        #[arg(long, value_name = "FIELD", value_parser = fields(), value_delimiter = ',')]
        ignore: Vec<Field>,
        #[command(flatten)]
        shape: Shape,
    },
    /// Keep what good play of one side reaches, as Edax's `book prune`
    #[command(after_help = "Examples:\n  \
        obook prune book.obook\n  \
        obook prune book.obook --depth 24 --dry-run\n  \
        obook prune book.obook --unreachable\n  \
        obook prune book.dat --output pruned.dat\n\n\
        A position stays where one side can reach it, whatever it plays, while the other side plays only moves as good \
        as the best; and no deeper than the book's depth. A link that goes becomes the leaf if it beats the leaf, so \
        values stay as they are.")]
    Prune(cut::Prune),
    /// Keep what the moves lead to, as Edax's `book subtree`
    #[command(after_help = "Examples:\n  \
        obook subtree book.obook f5d6c4\n  \
        obook subtree book.dat f5d6c4 --output subtree.dat")]
    Subtree(cut::Subtree),
    /// Keep what moves with small losses lead to, as Egaroucid's reduce
    #[command(after_help = "Examples:\n  \
        obook reduce book.obook --depth 30 --per-move 2 --per-line 4\n  \
        obook reduce book.obook f5d6 --depth 40 --per-move 1 --per-line 3 --dry-run\n\n\
        A move loses what the best move of its position is worth more than it. What can't be reached from the position \
        stays as it is.")]
    Reduce(cut::Reduce),
    /// Cut a book at a number of plies from the start position, which becomes its depth
    #[command(after_help = "Examples:\n  \
        obook depth book.obook 30\n  \
        obook depth book.egbk3 30 --output shallow.egbk3\n\n\
        A link that goes becomes the leaf if it beats the leaf, with the level of the position behind it.")]
    Depth(cut::Depth),
    /// Set or limit the levels of positions and leaves
    #[command(after_help = "Examples:\n  \
        obook level book.obook --at-most 30\n  \
        obook level book.obook --set 21 --where 'level IS NULL'\n  \
        obook level book.obook --at-least 24 --empties ..24 --dry-run\n\n\
        A level is on the scale of its own engine. Values, bounds and counts are computed anew.")]
    Level(level::Arguments),
    /// Write a completion script for a shell
    #[command(
        after_help = "Examples:\n  obook completions bash > ~/.local/share/bash-completion/completions/obook"
    )]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// List the changes that were made to a book
    #[command(after_help = "Examples:\n  \
        obook history book.obook\n  \
        obook history book.obook --json\n  \
        obook history book.obook --keep 1        drop what only `obook undo` of older changes needs\n\n\
        What undo needs is kept for the last change, and for up to 100 changes while all of it takes up no more than \
        16 MB or a third of the file.")]
    History {
        /// An obook database
        book: PathBuf,
        /// Drop the logs of all but the last N changes, which can't be taken back then
        #[arg(long, value_name = "N")]
        keep: Option<u32>,
        #[command(flatten)]
        shape: Shape,
    },
    /// Take the last change back
    #[command(after_help = "Examples:\n  \
        obook undo book.obook\n  \
        obook undo book.obook --json\n\n\
        Every table is as it was before the last change that still holds; again, and the change before it is taken back. \
        What made the file (import) can't be taken back, nor what has no log any more: see `obook history`.")]
    Undo {
        /// An obook database
        book: PathBuf,
        #[command(flatten)]
        shape: Shape,
    },
    /// Write a compressed copy of a database, while others read and write it
    #[command(after_help = "Examples:\n  \
        obook snapshot book.obook book-$(date +%F).zst\n  \
        obook restore book-2026-02-28.zst book.obook --force")]
    Snapshot {
        /// An obook database
        book: PathBuf,
        /// The file to write, in zstd format
        #[arg(value_name = "FILE.zst")]
        file: PathBuf,
        #[command(flatten)]
        output: Output,
        #[command(flatten)]
        shape: Shape,
    },
    /// Make a database of a snapshot, once it is found whole
    #[command(after_help = "Examples:\n  \
        obook restore book-2026-02-28.zst book.obook --force")]
    Restore {
        /// What `obook snapshot` wrote
        #[arg(value_name = "FILE.zst")]
        file: PathBuf,
        /// The database
        book: PathBuf,
        #[command(flatten)]
        output: Output,
        #[command(flatten)]
        shape: Shape,
    },
    /// Write a manual page, of the program or of one command
    #[command(after_help = "Examples:\n  obook man > obook.1\n  obook man convert | man -l -")]
    Man {
        /// The command
        command: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, Args)]
struct Output {
    /// Replace what is there
    #[arg(long)]
    force: bool,
}

impl Output {
    fn if_exists(self) -> IfExists {
        if self.force {
            IfExists::Replace
        } else {
            IfExists::Refuse
        }
    }
}

#[derive(Clone, Copy, Debug, Args)]
struct Shape {
    /// Write JSON
    #[arg(long)]
    json: bool,
}

impl Cli {
    pub(crate) fn run(self) -> Result<(), Failure> {
        wait_at_most(Duration::from_secs(self.wait), |sentence| {
            anstream::eprintln!("obook: {sentence}");
        });
        match self.command {
            Command::Completions { shell } => manual::completions(shell),
            Command::Man { command } => manual::page(command.as_deref()),
            Command::Import {
                files,
                book,
                output,
                shape,
            } => merge::import(&files, &book, output.if_exists(), shape.json),
            Command::Export {
                book,
                file,
                format,
                mapping,
                output,
                shape,
            } => {
                let way = transfer::Way {
                    from: &book,
                    from_format: None,
                    to: &file,
                    to_format: format,
                };
                transfer::export(&way, &mapping, output.if_exists(), shape.json)
            }
            Command::Convert {
                input,
                output_file,
                from,
                to,
                mapping,
                output,
                shape,
            } => {
                let way = transfer::Way {
                    from: &input,
                    from_format: from,
                    to: &output_file,
                    to_format: to,
                };
                transfer::export(&way, &mapping, output.if_exists(), shape.json)
            }
            Command::History { book, keep, shape } => history::run(&book, keep, shape.json),
            Command::Snapshot {
                book,
                file,
                output,
                shape,
            } => snapshot::run(&book, &file, output.if_exists(), shape.json),
            Command::Restore {
                file,
                book,
                output,
                shape,
            } => restore::run(&file, &book, output.if_exists(), shape.json),
            Command::Undo { book, shape } => undo::run(&book, shape.json),
            Command::Info { book, shape } => info::run(&book, shape.json),
            Command::Stats { book, shape } => stats::run(&book, shape.json),
            Command::Show { book, moves, shape } => show::run(&book, &moves.concat(), shape.json),
            Command::Line(arguments) => line::run(&arguments),
            Command::Accuracy(arguments) => accuracy::run(&arguments),
            Command::Link {
                book,
                memory,
                shape,
            } => fix::run(&book, Steps::Link, &memory, shape.json),
            Command::Negamax {
                book,
                rules,
                repetition,
                shape,
            } => {
                let steps = Steps::Negamax { rules, repetition };
                fix::run(&book, steps, &fix::Memory::default(), shape.json)
            }
            Command::Fix {
                book,
                rules,
                memory,
                shape,
            } => fix::run(&book, Steps::Fix { rules }, &memory, shape.json),
            Command::Prune(arguments) => cut::prune(&arguments),
            Command::Subtree(arguments) => cut::subtree(&arguments),
            Command::Reduce(arguments) => cut::reduce(&arguments),
            Command::Depth(arguments) => cut::depth(&arguments),
            Command::Level(arguments) => level::run(&arguments),
            Command::Merge(arguments) => merge::run(&arguments),
            Command::Edit(arguments) => edit::run(&arguments),
            Command::Query(arguments) => query::run(&arguments),
            Command::Plot(arguments) => plot::run(&arguments),
            Command::Shell(arguments) => shell::run(&arguments),
            Command::Diff {
                a,
                b,
                rows,
                ignore,
                shape,
            } => diff::run([&a, &b], rows, &ignore, shape.json),
            Command::Verify {
                book,
                examples,
                draw,
                fix_what_is_safe,
                output,
                replace,
                shape,
            } => {
                let shown = verify::Shown {
                    json: shape.json,
                    draw,
                };
                if fix_what_is_safe {
                    let mending = verify::Mending {
                        output: output.as_deref(),
                        if_exists: replace.if_exists(),
                    };
                    verify::run_fix(&book, examples, &mending, &shown)
                } else {
                    verify::run(&book, examples, &shown)
                }
            }
        }
    }
}
