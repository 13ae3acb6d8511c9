"""The guide about Python: its code runs as written, from top to bottom."""

import re


def test_the_guide(root, tmp_path, monkeypatch, capsys):
    text = (root / "src/guide/python.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block, "src/guide/python.md", "exec"), names)
    said = capsys.readouterr().out
    assert "opt-mesh finishes first" in said and "held by message" in said and "1ns" in said
    assert {path.name for path in tmp_path.iterdir()} == {"flits.svg", "tree.svg"}


def test_the_guide_to_embedding(root, capsys):
    text = (root / "src/guide/embed.md").read_text()
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL):
        exec(compile(block, "src/guide/embed.md", "exec"), names)
    said = capsys.readouterr().out
    assert said == (root / "tests/data/embed/tokens.txt").read_text() + "[0] [15]\n[2] [18]\n[1] [26]\n"


def test_the_readme(root, tmp_path, monkeypatch):
    text = (root / "README.md").read_text()
    scenarios = re.findall(r"^```toml\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    code = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    (tmp_path / "my-mesh.toml").write_text(scenarios[0])
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in code:
        exec(compile(block, "README.md", "exec"), names)
    assert len(names["run"].summary) == 9
