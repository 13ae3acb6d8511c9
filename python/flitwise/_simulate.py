"""Messages in arrays on a network, and what became of them in arrays."""

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
    """What became of messages.

    Attributes: the arrays ``injected`` and ``delivered`` (when, in ticks), ``blocked`` (for how many ticks the head flit
    waited for channels) and ``hops`` (channels between routers), int64, one value for each message, in their order;
    ``completion``, when the last was delivered, in ticks; and ``engine``, the one that ran.
    """

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
        """A row for each link between routers that anything crossed: flits, which part of the time it was busy, and how
        long messages waited for it; None unless ``simulate(.., links=True)``. Waits for injection and ejection channels
        are in ``blocked``, and in no link."""
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
    memory: Union[None, int, str] = None,
) -> Simulation:
    """Runs messages that are requested at fixed times, without node overheads, on a network.

    ``network`` is a scenario, as in :func:`run`, without a workload: its network, channels, routers and engine.
    ``messages`` has four columns, by name: ``src`` and ``dst`` (nodes), ``flits``, and ``start`` (ticks), which is 0 if it
    is left out. A column is an array of whole numbers, one for each message, or one number for all; a dict of arrays, a data
    frame and a structured array all do, those with other columns too. Arrays of int64 are read where they are. Where two messages request a channel at
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

    names = _names(messages)
    columns = {name: _column(messages[name], name, np) for name in names}
    columns.setdefault("start", np.asarray(0))
    length = max((column.size for column in columns.values() if column.ndim), default=1)
    for name, column in columns.items():
        if column.ndim and column.size != length:
            raise ScenarioError(f"messages: `{name}` has {column.size} values where others have {length}")
        columns[name] = np.ascontiguousarray(np.broadcast_to(column, (length,)))
    source = _text.read(network, changes(set, **{"workload.trace.details": links}), (), memory)
    return Simulation(_native.simulate(source, columns))


_NEEDED = ("src", "dst", "flits")
_COLUMNS = (*_NEEDED, "start")


def _names(messages: Any) -> list[str]:
    """The columns of ``messages`` that are read; it is an error if one is missing, or looks misspelt."""
    accepted = f"accepted: columns called {', '.join(_COLUMNS)}"
    fields = getattr(getattr(messages, "dtype", None), "names", None)
    if isinstance(messages, Mapping):
        given = [str(name) for name in messages]
        other = next((name for name in given if name not in _COLUMNS), None)
        if other is not None:
            near = get_close_matches(other.lower(), _COLUMNS, 1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise ScenarioError(f"messages: no column is called `{other}`{hint}\n{accepted}")
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
        raise ScenarioError(f"messages: `start` is missing, and there is `{near[0]}`: rename it, or leave it out\n{accepted}")
    return [name for name in _COLUMNS if name in given]


def _column(values: Any, name: str, np: Any) -> Any:
    """The column ``name`` as whole numbers."""
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim > 1 or not np.can_cast(array.dtype, np.int64, "same_kind"):
        kind = f"{array.ndim}-dimensional {array.dtype}" if array.ndim else f"{values!r}"
        hint = "; `.astype(int)` makes floats whole, where none is missing" if array.dtype.kind == "f" else ""
        accepted = "accepted: whole numbers, one for each message, or one for all"
        raise ScenarioError(f"messages: `{name}` cannot be {kind}{hint}\n{accepted}")
    if array.dtype.kind == "u" and array.size and int(array.max()) >= 2**63:
        raise ScenarioError(f"messages: `{name}` cannot be {int(array.max())}\naccepted: whole numbers below 2^63")
    return array.astype(np.int64, copy=False)
