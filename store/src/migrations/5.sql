-- From schema version 4 to 5: learning.

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

UPDATE book SET schema_version = 5;
