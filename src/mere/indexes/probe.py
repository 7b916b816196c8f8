"""How does a probe travel?  A probe is a flat mapping of plain values and arrays; JSON carries arrays as text."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import numpy as np


def packed(probe: Mapping[str, Any]) -> dict[str, Any]:
    """The probe with its arrays as text."""
    return {name: _pack(value) if isinstance(value, np.ndarray) else value for name, value in probe.items()}


def unpacked(document: Mapping[str, Any]) -> dict[str, Any]:
    """The probe that was packed."""
    return {name: _unpack(value) if _is_packed(value) else value for name, value in document.items()}


def _pack(array: np.ndarray) -> dict[str, Any]:
    return {"array": base64.b64encode(array.tobytes()).decode(), "dtype": array.dtype.str}


def _is_packed(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"array", "dtype"}


def _unpack(value: dict[str, Any]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(value["array"]), value["dtype"])
