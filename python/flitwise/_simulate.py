"""Simulation of messages on a network, with arrays as input and output."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _native, _text
from ._errors import ScenarioError
from ._frames import frame
from ._run import changes
from ._text import Scenario

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Times = NDArray[np.int64]


class Simulation:
    """Result of :func:`simulate`.

    Attributes: the int64 arrays ``injected``, ``delivered``, ``blocked`` and ``hops``, with one value per message in
    the order of the messages; ``completion``, the time of the last delivery in ticks; ``engine``, the name of the
    engine.
    """

    def __init__(self, result: dict[str, Any]) -> None:
        self.injected: Times = result["injected"]
        """The tick at which each message was granted its injection channel."""
        self.delivered: Times = result["delivered"]
        """The tick at which the last flit of each message had crossed its ejection channel."""
        self.blocked: Times = result["blocked"]
        """The time for which the head flit of each message waited for channels, including its injection channel, in
        ticks."""
        self.hops: Times = result["hops"]
        """The number of channels between routers on the path of each message."""
        self.completion: int = result["completion"]
        """The tick at which the last message was delivered, or 0 without messages."""
        self.engine: str = result["engine"]
        """The name of the engine."""
        self._links = result["links"]

    @property
    def links(self) -> Any:
        """One row per link between routers that carried a flit: flits, utilisation, and the time for which messages
        waited for it. The table requires ``links=True``; without it, the value is None. Waits for injection and
        ejection channels are included in ``blocked``, but not in this table."""
        return None if self._links is None else frame(self._links)

    @property
    def table(self) -> Any:
        """The arrays as the columns of one table."""
        names = ("injected", "delivered", "blocked", "hops")
        return frame({name: getattr(self, name) for name in names})

    def __repr__(self) -> str:
        messages = f"{len(self.delivered):,} message{'' if len(self.delivered) == 1 else 's'}"
        return f"<{messages}, completed at tick {self.completion:,} on the {self.engine} engine>"


def simulate(
    network: Scenario,
    messages: Any,
    *,
    set: Optional[Mapping[str, Any]] = None,
    links: bool = False,
    memory: Union[None, int, str] = None,
) -> Simulation:
    """Simulates messages that are requested at fixed times, without node overheads.

    ``network`` is a scenario without a workload, as in :func:`run`: its network, channels, routers and engine.
    ``messages`` is a dict of arrays, a data frame or a structured array with the columns ``src`` and ``dst`` (nodes),
    ``flits``, and optionally ``start`` (ticks, default 0). Each column is an array of integers with one value per
    message. In a dict, a column can also be one integer for all messages. Data frames and structured arrays may have
    other columns. Arrays of int64 are not copied. If two messages request a channel at the same time, the first one in
    ``messages`` has priority.

    ``links=True`` also records the load of each link. ``set`` and ``memory`` are as in :func:`run`. Ctrl-C stops the
    simulation.

    Raises :class:`ScenarioError` if the network or a message is invalid, and :class:`Deadlock` if messages wait for
    each other in a cycle.

    >>> import numpy as np
    >>> done = fw.simulate({"network.mesh.shape": [4, 4]}, {"src": [0, 3], "dst": [15, 0], "flits": 8, "start": [0, 5]})
    >>> done.delivered
    array([15, 17])
    >>> done.blocked.sum()
    np.int64(0)
    """
    import numpy as np

    names = _names(messages)
    columns = {name: _column(messages[name], name, np) for name in names}
    columns.setdefault("start", np.asarray(0))
    length = max((column.size for column in columns.values() if column.ndim), default=1)
    for name, column in columns.items():
        if column.ndim and column.size != length:
            raise ScenarioError(f"messages: `{name}` has {column.size} values, but other columns have {length}")
        columns[name] = np.ascontiguousarray(np.broadcast_to(column, (length,)))
    source = _text.read(network, changes(set, **{"workload.trace.details": links}), (), memory)
    return Simulation(_native.simulate(source, columns))


_NEEDED = ("src", "dst", "flits")
_COLUMNS = (*_NEEDED, "start")


def _names(messages: Any) -> list[str]:
    """Returns the names of the columns to read. Raises an exception if one is missing or seems misspelt."""
    accepted = f"accepted: the columns {', '.join(_COLUMNS)}"
    fields = getattr(getattr(messages, "dtype", None), "names", None)
    if isinstance(messages, Mapping):
        given = [str(name) for name in messages]
        other = next((name for name in given if name not in _COLUMNS), None)
        if other is not None:
            near = get_close_matches(other.lower(), _COLUMNS, 1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise ScenarioError(f"messages: unknown column `{other}`{hint}\n{accepted}")
    elif fields:
        given = list(fields)
    elif hasattr(messages, "columns") and hasattr(messages, "__getitem__"):
        given = [str(name) for name in messages.columns]
    else:
        raise TypeError(f"messages cannot be {type(messages).__name__}; accepted: a dict of arrays, a data frame, a structured array")
    missing = next((name for name in _NEEDED if name not in given), None)
    if missing is not None:
        raise ScenarioError(f"messages: `{missing}` is missing\n{accepted}")
    near = [name for name in given if name == "requested" or get_close_matches(name.lower(), ("start",), 1)]
    if "start" not in given and near:
        raise ScenarioError(f"messages: `start` is missing, but there is `{near[0]}`; rename or remove this column\n{accepted}")
    return [name for name in _COLUMNS if name in given]


def _column(values: Any, name: str, np: Any) -> Any:
    """Returns the column ``name`` as an array of integers."""
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim > 1 or not np.can_cast(array.dtype, np.int64, "same_kind"):
        kind = f"{array.ndim}-dimensional {array.dtype}" if array.ndim else f"{values!r}"
        hint = "; `.astype(int)` converts floats if none is missing" if array.dtype.kind == "f" else ""
        accepted = "accepted: integers, one for each message, or one for all"
        raise ScenarioError(f"messages: `{name}` cannot be {kind}{hint}\n{accepted}")
    if array.dtype.kind == "u" and array.size and int(array.max()) >= 2**63:
        raise ScenarioError(f"messages: `{name}` cannot be {int(array.max())}\naccepted: integers below 2^63")
    return array.astype(np.int64, copy=False)
