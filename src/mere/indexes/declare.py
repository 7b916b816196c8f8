"""What does a kind declare: the settings that a lake keeps for it, and the parameters of its questions?

Both are data, so that every surface can be made from them: the settings of `mere index`, the arguments of `Lake.ask`,
the flags of `mere join` and `mere ask`, and the tables in the documents.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mere.errors import UsageError


@dataclass(frozen=True)
class Setting:
    """One setting of a lake: kept with its snapshots."""

    name: str
    default: Any
    meaning: str
    shapes_index: bool = True  # whether a change of it has everything read again
    least: float | None = None
    check: Callable[[Mapping[str, Any]], object] | None = None  # raises UsageError; is given all settings
    flag: str = ""  # of `mere index`, such as --values/--no-values; any setting can be set with --set


@dataclass(frozen=True)
class Parameter:
    """One parameter of a question besides `k` and `per`."""

    name: str
    meaning: str
    default: Any = None
    type: type = str  # what the text of a command line becomes
    choices: tuple[str, ...] = ()
    flags: str = ""  # of `mere join`, such as --exact/--approximate; no flag if empty
    needs: str = ""  # another parameter without which this one has no use on the command line
    asks: bool = False  # what the question asks with, instead of the first parameter
    is_frame: bool = False  # it takes a mapping of columns, and never a list


# of every question that takes a table; `Asker.query` reads it, so that kinds need not
KEEP_WORDS = Parameter(
    "keep_words", "words for missing values, such as NA, that are values in what was given", type=list
)


def checked_settings(declared: Iterable[Setting], values: Mapping[str, Any]) -> None:
    """Refuse a value that is out of bounds before anything is read."""
    for setting in declared:
        value = values[setting.name]
        wrong_type = isinstance(value, bool) != isinstance(setting.default, bool) or not _fits(value, setting.default)
        if wrong_type or (setting.least is not None and not value >= setting.least):
            least = "" if setting.least is None else f" of at least {setting.least}"
            kind = type(setting.default).__name__
            raise UsageError(
                f"setting '{setting.name}' must be {_article(kind)}{least}, got {value!r}", _usual(setting)
            )
        if setting.check is not None:
            setting.check(values)


def _fits(value: Any, default: Any) -> bool:
    return isinstance(value, int | float) if isinstance(default, float) else isinstance(value, type(default))


def _article(kind: str) -> str:
    return {"int": "an int", "bool": "a bool", "str": "a str", "float": "a number"}.get(kind, f"a {kind}")


def _usual(setting: Setting) -> str:
    return f"the default is {setting.default!r}"


def checked_parameters(kind: str, declared: Iterable[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Every declared parameter with its value or default; an unknown name or a value that is no choice is refused."""
    parameters = {parameter.name: parameter for parameter in declared}
    if unknown := [name for name in given if name not in parameters]:
        raise UsageError(f"'{kind}' has no parameter '{unknown[0]}'", f"it has {', '.join(parameters)}")
    values = {name: given.get(name, parameter.default) for name, parameter in parameters.items()}
    for name, parameter in parameters.items():
        if parameter.type is bool and not isinstance(values[name], bool | np.bool_ | None):
            raise UsageError(f"'{name}' must be True or False, got {values[name]!r}", "leave it out for the default")
        if parameter.choices and values[name] is not None and values[name] not in parameter.choices:
            listed = ", ".join(parameter.choices)
            raise UsageError(
                f"'{name}' must be one of {listed}, got {values[name]!r}",
                f"for example {name}='{listed.split(', ')[0]}'",
            )
    return values


def parameter_from_text(kind: str, parameter: Parameter, text: str) -> Any:
    """The value that a command line gives as text.

    >>> parameter_from_text("overlap", Parameter("numbers", "", type=bool), "true")
    True
    >>> parameter_from_text("composite", Parameter("on", "", type=list), 'city,"a,b"')
    ['city', 'a,b']
    """
    words = {"true": True, "yes": True, "false": False, "no": False}
    try:
        if parameter.type is list:
            return next(csv.reader([text], skipinitialspace=True))
        return words[text.casefold()] if parameter.type is bool else parameter.type(text)
    except (KeyError, ValueError, csv.Error) as error:
        wanted = "true or false" if parameter.type is bool else _article(parameter.type.__name__)
        raise UsageError(f"'{kind}': {parameter.name} must be {wanted}, got '{text}'", parameter.meaning) from error
