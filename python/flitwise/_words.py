"""Lists of algorithms and keys, and the guides."""

from __future__ import annotations

from typing import Any, Optional

from . import _native
from ._frames import frame


def algorithms(workload: Optional[str] = None) -> Any:
    """Returns one row per algorithm: ``workload``, ``algorithm``, ``summary``.

    With ``workload``, returns only the algorithms of this workload. Raises ValueError if it does not exist or has no
    algorithms.

    >>> list(fw.algorithms("exchange")["algorithm"])[:2]
    ['naive', 'naive-bidirectional']
    """
    lines = _native.algorithms()
    known = list(dict.fromkeys(line[0] for line in lines))
    if workload is not None and workload not in known:
        raise ValueError(f"there is no workload {workload!r} with algorithms; accepted: {', '.join(known)}")
    return _table(("workload", "algorithm", "summary"), [line for line in lines if workload in (None, line[0])])


def keys(table: Optional[str] = None) -> Any:
    """Returns one row per key of a scenario: ``table``, ``key``, ``takes`` (accepted values), ``default``, ``unit``,
    ``summary``.

    With ``table``, such as ``"workload.multicast"``, returns only the keys of this table and of the tables in it.
    Raises ValueError if the table does not exist.

    >>> list(fw.keys("network.torus")["key"])[0]
    'shape'
    """
    lines = _native.keys()
    chosen = [line for line in lines if table is None or line[0] == table or line[0].startswith(f"{table}.")]
    if not chosen:
        known = ", ".join(dict.fromkeys(line[0] for line in lines if line[0]))
        raise ValueError(f"there is no table {table!r}; accepted: {known}")
    return _table(("table", "key", "takes", "default", "unit", "summary"), chosen)


def _table(names: tuple[str, ...], lines: Any) -> Any:
    return frame({name: list(column) for name, column in zip(names, zip(*lines))})


def guide(words: Optional[str] = None) -> None:
    """Prints the guide called ``words``, such as ``"python"`` or ``"networks"``, or the sections of all guides that contain
    ``words``. Without ``words``, lists the guides.

    Raises ValueError if no guide contains the words.
    """
    text = _native.guides() if words is None else _native.guide(words, 100)
    if text is None:
        raise ValueError(f"no guide contains {words!r}; flitwise.guide() lists the guides")
    print(text, end="")
