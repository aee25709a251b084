//! Questions and answers of shogi on their way between machines, which nobody trusts.

use super::at::counted;
use obook::Context;
use obook_engine::wire::{Failure, MAX_LINE, Name, Reply, Sent as _};
use obook_engine::{DEEPEST, Go, Limits, SearchError, ShogiAnswer, Stop};
use obook_learn::Until;
use obook_learn::search::{Asked as _, Clock, Searching, Threads, Workers};
use obook_learn::shogi::{Options, Question, Recipe, Rule, Stage, USI, learn, open_book};
use obook_shogi::database::SHOGI;
use obook_shogi::database::grow::Search;
use obook_shogi::games::Game;
use obook_shogi::{Board, MATE, Move, Sfen};
use obook_store::Store;
use proptest::prelude::*;
use std::num::{NonZeroU16, NonZeroUsize};

/// A position that a random game reaches; it isn't mate.
fn board() -> impl Strategy<Value = Board> {
    prop::collection::vec(any::<prop::sample::Index>(), 0..120).prop_map(|choices| {
        let mut board = Board::start();
        for choice in choices {
            let children = board.children();
            let (_, child) = children[choice.index(children.len())];
            if child.is_lost() {
                break;
            }
            board = child;
        }
        board.canonical()
    })
}

fn go() -> impl Strategy<Value = Go> {
    prop_oneof![
        (1u32..1000).prop_map(|plies| format!("depth {plies}")),
        (1u64..).prop_map(|nodes| format!("nodes {nodes}")),
        (1u64..).prop_map(|time| format!("movetime {time}")),
    ]
    .prop_filter_map("an engine goes no deeper", |text| text.parse().ok())
}

/// A search of a position, or of one after a move.
fn question() -> impl Strategy<Value = Question> {
    let mv = any::<Option<prop::sample::Index>>();
    (board(), mv, 1u16..=128, go()).prop_map(|(at, mv, moves, go)| {
        let children = at.children();
        let after = mv.map(|mv| children[mv.index(children.len())]);
        let after = after.filter(|(_, child)| !child.is_lost());
        Question {
            search: Search {
                key: at.key(),
                mv: after.map(|(mv, _)| mv),
                board: after.map_or(at, |(_, child)| child.canonical()),
                moves: NonZeroU16::new(moves).unwrap(),
                links: 0,
            },
            go,
        }
    })
}

/// As many legal moves as were asked for, if there are so many.
fn answers(question: &Question) -> Vec<ShogiAnswer> {
    let moves = question.search.board.children().into_iter();
    let answer = |(number, (mv, after)): (usize, (Move, Board))| ShogiAnswer {
        mv,
        ponder: after
            .legal_moves()
            .first()
            .copied()
            .filter(|_| number % 3 > 0),
        score: MATE - 500 * number as i32,
        depth: (number % 4 > 0).then_some(DEEPEST - number as u32),
    };
    let most = question.search.moves.get().into();
    moves.enumerate().map(answer).take(most).collect()
}

fn worker() -> Name {
    Name::like("attic")
}

proptest! {
    #[test]
    fn lines_survive(question in question(), reason in ".{0,300}") {
        let line = question.to_line();
        prop_assert!(line.len() <= MAX_LINE);
        prop_assert_eq!(Question::from_line(line.as_bytes()).unwrap(), question);
        let answers = answers(&question);
        prop_assert!(question.check(&answers).is_ok());
        let reply = Reply { question, answer: Ok(answers.clone()), worker: worker() };
        let line = reply.to_line();
        prop_assert!(line.len() <= MAX_LINE, "{} bytes", line.len());
        let back: Reply<Question> = Reply::from_line(line.as_bytes()).unwrap();
        prop_assert_eq!((back.question, back.answer.unwrap()), (question, answers));
        let failed = Reply { question, answer: Err(Failure::Engine(reason)), worker: worker() };
        let back: Reply<Question> = Reply::from_line(failed.to_line().as_bytes()).unwrap();
        prop_assert!(matches!(back.answer, Err(Failure::Engine(_))));
    }

    /// Two questions have one name only if they are the same.
    #[test]
    fn names_tell_questions_apart(one in question(), other in question()) {
        prop_assert_eq!(one.id() == other.id(), one == other);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        prop_assert!(one.id().chars().all(is_plain));
    }

    /// Whatever comes, nothing panics.
    #[test]
    fn damaged_lines_are_refused_or_read(question in question(), at: prop::sample::Index, byte: u8) {
        let reply = Reply { answer: Ok(answers(&question)), question, worker: worker() };
        let mut line = reply.to_line().into_bytes();
        let at = at.index(line.len());
        line[at] = byte;
        if let Ok(Reply { question, answer: Ok(answer), .. }) = Reply::<Question>::from_line(&line) {
            let _ = question.check(&answer);
        }
        let _ = Question::from_line(&line);
    }
}

/// Law (Several machines): An answer of shogi must have legal, distinct moves, no more than asked for, legal replies, and no
/// score beyond a mate.
#[test]
fn impossible_answers_do_not_count() {
    let start = Board::start();
    let question = Question {
        search: Search {
            key: start.key(),
            mv: None,
            board: start,
            moves: NonZeroU16::new(2).unwrap(),
            links: 0,
        },
        go: "nodes 100".parse().unwrap(),
    };
    let answer = |mv: &str, ponder: Option<&str>, score| ShogiAnswer {
        mv: mv.parse().unwrap(),
        ponder: ponder.map(|ponder| ponder.parse().unwrap()),
        score,
        depth: None,
    };
    let good = answer("7g7f", Some("3c3d"), 20);
    let other = answer("2g2f", None, -MATE);
    assert!(question.check(&vec![good, other]).is_ok());
    let bad = [
        vec![],
        vec![good, good],
        vec![good, other, answer("6i7h", None, 0)],
        vec![answer("7g7e", None, 0)],
        vec![answer("P*5e", None, 0)],
        vec![answer("7g7f", Some("7g7f"), 0)],
        vec![answer("7g7f", None, MATE + 1)],
        vec![answer("7g7f", None, i32::MIN + 1)],
    ];
    let deep = ShogiAnswer {
        depth: Some(DEEPEST + 1),
        ..good
    };
    for answers in bad.into_iter().chain([vec![deep]]) {
        assert!(question.check(&answers).is_err(), "{answers:?}");
    }
}

/// Law (Several machines): A question of shogi must name a position with a legal move, after a legal move if it has one.
#[test]
fn impossible_questions_are_refused() {
    let line = |fields: &str| format!(r#"{{"question":1,{fields}}}"#);
    let start = Board::start();
    let fields = |sfen: &str, rest: &str| line(&format!(r#""sfen":"{sfen}",{rest}"#));
    let good = fields(
        &start.to_string(),
        r#""move":"7g7f","moves":4,"go":"nodes 100""#,
    );
    let read = |line: &str| Question::from_line(line.as_bytes());
    let question = read(&good).unwrap();
    // Seen by the other side, with its own pawn moved.
    let after: Sfen = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -"
        .parse()
        .unwrap();
    assert_eq!(question.search.board, after.board);
    assert_eq!(question.search.key, start.key());
    let mate = "9/9/9/9/9/9/4p4/4g4/4K4 b -";
    for bad in [
        fields("nothing", r#""moves":4,"go":"nodes 100""#),
        fields(mate, r#""moves":4,"go":"nodes 100""#),
        good.replace("7g7f", "7g7e"),
        good.replace("7g7f", "nonsense"),
        good.replace("nodes 100", "infinite"),
        good.replace("nodes 100", "nodes 100\\nquit"),
        good.replace(r#""moves":4"#, r#""moves":0"#),
        good.replace(r#""moves":4"#, r#""moves":129"#),
        good.replace(r#""question":1"#, r#""question":2"#),
        String::from("{}"),
    ] {
        assert!(read(&bad).is_err(), "{bad}");
    }
}

/// Answers at once.
struct Quick;

impl Searching<Question> for Quick {
    fn name(&self) -> &str {
        "quick"
    }

    fn engine(&self) -> &'static str {
        USI
    }

    fn answer(&mut self, asked: &Question, _: &Limits) -> Result<Vec<ShogiAnswer>, SearchError> {
        let equal = |answer: ShogiAnswer| ShogiAnswer { score: 0, ..answer };
        Ok(answers(asked).into_iter().map(equal).collect())
    }
}

/// If other commands change the database in between, a run is several changes. Each counts what it did.
#[test]
fn each_change_of_a_split_run_counts_its_own() {
    const COMMAND: &str = "obook shogi learn";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new.obook");
    let mut store = open_book(&path, &Context::new(COMMAND)).unwrap();
    let stage = Stage {
        rule: Rule::BestFirst { error: 100 },
        go: Some("depth 1".parse().unwrap()),
        moves: None,
        depth: None,
        until: Until::default(),
    };
    let recipe = Recipe {
        from: None,
        stages: vec![stage],
    };
    let options = Options {
        go: None,
        moves: NonZeroU16::new(4).unwrap(),
        time: None,
        limit: Some(12),
        batch: Some(NonZeroUsize::MIN),
        games: None,
        stop: Stop::default(),
        clock: Clock::default(),
    };
    let mut hire = || -> obook_learn::Result<Box<dyn Workers<Question>>> {
        let workers = Threads::<Question>::start(NonZeroUsize::MIN, || Ok(Quick), &options.stop);
        Ok(Box::new(workers?))
    };
    let mut told = 0;
    let mut tell = |_: &obook_learn::shogi::Standing| {
        told += 1;
        if [3, 7].contains(&told) {
            let context = Context::new("obook query");
            let mut store = Store::open_for_writing(&SHOGI, &path, &context).unwrap();
            let change = store.change().unwrap();
            let sql = format!("CREATE TABLE marks{told} (mark)");
            change.connection().execute_batch(&sql).unwrap();
            change.commit(&()).unwrap();
        }
    };
    let root = Game::default();
    let grown = learn(&mut store, &recipe, &root, &options, &mut hire, &mut tell).unwrap();
    drop(store);
    let counts = |name| {
        let counts = counted(&path, COMMAND, name).into_iter();
        counts.map(|(_, count)| count).collect::<Vec<_>>()
    };
    let searches = counts("searches");
    assert_eq!(searches.len(), 3, "{searches:?}");
    assert!(searches.iter().all(|count| *count > 0), "{searches:?}");
    let totals = grown.standing.totals;
    let made = [totals.searches, totals.added, totals.moves];
    let sums = ["searches", "added", "moves"].map(|name| counts(name).iter().sum::<i64>());
    assert_eq!(sums, made.map(u64::cast_signed));
    assert_eq!(totals.searches, 12);
}
