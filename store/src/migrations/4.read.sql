-- Shows a file of schema version 4, without learning, to readers as version 5: see 1.read.sql.

CREATE TEMP VIEW tasks AS
    SELECT NULL AS board, NULL AS kind, NULL AS without, NULL AS level, NULL AS engine, NULL AS priority,
           NULL AS promised, NULL AS within, NULL AS leased, NULL AS failures, NULL AS reason
    WHERE false;

CREATE TEMP VIEW learning AS
    SELECT NULL AS id, NULL AS recipe, NULL AS stage, NULL AS turn, NULL AS idle, NULL AS searches,
           NULL AS change
    WHERE false;

CREATE TEMP VIEW learned AS
    SELECT NULL AS change, NULL AS number, NULL AS stage, NULL AS rule, NULL AS seconds, NULL AS searches,
           NULL AS added, NULL AS leaves, NULL AS positions, NULL AS root
    WHERE false;
