"""Schedules, and their verification, without a run."""

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
    """The schedules of a point of a scenario: messages with sender, receiver and predicted times."""

    def __init__(self, source: dict[str, Any], point: int, algorithms: list[str], repetition: Optional[int]) -> None:
        self._scenario = _native.Scenario(source)
        self._point = point
        self._algorithms = algorithms
        self._repetition = repetition
        self._scenario.check_choice(point, algorithms, repetition)

    @cached_property
    def messages(self) -> Any:
        """One row per message, in sending order: ``step``, ``src``, ``dst``, ``flits``, ``hops``, and the predicted
        times of the start of its send and of its receipt in ticks (``send_start``, ``received``)."""
        return frame(self._scenario.listing(self._point, self._algorithms, self._repetition, False))

    @cached_property
    def holdings(self) -> Any:
        """One row per node and step of an exchange or collective: the blocks that the node holds after the step."""
        return frame(self._scenario.listing(self._point, self._algorithms, self._repetition, True))

    def picture(self, *diagrams: str) -> Picture:
        """Returns diagrams of a small schedule: ``"tree"``, ``"timing"``, ``"paths"``, ``"blocks"``, ``"cuts"``.
        Without arguments, returns all diagrams that are small enough to be legible."""
        repetition = 0 if self._repetition is None else self._repetition
        drawn = self._scenario.diagrams(self._point, self._algorithms, repetition, list(diagrams))
        return Picture(drawn)

    def dot(self) -> str:
        """Returns graphs for Graphviz, one for each algorithm and repetition."""
        return self._scenario.dot(self._point, self._algorithms, self._repetition)

    def goal(self, flit_bytes: Optional[int] = None) -> str:
        """Returns the operations of the first algorithm and repetition in GOAL, the input format of LogGOPS simulators.

        ``flit_bytes`` is the number of bytes of a flit. ``None`` means 1.
        """
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
    """Returns the schedules of a scenario without running them.

    ``point`` is the index of a point of a sweep. Without ``algorithms``, the schedules of all algorithms are returned.
    If ``repetition`` is None, those of all repetitions are returned. :func:`run` describes ``scenario``, ``set`` and
    ``unset``.

    Raises :class:`ScenarioError` if the scenario is invalid, or does not have the point, algorithm or repetition.

    >>> multicast = {"algorithms": ["u-mesh"], "flits": 64, "group": 16}
    >>> schedule = fw.schedule({"network.mesh.shape": [4, 4], "workload.multicast": multicast})
    >>> list(schedule.messages.columns)[:5]
    ['algorithm', 'repetition', 'step', 'src', 'dst']
    >>> len(schedule.messages)  # one to each of the other nodes
    15
    """
    names = [algorithms] if isinstance(algorithms, str) else list(algorithms)
    source = _text.read(scenario, changes(set, seed=seed), unset, memory)
    return Schedule(source, point, names, repetition)


class Check:
    """Verification of the routing and the schedules of a scenario, and the contention in its runs.

    Attributes: ``findings``, a dict for each algorithm at each point; ``stopped``, the number of rows that did not
    complete; ``deadlocks``, the routings that can deadlock.
    """

    def __init__(self, text: str, found: dict[str, Any]) -> None:
        self.findings: list[dict[str, Any]] = found["checks"]
        """A dict for each algorithm at each point: the swept keys, ``findings`` as sentences, ``deadlock_free`` (True,
        False, or ``None`` if undecided), and ``contention`` (``None`` without a run)."""
        self.stopped: int = found["stopped"]
        """The number of rows that did not complete, for example because of a deadlock. ``contention["stopped"]`` is the
        reason."""
        self.deadlocks: list[str] = found["deadlocks"]
        """A sentence for each routing that can deadlock, unless ``router.allow_deadlock`` accepts it."""
        self._text = text

    @property
    def ok(self) -> bool:
        """True if every row completed and no routing can deadlock, or ``router.allow_deadlock`` accepts that."""
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
    """Validates a scenario, verifies its routing and schedules, runs them, and reports contention.

    A deadlock is reported in the result and does not raise an exception. :func:`run` describes the arguments.

    Raises :class:`ScenarioError` if the scenario is invalid, and :class:`RunError` if a schedule is invalid.

    >>> multicast = {"algorithms": ["opt-mesh"], "flits": 64, "group": 16}
    >>> check = fw.check({"network.mesh.shape": [4, 4], "workload.multicast": multicast})
    >>> check.ok
    True
    >>> check.findings[0]["findings"][0].split(";")[0]
    'proved for 1 schedule: every destination (15 in all) receives the message exactly once'
    """
    checked(None, progress)
    source = _text.read(scenario, changes(set, repetitions=repetitions, seed=seed), unset, memory)
    with told(progress) as tell:
        text, found = _native.Scenario(source).check(tell)
    return Check(text, json.loads(found))
