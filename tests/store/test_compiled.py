"""When kernels are loaded, and what happens when somebody interrupts them."""

from __future__ import annotations

import pytest

from mere.store import compiled


def test_an_interruption_inside_a_kernel_is_an_interruption() -> None:
    with pytest.raises(KeyboardInterrupt), compiled.interruptible():
        inner = SystemError("returned a result with an exception set")
        inner.__cause__ = KeyboardInterrupt()
        raise SystemError("returned a result with an exception set") from inner
    with pytest.raises(SystemError), compiled.interruptible():
        raise SystemError("another fault")
