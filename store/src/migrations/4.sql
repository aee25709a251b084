-- From schema version 3 to 4: games.

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
-- (docs/ratings.md).
CREATE TABLE ratings (
    board  BLOB NOT NULL CHECK (length(board) = 16),
    method TEXT NOT NULL CHECK (method IN ('expectation1', 'expectation2', 'probability')),
    value  REAL NOT NULL,             -- 0: lost, 1: won
    PRIMARY KEY (board, method)
) STRICT, WITHOUT ROWID;

UPDATE book SET schema_version = 4;
