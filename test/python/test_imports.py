"""Modules of rgnn do not import each other in circles, and agree on the version."""

import ast
import graphlib
import pathlib
import re

import _rgnn
import pytest
import rgnn

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = ROOT / "python/rgnn"


def read_modules(package):
    """The path of each module of a package, by its name."""
    modules = {}
    for path in package.rglob("*.py"):
        *parents, name = path.relative_to(package.parent).with_suffix("").parts
        modules[".".join(parents if name == "__init__" else (*parents, name))] = path
    return modules


def statements(tree):
    """All nodes of a module, in functions too, but for what only type checkers run."""
    todo = [tree]
    while todo:
        node = todo.pop()
        yield node
        is_for_types = isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")
        todo += node.orelse if is_for_types else ast.iter_child_nodes(node)


def find_imports(name, modules):
    """The modules that a module imports: of ``from .a import b`` that is ``a.b`` where there is one, and else ``a``."""
    path, found = modules[name], set()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in statements(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            base = ".".join([*parents, *([node.module] if node.module else [])])
            inner = {f"{base}.{alias.name}" for alias in node.names}
            found |= {one if one in modules else base for one in inner}
    return found & modules.keys() - {name}


def find_circle(modules):
    """Modules each of which imports the one before it, and the first the last; empty where there are none."""
    graph = {name: find_imports(name, modules) for name in modules}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


def test_no_circles():
    modules = read_modules(PACKAGE)
    assert {"rgnn", "rgnn._compile", "rgnn._dynamo.backend"} <= modules.keys()
    assert find_imports("rgnn._compile", modules) > {"rgnn._options", "rgnn._saved.save"}
    assert find_circle(modules) == []


@pytest.mark.parametrize("text, is_circle", [
    ("from .b import x", True), ("from . import b", True), ("import p.b", True),
    ("def f():\n    from .b import x", True),
    ("if TYPE_CHECKING:\n    from .b import x", False), ("from .c import x", False), ("from os import path", False),
])  # fmt: skip
def test_circles_are_found(tmp_path, text, is_circle):
    package = tmp_path / "p"
    package.mkdir()
    for name, source in {"__init__": "", "a": text, "b": "from .a import y", "c": ""}.items():
        (package / f"{name}.py").write_text(source)
    assert bool(find_circle(read_modules(package))) == is_circle


def test_versions():
    """One version: of the package, of the compiler that is built, and the newest that CHANGELOG has."""
    assert rgnn.__version__ == _rgnn.__version__
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest[1] == rgnn.__version__
