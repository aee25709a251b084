"""Asks a question of a book through Python's own sqlite3: LIBRARY BOOK SQL. Prints the answer as CSV."""

import csv
import sqlite3
import sys

library, book, question = sys.argv[1:]
connection = sqlite3.connect(f"file:{book}?mode=ro", uri=True)
connection.enable_load_extension(True)
connection.load_extension(library)
rows = connection.execute(question)
writer = csv.writer(sys.stdout, lineterminator="\n")
writer.writerow(column[0] for column in rows.description)
writer.writerows(rows)
