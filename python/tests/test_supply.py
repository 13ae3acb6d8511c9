"""What the module is built from: every package has a licence that deny.toml allows."""

import re
import shutil
import subprocess

import pytest


@pytest.mark.skipif(shutil.which("cargo") is None, reason="the wheel was built elsewhere")
def test_licences_are_allowed(root):
    deny = (root / "deny.toml").read_text()
    allowed = set(re.findall(r'"([^"]+)"', re.search(r"^allow = \[(.*?)^\]", deny, re.MULTILINE | re.DOTALL)[1]))
    own = {crate: licence for licence, crate in re.findall(r'allow = \["([^"]+)"\], crate = "([^"]+)"', deny)}
    tree = ["cargo", "tree", "--locked", "--package", "flitwise-python", "--edges", "normal,build"]
    told = subprocess.run(
        [*tree, "--no-dedupe", "--prefix", "none", "--format", "{p}\t{l}"],
        cwd=root, capture_output=True, text=True, check=True,
    )
    packages = {line for line in told.stdout.splitlines() if line}
    assert any(line.startswith("pyo3 ") for line in packages) and own
    for line in packages:
        package, licence = line.split("\t")
        choices = {licence.strip() for licence in re.split(r" OR |/|[()]", licence)}
        assert choices & allowed or own.get(package.split()[0]) in choices or " AND " in licence, line
