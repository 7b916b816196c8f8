"""How are answers shown while better ones are looked for?

On a terminal, as a table that each better answer replaces, with a line on what is being tried; it disappears when the
final answer is printed.  Elsewhere nothing is shown before the final answer.  Before the first answer, a moving line
says after a second that the search goes on.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from mere.cli.progress import show_waiting
from mere.cli.render import clean, console, hits_grid

if TYPE_CHECKING:
    from mere.answers import Hits


class Live:
    """The answers of a question as they arrive."""

    def __init__(self, on_terminal: bool, stack: ExitStack) -> None:
        self._on_terminal, self._stack = on_terminal, stack
        self._display: Any = None
        self._latest: Hits | None = None

    def update(self, hits: Hits) -> None:
        """Show a better answer."""
        if not self._on_terminal:
            return
        from rich.console import Group
        from rich.text import Text

        self._latest = hits
        trying = Text(f"{clean(hits.notes[-1])}; Ctrl-C ends it", style="italic", no_wrap=True, overflow="ellipsis")
        self._started().update(Group(*([hits_grid(hits, brief=True)] if hits.hits else []), trying), refresh=True)

    def _started(self) -> Any:
        """The table on the terminal, in the place of the line that says that the search goes on."""
        if self._display is None:
            from rich.live import Live as Display

            self._stack.close()
            self._display = self._stack.enter_context(Display(console=console(), transient=True, auto_refresh=False))
        return self._display

    def interrupted(self) -> Hits | None:
        """The latest answer that was shown, with a note that it is not the final one."""
        if self._latest is not None:
            self._latest.notes[-1] = f"interrupted: the answer is {self._latest.notes[-1]}"
        return self._latest


@contextmanager
def show_live(as_json: bool) -> Iterator[Live]:
    """What shows answers as they arrive, if a person reads them at a terminal."""
    with ExitStack() as stack:
        stack.enter_context(show_waiting())
        yield Live(not as_json and sys.stdout.isatty(), stack)
