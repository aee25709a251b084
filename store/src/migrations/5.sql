-- From schema version 4 to 5: learning.

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

UPDATE book SET schema_version = 5;
