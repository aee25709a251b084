"""A small engine for shogi that speaks USI, for tests. It knows the rules, but not how to play: the score of a move is a number made of
the position after it, and that of the other side with its sign changed.

With the argument `pieces` it counts those of both sides instead, and knows a mate when it sees one.

Arguments: `slow SECONDS` before each answer; `log FILE` for what it is asked, a position a line; `trouble KIND TEXT`: in positions
with TEXT in their SFEN it does something wrong: illegal, silent, exit."""

import sys
import time
import zlib

STEPS = {
    "P": [(0, -1)],
    "N": [(-1, -2), (1, -2)],
    "S": [(-1, -1), (0, -1), (1, -1), (-1, 1), (1, 1)],
    "G": [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (0, 1)],
    "K": [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y],
    "L": [], "B": [], "R": [],
}
ROOK, BISHOP = [(0, -1), (0, 1), (-1, 0), (1, 0)], [(-1, -1), (1, -1), (-1, 1), (1, 1)]
SLIDES = {"L": [(0, -1)], "R": ROOK, "B": BISHOP, "+R": ROOK, "+B": BISHOP}
STEPS.update({"+R": BISHOP, "+B": ROOK, **{"+" + kind: STEPS["G"] for kind in "PLNS"}})


def flip(piece):
    return piece.swapcase()


class Board:
    """Seen by the side to move, whose letters are large. Squares are (file from the left, rank from above)."""

    def __init__(self, squares, hands):
        self.squares, self.hands = squares, hands

    @staticmethod
    def read(sfen):
        rows, turn, hands = sfen.split()[:3]
        squares = {}
        for y, row in enumerate(rows.split("/")):
            x, mark = 0, ""
            for letter in row:
                if letter == "+":
                    mark = "+"
                elif letter.isdigit():
                    x += int(letter)
                else:
                    squares[x, y] = mark + letter
                    x, mark = x + 1, ""
        held, number = [{}, {}], ""
        for letter in hands.replace("-", ""):
            if letter.isdigit():
                number += letter
            else:
                held[letter.islower()][letter.upper()] = int(number or 1)
                number = ""
        board = Board(squares, held)
        return board.turned() if turn == "w" else board

    def turned(self):
        squares = {(8 - x, 8 - y): flip(piece) for (x, y), piece in self.squares.items()}
        return Board(squares, self.hands[::-1])

    def reached(self, at, piece):
        """The squares that a piece of the side to move reaches."""
        x, y = at
        for dx, dy in STEPS.get(piece, []):
            yield x + dx, y + dy
        for dx, dy in SLIDES.get(piece, []):
            to = x + dx, y + dy
            while True:
                yield to
                if to in self.squares:
                    break
                to = to[0] + dx, to[1] + dy
                if not (0 <= to[0] < 9 and 0 <= to[1] < 9):
                    break

    def takes_king(self):
        for at, piece in self.squares.items():
            if piece.isupper() and any(self.squares.get(to) == "k" for to in self.reached(at, piece)):
                return True
        return False

    def after(self, start, to, piece):
        """The position after a move, seen by the other side; None if it leaves the king in check."""
        squares, hands = dict(self.squares), [dict(hand) for hand in self.hands]
        if start is None:
            hands[0][piece] -= 1
            if not hands[0][piece]:
                del hands[0][piece]
        else:
            del squares[start]
        if to in squares:
            taken = squares[to].upper().replace("+", "")
            hands[0][taken] = hands[0].get(taken, 0) + 1
        squares[to] = piece
        child = Board(squares, hands).turned()
        return None if child.takes_king() else child

    def moves(self):
        """All moves with the positions after them."""
        for at, piece in sorted(self.squares.items()):
            if not piece.isupper():
                continue
            for to in self.reached(at, piece):
                if not (0 <= to[0] < 9 and 0 <= to[1] < 9) or self.squares.get(to, "k").isupper():
                    continue
                last = {"P": 1, "L": 1, "N": 2}.get(piece, 0)
                if to[1] >= last:
                    yield name(at, to), self.after(at, to, piece)
                if piece in STEPS and len(piece) == 1 and piece not in "GK" and min(at[1], to[1]) < 3:
                    yield name(at, to) + "+", self.after(at, to, "+" + piece)
        for kind in sorted(self.hands[0]):
            for to in [(x, y) for x in range(9) for y in range(9) if (x, y) not in self.squares]:
                if to[1] < {"P": 1, "L": 1, "N": 2}.get(kind, 0):
                    continue
                if kind == "P" and any(self.squares.get((to[0], y)) == "P" for y in range(9)):
                    continue
                child = self.after(None, to, kind)
                mates = kind == "P" and child and child.turned().takes_king() and not child.legal()
                if not mates:
                    yield kind + "*" + square(to), child

    def legal(self):
        return [(move, child) for move, child in self.moves() if child]

    def text(self):
        return repr((sorted(self.squares.items()), [sorted(hand.items()) for hand in self.hands]))


def square(at):
    return str(9 - at[0]) + "abcdefghi"[at[1]]


def name(start, to):
    return square(start) + square(to)


def turn(move):
    """A move as the other side sees it."""
    swap = lambda text: "".join(str(10 - int(c)) if c.isdigit() else "ihgfedcba"["abcdefghi".index(c)] for c in text)
    return move[:2] + swap(move[2:4]) if "*" in move else swap(move[:4]) + move[4:]


def score(child):
    return zlib.crc32(child.text().encode()) % 401 - 200


MATE = 31_999
VALUES = {"P": 1, "L": 3, "N": 4, "S": 5, "G": 6, "B": 8, "R": 10, "K": 0}


def pieces(child):
    """The score of a move by the pieces on the board and in the hands of the position after it, in which the other side moves;
    MATE if that has no legal move."""
    if not child.legal():
        return MATE
    theirs = sum(VALUES[piece.upper()[-1]] * (1 if piece.isupper() else -1) for piece in child.squares.values())
    theirs += sum(VALUES[kind] * count * sign for hand, sign in zip(child.hands, (1, -1)) for kind, count in hand.items())
    return -100 * theirs


def say(*words):
    print(*words, flush=True)


def main():
    words, wishes = sys.argv[1:], {}
    while words:
        count = {"trouble": 3, "pieces": 1}.get(words[0], 2)
        wishes[words[0]], words = words[1:count], words[count:]
    count, sfen = 1, None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "usi":
            say("id name small")
            say("option name MultiPV type spin default 1 min 1 max 600")
            say("option name USI_OwnBook type check default true")
            say("usiok")
        elif words[0] == "isready":
            say("readyok")
        elif words[:3] == ["setoption", "name", "MultiPV"]:
            count = int(words[4])
        elif words[0] == "position":
            sfen = " ".join(words[2:])
        elif words[0] == "go":
            time.sleep(float(*wishes.get("slow", ["0"])))
            if "log" in wishes:
                with open(wishes["log"][0], "a", encoding="ascii") as log:
                    log.write(f"{count} {sfen}\n")
            kind, part = wishes.get("trouble", ["", ""])
            if kind and part in sfen:
                if kind == "exit":
                    sys.exit("the small engine gives up")
                if kind == "silent":
                    continue
                say("info depth 1 score cp 0 pv 5a5i")
                say("bestmove 5a5i")
                continue
            board, black = Board.read(sfen), sfen.split()[1] == "b"
            worth = pieces if "pieces" in wishes else score
            moves = sorted(((worth(child), move) for move, child in board.legal()), reverse=True)[:count]
            depth = int(words[2]) if words[1] == "depth" else 5
            for rank, (value, move) in enumerate(moves, 1):
                move = move if black else turn(move)
                found = "mate 1" if value == MATE else f"cp {value}"
                say(f"info depth {depth} multipv {rank} score {found} nodes 1 pv {move}")
            say("bestmove", moves[0][1] if black else turn(moves[0][1]))
        elif words[0] == "quit":
            return


main()
