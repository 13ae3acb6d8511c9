"""What tests have in common."""

import shutil
import sysconfig
from pathlib import Path

import flitwise
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _default_frames():
    yield
    flitwise.use_frames(None)


@pytest.fixture
def root():
    """The checkout."""
    return ROOT


@pytest.fixture
def command():
    """The command that was installed with the module."""
    found = shutil.which("flitwise", path=sysconfig.get_path("scripts"))
    assert found, "the wheel has no command"
    return found
