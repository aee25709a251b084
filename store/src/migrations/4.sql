-- From schema version 3 to 4: games.

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

UPDATE book SET schema_version = 4;
