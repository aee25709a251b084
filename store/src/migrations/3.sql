-- From schema version 2 to 3: the engine that comes with obook, what a book says of a leaf that it lacks, whether a source that
-- came in is still there, how many rows there are, and a history that can be read where schemas are not trusted: with its json_valid(), SQLite 3.40 refused the whole file there.

INSERT OR IGNORE INTO main.engines (engine, name) VALUES (3, 'obook');

ALTER TABLE main.positions ADD COLUMN unsearched INTEGER CHECK (unsearched IN (0, 1));
ALTER TABLE main.sources ADD COLUMN current INTEGER CHECK (current = 1);

CREATE TEMP TABLE old_history AS SELECT * FROM main.history;
DROP TABLE main.history;

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
INSERT INTO history SELECT * FROM temp.old_history;
DROP TABLE temp.old_history;

-- How many rows there are, for those who do not want to count: every change by obook keeps it right. Empty where another
-- program has written to the tables since.
CREATE TABLE row_counts (
    name   TEXT    NOT NULL CHECK (name IN ('positions', 'links', 'leaves')), -- leaves with a move
    level  INTEGER,                   -- of positions: how many have this level
    number INTEGER NOT NULL
) STRICT;

UPDATE book SET schema_version = 3;
