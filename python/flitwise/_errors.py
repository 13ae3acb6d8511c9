"""Exceptions. Their texts are the error messages of the command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional


@dataclass(frozen=True)
class Diagnostic:
    """An error and its location."""

    message: str
    """The problem, in one line."""
    accepted: Optional[str] = None
    """The accepted values."""
    hint: Optional[str] = None
    """A suggestion, such as a key with a similar name."""
    file: Optional[str] = None
    """The name of the file, or ``scenario`` if the scenario is a text or a dict. ``None`` if the error has no
    location."""
    line: Optional[int] = None
    """The line in the file, counted from 1."""
    column: Optional[int] = None
    """The position of the first invalid character in the line, counted from 1."""
    text: Optional[str] = None
    """The invalid text."""


class FlitwiseError(Exception):
    """The base class of all exceptions of flitwise.

    ``str(error)`` is the error message of the command: the problem, its location, the accepted values and a hint.
    ``error.diagnostics`` contains the same information as a list of :class:`Diagnostic`.
    """

    def __init__(self, text: str, diagnostics: Any = ()) -> None:
        super().__init__(text)
        self.diagnostics: list[Diagnostic] = [Diagnostic(**fields) for fields in diagnostics]


class ScenarioError(FlitwiseError, ValueError):
    """A scenario is invalid, or a requested point, row, column or file does not exist. The command exits with 2."""


class MeasurementError(FlitwiseError, ValueError):
    """Measurements are invalid. The command exits with 2."""


class RunError(FlitwiseError, RuntimeError):
    """A run failed, for example because a schedule is invalid. The command exits with 1."""


class Deadlock(RunError):
    """Messages wait for each other's channels in a cycle.

    Attributes: ``cycle``, a list of pairs: the number of a message, and the name of the channel that it waits for. Each
    message waits for the next one in the list, and the last one waits for the first.
    """

    cycle: list[tuple[int, str]] = []
    """Pairs of the number of a message and the name of the channel that it waits for, in the order of the cycle."""
