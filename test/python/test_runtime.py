"""The runtime from Python: graphs, and modules made of hand-written C instead of compiled code."""

import gc
import json
import os
import sys
import threading
import weakref

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

_rgnn_runtime = pytest.importorskip("_rgnn_runtime")
from _rgnn_runtime import Graph, InputError, Module  # noqa: E402
from kernel import MANIFEST, KernelCall  # noqa: E402


@pytest.fixture(scope="module")
def module(library):
    return Module(library, json.dumps(MANIFEST))


@pytest.mark.parametrize("nodes,edges", [(6, 20), (1, 3), (5, 0), (0, 0), (300, 2000)])
def test_values(module, nodes, edges):
    call = KernelCall(nodes, edges)
    call.check(module)
    call.check(module)


def test_call_through_a_tuple(module):
    import functools

    call = KernelCall()
    out, _ = functools.partial(module, *call.arguments)()
    torch.testing.assert_close(out, call.expected()[0])
    out, _ = type(module).__call__(module, *call.arguments)
    torch.testing.assert_close(out, call.expected()[0])


def test_outputs_are_ordinary_tensors(module):
    out, degree = module(*KernelCall().arguments)
    assert type(out) is torch.Tensor and out.dtype == torch.float32 and out.is_contiguous()
    assert degree.dtype == torch.int64 and degree.shape == (6,)
    out += 1
    (out.requires_grad_() * 2).sum().backward()
    assert out.grad is not None


def test_parameters_and_grad(module):
    call = KernelCall()
    call.x.requires_grad_()
    call.scale = torch.nn.Parameter(call.scale)
    call.check(module)


def test_inference_mode(module):
    with torch.inference_mode():
        KernelCall().check(module)


def test_not_contiguous(module):
    call = KernelCall()
    call.x = torch.randn(2, 6).t()
    call.scale = torch.randn(6)[::3]
    assert not call.x.is_contiguous() and not call.scale.is_contiguous()
    call.check(module)
    call.x = torch.randn(1, 2).expand(6, 2).requires_grad_()
    call.check(module)


def test_views_into_storage(module):
    call = KernelCall()
    call.x = torch.randn(13)[1:].view(6, 2)
    call.check(module)


def test_edges_may_be_none(module):
    call = KernelCall()
    wanted = call.expected()[0]
    out, _ = module((call.graph,), (call.x, None, None, call.scale))
    torch.testing.assert_close(out, wanted)


def test_threads(module):
    call = KernelCall(200, 3000)
    errors = []

    def work():
        try:
            for _ in range(30):
                call.check(module)
                module.release_workspace()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_threads_are_those_of_torch(module):
    assert _rgnn_runtime.thread_source() == "torch"
    before = torch.get_num_threads()
    try:
        for count in (1, 3):
            torch.set_num_threads(count)
            assert _rgnn_runtime.num_threads() == count
            KernelCall(500, 1000).check(module)
    finally:
        torch.set_num_threads(before)


def test_workspace(library):
    module = Module(str(library), json.dumps(MANIFEST))
    assert module.workspace_bytes == 0
    call = KernelCall(100, 10)
    call.check(module)
    used = module.workspace_bytes
    assert used >= 800
    call.check(module)
    assert module.workspace_bytes == used
    module.release_workspace()
    assert module.workspace_bytes == 0
    call.check(module)


def with_x(x):
    return lambda call: setattr(call, "x", x)


@pytest.mark.parametrize(
    "spoil,message",
    [
        (with_x(torch.zeros(6, 2, dtype=torch.float64)), "input 'x': expected float32, got float64"),
        (with_x(torch.zeros(6, 2, dtype=torch.bfloat16)), "input 'x': expected float32, got bfloat16"),
        (with_x(torch.zeros(6, 2, dtype=torch.complex64)), "input 'x': expected float32, got complex64"),
        (with_x(torch.zeros(6)), r"input 'x': expected rank 2, got shape \[6\]"),
        (with_x(torch.zeros(6, 3)), r"input 'x': expected 2 in dimension 1, got shape \[6, 3\]"),
        (with_x(torch.zeros(7, 2)), "input 'x': expected 6 in dimension 0, the nodes of graph 0, got 7"),
        (with_x(None), "input 'x': expected a tensor, got none"),
        (with_x([1.0]), "input 0: expected a torch.Tensor, got list"),
        (with_x(torch.zeros(6, 2, device="meta")), "expected a (dense )?tensor"),
        (with_x(torch.eye(6, 2).to_sparse()), "expected a (dense )?tensor"),
        (lambda call: setattr(call, "edge_index", torch.zeros(2, 19, dtype=torch.int64)),
         "input 'edge_index': expected 20 in dimension 1, the edges of graph 0, got 19"),
        (lambda call: setattr(call, "edge_type", torch.zeros(21, dtype=torch.int64)),
         "input 'edge_type': expected 20 in dimension 0, the edges of graph 0, got 21"),
        (lambda call: setattr(call, "graph", object()), "graph 0: expected a Graph, got <class 'object'>"),
        (lambda call: setattr(call, "graph", Graph([torch.zeros(2, 20, dtype=torch.int64)], None, 9, [6], [], [])),
         "graph 0: expected 3 edge types, got 9"),
    ],
)  # fmt: skip
def test_input_errors(module, spoil, message):
    call = KernelCall()
    spoil(call)
    with pytest.raises(InputError, match=message):
        module(*call.arguments)
    KernelCall().check(module)


def test_counts(module):
    graphs, inputs = KernelCall().arguments
    with pytest.raises(InputError, match="expected 4 inputs, got 3"):
        module(graphs, inputs[:3])
    with pytest.raises(InputError, match="expected 1 graphs, got 2"):
        module(graphs * 2, inputs)
    with pytest.raises(TypeError, match="expected a tuple of graphs and a tuple of inputs"):
        module(list(graphs), inputs)
    with pytest.raises(TypeError, match="got 1 arguments"):
        module(graphs)
    with pytest.raises(TypeError, match="keywords"):
        module(graphs, inputs, grad=True)


def test_fake_tensors(module):
    call = KernelCall()
    with FakeTensorMode() as mode:
        fakes = [torch.empty(6, 2), torch.empty(2, 6).t(), mode.from_tensor(call.x)]
        edges = torch.zeros(2, 3, dtype=torch.int64)
    for fake in fakes:
        with pytest.raises(InputError, match="expected a (dense )?tensor with data"):
            module((call.graph,), (fake, None, None, call.scale))
    with pytest.raises(InputError, match="edge_index: expected a (dense )?tensor with data"):
        Graph([edges], None, 1, [4], [], [])


def test_errors_are_value_errors():
    assert issubclass(InputError, ValueError)


def test_kernel_failure(library):
    module = Module(library, json.dumps({**MANIFEST, "entry": "fails"}))
    with pytest.raises(RuntimeError, match="expected fails to return 0, got 42"):
        module(*KernelCall().arguments)


def test_load_errors(library, tmp_path):
    with pytest.raises(RuntimeError, match="expected a shared object at"):
        Module(tmp_path / "none.so", json.dumps(MANIFEST))
    with pytest.raises(RuntimeError, match="manifest: expected JSON"):
        Module(library, "{")
    with pytest.raises(RuntimeError, match="expected a function 'other'"):
        Module(library, json.dumps({**MANIFEST, "entry": "other"}))
    with pytest.raises(RuntimeError, match="manifest.version: expected 1, 2, 3, 4, 5 or 6, got 7"):
        Module(library, json.dumps({**MANIFEST, "version": 7}))


# ---------------------------------------------------------------------------------------------------------------------
# Graphs
# ---------------------------------------------------------------------------------------------------------------------


def test_graph_views():
    edge_index = torch.tensor([[3, 0, 1, 3], [1, 0, 1, 1]])
    graph = Graph([edge_index], torch.tensor([1, 0, 0, 1]), 2, [4], [], [])
    assert (graph.num_nodes, graph.num_edges, graph.num_edge_types, graph.num_node_types) == (4, 4, 2, 1)
    views = {
        "dst_offsets": [0, 1, 4, 4, 4],
        "src_of_edge": [0, 1, 3, 3],
        "dst_of_edge": [0, 1, 1, 1],
        "etype_of_edge": [0, 0, 1, 1],
        "edge_id": [1, 2, 0, 3],
        "dst_pair_of_edge": [0, 1, 2, 2],
        "dst_pair_offsets": [0, 1, 2, 4],
        "etype_edges": [0, 1, 2, 3],
        "ntype_of_node": [0, 0, 0, 0],
        "src_pair_node": [0, 1, 3],
    }
    for kind, wanted in views.items():
        view = graph.view(kind, 0)
        assert view.dtype == torch.int32 and view.tolist() == wanted, kind
    assert graph.view("etype_tiles", 1).tolist() == [[0, 0, 1], [0, 1, 2], [1, 2, 3], [1, 3, 4]]
    assert graph.size("dst_pair") == graph.size("src_pair") == 3
    assert graph.nbytes > 0


def test_parts_of_a_graph():
    edge_index = torch.tensor([[3, 0, 1, 3], [1, 0, 1, 1]])
    graph = Graph([edge_index], torch.tensor([1, 0, 1, 1]), 2, [4], [], [])
    before = graph.nbytes
    assert graph.view("whole_edge", 0, "src").tolist() == [0]
    assert graph.view("whole_edge", 0, "dst").tolist() == [1, 2, 3]
    assert graph.view("src_of_edge", 0, "dst").tolist() == [3, 1, 3]
    assert graph.view("whole_offsets", 0, "src").tolist() == [0, 1, 1, 1, 1]
    assert graph.view("whole_offsets", 0, "dst").tolist() == [0, 0, 1, 2, 3]
    assert [graph.size("edge", 0, part) for part in ("whole", "src", "dst")] == [4, 1, 3]
    assert graph.size("src_pair", 0, "dst") == 2
    assert graph.nbytes > before
    for ask in (graph.view, graph.size):
        with pytest.raises(ValueError, match=r"expected a part of a graph \(whole, src or dst\), got 'edge'"):
            ask("node", 0, "edge")


def test_graph_of_edges_with_other_strides():
    pairs = torch.tensor([[0, 1], [2, 0]])
    graph = Graph([pairs.t()], None, 1, [3], [], [])
    assert graph.view("src_of_edge").tolist() == [2, 0]
    graph = Graph([pairs.t().int()], torch.tensor([1, 9, 0, 9])[::2], 2, [3], [], [])
    assert graph.view("etype_of_edge").tolist() == [0, 1]


def test_graph_without_edges():
    graph = Graph([torch.empty(2, 0, dtype=torch.int64)], torch.empty(0, dtype=torch.int64), 4, [3], [], [])
    assert graph.num_edges == 0
    assert graph.view("dst_offsets").tolist() == [0, 0, 0, 0]
    assert graph.view("etype_tiles", 8).shape == (0, 3)


def test_hetero_graph():
    edges = [torch.tensor([[0, 1], [0, 2]]), torch.tensor([[2], [1]])]
    graph = Graph(edges, None, 2, [2, 3], [0, 1], [1, 0])
    assert graph.view("src_of_edge").tolist() == [4, 0, 1]
    assert graph.view("dst_of_edge").tolist() == [1, 2, 4]
    assert graph.view("etype_of_edge").tolist() == [1, 0, 0]
    assert graph.size("node_of_type", 1) == 3
    assert graph.view("ntype_tiles", 2).tolist() == [[0, 0, 2], [1, 2, 4], [1, 4, 5]]


def test_graph_keeps_its_own_edges():
    edge_index = torch.tensor([[0, 1], [1, 0]])
    graph = Graph([edge_index], None, 1, [2], [], [])
    edge_index.fill_(100)
    graph.view("src_of_edge").fill_(100)
    assert graph.view("src_of_edge").tolist() == [1, 0]


@pytest.mark.parametrize(
    "arguments,message",
    [
        (([torch.tensor([[0], [5]])], None, 1, [5], [], []),
         r"edge_index: expected node indices in \[0, 5\), got 5 at edge 0"),
        (([torch.tensor([[0], [0]])], torch.tensor([-1]), 1, [5], [], []),
         r"edge_type: expected types in \[0, 1\), got -1 at edge 0"),
        (([torch.zeros(2, 3)], None, 1, [5], [], []), "edge_index: expected int64 or int32, got float32"),
        (([torch.zeros(3, 2).long()], None, 1, [5], [], []), r"edge_index: expected shape \[2, E\], got \[3, 2\]"),
        (([7], None, 1, [5], [], []), "edge_index: expected a torch.Tensor, got int"),
        (([], None, 1, [5], [], []), "edge_index: expected at least one tensor, got none"),
        (([torch.zeros(2, 1).long()], None, 1, [], [], []), "num_nodes: expected the number of nodes"),
        (([torch.zeros(2, 1).long()], None, 1, [2**31], [], []), "num_nodes: expected at most 2147483647 nodes"),
        (([torch.zeros(2, 1).long()], None, 1, [5], [0, 0], [0]), "src_type, dst_type: expected a node type for each"),
        (([torch.zeros(2, 1).long()], None, 1, [5], [2**33], [0]), "src_type: expected small integers"),
    ],
)  # fmt: skip
def test_graph_errors(arguments, message):
    with pytest.raises(InputError, match=message):
        Graph(*arguments)


def test_view_errors():
    graph = KernelCall().graph
    with pytest.raises(InputError, match="expected the name of a graph view, got 'edges'"):
        graph.view("edges")
    with pytest.raises(InputError, match="etype_tiles: expected tiles of at least 1 row, got 0"):
        graph.view("etype_tiles")
    with pytest.raises(InputError, match="expected the name of a graph size, got 'x'"):
        graph.size("x")
    with pytest.raises(TypeError):
        Graph()


# ---------------------------------------------------------------------------------------------------------------------
# Ownership
# ---------------------------------------------------------------------------------------------------------------------


def test_references(module):
    call = KernelCall()
    call.x = torch.randn(2, 6).t()
    graphs, inputs = call.arguments
    objects = [module, graphs, inputs, call.graph, *inputs]
    before = [sys.getrefcount(item) for item in objects]
    for _ in range(10):
        outputs = module(graphs, inputs)
        for spoilt in ((inputs[0].double(), *inputs[1:]), (*inputs[:3], 3)):
            with pytest.raises(InputError):
                module(graphs, spoilt)
    del spoilt
    assert [sys.getrefcount(item) for item in objects] == before
    assert sys.getrefcount(outputs) == 2
    watched = weakref.ref(outputs[0])
    del outputs
    assert watched() is None


def test_outputs_outlive_all_else(library):
    call = KernelCall()
    module = Module(library, json.dumps(MANIFEST))
    out, _ = module(*call.arguments)
    wanted = call.expected()[0]
    del module, call
    gc.collect()
    torch.testing.assert_close(out, wanted)


def test_graphs_are_freed():
    call = KernelCall()
    watched = weakref.ref(call.graph)
    del call
    assert watched() is None


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_does_not_grow(library):
    manifest = json.dumps(MANIFEST)
    edges = torch.zeros(2, 20000, dtype=torch.int64)
    x, scale = torch.zeros(2, 20000).t(), torch.ones(2)

    def work(times):
        for _ in range(times):
            graph = Graph([edges], None, 3, [20000], [], [])
            graph.view("etype_src")
            Module(library, manifest)((graph,), (x, None, None, scale))

    work(20)
    before = resident_bytes()
    work(100)
    # 100 leaked graphs, copies or outputs of 160 kB each would be 16 MB.
    assert resident_bytes() - before < 8 << 20
