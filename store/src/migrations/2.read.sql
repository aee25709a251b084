-- Shows a file of schema version 2 to readers as version 3: see 1.read.sql.

-- With the columns that version 7 added: a view can't be made from another one of its name.
CREATE TEMP VIEW positions AS
    SELECT *, NULL AS unsearched, NULL AS proven_lower, NULL AS proven_upper, NULL AS prover FROM main.positions;

CREATE TEMP VIEW sources AS SELECT *, NULL AS current FROM main.sources;
