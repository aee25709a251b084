-- From schema version 2 to 3: the built-in engine, what a source says about missing leaves, whether a source is current, row counts,
-- and a history that can be read with untrusted schemas: SQLite 3.40 refused files whose schema contains json_valid().

INSERT OR IGNORE INTO main.engines (engine, name) VALUES (3, 'obook');

ALTER TABLE main.positions ADD COLUMN unsearched INTEGER CHECK (unsearched IN (0, 1));
ALTER TABLE main.sources ADD COLUMN current INTEGER CHECK (current = 1);

CREATE TEMP TABLE old_history AS SELECT * FROM main.history;
DROP TABLE main.history;

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
INSERT INTO history SELECT * FROM temp.old_history;
DROP TABLE temp.old_history;

-- Row counts, so that nobody has to count; every change by obook updates them. Empty if another program has written to the
-- tables since.
CREATE TABLE row_counts (
    name   TEXT    NOT NULL CHECK (name IN ('positions', 'links', 'leaves')), -- leaves with a move
    level  INTEGER,                   -- for 'positions': those with this level
    number INTEGER NOT NULL
) STRICT;

UPDATE book SET schema_version = 3;
