"""The notebook of the examples, run cell by cell in a kernel, as it is written."""

import re

import nbclient
import nbformat
import pytest


def cells(text):
    """The cells of a script in the percent format."""
    for cell in re.split(r"^# %%", text, flags=re.MULTILINE)[1:]:
        kind, _, source = cell.partition("\n")
        if "[markdown]" in kind:
            prose = "\n".join(line.removeprefix("#").removeprefix(" ") for line in source.splitlines())
            yield nbformat.v4.new_markdown_cell(prose)
        else:
            yield nbformat.v4.new_code_cell(source.strip())


@pytest.mark.filterwarnings("ignore")
def test_the_first_look(root, tmp_path):
    notebook = nbformat.v4.new_notebook(cells=list(cells((root / "examples/first-look.py").read_text())))
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = "".join(str(output) for cell in code for output in cell.outputs)
    for piece in ("opt-mesh finishes first", "image/svg+xml", "text/html", "<iframe", "waits for channel", "channel.virtual_channels=2"):
        assert piece in shown, piece
    assert not list(tmp_path.iterdir()), "a look leaves no files"
