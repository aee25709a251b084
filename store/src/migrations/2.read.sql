-- Shows a file of schema version 2 to readers as version 3: see 1.read.sql.

CREATE TEMP VIEW positions AS SELECT *, NULL AS unsearched FROM main.positions;

CREATE TEMP VIEW sources AS SELECT *, NULL AS current FROM main.sources;
