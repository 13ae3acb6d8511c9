"""Messages in arrays on a network, and what became of them in arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional

from . import _native, _text
from ._frames import frame
from ._text import Scenario

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Times = NDArray[np.int64]


class Simulation:
    """What became of messages. Arrays are int64, as long as there are messages, and in their order."""

    def __init__(self, result: dict[str, Any]) -> None:
        self.injected: Times = result["injected"]
        """When each message was granted its injection channel, in ticks."""
        self.delivered: Times = result["delivered"]
        """When the last flit of each had crossed its ejection channel, in ticks."""
        self.blocked: Times = result["blocked"]
        """How long the head flit of each waited for channels, its own injection channel included, in ticks."""
        self.hops: Times = result["hops"]
        """The channels between routers on the path of each."""
        self.completion: int = result["completion"]
        """When the last message was delivered, in ticks; 0 without messages."""
        self.engine: str = result["engine"]
        """The engine that ran."""
        self._links = result["links"]

    @property
    def links(self) -> Any:
        """A row for each channel: flits, which part of the time it was busy, and how long messages waited for it; None
        unless ``simulate(.., links=True)``."""
        return None if self._links is None else frame(self._links)

    @property
    def table(self) -> Any:
        """The arrays as one table."""
        names = ("injected", "delivered", "blocked", "hops")
        return frame({name: getattr(self, name) for name in names})

    def __repr__(self) -> str:
        messages = f"{len(self.delivered):,} messages"
        return f"<{messages}, completed at tick {self.completion:,} on the {self.engine} engine>"


def simulate(
    network: Scenario,
    messages: Any,
    *,
    set: Optional[Mapping[str, Any]] = None,
    links: bool = False,
    memory: Optional[str] = None,
) -> Simulation:
    """Runs messages that are requested at fixed times, without node overheads, on a network.

    ``network`` is a scenario, as in :func:`run`, without a workload: its network, channels, routers and engine.
    ``messages`` has four columns, by name: ``src`` and ``dst`` (nodes), ``flits``, and ``start`` (ticks), which is 0 if it
    is left out. A column is an array of whole numbers, one for each message, or one number for all; a dict of arrays, a data
    frame and a structured array all do. Arrays of int64 are read where they are. Where two messages request a channel at
    the same time, the one that is listed first is first.

    Raises :class:`ScenarioError` if the network is wrong or a message cannot be, :class:`Deadlock` if messages wait for each
    other for ever; Ctrl-C ends the run.

    >>> import numpy as np
    >>> done = fw.simulate({"network.mesh.shape": [4, 4]}, {"src": [0, 3], "dst": [15, 0], "flits": 8, "start": [0, 5]})
    >>> done.delivered
    array([15, 17])
    >>> done.blocked.sum()
    np.int64(0)
    """
    import numpy as np

    columns = {}
    for name in ("src", "dst", "flits", "start"):
        columns[name] = _column(messages, name, np)
    length = max((column.size for column in columns.values() if column.ndim), default=1)
    for name, column in columns.items():
        if column.ndim and column.size != length:
            raise ValueError(f"messages: `{name}` has {column.size} values where others have {length}")
        columns[name] = np.ascontiguousarray(np.broadcast_to(column, (length,)))
    source = _text.read(network, {**(set or {}), "workload.trace.details": links}, (), memory)
    return Simulation(_native.simulate(source, columns))


def _column(messages: Any, name: str, np: Any) -> Any:
    """The column ``name`` of ``messages`` as whole numbers."""
    try:
        values = messages[name]
    except (KeyError, ValueError, IndexError):
        if name != "start":
            raise ValueError(f"messages: `{name}` is missing; accepted: src, dst, flits, start") from None
        values = 0
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim > 1 or not np.can_cast(array.dtype, np.int64, "same_kind"):
        kind = f"{array.ndim}-dimensional {array.dtype}"
        raise ValueError(f"messages: `{name}` is {kind}; accepted: whole numbers, one for each message, or one for all")
    return array.astype(np.int64, copy=False)
