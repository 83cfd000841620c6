"""The dataclass that holds one heterogeneous graph, and the forms of it that PyG's layers take."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor

EdgeType = tuple[str, str, str]


class DatasetError(ValueError):
    """A graph or a data file that breaks its format; the message names the field, what was expected and what came."""


@dataclass(eq=False)
class HeteroGraph:
    """A graph whose nodes and edges have types. Immutable by convention; every field is checked on construction.

    Nodes are numbered 0 .. ``num_nodes`` - 1 over all types and sorted by type; edges are sorted by type. The types
    of an edge type's end nodes are part of its name, so an edge type is *canonical*: (source type, relation,
    destination type). All integer tensors are int64 and contiguous, on the CPU.

    The properties that hold tensors are built once: ``graph.edge_index is graph.edge_index``, which lets a compiled
    model recognise the graph and keep what it built for it.

    Attributes:
        name: name of the data set.
        src: source node of each edge, ``[E]``.
        dst: destination node of each edge, ``[E]``.
        edge_type: type of each edge, ``[E]``, ascending.
        edge_types: names of the edge types, ``(source type, relation, destination type)``, one for each of R types.
        node_type: type of each node, ``[N]``, ascending.
        node_types: names of the node types.
        y: class of each node, ``[N]``, -1 where it has none.
        num_classes: number of classes.
        train_idx, val_idx, test_idx: nodes of the official split, each labelled.
        edge_split: split of each edge, ``[E]``: 0 train, 1 valid, 2 test (link prediction data).
        features: node features of the data set, ``[N, F]`` float32, sparse CSR; most data sets have none.
        synthetic: True where the graph was generated to resemble the data set. Results on it must say so.
    """

    name: str
    src: Tensor
    dst: Tensor
    edge_type: Tensor
    edge_types: list[EdgeType]
    node_type: Tensor
    node_types: list[str]
    y: Tensor | None = None
    num_classes: int | None = None
    train_idx: Tensor | None = None
    val_idx: Tensor | None = None
    test_idx: Tensor | None = None
    edge_split: Tensor | None = None
    features: Tensor | None = field(default=None, repr=False)
    synthetic: bool = False

    def __post_init__(self) -> None:
        self._check_types()
        self._check_edges()
        self._check_labels()
        self._check_features()

    # ---- sizes -------------------------------------------------------------------------------------------------------

    @property
    def num_nodes(self) -> int:
        return self.node_type.numel()

    @property
    def num_edges(self) -> int:
        return self.src.numel()

    @property
    def num_edge_types(self) -> int:
        return len(self.edge_types)

    num_relations = num_edge_types

    @property
    def num_node_types(self) -> int:
        return len(self.node_types)

    @cached_property
    def node_offsets(self) -> list[int]:
        """First node of each node type, and ``num_nodes`` at the end; ``num_node_types + 1`` entries."""
        counts = torch.bincount(self.node_type, minlength=self.num_node_types)
        return [0, *counts.cumsum(0).tolist()]

    @cached_property
    def edge_offsets(self) -> list[int]:
        """First edge of each edge type, and ``num_edges`` at the end; ``num_edge_types + 1`` entries."""
        counts = torch.bincount(self.edge_type, minlength=self.num_edge_types)
        return [0, *counts.cumsum(0).tolist()]

    # ---- forms that layers take --------------------------------------------------------------------------------------

    @cached_property
    def edge_index(self) -> Tensor:
        """``[2, E]``: row 0 source, row 1 destination, as RGCNConv and RGATConv take it."""
        return torch.stack([self.src, self.dst])

    @property
    def metadata(self) -> tuple[list[str], list[EdgeType]]:
        """(node types, edge types), as ``HGTConv(metadata=)`` takes it."""
        return list(self.node_types), list(self.edge_types)

    @property
    def num_nodes_dict(self) -> dict[str, int]:
        """Number of nodes of each type: the row counts of an ``x_dict`` for this graph."""
        offsets = self.node_offsets
        return {name: offsets[t + 1] - offsets[t] for t, name in enumerate(self.node_types)}

    @cached_property
    def edge_index_dict(self) -> dict[EdgeType, Tensor]:
        """``[2, E_r]`` for each edge type, nodes numbered within their own type, as HGTConv takes it."""
        nodes, edges = self.node_offsets, self.edge_offsets
        number = {name: t for t, name in enumerate(self.node_types)}
        result = {}
        for r, (source, _, destination) in enumerate(self.edge_types):
            span = slice(edges[r], edges[r + 1])
            local = (self.src[span] - nodes[number[source]], self.dst[span] - nodes[number[destination]])
            result[self.edge_types[r]] = torch.stack(local)
        return result

    def split_nodes(self, x: Tensor) -> dict[str, Tensor]:
        """Splits rows ``[N, ...]`` over all nodes to a dict of rows per node type (views, no copies)."""
        if x.dim() == 0 or x.size(0) != self.num_nodes:
            raise DatasetError(f"expected {self.num_nodes} rows, one for each node, got shape {tuple(x.shape)}")
        offsets = self.node_offsets
        return {name: x[offsets[t] : offsets[t + 1]] for t, name in enumerate(self.node_types)}

    def join_nodes(self, x_dict: dict[str, Tensor | None], missing: float = 0.0) -> Tensor:
        """Inverse of :meth:`split_nodes`; the rows of a type that is missing (or None) are filled with `missing`.

        HGTConv leaves out the node types that are no edge type's destination.
        """
        sizes = self.num_nodes_dict
        unknown = set(x_dict) - set(sizes)
        if unknown:
            raise DatasetError(f"expected the node types {self.node_types}, got also {sorted(unknown)}")
        rows = {name: x for name, x in x_dict.items() if x is not None}
        if not rows:
            raise DatasetError("expected rows of at least one node type, got none")
        like = next(iter(rows.values()))
        for name, x in rows.items():
            if x.shape != (sizes[name], *like.shape[1:]):
                wanted = (sizes[name], *like.shape[1:])
                raise DatasetError(f"expected shape {wanted} for '{name}', got {tuple(x.shape)}")
        for name in sizes.keys() - rows.keys():
            rows[name] = like.new_full((sizes[name], *like.shape[1:]), missing)
        return torch.cat([rows[name] for name in self.node_types])

    def compaction_ratio(self, side: str = "src") -> float:
        """Number of unique (source node, edge type) pairs, or with "dst" (destination node, edge type), per edge."""
        if side not in ("src", "dst"):
            raise ValueError(f"expected side 'src' or 'dst', got {side!r}")
        if self.num_edges == 0:
            return 1.0
        ends = self.src if side == "src" else self.dst
        return torch.unique(self.edge_type * self.num_nodes + ends).numel() / self.num_edges

    def __str__(self) -> str:
        return (
            f"{self.name}{' (synthetic)' if self.synthetic else ''}: {self.num_nodes:,} nodes of "
            f"{self.num_node_types} types, {self.num_edges:,} edges of {self.num_edge_types} types"
        )

    # ---- checks ------------------------------------------------------------------------------------------------------

    def _fail(self, message: str) -> None:
        raise DatasetError(f"data set '{self.name}': {message}")

    def _check_index(self, name: str, length: int | None, limit: int, low: int = 0) -> None:
        """Checks that field `name` is a 1-D int64 CPU tensor of `length` (any if None), values in [low, limit)."""
        value = getattr(self, name)
        if not isinstance(value, Tensor):
            self._fail(f"expected {name} to be a tensor, got {type(value).__name__}")
        if value.dtype != torch.int64 or value.dim() != 1 or value.device.type != "cpu":
            self._fail(f"expected {name} to be int64 [{'n' if length is None else length}] on the cpu, "
                       f"got {value.dtype} {list(value.shape)} on {value.device}")
        if length is not None and value.numel() != length:
            self._fail(f"expected {length} entries in {name}, got {value.numel()}")
        if value.numel():
            least, most = value.min().item(), value.max().item()
            if least < low or most >= limit:
                self._fail(f"expected {name} in {low} .. {limit - 1}, got {least if least < low else most}")

    def _check_sorted(self, name: str) -> None:
        value = getattr(self, name)
        if (value[1:] < value[:-1]).any():
            at = int((value[1:] < value[:-1]).nonzero()[0]) + 1
            before, after = value[at - 1].item(), value[at].item()
            self._fail(f"expected {name} in ascending order, got {after} after {before} at {at}")

    def _check_types(self) -> None:
        if len(set(self.node_types)) != len(self.node_types):
            self._fail(f"expected distinct node_types, got {self.node_types}")
        seen = set()
        for r, name in enumerate(self.edge_types):
            if not (isinstance(name, tuple) and len(name) == 3 and all(isinstance(part, str) for part in name)):
                self._fail(f"expected edge_types[{r}] to be (source type, relation, destination type), got {name!r}")
            for end in (name[0], name[2]):
                if end not in self.node_types:
                    self._fail(f"expected edge_types[{r}] to join two of {self.node_types}, got '{end}'")
            if name in seen:
                self._fail(f"expected distinct edge_types, got {name} twice")
            seen.add(name)
        self._check_index("node_type", None, len(self.node_types))
        self._check_sorted("node_type")

    def _check_edges(self) -> None:
        self._check_index("edge_type", None, len(self.edge_types))
        self._check_sorted("edge_type")
        edges = self.edge_type.numel()
        for name in ("src", "dst"):
            self._check_index(name, edges, self.num_nodes)
        number = {name: t for t, name in enumerate(self.node_types)}
        for name, part in (("src", 0), ("dst", 2)):
            wanted = torch.tensor([number[names[part]] for names in self.edge_types], dtype=torch.int64)
            wrong = (self.node_type[getattr(self, name)] != wanted[self.edge_type]).nonzero()
            if wrong.numel():
                e = int(wrong[0])
                node = int(getattr(self, name)[e])
                names = self.edge_types[int(self.edge_type[e])]
                self._fail(f"expected {name}[{e}] to be a node of type '{names[part]}', as its edge type {names} says, "
                           f"got node {node} of type '{self.node_types[int(self.node_type[node])]}'")
        if self.edge_split is not None:
            self._check_index("edge_split", edges, 3)

    def _check_labels(self) -> None:
        if (self.y is None) != (self.num_classes is None):
            self._fail("expected y and num_classes together, got one of them")
        if self.y is not None:
            self._check_index("y", self.num_nodes, self.num_classes, low=-1)
        for name in ("train_idx", "val_idx", "test_idx"):
            nodes = getattr(self, name)
            if nodes is None:
                continue
            if self.y is None:
                self._fail(f"expected labels y for {name}, got none")
            self._check_index(name, None, self.num_nodes)
            if torch.unique(nodes).numel() != nodes.numel():
                self._fail(f"expected distinct nodes in {name}, got one twice")
            if (self.y[nodes] < 0).any():
                self._fail(f"expected a label for every node of {name}, "
                           f"got none for node {int(nodes[self.y[nodes] < 0][0])}")

    def _check_features(self) -> None:
        x = self.features
        if x is None:
            return
        if x.layout != torch.sparse_csr or x.dtype != torch.float32 or x.dim() != 2 or x.size(0) != self.num_nodes:
            self._fail(f"expected features to be sparse CSR float32 [{self.num_nodes}, F], "
                       f"got {x.layout} {x.dtype} {list(x.shape)}")
