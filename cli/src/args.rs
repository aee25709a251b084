//! The command line as a whole, and the three pages about it: `obook`, `obook --help` and `obook help all`.

use crate::commands::{self, Command, groups, is_seldom};
use crate::options::standard;
use crate::prelude::*;
use clap::builder::Styles;
use clap::{Args, FromArgMatches, Subcommand};
use obook_engine::wire::without_credentials;
use std::any::TypeId;
use std::ffi::OsString;
use std::num::NonZeroUsize;

/// The arguments of a process.
#[derive(Debug, Args)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    global: Global,
}

/// Othello opening books as a SQLite database; shogi, too
#[derive(Debug, Args)]
#[command(version, about, propagate_version = true, max_term_width = 100)]
struct Global {
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
    pub(crate) fn read(mut arguments: Vec<OsString>) -> Result<Cli, Failure> {
        let is_help = |word: &OsString| word == "help" || word == "--help" || word == "-h";
        let mut command = match &arguments[..] {
            [_, help, all] if help == "help" && all == "all" => {
                arguments.truncate(1);
                arguments.push(OsString::from("--help"));
                program().help_template(help_on(|_| true))
            }
            words if words.iter().any(is_help) => {
                program().help_template(help_on(|it| !is_seldom(it)))
            }
            words => program_for(words),
        };
        let matches = command.try_get_matches_from_mut(&arguments);
        let mut matches = matches.unwrap_or_else(|error| refuse(error, &arguments));
        standard::check(&command, &matches)?;
        Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command).exit())
    }

    pub(crate) fn run(self) -> Result<(), Failure> {
        context::begin(Duration::from_secs(self.global.wait));
        self.command.map_or_else(front_page, Command::run)
    }
}

/// Ends the process because its arguments are wrong. No password among them is shown.
fn refuse(error: clap::Error, arguments: &[OsString]) -> ! {
    context::clean_up();
    let words = arguments.iter().filter_map(|word| word.to_str());
    let addresses: Vec<&str> = words.filter(|word| word.contains("://")).collect();
    if addresses.is_empty() {
        match error.print().map_err(Failure::from) {
            Err(failure) if !error.use_stderr() && !failure.is_closed_pipe() => {
                say(format_args!("obook: {failure}"));
                std::process::exit(1)
            }
            _ => std::process::exit(error.exit_code()),
        }
    }
    let hide = |text: String, word: &&str| text.replace(word, &without_credentials(word));
    say(addresses.iter().fold(error.to_string(), hide).trim_end());
    std::process::exit(error.exit_code())
}

/// The program without its commands.
fn bare() -> clap::Command {
    Global::augment_args(clap::Command::new("obook"))
}

/// The whole program, for manual pages and completion.
pub(crate) fn program() -> clap::Command {
    finished(Command::augment_subcommands(bare()))
}

/// The program with only the command that these arguments name, or with all commands if the first word is none. Building all of
/// them takes longer than looking up a position.
fn program_for(arguments: &[OsString]) -> clap::Command {
    let mut words = arguments.iter().skip(1).filter_map(|word| word.to_str());
    let name = words.find(|word| !word.starts_with('-'));
    match name.and_then(commands::named) {
        Some(command) => finished(bare().subcommand(command)),
        None => program(),
    }
}

fn finished(program: clap::Command) -> clap::Command {
    with_signs(program).mut_subcommands(|command| match command.get_name() {
        "plot" => plot_with_book(command),
        _ => command,
    })
}

/// Names the book, which may be left out, in the usage of each kind of picture.
fn plot_with_book(command: clap::Command) -> clap::Command {
    command.mut_subcommands(|kind| {
        let arguments: String = kind.get_positionals().map(|it| format!(" {it}")).collect();
        let name = kind.get_name();
        let usage = format!("obook plot [BOOK] {name} [OPTIONS]{arguments}");
        kind.override_usage(usage)
    })
}

/// Reads `-1` as a number, not as an option, where a number is expected.
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

/// The commands that show a book: the one inside obook, if there is one.
const SHOW_A_BOOK: [&str; 2] = match cfg!(feature = "starter") {
    true => ["serve", "show f5d6"],
    false => ["serve book.dat", "show book.dat f5d6"],
};

/// The first commands for a newcomer; the one that needs the explorer comes first. A test runs them as printed.
const FIRST_STEPS: [(&str, &str); 4] = [
    (SHOW_A_BOOK[0], "show a book on a board in the browser"),
    (SHOW_A_BOOK[1], "or here: a position, its moves and scores"),
    (
        "import book.dat",
        "make book.obook from it, which can grow and undo",
    ),
    (
        "check game.txt",
        "find where the players of a game lost discs",
    ),
];

/// The commands to look at next.
const NEXT_STEPS: [&str; 7] = ["why", "learn", "undo", "export", "merge", "games", "query"];

/// Prints what obook is, and where to begin. Its status is 0, as that of cargo, gh and docker without arguments: nothing failed.
fn front_page() -> Result<(), Failure> {
    let program = program();
    let (header, literal) = (styles().get_header(), styles().get_literal());
    let out = &mut anstream::AutoStream::auto(std::io::stdout().lock());
    writeln!(out, "{WHAT_IT_IS}\n\n{header}First:{header:#}")?;
    let has_explorer = cfg!(feature = "explorer");
    for (step, what) in &FIRST_STEPS[usize::from(!has_explorer)..] {
        writeln!(out, "  {literal}obook {step:18}{literal:#}  {what}")?;
    }
    writeln!(out, "\n{header}Then:{header:#}")?;
    let next = NEXT_STEPS.iter();
    for command in next.filter_map(|name| program.find_subcommand(name)) {
        let name = command.get_name();
        writeln!(out, "  {literal}{name:6}{literal:#}  {}", about(command))?;
    }
    writeln!(out, "\n{WHERE_THE_REST_IS}")?;
    Ok(out.flush()?)
}

const WHAT_IT_IS: &str =
    "Opening books of Othello in a database: read, grow, undo. Shogi: `obook shogi`.";

const WHERE_THE_REST_IS: &str = "\
`obook --help` lists the commands, `obook help all` includes the rare ones.
`obook COMMAND --help` shows a command's options and examples.";

fn about(command: &clap::Command) -> String {
    let about = command.get_about().map(ToString::to_string);
    about.unwrap_or_default()
}

fn styles() -> &'static Styles {
    const { &Styles::styled() }
}

/// The template of the program's own help, which lists these commands in groups.
fn help_on(is_listed: fn(&clap::Command) -> bool) -> String {
    let (header, literal) = (styles().get_header(), styles().get_literal());
    let groups = groups();
    let commands = groups.iter().flat_map(clap::Command::get_subcommands);
    let width = commands.map(|command| command.get_name().len()).max();
    let width = width.unwrap_or_default();
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for group in &groups {
        let commands = group
            .get_subcommands()
            .filter(|it| !it.is_hide_set() && is_listed(it));
        let lines = commands.map(|command| {
            let name = command.get_name();
            format!("  {literal}{name:width$}{literal:#}  {}\n", about(command))
        });
        let lines: String = lines.collect();
        if !lines.is_empty() {
            text += &format!("\n{header}{}:{header:#}\n{lines}", group.get_name());
        }
    }
    text + &format!("\n{header}Options:{header:#}\n{{options}}\n\n{WHERE_THE_REST_IS}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command's help, which lists all that it takes, is the same without the other commands.
    #[test]
    fn every_command_can_stand_alone() {
        let mut all = program();
        all.build();
        let commands = all
            .get_subcommands_mut()
            .filter(|it| it.get_name() != "help");
        let mut count = 0;
        for command in commands {
            let name = command.get_name().to_owned();
            let mut alone = program_for(&["obook".into(), "--wait=5".into(), name.clone().into()]);
            alone.build();
            assert_eq!(alone.get_subcommands().count(), 2, "{name} and help");
            let alone = alone.find_subcommand_mut(&name).expect(&name);
            let (alone, among) = (alone.render_long_help(), command.render_long_help());
            assert_eq!(alone.to_string(), among.to_string());
            count += 1;
        }
        assert!(count > 50, "{count}");
    }
}
