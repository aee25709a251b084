//! `obook shell`: as a script in a pipe, and at a terminal.

use crate::support::program::{arg, games_database, json, piped};
use serde_json::json as value;
use std::fs;
use std::path::Path;
use std::process::Output;

fn script(book: &Path, options: &[&str], input: &str) -> Output {
    piped([&["shell", arg(book)], options].concat(), input)
}

/// The output of a script, which must succeed.
fn prints(book: &Path, input: &str) -> String {
    let output = script(book, &["--format", "csv"], input);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_script_runs_statements_and_commands() {
    let (folder, book) = games_database();
    assert_eq!(
        prints(
            &book,
            "SELECT 1 AS a,\n ';' AS b;SELECT 2 AS c;\n.mode ndjson\nSELECT 3 AS d"
        ),
        "a,b\n1,;\nc\n2\n{\"d\":3}\n"
    );
    let tables = prints(&book, ".tables\n");
    for table in ["positions", "links", "leaves", "history"] {
        assert!(tables.lines().any(|line| line == table), "{tables}");
    }
    let schema = prints(&book, ".schema links\n");
    assert!(
        schema.starts_with("CREATE TABLE links (") && schema.contains("-- value of the move"),
        "{schema}"
    );
    assert!(prints(&book, ".schema").contains("CREATE TABLE positions"));
    assert_eq!(
        prints(&book, ".schema ancestors"),
        "-- FROM ancestors(descendant, schema):\n(\n    distance INTEGER,\n    value INTEGER,\n    level INTEGER,\n    \
         empties INTEGER,\n    board BLOB\n)\n"
    );
    assert!(prints(&book, ".help").contains(".schema    [TABLE]"));
    assert!(prints(&book, ".functions count").contains("count (0 arguments)"));
    assert_eq!(
        prints(&book, ".param :n 7\n.param\nSELECT :n + 1 AS n;"),
        ":n = 7\nn\n8\n"
    );
    assert!(prints(&book, ".timer on\nSELECT 1;").ends_with(" s\n"));
    assert_eq!(prints(&book, ".quit\nSELECT 1;"), "");
    assert_eq!(prints(&book, ".mode"), "csv\n");
    let file = folder.path().join("more.sql");
    fs::write(&file, "SELECT 5 AS five;\n.mode tsv\n").unwrap();
    assert_eq!(
        prints(&book, &format!(".read {}\n.mode", file.display())),
        "five\n5\ntsv\n"
    );
    let start = "SELECT board FROM positions WHERE empties = 60;";
    assert!(
        prints(&book, &format!(".mode table\n.boards on\n{start}"))
            .contains("| 4 - - . O * - - - 4 |")
    );
    assert!(
        prints(&book, &format!(".mode table\n.boards off\n{start}")).contains("| 00000008100000")
    );
}

#[test]
fn a_script_ends_at_the_first_error() {
    let (folder, book) = games_database();
    let itself = folder.path().join("itself.sql");
    fs::write(&itself, format!(".read {}\n", itself.display())).unwrap();
    for (input, why) in [
        ("SELECT valu FROM positions;", "did you mean value?"),
        (".tabels", "did you mean .tables?"),
        (".schema link", "did you mean line or links?"),
        (".timer perhaps", ".timer takes on|off, not “perhaps”"),
        ("DELETE FROM positions;", "writing needs --write"),
        (
            ".timeout 0.1\nWITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n;",
            "0.1 s",
        ),
        (".read no-such.sql", "no-such.sql"),
        (
            &format!(".read {}", itself.display()),
            "does one read itself?",
        ),
    ] {
        let output = script(
            &book,
            &["--format", "csv"],
            &format!("SELECT 1;\n{input}\nSELECT 2;\n"),
        );
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{input}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "1\n1\n", "{input}");
        assert!(text.contains(why), "{input}: {text}");
        assert_eq!(text.lines().count(), 1, "{text}");
    }
}

#[test]
fn each_input_is_one_change_of_the_books_history() {
    let (_folder, book) = games_database();
    let input = "CREATE TABLE mine (x);\nINSERT INTO mine VALUES (1), (2);\nDELETE FROM mine; SELECT 1 AS one;\n";
    let output = script(&book, &["--write", "--format", "csv"], input);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "2 rows changed\none\n1\n2 rows changed\n"
    );
    let history = "SELECT counts FROM history WHERE command LIKE 'obook query%' ORDER BY id";
    let rows = json(["query", arg(&book), history, "--json"]);
    let expected = [
        r#"{"rows":0,"schema":{"created":["table mine"]}}"#,
        r#"{"rows":2}"#,
        r#"{"rows":2}"#,
    ];
    let expected = expected.map(|counts| value!({ "counts": counts }));
    assert_eq!(rows, value!(expected));
}

/// A shell at a terminal of its own.
#[cfg(unix)]
mod terminal {
    use crate::support::program::games_database;
    use crate::support::terminal::Terminal;
    use expectrl::{Eof, Regex};
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    fn shell(book: &Path, home: &Path) -> Terminal {
        shell_with(book, home, "")
    }

    fn shell_with(book: &Path, home: &Path, pager: &str) -> Terminal {
        let mut command = Command::new(env!("CARGO_BIN_EXE_obook"));
        command
            .arg("shell")
            .arg(book)
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .env("OBOOK_PAGER", pager)
            .env("HOME", home)
            .env("XDG_DATA_HOME", home.join("data"));
        let mut terminal = Terminal::of(command);
        terminal.expect("obook> ");
        terminal
    }

    #[test]
    fn statements_over_several_lines_completion_and_history() {
        let (folder, book) = games_database();
        let mut terminal = shell(&book, folder.path());
        terminal.send("SELECT count(*) AS number\r");
        terminal.expect("  ...> ");
        terminal.send("FROM posi\t;\r");
        terminal.expect("| number |");
        terminal.expect("|   2247 |");
        terminal.expect("1 row in ");
        terminal.expect("obook> ");
        // The previous line again.
        terminal.send("\x1b[A");
        terminal.send("\r");
        terminal.expect("|   2247 |");
        terminal.expect("obook> ");
        // Boards are drawn without being asked.
        terminal.send("SELECT board FROM positions WHERE empties = 60;\r");
        terminal.expect("| 4 - - . O * - - - 4 |");
        terminal.expect("obook> ");
        // The place of the mistake.
        terminal.send("SELECT valu FROM positions;\r");
        terminal.expect("did you mean value?");
        terminal.expect("^^^^");
        terminal.expect("obook> ");
        terminal.send("\x04");
        terminal.expect(Eof);
        let history = fs::read_to_string(folder.path().join("data/obook/history")).unwrap();
        assert!(history.contains("SELECT valu FROM positions;"), "{history}");
        // Another session.
        let mut terminal = shell(&book, folder.path());
        terminal.send("\x1b[A");
        terminal.expect("SELECT valu FROM positions;");
    }

    /// The time limit is for SQL, not for the person who reads: the shell is there when the pager ends.
    #[test]
    fn a_slow_reader_does_not_end_the_shell() {
        let (folder, book) = games_database();
        let mut terminal = shell_with(&book, folder.path(), "sleep 8; cat > /dev/null");
        for setting in [".timeout 5\r", ".mode csv\r"] {
            terminal.send(setting);
            terminal.expect("obook> ");
        }
        terminal.send("SELECT hex(board), hex(board), hex(board) FROM links;\r");
        terminal.expect("2252 rows");
        terminal.expect("obook> ");
        terminal.send("SELECT 6 * 7 AS answer;\r");
        terminal.expect("answer\r\n42");
        // Ctrl-D before the prompt would be lost: the terminal takes it while no line is being read.
        terminal.expect("obook> ");
        terminal.send("\x04");
        terminal.expect(Eof);
    }

    #[test]
    fn ctrl_c_clears_a_line_and_stops_a_statement() {
        let (folder, book) = games_database();
        let mut terminal = shell(&book, folder.path());
        terminal.send("SELECT 'half a sta");
        terminal.expect("half a sta");
        terminal.send("\x03");
        terminal.expect("obook> ");
        terminal.send("SELECT\r");
        terminal.expect("  ...> ");
        terminal.send("\x03");
        terminal.expect("obook> ");
        terminal.send(".mode csv\r");
        terminal.expect("obook> ");
        // Rows appear as soon as it runs.
        terminal
            .send("WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT 'row' || i FROM n;\r");
        terminal.expect(Regex("row[0-9]{3}"));
        terminal.send("\x03");
        terminal.expect("interrupted");
        terminal.expect("obook> ");
        // The shell still completes names of tables.
        terminal.send("SELECT count(*) FROM posi\t;\r");
        terminal.expect("2247");
        terminal.expect("obook> ");
        terminal.send("exit\r");
        terminal.expect(Eof);
    }
}

#[test]
fn errors_have_lines_of_the_script() {
    let (folder, book) = games_database();
    let says = |input: &str| {
        let output = script(&book, &[], input);
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap()
    };
    let wrong = "SELECT 1;\n\n.mode csv\nSELECT\n  nothing;\n";
    let said = says(wrong);
    assert!(said.contains("in line 5, column 3"), "{said}");
    let file = folder.path().join("wrong.sql");
    fs::write(&file, wrong).unwrap();
    let said = says(&format!("SELECT 1;\n.read {}\n", file.display()));
    let expected = format!("in {}, line 5, column 3", file.display());
    assert!(said.contains(&expected), "{said}");
}

#[test]
fn help_is_given_for_one_command_too() {
    let (_folder, book) = games_database();
    for asked in [".help .timer", ".help timer"] {
        let help = prints(&book, asked);
        assert_eq!(help.lines().count(), 1, "{help}");
        assert!(help.starts_with(".timer     on|off"), "{help}");
    }
    let output = script(&book, &[], ".help x");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("no command .x; "), "{said}");
    let output = script(&book, &[], ".quit now");
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains(".quit takes no argument, not “now”"),
        "{said}"
    );
}

#[test]
fn words_of_other_shells_leave() {
    let (_folder, book) = games_database();
    for word in ["exit", "quit;", "EXIT"] {
        assert_eq!(
            prints(&book, &format!("SELECT 1 AS a;\n{word}\nSELECT 2;\n")),
            "a\n1\n"
        );
    }
}

#[test]
fn rows_go_to_a_file_that_is_new() {
    let (folder, book) = games_database();
    let file = folder.path().join("my rows.csv");
    let input = format!(
        ".output '{}'\nSELECT 1 AS a;\nSELECT 2 AS b;\n.output\nSELECT 3 AS c;\n",
        file.display()
    );
    assert_eq!(prints(&book, &input), "c\n3\n");
    assert_eq!(fs::read_to_string(&file).unwrap(), "a\n1\nb\n2\n");
    let output = script(&book, &["--format", "csv"], &input);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("my rows.csv exists already; take another name"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "a\n1\nb\n2\n");
}

#[test]
fn settings_are_shown() {
    let (_folder, book) = games_database();
    let shown = prints(
        &book,
        ".boards off\n.timeout 1.5\n.param n 1\n.mode tsv\n.show\n",
    );
    let expected = format!(
        "    book: {}\n  boards: off\n    mode: tsv\n  output: standard output\n  params: 1\n timeout: 1.5\n   timer: off\n   write: off\n",
        book.display()
    );
    assert_eq!(shown, expected);
}
