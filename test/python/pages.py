"""Runs the snippets of a page of the documentation, one after the other, as a reader would: test_docs.py.

A comment above a block, which a reader does not see, says what is particular about it:

    <!-- from FILE -->            it is an excerpt of FILE, which commands above have written or the repository has
    <!-- output -->               it is an excerpt of what the block before prints
    <!-- fragment: REASON -->     it is neither run nor compared
    <!-- warns: REASON -->        a warning of RGNN is no error in it
    <!-- process: NAME=VALUE -->  its Python runs in a process of its own, with these variables
    <!-- first: PAGE -->          the first commands of another page run before it
    <!-- setup python             (or sh) runs what follows, up to the end of the comment

In an excerpt, `...` is a gap, and line breaks, indentation and `//` comments beside IR count for nothing. Behind a
command or statement, `# prints TEXT` is an excerpt of what the block prints, and `# [2, 3]` the shape of a tensor.
"""

import ast
import contextlib
import io
import json
import linecache
import os
import re
import shlex
import subprocess
import sys
import warnings
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "build/bin/rgnn-opt"

# How commands begin that are not run, and why.
NOT_RUN = {
    "make": "builds, tests or measures; its target is looked for in the Makefile",
    "cmake": "builds",
    "build-fuzz/": "is built with sanitizers",
    ".venv/bin/lit": "runs tests, which run anyway",
    ".venv/bin/python -m pytest": "runs tests, which run anyway",
    "utils/new_pass.py": "changes sources; test/Tools/new-pass.test runs it on a copy",
    "tar xf gpu-check.tar.xz": "belongs to a machine with a GPU, and so does what follows",
    "python benchmark/gpu/run.py": "belongs to a machine with a GPU",
    ".venv/bin/python examples/link_prediction.py": "reads fb15k-237, which is not in the repository",
    ".venv/bin/python examples/relational.py": "trains for half a minute; test_clients.py runs it on less",
    ".venv/bin/python -m rgnn.tune": "measures for minutes; test_tune.py and test_rank*.py run it on less",
    "git": "shows the history, which need not be there",
}  # fmt: skip


@dataclass
class Block:
    """A block of a page: its language, its text, the line of the page where the text begins, and its comments."""

    page: Path
    line: int
    language: str
    text: str
    says: dict[str, str] = field(default_factory=dict)

    def __str__(self):
        return f"{self.page.name}:{self.line}"


def read_blocks(page: Path) -> list[Block]:
    lines, blocks, says, at = page.read_text().split("\n"), [], {}, 0
    while at < len(lines):
        line, begin = lines[at], at + 1
        if setup := re.fullmatch(r"<!-- setup (\w+)", line):
            at = lines.index("-->", at)
            blocks.append(Block(page, begin + 1, setup[1], "\n".join(lines[begin:at]) + "\n", says))
            says = {}
        elif comment := re.fullmatch(r"<!-- (from|output|fragment|warns|process|first)\b:? ?(.*?) ?-->", line):
            says[comment[1]] = comment[2]
        elif fence := re.fullmatch(r"( *)```(\S*)", line):
            at = lines.index(fence[1] + "```", begin)
            text = "".join(line[len(fence[1]) :] + "\n" for line in lines[begin:at])
            blocks.append(Block(page, begin + 1, fence[2], text, says))
            says = {}
        elif line:
            assert not says, f"{page.name}:{at}: expected a block behind the comment"
        at += 1
    return blocks


def find_excerpt(excerpt: str, text: str, where: object) -> None:
    """An error names the part of the excerpt that is not in the text behind the part before it."""

    def flat(text: str) -> str:
        return f" {' '.join(text.split())} "

    text, at = flat(text), 0
    for part in flat(excerpt).split("..."):
        found = text.find(part, at)
        if found < 0:
            length = next(length for length in range(len(part), -1, -1) if part[:length] in text[at:])
            near = text.find(part[:length], at)
            raise AssertionError(f"{where}: not there: {part[:length]}>>>{part[length:]}\nbut "
                                 f"{text[near:near + length]}>>>{text[near + length:near + length + 300]}")  # fmt: skip
        at = found + len(part.rstrip())


def split_commands(text: str) -> list[str]:
    """The commands of a block of shell, each with the lines over which it goes."""
    commands, pending = [], ""
    for line in text.splitlines(keepends=True):
        pending += line
        here = re.search(r"<<'?(\w+)'?", pending)
        if here and f"\n{here[1]}\n" not in pending:
            continue
        if not here:
            try:
                words = shlex.split(pending, comments=True)
            except ValueError:  # within quotes, or behind a backslash
                continue
            if words and words[-1] in ("|", "&&"):
                continue
        commands.append(pending)
        pending = ""
    assert not pending.strip(), f"no end of the command: {pending}"
    return [command for command in commands if shlex.split(command, comments=True)]


def is_run(command: str) -> bool:
    """Of a command that is not run, at least the targets and files that it names have to be there."""
    bare = re.sub(r"^(\w+=\S+ +)*", "", command)
    if not any(re.match(rf"{re.escape(begin)}(?![\w-])", bare) or begin.endswith("/") and bare.startswith(begin)
               for begin in NOT_RUN):  # fmt: skip
        return True
    words = shlex.split(command, comments=True)
    if words[0] == "make":
        target = re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        assert target, f"no target of make: {words[1]}"
    flags = [word for word in words if word.startswith("--")] if bare.startswith(".venv/bin/python ") else []
    sources = [file.read_text() for folder in ("python", "examples") for file in (ROOT / folder).rglob("*.py")]
    for flag in flags:
        assert any(f'"{flag}"' in source for source in sources), f"no such flag: {flag}"
    for word in words:
        if re.fullmatch(r"(benchmark|docs|examples|lib|test|utils)/[\w/.-]+", word):
            assert (ROOT / word).exists(), f"{command.strip()}: no such file: {word}"
    return False


class Page:
    """A page that runs in a folder, whose Python has one scope, and whose last output is kept."""

    def __init__(self, path: Path, folder: Path):
        self.path, self.folder, self.output = path, folder, ""
        self.differs = []
        self.scope = {"__name__": "page"}
        (folder / "build").mkdir()
        for name in ("examples", "test", "build/bin", "build/lib"):
            (folder / name).symlink_to(ROOT / name)
        (folder / ".venv").symlink_to(sys.prefix)

    def run(self) -> None:
        linecache.checkcache(str(self.path))
        for block in read_blocks(self.path):
            self.run_block(block)
        assert not self.differs, "\n".join(self.differs)

    def run_block(self, block: Block) -> None:
        if "first" in block.says:
            first = read_blocks(self.path.parent / block.says["first"])
            self.run_block(next(one for one in first if one.language == "sh"))
        if "fragment" in block.says:
            assert block.says["fragment"], f"{block}: expected a reason"
        elif "from" in block.says:
            files = [folder / block.says["from"] for folder in (self.folder, ROOT)]
            file = next((file for file in files if file.exists()), None)
            assert file, f"{block}: no such file: {block.says['from']}"
            self.compare(block, file.read_text())
        elif "output" in block.says:
            self.compare(block, self.output)
        elif block.language in ("python", "sh", "json", "mlir"):
            getattr(self, f"run_{block.language}")(block)
        else:
            what = block.language or "a block without a language"
            raise AssertionError(f"{block}: nothing runs {what}: say what it is")

    def compare(self, block: Block, text: str) -> None:
        try:
            find_excerpt(re.sub(r"(^|\s)//.*$", "", block.text, flags=re.MULTILINE), text, block)
        except AssertionError as error:
            self.differs.append(str(error))

    def run_python(self, block: Block) -> None:
        if "process" in block.says:
            variables = dict(word.split("=", 1) for word in block.says["process"].split())
            paths = os.pathsep.join(filter(None, [variables.pop("PYTHONPATH", ""), os.environ.get("PYTHONPATH")]))
            (self.folder / "process.py").write_text(block.text)
            return self.call(block, [sys.executable, "process.py"], {**variables, "PYTHONPATH": paths})
        printed, lines = io.StringIO(), block.text.splitlines()
        with warnings.catch_warnings(), contextlib.redirect_stdout(printed):
            warnings.filterwarnings("ignore" if "warns" in block.says else "error", message="rgnn")
            tree = ast.parse(block.text, str(self.path))
            for node in tree.body:
                comment = re.search(r"# (\[[\d, ]+\])", lines[node.end_lineno - 1])
                value = self.run_statement(ast.increment_lineno(node, block.line - 1))
                if comment and value is not None:
                    assert str(list(value.shape)) == comment[1], f"{block}: {comment[1]} is {list(value.shape)}"
        self.take_output(block, printed.getvalue())

    def run_statement(self, node: ast.stmt):
        """Gives the value of an expression, or of what is assigned to a name."""
        if isinstance(node, ast.Expr):
            return eval(compile(ast.Expression(node.value), str(self.path), "eval"), self.scope)
        exec(compile(ast.Module([node], []), str(self.path), "exec"), self.scope)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            return self.scope[node.targets[0].id]

    def run_sh(self, block: Block) -> None:
        commands = [command for command in split_commands(block.text) if is_run(command)]
        if commands:
            self.call(block, ["bash", "-e", "-o", "pipefail", "-c", "".join(commands)], {})

    def call(self, block: Block, command: list[str], variables: dict[str, str]) -> None:
        toolkit = re.search(r'cuda_root = "(.*)"', (ROOT / "build/test/lit.site.cfg.py").read_text())[1]
        variables = {**os.environ, "CUDA_ROOT": toolkit, **variables}
        done = subprocess.run(command, cwd=self.folder, env=variables, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
        assert done.returncode == 0, f"{block}: exit status {done.returncode} of\n{block.text}{done.stdout[-3000:]}"
        self.take_output(block, done.stdout)

    def take_output(self, block: Block, output: str) -> None:
        self.output = output
        for comment in re.findall(r"# prints (.*)", block.text):
            find_excerpt(comment, output, block)

    def run_json(self, block: Block) -> None:
        text = block.text if block.text.startswith(("{", "[")) else f"{{{block.text}}}"
        json.loads(text)

    def run_mlir(self, block: Block) -> None:
        done = subprocess.run([TOOL, "--allow-unregistered-dialect", "-o", os.devnull], input=block.text, text=True,
                              capture_output=True)  # fmt: skip
        assert done.returncode == 0, f"{block}: {done.stderr}"
