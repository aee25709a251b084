-- obook: a shogi opening book in one SQLite database.
--
-- This file is the whole schema, version 10, and its reference. Names are stable: a later version changes them only
-- by a numbered migration. PRAGMA user_version is the version of a file, PRAGMA application_id is 0x6f626f73 ("obos"), which tells
-- it from a book of Othello ("obok"). docs/shogi.md explains how to use it.
--
-- Conventions
--   board   32 bytes: the position as YaneuraOu packs it in .ybb files (PackedSfen), turned so that Black is to move. So a position
--           and the one that is turned by 180° with all colours changed are one row. sfen(board) shows it.
--   move    16 bits as in .ybb files: bits 0–6 are the square it goes to, 7–13 the square it comes from or the kind that is
--           dropped, bit 14 is a drop, bit 15 a promotion; squares are numbered 1a = 0, 1b = 1, … 9i = 80. Moves are seen as in
--           board: by Black, who is to move. usi(move) is its name.
--   scores  centipawns for the side to move. 32000 is a mate, and what perpetual check costs.
--   NULL    not known. There are no magic numbers but one: depth 9999 is a line that never ends.

-- The book: one row.
CREATE TABLE book (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    game           TEXT    NOT NULL CHECK (game = 'shogi'),
    schema_version INTEGER NOT NULL,  -- same as PRAGMA user_version
    fixed          INTEGER            -- 1: links and values follow from the leaves, as `obook fix` leaves a book;
                   CHECK (fixed = 1), -- NULL: leaves have changed since, or it was never fixed
    draw_black     INTEGER NOT NULL DEFAULT 0 -- the worth of a draw to Black in Black's moves,
                   CHECK (draw_black BETWEEN -32000 AND 32000),
    draw_white     INTEGER NOT NULL DEFAULT 0 -- and to White in White's (see table record_scores)
                   CHECK (draw_white BETWEEN -32000 AND 32000),
    max_moves      INTEGER            -- the number of moves after which a game is a draw; NULL: no limit
                   CHECK (max_moves BETWEEN 1 AND 65535)
) STRICT;

-- The positions of the book.
CREATE TABLE positions (
    board     BLOB PRIMARY KEY NOT NULL CHECK (length(board) = 32),
    colours   INTEGER NOT NULL        -- who is to move in the book's files: 1 Black, 2 White (they have the turned position),
              CHECK (colours IN (1, 2, 3)), -- 3: files have both
    black_ply INTEGER                 -- number of the next move in files where Black is to move, the smallest if there are several,
              CHECK (black_ply IS NULL OR colours & 1),
    white_ply INTEGER                 -- and where White is to move
              CHECK (white_ply IS NULL OR colours & 2),
    value     INTEGER,                -- own score, which depends on no path. A draw is worth 0
    depth     INTEGER,                -- length of the best line, in moves
    best      INTEGER                 -- best move; of several, one that gets somewhere. NULL: mate, or value isn't known
) STRICT, WITHOUT ROWID;

-- Moves that lead to positions of the book, whether or not files list them. `obook fix` finds them.
CREATE TABLE links (
    board BLOB    NOT NULL,
    move  INTEGER NOT NULL,
    score INTEGER NOT NULL,           -- −(value of the child)
    depth INTEGER NOT NULL,           -- length of the best line that begins with the move
    PRIMARY KEY (board, move)
) STRICT, WITHOUT ROWID;

-- The moves of a position for a side, the best first, if they aren't those by own scores, because for this side draws aren't worth 0, or
-- games end after book.max_moves. Exports have these. Only for sides for which files have the position.
CREATE TABLE record_scores (
    board  BLOB    NOT NULL,
    colour INTEGER NOT NULL           -- who is to move: 1 Black, 2 White
           CHECK (colour IN (1, 2)),
    place  INTEGER NOT NULL,          -- order, from 0
    move   INTEGER NOT NULL,          -- a link, or a leaf
    score  INTEGER NOT NULL,
    depth  INTEGER NOT NULL,          -- length of the best line that begins with the move; 0: it ends there
    PRIMARY KEY (board, colour, place)
) STRICT, WITHOUT ROWID;

-- Moves as files list them. If a move is a link too, only the link counts, and this is what was known about the move before. If files
-- list it with either side to move, the deeper score counts, and of equally deep ones White's.
CREATE TABLE leaves (
    board  BLOB    NOT NULL,
    colour INTEGER NOT NULL           -- who is to move in the file: 1 Black, 2 White
           CHECK (colour IN (1, 2)),
    move   INTEGER NOT NULL,
    place  INTEGER NOT NULL,          -- order in the file's record, from 0
    score  INTEGER,
    depth  INTEGER,                   -- of the search behind the score
    count  INTEGER,                   -- how often it was played
    ponder INTEGER,                   -- the expected answer, seen as in the position before the move
    PRIMARY KEY (board, colour, move)
) STRICT, WITHOUT ROWID;

-- Comments in files.
CREATE TABLE comments (
    board  BLOB    NOT NULL,
    colour INTEGER NOT NULL           -- who is to move in the file: 1 Black, 2 White
           CHECK (colour IN (1, 2)),
    place  INTEGER NOT NULL,          -- order in the file's record, from 0
    above  INTEGER CHECK (above = 1), -- 1: above the position; NULL: below it, or below a move
    move   INTEGER,                   -- the move below which it stands, seen as in board; NULL: beside the position
    text   TEXT    NOT NULL,          -- a line with its mark, # or //
    PRIMARY KEY (board, colour, place)
) STRICT, WITHOUT ROWID;

-- Imported files and databases.
CREATE TABLE sources (
    id        INTEGER PRIMARY KEY,
    name      TEXT    NOT NULL,       -- the file's name at the time of the import
    format    TEXT    NOT NULL,       -- db, ybb, apery, gikou, sbk, obook
    sha256    TEXT,                   -- of the file's unpacked bytes, in hexadecimal; NULL: a database
    positions INTEGER NOT NULL,       -- positions in the file, duplicates counted once
    moves     INTEGER NOT NULL,       -- their moves
    imported  TEXT    NOT NULL        -- YYYY-MM-DDThh:mm:ssZ
) STRICT;

-- Games, beside a book or in a database of their own. Counts and ratings that come from games are never in the tables above.

-- The games.
CREATE TABLE games (
    game   INTEGER PRIMARY KEY,       -- 1, 2, … in the order of import
    date   TEXT,                      -- YYYY-MM-DD
    event  TEXT,                      -- tournament or match
    site   TEXT,                      -- place
    black  TEXT,                      -- Black's and
    white  TEXT,                      -- White's player
    black_rating INTEGER,             -- their ratings before the game, on any scale
    white_rating INTEGER,
    result INTEGER                    -- 1: Black won, 0: draw, −1: White won, as the record says; NULL: not known
           CHECK (result IN (-1, 0, 1)),
    ending TEXT                       -- why the game ended: resigned, mate, time out, foul, declared, repetition, impasse,
           CHECK (ending IN ('resigned', 'mate', 'time out', 'foul', 'declared', 'repetition', 'impasse', 'broken off')),
    start  TEXT,                      -- SFEN; NULL: the usual start
    moves  TEXT    NOT NULL,          -- in USI, separated by blanks
    faults TEXT                       -- what is wrong with the record, a line each; NULL: nothing
) STRICT;

-- The positions of each game, including the last one.
CREATE TABLE played (
    board  BLOB    NOT NULL CHECK (length(board) = 32),
    game   INTEGER NOT NULL,
    ply    INTEGER NOT NULL,          -- moves before it. A position that comes back has a row for each time
    move   INTEGER,                   -- the move played; NULL: the game ended here
    black  INTEGER NOT NULL,          -- 1: Black was to move, 0: White
    result INTEGER,                   -- like games.result, but for the side to move
    PRIMARY KEY (board, game, ply)
) STRICT, WITHOUT ROWID;

-- Ratings of positions from games alone, for the side to move, as of the last `obook rate store`; later imports do not update them
-- (docs/research/ratings.md).
CREATE TABLE ratings (
    board  BLOB    NOT NULL CHECK (length(board) = 32),
    ply    INTEGER NOT NULL,          -- moves before it: a rating is by the games that had the position then
    method TEXT    NOT NULL CHECK (method IN ('expectation1', 'expectation2', 'probability')),
    value  REAL    NOT NULL,          -- 0: lost, 1: won
    PRIMARY KEY (board, ply, method)
) STRICT, WITHOUT ROWID;

-- Commands that changed the book, in order. A change is complete or not there.
CREATE TABLE history (
    id      INTEGER PRIMARY KEY,      -- 1, 2, …
    command TEXT    NOT NULL,         -- as typed: obook fix book.obook
    time    TEXT    NOT NULL,         -- YYYY-MM-DDThh:mm:ssZ
    counts  TEXT    NOT NULL          -- its results, as a JSON object: counts ->> 'positions'
                    CHECK (counts GLOB '{*}'),
    undone  TEXT,                     -- when `obook undo` took it back; NULL: in effect
    log     TEXT    NOT NULL          -- the old rows for `obook undo` (or the new ones for `obook redo`): 'kept' in table
                    CHECK (log IN ('kept', 'dropped', 'none')) -- undo, 'dropped' since, or there were 'none', because the
                                      -- command created the file
) STRICT;

-- The rows that changes overwrote, for `obook undo`, and those that `obook undo` overwrote, for `obook redo`.
CREATE TABLE undo (
    part   INTEGER PRIMARY KEY,       -- in the order of writing
    change INTEGER NOT NULL,          -- see history.id
    whole  TEXT,                      -- the table whose old rows these all are; NULL: rows of any tables, in the order in
                                      -- which they changed
    data   BLOB    NOT NULL           -- compressed with zstd
) STRICT;

-- Views for people, and for programs without obook's functions: plain SQL only.

-- Links and leaves that aren't links, with the names of moves in the orientation of the board. Of a link, listed_score is what files
-- said about it. colour is who is to move in the files that list the move: a move has a row for each, or one with NULL if none does.
CREATE VIEW readable_moves AS
    WITH known (board, move, kind, colour, score, depth, count, listed_score) AS (
        SELECT links.board, links.move, 'link', colour, links.score, links.depth, leaves.count, leaves.score
        FROM links LEFT JOIN leaves USING (board, move)
        UNION ALL
        SELECT board, move, 'leaf', colour, score, depth, count, score
        FROM leaves WHERE NOT EXISTS (SELECT 1 FROM links WHERE links.board = leaves.board AND links.move = leaves.move)
    )
    SELECT hex(board) AS key,
           CASE move >> 14 & 1 WHEN 1 THEN substr('PLNSBRG', move >> 7 & 127, 1) || '*'
                ELSE ((move >> 7 & 127) / 9 + 1) || substr('abcdefghi', (move >> 7 & 127) % 9 + 1, 1) END ||
           ((move & 127) / 9 + 1) || substr('abcdefghi', (move & 127) % 9 + 1, 1) ||
           CASE move >> 15 WHEN 1 THEN '+' ELSE '' END AS usi,
           kind, colour, score, depth, count, listed_score, move, board
    FROM known;
