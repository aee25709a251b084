"""Boards and moves as HTML, for notebooks."""

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._book import Move

SQUARE = 32


def page(diagram: str, moves: Iterable["Move"], caption: str) -> str:
    """Draws the diagram of ``show`` as a board. The moves that the book knows have their scores in their squares."""
    scores = {move.square: f"{move.score:+}" for move in moves if move.kind and move.score is not None}
    size = 10 * SQUARE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}" role="img" font-family="sans-serif"'
        f' font-size="13" text-anchor="middle"><title>{escape(diagram)}</title>'
    ]
    for rank, row in enumerate(diagram.splitlines()[1:9], 1):
        for file, mark in enumerate(row.split()[1:9], 1):
            name = f"{'abcdefgh'[file - 1]}{rank}"
            x, y = (file + 0.5) * SQUARE, (rank + 0.5) * SQUARE
            parts.append(
                f'<rect x="{file * SQUARE}" y="{rank * SQUARE}" width="{SQUARE}" height="{SQUARE}" fill="#2e7d4f" stroke="#174429"/>'
            )
            if mark in "*O":
                fill = {"*": "#111", "O": "#f5f5f5"}[mark]
                parts.append(f'<circle cx="{x}" cy="{y}" r="{SQUARE * 0.4}" fill="{fill}"/>')
            elif name in scores:
                parts.append(_text(x, y, scores[name], "#fff"))
            elif mark == ".":
                parts.append(f'<circle cx="{x}" cy="{y}" r="2.5" fill="#fff" fill-opacity="0.6"/>')
    for number, letter in enumerate("abcdefgh", 1):
        place = (number + 0.5) * SQUARE
        parts.append(_text(place, SQUARE / 2, letter, "#888") + _text(SQUARE / 2, place, str(number), "#888"))
    return f"<figure>{''.join(parts)}</svg><figcaption>{escape(caption)}</figcaption></figure>"


def _text(x: float, y: float, text: str, fill: str) -> str:
    return f'<text x="{x}" y="{y + 5}" fill="{fill}">{escape(text)}</text>'
