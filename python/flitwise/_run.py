"""Runs of scenarios, and their tables, plots and reports."""

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
"""Largest recording of hops, in bytes, for which a notebook shows a report by itself."""

_LOG = {"x": [True, False], "y": [False, True], "both": [True, True], "none": [False, False]}
"""The values of ``log`` in ``Run.plot``: whether x and y are logarithmic."""


def _strings(one_or_more: Union[str, Iterable[str]]) -> list[str]:
    return [one_or_more] if isinstance(one_or_more, str) else list(one_or_more)


def changes(set: Optional[Mapping[str, Any]], **keys: Any) -> dict[str, Any]:
    """Returns the keys of ``set``, and those of ``keys`` that are not None."""
    if set is not None and not isinstance(set, Mapping):
        raise TypeError(f"set cannot be {set!r}; accepted: a dict of keys")
    return {**(set or {}), **{key: value for key, value in keys.items() if value is not None}}


class Run:
    """A finished run of a scenario: its rows, their summary, plots and reports.

    Times are in ticks. ``tick`` is the length of a tick, if the scenario sets it or contains values with units. Tables
    are pandas data frames if pandas is installed; :func:`flitwise.use_frames` selects another type. ``print(run)``
    prints the table of the command.

    Attributes: ``name``, the name of the scenario; ``tick``, such as ``"10ns"``, or None; ``axes``, the swept keys.
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
        """The length of a tick, such as ``"10ns"``, or ``None`` if the scenario has neither ``tick`` nor units."""
        self.axes: list[str] = scenario.axes
        """The swept keys."""

    @property
    def summary(self) -> Any:
        """One row per algorithm and point, with the columns of ``summary.csv``: means, standard deviations and 95 %
        confidence intervals over the repetitions."""
        return self.table("summary")

    @property
    def rows(self) -> Any:
        """One row per algorithm, repetition and point, with the columns of ``rows.csv``."""
        return self.table("rows")

    @property
    def messages(self) -> Any:
        """One line per message of every row.

        The nodes are ``src`` and ``dst``. The times ``requested``, ``injected``, ``delivered`` and ``received`` are in
        ticks. ``blocked`` is the time for which the head flit waited for channels, in ticks. ``queued`` is the part of
        it spent on the injection channel of the source, if nodes have injection channels. ``began`` is the start of the
        send, ``cause`` the reason why it started then, and ``after`` the message that it followed. Further columns are
        ``flits`` and ``hops``.

        Runs every row again, unless :func:`flitwise.run` was called with ``messages=True``.
        """
        return frame(self._message_columns)

    @cached_property
    def _message_columns(self) -> dict[str, Any]:
        kept = "messages.csv" in self._run.files
        run = self._run if kept else self._scenario.run(self._jobs, True, None)
        columns = run.columns("messages.csv")
        if columns is None:
            raise ScenarioError("this workload has no table of messages")
        return columns

    @property
    def links(self) -> Any:
        """One line per row and per link between routers that carried a flit.

        ``flits`` and ``messages`` are the number of flits and messages that crossed the link. ``utilisation`` is the
        fraction of time in which it carried flits. ``held`` and ``waited`` are the times for which messages held it and
        waited for it, in ticks. Runs every row again, unless the scenario sets ``details``.

        Raises :class:`ScenarioError` if the scenario does not use links, for example on a grid or without a network.
        """
        return frame(self._link_columns)

    @cached_property
    def _link_columns(self) -> dict[str, Any]:
        columns = self._run.columns("links.csv")
        # link loads computed from a schedule have no waiting times, so the rows must run
        if columns is None or (columns["waited"] != columns["waited"]).all():
            columns = self._scenario.links(self._jobs) or columns
        if columns is None:
            raise ScenarioError("this scenario does not use links")
        return columns

    @property
    def timeline(self) -> Any:
        """One line per slice of each lane of each rank, with the columns of ``timeline.csv``: when each processor
        computes, sends, receives and waits.

        ``by`` is ``"predicted"`` or ``"measured"``, and ``kind`` one of ``"compute"``, ``"noise"``, ``"send"``,
        ``"receive"``, ``"wait"`` and ``"idle"``, from ``begin`` to ``end`` in ticks. Runs every row again.

        Raises :class:`ScenarioError` if the workload runs no operations of ranks.
        """
        return frame(self._timeline_columns)

    @cached_property
    def _timeline_columns(self) -> dict[str, Any]:
        columns = self._scenario.timeline(self._jobs)
        if columns is None:
            raise ScenarioError("this workload runs no operations of ranks, so it has no timeline")
        return columns

    @property
    def points(self) -> Any:
        """One row per point: its number, which is also in the tables of messages and links, and its swept values."""
        values = dict(zip(self.axes, self._scenario.settings()))
        return frame({"point": list(range(self._scenario.points)), **values})

    @property
    def files(self) -> list[str]:
        """The names of the files that :meth:`save` writes, except the manifest."""
        return self._run.files

    def text(self, name: str) -> str:
        """Returns the contents of the file ``name``, identical to the file that the command writes.

        Raises KeyError if the file does not exist. :attr:`files` has the names.
        """
        text = self._run.text(name)
        if text is None:
            raise KeyError(f"there is no file {name!r}; accepted: {', '.join(self.files)}")
        return text

    def table(self, name: str) -> Any:
        """Returns the file ``name`` as a table. The extension ``.csv`` is optional.

        Columns of integers are int64. If values are missing, they are float64 with NaN. ``"messages"``, ``"links"`` and
        ``"timeline"`` return :attr:`messages`, :attr:`links` and :attr:`timeline`.

        Raises KeyError if the file does not exist. :attr:`files` has the names.
        """
        if name.removesuffix(".csv") in ("messages", "links", "timeline"):
            return getattr(self, name.removesuffix(".csv"))
        columns = self._run.columns(name if name.endswith(".csv") else f"{name}.csv")
        if columns is None:
            raise KeyError(f"there is no file {name!r}; accepted: {', '.join(self.files)}")
        return frame(columns)

    @property
    def verdict(self) -> str:
        """The main result in one sentence: the best algorithm and its margin, saturation, or the completion time."""
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
        """Plots the summary as curves with error bars, as ``flitwise plot`` does.

        ``x`` is a swept key or the end of its name, ``"algorithm"``, or a column as in ``y``. ``y`` is a column of the
        summary; ``"blocked_time"`` means ``"blocked_time_mean"``. ``where`` are conditions on swept keys, such as
        ``"channel.buffer >= 4"``, which must all hold. ``by`` are the keys that distinguish the curves of a plot, by
        default the algorithm and all keys with text values. Each combination of the other keys is a plot of its own.
        ``x_min``, ``x_max``, ``y_min`` and ``y_max`` are the limits of the axes, in the units of the axes. ``log``
        selects the logarithmic axes: ``"x"``, ``"y"``, ``"both"`` or ``"none"``. By default they are selected from the
        values.

        ``plot("timeline")`` draws the time of the processors of each rank instead, for workloads that run operations
        of ranks. ``where`` is then a row, as in :meth:`explain`.

        Raises :class:`ScenarioError` if a key or column does not exist.
        """
        if x == "timeline":
            others = {"y": y, "by": by or None, "x_min": x_min, "x_max": x_max, "y_min": y_min, "y_max": y_max}
            given = [name for name, value in {**others, "log": log, "title": title}.items() if value is not None]
            if given:
                raise ValueError(f"{given[0]} has no effect on a timeline; accepted: where, a row as in explain()")
            return Picture(self._run.plot_timeline(_selectors(where)))
        if log is not None and log not in _LOG:
            raise ValueError(f"log cannot be {log!r}; accepted: {', '.join(map(repr, _LOG))}, or None for automatic selection")
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
        """Explains the completion times of rows: the critical path, and which message blocked which.

        ``rows`` is ``"all"``, a text such as ``"point=0,algorithm=opt-mesh,repetition=2"`` in which each part is
        optional, or a list of such texts. The default is the median repetition of each algorithm, at the point at which the
        algorithms differ most. The rows run again with a record of every hop.
        """
        texts, values = self._run.explain(_selectors(rows), None)
        return Explanation(texts, json.loads(values)["rows"])

    def report(self, rows: Union[str, Iterable[str]] = ()) -> Page:
        """Returns the page of the run: its table, its plots, and a replay of ``rows``, as in :meth:`explain`."""
        return Page(self._run.report(_selectors(rows)))

    def save(self, folder: Union[str, os.PathLike[str]]) -> None:
        """Writes the files of the run and its manifest to the directory ``folder``, either all of them or none.

        They are the files that the command writes, so that ``flitwise show``, ``plot``, ``compare`` and ``report``
        accept the directory.

        Raises FileExistsError if the directory contains a run, or another OSError if it cannot be written.
        """
        beside = os.path.abspath(self._source["folder"] or ".")
        jobs = self._jobs or os.cpu_count() or 1
        self._run.save(os.fspath(folder), beside, jobs, self._seconds)

    def __str__(self) -> str:
        return self._run.table(None, True)

    def __repr__(self) -> str:
        return self._run.table(None, False).rstrip("\n")

    def __reduce__(self) -> Any:
        raise TypeError("a Run cannot be pickled; use its tables, or write its files with .save(directory)")

    def _repr_html_(self) -> str:
        shown = preformatted(repr(self))
        if self._run.report_bytes() > _SMALL:
            return shown
        page = self.report()._repr_html_()
        return f"{shown}<details><summary>Report: plots, and a replay that shows which messages blocked which</summary>{page}</details>"


def _selectors(rows: Union[str, Iterable[str]]) -> list[str]:
    several = [rows] if isinstance(rows, str) else list(rows) if isinstance(rows, Iterable) else [rows]
    if not all(isinstance(one, str) for one in several):
        accepted = 'a string such as "point=0,algorithm=opt-mesh,repetition=2", or a list of strings'
        raise TypeError(f"rows cannot be {rows!r}; accepted: {accepted}")
    return several


class Explanation:
    """Explanation of the completion times of rows. ``print`` shows it as text.

    Attributes: ``rows``, a dict for each row.
    """

    def __init__(self, texts: list[str], rows: list[dict[str, Any]]) -> None:
        self.rows = rows
        """A dict for each row: its critical ``path``, the ``shares`` of its time, ``waits`` and ``blame``, as in the
        output of ``flitwise explain --format json``."""
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
    """Runs a scenario and returns its :class:`Run`.

    ``scenario`` is a path, a TOML text, a dict of keys (dotted, nested, or both), or None for the default scenario:
    three multicasts on a 16x16 mesh. ``unset`` removes keys or tables from it, and then ``set`` sets keys.
    ``repetitions`` and ``seed`` set the keys of the same name. Values may have units, such as ``"64KiB"`` and
    ``"1.5us"``.

    ``jobs`` is the number of threads, by default the number of cores. It does not affect the results. ``messages=True``
    records all messages during the run. ``memory`` is the memory limit, such as ``"8G"`` or a number of bytes, by
    default the available memory. ``progress`` is True for a progress bar, or a callable that receives the number of
    finished rows and of all rows.

    Ctrl-C stops the run. Other threads of the interpreter continue during the run.

    Raises :class:`ScenarioError` with all errors and their locations if the scenario is invalid; :class:`RunError` if a
    row fails; its subclass :class:`Deadlock` if messages wait for each other in a cycle; OSError if a file cannot be
    read.

    >>> multicast = {"algorithms": ["opt-mesh", "u-mesh"], "flits": 1024, "group": 32}
    >>> node = {"send_setup": 2000, "send_per_flit": 2, "receive_setup": 3500, "receive_per_flit": 3}
    >>> run = fw.run({"network.mesh.shape": [8, 8], "node": node, "workload.multicast": multicast}, repetitions=8)
    >>> run.verdict
    'opt-mesh finishes first; u-mesh finishes last and takes 1.35 times as long.'
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
    """Runs a scenario once for each combination of values of ``keys``, and returns a single :class:`Run`.

    ``keys`` maps dotted keys to lists of values. The last key varies fastest. :func:`run` describes the other
    arguments. For long sweeps, use the command: it writes a journal, can resume after an interruption, and can
    distribute the work over several machines. ``run.save`` and ``flitwise merge`` write the same files.

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
            raise TypeError(f"`{key}` cannot be swept over {values!r}; accepted: a list of values")
    swept = {f"sweep.{key}": list(values) for key, values in keys.items()}
    source = _text.read(scenario, {**changes(set, repetitions=repetitions, seed=seed), **swept}, unset, memory)
    return Run(source, jobs, messages, progress)
