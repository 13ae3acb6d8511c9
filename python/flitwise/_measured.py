"""Measurements: parameters of a machine, and forecasts of a series."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Optional, Union

from . import _native
from ._frames import frame
from ._show import preformatted

_ALL = 2**64 - 1
_PathLike = Union[str, "os.PathLike[str]"]


class Fit:
    """Parameters of a machine, from measurements of it.

    Attributes: ``keys``, a dict of dotted keys, for scenarios; ``toml``, the same as text, with comments on how well they
    fit and what is lost by rounding.
    """

    def __init__(self, toml: str, tables: dict[str, Any]) -> None:
        self.keys: dict[str, Any] = dict(_flat(tables, ""))
        """The parameters by their dotted keys: with a ``model``, a machine that goes into the dict of a scenario, as in
        ``fw.run({**fit.keys, "network.mesh.shape": [8, 8], ..})``."""
        self.toml = toml
        """What ``flitwise fit`` prints: ``[node]``, ``[channel]`` and ``[model.*]``, ``tick`` unless it is 1 ps, and comments
        on how well they fit each size. With a ``model`` it is a machine that scenarios can include."""

    def save(self, path: _PathLike) -> None:
        """Writes the TOML to the file ``path``, for ``include = "path"`` in a scenario."""
        Path(path).write_text(self.toml, encoding="utf-8")

    def __str__(self) -> str:
        return self.toml

    def __repr__(self) -> str:
        return self.toml.rstrip("\n")

    def _repr_html_(self) -> str:
        return preformatted(self.toml)


def fit(
    files: Union[_PathLike, Iterable[_PathLike]],
    *,
    format: Optional[str] = None,
    model: Optional[str] = None,
    tick: str = "1ps",
    flit_bytes: int = 1,
    from_bytes: int = 0,
    to_bytes: int = _ALL,
) -> Fit:
    """Parameters of a machine from what benchmarks printed: OSU, logp_mpi, Netgauge.

    ``files`` are paths, or texts of several lines; several if they complement each other, such as ``osu_latency`` and
    ``osu_bw``. ``format`` is ``"osu"``, ``"plogp"`` or ``"netgauge"``, and recognised if it is None; ``model`` is
    ``"parameterised"``, ``"logp"`` or ``"loggops"``, and all of them if it is None. Values have units: times are whole
    ticks of length ``tick``, and a flit has ``flit_bytes`` bytes. Messages of ``from_bytes`` to ``to_bytes`` bytes are used.

    Raises :class:`MeasurementError` if they cannot be used, with the line; OSError if a file cannot be read.

    >>> measured = "# OSU MPI Latency Test\\n# Size  Latency (us)\\n8 1.00\\n1024 1.50\\n4096 3.00\\n65536 33.0\\n"
    >>> fw.fit(measured, tick="1ns", model="logp").keys["node.send_setup"]
    '997ns'
    """
    for name, value in (("tick", tick), ("format", format or ""), ("model", model or "")):
        if not isinstance(value, str):
            raise TypeError(f"{name} cannot be {value!r}; accepted: a string, such as tick=\"10ns\"")
    for name, number in (("flit_bytes", flit_bytes), ("from_bytes", from_bytes), ("to_bytes", to_bytes)):
        if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= _ALL:
            raise ValueError(f"{name} cannot be {number!r}; accepted: a whole number of bytes")
    several = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    options = {
        "format": format,
        "model": model,
        "tick": tick,
        "flit_bytes": flit_bytes,
        "from_bytes": from_bytes,
        "to_bytes": to_bytes,
    }
    toml, tables = _native.fit([_measurements(one, at) for at, one in enumerate(several)], options)
    return Fit(toml, json.loads(tables))


def _flat(table: dict[str, Any], prefix: str) -> Iterable[tuple[str, Any]]:
    """The keys of ``table`` that have values, dotted."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _measurements(one: _PathLike, at: int) -> tuple[str, bytes]:
    """Measurements with the name that messages have for them."""
    if isinstance(one, str) and (not one or "\n" in one):
        return f"measurements {at}", one.encode()
    return str(one), Path(one).read_bytes()


class Forecast:
    """The next value of a series, and how far each method was off.

    ``float(forecast)`` is the next value; ``print(forecast)`` is what ``flitwise forecast`` prints.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told

    @property
    def next(self) -> float:
        """The next value, as the method says whose mean squared error is least."""
        return self.by("mse")[0]

    def by(self, criterion: str) -> tuple[float, str]:
        """The next value and the name of the method that says so: the one with the least mean squared error (``"mse"``) or
        mean absolute error (``"mae"``)."""
        if criterion not in ("mse", "mae"):
            raise ValueError(f"no criterion {criterion!r}; accepted: mse, mae")
        value, method = self._told[criterion]
        return value, method

    @property
    def errors(self) -> Any:
        """A row for each method and selection: ``mae``, ``mse``, ``rmse``, and how often each selection followed it."""
        return frame(self._told["errors"])

    def __float__(self) -> float:
        return self.next

    def __str__(self) -> str:
        return str(self._told["table"])

    def __repr__(self) -> str:
        return str(self).rstrip("\n")

    def _repr_html_(self) -> str:
        return preformatted(str(self))


def forecast(series: Union[_PathLike, Iterable[float]], column: Union[None, str, int] = None) -> Forecast:
    """Forecasts the next value of a measured series, and tells how far each method was off.

    ``series`` are values in the order measured, at equal periods: an iterable of numbers, or the path of a file with one
    per line or, where ``column`` is a name or a number counted from 1, of CSV.

    Raises :class:`MeasurementError` if a value is none, with its line; OSError if the file cannot be read.

    >>> forecast = fw.forecast([10, 12, 11, 13, 12, 14, 13, 15])
    >>> 10 < forecast.next < 16
    True
    """
    if isinstance(series, (str, os.PathLike)):
        name = str(series)
        text = Path(series).read_bytes()
    else:
        name = "series"
        text = "\n".join(repr(float(value)) for value in series).encode()
    return Forecast(_native.forecast(name, text, None if column is None else str(column)))
