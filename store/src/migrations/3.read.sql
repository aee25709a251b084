-- Shows a file of schema version 3, without games, to readers as version 4: see 1.read.sql.

CREATE TEMP VIEW players AS SELECT NULL AS player, NULL AS name WHERE false;

CREATE TEMP VIEW tournaments AS SELECT NULL AS tournament, NULL AS name WHERE false;

CREATE TEMP VIEW games AS
    SELECT NULL AS game, NULL AS date, NULL AS tournament, NULL AS black, NULL AS white, NULL AS score, NULL AS theoretical,
           NULL AS theoretical_empties, NULL AS start, NULL AS moves, NULL AS ggf
    WHERE false;

CREATE TEMP VIEW played AS
    SELECT NULL AS board, NULL AS game, NULL AS move, NULL AS black, NULL AS score WHERE false;

CREATE TEMP VIEW play_counts AS
    SELECT NULL AS board, NULL AS move, NULL AS year, NULL AS black, NULL AS games, NULL AS wins, NULL AS draws,
           NULL AS losses, NULL AS won, NULL AS lost
    WHERE false;

CREATE TEMP VIEW ratings AS SELECT NULL AS board, NULL AS method, NULL AS value WHERE false;
