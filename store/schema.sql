-- obook: an Othello opening book in one SQLite database.
--
-- This file is the whole schema, version 5, and its reference. Names are stable: a later version changes them only
-- by a numbered migration, and PRAGMA user_version tells which version a file has. PRAGMA application_id is
-- 0x6f626f6b ("obok").
--
-- Conventions
--   board   16 bytes: the discs of the side to move, then those of the other side, each a 64-bit set as 8 big-endian
--           bytes; bit 0 is a1, bit 1 is b1, … bit 63 is h8. It is the canonical board: the smallest of the eight
--           mirror images, so each position is stored once. hex(board) shows it.
--   move    0 (a1), 1 (b1), … 63 (h8), 64 = pass, in the orientation of the canonical board. The name of a square:
--           char(97 + move % 8) || (move / 8 + 1)
--   scores  disc differences for the side to move: +2 = ahead by two discs. The winner gets the empty squares.
--   level   a number on its engine's scale; 70 = entered by a person.
--   NULL    the book that this came from does not say. There are no magic numbers.

-- What the book says about itself: one row.
CREATE TABLE book (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    schema_version INTEGER NOT NULL,  -- as PRAGMA user_version
    rules          TEXT    NOT NULL   -- whose rules value, bounds, counts and lines follow
                   CHECK (rules IN ('edax', 'egaroucid', 'egaroucid-edax')),
    level          INTEGER,           -- level at which the engine extends the book
    depth          INTEGER,           -- plies to which the engine extends the book
    midgame_error  INTEGER,           -- discs allowed for the error of a midgame search
    endcut_error   INTEGER,           -- discs allowed for the error of a selective endgame search
    verbosity      INTEGER,           -- as in the header of an Edax book
    format         TEXT,              -- format of the first file taken in: edax, egbk3 …
    version        INTEGER,           -- version and release in that file's header
    release        INTEGER,
    written        TEXT,              -- date in that file's header: YYYY-MM-DD hh:mm:ss
    repetition     INTEGER,           -- what coming back to a position was worth to the side that does, in discs, when
                                      -- the numbers were last computed; NULL = 0
    fixed          INTEGER            -- 1: links and numbers follow from the leaves by these rules, as `obook fix` leaves
                   CHECK (fixed = 1)  -- a book, so that `obook merge` need only look at what comes in; NULL: not known
) STRICT;

-- The engines whose levels appear in the book.
CREATE TABLE engines (
    engine INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE
) STRICT;

INSERT INTO engines (engine, name) VALUES (1, 'edax'), (2, 'egaroucid'), (3, 'obook');

-- Every position of the book. A position in which the side to move must pass is a row of its own.
CREATE TABLE positions (
    board   BLOB PRIMARY KEY NOT NULL CHECK (length(board) = 16),
    empties INTEGER NOT NULL,         -- empty squares, 0–60
    value   INTEGER,                  -- score of the best move
    lower   INTEGER,                  -- the value is at least …
    upper   INTEGER,                  -- … and at most this, given the errors of the searches below
    level   INTEGER,                  -- level of the search behind the value or the leaf
    engine  INTEGER NOT NULL,         -- whose level: see engines
    wins    INTEGER,                  -- solved lines below that the side to move wins,
    draws   INTEGER,                  -- draws
    losses  INTEGER,                  -- and loses; counted by paths, at most 4294967295
    lines   INTEGER,                  -- all lines below (rules 'edax': leaves by paths; 'egaroucid': positions by paths)
    unsearched INTEGER                -- of a position without a leaf, as the book that it came from says it: 1 = moves lead
               CHECK (unsearched IN (0, 1)) -- out of the book and none was searched, 0 = no move leads out
) STRICT, WITHOUT ROWID;

-- Moves that lead to positions of the book. A pass that the rules do not allow is dropped by `obook link` and `fix`;
-- until then `negamax` takes it to lead to the same discs seen by the other side (docs/cycles.md).
CREATE TABLE links (
    board BLOB    NOT NULL,
    move  INTEGER NOT NULL,
    score INTEGER,                    -- value of the move for the side that makes it: −(value of the child)
    PRIMARY KEY (board, move)
) STRICT, WITHOUT ROWID;

-- The best searched move that leads to no position of the book. A position without a leaf has no row here; see
-- positions.unsearched.
CREATE TABLE leaves (
    board  BLOB PRIMARY KEY NOT NULL,
    move   INTEGER,                   -- NULL: the game is over, the score is final
    score  INTEGER NOT NULL,
    level  INTEGER,                   -- level of the search behind the score
    engine INTEGER NOT NULL           -- whose level: see engines
) STRICT, WITHOUT ROWID;

-- Positions that lack what only a search can find, as `obook fix` last saw them.
CREATE TABLE todo (
    board  BLOB PRIMARY KEY NOT NULL,
    reason TEXT NOT NULL,             -- 'leaf': moves lead out of the book, but none of them was searched
    level  INTEGER,                   -- level of the leaf that was there until its move became a link: a weaker search
    engine INTEGER                    -- is no answer; whose level: see engines
) STRICT, WITHOUT ROWID;

-- Egaroucid's accuracy grades, as `obook accuracy --store` last computed them; a later change of the book does not
-- renew them. AC, AE and AF can't occur: whoever is exact within one disc has an exact end within two.
CREATE TABLE accuracy (
    board BLOB PRIMARY KEY NOT NULL CHECK (length(board) = 16),
    grade TEXT NOT NULL CHECK (grade IN ('AA', 'AB', 'AD', 'B', 'C', 'D', 'E', 'F'))
) STRICT, WITHOUT ROWID;

-- Every file that was ever taken in. Taking in the same contents again changes nothing as long as the row is current.
CREATE TABLE sources (
    id         INTEGER PRIMARY KEY,
    name       TEXT    NOT NULL,      -- the file's name when it was taken in
    format     TEXT    NOT NULL,      -- edax, edax-text, egbk, egbk2, egbk3, obook
    sha256     TEXT    NOT NULL UNIQUE, -- of the file's bytes, in hexadecimal
    positions  INTEGER NOT NULL,      -- positions in the file, duplicates counted once
    links      INTEGER NOT NULL,
    leaves     INTEGER NOT NULL,      -- leaves with a move
    duplicates INTEGER NOT NULL,      -- boards that came again; the higher level was kept
    imported   TEXT    NOT NULL,      -- when: YYYY-MM-DDThh:mm:ssZ
    current    INTEGER                -- 1: since then nothing was cut, edited or written by hand, so `obook merge` passes
               CHECK (current = 1)    -- the same contents over; NULL: not known
) STRICT;

-- Every command that changed the book, in order. What one command did is one transaction: all of it or nothing.
CREATE TABLE history (
    id      INTEGER PRIMARY KEY,      -- 1, 2, … in the order of the changes
    command TEXT    NOT NULL,         -- as a person types it: obook fix book.obook --rules edax
    time    TEXT    NOT NULL,         -- when it was done: YYYY-MM-DDThh:mm:ssZ
    counts  TEXT    NOT NULL          -- what it did, as a JSON object: counts ->> 'positions'
                    CHECK (counts GLOB '{*}'), -- SQLite 3.40 takes json_valid() for unsafe here
    undone  TEXT,                     -- when `obook undo` took it back; NULL: it holds
    log     TEXT    NOT NULL          -- what `obook undo` needs, or `obook redo` of a change that was undone: 'kept' in
                    CHECK (log IN ('kept', 'dropped', 'none')) -- table undo, 'dropped' since, or 'none' ever: the command
                                      -- made the file
) STRICT;

-- What stood in the rows that a change overwrote, for `obook undo`, or in those that `obook undo` overwrote, for `obook
-- redo`. docs/history.md says how much is kept.
CREATE TABLE undo (
    part   INTEGER PRIMARY KEY,       -- in the order in which they were written
    change INTEGER NOT NULL,          -- whose: see history.id
    whole  TEXT,                      -- the table all of whose old rows these are; NULL: one row after another as they
                                      -- changed, in any tables
    data   BLOB    NOT NULL           -- compressed with zstd; src/store/undo/part.rs describes it
) STRICT;

-- How many rows there are, for those who do not want to count: every change by obook keeps it right. Empty where another
-- program has written to the tables since.
CREATE TABLE row_counts (
    name   TEXT    NOT NULL CHECK (name IN ('positions', 'links', 'leaves')), -- leaves with a move
    level  INTEGER,                   -- of positions: how many have this level
    number INTEGER NOT NULL
) STRICT;

-- Games that were played, beside a book or in a database of their own. Ratings, scores and counts that come from games never
-- stand in the tables above.

-- Players, by the names that records of games give them.
CREATE TABLE players (
    player INTEGER PRIMARY KEY,
    name   TEXT NOT NULL UNIQUE
) STRICT;

-- Tournaments and other places where games were played.
CREATE TABLE tournaments (
    tournament INTEGER PRIMARY KEY,
    name       TEXT NOT NULL UNIQUE
) STRICT;

-- A row a game. Numbers of games sort by year: 19970000123 is the 123rd game of 1997, as they came in.
CREATE TABLE games (
    game       INTEGER PRIMARY KEY,   -- 10000000 × year (0: not known) + number in the year
    date       TEXT,                  -- YYYY, YYYY-MM or YYYY-MM-DD, as far as it is known
    tournament INTEGER,               -- see tournaments
    black      INTEGER,               -- who played Black and
    white      INTEGER,               -- White: see players
    score      INTEGER,               -- Black's discs minus White's at the end, as the record says; the winner gets the empty squares
    theoretical INTEGER,              -- the same with best play from the position with
    theoretical_empties INTEGER,      -- this many empty squares on
    start      TEXT,                  -- 64 squares and the side to move; NULL: the usual start
    moves      TEXT    NOT NULL,      -- f5d6c3…, passes written pa
    ggf        TEXT                   -- the record as GGF where it says more than that: ratings, clocks, times, comments
) STRICT;

CREATE INDEX games_by_black ON games (black);
CREATE INDEX games_by_white ON games (white);
CREATE INDEX games_by_tournament ON games (tournament);

-- Every position that a game went through, the last one included.
CREATE TABLE played (
    board BLOB    NOT NULL,
    game  INTEGER NOT NULL,
    move  INTEGER,                    -- what was played; of moves that symmetry makes the same the first; NULL: the game ended
    black INTEGER NOT NULL,           -- 1: Black was to move, 0: White
    score INTEGER,                    -- as games.score, for the side to move
    PRIMARY KEY (board, game)
) STRICT, WITHOUT ROWID;

-- Table played counted, for the boards of 64 games or more. Empty where another program has written to it since.
CREATE TABLE play_counts (
    board  BLOB    NOT NULL,
    move   INTEGER NOT NULL,
    year   INTEGER NOT NULL,          -- 0: not known
    black  INTEGER NOT NULL,          -- 1: Black was to move, 0: White
    games  INTEGER NOT NULL,
    wins   INTEGER NOT NULL,          -- of the side to move
    draws  INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    won    INTEGER NOT NULL,          -- sum of the scores of the games won,
    lost   INTEGER NOT NULL,          -- and of those lost
    PRIMARY KEY (board, move, year, black)
) STRICT, WITHOUT ROWID;

-- What games alone say of positions, for the side to move, as `obook rate store` last computed it; games that come in later do not
-- renew it. docs/ratings.md says what it is worth.
CREATE TABLE ratings (
    board  BLOB NOT NULL CHECK (length(board) = 16),
    method TEXT NOT NULL CHECK (method IN ('expectation1', 'expectation2', 'probability')),
    value  REAL NOT NULL,             -- 0: lost, 1: won
    PRIMARY KEY (board, method)
) STRICT, WITHOUT ROWID;

-- Growing a book: what `obook learn` searches next, how far it is, and what came of it.

-- Searches that wait, chosen by the rule of a stage of the recipe. A row goes away in the transaction that takes its answer in.
CREATE TABLE tasks (
    board    BLOB PRIMARY KEY NOT NULL CHECK (length(board) = 16),
    kind     TEXT    NOT NULL         -- 'leaf': the leaf of a position of the book, 'position': a board that becomes a position,
             CHECK (kind IN ('leaf', 'position', 'variation')), -- 'variation': the same, and what its best move leads to
    without  INTEGER,                 -- squares that lead to positions of the book and are left out: bit 0 is a1, … bit 63 is h8;
                                      -- NULL: the board is a position by now, and the variation goes on from it
    level    INTEGER NOT NULL,        -- level of the search
    engine   INTEGER,                 -- whose level: see engines; NULL: a person asked for it, at this level of any engine: it
                                      -- comes before the others, and stays until it is searched
    priority REAL    NOT NULL,        -- the higher, the sooner
    promised INTEGER,                 -- of a variation: what the move that leads here is worth to who makes it,
    within   INTEGER,                 -- and by how many discs a move may fall short of that; NULL: by any
    leased   TEXT,                    -- until when another machine has it: YYYY-MM-DDThh:mm:ssZ
    failures INTEGER NOT NULL DEFAULT 0, -- how often there was no answer; after five it is put aside
    reason   TEXT                     -- why there was none
) STRICT, WITHOUT ROWID;

-- How far `obook learn` is: one row, as long as a recipe is at work.
CREATE TABLE learning (
    id     INTEGER PRIMARY KEY CHECK (id = 1),
    recipe TEXT    NOT NULL,          -- its stages, as JSON
    stage  INTEGER NOT NULL,          -- the stage, 0 for the first; as many as there are: done
    turn   INTEGER NOT NULL,          -- how often its rule has chosen,
    idle   INTEGER NOT NULL,          -- and how often since a leaf was found;
    searches INTEGER NOT NULL,        -- answers since the stage began;
    change INTEGER NOT NULL           -- the book's last change, see history.id, that this is about: after another one the
                                      -- rule chooses anew
) STRICT;

-- What was learned, and in how long. A row now and then.
CREATE TABLE learned (
    change    INTEGER NOT NULL,       -- see history.id
    number    INTEGER NOT NULL,       -- 1, 2, … of the change
    stage     INTEGER NOT NULL,       -- of the recipe, 0 for the first
    rule      TEXT    NOT NULL,       -- the rule of the stage
    seconds   REAL    NOT NULL,       -- since learning began with the change,
    searches  INTEGER NOT NULL,       -- answers since the stage began with it,
    added     INTEGER NOT NULL,       -- positions that they added,
    leaves    INTEGER NOT NULL,       -- leaves that they found or replaced
    positions INTEGER NOT NULL,       -- positions of the book then
    root      INTEGER,                -- what the root was worth then
    PRIMARY KEY (change, number)
) STRICT, WITHOUT ROWID;

-- Triggers for other programs: who changes how many rows there are empties table row_counts, who changes what was played
-- empties play_counts. In obook itself they sleep.
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

-- Views for people, and for programs that know nothing of obook: plain SQL, no functions of its own. A board stands in them as
-- its key in hexadecimal digits, since Datasette shows no view with bytes in it; board(key) is what stands in the tables.
-- DuckDB takes the views for its own SQL, so they keep to words that mean the same in both: no `/`, char() or count(*).

-- Every position with its board drawn, X to move, and its key as a text.
CREATE VIEW readable_positions AS
    -- The discs of half a rank, a to d or e to h: a line for each digit of the side to move, in it four squares for each digit
    -- of the other side. No square holds both.
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
           -- The byte of a rank counts from the end, and its second digit has the files a to d.
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

-- Every move that the book knows, by its name in the orientation of the canonical board, and its score in words.
CREATE VIEW readable_moves AS
    SELECT hex(board) AS key,
           CASE WHEN move = 64 THEN 'pass' ELSE substr('abcdefgh', move % 8 + 1, 1) || ((move >> 3) + 1) END AS square,
           kind, score,
           CASE WHEN move IS NULL THEN 'the game is over: ' ELSE '' END ||
           CASE WHEN score > 0 THEN 'wins by ' || score
                WHEN score < 0 THEN 'loses by ' || -score
                WHEN score = 0 THEN 'draws'
           END AS words,
           level, name AS engine, move
    FROM (SELECT board, move, 'link' AS kind, score, NULL AS level, NULL AS engine FROM links
          WHERE board IS NOT NULL -- never: DuckDB can't count rows of a table WITHOUT ROWID of which it needs no column
          UNION ALL
          SELECT board, move, 'leaf', score, level, engine FROM leaves
          WHERE board IS NOT NULL) AS known
         LEFT JOIN engines ON engines.engine = known.engine;

-- How many positions were searched at which level, by the number of empty squares.
CREATE VIEW levels AS
    SELECT empties, name AS engine, level, count(board) AS positions
    FROM positions LEFT JOIN engines ON engines.engine = positions.engine
    GROUP BY empties, name, level;

-- Egaroucid's grades in words, for as many positions as `obook accuracy --store` graded.
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

-- Positions that wait for a search of their leaf, the earliest first.
CREATE VIEW waiting AS
    SELECT hex(todo.board) AS key, empties, value, todo.level AS at_least_level, name AS engine, reason
    FROM todo CROSS JOIN positions -- in this order: few positions wait
         LEFT JOIN engines ON engines.engine = todo.engine
    WHERE positions.board = todo.board
    ORDER BY empties DESC, todo.board;

-- Games with names.
CREATE VIEW readable_games AS
    SELECT game, date, tournaments.name AS tournament, players.name AS black, opponents.name AS white, score,
           ((64 + score) >> 1) || '-' || ((64 - score) >> 1) AS discs, moves
    FROM games LEFT JOIN tournaments ON tournaments.tournament = games.tournament
         LEFT JOIN players ON players.player = games.black
         LEFT JOIN players AS opponents ON opponents.player = games.white;
