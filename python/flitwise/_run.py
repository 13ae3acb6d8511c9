"""Runs: scenarios whose rows are computed, and what is to be seen in them."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Optional, Union

from . import _native, _text
from ._errors import ScenarioError
from ._frames import frame
from ._show import Page, Picture, Progress, checked, preformatted, told
from ._text import Scenario

_SMALL = 8_000_000
"""Bytes of hops that are recorded without being asked for."""

_LOG = {"x": [True, False], "y": [False, True], "both": [True, True], "none": [False, False]}
"""The logarithmic axes, x and y, by the names of ``Run.plot``."""


def _strings(one_or_more: Union[str, Iterable[str]]) -> list[str]:
    return [one_or_more] if isinstance(one_or_more, str) else list(one_or_more)


def changes(set: Optional[Mapping[str, Any]], **keys: Any) -> dict[str, Any]:
    """Keys that are set: those of ``set``, and those of ``keys`` that are not None."""
    if set is not None and not isinstance(set, Mapping):
        raise TypeError(f"set cannot be {set!r}; accepted: a dict of keys")
    return {**(set or {}), **{key: value for key, value in keys.items() if value is not None}}


class Run:
    """A scenario that was run: its rows and their summary, with what is to be seen in them.

    Times are whole ticks of the length ``tick``, where the scenario has a tick or units, which imply one. Tables are
    pandas data frames where pandas is installed: see :func:`flitwise.use_frames`. ``print(run)`` is the table that the
    command prints.

    Attributes: ``name``, that of the scenario; ``tick``, such as ``"10ns"``, or None; ``axes``, the keys that are swept.
    """

    def __init__(self, source: dict[str, Any], jobs: Optional[int], messages: bool, progress: Progress) -> None:
        checked(jobs, progress)
        self._source = source
        self._jobs = jobs
        scenario = _native.Scenario(source)
        self._scenario = scenario
        begin = time.monotonic()
        with told(progress) as tell:
            self._run = scenario.run(jobs, messages, tell)
        self._seconds = time.monotonic() - begin
        self.name: str = scenario.name
        """The name of the scenario."""
        self.tick: Optional[str] = scenario.tick
        """The length of a tick, such as ``"10ns"``, or ``None`` for a scenario without ticks and units."""
        self.axes: list[str] = scenario.axes
        """The keys that are swept."""

    @property
    def summary(self) -> Any:
        """A row for each algorithm at each point: means, standard deviations and 95 % confidence intervals over the
        repetitions, with the columns of the command's ``summary.csv``."""
        return self.table("summary")

    @property
    def rows(self) -> Any:
        """A row for each algorithm and repetition at each point, with the columns of the command's ``rows.csv``."""
        return self.table("rows")

    @property
    def messages(self) -> Any:
        """A row for each message of every row: ``src``, ``dst`` (nodes), ``flits``, when it was ``requested``,
        ``injected``, ``delivered`` and ``received`` (ticks), its ``hops``, how long it was ``blocked`` (ticks) and, where
        nodes have injection channels, ``queued`` for its own, a part of that; when and why its send ``began``.

        Where :func:`flitwise.run` was not told to keep them, every row is run again.
        """
        return frame(self._message_columns)

    @cached_property
    def _message_columns(self) -> dict[str, Any]:
        kept = "messages.csv" in self._run.files
        run = self._run if kept else self._scenario.run(self._jobs, True, None)
        columns = run.columns("messages.csv")
        if columns is None:
            raise ScenarioError("nothing is known of the messages of such a workload")
        return columns

    @property
    def links(self) -> Any:
        """A row for each link between routers that anything crossed, of every row: how many ``flits`` it carried, for which
        part of the time (``utilisation``), for how long messages ``held`` it and ``waited`` for it (ticks), and how many
        ``messages`` they were. Where the scenario does not ask for ``details``, every row is run again.

        Raises :class:`ScenarioError` where nothing moves over links, as on a grid or without a network.
        """
        return frame(self._link_columns)

    @cached_property
    def _link_columns(self) -> dict[str, Any]:
        columns = self._run.columns("links.csv")
        # where a schedule alone says what links carry, nothing is known of waits
        if columns is None or (columns["waited"] != columns["waited"]).all():
            columns = self._scenario.links(self._jobs) or columns
        if columns is None:
            raise ScenarioError("nothing moves over links in this scenario")
        return columns

    @property
    def points(self) -> Any:
        """A row for each point: its number, which messages and links have, and the values of the swept keys."""
        values = dict(zip(self.axes, self._scenario.settings()))
        return frame({"point": list(range(self._scenario.points)), **values})

    @property
    def files(self) -> list[str]:
        """The names of the files that :meth:`save` writes, the manifest aside."""
        return self._run.files

    def text(self, name: str) -> str:
        """The file ``name``, byte for byte what the command writes.

        Raises KeyError if there is no such file: :attr:`files` has their names.
        """
        text = self._run.text(name)
        if text is None:
            raise KeyError(f"no file {name!r}; accepted: {', '.join(self.files)}")
        return text

    def table(self, name: str) -> Any:
        """The file ``name`` as a table, with or without ``.csv``. Whole numbers are int64; columns in which some are
        missing are float64 with NaN. ``"messages"`` and ``"links"`` are :attr:`messages` and :attr:`links`.

        Raises KeyError if there is no such file: :attr:`files` has their names.
        """
        if name.removesuffix(".csv") in ("messages", "links"):
            return getattr(self, name.removesuffix(".csv"))
        columns = self._run.columns(name if name.endswith(".csv") else f"{name}.csv")
        if columns is None:
            raise KeyError(f"no file {name!r}; accepted: {', '.join(self.files)}")
        return frame(columns)

    @property
    def verdict(self) -> str:
        """The main result in a sentence: the best algorithm and its margin, saturation, or the completion time."""
        return self._run.verdict()

    def plot(
        self,
        x: Optional[str] = None,
        y: Optional[str] = None,
        where: Union[str, Iterable[str]] = (),
        *,
        by: Union[str, Iterable[str]] = (),
        x_min: Optional[float] = None,
        x_max: Optional[float] = None,
        y_min: Optional[float] = None,
        y_max: Optional[float] = None,
        log: Optional[str] = None,
        title: Optional[str] = None,
    ) -> Picture:
        """Curves of the summary with error bars, as ``flitwise plot`` draws them.

        ``x`` is a swept key or the end of its name, ``"algorithm"``, or a column as in ``y``; ``y`` a column of the summary,
        where ``"blocked_time"`` is ``"blocked_time_mean"``; ``where`` conditions on swept keys, such as
        ``"channel.buffer >= 4"``, which must all hold.
        ``by`` names the keys that distinguish curves, by default the algorithm and keys that are text; other keys make plots
        of their own. ``x_min``, ``x_max``, ``y_min`` and ``y_max`` are ends of the axes, in their units. ``log`` is
        ``"x"``, ``"y"``, ``"both"`` or ``"none"``: the logarithmic axes, by default chosen from the values.
        Raises :class:`ScenarioError` if there is no such key or column.
        """
        if log is not None and log not in _LOG:
            raise ValueError(f"log cannot be {log!r}; accepted: {', '.join(map(repr, _LOG))}, or None to choose")
        return Picture(
            self._run.plot(
                {
                    "x": x,
                    "y": y,
                    "conditions": _strings(where),
                    "curve_keys": _strings(by),
                    "limits": [x_min, x_max, y_min, y_max],
                    "log": None if log is None else _LOG[log],
                    "title": title,
                }
            )
        )

    def explain(self, rows: Union[str, Iterable[str]] = ()) -> Explanation:
        """Why rows took as long as they did: their critical path, and who blocked whom.

        ``rows`` are ``"all"`` or such as ``"point=0,algorithm=opt-mesh,repetition=2"``, of which any part may be left
        out; without any the median repetitions of the point whose algorithms differ most. They are run again, hop by hop.
        """
        texts, values = self._run.explain(_selectors(rows), None)
        return Explanation(texts, json.loads(values)["rows"])

    def report(self, rows: Union[str, Iterable[str]] = ()) -> Page:
        """The page of the run: its table, plots, and and a replay of ``rows``, which are as in
        :meth:`explain`."""
        return Page(self._run.report(_selectors(rows)))

    def save(self, folder: Union[str, os.PathLike[str]]) -> None:
        """Writes the files of the run and its manifest to ``folder``, all of them or none: what the command writes, so
        that ``flitwise show``, ``plot``, ``compare`` and ``report`` take the folder.

        Raises FileExistsError if a run is there already, or another OSError if it cannot be written.
        """
        beside = os.path.abspath(self._source["folder"] or ".")
        jobs = self._jobs or os.cpu_count() or 1
        self._run.save(os.fspath(folder), beside, jobs, self._seconds)

    def __str__(self) -> str:
        return self._run.table(None, True)

    def __repr__(self) -> str:
        return self._run.table(None, False).rstrip("\n")

    def __reduce__(self) -> Any:
        raise TypeError("a Run cannot be pickled: pass on its tables, or .save(folder) it")

    def _repr_html_(self) -> str:
        shown = preformatted(repr(self))
        if self._run.report_bytes() > _SMALL:
            return shown
        page = self.report()._repr_html_()
        return f"{shown}<details><summary>Report: plots, and a replay that shows which messages blocked which</summary>{page}</details>"


def _selectors(rows: Union[str, Iterable[str]]) -> list[str]:
    several = [rows] if isinstance(rows, str) else list(rows) if isinstance(rows, Iterable) else [rows]
    if not all(isinstance(one, str) for one in several):
        accepted = 'a string such as "point=0,algorithm=opt-mesh,repetition=2", or several'
        raise TypeError(f"rows cannot be {rows!r}; accepted: {accepted}")
    return several


class Explanation:
    """Why rows took as long as they did; ``print`` it.

    Attributes: ``rows``, a dict for each row.
    """

    def __init__(self, texts: list[str], rows: list[dict[str, Any]]) -> None:
        self.rows = rows
        """A dict for each row: its critical ``path``, the ``shares`` of its time, ``waits`` and ``blame``, as ``flitwise
        explain --format json`` prints them."""
        self._text = "\n".join(texts)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text.rstrip("\n")

    def _repr_html_(self) -> str:
        return preformatted(self._text)


def run(
    scenario: Scenario = None,
    *,
    set: Optional[Mapping[str, Any]] = None,
    unset: Union[str, Iterable[str]] = (),
    repetitions: Optional[int] = None,
    seed: Optional[int] = None,
    jobs: Optional[int] = None,
    messages: bool = False,
    memory: Union[None, int, str] = None,
    progress: Progress = None,
) -> Run:
    """Runs a scenario, and returns its :class:`Run`.

    ``scenario`` is a path, TOML, a dict of keys (dotted, nested, or both), or None for the default: three multicasts on a
    16x16 mesh. Keys of ``set`` are set in it, those of ``unset`` taken away before; ``repetitions`` and ``seed`` are keys
    that are set often. Values may have units, such as ``"64KiB"`` and ``"1.5us"``. Rows are computed on ``jobs`` threads,
    one for each core if that is None; every number of them gives the same rows. ``messages`` keeps what happened to every
    message; ``memory``, such as ``"8G"`` or a number of bytes, is all that may be taken. ``progress`` is True for a bar, or
    a callable that receives the numbers of finished rows and of all rows.

    Ctrl-C ends the run. The interpreter is free for other threads meanwhile.

    Raises :class:`ScenarioError` if the scenario is wrong, with all that is wrong and where; :class:`RunError` if a row
    fails, which is :class:`Deadlock` if messages wait for each other for ever; OSError if a file cannot be read.

    >>> multicast = {"algorithms": ["opt-mesh", "u-mesh"], "flits": 1024, "group": 32}
    >>> node = {"send_setup": 2000, "send_per_flit": 2, "receive_setup": 3500, "receive_per_flit": 3}
    >>> run = fw.run({"network.mesh.shape": [8, 8], "node": node, "workload.multicast": multicast}, repetitions=8)
    >>> run.verdict
    'opt-mesh finishes first; u-mesh takes 1.35 times as long.'
    >>> list(run.summary["measured_mean"])
    [43044.625, 58241.75]
    """
    source = _text.read(scenario, changes(set, repetitions=repetitions, seed=seed), unset, memory)
    return Run(source, jobs, messages, progress)


def sweep(
    scenario: Scenario,
    keys: Mapping[str, Iterable[Any]],
    *,
    set: Optional[Mapping[str, Any]] = None,
    unset: Union[str, Iterable[str]] = (),
    repetitions: Optional[int] = None,
    seed: Optional[int] = None,
    jobs: Optional[int] = None,
    messages: bool = False,
    memory: Union[None, int, str] = None,
    progress: Progress = None,
) -> Run:
    """Runs a scenario once for each combination of values of ``keys``, and returns one :class:`Run` of all of them.

    ``keys`` has a list of values for each dotted key; the last key changes fastest. Everything else is as in :func:`run`.
    A long sweep is better run by the command, which keeps a journal, goes on where it was interrupted, and shares the work
    between machines: ``run.save`` and ``flitwise merge`` leave the same files.

    >>> run = fw.sweep(None, {"workload.multicast.flits": [1, 1024]}, repetitions=2)
    >>> run.axes
    ['workload.multicast.flits']
    >>> len(run.rows)
    12
    """
    if not isinstance(keys, Mapping):
        raise TypeError(f"keys cannot be {keys!r}; accepted: a dict with a list of values for each key")
    for key, values in keys.items():
        if isinstance(values, (str, Mapping)) or not isinstance(values, Iterable):
            raise TypeError(f"`{key}` is swept over {values!r}; accepted: a list of values")
    swept = {f"sweep.{key}": list(values) for key, values in keys.items()}
    source = _text.read(scenario, {**changes(set, repetitions=repetitions, seed=seed), **swept}, unset, memory)
    return Run(source, jobs, messages, progress)
