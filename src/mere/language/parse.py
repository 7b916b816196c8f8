"""From a line of text to an expression.

    query       = and ("or" and)*
    and         = not ("and" not)*
    not         = "not" not | "(" query ")" | predicate | words
    predicate   = ("at least" | "at most") fraction "of" column comparison
    fraction    = 0.3 | 30% | 30 percent
    column      = age | birth_* | "birth year" | /^age/ | any column | the same column
    comparison  = ("<" | "<=" | ">" | ">=" | "=" | "!=") value | "between" value "and" value
    value       = 40 | -1.5e3 | 1,234.5 | 2020-01-31 | 2020-01-31T10:30 | 31.01.2020 | '31 January 2020'
    words       = 'lung cancer' | "lung cancer"

"The same column" is that of the nearest predicate before it in the same "and".
Any other text is an error that names the first place where it does not follow this grammar.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple, NoReturn

from mere.errors import QueryError
from mere.language.columns import fitting
from mere.language.expressions import And, Expression, Not, Or, Words
from mere.language.numbers import fraction_of, moment_of, number_of, value_of
from mere.language.predicates import COMPARISONS, Predicate, SameColumn, Share, same_column

_TOKEN = re.compile(
    r"""(?P<blank>\s+)
    |(?P<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")
    |(?P<pattern>/(?:[^/\\]|\\.)+/)
    |(?P<moment>[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)?)(?![\w])
    |(?P<number>[-+]?(?:[0-9][0-9_]*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(?![\w*?.]|[-,/:]\w)
    |(?P<sign><=|>=|<>|!=|==|≤|≥|≠|<|>|=|\(|\)|%)
    |(?P<word>(?:(?!!=)[^\s<>=()≤≥≠'"%])+)""",
    re.VERBOSE,
)
_SIGNS = {"≤": "<=", "≥": ">=", "==": "=", "≠": "!=", "<>": "!="}
_MOST_NESTED = 100  # brackets and nots inside each other
_EXAMPLE = "at least 50% of age < 40"
_ABOUT_TEXT = (
    "give one, e.g. 40 or 2020-01-31; texts are not compared: a quoted word alone, such as 'cancer', finds tables that "
    "mention it, and mere.ask('overlap', ['Rome']) as a condition those with a column that has this value"
)


class Token(NamedTuple):
    kind: str
    text: str
    place: int

    def is_any(self, *texts: str) -> bool:
        return self.kind in ("word", "sign") and self.text.casefold() in texts


def meaning_of(given: str | Expression) -> Expression:
    """An expression as it is; a text parsed."""
    return given if isinstance(given, Expression) else parse(given)


def parse(text: str) -> Expression:
    """The expression that a line of text stands for.

    >>> str(parse("at least 30 percent of age < 40 AND not 'draft'"))
    "at least 30% of age < 40 and not 'draft'"
    """
    if not isinstance(text, str):
        raise QueryError(f"expected a text or a condition, got {text!r}", f"e.g. '{_EXAMPLE}'")
    return _Parser(text).parse()


class _OfTheSame(Predicate):
    """A predicate "of the same column", until it is known of which."""


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.tokens, self.next, self.depth = text, list(_tokens(text)), 0, 0

    def parse(self) -> Expression:
        expression = self._query()
        if self._peek().kind != "end":
            self._refuse(f"unexpected '{self._peek().text}' after a complete condition", "join conditions with and, or")
        return expression

    def _query(self) -> Expression:
        parts = [self._and()]
        while self._take("or"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _and(self) -> Expression:
        parts: list[Expression] = []
        while not parts or self._take("and"):
            place = self._peek()
            part = self._not()
            if isinstance(part, _OfTheSame):
                self._attach(part, parts, place)
            else:
                parts.append(part)
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _attach(self, part: _OfTheSame, parts: list[Expression], place: Token) -> None:
        """Make a predicate "of the same column" one group with the nearest predicate before it."""
        for number, before in reversed(list(enumerate(parts))):
            if isinstance(before, Predicate | SameColumn):
                plain = Predicate(None, part.side, part.fraction, part.operator, part.value)
                try:
                    parts[number] = same_column(before, plain)
                except QueryError as error:
                    self._refuse_at(place, error.message, error.remedy)
                return
        self._refuse_same(place)

    def _refuse_same(self, place: Token) -> NoReturn:
        remedy = "write it after another predicate: at least 30% of age < 40 and at least 30% of the same column > 60"
        self._refuse_at(place, "there is no predicate before this one that 'the same column' could mean", remedy)

    def _not(self) -> Expression:
        self.depth += 1
        if self.depth > _MOST_NESTED:
            self._refuse(f"more than {_MOST_NESTED} nested brackets or nots", "write a simpler condition")
        try:
            if self._take("not"):
                place = self._peek()
                if isinstance(part := self._not(), _OfTheSame):
                    self._refuse_same(place)
                return Not(part)
            if self._take("("):
                inner = self._query()
                self._expect(")", "a closing bracket is missing", "add )")
                return inner
            return self._leaf()
        finally:
            self.depth -= 1

    def _leaf(self) -> Expression:
        token = self._peek()
        if token.kind == "quoted":
            self.next += 1
            text = _unquoted(token.text)
            if not text.strip():
                self._refuse_at(token, "the quotes are empty", "write a word between them")
            return Words(text)
        if token.is_any("at"):
            return self._predicate()
        if token.kind == "end":
            self._refuse("a condition is missing", f"e.g. {_EXAMPLE}")
        remedy = f"a condition starts with 'at least' or 'at most', e.g. {_EXAMPLE}, or is a word in quotes"
        self._refuse(f"expected a condition, got '{token.text}'", remedy)

    def _predicate(self) -> Predicate:
        self.next += 1
        side = self._peek()
        if not side.is_any("least", "most"):
            self._refuse("'at' without 'least' or 'most'", "write at least, or at most")
        self.next += 1
        fraction = self._fraction()
        self._expect("of", "'of' and a column are missing", f"e.g. {_EXAMPLE}")
        same = self._take_same()
        column = None if same else self._column()
        sign = self._peek()
        operator = _SIGNS.get(sign.text, sign.text.casefold())
        if operator == "between":
            self.next += 1
            low = self._value()
            self._expect("and", "'and' and a second number are missing", "e.g. between 18 and 65")
            place = self._peek()
            value: float | tuple[float, float] = (low, self._value())
        elif operator in (*COMPARISONS, "!=") and sign.kind == "sign":
            self.next += 1
            place = self._peek()
            value = self._value()
        else:
            self._refuse("a comparison is missing", "write <, <=, >, >=, =, != or between")
        try:
            made = _compared(Share(f"at {side.text.casefold()}", fraction, column), operator, value)
            return _OfTheSame(**made.__dict__) if same else made
        except QueryError as error:
            self._refuse_at(place, error.message, error.remedy)

    def _take_same(self) -> bool:
        """Whether "the same column" comes next; a column may be called "the", or "same"."""
        words = [token for token in self.tokens[self.next : self.next + 3] if token.kind == "word"]
        texts = [token.text.casefold() for token in words]
        for same in (["the", "same", "column"], ["same", "column"]):
            if texts[: len(same)] == same:
                self.next += len(same)
                return True
        return False

    def _fraction(self) -> Fraction:
        token = self._peek()
        if token.kind != "number":
            self._refuse("a fraction is missing", "give one, e.g. 30% or 0.3")
        self.next += 1
        percent = self._take("%") or self._take("percent")
        try:
            return fraction_of(token.text.replace("_", "") + ("%" if percent else ""))
        except QueryError as error:
            self._refuse_at(token, error.message, error.remedy)

    def _column(self) -> str | None:
        token = self._peek()
        if token.kind == "end" or token.kind == "sign":
            self._refuse("a column is missing", "give a name, a glob, /a regular expression/ or any column")
        self.next += 1
        if token.is_any("any") and self._peek().is_any("column", "columns"):
            self.next += 1
            return None
        column = _unquoted(token.text) if token.kind == "quoted" else token.text
        try:
            fitting(column or None, [""])
        except QueryError as error:
            self._refuse_at(token, error.message, error.remedy)
        return column or None

    def _value(self) -> float:
        token = self._peek()
        read = {"number": _plain_number, "moment": moment_of, "quoted": _quoted_value, "word": value_of}.get(token.kind)
        if read is None:
            self._refuse("a number or a date is missing", "give one, e.g. 40 or 2020-01-31")
        self.next += 1
        try:
            return read(token.text)
        except QueryError as error:
            has_digit = any(map(str.isdigit, token.text))
            self._refuse_at(token, error.message, error.remedy if has_digit else _ABOUT_TEXT)

    def _peek(self) -> Token:
        return self.tokens[self.next] if self.next < len(self.tokens) else Token("end", "", len(self.text))

    def _take(self, text: str) -> bool:
        if self._peek().is_any(text):
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


def _compared(share: Share, operator: str, value: float | tuple[float, float]) -> Predicate:
    if operator == "!=":
        return share != value
    return Predicate(share.column, share.side, share.fraction, operator, value)


def _tokens(text: str) -> list[Token]:
    tokens, place = [], 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            _refuse(text, place, "a closing quote is missing", "add it")
        if match.lastgroup != "blank":
            tokens.append(Token(str(match.lastgroup), match.group(), place))
        place = match.end()
    return tokens


def _plain_number(text: str) -> float:
    return number_of(float(text.replace("_", "")))


def _quoted_value(text: str) -> float:
    return value_of(_unquoted(text))


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _refuse(text: str, place: int, fault: str, remedy: str) -> NoReturn:
    marked = f"{text[:place]}⟦here⟧{text[place:]}"
    raise QueryError(f"{fault} at character {place + 1} of the query: {marked}", remedy)
