-- Shows a file of schema version 7, without forecasts, to readers as version 8: see 1.read.sql.

CREATE TEMP VIEW expectations AS
    SELECT NULL AS board, NULL AS expected, NULL AS spread, NULL AS score, NULL AS visited WHERE false;

CREATE TEMP VIEW goals AS
    SELECT NULL AS board, NULL AS goal, NULL AS probability, NULL AS proof, NULL AS disproof WHERE false;
