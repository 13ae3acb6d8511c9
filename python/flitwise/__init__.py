"""Flit-level simulation of collective communication and traffic on wormhole-routed and virtual-channel networks.

The results are identical to those of the command ``flitwise``, byte for byte.

>>> import flitwise as fw
>>> fw.run(repetitions=16).verdict  # the default scenario: three multicasts on a 16x16 mesh
'opt-mesh finishes first; u-mesh finishes last and takes 1.43 times as long.'

``run`` and ``sweep`` run scenarios. ``schedule`` and ``check`` return and verify their schedules. ``simulate`` runs
messages from arrays. ``Network`` is a network that a program drives, message by message. ``fit`` and ``forecast`` evaluate measurements. ``algorithms`` and ``keys`` list the algorithms
and the keys of scenarios. ``guide("python")`` prints the guide to this module.
"""

from ._errors import Deadlock, Diagnostic, FlitwiseError, MeasurementError, RunError, ScenarioError
from ._frames import use_frames
from ._measured import Fit, Forecast, fit, forecast
from ._native import VERSION as __version__
from ._native import Event
from ._network import Network
from ._plan import Check, Schedule, check, schedule
from ._run import Explanation, Run, run, sweep
from ._show import Page, Picture
from ._simulate import Simulation, simulate
from ._text import to_toml
from ._words import algorithms, guide, keys

__all__ = [
    "Check",
    "Deadlock",
    "Diagnostic",
    "Event",
    "Explanation",
    "Fit",
    "FlitwiseError",
    "Forecast",
    "MeasurementError",
    "Network",
    "Page",
    "Picture",
    "Run",
    "RunError",
    "Schedule",
    "ScenarioError",
    "Simulation",
    "__version__",
    "algorithms",
    "check",
    "fit",
    "forecast",
    "guide",
    "keys",
    "run",
    "schedule",
    "simulate",
    "sweep",
    "to_toml",
    "use_frames",
]
