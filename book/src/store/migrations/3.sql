-- From schema version 2 to 3: what a book says of a leaf that it lacks, and whether a source that came in is still there.

ALTER TABLE main.positions ADD COLUMN unsearched INTEGER CHECK (unsearched IN (0, 1));
ALTER TABLE main.sources ADD COLUMN current INTEGER CHECK (current = 1);
UPDATE book SET schema_version = 3;
