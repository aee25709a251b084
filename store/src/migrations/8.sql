-- From schema version 7 to 8: what Othello Sensei expects, and its levels.

INSERT OR IGNORE INTO engines (engine, name) VALUES (6, 'sensei');

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

UPDATE book SET schema_version = 8;
