"""Modules of several types: a convolution for each edge type, a linear layer or a table for each node type."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor, nn

from ...base import DGLError
from ...heterograph import DGLGraph
from ...messages import JOINS, check_shapes

__all__ = ["HeteroEmbedding", "HeteroGraphConv", "HeteroLinear"]


class HeteroGraphConv(nn.Module):
    """A convolution for each edge type, whose results are joined for each node type.

    Args:
        mods: by name of an edge type, or (source type, name, destination type), a module that is called with the graph
            of the edge type and a pair of rows. They get zeros for nodes that no edge leads to.
        aggregate: "sum", "max", "min", "mean", "stack" (``[N, types, *]``), or a function of the list of results and
            the name of the node type.

    Raises:
        DGLError: another ``aggregate``.
    """

    def __init__(self, mods: Mapping[Any, nn.Module], aggregate: str | Callable = "sum"):
        super().__init__()
        self.mod_dict = mods
        self.mods = nn.ModuleDict({str(etype): module for etype, module in mods.items()})
        for module in self.mods.values():
            allow = getattr(module, "set_allow_zero_in_degree", None)
            if callable(allow):
                allow(True)
        if isinstance(aggregate, str) and aggregate not in JOINS:
            raise DGLError(f"aggregate: expected a function or one of {', '.join(JOINS)}, got {aggregate!r}")
        self.aggregate = aggregate

    def _module_of(self, etype: tuple[str, str, str]) -> nn.Module:
        for key in (str(etype), etype[1]):
            if key in self.mods:
                return self.mods[key]
        raise DGLError(f"expected a module for the edge type {etype}, got some for {', '.join(self.mods)}")

    def forward(
        self, g: DGLGraph, inputs: Any, mod_args: Mapping[Any, tuple] | None = None,
        mod_kwargs: Mapping[Any, dict] | None = None,
    ) -> dict[str, Tensor]:  # fmt: skip
        """Calls the modules of the edge types whose node types have rows.

        Args:
            g: a graph or a block.
            inputs: rows by node type, or a pair of these, of sources and of destinations.
            mod_args, mod_kwargs: by name of an edge type, what its module gets besides.

        Returns:
            Rows by node type, of those that edges lead to.
        """
        if isinstance(inputs, tuple):
            sources, targets = inputs
        else:
            sources = targets = inputs
            if g.is_block:
                targets = {name: rows[: g.num_dst_nodes(name)] for name, rows in inputs.items() if name in g.dsttypes}
        results: dict[str, list[Tensor]] = {}
        for etype in g.canonical_etypes:
            source, name, target = etype
            if source not in sources or (target not in targets and targets is not inputs):
                continue
            if target not in targets:
                raise DGLError(f"{etype}: expected rows of {target!r}, got those of {', '.join(targets)}")
            made = self._module_of(etype)(
                g[etype], (sources[source], targets[target]), *_given(mod_args, etype, ()),
                **_given(mod_kwargs, etype, {}))  # fmt: skip
            results.setdefault(target, []).append(made)
        names = [name for name in g.dsttypes if name in results]
        if callable(self.aggregate):
            return {name: self.aggregate(results[name], name) for name in names}
        for name in names:
            check_shapes(name, results[name])
        return {name: JOINS[self.aggregate](results[name]) for name in names}


def _given(by_type: Mapping[Any, Any] | None, etype: tuple[str, str, str], none: Any) -> Any:
    return none if by_type is None else by_type.get(etype[1], by_type.get(etype, none))


class HeteroLinear(nn.Module):
    """A linear layer for each type.

    Args:
        in_size: by type, the width of rows; types may be of nodes or of edges.
        out_size: the width of results.
        bias: whether one is added.
    """

    def __init__(self, in_size: Mapping[Any, int], out_size: int, bias: bool = True):
        super().__init__()
        self.linears = nn.ModuleDict({str(kind): nn.Linear(width, out_size, bias) for kind, width in in_size.items()})

    def forward(self, feat: Mapping[Any, Tensor]) -> dict[Any, Tensor]:
        """``[N, in_size]`` by type give ``[N, out_size]``."""
        return {kind: self.linears[str(kind)](rows) for kind, rows in feat.items()}


class HeteroEmbedding(nn.Module):
    """A table of rows for each type.

    Args:
        num_embeddings: by type, the number of rows.
        embedding_dim: their width.
    """

    def __init__(self, num_embeddings: Mapping[Any, int], embedding_dim: int):
        super().__init__()
        self.embeds = nn.ModuleDict({str(kind): nn.Embedding(rows, embedding_dim)
                                     for kind, rows in num_embeddings.items()})  # fmt: skip
        self.raw_keys = {str(kind): kind for kind in num_embeddings}

    @property
    def weight(self) -> dict[Any, Tensor]:
        """The tables by type."""
        return {self.raw_keys[kind]: table.weight for kind, table in self.embeds.items()}

    def reset_parameters(self) -> None:
        """Gives parameters new first values."""
        for table in self.embeds.values():
            nn.init.xavier_uniform_(table.weight)

    def forward(self, input_ids: Mapping[Any, Tensor]) -> dict[Any, Tensor]:
        """Numbers by type, ``[N]``, give rows, ``[N, embedding_dim]``."""
        return {kind: self.embeds[str(kind)](numbers) for kind, numbers in input_ids.items()}
