"""The network: scores of several configurations of one module, compared with each other on the way.

Source: TGraph, equations 2 to 7; each part has the name that the paper gives it.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch_geometric.nn import global_mean_pool
from torch_geometric.utils import softmax

from .packing import LEAST
from .settings import Settings

OP_CHANNELS, CATEGORY_CHANNELS, REDUCTION = 16, 4, 8
EPSILON = 1e-5
"""What variances of a norm are enlarged by."""

ROUNDING = 1e-6
"""Deviations that are less than so many times the mean are those of rounded equal numbers."""


class Standardise(nn.Module):
    """Numbers without their mean, by their standard deviation; both are those of what was trained on.

    Args:
        width: numbers of a row.
    """

    mean: Tensor
    scale: Tensor

    def __init__(self, width: int):
        super().__init__()
        self.register_buffer("mean", torch.zeros(width))
        self.register_buffer("scale", torch.ones(width))

    def fit(self, parts: Sequence[Tensor]) -> None:
        """Takes mean and deviation of the rows of all parts ``[*, width]``. Where a column has equal numbers, its
        deviation counts as 1.

        Raises:
            ValueError: there is no row.
        """
        count = sum(map(len, parts))
        if not count:
            raise ValueError("expected rows to standardise, got none")
        mean = torch.stack([part.double().sum(0) for part in parts]).sum(0) / count
        variance = torch.stack([(part.double() - mean).square().sum(0) for part in parts]).sum(0) / count
        deviation = variance.sqrt()
        differs = deviation > ROUNDING * mean.abs()
        self.mean.copy_(mean)
        self.scale.copy_(torch.where(differs, deviation, 1.0))

    def forward(self, x: Tensor) -> Tensor:
        return (x - self.mean) / self.scale


class Categories(nn.Module):
    """Embeds each of ``D`` categories of a row, integers from -1 on, by one table: ``[..., D]`` to ``[..., 4 D]``.

    A row of the table is picked by its product with ones and zeros, which is exact, and which RGNN compiles for several
    categories of a row.
    """

    def __init__(self, categories: int):
        super().__init__()
        self.table = nn.Parameter(torch.randn(categories, CATEGORY_CHANNELS))

    def forward(self, categories: Tensor) -> Tensor:
        picked = F.one_hot(categories - LEAST, len(self.table)).to(self.table.dtype)
        return F.linear(picked, self.table.t()).flatten(-2)


class Perceptron(nn.Module):
    """Two layers, each followed by a GELU: f_in of equation 7."""

    def __init__(self, inputs: int, width: int):
        super().__init__()
        self.first, self.second = nn.Linear(inputs, width), nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:
        return F.gelu(self.second(F.gelu(self.first(x))))


class InstanceNorm(nn.Module):
    """Each channel of each configuration has mean 0 and variance 1 over nodes: of ``[P, F]``."""

    def forward(self, x: Tensor, configuration_of: Tensor) -> Tensor:
        centred = x - global_mean_pool(x, configuration_of).index_select(0, configuration_of)
        variance = global_mean_pool(centred.square(), configuration_of)
        return centred / (variance + EPSILON).sqrt().index_select(0, configuration_of)


class Sage(nn.Module):
    """Equation 2: ``L2(f2(concat(x_i, sum of f1(x_j) over edges (j, i))))``, of ``[P, F]``.

    Args:
        inputs, outputs: channels.
        settings: ``sum``, ``project``, ``relu`` and ``normalise``.
    """

    def __init__(self, inputs: int, outputs: int, settings: Settings):
        super().__init__()
        self.f1 = nn.Linear(inputs, inputs) if settings.project else nn.Identity()
        self.f2 = nn.Linear(2 * inputs, outputs)
        self._settings = settings

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        sources, targets = edge_index[0], edge_index[1]
        messages = self.f1(x)
        if self._settings.relu:
            messages = messages.relu()
        total = torch.zeros_like(messages).index_add(0, targets, messages.index_select(0, sources))
        if not self._settings.sum:
            degrees = torch.zeros_like(x[:, 0]).index_add(0, targets, torch.ones_like(targets, dtype=x.dtype))
            total = total / degrees.clamp(min=1.0)[:, None]
        out = self.f2(torch.cat([x, total], dim=-1))
        return F.normalize(out, dim=-1) if self._settings.normalise else out


class SelfAttention(nn.Module):
    """Equation 5: channels weighted by what a layer with an eighth of them makes of them (squeeze and excitation)."""

    def __init__(self, width: int):
        super().__init__()
        self.excitation, self.squeeze = nn.Linear(width, width // REDUCTION), nn.Linear(width // REDUCTION, width)

    def forward(self, x: Tensor) -> Tensor:
        return x * self.squeeze(self.excitation(x).relu()).sigmoid()


class CrossAttention(nn.Module):
    """Equation 6: each number of ``[P, F]`` weighted by a softmax over the configurations, which are the rows of the
    same ``group`` ``[P]``: of a node."""

    def __init__(self, temperature: float):
        super().__init__()
        self.temperature = nn.Parameter(torch.tensor(temperature))

    def forward(self, x: Tensor, group: Tensor, groups: int) -> Tensor:
        return x * softmax(x / self.temperature, group, num_nodes=groups)


class Block(nn.Module):
    """Equations 3 and 4, of ``[P, width]``: ``x + GELU(concat(eta, A_cross(eta)))`` where ``eta`` is
    ``A_self(SAGE(norm(x)))``, of half as many channels."""

    def __init__(self, settings: Settings):
        super().__init__()
        width = settings.width // 2 if settings.cross_attention else settings.width
        self.norm = InstanceNorm()
        self.sage = Sage(settings.width, width, settings)
        self.self_attention = SelfAttention(width) if settings.self_attention else nn.Identity()
        self.cross_attention = CrossAttention(settings.temperature) if settings.cross_attention else None
        self._activates_sum = settings.activate_sum

    def forward(self, x: Tensor, edge_index: Tensor, node_of: Tensor, configuration_of: Tensor, nodes: int) -> Tensor:
        eta = self.self_attention(self.sage(self.norm(x, configuration_of), edge_index))
        if self.cross_attention is not None:
            eta = torch.cat([eta, self.cross_attention(eta, node_of, nodes)], dim=-1)
        return F.gelu(x + eta) if self._activates_sum else x + F.gelu(eta)


class Fusion(nn.Module):
    """Joins the rows ``[M, width]`` of modules with vectors ``[C, D]`` of configurations, each one of the module that
    ``module_of`` ``[C]`` says: ``[C, width]``."""

    def __init__(self, settings: Settings):
        super().__init__()
        width = settings.width // 2 if settings.cross_attention else settings.width
        self.standardise = Standardise(settings.fields)
        self.layers = Perceptron(settings.width + settings.fields, width)
        self.cross_attention = CrossAttention(settings.temperature) if settings.cross_attention else None

    def forward(self, modules: Tensor, vectors: Tensor, module_of: Tensor) -> Tensor:
        eta = self.layers(torch.cat([modules.index_select(0, module_of), self.standardise(vectors)], dim=-1))
        if self.cross_attention is None:
            return eta
        return torch.cat([eta, self.cross_attention(eta, module_of, len(modules))], dim=-1)


class Network(nn.Module):
    """Scores of configurations of one module; a lower one is of a faster configuration.

    Rows are pairs of a configuration and a node, so that all numbers of configurations run the same compiled code:
    ``P = C N`` of them in a layout collection. In a tile collection nodes are seen without configurations, ``P = N``,
    and what is left of them is joined with each configuration (late fusion), in two more layers and one more softmax
    over configurations: a linear layer alone would rank configurations of all modules alike.
    """

    def __init__(self, settings: Settings):
        super().__init__()
        self.settings, is_layout = settings, settings.kind == "layout"
        embedded = settings.layouts + (settings.fields if is_layout else 0)
        self.standardise = Standardise(settings.numbers)
        self.categories = Categories(settings.categories)
        self.op = nn.Embedding(settings.ops, OP_CHANNELS)
        self.f_in = Perceptron(settings.numbers + CATEGORY_CHANNELS * embedded + OP_CHANNELS, settings.width)
        self.blocks = nn.ModuleList(Block(settings) for _ in range(settings.blocks))
        self.fusion = None if is_layout else Fusion(settings)
        self.f_out = nn.Linear(settings.width, 1)

    def forward(self, numbers: Tensor, layouts: Tensor, ops: Tensor, configurations: Tensor, edge_index: Tensor,
                node_of: Tensor, configuration_of: Tensor, module_of: Tensor | None = None) -> Tensor:  # fmt: skip
        """Args:
            numbers: ``[N, F]``.
            layouts: ``[N, L]``, int64, from -1 on.
            ops: ``[N]``, int64.
            configurations: ``[P, D]``, like layouts, of a layout collection; ``[C, D]``, numbers, of a tile collection.
            edge_index: ``[2, E]``, int64, from neighbours to pairs.
            node_of, configuration_of: ``[P]``, int64, of each pair; the latter is 0 in a tile collection.
            module_of: ``[C]``, int64, all 0, in a tile collection.

        Returns:
            ``[C]``.
        """
        x = torch.cat([self.standardise(numbers), self.categories(layouts), self.op(ops)], dim=-1)
        x = x.index_select(0, node_of)
        if self.fusion is None:
            x = torch.cat([x, self.categories(configurations)], dim=-1)
        x = self.f_in(x)
        for block in self.blocks:
            x = block(x, edge_index, node_of, configuration_of, len(numbers))
        pooled = global_mean_pool(x, configuration_of)
        if self.fusion is not None:
            pooled = self.fusion(pooled, configurations, module_of)
        return self.f_out(pooled).squeeze(-1)
