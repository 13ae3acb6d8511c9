"""What there is to choose from, and where to read on."""

from __future__ import annotations

from typing import Any, Optional

from . import _native
from ._frames import frame


def algorithms(workload: Optional[str] = None) -> Any:
    """A row for each algorithm of ``workload``, or of all: ``workload``, ``algorithm``, ``summary``.

    Raises ValueError if there is no such workload.

    >>> list(fw.algorithms("exchange")["algorithm"])[:2]
    ['naive', 'naive-bidirectional']
    """
    lines = _native.algorithms()
    known = list(dict.fromkeys(line[0] for line in lines))
    if workload is not None and workload not in known:
        raise ValueError(f"no workload {workload!r} has algorithms; accepted: {', '.join(known)}")
    return _table(("workload", "algorithm", "summary"), [line for line in lines if workload in (None, line[0])])


def keys(table: Optional[str] = None) -> Any:
    """A row for each key of ``table``, such as ``"workload.multicast"``, and of the tables in it, or of all: ``table``,
    ``key``, what it ``takes``, its ``default``, its ``unit``, and a ``summary``.

    Raises ValueError if there is no such table.

    >>> list(fw.keys("network.torus")["key"])[0]
    'shape'
    """
    lines = _native.keys()
    chosen = [line for line in lines if table is None or line[0] == table or line[0].startswith(f"{table}.")]
    if not chosen:
        known = ", ".join(dict.fromkeys(line[0] for line in lines if line[0]))
        raise ValueError(f"no table is called {table!r}; accepted: {known}")
    return _table(("table", "key", "takes", "default", "unit", "summary"), chosen)


def _table(names: tuple[str, ...], lines: Any) -> Any:
    return frame({name: list(column) for name, column in zip(names, zip(*lines))})


def guide(topic: Optional[str] = None) -> None:
    """Prints the guide about ``topic``, such as ``"python"`` or ``"networks"``; without one, what guides there are.

    Raises ValueError if there is no such guide.
    """
    if topic is None:
        print("".join(f"{name:12} {summary}\n" for name, summary in _native.guides()), end="")
        return
    text = _native.guide(topic, 100)
    if text is None:
        raise ValueError(f"no guide {topic!r}; accepted: {', '.join(name for name, _ in _native.guides())}")
    print(text, end="")
