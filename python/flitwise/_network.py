"""A network that a program drives: it sends messages while simulated time passes, and receives them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Optional, SupportsIndex, Union

from . import _native, _text
from ._native import Event
from ._run import changes
from ._text import Scenario

if TYPE_CHECKING:
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

Class = Union[SupportsIndex, str]
"""The number or the name of a class of messages."""


class Network:
    """A network inside a simulation of your own.

    The program sends messages while simulated time passes. It receives an :class:`Event` when a message arrives or a
    timer is due. If the scenario sets ``workload.embed.ejection`` to ``"held"``, messages wait at their nodes until
    the program takes them, and there they block the messages behind them.

    ``scenario`` is a path, a TOML text or a dict of keys, as in :func:`run`, without a workload or with
    ``[workload.embed]``. ``set``, ``unset`` and ``memory`` are as in :func:`run`. Nodes are numbered from 0. Times are
    in ticks, lengths in bytes. A class is selected by its number or its name. ``fw.guide("embed")`` prints the rules.

    The times of all messages are those of :func:`simulate` for the same messages, however the program sends them and
    advances. Networks are independent of each other. A network can only be used by the thread that opened it. It is
    closed by :meth:`close`, at the end of a ``with`` block, or when it is no longer used.

    Raises :class:`ScenarioError` if the scenario is invalid, and OSError if a file cannot be read. Methods raise
    ValueError, and change nothing, if a node, a class, a length or a time is invalid, or if the network is closed.

    >>> net = fw.Network({"network.mesh.shape": [4, 4], "workload.embed.flit_bytes": 16})
    >>> net.send(0, 15, 128, user=7)  # 128 bytes from node 0 to node 15, now
    0
    >>> net.advance()
    1
    >>> for event in net.poll():
    ...     print(event.kind, event.user, event.delivered, event.hops)
    message 7 15 6
    """

    def __init__(
        self,
        scenario: Scenario,
        *,
        set: Optional[Mapping[str, Any]] = None,
        unset: Union[str, Iterable[str]] = (),
        memory: Union[None, int, str] = None,
    ) -> None:
        self._net = _native.Network(_text.read(scenario, changes(set), unset, memory))

    @classmethod
    def booksim(cls, path: Union[str, os.PathLike[str]]) -> Network:
        """Opens the network of the BookSim 2 configuration in the file ``path``, as the simulators that embed BookSim 2
        read it. A tick is a cycle. Messages are held at their nodes.

        Raises :class:`ScenarioError` if a key or value is not accepted, and OSError if the file cannot be read.
        """
        net = cls.__new__(cls)
        net._net = _native.Network.booksim(os.fspath(path))
        return net

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self._net.nodes

    @property
    def classes(self) -> list[str]:
        """The names of the classes of messages, by number. A scenario without classes has one, ``"default"``."""
        return self._net.classes

    @property
    def flit_bytes(self) -> int:
        """The number of bytes of a flit. The length of a message in flits is rounded up, and is at least 1."""
        return self._net.flit_bytes

    @property
    def cycle(self) -> int:
        """The number of ticks in which a flit crosses a channel."""
        return self._net.cycle

    @property
    def tick_fs(self) -> int:
        """The length of a tick in femtoseconds, or 0 if the scenario does not set it or it is not an integer."""
        return self._net.tick_fs

    @property
    def now(self) -> int:
        """The current tick, initially 0. All earlier events have happened, and the arrivals and timers of this tick."""
        return self._net.now

    @property
    def next(self) -> Optional[int]:
        """:attr:`now` if there are unread events or a timer is due. Otherwise a later tick before which no event
        happens, and which may be earlier than the first event. ``None`` means that no event will happen unless the
        program sends a message, sets a timer or takes a message."""
        return self._net.next

    @property
    def held(self) -> int:
        """The number of messages that wait at their nodes."""
        return self._net.held

    @property
    def pending(self) -> int:
        """The number of messages that have been sent and have neither been returned by :meth:`poll` nor taken."""
        return self._net.pending

    def can_send(self, src: SupportsIndex, bytes: SupportsIndex, cls: Class = 0) -> bool:
        """Returns True if the injection queue of the node ``src`` has room for a message of ``bytes`` bytes now. Queues
        are unlimited unless the scenario sets ``workload.embed.queue``."""
        return self._net.can_send(src, bytes, cls)

    def send(
        self,
        src: SupportsIndex,
        dst: SupportsIndex,
        bytes: SupportsIndex,
        at: Optional[SupportsIndex] = None,
        cls: Class = 0,
        user: SupportsIndex = 0,
    ) -> Optional[int]:
        """Sends a message of ``bytes`` bytes from the node ``src`` to the node ``dst``. Returns its number, or
        None without room in the injection queue.

        The message requests its injection channel at tick ``at``, by default now. Messages are numbered from 0 in the
        order of calls. If messages request a channel at the same time, the one with the smallest number has priority.
        The event of the message has ``user``, any number from 0 to 2^64 - 1.
        """
        return self._net.send(src, dst, bytes, at, cls, user)

    def send_many(
        self, src: Any, dst: Any, bytes: Any, at: Any = None, cls: Any = 0, user: Any = None
    ) -> Numbers:
        """Sends messages as repeated calls of :meth:`send` do. Returns the array of their numbers, with -1 for each
        message for which an injection queue has no room.

        Each argument is an array of integers with one value per message, or one integer for all messages. ``cls`` can
        also be the name of the class of all messages. ``user`` is 0 if it is None. Raises ValueError with the index of
        the first message that is invalid; the messages before it have been sent.

        >>> net = fw.Network({"network.mesh.shape": [4, 4]})
        >>> net.send_many([0, 1, 2], 15, 8, user=[10, 11, 12])
        array([0, 1, 2])
        """
        import numpy as np

        cls = self.classes.index(cls) if isinstance(cls, str) and cls in self.classes else cls
        columns = {
            "src": _integers(src, "src", np),
            "dst": _integers(dst, "dst", np),
            "bytes": _integers(bytes, "bytes", np),
            "at": _integers(self.now if at is None else at, "at", np),
            "cls": _integers(cls, "cls", np),
            "user": _integers(0 if user is None else user, "user", np, np.uint64),
        }
        length = max((column.size for column in columns.values() if column.ndim), default=1)
        for name, column in columns.items():
            if column.ndim and column.size != length:
                raise ValueError(f"`{name}` has {column.size} values, but other arguments have {length}")
            columns[name] = np.ascontiguousarray(np.broadcast_to(column, (length,)))
        ids: Numbers = self._net.send_many(columns)
        return ids

    def timer(self, at: SupportsIndex, user: SupportsIndex = 0) -> int:
        """Sets a timer for tick ``at``, and returns its number. Timers are numbered from 0 in the order of calls. The
        event of the timer has ``user``. A timer for the current tick is an event of the next call of :meth:`advance`."""
        return self._net.timer(at, user)

    def advance(self, until: Optional[SupportsIndex] = None) -> int:
        """Advances to the first tick with events, but at most to the tick ``until``. Returns the number of unread events,
        or 0 if there are none up to ``until``.

        If there are unread events, it returns their number and does nothing else. All events of a tick happen at once.
        Without ``until``, it advances until there are events or none will happen. The time is then that of the last
        message that is held, if that is later. Ctrl-C interrupts it; another call continues.

        Raises :class:`Deadlock` in place of returning 0 if messages are left, none of them is held, and nothing will
        move any more. The time is then ``until``, or without it the tick at which nothing moved any more. The exception
        has an empty ``cycle``. Its text names the messages and channels.
        """
        return self._net.advance(until)

    def poll(self, max: Optional[SupportsIndex] = None) -> list[Event]:
        """Removes and returns the first unread events, at most ``max``, by default all of them.

        Events are in the order of ticks. Events of a tick are first messages by number, then timers by number.
        """
        return self._net.poll(max)

    def poll_arrays(self, max: Optional[SupportsIndex] = None) -> dict[str, Any]:
        """Removes events as :meth:`poll` does, and returns a dict of arrays: one for each attribute of :class:`Event`,
        with one value per event. ``kind`` is 0 for a message and 1 for a timer. ``user`` is an array of uint64, the
        others are arrays of int64.

        >>> net = fw.Network({"network.mesh.shape": [4, 4]})
        >>> numbers = net.send_many([0, 1, 2], 15, 8, at=[0, 5, 5])
        >>> while net.advance():
        ...     arrived = net.poll_arrays()
        ...     print(arrived["id"], arrived["delivered"] - arrived["requested"])
        [0] [15]
        [2] [18]
        [1] [26]
        """
        return self._net.poll_arrays(max)

    def peek(self, node: SupportsIndex, cls: Class = 0) -> Optional[Event]:
        """Returns the message of a class that :meth:`take` would return, or None."""
        return self._net.peek(node, cls)

    def take(self, node: SupportsIndex, cls: Class = 0) -> Optional[Event]:
        """Takes the first message of a class that is held at ``node``, in the order of arrivals, and returns it, or
        None without such a message. Its flits leave the buffer of the node in the current tick.

        Raises ValueError unless the scenario sets ``workload.embed.ejection`` to ``"held"``.
        """
        return self._net.take(node, cls)

    def stats(self) -> dict[str, Any]:
        """Returns statistics: the name of the ``engine``; the numbers of messages ``sent``, ``delivered``, ``pending``
        and ``held``; the ``flits`` and ``bytes`` that were sent; ``latency_mean`` and ``latency_max`` from the request
        to the arrival, in ticks. ``classes`` has a dict for each class. Means without messages are None.
        """
        stats: dict[str, Any] = json.loads(self._net.stats())
        return stats

    def close(self) -> None:
        """Closes the network and releases its memory. A second call has no effect."""
        self._net.close()

    def __enter__(self) -> Network:
        return self

    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._net.closed:
            return "<closed network>"
        pending = f"{self.pending:,} message{'' if self.pending == 1 else 's'}"
        return f"<network of {self.nodes:,} nodes at tick {self.now:,}, {pending} pending>"


def _integers(values: Any, name: str, np: Any, dtype: Any = None) -> Any:
    """Returns the argument ``name`` as an array of integers of the type ``dtype``, by default int64."""
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    accepted = "accepted: integers, one for each message, or one for all"
    if array.ndim > 1 or array.dtype.kind not in "bui":
        kind = f"{array.ndim}-dimensional {array.dtype}" if array.ndim else f"{values!r}"
        hint = "; `.astype(int)` converts floats if none is missing" if array.dtype.kind == "f" else ""
        raise TypeError(f"`{name}` cannot be {kind}{hint}\n{accepted}")
    dtype = dtype or np.int64
    limits = np.iinfo(dtype)
    if array.size and not (limits.min <= int(array.min()) and int(array.max()) <= limits.max):
        wrong = next(value for value in array.ravel().tolist() if not limits.min <= value <= limits.max)
        raise ValueError(f"`{name}` cannot be {wrong}; accepted: integers from {limits.min} to {limits.max}")
    return array.astype(dtype, copy=False)
