"""Othello opening books in SQL.

>>> import obook
>>> with obook.open("games.obook") as book:
...     [move.square for move in book.moves("f5") if move.kind == "link"]
['f4', 'd6', 'f6']

A board can be given as the moves that lead to it (``"f5d6"``; ``""`` is the start), as a key (16 bytes, as in the columns ``board``),
as the key's 32 hexadecimal digits, or as 64 squares and the side to move.
"""

from ._book import (
    Book,
    Hint,
    Leaf,
    Move,
    NotABook,
    Position,
    Reason,
    Rows,
    Step,
    convert,
    import_book,
    open,
    starter,
)
from ._library import CannotLoad, load
from ._program import Error, run

__all__ = [
    "Book",
    "CannotLoad",
    "Error",
    "Hint",
    "Leaf",
    "Move",
    "NotABook",
    "Position",
    "Reason",
    "Rows",
    "Step",
    "convert",
    "import_book",
    "load",
    "open",
    "run",
    "starter",
]

# Messages and help name them as users do.
for _name in __all__:
    globals()[_name].__module__ = __name__
