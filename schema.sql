-- obook: an Othello opening book in one SQLite database.
--
-- This file is the whole schema, version 10, and its reference. Names are stable: a later version changes them only
-- by a numbered migration. PRAGMA user_version is the version of a file, PRAGMA application_id is 0x6f626f6b ("obok").
--
-- Conventions
--   board   16 bytes: the discs of the side to move, then those of the other side, each a 64-bit set as 8 big-endian
--           bytes; bit 0 is a1, bit 1 is b1, … bit 63 is h8. It is the canonical board, the smallest of the eight mirror
--           images, so each position is stored once. hex(board) shows it.
--   move    0 (a1), 1 (b1), … 63 (h8), 64 = pass, in the orientation of the canonical board. The name of a square is
--           char(97 + move % 8) || (move / 8 + 1)
--   scores  disc differences for the side to move: +2 = ahead by two discs. The winner gets the empty squares.
--   level   a number on its engine's scale; 70 = entered by a person.
--   NULL    not known, because the book's source does not contain it. There are no magic numbers.

-- The book's settings: one row.
CREATE TABLE book (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    schema_version INTEGER NOT NULL,  -- same as PRAGMA user_version
    rules          TEXT    NOT NULL   -- which rules define value, bounds, counts and lines
                   CHECK (rules IN ('edax', 'egaroucid', 'egaroucid-edax')),
    level          INTEGER,           -- level for extending the book
    depth          INTEGER,           -- plies to which the book is extended
    midgame_error  INTEGER,           -- discs allowed for the error of a midgame search
    endcut_error   INTEGER,           -- discs allowed for the error of a selective endgame search
    verbosity      INTEGER,           -- from the header of an Edax book
    format         TEXT,              -- format of the first imported file: edax, egbk3 …
    version        INTEGER,           -- version and release in that file's header
    release        INTEGER,
    written        TEXT,              -- date in that file's header: YYYY-MM-DD hh:mm:ss
    repetition     INTEGER,           -- value of a repetition, in discs, for the side that makes it, as of the last
                                      -- computation of the numbers; NULL = 0
    fixed          INTEGER            -- 1: links and numbers are computed from the leaves, as `obook fix` leaves a book,
                   CHECK (fixed = 1)  -- so `obook merge` only has to look at new positions; NULL: not known
) STRICT;

-- The engines, whose levels appear in the book. obook adds those that it knows when it creates a book and when it opens one for
-- writing, so a new engine needs no new version of the schema. Another engine keeps its name; with another scale or place it is
-- another engine (docs/engines.md).
CREATE TABLE engines (
    engine INTEGER PRIMARY KEY,       -- 1–255: obook's engines, from 1 up; levels of one that this version does not know count as
                                      -- depths in plies. From 2^46 on, people's own: 2^46 + 2^42 × the engine on whose scale its
                                      -- levels are + 2^38 × its place (0: unknown, 1: below edax, 1 + n: above engine n) + a hash
    name   TEXT NOT NULL              -- of its name
) STRICT;

-- The positions of the book. A position whose side to move must pass has a row of its own.
CREATE TABLE positions (
    board   BLOB PRIMARY KEY NOT NULL CHECK (length(board) = 16),
    empties INTEGER NOT NULL,         -- empty squares, 0–60
    value   INTEGER,                  -- score of the best move
    lower   INTEGER,                  -- lower bound of the value,
    upper   INTEGER,                  -- and upper bound, allowing for errors of the searches below
    level   INTEGER,                  -- level of the search behind the value or the leaf
    engine  INTEGER NOT NULL,         -- whose level: see engines
    wins    INTEGER,                  -- solved lines below: wins of the side to move,
    draws   INTEGER,                  -- draws,
    losses  INTEGER,                  -- and losses; counted by paths, at most 4294967295
    lines   INTEGER,                  -- all lines below (rules 'edax': paths to leaves; 'egaroucid': paths to positions)
    unsearched INTEGER                -- of a position without a leaf, if its source says so: 1 = moves lead out of the book
               CHECK (unsearched IN (0, 1)), -- and none was searched, 0 = no move leads out
    proven_lower INTEGER,             -- proven bounds of the value, which no search overrules (docs/proofs.md); NULL: nothing
    proven_upper INTEGER,             -- is proven; -64 or 64: only the other bound is
    prover INTEGER                    -- whose proof it is: see engines; 'obook': it follows from several proofs
) STRICT, WITHOUT ROWID;

-- Moves that lead to positions of the book. `obook link` and `fix` remove passes that the rules do not allow; until then
-- `negamax` follows them to the same discs, seen by the other side (see `obook negamax --help`).
CREATE TABLE links (
    board BLOB    NOT NULL,
    move  INTEGER NOT NULL,
    score INTEGER,                    -- value of the move for the side that makes it: −(value of the child)
    PRIMARY KEY (board, move)
) STRICT, WITHOUT ROWID;

-- The best searched move that leads out of the book. A position without a leaf has no row here; see
-- positions.unsearched.
CREATE TABLE leaves (
    board  BLOB PRIMARY KEY NOT NULL,
    move   INTEGER,                   -- NULL: the game is over, the score is final
    score  INTEGER NOT NULL,
    level  INTEGER,                   -- level of the search behind the score
    engine INTEGER NOT NULL           -- whose level: see engines
) STRICT, WITHOUT ROWID;

-- Positions that need a search, as of the last `obook fix`.
CREATE TABLE todo (
    board  BLOB PRIMARY KEY NOT NULL,
    reason TEXT NOT NULL,             -- 'leaf': moves lead out of the book, but none of them was searched
    move   INTEGER,                   -- the leaf that was there until its move became a link;
    score  INTEGER,                   -- NULL: there was none
    level  INTEGER,                   -- level of the search behind it, if known: the new search must not be weaker
    engine INTEGER                    -- whose level: see engines
) STRICT, WITHOUT ROWID;

-- Egaroucid's accuracy grades, as of the last `obook accuracy --store`; later changes of the book do not update them.
-- AC, AE and AF can't occur: if all within one disc is exact, something within two discs is.
CREATE TABLE accuracy (
    board BLOB PRIMARY KEY NOT NULL CHECK (length(board) = 16),
    grade TEXT NOT NULL CHECK (grade IN ('AA', 'AB', 'AD', 'B', 'C', 'D', 'E', 'F'))
) STRICT, WITHOUT ROWID;

-- The final scores that Othello Sensei thinks possible (docs/formats.md), for the side to move. They come with its books; nothing
-- that obook computes changes them. chances(board) gives the probability of each score.
CREATE TABLE expectations (
    board    BLOB PRIMARY KEY NOT NULL CHECK (length(board) = 16),
    expected REAL NOT NULL,           -- the mean of the final score,
    spread   REAL NOT NULL,           -- and its standard deviation
    score    REAL NOT NULL,           -- the score by minimax of what the searches found, in eighths of a disc
    visited  REAL NOT NULL            -- positions visited to find this
) STRICT, WITHOUT ROWID;

-- The goals that are neither certain nor hopeless.
CREATE TABLE goals (
    board       BLOB    NOT NULL,
    goal        INTEGER NOT NULL,     -- a score to exceed: odd, because final scores are even
    probability REAL    NOT NULL,     -- that the final score exceeds it
    proof       REAL,                 -- positions to visit for a proof that it does, as expected,
    disproof    REAL,                 -- and for a proof that it does not; NULL: no number is enough
    PRIMARY KEY (board, goal)
) STRICT, WITHOUT ROWID;

-- Imported files. Importing the same contents again changes nothing as long as the row is current.
CREATE TABLE sources (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL,      -- the file's name at the time of the import
    format     TEXT    NOT NULL,      -- edax, egbk3 … (docs/formats.md); obook: a database
    sha256     TEXT    NOT NULL UNIQUE, -- of the file's bytes, in hexadecimal
    positions  INTEGER NOT NULL,      -- positions in the file, duplicates counted once
    links      INTEGER NOT NULL,
    leaves     INTEGER NOT NULL,      -- leaves with a move
    duplicates INTEGER NOT NULL,      -- boards that were repeated; the better search was kept
    imported   TEXT    NOT NULL,      -- YYYY-MM-DDThh:mm:ssZ
    current    INTEGER                -- 1: nothing was cut, edited or written by hand since, so `obook merge` skips the same
               CHECK (current = 1)    -- contents; NULL: not known
) STRICT;

-- Commands that changed the book, in order. A change is complete or not there; `search` and `learn` extend theirs as answers
-- come in.
CREATE TABLE history (
    id      INTEGER PRIMARY KEY,      -- 1, 2, …
    command TEXT    NOT NULL,         -- as typed: obook fix book.obook --rules edax
    time    TEXT    NOT NULL,         -- YYYY-MM-DDThh:mm:ssZ
    counts  TEXT    NOT NULL          -- its results, as a JSON object: counts ->> 'positions'
                    CHECK (counts GLOB '{*}'), -- SQLite 3.40 considers json_valid() unsafe here
    undone  TEXT,                     -- when `obook undo` took it back; NULL: in effect
    log     TEXT    NOT NULL          -- the old rows for `obook undo` (or the new ones for `obook redo`): 'kept' in table
                    CHECK (log IN ('kept', 'dropped', 'none')) -- undo, 'dropped' since, or there were 'none', because the
                                      -- command created the file
) STRICT;

-- The rows that changes overwrote, for `obook undo`, and those that `obook undo` overwrote, for `obook redo`. docs/history.md
-- says how much is kept.
CREATE TABLE undo (
    part   INTEGER PRIMARY KEY,       -- in the order of writing
    change INTEGER NOT NULL,          -- see history.id
    whole  TEXT,                      -- the table whose old rows these all are; NULL: rows of any tables, in the order in
                                      -- which they changed
    data   BLOB    NOT NULL           -- compressed with zstd; crates/store/src/history/part.rs describes it
) STRICT;

-- Row counts, so that nobody has to count; every change by obook updates them. Empty if another program has written to the
-- tables since.
CREATE TABLE row_counts (
    name   TEXT    NOT NULL CHECK (name IN ('positions', 'links', 'leaves')), -- leaves with a move
    level  INTEGER,                   -- for 'positions': those with this level
    number INTEGER NOT NULL
) STRICT;

-- Games, beside a book or in a database of their own. Ratings, scores and counts that come from games are never in the tables
-- above.

-- Players, by their names in game records.
CREATE TABLE players (
    player INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE
) STRICT;

-- Tournaments and other places of games.
CREATE TABLE tournaments (
    tournament INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE
) STRICT;

-- The games. Their numbers sort by year: 19970000123 is the 123rd imported game of 1997.
CREATE TABLE games (
    game       INTEGER PRIMARY KEY,   -- 10000000 × year (0: not known) + number within the year
    date       TEXT,                  -- YYYY, YYYY-MM or YYYY-MM-DD, as far as it is known
    tournament INTEGER,               -- see tournaments
    black      INTEGER,               -- Black's and
    white      INTEGER,               -- White's player: see players
    score      INTEGER,               -- Black's discs minus White's at the end, from the record; the winner gets the empty squares
    theoretical INTEGER,              -- the score of best play from the position with
    theoretical_empties INTEGER,      -- this many empty squares
    start      TEXT,                  -- 64 squares and the side to move; NULL: the usual start
    moves      TEXT    NOT NULL,      -- f5d6c3…, passes written pa
    ggf        TEXT                   -- the record as GGF if it has more than that: ratings, clocks, times, comments
) STRICT;

CREATE INDEX games_by_black ON games (black);
CREATE INDEX games_by_white ON games (white);
CREATE INDEX games_by_tournament ON games (tournament);

-- The positions of each game, including the last one.
CREATE TABLE played (
    board BLOB    NOT NULL,
    game  INTEGER NOT NULL,
    move  INTEGER,                    -- the move played (of symmetric moves, the first); NULL: the game ended here
    black INTEGER NOT NULL,           -- 1: Black was to move, 0: White
    score INTEGER,                    -- like games.score, but for the side to move
    PRIMARY KEY (board, game)
) STRICT, WITHOUT ROWID;

-- Counts of table played, for boards of 64 games or more. Empty if another program has written to it since.
CREATE TABLE play_counts (
    board  BLOB    NOT NULL,
    move   INTEGER NOT NULL,
    year   INTEGER NOT NULL,          -- 0: not known
    black  INTEGER NOT NULL,          -- 1: Black was to move, 0: White
    games  INTEGER NOT NULL,
    wins   INTEGER NOT NULL,          -- by the side to move
    draws  INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    won    INTEGER NOT NULL,          -- sum of the scores of games won,
    lost   INTEGER NOT NULL,          -- and of games lost
    PRIMARY KEY (board, move, year, black)
) STRICT, WITHOUT ROWID;

-- Ratings of positions from games alone, for the side to move, as of the last `obook rate store`; later imports do not update them
-- (docs/research/ratings.md).
CREATE TABLE ratings (
    board  BLOB NOT NULL CHECK (length(board) = 16),
    method TEXT NOT NULL CHECK (method IN ('expectation1', 'expectation2', 'probability')),
    value  REAL NOT NULL,             -- 0: lost, 1: won
    PRIMARY KEY (board, method)
) STRICT, WITHOUT ROWID;

-- Growing a book: what `obook learn` searches next, its progress, and its results.

-- Waiting searches, chosen by the rule of a recipe's stage. The transaction that adds an answer to the book deletes its row.
CREATE TABLE tasks (
    board    BLOB PRIMARY KEY NOT NULL CHECK (length(board) = 16),
    kind     TEXT    NOT NULL         -- 'leaf': the leaf of a position of the book, 'position': a board that becomes a position,
             CHECK (kind IN ('leaf', 'position', 'variation')), -- 'variation': the same, and then the board after its best move
    without  INTEGER,                 -- squares to exclude because they lead to positions of the book: bit 0 is a1, … bit 63 is
                                      -- h8; NULL: the board is a position by now, and the variation continues from it
    level    INTEGER NOT NULL,        -- level of the search
    engine   INTEGER,                 -- whose level: see engines; NULL: requested by a person, at this level of any engine: it
                                      -- comes first, and stays until it is searched
    priority REAL    NOT NULL,        -- highest first
    promised INTEGER,                 -- of a variation: the score of the move that leads here, for the side that makes it,
    within   INTEGER,                 -- and the discs by which a move may be worse; NULL: no limit
    leased   TEXT,                    -- end of another machine's lease: YYYY-MM-DDThh:mm:ssZ
    failures INTEGER NOT NULL DEFAULT 0, -- failed attempts; after five the search is set aside
    reason   TEXT                     -- of the last failure
) STRICT, WITHOUT ROWID;

-- The progress of `obook learn`: one row while a recipe is unfinished.
CREATE TABLE learning (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    recipe TEXT    NOT NULL,          -- its stages, as JSON
    stage  INTEGER NOT NULL,          -- the current stage, from 0; equal to the number of stages: done
    turn   INTEGER NOT NULL,          -- how often the stage's rule has chosen,
    idle   INTEGER NOT NULL,          -- and how often since a leaf was last found
    searches INTEGER NOT NULL,        -- answers since the stage began
    change INTEGER NOT NULL           -- the last change of the book that this row belongs to (history.id): after another one
                                      -- the rule chooses again
) STRICT;

-- The course of learning: a row from time to time.
CREATE TABLE learned (
    change    INTEGER NOT NULL,       -- see history.id
    number    INTEGER NOT NULL,       -- 1, 2, … within the change
    stage     INTEGER NOT NULL,       -- of the recipe, from 0
    rule      TEXT    NOT NULL,       -- the stage's rule
    seconds   REAL    NOT NULL,       -- since the change began
    searches  INTEGER NOT NULL,       -- answers since the stage began in this change
    added     INTEGER NOT NULL,       -- positions that these added
    leaves    INTEGER NOT NULL,       -- leaves that these found or replaced
    positions INTEGER NOT NULL,       -- positions of the book at that time
    root      INTEGER,                -- value of the root at that time
    PRIMARY KEY (change, number)
) STRICT, WITHOUT ROWID;

-- Triggers for other programs: changes to the number of rows empty table row_counts, changes to table played empty play_counts.
-- In obook itself they are disabled.
CREATE TRIGGER positions_inserted AFTER INSERT ON positions BEGIN DELETE FROM row_counts; END;
CREATE TRIGGER positions_deleted AFTER DELETE ON positions BEGIN DELETE FROM row_counts; END;
CREATE TRIGGER positions_updated AFTER UPDATE OF level ON positions BEGIN DELETE FROM row_counts; END;
CREATE TRIGGER links_inserted AFTER INSERT ON links BEGIN DELETE FROM row_counts; END;
CREATE TRIGGER links_deleted AFTER DELETE ON links BEGIN DELETE FROM row_counts; END;
CREATE TRIGGER leaves_inserted AFTER INSERT ON leaves BEGIN DELETE FROM row_counts; END;
CREATE TRIGGER leaves_deleted AFTER DELETE ON leaves BEGIN DELETE FROM row_counts; END;
CREATE TRIGGER leaves_updated AFTER UPDATE OF move ON leaves BEGIN DELETE FROM row_counts; END;
CREATE TRIGGER played_inserted AFTER INSERT ON played BEGIN DELETE FROM play_counts; END;
CREATE TRIGGER played_deleted AFTER DELETE ON played BEGIN DELETE FROM play_counts; END;
CREATE TRIGGER played_updated AFTER UPDATE ON played BEGIN DELETE FROM play_counts; END;

-- Views for people, and for programs without obook's functions: plain SQL only. They show a board as its key in hexadecimal
-- digits, because Datasette does not show views that contain bytes; board(key) is the value in the tables. DuckDB runs the views
-- as its own SQL, so they use only what means the same in both: no `/`, char() or count(*).

-- Positions with a drawing, X to move, and the key as text.
CREATE VIEW readable_positions AS
    -- The discs of half a rank, a to d or e to h: a line for each digit of the side to move, with four squares for each digit
    -- of the other side. No square has both.
    WITH four (digits, discs) AS (
        SELECT '123456789ABCDEF',
               '----O----O--OO----O-O-O--OO-OOO----OO--O-O-OOO-O--OOO-OO-OOOOOOO' ||
               'X---?---XO--?O--X-O-?-O-XOO-?OO-X--O?--OXO-O?O-OX-OO?-OOXOOO?OOO' ||
               '-X--OX---?--O?---XO-OXO--?O-O?O--X-OOX-O-?-OO?-O-XOOOXOO-?OOO?OO' ||
               'XX--?X--X?--??--XXO-?XO-X?O-??O-XX-O?X-OX?-O??-OXXOO?XOOX?OO??OO' ||
               '--X-O-X--OX-OOX---?-O-?--O?-OO?---XOO-XO-OXOOOXO--?OO-?O-O?OOO?O' ||
               'X-X-?-X-XOX-?OX-X-?-?-?-XO?-?O?-X-XO?-XOXOXO?OXOX-?O?-?OXO?O?O?O' ||
               '-XX-OXX--?X-O?X--X?-OX?--??-O??--XXOOXXO-?XOO?XO-X?OOX?O-??OO??O' ||
               'XXX-?XX-X?X-??X-XX?-?X?-X??-???-XXXO?XXOX?XO??XOXX?O?X?OX??O???O' ||
               '---XO--X-O-XOO-X--OXO-OX-OOXOOOX---?O--?-O-?OO-?--O?O-O?-OO?OOO?' ||
               'X--X?--XXO-X?O-XX-OX?-OXXOOX?OOXX--??--?XO-??O-?X-O??-O?XOO??OO?' ||
               '-X-XOX-X-?-XO?-X-XOXOXOX-?OXO?OX-X-?OX-?-?-?O?-?-XO?OXO?-?O?O?O?' ||
               'XX-X?X-XX?-X??-XXXOX?XOXX?OX??OXXX-??X-?X?-???-?XXO??XO?X?O???O?' ||
               '--XXO-XX-OXXOOXX--?XO-?X-O?XOO?X--X?O-X?-OX?OOX?--??O-??-O??OO??' ||
               'X-XX?-XXXOXX?OXXX-?X?-?XXO?X?O?XX-X??-X?XOX??OX?X-???-??XO???O??' ||
               '-XXXOXXX-?XXO?XX-X?XOX?X-??XO??X-XX?OXX?-?X?O?X?-X??OX??-???O???' ||
               'XXXX?XXXX?XX??XXXX?X?X?XX??X???XXXX??XX?X?X???X?XX???X??X???????'
    )
    SELECT key,
           -- The bytes of the ranks are in reverse order, and the second digit of a byte has the files a to d.
           substr(discs, 1 + 64 * instr(digits, substr(key, 16, 1)) + 4 * instr(digits, substr(key, 32, 1)), 4) ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 15, 1)) + 4 * instr(digits, substr(key, 31, 1)), 4) || '
' ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 14, 1)) + 4 * instr(digits, substr(key, 30, 1)), 4) ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 13, 1)) + 4 * instr(digits, substr(key, 29, 1)), 4) || '
' ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 12, 1)) + 4 * instr(digits, substr(key, 28, 1)), 4) ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 11, 1)) + 4 * instr(digits, substr(key, 27, 1)), 4) || '
' ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 10, 1)) + 4 * instr(digits, substr(key, 26, 1)), 4) ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 9, 1)) + 4 * instr(digits, substr(key, 25, 1)), 4) || '
' ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 8, 1)) + 4 * instr(digits, substr(key, 24, 1)), 4) ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 7, 1)) + 4 * instr(digits, substr(key, 23, 1)), 4) || '
' ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 6, 1)) + 4 * instr(digits, substr(key, 22, 1)), 4) ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 5, 1)) + 4 * instr(digits, substr(key, 21, 1)), 4) || '
' ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 4, 1)) + 4 * instr(digits, substr(key, 20, 1)), 4) ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 3, 1)) + 4 * instr(digits, substr(key, 19, 1)), 4) || '
' ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 2, 1)) + 4 * instr(digits, substr(key, 18, 1)), 4) ||
           substr(discs, 1 + 64 * instr(digits, substr(key, 1, 1)) + 4 * instr(digits, substr(key, 17, 1)), 4) AS diagram,
           empties, value, lower, upper, level, name AS engine, wins, draws, losses, lines
    FROM (SELECT hex(board) AS key, * FROM positions) AS known
         CROSS JOIN four
         LEFT JOIN engines ON engines.engine = known.engine;

-- Links and leaves, with the move's name in the orientation of the canonical board, and the score in words.
CREATE VIEW readable_moves AS
    SELECT hex(board) AS key,
           CASE WHEN move = 64 THEN 'pa' ELSE substr('abcdefgh', move % 8 + 1, 1) || ((move >> 3) + 1) END AS square,
           kind, score,
           CASE WHEN move IS NULL THEN 'the game is over: ' ELSE '' END ||
           CASE WHEN score > 0 THEN 'wins by ' || score
                WHEN score < 0 THEN 'loses by ' || -score
                WHEN score = 0 THEN 'draws'
           END AS words,
           level, name AS engine, move
    FROM (SELECT board, move, 'link' AS kind, score, NULL AS level, NULL AS engine FROM links
          WHERE board IS NOT NULL -- always true: DuckDB can't count rows of a WITHOUT ROWID table without reading a column
          UNION ALL
          SELECT board, move, 'leaf', score, level, engine FROM leaves
          WHERE board IS NOT NULL) AS known
         LEFT JOIN engines ON engines.engine = known.engine;

-- Positions by empty squares, engine and level.
CREATE VIEW levels AS
    SELECT empties, name AS engine, level, count(board) AS positions
    FROM positions LEFT JOIN engines ON engines.engine = positions.engine
    GROUP BY empties, name, level;

-- Egaroucid's grades in words, for positions graded by `obook accuracy --store`.
CREATE VIEW grades AS
    SELECT hex(board) AS key, grade,
           CASE substr(grade, 1, 1)
               WHEN 'A' THEN 'best play is exact' || CASE substr(grade, 2)
                   WHEN 'A' THEN ', moves within 2 discs too'
                   WHEN 'B' THEN ', moves within 2 discs exact or searched to the end'
                   ELSE ', moves within 2 discs in part'
               END
               WHEN 'B' THEN 'best play is exact or searched to the end'
               WHEN 'C' THEN 'best play is searched to the end'
               WHEN 'D' THEN 'best play is exact in part, else an estimate'
               WHEN 'E' THEN 'best play is searched to the end in part, else an estimate'
               WHEN 'F' THEN 'best play is an estimate'
           END AS words,
           empties, value
    FROM accuracy JOIN positions USING (board);

-- Positions whose leaf needs a search, earliest first.
CREATE VIEW waiting AS
    SELECT hex(todo.board) AS key, empties, value, todo.level AS at_least_level, name AS engine, reason
    FROM todo CROSS JOIN positions -- in this order, because few positions wait
         LEFT JOIN engines ON engines.engine = todo.engine
    WHERE positions.board = todo.board
    ORDER BY empties DESC, todo.board;

-- Games with the names of players and tournaments.
CREATE VIEW readable_games AS
    SELECT game, date, tournaments.name AS tournament, players.name AS black, opponents.name AS white, score,
           ((64 + score) >> 1) || '-' || ((64 - score) >> 1) AS discs, moves
    FROM games LEFT JOIN tournaments ON tournaments.tournament = games.tournament
         LEFT JOIN players ON players.player = games.black
         LEFT JOIN players AS opponents ON opponents.player = games.white;
