-- From schema version 1 to 2: what a repetition is worth, whether the book was fixed, the level of leaves that became
-- links, and the history of changes with its undo log. Each table is made by the very words of schema.sql, so that a file
-- tells the same whenever it was made.

CREATE TEMP TABLE old_book AS SELECT * FROM main.book;
DROP TABLE main.book;

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
INSERT INTO book SELECT *, NULL, NULL FROM temp.old_book;
UPDATE book SET schema_version = 2;
DROP TABLE temp.old_book;

CREATE TEMP TABLE old_todo AS SELECT * FROM main.todo;
DROP TABLE main.todo;

CREATE TABLE todo (
    board  BLOB PRIMARY KEY NOT NULL,
    reason TEXT NOT NULL,             -- 'leaf': moves lead out of the book, but none of them was searched
    level  INTEGER,                   -- level of the leaf that was there until its move became a link: a weaker search
    engine INTEGER                    -- is no answer; whose level: see engines
) STRICT, WITHOUT ROWID;
INSERT INTO todo SELECT *, NULL, NULL FROM temp.old_todo;
DROP TABLE temp.old_todo;

-- Every command that changed the book, in order. What one command did is one transaction: all of it or nothing.
CREATE TABLE history (
    id      INTEGER PRIMARY KEY,      -- 1, 2, … in the order of the changes
    command TEXT    NOT NULL,         -- as a person types it: obook fix book.obook --rules edax
    time    TEXT    NOT NULL,         -- when it was done: YYYY-MM-DDThh:mm:ssZ
    counts  TEXT    NOT NULL          -- what it did, as a JSON object: counts ->> 'positions'
                    CHECK (counts GLOB '{*}'), -- SQLite 3.40 takes json_valid() for unsafe here
    undone  TEXT,                     -- when `obook undo` took it back; NULL: it holds
    log     TEXT    NOT NULL          -- what `obook undo` needs: 'kept' in table undo, 'dropped' since, or 'none' ever:
                    CHECK (log IN ('kept', 'dropped', 'none')) -- the command made the file
) STRICT;

-- What stood in the rows that a change overwrote, for `obook undo`. docs/history.md says how much is kept.
CREATE TABLE undo (
    part   INTEGER PRIMARY KEY,       -- in the order in which they were written
    change INTEGER NOT NULL,          -- whose: see history.id
    whole  TEXT,                      -- the table all of whose old rows these are; NULL: one row after another as they
                                      -- changed, in any tables
    data   BLOB    NOT NULL           -- compressed with zstd; src/store/undo/part.rs describes it
) STRICT;
