"""How is a transformation program written as one Spark SQL expression?

For Spark 4 with its default settings, in ANSI mode or not: no function is used that fails where a part is missing.  The
outputs are those of the program, NULL for None, by the facts that `written_python` names: a missing part is
as good as an empty one, so that one `nullif(.., '')` covers both; trimming is left out where it changes nothing; and
what would be read twice, like the length of a long expression, is given a name:

    transform(array(long expression), x -> substring(x, 2, length(x) - 2))[0]

Spark's `trim` removes U+0020 alone, its positions count code points, and `split_part` takes its separator literally;
`split` takes a regular expression, in which special characters are escaped.

Python and the JVM may know different versions of Unicode.  Compared on every code point, `lower`, `upper` and
the letters `\\p{L}` agree between Python 3.11 and Spark 4.3 on Java 17, except for letters that were added in
Unicode 14 or later, and the few older ones whose other case was added then.
A column whose name contains `${` cannot be named in Spark SQL while spark.sql.variable.substitute is on.
"""

from __future__ import annotations

from collections.abc import Callable

from mere.transform.program import MONTH_NUMBER, Constant, Piece, Program, Split

_SHORT = 40  # characters: an expression that is repeated rather than named
_KEPT = {"digits": "[^0-9]", "letters": r"[^\p{L}]", "letters and digits": r"[^\p{L}0-9]"}
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def as_spark_sql(program: Program) -> str:
    """An expression over the program's columns: for `selectExpr`, `expr`, or the text of a query.

    >>> print(as_spark_sql(Program(("name",), (Piece(0, (Split(",", 1, 1),)), Constant(" "), Piece(0, stop=1)))))
    concat(nullif(trim(split_part(`name`, ',', 2)), ''), ' ', nullif(trim(left(trim(`name`), 1)), ''))
    """
    steps = [
        _literal(step.text) if isinstance(step, Constant) else _piece(step, _identifier(program.columns[step.column]))
        for step in program.steps
    ]
    output = f"concat({', '.join(steps)})" if len(steps) > 1 else (steps or ["''"])[0]
    return output if program.limit is None else f"left({output}, {program.limit})"


def _piece(piece: Piece, text: str) -> str:
    for split in piece.splits:
        text = _parts(f"trim({text})" if " " in split.separator else text, split)
    text = _kept(text, piece.keep) if piece.keep else f"trim({text})"
    empty = True  # whether the text may be empty
    if piece.month:
        text, empty = f"try_element_at(str_to_map({_MONTHS}), lower({text}))", False
    if piece.zeros:
        text, empty = _filled(f"nullif({text}, '')" if empty else text, piece.zeros), False
    elif piece.zeros == 0:
        text = f"regexp_replace({text}, '(?s)^0+(?=.)', '')"  # the last character stays
    if piece.start or piece.stop is not None:
        text, empty = f"trim({_slice(text, piece.start, piece.stop)})", True
    if piece.case:
        text = _cased(text, piece.case)
    return f"nullif({text}, '')" if empty else text


def _parts(text: str, split: Split) -> str:
    """The parts of a text; empty or NULL where one is missing."""
    first, last = split.first, split.last
    if first == last:
        return f"split_part({text}, {_literal(split.separator)}, {_position(first)})"
    parts = f"split({text}, {_literal(_pattern(split.separator))})"
    if first >= 0 and last == -1:
        return _joined(f"filter({parts}, (part, i) -> i >= {first})", split)
    if first < 0 and last < 0:  # slice gives nothing where it would start before the first
        return _joined(f"slice({parts}, {first}, {max(last - first + 1, 0)})", split)
    return _named(parts, lambda x: _counted_parts(x, split))


def _counted_parts(parts: str, split: Split) -> str:
    """Parts counted from the start and the end, or up to a place where there may be none: the size decides."""
    first, last = split.first, split.last
    if first >= 0 > last:
        return _joined(f"slice({parts}, {first + 1}, greatest(size({parts}) - {first - last - 1}, 0))", split)
    if first >= 0:
        enough, taken = f"size({parts}) > {last}", f"slice({parts}, {first + 1}, {max(last - first + 1, 0)})"
    else:
        enough = f"size({parts}) BETWEEN {max(-first, last + 1)} AND {last - first}"
        taken = f"slice({parts}, {first}, {last - first + 1} - size({parts}))"
    return f"CASE WHEN {enough} THEN {_joined(taken, split)} END"


def _joined(parts: str, split: Split) -> str:
    return f"array_join({parts}, {_literal(split.separator)})"


def _kept(text: str, keep: str) -> str:
    if keep == "no spaces":
        return f"replace({text}, ' ', '')"
    return f"regexp_replace({text}, {_literal(_KEPT[keep])}, '')"


def _filled(text: str, width: int) -> str:
    return _named(text, lambda x: f"lpad({x}, greatest(length({x}), {width}), '0')")  # lpad alone cuts a longer one


def _slice(text: str, start: int, stop: int | None) -> str:
    """Python's `text[start:stop]`."""
    if stop is None:
        return f"substring({text}, {start + 1})" if start >= 0 else f"right({text}, {-start})"
    if (start < 0) == (stop < 0):
        length = max(stop - start, 0)
        return f"left({text}, {length})" if start == 0 else f"substring({text}, {_position(start)}, {length})"
    if start >= 0:
        return _named(text, lambda x: f"substring({x}, {start + 1}, length({x}) - {start - stop})")
    return _named(text, lambda x: f"left(right({x}, {-start}), {stop} - greatest(length({x}) - {-start}, 0))")


def _position(position: int) -> int:
    """Counted from 1, or from the end as before."""
    return position if position < 0 else position + 1


def _cased(text: str, case: str) -> str:
    if case != "title":
        return f"{case}({text})"
    word = "concat(upper(left(word, 1)), lower(substring(word, 2)))"
    return f"array_join(transform(split({text}, ' '), word -> {word}), ' ')"


def _named(text: str, body: Callable[[str], str]) -> str:
    """`body` of a text that it reads more than once: repeated if it is short, or by the name x."""
    return body(text) if len(text) <= _SHORT else f"transform(array({text}), x -> {body('x')})[0]"


def _pattern(separator: str) -> str:
    """A regular expression of Java that matches this text alone."""
    return "".join(f"[{c}]" if c in ".$|()*+?{" else f"\\{c}" if c in "\\^[" else c for c in separator)


def _literal(text: str) -> str:
    """A string literal of Spark SQL; `${` is taken apart, for it stands for a variable even in there."""
    escaped = "".join(
        _ESCAPES.get(c) or (c if c.isprintable() or ord(c) > 0xFFFF else f"\\u{ord(c):04x}") for c in text
    )
    return "'" + escaped.replace("${", "\\u0024{") + "'"


def _identifier(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"


_MONTHS = _literal(",".join(f"{name}:{number}" for name, number in MONTH_NUMBER.items()))
