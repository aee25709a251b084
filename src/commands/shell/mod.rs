//! `obook shell`: SQL at a prompt, or a script from standard input.

mod command;
mod helper;
mod history;
mod show;

use crate::failure::Failure;
use crate::options::look::Look;
use crate::output::{stands, stdout};
use crate::progress;
use crate::sql::{
    Access, Attach, Format, Manner, Params, Problem, Script, Session, Watchdog, tokens, written,
};
use crate::words::{ForPeople, printable, say};
use clap::ValueEnum;
use command::{Command, Drawn, HELP};
use helper::{Helper, Names};
use obook_book::Error;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{CompletionType, Config, Editor};
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const EXAMPLES: &str = "Examples:
  obook shell book.obook
  obook shell book.dat --format box
  obook shell book.obook --write
  echo '.schema links' | obook shell book.obook

A statement ends with a semicolon and may go over several lines; .help lists what else there is. Ctrl-C stops a statement \
or clears the line, Ctrl-D ends. What was typed is remembered in obook/history in the user's folder of data. A script on \
standard input ends at the first error.";

/// Ask SQL at a prompt, with editing, completion and history
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// An obook database or a book file
    book: PathBuf,
    #[command(flatten)]
    look: Look,
    /// Another book or SQLite database, whose tables are NAME.positions and so on
    #[arg(long, value_name = "NAME=FILE")]
    attach: Vec<Attach>,
    /// Let SQL change the book: each line of statements in one transaction, with an entry in the book's history
    #[arg(long)]
    write: bool,
}

/// A book, and how its answers are to look.
struct Shell {
    session: Session,
    format: Format,
    drawn: Drawn,
    timer: bool,
    timeout: Option<Duration>,
    params: Params,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let access = Access::of(arguments.write);
    let (attach, progress) = (&arguments.attach, progress::on_terminal());
    let session = Session::open(&arguments.book, access, attach, &progress)?;
    let drawn = match arguments.look.asks_for_boards() {
        true => Drawn::On,
        false => Drawn::Auto,
    };
    let mut shell = Shell {
        session,
        format: arguments.look.format(),
        drawn,
        timer: false,
        timeout: None,
        params: Params::lasting(),
    };
    if io::stdin().is_terminal() {
        shell.converse()
    } else {
        let source = Path::new("standard input");
        shell.run_script(&mut io::stdin().lock(), source, None, 0)?;
        Ok(())
    }
}

/// What is asked at once, and where it stands.
#[derive(Clone, Copy, Debug)]
struct Input<'a> {
    text: &'a str,
    /// The file that it stands in; `None` where it is typed or comes through a pipe.
    file: Option<&'a Path>,
    /// How many lines come before it.
    lines_before: usize,
    /// How many scripts read one another.
    depth: usize,
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Next {
    More,
    End,
}

/// How deep scripts may read scripts: one that reads itself must come to an end.
const DEPTH: usize = 16;

impl Shell {
    /// Asks and answers until there is no more.
    fn converse(&mut self) -> Result<(), Failure> {
        let config = Config::builder()
            .completion_type(CompletionType::List)
            .auto_add_history(true)
            .build();
        let trouble = |error: ReadlineError| Failure::Output(io::Error::other(error));
        let mut editor: Editor<Helper, FileHistory> =
            Editor::with_config(config).map_err(trouble)?;
        editor.set_helper(Some(Helper::new(self.session.look(Names::of))));
        let history = history::file();
        if let Some(file) = &history {
            // The first time there is none yet.
            let _ = editor.load_history(file);
        }
        anstream::println!("{}", printable(&self.greeting()));
        loop {
            match editor.readline("obook> ") {
                Ok(input) => {
                    if let Some(file) = &history {
                        // A full disk is no reason to stop answering.
                        let _ = editor.append_history(file);
                    }
                    let typed = Input {
                        text: &input,
                        file: None,
                        lines_before: 0,
                        depth: 0,
                    };
                    match self.take(typed) {
                        Ok(Next::End) => return Ok(()),
                        Ok(Next::More) => {}
                        Err(failure) => tell(failure)?,
                    }
                    if let Some(helper) = editor.helper_mut() {
                        helper.set_names(self.session.look(Names::of));
                    }
                }
                Err(ReadlineError::Interrupted) => {}
                Err(ReadlineError::Eof) => return Ok(()),
                Err(error) => return Err(trouble(error)),
            }
        }
    }

    fn greeting(&self) -> String {
        let book = self.session.book().display();
        format!("{book}: SQL ends with a semicolon; .help for help, .quit or Ctrl-D to leave")
    }

    /// Runs SQL and commands line by line, up to the first error.
    fn run_script(
        &mut self,
        lines: &mut dyn BufRead,
        source: &Path,
        file: Option<&Path>,
        depth: usize,
    ) -> Result<Next, Failure> {
        let mut input = String::new();
        let (mut lines_before, mut lines_read) = (0, 0);
        loop {
            let mut line = String::new();
            let read = lines.read_line(&mut line);
            let is_last = read.map_err(Error::io(source, "read"))? == 0;
            input.push_str(&line);
            lines_read += 1;
            if is_last || helper::is_complete(&input) {
                let read = Input {
                    text: &input,
                    file,
                    lines_before,
                    depth,
                };
                if let Next::End = self.take(read)? {
                    return Ok(Next::End);
                }
                input.clear();
                lines_before = lines_read;
            }
            if is_last {
                return Ok(Next::More);
            }
        }
    }

    /// As [`Shell::run_script`], of a file.
    fn read_file(&mut self, file: &Path, depth: usize) -> Result<Next, Failure> {
        if depth >= DEPTH {
            let problem = format!("{DEPTH} scripts that read one another; does one read itself?");
            return Err(Error::unfit(file, problem).into());
        }
        let opened = std::fs::File::open(file).map_err(Error::io(file, "open"))?;
        self.run_script(&mut BufReader::new(opened), file, Some(file), depth + 1)
    }

    /// One command, or statements.
    fn take(&mut self, input: Input<'_>) -> Result<Next, Failure> {
        let text = input.text.trim();
        if text.starts_with('.') {
            let command: Command = text
                .parse()
                .map_err(|problem: String| Problem::new(self.session.book(), problem))?;
            return self.obey(command, input.depth);
        }
        if !tokens::statements(text).is_empty() {
            self.answer(input)?;
        }
        Ok(Next::More)
    }

    fn obey(&mut self, command: Command, depth: usize) -> Result<Next, Failure> {
        let out = &mut ForPeople(stdout());
        let connection = self.session.connection();
        match command {
            Command::Boards(drawn) => self.drawn = drawn,
            Command::Functions(word) => show::functions(connection, &word, out)?,
            Command::Help(asked) => {
                let all = HELP.iter();
                for (name, arguments, meaning) in
                    all.filter(|help| asked.is_none_or(|it| it == help.0))
                {
                    writeln!(out, "{name:10} {arguments:19} {meaning}")?;
                }
            }
            Command::Mode(Some(format)) => self.format = format,
            Command::Mode(None) => {
                let format = self.format.to_possible_value();
                writeln!(out, "{}", format.expect("none is hidden").get_name())?;
            }
            Command::Param(Some(param)) => self.params.set(param),
            Command::Param(None) => {
                for (name, value) in self.params.iter() {
                    writeln!(out, ":{name} = {}", written(value))?;
                }
            }
            Command::ParamClear => self.params = Params::lasting(),
            Command::Quit => return Ok(Next::End),
            Command::Read(file) => return self.read_file(&file, depth),
            Command::Schema(table) => show::schema(&self.session, table.as_deref(), out)?,
            Command::Tables => show::tables(connection, out)?,
            Command::Timeout(timeout) => self.timeout = timeout,
            Command::Timer(timer) => self.timer = timer,
        }
        out.flush()?;
        Ok(Next::More)
    }

    fn answer(&mut self, input: Input<'_>) -> Result<(), Failure> {
        let drawn = match self.drawn {
            Drawn::On => true,
            Drawn::Off => false,
            Drawn::Auto => self.format.draws() && io::stdout().is_terminal(),
        };
        let manner = Manner {
            format: self.format,
            boards: self.format.boards(drawn),
            params: self.params.clone(),
            timeout: self.timeout,
        };
        let _watchdog = Watchdog::start(self.session.book(), self.timeout);
        let out = &mut stdout();
        let started = Instant::now();
        let script = Script {
            sql: input.text,
            file: input.file,
            lines_before: input.lines_before,
        };
        let changed = self.session.answer(script, &manner, out);
        // What came before an error is shown before it.
        out.flush()?;
        let changed = changed?;
        let took = started.elapsed();
        if changed > 0 {
            let told = writeln!(out, "{changed} rows changed").and_then(|()| out.flush());
            stands(told.map_err(Failure::from))?;
        }
        if self.timer {
            writeln!(out, "{:.3} s", took.as_secs_f64())?;
        }
        Ok(out.flush()?)
    }
}

/// Says what went wrong and goes on, unless standard output is closed.
fn tell(failure: Failure) -> Result<(), Failure> {
    match failure {
        Failure::Output(_) => return Err(failure),
        Failure::Sql(problem) => {
            say(problem.sentence());
            anstream::eprint!("{}", problem.excerpt());
        }
        other => say(other),
    }
    Ok(())
}
