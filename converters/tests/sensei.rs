//! Books of Othello Sensei: folders whose files disagree, and every rule by which the author's own book is made.

use crate::support::books::golden;
use obook_converters::sensei::{Folder, Odds, Record};
use obook_converters::{Account, BookReader, Error, ErrorKind, Format};
use obook_needs::needs;
use obook_othello::{Board, CanonicalBoard, Engine, Line, NoLeaf, Position, Proof};
use obook_testing::sensei_book::{byte_of, encode, index, record, small, write};
use proptest::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A folder with the small book.
fn book() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &small());
    folder
}

fn read(folder: &Path) -> Result<(Vec<Position>, Account), Error> {
    let mut book = BookReader::open(folder, None)?;
    assert_eq!(book.format(), Format::Sensei);
    let positions = book.by_ref().collect::<Result<Vec<_>, _>>()?;
    let batches = BookReader::open(folder, None)?.batches().flatten();
    assert_eq!(positions, batches.collect::<Result<Vec<_>, _>>()?);
    Ok((positions, book.account().clone()))
}

fn wrong(folder: &Path) -> Vec<(String, u64)> {
    read(folder).unwrap().1.wrong.into_iter().collect()
}

#[test]
fn numbers_mean_what_sensei_means() {
    let folder = book();
    let (positions, account) = read(folder.path()).unwrap();
    let at = |line: &str| {
        let board = line.parse::<Line>().unwrap().board().canonical();
        let found = positions.iter().find(|position| position.board == board);
        found.unwrap()
    };
    assert_eq!(positions.len(), 5);
    assert_eq!((at("").value, at("").no_leaf), (Some(0), None));
    assert_eq!(at("f5d6").no_leaf, Some(NoLeaf::Undefined));
    assert_eq!(at("f5f6").value, Some(4));
    let bounded = at("f5f4");
    assert_eq!(bounded.proof, Proof::new(2, 64, Engine::Sensei));
    assert_eq!((bounded.value, bounded.level), (Some(5), Some(25)));
    assert_eq!(account.wrong, BTreeMap::new());
    assert_eq!(account.contents["positions"], 5);
    assert_eq!(
        account.contents["positions whose moves were not looked at"],
        3
    );
    assert_eq!(account.contents["positions with proven bounds"], 1);
}

#[test]
fn a_solved_position_is_exact() {
    let folder = tempfile::tempdir().unwrap();
    let solved = Record {
        last_1: -7,
        first_0: -5,
        odds: Vec::new(),
        ..record("f5d6", true, -6, -6, (-5, &[]))
    };
    write(folder.path(), &[solved]);
    let (positions, account) = read(folder.path()).unwrap();
    let [position] = &positions[..] else { panic!() };
    assert_eq!((position.value, position.level), (Some(-6), Some(60)));
    assert_eq!(position.proof, Proof::new(-6, -6, Engine::Sensei));
    assert_eq!(account.contents["solved positions"], 1);
}

/// Law (Book files): Disagreements between Sensei's index and files are named and counted; the rest is imported.
/// Also: `disagreements_are_counted`
#[test]
fn what_is_missing_is_named() {
    let folder = book();
    let values: Vec<PathBuf> = Folder::files(folder.path()).split_off(1);
    let sizes: Vec<usize> = small().iter().map(|record| encode(record).len()).collect();
    for file in values {
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        let kept = fs::read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        let count = sizes
            .iter()
            .filter(|size| name == format!("value_{size}.val"))
            .count();
        let missing = format!("records in a file that is missing: {name}");
        assert_eq!(wrong(folder.path()), [(missing, count as u64)]);
        let (positions, _) = read(folder.path()).unwrap();
        assert_eq!(positions.len(), sizes.len() - count);
        fs::write(&file, kept).unwrap();
    }
    assert_eq!(wrong(folder.path()), []);
}

/// Each way in which index and value files can disagree.
#[test]
fn disagreements_are_counted() {
    let records = [small(), small()].concat();
    let one = &encode(&records[0])[..];
    let size = one.len();
    let byte = byte_of(size);
    let name = format!("value_{size}.val");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let told = |buckets: &[(u32, u8)], file: &[u8]| {
        fs::write(path.join("index.sen"), index(buckets)).unwrap();
        fs::write(path.join(&name), file).unwrap();
        wrong(path)
    };
    let empty = vec![0; size];
    let file = [&empty, one].concat();
    assert_eq!(told(&[(1, byte), (0, 0)], &file), []);
    let say = |what: &str, count| vec![(what.replace("FILE", &name), count)];
    assert_eq!(
        told(&[(0, 0)], &file),
        say("records of FILE that are not in the index", 1)
    );
    assert_eq!(
        told(&[(1, byte), (2, byte)], &file),
        say("records beyond the end of FILE", 1)
    );
    assert_eq!(
        told(&[(1, byte), (1, byte)], &file),
        say("records of FILE listed twice", 1)
    );
    assert_eq!(
        told(&[(1, byte), (0, byte)], &file),
        say("heads of FILE listed as records", 1)
    );
    assert_eq!(
        told(&[(1, byte)], &[&file[..], &[7]].concat()),
        say("bytes at the end of FILE that are no record", 1)
    );
    // The head names record 2, which is the last free one.
    let mut free = [&file[..], &empty].concat();
    free[0] = 2;
    assert_eq!(told(&[(1, byte)], &free), []);
    // Now record 2 names itself.
    free[2 * size] = 2;
    assert_eq!(
        told(&[(1, byte)], &free),
        say("lists of free records in FILE without an end", 1)
    );
    let mut broken = file.clone();
    broken[size + 12] = 255;
    let what = "records of FILE that can't be read: expected squares in base 3";
    assert_eq!(told(&[(1, byte)], &broken), say(what, 1));
    broken[size + 12] = 0;
    broken[size..size + 12].fill(0);
    let what = "records of FILE that can't be read: impossible board";
    assert_eq!(told(&[(1, byte)], &broken), say(what, 1));
    assert!(read(path).unwrap().0.is_empty());
    // The count of the index.
    told(&[(1, byte)], &file);
    let mut counted = index(&[(1, byte)]);
    counted[8] = 3;
    fs::write(path.join("index.sen"), &counted).unwrap();
    let what = "records that the index counts but doesn't list";
    assert_eq!(wrong(path), say(what, 2));
    counted[8] = 0;
    fs::write(path.join("index.sen"), &counted).unwrap();
    let what = "records that the index lists but doesn't count";
    assert_eq!(wrong(path), say(what, 1));
}

#[test]
fn an_index_of_another_length_is_refused() {
    let folder = book();
    let path = folder.path().join("index.sen");
    let index = fs::read(&path).unwrap();
    for len in [0, 15, 16, index.len() - 1] {
        fs::write(&path, &index[..len]).unwrap();
        let error = read(folder.path()).unwrap_err();
        assert!(
            error.to_string().starts_with(&path.display().to_string()),
            "{error}"
        );
        let is_short = matches!(error.kind(), ErrorKind::Truncated { expected: 16, .. });
        let is_wrong = matches!(error.kind(), ErrorKind::Buckets { .. });
        assert!(if len < 16 { is_short } else { is_wrong }, "{error}");
    }
    let mut huge = index;
    huge[..8].fill(0xff);
    fs::write(&path, &huge).unwrap();
    let error = read(folder.path()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Buckets { .. }), "{error}");
}

#[test]
fn a_folder_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    assert!(!Folder::is_at(folder.path()));
    let error = BookReader::new(&b"12"[..], "standard input", Some(Format::Sensei)).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("expected a folder with the file index.sen"),
        "{error}"
    );
}

/// Any record that Sensei could write.
fn any_record() -> impl Strategy<Value = Record> {
    let scores =
        (-32i8..=32, -32i8..=32).prop_map(|(one, other)| (2 * one.min(other), 2 * one.max(other)));
    let goals = scores.prop_flat_map(|(lower, upper)| {
        let count = i16::from(upper) - i16::from(lower);
        (Just((lower, upper)), 0..=count / 2, 0..=count / 2)
    });
    let open = prop::collection::vec((1u8..255, any::<u8>(), any::<u8>(), 0u32..1 << 23), 65);
    let steps = prop::collection::vec(0u8..4, 130);
    let fathers = prop::collection::vec(1u32..1 << 22, 0..90);
    let other = (fathers, any::<u32>(), any::<bool>(), -512i16..=512);
    (goals, open, steps, other).prop_map(
        |(((lower, upper), one, two), open, steps, (fathers, visited, is_leaf, leaf_eval))| {
            let goal = |count: i16, odd: i16| (i16::from(lower) + odd + 2 * count) as i8;
            let (last_1, first_0) = (goal(one.min(two), -1), goal(one.max(two), 1));
            let board = "f5d6".parse::<Line>().unwrap().board();
            let mut record = Record {
                player: board.player(),
                opponent: board.opponent(),
                fathers,
                visited: visited as f32,
                lower,
                upper,
                last_1,
                first_0,
                is_leaf,
                leaf_eval,
                odds: Vec::new(),
            };
            let goals = (lower + 1..upper).step_by(2);
            let (mut proof, mut disproof) = (0, 250);
            for ((goal, open), step) in goals.zip(open).zip(steps) {
                let (probability, one, two, derivative) = open;
                record.odds.push(if goal <= last_1 {
                    proof += step;
                    Odds {
                        goal,
                        probability: 255,
                        proof,
                        disproof: 255,
                        derivative: None,
                    }
                } else if goal >= first_0 {
                    disproof -= step;
                    Odds {
                        goal,
                        probability: 0,
                        proof: 255,
                        disproof,
                        derivative: None,
                    }
                } else {
                    Odds {
                        goal,
                        probability,
                        proof: one,
                        disproof: two,
                        derivative: Some(derivative),
                    }
                });
            }
            record
        },
    )
}

proptest! {
    /// Reading finds again what was written, in a record of the right size and in no other.
    ///
    /// Law (Book files): Sensei's records are reproduced byte for byte; any bytes in a folder are read or refused.
    /// Also: `any_bytes_are_read_or_refused`
    #[test]
    fn records_come_back(record in any_record()) {
        let bytes = encode(&record);
        prop_assert_eq!(Record::parse(&bytes).unwrap(), record.clone());
        let position = record.check().unwrap();
        let value = position.value.unwrap();
        prop_assert!((i16::from(record.lower)..=i16::from(record.upper)).contains(&value));
        let chances: Vec<_> = record.forecast().chances().collect();
        prop_assert!((chances.iter().map(|(_, probability)| probability).sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(Record::parse(&[&bytes[..], &[0]].concat()).is_err() || bytes.len() > 246);
        for len in 0..bytes.len().min(246) {
            prop_assert!(Record::parse(&bytes[..len]).is_err());
        }
    }

    /// Whatever stands in the files, they are read or refused, and nothing comes out that isn't listed.
    #[test]
    fn any_bytes_are_read_or_refused(file in 0usize..4, at in any::<prop::sample::Index>(), bytes in prop::collection::vec(any::<u8>(), 1..12)) {
        let folder = book();
        let files = Folder::files(folder.path());
        let path = &files[file % files.len()];
        let mut contents = fs::read(path).unwrap();
        let at = at.index(contents.len());
        let end = contents.len().min(at + bytes.len());
        contents.splice(at..end, bytes);
        fs::write(path, contents).unwrap();
        if let Ok((positions, _)) = read(folder.path()) {
            prop_assert!(positions.len() <= small().len());
        }
    }
}

fn sample() -> PathBuf {
    golden("../sensei/book/index.sen").with_file_name("")
}

/// The records of the author's book by board.
fn sample_records() -> HashMap<CanonicalBoard, Record> {
    let records = Folder::open(&sample()).unwrap().records();
    let records = records.map(|record| {
        let record = record.unwrap();
        let board = Board::new(record.player, record.opponent).unwrap();
        let canonical = board.canonical();
        assert_eq!(canonical.board(), board, "every board is canonical");
        (canonical, record)
    });
    let mut by_board = HashMap::new();
    for (board, record) in records {
        assert!(
            by_board.insert(board, record).is_none(),
            "no board comes twice"
        );
    }
    by_board
}

/// Index and value files agree, except for the file that is missing.
#[needs(sensei_book)]
/// Law (Book files): Sensei's own book follows its author's rules; another reader reads the same.
/// Also: `real_records_are_in_their_buckets` `real_records_follow_their_rules` `real_fathers_have_their_children`
/// `real_numbers_follow_from_the_children` `real_rows_are_those_of_another_reader`
#[test]
fn the_real_book_is_complete_but_for_a_file() {
    let folder = Folder::open(&sample()).unwrap();
    let Account {
        kind,
        contents,
        wrong,
        ..
    } = folder.account();
    let tallies = |tallies: &[(&str, u64)]| -> BTreeMap<String, u64> {
        let owned = tallies
            .iter()
            .map(|(what, count)| ((*what).to_owned(), *count));
        owned.collect()
    };
    assert_eq!(kind.as_deref(), Some("Othello Sensei book, folder"));
    assert_eq!(
        *contents,
        tallies(&[
            ("positions", 167_807),
            ("positions with all their moves", 14_937),
            ("positions whose moves were not looked at", 78_068),
            ("positions with proven bounds", 133),
            ("solved positions", 6),
        ])
    );
    assert_eq!(
        *wrong,
        tallies(&[("records in a file that is missing: value_65.val", 74_802)])
    );
    assert_eq!(sample_records().len(), 93_005);
}

/// Every record is where the hash of its board says: in its bucket, or behind others without a gap.
#[needs(sensei_book)]
#[test]
fn real_records_are_in_their_buckets() {
    let (mut player, mut opponent) = ([[0u32; 256]; 8], [[0u32; 256]; 8]);
    let mut random = 1_940_869_496u32;
    let mut draw = || {
        random = random.wrapping_mul(2_891_336_453).wrapping_add(7);
        random
    };
    for row in 0..8 {
        for value in 0..256 {
            player[row][value] = draw();
            opponent[row][value] = draw();
        }
    }
    let hash = |record: &Record| {
        let rows = record
            .player
            .to_le_bytes()
            .into_iter()
            .zip(record.opponent.to_le_bytes());
        let rows = rows.zip(player.iter().zip(&opponent));
        let rows = rows.map(|((mine, theirs), (player, opponent))| {
            player[usize::from(mine)] ^ opponent[usize::from(theirs)]
        });
        rows.fold(0, |hash, row| hash ^ row) as usize
    };
    let index = fs::read(sample().join("index.sen")).unwrap();
    let number = |at: usize| u64::from_le_bytes(index[at..at + 8].try_into().unwrap());
    let buckets: Vec<(u32, u8)> = index[16..]
        .chunks(5)
        .map(|bucket| {
            (
                u32::from_le_bytes(bucket[..4].try_into().unwrap()),
                bucket[4],
            )
        })
        .collect();
    assert_eq!(number(0), buckets.len() as u64);
    let used = buckets.iter().filter(|(_, byte)| *byte != 0).count() as u64;
    assert_eq!(number(8), used);
    assert!(5 * used <= 2 * number(0), "at most 40 % are used");
    let power = buckets.len().next_power_of_two();
    let mut distances: BTreeMap<usize, u32> = BTreeMap::new();
    for size in 27..=246 {
        let Ok(file) = fs::read(sample().join(format!("value_{size}.val"))) else {
            assert_eq!(size, 65);
            continue;
        };
        for (place, (record, _)) in buckets
            .iter()
            .enumerate()
            .filter(|(_, (_, byte))| *byte == byte_of(size))
        {
            let bytes = &file[*record as usize * size..][..size];
            let record = Record::parse(bytes).unwrap();
            let hash = hash(&record) % power;
            let home = if hash >= buckets.len() {
                hash - power / 2
            } else {
                hash
            };
            assert!(home <= place && buckets[home..place].iter().all(|(_, byte)| *byte != 0));
            *distances.entry(place - home).or_default() += 1;
        }
    }
    assert_eq!(distances.values().sum::<u32>(), 93_005);
    assert_eq!(distances.keys().last(), Some(&73));
}

/// What each record says on its own.
#[needs(sensei_book)]
#[test]
fn real_records_follow_their_rules() {
    let (mut solved, mut bounded) = (0, 0);
    for (board, record) in sample_records() {
        let goals: Vec<i8> = record.odds.iter().map(|odds| odds.goal).collect();
        let expected: Vec<i8> = (record.lower + 1..record.upper).step_by(2).collect();
        assert_eq!(goals, expected);
        let falls = |pair: &[Odds]| pair[0].probability >= pair[1].probability;
        assert!(
            record.odds.windows(2).all(falls),
            "higher goals are less likely"
        );
        for odds in &record.odds {
            let is_open = (1..255).contains(&odds.probability);
            assert_eq!(odds.derivative.is_some(), is_open);
        }
        let forecast = record.forecast();
        let mean: f64 = forecast
            .chances()
            .map(|(score, chance)| f64::from(score) * chance)
            .sum();
        assert!((mean - forecast.expected).abs() < 1e-6);
        assert!((forecast.score - forecast.expected).abs() < 4.0);
        assert!(
            (i16::from(record.lower) * 8..=i16::from(record.upper) * 8).contains(&record.leaf_eval)
        );
        let is_pass = |father: &u32| *father == 0;
        assert!(!record.fathers.iter().any(is_pass) && record.fathers.len() <= 3);
        assert!(!board.board().is_over() && !board.board().must_pass());
        match record.lower == record.upper {
            true => solved += 1,
            false => bounded += u32::from((record.lower, record.upper) != (-64, 64)),
        }
        assert_eq!(Record::parse(&encode(&record)).unwrap(), record);
    }
    assert_eq!((solved, bounded), (6, 133));
}

/// A father's discs, from the 22 bits that name the move: the square, and how many discs turned on both sides of it in each line.
fn father(board: Board, code: u32) -> Board {
    let square = code & 63;
    let (file, rank) = (square % 8, square / 8);
    let mut turned = 1u64 << square;
    for (shift, place, step) in [
        (6, file, 1),
        (10, 7 - rank, -8),
        (14, file, -7),
        (18, file, 9),
    ] {
        let field = code >> shift & 15;
        let (up, down) = match place {
            0 | 1 => (field, 0),
            2 => (field & 7, field >> 3),
            3 | 4 => (field & 3, field >> 2),
            5 => (field & 1, field >> 1),
            _ => (0, field),
        };
        let discs = (1..=up as i32).chain((1..=down as i32).map(|disc| -disc));
        for disc in discs {
            turned |= 1 << (square as i32 + disc * step);
        }
    }
    let (player, opponent) = (
        board.opponent() & !turned,
        (board.player() | turned) & !(1 << square),
    );
    Board::new(player, opponent).unwrap()
}

/// Every father that was read is no leaf, and has the position among its children.
#[needs(sensei_book)]
#[test]
fn real_fathers_have_their_children() {
    let records = sample_records();
    let (mut read, mut all) = (0, 0);
    for (board, record) in &records {
        for code in &record.fathers {
            all += 1;
            let father = father(board.board(), *code).canonical();
            let Some(found) = records.get(&father) else {
                continue;
            };
            read += 1;
            assert!(!found.is_leaf);
            assert!(
                father
                    .board()
                    .children()
                    .any(|(_, child)| child.canonical() == *board)
            );
        }
    }
    assert_eq!((all, read), (94_375, 91_178));
}

/// The tables of the two scales, and the rules by which a position's numbers follow from those of its children.
struct Rules {
    probability: Vec<f64>,
    both: Vec<Vec<u8>>,
}

impl Rules {
    /// The probabilities are those that records show.
    fn new() -> Rules {
        let known = |byte: u8| {
            let record = record("f5d6", true, -64, 64, (1, &[byte]));
            record.forecast().goals[0].probability
        };
        let mut probability = vec![0.0; 256];
        probability[255] = 1.0;
        for byte in 1..255 {
            probability[usize::from(byte)] = known(byte);
        }
        let f = |x: f64| {
            let x = x.powf(1.7);
            -(((20.0 * (1.0 - x)).exp2() - 1.0) * (-x.ln()).powf(1.5)).powf(1.0 / 1.7)
        };
        let nearest = |sum: f64| {
            // The byte of the largest probability that isn't above, or of the next if that is nearer on the scale.
            let (mut low, mut high) = (0.0, 1.0);
            for _ in 0..60 {
                let middle = f64::midpoint(low, high);
                if f(middle) < sum {
                    low = middle
                } else {
                    high = middle
                }
            }
            byte(f64::midpoint(low, high))
        };
        let both = |one: usize, other: usize| match (one, other) {
            (0, _) | (_, 0) => 0,
            (255, byte) | (byte, 255) => byte as u8,
            _ => nearest(f(probability[one]) + f(probability[other])),
        };
        let both = (0..256).map(|one| (0..256).map(|other| both(one, other)).collect());
        let both = both.collect();
        Rules { probability, both }
    }
}

/// The nearest byte on the scale of probabilities.
fn byte(probability: f64) -> u8 {
    let base = |x: f64| (10.0 - x.ln()).powf(-3.5);
    let place = (base(probability) - base(1.0 - probability)) / base(1.0) / 2.0 + 0.5;
    (place * 255.0).round() as u8
}

/// A number of positions for a byte, and the nearest byte for such a number.
fn positions(byte: u8) -> f64 {
    match byte {
        0 => 0.0,
        255 => f64::INFINITY,
        _ => 1e25f64.powf(f64::from(byte - 1) / 253.01),
    }
}

fn byte_of_positions(positions: f64) -> u8 {
    match positions {
        0.0 => 0,
        f64::INFINITY => 255,
        _ => ((positions.log10() / 25.0 * 253.01).round() + 1.0).clamp(1.0, 254.0) as u8,
    }
}

/// A record's numbers for any goal: chance, proof, disproof.
fn at(record: &Record, goal: i8) -> (u8, u8, u8) {
    match record.odds.iter().find(|odds| odds.goal == goal) {
        Some(odds) => (odds.probability, odds.proof, odds.disproof),
        None if goal < record.lower => (255, 0, 255),
        None => (0, 255, 0),
    }
}

/// Bounds, scores, chances and proof numbers of the positions all of whose children were read follow from these. Where the order of
/// the children matters, which the files don't tell, numbers may differ by as little as the author's own do.
#[needs(sensei_book)]
#[test]
fn real_numbers_follow_from_the_children() {
    let records = sample_records();
    let rules = Rules::new();
    let (mut whole, mut goals, mut chances, mut disproofs) = (0, 0, 0, 0);
    for (board, record) in &records {
        let mut boards: Vec<_> = board
            .board()
            .children()
            .map(|(_, child)| child.canonical())
            .collect();
        boards.sort_unstable();
        boards.dedup();
        let children: Option<Vec<&Record>> =
            boards.iter().map(|child| records.get(child)).collect();
        let Some(children) = children.filter(|_| !record.is_leaf) else {
            continue;
        };
        whole += 1;
        let best = |of: fn(&Record) -> i16| children.iter().map(|child| -of(child)).max().unwrap();
        assert_eq!(best(|child| child.upper.into()), i16::from(record.lower));
        assert_eq!(best(|child| child.lower.into()), i16::from(record.upper));
        let bounds = [record.lower, record.upper].map(|score| i16::from(score) * 8);
        assert_eq!(
            best(|child| child.leaf_eval).clamp(bounds[0], bounds[1]),
            record.leaf_eval
        );
        for odds in &record.odds {
            goals += 1;
            let children: Vec<_> = children.iter().map(|child| at(child, -odds.goal)).collect();
            let missed = children.iter().fold(255, |missed, (chance, ..)| {
                rules.both[usize::from(missed)][usize::from(*chance)]
            });
            let differs = (255 - missed).abs_diff(odds.probability);
            assert!(differs <= 1);
            chances += u32::from(differs == 0);
            let proof = children.iter().map(|(chance, _, disproof)| {
                let (chance, disproof) = (
                    rules.probability[usize::from(*chance)],
                    positions(*disproof),
                );
                match chance > 0.5 && disproof > 0.0 {
                    true => disproof * (0.5 / (1.0 - chance)).powi(3),
                    false => disproof,
                }
            });
            let proof = proof.fold(f64::INFINITY, f64::min);
            assert_eq!(byte_of_positions(proof), odds.proof);
            let disproof = children
                .iter()
                .fold(0, |sum: u8, (_, proof, _)| match (sum, *proof) {
                    (0, byte) | (byte, 0) => byte,
                    (sum, proof) => byte_of_positions(positions(sum) + positions(proof))
                        .max(sum)
                        .max(proof),
                });
            let differs = disproof.abs_diff(odds.disproof);
            assert!(differs <= 3);
            disproofs += u32::from(differs == 0);
        }
    }
    assert_eq!((whole, goals), (2005, 128_032));
    // The author's own reader counts 127 863 and 97 038 in another order of the children.
    assert!(
        chances > 127_700 && disproofs > 95_000,
        "{chances} {disproofs}"
    );
}

/// All rows are those that the author of the description's own reader prints.
#[needs(sensei_reader)]
#[test]
fn real_rows_are_those_of_another_reader() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("rows.tsv");
    let reader = golden("../sensei/read.py");
    let output = Command::new("/usr/bin/python3")
        .args([reader.as_os_str(), sample().as_os_str()])
        .args(["--no-graph", "--records", "0", "--tsv"])
        .arg(&table)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut rows = sample_records();
    for row in fs::read_to_string(&table).unwrap().lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let [
            key,
            empties,
            kind,
            score,
            expected,
            spread,
            lower,
            upper,
            visited,
            chances,
        ] = columns[..]
        else {
            panic!("{row}")
        };
        let both = u128::from_str_radix(key, 16).unwrap();
        let board = CanonicalBoard::from_key(both.to_be_bytes())
            .unwrap()
            .unwrap();
        let record = rows.remove(&board).unwrap();
        let forecast = record.forecast();
        assert_eq!(board.board().empties().to_string(), empties);
        assert_eq!(record.is_leaf, kind == "leaf", "{row}");
        let number = |text: &str| text.parse::<f64>().unwrap();
        assert_eq!(forecast.score, number(score), "{row}");
        let near = |one: f64, text: &str, by: f64| (one - number(text)).abs() <= by;
        assert!(near(forecast.expected, expected, 1e-4), "{row}");
        assert!(near(forecast.spread, spread, 1e-4), "{row}");
        assert!(
            near(forecast.visited, visited, number(visited) * 1e-8),
            "{row}"
        );
        assert_eq!(
            [record.lower, record.upper].map(|score| score.to_string()),
            [lower, upper]
        );
        let odds = record.odds.iter().map(|odds| {
            let Odds {
                goal,
                probability,
                proof,
                disproof,
                ..
            } = odds;
            format!("{goal}:{probability}:{proof}:{disproof}")
        });
        assert_eq!(odds.collect::<Vec<_>>().join(" "), chances);
    }
    assert!(rows.is_empty());
}
