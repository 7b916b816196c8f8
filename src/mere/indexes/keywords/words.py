"""Which words does a text contain, and at which positions?

    text                words                        also, at the first one's position
    World Cup           world cup
    worldCup2019        world cup 2019               worldcup2019
    CO2_per_capita      co 2 per capita              co2
    HTTPServer IDs      http server ids              httpserver
    Côte d'Ivoire       cote d ivoire
    人口 (total)         人 口 total

A chunk between white space is normalised to NFKC, loses its accents (combining marks U+0300 to U+036F only:
the marks of other scripts are letters of their words), and is cut into runs of letters, marks and digits; a
run is cut again where a capital or a digit starts, and also kept uncut.  So `co2` matches `co 2`, and
`worldCup` matches `worldcup`. A run with more than two groups of digits is a code and not cut.  Chinese and
Japanese, written without spaces, are indexed character by character; a run of them in a query is a phrase,
hence a substring.

Cells are many, and stored in lower case: their runs are not cut, but for Chinese and Japanese.  `co2` in a cell is the
word `co2` only; and `jean-pierre` is also the word `jeanpierre` (`cells`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

LONGEST = 64  # characters of a word: a longer word is cut, in tables and in queries alike
_MOST_NUMBERS = 2  # groups of digits in a run; more than that, and the run is a code
_ACCENTS = re.compile("[\u0300-\u036f]+")
_RUN = re.compile("[ulsdc]+")
_PIECE = re.compile("c|d+|u{2,}s(?![ls])|u+(?=u[ls])|u?[ls]+|u+")  # HTTPServer: HTTP, Server; IDs stays IDs
MOST_JOINED, LONGEST_JOINED = 3, 24  # words of a cell that are joined, and bytes of them: addresses of pages are longer
_CELL_RUN = re.compile("[a-z0-9\u0080-\U0010ffff]+")
_ASCII_WORD = re.compile("[a-z0-9]+")
_CELL_WORD = re.compile("c|[ulsd]+")
_WITHOUT_SPACES = ((0x3040, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))

Words = tuple[tuple[int, str], ...]  # position, word


class _Shapes(dict[int, str]):
    """The shape of each character: capital, other letter, small s, digit, a word of its own, or none."""

    def __missing__(self, code: int) -> str:
        self[code] = shape = _shape(chr(code))
        return shape


def _shape(character: str) -> str:
    if character == "s":
        return "s"
    if any(low <= ord(character) <= high for low, high in _WITHOUT_SPACES) and character.isalpha():
        return "c"
    if character.isalpha() or unicodedata.category(character).startswith("M"):
        return "u" if character.isupper() or character.istitle() else "l"
    return "d" if character.isnumeric() else " "


_SHAPES = _Shapes()


def words(text: str) -> list[tuple[int, str]]:
    """The words of a text with their positions, in order of position.

    >>> words("CO2 per Capita")
    [(0, 'co'), (0, 'co2'), (1, '2'), (2, 'per'), (3, 'capita')]
    """
    numbered: list[tuple[int, str]] = []
    position = 0
    for chunk in text.split():
        spelled = spell(chunk)
        numbered += [(position + offset, word) for offset, word in spelled]
        position += width(spelled)
    return numbered


def width(spelled: Words | list[tuple[int, str]]) -> int:
    """How many positions these words take."""
    return spelled[-1][0] + 1 if spelled else 0


@lru_cache(1 << 15)
def spell(chunk: str) -> Words:
    """The words of a chunk without white space (NFKC may add white space, which separates words like any other)."""
    if not chunk.isascii():
        chunk = _plain(unicodedata.normalize("NFKC", chunk))
    shapes = chunk.translate(_SHAPES)
    numbered: list[tuple[int, str]] = []
    for run in _RUN.finditer(shapes):
        numbered += _cut(chunk[run.start() : run.end()], run.group(), width(numbered))
    return tuple(numbered)


def _cut(run: str, shape: str, position: int) -> list[tuple[int, str]]:
    """The pieces of a run, and, after the first of them, the uncut run."""
    spans = [piece.span() for piece in _PIECE.finditer(shape)]
    if sum(shape[start] == "d" for start, _ in spans) > _MOST_NUMBERS:
        return [(position, _fold(run))]
    cut = [(position + i, _fold(run[start:stop])) for i, (start, stop) in enumerate(spans)]
    if len(cut) > 1 and "c" not in shape and (uncut := (position, _fold(run))) != cut[0]:
        cut.insert(1, uncut)
    return cut


def _fold(piece: str) -> str:
    folded = piece.casefold()
    return (folded if folded.isascii() else _plain(folded))[:LONGEST]


def _fold_plain(piece: str) -> str:
    """The same of a text that has no accents: what folding leaves as it is has none, either."""
    return piece[:LONGEST] if piece.casefold() == piece else _fold(piece)


def _plain(text: str) -> str:
    """Without accents."""
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", text)))


def pieces(text: str) -> list[str]:
    """One word per position: the cut ones only.

    >>> pieces("worldCup 2019")
    ['world', 'cup', '2019']
    """
    numbered = words(text)
    return [word for i, (position, word) in enumerate(numbered) if i == 0 or position != numbered[i - 1][0]]


def cell_words(value: str) -> list[str]:
    """The words of a normalised value, in order.

    >>> cell_words("co2 of 人口"), cell_words("o'neill-müller")
    (['co2', 'of', '人', '口'], ['o', 'neill', 'muller'])
    """
    if not value.isascii():
        value = _plain(value)
    if value.isascii():
        return [word[:LONGEST] for word in _ASCII_WORD.findall(value.casefold())]
    shapes = value.translate(_SHAPES)
    return [_fold_plain(value[place.start() : place.end()]) for place in _CELL_WORD.finditer(shapes)]


def joined_words(value: str) -> list[str]:
    """The words that two or three short words of a normalised value are, if there is no space between them.

    >>> joined_words("jean-pierre o'neill of 4:10")
    ['jeanpierre', 'oneill', '410']
    """
    joined = []
    for chunk in value.split():
        if chunk.isalnum():  # one run
            continue
        runs = _CELL_RUN.findall(chunk)
        if 1 < len(runs) <= MOST_JOINED and len("".join(runs).encode()) <= LONGEST_JOINED:
            joined += cell_words("".join(runs))
    return joined


def without_spaces(word: str) -> bool:
    """Whether it is a Chinese or Japanese character, which is a word of its own."""
    return word.translate(_SHAPES) == "c"
