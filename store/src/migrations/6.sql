-- From schema version 5 to 6: engines of whose books obook reads.

INSERT OR IGNORE INTO engines (engine, name) VALUES (4, 'zebra');

UPDATE book SET schema_version = 6;
