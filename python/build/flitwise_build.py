"""Builds the wheel: maturin builds the module, and cargo builds the command, which is added to the wheel.

The hooks are those of PEP 517 and PEP 660. `-C profile=dist` selects the profile `dist` of Cargo.toml instead of
`release`. Use it for wheels that are distributed; the build takes several times as long.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import maturin

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "flitwise.exe" if sys.platform == "win32" else "flitwise"

get_requires_for_build_wheel = maturin.get_requires_for_build_wheel
get_requires_for_build_editable = maturin.get_requires_for_build_editable
get_requires_for_build_sdist = maturin.get_requires_for_build_sdist
build_sdist = maturin.build_sdist


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    _scripts().mkdir(parents=True, exist_ok=True)
    return maturin.prepare_metadata_for_build_wheel(metadata_directory, _for_maturin(config_settings))


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _build_command(_profile(config_settings))
    return maturin.build_wheel(wheel_directory, _for_maturin(config_settings), metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _build_command(_profile(config_settings))
    return maturin.build_editable(wheel_directory, _for_maturin(config_settings), metadata_directory)


def _scripts():
    """Returns the directory from which maturin adds commands to the wheel."""
    return ROOT / "target" / "wheel.data" / "scripts"


def _profile(config_settings):
    return (config_settings or {}).get("profile", "release")


def _for_maturin(config_settings):
    """Returns the settings in the form that maturin accepts."""
    settings = dict(config_settings or {})
    profile = settings.pop("profile", None)
    if profile is not None:
        settings["build-args"] = f"--profile {profile} {settings.get('build-args', '')}".strip()
    return settings


def _build_command(profile):
    """Builds the command and copies it to the directory that maturin reads."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    build = ["cargo", "build", "--locked", "--profile", profile, "--package", "flitwise", "--bin", "flitwise"]
    build += ["--features", "raster"]  # pyproject.toml sets the same feature for the module
    subprocess.run([*build, "--target-dir", str(target)], cwd=ROOT, check=True)
    _scripts().mkdir(parents=True, exist_ok=True)
    folder = {"dev": "debug", "test": "debug", "bench": "release"}.get(profile, profile)
    shutil.copy2(target / folder / COMMAND, _scripts() / COMMAND)
