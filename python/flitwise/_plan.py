"""What is planned before anything runs: schedules, and what is proved of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Optional, Union

from . import _native, _text
from ._frames import frame
from ._run import changes
from ._show import Picture, Progress, checked, preformatted, told
from ._text import Scenario


class Schedule:
    """The schedules of a point of a scenario: who sends what to whom, and when the model says that it arrives."""

    def __init__(self, source: dict[str, Any], point: int, algorithms: list[str], repetition: Optional[int]) -> None:
        self._scenario = _native.Scenario(source)
        self._point = point
        self._algorithms = algorithms
        self._repetition = repetition
        self._scenario.check_choice(point, algorithms, repetition)

    @cached_property
    def messages(self) -> Any:
        """A row for each message in sending order: ``step``, ``src``, ``dst``, ``flits``, ``hops``, and when the model says
        that its send begins and that it is received (``send_start``, ``received``, ticks)."""
        return frame(self._scenario.listing(self._point, self._algorithms, self._repetition, False))

    @cached_property
    def holdings(self) -> Any:
        """Of exchanges and collectives, a row for each node and step: the blocks that it then holds."""
        return frame(self._scenario.listing(self._point, self._algorithms, self._repetition, True))

    def picture(self, *diagrams: str) -> Picture:
        """Diagrams of a small schedule: ``"tree"``, ``"timing"``, ``"paths"``, ``"blocks"``, ``"cuts"``; without any, all
        that can be read."""
        repetition = 0 if self._repetition is None else self._repetition
        drawn = self._scenario.diagrams(self._point, self._algorithms, repetition, list(diagrams))
        return Picture(drawn)

    def dot(self) -> str:
        """Graphs for Graphviz, one for each algorithm and repetition."""
        return self._scenario.dot(self._point, self._algorithms, self._repetition)

    def goal(self, flit_bytes: Optional[int] = None) -> str:
        """The operations of the first algorithm and repetition as the LogGOPS simulators read them; a flit has
        ``flit_bytes`` bytes, 1 if that is None."""
        return self._scenario.goal(self._point, self._algorithms, self._repetition, flit_bytes)

    def __repr__(self) -> str:
        names = ", ".join(self._algorithms or self._scenario.algorithms)
        return f"<schedules of {names} at point {self._point} of {self._scenario.points}>"

    def _repr_html_(self) -> Optional[str]:
        shown = getattr(self.messages, "_repr_html_", None)
        return shown() if shown else None


def schedule(
    scenario: Scenario = None,
    algorithms: Union[str, Iterable[str]] = (),
    *,
    point: int = 0,
    repetition: Optional[int] = None,
    set: Optional[Mapping[str, Any]] = None,
    unset: Union[str, Iterable[str]] = (),
    seed: Optional[int] = None,
    memory: Union[None, int, str] = None,
) -> Schedule:
    """The schedules of a scenario, without running them.

    Of a sweep those of the point with this index; of all ``algorithms`` if none is named, and of all repetitions if
    ``repetition`` is None. What a ``scenario`` is, and what ``set`` and ``unset`` change in it, says :func:`run`.

    Raises :class:`ScenarioError` if the scenario is wrong, or has no such point, algorithm or repetition.

    >>> multicast = {"algorithms": ["u-mesh"], "flits": 64, "group": 16}
    >>> schedule = fw.schedule({"network.mesh.shape": [4, 4], "workload.multicast": multicast})
    >>> list(schedule.messages.columns)[:5]
    ['algorithm', 'repetition', 'step', 'src', 'dst']
    >>> len(schedule.messages)  # to each of the other nodes
    15
    """
    names = [algorithms] if isinstance(algorithms, str) else list(algorithms)
    source = _text.read(scenario, changes(set, seed=seed), unset, memory)
    return Schedule(source, point, names, repetition)


class Check:
    """Proofs of the routing and the schedules of a scenario, and the contention of its runs.

    Attributes: ``findings``, a dict for each algorithm at each point; ``stopped``, how many rows did not run to the end;
    ``deadlocks``, routings that can deadlock.
    """

    def __init__(self, text: str, found: dict[str, Any]) -> None:
        self.findings: list[dict[str, Any]] = found["checks"]
        """A dict for each algorithm at each point: the swept keys, ``findings`` in sentences, ``deadlock_free`` (True, False, or
        ``None`` if undecided), and ``contention`` (``None`` without a run)."""
        self.stopped: int = found["stopped"]
        """How many rows did not run to the end, as in a deadlock; ``contention["stopped"]`` says why."""
        self.deadlocks: list[str] = found["deadlocks"]
        """A sentence for each routing that can deadlock, unless ``router.allow_deadlock`` accepts it."""
        self._text = text

    @property
    def ok(self) -> bool:
        """True if no routing can deadlock, or that is accepted, and every row ran to its end."""
        return self.stopped == 0 and not self.deadlocks

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text.rstrip("\n")

    def _repr_html_(self) -> str:
        return preformatted(self._text)


def check(
    scenario: Scenario = None,
    *,
    set: Optional[Mapping[str, Any]] = None,
    unset: Union[str, Iterable[str]] = (),
    repetitions: Optional[int] = None,
    seed: Optional[int] = None,
    memory: Union[None, int, str] = None,
    progress: Progress = None,
) -> Check:
    """Validates a scenario, proves its schedules, runs them, and looks for contention; what a deadlock does is found, and
    not raised. What the arguments are says :func:`run`.

    Raises :class:`ScenarioError` if the scenario is wrong, :class:`RunError` if a schedule is.

    >>> multicast = {"algorithms": ["opt-mesh"], "flits": 64, "group": 16}
    >>> check = fw.check({"network.mesh.shape": [4, 4], "workload.multicast": multicast})
    >>> check.ok
    True
    >>> check.findings[0]["findings"][0].split(";")[0]
    'proved for 1 schedule: each of 15 destinations receives the message exactly once'
    """
    checked(None, progress)
    source = _text.read(scenario, changes(set, repetitions=repetitions, seed=seed), unset, memory)
    with told(progress) as tell:
        text, found = _native.Scenario(source).check(tell)
    return Check(text, json.loads(found))
