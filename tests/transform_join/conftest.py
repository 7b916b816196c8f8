"""A matching that is made by hand, in place of the real one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest


@pytest.fixture
def matching(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    """Replaces `mere.transform.match.match`."""

    def replace(match: Any) -> None:
        monkeypatch.setitem(sys.modules, "mere.transform.match", SimpleNamespace(match=match))  # type: ignore[arg-type]

    return replace
