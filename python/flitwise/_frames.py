"""Tables as pandas or polars data frames, or as lists of dicts."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from typing import Any, Optional

_LIBRARIES = ("pandas", "polars", "list")
_chosen: Optional[str] = None


def use_frames(library: Optional[str]) -> None:
    """Selects the type of tables: ``"pandas"``, ``"polars"`` or ``"list"``, which means lists of dicts.

    ``None`` selects pandas if it is installed, otherwise polars, otherwise lists of dicts. This is the default.

    >>> fw.use_frames("list")
    >>> fw.run(repetitions=2).summary[0]["algorithm"]
    'opt-mesh'
    >>> fw.use_frames(None)
    """
    global _chosen
    if library is not None and library not in _LIBRARIES:
        raise ValueError(f"tables cannot be {library!r}; accepted: {', '.join(_LIBRARIES)}, None")
    _chosen = library


def frame(columns: Mapping[str, Any]) -> Any:
    """Returns a table of ``columns``, which are numpy arrays or lists of strings. pandas shares the arrays without
    copying."""
    library = _chosen or next((name for name in _LIBRARIES if importlib.util.find_spec(name)), "list")
    if library == "pandas":
        import pandas

        return pandas.DataFrame(dict(columns), copy=False)
    if library == "polars":
        import polars

        return polars.DataFrame(dict(columns))
    values = [column if isinstance(column, list) else _without_nan(column.tolist()) for column in columns.values()]
    return [dict(zip(columns, row)) for row in zip(*values)]


def _without_nan(values: list[Any]) -> list[Any]:
    return [None if value != value else value for value in values]
