"""Message-passing modules made at random, as source text.

A program is a list of statements on rows of nodes, edges or graphs. One seed gives one program; ``random_checks`` runs
it.
"""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from torch import nn

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Value:
    """Rows: ``over`` is ``"n"``, ``"g"``, or the number of an edge set; None for a tensor without rows."""

    name: str
    over: str | None
    shape: Shape

    @property
    def width(self) -> int:
        return self.shape[-1] if self.shape else 1


# Those but the last one have gradients.
INPUTS = [Value("x", "n", (4,)), Value("e", "0", (3,)), Value("y", "g", (4,)), Value("t", "n", ())]


@dataclass
class Statement:
    """``text`` computes ``result``, or several lines that end with it; ``{0}`` stands for the name of an input."""

    result: Value
    text: str
    inputs: list[Value] = field(default_factory=list)

    def makes(self) -> set[str]:
        """The names that it gives."""
        return {self.result.name, *re.findall(r"edges\d+(?=, )", self.text)}

    def reads(self) -> set[str]:
        read = {value.name for value in self.inputs}
        return read | {f"edges{number}" for number in re.findall(r"(?:src|dst|edges)(\d+)", self.text)}


@dataclass
class Program:
    statements: list[Statement]
    layers: dict[str, str]
    outputs: list[Value]

    def needed(self) -> list[Statement]:
        """The statements that lead to the outputs."""
        names, kept = {value.name for value in self.outputs}, []
        for statement in reversed(self.statements):
            if names & statement.makes():
                kept.insert(0, statement)
                names |= statement.reads()
        return kept

    def source(self) -> str:
        statements = self.needed()
        lines = []
        for statement in statements:
            text = statement.text.format(*(value.name for value in statement.inputs), r=statement.result.name)
            lines += [f"        {line}" for line in text.split("\n")]
        body = "\n".join(lines)
        layers = "".join(f"        self.{name} = {made}\n" for name, made in self.layers.items()
                         if f"self.{name}" in body)  # fmt: skip
        results = ", ".join(value.name for value in self.outputs)
        return (f"class Model(nn.Module):\n    def __init__(self):\n        super().__init__()\n{layers}\n"
                "    def forward(self, x, e, y, t, edges0, kind, batch):\n"
                "        n, src0, dst0 = x.shape[0], *edges0\n"
                f"{body}\n        return {results},\n")  # fmt: skip

    def make(self) -> nn.Module:
        import torch_geometric.nn as gnn
        from torch.nn import functional as F
        from torch_geometric import utils

        space = {"torch": torch, "nn": nn, "gnn": gnn, "utils": utils, "F": F}
        torch.manual_seed(0)
        # A name of its own for each source, as TorchDynamo knows code by file and line.
        exec(compile(self.source(), f"random_model_{zlib.crc32(self.source().encode())}.py", "exec"), space)
        return space["Model"]().double()


class Writer:
    """Writes a program of about ``length`` statements."""

    def __init__(self, seed: int, length: int | None = None):
        self._random = random.Random(seed)
        self._program = Program([], {}, [])
        self._values = list(INPUTS)
        self._edges, self._number = ["0"], 0
        self._length = length or self._random.randint(6, 28)

    def write(self) -> Program:
        templates = [getattr(self, name) for name in dir(self) if name.startswith("t_")]
        weights = {"gather": 5, "add_up": 5, "linear": 4, "combine": 4, "apply": 3}
        chances = [weights.get(template.__name__[2:], 1) for template in templates]
        self.t_gather()
        while self._number < self._length:
            self._random.choices(templates, chances)[0]()
        self.t_add_up()
        made = [statement.result for statement in self._program.statements if statement.result.over]
        self._program.outputs = [made[-1], *self._random.sample(made, min(self._random.randint(0, 2), len(made)))]
        return self._program

    # Choices

    def _pick(self, over: str | None = None, fits: Callable[[Value], bool] = lambda value: True) -> Value | None:
        known = [value for value in self._values if value.over and over in (None, value.over) and fits(value)]
        # Late values are read more often, so that programs are deep.
        return self._random.choice(known[-6:] if self._random.random() < 0.7 else known) if known else None

    def _pick_edges(self, fits: Callable[[Value], bool] = lambda value: True) -> Value | None:
        return self._pick(fits=lambda value: value.over not in ("n", "g") and fits(value))

    def _add(self, text: str, inputs: list[Value], over: str | None, shape: Shape) -> Value:
        value = Value(f"v{self._number}", over, shape)
        self._number += 1
        self._program.statements.append(Statement(value, text if "{r}" in text else f"{{r}} = {text}", inputs))
        self._values.append(value)
        return value

    def _layer(self, made: str) -> str:
        name = f"m{len(self._program.layers)}"
        self._program.layers[name] = made
        return f"self.{name}"

    def _end(self, over: str) -> str:
        return self._random.choice(("src", "dst")) + over

    # Movement

    def t_gather(self) -> None:
        if value := self._pick("n"):
            over = self._random.choice(self._edges)
            end = self._end(over)
            text = self._random.choice((f"{{0}}[{end}]", f"{{0}}.index_select(0, {end})"))
            self._add(text, [value], over, value.shape)

    def t_add_up(self) -> None:
        if value := self._pick_edges():
            end = self._end(value.over)
            kind = self._random.choice(("sum", "mean", "max", "min", "mul"))
            zeros = f"{{0}}.new_zeros(n, {', '.join(map(str, value.shape)) or ''})".replace(", )", ")")
            index = f"{end}.view(-1, {', '.join('1' for _ in value.shape)}).expand_as({{0}})" if value.shape else end
            texts = [f"utils.scatter({{0}}, {end}, 0, n, '{kind}')", f"{zeros}.index_add(0, {end}, {{0}})",
                     f"{zeros}.scatter_add_(0, {index}, {{0}})",
                     f"{zeros}.scatter_reduce(0, {index}, {{0}}, 'amax', include_self=False)"]  # fmt: skip
            # Of a maximum of exactly zero PyTorch loses a part of the gradient.
            text = self._random.choice(texts if kind in ("sum", "mean") else texts[:1])
            if "'max'" in text or "'min'" in text or "amax" in text:
                text = text.replace("{0}", "({0} + 0.37)")
            if "'mul'" in text:  # of numbers that many factors leave small
                text = text.replace("{0}", "{0}.tanh()")
            self._add(text, [value], "n", value.shape)

    def t_softmax_of_ends(self) -> None:
        if value := self._pick_edges():
            self._add(f"utils.softmax({{0}}, {self._end(value.over)}, num_nodes=n)", [value], value.over, value.shape)

    def t_pool(self) -> None:
        if value := self._pick("n"):
            kind = self._random.choice(("sum", "mean", "max"))
            self._add(f"utils.scatter({{0}} + 0.37, batch, 0, y.shape[0], '{kind}')", [value], "g", value.shape)

    def t_spread(self) -> None:
        if value := self._pick("g"):
            self._add("{0}[batch]", [value], "n", value.shape)

    def t_degree(self) -> None:
        over = self._random.choice(self._edges)
        self._add(f"utils.degree({self._end(over)}, n, x.dtype)", [], "n", ())

    # Edges

    def t_edges(self) -> None:
        """Other edges made of edges, and their features."""
        value = self._pick_edges()
        if value is None or len(self._edges) > 2:
            return
        old, new = value.over, str(len(self._edges))
        edges = f"edges{old}"
        how = self._random.choice(("remove", "add", "mask", "flip", "kind"))
        if how == "remove":
            text, over = f"edges{new}, {{r}} = utils.remove_self_loops({edges}, {{0}})", new
        elif how == "add" and len(value.shape) == 1:
            fill = self._random.choice(("1.0", "'mean'", "'add'"))
            text, over = f"edges{new}, {{r}} = utils.add_self_loops({edges}, {{0}}, {fill}, n)", new
        elif how == "mask":
            text = f"keep = {edges}[0] % 2 == 0\nedges{new}, {{r}} = {edges}[:, keep], {{0}}[keep]"
            over = new
        elif how == "kind" and old == "0":
            text = f"keep = (kind == 1).nonzero().view(-1)\nedges{new}, {{r}} = {edges}[:, keep], {{0}}[keep]"
            over = new
        else:
            text, over = f"edges{new}, {{r}} = {edges}.flip(0), {{0}} * 2", new
        self._edges.append(new)
        self._add(f"{text}\nsrc{new}, dst{new} = edges{new}", [value], over, value.shape)

    def t_relations(self) -> None:
        """A loop over the types of edges."""
        value = self._pick("n", lambda value: len(value.shape) == 1)
        if value is None:
            return
        width = self._random.randint(1, 5)
        layer = self._layer(f"nn.ModuleList(nn.Linear({value.width}, {width}) for _ in range(3))")
        kind = self._random.choice(("sum", "mean", "max"))
        text = (f"{{r}} = 0\nfor number, layer in enumerate({layer}):\n    keep = kind == number\n"
                f"    sent = layer({{0}})[src0[keep]] + 0.37\n"
                f"    {{r}} = {{r}} + utils.scatter(sent, dst0[keep], 0, n, '{kind}')")  # fmt: skip
        self._add(text, [value], "n", (width,))

    # Parameters of types

    def t_of_type(self) -> None:
        """A row of a parameter for each type of edges, or a matrix, in the ways that people multiply by it."""
        value = self._pick("0", lambda value: len(value.shape) == 1)
        if value is None:
            return
        width, wide = value.width, self._random.randint(1, 5)
        if self._random.random() < 0.4:
            layer = self._layer(f"nn.Parameter(torch.randn(4, {width}))")
            self._add(f"{{0}} {self._random.choice('+*')} {layer}[kind]", [value], "0", value.shape)
            return
        layer = self._layer(f"nn.Parameter(torch.randn(4, {width}, {wide}))")
        texts = [f"torch.bmm({{0}}.unsqueeze(1), {layer}[kind]).squeeze(1)",
                 f"({{0}}.unsqueeze(-2) @ {layer}[kind]).squeeze(-2)",
                 f"torch.einsum('ei,eio->eo', {{0}}, {layer}[kind])",
                 f"({{0}}.unsqueeze(-1) * {layer}[kind]).sum(1)",
                 f"({layer}.transpose(1, 2)[kind] @ {{0}}.unsqueeze(-1)).squeeze(-1)"]  # fmt: skip
        self._add(self._random.choice(texts), [value], "0", (wide,))

    # Rows

    def t_linear(self) -> None:
        if value := self._pick(fits=lambda value: bool(value.shape)):
            width = self._random.randint(1, 6)
            layer = self._layer(f"nn.Linear({value.width}, {width}, bias={self._random.random() < 0.7})")
            self._add(f"{layer}({{0}})", [value], value.over, (*value.shape[:-1], width))

    def t_contract(self) -> None:
        """A row in several powers, and a weight of three dimensions, of which some are as large as others."""
        value = self._pick(fits=lambda value: len(value.shape) == 1)
        if value is None:
            return
        sizes = {"i": value.width, "k": self._random.randint(1, 4)}
        sizes["o"] = self._random.choice((*sizes.values(), self._random.randint(1, 4)))
        order = "".join(self._random.sample("iok", 3))
        layer = self._layer(f"nn.Parameter(torch.randn({', '.join(str(sizes[size]) for size in order)}) / 3)")
        powers = f"torch.stack([(0.37 * {{0}}).tanh() ** p for p in range({sizes['k']})], -1)"
        turned = f"{layer}.permute({', '.join(str(order.index(size)) for size in 'oik')})"
        texts = [f"torch.einsum('nik,{order}->no', {powers}, {layer})",
                 f"({powers}.unsqueeze(1) * {turned}).sum((2, 3))",
                 f"({powers}.unsqueeze(1) * {turned}).sum(-1).sum(-1)"]  # fmt: skip
        self._add(self._random.choice(texts), [value], value.over, (sizes["o"],))

    def t_apply(self) -> None:
        if value := self._pick():
            texts = ["{0}.relu()", "{0}.tanh()", "torch.sigmoid({0})", "F.leaky_relu({0}, 0.2)", "F.elu({0})",
                     "{0}.abs()", "(-{0}.abs()).exp()", "{0}.square() / (1 + {0}.square())", "F.softplus({0})",
                     "{0}.clamp(-1, 1)", "{0} * 0.5 + 1", "1 - {0}", "({0}.square() + 1).sqrt()", "{0}.clone()",
                     "torch.where({0} > 0, {0}, 0.5 * {0})", "{0}.masked_fill({0} < 0, 0.25)", "F.gelu({0})",
                     "({0} > 0).double() * {0}.sin()", "{0}.nan_to_num()", "{0}.frac()",
                     "{0} * (3 * {0} + 0.123).round()"]  # fmt: skip
            self._add(self._random.choice(texts), [value], value.over, value.shape)

    def t_combine(self) -> None:
        value = self._pick()
        other = self._pick(value.over, lambda other: other.shape == value.shape)
        texts = ["{0} + {1}", "{0} * {1}", "{0} - {1}", "{0} / (1 + {1}.square())", "torch.maximum({0}, {1})",
                 "torch.where({0} > {1}, {0}, {1}.tanh())", "torch.minimum({0}, {1})", "torch.add({0}, {1}, alpha=0.5)",
                 "torch.lerp({0}, {1}, 0.3)"]  # fmt: skip
        self._add(self._random.choice(texts), [value, other], value.over, value.shape)

    def t_broadcast(self) -> None:
        value = self._pick(fits=lambda value: len(value.shape) == 1)
        other = self._pick(value.over, lambda other: other.shape in ((), (1,))) if value else None
        if other:
            text = "{0} * {1}.view(-1, 1)" if other.shape == () else "{0} * {1}"
            self._add(text, [value, other], value.over, value.shape)

    def t_parameter(self) -> None:
        if value := self._pick(fits=lambda value: bool(value.shape)):
            layer = self._layer(f"nn.Parameter(torch.randn({value.width}))")
            self._add(f"{{0}} {self._random.choice('+*')} {layer}", [value], value.over, value.shape)

    def t_cat(self) -> None:
        value = self._pick(fits=lambda value: len(value.shape) == 1)
        other = self._pick(value.over, lambda other: len(other.shape) == 1) if value else None
        if other and value.width + other.width < 12:
            self._add("torch.cat([{0}, {1}], -1)", [value, other], value.over, (value.width + other.width,))

    def t_bilinear(self) -> None:
        value = self._pick(fits=lambda value: len(value.shape) == 1)
        other = self._pick(value.over, lambda other: len(other.shape) == 1) if value else None
        if other and value.width * other.width < 20:
            width = self._random.randint(1, 4)
            layer = self._layer(f"nn.Bilinear({value.width}, {other.width}, {width})")
            self._add(f"{layer}({{0}}, {{1}})", [value, other], value.over, (width,))

    def t_heads(self) -> None:
        if value := self._pick(fits=lambda value: len(value.shape) == 1 and value.width % 2 == 0):
            self._add(f"{{0}}.view(-1, 2, {value.width // 2})", [value], value.over, (2, value.width // 2))

    def t_of_heads(self) -> None:
        if value := self._pick(fits=lambda value: len(value.shape) == 2):
            heads, width = value.shape
            texts = {"{0}.sum(-1)": (heads,), "{0}.mean(1)": (width,), "{0}.flatten(1)": (heads * width,),
                     "{0}.softmax(-1)": value.shape, "{0}.transpose(1, 2)": (width, heads), "{0}.max(1)[0]": (width,),
                     "{0}.amax(-1, keepdim=True)": (heads, 1), "{0}[:, 0]": (width,), "{0}.norm(dim=-1)": (heads,),
                     "{0}.std(1)" if heads > 1 else "{0}.sum(1)": (width,)}  # fmt: skip
            text, shape = self._random.choice(list(texts.items()))
            self._add(text, [value], value.over, shape)

    def t_of_features(self) -> None:
        if value := self._pick(fits=lambda value: len(value.shape) == 1):
            width = value.width
            texts = {"{0}.softmax(-1)": (width,), "{0}.sum(-1)": (), "{0}.mean(-1, keepdim=True)": (1,),
                     "F.layer_norm({0}, ({0}.shape[-1],))": (width,), "{0}[:, :1]": (1,), "{0}[:, -1]": (),
                     "F.normalize({0}, dim=-1)": (width,), "{0}.unsqueeze(-1)": (width, 1),
                     "{0}.log_softmax(-1)": (width,), "torch.stack([{0}, 2 * {0}], 1)": (2, width)}  # fmt: skip
            text, shape = self._random.choice(list(texts.items()))
            self._add(text, [value], value.over, shape)

    def t_norm(self) -> None:
        if value := self._pick("n", lambda value: len(value.shape) == 1):
            made = self._random.choice(("gnn.GraphNorm({})", "gnn.LayerNorm({})", "gnn.InstanceNorm({})",
                                        "gnn.PairNorm()", "gnn.MeanSubtractionNorm()"))  # fmt: skip
            layer = self._layer(made.format(value.width))
            given = self._random.choice(("", ", batch, y.shape[0]")) if "Graph" in made or "Layer" in made else ""
            self._add(f"{layer}({{0}}{given})", [value], "n", value.shape)

    def t_cell(self) -> None:
        if value := self._pick(fits=lambda value: len(value.shape) == 1):
            other = self._pick(value.over, lambda other: len(other.shape) == 1)
            layer = self._layer(f"nn.GRUCell({value.width}, {other.width})")
            self._add(f"{layer}({{0}}, {{1}})", [value, other], value.over, other.shape)

    def t_of_all(self) -> None:
        if value := self._pick("n"):
            texts = ["{0} - {0}.mean(0)", "{0} * {0}.mean(0, keepdim=True)", "{0} / (1 + {0}.sum(0).square())"]
            self._add(self._random.choice(texts), [value], "n", value.shape)

    # Changes in place, and rows behind another dimension

    def t_change(self) -> None:
        if value := self._pick():
            texts = ["{r} = {0}.clone()\n{r} *= 0.5", "{r} = {0} + 1\n{r}.clamp_(min=0.5)",
                     "{r} = torch.zeros_like({0})\n{r} += {0}", "{r} = {0}.clone()\n{r}[{r} > 1] = 1.0"]  # fmt: skip
            if value.over == "n":
                texts += ["{r} = {0}.clone()\n{r}[batch == 0] = 2 * {0}[batch == 0]",
                          "{r} = {0}.clone()\n{r}[dst0] = 0.5",
                          "keep = torch.zeros(n, dtype=torch.bool)\nkeep[dst0] = True\n{r} = {0}.clone()\n"
                          "{r}[keep] = 2 * {0}[keep]"]  # fmt: skip
            self._add(self._random.choice(texts), [value], value.over, value.shape)

    def t_stack(self) -> None:
        if value := self._pick("n", lambda value: len(value.shape) == 1):
            other = self._pick("n", lambda other: other.shape == value.shape)
            texts = ["torch.stack([{0}, {1}]).mean(0)", "torch.stack([{0}, {1}]).amax(0)",
                     "torch.stack([{0}, {1}]).max(dim=0)[0]", "torch.stack([{0}, {1}]).tanh().sum(0)",
                     "both = torch.stack([{0}, {1}])\n{r} = (both * both.mean((1, 2), keepdim=True)).sum(0)"]
            self._add(self._random.choice(texts), [value, other], "n", value.shape)

    def t_snapshots(self) -> None:
        """Messages of several rows of each node, behind the dimension of what they are rows of."""
        if value := self._pick("n", lambda value: len(value.shape) == 1):
            other = self._pick("n", lambda other: other.shape == value.shape)
            layer = self._layer(f"nn.Linear({value.width}, {value.width})")
            sent = self._random.choice((f"{layer}(both[:, src0])", "both[:, src0] - both[:, dst0]",
                                        f"both[:, src0] * {layer}(both)[:, dst0]", "both.index_select(1, src0).tanh()"))
            summed = self._random.choice((
                "torch.zeros_like(both).index_add(1, dst0, sent)", "utils.scatter(sent, dst0, 1, n, 'mean')",
                "utils.scatter(sent + 0.37, dst0, 1, n, 'max')"))  # fmt: skip
            result = self._random.choice(("sum(0)", "amax(0)", "flatten(0, 0)[0]", "unbind(0)[1]"))
            text = f"both = torch.stack([{{0}}, {{1}}])\nsent = {sent}\n{{r}} = ({summed} + both).{result}"
            self._add(text, [value, other], "n", value.shape)
