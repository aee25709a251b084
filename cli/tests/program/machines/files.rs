//! Machines without a network.

use super::{RECIPE, contents, fails};
use crate::support::program::{arg, complaint, json, obook, stdout};
use obook_base::compression::{Compression, compress};
use obook_engine::wire::{Question, Reply, Sent as _};
use obook_testing::golden::golden;
use rusqlite::Connection;
use serde_json::Value;

/// Law (Several machines): Files of tasks and answers make the same book; answers count once, and leased tasks stay with their
/// holder.
/// Also: `leased_tasks_are_left_to_their_holder` `a_file_of_answers_is_read_to_its_last_whole_line`
#[test]
fn files_of_tasks_make_the_same_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (book, recipe) = (path("book.obook"), path("recipe.toml"));
    std::fs::write(&recipe, RECIPE).unwrap();
    let expected = path("threads.obook");
    stdout(["learn", arg(&expected), "--recipe", arg(&recipe)]);
    let (tasks, answers) = (path("tasks"), path("answers"));
    // Answers come after those of earlier rounds, of which some are about the same boards.
    let (mut answered, mut earlier) = (String::new(), 0);
    let mut rounds = 0;
    loop {
        let said = obook([
            "tasks",
            arg(&book),
            "--take",
            "120",
            "--recipe",
            arg(&recipe),
        ]);
        assert_eq!(said.status.code(), Some(0), "{said:?}");
        let lines = String::from_utf8(said.stdout).unwrap();
        if lines.is_empty() {
            break;
        }
        rounds += 1;
        let count = lines.lines().count() as u64;
        assert!(count <= 120);
        std::fs::write(&tasks, lines).unwrap();
        let status = json(["learn", arg(&book), "--status", "--json"]);
        assert_eq!(status["leased"], count);
        answered += &stdout(["work", arg(&tasks), "--name", "far-away"]);
        std::fs::write(&answers, &answered).unwrap();
        let merge = ["merge", arg(&book), arg(&answers), "--json"];
        let dry = &json(merge.into_iter().chain(["--dry-run"]))["answers"][0];
        assert_eq!(
            (&dry["searches"], &dry["change"]),
            (&count.into(), &Value::Null)
        );
        let merged = &json(merge)["answers"][0];
        assert_eq!(
            (&merged["searches"], &merged["unasked"]),
            (&count.into(), &earlier.into())
        );
        assert!(merged["change"].is_number());
        earlier += count;
        // The second time, they are no longer needed.
        let again = &json(merge)["answers"][0];
        assert_eq!(
            (&again["searches"], &again["unasked"]),
            (&0.into(), &earlier.into())
        );
    }
    assert!(rounds > 2, "{rounds}");
    assert_eq!(contents(&book), contents(&expected));
}

#[test]
fn answers_and_books_are_merged_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (book, tasks, answers) = (path("book.obook"), path("tasks"), path("answers"));
    std::fs::write(&tasks, stdout(["tasks", arg(&book)])).unwrap();
    std::fs::write(&answers, stdout(["work", arg(&tasks)])).unwrap();
    let (games, missing) = (golden("games.dat"), path("missing.dat"));
    let merge = ["merge", arg(&book), arg(&games), arg(&answers), "--json"];
    let dry = json(merge.into_iter().chain(["--dry-run"]));
    let merged = json(merge);
    for (report, change) in [(&dry, 0), (&merged, 1)] {
        assert_eq!(report["answers"].as_array().unwrap().len(), 1, "{report}");
        assert_eq!(report["answers"][0]["searches"], 1, "{report}");
        assert_eq!(report["sources"].as_array().unwrap().len(), 1, "{report}");
        let changed = report["answers"][0]["change"].is_number();
        assert_eq!(u8::from(changed), change, "{report}");
    }
    // What was taken in before a failure is said.
    let failed = obook(["merge", arg(&book), arg(&answers), arg(&missing), "--json"]);
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    let report: Value = serde_json::from_slice(&failed.stdout).unwrap();
    assert_eq!(report["answers"][0]["unasked"], 1, "{report}");
    assert_eq!(report["sources"], Value::Null);
    let complaint = String::from_utf8(failed.stderr).unwrap();
    assert!(complaint.contains("missing.dat"), "{complaint}");
}

/// After an undo, no move may lead to what was asked for.
#[test]
fn answers_make_no_positions_apart_from_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (book, recipe) = (path("book.obook"), path("recipe.toml"));
    let (tasks, answers) = (path("tasks"), path("answers"));
    std::fs::write(&recipe, RECIPE).unwrap();
    obook([
        "learn",
        arg(&book),
        "--recipe",
        arg(&recipe),
        "--limit",
        "20",
    ]);
    let given = stdout(["tasks", arg(&book), "--take", "5"]);
    let count = given.lines().count();
    assert!(count > 0);
    std::fs::write(&tasks, given).unwrap();
    std::fs::write(&answers, stdout(["work", arg(&tasks)])).unwrap();
    stdout(["undo", arg(&book)]);
    let merged = json(["merge", arg(&book), arg(&answers), "--json"]);
    let merged = &merged["answers"][0];
    assert_eq!(
        (&merged["unasked"], &merged["added"]),
        (&count.into(), &0.into())
    );
}

#[test]
fn leased_tasks_are_left_to_their_holder() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (book, recipe, tasks) = (path("book.obook"), path("recipe.toml"), path("tasks"));
    std::fs::write(&recipe, RECIPE).unwrap();
    std::fs::write(
        &tasks,
        stdout(["tasks", arg(&book), "--recipe", arg(&recipe), "--for", "1d"]),
    )
    .unwrap();
    let learn = ["learn", arg(&book), "--recipe", arg(&recipe), "--json"];
    let stopped = |lines: String| {
        let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
        last["stopped"].clone()
    };
    assert_eq!(stopped(stdout(learn)), "handed_out");
    // The lease has run out.
    let connection = Connection::open(&book).unwrap();
    connection
        .execute("UPDATE tasks SET leased = '2000-01-01T00:00:00Z'", [])
        .unwrap();
    drop(connection);
    assert_eq!(
        json(["learn", arg(&book), "--status", "--json"])["leased"],
        0
    );
    assert_eq!(stopped(stdout(learn)), Value::Null);
}

#[test]
fn a_failure_counts_once_each_time_its_search_is_handed_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let [book, tasks, answers] = ["book.obook", "tasks", "answers"].map(path);
    let merge = ["merge", arg(&book), arg(&answers), "--json"];
    for _ in 0..2 {
        let asked = stdout(["tasks", arg(&book)]);
        std::fs::write(&tasks, &asked).unwrap();
        let question = Question::from_line(asked.trim_end().as_bytes()).unwrap();
        let reply: Reply = Reply {
            answer: fails(&question),
            question,
            worker: "far-away".parse().unwrap(),
        };
        std::fs::write(&answers, reply.to_line() + "\n").unwrap();
        for failed in [1_u64, 0, 0] {
            let dry = json(merge.into_iter().chain(["--dry-run"]));
            for merged in [dry, json(merge)] {
                let taken = &merged["answers"][0];
                assert_eq!(
                    (&taken["failed"], &taken["unasked"]),
                    (&failed.into(), &(1 - failed).into())
                );
            }
        }
    }
    // It doesn't stand in the way of an answer.
    let failure = std::fs::read_to_string(&answers).unwrap();
    std::fs::write(&answers, failure + &stdout(["work", arg(&tasks)])).unwrap();
    let taken = &json(merge)["answers"][0];
    assert_eq!([&taken["searches"], &taken["unasked"]], [1, 1], "{taken}");
}

/// Answers and tasks count whether or not their file is compressed or has blank lines.
#[test]
fn files_may_be_compressed_and_have_blank_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (book, tasks, answers) = (path("book.obook"), path("tasks"), path("answers"));
    let forms = |text: &str| {
        let compressed = compress(text.as_bytes(), Compression::default()).unwrap();
        let blank = format!(" \n\r\n{text}\n").into_bytes();
        [text.as_bytes().to_vec(), blank, compressed]
    };
    let asked = stdout(["tasks", arg(&book)]);
    for form in forms(&asked) {
        std::fs::write(&tasks, form).unwrap();
        let answered = stdout(["work", arg(&tasks)]);
        for form in forms(&answered) {
            std::fs::write(&answers, form).unwrap();
            let merged = json(["merge", arg(&book), arg(&answers), "--dry-run", "--json"]);
            assert_eq!(merged["answers"][0]["searches"], 1, "{merged}");
        }
        let complaint = complaint(["merge", arg(&book), arg(&tasks)], &tasks);
        assert!(
            complaint.contains("searches, not their answers"),
            "{complaint}"
        );
    }
}

#[test]
fn a_file_of_answers_is_read_to_its_last_whole_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (book, tasks, answers) = (path("book.obook"), path("tasks"), path("answers"));
    std::fs::write(&tasks, stdout(["tasks", arg(&book)])).unwrap();
    let whole = stdout(["work", arg(&tasks)]);
    let half = &whole[..whole.len() / 2];
    std::fs::write(&answers, format!("{whole}{half}")).unwrap();
    let merged = json(["merge", arg(&book), arg(&answers), "--dry-run", "--json"]);
    assert_eq!(merged["answers"][0]["searches"], 1);
    std::fs::write(&answers, format!("{whole}{half}\n")).unwrap();
    let complaint = complaint(["merge", arg(&book), arg(&answers)], &answers);
    assert!(
        complaint.contains(&format!("byte {}: no answer", whole.len())),
        "{complaint}"
    );
    // Another engine's levels mean something else.
    let other = std::fs::read_to_string(&tasks)
        .unwrap()
        .replace("\"obook\"", "\"edax\"");
    std::fs::write(&tasks, other).unwrap();
    let output = obook(["work", arg(&tasks)]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("byte 0: asks for a level of edax"), "{said}");
}
