"""The faults of the benchmark of reading: each changes some settings of how a table is written."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace


@dataclass
class Style:
    """How a table is written; the default is an ordinary CSV file."""

    delimiter: str = ","
    quote: str = '"'
    quoting: str = "needed"  # needed, all, text, none
    escape: str = "doubled"  # doubled, backslash, no
    inner_quotes: bool = False  # text cells contain the quote character
    encoding: str = "utf-8"
    language: str = "english"
    newline: str = "\n"
    final_newline: bool = True
    preamble: str = ""
    footer: str = ""
    ragged: str = ""
    null: str = ""
    numbers: str = ""
    header: str = "one"
    layout: str = ""  # stacked, fixed


@dataclass(frozen=True)
class Fault:
    name: str
    group: str
    settings: dict = field(default_factory=dict)


LANGUAGES = {
    "utf-8": ["german", "polish", "russian", "greek", "japanese", "turkish"],
    "utf-8-sig": ["french", "czech", "ukrainian", "chinese"],
    "utf-16": ["german", "polish", "russian", "japanese"],
    "utf-16-le": ["english", "french", "russian", "greek"],
    "utf-16-be": ["english", "german", "czech"],
    "cp1252": ["german", "french", "spanish", "portuguese", "danish"],
    "latin-1": ["german", "french", "spanish", "portuguese", "danish"],
    "mac-roman": ["german", "french", "spanish", "portuguese"],
    "cp1250": ["polish", "czech", "hungarian"],
    "iso8859-2": ["polish", "czech", "hungarian"],
    "cp1251": ["russian", "ukrainian"],
    "koi8-r": ["russian"],
    "cp1253": ["greek"],
    "cp1254": ["turkish"],
    "shift-jis": ["japanese"],
    "gb18030": ["chinese"],
}
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "pipe", ":": "colon", "#": "hash", " ": "space",
              "^": "caret", "~": "tilde", ", ": "comma space", "||": "||", "::": "::", "|~|": "|~|"}  # fmt: skip
PREAMBLES = ("title", "title and blank", "# comments", "% comments", "blank lines")
NUMBERS = ("decimal comma", "comma thousands", "point thousands", "space thousands", "apostrophe thousands",
           "indian", "currency", "percent", "brackets", "trailing minus")  # fmt: skip
NULLS = ("NA", "n/a", "NULL")
HEADERS = ("none", "two lines", "three lines", "units", "R write.table", "repeated name", "empty name", "years")
NEWLINES = {"\r\n": "CR LF", "\r": "CR", "\r\r\n": "CR CR LF"}


def _faults() -> list[Fault]:
    made = [Fault("none", "none")]
    made += [Fault(f"delimiter {word}", "delimiter", {"delimiter": text}) for text, word in DELIMITERS.items()]
    made += [
        Fault('quote " around all', "quote", {"quoting": "all"}),
        Fault('quote " around text', "quote", {"quoting": "text"}),
        Fault("quote ' where needed", "quote", {"quote": "'"}),
        Fault("quote ' around all", "quote", {"quote": "'", "quoting": "all"}),
        Fault("quote ` where needed", "quote", {"quote": "`"}),
        Fault("no quotes, stray ones", "quote", {"quoting": "none", "inner_quotes": True}),
        Fault("quotes doubled", "escape", {"inner_quotes": True}),
        Fault("quotes after backslash", "escape", {"inner_quotes": True, "escape": "backslash"}),
        Fault("quotes not escaped", "escape", {"inner_quotes": True, "escape": "no", "quoting": "text"}),
    ]
    made += [Fault(f"above: {kind}", "preamble", {"preamble": kind}) for kind in PREAMBLES]
    made += [Fault(f"below: {kind}", "footer", {"footer": kind}) for kind in ("source note", "totals")]
    made += [Fault(f"{kind} rows", "ragged", {"ragged": kind}) for kind in ("short", "long")]
    made += [Fault(f"encoding {name}", "encoding", {"encoding": name}) for name in LANGUAGES]
    made += [Fault(f"line end {word}", "line end", {"newline": text}) for text, word in NEWLINES.items()]
    made += [Fault("no final line end", "line end", {"final_newline": False})]
    made += [Fault(f"absent values as {word}", "null", {"null": word}) for word in NULLS]
    made += [Fault(f"numbers: {kind}", "numbers", {"numbers": kind}) for kind in NUMBERS]
    made += [Fault(f"header: {kind}", "header", {"header": kind}) for kind in HEADERS]
    made += [Fault("stacked tables", "layout", {"layout": "stacked"}), Fault("fixed width", "layout",
                                                                             {"layout": "fixed"})]  # fmt: skip
    return made


FAULTS = _faults()
EXCLUDED = {  # by layout: groups of faults that it leaves no meaning, or no known truth
    "stacked": {"header", "preamble", "footer", "ragged", "layout"},
    "fixed": {"delimiter", "quote", "escape", "ragged", "header", "footer", "layout"},
}


def style_of(faults: list[Fault], rng: random.Random) -> Style:
    """The style with these faults; what must fit together is chosen at random."""
    style = Style()
    for fault in faults:
        style = replace(style, **fault.settings)
    if any(fault.group == "encoding" for fault in faults):
        style.language = rng.choice(LANGUAGES[style.encoding])
    if style.numbers in ("decimal comma", "point thousands", "space thousands") and style.delimiter == ",":
        style.delimiter = rng.choice([";", ";", "\t", ","])
    if style.header == "R write.table":
        style.quoting = "text"
        style.delimiter = style.delimiter if any(f.group == "delimiter" for f in faults) else rng.choice([" ", "\t"])
    return style


def combination(rng: random.Random, count: int) -> list[Fault]:
    """So many faults of different groups that can occur in one file."""
    chosen: list[Fault] = []
    while len(chosen) < count:
        fault = rng.choice(FAULTS[1:])
        groups = {each.group for each in chosen} | {fault.group}
        layouts = {each.settings.get("layout") for each in (*chosen, fault)} - {None}
        others = groups - {"layout"}
        if len(groups) > len(chosen) and not any(EXCLUDED[layout] & others for layout in layouts):
            chosen.append(fault)
    return chosen
