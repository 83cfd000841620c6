"""Functions of rgnn.dgl with their twins in plain PyTorch, and what the compiler infers of them.

Residency is in types: `#rgnn.rows` names nodes, edges or edge types, and what all share has none. Movement is in ops.
Both are read in the IR that captured functions are lifted to, before any rewrite.
"""

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import rgnn
import rgnn.dgl.function as fn
import torch
from conftest import ROOT
from dgl_graphs import check_equal, graphs, outcome, rows
from rgnn._runner import runner_of
from torch import Tensor, nn

WIDTH, NODE_TYPES, EDGE_TYPES = 4, 2, 3
SIZES = [(9, 25), (1, 3), (3, 0)]  # numbers of nodes and edges
SHARED = nn.Parameter(rows(WIDTH, WIDTH))  # what all nodes and edges share
STRUCTURE = ("place", "unplace", "coo_graph", "schema", "degree", "yield")
MOVEMENT = ("gather", "reduce", "group_softmax", "typed_linear")


# ---- what is inferred ------------------------------------------------------------------------------------------------


class Op(NamedTuple):
    """An operation: what its operands and its result have a row for ("shared": nothing), and what it moves along."""

    name: str
    operands: list[str]
    result: str
    words: str

    def __str__(self):
        return f"{self.name} {self.words}: {self.operands[0]} -> {self.result}"


def residencies(types):
    """Of each tensor in a list of types, the domain of its rows, with the graph where that is not the first."""
    found = []
    for tensor in re.findall(r"tensor<(?:[^<>]|<[^<>]*>)*>", types):
        match = re.search(r"#rgnn\.rows<(\w+), @g(\d+)", tensor)
        found.append("shared" if match is None else match[1] + (f" of @g{match[2]}" if match[2] != "0" else ""))
    return found


def operations(text, *passes):
    """The operations of the dialect in a text, in order, and by name what each placed argument has a row for; once the
    passes have run on it."""
    tool = ROOT / "build" / "bin" / "rgnn-opt"
    assert tool.exists(), "rgnn-opt is not built"
    done = subprocess.run([tool, *passes, "--mlir-print-op-generic"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    names = re.findall(r'rgnn\.(?:input|param) = "([^"]+)"', done.stdout)
    ops, opened, origin, placed = [], [], {f"%arg{number}": name for number, name in enumerate(names)}, {}
    for line in done.stdout.splitlines():
        head = re.search(r'(?:(%\d+) = )?"(\w+)\.(\w+)"\(([^()]*)\)(.*)', line)
        if head:
            opened.append(head.groups())
        if not opened or line.rstrip().endswith("({") or not re.search(r"\) : \(|> : \(|}\) : \(", line):
            continue
        value, dialect, name, operands, properties = opened.pop()
        before, after = line[line.rindex(" : (") :].split(" -> ")
        first = operands.split(",")[0].strip()
        if name == "cast":
            origin[value] = origin.get(first, "")
        if dialect != "rgnn" or name == "schema":
            continue
        if name == "place" and first in origin:
            placed[origin[first]] = residencies(after)[0]
        words = re.findall(r"#rgnn<(?:reduction|path|domain) (\w+)>", properties.split(" : ")[0])
        words = [word for word in words if not (name == "gather" and word == "edge")]
        if name not in STRUCTURE:
            ops.append(Op(name, residencies(before), (residencies(after) or [""])[0], " ".join(words)))
    return ops, placed


# ---- functions, and what they are compared with ----------------------------------------------------------------------


class Data(NamedTuple):
    """What twins read: rows of nodes and edges, ends, types, and data of types."""

    x: Tensor
    w: Tensor
    source: Tensor
    target: Tensor
    kinds: Tensor
    types: Tensor
    of_nodes: Tensor
    of_edges: Tensor


@dataclass
class Rule:
    """Functions of a user that follow a rule, the same in plain PyTorch, and what is inferred of them.

    Attributes:
        message, reduce, update: of edges, of nodes with mailboxes, and of nodes.
        messages: what the messages are, ``[E, *]``.
        moves: all movement.
        placed: what arguments have rows of, where the rule says it.
        dense: some operations without movement, with what their results have rows of.
        combine: of the messages of one node, its result.
        updated: of the results of all nodes.
        prepare: makes data of edge types of a parameter.
    """

    message: Callable
    messages: Callable
    moves: tuple[str, ...]
    placed: dict[str, str]
    dense: tuple[str, ...] = ()
    reduce: Callable = fn.sum("m", "o")
    combine: Callable = lambda m, d, node: m.sum(0)
    update: Callable | None = None
    updated: Callable = lambda o, d: o
    prepare: Callable = lambda table: table


def by_type(x, matrices):
    """The product of each row with the matrix of its type."""
    return (x.unsqueeze(1) @ matrices).squeeze(1)


class Passing(nn.Module):
    """Message passing with the functions of a rule; data of types have the given shape."""

    def __init__(self, rule, *shape):
        super().__init__()
        self.rule, self.of_nodes = rule, nn.Parameter(rows(NODE_TYPES, *shape))
        self.of_edges = nn.Parameter(rows(EDGE_TYPES, *shape))

    def forward(self, graph, x, w, kinds, types):
        with graph.local_scope():
            graph.ndata["h"], graph.edata["w"], graph.ndata["_TYPE"], graph.edata["_TYPE"] = x, w, kinds, types
            graph.ntypedata["a"], graph.etypedata["r"] = self.of_nodes, self.rule.prepare(self.of_edges)
            graph.update_all(self.rule.message, self.rule.reduce, self.rule.update)
            return graph.ndata["o"]

    def twin(self, graph, x, w, kinds, types):
        """The same in plain PyTorch, each node by itself."""
        data = Data(x, w, *graph.edges(), kinds, types, self.of_nodes, self.of_edges)
        messages = self.rule.messages(data)
        results = [self.rule.combine(messages[data.target == node], data, node) if (data.target == node).any()
                   else messages.new_zeros(messages.shape[1:]) for node in range(len(x))]  # fmt: skip
        return self.rule.updated(torch.stack(results), data)


def tensors_of(graph):
    """Rows of nodes and of edges, and the types of either."""
    nodes, edges = graph.num_nodes(), graph.num_edges()
    rng = torch.Generator().manual_seed(nodes + edges)
    return (rows(nodes, WIDTH), rows(edges, WIDTH, seed=3), torch.randint(NODE_TYPES, (nodes,), generator=rng),
            torch.randint(EDGE_TYPES, (edges,), generator=rng))  # fmt: skip


def check_values(model):
    """Compares compiled calls and their gradients with plain PyTorch; returns the compiled model."""
    compiled, parameters = rgnn.compile(model, fullgraph=True), [*model.parameters(), SHARED]
    for graph in graphs(SIZES):
        expected, got = (outcome(lambda *own, call=call, graph=graph: call(graph, *own), tensors_of(graph), parameters)
                         for call in (model.twin, compiled))  # fmt: skip
        check_equal(got, expected)
    assert len(runner_of(compiled).versions) == 1
    return compiled


def inferred(compiled, *passes):
    """What :func:`operations` finds of a compiled model that is compiled whole, once the passes have run on it."""
    graph = graphs(SIZES)[0]
    report = rgnn.explain(compiled, graph, *tensors_of(graph))
    assert not report.fallbacks
    return operations(report.ir["rgnn"], *passes)
