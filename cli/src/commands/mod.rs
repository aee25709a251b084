//! The commands, one file each: arguments, help, and the report. To add one, write its file and add two lines here: the module, which rustfmt would
//! not find in a macro, and its place among the groups.

/// Declares a command that only has commands below it: first its help, then for each command below it the module that has its
/// arguments, and what runs it if that isn't the module's `run`.
macro_rules! subcommands {
    (
        $(#[$all:meta])* struct Arguments;
        $($(#[$about:meta])* $Command:ident $module:ident $(= $run:expr)?,)+
    ) => {
        #[derive(Debug, clap::Args)]
        $(#[$all])*
        pub(crate) struct Arguments {
            #[command(subcommand)]
            command: Command,
        }

        #[derive(Debug, clap::Subcommand)]
        enum Command {
            $($(#[$about])* $Command($module::Arguments),)+
        }

        pub(crate) fn run(arguments: &Arguments) -> Result<(), crate::failure::Failure> {
            match &arguments.command {
                $(Command::$Command(arguments) => subcommands!(@run $module $(= $run)?)(arguments),)+
            }
        }
    };
    (@run $module:ident) => {
        $module::run
    };
    (@run $module:ident = $run:expr) => {
        $run
    };
}
pub(crate) use subcommands;

pub(crate) mod accuracy;
pub(crate) mod check;
pub(crate) mod compact;
pub(crate) mod complete;
pub(crate) mod completions;
pub(crate) mod convert;
pub(crate) mod depth;
pub(crate) mod diff;
pub(crate) mod edit;
pub(crate) mod engines;
pub(crate) mod export;
pub(crate) mod extract;
pub(crate) mod fix;
pub(crate) mod games;
pub(crate) mod hint;
pub(crate) mod history;
pub(crate) mod import;
pub(crate) mod info;
pub(crate) mod learn;
pub(crate) mod level;
pub(crate) mod line;
pub(crate) mod link;
pub(crate) mod man;
pub(crate) mod merge;
pub(crate) mod near_best;
pub(crate) mod negamax;
pub(crate) mod openings;
pub(crate) mod play;
pub(crate) mod plot;
pub(crate) mod prune;
pub(crate) mod query;
pub(crate) mod rate;
pub(crate) mod redo;
pub(crate) mod reduce;
pub(crate) mod repertoire;
pub(crate) mod restore;
pub(crate) mod salvage;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod shell;
pub(crate) mod show;
pub(crate) mod site;
pub(crate) mod snapshot;
pub(crate) mod solve;
pub(crate) mod stats;
pub(crate) mod subtree;
pub(crate) mod tasks;
pub(crate) mod undo;
pub(crate) mod verify;
pub(crate) mod why;
pub(crate) mod work;

use crate::failure::Failure;
use crate::shogi;
use clap::{Args, Subcommand};
use near_best::{frontier, worst};

/// Declares the groups of commands: each command with the module that has its arguments and runs it. Few
/// people need a `seldom` one.
macro_rules! groups {
    ($($Group:ident $title:literal { $($Command:ident $module:ident $($seldom:ident)?,)+ })+) => {
        #[derive(Debug, Subcommand)]
        pub(crate) enum Command {
            $(#[command(flatten)] $Group($Group),)+
        }

        $(
            #[derive(Debug, Subcommand)]
            pub(crate) enum $Group {
                $($Command(Box<$module::Arguments>),)+
            }
        )+

        impl Command {
            pub(crate) fn run(self) -> Result<(), Failure> {
                match self {
                    $($(Command::$Group($Group::$Command(arguments)) => $module::run(&arguments),)+)+
                }
            }
        }

        /// The command with this name.
        pub(crate) fn named(name: &str) -> Option<clap::Command> {
            let augment: fn(clap::Command) -> clap::Command = match name {
                $($(stringify!($module) => $module::Arguments::augment_args,)+)+
                _ => return None,
            };
            Some(augment(clap::Command::new(name.to_owned())))
        }

        /// The groups as commands that have the group's title for a name.
        pub(crate) fn groups() -> Vec<clap::Command> {
            vec![$($Group::augment_subcommands(clap::Command::new($title)),)+]
        }

        /// The commands that stand in `obook help all` only, by the names of their modules.
        const SELDOM: &[&str] = &[$($($({
            stringify!($seldom);
            stringify!($module)
        },)?)+)+];
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
        Solve solve seldom,
        Search search,
        Learn learn,
        Work work,
        Tasks tasks seldom,
        Engines engines,
    }
    Play "Games" {
        Games games,
        Check check,
        Repertoire repertoire,
        Extract extract,
        Rate rate seldom,
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
        Link link seldom,
        Negamax negamax seldom,
        Level level seldom,
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
        Salvage salvage seldom,
        Compact compact seldom,
    }
    Other "Other games" {
        Shogi shogi,
    }
    Setup "Documentation" {
        Man man seldom,
        Completions completions seldom,
        Complete complete,
    }
}

/// Whether few people need this command.
pub(crate) fn is_seldom(command: &clap::Command) -> bool {
    SELDOM.contains(&command.get_name())
}
