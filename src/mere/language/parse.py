"""From a line of text to an expression.

    query       = and ("or" and)*
    and         = not ("and" not)*
    not         = "not" not | "(" query ")" | predicate | words
    predicate   = ("at least" | "at most") fraction "of" column comparison
    fraction    = 0.3 | 30% | 30 percent
    column      = age | birth_* | "birth year" | /^age/ | any column
    comparison  = ("<" | "<=" | ">" | ">=") value | "between" value "and" value
    value       = 40 | -1.5e3 | 2020-01-31 | 2020-01-31T10:30
    words       = 'lung cancer' | "lung cancer"

Whatever does not fit is refused with the place where it stopped to make sense.
"""

from __future__ import annotations

import datetime
import re
from typing import NamedTuple, NoReturn

from mere.errors import QueryError
from mere.language.expressions import And, Expression, Not, Or, Predicate, Words, fraction_of, number_of

_TOKEN = re.compile(
    r"""(?P<blank>\s+)
    |(?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<pattern>/(?:[^/\\]|\\.)+/)
    |(?P<moment>[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)?)(?![\w])
    |(?P<number>[-+]?(?:[0-9][0-9_]*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(?![\w*?.])
    |(?P<sign><=|>=|≤|≥|<|>|\(|\)|%)
    |(?P<word>[^\s<>()≤≥'"%]+)""",
    re.VERBOSE,
)
_SIGNS = {"≤": "<=", "≥": ">="}
_COMPARISONS = ("<", "<=", ">", ">=")
_DEEPEST = 100  # brackets and nots inside each other


class Token(NamedTuple):
    kind: str
    text: str
    place: int

    def says(self, *texts: str) -> bool:
        return self.kind in ("word", "sign") and self.text.casefold() in texts


def meaning_of(given: str | Expression) -> Expression:
    """An expression, or what a text says."""
    return given if isinstance(given, Expression) else parse(given)


def parse(text: str) -> Expression:
    """The expression that a line of text means.

    >>> str(parse("at least 30 percent of age < 40 AND not 'draft'"))
    "at least 30% of age < 40 and not 'draft'"
    """
    if not isinstance(text, str):
        raise QueryError(f"{text!r} is no text", "write for example: at least 30% of age < 40")
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.next, self.depth = text, list(_tokens(text)), 0, 0

    def whole(self) -> Expression:
        expression = self._query()
        if self._peek().kind != "end":
            self._refuse(f"'{self._peek().text}' is one too many", "join conditions with and, or")
        return expression

    def _query(self) -> Expression:
        parts = [self._and()]
        while self._take("or"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _and(self) -> Expression:
        parts = [self._not()]
        while self._take("and"):
            parts.append(self._not())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _not(self) -> Expression:
        self.depth += 1
        if self.depth > _DEEPEST:
            self._refuse("too many brackets inside each other", "ask a simpler question")
        try:
            if self._take("not"):
                return Not(self._not())
            if self._take("("):
                inner = self._query()
                self._expect(")", "the bracket is never closed", "close it with )")
                return inner
            return self._leaf()
        finally:
            self.depth -= 1

    def _leaf(self) -> Expression:
        token = self._peek()
        if token.kind == "quoted":
            self.next += 1
            said = _unquoted(token.text)
            if not said.strip():
                self._refuse_at(token, "nothing stands in these quotes", "give a word")
            return Words(said)
        if token.says("at"):
            return self._predicate()
        if token.kind == "end":
            self._refuse("a condition is missing", "write for example: at least 30% of age < 40")
        self._refuse(f"'{token.text}' begins no condition", "words stand in quotes; predicates begin with at least")

    def _predicate(self) -> Predicate:
        self.next += 1
        side = self._peek()
        if not side.says("least", "most"):
            self._refuse("'at' what?", "write at least, or at most")
        self.next += 1
        first = self._peek()
        fraction = self._fraction()
        self._expect("of", "of which column?", "write for example: at least 30% of age < 40")
        column = self._column()
        sign = self._peek()
        operator = _SIGNS.get(sign.text, sign.text.casefold())
        if operator == "between":
            self.next += 1
            low = self._value()
            self._expect("and", "between one number and which?", "write between 18 and 65")
            place = self._peek()
            value: float | tuple[float, float] = (low, self._value())
        elif operator in _COMPARISONS and sign.kind == "sign":
            self.next += 1
            place = self._peek()
            value = self._value()
        else:
            self._refuse("a comparison is missing", "write <, <=, >, >= or between")
        try:
            exact = fraction_of(fraction)
        except QueryError as error:
            self._refuse_at(first, error.message, error.remedy)
        try:
            return Predicate(column, f"at {side.text.casefold()}", exact, operator, value)
        except QueryError as error:
            self._refuse_at(place if "between" in error.message else sign, error.message, error.remedy)

    def _fraction(self) -> str:
        token = self._peek()
        if token.kind != "number":
            self._refuse("how much of it?", "give a fraction: 30%, or 0.3")
        self.next += 1
        percent = self._take("%") or self._take("percent")
        return token.text.replace("_", "") + ("%" if percent else "")

    def _column(self) -> str | None:
        token = self._peek()
        if token.kind == "end" or token.kind == "sign":
            self._refuse("which column?", "give a name, a glob, /a regular expression/ or any column")
        self.next += 1
        if token.says("any") and self._peek().says("column", "columns"):
            self.next += 1
            return None
        if token.kind != "quoted":
            return token.text
        return _unquoted(token.text) or None

    def _value(self) -> float:
        token = self._peek()
        text = _unquoted(token.text) if token.kind == "quoted" else token.text
        self.next += 1
        try:
            if token.kind == "number":
                return number_of(float(text.replace("_", "")))
            if token.kind in ("moment", "quoted"):
                return number_of(datetime.datetime.fromisoformat(text))
        except (ValueError, OverflowError) as error:
            self._refuse_at(token, f"'{text}' is no date: {error}", "write 2020-01-31")
        self._refuse_at(token, "a number or a date is missing", "compare with 40, or with 2020-01-31")

    def _peek(self) -> Token:
        return self.tokens[self.next] if self.next < len(self.tokens) else Token("end", "", len(self.text))

    def _take(self, text: str) -> bool:
        if self._peek().says(text):
            self.next += 1
            return True
        return False

    def _expect(self, text: str, fault: str, remedy: str) -> None:
        if not self._take(text):
            self._refuse(fault, remedy)

    def _refuse(self, fault: str, remedy: str) -> NoReturn:
        self._refuse_at(self._peek(), fault, remedy)

    def _refuse_at(self, token: Token, fault: str, remedy: str) -> NoReturn:
        _refuse(self.text, token.place, fault, remedy)


def _tokens(text: str) -> list[Token]:
    tokens, place = [], 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            fault = "the quote is never closed" if text[place] in "'\"" else f"'{text[place]}' makes no sense"
            _refuse(text, place, fault, "close it" if text[place] in "'\"" else "leave it out")
        if match.lastgroup != "blank":
            tokens.append(Token(str(match.lastgroup), match.group(), place))
        place = match.end()
    return tokens


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _refuse(text: str, place: int, fault: str, remedy: str) -> NoReturn:
    marked = f"{text[:place]}⟦here⟧{text[place:]}"
    raise QueryError(f"{fault} at character {place + 1} of the query: {marked}", remedy)
