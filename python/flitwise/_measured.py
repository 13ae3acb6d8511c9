"""Evaluation of measurements: parameters of a machine, and forecasts of a series."""

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
    """Parameters of a machine, fitted to measurements.

    Attributes: ``keys``, a dict of dotted keys for a scenario; ``toml``, the same parameters as text, with comments on
    the quality of the fit and on rounding errors.
    """

    def __init__(self, toml: str, tables: dict[str, Any]) -> None:
        self.keys: dict[str, Any] = dict(_flat(tables, ""))
        """The parameters by dotted key. If :func:`fit` was called with a ``model``, they describe a machine and can be
        merged into the dict of a scenario: ``fw.run({**fit.keys, "network.mesh.shape": [8, 8], ..})``."""
        self.toml = toml
        """The output of ``flitwise fit``: the tables ``[node]``, ``[channel]`` and ``[model.*]``, ``tick`` unless it is
        1 ps, and comments that compare measured and fitted times of each size. With a ``model``, scenarios can include
        it as a machine."""

    def save(self, path: _PathLike) -> None:
        """Writes the TOML to the file ``path``. A scenario can then contain ``include = "path"``."""
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
    """Fits the parameters of a machine to the output of a benchmark: OSU, logp_mpi or Netgauge.

    ``files`` is a path, a text of several lines, or a list of them. Results that complement each other, such as those
    of ``osu_latency`` and ``osu_bw``, are combined. ``format`` is ``"osu"``, ``"plogp"`` or ``"netgauge"``; ``None``
    detects it. ``model`` is ``"parameterised"``, ``"logp"`` or ``"loggops"``; ``None`` fits all three. The fitted
    values have units. Times are multiples of ``tick``, and a flit has ``flit_bytes`` bytes. Messages shorter than
    ``from_bytes`` or longer than ``to_bytes`` bytes are ignored.

    Raises :class:`MeasurementError` with the line if a measurement is invalid, and OSError if a file cannot be read.

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
    """Yields the dotted keys of ``table`` and their values."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _measurements(one: _PathLike, at: int) -> tuple[str, bytes]:
    """Returns the name of measurements in error messages, and their bytes."""
    if isinstance(one, str) and (not one or "\n" in one):
        return f"measurements {at}", one.encode()
    return str(one), Path(one).read_bytes()


class Forecast:
    """Forecast of the next value of a series, and the errors of each forecasting method.

    ``float(forecast)`` is the forecast. ``print(forecast)`` prints the same table as ``flitwise forecast``.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told

    @property
    def next(self) -> float:
        """The forecast of the method with the smallest mean squared error."""
        return self.by("mse")[0]

    def by(self, criterion: str) -> tuple[float, str]:
        """Returns the forecast and the name of the method with the smallest mean squared error (``"mse"``) or mean
        absolute error (``"mae"``)."""
        if criterion not in ("mse", "mae"):
            raise ValueError(f"unknown criterion {criterion!r}; accepted: mse, mae")
        value, method = self._told[criterion]
        return value, method

    @property
    def errors(self) -> Any:
        """One row per method and per selection: ``mae``, ``mse``, ``rmse``, and how often each selection chose the
        method."""
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
    """Forecasts the next value of a measured series, and returns the errors of each method.

    ``series`` contains values in order, measured at equal intervals. It is an iterable of numbers, or the path of a
    file with one value per line. If ``column`` is set, the file is CSV, and ``column`` is the name of the column or its
    number, counted from 1.

    Raises :class:`MeasurementError` with the line if a value is not a number, and OSError if the file cannot be read.

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
