-- From schema version 2 to 3: what a book says of a leaf that it lacks.

ALTER TABLE main.positions ADD COLUMN unsearched INTEGER CHECK (unsearched IN (0, 1));
UPDATE book SET schema_version = 3;
