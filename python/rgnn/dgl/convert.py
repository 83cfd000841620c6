"""Graphs made of lists of edges, and homogeneous graphs of heterogeneous ones and back (DGL's convert)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from .base import EID, ETYPE, NID, NTYPE, DGLError, describe_shape, missing
from .heterograph import DGLBlock, DGLGraph

__all__ = ["block_to_graph", "create_block", "graph", "heterograph", "to_heterogeneous", "to_homogeneous"]


def graph(
    data: Any, *, num_nodes: int | None = None, idtype: torch.dtype | None = None, device: Any = None,
    row_sorted: bool = False, col_sorted: bool = False,
) -> DGLGraph:  # fmt: skip
    """A graph with one type of nodes and one of edges.

    Args:
        data: (sources, destinations), tensors or lists of ``E`` integers; or ("coo", that), ("csr", (offsets, ends,
            numbers)) or ("csc", ...), where the list of numbers may be empty.
        num_nodes: one more than the largest number for None.
        idtype: int64 or int32; that of the data for None.
        device: that of the data for None.
        row_sorted, col_sorted: what DGL would know of the order; nothing depends on it.

    Raises:
        DGLError: the data are none of these, or have nodes beyond ``num_nodes``.
    """
    return heterograph({("_N", "_E", "_N"): data}, None if num_nodes is None else {"_N": num_nodes}, idtype, device)


def heterograph(
    data_dict: Mapping[tuple[str, str, str], Any], num_nodes_dict: Mapping[str, int] | None = None,
    idtype: torch.dtype | None = None, device: Any = None,
) -> DGLGraph:  # fmt: skip
    """A graph with several types of nodes and edges, which are numbered in the order of their names.

    Args:
        data_dict: by (source type, name, destination type), edges as of :func:`graph`.
        num_nodes_dict: by node type, the number of nodes; one more than the largest number for None.
        idtype, device, errors: as of :func:`graph`.
    """
    found = _read_all(data_dict, idtype, device)
    sizes: dict[str, int] = dict(num_nodes_dict or {})
    for (source, _, target), edges in found.items():
        for place, ntype in enumerate((source, target)):
            _count(sizes, ntype, edges[place], num_nodes_dict is None, f"node type {ntype!r}")
    ntypes, etypes = sorted(sizes), sorted(found)
    ends = [(ntypes.index(source), ntypes.index(target)) for source, _, target in etypes]
    return DGLGraph(ntypes, etypes, ends, [found[etype] for etype in etypes], [sizes[name] for name in ntypes])


def create_block(
    data_dict: Any, num_src_nodes: Any = None, num_dst_nodes: Any = None, idtype: torch.dtype | None = None,
    device: Any = None,
) -> DGLGraph:  # fmt: skip
    """A block, as samplers make: messages go from sources to destinations, which are numbered apart.

    Args:
        data_dict: edges as of :func:`graph`, or by (source type, name, destination type).
        num_src_nodes, num_dst_nodes: numbers, or numbers by type; one more than the largest number for None.
        idtype, device, errors: as of :func:`graph`.
    """
    if not isinstance(data_dict, Mapping):
        data_dict = {("_N", "_E", "_N"): data_dict}
        num_src_nodes, num_dst_nodes = (size if size is None or isinstance(size, Mapping) else {"_N": size}
                                        for size in (num_src_nodes, num_dst_nodes))  # fmt: skip
    found = _read_all(data_dict, idtype, device)
    infers = num_src_nodes is None and num_dst_nodes is None
    sources, targets = dict(num_src_nodes or {}), dict(num_dst_nodes or {})
    for (source, _, target), edges in found.items():
        _count(sources, source, edges[0], infers, f"source node type {source!r}")
        _count(targets, target, edges[1], infers, f"destination node type {target!r}")
    names, others, etypes = sorted(sources), sorted(targets), sorted(found)
    ends = [(names.index(source), len(names) + others.index(target)) for source, _, target in etypes]
    sizes = [*(sources[name] for name in names), *(targets[name] for name in others)]
    return DGLBlock(names + others, etypes, ends, [found[etype] for etype in etypes], sizes, len(names))


def block_to_graph(block: DGLGraph) -> DGLGraph:
    """A graph of a block, whose node types are those of sources with ``_src`` and of destinations with ``_dst``."""
    names = [f"{name}_src" for name in block.srctypes] + [f"{name}_dst" for name in block.dsttypes]
    etypes = [(f"{source}_src", name, f"{target}_dst") for source, name, target in block.canonical_etypes]
    sizes = [block._size(number) for number in range(len(names))]
    made = DGLGraph(names, etypes, block._ends, block._edges, sizes)
    made._node_frames = [dict(frame) for frame in block._node_frames]
    made._edge_frames = [dict(frame) for frame in block._edge_frames]
    return made


def to_homogeneous(
    G: DGLGraph, ndata: list[str] | None = None, edata: list[str] | None = None,  # noqa: N803
    store_type: bool = True, return_count: bool = False,
) -> Any:  # fmt: skip
    """A graph of one type, with all nodes and edges, one type after the other.

    Args:
        ndata, edata: the features to keep, which all types have.
        store_type: whether types are kept as ``ndata["_TYPE"]`` and ``edata["_TYPE"]``. Numbers within the types always
            are, as ``"_ID"``.
        return_count: whether to give the numbers of nodes and of edges of each type, too, as two lists.
    """
    nodes, edges = [G._size(number) for number in range(len(G.ntypes))], [own.shape[1] for own in G._edges]
    first = [sum(nodes[:number]) for number in range(len(nodes))]
    parts = [own + own.new_tensor([[first[source]], [first[target]]]) for own, (source, target) in
             zip(G._edges, G._ends)]  # fmt: skip
    made = DGLGraph(["_N"], [("_N", "_E", "_N")], [(0, 0)], [torch.cat(parts, 1)], [sum(nodes)])
    for own, frames, keys, what in ((made.ndata, G._node_frames, ndata, "node type"),
                                    (made.edata, G._edge_frames, edata, "edge type")):  # fmt: skip
        for key in keys or ():
            if not all(key in frame for frame in frames):
                raise DGLError(f"{key!r}: expected a feature of each {what}, got one that some lack")
            own[key] = torch.cat([frame[key] for frame in frames])
    made.ndata[NID] = torch.cat([G._all_nodes(number) for number in range(len(nodes))])
    made.edata[EID] = torch.cat([G._all_edges(number) for number in range(len(edges))])
    if store_type:
        for own, key, counts in ((made.ndata, NTYPE, nodes), (made.edata, ETYPE, edges)):
            own[key] = torch.cat([torch.full((count,), number, device=G.device) for number, count in enumerate(counts)])
    made._type_frames = (dict(G.ntypedata), dict(G.etypedata))
    return (made, nodes, edges) if return_count else made


def to_heterogeneous(
    G: DGLGraph, ntypes: list[str], etypes: list[str], ntype_field: str = NTYPE,  # noqa: N803
    etype_field: str = ETYPE, metagraph: Any = None,
) -> DGLGraph:  # fmt: skip
    """A graph of several types, of one with types as features: the other way of :func:`to_homogeneous`.

    Args:
        ntypes, etypes: the names of types by number.
        ntype_field, etype_field: the features that hold the types, which are read once.
        metagraph: is to be None: the edge types are those that there are edges of.
    """
    if metagraph is not None:
        raise missing("to_heterogeneous(metagraph=...)", "leave it out; edge types are those that there are edges of")
    if not G.is_homogeneous:
        raise DGLError(f"expected a graph with one type of nodes and of edges, got {G!r}")
    own, kinds = G.ndata[ntype_field].long(), G.edata[etype_field].long()
    source, target = G._source(0), G._destination(0)
    nodes = [(own == number).nonzero().view(-1) for number in range(len(ntypes))]
    place = torch.empty_like(own)
    for rows in nodes:
        place[rows] = torch.arange(len(rows), device=G.device)
    triples = torch.stack([own[source], kinds, own[target]], 1)
    present = torch.unique(triples, dim=0).tolist() if len(triples) else []
    edges = {(ntypes[s], etypes[e], ntypes[t]): (triples == triples.new_tensor([s, e, t])).all(1).nonzero().view(-1)
             for s, e, t in present}  # fmt: skip
    if not edges:
        raise DGLError("expected a graph with edges, of whose types edge types are made, got one without")
    made = heterograph({etype: (place[source[rows]], place[target[rows]]) for etype, rows in edges.items()},
                       {name: len(rows) for name, rows in zip(ntypes, nodes)}, G.idtype)  # fmt: skip
    for name, rows in zip(ntypes, nodes):
        kept = {key: value[rows] for key, value in G._node_frames[0].items() if key not in (ntype_field, NID)}
        made.nodes[name].data.update(kept)
        made.nodes[name].data[NID] = rows
    for etype, rows in edges.items():
        kept = {key: value[rows] for key, value in G._edge_frames[0].items() if key not in (etype_field, EID)}
        made.edges[etype].data.update(kept)
        made.edges[etype].data[EID] = rows
    return made


# Edges as users have them


def _read_all(data_dict: Mapping, idtype: torch.dtype | None, device: Any) -> dict[tuple[str, str, str], Tensor]:
    if not data_dict:
        raise DGLError("expected at least one edge type, got none")
    found = {}
    for etype, data in data_dict.items():
        if not isinstance(etype, tuple) or len(etype) != 3:
            raise DGLError(f"expected an edge type as (source type, name, destination type), got {etype!r}")
        found[etype] = _read(data, idtype, device)
    return found


def _read(data: Any, idtype: torch.dtype | None, device: Any) -> Tensor:
    """Edges as ``[2, E]``."""
    if not isinstance(data, (tuple, list, Tensor)) and type(data).__module__.startswith(("scipy", "networkx")):
        raise missing(f"a graph of a {type(data).__name__}", "give its edges as (sources, destinations)")
    form = "coo"
    if isinstance(data, (tuple, list)) and len(data) == 2 and isinstance(data[0], str):
        form, data = data
    if form not in ("coo", "csr", "csc"):
        raise DGLError(f"expected coo, csr or csc, got {form!r}")
    wanted = 2 if form == "coo" else 3
    if isinstance(data, Tensor) and data.dim() == 2 and data.shape[0] == 2:
        data = tuple(data)
    if not isinstance(data, (tuple, list)) or len(data) != wanted:
        raise DGLError(f"expected {'(sources, destinations)' if wanted == 2 else '(offsets, ends, numbers)'}, got "
                       f"{describe_shape(data)}")  # fmt: skip
    lists = [_integers(part, idtype, device) for part in data]
    if form == "coo":
        source, target = lists
        if source.shape != target.shape:
            raise DGLError(f"expected as many sources as destinations, got {len(source)} and {len(target)}")
        return torch.stack([source, target.to(source.dtype)])
    offsets, ends, numbers = lists
    if not len(offsets) or int(offsets[-1]) != len(ends):
        raise DGLError(f"expected offsets that end with the number of edges, {len(ends)}, got "
                       f"{int(offsets[-1]) if len(offsets) else 'none'}")  # fmt: skip
    rows = torch.arange(len(offsets) - 1, dtype=ends.dtype, device=ends.device)
    rows = rows.repeat_interleave(offsets.diff().long())
    edges = torch.stack([rows, ends] if form == "csr" else [ends, rows])
    if len(numbers):
        edges = torch.empty_like(edges).index_copy(1, numbers.long(), edges)
    return edges


def _integers(part: Any, idtype: torch.dtype | None, device: Any) -> Tensor:
    numbers = torch.as_tensor(part, device=device)
    if not isinstance(part, Tensor) and not numbers.numel():
        numbers = numbers.long()
    if numbers.dim() != 1 or numbers.is_floating_point() or numbers.dtype == torch.bool:
        raise DGLError(f"expected a list of numbers of nodes, got {describe_shape(numbers)}")
    return numbers.to(idtype or (numbers.dtype if numbers.dtype == torch.int32 else torch.int64))


def _count(sizes: dict[str, int], ntype: str, numbers: Tensor, infers: bool, what: str) -> None:
    """Notes, or checks, how many nodes of a type there are; of a graph that a model makes, captured code cannot."""
    if torch.compiler.is_compiling() and not infers and ntype in sizes:
        return
    least = int(numbers.max()) + 1 if len(numbers) else 0
    if len(numbers) and int(numbers.min()) < 0:
        raise DGLError(f"{what}: expected numbers of nodes that are not negative, got {int(numbers.min())}")
    if infers:
        sizes[ntype] = max(sizes.get(ntype, 0), least)
    elif ntype not in sizes:
        raise DGLError(f"{what}: expected a number of nodes, got one for {', '.join(map(repr, sizes)) or 'none'}")
    elif sizes[ntype] < least:
        raise DGLError(f"{what}: expected numbers of nodes below {sizes[ntype]}, got {least - 1}")
