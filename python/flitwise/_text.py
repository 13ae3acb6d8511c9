"""Conversion of scenarios: dicts, TOML texts and paths."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Optional, Union

from . import _native

Scenario = Union[None, str, "os.PathLike[str]", Mapping[str, Any]]
"""A path, a TOML text, a dict of keys or tables, or None for the default scenario."""

_BARE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def to_toml(scenario: Mapping[str, Any]) -> str:
    """Converts the dict ``scenario`` to TOML, with one line per key.

    Keys may be dotted, and dicts may be nested. Values are bools, numbers (including those of numpy), strings, paths,
    and lists, tuples, ranges or arrays of values.

    >>> print(to_toml({"network.mesh": {"shape": (4, 4)}, "repetitions": 3}), end="")
    network.mesh.shape = [4, 4]
    repetitions = 3
    """
    return "".join(f"{key} = {value}\n" for key, value in _lines(scenario, ""))


def _lines(table: Mapping[str, Any], prefix: str) -> Iterable[tuple[str, str]]:
    for key, value in table.items():
        if not isinstance(key, str):
            raise TypeError(f"a key cannot be {key!r}; accepted: a string")
        path = prefix + ".".join(_key(part) for part in key.split("."))
        if isinstance(value, Mapping) and value:
            yield from _lines(value, f"{path}.")
        else:
            yield path, to_value(value, path)


def _key(part: str) -> str:
    return part if part and set(part) <= _BARE else _string(part)


def _string(text: str) -> str:
    escaped = (
        _ESCAPES.get(c) or (f"\\u{ord(c):04x}" if ord(c) < 32 or ord(c) == 127 else c) for c in text
    )
    return '"' + "".join(escaped) + '"'


def to_value(value: Any, key: str) -> str:
    """Returns ``value`` in TOML. ``key`` is named in the exception if it cannot be converted."""
    if hasattr(value, "tolist"):  # numpy
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)  # numpy.logspace returns integers as floats
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, (str, os.PathLike)):
        return _string(os.fspath(value))
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{path} = {text}" for path, text in _lines(value, ""))
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, Iterable) and not isinstance(value, (bytes, bytearray, set, frozenset)):
        return "[" + ", ".join(to_value(one, key) for one in value) + "]"
    accepted = "a bool, a number, a string, a path, a dict, or a list of these"
    raise TypeError(f"`{key}` cannot be {value!r}; accepted: {accepted}")


def read(
    scenario: Scenario,
    changes: Optional[Mapping[str, Any]] = None,
    unset: Iterable[str] = (),
    memory: Union[None, int, str] = None,
) -> dict[str, Any]:
    """Returns the arguments of the compiled part for ``scenario`` with ``changes``."""
    name = "scenario"
    called: Optional[str] = "scenario"
    folder = ""
    if scenario is None:
        name = "default.toml"
        text = _native.DEFAULT.encode()
    elif isinstance(scenario, Mapping):
        text = to_toml(scenario).encode()
    elif isinstance(scenario, str) and (not scenario or "=" in scenario or "\n" in scenario):
        text = scenario.encode()
    elif isinstance(scenario, (str, os.PathLike)):
        path = Path(scenario)
        name = str(path)
        called = None
        folder = str(path.parent)
        text = path.read_bytes()
    else:
        accepted = "a path, TOML, a dict, or None for the default scenario"
        raise TypeError(f"a scenario cannot be {type(scenario).__name__}; accepted: {accepted}")
    if isinstance(unset, str):
        unset = [unset]
    return {
        "name": name,
        "called": called,
        "text": text,
        "folder": folder,
        "set": [f"{key}={to_value(value, key)}" for key, value in (changes or {}).items()],
        "unset": list(unset),
        "memory": None if memory is None else str(memory),
    }
