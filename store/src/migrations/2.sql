-- From schema version 1 to 2: the value of a repetition, whether the book is fixed, the level of leaves that became links, and the
-- history of changes with its undo log. The statements of tables are those of schema.sql, so that migrated files equal new ones.

CREATE TEMP TABLE old_book AS SELECT * FROM main.book;
DROP TABLE main.book;

CREATE TABLE book (
    id             INTEGER PRIMARY KEY CHECK (id = 1),
    schema_version INTEGER NOT NULL,  -- same as PRAGMA user_version
    rules          TEXT    NOT NULL   -- which rules define value, bounds, counts and lines
                   CHECK (rules IN ('edax', 'egaroucid', 'egaroucid-edax')),
    level          INTEGER,           -- level for extending the book
    depth          INTEGER,           -- plies to which the book is extended
    midgame_error  INTEGER,           -- discs allowed for the error of a midgame search
    endcut_error   INTEGER,           -- discs allowed for the error of a selective endgame search
    verbosity      INTEGER,           -- from the header of an Edax book
    format         TEXT,              -- format of the first imported file: edax, egbk3 …
    version        INTEGER,           -- version and release in that file's header
    release        INTEGER,
    written        TEXT,              -- date in that file's header: YYYY-MM-DD hh:mm:ss
    repetition     INTEGER,           -- value of a repetition, in discs, for the side that makes it, as of the last
                                      -- computation of the numbers; NULL = 0
    fixed          INTEGER            -- 1: links and numbers are computed from the leaves, as `obook fix` leaves a book,
                   CHECK (fixed = 1)  -- so `obook merge` only has to look at new positions; NULL: not known
) STRICT;
INSERT INTO book SELECT *, NULL, NULL FROM temp.old_book;
UPDATE book SET schema_version = 2;
DROP TABLE temp.old_book;

CREATE TEMP TABLE old_todo AS SELECT * FROM main.todo;
DROP TABLE main.todo;

CREATE TABLE todo (
    board  BLOB PRIMARY KEY NOT NULL,
    reason TEXT NOT NULL,             -- 'leaf': moves lead out of the book, but none of them was searched
    level  INTEGER,                   -- level of the leaf that was there until its move became a link: the new search
    engine INTEGER                    -- must not be weaker; whose level: see engines
) STRICT, WITHOUT ROWID;
INSERT INTO todo SELECT *, NULL, NULL FROM temp.old_todo;
DROP TABLE temp.old_todo;

-- Commands that changed the book, in order. A change is complete or not there; `search` and `learn` extend theirs as answers
-- come in.
CREATE TABLE history (
    id      INTEGER PRIMARY KEY,      -- 1, 2, …
    command TEXT    NOT NULL,         -- as typed: obook fix book.obook --rules edax
    time    TEXT    NOT NULL,         -- YYYY-MM-DDThh:mm:ssZ
    counts  TEXT    NOT NULL          -- its results, as a JSON object: counts ->> 'positions'
                    CHECK (counts GLOB '{*}'), -- SQLite 3.40 considers json_valid() unsafe here
    undone  TEXT,                     -- when `obook undo` took it back; NULL: in effect
    log     TEXT    NOT NULL          -- the old rows for `obook undo`: 'kept' in table undo, 'dropped' since, or there were
                    CHECK (log IN ('kept', 'dropped', 'none')) -- 'none', because the command created the file
) STRICT;

-- The rows that changes overwrote, for `obook undo`. docs/history.md says how much is kept.
CREATE TABLE undo (
    part   INTEGER PRIMARY KEY,       -- in the order of writing
    change INTEGER NOT NULL,          -- see history.id
    whole  TEXT,                      -- the table whose old rows these all are; NULL: rows of any tables, in the order in
                                      -- which they changed
    data   BLOB    NOT NULL           -- compressed with zstd; store/src/undo/part.rs describes it
) STRICT;
