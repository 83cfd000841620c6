"""What the documentation shows is what happens: snippets run (pages.py says how), and links lead somewhere."""

import re

import pages
import pytest
from pages import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def all_pages(function):
    return pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])(function)


def check_language(scope):
    functions = [value for value in scope.values() if type(value).__name__ == "Function"]
    assert functions and all(one.code.region is not None for function in functions for one in function.versions)


def check_dgl(scope):
    assert {name: tuple(made.shape) for name, made in scope["rows"].items()} == {"game": (2, 5), "user": (3, 5)}


CHECKS = {"Language": check_language, "DGL": check_dgl}


@all_pages
def test_snippets(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = pages.Page(path, tmp_path)
    page.run()
    if path.stem in CHECKS:
        CHECKS[path.stem](page.scope)


def headings(path):
    """Anchors of a page, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    titles = [re.sub(r"\[(.*?)\]\(.*?\)", r"\1", title) for title in titles]
    return {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in titles}


@all_pages
def test_links(path):
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?:", link):
            continue
        target, _, anchor = link.partition("#")
        file = path.parent / target if target else path
        assert file.exists(), f"{path.name}: no such file: {link}"
        assert not anchor or anchor in headings(file), f"{path.name}: no such heading: {link}"


@all_pages
def test_files_are_there(path):
    """Those that a page names in prose, by their path or as a test."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)
    for name in re.findall(r"`([\w./-]+)`", text):
        folder, _, rest = name.partition("/")
        if rest and (ROOT / folder).is_dir() and folder != "build" and "/X/" not in name:
            assert (ROOT / name).exists(), f"{path.name}: no such file: {name}"
        elif re.fullmatch(r"test_\w+\.py", name):
            assert (ROOT / "test/python" / name).exists(), f"{path.name}: no such test: {name}"


def definitions(pattern):
    return sorted({name for path in (ROOT / "include").rglob("*.td") for name in re.findall(pattern, path.read_text())})


def test_nothing_is_missing():
    """Each operation is on the page of dialects, each pass on that of passes, and each page in the README."""
    dialects, passes = [(ROOT / "docs" / name).read_text() for name in ("Dialects.md", "Passes.md")]
    ops = definitions(r'\bdef (?:RGNN|HetKernel|Check)_\w+Op : \w+<"(\w+)"')
    assert len(ops) > 40 and not [name for name in ops if not re.search(rf"`(\w+\.)?{name}`", dialects)]
    names = definitions(r'\bdef \w+Pass : Pass<"([\w-]+)"')
    assert len(names) > 40 and not [name for name in names if f"`{name}`" not in passes]
    assert not [path.name for path in PAGES[1:] if f"{path.name})" not in PAGES[0].read_text()]


# ---- the test of the tests -------------------------------------------------------------------------------------------

BROKEN = {
    "python": ("```python\nassert 1 + 1 == 3\n```", "AssertionError"),
    "prints": ("```python\nprint(1)  # prints 2\n```", "not there:  >>>2"),
    "shape": ("```python\nimport torch\ntorch.ones(2, 3)  # [3, 2]\n```", r"\[3, 2\] is \[2, 3\]"),
    "sh": ("```sh\nfalse | true\n```", "exit status 1"),
    "output": ("```sh\necho one two\n```\n<!-- output -->\n```\none\n...\nthree\n```", "not there:  t>>>hree"),
    "from": ("```sh\necho '%4 = a' > file\n```\n<!-- from file -->\n```mlir\n%14 = a\n```", "not there:  %>>>14 = a"),
    "no file": ("<!-- from file -->\n```mlir\n%14 = a\n```", "no such file: file"),
    "mlir": ("```mlir\nfunc.func @f() -> i32\n{}\n```", "error"),
    "json": ('```json\n"a": 1,\n```', "JSONDecodeError"),
    "language": ("```\nwhat is it?\n```", "nothing runs a block without a language"),
    "reason": ("<!-- fragment: -->\n```\nwhat is it?\n```", "expected a reason"),
    "make": ("```sh\nmake coffee\n```", "no target of make: coffee"),
    "flag": ("```sh\n.venv/bin/python -m rgnn.tune fit --coffee\n```", "no such flag: --coffee"),
    "file": ("```sh\n.venv/bin/lit test/nothing.mlir\n```", "no such file: test/nothing.mlir"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_is_found(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text, message = BROKEN[name]
    (tmp_path / "Page.md").write_text(f"# Page\n\n{text}\n")
    with pytest.raises((AssertionError, ValueError)) as error:
        pages.Page(tmp_path / "Page.md", tmp_path).run()
    assert re.search(message, f"{type(error.value).__name__}: {error.value}")
