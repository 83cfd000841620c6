"""Views that PyTorch builds for GPUs, against those that the runtime builds for processors."""

import pytest
import torch
from _rgnn_runtime import VIEWS, Graph, InputError
from pyg import GRAPHS, R
from rgnn._run.views import ViewBuilder, _makers

OF_PARTS_ONLY = [kind for kind, (_, group) in VIEWS.items() if group == "Parts"]


def test_every_view_has_a_maker():
    """Tiles are all made of offsets, by one function."""
    assert set(_makers) == {kind for kind, (form, _) in VIEWS.items() if form != "Tiles"}


def check(*arguments):
    host, builder = Graph(*arguments), ViewBuilder(*arguments)
    assert builder.in_range
    for part in ("whole", "src", "dst"):
        for kind, (form, group) in VIEWS.items():
            if part == "whole" and group == "Parts":
                continue
            for param in (1, 3, 1000) if form == "Tiles" else (0,):
                expected, got = host.view(kind, param, part), builder.part(part)(kind, param)
                assert got.dtype == torch.int32 and got.is_contiguous(), (part, kind)
                assert got.shape == expected.shape and torch.equal(got, expected), (part, kind)
        if part != "whole":
            of = builder.part(part)
            positions = of("whole_edge").tolist()
            before = [sum(position < p for position in positions) for p in range(len(builder("edge_id")) + 1)]
            assert of("whole_offsets").tolist() == before, part


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_graphs_with_types(name, dtype):
    nodes, edge_index, edge_type = GRAPHS[name]
    check([edge_index.to(dtype)], edge_type.to(dtype), R, (nodes,))
    check([edge_index.to(dtype)], None, 1, (nodes,))
    check([edge_index.to(dtype)], edge_type.to(dtype), R, (nodes // 2, 0, nodes - nodes // 2))


@pytest.mark.parametrize("sizes", [(5, 3, 4), (0, 0, 0), (1, 0, 9)])
def test_edges_by_type(sizes):
    ends = [(0, 1), (1, 0), (2, 2), (0, 2)]
    generator = torch.Generator().manual_seed(0)
    edges = []
    for number, (src, dst) in enumerate(ends):
        count = 0 if number == 2 or 0 in (sizes[src], sizes[dst]) else 7
        rows = [torch.randint(max(sizes[end], 1), (count,), generator=generator) for end in (src, dst)]
        edges.append(torch.stack(rows))
    check(edges, None, len(edges), sizes, *map(tuple, zip(*ends)))


@pytest.mark.parametrize("sizes", [(9, 4), (3, 8), (5, 5), (1, 1), (4, 0), (0, 0)])
def test_bipartite_graphs(sizes):
    generator = torch.Generator().manual_seed(0)
    count = 0 if 0 in sizes else 20
    edge_index = torch.stack([torch.randint(max(size, 1), (count,), generator=generator) for size in sizes])
    check([edge_index], torch.randint(R, (count,), generator=generator), R, sizes, (), (), True)
    check([edge_index.int()], None, 1, sizes, (), (), True)


@pytest.mark.parametrize("end", [0, 1])
def test_ends_of_bipartite_graphs_out_of_range(end):
    edge_index, sizes = torch.zeros(2, 3, dtype=torch.long), (7, 4)
    edge_index[end, 1] = sizes[end]
    assert not ViewBuilder([edge_index], None, 1, sizes, (), (), True).in_range
    side, count = ("source", "destination")[end], sizes[end]
    message = rf"edge_index: expected {side} indices in \[0, {count}\), got {count} at edge 1"
    with pytest.raises(InputError, match=message):
        Graph([edge_index], None, 1, sizes, (), (), True)
    with pytest.raises(InputError, match="expected the numbers of sources and of destinations, and one edge_index"):
        Graph([edge_index], None, 1, (7,), (), (), True)


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_lists_of_ends(dtype):
    src, dst = torch.tensor([0, 4, 4, 2, 4, 0], dtype=dtype), torch.tensor([1, 0, 2, 2, 0, 1], dtype=dtype)
    types = torch.tensor([0, 1, 1, 0, 2, 0])
    for ends, sizes, bipartite in (([src, dst], (6,), False), ([src, dst], (5, 3), True), ([dst], (4,), False)):
        check(ends, types, R, sizes, (), (), bipartite)
        whole = torch.stack((ends[0], ends[-1]))
        graph, other = (Graph(lists, types, R, sizes, (), (), bipartite) for lists in (ends, [whole]))
        for kind in ("src_of_edge", "dst_of_edge", "dst_offsets", "edge_id"):
            assert graph.view(kind).tolist() == other.view(kind).tolist()


def test_lists_of_ends_that_do_not_fit():
    ends = torch.tensor([0, 1])
    with pytest.raises(InputError, match="edge_index: expected as many destinations as sources, got 3 and 2"):
        Graph([ends, torch.zeros(3, dtype=torch.long)], None, 1, (4,))
    with pytest.raises(InputError, match="edge_index: expected at most two tensors of ends"):
        Graph([ends, ends, ends], None, 1, (4,))
    with pytest.raises(InputError, match=r"edge_index: expected shape \[E\], got"):
        Graph([ends, ends[None]], None, 1, (4,))


def test_tables_are_made_alone():
    """They have a row for each pair of a type and a node, which may be more than all else."""
    nodes, *edges = GRAPHS["awkward"]
    builder = ViewBuilder([edges[0]], edges[1], R, (nodes,))
    for kind, (form, group) in VIEWS.items():
        if group not in ("Tables", "Parts"):
            builder(kind, 1 if form == "Tiles" else 0)
    assert builder._made and not any(VIEWS[kind][1] == "Tables" for kind, _ in builder._made)


def test_parts():
    edge_index, edge_type = torch.tensor([[0, 0, 1, 2, 2], [1, 2, 0, 0, 1]]), torch.tensor([0, 0, 2, 2, 1])
    builder = ViewBuilder([edge_index], edge_type, 4, (3,))
    src, dst = builder.part("src"), builder.part("dst")
    assert builder.part("whole") is builder and builder.part("src") is src
    assert builder("edge_id").tolist() == [2, 3, 0, 4, 1]
    # Type 0 has one source and two destinations, type 1 as many, type 2 two and one.
    assert src("whole_edge").tolist() == [2, 3, 4] and dst("whole_edge").tolist() == [0, 1]
    assert src("src_of_edge").tolist() == [0, 2, 0] and dst("src_of_edge").tolist() == [1, 2]
    assert src("whole_offsets").tolist() == [0, 0, 0, 1, 2, 3] and dst("whole_offsets").tolist() == [0, 1, 2, 2, 2, 2]


@pytest.mark.parametrize("kind", OF_PARTS_ONLY)
def test_kinds_of_parts_only(kind):
    arguments = [torch.zeros(2, 3, dtype=torch.long)], None, 1, (2,)
    for view in (Graph(*arguments).view, ViewBuilder(*arguments)):
        with pytest.raises(InputError) as error:
            view(kind)
        assert str(error.value) == f"{kind}: expected a part of a graph, got a whole one"


@pytest.mark.parametrize("bad", [-1, 6])
def test_indices_out_of_range(bad):
    edge_index, edge_type = torch.zeros(2, 4, dtype=torch.long), torch.zeros(4, dtype=torch.long)
    assert ViewBuilder([edge_index], edge_type, 6, (6,)).in_range
    for row in (0, 1):
        wrong = edge_index.clone()
        wrong[row, 2] = bad
        assert not ViewBuilder([wrong], edge_type, 6, (6,)).in_range
    wrong = edge_type.clone()
    wrong[3] = bad
    assert not ViewBuilder([edge_index], wrong, 6, (6,)).in_range
