-- From schema version 6 to 7: proven bounds, and the engine of the first.

INSERT OR IGNORE INTO engines (engine, name) VALUES (5, 'takizawa');

ALTER TABLE main.positions ADD COLUMN proven_lower INTEGER;
ALTER TABLE main.positions ADD COLUMN proven_upper INTEGER;
ALTER TABLE main.positions ADD COLUMN prover INTEGER;

UPDATE book SET schema_version = 7;
