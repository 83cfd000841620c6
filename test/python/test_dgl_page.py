"""The examples of docs/DGL.md run, one after the other."""

import pathlib
import re
import warnings


def test_examples_of_the_page(tmp_path, monkeypatch):
    page = pathlib.Path(__file__).parents[2] / "docs/DGL.md"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "build").mkdir()
    names = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="rgnn")
        for number, text in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)):
            exec(compile(text, f"DGL.md, example {number}", "exec"), names)
    assert {name: tuple(made.shape) for name, made in names["rows"].items()} == {"game": (2, 5), "user": (3, 5)}
    assert "sort of a mailbox" in str(names.get("error", "sort of a mailbox"))
