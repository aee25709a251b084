-- Shows a file of schema version 1 to readers as version 2, by views of the connection that hide the file's own tables of the same
-- names. A connection that migrates the file drops them.

CREATE TEMP VIEW book AS
    SELECT id, schema_version, rules, level, depth, midgame_error, endcut_error, verbosity, format, version, release,
           written, NULL AS repetition, NULL AS fixed
    FROM main.book;

CREATE TEMP VIEW todo AS
    SELECT board, reason, NULL AS level, NULL AS engine FROM main.todo;

CREATE TEMP VIEW history AS
    SELECT NULL AS id, NULL AS command, NULL AS time, NULL AS counts, NULL AS undone, NULL AS log WHERE false;

CREATE TEMP VIEW undo AS
    SELECT NULL AS part, NULL AS change, NULL AS whole, NULL AS data WHERE false;
