"""Display in notebooks and terminals: tables as text, plots as SVG, pages in a frame, and progress bars."""

from __future__ import annotations

import html
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Optional, Union

from . import _native

Progress = Union[None, bool, Callable[[int, int], object]]
"""None or False for no display, True for a progress bar, or a callable that receives the number of finished rows and of
all rows."""


def preformatted(text: str) -> str:
    """Returns ``text`` as HTML with its columns aligned."""
    return f'<pre style="line-height: 1.2">{html.escape(text)}</pre>'


def _write(path: Union[str, os.PathLike[str]], text: str, suffix: str) -> None:
    if Path(path).suffix.lower() != suffix:
        raise ValueError(f"{os.fspath(path)!r} has another file extension; accepted: a path that ends with {suffix}")
    Path(path).write_text(text, encoding="utf-8")


def checked(jobs: Optional[int], progress: Progress) -> None:
    """Raises an exception if ``jobs`` or ``progress`` is invalid."""
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or not 1 <= jobs < 2**63):
        raise ValueError(f"jobs cannot be {jobs!r}; accepted: a whole number, at least 1, or None for all cores")
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise TypeError(f"progress cannot be {progress!r}; accepted: True, False, None, or a callable of two numbers")


class Picture:
    """A picture in SVG, displayed by notebooks.

    Attributes: ``svg``, the SVG text.
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<picture of {len(self.svg)} bytes; .save(path) writes it as SVG, PNG or PDF>"

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the picture to the file ``path``. Its extension selects SVG, PNG or PDF.

        Raises ValueError if the extension is another one. PNG and PDF also raise it if the module was built without the
        feature ``raster``, or if no font is installed.
        """
        Path(path).write_bytes(_native.picture(self.svg, os.fspath(path)))


class Page:
    """A page in one file: the table of a run, its plots, and a replay that shows which messages blocked which.

    Attributes: ``html``, the HTML text.
    """

    def __init__(self, text: str) -> None:
        self.html = text

    def _repr_html_(self) -> str:
        # a page has many quotation marks and few apostrophes: an attribute in apostrophes needs half the size
        source = self.html.replace("&", "&amp;").replace("'", "&#39;")
        style = "width: 100%; height: 720px; border: 1px solid #8888"
        return f"<iframe sandbox='allow-scripts' style='{style}' srcdoc='{source}'></iframe>"

    def __repr__(self) -> str:
        return f"<page of {len(self.html)} bytes; .save(path) writes it as HTML>"

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the page to the file ``path``. The page does not depend on other files."""
        _write(path, self.html, ".html")


@contextmanager
def told(progress: Progress) -> Iterator[Optional[Callable[[int, int], object]]]:
    """Yields the callable that receives the number of finished rows and of all rows, or ``None``."""
    if progress is None or progress is False:
        yield None
    elif progress is not True:
        yield progress
    else:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            yield _counter
            print(file=sys.stderr)
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # tqdm recommends another package for bars in notebooks
            bar = tqdm(unit="row")
        with bar:

            def update(done: int, total: int) -> None:
                bar.total = total
                bar.n = done
                bar.refresh()

            yield update


def _counter(done: int, total: int) -> None:
    print(f"\r{done} of {total} rows", end="", file=sys.stderr, flush=True)
