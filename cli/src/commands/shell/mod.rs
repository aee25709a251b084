//! `obook shell`: SQL at a prompt, or a script from standard input.

mod command;
mod helper;
mod output;
mod show;

use crate::options::rows::{Asking, say_rows};
use crate::output::unreported;
use crate::prelude::*;
use crate::sql::{
    Access, Answered, Boards, Format, Limit, Manner, Params, Problem, Script, Session, names,
    notes, tokens, written,
};
use crate::words::{ForPeople, printable, say_all};
use command::{Command, Drawn, HELP, leaves};
use etcetera::BaseStrategy;
use helper::{Helper, Names};
use obook::Error;
use obook_base::open_file;
use output::Output;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};
use std::io::{BufRead, BufReader, IsTerminal};
use std::ops::ControlFlow;

const EXAMPLES: &str = "Examples:
  obook shell book.obook
  obook shell book.dat --format box
  obook shell book.obook --write
  echo '.schema links' | obook shell book.obook

A statement ends with a semicolon and may take several lines; .help lists the other commands. Ctrl-C stops a statement or clears \
the input; Ctrl-D, exit and quit leave. On a terminal, answers look as in `obook query`: tables keep to its width, and long answers \
go to the program in OBOOK_PAGER, else in PAGER, else less. The input is remembered in obook/history in the user's data folder. A \
script on standard input ends at the first error.";

/// Query a book at a prompt, with completion and history
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// An obook database or a book file
    #[arg(value_parser = readable())]
    book: PathBuf,
    #[command(flatten)]
    asking: Asking,
    /// Let SQL change the book; each line is one transaction with an entry in the book's history
    #[arg(long)]
    write: bool,
}

/// A book, and how to show its answers.
struct Shell {
    session: Session,
    access: Access,
    format: Format,
    drawn: Drawn,
    listing: Listing,
    output: Output,
    timer: bool,
    timeout: Option<Duration>,
    params: Params,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.write {
        refuse_starter(&arguments.book)?;
    }
    let access = Access::of(arguments.write);
    let (attach, context) = (&arguments.asking.attach, context::shown());
    let session = Session::open(&arguments.book, None, access, attach, &context)?;
    drop(context);
    let listing = arguments.asking.listing;
    let drawn = match arguments.asking.boards {
        true => Drawn::On,
        false => Drawn::Auto,
    };
    let mut shell = Shell {
        session,
        access,
        format: listing.look.format(),
        drawn,
        listing,
        output: Output::Terminal,
        timer: false,
        timeout: None,
        params: Params::new(),
    };
    match io::stdin().is_terminal() {
        true => shell.converse(),
        false => shell.run_script(&mut io::stdin().lock(), None, 0).map(drop),
    }
}

const PROMPT: &str = "obook> ";
/// The prompt for more lines of a statement.
const CONTINUED: &str = "  ...> ";

/// The maximum nesting depth, so that a script that reads itself comes to an end.
const DEPTH: usize = 16;

impl Shell {
    /// Reads and answers input until the end.
    fn converse(&mut self) -> Result<(), Failure> {
        let config = Config::builder().completion_type(CompletionType::List);
        let trouble = |error: ReadlineError| Failure::Output(io::Error::other(error));
        let mut editor: Editor<Helper, FileHistory> =
            Editor::with_config(config.build()).map_err(trouble)?;
        editor.set_helper(Some(Helper::new(self.session.look(Names::of))));
        let history = history_file();
        if let Some(file) = &history {
            // The file doesn't exist the first time.
            let _ = editor.load_history(file);
        }
        let book = self.session.book().display();
        let greeting =
            format!("{book}: end SQL with a semicolon; .help for help, .quit or Ctrl-D to leave");
        writeln!(anstream::stdout(), "{}", printable(&greeting))?;
        // The lines of an unfinished statement.
        let mut typed = String::new();
        loop {
            if let Some(helper) = editor.helper_mut() {
                helper.before.clone_from(&typed);
            }
            match editor.readline(if typed.is_empty() { PROMPT } else { CONTINUED }) {
                Ok(line) => typed.push_str(&line),
                Err(ReadlineError::Interrupted) => {
                    typed.clear();
                    continue;
                }
                Err(ReadlineError::Eof) => return Ok(()),
                Err(error) => return Err(trouble(error)),
            }
            if !helper::is_complete(&typed) {
                typed.push('\n');
                continue;
            }
            if editor.add_history_entry(&typed).map_err(trouble)?
                && let Some(file) = &history
            {
                // A full disk is no reason to stop answering.
                let _ = editor.append_history(file);
            }
            match self.take(Script::of(&typed), 0) {
                Ok(ControlFlow::Break(())) => return Ok(()),
                Ok(ControlFlow::Continue(())) => {}
                Err(failure) => tell(failure)?,
            }
            typed.clear();
            if let Some(helper) = editor.helper_mut() {
                helper.names = self.session.look(Names::of);
            }
        }
    }

    /// Runs SQL and commands line by line, up to the first error.
    fn run_script(
        &mut self,
        lines: &mut dyn BufRead,
        file: Option<&Path>,
        depth: usize,
    ) -> Result<ControlFlow<()>, Failure> {
        let source = file.unwrap_or(Path::new("standard input"));
        let mut input = String::new();
        let (mut lines_before, mut lines_read) = (0, 0);
        loop {
            let mut line = String::new();
            let read = lines.read_line(&mut line);
            let is_last = read.map_err(Error::io(source, "read"))? == 0;
            input.push_str(&line);
            lines_read += 1;
            // Nothing else can complete it, and reading all of it again takes long.
            let may_end =
                lines_read == lines_before + 1 || line.contains(';') || line.contains("*/");
            if is_last || may_end && helper::is_complete(&input) {
                let script = Script {
                    sql: &input,
                    file,
                    lines_before,
                };
                if let ControlFlow::Break(()) = self.take(script, depth)? {
                    return Ok(ControlFlow::Break(()));
                }
                input.clear();
                lines_before = lines_read;
            }
            if is_last {
                return Ok(ControlFlow::Continue(()));
            }
        }
    }

    /// Like [`Shell::run_script`], for a file.
    fn read_file(&mut self, file: &Path, depth: usize) -> Result<ControlFlow<()>, Failure> {
        if depth >= DEPTH {
            let problem =
                format!("scripts are nested more than {DEPTH} deep; does one read itself?");
            return Err(Failure::file(file, problem));
        }
        let opened = open_file(file).map_err(Error::io(file, "open"))?;
        self.run_script(&mut BufReader::new(opened), Some(file), depth + 1)
    }

    /// Runs one command or some statements of a script that is nested this deep.
    fn take(&mut self, script: Script<'_>, depth: usize) -> Result<ControlFlow<()>, Failure> {
        let text = script.sql.trim();
        if leaves(text) {
            return Ok(ControlFlow::Break(()));
        }
        if text.starts_with('.') {
            let command = Command::read(text);
            let command = command.map_err(|problem| Problem::new(self.session.book(), problem))?;
            return self.obey(command, depth);
        }
        if !tokens::statements(text).is_empty() {
            self.answer(script)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn obey(&mut self, command: Command, depth: usize) -> Result<ControlFlow<()>, Failure> {
        match command {
            Command::Boards(drawn) => self.drawn = drawn,
            Command::Mode(Some(format)) => self.format = format,
            Command::Output(file) => self.output = Output::to(self.session.book(), file)?,
            Command::Param(Some((name, value))) => drop(self.params.insert(name, value)),
            Command::ParamClear => self.params.clear(),
            Command::Quit => return Ok(ControlFlow::Break(())),
            Command::Read(file) => return self.read_file(&file, depth),
            Command::Timeout(timeout) => self.timeout = timeout,
            Command::Timer(timer) => self.timer = timer,
            question => {
                let mut output = std::mem::take(&mut self.output);
                let told = output.take(self.listing, context::quiet(), |out| {
                    self.tell(&question, &mut ForPeople(out))
                });
                self.output = output;
                match told {
                    Err(failure @ Failure::Output(_)) if self.access == Access::Write => {
                        unreported(&failure);
                    }
                    told => drop(told?),
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Answers a command that shows something.
    fn tell(&self, question: &Command, out: &mut dyn Write) -> Result<(), Failure> {
        let connection = self.session.connection();
        match question {
            Command::Functions(word) => show::functions(connection, word, out)?,
            Command::Help(asked) => {
                for line in HELP.lines() {
                    if asked.is_none_or(|it| line.split(' ').next() == Some(it)) {
                        writeln!(out, "{line}")?;
                    }
                }
            }
            Command::Mode(_) => writeln!(out, "{}", self.format.name())?,
            Command::Param(_) => {
                for (name, value) in &self.params {
                    writeln!(out, ":{name} = {}", written(value))?;
                }
            }
            Command::Schema(table) => show::schema(&self.session, table.as_deref(), out)?,
            Command::Show => self.show(out)?,
            Command::Tables => {
                for table in names::tables(connection) {
                    writeln!(out, "{table}")?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Shows all settings, in the words that set them.
    fn show(&self, out: &mut dyn Write) -> io::Result<()> {
        let on = |on: bool| if on { "on" } else { "off" };
        let timeout = self.timeout.map(|time| time.as_secs_f64().to_string());
        let timeout = timeout.unwrap_or_else(|| String::from("off"));
        let settings = [
            ("book", self.session.book().display().to_string()),
            ("boards", self.drawn.name()),
            ("mode", self.format.name()),
            ("output", self.output.name()),
            ("params", self.params.len().to_string()),
            ("timeout", timeout),
            ("timer", on(self.timer).to_owned()),
            ("write", on(self.access == Access::Write).to_owned()),
        ];
        for (name, value) in settings {
            writeln!(out, "{name:>8}: {value}")?;
        }
        Ok(())
    }

    fn answer(&mut self, script: Script<'_>) -> Result<(), Failure> {
        let manner = Manner {
            format: self.format,
            boards: match self.drawn {
                Drawn::On => Some(self.format.drawn()),
                Drawn::Off => Some(Boards::Hex),
                Drawn::Auto => None,
            },
            screen: self.output.screen(),
            params: self.params.clone(),
            may_be_unused: true,
        };
        for note in notes(script.sql) {
            say(format_args!("note: {note}"));
        }
        let context = context::shown();
        context.progress().step("answering", None);
        let limit = Limit::start(self.session.book(), self.timeout);
        let (session, timer) = (&mut self.session, self.timer);
        let mut answered = None;
        let told = self.output.take(self.listing, context, |out| {
            let (answer, told) = session.answer(script, &manner, limit, out)?;
            let Answered { changed, took, .. } = *answered.insert(answer);
            told?;
            if_any(changed, "row[|s] changed", out)?;
            if timer {
                writeln!(out, "{:.3} s", took.as_secs_f64())?;
            }
            Ok(())
        });
        let paged = match told {
            // The rest may change the book, too, whatever becomes of this answer.
            Err(failure) if self.access == Access::Write && answered.is_some() => {
                unreported(&failure);
                return Ok(());
            }
            told => told?,
        };
        if let Some(answered) = &answered {
            say_rows(answered, &manner, paged);
        }
        Ok(())
    }
}

/// Reports a failure and continues, unless standard output is closed.
fn tell(failure: Failure) -> Result<(), Failure> {
    match failure {
        Failure::Output(_) => return Err(failure),
        Failure::Sql(problem) => {
            say(problem.sentence);
            say_all(problem.excerpt);
        }
        other => say(other),
    }
    Ok(())
}

/// Creates the folder of the history file and returns the file's path; `None` if that fails.
fn history_file() -> Option<PathBuf> {
    let strategy = etcetera::base_strategy::choose_native_strategy().ok()?;
    let folder = strategy.data_dir().join("obook");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join("history"))
}
