-- Shows a file of schema version 6 to readers as version 7: see 1.read.sql.

-- Versions 1 and 2 have it already.
CREATE TEMP VIEW IF NOT EXISTS positions AS
    SELECT *, NULL AS proven_lower, NULL AS proven_upper, NULL AS prover FROM main.positions;
