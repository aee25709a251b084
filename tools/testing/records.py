"""Game records as another program writes and reads them, with the standard library only: what obook's readers are compared with.

records.py othello SEED FOLDER   plays games of Othello and writes them in each format, and into expected.json what they are
records.py shogi SEED FOLDER     reads games.json, the games in obook's files beside it, which must be the same, and writes the games
                                 in each format
"""

import json
import random
import struct
import sys
from pathlib import Path

# Othello: a board is a list of 64, from a1 to h1, of 1 (Black), -1 (White) and 0.


def turned(board, side, at):
    found = []
    for dx, dy in [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b]:
        x, y, line = at % 8 + dx, at // 8 + dy, []
        while 0 <= x < 8 and 0 <= y < 8 and board[x + 8 * y] == -side:
            line.append(x + 8 * y)
            x, y = x + dx, y + dy
        if 0 <= x < 8 and 0 <= y < 8 and board[x + 8 * y] == side:
            found += line
    return found


def legal(board, side):
    return [at for at in range(64) if not board[at] and turned(board, side, at)]


def name(at):
    return "pa" if at is None else "abcdefgh"[at % 8] + "12345678"[at // 8]


def play(rng):
    """A game: its moves, None for a pass; who made each; and its result, if it is over."""
    board, side, moves, sides = [0] * 64, 1, [], []
    board[27] = board[36] = -1
    board[28] = board[35] = 1
    most = rng.choice([99, 99, rng.randint(1, 59)])
    while len(moves) < most:
        choices = legal(board, side)
        if not choices and not legal(board, -side):
            break
        at = rng.choice(choices) if choices else None
        for other in [] if at is None else turned(board, side, at) + [at]:
            board[other] = side
        moves.append(at)
        sides.append(side)
        side = -side
    if legal(board, side) or legal(board, -side):
        # The last pass is none of a game that is cut here.
        while moves and moves[-1] is None:
            moves.pop()
        return moves, sides, None
    score = sum(board)
    empties = board.count(0)
    return moves, sides, score + empties * ((score > 0) - (score < 0))


NAMES = ["Rose", "Iris Fern", "D'Arc, J.", "a ] b", "c\\d", "ヒヤシンス", "é", "x (2)"]


def games(rng):
    for _ in range(rng.randint(1, 12)):
        moves, sides, score = play(rng)
        day = (rng.randint(1977, 2026), rng.randint(1, 12), rng.randint(1, 28))
        ending = None if score is not None else rng.choice([None, None, "r", "t"])
        black, white = rng.choice(NAMES), rng.choice(NAMES)
        yield dict(moves=moves, sides=sides, score=score, day=day, ending=ending, black=black, white=white)


def escaped(text):
    return text.replace("\\", "\\\\").replace("]", "\\]")


def without_some_passes(rng, game):
    keeps = rng.random() < 0.5
    return [(at, side) for at, side in zip(game["moves"], game["sides"]) if at is not None or keeps]


def ggf(rng, game):
    y, m, d = game["day"]
    rows = " ".join(["-" * 8] * 3 + ["---O*---", "---*O---"] + ["-" * 8] * 3)
    result = "?" if game["score"] is None else "%+d.00" % game["score"]
    if game["ending"]:
        result = "%+d.00:%s" % (rng.choice([-64, 64]), game["ending"])
        game["score"] = int(float(result[:-2]))
    head = f"(;GM[Othello]PC[x]DT[{y}.{m:02}.{d:02}_1:2:3.UTC]PB[{escaped(game['black'])}]PW[{escaped(game['white'])}]RB[1800.5]TI[5:00]TY[8]RE[{result}]BO[8 {rows} *]"
    text = head + "".join(
        ("B" if side > 0 else "W") + "[" + name(at).upper() + rng.choice(["", "/1.5", "//2.25", "/-3/1"]) + "]"
        for at, side in without_some_passes(rng, game)
    )
    return text + ";)" + rng.choice(["", "\n"])


def sgf(rng, game):
    y, m, d = game["day"]
    score, ending = game["score"], game["ending"]
    if ending:
        winner, game["score"] = rng.choice([("B", 64), ("W", -64)])
        result = winner + "+" + rng.choice({"r": ["R", "Resign"], "t": ["T", "Time"]}[ending])
    elif score is None:
        result = "?"
    else:
        result = "0" if score == 0 else ("B+" if score > 0 else "W+") + str(abs(score))
    letters = rng.random() < 0.5

    def square(at):
        if at is None:
            return ""
        return "abcdefgh"[at % 8] + "abcdefgh"[at // 8] if letters else name(at)

    head = f"(;FF[4]GM[2]SZ[8]PB[{escaped(game['black'])}]PW[{escaped(game['white'])}]DT[{y}-{m:02}-{d:02}]RE[{result}]"
    return head + "".join(f";{'B' if side > 0 else 'W'}[{square(at)}]" for at, side in zip(game["moves"], game["sides"])) + ")\n"


def numbered(game, sign):
    words = ["--" if at is None else name(at) for at in game["moves"]]
    return [f"{number // 2 + 1}{sign} {words[number]}" if number % 2 == 0 else words[number] for number in range(len(words))]


def discs(score):
    return f"{32 + score // 2}-{32 - score // 2}"


def pgn(rng, game):
    y, m, d = game["day"]
    result = "*" if game["score"] is None else discs(game["score"])
    tags = dict(Event="x", Date=f"{y}.{m:02}.{d:02}", Round="?", Black=game["black"], White=game["white"], Result=result)
    lines, line = [], ""
    for word in numbered(game, ".") + [result]:
        if len(line) + len(word) > 76:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    end = rng.choice(["\n", "\r\n"])
    quoted = {tag: text.replace("\\", "\\\\") for tag, text in tags.items()}
    return end.join([f'[{tag} "{text}"]' for tag, text in quoted.items()] + [""] + lines + [line, "", ""])


def transcript(rng, game):
    words = [name(at) for at, _ in without_some_passes(rng, game)]
    dress = rng.choice(["bare", "spaced", "capital", "numbers", "wide", "quoted", "link", "wrapped", "wrapped numbers"])
    text = "".join(words)
    if dress == "spaced":
        text = rng.choice([" ", ", ", " - "]).join(words)
    elif dress == "capital":
        text = text.upper()
    elif dress == "numbers":
        text = " ".join(numbered(game, rng.choice([".", ")", ""])))
    elif dress == "wide":
        text = "".join(chr(ord(c) + 0xFEE0) for c in text.upper())
    elif dress == "quoted":
        text = f'"{text}"'
    elif dress == "link":
        game["score"] = None
        return rng.choice(["https://o.example/#", "http://o.example/?kifu="]) + text + "\n\n"
    elif dress == "wrapped":
        # No game begins with the first move of a further line.
        text = words[0]
        for word in words[1:]:
            begins = word in ("c4", "d3", "e6", "f5", "pa")
            text += ("" if begins or rng.random() < 0.8 else "\n") + word
    elif dress == "wrapped numbers":
        parts = numbered(game, ".")
        text = "".join(("\n" if at and part[0].isdigit() and rng.random() < 0.3 else " ") + part for at, part in enumerate(parts))
    if game["score"] is not None and rng.random() < 0.6:
        text += " " + rng.choice([discs(game["score"]), "(" + discs(game["score"]) + ")", "%+d" % game["score"]])
    else:
        game["score"] = None
    return text + "\n\n"


def eothello(rng, all_games):
    rows = [f"{number},{(g['score'] or 0) > 0},{''.join(name(at) for at in g['moves'] if at is not None)}" for number, g in enumerate(all_games)]
    return "\n".join(["eOthello_game_id,winner,game_moves"] + rows) + "\n"


def quest(rng, game):
    moves = [{"m": "-" if at is None else name(at), "t": rng.randint(0, 9999)} for at in game["moves"]]
    if game["score"] is not None:
        moves[-1]["s"] = "SCORE:%d" % abs(game["score"])
    elif game["ending"]:
        # The side to move loses.
        moves.append({"s": {"r": "LOSE:RESIGN", "t": "LOSE:TIMEUP"}[game["ending"]], "t": 1})
        game["score"] = -64 if len(game["moves"]) % 2 == 0 else 64
    y, m, d = game["day"]
    players = [{"id": "x", "name": game["black"], "oldR": 1500.25}, {"id": "y", "name": game["white"]}]
    detail = {"id": "0x", "position": {"moves": moves}, "tcb": 60000, "players": players, "created": f"{y}-{m:02}-{d:02}T01:02:03.000Z"}
    return json.dumps(detail, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 1])) + "\n"


def wthor(folder, all_games):
    """One year's file with its lists: `all_games` have results."""
    names = ["???"] + sorted({g[side] for g in all_games for side in ("black", "white")})
    head = lambda games, names, year: struct.pack("<4BIHH4B", 20, 26, 1, 2, games, names, year, 0, 0, 0, 0)
    fixed = lambda text, width: text.encode("latin-1")[: width - 1].ljust(width, b"\0")
    records = b""
    for g in all_games:
        places = [10 * (at // 8 + 1) + at % 8 + 1 for at in g["moves"] if at is not None]
        black = 32 + g["score"] // 2
        records += struct.pack("<3H2B", 0, names.index(g["black"]), names.index(g["white"]), black, black) + bytes(places).ljust(60, b"\0")
    (folder / "year.wtb").write_bytes(head(len(all_games), 0, 2001) + records)
    (folder / "year.jou").write_bytes(head(0, len(names), 0) + b"".join(fixed(it, 20) for it in names))
    (folder / "year.trn").write_bytes(head(0, 1, 0) + fixed("Open", 26))


def othello(rng, folder):
    expected = {}

    def expect(file, all_games, *kept, year=None):
        expected[file] = [
            dict(
                line="".join(name(at) for at in g["moves"]),
                black=g["black"] if "names" in kept else None,
                white=g["white"] if "names" in kept else None,
                date=year or ("%04d-%02d-%02d" % g["day"] if "date" in kept else None),
                ending=g["ending"] if "ending" in kept else None,
                score=g["score"] if "score" in kept else None,
            )
            for g in all_games
        ]

    for file, write, kept in [
        ("g.ggf", ggf, ["names", "date", "ending", "score"]),
        ("g.sgf", sgf, ["names", "date", "ending", "score"]),
        ("g.pgn", pgn, ["names", "date", "score"]),
        ("g.json", quest, ["names", "date", "ending", "score"]),
        ("g.txt", transcript, ["score"]),
    ]:
        all_games = list(games(rng))
        with open(folder / file, "w", encoding="utf-8", newline="") as out:
            out.writelines(write(rng, g) for g in all_games)
        expect(file, all_games, *kept)
    long = [g for g in games(rng) if len(g["moves"]) >= 8] or [next(g for g in games(random.Random(1)) if len(g["moves"]) >= 8)]
    (folder / "g.csv").write_text(eothello(rng, long))
    expect("g.csv", long)
    whole = [g for g in games(rng) if g["score"] is not None and g["black"] != "ヒヤシンス" != g["white"]]
    if whole:
        wthor(folder, whole)
        expect("year.wtb", whole, "names", "score", year="2001")
    (folder / "expected.json").write_text(json.dumps(expected))


# Shogi: a board is a dictionary of (file, rank) to (colour, kind), colours are 0 (Black) and 1, kinds as in CSA.

KINDS = dict(FU="歩", KY="香", KE="桂", GI="銀", KI="金", KA="角", HI="飛", OU="玉", TO="と", NY="成香", NK="成桂", NG="成銀", UM="馬", RY="龍")
PROMOTED = dict(FU="TO", KY="NY", KE="NK", GI="NG", KA="UM", HI="RY")
LETTERS = dict(P="FU", L="KY", N="KE", S="GI", G="KI", B="KA", R="HI")
RANKS = "一二三四五六七八九"
ENDS = {"resigned": ("TORYO", "投了"), "time out": ("TIME_UP", "切れ負け"), "broken off": ("CHUDAN", "中断"), "impasse": ("JISHOGI", "持将棋"), "declared": ("KACHI", "入玉勝ち")}


class Board:
    def __init__(self):
        back = "KY KE GI KI OU KI GI KE KY".split()
        self.turn, self.at, self.last = 0, {}, None
        for file in range(1, 10):
            self.at[file, 1], self.at[file, 9] = (1, back[file - 1]), (0, back[file - 1])
            self.at[file, 3], self.at[file, 7] = (1, "FU"), (0, "FU")
        self.at[8, 2], self.at[2, 2], self.at[2, 8], self.at[8, 8] = (1, "HI"), (1, "KA"), (0, "HI"), (0, "KA")

    def play(self, start, to, kind, promotes):
        """Plays a move of this kind, from None for a drop, and returns it in USI."""
        square = lambda at: f"{at[0]}{'abcdefghi'[at[1] - 1]}"
        if start is None:
            text = next(letter for letter, it in LETTERS.items() if it == kind) + "*" + square(to)
            assert to not in self.at
        else:
            assert self.at.pop(start) == (self.turn, kind), (start, kind)
            text = square(start) + square(to) + ("+" if promotes else "")
        self.at[to] = (self.turn, PROMOTED[kind] if promotes else kind)
        self.turn, self.last = 1 - self.turn, to
        return text

    def reach(self, kind, to):
        """The squares from which pieces of this kind of the side to move go to a square, as they move."""
        gold = [(0, -1), (1, -1), (-1, -1), (1, 0), (-1, 0), (0, 1)]
        straight, slant = [(0, 1), (0, -1), (1, 0), (-1, 0)], [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        steps = dict(FU=[(0, -1)], KE=[(1, -2), (-1, -2)], GI=[(0, -1)] + slant, OU=straight + slant, UM=straight, RY=slant)
        slides = dict(KY=[(0, -1)], KA=slant, UM=slant, HI=straight, RY=straight)
        found = []
        for at, piece in self.at.items():
            if piece != (self.turn, kind):
                continue
            sign = -1 if self.turn else 1
            near = steps.get(kind, [] if kind in slides else gold)
            if any((at[0] + dx, at[1] + sign * dy) == to for dx, dy in near):
                found.append(at)
            for dx, dy in slides.get(kind, []):
                x, y = at[0] + dx, at[1] + sign * dy
                while (x, y) != to and (x, y) not in self.at and 1 <= x <= 9 and 1 <= y <= 9:
                    x, y = x + dx, y + sign * dy
                if (x, y) == to and at not in found:
                    found.append(at)
        return found

    def words(self, kind, start, to):
        """What tells a piece from others that could go there: 右, 左, 直 and so on, as its player sees the board."""
        others = self.reach(kind, to)
        if start is None:
            return "打" if others else ""
        if others == [start]:
            return ""
        seen = lambda at: at if self.turn == 0 else (10 - at[0], 10 - at[1])
        (tx, ty), mine = seen(to), seen(start)
        kinds = {
            "上": lambda at: at[1] > ty,
            "寄": lambda at: at[1] == ty,
            "引": lambda at: at[1] < ty,
            "直": lambda at: at == (tx, ty + 1),
        }
        others = [seen(at) for at in others]
        fits = lambda word: [at for at in others if kinds[word](at)]
        for word in kinds:
            if fits(word) == [mine] and (word != "直" or kind not in ("UM", "RY")):
                return word
        for word, best in [("右", min), ("左", max)]:
            for more in ["", "上", "寄", "引"]:
                among = fits(more) if more else others
                outermost = best(at[0] for at in among) if among else None
                if [at for at in among if at[0] == outermost] == [mine]:
                    return word + more
        return None


def moves_of(game):
    """The moves as (board before, from, to, kind, promotes)."""
    board = Board()
    for text in game["moves"]:
        place = lambda two: (int(two[0]), "abcdefghi".index(two[1]) + 1)
        if text[1] == "*":
            step = (None, place(text[2:4]), LETTERS[text[0]], False)
        else:
            step = (place(text[:2]), place(text[2:4]), board.at[place(text[:2])][1], text.endswith("+"))
        yield (board, *step)
        board.play(*step)


def csa(rng, game):
    text = f"V2.2\nN+{game['black']}\nN-{game['white']}\n$EVENT:{game['event']}\n$START_TIME:{game['date'].replace('-', '/')} 10:00:00\nPI\n+\n"
    for board, start, to, kind, promotes in moves_of(game):
        origin = "00" if start is None else "%d%d" % start
        text += "+-"[board.turn] + origin + "%d%d" % to + (PROMOTED[kind] if promotes else kind) + rng.choice(["\n", "\nT12\n", ",T3\n", "\n'a remark\n"])
    return text + f"%{ENDS[game['end']][0]}\n/\n"


def kif_square(board, to):
    return "同　" if board.last == to else "０１２３４５６７８９"[to[0]] + RANKS[to[1] - 1]


def kif_head(game):
    return f"# a program\n対局ID：1\n開始日時：{game['date'].replace('-', '/')} 10:00\n棋戦：{game['event']}\n手合割：平手　　\n先手：{game['black']}\n後手：{game['white']}\n"


def kif(rng, game):
    text, number = kif_head(game) + "手数----指手---------消費時間--\n", 0
    for number, (board, start, to, kind, promotes) in enumerate(moves_of(game), 1):
        origin = "打" if start is None else ("成" if promotes else "") + "(%d%d)" % start
        text += f"{number:4} {kif_square(board, to)}{KINDS[kind]}{origin}" + rng.choice(["", "   ( 0:16/00:00:16)", "+"]) + rng.choice(["\n", "\n*a remark\n"])
    return text + f"{number + 1:4} {ENDS[game['end']][1]}\n\n"


def ki2(rng, game):
    text = kif_head(game) + "\n"
    number = 0
    for number, (board, start, to, kind, promotes) in enumerate(moves_of(game), 1):
        words = board.words(kind, start, to)
        if words is None:
            return None
        could = start and kind in PROMOTED and any((at[1] > 6) if board.turn else (at[1] < 4) for at in (start, to))
        text += "▲△"[board.turn] + kif_square(board, to) + KINDS[kind] + words + ("成" if promotes else "不成" if could else "")
        text += rng.choice(["", " ", "　", "\n"])
    return text + f"\nまで{number}手で{ENDS[game['end']][1]}\n\n"


def jkf(rng, game):
    moves = [{"comments": ["a remark"]}]
    place = lambda at: {"x": at[0], "y": at[1]}
    for board, start, to, kind, promotes in moves_of(game):
        mv = {"color": board.turn, "to": place(to), "piece": kind}
        if start:
            mv["from"] = place(start)
            mv["promote"] = promotes
        elif board.reach(kind, to):
            mv["relative"] = "H"
        if to in board.at:
            mv["capture"] = board.at[to][1]
        if board.last == to:
            mv["same"] = True
            if rng.random() < 0.5:
                del mv["to"]
        moves.append({"move": mv, "time": {"now": {"m": 0, "s": 1}, "total": {"h": 0, "m": 0, "s": 1}}})
    moves.append({"special": ENDS[game["end"]][0]})
    header = {"先手": game["black"], "後手": game["white"], "棋戦": game["event"], "開始日時": game["date"].replace("-", "/")}
    return json.dumps({"header": header, "initial": {"preset": "HIRATE"}, "moves": moves}, ensure_ascii=rng.random() < 0.5, indent=rng.choice([None, 2])) + "\n"


def usi(rng, game):
    return rng.choice(["", "position "]) + "startpos moves " + " ".join(game["moves"]) + "\n"


def read_records(file, text):
    """The games of a file that obook wrote."""
    found, game, board = [], None, None
    fields = {"N+": "black", "N-": "white", "$EVENT:": "event", "$START_TIME:": "date"}
    fields |= {"先手：": "black", "後手：": "white", "棋戦：": "event", "開始日時：": "date"}
    for line in text.splitlines():
        if file.endswith(".jkf"):
            record = json.loads(line)
            game, board = dict(moves=[]), Board()
            game |= {field: record["header"][name[:-1]] for name, field in fields.items() if name[:-1] in record["header"]}
            for item in record["moves"][1:]:
                mv = item.get("move")
                if mv is None:
                    game["end"] = next(end for end, words in ENDS.items() if words[0] == item["special"])
                    continue
                at = lambda key: (mv[key]["x"], mv[key]["y"]) if key in mv else None
                assert mv["color"] == board.turn and mv.get("same", False) == (board.last == at("to"))
                assert mv.get("capture") == board.at.get(at("to"), (0, None))[1]
                game["moves"].append(board.play(at("from"), at("to"), mv["piece"], mv.get("promote", False)))
            found.append(game)
            continue
        if file.endswith(".usi"):
            found.append(dict(moves=line.removeprefix("startpos moves ").split()))
            continue
        begins = line == "V2.2" if file.endswith(".csa") else line.startswith("開始日時")
        if begins:
            game, board = dict(moves=[]), Board()
            found.append(game)
        field = next((name for name in fields if line.startswith(name)), None)
        if field:
            game[fields[field]] = line[len(field) :]
        elif file.endswith(".csa") and line[:1] in "+-" and len(line) == 7:
            start = None if line[1:3] == "00" else (int(line[1]), int(line[2]))
            kind = line[5:]
            before = kind if start is None else board.at[start][1]
            game["moves"].append(board.play(start, (int(line[3]), int(line[4])), before, before != kind))
        elif file.endswith(".csa") and line[:1] == "%":
            game["end"] = next(end for end, words in ENDS.items() if words[0] == line[1:])
        elif file.endswith(".kif") and line.strip()[:1].isdigit() and line.strip()[0].isascii():
            word = line.split(None, 1)[1]
            ends = [end for end, words in ENDS.items() if words[1] == word]
            if ends:
                game["end"] = ends[0]
                continue
            to = board.last if word[0] == "同" else ("０１２３４５６７８９".index(word[0]), RANKS.index(word[1]) + 1)
            kind = max((kind for kind, it in KINDS.items() if word[2:].startswith(it)), key=lambda kind: len(KINDS[kind]))
            rest = word[2 + len(KINDS[kind]) :]
            start = None if rest == "打" else (int(rest[-3]), int(rest[-2]))
            game["moves"].append(board.play(start, to, kind, rest.startswith("成")))
    return found


def shogi(rng, folder):
    expected = json.loads((folder / "games.json").read_text())
    for file in ["games.csa", "games.kif", "games.usi", "games.jkf"]:
        found = read_records(file, (folder / file).read_text(encoding="utf-8"))
        for game in found:
            game["date"] = game.get("date", "").replace("/", "-")
        kept = ["moves"] if file.endswith("usi") else ["moves", "black", "white", "event", "date", "end"]
        pick = lambda games: [{field: game.get(field) for field in kept} for game in games]
        assert pick(found) == pick(expected), f"{file}: {pick(found)} instead of {pick(expected)}"
    written = {}
    for file, write in [("p.csa", csa), ("p.kif", kif), ("p.ki2", ki2), ("p.jkf", jkf), ("p.usi", usi)]:
        texts = [write(rng, game) for game in expected]
        written[file] = [number for number, text in enumerate(texts) if text is not None]
        text = "".join(text for text in texts if text is not None)
        if rng.random() < 0.5:
            text = text.replace("\n", "\r\n")
        encoding = rng.choice(["utf-8", "utf-8-sig", "cp932"]) if file in ("p.kif", "p.ki2", "p.csa") else "utf-8"
        (folder / file).write_bytes(text.encode(encoding))
    (folder / "written.json").write_text(json.dumps(written))


if __name__ == "__main__":
    {"othello": othello, "shogi": shogi}[sys.argv[1]](random.Random(int(sys.argv[2])), Path(sys.argv[3]))
