"""The examples of docs/Language.md run, one after the other."""

import pathlib
import re
import warnings


def test_the_page(tmp_path, monkeypatch):
    page = pathlib.Path(__file__).parents[2] / "docs/Language.md"
    examples = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    assert len(examples) >= 5
    monkeypatch.chdir(tmp_path)
    scope = {"__name__": "page"}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="rgnn")
        for number, example in enumerate(examples):
            exec(compile(example, f"{page.name}:{number}", "exec"), scope)
    functions = [value for value in scope.values() if type(value).__name__ == "Function"]
    assert functions and all(one.code.region is not None for function in functions for one in function.versions)
