//! The commands of the command line, in the groups in which `--help` lists them.

use crate::commands::near_best::{frontier, worst};
use crate::commands::{
    accuracy, check, compact, complete, completions, convert, depth, diff, edit, engines, export,
    extract, fix, games, hint, history, import, info, learn, level, line, link, man, merge,
    negamax, openings, play, plot, prune, query, rate, redo, reduce, repertoire, restore, salvage,
    search, serve, shell, show, site, snapshot, solve, stats, subtree, tasks, undo, verify, why,
    work,
};
use crate::context;
use crate::failure::Failure;
use crate::options::standard;
use crate::shogi;
use crate::typed;
use crate::words::say;
use clap::builder::Styles;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use obook_engine::wire::without_credentials;
use std::any::TypeId;
use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::time::Duration;

/// Othello opening books as a SQLite database; shogi, too
#[derive(Debug, Parser)]
#[command(version, about, propagate_version = true, max_term_width = 100, help_template = help())]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
    /// How long to wait if another process is writing to the same database
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value_t = 60,
        help_heading = "Global options"
    )]
    wait: u64,
}

impl Cli {
    /// Reads the arguments of the process, which ends here if they are wrong, with an error that shows no password among them.
    pub(crate) fn read(arguments: Vec<OsString>) -> Result<Cli, Failure> {
        let mut command = program();
        let matches = command.try_get_matches_from_mut(&arguments);
        let mut matches = matches.unwrap_or_else(|error| refuse(error, &arguments));
        standard::check(&command, &matches)?;
        Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command).exit())
    }

    pub(crate) fn run(self) -> Result<(), Failure> {
        context::begin(Duration::from_secs(self.wait));
        self.command.run()
    }
}

/// Ends the process because its arguments are wrong. No password among them is shown.
fn refuse(mut error: clap::Error, arguments: &[OsString]) -> ! {
    // Clap only says that the book is missing.
    if let [_, plot, kind, book, rest @ ..] = arguments
        && plot == "plot"
        && error.kind() == ErrorKind::MissingRequiredArgument
    {
        let command = typed::command([plot, book, kind].into_iter().chain(rest));
        let tip = format!("the book comes first, then the kind of picture: `{command}`");
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    let words = arguments.iter().filter_map(|word| word.to_str());
    let addresses: Vec<&str> = words.filter(|word| word.contains("://")).collect();
    if addresses.is_empty() {
        error.exit();
    }
    let hide = |text: String, word: &&str| text.replace(word, &without_credentials(word));
    say(addresses.iter().fold(error.to_string(), hide).trim_end());
    std::process::exit(error.exit_code())
}

/// The program's arguments, for those who write about them.
pub(crate) fn program() -> clap::Command {
    with_signs(Cli::command())
}

/// Takes `-1` for a number where one is expected, and not for an option.
fn with_signs(command: clap::Command) -> clap::Command {
    let numbers = [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<usize>(),
        TypeId::of::<NonZeroUsize>(),
    ];
    let is_number = move |argument: &clap::Arg| {
        let parsed = argument.get_value_parser().type_id();
        argument.get_action().takes_values() && numbers.iter().any(|number| parsed == *number)
    };
    command
        .mut_args(|argument| match is_number(&argument) {
            true => argument.allow_negative_numbers(true),
            false => argument,
        })
        .mut_subcommands(with_signs)
}

/// Declares the groups of commands: each command with the module that has its arguments and runs it.
macro_rules! groups {
    ($($Group:ident $title:literal { $($Command:ident $module:ident,)+ })+) => {
        #[derive(Debug, Subcommand)]
        enum Command {
            $(#[command(flatten)] $Group($Group),)+
        }

        $(
            #[derive(Debug, Subcommand)]
            enum $Group {
                $($Command(Box<$module::Arguments>),)+
            }
        )+

        impl Command {
            fn run(self) -> Result<(), Failure> {
                match self {
                    $($(Command::$Group($Group::$Command(arguments)) => $module::run(&arguments),)+)+
                }
            }
        }

        /// The groups as commands that have the group's title for a name.
        fn groups() -> Vec<clap::Command> {
            vec![$($Group::augment_subcommands(clap::Command::new($title)),)+]
        }
    };
}

groups! {
    Look "Look at a book" {
        Show show,
        Serve serve,
        Site site,
        Line line,
        Play play,
        Why why,
        Frontier frontier,
        Worst worst,
        Accuracy accuracy,
        Info info,
        Stats stats,
        Openings openings,
        Plot plot,
        Diff diff,
    }
    Grow "Search and grow" {
        Hint hint,
        Solve solve,
        Search search,
        Learn learn,
        Work work,
        Tasks tasks,
        Engines engines,
    }
    Play "Games" {
        Games games,
        Check check,
        Repertoire repertoire,
        Extract extract,
        Rate rate,
    }
    Carry "Import, export and merge" {
        Import import,
        Export export,
        Convert convert,
        Merge merge,
    }
    Change "Change and cut" {
        Edit edit,
        Fix fix,
        Link link,
        Negamax negamax,
        Level level,
        Depth depth,
        Prune prune,
        Reduce reduce,
        Subtree subtree,
    }
    Ask "SQL" {
        Query query,
        Shell shell,
    }
    Care "Care" {
        Verify verify,
        History history,
        Undo undo,
        Redo redo,
        Snapshot snapshot,
        Restore restore,
        Salvage salvage,
        Compact compact,
    }
    Other "Other games" {
        Shogi shogi,
    }
    Setup "Documentation" {
        Man man,
        Completions completions,
        Complete complete,
    }
}

/// The template of the program's own help, which lists the commands in groups.
fn help() -> String {
    let styles = Styles::styled();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let groups = groups();
    let commands = groups.iter().flat_map(clap::Command::get_subcommands);
    let width = commands.map(|command| command.get_name().len()).max();
    let width = width.unwrap_or_default();
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for group in &groups {
        text.push_str(&format!("\n{header}{}:{header:#}\n", group.get_name()));
        for command in group.get_subcommands().filter(|it| !it.is_hide_set()) {
            let (name, about) = (command.get_name(), command.get_about());
            let about = about.map(ToString::to_string).unwrap_or_default();
            text.push_str(&format!("  {literal}{name:width$}{literal:#}  {about}\n"));
        }
    }
    text + &format!(
        "\n{header}Options:{header:#}\n{{options}}\n\n`obook COMMAND --help` shows a command's options and examples."
    )
}
