"""Checks random positions of a database into which a book of large_book.rs was imported.

    python3 check_large_book.py BOOK COUNT SEED

SEED is the book's. The program shares nothing with obook: it knows the rules of Othello, how large_book.rs scores leaves, and the tables of the database. Each
position must be canonical; its links must be exactly the moves to positions of the book, with their values; a move out of the book
must be its leaf, with the score that follows from the board; and its value must be that of its best move.
"""

import random
import sqlite3
import sys

ALL, NOT_A, NOT_H = 0xFFFFFFFFFFFFFFFF, 0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F
# A step in each direction.
STEPS = [
    lambda bits: (bits << 1) & NOT_A,
    lambda bits: (bits >> 1) & NOT_H,
    lambda bits: (bits << 8) & ALL,
    lambda bits: bits >> 8,
    lambda bits: (bits << 9) & NOT_A,
    lambda bits: (bits >> 9) & NOT_H,
    lambda bits: (bits << 7) & NOT_H,
    lambda bits: (bits >> 7) & NOT_A,
]


def children(player, opponent):
    """Each legal move, with the board after it as its side to move sees it."""
    for square in range(64):
        if (player | opponent) >> square & 1:
            continue
        flipped = 0
        for step in STEPS:
            line, at = 0, step(1 << square)
            while at & opponent:
                line, at = line | at, step(at)
            flipped |= line if at & player else 0
        if flipped:
            yield square, (opponent & ~flipped, player | flipped | 1 << square)


def mirrored(bits):
    return int.from_bytes(bits.to_bytes(8, "big"), "little")


def transposed(bits):
    return sum(1 << (square % 8 * 8 + square // 8) for square in range(64) if bits >> square & 1)


def canonical(board):
    """The least of the eight symmetric boards."""
    same = [board]
    for turn in (mirrored, transposed, mirrored, transposed):
        same += [tuple(map(turn, board)) for board in same]
    return min(same)


def leaf_score(board, seed):
    """Two discs for Black, and up to six more for the side to move, by splitmix64."""
    bits = seed
    for half in board:
        bits = ((bits ^ half) + 0x9E3779B97F4A7C15) & ALL
        bits = ((bits ^ bits >> 30) * 0xBF58476D1CE4E5B9) & ALL
        bits = ((bits ^ bits >> 27) * 0x94D049BB133111EB) & ALL
        bits ^= bits >> 31
    zeros = (bits & -bits).bit_length() - 1 if bits else 64
    ply = (board[0] | board[1]).bit_count() - 4
    return (-2 if ply % 2 else 2) + min(zeros, 6)


def check(book, key, seed):
    """Checks a position; returns the number of its links."""
    board = tuple(int.from_bytes(half, "big") for half in (key[:8], key[8:]))
    empties, value, lower, upper = book.execute(
        "SELECT empties, value, lower, upper FROM positions WHERE board = ?", [key]
    ).fetchone()
    links = dict(book.execute("SELECT move, score FROM links WHERE board = ?", [key]))
    leaf = book.execute("SELECT move, score FROM leaves WHERE board = ?", [key]).fetchone()
    assert canonical(board) == board and empties == 64 - (board[0] | board[1]).bit_count()

    known, out = {}, []
    for square, child in children(*board):
        child = canonical(child)
        found = book.execute(
            "SELECT value FROM positions WHERE board = ?", [b"".join(half.to_bytes(8, "big") for half in child)]
        ).fetchone()
        if found:
            known.setdefault(child, (-found[0], []))[1].append(square)
        else:
            out.append(square)
    # Of moves that lead to the same position, one is a link.
    for score, squares in known.values():
        assert [links.pop(square) for square in squares if square in links] == [score], squares
    assert not links, links
    scores = [score for score, _ in known.values()]
    if out:
        assert leaf[0] in out and leaf[1] == leaf_score(board, seed), leaf
        scores.append(leaf[1])
    else:
        assert leaf is None, leaf
    assert max(scores) == value and lower <= value <= upper, (scores, value, lower, upper)
    return len(known)


def main(path, count, seed):
    book = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    chance, links = random.Random(seed), 0
    for _ in range(count):
        row = None
        while row is None:
            # Keys begin with the bits of few discs: any number of leading zeros is as likely.
            key = chance.getrandbits(128 - chance.randrange(64)).to_bytes(16, "big")
            row = book.execute("SELECT board FROM positions WHERE board >= ? LIMIT 1", [key]).fetchone()
        try:
            links += check(book, row[0], seed)
        except AssertionError as problem:
            sys.exit(f"{path}: position {row[0].hex()}: {problem}")
    print(f"{count} positions with {links} links are right")


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
