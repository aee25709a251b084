//! Records of games: what is written comes back, the rules are compared with what stands in the record, and no text is a danger.

use crate::positions::{any_board, board, game};
use crate::scores::published;
use obook_needs::needs;
use obook_shogi::games::{
    End, Format, Game, Outcome, Reader, Record, csa, decode, encode, jkf, ki2, kif, records, usi,
};
use obook_shogi::{Board, Colour, Move};
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;

fn read(text: &str) -> Vec<Record> {
    records(text)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .collect()
}

fn one(text: &str) -> Record {
    let mut read = read(text);
    assert_eq!(read.len(), 1, "{text}");
    read.remove(0)
}

/// Read as a stream, a file of many megabytes has the games that it has as a whole, on the same lines, wherever its parts end.
#[test]
fn a_stream_has_the_games_of_the_whole() {
    let archive = fs::read_to_string("../../examples/games.csa").unwrap();
    let kif = |game: &Record| format!("{}\n", kif::write(&game.game));
    let kif: String = read(&archive).iter().map(kif).collect();
    for (unit, between) in [(archive.as_str(), "/\n"), (&kif, "\n")] {
        // Comments of other lengths move the ends of parts through the games.
        let comment = if unit == kif { '*' } else { '\'' };
        let units = (0..4000).map(|number| {
            let length = number % 211;
            format!("{unit}{comment}{}\n{between}", "x".repeat(length))
        });
        let text: String = units.collect();
        assert!(text.len() > 3 << 20, "{}", text.len());
        let whole = read(&text);
        assert!(whole.len() >= 4000, "{}", whole.len());
        let streamed: Result<Vec<Record>, _> = Reader::new(text.as_bytes(), None).collect();
        assert!(streamed.unwrap() == whole);
    }
}

fn faults(record: &Record) -> Vec<String> {
    record.faults.iter().map(ToString::to_string).collect()
}

/// A game with these moves in USI.
fn played(start: Board, moves: &str) -> Game {
    let mut game = Game::new(start);
    for mv in moves.split_whitespace() {
        game.play(mv.parse().unwrap())
            .unwrap_or_else(|| panic!("{mv} in {}", game.board()));
    }
    game
}

fn any_end() -> impl Strategy<Value = Option<End>> {
    prop::sample::select(vec![
        None,
        Some(End::Resigned),
        Some(End::Mate),
        Some(End::TimeOut),
        Some(End::Foul(Colour::Black)),
        Some(End::Foul(Colour::White)),
        Some(End::Declared),
        Some(End::Repetition),
        Some(End::Impasse),
        Some(End::BrokenOff),
    ])
}

fn any_game() -> impl Strategy<Value = Game> {
    let moves = prop::collection::vec(any::<u16>(), 1..120);
    let name = || prop::option::of("[A-Za-z先後手]{1,9}");
    // Days, a month, and words that name no day.
    let date = || {
        prop::sample::select(vec![
            "2018-05-03",
            "1711-03",
            "13:28:35",
            "平成30年",
            "a-b",
            "2018-13-41",
        ])
    };
    (
        any_board(),
        moves,
        any_end(),
        name(),
        name(),
        name(),
        date(),
    )
        .prop_map(|(start, choices, end, black, event, site, date)| {
            let mut record = Game::new(start);
            for mv in game(start, &choices).into_iter().filter_map(|(_, mv)| mv) {
                record.play(mv).unwrap();
            }
            record.date = Some(String::from(date));
            (record.black, record.event, record.site) = (black, event, site);
            match end {
                Some(end) => record.end(end),
                // What a reader finds out by itself.
                None if record.board().is_lost() => record.end(End::Mate),
                None => record.end(End::BrokenOff),
            }
            record
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Law (Shogi): A game survives round trips through CSA, KIF, KI2 and JKF, in UTF-8 and Shift_JIS; ambiguous moves are
    /// refused.
    /// Also: `games_follow_each_other` `words_tell_every_move_from_the_others` `what_shift_jis_lacks_is_named`
    /// `moves_without_origin_are_never_guessed`
    /// `pieces_are_told_apart_by_their_side_and_direction` `a_record_in_each_format_says_the_same`
    /// `games_may_begin_elsewhere` `a_tournament_is_read_without_a_fault` `records_of_other_programs_are_read`
    #[test]
    fn what_is_written_comes_back(game in any_game()) {
        prop_assume!(!game.moves().is_empty());
        for text in [csa::write(&game), kif::write(&game), ki2::write(&game), jkf::write(&game)] {
            prop_assert_eq!(&one(&text).game, &game, "{}", text);
        }
        let of_usi = one(&usi::write(&game)).game;
        prop_assert_eq!((of_usi.start(), of_usi.moves()), (game.start(), game.moves()));
        // The same in the encoding of most KIF files.
        for (text, extension) in [(kif::write(&game), "kif"), (ki2::write(&game), "ki2")] {
            let bytes = encode(&text, extension).unwrap();
            prop_assert!(std::str::from_utf8(&bytes).is_err());
            prop_assert_eq!(&one(&decode(&bytes)).game, &game);
        }
    }

    /// Several games in a file are several games.
    #[test]
    fn games_follow_each_other(games in prop::collection::vec(any_game(), 1..4)) {
        let games: Vec<Game> = games.into_iter().filter(|game| !game.moves().is_empty()).collect();
        prop_assume!(!games.is_empty());
        let with_slashes = games.iter().map(csa::write).collect::<Vec<_>>().join("/\n");
        for text in [with_slashes, games.iter().map(csa::write).collect(), games.iter().map(kif::write).collect(), games.iter().map(ki2::write).collect(), games.iter().map(jkf::write).collect()] {
            let found: Vec<Game> = read(&text).into_iter().map(|record| record.game).collect();
            prop_assert_eq!(&found, &games);
        }
        let moves = |game: &Game| game.moves().to_vec();
        let lines: String = games.iter().map(usi::write).collect();
        let found: Vec<_> = read(&lines).iter().map(|record| moves(&record.game)).collect();
        prop_assert_eq!(found, games.iter().map(moves).collect::<Vec<_>>());
    }

    /// Damage is a fault, and never more than that.
    ///
    /// Law (Shogi): Any input is read as legal games or refused.
    /// Also: `any_text_is_no_danger` `any_bytes_are_no_danger`
    #[test]
    fn damaged_records_are_no_danger(game in any_game(), cuts in prop::collection::vec((any::<u16>(), any::<u8>()), 1..9)) {
        for text in [csa::write(&game), kif::write(&game), usi::write(&game), jkf::write(&game)] {
            let mut bytes = text.into_bytes();
            for &(at, byte) in &cuts {
                let at = usize::from(at) % bytes.len();
                bytes[at] = byte;
            }
            check_safe(&bytes);
        }
    }

    #[test]
    fn any_text_is_no_danger(
        lines in prop::collection::vec(
            prop_oneof![
                prop::sample::select(vec![
                    "V2.2", "PI", "PI82HI", "P1-KY-KE * ", "P+00AL", "P-59OU", "+", "-", "+7776FU", "-3334FU", "+0055KA", "%TORYO",
                    "%SENNICHITE", "%ILLEGAL_MOVE", "/", "N+", "$START_TIME:x", "T", "手合割：平手", "手合割：香落ち", "先手：", "変化：3手",
                    "1 ７六歩(77)", "2 ３四歩(33)", "1 投了", "3 同　歩(88)", "4 ５五角打", "▲７六歩 △３四歩", "▲５八金右左直", "まで1手で",
                    "|v香v桂 ・|一", "先手の持駒：歩九十", "後手番", "手数----", "3 封じ手", "2 不戦敗", "startpos moves 7g7f",
                    "sfen 4k4/9/9/9/9/9/9/9/9 b - 1 moves", "7g7f x", "%X", "{\"moves\":[{},", "{\"move\":{\"piece\":\"FU\",\"to\":{\"x\":7,\"y\":6}},\"forks\":[[", "]]}", "]}",
                    "開始日時：2018/99/03･4日", "先手:",
                ])
                .prop_map(String::from),
                "\\PC{0,20}",
            ],
            0..30,
        ),
    ) {
        check_safe(lines.join("\n").as_bytes());
    }

    #[test]
    fn any_bytes_are_no_danger(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check_safe(&bytes);
        check_safe(&[b"V2.2\n", &bytes[..]].concat());
        check_safe(&[b"startpos\n", &bytes[..]].concat());
        check_safe(&[b"{\"moves\":[", &bytes[..]].concat());
        check_safe(&["手合割：平手\n".as_bytes(), &bytes[..]].concat());
    }

    /// A text is in Shift_JIS only if it comes back.
    #[test]
    fn what_shift_jis_lacks_is_named(text in "[ -~ぁ-ん一-龠àé¥〜～−‾♥]{0,20}") {
        prop_assert_eq!(&encode(&text, "kifu").unwrap()[..], text.as_bytes());
        match encode(&text, "kif") {
            Ok(bytes) => prop_assert_eq!(&encoding_rs::SHIFT_JIS.decode_without_bom_handling(&bytes).0, &text),
            Err(letter) => {
                prop_assert!(text.contains(letter));
                prop_assert!(encode(&letter.to_string(), "ki2").is_err());
            }
        }
    }

    /// Every legal move can be written without its origin.
    #[test]
    fn words_tell_every_move_from_the_others(start in any_board()) {
        for mv in start.legal_moves() {
            let mut game = Game::new(start);
            game.play(mv).unwrap();
            game.end(End::Resigned);
            let text = ki2::write(&game);
            let read = one(&text).game;
            prop_assert_eq!(read.moves(), &[mv], "{}", text);
        }
    }

    /// A move without its origin is the only one that it can mean, or it is refused.
    #[test]
    fn moves_without_origin_are_never_guessed(start in any_board()) {
        let legal = start.legal_moves();
        for &mv in &legal {
            let full = obook_shogi::Kif { board: &start, mv, last: None }.to_string();
            let text = full.split('(').next().unwrap();
            let mut same = legal.iter().filter(|&&other| {
                let other = obook_shogi::Kif { board: &start, mv: other, last: None }.to_string();
                other.split('(').next().unwrap() == text
            });
            let is_only = same.nth(1).is_none();
            let read = meant(start, text);
            let is_drop = matches!(mv, Move::Drop { .. });
            prop_assert_eq!(read, (is_only || is_drop).then_some(mv), "{} in {}", text, start);
        }
    }
}

/// Reads a text: it must not panic, and the moves of its games are legal.
fn check_safe(bytes: &[u8]) {
    let text = decode(bytes);
    let Ok(found) = records(&text) else { return };
    for record in found {
        let mut board = *record.game.start();
        for &mv in record.game.moves() {
            board = board.play(mv).expect("moves of games are legal");
        }
        assert_eq!(board, *record.game.board());
        assert_eq!(record.game.positions().last(), Some(board));
        assert!(record.faults.len() <= 16);
    }
}

/// The move that a text in KI2 means in a position, if it is clear.
fn meant(start: Board, text: &str) -> Option<Move> {
    let mut drawn = kif::write(&Game::new(start));
    drawn.push_str(text);
    one(&drawn).game.moves().first().copied()
}

#[test]
fn pieces_are_told_apart_by_their_side_and_direction() {
    let gold = "4k4/9/3G1G3/9/9/3S1S3/9/2+R3+R2/4K4 b - 1";
    for (sfen, text, expected) in [
        (gold, "▲５二金右", "4c5b"),
        (gold, "▲５二金左", "6c5b"),
        (gold, "▲５五銀左", "6f5e"),
        (gold, "▲５八龍右", "3h5h"),
        (gold, "▲５八龍左", "7h5h"),
        // White's right is the other one.
        ("4k4/9/3g1g3/9/9/9/9/9/4K4 w - 1", "△５四金右", "6c5d"),
        ("4k4/9/9/9/9/9/3GGG3/9/4K4 b - 1", "▲５六金直", "5g5f"),
        ("4k4/9/9/9/9/9/3GGG3/9/4K4 b - 1", "▲５六金右", "4g5f"),
        ("4k4/9/9/9/3G5/4G4/9/9/4K4 b - 1", "▲５五金寄", "6e5e"),
        ("4k4/9/9/9/3G5/4G4/9/9/4K4 b - 1", "▲５五金上", "5f5e"),
        ("4k4/9/9/3S5/9/3S5/9/9/4K4 b - 1", "▲５五銀引", "6d5e"),
        ("4k4/9/9/3S5/9/3S5/9/9/4K4 b S 1", "▲５五銀打", "S*5e"),
        ("4k4/9/9/9/9/9/9/9/4K4 b S 1", "▲５五銀", "S*5e"),
        ("4k4/9/9/3S5/9/9/9/9/4K4 b - 1", "▲５三銀成", "6d5c+"),
        ("4k4/9/9/3S5/9/9/9/9/4K4 b - 1", "▲５三銀不成", "6d5c"),
    ] {
        assert_eq!(
            meant(board(sfen), text),
            expected.parse().ok(),
            "{text} in {sfen}"
        );
        let mut game = Game::new(board(sfen));
        game.play(expected.parse().unwrap()).unwrap();
        let written = ki2::write(&game);
        assert_eq!(written.lines().last(), Some(text), "{expected} in {sfen}");
    }
    let record = one("手合割：平手\n▲５八金\n");
    assert!(
        faults(&record)[0].contains("2 pieces can make this move"),
        "{record:?}"
    );
}

#[test]
fn a_record_in_each_format_says_the_same() {
    let text = "手合割：平手\n先手：Rose\n後手：Iris\n開始日時：2018/05/03 11:00\n";
    let kif = format!(
        "{text}手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:16/00:00:16)\n*a comment\n   2 ３四歩(33)+\n   3 ２二角成(88)   ( 0:16/00:00:16)\n   4 同　銀(31)\n   5 投了\nまで4手で後手の勝ち\n\n変化：3手\n   3 ２六歩(27)\n"
    );
    let ki2 = format!("{text}\n▲７六歩    △３四歩    ▲２二角成  △同　銀\nまで4手で後手の勝ち\n");
    let csa = "'a comment\nV2.2\nN+Rose\nN-Iris\n$START_TIME:2018/05/03 11:00:54\nPI\n+\n+7776FU,T16\n-3334FU\nT0\n+8822UM\n-3122GI\n%TORYO\n";
    let mut expected = played(Board::start(), "7g7f 3c3d 8h2b+ 3a2b");
    (expected.black, expected.white) = (Some("Rose".into()), Some("Iris".into()));
    expected.date = Some("2018-05-03".into());
    expected.end(End::Resigned);
    assert_eq!(expected.outcome, Some(Outcome::Won(Colour::White)));
    for text in [&kif, &ki2, &csa.to_owned(), &csa.replace('\n', "\r\n")] {
        let record = one(text);
        assert_eq!(
            (record.game, record.faults),
            (expected.clone(), vec![]),
            "{text}"
        );
    }
}

/// Black's rook and White's king go round: `checks` with check, `quiet` without.
const CHECKS: (&str, &str) = ("8k/6+R2/9/9/4g4/9/9/9/K8 b - 1", "3b3a 1a1b 3a3b 1b1a");
const QUIET: (&str, &str) = ("8k/6+R2/9/9/4g4/9/9/9/K8 b - 1", "9i8i 5e5d 8i9i 5d5e");

fn repeated((sfen, cycle): (&str, &str), times: usize, end: End) -> Game {
    let moves = [cycle].repeat(times).join(" ");
    let mut game = played(board(sfen), &moves);
    game.end(end);
    game
}

/// Law (Shogi): Repetitions and perpetual checks are found and compared with the result.
/// Also: `perpetual_check_has_no_quiet_move` `an_illegal_move_may_be_in_the_record_or_not`
/// `faults_name_the_line_and_what_was_found`
#[test]
fn repetitions_are_compared_with_the_record() {
    for (game, expected) in [
        (repeated(QUIET, 3, End::Repetition), None),
        (repeated(CHECKS, 3, End::Foul(Colour::Black)), None),
        (repeated(QUIET, 3, End::BrokenOff), None),
        (repeated(QUIET, 2, End::Resigned), None),
        (
            repeated(QUIET, 2, End::Repetition),
            Some(
                "the record ends by repetition, but its last position stands for the third time; expected the fourth",
            ),
        ),
        (
            repeated(CHECKS, 3, End::Repetition),
            Some(
                "after move 12 the position stands for the fourth time, which Black loses by perpetual check, but the record says: draw by repetition",
            ),
        ),
        (
            repeated(CHECKS, 3, End::Foul(Colour::White)),
            Some(
                "after move 12 the position stands for the fourth time, which Black loses by perpetual check, but the record says: foul",
            ),
        ),
        (
            repeated(QUIET, 3, End::Resigned),
            Some(
                "after move 12 the position stands for the fourth time, a draw, but the record says: resigned",
            ),
        ),
    ] {
        for text in [
            csa::write(&game),
            kif::write(&game),
            ki2::write(&game),
            jkf::write(&game),
        ] {
            let record = one(&text);
            assert_eq!(record.game, game);
            let found: Vec<&str> = record.faults.iter().map(|fault| &*fault.reason).collect();
            assert_eq!(found, Vec::from_iter(expected), "{text}");
        }
    }
    // It goes on.
    let mut game = repeated(QUIET, 3, End::Resigned);
    game.play("9i8i".parse().unwrap()).unwrap();
    game.end(End::Resigned);
    let found = faults(&one(&csa::write(&game)));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].ends_with(
            "after move 12 the position stands for the fourth time, a draw, but the game continues"
        ),
        "{found:?}"
    );
}

/// One quiet move in the cycles is enough for a draw.
#[test]
fn perpetual_check_has_no_quiet_move() {
    let (sfen, checks) = CHECKS;
    let moves = [checks, QUIET.1, checks].join(" ");
    let mut game = played(board(sfen), &moves);
    game.end(End::Repetition);
    assert_eq!(faults(&one(&csa::write(&game))), Vec::<String>::new());
}

#[test]
fn faults_name_the_line_and_what_was_found() {
    for (text, moves, expected) in [
        (
            "PI\n+\n+7776FU\n-3335FU\n%TORYO\n",
            1,
            "line 4: move 2: 3c3e isn't legal in lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w -; the moves from here on aren't read",
        ),
        (
            "PI\n+\n-3334FU\n%TORYO\n",
            0,
            "line 3: move 1: -3334FU is a move of White, but it's the other side's turn; the moves from here on aren't read",
        ),
        (
            "PI\n+\n+7776KI\n%TORYO\n",
            0,
            "line 3: move 1: +7776KI moves a Gold, but the piece on 7g is a Pawn; the moves from here on aren't read",
        ),
        (
            "PI\n+\n+5576KI\n%TORYO\n",
            0,
            "line 3: move 1: +5576KI moves a Gold, but 5e is empty; the moves from here on aren't read",
        ),
        (
            "PI\n+\n+77\n%TORYO\n",
            0,
            "line 3: move 1: “+77” is no move; expected one such as +7776FU; the moves from here on aren't read",
        ),
        (
            "PI\n+\n+7776FU\n%TSUMI\n",
            1,
            "line 4: the record says that the side to move is mate, but it has legal moves",
        ),
        (
            "P1-KY\nP+59OU51OU\n+\n%CHUDAN\n",
            0,
            "line 3: the start position: Black has 2 kings; expected one; its moves aren't read",
        ),
        (
            "V2.2\nPI99\n+\n%CHUDAN\n",
            0,
            "line 2: “PI99” is no position; expected PI, P1 to P9 with nine squares, or P+ or P- with pieces",
        ),
        (
            "手合割：平手\n1 ７六歩(67)\n2 投了\n",
            0,
            "line 2: move 1: 6g7f isn't legal in lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -; the moves from here on aren't read",
        ),
        (
            "手合割：平手\n1 ７六歩(77)\n3 ３四歩(33)\n4 中断\n",
            1,
            "line 3: move 2: its number is 3; expected 2; the moves from here on aren't read",
        ),
        (
            "18446744073709551615 ７六歩(77)\n1 ３四歩(33)\n",
            1,
            "line 2: move 2: its number is 1; expected 18446744073709551615; the moves from here on aren't read",
        ),
        (
            "手合割：半分\n1 ６二銀(71)\n2 中断\n",
            0,
            "line 2: move 1: 7a6b isn't legal in lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -",
        ),
        (
            "手合割：平手\n1 ７六歩(77)\nhello\n2 中断\n",
            1,
            "line 3: “hello” is neither a field such as 先手：… nor a move such as 1 ７六歩(77)",
        ),
        (
            "手合割：平手\n1 封じ手\n2 ３四歩(33)\n",
            0,
            "line 3: the move “３四歩(33)” follows the end of the game",
        ),
        (
            "startpos moves 7g7f 7g7f\n",
            1,
            "line 1: move 2: 7g7f isn't legal in ",
        ),
        (
            "startpos moves 7g7f x\n",
            1,
            "line 1: move 2: “x” is no move; expected one such as 7g7f or S*5e",
        ),
        (
            "sfen 4k4 b - moves 7g7f\n",
            0,
            "line 1: the start position: “4k4 b -”: the board has 1 ranks; expected 9; its moves aren't read",
        ),
    ] {
        let record = one(text);
        let found = faults(&record);
        assert!(found[0].starts_with(expected), "{text}: {found:?}");
        assert_eq!(record.game.moves().len(), moves, "{text}");
    }
    let error = records("1. e4 e5").err().map(|error| error.to_string());
    assert!(error.is_some_and(|error| error.contains("no line is one of CSA")));
}

/// The loser is whoever made the move that can't be played, or should have made the one that isn't there.
#[test]
fn an_illegal_move_may_be_in_the_record_or_not() {
    let missing = one("PI\n+\n+7776FU\n%ILLEGAL_MOVE\n");
    assert_eq!(
        (missing.game.outcome, missing.faults),
        (Some(Outcome::Won(Colour::Black)), vec![])
    );
    let written = one("PI\n+\n+7776FU\n-3335FU\n%ILLEGAL_MOVE\n");
    assert_eq!(
        (written.game.outcome, written.faults),
        (Some(Outcome::Won(Colour::Black)), vec![])
    );
    let kif = one("手合割：平手\n1 ７六歩(77)\n2 ３五歩(33)\n3 反則勝ち\n");
    assert_eq!(
        (kif.game.outcome, kif.faults),
        (Some(Outcome::Won(Colour::Black)), vec![])
    );
    let kif = one("手合割：平手\n1 ７六歩(77)\n2 反則負け\n");
    assert_eq!(
        (kif.game.outcome, kif.faults),
        (Some(Outcome::Won(Colour::Black)), vec![])
    );
}

#[test]
fn only_the_first_end_counts() {
    let won = Some(Outcome::Won(Colour::Black));
    for text in [
        "V2.2\nPI\n+\n+7776FU\n%TORYO\n%FOO\n",
        "手合割：平手\n1 ７六歩(77)\n2 投了\n3 不戦敗\n",
    ] {
        let Record { game, .. } = one(text);
        assert_eq!(
            (game.end, game.outcome),
            (Some(End::Resigned), won),
            "{text}"
        );
    }
}

#[test]
fn games_may_begin_elsewhere() {
    let handicap = one("手合割：二枚落ち\n下手：Rose\n上手：Iris\n1 ６二銀(71)\n2 投了\n");
    assert_eq!(handicap.faults, vec![]);
    assert_eq!(handicap.game.start().turn(), Colour::White);
    assert_eq!(handicap.game.outcome, Some(Outcome::Won(Colour::White)));
    let csa = one("PI82HI22KA\n-\n-7162GI\n%TORYO\n");
    assert_eq!(
        (csa.game.start(), csa.game.moves()),
        (handicap.game.start(), handicap.game.moves())
    );
    let all = one("P-51OU\nP+59OU00AL\n+\n+0058KI\n%CHUDAN\n");
    assert_eq!(
        all.game
            .start()
            .hand(Colour::Black)
            .count(obook_shogi::PieceType::Pawn),
        18
    );
    assert_eq!(all.game.moves().len(), 1);
}

const TWO_MOVES: &str =
    "手数----指手---------消費時間--\n   1 ７六歩(77)   ( 0:01/00:00:01)\n   2 ３四歩(33)\n";

/// Law (Shogi): A record is recognised by a line that only its format has; programs' own fields, words and dates are kept.
/// Also: `dates_of_all_kinds_are_read` `ends_are_words` `problems_are_named_and_no_games` `handicaps_are_those_of_other_programs`
/// `a_board_may_have_lost_its_blanks` `lists_in_usi_are_games`
#[test]
fn a_record_may_begin_with_any_field() {
    let fields = [
        "対局ID",
        "記録ID",
        "作者",
        "備考",
        "対局日",
        "消費時間",
        "棋戦",
        "表題",
        "戦型",
        "anything",
    ];
    for first in fields.map(|name| format!("# --- a program ---\n{name}：0\n")) {
        for rest in [
            TWO_MOVES,
            "▲７六歩 △３四歩\n",
            "1 ７六歩(77)\n2 ３四歩(33)\n",
        ] {
            let text = format!("{first}{rest}");
            assert_eq!(Format::of(&text), Some(Format::Kif), "{text}");
            let record = one(&text);
            assert_eq!(
                (record.game.moves().len(), faults(&record)),
                (2, vec![]),
                "{text}"
            );
        }
    }
    let record = one(&format!("戦型：四間飛車\n先手:Rose\n{TWO_MOVES}"));
    assert_eq!(record.game.black.as_deref(), Some("Rose"));
    assert_eq!(record.notes[0].to_string(), "line 1: 戦型：四間飛車");
    // Two games, each with a field that only its program knows.
    let both = format!("対局ID：1\n{TWO_MOVES}3 投了\n").repeat(2);
    let found = read(&both);
    assert_eq!(
        found
            .iter()
            .map(|record| record.game.moves().len())
            .collect::<Vec<_>>(),
        [2, 2]
    );
    for text in [
        "作者：Rose\n",
        "Vote\n",
        "N\n1. f5 d6\n",
        "He moves 7g7f\n",
        "$ cargo\n",
        "sfen 9/9 b - 1\n7g7f\n",
        "▲ up\n",
    ] {
        assert_eq!(Format::of(text), None, "{text}");
    }
    // The reader may be told.
    let mut told = Reader::new("作者：Rose\n".as_bytes(), Some(Format::Kif));
    assert_eq!(told.next().unwrap().unwrap().game.moves().len(), 0);
}

#[test]
fn dates_of_all_kinds_are_read() {
    for (text, date) in [
        ("2018/05/03 11:00:54", "2018-05-03"),
        ("2018/5/3(木)", "2018-05-03"),
        ("2005/11/29･30日", "2005-11-29"),
        ("2020年7月9日", "2020-07-09"),
        ("2020年7月", "2020-07"),
        ("2017-03-22T01:00:00.000Z", "2017-03-22"),
        ("12/30/2018", "2018-12-30"),
        ("1711/03/00", "1711-03"),
        ("2018/05 11:00", "2018-05"),
        // Which is the month?
        ("11/12/2018", "11/12/2018"),
        ("2018/13/41", "2018/13/41"),
        ("13:28:35", "13:28:35"),
        ("平成30年", "平成30年"),
    ] {
        for text in [
            format!("開始日時：{text}\n{TWO_MOVES}"),
            format!("$START_TIME: {text}\nPI\n+\n+7776FU\n"),
        ] {
            let record = one(&text);
            assert_eq!(
                (record.game.date.as_deref(), faults(&record)),
                (Some(date), vec![]),
                "{text}"
            );
        }
    }
}

/// After the moves that could be played, the other side may be to move than in the record.
#[test]
fn the_winner_stays_if_moves_cannot_be_played() {
    for word in ["投了", "切れ負け", "入玉勝ち"] {
        let game = one(&format!("1 ７六歩(77)\n2 ７六歩(77)\n3 {word}\n")).game;
        assert!(matches!(game.outcome, Some(Outcome::Won(_))));
        for format in Format::ALL {
            let again = one(&format.write(&game, false)).game;
            assert_eq!(again.moves(), game.moves(), "{format:?}");
            // The others have no words for a result without an ending.
            let has_winner = matches!(format, Format::Kif | Format::Ki2);
            let expected = game.outcome.filter(|_| has_winner);
            assert_eq!(again.outcome, expected, "{word}, {format:?}");
        }
    }
}

#[test]
fn ends_are_words() {
    let won = |colour| Some(Outcome::Won(colour));
    for (word, end, outcome) in [
        ("封じ手", Some(End::BrokenOff), None),
        ("最大手数", Some(End::BrokenOff), None),
        ("Time-up", Some(End::TimeOut), won(Colour::White)),
        ("不戦勝", None, won(Colour::Black)),
        ("不戦敗", None, won(Colour::White)),
        ("不詰", Some(End::BrokenOff), None),
        ("引き分け", Some(End::Impasse), Some(Outcome::Drawn)),
        ("停電", None, None),
    ] {
        let record = one(&format!("{TWO_MOVES}   3 {word}   ( 0:00/00:00:01)\n"));
        let game = record.game.clone();
        assert_eq!(
            (game.end, game.outcome, faults(&record)),
            (end, outcome, vec![]),
            "{word}"
        );
        // What is known is written, too.
        let again = one(&kif::write(&game)).game;
        assert!(outcome.is_none() || again == game, "{word}");
    }
    let unknown = one("PI\n+\n+7776FU\n%NONSENSE\n");
    assert_eq!((unknown.game.end, faults(&unknown)), (None, vec![]));
    assert_eq!(unknown.notes[0].to_string(), "line 4: %NONSENSE");
    for last in ["まで2手で封じ手", "まで2手で中断", ""] {
        let record = one(&format!("{TWO_MOVES}{last}\n"));
        assert_eq!(
            (record.game.end, faults(&record)),
            (Some(End::BrokenOff), vec![]),
            "{last}"
        );
    }
    // A move that is unreadable is no word.
    let damaged = one("手合割：平手\n1 ７六歩(77\n");
    assert!(faults(&damaged)[0].contains("is no move"), "{damaged:?}");
    let mate = "V2.2\nP1-OU\nP2+KI\nP3+TO\nP+19OU\n-\n%TSUMI\n";
    assert_eq!(one(mate).faults, vec![]);
}

/// Ratings as Floodgate writes them, in comments.
#[test]
fn ratings_in_comments_are_kept() {
    let rates =
        "'black_rate:Rose+0a1b:2345.6\n'white_rate:Ito+77:-12\n'rating:Rose:Ito\n'red_rate:x:1";
    let record = one(&format!(
        "V2.2\nN+Rose\nN-Ito\nPI\n+\n{rates}\n+7776FU\n%TORYO\n"
    ));
    let ratings = (record.game.black_rating, record.game.white_rating);
    assert_eq!(ratings, (Some(2346), Some(-12)));
    assert_eq!((record.faults, record.notes), (vec![], vec![]));
    assert_eq!(one(&csa::write(&record.game)).game, record.game);
    let odd = one("V2.2\nPI\n+\n'black_rate:Rose:inf\n'white_rate:\n+7776FU\n%TORYO\n");
    assert_eq!((odd.game.black_rating, odd.game.white_rating), (None, None));
}

/// A text that is no record says what it looks like.
#[test]
fn the_likely_format_is_named() {
    let said = |text: &str| match obook_shogi::games::records(text) {
        Ok(_) => panic!("a record: {text}"),
        Err(error) => error.to_string(),
    };
    let [json, other] = [" {\"players\": 1}", "hello"].map(said);
    assert!(
        json.contains("it begins as JKF does, but") && !json.contains("CSA"),
        "{json}"
    );
    assert!(other.contains("CSA") && other.contains("KI2"), "{other}");
}

/// Whether a game that reached the limit of its moves is drawn, its tournament says, not its record.
#[test]
fn a_limit_of_moves_is_an_end_without_a_result() {
    let csa = one("V3.0\nPI\n+\n+7776FU\n-3334FU\n%MAX_MOVES\n");
    let kif = one(&format!("{TWO_MOVES}   3 最大手数\n"));
    for record in [csa, kif] {
        let game = &record.game;
        assert_eq!(
            (game.moves().len(), game.end, game.outcome),
            (2, Some(End::BrokenOff), None)
        );
        assert_eq!((record.faults, record.notes), (vec![], vec![]));
    }
}

#[test]
fn problems_are_named_and_no_games() {
    let blanks = " * ".repeat(8);
    let csa = format!("V2.2\nP1{blanks}-OU\nP3{blanks}+FU\nP+00KI\nP-00AL\n+\n+0012KI\n%TSUMI\n");
    let rank = |last: &str| format!("|{}{last}|\n", " ・".repeat(8));
    let board: String = ["v玉", " ・", " 歩"]
        .into_iter()
        .chain([" ・"; 6])
        .map(rank)
        .collect();
    let kif =
        format!("手合割：詰将棋\n{board}先手の持駒：金\n   1 １二金打\n   2 詰み\nまで1手詰\n");
    for text in [csa, kif] {
        let record = one(&text);
        assert_eq!(
            (
                record.is_problem,
                faults(&record),
                record.game.moves().len()
            ),
            (true, vec![], 0),
            "{text}"
        );
    }
    assert!(!one(TWO_MOVES).is_problem);
}

/// Of two that differ in the side of a piece, right and left are those of White, who plays without it.
#[test]
fn handicaps_are_those_of_other_programs() {
    for (name, ranks) in [
        ("香落ち", "lnsgkgsn1/1r5b1"),
        ("右香落ち", "1nsgkgsnl/1r5b1"),
        ("四枚落ち", "1nsgkgsn1/9"),
        ("五枚落ち", "2sgkgsn1/9"),
        ("左五枚落ち", "1nsgkgs2/9"),
        ("六枚落ち", "2sgkgs2/9"),
        ("左七枚落ち", "2sgkg3/9"),
        ("右七枚落ち", "3gkgs2/9"),
        ("八枚落ち", "3gkg3/9"),
    ] {
        let record = one(&format!("手合割：{name}\n盤面回転\n   1 ５二玉(51)\n"));
        let expected = board(&format!(
            "{ranks}/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
        ));
        assert_eq!(
            (*record.game.start(), faults(&record)),
            (expected, vec![]),
            "{name}"
        );
        assert_eq!(record.game.moves().len(), 1);
    }
}

#[test]
fn a_board_may_have_lost_its_blanks() {
    let wide = csa::write(&Game::default()).replace("PI", &{
        let start = Game::new(board(
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSN1 b - 1",
        ));
        csa::write(&start)
            .lines()
            .filter(|line| line.starts_with('P'))
            .collect::<Vec<_>>()
            .join("\n")
    });
    let expected = one(&wide);
    assert_eq!(faults(&expected), Vec::<String>::new());
    let squeezed = |text: &str| wide.replace(" * ", text);
    for text in [
        squeezed(" *"),
        squeezed("* "),
        squeezed("*"),
        squeezed("  *  "),
    ] {
        let record = one(&text);
        assert_eq!(
            (record.game.start(), faults(&record)),
            (expected.game.start(), vec![]),
            "{text}"
        );
    }
}

#[test]
fn lists_in_usi_are_games() {
    let sfen = "sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let text = format!(
        "# openings\nposition startpos moves 7g7f 3c3d\nstartpos\n\nstartpos moves 2g2f\nposition {sfen} moves G*5b\n{sfen} moves G*5h\n7g7f\n"
    );
    let found = read(&text);
    let moves: Vec<usize> = found
        .iter()
        .map(|record| record.game.moves().len())
        .collect();
    assert_eq!(moves, [2, 0, 1, 1, 1, 1]);
    assert_eq!(
        found.iter().map(|record| record.line).collect::<Vec<_>>(),
        [2, 3, 5, 6, 7, 8]
    );
    assert!(
        found.iter().all(|record| record.faults.is_empty()),
        "{found:?}"
    );
    assert_eq!(found[3].game.outcome, Some(Outcome::Won(Colour::Black)));
    assert_eq!(Format::of("7g7f 3c3d\n"), Some(Format::Usi));
}

/// The files of a tournament, which others published.
fn tournament() -> Vec<PathBuf> {
    let folder = published().join("apery_wcsc28/utils/make_wcsc28_book/kifu");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    files.collect()
}

#[needs(shogi_books)]
#[test]
fn a_tournament_is_read_without_a_fault() {
    let (mut games, mut moves, mut repetitions, mut decided) = (0, 0, 0, 0);
    for file in tournament() {
        let bytes = fs::read(&file).unwrap();
        let text = decode(&bytes);
        assert_eq!(Format::of(&text), Some(Format::Csa));
        for record in read(&text) {
            assert_eq!(faults(&record), Vec::<String>::new(), "{}", file.display());
            let game = record.game;
            games += 1;
            moves += game.moves().len();
            // Each of them stands for the fourth time.
            repetitions += usize::from(game.end == Some(End::Repetition));
            decided += usize::from(matches!(game.end, Some(End::Resigned | End::Declared)));
            assert_eq!(one(&kif::write(&game)).game, game);
        }
    }
    assert_eq!((games, moves, repetitions, decided), (262, 30_364, 5, 231));
}

#[needs(shogi_books)]
#[test]
fn records_of_other_programs_are_read() {
    for (name, format, moves) in [
        ("yuuki/book/shogigui.kif", Format::Kif, 9),
        ("shogihome/source/src01.ki2", Format::Kif, 10),
        ("shogihome/source/src02.kifu", Format::Kif, 10),
        ("shogihome/source/src03.csa", Format::Csa, 10),
        ("shogihome/source-with-score/src01.kifu", Format::Kif, 10),
    ] {
        let bytes = fs::read(published().join(name)).unwrap();
        let text = decode(&bytes);
        assert_eq!(Format::of(&text), Some(format), "{name}");
        let record = one(&text);
        assert_eq!(record.game.moves().len(), moves, "{name}");
        // They have no word for the end.
        assert_eq!(
            (record.game.end, faults(&record)),
            (Some(End::BrokenOff), vec![]),
            "{name}"
        );
    }
}

/// Variations are whole lines: each follows the last line that has the moves before it.
#[test]
fn variations_are_lines() {
    let text = "先手：Rose\n手数----指手---------消費時間--\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２六歩(27)\n   4 投了\n\n\
                変化：3手\n   3 ６六歩(67)\n*a remark\n   4 ８四歩(83)\n\n変化：4手\n   4 ３五歩(34)\n   5 同　歩(36)\n   5 ７八飛(28)\n\n\
                変化：2手\n   2 ８四歩(83)\n   3 投了\n\n変化：9手\n   9 ２六歩(27)\n\n変化：手\n変化：0手\n";
    let record = one(text);
    assert_eq!(faults(&record), [""; 0]);
    let moves = |game: &Game| {
        game.moves()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(moves(&record.game), "7g7f 3c3d 2g2f");
    let lines: Vec<String> = record.variations.iter().map(moves).collect();
    assert_eq!(
        lines,
        ["7g7f 3c3d 6g6f 8c8d", "7g7f 3c3d 6g6f 3d3e", "7g7f 8c8d"]
    );
    let names = record
        .variations
        .iter()
        .map(|line| (line.black.as_deref(), line.outcome));
    assert!(names.into_iter().all(|it| it == (Some("Rose"), None)));
}

/// Moves of JKF, `77 76 FU`, each with what stands behind it in the object.
fn jkf_moves(moves: &[(&str, &str)]) -> String {
    let place = |name: &str, at: &str| match at.as_bytes() {
        [b'0', _] | [] => String::new(),
        [x, y, ..] => format!("\"{name}\":{{\"x\":{},\"y\":{}}},", x - b'0', y - b'0'),
        _ => panic!("{at}"),
    };
    let written = moves.iter().map(|(mv, more)| {
        let [from, to, piece] = mv.split(' ').collect::<Vec<_>>()[..] else {
            return format!("{{{more}}}");
        };
        let (from, to) = (place("from", from), place("to", to));
        format!("{{\"move\":{{{from}{to}\"piece\":\"{piece}\"{more}}}")
    });
    written.collect::<Vec<_>>().join(",\n")
}

/// Law (Shogi): JKF is read with its branches, whichever fields a program left out.
#[test]
fn jkf_has_branches() {
    let usi = |game: &Game| usi::write(game).trim_end().to_owned();
    let inner = jkf_moves(&[("22 88 UM", ",\"color\":1}")]);
    let fork = jkf_moves(&[
        ("77 76 FU", "}"),
        ("33 34 FU", "}"),
        (
            "88 22 KA",
            &format!(",\"promote\":true}},\"forks\":[[{inner}]]"),
        ),
    ]);
    let moves = jkf_moves(&[
        ("", "\"comments\":[\"a { remark\"]"),
        (
            "27 26 FU",
            &format!(",\"color\":0}},\"forks\":[[{fork}],[]]"),
        ),
        ("33 34 FU", "},\"time\":{\"now\":{\"m\":0,\"s\":1}}"),
        ("", "\"special\":\"TORYO\""),
    ]);
    let header =
        "\"header\":{\"先手\":\"Rose\",\"開始日時\":\"2018/05/03 11:00\",\"秒読み\":\"30\"}";
    let record = one(&format!("{{\n {header},\n \"moves\":[{moves}]}}\n"));
    assert_eq!(faults(&record), [""; 0]);
    assert_eq!(record.notes[0].to_string(), "line 1: 秒読み：30");
    assert_eq!(usi(&record.game), "startpos moves 2g2f 3c3d");
    assert_eq!(record.game.date.as_deref(), Some("2018-05-03"));
    assert_eq!(record.game.outcome, Some(Outcome::Won(Colour::White)));
    // The fork of the fork has a move that isn't legal there.
    let lines: Vec<String> = record.variations.iter().map(usi).collect();
    assert_eq!(lines, ["startpos moves 7g7f 3c3d 8h2b+"]);
    assert_eq!(record.variations[0].black.as_deref(), Some("Rose"));
    for (initial, moves, expected) in [
        // A handicap, as in KIF.
        (
            "\"initial\":{\"preset\":\"KA\"},",
            vec![("82 32 HI", ",\"color\":1}")],
            "8b3b",
        ),
        // Without origins, as KI2 has them: of two golds the left one moves. 同 stands for the square.
        ("", vec![("00 58 KI", ",\"relative\":\"L\"}")], "6i5h"),
        (
            "",
            vec![
                ("77 76 FU", "}"),
                ("33 34 FU", "}"),
                ("88 22 KA", ",\"promote\":true}"),
                ("31 00 GI", ",\"same\":true}"),
                ("00 45 KA", "}"),
                ("00 55 KA", ",\"relative\":\"H\"}"),
            ],
            "7g7f 3c3d 8h2b+ 3a2b B*4e B*5e",
        ),
    ] {
        let record = one(&format!(
            "{{{initial}\"moves\":[{{}},{}]}}",
            jkf_moves(&moves)
        ));
        assert_eq!(faults(&record), [""; 0]);
        assert!(
            usi(&record.game).ends_with(&format!(" moves {expected}")),
            "{expected}: {}",
            usi(&record.game)
        );
    }
    // One king, as in problems.
    let data = "\"initial\":{\"preset\":\"OTHER\",\"data\":{\"color\":0,\"board\":[[{\"color\":1,\"kind\":\"OU\"}]],\"hands\":[{\"KI\":1},{}]}}";
    assert!(one(&format!("{{{data},\"moves\":[{{}}]}}")).is_problem);
    // Other programs have objects with moves, too.
    let other = "{\n \"players\": [],\n \"position\": {\n  \"moves\": [\n   {\"m\": \"f5\"}]}}";
    assert_eq!(Format::of(other), None);
    for (text, expected) in [
        ("{\"moves\":[{},", "it is no JSON: EOF"),
        (
            "{\"moves\":[{\"move\":{\"piece\":\"FU\"}}]}",
            "move 1: “{\\\"piece\\\":\\\"FU\\\"}” is no move; expected piece, to",
        ),
        (
            "{\"moves\":[{\"move\":{\"color\":1,\"piece\":\"FU\",\"to\":{\"x\":7,\"y\":6}}}]}",
            "move 1: it is a move of White",
        ),
        (
            "{\"moves\":[{\"special\":\"TORYO\"},{\"move\":{}}]}",
            "a move follows the end",
        ),
        (
            "{\"moves\":[]} {\"moves\":[]}",
            "“ {\\\"moves\\\":[]}” follows the record",
        ),
    ] {
        let record = one(text);
        let found = faults(&record);
        assert!(
            found.first().is_some_and(|found| found.contains(expected)),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn what_people_have_is_read() {
    let text = fs::read_to_string("../../docs/games.md").unwrap();
    let rows: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("| Shogi: "))
        .collect();
    assert!(rows.len() >= 8);
    for row in rows {
        let quoted = |cell: &str| {
            cell.split('`')
                .skip(1)
                .step_by(2)
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let cells: Vec<&str> = row.split(" | ").collect();
        let text = quoted(cells[1])[0].replace('⏎', "\n");
        let games = read(&text).into_iter().filter(|record| !record.is_problem);
        let moves = |record: Record| {
            record
                .game
                .moves()
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(" ")
        };
        let moves: Vec<String> = games
            .inspect(|record| assert_eq!(faults(record), [""; 0], "{text}"))
            .map(moves)
            .collect();
        assert_eq!(moves, quoted(cells[2]), "{text}");
    }
}
