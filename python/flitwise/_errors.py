"""What goes wrong, as exceptions whose text is what the command prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is wrong."""

    message: str
    """What is wrong, in one line."""
    accepted: Optional[str] = None
    """What is accepted instead."""
    hint: Optional[str] = None
    """What may have been meant."""
    file: Optional[str] = None
    """The file; ``scenario`` for one that is given as text or as a dict. None if it is in no text."""
    line: Optional[int] = None
    """Its line, counted from 1."""
    column: Optional[int] = None
    """Its first character in that line, counted from 1."""
    text: Optional[str] = None
    """The offending text."""


class FlitwiseError(Exception):
    """Why something was not done.

    ``str(error)`` is what the command prints: what is wrong, where, what is accepted, and a hint. ``error.diagnostics``
    has the same as a list of :class:`Diagnostic`.
    """

    def __init__(self, text: str, diagnostics: Any = ()) -> None:
        super().__init__(text)
        self.diagnostics: list[Diagnostic] = [Diagnostic(**fields) for fields in diagnostics]


class ScenarioError(FlitwiseError, ValueError):
    """A scenario is wrong, or something is asked of it that it does not have: the command's exit code 2."""


class MeasurementError(FlitwiseError, ValueError):
    """Measurements cannot be used: the command's exit code 2."""


class RunError(FlitwiseError, RuntimeError):
    """A run failed, such as one whose schedule proves wrong: the command's exit code 1."""


class Deadlock(RunError):
    """Messages wait for each other's channels for ever.

    Attributes: ``cycle``, pairs of the number of a message and the name of the channel that it waits for; each waits for
    the next, and the last for the first.
    """

    cycle: list[tuple[int, str]] = []
    """Messages, each waiting for the next and the last for the first, with the name of the channel it waits for."""
